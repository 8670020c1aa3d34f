/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Scores of clusterings: recorded values, laws, and the best map against all maps. */
#include "check.h"

#include "base/random.h"

#include <math.h>

enum { N = 60 };

static void make(int32_t *cluster, int32_t *truth)
{
    for (int32_t i = 0; i < N; i++) {
        truth[i] = (i * 7 + i / 5) % 4;
        cluster[i] = (truth[i] + (i % 3 == 0 ? i % 5 : 0)) % 5;
    }
}

static void near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-12))
        fail_msg("%.17g is not %.17g", a, b);
}

/* Recorded once from scikit-learn 1.2.1 and SciPy 1.10:
 *     i = arange(60); t = (7 i + i // 5) % 4; c = (t + (i % 3 == 0) (i % 5)) % 5
 *     m = contingency_matrix(c, t); r, k = linear_sum_assignment(-m); m[r, k].sum() / 60
 *     normalized_mutual_info_score(t, c, average_method="max"), (t, c),
 *     adjusted_rand_score(t, c), m.max(1).sum() / 60 */
static void test_recorded(void **state)
{
    (void)state;
    int32_t cluster[N], truth[N];
    tsr_scores s;
    make(cluster, truth);
    check_ok(tsr_score_clusters(&s, cluster, truth, N));
    near(s.accuracy, 0.73333333333333328);
    near(s.nmi, 0.63129960476438884);
    near(s.nmi_arithmetic, 0.67382827594321149);
    near(s.ari, 0.58598200280690171);
    near(s.purity, 0.8);
}

static void test_names_do_not_matter(void **state)
{
    (void)state;
    static const int32_t other[] = {1000000000, 3, 77, 2147483647, 0};
    int32_t cluster[N], truth[N];
    tsr_scores a, b;
    make(cluster, truth);
    check_ok(tsr_score_clusters(&a, cluster, truth, N));
    for (int i = 0; i < N; i++) {
        cluster[i] = other[cluster[i]];
        truth[i] = other[4 - truth[i]];
    }
    check_ok(tsr_score_clusters(&b, cluster, truth, N));
    near(a.accuracy, b.accuracy);
    near(a.nmi, b.nmi);
    near(a.nmi_arithmetic, b.nmi_arithmetic);
    near(a.ari, b.ari);
    near(a.purity, b.purity);
}

static void test_ends_of_the_scale(void **state)
{
    (void)state;
    int32_t cluster[N], truth[N], one[N] = {0};
    tsr_scores s;
    make(cluster, truth);
    check_ok(tsr_score_clusters(&s, truth, truth, N));
    near(s.accuracy, 1);
    near(s.nmi, 1);
    near(s.nmi_arithmetic, 1);
    near(s.ari, 1);
    near(s.purity, 1);
    check_ok(tsr_score_clusters(&s, one, truth, N));
    near(s.accuracy, 24.0 / N); /* the largest class */
    near(s.purity, 24.0 / N);
    near(s.nmi, 0);
    near(s.ari, 0);
    check_ok(tsr_score_clusters(&s, one, one, N));
    near(s.nmi, 1);
    near(s.ari, 1);
    check_ok(tsr_score_clusters(&s, one, one, 1));
    near(s.accuracy, 1);
}

/* Samples of unknown class count for nothing, wherever their cluster is. */
static void test_unknown_left_out(void **state)
{
    (void)state;
    int32_t cluster[2 * N], truth[2 * N];
    tsr_scores a, b;
    make(cluster, truth);
    check_ok(tsr_score_clusters(&a, cluster, truth, N));
    for (int i = 0; i < N; i++) {
        cluster[N + i] = i % 9 - 1;
        truth[N + i] = -1;
    }
    check_ok(tsr_score_clusters(&b, cluster, truth, 2 * N));
    assert_memory_equal(&a, &b, sizeof a);
    assert_int_equal(tsr_score_clusters(&b, cluster, truth + N, N), TSR_ERROR_DATA);
    cluster[3] = -1;
    assert_int_equal(tsr_score_clusters(&b, cluster, truth, N), TSR_ERROR_ARGUMENT);
    assert_non_null(strstr(tsr_message(), "sample 3"));
}

/* The most that any map of `from` clusters onwards gets right. */
static int64_t best(const int64_t *cell, int c, int from, unsigned used)
{
    int64_t most = 0;
    for (int j = 0; from < c && j < c; j++) {
        if (used >> j & 1)
            continue;
        const int64_t here = cell[from * c + j] + best(cell, c, from + 1, used | 1u << j);
        most = here > most ? here : most;
    }
    return most;
}

static void test_best_map(void **state)
{
    (void)state;
    enum { MANY = 40 };
    tsr__random random = tsr__random_seed(3, 0);
    for (int trial = 0; trial < 200; trial++) {
        const int c = 1 + trial % 7;
        int32_t cluster[MANY], truth[MANY];
        int64_t cell[49] = {0};
        tsr_scores s;
        for (int i = 0; i < MANY; i++) {
            cluster[i] = (int32_t)tsr__random_below(&random, c);
            truth[i] =
                (int32_t)tsr__random_below(&random, 1 + trial % 5 < c ? 1 + trial % 5 : c);
            cell[cluster[i] * c + truth[i]]++;
        }
        check_ok(tsr_score_clusters(&s, cluster, truth, MANY));
        near(s.accuracy, (double)best(cell, c, 0, 0) / MANY);
        int right = 0;
        check_ok(tsr_map_clusters(cluster, cluster, truth, MANY));
        for (int i = 0; i < MANY; i++)
            right += cluster[i] == truth[i];
        near(s.accuracy, (double)right / MANY);
    }
}

static void test_confusion(void **state)
{
    (void)state;
    static const int32_t truth[] = {0, 0, 1, 2, 2, -1, 1, 7},
                         said[] = {0, 1, 1, 2, 0, 2, -1, 0};
    static const int64_t expected[] = {1, 1, 0, 0, 1, 0, 1, 0, 1};
    int64_t out[9];
    tsr_confusion(out, truth, said, 8, 3);
    assert_memory_equal(out, expected, sizeof expected);
}

/* Every allocation fails once: no leak, the right code, and the output untouched. */
static void test_memory(void **state)
{
    (void)state;
    int32_t cluster[N], truth[N];
    make(cluster, truth);
    for (int64_t nth = 1;; nth++) {
        tsr_scores s = {.accuracy = -7};
        const int64_t live = tsr__memory_live();
        tsr__memory_fail_at(nth);
        const tsr_status status = tsr_score_clusters(&s, cluster, truth, N);
        tsr__memory_fail_at(0);
        assert_int_equal(tsr__memory_live(), live);
        if (status == TSR_OK)
            return;
        assert_int_equal(status, TSR_ERROR_MEMORY);
        near(s.accuracy, -7);
        assert_true(nth < 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recorded),
        cmocka_unit_test(test_names_do_not_matter),
        cmocka_unit_test(test_ends_of_the_scale),
        cmocka_unit_test(test_unknown_left_out),
        cmocka_unit_test(test_best_map),
        cmocka_unit_test(test_confusion),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
