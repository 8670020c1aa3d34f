/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The kernels of coordinate descent, compiled like those of kernels.h for each element type and
 * instruction set. Rows are problems of their own over g >= 0, and share what they can. */
#ifndef TSR_MATRIX_DESCENT_H
#define TSR_MATRIX_DESCENT_H

#include "matrix/gather.h"

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
    return 5 * TILE * (k + 1);
}

/* Kullback-Leibler: row i minimises
 *     weight (sums . g - sum x log y) + slope (g - g0)' + 1/2 (g - g0) diag(bend) (g - g0)'
 * over its entries x, with y = g . (row of the factor that the entry points at). Sparse rows are
 * those of `x`; dense ones stand at x.values, `stride` apart, `width` entries each, and share the
 * factor turned: k rows of tsr__padded(width), zeros behind. */
typedef struct tsr__entropy {
    void *theta; /* rows x k, updated */
    tsr__gather x;
    const void *turned; /* NULL: sparse */
    int64_t width, stride;
    const double *sums;  /* k: column sums of the factor; */
    int64_t sums_stride; /*   a row's own, as far apart; 0: all rows share them */
    const void *pull;    /* rows x k: sum x f / y of the rows as they come; NULL: not known */
    const void *weight, *slope, *bend;
    double unit; /* size of the data: reconstructions far below it count as that little */
    void *work;  /* tsr__entropy_room reals, aligned */
    int sweeps;
} tsr__entropy;

/* Reals in whole vectors that hold `count` of them. */
static inline int64_t tsr__padded(int64_t count)
{
    enum { VECTOR = 16 };
    return (count + VECTOR - 1) / VECTOR * VECTOR;
}

/* Reals of workspace for rows of at most `longest` entries. */
static inline int64_t tsr__entropy_room(int64_t k, int64_t longest, bool sparse)
{
    return (sparse ? k + 4 : 4) * tsr__padded(longest) + 8 * tsr__padded(k);
}

/* Concept weights: with D = F B - A (features x k) half the gradient with respect to F = X' W,
 * sample i's weights w >= 0 see the quadratic of slope x D and curvature |x|^2 B. They descend
 * and D should follow: D += x' moved, moved = (w - w0) B. A run of samples descends one after the
 * other as if D had done so, for each sees what moved before it by the samples' inner products:
 *     slope_i = x_i D + sum of (x_i . x_j) moved_j over the run before and those of its own before i
 * Slopes and moved are rows of vectors, zeros behind the k-th: vector v of row i stands
 * i down + v across vectors from the first. */
enum { TSR_RUN = 32 }; /* samples of a run */

typedef struct tsr__weave {
    void *weights;        /* rows x k, updated */
    void *slope;          /* x D of the rows, D as it was before the last run; spoilt */
    const void *inner[2]; /* rows x TSR_RUN: products with the run before, and with this one */
    const void *before;   /* what the run before moved by, all TSR_RUN rows of it */
    void *moved;          /* this one */
    const void *gram;     /* B, k rows tsr__padded(k) apart, aligned */
    void *work;           /* 2 tsr__padded(k) reals, aligned */
    int64_t rows, k, down, across;
    int sweeps;
} tsr__weave;

typedef struct tsr__descents {
    /* Cyclic descent, `sweeps` times: 2 k^2 operations a row and sweep. */
    void (*squares)(const tsr__descent *descent);

    /* The same for one row, against a Q of its own: rows tsr__padded(k) apart, aligned, zeros
     * behind the k-th. */
    void (*square)(const tsr__descent *descent);

    /* A multiplicative step and cyclic descent: a reciprocal and seven operations an entry for
     * each coordinate above zero or lifted from there. No row ends higher than it began. */
    void (*entropy)(const tsr__entropy *descent);

    /* A run's weights: at most 2 k^2 operations a sample and sweep, and what it sees of others. */
    void (*weave)(const tsr__weave *weave);
} tsr__descents;

const tsr__descents *tsr__descents_of(tsr_type type);

#endif
