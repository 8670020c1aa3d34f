/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Principal axes of n samples with m features, Z the samples less their mean:
 *
 *     exact     eigenvectors of the smaller of Z' Z (m x m) and Z Z' (n x n); an eigenvector u
 *               of the latter gives the axis Z' u / |Z' u|. n m min(n, m) + 9 min(n, m)^3 flops
 *     subspace  where both sides are large: Q <- orthonormal(Z' (Z Q)) with the eigenvectors of
 *               Q' Z' Z Q in each round; Z is never formed, so that sparse samples stay sparse.
 *               4 nnz k flops a round
 *     rough     a given number of these rounds, from Z' S with signs S: what remains of axis a
 *               beyond the l that are carried falls by (value[l] / value[a])^2 a round (Halko,
 *               Martinsson & Tropp 2011). For starts, which need no more
 *
 * Exact products centre tile by tile: a mean far from zero costs no digits. Tiles and lanes are
 * fixed, so the result does not depend on the number of threads. */
#include "matrix/principal.h"

#include "base/random.h"
#include "matrix/blas.h"
#include "matrix/parallel.h"
#include "matrix/pass.h"

#include <math.h>
#include <string.h>

enum {
    DENSE_LIMIT = 2048, /* the shorter side up to which the exact way is taken, */
    SPARSE_LIMIT = 512, /* which makes sparse samples dense, tile by tile */
    TILE = 128,
    DEPTH = 256,  /* of a tile in the summed dimension */
    ROUNDS = 200, /* of subspace iteration, at most */
    FIRST = 64,   /* axes of the first guess when only the energy is told */
    MOST = 1024   /* axes that energy may ask of subspace iteration */
};

/* Variances below this share of the greatest are rounding. */
static const double nothing = 1e-12;

void tsr__axes_clear(tsr__axes *axes)
{
    tsr__free(axes->mean);
    tsr__free(axes->factor);
    tsr__free(axes->variance);
    tsr__free(axes->scores);
    *axes = (tsr__axes){0};
}

/* Twice: the first sum is rounded at the size of the values, the second at that of what is
 * left. */
static void mean_of(double *mean, double *left, const tsr_matrix *x)
{
    for (int round = 0; round < 2; round++) {
        for (int64_t j = 0; j < x->features; j++)
            left[j] = -(double)x->samples * mean[j];
        for (int64_t i = 0; i < x->samples; i++)
            for (int64_t at = tsr__row_begin(x, i); at < tsr__row_end(x, i); at++)
                left[tsr__row_feature(x, i, at)] += tsr__value_at(x->values, x->type, at);
        for (int64_t j = 0; j < x->features; j++)
            mean[j] += left[j] / (double)x->samples;
    }
}

/* Sum of (x - mean)^2 over everything; 0 where it is rounding. */
static double scatter_of(const tsr_matrix *x, const double *mean)
{
    double sum = 0, mean_square = 0;
    for (int64_t j = 0; j < x->features; j++)
        mean_square += mean[j] * mean[j];
    if (x->sparse) /* as if every entry were zero; those that are not make up for it */
        sum = (double)x->samples * mean_square;
    for (int64_t i = 0; i < x->samples; i++)
        for (int64_t at = tsr__row_begin(x, i); at < tsr__row_end(x, i); at++) {
            const double mu = mean[tsr__row_feature(x, i, at)];
            const double off = tsr__value_at(x->values, x->type, at) - mu;
            sum += off * off - (x->sparse ? mu * mu : 0);
        }
    const double rounding = (x->sparse ? 1e-14 : 1e-26) * (double)x->samples * mean_square;
    return sum > rounding ? sum : 0;
}

/* A piece of Z: `count` samples from `first`, `width` features from `feature`. */
typedef struct piece {
    int64_t first, count, feature, width;
} piece;

static void unpack(double *out, const tsr_matrix *x, const double *mean, piece p)
{
    for (int64_t i = 0; i < p.count; i++) {
        double *to = out + i * p.width;
        int64_t at = tsr__row_begin(x, p.first + i), end = tsr__row_end(x, p.first + i);
        for (int64_t j = 0; j < p.width; j++)
            to[j] = -mean[p.feature + j];
        if (!x->sparse) {
            const double *from = (const double *)x->values + at + p.feature;
            for (int64_t j = 0; j < p.width; j++)
                to[j] += from[j];
            continue;
        }
        for (int64_t stop = end; at < stop;) { /* the first entry from `feature` on */
            const int64_t middle = at + (stop - at) / 2;
            if (x->columns[middle] < p.feature)
                at = middle + 1;
            else
                stop = middle;
        }
        for (; at < end && x->columns[at] < p.feature + p.width; at++)
            to[x->columns[at] - p.feature] += ((const double *)x->values)[at];
    }
}

struct forming {
    const tsr_matrix *x;
    const double *mean;
    double *gram, *scratch; /* size x size; 2 TILE DEPTH a thread */
    int64_t size, tiles;
    bool by_features;
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Tile `item` of the lower triangle, and its mirror image. */
static void form_tile(void *context, int64_t item, int thread)
{
    const struct forming *f = context;
    int64_t row = 0, column = item;
    while (column > row)
        column -= ++row;
    const int64_t rows = least(TILE, f->size - row * TILE);
    const int64_t columns = least(TILE, f->size - column * TILE);
    const int64_t inner = f->by_features ? f->x->samples : f->x->features;
    double *a = f->scratch + thread * 2 * TILE * DEPTH, *b = a + TILE * DEPTH;
    double *c = f->gram + row * TILE * f->size + column * TILE;
    for (int64_t at = 0; at < inner; at += DEPTH) {
        const int64_t depth = least(DEPTH, inner - at);
        const piece pa = {f->by_features ? at : row * TILE, f->by_features ? depth : rows,
                          f->by_features ? row * TILE : at, f->by_features ? rows : depth};
        const piece pb = {f->by_features ? at : column * TILE, f->by_features ? depth : columns,
                          f->by_features ? column * TILE : at,
                          f->by_features ? columns : depth};
        unpack(a, f->x, f->mean, pa);
        unpack(b, f->x, f->mean, pb);
        const tsr__product product = {.transpose_a = f->by_features,
                                      .transpose_b = !f->by_features,
                                      .rows = rows,
                                      .columns = columns,
                                      .inner = depth,
                                      .alpha = 1,
                                      .beta = at > 0 ? 1 : 0,
                                      .a = a,
                                      .b = b,
                                      .c = c,
                                      .lda = pa.width,
                                      .ldb = pb.width,
                                      .ldc = f->size};
        tsr__multiply_dense(TSR_FLOAT64, &product);
    }
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            f->gram[(column * TILE + j) * f->size + row * TILE + i] = c[i * f->size + j];
}

/* How many of the descending values to keep. */
static int64_t kept(const double *value, int64_t count, double total,
                    const tsr__axes_options *o)
{
    int64_t k = 0;
    double sum = 0;
    while (k < count && value[k] > nothing * value[0] && (o->rank == 0 || k < o->rank) &&
           (o->energy <= 0 || sum < o->energy * total * (1 - 1e-12)))
        sum += value[k++];
    return k;
}

/* c (rows x columns) = op(a) b, inner long; all contiguous. */
static void times(double *c, const double *a, bool transposed, const double *b, int64_t rows,
                  int64_t columns, int64_t inner)
{
    const tsr__product product = {.transpose_a = transposed,
                                  .rows = rows,
                                  .columns = columns,
                                  .inner = inner,
                                  .alpha = 1,
                                  .a = a,
                                  .b = b,
                                  .c = c,
                                  .lda = transposed ? rows : inner,
                                  .ldb = columns,
                                  .ldc = columns};
    tsr__multiply_dense(TSR_FLOAT64, &product);
}

/* Twice, for the last digits. */
tsr_status tsr__orthonormalise(double *q, double *work, int64_t rows, int64_t k)
{
    double *copy = work, *gram = copy + rows * k, *scaled = gram + k * k,
           *root = scaled + k * k;
    double *value = root + k * k;
    for (int round = 0; round < 2; round++) {
        times(gram, q, true, q, k, k, rows);
        const tsr_status status = tsr__eigen(gram, value, k);
        if (status < 0)
            return status;
        for (int64_t a = 0; a < k; a++)
            for (int64_t b = 0; b < k; b++)
                scaled[a * k + b] =
                    value[a] > 1e-14 * value[k - 1] ? gram[a * k + b] / sqrt(value[a]) : 0;
        times(root, gram, true, scaled, k, k, k);
        memcpy(copy, q, (size_t)(rows * k) * sizeof *q);
        times(q, copy, false, root, rows, k, k);
    }
    return TSR_OK;
}

struct turning {
    const tsr_matrix *x;
    const double *mean, *left; /* left: samples x k */
    double *factor, *scratch;
    int64_t k;
};

/* TILE features of Z' U. */
static void turn_tile(void *context, int64_t item, int thread)
{
    const struct turning *t = context;
    const int64_t feature = item * TILE, width = least(TILE, t->x->features - feature);
    double *a = t->scratch + thread * TILE * DEPTH;
    for (int64_t at = 0; at < t->x->samples; at += DEPTH) {
        const int64_t depth = least(DEPTH, t->x->samples - at);
        unpack(a, t->x, t->mean, (piece){at, depth, feature, width});
        const tsr__product product = {.transpose_a = true,
                                      .rows = width,
                                      .columns = t->k,
                                      .inner = depth,
                                      .alpha = 1,
                                      .beta = at > 0 ? 1 : 0,
                                      .a = a,
                                      .b = t->left + at * t->k,
                                      .c = t->factor + feature * t->k,
                                      .lda = width,
                                      .ldb = t->k,
                                      .ldc = t->k};
        tsr__multiply_dense(TSR_FLOAT64, &product);
    }
}

/* From vectors u over the samples to axes over the features. */
static tsr_status turn(tsr__axes *axes, const tsr_matrix *x, double *left, int threads)
{
    tsr_status status = TSR_OK;
    const int64_t k = axes->rank, items = (x->features + TILE - 1) / TILE;
    const int used = tsr__threads(threads, items);
    double *scratch = NULL, *work = NULL;
    TSR_NEW(scratch, used * (int64_t)TILE * DEPTH);
    TSR_NEW(work, x->features * k + 3 * k * k + k);
    for (int64_t i = 0; i < x->samples; i++)
        for (int64_t a = 0; a < k; a++)
            left[i * k + a] /= sqrt(axes->variance[a]);
    struct turning t = {x, axes->mean, left, axes->factor, scratch, k};
    tsr__parallel(items, used, turn_tile, &t);
    TSR_TRY(tsr__orthonormalise(axes->factor, work, x->features, k));
done:
    tsr__free(scratch);
    tsr__free(work);
    return status;
}

static tsr_status exact(tsr__axes *axes, const tsr_matrix *x, const tsr__axes_options *o)
{
    tsr_status status = TSR_OK;
    const bool by_features = x->features <= x->samples;
    const int64_t s = by_features ? x->features : x->samples, tiles = (s + TILE - 1) / TILE;
    const int used = tsr__threads(o->threads, tiles * (tiles + 1) / 2);
    double *gram = NULL, *value = NULL, *down = NULL, *scratch = NULL, *chosen = NULL;
    TSR_NEW(gram, s * s);
    TSR_NEW(value, s);
    TSR_NEW(down, s);
    TSR_NEW(scratch, used * (int64_t)2 * TILE * DEPTH);
    struct forming f = {x, axes->mean, gram, scratch, s, tiles, by_features};
    tsr__parallel(tiles * (tiles + 1) / 2, used, form_tile, &f);
    TSR_TRY(tsr__eigen(gram, value, s));
    for (int64_t a = 0; a < s; a++)
        down[a] = value[s - 1 - a];
    const int64_t k = axes->rank = kept(down, s, axes->total, o);
    TSR_NEW(axes->factor, x->features * k);
    TSR_NEW(axes->variance, k);
    memcpy(axes->variance, down, (size_t)k * sizeof *down);
    TSR_NEW(chosen, s * k);
    for (int64_t j = 0; j < s; j++)
        for (int64_t a = 0; a < k; a++)
            chosen[j * k + a] = gram[(s - 1 - a) * s + j];
    if (by_features)
        memcpy(axes->factor, chosen, (size_t)(s * k) * sizeof *chosen);
    else
        TSR_TRY(turn(axes, x, chosen, o->threads));
done:
    tsr__free(gram);
    tsr__free(value);
    tsr__free(down);
    tsr__free(scratch);
    tsr__free(chosen);
    return status;
}

/* The workspace of subspace iteration with l vectors. */
typedef struct subspace {
    const tsr_matrix *x;
    tsr__source source, turned; /* turned: no blocks where the samples are not at hand so */
    int64_t l;
    int threads;
    bool about_origin;
    double *q, *y, *back, *room, *work; /* m x l, n x l, m x l, of sums, see orthonormalise */
    double *turn, *value;               /* l x l, l */
} subspace;

static void centre_columns(double *y, int64_t rows, int64_t k)
{
    for (int64_t a = 0; a < k; a++) {
        double mean = 0;
        for (int64_t i = 0; i < rows; i++)
            mean += y[i * k + a];
        mean /= (double)rows;
        for (int64_t i = 0; i < rows; i++)
            y[i * k + a] -= mean;
    }
}

/* y = Z q; `turn` (columns, descending) diagonalises y' y into `value`. */
static tsr_status look(subspace *s)
{
    double *gram = s->work, *value = gram + s->l * s->l;
    TSR_OR_RETURN(tsr__source_project(s->y, &s->source, s->q, s->l, s->threads));
    if (!s->about_origin)
        centre_columns(s->y, s->x->samples, s->l);
    times(gram, s->y, true, s->y, s->l, s->l, s->x->samples);
    const tsr_status status = tsr__eigen(gram, value, s->l);
    for (int64_t a = 0; status == TSR_OK && a < s->l; a++) {
        s->value[a] = fmax(value[s->l - 1 - a], 0);
        for (int64_t b = 0; b < s->l; b++)
            s->turn[b * s->l + a] = gram[(s->l - 1 - a) * s->l + b];
    }
    return status;
}

/* back = Z' y, for y whose columns are centred where Z is. */
static tsr_status collect(subspace *s)
{
    return s->turned.blocks > 0
               ? tsr__source_project(s->back, &s->turned, s->y, s->l, s->threads)
               : tsr__source_collect(s->back, s->room, &s->source, s->y, s->l, s->threads);
}

/* q <- orthonormal(Z' y turn / value): scaled, the columns are nearly orthonormal already, and
 * small variances are not lost beside large ones. */
static tsr_status step(subspace *s)
{
    const int64_t l = s->l, m = s->x->features;
    for (int64_t b = 0; b < l; b++)
        for (int64_t a = 0; a < l; a++)
            s->turn[b * l + a] =
                s->value[a] > nothing * s->value[0] ? s->turn[b * l + a] / s->value[a] : 0;
    TSR_OR_RETURN(collect(s));
    times(s->q, s->back, false, s->turn, m, l, l);
    return tsr__orthonormalise(s->q, s->work, m, l);
}

/* q = Z' S for signs, the cheapest test matrix: a random word has 64 of them, and there are
 * fewer samples than features where it matters. */
static tsr_status cast_signs(subspace *s, tsr__random *random)
{
    uint64_t bits = 0;
    for (int64_t i = 0; i < s->x->samples * s->l; i++, bits >>= 1) {
        if (i % 64 == 0)
            bits = tsr__random_bits(random);
        s->y[i] = (bits & 1) != 0 ? 1 : -1;
    }
    if (!s->about_origin)
        centre_columns(s->y, s->x->samples, s->l);
    TSR_OR_RETURN(collect(s));
    memcpy(s->q, s->back, (size_t)(s->x->features * s->l) * sizeof *s->q);
    return TSR_OK;
}

/* The leading k axes of Z in s->turn and s->value, spanned by s->q; s->y is Z q. */
static tsr_status iterate(subspace *s, int64_t k, const tsr__axes_options *o)
{
    tsr_status status = TSR_OK;
    tsr__random random = tsr__random_seed(o->seed, 0x617865u);
    const int rounds = o->rounds > 0 ? o->rounds : ROUNDS;
    double last = -1;
    if (o->rounds > 0)
        TSR_TRY(cast_signs(s, &random));
    else
        for (int64_t i = 0; i < s->x->features * s->l; i++)
            s->q[i] = tsr__random_normal(&random);
    TSR_TRY(tsr__orthonormalise(s->q, s->work, s->x->features, s->l));
    for (int round = 0;; round++) {
        double sum = 0;
        TSR_TRY(look(s));
        for (int64_t a = 0; a < k; a++)
            sum += s->value[a];
        if (round == rounds || sum - last <= 1e-10 * sum)
            break;
        last = sum;
        TSR_TRY(step(s));
    }
done:
    return status;
}

/* `k` axes at most; false in `enough` when energy asks for more than were looked for. */
static tsr_status by_subspace(tsr__axes *axes, bool *enough, const tsr_matrix *x, int64_t k,
                              const tsr__axes_options *o)
{
    tsr_status status = TSR_OK;
    const int64_t n = x->samples, m = x->features;
    const int64_t l = least(k + (o->rounds > 0 ? 0 : k / 4) + 10, least(n, m));
    subspace s = {.x = x,
                  .source = tsr__source_of_matrix(x, 1 << 19),
                  .l = l,
                  .threads = tsr__threads(o->threads, INT64_MAX),
                  .about_origin = o->about_origin};
    double *chosen = NULL;
    if (o->turned != NULL)
        s.turned = tsr__source_of_matrix(o->turned, 1 << 19);
    TSR_NEW(s.q, m * l);
    TSR_NEW(s.y, n * l);
    TSR_NEW(s.back, m * l);
    if (o->turned == NULL)
        TSR_NEW(s.room, tsr__collect_room(&s.source, l, s.threads));
    TSR_NEW(s.work, m * l + 3 * l * l + l);
    TSR_NEW(s.turn, l * l);
    TSR_NEW(s.value, l);
    TSR_TRY(iterate(&s, k, o));
    const int64_t found = kept(s.value, k, axes->total, o);
    double held = 0;
    for (int64_t a = 0; a < found; a++)
        held += s.value[a];
    *enough = found < k || o->energy <= 0 || held >= o->energy * axes->total * (1 - 1e-12);
    TSR_NEW(chosen, l * found);
    TSR_NEW(axes->factor, m * found);
    TSR_NEW(axes->variance, found);
    for (int64_t b = 0; b < l; b++)
        memcpy(chosen + b * found, s.turn + b * l, (size_t)found * sizeof *chosen);
    times(axes->factor, s.q, false, chosen, m, found, l);
    memcpy(axes->variance, s.value, (size_t)found * sizeof *s.value);
    axes->rank = found;
    if (o->scores) {
        TSR_NEW(axes->scores, n * found);
        times(axes->scores, s.y, false, chosen, n, found, l);
    }
done:
    tsr__free(s.q);
    tsr__free(s.y);
    tsr__free(s.back);
    tsr__free(s.room);
    tsr__free(s.work);
    tsr__free(s.turn);
    tsr__free(s.value);
    tsr__free(chosen);
    return status;
}

static tsr_status iterated(tsr__axes *axes, const tsr_matrix *x, const tsr__axes_options *o)
{
    tsr_status status = TSR_OK;
    const int64_t side = least(x->samples, x->features);
    const int64_t most = least(o->rank > 0 ? o->rank : MOST, side);
    bool enough = false;
    for (int64_t k = o->energy > 0 ? least(FIRST, most) : most; !enough;
         k = least(2 * k, most)) {
        tsr__free(axes->factor);
        tsr__free(axes->variance);
        tsr__free(axes->scores);
        axes->factor = axes->variance = axes->scores = NULL;
        TSR_TRY(by_subspace(axes, &enough, x, k, o));
        enough = enough || k == most;
    }
done:
    return status;
}

/* Scores of axes that were found without them. */
static tsr_status score(tsr__axes *axes, const tsr_matrix *x, int threads, bool centred)
{
    const tsr__source source = tsr__source_of_matrix(x, 1 << 19);
    axes->scores = tsr__alloc(x->samples * axes->rank, sizeof *axes->scores);
    if (axes->scores == NULL)
        return TSR_ERROR_MEMORY;
    TSR_OR_RETURN(tsr__source_project(axes->scores, &source, axes->factor, axes->rank,
                                      tsr__threads(threads, source.blocks)));
    if (centred)
        centre_columns(axes->scores, x->samples, axes->rank);
    return TSR_OK;
}

/* Whether the eigenvectors are at hand for less than the rounds would take, in flops of dense
 * samples: exact ones are then the cheaper, too. */
static bool cheap(int64_t side, int64_t other, const tsr__axes_options *o)
{
    const double s = (double)side, l = (double)(o->rank + 10);
    return (double)other * s * s + 9 * s * s * s <
           4 * (double)other * s * l * (double)(o->rounds + 1);
}

/* Rounds are fewer than those to the last digits wherever these take rounds. */
static bool is_exact(const tsr_matrix *x, const tsr__axes_options *o)
{
    const bool by_feature = x->features <= x->samples;
    const int64_t side = by_feature ? x->features : x->samples;
    /* a share of the variance may take hundreds of axes, with which rounds are dear */
    const bool few = (x->sparse && o->energy <= 0) || o->rounds > 0;
    return side <= (few ? SPARSE_LIMIT : DENSE_LIMIT) &&
           (o->rounds == 0 || cheap(side, by_feature ? x->samples : x->features, o));
}

tsr_status tsr__principal_axes(tsr__axes *out, const tsr_matrix *x,
                               const tsr__axes_options *options)
{
    tsr_status status = TSR_OK;
    tsr__axes axes = {.features = x->features};
    double *row = NULL;
    TSR_TRY(tsr__check_squares(NULL, x, NULL, (double)x->samples));
    TSR_NEW_ZERO(axes.mean, x->features);
    TSR_NEW(row, x->features);
    if (!options->about_origin)
        mean_of(axes.mean, row, x);
    axes.total = scatter_of(x, axes.mean);
    if (axes.total > 0 && is_exact(x, options))
        TSR_TRY(exact(&axes, x, options));
    else if (axes.total > 0)
        TSR_TRY(iterated(&axes, x, options));
    if (options->scores && axes.scores == NULL && axes.rank > 0)
        TSR_TRY(score(&axes, x, options->threads, !options->about_origin));
    for (int64_t a = 0; a < axes.rank; a++)
        axes.variance[a] /= (double)x->samples;
    axes.total /= (double)x->samples;
    *out = axes;
    axes = (tsr__axes){0};
done:
    tsr__free(row);
    tsr__axes_clear(&axes);
    return status;
}
