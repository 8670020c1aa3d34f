/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Arrays into matrices, labels and sparse matrices; the choice among variables. */
#include "base/utf8.h"
#include "check.h"

#include "io/array.h"

#include <stdio.h>

#define ARRAY(kind, values, ...)                                                               \
    (tsr__array)                                                                               \
    {                                                                                          \
        .element = (kind), .item = (int64_t)sizeof *(values), .data = (values),                \
        .bytes = (int64_t)sizeof(values), __VA_ARGS__                                          \
    }

static void counts_before_it_believes(void **state)
{
    double values[6] = {0};
    int64_t count = 0;
    (void)state;
    tsr__array array = ARRAY(TSR_ELEMENT_FLOAT64, values, .rank = 2, .shape = {2, 3});
    check_ok(tsr__array_count(&count, &array));
    assert_int_equal(count, 6);
    array.shape[1] = 4;
    check_fails(tsr__array_count(&count, &array), TSR_ERROR_FORMAT, "2 x 4");
    array.shape[0] = INT64_MAX;
    check_fails(tsr__array_count(&count, &array), TSR_ERROR_FORMAT, "48 bytes");
    array.shape[0] = -1;
    check_fails(tsr__array_count(&count, &array), TSR_ERROR_FORMAT, "-1 x 4");
    tsr_matrix *x = NULL;
    array = ARRAY(TSR_ELEMENT_FLOAT64, values, .rank = 3, .shape = {0, INT64_MAX, INT64_MAX});
    check_fails(tsr__array_to_matrix(&x, &array), TSR_ERROR_DATA, "dimension 1");
}

/* The same numbers in both memory orders give the same matrix, across tile borders. */
static void turns_columns_into_rows(void **state)
{
    enum { ROWS = 131, COLUMNS = 70 };
    static uint16_t by_rows[ROWS * COLUMNS], by_columns[ROWS * COLUMNS];
    static float single[ROWS * COLUMNS];
    tsr_matrix *a = NULL, *b = NULL, *c = NULL;
    (void)state;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            by_rows[i * COLUMNS + j] = (uint16_t)(i * 1000 + j);
            by_columns[j * ROWS + i] = __builtin_bswap16((uint16_t)(i * 1000 + j));
            single[j * ROWS + i] = (float)(uint16_t)(i * 1000 + j);
        }
    tsr__array plain = ARRAY(TSR_ELEMENT_UINT16, by_rows, .rank = 2, .shape = {ROWS, COLUMNS});
    tsr__array turned = ARRAY(TSR_ELEMENT_UINT16, by_columns, .rank = 2,
                              .shape = {ROWS, COLUMNS}, .column_major = true, .swapped = true);
    tsr__array floats = ARRAY(TSR_ELEMENT_FLOAT32, single, .rank = 2, .shape = {ROWS, COLUMNS},
                              .column_major = true);
    check_ok(tsr__array_to_matrix(&a, &plain));
    check_ok(tsr__array_to_matrix(&b, &turned));
    check_ok(tsr__array_to_matrix(&c, &floats));
    assert_int_equal(c->type, TSR_FLOAT32);
    assert_memory_equal(a->values, b->values, sizeof(double) * ROWS * COLUMNS);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            assert_true(tsr_matrix_at(a, i, j) == (uint16_t)(i * 1000 + j));
            assert_true(tsr_matrix_at(c, i, j) == (uint16_t)(i * 1000 + j));
        }
    tsr_matrix_free(a);
    tsr_matrix_free(b);
    tsr_matrix_free(c);
}

static void reads_unaligned_extremes(void **state)
{
    char bytes[1 + 4 * sizeof(int64_t)];
    const int64_t values[4] = {INT64_MIN, INT64_MAX, -1, 0};
    double out[4];
    (void)state;
    memcpy(bytes + 1, values, sizeof values);
    tsr__array array = {.element = TSR_ELEMENT_INT64,
                        .item = 8,
                        .rank = 1,
                        .shape = {4},
                        .data = bytes + 1,
                        .bytes = sizeof values};
    tsr__array_get(out, 1, &array, 0, 4);
    assert_true(out[0] == -0x1p63 && out[1] == 0x1p63 && out[2] == -1 && out[3] == 0);
    array.element = TSR_ELEMENT_UINT64;
    tsr__array_get(out, 1, &array, 2, 1);
    assert_true(out[0] == 0x1p64);
}

static void knows_pictures(void **state)
{
    uint8_t pixels[24];
    tsr_matrix *x = NULL;
    (void)state;
    for (int i = 0; i < 24; i++)
        pixels[i] = (uint8_t)i;
    tsr__array array = ARRAY(TSR_ELEMENT_UINT8, pixels, .rank = 3, .shape = {2, 3, 4});
    check_ok(tsr__array_to_matrix(&x, &array));
    assert_int_equal(x->samples, 2);
    assert_int_equal(x->image.height * 10 + x->image.width, 34);
    assert_true(tsr_matrix_at(x, 1, 0) == 12);
    tsr_matrix_free(x);
    array.column_major = true;
    check_ok(tsr__array_to_matrix(&x, &array));
    assert_int_equal(x->samples, 4);
    assert_int_equal(x->image.height * 10 + x->image.width, 23);
    assert_int_equal(x->image.order, TSR_COLUMN_ORDER);
    assert_true(tsr_matrix_at(x, 1, 0) == 6);
    tsr_matrix_free(x);
    array.rank = 4;
    array.shape[3] = 1;
    check_fails(tsr__array_to_matrix(&x, &array), TSR_ERROR_DATA, "4 dimensions");
}

static void makes_labels(void **state)
{
    int8_t numbers[4] = {3, -1, 3, 1};
    char words[12] = {'b', 'b', 'b', 'a', 0, 0, 'b', 'b', 'b', 0, 'x', 'x'};
    int64_t large[1] = {9007199254740993};
    tsr_labels *labels = NULL;
    (void)state;
    tsr__array array = ARRAY(TSR_ELEMENT_INT8, numbers, .rank = 2, .shape = {1, 4});
    check_ok(tsr__array_to_labels(&labels, &array));
    assert_int_equal(labels->classes, 2);
    assert_int_equal(labels->of[1], -1);
    assert_string_equal(labels->name[labels->of[0]], "3");
    tsr_labels_free(labels);
    array = ARRAY(TSR_ELEMENT_BYTES, words, .rank = 1, .shape = {4});
    array.item = 3;
    check_ok(tsr__array_to_labels(&labels, &array));
    assert_int_equal(labels->classes, 2);
    assert_int_equal(labels->of[3], -1);
    assert_string_equal(labels->name[labels->of[2]], "bbb");
    tsr_labels_free(labels);
    array = ARRAY(TSR_ELEMENT_INT8, numbers, .rank = 2, .shape = {2, 2});
    check_fails(tsr__array_to_labels(&labels, &array), TSR_ERROR_DATA, "one-hot");
    array = ARRAY(TSR_ELEMENT_INT64, large, .rank = 1, .shape = {1});
    check_fails(tsr__array_to_labels(&labels, &array), TSR_ERROR_DATA, "2^53");
}

static void speaks_utf8(void **state)
{
    (void)state;
    for (uint32_t point = 1; point < 0x110000; point += point < 0x3000 ? 1 : 7) {
        char bytes[8] = "";
        uint32_t back = 0;
        const int length = tsr__utf8_put(bytes, point);
        bytes[length] = '\0';
        assert_ptr_equal(tsr__utf8_get(&back, bytes), bytes + length);
        assert_int_equal(back, point >= 0xd800 && point < 0xe000 ? 0xfffd : point);
    }
    static const char *const broken[] = {
        "\xff", "\x80", "\xc3", "\xe2\x82", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        uint32_t point = 0;
        assert_ptr_equal(tsr__utf8_get(&point, broken[i]), broken[i] + 1);
        assert_int_equal(point, 0xfffd);
    }
    uint32_t points[4] = {__builtin_bswap32('A'), __builtin_bswap32(0xc4),
                          __builtin_bswap32(0x1f600), 0};
    tsr__names names = {NULL, 0, 0};
    tsr__array array = {.element = TSR_ELEMENT_UCS4,
                        .item = sizeof points,
                        .swapped = true,
                        .rank = 1,
                        .shape = {1},
                        .data = points,
                        .bytes = sizeof points};
    check_ok(tsr__array_to_names(&names, &array));
    assert_string_equal(names.name[0], "A\xc3\x84\xf0\x9f\x98\x80");
    tsr__names_clear(&names);
}

/* [[0, 5, 0], [1, 0, 7]], rows unsorted, one entry in two parts and one zero. */
static int32_t starts[] = {0, 2, 5}, indices[] = {1, 1, 2, 0, 1};
static double values[] = {2, 3, 7, 1, 0};

static tsr__compressed example(void)
{
    return (tsr__compressed){
        .layout = TSR_BY_ROWS,
        .shape = {2, 3},
        .start = ARRAY(TSR_ELEMENT_INT32, starts, .rank = 1, .shape = {3}),
        .index = ARRAY(TSR_ELEMENT_INT32, indices, .rank = 1, .shape = {5}),
        .values = ARRAY(TSR_ELEMENT_FLOAT64, values, .rank = 1, .shape = {5}),
    };
}

static void check_example(tsr_matrix *x)
{
    static const double expected[2][3] = {{0, 5, 0}, {1, 0, 7}};
    assert_true(x->sparse);
    assert_int_equal(x->samples * 10 + x->features, 23);
    assert_int_equal(tsr_matrix_stored(x), 3);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            assert_true(tsr_matrix_at(x, i, j) == expected[i][j]);
    tsr_matrix_free(x);
}

static void assembles_sparse_matrices(void **state)
{
    int64_t row[] = {0, 0, 1, 1, 1};
    uint32_t column_starts[] = {0, 1, 3, 4};
    uint8_t rows[] = {1, 0, 0, 1};
    float single[] = {1, 2, 3, 7};
    tsr_matrix *x = NULL;
    (void)state;
    tsr__compressed parts = example();
    check_ok(tsr__compressed_to_matrix(&x, &parts));
    check_example(x);
    parts.layout = TSR_BY_ENTRIES;
    parts.start = ARRAY(TSR_ELEMENT_INT64, row, .rank = 1, .shape = {5});
    check_ok(tsr__compressed_to_matrix(&x, &parts));
    check_example(x);
    parts.layout = TSR_BY_COLUMNS;
    parts.start = ARRAY(TSR_ELEMENT_UINT32, column_starts, .rank = 1, .shape = {4});
    parts.index = ARRAY(TSR_ELEMENT_UINT8, rows, .rank = 1, .shape = {4});
    parts.values = ARRAY(TSR_ELEMENT_FLOAT32, single, .rank = 1, .shape = {4});
    check_ok(tsr__compressed_to_matrix(&x, &parts));
    assert_int_equal(x->type, TSR_FLOAT32);
    check_example(x);
}

static void refuses_broken_sparse(void **state)
{
    int32_t falling[] = {0, 4, 2}, beyond[] = {0, 2, 6}, late[] = {1, 2, 5};
    int32_t outside[] = {1, 1, 3, 0, 1}, negative[] = {1, 1, -1, 0, 1};
    tsr_matrix *x = NULL;
    (void)state;
    static const char *const words[] = {"fall", "exceeds", "begin with 1"};
    int32_t *const bad_starts[] = {falling, beyond, late};
    int32_t *const bad_indices[] = {outside, negative};
    for (int i = 0; i < 3; i++) {
        tsr__compressed parts = example();
        parts.start.data = bad_starts[i];
        check_fails(tsr__compressed_to_matrix(&x, &parts), TSR_ERROR_FORMAT, words[i]);
    }
    for (int i = 0; i < 2; i++) {
        tsr__compressed parts = example();
        parts.index.data = bad_indices[i];
        check_fails(tsr__compressed_to_matrix(&x, &parts), TSR_ERROR_FORMAT, "index");
    }
    tsr__compressed parts = example();
    parts.shape[0] = 3;
    check_fails(tsr__compressed_to_matrix(&x, &parts), TSR_ERROR_FORMAT, "one more");
    parts = example();
    parts.shape[1] = (int64_t)1 << 40;
    check_fails(tsr__compressed_to_matrix(&x, &parts), TSR_ERROR_FORMAT, "1099511627776");
    parts = example();
    parts.index.element = TSR_ELEMENT_FLOAT32;
    check_fails(tsr__compressed_to_matrix(&x, &parts), TSR_ERROR_FORMAT, "integers");
    parts = example();
    parts.layout = TSR_BY_COLUMNS;
    parts.shape[0] = INT32_MAX;
    check_fails(tsr__compressed_to_matrix(&x, &parts), TSR_ERROR_FORMAT, "only 5 entries");
}

#define MATRIX(called)                                                                         \
    {                                                                                          \
        .name = called, .element = TSR_ELEMENT_UINT8, .rank = 2, .shape = { 9, 4 }             \
    }
#define VECTOR(called)                                                                         \
    {                                                                                          \
        .name = called, .element = TSR_ELEMENT_FLOAT64, .rank = 2, .shape = { 1, 9 }           \
    }
#define SHORT(called)                                                                          \
    {                                                                                          \
        .name = called, .element = TSR_ELEMENT_FLOAT64, .rank = 1, .shape = { 3 }              \
    }
#define WORDS(called)                                                                          \
    {                                                                                          \
        .name = called, .element = TSR_ELEMENT_UCS4, .rank = 1, .shape = { 9 }                 \
    }

static void picks_by_name(void **state)
{
    static const struct {
        tsr__variable variable[4];
        const char *wanted;
        int samples, labels;
    } cases[] = {
        {{MATRIX("X"), VECTOR("y"), MATRIX("fea"), VECTOR("gnd")}, NULL, 2, 3},
        {{MATRIX("X"), VECTOR("y"), MATRIX("fea"), VECTOR("gnd")}, "X", 0, 1},
        {{MATRIX("fea"), SHORT("gnd"), MATRIX("X"), VECTOR("y")}, NULL, 2, 3},
        {{MATRIX("x"), WORDS("labels"), SHORT("a"), SHORT("b")}, NULL, 0, 1},
        {{MATRIX("X"), MATRIX("Y"), MATRIX("Z"), SHORT("y")}, NULL, 0, -1},
        {{MATRIX("X"), VECTOR("Y"), SHORT("a"), SHORT("b")}, NULL, 0, 1},
        {{MATRIX("data"), VECTOR("target"), MATRIX("b"), SHORT("c")}, NULL, 0, 1},
        {{SHORT("a"), MATRIX("pixels"), VECTOR("label"), MATRIX("__x")}, NULL, 1, 2},
        {{MATRIX("a/x"), VECTOR("a/labels"), VECTOR("labels"), MATRIX("b/x")}, "/a/x", 0, 1},
        {{MATRIX("a/x"), VECTOR("labels"), SHORT("b"), SHORT("c")}, NULL, 0, -1},
        {{VECTOR("v"), VECTOR("y"), SHORT("b"), SHORT("c")}, "v", 0, -1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int samples = -2, labels = -2;
        check_ok(tsr__pick_samples(&samples, &labels, cases[i].variable, 4, cases[i].wanted));
        if (samples != cases[i].samples || labels != cases[i].labels)
            fail_msg("case %zu: %d, %d", i, samples, labels);
    }
}

static void lists_what_is_unclear(void **state)
{
    static const tsr__variable two[] = {MATRIX("first"), MATRIX("second"), VECTOR("third"),
                                        MATRIX("__own")};
    static const tsr__variable vectors[] = {VECTOR("a"), WORDS("b")};
    int samples = 0, labels = 0;
    (void)state;
    check_fails(
        tsr__pick_samples(&samples, &labels, two, 4, NULL), TSR_ERROR_DATA,
        "first (9 x 4 uint8), second (9 x 4 uint8), third (1 x 9 float64); say which, as "
        "FILE:NAME");
    assert_null(strstr(tsr_message(), "__own"));
    check_fails(tsr__pick_samples(&samples, &labels, two, 4, "secnd"), TSR_ERROR_DATA,
                "there is no secnd (second was meant?)");
    check_fails(tsr__pick_samples(&samples, &labels, vectors, 2, NULL), TSR_ERROR_DATA,
                "b (9 text)");
    check_fails(tsr__pick_samples(&samples, &labels, vectors, 2, "b"), TSR_ERROR_DATA, "texts");
    check_fails(tsr__pick_samples(&samples, &labels, vectors, 0, NULL), TSR_ERROR_DATA,
                "nothing");
    check_ok(tsr__pick_labels(&labels, two, 4, NULL));
    assert_int_equal(labels, 2);
    check_fails(tsr__pick_labels(&labels, vectors, 2, NULL), TSR_ERROR_DATA, "labels");
    check_ok(tsr__pick_labels(&labels, vectors, 2, "b"));
    assert_int_equal(labels, 1);
}

/* X that cannot be read must not let Z be taken in its place. */
static void does_not_replace_what_it_cannot_read(void **state)
{
    tsr__variable variable[] = {MATRIX("X"), MATRIX("Z")};
    int samples = -1, labels = -1;
    (void)state;
    variable[0].element = TSR_ELEMENT_NONE;
    check_ok(tsr__pick_samples(&samples, &labels, variable, 2, NULL));
    assert_int_equal(samples, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_before_it_believes),
        cmocka_unit_test(turns_columns_into_rows),
        cmocka_unit_test(reads_unaligned_extremes),
        cmocka_unit_test(knows_pictures),
        cmocka_unit_test(makes_labels),
        cmocka_unit_test(speaks_utf8),
        cmocka_unit_test(assembles_sparse_matrices),
        cmocka_unit_test(refuses_broken_sparse),
        cmocka_unit_test(picks_by_name),
        cmocka_unit_test(lists_what_is_unclear),
        cmocka_unit_test(does_not_replace_what_it_cannot_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
