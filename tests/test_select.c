/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Choosing a rank: what is held out, by which rule, and whether the rank that made the data is
 * found. */
#include "lab.h"

#include "learn/holdout.h"
#include "learn/select.h"

/* A product of non-negative factors of `rank`, a share `zeros` of whose entries is zero, and
 * noise of a standard deviation relative to the root mean square, clipped at zero. */
static tsr_data *product_data(int64_t n, int64_t m, int64_t rank, double zeros, double noise,
                              uint64_t seed)
{
    tsr__random random = tsr__random_seed(seed, 5);
    tsr_matrix *x = NULL;
    tsr_data *data = NULL;
    double *f = calloc((size_t)((n + m) * rank), sizeof *f), squares = 0;
    for (int64_t i = 0; i < (n + m) * rank; i++) {
        const bool zero = tsr__random_uniform(&random) < zeros;
        const double v = tsr__random_uniform(&random);
        f[i] = zero ? 0 : v;
    }
    check_ok(tsr_matrix_create(&x, n, m, TSR_FLOAT64));
    double *value = tsr_matrix_edit(x);
    for (int64_t i = 0; i < n * m; i++) {
        for (int64_t a = 0; a < rank; a++)
            value[i] += f[i / m * rank + a] * f[(n + i % m) * rank + a];
        squares += value[i] * value[i];
    }
    const double size = noise * sqrt(squares / (double)(n * m));
    for (int64_t i = 0; i < n * m; i++)
        value[i] = fmax(0, value[i] + size * tsr__random_normal(&random));
    free(f);
    check_ok(tsr_data_take(&data, x, NULL));
    return data;
}

static void take_labels(tsr_data *data, const char *const *name, int64_t count)
{
    tsr_labels_free(data->labels);
    data->labels = NULL;
    check_ok(tsr_labels_from_texts(&data->labels, name, count));
}

static int64_t chosen_rank(const tsr_selection *s)
{
    int64_t rank = 0;
    for (int64_t i = 0; i < s->about.candidates; i++)
        if (s->candidate[i].chosen) {
            assert_int_equal(rank, 0);
            rank = s->candidate[i].rank;
        }
    return rank;
}

/* In at least nine of ten draws the rank that made the data is chosen. */
static void check_finds(double zeros, double noise, int64_t made, const char *line)
{
    const tsr_select_options options = {.ranks = "2-8", .folds = 5};
    int found = 0;
    for (uint64_t seed = 0; seed < 10; seed++) {
        tsr_data *data = product_data(100, 40, made, zeros, noise, seed);
        tsr_selection *s = NULL;
        lab_options o;
        lab_options_of(&o, 100, "seed=%d %s", (int)seed, line);
        check_ok(tsr_select(&s, data, &o.o, &options));
        assert_false(s->about.by_labels);
        found += chosen_rank(s) == made;
        tsr_selection_free(s);
        tsr_data_free(data);
    }
    if (found < 9)
        fail_msg("rank %d is found %d times of 10 (zeros %g, noise %g)", (int)made, found,
                 zeros, noise);
}

static void test_finds_rank(void **state)
{
    (void)state;
    check_finds(0, 0.05, 5, "");
    check_finds(0.5, 0.05, 5, "");
}

/* Without noise every larger rank is as good: the smallest is meant. */
static void test_finds_exact_rank(void **state)
{
    (void)state;
    check_finds(0, 0, 4, "restarts=2");
}

/* Each entry is hidden at most once, as many of each row and of all as of any other; rows and
 * columns keep some; what is missing is not dealt. */
static void test_entries(void **state)
{
    enum { N = 31, M = 17, FOLDS = 3 };
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        tsr_data *data = product_data(N, M, 3, 0.6, 0, 1);
        double *value = tsr_matrix_edit(tsr_data_samples(data));
        for (int64_t i = 0; i < N * M; i += 7)
            value[i] = (double)NAN;
        for (int64_t j = 1; j < M; j++) /* one known entry a row, one a column */
            value[4 * M + j] = (double)NAN;
        value[4 * M] = 1;
        for (int64_t i = 1; i < N; i++)
            value[i * M + 6] = (double)NAN;
        value[6] = 1;
        if (sparse) {
            tsr_matrix *x = NULL;
            check_ok(tsr_matrix_copy_as(&x, data->x, TSR_FLOAT32, true));
            tsr_matrix_free(data->x);
            data->x = x;
        }
        lab_options o;
        tsr__holdout h = {0};
        lab_options_of(&o, 10, "missing=mask normalize=l2");
        check_ok(tsr__holdout_entries(&h, data, &o.o, 1, FOLDS));
        assert_int_equal(h.folds, FOLDS);
        int64_t size[FOLDS] = {0}, column[M][FOLDS] = {{0}}, column_known[M] = {0}, judged = 0;
        for (int64_t i = 0; i < N; i++) {
            int64_t row[FOLDS] = {0}, known = 0;
            for (int64_t at = tsr__row_begin(h.whole, i); at < tsr__row_end(h.whole, i); at++) {
                const int64_t j = tsr__row_feature(h.whole, i, at);
                const int32_t fold = h.fold[at];
                if (isnan(tsr_matrix_at(data->x, i, j))) {
                    assert_true(fold < 0);
                    continue;
                }
                known++;
                column_known[j]++;
                assert_true(fold < FOLDS);
                if (fold < 0)
                    continue;
                judged++, row[fold]++, size[fold]++, column[j][fold]++;
            }
            for (int f = 0; f < FOLDS; f++) {
                assert_true(known == 0 || row[f] < known);
                assert_true(row[f] <= (known + 2 * FOLDS - 1) / (2 * FOLDS));
            }
        }
        assert_int_equal(judged, h.judged);
        for (int f = 0; f < FOLDS; f++) {
            assert_true(3 * FOLDS * size[f] > judged * 2);
            for (int64_t j = 0; j < M; j++)
                assert_true(column_known[j] == 0 || column[j][f] < column_known[j]);
        }
        tsr__holdout_clear(&h);
        tsr_data_free(data);
    }
}

static void test_too_few_entries(void **state)
{
    tsr_data *data = product_data(2, 3, 1, 0, 0, 1);
    lab_options o;
    tsr__holdout h = {0};
    (void)state;
    lab_options_of(&o, 10, "rank=1");
    check_fails(tsr__holdout_entries(&h, data, &o.o, 1, 9), TSR_ERROR_DATA,
                "are too few for 9 folds");
    tsr_data_free(data);
}

/* A class's labels are spread evenly; its only label is always shown, unknown ones never
 * judged. */
static void test_labels(void **state)
{
    enum { N = 45, FOLDS = 4 };
    static const char *const names[] = {"a", "b", "", "-1x", "a"};
    const char *name[N];
    tsr_data *data = product_data(N, 6, 3, 0, 0.1, 1);
    tsr__holdout h = {0};
    int64_t size[FOLDS][4] = {{0}};
    (void)state;
    for (int64_t i = 0; i < N; i++)
        name[i] = names[i % 5];
    name[8] = "lone";
    take_labels(data, name, N);
    check_ok(tsr__holdout_labels(&h, data, FOLDS, 3));
    assert_true(h.by_labels);
    assert_int_equal(h.judged, 45 - 9 - 1);
    for (int64_t i = 0; i < N; i++) {
        const int32_t of = data->labels->of[i];
        assert_true((h.fold[i] >= 0) == (i % 5 != 2 && i != 8));
        if (h.fold[i] >= 0)
            size[h.fold[i]][of]++;
    }
    for (int c = 0; c < 4; c++)
        for (int f = 1; f < FOLDS; f++)
            assert_in_range(size[f][c] + 1 - size[0][c], 0, 2);
    tsr__holdout_clear(&h);
    tsr_data_free(data);
}

/* Labels that cannot judge are said so; entries judge in their place, unless labels were asked
 * for. The learner still sees the labels. */
static void test_few_labels(void **state)
{
    enum { N = 150 };
    const char *name[N];
    tsr_select_options options = {.ranks = "2-4", .folds = 5};
    tsr_selection *s = NULL;
    tsr_data *data = product_data(N, 8, 3, 0.3, 0.05, 1);
    lab_options o;
    (void)state;
    for (int64_t i = 0; i < N; i++)
        name[i] = i == 3 || i == 77 ? "a" : i == 100 ? "b" : "";
    take_labels(data, name, N);
    lab_options_of(&o, 50, "model=cdnmf");
    check_ok(tsr_select(&s, data, &o.o, &options));
    assert_false(s->about.by_labels);
    assert_non_null(strstr(s->about.note, "too few"));
    assert_non_null(strstr(s->candidate[1].note, "rank 3 is no multiple of the 2 classes"));
    assert_true(*s->candidate[0].note == '\0' && *s->candidate[2].note == '\0');
    tsr_selection_free(s);
    options.by = TSR_SELECT_LABELS;
    check_fails(tsr_select(&s, data, &o.o, &options), TSR_ERROR_DATA,
                "2 labels in 1 classes of two or more are too few");
    for (int64_t i = 0; i < N; i++)
        name[i] = i % 2 ? "a" : "b";
    take_labels(data, name, N);
    check_ok(tsr_select(&s, data, &o.o, &options));
    assert_true(s->about.by_labels);
    assert_int_equal(s->about.judged, N);
    tsr_selection_free(s);
    options.by = TSR_SELECT_ENTRIES;
    check_ok(tsr_select(&s, data, &o.o, &options));
    assert_false(s->about.by_labels);
    assert_true(*s->about.note == '\0');
    tsr_selection_free(s);
    tsr_labels_free(data->labels);
    data->labels = NULL;
    options.by = TSR_SELECT_LABELS;
    check_fails(tsr_select(&s, data, &o.o, &options), TSR_ERROR_DATA, "no labels");
    tsr_data_free(data);
}

/* The rule, written out over the scores of the same folds. */
static void check_rule(const tsr_data *data, const tsr_fit_options *fit, bool labels)
{
    enum { FOLDS = 4, RANKS = 7 };
    tsr_select_options options = {.ranks = "2-8", .folds = FOLDS};
    tsr__holdout h = {0};
    tsr__judged verdict;
    tsr_selection *s = NULL;
    const double sign = labels ? 1 : -1;
    double score[RANKS][FOLDS], mean[RANKS] = {0};
    int best = 0, one = 0;
    check_ok(labels ? tsr__holdout_labels(&h, data, FOLDS, fit->seed)
                    : tsr__holdout_entries(&h, data, fit, 1, FOLDS));
    for (int r = 0; r < RANKS; r++) {
        for (int f = 0; f < FOLDS; f++) {
            tsr_fit_options own = *fit;
            own.rank = 2 + r;
            own.seed = fit->seed + f;
            own.threads = 1;
            check_ok(tsr__holdout_score(&verdict, &h, &own, f));
            score[r][f] = verdict.score;
            mean[r] += score[r][f] / FOLDS;
        }
        best = sign * (mean[r] - mean[best]) > 0 ? r : best;
    }
    for (; one < best; one++) {
        const double gap = sign * (mean[best] - mean[one]);
        double square = 0;
        for (int f = 0; f < FOLDS; f++)
            square += pow(sign * (score[best][f] - score[one][f]) - gap, 2);
        if (gap <= sqrt(square / (FOLDS - 1) / FOLDS))
            break;
    }
    for (int rule = TSR_SELECT_ONE_SE; rule <= TSR_SELECT_BEST; rule++) {
        options.rule = rule;
        options.by = labels ? TSR_SELECT_LABELS : TSR_SELECT_ENTRIES;
        check_ok(tsr_select(&s, data, fit, &options));
        assert_int_equal(chosen_rank(s), 2 + (rule == TSR_SELECT_BEST ? best : one));
        assert_int_equal(s->about.judged, h.judged);
        for (int r = 0; r < RANKS; r++) {
            double square = 0;
            for (int f = 0; f < FOLDS; f++)
                square += pow(score[r][f] - mean[r], 2);
            assert_true(fabs(s->candidate[r].mean - mean[r]) < 1e-12);
            assert_true(fabs(s->candidate[r].deviation - sqrt(square / (FOLDS - 1))) < 1e-12);
            assert_true(fabs(s->candidate[r].error - sqrt(square / (FOLDS - 1) / FOLDS)) <
                        1e-12);
            assert_int_equal(s->candidate[r].best, r == best);
        }
        tsr_selection_free(s);
    }
    tsr__holdout_clear(&h);
}

static void test_rule(void **state)
{
    enum { N = 60 };
    const char *name[N];
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        tsr_data *data = product_data(N, 20, 4, 0.2, 0.2, seed);
        lab_options o;
        lab_options_of(&o, 40, "normalize=l2 seed=%d", (int)seed);
        check_rule(data, &o.o, false);
        for (int64_t i = 0; i < N; i++) /* the larger half of the samples is another class */
            name[i] = tsr_matrix_at(data->x, i, 0) > 0.4 ? "big" : "small";
        take_labels(data, name, N);
        check_rule(data, &o.o, true);
        tsr_data_free(data);
    }
}

/* Of equal scores and ranks the smallest weight. */
static void test_weights(void **state)
{
    const tsr_select_options options = {.ranks = "4,2", .weights = "2,1,3", .folds = 2};
    enum { N = 24 };
    const char *name[N];
    tsr_data *data = product_data(N, 6, 2, 0, 0, 1);
    tsr_selection *s = NULL;
    lab_options o;
    (void)state;
    double *value = tsr_matrix_edit(data->x);
    for (int64_t i = 0; i < N * 6; i++) /* two classes that nobody can miss */
        value[i] = (i / 6 % 2 == 0) == (i % 6 < 3) ? 1 + (double)(i % 5) / 10 : 0;
    for (int64_t i = 0; i < N; i++)
        name[i] = i % 2 ? "odd" : "even";
    take_labels(data, name, N);
    lab_options_of(&o, 50, "model=cdnmf");
    check_ok(tsr_select(&s, data, &o.o, &options));
    assert_string_equal(s->about.weight, "class");
    assert_int_equal(s->about.candidates, 6);
    for (int64_t i = 0; i < s->about.candidates; i++) {
        assert_true(s->candidate[i].rank == 4 || s->candidate[i].mean == 1);
        assert_int_equal(s->candidate[i].chosen, i == 4); /* rank 2, weight 1 */
    }
    tsr_selection_free(s);
    lab_options_of(&o, 50, "model=nmf");
    check_fails(tsr_select(&s, data, &o.o, &options), TSR_ERROR_ARGUMENT, "no weight");
    tsr_data_free(data);
}

/* A rank that cannot be is a row that says why; nothing but such rows is an error. */
static void test_illegal(void **state)
{
    tsr_select_options options = {.ranks = "2,500,3", .folds = 2};
    tsr_data *data = product_data(20, 8, 2, 0, 0.1, 1);
    tsr_selection *s = NULL;
    lab_options o;
    (void)state;
    lab_options_of(&o, 10, "model=nmf");
    check_ok(tsr_select(&s, data, &o.o, &options));
    assert_non_null(strstr(s->candidate[1].note, "rank 500 exceeds both"));
    assert_true(chosen_rank(s) == 2 || chosen_rank(s) == 3);
    tsr_selection_free(s);
    options.ranks = "500,600";
    check_fails(tsr_select(&s, data, &o.o, &options), TSR_ERROR_DATA,
                "no candidate can be fitted: rank 500 exceeds both");
    options.ranks = "2";
    lab_options_of(&o, 10, "model=cf");
    check_fails(tsr_select(&s, data, &o.o, &options), TSR_ERROR_ARGUMENT,
                "its parts or codes are made");
    o.o.model = "pca";
    check_fails(tsr_select(&s, data, &o.o, &options), TSR_ERROR_ARGUMENT,
                "pca gives nothing back");
    ((double *)tsr_matrix_edit(data->x))[9] = -1;
    lab_options_of(&o, 10, "model=nmf");
    check_fails(tsr_select(&s, data, &o.o, &options), TSR_ERROR_DATA, "sample 1, feature 1");
    tsr_data_free(data);
}

/* What the lists say, and those that say nothing: without any data. */
static void test_lists(void **state)
{
    static const int64_t expected[] = {5, 2, 3, 4, 10, 20, 30};
    static const char *const bad[] = {"",      "0", "3-2",     "2,", "2-",
                                      "4-8/0", "x", "1-20000", "2 3"};
    static const char *const light[] = {"-1", "nan", "inf", "1,,2", "1;2", "x"};
    tsr_select_options options = {.folds = 2};
    int64_t *rank = NULL, count = 0;
    lab_options o;
    (void)state;
    check_ok(tsr__ranks_parse(&rank, &count, "5,2-4,10-30/10,3"));
    assert_int_equal(count, 7);
    assert_memory_equal(rank, expected, sizeof expected);
    tsr__free(rank);
    lab_options_of(&o, 10, "model=gnmf");
    check_fails(tsr_select_check(&o.o, NULL), TSR_ERROR_ARGUMENT, "no ranks to try");
    check_fails(tsr_select_check(&o.o, &options), TSR_ERROR_ARGUMENT, "no ranks to try");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        options.ranks = bad[i];
        check_fails(tsr_select_check(&o.o, &options), TSR_ERROR_ARGUMENT, "--ranks");
    }
    options.ranks = "2-4";
    for (size_t i = 0; i < sizeof light / sizeof *light; i++) {
        options.weights = light[i];
        check_fails(tsr_select_check(&o.o, &options), TSR_ERROR_ARGUMENT, "--weights");
    }
    options.weights = "0,0.5,1e3";
    check_ok(tsr_select_check(&o.o, &options));
    check_starved(tsr_select_check(&o.o, &options), );
    o.o.model = "nfm";
    check_fails(tsr_select_check(&o.o, &options), TSR_ERROR_ARGUMENT, "nfm");
}

/* Threads change nothing; weighting and norms are those of whole samples. */
static void test_threads(void **state)
{
    static const char *const lines[] = {"model=nmf", "model=nmf-ncw",
                                        "model=nmf-kl normalize=l1",
                                        "model=gnmf precision=single"};
    tsr_data *data = product_data(30, 10, 3, 0.3, 0.05, 2);
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        tsr_selection *s[2] = {NULL, NULL};
        lab_options o;
        lab_options_of(&o, 60, "%s", lines[i]);
        for (int t = 0; t < 2; t++) {
            const tsr_select_options options = {.ranks = "2-3,100", .folds = 3};
            o.o.threads = 1 + 2 * t;
            check_ok(tsr_select(&s[t], data, &o.o, &options));
        }
        for (int64_t c = 0; c < 3; c++) {
            tsr_candidate *a = &s[0]->candidate[c], *b = &s[1]->candidate[c];
            a->model = b->model = NULL;
            a->seconds = b->seconds = 0;
            assert_memory_equal(a, b, sizeof *a);
        }
        assert_true(i > 1 || s[0]->candidate[1].mean < 0.3); /* in the units of the fit */
        tsr_selection_free(s[0]);
        tsr_selection_free(s[1]);
    }
    tsr_data_free(data);
}

static bool stop_at(void *user, const tsr_step *step)
{
    int *left = user;
    assert_int_equal(step->total, 21);
    assert_in_range(step->done, 0, 21);
    return --*left > 0;
}

static void test_stopped(void **state)
{
    tsr_data *data = product_data(30, 10, 3, 0.3, 0.05, 2);
    lab_options o;
    (void)state;
    lab_options_of(&o, 20, "model=nmf");
    for (int after = 1; after < 200; after += 37) {
        int left = after;
        const tsr_progress progress = {stop_at, &left};
        const tsr_select_options options = {.ranks = "2-8", .folds = 3};
        o.o.threads = 2, o.o.progress = &progress;
        tsr_selection *s = NULL;
        check_fails(tsr_select(&s, data, &o.o, &options), TSR_ERROR_INTERRUPTED, "of 21 fits");
        assert_null(s);
    }
    tsr_data_free(data);
}

static void test_starved(void **state)
{
    enum { N = 12 };
    const char *name[N];
    tsr_data *data = product_data(N, 5, 2, 0, 0.1, 3);
    tsr_selection *s = NULL;
    lab_options o;
    (void)state;
    for (int64_t i = 0; i < N; i++)
        name[i] = i % 2 ? "a" : "b";
    take_labels(data, name, N);
    lab_options_of(&o, 2, "model=nmf threads=1");
    for (int by = TSR_SELECT_LABELS; by <= TSR_SELECT_ENTRIES; by++) {
        const tsr_select_options options = {.ranks = "2,3", .folds = 2, .by = by};
        check_starved(tsr_select(&s, data, &o.o, &options), (tsr_selection_free(s), s = NULL));
    }
    tsr_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entries),
        cmocka_unit_test(test_too_few_entries),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_few_labels),
        cmocka_unit_test(test_rule),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_illegal),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_stopped),
        cmocka_unit_test(test_starved),
        cmocka_unit_test(test_finds_rank),
        cmocka_unit_test(test_finds_exact_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
