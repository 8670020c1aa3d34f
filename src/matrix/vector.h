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

/* The sum of the lanes, by halves. */
static inline real total(const lanes *v)
{
    real part[LANES];
    memcpy(part, v, sizeof part);
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            part[i] += part[i + half];
    return part[0];
}

#endif
