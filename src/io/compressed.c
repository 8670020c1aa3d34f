/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Sparse matrices from the arrays that files keep them in.
 *
 * By columns is by rows of the transposed matrix, so there is one way in, and tsr__sparse_tidy
 * puts in order whatever a file had in disorder. Nothing in the arrays is believed: positions
 * must ascend, indices must be in range, and the shape must be within the bound of the file,
 * since row pointers are made for all samples. */
#include "io/array.h"

enum { BLOCK = 1024 };

static tsr_status check_shape(const tsr__compressed *from, int64_t entries)
{
    const int64_t *shape = from->shape;
    if (shape[0] < 1 || shape[1] < 1 || shape[0] > INT32_MAX || shape[1] > INT32_MAX)
        return tsr__fail(TSR_ERROR_FORMAT,
                         "a sparse matrix of %lld x %lld; each must be 1 .. %d",
                         (long long)shape[0], (long long)shape[1], INT32_MAX);
    if (from->bound != NULL)
        return tsr__bound_check_sparse(from->bound, (double)shape[0], (double)shape[1],
                                       (double)entries);
    if (from->layout != TSR_BY_ROWS && shape[0] / 1000 > entries + 1000)
        return tsr__fail(TSR_ERROR_FORMAT,
                         "%lld sparse samples are announced, but there are only %lld entries",
                         (long long)shape[0], (long long)entries);
    return TSR_OK;
}

static tsr_status check_part(int64_t *count, const tsr__array *array, const char *name,
                             bool integers)
{
    const tsr_status status = tsr__array_count(count, array);
    if (status < 0)
        return tsr__fail_in(status, name);
    const bool whole =
        array->element >= TSR_ELEMENT_INT8 && array->element <= TSR_ELEMENT_UINT64;
    if (integers ? !whole : tsr__element_size(array->element) == 0)
        return tsr__fail(TSR_ERROR_FORMAT, "%s of a sparse matrix are %s, not %s", name,
                         tsr__element_name(array->element), integers ? "integers" : "numbers");
    return TSR_OK;
}

tsr_status tsr__compressed_check(int64_t *entries, const tsr__compressed *from)
{
    tsr_status status = TSR_OK;
    int64_t starts = 0, indices = 0, values = 0;
    TSR_TRY(check_part(&starts, &from->start, "row pointers", true));
    TSR_TRY(check_part(&indices, &from->index, "indices", true));
    TSR_TRY(check_part(&values, &from->values, "values", false));
    TSR_TRY(check_shape(from, values));
    if (from->layout == TSR_BY_ENTRIES) {
        if (starts != values || indices != values)
            TSR_FAIL(TSR_ERROR_FORMAT, "%lld rows, %lld columns and %lld values do not match",
                     (long long)starts, (long long)indices, (long long)values);
    } else {
        const int64_t lines = from->shape[from->layout == TSR_BY_COLUMNS];
        if (starts != lines + 1)
            TSR_FAIL(TSR_ERROR_FORMAT, "%lld row pointers for %lld rows (one more expected)",
                     (long long)starts, (long long)lines);
    }
    *entries = values < indices ? values : indices;
done:
    return status;
}

/* Integers of an array into 64 bits; false where one is outside 0 .. limit-1 (it is at *bad).
 */
static bool get_integers(int64_t *out, const tsr__array *array, int64_t count, int64_t limit,
                         double *bad)
{
    double block[BLOCK];
    for (int64_t first = 0; first < count; first += BLOCK) {
        const int64_t some = count - first < BLOCK ? count - first : BLOCK;
        tsr__array_get(block, 1, array, first, some);
        for (int64_t i = 0; i < some; i++) {
            *bad = block[i];
            if (!(block[i] >= 0 && block[i] < (double)limit))
                return false;
            out[first + i] = (int64_t)block[i];
        }
    }
    return true;
}

static bool get_columns(int32_t *out, const tsr__array *array, int64_t count, int64_t limit,
                        double *bad)
{
    int64_t block[BLOCK];
    tsr__array rest = *array;
    for (int64_t first = 0; first < count; first += BLOCK) {
        const int64_t some = count - first < BLOCK ? count - first : BLOCK;
        rest.data = (char *)array->data + first * array->item;
        if (!get_integers(block, &rest, some, limit, bad))
            return false;
        for (int64_t i = 0; i < some; i++)
            out[first + i] = (int32_t)block[i];
    }
    return true;
}

static void get_values(void *out, tsr_type type, const tsr__array *array, int64_t count)
{
    double block[BLOCK];
    for (int64_t first = 0; first < count; first += BLOCK) {
        const int64_t some = count - first < BLOCK ? count - first : BLOCK;
        tsr__array_get(block, 1, array, first, some);
        for (int64_t i = 0; i < some; i++)
            tsr__value_set(out, type, first + i, block[i]);
    }
}

/* The matrix whose rows are the lines (rows or columns) of `from`. */
static tsr_status from_lines(tsr_matrix **out, const tsr__compressed *from, int64_t entries,
                             tsr_type type)
{
    tsr_status status = TSR_OK;
    const bool by_columns = from->layout == TSR_BY_COLUMNS;
    const int64_t lines = from->shape[by_columns], across = from->shape[!by_columns];
    int64_t *rows = NULL;
    int32_t *columns = NULL;
    void *values = NULL;
    double bad = 0;

    TSR_NEW(rows, lines + 1);
    if (!get_integers(rows, &from->start, lines + 1, entries + 1, &bad))
        TSR_FAIL(TSR_ERROR_FORMAT, "row pointer %.17g exceeds the %lld entries", bad,
                 (long long)entries);
    if (rows[0] != 0)
        TSR_FAIL(TSR_ERROR_FORMAT, "row pointers begin with %lld, not 0", (long long)rows[0]);
    for (int64_t i = 0; i < lines; i++)
        if (rows[i + 1] < rows[i])
            TSR_FAIL(TSR_ERROR_FORMAT, "row pointers fall from %lld to %lld at row %lld",
                     (long long)rows[i], (long long)rows[i + 1], (long long)i);
    const int64_t stored = rows[lines];
    TSR_NEW(columns, stored);
    values = tsr__alloc(stored, tsr__type_size(type));
    if (values == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    if (!get_columns(columns, &from->index, stored, across, &bad))
        TSR_FAIL(TSR_ERROR_FORMAT, "index %.17g is not in 0 .. %lld", bad,
                 (long long)across - 1);
    get_values(values, type, &from->values, stored);
    TSR_TRY(tsr__sparse_tidy(lines, rows, columns, values, type));
    TSR_TRY(tsr__matrix_take_sparse(out, rows, columns, values, lines, across, type));
    rows = NULL, columns = NULL, values = NULL;
done:
    tsr__free(rows);
    tsr__free(columns);
    tsr__free(values);
    return status;
}

static tsr_status from_entries(tsr_matrix **out, const tsr__compressed *from, int64_t entries,
                               tsr_type type)
{
    tsr_status status = TSR_OK;
    int64_t *row = NULL, *column = NULL;
    double *value = NULL, bad = 0;

    TSR_NEW(row, entries);
    TSR_NEW(column, entries);
    TSR_NEW(value, entries);
    if (!get_integers(row, &from->start, entries, from->shape[0], &bad) ||
        !get_integers(column, &from->index, entries, from->shape[1], &bad))
        TSR_FAIL(TSR_ERROR_FORMAT, "index %.17g is outside %lld x %lld", bad,
                 (long long)from->shape[0], (long long)from->shape[1]);
    tsr__array_get(value, 1, &from->values, 0, entries);
    TSR_TRY(tsr_matrix_create_sparse(out, from->shape[0], from->shape[1], entries, row, column,
                                     value, type));
done:
    tsr__free(row);
    tsr__free(column);
    tsr__free(value);
    return status;
}

tsr_status tsr__compressed_to_matrix(tsr_matrix **out, const tsr__compressed *from)
{
    tsr_status status = TSR_OK;
    tsr_matrix *lines = NULL;
    int64_t entries = 0;
    const tsr_type type =
        from->values.element == TSR_ELEMENT_FLOAT32 ? TSR_FLOAT32 : TSR_FLOAT64;

    TSR_TRY(tsr__compressed_check(&entries, from));
    if (from->layout == TSR_BY_ENTRIES) {
        TSR_TRY(from_entries(out, from, entries, type));
    } else if (from->layout == TSR_BY_COLUMNS) {
        TSR_TRY(from_lines(&lines, from, entries, type));
        TSR_TRY(tsr_matrix_copy_transposed(out, lines));
    } else {
        TSR_TRY(from_lines(out, from, entries, type));
    }
done:
    tsr_matrix_free(lines);
    return status;
}
