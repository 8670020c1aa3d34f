/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Batches that grow: a fit of many samples begins with few of them. The first batch has as many
 * samples as the user says, drawn in whole blocks; each next one has GROWTH times as many, those of
 * the last among them; the last is all samples, and is an ordinary fit. The iterations are those of
 * solver.c on some of the blocks: codes, sums and J are of these.
 *
 * A batch is left when an iteration on it gains less of J than FAIR times its share of the
 * samples: one on four times as many costs four times as much. So the basis moves some hundred times
 * for what a few passes over all samples cost, and arrives there nearly done: what a basis of
 * parts can gain from a sample it gains from thousands of them.
 *
 * Blocks are drawn by the seed, so that data in the order of their classes are no worse, and are read
 * in their order. Sums that forget what older bases made of samples, the usual mini-batch (Mairal et
 * al. 2010), are what fits go on with when samples are new (more.c).
 *
 * Cost: that of the iterations, a batch with a share of the samples as that share. O(n) besides. */
#include "factor/batch.h"

#include "base/random.h"
#include "matrix/pass.h"

#include <math.h>
#include <stdlib.h>

static const double FAIR = 0.02;
enum { GROWTH = 4, FIRST = 8, LATER = 3, MOST = 300 };

typedef struct growing {
    tsr__run *r;
    tsr__solver *s;
    int64_t blocks, *order, *own; /* all blocks as drawn; those of the batch, ascending */
    tsr__source source;
    double share;       /* of the samples */
    double j[MOST + 1]; /* on the batch */
    double *room;       /* of a sum */
    double start;
} growing;

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void add_squares(void *context, const tsr__block *block, double *sum, int thread)
{
    const tsr__solver *s = context;
    (void)thread;
    for (int64_t i = 0; i < block->samples; i++) {
        const int64_t at = block->sparse ? block->rows[i] : i * block->stride,
                      count = block->sparse ? block->rows[i + 1] - at : block->features;
        const void *row = tsr__real_at(s, block->values, at);
        *sum +=
            tsr__row_weight(s, block->first + i) * tsr__kernels_for(s)->dot(row, row, count);
    }
}

/* The first `count` of the blocks as drawn become what the solver sees. */
static tsr_status take_batch(growing *g, int64_t count)
{
    tsr__solver *s = g->s;
    const tsr__source *all = &s->problem->by_sample;
    for (int64_t i = 0; i < count; i++)
        g->own[i] = g->order[i];
    qsort(g->own, (size_t)count, sizeof *g->own, compare);
    g->source = *all;
    g->source.blocks = count;
    g->source.chosen = g->own;
    while (g->source.leaves > count)
        g->source.leaves /= 2;
    g->share = (double)count / (double)g->blocks;
    s->source = &g->source;
    if (s->plan->loss->degree < 2)
        return TSR_OK;
    const tsr__sum sum = {&g->source, s->plan->threads, 1, g->room, add_squares, s, false};
    TSR_OR_RETURN(tsr__sum_leaves(&sum));
    s->square = *g->room;
    return TSR_OK;
}

/* One line of the history a batch: its J for as many samples as there are. */
static tsr_status note_batch(growing *g, double j)
{
    double terms[TSR_TERMS];
    for (int i = 0; i < TSR_TERMS; i++)
        terms[i] = (double)NAN;
    terms[TSR_TERM_LOSS] = j / g->share;
    return tsr__history_add(&g->r->history, j / g->share, tsr__clock() - g->start, terms);
}

static tsr_status iterate(growing *g, bool first)
{
    tsr_status status = TSR_OK;
    tsr__run *r = g->r;
    const int window = first ? FIRST : LATER;
    tsr__task task = tsr__task_begin(r->options->progress, "fitting to a batch", MOST);
    g->s->state.lead =
        (tsr__lead){.last = (double)INFINITY, .fresh = g->s->plan->codes.rule->descends};
    int at = 0;
    tsr__solver_be_eager(g->s);
    for (bool done = false; !done && at < MOST && !r->interrupted; at++) {
        tsr__solver_step(g->s);
        TSR_TRY(g->s->work.trouble);
        g->j[at] = tsr__solver_objective(g->s);
        const double gain =
            at >= window ? (g->j[at - window] - g->j[at]) / window : (double)INFINITY;
        done = !(gain > FAIR * g->share * fabs(g->j[at]));
        status = tsr__task_step(&task, at + 1, g->j[at] / g->share, (double)NAN);
        r->interrupted = status == TSR_ERROR_INTERRUPTED;
        status = r->interrupted ? TSR_OK : status;
        TSR_TRY(status);
    }
    TSR_TRY(note_batch(g, g->j[at - 1]));
done:
    return status;
}

static tsr_status open_growing(growing *g, tsr__run *r)
{
    tsr_status status = TSR_OK;
    const tsr__source *all = &r->problem.by_sample;
    tsr__random random =
        tsr__random_seed((uint64_t)r->options->seed, ((uint64_t)1 << 40) + (uint64_t)r->next);
    *g = (growing){.r = r, .s = &r->solver, .start = tsr__clock()};
    TSR_NEW(g->order, all->blocks);
    TSR_NEW(g->own, all->blocks);
    TSR_NEW(g->room, tsr__sum_room(all, r->plan.threads));
    for (int64_t i = 0; i < all->blocks; i++) {
        int64_t first, rows;
        tsr__source_rows(&first, &rows, all, i);
        if (rows > 0) /* leaves of uneven samples end with empty ones */
            g->order[g->blocks++] = i;
    }
    tsr__random_shuffle(&random, g->order, g->blocks);
done:
    return status;
}

/* From a batch that would nearly be all samples to all of them is no step of its own. */
tsr_status tsr__batch_begin(tsr__run *r)
{
    tsr_status status = TSR_OK;
    const tsr__source *all = &r->problem.by_sample;
    int64_t count = (r->plan.batch + all->block_samples - 1) / all->block_samples;
    growing g = {0};
    TSR_TRY(open_growing(&g, r));
    for (bool first = true; count * 3 < g.blocks * 2 && !r->interrupted; count *= GROWTH) {
        TSR_TRY(take_batch(&g, count));
        if (first) {
            TSR_TRY(tsr__init_factors(&r->solver, &r->spec, r->next));
            tsr__solver_start(&r->solver);
        }
        TSR_TRY(iterate(&g, first));
        first = false;
    }
    r->since = r->history.iterations;
    r->solver.state.lead = (tsr__lead){.last = (double)INFINITY, .fresh = true};
    tsr__solver_be_eager(&r->solver);
done:
    tsr__solver_see_all(&r->solver);
    tsr__free(g.order);
    tsr__free(g.own);
    tsr__free(g.room);
    return status;
}
