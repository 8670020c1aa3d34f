/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Blocks of a matrix, in memory or stored, and where they are cut. */
#include "matrix/block.h"

#include "matrix/store.h"

static tsr_status slice(tsr__block *out, const tsr__source *source, int64_t index, int thread)
{
    const tsr_matrix *x = source->held;
    const int64_t block = source->chosen != NULL ? source->chosen[index] : index,
                  first = block * source->block_samples, left = x->samples - first;
    tsr_matrix rows;
    (void)thread;
    TSR_OR_RETURN(tsr__matrix_window(
        &rows, x, first, left < source->block_samples ? left : source->block_samples));
    *out = (tsr__block){.first = first,
                        .samples = rows.samples,
                        .features = x->features,
                        .stride = rows.stride,
                        .type = x->type,
                        .sparse = x->sparse,
                        .values = rows.values,
                        .rows = rows.rows,
                        .columns = rows.columns};
    return TSR_OK;
}

static int64_t least_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* A leaf should be worth its join, which reads its sums once more: four blocks. Small data have
 * as many leaves as blocks, at most eight, so that there is something to share. */
static int64_t leaves_of(int64_t blocks)
{
    enum { FEW = 8, MANY = 256, WORTH = 4 };
    const int64_t most = least_of(most_of(blocks / WORTH, least_of(blocks, FEW)), MANY);
    int64_t leaves = 1;
    while (2 * leaves <= most)
        leaves *= 2;
    return leaves;
}

/* O(n) for sparse samples, whose rows differ. */
static void measure(tsr__source *s, const tsr_matrix *x)
{
    s->longest = x->features;
    s->most = s->block_samples * x->features;
    if (!x->sparse)
        return;
    s->longest = s->most = 0;
    for (int64_t i = 0; i < x->samples; i++)
        s->longest = most_of(s->longest, x->rows[i + 1] - x->rows[i]);
    for (int64_t i = 0; i < x->samples; i += s->block_samples)
        s->most =
            most_of(s->most, x->rows[least_of(i + s->block_samples, x->samples)] - x->rows[i]);
}

/* A block of few rows reads and writes all that a feature has, k numbers in each factor, for
 * little work: dense blocks have ROWS rows at least. If these are far longer than `bytes`, tiles
 * of them are as large as a block should be. */
static tsr__source cut(const tsr_matrix *x, int64_t bytes, bool once)
{
    enum { FEW = 8, ROWS = 32, LINE = 64 };
    const int64_t size = (int64_t)tsr__type_size(x->type);
    const int64_t row =
        (x->sparse ? tsr_matrix_stored(x) / (x->samples + 1) + 1 : x->features) * size + 1;
    const bool far = row * ROWS > 2 * bytes, wide = !x->sparse && far && !once;
    const int64_t fair =
        (x->samples + FEW - 1) / FEW; /* a block for each of the first leaves */
    int64_t samples = wide ? 4 * ROWS : most_of(bytes / row, x->sparse ? 1 : ROWS), tile;
    samples = least_of(samples, wide ? most_of(fair, ROWS / 2) : fair);
    samples = most_of(least_of(samples, x->samples), 1);
    tile = most_of(bytes / (samples * size) / LINE, 1) * LINE;
    const int64_t blocks = (x->samples + samples - 1) / samples;
    tsr__source out = {
        .samples = x->samples,
        .features = x->features,
        .block_samples = samples,
        .blocks = blocks,
        .leaves = least_of(leaves_of(blocks), once && (far || x->sparse) ? FEW : blocks),
        .tile = wide ? least_of(tile, x->features) : x->features,
        .type = x->type,
        .sparse = x->sparse,
        .held = x,
        .get = slice};
    measure(&out, x);
    return out;
}

tsr__source tsr__source_of_matrix(const tsr_matrix *x, int64_t bytes)
{
    return cut(x, bytes, false);
}

tsr__source tsr__source_of_stream(const tsr_matrix *x, int64_t bytes)
{
    return cut(x, bytes, true);
}

tsr__block tsr__block_tile(const tsr__block *block, int64_t from, int64_t tile)
{
    tsr__block out = *block;
    out.from = block->from + from;
    out.features = least_of(tile, block->features - from);
    if (!block->sparse)
        out.values = (const char *)block->values + (size_t)from * tsr__type_size(block->type);
    return out;
}
