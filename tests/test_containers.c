/* SPDX-License-Identifier: BSD-2-Clause
 *
 * .npz, .mat and HDF5: what numpy, scipy and h5py wrote is read; what is written reads back bit
 * for bit; what is damaged is refused. */
#include "fixtures.h"

/* matio asks for whatever a damaged file announces and copes when it does not get it; the
 * address sanitizer would end the program instead. */
TSR_API const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:max_allocation_size_mb=256";
}

static const char *const from_0[] = {"0", "1", "2", "0", "1"};
static const char *const from_1[] = {"1", "2", "3", "1", "2"};
static const char *const words[] = {"cat", "dog", "\xc3\x84pfel", "cat", "dog"};
static const char *const letters[] = {"a", "bb", "ccc", "a", "bb"};
static const char *const signs[] = {"-1", "1", "?", "-1", "1"};

static void reads_what_others_wrote(void **state)
{
    static const struct {
        reader read;
        const char *file, *variable, *dtype, *origin;
        const char *const *labels;
        bool sparse;
        tsr_type type;
    } cases[] = {
        {tsr__npz_read, "pair.npz", NULL, "float32", "X", from_0, false, TSR_FLOAT32},
        {tsr__npz_read, "words.npz", NULL, "uint8", "fea", words, false, TSR_FLOAT64},
        {tsr__npz_read, "unclear.npz", "first", "float64", NULL, NULL, false, TSR_FLOAT64},
        {tsr__npz_read, "sparse_csr.npz", NULL, "float64", "data", from_0, true, TSR_FLOAT64},
        {tsr__npz_read, "sparse_csc.npz", NULL, "float64", "data", NULL, true, TSR_FLOAT64},
        {tsr__npz_read, "sparse_coo.npz", NULL, "float64", "data", NULL, true, TSR_FLOAT64},
        {tsr__mat_read, "v4.mat", NULL, "float64", "fea", from_1, false, TSR_FLOAT64},
        {tsr__mat_read, "v4_sparse.mat", NULL, "float64", "fea", from_1, true, TSR_FLOAT64},
        {tsr__mat_read, "v5.mat", NULL, "float64", "fea", from_1, false, TSR_FLOAT64},
        {tsr__mat_read, "v5_sparse.mat", NULL, "float64", "fea", from_1, true, TSR_FLOAT64},
        {tsr__mat_read, "v5z.mat", NULL, "float64", "fea", from_1, false, TSR_FLOAT64},
        {tsr__mat_read, "v5z_sparse.mat", NULL, "float64", "fea", from_1, true, TSR_FLOAT64},
        {tsr__mat_read, "v73.mat", NULL, "float32", "fea", from_1, false, TSR_FLOAT32},
        {tsr__mat_read, "class_i1.mat", NULL, "int8", "X", from_0, false, TSR_FLOAT64},
        {tsr__mat_read, "class_i2.mat", NULL, "int16", "X", from_0, false, TSR_FLOAT64},
        {tsr__mat_read, "class_i4.mat", NULL, "int32", "X", from_0, false, TSR_FLOAT64},
        {tsr__mat_read, "class_i8.mat", NULL, "int64", "X", from_0, false, TSR_FLOAT64},
        {tsr__mat_read, "class_u1.mat", NULL, "uint8", "X", from_0, false, TSR_FLOAT64},
        {tsr__mat_read, "class_u2.mat", NULL, "uint16", "X", from_0, false, TSR_FLOAT64},
        {tsr__mat_read, "class_u4.mat", NULL, "uint32", "X", from_0, false, TSR_FLOAT64},
        {tsr__mat_read, "class_u8.mat", NULL, "uint64", "X", from_0, false, TSR_FLOAT64},
        {tsr__mat_read, "class_f4.mat", NULL, "float32", "X", from_0, false, TSR_FLOAT32},
        {tsr__mat_read, "class_f8.mat", NULL, "float64", "X", from_0, false, TSR_FLOAT64},
        {tsr__mat_read, "chars.mat", NULL, "float64", "X", letters, false, TSR_FLOAT64},
        {tsr__mat_read, "cells.mat", NULL, "float64", "X", words, false, TSR_FLOAT64},
        {tsr__mat_read, "mess.mat", "a", "float64", NULL, NULL, false, TSR_FLOAT64},
        {tsr__h5_read, "plain.h5", "train/X", "float32", NULL, from_0, false, TSR_FLOAT32},
        {tsr__h5_read, "plain.h5", "/test/X", "int16", NULL, words, false, TSR_FLOAT64},
        {tsr__h5_read, "sparse.h5", NULL, "float64", "X", NULL, true, TSR_FLOAT64},
        {tsr__h5_read, "sparse.h5", "other", "float64", NULL, NULL, true, TSR_FLOAT64},
        {tsr__h5_read, "sparse.h5", "tenx", "float64", NULL, NULL, true, TSR_FLOAT64},
        {tsr__h5_read, "ours.h5", NULL, "float64", "x", signs, false, TSR_FLOAT64},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tsr_data *data = read_fixture(cases[i].read, cases[i].file, cases[i].variable);
        check_fixture(data->x);
        assert_string_equal(data->dtype, cases[i].dtype);
        assert_int_equal(data->x->sparse, cases[i].sparse);
        assert_int_equal(data->x->type, cases[i].type);
        if (cases[i].origin != NULL)
            assert_string_equal(data->origin, cases[i].origin);
        else
            assert_null(data->origin);
        if (cases[i].labels != NULL)
            check_labels(data->labels, cases[i].labels, 5);
        else
            assert_null(data->labels);
        tsr_data_free(data);
    }
}

static void reads_the_rest(void **state)
{
    (void)state;
    tsr_data *data = read_fixture(tsr__mat_read, "class_b1.mat", NULL);
    assert_string_equal(data->dtype, "bool");
    assert_true(tsr_matrix_at(data->x, 0, 0) == 0 && tsr_matrix_at(data->x, 0, 1) == 1);
    tsr_data_free(data);
    data = read_fixture(tsr__mat_read, "logical_sparse.mat", NULL);
    for (int64_t i = 0; i < 5; i++)
        for (int64_t j = 0; j < 4; j++)
            assert_true(tsr_matrix_at(data->x, i, j) == (entry(i, j) > 4));
    tsr_data_free(data);
    data = read_fixture(tsr__mat_read, "stack.mat", NULL);
    assert_int_equal(data->x->samples, 2);
    assert_int_equal(data->x->image.height * 10 + data->x->image.width, 34);
    assert_int_equal(data->x->image.order, TSR_COLUMN_ORDER);
    assert_true(tsr_matrix_at(data->x, 1, 1 + 3 * 2) == (1 * 4 + 2) * 2 + 1);
    tsr_data_free(data);
    data = read_fixture(tsr__h5_read, "packed.h5", NULL);
    check_fixture(data->x);
    assert_int_equal(data->labels->classes, 2);
    tsr_data_free(data);
    data = read_fixture(tsr__h5_read, "plain.h5", "test/X");
    assert_string_equal(data->sample_names.name[2], words[2]);
    tsr_data_free(data);
    data = read_fixture(tsr__h5_read, "ours.h5", NULL);
    assert_int_equal(data->x->image.height * 10 + data->x->image.width, 22);
    assert_int_equal(data->x->image.order, TSR_COLUMN_ORDER);
    assert_int_equal(data->feature_names.count, 4);
    tsr_data_free(data);
}

static void reads_labels_alone(void **state)
{
    static const struct {
        reader read;
        const char *file, *variable;
        const char *const *labels;
    } cases[] = {
        {tsr__npz_read, "pair.npz", NULL, from_0},
        {tsr__npz_read, "words.npz", "gnd", words},
        {tsr__npz_read, "unclear.npz", "third", NULL},
        {tsr__mat_read, "v4.mat", NULL, from_1},
        {tsr__mat_read, "cells.mat", NULL, words},
        {tsr__mat_read, "v73.mat", "gnd", from_1},
        {tsr__h5_read, "plain.h5", "test/y", words},
        {tsr__h5_read, "ours.h5", NULL, signs},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tsr_data *data = NULL;
        check_ok(
            read_by(&data, cases[i].read, fixture(cases[i].file), cases[i].variable, true));
        assert_null(data->x);
        if (cases[i].labels != NULL)
            check_labels(data->labels, cases[i].labels, 5);
        else
            assert_int_equal(data->labels->classes, 5);
        tsr_data_free(data);
    }
}

static void refuses_with_reasons(void **state)
{
    static const struct {
        reader read;
        const char *file, *variable;
        tsr_status status;
        const char *words;
    } cases[] = {
        {tsr__npz_read, "unclear.npz", NULL, TSR_ERROR_DATA, "first (5 x 4 float64), second"},
        {tsr__npz_read, "unclear.npz", "frist", TSR_ERROR_DATA, "first was meant?"},
        {tsr__npz_read, "mixed.npz", NULL, TSR_ERROR_UNSUPPORTED, "complex"},
        {tsr__npz_read, "sparse_bsr.npz", NULL, TSR_ERROR_UNSUPPORTED, "tocsr"},
        {tsr__npz_read, "words.npz", "gnd", TSR_ERROR_DATA, "texts"},
        {tsr__npz_read, "v5.mat", NULL, TSR_ERROR_FORMAT, "zip"},
        {tsr__npz_read, "nowhere.npz", NULL, TSR_ERROR_IO, "No such file"},
        {tsr__mat_read, "complex.mat", NULL, TSR_ERROR_UNSUPPORTED, "real()"},
        {tsr__mat_read, "mess.mat", NULL, TSR_ERROR_DATA, "a (5 x 4 float64), b (4 x 5"},
        {tsr__mat_read, "mess.mat", "s", TSR_ERROR_UNSUPPORTED, "structs"},
        {tsr__mat_read, "pair.npz", NULL, TSR_ERROR_FORMAT, ".mat"},
        {tsr__h5_read, "plain.h5", NULL, TSR_ERROR_DATA, "train/X (5 x 4 float32)"},
        {tsr__h5_read, "plain.h5", "train/Y", TSR_ERROR_DATA, "train/y was meant?"},
        {tsr__h5_read, "huge.h5", NULL, TSR_ERROR_FORMAT, "would take 8e+06 GB"},
        {tsr__h5_read, "huge.h5", "wide", TSR_ERROR_FORMAT, "1000000000 elements"},
        {tsr__h5_read, "pair.npz", NULL, TSR_ERROR_FORMAT, "cannot open it as HDF5"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tsr_data *data = NULL;
        check_fails(
            read_by(&data, cases[i].read, fixture(cases[i].file), cases[i].variable, false),
            cases[i].status, cases[i].words);
    }
}

static void rename_all(char *bytes, size_t size, const char *from, const char *to)
{
    for (char *at; (at = memmem(bytes, size, from, strlen(from))) != NULL;)
        memcpy(at, to, strlen(to));
    store_bytes(scratch, bytes, size);
}

/* pair.npz has X of 5 samples, y of 5 values and one of 3. */
static void says_which_labels_do_not_fit(void **state)
{
    size_t size = 0;
    tsr_data *data = NULL;
    (void)state;
    char *bytes = load_bytes(&size, fixture("pair.npz"));
    rename_all(bytes, size, "other.npy", "label.npy");
    check_ok(read_by(&data, tsr__npz_read, scratch, NULL, false));
    check_labels(data->labels, from_0, 5);
    assert_int_equal(data->notes.count, 0);
    tsr_data_free(data);
    rename_all(bytes, size, "y.npy", "q.npy");
    check_ok(read_by(&data, tsr__npz_read, scratch, NULL, false));
    assert_null(data->labels);
    assert_int_equal(data->notes.count, 1);
    assert_string_equal(data->notes.name[0],
                        "labels 'label' hold 3 values for 5 samples and are left out");
    tsr_data_free(data);
    check_ok(read_by(&data, tsr__npz_read, scratch, "X", false));
    assert_int_equal(data->notes.count, 0);
    tsr_data_free(data);
    free(bytes);
    starve_reader(tsr__npz_read, scratch);
}

/* Data with everything: `labels` are texts, one a sample, or NULL. */
static tsr_data *make_data(tsr_type type, bool sparse, const char *const *labels)
{
    static double numbers[7 * 6];
    tsr_matrix *dense = NULL, *x = NULL;
    tsr_labels *classes = NULL;
    tsr_data *data = NULL;
    for (int64_t i = 0; i < 42; i++)
        numbers[i] = i % 3 == 0 ? 0 : 1 / (double)(i + 1);
    check_ok(tsr_matrix_view_dense(&dense, numbers, 7, 6, 6, TSR_FLOAT64));
    check_ok(tsr_matrix_copy_as(&x, dense, type, sparse));
    tsr_matrix_free(dense);
    x->image = (tsr_image_shape){3, 2, sparse ? TSR_ROW_ORDER : TSR_COLUMN_ORDER};
    if (labels != NULL)
        check_ok(tsr_labels_from_texts(&classes, labels, 7));
    check_ok(tsr_data_take(&data, x, classes));
    for (int i = 0; i < 7; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "s%d/\xc3\x84.png", i);
        check_ok(tsr__names_add(&data->sample_names, name));
        if (i < 6)
            check_ok(
                tsr__names_add(&data->feature_names, i % 2 != 0 ? "\xf0\x9f\x98\x80" : "w"));
    }
    return data;
}

static const struct {
    reader read;
    writer write;
    bool keeps_float32; /* also of sparse matrices */
} formats[] = {{tsr__npz_read, tsr__npz_write, true},
               {tsr__mat_read, tsr__mat_write, false},
               {tsr__h5_read, tsr__h5_write, true}};
enum { FORMATS = 3 };

static void writes_what_it_reads(void **state)
{
    static const char *const integers[] = {"10", "2", "2", "", "10", "-7", "2"};
    static const char *const texts[] = {"b", "", "\xc3\x84", "a", "b", "b", "007"};
    static const char *const unknown[] = {"", "", "", "", "", "", ""};
    static const char *const *const kinds[] = {NULL, integers, texts, unknown};
    (void)state;
    for (int k = 0; k < FORMATS * 16; k++) {
        const bool sparse = k / FORMATS % 2 != 0, single = k / FORMATS / 2 % 2 != 0;
        if (sparse && single && !formats[k % FORMATS].keeps_float32)
            continue;
        tsr_data *data =
            make_data(single ? TSR_FLOAT32 : TSR_FLOAT64, sparse, kinds[k / FORMATS / 4]);
        round_trip(formats[k % FORMATS].read, formats[k % FORMATS].write, data);
        tsr_data_free(data);
    }
}

/* A class that is called -1 is a class all the same. */
static void keeps_minus_one(void **state)
{
    const double number[7] = {-1, 1, 1, (double)NAN, -1, 1, -1};
    (void)state;
    for (int k = 0; k < FORMATS; k++) {
        tsr_data *data = make_data(TSR_FLOAT64, false, NULL);
        check_ok(tsr__labels_from_numbers(&data->labels, number, 7, true));
        assert_int_equal(data->labels->classes, 2);
        round_trip(formats[k].read, formats[k].write, data);
        tsr_data_free(data);
    }
}

/* Rows of a wider matrix; samples 2 .. 4 of a sparse one, whose positions do not begin at 0. */
static void writes_views(void **state)
{
    (void)state;
    for (int k = 0; k < FORMATS * 2; k++) {
        tsr_data *whole = make_data(TSR_FLOAT64, k % 2 != 0, NULL), *part = NULL, *back = NULL;
        tsr_matrix *view = NULL;
        if (whole->x->sparse)
            check_ok(tsr_matrix_view_samples(&view, whole->x, 2, 3));
        else
            check_ok(tsr_matrix_view_dense(&view, whole->x->values, 7, 4, 6, TSR_FLOAT64));
        view->image = (tsr_image_shape){0, 0, TSR_ROW_ORDER};
        check_ok(tsr_data_take(&part, view, NULL));
        check_ok(formats[k / 2].write(part, scratch));
        check_ok(read_by(&back, formats[k / 2].read, scratch, NULL, false));
        check_same_matrix(part->x, back->x);
        tsr_data_free(back);
        tsr_data_free(part);
        tsr_data_free(whole);
    }
}

static void writes_the_same_twice(void **state)
{
    static const char *const labels[] = {"b", "", "c", "a", "b", "b", "c"};
    (void)state;
    for (int k = 0; k < FORMATS * 2; k++) {
        size_t first = 0, second = 0;
        tsr_data *data = make_data(TSR_FLOAT64, k % 2 != 0, labels);
        check_ok(formats[k / 2].write(data, scratch));
        char *a = load_bytes(&first, scratch);
        check_ok(formats[k / 2].write(data, scratch));
        char *b = load_bytes(&second, scratch);
        assert_int_equal(first, second);
        assert_memory_equal(a, b, first);
        free(a);
        free(b);
        tsr_data_free(data);
    }
}

static void says_where_it_cannot_write(void **state)
{
    (void)state;
    tsr_data *data = make_data(TSR_FLOAT64, false, NULL);
    for (int k = 0; k < FORMATS; k++) {
        char path[1200];
        (void)snprintf(path, sizeof path, "%s/none/x", folder);
        assert_int_equal(formats[k].write(data, path), TSR_ERROR_IO);
    }
    tsr_data_free(data);
}

static void finds_wrong_checksums(void **state)
{
    static const unsigned char pattern[] = {0, 0, 0x40, 0x40}; /* 3.0f, stored as it is */
    size_t size = 0;
    tsr_data *data = NULL;
    (void)state;
    char *bytes = load_bytes(&size, fixture("pair.npz"));
    char *at = memmem(bytes, size, pattern, sizeof pattern);
    assert_non_null(at);
    at[3] = 0x41;
    store_bytes(scratch, bytes, size);
    check_fails(read_by(&data, tsr__npz_read, scratch, NULL, false), TSR_ERROR_FORMAT, "CRC");
    free(bytes);
}

/* An entry that announces 2 GB behind 100 bytes is refused before memory is asked for. */
static void refuses_bombs(void **state)
{
    size_t size = 0;
    tsr_data *data = NULL;
    int changed = 0;
    (void)state;
    char *bytes = load_bytes(&size, fixture("words.npz"));
    for (size_t i = 0; i + 46 < size; i++) {
        const bool central = memcmp(bytes + i, "PK\x01\x02", 4) == 0;
        if (central || memcmp(bytes + i, "PK\x03\x04", 4) == 0) {
            bytes[i + (central ? 24 : 22) + 3] = 0x7f;
            changed++;
        }
    }
    assert_int_equal(changed, 4);
    store_bytes(scratch, bytes, size);
    const int64_t asked = tsr__memory_asked();
    assert_int_equal(read_by(&data, tsr__npz_read, scratch, NULL, false), TSR_ERROR_FORMAT);
    assert_true(tsr__memory_asked() - asked < 100);
    free(bytes);
}

static void survives_damage(void **state)
{
    static const struct {
        reader read;
        const char *file;
    } cases[] = {{tsr__npz_read, "pair.npz"},       {tsr__npz_read, "words.npz"},
                 {tsr__npz_read, "sparse_csc.npz"}, {tsr__mat_read, "v4_sparse.mat"},
                 {tsr__mat_read, "v5.mat"},         {tsr__mat_read, "v5_sparse.mat"},
                 {tsr__mat_read, "v5z.mat"},        {tsr__mat_read, "cells.mat"},
                 {tsr__mat_read, "chars.mat"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cut_off(cases[i].read, fixture(cases[i].file), 1);
        turn_bits(cases[i].read, fixture(cases[i].file));
    }
}

/* Of a file that is cut off nothing is made up: it fails, or what is read is right. */
static void notices_what_is_cut_off(void **state)
{
    static const struct {
        reader read;
        const char *file;
        int boundaries; /* prefixes that are whole files without the labels */
    } cases[] = {{tsr__npz_read, "pair.npz", 0},    {tsr__npz_read, "sparse_csr.npz", 0},
                 {tsr__mat_read, "v4.mat", 1},      {tsr__mat_read, "v4_sparse.mat", 1},
                 {tsr__mat_read, "v5.mat", 1},      {tsr__mat_read, "v5_sparse.mat", 1},
                 {tsr__mat_read, "v5z.mat", 1},     {tsr__mat_read, "v5z_sparse.mat", 1},
                 {tsr__mat_read, "class_u1.mat", 1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t size = 0;
        int read = 0;
        char *bytes = load_bytes(&size, fixture(cases[i].file));
        for (size_t k = 0; k < size; k++) {
            tsr_data *data = NULL;
            store_bytes(scratch, bytes, k);
            if (read_by(&data, cases[i].read, scratch, NULL, false) == TSR_OK) {
                check_fixture(data->x);
                read++;
            }
            tsr_data_free(data);
        }
        assert_int_equal(read, cases[i].boundaries);
        free(bytes);
    }
}

/* HDF5 1.10 itself reads beyond its buffers for some wrong bytes, so these are only cut off. */
static void survives_cut_hdf5(void **state)
{
    static const char *const labels[] = {"b", "", "c", "a", "b", "b", "c"};
    (void)state;
    tsr_data *data = make_data(TSR_FLOAT64, true, labels);
    char path[1200];
    (void)snprintf(path, sizeof path, "%s/whole", folder);
    check_ok(tsr__h5_write(data, path));
    cut_off(tsr__h5_read, path, 7);
    cut_off(tsr__h5_read, fixture("packed.h5"), 11);
    cut_off(tsr__mat_read, fixture("v73.mat"), 11);
    assert_int_equal(unlink(path), 0);
    tsr_data_free(data);
}

static void survives_lack_of_memory(void **state)
{
    static const char *const labels[] = {"b", "", "c", "a", "b", "b", "c"};
    static const char *const integers[] = {"3", "", "1", "3", "1", "1", "2"};
    (void)state;
    for (int k = 0; k < FORMATS * 2; k++) {
        tsr_data *data = make_data(TSR_FLOAT64, k % 2 != 0, k % 2 != 0 ? labels : integers);
        starve_writer(formats[k / 2].write, data);
        starve_reader(formats[k / 2].read, scratch);
        tsr_data_free(data);
    }
    starve_reader(tsr__npz_read, fixture("sparse_coo.npz"));
    starve_reader(tsr__mat_read, fixture("cells.mat"));
    starve_reader(tsr__h5_read, fixture("sparse.h5"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_others_wrote),
        cmocka_unit_test(reads_the_rest),
        cmocka_unit_test(reads_labels_alone),
        cmocka_unit_test(refuses_with_reasons),
        cmocka_unit_test(says_which_labels_do_not_fit),
        cmocka_unit_test(writes_what_it_reads),
        cmocka_unit_test(keeps_minus_one),
        cmocka_unit_test(writes_views),
        cmocka_unit_test(writes_the_same_twice),
        cmocka_unit_test(says_where_it_cannot_write),
        cmocka_unit_test(finds_wrong_checksums),
        cmocka_unit_test(refuses_bombs),
        cmocka_unit_test(survives_damage),
        cmocka_unit_test(survives_cut_hdf5),
        cmocka_unit_test(notices_what_is_cut_off),
        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
