/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Picked rows. Those that ascend come out of one window of the samples, in which the ones between
 * them are read over: in a file they follow each other. O(entries from the first to the last). */
#include "matrix/picked.h"

#include "matrix/store.h"

#include <string.h>

typedef struct picked {
    const tsr_matrix *of;
    int64_t *sample;
} picked;

static void close_picked(void *held)
{
    picked *p = held;
    tsr__free(p->sample);
    tsr__free(p);
}

/* Of the samples from r on, how many rows a window holds that begins with the first of them and
 * ends with the last one that ascends and is near. */
static int64_t reach(const picked *p, int64_t r, int64_t end, int64_t most)
{
    const int64_t first = p->sample[r];
    int64_t last = first;
    while (++r < end && p->sample[r] >= last && p->sample[r] < first + most)
        last = p->sample[r];
    return last + 1 - first;
}

static tsr_status read_picked(void *held, const tsr_matrix *x, int64_t first, int64_t count,
                              void *values, int32_t *columns)
{
    const picked *p = held;
    const int64_t end = first + count, most = tsr__matrix_window_rows(p->of);
    const size_t size = tsr__type_size(x->type);
    tsr_matrix rows = {0};
    int64_t from = 0, to = 0, next = 0; /* samples that `rows` holds; entries so far */
    for (int64_t r = first; r < end; r++) {
        if (p->sample[r] < from || p->sample[r] >= to) {
            from = p->sample[r], to = from + reach(p, r, end, most);
            TSR_OR_RETURN(tsr__matrix_window(&rows, p->of, from, to - from));
        }
        const int64_t i = p->sample[r] - from, at = tsr__row_begin(&rows, i),
                      length = tsr__row_end(&rows, i) - at;
        if (length > 0)
            memcpy((char *)values + (size_t)next * size,
                   (const char *)rows.values + (size_t)at * size, (size_t)length * size);
        if (columns != NULL && length > 0)
            memcpy(columns + next, rows.columns + at, (size_t)length * sizeof *columns);
        next += length;
    }
    return TSR_OK;
}

tsr_status tsr__matrix_picked(tsr_matrix **out, const tsr_matrix *x, const int64_t *sample,
                              int64_t count)
{
    tsr_status status = TSR_OK;
    picked *p = NULL;
    int64_t *rows = NULL;
    TSR_NEW_ZERO(p, 1);
    p->of = x;
    TSR_NEW(p->sample, count);
    if (x->sparse)
        TSR_NEW_ZERO(rows, count + 1);
    for (int64_t r = 0; r < count; r++) {
        p->sample[r] = sample[r];
        if (x->sparse)
            rows[r + 1] = rows[r] + x->rows[sample[r] + 1] - x->rows[sample[r]];
    }
    const tsr__origin from = {.read = read_picked, .close = close_picked, .held = p};
    TSR_TRY(tsr__matrix_stored(out, &from, count, x->features, x->type, rows));
    (*out)->image = x->image;
    p = NULL, rows = NULL;
done:
    if (p != NULL)
        close_picked(p);
    tsr__free(rows);
    return status;
}
