/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Nearest neighbours and the graphs made of them. */
#ifndef TSR_MATRIX_NEIGHBOURS_H
#define TSR_MATRIX_NEIGHBOURS_H

#include "matrix/matrix.h"

/* The p nearest samples of `among` for each sample of x by Euclidean distance, nearest first,
 * ties by index; a sample is not its own neighbour when x is `among`. index and square (squared
 * distances) are samples x p, -1 where there are fewer. */
tsr_status tsr__nearest_samples(int64_t *index, double *square, const tsr_matrix *x,
                                const tsr_matrix *among, int64_t p, int threads);

/* The cosine of the angle between two samples; 0 where one is zero. */
double tsr__cosine(const double *x, const double *y, int64_t count);

typedef enum tsr__edge_weight {
    TSR_EDGE_BINARY,
    TSR_EDGE_HEAT,
    TSR_EDGE_COSINE
} tsr__edge_weight;

/* The symmetric p-neighbour graph of x: an edge where either is among the other's p nearest. */
tsr_status tsr__neighbour_graph(tsr_matrix **out, const tsr_matrix *x, int64_t p,
                                tsr__edge_weight weight, double heat, int threads);

#endif
