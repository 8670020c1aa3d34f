/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The basis vector by vector on the unit sphere, under squares. With the others fixed, and
 * ||f_k|| = 1, the loss is linear in f_k; terms on the basis are bounded by what is linear there
 * (their `lean` and `wish`). The best f_k is then the unit vector >= 0 along
 *
 *     wish = 2 (what the other vectors leave of X' g_k) + what the terms wish
 *
 * and J never rises. Block coordinate descent after Cichocki & Phan 2009, with the sphere in place
 * of a scale that follows. O(m k^2) a sweep.
 *
 * Each vector sees the one before, but entries of a wish do not depend on each other: a vector is
 * turned by strips of features, which threads share, and its length and its angles to the others
 * are summed over the strips in order.
 *
 * Why the step is exact: over f >= 0 of unit length f . r is largest along the positive part of
 * r, by Cauchy and Schwarz, as the other entries could only take away; where r has none, along
 * its largest entry. The quadratic part of the loss, (G' G)_kk ||f_k||^2, is constant on the
 * sphere. So no price is needed, and no codes have to follow. */
#include "factor/plan.h"
#include "factor/strip.h"
#include "matrix/parallel.h"

#include <math.h>
#include <string.h>

/* Features of a strip: in the nearest cache while all vectors pass, and never so many strips that
 * sums over them count. */
static int64_t strip_of(const tsr__solver *s)
{
    enum { LEAST = 512, MOST = 2048, STRIPS = 128 };
    const int64_t fair = (s->m / STRIPS + TSR_ALIGN - 1) / TSR_ALIGN * TSR_ALIGN;
    return fair < LEAST ? LEAST : fair > MOST ? MOST : fair;
}

static int64_t strips_of(const tsr__solver *s)
{
    return (s->m + strip_of(s) - 1) / strip_of(s);
}

/* What a strip knows of the vector that turns: its square, where the wish is largest, and its
 * products with the vectors as they stand. */
enum { SQUARE, BEST, PRODUCTS };

void tsr__sphere_layout(tsr__solver *s, tsr__arena *arena)
{
    const size_t size = tsr__type_size(s->type);
    s->work.sphere = (tsr__sphere){
        .basis = tsr__arena_take(arena, s->m * s->k, size),
        .XtG = tsr__arena_take(arena, s->m * s->k, size),
        .wish = tsr__arena_take(arena, s->m, size),
        .turned = tsr__arena_take(arena, s->m, size),
        .parts = tsr__arena_take(arena, strips_of(s) * (PRODUCTS + s->k), sizeof(double))};
}

static double *part_of(const tsr__solver *s, int64_t strip)
{
    return s->work.sphere.parts + strip * (PRODUCTS + s->k);
}

static double sum_parts(const tsr__solver *s, int64_t which)
{
    double sum = 0;
    for (int64_t strip = 0; strip < strips_of(s); strip++)
        sum += part_of(s, strip)[which];
    return sum;
}

/* The feature at which the wish is largest: where it has no positive part. */
static int64_t best_of(const tsr__solver *s)
{
    int64_t best = (int64_t)part_of(s, 0)[BEST];
    for (int64_t strip = 1; strip < strips_of(s); strip++) {
        const int64_t other = (int64_t)part_of(s, strip)[BEST];
        if (tsr__real_get(s, s->work.sphere.wish, other) >
            tsr__real_get(s, s->work.sphere.wish, best))
            best = other;
    }
    return best;
}

/* Some features of vector k. */
static void *entries(const tsr__solver *s, void *vectors, int64_t k, int64_t first)
{
    return tsr__real_at(s, vectors, k * s->m + first);
}

/* Terms that do not lean ask for no angles, and push() makes the gram matrix at the end. */
static bool leans(const tsr__solver *s)
{
    for (const tsr__term *t = s->plan->term; t < tsr__terms_end(s->plan); t++)
        if (t->kind->lean != NULL)
            return true;
    return false;
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

/* A strip of the wish takes all vectors before the next one does; then its positive part, along
 * which the wish grows most. The vector itself stays as it is: other strips may look at its
 * neighbouring pixels. */
static void make_wish(const tsr__solver *s, int64_t k, int64_t strip, int64_t first,
                      int64_t count)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    const tsr__sphere *on = &s->work.sphere;
    double *part = part_of(s, strip);
    void *wish = tsr__real_at(s, on->wish, first), *turned = tsr__real_at(s, on->turned, first);
    memset(wish, 0, tsr__real_bytes(s, count));
    for (const tsr__term *t = s->plan->term; t < tsr__terms_end(s->plan); t++)
        if (t->kind->wish != NULL)
            t->kind->wish(t, s, k, first, count, wish);
    kernels->add(wish, 2, entries(s, on->XtG, k, first), count);
    for (int64_t l = 0; l < s->k; l++)
        kernels->add(wish, s->work.by[l], entries(s, on->basis, l, first), count);
    part[BEST] = (double)(first + kernels->positive_part(turned, wish, count));
    part[SQUARE] = kernels->dot(turned, turned, count);
    for (int64_t l = 0; leans(s) && l < s->k; l++)
        part[PRODUCTS + l] = kernels->dot(turned, entries(s, on->basis, l, first), count);
}

/* Row and column k of the gram matrix anew. Terms lean by the angles as they are: with those
 * from before the sweep the bound would not hold. */
static void renew_gram(const tsr__solver *s, int64_t k)
{
    const double length = sqrt(sum_parts(s, SQUARE));
    const int64_t best = best_of(s);
    for (int64_t l = 0; l < s->k; l++) {
        const double dot = l == k ? 1
                           : length > 0
                               ? sum_parts(s, PRODUCTS + l) / length
                               : tsr__real_get(s, s->work.sphere.basis, l * s->m + best);
        tsr__real_set(s, s->state.metric.gram, l * s->k + k, dot);
        tsr__real_set(s, s->state.metric.gram, k * s->k + l, dot);
    }
}

/* The vector becomes the turned one at unit length; one without length the single entry that is
 * best. Zeros may grow again in the next turn, unlike under rules that multiply. */
static void set_vector(const tsr__solver *s, int64_t k, int64_t strip, int64_t first,
                       int64_t count)
{
    const tsr__sphere *on = &s->work.sphere;
    const double length = sqrt(sum_parts(s, SQUARE));
    const int64_t best = best_of(s);
    void *f = entries(s, on->basis, k, first);
    memcpy(f, tsr__real_at(s, on->turned, first), tsr__real_bytes(s, count));
    if (length > 0)
        tsr__kernels_for(s)->scale(f, 1 / length, count);
    else if (best >= first && best < first + count)
        tsr__real_set(s, f, best - first, 1);
    if (strip == 0 && leans(s))
        renew_gram(s, k);
}

/* Entries of a vector stand k apart in the basis: two transposes, O(m k), make each of them
 * contiguous for the O(m k^2) of a sweep, and one goes back. */
static void turn_in(const tsr__solver *s, int64_t first, int64_t count)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    const tsr__sphere *on = &s->work.sphere;
    kernels->transpose(entries(s, on->basis, 0, first), s->m,
                       tsr__real_at(s, s->state.basis, first * s->k), s->k, count, s->k);
    kernels->transpose(entries(s, on->XtG, 0, first), s->m,
                       tsr__real_at(s, s->state.sums.XtG, first * s->k), s->k, count, s->k);
}

static void turn_out(const tsr__solver *s, int64_t first, int64_t count)
{
    tsr__kernels_for(s)->transpose(tsr__real_at(s, s->state.basis, first * s->k), s->k,
                                   entries(s, s->work.sphere.basis, 0, first), s->m, s->k,
                                   count);
}

/* Nobody uses this vector: any direction is as good. */
static bool idle(const tsr__solver *s, int64_t k)
{
    return !(tsr__real_get(s, s->state.sums.GtG, k * s->k + k) > 0);
}

/* The shares of all vectors in the wish of this one; on one thread, O(k) or what terms ask. */
static void make_shares(const tsr__solver *s, int64_t k)
{
    for (int64_t l = 0; l < s->k; l++)
        s->work.by[l] = share_of(s, k, l);
}

/* Three turns a vector, between one in and one out: shares, wish, the vector itself. */
enum { SHARES, WISH, VECTOR, STEPS };

static void take_turn(void *context, int64_t turn, int64_t strip, int thread)
{
    const tsr__solver *s = context;
    const int64_t first = strip * strip_of(s), left = s->m - first;
    const int64_t count = left < strip_of(s) ? left : strip_of(s);
    const int64_t at = turn - 1, all = s->plan->basis.sweeps * s->k, k = at / STEPS % s->k;
    (void)thread;
    if (turn == 0)
        turn_in(s, first, count);
    else if (at == all * STEPS)
        turn_out(s, first, count);
    else if (idle(s, k))
        return;
    else if (at % STEPS == WISH)
        make_wish(s, k, strip, first, count);
    else if (at % STEPS == VECTOR)
        set_vector(s, k, strip, first, count);
    else if (strip == 0)
        make_shares(s, k);
}

static void move(tsr__solver *s)
{
    tsr__parallel_turns(s->plan->basis.sweeps * s->k * STEPS + 2, strips_of(s),
                        s->plan->threads, take_turn, s);
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
