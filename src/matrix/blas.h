/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Dense products and decompositions. Products are made by slim.h or, where vectors are short, by
 * BLIS; decompositions by LAPACK: the one place where both are known.
 *
 * BLIS is called through its own interface, whose names no other BLAS has: whichever libblas a
 * program drags in, these run single-threaded in BLIS, and sizes are 64-bit. */
#ifndef TSR_MATRIX_BLAS_H
#define TSR_MATRIX_BLAS_H

#include "tessera/tessera.h"

/* C (rows x columns) = alpha op(A) op(B) + beta C, all row-major; op transposes where told;
 * `inner` is the summed dimension, lda.. the distance between rows as stored. */
typedef struct tsr__product {
    bool transpose_a, transpose_b;
    bool wide; /* C holds doubles whatever the type: sums of floats over many samples */
    int64_t rows, columns, inner;
    double alpha, beta;
    const void *a, *b;
    void *c;
    int64_t lda, ldb, ldc;
} tsr__product;

void tsr__multiply_dense(tsr_type type, const tsr__product *product);

/* c (rows x columns) = alpha a (rows x inner) b (inner x columns), all contiguous. */
void tsr__multiply_plain(tsr_type type, void *c, double alpha, const void *a, const void *b,
                         int64_t rows, int64_t columns, int64_t inner);

/* Eigenvalues (ascending) and eigenvectors (as rows of a, row-major, size x size) of a
 * symmetric matrix given in a. */
tsr_status tsr__eigen(double *a, double *values, int64_t size);

/* The same of A w = value B w for symmetric a and positive definite b: w B w' = 1; b is spoilt.
 */
tsr_status tsr__eigen_pair(double *a, double *b, double *values, int64_t size);

/* Solves A X = B for symmetric positive definite A (size x size) with `columns` right-hand
 * sides, row-major b (size x columns), in place; a is spoilt. */
tsr_status tsr__solve_positive(double *a, double *b, int64_t size, int64_t columns);

#endif
