/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Samples of a .npz, a block of each of their arrays at a time: entries unpack from one end to the
 * other, those of a sparse matrix side by side. Rows of a dense array and of csr come in their order;
 * columns of a dense array, csc and coo are sorted. */
#include "io/npz.h"

#include "base/progress.h"
#include "io/npy.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 4096, HEAD_MOST = 1 << 16 };

/* An array that is being unpacked. */
typedef struct stream {
    zip_file_t *file;
    tsr__array array; /* `data` are the bytes of a block */
    int64_t left;     /* elements that are still to be unpacked */
    int64_t size;     /* bytes that the entry announces */
    int64_t behind;   /* bytes of them behind the array */
    double *block;
    int64_t at, filled;
} stream;

static tsr_status damaged(zip_file_t *file)
{
    return tsr__fail(TSR_ERROR_FORMAT, "the entry is damaged: %s",
                     tsr__zip.error_strerror(tsr__zip.file_get_error(file)));
}

static tsr_status unpack(const stream *s, void *out, int64_t size)
{
    char *to = out;
    while (size > 0) {
        const zip_int64_t got = tsr__zip.fread(s->file, to, (zip_uint64_t)size);
        if (got < 0)
            return damaged(s->file);
        if (got == 0)
            return tsr__fail(TSR_ERROR_FORMAT, "the entry announces %lld bytes and holds fewer",
                             (long long)s->size);
        to += got, size -= got;
    }
    return TSR_OK;
}

/* The head of the array, which the entry begins with. */
static tsr_status take_head(stream *s)
{
    tsr_status status = TSR_OK;
    char *head = NULL;
    int64_t length = 0, parsed = 0;
    TSR_NEW(head, HEAD_MOST);
    TSR_TRY(unpack(s, head, 12));
    const unsigned char *byte = (const unsigned char *)head;
    const int width = byte[6] == 1 ? 2 : 4;
    for (int i = width - 1; i >= 0; i--)
        length = length << 8 | byte[8 + i];
    if (length > HEAD_MOST - 12 || 8 + width + length < 12)
        TSR_FAIL(TSR_ERROR_FORMAT, "a .npy head of %lld bytes", (long long)length);
    TSR_TRY(unpack(s, head + 12, width + length - 4));
    TSR_TRY(tsr__npy_parse_head(&s->array, head, 8 + width + length, &parsed));
    s->array.bytes = s->size - parsed;
    TSR_TRY(tsr__array_count(&s->left, &s->array));
    s->behind = s->array.bytes - s->left * s->array.item;
done:
    tsr__free(head);
    return status;
}

static tsr_status open_stream(stream *out, const tsr__npz_samples *from, zip_uint64_t entry)
{
    tsr_status status = TSR_OK;
    zip_stat_t about;
    if (tsr__zip.stat_index(from->zip, entry, 0, &about) != 0 ||
        (about.valid & ZIP_STAT_SIZE) == 0 || about.size > INT64_MAX / 2)
        TSR_FAIL(TSR_ERROR_FORMAT, "the entry has no size");
    TSR_TRY(tsr__bound_check(from->bound, (double)about.size, "an entry of %llu bytes",
                             (unsigned long long)about.size));
    out->file = tsr__zip.fopen_index(from->zip, entry, 0);
    if (out->file == NULL)
        TSR_FAIL(TSR_ERROR_FORMAT, "the entry cannot be read: %s",
                 tsr__zip.error_strerror(tsr__zip.get_error(from->zip)));
    out->size = (int64_t)about.size;
    TSR_TRY(take_head(out));
    if (tsr__element_size(out->array.element) == 0)
        TSR_FAIL(TSR_ERROR_DATA, "the samples are %s, not numbers",
                 tsr__element_name(out->array.element));
    TSR_NEW(out->block, BLOCK);
    out->array.data = tsr__alloc(BLOCK, (size_t)out->array.item);
    if (out->array.data == NULL)
        status = TSR_ERROR_MEMORY;
done:
    return status;
}

static void close_stream(stream *s)
{
    if (s->file != NULL)
        (void)tsr__zip.fclose(s->file);
    tsr__free(s->array.data);
    tsr__free(s->block);
}

static tsr_status refill(stream *s)
{
    s->at = 0, s->filled = s->left < BLOCK ? s->left : BLOCK;
    if (s->filled == 0)
        return tsr__fail(TSR_ERROR_FORMAT, "the entry ends before its array does");
    const tsr_status status = unpack(s, s->array.data, s->filled * s->array.item);
    if (status == TSR_OK)
        tsr__array_get(s->block, 1, &s->array, 0, s->filled);
    s->left -= s->filled;
    return status;
}

static inline tsr_status next(double *out, stream *s)
{
    const tsr_status status = s->at == s->filled ? refill(s) : TSR_OK;
    *out = status == TSR_OK ? s->block[s->at++] : 0;
    return status;
}

/* To the end, where libzip compares the checksum; there must be just as much as was announced. */
static tsr_status finish(stream *s)
{
    char more = 0;
    while (s->left > 0)
        TSR_OR_RETURN(refill(s));
    for (; s->behind > 0; s->behind--)
        TSR_OR_RETURN(unpack(s, &more, 1));
    const zip_int64_t got = tsr__zip.fread(s->file, &more, 1);
    if (got > 0)
        return tsr__fail(TSR_ERROR_FORMAT, "the entry announces %lld bytes and holds more",
                         (long long)s->size);
    return got < 0 ? damaged(s->file) : TSR_OK;
}

/* Dense --------------------------------------------------------------------------------- */

static tsr_status pass_rows(stream *s, tsr__flow *flow, const tsr__task *ticket,
                            int64_t samples)
{
    tsr_status status = TSR_OK;
    void *values = NULL;
    const int64_t row = flow->features, most = flow->memory / 8 / 8;
    const int64_t rows = row < most ? most / row : 1;
    if (row > most && row > BLOCK)
        TSR_FAIL(TSR_ERROR_DATA,
                 "a sample of %lld values takes more than --memory leaves for it: give more",
                 (long long)row);
    values = tsr__alloc(rows * row, tsr__type_size(flow->type));
    if (values == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    for (int64_t first = 0; first < samples; first += rows) {
        const int64_t left = samples - first, some = left < rows ? left : rows;
        for (int64_t k = 0; k < some * row; k++) {
            double value = 0;
            TSR_TRY(next(&value, s));
            tsr__value_set(values, flow->type, k, value);
        }
        TSR_TRY(tsr__flow_dense(flow, values, some));
        TSR_TRY(tsr__task_step(ticket, first * row, (double)NAN, (double)NAN));
    }
done:
    tsr__free(values);
    return status;
}

static tsr_status pass_columns(stream *s, tsr__flow *flow, const tsr__task *ticket,
                               const tsr__meaning *is)
{
    tsr_status status = TSR_OK;
    TSR_TRY(tsr__flow_sort(flow, is->samples, is->features));
    for (int64_t j = 0; j < is->features; j++) {
        for (int64_t i = 0; i < is->samples; i++) {
            double value = 0;
            TSR_TRY(next(&value, s));
            TSR_TRY(tsr__flow_entry(flow, i, j, value));
        }
        TSR_TRY(tsr__task_step(ticket, j * is->samples, (double)NAN, (double)NAN));
    }
    TSR_TRY(finish(s));
    TSR_TRY(tsr__flow_sorted(flow));
done:
    return status;
}

static tsr_status pass_dense(tsr_matrix **out, tsr__flow *flow, const tsr__npz_samples *from)
{
    tsr_status status = TSR_OK;
    stream s = {0};
    tsr__meaning is = {0};
    TSR_TRY(open_stream(&s, from, from->values));
    const tsr__task ticket = tsr__task_begin(flow->progress, "reading an array", s.left);
    tsr__array flat = s.array;
    if (flat.rank == 3 && flat.column_major) { /* as .npy files have it: see npy.c */
        is.image = (tsr_image_shape){flat.shape[1], flat.shape[2], TSR_COLUMN_ORDER};
        flat.shape[1] *= flat.shape[2];
        flat.rank = 2;
    }
    const tsr_image_shape image = is.image;
    TSR_TRY(tsr__array_understand(&is, &flat));
    TSR_TRY(tsr__flow_begin(flow, false,
                            s.array.element == TSR_ELEMENT_FLOAT32 ? TSR_FLOAT32 : TSR_FLOAT64,
                            is.features));
    if (is.turned) {
        TSR_TRY(pass_columns(&s, flow, &ticket, &is));
    } else {
        TSR_TRY(pass_rows(&s, flow, &ticket, is.samples));
        TSR_TRY(finish(&s));
    }
    TSR_TRY(tsr__flow_end(out, flow, is.features, 0));
    (*out)->image = image.height > 0 ? image : is.image;
done:
    close_stream(&s);
    return status;
}

/* Sparse -------------------------------------------------------------------------------- */

typedef struct parts {
    stream start, index, values;
    int64_t entries; /* that all arrays have */
    int64_t place;   /* the pointer that was read last */
    int64_t lines, across;
    tsr__task ticket;
} parts;

static tsr_status next_pointer(int64_t *out, parts *p, int64_t line)
{
    double number = 0;
    TSR_OR_RETURN(next(&number, &p->start));
    if (!(number >= 0 && number < (double)p->entries + 1))
        return tsr__fail(TSR_ERROR_FORMAT, "row pointer %.17g exceeds the %lld entries", number,
                         (long long)p->entries);
    *out = (int64_t)number;
    if (line < 0 && *out != 0)
        return tsr__fail(TSR_ERROR_FORMAT, "row pointers begin with %lld, not 0",
                         (long long)*out);
    if (*out < p->place)
        return tsr__fail(TSR_ERROR_FORMAT, "row pointers fall from %lld to %lld at row %lld",
                         (long long)p->place, (long long)*out, (long long)line);
    p->place = *out;
    return TSR_OK;
}

/* The next index and value. */
static tsr_status next_entry(int64_t *index, double *value, parts *p)
{
    double number = 0;
    TSR_OR_RETURN(next(&number, &p->index));
    if (!(number >= 0 && number < (double)p->across))
        return tsr__fail(TSR_ERROR_FORMAT, "index %.17g is not in 0 .. %lld", number,
                         (long long)p->across - 1);
    *index = (int64_t)number;
    return next(value, &p->values);
}

/* Rows in arrays of this length. */
typedef struct rows {
    int64_t most, *start;
    int32_t *column;
    void *value;
} rows;

/* Entries of the `count` rows whose ends are in r->start. */
static tsr_status pass_some(parts *p, tsr__flow *flow, rows *r, int64_t count)
{
    tsr_status status = TSR_OK;
    for (int64_t k = 0; k < r->start[count]; k++) {
        int64_t index = 0;
        double value = 0;
        TSR_TRY(next_entry(&index, &value, p));
        r->column[k] = (int32_t)index;
        tsr__value_set(r->value, flow->type, k, value);
    }
    TSR_TRY(tsr__flow_sparse(flow, count, r->start, r->column, r->value));
    TSR_TRY(tsr__task_step(&p->ticket, flow->stored, (double)NAN, (double)NAN));
done:
    return status;
}

/* As many whole rows as there is room for, again and again. */
static tsr_status pass_csr(parts *p, tsr__flow *flow, rows *r)
{
    tsr_status status = TSR_OK;
    int64_t count = 0, before = 0, end = 0;
    TSR_TRY(next_pointer(&before, p, -1));
    r->start[0] = 0;
    for (int64_t i = 0; i < p->lines; i++) {
        const int64_t begin = p->place;
        TSR_TRY(next_pointer(&end, p, i));
        if (end - begin > r->most)
            TSR_FAIL(TSR_ERROR_DATA,
                     "the %lld entries of sample %lld take more than --memory leaves for them: "
                     "give more",
                     (long long)(end - begin), (long long)i);
        if (end - before > r->most || count == r->most) {
            TSR_TRY(pass_some(p, flow, r, count));
            count = 0, before = begin;
        }
        r->start[0] = 0;
        r->start[++count] = end - before;
    }
    TSR_TRY(pass_some(p, flow, r, count));
done:
    return status;
}

static tsr_status pass_csc(parts *p, tsr__flow *flow)
{
    tsr_status status = TSR_OK;
    int64_t end = 0, begin = 0;
    TSR_TRY(next_pointer(&begin, p, -1));
    for (int64_t j = 0; j < p->lines; j++, begin = end) {
        TSR_TRY(next_pointer(&end, p, j));
        for (int64_t k = begin; k < end; k++) {
            int64_t row = 0;
            double value = 0;
            TSR_TRY(next_entry(&row, &value, p));
            TSR_TRY(tsr__flow_entry(flow, row, j, value));
        }
        TSR_TRY(tsr__task_step(&p->ticket, end, (double)NAN, (double)NAN));
    }
done:
    return status;
}

static tsr_status pass_coo(parts *p, tsr__flow *flow, const int64_t *shape)
{
    tsr_status status = TSR_OK;
    for (int64_t k = 0; k < p->entries; k++) {
        double row = 0, column = 0, value = 0;
        TSR_TRY(next(&row, &p->start));
        TSR_TRY(next(&column, &p->index));
        TSR_TRY(next(&value, &p->values));
        const bool inside = row >= 0 && row < (double)shape[0];
        if (!inside || !(column >= 0 && column < (double)shape[1]))
            TSR_FAIL(TSR_ERROR_FORMAT, "index %.17g is outside %lld x %lld",
                     inside ? column : row, (long long)shape[0], (long long)shape[1]);
        TSR_TRY(tsr__flow_entry(flow, (int64_t)row, (int64_t)column, value));
        if (k % BLOCK == 0)
            TSR_TRY(tsr__task_step(&p->ticket, k, (double)NAN, (double)NAN));
    }
done:
    return status;
}

static tsr_status pass_lines(parts *p, tsr__flow *flow)
{
    tsr_status status = TSR_OK;
    rows r = {.most = flow->memory / 64};
    r.most = r.most < 64 ? 64 : r.most;
    TSR_NEW(r.start, r.most + 1);
    TSR_NEW(r.column, r.most);
    r.value = tsr__alloc(r.most, tsr__type_size(flow->type));
    if (r.value == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    TSR_TRY(pass_csr(p, flow, &r));
done:
    tsr__free(r.start);
    tsr__free(r.column);
    tsr__free(r.value);
    return status;
}

static tsr_status finish_parts(parts *p)
{
    tsr_status status = TSR_OK;
    TSR_TRY(finish(&p->start));
    TSR_TRY(finish(&p->index));
    TSR_TRY(finish(&p->values));
done:
    return status;
}

static tsr_status pass_sparse(tsr_matrix **out, tsr__flow *flow, const tsr__npz_samples *from)
{
    tsr_status status = TSR_OK;
    const bool by_columns = from->layout == TSR_BY_COLUMNS;
    parts p = {.lines = from->shape[by_columns], .across = from->shape[!by_columns]};
    TSR_TRY(open_stream(&p.values, from, from->values));
    TSR_TRY(open_stream(&p.start, from, from->start));
    TSR_TRY(open_stream(&p.index, from, from->index));
    TSR_TRY(
        tsr__compressed_check(&p.entries, &(tsr__compressed){from->layout,
                                                             {from->shape[0], from->shape[1]},
                                                             p.start.array,
                                                             p.index.array,
                                                             p.values.array,
                                                             from->bound}));
    p.ticket = tsr__task_begin(flow->progress, "reading a matrix", p.entries);
    TSR_TRY(tsr__flow_begin(
        flow, true, p.values.array.element == TSR_ELEMENT_FLOAT32 ? TSR_FLOAT32 : TSR_FLOAT64,
        0));
    if (from->layout == TSR_BY_ROWS) {
        TSR_TRY(pass_lines(&p, flow));
        TSR_TRY(finish_parts(&p));
    } else {
        TSR_TRY(tsr__flow_sort(flow, from->shape[0], from->shape[1]));
        TSR_TRY(by_columns ? pass_csc(&p, flow) : pass_coo(&p, flow, from->shape));
        TSR_TRY(finish_parts(&p));
        TSR_TRY(tsr__flow_sorted(flow));
    }
    TSR_TRY(tsr__flow_end(out, flow, from->shape[1], 0));
done:
    close_stream(&p.start);
    close_stream(&p.index);
    close_stream(&p.values);
    return status;
}

tsr_status tsr__npz_pass(tsr_matrix **out, tsr__flow *flow, const tsr__npz_samples *from)
{
    return from->sparse ? pass_sparse(out, flow, from) : pass_dense(out, flow, from);
}
