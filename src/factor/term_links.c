/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Links between labelled samples: tr(G' C G), C > 0 for pairs of different classes (cannot-link),
 * C < 0 for pairs of one class (must-link). C is never formed. With s_b the sum of the codes of
 * class b (N_b samples), T the sum over all classes (N samples):
 *
 *     both      minus += 2 must s_b        curved += 2 cannot (T - s_b)
 *     bounded   curved += 2 must N_b G     so that must-links cost must ||g_i - g_j||^2 a pair
 *
 * The papers' reward -g_i g_j is unbounded below; the bounded form is a Laplacian. All is O(n k).
 * The bend bounds a matrix C >= 0 by the diagonal (C u)_i / u_i with u = g + a share of the
 * column's mean, which is tight where the codes are large and lets zeros grow; the must-links of a
 * class have rank one, so their Laplacian is below its own diagonal. Wang 2008; Ambai et al. 2011.
 *
 * Why the bend is above C >= 0: sum_ij C_ij u_i u_j (x_i / u_i - x_j / u_j)^2 >= 0, written
 * out, says x' C x <= sum_i x_i^2 (C u)_i / u_i, for any u > 0. Must-links of a class, N_b I -
 * 1 1', are at most N_b I; as a reward they are concave and need no bend. The sums stay in
 * doubles, since what is wanted of them are differences, T - s_b. */
#include "factor/plan.h"
#include "factor/strip.h"
#include "matrix/pass.h"

enum { MUST, CANNOT };

/* Links that the user lists take the place of those of labels (term_pairs.c). */
static bool begin(double weight[2], const tsr__spec *spec, const tsr__problem *problem)
{
    const double must = spec->weights.of[TSR_WEIGHT_MUST],
                 cannot = spec->weights.of[TSR_WEIGHT_CANNOT],
                 unit = tsr__spec_unit(spec, problem->rho, 2);
    weight[MUST] = must * unit;
    weight[CANNOT] = cannot * unit;
    return problem->pairs.attract == NULL && (must > 0 || cannot > 0);
}

static int64_t sums_of(const tsr__problem *problem, int64_t k)
{
    return (problem->classes.count + 2) * k;
}

static void layout(tsr__term_room *room, const tsr__solver *s, tsr__arena *arena)
{
    room->sums = tsr__arena_take(arena,
                                 tsr__sum_room(&s->problem->by_sample, s->plan->threads) *
                                     (s->problem->classes.count + 1) * s->k,
                                 sizeof(double));
}

/* Sums of the codes of class b, and of all, which stand last. */
static double *sum_of(const tsr__term *t, const tsr__solver *s, int64_t b)
{
    return tsr__room_of(s, t)->sums + b * s->k;
}

/* What pulls at one code g of a sample of class b; the reward lets go at nothing. */
typedef struct puller {
    double must, cannot, population; /* population 0: reward */
} puller;

/* Without the population the curvature that bounds must-links from below is gone. */
static puller puller_of(const tsr__term *t, const tsr__solver *s, int32_t b)
{
    return (puller){t->weight[MUST], t->weight[CANNOT],
                    s->problem->pairs.reward ? 0 : s->problem->classes.population[b]};
}

/* Tied codes stand for their members, each of which is linked to all others. */
static void add_classes(const void *context, int64_t first, int64_t rows, double *sums)
{
    const tsr__adding *on = context;
    const tsr__solver *s = on->s;
    const tsr__classes *c = &s->problem->classes;
    double g[TSR_STRIP];
    for (int64_t i = first; i < first + rows; i++)
        for (int64_t j = 0; c->of_row[i] >= 0 && j < s->k; j = tsr__strip_end(j, s->k)) {
            const int64_t count = tsr__strip_end(j, s->k) - j;
            double *own = sums + c->of_row[i] * s->k + j, *all = sums + c->count * s->k + j;
            const double by = tsr__members(s, i);
            tsr__widen(g, s, s->state.codes, i * s->k + j, count);
            for (int64_t a = 0; a < count; a++) {
                own[a] += by * g[a];
                all[a] += by * g[a];
            }
        }
}

static void add_up(const tsr__term *t, tsr__solver *s)
{
    const tsr__adding on = {t, s};
    tsr__sum_codes(s, &s->problem->by_sample, (s->problem->classes.count + 1) * s->k,
                   tsr__room_of(s, t)->sums, add_classes, &on);
}

/* (C G)_i is constant on a class but for the bounded form's own code, so that row i's part takes k
 * operations whatever the number of links. */
static void share_rows(const void *context, int64_t first, int64_t rows, double *columns)
{
    const tsr__adding *on = context;
    const tsr__solver *s = on->s;
    const tsr__classes *c = &s->problem->classes;
    double g[TSR_STRIP];
    for (int64_t i = first; i < first + rows; i++) {
        if (c->of_row[i] < 0)
            continue;
        const puller p = puller_of(on->t, s, c->of_row[i]);
        const double *own = sum_of(on->t, s, c->of_row[i]), *total = sum_of(on->t, s, c->count);
        for (int64_t j = 0; j < s->k; j = tsr__strip_end(j, s->k)) {
            const int64_t count = tsr__strip_end(j, s->k) - j;
            tsr__widen(g, s, s->state.codes, i * s->k + j, count);
            for (int64_t a = 0; a < count; a++) {
                const double pull = p.cannot * (total[j + a] - own[j + a]) -
                                    p.must * own[j + a] + p.must * p.population * g[a];
                columns[j + a] += tsr__members(s, i) * g[a] * pull;
            }
        }
    }
}

/* The sums are made of all codes first. */
static double refresh(const tsr__term *t, tsr__solver *s, double *linear, double *square)
{
    const tsr__adding on = {t, s};
    (void)linear;
    add_up(t, s);
    return tsr__sum_columns(s, share_rows, &on, square);
}

/* T - s_b is >= 0 but for rounding, which the halves must not see. */
static void add(const tsr__term *t, const tsr__solver *s, int64_t first, int64_t count,
                const tsr__halves *halves)
{
    const tsr__classes *c = &s->problem->classes;
    double g[TSR_STRIP], minus[TSR_STRIP], apart[TSR_STRIP], held[TSR_STRIP];
    for (int64_t i = 0; i < count; i++) {
        const int32_t b = c->of_row[first + i];
        if (b < 0)
            continue;
        const puller p = puller_of(t, s, b);
        const double *own = sum_of(t, s, b), *total = sum_of(t, s, c->count);
        const double by = 2 * tsr__members(s, first + i);
        for (int64_t j = 0; j < s->k; j = tsr__strip_end(j, s->k)) {
            const int64_t strip = tsr__strip_end(j, s->k) - j;
            tsr__widen(g, s, s->state.codes, (first + i) * s->k + j, strip);
            for (int64_t a = 0; a < strip; a++) {
                const double others = total[j + a] - own[j + a];
                minus[a] = by * p.must * own[j + a];
                apart[a] = by * p.cannot * (others > 0 ? others : 0);
                held[a] = by * p.must * p.population * g[a];
            }
            tsr__raise(s, halves->minus, i * s->k + j, minus, strip);
            tsr__raise(s, halves->curved, i * s->k + j, apart, strip);
            tsr__raise(s, halves->curved, i * s->k + j, held, strip);
        }
    }
}

/* A positive reference for the bend: the code and a hundredth of its column's mean; in an empty
 * column, where any will do, 1. Smaller shares would follow C more closely where codes are
 * large, and hold zeros nearly for ever: the bend at a zero is (C u) over its share. */
static double reference(double g, double sum, double count)
{
    return g + (sum > 0 ? 0.01 * sum / count : 1);
}

/* The reference adds its share for each of the other samples as well: (C u)_i is of u, not of
 * g. */
static void bend(const tsr__term *t, const tsr__solver *s, int64_t first, int64_t count,
                 void *out)
{
    const tsr__classes *c = &s->problem->classes;
    const double *total = sum_of(t, s, c->count), all = c->population[c->count];
    double g[TSR_STRIP], curve[TSR_STRIP];
    for (int64_t i = 0; i < count; i++) {
        const int32_t b = c->of_row[first + i];
        if (b < 0)
            continue;
        const puller p = puller_of(t, s, b);
        const double *own = sum_of(t, s, b), by = 2 * tsr__members(s, first + i);
        for (int64_t j = 0; j < s->k; j = tsr__strip_end(j, s->k)) {
            const int64_t strip = tsr__strip_end(j, s->k) - j;
            tsr__widen(g, s, s->state.codes, (first + i) * s->k + j, strip);
            for (int64_t a = 0; a < strip; a++) {
                const double u = reference(g[a], total[j + a], all), share = u - g[a];
                const double others =
                    total[j + a] - own[j + a] + share * (all - c->population[b]);
                curve[a] = p.must * p.population;
                if (u > 0 && others > 0)
                    curve[a] += p.cannot * others / u;
                curve[a] *= by;
            }
            tsr__raise(s, out, i * s->k + j, curve, strip);
        }
    }
}

const tsr__term_kind tsr__term_links = {.name = TSR_TERM_LINKS,
                                        .formula = "tr(G' C G)",
                                        .weights = {TSR_WEIGHT_CANNOT, TSR_WEIGHT_MUST},
                                        .degree = 2,
                                        .priced = true,
                                        .needs = TSR_NEEDS_LINKS,
                                        .begin = begin,
                                        .sums = sums_of,
                                        .layout = layout,
                                        .refresh = refresh,
                                        .add = add,
                                        .bend = bend};
