/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Classes by neighbours, and folds. */
#include "check.h"

#include "matrix/matrix.h"

#include <math.h>

static tsr_matrix *line(double *values, int64_t count)
{
    tsr_matrix *x = NULL;
    check_ok(tsr_matrix_view_dense(&x, values, count, 1, 1, TSR_FLOAT64));
    return x;
}

static void test_votes(void **state)
{
    (void)state;
    double train[] = {0, 1, 2, 10, 11, 12, 5}, test[] = {-3, 13, 5.4, 0};
    static const int32_t classes[] = {4, 4, 4, 9, 9, 9, -1};
    tsr_matrix *x = line(train, 7), *y = line(test, 4);
    int32_t out[4];
    for (int64_t vote = 1; vote <= 8; vote++) {
        check_ok(tsr_classify(out, x, classes, y, vote, 2));
        assert_int_equal(out[0], 4);
        /* everybody votes from six on: the nearer class wins the tie */
        assert_int_equal(out[1], 9);
        assert_int_equal(out[2], 4);
        assert_int_equal(out[3], 4);
    }
    tsr_matrix_free(x);
    tsr_matrix_free(y);
}

static void test_ties(void **state)
{
    (void)state;
    double train[] = {1, -1, 2, -2, 3}, test[] = {0};
    static const int32_t classes[] = {7, 3, 3, 7, 5};
    tsr_matrix *x = line(train, 5), *y = line(test, 1);
    int32_t out[1];
    check_ok(tsr_classify(out, x, classes, y, 1, 1)); /* same distance: the smaller index */
    assert_int_equal(out[0], 7);
    check_ok(tsr_classify(out, x, classes, y, 2, 1)); /* one vote each: the nearer in order */
    assert_int_equal(out[0], 7);
    check_ok(tsr_classify(out, x, classes, y, 3, 1));
    assert_int_equal(out[0], 3);
    check_ok(tsr_classify(out, x, classes, y, 5, 1));
    assert_int_equal(out[0], 7);
    tsr_matrix_free(x);
    tsr_matrix_free(y);
}

/* A sample that is tested on itself is its own neighbour. */
static void test_self(void **state)
{
    (void)state;
    double v[] = {0, 0.1, 0.2, 0.3};
    static const int32_t classes[] = {0, 1, 2, 3};
    int32_t out[4];
    tsr_matrix *x = line(v, 4);
    check_ok(tsr_classify(out, x, classes, x, 1, 1));
    assert_memory_equal(out, classes, sizeof out);
    tsr_matrix_free(x);
}

static void test_refusals(void **state)
{
    (void)state;
    double v[] = {0, 1, 2, (double)NAN};
    static const int32_t none[] = {-1, -1, -1}, classes[] = {0, 1, 1};
    int32_t out[4];
    tsr_matrix *x = line(v, 3), *y = line(v, 4), *wide = NULL;
    check_ok(tsr_matrix_view_dense(&wide, v, 1, 2, 2, TSR_FLOAT64));
    check_fails(tsr_classify(out, x, none, x, 1, 1), TSR_ERROR_DATA, "none of the 3");
    check_fails(tsr_classify(out, x, classes, x, 0, 1), TSR_ERROR_ARGUMENT, "0 neighbours");
    check_fails(tsr_classify(out, x, classes, y, 1, 1), TSR_ERROR_DATA, "sample 3");
    check_fails(tsr_classify(out, x, classes, wide, 1, 1), TSR_ERROR_ARGUMENT, "2 features");
    tsr_matrix_free(x);
    tsr_matrix_free(y);
    tsr_matrix_free(wide);
}

static void test_folds_are_even(void **state)
{
    (void)state;
    enum { N = 103, CLASSES = 4 };
    int32_t of[N], again[N], other[N], classes[N];
    for (int i = 0; i < N; i++)
        classes[i] = i % 10 == 0 ? -1 : i * i % CLASSES;
    for (int folds = 2; folds < 9; folds++) {
        int64_t size[9] = {0};
        check_ok(tsr_make_folds(of, classes, NULL, N, folds, 5));
        check_ok(tsr_make_folds(again, classes, NULL, N, folds, 5));
        check_ok(tsr_make_folds(other, classes, NULL, N, folds, 6));
        assert_memory_equal(of, again, sizeof of);
        assert_memory_not_equal(of, other, sizeof of);
        for (int c = -1; c < CLASSES; c++) {
            int64_t count[9] = {0}, least = N, most = 0;
            for (int i = 0; i < N; i++) {
                assert_in_range(of[i], 0, folds - 1);
                count[of[i]] += classes[i] == c;
            }
            for (int f = 0; f < folds; f++) {
                least = count[f] < least ? count[f] : least;
                most = count[f] > most ? count[f] : most;
                size[f] += count[f];
            }
            assert_true(most - least <= 1);
        }
        for (int f = 1; f < folds; f++) /* and so are the folds themselves */
            assert_true(size[f] - size[0] <= 1 && size[0] - size[f] <= 1);
    }
}

/* Objects of a class, each with several views: an object is on one side, and objects of a class
 * are spread. */
static void test_groups_stay_together(void **state)
{
    (void)state;
    enum { CLASSES = 3, OBJECTS = 10, VIEWS = 6, N = CLASSES * OBJECTS * VIEWS };
    int32_t of[N], classes[N], group[N];
    for (int i = 0; i < N; i++) {
        const int object = i * 7 % (CLASSES * OBJECTS);
        classes[i] = object % CLASSES;
        group[i] = 2147483647 - object * 1000; /* any numbers will do */
    }
    check_ok(tsr_make_folds(of, classes, group, N, 5, 1));
    for (int c = 0; c < CLASSES; c++) {
        int64_t count[5] = {0};
        for (int i = 0; i < N; i++)
            count[of[i]] += classes[i] == c;
        for (int f = 0; f < 5; f++)
            assert_int_equal(count[f], OBJECTS * VIEWS / 5);
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            assert_true(group[i] != group[j] || of[i] == of[j]);
}

static void test_single_sample(void **state)
{
    (void)state;
    static const int32_t classes[] = {0, 0, 0, 0, 1};
    int32_t of[5];
    int64_t count[2] = {0};
    check_ok(tsr_make_folds(of, classes, NULL, 5, 2, 0));
    for (int i = 0; i < 4; i++)
        count[of[i]]++;
    assert_int_equal(count[0], 2);
    assert_in_range(of[4], 0, 1);
}

static void test_bad_folds(void **state)
{
    (void)state;
    static const int32_t classes[] = {0, 0, 1, 1}, group[] = {5, 5, 5, 5};
    int32_t of[4];
    check_fails(tsr_make_folds(of, classes, NULL, 4, 5, 0), TSR_ERROR_ARGUMENT, "5 folds of 4");
    check_fails(tsr_make_folds(of, classes, NULL, 4, 1, 0), TSR_ERROR_ARGUMENT, "1 folds");
    check_fails(tsr_make_folds(of, classes, group, 4, 2, 0), TSR_ERROR_ARGUMENT, "1 groups");
}

static tsr_status fold_and_classify(const tsr_matrix *x)
{
    static const int32_t classes[] = {0, 0, 1, -1}, group[] = {3, 3, -1, 4};
    int32_t of[4];
    const tsr_status status = tsr_make_folds(of, classes, group, 4, 2, 0);
    return status == TSR_OK ? tsr_classify(of, x, classes, x, 2, 1) : status;
}

static void test_memory(void **state)
{
    (void)state;
    double v[] = {0, 1, 2, 3};
    tsr_matrix *x = line(v, 4);
    check_starved(fold_and_classify(x), (void)0);
    tsr_matrix_free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_votes),          cmocka_unit_test(test_ties),
        cmocka_unit_test(test_self),           cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_folds_are_even), cmocka_unit_test(test_groups_stay_together),
        cmocka_unit_test(test_single_sample),  cmocka_unit_test(test_bad_folds),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
