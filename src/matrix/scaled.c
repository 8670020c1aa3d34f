/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Scaled views. A block is copied into the room of the thread that asks, and worked on row by row
 * while it is there: O(its entries), one more read and write of them. */
#include "matrix/scaled.h"

#include "matrix/kernels.h"
#include "matrix/parallel.h"
#include "matrix/pass.h"

#include <math.h>
#include <string.h>

void tsr__weigh_row(void *values, tsr_type type, const int32_t *columns, int64_t count,
                    const double *cuts)
{
    double dot = 0;
    for (int64_t e = 0; e < count; e++)
        dot += tsr__value_at(values, type, e) * cuts[columns != NULL ? columns[e] : e];
    for (int64_t e = 0; dot > 0 && e < count; e++)
        tsr__value_set(values, type, e, tsr__value_at(values, type, e) / sqrt(dot));
}

/* Entries of row i of a block: where they begin, and how many. */
static int64_t entries_of(const tsr__block *block, int64_t i, int64_t *count)
{
    *count = block->sparse ? block->rows[i + 1] - block->rows[i] : block->features;
    return block->sparse ? block->rows[i] : i * block->stride;
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

/* One row from `from` to `to`, which may differ in type; the norm is taken in the first. */
static void scale_row(void *to, void *from, tsr_type type, const int32_t *columns,
                      int64_t count, const tsr__scaling *by, int64_t row)
{
    if (by->missing)
        clear_missing(from, type, count);
    if (by->clear != NULL)
        clear_marked(from, type, columns, count, by->clear, row);
    tsr__normalize_row(from, type, count, by->norm);
    if (by->type == type)
        memcpy(to, from, (size_t)count * tsr__type_size(type));
    else if (by->type == TSR_FLOAT64)
        tsr__kernels_of(type)->widen(to, from, count);
    else
        tsr__kernels_of(by->type)->narrow(to, from, count);
    if (by->cuts != NULL)
        tsr__weigh_row(to, by->type, columns, count, by->cuts);
}

/* A thread's room. */
typedef struct desk {
    void *values, *row; /* of a block, in the view's type; of one sample, in the source's */
    int64_t *rows;      /* sparse: counted from the block's first entry */
} desk;

static desk desk_of(const tsr__scaled *s, int thread)
{
    const int64_t counts = s->of.sparse ? s->of.block_samples + 1 : 0;
    char *room = s->room + (size_t)thread * s->each;
    return (desk){.values = room + (size_t)counts * sizeof(int64_t),
                  .row = room + s->each - (size_t)s->of.longest * tsr__type_size(s->of.type),
                  .rows = (int64_t *)(void *)room};
}

static tsr_status get_scaled(tsr__block *out, const tsr__source *source, int64_t index,
                             int thread)
{
    const tsr__scaled *s = source->held;
    const desk d = desk_of(s, thread);
    const size_t from = tsr__type_size(s->of.type), to = tsr__type_size(s->by.type);
    tsr__block of;
    TSR_OR_RETURN(s->of.get(&of, &s->of, index, thread));
    int64_t next = 0;
    for (int64_t i = 0; i < of.samples; i++) {
        int64_t count;
        const int64_t at = entries_of(&of, i, &count);
        memcpy(d.row, (const char *)of.values + (size_t)at * from, (size_t)count * from);
        scale_row((char *)d.values + (size_t)next * to, d.row, of.type,
                  of.sparse ? of.columns + at : NULL, count, &s->by, of.first + i);
        if (of.sparse)
            d.rows[i] = next;
        next += count;
    }
    *out = of;
    out->type = s->by.type;
    out->values = d.values;
    out->stride = of.features;
    if (of.sparse) {
        d.rows[of.samples] = next;
        out->rows = d.rows;
        out->columns = of.columns + of.rows[0];
    }
    return TSR_OK;
}

tsr_status tsr__source_scaled(tsr__source *out, tsr__scaled *held, const tsr__source *of,
                              const tsr__scaling *by, int threads)
{
    enum { LINE = 64 };
    const size_t row = (size_t)of->longest * tsr__type_size(of->type),
                 block = (size_t)of->most * tsr__type_size(by->type),
                 counts = of->sparse ? (size_t)(of->block_samples + 1) * sizeof(int64_t) : 0;
    *held = (tsr__scaled){
        .of = *of, .by = *by, .each = (counts + block + row + LINE - 1) / LINE * LINE};
    held->room = tsr__alloc(threads, held->each);
    if (held->room == NULL)
        return TSR_ERROR_MEMORY;
    *out = *of;
    out->type = by->type;
    out->held = held;
    out->get = get_scaled;
    return TSR_OK;
}

void tsr__scaled_clear(tsr__scaled *held)
{
    tsr__free(held->room);
    held->room = NULL;
}

static void copy_block(void *context, const tsr__block *block, int thread)
{
    tsr_matrix *to = context;
    const size_t size = tsr__type_size(to->type);
    (void)thread;
    if (to->sparse) {
        memcpy((char *)to->values + (size_t)to->rows[block->first] * size,
               (const char *)block->values + (size_t)block->rows[0] * size,
               (size_t)(block->rows[block->samples] - block->rows[0]) * size);
        return;
    }
    for (int64_t i = 0; i < block->samples; i++)
        memcpy((char *)to->values + (size_t)((block->first + i) * to->stride) * size,
               (const char *)block->values + (size_t)(i * block->stride) * size,
               (size_t)block->features * size);
}

/* Where the entries of sparse samples stand is what a view does not change. */
static tsr_status empty_like(tsr_matrix **out, const tsr_matrix *like, tsr_type type)
{
    const int64_t stored = tsr_matrix_stored(like);
    if (!like->sparse)
        return tsr_matrix_create(out, like->samples, like->features, type);
    TSR_OR_RETURN(tsr__matrix_create_rows(out, like->samples, like->features, stored, type));
    memcpy((*out)->rows, like->rows, (size_t)(like->samples + 1) * sizeof *like->rows);
    if (stored > 0)
        memcpy((*out)->columns, like->columns, (size_t)stored * sizeof *like->columns);
    return TSR_OK;
}

tsr_status tsr__matrix_of_source(tsr_matrix **out, const tsr__source *source,
                                 const tsr_matrix *like, int threads)
{
    tsr_status status = TSR_OK;
    tsr_matrix *x = NULL;
    TSR_TRY(empty_like(&x, like, source->type));
    x->image = like->image;
    TSR_TRY(tsr__visit_blocks(source, threads, copy_block, x));
    *out = x, x = NULL;
done:
    tsr_matrix_free(x);
    return status;
}
