/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The loop. An iteration is one pass over the samples:
 *
 *     basis <- its rule, from the sums of the last pass      then its scale
 *     for each block of samples:
 *         project -> add penalties -> update the block's codes -> extrapolate -> accumulate
 *     sum the lanes -> penalties -> objective -> back to where the step led if it rose
 *
 * Cost: Frobenius 4 n m k, KL under `mu` 8 n m k, KL by descent 50 to 100 n m k (sparse: nnz for
 * n m), graph p n k, links n k; memory beyond the data: (m + 2 n) k and, for each of at most
 * eight lanes, (m + block) k and a tile for dense KL; sparse data once more, by feature. The
 * lanes are summed in order, so the result does not depend on the number of threads. Nothing in
 * here allocates or fails. */
#include "factor/solver.h"

#include "matrix/descent.h"
#include "matrix/pass.h"

#include <math.h>
#include <string.h>

static void *take(const tsr__solver *s, tsr__arena *arena, int64_t count)
{
    return tsr__arena_take(arena, count, tsr__type_size(s->type));
}

static tsr__halves take_halves(const tsr__solver *s, tsr__arena *arena, int64_t rows,
                               bool quartic)
{
    const int64_t count = rows * s->k;
    return (tsr__halves){.minus = take(s, arena, count),
                         .flat = take(s, arena, count),
                         .curved = take(s, arena, count),
                         .quartic = quartic ? take(s, arena, count) : NULL,
                         .anti = s->map == &tsr__map_signed ? take(s, arena, count) : NULL};
}

/* Turned data are summed feature by feature: no lane needs an array of its own. */
static int64_t sum_lanes_of(const tsr__solver *s)
{
    return s->turned.blocks > 0 ? 1 : tsr__lane_count(&s->source);
}

/* A lane's part of an array of sums; nothing while sizes are only added up. */
static void *part(const tsr__solver *s, void *lanes, int64_t at)
{
    return lanes != NULL ? tsr__real_at(s, lanes, at) : NULL;
}

static void layout_lane(tsr__solver *s, tsr__arena *arena, int64_t lane)
{
    tsr__lane *l = &s->lane[lane];
    const int64_t rows = s->source.block_samples, block = rows * s->k;
    const bool tiled = s->loss == &tsr__loss_kl && !s->source.sparse;
    *l = (tsr__lane){.projection = take(s, arena, block),
                     .weighted = take(s, arena, block),
                     .halves = take_halves(s, arena, rows, false),
                     .bend = take(s, arena, block),
                     .tile = tiled ? take(s, arena, rows * s->m) : NULL,
                     .collect = part(s, s->collect_lanes, lane % sum_lanes_of(s) * s->m * s->k),
                     .spread = part(s, s->spread_lanes, lane * s->k * s->k),
                     .column_sum =
                         s->column_lanes != NULL ? s->column_lanes + lane * s->k : NULL};
}

static void layout_penalty(tsr__solver *s, tsr__arena *arena, tsr__penalty *p)
{
    for (int side = 0; side < 2; side++)
        if (p->pairs[side] != NULL)
            p->gathered[side] = take(s, arena, s->n * s->k);
    if (p->kind == &tsr__penalty_links)
        p->sums = tsr__arena_take(arena, (s->class_count + 1) * s->k, sizeof(double));
    if (p->kind == &tsr__penalty_graph)
        p->sums = tsr__arena_take(arena, TSR_LANES * s->k, sizeof(double));
}

static void layout_concept(tsr__solver *s, tsr__arena *arena)
{
    const bool linear = s->map == &tsr__map_concept;
    s->lift = s->kernel ? take(s, arena, s->m * s->k) : s->basis;
    if (s->map == &tsr__map_signed) {
        s->lift_negative = take(s, arena, s->m * s->k);
        s->gram_negative = take(s, arena, s->k * s->k);
    }
    if (!linear)
        return;
    s->weights = take(s, arena, s->atoms.samples * s->k);
    s->pulled = take_halves(s, arena, s->atoms.samples, s->decorrelate > 0);
    s->atom_lanes = take(s, arena, tsr__lane_count(&s->atoms) * s->m * s->k);
    s->woven = take(s, arena, s->m * tsr__padded(s->k));
    s->woven_gram = take(s, arena, s->k * tsr__padded(s->k));
}

/* Dense rows share the factor, which they want coordinate by coordinate. */
static void layout_turned(tsr__solver *s, tsr__arena *arena)
{
    if (s->source.sparse || s->loss != &tsr__loss_kl)
        return;
    if (s->codes_rule == TSR_RULE_DESCEND)
        s->turned_basis = take(s, arena, s->k * tsr__padded(s->m));
    if (s->basis_rule != TSR_RULE_DESCEND)
        return;
    s->turned_codes = take(s, arena, s->k * tsr__padded(s->n));
    for (int i = 0; i < s->threads; i++)
        s->panel[i] = take(s, arena, TSR_PANEL * tsr__padded(s->n));
}

/* A row's own sums, for the blocks of either factor. */
static void layout_known(tsr__solver *s, tsr__arena *arena)
{
    const int64_t codes = s->source.block_samples, turned = s->turned.block_samples;
    const int64_t most = codes > turned ? codes : turned;
    for (int64_t i = 0; s->missing != NULL && i < TSR_LANES; i++)
        s->known[i] = (tsr__known){
            .gram = take(s, arena, s->k * tsr__padded(s->k)),
            .rows = take(s, arena, TSR_KNOWN_ROWS * s->k),
            .weighted = take(s, arena, TSR_KNOWN_ROWS * s->k),
            .sums = tsr__arena_take(arena, (most > TSR_PANEL ? most : TSR_PANEL) * s->k,
                                    sizeof(double))};
}

void tsr__solver_layout(tsr__solver *s, tsr__arena *arena)
{
    const int64_t larger = s->m > s->k ? s->m : s->k;
    const int64_t room = s->longest > 0 ? tsr__entropy_room(s->k, s->longest, s->source.sparse)
                                        : tsr__descent_room(s->k);
    s->lanes = tsr__lane_count(&s->source);
    s->basis = take(s, arena, s->m * s->k);
    s->codes = take(s, arena, s->n * s->k);
    s->plain = s->extrapolates ? take(s, arena, s->n * s->k) : NULL;
    s->gram = take(s, arena, s->k * s->k);
    s->columns = tsr__arena_take(arena, 2 * s->k, sizeof(double));
    s->column_sum = tsr__arena_take(arena, s->k, sizeof(double));
    s->work = tsr__arena_take(arena, 2 * larger, sizeof(double));
    s->floor = tsr__arena_take(arena, s->k, sizeof(double));
    s->halves = take_halves(s, arena, s->m, s->decorrelate > 0);
    s->collect_lanes = take(s, arena, sum_lanes_of(s) * s->m * s->k);
    s->spread_lanes = take(s, arena, s->lanes * s->k * s->k);
    s->column_lanes = tsr__arena_take(arena, s->lanes * s->k, sizeof(double));
    layout_concept(s, arena);
    for (int i = 0; i < s->penalties; i++)
        layout_penalty(s, arena, &s->penalty[i]);
    for (int64_t i = 0; i < TSR_LANES; i++)
        s->room[i] = take(s, arena, room);
    layout_turned(s, arena);
    layout_known(s, arena);
    for (int64_t lane = 0; lane < s->lanes; lane++)
        layout_lane(s, arena, lane);
}

static void clear_sums(tsr__solver *s)
{
    const size_t size = tsr__type_size(s->type);
    if (s->turned.blocks == 0)
        memset(s->collect_lanes, 0, (size_t)(s->lanes * s->m * s->k) * size);
    memset(s->spread_lanes, 0, (size_t)(s->lanes * s->k * s->k) * size);
    memset(s->column_lanes, 0, (size_t)(s->lanes * s->k) * sizeof *s->column_lanes);
    for (int64_t lane = 0; lane < s->lanes; lane++)
        s->lane[lane].value = 0;
}

static void sum_lanes(tsr__solver *s)
{
    if (s->turned.blocks == 0)
        tsr__lanes_sum(s->collect_lanes, s->m * s->k, s->lanes, s->type, s->threads);
    tsr__lanes_sum(s->spread_lanes, s->k * s->k, s->lanes, s->type, 1);
    tsr__lanes_sum(s->column_lanes, s->k, s->lanes, TSR_FLOAT64, 1);
}

static double gram_at(const tsr__solver *s, int64_t i)
{
    return tsr__real_get(s, s->gram, i) -
           (s->gram_negative != NULL ? tsr__real_get(s, s->gram_negative, i) : 0);
}

static double correlation(const tsr__solver *s)
{
    double sum = 0;
    for (int64_t i = 0; i < s->k * s->k; i++) {
        const double off = (i % (s->k + 1) == 0 ? 1 : 0) - gram_at(s, i);
        sum += s->decorrelate * off * off;
    }
    return sum;
}

static double elastic_basis(const tsr__solver *s)
{
    double sum = s->basis_ridge / 2 * tsr__kernels_for(s)->dot(s->basis, s->basis, s->m * s->k);
    for (int64_t j = 0; j < s->k; j++)
        sum += s->basis_lasso * s->column_sum[j];
    return sum;
}

const char *const tsr__term_names[TSR_TERMS] = {
    "loss", "class", "graph", "links", "decorrelate", "alpha-codes", "alpha-basis"};

void tsr__solver_terms(double terms[TSR_TERMS], const tsr__solver *s)
{
    for (int i = 0; i < TSR_TERMS; i++)
        terms[i] = (double)NAN;
    terms[TSR_TERM_LOSS] = s->loss->value(s) + s->constant;
    for (int i = 0; i < s->penalties; i++) {
        double *term = &terms[s->penalty[i].kind->term];
        *term = (isnan(*term) ? 0 : *term) + s->penalty[i].value;
    }
    if (s->decorrelate > 0)
        terms[TSR_TERM_DECORRELATE] = correlation(s);
    if (s->basis_lasso > 0 || s->basis_ridge > 0)
        terms[TSR_TERM_ALPHA_BASIS] = elastic_basis(s);
}

double tsr__solver_objective(const tsr__solver *s)
{
    double sum = s->loss->value(s) + s->constant + s->penalty_value;
    if (s->decorrelate > 0)
        sum += correlation(s);
    if (s->basis_lasso > 0 || s->basis_ridge > 0)
        sum += elastic_basis(s);
    return sum;
}

static void accumulate_block(void *context, const tsr__block *block, int64_t lane)
{
    tsr__solver *s = context;
    s->loss->accumulate(s, block, &s->lane[lane]);
}

/* Steps whose zeros stay zero must not be led into one, nor a loss that is infinite there. */
static double floor_of(const tsr__solver *s)
{
    return s->codes_rule == TSR_RULE_DESCEND && !s->loss->logarithmic ? 0 : 0.1;
}

/* How far the codes are led at most, in steps. Near its zeros the divergence bends so much that
 * J at a place further away hides what the steps gain. */
static double furthest(const tsr__solver *s)
{
    return s->loss->logarithmic ? 0.7 : 1;
}

static void move_block(void *context, const tsr__block *block, int64_t lane)
{
    tsr__solver *s = context;
    const int64_t at = block->first * s->k;
    tsr__update_codes(s, block, &s->lane[lane]);
    if (s->plain != NULL)
        tsr__kernels_for(s)->extrapolate(tsr__real_at(s, s->codes, at),
                                         tsr__real_at(s, s->plain, at), s->push, floor_of(s),
                                         block->samples * s->k);
    s->loss->accumulate(s, block, &s->lane[lane]);
}

static void collect_block(void *context, const tsr__block *block, int64_t lane)
{
    tsr__solver *s = context;
    s->loss->collect(s, block, lane);
}

static void collect(tsr__solver *s)
{
    tsr__visit_blocks(&s->turned, s->threads, collect_block, s);
}

static void pass(tsr__solver *s, tsr__visit visit)
{
    clear_sums(s);
    if (s->loss->prepare != NULL)
        s->loss->prepare(s);
    if (s->lifts && s->codes_rule != TSR_RULE_DESCEND)
        tsr__floor_of(s, s->floor, s->codes, s->n);
    tsr__visit_blocks(&s->source, s->threads, visit, s);
    sum_lanes(s);
    if (s->collects && s->turned.blocks > 0)
        collect(s);
    tsr__refresh(s);
}

/* The codes go on in the direction of their last step, further as long as J falls; where it
 * does not they return to where the step itself, which never raises J, had led. */
static void steer(tsr__solver *s)
{
    double now = tsr__solver_objective(s);
    if (s->push > 0 && !(now <= s->last)) {
        memcpy(s->codes, s->plain, (size_t)(s->n * s->k) * tsr__type_size(s->type));
        pass(s, accumulate_block);
        now = tsr__solver_objective(s);
        s->run = 0;
    } else {
        s->run++;
    }
    s->push = fmin(s->run / (s->run + 3), furthest(s));
    s->last = now;
}

void tsr__solver_sum(tsr__solver *s)
{
    pass(s, accumulate_block);
}

void tsr__solver_start(tsr__solver *s)
{
    s->map->push(s);
    if (s->scale == TSR_SCALE_PRODUCT || s->scale == TSR_SCALE_MODEL)
        tsr__fix_scale(s, TSR_SCALE_PRODUCT);
    pass(s, accumulate_block);
    s->push = s->run = 0;
    s->last = (double)INFINITY;
    s->fresh = s->codes_rule == TSR_RULE_DESCEND;
}

/* Before the first step the codes follow the basis as it was given: random codes tell it less
 * than the data do, and the minimum that is found is lower more often than not. */
void tsr__solver_step(tsr__solver *s)
{
    if (s->fresh)
        pass(s, move_block);
    s->fresh = false;
    tsr__update_basis(s);
    pass(s, move_block);
    if (s->plain != NULL)
        steer(s);
}

/* Adds theta |gradient| to moving and theta (plus + minus) to still; see solver.h. */
static void measure(const tsr__solver *s, const void *theta, const tsr__halves *h, int64_t rows,
                    double *moving, double *still)
{
    for (int64_t j = 0; j < s->k; j++) {
        double mean = 0;
        for (int64_t i = 0; i < rows; i++)
            mean += tsr__real_get(s, theta, i * s->k + j) / (double)rows;
        for (int64_t i = 0; i < rows; i++) {
            const int64_t at = i * s->k + j;
            double minus = tsr__real_get(s, h->minus, at), plus = 0;
            plus += h->flat != NULL ? tsr__real_get(s, h->flat, at) : 0;
            plus += h->curved != NULL ? tsr__real_get(s, h->curved, at) : 0;
            plus += h->quartic != NULL ? tsr__real_get(s, h->quartic, at) : 0;
            minus += h->anti != NULL ? tsr__real_get(s, h->anti, at) : 0;
            const double value = tsr__real_get(s, theta, at);
            *moving += (minus > plus ? fmax(value, mean) : value) * fabs(plus - minus);
            *still += value * (plus + fabs(minus));
        }
    }
}

struct measuring {
    tsr__solver *s;
    double moving[TSR_LANES], still[TSR_LANES];
};

static void measure_block(void *context, const tsr__block *block, int64_t lane)
{
    struct measuring *m = context;
    tsr__solver *s = m->s;
    tsr__codes_halves(s, block, &s->lane[lane]);
    measure(s, tsr__real_at(s, s->codes, block->first * s->k), &s->lane[lane].halves,
            block->samples, &m->moving[lane], &m->still[lane]);
}

void tsr__solver_collect(tsr__solver *s)
{
    if (!s->collects)
        collect(s);
}

double tsr__solver_optimality(tsr__solver *s)
{
    struct measuring m = {.s = s};
    double moving = 0, still = 0;
    tsr__visit_blocks(&s->source, s->threads, measure_block, &m);
    for (int64_t lane = 0; lane < s->lanes; lane++) {
        moving += m.moving[lane];
        still += m.still[lane];
    }
    double worst = still > 0 ? moving / still : 0;
    moving = still = 0;
    tsr__solver_collect(s);
    tsr__basis_halves(s);
    measure(s, s->weights != NULL ? s->weights : s->basis, &s->theta_halves,
            s->weights != NULL ? s->atoms.samples : s->m, &moving, &still);
    worst = fmax(worst, still > 0 ? moving / still : 0);
    return worst;
}
