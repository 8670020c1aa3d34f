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
 * enter as zeros and every row then has sums of its own (known.c). Lee & Seung
 * 2000; cost 8 n m k a pass, sparse 8 nnz k. Coordinate descent (matrix/descent.h) works on rows
 * of X for the codes and on columns for the basis: sparse data are kept by column too, of dense
 * ones a panel of columns is turned at a time. */
#include "factor/solver.h"
#include "matrix/blas.h"
#include "matrix/descent.h"
#include "matrix/parallel.h"
#include "matrix/pass.h"

#include <string.h>

static void *rows_of(const tsr__solver *s, const tsr__block *block)
{
    return tsr__real_at(s, s->codes, block->first * s->k);
}

/* The lane's tile (block x m) = G_b F', zero where nothing is known. */
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
    for (int64_t i = 0; s->missing != NULL && i < block->samples; i++)
        for (int64_t at = s->missing->rows[block->first + i];
             at < s->missing->rows[block->first + i + 1]; at++)
            tsr__real_set(s, lane->tile, i * s->m + s->missing->columns[at], 0);
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
        const tsr__gather x = tsr__block_gather(block, s->basis, s->k);
        (void)tsr__gathers_of(s->type)->ratio(lane->projection, &x, rows_of(s, block), false);
        return;
    }
    reconstruct(s, block, lane);
    (void)make_ratio(s, block, lane, false);
    const tsr__block tile = tile_as_block(s, block, lane);
    tsr__block_project(lane->projection, &tile, s->basis, s->k);
}

/* flat rows = 1' F over the known entries. */
static void fill_flat(const tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    const tsr__known_rows features = tsr__known_features(s);
    const double *sums = s->column_sum;
    for (int64_t i = 0; i < block->samples; i++) {
        if (s->missing != NULL) {
            sums = s->known[lane - s->lane].sums;
            tsr__known_sums(s->known[lane - s->lane].sums, &features, block->first + i,
                            s->column_sum);
        }
        for (int64_t j = 0; j < s->k; j++)
            tsr__real_set(s, lane->halves.flat, i * s->k + j, sums[j]);
    }
}

static void codes(const tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    const int64_t count = block->samples * s->k;
    memcpy(lane->halves.minus, lane->projection, (size_t)count * tsr__type_size(s->type));
    memset(lane->halves.curved, 0, (size_t)count * tsr__type_size(s->type));
    fill_flat(s, block, lane);
    if (s->weight != NULL) {
        const void *w = tsr__real_at(s, s->weight, block->first);
        kernels->scale_rows(lane->halves.minus, lane->halves.minus, w, block->samples, s->k);
        kernels->scale_rows(lane->halves.flat, lane->halves.flat, w, block->samples, s->k);
    }
}

/* sum w (x log(x / y) - x) over the entries of a sparse block; with missing values + y of the
 * known ones, which else is a product of sums. */
static double value_of(const tsr__solver *s, const tsr__block *block, const tsr__lane *lane)
{
    const tsr__known_rows features = tsr__known_features(s);
    double sum = 0;
    for (int64_t i = 0; i < block->samples; i++) {
        tsr__gather x = tsr__block_gather(block, s->basis, s->k);
        const void *g = tsr__real_at(s, rows_of(s, block), i * s->k);
        x.rows += i, x.samples = 1;
        const double w = s->weight != NULL ? tsr__real_get(s, s->weight, block->first + i) : 1;
        sum += w * tsr__gathers_of(s->type)->ratio(NULL, &x, g, true);
        if (s->missing == NULL)
            continue;
        double *sums = s->known[lane - s->lane].sums;
        tsr__known_sums(sums, &features, block->first + i, s->column_sum);
        for (int64_t j = 0; j < s->k; j++)
            sum += w * sums[j] * tsr__real_get(s, g, j);
    }
    return sum;
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
        lane->value += value_of(s, block, lane);
    } else {
        reconstruct(s, block, lane);
        lane->value += make_ratio(s, block, lane, true);
        const tsr__block tile = tile_as_block(s, block, lane);
        if (s->collects)
            tsr__block_collect(lane->collect, &tile, h, s->k, false);
    }
    kernels->add_column_sums(lane->column_sum, h, NULL, block->samples, s->k);
}

static void collect(tsr__solver *s, const tsr__block *block, int64_t lane)
{
    const tsr__gather x = tsr__block_gather(block, s->codes, s->k);
    const int64_t at = block->first * s->k;
    (void)lane;
    (void)tsr__gathers_of(s->type)->ratio(tsr__real_at(s, s->collect_lanes, at), &x,
                                          tsr__real_at(s, s->basis, at), false);
}

static void basis(const tsr__solver *s, tsr__halves *halves)
{
    const int64_t count = s->m * s->k;
    memcpy(halves->minus, s->collect_lanes, (size_t)count * tsr__type_size(s->type));
    memset(halves->curved, 0, (size_t)count * tsr__type_size(s->type));
    const tsr__known_rows samples = tsr__known_samples(s);
    const double *sums = s->column_lanes;
    for (int64_t i = 0; i < s->m; i++) {
        if (s->missing != NULL) {
            sums = s->known[0].sums;
            tsr__known_sums(s->known[0].sums, &samples, i, s->column_lanes);
        }
        for (int64_t j = 0; j < s->k; j++)
            tsr__real_set(s, halves->flat, i * s->k + j, sums[j]);
    }
}

/* With missing values every row of a block has sums of its own; `of` is the other factor. */
static void take_sums(tsr__entropy *descent, const tsr__solver *s, const tsr__known *known,
                      const tsr__known_rows *of, int64_t first, int64_t rows)
{
    if (s->missing == NULL)
        return;
    for (int64_t i = 0; i < rows; i++)
        tsr__known_sums(known->sums + i * s->k, of, first + i, descent->sums);
    descent->sums = known->sums;
    descent->sums_stride = s->k;
}

static void descend_codes(const tsr__solver *s, const tsr__block *block, tsr__lane *lane,
                          const void *slope, const void *bend)
{
    const tsr__known_rows features = tsr__known_features(s);
    if (!block->sparse)
        project(s, block, lane);
    tsr__entropy descent = {
        .theta = rows_of(s, block),
        .x = tsr__block_gather(block, s->basis, s->k),
        .turned = s->turned_basis,
        .width = s->m,
        .stride = block->stride,
        .sums = s->column_sum,
        .pull = block->sparse ? NULL : lane->projection,
        .weight = s->weight != NULL ? tsr__real_at(s, s->weight, block->first) : NULL,
        .slope = slope,
        .bend = bend,
        .unit = s->rho,
        .work = s->room[lane - s->lane],
        .sweeps = s->codes_sweeps};
    take_sums(&descent, s, &s->known[lane - s->lane], &features, block->first, block->samples);
    tsr__descents_of(s->type)->entropy(&descent);
}

/* A block of the turned data: its rows are features, its factor is the codes. */
static void descend_features(tsr__solver *s, const tsr__block *block, const void *turned,
                             int64_t lane)
{
    const tsr__known_rows samples = tsr__known_samples(s);
    const int64_t at = block->first * s->k;
    tsr__entropy descent = {.theta = tsr__real_at(s, s->basis, at),
                            .x = tsr__block_gather(block, s->codes, s->k),
                            .turned = turned,
                            .width = s->n,
                            .stride = block->stride,
                            .sums = s->column_lanes,
                            .pull =
                                block->sparse ? NULL : tsr__real_at(s, s->collect_lanes, at),
                            .unit = s->rho,
                            .work = s->room[lane],
                            .sweeps = s->basis_sweeps};
    tsr__basis_bend(s, block->first, block->samples, &descent.slope, &descent.bend);
    take_sums(&descent, s, &s->known[lane], &samples, block->first, block->samples);
    tsr__descents_of(s->type)->entropy(&descent);
}

static void descend_sparse(void *context, const tsr__block *block, int64_t lane)
{
    tsr__solver *s = context;
    descend_features(s, block, NULL, lane);
}

/* Some features of all samples, times the weights, as rows of a panel. */
static void descend_panel(void *context, int64_t item, int thread)
{
    tsr__solver *s = context;
    const tsr__kernels *kernels = tsr__kernels_for(s);
    const int64_t first = item * TSR_PANEL, left = s->m - first;
    const tsr__block rows = {.first = first,
                             .samples = left < TSR_PANEL ? left : TSR_PANEL,
                             .features = s->n,
                             .stride = tsr__padded(s->n),
                             .type = s->type,
                             .values = s->panel[thread]};
    for (int64_t b = 0; b < s->source.blocks; b++) {
        tsr__block block;
        (void)s->source.get(&block, &s->source, b);
        kernels->transpose(tsr__real_at(s, s->panel[thread], block.first), rows.stride,
                           tsr__real_at(s, block.values, first), block.stride, block.samples,
                           rows.samples);
    }
    for (int64_t j = 0; s->weight != NULL && j < rows.samples; j++)
        for (int64_t i = 0; i < s->n; i++) {
            const int64_t at = j * rows.stride + i;
            tsr__real_set(s, s->panel[thread], at,
                          tsr__real_get(s, s->panel[thread], at) *
                              tsr__real_get(s, s->weight, i));
        }
    descend_features(s, &rows, s->turned_codes, thread);
}

static void turn(const tsr__solver *s, void *to, const void *factor, int64_t rows)
{
    tsr__kernels_for(s)->transpose(to, tsr__padded(rows), factor, s->k, rows, s->k);
}

static void descend_basis(tsr__solver *s)
{
    if (s->source.sparse) {
        tsr__visit_blocks(&s->turned, s->threads, descend_sparse, s);
    } else {
        turn(s, s->turned_codes, s->codes, s->n);
        tsr__parallel((s->m + TSR_PANEL - 1) / TSR_PANEL, s->threads, descend_panel, s);
    }
}

/* Before a pass: what dense rows share. */
static void prepare(tsr__solver *s)
{
    if (s->turned_basis != NULL)
        turn(s, s->turned_basis, s->basis, s->m);
}

static double value(const tsr__solver *s)
{
    double sum = 0;
    for (int64_t lane = 0; lane < s->lanes; lane++)
        sum += s->lane[lane].value;
    for (int64_t j = 0; s->source.sparse && s->missing == NULL && j < s->k; j++)
        sum += s->column_lanes[j] * s->column_sum[j];
    return sum;
}

const tsr__loss tsr__loss_kl = {
    .name = "kl",
    .logarithmic = true,
    .prepare = prepare,
    .project = project,
    .codes = codes,
    .accumulate = accumulate,
    .collect = collect,
    .descend_codes = descend_codes,
    .descend_basis = descend_basis,
    .basis = basis,
    .value = value,
};
