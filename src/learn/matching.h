/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The best one-to-one matching of two sets of equally many things. */
#ifndef TSR_LEARN_MATCHING_H
#define TSR_LEARN_MATCHING_H

#include "base/memory.h"

/* Of all ways to give each row of a square table a column of its own, the one of least cost: *of
 * gets the row of each column. O(size^3). */
tsr_status tsr__match(int64_t *of, const double *cost, int64_t size);

#endif
