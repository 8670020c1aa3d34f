/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What basis vectors are about, by class. */
#ifndef TSR_LEARN_TERMS_H
#define TSR_LEARN_TERMS_H

#include "factor/model.h"

/* For each basis vector the class it serves most, -1 where no classes are known: that of its
 * block, or the one whose samples have the largest mean code. `share` gets that mean over the sum
 * of the means of all classes. */
tsr_status tsr__vector_classes(int32_t *of, double *share, const tsr_model *model);

#endif
