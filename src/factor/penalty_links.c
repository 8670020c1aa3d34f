/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Links between samples: tr(G' C G), C > 0 for pairs that must differ (cannot-link), C < 0 for
 * pairs that must agree (must-link).
 *
 * Between all labelled samples, C is never formed. With s_b the sum of the codes of class b (N_b
 * samples), T the sum over all classes (N samples):
 *
 *     both      minus += 2 must s_b        curved += 2 cannot (T - s_b)
 *     bounded   curved += 2 must N_b G     so that must-links cost must ||g_i - g_j||^2 a pair
 *
 * The papers' reward -g_i g_j is unbounded below; the bounded form is a Laplacian. All is O(n k).
 * The bend bounds a matrix C >= 0 by the diagonal (C u)_i / u_i with u = g + a share of the
 * column's mean, which is tight where the codes are large and lets zeros grow; the must-links of a
 * class have rank one, so their Laplacian is below its own diagonal. Lists of pairs are sparse
 * matrices, bounded by their row sums. Wang 2008; Ambai et al. 2011. */
#include "factor/solver.h"
#include "matrix/pass.h"

#include <string.h>

static double code(const tsr__solver *s, int64_t i, int64_t j)
{
    return tsr__real_get(s, s->codes, i * s->k + j);
}

static void raise(const tsr__solver *s, void *half, int64_t at, double by)
{
    tsr__real_set(s, half, at, tsr__real_get(s, half, at) + by);
}

/* A positive reference for the bend: the code and a hundredth of its column's mean; in an empty
 * column, where any will do, 1. */
static double reference(double g, double sum, double count)
{
    return g + (sum > 0 ? 0.01 * sum / count : 1);
}

/* Links of classes ------------------------------------------------------------------------ */

static double *total_of(const tsr__penalty *p, const tsr__solver *s)
{
    return p->sums + s->class_count * s->k;
}

static double refresh_classes(tsr__penalty *p, const tsr__solver *s, double *columns)
{
    double *total = total_of(p, s), value = 0;
    memset(p->sums, 0, (size_t)((s->class_count + 1) * s->k) * sizeof *p->sums);
    for (int64_t i = 0; i < s->n; i++) {
        const int32_t b = s->classes[i];
        for (int64_t j = 0; b >= 0 && j < s->k; j++) {
            const double part = tsr__members(s, i) * code(s, i, j);
            p->sums[b * s->k + j] += part;
            total[j] += part;
        }
    }
    for (int64_t i = 0; i < s->n; i++) {
        const int32_t b = s->classes[i];
        for (int64_t j = 0; b >= 0 && j < s->k; j++) {
            const double g = code(s, i, j), own = p->sums[b * s->k + j];
            double pull = p->cannot * (total[j] - own) - p->must * own;
            if (!p->reward)
                pull += p->must * p->population[b] * g;
            columns[j] += tsr__members(s, i) * g * pull;
            value += tsr__members(s, i) * g * pull;
        }
    }
    return value;
}

static void add_classes(const tsr__penalty *p, const tsr__solver *s, int64_t first,
                        int64_t count, const tsr__halves *halves)
{
    const double *total = total_of(p, s);
    for (int64_t i = 0; i < count; i++) {
        const int32_t b = s->classes[first + i];
        const double by = 2 * tsr__members(s, first + i);
        for (int64_t j = 0; b >= 0 && j < s->k; j++) {
            const double own = p->sums[b * s->k + j];
            const double others = total[j] - own > 0 ? total[j] - own : 0;
            raise(s, halves->minus, i * s->k + j, by * p->must * own);
            raise(s, halves->curved, i * s->k + j, by * p->cannot * others);
            if (!p->reward)
                raise(s, halves->curved, i * s->k + j,
                      by * p->must * p->population[b] * code(s, first + i, j));
        }
    }
}

static void bend_classes(const tsr__penalty *p, const tsr__solver *s, int64_t first,
                         int64_t count, void *out)
{
    const double *total = total_of(p, s), all = p->population[s->class_count];
    for (int64_t i = 0; i < count; i++) {
        const int32_t b = s->classes[first + i];
        const double by = 2 * tsr__members(s, first + i);
        for (int64_t j = 0; b >= 0 && j < s->k; j++) {
            const double g = code(s, first + i, j), own = p->sums[b * s->k + j];
            const double u = reference(g, total[j], all), share = u - g;
            const double others = total[j] - own + share * (all - p->population[b]);
            double curve = p->reward ? 0 : p->must * p->population[b];
            if (u > 0 && others > 0)
                curve += p->cannot * others / u;
            raise(s, out, i * s->k + j, by * curve);
        }
    }
}

/* Lists of pairs: pairs[0] attract, pairs[1] repel ---------------------------------------- */

static double refresh_pairs(tsr__penalty *p, const tsr__solver *s, double *columns)
{
    double value = 0;
    for (int side = 0; side < 2; side++) {
        const tsr__source pairs = tsr__source_of_matrix(p->pairs[side], 1 << 20);
        tsr__source_project(p->gathered[side], &pairs, s->codes, s->k, s->threads);
    }
    for (int64_t i = 0; i < s->n; i++) {
        for (int64_t j = 0; j < s->k; j++) {
            const int64_t at = i * s->k + j;
            const double g = code(s, i, j);
            double pull =
                tsr__real_get(s, p->gathered[1], at) - tsr__real_get(s, p->gathered[0], at);
            if (!p->reward)
                pull += p->degree[0][i] * g;
            columns[j] += p->weight * g * pull;
            value += p->weight * g * pull;
        }
    }
    return value;
}

static void add_pairs(const tsr__penalty *p, const tsr__solver *s, int64_t first, int64_t count,
                      const tsr__halves *halves)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    const double by = 2 * p->weight;
    kernels->add(halves->minus, by, tsr__real_at(s, p->gathered[0], first * s->k),
                 count * s->k);
    kernels->add(halves->curved, by, tsr__real_at(s, p->gathered[1], first * s->k),
                 count * s->k);
    for (int64_t i = 0; !p->reward && i < count; i++)
        kernels->add(tsr__real_at(s, halves->curved, i * s->k), by * p->degree[0][first + i],
                     tsr__real_at(s, s->codes, (first + i) * s->k), s->k);
}

static void bend_pairs(const tsr__penalty *p, const tsr__solver *s, int64_t first,
                       int64_t count, void *out)
{
    for (int64_t i = 0; i < count * s->k; i++) {
        const int64_t row = first + i / s->k;
        const double attract = (p->reward ? 2 : 4) * p->degree[0][row];
        raise(s, out, i, p->weight * (attract + 2 * p->degree[1][row]));
    }
}

const tsr__penalty_kind tsr__penalty_links = {TSR_TERM_LINKS, 2, refresh_classes, add_classes,
                                              bend_classes};
const tsr__penalty_kind tsr__penalty_pairs = {TSR_TERM_LINKS, 2, refresh_pairs, add_pairs,
                                              bend_pairs};
