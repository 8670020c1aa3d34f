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

static double sum(const double *values, int64_t count)
{
    double all = 0;
    for (int64_t i = 0; i < count; i++)
        all += values[i];
    return all;
}

static double refresh(tsr__penalty *p, const tsr__solver *s, double *columns)
{
    const tsr_matrix *edges = p->pairs[0];
    const tsr__source graph = tsr__source_of_matrix(edges, 1 << 20);
    const double before = sum(columns, s->k);
    tsr__source_project(p->gathered[0], &graph, s->codes, s->k, s->threads);
    for (int64_t i = 0; i < s->n; i++) /* S is symmetric: each edge once */
        for (int64_t at = tsr__row_begin(edges, i);
             at < tsr__row_end(edges, i) && edges->columns[at] < i; at++)
            add_apart(columns, s, p->weight * tsr__value_at(edges->values, edges->type, at), i,
                      edges->columns[at]);
    return sum(columns, s->k) - before;
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
    for (int64_t i = 0; i < count * s->k; i++)
        tsr__real_set(s, out, i,
                      tsr__real_get(s, out, i) +
                          4 * p->weight * p->degree[0][first + i / s->k]);
}

const tsr__penalty_kind tsr__penalty_graph = {"graph", 2, refresh, add, bend};
