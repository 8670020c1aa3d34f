/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Matrices: storage, views, copies, scans, checks, norms, labels, blocks. */
#include "check.h"

#include "matrix/block.h"
#include "matrix/kernels.h"
#include "matrix/labels.h"
#include "matrix/matrix.h"
#include "matrix/parallel.h"

#include <math.h>

enum { N = 37, M = 23 };

/* A random matrix, two thirds zeros; dense or sparse, either type. */
static tsr_matrix *make(tsr_type type, bool sparse)
{
    tsr__random random = tsr__random_seed(5, 0);
    tsr_matrix *dense = NULL, *made = NULL;
    check_ok(tsr_matrix_create(&dense, N, M, TSR_FLOAT64));
    double *v = tsr_matrix_edit(dense);
    for (int i = 0; i < N * M; i++)
        v[i] = i % 3 == 0 ? floor(64 * tsr__random_uniform(&random)) / 8 : 0;
    check_ok(tsr_matrix_copy_as(&made, dense, type, sparse));
    tsr_matrix_free(dense);
    return made;
}

static void check_equal(const tsr_matrix *a, const tsr_matrix *b)
{
    assert_int_equal(tsr_matrix_samples(a), tsr_matrix_samples(b));
    assert_int_equal(tsr_matrix_features(a), tsr_matrix_features(b));
    for (int64_t i = 0; i < tsr_matrix_samples(a); i++)
        for (int64_t j = 0; j < tsr_matrix_features(a); j++)
            assert_true(tsr_matrix_at(a, i, j) == tsr_matrix_at(b, i, j));
}

/* Runs a law over both types and both storages. */
static void over_kinds(void (*law)(const tsr_matrix *x))
{
    for (int kind = 0; kind < 4; kind++) {
        tsr_matrix *x = make(kind % 2 ? TSR_FLOAT32 : TSR_FLOAT64, kind / 2);
        law(x);
        tsr_matrix_free(x);
    }
}

static void law_transpose(const tsr_matrix *x)
{
    tsr_matrix *t = NULL, *back = NULL;
    check_ok(tsr_matrix_copy_transposed(&t, x));
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            assert_true(tsr_matrix_at(t, j, i) == tsr_matrix_at(x, i, j));
    check_ok(tsr_matrix_copy_transposed(&back, t));
    check_equal(back, x);
    tsr_matrix_free(t);
    tsr_matrix_free(back);
}

static void law_copy(const tsr_matrix *x)
{
    static const int64_t chosen[] = {5, 0, 36, 5};
    tsr_matrix *some = NULL, *view = NULL, *other = NULL;
    double row[M];
    check_ok(tsr_matrix_copy_samples(&some, x, chosen, 4));
    for (int i = 0; i < 4; i++) {
        tsr_matrix_get_sample(row, x, chosen[i]);
        for (int j = 0; j < M; j++)
            assert_true(tsr_matrix_at(some, i, j) == row[j]);
    }
    check_ok(tsr_matrix_view_samples(&view, x, 10, 20));
    check_ok(tsr_matrix_copy_as(&other, view, tsr_matrix_type(x), !tsr_matrix_is_sparse(x)));
    check_equal(view, other);
    assert_true(tsr_matrix_at(view, 3, 1) == tsr_matrix_at(x, 13, 1));
    tsr_matrix_free(some);
    tsr_matrix_free(other);
    other = NULL;
    check_ok(tsr_matrix_copy_as(&other, view, TSR_FLOAT32, true));
    check_equal(view, other);
    tsr_matrix_free(other);
    tsr_matrix_free(view);
    tsr_matrix *untouched = NULL;
    check_fails(tsr_matrix_view_samples(&untouched, x, 30, 8), TSR_ERROR_ARGUMENT,
                "8 samples from 30 on exceed the 37");
    assert_null(untouched);
}

static void law_scan(const tsr_matrix *x)
{
    tsr_scan scan;
    int64_t nonzeros = 0;
    double low = (double)INFINITY, high = (double)-INFINITY;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) {
            const double v = tsr_matrix_at(x, i, j);
            nonzeros += v != 0;
            low = fmin(low, v);
            high = fmax(high, v);
        }
    check_ok(tsr_matrix_scan(&scan, x));
    assert_int_equal(scan.nonzeros, nonzeros);
    assert_true(scan.minimum == low && scan.maximum == high);
    assert_int_equal(scan.negative + scan.not_finite, 0);
    assert_false(scan.unit_samples);
}

static void law_norms(const tsr_matrix *x)
{
    static const tsr_norm norms[] = {TSR_NORM_L2, TSR_NORM_L1, TSR_NORM_MAX};
    const double accuracy = tsr_matrix_type(x) == TSR_FLOAT64 ? 1e-14 : 1e-6;
    for (int n = 0; n < 3; n++) {
        tsr_matrix *copy = NULL;
        tsr_scan scan;
        check_ok(tsr_matrix_copy_samples(&copy, x, NULL, N));
        check_ok(tsr_matrix_normalize(copy, norms[n]));
        for (int i = 0; i < N; i++) {
            double l1 = 0, l2 = 0, most = 0;
            for (int j = 0; j < M; j++) {
                const double v = tsr_matrix_at(copy, i, j);
                l1 += fabs(v), l2 += v * v, most = fmax(most, fabs(v));
            }
            const double norm[] = {sqrt(l2), l1, most};
            assert_true(fabs(norm[n] - 1) < accuracy * 10);
        }
        check_ok(tsr_matrix_scan(&scan, copy));
        assert_int_equal(scan.unit_samples, norms[n] == TSR_NORM_L2);
        tsr_matrix_free(copy);
    }
}

static void transposition_is_its_own_inverse(void **state)
{
    (void)state;
    over_kinds(law_transpose);
}

static void copies_hold_the_same_numbers(void **state)
{
    (void)state;
    over_kinds(law_copy);
}

static void scans_agree_with_plain_loops(void **state)
{
    (void)state;
    over_kinds(law_scan);
}

static void norms_become_one(void **state)
{
    (void)state;
    over_kinds(law_norms);
}

static void checks_name_the_first_offender(void **state)
{
    (void)state;
    tsr_matrix *x = NULL;
    check_ok(tsr_matrix_create(&x, 4, 5, TSR_FLOAT64));
    double *v = tsr_matrix_edit(x);
    for (int i = 0; i < 20; i++)
        v[i] = i % 5 == 4 || i / 5 == 3 ? 0 : 1;
    check_ok(tsr_matrix_check(x, TSR_NEED_FINITE | TSR_NEED_NON_NEGATIVE, "x"));
    check_fails(tsr_matrix_check(x, TSR_NEED_FULL_SAMPLES, "faces"), TSR_ERROR_DATA,
                "faces: sample 3 is all zero (1 such");
    check_fails(tsr_matrix_check(x, TSR_NEED_FULL_FEATURES, NULL), TSR_ERROR_DATA,
                "the data: feature 4 is all zero");
    v[7] = -2;
    v[8] = -3;
    check_fails(tsr_matrix_check(x, TSR_NEED_NON_NEGATIVE, "x"), TSR_ERROR_DATA,
                "sample 1, feature 2 is -2 (2 values");
    v[11] = (double)NAN;
    check_fails(tsr_matrix_check(x, TSR_NEED_FINITE, "x"), TSR_ERROR_DATA,
                "sample 2, feature 1 is nan (1 such");
    check_ok(tsr_matrix_check(x, TSR_NEED_NOT_INFINITE, "x"));
    v[13] = (double)INFINITY;
    check_fails(tsr_matrix_check(x, TSR_NEED_NOT_INFINITE, "x"), TSR_ERROR_DATA, "finite");
    tsr_matrix_free(x);
}

static void sparse_entries_are_sorted_and_summed(void **state)
{
    (void)state;
    static const int64_t row[] = {2, 0, 2, 2, 0, 1}, column[] = {3, 1, 0, 3, 1, 2};
    static const double value[] = {1, 2, 4, 8, -2, 0};
    tsr_matrix *x = NULL;
    check_ok(tsr_matrix_create_sparse(&x, 3, 4, 6, row, column, value, TSR_FLOAT64));
    assert_int_equal(tsr_matrix_stored(x), 2); /* (0,1) cancels, (1,2) is zero */
    assert_true(tsr_matrix_at(x, 2, 3) == 9 && tsr_matrix_at(x, 2, 0) == 4);
    assert_int_equal(tsr_matrix_columns(x)[0], 0);
    tsr_matrix_free(x);
    static const int64_t beyond[] = {3};
    check_fails(tsr_matrix_create_sparse(&x, 3, 4, 1, beyond, column, value, TSR_FLOAT64),
                TSR_ERROR_DATA, "entry 0 is at (3, 3) of 3 x 4");
}

static void views_check_what_they_are_given(void **state)
{
    (void)state;
    int64_t rows[] = {0, 2, 3}, falling[] = {0, 2, 1}, late[] = {1, 2, 3};
    int32_t columns[] = {0, 2, 1}, twice[] = {1, 1, 1}, far[] = {0, 9, 1};
    double values[] = {1, 2, 3};
    tsr_matrix *x = NULL;
    check_ok(tsr_matrix_view_sparse(&x, rows, columns, values, 2, 3, TSR_FLOAT64));
    assert_true(tsr_matrix_at(x, 0, 2) == 2 && tsr_matrix_at(x, 1, 0) == 0);
    tsr_matrix_free(x);
    check_fails(tsr_matrix_view_sparse(&x, falling, columns, values, 2, 3, TSR_FLOAT64),
                TSR_ERROR_DATA, "fall at row 1");
    check_fails(tsr_matrix_view_sparse(&x, late, columns, values, 2, 3, TSR_FLOAT64),
                TSR_ERROR_DATA, "begin with 1");
    check_fails(tsr_matrix_view_sparse(&x, rows, twice, values, 2, 3, TSR_FLOAT64),
                TSR_ERROR_DATA, "do not ascend in row 0");
    check_fails(tsr_matrix_view_sparse(&x, rows, far, values, 2, 3, TSR_FLOAT64),
                TSR_ERROR_DATA, "column 9 of 3");
    check_fails(tsr_matrix_view_dense(&x, values, 1, 3, 2, TSR_FLOAT64), TSR_ERROR_ARGUMENT,
                "stride 2");
    check_fails(tsr_matrix_create(&x, INT64_MAX, 2, TSR_FLOAT64), TSR_ERROR_ARGUMENT,
                "cannot be");
    check_fails(tsr_matrix_create(&x, -1, 2, TSR_FLOAT64), TSR_ERROR_ARGUMENT, "cannot be");
}

static void images_have_a_shape(void **state)
{
    (void)state;
    tsr_matrix *x = NULL;
    check_ok(tsr_matrix_create(&x, 2, 12, TSR_FLOAT32));
    check_ok(tsr_matrix_set_image(x, (tsr_image_shape){3, 4, TSR_COLUMN_ORDER}));
    assert_int_equal(tsr_matrix_image(x).order, TSR_COLUMN_ORDER);
    check_fails(tsr_matrix_set_image(x, (tsr_image_shape){5, 4, TSR_ROW_ORDER}),
                TSR_ERROR_ARGUMENT, "5 x 4 is not 12 features");
    assert_int_equal(tsr_matrix_image(x).height, 3);
    assert_int_equal(tsr__image_guess(1024, TSR_ROW_ORDER).width, 32);
    assert_int_equal(tsr__image_guess(1023, TSR_ROW_ORDER).width, 0);
    assert_int_equal(tsr__image_guess(49, TSR_ROW_ORDER).width, 0);
    tsr_matrix_free(x);
}

static void labels_become_classes(void **state)
{
    (void)state;
    static const char *const text[] = {"s10", "s2", "", "s2", "?", "-1", "a"};
    static const double number[] = {10, -1, 2, (double)NAN, 2, 0.5};
    static const int64_t chosen[] = {2, 3, 0};
    static const int32_t classes[] = {2, 1, -1, 1, -1, -1, 0};
    tsr_labels *labels = NULL, *some = NULL;
    check_ok(tsr_labels_from_texts(&labels, text, 7));
    assert_int_equal(tsr_labels_classes(labels), 3);
    assert_memory_equal(tsr_labels_of(labels), classes, sizeof classes);
    assert_string_equal(tsr_labels_name(labels, 2), "s10");
    assert_int_equal(tsr_labels_known(labels), 4);
    assert_false(tsr__labels_are_numbers(labels));
    check_ok(tsr_labels_copy_samples(&some, labels, chosen, 3));
    assert_int_equal(tsr_labels_classes(some), 2); /* nobody is "a" any more */
    assert_int_equal(tsr_labels_of(some)[2], 1);
    tsr_labels_free(labels);
    tsr_labels_free(some);
    check_ok(tsr_labels_from_numbers(&labels, number, 6));
    assert_int_equal(tsr_labels_classes(labels), 3);
    assert_string_equal(tsr_labels_name(labels, 0), "0.5");
    assert_int_equal(tsr_labels_of(labels)[0], 2);
    assert_int_equal(tsr_labels_of(labels)[1], -1);
    assert_true(tsr__labels_number(labels, 0) == 10 && isnan(tsr__labels_number(labels, 3)));
    tsr_labels_free(labels);
    check_ok(tsr__labels_from_numbers(&labels, number, 6, true));
    assert_int_equal(tsr_labels_of(labels)[1], 0);
    tsr_labels_free(labels);
}

static void blocks_cover_the_samples_once(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        tsr_matrix *x = make(TSR_FLOAT64, kind == 1);
        const tsr__source source = tsr__source_of_matrix(x, 600);
        int64_t next = 0;
        for (int64_t b = 0; b < source.blocks; b++) {
            tsr__block block;
            check_ok(source.get(&block, &source, b, 0));
            assert_int_equal(block.first, next);
            assert_int_equal(block.sparse, kind == 1);
            next += block.samples;
            const double *v = block.values;
            if (!block.sparse)
                assert_true(v[1] == tsr_matrix_at(x, block.first, 1));
            else if (block.rows[1] > block.rows[0])
                assert_true(v[block.rows[0]] ==
                            tsr_matrix_at(x, block.first, block.columns[block.rows[0]]));
        }
        assert_int_equal(next, N);
        tsr_matrix_free(x);
    }
}

static void count_item(void *context, int64_t item, int thread)
{
    (void)thread;
    ((int64_t *)context)[item]++;
}

static void threads_do_each_item_once(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        int64_t done[100] = {0};
        tsr__parallel(100, threads, count_item, done);
        for (int i = 0; i < 100; i++)
            assert_int_equal(done[i], 1);
    }
    assert_int_equal(tsr__threads(5, 3), 3);
    assert_int_equal(tsr__threads(5, 0), 1);
    assert_true(tsr__threads(0, 1000) >= 1);
    assert_non_null(tsr__kernels_name());
}

static tsr_status everything(void)
{
    tsr_status status = TSR_OK;
    static const int64_t row[] = {1, 0, 1}, column[] = {2, 1, 0};
    static const double value[] = {1, 2, 3};
    tsr_matrix *x = NULL, *t = NULL, *d = NULL;
    tsr_labels *labels = NULL;
    tsr_scan scan;
    TSR_TRY(tsr_matrix_create_sparse(&x, 2, 3, 3, row, column, value, TSR_FLOAT64));
    TSR_TRY(tsr_matrix_copy_transposed(&t, x));
    TSR_TRY(tsr_matrix_copy_as(&d, t, TSR_FLOAT32, false));
    TSR_TRY(tsr_matrix_scan(&scan, d));
    TSR_TRY(tsr_labels_from_numbers(&labels, value, 3));
done:
    tsr_matrix_free(x);
    tsr_matrix_free(t);
    tsr_matrix_free(d);
    tsr_labels_free(labels);
    return status;
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    const int64_t live = tsr__memory_live(), before = tsr__memory_asked();
    check_ok(everything());
    const int64_t needed = tsr__memory_asked() - before;
    assert_true(needed > 10);
    for (int64_t n = 1; n <= needed; n++) {
        tsr__memory_fail_at(n);
        assert_int_equal(everything(), TSR_ERROR_MEMORY);
        tsr__memory_fail_at(0);
        assert_int_equal(tsr__memory_live(), live);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transposition_is_its_own_inverse),
        cmocka_unit_test(copies_hold_the_same_numbers),
        cmocka_unit_test(scans_agree_with_plain_loops),
        cmocka_unit_test(norms_become_one),
        cmocka_unit_test(checks_name_the_first_offender),
        cmocka_unit_test(sparse_entries_are_sorted_and_summed),
        cmocka_unit_test(views_check_what_they_are_given),
        cmocka_unit_test(images_have_a_shape),
        cmocka_unit_test(labels_become_classes),
        cmocka_unit_test(blocks_cover_the_samples_once),
        cmocka_unit_test(threads_do_each_item_once),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
