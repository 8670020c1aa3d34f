/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Lloyd's iterations, exact, with bounds that spare most of the distances.
 *
 * Every sample carries an upper bound of the distance to its own center and a lower bound to
 * all others (Hamerly 2010). When centers move, the bounds move with them; a sample whose upper
 * bound lies below the lower one, or below half the distance from its center to the next,
 * cannot change. The others are gathered, block by block, and meet all centers in one product.
 * Bounds from products carry the products' rounding, so that a skip is always right. A sample
 * leaves its cluster only for a center that is strictly nearer, hence the iterations end.
 *
 * Sums of clusters follow the samples that change. Threads own whole clusters there and whole
 * blocks elsewhere: no sum depends on how many there are. Cost of an iteration: at most 2 n m
 * k, and towards the end about n. */
#include "matrix/kmeans_run.h"

#include "matrix/blas.h"
#include "matrix/gather.h"
#include "matrix/kernels.h"
#include "matrix/parallel.h"

#include <float.h>
#include <math.h>
#include <string.h>

int tsr__kmeans_threads(const tsr__kmeans_run *run, double operations)
{
    return operations < 1.6e7 ? 1 : run->threads;
}

void tsr__kmeans_fetch(double *to, const tsr__kmeans_run *run, int64_t i, int64_t count)
{
    const tsr_matrix *x = run->x;
    if (!x->sparse)
        run->fetch(to,
                   (const char *)x->values + (size_t)(i * x->stride) * tsr__type_size(x->type),
                   x->stride, run->mean, count, run->m);
    for (int64_t r = 0; x->sparse && r < count; r++)
        tsr_matrix_get_sample(to + r * run->m, x, i + r);
}

void tsr__kmeans_load(const tsr__kmeans_run *run, tsr__kmeans_desk *desk, int64_t i)
{
    if (!run->x->sparse)
        tsr__kmeans_fetch(desk->row + desk->count * run->m, run, i, 1);
    desk->sample[desk->count++] = i;
}

void tsr__kmeans_lay(tsr__kmeans_run *run, const double *centers, int64_t count)
{
    if (run->x->sparse)
        tsr__kernels_of(TSR_FLOAT64)
            ->transpose(run->across, count, centers, run->m, count, run->m);
}

void tsr__kmeans_products(const tsr__kmeans_run *run, tsr__kmeans_desk *desk,
                          const double *centers, int64_t count)
{
    const tsr_matrix *x = run->x;
    if (!x->sparse) {
        const tsr__product product = {.transpose_b = true,
                                      .rows = count,
                                      .columns = desk->count,
                                      .inner = run->m,
                                      .alpha = 1,
                                      .a = centers,
                                      .b = desk->row,
                                      .c = desk->product,
                                      .lda = run->m,
                                      .ldb = run->m,
                                      .ldc = run->rows};
        tsr__multiply_dense(TSR_FLOAT64, &product);
        return;
    }
    for (int64_t slot = 0; slot < desk->count; slot++) {
        const tsr__gather one = {
            x->rows + desk->sample[slot], x->columns, x->values, 1, run->across, count};
        tsr__gathers_of(TSR_FLOAT64)->project(desk->line, &one);
        for (int64_t a = 0; a < count; a++)
            desk->product[a * run->rows + slot] = desk->line[a];
    }
}

/* What rounding may have done to a squared distance from products. */
static double doubt(const tsr__kmeans_run *run, int64_t i)
{
    return 2 * DBL_EPSILON * (double)(run->m + 16) * (run->square[i] + run->most_square);
}

/* Squared distance of sample i, which lies at `row` when dense, to center a. */
static double square_to(const tsr__kmeans_run *run, int64_t i, const double *row, int64_t a)
{
    const tsr_matrix *x = run->x;
    const double *center = run->centers + a * run->m;
    if (!x->sparse)
        return run->kernels->apart(row, center, run->m);
    double dot = 0;
    for (int64_t at = x->rows[i]; at < x->rows[i + 1]; at++)
        dot += ((const double *)x->values)[at] * center[x->columns[at]];
    return fmax(run->square[i] + run->center_square[a] - 2 * dot, 0);
}

/* Moves the bounds of sample i along with the centers; true when it must stay. */
static bool stays(const tsr__kmeans_run *run, int64_t i, double loose)
{
    const int32_t own = run->of[i];
    run->upper[i] += run->moved[own];
    run->lower[i] -= run->most_moved[own == run->who_moved];
    return run->upper[i] * loose < fmax(run->gap[own], run->lower[i]);
}

/* The same with the upper bound made exact. */
static bool stays_after_all(tsr__kmeans_run *run, tsr__kmeans_desk *desk, int64_t i,
                            double loose)
{
    const int32_t own = run->of[i];
    const double *row = desk->row + (desk->count - 1) * run->m;
    const double square = square_to(run, i, row, own);
    run->upper[i] = sqrt(square + (run->x->sparse ? doubt(run, i) : 0));
    return run->upper[i] * loose < fmax(run->gap[own], run->lower[i]);
}

/* Returns whether the sample changed. */
static bool settle(tsr__kmeans_run *run, const tsr__kmeans_desk *desk, int64_t slot)
{
    const int64_t i = desk->sample[slot];
    const double least = desk->least[slot], square = run->square[i], off = doubt(run, i);
    const int32_t own = run->of[i];
    int32_t to = (int32_t)desk->which[slot];
    if (own >= 0 &&
        run->center_square[own] - 2 * desk->product[own * run->rows + slot] <= least)
        to = own;
    run->of[i] = to;
    run->upper[i] = sqrt(fmax(square + least, 0) + off);
    run->lower[i] = sqrt(fmax(square + desk->second[slot] - off, 0));
    return to != own;
}

static void assign_block(void *context, int64_t block, int thread)
{
    tsr__kmeans_run *run = context;
    tsr__kmeans_desk *desk = &run->desk[thread];
    const int64_t first = block * run->rows;
    const int64_t end = first + run->rows < run->n ? first + run->rows : run->n;
    const double loose = 1 + 1e-12 + 4 * DBL_EPSILON * (double)run->m;
    desk->count = 0;
    for (int64_t i = first; i < end; i++) {
        if (run->held != NULL && run->held[i] >= 0)
            continue;
        const bool known = run->of[i] >= 0;
        if (known && stays(run, i, loose))
            continue;
        tsr__kmeans_load(run, desk, i);
        if (known && stays_after_all(run, desk, i, loose))
            desk->count--;
    }
    run->met[block] = desk->count;
    run->changed[block] = 0;
    if (desk->count == 0)
        return;
    tsr__kmeans_products(run, desk, run->centers, run->k);
    run->kernels->two_least(desk->which, desk->least, desk->second, desk->product, run->rows,
                            run->center_square, run->k, desk->count);
    for (int64_t slot = 0; slot < desk->count; slot++)
        run->changed[block] += settle(run, desk, slot);
}

static void measure_gap(void *context, int64_t a, int thread)
{
    tsr__kmeans_run *run = context;
    double least = (double)INFINITY;
    (void)thread;
    for (int64_t b = 0; b < run->k; b++)
        if (b != a)
            least = fmin(least, run->kernels->apart(run->centers + a * run->m,
                                                    run->centers + b * run->m, run->m));
    run->gap[a] = 0.5 * sqrt(least);
}

/* Adds sample i to the sums of cluster a, or takes it away. */
static void transfer(tsr__kmeans_run *run, double *row, int64_t i, int64_t a, int sign)
{
    const tsr_matrix *x = run->x;
    double *to = run->sums + a * run->m;
    run->size[a] += sign;
    if (x->sparse) {
        for (int64_t at = x->rows[i]; at < x->rows[i + 1]; at++)
            to[x->columns[at]] += sign * ((const double *)x->values)[at];
        return;
    }
    tsr__kmeans_fetch(row, run, i, 1);
    for (int64_t j = 0; j < run->m; j++)
        to[j] += sign * row[j];
}

typedef struct tallying {
    tsr__kmeans_run *run;
    int64_t parts;
} tallying;

/* Brings the sums of one part of the clusters up to date. */
static void tally_part(void *context, int64_t part, int thread)
{
    const tallying *t = context;
    tsr__kmeans_run *run = t->run;
    const int64_t low = part * run->k / t->parts, high = (part + 1) * run->k / t->parts;
    double *row = run->desk[thread].row;
    for (int64_t i = 0; i < run->n; i++) {
        const int64_t from = run->summed[i], to = run->of[i];
        if (from == to)
            continue;
        if (from >= low && from < high)
            transfer(run, row, i, from, -1);
        if (to >= low && to < high)
            transfer(run, row, i, to, 1);
    }
}

/* Brings all sums up to date, after so many changes. */
static void tally(tsr__kmeans_run *run, int64_t changes)
{
    tallying t = {run, tsr__kmeans_threads(run, 2.0 * (double)(changes * run->m))};
    tsr__parallel(t.parts, (int)t.parts, tally_part, &t);
    memcpy(run->summed, run->of, (size_t)run->n * sizeof *run->of);
}

static int64_t sum_blocks(const int64_t *of_block, int64_t blocks)
{
    int64_t sum = 0;
    for (int64_t b = 0; b < blocks; b++)
        sum += of_block[b];
    return sum;
}

static void measure_block(void *context, int64_t block, int thread)
{
    tsr__kmeans_run *run = context;
    const int64_t first = block * run->rows;
    const int64_t end = first + run->rows < run->n ? first + run->rows : run->n;
    double *row = run->desk[thread].row, sum = 0;
    for (int64_t i = first; i < end; i++) {
        if (!run->x->sparse)
            tsr__kmeans_fetch(row, run, i, 1);
        run->nearest[i] = square_to(run, i, row, run->of[i]);
        sum += run->nearest[i];
    }
    run->part[block * run->width] = sum;
}

/* Squared distances of all samples to their centers; returns the sum. */
static double measure(tsr__kmeans_run *run)
{
    double cost = 0;
    tsr__parallel(run->blocks, tsr__kmeans_threads(run, 3.0 * (double)(run->n * run->m)),
                  measure_block, run);
    for (int64_t b = 0; b < run->blocks; b++)
        cost += run->part[b * run->width];
    return cost;
}

/* Every empty cluster takes the free sample farthest from its center; returns how many. */
static int64_t fill_empty(tsr__kmeans_run *run)
{
    int64_t filled = 0;
    for (int64_t a = 0; a < run->k; a++) {
        int64_t far = -1;
        if (run->size[a] > 0)
            continue;
        if (filled++ == 0)
            (void)measure(run);
        for (int64_t i = 0; i < run->n; i++)
            if ((run->held == NULL || run->held[i] < 0) && run->size[run->of[i]] > 1 &&
                (far < 0 || run->nearest[i] > run->nearest[far]))
                far = i;
        transfer(run, run->desk[0].row, far, run->of[far], -1);
        transfer(run, run->desk[0].row, far, a, 1);
        run->of[far] = run->summed[far] = (int32_t)a;
        run->nearest[far] = 0;
        run->upper[far] = (double)INFINITY;
        run->lower[far] = 0;
    }
    return filled;
}

static void square_centers(tsr__kmeans_run *run)
{
    run->most_square = 0;
    for (int64_t a = 0; a < run->k; a++) {
        const double *center = run->centers + a * run->m;
        run->center_square[a] = tsr__kernels_of(TSR_FLOAT64)->dot(center, center, run->m);
        run->most_square = fmax(run->most_square, run->center_square[a]);
    }
}

/* Centers become the means; notes how far they went. */
static void average(tsr__kmeans_run *run)
{
    double *fresh = run->desk[0].row;
    run->most_moved[0] = run->most_moved[1] = 0;
    run->who_moved = -1;
    for (int64_t a = 0; a < run->k; a++) {
        double *center = run->centers + a * run->m;
        for (int64_t j = 0; j < run->m; j++)
            fresh[j] = run->sums[a * run->m + j] / (double)run->size[a];
        const double moved = sqrt(run->kernels->apart(fresh, center, run->m));
        memcpy(center, fresh, (size_t)run->m * sizeof *center);
        run->moved[a] = moved;
        if (moved > run->most_moved[0]) {
            run->most_moved[1] = run->most_moved[0];
            run->most_moved[0] = moved;
            run->who_moved = a;
        } else if (moved > run->most_moved[1]) {
            run->most_moved[1] = moved;
        }
    }
    square_centers(run);
}

static void forget_sums(tsr__kmeans_run *run)
{
    memset(run->sums, 0, (size_t)(run->k * run->m) * sizeof *run->sums);
    memset(run->size, 0, (size_t)run->k * sizeof *run->size);
    for (int64_t i = 0; i < run->n; i++)
        run->summed[i] = -1;
}

double tsr__kmeans_iterate(tsr__kmeans_run *run, int64_t iterations)
{
    const double centers_work = 3.0 * (double)(run->k * run->k * run->m);
    int64_t met = run->n;
    forget_sums(run);
    for (int64_t i = 0; i < run->n; i++)
        run->of[i] = run->held != NULL ? run->held[i] : -1;
    square_centers(run);
    for (int64_t iteration = 0; iteration < iterations; iteration++) {
        const double work = 2.0 * (double)(met * run->m * run->k) + 8.0 * (double)run->n;
        tsr__kmeans_lay(run, run->centers, run->k);
        tsr__parallel(run->k, tsr__kmeans_threads(run, centers_work), measure_gap, run);
        tsr__parallel(run->blocks, tsr__kmeans_threads(run, work), assign_block, run);
        met = sum_blocks(run->met, run->blocks);
        const int64_t changes = sum_blocks(run->changed, run->blocks);
        if (changes > 0 || iteration == 0) /* held samples are summed, too, without a change */
            tally(run, iteration == 0 ? run->n : changes);
        if (fill_empty(run) + changes == 0)
            break;
        average(run);
    }
    forget_sums(run); /* anew, without the rounding of all that came and went */
    tally(run, run->n);
    average(run);
    return measure(run);
}
