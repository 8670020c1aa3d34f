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
#include "learn/matching.h"
#include "learn/renumber.h"

#include <math.h>
#include <string.h>

typedef struct counts {
    int64_t *cell;   /* clusters x classes */
    int64_t *row;    /* of the clusters */
    int64_t *column; /* of the classes */
    int64_t clusters, classes, n;
} counts;

/* The most samples that a one-to-one map of clusters to classes gets right. */
static tsr_status best_map(int64_t *right, const counts *c)
{
    tsr_status status = TSR_OK;
    const int64_t size = c->clusters > c->classes ? c->clusters : c->classes;
    double *cost = NULL;
    int64_t *of = NULL, sum = 0;
    TSR_NEW_ZERO(cost, size * size); /* absent clusters and classes match at no gain */
    TSR_NEW(of, size);
    for (int64_t i = 0; i < c->clusters; i++)
        for (int64_t j = 0; j < c->classes; j++)
            cost[i * size + j] = -(double)c->cell[i * c->classes + j];
    TSR_TRY(tsr__match(of, cost, size));
    for (int64_t j = 0; j < size; j++)
        sum -= (int64_t)cost[of[j] * size + j];
    *right = sum;
done:
    tsr__free(cost);
    tsr__free(of);
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
