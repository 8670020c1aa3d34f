/* SPDX-License-Identifier: BSD-2-Clause
 *
 * k-means by blocked products: an iteration costs 2 n m k for the distances. */
#include "matrix/kmeans.h"

#include "base/random.h"
#include "matrix/pass.h"

#include <math.h>
#include <string.h>

struct clustering {
    const tsr_matrix *x; /* doubles */
    tsr__source source;
    int64_t k;
    int threads;
    double *square;  /* n: |x|^2 */
    double *centers; /* k x m */
    double *across;  /* m x k: centers as the products want them */
    double *dots;    /* n x k */
    double *nearest; /* n: squared distance to the own center */
    double *row;     /* m */
    int32_t *of;     /* n */
    int64_t *size;   /* k */
};

static void lay_across(struct clustering *c, int64_t used)
{
    const int64_t m = c->x->features;
    for (int64_t a = 0; a < used; a++)
        for (int64_t j = 0; j < m; j++)
            c->across[j * c->k + a] = c->centers[a * m + j];
}

/* Every sample goes to the nearest center, ties to the first; returns the cost. */
static double assign(struct clustering *c)
{
    const int64_t n = c->x->samples, m = c->x->features, k = c->k;
    double cost = 0;
    lay_across(c, k);
    tsr__source_project(c->dots, &c->source, c->across, k, c->threads);
    memset(c->size, 0, (size_t)k * sizeof *c->size);
    for (int64_t a = 0; a < k; a++) { /* |c|^2 of each center, kept in row 0 of `across` */
        double sum = 0;
        for (int64_t j = 0; j < m; j++)
            sum += c->centers[a * m + j] * c->centers[a * m + j];
        c->across[a] = sum;
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t best = 0;
        double least = (double)INFINITY;
        for (int64_t a = 0; a < k; a++) {
            const double d = c->across[a] - 2 * c->dots[i * k + a];
            best = d < least ? a : best;
            least = d < least ? d : least;
        }
        c->of[i] = (int32_t)best;
        c->size[best]++;
        c->nearest[i] = fmax(least + c->square[i], 0);
        cost += c->nearest[i];
    }
    return cost;
}

/* An empty cluster takes the sample that is farthest from its center. */
static void fill_empty(struct clustering *c)
{
    for (int64_t a = 0; a < c->k; a++) {
        int64_t far = -1;
        for (int64_t i = 0; c->size[a] == 0 && i < c->x->samples; i++)
            if (c->size[c->of[i]] > 1 && (far < 0 || c->nearest[i] > c->nearest[far]))
                far = i;
        if (far < 0)
            continue;
        c->size[c->of[far]]--;
        c->of[far] = (int32_t)a;
        c->size[a] = 1;
        c->nearest[far] = 0;
    }
}

static void average(struct clustering *c)
{
    const int64_t m = c->x->features;
    memset(c->centers, 0, (size_t)(c->k * m) * sizeof *c->centers);
    for (int64_t i = 0; i < c->x->samples; i++) {
        double *to = c->centers + c->of[i] * m;
        tsr_matrix_get_sample(c->row, c->x, i);
        for (int64_t j = 0; j < m; j++)
            to[j] += c->row[j];
    }
    for (int64_t a = 0; a < c->k; a++)
        for (int64_t j = 0; c->size[a] > 0 && j < m; j++)
            c->centers[a * m + j] /= (double)c->size[a];
}

/* Centers drawn with a chance that grows with the squared distance to those before. */
static void scatter(struct clustering *c, tsr__random *random)
{
    const int64_t n = c->x->samples, m = c->x->features;
    int64_t chosen = tsr__random_below(random, n);
    for (int64_t i = 0; i < n; i++)
        c->nearest[i] = (double)INFINITY;
    for (int64_t a = 0;; a++) {
        double *center = c->centers + a * m, total = 0;
        tsr_matrix_get_sample(center, c->x, chosen);
        if (a + 1 == c->k)
            return;
        for (int64_t i = 0; i < n; i++) {
            double d = 0;
            tsr_matrix_get_sample(c->row, c->x, i);
            for (int64_t j = 0; j < m; j++)
                d += (c->row[j] - center[j]) * (c->row[j] - center[j]);
            c->nearest[i] = fmin(c->nearest[i], d);
            total += c->nearest[i];
        }
        double left = tsr__random_uniform(random) * total;
        for (chosen = 0; chosen + 1 < n && (left -= c->nearest[chosen]) >= 0;)
            chosen++;
    }
}

static double run_once(struct clustering *c, const tsr__kmeans_options *o, tsr__random *random)
{
    double cost = (double)INFINITY;
    scatter(c, random);
    for (int64_t iteration = 0; iteration < o->iterations; iteration++) {
        const double now = assign(c);
        fill_empty(c);
        average(c);
        if (!(now < cost))
            return now;
        cost = now;
    }
    return cost;
}

tsr_status tsr__kmeans(int32_t *of, double *centers, double *cost, const tsr_matrix *x,
                       const tsr__kmeans_options *o)
{
    tsr_status status = TSR_OK;
    struct clustering c = {.k = o->clusters, .threads = o->threads};
    tsr_matrix *doubles = NULL;
    double least = (double)INFINITY;
    const int64_t n = x->samples, m = x->features, k = o->clusters;
    if (k < 1 || k > n)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "%lld clusters of %lld samples are not possible",
                 (long long)k, (long long)n);
    if (x->type != TSR_FLOAT64)
        TSR_TRY(tsr_matrix_copy_as(&doubles, x, TSR_FLOAT64, x->sparse));
    c.x = doubles != NULL ? doubles : x;
    c.source = tsr__source_of_matrix(c.x, 1 << 19);
    TSR_NEW(c.square, n);
    TSR_NEW(c.centers, k * m);
    TSR_NEW(c.across, k * m);
    TSR_NEW(c.dots, n * k);
    TSR_NEW(c.nearest, n);
    TSR_NEW(c.row, m);
    TSR_NEW(c.of, n);
    TSR_NEW(c.size, k);
    for (int64_t i = 0; i < n; i++)
        c.square[i] = tsr__row_square(c.x, i);
    for (int64_t restart = 0; restart < o->restarts; restart++) {
        tsr__random random = tsr__random_seed(o->seed, (uint64_t)restart);
        const double now = run_once(&c, o, &random);
        if (!(now < least))
            continue;
        least = now;
        memcpy(of, c.of, (size_t)n * sizeof *of);
        if (centers != NULL)
            memcpy(centers, c.centers, (size_t)(k * m) * sizeof *centers);
    }
    if (cost != NULL)
        *cost = least;
done:
    tsr_matrix_free(doubles);
    tsr__free(c.square);
    tsr__free(c.centers);
    tsr__free(c.across);
    tsr__free(c.dots);
    tsr__free(c.nearest);
    tsr__free(c.row);
    tsr__free(c.of);
    tsr__free(c.size);
    return status;
}
