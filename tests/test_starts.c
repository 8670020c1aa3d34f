/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Starts: which one `auto` takes, that restarts differ, that trials are no worse than what they
 * try, and that rough axes are nearly those of greatest variance. */
#include "lab.h"

#include "matrix/principal.h"

/* The plan's line on the start. */
static const char *start_of(const tsr_model *model)
{
    for (int64_t i = 0; tsr_model_plan(model, i) != NULL; i++)
        if (strncmp(tsr_model_plan(model, i), "start: ", 7) == 0)
            return tsr_model_plan(model, i) + 7;
    return "";
}

/* Leaves one entry in twelve and some of every sample. */
static lab thin(int64_t n, int64_t m)
{
    lab l = lab_make(n, m, 3, 0, 8);
    for (int64_t i = 0; i < n * m; i++)
        if ((i * 7919) % 12 != 0)
            l.x[i] = 0;
    return l;
}

/* What auto takes is told, and has the bits of the start of that name. How samples are stored
 * does not matter. */
static void auto_takes_what_applies(void **state)
{
    static const struct {
        bool thin;
        const char *line, *start;
    } cases[] = {
        {true, "model=nmf", "nndsvda"},
        {true, "model=nmf-kl", "random"},
        {true, "model=nmf precision=single", "nndsvda"},
        {true, "model=nmf alpha-codes=0.01 l1-ratio=1", "nndsvda"},
        {false, "model=nmf", "random"},
        {true, "model=nmf solver=mu", "random"},
        {true, "model=cdnmf", "random"},
        {true, "model=gnmf", "random"},
        {true, "model=cnmf", "random"},
        {true, "model=cf", "random"},
        {true, "model=cf kernel=rbf", "random"},
    };
    lab labs[2] = {lab_make(40, 24, 3, 0, 8), thin(40, 24)};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        const size_t c = i / 2;
        tsr_data *data = lab_data(&labs[cases[c].thin ? 1 : 0], i % 2 == 1);
        lab_options options;
        lab_options_of(&options, 5, "rank=6 neighbours=3 %s", cases[c].line);
        tsr_model *chosen = lab_fit(data, &options.o);
        options.o.init = cases[c].start;
        tsr_model *named = lab_fit(data, &options.o);
        const size_t length = strlen(cases[c].start);
        if (strncmp(start_of(chosen), cases[c].start, length) != 0 ||
            start_of(chosen)[length] != ' ')
            fail_msg("'%s' starts from %s", cases[c].line, start_of(chosen));
        if (!lab_same_bits(chosen->codes, named->codes))
            fail_msg("'%s': auto is not %s", cases[c].line, cases[c].start);
        tsr_model_free(chosen);
        tsr_model_free(named);
        tsr_data_free(data);
    }
    lab_free(&labs[0]);
    lab_free(&labs[1]);
}

/* Pictures of few parts have singular values that are alike. */
static void pictures_start_at_random(void **state)
{
    lab l = thin(40, 36);
    tsr_data *data = lab_data(&l, false);
    lab_options options;
    (void)state;
    lab_options_of(&options, 1, "rank=6 model=nmf");
    for (int i = 0; i < 2; i++) {
        tsr_model *model = lab_fit(data, &options.o);
        assert_int_equal(strncmp(start_of(model), "random ", 7) == 0, i == 1);
        tsr_model_free(model);
        data->x->image = (tsr_image_shape){.height = 6, .width = 6};
    }
    tsr_data_free(data);
    lab_free(&l);
}

/* Starts that are the same for every seed are taken once; what follows is random. */
static void restarts_differ(void **state)
{
    static const char *const starts[] = {"auto", "nndsvd", "nndsvda", "nndsvdar", "best"};
    lab l = thin(40, 24);
    tsr_data *data = lab_data(&l, true);
    (void)state;
    for (int i = 0; i < 5; i++) {
        lab_options options;
        lab_options_of(&options, 8, "rank=5 init=%s", starts[i]);
        tsr_model *one = lab_fit(data, &options.o);
        options.o.restarts = 4;
        tsr_model *four = lab_fit(data, &options.o);
        assert_true(tsr_model_report(four).spread > 0);
        assert_true(tsr_model_report(four).objective <= tsr_model_report(one).objective);
        tsr_model_free(one);
        tsr_model_free(four);
    }
    tsr_data_free(data);
    lab_free(&l);
}

/* Its first trial is the start of auto: ten iterations of that are the least it may gain. */
static void best_is_the_best_of_its_trials(void **state)
{
    static const char *const lines[] = {"model=nmf",
                                        "model=nmf-kl",
                                        "model=cdnmf",
                                        "model=cf",
                                        "model=gnmf precision=single",
                                        "model=nmf solver=mu"};
    lab l = lab_make(40, 20, 3, 0, 10);
    (void)state;
    for (int i = 0; i < 12; i++) {
        tsr_data *data = lab_data(&l, i % 2 == 1);
        lab_options options;
        lab_options_of(&options, 10, "rank=6 seed=3 %s", lines[i / 2]);
        tsr_model *tried = lab_fit(data, &options.o);
        lab_options_of(&options, 0, "rank=6 seed=3 init=best threads=1 %s", lines[i / 2]);
        tsr_model *best = lab_fit(data, &options.o);
        options.o.threads = 3;
        tsr_model *again = lab_fit(data, &options.o);
        const double least = tsr_model_report(tried).objective;
        if (!(tsr_model_report(best).objective <= least + 1e-5 * fabs(least)))
            fail_msg("'%s': %.9g, and %.9g was tried", lines[i / 2],
                     tsr_model_report(best).objective, least);
        assert_true(lab_same_models(best, again));
        tsr_model_free(tried);
        tsr_model_free(best);
        tsr_model_free(again);
        tsr_data_free(data);
    }
    lab_free(&l);
}

/* Who asks to stop within the trials gets a model of what was tried. */
static bool three_steps(void *user, const tsr_step *step)
{
    int *calls = user;
    (void)step;
    return ++*calls < 3;
}

static void stopped_within_trials(void **state)
{
    lab l = lab_make(40, 20, 3, 0, 10);
    tsr_data *data = lab_data(&l, false);
    int calls = 0;
    const tsr_progress progress = {three_steps, &calls};
    tsr_model *model = NULL;
    lab_options options;
    (void)state;
    lab_options_of(&options, 50, "rank=6 init=best");
    options.o.progress = &progress;
    assert_int_equal(tsr_fit(&model, data, &options.o), TSR_ERROR_INTERRUPTED);
    assert_non_null(model);
    assert_int_equal(tsr_model_report(model).iterations, 1);
    tsr_model_free(model);
    tsr_data_free(data);
    lab_free(&l);
}

/* Parts of falling strength, as many as features allow, and a little of everything. */
static lab falling(int64_t n, int64_t m)
{
    lab l = lab_make(n, m, 5, 0, 77);
    for (int64_t i = 0; i < n * m; i++) {
        const int64_t row = i / m, column = i % m;
        if (column % 13 == row % 13)
            l.x[i] *= 1.0 + 12.0 / (1.0 + (double)(row % 13));
        else
            l.x[i] *= (i * 7919) % 97 < 12;
    }
    return l;
}

/* One round holds all but a little of what the leading axes hold, whichever way it sums; scores
 * are the samples along the axes. Threads change no bit. */
static void rough_axes(void **state)
{
    enum { N = 700, M = 640, K = 8 };
    lab l = falling(N, M);
    tsr_data *data = lab_data(&l, true);
    tsr_matrix *turned = NULL;
    tsr__axes exact = {0}, rough = {0}, other = {0};
    tsr__axes_options options = {.rank = K, .threads = 1, .about_origin = true, .scores = true};
    (void)state;
    check_ok(tsr_matrix_copy_transposed(&turned, data->x));
    check_ok(tsr__principal_axes(&exact, data->x, &options));
    for (int way = 0; way < 4; way++) {
        double most = 0, held = 0;
        options.about_origin = way < 2;
        options.rounds = 0;
        tsr__axes_clear(&exact);
        check_ok(tsr__principal_axes(&exact, data->x, &options));
        options.rounds = 1;
        options.turned = way % 2 == 1 ? turned : NULL;
        options.threads = 1;
        check_ok(tsr__principal_axes(&rough, data->x, &options));
        options.threads = 3;
        check_ok(tsr__principal_axes(&other, data->x, &options));
        assert_int_equal(rough.rank, K);
        assert_memory_equal(rough.factor, other.factor, (size_t)(M * K) * sizeof(double));
        assert_memory_equal(rough.scores, other.scores, (size_t)(N * K) * sizeof(double));
        for (int64_t a = 0; a < K; a++) {
            double square = 0;
            for (int64_t i = 0; i < N; i++)
                square += rough.scores[i * K + a] * rough.scores[i * K + a];
            assert_true(fabs(square / N - rough.variance[a]) < 1e-9 * rough.variance[0]);
            most += exact.variance[a];
            held += rough.variance[a];
        }
        if (!(held <= most * (1 + 1e-9) && held > 0.95 * most))
            fail_msg("way %d: %.4g of what the axes hold", way, held / most);
        tsr__axes_clear(&rough);
        tsr__axes_clear(&other);
    }
    tsr__axes_clear(&exact);
    tsr_matrix_free(turned);
    tsr_data_free(data);
    lab_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_takes_what_applies),
        cmocka_unit_test(pictures_start_at_random),
        cmocka_unit_test(restarts_differ),
        cmocka_unit_test(best_is_the_best_of_its_trials),
        cmocka_unit_test(stopped_within_trials),
        cmocka_unit_test(rough_axes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
