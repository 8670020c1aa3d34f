/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The law of teams: the same plan makes the same bits for any number of ranks that divides its leaves,
 * and for other numbers nearly the same, for every row of the model table that a team has; what a team
 * cannot have it refuses, on all ranks alike. Ranks are threads (band.h). */
#include "lab.h"

#include "band.h"
#include "matrix/store.h"

#include <math.h>

typedef struct sharing {
    const tsr_data *data;
    const tsr_fit_options *options;
    const tsr_model *from;
    tsr_model *model[BAND_MOST];
    tsr_status status[BAND_MOST];
    char message[BAND_MOST][512];
} sharing;

static void fit_share(tsr_team *team, void *context)
{
    sharing *s = context;
    tsr_data own = *s->data;
    own.team = team;
    tsr_model **out = &s->model[team->rank];
    s->status[team->rank] = s->from != NULL ? tsr_fit_resume(out, &own, s->from, s->options)
                                            : tsr_fit(out, &own, s->options);
    (void)snprintf(s->message[team->rank], sizeof s->message[0], "%s", tsr_message());
}

static void end_sharing(sharing *s)
{
    for (int r = 0; r < BAND_MOST; r++)
        tsr_model_free(s->model[r]);
}

/* One process with the plan of a team, and teams of some sizes. */
static void same_for_any_ranks(const tsr_data *data, lab_options *options, const char *what)
{
    options->o.plan = TSR_PLAN_TEAM;
    tsr_model *alone = lab_fit(data, &options->o);
    for (int ranks = 2; ranks <= 8; ranks *= 2) {
        sharing s = {.data = data, .options = &options->o};
        band_run(ranks, fit_share, &s);
        for (int r = 0; r < ranks; r++) {
            if (s.status[r] != TSR_OK)
                fail_msg("%s, rank %d of %d: %s", what, r, ranks, s.message[r]);
            if (!lab_same_models(alone, s.model[r]))
                fail_msg("%s: rank %d of %d has another model", what, r, ranks);
        }
        end_sharing(&s);
    }
    tsr_model_free(alone);
}

static void every_row_is_the_same(void **state)
{
    static const char *const solvers[] = {"auto", "mu"};
    tsr_model_info info;
    lab l = lab_make(230, 40, 3, 0, 31);
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        tsr_data *data = lab_data(&l, sparse == 1);
        for (int64_t row = 0; tsr_models_get(&info, row); row++)
            for (int solver = 0; solver < 2; solver++) {
                lab_options options;
                lab_options_of(&options, 6, "rank=6 model=%s solver=%s threads=1", info.name,
                               solvers[solver]);
                same_for_any_ranks(data, &options, info.name);
            }
        tsr_data_free(data);
    }
    lab_free(&l);
}

/* What else a fit may be asked for. */
static void settings_are_the_same(void **state)
{
    static const char *const lines[] = {
        "model=nmf normalize=l2 precision=single threads=3",
        "model=nmf-kl normalize=max precision=single threads=2",
        "model=nmf weighting=ncw normalize=l1",
        "model=gnmf-kl weighting=ncw-loss",
        "model=nmf init=nndsvda",
        "model=nmf-kl init=nndsvdar precision=single",
        "model=cnmf init=nndsvd normalize=l2",
        "model=nmf init=best restarts=2",
        "model=nmf loss=is",
        "model=nmf alpha-codes=0.01 alpha-basis=0.02 l1-ratio=0.5",
        "model=nmf-kl alpha-codes=0.01 basis-norm=none",
        "model=cnmf graph=1",
        "model=ccf graph=1 neighbours=3",
        "model=gnmf graph-weight=heat",
        "model=gnmf-kl graph-weight=cosine threads=2",
        "model=sgnmf graph-weight=heat heat=2",
        "model=snmf link-form=reward must=1e-4",
        "model=cnmf loss=is labelled=2",
        "model=cdnmf per-class=1 shared=3 labelled=20%",
        "model=unmf graph=2 class=1",
        "model=cf precision=single"};
    lab l = lab_make(311, 50, 3, 0.1, 7);
    tsr_data *positive = NULL;
    (void)state;
    for (int64_t i = 0; i < l.n * l.m; i++)
        l.x[i] += 0.01;
    positive = lab_data(&l, false);
    for (int64_t i = 0; i < l.n * l.m; i++)
        l.x[i] = l.x[i] > 0.02 ? l.x[i] : 0;
    for (int sparse = 0; sparse < 2; sparse++) {
        tsr_data *data = lab_data(&l, sparse == 1);
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
            lab_options options;
            const bool full = strstr(lines[i], "loss=is") != NULL; /* which knows no zeros */
            if (full && sparse == 1)
                continue;
            lab_options_of(&options, 4, "rank=6 %s", lines[i]);
            same_for_any_ranks(full ? positive : data, &options, lines[i]);
        }
        tsr_data_free(data);
    }
    tsr_data_free(positive);
    lab_free(&l);
}

/* Pairs and weights that the caller has, of all samples, on every rank. */
static void what_is_given_is_the_same(void **state)
{
    lab l = lab_make(200, 30, 3, 0.1, 9);
    tsr_data *data = lab_data(&l, false);
    tsr_matrix *links = NULL, *graph = NULL, *weights = NULL, *f = NULL, *g = NULL;
    double link[3 * 40], weight[200], start[200 * 5];
    int64_t row[400], column[400];
    double value[400];
    (void)state;
    for (int i = 0; i < 40; i++) {
        link[3 * i] = i, link[3 * i + 1] = 199 - 2 * i;
        link[3 * i + 2] = i % 2 == 0 ? 0.01 : -0.01;
    }
    for (int i = 0; i < 200; i++) {
        weight[i] = 1 + i % 3;
        row[2 * i] = column[2 * i + 1] = i;
        column[2 * i] = row[2 * i + 1] = (i + 77) % 200;
        value[2 * i] = value[2 * i + 1] = 1 + (i % 5);
    }
    lab_uniform(start, 200 * 5, 3);
    check_ok(tsr_matrix_view_dense(&links, link, 40, 3, 3, TSR_FLOAT64));
    check_ok(tsr_matrix_view_dense(&weights, weight, 200, 1, 1, TSR_FLOAT64));
    check_ok(tsr_matrix_create_sparse(&graph, 200, 200, 400, row, column, value, TSR_FLOAT64));
    check_ok(tsr_matrix_view_dense(&f, start, 5, 30, 30, TSR_FLOAT64));
    check_ok(tsr_matrix_view_dense(&g, start, 200, 5, 5, TSR_FLOAT64));
    const struct {
        const char *line;
        const tsr_matrix *links, *graph, *weights, *f, *g;
    } cases[] = {{"model=nmf", links, NULL, weights, NULL, NULL},
                 {"model=nmf-kl", links, NULL, NULL, f, g},
                 {"model=gnmf", NULL, graph, weights, f, g},
                 {"model=cnmf graph=1", links, graph, weights, NULL, NULL},
                 {"model=nmf-kl graph=1", links, graph, weights, NULL, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lab_options options;
        lab_options_of(&options, 4, "rank=5 %s", cases[i].line);
        options.o.links_matrix = cases[i].links;
        options.o.graph_matrix = cases[i].graph;
        options.o.sample_weights = cases[i].weights;
        options.o.init_basis = cases[i].f, options.o.init_codes = cases[i].g;
        same_for_any_ranks(data, &options, cases[i].line);
    }
    tsr_matrix_free(links);
    tsr_matrix_free(weights);
    tsr_matrix_free(graph);
    tsr_matrix_free(f);
    tsr_matrix_free(g);
    tsr_data_free(data);
    lab_free(&l);
}

/* Ranks that do not divide the leaves cut them otherwise, and add in another order. */
static void other_numbers_are_near(void **state)
{
    static const int numbers[] = {3, 5, 6, 7};
    tsr_model_info info;
    lab l = lab_make(240, 40, 3, 0.1, 3);
    tsr_data *data = lab_data(&l, false);
    (void)state;
    for (int64_t row = 0; tsr_models_get(&info, row); row++) {
        lab_options options;
        lab_options_of(&options, 1, "rank=6 model=%s plan=team", info.name);
        tsr_model *alone = lab_fit(data, &options.o);
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            sharing s = {.data = data, .options = &options.o};
            band_run(numbers[i], fit_share, &s);
            if (s.status[0] != TSR_OK)
                fail_msg("%s: %s", info.name, s.message[0]);
            const double apart = lab_models_apart(alone, s.model[0]);
            if (!(apart < 1e-12))
                fail_msg("%s, %d ranks: %g apart", info.name, numbers[i], apart);
            for (int r = 1; r < numbers[i]; r++)
                assert_true(lab_same_models(s.model[0], s.model[r]));
            end_sharing(&s);
        }
        tsr_model_free(alone);
    }
    tsr_data_free(data);
    lab_free(&l);
}

/* What stops on some ranks goes on on others: the bits are those of a fit that did not stop. */
static void fits_go_on_with_other_ranks(void **state)
{
    static const char *const models[] = {"nmf",  "nmf-kl", "cnmf", "gnmf", "cf",
                                         "cdcf", "ccf",    "unmf", "snmf"};
    lab l = lab_make(220, 30, 3, 0.1, 5);
    tsr_data *data = lab_data(&l, false);
    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        lab_options whole, part;
        lab_options_of(&whole, 9, "rank=6 model=%s plan=team tolerance=0", models[i]);
        lab_options_of(&part, 4, "rank=6 model=%s tolerance=0", models[i]);
        tsr_model *through = lab_fit(data, &whole.o), *alone = NULL;
        sharing first = {.data = data, .options = &part.o}, then;
        band_run(4, fit_share, &first);
        assert_int_equal(first.status[0], TSR_OK);
        part.o.iterations = 3;
        then = (sharing){.data = data, .options = &part.o, .from = first.model[3]};
        band_run(2, fit_share, &then);
        if (then.status[0] != TSR_OK)
            fail_msg("%s: %s", models[i], then.message[0]);
        part.o = *tsr_model_options(then.model[1]); /* which is by the plan of a team */
        part.o.iterations = 2;
        check_ok(tsr_fit_resume(&alone, data, then.model[1], &part.o));
        if (!lab_same_models(through, alone))
            fail_msg("%s: it matters who went on", models[i]);
        tsr_model_free(through);
        tsr_model_free(alone);
        end_sharing(&first);
        end_sharing(&then);
    }
    tsr_data_free(data);
    lab_free(&l);
}

/* What began alone, by a plan of its own, goes on in a team: it is the same model, and says what changed. */
static void fits_that_began_alone_go_on(void **state)
{
    static const char *const models[] = {"nmf", "nmf-kl", "cf", "cnmf-kl", "ccf"};
    lab l = lab_make(220, 30, 3, 0.1, 5);
    tsr_data *data = lab_data(&l, false);
    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        lab_options options;
        lab_options_of(&options, 6, "rank=6 model=%s tolerance=0", models[i]);
        tsr_model *alone = lab_fit(data, &options.o);
        sharing s = {.data = data, .options = &options.o, .from = alone};
        band_run(2, fit_share, &s);
        if (s.status[0] != TSR_OK)
            fail_msg("%s: %s", models[i], s.message[0]);
        const double before = tsr_model_report(alone).objective,
                     after = tsr_model_report(s.model[0]).objective;
        if (!(after < before) || tsr_model_report(s.model[0]).iterations != 12)
            fail_msg("%s: J was %g, and in a team becomes %g", models[i], before, after);
        bool told = false;
        for (int64_t j = 0; j < tsr_model_notes(s.model[0]); j++)
            told = told || strstr(tsr_model_note(s.model[0], j), "--plan was 'auto'") != NULL;
        assert_true(told);
        tsr_model_free(alone);
        end_sharing(&s);
    }
    tsr_data_free(data);
    lab_free(&l);
}

typedef struct odd {
    sharing s;
    const tsr_data *other; /* that rank 1 sees */
    int rank;              /* that rank 2 is asked; 0: as the others */
} odd;

static void fit_odd(tsr_team *team, void *context)
{
    odd *o = context;
    sharing one = o->s;
    lab_options options;
    one.model[team->rank] = NULL;
    if (team->rank == 1 && o->other != NULL)
        one.data = o->other;
    if (team->rank == 2 && o->rank > 0) {
        lab_options_of(&options, 4, "model=nmf rank=%d", o->rank);
        one.options = &options.o;
    }
    fit_share(team, &one);
    o->s.status[team->rank] = one.status[team->rank];
    memcpy(o->s.message[team->rank], one.message[team->rank], sizeof one.message[0]);
    tsr_model_free(one.model[team->rank]);
}

/* All ranks fail alike, with the same words; nobody waits for ever. */
static void check_refused(int ranks, odd *o, const char *words)
{
    band_run(ranks, fit_odd, o);
    for (int r = 0; r < ranks; r++) {
        if (o->s.status[r] >= 0)
            fail_msg("rank %d of %d fits", r, ranks);
        if (strstr(o->s.message[r], words) == NULL)
            fail_msg("rank %d: '%s' and not '%s'", r, o->s.message[r], words);
    }
}

static void what_cannot_be_is_refused_by_all(void **state)
{
    lab l = lab_make(60, 20, 3, 0.1, 5), other = lab_make(60, 20, 3, 0.1, 6),
        shorter = lab_make(59, 20, 3, 0.1, 5);
    tsr_data *data = lab_data(&l, false), *changed = lab_data(&other, false),
             *cut = lab_data(&shorter, false);
    static const struct {
        int ranks;
        const char *line, *words;
    } cases[] = {{2, "model=cf kernel=rbf rank=3", "a kernel is of samples by samples"},
                 {3, "model=nmf missing=mask rank=3", "a team has no missing values"},
                 {2, "model=nmf batch=20 rank=3", "a team has no batches"},
                 {4, "model=nmf init=kmeans rank=3", "no rank of a team has all samples"},
                 {61, "model=nmf rank=3", "60 samples are not enough for 61 ranks"},
                 {4, "model=gnmf neighbours=60 rank=3", "60 neighbours exceed the 59"},
                 {4, "model=nmf rank=500", "rank 500 exceeds"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lab_options options;
        lab_options_of(&options, 4, "%s", cases[i].line);
        odd o = {.s = {.data = data, .options = &options.o}};
        check_refused(cases[i].ranks, &o, cases[i].words);
    }
    lab_options options;
    lab_options_of(&options, 4, "model=nmf rank=3");
    odd values = {.s = {.data = data, .options = &options.o}, .other = changed};
    check_refused(4, &values, "has other values than where rank 0 is");
    check_refused(4, &values, "rank 1: ");
    odd size = {.s = {.data = data, .options = &options.o}, .other = cut};
    check_refused(4, &size, "59 x 20 values");
    odd settings = {.s = {.data = data, .options = &options.o}, .rank = 4};
    check_refused(4, &settings, "rank 2: the settings are others");
    tsr_data_free(data);
    tsr_data_free(changed);
    tsr_data_free(cut);
    lab_free(&l);
    lab_free(&other);
    lab_free(&shorter);
}

/* Only the first rank writes, and still all say whether there is a checkpoint: they bring what it
 * writes. */
static void fit_kept_by_one(tsr_team *team, void *context)
{
    sharing *s = context, one = *s;
    tsr_fit_options options = *s->options;
    options.checkpoint = team->rank == 0 ? "nowhere.h5" : NULL;
    one.options = &options;
    fit_share(team, &one);
    s->status[team->rank] = one.status[team->rank];
    memcpy(s->message[team->rank], one.message[team->rank], sizeof one.message[0]);
}

static void checkpoints_are_of_all(void **state)
{
    lab l = lab_make(60, 20, 3, 0.1, 5);
    tsr_data *data = lab_data(&l, false);
    lab_options options;
    (void)state;
    lab_options_of(&options, 4, "model=nmf rank=3");
    sharing s = {.data = data, .options = &options.o};
    band_run(3, fit_kept_by_one, &s);
    for (int r = 0; r < 3; r++) {
        assert_int_equal(s.status[r], TSR_ERROR_ARGUMENT);
        assert_non_null(strstr(s.message[r], "the settings are others than those of rank 0"));
    }
    tsr_data_free(data);
    lab_free(&l);
}

/* A row that has most of the entries, and many that have none: each rank has rows all the same, and the
 * bits are those of one process. */
static void uneven_samples_are_shared(void **state)
{
    static const char *const lines[] = {"model=nmf", "model=nmf-kl", "model=cnmf", "model=cf",
                                        "model=gnmf"};
    (void)state;
    for (int heavy = 0; heavy < 200; heavy += 66) {
        lab l = lab_make(200, 60, 3, 0.1, 5);
        for (int64_t i = 0; i < 200; i++)
            for (int64_t j = 0; j < 60 && i != heavy; j++)
                l.x[i * 60 + j] = j == i % 60 && i % 3 > 0 ? 1 : 0;
        for (int64_t j = 0; j < 60; j++)
            l.x[heavy * 60 + j] = 1 + (double)j;
        tsr_data *data = lab_data(&l, true);
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
            lab_options options;
            lab_options_of(&options, 4, "rank=6 %s", lines[i]);
            same_for_any_ranks(data, &options, lines[i]);
        }
        tsr_data_free(data);
        lab_free(&l);
    }
}

/* Memory that one rank lacks --------------------------------------------------------------- */

typedef struct starving {
    const tsr_data *data;
    const tsr_fit_options *options;
    const tsr_model *model; /* that goes on, encodes and is clustered; NULL: a fit */
    tsr_status (*use)(tsr_team *team, const tsr_data *data, const struct starving *s);
    int64_t nth, asked; /* the allocation of rank 0 that fails; how many there were */
    tsr_status status[BAND_MOST];
    char message[BAND_MOST][512];
} starving;

static tsr_status use_fit(tsr_team *team, const tsr_data *data, const starving *s)
{
    tsr_model *model = NULL;
    (void)team;
    const tsr_status status = s->model != NULL
                                  ? tsr_fit_resume(&model, data, s->model, s->options)
                                  : tsr_fit(&model, data, s->options);
    tsr_model_free(model);
    return status;
}

static tsr_status use_transform(tsr_team *team, const tsr_data *data, const starving *s)
{
    tsr_matrix *codes = NULL;
    (void)team;
    const tsr_status status = tsr_model_transform(&codes, s->model, data, NULL);
    tsr_matrix_free(codes);
    return status;
}

static tsr_status use_clusters(tsr_team *team, const tsr_data *data, const starving *s)
{
    const tsr_cluster_options options = {
        .clusters = 3, .restarts = 5, .seed = 3, .threads = 1, .team = team};
    int32_t of[60];
    (void)data;
    return tsr_cluster(of, NULL, tsr_model_codes(s->model), &options);
}

/* Threads share the counter of allocations, so that it is rank 0's for as long as the others wait for a
 * word of it, and nearly so after that: whose allocation fails is no matter. */
static void starve(tsr_team *team, void *context)
{
    starving *s = context;
    tsr_data own = *s->data;
    own.team = team;
    check_ok(tsr__team_agree(team, TSR_OK));
    if (team->rank == 0) {
        s->asked = tsr__memory_asked();
        tsr__memory_fail_at(s->nth);
    }
    check_ok(tsr__team_agree(team, TSR_OK));
    s->status[team->rank] = s->use(team, &own, s);
    (void)snprintf(s->message[team->rank], sizeof s->message[0], "%s", tsr_message());
}

static void check_alike(const starving *s, int ranks, const char *what)
{
    for (int r = 0; r < ranks; r++)
        if (s->status[r] != s->status[0] ||
            (s->status[r] != TSR_OK && s->status[r] != TSR_ERROR_MEMORY))
            fail_msg("%s, allocation %lld: rank %d ends with %s (%s), rank 0 with %s", what,
                     (long long)s->nth, r, tsr_status_name(s->status[r]), s->message[r],
                     tsr_status_name(s->status[0]));
}

static void walk_allocations(starving *s, int step, const char *what)
{
    enum { RANKS = 3 };
    s->nth = 0;
    band_run(RANKS, starve, s);
    const int64_t count = tsr__memory_asked() - s->asked;
    assert_int_equal(s->status[0], TSR_OK);
    for (s->nth = 1; s->nth <= count; s->nth += step) {
        const int64_t live = tsr__memory_live();
        band_run(RANKS, starve, s);
        tsr__memory_fail_at(0);
        check_alike(s, RANKS, what);
        assert_int_equal(tsr__memory_live(), live);
    }
}

static void memory_that_one_lacks_is_lacked_by_all(void **state)
{
    static const char *const lines[] = {"model=nmf",
                                        "model=nmf-kl precision=single",
                                        "model=cnmf labelled=2",
                                        "model=snmf",
                                        "model=gnmf graph-weight=heat neighbours=3",
                                        "model=cf",
                                        "model=ccf graph=1 neighbours=3",
                                        "model=nmf weighting=ncw init=nndsvdar"};
    lab l = lab_make(60, 20, 3, 0.1, 7);
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        tsr_data *data = lab_data(&l, sparse == 1);
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
            lab_options options;
            lab_options_of(&options, 3, "rank=6 threads=1 plan=team %s", lines[i]);
            tsr_model *model = lab_fit(data, &options.o);
            starving s = {.data = data, .options = &options.o, .use = use_fit};
            walk_allocations(&s, 11, lines[i]);
            s.model = model;
            walk_allocations(&s, 23, "going on");
            s.use = use_transform;
            walk_allocations(&s, 7, "encoding");
            s.use = use_clusters;
            walk_allocations(&s, 3, "clusters");
            tsr_model_free(model);
        }
        tsr_data_free(data);
    }
    lab_free(&l);
}

/* A sample is named as the user counts, whoever has it. */
static void encode_odd(tsr_team *team, void *context)
{
    sharing *s = context;
    tsr_data own = *s->data;
    tsr_matrix *codes = NULL;
    own.team = team;
    s->status[team->rank] = tsr_model_transform(&codes, s->from, &own, NULL);
    (void)snprintf(s->message[team->rank], sizeof s->message[0], "%s", tsr_message());
}

static void odd_samples_are_named(void **state)
{
    lab l = lab_make(60, 20, 3, 0.1, 5);
    tsr_data *data = lab_data(&l, false);
    lab_options options;
    (void)state;
    lab_options_of(&options, 4, "model=nmf rank=3");
    tsr_model *model = lab_fit(data, &options.o);
    l.x[57 * 20 + 3] = -1;
    tsr_data *wrong = lab_data(&l, false);
    sharing s = {.data = wrong, .from = model};
    band_run(4, encode_odd, &s);
    for (int r = 0; r < 4; r++)
        if (s.status[r] != TSR_ERROR_DATA ||
            strstr(s.message[r], "sample 57, feature 3 is -1") == NULL)
            fail_msg("rank %d: %s", r, s.message[r]);
    tsr_model_free(model);
    tsr_data_free(data);
    tsr_data_free(wrong);
    lab_free(&l);
}

static bool stop_rank_2(void *user, const tsr_step *step)
{
    const tsr_team *team = user;
    return !(team->rank == 2 && step->done == 3);
}

static void fit_stopped(tsr_team *team, void *context)
{
    sharing *s = context;
    tsr_data own = *s->data;
    const tsr_progress progress = {stop_rank_2, team};
    tsr_fit_options options = *s->options;
    options.progress = &progress;
    own.team = team;
    s->status[team->rank] = tsr_fit(&s->model[team->rank], &own, &options);
}

/* One rank is asked to stop, and all do after the same iteration, with their model. */
static void a_wish_to_stop_is_everybodys(void **state)
{
    lab l = lab_make(100, 20, 3, 0.1, 5);
    tsr_data *data = lab_data(&l, false);
    lab_options options;
    (void)state;
    lab_options_of(&options, 50, "model=nmf rank=3 tolerance=0");
    sharing s = {.data = data, .options = &options.o};
    band_run(4, fit_stopped, &s);
    for (int r = 0; r < 4; r++) {
        assert_int_equal(s.status[r], TSR_ERROR_INTERRUPTED);
        assert_int_equal(tsr_model_report(s.model[r]).iterations, 3);
        assert_true(lab_same_models(s.model[0], s.model[r]));
    }
    end_sharing(&s);
    tsr_data_free(data);
    lab_free(&l);
}

/* Bytes -------------------------------------------------------------------------------------- */

typedef struct counting {
    const tsr_data *data;
    const tsr_fit_options *options;
    int64_t sent[BAND_MOST];
    double said[BAND_MOST];
} counting;

static void fit_counted(tsr_team *team, void *context)
{
    counting *c = context;
    tsr_data own = *c->data;
    tsr_model *model = NULL;
    own.team = team;
    check_ok(tsr_fit(&model, &own, c->options));
    c->sent[team->rank] = tsr__team_sent(team);
    for (int64_t i = 0; i < model->plan.count; i++) {
        const char *said = strstr(model->plan.name[i], "ranks, ");
        if (said != NULL)
            c->said[team->rank] = 1e6 * strtod(said + strlen("ranks, "), NULL);
    }
    tsr_model_free(model);
}

/* What twenty iterations more send is twenty times what the plan says: within a tenth. Steps that are
 * taken back send more, so that extrapolation is not looked at. */
static void a_plan_says_what_is_sent(void **state)
{
    static const char *const lines[] = {"model=nmf solver=mu",
                                        "model=nmf-kl solver=mu",
                                        "model=nmf-kl",
                                        "model=nmf loss=is",
                                        "model=cnmf solver=mu",
                                        "model=cdnmf solver=mu",
                                        "model=gnmf solver=mu",
                                        "model=gnmf-kl",
                                        "model=snmf solver=mu",
                                        "model=dsnmf",
                                        "model=unmf solver=mu",
                                        "model=cf solver=mu",
                                        "model=cdcf solver=mu",
                                        "model=ccf solver=mu",
                                        "model=lccf solver=mu",
                                        "model=ugnmf solver=mu",
                                        "model=nmf-kl precision=single"};
    lab l = lab_make(400, 90, 3, 0.1, 3);
    (void)state;
    for (int64_t i = 0; i < l.n * l.m; i++)
        l.x[i] += 0.01;
    tsr_data *data = lab_data(&l, false);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        for (int ranks = 2; ranks <= 8; ranks *= 2) {
            lab_options few, many;
            lab_options_of(&few, 2, "rank=12 tolerance=0 %s", lines[i]);
            lab_options_of(&many, 22, "rank=12 tolerance=0 %s", lines[i]);
            counting one = {.data = data, .options = &few.o},
                     other = {.data = data, .options = &many.o};
            band_run(ranks, fit_counted, &one);
            band_run(ranks, fit_counted, &other);
            for (int r = 0; r < ranks; r++) {
                const double sent = (double)(other.sent[r] - one.sent[r]) / 20;
                if (!(fabs(sent - other.said[r]) <= 0.1 * other.said[r]))
                    fail_msg("%s, rank %d of %d sends %g bytes, and the plan says %g", lines[i],
                             r, ranks, sent, other.said[r]);
            }
        }
    tsr_data_free(data);
    lab_free(&l);
}

/* Use ---------------------------------------------------------------------------------------- */

typedef struct using
{
    const tsr_data *data;
    const tsr_model *model;
    const tsr_matrix *codes;
    tsr_matrix *encoded[BAND_MOST];
    int32_t *of[BAND_MOST];
    double cost[BAND_MOST];
}
using;

static void use_model(tsr_team *team, void *context)
{
    using *u = context;
    const int64_t n = tsr_matrix_samples(u->codes);
    const tsr_cluster_options cluster = {.clusters = 3, .restarts = 7, .seed = 3, .team = team};
    tsr_data own = *u->data;
    own.team = team;
    check_ok(tsr_model_transform(&u->encoded[team->rank], u->model, &own, NULL));
    u->of[team->rank] = calloc((size_t)n, sizeof(int32_t));
    check_ok(tsr_cluster(u->of[team->rank], &u->cost[team->rank], u->codes, &cluster));
}

static void codes_and_clusters_are_the_same(void **state)
{
    static const char *const lines[] = {"model=nmf", "model=nmf-kl precision=single",
                                        "model=cf", "model=nmf-ncw normalize=l2"};
    lab l = lab_make(173, 30, 3, 0.1, 3), few = lab_make(5, 30, 3, 0.1, 4);
    tsr_data *data = lab_data(&l, false), *new[] = {lab_data(&l, true), lab_data(&few, false)};
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        for (int which = 0; which < 2; which++) {
            lab_options options;
            int32_t of[173];
            double cost = 0;
            tsr_matrix *codes = NULL;
            lab_options_of(&options, 5, "rank=6 %s", lines[i]);
            tsr_model *model = lab_fit(data, &options.o);
            const tsr_cluster_options cluster = {.clusters = 3, .restarts = 7, .seed = 3};
            check_ok(tsr_model_transform(&codes, model, new[which], NULL));
            check_ok(tsr_cluster(of, &cost, tsr_model_codes(model), &cluster));
            for (int ranks = 1; ranks <= 9; ranks += 2) {
                using u = {.data = new[which], .model = model, .codes = tsr_model_codes(model)};
                band_run(ranks, use_model, &u);
                for (int r = 0; r < ranks; r++) {
                    if (!lab_same_bits(codes, u.encoded[r]))
                        fail_msg("%s: rank %d of %d has other codes", lines[i], r, ranks);
                    assert_memory_equal(of, u.of[r], sizeof of);
                    assert_true(cost == u.cost[r]);
                    tsr_matrix_free(u.encoded[r]);
                    free(u.of[r]);
                }
            }
            tsr_matrix_free(codes);
            tsr_model_free(model);
        }
    tsr_data_free(data);
    tsr_data_free(new[0]);
    tsr_data_free(new[1]);
    lab_free(&l);
    lab_free(&few);
}

/* Files -------------------------------------------------------------------------------------- */

static char far_file[1100];

static int make_far_file(void **state)
{
    const int status = make_files(state);
    (void)snprintf(far_file, sizeof far_file, "%s/far.h5", folder);
    return status;
}

static int remove_far_file(void **state)
{
    (void)unlink(far_file);
    return remove_files(state);
}

typedef struct reading {
    const tsr_fit_options *options;
    int64_t memory;
    tsr_model *model[BAND_MOST];
    double share[BAND_MOST]; /* of the file's values that a rank reads */
} reading;

static void fit_file(tsr_team *team, void *context)
{
    reading *r = context;
    tsr_data *data = NULL;
    const tsr_read_options read = {.team = team, .memory = r->memory};
    tsr_team_enter(team);
    check_ok(tsr_data_read(&data, far_file, &read));
    const tsr_matrix *x = tsr_data_samples(data);
    const int64_t each =
        (int64_t)tsr__type_size(x->type) + (x->sparse ? (int64_t)sizeof(int32_t) : 0);
    assert_true(tsr__matrix_is_stored(x));
    data->memory = r->memory > 0 ? r->memory : 0;
    check_ok(tsr_fit(&r->model[team->rank], data, r->options));
    r->share[team->rank] =
        (double)tsr__matrix_bytes_read(x) / (double)(tsr_matrix_stored(x) * each);
    tsr_data_free(data);
    check_ok(tsr_team_leave(team, TSR_OK));
}

/* Each rank reads its share of a file, once where memory holds it, and the bits are those of a
 * process that has all; streams in a team likewise. */
static void ranks_read_their_share(void **state)
{
    static const char *const lines[] = {"model=nmf", "model=nmf-kl", "model=cnmf",
                                        "model=cf",  "model=ccf",    "model=cnmf normalize=l2"};
    lab l = lab_make(12000, 60, 3, 0, 3);
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        tsr_data *data = lab_data(&l, sparse == 1);
        check_ok(tsr_data_write(data, far_file));
        const int64_t bytes =
            tsr_matrix_stored(tsr_data_samples(data)) * (sparse == 1 ? 12 : 8);
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
            for (int streams = 0; streams < 2; streams++) {
                lab_options options;
                lab_options_of(&options, 4, "rank=6 plan=team %s", lines[i]);
                tsr_model *alone = lab_fit(data, &options.o);
                for (int ranks = 2; ranks <= 8; ranks *= 2) {
                    reading r = {.options = &options.o};
                    r.memory = streams == 1 ? (int64_t)(3.8 * (double)bytes / ranks) : 0;
                    band_run(ranks, fit_file, &r);
                    for (int rank = 0; rank < ranks; rank++) {
                        if (!lab_same_models(alone, r.model[rank]))
                            fail_msg("%s from a file: rank %d of %d has another model",
                                     lines[i], rank, ranks);
                        tsr_model_free(r.model[rank]);
                        if (streams == 0 ? fabs(r.share[rank] * ranks - 1) > 0.05
                                         : r.share[rank] * ranks < 3)
                            fail_msg("%s: rank %d of %d reads %.3f of the file", lines[i], rank,
                                     ranks, r.share[rank]);
                    }
                }
                tsr_model_free(alone);
            }
        tsr_data_free(data);
    }
    lab_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_the_same),
        cmocka_unit_test(settings_are_the_same),
        cmocka_unit_test(what_is_given_is_the_same),
        cmocka_unit_test(other_numbers_are_near),
        cmocka_unit_test(fits_go_on_with_other_ranks),
        cmocka_unit_test(fits_that_began_alone_go_on),
        cmocka_unit_test(what_cannot_be_is_refused_by_all),
        cmocka_unit_test(checkpoints_are_of_all),
        cmocka_unit_test(uneven_samples_are_shared),
        cmocka_unit_test(memory_that_one_lacks_is_lacked_by_all),
        cmocka_unit_test(odd_samples_are_named),
        cmocka_unit_test(a_wish_to_stop_is_everybodys),
        cmocka_unit_test(a_plan_says_what_is_sent),
        cmocka_unit_test(codes_and_clusters_are_the_same),
        cmocka_unit_test_setup_teardown(ranks_read_their_share, make_far_file, remove_far_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
