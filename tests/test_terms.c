/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Terms of basis vectors against the definition written out, and the classes of vectors. */
#include "check.h"

#include "factor/model.h"

#include <math.h>

enum { K = 4, M = 30 };

static double basis[K * M];

static tsr_matrix *make(bool sparse)
{
    tsr__random random = tsr__random_seed(8, 0);
    tsr_matrix *view = NULL, *x = NULL;
    for (int i = 0; i < K * M; i++) {
        const double v = tsr__random_uniform(&random);
        basis[i] = v < 0.5 ? 0 : (i / M + 1) * v * v; /* vectors of different lengths */
    }
    basis[2 * M + 7] = basis[2 * M + 8]; /* a tie */
    check_ok(tsr_matrix_view_dense(&view, basis, K, M, M, TSR_FLOAT64));
    check_ok(tsr_matrix_copy_as(&x, view, TSR_FLOAT64, sparse));
    tsr_matrix_free(view);
    return x;
}

static double unit(int j, int v)
{
    double square = 0;
    for (int i = 0; i < M; i++)
        square += basis[j * M + i] * basis[j * M + i];
    return basis[j * M + v] / sqrt(square);
}

static bool is_specific(int j, int v, double t)
{
    for (int i = 0; i < K; i++)
        if (i == j ? !(unit(i, v) > t) : !(unit(i, v) < t))
            return false;
    return true;
}

static void as_defined(void **unused)
{
    tsr_term term[M];
    (void)unused;
    for (int sparse = 0; sparse < 2; sparse++) {
        tsr_matrix *x = make(sparse == 1);
        for (int j = 0; j < K; j++)
            for (int step = 0; step < 6; step++) {
                const double t = 0.05 * step;
                int64_t count = -1, expected = 0;
                check_ok(tsr_basis_terms(term, &count, x, j, M, t));
                for (int v = 0; v < M; v++)
                    expected += t > 0 ? is_specific(j, v, t) : unit(j, v) > 0;
                assert_int_equal(count, expected);
                for (int64_t i = 0; i < count; i++) {
                    const int v = (int)term[i].feature;
                    assert_true(fabs(term[i].weight - unit(j, v)) < 1e-14);
                    assert_true(t > 0 ? is_specific(j, v, t) : unit(j, v) > 0);
                    assert_true(i == 0 || term[i - 1].weight > term[i].weight ||
                                term[i - 1].feature < v);
                }
                check_ok(tsr_basis_terms(term, &count, x, j, 3, t));
                assert_int_equal(count, expected < 3 ? expected : 3);
            }
        tsr_matrix_free(x);
    }
    assert_int_equal(tsr__memory_live(), 0);
}

static void an_empty_vector_has_none(void **unused)
{
    double values[2 * 3] = {0, 0, 0, 1, 2, 0};
    tsr_matrix *x = NULL;
    tsr_term term[3];
    int64_t count = -1;
    (void)unused;
    check_ok(tsr_matrix_view_dense(&x, values, 2, 3, 3, TSR_FLOAT64));
    check_ok(tsr_basis_terms(term, &count, x, 0, 3, 0));
    assert_int_equal(count, 0);
    check_ok(tsr_basis_terms(term, &count, x, 1, 3, 0.1));
    assert_int_equal(count, 2);
    assert_int_equal(term[0].feature, 1);
    check_fails(tsr_basis_terms(term, &count, x, 2, 3, 0), TSR_ERROR_ARGUMENT,
                "basis vector 2 is outside 0 .. 1");
    check_fails(tsr_basis_terms(term, &count, x, 0, 3, NAN), TSR_ERROR_ARGUMENT, "threshold");
    tsr_matrix_free(x);
}

/* Three samples a class; vector 0 serves class b, vector 1 class a, vector 2 nobody. */
static void classes_of_vectors(void **unused)
{
    double codes[6 * 3] = {0, 4, 0, 0, 2, 0, 1, 3, 0, 5, 0, 0, 5, 1, 0, 2, 2, 0};
    double vectors[3 * 2] = {1, 0, 0, 1, 1, 1};
    int32_t seen[6] = {0, 0, 0, 1, 1, -1}, of[3];
    const char *const names[] = {"a", "a", "a", "b", "b", "b"};
    double share[3];
    tsr_model model = {.report = {.rank = 3}, .seen = seen};
    (void)unused;
    check_ok(tsr_matrix_view_dense(&model.codes, codes, 6, 3, 3, TSR_FLOAT64));
    check_ok(tsr_matrix_view_dense(&model.basis, vectors, 3, 2, 2, TSR_FLOAT64));
    check_ok(tsr_vector_classes(of, share, &model)); /* no labels */
    assert_int_equal(of[0], -1);
    check_ok(tsr_labels_from_texts(&model.labels, names, 6));
    check_ok(tsr_vector_classes(of, share, &model));
    assert_int_equal(of[0], 1);
    assert_true(fabs(share[0] - 5 / (5 + 1 / 3.0)) < 1e-14); /* b's last sample is not seen */
    assert_int_equal(of[1], 0);
    assert_true(fabs(share[1] - 3 / 3.5) < 1e-14);
    assert_int_equal(of[2], -1);
    model.per_class = 1; /* a block decides, whatever the codes; the third vector is shared */
    check_ok(tsr_vector_classes(of, share, &model));
    assert_int_equal(of[0], 0);
    assert_int_equal(of[1], 1);
    assert_int_equal(of[2], -1);
    assert_null(tsr_model_feature_name(&model, 0));
    check_ok(tsr__names_add(&model.feature_names, "word"));
    assert_string_equal(tsr_model_feature_name(&model, 0), "word");
    assert_null(tsr_model_feature_name(&model, 1));
    tsr__names_clear(&model.feature_names);
    tsr_labels_free(model.labels);
    tsr_matrix_free(model.codes);
    tsr_matrix_free(model.basis);
    assert_int_equal(tsr__memory_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_defined),
        cmocka_unit_test(an_empty_vector_has_none),
        cmocka_unit_test(classes_of_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
