/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Classes and their scores from codes, against the definitions written out; and codes from which
 * none can be told. */
#include "lab.h"

enum { N = 23, M = 9, RANK = 8, CLASSES = 3, OWN = 2 };

/* Class-driven: two vectors for each of three classes, two of none. */
static tsr_model *fit_blocks(const tsr_data *data)
{
    lab_options options;
    lab_options_of(&options, 100, "rank=%d shared=2 model=cdnmf class=5", RANK);
    return lab_fit(data, &options.o);
}

/* One sample of these codes. */
static tsr_matrix *codes_of(const double *value)
{
    tsr_matrix *codes = NULL;
    check_ok(tsr_matrix_create(&codes, 1, RANK, TSR_FLOAT64));
    memcpy(tsr_matrix_edit(codes), value, RANK * sizeof *value);
    return codes;
}

static double apart(const tsr_matrix *a, int64_t i, const tsr_matrix *b, int64_t j)
{
    double sum = 0;
    for (int64_t k = 0; k < RANK; k++)
        sum += pow(tsr_matrix_at(a, i, k) - tsr_matrix_at(b, j, k), 2);
    return sqrt(sum);
}

static void blocks_by_definition(const tsr_model *model, const tsr_matrix *codes)
{
    int32_t of[N], bare[N];
    double score[N];
    check_ok(tsr_model_predict(of, score, model, codes, TSR_PREDICT_BLOCK));
    check_ok(tsr_model_predict(bare, NULL, model, codes, TSR_PREDICT_BLOCK));
    assert_memory_equal(of, bare, sizeof of);
    for (int64_t i = 0; i < N; i++) {
        double sum[CLASSES] = {0}, all = 0;
        int32_t best = 0;
        for (int64_t a = 0; a < CLASSES * OWN; a++)
            sum[a / OWN] += tsr_matrix_at(codes, i, a);
        for (int32_t c = 0; c < CLASSES; c++) {
            best = sum[c] > sum[best] ? c : best;
            all += sum[c];
        }
        assert_int_equal(of[i], best);
        assert_true(fabs(score[i] - sum[best] / all) < 1e-12);
    }
}

static void nearest_by_definition(const tsr_model *model, const tsr_matrix *codes)
{
    int32_t of[N], bare[N];
    double score[N];
    check_ok(tsr_model_predict(of, score, model, codes, TSR_PREDICT_NEAREST));
    check_ok(tsr_model_predict(bare, NULL, model, codes, TSR_PREDICT_NEAREST));
    assert_memory_equal(of, bare, sizeof of);
    for (int64_t i = 0; i < N; i++) {
        double least[CLASSES] = {(double)INFINITY, (double)INFINITY, (double)INFINITY};
        double other = (double)INFINITY;
        int32_t best = 0;
        for (int64_t j = 0; j < N; j++)
            if (model->seen[j] >= 0)
                least[model->seen[j]] =
                    fmin(least[model->seen[j]], apart(codes, i, model->codes, j));
        for (int32_t c = 0; c < CLASSES; c++)
            best = least[c] < least[best] ? c : best;
        for (int32_t c = 0; c < CLASSES; c++)
            other = c == best ? other : fmin(other, least[c]);
        assert_int_equal(of[i], best);
        assert_true(fabs(score[i] - other / (least[best] + other)) < 1e-12);
    }
}

static void test_definitions(void **state)
{
    lab l = lab_make(N, M, CLASSES, 0, 12);
    tsr_data *data = lab_data(&l, false);
    tsr_model *model = fit_blocks(data);
    tsr_matrix *codes = NULL;
    (void)state;
    check_ok(tsr_model_transform(&codes, model, data, NULL));
    blocks_by_definition(model, codes);
    nearest_by_definition(model, codes);
    for (int64_t i = 0; i < N; i++)
        assert_int_equal(tsr_model_seen(model)[i], isnan(l.label[i]) ? -1 : (int)l.label[i]);
    tsr_matrix_free(codes);
    tsr_model_free(model);
    tsr_data_free(data);
    lab_free(&l);
}

/* What the pseudo-inverse may give: the largest sum wins whatever its sign. */
static void test_negative_sums(void **state)
{
    static const struct {
        double code[RANK];
        int32_t of;
        double score;
    } cases[] = {{{-5, -5, -1, -2, -9, -9, 1, 1}, 1, 15.0 / 23},
                 {{-5, -5, 3, -1, -2, 1, 1, 1}, 1, 12.0 / 21},
                 {{-4, 0, -2, -2, -3, -1, 7, 7}, 0, 1.0 / 3},
                 {{0, 0, 0, 0, 0, 0, 0, 0}, 0, 1.0 / 3},
                 {{0, 0, 1, 1, 6, 0, 50, 0}, 2, 0.75}};
    lab l = lab_make(N, M, CLASSES, 0, 12);
    tsr_data *data = lab_data(&l, false);
    tsr_model *model = fit_blocks(data);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tsr_matrix *codes = codes_of(cases[i].code);
        int32_t of = -7;
        double score = -7;
        check_ok(tsr_model_predict(&of, &score, model, codes, TSR_PREDICT_BLOCK));
        assert_int_equal(of, cases[i].of);
        assert_true(fabs(score - cases[i].score) < 1e-12);
        tsr_matrix_free(codes);
    }
    tsr_model_free(model);
    tsr_data_free(data);
    lab_free(&l);
}

/* A class whose labels were all hidden is no answer: its block is anybody's. */
static void test_unseen_class(void **state)
{
    lab l = lab_make(N, M, CLASSES, 0, 12);
    tsr_data *data = lab_data(&l, false);
    tsr_model *model = fit_blocks(data);
    tsr_matrix *codes = codes_of((const double[RANK]){9, 9, 1, 1, 2, 2, 0, 0});
    int32_t of = -7;
    double score = -7;
    (void)state;
    for (int64_t i = 0; i < N; i++)
        model->seen[i] = model->seen[i] == 0 ? -1 : model->seen[i];
    check_ok(tsr_model_predict(&of, &score, model, codes, TSR_PREDICT_BLOCK));
    assert_int_equal(of, 2);
    assert_true(fabs(score - 4.0 / 6) < 1e-12);
    check_ok(tsr_model_predict(&of, &score, model, codes, TSR_PREDICT_NEAREST));
    assert_true(of == 1 || of == 2);
    for (int64_t i = 0; i < N; i++)
        model->seen[i] = model->seen[i] == 1 ? -1 : model->seen[i];
    check_ok(tsr_model_predict(&of, &score, model, codes, TSR_PREDICT_NEAREST));
    assert_int_equal(of, 2);
    assert_true(score == 1); /* there is no other class */
    for (int64_t i = 0; i < N; i++)
        model->seen[i] = -1;
    for (int by = TSR_PREDICT_BLOCK; by <= TSR_PREDICT_NEAREST; by++)
        check_fails(tsr_model_predict(&of, &score, model, codes, (tsr_predict_by)by),
                    TSR_ERROR_ARGUMENT, "saw no labels");
    tsr_matrix_free(codes);
    tsr_model_free(model);
    tsr_data_free(data);
    lab_free(&l);
}

/* Classes at the same place: the first of them, with a score of one half. */
static void test_same_place(void **state)
{
    lab l = lab_make(N, M, CLASSES, 0, 12);
    tsr_data *data = lab_data(&l, false);
    tsr_model *model = fit_blocks(data);
    tsr_matrix *codes = NULL;
    int32_t of[N];
    double score[N];
    (void)state;
    memset(tsr_matrix_edit(model->codes), 0, N * RANK * sizeof(double));
    check_ok(tsr_matrix_create(&codes, N, RANK, TSR_FLOAT32)); /* zeros, of another type */
    model->seen[0] = 2;
    check_ok(tsr_model_predict(of, score, model, codes, TSR_PREDICT_NEAREST));
    for (int64_t i = 0; i < N; i++) {
        assert_int_equal(of[i], 0);
        assert_true(score[i] == 0.5);
    }
    tsr_matrix_free(codes);
    tsr_model_free(model);
    tsr_data_free(data);
    lab_free(&l);
}

/* Codes that tell no class are an error that says where, not a guess. */
static void test_no_number(void **state)
{
    static const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    lab l = lab_make(N, M, CLASSES, 0, 12);
    tsr_data *data = lab_data(&l, false);
    tsr_model *model = fit_blocks(data);
    tsr_matrix *codes = NULL;
    int32_t of[N];
    double score[N];
    (void)state;
    check_ok(tsr_model_transform(&codes, model, data, NULL));
    double *value = tsr_matrix_edit(codes);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (int by = TSR_PREDICT_BLOCK; by <= TSR_PREDICT_NEAREST; by++) {
            value[3 * RANK + 4] = bad[i];
            check_fails(tsr_model_predict(of, score, model, codes, (tsr_predict_by)by),
                        TSR_ERROR_DATA, "sample 3, feature 4");
        }
    value[3 * RANK + 4] = 1e200; /* its square is beyond all numbers */
    check_ok(tsr_model_predict(of, score, model, codes, TSR_PREDICT_BLOCK));
    check_fails(tsr_model_predict(of, score, model, codes, TSR_PREDICT_NEAREST), TSR_ERROR_DATA,
                "sample 3");
    value[3 * RANK + 4] = value[3 * RANK + 5] = 1e308; /* so is their sum */
    check_fails(tsr_model_predict(of, score, model, codes, TSR_PREDICT_BLOCK), TSR_ERROR_DATA,
                "sample 3");
    value[3 * RANK + 4] = value[3 * RANK + 5] = 1;
    int64_t labelled = 0;
    while (model->seen[labelled] < 0)
        labelled++;
    ((double *)tsr_matrix_edit(model->codes))[labelled * RANK] = (double)NAN;
    check_fails(tsr_model_predict(of, score, model, codes, TSR_PREDICT_NEAREST), TSR_ERROR_DATA,
                "the model's codes");
    tsr_matrix_free(codes);
    tsr_model_free(model);
    tsr_data_free(data);
    lab_free(&l);
}

/* Models that cannot say, and archives that lie. */
static void test_no_classes(void **state)
{
    lab l = lab_make(N, M, CLASSES, 0, 12);
    tsr_data *data = lab_data(&l, false);
    lab_options options;
    int32_t of[N];
    (void)state;
    lab_options_of(&options, 5, "rank=3 model=nmf");
    tsr_model *model = lab_fit(data, &options.o);
    check_fails(tsr_model_predict(of, NULL, model, model->codes, TSR_PREDICT_BLOCK),
                TSR_ERROR_ARGUMENT, "no vectors of classes");
    check_ok(tsr_model_predict(of, NULL, model, model->codes, TSR_PREDICT_NEAREST));
    check_fails(tsr_model_predict(of, NULL, model, tsr_data_samples(data), TSR_PREDICT_NEAREST),
                TSR_ERROR_ARGUMENT, "codes of 9 entries");
    model->per_class = 2; /* three classes of two vectors do not fit rank 3 */
    check_fails(tsr_model_predict(of, NULL, model, model->codes, TSR_PREDICT_BLOCK),
                TSR_ERROR_FORMAT, "rank 3");
    model->seen[0] = CLASSES;
    check_fails(tsr_model_predict(of, NULL, model, model->codes, TSR_PREDICT_NEAREST),
                TSR_ERROR_FORMAT, "class 3");
    tsr_model_free(model);
    tsr_data_free(data);
    free(l.label);
    l.label = NULL;
    data = lab_data(&l, false);
    model = lab_fit(data, &options.o);
    check_fails(tsr_model_predict(of, NULL, model, model->codes, TSR_PREDICT_NEAREST),
                TSR_ERROR_ARGUMENT, "without labels");
    tsr_model_free(model);
    tsr_data_free(data);
    lab_free(&l);
}

static void test_starved(void **state)
{
    lab l = lab_make(N, M, CLASSES, 0, 12);
    tsr_data *data = lab_data(&l, false);
    tsr_model *model = fit_blocks(data);
    int32_t of[N];
    double score[N];
    (void)state;
    check_starved(tsr_model_predict(of, score, model, model->codes, TSR_PREDICT_NEAREST), );
    check_starved(tsr_model_predict(of, score, model, model->codes, TSR_PREDICT_BLOCK), );
    tsr_model_free(model);
    tsr_data_free(data);
    lab_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definitions),  cmocka_unit_test(test_negative_sums),
        cmocka_unit_test(test_unseen_class), cmocka_unit_test(test_same_place),
        cmocka_unit_test(test_no_number),    cmocka_unit_test(test_no_classes),
        cmocka_unit_test(test_starved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
