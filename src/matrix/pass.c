/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Passes over samples. Cost of a product: 2 n m k dense, 2 nnz k sparse. */
#include "matrix/pass.h"

#include "matrix/blas.h"
#include "matrix/kernels.h"
#include "matrix/parallel.h"

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

void tsr__block_project(void *out, const tsr__block *block, const void *factor, int64_t k)
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
                                  .a = block->values,
                                  .b = factor,
                                  .c = out,
                                  .lda = block->stride,
                                  .ldb = k,
                                  .ldc = k};
    tsr__multiply_dense(block->type, &product);
}

void tsr__block_collect(void *sum, const tsr__block *block, const void *codes, int64_t k,
                        bool fresh)
{
    if (block->sparse) {
        if (fresh)
            memset(sum, 0, (size_t)(block->features * k) * tsr__type_size(block->type));
        const tsr__gather x = tsr__block_gather(block, codes, k);
        tsr__gathers_of(block->type)->collect(sum, &x);
        return;
    }
    const tsr__product product = {.transpose_a = true,
                                  .rows = block->features,
                                  .columns = k,
                                  .inner = block->samples,
                                  .alpha = 1,
                                  .beta = fresh ? 0 : 1,
                                  .a = block->values,
                                  .b = codes,
                                  .c = sum,
                                  .lda = block->stride,
                                  .ldb = k,
                                  .ldc = k};
    tsr__multiply_dense(block->type, &product);
}

int64_t tsr__lane_count(const tsr__source *source)
{
    return source->blocks < TSR_LANES ? source->blocks : TSR_LANES;
}

struct visiting {
    const tsr__source *source;
    tsr__visit visit;
    void *context;
    int64_t lanes;
};

static void visit_lane(void *context, int64_t lane, int thread)
{
    const struct visiting *v = context;
    (void)thread;
    for (int64_t b = lane; b < v->source->blocks; b += v->lanes) {
        tsr__block block;
        (void)v->source->get(&block, v->source, b);
        v->visit(v->context, &block, lane);
    }
}

void tsr__visit_blocks(const tsr__source *source, int threads, tsr__visit visit, void *context)
{
    struct visiting v = {source, visit, context, tsr__lane_count(source)};
    tsr__parallel(v.lanes, threads, visit_lane, &v);
}

struct summing {
    char *lanes;
    int64_t count, lane_count, chunk;
    tsr_type type;
};

static void sum_chunk(void *context, int64_t item, int thread)
{
    const struct summing *s = context;
    const size_t size = tsr__type_size(s->type);
    const int64_t first = item * s->chunk;
    const int64_t count = s->count - first < s->chunk ? s->count - first : s->chunk;
    (void)thread;
    for (int64_t lane = 1; lane < s->lane_count; lane++)
        tsr__kernels_of(s->type)->add(s->lanes + (size_t)first * size, 1,
                                      s->lanes + (size_t)(lane * s->count + first) * size,
                                      count);
}

void tsr__lanes_sum(void *lanes, int64_t count, int64_t lane_count, tsr_type type, int threads)
{
    enum { CHUNK = 1 << 15 };
    struct summing s = {lanes, count, lane_count, CHUNK, type};
    tsr__parallel((count + CHUNK - 1) / CHUNK, threads, sum_chunk, &s);
}

struct whole {
    char *out;
    const char *factor;
    int64_t k, features;
    tsr_type type;
};

static void project_block(void *context, const tsr__block *block, int64_t lane)
{
    const struct whole *w = context;
    (void)lane;
    tsr__block_project(w->out + (size_t)(block->first * w->k) * tsr__type_size(w->type), block,
                       w->factor, w->k);
}

static void collect_block(void *context, const tsr__block *block, int64_t lane)
{
    const struct whole *w = context;
    const size_t size = tsr__type_size(w->type);
    tsr__block_collect(w->out + (size_t)(lane * w->features * w->k) * size, block,
                       w->factor + (size_t)(block->first * w->k) * size, w->k, false);
}

void tsr__source_project(void *out, const tsr__source *source, const void *factor, int64_t k,
                         int threads)
{
    struct whole w = {out, factor, k, source->features, source->type};
    tsr__visit_blocks(source, threads, project_block, &w);
}

void tsr__source_collect(void *lanes, const tsr__source *source, const void *codes, int64_t k,
                         int threads)
{
    const int64_t count = source->features * k, lane_count = tsr__lane_count(source);
    struct whole w = {lanes, codes, k, source->features, source->type};
    memset(lanes, 0, (size_t)(count * lane_count) * tsr__type_size(source->type));
    tsr__visit_blocks(source, threads, collect_block, &w);
    tsr__lanes_sum(lanes, count, lane_count, source->type, threads);
}
