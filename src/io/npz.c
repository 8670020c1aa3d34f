/* SPDX-License-Identifier: BSD-2-Clause
 *
 * NumPy's .npz is read by libzip: a zip archive of .npy arrays.
 *
 * Any arrays are listed (see container.h for what is found beside the samples); the layouts of
 * scipy.sparse.save_npz (csr, csc, coo), whose five arrays are one matrix, are one variable
 * called "data". What entries unpack to, and the shape that a sparse matrix has on paper, is
 * within the bound of the file (base/bound.h); entries may overlap, so what the heads of all of
 * them unpack to counts as well. */
#include "io/npz.h"
#include "base/bound.h"
#include "io/container.h"
#include "io/file.h"
#include "io/npy.h"
#include "io/zip.h"

#include <stdio.h>
#include <string.h>

enum { PEEK = 1 << 16, ENTRIES_MOST = 65536 };

/* An archive that is being read. */
typedef struct archive {
    zip_t *zip;
    tsr__bound bound;
    int64_t peeked; /* bytes that the heads of entries unpacked to */
    tsr__names names;
    tsr__variable *variable;
    zip_uint64_t *entry; /* of each variable */
    int count;
    tsr__layout layout; /* of the sparse variable */
    zip_uint64_t start, index;
    tsr__flow *flow; /* where samples go that are not to be kept, or NULL */
} archive;

static tsr_status zip_failed(tsr_status code, const char *what, zip_error_t *error)
{
    return tsr__fail(code, "%s: %s", what, tsr__zip.error_strerror(error));
}

static tsr_status open_zip(zip_t **out, const char *path)
{
    int code = 0;
    zip_t *zip = tsr__zip.open(path, ZIP_RDONLY, &code);
    if (zip == NULL) {
        zip_error_t error;
        tsr__zip.error_init_with_code(&error, code);
        const bool system = code == ZIP_ER_NOENT || code == ZIP_ER_OPEN || code == ZIP_ER_READ;
        const tsr_status status = zip_failed(system ? TSR_ERROR_IO : TSR_ERROR_FORMAT,
                                             "the zip archive cannot be opened", &error);
        tsr__zip.error_fini(&error);
        return status;
    }
    *out = zip;
    return TSR_OK;
}

/* Reads up to `size` bytes; with `whole` there must be just as many and the checksum right. */
static tsr_status read_bytes(int64_t *got, char *out, int64_t size, zip_t *zip,
                             zip_uint64_t entry, bool whole)
{
    tsr_status status = TSR_OK;
    int64_t used = 0, more = 1;
    char beyond = 0;
    zip_file_t *file = tsr__zip.fopen_index(zip, entry, 0);
    if (file == NULL)
        return zip_failed(TSR_ERROR_FORMAT, "the entry cannot be read",
                          tsr__zip.get_error(zip));
    while (used < size && more > 0) {
        more = tsr__zip.fread(file, out + used, (zip_uint64_t)(size - used));
        used += more > 0 ? more : 0;
    }
    if (whole && used == size) /* libzip compares the checksum when it meets the end */
        more = tsr__zip.fread(file, &beyond, 1);
    if (more < 0)
        TSR_TRY(zip_failed(TSR_ERROR_FORMAT, "the entry is damaged",
                           tsr__zip.file_get_error(file)));
    if (whole && (used < size || more > 0))
        TSR_FAIL(TSR_ERROR_FORMAT, "the entry announces %lld bytes and holds %s",
                 (long long)size, more > 0 ? "more" : "fewer");
    *got = used;
done:
    (void)tsr__zip.fclose(file);
    return status;
}

/* The size of an entry, within the bound. */
static tsr_status entry_size(int64_t *out, const archive *from, zip_uint64_t entry)
{
    zip_stat_t about;
    if (tsr__zip.stat_index(from->zip, entry, 0, &about) != 0)
        return zip_failed(TSR_ERROR_FORMAT, "the entry has no size",
                          tsr__zip.get_error(from->zip));
    if ((about.valid & ZIP_STAT_SIZE) == 0 || about.size > INT64_MAX / 2)
        return tsr__fail(TSR_ERROR_FORMAT, "the entry has no size");
    *out = (int64_t)about.size;
    return tsr__bound_check(&from->bound, (double)about.size, "an entry of %llu bytes",
                            (unsigned long long)about.size);
}

/* A whole entry in memory. */
static tsr_status load(tsr__input *out, tsr__array *array, const archive *from,
                       zip_uint64_t entry)
{
    tsr_status status = TSR_OK;
    tsr__input input = {NULL, 0, false};
    int64_t size = 0;
    TSR_TRY(entry_size(&size, from, entry));
    TSR_NEW(input.bytes, size);
    TSR_TRY(read_bytes(&input.size, input.bytes, size, from->zip, entry, true));
    TSR_TRY(tsr__npy_parse(array, input.bytes, input.size));
    TSR_TRY(tsr__array_check_bound(array, &from->bound));
    *out = input;
    input = (tsr__input){NULL, 0, false};
done:
    tsr__input_close(&input);
    return status;
}

static tsr_status numbers(double **out, void *file, int at)
{
    tsr_status status = TSR_OK;
    double *number = NULL;
    archive *from = file;
    tsr__input input = {NULL, 0, false};
    tsr__array array = {0};
    int64_t count = 0;
    TSR_TRY(load(&input, &array, from, from->entry[at]));
    TSR_TRY(tsr__array_count(&count, &array));
    if (count != tsr__variable_count(&from->variable[at]) ||
        array.element != from->variable[at].element)
        TSR_FAIL(TSR_ERROR_FORMAT, "the entry changed while it was read");
    TSR_NEW(number, count);
    tsr__array_get(number, 1, &array, 0, count);
    *out = number;
done:
    tsr__input_close(&input);
    return status;
}

static tsr_status texts(tsr__names *out, void *file, int at)
{
    tsr_status status = TSR_OK;
    archive *from = file;
    tsr__input input = {NULL, 0, false};
    tsr__array array = {0};
    TSR_TRY(load(&input, &array, from, from->entry[at]));
    TSR_TRY(tsr__array_to_names(out, &array));
done:
    tsr__input_close(&input);
    return status;
}

static tsr_status matrix(tsr_matrix **out, void *file, int at)
{
    tsr_status status = TSR_OK;
    archive *from = file;
    tsr__input values = {NULL, 0, false}, start = values, index = values;
    tsr__compressed parts = {.layout = from->layout, .bound = &from->bound};
    const tsr__variable *variable = &from->variable[at];

    if (from->flow != NULL)
        return tsr__npz_pass(out, from->flow,
                             &(tsr__npz_samples){from->zip, &from->bound, from->entry[at],
                                                 variable->sparse, from->layout,
                                                 variable->shape, from->start, from->index});
    TSR_TRY(load(&values, &parts.values, from, from->entry[at]));
    if (!variable->sparse) {
        TSR_TRY(tsr__npy_take_matrix(out, &values));
        goto done;
    }
    TSR_TRY(load(&start, &parts.start, from, from->start));
    TSR_TRY(load(&index, &parts.index, from, from->index));
    memcpy(parts.shape, variable->shape, sizeof parts.shape);
    TSR_TRY(tsr__compressed_to_matrix(out, &parts));
done:
    tsr__input_close(&values);
    tsr__input_close(&start);
    tsr__input_close(&index);
    return status;
}

static tsr_status list_entry(archive *into, zip_uint64_t entry, char *peek)
{
    tsr_status status = TSR_OK;
    const char *name = tsr__zip.get_name(into->zip, entry, 0);
    const size_t length = name != NULL ? strlen(name) : 0;
    char *plain = NULL;
    tsr__array array = {0};
    int64_t got = 0, head_size = 0;

    if (length <= 4 || strcmp(name + length - 4, ".npy") != 0)
        goto done;
    plain = tsr__copy_bytes_as_text(name, length - 4);
    if (plain == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    TSR_TRY(tsr__bound_check(&into->bound, (double)into->peeked, "the heads of %d entries",
                             into->count));
    status = read_bytes(&got, peek, PEEK, into->zip, entry, false);
    into->peeked += got;
    if (status == TSR_OK)
        status = tsr__npy_parse_head(&array, peek, got, &head_size);
    if (status < 0 && status != TSR_ERROR_UNSUPPORTED)
        TSR_TRY(tsr__fail_in(status, plain));
    status = TSR_OK;
    TSR_TRY(tsr__names_add(&into->names, plain));
    tsr__variable *variable = &into->variable[into->count];
    *variable = (tsr__variable){.element = array.element, .rank = array.rank};
    memcpy(variable->shape, array.shape, sizeof variable->shape);
    into->entry[into->count++] = entry;
done:
    tsr__free(plain);
    return status;
}

static int find(const archive *in, const char *name)
{
    for (int i = 0; i < in->count; i++)
        if (strcmp(in->variable[i].name, name) == 0)
            return i;
    return -1;
}

static void hide(archive *in, const char *name)
{
    const int at = find(in, name);
    if (at < 0)
        return;
    const size_t rest = (size_t)(in->count - at - 1);
    memmove(&in->variable[at], &in->variable[at + 1], rest * sizeof *in->variable);
    memmove(&in->entry[at], &in->entry[at + 1], rest * sizeof *in->entry);
    in->count--;
}

static tsr_status find_layout(tsr__layout *out, archive *in, int at)
{
    static const char *const known[] = {"csr", "csc", "coo"};
    tsr_status status = TSR_OK;
    tsr__names format = {NULL, 0, 0};
    int found = -1;
    TSR_TRY(texts(&format, in, at));
    for (int i = 0; i < 3 && format.count == 1; i++)
        if (strcmp(format.name[0], known[i]) == 0)
            found = i;
    if (found < 0)
        TSR_FAIL(TSR_ERROR_UNSUPPORTED,
                 "the sparse format %s; csr, csc and coo are read (use .tocsr())",
                 format.count == 1 ? format.name[0] : "?");
    *out = (tsr__layout)found;
done:
    tsr__names_clear(&format);
    return status;
}

/* Makes one sparse variable of what scipy.sparse.save_npz wrote, if that is what is here. */
static tsr_status join_sparse(archive *in)
{
    tsr_status status = TSR_OK;
    const int format = find(in, "format"), shape = find(in, "shape"), data = find(in, "data");
    double *size = NULL;

    if (format < 0 || shape < 0 || data < 0 ||
        tsr__variable_length(&in->variable[shape]) != 2 ||
        tsr__element_is_text(in->variable[shape].element) ||
        !tsr__element_is_text(in->variable[format].element))
        goto done;
    TSR_TRY(find_layout(&in->layout, in, format));
    const bool entries = in->layout == TSR_BY_ENTRIES;
    const int start = find(in, entries ? "row" : "indptr");
    const int index = find(in, entries ? "col" : "indices");
    if (start < 0 || index < 0)
        goto done;
    TSR_TRY(numbers(&size, in, shape));
    if (!(size[0] >= 0 && size[0] < 1e15 && size[1] >= 0 && size[1] < 1e15))
        TSR_FAIL(TSR_ERROR_FORMAT, "a sparse matrix of %g x %g", size[0], size[1]);
    in->start = in->entry[start];
    in->index = in->entry[index];
    tsr__variable *variable = &in->variable[data];
    variable->sparse = true;
    variable->rank = 2;
    variable->shape[0] = (int64_t)size[0];
    variable->shape[1] = (int64_t)size[1];
    hide(in, "format");
    hide(in, "shape");
    hide(in, entries ? "row" : "indptr");
    hide(in, entries ? "col" : "indices");
done:
    tsr__free(size);
    return status;
}

static tsr_status list(archive *into)
{
    tsr_status status = TSR_OK;
    const zip_int64_t entries = tsr__zip.get_num_entries(into->zip, 0);
    char *peek = NULL;
    if (entries > ENTRIES_MOST)
        TSR_FAIL(TSR_ERROR_UNSUPPORTED, "%lld entries; at most %d are read", (long long)entries,
                 ENTRIES_MOST);
    TSR_NEW(peek, PEEK);
    TSR_NEW(into->variable, entries);
    TSR_NEW(into->entry, entries);
    for (zip_int64_t i = 0; i < entries; i++)
        TSR_TRY(list_entry(into, (zip_uint64_t)i, peek));
    for (int i = 0; i < into->count; i++)
        into->variable[i].name = into->names.name[i];
    TSR_TRY(join_sparse(into));
done:
    tsr__free(peek);
    return status;
}

tsr_status tsr__npz_read(tsr_data *out, const tsr__request *request)
{
    tsr_status status = TSR_OK;
    archive from = {0};

    TSR_TRY(tsr__zip_need());
    TSR_TRY(open_zip(&from.zip, request->path));
    TSR_TRY(tsr__bound_of(&from.bound, request->path, request->options->expand));
    TSR_TRY(list(&from));
    from.flow = request->flow;
    const tsr__container container = {.variable = from.variable,
                                      .count = from.count,
                                      .file = &from,
                                      .matrix = matrix,
                                      .numbers = numbers,
                                      .texts = texts};
    TSR_TRY(tsr__container_read(out, request, &container));
done:
    tsr__names_clear(&from.names);
    tsr__free(from.variable);
    tsr__free(from.entry);
    if (from.zip != NULL)
        tsr__zip.discard(from.zip);
    return status;
}

tsr_status tsr__npz_size(int64_t *out, const char *path)
{
    tsr_status status = TSR_OK;
    zip_t *zip = NULL;
    zip_stat_t about;
    int64_t size = 0;
    TSR_TRY(tsr__zip_need());
    TSR_TRY(open_zip(&zip, path));
    const zip_int64_t entries = tsr__zip.get_num_entries(zip, 0);
    for (zip_int64_t i = 0; i < entries; i++)
        if (tsr__zip.stat_index(zip, (zip_uint64_t)i, 0, &about) == 0 &&
            (about.valid & ZIP_STAT_SIZE) != 0 && about.size < (zip_uint64_t)(INT64_MAX - size))
            size += (int64_t)about.size;
    *out = size;
done:
    if (zip != NULL)
        tsr__zip.discard(zip);
    return status < 0 ? tsr__fail_in(status, path) : status;
}
