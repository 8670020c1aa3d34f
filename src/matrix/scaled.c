/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Scaled views. A window of the samples is worked on row by row, into the window that was asked
 * for: O(its entries), one more read and write of them. */
#include "matrix/scaled.h"

#include "matrix/kernels.h"

#include <math.h>
#include <string.h>

double tsr__cut_degree(const void *values, tsr_type type, const int32_t *columns, int64_t count,
                       const double *cuts)
{
    double dot = 0;
    for (int64_t e = 0; e < count; e++)
        dot += tsr__value_at(values, type, e) * cuts[columns != NULL ? columns[e] : e];
    return dot;
}

void tsr__weigh_row(void *values, tsr_type type, const int32_t *columns, int64_t count,
                    const double *cuts)
{
    const double dot = tsr__cut_degree(values, type, columns, count, cuts);
    for (int64_t e = 0; dot > 0 && e < count; e++)
        tsr__value_set(values, type, e, tsr__value_at(values, type, e) / sqrt(dot));
}

static void clear_missing(void *values, tsr_type type, int64_t count)
{
    for (int64_t e = 0; e < count; e++)
        if (isnan(tsr__value_at(values, type, e)))
            tsr__value_set(values, type, e, 0);
}

/* Both ascend: one walk. A position that a sparse row does not store is zero already. */
static void clear_marked(void *values, tsr_type type, const int32_t *columns, int64_t count,
                         const tsr_matrix *clear, int64_t row)
{
    int64_t e = 0;
    for (int64_t at = clear->rows[row]; at < clear->rows[row + 1]; at++) {
        const int32_t feature = clear->columns[at];
        if (columns == NULL) {
            tsr__value_set(values, type, feature, 0);
            continue;
        }
        while (e < count && columns[e] < feature)
            e++;
        if (e < count && columns[e] == feature)
            tsr__value_set(values, type, e, 0);
    }
}

/* One row from `from`, which is changed, to `to`, which may differ in type; the norm is taken in
 * the first. */
static void scale_row(void *to, void *from, tsr_type type, const int32_t *columns,
                      int64_t count, const tsr__scaling *by, int64_t row)
{
    if (by->missing)
        clear_missing(from, type, count);
    if (by->clear != NULL)
        clear_marked(from, type, columns, count, by->clear, row);
    tsr__normalize_row(from, type, count, by->norm);
    if (by->type != type && type == TSR_FLOAT32)
        tsr__kernels_of(type)->widen(to, from, count);
    else if (by->type != type)
        tsr__kernels_of(by->type)->narrow(to, from, count);
    if (by->cuts != NULL)
        tsr__weigh_row(to, by->type, columns, count, by->cuts);
}

typedef struct scaled {
    const tsr_matrix *of;
    tsr_matrix *own; /* the same, where it goes with the view; or NULL */
    tsr__scaling by;
} scaled;

/* In place where the type stays; else a row passes through a few numbers on its way. */
static tsr_status read_scaled(void *held, const tsr_matrix *x, int64_t first, int64_t count,
                              void *values, int32_t *columns)
{
    tsr_status status = TSR_OK;
    const scaled *s = held;
    const bool same = s->by.type == s->of->type;
    const size_t from = tsr__type_size(s->of->type), to = tsr__type_size(x->type);
    tsr_matrix rows;
    char *row = NULL;
    int64_t next = 0, longest = 0;
    TSR_TRY(tsr__matrix_window(&rows, s->of, first, count));
    for (int64_t i = 0; i < count; i++) {
        const int64_t length = tsr__row_end(&rows, i) - tsr__row_begin(&rows, i);
        longest = length > longest ? length : longest;
    }
    if (!same)
        TSR_NEW(row, longest * (int64_t)from);
    for (int64_t i = 0; i < count; i++) {
        const int64_t at = tsr__row_begin(&rows, i), length = tsr__row_end(&rows, i) - at;
        char *out = (char *)values + (size_t)next * to;
        if (length > 0)
            memcpy(same ? out : row, (const char *)rows.values + (size_t)at * from,
                   (size_t)length * from);
        if (rows.sparse && length > 0)
            memcpy(columns + next, rows.columns + at, (size_t)length * sizeof *columns);
        scale_row(out, same ? out : row, rows.type, rows.sparse ? columns + next : NULL, length,
                  &s->by, first + i);
        next += length;
    }
done:
    tsr__free(row);
    return status;
}

static void close_scaled(void *held)
{
    scaled *s = held;
    tsr_matrix_free(s->own);
    tsr__free(s);
}

/* Where the entries of sparse samples stand is what a view does not change. */
static tsr_status make(tsr_matrix **out, const tsr_matrix *x, tsr_matrix *own,
                       const tsr__scaling *by)
{
    tsr_status status = TSR_OK;
    scaled *held = NULL;
    int64_t *rows = NULL;
    tsr_matrix *view = NULL;
    TSR_NEW(held, 1);
    *held = (scaled){x, own, *by};
    if (x->sparse)
        TSR_NEW(rows, x->samples + 1);
    for (int64_t i = 0; x->sparse && i <= x->samples; i++)
        rows[i] = x->rows[i] - x->rows[0];
    const tsr__origin from = {.read = read_scaled, .close = close_scaled, .held = held};
    TSR_TRY(tsr__matrix_stored(&view, &from, x->samples, x->features, by->type, rows));
    held = NULL, rows = NULL;
    view->image = x->image;
    *out = view;
done:
    tsr__free(held);
    tsr__free(rows);
    return status;
}

tsr_status tsr__matrix_scaled(tsr_matrix **out, const tsr_matrix *x, const tsr__scaling *by)
{
    return make(out, x, NULL, by);
}

tsr_status tsr__matrix_scale(tsr_matrix *x, const tsr__scaling *by)
{
    tsr_status status = TSR_OK;
    tsr_matrix *same = NULL, *view = NULL;
    TSR_TRY(tsr__matrix_again(&same, x));
    TSR_TRY(make(&view, same, same, by));
    same = NULL;
    tsr__matrix_become(x, view);
done:
    tsr_matrix_free(same);
    return status;
}
