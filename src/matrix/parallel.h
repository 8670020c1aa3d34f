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

/* Runs `body` while no other thread runs one this way. */
void tsr__exclusive(void (*body)(void *context), void *context);

#endif
