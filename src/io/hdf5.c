/* SPDX-License-Identifier: BSD-2-Clause
 *
 * HDF5: datasets. Files are opened in hdf5_open.c; attributes are in hdf5_attribute.c.
 *
 * A dataset's header may announce anything. Before memory is asked for, what it announces is held
 * against the bound of the file (base/bound.h), which lets fill values through that are stored
 * nowhere. */
#include "io/hdf5_file.h"

#include <string.h>

/* An open dataset with its parts. */
typedef struct dataset {
    hid_t id, type, space;
    int64_t count;
} dataset;

static void close_dataset(dataset *set)
{
    if (set->space >= 0)
        (void)H5Sclose(set->space);
    if (set->type >= 0)
        (void)H5Tclose(set->type);
    if (set->id >= 0)
        (void)H5Dclose(set->id);
}

static tsr_status open_dataset(dataset *out, const tsr__hdf5 *file, const char *name)
{
    if (!tsr__hdf5_has(file, name))
        return tsr__fail(TSR_ERROR_FORMAT, "there is no %s in the file", name);
    if (tsr__hdf5_is_group(file, name))
        return tsr__fail(TSR_ERROR_FORMAT, "%s is a group, not a dataset", name);
    dataset set = {H5Dopen2(file->id, name, file->dataset_access), -1, -1, 0};
    if (set.id >= 0) {
        set.type = H5Dget_type(set.id);
        set.space = H5Dget_space(set.id);
    }
    if (set.type < 0 || set.space < 0) {
        const tsr_status status = tsr__hdf5_failed(TSR_ERROR_FORMAT, "open", name);
        close_dataset(&set);
        return status;
    }
    *out = set;
    return TSR_OK;
}

static tsr__element integer_element(hid_t type)
{
    static const tsr__element plain[] = {TSR_ELEMENT_INT8, TSR_ELEMENT_INT16, TSR_ELEMENT_INT32,
                                         TSR_ELEMENT_INT64};
    const bool is_signed = H5Tget_sign(type) != H5T_SGN_NONE;
    for (int i = 0; i < 4; i++)
        if (H5Tget_size(type) == (size_t)1 << i)
            return is_signed ? plain[i] : (tsr__element)(plain[i] + 4);
    return TSR_ELEMENT_NONE;
}

static tsr__element element_of(hid_t type)
{
    const size_t size = H5Tget_size(type);
    const H5T_class_t kind = H5Tget_class(type);
    if (kind == H5T_INTEGER)
        return integer_element(type);
    if (kind == H5T_FLOAT)
        return size == 2   ? TSR_ELEMENT_FLOAT16
               : size == 4 ? TSR_ELEMENT_FLOAT32
                           : TSR_ELEMENT_FLOAT64;
    if (kind == H5T_ENUM) {
        const hid_t base = H5Tget_super(type);
        const tsr__element element = base >= 0 ? integer_element(base) : TSR_ELEMENT_NONE;
        (void)H5Tclose(base);
        return size == 1 && H5Tget_nmembers(type) == 2 ? TSR_ELEMENT_BOOL : element;
    }
    return kind == H5T_STRING ? TSR_ELEMENT_BYTES : TSR_ELEMENT_NONE;
}

static void describe(tsr__variable *out, const dataset *set, const char *name)
{
    hsize_t shape[H5S_MAX_RANK];
    tsr__variable variable = {.name = name};
    const int rank = H5Sget_simple_extent_dims(set->space, shape, NULL);
    if (rank >= 0 && rank <= 4 && H5Sget_simple_extent_type(set->space) != H5S_NULL) {
        variable.element = element_of(set->type);
        variable.rank = rank;
        for (int i = 0; i < rank; i++)
            variable.shape[i] = shape[i] < INT64_MAX ? (int64_t)shape[i] : INT64_MAX;
    }
    *out = variable;
}

tsr_status tsr__hdf5_describe(tsr__variable *out, const tsr__hdf5 *file, const char *name)
{
    dataset set = {-1, -1, -1, 0};
    const tsr_status status = open_dataset(&set, file, name);
    if (status == TSR_OK)
        describe(out, &set, name);
    close_dataset(&set);
    return status;
}

/* Elements of a space, as a number that does not wrap around; -1 where it has no shape. */
static double elements_of(hid_t space)
{
    hsize_t shape[H5S_MAX_RANK];
    const int rank = H5Sget_simple_extent_dims(space, shape, NULL);
    double elements = rank < 0 ? -1 : 1;
    for (int i = 0; i < rank; i++)
        elements *= (double)shape[i];
    return elements;
}

/* HDF5 itself counts 2^32 x 2^32 elements as none. */
tsr_status tsr__hdf5_count(int64_t *out, const tsr__hdf5 *file, hid_t id, const char *name,
                           size_t item)
{
    const hid_t space = H5Dget_space(id);
    const double elements = space >= 0 ? elements_of(space) : -1;
    const hssize_t count = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    if (space >= 0)
        (void)H5Sclose(space);
    if (count < 0 || elements < 0)
        return tsr__hdf5_failed(TSR_ERROR_FORMAT, "look at", name);
    if (elements > (double)(INT64_MAX / 2))
        return tsr__fail(TSR_ERROR_FORMAT, "%s announces %.3g elements", name, elements);
    *out = count;
    TSR_OR_RETURN(tsr__bound_check(&file->bound, (double)count * (double)item,
                                   "%s, %lld elements,", name, (long long)count));
    return tsr__hdf5_check_stored(file, id, count, name);
}

hid_t tsr__hdf5_native(tsr__element element)
{
    return element == TSR_ELEMENT_FLOAT64   ? H5T_NATIVE_DOUBLE
           : element == TSR_ELEMENT_FLOAT32 ? H5T_NATIVE_FLOAT
           : element == TSR_ELEMENT_INT64   ? H5T_NATIVE_INT64
                                            : H5T_NATIVE_INT32;
}

tsr_status tsr__hdf5_read(tsr__array *out, const tsr__hdf5 *file, const char *name,
                          tsr__element as)
{
    tsr_status status = TSR_OK;
    dataset set = {-1, -1, -1, 0};
    tsr__variable about;
    tsr__array array = {.element = as, .item = tsr__element_size(as)};

    TSR_TRY(open_dataset(&set, file, name));
    describe(&about, &set, name);
    if (about.element == TSR_ELEMENT_NONE || about.element == TSR_ELEMENT_BYTES)
        TSR_FAIL(TSR_ERROR_UNSUPPORTED, "%s does not hold real numbers", name);
    TSR_TRY(tsr__hdf5_count(&set.count, file, set.id, name, (size_t)array.item));
    array.rank = about.rank;
    memcpy(array.shape, about.shape, sizeof array.shape);
    array.bytes = set.count * array.item;
    array.data = tsr__alloc(set.count, (size_t)array.item);
    if (array.data == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    if (H5Dread(set.id, tsr__hdf5_native(as), H5S_ALL, H5S_ALL, H5P_DEFAULT, array.data) < 0)
        TSR_TRY(tsr__hdf5_failed(TSR_ERROR_FORMAT, "read", name));
    *out = array, array.data = NULL;
done:
    close_dataset(&set);
    tsr__free(array.data);
    return status;
}

/* Whether each bit of an element counts as in the type of C that `element_of` calls it: integers may
 * have fewer than they take, floats may be of any make. */
static bool is_plain(hid_t type)
{
    if (H5Tget_class(type) == H5T_INTEGER)
        return integer_element(type) != TSR_ELEMENT_NONE &&
               H5Tget_precision(type) == 8 * H5Tget_size(type);
    return H5Tequal(type, H5T_IEEE_F32LE) > 0 || H5Tequal(type, H5T_IEEE_F32BE) > 0 ||
           H5Tequal(type, H5T_IEEE_F64LE) > 0 || H5Tequal(type, H5T_IEEE_F64BE) > 0;
}

tsr_status tsr__hdf5_place(int64_t *offset, bool *swapped, const tsr__hdf5 *file,
                           const char *name)
{
    dataset set = {-1, -1, -1, 0};
    TSR_OR_RETURN(open_dataset(&set, file, name));
    const hid_t how = H5Dget_create_plist(set.id);
    const haddr_t at = H5Dget_offset(set.id);
    const H5T_order_t order = H5Tget_order(set.type);
    const bool plain = H5Pget_layout(how) == H5D_CONTIGUOUS && at != HADDR_UNDEF &&
                       is_plain(set.type) && (order == H5T_ORDER_LE || order == H5T_ORDER_BE);
    *offset = plain && at < INT64_MAX ? (int64_t)at : -1;
    *swapped = (order == H5T_ORDER_LE) != (H5Tget_order(H5T_NATIVE_INT) == H5T_ORDER_LE);
    (void)H5Pclose(how);
    close_dataset(&set);
    return TSR_OK;
}

tsr_status tsr__hdf5_read_numbers(double **out, const tsr__hdf5 *file, const char *name)
{
    tsr__array array = {0};
    const tsr_status status = tsr__hdf5_read(&array, file, name, TSR_ELEMENT_FLOAT64);
    if (status == TSR_OK)
        *out = array.data;
    return status;
}

/* Where HDF5 puts texts of variable length: any number of them may be the same bytes of the file, so
 * what they take together is held against its bound. All are freed at once. */
typedef struct heap {
    const tsr__hdf5 *file;
    const char *name; /* of the dataset */
    double bytes;
    tsr_status status;
    char **block;
    int64_t count, room;
} heap;

static void *heap_take(size_t size, void *user)
{
    tsr_status status = TSR_OK;
    heap *from = user;
    char *block = NULL;
    from->bytes += (double)size + TSR_BOUND_TEXT;
    TSR_TRY(
        tsr__bound_check(&from->file->bound, 2 * from->bytes, "the texts of %s", from->name));
    TSR_GROW(from->block, from->count, from->room);
    TSR_NEW(block, (int64_t)size);
    from->block[from->count++] = block;
done:
    from->status = status;
    return block;
}

static void heap_give(void *block, void *user)
{
    (void)block, (void)user;
}

static void heap_clear(heap *all)
{
    for (int64_t i = 0; i < all->count; i++)
        tsr__free(all->block[i]);
    tsr__free(all->block);
}

static tsr_status read_variable(tsr__names *out, const tsr__hdf5 *file, const char *name,
                                dataset *set)
{
    tsr_status status = TSR_OK;
    char **text = NULL;
    heap all = {.file = file, .name = name};
    const hid_t how = H5Pcreate(H5P_DATASET_XFER);

    TSR_TRY(tsr__hdf5_count(&set->count, file, set->id, name, TSR_BOUND_TEXT));
    TSR_NEW_ZERO(text, set->count);
    (void)H5Pset_vlen_mem_manager(how, heap_take, &all, heap_give, NULL);
    if (H5Dread(set->id, set->type, H5S_ALL, H5S_ALL, how, text) < 0)
        TSR_TRY(all.status < 0 ? all.status : tsr__hdf5_failed(TSR_ERROR_FORMAT, "read", name));
    for (int64_t i = 0; i < set->count; i++)
        TSR_TRY(tsr__names_add(out, text[i] != NULL ? text[i] : ""));
done:
    (void)H5Pclose(how);
    heap_clear(&all);
    tsr__free(text);
    return status;
}

static tsr_status read_fixed(tsr__names *out, const tsr__hdf5 *file, const char *name,
                             dataset *set)
{
    tsr_status status = TSR_OK;
    const size_t item = H5Tget_size(set->type);
    char *bytes = NULL;

    TSR_TRY(tsr__hdf5_count(&set->count, file, set->id, name, item + TSR_BOUND_TEXT));
    bytes = tsr__alloc(set->count, item);
    if (bytes == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    if (H5Dread(set->id, set->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) < 0)
        TSR_TRY(tsr__hdf5_failed(TSR_ERROR_FORMAT, "read", name));
    for (int64_t i = 0; H5Tget_strpad(set->type) == H5T_STR_SPACEPAD && i < set->count; i++)
        for (char *end = bytes + (size_t)(i + 1) * item; end > bytes + (size_t)i * item;
             end--) {
            if (end[-1] != ' ')
                break;
            end[-1] = '\0';
        }
    TSR_TRY(tsr__array_to_names(out, &(tsr__array){.element = TSR_ELEMENT_BYTES,
                                                   .item = (int64_t)item,
                                                   .rank = 1,
                                                   .shape = {set->count},
                                                   .data = bytes,
                                                   .bytes = set->count * (int64_t)item}));
done:
    tsr__free(bytes);
    return status;
}

tsr_status tsr__hdf5_read_texts(tsr__names *out, const tsr__hdf5 *file, const char *name)
{
    tsr_status status = TSR_OK;
    dataset set = {-1, -1, -1, 0};
    TSR_TRY(open_dataset(&set, file, name));
    if (H5Tget_class(set.type) != H5T_STRING)
        TSR_FAIL(TSR_ERROR_UNSUPPORTED, "%s does not hold texts", name);
    TSR_TRY(H5Tis_variable_str(set.type) > 0 ? read_variable(out, file, name, &set)
                                             : read_fixed(out, file, name, &set));
done:
    close_dataset(&set);
    return status;
}

tsr_status tsr__hdf5_read_references(tsr__names *out, const tsr__hdf5 *file, const char *name,
                                     int64_t most)
{
    tsr_status status = TSR_OK;
    dataset set = {-1, -1, -1, 0};
    hobj_ref_t *address = NULL;
    TSR_TRY(open_dataset(&set, file, name));
    if (H5Tequal(set.type, H5T_STD_REF_OBJ) <= 0)
        TSR_FAIL(TSR_ERROR_UNSUPPORTED, "%s does not hold references", name);
    TSR_TRY(tsr__hdf5_count(&set.count, file, set.id, name, sizeof *address + TSR_BOUND_TEXT));
    TSR_NEW(address, set.count);
    if (H5Dread(set.id, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, address) < 0)
        TSR_TRY(tsr__hdf5_failed(TSR_ERROR_FORMAT, "read", name));
    for (int64_t i = 0; i < set.count && (most < 0 || i < most); i++) {
        const char *path = address[i] != 0 ? tsr__hdf5_at(file, address[i]) : "";
        if (path == NULL)
            TSR_FAIL(TSR_ERROR_FORMAT, "%s refers to what is not in the file", name);
        TSR_TRY(tsr__names_add(out, path));
    }
done:
    tsr__free(address);
    close_dataset(&set);
    return status;
}

tsr_status tsr__hdf5_make_group(tsr__hdf5 *file, const char *name)
{
    const hid_t group = H5Gcreate2(file->id, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group < 0)
        return tsr__hdf5_failed(TSR_ERROR_IO, "make the group", name);
    (void)H5Gclose(group);
    return TSR_OK;
}

/* A new dataset in one piece and without a date, so that equal data make equal files. */
static hid_t create_dataset(const tsr__hdf5 *file, const char *name, hid_t type, hid_t space)
{
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    (void)H5Pset_layout(how, H5D_CONTIGUOUS);
    (void)H5Pset_obj_track_times(how, false);
    const hid_t id = H5Dcreate2(file->id, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    (void)H5Pclose(how);
    return id;
}

tsr_status tsr__hdf5_make_array(tsr__hdf5 *file, const char *name, const tsr__hdf5_block *whole)
{
    const hsize_t shape[2] = {(hsize_t)whole->shape[0], (hsize_t)whole->shape[1]};
    const hid_t space = H5Screate_simple(whole->rank, shape, NULL);
    const hid_t id = create_dataset(file, name, tsr__hdf5_native(whole->element), space);
    const tsr_status status = id >= 0 ? TSR_OK : tsr__hdf5_failed(TSR_ERROR_IO, "write", name);
    if (id >= 0)
        (void)H5Dclose(id);
    (void)H5Sclose(space);
    return status;
}

tsr_status tsr__hdf5_write_part(tsr__hdf5 *file, const char *name, const tsr__hdf5_block *part,
                                int64_t first)
{
    const bool flat = part->rank == 1;
    const hsize_t shape[2] = {(hsize_t)part->shape[0], flat ? 1 : (hsize_t)part->shape[1]};
    const hsize_t room[2] = {shape[0], flat ? 1 : (hsize_t)part->stride};
    const hsize_t origin[2] = {0, 0}, to[2] = {(hsize_t)first, 0};
    const hid_t id = H5Dopen2(file->id, name, H5P_DEFAULT);
    const hid_t space = id >= 0 ? H5Dget_space(id) : -1;
    const hid_t memory = H5Screate_simple(part->rank, room, NULL);
    const bool written =
        id >= 0 &&
        H5Sselect_hyperslab(memory, H5S_SELECT_SET, origin, NULL, shape, NULL) >= 0 &&
        H5Sselect_hyperslab(space, H5S_SELECT_SET, to, NULL, shape, NULL) >= 0 &&
        H5Dwrite(id, tsr__hdf5_native(part->element), memory, space, H5P_DEFAULT,
                 part->values) >= 0;
    const tsr_status status = written ? TSR_OK : tsr__hdf5_failed(TSR_ERROR_IO, "write", name);
    if (id >= 0)
        (void)H5Dclose(id);
    if (space >= 0)
        (void)H5Sclose(space);
    (void)H5Sclose(memory);
    return status;
}

tsr_status tsr__hdf5_write(tsr__hdf5 *file, const char *name, const tsr__hdf5_block *block)
{
    TSR_OR_RETURN(tsr__hdf5_make_array(file, name, block));
    return tsr__hdf5_write_part(file, name, block, 0);
}

tsr_status tsr__hdf5_write_pieces(tsr__hdf5 *file, const char *name,
                                  const tsr__hdf5_block *block, tsr__hdf5_fill fill,
                                  void *context)
{
    enum { PIECE = 1 << 16 }; /* elements, or a row */
    tsr_status status = TSR_OK;
    const int64_t row = block->shape[1], rows = row > 0 && row < PIECE ? PIECE / row : 1;
    tsr__hdf5_block part = *block;
    char *piece = NULL;
    TSR_TRY(tsr__hdf5_make_array(file, name, block));
    TSR_NEW(piece, rows * row * tsr__element_size(block->element));
    part.values = piece;
    part.stride = row;
    for (int64_t first = 0; first < block->shape[0]; first += rows) {
        const int64_t left = block->shape[0] - first;
        part.shape[0] = left < rows ? left : rows;
        TSR_TRY(fill(context, piece, first * row, part.shape[0] * row));
        TSR_TRY(tsr__hdf5_write_part(file, name, &part, first));
    }
done:
    tsr__free(piece);
    return status;
}

hid_t tsr__hdf5_text_type(size_t length)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    (void)H5Tset_size(type, length);
    if (length != H5T_VARIABLE)
        (void)H5Tset_strpad(type, H5T_STR_NULLPAD);
    (void)H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

tsr_status tsr__hdf5_write_texts(tsr__hdf5 *file, const char *name, const char *const *text,
                                 int64_t count)
{
    tsr_status status = TSR_OK;
    size_t longest = 1;
    char *bytes = NULL;
    hid_t type = -1, space = -1, id = -1;

    for (int64_t i = 0; i < count; i++)
        longest = strlen(text[i]) > longest ? strlen(text[i]) : longest;
    bytes = tsr__alloc_zero(count, longest);
    if (bytes == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    for (int64_t i = 0; i < count; i++)
        memcpy(bytes + (size_t)i * longest, text[i], strlen(text[i]));
    type = tsr__hdf5_text_type(longest);
    space = H5Screate_simple(1, &(hsize_t){(hsize_t)count}, NULL);
    id = create_dataset(file, name, type, space);
    if (id < 0 || H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) < 0)
        TSR_TRY(tsr__hdf5_failed(TSR_ERROR_IO, "write", name));
done:
    if (id >= 0)
        (void)H5Dclose(id);
    if (space >= 0)
        (void)H5Sclose(space);
    if (type >= 0)
        (void)H5Tclose(type);
    tsr__free(bytes);
    return status;
}
