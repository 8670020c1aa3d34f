/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One writer a folder. The lock ends with its process, however that ends. */
#ifndef TSR_IO_LOCK_H
#define TSR_IO_LOCK_H

#include "base/status.h"

typedef struct tsr__lock {
    int file; /* -1: nothing is held */
} tsr__lock;

#define TSR_LOCK_NONE                                                                          \
    (tsr__lock)                                                                                \
    {                                                                                          \
        -1                                                                                     \
    }

/* Takes the folder, or fails at once and says who has it: process, host, since when. A file
 * .lock is left in the folder. */
tsr_status tsr__lock_take(tsr__lock *out, const char *folder);
void tsr__lock_drop(tsr__lock *lock);

#endif
