/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The values as the solver sees them: type, missing values set apart, norms, weights. The user's
 * matrix is used as it is where nothing changes it.
 *
 * Fits, transforms (with the fit's settings) and hidden entries (learn/holdout.c) come through
 * here, so that all see the same values. The order: checks on the user's own values, missing
 * ones set to zero, norms of what is known, then the type, then the weights of normalised cuts:
 * a scaled view of the samples (matrix/scaled.h), window by window, and one copy at most. */
#include "factor/given.h"
#include "factor/solver.h"
#include "matrix/parallel.h"
#include "matrix/pass.h"
#include "matrix/scaled.h"
#include "matrix/store.h"
#include "matrix/team.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The matrix whose non-zeros mark missing entries, of a file or in memory. Sparse from here on,
 * whatever it was: what counts are positions. */
static tsr_status take_mask(tsr_matrix **out, const tsr__problem *p, const tsr_fit_options *o)
{
    tsr_status status = TSR_OK;
    tsr__given given = {0};
    TSR_TRY(tsr__given_open(&given, o->mask, o->mask_matrix, "mask-matrix"));
    const tsr_matrix *mask = given.x;
    if (mask->samples != p->samples || mask->features != p->features)
        TSR_FAIL(TSR_ERROR_DATA, "%s: a mask of %lld x %lld does not fit data of %lld x %lld",
                 given.subject, (long long)mask->samples, (long long)mask->features,
                 (long long)p->samples, (long long)p->features);
    TSR_TRY(tsr_matrix_copy_as(out, mask, TSR_FLOAT64, true));
done:
    tsr__given_close(&given);
    return status;
}

/* Positions of NaN, and of what `extra` marks, as a sparse matrix of ones. The values will be
 * zeros (matrix/scaled.h), because products with them then need no mask: a row takes only its
 * own gram matrix besides (mathematics.md, section 10). An entry that is marked twice is one
 * position. By feature too, for the rows of the basis. */
static tsr_status find_missing(tsr__problem *p, const tsr_matrix *x, const tsr_matrix *extra)
{
    tsr_status status = TSR_OK;
    int64_t *row = NULL, *column = NULL, count = 0, room = 0, column_room = 0;
    double *one = NULL;
    tsr_matrix rows = {0};
    const int64_t most = tsr__matrix_window_rows(x);
    for (int64_t i = 0; i < x->samples; i++) {
        if (i % most == 0)
            TSR_TRY(
                tsr__matrix_window(&rows, x, i, x->samples - i < most ? x->samples - i : most));
        for (int64_t at = tsr__row_begin(&rows, i % most), end = tsr__row_end(&rows, i % most);
             at < end; at++) {
            if (!isnan(tsr__value_at(rows.values, x->type, at)))
                continue;
            TSR_GROW(row, count, room);
            TSR_GROW(column, count, column_room);
            row[count] = i;
            column[count++] = tsr__row_feature(&rows, i % most, at);
        }
        for (int64_t at = extra != NULL ? extra->rows[i] : 0,
                     end = extra != NULL ? extra->rows[i + 1] : 0;
             at < end; at++) {
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
        const int64_t at = tsr__row_begin(x, i);
        tsr__weigh_row((char *)x->values + (size_t)at * tsr__type_size(x->type), x->type,
                       x->sparse ? x->columns + at : NULL, tsr__row_end(x, i) - at, sum);
    }
}

static void add_samples(void *context, const tsr__block *block, double *sum, int thread)
{
    (void)context, (void)thread;
    for (int64_t i = 0; i < block->samples; i++) {
        const int64_t first = block->sparse ? block->rows[i] : i * block->stride,
                      end = block->sparse ? block->rows[i + 1] : first + block->features;
        for (int64_t at = first; at < end; at++)
            sum[block->sparse ? block->columns[at] : at - first] +=
                tsr__value_at(block->values, block->type, at);
    }
}

/* *out is held.scale, which the problem frees whatever happens. */
static tsr_status sum_samples(double **out, const tsr__problem *p, const tsr_matrix *view,
                              int64_t wanted)
{
    tsr_status status = TSR_OK;
    tsr__source few = p->streams
                          ? tsr__source_of_share(view, &p->share, p->share.entries, 1 << 19)
                          : tsr__source_of_matrix(view, 1 << 19);
    const int threads = tsr__threads(wanted, few.blocks);
    if (!p->streams) /* a sum is as long as a sample */
        few.leaves = few.leaves < 8 ? few.leaves : 8, few.tile = few.features;
    TSR_NEW(*out, view->features);
    TSR_TRY(tsr__sum_made(*out, &few, threads, view->features, add_samples, NULL));
done:
    return status;
}

struct owning {
    double (*own)(double x);
    const void *weight;
    double *sum; /* by part */
};

static void add_own(void *context, const tsr_matrix *rows, int64_t first, int64_t part,
                    int thread)
{
    const struct owning *o = context;
    (void)thread;
    for (int64_t i = 0; i < rows->samples; i++) {
        const double w =
            o->weight != NULL ? tsr__value_at(o->weight, rows->type, first + i) : 1;
        for (int64_t at = tsr__row_begin(rows, i); at < tsr__row_end(rows, i); at++)
            o->sum[part] += w * o->own(tsr__value_at(rows->values, rows->type, at));
    }
}

/* What samples add to a loss whatever the factors are. Absent entries add nothing: own(0) is 0 for
 * every loss that takes zeros. */
tsr_status tsr__sum_own(double *out, const tsr_matrix *x, const void *weight,
                        const tsr__share *share, double (*own)(double x), int64_t threads)
{
    double sum[TSR_CHUNKS_MOST] = {0};
    struct owning o = {own, weight, sum};
    TSR_OR_RETURN(tsr__walk_leaves(x, share, tsr__matrix_threads(x, threads), add_own, &o));
    TSR_OR_RETURN(tsr__walk_total(sum, tsr__walk_parts(x, share), 1, share));
    *out = sum[0];
    return TSR_OK;
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

/* The samples through a scaled view, copied out once: iterations then read memory. Those that are
 * not in memory stay where they are, behind the view. Cuts are weighed against the sum of the
 * samples as they are without them, which is the same view before. */
static tsr_status take_view(tsr__problem *p, const tsr__spec *spec, const tsr_matrix *x)
{
    tsr_status status = TSR_OK;
    const tsr_fit_options *o = spec->options;
    tsr__scaling by = {.type = spec->type,
                       .norm = (tsr_norm)o->normalize,
                       .missing = o->missing == 1,
                       .clear = p->missing};
    tsr_matrix *view = NULL;
    TSR_TRY(tsr__matrix_scaled(&view, x, &by));
    if (spec->ncw) {
        TSR_TRY(sum_samples(&p->held.scale, p, view, o->threads));
        by.cuts = p->held.scale;
        tsr_matrix_free(view);
        view = NULL;
        TSR_TRY(tsr__matrix_scaled(&view, x, &by));
    }
    if (tsr__matrix_is_stored(x))
        p->held.owned = view, view = NULL;
    else
        TSR_TRY(tsr__matrix_load(&p->held.owned, view, tsr__threads(o->threads, x->samples)));
    p->held.x = p->held.owned;
done:
    tsr_matrix_free(view);
    return status;
}

struct cutting {
    const double *sum;
    double *weight; /* of own samples */
};

static void add_cuts(void *context, const tsr_matrix *rows, int64_t first, int64_t part,
                     int thread)
{
    const struct cutting *c = context;
    (void)part, (void)thread;
    for (int64_t i = 0; i < rows->samples; i++) {
        const int64_t at = tsr__row_begin(rows, i);
        const double degree = tsr__cut_degree(
            (const char *)rows->values + (size_t)at * tsr__type_size(rows->type), rows->type,
            rows->sparse ? rows->columns + at : NULL, tsr__row_end(rows, i) - at, c->sum);
        c->weight[first + i] = degree > 0 ? 1 / degree : 0;
    }
}

/* The same weights as those of the loss: 1 / degree, which is what dividing a sample by the root of
 * its degree makes of a squared error, and leaves the codes those of the samples as they are. In units
 * of the data their mean is one, so that the unit of the data does not enter; one that is orthogonal to
 * all has it. */
static tsr_status weigh_loss_by_cuts(tsr__problem *p, const tsr__spec *spec)
{
    tsr_status status = TSR_OK;
    double *sum = NULL, *weight = NULL, total = 0;
    int64_t met = 0;
    TSR_TRY(sum_samples(&sum, p, p->held.x, spec->options->threads));
    TSR_NEW_ZERO(weight, p->samples);
    struct cutting c = {sum, weight + p->share.first};
    TSR_TRY(tsr__walk_leaves(p->held.x, tsr__cut_by(&p->share),
                             tsr__matrix_threads(p->held.x, spec->options->threads), add_cuts,
                             &c));
    TSR_TRY(tsr__team_sum(tsr__problem_team(p), weight, p->samples));
    for (int64_t i = 0; i < p->samples; i++) {
        total += weight[i];
        met += weight[i] > 0;
    }
    const double mean = met > 0 ? total / (double)met : 1,
                 unit = spec->unit == TSR_UNIT_ONE ? 1 : mean;
    const bool own = p->weight != NULL;
    if (!own)
        p->weight = tsr__alloc(p->samples, tsr__type_size(spec->type));
    if (p->weight == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    for (int64_t i = 0; i < p->samples; i++)
        tsr__value_set(p->weight, spec->type, i,
                       (own ? tsr__value_at(p->weight, spec->type, i) : 1) *
                           (weight[i] > 0 ? weight[i] : mean) / unit);
done:
    tsr__free(sum);
    tsr__free(weight);
    return status;
}

static double bytes_of(const tsr_matrix *x)
{
    const size_t each = tsr__type_size(x->type) + (x->sparse ? sizeof *x->columns : 0);
    return (double)tsr_matrix_stored(x) * (double)each;
}

/* The samples of this rank, read once. What is in a file stays there where memory does not hold the
 * share. */
static tsr_status take_own(tsr__problem *p, const tsr_data *data, int64_t threads)
{
    tsr_status status = TSR_OK;
    const tsr_matrix *x = tsr_data_samples(data);
    tsr_matrix *slice = NULL;
    p->share = (tsr__share){.whole = x->samples, .count = x->samples};
    p->held.x = x;
    if (p->streams)
        TSR_TRY(tsr__share_make(&p->share, x, data->team));
    if (!tsr__team_shares(data->team))
        goto done;
    TSR_TRY(tsr__matrix_slice(&slice, x, p->share.first, p->share.count));
    if (tsr__matrix_is_stored(slice) && tsr__memory_holds(data->memory, bytes_of(slice)))
        TSR_TRY(tsr__matrix_load(&p->held.own, slice, tsr__threads(threads, p->share.leaves)));
    else
        p->held.own = slice, slice = NULL;
    p->held.x = p->held.own;
done:
    tsr_matrix_free(slice);
    return status;
}

/* What a team cannot have, before anything is made of the data. */
static tsr_status check_team(const tsr_data *data, const tsr_fit_options *o, bool marked)
{
    if (!tsr__team_shares(data->team))
        return TSR_OK;
    if (marked || o->missing == 1)
        return tsr__fail(
            TSR_ERROR_UNSUPPORTED,
            "a team has no missing values, as features that lack some have sums of "
            "their own over all samples: one process has them");
    if (o->batch > 0)
        return tsr__fail(TSR_ERROR_UNSUPPORTED,
                         "a team has no batches (--batch): one process has them");
    return TSR_OK;
}

tsr_status tsr__prepare_values(tsr__problem *p, const tsr__spec *spec, const tsr_data *data)
{
    tsr_status status = TSR_OK;
    const tsr_fit_options *o = spec->options;
    const tsr_matrix *x = tsr_data_samples(data);
    tsr_matrix *extra = NULL;
    const bool marked = o->mask != NULL || o->mask_matrix != NULL,
               mask = o->missing == 1 || marked, concept = spec->basis == TSR_BASIS_CONCEPT;
    /* Inner products are all that a concept model under squares needs, so that its samples may
     * have either sign; everything else is a product of non-negative factors. */
    const int needs = (o->missing == 1 ? TSR_NEED_NOT_INFINITE : TSR_NEED_FINITE) |
                      (concept && spec->loss->inner ? 0 : TSR_NEED_NON_NEGATIVE);
    p->samples = x->samples;
    p->features = x->features;
    p->streams = o->plan != TSR_PLAN_AUTO || o->batch > 0 || tsr__matrix_is_stored(x) ||
                 tsr__team_shares(data->team);
    TSR_TRY(check_team(data, o, marked));
    TSR_TRY(take_own(p, data, o->threads));
    TSR_TRY(tsr__share_survey(&p->survey, p->held.x, tsr__cut_by(&p->share), o->threads));
    TSR_TRY(
        tsr__scan_check_from(&p->survey.scan, x, data->first, needs, tsr_data_origin(data)));
    TSR_TRY(take_weights(p, spec, tsr_data_origin(data)));
    if (marked)
        TSR_TRY(take_mask(&extra, p, o));
    if (mask)
        TSR_TRY(find_missing(p, p->held.x, extra));
    if (p->missing != NULL && concept)
        TSR_FAIL(TSR_ERROR_ARGUMENT,
                 "a concept basis is made of whole samples, so there can be "
                 "no missing values: --basis free");
    if (mask || o->normalize != TSR_NORM_NONE || spec->ncw || x->type != spec->type)
        TSR_TRY(take_view(p, spec, p->held.x));
    if (p->held.owned != NULL)
        TSR_TRY(
            tsr__share_survey(&p->survey, p->held.owned, tsr__cut_by(&p->share), o->threads));
    if (spec->ncw_loss)
        TSR_TRY(weigh_loss_by_cuts(p, spec));
    if (p->held.owned != NULL && p->survey.scan.infinite > 0)
        TSR_FAIL(TSR_ERROR_DATA,
                 "%s has values beyond single precision: --precision double, or --normalize l2",
                 tsr_data_origin(data));
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
    tsr_data alone = *data; /* who judges sees all samples */
    alone.team = NULL;
    TSR_TRY(tsr__spec_make(&spec, options));
    TSR_TRY(tsr__prepare_values(&p, &spec, &alone));
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
