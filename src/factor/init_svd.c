/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Starts from singular vectors: of each leading pair sigma u v' the best non-negative part, which
 * is that of both positive or of both negative entries, whichever has the larger product of
 * lengths (Boutsidis & Gallopoulos 2008).
 *
 * The pairs are rough (principal.h): after eight rounds the subspace holds what parts are made of.
 * With four the seed still decides which minimum of 20 Newsgroups is found, 0.3 % apart. Cost: 18
 * passes with k + 10 columns; small dense data have their exact pairs for less. */
#include "factor/init.h"

#include "matrix/pass.h"
#include "matrix/principal.h"

#include <math.h>

enum { ROUNDS = 8 };

/* Singular vectors: rows of a rank, or features (source NULL). What zeros become: fill[0] + fill[1] times
 * a random number below 1. */
typedef struct parts {
    const double *vectors; /* rows x r, of either sign */
    int64_t rows, r, k;
    const tsr__source *source; /* rows as these blocks */
    const double *fill;
} parts;

/* Squared lengths of the positive (k) and the negative (k) parts of the columns. */
static void add_squares(const parts *p, int64_t first, int64_t rows, double *length)
{
    for (int64_t i = first; i < first + rows; i++)
        for (int64_t a = 0; a < p->r; a++) {
            const double v = p->vectors[i * p->r + a];
            length[v > 0 ? a : p->k + a] += v * v;
        }
}

static void add_block(void *context, const tsr__block *block, double *sum, int thread)
{
    (void)thread;
    add_squares(context, block->first, block->samples, sum);
}

static tsr_status measure(double *length, parts *p, int threads)
{
    if (p->source != NULL)
        TSR_OR_RETURN(tsr__sum_made(length, p->source, threads, 2 * p->k, add_block, p));
    for (int64_t a = 0; p->source == NULL && a < 2 * p->k; a++)
        length[a] = 0;
    if (p->source == NULL)
        add_squares(p, 0, p->rows, length);
    for (int64_t a = 0; a < 2 * p->k; a++)
        length[a] = sqrt(length[a]);
    return TSR_OK;
}

/* `to` (rows x k) = by the parts of the columns whose sign `by` has. Where the data have fewer
 * than k singular vectors, the others are filling alone. A random number is drawn for every
 * entry, wanted or not, so that the stream does not depend on the signs. */
static void put(tsr__start *b, void *to, const parts *p, const double *by)
{
    tsr__solver *s = b->s;
    const tsr__share *share = &b->problem->rows;
    const bool shared = p->source != NULL && p->fill[1] > 0;
    tsr__random_skip(&b->random, shared ? share->first * s->k : 0);
    for (int64_t i = 0; i < p->rows; i++)
        for (int64_t a = 0; a < s->k; a++) {
            const double v = a < p->r ? by[a] * p->vectors[i * p->r + a] : 0;
            const double zero =
                p->fill[0] +
                (p->fill[1] > 0 ? p->fill[1] * tsr__random_uniform(&b->random) : 0);
            tsr__real_set(s, to, i * s->k + a, v > 0 ? v : zero);
        }
    tsr__random_skip(&b->random,
                     shared ? (share->whole - share->first - share->count) * s->k : 0);
}

/* Scores become left vectors of unit length; their lengths are the singular values. */
static tsr_status split_sigma(double *sigma, double *scores, const parts *left, int threads)
{
    parts p = *left;
    TSR_OR_RETURN(measure(sigma, &p, threads));
    for (int64_t a = 0; a < p.r; a++)
        sigma[a] = hypot(sigma[a], sigma[p.k + a]);
    for (int64_t i = 0; i < p.rows; i++)
        for (int64_t a = 0; a < p.r; a++)
            scores[i * p.r + a] = sigma[a] > 0 ? scores[i * p.r + a] / sigma[a] : 0;
    return TSR_OK;
}

/* Codes and basis share the square root of sigma |u| |v|, so that neither is longer than the
 * other. `room`: 8 k, the first of them sigma. */
static tsr_status put_pairs(tsr__start *b, parts *left, parts *right, double *room)
{
    const int64_t k = b->s->k;
    const int threads = b->s->plan->threads;
    double *sigma = room, *l = sigma + 2 * k, *v = l + 2 * k, *to_codes = v + 2 * k,
           *to_basis = to_codes + k;
    TSR_OR_RETURN(measure(l, left, threads));
    TSR_OR_RETURN(measure(v, right, threads));
    for (int64_t a = 0; a < k; a++) {
        const int64_t at = l[a] * v[a] >= l[k + a] * v[k + a] ? a : k + a;
        const double by = sqrt(sigma[a] * l[at] * v[at]), sign = at == a ? 1 : -1;
        to_codes[a] = l[at] > 0 ? sign * by / l[at] : 0;
        to_basis[a] = v[at] > 0 ? sign * by / v[at] : 0;
    }
    put(b, b->s->state.codes, left, to_codes);
    put(b, b->s->state.basis, right, to_basis);
    return TSR_OK;
}

/* The turned samples, where the problem has them as they are: without weights, as doubles. */
static const tsr_matrix *turned_of(const tsr__problem *p)
{
    const tsr_matrix *x = p->held.turned;
    return x != NULL && p->weight == NULL && x->type == TSR_FLOAT64 ? x : NULL;
}

static void add_values(void *context, const tsr_matrix *rows, int64_t first, int64_t chunk,
                       int thread)
{
    double *sums = context;
    (void)first, (void)thread;
    for (int64_t i = 0; i < rows->samples; i++)
        for (int64_t at = tsr__row_begin(rows, i); at < tsr__row_end(rows, i); at++)
            sums[chunk] += tsr__value_at(rows->values, rows->type, at);
}

/* Of all values of the rows that the loss sees; where these are the samples, it is known. */
static tsr_status sum_rows(double *out, const tsr__start *b)
{
    double sums[TSR_CHUNKS_MOST] = {0};
    const tsr_matrix *rows = b->problem->held.reduced;
    const tsr__share *share = tsr__cut_by(&b->problem->rows);
    *out = b->problem->survey.magnitudes;
    if (rows == NULL)
        return TSR_OK;
    TSR_OR_RETURN(tsr__walk_leaves(rows, share, tsr__matrix_threads(rows, b->s->plan->threads),
                                   add_values, sums));
    TSR_OR_RETURN(tsr__walk_total(sums, tsr__walk_parts(rows, share), 1, share));
    *out = sums[0];
    return TSR_OK;
}

/* Rows that are read in order have two passes for it. */
static tsr_status find_axes(tsr__axes *out, tsr__start *b)
{
    tsr_status status = TSR_OK;
    const tsr__solver *s = b->s;
    const tsr_matrix *rows = b->problem->held.reduced != NULL ? b->problem->held.reduced : b->x;
    const tsr__axes_options options = {.rank = s->k,
                                       .seed = (uint64_t)b->spec->options->seed,
                                       .threads = s->plan->threads,
                                       .about_origin = true,
                                       .scores = true,
                                       .rounds = ROUNDS,
                                       .turned = turned_of(b->problem)};
    tsr_matrix *doubles = NULL;
    if (b->problem->streams)
        return tsr__principal_range(out, &b->problem->by_sample, s->k, options.seed,
                                    s->plan->threads);
    if (rows->type != TSR_FLOAT64) {
        TSR_TRY(tsr_matrix_copy_as(&doubles, rows, TSR_FLOAT64, rows->sparse));
        rows = doubles;
    }
    TSR_TRY(tsr__principal_axes(out, rows, &options));
done:
    tsr_matrix_free(doubles);
    return status;
}

/* Tied codes start from the group means, which are the rows that the loss sees. */
tsr_status tsr__start_svd(tsr__start *b, tsr__filling how)
{
    tsr_status status = TSR_OK;
    tsr__solver *s = b->s;
    tsr__axes axes = {0};
    double *room = NULL, sum = 0;
    if (b->spec->basis == TSR_BASIS_CONCEPT)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "nndsvd starts a free basis: --init random or kmeans for "
                                     "concept models");
    TSR_TRY(find_axes(&axes, b));
    TSR_NEW_ZERO(room, 8 * s->k);
    TSR_TRY(sum_rows(&sum, b));
    /* what k constant vectors and codes would be, so that their product is the mean of X */
    const double even =
        sqrt(sum / (double)b->problem->rows.whole / (double)s->m / (double)s->k);
    const double fill[2] = {how == TSR_FILL_MEAN ? even : 0,
                            how == TSR_FILL_RANDOM ? even / 100 : 0};
    const tsr__source rows = tsr__source_bare(&b->problem->by_sample);
    parts left = {axes.scores, s->n, axes.rank, s->k, &rows, fill};
    parts right = {axes.factor, s->m, axes.rank, s->k, NULL, fill};
    TSR_TRY(split_sigma(room, axes.scores, &left, s->plan->threads));
    TSR_TRY(put_pairs(b, &left, &right, room));
done:
    tsr__axes_clear(&axes);
    tsr__free(room);
    return status;
}
