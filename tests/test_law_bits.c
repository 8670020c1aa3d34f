/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Laws of bits and memory: the number of threads does not change a bit, nor does a second run;
 * float agrees with double; the loop allocates nothing; a failing allocation, whichever it is,
 * gives its status and no leak. */
#include "lab.h"

static const char *const solvers[] = {"auto", "mu"};
static const int teams[] = {1, 3, 64};
enum { TEAMS = sizeof teams / sizeof *teams };

/* Large enough that threads are used at all; see plan.c. */
static void threads_do_not_matter(void **state)
{
    tsr_model_info info;
    lab l = lab_make(600, 350, 3, 0, 31);
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        tsr_data *data = lab_data(&l, sparse == 1);
        for (int64_t row = 0; tsr_models_get(&info, row); row++)
            for (int solver = 0; solver < 2; solver++) {
                tsr_model *one = NULL;
                for (int team = 0; team < TEAMS; team++) {
                    lab_options options;
                    lab_options_of(&options, 2, "rank=24 solver=%s model=%s threads=%d",
                                   solvers[solver], info.name, teams[team]);
                    tsr_model *model = lab_fit(data, &options.o);
                    if (one != NULL && !lab_same_models(one, model))
                        fail_msg("%s under %s: %d threads change it", info.name,
                                 solvers[solver], teams[team]);
                    if (one == NULL)
                        one = model;
                    else
                        tsr_model_free(model);
                }
                tsr_model_free(one);
            }
        tsr_data_free(data);
    }
    lab_free(&l);
}

/* The same with threads forced onto problems that would be too small, for every combination of
 * map and penalty: many blocks come from a small matrix, too. */
static void threads_on_small_problems(void **state)
{
    static const char *const lines[] = {
        "model=cf kernel=rbf",
        "model=lccf loss=kl",
        "model=cnmf graph=1 class=1",
        "model=snmf link-form=reward must=0.001",
        "model=unmf loss=kl",
        "model=gnmf missing=mask",
        "model=nmf alpha-codes=0.1 alpha-basis=0.1 l1-ratio=0.5"};
    lab l = lab_make(90, 20, 3, 0, 31);
    tsr_data *data = lab_data(&l, false);
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        for (int solver = 0; solver < 2; solver++) {
            static const int many[] = {1, 3, 64};
            double objective[2] = {0, 0};
            for (int at = 0; at < 3; at++) {
                const int threads = many[at];
                lab_options options;
                bench b;
                lab_options_of(&options, 2, "rank=6 solver=%s %s", solvers[solver], lines[i]);
                bench_open_with(&b, data, &options.o, threads, 0);
                for (int step = 0; step < 3; step++)
                    tsr__solver_step(&b.s);
                objective[threads > 1] = tsr__solver_objective(&b.s);
                bench_close(&b);
                if (threads > 1 && objective[1] != objective[0])
                    fail_msg("'%s': %d threads change it", lines[i], threads);
            }
        }
    tsr_data_free(data);
    lab_free(&l);
}

/* Rows that are worked on tile by tile, by any number of threads, and whole: the same sums, but
 * for their rounding. */
static void tiles_do_not_matter(void **state)
{
    static const char *const lines[] = {
        "model=nmf",
        "model=nmf-kl",
        "model=nmf loss=is",
        "model=nmf solver=mu",
        "model=nmf-kl solver=mu",
        "model=gnmf",
        "model=cf",
        "model=cf kernel=rbf",
        "model=unmf",
        "model=nmf alpha-codes=0.1 alpha-basis=0.1 l1-ratio=0.5",
        "model=nmf precision=single"};
    static const int many[] = {1, 3, 64};
    lab l = lab_make(50, 70, 3, 0, 31);
    for (int64_t i = 0; i < l.n * l.m; i++)
        l.x[i] += 0.1; /* not every loss has zeros */
    tsr_data *data = lab_data(&l, false);
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        double tiled = 0, whole = 0;
        for (int at = 0; at < 4; at++) {
            lab_options options;
            bench b;
            lab_options_of(&options, 2, "rank=6 %s", lines[i]);
            bench_open_with(&b, data, &options.o, at < 3 ? many[at] : 1, at < 3 ? 16 : 0);
            assert_true(at == 3 || b.plan.tile < b.s.m);
            for (int step = 0; step < 3; step++)
                tsr__solver_step(&b.s);
            whole = tsr__solver_objective(&b.s);
            assert_true(isfinite(tsr__solver_optimality(&b.s)));
            bench_close(&b);
            tiled = at == 0 ? whole : tiled;
            if (at < 3 && whole != tiled)
                fail_msg("'%s': %d threads change it", lines[i], many[at]);
        }
        if (!(fabs(whole - tiled) <=
              (i + 1 < sizeof lines / sizeof *lines ? 1e-9 : 1e-4) * whole))
            fail_msg("'%s': J %.12g by tiles, %.12g by rows", lines[i], tiled, whole);
    }
    tsr_data_free(data);
    lab_free(&l);
}

static tsr_status torn(tsr__block *out, const tsr__source *source, int64_t index, int thread)
{
    (void)out, (void)source, (void)index, (void)thread;
    return tsr__fail(TSR_ERROR_IO, "the disk is gone");
}

/* Whatever a row reads, by sample, by feature or sample after sample. */
static void a_source_that_fails_ends_it(void **state)
{
    tsr_model_info info;
    lab l = lab_make(30, 14, 3, 0, 8);
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        tsr_data *data = lab_data(&l, sparse == 1);
        for (int64_t row = 0; tsr_models_get(&info, row); row++)
            for (int which = 0; which < 3; which++) {
                lab_options options;
                bench b;
                lab_options_of(&options, 1, "rank=6 model=%s", info.name);
                bench_open_with(&b, data, &options.o, 3, 0);
                tsr__source *const sources[] = {&b.problem.by_sample, &b.problem.by_feature,
                                                &b.problem.atoms};
                if (sources[which]->blocks > 0) {
                    sources[which]->get = torn;
                    for (int step = 0; step < 2; step++)
                        tsr__solver_step(&b.s);
                    if (b.s.work.trouble != TSR_ERROR_IO)
                        fail_msg("%s does not mind", info.name);
                    assert_string_equal(tsr_message(), "the disk is gone");
                }
                bench_close(&b);
            }
        tsr_data_free(data);
    }
    lab_free(&l);
}

static void same_seed_same_bits(void **state)
{
    static const char *const starts[] = {"random", "kmeans", "auto", "best", "nndsvdar"};
    tsr_model_info info;
    lab l = lab_make(30, 14, 3, 0, 8);
    tsr_data *data = lab_data(&l, false);
    (void)state;
    for (int64_t row = 0; tsr_models_get(&info, row); row++)
        for (int i = 0; i < 5; i++) {
            if (i == 4 && strcmp(info.basis, "free") != 0)
                continue;
            lab_options options;
            lab_options_of(&options, 10, "rank=6 model=%s init=%s restarts=2 seed=5", info.name,
                           starts[i]);
            tsr_model *a = lab_fit(data, &options.o), *b = lab_fit(data, &options.o);
            options.o.seed = 6;
            tsr_model *c = lab_fit(data, &options.o);
            if (!lab_same_models(a, b))
                fail_msg("%s from %s differs from itself", info.name, starts[i]);
            if (i == 0)
                assert_false(lab_same_bits(a->codes, c->codes));
            tsr_model_free(a);
            tsr_model_free(b);
            tsr_model_free(c);
        }
    tsr_data_free(data);
    lab_free(&l);
}

static void float_is_double(void **state)
{
    tsr_model_info info;
    lab l = lab_make(30, 14, 3, 0, 8);
    tsr_data *data = lab_data(&l, false);
    (void)state;
    for (int64_t row = 0; tsr_models_get(&info, row); row++)
        for (int solver = 0; solver < 2; solver++) {
            lab_options options;
            lab_options_of(&options, 10, "rank=6 model=%s solver=%s", info.name,
                           solvers[solver]);
            tsr_model *a = lab_fit(data, &options.o);
            options.o.precision = 1;
            tsr_model *b = lab_fit(data, &options.o);
            assert_int_equal(tsr_matrix_type(tsr_model_codes(b)), TSR_FLOAT32);
            const double apart = lab_models_apart(b, a);
            const double values = lab_apart(b->objective, a->objective, 10, 0);
            if (!(apart <= 2e-3) || !(values <= 1e-4))
                fail_msg("%s under %s: %.2e apart, J %.2e", info.name, solvers[solver], apart,
                         values);
            tsr_model_free(a);
            tsr_model_free(b);
        }
    tsr_data_free(data);
    lab_free(&l);
}

static void loop_allocates_nothing(void **state)
{
    tsr_model_info info;
    lab l = lab_make(30, 14, 3, 0, 8);
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        tsr_data *data = lab_data(&l, sparse == 1);
        for (int64_t row = 0; tsr_models_get(&info, row); row++)
            for (int solver = 0; solver < 2; solver++) {
                lab_options options;
                bench b;
                lab_options_of(&options, 1, "rank=6 model=%s solver=%s", info.name,
                               solvers[solver]);
                bench_open(&b, data, &options.o);
                const int64_t asked = tsr__memory_asked();
                for (int step = 0; step < 3; step++)
                    tsr__solver_step(&b.s);
                assert_true(isfinite(tsr__solver_objective(&b.s)));
                assert_true(isfinite(tsr__solver_optimality(&b.s)));
                assert_int_equal(tsr__memory_asked(), asked);
                bench_close(&b);
            }
        tsr_data_free(data);
    }
    lab_free(&l);
}

/* Fits with the n-th allocation failing, for every n until none fails. */
static void starve(const tsr_data *data, const tsr_fit_options *o, const char *line)
{
    for (int64_t nth = 1;; nth++) {
        const int64_t live = tsr__memory_live();
        tsr_model *model = NULL;
        tsr__memory_fail_at(nth);
        const tsr_status status = tsr_fit(&model, data, o);
        tsr__memory_fail_at(0);
        tsr_model_free(model);
        if (tsr__memory_live() != live)
            fail_msg("'%s': allocation %d failing leaks %d", line, (int)nth,
                     (int)(tsr__memory_live() - live));
        if (status == TSR_OK)
            break;
        if (status != TSR_ERROR_MEMORY)
            fail_msg("'%s': allocation %d failing gives %s: %s", line, (int)nth,
                     tsr_status_name(status), tsr_message());
        assert_null(model);
    }
}

static void failing_memory(void **state)
{
    static const char *const lines[] = {
        "model=nmf",
        "model=cdnmf-kl labelled=2",
        "model=gnmf graph-weight=heat",
        "model=sgnmf",
        "model=cnmf-kl",
        "model=ccf",
        "model=nmf-ncw precision=single",
        "model=cf kernel=rbf",
        "model=ccf kernel=cosine",
        "model=dsnmf",
        "model=ugnmf missing=mask",
        "model=nmf init=nndsvdar",
        "model=nmf-kl init=best",
        "model=cdcf init=kmeans",
        "model=cdnmf init=means restarts=2",
    };
    lab l = lab_make(9, 7, 3, 0, 8);
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        tsr_data *data = lab_data(&l, sparse == 1);
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
            lab_options options;
            lab_options_of(&options, 2, "rank=3 neighbours=2 %s", lines[i]);
            starve(data, &options.o, lines[i]);
        }
        tsr_data_free(data);
    }
    lab_free(&l);
}

static void failing_memory_with_files(void **state)
{
    lab l = lab_make(9, 7, 3, 0, 8);
    tsr_data *data = lab_data(&l, false);
    double f[7 * 3], g[9 * 3];
    lab_options options;
    (void)state;
    lab_write_text("0,1,-0.3\n2,5,0.7\n");
    lab_options_of(&options, 2, "rank=3 model=snmf links=%s", side_file);
    starve(data, &options.o, "links");
    lab_uniform(f, 21, 1);
    lab_uniform(g, 27, 2);
    lab_write_start(f, 7, NULL, 0, g, 9, 3);
    lab_options_of(&options, 2, "rank=3 model=nmf init=%s", start_file);
    starve(data, &options.o, "start");
    lab_write_text("0,1,0,0,0,0,0,0,2\n1,0,0,0,0,0,0,0,0\n0,0,0,0,0,0,0,0,0\n"
                   "0,0,0,0,0,0,0,0,0\n0,0,0,0,0,0,0,0,0\n0,0,0,0,0,0,0,0,0\n"
                   "0,0,0,0,0,0,0,0,0\n0,0,0,0,0,0,0,0,0\n2,0,0,0,0,0,0,0,0\n");
    lab_options_of(&options, 2, "rank=3 model=gnmf graph-file=%s", side_file);
    starve(data, &options.o, "graph");
    tsr_data_free(data);
    lab_free(&l);
}

static void failing_memory_in_use(void **state)
{
    static const char *const lines[] = {"model=cdnmf", "model=cf kernel=rbf", "model=nmf-ncw",
                                        "model=cdnmf-kl"};
    lab l = lab_make(9, 7, 3, 0, 8);
    tsr_data *data = lab_data(&l, false);
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        lab_options options;
        int32_t of[9];
        lab_options_of(&options, 2, "rank=3 %s", lines[i]);
        tsr_model *model = lab_fit(data, &options.o);
        for (int use = 0; use < 6; use++)
            for (int64_t nth = 1;; nth++) {
                const int64_t live = tsr__memory_live();
                const tsr_transform_options transform = {
                    .method = use % 3, .iterations = 3, .tolerance = 0};
                tsr_matrix *codes = NULL;
                tsr_model *back = NULL;
                tsr_status status = TSR_OK;
                tsr__memory_fail_at(nth);
                if (use < 3)
                    status = tsr_model_transform(&codes, model, data, &transform);
                else if (use == 3)
                    status =
                        tsr_model_predict(of, NULL, model, model->codes, TSR_PREDICT_NEAREST);
                else if (use == 4)
                    status = tsr_model_write(model, model_file);
                else
                    status = tsr_model_read(&back, model_file);
                tsr__memory_fail_at(0);
                tsr_matrix_free(codes);
                tsr_model_free(back);
                if (tsr__memory_live() != live)
                    fail_msg("'%s', use %d: allocation %d failing leaks", lines[i], use,
                             (int)nth);
                if (status == TSR_OK)
                    break;
                if (status != TSR_ERROR_MEMORY)
                    fail_msg("'%s', use %d: allocation %d failing gives %s: %s", lines[i], use,
                             (int)nth, tsr_status_name(status), tsr_message());
            }
        tsr_model_free(model);
    }
    tsr_data_free(data);
    lab_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(threads_on_small_problems),
        cmocka_unit_test(tiles_do_not_matter),
        cmocka_unit_test(a_source_that_fails_ends_it),
        cmocka_unit_test(same_seed_same_bits),
        cmocka_unit_test(float_is_double),
        cmocka_unit_test(loop_allocates_nothing),
        cmocka_unit_test(failing_memory),
        cmocka_unit_test(failing_memory_with_files),
        cmocka_unit_test(failing_memory_in_use),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
