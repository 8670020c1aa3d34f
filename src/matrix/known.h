/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Missing values: sums over the rows of a factor that a row's known entries point at. */
#ifndef TSR_MATRIX_KNOWN_H
#define TSR_MATRIX_KNOWN_H

#include "matrix/descent.h"
#include "matrix/matrix.h"

/* A factor (count x k, `weight` a row or NULL), and which of its rows each row of the mask, a
 * sparse matrix, leaves out. */
typedef struct tsr__known_rows {
    tsr_type type;
    int64_t k, count;
    const void *factor, *weight;
    const tsr_matrix *missing;
} tsr__known_rows;

/* Rows of a factor on their way to a product. */
enum { TSR_KNOWN_ROWS = 64 };

/* What a row's own sums are made in and of. */
typedef struct tsr__known {
    void *gram;            /* k x tsr__padded(k), aligned: F' w F */
    void *rows, *weighted; /* TSR_KNOWN_ROWS x k each */
    double *sums;          /* w' F, for the caller: k for each row of a block */
} tsr__known;

/* Both from the sums over all rows of the factor: `all` k x k, or k. */
void tsr__known_gram(const tsr__known *known, const tsr__known_rows *of, int64_t row,
                     const void *all);
void tsr__known_sums(double *out, const tsr__known_rows *of, int64_t row, const double *all);

/* out (rows x k) = by theta_i Q_i for rows first .. of the mask. */
void tsr__known_times(void *out, double by, const tsr__known *known, const tsr__known_rows *of,
                      int64_t first, int64_t rows, const void *theta, const void *all);

#endif
