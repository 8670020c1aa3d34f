/* SPDX-License-Identifier: BSD-2-Clause
 *
 * MATLAB's .mat files of version 7.3: HDF5 behind 512 bytes that say so.
 *
 *     dataset      numbers, with their dimensions in reverse order: column-major as they are
 *       MATLAB_class         "double", "uint8", "logical", "char", "cell", ...
 *       MATLAB_empty         where it is not 0, the numbers are the dimensions of an empty array
 *     cell         references to objects in the group #refs#
 *     group        a struct, or with MATLAB_sparse (the number of rows) a sparse matrix:
 *       data, ir, jc         by columns; without entries only jc
 *
 * Written so by MATLAB, and by hdf5storage of Python. The fields of structs are listed as
 * struct/field. */
#include "io/mat.h"

#include "io/container.h"
#include "io/hdf5.h"

#include <string.h>

enum { LOOKED_AT = 8 }; /* cells that are looked at to tell whether all are texts */

typedef struct archive {
    tsr__hdf5 *hdf5;
    tsr__names names;
    tsr__variable *variable;
} archive;

/* The class of an object into `out`, "" where it has none. */
static tsr_status find_class(char out[32], const tsr__hdf5 *hdf5, const char *name)
{
    char *text = NULL;
    *out = '\0';
    if (!tsr__hdf5_has_attribute(hdf5, name, "MATLAB_class"))
        return TSR_OK;
    const tsr_status status = tsr__hdf5_get_text(&text, hdf5, name, "MATLAB_class");
    if (status == TSR_OK && strlen(text) < 32)
        strcpy(out, text);
    tsr__free(text);
    return status;
}

static bool is_empty(const tsr__hdf5 *hdf5, const char *name)
{
    int64_t empty = 0;
    return tsr__hdf5_has_attribute(hdf5, name, "MATLAB_empty") &&
           tsr__hdf5_get_integers(&empty, 1, hdf5, name, "MATLAB_empty") == TSR_OK &&
           empty != 0;
}

static bool is_integer(tsr__element element)
{
    return element >= TSR_ELEMENT_BOOL && element <= TSR_ELEMENT_UINT64;
}

/* True when the first cells are texts or empty. */
static tsr_status hold_texts(bool *out, const tsr__hdf5 *hdf5, const char *name)
{
    tsr_status status = TSR_OK;
    tsr__names cells = {NULL, 0, 0};
    char class[32];
    bool all = true;
    TSR_TRY(tsr__hdf5_read_references(&cells, hdf5, name, LOOKED_AT));
    for (int64_t i = 0; i < cells.count; i++) {
        TSR_TRY(find_class(class, hdf5, cells.name[i]));
        all = all && (strcmp(class, "char") == 0 || *cells.name[i] == '\0' ||
                      is_empty(hdf5, cells.name[i]));
    }
    *out = all;
done:
    tsr__names_clear(&cells);
    return status;
}

static tsr_status describe(tsr__variable *out, const tsr__hdf5 *hdf5, const char *name)
{
    tsr_status status = TSR_OK;
    tsr__variable stored;
    char class[32];
    bool texts = false;
    TSR_TRY(tsr__hdf5_describe(&stored, hdf5, name));
    TSR_TRY(find_class(class, hdf5, name));
    tsr__variable variable = {.name = name, .rank = stored.rank, .column_major = true};
    for (int i = 0; i < stored.rank; i++)
        variable.shape[i] = stored.shape[stored.rank - 1 - i];
    variable.element = stored.element;
    if (strcmp(class, "logical") == 0 && is_integer(stored.element))
        variable.element = TSR_ELEMENT_BOOL;
    if (strcmp(class, "cell") == 0 && !is_empty(hdf5, name))
        TSR_TRY(hold_texts(&texts, hdf5, name));
    if (texts)
        variable.element = TSR_ELEMENT_BYTES;
    if (strcmp(class, "char") == 0) {
        const bool matrix = stored.rank == 2 && is_integer(stored.element);
        variable.element = matrix ? TSR_ELEMENT_BYTES : TSR_ELEMENT_NONE;
        variable.rank = 1;
    }
    if (is_empty(hdf5, name)) {
        variable.rank = 2;
        memset(variable.shape, 0, sizeof variable.shape);
    }
    *out = variable;
done:
    return status;
}

/* "group/part" as an owned text. */
static char *join(const char *group, const char *part)
{
    const size_t length = strlen(group), size = length + strlen(part) + 2;
    char *path = tsr__alloc((int64_t)size, 1);
    if (path != NULL) {
        memcpy(path, group, length);
        path[length] = '/';
        strcpy(path + length + 1, part);
    }
    return path;
}

static tsr_status describe_sparse(tsr__variable *out, const tsr__hdf5 *hdf5, const char *name)
{
    tsr_status status = TSR_OK;
    tsr__variable columns;
    char *path = join(name, "jc");
    *out = (tsr__variable){.name = name,
                           .element = TSR_ELEMENT_FLOAT64,
                           .sparse = true,
                           .rank = 2,
                           .column_major = true};
    if (path == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    TSR_TRY(tsr__hdf5_describe(&columns, hdf5, path));
    TSR_TRY(tsr__hdf5_get_integers(&out->shape[0], 1, hdf5, name, "MATLAB_sparse"));
    out->shape[1] = columns.rank >= 1 ? columns.shape[0] - 1 : 0;
    if (columns.rank == 2)
        out->shape[1] = tsr__variable_count(&columns) - 1;
done:
    tsr__free(path);
    return status;
}

/* Adds the variable that a dataset is, or the sparse matrix of which it is the last part. */
static tsr_status list_dataset(archive *in, const char *path)
{
    tsr_status status = TSR_OK;
    const char *slash = strrchr(path, '/');
    char *group = tsr__copy_bytes_as_text(path, slash != NULL ? (size_t)(slash - path) : 0);
    if (group == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    const bool part =
        slash != NULL && tsr__hdf5_has_attribute(in->hdf5, group, "MATLAB_sparse");
    if (part && strcmp(slash + 1, "jc") != 0)
        goto done;
    TSR_TRY(tsr__names_add(&in->names, part ? group : path));
    const char *name = in->names.name[in->names.count - 1];
    tsr__variable *variable = &in->variable[in->names.count - 1];
    status =
        part ? describe_sparse(variable, in->hdf5, name) : describe(variable, in->hdf5, name);
    if (status == TSR_ERROR_MEMORY)
        goto done;
    if (status <
        0) /* what is wrong with it is told to whoever wants it, not to its neighbours */
        *variable = (tsr__variable){.name = name};
    status = TSR_OK;
done:
    tsr__free(group);
    return status;
}

static tsr_status list(archive *in)
{
    tsr_status status = TSR_OK;
    const tsr__names *paths = tsr__hdf5_datasets(in->hdf5);
    TSR_NEW_ZERO(in->variable, paths->count + 1);
    for (int64_t i = 0; i < paths->count; i++)
        if (paths->name[i][0] != '#')
            TSR_TRY(list_dataset(in, paths->name[i]));
done:
    return status;
}

/* A part of a sparse matrix; nothing where there is none. */
static tsr_status read_part(tsr__array *out, const tsr__hdf5 *hdf5, const char *group,
                            const char *part, tsr__element as)
{
    char *path = join(group, part);
    if (path == NULL)
        return TSR_ERROR_MEMORY;
    *out = (tsr__array){.element = as, .item = tsr__element_size(as), .rank = 1};
    tsr_status status = TSR_OK;
    if (tsr__hdf5_has(hdf5, path))
        status = tsr__hdf5_read(out, hdf5, path, as);
    if (status == TSR_OK && out->rank != 1) { /* one dimension, however it is written */
        out->rank = 1;
        out->shape[0] = out->bytes / out->item;
    }
    tsr__free(path);
    return status;
}

static tsr_status read_sparse(tsr_matrix **out, const tsr__hdf5 *hdf5,
                              const tsr__variable *variable)
{
    tsr_status status = TSR_OK;
    tsr__compressed parts = {.layout = TSR_BY_COLUMNS,
                             .shape = {variable->shape[0], variable->shape[1]},
                             .bound = tsr__hdf5_bound(hdf5)};
    TSR_TRY(read_part(&parts.start, hdf5, variable->name, "jc", TSR_ELEMENT_INT64));
    TSR_TRY(read_part(&parts.index, hdf5, variable->name, "ir", TSR_ELEMENT_INT64));
    TSR_TRY(read_part(&parts.values, hdf5, variable->name, "data", TSR_ELEMENT_FLOAT64));
    TSR_TRY(tsr__compressed_to_matrix(out, &parts));
done:
    tsr__free(parts.start.data);
    tsr__free(parts.index.data);
    tsr__free(parts.values.data);
    return status;
}

static tsr_status matrix(tsr_matrix **out, void *file, int at)
{
    tsr_status status = TSR_OK;
    const archive *in = file;
    const tsr__variable *variable = &in->variable[at];
    tsr__array array = {0};
    if (variable->element == TSR_ELEMENT_NONE)
        TSR_FAIL(TSR_ERROR_UNSUPPORTED,
                 "cells, structs, objects and complex numbers are not samples");
    if (variable->sparse)
        return read_sparse(out, in->hdf5, variable);
    if (tsr__variable_count(variable) > 0)
        TSR_TRY(tsr__hdf5_read(&array, in->hdf5, variable->name,
                               tsr__element_real(variable->element)));
    array.element = tsr__element_real(variable->element);
    array.item = tsr__element_size(array.element);
    array.rank = variable->rank;
    array.column_major = true;
    memcpy(array.shape, variable->shape, sizeof array.shape);
    TSR_TRY(tsr__array_to_matrix(out, &array));
done:
    tsr__free(array.data);
    return status;
}

static tsr_status numbers(double **out, void *file, int at)
{
    const archive *in = file;
    return tsr__hdf5_read_numbers(out, in->hdf5, in->variable[at].name);
}

/* A char matrix as it is stored, `*array` owned by the caller; no rows where it is empty. */
static tsr_status read_chars(tsr__mat_text *out, tsr__array *array, const tsr__hdf5 *hdf5,
                             const char *name)
{
    tsr_status status = TSR_OK;
    tsr__variable stored;
    *out = (tsr__mat_text){.units = NULL};
    if (*name == '\0' || is_empty(hdf5, name))
        return TSR_OK;
    TSR_TRY(tsr__hdf5_describe(&stored, hdf5, name));
    if (stored.rank != 2 || !is_integer(stored.element))
        TSR_FAIL(TSR_ERROR_FORMAT, "%s is not a text", name);
    TSR_TRY(tsr__hdf5_read(array, hdf5, name, TSR_ELEMENT_INT32));
    *out = (tsr__mat_text){.units = array->data,
                           .item = array->item,
                           .rows = array->shape[1],
                           .columns = array->shape[0],
                           .bytes = tsr__element_size(stored.element) == 1};
done:
    return status;
}

/* A cell is one text: characters in a row, or, as hdf5storage has them, in a column. */
static tsr_status add_cell(tsr__names *out, const tsr__hdf5 *hdf5, const char *name)
{
    tsr_status status = TSR_OK;
    tsr__array array = {0};
    tsr__mat_text text;
    TSR_TRY(read_chars(&text, &array, hdf5, name));
    if (text.columns == 1)
        text.columns = text.rows, text.rows = 1;
    TSR_TRY(text.rows == 1 ? tsr__mat_add_rows(out, &text) : tsr__names_add(out, ""));
done:
    tsr__free(array.data);
    return status;
}

static tsr_status texts(tsr__names *out, void *file, int at)
{
    tsr_status status = TSR_OK;
    const archive *in = file;
    const char *name = in->variable[at].name;
    tsr__names cells = {NULL, 0, 0};
    tsr__mat_text text = {.units = NULL};
    tsr__array array = {0};
    char class[32];
    TSR_TRY(find_class(class, in->hdf5, name));
    if (strcmp(class, "cell") == 0)
        TSR_TRY(tsr__hdf5_read_references(&cells, in->hdf5, name, -1));
    else
        TSR_TRY(read_chars(&text, &array, in->hdf5, name));
    for (int64_t i = 0; i < cells.count; i++)
        TSR_TRY(add_cell(out, in->hdf5, cells.name[i]));
    if (text.rows > 0)
        TSR_TRY(tsr__mat_add_rows(out, &text));
done:
    tsr__free(array.data);
    tsr__names_clear(&cells);
    return status;
}

tsr_status tsr__mat73_read(tsr_data *out, const tsr__request *request)
{
    tsr_status status = TSR_OK;
    archive from = {0};
    TSR_TRY(tsr__hdf5_open(&from.hdf5, request->path, request->options->expand));
    TSR_TRY(list(&from));
    const tsr__container container = {.variable = from.variable,
                                      .count = (int)from.names.count,
                                      .first_class = 1,
                                      .file = &from,
                                      .matrix = matrix,
                                      .numbers = numbers,
                                      .texts = texts};
    TSR_TRY(tsr__container_read(out, request, &container));
done:
    tsr__names_clear(&from.names);
    tsr__free(from.variable);
    return tsr__hdf5_close(from.hdf5, status);
}
