/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Samples of an .h5 that lie feature by feature (CSC), sorted by sample on their way (flow.h): a
 * block of entries at a time, 16 bytes each. Samples of a feature may be in any order. */
#include "io/h5_pass.h"

#include "base/progress.h"

#include <math.h>

typedef struct block {
    tsr__hdf5_parts *samples, *values;
    int64_t *sample;
    double *value;
} block;

/* In the words of compressed.c. */
static tsr_status check_start(const tsr__h5_columns *from)
{
    const int64_t *start = from->start, features = from->shape[1];
    for (int64_t j = 0; j <= features; j++)
        if (start[j] < 0 || start[j] > from->entries)
            return tsr__fail(TSR_ERROR_FORMAT, "row pointer %lld exceeds the %lld entries",
                             (long long)start[j], (long long)from->entries);
    if (start[0] != 0)
        return tsr__fail(TSR_ERROR_FORMAT, "row pointers begin with %lld, not 0",
                         (long long)start[0]);
    for (int64_t j = 0; j < features; j++)
        if (start[j + 1] < start[j])
            return tsr__fail(TSR_ERROR_FORMAT,
                             "row pointers fall from %lld to %lld at row %lld",
                             (long long)start[j], (long long)start[j + 1], (long long)j);
    return TSR_OK;
}

/* Entries first .., of which the first one is of feature *j or later. */
static tsr_status pass_block(tsr__flow *flow, const tsr__h5_columns *from, const block *b,
                             int64_t first, int64_t count, int64_t *j)
{
    TSR_OR_RETURN(tsr__hdf5_read_part(b->sample, b->samples, TSR_ELEMENT_INT64, first, count));
    TSR_OR_RETURN(tsr__hdf5_read_part(b->value, b->values, TSR_ELEMENT_FLOAT64, first, count));
    for (int64_t k = 0; k < count; k++) {
        const int64_t i = b->sample[k];
        while (first + k >= from->start[*j + 1])
            ++*j;
        if (i < 0 || i >= from->shape[0])
            return tsr__fail(TSR_ERROR_FORMAT, "index %lld is not in 0 .. %lld", (long long)i,
                             (long long)from->shape[0] - 1);
        TSR_OR_RETURN(tsr__flow_entry(flow, i, *j, b->value[k]));
    }
    return TSR_OK;
}

tsr_status tsr__h5_pass(tsr_matrix **out, tsr__flow *flow, const tsr__h5_columns *from)
{
    tsr_status status = TSR_OK;
    block b = {0};
    const int64_t most = tsr__flow_window(flow) / (int64_t)(sizeof *b.sample + sizeof *b.value);
    TSR_TRY(check_start(from));
    const int64_t stored = from->start[from->shape[1]];
    const tsr__task ticket = tsr__task_begin(flow->progress, "reading a matrix", stored);
    TSR_TRY(tsr__hdf5_open_parts(&b.samples, from->hdf5, from->samples, 1, flow->memory / 16));
    TSR_TRY(tsr__hdf5_open_parts(&b.values, from->hdf5, from->values, 1, flow->memory / 16));
    TSR_NEW(b.sample, most);
    TSR_NEW(b.value, most);
    TSR_TRY(tsr__flow_begin(flow, true, from->type, 0));
    TSR_TRY(tsr__flow_sort(flow, from->shape[0], from->shape[1]));
    for (int64_t first = 0, j = 0; first < stored; first += most) {
        const int64_t left = stored - first;
        TSR_TRY(pass_block(flow, from, &b, first, left < most ? left : most, &j));
        TSR_TRY(tsr__task_step(&ticket, first, (double)NAN, (double)NAN));
    }
    TSR_TRY(tsr__flow_sorted(flow));
    TSR_TRY(tsr__flow_end(out, flow, from->shape[1], 0));
done:
    tsr__hdf5_close_parts(b.samples);
    tsr__hdf5_close_parts(b.values);
    tsr__free(b.sample);
    tsr__free(b.value);
    return status;
}
