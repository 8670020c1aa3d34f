/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Matrices: making, viewing and looking. What copies is in copy.c, what sorts in sparse.c. */
#include "matrix/matrix.h"
#include "matrix/kernels.h"
#include "matrix/parallel.h"
#include "matrix/store.h"

#include <math.h>
#include <string.h>

size_t tsr__type_size(tsr_type type)
{
    return type == TSR_FLOAT64 ? sizeof(double) : sizeof(float);
}

const char *tsr__type_name(tsr_type type)
{
    return type == TSR_FLOAT64 ? "float64" : "float32";
}

static void release_arrays(tsr_matrix *x)
{
    tsr__free(x->values);
    tsr__free(x->rows);
    tsr__free(x->columns);
}

static tsr_status check_shape(int64_t samples, int64_t features)
{
    const int64_t most = INT64_MAX / 16; /* arrays of one more can be counted in bytes */
    int64_t values = 0;
    if (samples < 0 || samples > most || features < 0 || features > most ||
        !tsr__multiply(&values, samples, features))
        return tsr__fail(TSR_ERROR_ARGUMENT, "a matrix cannot be %lld x %lld",
                         (long long)samples, (long long)features);
    return TSR_OK;
}

static tsr_status make(tsr_matrix **out, tsr_matrix contents)
{
    tsr_status status = check_shape(contents.samples, contents.features);
    if (status < 0)
        return status;
    tsr_matrix *x = tsr__alloc(1, sizeof *x);
    if (x == NULL)
        return TSR_ERROR_MEMORY;
    *x = contents;
    *out = x;
    return TSR_OK;
}

tsr_status tsr__matrix_take_dense(tsr_matrix **out, void *values, int64_t samples,
                                  int64_t features, tsr_type type)
{
    return make(out, (tsr_matrix){.samples = samples,
                                  .features = features,
                                  .stride = features,
                                  .type = type,
                                  .values = values,
                                  .release = release_arrays});
}

tsr_status tsr__matrix_take_sparse(tsr_matrix **out, int64_t *rows, int32_t *columns,
                                   void *values, int64_t samples, int64_t features,
                                   tsr_type type)
{
    return make(out, (tsr_matrix){.samples = samples,
                                  .features = features,
                                  .type = type,
                                  .sparse = true,
                                  .values = values,
                                  .rows = rows,
                                  .columns = columns,
                                  .release = release_arrays});
}

tsr_status tsr_matrix_create(tsr_matrix **out, int64_t samples, int64_t features, tsr_type type)
{
    TSR_REQUIRE(out);
    TSR_REQUIRE_CHOICE(type, TSR_FLOAT32);
    tsr_status status = check_shape(samples, features);
    void *values = NULL;
    if (status < 0)
        return status;
    values = tsr__alloc_zero(samples * features, tsr__type_size(type));
    if (values == NULL)
        return TSR_ERROR_MEMORY;
    status = tsr__matrix_take_dense(out, values, samples, features, type);
    if (status < 0)
        tsr__free(values);
    return status;
}

/* Values behind a pointer to const: who would write asks `constant` before. */
static void *borrowed(const void *values)
{
    return (void *)(uintptr_t)values;
}

tsr_status tsr_matrix_view_dense(tsr_matrix **out, const void *values, int64_t samples,
                                 int64_t features, int64_t stride, tsr_type type)
{
    TSR_REQUIRE(out);
    TSR_REQUIRE_CHOICE(type, TSR_FLOAT32);
    TSR_OR_RETURN(check_shape(samples, features));
    int64_t reach = 0;
    if (stride < features)
        return tsr__fail(TSR_ERROR_ARGUMENT, "stride %lld is below the %lld features",
                         (long long)stride, (long long)features);
    if (!tsr__multiply(&reach, samples, stride) || reach > INT64_MAX / 8)
        return tsr__fail(TSR_ERROR_ARGUMENT,
                         "%lld samples, %lld values apart, are more than can be addressed",
                         (long long)samples, (long long)stride);
    if (samples * features > 0)
        TSR_REQUIRE(values);
    return make(out, (tsr_matrix){.samples = samples,
                                  .features = features,
                                  .stride = stride,
                                  .type = type,
                                  .values = borrowed(values),
                                  .constant = true});
}

/* All of them, before any is followed: none then leads beyond the last. */
tsr_status tsr__check_pointers(const int64_t *rows, int64_t samples)
{
    if (rows[0] != 0)
        return tsr__fail(TSR_ERROR_DATA, "row pointers begin with %lld", (long long)rows[0]);
    for (int64_t i = 0; i < samples; i++)
        if (rows[i + 1] < rows[i])
            return tsr__fail(TSR_ERROR_DATA, "row pointers fall at row %lld", (long long)i);
    return TSR_OK;
}

static tsr_status check_row(const int64_t *rows, const int32_t *columns, int64_t i,
                            int64_t features)
{
    for (int64_t at = rows[i]; at < rows[i + 1]; at++) {
        if (columns[at] < 0 || columns[at] >= features)
            return tsr__fail(TSR_ERROR_DATA, "row %lld has column %d of %lld", (long long)i,
                             columns[at], (long long)features);
        if (at > rows[i] && columns[at] <= columns[at - 1])
            return tsr__fail(TSR_ERROR_DATA, "columns do not ascend in row %lld", (long long)i);
    }
    return TSR_OK;
}

tsr_status tsr_matrix_view_sparse(tsr_matrix **out, const int64_t *rows, const int32_t *columns,
                                  const void *values, int64_t samples, int64_t features,
                                  tsr_type type)
{
    TSR_REQUIRE(out, rows);
    TSR_REQUIRE_CHOICE(type, TSR_FLOAT32);
    TSR_OR_RETURN(check_shape(samples, features));
    TSR_OR_RETURN(tsr__check_pointers(rows, samples));
    if (rows[samples] > 0)
        TSR_REQUIRE(columns, values);
    for (int64_t i = 0; i < samples; i++)
        TSR_OR_RETURN(check_row(rows, columns, i, features));
    return make(out, (tsr_matrix){.samples = samples,
                                  .features = features,
                                  .type = type,
                                  .sparse = true,
                                  .values = borrowed(values),
                                  .rows = borrowed(rows),
                                  .columns = borrowed(columns),
                                  .constant = true});
}

tsr_status tsr_matrix_view_samples(tsr_matrix **out, const tsr_matrix *x, int64_t first,
                                   int64_t count)
{
    TSR_REQUIRE(out, x);
    if (first < 0 || count < 0 || first > x->samples - count)
        return tsr__fail(TSR_ERROR_ARGUMENT,
                         "%lld samples from %lld on exceed the %lld there are",
                         (long long)count, (long long)first, (long long)x->samples);
    TSR_OR_RETURN(tsr__matrix_need(x, "a view"));
    tsr_matrix view = *x;
    view.samples = count;
    view.release = NULL;
    view.held = NULL;
    view.turned = NULL;
    view.constant = true; /* whoever looks at x has no leave to change it */
    if (x->sparse)        /* positions stay those of x: rows[0] of the view is not 0 */
        view.rows = x->rows + first;
    else
        view.values = (char *)x->values + (size_t)(first * x->stride) * tsr__type_size(x->type);
    return make(out, view);
}

void tsr_matrix_free(tsr_matrix *x)
{
    if (x == NULL)
        return;
    if (x->release != NULL)
        x->release(x);
    tsr_matrix_free(x->turned);
    tsr__free(x);
}

int64_t tsr_matrix_samples(const tsr_matrix *x)
{
    return x != NULL ? x->samples : 0;
}

int64_t tsr_matrix_features(const tsr_matrix *x)
{
    return x != NULL ? x->features : 0;
}

int64_t tsr_matrix_stored(const tsr_matrix *x)
{
    if (x == NULL)
        return 0;
    return x->sparse ? x->rows[x->samples] - x->rows[0] : x->samples * x->features;
}

tsr_type tsr_matrix_type(const tsr_matrix *x)
{
    return x != NULL ? x->type : TSR_FLOAT64;
}

bool tsr_matrix_is_sparse(const tsr_matrix *x)
{
    return x != NULL && x->sparse;
}

tsr_image_shape tsr_matrix_image(const tsr_matrix *x)
{
    static const tsr_image_shape none;
    return x != NULL ? x->image : none;
}

tsr_status tsr_matrix_set_image(tsr_matrix *x, tsr_image_shape shape)
{
    TSR_REQUIRE(x);
    TSR_REQUIRE_CHOICE(shape.order, TSR_COLUMN_ORDER);
    int64_t pixels = 0;
    if (shape.height < 0 || shape.width < 0 ||
        !tsr__multiply(&pixels, shape.height, shape.width) ||
        (pixels != x->features && shape.height != 0))
        return tsr__fail(TSR_ERROR_ARGUMENT, "an image of %lld x %lld is not %lld features",
                         (long long)shape.height, (long long)shape.width,
                         (long long)x->features);
    x->image = shape;
    return TSR_OK;
}

tsr_image_shape tsr__image_guess(int64_t features, tsr_image_order order)
{
    int64_t side = 8;
    while (side < 65536 && side * side < features)
        side++;
    if (side * side != features)
        side = 0;
    return (tsr_image_shape){side, side, order};
}

/* False for NULL, too. */
static bool has_sample(const tsr_matrix *x, int64_t sample)
{
    return x != NULL && sample >= 0 && sample < x->samples;
}

double tsr_matrix_at(const tsr_matrix *x, int64_t sample, int64_t feature)
{
    if (!has_sample(x, sample) || feature < 0 || feature >= x->features)
        return (double)NAN;
    tsr_matrix row;
    if (x->store != NULL) /* NaN where it cannot be read any more */
        return tsr__matrix_window(&row, x, sample, 1) == TSR_OK
                   ? tsr_matrix_at(&row, 0, feature)
                   : (double)NAN;
    if (!x->sparse)
        return tsr__value_at(x->values, x->type, sample * x->stride + feature);
    int64_t low = x->rows[sample], high = x->rows[sample + 1];
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (x->columns[middle] < feature)
            low = middle + 1;
        else
            high = middle;
    }
    const bool stored = low < x->rows[sample + 1] && x->columns[low] == feature;
    return stored ? tsr__value_at(x->values, x->type, low) : 0;
}

void tsr_matrix_get_sample(double *out, const tsr_matrix *x, int64_t sample)
{
    if (out == NULL || !has_sample(x, sample))
        return;
    tsr_matrix row;
    if (x->store != NULL) {
        if (tsr__matrix_window(&row, x, sample, 1) == TSR_OK)
            tsr_matrix_get_sample(out, &row, 0);
        for (int64_t j = 0; row.values == NULL && j < x->features; j++)
            out[j] = (double)NAN;
        return;
    }
    if (x->sparse) {
        memset(out, 0, (size_t)x->features * sizeof *out);
        for (int64_t at = x->rows[sample]; at < x->rows[sample + 1]; at++)
            out[x->columns[at]] = tsr__value_at(x->values, x->type, at);
        return;
    }
    for (int64_t j = 0; j < x->features; j++)
        out[j] = tsr__value_at(x->values, x->type, sample * x->stride + j);
}

double tsr__row_square(const tsr_matrix *x, int64_t i)
{
    const int64_t first = tsr__row_begin(x, i);
    const void *row = (char *)x->values + (size_t)first * tsr__type_size(x->type);
    return tsr__kernels_of(x->type)->dot(row, row, tsr__row_end(x, i) - first);
}

/* Some tens of microseconds of work each; no more of them than can be joined in no time. */
static int64_t chunk_samples(const tsr_matrix *x)
{
    enum { VALUES = 1 << 16 };
    int64_t chunks = tsr_matrix_stored(x) / VALUES + 1;
    if (chunks > TSR_CHUNKS_MOST)
        chunks = TSR_CHUNKS_MOST;
    const int64_t samples = (x->samples + chunks - 1) / chunks;
    return samples > 0 ? samples : 1;
}

int64_t tsr__matrix_chunks(const tsr_matrix *x)
{
    const int64_t samples = chunk_samples(x);
    return (x->samples + samples - 1) / samples;
}

tsr__chunk tsr__matrix_chunk(const tsr_matrix *x, int64_t item)
{
    const int64_t samples = chunk_samples(x), first = item * samples;
    return (tsr__chunk){first, x->samples - first < samples ? x->samples : first + samples};
}

int tsr__matrix_threads(const tsr_matrix *x, int64_t wanted)
{
    const int64_t worth = tsr_matrix_stored(x) / 500000 + 1; /* a thread pays from there on */
    const int64_t chunks = tsr__matrix_chunks(x);
    return tsr__threads(wanted, worth < chunks ? worth : chunks);
}

const void *tsr_matrix_values(const tsr_matrix *x)
{
    return x != NULL ? x->values : NULL;
}

void *tsr_matrix_edit(tsr_matrix *x)
{
    return x != NULL && !x->constant ? x->values : NULL;
}

int64_t tsr_matrix_stride(const tsr_matrix *x)
{
    return x != NULL ? x->stride : 0;
}

const int64_t *tsr_matrix_rows(const tsr_matrix *x)
{
    return x != NULL ? x->rows : NULL;
}

const int32_t *tsr_matrix_columns(const tsr_matrix *x)
{
    return x != NULL ? x->columns : NULL;
}
