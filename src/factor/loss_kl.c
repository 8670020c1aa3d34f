/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Kullback-Leibler loss: sum_i w_i sum_j x log(x / y) - x + y, y = (F g_i)_j, 0 log 0 = 0.
 * With R = X / (G F'), element by element:
 *
 *     codes    minus += w R F         flat += w 1 (1' F)
 *     basis    minus += R' w G        flat += 1 (1' w G)
 *
 * R is anew after either factor moved, so a pass makes it twice for each block: before the
 * block's codes move and after. Dense blocks keep R in a tile of block size; sparse ones need
 * their non-zeros only, and the sum of y over all entries is (1' w G) . (1' F). Missing entries
 * enter as zeros and every row then has sums of its own (known.c). Lee & Seung
 * 2000; cost 8 n m k a pass, sparse 8 nnz k. Coordinate descent (matrix/descent.h) works on rows
 * of X for the codes and on columns for the basis: sparse data are kept by column too, of dense
 * ones a panel of columns is turned at a time.
 *
 * With shares r_k = g_k f_k / y of an entry, -log sum r_k t_k <= -sum r_k log t_k (the
 * logarithm is concave), so that the pull up of each coordinate falls as 1 / t (`power` 1),
 * while the sum of y is linear: t (flat + c t) = minus. Without terms the root is minus / flat,
 * the rule of Lee and Seung, and J never rises (tests/test_law_descent.c). The plan counts a
 * pass of coordinate descent as ten of these (`cost`). */
#include "factor/plan.h"
#include "factor/row.h"
#include "factor/tile.h"
#include "matrix/descent.h"
#include "matrix/parallel.h"
#include "matrix/pass.h"

#include <math.h>
#include <string.h>

/* The tile becomes R; returns the weighted loss of the block when asked. */
static double make_ratio(const tsr__solver *s, const tsr__block *block, tsr__lane *lane,
                         bool valued)
{
    double sum = 0;
    for (int64_t i = 0; i < block->samples; i++) {
        const double w = tsr__row_weight(s, block->first + i);
        sum +=
            w * tsr__kernels_for(s)->ratio(tsr__real_at(s, lane->tile[0], i * block->features),
                                           tsr__real_at(s, block->values, i * block->stride),
                                           block->features, valued);
    }
    return sum;
}

/* Sparse rows make y, its quotient and the product entry by entry and keep nothing; a dense
 * block has y from one product, which is worth a tile. */
static void project(const tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    if (block->sparse) {
        const tsr__gather x = tsr__block_gather(block, s->state.basis, s->k);
        (void)tsr__gathers_of(s->type)->ratio(lane->projection, &x,
                                              tsr__codes_at(s, block->first), false);
        return;
    }
    tsr__tile_product(s, block, lane->tile[0]);
    (void)make_ratio(s, block, lane, false);
    const tsr__block tile = tsr__tile_block(block, lane->tile[0]);
    tsr__block_project(lane->projection, &tile, tsr__basis_at(s, block), s->k,
                       block->from == 0);
}

/* flat rows = 1' F over the known entries. Whole rows are all alike: the sums are made once, by
 * the map. */
static void fill_flat(const tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    const tsr__known_rows features = tsr__known_features(s);
    const double *sums = s->state.metric.Ft1;
    for (int64_t i = 0; i < block->samples; i++) {
        if (s->problem->missing != NULL) {
            sums = tsr__bench_of(s, lane)->known.sums;
            tsr__known_sums(tsr__bench_of(s, lane)->known.sums, &features, block->first + i,
                            s->state.metric.Ft1);
        }
        tsr__kernels_for(s)->narrow(tsr__real_at(s, lane->halves.flat, i * s->k), sums, s->k);
    }
}

static void codes(const tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    const int64_t count = block->samples * s->k;
    memcpy(lane->halves.minus, lane->projection, tsr__real_bytes(s, count));
    memset(lane->halves.curved, 0, tsr__real_bytes(s, count));
    fill_flat(s, block, lane);
    if (s->problem->weight != NULL) {
        const void *w = tsr__real_at(s, s->problem->weight, block->first);
        kernels->scale_rows(lane->halves.minus, lane->halves.minus, w, block->samples, s->k);
        kernels->scale_rows(lane->halves.flat, lane->halves.flat, w, block->samples, s->k);
    }
}

/* sum w (x log(x / y) - x) over the entries of a sparse block; with missing values + y of the
 * known ones, which else is a product of sums. Row by row, for every row has a weight. Where
 * blocks are summed, R' w G comes along. */
static double value_of(const tsr__solver *s, const tsr__block *block, const tsr__lane *lane)
{
    const tsr__known_rows features = tsr__known_features(s);
    const tsr__gathers *gathers = tsr__gathers_of(s->type);
    double sum = 0;
    for (int64_t i = 0; i < block->samples; i++) {
        tsr__gather x = tsr__block_gather(block, s->state.basis, s->k);
        const void *g = tsr__real_at(s, tsr__codes_at(s, block->first), i * s->k);
        x.rows += i, x.samples = 1;
        const double w = tsr__row_weight(s, block->first + i);
        sum += w * (lane->to.XtG != NULL ? gathers->deal(lane->to.XtG, &x, g, w)
                                         : gathers->ratio(NULL, &x, g, true));
        if (s->problem->missing == NULL)
            continue;
        double *sums = tsr__bench_of(s, lane)->known.sums;
        tsr__known_sums(sums, &features, block->first + i, s->state.metric.Ft1);
        for (int64_t j = 0; j < s->k; j++)
            sum += w * sums[j] * tsr__real_get(s, g, j);
    }
    return sum;
}

/* Dense blocks have R in hand once J is made, so that its product with G comes along. Sparse
 * blocks leave XtG to the turned data where there are such, and where the basis descends nobody
 * needs it at all (plan->collects). */
static void accumulate(const tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    if (block->sparse) {
        *lane->to.loss += value_of(s, block, lane);
        return;
    }
    tsr__tile_product(s, block, lane->tile[0]);
    *lane->to.loss += make_ratio(s, block, lane, true);
    const tsr__block tile = tsr__tile_block(block, lane->tile[0]);
    tsr__block_collect(lane->to.XtG, &tile, tsr__weighted(s, block, lane), s->k);
}

static void tally(const tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    tsr__kernels_for(s)->add_column_sums(lane->to.Gt1, tsr__weighted(s, block, lane), NULL,
                                         block->samples, s->k);
}

/* The turned data hold w x, so that the quotient is w R and the codes enter without their
 * weights. */
static void collect(tsr__solver *s, const tsr__block *block)
{
    const tsr__gather x = tsr__block_gather(block, s->state.codes, s->k);
    const int64_t at = block->first * s->k;
    (void)tsr__gathers_of(s->type)->ratio(tsr__real_at(s, s->state.sums.XtG, at), &x,
                                          tsr__real_at(s, s->state.basis, at), false);
}

/* One thread: the sums of features with missing entries are O(missing k), little beside the
 * products. */
static void basis(const tsr__solver *s, tsr__halves *halves)
{
    const int64_t count = s->m * s->k;
    memcpy(halves->minus, s->state.sums.XtG, tsr__real_bytes(s, count));
    memset(halves->curved, 0, tsr__real_bytes(s, count));
    const tsr__known_rows samples = tsr__known_samples(s);
    const double *sums = s->state.sums.Gt1;
    for (int64_t i = 0; i < s->m; i++) {
        if (s->problem->missing != NULL) {
            sums = s->work.bench[0].known.sums;
            tsr__known_sums(s->work.bench[0].known.sums, &samples, i, s->state.sums.Gt1);
        }
        tsr__kernels_for(s)->narrow(tsr__real_at(s, halves->flat, i * s->k), sums, s->k);
    }
}

/* With missing values every row of a block has sums of its own; `of` is the other factor. They
 * are made from the shared ones, at which the descent still points until all are there. */
static void take_sums(tsr__entropy *descent, const tsr__solver *s, const tsr__known *known,
                      const tsr__known_rows *of, int64_t first, int64_t rows)
{
    if (s->problem->missing == NULL)
        return;
    for (int64_t i = 0; i < rows; i++)
        tsr__known_sums(known->sums + i * s->k, of, first + i, descent->sums);
    descent->sums = known->sums;
    descent->sums_stride = s->k;
}

/* Dense rows get their pull as they come from products of the whole block; a sparse row gathers
 * its own in passing. */
static void descend_codes(const tsr__solver *s, const tsr__block *block, tsr__lane *lane,
                          const void *slope, const void *bend)
{
    const tsr__known_rows features = tsr__known_features(s);
    tsr__entropy descent = {.theta = tsr__codes_at(s, block->first),
                            .x = tsr__block_gather(block, s->state.basis, s->k),
                            .turned = s->work.turned_basis,
                            .width = s->m,
                            .stride = block->stride,
                            .sums = s->state.metric.Ft1,
                            .pull = block->sparse ? NULL : lane->projection,
                            .weight = s->problem->weight != NULL
                                          ? tsr__real_at(s, s->problem->weight, block->first)
                                          : NULL,
                            .slope = slope,
                            .bend = bend,
                            .unit = s->problem->rho,
                            .work = tsr__bench_of(s, lane)->room,
                            .sweeps = s->sweeps};
    take_sums(&descent, s, &tsr__bench_of(s, lane)->known, &features, block->first,
              block->samples);
    tsr__descents_of(s->type)->entropy(&descent);
}

/* A block of the turned data: its rows are features, its factor is the codes. XtG is of the
 * factors as they are, for the last pass ended with it, and so is the pull. Weights are in the
 * values and in Gt1: w x log(f g) sees the codes themselves. */
static void descend_features(tsr__solver *s, const tsr__block *block, const void *turned,
                             int thread)
{
    const tsr__known_rows samples = tsr__known_samples(s);
    const int64_t at = block->first * s->k;
    tsr__entropy descent = {.theta = tsr__real_at(s, s->state.basis, at),
                            .x = tsr__block_gather(block, s->state.codes, s->k),
                            .turned = turned,
                            .width = s->n,
                            .stride = block->stride,
                            .sums = s->state.sums.Gt1,
                            .pull =
                                block->sparse ? NULL : tsr__real_at(s, s->state.sums.XtG, at),
                            .unit = s->problem->rho,
                            .work = s->work.bench[thread].room,
                            .sweeps = s->plan->basis.sweeps};
    tsr__basis_bend(s, &s->work.bench[thread], block->first, block->samples, &descent.slope,
                    &descent.bend);
    take_sums(&descent, s, &s->work.bench[thread].known, &samples, block->first,
              block->samples);
    tsr__descents_of(s->type)->entropy(&descent);
}

static void descend_sparse(void *context, const tsr__block *block, int thread)
{
    tsr__solver *s = context;
    descend_features(s, block, NULL, thread);
}

/* Some features of all samples, times the weights, as rows of a panel. A feature's values are a
 * sample's length apart: eight doubles, a cache line, are taken of each sample while it is
 * there. */
static void descend_panel(void *context, int64_t item, int thread)
{
    tsr__solver *s = context;
    const tsr__kernels *kernels = tsr__kernels_for(s);
    const int64_t first = item * TSR_PANEL, left = s->m - first;
    const tsr__block rows = {.first = first,
                             .samples = left < TSR_PANEL ? left : TSR_PANEL,
                             .features = s->n,
                             .stride = tsr__padded(s->n),
                             .type = s->type,
                             .values = s->work.bench[thread].panel};
    for (int64_t b = 0; b < s->problem->by_sample.blocks; b++) {
        tsr__block block;
        if (s->problem->by_sample.get(&block, &s->problem->by_sample, b, thread) < 0)
            return; /* the pass that follows will tell */
        kernels->transpose(tsr__real_at(s, s->work.bench[thread].panel, block.first),
                           rows.stride, tsr__real_at(s, block.values, first), block.stride,
                           block.samples, rows.samples);
    }
    for (int64_t j = 0; s->problem->weight != NULL && j < rows.samples; j++) {
        void *row = tsr__real_at(s, s->work.bench[thread].panel, j * rows.stride);
        kernels->scale_rows(row, row, s->problem->weight, s->n, 1);
    }
    descend_features(s, &rows, s->work.turned_codes, thread);
}

/* Descent takes a coordinate at a time over all entries: turned, these stand one after
 * another. */
static void turn(const tsr__solver *s, void *to, const void *factor, int64_t rows)
{
    tsr__kernels_for(s)->transpose(to, tsr__padded(rows), factor, s->k, rows, s->k);
}

static void descend_basis(tsr__solver *s)
{
    if (s->problem->by_sample.sparse) {
        tsr__solver_note(
            s, tsr__visit_blocks(&s->problem->by_feature, s->plan->threads, descend_sparse, s));
    } else {
        turn(s, s->work.turned_codes, s->state.codes, s->n);
        tsr__parallel((s->m + TSR_PANEL - 1) / TSR_PANEL, s->plan->threads, descend_panel, s);
    }
}

/* Before a pass: what dense rows share. */
static void prepare(tsr__solver *s)
{
    if (s->work.turned_basis != NULL)
        turn(s, s->work.turned_basis, s->state.basis, s->m);
}

/* Sparse: the sum of y over all n m entries is a product of sums, k operations. */
static double value(const tsr__solver *s)
{
    double sum = *s->state.totals.loss;
    for (int64_t j = 0; s->problem->by_sample.sparse && s->problem->missing == NULL && j < s->k;
         j++)
        sum += s->state.sums.Gt1[j] * s->state.metric.Ft1[j];
    return sum;
}

/* At the fixed point sum x = sum y, and XtG is R' G. KL of a y is a sum y - log a sum x and a
 * constant, least at a = sum x / sum y, weights included. */
static void fit_size(double *up, double *down, const tsr__solver *s)
{
    *up = tsr__with_basis(s, s->state.totals.XtG, s->state.sums.XtG);
    *down = 0;
    for (int64_t j = 0; j < s->k; j++)
        *down += s->state.sums.Gt1[j] * s->state.metric.Ft1[j];
}

/* The - x of an entry is left out: it is linear, so that group means have the same sum
 * (tied.c). */
static double own(double x)
{
    return x > 0 ? x * log(x) : 0;
}

static int64_t room(int64_t k, int64_t longest, bool sparse)
{
    return longest > 0 ? tsr__entropy_room(k, longest, sparse) : tsr__descent_room(k);
}

const tsr__loss tsr__loss_kl = {
    .name = "kl",
    .title = "KL",
    .formula = "KL(%s, %s)",
    .degree = 1,
    .power = 1,
    .step = 1,
    .floor = 1e-8,
    .elastic = 1,
    .tiles = 1,
    .sweeps = 4,
    .passes = 2,
    .cost = {2, 20},
    .own = own,
    .room = room,
    .prepare = prepare,
    .project = project,
    .codes = codes,
    .accumulate = accumulate,
    .tally = tally,
    .collect = collect,
    .basis = basis,
    .descend_codes = descend_codes,
    .descend_basis = descend_basis,
    .fit_size = fit_size,
    .row = tsr__row_entropy,
    .row_room = tsr__row_entropy_room,
    .value = value,
};
