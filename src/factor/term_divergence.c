/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Graph term as a divergence: mu tr(G' L log G) = mu / 2 sum_ij S_ij (g_i - g_j) (log g_i - log g_j),
 * both divergences of neighbouring codes from each other. Cai et al. 2011, of their KL model.
 *
 *     flat, minus += mu [L log G]+-      entropy = mu diag(S 1)      contrast = mu (S G) / G
 *
 * L log G and S G are summed after each pass: O(p n k). A code of zero beside one that is not would
 * cost without limit; the smallest normal number stands for it, as it does in denominators.
 *
 * Why the bound holds, with g = g0 t: the sum has g_i log g_i, convex and kept as it is but for what
 * it lends, and -g_i log g_j = -g_i (log g0_j + log t_j), where
 *
 *     -t_i log t_j  <=  -log t_j + (t_i - 1)^2 / 2 + (log t_j)^2 / 2,
 *
 * as -(t_i - 1) log t_j is at most half of both squares; and (log t)^2 <= 2 (t - 1 - log t) for t >= 1.
 * Each of these is tight at t = 1. What row i gathers is linear (L log g0), d_i (t log t + (t - 1)^2 / 2)
 * and of its neighbours' g0 what falls as `contrast` does (doc/mathematics.md, section 3). */
#include "factor/plan.h"
#include "factor/strip.h"
#include "matrix/pass.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SUMS, SLOPES, LOGS }; /* S G, L log G, log G */

static bool begin(double weight[2], const tsr__spec *spec, const tsr__problem *problem)
{
    const double w = spec->weights.of[TSR_WEIGHT_GRAPH];
    weight[0] = w * tsr__spec_unit(spec, problem->rho, 1);
    return w > 0 && spec->divergence;
}

static const char *refuses(const tsr__spec *spec, const tsr__problem *problem)
{
    (void)problem;
    return spec->loss->power == 1
               ? NULL
               : "divergences between codes stand beside a divergence of the "
                 "data: --loss kl, or --graph-form distance";
}

static int64_t places_of(const tsr__solver *s)
{
    const tsr__halo *halo = &s->problem->pairs.halo;
    return halo->before + s->n + halo->after;
}

static void layout(tsr__term_room *room, const tsr__solver *s, tsr__arena *arena)
{
    const tsr__source graph = tsr__graph_source(s);
    const size_t size = tsr__type_size(s->type);
    room->gathered[SUMS] = tsr__arena_take(arena, s->n * s->k, size);
    room->gathered[SLOPES] = tsr__arena_take(arena, s->n * s->k, size);
    room->gathered[LOGS] = tsr__arena_take(arena, places_of(s) * s->k, sizeof(double));
    room->sums =
        tsr__arena_take(arena, tsr__sum_room(&graph, s->plan->threads) * s->k, sizeof(double));
}

static double log_of(double code, tsr_type type)
{
    return log(fmax(code, type == TSR_FLOAT64 ? DBL_MIN : (double)FLT_MIN));
}

static void take_logs(const void *context, int64_t first, int64_t count)
{
    const tsr__adding *a = context;
    double *logs = tsr__room_of(a->s, a->t)->gathered[LOGS];
    const void *places = tsr__places(a->s);
    for (int64_t i = first * a->s->k; i < (first + count) * a->s->k; i++)
        logs[i] = log_of(tsr__real_get(a->s, places, i), a->s->type);
}

/* An edge of sample `place` and another: into the slopes of the sample and, where they are asked for,
 * into what each column costs. Differences first: codes that agree give zero. */
static void add_edge(double *restrict slopes, double *restrict costs, const tsr__adding *a,
                     double edge, int64_t place, int64_t other)
{
    const tsr__solver *s = a->s;
    const double *logs = tsr__room_of(s, a->t)->gathered[LOGS];
    const double *own = logs + place * s->k, *its = logs + other * s->k;
    for (int64_t j = 0; j < s->k; j++)
        slopes[j] += edge * (own[j] - its[j]);
    for (int64_t j = 0; costs != NULL && j < s->k; j++)
        costs[j] += edge * (own[j] - its[j]) *
                    (tsr__real_get(s, tsr__places(s), place * s->k + j) -
                     tsr__real_get(s, tsr__places(s), other * s->k + j));
}

/* Each edge costs once: of both its ends the later one counts it. */
static void refresh_block(void *context, const tsr__block *block, double *sum, int thread)
{
    const tsr__adding *a = context;
    const tsr__solver *s = a->s;
    const tsr__term_room *room = tsr__room_of(s, a->t);
    double *slopes = s->work.bench[thread].row;
    tsr__block_project(tsr__real_at(s, room->gathered[SUMS], block->first * s->k), block,
                       tsr__places(s), s->k, true);
    for (int64_t i = 0; i < block->samples; i++) {
        const int64_t place = s->problem->pairs.halo.before + block->first + i;
        memset(slopes, 0, (size_t)s->k * sizeof *slopes);
        for (int64_t at = block->rows[i]; at < block->rows[i + 1]; at++)
            add_edge(slopes, block->columns[at] < place ? sum : NULL, a,
                     a->t->weight[0] * tsr__value_at(block->values, block->type, at), place,
                     block->columns[at]);
        tsr__kernels_for(s)->narrow(
            tsr__real_at(s, room->gathered[SLOPES], (block->first + i) * s->k), slopes, s->k);
    }
}

static double refresh(const tsr__term *t, tsr__solver *s, double *linear, double *square)
{
    tsr__adding a = {t, s};
    const tsr__source graph = tsr__graph_source(s);
    double *sums = tsr__room_of(s, t)->sums, value = 0;
    const tsr__sum sum = {&graph, s->plan->threads, s->k, sums, refresh_block, &a, false};
    (void)square;
    tsr__each_rows(s, places_of(s), take_logs, &a);
    tsr__solver_note(s, tsr__sum_leaves(&sum));
    for (int64_t j = 0; j < s->k; j++) {
        linear[j] += sums[j];
        value += sums[j];
    }
    return value;
}

/* A zero that its neighbours pull up has a slope without limit, which a number has to stand for. */
static void add(const tsr__term *t, const tsr__solver *s, int64_t first, int64_t count,
                const tsr__halves *halves)
{
    const tsr__term_room *room = tsr__room_of(s, t);
    const double *degree = s->problem->pairs.graph_degree, tiny = DBL_MIN, most = 1e30;
    for (int64_t i = 0; i < count * s->k; i++) {
        const int64_t at = first * s->k + i;
        const double slope = tsr__real_get(s, room->gathered[SLOPES], at),
                     pull = t->weight[0] * tsr__real_get(s, room->gathered[SUMS], at),
                     code = tsr__real_get(s, s->state.codes, at);
        void *to = slope > 0 ? halves->flat : halves->minus;
        tsr__real_set(s, to, i, tsr__real_get(s, to, i) + fabs(slope));
        tsr__real_set(s, halves->entropy, i, t->weight[0] * degree[first + i / s->k]);
        tsr__real_set(s, halves->contrast, i, fmin(pull / fmax(code, tiny), most));
    }
}

const tsr__term_kind tsr__term_divergence = {.name = TSR_TERM_GRAPH,
                                             .formula = "%str(G' L log G)",
                                             .weights = {TSR_WEIGHT_GRAPH, TSR_WEIGHTS},
                                             .degree = 1,
                                             .priced = true,
                                             .logs = true,
                                             .needs = TSR_NEEDS_NEIGHBOURS,
                                             .begin = begin,
                                             .refuses = refuses,
                                             .layout = layout,
                                             .refresh = refresh,
                                             .add = add};
