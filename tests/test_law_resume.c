/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Laws of going on: N and M iterations with an archive between them are N + M at once, bit for
 * bit, whatever the row, the precision and where the fit was stopped. */
#include "lab.h"

#include "matrix/store.h"

enum { N = 26, M = 12, ALL = 30 };

static tsr_data *make_data(bool sparse, bool holes, double lowest)
{
    lab l = lab_make(N, M, 3, lowest, 21);
    for (int64_t e = 0; holes && e < 40; e++)
        l.x[(e * 19 + 4) % (N * M)] = (double)NAN;
    tsr_data *data = lab_data(&l, sparse);
    lab_free(&l);
    return data;
}

/* Goes on through a file with the model's own settings. */
static tsr_model *go_on(const tsr_data *data, const tsr_model *model, int64_t iterations)
{
    tsr_model *from = NULL, *whole = NULL;
    check_ok(tsr_model_write(model, model_file));
    check_ok(tsr_model_read(&from, model_file));
    tsr_fit_options o = *tsr_model_options(from);
    o.iterations = iterations;
    const tsr_status status = tsr_fit_resume(&whole, data, from, &o);
    if (status != TSR_OK)
        fail_msg("%s: %s", model->report.model, tsr_message());
    tsr_model_free(from);
    return whole;
}

static void check_line(const tsr_data *data, const char *line)
{
    static const int64_t stops[] = {1, 7, 20};
    lab_options o;
    lab_options_of(&o, ALL, "rank=6 neighbours=4 %s", line);
    tsr_model *at_once = lab_fit(data, &o.o);
    for (int i = 0; i < 3; i++) {
        o.o.iterations = stops[i];
        tsr_model *part = lab_fit(data, &o.o), *whole = go_on(data, part, ALL - stops[i]);
        if (!lab_same_models(at_once, whole))
            fail_msg("'%s' stopped at %d: %.2e apart", line, (int)stops[i],
                     lab_models_apart(at_once, whole));
        assert_int_equal(tsr_model_notes(whole), tsr_model_notes(at_once));
        assert_true(memcmp(at_once->terms, whole->terms, sizeof whole->terms) == 0);
        for (int64_t t = 1; t < ALL; t++)
            assert_true(whole->seconds[t] >= whole->seconds[t - 1]);
        tsr_model_free(part);
        tsr_model_free(whole);
    }
    tsr_model_free(at_once);
}

static void every_row(void **state)
{
    static const char *const precisions[] = {"double", "single"}, *const ways[] = {
                                                                      "solver=auto",
                                                                      "solver=mu",
                                                                      "plan=stream"};
    (void)state;
    for (int form = 0; form < 12; form++) {
        tsr_data *data = make_data(form % 2, false, 0);
        for (const tsr__model_row *row = tsr__models; row->name != NULL; row++) {
            char line[128];
            (void)snprintf(line, sizeof line, "model=%s precision=%s %s", row->name,
                           precisions[form / 2 % 2], ways[form / 4]);
            check_line(data, line);
        }
        tsr_data_free(data);
    }
}

static void other_ways(void **state)
{
    static const char *const lines[] = {
        "model=nmf missing=mask",     "model=cdnmf-kl missing=mask",
        "model=cf kernel=rbf",        "model=cf kernel=polynomial",
        "model=nmf init=kmeans",      "model=nmf alpha-basis=0.01 alpha-codes=0.01",
        "model=unmf loss=kl",         "model=nmf normalize=l2 labelled=2",
        "model=gnmf basis-norm=none", "model=nmf-kl tolerance=1e-9"};
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        tsr_data *data = make_data(false, strstr(lines[i], "mask") != NULL, 0);
        check_line(data, lines[i]);
        tsr_data_free(data);
    }
    tsr_data *data = make_data(false, false, -0.8);
    check_line(data, "model=cf");
    check_line(data, "model=cdcf");
    tsr_data_free(data);
}

/* The stopping rule looks back over the joint. */
static void stops_where_one_fit_would(void **state)
{
    tsr_data *data = make_data(false, false, 0);
    lab_options o;
    (void)state;
    lab_options_of(&o, 500, "rank=3 model=nmf tolerance=1e-3");
    tsr_model *at_once = lab_fit(data, &o.o);
    assert_true(at_once->report.converged && at_once->report.iterations > 12);
    o.o.iterations = at_once->report.iterations - 5;
    tsr_model *part = lab_fit(data, &o.o), *whole = go_on(data, part, 500);
    assert_true(whole->report.converged);
    assert_true(lab_same_models(at_once, whole));
    tsr_model_free(at_once);
    tsr_model_free(part);
    tsr_model_free(whole);
    tsr_data_free(data);
}

/* With other weights J is another function: that it is higher than before says nothing. */
static void other_weights_begin_anew(void **state)
{
    tsr_data *data = make_data(false, false, 0);
    lab_options o;
    tsr_model *more = NULL;
    (void)state;
    lab_options_of(&o, 500, "rank=3 model=gnmf neighbours=4 graph=0.1 tolerance=1e-3");
    tsr_model *some = lab_fit(data, &o.o);
    assert_true(some->report.converged);
    check_ok(tsr_settings_set(tsr_fit_settings(), &o.o, "graph", "100"));
    check_ok(tsr_fit_resume(&more, data, some, &o.o));
    assert_true(more->report.converged);
    assert_true(more->report.iterations > some->report.iterations + 10);
    tsr_model_free(some);
    tsr_model_free(more);
    tsr_data_free(data);
}

typedef struct stopping {
    int64_t left;
} stopping;

static bool stop_after(void *user, const tsr_step *step)
{
    stopping *s = user;
    (void)step;
    return --s->left > 0;
}

/* Stopped in the midst of several starts: the run goes on, then the other starts, and the best of
 * all is kept. */
/* The samples of a fit may stay in their file where they were in memory when it stopped, and the other
 * way round: what is led on is another factor, and begins anew. Concept weights have the shape of
 * codes. */
static void fits_change_places(void **state)
{
    static const char *const models[] = {"nmf", "nmf-kl", "cf", "cnmf-kl", "cdcf"};
    char path[1100];
    tsr_data *here = make_data(false, false, 0), *there = NULL;
    const tsr_read_options read = {.memory = 2000};
    (void)state;
    (void)snprintf(path, sizeof path, "%s/x.h5", folder);
    check_ok(tsr_data_write(here, path));
    check_ok(tsr_data_read(&there, path, &read));
    assert_true(tsr__matrix_is_stored(there->x));
    there->memory = 0; /* how much a model takes is no matter here */
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        for (int back = 0; back < 2; back++) {
            lab_options o;
            tsr_model *whole = NULL;
            lab_options_of(&o, 9, "rank=6 model=%s", models[i]);
            tsr_model *part = lab_fit(back == 1 ? there : here, &o.o);
            check_ok(tsr_fit_resume(&whole, back == 1 ? here : there, part, &o.o));
            assert_int_equal(whole->report.iterations, 18);
            for (int64_t t = 1; t < 18; t++)
                assert_true(whole->objective[t] <= whole->objective[t - 1] * (1 + 1e-10));
            const bool led = strcmp(models[i], "nmf") != 0;
            bool told = false;
            for (int64_t n = 0; n < tsr_model_notes(whole); n++)
                told = told || strstr(tsr_model_note(whole, n), "began anew") != NULL;
            if (told != led)
                fail_msg("%s: extrapolation %s", models[i], told ? "began anew" : "went on");
            tsr_model_free(whole);
            tsr_model_free(part);
        }
    (void)unlink(path);
    tsr_data_free(here);
    tsr_data_free(there);
}

static void starts_go_on(void **state)
{
    tsr_data *data = make_data(false, false, 0);
    lab_options o;
    (void)state;
    lab_options_of(&o, 12, "rank=5 model=nmf restarts=4 seed=3");
    tsr_model *at_once = lab_fit(data, &o.o);
    for (int64_t after = 1; after < 48; after += 4) {
        stopping s = {after};
        const tsr_progress progress = {stop_after, &s};
        tsr_model *part = NULL;
        o.o.progress = &progress;
        assert_int_equal(tsr_fit(&part, data, &o.o), TSR_ERROR_INTERRUPTED);
        const int64_t lacks = tsr_model_lacks(part);
        assert_int_equal(lacks, 12 - (after - 1) % 12 - 1);
        tsr_model *whole = go_on(data, part, lacks);
        assert_int_equal(tsr_model_lacks(whole), -1);
        if (!lab_same_models(at_once, whole))
            fail_msg("stopped after %d: J %.12g in place of %.12g", (int)after,
                     whole->report.objective, at_once->report.objective);
        assert_true(whole->report.spread == at_once->report.spread);
        tsr_model_free(part);
        tsr_model_free(whole);
    }
    tsr_model_free(at_once);
    tsr_data_free(data);
}

static bool has_note(const tsr_model *model, const char *text)
{
    for (int64_t i = 0; i < tsr_model_notes(model); i++)
        if (strstr(tsr_model_note(model, i), text) != NULL)
            return true;
    return false;
}

static void other_settings_are_said_or_refused(void **state)
{
    tsr_data *data = make_data(false, false, 0), *other = make_data(false, false, 0.1);
    lab_options o;
    tsr_model *whole = NULL;
    (void)state;
    lab_options_of(&o, 10, "rank=6 model=gnmf neighbours=4");
    tsr_model *part = lab_fit(data, &o.o);
    o.o.graph = 1;
    check_ok(tsr_fit_resume(&whole, data, part, &o.o));
    assert_true(has_note(whole, "--graph was '-1' before iteration 10 and is '1' since"));
    assert_int_equal(tsr_model_report(whole).iterations, 20);
    for (int64_t i = 11; i < 20; i++)
        assert_true(whole->objective[i] <= whole->objective[i - 1] * (1 + 1e-12));
    tsr_model_free(whole);
    o.o.graph = -1;
    check_ok(tsr_fit_resume(&whole, other, part, &o.o));
    assert_true(has_note(whole, "J was"));
    tsr_model_free(whole);
    o.o.rank = 5;
    assert_int_equal(tsr_fit_resume(&whole, data, part, &o.o), TSR_ERROR_ARGUMENT);
    assert_non_null(strstr(tsr_message(), "--rank was '6' and cannot become '5'"));
    o.o.rank = 6;
    tsr__halt_clear(&part->state); /* as an archive of an older version */
    check_ok(tsr_fit_resume(&whole, data, part, &o.o));
    assert_true(has_note(whole, "not where the fit stopped"));
    assert_true(whole->report.objective <= part->report.objective);
    tsr_model_free(whole);
    tsr_model_free(part);
    tsr_data_free(data);
    tsr_data_free(other);
}

/* Writes the model with one part of it changed, and goes on from that. */
static tsr_status go_on_from(const tsr_data *data, tsr_model *model)
{
    tsr_model *from = NULL, *whole = NULL;
    tsr_status status = tsr_model_write(model, model_file);
    if (status == TSR_OK)
        status = tsr_model_read(&from, model_file);
    if (status == TSR_OK)
        status = tsr_fit_resume(&whole, data, from, tsr_model_options(from));
    tsr_model_free(from);
    tsr_model_free(whole);
    return status;
}

/* Archives that lack a part, or hold what no fit leaves, are refused by name and never read
 * beyond. */
static void odd_archives_are_refused(void **state)
{
    static const double bad[] = {(double)NAN, (double)INFINITY, -1};
    tsr_data *data = make_data(false, false, 0);
    lab_options o;
    (void)state;
    for (int concept = 0; concept < 2; concept ++)
        for (int i = 0; i < 3; i++) {
            lab_options_of(&o, 3, "rank=4 model=%s", concept ? "cf" : "nmf");
            tsr_model *model = lab_fit(data, &o.o);
            double *codes = tsr_matrix_edit(model->codes), code = codes[5];
            tsr_matrix *theta = concept ? model->weights : model->basis;
            double *values = tsr_matrix_edit(theta), value = values[7];
            codes[5] = bad[i];
            assert_true(go_on_from(data, model) < 0);
            codes[5] = code, values[7] = bad[i];
            assert_true(go_on_from(data, model) < 0);
            values[7] = value;
            model->state.push = 1 - 2 * bad[i]; /* NaN, -infinite, 3 */
            assert_true(go_on_from(data, model) < 0);
            model->state.push = 0.5;
            model->report.rho = bad[i];
            assert_true(go_on_from(data, model) < 0);
            model->report.rho = 1;
            double *gram = model->state.part[TSR_HALT_GRAM].values;
            model->state.part[TSR_HALT_GRAM].count -= 1;
            check_fails(go_on_from(data, model), TSR_ERROR_DATA, "gram");
            model->state.part[TSR_HALT_GRAM].count += 1;
            gram[0] = (double)NAN;
            assert_true(go_on_from(data, model) < 0);
            double *history = model->objective;
            model->objective = NULL;
            check_fails(go_on_from(data, model), TSR_ERROR_FORMAT, "no /objective");
            model->objective = history;
            if (concept) {
                model->weights = NULL;
                check_fails(go_on_from(data, model), TSR_ERROR_FORMAT, "no /weights");
                model->weights = theta;
            }
            tsr_model_free(model);
        }
    tsr_data_free(data);
}

/* Other labels: another rank, or other samples that teach. */
static void other_labels_are_refused(void **state)
{
    lab l = lab_make(N, M, 3, 0, 21), more = lab_make(N, M, 4, 0, 21);
    tsr_data *data = lab_data(&l, false), *other = lab_data(&more, false);
    lab_options o;
    tsr_model *whole = NULL;
    (void)state;
    lab_options_of(&o, 3, "model=cdnmf labelled=2");
    tsr_model *model = lab_fit(data, &o.o);
    for (int state_kept = 1; state_kept >= 0; state_kept--) {
        check_fails(tsr_fit_resume(&whole, other, model, &o.o), TSR_ERROR_DATA,
                    "has rank 3, and these data make it 4");
        o.o.seed = 5;
        check_fails(tsr_fit_resume(&whole, data, model, &o.o), TSR_ERROR_ARGUMENT, "--seed");
        o.o.seed = 0;
        tsr__halt_clear(&model->state);
    }
    tsr_model_free(model);
    tsr_data_free(data);
    tsr_data_free(other);
    lab_free(&l);
    lab_free(&more);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row),
        cmocka_unit_test(other_ways),
        cmocka_unit_test(stops_where_one_fit_would),
        cmocka_unit_test(other_weights_begin_anew),
        cmocka_unit_test(fits_change_places),
        cmocka_unit_test(starts_go_on),
        cmocka_unit_test(other_settings_are_said_or_refused),
        cmocka_unit_test(odd_archives_are_refused),
        cmocka_unit_test(other_labels_are_refused),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
