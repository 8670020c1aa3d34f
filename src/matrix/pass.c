/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Passes over samples. Cost of a product: 2 n m k dense, 2 nnz k sparse.
 *
 * THE TREE. Leaf l has blocks l b / L .. (l + 1) b / L - 1, whose parts are added in order.
 * Leaves are added two by two, then those sums, and so on: L is a power of two. A thread takes a
 * subtree at a time and joins what it can as it goes, so that log2 of its leaves and one more
 * are open at once; the sums of the subtrees are joined at the end, chunk by chunk. The number
 * of subtrees follows the threads, but which sums are added to which never changes. */
#include "matrix/pass.h"

#include "matrix/blas.h"
#include "matrix/kernels.h"
#include "matrix/parallel.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

tsr__gather tsr__block_gather(const tsr__block *block, const void *factor, int64_t k)
{
    return (tsr__gather){.rows = block->rows,
                         .columns = block->columns,
                         .values = block->values,
                         .samples = block->samples,
                         .factor = factor,
                         .k = k};
}

void tsr__block_project(void *out, const tsr__block *block, const void *factor, int64_t k,
                        bool fresh)
{
    if (block->sparse) {
        const tsr__gather x = tsr__block_gather(block, factor, k);
        tsr__gathers_of(block->type)->project(out, &x);
        return;
    }
    const tsr__product product = {.rows = block->samples,
                                  .columns = k,
                                  .inner = block->features,
                                  .alpha = 1,
                                  .beta = fresh ? 0 : 1,
                                  .a = block->values,
                                  .b = factor,
                                  .c = out,
                                  .lda = block->stride,
                                  .ldb = k,
                                  .ldc = k};
    tsr__multiply_dense(block->type, &product);
}

void tsr__block_collect(double *sum, const tsr__block *block, const void *codes, int64_t k)
{
    if (block->sparse) {
        const tsr__gather x = tsr__block_gather(block, codes, k);
        tsr__gathers_of(block->type)->collect(sum, &x);
        return;
    }
    const tsr__product product = {.transpose_a = true,
                                  .wide = true,
                                  .rows = block->features,
                                  .columns = k,
                                  .inner = block->samples,
                                  .alpha = 1,
                                  .beta = 1,
                                  .a = block->values,
                                  .b = codes,
                                  .c = sum,
                                  .lda = block->stride,
                                  .ldb = k,
                                  .ldc = k};
    tsr__multiply_dense(block->type, &product);
}

/* Failures -------------------------------------------------------------------------------- */

/* The first failure of a pass, as its thread told it. Messages belong to threads: the caller's
 * has to be told again. */
struct trouble {
    _Atomic(int) status;
    char message[TSR_MESSAGE_SIZE];
};

struct failing {
    struct trouble *trouble;
    tsr_status status;
};

static void note_failure(void *context)
{
    const struct failing *f = context;
    if (f->trouble->status != TSR_OK)
        return;
    (void)snprintf(f->trouble->message, sizeof f->trouble->message, "%s", tsr_message());
    f->trouble->status = f->status;
}

/* False where the block could not be had, or a pass is not worth going on with. */
static bool get_block(tsr__block *out, const tsr__source *source, int64_t index, int thread,
                      struct trouble *trouble)
{
    if (trouble->status != TSR_OK)
        return false;
    struct failing f = {trouble, source->get(out, source, index, thread)};
    if (f.status < 0)
        tsr__exclusive(note_failure, &f);
    return f.status >= 0;
}

static tsr_status tell(const struct trouble *trouble)
{
    const tsr_status status = (tsr_status)trouble->status;
    return status < 0 ? tsr__fail(status, "%s", trouble->message) : TSR_OK;
}

/* Blocks ---------------------------------------------------------------------------------- */

struct visiting {
    const tsr__source *source;
    tsr__visit visit;
    void *context;
    struct trouble trouble;
};

static void visit_block(void *context, int64_t item, int thread)
{
    struct visiting *v = context;
    tsr__block block;
    if (get_block(&block, v->source, item, thread, &v->trouble))
        v->visit(v->context, &block, thread);
}

tsr_status tsr__visit_blocks(const tsr__source *source, int threads, tsr__visit visit,
                             void *context)
{
    struct visiting v = {.source = source, .visit = visit, .context = context};
    tsr__parallel(source->blocks, threads, visit_block, &v);
    return tell(&v.trouble);
}

/* Sums ------------------------------------------------------------------------------------ */

/* `count` subtrees of `leaves` leaves each: twice as many as threads, so that one that is late
 * does not hold up the rest. */
struct forest {
    int64_t count, leaves;
    int depth; /* log2(leaves): sums that are open besides the subtree's own */
};

static struct forest forest_of(const tsr__source *source, int threads)
{
    struct forest f = {1, source->leaves, 0};
    while (threads > 1 && f.count < 2 * threads && f.leaves > 1)
        f.count *= 2, f.leaves /= 2;
    while ((int64_t)1 << f.depth < f.leaves)
        f.depth++;
    return f;
}

struct summing {
    const tsr__sum *sum;
    struct forest forest;
    tsr__keep keep;
    struct trouble trouble;
};

static void add_doubles(double *to, const double *from, int64_t count)
{
    tsr__kernels_of(TSR_FLOAT64)->add(to, 1, from, count);
}

/* The blocks of a leaf, or their part of a tile, in order. */
static void sum_leaf(struct summing *s, double *to, int64_t leaf, const tsr__block *tile,
                     int thread)
{
    const tsr__sum *sum = s->sum;
    const tsr__source *source = sum->source;
    const int64_t end = (leaf + 1) * source->blocks / source->leaves;
    memset(to, 0, (size_t)sum->width * sizeof *to);
    for (int64_t b = leaf * source->blocks / source->leaves; b < end; b++) {
        tsr__block block;
        if (!get_block(&block, source, b, thread, &s->trouble))
            return;
        if (tile != NULL)
            block = tsr__block_tile(&block, tile->from, tile->features);
        sum->add(sum->context, &block, to, thread);
    }
}

/* A subtree of 2^depth leaves into `top`; the open sums beside it stand in `more`. After leaf i
 * as many joins are due as i + 1 is divisible by two. */
static void sum_subtree(struct summing *s, double *top, double *more, int64_t first,
                        int64_t leaves, const tsr__block *tile, int thread)
{
    const int64_t width = s->sum->width;
    int open = 0;
    for (int64_t i = 0; i < leaves; i++) {
        sum_leaf(s, open == 0 ? top : more + (open - 1) * width, first + i, tile, thread);
        open++;
        for (int64_t due = i + 1; due % 2 == 0; due /= 2, open--)
            add_doubles(open == 2 ? top : more + (open - 3) * width, more + (open - 2) * width,
                        width);
    }
}

static void sum_tree(void *context, int64_t item, int thread)
{
    struct summing *s = context;
    const tsr__sum *sum = s->sum;
    const int64_t own = s->forest.count + (int64_t)thread * s->forest.depth;
    sum_subtree(s, sum->room + item * sum->width, sum->room + own * sum->width,
                item * s->forest.leaves, s->forest.leaves, NULL, thread);
}

enum { CHUNK = 1 << 14 };

/* The upper tree, for some of the numbers. */
static void join_chunk(void *context, int64_t item, int thread)
{
    const struct summing *s = context;
    const int64_t width = s->sum->width, first = item * CHUNK, left = width - first;
    double *room = s->sum->room + first;
    (void)thread;
    for (int64_t step = 1; step < s->forest.count; step *= 2)
        for (int64_t i = 0; i < s->forest.count; i += 2 * step)
            add_doubles(room + i * width, room + (i + step) * width,
                        left < CHUNK ? left : CHUNK);
}

tsr_status tsr__sum_leaves(const tsr__sum *sum)
{
    struct summing s = {.sum = sum, .forest = forest_of(sum->source, sum->threads)};
    tsr__parallel(s.forest.count, sum->threads, sum_tree, &s);
    if (s.forest.count > 1)
        tsr__parallel((sum->width + CHUNK - 1) / CHUNK, sum->threads, join_chunk, &s);
    return tell(&s.trouble);
}

static void sum_tile(void *context, int64_t item, int thread)
{
    struct summing *s = context;
    const tsr__sum *sum = s->sum;
    const tsr__source *source = sum->source;
    const tsr__block all = {.features = source->features, .type = source->type};
    tsr__block tile = tsr__block_tile(&all, item * source->tile, source->tile);
    double *own = sum->room + (int64_t)thread * (s->forest.depth + 1) * sum->width;
    sum_subtree(s, own, own + sum->width, 0, source->leaves, &tile, thread);
    s->keep(sum->context, &tile, own);
}

tsr_status tsr__sum_tiles(const tsr__sum *sum, tsr__keep keep)
{
    const tsr__source *source = sum->source;
    struct summing s = {.sum = sum, .forest = forest_of(source, 1), .keep = keep};
    tsr__parallel((source->features + source->tile - 1) / source->tile, sum->threads, sum_tile,
                  &s);
    return tell(&s.trouble);
}

int64_t tsr__sum_room(const tsr__source *source, int threads)
{
    const struct forest f = forest_of(source, threads);
    return f.count + (int64_t)threads * f.depth;
}

int64_t tsr__tiles_room(const tsr__source *source, int threads)
{
    return (int64_t)threads * (forest_of(source, 1).depth + 1);
}

/* Whole products -------------------------------------------------------------------------- */

struct whole {
    char *out;
    const char *factor;
    int64_t k;
    tsr_type type;
};

static void project_block(void *context, const tsr__block *block, int thread)
{
    const struct whole *w = context;
    (void)thread;
    tsr__block_project(w->out + (size_t)(block->first * w->k) * tsr__type_size(w->type), block,
                       w->factor, w->k, true);
}

static void collect_block(void *context, const tsr__block *block, double *sum, int thread)
{
    const struct whole *w = context;
    const void *codes = w->factor + (size_t)(block->first * w->k) * tsr__type_size(w->type);
    (void)thread;
    tsr__block_collect(sum, block, codes, w->k);
}

static void keep_tile(void *context, const tsr__block *tile, const double *sum)
{
    const struct whole *w = context;
    tsr__kernels_of(w->type)->narrow(w->out +
                                         (size_t)(tile->from * w->k) * tsr__type_size(w->type),
                                     sum, tile->features * w->k);
}

/* A sparse block reaches few of the m rows that a sum of its own would have: few leaves. */
static tsr__source collected(const tsr__source *source)
{
    enum { FEW = 8 };
    tsr__source few = *source;
    if (few.sparse && few.leaves > FEW)
        few.leaves = FEW;
    return few;
}

tsr_status tsr__source_project(void *out, const tsr__source *source, const void *factor,
                               int64_t k, int threads)
{
    struct whole w = {out, factor, k, source->type};
    return tsr__visit_blocks(source, threads, project_block, &w);
}

tsr_status tsr__source_collect(void *out, double *room, const tsr__source *source,
                               const void *codes, int64_t k, int threads)
{
    const tsr__source from = collected(source);
    const tsr__block all = {.features = from.features};
    struct whole w = {out, codes, k, from.type};
    const tsr__sum sum = {&from, threads, from.tile * k, room, collect_block, &w};
    if (from.tile < from.features)
        return tsr__sum_tiles(&sum, keep_tile);
    const tsr_status status = tsr__sum_leaves(&sum);
    keep_tile(&w, &all, room);
    return status;
}

int64_t tsr__collect_room(const tsr__source *source, int64_t k, int threads)
{
    const tsr__source from = collected(source);
    const int64_t sums = from.tile < from.features ? tsr__tiles_room(&from, threads)
                                                   : tsr__sum_room(&from, threads);
    return sums * from.tile * k;
}
