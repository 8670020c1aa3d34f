/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Graph penalty: mu tr(G' L G), L = diag(S 1) - S, keeps neighbouring samples alike.
 *
 *     minus += 2 mu S G       curved += 2 mu diag(S 1) G       bend += 4 mu diag(S 1)
 *
 * S (n x n, symmetric, >= 0) is sparse with p neighbours a row: O(p n k). The bend bounds L by
 * twice its diagonal, so that all rows may move at once. The value is summed as mu/2 S_ij ||g_i
 * - g_j||^2: between codes that agree, the other form is a difference of large numbers. Cai et
 * al. 2011. */
#include "factor/solver.h"
#include "matrix/pass.h"

#include <string.h>

/* Adds edge (g_a - g_b)^2, column by column. */
static void add_apart(double *restrict columns, const tsr__solver *s, double edge, int64_t a,
                      int64_t b)
{
    for (int64_t j = 0; j < s->k; j++) {
        const double apart =
            tsr__real_get(s, s->codes, a * s->k + j) - tsr__real_get(s, s->codes, b * s->k + j);
        columns[j] += edge * apart * apart;
    }
}

typedef struct refreshing {
    const tsr__penalty *p;
    const tsr__solver *s;
} refreshing;

/* Gathers a block of S G, and adds up what lies between neighbours: each edge once, for S is
 * symmetric. */
static void refresh_block(void *context, const tsr__block *block, int64_t lane)
{
    const refreshing *r = context;
    const int64_t k = r->s->k;
    tsr__block_project(tsr__real_at(r->s, r->p->gathered[0], block->first * k), block,
                       r->s->codes, k);
    for (int64_t i = 0; i < block->samples; i++)
        for (int64_t at = block->rows[i];
             at < block->rows[i + 1] && block->columns[at] < block->first + i; at++)
            add_apart(r->p->sums + lane * k, r->s,
                      r->p->weight * tsr__value_at(block->values, block->type, at),
                      block->first + i, block->columns[at]);
}

static double refresh(tsr__penalty *p, const tsr__solver *s, double *columns)
{
    refreshing r = {p, s};
    const tsr__source graph = tsr__source_of_matrix(p->pairs[0], 1 << 16);
    double value = 0;
    memset(p->sums, 0, (size_t)(TSR_LANES * s->k) * sizeof *p->sums);
    tsr__visit_blocks(&graph, s->threads, refresh_block, &r);
    tsr__lanes_sum(p->sums, s->k, tsr__lane_count(&graph), TSR_FLOAT64, 1);
    for (int64_t j = 0; j < s->k; j++) {
        columns[j] += p->sums[j];
        value += p->sums[j];
    }
    return value;
}

static void add(const tsr__penalty *p, const tsr__solver *s, int64_t first, int64_t count,
                const tsr__halves *halves)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    kernels->add(halves->minus, 2 * p->weight, tsr__real_at(s, p->gathered[0], first * s->k),
                 count * s->k);
    for (int64_t i = 0; i < count; i++)
        kernels->add(tsr__real_at(s, halves->curved, i * s->k),
                     2 * p->weight * p->degree[0][first + i],
                     tsr__real_at(s, s->codes, (first + i) * s->k), s->k);
}

static void bend(const tsr__penalty *p, const tsr__solver *s, int64_t first, int64_t count,
                 void *out)
{
    for (int64_t i = 0; i < count; i++) {
        const double curve = 4 * p->weight * p->degree[0][first + i];
        for (int64_t at = i * s->k; at < (i + 1) * s->k; at++)
            tsr__real_set(s, out, at, tsr__real_get(s, out, at) + curve);
    }
}

const tsr__penalty_kind tsr__penalty_graph = {TSR_TERM_GRAPH, 2, refresh, add, bend};
