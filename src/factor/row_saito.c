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

#include <float.h>
#include <math.h>
#include <string.h>

int64_t tsr__row_saito_room(int64_t k, int64_t width)
{
    return 2 * k + width;
}

/* Column by column: the columns stand one after another, and each is read once. */
static void make_product(double *y, const tsr__row *row, const tsr__row_entries *of)
{
    memset(y, 0, (size_t)of->width * sizeof *y);
    for (int64_t a = 0; a < row->k; a++)
        for (int64_t e = 0; e < of->width; e++)
            y[e] += row->g[a] * of->columns[a * of->stride + e];
}

/* Entries without a value, which stand as zeros, count nothing; nor do those that no vector
 * reaches, where the loss is infinite whatever the code is. */
static bool counts(const tsr__row_entries *of, const double *y, int64_t e)
{
    return of->x[e] > 0 && y[e] > 0;
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

/* The sums that pull each entry of the code up and down. */
static void pull(double *up, double *down, const double *y, const tsr__row *row,
                 const tsr__row_entries *of)
{
    for (int64_t a = 0; a < row->k; a++) {
        const double *f = of->columns + a * of->stride;
        up[a] = down[a] = 0;
        for (int64_t e = 0; e < of->width; e++) {
            if (!counts(of, y, e))
                continue;
            up[a] += f[e] * (of->x[e] / y[e]) / y[e]; /* squares of y may be no numbers */
            down[a] += f[e] / y[e];
        }
    }
}

/* Equal entries whose product has the size of the sample. The mean of x / y is the factor under
 * which this loss is least, as in loss_is.c. All entries are positive, since the steps keep
 * zeros. */
static void start(double *y, const tsr__row *row, const tsr__row_entries *of)
{
    double ratio = 0, known = 0;
    for (int64_t a = 0; a < row->k; a++)
        row->g[a] = 1;
    make_product(y, row, of);
    for (int64_t e = 0; e < of->width; e++)
        if (counts(of, y, e)) {
            ratio += of->x[e] / y[e];
            known++;
        }
    for (int64_t a = 0; a < row->k; a++)
        row->g[a] = known > 0 ? ratio / known : 0;
}

void tsr__row_saito(const tsr__row *row, const tsr__row_entries *of)
{
    double *up = row->room, *down = row->room + row->k, *y = row->room + 2 * row->k;
    start(y, row, of);
    for (int64_t step = 0; step < row->most; step++) {
        double moved = 0, largest = 0;
        make_product(y, row, of);
        pull(up, down, y, row, of);
        for (int64_t a = 0; a < row->k; a++) {
            const double old = row->g[a];
            if (!(old > 0))
                continue;
            row->g[a] = old * root(up[a], down[a] + row->lasso, row->ridge * old);
            moved = fmax(moved, fabs(row->g[a] - old));
            largest = fmax(largest, row->g[a]);
        }
        if (moved <= row->tolerance * largest)
            return;
    }
}
