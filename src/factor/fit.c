/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Fitting: prepare the data, make a plan, solve from each start, keep the best, hand the parts
 * over. J is that on the original data; where it is no number, or falls without end, the error
 * names the weight to lower.
 *
 * What can be refused is refused early: settings and the place of checkpoints before the data
 * are touched, the data before room is taken. An iteration fails only where a source does, and
 * allocates nothing but its line of the history.
 *
 * Starts share problem, plan and room; they differ in the stream of random numbers (init.c). Of
 * the model there is one copy, that of the best start so far: a start that is not better costs
 * time and no memory. */
#include "factor/batch.h"
#include "io/file.h"
#include "matrix/store.h"
#include "matrix/team.h"

#include <math.h>
#include <stdio.h>

/* The heaviest weight of a term, or TSR_WEIGHTS. Weights of one unit can be compared; the
 * largest is the likeliest culprit where J overflows. */
static tsr__weight_name heaviest(const tsr__plan *plan, const tsr__weights *w)
{
    tsr__weight_name most = TSR_WEIGHTS;
    for (const tsr__term *t = plan->term; t < tsr__terms_end(plan); t++) {
        const tsr__weight_name of = t->kind->weights[0];
        if (of != TSR_WEIGHTS && w->of[of] > 0 &&
            (most == TSR_WEIGHTS || w->of[of] > w->of[most]))
            most = of;
    }
    return most;
}

/* A reward for must-links has no lower bound (mathematics.md, section 5), so that it is named
 * first, whatever the size of the other weights. */
static tsr_status diverged(const tsr__run *r)
{
    const tsr__weights *w = &r->spec.weights;
    const tsr__weight_name most = heaviest(&r->plan, w);
    if (r->problem.pairs.reward &&
        (w->of[TSR_WEIGHT_MUST] > 0 || r->problem.pairs.attract != NULL))
        return tsr__fail(TSR_ERROR_DIVERGED,
                         "the must-link reward outgrew the loss: lower --must (now %g) or take "
                         "--link-form bounded",
                         w->of[TSR_WEIGHT_MUST]);
    if (most != TSR_WEIGHTS)
        return tsr__fail(TSR_ERROR_DIVERGED,
                         "the objective is no longer a number: lower --%s (now %g)",
                         tsr__weight_names[most], w->of[most]);
    return tsr__fail(TSR_ERROR_DIVERGED,
                     "the objective is no longer a number: the data may span "
                     "too many powers of ten");
}

/* The best so far of the finished starts stands in for the current run's factors. Nothing is
 * copied: the borrower must give all back, by lending it nothing, before it is freed. */
static void lend(tsr_model *to, const tsr_model *best)
{
    to->report = best->report;
    to->basis = best->basis, to->codes = best->codes, to->weights = best->weights;
    to->gram = best->gram, to->objective = best->objective, to->seconds = best->seconds;
    to->history = best->history;
    for (int i = 0; best->basis != NULL && i < TSR_TERMS; i++)
        to->terms[i] = best->terms[i];
}

/* The model so far, with all that a finished one keeps and the current run to go on from. A
 * checkpoint is a model like any other: transform and predict read it while the fit goes on. It
 * holds the best factors there are, those of the current run or of a start before it; in the
 * second case the current run is kept apart from them, or going on would lose it. */
static tsr_status gather_so_far(tsr_model **out, bool *lent, tsr__run *r)
{
    tsr_status status = TSR_OK;
    const double now = tsr__run_objective(r);
    TSR_TRY(tsr__team_heard(r->data->team));
    TSR_TRY(tsr__run_begin_model(out, r));
    if (r->model->basis != NULL && r->least <= now) {
        lend(*out, r->model);
        *lent = true;
        TSR_TRY(tsr__run_keep_apart(*out, r));
    } else {
        TSR_TRY(tsr__run_keep(*out, r));
    }
    TSR_TRY(tsr__run_remember(*out, r));
done:
    return status;
}

/* All ranks of a team bring what they have, and the first writes it. What one of them cannot bring
 * ends the fit; what cannot be written, or alone be made, does not. */
static tsr_status save(bool *failed, tsr__run *r)
{
    static const tsr_model nothing;
    tsr_model *so_far = NULL;
    bool lent = false;
    tsr_status status = gather_so_far(&so_far, &lent, r);
    *failed = status < 0;
    if (status == TSR_OK && tsr__team_rank(r->data->team) == 0)
        *failed = tsr_model_write(so_far, r->options->checkpoint) < 0;
    if (lent)
        lend(so_far, &nothing);
    tsr_model_free(so_far);
    return tsr__team_shares(r->data->team) ? status : TSR_OK;
}

/* Once a minute. */
static bool due(void *user)
{
    enum { EVERY = 60 };
    const tsr__run *r = user;
    return tsr__clock() - r->saved >= EVERY;
}

/* A disk that is full for a while is no reason to lose the fit: the first of the checkpoints that
 * fail is noted, and returned to be told. The clock is set before the attempt, so that a slow disk does
 * not take every iteration. The note belongs to the model and outlives the return.
 * tests/test_checkpoint.c. */
static tsr_status save_sometimes(const char **told, void *user)
{
    tsr__run *r = user;
    char note[TSR_MESSAGE_SIZE + 128];
    tsr__names *notes = &r->model->notes;
    bool failed = false;
    r->saved = tsr__clock();
    TSR_OR_RETURN(save(&failed, r));
    const bool news = failed && !r->unsaved;
    r->unsaved = failed;
    if (!news)
        return TSR_OK;
    (void)snprintf(note, sizeof note,
                   "the checkpoint after %lld iterations could not be written, and is tried "
                   "again every minute: %s",
                   (long long)r->history.iterations, tsr_message());
    *told = tsr__names_add(notes, note) == TSR_OK ? notes->name[notes->count - 1] : NULL;
    return TSR_OK;
}

static tsr_status step(void *user)
{
    tsr__solver *s = &((tsr__run *)user)->solver;
    tsr__solver_step(s);
    return s->work.trouble;
}

static double objective(void *user, double *terms)
{
    const tsr__run *r = user;
    return terms != NULL ? tsr__solver_terms(terms, &r->solver)
                         : tsr__solver_objective(&r->solver);
}

/* Solves from where the solver stands, and keeps the run if it is the best. The terms at the
 * first start are kept for note_weights (harvest.c): a later start would tell the same, and a
 * fit that goes on no longer knows what its start was like. */
static tsr_status finish_run(tsr__run *r)
{
    tsr_status status = TSR_OK;
    const bool saves = r->options->checkpoint != NULL;
    tsr__loop loop = {.steps = {r, step, objective, saves ? due : NULL, save_sometimes},
                      .team = r->data->team,
                      .options = r->options,
                      .history = &r->history,
                      .since = r->since,
                      .limit = r->limit,
                      .size = tsr__run_size(r)};
    r->saved = tsr__clock();
    if (isnan(r->begun[TSR_TERM_LOSS]))
        (void)tsr__solver_terms(r->begun, &r->solver);
    TSR_TRY(tsr__solve(&loop));
    const double now = tsr__run_objective(r);
    if (loop.diverged || !isfinite(now))
        TSR_TRY(diverged(r));
    r->converged = loop.converged, r->interrupted = loop.interrupted;
    if (!r->interrupted) /* else the run is not at its end */
        r->most = fmax(r->most, now);
    /* A run that was interrupted and is the best is the model itself, and goes on from there;
     * one that is not must be kept beside the model. */
    if (now < r->least) {
        r->least = now;
        TSR_TRY(tsr__run_keep(r->model, r));
    } else if (r->interrupted) {
        TSR_TRY(tsr__run_keep_apart(r->model, r));
    }
done:
    return status;
}

/* `next` is counted up before the run, so that a checkpoint within it names the start after it.
 * The history is begun anew for every start, in the room that it has. */
static tsr_status run_starts(tsr__run *r)
{
    tsr_status status = TSR_OK;
    if (r->from != NULL)
        TSR_TRY(finish_run(r));
    while (r->next < r->options->restarts && !r->interrupted) {
        r->history.iterations = r->since = 0;
        if (r->plan.batch > 0)
            TSR_TRY(tsr__batch_begin(r));
        if (r->since == 0) {
            TSR_TRY(tsr__init_factors(&r->solver, &r->spec, r->next));
            tsr__solver_start(&r->solver);
            TSR_TRY(r->solver.work.trouble);
        }
        r->next++;
        TSR_TRY(finish_run(r));
    }
    r->model->state.next = r->next;
    r->model->state.most = r->most;
    /* relative to J, or to what the data alone add where the fit is perfect */
    r->model->report.spread =
        (fmax(r->most, r->least) - r->least) / (fabs(r->least) + 1e-12 * tsr__run_size(r));
done:
    return status;
}

/* What the fit will take: the arena; the factors of the model once more, and what it goes on from;
 * what is kept of each sample (`each`); and the samples, where they are in memory. Asked before it is
 * taken, where the reader of the data was given a limit. */
static tsr_status check_memory(const tsr__run *r)
{
    const tsr_matrix *x = tsr_data_samples(r->data);
    const double size = (double)tsr__type_size(r->spec.type), k = (double)r->plan.k,
                 m = (double)r->problem.features, n = (double)r->problem.samples,
                 copies = 1 + r->plan.map->woven, each = 32,
                 diffused = r->spec.weights.of[TSR_WEIGHT_DIFFUSE] > 0
                                ? 5 * 8 * (double)r->problem.n + size * n
                                : 0,
                 led = r->plan.extrapolates ? (double)tsr__plain_rows(&r->solver) : 0,
                 held = tsr__matrix_is_stored(x)
                            ? 0
                            : (double)tsr_matrix_stored(x) * (double)tsr__type_size(x->type),
                 wanted = (double)r->arena.used + k * size * (m + copies * n + led) +
                          k * diffused + each * n + held,
                 limit = (double)r->data->memory;
    if (limit == 0 || wanted <= limit)
        return TSR_OK;
    return tsr__fail(
        TSR_ERROR_MEMORY,
        "a fit of rank %lld takes %.4g MB, and --memory allows %.4g MB: raise it, or "
        "take a lower --rank%s%s",
        (long long)r->plan.k, wanted / 1e6, limit / 1e6,
        r->spec.type == TSR_FLOAT64 ? " or --precision single" : "",
        r->plan.threads > 1 ? " or fewer --threads" : "");
}

/* The order matters. rho of the fit that goes on takes the place of that of the data before the
 * plan is made, since the plan's weights are made of it: they have to be the same to the last
 * bit. The rank comes before the plan, which cuts blocks for it. The layout runs twice, first
 * to add sizes up, then to hand memory out (base/memory.h). */
tsr_status tsr__run_open(tsr__run *r)
{
    tsr_status status = TSR_OK;
    int64_t rank = 0, per_class = 0;
    const tsr_model *like = r->from != NULL ? r->from : r->like;
    r->begun[TSR_TERM_LOSS] = (double)NAN;
    r->least = (double)INFINITY, r->most = (double)-INFINITY;
    r->limit = r->options->iterations;
    TSR_TRY(tsr__spec_make(&r->spec, r->options));
    if (r->like != NULL) /* new samples alone are no graph to speak of */
        r->spec.weights.of[TSR_WEIGHT_DIFFUSE] = 0;
    if (r->options->checkpoint != NULL && tsr__team_rank(r->data->team) == 0)
        TSR_TRY(tsr__output_check(r->options->checkpoint, false));
    if (r->from != NULL)
        TSR_TRY(tsr__resume_check(&r->fresh, r, &r->notes));
    TSR_TRY(tsr__same_call(r->data, r->options));
    TSR_TRY(tsr__problem_make(&r->problem, &r->spec, r->data, &r->notes));
    if (like != NULL && like->report.rho > 0)
        r->problem.rho = like->report.rho;
    TSR_TRY(tsr__plan_rank(&rank, &per_class, &r->spec, &r->problem));
    if (r->from != NULL)
        TSR_TRY(tsr__resume_compare(r, rank));
    TSR_TRY(tsr__plan_make(&r->plan, &r->spec, &r->problem, rank, per_class));
    r->solver = tsr__solver_of(&r->plan, &r->problem);
    tsr__solver_layout(&r->solver, &r->arena);
    TSR_TRY(check_memory(r));
    TSR_TRY(tsr__arena_open(&r->arena));
    tsr__solver_layout(&r->solver, &r->arena);
    tsr__divide_features(&r->solver);
    TSR_TRY(tsr__team_reserve(tsr__problem_team(&r->problem),
                              tsr__totals_width(&r->solver, r->solver.m)));
    TSR_TRY(tsr__run_begin_model(&r->model, r));
done:
    return status;
}

void tsr__run_close(tsr__run *r)
{
    tsr__history_clear(&r->history);
    tsr__arena_close(&r->arena);
    tsr__problem_clear(&r->problem);
    tsr__names_clear(&r->notes);
    tsr_model_free(r->model);
}

static tsr_status make_fit(tsr__run *r)
{
    tsr_status status = TSR_OK;
    TSR_TRY(tsr__run_open(r));
    if (r->from != NULL)
        TSR_TRY(tsr__resume_begin(r, r->fresh));
    TSR_TRY(run_starts(r));
    TSR_TRY(tsr__run_remember(r->model, r));
    TSR_TRY(tsr__diffuse(r->model, r));
done:
    return status;
}

/* An interrupted fit returns its model and an error: the caller has both. */
static tsr_status run_fit(tsr_model **out, tsr__run *r)
{
    tsr_team_enter(r->data->team);
    tsr_status status = tsr_team_leave(r->data->team, make_fit(r));
    if (status == TSR_OK) {
        *out = r->model, r->model = NULL;
        if (r->interrupted)
            status = tsr__fail(TSR_ERROR_INTERRUPTED, "stopped after %lld iterations",
                               (long long)r->history.iterations);
    }
    tsr__run_close(r);
    return status;
}

/* A team has its own plan, and the model says so: whoever goes on alone takes the same. */
static void take_plan(tsr_fit_options *options, const tsr_data *data)
{
    if (tsr__team_shares(data->team) && options->plan == TSR_PLAN_AUTO)
        options->plan = TSR_PLAN_TEAM;
}

tsr_status tsr_fit(tsr_model **out, const tsr_data *data, const tsr_fit_options *options)
{
    TSR_REQUIRE(out, data);
    tsr_fit_options with;
    tsr_fit_defaults(&with);
    with = options != NULL ? *options : with;
    take_plan(&with, data);
    tsr__run r = {.options = &with, .data = data};
    return run_fit(out, &r);
}

/* `with` is a copy on this stack, whose texts are the caller's or those of `from`: both outlive
 * the fit, and the new model copies them. Sample weights are no setting; those of the model
 * count unless the caller brings others. */
tsr_status tsr_fit_resume(tsr_model **out, const tsr_data *data, const tsr_model *from,
                          const tsr_fit_options *options)
{
    TSR_REQUIRE(out, data, from);
    tsr_fit_options with = options != NULL ? *options : from->options;
    if (options == NULL)
        with.checkpoint = NULL; /* an archive does not say what is written */
    take_plan(&with, data);
    tsr__run r = {.options = &with, .data = data, .from = from};
    if (with.sample_weights == NULL)
        with.sample_weights = from->sample_weights;
    return run_fit(out, &r);
}
