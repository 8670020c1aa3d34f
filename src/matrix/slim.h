/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Dense products of our own, compiled like the kernels of kernels.h for each element type and
 * instruction set. A general product packs its operands first, which costs as much as the product
 * itself when there are ten or fifty columns. */
#ifndef TSR_MATRIX_SLIM_H
#define TSR_MATRIX_SLIM_H

#include "matrix/blas.h"

typedef struct tsr__slims {
    bool best; /* faster than BLIS, which may know wider vectors than this set */
    void (*multiply)(const tsr__product *product); /* at least one row and one column */
} tsr__slims;

const tsr__slims *tsr__slims_of(tsr_type type);

#endif
