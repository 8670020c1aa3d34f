/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Labels of samples that pass by: each text is kept once. */
#ifndef TSR_IO_ROLL_H
#define TSR_IO_ROLL_H

#include "io/field.h"

typedef struct tsr__roll {
    int32_t *of; /* of each sample, its text */
    int64_t count, of_room;
    tsr__field *text; /* each owned */
    int64_t texts, text_room;
    int32_t *slot; /* texts by their hash, -1: none; a power of two, at most half full */
    int64_t slots;
    int64_t memory, held; /* bytes that all of it may take, and that it takes */
} tsr__roll;

tsr_status tsr__roll_add(tsr__roll *roll, const tsr__field *field);

/* As tsr__field_labels makes them of all the fields that were added; with `unknown`, *out stays NULL
 * where every field is empty or "?". What was added is gone. */
tsr_status tsr__roll_take(tsr_labels **out, tsr__roll *roll, bool signs, bool unknown);
void tsr__roll_clear(tsr__roll *roll);

#endif
