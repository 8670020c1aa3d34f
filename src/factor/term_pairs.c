/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Links between pairs of samples that the user lists: tr(G' C G) with C sparse, its negative
 * entries (must-link) as `attract`, its positive ones (cannot-link) as `repel`.
 *
 *     both      minus += 2 attract G           curved += 2 repel G
 *     bounded   curved += 2 diag(attract 1) G  so that must-links cost ||g_i - g_j||^2 a pair
 *
 * Both matrices are bounded by their row sums, so that all rows may move at once. O(links k).
 * Wang 2008; between all labelled samples see term_links.c.
 *
 * Row sums bound both: C >= 0 lies below diag(C 1), which is the bound of term_links.c with u =
 * 1, and the Laplacian of must-links is one of a graph, at most twice its diagonal
 * (term_graph.c). As a reward -attract may bend either way, by no more than its row sums: hence
 * 2 and 4. */
#include "factor/plan.h"
#include "factor/strip.h"
#include "matrix/pass.h"

enum { ATTRACT, REPEL };

static bool begin(double weight[2], const tsr__spec *spec, const tsr__problem *problem)
{
    weight[0] = tsr__spec_unit(spec, problem->rho, 2); /* the file has the weights themselves */
    return problem->pairs.attract != NULL;
}

/* Both products are kept between passes: rows move together from the codes as they were. */
static void layout(tsr__term_room *room, const tsr__solver *s, tsr__arena *arena)
{
    for (int side = ATTRACT; side <= REPEL; side++)
        room->gathered[side] = tsr__arena_take(arena, s->n * s->k, tsr__type_size(s->type));
}

static void share_rows(const void *context, int64_t first, int64_t rows, double *columns)
{
    const tsr__adding *on = context;
    const tsr__solver *s = on->s;
    const tsr__pairs *pairs = &s->problem->pairs;
    const tsr__term_room *room = tsr__room_of(s, on->t);
    double g[TSR_STRIP], up[TSR_STRIP], down[TSR_STRIP];
    for (int64_t i = first; i < first + rows; i++) {
        const double held = pairs->reward ? 0 : pairs->attract_degree[i];
        for (int64_t j = 0; j < s->k; j = tsr__strip_end(j, s->k)) {
            const int64_t at = i * s->k + j, count = tsr__strip_end(j, s->k) - j;
            tsr__widen(g, s, s->state.codes, at, count);
            tsr__widen(up, s, room->gathered[ATTRACT], at, count);
            tsr__widen(down, s, room->gathered[REPEL], at, count);
            for (int64_t a = 0; a < count; a++)
                columns[j + a] += on->t->weight[0] * g[a] * (down[a] - up[a] + held * g[a]);
        }
    }
}

/* Each unordered pair stands twice in the matrices, and the factor g (C g) counts it twice as
 * tr(G' C G) does. */
static double refresh(const tsr__term *t, tsr__solver *s, double *linear, double *square)
{
    const tsr__adding on = {t, s};
    const tsr__pairs *pairs = &s->problem->pairs;
    const tsr_matrix *const sides[] = {pairs->attract, pairs->repel};
    (void)linear;
    for (int side = ATTRACT; side <= REPEL; side++) {
        const tsr__source source = tsr__source_of_matrix(sides[side], 1 << 20);
        tsr__solver_note(s, tsr__source_project(tsr__room_of(s, t)->gathered[side], &source,
                                                tsr__places(s), s->k, s->plan->threads));
    }
    return tsr__sum_columns(s, share_rows, &on, square);
}

static void add(const tsr__term *t, const tsr__solver *s, int64_t first, int64_t count,
                const tsr__halves *halves)
{
    const tsr__pairs *pairs = &s->problem->pairs;
    const tsr__kernels *kernels = tsr__kernels_for(s);
    const tsr__term_room *room = tsr__room_of(s, t);
    const double by = 2 * t->weight[0];
    kernels->add(halves->minus, by, tsr__real_at(s, room->gathered[ATTRACT], first * s->k),
                 count * s->k);
    kernels->add(halves->curved, by, tsr__real_at(s, room->gathered[REPEL], first * s->k),
                 count * s->k);
    for (int64_t i = 0; !pairs->reward && i < count; i++)
        kernels->add(tsr__real_at(s, halves->curved, i * s->k),
                     by * pairs->attract_degree[first + i], tsr__codes_at(s, first + i), s->k);
}

static void bend(const tsr__term *t, const tsr__solver *s, int64_t first, int64_t count,
                 void *out)
{
    const tsr__pairs *pairs = &s->problem->pairs;
    for (int64_t i = 0; i < count; i++) {
        const double attract = (pairs->reward ? 2 : 4) * pairs->attract_degree[first + i];
        tsr__kernels_for(s)->shift(
            tsr__real_at(s, out, i * s->k),
            t->weight[0] * (attract + 2 * pairs->repel_degree[first + i]), s->k);
    }
}

const tsr__term_kind tsr__term_pairs = {.name = TSR_TERM_LINKS,
                                        .formula = "tr(G' C G)",
                                        .weights = {TSR_WEIGHTS, TSR_WEIGHTS},
                                        .degree = 2,
                                        .priced = true,
                                        .begin = begin,
                                        .layout = layout,
                                        .refresh = refresh,
                                        .add = add,
                                        .bend = bend};
