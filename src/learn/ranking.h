/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What rankings of basis vectors, and curves of them, ask of their arguments. */
#ifndef TSR_LEARN_RANKING_H
#define TSR_LEARN_RANKING_H

#include "matrix/matrix.h"

/* Shapes that fit, classes or codes where they are needed, finite samples whose squares can be
 * summed. */
tsr_status tsr__ranking_check(const tsr_matrix *basis, const tsr_matrix *codes,
                              const tsr_matrix *x, const int32_t *classes, tsr_rank_by by);

/* sum_i |x_i|^2 in the order of the samples, read window by window. */
tsr_status tsr__ranking_squares(double *out, const tsr_matrix *x);

#endif
