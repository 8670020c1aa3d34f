/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The kernels: tight loops over contiguous values, compiled for each element type and
 * instruction set from kernels.c. The best set that this processor runs is chosen once, or the
 * one that TESSERA_KERNELS names; values are passed as void pointers to the type that the table
 * was asked for. */
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
 *     gradient = flat + curved + quartic + entropy - minus - anti - contrast
 * as functions of theta = old t: flat is constant, curved grows with t, quartic with t^3; minus
 * stands for what pulls theta up, which in a loss's bound falls as t^-power. `anti` is the falling half of an indefinite quadratic.
 * entropy grows with t + log t, contrast falls with (1 - log t) / t, from t = 1 on with 2 / t - 1: of
 * divergences between codes, both or neither. */
typedef struct tsr__halves {
    void *minus, *flat, *curved, *quartic, *anti, *entropy, *contrast;
} tsr__halves;

typedef struct tsr__kernels {
    void (*sweep)(tsr__sweep *out, const void *values, int64_t count);
    void (*mark)(unsigned char *seen, const void *values,
                 int64_t count); /* seen |= value != 0 */
    void (*scale)(void *values, double by, int64_t count);
    void (*shift)(void *values, double by, int64_t count); /* values += by */
    /* Between values and doubles: copies both ways, and values += doubles. */
    void (*widen)(double *to, const void *from, int64_t count);
    void (*narrow)(void *to, const double *from, int64_t count);
    void (*raise)(void *to, const double *by, int64_t count);
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

    /* After a step that keeps zeros: entries below their column's floor that the gradient pulled
     * up are set to the floor, or they would be held for ever. */
    void (*lift)(void *theta, const tsr__halves *halves, const double *floor, int64_t rows,
                 int64_t k);

    /* Updates, element by element; see tsr__halves. Zeros stay zero. */
    void (*multiply)(void *theta, const tsr__halves *halves, double exponent, int64_t count);
    void (*majorise)(void *theta, const tsr__halves *halves, int power, int64_t count);
    void (*signed_root)(void *theta, const tsr__halves *halves, int64_t count);
    /* theta goes on in the direction in which it came from `plain`, which becomes theta as it
     * was: theta + by (theta - plain), at least floor theta. */
    void (*extrapolate)(void *theta, void *plain, double by, double floor, int64_t count);

    /* to = max(from, 0); returns where the largest of them stands */
    int64_t (*positive_part)(void *to, const void *from, int64_t count);

    /* Kullback-Leibler: y becomes x / y; returns sum x log(x / y) - x + y when asked. */
    double (*ratio)(void *y, const void *x, int64_t count, bool value);
    /* Itakura-Saito: y becomes 1 / y and `square` x / y^2; returns sum x / y - log(x / y) - 1 when
     * asked. Where x is zero all are. */
    double (*inverse)(void *y, void *square, const void *x, int64_t count, bool value);
} tsr__kernels;

const tsr__kernels *tsr__kernels_of(tsr_type type);

/* The instruction set in use: "v4" (AVX-512), "v3" (AVX2) or "base". */
const char *tsr__kernels_name(void);

/* For tests, while nothing runs: this set from now on; false where it is not there. */
bool tsr__kernels_use(const char *name);

#endif
