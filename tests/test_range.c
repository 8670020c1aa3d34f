/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Values whose squares are beyond the largest number, or vanish: distances, clusters, axes and
 * scores made of them are refused with a sentence, and unit norms cure them. */
#include "encoders.h"

#include "matrix/kmeans.h"
#include "matrix/neighbours.h"

#include <float.h>

/* Two classes that differ in which feature is large, times `scale`. */
enum { N = 24, M = 4 };
static int32_t classes[N];

static tsr_matrix *two_classes(double scale, bool sparse)
{
    tsr__random random = tsr__random_seed(4, 4);
    tsr_matrix *dense = NULL, *x = NULL;
    check_ok(tsr_matrix_create(&dense, N, M, TSR_FLOAT64));
    for (int i = 0; i < N * M; i++) {
        classes[i / M] = i / M % 2;
        ((double *)dense->values)[i] =
            scale * (tsr__random_uniform(&random) + (i % 2 == i / M % 2 ? 2 : 0));
    }
    check_ok(tsr_matrix_copy_as(&x, dense, TSR_FLOAT64, sparse));
    tsr_matrix_free(dense);
    return x;
}

static tsr_data *two_classes_data(double scale, bool sparse)
{
    tsr_labels *labels = NULL;
    tsr_data *data = NULL;
    double number[N];
    tsr_matrix *x = two_classes(scale, sparse);
    for (int i = 0; i < N; i++)
        number[i] = classes[i];
    check_ok(tsr_labels_from_numbers(&labels, number, N));
    check_ok(tsr_matrix_set_image(x, (tsr_image_shape){2, 2, TSR_ROW_ORDER}));
    check_ok(tsr_data_take(&data, x, labels));
    return data;
}

/* Beyond the range above and below; and within, where everything is as with ones. */
static const double beyond[] = {1e200, 1e307, 1e-200, 1e-306};
static const double within[] = {1, 1e60, 1e140, 1e-60, 1e-130};
enum { BEYOND = 4, WITHIN = 5 };

static const char *words_of(double scale)
{
    return scale > 1 ? "beyond the largest number" : "vanish";
}

static void norms_hold_for_any_size(void **state)
{
    (void)state;
    for (int norm = TSR_NORM_L2; norm <= TSR_NORM_MAX; norm++)
        for (int sparse = 0; sparse < 2; sparse++) {
            tsr_matrix *plain = two_classes(1, sparse == 1);
            check_ok(tsr_matrix_normalize(plain, (tsr_norm)norm));
            for (int i = 0; i < BEYOND; i++) {
                tsr_matrix *x = two_classes(beyond[i], sparse == 1);
                check_ok(tsr_matrix_normalize(x, (tsr_norm)norm));
                assert_true(lab_matrix_apart(x, plain, 1e-3) <= 1e-12);
                tsr_matrix_free(x);
            }
            tsr_matrix_free(plain);
        }
    static const double least[] = {5e-324, 0, 5e-324}, most[] = {DBL_MAX, -DBL_MAX, DBL_MAX};
    tsr_matrix *x = NULL;
    check_ok(tsr_matrix_copy_columns(&x, least, 1, 3, 1, TSR_FLOAT64));
    double *v = tsr_matrix_edit(x);
    check_ok(tsr_matrix_normalize(x, TSR_NORM_L1));
    assert_true(v[0] == 0.5 && v[1] == 0 && v[2] == 0.5);
    memcpy(v, most, sizeof most);
    check_ok(tsr_matrix_normalize(x, TSR_NORM_L2));
    assert_true(fabs(v[0] - sqrt(1.0 / 3)) < 1e-15 && v[1] == -v[0]);
    tsr_matrix_free(x);
}

static void distances_are_refused_or_right(void **state)
{
    int64_t index[N];
    int32_t of[N];
    double square[N];
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        for (int i = 0; i < BEYOND; i++) {
            tsr_matrix *x = two_classes(beyond[i], sparse == 1), *graph = NULL;
            check_fails(tsr__nearest_samples(index, square, x, x, 1, 1), TSR_ERROR_DATA,
                        words_of(beyond[i]));
            check_fails(tsr_classify(of, x, classes, x, 1, 1), TSR_ERROR_DATA,
                        "--normalize l2");
            check_fails(tsr__neighbour_graph(&graph, x, 2, TSR_EDGE_BINARY, 0, 1),
                        TSR_ERROR_DATA, words_of(beyond[i]));
            check_ok(tsr_matrix_normalize(x, TSR_NORM_L2));
            check_ok(tsr_classify(of, x, classes, x, 3, 1));
            assert_memory_equal(of, classes, sizeof of);
            tsr_matrix_free(x);
        }
        for (int i = 0; i < WITHIN; i++) {
            tsr_matrix *x = two_classes(within[i], sparse == 1);
            check_ok(tsr_classify(of, x, classes, x, 3, 1));
            assert_memory_equal(of, classes, sizeof of);
            tsr_matrix_free(x);
        }
    }
}

/* One sample beyond the others is named, among those asked and those that answer. */
static void the_sample_is_named(void **state)
{
    int64_t index[N];
    double square[N];
    tsr_matrix *x = two_classes(1, false), *y = two_classes(1, false);
    (void)state;
    ((double *)x->values)[7 * M + 2] = -1e170;
    check_fails(tsr__nearest_samples(index, square, x, y, 1, 1), TSR_ERROR_DATA, "sample 7,");
    check_fails(tsr__nearest_samples(index, square, y, x, 1, 1), TSR_ERROR_DATA, "1e+170");
    ((double *)x->values)[7 * M + 2] = (double)NAN;
    check_fails(tsr__nearest_samples(index, square, y, x, 1, 1), TSR_ERROR_DATA, "sample 7,");
    tsr_matrix_free(x);
    tsr_matrix_free(y);
}

static void clusters_are_refused_or_right(void **state)
{
    int32_t of[N];
    double cost = 0;
    tsr_scores scores;
    const tsr_cluster_options plain = {.clusters = 2},
                              unit = {.clusters = 2, .unit_codes = true};
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        for (int i = 0; i < BEYOND; i++) {
            tsr_matrix *x = two_classes(beyond[i], sparse == 1);
            check_fails(tsr_cluster(of, &cost, x, &plain), TSR_ERROR_DATA, words_of(beyond[i]));
            check_ok(tsr_cluster(of, &cost, x, &unit));
            check_ok(tsr_score_clusters(&scores, of, classes, N));
            assert_true(scores.accuracy == 1 && isfinite(cost));
            tsr_matrix_free(x);
        }
        for (int i = 0; i < WITHIN; i++) {
            tsr_matrix *x = two_classes(within[i], sparse == 1);
            check_ok(tsr_cluster(of, &cost, x, &plain));
            check_ok(tsr_score_clusters(&scores, of, classes, N));
            assert_true(scores.accuracy == 1 && isfinite(cost));
            tsr_matrix_free(x);
        }
    }
}

/* Weights of edges are cosines whatever the samples' size. */
static void cosines_do_not_depend_on_size(void **state)
{
    tsr_matrix *x = two_classes(1, false), *plain = NULL, *graph = NULL;
    (void)state;
    check_ok(tsr__neighbour_graph(&plain, x, 3, TSR_EDGE_COSINE, 0, 1));
    tsr_matrix_free(x);
    for (int i = 0; i < WITHIN; i++) {
        x = two_classes(within[i], false);
        check_ok(tsr__neighbour_graph(&graph, x, 3, TSR_EDGE_COSINE, 0, 1));
        assert_true(lab_matrix_apart(graph, plain, 1) <= 1e-14);
        tsr_matrix_free(graph);
        tsr_matrix_free(x);
    }
    tsr_matrix_free(plain);
}

static void baselines_are_refused_or_right(void **state)
{
    static const char *const names[] = {"pca", "lda", "mfa", "ntf", "propagation"};
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++)
        for (int b = 0; b < 5; b++) {
            char line[64];
            (void)snprintf(line, sizeof line, "model=%s rank=%d neighbours=3", names[b],
                           b == 3 ? 2 : 1);
            for (int i = 0; i < BEYOND; i++) {
                tsr_data *data = two_classes_data(beyond[i], sparse == 1);
                check_fails(fit_status(data, line), TSR_ERROR_DATA, words_of(beyond[i]));
                tsr_data_free(data);
            }
            for (int i = 0; i < WITHIN; i++) {
                tsr_data *data = two_classes_data(within[i], sparse == 1);
                tsr_encoder *e = fit(data, "%s", line);
                int32_t of[N];
                check_ok(tsr_classify(of, tsr_encoder_codes(e), classes, tsr_encoder_codes(e),
                                      3, 1));
                assert_memory_equal(of, classes, sizeof of);
                tsr_encoder_free(e);
                tsr_data_free(data);
            }
        }
}

/* Scores, and accuracies of the vectors ranked: of no sample is there a nearest one. */
static void rankings_are_refused_or_right(void **state)
{
    int64_t order[2] = {0, 1};
    double score[2], curve[2];
    (void)state;
    for (int i = 0; i < BEYOND + WITHIN; i++) {
        const double scale = i < BEYOND ? beyond[i] : within[i - BEYOND];
        tsr_matrix *x = two_classes(scale, false), *basis = NULL, *codes = NULL;
        check_ok(tsr_matrix_create(&basis, 2, M, TSR_FLOAT64));
        check_ok(tsr_matrix_create(&codes, N, 2, TSR_FLOAT64));
        for (int j = 0; j < M; j++)
            ((double *)basis->values)[j % 2 * M + j] = 0.5;
        for (int s = 0; s < N; s++)
            ((double *)codes->values)[2 * s + s % 2] = 4 * scale;
        for (int by = 0; i < BEYOND && by < 2; by++)
            check_fails(tsr_rank_basis(order, score, basis, codes, x, classes, (tsr_rank_by)by),
                        TSR_ERROR_DATA, words_of(scale));
        if (i < BEYOND) {
            check_fails(
                tsr_rank_curve(curve, order, 2, basis, NULL, x, classes, TSR_RANK_FISHER),
                TSR_ERROR_DATA, words_of(scale));
            check_fails(tsr_rank_curve(curve, order, 2, basis, codes, x, NULL, TSR_RANK_LRE),
                        TSR_ERROR_DATA, words_of(scale));
        } else {
            check_ok(tsr_rank_basis(order, score, basis, codes, x, classes, TSR_RANK_LRE));
            check_ok(tsr_rank_curve(curve, order, 2, basis, codes, x, NULL, TSR_RANK_LRE));
            assert_true(curve[1] < curve[0] && curve[0] < 1);
            check_ok(tsr_rank_curve(curve, order, 2, basis, NULL, x, classes, TSR_RANK_FISHER));
            assert_true(curve[1] == 1);
        }
        tsr_matrix_free(x);
        tsr_matrix_free(basis);
        tsr_matrix_free(codes);
    }
}

/* Nor when it is the basis that is large. */
static void large_bases_are_refused(void **state)
{
    int64_t order[1] = {0};
    double score[1], curve[1];
    tsr_matrix *x = two_classes(1, false), *basis = NULL, *codes = NULL;
    (void)state;
    check_ok(tsr_matrix_create(&basis, 1, M, TSR_FLOAT64));
    check_ok(tsr_matrix_create(&codes, N, 1, TSR_FLOAT64));
    for (int j = 0; j < M; j++)
        ((double *)basis->values)[j] = 1e200;
    for (int s = 0; s < N; s++)
        ((double *)codes->values)[s] = 1;
    check_fails(tsr_rank_basis(order, score, basis, codes, x, classes, TSR_RANK_FISHER),
                TSR_ERROR_DATA, "beyond the largest number");
    check_fails(tsr_rank_basis(order, score, basis, codes, x, classes, TSR_RANK_LRE),
                TSR_ERROR_DATA, "vector 0");
    check_fails(tsr_rank_curve(curve, order, 1, basis, NULL, x, classes, TSR_RANK_FISHER),
                TSR_ERROR_DATA, "projections");
    check_fails(tsr_rank_curve(curve, order, 1, basis, codes, x, NULL, TSR_RANK_LRE),
                TSR_ERROR_DATA, "vector 0");
    tsr_matrix_free(x);
    tsr_matrix_free(basis);
    tsr_matrix_free(codes);
}

/* Fits of such data are refused or finite, and unit norms cure them in single precision too. */
static void fits_are_refused_or_right(void **state)
{
    static const char *const names[] = {"nmf", "nmf-kl", "gnmf", "cdnmf", "cf", "cnmf"};
    (void)state;
    for (int i = 0; i < 6 * BEYOND * 2; i++) {
        const double scale = beyond[i / 2 % BEYOND];
        tsr_data *data = two_classes_data(scale, i % 2 == 1);
        for (int steps = 0; steps < 4; steps += 3) {
            tsr_model *model = NULL;
            lab_options o;
            lab_options_of(&o, steps, "rank=2 model=%s", names[i / 2 / BEYOND]);
            const tsr_status status = tsr_fit(&model, data, &o.o);
            if (status == TSR_OK)
                assert_true(isfinite(model->report.objective) && model->report.objective > 0);
            tsr_model_free(model);
            lab_options_of(&o, steps, "rank=2 model=%s normalize=l2 precision=single",
                           names[i / 2 / BEYOND]);
            model = lab_fit(data, &o.o);
            assert_true(isfinite(model->report.objective) && model->report.objective > 0);
            tsr_model_free(model);
        }
        tsr_data_free(data);
    }
    static const double narrow[] = {1e-30, 1e-22, 1e25, 1e60};
    for (int i = 0; i < 4; i++) { /* doubles, but beyond floats */
        tsr_data *data = two_classes_data(narrow[i], false);
        tsr_model *model = NULL;
        lab_options o;
        lab_options_of(&o, 3, "rank=2 precision=single");
        check_fails(tsr_fit(&model, data, &o.o), TSR_ERROR_DATA, "single precision");
        tsr_data_free(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(norms_hold_for_any_size),
        cmocka_unit_test(distances_are_refused_or_right),
        cmocka_unit_test(the_sample_is_named),
        cmocka_unit_test(clusters_are_refused_or_right),
        cmocka_unit_test(cosines_do_not_depend_on_size),
        cmocka_unit_test(baselines_are_refused_or_right),
        cmocka_unit_test(rankings_are_refused_or_right),
        cmocka_unit_test(large_bases_are_refused),
        cmocka_unit_test(fits_are_refused_or_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
