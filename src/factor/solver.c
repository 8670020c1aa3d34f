/* SPDX-License-Identifier: BSD-2-Clause
 *
 * An iteration is one pass over the samples:
 *
 *     basis <- its rule, from the sums of the last pass      then its scale
 *     for each block of samples:
 *         project -> add terms -> move the block's codes -> lead them on -> accumulate
 *     join the lanes -> refresh the terms -> J -> back to where the step led if it rose
 *
 * Cost: Frobenius 4 n m k, KL under `mu` 8 n m k, KL by descent 50 to 100 n m k (sparse: nnz for
 * n m), graph p n k, links n k; memory see layout.c. The lanes are summed in order, so the result
 * does not depend on the number of threads. Nothing in here allocates or fails.
 *
 * The basis comes first because the sums of the pass before are those of the codes as they are;
 * the codes then need the new basis only, block by block, and the sums of the new codes come
 * along while a block is in the cache. J is made of the same sums: it takes no further look at
 * the data. */
#include "factor/plan.h"
#include "matrix/pass.h"

#include <math.h>
#include <string.h>

/* Passes ---------------------------------------------------------------------------------- */

/* Turned data set each row of their sums and add to none. */
static void clear_sums(tsr__solver *s)
{
    const tsr__sums *sums = &s->state.sums;
    const int64_t lanes = s->plan->leaves, wide = lanes * s->m * s->k;
    if (s->problem->by_feature.blocks == 0) {
        memset(sums->XtG, 0, tsr__real_bytes(s, wide));
        if (sums->YtG != NULL)
            memset(sums->YtG, 0, tsr__real_bytes(s, wide));
    }
    memset(sums->GtG, 0, tsr__real_bytes(s, lanes * s->k * s->k));
    memset(sums->Gt1, 0, (size_t)(lanes * s->k) * sizeof *sums->Gt1);
    for (int64_t lane = 0; lane < lanes; lane++)
        s->work.lane[lane].loss = 0;
}

/* In the order of the lanes, whoever filled them. The small sums are not worth waking
 * threads. */
static void join_sums(tsr__solver *s)
{
    const tsr__sums *sums = &s->state.sums;
    const int64_t lanes = s->plan->leaves, wide = s->m * s->k;
    if (s->problem->by_feature.blocks == 0) {
        tsr__lanes_sum(sums->XtG, wide, lanes, s->type, s->plan->threads);
        if (sums->YtG != NULL)
            tsr__lanes_sum(sums->YtG, wide, lanes, s->type, s->plan->threads);
    }
    tsr__lanes_sum(sums->GtG, s->k * s->k, lanes, s->type, 1);
    tsr__lanes_sum(sums->Gt1, s->k, lanes, TSR_FLOAT64, 1);
}

static void accumulate_block(void *context, const tsr__block *block, int64_t lane)
{
    tsr__solver *s = context;
    s->plan->loss->accumulate(s, block, &s->work.lane[lane]);
}

/* Steps whose zeros stay zero must not be led into one, nor a loss that is infinite there. */
static double least_of(const tsr__solver *s)
{
    return s->plan->codes.rule->descends && s->plan->loss->power == 0 ? 0 : 0.1;
}

/* How far the codes are led at most, in steps. Near its zeros a divergence bends so much that
 * J at a place further away hides what the steps gain. */
static double furthest(const tsr__solver *s)
{
    return s->plan->loss->power > 0 ? 0.7 : 1;
}

/* Each step reads and writes this block's codes alone, so that blocks need no order. The codes
 * are led on before they are summed: the sums, J and the basis's next step all see the same
 * codes. */
static void move_block(void *context, const tsr__block *block, int64_t lane)
{
    tsr__solver *s = context;
    const int64_t at = block->first * s->k;
    s->plan->codes.rule->codes(s, block, &s->work.lane[lane]);
    if (s->state.plain != NULL)
        tsr__kernels_for(s)->extrapolate(
            tsr__codes_at(s, block->first), tsr__real_at(s, s->state.plain, at),
            s->state.lead.push, least_of(s), block->samples * s->k);
    s->plan->loss->accumulate(s, block, &s->work.lane[lane]);
}

/* Features have no lanes: the rows of XtG that a block fills are its own. */
static void collect_block(void *context, const tsr__block *block, int64_t lane)
{
    tsr__solver *s = context;
    (void)lane;
    s->plan->loss->collect(s, block);
}

static void collect(tsr__solver *s)
{
    tsr__visit_blocks(&s->problem->by_feature, s->plan->threads, collect_block, s);
}

void tsr__solver_collect(tsr__solver *s)
{
    if (!s->plan->collects)
        collect(s);
}

/* The basis stands still here. What depends on it (prepare) is made first, the floor of the
 * codes from all of them before any moves; terms are refreshed when all codes are there. So no
 * block sees what another thread has just done. */
static void pass(tsr__solver *s, tsr__visit visit)
{
    clear_sums(s);
    if (s->plan->loss->prepare != NULL)
        s->plan->loss->prepare(s);
    for (const tsr__term *t = s->plan->term; t < tsr__terms_end(s->plan); t++)
        if (t->kind->prepare != NULL)
            t->kind->prepare(t, s);
    if (s->plan->lifts && !s->plan->codes.rule->descends)
        tsr__floor_of(s, s->work.floor, s->state.codes, s->n);
    tsr__visit_blocks(&s->problem->by_sample, s->plan->threads, visit, s);
    join_sums(s);
    if (s->plan->collects && s->problem->by_feature.blocks > 0)
        collect(s);
    tsr__refresh(s);
}

void tsr__solver_sum(tsr__solver *s)
{
    pass(s, accumulate_block);
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

/* The codes go on in the direction of their last step, further as long as J falls; where it
 * does not they return to where the step itself, which never raises J, had led. J may be
 * compared because both steps descend from the point at which it was measured last. Going back
 * costs the sums of a pass but no step. The push r / (r + 3) is Nesterov's (1983), begun anew
 * after each failure. Stopped and resumed fits agree to the bit, since all of this is in the
 * state (tests/test_law_resume.c). */
static void steer(tsr__solver *s)
{
    tsr__lead *lead = &s->state.lead;
    double now = tsr__solver_objective(s);
    if (lead->push > 0 && !(now <= lead->last)) {
        memcpy(s->state.codes, s->state.plain, tsr__real_bytes(s, s->n * s->k));
        pass(s, accumulate_block);
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
    pass(s, accumulate_block);
    s->state.lead =
        (tsr__lead){.last = (double)INFINITY, .fresh = s->plan->codes.rule->descends};
}

/* Before the first step the codes follow the basis as it was given: random codes tell it less
 * than the data do, and the minimum that is found is lower more often than not. */
void tsr__solver_step(tsr__solver *s)
{
    if (s->state.lead.fresh)
        pass(s, move_block);
    s->state.lead.fresh = false;
    s->plan->basis.rule->basis(s);
    pass(s, move_block);
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
                         .plan = plan};
}
