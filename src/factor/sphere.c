/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The basis vector by vector on the unit sphere, under squares. With the others fixed, and
 * ||f_k|| = 1, the loss is linear in f_k; terms on the basis are bounded by what is linear there
 * (their `lean` and `wish`). The best f_k is then the unit vector >= 0 along
 *
 *     wish = 2 (what the other vectors leave of X' g_k) + what the terms wish
 *
 * and J never rises. Block coordinate descent after Cichocki & Phan 2009, with the sphere in place
 * of a scale that follows. O(m k^2) a sweep, on one thread: each vector sees the one before.
 *
 * Why the step is exact: over f >= 0 of unit length f . r is largest along the positive part of
 * r, by Cauchy and Schwarz, as the other entries could only take away; where r has none, along
 * its largest entry. The quadratic part of the loss, (G' G)_kk ||f_k||^2, is constant on the
 * sphere. So no price is needed, and no codes have to follow. */
#include "factor/plan.h"
#include "factor/strip.h"

#include <math.h>
#include <string.h>

static void *row_at(const tsr__solver *s, void *rows, int64_t k)
{
    return tsr__real_at(s, rows, k * s->m);
}

/* How much of vector l vector k should be like. Minus what the other vectors explain of X' g_k
 * already; terms may attract or repel. */
static double share_of(const tsr__solver *s, int64_t k, int64_t l)
{
    double share = l == k ? 0 : -2 * tsr__real_get(s, s->state.sums.GtG, l * s->k + k);
    for (const tsr__term *t = s->plan->term; t < tsr__terms_end(s->plan); t++)
        if (t->kind->lean != NULL)
            share += t->kind->lean(t, s, k, l);
    return share;
}

/* Entries of the wish do not depend on each other: a strip takes all vectors before the next
 * one. */
static void make_wish(const tsr__solver *s, int64_t k)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    const tsr__sphere *on = &s->work.sphere;
    enum { STRIP = 2048 }; /* stays in the first-level cache while all vectors pass */
    for (int64_t l = 0; l < s->k; l++)
        s->work.by[l] = share_of(s, k, l);
    for (int64_t first = 0; first < s->m; first += STRIP) {
        const int64_t count = s->m - first < STRIP ? s->m - first : STRIP;
        void *wish = tsr__real_at(s, on->wish, first);
        memset(wish, 0, tsr__real_bytes(s, count));
        for (const tsr__term *t = s->plan->term; t < tsr__terms_end(s->plan); t++)
            if (t->kind->wish != NULL)
                t->kind->wish(t, s, k, first, count, wish);
        kernels->add(wish, 2, tsr__real_at(s, row_at(s, on->XtG, k), first), count);
        for (int64_t l = 0; l < s->k; l++)
            kernels->add(wish, s->work.by[l], tsr__real_at(s, row_at(s, on->basis, l), first),
                         count);
    }
}

/* f_k becomes the unit vector >= 0 along which the wish grows most. Zeros may grow again in the
 * next turn, unlike under rules that multiply. */
static void turn_vector(const tsr__solver *s, int64_t k)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    const tsr__sphere *on = &s->work.sphere;
    void *f = row_at(s, on->basis, k);
    const int64_t best = kernels->positive_part(f, on->wish, s->m);
    const double length = sqrt(kernels->dot(f, f, s->m));
    if (length > 0)
        kernels->scale(f, 1 / length, s->m);
    else
        tsr__real_set(s, f, best, 1);
}

/* Row and column k of the gram matrix anew. Terms lean by the angles as they are: with those
 * from before the sweep the bound would not hold. */
static void renew_gram(tsr__solver *s, int64_t k)
{
    void *gram = s->state.metric.gram, *basis = s->work.sphere.basis;
    for (int64_t l = 0; l < s->k; l++) {
        const double dot =
            tsr__kernels_for(s)->dot(row_at(s, basis, k), row_at(s, basis, l), s->m);
        tsr__real_set(s, gram, l * s->k + k, dot);
        tsr__real_set(s, gram, k * s->k + l, dot);
    }
}

/* Entries of a vector stand k apart in the basis: two transposes, O(m k), make each of them
 * contiguous for the O(m k^2) of a sweep. Terms that do not lean ask for no angles, and push()
 * makes the gram matrix at the end. */
static void move(tsr__solver *s)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    const tsr__sphere *on = &s->work.sphere;
    bool leans = false;
    for (const tsr__term *t = s->plan->term; t < tsr__terms_end(s->plan); t++)
        leans = leans || t->kind->lean != NULL;
    kernels->transpose(on->basis, s->m, s->state.basis, s->k, s->m, s->k);
    kernels->transpose(on->XtG, s->m, s->state.sums.XtG, s->k, s->m, s->k);
    for (int sweep = 0; sweep < s->plan->basis.sweeps; sweep++) {
        for (int64_t k = 0; k < s->k; k++) {
            if (!(tsr__real_get(s, s->state.sums.GtG, k * s->k + k) > 0))
                continue; /* nobody uses this vector: any direction is as good */
            make_wish(s, k);
            turn_vector(s, k);
            if (leans)
                renew_gram(s, k);
        }
    }
    kernels->transpose(s->state.basis, s->k, on->basis, s->m, s->k, s->m);
    s->plan->map->push(s);
}

/* With missing values each row of the basis has its own G' G, and the quadratic part of the
 * loss is not constant on the sphere; where J minds neither scale nor neighbours, rows descend
 * on all threads. */
static const char *refuses(const tsr__choice *c)
{
    const tsr__plan *plan = c->plan;
    return c->spec->mu                       ? "the papers' rules are asked for"
           : !plan->map->free                ? "the basis is made of samples"
           : plan->loss->degree != 2         ? "the loss is not one of squares"
           : c->problem->missing != NULL     ? "values are missing"
           : plan->norm != TSR_BASIS_NORM_L2 ? "the vectors have no unit L2 length"
           : plan->scale == TSR_SCALE_PRODUCT && !tsr__plan_couples(plan)
               ? "the rows of the basis are problems of their own"
           : plan->scale != TSR_SCALE_MODEL && plan->scale != TSR_SCALE_PRODUCT
               ? "the length of the vectors is free"
               : NULL;
}

const tsr__rule tsr__rule_sphere = {.name = "sphere",
                                    .text = "vector by vector on the unit sphere",
                                    .reads = TSR_READS_SUMS,
                                    .descends = true,
                                    .exact = true,
                                    .refuses = refuses,
                                    .basis = move};
