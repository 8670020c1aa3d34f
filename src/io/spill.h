/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Entries (row, column, value) in any order, and more of them than memory holds, by row and column. */
#ifndef TSR_IO_SPILL_H
#define TSR_IO_SPILL_H

#include "base/memory.h"

/* An entry and its place: row x columns + column. */
typedef struct tsr__entry {
    int64_t place;
    double value;
} tsr__entry;

typedef struct tsr__spill tsr__spill;

/* `memory` bytes are what it takes at most, `beside` is where its files are (scratch.h). With
 * `sums`, values of one place are summed in the order in which they were added, and zeros
 * dropped. */
tsr_status tsr__spill_create(tsr__spill **out, const char *beside, int64_t memory, bool sums);
tsr_status tsr__spill_add(tsr__spill *spill, int64_t place, double value);

/* After the last entry, and before the first one is taken. */
tsr_status tsr__spill_turn(tsr__spill *spill);

/* The next entries in ascending order, up to `most`; *count is 0 when there are no more. */
tsr_status tsr__spill_take(int64_t *count, tsr__entry *out, int64_t most, tsr__spill *spill);
void tsr__spill_free(tsr__spill *spill);

#endif
