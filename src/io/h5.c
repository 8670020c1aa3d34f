/* SPDX-License-Identifier: BSD-2-Clause
 *
 * HDF5 files. Any dataset of one to three dimensions is read, and groups that hold data,
 * indices and indptr (AnnData, 10x, h5sparse) as sparse matrices, whose shape is an attribute
 * or a dataset and whose layout is rows unless the group or the number of pointers says
 * columns. AnnData's frames (frame.h) give names and labels. What is written is in h5_write.c.
 *
 * MATLAB's own HDF5 files (v7.3) are read by mat73.c, which knows their transposition. */
#include "base/text.h"
#include "io/container.h"
#include "io/frame.h"
#include "io/h5_pass.h"
#include "io/recipe.h"
#include "io/stored.h"
#include "matrix/parallel.h"
#include "matrix/store.h"

#include <stdio.h>
#include <string.h>

typedef struct archive {
    tsr__hdf5 *hdf5;
    const tsr__request *request;
    const tsr__names *paths; /* of all datasets */
    tsr__names groups;       /* that are sparse matrices; "" is the file */
    tsr__names columns;      /* that are categorical and groups of their own */
    tsr__variable *variable;
    int count;
} archive;

static const char *const sparse_parts[] = {"data", "indices", "indptr", "shape"};
enum { PART_DATA, PART_INDICES, PART_INDPTR, PART_SHAPE, PATH_SIZE = 1024, GROUPS_MOST = 256 };

/* "group/part"; false where it does not fit. */
static bool join(char out[PATH_SIZE], const char *group, const char *part)
{
    const int length =
        snprintf(out, PATH_SIZE, "%s%s%s", group, *group != '\0' ? "/" : "", part);
    return length > 0 && length < PATH_SIZE;
}

static bool is_dataset(const archive *in, const char *path)
{
    return tsr__hdf5_has(in->hdf5, path) && !tsr__hdf5_is_group(in->hdf5, path);
}

/* The group that a sparse variable is; that of the file itself is called "data". */
static const char *group_of(const archive *in, const tsr__variable *variable)
{
    return strcmp(variable->name, "data") == 0 && is_dataset(in, "data") ? "" : variable->name;
}

static tsr_status find_groups(archive *in)
{
    tsr_status status = TSR_OK;
    char path[PATH_SIZE];
    char *group = NULL;
    for (int64_t i = 0; i < in->paths->count && in->groups.count < GROUPS_MOST; i++) {
        const char *name = in->paths->name[i], *slash = strrchr(name, '/');
        if (strcmp(slash != NULL ? slash + 1 : name, sparse_parts[PART_INDPTR]) != 0)
            continue;
        tsr__free(group);
        group = tsr__copy_bytes_as_text(name, slash != NULL ? (size_t)(slash - name) : 0);
        if (group == NULL)
            TSR_TRY(TSR_ERROR_MEMORY);
        if (join(path, group, "data") && is_dataset(in, path) && join(path, group, "indices") &&
            is_dataset(in, path))
            TSR_TRY(tsr__names_add(&in->groups, group));
    }
done:
    tsr__free(group);
    return status;
}

/* True when the dataset is part of a sparse matrix. */
static bool is_part(const archive *in, const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *part = slash != NULL ? slash + 1 : name;
    const size_t folder = slash != NULL ? (size_t)(slash - name) : 0;
    bool named = false;
    for (int k = 0; k < 4; k++)
        named = named || strcmp(sparse_parts[k], part) == 0;
    for (int64_t g = 0; named && g < in->groups.count; g++)
        if (strlen(in->groups.name[g]) == folder &&
            strncmp(in->groups.name[g], name, folder) == 0)
            return true;
    return false;
}

static tsr_status read_shape(int64_t out[2], const archive *in, const char *group)
{
    static const char *const attributes[] = {"shape", "h5sparse_shape"};
    tsr_status status = TSR_OK;
    tsr__array array = {0};
    char path[PATH_SIZE];
    for (int i = 0; i < 2; i++)
        if (tsr__hdf5_has_attribute(in->hdf5, group, attributes[i]))
            return tsr__hdf5_get_integers(out, 2, in->hdf5, group, attributes[i]);
    if (!join(path, group, "shape") || !tsr__hdf5_has(in->hdf5, path))
        TSR_FAIL(TSR_ERROR_FORMAT, "the sparse matrix has no shape");
    TSR_TRY(tsr__hdf5_read(&array, in->hdf5, path, TSR_ELEMENT_INT64));
    if (array.bytes != 2 * (int64_t)sizeof *out)
        TSR_FAIL(TSR_ERROR_FORMAT, "the shape of a sparse matrix is not two numbers");
    memcpy(out, array.data, 2 * sizeof *out);
done:
    tsr__free(array.data);
    return status;
}

/* What is not clear of a sparse matrix is told when it is read, not when it is listed. */
static tsr_status list_group(archive *in, const char *group)
{
    tsr_status status = TSR_OK;
    char path[PATH_SIZE];
    tsr__variable *variable = &in->variable[in->count];
    int64_t shape[2] = {0, 0};
    if (!join(path, group, "data"))
        TSR_FAIL(TSR_ERROR_UNSUPPORTED, "a path of more than %d bytes", PATH_SIZE);
    TSR_TRY(tsr__hdf5_describe(variable, in->hdf5, path));
    variable->name = *group != '\0' ? group : "data";
    variable->sparse = true;
    variable->stored = variable->rank == 1 ? variable->shape[0] : 0;
    variable->rank = 0;
    if (read_shape(shape, in, group) == TSR_OK) {
        variable->rank = 2;
        variable->shape[0] = shape[0];
        variable->shape[1] = shape[1];
    }
    in->count++;
done:
    return status;
}

/* A dataset that is a variable by itself, or of which another one is made. */
static tsr_status list_dataset(archive *in, const char *path)
{
    tsr_status status = TSR_OK;
    const char *slash = strrchr(path, '/');
    char *group = NULL;
    if (is_part(in, path))
        return TSR_OK;
    if (!tsr__frame_is_part(in->hdf5, path)) {
        tsr__variable *variable = &in->variable[in->count++];
        return tsr__frame_is_categorical(in->hdf5, path)
                   ? tsr__frame_describe(variable, in->hdf5, path)
                   : tsr__hdf5_describe(variable, in->hdf5, path);
    }
    if (slash == NULL || strcmp(slash, "/codes") != 0)
        return TSR_OK;
    group = tsr__copy_bytes_as_text(path, (size_t)(slash - path));
    if (group == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    TSR_TRY(tsr__names_add(&in->columns, group));
    TSR_TRY(tsr__frame_describe(&in->variable[in->count], in->hdf5,
                                in->columns.name[in->columns.count - 1]));
    in->count++;
done:
    tsr__free(group);
    return status;
}

static tsr_status list(archive *in)
{
    tsr_status status = TSR_OK;
    in->paths = tsr__hdf5_datasets(in->hdf5);
    TSR_TRY(find_groups(in));
    TSR_NEW_ZERO(in->variable, in->paths->count + in->groups.count + 1);
    for (int64_t i = 0; i < in->groups.count; i++)
        TSR_TRY(list_group(in, in->groups.name[i]));
    for (int64_t i = 0; i < in->paths->count; i++)
        TSR_TRY(list_dataset(in, in->paths->name[i]));
done:
    return status;
}

static tsr_status find_layout(tsr__compressed *out, const archive *in, const char *group)
{
    static const char *const attributes[] = {"encoding-type", "h5sparse_format"};
    tsr_status status = TSR_OK;
    char *text = NULL;
    for (int i = 0; i < 2 && text == NULL; i++)
        if (tsr__hdf5_has_attribute(in->hdf5, group, attributes[i]))
            TSR_TRY(tsr__hdf5_get_text(&text, in->hdf5, group, attributes[i]));
    const int64_t pointers = out->start.shape[0];
    if (text != NULL && strncmp(text, "csc", 3) == 0)
        out->layout = TSR_BY_COLUMNS;
    else if (text == NULL && pointers != out->shape[0] + 1 && pointers == out->shape[1] + 1)
        out->layout = TSR_BY_COLUMNS;
done:
    tsr__free(text);
    return status;
}

static tsr_status read_part(tsr__array *out, const archive *in, const char *group, int part,
                            tsr__element as)
{
    char path[PATH_SIZE];
    if (!join(path, group, sparse_parts[part]))
        return tsr__fail(TSR_ERROR_UNSUPPORTED, "a path of more than %d bytes", PATH_SIZE);
    return tsr__hdf5_read(out, in->hdf5, path, as);
}

static tsr_status read_sparse(tsr_matrix **out, const archive *in,
                              const tsr__variable *variable)
{
    tsr_status status = TSR_OK;
    const char *group = group_of(in, variable);
    tsr__compressed parts = {.layout = TSR_BY_ROWS, .bound = tsr__hdf5_bound(in->hdf5)};

    TSR_TRY(read_shape(parts.shape, in, group));
    TSR_TRY(read_part(&parts.start, in, group, PART_INDPTR, TSR_ELEMENT_INT64));
    TSR_TRY(read_part(&parts.index, in, group, PART_INDICES, TSR_ELEMENT_INT64));
    TSR_TRY(
        read_part(&parts.values, in, group, PART_DATA, tsr__element_real(variable->element)));
    TSR_TRY(find_layout(&parts, in, group));
    TSR_TRY(tsr__compressed_to_matrix(out, &parts));
done:
    tsr__free(parts.start.data);
    tsr__free(parts.index.data);
    tsr__free(parts.values.data);
    return status;
}

/* A dataset of numbers as it stands in the file, one of `arrays` that are read together. What HDF5 keeps
 * unpacked of them is an eighth of the limit at most: unpacking, in turn on many threads, takes two or
 * three times as much again on its way. */
static tsr_status find_stretch(tsr__stretch *out, const archive *in, const char *name,
                               int arrays)
{
    const tsr_read_options *options = in->request->options;
    tsr__variable about;
    TSR_OR_RETURN(tsr__hdf5_describe(&about, in->hdf5, name));
    tsr__stretch found = {.element = about.element};
    TSR_OR_RETURN(tsr__hdf5_place(&found.offset, &found.swapped, in->hdf5, name));
    if (found.offset < 0) /* each thread reads somewhere, and one more ahead of them */
        TSR_OR_RETURN(tsr__hdf5_open_parts(&found.parts, in->hdf5, name,
                                           tsr__threads(options->threads, INT64_MAX) + 1,
                                           options->memory / 8 / arrays));
    *out = found;
    return TSR_OK;
}

static tsr_status refuse_columns(const char *name)
{
    return tsr__fail(
        TSR_ERROR_UNSUPPORTED,
        "%s is stored feature by feature, and data larger than --memory are read "
        "sample by sample: tessera convert --memory writes an .h5 of it that is, or "
        "raise --memory",
        name);
}

/* Row pointers come into memory, entries stay. */
static tsr_status store_sparse(tsr_matrix **out, const archive *in,
                               const tsr__variable *variable)
{
    tsr_status status = TSR_OK;
    const char *group = group_of(in, variable);
    char values_path[PATH_SIZE], columns_path[PATH_SIZE];
    tsr__compressed parts = {.layout = TSR_BY_ROWS};
    tsr__stretch values = {0}, columns = {0};
    tsr__variable about;
    TSR_TRY(read_shape(parts.shape, in, group));
    TSR_TRY(read_part(&parts.start, in, group, PART_INDPTR, TSR_ELEMENT_INT64));
    TSR_TRY(find_layout(&parts, in, group));
    if (parts.layout != TSR_BY_ROWS)
        TSR_TRY(refuse_columns(variable->name));
    if (!join(values_path, group, sparse_parts[PART_DATA]) ||
        !join(columns_path, group, sparse_parts[PART_INDICES]))
        TSR_FAIL(TSR_ERROR_UNSUPPORTED, "a path of more than %d bytes", PATH_SIZE);
    TSR_TRY(tsr__hdf5_describe(&about, in->hdf5, columns_path));
    const int64_t *rows = parts.start.data;
    if (about.rank != 1 || parts.start.shape[0] != parts.shape[0] + 1 ||
        parts.shape[1] > INT32_MAX || rows[parts.shape[0]] > variable->stored ||
        rows[parts.shape[0]] > about.shape[0])
        TSR_FAIL(TSR_ERROR_FORMAT, "the parts of the sparse matrix %s do not fit each other",
                 variable->name);
    TSR_TRY(find_stretch(&values, in, values_path, 2));
    TSR_TRY(find_stretch(&columns, in, columns_path, 2));
    TSR_TRY(tsr__stored_sparse(out, in->request->path, &values, &columns, parts.start.data,
                               parts.shape[0], parts.shape[1]));
    parts.start.data = NULL;
    values.parts = columns.parts = NULL;
done:
    tsr__free(parts.start.data);
    tsr__hdf5_close_parts(values.parts);
    tsr__hdf5_close_parts(columns.parts);
    return status;
}

/* What a dataset is when it is read `as` that. */
static tsr__array array_of(const tsr__variable *variable, tsr__element as)
{
    const int64_t item = tsr__element_size(as), *shape = variable->shape;
    return (tsr__array){.element = as,
                        .item = item,
                        .rank = variable->rank,
                        .shape = {shape[0], shape[1], shape[2], shape[3]},
                        .bytes = shape[0] * item};
}

/* Entries by feature go where they are sorted; pointers come into memory. */
static tsr_status pass_sparse(tsr_matrix **out, const archive *in,
                              const tsr__variable *variable)
{
    tsr_status status = TSR_OK;
    const char *group = group_of(in, variable);
    char values[PATH_SIZE], samples[PATH_SIZE];
    tsr__compressed parts = {.layout = TSR_BY_ROWS, .bound = tsr__hdf5_bound(in->hdf5)};
    tsr__h5_columns from = {.hdf5 = in->hdf5, .values = values, .samples = samples};
    tsr__variable about;
    if (!join(values, group, sparse_parts[PART_DATA]) ||
        !join(samples, group, sparse_parts[PART_INDICES]))
        TSR_FAIL(TSR_ERROR_UNSUPPORTED, "a path of more than %d bytes", PATH_SIZE);
    TSR_TRY(read_shape(parts.shape, in, group));
    TSR_TRY(read_part(&parts.start, in, group, PART_INDPTR, TSR_ELEMENT_INT64));
    TSR_TRY(find_layout(&parts, in, group));
    if (parts.layout != TSR_BY_COLUMNS)
        TSR_FAIL(TSR_ERROR_IO, "the file was written to while it was read");
    TSR_TRY(tsr__hdf5_describe(&about, in->hdf5, values));
    parts.values = array_of(&about, tsr__element_real(about.element));
    TSR_TRY(tsr__hdf5_describe(&about, in->hdf5, samples));
    parts.index = array_of(&about, TSR_ELEMENT_INT64);
    TSR_TRY(tsr__compressed_check(&from.entries, &parts));
    from.start = parts.start.data;
    from.shape[0] = parts.shape[0], from.shape[1] = parts.shape[1];
    from.type = parts.values.element == TSR_ELEMENT_FLOAT32 ? TSR_FLOAT32 : TSR_FLOAT64;
    TSR_TRY(tsr__h5_pass(out, in->request->flow, &from));
done:
    tsr__free(parts.start.data);
    return status;
}

static tsr_status store_dense(tsr_matrix **out, const archive *in,
                              const tsr__variable *variable)
{
    tsr_status status = TSR_OK;
    tsr__stretch values = {0};
    const int64_t *shape = variable->shape;
    int64_t features = 1;
    if (variable->rank < 1 || variable->rank > 3 ||
        !tsr__multiply(&features, variable->rank > 1 ? shape[1] : 1,
                       variable->rank > 2 ? shape[2] : 1))
        TSR_FAIL(TSR_ERROR_UNSUPPORTED, "%s is no matrix of samples", variable->name);
    TSR_TRY(find_stretch(&values, in, variable->name, 1));
    TSR_TRY(tsr__stored_dense(out, in->request->path, &values, shape[0], features));
    values.parts = NULL;
    if (variable->rank == 3)
        (*out)->image = (tsr_image_shape){shape[1], shape[2], TSR_ROW_ORDER};
done:
    tsr__hdf5_close_parts(values.parts);
    return status;
}

static tsr_status read_dense(tsr_matrix **out, const archive *in, const tsr__variable *variable)
{
    tsr_status status = TSR_OK;
    tsr__array array = {0};
    TSR_TRY(
        tsr__hdf5_read(&array, in->hdf5, variable->name, tsr__element_real(variable->element)));
    TSR_TRY(tsr__array_take_matrix(out, &array));
done:
    tsr__free(array.data);
    return status;
}

/* The image shape that this library writes beside samples, where it fits. */
static tsr_status read_image(tsr_matrix *x, const tsr__hdf5 *hdf5, const char *name)
{
    tsr_status status = TSR_OK;
    int64_t height = 0, width = 0, pixels = 0;
    char *order = NULL;
    if (!tsr__hdf5_has_attribute(hdf5, name, "image_height"))
        goto done;
    TSR_TRY(tsr__hdf5_get_integers(&height, 1, hdf5, name, "image_height"));
    TSR_TRY(tsr__hdf5_get_integers(&width, 1, hdf5, name, "image_width"));
    if (tsr__hdf5_has_attribute(hdf5, name, "image_order"))
        TSR_TRY(tsr__hdf5_get_text(&order, hdf5, name, "image_order"));
    if (height < 1 || width < 1 || !tsr__multiply(&pixels, height, width) ||
        pixels != x->features)
        TSR_FAIL(TSR_ERROR_FORMAT, "images of %lld x %lld do not have the %lld features",
                 (long long)height, (long long)width, (long long)x->features);
    const bool columns = order != NULL && strcmp(order, "column") == 0;
    x->image = (tsr_image_shape){height, width, columns ? TSR_COLUMN_ORDER : TSR_ROW_ORDER};
done:
    tsr__free(order);
    return status;
}

static double entries_of(const tsr__variable *variable)
{
    double entries = 1;
    for (int i = 0; i < variable->rank; i++)
        entries *= (double)variable->shape[i];
    return variable->sparse ? (double)variable->stored : entries;
}

static tsr_status matrix(tsr_matrix **out, void *file, int at)
{
    tsr_status status = TSR_OK;
    const archive *in = file;
    const tsr__variable *variable = &in->variable[at];
    const char *name = variable->sparse ? group_of(in, variable) : variable->name;
    tsr_matrix *x = NULL;
    if (in->request->flow != NULL) /* for which tsr__h5_size gave the reason */
        TSR_TRY(pass_sparse(&x, in, variable));
    else if (tsr__stays_stored(in->request->options, entries_of(variable), variable->element,
                               variable->sparse))
        TSR_TRY((variable->sparse ? store_sparse : store_dense)(&x, in, variable));
    else
        TSR_TRY((variable->sparse ? read_sparse : read_dense)(&x, in, variable));
    TSR_TRY(read_image(x, in->hdf5, name));
    *out = x, x = NULL;
done:
    tsr_matrix_free(x);
    return status;
}

static tsr_status numbers(double **out, void *file, int at)
{
    const archive *in = file;
    return tsr__hdf5_read_numbers(out, in->hdf5, in->variable[at].name);
}

static tsr_status texts(tsr__names *out, void *file, int at)
{
    const archive *in = file;
    const char *name = in->variable[at].name;
    return tsr__frame_is_categorical(in->hdf5, name)
               ? tsr__frame_texts(out, in->hdf5, name)
               : tsr__hdf5_read_texts(out, in->hdf5, name);
}

/* A model's parts are all matrices: which one is meant is for the user to say. */
static tsr_status refuse_model(const archive *in, const tsr__request *request)
{
    tsr_status status = TSR_OK;
    char *kind = NULL, text[1024];
    tsr__line line = TSR_LINE(text);
    if (request->variable != NULL || request->only_labels ||
        !tsr__hdf5_has_attribute(in->hdf5, "", "kind"))
        return TSR_OK;
    TSR_TRY(tsr__hdf5_get_text(&kind, in->hdf5, "", "kind"));
    tsr__variables_list(&line, in->variable, in->count);
    if (strcmp(kind, "model") == 0)
        TSR_FAIL(TSR_ERROR_DATA, "is a model; its parts are %s: say which, as %s:basis", text,
                 request->path);
done:
    tsr__free(kind);
    return status;
}

/* Names of samples and features that AnnData keeps in frames: of X and its layers in obs and var,
 * of raw/X in raw/var. */
static tsr_status read_names(tsr_data *out, const archive *in, const tsr__request *request)
{
    tsr_status status = TSR_OK;
    const char *chosen = request->variable != NULL ? request->variable : out->origin;
    const bool raw = strncmp(chosen, "raw/", 4) == 0;
    TSR_TRY(tsr__frame_index(&out->sample_names, in->hdf5, "obs", out->x->samples));
    TSR_TRY(tsr__frame_index(&out->feature_names, in->hdf5, raw ? "raw/var" : "var",
                             out->x->features));
done:
    return status;
}

tsr_status tsr__h5_read(tsr_data *out, const tsr__request *request)
{
    tsr_status status = TSR_OK;
    archive from = {.request = request};

    TSR_TRY(tsr__hdf5_open(&from.hdf5, request->path, request->options->expand));
    TSR_TRY(list(&from));
    const tsr__container container = {.variable = from.variable,
                                      .count = from.count,
                                      .stays = true,
                                      .file = &from,
                                      .matrix = matrix,
                                      .numbers = numbers,
                                      .texts = texts};
    TSR_TRY(refuse_model(&from, request));
    TSR_TRY(tsr__container_read(out, request, &container));
    if (out->x != NULL)
        TSR_TRY(read_names(out, &from, request));
    if (out->x != NULL && (request->variable == NULL || strcmp(request->variable, "x") == 0))
        TSR_TRY(tsr__recipe_read(&out->recipe, from.hdf5, out->x->features));
done:
    tsr__names_clear(&from.groups);
    tsr__names_clear(&from.columns);
    tsr__free(from.variable);
    return tsr__hdf5_close(from.hdf5, status);
}

/* What is wrong with the file is not told here: whoever reads it will. */
static tsr_status measure(int64_t *out, const archive *in, const tsr__variable *variable)
{
    const char *group = group_of(in, variable);
    const int64_t each = tsr__element_size(tsr__element_real(variable->element)) + 4;
    tsr__compressed parts = {.layout = TSR_BY_ROWS};
    tsr__variable about;
    char path[PATH_SIZE];
    if (!variable->sparse || !join(path, group, sparse_parts[PART_INDPTR]) ||
        read_shape(parts.shape, in, group) < 0)
        return TSR_OK;
    TSR_OR_RETURN(tsr__hdf5_describe(&about, in->hdf5, path));
    parts.start.shape[0] = about.shape[0];
    TSR_OR_RETURN(find_layout(&parts, in, group));
    if (parts.layout == TSR_BY_COLUMNS && !tsr__multiply(out, variable->stored, each))
        *out = INT64_MAX;
    return TSR_OK;
}

tsr_status tsr__h5_size(int64_t *out, const char *path, const char *name)
{
    tsr_status status = TSR_OK;
    archive in = {0};
    int samples = -1, labels = -1;
    *out = 0;
    TSR_TRY(tsr__hdf5_open(&in.hdf5, path, 0));
    TSR_TRY(list(&in));
    if (tsr__pick_samples(&samples, &labels, in.variable, in.count, name) == TSR_OK)
        TSR_TRY(measure(out, &in, &in.variable[samples]));
done:
    tsr__names_clear(&in.groups);
    tsr__names_clear(&in.columns);
    tsr__free(in.variable);
    status = tsr__hdf5_close(in.hdf5, status);
    return status < 0 ? tsr__fail_in(status, path) : status;
}
