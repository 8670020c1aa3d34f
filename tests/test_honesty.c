/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The learner never sees hidden labels: hiding them by `labelled` gives, bit for bit, the codes of data
 * in which they are not there at all. */
#include "check.h"

#include "matrix/labels.h"
#include "matrix/matrix.h"

#include <stdio.h>

enum { CLASSES = 3, EACH = 8, N = CLASSES * EACH, SIDE = 8, M = SIDE * SIDE };

static tsr_matrix *make_samples(void)
{
    tsr__random random = tsr__random_seed(3, 0);
    tsr_matrix *x = NULL;
    check_ok(tsr_matrix_create(&x, N, M, TSR_FLOAT64));
    for (int64_t i = 0; i < N * M; i++)
        ((double *)x->values)[i] =
            tsr__random_uniform(&random) + ((i / M) % CLASSES == i % CLASSES);
    check_ok(tsr_matrix_set_image(x, (tsr_image_shape){SIDE, SIDE, TSR_ROW_ORDER}));
    return x;
}

/* Sample i is of class i mod 3; where `seen` is given, all others get `instead` (shifted by one class
 * when it is NULL). */
static tsr_data *make_data(const int32_t *seen, const char *instead)
{
    char name[N][8];
    const char *text[N];
    tsr_labels *labels = NULL;
    tsr_data *data = NULL;
    for (int i = 0; i < N; i++) {
        const bool hidden = seen != NULL && seen[i] < 0;
        (void)snprintf(name[i], sizeof name[i], "c%d", (i + hidden) % CLASSES);
        text[i] = hidden && instead != NULL ? instead : name[i];
    }
    check_ok(tsr_labels_from_texts(&labels, text, N));
    check_ok(tsr_data_take(&data, make_samples(), labels));
    return data;
}

static tsr_fit_options options_for(const char *model)
{
    tsr_fit_options options;
    tsr_fit_defaults(&options);
    options.model = model;
    options.rank = 6;
    options.iterations = 30;
    options.tolerance = 0;
    options.normalize = TSR_NORM_L2;
    options.seed = 5;
    return options;
}

static void check_same_codes(const tsr_encoder *a, const tsr_encoder *b)
{
    const tsr_matrix *p = tsr_encoder_codes(a), *q = tsr_encoder_codes(b);
    assert_int_equal(p->features, q->features);
    for (int64_t i = 0; i < p->samples; i++)
        for (int64_t j = 0; j < p->features; j++)
            assert_true(tsr_matrix_at(p, i, j) == tsr_matrix_at(q, i, j));
}

static void check_method(const char *model)
{
    tsr_fit_options options = options_for(model);
    tsr_data *whole = make_data(NULL, NULL), *without = NULL;
    tsr_encoder *hidden = NULL, *absent = NULL;
    options.labelled = "2";
    check_ok(tsr_encoder_fit(&hidden, whole, &options));
    int known = 0;
    for (int i = 0; i < N; i++)
        known += tsr_encoder_seen(hidden)[i] >= 0;
    assert_int_equal(known, 2 * CLASSES);
    without = make_data(tsr_encoder_seen(hidden), "?");
    options.labelled = NULL;
    check_ok(tsr_encoder_fit(&absent, without, &options));
    check_same_codes(hidden, absent);
    tsr_encoder_free(hidden);
    tsr_encoder_free(absent);
    tsr_data_free(whole);
    tsr_data_free(without);
}

static void hidden_labels_do_not_reach_models(void **state)
{
    tsr_model_info info;
    (void)state;
    for (int64_t i = 0; tsr_models_get(&info, i); i++)
        check_method(info.name);
}

static void hidden_labels_do_not_reach_baselines(void **state)
{
    const char *name = NULL, *title = NULL;
    (void)state;
    for (int64_t i = 0; tsr_baselines_get(&name, &title, i); i++)
        check_method(name);
}

/* The check above can fail: labels that are seen do change the codes of a class-driven model. */
static void seen_labels_do_reach_models(void **state)
{
    (void)state;
    tsr_fit_options options = options_for("cdnmf");
    tsr_data *right = make_data(NULL, NULL), *wrong = NULL;
    tsr_encoder *a = NULL, *b = NULL;
    int32_t none[N];
    bool differ = false;
    for (int i = 0; i < N; i++)
        none[i] = i < 3 ? 0 : -1;
    wrong = make_data(none, NULL); /* all but three are shifted by one class */
    check_ok(tsr_encoder_fit(&a, right, &options));
    check_ok(tsr_encoder_fit(&b, wrong, &options));
    for (int64_t i = 0; i < N; i++)
        differ = differ || tsr_matrix_at(tsr_encoder_codes(a), i, 0) !=
                               tsr_matrix_at(tsr_encoder_codes(b), i, 0);
    assert_true(differ);
    tsr_encoder_free(a);
    tsr_encoder_free(b);
    tsr_data_free(right);
    tsr_data_free(wrong);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hidden_labels_do_not_reach_models),
        cmocka_unit_test(hidden_labels_do_not_reach_baselines),
        cmocka_unit_test(seen_labels_do_reach_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
