/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Blocks of a matrix in memory, and the reducer of one process. */
#include "matrix/block.h"

static tsr_status slice(tsr__block *out, const tsr__source *source, int64_t index)
{
    const tsr_matrix *x = source->held;
    const int64_t first = index * source->block_samples;
    const int64_t left = x->samples - first;
    *out = (tsr__block){.first = first,
                        .samples = left < source->block_samples ? left : source->block_samples,
                        .features = x->features,
                        .stride = x->stride,
                        .type = x->type,
                        .sparse = x->sparse,
                        .values = x->values,
                        .columns = x->columns};
    if (x->sparse)
        out->rows = x->rows + first;
    else
        out->values = (char *)x->values + (size_t)(first * x->stride) * tsr__type_size(x->type);
    return TSR_OK;
}

tsr__source tsr__source_of_matrix(const tsr_matrix *x, int64_t bytes)
{
    const int64_t row =
        (x->sparse ? tsr_matrix_stored(x) / (x->samples + 1) + 1 : x->features) *
            (int64_t)tsr__type_size(x->type) +
        1;
    int64_t samples = bytes / row;
    const int64_t fair = (x->samples + TSR_LANES - 1) / TSR_LANES; /* a block for every lane */
    if (samples > fair)
        samples = fair;
    if (samples < 1)
        samples = 1;
    return (tsr__source){.samples = x->samples,
                         .features = x->features,
                         .block_samples = samples,
                         .blocks = (x->samples + samples - 1) / samples,
                         .type = x->type,
                         .sparse = x->sparse,
                         .held = x,
                         .get = slice};
}

static tsr_status sum_alone(const tsr__reducer *reducer, double *values, int64_t count)
{
    (void)reducer;
    (void)values;
    (void)count;
    return TSR_OK;
}

tsr__reducer tsr__reducer_alone(void)
{
    return (tsr__reducer){sum_alone, NULL};
}
