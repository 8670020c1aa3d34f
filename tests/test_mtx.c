/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Matrix Market: layouts and symmetries, messages, round trips, hostile files. */
#include "text_files.h"

#include <math.h>

#define HEAD(layout, field, symmetry)                                                          \
    "%%MatrixMarket matrix " layout " " field " " symmetry "\n"
#define REAL HEAD("coordinate", "real", "general")

static void read_mtx(tsr_data *out, const char *text)
{
    must_read(out, tsr__mtx_read, "t.mtx", text, (tsr__request){0});
}

static void test_layouts(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        bool sparse;
        const char *dtype;
        double wanted[9];
    } cases[] = {
        {REAL "% c\n\n3 3 3\n1 1 1.5\n3 2 -2\n2 3 4e0\n",
         true,
         "real",
         {1.5, 0, 0, 0, 0, 4, 0, -2, 0}},
        {"%%matrixmarket MATRIX Coordinate DOUBLE General\r\n3 3 1\r\n2 1 7\r\n",
         true,
         "double",
         {0, 0, 0, 7, 0, 0, 0, 0, 0}},
        {REAL "3 3 4\n1 1 1\n1 1 2\n2 2 5\n2 2 -5\n",
         true,
         "real",
         {3, 0, 0, 0, 0, 0, 0, 0, 0}},
        {HEAD("coordinate", "pattern", "general") "3 3 2\n\t1  3 \n\n3 1",
         true,
         "pattern",
         {0, 0, 1, 0, 0, 0, 1, 0, 0}},
        {HEAD("coordinate", "integer", "symmetric") "3 3 3\n1 1 1\n2 1 2\n3 2 4\n",
         true,
         "integer",
         {1, 2, 0, 2, 0, 4, 0, 4, 0}},
        {HEAD("coordinate", "real", "skew-symmetric") "3 3 2\n2 1 2\n3 1 4\n",
         true,
         "real",
         {0, -2, -4, 2, 0, 0, 4, 0, 0}},
        {HEAD("array", "real", "general") "3 3\n1\n2\n3\n4\n5\n6\n7\n8\n9\n",
         false,
         "real",
         {1, 4, 7, 2, 5, 8, 3, 6, 9}},
        {HEAD("array", "integer", "symmetric") "3 3\n1\n2\n3\n4\n5\n6\n",
         false,
         "integer",
         {1, 2, 3, 2, 4, 5, 3, 5, 6}},
        {HEAD("array", "real", "skew-symmetric") "3 3\n1\n2\n3\n",
         false,
         "real",
         {0, -1, -2, 1, 0, -3, 2, 3, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tsr_data data;
        read_mtx(&data, cases[i].text);
        assert_int_equal(tsr_matrix_is_sparse(data.x), cases[i].sparse);
        assert_string_equal(data.dtype, cases[i].dtype);
        assert_matrix(data.x, 3, 3, cases[i].wanted);
        for (int64_t r = 0; cases[i].sparse && r < 3; r++)
            for (int64_t at = data.x->rows[r] + 1; at < data.x->rows[r + 1]; at++)
                assert_true(data.x->columns[at] > data.x->columns[at - 1]);
        drop(&data);
    }
    tsr_data data;
    read_mtx(&data, REAL "3 3 4\n1 1 1\n1 1 2\n2 2 5\n2 2 -5\n");
    assert_int_equal(tsr_matrix_stored(data.x), 1);
    drop(&data);
}

static void test_labels(void **unused)
{
    (void)unused;
    static const char *const texts[] = {HEAD("array", "integer", "general") "3 1\n5\n-1\n2\n",
                                        HEAD("array", "real", "general") "1 3\n5\n-1\n2\n"};
    for (size_t i = 0; i < 2; i++) {
        tsr_data data;
        must_read(&data, tsr__mtx_read, "t.mtx", texts[i], (tsr__request){.only_labels = true});
        assert_int_equal(data.labels->count, 3);
        assert_string_equal(data.labels->name[0], "2");
        assert_int_equal(data.labels->of[0], 1);
        assert_int_equal(data.labels->of[1], -1);
        assert_null(data.x);
        drop(&data);
    }
    must_fail(tsr__mtx_read, "t.mtx", HEAD("array", "real", "general") "2 2\n1\n2\n3\n4\n",
              (tsr__request){.only_labels = true}, TSR_ERROR_DATA,
              "labels must be an array of one column, this is an array of 2 x 2");
}

static void test_messages(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        tsr_status status;
        const char *message;
    } cases[] = {
        {"", TSR_ERROR_FORMAT, "line 1 does not begin with '%%MatrixMarket matrix'"},
        {"%%MatrixMarket vector\n", TSR_ERROR_FORMAT,
         "line 1 does not begin with '%%MatrixMarket matrix'"},
        {HEAD("list", "real", "general"), TSR_ERROR_FORMAT,
         "line 1: the layout is neither coordinate nor array"},
        {HEAD("array", "text", "general"), TSR_ERROR_FORMAT,
         "line 1: the field is neither real, double, integer nor pattern"},
        {HEAD("array", "real", "odd"), TSR_ERROR_FORMAT,
         "line 1: the symmetry is neither general, symmetric nor skew-symmetric"},
        {HEAD("array", "complex", "general") "1 1\n1 0\n", TSR_ERROR_UNSUPPORTED,
         "line 1: complex values are not supported"},
        {HEAD("array", "real", "hermitian") "1 1\n1\n", TSR_ERROR_FORMAT,
         "line 1: real values cannot be hermitian"},
        {HEAD("array", "pattern", "general") "1 1\n", TSR_ERROR_FORMAT,
         "line 1: a pattern cannot be an array"},
        {REAL "% c\n3 3\n", TSR_ERROR_FORMAT, "line 3 should be 'rows columns entries'"},
        {REAL "3 3 1 1\n", TSR_ERROR_FORMAT, "line 2 goes on after the sizes"},
        {REAL "-3 3 0\n", TSR_ERROR_FORMAT, "line 2: a size is negative"},
        {REAL "10 3 2\n1 1 1\n\n12 1 1\n", TSR_ERROR_FORMAT,
         "line 5: row 12 exceeds the 10 rows"},
        {REAL "10 3 1\n1 4 1\n", TSR_ERROR_FORMAT, "line 3: column 4 exceeds the 3 columns"},
        {REAL "10 3 1\n0 1 1\n", TSR_ERROR_FORMAT, "line 3: row 0 is below 1"},
        {REAL "10 3 1\n99999999999999999999 1 1\n", TSR_ERROR_FORMAT,
         "line 3: no row number at the beginning of '99999999999999999999 1 1'"},
        {REAL "10 3 1\n999999999999999999 1 1\n", TSR_ERROR_FORMAT,
         "line 3: row 999999999999999999 exceeds the 10 rows"},
        {REAL "10 3 1\n1 x 1\n", TSR_ERROR_FORMAT, "line 3: no column number in '1 x 1'"},
        {REAL "10 3 1\n1 1  \n", TSR_ERROR_FORMAT, "line 3: no value in '1 1'"},
        {REAL "10 3 1\n1 1 1 1\n", TSR_ERROR_FORMAT,
         "line 3: more than there should be in '1 1 1 1'"},
        {REAL "10 3 2\n1 1 1000000\n", TSR_ERROR_FORMAT,
         "line 2 claims 2 entries, but 1 follow"},
        {REAL "10 3 1\n1 1 1\n2 2 2\n", TSR_ERROR_FORMAT,
         "line 2 claims 1 entries, but 2 follow"},
        {REAL "10 3 1000000000000000\n1 1 1\n", TSR_ERROR_FORMAT,
         "line 2 claims 1000000000000000 entries, but the file ends after 74 bytes"},
        {HEAD("array", "real", "general") "4000000000 4000000000\n1\n", TSR_ERROR_FORMAT,
         "line 2: 4000000000 x 4000000000 values are too many to count"},
        {REAL "1000000000000 3 0\n", TSR_ERROR_FORMAT,
         "1000000000000 samples of 3 features would take 1.6e+04 GB; the limit is 1000 x the "
         "file's 64 bytes + 256 MiB; if that is meant: --expand 249995805697"},
        {REAL "10 3000000000 0\n", TSR_ERROR_UNSUPPORTED,
         "line 2: 3000000000 columns exceed the limit of 2147483647"},
        {HEAD("coordinate", "real", "symmetric") "3 2 0\n", TSR_ERROR_FORMAT,
         "line 2: 3 x 2 cannot be symmetric"},
        {HEAD("coordinate", "real", "skew-symmetric") "3 3 1\n2 2 1\n", TSR_ERROR_FORMAT,
         "line 3: row 2 of a skew-symmetric matrix has an entry on the diagonal"},
        {HEAD("array", "real", "general") "2 1\n1\nx\n", TSR_ERROR_FORMAT,
         "line 4: no value in 'x'"},
        {HEAD("array", "real", "general") "2 1\n1 2\n3\n", TSR_ERROR_FORMAT,
         "line 3: more than there should be in '1 2'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        must_fail(tsr__mtx_read, "t.mtx", cases[i].text, (tsr__request){0}, cases[i].status,
                  cases[i].message);
    must_fail(tsr__mtx_read, "t.mtx", REAL "1 1 0\n", (tsr__request){.variable = "x"},
              TSR_ERROR_ARGUMENT,
              "a Matrix Market file has no variables, so none is called 'x'");
}

/* Entries in random order, with repeated ones, against sums made one by one. */
static void test_threads(void **unused)
{
    (void)unused;
    enum { ROWS = 300, COLUMNS = 500, ENTRIES = 150000 };
    char *text = malloc(ENTRIES * 24 + 200), *at = text;
    double *wanted = calloc(ROWS * COLUMNS, sizeof *wanted);
    assert_non_null(wanted);
    assert_non_null(text);
    at += sprintf(at, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", ROWS,
                  COLUMNS, ENTRIES);
    for (int k = 0; k < ENTRIES; k++) {
        const int i = (int)(draw() % ROWS), j = (int)(draw() % COLUMNS * (draw() % 2));
        char value[16];
        (void)snprintf(value, sizeof value, "%.6f", (double)(draw() % 1000) / 7);
        wanted[i * COLUMNS + j] += strtod(value, NULL);
        at += sprintf(at, "%d %d %s\n", i + 1, j + 1, value);
    }
    assert_true(at - text > 1 << 20);
    for (int threads = 1; threads < 5; threads += 3) {
        const tsr_read_options options = {.threads = threads};
        tsr_data data;
        must_read(&data, tsr__mtx_read, "t.mtx", text, (tsr__request){.options = &options});
        assert_matrix(data.x, ROWS, COLUMNS, wanted);
        drop(&data);
    }
    free(text);
    free(wanted);
}

static void test_round_trip(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < 8; kind++) {
        const tsr_type type = kind % 2 ? TSR_FLOAT32 : TSR_FLOAT64;
        int64_t row[200], column[200];
        double value[200];
        tsr_data data = {0}, back;
        for (int k = 0; k < 200; k++) {
            row[k] = (int64_t)(draw() % 20);
            column[k] = (int64_t)(draw() % 30);
            value[k] = type == TSR_FLOAT32 ? (double)(float)draw_value() : draw_value();
        }
        if (kind < 4)
            assert_int_equal(tsr_matrix_create_sparse(&data.x, 20, 30, kind ? 200 : 0, row,
                                                      column, value, type),
                             TSR_OK);
        else
            assert_int_equal(tsr_matrix_create(&data.x, 20, 30, type), TSR_OK);
        for (int k = 0; kind >= 4 && k < 200; k++)
            tsr__value_set(data.x->values, type, row[k] * data.x->stride + column[k], value[k]);
        round_trip(&back, &data, tsr__mtx_write, tsr__mtx_read, "r.mtx");
        assert_int_equal(tsr_matrix_is_sparse(back.x), kind < 4);
        if (kind < 4)
            assert_int_equal(tsr_matrix_stored(back.x), tsr_matrix_stored(data.x));
        assert_same_values(data.x, back.x, true);
        drop(&data);
        drop(&back);
    }
}

static void test_hostile(void **unused)
{
    (void)unused;
    must_survive(tsr__mtx_read, "h.mtx", REAL "% c\n3 2 3\n1 1 1.5\n3 2 -2\n2 2 4e0\n");
    must_survive(tsr__mtx_read, "h.mtx",
                 HEAD("coordinate", "integer", "skew-symmetric") "3 3 2\n2 1 5\n3 1 7\n");
    must_survive(tsr__mtx_read, "h.mtx", HEAD("array", "real", "symmetric") "2 2\n1\n2\n3\n");
    must_bear_no_memory(tsr__mtx_read, "m.mtx", REAL "3 2 3\n3 1 1.5\n1 2 -2\n2 2 4e0\n");
    must_bear_no_memory(tsr__mtx_read, "m.mtx", HEAD("array", "real", "general") "2 1\n1\n2\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layouts),    cmocka_unit_test(test_labels),
        cmocka_unit_test(test_messages),   cmocka_unit_test(test_threads),
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_hostile),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_empty_folder);
}
