/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Vectors of a kernel file's reals that are one register of its instruction set, under the names
 * that vector.h has for 64 bytes; a file includes one of the two. gcc takes wider vectors apart by
 * way of memory and compares them number by number, so that sums which are to stay in registers,
 * and least values, are made of these. */
#ifndef TSR_MATRIX_REGISTER_H
#define TSR_MATRIX_REGISTER_H

#include "matrix/real.h"

#include <string.h>
#if defined __AVX512F__ || defined __AVX__
#include <immintrin.h>
#endif

#if defined __AVX512F__
#define BYTES 64
#elif defined __AVX__
#define BYTES 32
#else
#define BYTES 16
#endif
#ifdef TSR_KERNELS_f32
#define LANES (BYTES / 4)
#else
#define LANES (BYTES / 8)
#endif

typedef real lanes __attribute__((vector_size(BYTES)));
typedef whole mask __attribute__((vector_size(BYTES)));

/* One that begins anywhere. */
typedef real loose __attribute__((vector_size(BYTES), aligned(sizeof(real)), may_alias));

/* Lane by lane what PICK(lane, size) says. */
#if LANES == 2
#define PICKS(PICK, size) PICK(0, size), PICK(1, size)
#elif LANES == 4
#define PICKS(PICK, size) PICK(0, size), PICK(1, size), PICK(2, size), PICK(3, size)
#elif LANES == 8
#define PICKS(PICK, size)                                                                      \
    PICK(0, size), PICK(1, size), PICK(2, size), PICK(3, size), PICK(4, size), PICK(5, size),  \
        PICK(6, size), PICK(7, size)
#else
#define PICKS(PICK, size)                                                                      \
    PICK(0, size), PICK(1, size), PICK(2, size), PICK(3, size), PICK(4, size), PICK(5, size),  \
        PICK(6, size), PICK(7, size), PICK(8, size), PICK(9, size), PICK(10, size),            \
        PICK(11, size), PICK(12, size), PICK(13, size), PICK(14, size), PICK(15, size)
#endif

/* The lane `size` away; the even runs of two vectors' lanes, and the odd ones. */
#define ACROSS(lane, size) ((lane) ^ (size))
#define EVEN(lane, size)   ((lane) / (size) % 2 == 0 ? (lane) : (lane) - (size) + LANES)
#define ODD(lane, size)    ((lane) / (size) % 2 == 0 ? (lane) + (size) : (lane) + LANES)

#define FOLD(s, size) ((s) += __builtin_shufflevector(s, s, PICKS(ACROSS, size)))

/* The sum of the lanes, by halves. */
INLINE real total(const lanes *v)
{
    lanes s = *v;
#if LANES > 8
    FOLD(s, 8);
#endif
#if LANES > 4
    FOLD(s, 4);
#endif
#if LANES > 2
    FOLD(s, 2);
#endif
    FOLD(s, 1);
    return s[0];
}

#define EXCHANGE(tile, size)                                                                   \
    UNROLLED                                                                                   \
    for (int i = 0; i < LANES; i++)                                                            \
        if (i / (size) % 2 == 0) {                                                             \
            const lanes a = (tile)[i], b = (tile)[i + (size)];                                 \
            (tile)[i] = __builtin_shufflevector(a, b, PICKS(EVEN, size));                      \
            (tile)[i + (size)] = __builtin_shufflevector(a, b, PICKS(ODD, size));              \
        }

/* LANES vectors as a square: its transpose, by exchanging squares of ever twice the size. */
INLINE void turn_tile(lanes *tile)
{
    EXCHANGE(tile, 1)
#if LANES > 2
    EXCHANGE(tile, 2)
#endif
#if LANES > 4
    EXCHANGE(tile, 4)
#endif
#if LANES > 8
    EXCHANGE(tile, 8)
#endif
}

/* Lane by lane the larger of a and b; b where a is no number. */
INLINE void larger(lanes *out, const lanes *a, const lanes *b)
{
#if defined __AVX512F__ && defined TSR_KERNELS_f32
    *out = (lanes)_mm512_max_ps((__m512)*a, (__m512)*b);
#elif defined __AVX512F__
    *out = (lanes)_mm512_max_pd((__m512d)*a, (__m512d)*b);
#elif defined __AVX__ && defined TSR_KERNELS_f32
    *out = (lanes)_mm256_max_ps((__m256)*a, (__m256)*b);
#elif defined __AVX__
    *out = (lanes)_mm256_max_pd((__m256d)*a, (__m256d)*b);
#else
    const mask more = (mask)(*a > *b);
    *out = (lanes)(((mask)*a & more) | ((mask)*b & ~more));
#endif
}

#endif
