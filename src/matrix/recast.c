/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Stored samples in another type or storage: what is asked for is copied out of windows of the
 * samples as copies of matrices in memory are (copy.c), so that the values are the same. O(its
 * entries), and of dense samples that become sparse one pass before, which counts. */
#include "matrix/store.h"

#include <string.h>

/* Rows first .. of the samples, `most` of them at a time: a window that is small as it is asked for
 * may be large as it is read. */
typedef struct walk {
    const tsr_matrix *of;
    int64_t next, end, most;
} walk;

static tsr_status step(tsr_matrix *out, walk *w)
{
    const int64_t first = w->next, left = w->end - first;
    w->next += left < w->most ? left : w->most;
    return tsr__matrix_window(out, w->of, first, w->next - first);
}

/* The rows have as many entries as were counted: else there is no room for them. */
static tsr_status check_counts(const tsr_matrix *rows, const tsr_matrix *x, int64_t first)
{
    for (int64_t i = 0; rows->sparse && i < rows->samples; i++)
        if (rows->rows[i + 1] - rows->rows[i] != x->rows[first + i + 1] - x->rows[first + i])
            return tsr__fail(TSR_ERROR_IO, "sample %lld changed while it was read",
                             (long long)(first + i));
    return TSR_OK;
}

static tsr_status read_recast(void *held, const tsr_matrix *x, int64_t first, int64_t count,
                              void *values, int32_t *columns)
{
    tsr_status status = TSR_OK;
    const tsr_matrix *of = held;
    const size_t size = tsr__type_size(x->type);
    walk w = {of, first, first + count, tsr__matrix_window_rows(of)};
    tsr_matrix rows, *copy = NULL;
    for (int64_t next = 0; w.next < w.end;) {
        const int64_t at = w.next;
        TSR_TRY(step(&rows, &w));
        TSR_TRY(tsr_matrix_copy_as(&copy, &rows, x->type, x->sparse));
        TSR_TRY(check_counts(copy, x, at));
        const int64_t entries = tsr_matrix_stored(copy);
        if (entries > 0)
            memcpy((char *)values + (size_t)next * size, copy->values, (size_t)entries * size);
        if (x->sparse && entries > 0)
            memcpy(columns + next, copy->columns, (size_t)entries * sizeof *columns);
        next += entries;
        tsr_matrix_free(copy);
        copy = NULL;
    }
done:
    tsr_matrix_free(copy);
    return status;
}

static void close_recast(void *held)
{
    tsr_matrix_free(held);
}

/* Row pointers of dense samples: what is not zero counts. */
static tsr_status count_entries(int64_t *rows, const tsr_matrix *x)
{
    walk w = {x, 0, x->samples, tsr__matrix_window_rows(x)};
    rows[0] = 0;
    while (w.next < w.end) {
        const int64_t first = w.next;
        tsr_matrix window;
        TSR_OR_RETURN(step(&window, &w));
        for (int64_t i = 0; i < window.samples; i++) {
            int64_t count = 0;
            for (int64_t j = 0; j < x->features; j++)
                count += tsr__value_at(window.values, x->type, i * window.stride + j) != 0;
            rows[first + i + 1] = rows[first + i] + count;
        }
    }
    return TSR_OK;
}

static tsr_status point(int64_t **out, const tsr_matrix *x)
{
    tsr_status status = TSR_OK;
    int64_t *rows = NULL;
    if (!x->sparse && x->features > INT32_MAX)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "%lld features exceed the %d of sparse matrices",
                 (long long)x->features, INT32_MAX);
    TSR_NEW(rows, x->samples + 1);
    if (x->sparse)
        memcpy(rows, x->rows, (size_t)(x->samples + 1) * sizeof *rows);
    else
        TSR_TRY(count_entries(rows, x));
    *out = rows, rows = NULL;
done:
    tsr__free(rows);
    return status;
}

tsr_status tsr__matrix_recast(tsr_matrix **out, const tsr_matrix *x, tsr_type type, bool sparse)
{
    tsr_status status = TSR_OK;
    tsr_matrix *same = NULL;
    int64_t *rows = NULL, values = 0;
    if (!sparse && !tsr__multiply(&values, x->samples, x->features))
        TSR_FAIL(TSR_ERROR_ARGUMENT, "a matrix cannot be %lld x %lld", (long long)x->samples,
                 (long long)x->features);
    TSR_TRY(tsr__matrix_again(&same, x));
    if (sparse)
        TSR_TRY(point(&rows, same));
    const tsr__origin from = {.read = read_recast, .close = close_recast, .held = same};
    TSR_TRY(tsr__matrix_stored(out, &from, x->samples, x->features, type, rows));
    same = NULL, rows = NULL;
    (*out)->image = x->image;
done:
    tsr_matrix_free(same);
    tsr__free(rows);
    return status;
}
