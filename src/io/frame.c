/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Data frames in HDF5: categorical columns and the names of rows. */
#include "io/frame.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 1024 };

/* Where the codes and the categories of a column are. */
typedef struct column {
    char codes[PATH_SIZE], categories[PATH_SIZE];
} column;

/* "first second third" without the blanks; false where it does not fit. */
static bool join(char out[PATH_SIZE], const char *folder, size_t length, const char *middle,
                 const char *name)
{
    const int wrote = snprintf(out, PATH_SIZE, "%.*s%s%s", (int)length, folder, middle, name);
    return length < PATH_SIZE && wrote > 0 && wrote < PATH_SIZE;
}

static bool holds_both(const column *c, const tsr__hdf5 *file)
{
    return tsr__hdf5_has(file, c->codes) && !tsr__hdf5_is_group(file, c->codes) &&
           tsr__hdf5_has(file, c->categories) && !tsr__hdf5_is_group(file, c->categories);
}

static bool find(column *out, const tsr__hdf5 *file, const char *name)
{
    const char *slash = strrchr(name, '/');
    const size_t folder = slash != NULL ? (size_t)(slash + 1 - name) : 0, length = strlen(name);
    if (join(out->codes, name, length, "/", "codes") &&
        join(out->categories, name, length, "/", "categories") && holds_both(out, file))
        return true;
    return join(out->codes, name, length, "", "") &&
           join(out->categories, name, folder, "__categories/", name + folder) &&
           holds_both(out, file);
}

bool tsr__frame_is_categorical(const tsr__hdf5 *file, const char *name)
{
    column c;
    return find(&c, file, name);
}

bool tsr__frame_is_part(const tsr__hdf5 *file, const char *dataset)
{
    const char *slash = strrchr(dataset, '/');
    char group[PATH_SIZE];
    if (strstr(dataset, "__categories/") != NULL)
        return true;
    if (slash == NULL || (strcmp(slash, "/codes") != 0 && strcmp(slash, "/categories") != 0) ||
        !join(group, dataset, (size_t)(slash - dataset), "", ""))
        return false;
    return tsr__frame_is_categorical(file, group);
}

tsr_status tsr__frame_describe(tsr__variable *out, const tsr__hdf5 *file, const char *name)
{
    column c;
    if (!find(&c, file, name))
        return tsr__fail(TSR_ERROR_FORMAT, "%s is no categorical column", name);
    const tsr_status status = tsr__hdf5_describe(out, file, c.codes);
    out->name = name;
    out->element = out->rank == 1 ? TSR_ELEMENT_BYTES : TSR_ELEMENT_NONE;
    return status;
}

/* Categories may be numbers, too. */
static tsr_status read_categories(tsr__names *out, const tsr__hdf5 *file, const char *name)
{
    tsr_status status = TSR_OK;
    tsr__variable about;
    tsr__array array = {0};
    char text[TSR_REAL_SIZE];
    TSR_TRY(tsr__hdf5_describe(&about, file, name));
    if (tsr__element_is_text(about.element))
        return tsr__hdf5_read_texts(out, file, name);
    TSR_TRY(tsr__hdf5_read(&array, file, name, TSR_ELEMENT_FLOAT64));
    const double *number = array.data;
    for (int64_t i = 0; i < tsr__variable_count(&about); i++) {
        (void)tsr__format_real(text, number[i]);
        TSR_TRY(tsr__names_add(out, text));
    }
done:
    tsr__free(array.data);
    return status;
}

tsr_status tsr__frame_texts(tsr__names *out, const tsr__hdf5 *file, const char *name)
{
    tsr_status status = TSR_OK;
    tsr__names categories = {NULL, 0, 0};
    tsr__array array = {0};
    column c;
    int64_t count = 0;
    if (!find(&c, file, name))
        TSR_FAIL(TSR_ERROR_FORMAT, "%s is no categorical column", name);
    TSR_TRY(read_categories(&categories, file, c.categories));
    TSR_TRY(tsr__hdf5_read(&array, file, c.codes, TSR_ELEMENT_INT64));
    TSR_TRY(tsr__array_count(&count, &array));
    const int64_t *code = array.data;
    for (int64_t i = 0; i < count; i++) {
        if (code[i] < -1 || code[i] >= categories.count)
            TSR_FAIL(TSR_ERROR_FORMAT, "code %lld of row %lld is none of the %lld categories",
                     (long long)code[i], (long long)i, (long long)categories.count);
        TSR_TRY(tsr__names_add(out, code[i] < 0 ? "" : categories.name[code[i]]));
    }
done:
    tsr__names_clear(&categories);
    tsr__free(array.data);
    return status;
}

tsr_status tsr__frame_index(tsr__names *out, const tsr__hdf5 *file, const char *frame,
                            int64_t count)
{
    tsr_status status = TSR_OK;
    tsr__variable about = {0};
    char *index = NULL, path[PATH_SIZE];
    if (out->count > 0 || !tsr__hdf5_has(file, frame) ||
        !tsr__hdf5_has_attribute(file, frame, "_index"))
        return TSR_OK;
    if (tsr__hdf5_get_text(&index, file, frame, "_index") < 0)
        goto done; /* it is no text: no names */
    if (!join(path, frame, strlen(frame), "/", index) || !tsr__hdf5_has(file, path) ||
        tsr__hdf5_is_group(file, path))
        goto done;
    TSR_TRY(tsr__hdf5_describe(&about, file, path));
    if (tsr__element_is_text(about.element) && tsr__variable_length(&about) == count)
        TSR_TRY(tsr__hdf5_read_texts(out, file, path));
done:
    tsr__free(index);
    return status;
}
