/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Fitting: prepare the data, run the solver from each start, keep the best, hand the parts
 * over.
 *
 * An iteration's objective is J on the original data. A run stops when ten iterations together
 * gain less than `tolerance` of J, or when progress says so; an objective that is not finite,
 * or that falls without end, stops it with an error that names the weight to lower. */
#include "factor/run.h"
#include "io/file.h"

#include <math.h>

enum { WINDOW = 10 };

static tsr_status diverged(const tsr__run *r)
{
    const tsr__weights *w = &r->plan.weights;
    if (r->options->link_form == 1 && (w->links_must > 0 || r->options->links != NULL))
        return tsr__fail(TSR_ERROR_DIVERGED,
                         "the must-link reward outgrew the loss: lower --must (now %g) or take "
                         "--link-form bounded",
                         w->links_must);
    const struct {
        const char *name;
        double weight;
    } weights[] = {{"class", w->class_driven},
                   {"graph", w->graph},
                   {"cannot", w->links_cannot},
                   {"decorrelate", w->decorrelate}};
    size_t heaviest = 0;
    for (size_t i = 1; i < sizeof weights / sizeof *weights; i++)
        heaviest = weights[i].weight > weights[heaviest].weight ? i : heaviest;
    if (weights[heaviest].weight > 0)
        return tsr__fail(TSR_ERROR_DIVERGED,
                         "the objective is no longer a number: lower --%s "
                         "(now %g)",
                         weights[heaviest].name, weights[heaviest].weight);
    return tsr__fail(TSR_ERROR_DIVERGED,
                     "the objective is no longer a number: the data may span "
                     "too many powers of ten");
}

/* True when the last ten iterations together gained less than the tolerance. */
static bool settled(const tsr__run *r, int64_t done)
{
    if (r->options->tolerance <= 0 || done <= WINDOW)
        return false;
    const double before = r->objective[done - 1 - WINDOW], now = r->objective[done - 1];
    return before - now <= r->options->tolerance * fabs(now);
}

/* The best so far of the finished starts stands in for the current run's factors. */
static void lend(tsr_model *to, const tsr_model *best)
{
    to->report = best->report;
    to->basis = best->basis, to->codes = best->codes, to->weights = best->weights;
    to->gram = best->gram, to->objective = best->objective, to->seconds = best->seconds;
    for (int i = 0; best->basis != NULL && i < TSR_TERMS; i++)
        to->terms[i] = best->terms[i];
}

/* The model so far, with all that a finished one keeps and the current run to go on from. */
static tsr_status save(tsr__run *r)
{
    static const tsr_model nothing;
    tsr_status status = TSR_OK;
    tsr_model *so_far = NULL;
    bool lent = false;
    TSR_TRY(tsr__run_begin_model(&so_far, r));
    if (r->model->basis != NULL && r->least <= r->objective[r->iterations - 1]) {
        lend(so_far, r->model);
        lent = true;
        TSR_TRY(tsr__run_keep_apart(so_far, r));
    } else {
        TSR_TRY(tsr__run_keep(so_far, r));
    }
    TSR_TRY(tsr__run_remember(so_far, r));
    TSR_TRY(tsr_model_write(so_far, r->options->checkpoint));
done:
    if (lent)
        lend(so_far, &nothing);
    tsr_model_free(so_far);
    return status;
}

/* Saves once a minute. A disk that is full for a while is no reason to lose the fit: the first
 * of the checkpoints that fail is noted, and returned to be told. */
static const char *checkpoint(tsr__run *r)
{
    enum { EVERY = 60 };
    char note[TSR_MESSAGE_SIZE + 128];
    tsr__names *notes = &r->model->notes;
    if (r->options->checkpoint == NULL || tsr__clock() - r->saved < EVERY)
        return NULL;
    r->saved = tsr__clock();
    const bool failed = save(r) < 0, news = failed && !r->unsaved;
    r->unsaved = failed;
    if (!news)
        return NULL;
    (void)snprintf(note, sizeof note,
                   "the checkpoint after %lld iterations could not be written, and is tried "
                   "again every minute: %s",
                   (long long)r->iterations, tsr_message());
    return tsr__names_add(notes, note) == TSR_OK ? notes->name[notes->count - 1] : NULL;
}

/* Steps until the run has settled, or has had its iterations. */
static tsr_status iterate(tsr__run *r)
{
    tsr_status status = TSR_OK;
    tsr__task task = tsr__task_begin(r->options->progress, "fitting", r->limit);
    const double before = r->iterations > 0 ? r->seconds[r->iterations - 1] : 0,
                 start = tsr__clock();
    const double first = fmax(fabs(tsr__solver_objective(&r->solver)), tsr__run_size(r));
    double last = (double)NAN;
    r->converged = false;
    r->saved = start;
    if (isnan(r->begun[TSR_TERM_LOSS]))
        tsr__solver_terms(r->begun, &r->solver);
    while (r->iterations < r->limit && !r->converged) {
        tsr__solver_step(&r->solver);
        const double now = tsr__solver_objective(&r->solver);
        r->objective[r->iterations] = now;
        r->seconds[r->iterations++] = before + tsr__clock() - start;
        if (!isfinite(now) || now < -1e6 * first)
            return diverged(r);
        r->converged = settled(r, r->iterations);
        task.note = checkpoint(r);
        status = tsr__task_step(&task, r->iterations, now, fabs(last - now) / fabs(now));
        last = now;
        if (status == TSR_ERROR_INTERRUPTED) {
            r->interrupted = true;
            return TSR_OK;
        }
        TSR_TRY(status);
    }
done:
    return status;
}

/* Iterates from where the solver stands, and keeps the run if it is the best. */
static tsr_status finish_run(tsr__run *r)
{
    tsr_status status = TSR_OK;
    TSR_TRY(iterate(r));
    const double now =
        r->iterations > 0 ? r->objective[r->iterations - 1] : tsr__solver_objective(&r->solver);
    if (!isfinite(now))
        TSR_TRY(diverged(r));
    if (!r->interrupted) /* else the run is not at its end */
        r->most = fmax(r->most, now);
    if (now < r->least) {
        r->least = now;
        TSR_TRY(tsr__run_keep(r->model, r));
    } else if (r->interrupted) {
        TSR_TRY(tsr__run_keep_apart(r->model, r));
    }
done:
    return status;
}

static tsr_status run_starts(tsr__run *r)
{
    tsr_status status = TSR_OK;
    if (r->from != NULL)
        TSR_TRY(finish_run(r));
    while (r->next < r->options->restarts && !r->interrupted) {
        TSR_TRY(tsr__init_factors(&r->solver, &r->plan, &r->problem, r->next++));
        tsr__solver_start(&r->solver);
        r->iterations = 0;
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

static tsr_status run_fit(tsr_model **out, tsr__run *r)
{
    tsr_status status = TSR_OK;
    int64_t rank = 0, per_class = 0;
    bool fresh = false;
    r->begun[TSR_TERM_LOSS] = (double)NAN;
    r->least = (double)INFINITY, r->most = (double)-INFINITY;
    r->limit = r->options->iterations;
    TSR_TRY(tsr__plan_make(&r->plan, r->options));
    if (r->options->checkpoint != NULL)
        TSR_TRY(tsr__output_check(r->options->checkpoint, false));
    if (r->from != NULL)
        TSR_TRY(tsr__resume_check(&fresh, r, &r->notes));
    TSR_TRY(tsr__problem_make(&r->problem, &r->plan, r->data, &r->notes));
    if (r->from != NULL && r->from->report.rho > 0)
        r->problem.rho = r->from->report.rho;
    TSR_TRY(tsr__plan_rank(&rank, &per_class, &r->plan, &r->problem));
    if (r->from != NULL)
        TSR_TRY(tsr__resume_compare(r, rank));
    tsr__solver_configure(&r->solver, &r->plan, &r->problem, rank, per_class);
    tsr__solver_layout(&r->solver, &r->arena);
    TSR_TRY(tsr__arena_open(&r->arena));
    tsr__solver_layout(&r->solver, &r->arena);
    TSR_TRY(tsr__run_begin_model(&r->model, r));
    if (r->from != NULL) {
        TSR_TRY(tsr__resume_begin(r, fresh));
    } else {
        TSR_NEW(r->objective, r->limit);
        TSR_NEW(r->seconds, r->limit);
    }
    TSR_TRY(run_starts(r));
    TSR_TRY(tsr__run_remember(r->model, r));
    *out = r->model, r->model = NULL;
    if (r->interrupted)
        status = tsr__fail(TSR_ERROR_INTERRUPTED, "stopped after %lld iterations",
                           (long long)r->iterations);
done:
    tsr__free(r->objective);
    tsr__free(r->seconds);
    tsr__arena_close(&r->arena);
    tsr__problem_clear(&r->problem);
    tsr__names_clear(&r->notes);
    tsr_model_free(r->model);
    return status;
}

tsr_status tsr_fit(tsr_model **out, const tsr_data *data, const tsr_fit_options *options)
{
    TSR_REQUIRE(out, data);
    tsr_fit_options defaults;
    tsr_fit_defaults(&defaults);
    tsr__run r = {.options = options != NULL ? options : &defaults, .data = data};
    return run_fit(out, &r);
}

tsr_status tsr_fit_resume(tsr_model **out, const tsr_data *data, const tsr_model *from,
                          const tsr_fit_options *options)
{
    TSR_REQUIRE(out, data, from);
    tsr_fit_options with = options != NULL ? *options : from->options;
    if (options == NULL)
        with.checkpoint = NULL; /* an archive does not say what is written */
    tsr__run r = {.options = &with, .data = data, .from = from};
    if (with.sample_weights == NULL)
        with.sample_weights = from->sample_weights;
    return run_fit(out, &r);
}
