/* SPDX-License-Identifier: BSD-2-Clause
 *
 * HDF5 files as they are written:
 *
 *     /x                dense dataset in one piece; or a group: data, indices (int32), indptr
 *                       (int64), attributes shape and encoding-type "csr_matrix", as AnnData
 *     /x attributes     image_height, image_width, image_order ("row" or "column"), where known
 *     /x_by_feature     the same group of the transposed matrix, where that was asked for
 *     /labels           int32 positions in /classes, -1 unknown
 *     /classes          texts
 *     /sample_names, /feature_names   texts, where known
 *     /recipe           how the features were made, where known: see recipe.h
 *
 * Samples are in memory, stored (matrix/store.h) or pass through (flow.h): equal samples make equal
 * files. */
#include "io/format.h"
#include "io/hdf5.h"
#include "io/recipe.h"
#include "matrix/store.h"

#include <stdio.h>

/* The arrays of a sparse matrix, each in memory or in a scratch file. */
typedef struct part {
    tsr__element element;
    int64_t count;
    const void *values; /* or NULL: */
    const tsr__scratch *from;
    int64_t less; /* what its integers count from */
    bool later;   /* neither: room is made for it */
} part;

static tsr_status fill_part(void *context, void *out, int64_t first, int64_t count)
{
    const part *p = context;
    const int64_t size = tsr__element_size(p->element);
    const tsr_status status = tsr__scratch_read(out, p->from, first * size, count * size);
    for (int64_t i = 0; status == TSR_OK && p->less != 0 && i < count; i++)
        ((int32_t *)out)[i] -= (int32_t)p->less;
    return status;
}

/* An array has its place in the file from its first element on: that one is written now, so that
 * arrays stand in the order in which they are made, whenever their values come. */
static tsr_status make_room(tsr__hdf5 *to, const char *name, const tsr__hdf5_block *whole)
{
    const double zero = 0; /* of any type */
    tsr__hdf5_block one = *whole;
    one.shape[0] = 1, one.values = &zero;
    TSR_OR_RETURN(tsr__hdf5_make_array(to, name, whole));
    return whole->shape[0] > 0 ? tsr__hdf5_write_part(to, name, &one, 0) : TSR_OK;
}

static tsr_status write_part(tsr__hdf5 *to, const char *name, part p)
{
    const tsr__hdf5_block block = {p.element, 1, {p.count, 1}, 1, p.values};
    if (p.later)
        return make_room(to, name, &block);
    return p.from != NULL ? tsr__hdf5_write_pieces(to, name, &block, fill_part, &p)
                          : tsr__hdf5_write(to, name, &block);
}

static tsr_status write_group(tsr__hdf5 *to, const char *group, const int64_t shape[2],
                              const part parts[3])
{
    static const char *const names[] = {"data", "indices", "indptr"};
    tsr_status status = TSR_OK;
    char path[64];
    TSR_TRY(tsr__hdf5_make_group(to, group));
    TSR_TRY(tsr__hdf5_set_integers(to, group, "shape", shape, 2));
    TSR_TRY(tsr__hdf5_set_variable_text(to, group, "encoding-type", "csr_matrix"));
    TSR_TRY(tsr__hdf5_set_variable_text(to, group, "encoding-version", "0.1.0"));
    for (int i = 0; i < 3; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", group, names[i]);
        TSR_TRY(write_part(to, path, parts[i]));
    }
done:
    return status;
}

static tsr__element element_of(tsr_type type)
{
    return type == TSR_FLOAT64 ? TSR_ELEMENT_FLOAT64 : TSR_ELEMENT_FLOAT32;
}

static tsr_status write_sparse(tsr__hdf5 *to, const char *group, const tsr_matrix *x)
{
    tsr_status status = TSR_OK;
    const int64_t shape[2] = {x->samples, x->features};
    const int64_t first = x->rows[0], stored = x->rows[x->samples] - first;
    const char *values = (const char *)x->values + (size_t)first * tsr__type_size(x->type);
    int64_t *rows = NULL;

    TSR_NEW(rows, x->samples + 1);
    for (int64_t i = 0; i <= x->samples; i++)
        rows[i] = x->rows[i] - first;
    const part parts[] = {
        {.element = element_of(x->type), .count = stored, .values = values},
        {.element = TSR_ELEMENT_INT32, .count = stored, .values = x->columns + first},
        {.element = TSR_ELEMENT_INT64, .count = x->samples + 1, .values = rows}};
    TSR_TRY(write_group(to, group, shape, parts));
done:
    tsr__free(rows);
    return status;
}

static tsr_status write_flow(tsr__hdf5 *to, const char *group, const tsr__flow *flow)
{
    const int64_t shape[2] = {flow->samples, flow->features};
    const part parts[] = {
        {.element = element_of(flow->type), .count = flow->stored, .from = &flow->values},
        {.element = TSR_ELEMENT_INT32,
         .count = flow->stored,
         .from = &flow->columns,
         .less = flow->base},
        {.element = TSR_ELEMENT_INT64, .count = flow->samples + 1, .from = &flow->rows}};
    return write_group(to, group, shape, parts);
}

static tsr_status write_dense_flow(tsr__hdf5 *to, const tsr__flow *flow)
{
    part p = {.element = element_of(flow->type), .from = &flow->values};
    const tsr__hdf5_block block = {
        p.element, 2, {flow->samples, flow->features}, flow->features, NULL};
    return tsr__hdf5_write_pieces(to, "x", &block, fill_part, &p);
}

/* Rows first .. of x, which a window has. */
static tsr_status write_window(tsr__hdf5 *to, const tsr_matrix *x, const tsr_matrix *rows,
                               int64_t first, tsr__element element)
{
    const tsr__hdf5_block dense = {
        element, 2, {rows->samples, rows->features}, rows->stride, rows->values};
    if (!x->sparse)
        return tsr__hdf5_write_part(to, "x", &dense, first);
    const int64_t at = rows->rows[0], count = tsr_matrix_stored(rows),
                  place = x->rows[first] - x->rows[0];
    const size_t size = tsr__type_size(x->type);
    if (count == 0)
        return TSR_OK;
    const tsr__hdf5_block data = {
        element, 1, {count, 1}, 1, (const char *)rows->values + (size_t)at * size};
    const tsr__hdf5_block indices = {TSR_ELEMENT_INT32, 1, {count, 1}, 1, rows->columns + at};
    TSR_OR_RETURN(tsr__hdf5_write_part(to, "x/data", &data, place));
    return tsr__hdf5_write_part(to, "x/indices", &indices, place);
}

/* All rows of x, one window after another, into arrays that are there. */
static tsr_status write_windows(tsr__hdf5 *to, const tsr_matrix *x, tsr__element element)
{
    const int64_t most = tsr__matrix_window_rows(x);
    for (int64_t first = 0; first < x->samples; first += most) {
        const int64_t left = x->samples - first;
        tsr_matrix rows;
        TSR_OR_RETURN(tsr__matrix_window(&rows, x, first, left < most ? left : most));
        TSR_OR_RETURN(write_window(to, x, &rows, first, element));
    }
    return TSR_OK;
}

/* Samples that are not in memory: room first, then their windows; row pointers are there. */
static tsr_status write_stored(tsr__hdf5 *to, const tsr_matrix *x)
{
    const tsr__element element = element_of(x->type);
    const tsr__hdf5_block dense = {element, 2, {x->samples, x->features}, x->features, NULL};
    if (!x->sparse) {
        TSR_OR_RETURN(tsr__hdf5_make_array(to, "x", &dense));
    } else {
        const int64_t shape[2] = {x->samples, x->features}, stored = tsr_matrix_stored(x);
        const part parts[] = {
            {.element = element, .count = stored, .later = true},
            {.element = TSR_ELEMENT_INT32, .count = stored, .later = true},
            {.element = TSR_ELEMENT_INT64, .count = x->samples + 1, .values = x->rows}};
        TSR_OR_RETURN(write_group(to, "x", shape, parts));
    }
    return write_windows(to, x, element);
}

static tsr_status write_samples(tsr__hdf5 *to, const tsr_matrix *x, const tsr__flow *flow)
{
    tsr_status status = TSR_OK;
    const tsr__hdf5_block dense = {
        element_of(x->type), 2, {x->samples, x->features}, x->stride, x->values};
    if (tsr__flow_has(flow))
        TSR_TRY(flow->sparse ? write_flow(to, "x", flow) : write_dense_flow(to, flow));
    else if (tsr__matrix_is_stored(x))
        TSR_TRY(write_stored(to, x));
    else
        TSR_TRY(x->sparse ? write_sparse(to, "x", x) : tsr__hdf5_write(to, "x", &dense));
    if (x->image.height > 0) {
        const char *order = x->image.order == TSR_COLUMN_ORDER ? "column" : "row";
        TSR_TRY(tsr__hdf5_set_integers(to, "x", "image_height", &x->image.height, 1));
        TSR_TRY(tsr__hdf5_set_integers(to, "x", "image_width", &x->image.width, 1));
        TSR_TRY(tsr__hdf5_set_text(to, "x", "image_order", order));
    }
done:
    return status;
}

/* The samples by feature: in memory if they are there, else by a sort. */
static tsr_status write_turned(tsr__hdf5 *to, const tsr_matrix *x, const tsr__flow *flow)
{
    tsr_status status = TSR_OK;
    tsr__flow by_feature = {0};
    tsr_matrix *turned = NULL;
    TSR_TRY(tsr__check_orders(true, x->sparse));
    if (tsr__flow_has(flow) || tsr__matrix_is_stored(x)) {
        TSR_TRY(tsr__flow_turn(&by_feature, flow, x));
        TSR_TRY(write_flow(to, "x_by_feature", &by_feature));
    } else {
        TSR_TRY(tsr_matrix_copy_transposed(&turned, x));
        TSR_TRY(write_sparse(to, "x_by_feature", turned));
    }
done:
    tsr__flow_clear(&by_feature);
    tsr_matrix_free(turned);
    return status;
}

static tsr_status write_texts(tsr__hdf5 *to, const char *name, char *const *text, int64_t count)
{
    return count > 0 ? tsr__hdf5_write_texts(to, name, (const char *const *)text, count)
                     : TSR_OK;
}

tsr_status tsr__h5_write_as(const tsr_data *data, const tsr__flow *flow, const char *path)
{
    tsr_status status = TSR_OK;
    tsr__hdf5 *to = NULL;
    const tsr_labels *labels = data->labels;

    TSR_TRY(tsr__hdf5_create(&to, path));
    TSR_TRY(write_samples(to, data->x, flow));
    if (flow->both_orders)
        TSR_TRY(write_turned(to, data->x, flow));
    if (labels != NULL) {
        TSR_TRY(write_part(to, "labels",
                           (part){.element = TSR_ELEMENT_INT32,
                                  .count = labels->count,
                                  .values = labels->of}));
        TSR_TRY(write_texts(to, "classes", labels->name, labels->classes));
    }
    TSR_TRY(write_texts(to, "sample_names", data->sample_names.name, data->sample_names.count));
    TSR_TRY(
        write_texts(to, "feature_names", data->feature_names.name, data->feature_names.count));
    TSR_TRY(tsr__recipe_write(to, &data->recipe));
done:
    return tsr__hdf5_close(to, status);
}

tsr_status tsr__h5_write(const tsr_data *data, const char *path)
{
    return tsr__h5_write_as(data, &(tsr__flow){0}, path);
}
