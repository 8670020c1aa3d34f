/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Dense products whose result has few columns, compiled like the kernels of kernels.h for each
 * element type and instruction set. A general product packs its operands first, which costs as
 * much as the product itself when there are ten or fifty columns. */
#ifndef TSR_MATRIX_SLIM_H
#define TSR_MATRIX_SLIM_H

#include "matrix/blas.h"

typedef struct tsr__slims {
    int64_t most; /* columns that it is made for; 0 where registers are too few */
    void (*multiply)(const tsr__product *product); /* B as it is stored */
} tsr__slims;

const tsr__slims *tsr__slims_of(tsr_type type);

#endif
