/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Matrices over arrays as other programs lay them out: compressed rows and columns with indices of
 * either width, and dense columns.
 *
 * Kernels read positions of 64 bits, columns of 32, and samples as rows. What has another width is
 * copied (positions: one a sample), what lies by columns is turned once; values by rows never
 * move. Copies of indices are O(non-zeros), those of dense columns O(n m). */
#include "matrix/matrix.h"

static int64_t index_at(const void *array, tsr_index index, int64_t at)
{
    return index == TSR_INDEX64 ? ((const int64_t *)array)[at] : ((const int32_t *)array)[at];
}

/* Frees what was copied; the values are the caller's. */
static void release_copies(tsr_matrix *x)
{
    void **copies = x->held;
    tsr__free(copies[0]);
    tsr__free(copies[1]);
    tsr__free(copies);
}

/* Starts as 64 bits, wherever they are: `own` gets the copy that had to be made. */
static tsr_status take_starts(const int64_t **out, int64_t **own, const void *starts,
                              tsr_index index, int64_t samples)
{
    tsr_status status = TSR_OK;
    *out = starts;
    if (index == TSR_INDEX64)
        return TSR_OK;
    TSR_NEW(*own, samples + 1);
    for (int64_t i = 0; i <= samples; i++)
        (*own)[i] = index_at(starts, index, i);
    *out = *own;
done:
    return status;
}

/* Indices as 32 bits, likewise; the view checks those that are. */
static tsr_status take_indices(const int32_t **out, int32_t **own, const void *indices,
                               tsr_index index, const int64_t *rows, int64_t samples)
{
    tsr_status status = TSR_OK;
    *out = indices;
    if (index == TSR_INDEX32)
        return TSR_OK;
    TSR_NEW(*own, rows[samples]);
    for (int64_t i = 0; i < samples; i++)
        for (int64_t at = rows[i]; at < rows[i + 1]; at++) {
            const int64_t wide = index_at(indices, index, at);
            if (wide < 0 || wide > INT32_MAX)
                TSR_FAIL(TSR_ERROR_DATA, "row %lld has column %lld (they are 0 .. %d)",
                         (long long)i, (long long)wide, INT32_MAX);
            (*own)[at] = (int32_t)wide;
        }
    *out = *own;
done:
    return status;
}

tsr_status tsr_matrix_view_rows(tsr_matrix **out, const void *starts, const void *indices,
                                tsr_index index, const void *values, int64_t samples,
                                int64_t features, tsr_type type)
{
    TSR_REQUIRE(out, starts);
    TSR_REQUIRE_CHOICE(index, TSR_INDEX64);
    TSR_REQUIRE_CHOICE(type, TSR_FLOAT32);
    tsr_status status = TSR_OK;
    const int64_t *rows = NULL;
    const int32_t *columns = NULL;
    int64_t *own_rows = NULL;
    int32_t *own_columns = NULL;
    void **copies = NULL;
    tsr_matrix *x = NULL;
    if (samples < 0 || samples > INT64_MAX / 16)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "a matrix cannot be %lld x %lld", (long long)samples,
                 (long long)features);
    TSR_TRY(take_starts(&rows, &own_rows, starts, index, samples));
    TSR_TRY(tsr__check_pointers(rows, samples));
    if (rows[samples] > 0 && (indices == NULL || values == NULL))
        TSR_FAIL(TSR_ERROR_ARGUMENT, "%lld entries without `indices` or `values`",
                 (long long)rows[samples]);
    TSR_TRY(take_indices(&columns, &own_columns, indices, index, rows, samples));
    TSR_NEW(copies, 2);
    TSR_TRY(tsr_matrix_view_sparse(&x, rows, columns, values, samples, features, type));
    copies[0] = own_rows, copies[1] = own_columns;
    own_rows = NULL, own_columns = NULL;
    x->held = copies, copies = NULL;
    x->release = release_copies;
    *out = x;
done:
    tsr__free(own_rows);
    tsr__free(own_columns);
    tsr__free(copies);
    return status;
}

/* The caller's arrays are those of a matrix whose samples are the features of this one. */
tsr_status tsr_matrix_view_columns(tsr_matrix **out, const void *starts, const void *indices,
                                   tsr_index index, const void *values, int64_t samples,
                                   int64_t features, tsr_type type)
{
    TSR_REQUIRE(out, starts);
    tsr_status status = TSR_OK;
    tsr_matrix *turned = NULL, *x = NULL;
    if (features > INT32_MAX)
        TSR_FAIL(TSR_ERROR_ARGUMENT,
                 "a sparse matrix cannot have %lld features (they end at %d)",
                 (long long)features, INT32_MAX);
    TSR_TRY(
        tsr_matrix_view_rows(&turned, starts, indices, index, values, features, samples, type));
    TSR_TRY(tsr__matrix_transpose(&x, turned, 0));
    x->constant = true; /* else it would no longer be what `turned` is */
    x->turned = turned, turned = NULL;
    *out = x, x = NULL;
done:
    tsr_matrix_free(turned);
    tsr_matrix_free(x);
    return status;
}

/* A view of features as samples, turned. */
tsr_status tsr_matrix_copy_columns(tsr_matrix **out, const void *values, int64_t samples,
                                   int64_t features, int64_t stride, tsr_type type)
{
    TSR_REQUIRE(out);
    tsr_status status = TSR_OK;
    tsr_matrix *turned = NULL;
    TSR_TRY(tsr_matrix_view_dense(&turned, values, features, samples, stride, type));
    TSR_TRY(tsr__matrix_transpose(out, turned, 0));
done:
    tsr_matrix_free(turned);
    return status;
}
