/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Elastic net on the codes: lasso a sum G, ridge a/2 ||G||^2 (each with its own weight).
 *
 *     lasso  flat += a                ridge  curved += a G        bend += a
 *
 * O(n k). On the basis the two are added in update.c. */
#include "factor/solver.h"

static double refresh_lasso(tsr__penalty *p, const tsr__solver *s, double *columns)
{
    double value = 0;
    for (int64_t i = 0; i < s->n * s->k; i++) {
        const double part =
            p->weight * tsr__members(s, i / s->k) * tsr__real_get(s, s->codes, i);
        columns[i % s->k] += part;
        value += part;
    }
    return value;
}

static void add_lasso(const tsr__penalty *p, const tsr__solver *s, int64_t first, int64_t count,
                      const tsr__halves *halves)
{
    for (int64_t i = 0; i < count * s->k; i++)
        tsr__real_set(s, halves->flat, i,
                      tsr__real_get(s, halves->flat, i) +
                          p->weight * tsr__members(s, first + i / s->k));
}

static double refresh_ridge(tsr__penalty *p, const tsr__solver *s, double *columns)
{
    double value = 0;
    for (int64_t i = 0; i < s->n * s->k; i++) {
        const double g = tsr__real_get(s, s->codes, i);
        const double part = p->weight / 2 * tsr__members(s, i / s->k) * g * g;
        columns[i % s->k] += part;
        value += part;
    }
    return value;
}

static void add_ridge(const tsr__penalty *p, const tsr__solver *s, int64_t first, int64_t count,
                      const tsr__halves *halves)
{
    for (int64_t i = 0; i < count; i++)
        tsr__kernels_for(s)->add(tsr__real_at(s, halves->curved, i * s->k),
                                 p->weight * tsr__members(s, first + i),
                                 tsr__real_at(s, s->codes, (first + i) * s->k), s->k);
}

static void bend_ridge(const tsr__penalty *p, const tsr__solver *s, int64_t first,
                       int64_t count, void *out)
{
    for (int64_t i = 0; i < count * s->k; i++)
        tsr__real_set(s, out, i,
                      tsr__real_get(s, out, i) + p->weight * tsr__members(s, first + i / s->k));
}

const tsr__penalty_kind tsr__penalty_lasso = {TSR_TERM_ALPHA_CODES, 1, refresh_lasso, add_lasso,
                                              NULL};
const tsr__penalty_kind tsr__penalty_ridge = {TSR_TERM_ALPHA_CODES, 2, refresh_ridge, add_ridge,
                                              bend_ridge};
