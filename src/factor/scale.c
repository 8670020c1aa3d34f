/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The scale of the basis belongs to the model. With F free, a term on the codes is evaded by F /
 * s, s G. Where ||f_k|| = 1 is part of the model (TSR_SCALE_MODEL), J is read as J(F / |F|, G
 * |F|): a vector that grows to length l costs the terms c l + q l^2, where c and q are the
 * column's shares of degree one and two (state.price). This price is bounded by a quadratic in
 * f_k (L2), or is linear and quadratic (L1):
 *
 *     L2   curved += (c + 2 q) F          L1   flat += c     curved += 2 q
 *
 * so the same step descends on the constrained problem; afterwards F is divided by its lengths
 * and G multiplied, which leaves J as it is. On the sphere (sphere.c) no price is needed. O(m k).
 *
 * L2: c l <= c (1 + l^2) / 2, as (l - 1)^2 >= 0, and l = 1 before the step. L1: (sum f)^2 <=
 * sum f0 t^2, as the f0 add up to 1 and a square is convex. Both touch at the old basis, so
 * that what the step gains on the bound J gains too. Without the price a step of the basis
 * would pay for the loss with lengths that the codes are charged for afterwards, and J could
 * rise (tests/test_law_descent.c); that the scale of a start does not matter is in
 * tests/test_law_algebra.c. */
#include "factor/plan.h"
#include "factor/strip.h"

#include <math.h>

bool tsr__priced(const tsr__solver *s)
{
    return s->plan->scale == TSR_SCALE_MODEL && s->plan->code_terms > 0;
}

/* Twice the factor of ||f||^2 in the bound above, as the curvature that weights of samples
 * see. */
double tsr__price_of(const tsr__solver *s, int64_t j)
{
    return tsr__priced(s) ? s->state.price[j] + 2 * s->state.price[s->k + j] : 0;
}

/* A column whose share is negative (must-links as a reward) gains by length: that pull joins
 * `minus`. Halves have to stay >= 0, each by itself: the rules take roots of them. */
static void add_curve(const tsr__solver *s, const tsr__halves *halves, int64_t at,
                      double *curve, int64_t count)
{
    double fall[TSR_STRIP];
    for (int64_t a = 0; a < count; a++) {
        fall[a] = fmax(-curve[a], 0);
        curve[a] = fmax(curve[a], 0);
    }
    tsr__raise(s, halves->curved, at, curve, count);
    tsr__raise(s, halves->minus, at, fall, count);
}

typedef struct pricing {
    const tsr__solver *s;
    const tsr__halves *halves;
} pricing;

/* Lengths are taken in the metric: with a kernel that is W' K W, whose slope is the lift and
 * not the weights. The falling part of a kernel of either sign is priced as falling. */
static void price_part(const void *context, int64_t begin, int64_t rows)
{
    const pricing *on = context;
    const tsr__solver *s = on->s;
    const tsr__halves *halves = on->halves;
    const bool l1 = s->plan->norm == TSR_BASIS_NORM_L1;
    const double *c = s->state.price, *q = s->state.price + s->k;
    const tsr__metric *metric = &s->state.metric;
    double f[TSR_STRIP];
    for (int64_t i = begin; i < begin + rows; i++)
        for (int64_t j = 0; j < s->k; j = tsr__strip_end(j, s->k)) {
            const int64_t at = i * s->k + j, count = tsr__strip_end(j, s->k) - j;
            if (l1) {
                tsr__raise(s, halves->flat, at, c + j, count);
                for (int64_t a = 0; a < count; a++)
                    f[a] = 2 * q[j + a];
                add_curve(s, halves, at, f, count);
                continue;
            }
            tsr__widen(f, s, metric->lift, at, count);
            for (int64_t a = 0; a < count; a++)
                f[a] *= c[j + a] + 2 * q[j + a];
            add_curve(s, halves, at, f, count);
            if (metric->anti_lift == NULL)
                continue;
            tsr__widen(f, s, metric->anti_lift, at, count);
            for (int64_t a = 0; a < count; a++)
                f[a] *= c[j + a] + 2 * q[j + a];
            tsr__raise(s, halves->anti, at, f, count);
        }
}

void tsr__price_add(const tsr__solver *s, const tsr__halves *halves)
{
    const pricing on = {s, halves};
    tsr__each_rows(s, s->m, price_part, &on);
}

/* The price as slope and bend at a row of the basis that is f. L2: (c/2 + q) ||f||^2 as it is. L1:
 * q l^2 is bounded like any non-negative quadratic (term_links.c) by the diagonal q (sum u) / u_i
 * with u = f + a hundredth of the column's mean, which lets zeros grow. What is concave lies below
 * its tangent and does not bend. The u add up to 1.01 l: m shares of a hundredth of the mean
 * are a hundredth of the sum. */
void tsr__price_bend(const tsr__solver *s, const double *f, double *slope, double *bend)
{
    const double *c = s->state.price, *q = s->state.price + s->k;
    for (int64_t j = 0; j < s->k; j++) {
        if (s->plan->norm == TSR_BASIS_NORM_L2) {
            slope[j] += (c[j] + 2 * q[j]) * f[j];
            bend[j] += fmax(c[j] + 2 * q[j], 0);
            continue;
        }
        const double length = s->state.metric.Ft1[j], share = 0.01 * length / (double)s->m;
        slope[j] += c[j] + 2 * q[j] * length;
        if (q[j] > 0 && length > 0)
            bend[j] += 2 * q[j] * 1.01 * length / (f[j] + share);
    }
}

/* Rounding may leave a difference of two halves below zero: such a vector has no length. */
static double length_of(const tsr__solver *s, int64_t j)
{
    const tsr__metric *f = &s->state.metric;
    const int64_t at = j * s->k + j;
    if (s->plan->norm == TSR_BASIS_NORM_L1)
        return f->Ft1[j];
    double square = f->exact[at];
    if (f->exact_anti != NULL)
        square -= f->exact_anti[at];
    return square > 0 ? sqrt(square) : 0;
}

/* O(k^2), where a gram matrix anew would take m k^2. */
static void scale_gram(const tsr__solver *s, double *exact, const double *by)
{
    for (int64_t i = 0; exact != NULL && i < s->k * s->k; i++)
        exact[i] *= by[i / s->k] * by[i % s->k];
}

/* A factor whose columns are scaled. */
typedef struct scaling {
    const tsr__solver *s;
    void *rows;
    const double *by;
} scaling;

static void scale_part(const void *context, int64_t first, int64_t count)
{
    const scaling *on = context;
    tsr__kernels_for(on->s)->scale_columns(tsr__real_at(on->s, on->rows, first * on->s->k),
                                           on->by, count, on->s->k);
}

static void scale_rows(const tsr__solver *s, void *rows, const double *by, int64_t count)
{
    const scaling on = {s, rows, by};
    if (rows != NULL)
        tsr__each_rows(s, count, scale_part, &on);
}

/* All that is made of the basis goes along, so that nothing has to be pushed again; the sums
 * over the samples do not, for a pass follows that makes them. A vector without length stays as
 * it is. Factors before they were led on are scaled as well, or their difference would mix two
 * units; and terms are refreshed, as the coming pass reads their sums. Where nothing reads the codes
 * before that pass they are left owing: a block is scaled when it is there anyway. */
void tsr__fix_scale(tsr__solver *s, tsr__scale_rule scale)
{
    tsr__state *state = &s->state;
    tsr__metric *metric = &state->metric;
    double *by = s->work.by, *back = s->work.back;
    if (scale == TSR_SCALE_FREE)
        return;
    tsr__settle_scale(s);
    for (int64_t j = 0; j < s->k; j++) {
        const double length = length_of(s, j);
        back[j] = length > 0 ? length : 1;
        by[j] = 1 / back[j];
        metric->Ft1[j] *= by[j];
    }
    scale_rows(s, state->basis, by, s->m);
    scale_rows(s, state->weights, by, s->problem->atoms.samples);
    scale_rows(s, tsr__plain_theta(s), by, tsr__theta_rows(s));
    if (metric->lift != state->basis)
        scale_rows(s, metric->lift, by, s->m);
    scale_rows(s, metric->anti_lift, by, s->m);
    scale_gram(s, metric->exact, by);
    scale_gram(s, metric->exact_anti, by);
    tsr__metric_narrow(s);
    if (scale == TSR_SCALE_BASIS)
        return;
    s->work.owed = true;
    if (s->plan->code_terms > 0 || !s->plan->codes.rule->descends)
        tsr__settle_scale(s);
    if (s->plan->code_terms > 0)
        tsr__refresh(s);
}

/* Codes of other ranks as well, which these scale alike. */
void tsr__settle_scale(tsr__solver *s)
{
    const tsr__halo *halo = &s->problem->pairs.halo;
    if (!s->work.owed)
        return;
    scale_rows(s, tsr__places(s), s->work.back, halo->before + s->n + halo->after);
    scale_rows(s, tsr__plain_codes(s), s->work.back, s->n);
    s->work.owed = false;
}
