/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One row of the codes with the basis fixed: a convex problem over g >= 0 that is brought to its
 * own optimum, in doubles, by steps that never raise it. What other rows there are, or threads,
 * is no matter.
 *
 * How far a row is from its optimum, without units: with d_a the gradient over what scales it (the
 * curvature of squares, the pull of KL), and G the size of codes,
 *
 *     residual = max_a |g_a - max(0, g_a - G d_a)| / G
 *
 * which is zero exactly where the conditions of Karush, Kuhn and Tucker hold. */
#ifndef TSR_FACTOR_ROW_H
#define TSR_FACTOR_ROW_H

#include "base/status.h"

/* What both have: a sum g + b/2 |g|^2 besides the loss, and when to stop. */
typedef struct tsr__row {
    int64_t k;
    double lasso, ridge;
    double tolerance; /* of the residual */
    int64_t most;     /* steps */
    double *g;        /* k: the row, found */
    double *room;     /* doubles, as many as the functions below say */
} tsr__row;

/* Least squares, g Q g' - 2 g p': Q (k x k, rows `stride` apart), p the row's products. */
int64_t tsr__row_squares_room(int64_t k);
void tsr__row_squares(const tsr__row *row, const double *gram, int64_t stride, const double *p);

/* Kullback-Leibler, sums . g - sum_e x_e log y_e over `width` entries, y = sum_a g_a columns_a:
 * the factor's k columns as the entries see them, `stride` apart, and their sums over all known
 * features. */
typedef struct tsr__row_entries {
    int64_t width, stride;
    const double *x, *columns, *sums;
} tsr__row_entries;
int64_t tsr__row_entropy_room(int64_t k, int64_t width);
void tsr__row_entropy(const tsr__row *row, const tsr__row_entries *of);

/* Solves H d = r for positive definite H (size x size, symmetric, spoilt; d in place of r). A
 * coordinate that depends on those before it, to rounding, stays: d = 0 there. */
void tsr__row_solve(double *h, double *r, int64_t size);

#endif
