/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The kernels of distances, compiled like those of kernels.h for each element type and
 * instruction set. Squared distances come from products,
 *     |x - c|^2 = |x|^2 + |c|^2 - 2 x.c,
 * so what a loop compares is |c|^2 - 2 x.c: the sample's own part is the same for all. */
#ifndef TSR_MATRIX_DISTANCES_H
#define TSR_MATRIX_DISTANCES_H

#include "tessera/tessera.h"

typedef struct tsr__distances {
    /* to (rows x columns, contiguous) = rows of `from`, `stride` apart, less the mean. */
    void (*center)(double *to, const void *from, int64_t stride, const double *mean,
                   int64_t rows, int64_t columns);

    /* |x - y|^2 by subtraction, summed in double in fixed lanes. */
    double (*apart)(const void *x, const void *y, int64_t count);

    /* Positions where low - 2 product <= limit, in order; returns how many. */
    int64_t (*below)(int32_t *out, const void *product, const void *low, double limit,
                     int64_t count);

    /* For each of `count` samples the least and the second least of square[a] - 2 product[a],
     * and which a the least is (the first of equals). Products of center a stand in row a of
     * `centers` rows, `stride` apart. */
    void (*two_least)(void *which, void *least, void *second, const void *product,
                      int64_t stride, const void *square, int64_t centers, int64_t count);

    /* out = max(0, own + square - 2 product); returns the sum of min(nearest, out). */
    double (*spread)(void *out, const void *product, const void *own, double square,
                     const void *nearest, int64_t count);
} tsr__distances;

const tsr__distances *tsr__distances_of(tsr_type type);

#endif
