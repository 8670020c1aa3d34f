/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Where everything stands: one walk over state and work, taken twice (base/memory.h). Beyond the
 * data: (m + 2 n) k for the factors and, for each of at most eight lanes, (m + block) k, and
 * tiles of dense blocks for losses that need them.
 *
 * With the layouts of terms and losses it is the one place that knows how large anything is.
 * What a pass may touch is here, so that a step neither allocates nor fails
 * (tests/test_law_bits.c), and the bytes that the plan reports are those of the arena. The walk
 * must be the same both times: it depends on problem and plan alone, which are constant, and
 * never on a pointer's value. Sizes of sparse problems stay O((m + n) k):
 * tests/test_law_memory.c. */
#include "factor/plan.h"
#include "matrix/descent.h"
#include "matrix/pass.h"

static void *take(const tsr__solver *s, tsr__arena *arena, int64_t count)
{
    return tsr__arena_take(arena, count, tsr__type_size(s->type));
}

static double *take_doubles(tsr__arena *arena, int64_t count)
{
    return tsr__arena_take(arena, count, sizeof(double));
}

/* Halves that no term or map of the plan fills are NULL, and kernels skip them. */
static tsr__halves take_halves(const tsr__solver *s, tsr__arena *arena, int64_t rows,
                               bool quartic)
{
    const int64_t count = rows * s->k;
    return (tsr__halves){.minus = take(s, arena, count),
                         .flat = take(s, arena, count),
                         .curved = take(s, arena, count),
                         .quartic = quartic ? take(s, arena, count) : NULL,
                         .anti = s->plan->map->split ? take(s, arena, count) : NULL};
}

/* Of the basis alone: no term on the codes is of fourth degree. */
static bool has_quartic(const tsr__solver *s)
{
    bool any = false;
    for (const tsr__term *t = s->plan->term; t < tsr__terms_end(s->plan); t++)
        any = any || t->kind->quartic;
    return any;
}

/* Turned data are summed feature by feature: no lane needs an array of its own. */
static int64_t wide_lanes(const tsr__solver *s)
{
    return s->problem->by_feature.blocks > 0 ? 1 : s->plan->leaves;
}

/* Without a kernel the lift is the basis itself, the same memory: moving one moves the other,
 * and halt.c knows that there is nothing to keep. The sums hold all lanes, one after another;
 * the first lane's place is where they are added up. */
static void layout_state(tsr__solver *s, tsr__arena *arena)
{
    tsr__state *state = &s->state;
    const tsr__map *map = s->plan->map;
    const int64_t wide = s->m * s->k, square = s->k * s->k, lanes = s->plan->leaves;
    const bool kernel = s->problem->held.kernel != NULL;
    state->basis = take(s, arena, wide);
    state->codes = take(s, arena, s->n * s->k);
    state->plain = s->plan->extrapolates ? take(s, arena, s->n * s->k) : NULL;
    state->weights = map->woven ? take(s, arena, s->problem->atoms.samples * s->k) : NULL;
    state->price = take_doubles(arena, 2 * s->k);
    state->metric = (tsr__metric){.lift = kernel ? take(s, arena, wide) : state->basis,
                                  .gram = take(s, arena, square),
                                  .anti_lift = map->split ? take(s, arena, wide) : NULL,
                                  .anti_gram = map->split ? take(s, arena, square) : NULL,
                                  .Ft1 = take_doubles(arena, s->k)};
    state->sums =
        (tsr__sums){.XtG = take(s, arena, wide_lanes(s) * wide),
                    .YtG = s->plan->loss->wide ? take(s, arena, wide_lanes(s) * wide) : NULL,
                    .GtG = take(s, arena, lanes * square),
                    .Gt1 = take_doubles(arena, lanes * s->k)};
}

/* A lane's part of an array of sums; nothing while sizes are only added up. */
static void *part(const tsr__solver *s, void *lanes, int64_t at)
{
    return lanes != NULL ? tsr__real_at(s, lanes, at) : NULL;
}

/* After the state, into whose sums it points. With turned data all lanes share the one XtG, to
 * which no lane adds. Tiles are for dense blocks: a sparse block has its entries only. */
static void layout_lane(tsr__solver *s, tsr__arena *arena, int64_t lane)
{
    const tsr__sums *sums = &s->state.sums;
    const int64_t rows = s->problem->by_sample.block_samples, block = rows * s->k;
    const int64_t wide = lane % wide_lanes(s) * s->m * s->k;
    /* only coordinate descent asks for them, and only where there are terms */
    const bool bent = s->plan->code_terms > 0 && s->plan->codes.rule->descends;
    tsr__lane *l = &s->work.lane[lane];
    *l = (tsr__lane){.projection = take(s, arena, block),
                     .weighted = take(s, arena, block),
                     .halves = take_halves(s, arena, rows, false),
                     .slope = bent ? take(s, arena, block) : NULL,
                     .bend = bent ? take(s, arena, block) : NULL,
                     .XtG = part(s, sums->XtG, wide),
                     .YtG = part(s, sums->YtG, wide),
                     .GtG = part(s, sums->GtG, lane * s->k * s->k),
                     .Gt1 = sums->Gt1 != NULL ? sums->Gt1 + lane * s->k : NULL};
    for (int i = 0; i < s->plan->loss->tiles && !s->problem->by_sample.sparse; i++)
        l->tile[i] = take(s, arena, rows * s->m);
}

/* A row's own sums, for the blocks of either factor. As many as the largest block that either
 * factor is worked on in; a panel of dense features counts as one. */
static tsr__known layout_known(const tsr__solver *s, tsr__arena *arena)
{
    const int64_t codes = s->problem->by_sample.block_samples,
                  turned = s->problem->by_feature.block_samples;
    const int64_t more = codes > turned ? codes : turned,
                  most = more > TSR_PANEL ? more : TSR_PANEL;
    return (tsr__known){.gram = take(s, arena, s->k * tsr__padded(s->k)),
                        .rows = take(s, arena, TSR_KNOWN_ROWS * s->k),
                        .weighted = take(s, arena, TSR_KNOWN_ROWS * s->k),
                        .sums = take_doubles(arena, most * s->k)};
}

/* All lanes have one, since blocks of samples find theirs by lane and features by thread, and
 * there are never more threads than lanes. The panel, n long, only those have that are threads.
 * `longest` is the plan's: room for a row of entries, which descent under a divergence keeps in
 * full. */
static void layout_bench(tsr__solver *s, tsr__arena *arena, int64_t at)
{
    const tsr__plan *plan = s->plan;
    const tsr__problem *p = s->problem;
    const int64_t turned = p->by_feature.block_samples,
                  rows = turned > TSR_CHUNK ? turned : TSR_CHUNK;
    const bool whole = plan->longest > 0 && !p->by_sample.sparse && plan->basis.rule->descends;
    tsr__bench *b = &s->work.bench[at];
    *b = (tsr__bench){.row = take_doubles(arena, 3 * s->k)};
    if (plan->loss->room != NULL)
        b->room = take(s, arena, plan->loss->room(s->k, plan->longest, p->by_sample.sparse));
    if (tsr__priced(s) || plan->terms > plan->code_terms) {
        b->slope = take(s, arena, rows * s->k);
        b->bend = take(s, arena, rows * s->k);
    }
    if (whole && at < plan->threads)
        b->panel = take(s, arena, TSR_PANEL * tsr__padded(s->n));
    if (p->missing != NULL)
        b->known = layout_known(s, arena);
}

/* A rule's room is there only where the plan has the rule. Padded rows let kernels take whole
 * vectors without a tail. */
static void layout_rules(tsr__solver *s, tsr__arena *arena)
{
    tsr__work *work = &s->work;
    const int64_t wide = s->m * s->k;
    if (s->plan->map->woven)
        work->weaving =
            (tsr__weaving){.lanes = take(s, arena, tsr__lane_count(&s->problem->atoms) * wide)};
    if (s->plan->basis.rule->reads == TSR_READS_SAMPLE)
        tsr__weave_layout(s, arena);
    if (s->plan->basis.rule->exact)
        tsr__sphere_layout(s, arena);
    /* dense rows that are entries share the factor, which they want coordinate by coordinate */
    if (s->plan->longest > 0 && !s->problem->by_sample.sparse) {
        if (s->plan->codes.rule->descends)
            work->turned_basis = take(s, arena, s->k * tsr__padded(s->m));
        if (s->plan->basis.rule->descends)
            work->turned_codes = take(s, arena, s->k * tsr__padded(s->n));
    }
}

/* State first: the lanes point into its sums. */
void tsr__solver_layout(tsr__solver *s, tsr__arena *arena)
{
    tsr__work *work = &s->work;
    const bool quartic = has_quartic(s);
    layout_state(s, arena);
    work->by = take_doubles(arena, s->k);
    work->back = take_doubles(arena, s->k);
    work->floor = take_doubles(arena, s->k);
    work->row_sums = take_doubles(arena, TSR_PARTS * s->k);
    tsr__map_layout(s, arena);
    work->basis = take_halves(s, arena, s->m, quartic);
    if (s->plan->map->woven)
        work->pulled = take_halves(s, arena, s->problem->atoms.samples, quartic);
    layout_rules(s, arena);
    for (const tsr__term *t = s->plan->term; t < tsr__terms_end(s->plan); t++)
        if (t->kind->layout != NULL)
            t->kind->layout(&work->term[t->at], s, arena);
    for (int64_t i = 0; i < TSR_LANES; i++)
        layout_bench(s, arena, i);
    for (int64_t lane = 0; lane < s->plan->leaves; lane++)
        layout_lane(s, arena, lane);
}
