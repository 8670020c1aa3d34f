/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Laws of encoders, walked over the table of baselines: the same map for all samples, the same
 * bits for any threads, hidden labels stay hidden, bad input and failing memory are told. */
#include "lab.h"

#include "learn/encoder.h"

enum { N = 48, H = 4, W = 5, M = H * W, CLASSES = 3 };

static tsr_data *pictures(double lowest, bool sparse, uint64_t seed)
{
    lab l = lab_make(N, M, CLASSES, lowest, seed);
    tsr_data *data = lab_data(&l, sparse);
    check_ok(tsr_matrix_set_image(data->x, (tsr_image_shape){H, W, TSR_ROW_ORDER}));
    lab_free(&l);
    return data;
}

static tsr_encoder *fit(const tsr_data *data, const tsr_fit_options *o)
{
    tsr_encoder *encoder = NULL;
    const tsr_status status = tsr_encoder_fit(&encoder, data, o);
    if (status != TSR_OK)
        fail_msg("%s: %s: %s", o->model, tsr_status_name(status), tsr_message());
    return encoder;
}

/* Calls the law once for every baseline. */
static void walk(void (*law)(const char *name))
{
    const char *name = NULL, *title = NULL;
    int64_t count = 0;
    for (; tsr_baselines_get(&name, &title, count); count++) {
        assert_true(strlen(title) > 0);
        law(name);
    }
    assert_int_equal(count, 6);
    assert_false(tsr_baselines_get(&name, &title, -1));
}

static void same_map_for_all(const char *name)
{
    tsr_data *data = pictures(0, false, 3), *some = NULL;
    lab_options options;
    lab_options_of(&options, 30, "model=%s rank=2 normalize=l2", name);
    tsr_encoder *e = fit(data, &options.o);
    const int64_t chosen[] = {5, 0, 47, 5};
    tsr_matrix *again = NULL, *few = NULL;
    const int64_t k = tsr_encoder_codes(e)->features;
    assert_null(tsr_encoder_model(e));
    assert_int_equal(tsr_encoder_codes(e)->samples, N);
    check_ok(tsr_encoder_encode(&again, e, data, NULL));
    assert_true(lab_same_bits(again, tsr_encoder_codes(e)));
    check_ok(tsr_data_copy_samples(&some, data, chosen, 4));
    for (int64_t j = 0; j < M; j++) /* the norm is the encoder's own affair */
        ((double *)some->x->values)[j] *= 8;
    tsr_data_free(data);
    check_ok(tsr_encoder_encode(&few, e, some, NULL));
    for (int64_t i = 0; i < 4 * k; i++)
        assert_true(fabs(tsr_matrix_at(few, i / k, i % k) -
                         tsr_matrix_at(again, chosen[i / k], i % k)) < 1e-12);
    tsr_matrix_free(again);
    tsr_matrix_free(few);
    tsr_data_free(some);
    tsr_encoder_free(e);
}

static void same_bits_for_any_threads(const char *name)
{
    lab l = lab_make(700, 400, CLASSES, 0, 9);
    for (int sparse = 0; sparse < 2; sparse++) {
        tsr_data *data = lab_data(&l, sparse == 1);
        tsr_matrix *codes[2] = {NULL, NULL};
        check_ok(tsr_matrix_set_image(data->x, (tsr_image_shape){20, 20, TSR_COLUMN_ORDER}));
        for (int i = 0; i < 2; i++) {
            lab_options options;
            lab_options_of(&options, 4, "model=%s rank=40 threads=%d", name, i == 0 ? 1 : 3);
            tsr_encoder *e = fit(data, &options.o);
            check_ok(tsr_matrix_copy_as(&codes[i], tsr_encoder_codes(e), TSR_FLOAT64, false));
            tsr_encoder_free(e);
        }
        assert_true(lab_same_bits(codes[0], codes[1]));
        tsr_matrix_free(codes[0]);
        tsr_matrix_free(codes[1]);
        tsr_data_free(data);
    }
    lab_free(&l);
}

static void storage_is_no_matter(const char *name)
{
    tsr_data *data = pictures(0, false, 4);
    lab_options options;
    lab_options_of(&options, 20, "model=%s rank=2", name);
    tsr_encoder *e = fit(data, &options.o);
    for (int variant = 0; variant < 3; variant++) {
        const tsr_type type = variant == 0 ? TSR_FLOAT64 : TSR_FLOAT32;
        tsr_matrix *x = NULL;
        tsr_labels *labels = NULL;
        tsr_data *other = NULL;
        check_ok(tsr_matrix_copy_as(&x, data->x, type, variant != 1));
        check_ok(tsr__labels_from_names(&labels, data->labels->of, N,
                                        (const char *const *)data->labels->name, CLASSES));
        check_ok(tsr_data_take(&other, x, labels));
        tsr_encoder *f = fit(other, &options.o);
        assert_true(lab_matrix_apart(tsr_encoder_codes(f), tsr_encoder_codes(e), 1) <
                    (variant == 0 ? 1e-9 : 1e-3));
        tsr_encoder_free(f);
        tsr_data_free(other);
    }
    tsr_encoder_free(e);
    tsr_data_free(data);
}

static void hidden_labels_stay_hidden(const char *name)
{
    tsr_data *data = pictures(0, false, 5), *plain = pictures(0, false, 5);
    lab_options options, model;
    lab_options_of(&options, 20, "model=%s rank=2 labelled=3 seed=11", name);
    lab_options_of(&model, 1, "model=nmf rank=2 labelled=3 seed=11");
    tsr_encoder *e = fit(data, &options.o);
    tsr_model *m = lab_fit(data, &model.o);
    /* the same seed shows models and baselines the same labels */
    assert_memory_equal(tsr_encoder_seen(e), m->seen, N * sizeof *m->seen);
    int64_t shown = 0;
    for (int64_t i = 0; i < N; i++) {
        shown += m->seen[i] >= 0;
        if (m->seen[i] >= 0)
            assert_int_equal(m->seen[i], data->labels->of[i]);
    }
    assert_int_equal(shown, 3 * CLASSES);
    /* the learner is given the shown ones alone: nothing changes */
    memcpy(plain->labels->of, m->seen, N * sizeof *m->seen);
    options.o.labelled = NULL;
    tsr_encoder *f = fit(plain, &options.o);
    assert_true(lab_same_bits(tsr_encoder_codes(e), tsr_encoder_codes(f)));
    tsr_encoder_free(e);
    tsr_encoder_free(f);
    tsr_model_free(m);
    tsr_data_free(data);
    tsr_data_free(plain);
}

static void failing_memory(const char *name)
{
    tsr_data *data = pictures(0, false, 6);
    lab_options options;
    lab_options_of(&options, 3, "model=%s rank=900 normalize=l2 threads=1", name);
    if (strcmp(name, "ntf") == 0)
        options.o.rank = 4;
    const int64_t live = tsr__memory_live();
    tsr_status status = TSR_ERROR_MEMORY;
    int64_t nth = 1;
    for (; status != TSR_OK; nth++) {
        tsr_encoder *e = NULL;
        tsr_matrix *codes = NULL;
        tsr__memory_fail_at(nth);
        status = tsr_encoder_fit(&e, data, &options.o);
        if (status == TSR_OK)
            status = tsr_encoder_encode(&codes, e, data, NULL);
        tsr__memory_fail_at(0);
        if (status != TSR_OK) {
            assert_int_equal(status, TSR_ERROR_MEMORY);
            assert_null(codes);
        }
        tsr_matrix_free(codes);
        tsr_encoder_free(e);
        assert_int_equal(tsr__memory_live(), live);
    }
    assert_true(nth > 4);
    tsr_data_free(data);
}

static void bad_input(const char *name)
{
    tsr_data *data = pictures(0, false, 7), *narrow = NULL;
    tsr_encoder *e = NULL;
    tsr_matrix *x = NULL, *codes = NULL;
    lab_options options;
    lab_options_of(&options, 3, "model=%s rank=2", name);
    ((double *)data->x->values)[3] = (double)NAN;
    check_fails(tsr_encoder_fit(&e, data, &options.o), TSR_ERROR_DATA, "is nan");
    options.o.missing = 1;
    check_fails(tsr_encoder_fit(&e, data, &options.o), TSR_ERROR_ARGUMENT, "missing");
    options.o.missing = 0;
    ((double *)data->x->values)[3] = (double)INFINITY;
    check_fails(tsr_encoder_fit(&e, data, &options.o), TSR_ERROR_DATA, "is inf");
    ((double *)data->x->values)[3] = 1;
    options.o.normalize = 17;
    assert_int_equal(tsr_encoder_fit(&e, data, &options.o), TSR_ERROR_ARGUMENT);
    options.o.normalize = 0;
    options.o.labelled = "many";
    check_fails(tsr_encoder_fit(&e, data, &options.o), TSR_ERROR_ARGUMENT, "--labelled");
    options.o.labelled = NULL;
    assert_null(e);
    e = fit(data, &options.o);
    check_ok(tsr_matrix_create(&x, 2, M - 1, TSR_FLOAT64));
    check_ok(tsr_data_take(&narrow, x, NULL));
    check_fails(tsr_encoder_encode(&codes, e, narrow, NULL), TSR_ERROR_DATA, "19 features");
    ((double *)data->x->values)[M * 2] = (double)NAN;
    check_fails(tsr_encoder_encode(&codes, e, data, NULL), TSR_ERROR_DATA, "is nan");
    assert_null(codes);
    tsr_encoder_free(e);
    tsr_data_free(narrow);
    tsr_data_free(data);
}

#define LAW(name)                                                                              \
    static void every_##name(void **state)                                                     \
    {                                                                                          \
        (void)state;                                                                           \
        walk(name);                                                                            \
    }
LAW(same_map_for_all)
LAW(same_bits_for_any_threads)
LAW(storage_is_no_matter)
LAW(hidden_labels_stay_hidden)
LAW(failing_memory)
LAW(bad_input)

static void models_are_wrapped(void **state)
{
    (void)state;
    tsr_data *data = pictures(0, false, 8);
    static const char *const names[] = {"nmf", "cdnmf-kl", "cf"};
    for (size_t i = 0; i < 3; i++) {
        lab_options options;
        lab_options_of(&options, 20, "model=%s rank=3 labelled=2 seed=5", names[i]);
        tsr_encoder *e = fit(data, &options.o);
        tsr_model *model = lab_fit(data, &options.o);
        tsr_matrix *a = NULL, *b = NULL;
        assert_true(lab_same_models(tsr_encoder_model(e), model));
        assert_true(lab_same_bits(tsr_encoder_codes(e), tsr_model_codes(model)));
        assert_memory_equal(tsr_encoder_seen(e), model->seen, N * sizeof *model->seen);
        check_ok(tsr_encoder_encode(&a, e, data, NULL));
        check_ok(tsr_model_transform(&b, model, data, NULL));
        assert_true(lab_same_bits(a, b));
        tsr_matrix_free(a);
        tsr_matrix_free(b);
        tsr_model_free(model);
        tsr_encoder_free(e);
    }
    lab_options high;
    lab_options_of(&high, 5, "model=nmf rank=30");
    tsr_encoder *e = fit(data, &high.o);
    assert_int_equal(tsr_encoder_notes(e), 1);
    assert_non_null(strstr(tsr_encoder_note(e, 0), "rank 30"));
    tsr_encoder_free(e);
    tsr_data_free(data);
}

static void names_are_told(void **state)
{
    (void)state;
    tsr_data *data = pictures(0, false, 9);
    tsr_encoder *e = NULL;
    tsr_fit_options o;
    tsr_fit_defaults(&o);
    o.model = "pcaa";
    check_fails(tsr_encoder_fit(&e, data, &o), TSR_ERROR_ARGUMENT, "did you mean pca?");
    o.model = "cdnmf-k";
    check_fails(tsr_encoder_fit(&e, data, &o), TSR_ERROR_ARGUMENT, "did you mean cdnmf");
    o.model = NULL;
    check_fails(tsr_encoder_fit(&e, data, &o), TSR_ERROR_ARGUMENT, "no model");
    assert_null(e);
    tsr_encoder_free(NULL);
    tsr_data_free(data);
}

static bool stop_at_three(void *user, const tsr_step *step)
{
    (void)user;
    return step->done < 3;
}

static void stopped_work_is_kept(void **state)
{
    (void)state;
    tsr_data *data = pictures(0, false, 10);
    const tsr_progress progress = {stop_at_three, NULL};
    static const char *const names[] = {"ntf", "nmf"};
    for (size_t i = 0; i < 2; i++) {
        tsr_encoder *e = NULL;
        lab_options options;
        lab_options_of(&options, 50, "model=%s rank=3", names[i]);
        options.o.progress = &progress;
        check_fails(tsr_encoder_fit(&e, data, &options.o), TSR_ERROR_INTERRUPTED,
                    "after 3 iterations");
        assert_non_null(e);
        assert_int_equal(tsr_encoder_codes(e)->samples, N);
        tsr_encoder_free(e);
    }
    tsr_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_same_map_for_all),
        cmocka_unit_test(every_same_bits_for_any_threads),
        cmocka_unit_test(every_storage_is_no_matter),
        cmocka_unit_test(every_hidden_labels_stay_hidden),
        cmocka_unit_test(every_failing_memory),
        cmocka_unit_test(every_bad_input),
        cmocka_unit_test(models_are_wrapped),
        cmocka_unit_test(names_are_told),
        cmocka_unit_test(stopped_work_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
