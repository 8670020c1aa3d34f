/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Texts: the files of a folder, or the lines of one file, as bytes one after the other. */
#ifndef TSR_FEATURES_TEXTS_H
#define TSR_FEATURES_TEXTS_H

#include "features/features.h"
#include "io/file.h"

typedef struct tsr__texts {
    int folder; /* descriptor, -1: none */
    const tsr__names *files;
    bool headers;     /* stay */
    tsr__input input; /* lines: the file */
    int64_t *line;    /* lines: where each begins, and the end of the last; else NULL */
    int64_t count;
} tsr__texts;

/* What keeps a text from being one. */
typedef enum tsr__text_fault {
    TSR_TEXT_FINE,
    TSR_TEXT_UNREADABLE, /* value: errno */
    TSR_TEXT_BINARY,     /* value: the place of the first zero byte */
    TSR_TEXT_WIDE,       /* UTF-16 or UTF-32 */
    TSR_TEXT_HUGE        /* value: bytes, 2^32 or more */
} tsr__text_fault;

/* One text. The bytes are in `room` or in the file of lines, and last until the next one. */
typedef struct tsr__text {
    const char *bytes;
    int64_t size;
    tsr__text_fault fault;
    int64_t value;
    char *room;
    int64_t room_size;
} tsr__text;

tsr_status tsr__texts_open(tsr__texts *out, const tsr__feature_job *job);
void tsr__texts_close(tsr__texts *texts);

/* Text `i`, without its headers; fails only where memory is out, all else is a fault. */
tsr_status tsr__texts_get(tsr__text *text, const tsr__texts *texts, int64_t i);
void tsr__text_clear(tsr__text *text);

/* Says why into `out`; returns it. */
const char *tsr__text_reason(char *out, size_t size, tsr__text_fault fault, int64_t value);

#endif
