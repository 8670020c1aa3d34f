/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The kernels of one row's own problem, compiled like those of kernels.h for each element type
 * and instruction set. Arrays are aligned, and in whole vectors: rows tsr__padded() apart
 * (descent.h), zeros behind the last. */
#ifndef TSR_MATRIX_SINGLE_H
#define TSR_MATRIX_SINGLE_H

#include "matrix/descent.h"

/* Columns of a factor over the entries of a row, one after another. */
typedef struct tsr__columns {
    const void *values;
    int64_t width, stride;
} tsr__columns;

/* y = sum of g over the `count` columns `which`, at least `least`, or as it is where `which` is
 * NULL; ratio = x / y; pull = the products of all k columns with it. */
typedef struct tsr__weighing {
    tsr__columns f;
    const void *x, *g;
    void *y, *ratio, *pull;
    const int32_t *which;
    int64_t count, k;
    double least;
} tsr__weighing;

typedef struct tsr__singles {
    /* Rows of least squares with a Q (k x k) that they share, g Q g' - 2 g p' over g >= 0: so many
     * sweeps of coordinate descent from the g (rows x k) that are there. Several rows side by
     * side, none of which sees another: k^2 operations a row and sweep. */
    void (*descend)(void *g, const void *gram, const void *p, int64_t rows, int64_t k,
                    int sweeps, void *room);

    /* to = Q g - p */
    void (*slopes)(void *to, const void *gram, const void *g, const void *p, int64_t k);

    /* Solves Q d = r over the `count` coordinates `which`, r and d in `step`. A pivot that
     * rounding has eaten counts as 1e-12 of its diagonal: a direction without curvature gets a
     * long step. count^3 / 3. */
    void (*solve)(void *step, const void *gram, int64_t k, const int32_t *which, int64_t count,
                  void *room);

    /* Reconstruction, ratios and pulls of a row: 4 operations an entry and column. */
    void (*weigh)(const tsr__weighing *weighing);

    /* h (count x tsr__padded(count)) = sum weight f_a f_b over the columns `which`. count^2
     * operations an entry. */
    void (*bend)(void *h, const tsr__columns *f, const void *weight, const int32_t *which,
                 int64_t count, void *room);

    /* sum x log(from / to); ratio is room */
    double (*fall)(void *ratio, const void *x, const void *from, const void *to, int64_t width);
} tsr__singles;

/* Reals of room for `descend`, `solve` and `bend`. */
static inline int64_t tsr__descend_room(int64_t k)
{
    enum { ROWS = 64 };
    return (2 * ROWS + 1) * tsr__padded(k);
}

static inline int64_t tsr__solve_room(int64_t count)
{
    return (count + 2) * tsr__padded(count + 1);
}

static inline int64_t tsr__bend_room(int64_t width)
{
    return 3 * tsr__padded(width);
}

const tsr__singles *tsr__singles_of(tsr_type type);

#endif
