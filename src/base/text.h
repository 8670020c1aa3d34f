/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Texts and numbers in text: independent of the locale, exact both ways. */
#ifndef TSR_BASE_TEXT_H
#define TSR_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Reads a decimal real at `at` (not beyond `end`), correctly rounded; also inf, infinity, nan
 * in any case. Returns the first byte after it, or `at` when there is no number. */
const char *tsr__parse_real(double *out, const char *at, const char *end);

/* Reads a decimal integer; returns `at` when there is none or it does not fit. */
const char *tsr__parse_integer(int64_t *out, const char *at, const char *end);

/* The whole text as one number (blanks around it allowed); false otherwise. */
bool tsr__text_is_real(double *out, const char *text);
bool tsr__text_is_integer(int64_t *out, const char *text);

/* The shortest of %.15g, %.16g, %.17g that reads back as the same double (float: 6 to 9).
 * Writes at most TSR_REAL_SIZE bytes with the final zero; returns the length. */
enum { TSR_REAL_SIZE = 32 };
int tsr__format_real(char *out, double value);
int tsr__format_float(char *out, float value);

/* Order of names with digit runs compared by value: s2 before s10. */
int tsr__compare_natural(const char *a, const char *b);

/* The name in `names` (count of them) that `text` most likely meant, or NULL. */
const char *tsr__nearest(const char *text, const char *const *names, int64_t count);

/* Appends to a fixed buffer; ends in "..." when it does not fit. */
typedef struct tsr__line {
    char *text;
    size_t used, size;
} tsr__line;
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void tsr__line_add(tsr__line *line, const char *format, ...);
#define TSR_LINE(buffer)                                                                       \
    (tsr__line)                                                                                \
    {                                                                                          \
        (buffer), 0, sizeof(buffer)                                                            \
    }

/* Adds a template, each %s in it replaced by the next part. */
void tsr__line_fill(tsr__line *line, const char *template, const char *const *parts);

/* A text as it may be shown: control characters, which a terminal would obey, become '?'. In place;
 * returns it. And a copy of at most `size` bytes. */
char *tsr__printable(char *text);
const char *tsr__printable_copy(char *out, size_t size, const char *text);

/* A text as a shell reads it back: in quotes where it is not plain. */
void tsr__put_shell_word(FILE *to, const char *text);

#endif
