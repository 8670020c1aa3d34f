/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Fields: the pieces of a line, what they mean as numbers, and labels made of them. */
#ifndef TSR_IO_FIELD_H
#define TSR_IO_FIELD_H

#include "io/data.h"

#include <stdio.h>

/* Bytes of the text without the blanks and quotes around them. */
typedef struct tsr__field {
    const char *at;
    int64_t length;
    bool quoted; /* "" inside means " */
} tsr__field;

/* Takes the field at `at`. `delimiter` is a byte, ' ' for runs of blanks, or 0 for none.
 * Returns where it ends: a \n, `end`, or what tsr__field_next goes on from. */
const char *tsr__field_take(tsr__field *out, const char *at, const char *end, char delimiter);

static inline bool tsr__field_last(const char *stop, const char *end)
{
    return stop == end || *stop == '\n';
}

static inline const char *tsr__field_next(const char *stop, char delimiter)
{
    return delimiter == ' ' ? stop : stop + 1;
}

/* White space that is no part of a field. */
static inline bool tsr__field_blank(char c, char delimiter)
{
    return c == ' ' || c == '\r' || (c == '\t' && delimiter != '\t');
}

/* The fields of the line at `at`, and the \n or `end` behind them. */
int64_t tsr__field_count(const char *at, const char *end, char delimiter);
const char *tsr__field_line_end(const char *at, const char *end, char delimiter);

/* The \n of the line at `at` of a text that goes on behind `end`, or NULL where it is not certain: the
 * line is not over, or a quote opens a field that may be closed later. */
const char *tsr__field_line_whole(const char *at, const char *end, char delimiter);

/* The fields of the line at *at, of which the first `most` are kept; returns how many there are.
 * *at goes on to the next line. */
int64_t tsr__field_split(tsr__field *out, int64_t most, const char **at, const char *end,
                         char delimiter);

/* Prints a text so that tsr__field_take finds it again: in quotes where it has to be. */
void tsr__field_print(FILE *to, const char *text, char delimiter);

/* Empty, and NA without quotes. */
bool tsr__field_missing(const tsr__field *field);

/* The field as a number, NaN where it is missing; false when it is a text. */
bool tsr__field_number(double *out, const tsr__field *field);

bool tsr__field_is(const tsr__field *field, const char *text); /* in any case */
bool tsr__field_same(const tsr__field *field, const char *text);

/* The field as a whole number; false otherwise. */
bool tsr__field_integer(int64_t *out, const tsr__field *field);

/* The text itself: `out` has room for field->length + 1 bytes. Returns its length. */
int64_t tsr__field_text(char *out, const tsr__field *field);
char *tsr__field_copy(const tsr__field *field);

/* Numbers where all fields are, else texts; missing is unknown. `signs` says that -1 is a class
 * where the only labels are -1 and 1. */
tsr_status tsr__field_labels(tsr_labels **out, const tsr__field *field, int64_t count,
                             bool signs);

#endif
