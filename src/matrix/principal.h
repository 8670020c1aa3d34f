/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Principal axes: the directions of greatest variance of the samples. */
#ifndef TSR_MATRIX_PRINCIPAL_H
#define TSR_MATRIX_PRINCIPAL_H

#include "matrix/block.h"

typedef struct tsr__axes {
    int64_t features, rank;
    double *mean;     /* of the samples, features */
    double *factor;   /* features x rank: orthonormal columns, greatest variance first,
                       * of either sign */
    double *variance; /* along each axis, rank */
    double *scores; /* samples x rank: the samples along the axes, where they were asked for */
    double total;   /* variance along all there are */
} tsr__axes;

typedef struct tsr__axes_options {
    int64_t rank;  /* at most so many; 0: no limit */
    double energy; /* the fewest that hold this share of the variance; 0: no matter */
    uint64_t seed;
    int threads;
    bool about_origin; /* no mean is taken off: the axes are right singular vectors */
    bool scores;       /* fill those of the axes */
    int rounds;        /* roughly, by so many rounds of iteration; 0: to the last digits */
    const tsr_matrix
        *turned; /* the samples with features as rows, where there are such; or NULL */
} tsr__axes_options;

/* The leading axes of x (doubles, dense or sparse; rank is given where they are to be rough); those along which x does not vary are left
 * out, so that there may be fewer than asked for, or none. The same bits for any threads. */
tsr_status tsr__principal_axes(tsr__axes *out, const tsr_matrix *x,
                               const tsr__axes_options *options);
void tsr__axes_clear(tsr__axes *axes);

/* range.c: about the origin and roughly, from two passes over a source that has no tiles: factor
 * and scores alone, of at most `rank` axes. */
tsr_status tsr__principal_range(tsr__axes *out, const tsr__source *source, int64_t rank,
                                uint64_t seed, int threads);

/* q (rows x k) <- q (q' q)^-1/2, the nearest orthonormal columns; columns that depend on others
 * vanish with them. `work`: rows k + 3 k k + k. */
tsr_status tsr__orthonormalise(double *q, double *work, int64_t rows, int64_t k);

#endif
