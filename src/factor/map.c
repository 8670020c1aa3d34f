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

const tsr__map tsr__map_free = {"free", push_free, pull_free};
const tsr__map tsr__map_concept = {"concept", push_concept, pull_concept};
const tsr__map tsr__map_kernel = {"kernel", push_kernel, pull_free};
const tsr__map tsr__map_signed = {"signed kernel", push_signed, pull_free};
