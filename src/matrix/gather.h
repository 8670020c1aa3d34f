/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The kernels of sparse rows against a dense factor, compiled like those of kernels.h for each
 * element type and instruction set. A factor's rows are read in whole vectors, which may end
 * behind its last row: all memory of the library has that much behind it (base/memory.h). */
#ifndef TSR_MATRIX_GATHER_H
#define TSR_MATRIX_GATHER_H

#include "tessera/tessera.h"

/* Row i has its entries at rows[i] .. rows[i+1]-1 of columns and values. */
typedef struct tsr__gather {
    const int64_t *rows;
    const int32_t *columns;
    const void *values;
    int64_t samples;
    const void *factor; /* features x k */
    int64_t k;
} tsr__gather;

enum { TSR_LEAF_ROOM = 12 }; /* open sums of leaves, of which there are 2^11 at most */

typedef struct tsr__gathers {
    /* out (samples x k) = X factor */
    void (*project)(void *out, const tsr__gather *x);

    /* sum (features x k) += X' factor; the factor has a row a sample here. */
    void (*collect)(double *sum, const tsr__gather *x);

    /* out (rows x k, doubles) = the same sums where x are features: entries of a row that belong to one
     * leaf of samples, leaf[l] .. leaf[l+1]-1, are added in order, and leaves two by two as
     * matrix/pass.h has them, to the bits of that. `room`: TSR_LEAF_ROOM k doubles. */
    void (*leaves)(double *out, const tsr__gather *x, const int64_t *leaf, double *room);

    /* The same where the sum is of the values' type. */
    void (*spread)(void *sum, const tsr__gather *x);

    /* With y = codes . row of the factor, entry by entry: out (samples x k) = (X / y) factor;
     * without out nothing but the return, sum x log(x / y) - x where `value` asks. */
    double (*ratio)(void *out, const tsr__gather *x, const void *codes, bool value);

    /* sum (features x k) += weight (X / y)' codes; returns what ratio does. */
    double (*deal)(double *sum, const tsr__gather *x, const void *codes, double weight);
} tsr__gathers;

const tsr__gathers *tsr__gathers_of(tsr_type type);

#endif
