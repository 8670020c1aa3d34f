/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Natural logarithms side by side, for the files that are compiled once for each element type
 * and instruction set (real.h). Always in doubles: a loss is a small sum of large terms. */
#ifndef TSR_MATRIX_LOGARITHM_H
#define TSR_MATRIX_LOGARITHM_H

#include "matrix/real.h"

#include <string.h>

/* One register: gcc takes wider vectors apart by way of memory. */
#if defined __AVX512F__
enum { DOUBLES = 8 };
#elif defined __AVX__
enum { DOUBLES = 4 };
#else
enum { DOUBLES = 2 };
#endif
typedef double doubles __attribute__((vector_size(DOUBLES * sizeof(double))));
typedef uint64_t double_bits __attribute__((vector_size(DOUBLES * sizeof(double))));
typedef real few_reals
    __attribute__((vector_size(DOUBLES * sizeof(real)), aligned(sizeof(real)), may_alias));

/* The logarithms of positive normal numbers: x = 2^e (1 + f), log(1 + f) by the odd series of
 * s = f / (2 + f), whose coefficients are the minimax ones of fdlibm; error below one unit in
 * the last place. */
static inline void logarithms(doubles *x)
{
    const double_bits shift = (double_bits)*x + (0x3ff0000000000000u - 0x3fe6a09e667f3bcdu);
    const double_bits power = (shift >> 52) | 0x4330000000000000u; /* 2^52 + exponent + 1023 */
    const double_bits rest = (shift & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu;
    const doubles e = (doubles)power - (0x1p52 + 1023), f = (doubles)rest - 1, s = f / (2 + f);
    const doubles z = s * s, w = z * z, half = 0.5 * f * f;
    const doubles even =
        w * (0.3999999999940941908 + w * (0.2222219843214978396 + w * 0.1531383769920937332));
    const doubles odd =
        z *
        (0.6666666666666735130 +
         w * (0.2857142874366239149 + w * (0.1818357216161805012 + w * 0.1479819860511658591)));
    *x = e * 6.93147180369123816490e-01 -
         ((half - (s * (half + even + odd) + e * 1.90821492927058770002e-10)) - f);
}

/* sum += x (log r - less), r at least `tiny` */
static inline void add_logarithms(doubles *sum, const real *x, const real *r, double less)
{
    const doubles weight = __builtin_convertvector(*(const few_reals *)x, doubles);
    doubles value = __builtin_convertvector(*(const few_reals *)r, doubles);
    const double_bits small = (double_bits)(value < (double)tiny);
    const doubles least = (doubles){0} + (double)tiny;
    value = (doubles)((small & (double_bits)least) | (~small & (double_bits)value));
    logarithms(&value);
    *sum += weight * (value - less);
}

/* sum x (log r - less) over all entries */
static inline double weigh_logarithms(const real *x, const real *r, int64_t count, double less)
{
    real last_x[DOUBLES] = {0}, last_r[DOUBLES] = {0};
    const int64_t whole_ones = count / DOUBLES * DOUBLES;
    doubles sum = {0};
    for (int64_t i = 0; i < whole_ones; i += DOUBLES)
        add_logarithms(&sum, x + i, r + i, less);
    for (int64_t i = whole_ones; i < count; i++)
        last_x[i - whole_ones] = x[i], last_r[i - whole_ones] = r[i];
    if (whole_ones < count)
        add_logarithms(&sum, last_x, last_r, less);
    for (int i = 1; i < DOUBLES; i++)
        sum[0] += sum[i];
    return sum[0];
}

#endif
