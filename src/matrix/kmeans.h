/* SPDX-License-Identifier: BSD-2-Clause
 *
 * k-means: k-means++ starts (Arthur & Vassilvitskii 2007), Lloyd's iterations, best of
 * restarts. */
#ifndef TSR_MATRIX_KMEANS_H
#define TSR_MATRIX_KMEANS_H

#include "matrix/matrix.h"

typedef struct tsr__kmeans_options {
    int64_t clusters, restarts, iterations;
    uint64_t seed;
    int threads;
    const int32_t *held; /* cluster of samples that keep it, -1 for the others; or NULL */
    int64_t first, step; /* restarts first, first + step, .. alone; step 0: all */
    int64_t *kept;       /* the restart that was kept, or -1 where there was none; or NULL */
} tsr__kmeans_options;

/* Clusters the samples: `of` gets a cluster for each, `centers` (clusters x features, doubles,
 * or NULL) the means, `cost` (or NULL) the sum of squared distances. A cluster that lost all
 * samples takes the one farthest from its center, so none is empty. Clusters of held samples
 * start at the mean of those. The values must be finite. The same seed gives the same bits for
 * any number of threads. */
tsr_status tsr__kmeans(int32_t *of, double *centers, double *cost, const tsr_matrix *x,
                       const tsr__kmeans_options *options);

#endif
