/* SPDX-License-Identifier: BSD-2-Clause
 *
 * How far the factors are from a stationary point of J: the larger of both factors' residuals,
 * each sum theta |gradient| over sum theta (plus + minus). O(n m k): at the end of a fit only.
 *
 * Weighed by theta, entries at zero that belong there count nothing, as the conditions of
 * Karush, Kuhn and Tucker have it; those at zero that want to grow would count nothing either,
 * and are given their column's mean. The sum of the halves below makes it free of units:
 * scaling the data scales both. With a norm in the model the price of length is among the
 * halves, which is what a Lagrange multiplier would add. It is reported and stops nothing. */
#include "factor/plan.h"
#include "factor/strip.h"
#include "matrix/pass.h"

#include <math.h>
#include <string.h>

/* What moves, and what would balance it. */
typedef struct residual {
    double moving, still;
} residual;

/* Halves that a plan does not have are NULL and count as zero. */
static void widen_half(double *to, const tsr__solver *s, const void *half, int64_t at,
                       int64_t count)
{
    if (half != NULL)
        tsr__widen(to, s, half, at, count);
    else
        memset(to, 0, (size_t)count * sizeof *to);
}

/* Adds columns first .. of a row of theta, `mean` their means. `minus` is below zero where a
 * kernel of either sign makes it one signed number, hence its size. */
static void add_row(residual *r, const tsr__solver *s, const void *theta, const tsr__halves *h,
                    int64_t at, const double *mean, int64_t count)
{
    double value[TSR_STRIP], minus[TSR_STRIP], anti[TSR_STRIP], contrast[TSR_STRIP],
        flat[TSR_STRIP], curved[TSR_STRIP], quartic[TSR_STRIP], entropy[TSR_STRIP];
    tsr__widen(value, s, theta, at, count);
    widen_half(minus, s, h->minus, at, count);
    widen_half(anti, s, h->anti, at, count);
    widen_half(contrast, s, h->contrast, at, count);
    widen_half(entropy, s, h->entropy, at, count);
    widen_half(flat, s, h->flat, at, count);
    widen_half(curved, s, h->curved, at, count);
    widen_half(quartic, s, h->quartic, at, count);
    for (int64_t a = 0; a < count; a++) {
        const double up = minus[a] + anti[a] + contrast[a],
                     down = flat[a] + curved[a] + quartic[a] + entropy[a];
        /* entries count at the mean where they want to grow, but for a J that feels small ones fully */
        const bool grows = up > down && s->plan->loss->power < 2 && h->contrast == NULL;
        r->moving += (grows ? fmax(value[a], mean[a]) : value[a]) * fabs(down - up);
        r->still += value[a] * (down + fabs(up));
    }
}

/* The codes come by blocks and have the means of their block, which is cut by the matrix alone:
 * the same bits for any number of threads. */
static void add_rows(residual *r, const tsr__solver *s, const void *theta, const tsr__halves *h,
                     int64_t rows)
{
    double mean[TSR_STRIP], row[TSR_STRIP];
    for (int64_t j = 0; j < s->k; j = tsr__strip_end(j, s->k)) {
        const int64_t count = tsr__strip_end(j, s->k) - j;
        memset(mean, 0, sizeof mean);
        for (int64_t i = 0; i < rows; i++) {
            tsr__widen(row, s, theta, i * s->k + j, count);
            for (int64_t a = 0; a < count; a++)
                mean[a] += row[a] / (double)rows;
        }
        for (int64_t i = 0; i < rows; i++)
            add_row(r, s, theta, h, i * s->k + j, mean, count);
    }
}

static void measure_block(void *context, const tsr__block *block, double *sum, int thread)
{
    tsr__solver *s = context;
    tsr__lane *lane = &s->work.lane[thread];
    residual r = {sum[0], sum[1]};
    tsr__codes_halves(s, block, lane);
    add_rows(&r, s, tsr__codes_at(s, block->first), &lane->halves, block->samples);
    sum[0] = r.moving, sum[1] = r.still;
}

static void measure_atoms(void *context, const tsr__block *atoms, double *sum, int thread)
{
    const tsr__solver *s = context;
    const tsr__halves halves = tsr__map_pull(s, atoms, thread);
    residual r = {sum[0], sum[1]};
    add_rows(&r, s, tsr__real_at(s, tsr__theta(s), atoms->first * s->k), &halves,
             atoms->samples);
    sum[0] = r.moving, sum[1] = r.still;
}

/* Weights of samples come by blocks, as codes do. */
static residual measure_theta(tsr__solver *s)
{
    residual r = {0, 0};
    const tsr__sum sum = {
        &s->problem->atoms, s->plan->threads, 2, s->work.residual, measure_atoms, s, false};
    tsr__gather_sums(s);
    tsr__basis_halves(s);
    if (!s->plan->map->woven) {
        add_rows(&r, s, tsr__theta(s), &s->work.halves, tsr__theta_rows(s));
        return r;
    }
    tsr__solver_note(s, tsr__sum_leaves(&sum));
    return (residual){sum.room[0], sum.room[1]};
}

static double ratio_of(const residual *r)
{
    return r->still > 0 ? r->moving / r->still : 0;
}

/* The basis needs XtG, which passes over sparse KL data may have left out. */
double tsr__solver_optimality(tsr__solver *s)
{
    const tsr__sum sum = {
        &s->problem->by_sample, s->plan->threads, 2, s->work.residual, measure_block, s, false};
    tsr__solver_note(s, tsr__sum_leaves(&sum));
    const residual codes = {sum.room[0], sum.room[1]};
    tsr__solver_collect(s);
    const residual basis = measure_theta(s);
    return fmax(ratio_of(&codes), ratio_of(&basis));
}
