/* SPDX-License-Identifier: BSD-2-Clause
 *
 * UTF-8 and code points; what is none is U+FFFD. */
#ifndef TSR_BASE_UTF8_H
#define TSR_BASE_UTF8_H

#include <stdint.h>

/* Writes 1 to 4 bytes and returns how many; reads one point of a text and returns the byte after
 * it. */
int tsr__utf8_put(char *out, uint32_t point);
const char *tsr__utf8_get(uint32_t *point, const char *at);

/* A copy that is UTF-8 whatever `text` is; NULL when memory is out. */
char *tsr__utf8_copy(const char *text);

#endif
