/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A row of least squares over g >= 0: the active set of Lawson and Hanson (1974), after as many
 * sweeps of coordinate descent as the caller wants, which find most of the entries above zero.
 * From a row g >= 0, always:
 *
 *     solve for the entries of the set, go there or to the first that would fall below zero,
 *     which leaves the set; where none does, the entry that the gradient pulls up most joins it
 *
 * Each step lowers the row or is the last. A sweep costs 2 k entries for each that moves, a step
 * p^3 / 3 with p entries in the set.
 *
 * Why it ends: where no entry leaves, the row is the minimum for its set, and the next such row
 * is strictly lower; no set comes twice, and there are finitely many. `most` is for what
 * rounding makes of that. tests/test_law_transform.c compares the result with the best of all
 * sets, tried one by one. */
#include "factor/row.h"

#include "matrix/single.h"

#include <math.h>
#include <string.h>

/* The problem while it is worked on: half gradients, q = Q g - p. */
typedef struct squares {
    const tsr__row *row;
    const double *gram, *p;
    int64_t k, stride, count;
    double *g, *q, *step, *room;
    int32_t *which; /* count: the entries of the set */
    bool *in;       /* k: whether one belongs to it */
    double size;    /* of the sample, as far as any vector sees it */
} squares;

int64_t tsr__row_squares_room(int64_t k)
{
    return 4 * tsr__padded(k) + tsr__solve_room(k);
}

static double curve(const squares *s, int64_t a)
{
    return s->gram[a * s->stride + a];
}

/* Made anew after each step of the set, k^2: carried along, the gradient would collect
 * rounding, and the end is judged by it. */
static void slopes(squares *s)
{
    tsr__singles_of(TSR_FLOAT64)->slopes(s->q, s->gram, s->g, s->p, s->k);
}

static void sweep(squares *s, int sweeps)
{
    const tsr__descent descent = {.theta = s->g,
                                  .projection = s->p,
                                  .gram = s->gram,
                                  .work = s->room,
                                  .rows = 1,
                                  .k = s->k,
                                  .sweeps = sweeps};
    if (sweeps > 0)
        tsr__descents_of(TSR_FLOAT64)->square(&descent);
}

static void list_set(squares *s)
{
    s->count = 0;
    for (int64_t a = 0; a < s->k; a++) {
        s->which[s->count] = (int32_t)a;
        s->count += s->in[a];
    }
}

/* Towards the solution for the set, up to where the first entry falls to zero and leaves it;
 * returns whether one did. From g, not from zero: the step solves for what is missing, so that
 * solving twice refines. */
static bool solve_set(squares *s)
{
    double along = 1;
    int64_t first = -1;
    list_set(s);
    for (int64_t i = 0; i < s->count; i++)
        s->step[i] = -s->q[s->which[i]];
    tsr__singles_of(TSR_FLOAT64)->solve(s->step, s->gram, s->k, s->which, s->count, s->room);
    for (int64_t i = 0; i < s->count; i++) {
        const double g = s->g[s->which[i]];
        if (g + s->step[i] < 0 && g / -s->step[i] < along) {
            along = g / -s->step[i];
            first = i;
        }
    }
    for (int64_t i = 0; i < s->count; i++) {
        const int64_t a = s->which[i];
        const double next = s->g[a] + along * s->step[i];
        s->g[a] = i == first || !(next > 0) ? 0 : next;
        s->in[a] = s->g[a] > 0;
    }
    slopes(s);
    return first >= 0;
}

/* The residual, and which entry outside the set would change most. `size` is the largest pull
 * over the root of the curvature, the length of the sample along one vector; size / sqrt(c) is
 * the code that vector alone would have, by which the moves are measured. In squares until the
 * end: a root for each would cost as much as the rest. */
static double residual(const squares *s, int64_t *outside)
{
    double worst = 0, most = 0;
    *outside = -1;
    for (int64_t a = 0; a < s->k; a++) {
        const double c = curve(s, a), d = c > 0 ? s->q[a] / c : 0;
        const double move = d < s->g[a] ? d : s->g[a], off = move * move * c;
        worst = off > worst ? off : worst;
        if (!s->in[a] && off > most) {
            most = off;
            *outside = a;
        }
    }
    return sqrt(worst) / s->size;
}

static squares lay_out(const tsr__row *row, const double *gram, const double *p)
{
    const int64_t k = row->k, wide = tsr__padded(k);
    double *room = row->room;
    return (squares){.row = row,
                     .gram = gram,
                     .p = p,
                     .k = k,
                     .stride = wide,
                     .g = row->g,
                     .q = room,
                     .step = room + wide,
                     .which = (int32_t *)(room + 2 * wide),
                     .in = (bool *)(room + 3 * wide),
                     .room = room + 4 * wide};
}

void tsr__row_squares(const tsr__row *row, const double *gram, const double *p, int sweeps)
{
    squares s = lay_out(row, gram, p);
    for (int64_t a = 0; a < s.k; a++)
        if (curve(&s, a) > 0 && p[a] > 0 && p[a] * p[a] > s.size * curve(&s, a))
            s.size = p[a] * p[a] / curve(&s, a);
    s.size = sqrt(s.size);
    if (!(s.size > 0)) { /* nothing pulls: zero it is */
        memset(s.g, 0, (size_t)s.k * sizeof *s.g);
        return;
    }
    sweep(&s, sweeps);
    for (int64_t a = 0; a < s.k; a++)
        s.in[a] = s.g[a] > 0;
    slopes(&s);
    int64_t outside;
    double last = (double)INFINITY;
    for (int64_t step = 0; step < row->most && residual(&s, &outside) > row->tolerance;
         step++) {
        if (solve_set(&s))
            continue;
        /* Nobody leaves and nobody joins: the same set again refines the solution, as long as
         * that halves the residual. */
        const double off = residual(&s, &outside);
        if (off <= row->tolerance || (outside < 0 && off >= last / 2))
            break; /* there, or as near as rounding lets it */
        last = outside < 0 ? off : (double)INFINITY;
        if (outside >= 0)
            s.in[outside] = true;
    }
}
