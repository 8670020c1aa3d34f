/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Blocks of a matrix, in memory or stored, and where they are cut. */
#include "matrix/block.h"

#include "matrix/store.h"

static int64_t least_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

void tsr__source_rows(int64_t *first, int64_t *count, const tsr__source *source, int64_t index)
{
    const int64_t block = source->chosen != NULL ? source->chosen[index] : index;
    int64_t end = source->samples;
    *first = block * source->block_samples;
    if (source->share != NULL) {
        const int64_t leaf = block / source->each;
        *first = source->share->leaf[leaf] + block % source->each * source->block_samples;
        end = source->share->leaf[leaf + 1];
    }
    *count = most_of(least_of(end - *first, source->block_samples), 0);
}

static tsr_status slice(tsr__block *out, const tsr__source *source, int64_t index, int thread)
{
    const tsr_matrix *x = source->held;
    int64_t first, count;
    tsr_matrix rows;
    (void)thread;
    tsr__source_rows(&first, &count, source, index);
    if (count == 0) {
        *out = (tsr__block){.first = first};
        return TSR_OK;
    }
    TSR_OR_RETURN(tsr__matrix_window(&rows, x, first, count));
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

static tsr_status count_rows(tsr__block *out, const tsr__source *source, int64_t index,
                             int thread)
{
    *out = (tsr__block){0};
    (void)thread;
    tsr__source_rows(&out->first, &out->samples, source, index);
    return TSR_OK;
}

tsr__source tsr__source_bare(const tsr__source *of)
{
    tsr__source bare = *of;
    bare.get = count_rows;
    return bare;
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
    for (int64_t b = 0; b < s->blocks; b++) {
        int64_t first, count;
        tsr__source_rows(&first, &count, s, b);
        s->most = most_of(s->most, count > 0 ? x->rows[first + count] - x->rows[first] : 0);
    }
}

enum { ROWS = 32 }; /* of a dense block, at least */

/* Bytes of a row, about. */
static int64_t row_of(const tsr_matrix *x, int64_t entries, int64_t samples)
{
    return (x->sparse ? entries / (samples + 1) + 1 : x->features) *
               (int64_t)tsr__type_size(x->type) +
           1;
}

static tsr__source source_of(const tsr_matrix *x)
{
    return (tsr__source){.samples = x->samples,
                         .features = x->features,
                         .tile = x->features,
                         .type = x->type,
                         .sparse = x->sparse,
                         .held = x,
                         .get = slice};
}

/* A block of few rows reads and writes all that a feature has, k numbers in each factor, for
 * little work: dense blocks have ROWS rows at least. If these are far longer than `bytes`, tiles
 * of them are as large as a block should be. */
tsr__source tsr__source_of_matrix(const tsr_matrix *x, int64_t bytes)
{
    enum { FEW = 8, LINE = 64 };
    const int64_t size = (int64_t)tsr__type_size(x->type),
                  row = row_of(x, tsr_matrix_stored(x), x->samples);
    const bool wide = !x->sparse && row * ROWS > 2 * bytes;
    const int64_t fair =
        (x->samples + FEW - 1) / FEW; /* a block for each of the first leaves */
    int64_t samples = wide ? 4 * ROWS : most_of(bytes / row, x->sparse ? 1 : ROWS), tile;
    samples = least_of(samples, wide ? most_of(fair, ROWS / 2) : fair);
    samples = most_of(least_of(samples, x->samples), 1);
    tile = most_of(bytes / (samples * size) / LINE, 1) * LINE;
    tsr__source out = source_of(x);
    out.block_samples = samples;
    out.blocks = (x->samples + samples - 1) / samples;
    out.leaves = leaves_of(out.blocks);
    out.tile = wide ? least_of(tile, x->features) : x->features;
    measure(&out, x);
    return out;
}

/* As many blocks a leaf as the longest needs, all of one length: the same for every rank. */
tsr__source tsr__source_of_share(const tsr_matrix *x, const tsr__share *share, int64_t entries,
                                 int64_t bytes)
{
    const int64_t row = row_of(x, entries, share->whole),
                  fair = most_of(bytes / row, x->sparse ? 1 : ROWS),
                  each = most_of((share->most + fair - 1) / fair, 1);
    tsr__source out = source_of(x);
    out.block_samples = most_of((share->most + each - 1) / each, 1);
    out.each = each;
    out.blocks = share->leaves * each;
    out.leaves = share->leaves;
    out.share = share;
    measure(&out, x);
    return out;
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
