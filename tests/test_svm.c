/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The text format of libsvm: readings, messages, round trips, hostile files. */
#include "text_files.h"

#include <math.h>

static void read_svm(tsr_data *out, const char *text)
{
    must_read(out, tsr__svm_read, "t.svm", text, (tsr__request){0});
}

/* The same two samples in many dresses. */
static void test_layouts(void **unused)
{
    (void)unused;
    static const char *const texts[] = {
        "5 1:1.5 3:2\n6 2:4\n",
        "5 1:1.5 3:2\r\n6 2:4",
        ("\xef\xbb\xbf"
         "5 1:1.5 3:2\n6 2:4\n"),
        "5 3:2 1:1.5\n6 2:1 2:3\n",
        "5 0:1.5 2:2\n6 1:4\n",
        "# head\n5 qid:3 1:1.5 2:0 3:2 # note 7:7\n\n6\tqid:4 2:4 #\n  # end\n",
        "  5   1:1.5 3:2  \n6 2:4 1:1 1:-1\n",
        "# features 3\n5 1:1.5 3:2\n6 2:4\n",
    };
    static const double wanted[] = {1.5, 0, 2, 0, 4, 0};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        tsr_data data;
        read_svm(&data, texts[i]);
        assert_true(tsr_matrix_is_sparse(data.x));
        assert_matrix(data.x, 2, 3, wanted);
        assert_int_equal(tsr_matrix_stored(data.x), 3);
        assert_int_equal(data.labels->classes, 2);
        assert_string_equal(data.labels->name[0], "5");
        assert_int_equal(data.labels->of[1], 1);
        assert_string_equal(data.dtype, "text");
        drop(&data);
    }
}

static void test_labels(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *labels;
    } cases[] = {
        {"-1 1:1\n+1 1:1\n-1 1:2\n", "-1 1 -1"}, {"-1 1:1\n1 1:1\n2 1:2\n", "? 1 2"},
        {"-1 1:1\n1 1:1\n? 1:2\n", "-1 1 ?"},    {"1:1\n7 1:1\n? 1:2\n", "? 7 ?"},
        {"cat 1:1\ndog\n1:5\n", "cat dog ?"},    {"1.0\n1\n2e0\n", "1 1 2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int only = 0; only < 2; only++) {
            tsr_data data;
            char got[64] = "";
            must_read(&data, tsr__svm_read, "t.svm", cases[i].text,
                      (tsr__request){.only_labels = only == 1});
            assert_non_null(data.labels);
            for (int64_t k = 0; k < data.labels->count; k++) {
                strcat(got, k > 0 ? " " : "");
                strcat(got, tsr_labels_name(data.labels, data.labels->of[k]));
            }
            assert_string_equal(got, cases[i].labels);
            assert_int_equal(data.x == NULL, only);
            drop(&data);
        }
    tsr_data data;
    read_svm(&data, "1:1\n? 1:1\n");
    assert_null(data.labels);
    drop(&data);
    read_svm(&data, "# features 9\n1 1:1\n2\n");
    assert_int_equal(data.x->features, 9);
    assert_int_equal(data.x->samples, 2);
    drop(&data);
}

static void test_messages(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        tsr_status status;
        const char *message;
    } cases[] = {
        {"1 1:1\n1,3 1:1\n", TSR_ERROR_UNSUPPORTED,
         "line 2: '1,3' is several labels for one sample"},
        {"1 1:1\n\n1 1:1 x\n", TSR_ERROR_FORMAT, "line 3: 'x' is not index:value"},
        {"1 1:x\n", TSR_ERROR_FORMAT, "line 1: '1:x' is not index:value"},
        {"1 1:\n", TSR_ERROR_FORMAT, "line 1: '1:' is not index:value"},
        {"1 1:1:1\n", TSR_ERROR_FORMAT, "line 1: '1:1:1' is not index:value"},
        {"1 -1:1\n", TSR_ERROR_FORMAT, "line 1: index -1 is not within 0 and 2147483647"},
        {"1 2147483648:1\n", TSR_ERROR_FORMAT,
         "line 1: index 2147483648 is not within 0 and 2147483647"},
        {"1 0:1 2147483647:1\n", TSR_ERROR_UNSUPPORTED,
         "index 2147483647, counted from 0, exceeds the limit 2147483646"},
        {"# features 3\n1 1:1 4:1\n", TSR_ERROR_FORMAT,
         "line 2: index 4 exceeds the 3 features that line 1 tells"},
        {"# features 3\n1 0:1 3:1\n", TSR_ERROR_FORMAT,
         "index 3, counted from 0, exceeds the 3 features that line 1 tells"},
        {"# features 9999999999\n1 0:1\n", TSR_ERROR_FORMAT,
         "line 1: 9999999999 features are not within 0 and 2147483647"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        must_fail(tsr__svm_read, "t.svm", cases[i].text, (tsr__request){0}, cases[i].status,
                  cases[i].message);
    must_fail(tsr__svm_read, "t.svm", "1 1:1\n", (tsr__request){.variable = "x"},
              TSR_ERROR_ARGUMENT, "an .svm file has no variables, so none is called 'x'");
}

/* Colons in comments leave gaps between runs, which must close for any number of threads. */
static void test_threads(void **unused)
{
    (void)unused;
    enum { ROWS = 60000 };
    char *text = malloc(ROWS * 64), *at = text;
    assert_non_null(text);
    for (int i = 0; i < ROWS; i++)
        at += sprintf(at, "%d qid:1 %d:%d 7:0.5 %d:2 # a:b:c %s\n", i % 3, 1 + i % 5, i + 1,
                      8 + i % 90, i % 7 ? "" : ":::");
    assert_true(at - text > 2 << 20);
    for (int threads = 1; threads < 5; threads += 3) {
        const tsr_read_options options = {.threads = threads};
        tsr_data data;
        must_read(&data, tsr__svm_read, "t.svm", text, (tsr__request){.options = &options});
        assert_int_equal(data.x->samples, ROWS);
        assert_int_equal(data.x->features, 97);
        assert_int_equal(tsr_matrix_stored(data.x), 3 * ROWS);
        for (int i = 0; i < ROWS; i++) {
            assert_true(tsr_matrix_at(data.x, i, i % 5) == i + 1);
            assert_true(tsr_matrix_at(data.x, i, 6) == 0.5);
            assert_true(tsr_matrix_at(data.x, i, 7 + i % 90) == 2);
            assert_int_equal(data.labels->of[i], i % 3);
        }
        drop(&data);
    }
    free(text);
}

static void test_round_trip(void **unused)
{
    (void)unused;
    static const char *const words[] = {"cat", "dog", "?"}, *const signs[] = {"-1", "1", "?"};
    for (int kind = 0; kind < 12; kind++) {
        const tsr_type type = kind % 2 ? TSR_FLOAT32 : TSR_FLOAT64;
        const int64_t features = kind % 3 ? 30 : 12;
        tsr_data data = {0}, back;
        const char *texts[20];
        double numbers[20];
        assert_int_equal(tsr_matrix_create(&data.x, 20, features, type), TSR_OK);
        for (int64_t k = 0; k < 20 * 12; k++)
            tsr__value_set(data.x->values, type, k / 12 * data.x->stride + k % 12,
                           draw_value());
        for (int i = 0; i < 20; i++) {
            texts[i] = words[i % 3];
            numbers[i] = i % 3 == 2 ? (double)NAN : strtod(signs[i % 3], NULL);
        }
        if (kind >= 4 && kind < 8)
            assert_int_equal(tsr_labels_from_texts(&data.labels, texts, 20), TSR_OK);
        if (kind >= 8)
            assert_int_equal(tsr__labels_from_numbers(&data.labels, numbers, 20, true), TSR_OK);
        round_trip(&back, &data, tsr__svm_write, tsr__svm_read, "r.svm");
        assert_same_values(data.x, back.x, false);
        assert_int_equal(data.labels != NULL, back.labels != NULL);
        if (data.labels != NULL)
            assert_same_labels(data.labels, back.labels);
        tsr_data again;
        round_trip(&again, &back, tsr__svm_write, tsr__svm_read, "r.svm");
        assert_same_values(back.x, again.x, false);
        drop(&data);
        drop(&back);
        drop(&again);
    }
}

static void test_names_are_cleaned(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"a b", "c:d#e,f"};
    tsr_data data = {0}, back;
    assert_int_equal(tsr_matrix_create(&data.x, 2, 2, TSR_FLOAT64), TSR_OK);
    assert_int_equal(tsr_labels_from_texts(&data.labels, texts, 2), TSR_OK);
    round_trip(&back, &data, tsr__svm_write, tsr__svm_read, "r.svm");
    assert_int_equal(back.x->features, 2);
    assert_string_equal(back.labels->name[0], "a_b");
    assert_string_equal(back.labels->name[1], "c_d_e_f");
    drop(&data);
    drop(&back);
}

static void test_hostile(void **unused)
{
    (void)unused;
    must_survive(tsr__svm_read, "h.svm",
                 "# features 9\n5 qid:3 1:1.5 3:2 # a:b\nx 2:4 1:1\n0:3\n");
    must_bear_no_memory(tsr__svm_read, "m.svm", "5 3:1.5 1:2\n6 2:4 # 1:1\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layouts),    cmocka_unit_test(test_labels),
        cmocka_unit_test(test_messages),   cmocka_unit_test(test_threads),
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_names_are_cleaned),
        cmocka_unit_test(test_hostile),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_empty_folder);
}
