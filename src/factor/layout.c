/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Where everything stands: one walk over state and work, taken twice (base/memory.h). Beyond the
 * data: (m + 2 n) k for the factors, and for each thread log2(leaves) + 1 sums, of m k or of a
 * tile's features, block k, and tiles of dense blocks for losses that need them.
 *
 * With the layouts of terms and losses it is the one place that knows how large anything is.
 * What a pass may touch is here, so that a step neither allocates nor fails
 * (tests/test_law_bits.c), and the bytes that the plan reports are those of the arena. The walk
 * must be the same both times: it depends on problem and plan alone, which are constant, and
 * never on a pointer's value. Sizes of sparse problems stay O((m + n) k):
 * tests/test_law_memory.c. */
#include "factor/conjugate.h"
#include "factor/plan.h"
#include "matrix/descent.h"
#include "matrix/pass.h"
#include "matrix/team.h"

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
                               bool quartic, bool logs)
{
    const int64_t count = rows * s->k;
    return (tsr__halves){.minus = take(s, arena, count),
                         .flat = take(s, arena, count),
                         .curved = take(s, arena, count),
                         .quartic = quartic ? take(s, arena, count) : NULL,
                         .anti = s->plan->map->split ? take(s, arena, count) : NULL,
                         .entropy = logs ? take(s, arena, count) : NULL,
                         .contrast = logs ? take(s, arena, count) : NULL};
}

/* Of the basis alone: no term on the codes is of fourth degree. */
static bool has_quartic(const tsr__solver *s)
{
    bool any = false;
    for (const tsr__term *t = s->plan->term; t < tsr__terms_end(s->plan); t++)
        any = any || t->kind->quartic;
    return any;
}

/* The first sum of the room over leaves is the total. Of rows that are tiled the sums of features
 * stand apart; turned data make theirs in the problem's type, with no total. In double precision
 * sums are the totals themselves. */
static void layout_sums(tsr__solver *s, tsr__arena *arena)
{
    const tsr__source *source = &s->problem->by_sample;
    const int64_t wide = s->m * s->k, tiles = (s->m + s->plan->tile - 1) / s->plan->tile;
    const bool apart = tiles > 1 || s->problem->by_leaf.blocks > 0, both = s->plan->loss->wide,
               same = s->type == TSR_FLOAT64 && s->problem->by_feature.blocks == 0;
    tsr__totals *totals = &s->state.totals;
    double *room = take_doubles(arena, tsr__sum_room(source, s->plan->threads) *
                                           tsr__totals_width(s, tsr__totals_rows(s)));
    s->work.room[0] = room;
    *totals = (tsr__totals){0};
    if (room != NULL)
        *totals = tsr__totals_of(s, room);
    if (tiles > 1) {
        s->work.room[1] = take_doubles(arena, tsr__tiles_room(source, s->plan->threads) *
                                                  tsr__totals_width(s, s->plan->tile));
        s->work.tile_loss = take_doubles(arena, tiles);
    }
    if (apart) {
        totals->XtG = take_doubles(arena, wide);
        totals->YtG = both ? take_doubles(arena, wide) : NULL;
    }
    s->state.sums =
        (tsr__sums){.XtG = same ? totals->XtG : take(s, arena, wide),
                    .YtG = !both  ? NULL
                           : same ? totals->YtG
                                  : take(s, arena, wide),
                    .GtG = s->type == TSR_FLOAT64 ? totals->GtG : take(s, arena, s->k * s->k),
                    .Gt1 = totals->Gt1};
}

/* With room for those of other ranks before and behind them (problem.h). */
static void *take_codes(const tsr__solver *s, tsr__arena *arena)
{
    const tsr__halo *halo = &s->problem->pairs.halo;
    void *places = take(s, arena, (halo->before + s->n + halo->after) * s->k);
    return places != NULL ? tsr__real_at(s, places, halo->before * s->k) : NULL;
}

/* What a team needs: who has which features, and codes on their way. */
static void layout_team(tsr__solver *s, tsr__arena *arena)
{
    const tsr__halo *halo = &s->problem->pairs.halo;
    const int64_t ranks = tsr__team_ranks(tsr__problem_team(s->problem));
    int64_t sent = 0;
    for (int kind = 0; kind < TSR_DIVIDED_UNITS && s->plan->divides; kind++)
        s->work.division[kind] =
            (tsr__division){.first = tsr__arena_take(arena, ranks, sizeof(int64_t)),
                            .count = tsr__arena_take(arena, ranks, sizeof(int64_t))};
    if (halo->wanted == NULL)
        return;
    for (int64_t r = 0; r < ranks; r++)
        sent += halo->sent[r];
    s->work.halo[0] = take(s, arena, sent * s->k);
    s->work.halo[1] = take(s, arena, (halo->before + halo->after) * s->k);
    s->work.halo_bytes = tsr__arena_take(arena, 2 * ranks, sizeof(int64_t));
}

/* Without a kernel the lift is the basis itself, the same memory: moving one moves the other,
 * and halt.c knows that there is nothing to keep. */
static void layout_state(tsr__solver *s, tsr__arena *arena)
{
    tsr__state *state = &s->state;
    const tsr__map *map = s->plan->map;
    const int64_t wide = s->m * s->k, square = s->k * s->k;
    const bool kernel = s->problem->held.kernel != NULL;
    state->basis = take(s, arena, wide);
    state->codes = take_codes(s, arena);
    state->weights = map->woven ? take(s, arena, s->problem->atoms.samples * s->k) : NULL;
    state->plain = s->plan->extrapolates ? take(s, arena, tsr__plain_rows(s) * s->k) : NULL;
    state->price = take_doubles(arena, 2 * s->k);
    state->metric = (tsr__metric){.lift = kernel ? take(s, arena, wide) : state->basis,
                                  .exact = take_doubles(arena, square),
                                  .anti_lift = map->split ? take(s, arena, wide) : NULL,
                                  .exact_anti = map->split ? take_doubles(arena, square) : NULL,
                                  .Ft1 = take_doubles(arena, s->k)};
    state->metric.gram = state->metric.exact;
    state->metric.anti_gram = state->metric.exact_anti;
    if (s->type != TSR_FLOAT64) {
        state->metric.gram = take(s, arena, square);
        state->metric.anti_gram = map->split ? take(s, arena, square) : NULL;
    }
    layout_sums(s, arena);
}

/* Tiles are for dense blocks: a sparse block has its entries only. The lanes themselves are in
 * the arena too, and not there while sizes are only added up. */
static void layout_lane(tsr__solver *s, tsr__arena *arena, int64_t lane)
{
    const int64_t rows = s->problem->by_sample.block_samples, block = rows * s->k;
    /* only coordinate descent asks for them, and only where there are terms */
    const bool bent = s->plan->code_terms > 0 && s->plan->codes.rule->descends;
    tsr__lane l = {.projection = take(s, arena, block),
                   .weighted = take(s, arena, block),
                   .halves = take_halves(s, arena, rows, false, tsr__plan_logs(s->plan)),
                   .slope = bent ? take(s, arena, block) : NULL,
                   .bend = bent ? take(s, arena, block) : NULL};
    if (s->plan->map->woven)
        l.pulled =
            take_halves(s, arena, s->problem->atoms.block_samples, has_quartic(s), false);
    for (int i = 0; i < s->plan->loss->tiles && !s->problem->by_sample.sparse; i++)
        l.tile[i] = take(s, arena, rows * s->plan->tile);
    if (s->work.lane != NULL)
        s->work.lane[lane] = l;
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

/* `longest` is the plan's: room for a row of entries, which descent under a divergence keeps in
 * full. */
static void layout_bench(tsr__solver *s, tsr__arena *arena, int64_t at)
{
    const tsr__plan *plan = s->plan;
    const tsr__problem *p = s->problem;
    const int64_t turned = p->by_feature.block_samples,
                  rows = turned > TSR_CHUNK ? turned : TSR_CHUNK;
    const bool whole = plan->longest > 0 && !p->by_sample.sparse && plan->basis.rule->descends;
    tsr__bench b = {.row = take_doubles(arena, 3 * s->k)};
    if (p->by_leaf.blocks > 0)
        b.leaves = take_doubles(arena, TSR_LEAF_ROOM * s->k);
    if (plan->loss->room != NULL)
        b.room = take(s, arena, plan->loss->room(s->k, plan->longest, p->by_sample.sparse));
    if (tsr__priced(s) || plan->terms > plan->code_terms) {
        b.slope = take(s, arena, rows * s->k);
        b.bend = take(s, arena, rows * s->k);
    }
    if (whole)
        b.panel = take(s, arena, TSR_PANEL * tsr__padded(s->n));
    if (p->missing != NULL)
        b.known = layout_known(s, arena);
    if (s->work.bench != NULL)
        s->work.bench[at] = b;
}

/* A rule's room is there only where the plan has the rule. Padded rows let kernels take whole
 * vectors without a tail. */
static void layout_rules(tsr__solver *s, tsr__arena *arena)
{
    tsr__work *work = &s->work;
    if (s->plan->map->woven)
        work->weaving = (tsr__weaving){
            .sums = take_doubles(
                arena, tsr__collect_room(&s->problem->atoms, s->k, s->plan->threads))};
    if (s->plan->basis.rule->reads == TSR_READS_SAMPLE)
        tsr__weave_layout(s, arena);
    if (s->plan->basis.rule->exact)
        tsr__sphere_layout(s, arena);
    if (s->plan->codes.rule->solve != NULL)
        tsr__conjugate_layout(&work->conjugate, s, arena);
    /* dense rows that are entries share the factor, which they want coordinate by coordinate */
    if (s->plan->longest > 0 && !s->problem->by_sample.sparse) {
        if (s->plan->codes.rule->descends)
            work->turned_basis = take(s, arena, s->k * tsr__padded(s->m));
        if (s->plan->basis.rule->descends)
            work->turned_codes = take(s, arena, s->k * tsr__padded(s->n));
    }
}

/* Open sums over samples, or over those that span the basis. */
static int64_t most_sums(const tsr__solver *s)
{
    const int64_t codes = tsr__sum_room(&s->problem->by_sample, s->plan->threads),
                  theta = s->plan->map->woven
                              ? tsr__sum_room(&s->problem->atoms, s->plan->threads)
                              : 0;
    return codes > theta ? codes : theta;
}

void tsr__solver_layout(tsr__solver *s, tsr__arena *arena)
{
    tsr__work *work = &s->work;
    const bool quartic = has_quartic(s);
    layout_state(s, arena);
    work->by = take_doubles(arena, s->k);
    work->back = take_doubles(arena, s->k);
    work->floor = take_doubles(arena, s->k);
    work->before = s->plan->leads_basis ? take(s, arena, s->n * s->k) : NULL;
    work->row_sums = take_doubles(arena, TSR_PARTS * s->k);
    work->code_sums = take_doubles(arena, most_sums(s) * s->k);
    work->dots = take_doubles(arena, TSR_RUNS);
    if (s->problem->by_leaf.blocks > 0 && s->problem->weight != NULL)
        work->weighted = take(s, arena, s->n * s->k);
    layout_team(s, arena);
    tsr__map_layout(s, arena);
    work->basis = take_halves(s, arena, s->m, quartic, false);
    layout_rules(s, arena);
    for (const tsr__term *t = s->plan->term; t < tsr__terms_end(s->plan); t++)
        if (t->kind->layout != NULL)
            t->kind->layout(&work->term[t->at], s, arena);
    work->residual = take_doubles(arena, 2 * most_sums(s));
    work->bench = tsr__arena_take(arena, s->plan->threads, sizeof *work->bench);
    work->lane = tsr__arena_take(arena, s->plan->threads, sizeof *work->lane);
    for (int64_t thread = 0; thread < s->plan->threads; thread++) {
        layout_bench(s, arena, thread);
        layout_lane(s, arena, thread);
    }
}
