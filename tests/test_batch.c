/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Batches that grow, and models that go on with new samples: where they arrive, that neither threads
 * nor the place of the samples change a bit, and what they refuse. */
#include "lab.h"

#include "matrix/store.h"

/* Mixtures of k parts with a little noise, in the order of the largest part: the hard case. */
static tsr_data *mixtures(int64_t n, int64_t m, int64_t k, uint64_t seed, bool sparse)
{
    tsr__random random = tsr__random_seed(3, 1), own = tsr__random_seed(seed, 2);
    double *parts = calloc((size_t)(k * m), sizeof *parts);
    tsr_matrix *x = NULL, *thin = NULL;
    tsr_data *data = NULL;
    for (int64_t i = 0; i < k * m; i++)
        parts[i] = tsr__random_uniform(&random) < 0.3 ? tsr__random_uniform(&random) : 0;
    check_ok(tsr_matrix_create(&x, n, m, TSR_FLOAT64));
    double *to = tsr_matrix_edit(x);
    for (int64_t i = 0; i < n; i++)
        for (int64_t a = 0; a < k; a++) {
            const double by = (a == i * k / n ? 3 : 1) * tsr__random_uniform(&own);
            for (int64_t j = 0; j < m; j++)
                to[i * m + j] += by * parts[a * m + j] +
                                 (parts[a * m + j] > 0 ? 0.01 * tsr__random_uniform(&own) : 0);
        }
    check_ok(tsr_matrix_copy_as(&thin, x, TSR_FLOAT64, sparse));
    tsr_matrix_free(x);
    check_ok(tsr_data_take(&data, thin, NULL));
    free(parts);
    return data;
}

static double objective_of(const tsr_data *data, const char *line)
{
    lab_options options;
    lab_options_of(&options, 400, "%s", line);
    options.o.tolerance = 1e-4;
    tsr_model *model = lab_fit(data, &options.o);
    const double objective = model->report.objective;
    tsr_model_free(model);
    return objective;
}

static void batches_arrive(void **state)
{
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        tsr_data *data = mixtures(3000, 40, 5, 1, sparse == 1);
        static const char *const losses[] = {"frobenius", "kl"};
        for (int loss = 0; loss < 2; loss++) {
            char all[100], grown[120];
            (void)snprintf(all, sizeof all, "rank=5 seed=2 loss=%s plan=stream", losses[loss]);
            (void)snprintf(grown, sizeof grown, "%s batch=300", all);
            const double whole = objective_of(data, all), batch = objective_of(data, grown);
            if (!(batch <= 1.01 * whole))
                fail_msg("%s: %g by batches, %g without", losses[loss], batch, whole);
        }
        tsr_data_free(data);
    }
}

/* Most of what there is to gain is gained before all samples are looked at. */
static void batches_save_passes(void **state)
{
    tsr_data *data = mixtures(20000, 40, 5, 1, false);
    lab_options options;
    (void)state;
    const double best = objective_of(data, "rank=5 seed=2 iterations=500");
    lab_options_of(&options, 1000, "rank=5 seed=2 batch=500");
    options.o.iterations = 6;
    tsr_model *model = lab_fit(data, &options.o);
    assert_true(model->report.objective <= 1.05 * best);
    assert_true(model->state.since >= 2 && model->state.since < 6);
    tsr_model_free(model);
    tsr_data_free(data);
}

static void threads_and_files_do_not_matter(void **state)
{
    static const char *const lines[] = {"model=nmf", "model=nmf-kl",
                                        "model=nmf precision=single normalize=l2",
                                        "model=nmf solver=mu"};
    const tsr_read_options read = {.memory = 1 << 19};
    tsr_data *data = mixtures(1500, 60, 5, 1, false), *far = NULL;
    (void)state;
    check_ok(tsr_data_write(data, model_file));
    check_ok(tsr_data_read(&far, model_file, &read));
    assert_true(tsr__matrix_is_stored(tsr_data_samples(far)));
    far->memory = 0;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        tsr_model *one = NULL;
        for (int at = 0; at < 4; at++) {
            lab_options options;
            lab_options_of(&options, 6, "rank=16 batch=100 threads=%d %s", at == 1 ? 3 : 1,
                           lines[i]);
            tsr_model *model = lab_fit(at < 2 ? data : far, &options.o);
            if (one != NULL && !lab_same_models(one, model))
                fail_msg("'%s': threads or files change it", lines[i]);
            if (one == NULL)
                one = model;
            else
                tsr_model_free(model);
        }
        tsr_model_free(one);
    }
    tsr_data_free(data);
    tsr_data_free(far);
}

/* One fit that was never stopped. */
static void stopped_fits_go_on(void **state)
{
    tsr_data *data = mixtures(3000, 30, 5, 1, false);
    lab_options options;
    tsr_model *whole = NULL, *half = NULL, *rest = NULL;
    (void)state;
    lab_options_of(&options, 20, "rank=5 batch=100");
    whole = lab_fit(data, &options.o);
    lab_options_of(&options, 12, "rank=5 batch=100");
    half = lab_fit(data, &options.o);
    options.o.iterations = 8;
    check_ok(tsr_fit_resume(&rest, data, half, &options.o));
    assert_true(lab_same_models(whole, rest));
    assert_int_equal(rest->state.since, whole->state.since);
    tsr_model_free(whole);
    tsr_model_free(half);
    tsr_model_free(rest);
    tsr_data_free(data);
}

/* J of new samples, with the best codes for the model's basis. */
static double judge(const tsr_model *model, const tsr_data *data, bool kl)
{
    tsr_matrix *codes = NULL, *y = NULL;
    const tsr_matrix *x = tsr_data_samples(data);
    double sum = 0;
    check_ok(tsr_model_transform(&codes, model, data, NULL));
    check_ok(tsr_model_reconstruct(&y, model, codes));
    for (int64_t i = 0; i < tsr_matrix_samples(x); i++)
        for (int64_t j = 0; j < tsr_matrix_features(x); j++) {
            const double a = tsr_matrix_at(x, i, j), b = fmax(tsr_matrix_at(y, i, j), 1e-300);
            sum += kl ? (a > 0 ? a * log(a / b) : 0) - a + b : (a - b) * (a - b);
        }
    tsr_matrix_free(codes);
    tsr_matrix_free(y);
    return sum;
}

/* A model of few samples learns from more, in archives between. */
static void new_samples_teach(void **state)
{
    static const char *const losses[] = {"frobenius", "kl"};
    (void)state;
    for (int loss = 0; loss < 2; loss++) {
        lab_options options;
        tsr_data *few = mixtures(60, 40, 5, 11, false),
                 *test = mixtures(2000, 40, 5, 12, false);
        lab_options_of(&options, 300, "rank=5 loss=%s", losses[loss]);
        tsr_model *model = lab_fit(few, &options.o), *ideal = lab_fit(test, &options.o);
        const double before = judge(model, test, loss == 1),
                     least = judge(ideal, test, loss == 1);
        for (int turn = 0; turn < 4; turn++) {
            tsr_data *more = mixtures(2000, 40, 5, 20 + (uint64_t)turn, turn % 2 == 1);
            tsr_model *next = NULL;
            check_ok(tsr_fit_more(&next, more, model, NULL));
            assert_int_equal(tsr_matrix_samples(tsr_model_codes(next)), 2000);
            tsr_model_free(model);
            model = NULL;
            check_ok(tsr_model_write(next, model_file));
            check_ok(tsr_model_read(&model, model_file));
            assert_non_null(model->memory);
            tsr_model_free(next);
            tsr_data_free(more);
        }
        const double after = judge(model, test, loss == 1);
        if (!(least < after && after <= (loss == 1 ? 0.9 : 0.5) * before))
            fail_msg("%s: %g before, %g after, %g at best", losses[loss], before, after, least);
        tsr_model_free(model);
        tsr_model_free(ideal);
        tsr_data_free(few);
        tsr_data_free(test);
    }
}

/* What was learnt counts: a handful of odd samples does not undo it; with --forget it does. */
static void what_was_learnt_counts(void **state)
{
    tsr_data *many = mixtures(3000, 40, 5, 11, false), *odd = NULL;
    lab l = lab_make(40, 40, 3, 0, 5);
    lab_options options;
    tsr_model *model = NULL, *firm = NULL, *loose = NULL;
    (void)state;
    odd = lab_data(&l, false);
    lab_options_of(&options, 100, "rank=5");
    model = lab_fit(many, &options.o);
    const double before = judge(model, many, false);
    check_ok(tsr_fit_more(&firm, odd, model, &options.o));
    options.o.forget = 0;
    check_ok(tsr_fit_more(&loose, odd, model, &options.o));
    assert_true(judge(firm, many, false) <= 1.5 * before);
    assert_true(judge(loose, many, false) > judge(firm, many, false));
    assert_true(judge(loose, odd, false) < judge(firm, odd, false));
    tsr_model_free(model);
    tsr_model_free(firm);
    tsr_model_free(loose);
    tsr_data_free(many);
    tsr_data_free(odd);
    lab_free(&l);
}

static void refusals(void **state)
{
    static const struct {
        const char *line, *says;
    } kinds[] = {{"model=cf", "made of all samples"},
                 {"model=cdnmf", "terms on the codes"},
                 {"model=gnmf", "terms on the codes"},
                 {"model=nmf loss=is", "sums that belong"},
                 {"model=nmf missing=mask", "missing values"}};
    lab l = lab_make(200, 20, 3, 0, 5);
    for (int64_t i = 0; i < l.n * l.m; i++)
        l.x[i] += 0.1;
    tsr_data *whole = lab_data(&l, false);
    l.x[5] = (double)NAN;
    tsr_data *holes = lab_data(&l, false);
    tsr_model *model = NULL;
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        lab_options options;
        lab_options_of(&options, 3, "rank=3 batch=20 %s", kinds[i].line);
        check_fails(
            tsr_fit(&model, strstr(kinds[i].line, "mask") != NULL ? holes : whole, &options.o),
            TSR_ERROR_ARGUMENT, kinds[i].says);
    }
    static const char *const others[] = {"loss=kl", "normalize=l2", "rank=4"};
    lab_options options;
    lab_options_of(&options, 3, "rank=3");
    tsr_model *plain = lab_fit(whole, &options.o);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) { /* another model's samples */
        lab_options_of(&options, 3, "rank=3 %s", others[i]);
        check_fails(tsr_fit_more(&model, whole, plain, &options.o), TSR_ERROR_ARGUMENT,
                    "cannot become");
    }
    tsr_data *narrow = mixtures(10, 7, 2, 1, false);
    check_fails(tsr_fit_more(&model, narrow, plain, NULL), TSR_ERROR_DATA, "7 features");
    tsr_model_free(plain);
    tsr_data_free(narrow);
    tsr_data_free(whole);
    tsr_data_free(holes);
    lab_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_arrive),
        cmocka_unit_test(batches_save_passes),
        cmocka_unit_test(threads_and_files_do_not_matter),
        cmocka_unit_test(stopped_fits_go_on),
        cmocka_unit_test(new_samples_teach),
        cmocka_unit_test(what_was_learnt_counts),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
