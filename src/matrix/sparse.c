/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Compressed sparse rows from entries in any order: counted by row, sorted within a row where
 * needed, equal positions summed in the order they came. */
#include "matrix/matrix.h"

#include <stdlib.h>

struct entry {
    int32_t column;
    int64_t place; /* keeps the order of equal columns, so that sums are the same everywhere */
    double value;
};

static int by_column(const void *a, const void *b)
{
    const struct entry *p = a, *q = b;
    if (p->column != q->column)
        return p->column < q->column ? -1 : 1;
    return p->place < q->place ? -1 : p->place > q->place;
}

static bool ascends(const int32_t *columns, int64_t first, int64_t end)
{
    for (int64_t at = first + 1; at < end; at++)
        if (columns[at] < columns[at - 1])
            return false;
    return true;
}

static int64_t longest_row(int64_t samples, const int64_t *rows)
{
    int64_t longest = 0;
    for (int64_t i = 0; i < samples; i++)
        if (rows[i + 1] - rows[i] > longest)
            longest = rows[i + 1] - rows[i];
    return longest;
}

static void sort_row(struct entry *work, int32_t *columns, void *values, tsr_type type,
                     int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        work[i] = (struct entry){columns[i], i, tsr__value_at(values, type, i)};
    qsort(work, (size_t)count, sizeof *work, by_column);
    for (int64_t i = 0; i < count; i++) {
        columns[i] = work[i].column;
        tsr__value_set(values, type, i, work[i].value);
    }
}

/* Sums runs of one column and drops zeros, moving entries first .. end-1 to `to` on. */
static int64_t squeeze_row(int32_t *columns, void *values, tsr_type type, int64_t first,
                           int64_t end, int64_t to)
{
    for (int64_t at = first; at < end;) {
        const int32_t column = columns[at];
        double sum = tsr__value_at(values, type, at++);
        while (at < end && columns[at] == column)
            sum += tsr__value_at(values, type, at++);
        if (sum != 0) {
            columns[to] = column;
            tsr__value_set(values, type, to++, sum);
        }
    }
    return to;
}

tsr_status tsr__sparse_tidy(int64_t samples, int64_t *rows, int32_t *columns, void *values,
                            tsr_type type)
{
    tsr_status status = TSR_OK;
    struct entry *work = NULL;
    const int64_t longest = longest_row(samples, rows); /* before the positions move */
    int64_t to = 0, first = rows[0];
    for (int64_t i = 0; i < samples; i++) {
        const int64_t end = rows[i + 1];
        if (!ascends(columns, first, end)) {
            if (work == NULL)
                TSR_NEW(work, longest);
            sort_row(work, columns + first,
                     (char *)values + (size_t)first * tsr__type_size(type), type, end - first);
        }
        rows[i] = to;
        to = squeeze_row(columns, values, type, first, end, to);
        first = end;
    }
    rows[samples] = to;
done:
    tsr__free(work);
    return status;
}

static tsr_status count_rows(int64_t *rows, int64_t samples, int64_t features, int64_t count,
                             const int64_t *row, const int64_t *column)
{
    for (int64_t at = 0; at < count; at++) {
        if (row[at] < 0 || row[at] >= samples || column[at] < 0 || column[at] >= features)
            return tsr__fail(TSR_ERROR_DATA, "entry %lld is at (%lld, %lld) of %lld x %lld",
                             (long long)at, (long long)row[at], (long long)column[at],
                             (long long)samples, (long long)features);
        rows[row[at] + 1]++;
    }
    for (int64_t i = 0; i < samples; i++)
        rows[i + 1] += rows[i];
    return TSR_OK;
}

tsr_status tsr_matrix_create_sparse(tsr_matrix **out, int64_t samples, int64_t features,
                                    int64_t count, const int64_t *row, const int64_t *column,
                                    const double *value, tsr_type type)
{
    TSR_REQUIRE(out);
    TSR_REQUIRE_ARRAY(row, count);
    TSR_REQUIRE_ARRAY(column, count);
    TSR_REQUIRE_ARRAY(value, count);
    TSR_REQUIRE_CHOICE(type, TSR_FLOAT32);
    tsr_status status = TSR_OK;
    int64_t *rows = NULL, *next = NULL;
    int32_t *columns = NULL;
    void *values = NULL;
    if (samples < 0 || samples > INT64_MAX / 16 || features < 0 || features > INT32_MAX)
        TSR_FAIL(TSR_ERROR_ARGUMENT,
                 "a sparse matrix cannot be %lld x %lld (features end at %d)",
                 (long long)samples, (long long)features, INT32_MAX);
    TSR_NEW_ZERO(rows, samples + 1);
    TSR_NEW(next, samples + 1);
    TSR_NEW(columns, count);
    values = tsr__alloc(count, tsr__type_size(type));
    if (values == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    TSR_TRY(count_rows(rows, samples, features, count, row, column));
    for (int64_t i = 0; i <= samples; i++)
        next[i] = rows[i];
    for (int64_t at = 0; at < count; at++) {
        const int64_t to = next[row[at]]++;
        columns[to] = (int32_t)column[at];
        tsr__value_set(values, type, to, value[at]);
    }
    TSR_TRY(tsr__sparse_tidy(samples, rows, columns, values, type));
    TSR_TRY(tsr__matrix_take_sparse(out, rows, columns, values, samples, features, type));
    rows = NULL, columns = NULL, values = NULL;
done:
    tsr__free(rows);
    tsr__free(next);
    tsr__free(columns);
    tsr__free(values);
    return status;
}
