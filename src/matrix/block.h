/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Blocks: how samples reach the solver, and how sums leave it.
 *
 *     source   yields the samples in blocks of consecutive rows: slices of memory, of a mapped
 *              file, chunks read ahead, a rank's share
 *     lane     block b adds into lane b mod TSR_LANES; a thread owns whole lanes, and the lanes
 *              are summed in order: the result does not depend on the number of threads
 *     reducer  adds the sums of all processes; nothing to do in one process
 *
 * An algorithm over samples visits blocks and keeps sums; who holds which block (threads,
 * files, ranks) is the source's and the reducer's affair, so that there is one copy of each
 * update. */
#ifndef TSR_MATRIX_BLOCK_H
#define TSR_MATRIX_BLOCK_H

#include "matrix/matrix.h"

enum { TSR_LANES = 8 };

/* Rows first .. first+samples-1 of the source. Dense: `values` with `stride`. Sparse: the
 * entries of local row i stand at rows[i] .. rows[i+1]-1 of columns and values. */
typedef struct tsr__block {
    int64_t first, samples, features, stride;
    tsr_type type;
    bool sparse;
    const void *values;
    const int64_t *rows;
    const int32_t *columns;
} tsr__block;

typedef struct tsr__source {
    int64_t samples, features, block_samples, blocks;
    tsr_type type;
    bool sparse;
    const void *held;
    /* Block `index`; called by the thread that owns the block's lane, valid until its next get.
     */
    tsr_status (*get)(tsr__block *out, const struct tsr__source *source, int64_t index);
} tsr__source;

/* The samples of a matrix, in blocks whose dense rows take about `bytes`. The cut depends on
 * the matrix alone, never on threads. */
tsr__source tsr__source_of_matrix(const tsr_matrix *x, int64_t bytes);

typedef struct tsr__reducer {
    tsr_status (*sum)(const struct tsr__reducer *reducer, double *values, int64_t count);
    void *held;
} tsr__reducer;

/* One process: leaves the values as they are. */
tsr__reducer tsr__reducer_alone(void);

#endif
