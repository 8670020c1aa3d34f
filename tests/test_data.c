/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Data as callers see them: copies of every kind, classes by number, formats by name, what a file
 * holds. */
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
        cmocka_unit_test(formats_by_name),
        cmocka_unit_test(pipes_of_what_seeks_are_refused),
        cmocka_unit_test(contents_of_files),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
