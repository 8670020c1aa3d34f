/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One row of the codes with the basis fixed: a convex problem over g >= 0 that is brought to its
 * own optimum, in doubles, by steps that never raise it. What other rows there are, or threads,
 * is no matter.
 *
 * How far a row is from its optimum, without units: with d_a the step that coordinate a would take
 * alone, and G_a its size if it explained the whole sample alone,
 *
 *     residual = max_a |g_a - max(0, g_a - d_a)| / G_a
 *
 * which is zero exactly where the conditions of Karush, Kuhn and Tucker hold.
 *
 * Doubles whatever the type of the data: systems in F' F square the condition of the basis,
 * and a row is too small for that to cost. Rows take no random numbers and no sums of others:
 * the laws of tests/test_law_transform.c rest on that. Squares and Kullback-Leibler are
 * convex, where "optimum" is one value; Itakura-Saito is not, and its row ends at a
 * stationary point. */
#ifndef TSR_FACTOR_ROW_H
#define TSR_FACTOR_ROW_H

#include "base/status.h"

/* What all have. Arrays are aligned; those of k or `width` numbers have room for tsr__padded()
 * of them (matrix/descent.h), zeros behind the last. */
typedef struct tsr__row {
    int64_t k;
    double lasso, ridge; /* besides a loss over entries: a sum g + b/2 |g|^2 */
    double tolerance;    /* of the residual */
    int64_t most;        /* steps */
    double *g;           /* k: the row, found */
    double *room;        /* doubles, as many as the functions below say */
} tsr__row;

/* Least squares, g Q g' - 2 g p' with rows of Q tsr__padded(k) apart and p the row's products,
 * from the g >= 0 that is there, after so many sweeps of coordinate descent. The elastic net is
 * in Q and p: b/2 more on the diagonal, a/2 less. */
int64_t tsr__row_squares_room(int64_t k);
void tsr__row_squares(const tsr__row *row, const double *gram, const double *p, int sweeps);

/* Kullback-Leibler, sums . g - sum_e x_e log y_e over `width` entries, y = sum_a g_a columns_a:
 * the factor's k columns as the entries see them, `stride` apart, and their sums over all known
 * features. Columns stand one after another, since all steps take a coordinate over all
 * entries. The sums are over known features and not entries: zeros of sparse data are not
 * stored, and still cost y. */
typedef struct tsr__row_entries {
    int64_t width, stride;
    const double *x, *columns, *sums;
    const struct tsr__row_shared
        *shared; /* KL: what rows over the same columns share, or NULL */
} tsr__row_entries;
int64_t tsr__row_entropy_room(int64_t k, int64_t width);
void tsr__row_entropy(const tsr__row *row, const tsr__row_entries *of);

/* With `even` the reconstruction of a row of mass 1 in which all coordinates have the same share,
 * the first model of all rows is F' F over it, and its inverse their solution but for g >= 0. */
typedef struct tsr__row_shared {
    double *even;           /* width */
    double *curve, *direct; /* k x tsr__padded(k): F' F / even, and its inverse */
    double *means;          /* k: of the columns; */
    float *narrow;          /* k x stride: the columns over them */
} tsr__row_shared;

/* Fills all but `direct`; `room` as for a row. */
void tsr__row_entropy_share(const tsr__row_shared *to, const tsr__row_entries *of, int64_t k,
                            double *room);

/* Itakura-Saito, sum_e x_e / y_e + log y_e over the entries x > 0, likewise. */
int64_t tsr__row_saito_room(int64_t k, int64_t width);
void tsr__row_saito(const tsr__row *row, const tsr__row_entries *of);

#endif
