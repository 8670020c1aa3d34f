/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What words are made of, beyond ASCII and whatever the locale. */
#ifndef TSR_FEATURES_UNICODE_H
#define TSR_FEATURES_UNICODE_H

#include <stdbool.h>
#include <stdint.h>

/* For code points from 0x80 on. */
bool tsr__unicode_is_word(uint32_t code);
uint32_t
tsr__unicode_lower(uint32_t code); /* one code point for one; itself where it is none */

#endif
