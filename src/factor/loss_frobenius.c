/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Frobenius loss: sum_i w_i ||x_i - F g_i||^2 over the samples.
 *
 *     codes    minus += 2 w X F       curved += 2 w G (F' F)
 *     basis    minus += 2 X' w G      curved += 2 F (G' w G)
 *     value    sum w x^2 - 2 <X' w G, F> + <F' F, G' w G>
 *
 * A pass collects X' w G and G' w G, so the value costs nothing more. Missing entries enter the
 * data as zeros; what the plain formulas add for them (products y f and y g, squares y^2) is
 * taken away again entry by entry. With a kernel in place of X' X, F stands for the concept
 * weights W, `lift` for K W and `gram` for W' K W. Lee & Seung 2000; cost 4 n m k a pass. */
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

/* Does something at every missing entry: sample `row`, feature `j`, where F g is y. */
typedef void (*missing_entry)(const tsr__solver *s, const tsr__block *block, tsr__lane *lane,
                              int64_t row, int64_t j, double y);

static void over_missing(const tsr__solver *s, const tsr__block *block, tsr__lane *lane,
                         missing_entry entry)
{
    const tsr_matrix *gone = s->missing;
    for (int64_t row = block->first; row < block->first + block->samples; row++) {
        const void *g = tsr__real_at(s, s->codes, row * s->k);
        for (int64_t at = gone->rows[row]; at < gone->rows[row + 1]; at++) {
            const void *f = tsr__real_at(s, s->basis, gone->columns[at] * s->k);
            entry(s, block, lane, row, gone->columns[at], tsr__kernels_for(s)->dot(g, f, s->k));
        }
    }
}

static double weight_of(const tsr__solver *s, int64_t row)
{
    return s->weight != NULL ? tsr__real_get(s, s->weight, row) : 1;
}

static void without_in_codes(const tsr__solver *s, const tsr__block *block, tsr__lane *lane,
                             int64_t row, int64_t j, double y)
{
    tsr__kernels_for(s)->add(tsr__real_at(s, lane->halves.curved, (row - block->first) * s->k),
                             -2 * weight_of(s, row) * y, tsr__real_at(s, s->basis, j * s->k),
                             s->k);
}

static void without_in_basis(const tsr__solver *s, const tsr__block *block, tsr__lane *lane,
                             int64_t row, int64_t j, double y)
{
    const double w = weight_of(s, row);
    (void)block;
    tsr__kernels_for(s)->add(tsr__real_at(s, lane->lost, j * s->k), w * y,
                             tsr__real_at(s, s->codes, row * s->k), s->k);
    lane->value -= w * y * y;
}

static void clamp(const tsr__solver *s, void *half, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (tsr__real_get(s, half, i) < 0)
            tsr__real_set(s, half, i, 0);
}

static void codes(const tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    const int64_t count = block->samples * s->k;
    const size_t bytes = (size_t)count * tsr__type_size(s->type);
    memcpy(lane->halves.minus, lane->projection, bytes);
    memset(lane->halves.flat, 0, bytes);
    kernels->scale(lane->halves.minus, 2, count);
    tsr__times(s, lane->halves.curved, 2, rows_of(s, block), s->gram, block->samples, s->k,
               s->k);
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
    if (s->missing != NULL) {
        over_missing(s, block, lane, without_in_codes);
        clamp(s, lane->halves.curved, count); /* a difference of equals may round below zero */
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
        over_missing(s, block, lane, without_in_basis);
}

static void collect(tsr__solver *s, const tsr__block *block, int64_t lane)
{
    (void)lane;
    tsr__block_project(tsr__real_at(s, s->collect_lanes, block->first * s->k), block, s->codes,
                       s->k);
}

static void basis(const tsr__solver *s, tsr__halves *halves)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    const int64_t count = s->m * s->k;
    memcpy(halves->minus, s->collect_lanes, (size_t)count * tsr__type_size(s->type));
    kernels->scale(halves->minus, 2, count);
    memset(halves->flat, 0, (size_t)count * tsr__type_size(s->type));
    tsr__times(s, halves->curved, 2, s->lift, s->spread_lanes, s->m, s->k, s->k);
    if (s->lift_negative != NULL)
        tsr__times(s, halves->anti, 2, s->lift_negative, s->spread_lanes, s->m, s->k, s->k);
    if (s->missing != NULL) {
        kernels->add(halves->curved, -2, s->lost_lanes, count);
        clamp(s, halves->curved, count);
    }
}

static void descend_codes(const tsr__solver *s, const tsr__block *block, tsr__lane *lane,
                          const void *slope, const void *bend)
{
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
    tsr__descents_of(s->type)->squares(&descent);
}

enum { CHUNK = 256 }; /* rows of the basis that a thread takes at a time */

/* Rows of the basis from the sums; the halves serve as workspace. */
static void descend_rows(void *context, int64_t item, int thread)
{
    tsr__solver *s = context;
    const int64_t first = item * CHUNK, at = first * s->k;
    const int64_t rows = s->m - first < CHUNK ? s->m - first : CHUNK;
    tsr__descent descent = {.theta = tsr__real_at(s, s->basis, at),
                            .projection = tsr__real_at(s, s->collect_lanes, at),
                            .gram = s->spread_lanes,
                            .work = s->room[thread],
                            .rows = rows,
                            .k = s->k,
                            .sweeps = s->basis_sweeps};
    if (s->basis_lasso > 0 || s->basis_ridge > 0) {
        descent.slope = tsr__real_at(s, s->halves.flat, at);
        descent.bend = tsr__real_at(s, s->halves.minus, at);
        for (int64_t i = at; i < at + rows * s->k; i++) {
            tsr__real_set(s, s->halves.flat, i,
                          s->basis_lasso + s->basis_ridge * tsr__real_get(s, s->basis, i));
            tsr__real_set(s, s->halves.minus, i, s->basis_ridge);
        }
    }
    tsr__descents_of(s->type)->squares(&descent);
}

static void descend_basis(tsr__solver *s)
{
    tsr__parallel((s->m + CHUNK - 1) / CHUNK, s->threads, descend_rows, s);
}

static double value(const tsr__solver *s)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    double lost = 0;
    for (int64_t lane = 0; lane < s->lanes; lane++)
        lost += s->lane[lane].value;
    if (s->gram_negative != NULL)
        lost -= kernels->dot(s->gram_negative, s->spread_lanes, s->k * s->k);
    const double sum = s->square - 2 * kernels->dot(s->collect_lanes, s->basis, s->m * s->k) +
                       kernels->dot(s->gram, s->spread_lanes, s->k * s->k) + lost;
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
