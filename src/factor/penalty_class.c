/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Class-driven penalty: lambda <D, G>. Row j of D is 0 for an unlabelled sample; for a sample
 * of class b it is 1 on every basis vector that is not one of class b's, and 0 on class b's and
 * on the shared ones, which stand last.
 *
 *     flat += lambda D        linear: no curvature
 *
 * Xiao et al. 2013; O(n k). */
#include "factor/solver.h"

/* Basis vectors first .. end-1 are foreign to class b except own_first .. own_end-1. */
static bool foreign(const tsr__solver *s, int32_t b, int64_t j)
{
    const int64_t own = b * s->per_class;
    return j < s->k - s->shared && (j < own || j >= own + s->per_class);
}

static double refresh(tsr__penalty *p, const tsr__solver *s, double *columns)
{
    double value = 0;
    for (int64_t i = 0; i < s->n; i++) {
        for (int64_t j = 0; s->classes[i] >= 0 && j < s->k; j++) {
            if (!foreign(s, s->classes[i], j))
                continue;
            const double part =
                p->weight * tsr__members(s, i) * tsr__real_get(s, s->codes, i * s->k + j);
            columns[j] += part;
            value += part;
        }
    }
    return value;
}

static void add(const tsr__penalty *p, const tsr__solver *s, int64_t first, int64_t count,
                const tsr__halves *halves)
{
    for (int64_t i = 0; i < count; i++) {
        const int32_t b = s->classes[first + i];
        const double by = p->weight * tsr__members(s, first + i);
        for (int64_t j = 0; b >= 0 && j < s->k; j++)
            if (foreign(s, b, j))
                tsr__real_set(s, halves->flat, i * s->k + j,
                              tsr__real_get(s, halves->flat, i * s->k + j) + by);
    }
}

const tsr__penalty_kind tsr__penalty_class = {TSR_TERM_CLASS, 1, refresh, add, NULL};
