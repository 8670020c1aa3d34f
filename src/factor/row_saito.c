/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A row under Itakura-Saito loss, sum_e x_e / y_e + log y_e: multiplicative steps to the root of
 * the bound of loss_is.c, which never raise it. The problem is not convex: the row ends at the
 * stationary point below a code of equal entries and the right size. O(width k) a step.
 *
 * For the same reason there is no second method behind these steps: Newton's has no convex row
 * to rely on, and what is compared is how far a step still moves. The start does not depend on
 * other rows, so that a code has the same bits in any company. */
#include "factor/row.h"

#include "matrix/kernels.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The row while it is worked on. */
typedef struct saito {
    const tsr__row *row;
    const tsr__row_entries *of;
    double *up, *down;           /* k: the sums that pull each entry of the code */
    double *y, *inverse, *ratio; /* width: the product; unit / y and unit x / y^2 */
    double unit;                 /* of the sample: squares of y itself may be no numbers */
} saito;

int64_t tsr__row_saito_room(int64_t k, int64_t width)
{
    return 2 * k + 3 * width;
}

/* Column by column: the columns stand one after another, and each is read once. */
static void make_product(const saito *s)
{
    memset(s->y, 0, (size_t)s->of->width * sizeof *s->y);
    for (int64_t a = 0; a < s->row->k; a++)
        tsr__kernels_of(TSR_FLOAT64)
            ->add(s->y, s->row->g[a], s->of->columns + a * s->of->stride, s->of->width);
}

/* Entries without a value, which stand as zeros, count nothing; nor do those that no vector
 * reaches, where the loss is infinite whatever the code is. */
static bool counts(const saito *s, int64_t e)
{
    return s->of->x[e] > 0 && s->y[e] > 0;
}

/* t with t^2 (b + c t) = p, from above. The left side is rising and convex for t > 0, and each
 * of its parts alone gives a t above the root: from the smaller one Newton falls onto it
 * without passing, until rounding stops the fall. */
static double root(double p, double b, double c)
{
    const double by_slope = b > 0 ? sqrt(p / b) : DBL_MAX,
                 by_curve = c > 0 ? cbrt(p / c) : DBL_MAX;
    double t = fmin(by_slope, by_curve);
    if (t == DBL_MAX)
        return 1;
    for (int step = 0; c > 0 && b > 0 && t > 0 && step < 60; step++) {
        const double next = t - (t * t * (b + c * t) - p) / (t * (2 * b + 3 * c * t));
        if (!(next < t))
            break;
        t = next > 0 ? next : 0;
    }
    return t;
}

/* What an entry pulls with is made once for all coordinates; the sums are in the sample's unit. */
static void pull(const saito *s)
{
    const tsr__kernels *kernels = tsr__kernels_of(TSR_FLOAT64);
    for (int64_t e = 0; e < s->of->width; e++) {
        const bool counted = counts(s, e);
        s->inverse[e] = counted ? s->unit / s->y[e] : 0;
        s->ratio[e] = counted ? s->of->x[e] / s->y[e] * s->inverse[e] : 0;
    }
    for (int64_t a = 0; a < s->row->k; a++) {
        const double *f = s->of->columns + a * s->of->stride;
        s->up[a] = kernels->dot(f, s->ratio, s->of->width);
        s->down[a] = kernels->dot(f, s->inverse, s->of->width);
    }
}

/* Equal entries whose product has the size of the sample. The mean of x / y is the factor under
 * which this loss is least, as in loss_is.c. All entries are positive, since the steps keep
 * zeros. */
static void start(const saito *s)
{
    double ratio = 0, known = 0;
    for (int64_t a = 0; a < s->row->k; a++)
        s->row->g[a] = 1;
    make_product(s);
    for (int64_t e = 0; e < s->of->width; e++)
        if (counts(s, e)) {
            ratio += s->of->x[e] / s->y[e];
            known++;
        }
    for (int64_t a = 0; a < s->row->k; a++)
        s->row->g[a] = known > 0 ? ratio / known : 0;
}

/* One step; true if it moved no entry by more than the tolerance. */
static bool step(const saito *s)
{
    const tsr__row *row = s->row;
    double moved = 0, largest = 0;
    make_product(s);
    pull(s);
    for (int64_t a = 0; a < row->k; a++) {
        const double old = row->g[a];
        if (!(old > 0))
            continue;
        row->g[a] =
            old * root(s->up[a], s->down[a] + s->unit * row->lasso, s->unit * row->ridge * old);
        moved = fmax(moved, fabs(row->g[a] - old));
        largest = fmax(largest, row->g[a]);
    }
    return moved <= row->tolerance * largest;
}

void tsr__row_saito(const tsr__row *row, const tsr__row_entries *of)
{
    saito s = {.row = row, .of = of, .up = row->room, .down = row->room + row->k};
    s.y = s.down + row->k, s.inverse = s.y + of->width, s.ratio = s.inverse + of->width;
    for (int64_t e = 0; e < of->width; e++)
        s.unit = fmax(s.unit, of->x[e]);
    start(&s);
    for (int64_t t = 0; t < row->most; t++)
        if (step(&s))
            return;
}
