/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Samples that pass through. Of the memory a half is for sorting entries, which is over when they
 * are drained from there; what a reader holds of its file is less than the other half. */
#include "io/flow.h"

#include "base/progress.h"
#include "matrix/store.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 4096, BUFFER = 1 << 18 };

static int64_t buffer_of(const tsr__flow *flow)
{
    const int64_t share = flow->memory / 64;
    return share < 64 ? 64 : share < BUFFER ? share : BUFFER;
}

static tsr_status open_file(tsr__scratch *out, const tsr__flow *flow)
{
    return tsr__scratch_open(out, flow->beside, buffer_of(flow));
}

tsr_status tsr__check_orders(bool both, bool sparse)
{
    return !both || sparse
               ? TSR_OK
               : tsr__fail(TSR_ERROR_ARGUMENT,
                           "both orders are of sparse samples, and these are dense: write one "
                           "order, or make them sparse before (--storage sparse)");
}

tsr_status tsr__flow_begin(tsr__flow *flow, bool sparse, tsr_type type, int64_t features)
{
    tsr_status status = TSR_OK;
    const int64_t zero = 0;
    TSR_TRY(tsr__check_orders(flow->both_orders, sparse));
    flow->sparse = sparse, flow->type = type, flow->features = features;
    flow->scan.first_not_finite[0] = flow->scan.first_not_finite[1] = -1;
    TSR_TRY(open_file(&flow->values, flow));
    if (!sparse)
        goto done;
    TSR_TRY(open_file(&flow->columns, flow));
    TSR_TRY(open_file(&flow->rows, flow));
    TSR_TRY(tsr__scratch_add(&flow->rows, &zero, sizeof zero));
done:
    return status;
}

/* Notes a value that is not finite. */
static void note_odd(tsr__flow *flow, int64_t row, int64_t column, double value)
{
    tsr_scan *scan = &flow->scan;
    if (scan->not_finite++ == 0) {
        scan->first_not_finite[0] = row, scan->first_not_finite[1] = column;
        flow->first_odd = value;
    }
    scan->infinite += isinf(value) != 0;
}

tsr_status tsr__flow_dense(tsr__flow *flow, const void *values, int64_t samples)
{
    const int64_t count = samples * flow->features;
    const int64_t before = flow->values.size / (int64_t)tsr__type_size(flow->type);
    for (int64_t k = 0; k < count; k++) {
        const double value = tsr__value_at(values, flow->type, k);
        if (!isfinite(value))
            note_odd(flow, (before + k) / flow->features, (before + k) % flow->features, value);
    }
    flow->samples += samples, flow->stored += count;
    return tsr__scratch_add(&flow->values, values, count * (int64_t)tsr__type_size(flow->type));
}

tsr_status tsr__flow_sparse(tsr__flow *flow, int64_t samples, int64_t *rows, int32_t *columns,
                            void *values)
{
    tsr_status status = TSR_OK;
    TSR_TRY(tsr__sparse_tidy(samples, rows, columns, values, flow->type));
    for (int64_t i = 0; i < samples; i++)
        for (int64_t k = rows[i]; k < rows[i + 1]; k++) {
            const double value = tsr__value_at(values, flow->type, k);
            if (!isfinite(value))
                note_odd(flow, flow->samples + i, columns[k], value);
        }
    const int64_t count = rows[samples];
    TSR_TRY(tsr__scratch_add(&flow->columns, columns, count * (int64_t)sizeof *columns));
    TSR_TRY(
        tsr__scratch_add(&flow->values, values, count * (int64_t)tsr__type_size(flow->type)));
    for (int64_t i = 1; i <= samples; i++)
        rows[i] += flow->stored;
    TSR_TRY(tsr__scratch_add(&flow->rows, rows + 1, samples * (int64_t)sizeof *rows));
    flow->samples += samples, flow->stored += count;
done:
    return status;
}

static tsr_status begin_sort(tsr__flow *flow, int64_t samples, int64_t features, bool sums)
{
    int64_t places = 0;
    if (!tsr__multiply(&places, samples, features))
        return tsr__fail(TSR_ERROR_UNSUPPORTED, "%lld x %lld places are too many to sort by",
                         (long long)samples, (long long)features);
    flow->samples = samples, flow->features = features;
    return tsr__spill_create(&flow->spill, flow->beside, flow->memory / 2, sums);
}

tsr_status tsr__flow_sort(tsr__flow *flow, int64_t samples, int64_t features)
{
    return begin_sort(flow, samples, features, flow->sparse);
}

/* Entries on their way out of the sort. */
typedef struct drain {
    int64_t rows;  /* of which the end is written */
    int64_t place; /* dense: the next one */
    int32_t column[BLOCK];
    union {
        double wide[BLOCK];
        float narrow[BLOCK];
    } value;
} drain;

/* Ends the rows before `row`, behind which `before` entries stand. */
static tsr_status end_rows(tsr__flow *flow, drain *d, int64_t row, int64_t before)
{
    tsr_status status = TSR_OK;
    for (; d->rows < row; d->rows++)
        TSR_TRY(tsr__scratch_add(&flow->rows, &before, sizeof before));
done:
    return status;
}

static tsr_status drain_sparse(tsr__flow *flow, drain *d, const tsr__entry *entry,
                               int64_t count)
{
    tsr_status status = TSR_OK;
    for (int64_t k = 0; k < count; k++) {
        const int64_t row = entry[k].place / flow->features;
        d->column[k] = (int32_t)(entry[k].place % flow->features);
        tsr__value_set(&d->value, flow->type, k, entry[k].value);
        if (!isfinite(entry[k].value))
            note_odd(flow, row, d->column[k], entry[k].value);
        TSR_TRY(end_rows(flow, d, row, flow->stored + k));
    }
    TSR_TRY(tsr__scratch_add(&flow->columns, d->column, count * (int64_t)sizeof *d->column));
    TSR_TRY(tsr__scratch_add(&flow->values, &d->value,
                             count * (int64_t)tsr__type_size(flow->type)));
    flow->stored += count;
done:
    return status;
}

/* Zeros up to `place`. */
static tsr_status fill_gap(tsr__flow *flow, drain *d, int64_t place)
{
    tsr_status status = TSR_OK;
    const double zero = 0; /* of either type */
    for (; d->place < place; d->place++)
        TSR_TRY(tsr__scratch_add(&flow->values, &zero, (int64_t)tsr__type_size(flow->type)));
done:
    return status;
}

static tsr_status drain_dense(tsr__flow *flow, drain *d, const tsr__entry *entry, int64_t count)
{
    tsr_status status = TSR_OK;
    for (int64_t k = 0; k < count; k++) {
        const int64_t place = entry[k].place;
        if (!isfinite(entry[k].value))
            note_odd(flow, place / flow->features, place % flow->features, entry[k].value);
        TSR_TRY(fill_gap(flow, d, place));
        tsr__value_set(&d->value, flow->type, 0, entry[k].value);
        TSR_TRY(
            tsr__scratch_add(&flow->values, &d->value, (int64_t)tsr__type_size(flow->type)));
        d->place++;
    }
done:
    return status;
}

tsr_status tsr__flow_sorted(tsr__flow *flow)
{
    tsr_status status = TSR_OK;
    tsr__entry *entry = NULL;
    drain *d = NULL;
    int64_t count = 0, done = 0;
    const tsr__task ticket = tsr__task_begin(flow->progress, "sorting entries", 0);
    TSR_NEW(entry, BLOCK);
    TSR_NEW_ZERO(d, 1);
    TSR_TRY(tsr__spill_turn(flow->spill));
    do {
        TSR_TRY(tsr__task_step(&ticket, done, (double)NAN, (double)NAN));
        TSR_TRY(tsr__spill_take(&count, entry, BLOCK, flow->spill));
        TSR_TRY(flow->sparse ? drain_sparse(flow, d, entry, count)
                             : drain_dense(flow, d, entry, count));
        done += count;
    } while (count > 0);
    if (flow->sparse)
        TSR_TRY(end_rows(flow, d, flow->samples, flow->stored));
    else
        TSR_TRY(fill_gap(flow, d, flow->samples * flow->features));
    tsr__spill_free(flow->spill);
    flow->spill = NULL;
done:
    tsr__free(entry);
    tsr__free(d);
    return status;
}

tsr_status tsr__flow_end(tsr_matrix **out, tsr__flow *flow, int64_t features, int64_t base)
{
    tsr_status status = TSR_OK;
    flow->features = features, flow->base = base;
    flow->scan.first_not_finite[1] -= base;
    TSR_TRY(tsr__scratch_flush(&flow->values));
    if (flow->sparse) {
        TSR_TRY(tsr__scratch_flush(&flow->columns));
        TSR_TRY(tsr__scratch_flush(&flow->rows));
    }
    if (out == NULL)
        goto done;
    tsr_matrix *x = NULL;
    TSR_NEW_ZERO(x, 1);
    x->samples = flow->samples, x->features = x->stride = features;
    x->type = flow->type, x->sparse = flow->sparse, x->constant = true;
    *out = x;
done:
    return status;
}

/* Gives entries first .. first+count-1, whose rows begin with *row, to the sort of `out`. */
static tsr_status turn_entries(tsr__flow *out, const tsr__flow *from, drain *d, int64_t first,
                               int64_t count, int64_t *row, int64_t ends[BLOCK])
{
    tsr_status status = TSR_OK;
    const int64_t size = (int64_t)tsr__type_size(from->type);
    TSR_TRY(tsr__scratch_read(d->column, &from->columns, first * 4, count * 4));
    TSR_TRY(tsr__scratch_read(&d->value, &from->values, first * size, count * size));
    for (int64_t k = 0; k < count; k++) {
        while (first + k >= ends[*row % BLOCK]) {
            const int64_t next = ++*row, left = from->samples - next;
            if (next % BLOCK == 0)
                TSR_TRY(tsr__scratch_read(ends, &from->rows, (next + 1) * 8,
                                          (left < BLOCK ? left : BLOCK) * 8));
        }
        TSR_TRY(tsr__flow_entry(out, d->column[k] - from->base, *row,
                                tsr__value_at(&d->value, from->type, k)));
    }
done:
    return status;
}

/* Those of a flow. */
static tsr_status turn_flow(tsr__flow *out, const tsr__flow *from, const tsr__task *ticket)
{
    tsr_status status = TSR_OK;
    drain *d = NULL;
    int64_t *ends = NULL, row = 0;
    const int64_t some = from->samples < BLOCK ? from->samples : BLOCK;
    TSR_NEW(d, 1);
    TSR_NEW(ends, BLOCK);
    TSR_TRY(tsr__scratch_read(ends, &from->rows, 8, some * 8));
    for (int64_t first = 0; first < from->stored; first += BLOCK) {
        const int64_t left = from->stored - first;
        TSR_TRY(turn_entries(out, from, d, first, left < BLOCK ? left : BLOCK, &row, ends));
        TSR_TRY(tsr__task_step(ticket, first, (double)NAN, (double)NAN));
    }
done:
    tsr__free(d);
    tsr__free(ends);
    return status;
}

/* Those of a matrix, wherever it is. */
static tsr_status turn_windows(tsr__flow *out, const tsr_matrix *x, const tsr__task *ticket)
{
    const int64_t most = tsr__matrix_window_rows(x);
    for (int64_t first = 0; first < x->samples; first += most) {
        const int64_t left = x->samples - first;
        tsr_matrix rows;
        TSR_OR_RETURN(tsr__matrix_window(&rows, x, first, left < most ? left : most));
        for (int64_t i = 0; i < rows.samples; i++)
            for (int64_t at = rows.rows[i]; at < rows.rows[i + 1]; at++)
                TSR_OR_RETURN(tsr__flow_entry(out, rows.columns[at], first + i,
                                              tsr__value_at(rows.values, rows.type, at)));
        TSR_OR_RETURN(tsr__task_step(ticket, x->rows[first], (double)NAN, (double)NAN));
    }
    return TSR_OK;
}

tsr_status tsr__flow_turn(tsr__flow *out, const tsr__flow *flow, const tsr_matrix *x)
{
    tsr_status status = TSR_OK;
    const bool passed = tsr__flow_has(flow);
    const int64_t samples = passed ? flow->samples : x->samples,
                  features = passed ? flow->features : x->features;
    const tsr__task ticket = tsr__task_begin(flow->progress, "turning the samples",
                                             passed ? flow->stored : tsr_matrix_stored(x));
    *out =
        (tsr__flow){.beside = flow->beside, .memory = flow->memory, .progress = flow->progress};
    if (samples > INT32_MAX)
        TSR_FAIL(TSR_ERROR_UNSUPPORTED, "%lld samples by feature exceed the limit of %d",
                 (long long)samples, INT32_MAX);
    TSR_TRY(tsr__flow_begin(out, true, passed ? flow->type : x->type, samples));
    TSR_TRY(begin_sort(out, features, samples, false)); /* zeros that are stored stay */
    TSR_TRY(passed ? turn_flow(out, flow, &ticket) : turn_windows(out, x, &ticket));
    TSR_TRY(tsr__flow_sorted(out));
    TSR_TRY(tsr__flow_end(NULL, out, samples, 0));
done:
    return status;
}

void tsr__flow_clear(tsr__flow *flow)
{
    tsr__scratch_close(&flow->values);
    tsr__scratch_close(&flow->columns);
    tsr__scratch_close(&flow->rows);
    tsr__spill_free(flow->spill);
    flow->spill = NULL;
}
