/* SPDX-License-Identifier: BSD-2-Clause
 *
 * MATLAB's .mat files are written by matio, in version 5 and not compressed:
 *
 *     fea                double or single matrix; or sparse, which MATLAB has as double only
 *     gnd                double column: the numbers that the classes are, -1 unknown
 *     classes            where they are not integers: cells of names; gnd is the place from 1 on
 *     names, features    cells of texts, where known
 *     image_shape        [height width], where known
 *     image_order        'row' or 'column'
 *
 * The version ends at 2 GB a variable. matio does not say when the disk is full, so the size of
 * the finished file is compared with what went in. */
#include "base/text.h"
#include "base/utf8.h"
#include "io/container.h"

#include <matio.h>
#include <string.h>
#include <sys/stat.h>

typedef struct writer {
    mat_t *mat;
    int64_t bytes; /* that the file must at least have */
} writer;

/* Takes and writes the variable. */
static tsr_status put(writer *to, matvar_t *variable, const char *name, int64_t bytes)
{
    if (variable == NULL)
        return tsr__fail(TSR_ERROR_MEMORY, "out of memory while writing %s", name);
    const int failed = Mat_VarWrite(to->mat, variable, MAT_COMPRESSION_NONE);
    Mat_VarFree(variable);
    to->bytes += bytes;
    return failed == 0 ? TSR_OK : tsr__fail(TSR_ERROR_IO, "cannot write %s", name);
}

static tsr_status put_dense(writer *to, const char *name, tsr_type type, void *values,
                            int64_t rows, int64_t columns)
{
    const bool twice = type == TSR_FLOAT64;
    size_t dims[2] = {(size_t)rows, (size_t)columns};
    matvar_t *variable = Mat_VarCreate(name, twice ? MAT_C_DOUBLE : MAT_C_SINGLE,
                                       twice ? MAT_T_DOUBLE : MAT_T_SINGLE, 2, dims, values,
                                       MAT_F_DONT_COPY_DATA);
    return put(to, variable, name, rows * columns * (int64_t)tsr__type_size(type));
}

/* UTF-16 of a text, as MATLAB has it. `out` has room for two units a byte. */
static size_t encode(uint16_t *out, const char *text)
{
    size_t length = 0;
    while (*text != '\0') {
        uint32_t point = 0;
        text = tsr__utf8_get(&point, text);
        if (point >= 0x10000) {
            out[length++] = (uint16_t)(0xd800 | (point - 0x10000) >> 10);
            point = 0xdc00 | (point & 0x3ff);
        }
        out[length++] = (uint16_t)point;
    }
    return length;
}

/* NULL when memory is out. */
static matvar_t *create_text(const char *name, const char *text)
{
    uint16_t *units = tsr__alloc(2 * (int64_t)strlen(text) + 1, sizeof *units);
    if (units == NULL)
        return NULL;
    const size_t length = encode(units, text);
    size_t dims[2] = {length > 0, length};
    matvar_t *variable = Mat_VarCreate(name, MAT_C_CHAR, MAT_T_UTF16, 2, dims, units, 0);
    tsr__free(units);
    return variable;
}

static tsr_status put_texts(writer *to, const char *name, const char *const *text,
                            int64_t count)
{
    tsr_status status = TSR_OK;
    matvar_t **cell = NULL;
    size_t dims[2] = {(size_t)count, 1};
    matvar_t *variable = NULL;

    TSR_NEW_ZERO(cell, count);
    for (int64_t i = 0; i < count; i++) {
        cell[i] = create_text(NULL, text[i]);
        if (cell[i] == NULL)
            TSR_FAIL(TSR_ERROR_MEMORY, "out of memory while writing %s", name);
    }
    variable = Mat_VarCreate(name, MAT_C_CELL, MAT_T_CELL, 2, dims, cell, 0);
    TSR_TRY(put(to, variable, name, 8 * count));
done:
    for (int64_t i = 0; variable == NULL && cell != NULL && i < count; i++)
        Mat_VarFree(cell[i]);
    tsr__free(cell);
    return status;
}

/* Rows of the transposed matrix are columns of x. */
static tsr_status put_sparse(writer *to, const tsr_matrix *x)
{
    tsr_status status = TSR_OK;
    tsr_matrix *turned = NULL, *twice = NULL;
    uint32_t *starts = NULL;
    size_t dims[2] = {(size_t)x->samples, (size_t)x->features};

    TSR_TRY(tsr_matrix_copy_transposed(&turned, x));
    TSR_TRY(tsr_matrix_copy_as(&twice, turned, TSR_FLOAT64, true));
    const int64_t stored = tsr_matrix_stored(twice);
    TSR_NEW(starts, x->features + 1);
    for (int64_t j = 0; j <= x->features; j++)
        starts[j] = (uint32_t)twice->rows[j];
    mat_sparse_t sparse = {.nzmax = (uint32_t)stored,
                           .ir = (uint32_t *)twice->columns,
                           .nir = (uint32_t)stored,
                           .jc = starts,
                           .njc = (uint32_t)x->features + 1,
                           .ndata = (uint32_t)stored,
                           .data = twice->values};
    TSR_TRY(put(to,
                Mat_VarCreate("fea", MAT_C_SPARSE, MAT_T_DOUBLE, 2, dims, &sparse,
                              MAT_F_DONT_COPY_DATA),
                "fea", 12 * stored));
done:
    tsr_matrix_free(turned);
    tsr_matrix_free(twice);
    tsr__free(starts);
    return status;
}

static tsr_status put_samples(writer *to, const tsr_matrix *x)
{
    tsr_status status = TSR_OK;
    tsr_matrix *turned = NULL;
    const double item = x->sparse ? 12 : (double)tsr__type_size(x->type);
    if ((double)tsr_matrix_stored(x) * item >= 2147483648.0 || x->samples > INT32_MAX ||
        x->features >= INT32_MAX)
        TSR_FAIL(
            TSR_ERROR_UNSUPPORTED,
            "%lld x %lld values exceed the 2 GB that a variable of a .mat of version 5 can "
            "have; write .h5 or .npz",
            (long long)x->samples, (long long)x->features);
    if (x->sparse) {
        TSR_TRY(put_sparse(to, x));
    } else {
        TSR_TRY(tsr_matrix_copy_transposed(&turned, x));
        TSR_TRY(put_dense(to, "fea", x->type, turned->values, x->samples, x->features));
    }
done:
    tsr_matrix_free(turned);
    return status;
}

static tsr_status put_labels(writer *to, const tsr_labels *labels)
{
    tsr_status status = TSR_OK;
    const bool integers = tsr__labels_choose(labels) == TSR_LABELS_AS_INTEGERS;
    double *number = NULL;
    TSR_NEW(number, labels->count);
    for (int64_t i = 0; i < labels->count; i++) {
        number[i] = labels->of[i] < 0 ? -1 : labels->of[i] + 1.0;
        if (integers && labels->of[i] >= 0)
            number[i] = tsr__labels_number(labels, i);
    }
    TSR_TRY(put_dense(to, "gnd", TSR_FLOAT64, number, labels->count, 1));
    if (!integers)
        TSR_TRY(put_texts(to, "classes", (const char *const *)labels->name, labels->classes));
done:
    tsr__free(number);
    return status;
}

static tsr_status put_image(writer *to, tsr_image_shape image)
{
    double size[2] = {(double)image.height, (double)image.width};
    const char *order = image.order == TSR_COLUMN_ORDER ? "column" : "row";
    const tsr_status status = put_dense(to, "image_shape", TSR_FLOAT64, size, 1, 2);
    return status < 0 ? status : put(to, create_text("image_order", order), "image_order", 0);
}

static tsr_status put_all(writer *to, const tsr_data *data)
{
    tsr_status status = TSR_OK;
    TSR_TRY(put_samples(to, data->x));
    if (data->labels != NULL)
        TSR_TRY(put_labels(to, data->labels));
    if (data->sample_names.count > 0)
        TSR_TRY(put_texts(to, "names", (const char *const *)data->sample_names.name,
                          data->sample_names.count));
    if (data->feature_names.count > 0)
        TSR_TRY(put_texts(to, "features", (const char *const *)data->feature_names.name,
                          data->feature_names.count));
    if (data->x->image.height > 0)
        TSR_TRY(put_image(to, data->x->image));
done:
    return status;
}

tsr_status tsr__mat_write(const tsr_data *data, const char *path)
{
    tsr_status status = TSR_OK;
    writer to = {NULL, 0};
    struct stat about;

    to.mat = Mat_CreateVer(path, "MATLAB 5.0 MAT-file, written by Tessera", MAT_FT_MAT5);
    if (to.mat == NULL)
        TSR_FAIL(TSR_ERROR_IO, "cannot write it");
    TSR_TRY(put_all(&to, data));
    const int unsaid = Mat_Close(to.mat);
    to.mat = NULL;
    if (unsaid != 0 || stat(path, &about) != 0 || about.st_size < to.bytes)
        TSR_FAIL(TSR_ERROR_IO, "cannot write all of it; is the disk full?");
done:
    if (to.mat != NULL)
        (void)Mat_Close(to.mat);
    return status;
}
