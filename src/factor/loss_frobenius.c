/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Frobenius loss: sum_i w_i ||x_i - F g_i||^2 over the samples.
 *
 *     codes    minus += 2 w X F       curved += 2 w G (F' F)
 *     basis    minus += 2 X' w G      curved += 2 F (G' w G)
 *     value    sum w x^2 - 2 <X' w G, F> + <F' F, G' w G>
 *
 * A pass collects X' w G and G' w G, so the value costs nothing more. Missing entries enter the
 * data as zeros, and every row then has a gram matrix of its own (matrix/known.h); the value is
 * summed row by row, for where nothing is known y may be anything, and its square would drown the
 * rest. With a kernel in place of X' X, F stands for the concept weights W, `lift` for K W and
 * `gram` for W' K W. Lee & Seung 2000; cost 4 n m k a pass.
 *
 * The quadratic g Q g' with Q = F' F >= 0 lies below sum_a g_a (g Q)_a t_a^2, since t_a t_b <=
 * (t_a^2 + t_b^2) / 2: that is why `curved` may be read as growing with t, and why its exact
 * minimiser never raises J (tests/test_law_descent.c). Sums are doubles,
 * and so are values, which are differences of them. */
#include "factor/plan.h"
#include "factor/tile.h"
#include "matrix/descent.h"
#include "matrix/parallel.h"
#include "matrix/pass.h"

#include <string.h>

static void project(const tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    tsr__block_project(lane->projection, block, tsr__basis_at(s, block), s->k,
                       block->from == 0);
}

/* sum w (x^2 - 2 g p + g Q g') over the rows of a block, each with its own Q. Missing entries
 * are zeros in x, hence absent from x^2 and p, and Q leaves them out. The projection is made
 * anew: a pass that only sums has none. */
static double known_value(const tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    const tsr__known_rows features = tsr__known_features(s);
    const tsr__known *known = &tsr__bench_of(s, lane)->known;
    double sum = 0;
    project(s, block, lane);
    for (int64_t i = 0; i < block->samples; i++) {
        const int64_t row = block->first + i, at = block->sparse ? block->rows[i] : 0;
        const int64_t count = block->sparse ? block->rows[i + 1] - at : block->features;
        const void *x = tsr__real_at(s, block->values, block->sparse ? at : i * block->stride);
        const void *g = tsr__real_at(s, s->state.codes, row * s->k);
        double loss = kernels->dot(x, x, count) -
                      2 * kernels->dot(g, tsr__real_at(s, lane->projection, i * s->k), s->k);
        tsr__known_gram(known, &features, row, s->state.metric.gram);
        for (int64_t a = 0; a < s->k; a++)
            loss += tsr__real_get(s, g, a) *
                    kernels->dot(g, tsr__real_at(s, known->gram, a * tsr__padded(s->k)), s->k);
        sum += tsr__row_weight(s, row) * loss;
    }
    return sum;
}

/* Weights scale all halves of a row alike: without terms they would change no step, beside
 * terms they say how much the sample's loss counts. */
static void codes(const tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    const int64_t count = block->samples * s->k;
    const size_t bytes = tsr__real_bytes(s, count);
    memcpy(lane->halves.minus, lane->projection, bytes);
    memset(lane->halves.flat, 0, bytes);
    kernels->scale(lane->halves.minus, 2, count);
    if (s->problem->missing != NULL) {
        const tsr__known_rows features = tsr__known_features(s);
        tsr__known_times(lane->halves.curved, 2, &tsr__bench_of(s, lane)->known, &features,
                         block->first, block->samples, tsr__codes_at(s, block->first),
                         s->state.metric.gram);
    } else {
        tsr__times(s, lane->halves.curved, 2, tsr__codes_at(s, block->first),
                   s->state.metric.gram, block->samples, s->k, s->k);
    }
    if (s->state.metric.anti_gram != NULL)
        tsr__times(s, lane->halves.anti, 2, tsr__codes_at(s, block->first),
                   s->state.metric.anti_gram, block->samples, s->k, s->k);
    if (s->problem->weight != NULL) {
        const void *w = tsr__real_at(s, s->problem->weight, block->first);
        kernels->scale_rows(lane->halves.minus, lane->halves.minus, w, block->samples, s->k);
        if (s->state.metric.anti_gram != NULL)
            kernels->scale_rows(lane->halves.anti, lane->halves.anti, w, block->samples, s->k);
        kernels->scale_rows(lane->halves.curved, lane->halves.curved, w, block->samples, s->k);
    }
}

/* A block of whole rows was projected a moment ago and is in the cache still: such data are read
 * once an iteration. Only one side carries the weights, so that they enter once. */
static void accumulate(const tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    if (lane->to.XtG != NULL)
        tsr__block_collect(lane->to.XtG, block, tsr__weighted(s, block, lane), s->k);
    if (s->problem->missing != NULL)
        *lane->to.loss += known_value(s, block, lane);
}

/* GtG is kept with missing values too: a feature's own sums are those of all samples less the
 * few that lack it (matrix/known.h). */
static void tally(const tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    tsr__gram(s, lane->to.GtG, tsr__codes_at(s, block->first), tsr__weighted(s, block, lane),
              block->samples, false);
}

/* The turned data hold the weights. A row of XtG belongs to one thread: no sums of m x k. */
static void collect(tsr__solver *s, const tsr__block *block)
{
    tsr__block_project(tsr__real_at(s, s->state.sums.XtG, block->first * s->k), block,
                       s->state.codes, s->k, true);
}

struct features {
    const tsr__solver *s;
    void *curved;
};

/* Row by row against the feature's own G' w G: O(min(missing, known) k^2) each, hence by
 * threads. */
static void times_features(void *context, int64_t item, int thread)
{
    const struct features *f = context;
    const tsr__solver *s = f->s;
    const int64_t first = item * TSR_CHUNK, left = s->m - first, at = first * s->k;
    const tsr__known_rows samples = tsr__known_samples(s);
    tsr__known_times(tsr__real_at(s, f->curved, at), 2, &s->work.bench[thread].known, &samples,
                     first, left < TSR_CHUNK ? left : TSR_CHUNK,
                     tsr__real_at(s, s->state.basis, at), s->state.sums.GtG);
}

static void basis(const tsr__solver *s, tsr__halves *halves)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    const int64_t count = s->m * s->k;
    memcpy(halves->minus, s->state.sums.XtG, tsr__real_bytes(s, count));
    kernels->scale(halves->minus, 2, count);
    memset(halves->flat, 0, tsr__real_bytes(s, count));
    if (s->problem->missing != NULL) {
        struct features f = {s, halves->curved};
        tsr__parallel((s->m + TSR_CHUNK - 1) / TSR_CHUNK, s->plan->threads, times_features, &f);
        return;
    }
    tsr__times(s, halves->curved, 2, s->state.metric.lift, s->state.sums.GtG, s->m, s->k, s->k);
    if (s->state.metric.anti_lift != NULL)
        tsr__times(s, halves->anti, 2, s->state.metric.anti_lift, s->state.sums.GtG, s->m, s->k,
                   s->k);
}

/* Row i of a run of rows. */
static const void *row_of(const tsr__solver *s, const void *rows, int64_t i, int64_t width)
{
    return rows != NULL ? tsr__real_at(s, rows, i * width) : NULL;
}

/* Rows first .. of a factor with missing values, each against its own Q; `of` is the other one.
 * Q is made just before its row descends and forgotten after it: to keep all of them would take
 * n k^2. */
static void descend_known(const tsr__solver *s, const tsr__known *known,
                          const tsr__known_rows *of, int64_t first, const tsr__descent *rows)
{
    for (int64_t i = 0; i < rows->rows; i++) {
        tsr__descent row = *rows;
        tsr__known_gram(known, of, first + i, rows->gram);
        row.theta = tsr__real_at(s, rows->theta, i * s->k);
        row.projection = row_of(s, rows->projection, i, s->k);
        row.slope = row_of(s, rows->slope, i, s->k);
        row.bend = row_of(s, rows->bend, i, s->k);
        row.weight = row_of(s, rows->weight, i, 1);
        row.gram = known->gram;
        tsr__descents_of(s->type)->square(&row);
    }
}

static void descend_codes(const tsr__solver *s, const tsr__block *block, tsr__lane *lane,
                          const void *slope, const void *bend)
{
    const tsr__known_rows features = tsr__known_features(s);
    tsr__descent descent = {.theta = tsr__real_at(s, s->state.codes, block->first * s->k),
                            .projection = lane->projection,
                            .gram = s->state.metric.gram,
                            .slope = slope,
                            .bend = bend,
                            .work = tsr__bench_of(s, lane)->room,
                            .rows = block->samples,
                            .k = s->k,
                            .sweeps = s->sweeps};
    if (s->problem->weight != NULL)
        descent.weight = tsr__real_at(s, s->problem->weight, block->first);
    if (s->problem->missing != NULL)
        descend_known(s, &tsr__bench_of(s, lane)->known, &features, block->first, &descent);
    else
        tsr__descents_of(s->type)->squares(&descent);
}

/* Rows of the basis from the sums. XtG and GtG of the last pass are all that least squares
 * needs: the data are not read, and a sweep costs 2 m k^2 however many samples there are. The
 * weights are in the sums. Rows are problems of their own, so that neither chunks nor threads
 * change a bit. */
static void descend_rows(void *context, int64_t item, int thread)
{
    tsr__solver *s = context;
    const tsr__known_rows samples = tsr__known_samples(s);
    int64_t first, count;
    tsr__own_features(&first, &count, s);
    const int64_t left = count - item * TSR_CHUNK, rows = left < TSR_CHUNK ? left : TSR_CHUNK;
    first += item * TSR_CHUNK;
    const int64_t at = first * s->k;
    tsr__descent descent = {.theta = tsr__real_at(s, s->state.basis, at),
                            .projection = tsr__real_at(s, s->state.sums.XtG, at),
                            .gram = s->state.sums.GtG,
                            .work = s->work.bench[thread].room,
                            .rows = rows,
                            .k = s->k,
                            .sweeps = s->plan->basis.sweeps};
    tsr__basis_bend(s, &s->work.bench[thread], first, rows, &descent.slope, &descent.bend);
    if (s->problem->missing != NULL)
        descend_known(s, &s->work.bench[thread].known, &samples, first, &descent);
    else
        tsr__descents_of(s->type)->squares(&descent);
}

static void descend_basis(tsr__solver *s)
{
    int64_t first, count;
    tsr__own_features(&first, &count, s);
    tsr__parallel((count + TSR_CHUNK - 1) / TSR_CHUNK, s->plan->threads, descend_rows, s);
}

/* sum of y^2: <F' F, G' w G>. */
static double square_of(const tsr__solver *s)
{
    double sum = 0;
    for (int64_t i = 0; i < s->k * s->k; i++)
        sum += (s->state.metric.exact[i] -
                (s->state.metric.exact_anti != NULL ? s->state.metric.exact_anti[i] : 0)) *
               s->state.totals.GtG[i];
    return sum;
}

/* Near a perfect fit this is a difference of numbers of the size of sum x^2, right to their
 * rounding and no better. */
static double value(const tsr__solver *s)
{
    const double sum =
        s->problem->missing != NULL
            ? *s->state.totals.loss
            : s->square - 2 * tsr__with_basis(s, s->state.totals.XtG, s->state.sums.XtG) +
                  square_of(s);
    return sum < 0 ? 0 : sum; /* a perfect fit is a difference of equals; NaN stays NaN */
}

/* ||X - a F G'||^2 is least at a = <X, F G'> / ||F G'||^2. Missing entries count as zeros: it
 * is the size of a start, no more. */
static void fit_size(double *up, double *down, const tsr__solver *s)
{
    *up = tsr__with_basis(s, s->state.totals.XtG, s->state.sums.XtG);
    *down = square_of(s);
}

static double own(double x)
{
    return x * x;
}

static int64_t room(int64_t k, int64_t longest, bool sparse)
{
    (void)longest, (void)sparse;
    return tsr__descent_room(k);
}

const tsr__loss tsr__loss_frobenius = {
    .name = "frobenius",
    .title = "Frobenius",
    .formula = "||%s - %s||^2",
    .degree = 2,
    .power = 0,
    .step = 1,
    .floor = 1e-8,
    .elastic = 2,
    .inner = true,
    .passes = 2,
    .cost = {1, 1},
    .own = own,
    .room = room,
    .project = project,
    .codes = codes,
    .accumulate = accumulate,
    .tally = tally,
    .collect = collect,
    .basis = basis,
    .descend_codes = descend_codes,
    .descend_basis = descend_basis,
    .fit_size = fit_size,
    .value = value,
};
