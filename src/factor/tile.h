/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Tiles: what F G' is at the entries of a dense block, or of some of its features, for losses
 * that need it entry by entry.
 *
 * A tile is as large as its block, so that both share the cache; G F' as a whole would be as
 * large as dense data. Sparse blocks need no tiles: there y is wanted at stored entries only
 * (matrix/gather.h). */
#ifndef TSR_FACTOR_TILE_H
#define TSR_FACTOR_TILE_H

#include "factor/solver.h"

/* tile (block x its features) = G_b F', zero where nothing is known. */
void tsr__tile_product(const tsr__solver *s, const tsr__block *block, void *tile);

/* The block with the tile in place of its values. */
tsr__block tsr__tile_block(const tsr__block *block, const void *tile);

/* Rows of the basis that belong to the block's features. */
static inline void *tsr__basis_at(const tsr__solver *s, const tsr__block *block)
{
    return tsr__real_at(s, s->state.basis, block->from * s->k);
}

#endif
