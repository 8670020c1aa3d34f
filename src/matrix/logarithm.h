/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A natural logarithm that compilers turn into vector code. */
#ifndef TSR_MATRIX_LOGARITHM_H
#define TSR_MATRIX_LOGARITHM_H

#include <stdint.h>

/* Natural logarithm of a positive normal number, without branches, so that loops of it become
 * vector code: x = 2^e (1 + f), log(1 + f) by the odd series of s = f / (2 + f), whose
 * coefficients are the minimax ones of fdlibm; error below one unit in the last place. */
static inline double tsr__logarithm(double x)
{
    union {
        double real;
        uint64_t bits;
    } v = {x}, power;
    const uint64_t shift = v.bits + (0x3ff0000000000000u - 0x3fe6a09e667f3bcdu);
    power.bits = (shift >> 52) | 0x4330000000000000u; /* 2^52 + exponent + 1023 */
    v.bits = (shift & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu;
    const double e = power.real - (0x1p52 + 1023), f = v.real - 1, s = f / (2 + f), z = s * s;
    const double w = z * z;
    const double even =
        w * (0.3999999999940941908 + w * (0.2222219843214978396 + w * 0.1531383769920937332));
    const double odd =
        z *
        (0.6666666666666735130 +
         w * (0.2857142874366239149 + w * (0.1818357216161805012 + w * 0.1479819860511658591)));
    const double half = 0.5 * f * f;
    return e * 6.93147180369123816490e-01 -
           ((half - (s * (half + even + odd) + e * 1.90821492927058770002e-10)) - f);
}

#endif
