/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a run leaves: the model's factors, figures and notes.
 *
 * fit.c calls it for the best start, and for every checkpoint. Factors are turned from the
 * solver's layout (m x k, a row a group) into that of files and callers (k x m, a row a
 * sample). Nothing of the model points into the problem or the data, which may be freed before
 * it. Cost: that of about one iteration, for the relative error and the optimality. */
#include "factor/run.h"

#include "io/recipe.h"
#include "matrix/parallel.h"
#include "matrix/pass.h"
#include "matrix/store.h"
#include "matrix/team.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* rho^degree is what a sample of that size adds to a loss of that degree (mathematics.md,
 * section 2). Thresholds are shares of it, since J itself may be zero: a perfect fit. */
double tsr__run_size(const tsr__run *r)
{
    const double rho = r->problem.rho;
    return (double)r->problem.samples * pow(rho, r->spec.loss->degree);
}

/* The history's last value and not J computed again: that is what the stop rule and the report
 * of progress saw. Without an iteration there is only the start. */
double tsr__run_objective(const tsr__run *r)
{
    const tsr__history *h = &r->history;
    return h->iterations > 0 ? h->objective[h->iterations - 1]
                             : tsr__solver_objective(&r->solver);
}

/* J by its terms, a column each; nothing where an iteration lacks one, which those that an older
 * archive had do. */
static tsr_status keep_terms(tsr_matrix **out, const double terms[TSR_TERMS],
                             const tsr__history *from)
{
    tsr_status status = TSR_OK;
    tsr_matrix *x = NULL;
    int64_t columns = 0, column = 0;
    tsr_matrix_free(*out);
    *out = NULL;
    for (int term = 0; term < TSR_TERMS; term++)
        columns += !isnan(terms[term]);
    if (from->iterations == 0)
        return TSR_OK;
    TSR_TRY(tsr_matrix_create(&x, from->iterations, columns, TSR_FLOAT64));
    for (int term = 0; term < TSR_TERMS; term++) {
        if (isnan(terms[term]))
            continue;
        for (int64_t i = 0; i < from->iterations; i++) {
            const double value = from->terms[i * TSR_TERMS + term];
            if (isnan(value))
                goto done;
            tsr__value_set(x->values, TSR_FLOAT64, i * columns + column, value);
        }
        column++;
    }
    *out = x, x = NULL;
done:
    tsr_matrix_free(x);
    return status;
}

/* An owned matrix from a real array (rows x k), transposed or with rows repeated where told.
 * What *out held is freed only once the new one is there: a failure leaves the model of the
 * start before as it was. */
static tsr_status matrix_of(tsr_matrix **out, const tsr__solver *s, const void *array,
                            int64_t rows, const int64_t *row_of, bool transposed)
{
    tsr_status status = TSR_OK;
    tsr_matrix *x = NULL, *view = NULL;
    TSR_TRY(tsr_matrix_view_dense(&view, (void *)(uintptr_t)array,
                                  row_of != NULL ? s->problem->rows.whole : rows, s->k, s->k,
                                  s->type));
    if (transposed)
        TSR_TRY(tsr__matrix_transpose(&x, view, s->plan->threads));
    else
        TSR_TRY(tsr_matrix_copy_samples(&x, view, row_of, rows));
    tsr_matrix_free(*out);
    *out = x, x = NULL;
done:
    tsr_matrix_free(view);
    tsr_matrix_free(x);
    return status;
}

/* The same of an array of which every rank has rows of its own: a matrix of samples. */
static tsr_status matrix_of_rows(tsr_matrix **out, const tsr__run *r, const void *array,
                                 const tsr__share *share, const int64_t *row_of)
{
    tsr_status status = TSR_OK;
    const tsr__solver *s = &r->solver;
    void *all = NULL;
    if (!tsr__team_shares(share->team))
        return matrix_of(out, s, array, r->problem.samples, row_of, false);
    all = tsr__alloc(share->whole * s->k, tsr__type_size(s->type));
    if (all == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    TSR_TRY(tsr__share_gather(all, array, share, (int64_t)tsr__real_bytes(s, s->k)));
    TSR_TRY(matrix_of(out, s, all, r->problem.samples, row_of, false));
done:
    tsr__free(all);
    return status;
}

tsr_status tsr__run_rows(tsr_matrix **out, const tsr__run *r, const void *rows)
{
    return matrix_of_rows(out, r, rows, &r->problem.rows, r->problem.row_of);
}

/* Kernel models: the basis in the space of the samples, X' W, for looking at. The solver has
 * only K and W. O(n m k), once a fit or checkpoint. */
static tsr_status basis_of_kernel(tsr_matrix **out, tsr__run *r)
{
    tsr_status status = TSR_OK;
    const tsr__solver *s = &r->solver;
    const tsr__source source = tsr__source_of_matrix(r->problem.held.x, 1 << 19);
    void *basis = tsr__alloc(r->problem.features * s->k, tsr__type_size(s->type));
    double *room = NULL;
    if (basis == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    TSR_NEW(room, tsr__collect_room(&source, s->k, s->plan->threads));
    TSR_TRY(tsr__source_collect(basis, room, &source, s->state.basis, s->k, s->plan->threads));
    TSR_TRY(matrix_of(out, s, basis, r->problem.features, NULL, true));
done:
    tsr__free(basis);
    tsr__free(room);
    return status;
}

enum { STRIP = 256 }; /* samples that are projected together: their products stay in cache */

struct erring {
    const tsr__run *r;
    tsr__known_rows features;
    const tsr_matrix *codes;           /* of all samples, as the model has them */
    char *room;                        /* by thread: x F, g F'F and g of a strip */
    double found[2 * TSR_CHUNKS_MOST]; /* squares of a part, and of what is off */
};

static tsr__block block_of(const tsr_matrix *rows, int64_t first)
{
    return (tsr__block){.first = first,
                        .samples = rows->samples,
                        .features = rows->features,
                        .stride = rows->stride,
                        .type = rows->type,
                        .sparse = rows->sparse,
                        .values = rows->values,
                        .rows = rows->rows,
                        .columns = rows->columns};
}

/* What x.Fg and g' F'F g of some samples, from `first` on, are made of. */
static void project_strip(char *const room[3], const struct erring *e, const tsr_matrix *strip,
                          int64_t first)
{
    const tsr__solver *s = &e->r->solver;
    const int64_t count = strip->samples;
    const size_t row = tsr__real_bytes(s, s->k);
    const tsr__block block = block_of(strip, first);
    tsr__block_project(room[0], &block, s->state.basis, s->k, true);
    for (int64_t i = 0; i < count; i++)
        memcpy(room[2] + (size_t)i * row,
               tsr__real_at(s, e->codes->values,
                            (e->r->problem.share.first + first + i) * e->codes->stride),
               row);
    if (s->problem->missing != NULL)
        tsr__known_times(room[1], 1, &s->work.bench[0].known, &e->features, first, count,
                         room[2], s->state.metric.gram);
    else
        tsr__times(s, room[1], 1, room[2], s->state.metric.gram, count, s->k, s->k);
}

static void err_rows(void *context, const tsr_matrix *rows, int64_t first, int64_t part,
                     int thread)
{
    struct erring *e = context;
    const tsr__solver *s = &e->r->solver;
    const tsr__kernels *kernels = tsr__kernels_for(s);
    const size_t row = tsr__real_bytes(s, s->k), strips = STRIP * row;
    char *const own = e->room + 3 * strips * (size_t)thread;
    char *const room[3] = {own, own + strips, own + 2 * strips};
    for (int64_t i = 0; i < rows->samples; i++) {
        const int64_t at = i % STRIP, left = rows->samples - i;
        tsr_matrix strip;
        if (at == 0) { /* a slice of what is in memory, which does not fail */
            (void)tsr__matrix_window(&strip, rows, i, left < STRIP ? left : STRIP);
            project_strip(room, e, &strip, first + i);
        }
        const void *g = room[2] + (size_t)at * row;
        const double xx = tsr__row_square(rows, i);
        e->found[2 * part] += xx;
        e->found[2 * part + 1] += xx - 2 * kernels->dot(room[0] + (size_t)at * row, g, s->k) +
                                  kernels->dot(room[1] + (size_t)at * row, g, s->k);
    }
}

/* ||X - F G'|| / ||X|| over all samples and known entries; kernels: in the kernel's space. By
 * ||x||^2 - 2 x.Fg + g' F'F g, sample by sample, so that no n x m residual is formed: O(nnz k +
 * n k^2). Differences of large numbers may fall below zero by rounding. Samples are counted one
 * by one, also where codes are tied or samples weighted: the figure compares models on the same
 * data. Where neither is, squares are the loss itself, whose sums are there. Known entries have
 * one bench, and so one thread. */
static tsr_status relative_error(double *out, const tsr__run *r, const tsr_matrix *codes)
{
    tsr_status status = TSR_OK;
    const tsr__solver *s = &r->solver;
    const tsr_matrix *x = r->problem.held.x;
    struct erring *e = NULL;
    double all = 0, off = 0;
    if (s->problem->held.kernel != NULL ||
        (r->spec.loss->degree == 2 && s->problem->weight == NULL)) {
        *out = s->problem->square > 0
                   ? sqrt(fmax(s->plan->loss->value(s), 0) / s->problem->square)
                   : 0;
        return TSR_OK;
    }
    const tsr__share *share = tsr__cut_by(&r->problem.share);
    const int64_t parts = tsr__walk_parts(x, share);
    const int threads = s->problem->missing != NULL ? 1 : tsr__threads(s->plan->threads, parts);
    TSR_NEW(e, 1);
    *e = (struct erring){.r = r, .features = tsr__known_features(s), .codes = codes};
    e->room = tsr__alloc(threads * 3 * STRIP * s->k, tsr__type_size(s->type));
    if (e->room == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    TSR_TRY(tsr__walk_leaves(x, share, threads, err_rows, e));
    TSR_TRY(tsr__walk_total(e->found, parts, 2, share));
    all = e->found[0], off = e->found[1];
    /* under KL squares may be beyond all numbers although J is not */
    *out = !isfinite(all) || !isfinite(off) ? (double)NAN
           : all > 0                        ? sqrt(fmax(off, 0) / all)
                                            : 0;
done:
    if (e != NULL)
        tsr__free(e->room);
    tsr__free(e);
    return status;
}

/* The gram matrix is kept for kernels alone, where new samples need W' K W and the archive has
 * no K; a free basis has F'F in its factors. Optimality writes into the solver's work, and into
 * XtG where no step reads it, so that keeping a run in its middle does not change it. */
tsr_status tsr__run_keep(tsr_model *model, tsr__run *r)
{
    tsr_status status = TSR_OK;
    tsr__solver *s = &r->solver;
    const int64_t n = r->problem.samples, done = r->history.iterations;
    tsr_fit_report *report = &model->report;
    TSR_TRY(tsr__run_rows(&model->codes, r, s->state.codes));
    if (s->problem->held.kernel != NULL) {
        TSR_TRY(basis_of_kernel(&model->basis, r));
        TSR_TRY(matrix_of(&model->weights, s, s->state.basis, n, NULL, false));
    } else {
        TSR_TRY(matrix_of(&model->basis, s, s->state.basis, s->m, NULL, true));
        if (s->state.weights != NULL)
            TSR_TRY(
                matrix_of_rows(&model->weights, r, s->state.weights, &r->problem.share, NULL));
    }
    TSR_TRY(tsr__copy_reals(&model->objective, r->history.objective, done));
    TSR_TRY(tsr__copy_reals(&model->seconds, r->history.seconds, done));
    if (s->problem->held.kernel != NULL) {
        tsr__free(model->gram);
        TSR_NEW(model->gram, s->k * s->k);
        for (int64_t i = 0; i < s->k * s->k; i++)
            model->gram[i] =
                s->state.metric.exact[i] -
                (s->state.metric.exact_anti != NULL ? s->state.metric.exact_anti[i] : 0);
    }
    report->iterations = done;
    report->converged = r->converged;
    report->objective = tsr__run_objective(r);
    (void)tsr__solver_terms(model->terms, s);
    TSR_TRY(tsr__team_heard(r->data->team));
    TSR_TRY(keep_terms(&model->history, model->terms, &r->history));
    report->data_loss = model->terms[TSR_TERM_LOSS];
    report->seconds = done > 0 ? r->history.seconds[done - 1] : 0;
    TSR_TRY(relative_error(&report->relative_error, r, model->codes));
    report->optimality = tsr__solver_optimality(s);
    TSR_TRY(tsr__halt_take(&model->state, s, false));
    model->state.next = r->next;
    model->state.limit = r->limit;
    model->state.since = r->since;
    model->state.most = r->most;
done:
    return status;
}

/* A drift of the scale that only a norm would hold is worth a word. The limit of 1e4 is that of
 * mathematics.md, section 4. */
static tsr_status note_scale(tsr_model *model, const tsr__run *r)
{
    const tsr__solver *s = &r->solver;
    const tsr__kernels *kernels = tsr__kernels_for(s);
    char note[200];
    if (s->plan->scale != TSR_SCALE_FREE || s->plan->code_terms == 0)
        return TSR_OK;
    const double f = sqrt(kernels->dot(s->state.basis, s->state.basis, s->m * s->k));
    double g = kernels->dot(s->state.codes, s->state.codes, s->n * s->k);
    TSR_OR_RETURN(tsr__team_sum(tsr__problem_team(&r->problem), &g, 1));
    g = sqrt(g);
    if (!(g > 0) || f / g < 1e4)
        return TSR_OK;
    (void)snprintf(
        note, sizeof note,
        "the basis is %.0e times as long as the codes: the penalty is being evaded by "
        "scale; --basis-norm l2 holds it",
        f / g);
    return tsr__names_add(&model->notes, note);
}

/* A weight far from where the terms balance is worth a word. What a term costs at the start,
 * where the codes have the data's size and know nothing of it, tells: at the end a heavy one is
 * small. The two limits are those of mathematics.md, section 2. A share of exactly zero says
 * that the term had nothing to act on. */
static tsr_status note_weights(tsr_model *model, const tsr__run *r)
{
    tsr_status status = TSR_OK;
    const double loss = r->begun[TSR_TERM_LOSS];
    char note[200];
    if (!(r->problem.square > 0) || !(loss > 0))
        return TSR_OK; /* without data no weight is right */
    if (r->spec.loss->degree == 0)
        return TSR_OK; /* whose loss at the start is no measure of what it will be */
    for (int i = TSR_TERM_CLASS; i < TSR_TERMS; i++) {
        const double share = fabs(r->begun[i]) / loss;
        const bool light = share < 2e-4;
        const bool heavy = share > 1e4;
        if (isnan(share) || share == 0 || (!light && !heavy))
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

/* Called once a model, whose members it fills are still empty. The samples themselves are kept
 * for kernels other than the linear one alone: new samples have to be compared with them, while
 * X' W of a linear kernel is a basis like any other. All labels go along, not only those that
 * the learner saw: predictions are judged by the others. */
tsr_status tsr__run_remember(tsr_model *model, const tsr__run *r)
{
    tsr_status status = TSR_OK;
    const tsr__problem *p = &r->problem;
    const tsr_data *data = r->data;
    TSR_NEW(model->seen, p->samples);
    memcpy(model->seen, p->classes.seen, (size_t)p->samples * sizeof *model->seen);
    if (data->labels != NULL) {
        TSR_TRY(tsr__labels_from_names(&model->labels, data->labels->of, p->samples,
                                       (const char *const *)data->labels->name,
                                       data->labels->classes));
    }
    TSR_NEW_TEXT(model->origin, tsr_data_origin(data));
    for (int64_t j = 0; j < data->feature_names.count; j++)
        TSR_TRY(tsr__names_add(&model->feature_names, data->feature_names.name[j]));
    TSR_TRY(tsr__recipe_copy(&model->recipe, &data->recipe));
    if (p->held.kernel != NULL && r->options->kernel != 0)
        TSR_TRY(tsr_matrix_copy_samples(&model->atoms, p->held.x, NULL, p->samples));
    if (r->options->sample_weights != NULL)
        TSR_TRY(tsr_matrix_copy_as(&model->sample_weights, r->options->sample_weights,
                                   TSR_FLOAT64, false));
    model->kernel_width = p->held.kernel_width;
    if (p->held.scale != NULL)
        TSR_TRY(tsr__copy_reals(&model->scale, p->held.scale, p->features));
    model->basis->image = data->x->image;
    TSR_TRY(note_scale(model, r));
    if (r->from == NULL)
        TSR_TRY(note_weights(model, r));
done:
    return status;
}

/* The plan is recorded as text: an archive tells what was done also to versions that would plan
 * otherwise. */
tsr_status tsr__run_begin_model(tsr_model **out, const tsr__run *r)
{
    tsr_status status = TSR_OK;
    tsr_model *model = NULL;
    char plan[TSR_PLAN_LINES][TSR_PLAN_LINE];
    TSR_NEW_ZERO(model, 1);
    TSR_TRY(tsr__model_record(model, r->options));
    tsr__plan_show(plan, &r->plan, &r->problem, r->arena.size);
    for (int i = 0; i < TSR_PLAN_LINES; i++)
        TSR_TRY(tsr__names_add(&model->plan, plan[i]));
    tsr__init_show(plan[0], TSR_PLAN_LINE, &r->plan, &r->spec, &r->problem);
    TSR_TRY(tsr__names_add(&model->plan, plan[0]));
    model->per_class = r->plan.per_class;
    model->shared = r->plan.shared;
    model->report = (tsr_fit_report){.model = r->spec.row->name,
                                     .loss = r->plan.loss->name,
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

/* The width of the history is that of the model's terms, which are those of the plan and so the
 * same for every start. */
tsr_status tsr__run_keep_apart(tsr_model *model, const tsr__run *r)
{
    tsr_status status = TSR_OK;
    tsr__halt *state = &model->state;
    TSR_TRY(tsr__halt_take(state, &r->solver, true));
    state->next = r->next;
    state->limit = r->limit;
    state->most = r->most;
    state->iterations = r->history.iterations;
    TSR_TRY(tsr__copy_reals(&state->objective, r->history.objective, state->iterations));
    TSR_TRY(tsr__copy_reals(&state->seconds, r->history.seconds, state->iterations));
    TSR_TRY(keep_terms(&state->history, model->terms, &r->history));
done:
    return status;
}
