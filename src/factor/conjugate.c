/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Linear systems over the graph of samples, a column each:
 *
 *     (diag(a_j) + w L) h_j = b_j,        a_j > 0,  L = diag(S 1) - S
 *
 * L is positive semidefinite, and all off the diagonal is <= 0: the matrix is positive definite, and
 * its inverse has no negative entry. Conjugate gradients with the diagonal in front, all columns side
 * by side: O(p n k) a step, in doubles. The way stands where codes stand, so that other ranks hand over
 * what their samples are neighbours of, and is a number of the solver's type; sums go by the leaves of
 * the samples: the same bits for any number of threads, and of ranks that divide the leaves. */
#include "factor/conjugate.h"

#include "factor/plan.h"
#include "factor/strip.h"
#include "matrix/team.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_STEPS = 10000 }; /* of what an ill graph may take */

void tsr__conjugate_layout(tsr__conjugate *y, const tsr__solver *s, tsr__arena *arena)
{
    double **const arrays[] = {&y->diagonal, &y->found, &y->left, &y->way, &y->image};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = tsr__arena_take(arena, s->n * s->k, sizeof(double));
    y->scalars = tsr__arena_take(arena, 4 * s->k, sizeof(double));
}

struct solving {
    const tsr__solver *s;
    const tsr__conjugate *y;
    double weight;
};

static void place(const void *context, int64_t first, int64_t count)
{
    const struct solving *c = context;
    for (int64_t at = first * c->s->k; at < (first + count) * c->s->k; at++)
        tsr__real_set(c->s, c->s->state.codes, at, c->y->way[at]);
}

/* Strip by strip of the columns, a sample's neighbours one after another. */
static void apply_rows(const void *context, int64_t first, int64_t count)
{
    const struct solving *c = context;
    const tsr_matrix *graph = c->s->problem->pairs.graph;
    const void *places = tsr__places(c->s);
    const int64_t k = c->s->k;
    double its[TSR_STRIP];
    for (int64_t i = first; i < first + count; i++)
        for (int64_t j = 0; j < k; j = tsr__strip_end(j, k)) {
            const int64_t strip = tsr__strip_end(j, k) - j;
            const double *own = c->y->way + i * k + j;
            double *restrict to = c->y->image + i * k + j;
            for (int64_t a = 0; a < strip; a++)
                to[a] = c->y->diagonal[i * k + j + a] * own[a];
            for (int64_t at = graph->rows[i]; at < graph->rows[i + 1]; at++) {
                const double edge = c->weight * tsr__value_at(graph->values, graph->type, at);
                tsr__widen(its, c->s, places, graph->columns[at] * k + j, strip);
                for (int64_t a = 0; a < strip; a++)
                    to[a] += edge * (own[a] - its[a]);
            }
        }
}

static void apply(tsr__solver *s, const struct solving *c)
{
    tsr__each_rows(s, s->n, place, c);
    tsr__exchange_codes(s);
    tsr__each_rows(s, s->n, apply_rows, c);
}

/* What is left, over the diagonal of the matrix. */
static double eased(const struct solving *c, int64_t at)
{
    const double degree = c->s->problem->pairs.graph_degree[at / c->s->k];
    return c->y->left[at] / fmax(c->y->diagonal[at] + c->weight * degree, DBL_MIN);
}

static void add_along(const void *context, int64_t first, int64_t count, double *columns)
{
    const struct solving *c = context;
    const int64_t k = c->s->k;
    for (int64_t at = first * k; at < (first + count) * k; at++)
        columns[at % k] += c->y->way[at] * c->y->image[at];
}

static void add_left(const void *context, int64_t first, int64_t count, double *columns)
{
    const struct solving *c = context;
    const int64_t k = c->s->k;
    for (int64_t at = first * k; at < (first + count) * k; at++)
        columns[at % k] += c->y->left[at] * eased(c, at);
}

/* Scalars of a column: what is left before and after a step, what is little of it, a factor. */
enum { BEFORE, AFTER, LITTLE, BY };

static double *scalars_of(const struct solving *c, int which)
{
    return c->y->scalars + which * c->s->k;
}

static double rounded(const tsr__solver *s, double value)
{
    return s->type == TSR_FLOAT64 ? value : (double)(float)value;
}

static void begin(const void *context, int64_t first, int64_t count)
{
    const struct solving *c = context;
    for (int64_t at = first * c->s->k; at < (first + count) * c->s->k; at++) {
        c->y->left[at] -= c->y->image[at];
        c->y->way[at] = rounded(c->s, eased(c, at));
    }
}

static void go(const void *context, int64_t first, int64_t count)
{
    const struct solving *c = context;
    const double *by = scalars_of(c, BY);
    for (int64_t at = first * c->s->k; at < (first + count) * c->s->k; at++) {
        c->y->found[at] += by[at % c->s->k] * c->y->way[at];
        c->y->left[at] -= by[at % c->s->k] * c->y->image[at];
    }
}

static void turn(const void *context, int64_t first, int64_t count)
{
    const struct solving *c = context;
    const double *by = scalars_of(c, BY);
    for (int64_t at = first * c->s->k; at < (first + count) * c->s->k; at++)
        c->y->way[at] = rounded(c->s, eased(c, at) + by[at % c->s->k] * c->y->way[at]);
}

static void sum_into(tsr__solver *s, double *columns, tsr__rows_add add, const void *context)
{
    memset(columns, 0, (size_t)s->k * sizeof *columns);
    (void)tsr__sum_columns(s, add, context, columns);
}

/* Columns that have arrived stand still; true while one has not. */
static bool step(tsr__solver *s, const struct solving *c)
{
    double *before = scalars_of(c, BEFORE), *after = scalars_of(c, AFTER),
           *little = scalars_of(c, LITTLE), *by = scalars_of(c, BY);
    bool any = false;
    apply(s, c);
    sum_into(s, by, add_along, c);
    for (int64_t j = 0; j < s->k; j++)
        by[j] = before[j] > little[j] && by[j] > 0 ? before[j] / by[j] : 0;
    tsr__each_rows(s, s->n, go, c);
    sum_into(s, after, add_left, c);
    for (int64_t j = 0; j < s->k; j++) {
        const bool goes = before[j] > little[j];
        by[j] = goes ? after[j] / before[j] : 0;
        before[j] = goes ? after[j] : before[j];
        any = any || before[j] > little[j];
    }
    tsr__each_rows(s, s->n, turn, c);
    return any && s->work.trouble == TSR_OK;
}

/* How much is left is measured against the right sides, and begins at the codes as they are. */
bool tsr__conjugate_solve(tsr__solver *s, const tsr__conjugate *y, double weight, double little)
{
    const struct solving c = {s, y, weight};
    const double near = s->type == TSR_FLOAT64 ? little : fmax(little, 1e-6);
    double *least = scalars_of(&c, LITTLE);
    bool any = true;
    sum_into(s, least, add_left, &c);
    for (int64_t j = 0; j < s->k; j++)
        least[j] *= near * near;
    memcpy(y->way, y->found, (size_t)(s->n * s->k) * sizeof *y->way);
    apply(s, &c);
    tsr__each_rows(s, s->n, begin, &c);
    sum_into(s, scalars_of(&c, BEFORE), add_left, &c);
    for (int64_t i = 0; any && i < MOST_STEPS; i++)
        any = step(s, &c);
    return !any;
}

/* Rounding may leave a zero below zero. */
static void put_back(const void *context, int64_t first, int64_t count)
{
    const struct solving *c = context;
    for (int64_t at = first * c->s->k; at < (first + count) * c->s->k; at++)
        tsr__real_set(c->s, c->s->state.codes, at, fmax(c->y->found[at], 0));
}

void tsr__conjugate_keep(tsr__solver *s, const tsr__conjugate *y)
{
    const struct solving c = {s, y, 0};
    tsr__each_rows(s, s->n, put_back, &c);
    tsr__exchange_codes(s);
}
