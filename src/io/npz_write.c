/* SPDX-License-Identifier: BSD-2-Clause
 *
 * NumPy's .npz is written by libzip:
 *
 *     X                  dense samples; or data, indices, indptr, shape, format as scipy's csr
 *     y                  int64 where the classes are integers (-1 unknown), else texts (empty
 *                        unknown), else positions in `classes` (-1 unknown)
 *     classes            only where a class is called as unknown ones are, such as -1
 *     names, features    texts, where known
 *     image_shape        [height, width], where known
 *     image_order        ["row"] or ["column"]
 *
 * Dense values are stored, so that they are read at the speed of the disk; all else is
 * deflated. All entries are dated 1980, so that equal data make equal files. */
#include "base/text.h"
#include "base/utf8.h"
#include "io/container.h"
#include "io/npy.h"
#include "io/zip.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static tsr_status zip_failed(tsr_status code, const char *what, zip_error_t *error)
{
    return tsr__fail(code, "%s: %s", what, tsr__zip.error_strerror(error));
}

enum { KEPT_MOST = 24, LEVEL = 1 }; /* higher levels take several times as long for little */

/* What is being written; libzip looks at the bytes only when it closes the archive. */
typedef struct writer {
    zip_t *zip;
    void *kept[KEPT_MOST];
    int count;
} writer;

static void *keep(writer *to, int64_t count, size_t size)
{
    void *memory = tsr__alloc(count, size);
    assert(to->count < KEPT_MOST);
    if (memory != NULL)
        to->kept[to->count++] = memory;
    return memory;
}

/* Rows of `width` bytes that begin `stride` bytes apart, or one of them. */
typedef struct block {
    const void *bytes;
    int64_t count, width, stride;
    bool stored;
} block;

static tsr_status add(writer *to, const char *name, const char *type, int rank,
                      const int64_t *shape, block rows)
{
    tsr_status status = TSR_OK;
    zip_buffer_fragment_t *part = NULL;
    zip_source_t *source = NULL;
    zip_error_t error;
    tsr__zip.error_init(&error);

    char *head = keep(to, TSR_NPY_HEAD_SIZE, 1);
    if (head == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    TSR_NEW(part, rows.count + 1);
    part[0].data = (zip_uint8_t *)head;
    part[0].length = (zip_uint64_t)tsr__npy_head(head, type, rank, shape);
    for (int64_t i = 0; i < rows.count; i++) {
        part[i + 1].data = (zip_uint8_t *)(uintptr_t)rows.bytes + i * rows.stride;
        part[i + 1].length = (zip_uint64_t)rows.width;
    }
    source =
        tsr__zip.source_buffer_fragment_create(part, (zip_uint64_t)rows.count + 1, 0, &error);
    if (source == NULL)
        TSR_TRY(zip_failed(TSR_ERROR_MEMORY, name, &error));
    const zip_int64_t entry = tsr__zip.file_add(to->zip, name, source, ZIP_FL_ENC_UTF_8);
    if (entry < 0)
        TSR_TRY(zip_failed(TSR_ERROR_IO, name, tsr__zip.get_error(to->zip)));
    source = NULL;
    const int how = rows.stored ? ZIP_CM_STORE : ZIP_CM_DEFLATE;
    if (tsr__zip.set_file_compression(to->zip, (zip_uint64_t)entry, how, LEVEL) != 0 ||
        tsr__zip.file_set_dostime(to->zip, (zip_uint64_t)entry, 0, 1 << 5 | 1, 0) != 0)
        TSR_TRY(zip_failed(TSR_ERROR_IO, name, tsr__zip.get_error(to->zip)));
done:
    tsr__zip.source_free(source);
    tsr__free(part);
    tsr__zip.error_fini(&error);
    return status;
}

static tsr_status add_vector(writer *to, const char *name, const char *type, const void *bytes,
                             int64_t count, size_t size)
{
    const int64_t width = count * (int64_t)size;
    return add(to, name, type, 1, &count, (block){bytes, width > 0, width, width, false});
}

static tsr_status add_texts(writer *to, const char *name, const char *const *text,
                            int64_t count)
{
    char type[24];
    uint32_t point = 0;
    int64_t longest = 1, room = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t length = 0;
        for (const char *at = text[i]; *at != '\0'; length++)
            at = tsr__utf8_get(&point, at);
        longest = length > longest ? length : longest;
    }
    if (!tsr__multiply(&room, count, longest))
        return tsr__fail(TSR_ERROR_MEMORY, "%s: %lld texts of %lld characters", name,
                         (long long)count, (long long)longest);
    uint32_t *points = keep(to, room, sizeof *points);
    if (points == NULL)
        return TSR_ERROR_MEMORY;
    memset(points, 0, (size_t)room * sizeof *points);
    for (int64_t i = 0; i < count; i++) {
        uint32_t *next = points + i * longest;
        for (const char *at = text[i]; *at != '\0';)
            at = tsr__utf8_get(next++, at);
    }
    (void)snprintf(type, sizeof type, "U%lld", (long long)longest);
    return add_vector(to, name, type, points, count, (size_t)longest * sizeof *points);
}

static tsr_status add_samples(writer *to, const tsr_matrix *x)
{
    tsr_status status = TSR_OK;
    const char *type = x->type == TSR_FLOAT64 ? "f8" : "f4";
    const int64_t shape[2] = {x->samples, x->features}, item = (int64_t)tsr__type_size(x->type);
    if (!x->sparse) {
        const bool whole = x->stride == x->features;
        const int64_t row = x->features * item;
        return add(to, "X.npy", type, 2, shape,
                   (block){x->values, whole ? 1 : x->samples, whole ? x->samples * row : row,
                           x->stride * item, true});
    }
    const int64_t first = x->rows[0], stored = x->rows[x->samples] - first;
    int64_t *rows = keep(to, x->samples + 1, sizeof *rows);
    int64_t *size = keep(to, 2, sizeof *size);
    if (rows == NULL || size == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    for (int64_t i = 0; i <= x->samples; i++)
        rows[i] = x->rows[i] - first;
    memcpy(size, shape, sizeof shape);
    TSR_TRY(add_vector(to, "indices.npy", "i4", x->columns + first, stored, 4));
    TSR_TRY(add_vector(to, "indptr.npy", "i8", rows, x->samples + 1, 8));
    TSR_TRY(add(to, "format.npy", "S3", 0, NULL, (block){"csr", 1, 3, 3, false}));
    TSR_TRY(add_vector(to, "shape.npy", "i8", size, 2, 8));
    TSR_TRY(add_vector(to, "data.npy", type, (const char *)x->values + first * item, stored,
                       (size_t)item));
done:
    return status;
}

static tsr_status add_label_texts(writer *to, const tsr_labels *labels)
{
    tsr_status status = TSR_OK;
    const char **text = NULL;
    TSR_NEW(text, labels->count);
    for (int64_t i = 0; i < labels->count; i++)
        text[i] = labels->of[i] >= 0 ? labels->name[labels->of[i]] : "";
    TSR_TRY(add_texts(to, "y.npy", text, labels->count));
done:
    tsr__free((void *)(uintptr_t)text);
    return status;
}

static tsr_status add_labels(writer *to, const tsr_labels *labels)
{
    tsr_status status = TSR_OK;
    const tsr__labels_as as = tsr__labels_choose(labels);
    if (as == TSR_LABELS_AS_TEXTS)
        return add_label_texts(to, labels);
    int64_t *number = keep(to, labels->count, sizeof *number);
    if (number == NULL)
        return TSR_ERROR_MEMORY;
    for (int64_t i = 0; i < labels->count; i++) {
        number[i] = labels->of[i];
        if (as == TSR_LABELS_AS_INTEGERS && number[i] >= 0)
            (void)tsr__text_is_integer(&number[i], labels->name[labels->of[i]]);
    }
    TSR_TRY(add_vector(to, "y.npy", "i8", number, labels->count, 8));
    if (as == TSR_LABELS_AS_POSITIONS)
        TSR_TRY(
            add_texts(to, "classes.npy", (const char *const *)labels->name, labels->classes));
done:
    return status;
}

static tsr_status add_image(writer *to, tsr_image_shape image)
{
    tsr_status status = TSR_OK;
    const char *order = image.order == TSR_COLUMN_ORDER ? "column" : "row";
    int64_t *size = keep(to, 2, sizeof *size);
    if (size == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    size[0] = image.height;
    size[1] = image.width;
    TSR_TRY(add_vector(to, "image_shape.npy", "i8", size, 2, 8));
    TSR_TRY(add_texts(to, "image_order.npy", &order, 1));
done:
    return status;
}

static tsr_status add_all(writer *to, const tsr_data *data)
{
    tsr_status status = TSR_OK;
    TSR_TRY(add_samples(to, data->x));
    if (data->labels != NULL)
        TSR_TRY(add_labels(to, data->labels));
    if (data->sample_names.count > 0)
        TSR_TRY(add_texts(to, "names.npy", (const char *const *)data->sample_names.name,
                          data->sample_names.count));
    if (data->feature_names.count > 0)
        TSR_TRY(add_texts(to, "features.npy", (const char *const *)data->feature_names.name,
                          data->feature_names.count));
    if (data->x->image.height > 0)
        TSR_TRY(add_image(to, data->x->image));
done:
    return status;
}

tsr_status tsr__npz_write(const tsr_data *data, const char *path)
{
    tsr_status status = TSR_OK;
    writer to = {NULL, {NULL}, 0};
    int code = 0;

    TSR_TRY(tsr__zip_need());
    to.zip = tsr__zip.open(path, ZIP_CREATE | ZIP_TRUNCATE, &code);
    if (to.zip == NULL) {
        zip_error_t error;
        tsr__zip.error_init_with_code(&error, code);
        status = zip_failed(TSR_ERROR_IO, "cannot write the archive", &error);
        tsr__zip.error_fini(&error);
        goto done;
    }
    TSR_TRY(add_all(&to, data));
    if (tsr__zip.close(to.zip) != 0)
        TSR_TRY(
            zip_failed(TSR_ERROR_IO, "cannot write the archive", tsr__zip.get_error(to.zip)));
    to.zip = NULL;
done:
    if (to.zip != NULL)
        tsr__zip.discard(to.zip);
    for (int i = 0; i < to.count; i++)
        tsr__free(to.kept[i]);
    return status;
}
