/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Discriminants: directions w that keep `between` large while `within` is one,
 *
 *     between w = value (within + r I) w,    w' (within + r I) w = 1,    greatest values first
 *
 * over the d principal axes that hold 90 % of the variance of all samples. The scatters are of
 * the samples with a class that the learner sees:
 *
 *     lda   within: covariance about the class means;  between: that of the class means,
 *           weighted by members. At most classes - 1 directions. Fisher 1936
 *     mfa   within: mean of (y_i - y_j)(y_i - y_j)' over pairs of one class of which either is
 *           among the other's k1 nearest (k1 = options->neighbours);  between: the same over
 *           the k2 nearest pairs of each class with the others (options->between). Yan et al. 2007
 *
 * r = RIDGE tr(within + between) / d: few labelled samples leave `within` singular, and without
 * r every direction along which they happen not to vary would look perfect.
 * Cost: PCA + O(l d^2 + d^3), mfa besides l^2 d for neighbours, l the samples with a class. */
#include "learn/encoder.h"

#include "matrix/blas.h"
#include "matrix/neighbours.h"
#include "matrix/parallel.h"
#include "matrix/pass.h"
#include "matrix/principal.h"

#include <stdlib.h>
#include <string.h>

static const double ENERGY = 0.9, RIDGE = 1e-3;

/* The samples with a class along the principal axes. */
typedef struct known {
    tsr__axes axes;
    tsr_matrix *y;       /* count x d */
    int32_t *of;         /* class of each */
    int64_t *population; /* of each class */
    int64_t count, d;
    int32_t classes, present; /* named; with a sample */
    int threads;
} known;

static void known_clear(known *k)
{
    tsr__axes_clear(&k->axes);
    tsr_matrix_free(k->y);
    tsr__free(k->of);
    tsr__free(k->population);
}

/* Rows of y: the chosen samples along the axes, less the mean. */
static tsr_status project(known *k, const tsr_matrix *x, const int64_t *sample)
{
    tsr_status status = TSR_OK;
    tsr_matrix *chosen = NULL;
    double *offset = NULL;
    TSR_NEW_ZERO(offset, k->d);
    TSR_TRY(tsr_matrix_copy_samples(&chosen, x, sample, k->count));
    TSR_TRY(tsr_matrix_create(&k->y, k->count, k->d, TSR_FLOAT64));
    const tsr__source source = tsr__source_of_matrix(chosen, 1 << 19);
    double *y = k->y->values;
    TSR_TRY(tsr__source_project(y, &source, k->axes.factor, k->d, k->threads));
    for (int64_t j = 0; j < x->features; j++)
        for (int64_t a = 0; a < k->d; a++)
            offset[a] += k->axes.mean[j] * k->axes.factor[j * k->d + a];
    for (int64_t i = 0; i < k->count * k->d; i++)
        y[i] -= offset[i % k->d];
done:
    tsr__free(offset);
    tsr_matrix_free(chosen);
    return status;
}

static tsr_status known_make(known *k, const tsr_encoder *e, const tsr__training *t)
{
    tsr_status status = TSR_OK;
    int64_t *sample = NULL;
    k->threads = tsr__threads(t->options->threads, INT64_MAX);
    k->classes = t->classes;
    TSR_NEW(sample, t->x->samples);
    TSR_NEW(k->of, t->x->samples);
    TSR_NEW_ZERO(k->population, t->classes);
    for (int64_t i = 0; i < t->x->samples; i++) {
        if (t->seen[i] < 0)
            continue;
        k->present += k->population[t->seen[i]]++ == 0;
        sample[k->count] = i;
        k->of[k->count++] = t->seen[i];
    }
    if (k->present < 2)
        TSR_FAIL(TSR_ERROR_DATA, "%s needs samples of two classes, and the learner sees one",
                 e->baseline->name);
    const tsr__axes_options options = {
        .energy = ENERGY, .seed = (uint64_t)t->options->seed, .threads = k->threads};
    TSR_TRY(tsr__principal_axes(&k->axes, t->x, &options));
    k->d = k->axes.rank;
    if (k->d == 0)
        TSR_FAIL(TSR_ERROR_DATA, "the samples of %s are all the same: nothing tells classes",
                 tsr_data_origin(t->data));
    TSR_TRY(project(k, t->x, sample));
done:
    tsr__free(sample);
    return status;
}

/* sum (d x d) += by rows' rows, of `count` rows. */
static void add_scatter(double *sum, const double *rows, int64_t count, int64_t d, double by)
{
    const tsr__product product = {.transpose_a = true,
                                  .rows = d,
                                  .columns = d,
                                  .inner = count,
                                  .alpha = by,
                                  .beta = 1,
                                  .a = rows,
                                  .b = rows,
                                  .c = sum,
                                  .lda = d,
                                  .ldb = d,
                                  .ldc = d};
    tsr__multiply_dense(TSR_FLOAT64, &product);
}

/* Solves for the directions and makes the linear map; both scatters are spoilt. */
static tsr_status discriminate(tsr_encoder *e, const tsr__training *t, const known *k,
                               double *between, double *within, int64_t limit)
{
    tsr_status status = TSR_OK;
    const int64_t d = k->d, m = t->x->features;
    double *value = NULL, *turn = NULL, *factor = NULL, trace = 0;
    int64_t rank = 0, useful = 0;
    for (int64_t a = 0; a < d; a++)
        trace += within[a * d + a] + between[a * d + a];
    if (!(trace > 0))
        TSR_FAIL(TSR_ERROR_DATA, "the labelled samples of %s are all the same",
                 tsr_data_origin(t->data));
    for (int64_t a = 0; a < d; a++)
        within[a * d + a] += RIDGE * trace / (double)d;
    TSR_NEW(value, d);
    TSR_TRY(tsr__eigen_pair(between, within, value, d));
    while (useful < d && useful < limit && value[d - 1 - useful] > 1e-10 * value[d - 1])
        useful++;
    if (useful == 0)
        TSR_FAIL(TSR_ERROR_DATA, "the classes of %s have the same means: nothing tells them",
                 tsr_data_origin(t->data));
    TSR_TRY(tsr__baseline_rank(&rank, e, t, useful, "directions that tell the classes"));
    TSR_NEW(turn, d * rank);
    TSR_NEW(factor, m * rank);
    for (int64_t a = 0; a < rank; a++)
        for (int64_t j = 0; j < d; j++)
            turn[j * rank + a] = between[(d - 1 - a) * d + j];
    const tsr__product product = {.rows = m,
                                  .columns = rank,
                                  .inner = d,
                                  .alpha = 1,
                                  .a = k->axes.factor,
                                  .b = turn,
                                  .c = factor,
                                  .lda = d,
                                  .ldb = rank,
                                  .ldc = rank};
    tsr__multiply_dense(TSR_FLOAT64, &product);
    TSR_TRY(tsr__linear_take(e, factor, k->axes.mean, rank));
    factor = NULL;
done:
    tsr__free(value);
    tsr__free(turn);
    tsr__free(factor);
    return status;
}

/* Both covariances of lda; y becomes the samples less their class means. */
static tsr_status class_scatters(double *between, double *within, known *k)
{
    tsr_status status = TSR_OK;
    const int64_t d = k->d;
    double *mean = NULL, *all = NULL, *y = k->y->values;
    const double share = 1 / (double)k->count;
    TSR_NEW_ZERO(mean, k->classes * d);
    TSR_NEW_ZERO(all, d);
    for (int64_t i = 0; i < k->count * d; i++) {
        mean[k->of[i / d] * d + i % d] += y[i] / (double)k->population[k->of[i / d]];
        all[i % d] += y[i] * share;
    }
    for (int64_t i = 0; i < k->count * d; i++)
        y[i] -= mean[k->of[i / d] * d + i % d];
    add_scatter(within, y, k->count, d, share);
    for (int32_t c = 0; c < k->classes; c++) {
        for (int64_t a = 0; a < d; a++)
            mean[c * d + a] -= all[a];
        add_scatter(between, mean + c * d, 1, d, share * (double)k->population[c]);
    }
done:
    tsr__free(mean);
    tsr__free(all);
    return status;
}

tsr_status tsr__lda_fit(tsr_encoder *e, const tsr__training *t)
{
    tsr_status status = TSR_OK;
    known k = {0};
    double *between = NULL, *within = NULL;
    TSR_TRY(known_make(&k, e, t));
    TSR_NEW_ZERO(between, k.d * k.d);
    TSR_NEW_ZERO(within, k.d * k.d);
    TSR_TRY(class_scatters(between, within, &k));
    TSR_TRY(discriminate(e, t, &k, between, within, k.present - 1));
done:
    known_clear(&k);
    tsr__free(between);
    tsr__free(within);
    return status;
}

typedef struct pair {
    int64_t a, b; /* a < b */
    double square;
} pair;

typedef struct pairs {
    pair *item;
    int64_t count, room;
} pairs;

static int by_place(const void *left, const void *right)
{
    const pair *p = left, *q = right;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return (p->b > q->b) - (p->b < q->b);
}

static int by_distance(const void *left, const void *right)
{
    const pair *p = left, *q = right;
    if (p->square != q->square)
        return p->square < q->square ? -1 : 1;
    return by_place(left, right);
}

static void sort(pairs *list, int64_t from, int (*order)(const void *, const void *))
{
    if (list->count > from)
        qsort(list->item + from, (size_t)(list->count - from), sizeof *list->item, order);
}

/* Appends, for each sample of `x`, its p nearest of `among`. */
static tsr_status add_nearest(pairs *list, const known *k, const int64_t *x, int64_t x_count,
                              const int64_t *among, int64_t among_count, int64_t p)
{
    tsr_status status = TSR_OK;
    tsr_matrix *left = NULL, *right = NULL;
    int64_t *index = NULL;
    double *square = NULL;
    TSR_NEW(index, x_count * p);
    TSR_NEW(square, x_count * p);
    TSR_TRY(tsr_matrix_copy_samples(&left, k->y, x, x_count));
    if (x != among)
        TSR_TRY(tsr_matrix_copy_samples(&right, k->y, among, among_count));
    TSR_TRY(
        tsr__nearest_samples(index, square, left, right != NULL ? right : left, p, k->threads));
    for (int64_t i = 0; i < x_count * p; i++) {
        if (index[i] < 0)
            continue;
        const int64_t a = x[i / p], b = among[index[i]];
        TSR_GROW(list->item, list->count, list->room);
        list->item[list->count++] = (pair){a < b ? a : b, a < b ? b : a, square[i]};
    }
done:
    tsr_matrix_free(left);
    tsr_matrix_free(right);
    tsr__free(index);
    tsr__free(square);
    return status;
}

/* The pairs of one class (same) and those of each class with the others (other). */
static tsr_status list_pairs(pairs *same, pairs *other, const known *k,
                             const tsr_fit_options *o)
{
    enum { EACH = 10 };
    tsr_status status = TSR_OK;
    int64_t *inside = NULL, *outside = NULL;
    TSR_NEW(inside, k->count);
    TSR_NEW(outside, k->count);
    for (int32_t c = 0; c < k->classes; c++) {
        const int64_t members = k->population[c], others = k->count - members;
        const int64_t p = members - 1 < o->neighbours ? members - 1 : o->neighbours;
        const int64_t wanted = o->between > 0 ? o->between : EACH * members;
        const int64_t q = others < wanted ? others : wanted, before = other->count;
        if (members == 0)
            continue;
        for (int64_t i = 0, in = 0, out = 0; i < k->count; i++) {
            if (k->of[i] == c)
                inside[in++] = i;
            else
                outside[out++] = i;
        }
        if (p > 0)
            TSR_TRY(add_nearest(same, k, inside, members, inside, members, p));
        TSR_TRY(add_nearest(other, k, inside, members, outside, others, q));
        sort(other, before, by_distance);
        if (other->count > before + wanted)
            other->count = before + wanted;
    }
done:
    tsr__free(inside);
    tsr__free(outside);
    return status;
}

/* sum = mean of (y_a - y_b)(y_a - y_b)' over the pairs, each once. */
static tsr_status pair_scatter(double *sum, const known *k, pairs *list)
{
    enum { CHUNK = 256 };
    tsr_status status = TSR_OK;
    const double *y = k->y->values;
    const int64_t d = k->d;
    int64_t once = 0;
    double *rows = NULL;
    TSR_NEW(rows, CHUNK * d);
    sort(list, 0, by_place);
    for (int64_t i = 0; i < list->count; i++)
        if (i == 0 || by_place(&list->item[i], &list->item[i - 1]) != 0)
            list->item[once++] = list->item[i];
    list->count = once;
    for (int64_t first = 0; first < once; first += CHUNK) {
        const int64_t count = once - first < CHUNK ? once - first : CHUNK;
        for (int64_t i = 0; i < count * d; i++) {
            const pair *p = &list->item[first + i / d];
            rows[i] = y[p->a * d + i % d] - y[p->b * d + i % d];
        }
        add_scatter(sum, rows, count, d, 1 / (double)once);
    }
done:
    tsr__free(rows);
    return status;
}

tsr_status tsr__mfa_fit(tsr_encoder *e, const tsr__training *t)
{
    tsr_status status = TSR_OK;
    known k = {0};
    pairs same = {0}, other = {0};
    double *between = NULL, *within = NULL;
    TSR_TRY(known_make(&k, e, t));
    TSR_NEW_ZERO(between, k.d * k.d);
    TSR_NEW_ZERO(within, k.d * k.d);
    TSR_TRY(list_pairs(&same, &other, &k, t->options));
    TSR_TRY(pair_scatter(within, &k, &same));
    TSR_TRY(pair_scatter(between, &k, &other));
    TSR_TRY(discriminate(e, t, &k, between, within, k.d));
done:
    known_clear(&k);
    tsr__free(same.item);
    tsr__free(other.item);
    tsr__free(between);
    tsr__free(within);
    return status;
}
