/* SPDX-License-Identifier: BSD-2-Clause
 *
 * raw and pca against plain computations of their own: covariances are made here entry by entry,
 * and the equations that define principal axes are put to the test. */
#include "encoders.h"

/* Covariance of dense doubles, m x m; `mean` gets m. */
static double *covariance(double *mean, const double *x, int64_t n, int64_t m)
{
    double *c = calloc((size_t)(m * m), sizeof *c);
    for (int64_t j = 0; j < m; j++) {
        mean[j] = 0;
        for (int64_t i = 0; i < n; i++)
            mean[j] += x[i * m + j] / (double)n;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t a = 0; a < m; a++)
            for (int64_t b = 0; b < m; b++)
                c[a * m + b] += (x[i * m + a] - mean[a]) * (x[i * m + b] - mean[b]) / (double)n;
    return c;
}

/* Orthonormal, diagonal covariance of falling variance, and nothing more to be had: for axes
 * of the greatest variance, C v = variance v. */
static void check_axes(const double *v, const double *c, int64_t m, int64_t k, double total)
{
    double before = (double)INFINITY;
    for (int64_t a = 0; a < k; a++) {
        const double variance = form_entry(v, c, v, m, a, a, k);
        assert_true(variance <= before * (1 + 1e-9));
        before = variance;
        for (int64_t b = 0; b < k; b++)
            assert_true(fabs(form_entry(v, NULL, v, m, a, b, k) - (a == b)) < 1e-10);
        for (int64_t i = 0; i < m; i++) {
            double row = 0;
            for (int64_t j = 0; j < m; j++)
                row += c[i * m + j] * v[j * k + a];
            assert_true(fabs(row - variance * v[i * k + a]) < 1e-9 * total);
        }
    }
}

static void pca_is_the_covariances(void **state)
{
    static const struct {
        int64_t n, m, k;
        double shift;
    } cases[] = {{40, 9, 9, -0.7},
                 {40, 9, 4, 1e5},
                 {12, 30, 11, 0},
                 {300, 140, 20, -0.7},
                 {140, 300, 20, 1e4}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int64_t n = cases[i].n, m = cases[i].m, k = cases[i].k;
        lab l = lab_make(n, m, 3, -0.8, 31 + i);
        for (int64_t j = 0; j < n * m; j++)
            l.x[j] += cases[i].shift;
        double *mean = calloc((size_t)m, sizeof *mean), *c = covariance(mean, l.x, n, m);
        double spread = 0, scale = 0;
        tsr_data *data = lab_data(&l, false);
        tsr_encoder *e = fit(data, "model=pca rank=%d", (int)k);
        const double total = trace_of(c, m);
        assert_int_equal(e->rank, k);
        assert_int_equal(tsr_encoder_notes(e), 0);
        check_axes(e->factor, c, m, k, total);
        /* no energy is lost where every axis is there */
        for (int64_t a = 0; a < k; a++)
            for (int64_t s = 0; s < n; s++)
                spread += pow(tsr_matrix_at(tsr_encoder_codes(e), s, a), 2) / (double)n;
        if (k == (n - 1 < m ? n - 1 : m))
            assert_true(fabs(spread - total) < 1e-9 * total);
        else
            assert_true(spread < total);
        /* the largest entry of an axis is positive */
        for (int64_t a = 0; a < k; a++) {
            double top = 0, low = 0;
            for (int64_t j = 0; j < m; j++) {
                top = fmax(top, e->factor[j * k + a]);
                low = fmin(low, e->factor[j * k + a]);
            }
            assert_true(top >= -low * (1 - 1e-8));
            scale += top;
        }
        assert_true(scale > 0);
        tsr_encoder_free(e);
        tsr_data_free(data);
        free(c);
        free(mean);
        lab_free(&l);
    }
}

/* Sparse samples with both sides long: subspace iteration against the exact way. */
static void pca_by_subspace(void **state)
{
    (void)state;
    enum { SIDE = 620, K = 6 };
    lab l = lab_make(SIDE + 40, SIDE, 5, 0, 77);
    tsr_data *dense = NULL, *sparse = NULL;
    for (int64_t i = 0; i < l.n * l.m; i++) {
        const int64_t row = i / l.m, column = i % l.m;
        if (column % 7 == row % 7 && column % 50 < 40) /* parts of falling strength */
            l.x[i] *= 2.0 + 6.0 * (double)(row % 7);
        else
            l.x[i] *= (i * 7919) % 97 < 12;
    }
    dense = lab_data(&l, false);
    sparse = lab_data(&l, true);
    tsr_encoder *a = fit(dense, "model=pca rank=%d", K);
    tsr_encoder *b = fit(sparse, "model=pca rank=%d", K);
    assert_true(lab_matrix_apart(tsr_encoder_codes(b), tsr_encoder_codes(a), 1) < 1e-4);
    const tsr__axes_options by_energy = {.energy = 0.9, .threads = 2};
    tsr__axes x = {0}, y = {0};
    check_ok(tsr__principal_axes(&x, dense->x, &by_energy));
    check_ok(tsr__principal_axes(&y, sparse->x, &by_energy));
    assert_true(x.rank > 64); /* the first guess did not do */
    assert_true(llabs(x.rank - y.rank) <= 1);
    assert_true(fabs(x.total - y.total) < 1e-9 * x.total);
    for (int64_t i = 0; i < K; i++)
        assert_true(fabs(x.variance[i] - y.variance[i]) < 1e-6 * x.variance[0]);
    tsr__axes_clear(&x);
    tsr__axes_clear(&y);
    tsr_encoder_free(a);
    tsr_encoder_free(b);
    tsr_data_free(dense);
    tsr_data_free(sparse);
    lab_free(&l);
}

static void energy_takes_the_fewest(void **state)
{
    (void)state;
    lab l = lab_make(50, 12, 3, -0.5, 5);
    tsr_data *data = lab_data(&l, false);
    const tsr__axes_options all = {.threads = 1};
    tsr__axes every = {0}, some = {0};
    check_ok(tsr__principal_axes(&every, data->x, &all));
    assert_int_equal(every.rank, 12);
    for (double energy = 0.05; energy < 1; energy += 0.1) {
        const tsr__axes_options options = {.energy = energy, .threads = 1};
        double sum = 0;
        int64_t fewest = 0;
        while (sum < energy * every.total)
            sum += every.variance[fewest++];
        check_ok(tsr__principal_axes(&some, data->x, &options));
        assert_int_equal(some.rank, fewest);
        tsr__axes_clear(&some);
    }
    tsr__axes_clear(&every);
    tsr_data_free(data);
    lab_free(&l);
}

static void ranks_are_clipped(void **state)
{
    (void)state;
    lab l = lab_make(20, 8, 4, 0, 6);
    for (int64_t i = 0; i < 20; i++) /* seven axes are left */
        l.x[i * 8 + 7] = l.x[i * 8] + l.x[i * 8 + 1];
    tsr_data *data = lab_data(&l, false);
    static const struct {
        const char *line;
        int64_t rank, notes;
    } cases[] = {
        {"model=pca rank=8", 7, 1},     {"model=pca rank=7", 7, 0}, {"model=pca", 4, 0},
        {"model=lda rank=8", 3, 1},     {"model=lda", 3, 0},        {"model=lda rank=2", 2, 0},
        {"model=mfa rank=1000", -1, 1}, {"model=mfa rank=2", 2, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tsr_encoder *e = fit(data, "%s", cases[i].line);
        if (cases[i].rank > 0)
            assert_int_equal(e->rank, cases[i].rank);
        assert_int_equal(tsr_encoder_codes(e)->features, e->rank);
        assert_int_equal(tsr_encoder_notes(e), cases[i].notes);
        if (cases[i].notes > 0)
            assert_non_null(strstr(tsr_encoder_note(e, 0), "exceeds"));
        assert_null(tsr_encoder_note(e, cases[i].notes));
        tsr_encoder_free(e);
    }
    tsr_data_free(data);
    lab_free(&l);
}

static void raw_is_the_samples(void **state)
{
    (void)state;
    lab l = lab_make(15, 6, 3, -0.5, 91);
    for (int sparse = 0; sparse < 2; sparse++) {
        tsr_data *data = lab_data(&l, sparse == 1);
        tsr_encoder *e = fit(data, "model=raw rank=2");
        const tsr_matrix *codes = tsr_encoder_codes(e);
        assert_int_equal(tsr_matrix_is_sparse(codes), sparse == 1);
        assert_int_equal(codes->features, 6);
        for (int64_t i = 0; i < 15 * 6; i++)
            assert_true(tsr_matrix_at(codes, i / 6, i % 6) == l.x[i]);
        tsr_encoder_free(e);
        e = fit(data, "model=raw normalize=l2");
        for (int64_t i = 0; i < 15; i++)
            assert_true(fabs(tsr__row_square(tsr_encoder_codes(e), i) - 1) < 1e-12);
        tsr_encoder_free(e);
        tsr_data_free(data);
    }
    lab_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pca_is_the_covariances),  cmocka_unit_test(pca_by_subspace),
        cmocka_unit_test(energy_takes_the_fewest), cmocka_unit_test(ranks_are_clipped),
        cmocka_unit_test(raw_is_the_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
