/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Digits x 10^power to double and back in 128-bit integers.
 *
 * 10^q = 5^q 2^q and q = 27 k + r: the factor 5^r is exact in 64 bits, 5^(27 k) is kept for
 * every k as its leading 128 bits, rounded down. A product of 128 bits with both is short of
 * the truth by less than SLACK units in its last place; where that could change the rounding
 * the caller is told. For k = 0 everything is exact. */
#include "base/decimal.h"

#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

typedef struct big_power {
    uint64_t high, low; /* 5^(27 k) = (high 2^64 + low) 2^exponent */
    int exponent;
} big_power;

enum { STEP = 27, LOWEST = -13, SLACK = 3, REAL_BITS = 53, LEAST_EXPONENT = -1074 };

/* clang-format off */
static const big_power big_powers[] = {
    {0x8049a4ac0c5811ae, 0x205b896d777d6278, -942},
    {0xcf42894a5dce35ea, 0x52064cac828675b9, -880},
    {0xa76c582338ed2621, 0xaf2af2b80af6f24e, -817},
    {0x873e4f75e2224e68, 0x5a7744a6e804a291, -754},
    {0xda7f5bf590966848, 0xaf39a475506a899e, -692},
    {0xb080392cc4349dec, 0xbd8d794d96aacfb3, -629},
    {0x8e938662882af53e, 0x547eb47b7282ee9c, -566},
    {0xe65829b3046b0afa, 0x0cb4a5a3112a5112, -504},
    {0xba121a4650e4ddeb, 0x92f34d62616ce413, -441},
    {0x964e858c91ba2655, 0x3a6a07f8d510f86f, -378},
    {0xf2d56790ab41c2a2, 0xfae27299423fb9c3, -316},
    {0xc428d05aa4751e4c, 0xaa97e14c3c26b886, -253},
    {0x9e74d1b791e07e48, 0x775ea264cf55347d, -190},
    {0x8000000000000000, 0x0000000000000000, -127},
    {0xcecb8f27f4200f3a, 0x0000000000000000, -65},
    {0xa70c3c40a64e6c51, 0x999090b65f67d924, -2},
    {0x86f0ac99b4e8dafd, 0x69a028bb3ded71a3, 61},
    {0xda01ee641a708de9, 0xe80e6f4820cc9495, 123},
    {0xb01ae745b101e9e4, 0x5ec05dcff72e7f8f, 186},
    {0x8e41ade9fbebc27d, 0x14588f13be847307, 249},
    {0xe5d3ef282a242e81, 0x8f1668c8a86da5fa, 311},
    {0xb9a74a0637ce2ee1, 0x6d953e2bd7173692, 374},
    {0x95f83d0a1fb69cd9, 0x4abdaf101564f98e, 437},
    {0xf24a01a73cf2dccf, 0xbc633b39673c8cec, 499},
    {0xc3b8358109e84f07, 0x0a862f80ec4700c8, 562},
    {0x9e19db92b4e31ba9, 0x6c07a2c26a8346d1, 625},
};

static const uint64_t small_powers[] = {
    1u, 5u, 25u, 125u, 625u, 3125u, 15625u, 78125u, 390625u, 1953125u, 9765625u, 48828125u,
    244140625u, 1220703125u, 6103515625u, 30517578125u, 152587890625u, 762939453125u,
    3814697265625u, 19073486328125u, 95367431640625u, 476837158203125u, 2384185791015625u,
    11920928955078125u, 59604644775390625u, 298023223876953125u, 1490116119384765625u};
/* clang-format on */

/* (significand + [0, slack)) x 2^exponent, where significand has `bits` <= 127 bits. */
typedef struct scaled {
    wide significand;
    int bits, exponent;
    uint64_t slack;
} scaled;

static int width(wide value)
{
    const uint64_t high = (uint64_t)(value >> 64);
    return high != 0 ? 128 - __builtin_clzll(high) : 64 - __builtin_clzll((uint64_t)value | 1);
}

/* factor x 10^power, factor > 0, for powers that the table reaches. */
static scaled scale(uint64_t factor, int power)
{
    const int k = (power - LOWEST * STEP) / STEP + LOWEST;
    const wide exact = (wide)factor * small_powers[power - k * STEP];
    const int bits = width(exact);
    if (k == 0)
        return (scaled){exact, bits, power, 0};
    const wide full = exact << (128 - bits);
    const big_power *big = &big_powers[k - LOWEST];
    const uint64_t high = (uint64_t)(full >> 64), low = (uint64_t)full;
    const wide product =
        (wide)high * big->high + ((wide)high * big->low >> 64) + ((wide)low * big->high >> 64);
    const wide halved = product >> 1;
    return (scaled){halved, 126 + (int)(halved >> 126), power + big->exponent + bits + 1,
                    SLACK};
}

static double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Rounds to 53 bits, or to what is left of them below the normal range. */
static bool round_scaled(double *out, const scaled *s)
{
    int drop = s->bits - REAL_BITS;
    if (s->exponent + drop < LEAST_EXPONENT)
        drop = LEAST_EXPONENT - s->exponent;
    if (drop > s->bits) {
        *out = 0;
        return true;
    }
    wide kept = s->significand;
    if (drop > 0) {
        const wide half = (wide)1 << (drop - 1);
        const wide tail = s->significand & ((half << 1) - 1);
        if (s->slack > 0 && tail <= half && tail + s->slack > half)
            return false;
        kept = s->significand >> drop;
        kept += tail > half || (tail == half && (kept & 1) != 0);
    } else {
        kept <<= -drop;
    }
    /* A kept of 2^53 carries into the exponent, one of less than 2^52 is subnormal. */
    const int64_t exponent = s->exponent + drop - LEAST_EXPONENT;
    if (exponent > 2045 || (exponent == 2045 && kept >> REAL_BITS != 0))
        *out = (double)INFINITY;
    else
        *out = from_bits(((uint64_t)exponent << (REAL_BITS - 1)) + (uint64_t)kept);
    return true;
}

bool tsr__decimal_to_real(double *out, uint64_t digits, int64_t power)
{
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (digits >> REAL_BITS == 0 && power >= -22 && power <= 22) {
        /* Both are exact, so that the one operation rounds correctly. */
        *out = power < 0 ? (double)digits / tens[-power] : (double)digits * tens[power];
        return true;
    }
    if (digits == 0 || power < -343 || power > 308) {
        *out = digits == 0 || power < 0 ? 0 : (double)INFINITY;
        return true;
    }
    const scaled s = scale(digits, (int)power);
    return round_scaled(out, &s);
}

/* value 10^-power with 10^16 <= digits < 10^17 when `power` is right. */
static tsr__decimal cut(uint64_t significand, int exponent, int power)
{
    tsr__decimal out = {.power = power};
    const scaled s = scale(significand, -power);
    const int drop = -(s.exponent + exponent);
    if (drop <= 0) {
        out.digits = (uint64_t)(s.significand << -drop);
        out.side = -1;
        out.whole = true;
        return out;
    }
    const wide half = (wide)1 << (drop - 1), one = half << 1;
    const wide tail = s.significand & (one - 1);
    out.digits = (uint64_t)(s.significand >> drop);
    out.side = tail < half ? -1 : tail > half;
    out.whole = tail == 0;
    out.vague = s.slack > 0 &&
                (tail == 0 || tail + s.slack > one || (tail <= half && tail + s.slack > half));
    return out;
}

tsr__decimal tsr__real_to_decimal(double value)
{
    int exponent = 0;
    const uint64_t significand = (uint64_t)ldexp(frexp(value, &exponent), REAL_BITS);
    const int guess = (int)floor((exponent - 1) * 0.30102999566398120) - 16;
    const uint64_t limit = 100000000000000000u;
    tsr__decimal out = cut(significand, exponent - REAL_BITS, guess);
    if (out.digits >= limit)
        out = cut(significand, exponent - REAL_BITS, guess + 1);
    return out;
}
