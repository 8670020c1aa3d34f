/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a start is made from, for the files that make one. */
#ifndef TSR_FACTOR_INIT_H
#define TSR_FACTOR_INIT_H

#include "factor/plan.h"

#include "base/random.h"

/* `x` are the samples themselves where the solver sees groups of them, or a kernel. */
typedef struct tsr__start {
    tsr__solver *s;
    const tsr__spec *spec;
    const tsr__problem *problem;
    const tsr_matrix *x; /* the samples */
    tsr__random random;
    int64_t restart;
} tsr__start;

/* init.c: numbers that others draw; codes of samples as those of own rows. */
void tsr__random_skip(tsr__random *random, int64_t count);
void tsr__take_codes(tsr__solver *s, const tsr_matrix *codes);

/* init_svd.c: parts of the leading singular pairs, with what becomes of their zeros. */
typedef enum tsr__filling { TSR_FILL_NOT, TSR_FILL_MEAN, TSR_FILL_RANDOM } tsr__filling;
tsr_status tsr__start_svd(tsr__start *b, tsr__filling how);

#endif
