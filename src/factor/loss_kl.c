/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Kullback-Leibler loss: sum_i w_i sum_j x log(x / y) - x + y, y = (F g_i)_j, 0 log 0 = 0.
 * With R = X / (G F'), element by element:
 *
 *     codes    minus += w R F         flat += w 1 (1' F)
 *     basis    minus += R' w G        flat += 1 (1' w G)
 *
 * R is anew after either factor moved, so a pass makes it twice for each block: before the
 * block's codes move and after. Dense blocks keep R in a tile of block size; sparse ones need
 * their non-zeros only, and the sum of y over all entries is (1' w G) . (1' F). Missing entries
 * enter as zeros and are taken out of the flat halves and of the sum of y again. Lee & Seung
 * 2000; cost 8 n m k a pass, sparse 8 nnz k. */
#include "factor/solver.h"
#include "matrix/blas.h"
#include "matrix/pass.h"

#include <string.h>

static void *rows_of(const tsr__solver *s, const tsr__block *block)
{
    return tsr__real_at(s, s->codes, block->first * s->k);
}

/* The lane's tile (block x m) = G_b F'. */
static void reconstruct(const tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    const tsr__product product = {.transpose_b = true,
                                  .rows = block->samples,
                                  .columns = s->m,
                                  .inner = s->k,
                                  .alpha = 1,
                                  .a = rows_of(s, block),
                                  .b = s->basis,
                                  .c = lane->tile,
                                  .lda = s->k,
                                  .ldb = s->k,
                                  .ldc = s->m};
    tsr__multiply_dense(s->type, &product);
}

/* The tile becomes R; returns the weighted loss of the block when asked. */
static double make_ratio(const tsr__solver *s, const tsr__block *block, tsr__lane *lane,
                         bool valued)
{
    double sum = 0;
    for (int64_t i = 0; i < block->samples; i++) {
        const double w = s->weight != NULL ? tsr__real_get(s, s->weight, block->first + i) : 1;
        sum += w * tsr__kernels_for(s)->ratio(tsr__real_at(s, lane->tile, i * s->m),
                                              tsr__real_at(s, block->values, i * block->stride),
                                              s->m, valued);
    }
    return sum;
}

static tsr__block tile_as_block(const tsr__solver *s, const tsr__block *block,
                                const tsr__lane *lane)
{
    tsr__block tile = *block;
    tile.values = lane->tile;
    tile.stride = s->m;
    return tile;
}

static void project(const tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    if (block->sparse) {
        (void)tsr__kernels_for(s)->sparse_ratio(lane->projection, NULL, block->rows,
                                                block->columns, block->values, block->samples,
                                                rows_of(s, block), NULL, s->basis, s->k);
        return;
    }
    reconstruct(s, block, lane);
    (void)make_ratio(s, block, lane, false);
    const tsr__block tile = tile_as_block(s, block, lane);
    tsr__block_project(lane->projection, &tile, s->basis, s->k);
}

/* flat rows = 1' F less the rows of F where entries are missing. */
static void fill_flat(const tsr__solver *s, const tsr__block *block, void *flat)
{
    const tsr_matrix *gone = s->missing;
    for (int64_t i = 0; i < block->samples; i++) {
        for (int64_t j = 0; j < s->k; j++)
            tsr__real_set(s, flat, i * s->k + j, s->column_sum[j]);
        const int64_t row = block->first + i;
        for (int64_t at = gone != NULL ? gone->rows[row] : 0,
                     end = gone != NULL ? gone->rows[row + 1] : 0;
             at < end; at++)
            tsr__kernels_for(s)->add(tsr__real_at(s, flat, i * s->k), -1,
                                     tsr__real_at(s, s->basis, gone->columns[at] * s->k), s->k);
        for (int64_t j = 0; gone != NULL && j < s->k; j++)
            if (tsr__real_get(s, flat, i * s->k + j) < 0)
                tsr__real_set(s, flat, i * s->k + j, 0);
    }
}

static void codes(const tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    const int64_t count = block->samples * s->k;
    memcpy(lane->halves.minus, lane->projection, (size_t)count * tsr__type_size(s->type));
    memset(lane->halves.curved, 0, (size_t)count * tsr__type_size(s->type));
    fill_flat(s, block, lane->halves.flat);
    if (s->weight != NULL) {
        const void *w = tsr__real_at(s, s->weight, block->first);
        kernels->scale_rows(lane->halves.minus, lane->halves.minus, w, block->samples, s->k);
        kernels->scale_rows(lane->halves.flat, lane->halves.flat, w, block->samples, s->k);
    }
}

static void without_missing(const tsr__solver *s, const tsr__block *block, tsr__lane *lane,
                            const void *h)
{
    const tsr_matrix *gone = s->missing;
    for (int64_t i = 0; i < block->samples; i++) {
        const int64_t row = block->first + i;
        const void *hi = tsr__real_at(s, h, i * s->k);
        for (int64_t at = gone->rows[row]; at < gone->rows[row + 1]; at++) {
            const int64_t j = gone->columns[at];
            tsr__kernels_for(s)->add(tsr__real_at(s, lane->lost, j * s->k), 1, hi, s->k);
            lane->value -=
                tsr__kernels_for(s)->dot(hi, tsr__real_at(s, s->basis, j * s->k), s->k);
        }
    }
}

static void accumulate(const tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    const void *g = rows_of(s, block), *h = g, *w = NULL;
    if (s->weight != NULL) {
        w = tsr__real_at(s, s->weight, block->first);
        kernels->scale_rows(lane->weighted, g, w, block->samples, s->k);
        h = lane->weighted;
    }
    if (block->sparse) {
        for (int64_t i = 0; i < block->samples; i++) {
            const double by = w != NULL ? tsr__real_get(s, w, i) : 1;
            lane->value +=
                by * kernels->sparse_ratio(NULL, lane->collect, block->rows + i, block->columns,
                                           block->values, 1, tsr__real_at(s, g, i * s->k),
                                           tsr__real_at(s, h, i * s->k), s->basis, s->k);
        }
    } else {
        reconstruct(s, block, lane);
        lane->value += make_ratio(s, block, lane, true);
        const tsr__block tile = tile_as_block(s, block, lane);
        tsr__block_collect(lane->collect, &tile, h, s->k, false);
    }
    kernels->add_column_sums(lane->column_sum, h, NULL, block->samples, s->k);
    if (s->missing != NULL)
        without_missing(s, block, lane, h);
}

static void basis(const tsr__solver *s, tsr__halves *halves)
{
    const int64_t count = s->m * s->k;
    memcpy(halves->minus, s->collect_lanes, (size_t)count * tsr__type_size(s->type));
    memset(halves->curved, 0, (size_t)count * tsr__type_size(s->type));
    for (int64_t i = 0; i < count; i++)
        tsr__real_set(s, halves->flat, i, s->column_lanes[i % s->k]);
    if (s->missing != NULL) {
        tsr__kernels_for(s)->add(halves->flat, -1, s->lost_lanes, count);
        for (int64_t i = 0; i < count; i++)
            if (tsr__real_get(s, halves->flat, i) < 0)
                tsr__real_set(s, halves->flat, i, 0);
    }
}

static double value(const tsr__solver *s)
{
    double sum = 0;
    for (int64_t lane = 0; lane < s->lanes; lane++)
        sum += s->lane[lane].value;
    for (int64_t j = 0; s->source.sparse && j < s->k; j++)
        sum += s->column_lanes[j] * s->column_sum[j];
    return sum;
}

const tsr__loss tsr__loss_kl = {
    .name = "kl",
    .logarithmic = true,
    .project = project,
    .codes = codes,
    .accumulate = accumulate,
    .basis = basis,
    .value = value,
};
