/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Some rows of a matrix as a matrix of their own, of which no copy is made: folds, draws and groups
 * of samples that stay in their file. */
#ifndef TSR_MATRIX_PICKED_H
#define TSR_MATRIX_PICKED_H

#include "matrix/matrix.h"

/* Rows `sample` of x (copied), in that order, with its image shape; x must outlive it. */
tsr_status tsr__matrix_picked(tsr_matrix **out, const tsr_matrix *x, const int64_t *sample,
                              int64_t count);

#endif
