/* SPDX-License-Identifier: BSD-2-Clause
 *
 * HDF5 files that would have other files opened, code loaded or the reader wait are refused by every
 * way in: as data, as .mat of version 7.3, as a model, as a recipe. And what honest programs write
 * in unusual ways is read: hdf5storage, AnnData. */
#include "fixtures.h"

#include "io/hdf5.h"
#include "io/recipe.h"
#include "io/seal.h"

#include <hdf5.h>
#include <zlib.h>

static const hsize_t small[2] = {4, 5};

/* A new file; behind the block of MATLAB where its name ends in .mat. */
static hid_t new_file(const char *path)
{
    const bool matlab = strstr(path, ".mat") != NULL;
    const hid_t how = H5Pcreate(H5P_FILE_CREATE);
    if (matlab)
        assert_true(H5Pset_userblock(how, 512) >= 0);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, how, H5P_DEFAULT);
    (void)H5Pclose(how);
    assert_true(file >= 0);
    return file;
}

static void end_file(hid_t file, const char *path)
{
    char head[128];
    (void)H5Fclose(file);
    if (strstr(path, ".mat") == NULL)
        return;
    FILE *stream = fopen(path, "r+b");
    memset(head, ' ', sizeof head);
    memcpy(head, "MATLAB 7.3 MAT-file", 19);
    memcpy(head + 124, "\0\2IM", 4);
    assert_int_equal(fwrite(head, 1, sizeof head, stream), sizeof head);
    assert_int_equal(fclose(stream), 0);
}

static void put_text(hid_t object, const char *name, const char *text, H5T_str_t pad)
{
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    (void)H5Tset_size(type, strlen(text));
    (void)H5Tset_strpad(type, pad);
    const hid_t id = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(id >= 0 && H5Awrite(id, type, text) >= 0);
    (void)H5Aclose(id), (void)H5Tclose(type), (void)H5Sclose(space);
}

static void put_number(hid_t object, const char *name, int64_t number)
{
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t id =
        H5Acreate2(object, name, H5T_NATIVE_INT64, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(id >= 0 && H5Awrite(id, H5T_NATIVE_INT64, &number) >= 0);
    (void)H5Aclose(id), (void)H5Sclose(space);
}

/* A dataset made as `how` says; the values may be NULL.. */
static hid_t put_values(hid_t file, const char *name, hid_t type, int rank,
                        const hsize_t *shape, hid_t how, const void *values)
{
    const hid_t space = H5Screate_simple(rank, shape, NULL);
    const hid_t id = H5Dcreate2(file, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    assert_true(id >= 0);
    if (values != NULL)
        assert_true(H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    (void)H5Sclose(space);
    return id;
}

/* The matrix of the fixtures as MATLAB stores it: 4 x 5 of its transpose. */
static void put_fixture(hid_t file, const char *name, hid_t how)
{
    double values[20];
    for (int i = 0; i < 20; i++)
        values[i] = entry(i % 5, i / 5);
    const hid_t id = put_values(file, name, H5T_NATIVE_DOUBLE, 2, small, how, values);
    put_text(id, "MATLAB_class", "double", H5T_STR_NULLPAD);
    (void)H5Dclose(id);
}

/* Hostile contents ------------------------------------------------------------------------ */

static void external(hid_t file, const char *name, const char *target)
{
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    assert_true(H5Pset_external(how, target, 0, 160) >= 0);
    const hid_t id = put_values(file, name, H5T_NATIVE_DOUBLE, 2, small, how, NULL);
    put_text(id, "MATLAB_class", "double", H5T_STR_NULLTERM);
    (void)H5Dclose(id), (void)H5Pclose(how);
}

static void outward(hid_t file, const char *name, const char *target)
{
    assert_true(H5Lcreate_external(target, "fea", file, name, H5P_DEFAULT, H5P_DEFAULT) >= 0);
}

static void virtual(hid_t file, const char *name, const char *target)
{
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(2, small, NULL);
    assert_true(H5Pset_virtual(how, space, target, "fea", space) >= 0);
    (void)H5Dclose(put_values(file, name, H5T_NATIVE_DOUBLE, 2, small, how, NULL));
    (void)H5Sclose(space), (void)H5Pclose(how);
}

static void filtered(hid_t file, const char *name, const char *target)
{
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    (void)target;
    assert_true(H5Pset_chunk(how, 2, small) >= 0 && H5Pset_fletcher32(how) >= 0);
    put_fixture(file, name, how);
    (void)H5Pclose(how);
}

static const struct {
    void (*put)(hid_t file, const char *name, const char *target);
    const char *words;
} guests[] = {{external, "other files"},
              {outward, "link to another file"},
              {virtual, "other files"},
              {filtered, "filter 3"}};

static tsr_status read_model(const char *path)
{
    tsr_model *model = NULL;
    const tsr_status status = tsr_model_read(&model, path);
    tsr_model_free(model);
    return status;
}

static tsr_status read_recipe(const char *path)
{
    tsr__recipe recipe = {NULL, {NULL, 0, 0}, NULL, NULL};
    tsr__names names = {NULL, 0, 0};
    const tsr_status status = tsr__recipe_load(&recipe, &names, path);
    tsr__recipe_clear(&recipe);
    tsr__names_clear(&names);
    return status;
}

static tsr_status read_data(const char *path)
{
    tsr_data *data = NULL;
    const tsr_status status = tsr_data_read(&data, path, NULL);
    tsr_data_free(data);
    return status;
}

/* Each, at the top, hidden in a group and beside harmless data, by every way in. The target is a
 * pipe: whoever opened it would wait for ever, and the alarm would end the test. */
static void refuses_to_be_led(void **state)
{
    static const char *const places[] = {"fea", "group/fea", "basis"};
    static const struct {
        const char *file;
        tsr_status (*read)(const char *path);
    } ways[] = {{"guest.mat", read_data},
                {"guest.h5", read_data},
                {"guest.h5", read_model},
                {"guest.h5", read_recipe}};
    char target[1100];
    (void)state;
    (void)snprintf(target, sizeof target, "%s", path_of("pipe"));
    assert_int_equal(mkfifo(target, 0600), 0);
    (void)alarm(60);
    for (size_t i = 0; i < sizeof guests / sizeof *guests; i++)
        for (size_t p = 0; p < sizeof places / sizeof *places; p++)
            for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
                const char *path = path_of(ways[w].file);
                const hid_t file = new_file(path);
                put_fixture(file, "X", H5P_DEFAULT);
                if (strchr(places[p], '/') != NULL)
                    (void)H5Gclose(
                        H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
                guests[i].put(file, places[p], target);
                end_file(file, path);
                check_fails(ways[w].read(path), TSR_ERROR_UNSUPPORTED, guests[i].words);
                check_fails(ways[w].read(path), TSR_ERROR_UNSUPPORTED, places[p]);
            }
    check_fails(read_data(target), TSR_ERROR_UNSUPPORTED, "format");
    assert_int_equal(rename(target, path_of("pipe.h5")), 0);
    check_fails(read_data(path_of("pipe.h5")), TSR_ERROR_IO, "pipe");
    check_fails(read_model(path_of("pipe.h5")), TSR_ERROR_IO, "pipe");
    assert_int_equal(rename(path_of("pipe.h5"), path_of("pipe.mat")), 0);
    check_fails(read_data(path_of("pipe.mat")), TSR_ERROR_IO, "make a file of it");
    (void)alarm(0);
}

/* Loops end, soft links lead nowhere, and a reference to what was not walked is none. */
static void walks_what_is_there(void **state)
{
    const char *path = path_of("loop.mat");
    const hid_t file = new_file(path);
    tsr_data *data = NULL;
    (void)state;
    put_fixture(file, "fea", H5P_DEFAULT);
    const hid_t group = H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Lcreate_hard(file, "g", group, "self", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    assert_true(H5Lcreate_soft("/fea", file, "soft", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    assert_true(H5Lcreate_soft("/round", file, "round", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    const hobj_ref_t wild[3] = {12345, (hobj_ref_t)-1, 8};
    const hid_t cell =
        put_values(file, "names", H5T_STD_REF_OBJ, 1, &(hsize_t){3}, H5P_DEFAULT, wild);
    put_text(cell, "MATLAB_class", "cell", H5T_STR_NULLTERM);
    (void)H5Dclose(cell), (void)H5Gclose(group);
    end_file(file, path);
    check_fails(read_by(&data, tsr__mat_read, path, "names", false), TSR_ERROR_UNSUPPORTED,
                "cells");
    check_fails(read_by(&data, tsr__mat_read, path, "soft", false), TSR_ERROR_DATA,
                "there is no soft");
    check_ok(read_by(&data, tsr__mat_read, path, NULL, false));
    check_fixture(data->x);
    tsr_data_free(data);
}

/* A name with a slash would be taken for a path, through a soft link to where no walk was; a group
 * that is deeper than the walk goes hides nothing, for the file is refused. */
static void names_are_no_paths(void **state)
{
    char path[1100];
    size_t size = 0;
    (void)state;
    (void)snprintf(path, sizeof path, "%s", path_of("slash.h5"));
    hid_t file = new_file(path);
    put_fixture(file, "X", H5P_DEFAULT);
    assert_true(H5Lcreate_soft("/", file, "s", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    put_fixture(file, "s_Xy", H5P_DEFAULT);
    end_file(file, path);
    check_ok(read_data(path));
    char *bytes = load_bytes(&size, path);
    for (size_t i = 0; i + 4 < size; i++)
        if (memcmp(bytes + i, "s_Xy", 4) == 0)
            memcpy(bytes + i, "s/X", 4);
    store_bytes(path, bytes, size);
    free(bytes);
    check_fails(read_data(path), TSR_ERROR_FORMAT, "'s/X' is no name");
    file = new_file(path);
    put_fixture(file, "X", H5P_DEFAULT);
    hid_t inner = file;
    for (int i = 0; i < 70; i++) {
        const hid_t next = H5Gcreate2(inner, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        if (inner != file)
            (void)H5Gclose(inner);
        inner = next;
    }
    (void)H5Gclose(inner);
    end_file(file, path);
    check_fails(read_data(path), TSR_ERROR_UNSUPPORTED, "within each other");
}

/* What is made of a file is within its bound, however it is announced. */
static void keeps_to_the_bound(void **state)
{
    enum { TEXTS = 20000, LONG = 60000 };
    const char *path = path_of("bound.h5");
    static char *text[TEXTS];
    char *one = calloc(1, LONG + 1);
    const tsr_read_options more = {.expand = 1000000};
    tsr_data *data = NULL;
    (void)state;
    /* texts that are all the same bytes of the file: written once, then every reference is that one */
    memset(one, 'x', LONG);
    for (int i = 0; i < TEXTS; i++)
        text[i] = i == 0 ? one : "y";
    hid_t file = new_file(path);
    put_fixture(file, "X", H5P_DEFAULT);
    const hid_t type = H5Tcopy(H5T_C_S1);
    (void)H5Tset_size(type, H5T_VARIABLE);
    const hid_t id = put_values(file, "names", type, 1, &(hsize_t){TEXTS}, H5P_DEFAULT, text);
    const haddr_t at = H5Dget_offset(id);
    (void)H5Dclose(id), (void)H5Tclose(type);
    end_file(file, path);
    size_t size = 0;
    char *bytes = load_bytes(&size, path);
    for (int i = 1; i < TEXTS; i++)
        memcpy(bytes + at + 16 * (size_t)i, bytes + at, 16);
    store_bytes(path, bytes, size);
    free(bytes);
    free(one);
    tsr__names names = {NULL, 0, 0};
    tsr__hdf5 *hdf5 = NULL;
    check_ok(tsr__hdf5_open(&hdf5, path, 0));
    check_fails(tsr__hdf5_read_texts(&names, hdf5, "names"), TSR_ERROR_FORMAT,
                "the texts of names would take");
    tsr__names_clear(&names);
    check_ok(tsr__hdf5_close(hdf5, TSR_OK));
    /* chunks far beyond the shape */
    file = new_file(path);
    hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    assert_true(H5Pset_chunk(how, 2, (const hsize_t[]){8192, 8192}) >= 0);
    const hid_t wide =
        H5Screate_simple(2, small, (const hsize_t[]){H5S_UNLIMITED, H5S_UNLIMITED});
    hid_t set = H5Dcreate2(file, "X", H5T_NATIVE_DOUBLE, wide, H5P_DEFAULT, how, H5P_DEFAULT);
    assert_true(set >= 0);
    (void)H5Dclose(set), (void)H5Sclose(wide), (void)H5Pclose(how);
    end_file(file, path);
    check_fails(read_data(path), TSR_ERROR_FORMAT, "a chunk of X would take");
    check_ok(tsr_data_read(&data, path, &more));
    tsr_data_free(data);
    /* deflate of deflate */
    file = new_file(path);
    how = H5Pcreate(H5P_DATASET_CREATE);
    assert_true(H5Pset_chunk(how, 2, small) >= 0 && H5Pset_deflate(how, 1) >= 0 &&
                H5Pset_deflate(how, 1) >= 0);
    put_fixture(file, "X", how);
    (void)H5Pclose(how);
    end_file(file, path);
    check_fails(read_data(path), TSR_ERROR_UNSUPPORTED, "each once");
    /* a chunk that unpacks to less than its shape takes: HDF5 would read on behind it */
    unsigned char packed[64];
    uLongf packed_size = sizeof packed;
    assert_int_equal(compress(packed, &packed_size, (const Bytef *)"0123456789", 10), Z_OK);
    file = new_file(path);
    how = H5Pcreate(H5P_DATASET_CREATE);
    assert_true(H5Pset_chunk(how, 2, small) >= 0 && H5Pset_deflate(how, 1) >= 0);
    set = put_values(file, "X", H5T_NATIVE_DOUBLE, 2, small, how, NULL);
    assert_true(
        H5Dwrite_chunk(set, H5P_DEFAULT, 0, (const hsize_t[]){0, 0}, packed_size, packed) >= 0);
    (void)H5Dclose(set), (void)H5Pclose(how);
    end_file(file, path);
    check_fails(read_data(path), TSR_ERROR_FORMAT, "unpacks to less");
    /* fill values that stand nowhere */
    file = new_file(path);
    (void)H5Dclose(put_values(file, "X", H5T_NATIVE_DOUBLE, 2, (const hsize_t[]){100000, 1000},
                              H5P_DEFAULT, NULL));
    end_file(file, path);
    check_fails(read_data(path), TSR_ERROR_FORMAT, "--expand");
}

/* Version 7.3 ----------------------------------------------------------------------------- */

/* Three texts of variable length, of which the last says to have 3 GB; by layout. Returns where the
 * first is stored in one piece. */
static haddr_t put_long_text(hid_t file, hid_t type, bool chunked, bool packed, bool head)
{
    enum { TEXTS = 3, ITEM = 16 };
    const char *const text[TEXTS] = {"a", "b", "c"};
    unsigned char plain[TEXTS * ITEM] = {0}, turned[TEXTS * ITEM], deflated[128];
    uLongf size = sizeof deflated;
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    assert_true(!chunked || H5Pset_chunk(how, 1, &(hsize_t){TEXTS}) >= 0);
    assert_true(!packed || (H5Pset_filter(how, H5Z_FILTER_SHUFFLE, H5Z_FLAG_OPTIONAL, 1,
                                          &(unsigned){ITEM}) >= 0 &&
                            H5Pset_deflate(how, 1) >= 0));
    assert_true(!head || H5Pset_layout(how, H5D_COMPACT) >= 0);
    const hid_t id =
        put_values(file, "names", type, 1, &(hsize_t){TEXTS}, how, chunked ? NULL : text);
    memcpy(plain + (TEXTS - 1) * ITEM, "\0\x5e\xd0\xb2", 4);
    for (int i = 0; i < TEXTS * ITEM; i++)
        turned[i % ITEM * TEXTS + i / ITEM] = plain[i];
    assert_int_equal(compress(deflated, &size, turned, sizeof turned), Z_OK);
    if (chunked)
        assert_true(H5Dwrite_chunk(id, H5P_DEFAULT, 0, &(hsize_t){0},
                                   packed ? size : sizeof plain,
                                   packed ? deflated : plain) >= 0);
    const haddr_t at = chunked || head ? HADDR_UNDEF : H5Dget_offset(id) + (TEXTS - 1) * ITEM;
    (void)H5Dclose(id), (void)H5Pclose(how);
    return at;
}

/* HDF5 makes room for what a text's length says before it looks whether the text is there. */
static void texts_are_no_longer_than_their_file(void **state)
{
    const char *path = path_of("long.h5");
    (void)state;
    for (int way = 0; way < 4; way++) {
        const hid_t file = new_file(path), type = H5Tcopy(H5T_C_S1);
        size_t size = 0;
        tsr__names names = {NULL, 0, 0};
        tsr__hdf5 *hdf5 = NULL;
        (void)H5Tset_size(type, H5T_VARIABLE);
        const haddr_t at = put_long_text(file, type, way == 1 || way == 2, way == 2, way == 3);
        (void)H5Tclose(type);
        end_file(file, path);
        char *bytes = load_bytes(&size, path);
        if (at != HADDR_UNDEF)
            memcpy(bytes + at, "\0\x5e\xd0\xb2", 4);
        store_bytes(path, bytes, size);
        free(bytes);
        check_ok(tsr__hdf5_open(&hdf5, path, 0));
        const tsr_status status = tsr__hdf5_read_texts(&names, hdf5, "names");
        check_fails(status, way == 3 ? TSR_ERROR_UNSUPPORTED : TSR_ERROR_FORMAT,
                    way == 3 ? "names: texts of variable length within"
                             : "names: a text of 3000000000 bytes is announced in a file of");
        tsr__names_clear(&names);
        check_ok(tsr__hdf5_close(hdf5, TSR_OK));
    }
}

static void put_class(hid_t id, const char *class)
{
    put_text(id, "MATLAB_class", class, H5T_STR_NULLPAD);
    (void)H5Dclose(id);
}

static hobj_ref_t put_cell(hid_t file, const char *name, const uint16_t *units, hsize_t count,
                           bool upright)
{
    const hsize_t shape[2] = {upright ? 1 : count, upright ? count : 1};
    hobj_ref_t address = 0;
    put_class(put_values(file, name, H5T_NATIVE_UINT16, 2, shape, H5P_DEFAULT, units), "char");
    assert_true(H5Rcreate(&address, file, name, H5R_OBJECT, -1) >= 0);
    return address;
}

static void reads_what_matlab_writes(void **state)
{
    static const uint16_t words[4][5] = {{'c', 'a', 't', ' ', ' '},
                                         {0xc4, 'p', 'f', 'e', 'l'},
                                         {0xd83d, 0xde00, '!', ' ', ' '},
                                         {'d', 'o', 'g', 0, 0}};
    static const char *const names[] = {"cat", "\xc3\x84pfel", "\xf0\x9f\x98\x80!", "dog", ""};
    const char *path = path_of("whole.mat");
    const hid_t file = new_file(path);
    tsr_data *data = NULL;
    (void)state;
    put_fixture(file, "fea", H5P_DEFAULT);
    (void)H5Gclose(H5Gcreate2(file, "#refs#", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    hobj_ref_t cells[5] = {put_cell(file, "#refs#/a", words[0], 5, false),
                           put_cell(file, "#refs#/b", words[1], 5, true),
                           put_cell(file, "#refs#/c", words[2], 3, false),
                           put_cell(file, "#refs#/d", words[3], 3, false), 0};
    const uint64_t none[2] = {0, 0};
    const hid_t empty =
        put_values(file, "#refs#/e", H5T_NATIVE_UINT64, 1, &(hsize_t){2}, H5P_DEFAULT, none);
    put_number(empty, "MATLAB_empty", 1);
    put_class(empty, "char");
    assert_true(H5Rcreate(&cells[4], file, "#refs#/e", H5R_OBJECT, -1) >= 0);
    const hsize_t line[2] = {1, 5};
    put_class(put_values(file, "names", H5T_STD_REF_OBJ, 2, line, H5P_DEFAULT, cells), "cell");
    put_class(put_values(file, "gnd", H5T_NATIVE_UINT8, 2, line, H5P_DEFAULT,
                         (const uint8_t[]){1, 0, 1, 1, 0}),
              "logical");
    /* columns 0 and 2 have an entry; 3 x 4 */
    const hid_t sparse = H5Gcreate2(file, "sparse", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put_number(sparse, "MATLAB_sparse", 3);
    put_text(sparse, "MATLAB_class", "double", H5T_STR_NULLTERM);
    (void)H5Dclose(put_values(sparse, "jc", H5T_NATIVE_UINT64, 1, &(hsize_t){5}, H5P_DEFAULT,
                              (const uint64_t[]){0, 1, 1, 2, 2}));
    (void)H5Dclose(put_values(sparse, "ir", H5T_NATIVE_UINT64, 1, &(hsize_t){2}, H5P_DEFAULT,
                              (const uint64_t[]){2, 0}));
    (void)H5Dclose(put_values(sparse, "data", H5T_NATIVE_DOUBLE, 1, &(hsize_t){2}, H5P_DEFAULT,
                              (const double[]){7, 9}));
    (void)H5Gclose(sparse);
    end_file(file, path);
    check_ok(read_by(&data, tsr__mat_read, path, NULL, false));
    check_fixture(data->x);
    check_labels(data->labels, (const char *const[]){"1", "0", "1", "1", "0"}, 5);
    assert_int_equal(data->sample_names.count, 5);
    for (int i = 0; i < 5; i++)
        assert_string_equal(data->sample_names.name[i], names[i]);
    tsr_data_free(data);
    check_ok(read_by(&data, tsr__mat_read, path, "sparse", false));
    assert_true(data->x->sparse && data->x->samples == 3 && data->x->features == 4);
    assert_true(tsr_matrix_at(data->x, 2, 0) == 7 && tsr_matrix_at(data->x, 0, 2) == 9);
    assert_int_equal(data->x->rows[3], 2);
    tsr_data_free(data);
    starve_reader(tsr__mat_read, path);
}

/* HDF5 counts elements in 64 bits: 2^32 x 2^32 are none to it, and would be read on and on. */
static void counts_what_wraps_around(void **state)
{
    static const uint64_t odd[2] = {7, 11}, wide[][2] = {{1ull << 32, 1ull << 32},
                                                         {1ull << 33, (1ull << 31) + 1}};
    static const uint16_t units[7 * 11] = {'x'};
    const char *path = path_of("wrap.mat");
    const tsr_read_options options = {.labels = "names"};
    (void)state;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
        const hid_t file = new_file(path);
        put_fixture(file, "fea", H5P_DEFAULT);
        const hid_t id = put_values(file, "names", H5T_NATIVE_UINT16, 2,
                                    (const hsize_t[]){odd[0], odd[1]}, H5P_DEFAULT, units);
        put_class(id, "char");
        (void)H5Dclose(id);
        end_file(file, path);
        size_t size = 0;
        char *bytes = load_bytes(&size, path);
        int changed = 0;
        for (size_t at = 0; at + sizeof odd <= size; at++)
            if (memcmp(bytes + at, odd, sizeof odd) == 0)
                memcpy(bytes + at, wide[i], sizeof wide[i]), changed++;
        assert_true(changed > 0);
        store_bytes(path, bytes, size);
        free(bytes);
        tsr_data *data = NULL;
        check_fails(tsr_data_read(&data, path, &options), TSR_ERROR_DATA,
                    "names announces 1.8");
    }
}

static void takes_a_single_sample(void **state)
{
    static const hsize_t shapes[][2] = {{40, 1}, {1, 40}};
    double values[40];
    (void)state;
    for (int i = 0; i < 40; i++)
        values[i] = i;
    for (int i = 0; i < 4; i++) {
        const char *path = path_of(i / 2 == 0 ? "one.mat" : "one.h5");
        const hid_t file = new_file(path);
        tsr_data *data = NULL;
        put_class(
            put_values(file, "X", H5T_NATIVE_DOUBLE, 2, shapes[i % 2], H5P_DEFAULT, values),
            "double");
        end_file(file, path);
        check_ok(tsr_data_read(&data, path, NULL));
        const bool lying = (i % 2 == 0) == (i / 2 == 0);
        assert_int_equal(data->x->samples, lying ? 1 : 40);
        assert_int_equal(data->x->features, lying ? 40 : 1);
        tsr_data_free(data);
    }
}

/* AnnData --------------------------------------------------------------------------------- */

static void put_texts(hid_t file, const char *name, const char *const *text, hsize_t count)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    (void)H5Tset_size(type, H5T_VARIABLE);
    (void)H5Dclose(put_values(file, name, type, 1, &count, H5P_DEFAULT, text));
    (void)H5Tclose(type);
}

/* A frame with names of rows and a categorical column, in the new way or the old. */
static void put_frame(hid_t file, const char *name, const char *const *rows, hsize_t count,
                      bool old)
{
    static const char *const kinds[] = {"B cell", "T cell"};
    static const int8_t codes[] = {1, 0, -1, 1, 0};
    const hid_t frame = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const char *group = old ? "__categories" : "kind";
    put_text(frame, "_index", "index", H5T_STR_NULLPAD);
    put_texts(frame, "index", rows, count);
    const hid_t inner = H5Gcreate2(frame, group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put_texts(inner, old ? "kind" : "categories", kinds, 2);
    (void)H5Dclose(put_values(old ? frame : inner, old ? "kind" : "codes", H5T_NATIVE_INT8, 1,
                              &count, H5P_DEFAULT, codes));
    (void)H5Gclose(inner), (void)H5Gclose(frame);
}

static void reads_anndata(void **state)
{
    static const char *const cells[] = {"c0", "c1", "c2", "c3", "c4"};
    static const char *const genes[] = {"Actb", "Gapdh", "Cd4", "Cd8"};
    (void)state;
    for (int old = 0; old < 2; old++) {
        const char *path = path_of("cells.h5");
        const hid_t file = new_file(path);
        double values[20];
        for (int i = 0; i < 20; i++)
            values[i] = entry(i / 4, i % 4);
        (void)H5Dclose(put_values(file, "X", H5T_NATIVE_DOUBLE, 2, (const hsize_t[]){5, 4},
                                  H5P_DEFAULT, values));
        put_frame(file, "obs", cells, 5, old != 0);
        put_frame(file, "var", genes, 4, old != 0);
        end_file(file, path);
        tsr_data *data = NULL;
        tsr_read_options options = {.labels = "obs/kind"};
        check_ok(tsr_data_read(&data, path, &options));
        check_fixture(data->x);
        assert_int_equal(data->feature_names.count, 4);
        assert_string_equal(data->feature_names.name[2], "Cd4");
        assert_int_equal(data->sample_names.count, 5);
        assert_string_equal(data->sample_names.name[4], "c4");
        assert_int_equal(tsr_labels_classes(data->labels), 2);
        assert_int_equal(tsr_labels_known(data->labels), 4);
        assert_int_equal(tsr_labels_of(data->labels)[2], -1);
        assert_string_equal(tsr_labels_name(data->labels, tsr_labels_of(data->labels)[0]),
                            "T cell");
        tsr_data_free(data);
        options.labels = "obs/kinds";
        check_fails(tsr_data_read(&data, path, &options), TSR_ERROR_DATA, "obs/kind was meant");
    }
}

/* Seals ----------------------------------------------------------------------------------- */

static void seals_whole_files(void **state)
{
    char path[1100];
    size_t size = 0;
    (void)state;
    (void)snprintf(path, sizeof path, "%s", path_of("sealed.h5"));
    const hid_t file = new_file(path);
    put_fixture(file, "X", H5P_DEFAULT);
    end_file(file, path);
    check_ok(tsr__seal_check(path)); /* none is as good as never one */
    check_ok(tsr__seal_put(path));
    check_ok(tsr__seal_check(path));
    check_ok(read_data(path));
    char *bytes = load_bytes(&size, path);
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= 0x10;
        store_bytes(path, bytes, size);
        const tsr_status status = tsr__seal_check(path);
        /* in the mark itself: then there is no seal, and all that it sealed is whole */
        assert_int_equal(status, i >= size - 24 && i < size - 16 ? TSR_OK : TSR_ERROR_FORMAT);
        bytes[i] ^= 0x10;
    }
    store_bytes(path, bytes, size - 30);
    assert_true(read_data(path) < 0);
    store_bytes(path, bytes, size);
    free(bytes);
    /* Another program that changes the file cuts the seal off. */
    const hid_t again = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    put_fixture(again, "more", H5P_DEFAULT);
    (void)H5Fclose(again);
    check_ok(tsr__seal_check(path));
    check_ok(read_data(path));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_to_be_led),
        cmocka_unit_test(walks_what_is_there),
        cmocka_unit_test(names_are_no_paths),
        cmocka_unit_test(keeps_to_the_bound),
        cmocka_unit_test(reads_what_matlab_writes),
        cmocka_unit_test(counts_what_wraps_around),
        cmocka_unit_test(texts_are_no_longer_than_their_file),
        cmocka_unit_test(takes_a_single_sample),
        cmocka_unit_test(reads_anndata),
        cmocka_unit_test(seals_whole_files),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_folder);
}
