/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Copies of matrices: chosen samples, features as samples, another type, dense or sparse. */
#include "matrix/kernels.h"
#include "matrix/matrix.h"

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

/* An owned sparse matrix with room for `stored` values and zeroed row pointers. */
static tsr_status create_rows(tsr_matrix **out, int64_t samples, int64_t features,
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

static tsr_status copy_dense_samples(tsr_matrix **out, const tsr_matrix *x,
                                     const int64_t *sample, int64_t count)
{
    const size_t size = tsr__type_size(x->type), row = (size_t)x->features * size;
    tsr_status status = tsr_matrix_create(out, count, x->features, x->type);
    for (int64_t i = 0; status == TSR_OK && i < count; i++)
        memcpy((char *)(*out)->values + (size_t)i * row,
               (char *)x->values + (size_t)(choice(sample, i) * x->stride) * size, row);
    return status;
}

static tsr_status copy_sparse_samples(tsr_matrix **out, const tsr_matrix *x,
                                      const int64_t *sample, int64_t count)
{
    const size_t size = tsr__type_size(x->type);
    int64_t stored = 0;
    for (int64_t i = 0; i < count; i++)
        stored += stored_in(x, choice(sample, i));
    const tsr_status status = create_rows(out, count, x->features, stored, x->type);
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

tsr_status tsr_matrix_copy_samples(tsr_matrix **out, const tsr_matrix *x, const int64_t *sample,
                                   int64_t count)
{
    TSR_REQUIRE(out, x);
    if (sample != NULL)
        TSR_REQUIRE_ARRAY(sample, count);
    tsr_status status = check_choice(x, sample, count);
    if (status == TSR_OK)
        status = (x->sparse ? copy_sparse_samples : copy_dense_samples)(out, x, sample, count);
    if (status == TSR_OK)
        (*out)->image = x->image;
    return status;
}

static tsr_status transpose_dense(tsr_matrix **out, const tsr_matrix *x)
{
    const tsr_status status = tsr_matrix_create(out, x->features, x->samples, x->type);
    if (status == TSR_OK)
        tsr__kernels_of(x->type)->transpose((*out)->values, x->samples, x->values, x->stride,
                                            x->samples, x->features);
    return status;
}

/* Counts the features, then deals the entries out sample by sample: columns come out ascending.
 */
static tsr_status transpose_sparse(tsr_matrix **out, const tsr_matrix *x)
{
    tsr_status status = TSR_OK;
    int64_t *next = NULL;
    tsr_matrix *t = NULL;
    if (x->samples > INT32_MAX)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "%lld samples cannot become sparse features (at most %d)",
                 (long long)x->samples, INT32_MAX);
    TSR_TRY(create_rows(&t, x->features, x->samples, tsr_matrix_stored(x), x->type));
    TSR_NEW(next, x->features + 1);
    for (int64_t at = x->rows[0]; at < x->rows[x->samples]; at++)
        t->rows[x->columns[at] + 1]++;
    for (int64_t j = 0; j < x->features; j++)
        t->rows[j + 1] += t->rows[j];
    memcpy(next, t->rows, (size_t)(x->features + 1) * sizeof *next);
    for (int64_t i = 0; i < x->samples; i++) {
        for (int64_t at = x->rows[i]; at < x->rows[i + 1]; at++) {
            const int64_t to = next[x->columns[at]]++;
            t->columns[to] = (int32_t)i;
            tsr__value_set(t->values, t->type, to, tsr__value_at(x->values, x->type, at));
        }
    }
    *out = t, t = NULL;
done:
    tsr_matrix_free(t);
    tsr__free(next);
    return status;
}

tsr_status tsr_matrix_copy_transposed(tsr_matrix **out, const tsr_matrix *x)
{
    TSR_REQUIRE(out, x);
    return (x->sparse ? transpose_sparse : transpose_dense)(out, x);
}

static tsr_status copy_to_dense(tsr_matrix **out, const tsr_matrix *x, tsr_type type)
{
    const tsr_status status = tsr_matrix_create(out, x->samples, x->features, type);
    for (int64_t i = 0; status == TSR_OK && i < x->samples; i++) {
        const int64_t row = i * x->features;
        for (int64_t at = x->sparse ? x->rows[i] : 0, end = x->sparse ? x->rows[i + 1] : 0;
             at < end; at++)
            tsr__value_set((*out)->values, type, row + x->columns[at],
                           tsr__value_at(x->values, x->type, at));
        for (int64_t j = 0; !x->sparse && j < x->features; j++)
            tsr__value_set((*out)->values, type, row + j,
                           tsr__value_at(x->values, x->type, i * x->stride + j));
    }
    return status;
}

static tsr_status copy_sparse_as(tsr_matrix **out, const tsr_matrix *x, tsr_type type)
{
    const tsr_status status =
        create_rows(out, x->samples, x->features, tsr_matrix_stored(x), type);
    if (status < 0)
        return status;
    const int64_t first = x->rows[0];
    for (int64_t i = 0; i <= x->samples; i++)
        (*out)->rows[i] = x->rows[i] - first;
    for (int64_t at = 0; at < tsr_matrix_stored(x); at++) {
        (*out)->columns[at] = x->columns[first + at];
        tsr__value_set((*out)->values, type, at, tsr__value_at(x->values, x->type, first + at));
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
        status = create_rows(out, x->samples, x->features, scan.nonzeros, type);
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
    const tsr_status status = !sparse     ? copy_to_dense(out, x, type)
                              : x->sparse ? copy_sparse_as(out, x, type)
                                          : copy_dense_to_sparse(out, x, type);
    if (status == TSR_OK)
        (*out)->image = x->image;
    return status;
}
