/* SPDX-License-Identifier: BSD-2-Clause
 *
 * THE TABLE OF RULES: how a factor moves, in order of preference.
 *
 *     signed     positive root for kernels of either sign (Xu & Gong 2004)
 *     systems    systems.c: gnmf-kl's codes under `mu`
 *     root       theta t, t the root of the bound's slope; under `mu` in place of these systems
 *     multiply   theta (minus / plus)^exponent: the papers' rules
 *     sphere     sphere.c
 *     rows       coordinate descent, row by row (matrix/descent.h): sparse or dense, either loss
 *     weave      coordinate descent on the weights of samples (weave.c)
 *     majorise   the same root as above for whatever is left: J never rises
 *
 * Rules that multiply keep zeros; outside `mu` those that the gradient pulls up are lifted.
 *
 * mathematics.md: section 3 for the steps from halves and why J does not rise, 4 for the
 * sphere, 7 for kernels of either sign, 8 for descent. The first rule that does not refuse is
 * taken (plan.c); each refusal is a sentence for people. A rule of the basis moves theta,
 * pushes it through the map and sees to the scale, so that the next pass finds basis and metric
 * together. Steps from halves cost O(rows k) beside the gradient; tests/test_law_descent.c
 * holds the default to a J that never rises. */
#include "factor/plan.h"

#include <string.h>

extern const tsr__rule tsr__rule_sphere, tsr__rule_weave, tsr__rule_systems;

struct summing {
    const tsr__solver *s;
    const void *theta;
};

static void add_theta(const void *context, int64_t first, int64_t rows, double *columns)
{
    const struct summing *on = context;
    tsr__kernels_for(on->s)->add_column_sums(
        columns, tsr__real_at(on->s, on->theta, first * on->s->k), NULL, rows, on->s->k);
}

/* 1e-8 of a mean is nothing that J sees, of second order 1e-16, and from there an entry grows
 * back geometrically (section 3). `source` has the rows of theta, `whole` all that there are; NULL:
 * they are features. */
static void floor_of(tsr__solver *s, double *floor, const void *theta,
                     const tsr__source *source, int64_t whole)
{
    const struct summing on = {s, theta};
    double *sums = s->work.code_sums;
    if (source == NULL) {
        memset(sums, 0, (size_t)s->k * sizeof *sums);
        add_theta(&on, 0, whole, sums);
    } else {
        tsr__sum_codes(s, source, s->k, sums, add_theta, &on);
    }
    for (int64_t j = 0; j < s->k; j++)
        floor[j] = sums[j] * s->plan->loss->floor / (double)whole;
}

void tsr__floor_codes(tsr__solver *s)
{
    floor_of(s, s->work.floor, s->state.codes, &s->problem->by_sample, s->problem->rows.whole);
}

static void floor_theta(tsr__solver *s)
{
    const bool woven = s->plan->map->woven;
    floor_of(s, s->work.by, tsr__theta(s), woven ? &s->problem->atoms : NULL,
             woven ? s->problem->share.whole : s->m);
}

/* Steps from halves, element by element. */
typedef void (*stepper)(const tsr__solver *s, void *theta, const tsr__halves *halves,
                        const tsr__move *move, int64_t count);

static void multiply(const tsr__solver *s, void *theta, const tsr__halves *halves,
                     const tsr__move *move, int64_t count)
{
    tsr__kernels_for(s)->multiply(theta, halves, move->exponent, count);
}

static void majorise(const tsr__solver *s, void *theta, const tsr__halves *halves,
                     const tsr__move *move, int64_t count)
{
    (void)move;
    tsr__kernels_for(s)->majorise(theta, halves, s->plan->loss->power, count);
}

static void take_root(const tsr__solver *s, void *theta, const tsr__halves *halves,
                      const tsr__move *move, int64_t count)
{
    (void)move;
    tsr__kernels_for(s)->signed_root(theta, halves, count);
}

struct stepping {
    stepper step;
};

static void step_rows(const tsr__solver *s, int64_t first, int64_t rows,
                      const tsr__halves *halves, const void *how)
{
    const struct stepping *by = how;
    void *theta = tsr__real_at(s, tsr__theta(s), first * s->k);
    by->step(s, theta, halves, &s->plan->basis, rows * s->k);
    if (s->plan->lifts)
        tsr__kernels_for(s)->lift(theta, halves, s->work.by, rows, s->k);
    if (s->plan->leads_basis) /* zeros stay zero: not into one */
        tsr__kernels_for(s)->extrapolate(theta, tsr__real_at(s, s->state.plain, first * s->k),
                                         s->state.lead.push, 0.1, rows * s->k);
}

/* The floor is of theta before the step and lifts after it, by the gradient that the step was
 * made of. Pushing comes before the scale, which reads lengths off the metric. */
static void step_basis(tsr__solver *s, stepper step)
{
    const struct stepping how = {step};
    tsr__basis_halves(s);
    if (s->plan->lifts)
        floor_theta(s);
    s->plan->map->move(s, step_rows, &how);
    tsr__fix_scale(s, s->plan->scale);
}

/* Here the floor is that of all codes, made before the pass: a block's own would depend on
 * where blocks are cut. */
static void step_codes(const tsr__solver *s, const tsr__block *block, tsr__lane *lane,
                       stepper step)
{
    void *theta = tsr__codes_at(s, block->first);
    tsr__codes_halves(s, block, lane);
    step(s, theta, &lane->halves, &s->plan->codes, block->samples * s->k);
    if (s->plan->lifts)
        tsr__kernels_for(s)->lift(theta, &lane->halves, s->work.floor, block->samples, s->k);
}

static void multiply_basis(tsr__solver *s)
{
    step_basis(s, multiply);
}

static void multiply_codes(tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    step_codes(s, block, lane, multiply);
}

static void majorise_basis(tsr__solver *s)
{
    step_basis(s, majorise);
}

static void majorise_codes(tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    step_codes(s, block, lane, majorise);
}

static void signed_basis(tsr__solver *s)
{
    step_basis(s, take_root);
}

static void signed_codes(tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    step_codes(s, block, lane, take_root);
}

static void descend_basis(tsr__solver *s)
{
    s->plan->loss->descend_basis(s);
    s->plan->map->push(s);
    tsr__fix_scale(s, s->plan->scale);
}

/* Slope and bend are of sums that were made before the pass, so that rows move at once and in
 * any order (section 8). */
static void descend_codes(tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    const void *slope, *bend;
    if (s->plan->projects)
        tsr__project(s, block, lane);
    tsr__codes_bend(s, block, lane, &slope, &bend);
    s->plan->loss->descend_codes(s, block, lane, slope, bend);
}

/* When ------------------------------------------------------------------------------------ */

/* Before `mu`, since both solvers take this rule there: quotients of halves need a K >= 0. */
static const char *unless_split(const tsr__choice *c)
{
    return c->plan->map->split ? NULL : "the data make no kernel of either sign";
}

static const char *unless_mu(const tsr__choice *c)
{
    return c->spec->mu ? NULL : "the papers' rules are not asked for (--solver mu)";
}

/* Only where the graph counts: without it the row is nmf-kl, and its rule the papers' own. */
static const char *unless_root(const tsr__choice *c)
{
    return c->spec->mu && c->spec->row->divergence && c->spec->weights.of[TSR_WEIGHT_GRAPH] > 0
               ? NULL
               : "the row's paper has no linear systems that it stands for";
}

static const char *basis_rows(const tsr__choice *c)
{
    return c->plan->loss->descend_basis == NULL ? "the loss does not descend by rows"
           : !c->plan->map->free                ? "the basis is made of samples"
           : tsr__plan_couples(c->plan)         ? "a term ties the rows of the basis"
           : c->problem->streams && c->plan->loss->sweeps > 0
               ? "it reads all samples of a feature, and these come in blocks of samples"
               : NULL;
}

/* What joins rows of codes is bounded by a bend, under which they still move one by one; terms of
 * logarithms have none. */
static const char *codes_rows(const tsr__choice *c)
{
    return c->plan->loss->descend_codes == NULL ? "the loss does not descend by rows"
           : tsr__plan_logs(c->plan)            ? "no parabola bounds divergences between codes"
                                                : NULL;
}

static const char *never(const tsr__choice *c)
{
    (void)c;
    return NULL;
}

static const tsr__rule rule_signed = {.name = "signed",
                                      .text = "positive root for kernels of either sign",
                                      .refuses = unless_split,
                                      .basis = signed_basis,
                                      .codes = signed_codes};
static const tsr__rule rule_root = {.name = "root",
                                    .text = "root of a bound in place of linear systems",
                                    .refuses = unless_root,
                                    .codes = majorise_codes};
static const tsr__rule rule_multiply = {.name = "multiply",
                                        .text = "the papers' multiplicative rule",
                                        .powers = true,
                                        .refuses = unless_mu,
                                        .basis = multiply_basis,
                                        .codes = multiply_codes};
static const tsr__rule rule_basis_rows = {.name = "rows",
                                          .text = "coordinate descent, row by row",
                                          .reads = TSR_READS_SUMS,
                                          .descends = true,
                                          .refuses = basis_rows,
                                          .basis = descend_basis};
static const tsr__rule rule_codes_rows = {.name = "rows",
                                          .text = "coordinate descent, row by row",
                                          .descends = true,
                                          .refuses = codes_rows,
                                          .codes = descend_codes};
static const tsr__rule rule_majorise = {.name = "bound",
                                        .text = "exact minimiser of a separable bound",
                                        .refuses = never,
                                        .basis = majorise_basis,
                                        .codes = majorise_codes};

/* The sphere before rows: where J minds the lengths it takes them as given, and rows would need
 * a price. */
const tsr__rule *const tsr__basis_rules[] = {&rule_signed,
                                             &rule_multiply,
                                             &tsr__rule_sphere,
                                             &rule_basis_rows,
                                             &tsr__rule_weave,
                                             &rule_majorise,
                                             NULL};
const tsr__rule *const tsr__codes_rules[] = {
    &rule_signed,     &tsr__rule_systems, &rule_root, &rule_multiply,
    &rule_codes_rows, &rule_majorise,     NULL};
