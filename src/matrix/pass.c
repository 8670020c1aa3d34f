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
#include "matrix/store.h"
#include "matrix/team.h"

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

struct failing {
    tsr__trouble *trouble;
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

bool tsr__went_well(tsr_status status, tsr__trouble *trouble)
{
    struct failing f = {trouble, status};
    if (f.status < 0)
        tsr__exclusive(note_failure, &f);
    return f.status >= 0;
}

/* False where the block could not be had, or a pass is not worth going on with. */
static bool get_block(tsr__block *out, const tsr__source *source, int64_t index, int thread,
                      tsr__trouble *trouble)
{
    if (trouble->status != TSR_OK)
        return false;
    return tsr__went_well(source->get(out, source, index, thread), trouble);
}

tsr_status tsr__tell_trouble(const tsr__trouble *trouble)
{
    const tsr_status status = (tsr_status)trouble->status;
    return status < 0 ? tsr__fail(status, "%s", trouble->message) : TSR_OK;
}

/* Blocks ---------------------------------------------------------------------------------- */

static void add_doubles(double *to, const double *from, int64_t count)
{
    tsr__kernels_of(TSR_FLOAT64)->add(to, 1, from, count);
}

struct visiting {
    const tsr__source *source;
    tsr__visit visit;
    void *context;
    tsr__trouble trouble;
};

static void visit_block(void *context, int64_t item, int thread)
{
    struct visiting *v = context;
    tsr__block block;
    if (get_block(&block, v->source, item, thread, &v->trouble) && block.samples > 0)
        v->visit(v->context, &block, thread);
}

tsr_status tsr__visit_blocks(const tsr__source *source, int threads, tsr__visit visit,
                             void *context)
{
    struct visiting v = {.source = source, .visit = visit, .context = context};
    tsr__parallel(source->blocks, threads, visit_block, &v);
    return tsr__tell_trouble(&v.trouble);
}

struct walking {
    const tsr_matrix *x;
    const tsr__share *share; /* NULL: by chunks */
    tsr__walk walk;
    void *context;
    tsr__trouble trouble;
};

/* What is in memory is one piece. */
static void walk_chunk(void *context, int64_t item, int thread)
{
    struct walking *w = context;
    const tsr__chunk chunk = w->share != NULL
                                 ? (tsr__chunk){w->share->leaf[item], w->share->leaf[item + 1]}
                                 : tsr__matrix_chunk(w->x, item);
    const int64_t most =
        tsr__matrix_is_stored(w->x) ? tsr__matrix_window_rows(w->x) : chunk.end - chunk.first;
    for (int64_t first = chunk.first; first < chunk.end; first += most) {
        const int64_t left = chunk.end - first;
        tsr_matrix rows;
        if (w->trouble.status != TSR_OK ||
            !tsr__went_well(tsr__matrix_window(&rows, w->x, first, left < most ? left : most),
                            &w->trouble))
            return;
        w->walk(w->context, &rows, first, item, thread);
    }
}

tsr_status tsr__walk_chunks(const tsr_matrix *x, int threads, tsr__walk walk, void *context)
{
    struct walking w = {.x = x, .walk = walk, .context = context};
    tsr__parallel(tsr__matrix_chunks(x), threads, walk_chunk, &w);
    return tsr__tell_trouble(&w.trouble);
}

tsr_status tsr__walk_leaves(const tsr_matrix *x, const tsr__share *share, int threads,
                            tsr__walk walk, void *context)
{
    struct walking w = {.x = x, .share = share, .walk = walk, .context = context};
    if (share == NULL)
        return tsr__walk_chunks(x, threads, walk, context);
    tsr__parallel(share->leaves, threads, walk_chunk, &w);
    return tsr__tell_trouble(&w.trouble);
}

int64_t tsr__walk_parts(const tsr_matrix *x, const tsr__share *share)
{
    return share != NULL ? share->leaves : tsr__matrix_chunks(x);
}

tsr_status tsr__walk_total(double *part, int64_t parts, int64_t width, const tsr__share *share)
{
    for (int64_t i = 1; share == NULL && i < parts; i++)
        add_doubles(part, part + i * width, width);
    for (int64_t step = 1; share != NULL && step < parts; step *= 2)
        for (int64_t i = 0; i + step < parts; i += 2 * step)
            add_doubles(part + i * width, part + (i + step) * width, width);
    return share != NULL ? tsr__team_sum(share->team, part, width) : TSR_OK;
}

static void load_rows(void *context, const tsr_matrix *rows, int64_t first, int64_t chunk,
                      int thread)
{
    tsr_matrix *to = context;
    const size_t size = tsr__type_size(to->type);
    const int64_t at = to->sparse ? to->rows[first] : first * to->stride,
                  from = rows->sparse ? rows->rows[0] : 0;
    const size_t count = (size_t)tsr_matrix_stored(rows);
    (void)chunk, (void)thread;
    if (count == 0)
        return;
    memcpy((char *)to->values + (size_t)at * size,
           (const char *)rows->values + (size_t)from * size, count * size);
    if (to->sparse)
        memcpy(to->columns + at, rows->columns + from, count * sizeof *to->columns);
}

tsr_status tsr__matrix_load(tsr_matrix **out, const tsr_matrix *x, int threads)
{
    tsr_status status = TSR_OK;
    tsr_matrix *to = NULL;
    if (x->sparse)
        TSR_TRY(tsr__matrix_create_rows(&to, x->samples, x->features, tsr_matrix_stored(x),
                                        x->type));
    else
        TSR_TRY(tsr_matrix_create(&to, x->samples, x->features, x->type));
    for (int64_t i = 0; x->sparse && i <= x->samples; i++)
        to->rows[i] = x->rows[i] - x->rows[0];
    to->image = x->image;
    TSR_TRY(tsr__walk_chunks(x, threads, load_rows, to));
    *out = to, to = NULL;
done:
    tsr_matrix_free(to);
    return status;
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
    tsr__trouble trouble;
};

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
        if (block.samples == 0)
            continue;
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
    const tsr_status status = tsr__tell_trouble(&s.trouble);
    const tsr__share *share = sum->source->share;
    return sum->own || share == NULL
               ? status
               : tsr__team_join(share->team, status, sum->room, sum->width);
}

tsr_status tsr__sum_made(double *out, const tsr__source *source, int threads, int64_t width,
                         tsr__add add, void *context)
{
    tsr_status status = TSR_OK;
    tsr__sum sum = {
        .source = source, .threads = threads, .width = width, .add = add, .context = context};
    TSR_NEW(sum.room, tsr__sum_room(source, threads) * width);
    TSR_TRY(tsr__sum_leaves(&sum));
    memcpy(out, sum.room, (size_t)width * sizeof *out);
done:
    tsr__free(sum.room);
    return status;
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
    return tsr__tell_trouble(&s.trouble);
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
    tsr__visit make; /* NULL: the factor is there */
    void *context;
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
    if (w->make != NULL)
        w->make(w->context, block, thread);
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
    if (few.sparse && few.share == NULL && few.leaves > FEW)
        few.leaves = FEW;
    return few;
}

tsr_status tsr__source_project(void *out, const tsr__source *source, const void *factor,
                               int64_t k, int threads)
{
    struct whole w = {.out = out, .factor = factor, .k = k, .type = source->type};
    return tsr__visit_blocks(source, threads, project_block, &w);
}

tsr_status tsr__source_collect(void *out, double *room, const tsr__source *source,
                               const void *codes, int64_t k, int threads)
{
    return tsr__source_collect_made(out, room, source, codes, k, threads, NULL, NULL);
}

/* A block's tiles come to different threads, and before them its codes have to be whole. */
tsr_status tsr__source_collect_made(void *out, double *room, const tsr__source *source,
                                    const void *codes, int64_t k, int threads, tsr__visit make,
                                    void *context)
{
    const tsr__source from = collected(source);
    const tsr__block all = {.features = from.features};
    const bool tiled = from.tile < from.features;
    struct whole w = {.out = out,
                      .factor = codes,
                      .k = k,
                      .type = from.type,
                      .make = tiled ? NULL : make,
                      .context = context};
    const tsr__sum sum = {.source = &from,
                          .threads = threads,
                          .width = from.tile * k,
                          .room = room,
                          .add = collect_block,
                          .context = &w};
    if (tiled && make != NULL)
        TSR_OR_RETURN(tsr__visit_blocks(source, threads, make, context));
    if (tiled)
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
