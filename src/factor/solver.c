/* SPDX-License-Identifier: BSD-2-Clause
 *
 * An iteration is one pass over the samples:
 *
 *     basis <- its rule, from the sums of the last pass      then its scale
 *     for each block of samples:
 *         project -> add terms -> move the block's codes -> lead them on -> accumulate
 *     join the sums -> refresh the terms -> J -> back to where the step led if it rose
 *
 * Cost: Frobenius 4 n m k, KL under `mu` 8 n m k, KL by descent 50 to 100 n m k (sparse: nnz for
 * n m), graph p n k, links n k; memory see layout.c. Sums are joined in a fixed tree (matrix/pass.h),
 * so that the result does not depend on the number of threads. Nothing in here allocates, and it
 * fails only where a source does.
 *
 * Rows that are too long for a cache are not read once but twice: the sums of a feature are k
 * numbers, and a block of few samples would read and write all of them for little work. So
 * blocks move first, tile after tile of their features; then tiles are outside and leaves of
 * samples inside.
 *
 * The basis comes first because the sums of the pass before are those of the codes as they are;
 * the codes then need the new basis only, block by block, and the sums of the new codes come
 * along while a block is in the cache. J is made of the same sums: it takes no further look at
 * the data. */
#include "factor/plan.h"
#include "matrix/pass.h"
#include "matrix/team.h"

#include <math.h>
#include <string.h>

/* Sums ------------------------------------------------------------------------------------ */

/* Where in `at` each of the sums stands; those of features are of as many as `rows`, 0: none. */
static tsr__totals parts_of(const tsr__solver *s, double *at, int64_t rows)
{
    const int64_t wide = rows * s->k, both = s->plan->loss->wide ? 2 * wide : wide;
    return (tsr__totals){.XtG = rows > 0 ? at : NULL,
                         .YtG = both > wide ? at + wide : NULL,
                         .loss = at + both,
                         .GtG = at + both + 1,
                         .Gt1 = at + both + 1 + s->k * s->k};
}

/* Features that a sum over leaves has: all of whole rows, none where turned data give those sums. */
static int64_t rows_of(const tsr__solver *s)
{
    const tsr__problem *p = s->problem;
    return s->plan->tile == s->m && p->by_feature.blocks == 0 && p->by_leaf.blocks == 0 ? s->m
                                                                                        : 0;
}

int64_t tsr__totals_width(const tsr__solver *s, int64_t rows)
{
    return rows * s->k * (s->plan->loss->wide ? 2 : 1) + 1 + s->k * s->k + s->k;
}

tsr__totals tsr__totals_of(const tsr__solver *s, double *room)
{
    return parts_of(s, room, rows_of(s));
}

int64_t tsr__totals_rows(const tsr__solver *s)
{
    return rows_of(s);
}

/* What is done with a block before its sums: nothing, or its codes move. */
typedef void (*mover)(tsr__solver *s, const tsr__block *block, tsr__lane *lane);

struct passing {
    tsr__solver *s;
    mover move;
};

/* Steps whose zeros stay zero must not be led into one, nor a loss that is infinite there. */
static double least_of(const tsr__solver *s)
{
    return s->plan->codes.rule->descends && s->plan->loss->power == 0 ? 0 : 0.1;
}

/* How far they are led at most, in steps. Near its zeros a divergence bends so much that J at a place
 * further away hides what the steps gain; a bound's steps are short there. */
static double furthest(const tsr__solver *s)
{
    return s->plan->loss->power > 0 && !s->plan->leads_basis ? 0.7 : 1;
}

/* Each step reads and writes this block's codes alone, so that blocks need no order. The codes
 * are led on before they are summed: the sums, J and the basis's next step all see the same
 * codes. */
static void move_codes(tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    const int64_t at = block->first * s->k, count = block->samples * s->k;
    void *codes = tsr__codes_at(s, block->first), *plain = tsr__plain_codes(s);
    if (s->work.before != NULL)
        memcpy(tsr__real_at(s, s->work.before, at), codes, tsr__real_bytes(s, count));
    for (int move = 0; move < s->moves; move++)
        s->plan->codes.rule->codes(s, block, lane);
    if (plain != NULL)
        tsr__kernels_for(s)->extrapolate(codes, tsr__real_at(s, plain, at), s->state.lead.push,
                                         least_of(s), count);
}

/* What fix_scale left owing to the block's codes. */
static void settle_block(const tsr__solver *s, const tsr__block *block)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    if (!s->work.owed)
        return;
    kernels->scale_columns(tsr__codes_at(s, block->first), s->work.back, block->samples, s->k);
    if (tsr__plain_codes(s) != NULL)
        kernels->scale_columns(tsr__real_at(s, s->state.plain, block->first * s->k),
                               s->work.back, block->samples, s->k);
}

/* What sums by leaves read: in a pass of their own, when all codes have moved. */
static void weigh_block(const tsr__solver *s, const tsr__block *block)
{
    if (s->work.weighted != NULL)
        tsr__kernels_for(s)->scale_rows(tsr__real_at(s, s->work.weighted, block->first * s->k),
                                        tsr__codes_at(s, block->first),
                                        tsr__real_at(s, s->problem->weight, block->first),
                                        block->samples, s->k);
}

static void sum_features(void *context, const tsr__block *block, int thread)
{
    tsr__solver *s = context;
    const tsr__gather x = tsr__block_gather(
        block, s->work.weighted != NULL ? s->work.weighted : s->state.codes, s->k);
    tsr__gathers_of(s->type)->leaves(s->state.totals.XtG + block->first * s->k, &x,
                                     s->problem->rows.leaf, s->work.bench[thread].leaves);
}

/* Whole rows: a block is read once, moves and is summed while the cache has it. */
static void pass_block(void *context, const tsr__block *block, double *sum, int thread)
{
    const struct passing *p = context;
    tsr__lane *lane = &p->s->work.lane[thread];
    lane->to = parts_of(p->s, sum, rows_of(p->s));
    settle_block(p->s, block);
    if (p->move != NULL)
        p->move(p->s, block, lane);
    weigh_block(p->s, block);
    p->s->plan->loss->accumulate(p->s, block, lane);
    p->s->plan->loss->tally(p->s, block, lane);
}

/* Rows of several tiles: blocks move, then what the codes alone add is summed, then tiles. */
static void move_block(void *context, const tsr__block *block, int thread)
{
    const struct passing *p = context;
    p->move(p->s, block, &p->s->work.lane[thread]);
}

static void tally_block(void *context, const tsr__block *block, double *sum, int thread)
{
    const struct passing *p = context;
    tsr__lane *lane = &p->s->work.lane[thread];
    lane->to = parts_of(p->s, sum, 0);
    p->s->plan->loss->tally(p->s, block, lane);
}

static void accumulate_tile(void *context, const tsr__block *block, double *sum, int thread)
{
    const struct passing *p = context;
    tsr__lane *lane = &p->s->work.lane[thread];
    lane->to = parts_of(p->s, sum, p->s->plan->tile);
    p->s->plan->loss->accumulate(p->s, block, lane);
}

/* A tile's part of the loss waits in the place of its first feature, until all are there. */
static void keep_tile(void *context, const tsr__block *tile, const double *sum)
{
    const tsr__solver *s = ((const struct passing *)context)->s;
    const tsr__totals from = parts_of(s, (double *)(uintptr_t)sum, s->plan->tile);
    const tsr__totals *to = &s->state.totals;
    const int64_t at = tile->from * s->k;
    const size_t bytes = (size_t)(tile->features * s->k) * sizeof *sum;
    memcpy(to->XtG + at, from.XtG, bytes);
    if (to->YtG != NULL)
        memcpy(to->YtG + at, from.YtG, bytes);
    s->work.tile_loss[tile->from / s->plan->tile] = *from.loss;
}

static tsr_status sum_tiles(struct passing *p)
{
    tsr__solver *s = p->s;
    const tsr__source *source = s->source;
    tsr__sum sum = {.source = source,
                    .threads = s->plan->threads,
                    .width = tsr__totals_width(s, 0),
                    .room = s->work.room[0],
                    .add = tally_block,
                    .context = p};
    if (p->move != NULL)
        TSR_OR_RETURN(tsr__visit_blocks(source, s->plan->threads, move_block, p));
    TSR_OR_RETURN(tsr__sum_leaves(&sum));
    sum.width = tsr__totals_width(s, s->plan->tile);
    sum.room = s->work.room[1];
    sum.add = accumulate_tile;
    TSR_OR_RETURN(tsr__sum_tiles(&sum, keep_tile));
    for (int64_t tile = 0; tile * s->plan->tile < s->m; tile++)
        *s->state.totals.loss += s->work.tile_loss[tile];
    return TSR_OK;
}

/* Each rank gets the sums of its features, or all, and all of them what belongs to no feature. */
static tsr_status join_ranks(tsr__solver *s, tsr_status status)
{
    tsr_team *team = tsr__problem_team(s->problem);
    const tsr__totals *sums = &s->state.totals;
    const tsr__division *own = &s->work.division[TSR_DIVIDED_SUMS];
    if (!tsr__team_shares(team))
        return status;
    TSR_OR_RETURN(tsr__team_agree(team, status));
    if (!s->plan->divides) {
        TSR_OR_RETURN(tsr__team_add(team, sums->XtG, s->m * s->k));
        if (sums->YtG != NULL)
            TSR_OR_RETURN(tsr__team_add(team, sums->YtG, s->m * s->k));
        return tsr__team_add(team, sums->loss, tsr__totals_width(s, 0));
    }
    TSR_OR_RETURN(tsr__team_scatter(team, sums->XtG, own->first, own->count));
    if (sums->YtG != NULL)
        TSR_OR_RETURN(tsr__team_scatter(team, sums->YtG, own->first, own->count));
    return tsr__team_add(team, sums->loss, tsr__totals_width(s, 0));
}

/* Codes that are solved for all at once: blocks hand in what they know, and are summed after it. */
static tsr_status solve_codes(struct passing *p)
{
    tsr__solver *s = p->s;
    const tsr__rule *rule = s->plan->codes.rule;
    if (p->move == NULL || rule->solve == NULL)
        return TSR_OK;
    const tsr_status status = tsr__visit_blocks(s->source, s->plan->threads, move_block, p);
    if (status == TSR_OK)
        rule->solve(s);
    p->move = NULL;
    return status;
}

static tsr_status sum_blocks(struct passing *p)
{
    tsr__solver *s = p->s;
    TSR_OR_RETURN(solve_codes(p));
    const tsr__sum sum = {.source = s->source,
                          .threads = s->plan->threads,
                          .width = tsr__totals_width(s, rows_of(s)),
                          .room = s->work.room[0],
                          .add = pass_block,
                          .context = p,
                          .own = true};
    tsr_status status = s->plan->tile < s->m ? sum_tiles(p) : tsr__sum_leaves(&sum);
    if (status == TSR_OK && s->problem->by_leaf.blocks > 0)
        status = tsr__visit_blocks(&s->problem->by_leaf, s->plan->threads, sum_features, s);
    return join_ranks(s, status);
}

/* THE WAY OUT of all sums: into the type that steps read. In double precision they are there. */
void tsr__solver_hand_over(tsr__solver *s)
{
    const tsr__totals *from = &s->state.totals;
    const tsr__sums *to = &s->state.sums;
    const tsr__kernels *kernels = tsr__kernels_for(s);
    if (s->type == TSR_FLOAT64)
        return;
    if (from->XtG != NULL)
        kernels->narrow(to->XtG, from->XtG, s->m * s->k);
    if (from->YtG != NULL)
        kernels->narrow(to->YtG, from->YtG, s->m * s->k);
    kernels->narrow(to->GtG, from->GtG, s->k * s->k);
}

/* Turned data: a block has rows of XtG of its own. */
static void collect_block(void *context, const tsr__block *block, int thread)
{
    tsr__solver *s = context;
    (void)thread;
    s->plan->loss->collect(s, block);
}

static void collect(tsr__solver *s)
{
    tsr__solver_note(
        s, tsr__visit_blocks(&s->problem->by_feature, s->plan->threads, collect_block, s));
}

void tsr__solver_collect(tsr__solver *s)
{
    if (!s->plan->collects)
        collect(s);
}

static void prepare(tsr__solver *s)
{
    if (s->plan->loss->prepare != NULL)
        s->plan->loss->prepare(s);
    for (const tsr__term *t = s->plan->term; t < tsr__terms_end(s->plan); t++)
        if (t->kind->prepare != NULL)
            t->kind->prepare(t, s);
}

/* The basis stands still here. What depends on it (prepare) is made first, the floor of the
 * codes from all of them before any moves; terms are refreshed when all codes are there. So no
 * block sees what another thread has just done. */
static void pass(tsr__solver *s, mover move)
{
    struct passing p = {s, move};
    if (s->work.trouble != TSR_OK)
        return;
    if (s->plan->tile < s->m || s->plan->codes.rule->solve != NULL)
        tsr__settle_scale(s);
    prepare(s);
    if (s->plan->lifts && !s->plan->codes.rule->descends)
        tsr__floor_codes(s);
    tsr__solver_note(s, sum_blocks(&p));
    s->work.owed = false;
    tsr__solver_hand_over(s);
    if (s->plan->collects && s->problem->by_feature.blocks > 0)
        collect(s);
    if (s->plan->pairs)
        tsr__exchange_codes(s);
    tsr__refresh(s);
}

void tsr__solver_sum(tsr__solver *s)
{
    pass(s, NULL);
}

tsr_status tsr__solver_visit(tsr__solver *s)
{
    struct passing p = {s, move_codes};
    prepare(s);
    const tsr_status status = sum_blocks(&p);
    s->work.owed = false;
    return status;
}

void tsr__solver_be_eager(tsr__solver *s)
{
    if (s->plan->loss->sweeps > 0 || !s->plan->codes.rule->descends)
        s->moves = TSR_EAGER;
    else
        s->sweeps = TSR_EAGER * s->plan->codes.sweeps;
}

void tsr__solver_see_all(tsr__solver *s)
{
    s->source = &s->problem->by_sample;
    s->square = s->problem->square;
}

/* J --------------------------------------------------------------------------------------- */

/* Two terms may bear one name, as lasso and ridge of the elastic net do: they are reported as a
 * sum. */
static void add_term(double terms[TSR_TERMS], tsr__term_name name, double value)
{
    terms[name] = (isnan(terms[name]) ? 0 : terms[name]) + value;
}

/* Always in this order: steer() compares values that may differ in their last bits only. */
double tsr__solver_terms(double terms[TSR_TERMS], const tsr__solver *s)
{
    const tsr__term *t = s->plan->term;
    double codes = 0;
    for (int i = 0; i < TSR_TERMS; i++)
        terms[i] = (double)NAN;
    terms[TSR_TERM_LOSS] = s->plan->loss->value(s) + s->problem->constant;
    for (; t < s->plan->term + s->plan->code_terms; t++) {
        codes += s->state.value[t->at];
        add_term(terms, t->kind->name, s->state.value[t->at]);
    }
    double sum = terms[TSR_TERM_LOSS] + codes;
    for (; t < tsr__terms_end(s->plan); t++) {
        const double value = t->kind->value(t, s);
        sum += value;
        add_term(terms, t->kind->name, value);
    }
    return sum;
}

double tsr__solver_objective(const tsr__solver *s)
{
    double terms[TSR_TERMS];
    return tsr__solver_terms(terms, s);
}

/* Steps ----------------------------------------------------------------------------------- */

static void put_codes_back(tsr__solver *s, const void *from)
{
    for (int64_t i = 0; i < s->source->blocks; i++) {
        int64_t first, rows;
        tsr__source_rows(&first, &rows, s->source, i);
        memcpy(tsr__codes_at(s, first), tsr__real_at(s, from, first * s->k),
               tsr__real_bytes(s, rows * s->k));
    }
}

/* Codes return to where their step led. Where theta was led on it does, and the codes to where they
 * were, for they moved by a basis that is no more: from there both steps descend. */
static void go_back(tsr__solver *s)
{
    if (!s->plan->leads_basis) {
        put_codes_back(s, s->state.plain);
        pass(s, NULL);
        return;
    }
    put_codes_back(s, s->work.before);
    memcpy(tsr__theta(s), s->state.plain, tsr__real_bytes(s, tsr__plain_rows(s) * s->k));
    s->plan->map->push(s);
    if (s->plan->pairs)
        tsr__exchange_codes(s);
    tsr__refresh(s);
    tsr__fix_scale(s, s->plan->scale);
    pass(s, move_codes);
}

/* The codes go on in the direction of their last step, further as long as J falls; where it
 * does not they return to where the step itself, which never raises J, had led. J may be
 * compared because both steps descend from the point at which it was measured last. Going back
 * costs the sums of a pass but no step. The push r / (r + 3) is Nesterov's (1983), begun anew
 * after each failure. Where the basis moves by short steps, and passes are dear, it goes on in place of
 * the codes (rules.c), which wait for it anyway. Stopped and resumed fits agree to the bit, since all of this is in the
 * state (tests/test_law_resume.c). */
static void steer(tsr__solver *s)
{
    tsr__lead *lead = &s->state.lead;
    double now = tsr__solver_objective(s);
    if (lead->push > 0 && !(now <= lead->last)) {
        go_back(s);
        now = tsr__solver_objective(s);
        lead->run = 0;
    } else {
        lead->run++;
    }
    lead->push = fmin(lead->run / (lead->run + 3), furthest(s));
    lead->last = now;
}

/* The papers' rule TSR_SCALE_BASIS scales after steps only: it would change the product
 * here. */
void tsr__solver_start(tsr__solver *s)
{
    const tsr__scale_rule scale = s->plan->scale;
    s->plan->map->push(s);
    if (scale == TSR_SCALE_PRODUCT || scale == TSR_SCALE_MODEL)
        tsr__fix_scale(s, TSR_SCALE_PRODUCT);
    pass(s, NULL);
    s->state.lead =
        (tsr__lead){.last = (double)INFINITY, .fresh = s->plan->codes.rule->descends};
}

/* Before the first step the codes follow the basis as it was given: random codes tell it less
 * than the data do, and the minimum that is found is lower more often than not. */
void tsr__solver_step(tsr__solver *s)
{
    if (s->state.lead.fresh)
        pass(s, move_codes);
    s->state.lead.fresh = false;
    s->sweeps = s->plan->codes.sweeps, s->moves = 1;
    if (s->work.trouble == TSR_OK)
        s->plan->basis.rule->basis(s);
    pass(s, move_codes);
    if (s->state.plain != NULL)
        steer(s);
}

tsr__solver tsr__solver_of(const tsr__plan *plan, const tsr__problem *problem)
{
    return (tsr__solver){.type = problem->type,
                         .n = problem->n,
                         .m = problem->m,
                         .k = plan->k,
                         .problem = problem,
                         .plan = plan,
                         .source = &problem->by_sample,
                         .square = problem->square,
                         .sweeps = plan->codes.sweeps,
                         .moves = 1};
}
