/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Copies of matrices: chosen samples, features as samples, another type, dense or sparse. Each is
 * O(stored) and, but for dense to sparse, divided among threads: there is one right result, so
 * that how it is divided does not matter. */
#include "matrix/kernels.h"
#include "matrix/matrix.h"
#include "matrix/parallel.h"
#include "matrix/picked.h"
#include "matrix/store.h"

#include <string.h>

static int64_t stored_in(const tsr_matrix *x, int64_t i)
{
    return x->rows[i + 1] - x->rows[i];
}

static int64_t choice(const int64_t *sample, int64_t i)
{
    return sample != NULL ? sample[i] : i;
}

static tsr_status check_choice(const tsr_matrix *x, const int64_t *sample, int64_t count)
{
    if (sample == NULL && count != x->samples)
        return tsr__fail(TSR_ERROR_ARGUMENT, "%lld samples asked for, %lld are there",
                         (long long)count, (long long)x->samples);
    for (int64_t i = 0; sample != NULL && i < count; i++)
        if (sample[i] < 0 || sample[i] >= x->samples)
            return tsr__fail(TSR_ERROR_ARGUMENT, "sample %lld exceeds the %lld there are",
                             (long long)sample[i], (long long)x->samples);
    return TSR_OK;
}

tsr_status tsr__matrix_create_rows(tsr_matrix **out, int64_t samples, int64_t features,
                                   int64_t stored, tsr_type type)
{
    tsr_status status = TSR_OK;
    int64_t *rows = NULL;
    int32_t *columns = NULL;
    void *values = NULL;
    TSR_NEW_ZERO(rows, samples + 1);
    TSR_NEW(columns, stored);
    values = tsr__alloc(stored, tsr__type_size(type));
    if (values == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    TSR_TRY(tsr__matrix_take_sparse(out, rows, columns, values, samples, features, type));
    rows = NULL, columns = NULL, values = NULL;
done:
    tsr__free(rows);
    tsr__free(columns);
    tsr__free(values);
    return status;
}

/* An owned dense matrix whose values are still to be written. */
static tsr_status create_dense(tsr_matrix **out, int64_t samples, int64_t features,
                               tsr_type type)
{
    tsr_status status = TSR_OK;
    int64_t count = 0;
    void *values = NULL;
    if (!tsr__multiply(&count, samples, features))
        TSR_FAIL(TSR_ERROR_ARGUMENT, "a matrix cannot be %lld x %lld", (long long)samples,
                 (long long)features);
    values = tsr__alloc(count, tsr__type_size(type));
    if (values == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    TSR_TRY(tsr__matrix_take_dense(out, values, samples, features, type));
    values = NULL;
done:
    tsr__free(values);
    return status;
}

/* Values from one type to the same or another. */
static void copy_values(const tsr_matrix *to, int64_t to_at, const tsr_matrix *from,
                        int64_t from_at, int64_t count)
{
    const size_t size = tsr__type_size(from->type);
    char *y = (char *)to->values + (size_t)to_at * tsr__type_size(to->type);
    const char *x = (char *)from->values + (size_t)from_at * size;
    if (count == 0) /* an empty view may have no values to point at */
        return;
    if (to->type == from->type)
        memcpy(y, x, (size_t)count * size);
    else if (from->type == TSR_FLOAT32)
        tsr__kernels_of(TSR_FLOAT32)->widen((double *)(void *)y, x, count);
    else
        tsr__kernels_of(TSR_FLOAT32)->narrow(y, (const double *)(const void *)x, count);
}

struct choosing {
    const tsr_matrix *x, *to;
    const int64_t *sample;
};

static void choose_chunk(void *context, int64_t item, int thread)
{
    const struct choosing *c = context;
    const tsr__chunk chunk = tsr__matrix_chunk(c->to, item);
    const int64_t m = c->x->features;
    (void)thread;
    for (int64_t i = chunk.first; i < chunk.end; i++)
        copy_values(c->to, i * m, c->x, choice(c->sample, i) * c->x->stride, m);
}

static tsr_status copy_dense_samples(tsr_matrix **out, const tsr_matrix *x,
                                     const int64_t *sample, int64_t count)
{
    const tsr_status status = create_dense(out, count, x->features, x->type);
    if (status == TSR_OK) {
        struct choosing c = {x, *out, sample};
        tsr__parallel(tsr__matrix_chunks(*out), tsr__matrix_threads(*out, 0), choose_chunk, &c);
    }
    return status;
}

static tsr_status copy_sparse_samples(tsr_matrix **out, const tsr_matrix *x,
                                      const int64_t *sample, int64_t count)
{
    const size_t size = tsr__type_size(x->type);
    int64_t stored = 0;
    for (int64_t i = 0; i < count; i++)
        stored += stored_in(x, choice(sample, i));
    const tsr_status status = tsr__matrix_create_rows(out, count, x->features, stored, x->type);
    for (int64_t i = 0; status == TSR_OK && i < count; i++) {
        const int64_t from = x->rows[choice(sample, i)], to = (*out)->rows[i];
        const int64_t length = stored_in(x, choice(sample, i));
        memcpy((*out)->columns + to, x->columns + from, (size_t)length * sizeof(int32_t));
        memcpy((char *)(*out)->values + (size_t)to * size,
               (char *)x->values + (size_t)from * size, (size_t)length * size);
        (*out)->rows[i + 1] = to + length;
    }
    return status;
}

static tsr_status fetch_samples(tsr_matrix **out, const tsr_matrix *x, const int64_t *sample,
                                int64_t count)
{
    tsr_status status = TSR_OK;
    tsr_matrix *some = NULL;
    if (sample != NULL)
        TSR_TRY(tsr__matrix_picked(&some, x, sample, count));
    TSR_TRY(tsr__matrix_load(out, some != NULL ? some : x, tsr__matrix_threads(x, 0)));
done:
    tsr_matrix_free(some);
    return status;
}

tsr_status tsr_matrix_copy_samples(tsr_matrix **out, const tsr_matrix *x, const int64_t *sample,
                                   int64_t count)
{
    TSR_REQUIRE(out, x);
    if (sample != NULL)
        TSR_REQUIRE_ARRAY(sample, count);
    tsr_status status = check_choice(x, sample, count);
    if (status == TSR_OK && tsr__matrix_is_stored(x))
        status = fetch_samples(out, x, sample, count);
    else if (status == TSR_OK)
        status = (x->sparse ? copy_sparse_samples : copy_dense_samples)(out, x, sample, count);
    if (status == TSR_OK)
        (*out)->image = x->image;
    return status;
}

/* Features of the one are rows of the other. A thread writes whole rows, some at a time. */
struct turning {
    const tsr_matrix *x;
    tsr_matrix *t;
    int64_t parts;
    int64_t *next; /* sparse: where the next entry of a feature goes, parts x features */
};

static void turn_features(void *context, int64_t item, int thread)
{
    const struct turning *w = context;
    const size_t size = tsr__type_size(w->x->type);
    const int64_t m = w->x->features,
                  first = m / w->parts * item + m % w->parts * item / w->parts;
    const int64_t after = item + 1,
                  end = m / w->parts * after + m % w->parts * after / w->parts;
    (void)thread;
    tsr__kernels_of(w->x->type)
        ->transpose((char *)w->t->values + (size_t)(first * w->x->samples) * size,
                    w->x->samples, (char *)w->x->values + (size_t)first * size, w->x->stride,
                    w->x->samples, end - first);
}

static tsr_status transpose_dense(tsr_matrix **out, const tsr_matrix *x, int64_t threads)
{
    const tsr_status status = create_dense(out, x->features, x->samples, x->type);
    if (status == TSR_OK) {
        const int team = tsr__threads(tsr__matrix_threads(x, threads), x->features);
        struct turning w = {x, *out, team, NULL};
        tsr__parallel(w.parts, team, turn_features, &w);
    }
    return status;
}

/* The first sample of a part: parts have about as many entries each. */
static int64_t part_begin(const struct turning *w, int64_t part)
{
    const tsr_matrix *x = w->x;
    const int64_t stored = tsr_matrix_stored(x);
    const int64_t wanted =
        x->rows[0] + stored / w->parts * part + stored % w->parts * part / w->parts;
    int64_t low = 0, high = x->samples;
    if (part == w->parts)
        return x->samples; /* rows without entries may stand at the end */
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (x->rows[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void count_part(void *context, int64_t part, int thread)
{
    const struct turning *w = context;
    const tsr_matrix *x = w->x;
    int64_t *count = w->next + part * x->features;
    const int64_t end = x->rows[part_begin(w, part + 1)];
    (void)thread;
    memset(count, 0, (size_t)x->features * sizeof *count);
    for (int64_t at = x->rows[part_begin(w, part)]; at < end; at++)
        count[x->columns[at]]++;
}

/* Counts become places: a feature's entries of the first part, of the second, .. */
static void place_parts(const struct turning *w)
{
    const int64_t m = w->x->features;
    int64_t at = 0;
    for (int64_t j = 0; j < m; j++) {
        for (int64_t part = 0; part < w->parts; part++) {
            const int64_t count = w->next[part * m + j];
            w->next[part * m + j] = at;
            at += count;
        }
        w->t->rows[j + 1] = at;
    }
}

static void deal_doubles(const struct turning *w, int64_t *next, int64_t first, int64_t end)
{
    const tsr_matrix *x = w->x;
    const double *from = x->values;
    double *to = w->t->values;
    for (int64_t i = first; i < end; i++)
        for (int64_t at = x->rows[i]; at < x->rows[i + 1]; at++) {
            const int64_t place = next[x->columns[at]]++;
            w->t->columns[place] = (int32_t)i;
            to[place] = from[at];
        }
}

static void deal_floats(const struct turning *w, int64_t *next, int64_t first, int64_t end)
{
    const tsr_matrix *x = w->x;
    const float *from = x->values;
    float *to = w->t->values;
    for (int64_t i = first; i < end; i++)
        for (int64_t at = x->rows[i]; at < x->rows[i + 1]; at++) {
            const int64_t place = next[x->columns[at]]++;
            w->t->columns[place] = (int32_t)i;
            to[place] = from[at];
        }
}

static void deal_part(void *context, int64_t part, int thread)
{
    const struct turning *w = context;
    (void)thread;
    (w->x->type == TSR_FLOAT64 ? deal_doubles : deal_floats)(
        w, w->next + part * w->x->features, part_begin(w, part), part_begin(w, part + 1));
}

/* Counts the features of each part of the samples, then deals the entries out sample by sample:
 * columns come out ascending. The counts of all parts take at most an eighth of the room of the
 * result's positions, beside those of the first. */
static tsr_status transpose_sparse(tsr_matrix **out, const tsr_matrix *x, int64_t threads)
{
    tsr_status status = TSR_OK;
    struct turning w = {x, NULL, 1, NULL};
    const int64_t stored = tsr_matrix_stored(x), worth = stored / 8 / (x->features + 1) + 1;
    if (x->samples > INT32_MAX)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "%lld samples cannot become sparse features (at most %d)",
                 (long long)x->samples, INT32_MAX);
    TSR_TRY(tsr__matrix_create_rows(&w.t, x->features, x->samples, stored, x->type));
    const int team = tsr__threads(tsr__matrix_threads(x, threads), worth);
    w.parts = team;
    TSR_NEW(w.next, w.parts * x->features);
    tsr__parallel(w.parts, team, count_part, &w);
    place_parts(&w);
    tsr__parallel(w.parts, team, deal_part, &w);
    *out = w.t, w.t = NULL;
done:
    tsr_matrix_free(w.t);
    tsr__free(w.next);
    return status;
}

tsr_status tsr__matrix_transpose(tsr_matrix **out, const tsr_matrix *x, int64_t threads)
{
    TSR_OR_RETURN(tsr__matrix_need(x, "turning"));
    return (x->sparse ? transpose_sparse : transpose_dense)(out, x, threads);
}

tsr_status tsr_matrix_copy_transposed(tsr_matrix **out, const tsr_matrix *x)
{
    TSR_REQUIRE(out, x);
    return tsr__matrix_transpose(out, x, 0);
}

struct copying {
    const tsr_matrix *x, *to;
};

static void copy_dense_chunk(void *context, int64_t item, int thread)
{
    const struct copying *c = context;
    const tsr__chunk chunk = tsr__matrix_chunk(c->x, item);
    const int64_t m = c->x->features;
    (void)thread;
    if (c->x->stride == m) {
        copy_values(c->to, chunk.first * m, c->x, chunk.first * m,
                    (chunk.end - chunk.first) * m);
        return;
    }
    for (int64_t i = chunk.first; i < chunk.end; i++)
        copy_values(c->to, i * m, c->x, i * c->x->stride, m);
}

static void spread_chunk(void *context, int64_t item, int thread)
{
    const struct copying *c = context;
    const tsr_matrix *x = c->x;
    const tsr__chunk chunk = tsr__matrix_chunk(x, item);
    const size_t row = (size_t)x->features * tsr__type_size(c->to->type);
    (void)thread;
    memset((char *)c->to->values + (size_t)chunk.first * row, 0,
           (size_t)(chunk.end - chunk.first) * row);
    for (int64_t i = chunk.first; i < chunk.end; i++)
        for (int64_t at = x->rows[i]; at < x->rows[i + 1]; at++)
            tsr__value_set(c->to->values, c->to->type, i * x->features + x->columns[at],
                           tsr__value_at(x->values, x->type, at));
}

static tsr_status copy_to_dense(tsr_matrix **out, const tsr_matrix *x, tsr_type type)
{
    const tsr_status status = create_dense(out, x->samples, x->features, type);
    if (status == TSR_OK) {
        struct copying c = {x, *out};
        tsr__parallel(tsr__matrix_chunks(x), tsr__matrix_threads(x, 0),
                      x->sparse ? spread_chunk : copy_dense_chunk, &c);
    }
    return status;
}

static void copy_sparse_chunk(void *context, int64_t item, int thread)
{
    const struct copying *c = context;
    const tsr_matrix *x = c->x;
    const tsr__chunk chunk = tsr__matrix_chunk(x, item);
    const int64_t from = x->rows[chunk.first], to = from - x->rows[0];
    const int64_t count = x->rows[chunk.end] - from;
    (void)thread;
    for (int64_t i = chunk.first; i < chunk.end; i++)
        c->to->rows[i + 1] = x->rows[i + 1] - x->rows[0];
    if (count > 0)
        memcpy(c->to->columns + to, x->columns + from, (size_t)count * sizeof(int32_t));
    copy_values(c->to, to, x, from, count);
}

static tsr_status copy_sparse_as(tsr_matrix **out, const tsr_matrix *x, tsr_type type)
{
    const tsr_status status =
        tsr__matrix_create_rows(out, x->samples, x->features, tsr_matrix_stored(x), type);
    if (status == TSR_OK) {
        struct copying c = {x, *out};
        tsr__parallel(tsr__matrix_chunks(x), tsr__matrix_threads(x, 0), copy_sparse_chunk, &c);
    }
    return status;
}

static tsr_status copy_dense_to_sparse(tsr_matrix **out, const tsr_matrix *x, tsr_type type)
{
    if (x->features > INT32_MAX)
        return tsr__fail(TSR_ERROR_ARGUMENT, "%lld features exceed the %d of sparse matrices",
                         (long long)x->features, INT32_MAX);
    tsr_scan scan;
    tsr_status status = tsr_matrix_scan(&scan, x);
    if (status == TSR_OK)
        status = tsr__matrix_create_rows(out, x->samples, x->features, scan.nonzeros, type);
    for (int64_t i = 0, to = 0; status == TSR_OK && i < x->samples; i++) {
        for (int64_t j = 0; j < x->features; j++) {
            const double value = tsr__value_at(x->values, x->type, i * x->stride + j);
            if (value == 0)
                continue;
            (*out)->columns[to] = (int32_t)j;
            tsr__value_set((*out)->values, type, to++, value);
        }
        (*out)->rows[i + 1] = to;
    }
    return status;
}

tsr_status tsr_matrix_copy_as(tsr_matrix **out, const tsr_matrix *x, tsr_type type, bool sparse)
{
    TSR_REQUIRE(out, x);
    TSR_REQUIRE_CHOICE(type, TSR_FLOAT32);
    TSR_OR_RETURN(tsr__matrix_need(x, "a copy of another type or storage"));
    const tsr_status status = !sparse     ? copy_to_dense(out, x, type)
                              : x->sparse ? copy_sparse_as(out, x, type)
                                          : copy_dense_to_sparse(out, x, type);
    if (status == TSR_OK)
        (*out)->image = x->image;
    return status;
}
