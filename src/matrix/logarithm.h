/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Natural logarithms side by side, for the files that are compiled once for each element type
 * and instruction set (real.h). Always in doubles: a loss is a small sum of large terms. */
#ifndef TSR_MATRIX_LOGARITHM_H
#define TSR_MATRIX_LOGARITHM_H

#include "matrix/real.h"

#include <string.h>

enum { EIGHT = 8 };
typedef double eight __attribute__((vector_size(EIGHT * sizeof(double))));
typedef uint64_t eight_bits __attribute__((vector_size(EIGHT * sizeof(double))));
typedef real eight_reals
    __attribute__((vector_size(EIGHT * sizeof(real)), aligned(sizeof(real)), may_alias));

/* The logarithms of positive normal numbers: x = 2^e (1 + f), log(1 + f) by the odd series of
 * s = f / (2 + f), whose coefficients are the minimax ones of fdlibm; error below one unit in
 * the last place. */
static inline void logarithms(eight *x)
{
    const eight_bits shift = (eight_bits)*x + (0x3ff0000000000000u - 0x3fe6a09e667f3bcdu);
    const eight_bits power = (shift >> 52) | 0x4330000000000000u; /* 2^52 + exponent + 1023 */
    const eight_bits rest = (shift & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu;
    const eight e = (eight)power - (0x1p52 + 1023), f = (eight)rest - 1, s = f / (2 + f);
    const eight z = s * s, w = z * z, half = 0.5 * f * f;
    const eight even =
        w * (0.3999999999940941908 + w * (0.2222219843214978396 + w * 0.1531383769920937332));
    const eight odd =
        z *
        (0.6666666666666735130 +
         w * (0.2857142874366239149 + w * (0.1818357216161805012 + w * 0.1479819860511658591)));
    *x = e * 6.93147180369123816490e-01 -
         ((half - (s * (half + even + odd) + e * 1.90821492927058770002e-10)) - f);
}

/* sum += x (log r - less), r at least `tiny` */
static inline void add_logarithms(eight *sum, const real *x, const real *r, double less)
{
    const eight weight = __builtin_convertvector(*(const eight_reals *)x, eight);
    eight value = __builtin_convertvector(*(const eight_reals *)r, eight);
    const eight_bits small = (eight_bits)(value < (double)tiny);
    const eight least = (eight){0} + (double)tiny;
    value = (eight)((small & (eight_bits)least) | (~small & (eight_bits)value));
    logarithms(&value);
    *sum += weight * (value - less);
}

/* sum x (log r - less) over all entries */
static inline double weigh_logarithms(const real *x, const real *r, int64_t count, double less)
{
    real last_x[EIGHT] = {0}, last_r[EIGHT] = {0};
    const int64_t whole_ones = count / EIGHT * EIGHT;
    eight sum = {0};
    for (int64_t i = 0; i < whole_ones; i += EIGHT)
        add_logarithms(&sum, x + i, r + i, less);
    for (int64_t i = whole_ones; i < count; i++)
        last_x[i - whole_ones] = x[i], last_r[i - whole_ones] = r[i];
    if (whole_ones < count)
        add_logarithms(&sum, last_x, last_r, less);
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

#endif
