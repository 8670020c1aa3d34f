/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Batches that grow: a fit that begins with few of the samples. */
#ifndef TSR_FACTOR_BATCH_H
#define TSR_FACTOR_BATCH_H

#include "factor/run.h"

/* The start of the current run, and what batches make of it: ordinary iterations go on from there.
 * The history has a line for each batch, and r->since counts them; 0: there are too few samples for
 * any, and nothing was done. */
tsr_status tsr__batch_begin(tsr__run *r);

#endif
