/* SPDX-License-Identifier: BSD-2-Clause
 *
 * k-means++ starts, greedy: every center is the best of several candidates, each drawn with a
 * chance that grows with the squared distance to the centers before it. Clusters with held
 * samples start at the mean of those. Cost: 2 n m (2 + log k) k.
 *
 * A pass leaves the candidates' distances to all samples and the sums of what would remain,
 * block by block: the winner's are at once the weights of the next draw. */
#include "matrix/kmeans_run.h"
#include "matrix/parallel.h"

#include <math.h>
#include <string.h>

typedef struct start {
    tsr__kmeans_run *run;
    tsr__random *random;
    double *distance;  /* trials x n */
    double *candidate; /* trials x m */
    double square[64]; /* of the candidates */
    int64_t trials;
    int64_t chosen; /* the trial whose distances are not yet in run->nearest, or -1 */
} start;

int64_t tsr__kmeans_trials(int64_t clusters)
{
    return 2 + (int64_t)log((double)clusters);
}

/* What is left of sample i's distance when the last chosen center counts. */
static double weight(const start *s, int64_t i)
{
    const double before = s->run->nearest[i];
    const double now = s->chosen >= 0 ? s->distance[s->chosen * s->run->n + i] : before;
    return now < before ? now : before;
}

static void try_block(void *context, int64_t block, int thread)
{
    start *s = context;
    const tsr__kmeans_run *run = s->run;
    tsr__kmeans_desk *desk = &run->desk[thread];
    const int64_t first = block * run->rows;
    const int64_t end = first + run->rows < run->n ? first + run->rows : run->n;
    for (int64_t i = first; i < end; i++) {
        run->nearest[i] = weight(s, i);
        desk->sample[i - first] = i;
    }
    desk->count = end - first;
    if (!run->x->sparse)
        tsr__kmeans_fetch(desk->row, run, first, desk->count);
    tsr__kmeans_products(run, desk, s->candidate, s->trials);
    for (int64_t t = 0; t < s->trials; t++)
        run->part[block * run->width + t] = run->kernels->spread(
            s->distance + t * run->n + first, desk->product + t * run->rows,
            run->square + first, s->square[t], run->nearest + first, end - first);
}

/* Candidate t becomes sample i. */
static void propose(start *s, int64_t t, int64_t i)
{
    tsr__kmeans_fetch(s->candidate + t * s->run->m, s->run, i, 1);
    s->square[t] = s->run->square[i];
}

/* A sample drawn by weight: first its block, then its place in it. */
static int64_t draw(const start *s)
{
    const tsr__kmeans_run *run = s->run;
    const double *part = run->part + s->chosen;
    double total = 0;
    for (int64_t b = 0; b < run->blocks; b++)
        total += part[b * run->width];
    const double u = tsr__random_uniform(s->random);
    if (!(total > 0)) { /* nothing but copies of the centers: any free sample */
        int64_t i = (int64_t)(u * (double)run->n);
        while (run->held != NULL && run->held[i] >= 0)
            i = (i + 1) % run->n;
        return i;
    }
    double left = u * total;
    int64_t block = 0, last = 0;
    for (; block + 1 < run->blocks && left >= part[block * run->width]; block++)
        left -= part[block * run->width];
    const int64_t first = block * run->rows;
    const int64_t end = first + run->rows < run->n ? first + run->rows : run->n;
    last = first;
    for (int64_t i = first; i < end; i++) {
        const double w = weight(s, i);
        if (w > 0)
            last = i;
        if (w > 0 && left < w)
            return i;
        left -= w;
    }
    return last; /* rounding took the draw past the end */
}

/* Tries the candidates; the one that leaves least wins. */
static void decide(start *s)
{
    const tsr__kmeans_run *run = s->run;
    double least = (double)INFINITY;
    tsr__kmeans_lay(s->run, s->candidate, s->trials);
    tsr__parallel(run->blocks,
                  tsr__kmeans_threads(run, 2.0 * (double)(run->n * run->m * s->trials)),
                  try_block, s);
    s->chosen = 0;
    for (int64_t t = 0; t < s->trials; t++) {
        double left = 0;
        for (int64_t b = 0; b < run->blocks; b++)
            left += run->part[b * run->width + t];
        if (left < least) {
            least = left;
            s->chosen = t;
        }
    }
}

/* Means of held samples; returns how many clusters have one, and marks the others' size 0. */
static int64_t start_held(start *s)
{
    tsr__kmeans_run *run = s->run;
    double *row = run->desk[0].row;
    int64_t known = 0;
    memset(run->size, 0, (size_t)run->k * sizeof *run->size);
    memset(run->centers, 0, (size_t)(run->k * run->m) * sizeof *run->centers);
    for (int64_t i = 0; run->held != NULL && i < run->n; i++) {
        if (run->held[i] < 0)
            continue;
        double *to = run->centers + run->held[i] * run->m;
        tsr__kmeans_fetch(row, run, i, 1);
        for (int64_t j = 0; j < run->m; j++)
            to[j] += row[j];
        known += run->size[run->held[i]]++ == 0;
    }
    for (int64_t a = 0; a < run->k; a++)
        for (int64_t j = 0; run->size[a] > 0 && j < run->m; j++)
            run->centers[a * run->m + j] /= (double)run->size[a];
    return known;
}

/* The center of cluster a counts from now on. */
static void count_center(start *s, int64_t a)
{
    const tsr__kmeans_run *run = s->run;
    const int64_t kept = s->trials;
    const double *center = run->centers + a * run->m;
    memcpy(s->candidate, center, (size_t)run->m * sizeof *center);
    s->square[0] = 0;
    for (int64_t j = 0; j < run->m; j++)
        s->square[0] += center[j] * center[j];
    s->trials = 1;
    decide(s);
    s->trials = kept;
}

void tsr__kmeans_start(tsr__kmeans_run *run, tsr__random *random, double *distance,
                       double *candidate)
{
    start s = {.run = run,
               .random = random,
               .distance = distance,
               .candidate = candidate,
               .trials = tsr__kmeans_trials(run->k),
               .chosen = -1};
    int64_t known = start_held(&s);
    for (int64_t i = 0; i < run->n; i++)
        run->nearest[i] = run->held != NULL && run->held[i] >= 0 ? 0 : (double)INFINITY;
    for (int64_t a = 0; known < run->k && a < run->k; a++)
        if (run->size[a] > 0)
            count_center(&s, a);
    for (int64_t a = 0; a < run->k; a++) {
        if (run->size[a] > 0)
            continue;
        const int64_t trials = s.trials;
        if (known == 0)
            s.trials = 1;
        for (int64_t t = 0; t < s.trials; t++)
            propose(&s, t, known == 0 ? tsr__random_below(random, run->n) : draw(&s));
        known++;
        decide(&s);
        memcpy(run->centers + a * run->m, s.candidate + s.chosen * run->m,
               (size_t)run->m * sizeof *run->centers);
        s.trials = trials;
    }
}
