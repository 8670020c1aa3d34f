/* SPDX-License-Identifier: BSD-2-Clause
 *
 * HDF5: files, opened in one place for all that reads them.
 *
 * A file is a guest. Before anyone reads a value of it, the whole of it is walked, and it is
 * refused where it would make this program open another file (external storage, virtual datasets,
 * links to other files), load code (filters other than deflate and shuffle) or wait (a pipe). What
 * the walk has passed is written down by path and address, and nothing else can be asked for: soft
 * links are not followed, references are looked up among the addresses. A name with a slash in it
 * would be taken for a path, which may lead through such links, so there may be none.
 *
 * Links may form loops, so each group is entered once. The walk ends in a failure at a depth, and at
 * as many objects as the bytes of the file can describe. O(objects). */
#include "io/hdf5_file.h"
#include "io/seal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    DEPTH_MOST = 64,
    OBJECTS_MOST = 1 << 20,
    OBJECT_LEAST = 16 /* bytes of a file that an object takes, at the very least */
};

/* Nobody follows a link to another file, whatever leads there. */
static herr_t follow_none(const char *parent, const char *group, const char *file,
                          const char *object, unsigned *flags, hid_t access, void *user)
{
    (void)parent, (void)group, (void)file, (void)object, (void)flags, (void)access, (void)user;
    return -1;
}

/* HDF5 prints its errors and looks for plugins by itself; while a file is open here it does not. */
static void quiet(tsr__hdf5 *file)
{
    (void)
        H5dont_atexit(); /* heeded before the first other call alone; after that, without harm */
    (void)H5Eget_auto2(H5E_DEFAULT, &file->report, &file->to);
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    if (H5PLget_loading_state(&file->plugins) >= 0)
        (void)H5PLset_loading_state(0);
    else
        file->plugins = 0;
}

static void as_before(const tsr__hdf5 *file)
{
    (void)H5Eset_auto2(H5E_DEFAULT, file->report, file->to);
    (void)H5PLset_loading_state(file->plugins);
}

/* Where HDF5 quotes the system, that part. */
static herr_t find_reason(unsigned n, const H5E_error2_t *error, void *out)
{
    static const char mark[] = "error message = '";
    tsr__line *line = out;
    const char *at = error->desc != NULL ? strstr(error->desc, mark) : NULL;
    (void)n;
    if (at != NULL && line->used == 0) {
        at += sizeof mark - 1;
        tsr__line_add(line, "%.*s", (int)strcspn(at, "'"), at);
    }
    return 0;
}

tsr_status tsr__hdf5_failed(tsr_status code, const char *what, const char *name)
{
    char why[256] = "";
    tsr__line line = TSR_LINE(why);
    (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, find_reason, &line);
    if (line.used == 0)
        tsr__line_add(&line, "%s",
                      code == TSR_ERROR_IO ? "HDF5 gives no reason"
                                           : "the file is damaged or cut off");
    return tsr__fail(code, "cannot %s%s%s: %s", what, *name != '\0' ? " " : "", name, why);
}

const char *tsr__hdf5_path(const char *name)
{
    return *name != '\0' ? name : "/";
}

/* HDF5 copies as many values as the shape says from within an object's head, without a look at how
 * many bytes stand there. */
static bool holds_less(hid_t dataset)
{
    const hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    const hssize_t count = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    const double size = type >= 0 ? (double)H5Tget_size(type) : 0;
    if (type >= 0)
        (void)H5Tclose(type);
    if (space >= 0)
        (void)H5Sclose(space);
    return count < 0 || (double)count * size > (double)H5Dget_storage_size(dataset);
}

/* Each of the filters that are read may be there once: deflate of deflate would unpack a million
 * times. */
static tsr_status check_filters(hid_t made, const char *name)
{
    int deflate = 0, shuffle = 0;
    for (int i = 0; i < H5Pget_nfilters(made); i++) {
        unsigned flags, how;
        size_t values = 0;
        char filter[64] = "";
        const H5Z_filter_t id = H5Pget_filter2(made, (unsigned)i, &flags, &values, NULL,
                                               sizeof filter, filter, &how);
        deflate += id == H5Z_FILTER_DEFLATE;
        shuffle += id == H5Z_FILTER_SHUFFLE;
        if ((id != H5Z_FILTER_DEFLATE && id != H5Z_FILTER_SHUFFLE) || deflate > 1 ||
            shuffle > 1)
            return tsr__fail(TSR_ERROR_UNSUPPORTED,
                             "%s is packed by filter %d (%s); deflate (gzip) and shuffle are "
                             "read, each once: `h5repack -f GZIP=4` writes a file so packed",
                             name, (int)id, filter);
    }
    return TSR_OK;
}

/* A chunk is unpacked whole, however little of it the shape wants. */
static tsr_status check_chunk(const tsr__hdf5 *file, hid_t dataset, hid_t made,
                              const char *name)
{
    hsize_t chunk[H5S_MAX_RANK];
    const int rank = H5Pget_chunk(made, H5S_MAX_RANK, chunk);
    const hid_t type = H5Dget_type(dataset);
    double bytes = type >= 0 ? (double)tsr__hdf5_stored_size(file, type) : 0;
    for (int i = 0; i < rank; i++)
        bytes *= (double)chunk[i];
    if (type >= 0)
        (void)H5Tclose(type);
    return tsr__bound_check(&file->bound, bytes, "a chunk of %s", name);
}

/* Refuses a dataset whose values are in other files, packed by other filters than HDF5's own deflate
 * and shuffle, in chunks beyond the bound, or fewer than its shape says. */
static tsr_status check_dataset(const tsr__hdf5 *file, hid_t dataset, const char *name)
{
    tsr_status status = TSR_OK;
    const hid_t made = H5Dget_create_plist(dataset);
    const H5D_layout_t layout = made >= 0 ? H5Pget_layout(made) : H5D_LAYOUT_ERROR;
    if (layout < 0)
        TSR_TRY(tsr__hdf5_failed(TSR_ERROR_FORMAT, "look at", name));
    if (layout == H5D_VIRTUAL || H5Pget_external_count(made) != 0)
        TSR_FAIL(TSR_ERROR_UNSUPPORTED,
                 "%s keeps its values in other files, which are not read", name);
    if (layout == H5D_COMPACT && holds_less(dataset))
        TSR_FAIL(TSR_ERROR_FORMAT, "%s is damaged: it holds less than its shape says", name);
    TSR_TRY(check_filters(made, name));
    if (layout == H5D_CHUNKED)
        TSR_TRY(check_chunk(file, dataset, made, name));
done:
    if (made >= 0)
        (void)H5Pclose(made);
    return status;
}

/* The walk -------------------------------------------------------------------------------- */

/* The links of one group, as paths. */
typedef struct links {
    const char *folder;
    int64_t most;
    tsr__names found;
    tsr_status status;
} links;

static tsr_status too_many(int64_t most)
{
    return tsr__fail(
        TSR_ERROR_UNSUPPORTED,
        "more than %lld objects in the HDF5 file: copy what is wanted into another "
        "(h5copy)",
        (long long)most);
}

static herr_t collect(hid_t group, const char *name, const H5L_info_t *about, void *context)
{
    tsr_status status = TSR_OK;
    links *in = context;
    char *path = NULL;
    (void)group;
    if (about->type == H5L_TYPE_SOFT)
        return 0;
    if (about->type != H5L_TYPE_HARD)
        TSR_FAIL(TSR_ERROR_UNSUPPORTED, "%s%s%s is a link to another file, which is not read",
                 in->folder, *in->folder != '\0' ? "/" : "", name);
    if (in->found.count >= in->most)
        TSR_TRY(too_many(in->most));
    if (*name == '\0' || strchr(name, '/') != NULL)
        TSR_FAIL(TSR_ERROR_FORMAT, "'%s' is no name of an object", name);
    const size_t folder = strlen(in->folder), size = folder + strlen(name) + 2;
    TSR_NEW(path, (int64_t)size);
    memcpy(path, in->folder, folder);
    path[folder] = '/';
    strcpy(path + folder + (folder > 0), name);
    TSR_TRY(tsr__names_add(&in->found, path));
done:
    tsr__free(path);
    in->status = status;
    return status < 0 ? -1 : 0;
}

static int depth_of(const char *path)
{
    int depth = 0;
    for (; *path != '\0'; path++)
        depth += *path == '/';
    return depth;
}

/* Where an object is in the file: what references to it say. */
static uint64_t address_of(hid_t object)
{
#if H5_VERSION_GE(1, 12, 0)
    H5O_info1_t about;
    return H5Oget_info2(object, (H5O_info1_t *)&about, H5O_INFO_BASIC) >= 0 ? about.addr : 0;
#else
    H5O_info_t about;
    return H5Oget_info2(object, &about, H5O_INFO_BASIC) >= 0 ? about.addr : 0;
#endif
}

/* Whether a group was entered before, at another path; from now on it was. Of addresses, in a table
 * with room for twice as many as there may be. */
static bool was_entered(tsr__hdf5 *file, uint64_t address)
{
    const uint64_t mask = (uint64_t)file->slots - 1;
    uint64_t at = address * 0x9e3779b97f4a7c15u >> 20 & mask;
    while (file->entered[at] != 0) {
        if (file->entered[at] == address + 1)
            return true;
        at = (at + 1) & mask;
    }
    file->entered[at] = address + 1;
    return false;
}

/* Writes down a group or a dataset that may be read. */
static tsr_status pass(tsr__hdf5 *file, const char *path)
{
    tsr_status status = TSR_OK;
    const hid_t object = H5Oopen(file->id, tsr__hdf5_path(path), file->access);
    const H5I_type_t type = object >= 0 ? H5Iget_type(object) : H5I_BADID;
    if (object < 0)
        TSR_TRY(tsr__hdf5_failed(TSR_ERROR_FORMAT, "open", path));
    if (type != H5I_GROUP && type != H5I_DATASET)
        goto done;
    if (type == H5I_DATASET)
        TSR_TRY(check_dataset(file, object, path));
    TSR_GROW(file->object, file->objects, file->room);
    tsr__hdf5_object *to = &file->object[file->objects];
    *to = (tsr__hdf5_object){NULL, address_of(object), type == H5I_GROUP};
    TSR_NEW_TEXT(to->path, path);
    file->objects++;
done:
    if (object >= 0)
        (void)H5Oclose(object);
    return status;
}

static tsr_status walk_group(tsr__hdf5 *file, const char *name, int64_t most)
{
    tsr_status status = TSR_OK;
    links in = {.folder = name, .most = most};
    const hid_t group = H5Gopen2(file->id, tsr__hdf5_path(name), file->group_access);
    hsize_t at = 0;
    if (group < 0 || H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, &at, collect, &in) < 0)
        TSR_TRY(in.status < 0 ? in.status
                              : tsr__hdf5_failed(TSR_ERROR_FORMAT, "list the group",
                                                 tsr__hdf5_path(name)));
    for (int64_t i = 0; i < in.found.count; i++) {
        if (file->objects >= most)
            TSR_TRY(too_many(most));
        TSR_TRY(pass(file, in.found.name[i]));
    }
done:
    if (group >= 0)
        (void)H5Gclose(group);
    tsr__names_clear(&in.found);
    return status;
}

static int by_path(const void *a, const void *b)
{
    return strcmp((*(tsr__hdf5_object *const *)a)->path, (*(tsr__hdf5_object *const *)b)->path);
}

static int by_address(const void *a, const void *b)
{
    const uint64_t x = (*(tsr__hdf5_object *const *)a)->address,
                   y = (*(tsr__hdf5_object *const *)b)->address;
    return (x > y) - (x < y);
}

static tsr_status sort_objects(tsr__hdf5 *file)
{
    tsr_status status = TSR_OK;
    TSR_NEW(file->by_path, file->objects);
    TSR_NEW(file->by_address, file->objects);
    for (int64_t i = 0; i < file->objects; i++)
        file->by_path[i] = file->by_address[i] = &file->object[i];
    qsort(file->by_path, (size_t)file->objects, sizeof *file->by_path, by_path);
    qsort(file->by_address, (size_t)file->objects, sizeof *file->by_address, by_address);
done:
    return status;
}

/* Breadth first: what is found stands behind what was there before. */
static tsr_status walk(tsr__hdf5 *file)
{
    tsr_status status = TSR_OK;
    hsize_t size = 0;
    if (H5Fget_filesize(file->id, &size) < 0)
        TSR_TRY(tsr__hdf5_failed(TSR_ERROR_FORMAT, "look at", "the file"));
    const int64_t most =
        size / OBJECT_LEAST < OBJECTS_MOST ? (int64_t)(size / OBJECT_LEAST) : OBJECTS_MOST;
    for (file->slots = 64; file->slots < 2 * most;)
        file->slots *= 2;
    TSR_NEW_ZERO(file->entered, file->slots);
    TSR_TRY(pass(file, ""));
    for (int64_t i = 0; i < file->objects; i++) {
        const tsr__hdf5_object object = file->object[i];
        if (!object.group || was_entered(file, object.address))
            continue;
        if (depth_of(object.path) >= DEPTH_MOST)
            TSR_FAIL(TSR_ERROR_UNSUPPORTED, "%.100s..: more than %d groups within each other",
                     object.path, DEPTH_MOST);
        TSR_TRY(walk_group(file, object.path, most));
    }
    TSR_TRY(sort_objects(file));
    for (int64_t i = 0; i < file->objects; i++)
        if (!file->object[i].group)
            TSR_TRY(tsr__names_add(&file->datasets, file->object[i].path));
done:
    return status;
}

static const tsr__hdf5_object *find(const tsr__hdf5 *file, tsr__hdf5_object *const *sorted,
                                    const tsr__hdf5_object *like,
                                    int (*order)(const void *, const void *))
{
    tsr__hdf5_object *const *found =
        file->objects > 0 ? bsearch(&like, sorted, (size_t)file->objects, sizeof *sorted, order)
                          : NULL;
    return found != NULL ? *found : NULL;
}

bool tsr__hdf5_has(const tsr__hdf5 *file, const char *name)
{
    const tsr__hdf5_object like = {.path = (char *)(uintptr_t)name};
    return find(file, file->by_path, &like, by_path) != NULL;
}

bool tsr__hdf5_is_group(const tsr__hdf5 *file, const char *name)
{
    const tsr__hdf5_object like = {.path = (char *)(uintptr_t)name};
    const tsr__hdf5_object *found = find(file, file->by_path, &like, by_path);
    return found != NULL && found->group;
}

const char *tsr__hdf5_at(const tsr__hdf5 *file, uint64_t address)
{
    const tsr__hdf5_object like = {.address = address};
    const tsr__hdf5_object *found = find(file, file->by_address, &like, by_address);
    return found != NULL ? found->path : NULL;
}

const tsr__names *tsr__hdf5_datasets(const tsr__hdf5 *file)
{
    return &file->datasets;
}

const tsr__bound *tsr__hdf5_bound(const tsr__hdf5 *file)
{
    return &file->bound;
}

/* Files ----------------------------------------------------------------------------------- */

static tsr_status check_regular(const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0)
        return tsr__fail(TSR_ERROR_IO, "cannot open: %s", strerror(errno));
    if (S_ISDIR(about.st_mode))
        return tsr__fail(TSR_ERROR_IO, "is a folder, not a file");
    if (!S_ISREG(about.st_mode))
        return tsr__fail(TSR_ERROR_IO, "is a pipe or device: HDF5 is read from files on disk");
    return TSR_OK;
}

bool tsr__hdf5_is_one(const char *path)
{
    static const char mark[] = "\x89HDF\r\n\x1a\n";
    char head[sizeof mark] = "";
    if (check_regular(path) < 0)
        return false;
    FILE *file = fopen(path, "rbe");
    if (file == NULL)
        return false;
    const bool is_one = fread(head, 1, sizeof mark - 1, file) == sizeof mark - 1 &&
                        memcmp(head, mark, sizeof mark - 1) == 0;
    (void)fclose(file);
    return is_one;
}

static tsr_status open_or_create(tsr__hdf5 **out, const char *path, bool create, int64_t expand)
{
    tsr_status status = TSR_OK;
    tsr__hdf5 *file = NULL;
    hid_t access = -1;
    if (!create) {
        TSR_TRY(check_regular(path));
        TSR_TRY(tsr__seal_check(path));
    }
    TSR_NEW_ZERO(file, 1);
    file->id = -1;
    quiet(file);
    access = H5Pcreate(H5P_FILE_ACCESS);
    (void)H5Pset_fapl_sec2(access);
    (void)H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    file->id = create ? H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access)
                      : H5Fopen(path, H5F_ACC_RDONLY, access);
    if (file->id < 0)
        TSR_TRY(tsr__hdf5_failed(create ? TSR_ERROR_IO : TSR_ERROR_FORMAT,
                                 create ? "create the file" : "open it as HDF5", ""));
    file->access = H5Pcreate(H5P_LINK_ACCESS);
    file->group_access = H5Pcreate(H5P_GROUP_ACCESS);
    file->dataset_access = H5Pcreate(H5P_DATASET_ACCESS);
    (void)H5Pset_elink_cb(file->access, follow_none, NULL);
    (void)H5Pset_elink_cb(file->group_access, follow_none, NULL);
    (void)H5Pset_elink_cb(file->dataset_access, follow_none, NULL);
    if (!create) {
        TSR_TRY(tsr__bound_of(&file->bound, path, expand));
        TSR_TRY(walk(file));
    }
    *out = file, file = NULL;
done:
    if (access >= 0)
        (void)H5Pclose(access);
    return tsr__hdf5_close(file, status);
}

void tsr_leave_exit(void)
{
    (void)H5dont_atexit();
}

tsr_status tsr__hdf5_open(tsr__hdf5 **out, const char *path, int64_t expand)
{
    return open_or_create(out, path, false, expand);
}

tsr_status tsr__hdf5_create(tsr__hdf5 **out, const char *path)
{
    return open_or_create(out, path, true, 0);
}

tsr_status tsr__hdf5_close(tsr__hdf5 *file, tsr_status status)
{
    if (file == NULL)
        return status;
    const bool lost = file->id >= 0 && H5Fflush(file->id, H5F_SCOPE_LOCAL) < 0;
    const bool unsaid = file->id >= 0 && H5Fclose(file->id) < 0;
    if (status == TSR_OK && (lost || unsaid))
        status = tsr__hdf5_failed(TSR_ERROR_IO, "complete the file", "");
    if (file->access > 0)
        (void)H5Pclose(file->access), (void)H5Pclose(file->group_access),
            (void)H5Pclose(file->dataset_access);
    as_before(file);
    for (int64_t i = 0; i < file->objects; i++)
        tsr__free(file->object[i].path);
    tsr__free(file->object);
    tsr__free((void *)file->by_path);
    tsr__free((void *)file->by_address);
    tsr__free(file->entered);
    tsr__names_clear(&file->datasets);
    tsr__free(file);
    return status;
}
