/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A row of Kullback-Leibler over g >= 0: multiplicative steps come near, then Newton's method
 * projected onto g >= 0 (Bertsekas 1982) ends it. With u = x / y,
 *
 *     gradient  s - sum_e u f_e + a + b g         Hessian  sum_e (u / y) f_e f_e' + b
 *
 * over the coordinates that are above zero or pulled up; those next to zero that belong there go
 * there. The row is convex: a step is taken if the slope at its end, or else the values, show that
 * it did not rise, and halved if not. A step costs 2 p^2 operations an entry with p coordinates
 * that move.
 *
 * Multiplicative steps need no value and cannot fail, but creep towards zeros and along
 * valleys; Newton's converge quadratically once the set of zeros is right. Codes are compared
 * with the conditions of the optimum in tests/test_law_transform.c, rows of every kind in
 * tests/test_row.c. */
#include "factor/row.h"

#include "matrix/blas.h"
#include "matrix/kernels.h"

#include <math.h>
#include <string.h>

/* Ten steps leave the start far enough behind for a quadratic model to be of use. Forty
 * halvings are a step of 1e-12: what does not fall there is at its end as far as rounding can
 * tell. */
enum { MULTIPLICATIVE = 10, HALVINGS = 40 };

typedef struct entropy {
    const tsr__row *row;
    const tsr__row_entries *of;
    int64_t k, width, count;
    double *g, *y, *slope;              /* the row, its reconstruction and gradient, */
    double *next, *next_y, *next_slope; /* and where a step would lead */
    double *ratio, *root;               /* width: x / y; sqrt(x) / y */
    double *scaled;                     /* count x width: columns times the root */
    double *h, *step;                   /* count x count, k */
    int64_t *which; /* k: the coordinates; the first `count` move by Newton's step */
    double mass;    /* of all entries */
    double least;   /* what a reconstruction counts at least: its square must be a number */
} entropy;

int64_t tsr__row_entropy_room(int64_t k, int64_t width)
{
    return 4 * width + k * width + k * k + 6 * k;
}

/* Coordinate a if it explained all entries alone. */
static double size_of(const entropy *e, int64_t a)
{
    return e->of->sums[a] > 0 ? e->mass / e->of->sums[a] : 0;
}

/* An entry that no coordinate reaches would divide by zero: it counts as `least`, whose square
 * is still a number, and pulls as hard as that lets it. */
static void reconstruct(const entropy *e, double *y, const double *g)
{
    memset(y, 0, (size_t)e->width * sizeof *y);
    for (int64_t a = 0; a < e->k; a++)
        if (g[a] > 0)
            tsr__kernels_of(TSR_FLOAT64)
                ->add(y, g[a], e->of->columns + a * e->of->stride, e->width);
    for (int64_t i = 0; i < e->width; i++)
        y[i] = y[i] > e->least ? y[i] : e->least;
}

static void slopes(const entropy *e, double *slope, const double *g, const double *y)
{
    for (int64_t i = 0; i < e->width; i++)
        e->ratio[i] = e->of->x[i] / y[i];
    for (int64_t a = 0; a < e->k; a++)
        slope[a] = e->of->sums[a] + e->row->lasso + e->row->ridge * g[a] -
                   tsr__kernels_of(TSR_FLOAT64)
                       ->dot(e->ratio, e->of->columns + a * e->of->stride, e->width);
}

/* A coordinate that explains all entries alone stands at G = mass / s and has the curvature
 * mass / G^2 = s / G there. Slope over that curvature, over G, is slope / s; a and b join
 * likewise. Without units, and never a quotient of two things that vanish together. */
static double residual(const entropy *e)
{
    double worst = 0;
    for (int64_t a = 0; a < e->k; a++) {
        const double size = size_of(e, a);
        const double by = e->of->sums[a] + e->row->lasso + e->row->ridge * size;
        if (size > 0)
            worst =
                fmax(worst, fabs(e->g[a] / size - fmax(0, e->g[a] / size - e->slope[a] / by)));
    }
    return worst;
}

/* g (s + a + b t) t = g pull, the root that minimises the bound all coordinates share. The pull
 * of the data is what the slope lacks of all else, so that no product is made twice. */
static void multiply(entropy *e)
{
    for (int64_t a = 0; a < e->k; a++) {
        const double flat = e->of->sums[a] + e->row->lasso, b = e->row->ridge;
        const double pull = flat + b * e->g[a] - e->slope[a];
        if (e->g[a] > 0)
            e->g[a] *= 2 * pull / (flat + sqrt(flat * flat + 4 * b * e->g[a] * pull));
    }
    reconstruct(e, e->y, e->g);
    slopes(e, e->slope, e->g, e->y);
}

/* The coordinates that Newton's step moves come first; those next to zero that belong there, the
 * nearer the optimum the nearer to zero, come last and fall by themselves. Why they must not be
 * in the system: projected onto g >= 0, a Newton step that counts on going below zero need not
 * descend, however short it is (Bertsekas 1982). As the margin shrinks with the residual, the
 * set is that of the optimum in the end, and the last steps are Newton's own. */
static void choose(entropy *e, double off)
{
    const double near = fmin(off, 1e-3);
    int64_t last = e->k;
    e->count = 0;
    for (int64_t a = 0; a < e->k; a++)
        if (e->slope[a] <= 0 || e->g[a] > near * size_of(e, a))
            e->which[e->count++] = a;
        else
            e->which[--last] = a;
    for (int64_t i = e->count; i < e->k; i++)
        e->step[i] = -e->g[e->which[i]];
}

/* step = - H^-1 slope over the chosen ones. H = S S' with S = columns times sqrt(x) / y: one
 * product, symmetric by its making. A billionth more on the diagonal keeps H positive where
 * columns depend on each other, and costs Newton nothing that shows. */
static void newton(entropy *e)
{
    const int64_t n = e->count, width = e->width;
    for (int64_t i = 0; i < width; i++)
        e->root[i] = sqrt(e->of->x[i]) / e->y[i];
    for (int64_t i = 0; i < n; i++) {
        const double *from = e->of->columns + e->which[i] * e->of->stride;
        for (int64_t j = 0; j < width; j++)
            e->scaled[i * width + j] = e->root[j] * from[j];
    }
    const tsr__product product = {.transpose_b = true,
                                  .rows = n,
                                  .columns = n,
                                  .inner = width,
                                  .alpha = 1,
                                  .a = e->scaled,
                                  .b = e->scaled,
                                  .c = e->h,
                                  .lda = width,
                                  .ldb = width,
                                  .ldc = n};
    tsr__multiply_dense(TSR_FLOAT64, &product);
    for (int64_t i = 0; i < n; i++) {
        e->h[i * n + i] = e->h[i * n + i] * (1 + 1e-9) + e->row->ridge;
        e->step[i] = -e->slope[e->which[i]];
    }
    tsr__row_solve(e->h, e->step, n);
}

/* True if the next row is not above this one. The slope takes k products of what is there
 * anyway, the values a logarithm an entry. They are summed as differences, part by part:
 * between two values of J near the optimum, rounding would decide. */
static bool falls(const entropy *e)
{
    double slope = 0, value = 0;
    for (int64_t a = 0; a < e->k; a++)
        slope += e->next_slope[a] * (e->g[a] - e->next[a]);
    if (slope >= 0)
        return true; /* convex: J(g) >= J(next) + slope */
    for (int64_t i = 0; i < e->width; i++)
        value += e->of->x[i] > 0 ? e->of->x[i] * log(e->y[i] / e->next_y[i]) : 0;
    for (int64_t a = 0; a < e->k; a++)
        value += (e->of->sums[a] + e->row->lasso) * (e->next[a] - e->g[a]) +
                 e->row->ridge / 2 * (e->next[a] - e->g[a]) * (e->next[a] + e->g[a]);
    return value <= 0;
}

/* Along the step, as far as the row falls; false where it does not. Halved along the
 * projection: entries that reach zero stay there while the others go on. */
static bool take_step(entropy *e)
{
    double along = 1;
    for (int half = 0; half < HALVINGS; half++, along /= 2) {
        memcpy(e->next, e->g, (size_t)e->k * sizeof *e->g);
        for (int64_t i = 0; i < e->k; i++) {
            const int64_t a = e->which[i];
            e->next[a] = fmax(e->g[a] + along * e->step[i], 0);
        }
        reconstruct(e, e->next_y, e->next);
        slopes(e, e->next_slope, e->next, e->next_y);
        if (!falls(e))
            continue;
        memcpy(e->g, e->next, (size_t)e->k * sizeof *e->g);
        memcpy(e->y, e->next_y, (size_t)e->width * sizeof *e->y);
        memcpy(e->slope, e->next_slope, (size_t)e->k * sizeof *e->slope);
        return true;
    }
    return false;
}

static entropy lay_out(const tsr__row *row, const tsr__row_entries *of)
{
    const int64_t k = row->k, width = of->width;
    double *at = row->room;
    entropy e = {.row = row, .of = of, .k = k, .width = width, .g = row->g};
    e.y = at, at += width;
    e.next_y = at, at += width;
    e.ratio = at, at += width;
    e.root = at, at += width;
    e.scaled = at, at += k * width;
    e.h = at, at += k * k;
    e.slope = at, at += k;
    e.next = at, at += k;
    e.next_slope = at, at += k;
    e.step = at, at += k;
    e.which = (int64_t *)at;
    return e;
}

void tsr__row_entropy(const tsr__row *row, const tsr__row_entries *of)
{
    entropy e = lay_out(row, of);
    for (int64_t i = 0; i < e.width; i++)
        e.mass += of->x[i];
    /* Positive throughout, as multiplicative steps keep zeros. */
    for (int64_t a = 0; a < e.k; a++) /* all share alike */
        e.g[a] = size_of(&e, a) / (double)e.k;
    if (!(e.mass > 0))
        return; /* an empty row is its own code */
    e.least = 1e-100 * (e.mass / (double)e.width);
    reconstruct(&e, e.y, e.g);
    slopes(&e, e.slope, e.g, e.y);
    for (int t = 0; t < MULTIPLICATIVE; t++)
        multiply(&e);
    for (int64_t step = 0; step < row->most; step++) {
        const double off = residual(&e);
        if (off <= row->tolerance)
            break;
        choose(&e, off);
        newton(&e);
        if (!take_step(&e))
            break; /* as near as rounding lets it */
    }
}
