/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Coordinate descent on the weights of a concept basis, F = X' W, sample by sample: with the
 * residual D = F B - A kept up to date, A = X' w G and B = G' w G and what else is quadratic in F,
 * the slope of J with respect to a sample's weights is x D. No n x n matrix; O(n m k) a sweep.
 *
 * J is quadratic in W with Hessian 2 K (x) B; a sample's own block is 2 |x|^2 B, so that its k
 * weights are a small problem of least squares once x D is known. D then moves by x' (w - w0)
 * B, 2 m k, as much as x D took. Slopes and curvatures are written by half, J being <F' F, B> -
 * 2 <F, A>. The price of an L2 length and a ridge are quadratics in F and join B; what ties
 * rows of F, or bends otherwise, has no place there, which is what `refuses` lists.
 *
 * The samples follow each other, in runs of TSR_RUN: what a sample moves the slopes of later ones
 * by is its inner products with them times a row of k, so that D need not follow at once. While
 * run u descends, D takes what run u - 1 moved, and the slopes of run u + 1 are made of it: two
 * products, shared by threads. The steps are those of one sample after the other but for
 * rounding. Each item of a turn is the same whoever does it: the descent of a run; a chunk of
 * features of dense samples, whose parts of the slopes are summed in order; a vector's width of
 * columns of D for sparse ones. The inner products, n x 2 TSR_RUN, are made once: 4 TSR_RUN n m. */
#include "factor/plan.h"
#include "matrix/blas.h"
#include "matrix/descent.h"
#include "matrix/parallel.h"
#include "matrix/pass.h"

#include <string.h>

/* Columns of D that are one vector of a kernel. */
static int64_t vector_of(const tsr__solver *s)
{
    return TSR_ALIGN / (int64_t)tsr__type_size(s->type);
}

static int64_t vectors_of(const tsr__solver *s)
{
    return (s->k + vector_of(s) - 1) / vector_of(s);
}

/* Features of a chunk: small enough that threads find some, at most 64 of them. */
static int64_t chunk_of(const tsr__solver *s)
{
    enum { LEAST = 128, MOST = 64 };
    const int64_t fair = tsr__padded((s->m + MOST - 1) / MOST);
    return fair > LEAST ? fair : LEAST;
}

/* Items of a turn beside the descent, and parts of the slopes. */
static int64_t shares_of(const tsr__solver *s)
{
    return s->problem->atoms.sparse ? vectors_of(s) : (s->m + chunk_of(s) - 1) / chunk_of(s);
}

static int64_t runs_a_block(const tsr__solver *s)
{
    return (s->problem->atoms.block_samples + TSR_RUN - 1) / TSR_RUN;
}

/* The last block may be shorter, and have fewer. */
static int64_t runs_of(const tsr__solver *s)
{
    const tsr__source *atoms = &s->problem->atoms;
    const int64_t last = atoms->samples - (atoms->blocks - 1) * atoms->block_samples;
    return (atoms->blocks - 1) * runs_a_block(s) + (last + TSR_RUN - 1) / TSR_RUN;
}

/* Slopes and moves of a run: a part of dense slopes has all rows, one of sparse ones a vector of
 * each; both are rows x padded(k) at most. */
static int64_t run_room(const tsr__solver *s)
{
    return TSR_RUN * tsr__padded(s->k);
}

static void *take(const tsr__solver *s, tsr__arena *arena, int64_t count)
{
    return tsr__arena_take(arena, count, tsr__type_size(s->type));
}

void tsr__weave_layout(tsr__solver *s, tsr__arena *arena)
{
    const bool sparse = s->problem->atoms.sparse;
    const int64_t stride = tsr__padded(s->k);
    tsr__weaving *w = &s->work.weaving;
    w->gram = take(s, arena, s->k * s->k);
    w->woven_gram = take(s, arena, s->k * stride);
    w->residual = take(s, arena, s->m * stride);
    w->rows = take(s, arena, s->m * s->k);
    w->inner = take(s, arena, runs_of(s) * 2 * TSR_RUN * TSR_RUN);
    for (int side = 0; side < 2; side++) {
        w->slopes[side] = take(s, arena, (sparse ? 1 : shares_of(s)) * run_room(s));
        w->moved[side] = take(s, arena, run_room(s));
    }
    w->room = take(s, arena, 2 * stride);
    w->known = false;
}

/* A run of samples as a block. */
/* Blocks of memory stay valid, whoever asked: concept weights are not for other sources. */
static tsr__block run_at(const tsr__solver *s, int64_t run)
{
    const tsr__source *atoms = &s->problem->atoms;
    const int64_t skip = run % runs_a_block(s) * TSR_RUN;
    tsr__block block;
    if (atoms->get(&block, atoms, run / runs_a_block(s), 0) < 0) /* the push will tell */
        return (tsr__block){.sparse = atoms->sparse};
    block.first += skip;
    block.samples = block.samples - skip < TSR_RUN ? block.samples - skip : TSR_RUN;
    if (block.sparse)
        block.rows += skip;
    else
        block.values = tsr__real_at(s, block.values, skip * block.stride);
    return block;
}

/* Inner products ----------------------------------------------------------------------------- */

/* Those of a run with the one before (the last is before the first), and with itself. */
static void *inner_at(const tsr__solver *s, int64_t run, int side)
{
    return tsr__real_at(s, s->work.weaving.inner, (2 * run + side) * TSR_RUN * TSR_RUN);
}

/* By way of a row of zeros, `room`, into which one sample after the other is spread. */
static void multiply_sparse(const tsr__solver *s, void *out, const tsr__block *a,
                            const tsr__block *b, void *room)
{
    for (int64_t j = 0; j < b->samples; j++) {
        for (int64_t e = b->rows[j]; e < b->rows[j + 1]; e++)
            tsr__real_set(s, room, b->columns[e], tsr__real_get(s, b->values, e));
        for (int64_t i = 0; i < a->samples; i++) {
            double sum = 0;
            for (int64_t e = a->rows[i]; e < a->rows[i + 1]; e++)
                sum += tsr__real_get(s, a->values, e) * tsr__real_get(s, room, a->columns[e]);
            tsr__real_set(s, out, i * TSR_RUN + j, sum);
        }
        for (int64_t e = b->rows[j]; e < b->rows[j + 1]; e++)
            tsr__real_set(s, room, b->columns[e], 0);
    }
}

static void multiply_samples(const tsr__solver *s, void *out, const tsr__block *a,
                             const tsr__block *b, void *room)
{
    const tsr__product product = {.transpose_b = true,
                                  .rows = a->samples,
                                  .columns = b->samples,
                                  .inner = s->m,
                                  .alpha = 1,
                                  .a = a->values,
                                  .b = b->values,
                                  .c = out,
                                  .lda = a->stride,
                                  .ldb = b->stride,
                                  .ldc = TSR_RUN};
    memset(out, 0, tsr__real_bytes(s, TSR_RUN * TSR_RUN));
    if (a->sparse)
        multiply_sparse(s, out, a, b, room);
    else
        tsr__multiply_dense(s->type, &product);
}

static void know_run(void *context, int64_t run, int thread)
{
    const tsr__solver *s = context;
    const int64_t runs = runs_of(s);
    const tsr__block own = run_at(s, run), before = run_at(s, (run + runs - 1) % runs);
    void *room = tsr__real_at(s, s->work.weaving.residual, thread * s->m);
    multiply_samples(s, inner_at(s, run, 0), &own, &before, room);
    multiply_samples(s, inner_at(s, run, 1), &own, &own, room);
}

/* Of the data alone: made with the first step and kept. The residual, which is made anew
 * afterwards, lends its rows. */
static void know_samples(tsr__solver *s)
{
    const int most = s->plan->threads < s->k ? s->plan->threads : (int)s->k;
    if (s->work.weaving.known)
        return;
    memset(s->work.weaving.residual, 0, tsr__real_bytes(s, s->m * tsr__padded(s->k)));
    tsr__parallel(runs_of(s), most, know_run, s);
    s->work.weaving.known = true;
}

/* B and D ------------------------------------------------------------------------------------ */

/* B, and half the slope of what is linear in F: the price of a vector's length and the terms on
 * the basis are alike in every row, so that they are asked at zero. B is half the curvature,
 * hence the halving of what terms say. Rows are padded with zeros to whole vectors. */
static void make_gram(const tsr__solver *s, double *slope)
{
    const tsr__weaving *w = &s->work.weaving;
    double *zero = s->work.bench[0].row, *bend = s->work.bench[0].row + s->k;
    memcpy(w->gram, s->state.sums.GtG, tsr__real_bytes(s, s->k * s->k));
    memset(zero, 0, (size_t)(2 * s->k) * sizeof *zero);
    memset(slope, 0, (size_t)s->k * sizeof *slope);
    for (const tsr__term *t = s->plan->term; t < tsr__terms_end(s->plan); t++)
        if (t->kind->bend_basis != NULL)
            t->kind->bend_basis(t, s, zero, slope, bend);
    for (int64_t j = 0; j < s->k; j++) {
        void *at = tsr__real_at(s, w->gram, j * s->k + j);
        tsr__real_set(s, at, 0, tsr__real_get(s, at, 0) + (tsr__price_of(s, j) + bend[j]) / 2);
        slope[j] /= 2;
        memcpy(tsr__real_at(s, w->woven_gram, j * tsr__padded(s->k)),
               tsr__real_at(s, w->gram, j * s->k), tsr__real_bytes(s, s->k));
    }
}

/* Row i of D: rows of whole vectors for dense samples, the first vector of all rows, then the
 * second, for sparse ones. */
static void set_row(const tsr__solver *s, int64_t i, const void *row)
{
    const int64_t vector = vector_of(s);
    for (int64_t v = 0; v < vectors_of(s); v++) {
        const int64_t left = s->k - v * vector, count = left < vector ? left : vector;
        const int64_t at = s->problem->atoms.sparse ? (v * s->m + i) * vector
                                                    : i * tsr__padded(s->k) + v * vector;
        memcpy(tsr__real_at(s, s->work.weaving.residual, at), tsr__real_at(s, row, v * vector),
               tsr__real_bytes(s, count));
    }
}

/* From the basis as it was pushed: rounding of the last sweep ends here. */
static void make_rows(void *context, int64_t item, int thread)
{
    const tsr__solver *s = context;
    const tsr__kernels *kernels = tsr__kernels_for(s);
    const int64_t first = item * TSR_CHUNK, at = first * s->k;
    const int64_t rows = s->m - first < TSR_CHUNK ? s->m - first : TSR_CHUNK;
    void *d = tsr__real_at(s, s->work.weaving.rows, at);
    (void)thread;
    tsr__times(s, d, 1, tsr__real_at(s, s->state.basis, at), s->work.weaving.gram, rows, s->k,
               s->k);
    kernels->add(d, -1, tsr__real_at(s, s->state.sums.XtG, at), rows * s->k);
    for (int64_t i = 0; i < rows; i++) {
        void *row = tsr__real_at(s, d, i * s->k);
        kernels->raise(row, s->work.by, s->k);
        set_row(s, first + i, row);
    }
}

static void make_residual(tsr__solver *s)
{
    memset(s->work.weaving.residual, 0, tsr__real_bytes(s, s->m * tsr__padded(s->k)));
    tsr__parallel((s->m + TSR_CHUNK - 1) / TSR_CHUNK, s->plan->threads, make_rows, s);
}

/* Turns -------------------------------------------------------------------------------------- */

/* The runs that a turn sees; -1: none. */
typedef struct turn {
    const tsr__solver *s;
    int64_t follow, descend, next;
    int side; /* of slopes and moves that the descent has; the others have the other one */
} turn;

/* D of some features follows, then gives its part of the next slopes. */
static void share_dense(const turn *t, int64_t share)
{
    const tsr__solver *s = t->s;
    const tsr__weaving *w = &s->work.weaving;
    const int64_t first = share * chunk_of(s), left = s->m - first, stride = tsr__padded(s->k);
    void *d = tsr__real_at(s, w->residual, first * stride);
    tsr__product product = {.columns = s->k, .alpha = 1, .ldb = stride, .ldc = stride};
    const int64_t features = left < chunk_of(s) ? left : chunk_of(s);
    if (t->follow >= 0) {
        const tsr__block x = run_at(s, t->follow);
        product.transpose_a = true;
        product.rows = features, product.inner = x.samples;
        product.a = tsr__real_at(s, x.values, first), product.lda = x.stride;
        product.b = w->moved[!t->side], product.c = d, product.beta = 1;
        tsr__multiply_dense(s->type, &product);
    }
    if (t->next >= 0) {
        const tsr__block x = run_at(s, t->next);
        product.transpose_a = false;
        product.rows = x.samples, product.inner = features;
        product.a = tsr__real_at(s, x.values, first), product.lda = x.stride;
        product.b = d, product.beta = 0;
        product.c = tsr__real_at(s, w->slopes[!t->side], share * run_room(s));
        tsr__multiply_dense(s->type, &product);
    }
}

/* The same for a vector's width of columns, at the entries of the samples. */
static void share_sparse(const turn *t, int64_t share)
{
    const tsr__solver *s = t->s;
    const tsr__weaving *w = &s->work.weaving;
    const int64_t vector = vector_of(s), run = share * TSR_RUN * vector;
    void *d = tsr__real_at(s, w->residual, share * s->m * vector);
    if (t->follow >= 0) {
        const tsr__block x = run_at(s, t->follow);
        const tsr__gather g =
            tsr__block_gather(&x, tsr__real_at(s, w->moved[!t->side], run), vector);
        tsr__gathers_of(s->type)->spread(d, &g);
    }
    if (t->next >= 0) {
        const tsr__block x = run_at(s, t->next);
        tsr__block_project(tsr__real_at(s, w->slopes[!t->side], run), &x, d, vector, true);
    }
}

/* The run's weights. Parts of the slopes are summed in order. */
static void descend(const turn *t)
{
    const tsr__solver *s = t->s;
    const tsr__weaving *w = &s->work.weaving;
    const bool sparse = s->problem->atoms.sparse;
    const tsr__block x = run_at(s, t->descend);
    const int64_t count = x.samples * tsr__padded(s->k);
    for (int64_t part = 1; !sparse && part < shares_of(s); part++)
        tsr__kernels_for(s)->add(w->slopes[t->side], 1,
                                 tsr__real_at(s, w->slopes[t->side], part * run_room(s)),
                                 count);
    const tsr__weave weave = {.weights = tsr__real_at(s, s->state.weights, x.first * s->k),
                              .slope = w->slopes[t->side],
                              .inner = {inner_at(s, t->descend, 0), inner_at(s, t->descend, 1)},
                              .before = w->moved[!t->side],
                              .moved = w->moved[t->side],
                              .gram = w->woven_gram,
                              .work = w->room,
                              .rows = x.samples,
                              .k = s->k,
                              .down = sparse ? 1 : tsr__padded(s->k) / vector_of(s),
                              .across = sparse ? TSR_RUN : 1,
                              .sweeps = 3}; /* k^2 each, little beside the products with D */
    tsr__descents_of(s->type)->weave(&weave);
}

/* Turn `at` + 1: before the first descent the slopes are made, and at the last nothing else is
 * left. */
static void take_turn(void *context, int64_t turns, int64_t item, int thread)
{
    const tsr__solver *s = context;
    const int64_t at = turns - 1, runs = runs_of(s), all = s->plan->basis.sweeps * runs;
    const turn t = {.s = s,
                    .follow = at > 0 ? (at - 1) % runs : -1,
                    .descend = at >= 0 ? at % runs : -1,
                    .next = at + 1 < all ? (at + 1) % runs : -1,
                    .side = (int)(turns & 1)};
    (void)thread;
    if (item == 0 && t.descend >= 0)
        descend(&t);
    else if (item > 0 && t.next >= 0 && s->problem->atoms.sparse)
        share_sparse(&t, item - 1);
    else if (item > 0 && t.next >= 0)
        share_dense(&t, item - 1);
}

/* At the end F is made of the weights anew, hence no need for D to follow the last run; then it
 * is brought to its length. */
static void move(tsr__solver *s)
{
    tsr__weaving *w = &s->work.weaving;
    know_samples(s);
    make_gram(s, s->work.by);
    make_residual(s);
    memset(w->moved[0], 0, tsr__real_bytes(s, run_room(s)));
    memset(w->moved[1], 0, tsr__real_bytes(s, run_room(s)));
    tsr__parallel_turns(s->plan->basis.sweeps * runs_of(s) + 1, 1 + shares_of(s),
                        s->plan->threads, take_turn, s);
    s->plan->map->push(s);
    tsr__fix_scale(s, s->plan->scale);
}

static const char *refuses(const tsr__choice *c)
{
    const tsr__plan *plan = c->plan;
    const bool l1 = plan->scale == TSR_SCALE_MODEL && plan->norm == TSR_BASIS_NORM_L1;
    return c->spec->mu                       ? "the papers' rules are asked for"
           : !plan->map->woven               ? "the samples that span the basis are not at hand"
           : c->problem->streams             ? "it goes from sample to sample, and back"
           : !plan->loss->inner              ? "the loss is not one of squares"
           : tsr__plan_couples(plan)         ? "a term ties the rows of the basis"
           : l1                              ? "the price of an L1 length is no quadratic"
           : c->spec->options->link_form > 0 ? "a reward has no bottom"
                                             : NULL;
}

const tsr__rule tsr__rule_weave = {.name = "weave",
                                   .text = "coordinate descent on weights, sample by sample",
                                   .reads = TSR_READS_SAMPLE,
                                   .descends = true,
                                   .refuses = refuses,
                                   .basis = move};
