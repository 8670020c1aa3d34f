/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Class-driven term: lambda <D, G>. Row j of D is 0 for an unlabelled sample; for a sample
 * of class b it is 1 on every basis vector that is not one of class b's, and 0 on class b's and
 * on the shared ones, which stand last.
 *
 *     flat += lambda D        linear: no curvature
 *
 * Xiao et al. 2013; O(n k).
 *
 * A code of a foreign vector is charged, none is forbidden: samples may borrow where the data
 * insist. D is never formed, as its rows are two runs of ones. Being linear the term is its own
 * bound, under any rule; only the length of the basis could evade it, which is why it is priced
 * (scale.c). */
#include "factor/plan.h"
#include "factor/strip.h"

/* Of degree 1 in the codes, hence rho to the loss's degree less one. */
static bool begin(double weight[2], const tsr__spec *spec, const tsr__problem *problem)
{
    const double w = spec->weights.of[TSR_WEIGHT_CLASS];
    weight[0] = w * tsr__spec_unit(spec, problem->rho, 1);
    return w > 0;
}

/* Vectors that are foreign to class b: two runs, before its own and behind. */
typedef struct runs {
    int64_t first[2], end[2];
} runs;

static runs foreign(const tsr__plan *plan, int32_t b)
{
    const int64_t own = b * plan->per_class;
    return (runs){{0, own + plan->per_class}, {own, plan->k - plan->shared}};
}

/* Adds a run of a row, times `by`, to the columns' shares, in doubles: n of them are added up. */
static void share_run(double *columns, const tsr__solver *s, int64_t row, int64_t first,
                      int64_t end, double by)
{
    double g[TSR_STRIP];
    for (int64_t j = first; j < end; j = tsr__strip_end(j, end)) {
        const int64_t count = tsr__strip_end(j, end) - j;
        tsr__widen(g, s, s->state.codes, row * s->k + j, count);
        for (int64_t a = 0; a < count; a++)
            columns[j + a] += by * g[a];
    }
}

static void share_rows(const void *context, int64_t first, int64_t rows, double *columns)
{
    const tsr__adding *on = context;
    const int32_t *of = on->s->problem->classes.of_row;
    for (int64_t i = first; i < first + rows; i++) {
        if (of[i] < 0)
            continue;
        const runs r = foreign(on->s->plan, of[i]);
        for (int run = 0; run < 2; run++)
            share_run(columns, on->s, i, r.first[run], r.end[run],
                      on->t->weight[0] * tsr__members(on->s, i));
    }
}

static double refresh(const tsr__term *t, tsr__solver *s, double *linear, double *square)
{
    const tsr__adding on = {t, s};
    (void)square;
    return tsr__sum_columns(s, share_rows, &on, linear);
}

/* A row of tied codes stands for all samples of its class and is charged for each. */
static void add(const tsr__term *t, const tsr__solver *s, int64_t first, int64_t count,
                const tsr__halves *halves)
{
    const int32_t *of = s->problem->classes.of_row;
    for (int64_t i = 0; i < count; i++) {
        if (of[first + i] < 0)
            continue;
        const runs r = foreign(s->plan, of[first + i]);
        for (int run = 0; run < 2; run++)
            if (r.end[run] > r.first[run])
                tsr__kernels_for(s)->shift(
                    tsr__real_at(s, halves->flat, i * s->k + r.first[run]),
                    t->weight[0] * tsr__members(s, first + i), r.end[run] - r.first[run]);
    }
}

const tsr__term_kind tsr__term_class = {.name = TSR_TERM_CLASS,
                                        .formula = "%s<D, G>",
                                        .weights = {TSR_WEIGHT_CLASS, TSR_WEIGHTS},
                                        .degree = 1,
                                        .priced = true,
                                        .needs = TSR_NEEDS_LABELS,
                                        .begin = begin,
                                        .refresh = refresh,
                                        .add = add};
