/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Bytes that do not stay in memory: a file beside an output that has no name, so that whatever
 * happens nothing of it is left. Bytes are added at its end, and read anywhere afterwards. */
#ifndef TSR_IO_SCRATCH_H
#define TSR_IO_SCRATCH_H

#include "base/memory.h"

typedef struct tsr__scratch {
    int file;     /* plus one; 0: none */
    int64_t size; /* bytes that were added */
    char *room;   /* the last `used` of them, on their way */
    int64_t used, most;
} tsr__scratch;

/* In the folder of `beside`, with a buffer of `most` bytes. */
tsr_status tsr__scratch_open(tsr__scratch *out, const char *beside, int64_t most);
tsr_status tsr__scratch_add(tsr__scratch *scratch, const void *bytes, int64_t count);

/* Everything is in the file from now on, the buffer is given back; more may be added all the same. */
tsr_status tsr__scratch_flush(tsr__scratch *scratch);

/* `count` bytes from byte `at` on, all of which were flushed. */
tsr_status tsr__scratch_read(void *out, const tsr__scratch *scratch, int64_t at, int64_t count);
void tsr__scratch_close(tsr__scratch *scratch);

#endif
