/* SPDX-License-Identifier: BSD-2-Clause
 *
 * JSON out: objects and arrays that are built, printed and freed. Numbers that JSON does not
 * know (NaN, infinity) become null; bytes of a text that are not UTF-8 become U+FFFD. */
#ifndef TSR_BASE_JSON_H
#define TSR_BASE_JSON_H

#include "base/status.h"

#include <stdio.h>

typedef struct tsr__json tsr__json;

/* A new object, the root; NULL when memory is out, which every call below accepts. */
tsr__json *tsr__json_new(void);
void tsr__json_free(tsr__json *root);

/* Members of an object (key given) or items of an array (key NULL). */
void tsr__json_integer(tsr__json *in, const char *key, int64_t value);
void tsr__json_real(tsr__json *in, const char *key, double value);
void tsr__json_flag(tsr__json *in, const char *key, bool value);
void tsr__json_text(tsr__json *in, const char *key, const char *value); /* NULL: null */

/* Opens an object or array inside `in`; it belongs to the root. */
tsr__json *tsr__json_object(tsr__json *in, const char *key);
tsr__json *tsr__json_array(tsr__json *in, const char *key);

/* Prints the root and a line end. */
tsr_status tsr__json_print(const tsr__json *root, FILE *to);

/* Prints it for a page: in one line without its end, numbers of nine digits, and no '<' anywhere, so
 * that no text ends the element that it stands in. */
tsr_status tsr__json_embed(const tsr__json *root, FILE *to);

#endif
