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

static double refresh(tsr__penalty *p, const tsr__solver *s, double *columns)
{
    const tsr__source graph = tsr__source_of_matrix(p->pairs[0], 1 << 20);
    double value = 0;
    tsr__source_project(p->gathered[0], &graph, s->codes, s->k, s->threads);
    for (int64_t i = 0; i < s->n; i++) {
        for (int64_t at = tsr__row_begin(p->pairs[0], i); at < tsr__row_end(p->pairs[0], i);
             at++) {
            const double edge = tsr__value_at(p->pairs[0]->values, p->pairs[0]->type, at) / 2;
            const int64_t other = p->pairs[0]->columns[at];
            for (int64_t j = 0; j < s->k; j++) {
                const double apart = tsr__real_get(s, s->codes, i * s->k + j) -
                                     tsr__real_get(s, s->codes, other * s->k + j);
                const double part = p->weight * edge * apart * apart;
                columns[j] += part;
                value += part;
            }
        }
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
    for (int64_t i = 0; i < count * s->k; i++)
        tsr__real_set(s, out, i,
                      tsr__real_get(s, out, i) +
                          4 * p->weight * p->degree[0][first + i / s->k]);
}

const tsr__penalty_kind tsr__penalty_graph = {"graph", 2, refresh, add, bend};
