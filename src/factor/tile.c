/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What losses share that work on a block, or on a tile of it: its product, its projection, its
 * weights. 2 block features k operations for either product. */
#include "factor/tile.h"

#include "factor/plan.h"
#include "factor/strip.h"
#include "matrix/blas.h"

/* The product is made whole and then cleared where nothing is known: zeros let losses and sums
 * go on without asking. Values that are missing come with whole rows (plan.c). */
void tsr__tile_product(const tsr__solver *s, const tsr__block *block, void *tile)
{
    const tsr_matrix *missing = s->problem->missing;
    const tsr__product product = {.transpose_b = true,
                                  .rows = block->samples,
                                  .columns = block->features,
                                  .inner = s->k,
                                  .alpha = 1,
                                  .a = tsr__codes_at(s, block->first),
                                  .b = tsr__basis_at(s, block),
                                  .c = tile,
                                  .lda = s->k,
                                  .ldb = s->k,
                                  .ldc = block->features};
    tsr__multiply_dense(s->type, &product);
    for (int64_t i = 0; missing != NULL && i < block->samples; i++)
        for (int64_t at = missing->rows[block->first + i];
             at < missing->rows[block->first + i + 1]; at++)
            tsr__real_set(s, tile, i * s->m + missing->columns[at], 0);
}

/* So that the products of matrix/pass.h serve tiles as they serve data. */
tsr__block tsr__tile_block(const tsr__block *block, const void *tile)
{
    tsr__block as = *block;
    as.values = tile;
    as.stride = block->features;
    return as;
}

void tsr__project(const tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    for (int64_t from = 0; from < s->m; from += s->plan->tile) {
        const tsr__block tile = tsr__block_tile(block, from, s->plan->tile);
        s->plan->loss->project(s, &tile, lane);
    }
}

const void *tsr__weighted(const tsr__solver *s, const tsr__block *block, const tsr__lane *lane)
{
    const void *g = tsr__codes_at(s, block->first);
    if (s->problem->weight == NULL)
        return g;
    tsr__kernels_for(s)->scale_rows(lane->weighted, g,
                                    tsr__real_at(s, s->problem->weight, block->first),
                                    block->samples, s->k);
    return lane->weighted;
}

double tsr__with_basis(const tsr__solver *s, const double *total, const void *sum)
{
    const int64_t count = s->m * s->k;
    double strip[TSR_STRIP], dot = 0;
    if (s->type == TSR_FLOAT64 || total == NULL)
        return tsr__kernels_for(s)->dot(sum, s->state.basis, count);
    for (int64_t i = 0; i < count; i = tsr__strip_end(i, count)) {
        const int64_t some = tsr__strip_end(i, count) - i;
        tsr__widen(strip, s, s->state.basis, i, some);
        dot += tsr__kernels_of(TSR_FLOAT64)->dot(strip, total + i, some);
    }
    return dot;
}
