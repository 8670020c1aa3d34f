/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Rows of a factor as doubles, a strip at a time: what a term computes entry by entry is written
 * once, for either type. */
#ifndef TSR_FACTOR_STRIP_H
#define TSR_FACTOR_STRIP_H

#include "factor/solver.h"

/* A kilobyte: on the stack, where steps that must not allocate can have several, and in the
 * nearest cache. Long enough that a kernel is called for many entries at once. */
enum { TSR_STRIP = 128 };

static inline int64_t tsr__strip_end(int64_t first, int64_t end)
{
    return end - first < TSR_STRIP ? end : first + TSR_STRIP;
}

/* Entries at .. of a real array. */
static inline void tsr__widen(double *to, const tsr__solver *s, const void *from, int64_t at,
                              int64_t count)
{
    tsr__kernels_for(s)->widen(to, tsr__real_at(s, from, at), count);
}

/* Adds to entries at .. of a real array. */
static inline void tsr__raise(const tsr__solver *s, void *to, int64_t at, const double *by,
                              int64_t count)
{
    tsr__kernels_for(s)->raise(tsr__real_at(s, to, at), by, count);
}

#endif
