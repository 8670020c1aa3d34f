/* SPDX-License-Identifier: BSD-2-Clause
 *
 * k-means: against Lloyd written plainly, and the laws it must keep. */
#include "check.h"

#include "matrix/kmeans.h"

#include <math.h>
#include <stdlib.h>

/* n samples around `spots` places, of integers over 8 so that floats hold them exactly; about
 * half of the values are zero. */
static tsr_matrix *make(int64_t n, int64_t m, int64_t spots, tsr_type type, bool sparse)
{
    tsr__random random = tsr__random_seed(11, 0);
    tsr_matrix *dense = NULL, *made = NULL;
    double *spot = calloc((size_t)(spots * m), sizeof *spot);
    check_ok(tsr_matrix_create(&dense, n, m, TSR_FLOAT64));
    double *v = tsr_matrix_edit(dense);
    for (int64_t i = 0; i < spots * m; i++)
        spot[i] =
            tsr__random_uniform(&random) < 0.5 ? 0 : floor(tsr__random_uniform(&random) * 80);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++) {
            const double at = spot[i * 7 % spots * m + j];
            v[i * m + j] = at == 0 ? 0 : at + floor(tsr__random_uniform(&random) * 240) / 8;
        }
    check_ok(tsr_matrix_copy_as(&made, dense, type, sparse));
    tsr_matrix_free(dense);
    free(spot);
    return made;
}

static tsr__kmeans_options options(int64_t clusters, int64_t iterations)
{
    return (tsr__kmeans_options){
        .clusters = clusters, .restarts = 1, .iterations = iterations, .seed = 4, .threads = 1};
}

static double square(const tsr_matrix *x, int64_t i, const double *center)
{
    double sum = 0;
    for (int64_t j = 0; j < x->features; j++) {
        const double d = tsr_matrix_at(x, i, j) - center[j];
        sum += d * d;
    }
    return sum;
}

/* Centers are the means, no cluster is empty, the cost is what it says; where it has settled,
 * nobody has a nearer center. */
static void check_result(const tsr_matrix *x, const int32_t *of, const double *centers,
                         double cost, int64_t k, const int32_t *held, bool settled)
{
    const int64_t m = x->features;
    double *mean = calloc((size_t)(k * m), sizeof *mean), sum = 0;
    int64_t *size = calloc((size_t)k, sizeof *size);
    for (int64_t i = 0; i < x->samples; i++) {
        assert_in_range(of[i], 0, k - 1);
        size[of[i]]++;
        for (int64_t j = 0; j < m; j++)
            mean[of[i] * m + j] += tsr_matrix_at(x, i, j);
    }
    for (int64_t a = 0; a < k; a++) {
        assert_true(size[a] > 0);
        for (int64_t j = 0; j < m; j++)
            assert_true(fabs(mean[a * m + j] / (double)size[a] - centers[a * m + j]) < 1e-9);
    }
    for (int64_t i = 0; i < x->samples; i++) {
        const double own = square(x, i, centers + of[i] * m);
        sum += own;
        for (int64_t a = 0; settled && (held == NULL || held[i] < 0) && a < k; a++)
            assert_true(own <= square(x, i, centers + a * m) + 1e-7);
    }
    assert_true(fabs(sum - cost) <= 1e-9 * sum + 1e-9);
    free(mean);
    free(size);
}

static void test_settles(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        for (int64_t k = 1; k <= 60; k = 3 * k + 1) {
            tsr_matrix *x = make(1500, 13, 9, kind % 2 ? TSR_FLOAT32 : TSR_FLOAT64, kind / 2);
            const tsr__kmeans_options o = options(k, 1000);
            int32_t of[1500];
            double centers[60 * 13], cost = 0;
            check_ok(tsr__kmeans(of, centers, &cost, x, &o));
            check_result(x, of, centers, cost, k, NULL, true);
            tsr_matrix_free(x);
        }
    }
}

/* Floats and sparse storage hold the same numbers, so they give the same clusters. */
static void test_storage_agrees(void **state)
{
    (void)state;
    int32_t of[4][700];
    double cost[4];
    for (int kind = 0; kind < 4; kind++) {
        tsr_matrix *x = make(700, 20, 6, kind % 2 ? TSR_FLOAT32 : TSR_FLOAT64, kind / 2);
        const tsr__kmeans_options o = options(6, 100);
        check_ok(tsr__kmeans(of[kind], NULL, &cost[kind], x, &o));
        assert_memory_equal(of[kind], of[0], sizeof of[0]);
        assert_true(fabs(cost[kind] - cost[0]) < 1e-8 * cost[0]);
        tsr_matrix_free(x);
    }
    assert_true(cost[0] == cost[1]); /* dense samples become doubles before anything else */
}

static void test_cost_never_rises(void **state)
{
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        tsr_matrix *x = make(3000, 8, 40, TSR_FLOAT64, sparse);
        double before = (double)INFINITY;
        int32_t of[3000];
        double centers[25 * 8];
        int falls = 0;
        for (int64_t iterations = 1; iterations < 60; iterations++) {
            const tsr__kmeans_options o = options(25, iterations);
            double cost = 0;
            check_ok(tsr__kmeans(of, centers, &cost, x, &o));
            check_result(x, of, centers, cost, 25, NULL, false);
            assert_true(cost <= before * (1 + 1e-12));
            falls += cost < before;
            before = cost;
        }
        assert_true(falls > 3);
        tsr_matrix_free(x);
    }
}

/* A plain Lloyd from the centers of one iteration ends where ours ends. */
static void test_is_lloyd(void **state)
{
    (void)state;
    enum { SAMPLES = 900, K = 12, M = 5 };
    tsr_matrix *x = make(SAMPLES, M, 15, TSR_FLOAT64, false);
    int32_t of[SAMPLES], plain[SAMPLES];
    double centers[K * M], cost = 0;
    tsr__kmeans_options o = options(K, 1);
    check_ok(tsr__kmeans(plain, centers, &cost, x, &o));
    for (bool changed = true; changed;) {
        int64_t size[K] = {0};
        changed = false;
        for (int i = 0; i < SAMPLES; i++) {
            int32_t to = plain[i];
            for (int32_t a = 0; a < K; a++)
                if (square(x, i, centers + a * M) < square(x, i, centers + to * M))
                    to = a;
            changed = changed || to != plain[i];
            plain[i] = to;
        }
        memset(centers, 0, sizeof centers);
        for (int i = 0; i < SAMPLES; i++) {
            size[plain[i]]++;
            for (int j = 0; j < M; j++)
                centers[plain[i] * M + j] += tsr_matrix_at(x, i, j);
        }
        for (int a = 0; a < K * M; a++)
            centers[a] /= (double)size[a / M];
    }
    o.iterations = 1000;
    check_ok(tsr__kmeans(of, centers, &cost, x, &o));
    assert_memory_equal(of, plain, sizeof of);
    tsr_matrix_free(x);
}

static void test_threads(void **state)
{
    (void)state;
    enum { SAMPLES = 5000, K = 17, M = 9 };
    for (int sparse = 0; sparse < 2; sparse++) {
        tsr_matrix *x = make(SAMPLES, M, 30, TSR_FLOAT64, sparse);
        int32_t of[3][SAMPLES];
        double centers[3][K * M], cost[3];
        for (int threads = 1; threads <= 3; threads++) {
            tsr__kmeans_options o = options(K, 50);
            o.restarts = 3;
            o.threads = threads;
            check_ok(
                tsr__kmeans(of[threads - 1], centers[threads - 1], &cost[threads - 1], x, &o));
            assert_memory_equal(of[threads - 1], of[0], sizeof of[0]);
            assert_memory_equal(centers[threads - 1], centers[0], sizeof centers[0]);
            assert_memory_equal(&cost[threads - 1], &cost[0], sizeof cost[0]);
        }
        tsr_matrix_free(x);
    }
}

static void test_restarts_keep_the_best(void **state)
{
    (void)state;
    tsr_matrix *x = make(400, 6, 20, TSR_FLOAT64, false);
    int32_t of[400], again[400];
    double before = (double)INFINITY, cost = 0;
    for (int64_t restarts = 1; restarts < 12; restarts++) {
        tsr__kmeans_options o = options(10, 100);
        o.restarts = restarts;
        check_ok(tsr__kmeans(of, NULL, &cost, x, &o));
        check_ok(tsr__kmeans(again, NULL, NULL, x, &o));
        assert_memory_equal(of, again, sizeof of);
        assert_true(cost <= before);
        before = cost;
    }
    tsr_matrix_free(x);
}

static void test_held_stay(void **state)
{
    (void)state;
    enum { SAMPLES = 300, K = 7, M = 4 };
    for (int kind = 0; kind < 4; kind++) {
        tsr_matrix *x = make(SAMPLES, M, 6, TSR_FLOAT64, kind / 2);
        int32_t held[SAMPLES], of[SAMPLES];
        double centers[K * M], cost = 0;
        for (int i = 0; i < SAMPLES; i++) /* some clusters, or all, have held samples */
            held[i] = i % 5 == 0 ? (i / 5) % (kind % 2 ? K : K - 3) : -1;
        tsr__kmeans_options o = options(K, 1000);
        o.held = held;
        o.restarts = 4;
        check_ok(tsr__kmeans(of, centers, &cost, x, &o));
        for (int i = 0; i < SAMPLES; i++)
            assert_true(held[i] < 0 || of[i] == held[i]);
        check_result(x, of, centers, cost, K, held, true);
        tsr_matrix_free(x);
    }
}

/* Fewer places than clusters: all clusters get somebody, the same ones every time. */
static void test_empty_clusters(void **state)
{
    (void)state;
    enum { SAMPLES = 40 };
    for (int places = 1; places <= 3; places++) {
        double v[SAMPLES * 2], centers[16], cost = 1;
        int32_t of[SAMPLES], again[SAMPLES];
        tsr_matrix *x = NULL;
        const tsr__kmeans_options o = options(8, 100);
        for (int i = 0; i < SAMPLES; i++)
            v[2 * i] = v[2 * i + 1] = 0.1 + 1e3 * (i % places);
        check_ok(tsr_matrix_view_dense(&x, v, SAMPLES, 2, 2, TSR_FLOAT64));
        check_ok(tsr__kmeans(of, centers, &cost, x, &o));
        check_result(x, of, centers, cost, 8, NULL, true);
        assert_true(cost < 1e-9);
        check_ok(tsr__kmeans(again, NULL, NULL, x, &o));
        assert_memory_equal(of, again, sizeof of);
        tsr_matrix_free(x);
    }
}

static void test_one_each(void **state)
{
    (void)state;
    tsr_matrix *x = make(23, 5, 23, TSR_FLOAT64, false);
    int32_t of[23];
    double cost = 1;
    int seen[23] = {0};
    tsr_cluster_options o = {.clusters = 23, .restarts = 2, .seed = 1};
    check_ok(tsr_cluster(of, &cost, x, &o));
    for (int i = 0; i < 23; i++)
        assert_int_equal(seen[of[i]]++, 0);
    assert_true(cost < 1e-9);
    tsr_matrix_free(x);
}

/* A far-away origin costs accuracy in products, not in the result. */
static void test_far_from_zero(void **state)
{
    (void)state;
    enum { SAMPLES = 600 };
    tsr_matrix *x = make(SAMPLES, 6, 5, TSR_FLOAT64, false), *far = NULL;
    int32_t of[SAMPLES], moved[SAMPLES];
    double cost[2];
    const tsr__kmeans_options o = options(5, 100);
    check_ok(tsr_matrix_copy_as(&far, x, TSR_FLOAT64, false));
    for (int i = 0; i < SAMPLES * 6; i++)
        ((double *)tsr_matrix_edit(far))[i] += 0x1p30;
    check_ok(tsr__kmeans(of, NULL, &cost[0], x, &o));
    check_ok(tsr__kmeans(moved, NULL, &cost[1], far, &o));
    assert_memory_equal(of, moved, sizeof of);
    assert_true(fabs(cost[0] - cost[1]) < 1e-6 * cost[0]);
    tsr_matrix_free(x);
    tsr_matrix_free(far);
}

static void test_unit_codes(void **state)
{
    (void)state;
    enum { SAMPLES = 60 };
    double v[SAMPLES * 2];
    int32_t of[SAMPLES];
    tsr_matrix *x = NULL;
    const tsr_cluster_options o = {.clusters = 2, .restarts = 5, .unit_codes = true};
    for (int i = 0; i < SAMPLES; i++) { /* two directions, lengths over a wide range */
        v[2 * i] = (1 + i) * (i % 2 ? 1 : 0.1);
        v[2 * i + 1] = (1 + i) * (i % 2 ? 0.1 : 1);
    }
    check_ok(tsr_matrix_view_dense(&x, v, SAMPLES, 2, 2, TSR_FLOAT64));
    check_ok(tsr_cluster(of, NULL, x, &o));
    for (int i = 0; i < SAMPLES; i++)
        assert_int_equal(of[i], of[i % 2]);
    assert_int_not_equal(of[0], of[1]);
    assert_true(v[2] > 1.9); /* the caller's values are left alone */
    tsr_matrix_free(x);
}

static void test_refusals(void **state)
{
    (void)state;
    tsr_matrix *x = make(10, 3, 4, TSR_FLOAT64, false);
    int32_t of[10], held[10];
    tsr_cluster_options o = {.clusters = 11, .restarts = 1};
    check_fails(tsr_cluster(of, NULL, x, &o), TSR_ERROR_ARGUMENT, "11 clusters of 10 samples");
    o.clusters = 0;
    check_fails(tsr_cluster(of, NULL, x, &o), TSR_ERROR_ARGUMENT, "0 clusters");
    o.clusters = 3;
    for (int i = 0; i < 10; i++)
        held[i] = i == 7 ? 3 : -1;
    o.held = held;
    check_fails(tsr_cluster(of, NULL, x, &o), TSR_ERROR_ARGUMENT,
                "sample 7 is held in cluster 3");
    for (int i = 0; i < 10; i++)
        held[i] = i == 0 ? -1 : 0;
    check_fails(tsr_cluster(of, NULL, x, &o), TSR_ERROR_ARGUMENT, "exceed the 1 samples");
    o.held = NULL;
    ((double *)tsr_matrix_edit(x))[4] = (double)NAN;
    check_fails(tsr_cluster(of, NULL, x, &o), TSR_ERROR_DATA, "sample 1, feature 1");
    tsr_matrix_free(x);
}

static void test_memory(void **state)
{
    (void)state;
    tsr_matrix *x = make(30, 4, 3, TSR_FLOAT32, true);
    int32_t of[30];
    const tsr_cluster_options o = {.clusters = 3, .restarts = 2, .unit_codes = true};
    check_starved(tsr_cluster(of, NULL, x, &o), (void)0);
    tsr_matrix_free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settles),    cmocka_unit_test(test_storage_agrees),
        cmocka_unit_test(test_is_lloyd),   cmocka_unit_test(test_cost_never_rises),
        cmocka_unit_test(test_threads),    cmocka_unit_test(test_restarts_keep_the_best),
        cmocka_unit_test(test_held_stay),  cmocka_unit_test(test_empty_clusters),
        cmocka_unit_test(test_one_each),   cmocka_unit_test(test_far_from_zero),
        cmocka_unit_test(test_unit_codes), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
