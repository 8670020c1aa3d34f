/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Maps from what is updated to the basis that the loss sees.
 *
 *     free      F itself                                     gram = F' F
 *     concept   F = X W, W >= 0 (samples x k)                halves of W = X' (halves of F)
 *     kernel    only K = X' X is known: the loss runs on K   lift = K W, gram = W' K W
 *     signed    the same for K of either sign, K = K+ - K-   (Xu & Gong 2004)
 *
 * The data of a kernel model are K itself, W stands in the basis's place, and products with the
 * basis's metric (lift) replace the basis wherever a gradient is formed. No n x n matrix is
 * needed but a kernel the user asked for, or one of either sign. */
#include "factor/solver.h"
#include "matrix/descent.h"
#include "matrix/pass.h"

#include <string.h>

static void push_sums(tsr__solver *s)
{
    memset(s->column_sum, 0, (size_t)s->k * sizeof *s->column_sum);
    tsr__kernels_for(s)->add_column_sums(s->column_sum, s->basis, NULL, s->m, s->k);
}

static void push_free(tsr__solver *s)
{
    tsr__gram(s, s->gram, s->basis, s->basis, s->m, true);
    push_sums(s);
}

static void pull_free(tsr__solver *s, tsr__halves *halves)
{
    (void)s;
    (void)halves;
}

/* F = X' W on rows; the atoms' first lane is the product. */
static void push_concept(tsr__solver *s)
{
    tsr__source_collect(s->atom_lanes, &s->atoms, s->weights, s->k, s->threads);
    memcpy(s->basis, s->atom_lanes, (size_t)(s->m * s->k) * tsr__type_size(s->type));
    push_free(s);
}

static void *pull_half(const tsr__solver *s, void *to, const void *half)
{
    if (half == NULL)
        return NULL;
    tsr__source_project(to, &s->atoms, half, s->k, s->threads);
    return to;
}

static void pull_concept(tsr__solver *s, tsr__halves *halves)
{
    *halves = (tsr__halves){
        .minus = pull_half(s, s->pulled.minus, halves->minus),
        .flat = pull_half(s, s->pulled.flat, halves->flat),
        .curved = pull_half(s, s->pulled.curved, halves->curved),
        .quartic = pull_half(s, s->pulled.quartic, halves->quartic),
    };
}

/* Rows of a real array, k apart, into rows `stride` apart. */
static void spread_rows(const tsr__solver *s, void *to, int64_t stride, const void *from,
                        int64_t rows)
{
    for (int64_t i = 0; i < rows; i++)
        memcpy(tsr__real_at(s, to, i * stride), tsr__real_at(s, from, i * s->k),
               (size_t)s->k * tsr__type_size(s->type));
}

/* B = G' w G, and on its diagonal half of what a longer vector costs (update.c) and of the ridge:
 * both are quadratic in F. */
static void weave_gram(const tsr__solver *s)
{
    const bool priced = s->scale == TSR_SCALE_MODEL;
    for (int64_t j = 0; j < s->k; j++) {
        const double price = priced ? s->columns[j] + 2 * s->columns[s->k + j] : 0;
        void *at = tsr__real_at(s, s->spread_lanes, j * s->k + j);
        tsr__real_set(s, at, 0, tsr__real_get(s, at, 0) + (price + s->basis_ridge) / 2);
    }
    spread_rows(s, s->woven_gram, tsr__padded(s->k), s->spread_lanes, s->k);
}

/* Sample by sample, with D = F B - A kept up to date: no n x n matrix. The samples of a block
 * follow each other, so there is nothing to share between threads. */
static void descend_concept(tsr__solver *s)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    const int64_t stride = tsr__padded(s->k);
    tsr__weave w = {.residual = s->woven,
                    .gram = s->woven_gram,
                    .work = s->room[0],
                    .k = s->k,
                    .stride = stride,
                    .sweeps = 3};
    weave_gram(s);
    tsr__times(s, s->halves.curved, 1, s->basis, s->spread_lanes, s->m, s->k, s->k);
    kernels->add(s->halves.curved, -1, s->collect_lanes, s->m * s->k);
    for (int64_t i = 0; s->basis_lasso > 0 && i < s->m * s->k; i++)
        tsr__real_set(s, s->halves.curved, i,
                      tsr__real_get(s, s->halves.curved, i) + s->basis_lasso / 2);
    spread_rows(s, s->woven, stride, s->halves.curved, s->m);
    for (int sweep = 0; sweep < s->basis_sweeps; sweep++) {
        for (int64_t b = 0; b < s->atoms.blocks; b++) {
            tsr__block block;
            (void)s->atoms.get(&block, &s->atoms, b);
            for (int64_t i = 0; i < block.samples; i++) {
                const int64_t at = block.sparse ? block.rows[i] : i * block.stride;
                w.x = tsr__real_at(s, block.values, at);
                w.columns = block.sparse ? block.columns + at : NULL;
                w.count = block.sparse ? block.rows[i + 1] - at : block.features;
                w.square = kernels->dot(w.x, w.x, w.count);
                w.weights = tsr__real_at(s, s->weights, (block.first + i) * s->k);
                tsr__descents_of(s->type)->weave(&w);
            }
        }
    }
}

/* The weights are the basis here: m = n, and the atoms are the rows of K. */
static void push_kernel(tsr__solver *s)
{
    tsr__source_project(s->lift, &s->atoms, s->basis, s->k, s->threads);
    tsr__gram(s, s->gram, s->basis, s->lift, s->m, true);
    push_sums(s);
}

/* lift = K+ W and lift_negative = |K-| W, entry by entry of a block of K. */
static void split_block(void *context, const tsr__block *block, int64_t lane)
{
    tsr__solver *s = context;
    (void)lane;
    for (int64_t i = 0; i < block->samples; i++) {
        void *up = tsr__real_at(s, s->lift, (block->first + i) * s->k);
        void *down = tsr__real_at(s, s->lift_negative, (block->first + i) * s->k);
        memset(up, 0, (size_t)s->k * tsr__type_size(s->type));
        memset(down, 0, (size_t)s->k * tsr__type_size(s->type));
        for (int64_t j = 0; j < block->features; j++) {
            const double v = tsr__real_get(s, block->values, i * block->stride + j);
            tsr__kernels_for(s)->add(v > 0 ? up : down, v > 0 ? v : -v,
                                     tsr__real_at(s, s->basis, j * s->k), s->k);
        }
    }
}

static void push_signed(tsr__solver *s)
{
    tsr__visit_blocks(&s->atoms, s->threads, split_block, s);
    tsr__gram(s, s->gram, s->basis, s->lift, s->m, true);
    tsr__gram(s, s->gram_negative, s->basis, s->lift_negative, s->m, true);
    push_sums(s);
}

const tsr__map tsr__map_free = {"free", push_free, pull_free, NULL};
const tsr__map tsr__map_concept = {"concept", push_concept, pull_concept, descend_concept};
const tsr__map tsr__map_kernel = {"kernel", push_kernel, pull_free, NULL};
const tsr__map tsr__map_signed = {"signed kernel", push_signed, pull_free, NULL};
