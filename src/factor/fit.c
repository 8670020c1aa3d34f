/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Fitting: prepare the data, run the solver from each start, keep the best, hand the parts
 * over.
 *
 * An iteration's objective is J on the original data. A run stops when ten iterations together
 * gain less than `tolerance` of J, or when progress says so; an objective that is not finite,
 * or that falls without end, stops it with an error that names the weight to lower. */
#include "factor/model.h"

#include "io/recipe.h"
#include "matrix/blas.h"
#include "matrix/pass.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WINDOW = 10 };

typedef struct run {
    const tsr_fit_options *options;
    const tsr_data *data;
    tsr__names notes;
    tsr__plan plan;
    tsr__problem problem;
    tsr__solver solver;
    tsr__arena arena;
    double *objective, *seconds; /* of the current run */
    double least, most;          /* objectives of all restarts */
    int64_t iterations;
    double saved;            /* when the last checkpoint was written */
    double begun[TSR_TERMS]; /* terms of J at the first start */
    bool converged, interrupted;
} run;

static tsr_status diverged(const run *r)
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

/* What J would be of, without a model: n samples of size rho. */
static double data_size(const run *r)
{
    const double rho = r->problem.rho;
    return (double)r->problem.samples * (r->plan.loss == TSR_LOSS_KL ? rho : rho * rho);
}

/* True when the last ten iterations together gained less than the tolerance. */
static bool settled(const run *r, int64_t done)
{
    if (r->options->tolerance <= 0 || done <= WINDOW)
        return false;
    const double before = r->objective[done - 1 - WINDOW], now = r->objective[done - 1];
    return before - now <= r->options->tolerance * fabs(now);
}

/* An owned matrix from a real array (rows x k), transposed or with rows repeated where told. */
static tsr_status matrix_of(tsr_matrix **out, const tsr__solver *s, const void *array,
                            int64_t rows, const int64_t *row_of, bool transposed)
{
    tsr_matrix *x = NULL;
    const tsr_status status =
        tsr_matrix_create(&x, transposed ? s->k : rows, transposed ? rows : s->k, s->type);
    for (int64_t i = 0; status == TSR_OK && i < rows; i++)
        for (int64_t j = 0; j < s->k; j++)
            tsr__real_set(s, x->values, transposed ? j * rows + i : i * s->k + j,
                          tsr__real_get(s, array, (row_of != NULL ? row_of[i] : i) * s->k + j));
    if (status == TSR_OK) {
        tsr_matrix_free(*out);
        *out = x;
    }
    return status;
}

/* Kernel models: the basis in the space of the samples, X' W, for looking at. */
static tsr_status basis_of_kernel(tsr_matrix **out, run *r)
{
    tsr_status status = TSR_OK;
    const tsr__solver *s = &r->solver;
    const tsr__source source = tsr__source_of_matrix(r->problem.x, 1 << 19);
    void *lanes = tsr__alloc(tsr__lane_count(&source) * r->problem.features * s->k,
                             tsr__type_size(s->type));
    if (lanes == NULL)
        return TSR_ERROR_MEMORY;
    tsr__source_collect(lanes, &source, s->basis, s->k, s->threads);
    status = matrix_of(out, s, lanes, r->problem.features, NULL, true);
    tsr__free(lanes);
    return status;
}

/* ||X - F G'|| / ||X|| over all samples and known entries; kernels: in the kernel's space. */
static tsr_status relative_error(double *out, const run *r)
{
    tsr_status status = TSR_OK;
    const tsr__solver *s = &r->solver;
    const tsr_matrix *x = r->problem.x;
    const tsr__kernels *kernels = tsr__kernels_for(s);
    const tsr__source source = tsr__source_of_matrix(x, 1 << 19);
    const tsr__known_rows features = tsr__known_features(s);
    void *p = NULL, *q = NULL;
    double all = 0, off = 0;
    if (s->kernel) {
        *out = s->square > 0 ? sqrt(fmax(s->loss->value(s), 0) / s->square) : 0;
        return TSR_OK;
    }
    p = tsr__alloc(x->samples * s->k, tsr__type_size(s->type));
    q = tsr__alloc(s->k, tsr__type_size(s->type));
    if (p == NULL || q == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    tsr__source_project(p, &source, s->basis, s->k, s->threads);
    for (int64_t i = 0; i < x->samples; i++) {
        const void *g = tsr__real_at(s, s->codes, r->problem.row_of[i] * s->k);
        const double xx = tsr__row_square(x, i);
        if (s->missing != NULL)
            tsr__known_times(q, 1, &s->known[0], &features, i, 1, g, s->gram);
        else
            tsr__times(s, q, 1, g, s->gram, 1, s->k, s->k);
        all += xx;
        off += xx - 2 * kernels->dot(tsr__real_at(s, p, i * s->k), g, s->k) +
               kernels->dot(q, g, s->k);
    }
    *out = all > 0 ? sqrt(fmax(off, 0) / all) : 0;
done:
    tsr__free(p);
    tsr__free(q);
    return status;
}

static tsr_status copy_array(double **out, const double *from, int64_t count)
{
    tsr__free(*out);
    *out = tsr__alloc(count, sizeof **out);
    if (*out == NULL)
        return TSR_ERROR_MEMORY;
    memcpy(*out, from, (size_t)count * sizeof **out);
    return TSR_OK;
}

/* The current run's factors become the model's. */
static tsr_status keep(tsr_model *model, run *r)
{
    tsr_status status = TSR_OK;
    tsr__solver *s = &r->solver;
    const int64_t n = r->problem.samples;
    tsr_fit_report *report = &model->report;
    const double last =
        r->iterations > 0 ? r->objective[r->iterations - 1] : tsr__solver_objective(s);
    TSR_TRY(matrix_of(&model->codes, s, s->codes, n, r->problem.row_of, false));
    if (s->kernel) {
        TSR_TRY(basis_of_kernel(&model->basis, r));
        TSR_TRY(matrix_of(&model->weights, s, s->basis, n, NULL, false));
    } else {
        TSR_TRY(matrix_of(&model->basis, s, s->basis, s->m, NULL, true));
        if (s->weights != NULL)
            TSR_TRY(matrix_of(&model->weights, s, s->weights, n, NULL, false));
    }
    TSR_TRY(copy_array(&model->objective, r->objective, r->iterations));
    TSR_TRY(copy_array(&model->seconds, r->seconds, r->iterations));
    if (s->kernel) {
        tsr__free(model->gram);
        TSR_NEW(model->gram, s->k * s->k);
        for (int64_t i = 0; i < s->k * s->k; i++)
            model->gram[i] =
                tsr__real_get(s, s->gram, i) -
                (s->gram_negative != NULL ? tsr__real_get(s, s->gram_negative, i) : 0);
    }
    report->iterations = r->iterations;
    report->converged = r->converged;
    report->objective = last;
    tsr__solver_terms(model->terms, s);
    report->data_loss = model->terms[TSR_TERM_LOSS];
    report->seconds = r->iterations > 0 ? r->seconds[r->iterations - 1] : 0;
    TSR_TRY(relative_error(&report->relative_error, r));
    report->optimality = tsr__solver_optimality(s);
done:
    return status;
}

/* A drift of the scale that only a norm would hold is worth a word. */
static tsr_status note_scale(tsr_model *model, const run *r)
{
    const tsr__solver *s = &r->solver;
    const tsr__kernels *kernels = tsr__kernels_for(s);
    const double f = sqrt(kernels->dot(s->basis, s->basis, s->m * s->k));
    const double g = sqrt(kernels->dot(s->codes, s->codes, s->n * s->k));
    char note[200];
    if (s->scale != TSR_SCALE_FREE || s->penalties == 0 || !(g > 0) || f / g < 1e4)
        return TSR_OK;
    (void)snprintf(
        note, sizeof note,
        "the basis is %.0e times as long as the codes: the penalty is being evaded by "
        "scale; --basis-norm l2 holds it",
        f / g);
    return tsr__names_add(&model->notes, note);
}

/* A weight far from where the terms balance is worth a word. What a term costs at the start, where
 * the codes have the data's size and know nothing of it, tells: at the end a heavy one is small. */
static tsr_status note_weights(tsr_model *model, const run *r)
{
    tsr_status status = TSR_OK;
    const double loss = r->begun[TSR_TERM_LOSS];
    char note[200];
    for (int i = TSR_TERM_CLASS; i < TSR_TERMS; i++) {
        const double share = fabs(r->begun[i]) / loss;
        const bool light = share < 1e-3;
        const bool heavy = share > 1e4;
        if (isnan(share) || (!light && !heavy) || !(loss > 0))
            continue;
        (void)snprintf(note, sizeof note, "%s: at the start this term is %.0e of the loss: %s",
                       tsr__term_names[i], share,
                       light ? "its weight is too small to matter"
                             : "its weight leaves the data no say");
        TSR_TRY(tsr__names_add(&model->notes, note));
    }
done:
    return status;
}

/* What the model keeps of the data. */
static tsr_status remember(tsr_model *model, const run *r)
{
    tsr_status status = TSR_OK;
    const tsr__problem *p = &r->problem;
    const tsr_data *data = r->data;
    TSR_NEW(model->seen, p->samples);
    memcpy(model->seen, p->seen, (size_t)p->samples * sizeof *model->seen);
    if (data->labels != NULL) {
        TSR_TRY(tsr__labels_from_names(&model->labels, data->labels->of, p->samples,
                                       (const char *const *)data->labels->name,
                                       data->labels->classes));
    }
    TSR_NEW_TEXT(model->origin, tsr_data_origin(data));
    for (int64_t j = 0; j < data->feature_names.count; j++)
        TSR_TRY(tsr__names_add(&model->feature_names, data->feature_names.name[j]));
    TSR_TRY(tsr__recipe_copy(&model->recipe, &data->recipe));
    if (p->kernel != NULL && r->options->kernel != 0)
        TSR_TRY(tsr_matrix_copy_samples(&model->atoms, p->x, NULL, p->samples));
    if (r->options->sample_weights != NULL)
        TSR_TRY(tsr_matrix_copy_as(&model->sample_weights, r->options->sample_weights,
                                   TSR_FLOAT64, false));
    model->kernel_width = p->kernel_width;
    if (p->scale != NULL)
        TSR_TRY(copy_array(&model->scale, p->scale, p->features));
    model->basis->image = data->x->image;
    TSR_TRY(note_scale(model, r));
    TSR_TRY(note_weights(model, r));
done:
    return status;
}

/* A model without factors: its settings and what is known before the first iteration. */
static tsr_status begin_model(tsr_model **out, const run *r)
{
    tsr_status status = TSR_OK;
    tsr_model *model = NULL;
    TSR_NEW_ZERO(model, 1);
    TSR_TRY(tsr__model_record(model, r->options));
    model->per_class = r->solver.per_class;
    model->shared = r->solver.shared;
    model->report = (tsr_fit_report){.model = r->plan.row->name,
                                     .loss = r->solver.loss->name,
                                     .samples = r->problem.samples,
                                     .features = r->problem.features,
                                     .rank = r->solver.k,
                                     .seed = r->options->seed,
                                     .rho = r->problem.rho};
    for (int64_t i = 0; i < r->notes.count; i++)
        TSR_TRY(tsr__names_add(&model->notes, r->notes.name[i]));
    *out = model, model = NULL;
done:
    tsr_model_free(model);
    return status;
}

/* The model so far, once a minute: the current run's, with all that a finished one keeps. */
static tsr_status checkpoint(run *r)
{
    enum { EVERY = 60 };
    tsr_status status = TSR_OK;
    tsr_model *so_far = NULL;
    if (r->options->checkpoint == NULL || tsr__clock() - r->saved < EVERY)
        return TSR_OK;
    TSR_TRY(begin_model(&so_far, r));
    TSR_TRY(keep(so_far, r));
    TSR_TRY(remember(so_far, r));
    TSR_TRY(tsr_model_write(so_far, r->options->checkpoint));
    r->saved = tsr__clock();
done:
    tsr_model_free(so_far);
    return status;
}

static tsr_status iterate(run *r)
{
    tsr_status status = TSR_OK;
    const tsr__task task =
        tsr__task_begin(r->options->progress, "fitting", r->options->iterations);
    const double start = tsr__clock();
    double last = (double)NAN, first = (double)NAN;
    r->converged = false;
    r->saved = start;
    tsr__solver_start(&r->solver);
    first = fmax(fabs(tsr__solver_objective(&r->solver)), data_size(r));
    if (isnan(r->begun[TSR_TERM_LOSS]))
        tsr__solver_terms(r->begun, &r->solver);
    for (r->iterations = 0; r->iterations < r->options->iterations && !r->converged;) {
        tsr__solver_step(&r->solver);
        const double now = tsr__solver_objective(&r->solver);
        r->objective[r->iterations] = now;
        r->seconds[r->iterations++] = tsr__clock() - start;
        if (!isfinite(now) || now < -1e6 * first)
            return diverged(r);
        r->converged = settled(r, r->iterations);
        TSR_TRY(checkpoint(r));
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

static tsr_status run_starts(tsr_model *model, run *r)
{
    tsr_status status = TSR_OK;
    r->least = (double)INFINITY, r->most = (double)-INFINITY;
    for (int64_t restart = 0; restart < r->options->restarts && !r->interrupted; restart++) {
        TSR_TRY(tsr__init_factors(&r->solver, &r->plan, &r->problem, restart));
        TSR_TRY(iterate(r));
        const double now = r->iterations > 0 ? r->objective[r->iterations - 1]
                                             : tsr__solver_objective(&r->solver);
        if (!isfinite(now))
            TSR_TRY(diverged(r));
        r->most = fmax(r->most, now);
        if (now < r->least) {
            r->least = now;
            TSR_TRY(keep(model, r));
        }
    }
    /* relative to J, or to what the data alone add where the fit is perfect */
    model->report.spread = (r->most - r->least) / (fabs(r->least) + 1e-12 * data_size(r));
done:
    return status;
}

tsr_status tsr_fit(tsr_model **out, const tsr_data *data, const tsr_fit_options *options)
{
    tsr_status status = TSR_OK;
    run r = {.options = options, .data = data, .begun = {(double)NAN}};
    tsr_model *model = NULL;
    int64_t rank = 0, per_class = 0;
    TSR_TRY(tsr__plan_make(&r.plan, options));
    TSR_TRY(tsr__problem_make(&r.problem, &r.plan, data, &r.notes));
    TSR_TRY(tsr__plan_rank(&rank, &per_class, &r.plan, &r.problem));
    tsr__solver_configure(&r.solver, &r.plan, &r.problem, rank, per_class);
    tsr__solver_layout(&r.solver, &r.arena);
    TSR_TRY(tsr__arena_open(&r.arena));
    tsr__solver_layout(&r.solver, &r.arena);
    TSR_NEW(r.objective, options->iterations);
    TSR_NEW(r.seconds, options->iterations);
    TSR_TRY(begin_model(&model, &r));
    TSR_TRY(run_starts(model, &r));
    TSR_TRY(remember(model, &r));
    *out = model, model = NULL;
    if (r.interrupted)
        status = tsr__fail(TSR_ERROR_INTERRUPTED, "stopped after %lld iterations",
                           (long long)r.iterations);
done:
    tsr__free(r.objective);
    tsr__free(r.seconds);
    tsr__arena_close(&r.arena);
    tsr__problem_clear(&r.problem);
    tsr__names_clear(&r.notes);
    tsr_model_free(model);
    return status;
}
