/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Blocks: how samples reach an algorithm.
 *
 *     source   yields the samples in blocks of consecutive rows, and may fail: slices of memory, a
 *              scaled view of another source; files and ranks can be others
 *     leaf     a range of consecutive blocks, whose sums are made in order. Leaves are a power of
 *              two, joined two by two in a tree (pass.h), so that who made which does not matter
 *     tile     a range of features. Rows that are too long for a cache are worked on tile by tile
 *
 * Blocks, leaves and tiles depend on the whole data alone, never on threads. An algorithm over
 * samples visits blocks and keeps sums; who holds which block is the source's affair, so that
 * there is one copy of each update. */
#ifndef TSR_MATRIX_BLOCK_H
#define TSR_MATRIX_BLOCK_H

#include "matrix/share.h"

/* Rows first .. first+samples-1 of the source, of them features from .. from+features-1. Dense:
 * `values` with `stride`. Sparse: the entries of local row i stand at rows[i] .. rows[i+1]-1 of
 * columns and values, and all features are there. */
typedef struct tsr__block {
    int64_t first, samples, from, features, stride;
    tsr_type type;
    bool sparse;
    const void *values;
    const int64_t *rows;
    const int32_t *columns;
} tsr__block;

typedef struct tsr__source {
    int64_t samples, features, block_samples, blocks;
    int64_t most, longest; /* entries of a block, and of a sample, at most */
    int64_t leaves;        /* a power of two, at most `blocks` */
    int64_t tile;          /* features of a tile; `features`: whole rows do */
    tsr_type type;
    bool sparse;
    const int64_t *chosen;   /* NULL; else these are its blocks, of all that there are */
    const tsr__share *share; /* NULL: leaves are cut by blocks; else they are its leaves, */
    int64_t each;            /*   and each has so many blocks, the last of which may be empty */
    const void *held;
    /* Block `index`, valid until the same thread's next get. */
    tsr_status (*get)(tsr__block *out, const struct tsr__source *source, int64_t index,
                      int thread);
} tsr__source;

/* The samples of a matrix, in blocks of about `bytes`; of long dense rows, tiles of them are. */
tsr__source tsr__source_of_matrix(const tsr_matrix *x, int64_t bytes);

/* The same without tiles, for samples that are read once a pass, a rank's share of them: x are its own
 * rows, and blocks end where leaves do. Both must outlive the source. */
tsr__source tsr__source_of_share(const tsr_matrix *x, const tsr__share *share, int64_t entries,
                                 int64_t bytes);

/* A source with the same blocks of nothing: where rows begin and how many there are. */
tsr__source tsr__source_bare(const tsr__source *of);

/* Rows of block `index`; none: it is empty. */
void tsr__source_rows(int64_t *first, int64_t *count, const tsr__source *source, int64_t index);

/* Features from .. of a dense block, a tile's at most. */
tsr__block tsr__block_tile(const tsr__block *block, int64_t from, int64_t tile);

#endif
