/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A row of least squares over g >= 0: a few sweeps of coordinate descent find most of the entries
 * above zero, then the active set of Lawson and Hanson (1974) ends exactly. From a row g >= 0,
 * always:
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

#include "matrix/kernels.h"

#include <math.h>
#include <string.h>

/* Sweeps cost O(k^2) where a step costs a factorisation, and a step changes the set by about
 * one entry: the sweeps begin it near the set that is sought. */
enum { SWEEPS = 8 };

static double dot(const double *a, const double *b, int64_t count)
{
    return tsr__kernels_of(TSR_FLOAT64)->dot(a, b, count);
}

/* H = L L', row by row, then two triangular solves. Only the lower half of H is read. A pivot
 * that rounding has eaten counts as 1e-12 of its diagonal: a direction in which the row hardly
 * bends gets a long step, which the caller cuts at the first zero. */
void tsr__row_solve(double *h, double *r, int64_t size)
{
    for (int64_t i = 0; i < size; i++) {
        double *l = h + i * size;
        const double own = l[i];
        for (int64_t j = 0; j < i; j++) {
            const double root = h[j * size + j];
            l[j] = root > 0 ? (l[j] - dot(l, h + j * size, j)) / root : 0;
        }
        const double left = own - dot(l, l, i);
        l[i] = sqrt(fmax(left, 1e-12 * own)); /* dependent: a long way, not none */
        r[i] = l[i] > 0 ? (r[i] - dot(l, r, i)) / l[i] : 0;
    }
    for (int64_t i = size - 1; i >= 0; i--) {
        const double root = h[i * size + i];
        r[i] = root > 0 ? r[i] / root : 0;
        for (int64_t j = 0; j < i; j++)
            r[j] -= h[i * size + j] * r[i];
    }
}

/* The problem while it is worked on: half gradients, q = Q g - p + a / 2 + b / 2 g. */
typedef struct squares {
    const tsr__row *row;
    const double *gram, *p;
    int64_t stride, k, count;
    double *g, *q, *step, *h;
    int64_t *which; /* count: the entries of the set */
    bool *in;       /* k: whether one belongs to it */
    double size;    /* of the sample, as far as any vector sees it */
} squares;

int64_t tsr__row_squares_room(int64_t k)
{
    return k * k + 4 * k;
}

static double curve(const squares *s, int64_t a)
{
    return s->gram[a * s->stride + a] + s->row->ridge / 2;
}

/* Made anew after each step of the set, k^2: carried along, the gradient would collect
 * rounding, and the end is judged by it. */
static void slopes(squares *s)
{
    for (int64_t a = 0; a < s->k; a++)
        s->q[a] = dot(s->gram + a * s->stride, s->g, s->k) - s->p[a] + s->row->lasso / 2 +
                  s->row->ridge / 2 * s->g[a];
}

/* One sweep of coordinate descent, the gradient following. Coordinates without curvature stay:
 * nothing is known of them. */
static void sweep(squares *s)
{
    for (int64_t a = 0; a < s->k; a++) {
        const double c = curve(s, a), step = c > 0 ? fmax(-s->q[a] / c, -s->g[a]) : 0;
        if (step == 0)
            continue;
        s->g[a] += step;
        tsr__kernels_of(TSR_FLOAT64)->add(s->q, step, s->gram + a * s->stride, s->k);
        s->q[a] += s->row->ridge / 2 * step;
    }
}

static void list_set(squares *s)
{
    s->count = 0;
    for (int64_t a = 0; a < s->k; a++)
        if (s->in[a])
            s->which[s->count++] = a;
}

/* Towards the solution for the set, up to where the first entry falls to zero and leaves it;
 * returns whether one did. From g, not from zero: the step solves for what is missing, so that
 * solving twice refines. */
static bool solve_set(squares *s)
{
    double along = 1;
    int64_t first = -1;
    list_set(s);
    for (int64_t i = 0; i < s->count; i++) {
        const int64_t a = s->which[i];
        for (int64_t j = 0; j <= i; j++) /* the lower half is all that is read */
            s->h[i * s->count + j] = s->gram[a * s->stride + s->which[j]];
        s->h[i * s->count + i] += s->row->ridge / 2;
        s->step[i] = -s->q[a];
    }
    tsr__row_solve(s->h, s->step, s->count);
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
 * the code that vector alone would have, by which the moves are measured. */
static double residual(const squares *s, int64_t *outside)
{
    double worst = 0, most = 0;
    *outside = -1;
    for (int64_t a = 0; a < s->k; a++) {
        const double c = curve(s, a), d = c > 0 ? s->q[a] / c : 0;
        const double off = fabs(s->g[a] - fmax(0, s->g[a] - d)) * sqrt(c) / s->size;
        worst = fmax(worst, off);
        if (!s->in[a] && off > most) {
            most = off;
            *outside = a;
        }
    }
    return worst;
}

void tsr__row_squares(const tsr__row *row, const double *gram, int64_t stride, const double *p)
{
    const int64_t k = row->k;
    double *room = row->room;
    squares s = {.row = row,
                 .gram = gram,
                 .p = p,
                 .stride = stride,
                 .k = k,
                 .g = row->g,
                 .h = room,
                 .q = room + k * k,
                 .step = room + k * k + k,
                 .which = (int64_t *)(room + k * k + 2 * k),
                 .in = (bool *)(room + k * k + 3 * k)};
    memset(s.g, 0, (size_t)k * sizeof *s.g);
    memset(s.in, 0, (size_t)k * sizeof *s.in);
    slopes(&s);
    for (int64_t a = 0; a < k; a++)
        if (curve(&s, a) > 0)
            s.size = fmax(s.size, -s.q[a] / sqrt(curve(&s, a)));
    if (!(s.size > 0))
        return; /* nothing pulls: zero it is */
    int64_t outside;
    for (int t = 0; t < SWEEPS && residual(&s, &outside) > row->tolerance; t++)
        sweep(&s);
    for (int64_t a = 0; a < k; a++)
        s.in[a] = s.g[a] > 0;
    slopes(&s);
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
