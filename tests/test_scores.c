/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Shares of all classes: by the definitions written out, with the class that predictions give, for
 * ties, duplicates and classes that nobody saw, and for more samples than one search takes. */
#include "lab.h"

enum { RANK = 8, CLASSES = 3, OWN = 2 };

static tsr_matrix *matrix_of(const double *value, int64_t rows, int64_t columns)
{
    tsr_matrix *x = NULL;
    check_ok(tsr_matrix_create(&x, rows, columns, TSR_FLOAT64));
    memcpy(tsr_matrix_edit(x), value, (size_t)(rows * columns) * sizeof *value);
    return x;
}

/* A model of these codes, a class each; blocks of two vectors where it is class-driven. */
static tsr_model *model_of(const double *code, const double *label, int64_t samples,
                           int64_t rank, const char *line)
{
    tsr_labels *labels = NULL;
    tsr_model *model = NULL;
    lab_options o;
    double *ones = calloc((size_t)rank * 3, sizeof *ones);
    for (int64_t i = 0; i < rank * 3; i++)
        ones[i] = 1;
    tsr_matrix *basis = matrix_of(ones, rank, 3), *codes = matrix_of(code, samples, rank);
    check_ok(tsr_labels_from_numbers(&labels, label, samples));
    lab_options_of(&o, 1, "%s", line);
    check_ok(tsr_model_from_parts(&model, basis, codes, labels, &o.o));
    tsr_labels_free(labels);
    tsr_matrix_free(basis);
    tsr_matrix_free(codes);
    free(ones);
    return model;
}

/* Class-driven, with twenty random samples of three classes, two of which are unknown. */
static tsr_model *random_model(void)
{
    enum { N = 20 };
    double code[N * RANK], label[N];
    lab_uniform(code, N * RANK, 1);
    for (int i = 0; i < N; i++)
        label[i] = i % 9 == 8 ? (double)NAN : i % CLASSES;
    return model_of(code, label, N, RANK, "model=cdnmf shared=2");
}

static tsr_matrix *scores_of(const tsr_model *model, const tsr_matrix *codes, tsr_predict_by by)
{
    tsr_matrix *shares = NULL;
    check_ok(tsr_model_scores(&shares, model, codes, by));
    assert_int_equal(tsr_matrix_samples(shares), tsr_matrix_samples(codes));
    assert_int_equal(tsr_matrix_features(shares), tsr_labels_classes(tsr_model_labels(model)));
    return shares;
}

/* Shares are 0 .. 1, add up to 1, and the first of the largest is the class that is predicted. */
static tsr_matrix *checked_scores(const tsr_model *model, const tsr_matrix *codes,
                                  tsr_predict_by by)
{
    const int64_t n = tsr_matrix_samples(codes);
    tsr_matrix *shares = scores_of(model, codes, by);
    int32_t *of = calloc((size_t)n, sizeof *of);
    double *score = calloc((size_t)n, sizeof *score);
    check_ok(tsr_model_predict(of, score, model, codes, by));
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        int32_t best = 0;
        for (int32_t c = 0; c < tsr_matrix_features(shares); c++) {
            const double share = tsr_matrix_at(shares, i, c);
            assert_true(share >= 0 && share <= 1);
            sum += share;
            best = share > tsr_matrix_at(shares, i, best) ? c : best;
        }
        assert_true(fabs(sum - 1) < 1e-14);
        assert_int_equal(of[i], best);
        assert_true(by != TSR_PREDICT_BLOCK || score[i] == tsr_matrix_at(shares, i, best));
    }
    free(of);
    free(score);
    return shares;
}

static double apart(const tsr_matrix *a, int64_t i, const tsr_matrix *b, int64_t j)
{
    double sum = 0;
    for (int64_t k = 0; k < a->features; k++)
        sum += pow(tsr_matrix_at(a, i, k) - tsr_matrix_at(b, j, k), 2);
    return sqrt(sum);
}

static double block_of(const tsr_matrix *codes, int64_t i, int32_t c)
{
    double sum = 0;
    for (int j = 0; j < OWN; j++)
        sum += tsr_matrix_at(codes, i, c * OWN + j);
    return sum;
}

/* 1 / d to the nearest code of the class. */
static double nearness(const tsr_model *model, const tsr_matrix *codes, int64_t i, int32_t c)
{
    double least = (double)INFINITY;
    for (int64_t j = 0; j < model->report.samples; j++)
        if (model->seen[j] == c)
            least = fmin(least, apart(codes, i, model->codes, j));
    return 1 / least;
}

static void shares_by_definition(void **state)
{
    enum { ASKED = 40 };
    tsr_model *model = random_model();
    double code[ASKED * RANK];
    (void)state;
    lab_uniform(code, ASKED * RANK, 2);
    tsr_matrix *codes = matrix_of(code, ASKED, RANK), *other = NULL;
    check_ok(tsr_matrix_copy_as(&other, codes, TSR_FLOAT64, true));
    for (int by = TSR_PREDICT_BLOCK; by <= TSR_PREDICT_NEAREST; by++) {
        tsr_matrix *shares = checked_scores(model, codes, (tsr_predict_by)by);
        tsr_matrix *sparse = checked_scores(model, other, (tsr_predict_by)by);
        for (int64_t i = 0; i < ASKED; i++) {
            double value[CLASSES], all = 0;
            for (int32_t c = 0; c < CLASSES; c++) {
                value[c] = by == TSR_PREDICT_BLOCK ? block_of(codes, i, c)
                                                   : nearness(model, codes, i, c);
                all += value[c];
            }
            for (int32_t c = 0; c < CLASSES; c++)
                assert_true(fabs(tsr_matrix_at(shares, i, c) - value[c] / all) < 1e-12);
        }
        assert_true(lab_matrix_apart(shares, sparse, 1) < 1e-12);
        tsr_matrix_free(shares);
        tsr_matrix_free(sparse);
    }
    tsr_matrix_free(codes);
    tsr_matrix_free(other);
    tsr_model_free(model);
}

/* What the pseudo-inverse may give: shares above the least sum. */
static void sums_below_zero(void **state)
{
    static const double code[][RANK] = {{-5, -5, -1, -2, -9, -9, 1, 1},
                                        {-4, 0, -2, -2, -3, -1, 7, 7},
                                        {0, 0, 0, 0, 0, 0, 0, 0},
                                        {0, 0, 1, 1, 6, 0, 50, 0}};
    static const double share[][CLASSES] = {{8.0 / 23, 15.0 / 23, 0},
                                            {1.0 / 3, 1.0 / 3, 1.0 / 3},
                                            {1.0 / 3, 1.0 / 3, 1.0 / 3},
                                            {0, 0.25, 0.75}};
    tsr_model *model = random_model();
    tsr_matrix *codes = matrix_of(code[0], 4, RANK);
    tsr_matrix *shares = checked_scores(model, codes, TSR_PREDICT_BLOCK);
    (void)state;
    for (int64_t i = 0; i < 4; i++)
        for (int32_t c = 0; c < CLASSES; c++)
            assert_true(fabs(tsr_matrix_at(shares, i, c) - share[i][c]) < 1e-15);
    tsr_matrix_free(shares);
    tsr_matrix_free(codes);
    tsr_model_free(model);
}

/* Codes in the plane, of classes 2, 1, 0, 1: where they tie, and one place that two classes have. */
static void ties_and_duplicates(void **state)
{
    static const double code[] = {0, 0, 2, 0, 0, 2, 0, 0}, label[] = {2, 1, 0, 1};
    static const struct {
        double code[2], share[CLASSES];
    } cases[] = {{{0, 0}, {0, 0.5, 0.5}},               /* of 2 and of 1, at once */
                 {{2, 0}, {0, 1, 0}},                   /* on one code alone */
                 {{0, 2}, {1, 0, 0}},                   /* on another */
                 {{1, 1}, {1.0 / 3, 1.0 / 3, 1.0 / 3}}, /* as far from all */
                 {{0, 1}, {1.0 / 3, 1.0 / 3, 1.0 / 3}}, /* halfway */
                 {{0, 0.5}, {0.5 / 3.5, 1.5 / 3.5, 1.5 / 3.5}},
                 {{0, -2}, {0.2, 0.4, 0.4}}};
    tsr_model *model = model_of(code, label, 4, 2, "model=nmf");
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tsr_matrix *codes = matrix_of(cases[i].code, 1, 2);
        tsr_matrix *shares = checked_scores(model, codes, TSR_PREDICT_NEAREST);
        for (int32_t c = 0; c < CLASSES; c++)
            if (!(fabs(tsr_matrix_at(shares, 0, c) - cases[i].share[c]) < 1e-14))
                fail_msg("case %d, class %d: %g", (int)i, c, tsr_matrix_at(shares, 0, c));
        tsr_matrix_free(shares);
        tsr_matrix_free(codes);
    }
    tsr_model_free(model);
}

/* Of two classes the share is the score of the prediction: d' / (d + d'). */
static void two_classes(void **state)
{
    enum { N = 12, ASKED = 50, K = 3 };
    double code[N * K], label[N], asked[ASKED * K], score[ASKED];
    int32_t of[ASKED];
    (void)state;
    lab_uniform(code, N * K, 5);
    lab_uniform(asked, ASKED * K, 6);
    memcpy(asked, code + 3, K * sizeof *code); /* one of the labelled */
    for (int i = 0; i < N; i++)
        label[i] = i % 2;
    tsr_model *model = model_of(code, label, N, K, "model=nmf");
    tsr_matrix *codes = matrix_of(asked, ASKED, K);
    tsr_matrix *shares = checked_scores(model, codes, TSR_PREDICT_NEAREST);
    check_ok(tsr_model_predict(of, score, model, codes, TSR_PREDICT_NEAREST));
    for (int64_t i = 0; i < ASKED; i++) {
        const double d = 1 / nearness(model, codes, i, of[i]),
                     other = 1 / nearness(model, codes, i, 1 - of[i]);
        assert_true(fabs(tsr_matrix_at(shares, i, of[i]) - other / (d + other)) < 1e-12);
        assert_true(fabs(tsr_matrix_at(shares, i, of[i]) - score[i]) < 1e-15);
    }
    assert_true(tsr_matrix_at(shares, 0, 1) == 1);
    tsr_matrix_free(shares);
    tsr_matrix_free(codes);
    tsr_model_free(model);
}

static void unseen_classes_have_none(void **state)
{
    tsr_model *model = random_model();
    (void)state;
    for (int hidden = 0; hidden < CLASSES; hidden++) {
        for (int64_t i = 0; i < model->report.samples; i++)
            model->seen[i] = model->labels->of[i] == hidden ? -1 : model->labels->of[i];
        for (int by = TSR_PREDICT_BLOCK; by <= TSR_PREDICT_NEAREST; by++) {
            tsr_matrix *shares = checked_scores(model, model->codes, (tsr_predict_by)by);
            for (int64_t i = 0; i < model->report.samples; i++)
                assert_true(tsr_matrix_at(shares, i, hidden) == 0);
            tsr_matrix_free(shares);
        }
    }
    tsr_model_free(model);
}

/* Some thousand samples are met at a time, and each as if it were alone. */
static void batches(void **state)
{
    enum { ASKED = 4096 + 300 };
    tsr_model *model = random_model();
    double *code = calloc(ASKED * RANK, sizeof *code);
    int32_t of[ASKED], one = -1;
    double score[ASKED], sure = 0;
    (void)state;
    lab_uniform(code, ASKED * RANK, 7);
    tsr_matrix *codes = matrix_of(code, ASKED, RANK);
    for (int by = TSR_PREDICT_BLOCK; by <= TSR_PREDICT_NEAREST; by++) {
        tsr_matrix *shares = checked_scores(model, codes, (tsr_predict_by)by);
        check_ok(tsr_model_predict(of, score, model, codes, (tsr_predict_by)by));
        for (int64_t i = 0; i < ASKED; i += i < 4000 ? 97 : 1) {
            tsr_matrix *alone = NULL;
            check_ok(tsr_matrix_view_samples(&alone, codes, i, 1));
            tsr_matrix *share = scores_of(model, alone, (tsr_predict_by)by);
            check_ok(tsr_model_predict(&one, &sure, model, alone, (tsr_predict_by)by));
            assert_int_equal(one, of[i]);
            assert_true(fabs(sure - score[i]) < 1e-12);
            for (int32_t c = 0; c < CLASSES; c++)
                assert_true(fabs(tsr_matrix_at(share, 0, c) - tsr_matrix_at(shares, i, c)) <
                            1e-12);
            tsr_matrix_free(share);
            tsr_matrix_free(alone);
        }
        tsr_matrix_free(shares);
    }
    /* and named by its own number */
    tsr_matrix *shares = NULL;
    ((double *)tsr_matrix_edit(codes))[4200 * RANK] = 1e200;
    check_fails(tsr_model_scores(&shares, model, codes, TSR_PREDICT_NEAREST), TSR_ERROR_DATA,
                "sample 4200:");
    ((double *)tsr_matrix_edit(codes))[4200 * RANK] = 1e308;
    ((double *)tsr_matrix_edit(codes))[4200 * RANK + 1] = 1e308;
    check_fails(tsr_model_scores(&shares, model, codes, TSR_PREDICT_BLOCK), TSR_ERROR_DATA,
                "sample 4200:");
    assert_null(shares);
    tsr_matrix_free(codes);
    free(code);
    tsr_model_free(model);
}

static void starved(void **state)
{
    tsr_model *model = random_model();
    tsr_matrix *shares = NULL;
    (void)state;
    for (int by = TSR_PREDICT_BLOCK; by <= TSR_PREDICT_NEAREST; by++)
        check_starved(tsr_model_scores(&shares, model, model->codes, (tsr_predict_by)by),
                      (tsr_matrix_free(shares), shares = NULL));
    tsr_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_by_definition),
        cmocka_unit_test(sums_below_zero),
        cmocka_unit_test(ties_and_duplicates),
        cmocka_unit_test(two_classes),
        cmocka_unit_test(unseen_classes_have_none),
        cmocka_unit_test(batches),
        cmocka_unit_test(starved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
