/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Elastic net on the basis: a sum F + b/2 ||F||^2, scikit-learn's alpha_H and l1_ratio.
 *
 *     flat += a        curved += b F        bend += b        on the sphere: wish -= a
 *
 * O(m k). It holds the scale of the basis: vectors shrink until the data hold them.
 *
 * Both parts are separable, so that they are their own bounds: the rules need no more than
 * slope and curvature. As it sees lengths, outside `mu` no norm may be held beside it, but on
 * the sphere. */
#include "factor/plan.h"
#include "factor/strip.h"

enum { LASSO, RIDGE };

/* n times, as scikit-learn has it: the weight keeps its meaning for more samples. No unit. */
static bool begin(double weight[2], const tsr__spec *spec, const tsr__problem *problem)
{
    const tsr_fit_options *o = spec->options;
    const double all = spec->loss->elastic * o->alpha_basis * (double)problem->samples;
    weight[LASSO] = all * o->l1_ratio;
    weight[RIDGE] = all * (1 - o->l1_ratio);
    return o->alpha_basis > 0;
}

static void add_basis(const tsr__term *t, const tsr__solver *s, const tsr__halves *halves)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    if (t->weight[RIDGE] > 0)
        kernels->add(halves->curved, t->weight[RIDGE], s->state.basis, s->m * s->k);
    if (t->weight[LASSO] > 0)
        kernels->shift(halves->flat, t->weight[LASSO], s->m * s->k);
}

static void bend_basis(const tsr__term *t, const tsr__solver *s, const double *f, double *slope,
                       double *bend)
{
    for (int64_t j = 0; j < s->k; j++) {
        slope[j] += t->weight[LASSO] + t->weight[RIDGE] * f[j];
        bend[j] += t->weight[RIDGE];
    }
}

/* The ridge is constant on the sphere; the lasso asks each entry for as much. */
static void wish(const tsr__term *t, const tsr__solver *s, int64_t k, int64_t first,
                 int64_t count, void *out)
{
    (void)k, (void)first;
    tsr__kernels_for(s)->shift(out, -t->weight[LASSO], count);
}

/* Entries are >= 0, so that |F|_1 is the column sums, which the metric has in doubles. */
static double value(const tsr__term *t, const tsr__solver *s)
{
    const void *f = s->state.basis;
    double sum = t->weight[RIDGE] / 2 * tsr__kernels_for(s)->dot(f, f, s->m * s->k);
    for (int64_t j = 0; j < s->k; j++)
        sum += t->weight[LASSO] * s->state.metric.Ft1[j];
    return sum;
}

const tsr__term_kind tsr__term_elastic_basis = {.name = TSR_TERM_ALPHA_BASIS,
                                                .formula = "a |F|_1 + b/2 ||F||^2",
                                                .weights = {TSR_WEIGHTS, TSR_WEIGHTS},
                                                .basis = true,
                                                .holds = true,
                                                .begin = begin,
                                                .add_basis = add_basis,
                                                .bend_basis = bend_basis,
                                                .wish = wish,
                                                .value = value};
