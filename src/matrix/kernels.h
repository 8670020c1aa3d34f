/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The kernels: tight loops over contiguous values, compiled for each element type and
 * instruction set from kernels.c. The best set that this processor runs is chosen once; values
 * are passed as void pointers to the type that the table was asked for. */
#ifndef TSR_MATRIX_KERNELS_H
#define TSR_MATRIX_KERNELS_H

#include "tessera/tessera.h"

/* What one pass over some values shows. */
typedef struct tsr__sweep {
    double minimum, maximum;             /* of the finite ones; +inf, -inf if none */
    double sum_magnitudes, sum_squares;  /* of the finite ones */
    int64_t zeros, not_finite, negative; /* how many */
} tsr__sweep;

/* Parts of a gradient at theta, element by element, each >= 0 (NULL: all zero):
 *     gradient = flat + curved + quartic - minus - anti
 * as functions of theta = old t: flat is constant, curved grows with t, quartic with t^3; minus
 * stands for what pulls theta up. `anti` is the falling half of an indefinite quadratic. */
typedef struct tsr__halves {
    void *minus, *flat, *curved, *quartic, *anti;
} tsr__halves;

/* Coordinate descent on rows: sample i minimises, over g >= 0,
 *     weight (g Q g' - 2 g p') + slope (g - g0)' + 1/2 (g - g0) diag(bend) (g - g0)'
 * with Q (k x k) shared, p = projection of the sample, g0 the row as it came. */
typedef struct tsr__descent {
    void *theta;            /* rows x k, updated */
    const void *projection; /* rows x k */
    void *product;          /* rows x k: theta Q on entry, spoilt */
    const void *gram;       /* Q, k x k */
    const void *weight;     /* a row, or NULL: 1 */
    void *slope;            /* rows x k, spoilt; or NULL */
    const void *bend;       /* rows x k, needs a slope; or NULL */
    int64_t rows, k;
    int sweeps;
} tsr__descent;

typedef struct tsr__kernels {
    void (*sweep)(tsr__sweep *out, const void *values, int64_t count);
    void (*mark)(unsigned char *seen, const void *values,
                 int64_t count); /* seen |= value != 0 */
    void (*scale)(void *values, double by, int64_t count);
    /* to (columns x rows, contiguous) = transpose of from (rows x columns, `stride` apart) */
    void (*transpose)(void *to, int64_t to_stride, const void *from, int64_t stride,
                      int64_t rows, int64_t columns);

    /* Vectors. Sums are kept in double, in fixed lanes. */
    void (*add)(void *y, double by, const void *x, int64_t count); /* y += by x */
    double (*dot)(const void *x, const void *y, int64_t count);
    void (*scale_columns)(void *a, const double *by, int64_t rows, int64_t k);
    void (*scale_rows)(void *to, const void *a, const void *by, int64_t rows, int64_t k);
    void (*add_column_sums)(double *sums, const void *a, const void *weight, int64_t rows,
                            int64_t k); /* sums += weight' a; weight may be NULL */
    void (*add_column_squares)(double *sums, const void *a, int64_t rows, int64_t k);

    /* Updates, element by element; see tsr__halves. Zeros stay zero. */
    void (*multiply)(void *theta, const tsr__halves *halves, double exponent, int64_t count);
    void (*majorise)(void *theta, const tsr__halves *halves, bool logarithmic, int64_t count);
    void (*signed_root)(void *theta, const tsr__halves *halves, int64_t count);
    void (*descend)(const tsr__descent *descent);
    /* out = a_j of column `column` minus what the other columns explain: a - F B + f b_kk */
    void (*column_residual)(double *out, const void *a, const void *basis, const void *gram,
                            int64_t column, int64_t rows, int64_t k);

    /* Kullback-Leibler: y becomes x / y; returns sum x log(x / y) - x + y when asked. */
    double (*ratio)(void *y, const void *x, int64_t count, bool value);

    /* Sparse rows against a dense factor (columns x k). */
    void (*sparse_project)(void *out, const int64_t *rows, const int32_t *columns,
                           const void *values, int64_t samples, const void *factor, int64_t k);
    void (*sparse_collect)(void *out, const int64_t *rows, const int32_t *columns,
                           const void *values, int64_t samples, const void *codes, int64_t k);
    /* As the two above with x / (g . f) for x; returns sum x log(x / y) - x when asked. */
    double (*sparse_ratio)(void *project, void *collect, const int64_t *rows,
                           const int32_t *columns, const void *values, int64_t samples,
                           const void *codes, const void *weighted, const void *factor,
                           int64_t k);
} tsr__kernels;

const tsr__kernels *tsr__kernels_of(tsr_type type);

/* The instruction set in use: "v4" (AVX-512), "v3" (AVX2) or "base". */
const char *tsr__kernels_name(void);

#endif
