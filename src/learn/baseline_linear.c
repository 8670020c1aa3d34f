/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Linear baselines: codes = x factor - offset, one product with the samples.
 *
 *     raw   no map at all; samples as --normalize leaves them, sparse ones stay sparse
 *     pca   the leading principal axes; see principal.c */
#include "learn/encoder.h"

#include "matrix/parallel.h"
#include "matrix/pass.h"
#include "matrix/principal.h"

#include <math.h>

tsr_status tsr__raw_fit(tsr_encoder *e, const tsr__training *t)
{
    e->rank = t->x->features;
    return TSR_OK;
}

tsr_status tsr__linear_encode(tsr_matrix **codes, const tsr_encoder *e, const tsr_matrix *x,
                              const tsr_transform_options *options)
{
    tsr_status status = TSR_OK;
    tsr_matrix *out = NULL;
    const tsr__source source = tsr__source_of_matrix(x, 1 << 19);
    TSR_TRY(tsr_matrix_create(&out, x->samples, e->rank, TSR_FLOAT64));
    double *code = out->values;
    TSR_TRY(tsr__source_project(code, &source, e->factor, e->rank,
                                tsr__threads(options->threads, source.blocks)));
    for (int64_t i = 0; i < x->samples; i++)
        for (int64_t a = 0; a < e->rank; a++)
            code[i * e->rank + a] -= e->offset[a];
    *codes = out, out = NULL;
done:
    tsr_matrix_free(out);
    return status;
}

/* Turns every column (rows x k) so that its largest entry is positive. */
static void settle_signs(double *factor, int64_t rows, int64_t k)
{
    for (int64_t a = 0; a < k; a++) {
        double most = 0;
        int64_t first = 0;
        for (int64_t j = 0; j < rows; j++)
            most = fmax(most, fabs(factor[j * k + a]));
        /* entries that differ by rounding alone must not take turns in deciding */
        while (first < rows && fabs(factor[first * k + a]) < most * (1 - 1e-9))
            first++;
        if (first == rows || factor[first * k + a] >= 0)
            continue;
        for (int64_t j = 0; j < rows; j++)
            factor[j * k + a] = -factor[j * k + a];
    }
}

tsr_status tsr__linear_take(tsr_encoder *e, double *factor, const double *mean, int64_t rank)
{
    e->offset = tsr__alloc_zero(rank, sizeof *e->offset);
    if (e->offset == NULL)
        return TSR_ERROR_MEMORY;
    settle_signs(factor, e->features, rank);
    for (int64_t j = 0; j < e->features; j++)
        for (int64_t a = 0; a < rank; a++)
            e->offset[a] += mean[j] * factor[j * rank + a];
    e->factor = factor;
    e->rank = rank;
    return TSR_OK;
}

/* Fewer axes than asked for are all that the samples have. */
static tsr_status clip(tsr_encoder *e, const tsr__training *t, const tsr__axes *axes)
{
    int64_t rank = 0;
    if (axes->rank == 0)
        return tsr__fail(TSR_ERROR_DATA, "the samples of %s are all the same: no axis is there",
                         tsr_data_origin(t->data));
    return tsr__baseline_rank(&rank, e, t, axes->rank, "axes along which the samples vary");
}

tsr_status tsr__pca_fit(tsr_encoder *e, const tsr__training *t)
{
    tsr_status status = TSR_OK;
    tsr__axes axes = {0};
    tsr__axes_options options = {.seed = (uint64_t)t->options->seed,
                                 .threads = tsr__threads(t->options->threads, INT64_MAX)};
    TSR_TRY(tsr__baseline_rank(&options.rank, e, t, INT64_MAX, ""));
    TSR_TRY(tsr__principal_axes(&axes, t->x, &options));
    if (axes.rank < options.rank)
        TSR_TRY(clip(e, t, &axes));
    TSR_TRY(tsr__linear_take(e, axes.factor, axes.mean, axes.rank));
    axes.factor = NULL;
done:
    tsr__axes_clear(&axes);
    return status;
}
