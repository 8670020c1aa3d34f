/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a file may become. A few bytes can announce anything: a last index of two thousand
 * millions, a shape without values, an archive that unpacks to a thousand times its size. So
 * there is one rule for all readers: what is made of a file, counted in bytes of memory, is at
 * most
 *
 *     expand x its size + 256 MiB
 *
 * with `expand` the setting of that name, 1000 unless told otherwise. A reader asks before it
 * allocates or works through what the file announces; what is bounded by the bytes that are
 * there, such as a matrix in text, need not ask. */
#ifndef TSR_BASE_BOUND_H
#define TSR_BASE_BOUND_H

#include "base/status.h"

enum { TSR_EXPAND = 1000, TSR_EXPAND_FREE = 256 << 20 };

enum { TSR_BOUND_TEXT = 256 }; /* what a short text takes that is kept for itself */

typedef struct tsr__bound {
    int64_t size;   /* bytes of the file, or of all files of a folder */
    int64_t expand; /* 0: TSR_EXPAND */
} tsr__bound;

/* The bound of a file that is there: `expand` as in the options. */
tsr_status tsr__bound_of(tsr__bound *out, const char *path, int64_t expand);

/* Refuses `bytes` beyond the bound. The format and what follows say what takes them, as in
 * "7 features", and begin the message. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
tsr_status
tsr__bound_check(const tsr__bound *bound, double bytes, const char *format, ...);

/* The same of a sparse matrix, with what is made on the way to it and what any look at it
 * takes: 16 bytes a row, 8 a column, 24 an entry. */
tsr_status tsr__bound_check_sparse(const tsr__bound *bound, double rows, double columns,
                                   double entries);

#endif
