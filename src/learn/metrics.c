/* SPDX-License-Identifier: BSD-2-Clause
 *
 * How well clusters match classes, from their table of counts N (clusters x classes), row sums
 * a, column sums b, total n:
 *
 *     accuracy   max over one-to-one maps of sum N[i][map(i)] / n       (Kuhn-Munkres)
 *     nmi        MI / max(H, H'), MI = sum N/n log(n N / (a b)), H = -sum a/n log(a/n)
 *     ari        (S - E) / (M - E): S = sum C(N, 2), A = sum C(a, 2), B = sum C(b, 2),
 *                E = A B / C(n, 2), M = (A + B) / 2                    (Hubert & Arabie 1985)
 *     purity     sum over clusters of the largest count / n
 *
 * Cost: n log n, and c^3 for the map. */
#include "learn/renumber.h"

#include <math.h>
#include <string.h>

typedef struct counts {
    int64_t *cell;   /* clusters x classes */
    int64_t *row;    /* of the clusters */
    int64_t *column; /* of the classes */
    int64_t clusters, classes, n;
} counts;

/* The assignment of least cost of a square matrix, row by row along shortest augmenting paths
 * with potentials (Kuhn 1955, Munkres 1957): `of` gets the row of each column. */
typedef struct matching {
    const double *cost; /* size x size */
    int64_t size;
    double *row_potential, *column_potential, *slack; /* size + 1: column 0 is a stand-in */
    int64_t *of, *before;
    bool *reached;
} matching;

/* Lets row i in (counted from 1), moving others along the shortest path. */
static void admit(matching *h, int64_t i)
{
    const int64_t n = h->size;
    int64_t at = 0;
    h->of[0] = i;
    for (int64_t j = 0; j <= n; j++) {
        h->slack[j] = (double)INFINITY;
        h->reached[j] = false;
    }
    do {
        const int64_t row = h->of[at];
        double step = (double)INFINITY;
        int64_t next = 0;
        h->reached[at] = true;
        for (int64_t j = 1; j <= n; j++) {
            const double reduced =
                h->cost[(row - 1) * n + j - 1] - h->row_potential[row] - h->column_potential[j];
            if (h->reached[j])
                continue;
            if (reduced < h->slack[j]) {
                h->slack[j] = reduced;
                h->before[j] = at;
            }
            if (h->slack[j] < step) {
                step = h->slack[j];
                next = j;
            }
        }
        for (int64_t j = 0; j <= n; j++) {
            if (h->reached[j]) {
                h->row_potential[h->of[j]] += step;
                h->column_potential[j] -= step;
            } else {
                h->slack[j] -= step;
            }
        }
        at = next;
    } while (h->of[at] != 0);
    for (; at != 0; at = h->before[at])
        h->of[at] = h->of[h->before[at]];
}

/* The most samples that a one-to-one map of clusters to classes gets right. */
static tsr_status best_map(int64_t *right, const counts *c)
{
    tsr_status status = TSR_OK;
    const int64_t size = c->clusters > c->classes ? c->clusters : c->classes;
    double *cost = NULL;
    matching h = {.size = size};
    int64_t sum = 0;
    TSR_NEW_ZERO(cost, size * size); /* absent clusters and classes match at no gain */
    TSR_NEW_ZERO(h.row_potential, size + 1);
    TSR_NEW_ZERO(h.column_potential, size + 1);
    TSR_NEW(h.slack, size + 1);
    TSR_NEW_ZERO(h.of, size + 1);
    TSR_NEW_ZERO(h.before, size + 1);
    TSR_NEW(h.reached, size + 1);
    for (int64_t i = 0; i < c->clusters; i++)
        for (int64_t j = 0; j < c->classes; j++)
            cost[i * size + j] = -(double)c->cell[i * c->classes + j];
    h.cost = cost;
    for (int64_t i = 1; i <= size; i++)
        admit(&h, i);
    for (int64_t j = 1; j <= size; j++)
        sum -= (int64_t)cost[(h.of[j] - 1) * size + j - 1];
    *right = sum;
done:
    tsr__free(cost);
    tsr__free(h.row_potential);
    tsr__free(h.column_potential);
    tsr__free(h.slack);
    tsr__free(h.of);
    tsr__free(h.before);
    tsr__free(h.reached);
    return status;
}

static double entropy(const int64_t *count, int64_t kinds, double n)
{
    double sum = 0;
    for (int64_t i = 0; i < kinds; i++)
        sum -= (double)count[i] / n * log((double)count[i] / n);
    return sum;
}

static double mutual_information(const counts *c)
{
    const double n = (double)c->n;
    double sum = 0;
    for (int64_t i = 0; i < c->clusters; i++) {
        for (int64_t j = 0; j < c->classes; j++) {
            const double both = (double)c->cell[i * c->classes + j];
            if (both > 0)
                sum += both / n * log(n * both / ((double)c->row[i] * (double)c->column[j]));
        }
    }
    return fmax(sum, 0);
}

static double pairs(const int64_t *count, int64_t kinds)
{
    double sum = 0;
    for (int64_t i = 0; i < kinds; i++)
        sum += (double)count[i] * ((double)count[i] - 1) / 2;
    return sum;
}

static double adjusted_rand(const counts *c)
{
    const double same = pairs(c->cell, c->clusters * c->classes);
    const double a = pairs(c->row, c->clusters), b = pairs(c->column, c->classes);
    const double all = (double)c->n * ((double)c->n - 1) / 2;
    const double expected = all > 0 ? a * b / all : 0, most = (a + b) / 2;
    return most > expected || most < expected ? (same - expected) / (most - expected) : 1;
}

static double pure(const counts *c)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < c->clusters; i++) {
        int64_t most = 0;
        for (int64_t j = 0; j < c->classes; j++)
            most = c->cell[i * c->classes + j] > most ? c->cell[i * c->classes + j] : most;
        sum += most;
    }
    return (double)sum / (double)c->n;
}

static tsr_status count_pairs(counts *c, const int64_t *cluster, const int64_t *truth,
                              int64_t count)
{
    tsr_status status = TSR_OK;
    int64_t cells = 0;
    if (!tsr__multiply(&cells, c->clusters, c->classes))
        TSR_FAIL(TSR_ERROR_MEMORY, "%lld clusters x %lld classes are too many to count",
                 (long long)c->clusters, (long long)c->classes);
    TSR_NEW_ZERO(c->cell, cells);
    TSR_NEW_ZERO(c->row, c->clusters);
    TSR_NEW_ZERO(c->column, c->classes);
    for (int64_t i = 0; i < count; i++) {
        if (truth[i] < 0)
            continue;
        c->cell[cluster[i] * c->classes + truth[i]]++;
        c->row[cluster[i]]++;
        c->column[truth[i]]++;
        c->n++;
    }
done:
    return status;
}

tsr_status tsr_score_clusters(tsr_scores *out, const int32_t *cluster, const int32_t *truth,
                              int64_t count)
{
    TSR_REQUIRE(out);
    TSR_REQUIRE_ARRAY(cluster, count);
    TSR_REQUIRE_ARRAY(truth, count);
    TSR_OR_RETURN(tsr__check_classes(cluster, count, "cluster"));
    TSR_OR_RETURN(tsr__check_classes(truth, count, "truth"));
    tsr_status status = TSR_OK;
    counts c = {0};
    int32_t *judged = NULL;
    int64_t *of = NULL, *is = NULL, right = 0;
    TSR_NEW(judged, count);
    TSR_NEW(of, count);
    TSR_NEW(is, count);
    for (int64_t i = 0; i < count; i++) {
        if (truth[i] >= 0 && cluster[i] < 0)
            TSR_FAIL(TSR_ERROR_ARGUMENT, "sample %lld is in no cluster", (long long)i);
        judged[i] = truth[i] >= 0 ? cluster[i] : -1;
    }
    TSR_TRY(tsr__renumber(of, &c.clusters, judged, count));
    TSR_TRY(tsr__renumber(is, &c.classes, truth, count));
    if (c.classes == 0)
        TSR_FAIL(TSR_ERROR_DATA, "no sample has a class: there is nothing to score against");
    TSR_TRY(count_pairs(&c, of, is, count));
    TSR_TRY(best_map(&right, &c));
    const double n = (double)c.n, mi = mutual_information(&c);
    const double h = entropy(c.row, c.clusters, n), g = entropy(c.column, c.classes, n);
    /* one cluster and one class agree entirely, and have no information */
    *out = (tsr_scores){.accuracy = (double)right / n,
                        .nmi = fmax(h, g) > 0 ? fmin(mi / fmax(h, g), 1) : 1,
                        .nmi_arithmetic = h + g > 0 ? fmin(2 * mi / (h + g), 1) : 1,
                        .ari = adjusted_rand(&c),
                        .purity = pure(&c)};
done:
    tsr__free(judged);
    tsr__free(of);
    tsr__free(is);
    tsr__free(c.cell);
    tsr__free(c.row);
    tsr__free(c.column);
    return status;
}

void tsr_confusion(int64_t *out, const int32_t *truth, const int32_t *predicted, int64_t count,
                   int32_t classes)
{
    const int64_t cells = (int64_t)classes * classes, most = INT64_MAX / (int64_t)sizeof *out;
    if (out == NULL || classes < 0 || cells > most || count < 0 || count > most ||
        (count > 0 && (truth == NULL || predicted == NULL)))
        return;
    memset(out, 0, (size_t)cells * sizeof *out);
    for (int64_t i = 0; i < count; i++) {
        const int32_t t = truth[i], p = predicted[i];
        if (t >= 0 && t < classes && p >= 0 && p < classes)
            out[(int64_t)t * classes + p]++;
    }
}
