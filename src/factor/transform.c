/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Codes of samples with the basis fixed.
 *
 *     loss      minimise the model's own loss over the codes: the solver's loop without its basis
 *               step; graph and label terms are off, the elastic net on codes stays on
 *     inverse   pseudo-inverse, (F' F)^-1 F' x; entries may be negative
 *     product   F' x
 *
 * New samples go through the preprocessing that the model records: norms, and weights of
 * normalised cuts against the training samples' sum. Kernel models compare them with the
 * training samples. */
#include "factor/model.h"

#include "base/settings.h"
#include "matrix/blas.h"
#include "matrix/pass.h"

#include <math.h>
#include <string.h>

typedef struct encoding {
    const tsr_model *model;
    tsr_transform_options options;
    tsr__plan plan;
    tsr__problem problem;
    tsr__solver solver;
    tsr__arena arena;
} encoding;

static tsr_status prepare(encoding *e, const tsr_data *data)
{
    tsr_status status = TSR_OK;
    tsr__problem *p = &e->problem;
    double width = e->model->kernel_width;
    tsr_fit_options plain = e->model->options;
    plain.sample_weights = NULL;
    plain.mask = NULL; /* it was of the training samples */
    tsr__plan plan = e->plan;
    const bool signed_basis = plan.basis == TSR_BASIS_CONCEPT;
    plan.options = &plain;
    plan.ncw = false;
    plan.basis = TSR_BASIS_FREE; /* the basis is given: no kernel among the new samples */
    if (signed_basis) {          /* their signs are no matter then */
        TSR_TRY(
            tsr_matrix_check(tsr_data_samples(data), TSR_NEED_FINITE, tsr_data_origin(data)));
        TSR_TRY(tsr_matrix_copy_as(&p->owned, tsr_data_samples(data), plan.type,
                                   tsr_data_samples(data)->sparse));
        tsr_matrix_normalize(p->owned, (tsr_norm)plain.normalize);
        p->x = p->owned;
        p->samples = p->x->samples;
        p->features = p->x->features;
    } else {
        TSR_TRY(tsr__prepare_samples(p, &plan, data));
    }
    if (e->model->scale != NULL) {
        if (p->owned == NULL) {
            TSR_TRY(tsr_matrix_copy_as(&p->owned, p->x, plan.type, p->x->sparse));
            p->x = p->owned;
        }
        tsr__weigh_by_cuts(p->owned, e->model->scale);
    }
    if (e->model->atoms != NULL)
        TSR_TRY(tsr__kernel_matrix(&p->kernel, p->x, e->model->atoms, &plain, &width));
    TSR_NEW(p->row_of, p->samples);
    TSR_NEW(p->row_class, p->samples);
    for (int64_t i = 0; i < p->samples; i++) {
        p->row_of[i] = i;
        p->row_class[i] = -1;
    }
    p->rows = p->samples;
done:
    return status;
}

/* F (features x k) or, for kernels, W; and its gram matrix. */
static void set_basis(encoding *e)
{
    tsr__solver *s = &e->solver;
    const tsr_matrix *f = e->model->basis, *w = e->model->weights;
    for (int64_t i = 0; i < s->m; i++)
        for (int64_t j = 0; j < s->k; j++)
            tsr__real_set(s, s->basis, i * s->k + j,
                          s->kernel ? tsr_matrix_at(w, i, j) : tsr_matrix_at(f, j, i));
    s->map->push(s);
    for (int64_t i = 0; s->kernel && i < s->k * s->k; i++)
        tsr__real_set(s, s->gram, i, e->model->gram[i]);
}

static tsr_status configure(encoding *e)
{
    static const tsr__weights none = {0};
    tsr__solver *s = &e->solver;
    tsr__plan plan = e->plan;
    tsr_fit_options plain = e->model->options;
    plain.threads = e->options.threads;
    plan.options = &plain;
    plan.weights = none;
    plan.basis = TSR_BASIS_FREE;
    plan.codes = TSR_CODES_FREE;
    plan.mu = false; /* the same minimiser, reached sooner */
    tsr__solver_configure(s, &plan, &e->problem, e->model->report.rank, 0);
    s->fixed_basis = true;
    s->decorrelate = s->basis_lasso = s->basis_ridge = 0;
    s->scale = TSR_SCALE_FREE;
    s->extrapolates = false;
    s->codes_sweeps = 50; /* the projection stays: let the codes settle before making it anew */
    tsr__solver_layout(s, &e->arena);
    const tsr_status status = tsr__arena_open(&e->arena);
    if (status < 0)
        return status;
    tsr__solver_layout(s, &e->arena);
    set_basis(e);
    return TSR_OK;
}

/* A start without zeros, scaled so that each sample's reconstruction has its right size. */
static void start_codes(encoding *e)
{
    tsr__solver *s = &e->solver;
    const tsr_matrix *x = e->problem.kernel != NULL ? e->problem.kernel : e->problem.x;
    double all = 0;
    for (int64_t j = 0; j < s->k; j++)
        all += s->column_sum[j];
    for (int64_t i = 0; i < s->n; i++) {
        double sum = 0;
        for (int64_t at = tsr__row_begin(x, i); at < tsr__row_end(x, i); at++)
            sum += fabs(tsr__value_at(x->values, x->type, at));
        for (int64_t j = 0; j < s->k; j++)
            tsr__real_set(s, s->codes, i * s->k + j, all > 0 ? sum / all : 0);
    }
}

static tsr_status minimise(encoding *e)
{
    enum { WINDOW = 10 };
    tsr_status status = TSR_OK;
    tsr__solver *s = &e->solver;
    const tsr__task task =
        tsr__task_begin(e->options.progress, "encoding", e->options.iterations);
    double before = (double)INFINITY;
    start_codes(e);
    for (int64_t i = 0; i < e->options.iterations; i++) {
        tsr__solver_step(s);
        const double now = tsr__solver_objective(s);
        TSR_TRY(tsr__task_step(&task, i + 1, now, (double)NAN));
        if (i % WINDOW != WINDOW - 1)
            continue;
        /* against the data's own size too: a perfect fit has nothing left to gain */
        if (before - now <= e->options.tolerance * fmax(fabs(now), 1e-12 * s->square))
            break;
        before = now;
    }
done:
    return status;
}

static tsr_status project(encoding *e)
{
    tsr__solver *s = &e->solver;
    tsr__source_project(s->codes, &s->source, s->basis, s->k, s->threads);
    return TSR_OK;
}

/* Codes = X F (F' F)^-1, with a ridge of rounding size for vectors that depend on each other.
 */
static tsr_status invert(encoding *e)
{
    tsr_status status = TSR_OK;
    tsr__solver *s = &e->solver;
    const int64_t k = s->k;
    const double rounding = s->type == TSR_FLOAT64 ? 1e-13 : 1e-6;
    double *gram = NULL, *inverse = NULL, trace = 0;
    void *by = NULL, *row = NULL;
    TSR_NEW(gram, k * k);
    TSR_NEW_ZERO(inverse, k * k);
    by = tsr__alloc(k * k, tsr__type_size(s->type));
    row = tsr__alloc(s->n * k, tsr__type_size(s->type));
    if (by == NULL || row == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    for (int64_t i = 0; i < k * k; i++)
        gram[i] = tsr__real_get(s, s->gram, i);
    for (int64_t i = 0; i < k; i++)
        trace += gram[i * k + i];
    for (int64_t i = 0; i < k; i++) {
        gram[i * k + i] += rounding * trace + 1e-300;
        inverse[i * k + i] = 1;
    }
    TSR_TRY(tsr__solve_positive(gram, inverse, k, k));
    for (int64_t i = 0; i < k * k; i++)
        tsr__real_set(s, by, i, inverse[i]);
    TSR_TRY(project(e));
    memcpy(row, s->codes, (size_t)(s->n * k) * tsr__type_size(s->type));
    tsr__times(s, s->codes, 1, row, by, s->n, k, k);
done:
    tsr__free(gram);
    tsr__free(inverse);
    tsr__free(by);
    tsr__free(row);
    return status;
}

tsr_status tsr_model_transform(tsr_matrix **codes, const tsr_model *model, const tsr_data *data,
                               const tsr_transform_options *options)
{
    static tsr_status (*const methods[])(encoding *) = {minimise, invert, project};
    tsr_status status = TSR_OK;
    encoding e = {.model = model};
    tsr_matrix *out = NULL;
    tsr_settings_default(tsr_transform_settings(), &e.options);
    if (options != NULL)
        e.options = *options;
    TSR_TRY(tsr_settings_check(tsr_transform_settings(), &e.options));
    TSR_TRY(tsr__plan_make(&e.plan, &model->options));
    if (tsr_matrix_features(tsr_data_samples(data)) != model->report.features)
        TSR_FAIL(TSR_ERROR_DATA, "%s has %lld features; the model was fitted to %lld",
                 tsr_data_origin(data), (long long)tsr_matrix_features(tsr_data_samples(data)),
                 (long long)model->report.features);
    TSR_TRY(prepare(&e, data));
    TSR_TRY(configure(&e));
    TSR_TRY(methods[e.options.method](&e));
    TSR_TRY(tsr_matrix_create(&out, e.solver.n, e.solver.k, e.solver.type));
    memcpy(out->values, e.solver.codes,
           (size_t)(e.solver.n * e.solver.k) * tsr__type_size(e.solver.type));
    *codes = out, out = NULL;
done:
    tsr_matrix_free(out);
    tsr__arena_close(&e.arena);
    tsr__problem_clear(&e.problem);
    return status;
}
