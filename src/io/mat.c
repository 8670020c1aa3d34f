/* SPDX-License-Identifier: BSD-2-Clause
 *
 * MATLAB's .mat files of versions 4 and 5 (also compressed) are read by matio; version 7.3 is
 * HDF5, and never reaches it: mat73.c.
 *
 * Numeric classes, logical, sparse; texts are the rows of a char matrix or the strings of a
 * cell array. Data are column-major; three dimensions (h, w, n) are a stack of pictures. Labels
 * beside a list `classes` of names are positions in it from 1 on.
 *
 * matio trusts the sizes that a file announces, so the file is walked before (mat_check.c), and
 * what a variable would take is compared with the bound of the file (base/bound.h) before matio
 * is asked to read it. */
#include "io/mat.h"

#include "base/bound.h"
#include "base/text.h"
#include "io/container.h"

#include <matio.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { VARIABLES_MOST = 10000 };

typedef struct archive {
    mat_t *mat;
    tsr__bound bound;
    tsr__names names;
    tsr__variable *variable;
    bool *complex; /* of each variable */
    int64_t count, room, complex_room;
} archive;

static const struct {
    enum matio_classes kind;
    enum matio_types type;
    tsr__element element;
} kinds[] = {
    {MAT_C_DOUBLE, MAT_T_DOUBLE, TSR_ELEMENT_FLOAT64},
    {MAT_C_SINGLE, MAT_T_SINGLE, TSR_ELEMENT_FLOAT32},
    {MAT_C_INT8, MAT_T_INT8, TSR_ELEMENT_INT8},
    {MAT_C_UINT8, MAT_T_UINT8, TSR_ELEMENT_UINT8},
    {MAT_C_INT16, MAT_T_INT16, TSR_ELEMENT_INT16},
    {MAT_C_UINT16, MAT_T_UINT16, TSR_ELEMENT_UINT16},
    {MAT_C_INT32, MAT_T_INT32, TSR_ELEMENT_INT32},
    {MAT_C_UINT32, MAT_T_UINT32, TSR_ELEMENT_UINT32},
    {MAT_C_INT64, MAT_T_INT64, TSR_ELEMENT_INT64},
    {MAT_C_UINT64, MAT_T_UINT64, TSR_ELEMENT_UINT64},
};

static tsr__element element_of_class(const matvar_t *found)
{
    if (found->isLogical)
        return TSR_ELEMENT_BOOL;
    if (found->class_type == MAT_C_SPARSE)
        return TSR_ELEMENT_FLOAT64;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].kind == found->class_type)
            return kinds[i].element;
    return TSR_ELEMENT_NONE;
}

static tsr__element element_of_type(enum matio_types type)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].type == type)
            return kinds[i].element;
    return TSR_ELEMENT_NONE;
}

static bool is_empty(const matvar_t *found)
{
    for (int i = 0; i < found->rank; i++)
        if (found->dims[i] == 0)
            return true;
    return found->class_type == MAT_C_EMPTY;
}

/* Elements, 0 where that is more than a count can be. */
static int64_t count_of(const matvar_t *found)
{
    int64_t count = 1;
    for (int i = 0; i < found->rank; i++)
        if (found->dims[i] > INT64_MAX / 2 ||
            !tsr__multiply(&count, count, (int64_t)found->dims[i]))
            return 0;
    return count;
}

/* True when every cell is a string or empty. */
static bool holds_texts(const matvar_t *found)
{
    const int64_t count = count_of(found);
    matvar_t *const *cell = found->data;
    if (cell == NULL || found->nbytes / sizeof *cell < (size_t)count)
        return false;
    for (int64_t i = 0; i < count; i++)
        if (cell[i] != NULL && cell[i]->class_type != MAT_C_CHAR && !is_empty(cell[i]))
            return false;
    return true;
}

static void describe(tsr__variable *out, const matvar_t *found)
{
    *out = (tsr__variable){.column_major = true};
    if (found->rank < 1 || found->rank > 4 || found->dims == NULL)
        return;
    out->rank = found->rank;
    for (int i = 0; i < found->rank; i++)
        out->shape[i] = found->dims[i] < INT64_MAX ? (int64_t)found->dims[i] : INT64_MAX;
    if (found->isComplex)
        return;
    out->sparse = found->class_type == MAT_C_SPARSE;
    out->element = element_of_class(found);
    if (found->class_type == MAT_C_CHAR && found->rank == 2) {
        out->element = TSR_ELEMENT_BYTES;
        out->rank = 1;
    } else if (found->class_type == MAT_C_CELL && holds_texts(found)) {
        out->element = TSR_ELEMENT_BYTES;
    }
}

static tsr_status list(archive *in)
{
    tsr_status status = TSR_OK;
    matvar_t *found = NULL;
    while ((found = Mat_VarReadNextInfo(in->mat)) != NULL) {
        if (in->count == VARIABLES_MOST)
            TSR_FAIL(TSR_ERROR_UNSUPPORTED, "more than %d variables", VARIABLES_MOST);
        TSR_GROW(in->variable, in->count, in->room);
        TSR_GROW(in->complex, in->count, in->complex_room);
        TSR_TRY(tsr__names_add(&in->names, found->name != NULL ? found->name : "__"));
        describe(&in->variable[in->count], found);
        in->complex[in->count++] = found->isComplex != 0;
        Mat_VarFree(found);
    }
    for (int64_t i = 0; i < in->count; i++)
        in->variable[i].name = in->names.name[i];
done:
    Mat_VarFree(found);
    return status;
}

/* Whether what variable `at` announces is within the bound: once as matio has it, once as it
 * is taken over. */
static tsr_status check_size(const archive *in, int at)
{
    const tsr__variable *variable = &in->variable[at];
    double count = 1;
    if (variable->sparse)
        return tsr__bound_check_sparse(&in->bound, (double)variable->shape[0],
                                       (double)variable->shape[1], 0);
    for (int i = 0; i < variable->rank; i++)
        count *= (double)variable->shape[i];
    return tsr__bound_check(
        &in->bound, count * (tsr__element_is_text(variable->element) ? TSR_BOUND_TEXT : 16),
        "%.0f elements", count);
}

/* Version 4 keeps a sparse matrix as a list of entries, and its shape behind the list. */
static tsr_status find_old_shapes(archive *in)
{
    tsr_status status = TSR_OK;
    matvar_t *found = NULL;
    bool sparse = false;
    for (int64_t i = 0; i < in->count; i++)
        sparse = sparse || in->variable[i].sparse;
    if (Mat_GetVersion(in->mat) != MAT_FT_MAT4 || !sparse)
        return TSR_OK;
    (void)Mat_Rewind(in->mat);
    for (int64_t i = 0; i < in->count; i++) {
        found = Mat_VarReadNext(in->mat);
        if (found == NULL)
            TSR_FAIL(TSR_ERROR_FORMAT, "%s is damaged or cut off", in->variable[i].name);
        describe(&in->variable[i], found);
        in->variable[i].name = in->names.name[i];
        Mat_VarFree(found);
    }
done:
    return status;
}

static tsr_status load(matvar_t **out, const archive *in, int at)
{
    const tsr__variable *variable = &in->variable[at];
    tsr_status status = check_size(in, at);
    if (status < 0)
        return status;
    matvar_t *found = Mat_VarRead(in->mat, variable->name);
    tsr__variable now = {0};
    if (found != NULL)
        describe(&now, found);
    if (found == NULL || (found->data == NULL && !is_empty(found)) ||
        now.rank != variable->rank || now.element != variable->element ||
        memcmp(now.shape, variable->shape, sizeof now.shape) != 0) {
        Mat_VarFree(found);
        return tsr__fail(TSR_ERROR_FORMAT, "the variable is damaged or cut off");
    }
    *out = found;
    return TSR_OK;
}

/* A view of the numbers that matio read. */
static tsr_status view(tsr__array *out, const matvar_t *found)
{
    tsr__variable variable;
    describe(&variable, found);
    const tsr__element stored = element_of_type(found->data_type);
    tsr__array array = {.element = found->isLogical ? TSR_ELEMENT_BOOL : stored,
                        .item = tsr__element_size(stored),
                        .rank = variable.rank,
                        .column_major = true,
                        .data = found->data,
                        .bytes = (int64_t)found->nbytes};
    if (stored == TSR_ELEMENT_NONE || found->data_size != (int)array.item)
        return tsr__fail(TSR_ERROR_FORMAT, "the variable is damaged");
    if (found->isLogical && array.item != 1)
        array.element = stored; /* a file may keep them wider */
    memcpy(array.shape, variable.shape, sizeof array.shape);
    *out = array;
    return TSR_OK;
}

static tsr__array vector(tsr__element element, void *data, int64_t count)
{
    const int64_t item = tsr__element_size(element);
    return (tsr__array){.element = element,
                        .item = item,
                        .rank = 1,
                        .shape = {count},
                        .data = data,
                        .bytes = count * item};
}

static tsr_status matrix_from_sparse(tsr_matrix **out, const matvar_t *found,
                                     const tsr__bound *bound)
{
    const mat_sparse_t *sparse = found->data;
    const tsr__element stored = element_of_type(found->data_type);
    if (sparse->jc == NULL || stored == TSR_ELEMENT_NONE ||
        (sparse->nir > 0 && sparse->ir == NULL) || (sparse->ndata > 0 && sparse->data == NULL))
        return tsr__fail(TSR_ERROR_FORMAT, "the sparse variable is damaged");
    const tsr__compressed parts = {
        .layout = TSR_BY_COLUMNS,
        .shape = {(int64_t)found->dims[0], (int64_t)found->dims[1]},
        .start = vector(TSR_ELEMENT_UINT32, sparse->jc, sparse->njc),
        .index = vector(TSR_ELEMENT_UINT32, sparse->ir, sparse->nir),
        .values = vector(stored, sparse->data, sparse->ndata),
        .bound = bound,
    };
    return tsr__compressed_to_matrix(out, &parts);
}

static tsr_status matrix(tsr_matrix **out, void *file, int at)
{
    tsr_status status = TSR_OK;
    const archive *in = file;
    matvar_t *found = NULL;
    tsr__array array = {0};

    if (in->complex[at])
        TSR_FAIL(TSR_ERROR_UNSUPPORTED, "complex numbers; save real() or abs()");
    if (in->variable[at].element == TSR_ELEMENT_NONE)
        TSR_FAIL(TSR_ERROR_UNSUPPORTED, "cells, structs and objects are not samples");
    TSR_TRY(load(&found, in, at));
    if (in->variable[at].sparse) {
        TSR_TRY(matrix_from_sparse(out, found, &in->bound));
    } else {
        TSR_TRY(view(&array, found));
        TSR_TRY(tsr__array_to_matrix(out, &array));
    }
done:
    Mat_VarFree(found);
    return status;
}

static tsr_status numbers(double **out, void *file, int at)
{
    tsr_status status = TSR_OK;
    matvar_t *found = NULL;
    tsr__array array = {0};
    double *number = NULL;
    int64_t count = 0;

    TSR_TRY(load(&found, file, at));
    TSR_TRY(view(&array, found));
    TSR_TRY(tsr__array_count(&count, &array));
    TSR_NEW(number, count);
    tsr__array_get(number, 1, &array, 0, count);
    *out = number;
done:
    Mat_VarFree(found);
    return status;
}

/* One row of UTF-8 has more bytes than the characters that dims count. */
static tsr_status add_rows(tsr__names *out, const matvar_t *text)
{
    const int64_t count = count_of(text), item = text->data_size;
    if (text->rank != 2 || item < 1 || item > 4 || item == 3 ||
        (count > 0 && text->data == NULL) ||
        count > (int64_t)(text->nbytes / (size_t)text->data_size))
        return tsr__fail(TSR_ERROR_FORMAT, "a text is damaged");
    if (count == 0)
        return TSR_OK;
    const bool whole = text->data_type == MAT_T_UTF8 && text->dims[0] == 1;
    return tsr__mat_add_rows(
        out, &(tsr__mat_text){.units = text->data,
                              .item = item,
                              .rows = (int64_t)text->dims[0],
                              .columns = (int64_t)(whole ? text->nbytes : text->dims[1]),
                              .bytes = item == 1});
}

/* A cell is one text, the first row of a char matrix. */
static tsr_status add_cell(tsr__names *out, const matvar_t *cell)
{
    tsr_status status = TSR_OK;
    tsr__names rows = {NULL, 0, 0};
    if (cell != NULL && !is_empty(cell))
        TSR_TRY(add_rows(&rows, cell));
    TSR_TRY(tsr__names_add(out, rows.count > 0 ? rows.name[0] : ""));
done:
    tsr__names_clear(&rows);
    return status;
}

static tsr_status texts(tsr__names *out, void *file, int at)
{
    tsr_status status = TSR_OK;
    matvar_t *found = NULL;
    TSR_TRY(load(&found, file, at));
    if (found->class_type == MAT_C_CHAR) {
        TSR_TRY(add_rows(out, found));
    } else {
        const int64_t count = count_of(found);
        matvar_t *const *cell = found->data;
        for (int64_t i = 0; i < count; i++)
            TSR_TRY(add_cell(out, cell[i]));
    }
done:
    Mat_VarFree(found);
    return status;
}

/* Whether the first block says version 7.3, in either byte order. */
static bool is_hdf5(const char *path)
{
    enum { VERSION_AT = 124 };
    char mark[4] = "";
    FILE *file = fopen(path, "rbe");
    const bool found =
        file != NULL && fseek(file, VERSION_AT, SEEK_SET) == 0 &&
        fread(mark, 1, sizeof mark, file) == sizeof mark &&
        (memcmp(mark, "\0\2IM", sizeof mark) == 0 || memcmp(mark, "\2\0MI", sizeof mark) == 0);
    if (file != NULL)
        (void)fclose(file);
    return found;
}

tsr_status tsr__mat_read(tsr_data *out, const tsr__request *request)
{
    tsr_status status = TSR_OK;
    archive from = {.bound.expand = request->options->expand};
    struct stat about;

    if (stat(request->path, &about) != 0 || !S_ISREG(about.st_mode))
        TSR_FAIL(TSR_ERROR_IO, "is not a file on disk, as .mat files must be");
    if (is_hdf5(request->path))
        return tsr__mat73_read(out, request);
    TSR_TRY(tsr__mat_check(request));
    from.bound.size = about.st_size;
    from.mat = Mat_Open(request->path, MAT_ACC_RDONLY);
    if (from.mat == NULL || Mat_GetVersion(from.mat) == MAT_FT_MAT73)
        TSR_FAIL(TSR_ERROR_FORMAT, "is no .mat file of version 4, 5 or 7.3");
    TSR_TRY(list(&from));
    TSR_TRY(find_old_shapes(&from));
    const tsr__container container = {.variable = from.variable,
                                      .count = (int)from.count,
                                      .first_class = 1,
                                      .file = &from,
                                      .matrix = matrix,
                                      .numbers = numbers,
                                      .texts = texts};
    TSR_TRY(tsr__container_read(out, request, &container));
done:
    if (from.mat != NULL)
        (void)Mat_Close(from.mat);
    tsr__names_clear(&from.names);
    tsr__free(from.variable);
    tsr__free(from.complex);
    return status;
}
