/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Itakura-Saito loss: where another program gets from the same start, what it cannot be of, codes
 * of new samples. That its gradient is one and that J never rises is among the laws. */
#include "lab.h"

enum { N = 12, M = 9, K = 3 };

static lab problem(void)
{
    lab l = lab_make(N, M, 3, 0, 5);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < M; j++)
            l.x[i * M + j] =
                0.2 + (double)((i * 7 + j * 3) % 11) / 4 + (double)((i * j) % 5) / 3;
    return l;
}

static void write_start(void)
{
    double basis[M * K], codes[N * K];
    for (int64_t a = 0; a < K; a++)
        for (int64_t j = 0; j < M; j++)
            basis[j * K + a] = 0.4 + (double)((a * 3 + j * 4) % 5) / 4;
    for (int64_t i = 0; i < N; i++)
        for (int64_t a = 0; a < K; a++)
            codes[i * K + a] = 0.5 + (double)((i * 5 + a * 2) % 7) / 5;
    lab_write_start(basis, M, codes, N, codes, N, K);
}

/* scikit-learn 1.2.1: NMF(3, init="custom", solver="mu", beta_loss="itakura-saito",
 * max_iter=20000, tol=0) from this start, by its own _beta_divergence. */
static void where_scikit_learn_gets(void **state)
{
    const double theirs = 5.060022854704206;
    lab l = problem();
    tsr_data *data = lab_data(&l, false);
    lab_options o;
    (void)state;
    write_start();
    lab_options_of(&o, 20000, "loss=is rank=3 tolerance=0 solver=mu");
    o.o.init = start_file;
    tsr_model *mu = lab_fit(data, &o.o);
    assert_true(fabs(mu->report.objective - theirs) <= 1e-9 * theirs);
    lab_options_of(&o, 20000, "loss=is rank=3 tolerance=0");
    o.o.init = start_file;
    tsr_model *ours = lab_fit(data, &o.o);
    assert_true(ours->report.objective <= theirs * (1 + 1e-9));
    tsr_model_free(mu);
    tsr_model_free(ours);
    tsr_data_free(data);
    lab_free(&l);
}

/* Zeros are refused, missing values are not zeros. */
static void zeros(void **state)
{
    lab l = problem();
    lab_options o;
    tsr_model *model = NULL;
    (void)state;
    tsr_data *sparse = lab_data(&l, true);
    lab_options_of(&o, 5, "loss=is rank=3");
    check_fails(tsr_fit(&model, sparse, &o.o), TSR_ERROR_DATA, "infinite at zeros");
    l.x[17] = 0;
    tsr_data *dense = lab_data(&l, false);
    check_fails(tsr_fit(&model, dense, &o.o), TSR_ERROR_DATA, "infinite at zeros");
    l.x[17] = (double)NAN;
    tsr_data *gaps = lab_data(&l, false);
    lab_options_of(&o, 50, "loss=is rank=3 missing=mask");
    model = lab_fit(gaps, &o.o);
    assert_true(model->report.objective > 0 && isfinite(model->report.objective));
    tsr_model_free(model);
    tsr_data_free(sparse);
    tsr_data_free(dense);
    tsr_data_free(gaps);
    lab_free(&l);
}

/* Data of another size have codes of that size and the same J. */
static void size_is_no_matter(void **state)
{
    lab l = problem();
    tsr_data *small = lab_data(&l, false);
    lab_options o;
    (void)state;
    for (int64_t i = 0; i < N * M; i++)
        l.x[i] *= 1024;
    tsr_data *large = lab_data(&l, false);
    lab_options_of(&o, 40, "loss=is rank=3 seed=4");
    tsr_model *a = lab_fit(small, &o.o), *b = lab_fit(large, &o.o);
    assert_true(fabs(a->report.objective - b->report.objective) <= 1e-9 * a->report.objective);
    for (int64_t i = 0; i < N; i++)
        for (int64_t k = 0; k < K; k++)
            assert_true(
                fabs(1024 * tsr_matrix_at(a->codes, i, k) - tsr_matrix_at(b->codes, i, k)) <=
                1e-6 * (1 + tsr_matrix_at(b->codes, i, k)));
    tsr_model_free(a);
    tsr_model_free(b);
    tsr_data_free(small);
    tsr_data_free(large);
    lab_free(&l);
}

/* A new sample's code is a stationary point: what pulls an entry up is what pulls it down. */
static void codes_of_new_samples(void **state)
{
    lab l = problem();
    tsr_data *data = lab_data(&l, false);
    tsr_matrix *codes = NULL;
    lab_options o;
    (void)state;
    lab_options_of(&o, 100, "loss=is rank=3");
    tsr_model *model = lab_fit(data, &o.o);
    tsr_transform_options thorough;
    tsr_settings_default(tsr_transform_settings(), &thorough);
    thorough.progress = NULL;
    thorough.iterations = 100000;
    check_ok(tsr_model_transform(&codes, model, data, &thorough));
    for (int64_t i = 0; i < N; i++)
        for (int64_t k = 0; k < K; k++) {
            double up = 0, down = 0;
            for (int64_t j = 0; j < M; j++) {
                double y = 0;
                for (int64_t a = 0; a < K; a++)
                    y += tsr_matrix_at(codes, i, a) * tsr_matrix_at(model->basis, a, j);
                up += tsr_matrix_at(model->basis, k, j) * l.x[i * M + j] / (y * y);
                down += tsr_matrix_at(model->basis, k, j) / y;
            }
            assert_true(tsr_matrix_at(codes, i, k) * fabs(up - down) <= 1e-6);
        }
    tsr_matrix_free(codes);
    tsr_model_free(model);
    tsr_data_free(data);
    lab_free(&l);
}

/* Spectra span many powers of ten: small entries count as much as large ones, and nothing may hold
 * them up. Rows of weight 0 are nobody's. */
static void wide_ranges(void **state)
{
    (void)state;
    lab l = lab_make(40, 60, 3, 0, 5);
    tsr__random random = tsr__random_seed(3, 3);
    double f[60 * K], g[40 * K], one[40];
    for (int64_t i = 0; i < 60 * K; i++)
        f[i] = pow(10, 12 * tsr__random_uniform(&random) - 6);
    for (int64_t i = 0; i < 40 * K; i++)
        g[i] = pow(10, 12 * tsr__random_uniform(&random) - 6);
    for (int64_t i = 0; i < 40; i++) {
        one[i] = i % 4 == 0 ? 0 : 1;
        for (int64_t j = 0; j < 60; j++) {
            double y = 0;
            for (int64_t a = 0; a < K; a++)
                y += g[i * K + a] * f[j * K + a];
            l.x[i * 60 + j] = y * (0.5 + tsr__random_uniform(&random));
        }
    }
    tsr_data *data = lab_data(&l, false);
    lab_options o;
    lab_options_of(&o, 400, "loss=is rank=3 tolerance=0");
    for (int weighted = 0; weighted < 2; weighted++) {
        tsr_matrix *weights = NULL;
        check_ok(tsr_matrix_view_dense(&weights, one, 40, 1, 1, TSR_FLOAT64));
        o.o.sample_weights = weighted == 1 ? weights : NULL;
        tsr_model *model = lab_fit(data, &o.o);
        for (int64_t i = 1; i < model->report.iterations; i++)
            if (!(model->objective[i] <= model->objective[i - 1] * (1 + 1e-9)))
                fail_msg("J rises at %d: %g, %g", (int)i, model->objective[i - 1],
                         model->objective[i]);
        lab_options mu;
        lab_options_of(&mu, 400, "loss=is rank=3 tolerance=0 solver=mu");
        mu.o.sample_weights = o.o.sample_weights;
        tsr_model *papers = lab_fit(data, &mu.o);
        assert_true(model->report.objective <= 1.01 * papers->report.objective);
        tsr_model_free(papers);
        tsr_model_free(model);
        tsr_matrix_free(weights);
    }
    tsr_data_free(data);
    lab_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_scikit_learn_gets),
        cmocka_unit_test(zeros),
        cmocka_unit_test(size_is_no_matter),
        cmocka_unit_test(codes_of_new_samples),
        cmocka_unit_test(wide_ranges),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
