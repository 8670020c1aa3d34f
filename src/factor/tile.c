/* SPDX-License-Identifier: BSD-2-Clause
 *
 * See tile.h. */
#include "factor/tile.h"

#include "matrix/blas.h"

/* The product is made whole and then cleared where nothing is known: zeros let losses and sums
 * go on without asking. */
void tsr__tile_product(const tsr__solver *s, const tsr__block *block, void *tile)
{
    const tsr_matrix *missing = s->problem->missing;
    const tsr__product product = {.transpose_b = true,
                                  .rows = block->samples,
                                  .columns = s->m,
                                  .inner = s->k,
                                  .alpha = 1,
                                  .a = tsr__codes_at(s, block->first),
                                  .b = s->state.basis,
                                  .c = tile,
                                  .lda = s->k,
                                  .ldb = s->k,
                                  .ldc = s->m};
    tsr__multiply_dense(s->type, &product);
    for (int64_t i = 0; missing != NULL && i < block->samples; i++)
        for (int64_t at = missing->rows[block->first + i];
             at < missing->rows[block->first + i + 1]; at++)
            tsr__real_set(s, tile, i * s->m + missing->columns[at], 0);
}

/* So that the products of matrix/pass.h serve tiles as they serve data. */
tsr__block tsr__tile_block(const tsr__solver *s, const tsr__block *block, const void *tile)
{
    tsr__block as = *block;
    as.values = tile;
    as.stride = s->m;
    return as;
}
