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
 * `gram` for W' K W. Lee & Seung 2000; cost 4 n m k a pass. */
#include "factor/solver.h"
#include "matrix/descent.h"
#include "matrix/parallel.h"
#include "matrix/pass.h"

#include <string.h>

static const void *rows_of(const tsr__solver *s, const tsr__block *block)
{
    return tsr__real_at(s, s->codes, block->first * s->k);
}

static void project(const tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    tsr__block_project(lane->projection, block, s->basis, s->k);
}

static double weight_of(const tsr__solver *s, int64_t row)
{
    return s->weight != NULL ? tsr__real_get(s, s->weight, row) : 1;
}

/* sum w (x^2 - 2 g p + g Q g') over the rows of a block, each with its own Q. */
static double known_value(const tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    const tsr__known_rows features = tsr__known_features(s);
    const tsr__known *known = &s->known[lane - s->lane];
    double sum = 0;
    project(s, block, lane);
    for (int64_t i = 0; i < block->samples; i++) {
        const int64_t row = block->first + i, at = block->sparse ? block->rows[i] : 0;
        const int64_t count = block->sparse ? block->rows[i + 1] - at : block->features;
        const void *x = tsr__real_at(s, block->values, block->sparse ? at : i * block->stride);
        const void *g = tsr__real_at(s, s->codes, row * s->k);
        double loss = kernels->dot(x, x, count) -
                      2 * kernels->dot(g, tsr__real_at(s, lane->projection, i * s->k), s->k);
        tsr__known_gram(known, &features, row, s->gram);
        for (int64_t a = 0; a < s->k; a++)
            loss += tsr__real_get(s, g, a) *
                    kernels->dot(g, tsr__real_at(s, known->gram, a * tsr__padded(s->k)), s->k);
        sum += weight_of(s, row) * loss;
    }
    return sum;
}

static void codes(const tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    const int64_t count = block->samples * s->k;
    const size_t bytes = (size_t)count * tsr__type_size(s->type);
    memcpy(lane->halves.minus, lane->projection, bytes);
    memset(lane->halves.flat, 0, bytes);
    kernels->scale(lane->halves.minus, 2, count);
    if (s->missing != NULL) {
        const tsr__known_rows features = tsr__known_features(s);
        tsr__known_times(lane->halves.curved, 2, &s->known[lane - s->lane], &features,
                         block->first, block->samples, rows_of(s, block), s->gram);
    } else {
        tsr__times(s, lane->halves.curved, 2, rows_of(s, block), s->gram, block->samples, s->k,
                   s->k);
    }
    if (s->gram_negative != NULL)
        tsr__times(s, lane->halves.anti, 2, rows_of(s, block), s->gram_negative, block->samples,
                   s->k, s->k);
    if (s->weight != NULL) {
        const void *w = tsr__real_at(s, s->weight, block->first);
        kernels->scale_rows(lane->halves.minus, lane->halves.minus, w, block->samples, s->k);
        if (s->gram_negative != NULL)
            kernels->scale_rows(lane->halves.anti, lane->halves.anti, w, block->samples, s->k);
        kernels->scale_rows(lane->halves.curved, lane->halves.curved, w, block->samples, s->k);
    }
}

static void accumulate(const tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    const void *g = rows_of(s, block), *h = g;
    if (s->weight != NULL) {
        tsr__kernels_for(s)->scale_rows(
            lane->weighted, g, tsr__real_at(s, s->weight, block->first), block->samples, s->k);
        h = lane->weighted;
    }
    if (s->turned.blocks == 0)
        tsr__block_collect(lane->collect, block, h, s->k, false);
    tsr__gram(s, lane->spread, g, h, block->samples, false);
    if (s->missing != NULL)
        lane->value += known_value(s, block, lane);
}

static void collect(tsr__solver *s, const tsr__block *block, int64_t lane)
{
    (void)lane;
    tsr__block_project(tsr__real_at(s, s->collect_lanes, block->first * s->k), block, s->codes,
                       s->k);
}

enum { CHUNK = 256 }; /* rows of the basis that a thread takes at a time */

struct features {
    const tsr__solver *s;
    void *curved;
};

static void times_features(void *context, int64_t item, int thread)
{
    const struct features *f = context;
    const tsr__solver *s = f->s;
    const int64_t first = item * CHUNK, left = s->m - first, at = first * s->k;
    const tsr__known_rows samples = tsr__known_samples(s);
    tsr__known_times(tsr__real_at(s, f->curved, at), 2, &s->known[thread], &samples, first,
                     left < CHUNK ? left : CHUNK, tsr__real_at(s, s->basis, at),
                     s->spread_lanes);
}

static void basis(const tsr__solver *s, tsr__halves *halves)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    const int64_t count = s->m * s->k;
    memcpy(halves->minus, s->collect_lanes, (size_t)count * tsr__type_size(s->type));
    kernels->scale(halves->minus, 2, count);
    memset(halves->flat, 0, (size_t)count * tsr__type_size(s->type));
    if (s->missing != NULL) {
        struct features f = {s, halves->curved};
        tsr__parallel((s->m + CHUNK - 1) / CHUNK, s->threads, times_features, &f);
        return;
    }
    tsr__times(s, halves->curved, 2, s->lift, s->spread_lanes, s->m, s->k, s->k);
    if (s->lift_negative != NULL)
        tsr__times(s, halves->anti, 2, s->lift_negative, s->spread_lanes, s->m, s->k, s->k);
}

/* Row i of a run of rows. */
static const void *row_of(const tsr__solver *s, const void *rows, int64_t i, int64_t width)
{
    return rows != NULL ? tsr__real_at(s, rows, i * width) : NULL;
}

/* Rows first .. of a factor with missing values, each against its own Q; `of` is the other one. */
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
    tsr__descent descent = {.theta = tsr__real_at(s, s->codes, block->first * s->k),
                            .projection = lane->projection,
                            .gram = s->gram,
                            .slope = slope,
                            .bend = bend,
                            .work = s->room[lane - s->lane],
                            .rows = block->samples,
                            .k = s->k,
                            .sweeps = s->codes_sweeps};
    project(s, block, lane);
    if (s->weight != NULL)
        descent.weight = tsr__real_at(s, s->weight, block->first);
    if (s->missing != NULL)
        descend_known(s, &s->known[lane - s->lane], &features, block->first, &descent);
    else
        tsr__descents_of(s->type)->squares(&descent);
}

/* Rows of the basis from the sums; the halves serve as workspace. */
static void descend_rows(void *context, int64_t item, int thread)
{
    tsr__solver *s = context;
    const tsr__known_rows samples = tsr__known_samples(s);
    const int64_t first = item * CHUNK, at = first * s->k;
    const int64_t rows = s->m - first < CHUNK ? s->m - first : CHUNK;
    tsr__descent descent = {.theta = tsr__real_at(s, s->basis, at),
                            .projection = tsr__real_at(s, s->collect_lanes, at),
                            .gram = s->spread_lanes,
                            .work = s->room[thread],
                            .rows = rows,
                            .k = s->k,
                            .sweeps = s->basis_sweeps};
    tsr__basis_bend(s, first, rows, &descent.slope, &descent.bend);
    if (s->missing != NULL)
        descend_known(s, &s->known[thread], &samples, first, &descent);
    else
        tsr__descents_of(s->type)->squares(&descent);
}

static void descend_basis(tsr__solver *s)
{
    tsr__parallel((s->m + CHUNK - 1) / CHUNK, s->threads, descend_rows, s);
}

static double value(const tsr__solver *s)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    double sum = 0;
    if (s->missing != NULL) {
        for (int64_t lane = 0; lane < s->lanes; lane++)
            sum += s->lane[lane].value;
    } else {
        sum = s->square - 2 * kernels->dot(s->collect_lanes, s->basis, s->m * s->k) +
              kernels->dot(s->gram, s->spread_lanes, s->k * s->k);
        if (s->gram_negative != NULL)
            sum -= kernels->dot(s->gram_negative, s->spread_lanes, s->k * s->k);
    }
    return sum < 0 ? 0 : sum; /* a perfect fit is a difference of equals; NaN stays NaN */
}

const tsr__loss tsr__loss_frobenius = {
    .name = "frobenius",
    .logarithmic = false,
    .project = project,
    .codes = codes,
    .accumulate = accumulate,
    .collect = collect,
    .descend_codes = descend_codes,
    .descend_basis = descend_basis,
    .basis = basis,
    .value = value,
};
