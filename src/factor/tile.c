/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What losses share that work on a block, or on a tile of it: its product, its projection, its
 * weights; 2 block features k operations for either product. And who works on which features: a team
 * divides a basis whose rows are problems of their own. Each rank has the sums of its features, moves
 * these rows, and gets the others': as many words as if all had all sums. */
#include "factor/tile.h"

#include "factor/plan.h"
#include "factor/strip.h"
#include "matrix/blas.h"
#include "matrix/team.h"

/* The product is made whole and then cleared where nothing is known: zeros let losses and sums
 * go on without asking. Values that are missing come with whole rows (plan.c). */
void tsr__tile_product(const tsr__solver *s, const tsr__block *block, void *tile)
{
    const tsr_matrix *missing = s->problem->missing;
    const tsr__product product = {.transpose_b = true,
                                  .rows = block->samples,
                                  .columns = block->features,
                                  .inner = s->k,
                                  .alpha = 1,
                                  .a = tsr__codes_at(s, block->first),
                                  .b = tsr__basis_at(s, block),
                                  .c = tile,
                                  .lda = s->k,
                                  .ldb = s->k,
                                  .ldc = block->features};
    tsr__multiply_dense(s->type, &product);
    for (int64_t i = 0; missing != NULL && i < block->samples; i++)
        for (int64_t at = missing->rows[block->first + i];
             at < missing->rows[block->first + i + 1]; at++)
            tsr__real_set(s, tile, i * s->m + missing->columns[at], 0);
}

/* So that the products of matrix/pass.h serve tiles as they serve data. */
tsr__block tsr__tile_block(const tsr__block *block, const void *tile)
{
    tsr__block as = *block;
    as.values = tile;
    as.stride = block->features;
    return as;
}

void tsr__project(const tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    for (int64_t from = 0; from < s->m; from += s->plan->tile) {
        const tsr__block tile = tsr__block_tile(block, from, s->plan->tile);
        s->plan->loss->project(s, &tile, lane);
    }
}

const void *tsr__weighted(const tsr__solver *s, const tsr__block *block, const tsr__lane *lane)
{
    const void *g = tsr__codes_at(s, block->first);
    if (s->problem->weight == NULL)
        return g;
    tsr__kernels_for(s)->scale_rows(lane->weighted, g,
                                    tsr__real_at(s, s->problem->weight, block->first),
                                    block->samples, s->k);
    return lane->weighted;
}

/* Features ------------------------------------------------------------------------------------ */

/* Sums over all features go by runs of them, cut by their number alone. */
static int64_t run_of(const tsr__solver *s)
{
    enum { LEAST = 4, MOST = TSR_RUNS };
    const int64_t fair = (s->m + MOST - 1) / MOST;
    return fair > LEAST ? fair : LEAST;
}

void tsr__own_features(int64_t *first, int64_t *count, const tsr__solver *s)
{
    const tsr__division *rows = &s->work.division[TSR_DIVIDED_ROWS];
    const int rank = tsr__team_rank(tsr__problem_team(s->problem));
    *first = s->plan->divides ? rows->first[rank] : 0;
    *count = s->plan->divides ? rows->count[rank] : s->m;
}

void tsr__divide_features(tsr__solver *s)
{
    const tsr_team *team = tsr__problem_team(s->problem);
    const tsr__division *rows = &s->work.division[TSR_DIVIDED_ROWS];
    const int64_t run = run_of(s), each[] = {1, s->k, (int64_t)tsr__real_bytes(s, s->k)};
    if (!s->plan->divides)
        return;
    tsr__team_parts(rows->first, rows->count, team, s->m, run);
    for (int r = 0; r < team->ranks; r++) {
        for (int kind = TSR_DIVIDED_SUMS; kind <= TSR_DIVIDED_BYTES; kind++) {
            s->work.division[kind].first[r] = rows->first[r] * each[kind];
            s->work.division[kind].count[r] = rows->count[r] * each[kind];
        }
        s->work.division[TSR_DIVIDED_DOTS].first[r] =
            (rows->first[r] + run - 1) / run * (int64_t)sizeof(double);
        s->work.division[TSR_DIVIDED_DOTS].count[r] =
            (rows->count[r] + run - 1) / run * (int64_t)sizeof(double);
    }
}

static tsr_status gather(const tsr__solver *s, void *values, tsr__division_unit kind)
{
    tsr_team *team = tsr__problem_team(s->problem);
    if (!s->plan->divides)
        return TSR_OK;
    TSR_OR_RETURN(tsr__team_agree(team, s->work.trouble));
    return tsr__team_gather(team, values, s->work.division[kind].first,
                            s->work.division[kind].count);
}

void tsr__gather_basis(tsr__solver *s)
{
    tsr__solver_note(s, gather(s, s->state.basis, TSR_DIVIDED_BYTES));
}

void tsr__gather_sums(tsr__solver *s)
{
    tsr__solver_note(s, gather(s, s->state.sums.XtG, TSR_DIVIDED_BYTES));
    if (s->state.sums.YtG != NULL)
        tsr__solver_note(s, gather(s, s->state.sums.YtG, TSR_DIVIDED_BYTES));
}

static double dot_run(const tsr__solver *s, const double *total, const void *sum, int64_t at,
                      int64_t count)
{
    double strip[TSR_STRIP], dot = 0;
    if (s->type == TSR_FLOAT64 || total == NULL)
        return tsr__kernels_for(s)->dot(tsr__real_at(s, sum, at),
                                        tsr__real_at(s, s->state.basis, at), count);
    for (int64_t i = at; i < at + count; i = tsr__strip_end(i, at + count)) {
        const int64_t some = tsr__strip_end(i, at + count) - i;
        tsr__widen(strip, s, s->state.basis, i, some);
        dot += tsr__kernels_of(TSR_FLOAT64)->dot(strip, total + i, some);
    }
    return dot;
}

/* Who asks for J hears of what fails here from the team (tsr__team_heard). */
double tsr__with_basis(const tsr__solver *s, const double *total, const void *sum)
{
    const int64_t run = run_of(s);
    int64_t first, count;
    double dot = 0;
    tsr__own_features(&first, &count, s);
    for (int64_t i = first; i < first + count; i += run) {
        const int64_t left = first + count - i;
        s->work.dots[i / run] =
            dot_run(s, total, sum, i * s->k, (left < run ? left : run) * s->k);
    }
    (void)gather(s, s->work.dots, TSR_DIVIDED_DOTS);
    for (int64_t i = 0; i * run < s->m; i++)
        dot += s->work.dots[i];
    return dot;
}
