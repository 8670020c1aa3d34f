/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What is done with a fitted model beside encoding: samples as it sees and makes them, a sample's
 * parts, predictions judged, classification on folds and on other data. */
#include "check.h"

#include <math.h>

enum { N = 12, M = 6, K = 4 };

/* Two classes of pictures of 2 x 3, each with its own half of the features. */
static tsr_data *make_data(bool labelled)
{
    tsr_matrix *x = NULL;
    tsr_labels *labels = NULL;
    tsr_data *data = NULL;
    double number[N];
    check_ok(tsr_matrix_create(&x, N, M, TSR_FLOAT64));
    double *value = tsr_matrix_edit(x);
    for (int i = 0; i < N; i++) {
        number[i] = i % 2;
        for (int j = 0; j < M; j++)
            value[i * M + j] = (j < M / 2) == (i % 2 == 0) ? 1 + (i * 3 + j * 5) % 7 : 0.1 * j;
    }
    check_ok(tsr_matrix_set_image(x, (tsr_image_shape){2, 3, TSR_ROW_ORDER}));
    if (labelled)
        check_ok(tsr_labels_from_numbers(&labels, number, N));
    check_ok(tsr_data_take(&data, x, labels));
    return data;
}

static tsr_fit_options settings(const char *model)
{
    tsr_fit_options options;
    tsr_fit_defaults(&options);
    options.model = model;
    options.rank = K;
    options.iterations = 200;
    options.threads = 1;
    return options;
}

static tsr_model *fit(const tsr_data *data, const char *name, int normalize)
{
    tsr_model *model = NULL;
    tsr_fit_options options = settings(name);
    options.normalize = normalize;
    check_ok(tsr_fit(&model, data, &options));
    return model;
}

/* ||X - G F|| / ||X|| of the prepared and the reconstructed samples is what the fit reports. */
static void samples_as_the_model_sees_them(void **state)
{
    static const char *const names[] = {"nmf", "nmf-ncw"};
    tsr_data *data = make_data(true);
    (void)state;
    for (int norm = 0; norm < 2; norm++) {
        tsr_model *model = fit(data, names[0], norm == 0 ? TSR_NORM_NONE : TSR_NORM_L2);
        tsr_matrix *seen = NULL, *made = NULL;
        double error = 0, all = 0;
        check_ok(tsr_model_prepare(&seen, model, data));
        check_ok(tsr_model_reconstruct(&made, model, NULL));
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = 0; j < M; j++) {
                const double x = tsr_matrix_at(seen, i, j);
                error += pow(x - tsr_matrix_at(made, i, j), 2), all += x * x;
            }
        assert_true(fabs(sqrt(error / all) - tsr_model_report(model).relative_error) < 1e-6);
        assert_true(norm == 0 || fabs(all - N) < 1e-9);
        tsr_matrix_free(seen);
        tsr_matrix_free(made);
        tsr_model_free(model);
    }
    tsr_model *model = fit(data, names[1], TSR_NORM_NONE); /* weighted by its cuts, too */
    tsr_matrix *seen = NULL;
    check_ok(tsr_model_prepare(&seen, model, data));
    assert_true(tsr_matrix_at(seen, 0, 0) < tsr_matrix_at(tsr_data_samples(data), 0, 0));
    tsr_matrix_free(seen);
    tsr_model_free(model);
    tsr_data_free(data);
}

/* The sum of all parts is row 3 of the reconstruction; shares sum to one, largest first. */
static void a_sample_is_the_sum_of_its_parts(void **state)
{
    tsr_data *data = make_data(false);
    tsr_model *model = fit(data, "nmf", TSR_NORM_NONE);
    tsr_matrix *made = NULL, *pictures = NULL;
    tsr_explanation *e = NULL, *with = NULL;
    tsr_part part;
    double shares = 0, before = 1, error = 0, all = 0;
    (void)state;
    check_ok(tsr_model_reconstruct(&made, model, NULL));
    check_ok(tsr_explain(&e, model, NULL, 3, NULL));
    assert_true(isnan(tsr_explanation_error(e)));
    for (int64_t i = 0; tsr_explanation_part(&part, e, i); i++) {
        assert_true(part.code == tsr_matrix_at(tsr_model_codes(model), 3, part.vector));
        assert_true(part.share > 0 && part.share <= before);
        shares += part.share, before = part.share;
    }
    assert_true(fabs(shares - 1) < 1e-12);
    check_ok(tsr_explanation_pictures(&pictures, e, 1, false));
    assert_int_equal(tsr_matrix_samples(pictures), 2);
    assert_int_equal(tsr_matrix_image(pictures).width, 3);
    for (int64_t j = 0; j < M; j++)
        assert_true(fabs(tsr_matrix_at(pictures, 0, j) - tsr_matrix_at(made, 3, j)) < 1e-12);
    tsr_matrix_free(pictures);
    check_ok(tsr_explain(&with, model, data, 3, NULL));
    check_ok(tsr_explanation_pictures(&pictures, with, K, true));
    for (int64_t j = 0; j < M; j++) {
        const double x = tsr_matrix_at(pictures, 0, j);
        assert_true(x == tsr_matrix_at(tsr_data_samples(data), 3, j));
        error += pow(x - tsr_matrix_at(pictures, 1, j), 2), all += x * x;
    }
    assert_true(fabs(tsr_explanation_error(with) - sqrt(error / all)) < 1e-12);
    check_fails(tsr_explain(&with, model, data, N, NULL), TSR_ERROR_ARGUMENT,
                "outside 0 .. 11");
    tsr_explanation_free(e);
    tsr_explanation_free(with);
    tsr_matrix_free(made);
    tsr_matrix_free(pictures);
    tsr_model_free(model);
    tsr_data_free(data);
}

/* Labels that the learner saw are not judged, names that it does not know are wrong. */
static void predictions_are_judged(void **state)
{
    tsr_data *data = make_data(true), *plain = make_data(false);
    tsr_model *model = fit(data, "cdnmf", TSR_NORM_NONE);
    const int32_t *truth = tsr_labels_of(tsr_data_labels(data));
    int32_t predicted[N];
    tsr_judgement how;
    (void)state;
    for (int i = 0; i < N; i++)
        predicted[i] = i == 0 ? !truth[i] : truth[i];
    check_ok(tsr_model_judge(&how, model, predicted, data, false));
    assert_int_equal(how.judged, N);
    assert_true(how.accuracy == (N - 1) / (double)N && *how.note == '\0');
    check_ok(tsr_model_judge(&how, model, predicted, data, true));
    assert_true(how.judged == 0 && isnan(how.accuracy));
    assert_non_null(strstr(how.note, "saw all 12 labels"));
    check_ok(tsr_model_judge(&how, model, predicted, plain, false));
    assert_non_null(strstr(how.note, "no sample has a known class"));
    predicted[5] = 2;
    check_fails(tsr_model_judge(&how, model, predicted, data, false), TSR_ERROR_ARGUMENT,
                "class 2 of sample 5 is none of the 2");
    assert_false(tsr_model_trained_on(model, plain));
    tsr_model_free(model);
    tsr_data_free(data);
    tsr_data_free(plain);
}

/* Classes that nobody can miss, on folds and on the same data; what is in no fold only teaches. */
static void classes_are_validated(void **state)
{
    tsr_data *data = make_data(true), *plain = make_data(false);
    const tsr_fit_options options = settings("nmf");
    const tsr_validate_options vote = {.neighbours = 1};
    tsr_validation *v = NULL;
    int32_t fold[N];
    (void)state;
    for (int i = 0; i < N; i++)
        fold[i] = i < 4 ? -1 : i / 2 % 2;
    check_ok(tsr_validate(&v, data, fold, 2, &options, &vote));
    const tsr_validation_report about = tsr_validation_about(v);
    assert_true(about.folds == 2 && about.classes == 2 && about.strangers == 0);
    assert_true(about.accuracy == 1 && about.deviation == 0);
    assert_int_equal(tsr_validation_confusion(v)[0] + tsr_validation_confusion(v)[3], N - 4);
    assert_true(tsr_validation_folds(v)[1] == 1 && tsr_validation_class(v, 1) == 1);
    assert_true(isnan(tsr_validation_class(v, 2)));
    tsr_validation_free(v);
    check_ok(tsr_validate_on(&v, data, data, &options, &vote));
    assert_true(tsr_validation_about(v).accuracy == 1);
    tsr_validation_free(v);
    check_fails(tsr_validate_on(&v, data, plain, &options, &vote), TSR_ERROR_DATA,
                "no labels to compare with");
    check_fails(tsr_validate(&v, plain, fold, 2, &options, &vote), TSR_ERROR_DATA,
                "classification needs two");
    tsr_data_free(data);
    tsr_data_free(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_as_the_model_sees_them),
        cmocka_unit_test(a_sample_is_the_sum_of_its_parts),
        cmocka_unit_test(predictions_are_judged),
        cmocka_unit_test(classes_are_validated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
