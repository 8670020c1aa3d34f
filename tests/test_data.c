/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Data as callers see them: copies of every kind, classes by number and name, names, formats by
 * name, what a file holds. */
#include "folder.h"

enum { N = 3, M = 2 };

/* Three named samples of two named features, two of one class. */
static tsr_data *read_table(void)
{
    static const char text[] = "name,a,b,label\np,1,2,x\nq,3,0,y\nr,5,6,x\n";
    tsr_data *data = NULL;
    put_bytes("table.csv", text, sizeof text - 1);
    check_ok(tsr_data_read(&data, path_of("table.csv"), NULL));
    assert_int_equal(tsr_matrix_features(tsr_data_samples(data)), M);
    return data;
}

static void copies_keep_what_is_known(void **state)
{
    tsr_data *data = read_table(), *copy = NULL;
    (void)state;
    check_ok(tsr_data_copy_as(&copy, data, TSR_FLOAT32, true));
    const tsr_matrix *x = tsr_data_samples(copy);
    assert_true(tsr_matrix_is_sparse(x) && tsr_matrix_type(x) == TSR_FLOAT32);
    for (int64_t i = 0; i < N; i++) {
        assert_string_equal(tsr_data_sample_name(copy, i), tsr_data_sample_name(data, i));
        assert_int_equal(tsr_labels_of(tsr_data_labels(copy))[i],
                         tsr_labels_of(tsr_data_labels(data))[i]);
        for (int64_t j = 0; j < M; j++)
            assert_true(tsr_matrix_at(x, i, j) == tsr_matrix_at(tsr_data_samples(data), i, j));
    }
    assert_string_equal(tsr_data_feature_name(copy, 1), "b");
    assert_string_equal(tsr_data_origin(copy), tsr_data_origin(data));
    tsr_data_free(copy);
    tsr_data_free(data);
}

static void features_become_samples(void **state)
{
    tsr_data *data = read_table(), *across = NULL;
    (void)state;
    check_ok(tsr_data_copy_transposed(&across, data));
    const tsr_matrix *x = tsr_data_samples(across);
    assert_int_equal(tsr_matrix_samples(x), M);
    assert_int_equal(tsr_matrix_features(x), N);
    assert_true(tsr_matrix_at(x, 1, 2) == 6);
    assert_string_equal(tsr_data_sample_name(across, 0), "a");
    assert_string_equal(tsr_data_feature_name(across, 2), "r");
    assert_null(tsr_data_labels(across));
    assert_null(tsr_data_kind(across));
    assert_null(tsr_data_dictionary(across));
    tsr_data_free(across);
    tsr_data_free(data);
}

static void copies_starve(void **state)
{
    tsr_data *data = read_table(), *copy = NULL;
    (void)state;
    check_starved(tsr_data_copy_as(&copy, data, TSR_FLOAT64, false),
                  (tsr_data_free(copy), copy = NULL));
    check_starved(tsr_data_copy_transposed(&copy, data), (tsr_data_free(copy), copy = NULL));
    tsr_data_free(data);
}

static void classes_by_number(void **state)
{
    static const int32_t of[] = {2, -1, 0, 2}, beyond[] = {3};
    const char *const names[] = {"s10", "s2", "s1"};
    tsr_labels *labels = NULL, *other = NULL;
    (void)state;
    check_ok(tsr_labels_from_texts(&labels, names, 3));
    check_ok(tsr_labels_from_classes(&other, labels, of, 4));
    assert_int_equal(tsr_labels_classes(other), 2); /* nobody is of s2 */
    assert_int_equal(tsr_labels_known(other), 3);
    assert_string_equal(tsr_labels_name(other, tsr_labels_of(other)[0]), "s10");
    assert_string_equal(tsr_labels_name(other, tsr_labels_of(other)[2]), "s1");
    assert_int_equal(tsr_labels_of(other)[1], -1);
    tsr_labels_free(other);
    check_fails(tsr_labels_from_classes(&other, labels, beyond, 1), TSR_ERROR_ARGUMENT,
                "class 3 of sample 0 is none of the 3");
    tsr_labels_free(labels);
}

/* What texts would mean by "unknown" is a name here. */
static void classes_by_name(void **state)
{
    static const char *const names[] = {"s10", "-1", "", "?", "s2", "nobody", "s10", "NaN"};
    static const int32_t of[] = {0, 1, 2, 3, 4, -1, 6, 7, 2}, below[] = {0, -2}, beyond[] = {8};
    static const char *const sorted[] = {"", "-1", "?", "NaN", "s2", "s10"}, *const gap[] = {
                                                                                 "a", NULL};
    tsr_labels *labels = NULL;
    (void)state;
    check_ok(tsr_labels_from_names(&labels, of, 9, names, 8));
    assert_int_equal(tsr_labels_count(labels), 9);
    assert_int_equal(tsr_labels_known(labels), 8);
    assert_int_equal(tsr_labels_classes(labels), 6); /* nobody has one, two are the same */
    for (int32_t c = 0; c < 6; c++)
        assert_string_equal(tsr_labels_name(labels, c), sorted[c]);
    for (int i = 0; i < 9; i++)
        assert_string_equal(tsr_labels_name(labels, tsr_labels_of(labels)[i]),
                            of[i] < 0 ? "?" : names[of[i]]);
    assert_int_equal(tsr_labels_of(labels)[5], -1);
    tsr_labels_free(labels);
    labels = NULL;
    check_starved(tsr_labels_from_names(&labels, of, 9, names, 8),
                  (tsr_labels_free(labels), labels = NULL));
    check_ok(tsr_labels_from_names(&labels, of, 0, names, 8));
    assert_int_equal(tsr_labels_classes(labels), 0);
    tsr_labels_free(labels);
    labels = NULL;
    check_fails(tsr_labels_from_names(&labels, below, 2, names, 8), TSR_ERROR_ARGUMENT,
                "class -2 of sample 1 is none of the 8");
    check_fails(tsr_labels_from_names(&labels, beyond, 1, names, 8), TSR_ERROR_ARGUMENT,
                "class 8 of sample 0 is none of the 8");
    check_fails(tsr_labels_from_names(&labels, of, 2, gap, 2), TSR_ERROR_ARGUMENT,
                "`name` of class 1 is NULL");
    assert_null(labels);
}

/* Numbers by value; one that is none has no place among them, and is a text among texts. */
static void classes_that_are_numbers(void **state)
{
    static const char *const names[] = {"10", "nan", "9", "-inf", "1e1"};
    static const char *const sorted[][5] = {{"-inf", "9", "10", "1e1", "nan"},
                                            {"-inf", "1e1", "9", "10", "nan"}};
    tsr_labels *labels = NULL;
    int32_t of[64];
    (void)state;
    for (int nan = 0; nan < 2; nan++) {
        for (int i = 0; i < 64; i++)
            of[i] = nan == 0 && i * 7 % 5 == 1 ? -1 : i * 7 % 5;
        check_ok(tsr_labels_from_names(&labels, of, 64, names, 5));
        assert_int_equal(tsr_labels_classes(labels), 4 + nan);
        for (int32_t c = 0; c < 4 + nan; c++)
            assert_string_equal(tsr_labels_name(labels, c), sorted[nan][c]);
        tsr_labels_free(labels);
    }
}

static void check_names(const tsr_data *data, const char *sample, const char *feature,
                        const char *origin)
{
    const char *last = tsr_data_sample_name(data, N - 1),
               *first = tsr_data_feature_name(data, 0);
    assert_true((last == NULL) == (sample == NULL) && (first == NULL) == (feature == NULL));
    if (sample != NULL)
        assert_string_equal(last, sample);
    if (feature != NULL)
        assert_string_equal(first, feature);
    assert_string_equal(tsr_data_origin(data), origin);
}

/* Copied, taken away again, and as they were where there are too few, or no memory. */
static void names_are_given(void **state)
{
    char sample[N][8] = {"one", "two", "three"}, feature[M][8] = {"", "b"};
    const char *samples[N] = {sample[0], sample[1], sample[2]},
               *features[M] = {feature[0], feature[1]}, *gap[N] = {"a", "b", NULL};
    tsr_matrix *x = NULL;
    tsr_data *data = NULL, *copy = NULL;
    (void)state;
    check_ok(tsr_matrix_create(&x, N, M, TSR_FLOAT64));
    check_ok(tsr_data_take(&data, x, NULL));
    check_names(data, NULL, NULL, "memory");
    check_ok(tsr_data_name_samples(data, samples, N));
    check_ok(tsr_data_name_features(data, features, M));
    check_ok(tsr_data_name_origin(data, sample[0]));
    memset(sample, 'x', sizeof sample);
    memset(feature, 'x', sizeof feature);
    check_names(data, "three", "", "one");
    check_ok(tsr_data_copy_as(&copy, data, TSR_FLOAT32, true));
    check_names(copy, "three", "", "one");
    tsr_data_free(copy);
    check_fails(tsr_data_name_samples(data, samples, N - 1), TSR_ERROR_ARGUMENT,
                "2 names of 3 samples");
    check_fails(tsr_data_name_features(data, samples, N), TSR_ERROR_ARGUMENT,
                "3 names of 2 features");
    check_fails(tsr_data_name_samples(data, gap, N), TSR_ERROR_ARGUMENT,
                "name 2 of the samples");
    check_fails(tsr_data_name_origin(data, ""), TSR_ERROR_ARGUMENT, "`name`");
    for (int64_t nth = 1; nth < 3; nth++) {
        tsr__memory_fail_at(nth);
        assert_int_equal(tsr_data_name_samples(data, gap, 3), TSR_ERROR_MEMORY);
    }
    tsr__memory_fail_at(1);
    assert_int_equal(tsr_data_name_origin(data, "other"), TSR_ERROR_MEMORY);
    tsr__memory_fail_at(0);
    check_names(data, "three", "", "one");
    check_ok(tsr_data_name_samples(data, NULL, 0));
    check_ok(tsr_data_name_features(data, NULL, 0));
    check_ok(tsr_data_name_origin(data, NULL));
    check_names(data, NULL, NULL, "memory");
    tsr_data_free(data);
}

/* The first extension of every row leads back to it; no extension is a folder. */
static void formats_by_name(void **state)
{
    tsr_format_info row, found;
    int64_t count = 0;
    (void)state;
    for (; tsr_formats_get(&row, count); count++) {
        char path[64];
        (void)snprintf(path, sizeof path, "dir.d/name%.*s", (int)strcspn(row.extensions, " "),
                       row.extensions);
        assert_true(tsr_path_format(&found, path));
        assert_string_equal(found.name, row.name);
        assert_int_equal(tsr_path_holds_labels(path), row.labels);
        assert_int_equal(row.folder, *row.extensions == '\0');
    }
    assert_true(count > 8);
    assert_false(tsr_path_format(&found, "name.docx"));
    check_ok(tsr_path_check("nowhere.h5:x"));
    check_ok(tsr_path_check("/dev/null"));
}

static void pipes_of_what_seeks_are_refused(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(path_of("pipe.npz"), 0600), 0);
    check_fails(tsr_path_check(path_of("pipe.npz")), TSR_ERROR_IO, "pipes and devices");
    assert_int_equal(unlink(path_of("pipe.npz")), 0);
}

static void contents_of_files(void **state)
{
    tsr_data *data = read_table();
    tsr_contents *contents = NULL;
    bool found = false;
    (void)state;
    check_ok(tsr_data_write(data, path_of("table.h5")));
    check_ok(tsr_contents_read(&contents, path_of("table.h5")));
    for (int64_t i = 0; i < tsr_contents_count(contents); i++)
        found |= strcmp(tsr_contents_name(contents, i), "x") == 0 &&
                 strcmp(tsr_contents_line(contents, i), "x (3 x 2 float64)") == 0;
    assert_true(found);
    assert_null(tsr_contents_name(contents, tsr_contents_count(contents)));
    tsr_contents_free(contents);
    check_fails(tsr_contents_read(&contents, path_of("table.csv")), TSR_ERROR_ARGUMENT,
                "no HDF5 file");
    put_bytes("torn.h5", "\x89HDF\r\n\x1a\n", 8);
    assert_true(tsr_contents_read(&contents, path_of("torn.h5")) != TSR_ERROR_ARGUMENT);
    assert_non_null(strstr(tsr_message(), "torn.h5"));
    tsr_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_keep_what_is_known),
        cmocka_unit_test(features_become_samples),
        cmocka_unit_test(copies_starve),
        cmocka_unit_test(classes_by_number),
        cmocka_unit_test(classes_by_name),
        cmocka_unit_test(classes_that_are_numbers),
        cmocka_unit_test(names_are_given),
        cmocka_unit_test(formats_by_name),
        cmocka_unit_test(pipes_of_what_seeks_are_refused),
        cmocka_unit_test(contents_of_files),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
