/* SPDX-License-Identifier: BSD-2-Clause
 *
 * k-means from the outside: what is refused, the workspace, the restarts. The start is in
 * kmeans_start.c, the iterations are in kmeans_lloyd.c. Memory: n (5 doubles and a third, and 2
 * + log k while starting), 2 k m, and a block's workspace a thread. */
#include "matrix/kmeans.h"

#include "matrix/kernels.h"
#include "matrix/kmeans_run.h"
#include "matrix/parallel.h"

#include <string.h>

/* Refuses what cannot be; `free` gets the number of clusters nobody is held in. */
static tsr_status check(int64_t *free_clusters, int64_t n, const tsr__kmeans_options *o)
{
    tsr_status status = TSR_OK;
    const int64_t k = o->clusters;
    int64_t free_samples = n, taken = 0;
    unsigned char *seen = NULL;
    if (k < 1 || k > n)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "%lld clusters of %lld samples are not possible",
                 (long long)k, (long long)n);
    if (o->restarts < 1 || o->iterations < 1)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "%lld restarts of %lld iterations do nothing",
                 (long long)o->restarts, (long long)o->iterations);
    TSR_NEW_ZERO(seen, k);
    for (int64_t i = 0; o->held != NULL && i < n; i++) {
        if (o->held[i] < -1 || o->held[i] >= k)
            TSR_FAIL(TSR_ERROR_ARGUMENT,
                     "sample %lld is held in cluster %d; there are 0 .. %lld", (long long)i,
                     (int)o->held[i], (long long)(k - 1));
        if (o->held[i] < 0)
            continue;
        free_samples--;
        taken += !seen[o->held[i]];
        seen[o->held[i]] = 1;
    }
    if (k - taken > free_samples)
        TSR_FAIL(TSR_ERROR_ARGUMENT,
                 "%lld clusters without held samples exceed the %lld samples not held",
                 (long long)(k - taken), (long long)free_samples);
    *free_clusters = k - taken;
done:
    tsr__free(seen);
    return status;
}

/* Takes everything from the arena: once to measure, once for good. */
static void lay_out(tsr__kmeans_run *run, tsr__arena *arena)
{
    const int64_t n = run->n, m = run->m, k = run->k, width = run->width, rows = run->rows;
    run->mean = tsr__arena_take(arena, m, sizeof *run->mean);
    run->square = tsr__arena_take(arena, n, sizeof *run->square);
    run->centers = tsr__arena_take(arena, k * m, sizeof *run->centers);
    run->sums = tsr__arena_take(arena, k * m, sizeof *run->sums);
    run->across = tsr__arena_take(arena, run->x->sparse ? m * width : 0, sizeof(double));
    run->center_square = tsr__arena_take(arena, k, sizeof(double));
    run->gap = tsr__arena_take(arena, k, sizeof(double));
    run->moved = tsr__arena_take(arena, k, sizeof(double));
    run->upper = tsr__arena_take(arena, n, sizeof(double));
    run->lower = tsr__arena_take(arena, n, sizeof(double));
    run->nearest = tsr__arena_take(arena, n, sizeof(double));
    run->part = tsr__arena_take(arena, run->blocks * width, sizeof(double));
    run->size = tsr__arena_take(arena, k, sizeof(int64_t));
    run->met = tsr__arena_take(arena, run->blocks, sizeof(int64_t));
    run->changed = tsr__arena_take(arena, run->blocks, sizeof(int64_t));
    run->of = tsr__arena_take(arena, n, sizeof(int32_t));
    run->summed = tsr__arena_take(arena, n, sizeof(int32_t));
    for (int t = 0; t < run->threads; t++) {
        tsr__kmeans_desk *desk = &run->desk[t];
        desk->row = tsr__arena_take(arena, run->x->sparse ? m : rows * m, sizeof(double));
        desk->sample = tsr__arena_take(arena, rows, sizeof(int64_t));
        desk->product = tsr__arena_take(arena, width * rows, sizeof(double));
        desk->line = tsr__arena_take(arena, width, sizeof(double));
        desk->which = tsr__arena_take(arena, rows, sizeof(double));
        desk->least = tsr__arena_take(arena, rows, sizeof(double));
        desk->second = tsr__arena_take(arena, rows, sizeof(double));
    }
}

/* Samples in a block: about half a megabyte of them, which stays in the cache. */
static int64_t block_rows(int64_t n, int64_t m)
{
    enum { VALUES = 1 << 16, LEAST = 32, MOST = 1024 };
    int64_t rows = VALUES / m / 8 * 8;
    rows = rows < LEAST ? LEAST : rows > MOST ? MOST : rows;
    return rows < n ? rows : n;
}

static void square_block(void *context, int64_t block, int thread)
{
    tsr__kmeans_run *run = context;
    double *row = run->desk[thread].row;
    const int64_t first = block * run->rows;
    const int64_t end = first + run->rows < run->n ? first + run->rows : run->n;
    for (int64_t i = first; i < end; i++) {
        if (run->x->sparse) {
            run->square[i] = tsr__row_square(run->x, i);
            continue;
        }
        tsr__kmeans_fetch(row, run, i, 1);
        run->square[i] = tsr__kernels_of(TSR_FLOAT64)->dot(row, row, run->m);
    }
}

/* The mean of dense samples, and every sample's squared norm. */
static void prepare(tsr__kmeans_run *run)
{
    double *row = run->desk[0].row;
    for (int64_t i = 0; !run->x->sparse && i < run->n; i++) {
        tsr__kmeans_fetch(row, run, i, 1); /* the mean is still zero */
        for (int64_t j = 0; j < run->m; j++)
            run->sums[j] += row[j];
    }
    for (int64_t j = 0; j < run->m; j++)
        run->mean[j] = run->sums[j] / (double)run->n;
    tsr__parallel(run->blocks, tsr__kmeans_threads(run, 3.0 * (double)(run->n * run->m)),
                  square_block, run);
}

static void keep_result(int32_t *of, double *centers, const tsr__kmeans_run *run)
{
    memcpy(of, run->of, (size_t)run->n * sizeof *of);
    for (int64_t a = 0; centers != NULL && a < run->k; a++)
        for (int64_t j = 0; j < run->m; j++)
            centers[a * run->m + j] = run->centers[a * run->m + j] + run->mean[j];
}

tsr_status tsr__kmeans(int32_t *of, double *centers, double *cost, const tsr_matrix *x,
                       const tsr__kmeans_options *o)
{
    tsr_status status = TSR_OK;
    const int64_t n = x->samples, m = x->features, k = o->clusters;
    const int64_t trials = tsr__kmeans_trials(k > 0 ? k : 1);
    tsr__kmeans_run run = {.n = n, .m = m, .k = k, .held = o->held};
    tsr__arena arena = {0};
    tsr_matrix *doubles = NULL;
    double *distance = NULL, *candidate = NULL, least = 0;
    int64_t free_clusters = 0;
    TSR_TRY(check(&free_clusters, n, o));
    TSR_TRY(tsr__check_squares(NULL, x, NULL, (double)n)); /* of all, the cost is made */
    if (x->sparse && x->type != TSR_FLOAT64)
        TSR_TRY(tsr_matrix_copy_as(&doubles, x, TSR_FLOAT64, true));
    run.x = doubles != NULL ? doubles : x;
    run.kernels = tsr__distances_of(TSR_FLOAT64);
    run.fetch = tsr__distances_of(run.x->type)->center;
    run.rows = block_rows(n, m > 0 ? m : 1);
    run.blocks = (n + run.rows - 1) / run.rows;
    run.width = k > trials ? k : trials;
    run.threads = tsr__threads(o->threads, run.blocks);
    TSR_NEW_ZERO(run.desk, run.threads);
    TSR_NEW(distance, trials * n);
    TSR_NEW(candidate, trials * m);
    lay_out(&run, &arena);
    TSR_TRY(tsr__arena_open(&arena));
    lay_out(&run, &arena);
    prepare(&run);
    const int64_t restarts = free_clusters > 0 ? o->restarts : 1,
                  step = o->step > 0 ? o->step : 1;
    int64_t kept = -1;
    for (int64_t restart = o->first; restart < restarts; restart += step) {
        tsr__random random = tsr__random_seed(o->seed, (uint64_t)restart);
        tsr__kmeans_start(&run, &random, distance, candidate);
        const double now = tsr__kmeans_iterate(&run, o->iterations);
        if (kept >= 0 && !(now < least))
            continue;
        least = now, kept = restart;
        keep_result(of, centers, &run);
    }
    if (o->kept != NULL)
        *o->kept = kept;
    if (cost != NULL)
        *cost = least;
done:
    tsr_matrix_free(doubles);
    tsr__arena_close(&arena);
    tsr__free(run.desk);
    tsr__free(distance);
    tsr__free(candidate);
    return status;
}
