/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Graph term: mu tr(G' L G), L = diag(S 1) - S, keeps neighbouring samples alike.
 *
 *     minus += 2 mu S G       curved += 2 mu diag(S 1) G       bend += 4 mu diag(S 1)
 *
 * S (n x n, symmetric, >= 0) is sparse with p neighbours a row: O(p n k). The bend bounds L by
 * twice its diagonal, so that all rows may move at once. The value is summed as mu/2 S_ij ||g_i
 * - g_j||^2: between codes that agree, the other form is a difference of large numbers. Cai et
 * al. 2011.
 *
 * x' L x = sum of S_ij (x_i - x_j)^2 over the edges, and (x_i - x_j)^2 <= 2 x_i^2 + 2 x_j^2: so
 * L <= 2 diag(S 1), and the Hessian 2 mu L lies below the bend. The halves claim half of that
 * curvature only. It suffices: the bound falls by s' H s / 2 over a step s, with H = 2 mu
 * diag(S 1), and J exceeds it by no more than that (doc/mathematics.md, section 3). */
#include "factor/plan.h"
#include "factor/strip.h"
#include "matrix/pass.h"

#include <string.h>

static bool begin(double weight[2], const tsr__spec *spec, const tsr__problem *problem)
{
    const double w = spec->weights.of[TSR_WEIGHT_GRAPH];
    weight[0] = w * tsr__spec_unit(spec, problem->rho, 2);
    return w > 0 && !spec->divergence;
}

tsr__source tsr__graph_source(const tsr__solver *s)
{
    const tsr__problem *p = s->problem;
    return p->streams
               ? tsr__source_of_share(p->pairs.graph, &p->rows, p->pairs.entries, 1 << 16)
               : tsr__source_of_matrix(p->pairs.graph, 1 << 16);
}

/* S G of all rows is kept between passes: codes move together, from what neighbours were
 * before. */
static void layout(tsr__term_room *room, const tsr__solver *s, tsr__arena *arena)
{
    room->gathered[0] = tsr__arena_take(arena, s->n * s->k, tsr__type_size(s->type));
    const tsr__source graph = tsr__graph_source(s);
    room->sums =
        tsr__arena_take(arena, tsr__sum_room(&graph, s->plan->threads) * s->k, sizeof(double));
}

/* Adds edge (g_a - g_b)^2, column by column, of the codes at two places. Differences first, squares then: codes that agree
 * give zero, not the rounding of large numbers. */
static void add_apart(double *restrict columns, const tsr__solver *s, double edge, int64_t a,
                      int64_t b)
{
    double one[TSR_STRIP], other[TSR_STRIP];
    for (int64_t j = 0; j < s->k; j = tsr__strip_end(j, s->k)) {
        const int64_t count = tsr__strip_end(j, s->k) - j;
        tsr__widen(one, s, tsr__places(s), a * s->k + j, count);
        tsr__widen(other, s, tsr__places(s), b * s->k + j, count);
        for (int64_t c = 0; c < count; c++) {
            const double apart = one[c] - other[c];
            columns[j + c] += edge * apart * apart;
        }
    }
}

/* Gathers a block of S G, and adds up what lies between neighbours: each edge once, for S is
 * symmetric. Columns ascend within a row, so that the first neighbour behind the sample ends
 * its half. */
static void refresh_block(void *context, const tsr__block *block, double *sum, int thread)
{
    const tsr__adding *r = context;
    const tsr__solver *s = r->s;
    const tsr__term_room *room = tsr__room_of(s, r->t);
    (void)thread;
    tsr__block_project(tsr__real_at(s, room->gathered[0], block->first * s->k), block,
                       tsr__places(s), s->k, true);
    for (int64_t i = 0; i < block->samples; i++) {
        const int64_t place = s->problem->pairs.halo.before + block->first + i;
        for (int64_t at = block->rows[i]; at < block->rows[i + 1] && block->columns[at] < place;
             at++)
            add_apart(sum, s, r->t->weight[0] * tsr__value_at(block->values, block->type, at),
                      place, block->columns[at]);
    }
}

/* By column, because these are the shares that the price of length wants. */
static double refresh(const tsr__term *t, tsr__solver *s, double *linear, double *square)
{
    tsr__adding r = {t, s};
    const tsr__source graph = tsr__graph_source(s);
    double *sums = tsr__room_of(s, t)->sums, value = 0;
    const tsr__sum sum = {&graph, s->plan->threads, s->k, sums, refresh_block, &r, false};
    (void)linear;
    tsr__solver_note(s, tsr__sum_leaves(&sum));
    for (int64_t j = 0; j < s->k; j++) {
        square[j] += sums[j];
        value += sums[j];
    }
    return value;
}

static void add(const tsr__term *t, const tsr__solver *s, int64_t first, int64_t count,
                const tsr__halves *halves)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    const double *degree = s->problem->pairs.graph_degree;
    kernels->add(halves->minus, 2 * t->weight[0],
                 tsr__real_at(s, tsr__room_of(s, t)->gathered[0], first * s->k), count * s->k);
    for (int64_t i = 0; i < count; i++)
        kernels->add(tsr__real_at(s, halves->curved, i * s->k),
                     2 * t->weight[0] * degree[first + i], tsr__codes_at(s, first + i), s->k);
}

static void bend(const tsr__term *t, const tsr__solver *s, int64_t first, int64_t count,
                 void *out)
{
    const double *degree = s->problem->pairs.graph_degree;
    for (int64_t i = 0; i < count; i++)
        tsr__kernels_for(s)->shift(tsr__real_at(s, out, i * s->k),
                                   4 * t->weight[0] * degree[first + i], s->k);
}

const tsr__term_kind tsr__term_graph = {.name = TSR_TERM_GRAPH,
                                        .formula = "%str(G' L G)",
                                        .weights = {TSR_WEIGHT_GRAPH, TSR_WEIGHTS},
                                        .degree = 2,
                                        .priced = true,
                                        .needs = TSR_NEEDS_NEIGHBOURS,
                                        .begin = begin,
                                        .layout = layout,
                                        .refresh = refresh,
                                        .add = add,
                                        .bend = bend};
