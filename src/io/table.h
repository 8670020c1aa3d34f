/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The layout of a table in text: what separates its fields, whether its first line is names,
 * and which columns are features, labels and names of samples. */
#ifndef TSR_IO_TABLE_H
#define TSR_IO_TABLE_H

#include "io/field.h"
#include "io/format.h"

typedef struct tsr__table {
    const char *text;  /* the whole file */
    const char *first; /* its first line that counts */
    const char *head;  /* the same, where it holds names; else NULL */
    const char *body;  /* first line of values */
    const char *end;
    char delimiter; /* see tsr__field_take */
    int64_t columns;
    int64_t label, name; /* columns that are no features; -1: none */
} tsr__table;

enum { TSR_TABLE_LOOK = 1 << 22 }; /* bytes of the lines that are looked at, but for the last */

/* Looks at the first lines of `size` bytes. O(length of those lines). */
tsr_status tsr__table_look(tsr__table *out, const char *bytes, int64_t size,
                           const tsr__request *request);

/* "column 3 ('height')" or "column 3". */
enum { TSR_COLUMN_SIZE = 96 };
const char *tsr__table_column(char *out, const tsr__table *table, int64_t column);

/* The head of a column; false where there is none. */
bool tsr__table_head(tsr__field *out, const tsr__table *table, int64_t column);

#endif
