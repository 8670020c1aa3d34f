/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Entries (row, column, value) in any order and their way into sparse rows. */
#ifndef TSR_IO_ENTRIES_H
#define TSR_IO_ENTRIES_H

#include "matrix/matrix.h"

typedef struct tsr__entries {
    int64_t count;
    int64_t *row;    /* from 0 */
    int32_t *column; /* from 0 */
    double *value;
    int mirror; /* 1: each entry off the diagonal stands for (column, row) too; -1: negated */
} tsr__entries;

void tsr__entries_clear(tsr__entries *entries);

/* Makes a matrix of the entries, which must be within it, and takes their arrays. Those of one
 * position are summed in their order, zeros dropped. O(count log(longest row) + rows), in
 * parallel; entries that come row by row are not copied. */
tsr_status tsr__entries_to_matrix(tsr_matrix **out, tsr__entries *entries, int64_t rows,
                                  int64_t columns, int64_t threads);

#endif
