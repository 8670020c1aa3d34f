/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A text that is read from one end to the other, a window of whole lines at a time, for those
 * who parse a text in memory and need not know that there is more of it. */
#ifndef TSR_IO_WINDOW_H
#define TSR_IO_WINDOW_H

#include "io/lines.h"

typedef struct tsr__window {
    const char *begin, *end; /* whole lines; of the last one the end may be missing */
    int64_t lines_before;    /* \n of the text before `begin` */
    int64_t size;            /* of the file */
    bool last;               /* nothing follows */

    int file;               /* plus one; 0: none */
    char *bytes;            /* `filled` of the file, in `room` */
    int64_t filled, room;   /* the bytes from `end` on are the next window's */
    int64_t offset;         /* in the file, of what follows the bytes */
    int64_t usual, longest; /* bytes of a window, and of one with a long line */
} tsr__window;

/* Windows of about `usual` bytes, of up to `longest` where a line needs it. */
tsr_status tsr__window_open(tsr__window *out, const char *path, int64_t usual, int64_t longest);

/* The first, then the next window; `rule` says where lines end. False in *more at the end. With
 * `blanks`, blank lines at the end of a window wait for what follows, and are left out at the end of
 * the file: they are values only where more values follow. */
tsr_status tsr__window_next(bool *more, tsr__window *window, const tsr__line_rule *rule,
                            bool blanks);

/* Before the first window: it begins at byte `offset`, which `lines` are before. */
void tsr__window_skip(tsr__window *window, int64_t offset, int64_t lines);

/* The number of the line of the whole text that `at` is on. */
int64_t tsr__window_line(const tsr__window *window, const char *at);
void tsr__window_close(tsr__window *window);

#endif
