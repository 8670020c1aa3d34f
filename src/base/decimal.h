/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Between digits x 10^power and doubles: the arithmetic behind numbers in text. Both directions
 * say so when 128 bits cannot tell on which side of a half the number lies. */
#ifndef TSR_BASE_DECIMAL_H
#define TSR_BASE_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

/* digits x 10^power as the nearest double, ties to even; false: too near to a tie to tell. */
bool tsr__decimal_to_real(double *out, uint64_t digits, int64_t power);

/* A positive finite double as `digits` of 17 decimals with a fraction behind the last:
 * digits <= value / 10^power < digits + 1, 10^16 <= digits < 10^17. */
typedef struct tsr__decimal {
    uint64_t digits;
    int power;
    int side;   /* fraction against one half: -1 below, 0 on it, 1 above */
    bool whole; /* the fraction is zero */
    bool vague; /* it is too near to 0, 1/2 or 1 to tell */
} tsr__decimal;

tsr__decimal tsr__real_to_decimal(double value);

#endif
