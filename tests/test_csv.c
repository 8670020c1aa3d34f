/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Tables in text: layouts, messages, round trips, hostile files. */
#include "base/text.h"
#include "text_files.h"

#include <math.h>

static void read_csv(tsr_data *out, const char *text)
{
    must_read(out, tsr__csv_read, "t.csv", text, (tsr__request){0});
}

static void assert_row(const tsr_data *data, int64_t i, const double *wanted, int64_t count)
{
    assert_int_equal(data->x->features, count);
    for (int64_t j = 0; j < count; j++) {
        const double value = tsr_matrix_at(data->x, i, j);
        if (isnan(wanted[j]))
            assert_true(isnan(value));
        else
            assert_true(value == wanted[j]);
    }
}

/* The same table in many dresses. */
static void test_layouts(void **unused)
{
    (void)unused;
    static const char *const texts[] = {
        "1,2,3\n4,5,6\n",
        "1,2,3\n4,5,6",
        "1,2,3\r\n4,5,6\r\n",
        ("\xef\xbb\xbf"
         "1,2,3\n4,5,6\n"),
        "1;2;3\n4;5;6\n",
        "1\t2\t3\n4\t5\t6\n",
        "1 2 3\n4 5 6\n",
        "  1   2 3  \n4\t 5 6\n",
        "1, 2, 3\n4 ,5 , 6 \n",
        "# a comment\n\n  # another\n1,2,3\n\n  \n4,5,6\n\n\n",
        "\"1\",\"2\",\"3\"\n\"4\",\"5\",\"6\"\n",
        "1,\"2\",3\n4,5, \" 6 \" \n",
        "1.0,2e0,+3\n.4e1,50e-1,6.\n",
        "a,b,c\n1,2,3\n4,5,6\n",
        "a b c\n1 2 3\n4 5 6\n",
        "\"a,\"\"b\",\"b\nb\",c\n1,2,3\n4,5,6\n",
        "x,,z\n1,2,3\n4,5,6\n",
        "\"7\",\"8\",\"9\"\n1,2,3\n4,5,6\n",
    };
    static const double rows[2][3] = {{1, 2, 3}, {4, 5, 6}};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        tsr_data data;
        read_csv(&data, texts[t]);
        if (data.x->samples != 2)
            fail_msg("layout %zu has %lld samples", t, (long long)data.x->samples);
        assert_row(&data, 0, rows[0], 3);
        assert_row(&data, 1, rows[1], 3);
        assert_null(data.labels);
        assert_int_equal(data.sample_names.count, 0);
        assert_string_equal(data.dtype, "text");
        drop(&data);
    }
}

static void test_missing(void **unused)
{
    (void)unused;
    tsr_data data;
    const double n = (double)NAN;
    read_csv(&data, "a,b,c,d\n1,,NA,4\nnan,NaN,\"\",-inf\n,2,,\n");
    assert_int_equal(data.x->samples, 3);
    assert_row(&data, 0, (double[]){1, n, n, 4}, 4);
    assert_row(&data, 1, (double[]){n, n, n, -(double)INFINITY}, 4);
    assert_row(&data, 2, (double[]){n, 2, n, n}, 4);
    drop(&data);
    must_read(&data, tsr__csv_read, "t.tsv", "1\t2\t3\n\t\t\n4\t\t6\n", (tsr__request){0});
    assert_int_equal(data.x->samples, 3);
    assert_row(&data, 1, (double[]){n, n, n}, 3);
    assert_row(&data, 2, (double[]){4, n, 6}, 3);
    drop(&data);
    read_csv(&data, "1\n\n3\n\n\n");
    assert_int_equal(data.x->samples, 3);
    assert_true(isnan(tsr_matrix_at(data.x, 1, 0)));
    drop(&data);
}

static void test_header(void **unused)
{
    (void)unused;
    tsr_data data;
    read_csv(&data, "height,\"wi\"\"dth\"\n1,2\n");
    assert_int_equal(data.feature_names.count, 2);
    assert_string_equal(data.feature_names.name[0], "height");
    assert_string_equal(data.feature_names.name[1], "wi\"dth");
    drop(&data);
    const tsr_read_options yes = {.header = 1}, no = {.header = 2};
    must_read(&data, tsr__csv_read, "t.csv", "1,2\n3,4\n", (tsr__request){.options = &yes});
    assert_int_equal(data.x->samples, 1);
    assert_string_equal(data.feature_names.name[1], "2");
    drop(&data);
    must_fail(tsr__csv_read, "t.csv", "a,b\n3,4\n", (tsr__request){.options = &no},
              TSR_ERROR_FORMAT, "line 1, column 1: 'a' is not a number");
    read_csv(&data, ",0,1\n0,0.5,0.25\n1,1.5,1.25\n");
    assert_row(&data, 1, (double[]){1.5, 1.25}, 2);
    assert_string_equal(data.sample_names.name[1], "1");
    assert_string_equal(data.feature_names.name[1], "1");
    drop(&data);
}

static void assert_labels(const tsr_data *data, const char *wanted)
{
    char got[256];
    tsr__line line = {got, 0, sizeof got};
    assert_non_null(data->labels);
    for (int64_t i = 0; i < data->labels->count; i++)
        tsr__line_add(&line, "%s%s", i > 0 ? " " : "",
                      tsr_labels_name(data->labels, data->labels->of[i]));
    assert_string_equal(got, wanted);
}

static void test_label_columns(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *option, *labels;
        int64_t features;
        double first;
    } cases[] = {
        {"a,b,label\n1,2,7\n3,4,8\n", NULL, "7 8", 2, 1},
        {"a,CLASS,b\n1,7,2\n3,8,4\n", NULL, "7 8", 2, 1},
        {"gnd,a\n7,1\n8,2\n", NULL, "7 8", 1, 1},
        {"a,b,c\n1,2,7\n3,4,8\n", "c", "7 8", 2, 1},
        {"a,b,c\n1,2,7\n3,4,8\n", "0", "1 3", 2, 2},
        {"a,b,c\n1,2,7\n3,4,8\n", "-1", "7 8", 2, 1},
        {"1,2,7\n3,4,8\n", "2", "7 8", 2, 1},
        {"1,2,7\n3,4,8\n", "-3", "1 3", 2, 2},
        {"1,2,cat\n3,4,dog\n", NULL, "cat dog", 2, 1},
        {"cat,1,2\ndog,3,4\n", NULL, "cat dog", 2, 1},
        {"u,v,species\n1,2,cat\n3,4,dog\n", NULL, "cat dog", 2, 1},
        {"0,1,label\n1,2,cat\n3,4,dog\n", NULL, "cat dog", 2, 1},
        {"1,2,y\n3,4,n\n", NULL, "y n", 2, 1},
        {"1,2,\"a,\"\"b\n\"\n3,4,dog\n", NULL, "a,\"b\n dog", 2, 1},
        {"a,label\n1,\n2,x\n3,NA\n4,?\n", NULL, "? x ? ?", 1, 1},
        {"a,label\n1,\n2,5\n3,NA\n4,-1\n", NULL, "? 5 ? ?", 1, 1},
        {"a,label\n1,2.0\n2,2\n3,02\n", NULL, "2 2 2", 1, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const tsr_read_options options = {.labels = cases[i].option};
        tsr_data data;
        must_read(&data, tsr__csv_read, "t.csv", cases[i].text,
                  (tsr__request){.options = &options});
        assert_labels(&data, cases[i].labels);
        assert_int_equal(data.x->features, cases[i].features);
        assert_true(tsr_matrix_at(data.x, 0, 0) == cases[i].first);
        drop(&data);
    }
}

static void test_sample_names(void **unused)
{
    (void)unused;
    static const char *const texts[] = {
        "name,a,label\np,1,7\nq,2,8\n", ",a,label\np,1,7\nq,2,8\n", "File,a,y\np,1,7\nq,2,8\n",
        "what,a,y\np,1,7\nq,2,8\n",     "p,1,u\nq,2,v\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        tsr_data data;
        read_csv(&data, texts[i]);
        assert_int_equal(data.sample_names.count, 2);
        assert_string_equal(data.sample_names.name[1], "q");
        assert_int_equal(data.x->features, 1);
        assert_int_equal(data.labels->classes, 2);
        drop(&data);
    }
}

static void test_only_labels(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *variable, *labels;
    } cases[] = {
        {"cat\ndog\ncat\n", NULL, "cat dog cat"},
        {"New York\nLos Angeles\n", NULL, "New York Los Angeles"},
        {"3\n1\n\n2\n\n", NULL, "3 1 ? 2"},
        {"label\ncat\ndog\n", NULL, "cat dog"},
        {"label\n5\n6\n", NULL, "5 6"},
        {"5\r\n6\r\n", NULL, "5 6"},
        {"a,label\n1,cat\n2,dog\n", NULL, "cat dog"},
        {"a,b\n1,5\n2,6\n", "b", "5 6"},
        {"1,5\n2,6\n", "-1", "5 6"},
        {"1,cat\n2,dog\n", NULL, "cat dog"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tsr_data data;
        must_read(&data, tsr__csv_read, "t.txt", cases[i].text,
                  (tsr__request){.only_labels = true, .variable = cases[i].variable});
        assert_labels(&data, cases[i].labels);
        assert_null(data.x);
        drop(&data);
    }
}

static void test_messages(void **unused)
{
    (void)unused;
    const tsr__request plain = {0}, labels = {.only_labels = true}, named = {.variable = "x"};
    const tsr_read_options nobody = {.labels = "nobody"};
    const tsr__request column = {.options = &nobody};
    must_fail(tsr__csv_read, "t.csv", "1,2,3\n4,5,6\n\n7,8\n", plain, TSR_ERROR_FORMAT,
              "line 4 has 2 fields where line 1 has 3");
    must_fail(tsr__csv_read, "t.csv", "# x\na,b\n1,2\n3,4,5\n", plain, TSR_ERROR_FORMAT,
              "line 4 has 3 fields where line 2 has 2");
    must_fail(tsr__csv_read, "t.csv", "age,height\n1,2\n3,abc\n", plain, TSR_ERROR_FORMAT,
              "line 3, column 2 ('height'): 'abc' is not a number");
    must_fail(tsr__csv_read, "t.csv", "1,2,3\n4,5 5,6\n", plain, TSR_ERROR_FORMAT,
              "line 2, column 2: '5 5' is not a number");
    must_fail(tsr__csv_read, "t.csv", "1,2\n\"3\n3\",4\n5,x\n", plain, TSR_ERROR_FORMAT,
              "line 2, column 1: '3?3' is not a number");
    must_fail(tsr__csv_read, "t.csv", "", plain, TSR_ERROR_DATA,
              "holds no table: there is nothing but blanks and comments");
    must_fail(tsr__csv_read, "t.csv", "1,2\n", named, TSR_ERROR_ARGUMENT,
              "a table has no variables, so none is called 'x'");
    must_fail(tsr__csv_read, "t.csv", "a,b\n1,2\n", column, TSR_ERROR_DATA,
              "there is neither a column nor a file 'nobody': columns are a, b");
    must_fail(
        tsr__csv_read, "t.csv", "1,2\n3,4\n", column, TSR_ERROR_DATA,
        "there is no column 'nobody': the 2 columns have no names, give a number from 0 to 1 "
        "(negative: from the end) or a file of labels");
    must_fail(tsr__csv_read, "t.csv", "a,b\n1,2\n", labels, TSR_ERROR_DATA,
              "none of the 2 columns is called label, class, gnd, y or target, or holds texts: "
              "name one as FILE:COLUMN");
}

/* A first line that promises more than the file can hold costs no memory. */
static void test_wide_promise(void **unused)
{
    (void)unused;
    enum { WIDE = 1 << 20 };
    char *text = malloc(3 * WIDE);
    assert_non_null(text);
    for (int i = 0; i < WIDE; i++)
        memcpy(text + 2 * i, "1,", 2);
    memcpy(text + 2 * WIDE - 1, "\n", 1);
    for (int i = 0; i < WIDE / 2; i++)
        memcpy(text + 2 * WIDE + 2 * i, "1\n", 2);
    tsr_data data;
    assert_int_equal(
        read_bytes(&data, tsr__csv_read, "t.csv", text, 3 * WIDE, (tsr__request){0}),
        TSR_ERROR_FORMAT);
    assert_string_equal(tsr_message(), "line 2 has 1 fields where line 1 has 1048576");
    free(text);
}

/* Several megabytes, with and without quotes: as many threads as you like, the same result. */
static char *big_table(int64_t rows, int quoted, size_t *size)
{
    char *text = malloc((size_t)rows * 80 + 1), *at = text;
    assert_non_null(text);
    for (int64_t i = 0; i < rows; i++)
        at += sprintf(at, "%lld,%.17g,%d.25,%s%lld%s\n", (long long)i,
                      (double)(i * 7919 % 1000) / 997, (int)(i % 50), quoted ? "\"c\n" : "c",
                      (long long)(i % 10), quoted ? "\"" : "");
    *size = (size_t)(at - text);
    return text;
}

static void test_threads(void **unused)
{
    (void)unused;
    enum { ROWS = 120000 };
    for (int quoted = 0; quoted < 2; quoted++) {
        size_t size = 0;
        char *text = big_table(ROWS, quoted, &size);
        assert_true(size > 3 << 20);
        for (int threads = 1; threads < 5; threads += 3) {
            const tsr_read_options options = {.threads = threads};
            tsr_data data;
            assert_int_equal(read_bytes(&data, tsr__csv_read, "t.csv", text, size,
                                        (tsr__request){.options = &options}),
                             TSR_OK);
            assert_int_equal(data.x->samples, ROWS);
            assert_int_equal(data.labels->classes, 10);
            for (int64_t i = 0; i < ROWS; i += 777) {
                assert_true(tsr_matrix_at(data.x, i, 0) == (double)i);
                assert_true(tsr_matrix_at(data.x, i, 1) == (double)(i * 7919 % 1000) / 997);
                assert_int_equal(data.labels->of[i], i % 10);
            }
            drop(&data);
            char *first = strstr(text + size / 3, ".25,"),
                 *second = strstr(text + size / 2, ".25,");
            first[1] = 'x', second[1] = 'y';
            assert_int_equal(read_bytes(&data, tsr__csv_read, "t.csv", text, size,
                                        (tsr__request){.options = &options}),
                             TSR_ERROR_FORMAT);
            first[1] = '2', second[1] = '2';
            assert_non_null(strstr(tsr_message(), ".x5' is not a number"));
        }
        free(text);
    }
}

static bool stop_at_once(void *user, const tsr_step *step)
{
    (void)step;
    ++*(int *)user;
    return false;
}

static void test_progress(void **unused)
{
    (void)unused;
    int calls = 0;
    const tsr_progress progress = {stop_at_once, &calls};
    const tsr_read_options options = {.progress = &progress};
    tsr_data data;
    assert_int_equal(read_bytes(&data, tsr__csv_read, "t.csv", "1,2\n", 4,
                                (tsr__request){.options = &options}),
                     TSR_ERROR_INTERRUPTED);
    assert_int_equal(calls, 1);
}

static tsr_matrix *random_matrix(int64_t samples, int64_t features, tsr_type type)
{
    tsr_matrix *x = NULL;
    assert_int_equal(tsr_matrix_create(&x, samples, features, type), TSR_OK);
    for (int64_t i = 0; i < samples * features; i++)
        tsr__value_set(x->values, type, i / features * x->stride + i % features,
                       type == TSR_FLOAT32 ? (double)(float)draw_value() : draw_value());
    return x;
}

static void test_round_trip(void **unused)
{
    (void)unused;
    static const char *const classes[] = {"cat", "a \"dog\"", "NA", "two\nlines", " x", "?"};
    static const char *const names[] = {"p,q", "#1", "", "\t", "5"};
    for (int kind = 0; kind < 24; kind++) {
        const write_function write = kind % 2 ? tsr__tsv_write : tsr__csv_write;
        tsr_data data = {0}, back;
        data.x = random_matrix(40, 5, kind % 3 == 0 ? TSR_FLOAT32 : TSR_FLOAT64);
        const char *texts[40];
        for (int i = 0; i < 40; i++)
            texts[i] = kind % 8 < 4 ? classes[i % 6] : i % 3 ? "10" : "2";
        if (kind & 4)
            assert_int_equal(tsr_labels_from_texts(&data.labels, texts, 40), TSR_OK);
        for (int i = 0; kind & 8 && i < 40; i++)
            assert_int_equal(tsr__names_add(&data.sample_names, names[i % 5]), TSR_OK);
        for (int i = 0; kind & 16 && i < 5; i++)
            assert_int_equal(tsr__names_add(&data.feature_names, names[i == 2 ? 0 : i]),
                             TSR_OK);
        round_trip(&back, &data, write, tsr__csv_read, kind % 2 ? "r.tsv" : "r.csv");
        assert_same_values(data.x, back.x, true);
        assert_int_equal(data.labels != NULL, back.labels != NULL);
        if (data.labels != NULL)
            assert_same_labels(data.labels, back.labels);
        assert_int_equal(back.sample_names.count, data.sample_names.count);
        for (int64_t i = 0; i < data.sample_names.count; i++)
            assert_string_equal(back.sample_names.name[i], data.sample_names.name[i]);
        for (int64_t i = 0; i < data.feature_names.count; i++)
            assert_string_equal(back.feature_names.name[i], data.feature_names.name[i]);
        drop(&data);
        drop(&back);
    }
}

static void test_written_text(void **unused)
{
    (void)unused;
    const double values[] = {1, 0.1, -0.0, 1e300};
    tsr_data data = {0};
    assert_int_equal(tsr_matrix_create(&data.x, 2, 2, TSR_FLOAT64), TSR_OK);
    memcpy(data.x->values, values, sizeof values);
    const char *const texts[] = {"b", "?"};
    assert_int_equal(tsr_labels_from_texts(&data.labels, texts, 2), TSR_OK);
    assert_int_equal(tsr__csv_write(&data, path_of("w.csv")), TSR_OK);
    char text[128] = "";
    FILE *file = fopen(path_of("w.csv"), "rb");
    assert_non_null(file);
    (void)fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    (void)unlink(path_of("w.csv"));
    assert_string_equal(text, "f0,f1,label\n1,0.1,b\n-0,1e+300,\n");
    drop(&data);
}

static void test_hostile(void **unused)
{
    (void)unused;
    must_survive(tsr__csv_read, "h.csv",
                 "# c\nname,a,\"b \"\"c\"\"\",label\np,1,2.5,\"x\ny\"\nq,NA,-1e3,z\n");
    must_survive(tsr__csv_read, "h.txt", "1 2 3\n4 5 6\r\n");
    must_bear_no_memory(tsr__csv_read, "m.csv", "name,a,b,label\np,1,2,x\nq,3,4,z\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layouts),      cmocka_unit_test(test_missing),
        cmocka_unit_test(test_header),       cmocka_unit_test(test_label_columns),
        cmocka_unit_test(test_sample_names), cmocka_unit_test(test_only_labels),
        cmocka_unit_test(test_messages),     cmocka_unit_test(test_wide_promise),
        cmocka_unit_test(test_threads),      cmocka_unit_test(test_progress),
        cmocka_unit_test(test_round_trip),   cmocka_unit_test(test_written_text),
        cmocka_unit_test(test_hostile),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_empty_folder);
}
