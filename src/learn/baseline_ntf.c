/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Non-negative tensor factorization of n pictures of p lines with q pixels (CP, also PARAFAC):
 *
 *     minimise  sum_i || X_i - sum_k g_ik a_k b_k' ||^2,    A (p x k), B (q x k), G (n x k) >= 0
 *
 * Every part is a_k b_k': NMF whose basis F = A (.) B, column by column the outer product, has
 * rank-one pictures. One block at a time is improved coordinate by coordinate (HALS; Cichocki &
 * Phan 2009), each coordinate to its exact minimum, so the objective never rises:
 *
 *     A   from C = X' G, folded with B;  Hessian (B' B) * (G' G), entry by entry
 *     B   from C, folded with A;         Hessian (A' A) * (G' G)
 *     G   from X F;                      Hessian (A' A) * (B' B)
 *
 * A line is a row or a column of the picture, whichever the samples store together. The vectors
 * a_k, b_k have unit length; G carries the scale. An iteration reads X once, dense or sparse:
 * 4 nnz k + O((n + p q) k + n k^2) flops. Beside X there are O((n + p q) k) numbers. */
#include "learn/encoder.h"

#include "base/random.h"
#include "factor/solve.h"
#include "matrix/blas.h"
#include "matrix/descent.h"
#include "matrix/kernels.h"
#include "matrix/parallel.h"
#include "matrix/pass.h"

#include <math.h>
#include <string.h>

enum {
    WINDOW = 10, /* sweeps of new samples between two looks at who has settled */
    SWEEPS = 2   /* of A and B, and of G, an iteration: both cost little beside the pass */
};

typedef struct ntf {
    int64_t n, m, p, q, k, rows; /* rows: most of a block */
    tsr__source source;
    int threads;
    tsr__arena arena;
    tsr__random random;
    double *a, *b, *f, *g;         /* f: m x k */
    double *room;                  /* sums over the samples, of which the first is: */
    double *collect, *spread;      /*   m x k: X' G; k x k: G' G */
    double *cross;                 /*   <X F, G> */
    double *gram, *aa, *bb, *hess; /* k x k */
    double *fold;                  /* max(p, q) x k */
    double *tile, *work;           /* a thread each: rows k: X_b F; room of a descent */
    double *length;                /* k */
    double square, objective;      /* ||X||^2; J */
} ntf;

static int64_t sum_width(const ntf *s)
{
    return s->m * s->k + s->k * s->k + 1;
}

static void layout(ntf *s)
{
    tsr__arena *arena = &s->arena;
    const int64_t k = s->k, longest = s->p > s->q ? s->p : s->q;
    const struct {
        double **array;
        int64_t count, times;
    } arrays[] = {
        {&s->a, s->p, k},
        {&s->b, s->q, k},
        {&s->f, s->m, k},
        {&s->g, s->n, k},
        {&s->room, sum_width(s), tsr__sum_room(&s->source, s->threads)},
        {&s->gram, k, k},
        {&s->aa, k, k},
        {&s->bb, k, k},
        {&s->hess, k, k},
        {&s->fold, longest, k},
        {&s->tile, s->rows, k * s->threads},
        {&s->work, s->threads, tsr__descent_room(k)},
        {&s->length, k, 1},
    };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i].array =
            tsr__arena_take(arena, arrays[i].count, (size_t)arrays[i].times * sizeof(double));
    s->collect = s->room;
    s->spread = s->room != NULL ? s->room + s->m * k : NULL;
    s->cross = s->room != NULL ? s->spread + k * k : NULL;
}

/* c (rows x k) = op(a) b with b square or, transposed, as long as a. */
static void times(double *c, const double *a, bool transposed, const double *b, int64_t rows,
                  int64_t k, double beta)
{
    const tsr__product product = {.transpose_a = transposed,
                                  .rows = transposed ? k : rows,
                                  .columns = k,
                                  .inner = transposed ? rows : k,
                                  .alpha = 1,
                                  .beta = beta,
                                  .a = a,
                                  .b = b,
                                  .c = c,
                                  .lda = k,
                                  .ldb = k,
                                  .ldc = k};
    tsr__multiply_dense(TSR_FLOAT64, &product);
}

static void descend(double *theta, const double *projection, const double *hess, double *work,
                    int64_t rows, int64_t k, int sweeps)
{
    const tsr__descent descent = {.theta = theta,
                                  .projection = projection,
                                  .gram = hess,
                                  .work = work,
                                  .rows = rows,
                                  .k = k,
                                  .sweeps = sweeps};
    tsr__descents_of(TSR_FLOAT64)->squares(&descent);
}

/* G of a block, and what the block adds to the sums. */
static void visit(void *context, const tsr__block *block, double *sum, int thread)
{
    ntf *s = context;
    const int64_t k = s->k;
    double *g = s->g + block->first * k;
    double *projection = s->tile + thread * s->rows * k;
    tsr__block_project(projection, block, s->f, k, true);
    descend(g, projection, s->gram, s->work + thread * tsr__descent_room(k), block->samples, k,
            SWEEPS);
    tsr__block_collect(sum, block, g, k);
    times(sum + s->m * k, g, true, g, block->samples, k, 1);
    sum[s->m * k + k * k] +=
        tsr__kernels_of(TSR_FLOAT64)->dot(projection, g, block->samples * k);
}

/* One pass over the samples; returns the objective. */
static double pass(ntf *s)
{
    const int64_t k = s->k;
    double quadratic = 0;
    const tsr__sum sum = {&s->source, s->threads, sum_width(s), s->room, visit, s, false};
    (void)tsr__sum_leaves(&sum); /* of memory: it cannot fail */
    for (int64_t i = 0; i < k * k; i++)
        quadratic += s->gram[i] * s->spread[i];
    return s->square - 2 * *s->cross + quadratic;
}

/* fold (p x k): sum over q of C b; or fold (q x k): sum over p of C a. */
static void fold_lines(ntf *s)
{
    const int64_t k = s->k;
    memset(s->fold, 0, (size_t)(s->p * k) * sizeof *s->fold);
    for (int64_t j = 0; j < s->m; j++)
        for (int64_t l = 0; l < k; l++)
            s->fold[j / s->q * k + l] += s->collect[j * k + l] * s->b[j % s->q * k + l];
}

static void fold_pixels(ntf *s)
{
    const int64_t k = s->k;
    memset(s->fold, 0, (size_t)(s->q * k) * sizeof *s->fold);
    for (int64_t j = 0; j < s->m; j++)
        for (int64_t l = 0; l < k; l++)
            s->fold[j % s->q * k + l] += s->collect[j * k + l] * s->a[j / s->q * k + l];
}

static void hadamard(double *to, const double *a, const double *b, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = a[i] * b[i];
}

/* A and B with the codes fixed; both grams are kept up. */
static void step_basis(ntf *s)
{
    const int64_t k = s->k;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        fold_lines(s);
        hadamard(s->hess, s->bb, s->spread, k * k);
        descend(s->a, s->fold, s->hess, s->work, s->p, k, 1);
        times(s->aa, s->a, true, s->a, s->p, k, 0);
        fold_pixels(s);
        hadamard(s->hess, s->aa, s->spread, k * k);
        descend(s->b, s->fold, s->hess, s->work, s->q, k, 1);
        times(s->bb, s->b, true, s->b, s->q, k, 0);
    }
}

static void draw(double *a, int64_t rows, int64_t k, int64_t column, tsr__random *random)
{
    for (int64_t i = 0; i < rows; i++)
        a[i * k + column] = 0.05 + tsr__random_uniform(random);
}

/* Unit length for a_l and b_l, whose lengths go to the codes. A part that has vanished starts
 * anew with codes of zero, which leaves the objective as it is. */
static void settle_part(ntf *s, int64_t l)
{
    const int64_t k = s->k;
    const double product = sqrt(s->aa[l * k + l]) * sqrt(s->bb[l * k + l]);
    double a = 0, b = 0;
    s->length[l] = product > 0 ? product : 0;
    if (!(product > 0)) {
        draw(s->a, s->p, k, l, &s->random);
        draw(s->b, s->q, k, l, &s->random);
    }
    for (int64_t i = 0; i < s->p; i++)
        a += s->a[i * k + l] * s->a[i * k + l];
    for (int64_t i = 0; i < s->q; i++)
        b += s->b[i * k + l] * s->b[i * k + l];
    for (int64_t i = 0; i < s->p; i++)
        s->a[i * k + l] /= sqrt(a);
    for (int64_t i = 0; i < s->q; i++)
        s->b[i * k + l] /= sqrt(b);
}

static void settle_scale(ntf *s)
{
    const int64_t k = s->k;
    for (int64_t l = 0; l < k; l++)
        settle_part(s, l);
    tsr__kernels_of(TSR_FLOAT64)->scale_columns(s->g, s->length, s->n, k);
    times(s->aa, s->a, true, s->a, s->p, k, 0);
    times(s->bb, s->b, true, s->b, s->q, k, 0);
    hadamard(s->gram, s->aa, s->bb, k * k);
    for (int64_t j = 0; j < s->m; j++)
        hadamard(s->f + j * k, s->a + j / s->q * k, s->b + j % s->q * k, k);
}

/* Uniform factors; each sample's codes give its reconstruction the right sum. */
static void start(ntf *s, const tsr_matrix *x)
{
    const int64_t k = s->k;
    for (int64_t l = 0; l < k; l++) {
        draw(s->a, s->p, k, l, &s->random);
        draw(s->b, s->q, k, l, &s->random);
    }
    times(s->aa, s->a, true, s->a, s->p, k, 0);
    times(s->bb, s->b, true, s->b, s->q, k, 0);
    settle_scale(s);
    double all = 0;
    for (int64_t i = 0; i < s->m * k; i++)
        all += s->f[i];
    for (int64_t i = 0; i < s->n; i++) {
        double sum = 0;
        for (int64_t at = tsr__row_begin(x, i); at < tsr__row_end(x, i); at++)
            sum += tsr__value_at(x->values, x->type, at);
        for (int64_t l = 0; l < k; l++)
            s->g[i * k + l] = 2 * tsr__random_uniform(&s->random) * sum / all;
        s->square += tsr__row_square(x, i);
    }
}

static tsr_status step(void *user)
{
    ntf *s = user;
    step_basis(s);
    settle_scale(s);
    s->objective = pass(s);
    return TSR_OK;
}

static double objective(void *user, double *terms)
{
    const ntf *s = user;
    for (int i = 0; terms != NULL && i < TSR_TERMS; i++)
        terms[i] = i == TSR_TERM_LOSS ? s->objective : (double)NAN;
    return s->objective;
}

static tsr_status iterate(tsr_encoder *e, ntf *s, const tsr_fit_options *o)
{
    tsr_status status = TSR_OK;
    tsr__history history = {0};
    tsr__loop loop = {.steps = {.user = s, .step = step, .objective = objective},
                      .options = o,
                      .history = &history,
                      .limit = o->iterations,
                      .size = s->square};
    s->objective = pass(s);
    TSR_TRY(tsr__solve(&loop));
    e->iterations = history.iterations;
    e->objective = history.objective, history.objective = NULL;
    if (loop.diverged)
        TSR_FAIL(TSR_ERROR_DIVERGED, "the objective is no longer a number: the data may span "
                                     "too many powers of ten");
    if (loop.interrupted)
        status = tsr__fail(TSR_ERROR_INTERRUPTED, "stopped after %lld iterations",
                           (long long)e->iterations);
done:
    tsr__history_clear(&history);
    return status;
}

static tsr_status make(ntf *s, const tsr__training *t, int64_t rank)
{
    const tsr_image_shape shape = tsr_matrix_image(tsr_data_samples(t->data));
    const bool by_rows = shape.order == TSR_ROW_ORDER;
    const int64_t m = t->x->features;
    const double work = (double)t->x->samples * (double)m * (double)rank;
    *s = (ntf){.n = t->x->samples,
               .m = m,
               .p = by_rows ? shape.height : shape.width,
               .q = by_rows ? shape.width : shape.height,
               .k = rank,
               .source = tsr__source_of_matrix(t->x, 1 << 19),
               .random = tsr__random_seed((uint64_t)t->options->seed, 0x6e7466u)};
    /* below this a second thread costs more than it brings; the result is the same */
    s->threads = work < 1e7 ? 1 : tsr__threads(t->options->threads, s->source.leaves);
    s->rows = s->source.block_samples;
    layout(s);
    const tsr_status status = tsr__arena_open(&s->arena);
    if (status == TSR_OK)
        layout(s);
    return status;
}

tsr_status tsr__ntf_fit(tsr_encoder *e, const tsr__training *t)
{
    tsr_status status = TSR_OK, stopped = TSR_OK;
    ntf s = {0};
    int64_t rank = 0;
    if (tsr_matrix_image(tsr_data_samples(t->data)).height == 0)
        TSR_FAIL(TSR_ERROR_DATA,
                 "ntf needs pictures, and the height and width of those of %s are not known: "
                 "--image-shape HxW",
                 tsr_data_origin(t->data));
    TSR_TRY(tsr__check_squares(NULL, t->x, NULL, (double)t->x->samples));
    TSR_TRY(tsr__baseline_rank(&rank, e, t, INT64_MAX, ""));
    if (rank > t->x->samples && rank > t->x->features)
        TSR_FAIL(TSR_ERROR_ARGUMENT,
                 "rank %lld exceeds both the %lld samples and the %lld features",
                 (long long)rank, (long long)t->x->samples, (long long)t->x->features);
    TSR_TRY(make(&s, t, rank));
    start(&s, t->x);
    stopped = iterate(e, &s, t->options);
    if (stopped < 0 && stopped != TSR_ERROR_INTERRUPTED)
        TSR_TRY(stopped);
    TSR_NEW(e->factor, s.m * rank);
    TSR_NEW(e->gram, rank * rank);
    memcpy(e->factor, s.f, (size_t)(s.m * rank) * sizeof *s.f);
    memcpy(e->gram, s.gram, (size_t)(rank * rank) * sizeof *s.gram);
    e->rank = rank;
    status = stopped;
done:
    tsr__arena_close(&s.arena);
    return status;
}

enum { ROWS = 64 };

/* What a thread works on ROWS samples with. */
struct bench {
    double *trial, *product, *work; /* ROWS x k twice, and a descent's room */
    double least[ROWS];             /* of each row so far */
    bool settled[ROWS];
};

struct encoding {
    const tsr_encoder *e;
    const tsr_matrix *x;
    const tsr_transform_options *options;
    const double *projection; /* n x k */
    double *codes;            /* n x k */
    struct bench *bench;      /* one a thread */
};

/* Takes the codes of rows that gain no more; returns how many rows still gain. */
static int64_t take_settled(const struct encoding *c, struct bench *b, int64_t first,
                            int64_t rows)
{
    const tsr__kernels *kernels = tsr__kernels_of(TSR_FLOAT64);
    const int64_t k = c->e->rank;
    int64_t moving = 0;
    times(b->product, b->trial, false, c->e->gram, rows, k, 0);
    for (int64_t i = 0; i < rows; i++) {
        const double *g = b->trial + i * k, square = tsr__row_square(c->x, first + i);
        const double now = square - 2 * kernels->dot(c->projection + (first + i) * k, g, k) +
                           kernels->dot(b->product + i * k, g, k);
        if (!b->settled[i])
            memcpy(c->codes + (first + i) * k, g, (size_t)k * sizeof *g);
        b->settled[i] = b->settled[i] ||
                        b->least[i] - now <= c->options->tolerance * fmax(now, 1e-12 * square);
        b->least[i] = now;
        moving += !b->settled[i];
    }
    return moving;
}

/* Non-negative least squares of some samples, each until it settles: no other sample has a
 * part in its codes. */
static void encode_rows(void *context, int64_t item, int thread)
{
    const struct encoding *c = context;
    struct bench *b = &c->bench[thread];
    const int64_t k = c->e->rank, first = item * ROWS;
    const int64_t rows = c->x->samples - first < ROWS ? c->x->samples - first : ROWS;
    memset(b->trial, 0, (size_t)(rows * k) * sizeof *b->trial);
    for (int64_t i = 0; i < rows; i++) {
        b->least[i] = tsr__row_square(c->x, first + i);
        b->settled[i] = false;
    }
    for (int64_t done = 0, moving = rows; done < c->options->iterations && moving > 0;
         done += WINDOW) {
        descend(b->trial, c->projection + first * k, c->e->gram, b->work, rows, k, WINDOW);
        moving = take_settled(c, b, first, rows);
    }
}

static tsr_status by_loss(struct encoding *c, int threads)
{
    tsr_status status = TSR_OK;
    const int64_t k = c->e->rank, each = 2 * ROWS * k + tsr__descent_room(k);
    double *room = NULL;
    TSR_NEW_ZERO(c->bench, threads);
    TSR_NEW(room, threads * each);
    for (int t = 0; t < threads; t++) {
        c->bench[t].work = room + t * each;
        c->bench[t].trial = c->bench[t].work + tsr__descent_room(k);
        c->bench[t].product = c->bench[t].trial + ROWS * k;
    }
    tsr__parallel((c->x->samples + ROWS - 1) / ROWS, threads, encode_rows, c);
done:
    tsr__free(c->bench);
    tsr__free(room);
    return status;
}

/* Codes = X F (F' F)^-1, with a ridge of rounding size for parts that depend on each other. */
static tsr_status by_inverse(struct encoding *c, int threads)
{
    tsr_status status = TSR_OK;
    const int64_t k = c->e->rank;
    double *gram = NULL, *inverse = NULL;
    (void)threads;
    TSR_NEW(gram, k * k);
    TSR_NEW_ZERO(inverse, k * k);
    memcpy(gram, c->e->gram, (size_t)(k * k) * sizeof *gram);
    for (int64_t l = 0; l < k; l++) {
        gram[l * k + l] += 1e-13 * (double)k;
        inverse[l * k + l] = 1;
    }
    TSR_TRY(tsr__solve_positive(gram, inverse, k, k));
    times(c->codes, c->projection, false, inverse, c->x->samples, k, 0);
done:
    tsr__free(gram);
    tsr__free(inverse);
    return status;
}

static tsr_status by_product(struct encoding *c, int threads)
{
    (void)threads;
    memcpy(c->codes, c->projection, (size_t)(c->x->samples * c->e->rank) * sizeof *c->codes);
    return TSR_OK;
}

tsr_status tsr__ntf_encode(tsr_matrix **codes, const tsr_encoder *e, const tsr_matrix *x,
                           const tsr_transform_options *options)
{
    static tsr_status (*const methods[])(struct encoding *, int) = {by_loss, by_inverse,
                                                                    by_product};
    tsr_status status = TSR_OK;
    tsr_matrix *out = NULL;
    double *projection = NULL;
    const tsr__source source = tsr__source_of_matrix(x, 1 << 19);
    const int threads = tsr__threads(options->threads, source.blocks);
    TSR_NEW(projection, x->samples * e->rank);
    TSR_TRY(tsr_matrix_create(&out, x->samples, e->rank, TSR_FLOAT64));
    TSR_TRY(tsr__source_project(projection, &source, e->factor, e->rank, threads));
    struct encoding c = {e, x, options, projection, out->values, NULL};
    TSR_TRY(methods[options->method](&c, threads));
    *codes = out, out = NULL;
done:
    tsr_matrix_free(out);
    tsr__free(projection);
    return status;
}
