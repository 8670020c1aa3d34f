/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the first 1, 2, .. k vectors of a ranking are good for. */
#ifndef TSR_LEARN_CURVE_H
#define TSR_LEARN_CURVE_H

#include "matrix/matrix.h"

/* out[r] = ||X - sum of the first r + 1 parts w_i g_i'||_F / ||X||_F, for `count` vectors. */
tsr_status tsr__curve_error(double *out, const int64_t *order, int64_t count,
                            const tsr_matrix *basis, const tsr_matrix *codes,
                            const tsr_matrix *x);

/* out[r] = share of the samples with a class whose nearest other sample has it too, by
 * projections on the first r + 1 vectors. */
tsr_status tsr__curve_accuracy(double *out, const int64_t *order, int64_t count,
                               const tsr_matrix *basis, const tsr_matrix *x,
                               const int32_t *classes);

#endif
