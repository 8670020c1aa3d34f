/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Passes over whole matrices, large enough to be divided: copies, transposes, surveys and sums of
 * squares are what one value after the other gives, and the same bits for any number of threads.
 */
#include "check.h"

#include "matrix/matrix.h"

#include <math.h>

enum { N = 9000, M = 230, KINDS = 4 };

static double squares_of(const tsr_matrix *x, const void *weight, int64_t threads)
{
    double squares = 0;
    check_ok(tsr__matrix_squares(&squares, x, weight, threads));
    return squares;
}

/* Rows of very different length; some features and samples are empty. */
static tsr_matrix *make(tsr_type type, bool sparse)
{
    tsr__random random = tsr__random_seed(11, 0);
    tsr_matrix *dense = NULL, *made = NULL;
    check_ok(tsr_matrix_create(&dense, N, M, TSR_FLOAT64));
    double *v = tsr_matrix_edit(dense);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < M; j++)
            if (i % 100 != 7 && j % 50 != 3 &&
                (i % 17 == 0 || tsr__random_uniform(&random) < 0.6))
                v[i * M + j] = floor(1024 * tsr__random_uniform(&random)) / 64;
    check_ok(tsr_matrix_copy_as(&made, dense, type, sparse));
    tsr_matrix_free(dense);
    return made;
}

static void check_same(const tsr_matrix *a, const tsr_matrix *b)
{
    assert_true(a->samples == b->samples && a->features == b->features && a->type == b->type);
    assert_true(tsr_matrix_stored(a) == tsr_matrix_stored(b));
    assert_memory_equal(a->values, b->values,
                        (size_t)tsr_matrix_stored(a) * tsr__type_size(a->type));
    if (a->sparse) {
        assert_memory_equal(a->rows, b->rows, (size_t)(a->samples + 1) * sizeof *a->rows);
        assert_memory_equal(a->columns, b->columns,
                            (size_t)tsr_matrix_stored(a) * sizeof *a->columns);
    }
}

static void law_transpose(const tsr_matrix *x)
{
    static const int64_t team[] = {1, 2, 3, 7, 16};
    tsr_matrix *first = NULL, *back = NULL;
    check_ok(tsr__matrix_transpose(&first, x, 1));
    assert_true(first->samples == M && first->features == N && first->sparse == x->sparse);
    for (int64_t i = 0; i < N; i += 13)
        for (int64_t j = 0; j < M; j++)
            assert_true(tsr_matrix_at(first, j, i) == tsr_matrix_at(x, i, j));
    for (size_t i = 0; i < sizeof team / sizeof *team; i++) {
        tsr_matrix *t = NULL;
        check_ok(tsr__matrix_transpose(&t, x, team[i]));
        check_same(t, first);
        tsr_matrix_free(t);
    }
    check_ok(tsr__matrix_transpose(&back, first, 3));
    check_same(back, x);
    tsr_matrix_free(first);
    tsr_matrix_free(back);
}

/* A view whose rows do not begin at the first entry. */
static void law_transpose_view(const tsr_matrix *x)
{
    tsr_matrix *view = NULL, *copy = NULL, *a = NULL, *b = NULL;
    check_ok(tsr_matrix_view_samples(&view, x, 501, N - 777));
    check_ok(tsr_matrix_copy_as(&copy, view, x->type, x->sparse));
    check_ok(tsr__matrix_transpose(&a, view, 4));
    check_ok(tsr__matrix_transpose(&b, copy, 1));
    check_same(a, b);
    for (int64_t j = 0; j < M; j++)
        assert_true(tsr_matrix_at(copy, 0, j) == tsr_matrix_at(x, 501, j));
    tsr_matrix_free(a);
    tsr_matrix_free(b);
    tsr_matrix_free(copy);
    tsr_matrix_free(view);
}

static void law_copies(const tsr_matrix *x)
{
    tsr_matrix *other = NULL, *back = NULL;
    const tsr_type type = x->type == TSR_FLOAT64 ? TSR_FLOAT32 : TSR_FLOAT64;
    check_ok(tsr_matrix_copy_as(&other, x, type, !x->sparse));
    check_ok(tsr_matrix_copy_as(&back, other, x->type, x->sparse));
    check_same(back, x); /* the values are floats, too */
    tsr_matrix_free(other);
    tsr_matrix_free(back);
}

static void law_survey(const tsr_matrix *x)
{
    tsr__survey one, more;
    double squares = 0, sum = 0, most = 0;
    int64_t nonzeros = 0;
    for (int64_t i = 0; i < N; i++) {
        double own = 0;
        for (int64_t j = 0; j < M; j++) {
            const double v = tsr_matrix_at(x, i, j);
            own += v * v, sum += v, nonzeros += v != 0;
        }
        squares += own, most = fmax(most, own);
    }
    check_ok(tsr__matrix_survey(&one, x, 1)); /* sums of small multiples of 2^-12 are exact */
    assert_true(one.squares == squares && one.magnitudes == sum && one.most == most);
    assert_true(one.scan.nonzeros == nonzeros && one.scan.empty_samples == N / 100);
    assert_true(one.scan.empty_features == 5 && one.scan.first_empty_feature == 3);
    assert_true(one.scan.minimum == 0 && one.scan.negative == 0 && !one.scan.unit_samples);
    for (int64_t team = 2; team < 20; team += 5) {
        check_ok(tsr__matrix_survey(&more, x, team));
        assert_memory_equal(&one.squares, &more.squares, sizeof one.squares);
        assert_true(one.scan.nonzeros == more.scan.nonzeros && one.most == more.most &&
                    one.scan.empty_features == more.scan.empty_features);
    }
    assert_true(squares_of(x, NULL, 1) == squares);
    assert_true(squares_of(x, NULL, 5) == squares);
}

static void law_weighted_squares(const tsr_matrix *x)
{
    tsr_matrix *w = NULL;
    double expected = 0;
    check_ok(tsr_matrix_create(&w, N, 1, x->type));
    for (int64_t i = 0; i < N; i++) {
        tsr__value_set(w->values, w->type, i, (double)(i % 4));
        expected += (double)(i % 4) * tsr__row_square(x, i);
    }
    assert_true(squares_of(x, w->values, 3) == expected);
    tsr_matrix_free(w);
}

/* The first of what is odd is found wherever the chunks are cut; rows with odd values are counted
 * as they were before there was a quick way for the others. */
static void law_odd(const tsr_matrix *x)
{
    static const int64_t at[] = {8800, 4500, 5};
    tsr_matrix *copy = NULL;
    tsr__survey found;
    check_ok(tsr_matrix_copy_as(&copy, x, x->type, x->sparse));
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        const int64_t place = tsr__row_begin(copy, at[i]);
        tsr__value_set(copy->values, copy->type, place, -2);
        tsr__value_set(copy->values, copy->type, place + 1, (double)NAN);
        tsr__value_set(copy->values, copy->type, place + 2, (double)-INFINITY);
        check_ok(tsr__matrix_survey(&found, copy, 3));
        assert_true(found.scan.not_finite == 2 * (int64_t)(i + 1));
        assert_true(found.scan.infinite == (int64_t)(i + 1));
        assert_true(found.scan.negative == 2 * (int64_t)(i + 1));
        assert_true(found.scan.first_negative[0] == at[i]);
        assert_true(found.scan.first_not_finite[0] == at[i]);
        assert_true(found.scan.first_not_finite[1] == tsr__row_feature(copy, at[i], place + 1));
        assert_true(found.scan.minimum == -2 && isfinite(found.squares));
    }
    check_fails(tsr__scan_check(&found.scan, copy, TSR_NEED_FINITE, "these"), TSR_ERROR_DATA,
                "these: sample 5");
    check_fails(tsr__check_squares(NULL, copy, NULL, 1), TSR_ERROR_DATA, "sample 5,");
    tsr_matrix_free(copy);
}

static void test_laws(void **state)
{
    static void (*const laws[])(const tsr_matrix *x) = {law_transpose, law_transpose_view,
                                                        law_copies,    law_survey,
                                                        law_odd,       law_weighted_squares};
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        tsr_matrix *x = make(kind % 2 ? TSR_FLOAT32 : TSR_FLOAT64, kind / 2);
        for (size_t i = 0; i < sizeof laws / sizeof *laws; i++)
            laws[i](x);
        tsr_matrix_free(x);
    }
}

static void test_starved(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        tsr_matrix *x = make(kind % 2 ? TSR_FLOAT32 : TSR_FLOAT64, kind / 2), *t = NULL;
        tsr__survey found;
        check_starved(tsr__matrix_transpose(&t, x, 2), (tsr_matrix_free(t), t = NULL));
        check_starved(tsr__matrix_survey(&found, x, 2), (void)0);
        tsr_matrix_free(x);
    }
}

/* No samples, no features, no entries. */
static void test_nothing(void **state)
{
    static const int64_t shape[][2] = {{0, 0}, {0, 5}, {5, 0}, {5, 5}};
    (void)state;
    for (int i = 0; i < 4; i++)
        for (int sparse = 0; sparse < 2; sparse++) {
            tsr_matrix *x = NULL, *y = NULL, *t = NULL;
            tsr__survey found;
            check_ok(tsr_matrix_create(&x, shape[i][0], shape[i][1], TSR_FLOAT64));
            check_ok(tsr_matrix_copy_as(&y, x, TSR_FLOAT32, sparse));
            check_ok(tsr__matrix_transpose(&t, y, 3));
            assert_true(t->samples == shape[i][1] && t->features == shape[i][0]);
            check_ok(tsr__matrix_survey(&found, y, 3));
            assert_true(found.squares == 0 && found.scan.nonzeros == 0);
            assert_true(squares_of(y, NULL, 3) == 0);
            tsr_matrix_free(x);
            tsr_matrix_free(y);
            tsr_matrix_free(t);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_laws),
        cmocka_unit_test(test_starved),
        cmocka_unit_test(test_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
