/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Going on with new samples: one pass over them, in their order, in which the basis moves after
 * every batch. For each batch,
 *
 *     codes of the batch <- their rule         sums <- forget sums + those of the batch
 *     basis <- its rule, from the sums
 *
 * and at the end the codes of all new samples for the basis that came out.
 *
 * WHAT WAS LEARNT is remembered by k x k numbers, G' G of all samples so far (under a divergence
 * G' 1, on the diagonal), and by the basis itself: at a minimum X' G = F (G' G) wherever F is
 * above zero (a divergence: R' G = 1 (1' G)), so that sums which say so hold the basis where it is,
 * as firmly as the samples it was learnt from. No sample of the past is needed, and archives grow
 * by k x k. A model that was never gone on with has it from its codes. Mairal et al. 2010.
 *
 * Where a step scales the basis the sums are scaled along. Under a divergence sums belong to the
 * basis that they were made with: what the rule reads, f (R' G), is kept as it was by dividing it
 * by what f became. Cost: an iteration, a step of the basis for each batch, and a pass. */
#include "factor/run.h"
#include "matrix/team.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { USUAL = 1024 };

typedef struct stream {
    tsr__run *r;
    tsr__solver *s;
    double *running; /* sums so far */
    char *before;    /* the basis before its step, under a divergence */
    int64_t *block;  /* those of the batch */
    int64_t width;
} stream;

static bool diverges(const stream *t)
{
    return t->s->plan->loss->power > 0;
}

/* G' G of the model's own samples, or G' 1 on the diagonal. */
static tsr_status recall(double *memory, const tsr_model *from, bool sums)
{
    const tsr_matrix *g = from->codes;
    const int64_t k = g->features;
    if (from->memory != NULL) {
        memcpy(memory, from->memory, (size_t)(k * k) * sizeof *memory);
        return TSR_OK;
    }
    memset(memory, 0, (size_t)(k * k) * sizeof *memory);
    for (int64_t i = 0; i < g->samples; i++)
        for (int64_t a = 0; a < k; a++) {
            const double v = tsr__value_at(g->values, g->type, i * g->stride + a);
            if (sums)
                memory[a * k + a] += v;
            for (int64_t b = 0; !sums && v > 0 && b < k; b++)
                memory[a * k + b] += v * tsr__value_at(g->values, g->type, i * g->stride + b);
        }
    return TSR_OK;
}

/* Sums that hold the basis where it is. */
static void remember(stream *t, const double *memory)
{
    const tsr__solver *s = t->s;
    const int64_t k = s->k;
    const tsr__totals to = tsr__totals_of(s, t->running);
    for (int64_t j = 0; j < k; j++)
        to.Gt1[j] = memory[j * k + j];
    if (!diverges(t))
        memcpy(to.GtG, memory, (size_t)(k * k) * sizeof *memory);
    for (int64_t i = 0; i < s->m; i++)
        for (int64_t j = 0; j < k; j++) {
            double sum = diverges(t) ? to.Gt1[j] : 0;
            for (int64_t l = 0; !diverges(t) && l < k; l++)
                sum += tsr__real_get(s, s->state.basis, i * k + l) * memory[l * k + j];
            to.XtG[i * k + j] = sum;
        }
}

/* After a step of the basis. */
static void follow(stream *t)
{
    const tsr__solver *s = t->s;
    const double *by = s->work.back;
    const tsr__totals to = tsr__totals_of(s, t->running);
    for (int64_t i = 0; t->before != NULL && i < s->m * s->k; i++) {
        const double now = tsr__real_get(s, s->state.basis, i),
                     was = tsr__real_get(s, t->before, i);
        to.XtG[i] = now > 0 ? to.XtG[i] * was / now : 0;
    }
    if (!s->work.owed)
        return;
    for (int64_t i = 0; i < s->m * s->k && t->before == NULL; i++)
        to.XtG[i] *= by[i % s->k];
    for (int64_t i = 0; i < s->k * s->k; i++)
        to.GtG[i] *= by[i / s->k] * by[i % s->k];
    for (int64_t j = 0; j < s->k; j++)
        to.Gt1[j] *= by[j];
}

static tsr_status take_batch(stream *t, int64_t first, int64_t count)
{
    tsr__solver *s = t->s;
    const tsr__kernels *doubles = tsr__kernels_of(TSR_FLOAT64);
    tsr__source source = s->problem->by_sample;
    for (int64_t i = 0; i < count; i++)
        t->block[i] = first + i;
    source.blocks = count;
    source.chosen = t->block;
    while (source.leaves > count)
        source.leaves /= 2;
    s->source = &source;
    const tsr_status status = tsr__solver_visit(s);
    tsr__solver_see_all(s);
    if (status < 0)
        return status;
    doubles->scale(t->running, t->r->options->forget, t->width);
    doubles->add(t->running, 1, s->work.room[0], t->width);
    memcpy(s->work.room[0], t->running, (size_t)t->width * sizeof *t->running);
    tsr__solver_hand_over(s);
    if (t->before != NULL)
        memcpy(t->before, s->state.basis, tsr__real_bytes(s, s->m * s->k));
    s->plan->basis.rule->basis(s);
    follow(t);
    s->work.owed = false; /* codes of new samples are solved once more, at the end */
    return s->work.trouble;
}

static tsr_status take_all(stream *t)
{
    tsr_status status = TSR_OK;
    const tsr__source *all = &t->s->problem->by_sample;
    const int64_t batch = t->r->options->batch / all->block_samples,
                  count = batch < 1 ? 1 : batch;
    tsr__task task = tsr__task_begin(t->r->options->progress, "going on", all->blocks);
    TSR_NEW(t->block, count);
    for (int64_t first = 0; first < all->blocks; first += count) {
        const int64_t left = all->blocks - first;
        TSR_TRY(take_batch(t, first, left < count ? left : count));
        TSR_TRY(tsr__task_step(&task, first + (left < count ? left : count), (double)NAN,
                               (double)NAN));
    }
    TSR_TRY(tsr__solver_visit(t->s));
    tsr__solver_hand_over(t->s);
    tsr__refresh(t->s);
done:
    return status;
}

/* The basis of the model; codes that are all alike, of the size of a sample. */
static void begin(stream *t, const tsr_model *from)
{
    tsr__solver *s = t->s;
    for (int64_t i = 0; i < s->m; i++)
        for (int64_t j = 0; j < s->k; j++)
            tsr__real_set(s, s->state.basis, i * s->k + j, tsr_matrix_at(from->basis, j, i));
    for (int64_t i = 0; i < s->n * s->k; i++)
        tsr__real_set(s, s->state.codes, i, t->r->problem.rho / (double)s->k);
    s->plan->map->push(s);
    s->state.lead = (tsr__lead){.last = (double)INFINITY};
}

/* The model, with what it will remember by. */
static tsr_status keep(stream *t, double seconds)
{
    tsr_status status = TSR_OK;
    tsr__run *r = t->r;
    tsr_model *model = r->model;
    const int64_t k = t->s->k;
    const tsr__totals sums = tsr__totals_of(t->s, t->running);
    double terms[TSR_TERMS];
    char note[160];
    const double j = tsr__solver_terms(terms, t->s);
    TSR_TRY(tsr__history_add(&r->history, j, seconds, terms));
    r->next = r->options->restarts;
    TSR_TRY(tsr__run_keep(model, r));
    TSR_NEW_ZERO(model->memory, k * k);
    for (int64_t i = 0; i < k * k; i++)
        model->memory[i] = !diverges(t) ? sums.GtG[i] : i / k == i % k ? sums.Gt1[i / k] : 0;
    (void)snprintf(note, sizeof note,
                   "the codes are of the %lld new samples; tessera transform gives those of "
                   "others",
                   (long long)r->problem.samples);
    TSR_TRY(tsr__names_add(&model->notes, note));
    TSR_TRY(tsr__run_remember(model, r));
done:
    return status;
}

static tsr_status go_on(tsr__run *r, const tsr_model *from)
{
    tsr_status status = TSR_OK;
    const double start = tsr__clock();
    stream t = {.r = r, .s = &r->solver};
    double *memory = NULL;
    TSR_TRY(tsr__run_open(r));
    t.width = tsr__totals_width(t.s, t.s->m);
    TSR_NEW_ZERO(t.running, t.width);
    TSR_NEW(memory, t.s->k * t.s->k);
    if (diverges(&t))
        TSR_NEW(t.before, (int64_t)tsr__real_bytes(t.s, t.s->m * t.s->k));
    begin(&t, from);
    tsr__solver_be_eager(t.s);
    TSR_TRY(recall(memory, from, diverges(&t)));
    remember(&t, memory);
    TSR_TRY(take_all(&t));
    TSR_TRY(keep(&t, tsr__clock() - start));
done:
    tsr__free(t.running);
    tsr__free(t.before);
    tsr__free(t.block);
    tsr__free(memory);
    return status;
}

tsr_status tsr_fit_more(tsr_model **out, const tsr_data *data, const tsr_model *from,
                        const tsr_fit_options *options)
{
    TSR_REQUIRE(out, data, from);
    tsr_fit_options with = options != NULL ? *options : from->options;
    tsr__run r = {.options = &with, .data = data, .like = from};
    if (tsr__team_shares(data->team))
        return tsr__fail(TSR_ERROR_UNSUPPORTED,
                         "a team does not go on with new samples (--more), "
                         "which come in batches: one process does");
    if (tsr_matrix_features(tsr_data_samples(data)) != from->report.features)
        return tsr__fail(TSR_ERROR_DATA, "%s has %lld features; the model was fitted to %lld",
                         tsr_data_origin(data),
                         (long long)tsr_matrix_features(tsr_data_samples(data)),
                         (long long)from->report.features);
    TSR_OR_RETURN(tsr_settings_check(tsr_fit_settings(), &with));
    TSR_OR_RETURN(tsr__more_check(from, &with));
    with.rank = from->report.rank;
    with.checkpoint = NULL;
    with.labelled = NULL;
    with.batch = with.batch > 0 ? with.batch : USUAL;
    const tsr_status status = go_on(&r, from);
    if (status == TSR_OK)
        *out = r.model, r.model = NULL;
    tsr__run_close(&r);
    return status;
}
