/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Matrices without samples, without features, without either, dense and sparse: whatever is done
 * with them ends in what is right for nothing, or in an error with a message. */
#include "encoders.h"

#include "matrix/neighbours.h"
#include "matrix/pass.h"

static const int64_t shapes[][2] = {{0, 5}, {5, 0}, {0, 0}};
enum { SHAPES = 3, KINDS = 4 * SHAPES }; /* dense and sparse, double and float */

static tsr_matrix *make_empty(int kind)
{
    const int64_t *shape = shapes[kind / 4];
    const tsr_type type = kind % 2 ? TSR_FLOAT32 : TSR_FLOAT64;
    tsr_matrix *x = NULL;
    if (kind / 2 % 2)
        check_ok(tsr_matrix_create_sparse(&x, shape[0], shape[1], 0, NULL, NULL, NULL, type));
    else
        check_ok(tsr_matrix_create(&x, shape[0], shape[1], type));
    return x;
}

static tsr_data *make_empty_data(int kind)
{
    static const double number[] = {1, 2, 1, 2, 1};
    tsr_labels *labels = NULL;
    tsr_data *data = NULL;
    tsr_matrix *x = make_empty(kind);
    check_ok(tsr_labels_from_numbers(&labels, number, x->samples));
    check_ok(tsr_data_take(&data, x, labels));
    return data;
}

static void check_shape(tsr_matrix *x, int64_t samples, int64_t features)
{
    assert_int_equal(tsr_matrix_samples(x), samples);
    assert_int_equal(tsr_matrix_features(x), features);
    tsr_matrix_free(x);
}

static void looks_and_copies(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        tsr_matrix *x = make_empty(kind), *y = NULL;
        const int64_t n = x->samples, m = x->features;
        tsr_scan scan;
        check_ok(tsr_matrix_scan(&scan, x));
        assert_true(isnan(scan.minimum) && scan.nonzeros == 0);
        check_ok(tsr_matrix_check(x, TSR_NEED_FINITE | TSR_NEED_NON_NEGATIVE, NULL));
        for (int norm = TSR_NORM_NONE; norm <= TSR_NORM_MAX; norm++)
            check_ok(tsr_matrix_normalize(x, (tsr_norm)norm));
        check_ok(tsr_matrix_copy_transposed(&y, x));
        check_shape(y, m, n);
        for (int sparse = 0; sparse < 2; sparse++) {
            check_ok(tsr_matrix_copy_as(&y, x, TSR_FLOAT64, sparse == 1));
            check_shape(y, n, m);
        }
        check_ok(tsr_matrix_copy_samples(&y, x, NULL, n));
        check_shape(y, n, m);
        check_ok(tsr_matrix_view_samples(&y, x, 0, n));
        check_shape(y, n, m);
        tsr_matrix_free(x);
    }
}

/* Samples without features are all the same; without samples there is nobody. */
static void distances(void **state)
{
    static const int32_t classes[5] = {0, 1, 0, 1, 0};
    int64_t index[10];
    double square[10], cost = 0;
    int32_t of[5];
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        tsr_matrix *x = make_empty(kind), *graph = NULL;
        const int64_t n = x->samples;
        check_ok(tsr__nearest_samples(index, square, x, x, 2, 2));
        for (int64_t i = 0; i < n; i++)
            assert_true(index[2 * i] == (i == 0) && square[2 * i] == 0);
        check_ok(tsr__nearest_samples(index, square, x, x, 0, 2));
        check_fails(tsr__neighbour_graph(&graph, x, n, TSR_EDGE_COSINE, 0, 1),
                    TSR_ERROR_ARGUMENT, n > 0 ? "the 4 other samples" : "the 0 other samples");
        if (n > 0) {
            check_ok(tsr__neighbour_graph(&graph, x, 0, TSR_EDGE_HEAT, 0, 1));
            assert_int_equal(tsr_matrix_stored(graph), 0);
            check_shape(graph, n, n);
            check_ok(tsr_classify(of, x, classes, x, 5, 1));
            assert_int_equal(of[1], 0);
        } else {
            check_fails(tsr_classify(of, x, classes, x, 1, 1), TSR_ERROR_DATA, "none of the 0");
            check_fails(tsr_make_folds(of, classes, NULL, n, 2, 1), TSR_ERROR_ARGUMENT,
                        "0 samples");
        }
        for (int64_t k = 0; k < 2; k++) {
            const tsr_cluster_options options = {.clusters = k};
            const tsr_status status = tsr_cluster(of, &cost, x, &options);
            assert_int_equal(status, k > 0 && n > 0 ? TSR_OK : TSR_ERROR_ARGUMENT);
        }
        tsr_matrix_free(x);
    }
}

static void axes_and_ranks(void **state)
{
    static const int32_t classes[5] = {0, 1, 0, 1, 0};
    int64_t order[2];
    double score[2];
    (void)state;
    for (int kind = 0; kind < KINDS; kind += 2) { /* of doubles */
        tsr_matrix *x = make_empty(kind), *basis = NULL, *codes = NULL;
        for (int energy = 0; energy < 2; energy++) {
            const tsr__axes_options options = {
                .rank = energy ? 0 : 2, .energy = 0.9 * energy, .threads = 1};
            tsr__axes axes = {0};
            check_ok(tsr__principal_axes(&axes, x, &options));
            assert_int_equal(axes.rank, 0);
            tsr__axes_clear(&axes);
        }
        check_ok(tsr_matrix_create(&basis, 2, x->features, TSR_FLOAT64));
        check_ok(tsr_matrix_create(&codes, x->samples, 2, TSR_FLOAT64));
        check_ok(tsr_rank_basis(order, score, basis, codes, x, classes, TSR_RANK_LRE));
        check_ok(tsr_rank_curve(score, order, 2, basis, codes, x, NULL, TSR_RANK_LRE));
        if (x->samples == 0)
            check_fails(
                tsr_rank_curve(score, order, 2, basis, NULL, x, classes, TSR_RANK_FISHER),
                TSR_ERROR_DATA, "0 samples have a class");
        else
            check_ok(tsr_rank_curve(score, order, 2, basis, NULL, x, classes, TSR_RANK_FISHER));
        tsr_matrix_free(x);
        tsr_matrix_free(basis);
        tsr_matrix_free(codes);
    }
}

/* Models and baselines alike refuse to learn from nothing, whatever the rank. */
static void nothing_is_learnt(void **state)
{
    tsr_model_info info;
    const char *names[64], *title = NULL;
    int64_t count = 0;
    (void)state;
    for (; tsr_models_get(&info, count); count++)
        names[count] = info.name;
    for (int64_t i = 0; tsr_baselines_get(&names[count], &title, i); i++)
        count++;
    for (int kind = 0; kind < KINDS; kind++) {
        tsr_data *data = make_empty_data(kind);
        for (int64_t i = 0; i < count; i++)
            for (int rank = 0; rank < 3; rank += 2) {
                char line[96];
                (void)snprintf(line, sizeof line, "model=%s rank=%d", names[i], rank);
                check_fails(fit_status(data, line), TSR_ERROR_DATA, "is empty");
            }
        tsr_fit_options plain;
        tsr_model *model = NULL;
        tsr_fit_defaults(&plain);
        check_fails(tsr_fit(&model, data, &plain), TSR_ERROR_DATA, "is empty");
        tsr_data_free(data);
    }
}

/* Codes of no samples are none. */
static void no_samples_are_encoded(void **state)
{
    static const char *const names[] = {"nmf", "nmf-kl", "cf",  "cdnmf", "gnmf",
                                        "raw", "pca",    "lda", "mfa",   "propagation"};
    lab l = lab_make(20, 5, 2, 0, 3);
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        tsr_data *full = lab_data(&l, sparse == 1);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            tsr_encoder *e = fit(full, "model=%s rank=2 neighbours=2", names[i]);
            for (int kind = 0; kind < 8; kind++) {
                tsr_data *data = make_empty_data(kind);
                tsr_matrix *codes = NULL;
                if (kind < 4)
                    check_ok(tsr_encoder_encode(&codes, e, data, NULL));
                else
                    check_fails(tsr_encoder_encode(&codes, e, data, NULL), TSR_ERROR_DATA,
                                "0 features");
                if (kind < 4)
                    check_shape(codes, 0, tsr_matrix_features(tsr_encoder_codes(e)));
                tsr_data_free(data);
            }
            tsr_encoder_free(e);
        }
        tsr_data_free(full);
    }
    lab_free(&l);
}

/* What has nothing in it may be written, and is refused when read. */
static void files(void **state)
{
    static const char *const names[] = {"x.npy", "x.npz", "x.mat", "x.h5",
                                        "x.mtx", "x.svm", "x.csv", "x.tsv"};
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            tsr_data *data = make_empty_data(kind), *back = NULL;
            const bool text = i > 5 && kind >= 4; /* a table of labels alone means another */
            if (text)
                check_fails(tsr_data_write(data, path_of(names[i])), TSR_ERROR_DATA,
                            "0 features");
            else
                check_ok(tsr_data_write(data, path_of(names[i])));
            if (tsr_data_read(&back, path_of(names[i]), NULL) == TSR_OK)
                fail_msg("%s of kind %d is read", names[i], kind);
            assert_non_null(strstr(tsr_message(), names[i]));
            (void)unlink(path_of(names[i]));
            tsr_data_free(data);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looks_and_copies),       cmocka_unit_test(distances),
        cmocka_unit_test(axes_and_ranks),         cmocka_unit_test(nothing_is_learnt),
        cmocka_unit_test(no_samples_are_encoded), cmocka_unit_test(files),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
