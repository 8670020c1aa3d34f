/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The values as the solver sees them: type, missing values set apart, norms, weights. The user's
 * matrix is used as it is where nothing changes it.
 *
 * Fits, transforms (with the fit's settings) and hidden entries (learn/holdout.c) come through
 * here, so that all see the same values. The order: checks on the user's own values, missing
 * ones set to zero, norms of what is known, then the type, then the weights of normalised cuts.
 * A copy is made at most twice: once to change values, once more to narrow what was normalised
 * in doubles. */
#include "factor/solver.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The matrix whose non-zeros mark missing entries. Sparse from here on, whatever the file was:
 * what counts are positions. */
static tsr_status read_mask(tsr_matrix **out, const tsr__problem *p, const char *path)
{
    tsr_status status = TSR_OK;
    tsr_data *data = NULL;
    TSR_TRY(tsr_data_read(&data, path, NULL));
    const tsr_matrix *mask = tsr_data_samples(data);
    if (mask->samples != p->samples || mask->features != p->features)
        TSR_FAIL(TSR_ERROR_DATA, "%s: a mask of %lld x %lld does not fit data of %lld x %lld",
                 path, (long long)mask->samples, (long long)mask->features,
                 (long long)p->samples, (long long)p->features);
    TSR_TRY(tsr_matrix_copy_as(out, mask, TSR_FLOAT64, true));
done:
    tsr_data_free(data);
    return status;
}

/* A sparse row that does not store the feature has a zero there already. Features ascend in a
 * row. */
static void clear_value(tsr_matrix *x, int64_t i, int64_t feature)
{
    int64_t at = tsr__row_begin(x, i) + (x->sparse ? 0 : feature);
    while (at < tsr__row_end(x, i) && tsr__row_feature(x, i, at) < feature)
        at++;
    if (at < tsr__row_end(x, i) && tsr__row_feature(x, i, at) == feature)
        tsr__value_set(x->values, x->type, at, 0);
}

/* Positions of NaN, and of what `extra` marks, as a sparse matrix of ones; the values become
 * zero. Zeros, because products with them then need no mask: a row takes only its own gram
 * matrix besides (mathematics.md, section 10). An entry that is marked twice is one position.
 * By feature too, for the rows of the basis. */
static tsr_status set_missing_apart(tsr__problem *p, const tsr_matrix *extra)
{
    tsr_status status = TSR_OK;
    tsr_matrix *x = p->held.owned;
    int64_t *row = NULL, *column = NULL, count = 0, room = 0, column_room = 0;
    double *one = NULL;
    for (int64_t i = 0; i < x->samples; i++) {
        for (int64_t at = tsr__row_begin(x, i); at < tsr__row_end(x, i); at++) {
            if (!isnan(tsr__value_at(x->values, x->type, at)))
                continue;
            TSR_GROW(row, count, room);
            TSR_GROW(column, count, column_room);
            row[count] = i;
            column[count++] = tsr__row_feature(x, i, at);
            tsr__value_set(x->values, x->type, at, 0);
        }
        for (int64_t at = extra != NULL ? extra->rows[i] : 0,
                     end = extra != NULL ? extra->rows[i + 1] : 0;
             at < end; at++) {
            clear_value(x, i, extra->columns[at]);
            TSR_GROW(row, count, room);
            TSR_GROW(column, count, column_room);
            row[count] = i;
            column[count++] = extra->columns[at];
        }
    }
    if (count == 0)
        goto done;
    TSR_NEW(one, count);
    for (int64_t e = 0; e < count; e++)
        one[e] = 1;
    TSR_TRY(tsr_matrix_create_sparse(&p->missing, x->samples, x->features, count, row, column,
                                     one, TSR_FLOAT64));
    TSR_TRY(tsr_matrix_copy_transposed(&p->missing_turned, p->missing));
done:
    tsr__free(row);
    tsr__free(column);
    tsr__free(one);
    return status;
}

/* x_j over the root of its degree in the graph X'X (section 9, nmf-ncw), which needs only the
 * sum of the samples: O(nnz) and no n x n matrix. New samples are weighed against the same sum.
 * One that is orthogonal to all stays. */
void tsr__weigh_by_cuts(tsr_matrix *x, const double *sum)
{
    for (int64_t i = 0; i < x->samples; i++) {
        double dot = 0;
        for (int64_t at = tsr__row_begin(x, i); at < tsr__row_end(x, i); at++)
            dot += tsr__value_at(x->values, x->type, at) * sum[tsr__row_feature(x, i, at)];
        for (int64_t at = tsr__row_begin(x, i); dot > 0 && at < tsr__row_end(x, i); at++)
            tsr__value_set(x->values, x->type, at,
                           tsr__value_at(x->values, x->type, at) / sqrt(dot));
    }
}

/* *out is held.scale, which the problem frees whatever happens. */
static tsr_status sum_samples(double **out, const tsr_matrix *x)
{
    tsr_status status = TSR_OK;
    TSR_NEW_ZERO(*out, x->features);
    for (int64_t i = 0; i < x->samples; i++)
        for (int64_t at = tsr__row_begin(x, i); at < tsr__row_end(x, i); at++)
            (*out)[tsr__row_feature(x, i, at)] += tsr__value_at(x->values, x->type, at);
done:
    return status;
}

/* Copied in the solver's type. They weigh the loss alone, no penalty and no rho. */
static tsr_status take_weights(tsr__problem *p, const tsr__spec *spec, const char *subject)
{
    const tsr_matrix *w = spec->options->sample_weights;
    if (w == NULL)
        return TSR_OK;
    if (tsr_matrix_samples(w) != p->samples || tsr_matrix_features(w) != 1)
        return tsr__fail(TSR_ERROR_DATA,
                         "weights of the %lld samples of %s cannot be %lld x %lld",
                         (long long)p->samples, subject, (long long)tsr_matrix_samples(w),
                         (long long)tsr_matrix_features(w));
    const tsr_status status =
        tsr_matrix_check(w, TSR_NEED_FINITE | TSR_NEED_NON_NEGATIVE, "sample weights");
    if (status < 0)
        return status;
    p->weight = tsr__alloc(p->samples, tsr__type_size(spec->type));
    if (p->weight == NULL)
        return TSR_ERROR_MEMORY;
    for (int64_t i = 0; i < p->samples; i++)
        tsr__value_set(p->weight, spec->type, i, tsr_matrix_at(w, i, 0));
    return TSR_OK;
}

/* What single precision holds of the samples must still be samples. */
static tsr_status check_narrow(const tsr_matrix *x, const char *subject)
{
    tsr_scan scan;
    const tsr_status status = tsr_matrix_scan(&scan, x);
    if (status < 0 || scan.infinite == 0)
        return status;
    return tsr__fail(
        TSR_ERROR_DATA,
        "%s has values beyond single precision: --precision double, or --normalize l2",
        subject);
}

tsr_status tsr__prepare_values(tsr__problem *p, const tsr__spec *spec, const tsr_data *data)
{
    tsr_status status = TSR_OK;
    const tsr_fit_options *o = spec->options;
    const tsr_matrix *x = tsr_data_samples(data);
    tsr_matrix *extra = NULL, *narrow = NULL;
    const bool mask = o->missing == 1 || o->mask != NULL,
               concept = spec->basis == TSR_BASIS_CONCEPT;
    /* Inner products are all that a concept model under squares needs, so that its samples may
     * have either sign; everything else is a product of non-negative factors. */
    const int needs = (o->missing == 1 ? TSR_NEED_NOT_INFINITE : TSR_NEED_FINITE) |
                      (concept && spec->loss->inner ? 0 : TSR_NEED_NON_NEGATIVE);
    p->samples = x->samples;
    p->features = x->features;
    TSR_TRY(tsr_matrix_check(x, needs, tsr_data_origin(data)));
    TSR_TRY(take_weights(p, spec, tsr_data_origin(data)));
    /* doubles that no float holds may be of ordinary size once they are normalised */
    const tsr_type first = o->normalize != TSR_NORM_NONE ? x->type : spec->type;
    if (mask || o->normalize != TSR_NORM_NONE || spec->ncw || x->type != spec->type)
        TSR_TRY(tsr_matrix_copy_as(&p->held.owned, x, first, x->sparse));
    if (o->mask != NULL)
        TSR_TRY(read_mask(&extra, p, o->mask));
    if (mask)
        TSR_TRY(set_missing_apart(p, extra));
    if (p->missing != NULL && concept)
        TSR_FAIL(TSR_ERROR_ARGUMENT,
                 "a concept basis is made of whole samples, so there can be "
                 "no missing values: --basis free");
    if (p->held.owned != NULL)
        tsr_matrix_normalize(p->held.owned, (tsr_norm)o->normalize);
    if (p->held.owned != NULL && first != spec->type) {
        TSR_TRY(tsr_matrix_copy_as(&narrow, p->held.owned, spec->type, x->sparse));
        tsr_matrix_free(p->held.owned);
        p->held.owned = narrow;
    }
    if (p->held.owned != NULL && p->held.owned->type != x->type)
        TSR_TRY(check_narrow(p->held.owned, tsr_data_origin(data)));
    if (spec->ncw) {
        TSR_TRY(sum_samples(&p->held.scale, p->held.owned));
        tsr__weigh_by_cuts(p->held.owned, p->held.scale);
    }
    p->held.x = p->held.owned != NULL ? p->held.owned : x;
done:
    tsr_matrix_free(extra);
    return status;
}

/* The caller takes over what it needs, and the rest goes with the problem. */
tsr_status tsr__prepared_make(tsr__prepared *out, const tsr_data *data,
                              const tsr_fit_options *options)
{
    tsr_status status = TSR_OK;
    tsr__problem p = {0};
    tsr__spec spec;
    TSR_TRY(tsr__spec_make(&spec, options));
    TSR_TRY(tsr__prepare_values(&p, &spec, data));
    *out = (tsr__prepared){p.held.x, p.held.owned, p.missing};
    p.held.owned = p.missing = NULL;
done:
    tsr__problem_clear(&p);
    return status;
}

void tsr__prepared_clear(tsr__prepared *prepared)
{
    tsr_matrix_free(prepared->owned);
    tsr_matrix_free(prepared->missing);
    *prepared = (tsr__prepared){NULL, NULL, NULL};
}
