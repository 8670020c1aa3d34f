/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Text as runs of whole lines that threads work on side by side. The cuts depend on the text
 * alone, so that results and messages are the same for any number of threads. */
#ifndef TSR_IO_LINES_H
#define TSR_IO_LINES_H

#include "base/memory.h"
#include "base/status.h"

/* What a body found wrong first; `kind` and `value` are its own words for it. */
typedef struct tsr__fault {
    const char *at; /* NULL: nothing */
    int kind;
    int64_t value;
} tsr__fault;

typedef struct tsr__run {
    const char *begin, *end;
    int64_t lines, lines_before; /* lines that count, here and in earlier runs */
    int64_t marks, marks_before; /* bytes that are the rule's mark, likewise */
    tsr__fault fault;
} tsr__run;

typedef struct tsr__line_rule {
    const char *blanks; /* a line of these alone does not count; NULL: every line counts */
    char comment;       /* nor does one that begins with this; 0: none */
    char mark;          /* this byte is counted; 0: none */
    char quote;         /* where it occurs, line_end says where lines end; 0: never */
    char delimiter;     /* for line_end */
    /* The \n that ends the line at `at`, or `end`. */
    const char *(*line_end)(const char *at, const char *end, char delimiter);
} tsr__line_rule;

typedef struct tsr__lines {
    tsr__run *run;
    int64_t count;
    int64_t lines, marks; /* over all runs */
    int threads;
} tsr__lines;

/* Cuts and counts in one pass: O(bytes), in parallel unless there are quotes. */
tsr_status tsr__lines_cut(tsr__lines *out, const char *begin, const char *end,
                          const tsr__line_rule *rule, int64_t threads);
void tsr__lines_clear(tsr__lines *lines);

/* Runs the body on every run, or up to the batch with the first fault; reports in between. */
typedef void (*tsr__run_body)(void *context, tsr__run *run);
tsr_status tsr__lines_each(const tsr__lines *lines, const tsr_progress *progress,
                           const char *task, tsr__run_body body, void *context);

/* The first fault in the order of the text, or NULL. */
const tsr__fault *tsr__lines_fault(const tsr__lines *lines);

/* Past the blanks at `at`, but not past the line's end. */
static inline const char *tsr__skip(const char *at, const char *end, const char *blanks)
{
    for (; at < end; at++) {
        const char *blank = blanks;
        while (*blank != '\0' && *blank != *at)
            blank++;
        if (*blank == '\0')
            break;
    }
    return at;
}

/* The \n at or after `at`, or `end`. */
const char *tsr__line_end(const char *at, const char *end);

/* The number of the line, from 1, that `at` is on. */
int64_t tsr__line_number(const char *text, const char *at);

/* A piece of the text for a message: short and printable. */
enum { TSR_EXCERPT_SIZE = 48 };
const char *tsr__excerpt(char *out, const char *at, int64_t length);

#endif
