/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Whatever numbers classes, clusters and groups carry, made 0 .. kinds-1. */
#ifndef TSR_LEARN_RENUMBER_H
#define TSR_LEARN_RENUMBER_H

#include "base/memory.h"
#include "base/status.h"

/* Refuses what is neither a class nor -1; `name` is what the caller calls the values, which may be
 * NULL. */
tsr_status tsr__check_classes(const int32_t *value, int64_t count, const char *name);

/* Distinct values >= 0 in ascending order become 0 .. *kinds-1, values below zero -1.
 * O(count log count), whatever the values are. */
tsr_status tsr__renumber(int64_t *to, int64_t *kinds, const int32_t *value, int64_t count);

#endif
