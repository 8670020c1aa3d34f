/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Threads: the one place where OpenMP is known. A body runs once for every item; items are
 * handed out one by one, so a body must give the same result whichever thread runs it. Bodies
 * must not fail: they keep their own status and leave the telling to the caller. */
#ifndef TSR_MATRIX_PARALLEL_H
#define TSR_MATRIX_PARALLEL_H

#include <stdint.h>

/* The number of threads that `wanted` means: 0 is all processors. Never more than items. */
int tsr__threads(int64_t wanted, int64_t items);

typedef void (*tsr__body)(void *context, int64_t item, int thread);

void tsr__parallel(int64_t items, int threads, tsr__body body, void *context);

/* Turns of `items` each: an item begins when all of the turn before have ended. For turns too short
 * to gather threads for each: one that sleeps is not waited for unless it has begun an item. */
typedef void (*tsr__turn)(void *context, int64_t turn, int64_t item, int thread);

void tsr__parallel_turns(int64_t turns, int64_t items, int threads, tsr__turn body,
                         void *context);

/* Runs `body` while no other thread runs one this way. */
void tsr__exclusive(void (*body)(void *context), void *context);

#endif
