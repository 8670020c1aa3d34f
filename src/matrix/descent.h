/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The kernels of coordinate descent, compiled like those of kernels.h for each element type and
 * instruction set. Rows are problems of their own over g >= 0, and share what they can. */
#ifndef TSR_MATRIX_DESCENT_H
#define TSR_MATRIX_DESCENT_H

#include "tessera/tessera.h"

/* Least squares: row i minimises
 *     weight (g Q g' - 2 g p') + slope (g - g0)' + 1/2 (g - g0) diag(bend) (g - g0)'
 * with Q (k x k, symmetric) shared, p = projection of the sample, g0 the row as it came. */
typedef struct tsr__descent {
    void *theta;            /* rows x k, updated */
    const void *projection; /* rows x k */
    const void *gram;       /* Q, k x k */
    const void *weight;     /* a row, or NULL: 1 */
    const void *slope;      /* rows x k; or NULL */
    const void *bend;       /* rows x k, needs a slope; or NULL */
    void *work;             /* tsr__descent_room(k) reals, aligned */
    int64_t rows, k;
    int sweeps;
} tsr__descent;

/* Reals of workspace that one call needs. */
static inline int64_t tsr__descent_room(int64_t k)
{
    enum { TILE = 32 };
    return 4 * TILE * (k + 1);
}

typedef struct tsr__descents {
    /* Cyclic descent, `sweeps` times: 2 k^2 operations a row and sweep. */
    void (*squares)(const tsr__descent *descent);
} tsr__descents;

const tsr__descents *tsr__descents_of(tsr_type type);

#endif
