/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Label propagation with local and global consistency, Zhou et al. 2004: scores of classes that vary
 * little along the edges of a graph of neighbours and are held to the labels that are seen,
 *
 *     F = (1 - a) (I - a S)^-1 Y,    S = D^-1/2 A D^-1/2,    D = diag of the sums of A's rows
 *
 * a = 0.99, Y (samples x classes) one where the learner sees that class. A is the graph that graph
 * models take: options->neighbours, graph_weight, heat; cosines below zero join nothing.
 *
 * Each class is a system of its own, by conjugate gradients: the eigenvalues of I - a S lie within
 * 1 - a and 1 + a, so that some 200 steps reach TOLERANCE whatever the data. All scores are >= 0, and
 * zero where no path leads to a label.
 *
 * Codes are the scores: those of training samples F, those of others the mean of the F of their p
 * nearest training samples, weighted by 1 / distance, which gives a training sample its own.
 * Cost: the search for neighbours + O(p n) a step and class; no matrix of n x n. */
#include "learn/encoder.h"

#include "matrix/neighbours.h"
#include "matrix/parallel.h"

#include <math.h>

static const double SPREAD = 0.99, TOLERANCE = 1e-12;
enum { MOST_STEPS = 1000, VECTORS = 4 };

typedef struct spreading {
    const tsr_matrix *s;
    const int32_t *seen;
    int32_t classes;
    double *score; /* samples x classes */
    double *room;  /* VECTORS x samples a thread */
} spreading;

static double dot(const double *x, const double *y, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += x[i] * y[i];
    return sum;
}

/* to = x - a S x */
static void multiply(double *to, const tsr_matrix *s, const double *x)
{
    const double *value = s->values;
    for (int64_t i = 0; i < s->samples; i++) {
        double sum = 0;
        for (int64_t at = s->rows[i]; at < s->rows[i + 1]; at++)
            sum += value[at] * x[s->columns[at]];
        to[i] = x[i] - SPREAD * sum;
    }
}

/* The scores of class `c`: one thread from beginning to end, so that threads change no bits. */
static void spread(void *context, int64_t c, int thread)
{
    const spreading *p = context;
    const int64_t n = p->s->samples;
    double *x = p->room + thread * VECTORS * n, *left = x + n, *way = left + n,
           *moved = way + n;
    for (int64_t i = 0; i < n; i++) {
        x[i] = 0;
        left[i] = way[i] = p->seen[i] == c ? 1 - SPREAD : 0;
    }
    double square = dot(left, left, n);
    const double enough = square * TOLERANCE * TOLERANCE;
    for (int step = 0; step < MOST_STEPS && square > enough; step++) {
        multiply(moved, p->s, way);
        const double far = square / dot(way, moved, n), before = square;
        for (int64_t i = 0; i < n; i++) {
            x[i] += far * way[i];
            left[i] -= far * moved[i];
        }
        square = dot(left, left, n);
        for (int64_t i = 0; i < n; i++)
            way[i] = left[i] + square / before * way[i];
    }
    for (int64_t i = 0; i < n; i++)
        p->score[i * p->classes + c] = fmax(x[i], 0); /* rounding alone is below */
}

/* A becomes S. */
static tsr_status scale_edges(tsr_matrix *graph)
{
    tsr_status status = TSR_OK;
    double *degree = NULL, *value = graph->values;
    TSR_NEW_ZERO(degree, graph->samples);
    for (int64_t i = 0; i < graph->samples; i++)
        for (int64_t at = graph->rows[i]; at < graph->rows[i + 1]; at++) {
            value[at] = fmax(value[at], 0);
            degree[i] += value[at];
        }
    for (int64_t i = 0; i < graph->samples; i++)
        for (int64_t at = graph->rows[i]; at < graph->rows[i + 1]; at++)
            if (value[at] > 0)
                value[at] /= sqrt(degree[i]) * sqrt(degree[graph->columns[at]]);
done:
    tsr__free(degree);
    return status;
}

static tsr_status check(const tsr_encoder *e, const tsr__training *t)
{
    int32_t first = -1;
    bool two = false;
    for (int64_t i = 0; i < t->x->samples; i++) {
        first = first < 0 ? t->seen[i] : first;
        two = two || (t->seen[i] >= 0 && t->seen[i] != first);
    }
    if (!two)
        return tsr__fail(TSR_ERROR_DATA,
                         "%s needs samples of two classes, and the learner sees one",
                         e->baseline->name);
    if (t->options->graph_file != NULL || t->options->graph_matrix != NULL)
        return tsr__fail(
            TSR_ERROR_ARGUMENT,
            "%s makes its own graph, which new samples find neighbours in: it takes "
            "no --graph-file",
            e->baseline->name);
    return TSR_OK;
}

tsr_status tsr__propagation_fit(tsr_encoder *e, const tsr__training *t)
{
    tsr_status status = TSR_OK;
    const tsr_fit_options *o = t->options;
    const int64_t n = t->x->samples;
    const int threads = tsr__threads(o->threads, t->classes);
    tsr_matrix *graph = NULL;
    double *room = NULL;
    TSR_TRY(check(e, t));
    TSR_TRY(tsr__neighbour_graph(&graph, t->x, o->neighbours, (tsr__edge_weight)o->graph_weight,
                                 o->heat, (int)o->threads));
    TSR_TRY(scale_edges(graph));
    TSR_TRY(tsr_matrix_copy_as(&e->kept, t->x, t->x->type, t->x->sparse));
    TSR_TRY(tsr_matrix_create(&e->codes, n, t->classes, TSR_FLOAT64));
    TSR_NEW(room, VECTORS * n * threads);
    e->rank = t->classes;
    e->neighbours = o->neighbours;
    spreading all = {graph, t->seen, t->classes, e->codes->values, room};
    tsr__parallel(t->classes, threads, spread, &all);
done:
    tsr_matrix_free(graph);
    tsr__free(room);
    return status;
}

tsr_status tsr__propagation_encode(tsr_matrix **codes, const tsr_encoder *e,
                                   const tsr_matrix *x, const tsr_transform_options *options)
{
    tsr_status status = TSR_OK;
    const int64_t p = e->neighbours, k = e->rank;
    const double *score = e->codes->values;
    tsr_matrix *out = NULL;
    int64_t *index = NULL;
    double *square = NULL;
    TSR_NEW(index, x->samples * p);
    TSR_NEW(square, x->samples * p);
    TSR_TRY(tsr__nearest_samples(index, square, x, e->kept, p, (int)options->threads));
    TSR_TRY(tsr_matrix_create(&out, x->samples, k, TSR_FLOAT64));
    for (int64_t i = 0; i < x->samples; i++) {
        double *code = (double *)out->values + i * k, sum = 0;
        const double nearest = square[i * p];
        for (int64_t a = 0; a < p; a++) {
            const double other = square[i * p + a];
            const double weight = nearest > 0 ? sqrt(nearest / other) : (double)(other == 0);
            for (int64_t c = 0; c < k; c++)
                code[c] += weight * score[index[i * p + a] * k + c];
            sum += weight;
        }
        for (int64_t c = 0; c < k; c++)
            code[c] /= sum;
    }
    *codes = out, out = NULL;
done:
    tsr_matrix_free(out);
    tsr__free(index);
    tsr__free(square);
    return status;
}
