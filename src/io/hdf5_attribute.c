/* SPDX-License-Identifier: BSD-2-Clause
 *
 * HDF5: attributes, which are small values with a name on a group or dataset. */
#include "io/hdf5_file.h"

#include <string.h>

enum { TEXT_MOST = 1 << 20 };

bool tsr__hdf5_has_attribute(const tsr__hdf5 *file, const char *name, const char *attribute)
{
    return H5Aexists_by_name(file->id, tsr__hdf5_path(name), attribute, H5P_DEFAULT) > 0;
}

typedef struct listing {
    tsr__names *out;
    tsr_status status;
} listing;

static herr_t add_attribute(hid_t object, const char *name, const H5A_info_t *about, void *to)
{
    (void)object, (void)about;
    listing *l = to;
    l->status = tsr__names_add(l->out, name);
    return l->status < 0 ? -1 : 0;
}

tsr_status tsr__hdf5_list_attributes(tsr__names *out, const tsr__hdf5 *file, const char *name)
{
    listing l = {out, TSR_OK};
    const herr_t result = H5Aiterate_by_name(file->id, tsr__hdf5_path(name), H5_INDEX_NAME,
                                             H5_ITER_INC, NULL, add_attribute, &l, H5P_DEFAULT);
    if (l.status < 0)
        return l.status;
    return result >= 0 ? TSR_OK
                       : tsr__hdf5_failed(TSR_ERROR_FORMAT, "list the attributes of", name);
}

static tsr_status set(tsr__hdf5 *file, const char *name, const char *attribute, hid_t type,
                      hid_t space, const void *value)
{
    const hid_t id = H5Acreate_by_name(file->id, tsr__hdf5_path(name), attribute, type, space,
                                       H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const bool written = id >= 0 && H5Awrite(id, type, value) >= 0;
    const tsr_status status =
        written ? TSR_OK : tsr__hdf5_failed(TSR_ERROR_IO, "write the attribute", attribute);
    if (id >= 0)
        (void)H5Aclose(id);
    (void)H5Sclose(space);
    return status;
}

/* One value is a scalar, several are a vector. */
static hid_t space_of(int64_t count)
{
    return count == 1 ? H5Screate(H5S_SCALAR)
                      : H5Screate_simple(1, &(hsize_t){(hsize_t)count}, NULL);
}

tsr_status tsr__hdf5_set_text(tsr__hdf5 *file, const char *name, const char *attribute,
                              const char *text)
{
    const hid_t type = tsr__hdf5_text_type(*text != '\0' ? strlen(text) : 1);
    const tsr_status status = set(file, name, attribute, type, space_of(1), text);
    (void)H5Tclose(type);
    return status;
}

tsr_status tsr__hdf5_set_variable_text(tsr__hdf5 *file, const char *name, const char *attribute,
                                       const char *text)
{
    const hid_t type = tsr__hdf5_text_type(H5T_VARIABLE);
    const tsr_status status = set(file, name, attribute, type, space_of(1), &text);
    (void)H5Tclose(type);
    return status;
}

tsr_status tsr__hdf5_set_integers(tsr__hdf5 *file, const char *name, const char *attribute,
                                  const int64_t *value, int64_t count)
{
    return set(file, name, attribute, H5T_NATIVE_INT64, space_of(count), value);
}

tsr_status tsr__hdf5_set_reals(tsr__hdf5 *file, const char *name, const char *attribute,
                               const double *value, int64_t count)
{
    return set(file, name, attribute, H5T_NATIVE_DOUBLE, space_of(count), value);
}

/* An open attribute of `count` values. */
typedef struct opened {
    hid_t id, type;
} opened;

static void close_attribute(opened *a)
{
    if (a->type >= 0)
        (void)H5Tclose(a->type);
    if (a->id >= 0)
        (void)H5Aclose(a->id);
}

static tsr_status open_attribute(opened *out, int64_t count, const tsr__hdf5 *file,
                                 const char *name, const char *attribute)
{
    opened a = {
        H5Aopen_by_name(file->id, tsr__hdf5_path(name), attribute, H5P_DEFAULT, H5P_DEFAULT),
        -1};
    if (a.id < 0)
        return tsr__fail(TSR_ERROR_FORMAT, "there is no attribute %s on %s", attribute,
                         tsr__hdf5_path(name));
    a.type = H5Aget_type(a.id);
    const hid_t space = H5Aget_space(a.id);
    const hssize_t found = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    if (space >= 0)
        (void)H5Sclose(space);
    if (a.type >= 0 && found == count &&
        (double)count * (double)H5Tget_size(a.type) > (double)H5Aget_storage_size(a.id)) {
        close_attribute(&a);
        return tsr__fail(TSR_ERROR_FORMAT,
                         "attribute %s on %s is damaged: it holds less than its shape says",
                         attribute, tsr__hdf5_path(name));
    }
    if (a.type < 0 || found != count) {
        close_attribute(&a);
        return tsr__fail(TSR_ERROR_FORMAT, "attribute %s on %s has %lld values; %lld expected",
                         attribute, tsr__hdf5_path(name), (long long)found, (long long)count);
    }
    *out = a;
    return TSR_OK;
}

static tsr_status wrong_kind(const char *name, const char *attribute, const char *expected)
{
    return tsr__fail(TSR_ERROR_FORMAT, "attribute %s on %s is not %s", attribute,
                     tsr__hdf5_path(name), expected);
}

static tsr_status copy_variable(char **out, const opened *a, const char *attribute)
{
    char *text = NULL;
    if (H5Aread(a->id, a->type, &text) < 0)
        return tsr__hdf5_failed(TSR_ERROR_FORMAT, "read the attribute", attribute);
    *out = tsr__copy_text(text != NULL ? text : "");
    (void)H5free_memory(text);
    return *out != NULL ? TSR_OK : TSR_ERROR_MEMORY;
}

tsr_status tsr__hdf5_get_text(char **out, const tsr__hdf5 *file, const char *name,
                              const char *attribute)
{
    tsr_status status = TSR_OK;
    opened a = {-1, -1};
    char *text = NULL;

    TSR_TRY(open_attribute(&a, 1, file, name, attribute));
    const size_t size = H5Tget_size(a.type);
    if (H5Tget_class(a.type) != H5T_STRING || size > TEXT_MOST)
        TSR_TRY(wrong_kind(name, attribute, "a short text"));
    if (H5Tis_variable_str(a.type) > 0) {
        TSR_TRY(copy_variable(out, &a, attribute));
        goto done;
    }
    TSR_NEW_ZERO(text, (int64_t)size + 1);
    if (H5Aread(a.id, a.type, text) < 0)
        TSR_TRY(tsr__hdf5_failed(TSR_ERROR_FORMAT, "read the attribute", attribute));
    *out = text, text = NULL;
done:
    close_attribute(&a);
    tsr__free(text);
    return status;
}

static tsr_status get(void *out, int64_t count, hid_t as, const tsr__hdf5 *file,
                      const char *name, const char *attribute)
{
    tsr_status status = TSR_OK;
    opened a = {-1, -1};
    TSR_TRY(open_attribute(&a, count, file, name, attribute));
    const H5T_class_t kind = H5Tget_class(a.type);
    if (kind != H5T_INTEGER && (kind != H5T_FLOAT || H5Tget_class(as) != H5T_FLOAT))
        TSR_TRY(wrong_kind(name, attribute,
                           H5Tget_class(as) == H5T_FLOAT ? "a number" : "an integer"));
    if (H5Aread(a.id, as, out) < 0)
        TSR_TRY(tsr__hdf5_failed(TSR_ERROR_FORMAT, "read the attribute", attribute));
done:
    close_attribute(&a);
    return status;
}

tsr_status tsr__hdf5_get_integers(int64_t *out, int64_t count, const tsr__hdf5 *file,
                                  const char *name, const char *attribute)
{
    return get(out, count, H5T_NATIVE_INT64, file, name, attribute);
}

tsr_status tsr__hdf5_get_reals(double *out, int64_t count, const tsr__hdf5 *file,
                               const char *name, const char *attribute)
{
    return get(out, count, H5T_NATIVE_DOUBLE, file, name, attribute);
}
