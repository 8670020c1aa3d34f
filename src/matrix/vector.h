/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Vectors of a kernel file's reals: 64 bytes, one register or as many as it takes. */
#ifndef TSR_MATRIX_VECTOR_H
#define TSR_MATRIX_VECTOR_H

#include "matrix/real.h"

#include <string.h>

enum { BYTES = 64, LANES = BYTES / sizeof(real) };
typedef real lanes __attribute__((vector_size(BYTES)));
typedef whole mask __attribute__((vector_size(BYTES)));

/* One that begins anywhere. */
typedef real loose __attribute__((vector_size(BYTES), aligned(sizeof(real)), may_alias));

/* The sum of the lanes, by halves. */
INLINE real total(const lanes *v)
{
    lanes s = *v;
#ifdef TSR_KERNELS_f32
    s += __builtin_shufflevector(s, s, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
    s += __builtin_shufflevector(s, s, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3);
    s += __builtin_shufflevector(s, s, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1);
    s += __builtin_shufflevector(s, s, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0);
#else
    s += __builtin_shufflevector(s, s, 4, 5, 6, 7, 0, 1, 2, 3);
    s += __builtin_shufflevector(s, s, 2, 3, 0, 1, 2, 3, 0, 1);
    s += __builtin_shufflevector(s, s, 1, 0, 1, 0, 1, 0, 1, 0);
#endif
    return s[0];
}

/* The lanes of a and b in turn: those of their first halves, and of their second. */
INLINE void interleave(lanes *first, lanes *second, const lanes *a, const lanes *b)
{
#ifdef TSR_KERNELS_f32
    *first =
        __builtin_shufflevector(*a, *b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    *second = __builtin_shufflevector(*a, *b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14,
                                      30, 15, 31);
#else
    *first = __builtin_shufflevector(*a, *b, 0, 8, 1, 9, 2, 10, 3, 11);
    *second = __builtin_shufflevector(*a, *b, 4, 12, 5, 13, 6, 14, 7, 15);
#endif
}

/* LANES vectors as a square: its transpose, by interleaving halves as often as LANES doubles. */
INLINE void turn_tile(lanes *tile)
{
    UNROLLED
    for (int size = 1; size < LANES; size *= 2) {
        lanes next[LANES];
        UNROLLED
        for (int i = 0; i < LANES / 2; i++)
            interleave(&next[2 * i], &next[2 * i + 1], &tile[i], &tile[i + LANES / 2]);
        memcpy(tile, next, sizeof next);
    }
}

#endif
