/* SPDX-License-Identifier: BSD-2-Clause
 *
 * De-correlation of the basis: gamma ||I - F' F||^2.
 *
 *     minus += 4 gamma F        quartic += 4 gamma F (F' F)
 *
 * On the sphere the lengths are given, and with the others fixed the term is a quadratic in f_k,
 * 2 gamma f_k' (sum_{l != k} f_l f_l') f_k, which its largest eigenvalue turns into a linear bound:
 *
 *     wish += 4 gamma (largest f_k - sum_{l != k} f_l (f_l . f_k))
 *
 * O(m k^2). Huang et al. 2014.
 *
 * ||F' F||^2 is a sum of products of four entries of F, each at most the mean of their fourth
 * powers as t moves: hence slope 4 gamma F (F' F) t^3, the quartic half. -2 gamma ||F||^2 is
 * concave and lies below its tangent, the pull. The papers' rule takes t^3 for t, overshoots,
 * and may raise J; tests/test_law_descent.c says how often. */
#include "factor/plan.h"
#include "factor/strip.h"
#include "matrix/blas.h"

#include <math.h>

/* On the basis alone it does not grow with the number of samples while the loss does: n joins
 * rho. */
static bool begin(double weight[2], const tsr__spec *spec, const tsr__problem *problem)
{
    const double w = spec->weights.of[TSR_WEIGHT_DECORRELATE];
    const double samples = spec->unit == TSR_UNIT_DATA ? (double)problem->samples : 1;
    weight[0] = w * samples * tsr__spec_unit(spec, problem->rho, 0);
    return w > 0;
}

/* c (m x k) += by a (m x k) b (k x k) */
static void add_times(const tsr__solver *s, void *c, double by, const void *a, const void *b)
{
    const tsr__product product = {.rows = s->m,
                                  .columns = s->k,
                                  .inner = s->k,
                                  .alpha = by,
                                  .beta = 1,
                                  .a = a,
                                  .b = b,
                                  .c = c,
                                  .lda = s->k,
                                  .ldb = s->k,
                                  .ldc = s->k};
    tsr__multiply_dense(s->type, &product);
}

static double gram_at(const tsr__solver *s, int64_t l, int64_t k)
{
    return tsr__real_get(s, s->state.metric.gram, l * s->k + k);
}

/* On the sphere the part of the gradient along a vector is no way to go: 4 gamma sum_{l != k}
 * (f_l . f_k)^2 of it is taken off. It matters for the measure of optimality, which would else
 * see a slope where no step is left. */
static void add_round(const tsr__term *t, const tsr__solver *s, const tsr__halves *halves)
{
    double f[TSR_STRIP], along[TSR_STRIP];
    for (int64_t first = 0; first < s->k; first = tsr__strip_end(first, s->k)) {
        const int64_t count = tsr__strip_end(first, s->k) - first;
        for (int64_t a = 0; a < count; a++) {
            along[a] = 0;
            for (int64_t l = 0; l < s->k; l++)
                along[a] += l == first + a ? 0 : pow(gram_at(s, l, first + a), 2);
        }
        for (int64_t i = 0; i < s->m; i++) {
            tsr__widen(f, s, s->state.basis, i * s->k + first, count);
            for (int64_t a = 0; a < count; a++)
                f[a] = 4 * t->weight[0] * along[a] * f[a];
            tsr__raise(s, halves->minus, i * s->k + first, f, count);
        }
    }
}

/* Kernels of either sign, lift = U - V and gram = P - N, multiply out to what rises, U P + V N
 * and V, and what falls, U N + V P and U. The concave part changes sides for the half of the
 * lift that counts negative, and is curved there. */
static void add_basis(const tsr__term *t, const tsr__solver *s, const tsr__halves *halves)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    const tsr__metric *f = &s->state.metric;
    const int64_t count = s->m * s->k;
    const double by = 4 * t->weight[0];
    tsr__times_rows(s, halves->quartic, by, f->lift, f->gram, s->m, s->k, s->k);
    if (f->anti_lift == NULL) {
        kernels->add(halves->minus, by, f->lift, count);
        if (s->plan->basis.rule->exact)
            add_round(t, s, halves);
        return;
    }
    add_times(s, halves->quartic, by, f->anti_lift, f->anti_gram);
    add_times(s, halves->anti, by, f->lift, f->anti_gram);
    add_times(s, halves->anti, by, f->anti_lift, f->gram);
    kernels->add(halves->anti, by, f->lift, count);
    kernels->add(halves->curved, by, f->anti_lift, count);
}

/* An upper bound of the largest eigenvalue of sum_{l != k} f_l f_l', by row sums of its gram.
 * Both matrices have the same eigenvalues but for zeros, and none exceeds the largest row sum
 * (Gershgorin). O(k^2), where the eigenvalue itself would take k^3 and gain little: a larger
 * one shortens steps and breaks nothing. */
static double largest_eigenvalue(const tsr__solver *s, int64_t k)
{
    double most = 0;
    for (int64_t a = 0; a < s->k; a++) {
        double sum = 0;
        for (int64_t b = 0; b < s->k; b++)
            sum += a == k || b == k ? 0 : fabs(gram_at(s, a, b));
        most = fmax(most, sum);
    }
    return most;
}

/* On the sphere f' M f = const - f' (most I - M) f, and most I - M >= 0 lies above its tangent:
 * the bound is linear, and its slope at the vector as it is are these shares. */
static double lean(const tsr__term *t, const tsr__solver *s, int64_t k, int64_t l)
{
    const double apart = 4 * t->weight[0];
    return l == k ? apart * largest_eigenvalue(s, k) : -apart * gram_at(s, l, k);
}

/* Square by square, never multiplied out: near orthogonal vectors the parts would cancel. */
static double value(const tsr__term *t, const tsr__solver *s)
{
    const tsr__metric *f = &s->state.metric;
    double sum = 0;
    for (int64_t i = 0; i < s->k * s->k; i++) {
        const double gram = tsr__real_get(s, f->gram, i) -
                            (f->anti_gram != NULL ? tsr__real_get(s, f->anti_gram, i) : 0);
        const double off = (i % (s->k + 1) == 0 ? 1 : 0) - gram;
        sum += t->weight[0] * off * off;
    }
    return sum;
}

const tsr__term_kind tsr__term_decorrelate = {.name = TSR_TERM_DECORRELATE,
                                              .formula = "%s||I - F' F||^2",
                                              .weights = {TSR_WEIGHT_DECORRELATE, TSR_WEIGHTS},
                                              .basis = true,
                                              .couples = true,
                                              .holds = true,
                                              .rounds = true,
                                              .quartic = true,
                                              .begin = begin,
                                              .add_basis = add_basis,
                                              .lean = lean,
                                              .value = value};
