/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A range finder in two passes, for samples that are read once each (Halko, Martinsson & Tropp
 * 2011): with signs S (n x l),
 *
 *     Q = orthonormal(X' S)            the first pass
 *     Y = X Q,  Y' Y = V D V'          the second
 *     X ~ (Y V) (Q V)'                 singular values are the roots of D
 *
 * Rougher than subspace iteration (principal.c), which goes over the samples twice a round: for
 * starts. 4 nnz l flops; n l + (threads log(leaves)) m l doubles. Signs belong to samples, whoever
 * draws them, so that the result does not depend on the number of threads. */
#include "matrix/principal.h"

#include "base/random.h"
#include "matrix/blas.h"
#include "matrix/parallel.h"
#include "matrix/pass.h"

#include <math.h>
#include <string.h>

typedef struct finder {
    const tsr__source *source;
    int64_t l;
    uint64_t seed;
    void *signs; /* a block of them a thread, in the samples' type */
    void *q;     /* m x l, likewise */
    char *y;     /* n x l, likewise */
} finder;

static void add_block(void *context, const tsr__block *block, double *sum, int thread)
{
    const finder *f = context;
    char *signs = (char *)f->signs + (size_t)(thread * f->source->block_samples * f->l) *
                                         tsr__type_size(block->type);
    const int64_t before =
        block->first + (f->source->share != NULL ? f->source->share->first : 0);
    for (int64_t i = 0; i < block->samples; i++) {
        tsr__random random = tsr__random_seed(f->seed, (uint64_t)(before + i));
        for (int64_t a = 0; a < f->l; a++)
            tsr__value_set(signs, block->type, i * f->l + a,
                           tsr__random_uniform(&random) < 0.5 ? -1 : 1);
    }
    tsr__block_collect(sum, block, signs, f->l);
}

static tsr_status sketch(double *factor, finder *f, int threads)
{
    tsr_status status = TSR_OK;
    const tsr__source *source = f->source;
    const int64_t width = source->features * f->l;
    double *work = NULL;
    f->signs = tsr__alloc(threads * source->block_samples * f->l, tsr__type_size(source->type));
    if (f->signs == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    TSR_TRY(tsr__sum_made(factor, source, threads, width, add_block, f));
    TSR_NEW(work, width + 3 * f->l * f->l + f->l);
    TSR_TRY(tsr__orthonormalise(factor, work, source->features, f->l));
done:
    tsr__free(f->signs);
    tsr__free(work);
    return status;
}

static void put_reals(void *to, tsr_type type, const double *from, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        tsr__value_set(to, type, i, from[i]);
}

/* rows (n x l) <- rows V, of which the first r columns are kept, side by side. */
static void rotate(double *rows, const double *v, int64_t n, int64_t l, int64_t r, double *row)
{
    for (int64_t i = 0; i < n; i++) {
        memcpy(row, rows + i * l, (size_t)l * sizeof *row);
        for (int64_t a = 0; a < r; a++) {
            double sum = 0;
            for (int64_t b = 0; b < l; b++)
                sum += row[b] * v[a * l + b];
            rows[i * r + a] = sum; /* at or before what is still to be read */
        }
    }
}

struct squaring {
    const double *y;
    int64_t l;
};

static void add_gram(void *context, const tsr__block *block, double *sum, int thread)
{
    const struct squaring *s = context;
    const double *y = s->y + block->first * s->l;
    const tsr__product product = {.transpose_a = true,
                                  .rows = s->l,
                                  .columns = s->l,
                                  .inner = block->samples,
                                  .alpha = 1,
                                  .beta = 1,
                                  .a = y,
                                  .b = y,
                                  .c = sum,
                                  .lda = s->l,
                                  .ldb = s->l,
                                  .ldc = s->l};
    (void)thread;
    tsr__multiply_dense(TSR_FLOAT64, &product);
}

/* Eigenvectors of Y' Y, the largest first, as rows of v; *kept is how many count. */
static tsr_status turn_of(double *v, int64_t *kept, const double *y, const tsr__source *source,
                          int64_t l, int64_t rank, int threads)
{
    tsr_status status = TSR_OK;
    const tsr__source rows = tsr__source_bare(source);
    struct squaring of = {y, l};
    double *gram = NULL, *value = NULL;
    TSR_NEW(gram, l * l);
    TSR_NEW(value, l);
    TSR_TRY(tsr__sum_made(gram, &rows, threads, l * l, add_gram, &of));
    TSR_TRY(tsr__eigen(gram, value, l));
    for (int64_t a = 0; a < l; a++)
        memcpy(v + a * l, gram + (l - 1 - a) * l, (size_t)l * sizeof *v);
    *kept = 0;
    while (*kept < rank && *kept < l && value[l - 1 - *kept] > 1e-12 * value[l - 1])
        ++*kept;
done:
    tsr__free(gram);
    tsr__free(value);
    return status;
}

tsr_status tsr__principal_range(tsr__axes *out, const tsr__source *source, int64_t rank,
                                uint64_t seed, int threads)
{
    enum { MORE = 10 };
    tsr_status status = TSR_OK;
    const int64_t n = source->samples, m = source->features,
                  all = source->share != NULL ? source->share->whole : n,
                  least = all < m ? all : m;
    const int64_t l = rank + MORE < least ? rank + MORE : least;
    finder f = {.source = source, .l = l, .seed = seed};
    tsr__axes axes = {0};
    double *v = NULL, *row = NULL;
    TSR_NEW(axes.factor, m * l);
    TSR_NEW(axes.scores, n * l);
    TSR_NEW(v, l * l);
    TSR_NEW(row, l);
    TSR_TRY(sketch(axes.factor, &f, threads));
    f.q = tsr__alloc(m * l, tsr__type_size(source->type));
    f.y = source->type == TSR_FLOAT64 ? NULL : tsr__alloc(n * l, tsr__type_size(source->type));
    if (f.q == NULL || (f.y == NULL && source->type != TSR_FLOAT64))
        TSR_TRY(TSR_ERROR_MEMORY);
    put_reals(f.q, source->type, axes.factor, m * l);
    TSR_TRY(
        tsr__source_project(f.y != NULL ? (void *)f.y : axes.scores, source, f.q, l, threads));
    for (int64_t i = 0; f.y != NULL && i < n * l; i++)
        axes.scores[i] = tsr__value_at(f.y, source->type, i);
    TSR_TRY(turn_of(v, &axes.rank, axes.scores, source, l, rank, threads));
    rotate(axes.scores, v, n, l, axes.rank, row);
    rotate(axes.factor, v, m, l, axes.rank, row);
    *out = axes;
    axes = (tsr__axes){0};
done:
    tsr__axes_clear(&axes);
    tsr__free(v);
    tsr__free(row);
    tsr__free(f.q);
    tsr__free(f.y);
    return status;
}
