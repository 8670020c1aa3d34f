/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Itakura-Saito loss: sum_i w_i sum_j x / y - log(x / y) - 1, y = (F g_i)_j, the same for data of
 * any size: spectra and other powers. With P = X / Y^2 and Q = 1 / Y, element by element:
 *
 *     codes    minus += w P F         flat += w Q F
 *     basis    minus += P' w G        flat += Q' w G
 *
 * x / y is convex in y and bounded by Jensen, so that what pulls up falls as t^-2 with the step t;
 * log y is concave and lies below its tangent. The root of both, (minus / flat)^(1/2) where there
 * is nothing else, never raises J (Fevotte & Idier 2011). Zeros in the data make the loss infinite
 * and are refused, so data are dense; missing entries stand as zeros and count nothing. Cost 12 n m
 * k a pass.
 *
 * With shares r_k = g_k f_k / y of an entry, which add up to 1, Jensen gives 1 / sum r_k t_k <=
 * sum r_k / t_k, hence x / y <= sum_k r_k (x / y) / t_k, and log sum r_k t_k <= sum r_k t_k -
 * 1. Both touch at t = 1, and each t_k stands alone: its slope is flat - minus / t^2, and with
 * what terms add t^2 (flat + c t) = minus, which `power` = 2 makes the shared rule solve. Of
 * the 12, six are before the codes move and six after: y, and a product with either tile. */
#include "factor/plan.h"
#include "factor/row.h"
#include "factor/tile.h"
#include "matrix/pass.h"

#include <math.h>
#include <string.h>

/* Tiles Q and P of the block; returns its weighted loss when asked. Both tiles come from one
 * look at y, and the logarithm of an entry is taken only when the value is wanted. Row by row,
 * for every row has a weight. */
static double make_tiles(const tsr__solver *s, const tsr__block *block, const tsr__lane *lane,
                         bool valued)
{
    double sum = 0;
    tsr__tile_product(s, block, lane->tile[0]);
    for (int64_t i = 0; i < block->samples; i++) {
        /* Nothing holds the code of a row of weight 0: its loss may be infinite, and is nobody's. */
        const double w = tsr__row_weight(s, block->first + i);
        const double loss =
            tsr__kernels_for(s)->inverse(tsr__real_at(s, lane->tile[0], i * block->features),
                                         tsr__real_at(s, lane->tile[1], i * block->features),
                                         tsr__real_at(s, block->values, i * block->stride),
                                         block->features, valued && w > 0);
        sum += w > 0 ? w * loss : 0;
    }
    return sum;
}

/* P F into the projection, Q F into the flat half. There the second product waits for codes(),
 * which leaves that half as it is, and needs no array of its own. */
static void project(const tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    (void)make_tiles(s, block, lane, false);
    const tsr__block q = tsr__tile_block(block, lane->tile[0]),
                     p = tsr__tile_block(block, lane->tile[1]);
    const void *f = tsr__basis_at(s, block);
    tsr__block_project(lane->projection, &p, f, s->k, block->from == 0);
    tsr__block_project(lane->halves.flat, &q, f, s->k, block->from == 0);
}

static void codes(const tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    const int64_t count = block->samples * s->k;
    memcpy(lane->halves.minus, lane->projection, tsr__real_bytes(s, count));
    memset(lane->halves.curved, 0, tsr__real_bytes(s, count));
    if (s->problem->weight == NULL)
        return;
    const void *w = tsr__real_at(s, s->problem->weight, block->first);
    kernels->scale_rows(lane->halves.minus, lane->halves.minus, w, block->samples, s->k);
    kernels->scale_rows(lane->halves.flat, lane->halves.flat, w, block->samples, s->k);
}

/* The codes moved, so that y and both tiles are made again. Under KL the pull down would be a
 * product of sums, as Q is 1 there; here it needs an m x k of its own (YtG). */
static void accumulate(const tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    const void *g = tsr__weighted(s, block, lane);
    *lane->to.loss += make_tiles(s, block, lane, true);
    const tsr__block q = tsr__tile_block(block, lane->tile[0]),
                     p = tsr__tile_block(block, lane->tile[1]);
    tsr__block_collect(lane->to.XtG, &p, g, s->k);
    tsr__block_collect(lane->to.YtG, &q, g, s->k);
}

/* Both pulls need entries: nothing is of the codes alone. */
static void tally(const tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    (void)s, (void)block, (void)lane;
}

/* Features with missing entries need no sums of their own, as KL's do: both tiles are zero
 * there. */
static void basis(const tsr__solver *s, tsr__halves *halves)
{
    const int64_t count = s->m * s->k;
    memcpy(halves->minus, s->state.sums.XtG, tsr__real_bytes(s, count));
    memcpy(halves->flat, s->state.sums.YtG, tsr__real_bytes(s, count));
    memset(halves->curved, 0, tsr__real_bytes(s, count));
}

/* a that makes sum x / (a y) + log a least. That is the mean of x / y: <P' w G, F> is the sum
 * of w x / y, and <Q' w G, F> that of w. */
static void fit_size(double *up, double *down, const tsr__solver *s)
{
    *up = tsr__with_basis(s, s->state.totals.XtG, s->state.sums.XtG);
    *down = tsr__with_basis(s, s->state.totals.YtG, s->state.sums.YtG);
}

/* The - 1 of an entry is left out: group means have as many of them by weight, so that it
 * cancels where this is used (tied.c). */
static double own(double x)
{
    return x > 0 ? -log(x) : 0;
}

static double value(const tsr__solver *s)
{
    return *s->state.totals.loss;
}

/* Missing entries were set to zero, and a mask says how many: any zero beyond that number is in
 * the data. To count is enough; no entry has to be looked up. */
static const char *refuses(const tsr__problem *problem)
{
    const tsr_matrix *x = problem->held.x, *missing = problem->missing;
    const int64_t zeros = x->samples * x->features - problem->survey.scan.nonzeros;
    if (x->sparse)
        return "Itakura-Saito loss is infinite at zeros, of which sparse data are full: --loss "
               "kl";
    if (zeros > (missing != NULL ? tsr_matrix_stored(missing) : 0))
        return "Itakura-Saito loss is infinite at zeros, and the samples have some: --loss kl, "
               "or add a little to all values";
    return NULL;
}

const tsr__loss tsr__loss_is = {
    .name = "is",
    .title = "Itakura-Saito",
    .formula = "IS(%s, %s)",
    .degree = 0,
    .power = 2,
    .step = 0.5,
    .floor = 1e-30,
    .elastic = 1,
    .wide = true,
    .tiles = 2,
    .passes = 2,
    .cost = {3, 3},
    .refuses = refuses,
    .own = own,
    .project = project,
    .codes = codes,
    .accumulate = accumulate,
    .tally = tally,
    .basis = basis,
    .fit_size = fit_size,
    .row = tsr__row_saito,
    .row_room = tsr__row_saito_room,
    .value = value,
};
