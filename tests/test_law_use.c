/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Laws of using a fitted model: codes of new samples are optimal for the basis under the
 * model's own loss and preprocessing; archives bit for bit; empty samples and features. */
#include "lab.h"

#include "matrix/pass.h"

enum { N = 24, M = 13, K = 6 };

/* The scale-free distance from the optimum: sum g |gradient| over sum g (plus + minus), zeros
 * that want to grow counted at the column's mean. */
typedef struct residual {
    double moving, still;
} residual;

static void add_residual(residual *r, double g, double mean, double plus, double minus)
{
    r->moving += (minus > plus ? fmax(g, mean) : g) * fabs(plus - minus);
    r->still += g * (fabs(plus) + fabs(minus));
}

/* F g_i at every feature, and the halves with respect to g_i, plainly. */
static residual residual_of(const tsr_matrix *x, const tsr_matrix *basis,
                            const tsr_matrix *codes, bool kl)
{
    residual r = {0, 0};
    const int64_t k = tsr_matrix_features(codes);
    for (int64_t i = 0; i < N; i++) {
        double mean = 0;
        for (int64_t a = 0; a < k; a++)
            mean += tsr_matrix_at(codes, i, a) / (double)k;
        for (int64_t a = 0; a < k; a++) {
            double plus = 0, minus = 0;
            for (int64_t j = 0; j < M; j++) {
                const double f = tsr_matrix_at(basis, a, j), v = tsr_matrix_at(x, i, j);
                double y = 0;
                for (int64_t b = 0; b < k; b++)
                    y += tsr_matrix_at(codes, i, b) * tsr_matrix_at(basis, b, j);
                plus += kl ? f : y * f;
                minus += kl ? (v > 0 ? v / y * f : 0) : v * f;
            }
            add_residual(&r, tsr_matrix_at(codes, i, a), mean, plus, minus);
        }
    }
    return r;
}

static double loss_of(const tsr_matrix *x, const tsr_matrix *basis, const tsr_matrix *codes,
                      bool kl)
{
    double sum = 0;
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < M; j++) {
            const double v = tsr_matrix_at(x, i, j);
            double y = 0;
            for (int64_t b = 0; b < tsr_matrix_features(codes); b++)
                y += tsr_matrix_at(codes, i, b) * tsr_matrix_at(basis, b, j);
            sum += kl ? (v > 0 ? v * log(v / y) : 0) - v + y : (v - y) * (v - y);
        }
    return sum;
}

static const tsr_transform_options thorough = {.iterations = 20000, .tolerance = 1e-13};

static void check_optimal(const tsr_data *data, const tsr__model_row *row)
{
    const bool kl = row->loss->degree == 1;
    const tsr_matrix *x = tsr_data_samples(data);
    tsr_matrix *codes = NULL;
    lab_options options;
    lab_options_of(&options, 50, "model=%s rank=%d weighting=none", row->name, (int)K);
    tsr_model *model = lab_fit(data, &options.o);
    check_ok(tsr_model_transform(&codes, model, data, &thorough));
    const residual r = residual_of(x, model->basis, codes, kl);
    if (!(r.moving <= 1e-5 * r.still))
        fail_msg("%s: codes are %.2e from optimal", row->name, r.moving / r.still);
    const double mine = loss_of(x, model->basis, codes, kl);
    const double fitted = loss_of(x, model->basis, model->codes, kl);
    if (!(mine <= fitted * (1 + 1e-9)))
        fail_msg("%s: loss %.12g above the fit's own %.12g", row->name, mine, fitted);
    assert_true(fabs(fitted - model->report.data_loss) <= 1e-9 * fitted);
    tsr_matrix_free(codes);
    tsr_model_free(model);
}

static void transform_is_optimal(void **state)
{
    (void)state;
    for (int variant = 0; variant < 4; variant++) {
        lab l = lab_make(N, M, 3, variant < 2 ? 0 : -0.8, 12);
        tsr_data *data = lab_data(&l, variant % 2 == 1);
        for (const tsr__model_row *row = tsr__models; row->name != NULL; row++)
            if (variant < 2 || row->basis == TSR_BASIS_CONCEPT)
                check_optimal(data, row);
        tsr_data_free(data);
        lab_free(&l);
    }
}

static void move_codes(void *context, const tsr__block *block, int lane)
{
    tsr__solver *s = context;
    s->plan->codes.rule->codes(s, block, &s->work.lane[lane]);
}

/* A fit that may move its codes only, run long enough, ends where transform does. */
static void transform_is_a_fit_of_the_codes(void **state)
{
    static const char *const lines[] = {"nmf",
                                        "nmf-kl",
                                        "cf",
                                        "cf kernel=rbf",
                                        "cf kernel=polynomial",
                                        "nmf-ncw",
                                        "nmf normalize=l2",
                                        "nmf-kl normalize=l1"};
    lab l = lab_make(N, M, 3, 0, 12);
    tsr_data *data = lab_data(&l, false);
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        lab_options options;
        bench b;
        tsr_matrix *codes = NULL;
        lab_options_of(&options, 40, "rank=4 model=%s", lines[i]);
        tsr_model *model = lab_fit(data, &options.o);
        check_ok(tsr_model_transform(&codes, model, data, &thorough));
        bench_open(&b, data, &options.o);
        const tsr_matrix *from =
            b.problem.held.kernel != NULL || b.s.state.weights != NULL ? model->weights : NULL;
        void *theta = b.s.state.weights != NULL ? b.s.state.weights : b.s.state.basis;
        for (int64_t e = 0; e < (from != NULL ? N : M) * b.s.k; e++)
            tsr__real_set(&b.s, theta, e,
                          from != NULL ? tsr_matrix_at(from, e / b.s.k, e % b.s.k)
                                       : tsr_matrix_at(model->basis, e % b.s.k, e / b.s.k));
        tsr__solver_start(&b.s);
        for (int step = 0; step < 8000; step++)
            check_ok(tsr__visit_blocks(&b.s.problem->by_sample, 1, move_codes, &b.s));
        double apart = 0, most = 0;
        for (int64_t e = 0; e < N * b.s.k; e++) {
            const double g = tsr__real_get(&b.s, b.s.state.codes, e);
            most = fmax(most, g);
            apart = fmax(apart, fabs(g - tsr_matrix_at(codes, e / b.s.k, e % b.s.k)));
        }
        if (!(apart <= 1e-4 * most))
            fail_msg("%s: codes %.2e apart", lines[i], apart / most);
        bench_close(&b);
        tsr_matrix_free(codes);
        tsr_model_free(model);
    }
    tsr_data_free(data);
    lab_free(&l);
}

static void other_methods(void **state)
{
    lab l = lab_make(N, M, 3, 0, 12);
    tsr_data *data = lab_data(&l, false);
    lab_options options;
    (void)state;
    lab_options_of(&options, 30, "rank=4 model=nmf");
    tsr_model *model = lab_fit(data, &options.o);
    for (int method = 1; method < 3; method++) {
        const tsr_transform_options how = {.method = method, .iterations = 1};
        tsr_matrix *codes = NULL;
        check_ok(tsr_model_transform(&codes, model, data, &how));
        for (int64_t i = 0; i < N; i++)
            for (int64_t a = 0; a < 4; a++) {
                double product = 0, fitted = 0;
                for (int64_t j = 0; j < M; j++) {
                    const double f = tsr_matrix_at(model->basis, a, j);
                    product += f * l.x[i * M + j];
                    for (int64_t b = 0; b < 4; b++)
                        fitted +=
                            f * tsr_matrix_at(model->basis, b, j) * tsr_matrix_at(codes, i, b);
                }
                /* product: F' x itself; inverse: the normal equations hold */
                const double got = method == 2 ? tsr_matrix_at(codes, i, a) : fitted;
                assert_true(fabs(got - product) <= 1e-8 * (1 + fabs(product)));
            }
        tsr_matrix_free(codes);
    }
    tsr_model_free(model);
    tsr_data_free(data);
    lab_free(&l);
}

/* In single precision a basis whose vectors depend on each other has a singular gram matrix as
 * far as its numbers tell: the ridge must be of their size. */
static void inverse_of_a_dependent_basis(void **state)
{
    lab l = lab_make(N, M, 3, 0, 12);
    tsr_data *data = lab_data(&l, false);
    lab_options options;
    const tsr_transform_options how = {.method = 1, .iterations = 1};
    (void)state;
    lab_options_of(&options, 30, "rank=%d model=nmf precision=single", M);
    tsr_model *model = lab_fit(data, &options.o);
    tsr_matrix *codes = NULL;
    for (int64_t a = 1; a < M; a += 2) /* every other vector twice */
        memcpy((float *)model->basis->values + a * model->basis->stride,
               (float *)model->basis->values + (a - 1) * model->basis->stride,
               (size_t)M * sizeof(float));
    check_ok(tsr_model_transform(&codes, model, data, &how));
    for (int64_t i = 0; i < N * M; i++)
        assert_true(isfinite(tsr_matrix_at(codes, i / M, i % M)));
    tsr_matrix_free(codes);
    tsr_model_free(model);
    tsr_data_free(data);
    lab_free(&l);
}

static void check_same_report(const tsr_fit_report *a, const tsr_fit_report *b)
{
    assert_string_equal(a->model, b->model);
    assert_string_equal(a->loss, b->loss);
    assert_int_equal(a->samples, b->samples);
    assert_int_equal(a->features, b->features);
    assert_int_equal(a->rank, b->rank);
    assert_int_equal(a->iterations, b->iterations);
    assert_int_equal(a->converged, b->converged);
    assert_int_equal(a->seed, b->seed);
    const double one[] = {a->objective,  a->data_loss, a->relative_error,
                          a->optimality, a->seconds,   a->spread};
    const double two[] = {b->objective,  b->data_loss, b->relative_error,
                          b->optimality, b->seconds,   b->spread};
    assert_memory_equal(one, two, sizeof one);
}

static void archive_round_trip(void **state)
{
    static const char *const extra[] = {"", "precision=single", "normalize=l2 seed=7"};
    lab l = lab_make(N, M, 3, 0, 12);
    (void)state;
    for (const tsr__model_row *row = tsr__models; row->name != NULL; row++)
        for (int i = 0; i < 4; i++) {
            tsr_data *data = lab_data(&l, i == 2);
            lab_options options;
            tsr_model *back = NULL;
            tsr_matrix *one = NULL, *two = NULL;
            const bool kernel = row->basis == TSR_BASIS_CONCEPT && i == 3;
            lab_options_of(&options, 12, "rank=6 model=%s restarts=2 %s", row->name,
                           kernel ? "kernel=rbf" : extra[i % 3]);
            tsr_model *model = lab_fit(data, &options.o);
            check_ok(tsr_model_write(model, model_file));
            check_ok(tsr_model_read(&back, model_file));
            assert_true(lab_same_models(model, back));
            assert_memory_equal(model->seconds, back->seconds,
                                (size_t)model->report.iterations * sizeof(double));
            const tsr_fit_report p = tsr_model_report(model), q = tsr_model_report(back);
            check_same_report(&p, &q);
            for (int64_t s = 0; s < model->setting.count; s++)
                assert_string_equal(model->setting.name[s], back->setting.name[s]);
            assert_int_equal(tsr_labels_classes(model->labels),
                             tsr_labels_classes(back->labels));
            assert_memory_equal(model->seen, back->seen, N * sizeof *model->seen);
            assert_int_equal(model->per_class, back->per_class);
            check_ok(tsr_model_transform(&one, model, data, NULL));
            check_ok(tsr_model_transform(&two, back, data, NULL));
            if (!lab_same_bits(one, two))
                fail_msg("%s %s: codes by the archive differ", row->name, extra[i % 3]);
            tsr_matrix_free(one);
            tsr_matrix_free(two);
            tsr_model_free(model);
            tsr_model_free(back);
            tsr_data_free(data);
        }
    lab_free(&l);
}

/* Preprocessing is the model's: raw samples to a model that scales them, scaled ones to a model
 * that does not. */
static void preprocessing_is_repeated(void **state)
{
    lab l = lab_make(N, M, 3, 0, 12);
    tsr_data *raw = lab_data(&l, false), *scaled = lab_data(&l, false);
    lab_options one, two;
    tsr_matrix *a = NULL, *b = NULL;
    (void)state;
    check_ok(tsr_matrix_normalize(tsr_data_samples(scaled), TSR_NORM_L2));
    lab_options_of(&one, 20, "rank=4 model=gnmf normalize=l2");
    lab_options_of(&two, 20, "rank=4 model=gnmf");
    tsr_model *p = lab_fit(raw, &one.o), *q = lab_fit(scaled, &two.o);
    assert_true(lab_same_models(p, q));
    check_ok(tsr_model_transform(&a, p, raw, NULL));
    check_ok(tsr_model_transform(&b, q, scaled, NULL));
    assert_true(lab_same_bits(a, b));
    tsr_matrix_free(a);
    tsr_matrix_free(b);
    tsr_model_free(p);
    tsr_model_free(q);
    tsr_data_free(raw);
    tsr_data_free(scaled);
    lab_free(&l);
}

/* Masks and weights belong to the training samples: other samples are encoded without. */
static void masks_stay_behind(void **state)
{
    lab l = lab_make(N, M, 3, 0, 12), few = lab_make(5, M, 3, 0, 13);
    tsr_data *data = lab_data(&l, false), *other = lab_data(&few, false);
    tsr_matrix *weights = NULL, *codes = NULL;
    char text[2 * N * M + 1], *to = text;
    lab_options options;
    (void)state;
    for (int64_t i = 0; i < N * M; i++) {
        *to++ = i % 17 == 4 ? '1' : '0';
        *to++ = i % M == M - 1 ? '\n' : ',';
    }
    *to = '\0';
    lab_write_text(text);
    check_ok(tsr_matrix_create(&weights, N, 1, TSR_FLOAT64));
    for (int64_t i = 0; i < N; i++)
        ((double *)tsr_matrix_edit(weights))[i] = 2;
    lab_options_of(&options, 10, "rank=4 model=nmf mask=%s", side_file);
    options.o.sample_weights = weights;
    tsr_model *model = lab_fit(data, &options.o);
    assert_int_equal(unlink(side_file), 0);
    check_ok(tsr_model_transform(&codes, model, other, NULL));
    assert_int_equal(tsr_matrix_samples(codes), 5);
    tsr_matrix_free(codes);
    tsr_matrix_free(weights);
    tsr_model_free(model);
    tsr_data_free(data);
    tsr_data_free(other);
    lab_free(&l);
    lab_free(&few);
}

static void all_finite(const tsr_matrix *x, const char *name, const char *what)
{
    for (int64_t i = 0; x != NULL && i < tsr_matrix_samples(x); i++)
        for (int64_t j = 0; j < tsr_matrix_features(x); j++)
            if (!isfinite(tsr_matrix_at(x, i, j)))
                fail_msg("%s: %s[%d, %d] is %g", name, what, (int)i, (int)j,
                         tsr_matrix_at(x, i, j));
}

/* Nothing at all: every number is still one. */
static void empty_data(void **state)
{
    static const char *const kernels[] = {"linear", "rbf", "polynomial", "cosine"};
    lab l = lab_make(N, M, 3, 0, 12);
    (void)state;
    memset(l.x, 0, N * M * sizeof *l.x);
    for (int sparse = 0; sparse < 2; sparse++)
        for (const tsr__model_row *row = tsr__models; row->name != NULL; row++)
            for (int kernel = 0; kernel < (row->basis == TSR_BASIS_CONCEPT ? 4 : 1); kernel++)
                for (int mu = 0; mu < 2; mu++) {
                    tsr_data *data = lab_data(&l, sparse == 1);
                    lab_options options;
                    lab_options_of(&options, 10, "rank=6 model=%s solver=%s kernel=%s",
                                   row->name, mu == 1 ? "mu" : "auto", kernels[kernel]);
                    tsr_model *model = lab_fit(data, &options.o);
                    const tsr_fit_report r = tsr_model_report(model);
                    all_finite(model->basis, row->name, "basis");
                    all_finite(model->codes, row->name, "codes");
                    assert_true(isfinite(r.objective) && isfinite(r.data_loss));
                    assert_true(isfinite(r.relative_error) && isfinite(r.optimality));
                    tsr_model_free(model);
                    tsr_data_free(data);
                }
    lab_free(&l);
}

/* Sample 5 (no label) and feature 3 are empty: no NaN, and a code of zeros unless neighbours or
 * classmates lend one. */
static void empty_samples_and_features(void **state)
{
    enum { EMPTY = 5 };
    static const char *const solvers[] = {"auto", "cd", "mu"};
    lab l = lab_make(N, M, 3, 0, 12);
    (void)state;
    assert_true(isnan(l.label[EMPTY]));
    for (int64_t i = 0; i < N; i++)
        l.x[i * M + 3] = 0;
    for (int64_t j = 0; j < M; j++)
        l.x[EMPTY * M + j] = 0;
    for (int variant = 0; variant < 6; variant++)
        for (const tsr__model_row *row = tsr__models; row->name != NULL; row++) {
            tsr_data *data = lab_data(&l, variant >= 3);
            lab_options options;
            tsr_matrix *codes = NULL;
            lab_options_of(&options, 60, "rank=6 model=%s solver=%s", row->name,
                           solvers[variant % 3]);
            tsr_model *model = lab_fit(data, &options.o);
            check_ok(tsr_model_transform(&codes, model, data, NULL));
            all_finite(model->basis, row->name, "basis");
            all_finite(model->codes, row->name, "codes");
            all_finite(model->weights, row->name, "weights");
            all_finite(codes, row->name, "transformed codes");
            for (int64_t a = 0; a < 6; a++) {
                assert_true(row->weights[0].of[TSR_WEIGHT_GRAPH] > 0 ||
                            tsr_matrix_at(model->codes, EMPTY, a) == 0);
                assert_true(tsr_matrix_at(codes, EMPTY, a) == 0);
                assert_true(row->weights[0].of[TSR_WEIGHT_DECORRELATE] > 0 ||
                            tsr_matrix_at(model->basis, a, 3) == 0);
            }
            tsr_matrix_free(codes);
            tsr_model_free(model);
            tsr_data_free(data);
        }
    lab_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transform_is_optimal),
        cmocka_unit_test(transform_is_a_fit_of_the_codes),
        cmocka_unit_test(other_methods),
        cmocka_unit_test(inverse_of_a_dependent_basis),
        cmocka_unit_test(archive_round_trip),
        cmocka_unit_test(preprocessing_is_repeated),
        cmocka_unit_test(masks_stay_behind),
        cmocka_unit_test(empty_data),
        cmocka_unit_test(empty_samples_and_features),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
