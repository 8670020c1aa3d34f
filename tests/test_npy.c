/* SPDX-License-Identifier: BSD-2-Clause
 *
 * .npy: what numpy wrote is read; what is written reads back; what is damaged is refused. */
#include "fixtures.h"

#include "io/npy.h"

static void reads_every_type(void **state)
{
    static const char *const kinds[] = {"b1", "i1", "i2", "i4", "i8", "u1",
                                        "u2", "u4", "u8", "f2", "f4", "f8"};
    static const char *const names[] = {"bool",   "int8",    "int16",   "int32",
                                        "int64",  "uint8",   "uint16",  "uint32",
                                        "uint64", "float16", "float32", "float64"};
    (void)state;
    for (int k = 0; k < 48; k++) {
        char name[64];
        (void)snprintf(name, sizeof name, "%s_%s_%c.npy", k % 2 != 0 ? "big" : "little",
                       kinds[k / 4], k / 2 % 2 != 0 ? 'f' : 'c');
        tsr_data *data = read_fixture(tsr__npy_read, name, NULL);
        assert_string_equal(data->dtype, names[k / 4]);
        assert_int_equal(data->x->type, k / 4 == 10 ? TSR_FLOAT32 : TSR_FLOAT64);
        for (int64_t i = 0; i < 5; i++)
            for (int64_t j = 0; j < 4; j++)
                assert_true(tsr_matrix_at(data->x, i, j) ==
                            (k / 4 == 0 ? entry(i, j) != 0 : entry(i, j)));
        tsr_data_free(data);
    }
}

static void reads_every_version(void **state)
{
    (void)state;
    static const char *const names[] = {"version2.npy", "version3.npy"};
    for (int i = 0; i < 2; i++) {
        tsr_data *data = read_fixture(tsr__npy_read, names[i], NULL);
        check_fixture(data->x);
        tsr_data_free(data);
    }
}

static void maps_native_floats(void **state)
{
    (void)state;
    size_t size = 0, again = 0;
    char *before = load_bytes(&size, fixture("little_f8_c.npy"));
    tsr_data *data = read_fixture(tsr__npy_read, "little_f8_c.npy", NULL);
    assert_non_null(data->x->held);
    ((double *)data->x->values)[0] = 99; /* a private copy: the file keeps its value */
    tsr_data_free(data);
    char *after = load_bytes(&again, fixture("little_f8_c.npy"));
    assert_memory_equal(before, after, size);
    free(before);
    free(after);
    data = read_fixture(tsr__npy_read, "little_f8_f.npy", NULL);
    assert_null(data->x->held);
    tsr_data_free(data);
}

static void reads_half_precision(void **state)
{
    (void)state;
    tsr_data *data = read_fixture(tsr__npy_read, "half.npy", NULL);
    const double *value = data->x->values;
    assert_true(isnan(value[0]));
    assert_true(value[1] == (double)INFINITY && value[2] == -(double)INFINITY);
    assert_true(value[3] == 0 && signbit(value[3]));
    assert_true(value[4] == 0x1p-24 && value[5] == 65504 && value[6] == 0.333251953125);
    tsr_data_free(data);
}

static void reads_stacks(void **state)
{
    (void)state;
    tsr_data *data = read_fixture(tsr__npy_read, "stack.npy", NULL);
    assert_int_equal(data->x->samples, 2);
    assert_int_equal(data->x->image.height, 3);
    assert_int_equal(data->x->image.width, 4);
    assert_int_equal(data->x->image.order, TSR_ROW_ORDER);
    assert_true(tsr_matrix_at(data->x, 1, 5) == 17); /* sample 1, row 1, column 1 */
    tsr_data_free(data);
    data = read_fixture(tsr__npy_read, "stack_f.npy", NULL);
    assert_int_equal(data->x->image.height, 3);
    assert_int_equal(data->x->image.order, TSR_COLUMN_ORDER);
    assert_true(tsr_matrix_at(data->x, 1, 1 + 3 * 1) == 17);
    tsr_data_free(data);
}

static void reads_labels(void **state)
{
    static const char *const words[] = {"cat", "dog", "\xc3\x84pfel", "cat", "dog"};
    static const char *const digits[] = {"0", "1", "2", "0", "1"};
    static const struct {
        const char *file;
        const char *const *labels;
    } cases[] = {{"texts_little.npy", words},
                 {"texts_big.npy", words},
                 {"bytes.npy", digits},
                 {"vector.npy", digits}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tsr_data *data = NULL;
        check_ok(read_by(&data, tsr__npy_read, fixture(cases[i].file), NULL, true));
        check_labels(data->labels, cases[i].labels, 5);
        tsr_data_free(data);
    }
}

static void refuses_what_it_cannot(void **state)
{
    static const struct {
        const char *file, *words;
        tsr_status status;
    } cases[] = {{"complex.npy", "complex", TSR_ERROR_UNSUPPORTED},
                 {"longdouble.npy", "float64", TSR_ERROR_UNSUPPORTED},
                 {"object.npy", "unpickled", TSR_ERROR_UNSUPPORTED},
                 {"record.npy", "field", TSR_ERROR_UNSUPPORTED},
                 {"date.npy", "dates", TSR_ERROR_UNSUPPORTED},
                 {"scalar.npy", "0 dimensions", TSR_ERROR_DATA},
                 {"texts_big.npy", "text", TSR_ERROR_DATA}};
    tsr_data *data = NULL;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_fails(read_by(&data, tsr__npy_read, fixture(cases[i].file), NULL, false),
                    cases[i].status, cases[i].words);
    check_fails(read_by(&data, tsr__npy_read, fixture("vector.npy"), "x", false),
                TSR_ERROR_ARGUMENT, "leave out ':x'");
    check_fails(read_by(&data, tsr__npy_read, fixture("little_f8_c.npy"), NULL, true),
                TSR_ERROR_DATA, "vector");
}

/* A version 1 array with this head, followed by 64 bytes. */
static tsr_status parse(tsr__array *out, const char *head)
{
    static char bytes[1024];
    const size_t length = strlen(head);
    memcpy(bytes, "\x93NUMPY\x01\x00", 8);
    bytes[8] = (char)(length & 255);
    bytes[9] = (char)(length >> 8);
    memcpy(bytes + 10, head, length);
    return tsr__npy_parse(out, bytes, (int64_t)length + 10 + 64);
}

static void parses_heads_as_python_does(void **state)
{
    static const char *const good[] = {
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 4), }",
        "{\"shape\":(2,4),\"descr\":\"<f8\",\"fortran_order\":False}",
        " { 'fortran_order' : False , 'shape' : ( 2L , 4L , ) , 'descr' : '=f8' } \n",
    };
    static const char *const bad[] = {
        "",
        "{",
        "{}",
        "{'descr': '<f8', 'fortran_order': False}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 4), 'more': 1}",
        "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (2, 4)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 4)} x",
        "{'descr': '<f8', 'fortran_order': 0, 'shape': (2, 4)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-2, 4)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2 4)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': 2}",
        "{'descr': '<f9', 'fortran_order': False 'shape': (2, 4)}",
        "{'descr': '<q7', 'fortran_order': False, 'shape': (2, 4)}",
        "{'descr': '<U0', 'fortran_order': False, 'shape': (2, 4)}",
        "{'descr': '<U999999999999', 'fortran_order': False, 'shape': (2, 4)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000000,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,)}",
    };
    tsr__array array = {0};
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        check_ok(parse(&array, good[i]));
        assert_int_equal(array.element, TSR_ELEMENT_FLOAT64);
        assert_int_equal(array.rank, 2);
        assert_int_equal(array.shape[0] * 10 + array.shape[1], 24);
        assert_int_equal(array.bytes, 64);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (parse(&array, bad[i]) != TSR_ERROR_FORMAT)
            fail_msg("%s was accepted", bad[i]);
    check_fails(parse(&array, "{'descr': '<f8', 'fortran_order': False, 'shape': (1,1,1,1,1)}"),
                TSR_ERROR_UNSUPPORTED, "dimensions");
    check_fails(parse(&array, bad[16]), TSR_ERROR_FORMAT, "only 64 bytes follow");
}

/* Random bits, so NaNs with payloads, infinities and denormal numbers are among them. */
static tsr_data *random_data(int64_t samples, int64_t features, tsr_type type)
{
    tsr_matrix *x = NULL;
    tsr_data *data = NULL;
    check_ok(tsr_matrix_create(&x, samples, features, type));
    unsigned state = 1;
    for (size_t i = 0; i < (size_t)(samples * features) * tsr__type_size(type); i++) {
        state = state * 1103515245u + 12345u;
        ((unsigned char *)x->values)[i] = (unsigned char)(state >> 16);
    }
    check_ok(tsr_data_take(&data, x, NULL));
    return data;
}

static void writes_what_it_reads(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        tsr_data *data = random_data(k < 2 ? 37 : 1, k % 2 != 0 ? 1 : 13, (tsr_type)(k % 2));
        round_trip(tsr__npy_read, tsr__npy_write, data);
        tsr_data_free(data);
    }
    size_t size = 0;
    char *bytes = load_bytes(&size, scratch);
    const unsigned head = (unsigned char)bytes[8] + 256u * (unsigned char)bytes[9];
    assert_int_equal((head + 10) % 64, 0);
    assert_int_equal(size, head + 10 + 4);
    free(bytes);
}

static void writes_strided_and_sparse(void **state)
{
    double values[12] = {1, 2, 3, -1, 4, 5, 6, -1, 7, 8, 9, -1};
    const int64_t row[] = {0, 2}, column[] = {1, 2};
    const double value[] = {5, 7};
    tsr_matrix *x = NULL;
    tsr_data *data = NULL, *back = NULL;
    (void)state;
    check_ok(tsr_matrix_view_dense(&x, values, 3, 3, 4, TSR_FLOAT64));
    check_ok(tsr_data_take(&data, x, NULL));
    round_trip(tsr__npy_read, tsr__npy_write, data);
    tsr_data_free(data);
    check_ok(tsr_matrix_create_sparse(&x, 3, 3, 2, row, column, value, TSR_FLOAT32));
    check_ok(tsr_data_take(&data, x, NULL));
    check_ok(tsr__npy_write(data, scratch));
    check_ok(read_by(&back, tsr__npy_read, scratch, NULL, false));
    assert_false(back->x->sparse);
    assert_int_equal(back->x->type, TSR_FLOAT32);
    assert_true(tsr_matrix_at(back->x, 0, 1) == 5 && tsr_matrix_at(back->x, 2, 2) == 7);
    tsr_data_free(data);
    tsr_data_free(back);
    check_ok(
        tsr_matrix_create_sparse(&x, 100000, 2000000000, 2, row, column, value, TSR_FLOAT64));
    check_ok(tsr_data_take(&data, x, NULL));
    check_fails(tsr__npy_write(data, scratch), TSR_ERROR_MEMORY, "keep it sparse");
    tsr_data_free(data);
}

static void survives_damage(void **state)
{
    (void)state;
    static const char *const files[] = {"little_f8_c.npy", "big_u2_f.npy", "stack_f.npy",
                                        "version2.npy"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        cut_off(tsr__npy_read, fixture(files[i]), 1);
        turn_bits(tsr__npy_read, fixture(files[i]));
    }
}

static void survives_lack_of_memory(void **state)
{
    (void)state;
    tsr_data *data = random_data(5, 7, TSR_FLOAT64);
    starve_writer(tsr__npy_write, data);
    starve_reader(tsr__npy_read, scratch);
    starve_reader(tsr__npy_read, fixture("big_i4_f.npy"));
    tsr_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_type),       cmocka_unit_test(reads_every_version),
        cmocka_unit_test(maps_native_floats),     cmocka_unit_test(reads_half_precision),
        cmocka_unit_test(reads_stacks),           cmocka_unit_test(reads_labels),
        cmocka_unit_test(refuses_what_it_cannot), cmocka_unit_test(parses_heads_as_python_does),
        cmocka_unit_test(writes_what_it_reads),   cmocka_unit_test(writes_strided_and_sparse),
        cmocka_unit_test(survives_damage),        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
