/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Elastic net on the codes, two terms of different degree: a sum G and b/2 ||G||^2; scikit-learn's
 * alpha_W and l1_ratio.
 *
 *     flat += a        curved += b G        bend += b
 *
 * O(n k).
 *
 * Two terms and not one, since the price of length needs a column's shares of degree one and
 * two apart (scale.c); reports add them up under one name. Separable, hence their own bounds.
 * New samples keep both (transform.c), where all other terms are off. A row of tied codes
 * counts for each of its members. */
#include "factor/plan.h"
#include "factor/strip.h"

static bool begin_lasso(double weight[2], const tsr__spec *spec, const tsr__problem *problem)
{
    double ridge;
    tsr__spec_elastic(&weight[0], &ridge, spec, problem->features);
    return weight[0] > 0;
}

static bool begin_ridge(double weight[2], const tsr__spec *spec, const tsr__problem *problem)
{
    double lasso;
    tsr__spec_elastic(&lasso, &weight[0], spec, problem->features);
    return weight[0] > 0;
}

static void sum_lasso(const void *context, int64_t first, int64_t rows, double *columns)
{
    const tsr__adding *on = context;
    double g[TSR_STRIP];
    for (int64_t i = first; i < first + rows; i++)
        for (int64_t j = 0; j < on->s->k; j = tsr__strip_end(j, on->s->k)) {
            const int64_t count = tsr__strip_end(j, on->s->k) - j;
            const double by = on->t->weight[0] * tsr__members(on->s, i);
            tsr__widen(g, on->s, on->s->state.codes, i * on->s->k + j, count);
            for (int64_t a = 0; a < count; a++)
                columns[j + a] += by * g[a];
        }
}

static double refresh_lasso(const tsr__term *t, tsr__solver *s, double *linear, double *square)
{
    const tsr__adding on = {t, s};
    (void)square;
    return tsr__sum_columns(s, sum_lasso, &on, linear);
}

static void add_lasso(const tsr__term *t, const tsr__solver *s, int64_t first, int64_t count,
                      const tsr__halves *halves)
{
    for (int64_t i = 0; i < count; i++)
        tsr__kernels_for(s)->shift(tsr__real_at(s, halves->flat, i * s->k),
                                   t->weight[0] * tsr__members(s, first + i), s->k);
}

static void sum_ridge(const void *context, int64_t first, int64_t rows, double *columns)
{
    const tsr__adding *on = context;
    double g[TSR_STRIP];
    for (int64_t i = first; i < first + rows; i++)
        for (int64_t j = 0; j < on->s->k; j = tsr__strip_end(j, on->s->k)) {
            const int64_t count = tsr__strip_end(j, on->s->k) - j;
            const double by = on->t->weight[0] / 2 * tsr__members(on->s, i);
            tsr__widen(g, on->s, on->s->state.codes, i * on->s->k + j, count);
            for (int64_t a = 0; a < count; a++)
                columns[j + a] += by * g[a] * g[a];
        }
}

static double refresh_ridge(const tsr__term *t, tsr__solver *s, double *linear, double *square)
{
    const tsr__adding on = {t, s};
    (void)linear;
    return tsr__sum_columns(s, sum_ridge, &on, square);
}

static void add_ridge(const tsr__term *t, const tsr__solver *s, int64_t first, int64_t count,
                      const tsr__halves *halves)
{
    for (int64_t i = 0; i < count; i++)
        tsr__kernels_for(s)->add(tsr__real_at(s, halves->curved, i * s->k),
                                 t->weight[0] * tsr__members(s, first + i),
                                 tsr__codes_at(s, first + i), s->k);
}

static void bend_ridge(const tsr__term *t, const tsr__solver *s, int64_t first, int64_t count,
                       void *out)
{
    for (int64_t i = 0; i < count; i++)
        tsr__kernels_for(s)->shift(tsr__real_at(s, out, i * s->k),
                                   t->weight[0] * tsr__members(s, first + i), s->k);
}

const tsr__term_kind tsr__term_lasso_codes = {.name = TSR_TERM_ALPHA_CODES,
                                              .formula = "a |G|_1",
                                              .weights = {TSR_WEIGHTS, TSR_WEIGHTS},
                                              .degree = 1,
                                              .priced = true,
                                              .begin = begin_lasso,
                                              .refresh = refresh_lasso,
                                              .add = add_lasso};

const tsr__term_kind tsr__term_ridge_codes = {.name = TSR_TERM_ALPHA_CODES,
                                              .formula = "b/2 ||G||^2",
                                              .weights = {TSR_WEIGHTS, TSR_WEIGHTS},
                                              .degree = 2,
                                              .priced = true,
                                              .begin = begin_ridge,
                                              .refresh = refresh_ridge,
                                              .add = add_ridge,
                                              .bend = bend_ridge};
