/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Codes of a KL model with a graph of divergences, as Cai et al. 2011 publish them: all samples at
 * once, a linear system for each column a,
 *
 *     (diag(flat_a) + mu L) g_a = g0_a (.) minus_a
 *
 * with the halves of everything but the graph: flat is w sum(f_a) and what else is linear, minus is w R'F.
 * L is positive semidefinite and flat > 0, and all off the diagonal is <= 0: so the matrix is
 * positive definite and its inverse has no negative entry. Conjugate gradients, all columns side by
 * side, begin at the codes as they are: O(p n k) a step, in doubles, with sums by blocks (the same
 * bits for any number of threads). Blocks hand in both sides; `solve` runs when all have. */
#include "factor/plan.h"
#include "matrix/pass.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* From where further digits are rounding, and a bound of what an ill graph may take. */
static const double NEAR = 1e-13;
enum { MOST_STEPS = 2000 };

void tsr__systems_layout(tsr__solver *s, tsr__arena *arena)
{
    const int64_t count = s->n * s->k;
    tsr__systems *y = &s->work.systems;
    double **const arrays[] = {&y->flat, &y->code, &y->residual, &y->way, &y->image};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = tsr__arena_take(arena, count, sizeof(double));
    y->scalars = tsr__arena_take(arena, 4 * s->k, sizeof(double));
}

/* A block's codes stay; its sides of the systems are kept. */
static void hand_in(tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    const int64_t at = block->first * s->k, count = block->samples * s->k;
    tsr__systems *y = &s->work.systems;
    tsr__codes_halves_but_logs(s, block, lane);
    kernels->widen(y->flat + at, lane->halves.flat, count);
    kernels->widen(y->residual + at, lane->halves.minus, count);
    kernels->widen(y->code + at, tsr__codes_at(s, block->first), count);
    for (int64_t i = at; i < at + count; i++)
        y->residual[i] *= y->code[i];
}

struct solving {
    const tsr__solver *s;
    const double *from; /* what the matrix is applied to, into image */
    double weight;
};

static void apply(const void *context, int64_t first, int64_t count)
{
    const struct solving *c = context;
    const tsr_matrix *graph = c->s->problem->pairs.graph;
    const tsr__systems *y = &c->s->work.systems;
    const int64_t k = c->s->k;
    for (int64_t i = first; i < first + count; i++) {
        const double degree = c->weight * c->s->problem->pairs.graph_degree[i];
        double *to = y->image + i * k;
        for (int64_t j = 0; j < k; j++)
            to[j] = (y->flat[i * k + j] + degree) * c->from[i * k + j];
        for (int64_t at = graph->rows[i]; at < graph->rows[i + 1]; at++) {
            const double edge = c->weight * tsr__value_at(graph->values, graph->type, at);
            const double *its = c->from + graph->columns[at] * k;
            for (int64_t j = 0; j < k; j++)
                to[j] -= edge * its[j];
        }
    }
}

/* The inverse of the diagonal: what each code of the way is in the residual's place. */
static double eased(const struct solving *c, int64_t row, int64_t at)
{
    const tsr__systems *y = &c->s->work.systems;
    const double diagonal = y->flat[at] + c->weight * c->s->problem->pairs.graph_degree[row];
    return y->residual[at] / fmax(diagonal, DBL_MIN);
}

static void add_along(const void *context, int64_t first, int64_t count, double *columns)
{
    const struct solving *c = context;
    const tsr__systems *y = &c->s->work.systems;
    const int64_t k = c->s->k;
    for (int64_t at = first * k; at < (first + count) * k; at++)
        columns[at % k] += y->way[at] * y->image[at];
}

static void add_left(const void *context, int64_t first, int64_t count, double *columns)
{
    const struct solving *c = context;
    const tsr__systems *y = &c->s->work.systems;
    const int64_t k = c->s->k;
    for (int64_t at = first * k; at < (first + count) * k; at++)
        columns[at % k] += y->residual[at] * eased(c, at / k, at);
}

/* Scalars of a column: what is left before and after a step, what is left at most, a factor. */
enum { BEFORE, AFTER, FEW, BY };

static double *scalars_of(const tsr__solver *s, int which)
{
    return s->work.systems.scalars + which * s->k;
}

static void begin_way(const void *context, int64_t first, int64_t count)
{
    const struct solving *c = context;
    const tsr__systems *y = &c->s->work.systems;
    for (int64_t at = first * c->s->k; at < (first + count) * c->s->k; at++) {
        y->residual[at] -= y->image[at];
        y->way[at] = eased(c, at / c->s->k, at);
    }
}

static void go(const void *context, int64_t first, int64_t count)
{
    const struct solving *c = context;
    const tsr__systems *y = &c->s->work.systems;
    const double *by = scalars_of(c->s, BY);
    for (int64_t at = first * c->s->k; at < (first + count) * c->s->k; at++) {
        y->code[at] += by[at % c->s->k] * y->way[at];
        y->residual[at] -= by[at % c->s->k] * y->image[at];
    }
}

static void turn(const void *context, int64_t first, int64_t count)
{
    const struct solving *c = context;
    const tsr__systems *y = &c->s->work.systems;
    const double *by = scalars_of(c->s, BY);
    for (int64_t at = first * c->s->k; at < (first + count) * c->s->k; at++)
        y->way[at] = eased(c, at / c->s->k, at) + by[at % c->s->k] * y->way[at];
}

static void sum_into(tsr__solver *s, double *columns, tsr__rows_add add, const void *context)
{
    memset(columns, 0, (size_t)s->k * sizeof *columns);
    (void)tsr__sum_columns(s, add, context, columns);
}

/* Columns that have arrived stand still; true while one has not. */
static bool step(tsr__solver *s, const struct solving *c)
{
    double *before = scalars_of(s, BEFORE), *after = scalars_of(s, AFTER),
           *few = scalars_of(s, FEW), *by = scalars_of(s, BY);
    bool any = false;
    tsr__each_rows(s, s->n, apply, c);
    sum_into(s, by, add_along, c);
    for (int64_t j = 0; j < s->k; j++)
        by[j] = before[j] > few[j] && by[j] > 0 ? before[j] / by[j] : 0;
    tsr__each_rows(s, s->n, go, c);
    sum_into(s, after, add_left, c);
    for (int64_t j = 0; j < s->k; j++) {
        by[j] = before[j] > few[j] ? after[j] / before[j] : 0;
        before[j] = before[j] > few[j] ? after[j] : before[j];
        any = any || before[j] > few[j];
    }
    tsr__each_rows(s, s->n, turn, c);
    return any;
}

/* Rounding may leave a zero below zero. */
static void hand_back(const void *context, int64_t first, int64_t count)
{
    const struct solving *c = context;
    const tsr__systems *y = &c->s->work.systems;
    for (int64_t at = first * c->s->k; at < (first + count) * c->s->k; at++)
        tsr__real_set(c->s, c->s->state.codes, at, fmax(y->code[at], 0));
}

static double weight_of(const tsr__plan *plan)
{
    double weight = 0;
    for (const tsr__term *t = plan->term; t < tsr__terms_end(plan); t++)
        weight += t->kind->logs ? t->weight[0] : 0;
    return weight;
}

/* How much is left is measured against the right sides. */
static void solve(tsr__solver *s)
{
    const tsr__systems *y = &s->work.systems;
    struct solving c = {s, y->code, weight_of(s->plan)};
    double *few = scalars_of(s, FEW);
    bool any = true;
    sum_into(s, few, add_left, &c);
    for (int64_t j = 0; j < s->k; j++)
        few[j] *= NEAR * NEAR;
    tsr__each_rows(s, s->n, apply, &c);
    tsr__each_rows(s, s->n, begin_way, &c);
    sum_into(s, scalars_of(s, BEFORE), add_left, &c);
    c.from = y->way;
    for (int64_t i = 0; any && i < MOST_STEPS; i++)
        any = step(s, &c);
    tsr__each_rows(s, s->n, hand_back, &c);
}

static const char *refuses(const tsr__choice *c)
{
    bool bends = false;
    for (const tsr__term *t = c->plan->term; t < tsr__terms_end(c->plan); t++)
        bends = bends || t->kind->bend != NULL;
    return !c->spec->mu               ? "the papers' rules are not asked for (--solver mu)"
           : !tsr__plan_logs(c->plan) ? "no term is of divergences between codes"
           : bends                    ? "a term besides is quadratic in the codes"
           : c->problem->streams      ? "it reads the codes of all samples at once"
                                      : NULL;
}

const tsr__rule tsr__rule_systems = {.name = "systems",
                                     .text = "linear systems over all samples, as published",
                                     .refuses = refuses,
                                     .codes = hand_in,
                                     .solve = solve};
