/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The data as the solver sees them: type, missing values set apart, norms, weights, kernel; and
 * the labels that the learner may see. The user's matrix is used as it is where nothing changes
 * it. */
#include "factor/plan.h"

#include "base/random.h"
#include "base/text.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The matrix whose non-zeros mark missing entries. */
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

static void clear_value(tsr_matrix *x, int64_t i, int64_t feature)
{
    int64_t at = tsr__row_begin(x, i) + (x->sparse ? 0 : feature);
    while (at < tsr__row_end(x, i) && tsr__row_feature(x, i, at) < feature)
        at++;
    if (at < tsr__row_end(x, i) && tsr__row_feature(x, i, at) == feature)
        tsr__value_set(x->values, x->type, at, 0);
}

/* Positions of NaN, and of what `extra` marks, as a sparse matrix of ones; the values become
 * zero. */
static tsr_status set_missing_apart(tsr__problem *p, const tsr_matrix *extra)
{
    tsr_status status = TSR_OK;
    tsr_matrix *x = p->owned;
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

static tsr_status take_weights(tsr__problem *p, const tsr__plan *plan, const char *subject)
{
    const tsr_matrix *w = plan->options->sample_weights;
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
    p->weight = tsr__alloc(p->samples, tsr__type_size(plan->type));
    if (p->weight == NULL)
        return TSR_ERROR_MEMORY;
    for (int64_t i = 0; i < p->samples; i++)
        tsr__value_set(p->weight, plan->type, i, tsr_matrix_at(w, i, 0));
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

tsr_status tsr__prepare_values(tsr__problem *p, const tsr__plan *plan, const tsr_data *data)
{
    tsr_status status = TSR_OK;
    const tsr_fit_options *o = plan->options;
    const tsr_matrix *x = tsr_data_samples(data);
    tsr_matrix *extra = NULL, *narrow = NULL;
    const bool mask = o->missing == 1 || o->mask != NULL,
               concept = plan->basis == TSR_BASIS_CONCEPT;
    const int needs = (o->missing == 1 ? TSR_NEED_NOT_INFINITE : TSR_NEED_FINITE) |
                      (concept && plan->loss == TSR_LOSS_FROBENIUS ? 0 : TSR_NEED_NON_NEGATIVE);
    p->samples = x->samples;
    p->features = x->features;
    TSR_TRY(tsr_matrix_check(x, needs, tsr_data_origin(data)));
    TSR_TRY(take_weights(p, plan, tsr_data_origin(data)));
    /* doubles that no float holds may be of ordinary size once they are normalised */
    const tsr_type first = o->normalize != TSR_NORM_NONE ? x->type : plan->type;
    if (mask || o->normalize != TSR_NORM_NONE || plan->ncw || x->type != plan->type)
        TSR_TRY(tsr_matrix_copy_as(&p->owned, x, first, x->sparse));
    if (o->mask != NULL)
        TSR_TRY(read_mask(&extra, p, o->mask));
    if (mask)
        TSR_TRY(set_missing_apart(p, extra));
    if (p->missing != NULL && concept)
        TSR_FAIL(TSR_ERROR_ARGUMENT,
                 "a concept basis is made of whole samples, so there can be "
                 "no missing values: --basis free");
    if (p->owned != NULL)
        tsr_matrix_normalize(p->owned, (tsr_norm)o->normalize);
    if (p->owned != NULL && first != plan->type) {
        TSR_TRY(tsr_matrix_copy_as(&narrow, p->owned, plan->type, x->sparse));
        tsr_matrix_free(p->owned);
        p->owned = narrow;
    }
    if (p->owned != NULL && p->owned->type != x->type)
        TSR_TRY(check_narrow(p->owned, tsr_data_origin(data)));
    if (plan->ncw) {
        TSR_TRY(sum_samples(&p->scale, p->owned));
        tsr__weigh_by_cuts(p->owned, p->scale);
    }
    p->x = p->owned != NULL ? p->owned : x;
done:
    tsr_matrix_free(extra);
    return status;
}

tsr_status tsr__prepare_samples(tsr__problem *p, const tsr__plan *plan, const tsr_data *data)
{
    tsr_status status = TSR_OK;
    const tsr_fit_options *o = plan->options;
    TSR_TRY(tsr__prepare_values(p, plan, data));
    if (plan->basis == TSR_BASIS_CONCEPT) {
        tsr_scan scan;
        TSR_TRY(tsr_matrix_scan(&scan, p->x));
        /* the papers' rule for data of either sign needs the signs of X' X, entry by entry */
        if (scan.negative > 0 && o->alpha_basis > 0)
            TSR_FAIL(TSR_ERROR_ARGUMENT,
                     "--alpha-basis needs a basis >= 0, and data below zero "
                     "give one of either sign");
        if (o->kernel != 0 || scan.negative > 0)
            TSR_TRY(tsr__kernel_matrix(&p->kernel, p->x, o, &p->kernel_width));
    }
done:
    return status;
}

/* How many labels a class keeps: N, or P % rounded up. */
static tsr_status labels_kept(int64_t *out, const char *text, int64_t members)
{
    double number = 0;
    const char *end = text + strlen(text), *after = tsr__parse_real(&number, text, end);
    const bool percent = after < end && *after == '%';
    if (after == text || after + percent != end || !(number >= 0) ||
        (percent && number > 100) || (!percent && number != floor(number)))
        return tsr__fail(
            TSR_ERROR_ARGUMENT,
            "--labelled is a number of samples a class or a share such as 10%%, not "
            "'%s'",
            text);
    *out = percent ? (int64_t)ceil(number / 100 * (double)members - 1e-9) : (int64_t)number;
    return TSR_OK;
}

tsr_status tsr__labelled_check(const char *labelled)
{
    int64_t kept = 0;
    return labelled != NULL ? labels_kept(&kept, labelled, 0) : TSR_OK;
}

/* Of each class, the kept samples are drawn; the others become unknown to the learner. */
static tsr_status hide_labels(int32_t *seen, const tsr_labels *labels,
                              const tsr_fit_options *options)
{
    tsr_status status = TSR_OK;
    tsr__random random = tsr__random_seed((uint64_t)options->seed, 0x6c6162656cu);
    int64_t *member = NULL;
    TSR_NEW(member, labels->count);
    for (int32_t c = 0; c < labels->classes; c++) {
        int64_t members = 0, kept = 0;
        for (int64_t i = 0; i < labels->count; i++)
            if (seen[i] == c)
                member[members++] = i;
        TSR_TRY(labels_kept(&kept, options->labelled, members));
        tsr__random_shuffle(&random, member, members);
        for (int64_t i = kept; i < members; i++)
            seen[member[i]] = -1;
    }
done:
    tsr__free(member);
    return status;
}

tsr_status tsr__labels_seen(int32_t *seen, const tsr_data *data, const tsr_fit_options *options,
                            const char *needed_by)
{
    tsr_status status = TSR_OK;
    const tsr_labels *labels = tsr_data_labels(data);
    const int64_t samples = tsr_matrix_samples(tsr_data_samples(data));
    const int32_t classes = labels != NULL ? labels->classes : 0;
    int64_t known = 0;
    for (int64_t i = 0; i < samples; i++)
        seen[i] = labels != NULL ? labels->of[i] : -1;
    if (options->labelled != NULL && labels != NULL)
        TSR_TRY(hide_labels(seen, labels, options));
    for (int64_t i = 0; i < samples; i++)
        known += seen[i] >= 0;
    if (needed_by != NULL && known == 0)
        TSR_FAIL(TSR_ERROR_DATA,
                 "%s needs labels, and %s has none that the learner may see: --labels FILE",
                 needed_by, tsr_data_origin(data));
    if (needed_by != NULL && classes < 2)
        TSR_FAIL(TSR_ERROR_DATA, "%s needs at least two classes, and %s has %d", needed_by,
                 tsr_data_origin(data), classes);
done:
    return status;
}

static tsr_status take_labels(tsr__problem *p, const tsr__plan *plan, const tsr_data *data)
{
    tsr_status status = TSR_OK;
    const tsr_labels *labels = tsr_data_labels(data);
    TSR_NEW(p->seen, p->samples);
    TSR_TRY(tsr__labels_seen(p->seen, data, plan->options,
                             tsr__plan_needs_labels(plan) ? plan->row->name : NULL));
    p->classes = labels != NULL ? labels->classes : 0;
done:
    return status;
}

/* The part of a Frobenius loss that the factors do not touch: sum w x^2, or the weighted trace
 * of a kernel (before samples are tied). */
static double own_square(const tsr__problem *p, const tsr__plan *plan)
{
    const tsr_matrix *x = p->reduced != NULL ? p->reduced : p->x;
    double sum = 0;
    if (p->kernel != NULL) {
        for (int64_t i = 0; i < p->samples; i++)
            sum += (p->weight != NULL ? tsr__value_at(p->weight, plan->type, i) : 1) *
                   tsr_matrix_at(p->kernel, i, i);
        return sum;
    }
    for (int64_t i = 0; i < x->samples; i++)
        sum += tsr__row_square(x, i) *
               (p->weight != NULL ? tsr__value_at(p->weight, plan->type, i) : 1);
    return sum;
}

/* The size of a sample: its root mean square length, in a kernel's own space where there is one,
 * or under KL its mean sum. Weights in units of the data are made of it. */
static double size_of(const tsr__problem *p, const tsr__plan *plan)
{
    double sum = 0;
    for (int64_t i = 0; i < p->samples; i++) {
        if (p->kernel != NULL)
            sum += fabs(tsr_matrix_at(p->kernel, i, i));
        else if (plan->loss == TSR_LOSS_FROBENIUS)
            sum += tsr__row_square(p->x, i);
        else
            for (int64_t at = tsr__row_begin(p->x, i); at < tsr__row_end(p->x, i); at++)
                sum += tsr__value_at(p->x->values, p->x->type, at);
    }
    const double mean = sum / (double)p->samples;
    const double size = plan->loss == TSR_LOSS_FROBENIUS ? sqrt(mean) : mean;
    return size > 0 ? size : 1;
}

/* Sparse rows by feature: sums over the samples then run like sums over the features, without
 * an m x k array for each lane. */
static tsr_status turn_rows(tsr__problem *p)
{
    const tsr_matrix *rows = p->reduced != NULL ? p->reduced : p->x;
    if (p->kernel != NULL || !rows->sparse)
        return TSR_OK;
    const tsr_status status = tsr_matrix_copy_transposed(&p->turned, rows);
    for (int64_t e = 0; status == TSR_OK && p->weight != NULL && e < tsr_matrix_stored(rows);
         e++)
        tsr__value_set(p->turned->values, rows->type, e,
                       tsr__value_at(p->turned->values, rows->type, e) *
                           tsr__value_at(p->weight, rows->type, p->turned->columns[e]));
    return status;
}

/* Nothing can be learnt where nothing is known; a sample of which nothing is gets no code that
 * means anything. */
static tsr_status check_known(const tsr__problem *p, const char *subject)
{
    int64_t unknown = 0;
    char note[120];
    for (int64_t i = 0; p->missing != NULL && i < p->samples; i++)
        unknown += p->missing->rows[i + 1] - p->missing->rows[i] == p->features;
    if (unknown == p->samples)
        return tsr__fail(TSR_ERROR_DATA, "%s: all entries are missing", subject);
    if (unknown == 0)
        return TSR_OK;
    (void)snprintf(note, sizeof note,
                   "%lld samples have no known entry: their codes mean nothing",
                   (long long)unknown);
    return tsr__names_add(p->notes, note);
}

/* Squares, and their sum over the samples, must be numbers of the type that they are summed in. */
static tsr_status check_squares(const tsr__problem *p, const tsr__plan *plan)
{
    double most = 0;
    const tsr_status status = tsr__check_squares(&most, p->x, NULL, (double)p->samples);
    if (status < 0 || plan->type == TSR_FLOAT64 || most == 0)
        return status;
    if (most * (double)p->samples < (double)FLT_MAX / 16 && most > 1e-28)
        return TSR_OK;
    return tsr__fail(TSR_ERROR_DATA,
                     "the squares of the samples, up to %g, are beyond single precision: "
                     "--precision double, or --normalize l2",
                     most);
}

tsr_status tsr__problem_make(tsr__problem *out, const tsr__plan *plan, const tsr_data *data,
                             tsr__names *notes)
{
    tsr_status status = TSR_OK;
    tsr__problem p = {.notes = notes};
    const tsr_matrix *x = tsr_data_samples(data);
    if (x->samples < 1 || x->features < 1)
        TSR_FAIL(TSR_ERROR_DATA, "%s is empty: %lld samples of %lld features",
                 tsr_data_origin(data), (long long)x->samples, (long long)x->features);
    TSR_TRY(tsr__prepare_samples(&p, plan, data));
    TSR_TRY(check_known(&p, tsr_data_origin(data)));
    if (plan->loss == TSR_LOSS_FROBENIUS)
        TSR_TRY(check_squares(&p, plan));
    TSR_TRY(take_labels(&p, plan, data));
    p.rho = size_of(&p, plan);
    if (p.kernel != NULL)
        p.square = own_square(&p, plan);
    TSR_TRY(tsr__tie_samples(&p, plan));
    if (p.kernel == NULL)
        p.square = own_square(&p, plan);
    TSR_TRY(turn_rows(&p));
    TSR_TRY(tsr__make_pairs(&p, plan));
    *out = p;
    p = (tsr__problem){0};
done:
    tsr__problem_clear(&p);
    return status;
}

void tsr__problem_clear(tsr__problem *p)
{
    tsr_matrix *const matrices[] = {p->owned,  p->missing, p->missing_turned,
                                    p->kernel, p->reduced, p->turned,
                                    p->graph,  p->attract, p->repel};
    void *const arrays[] = {p->scale,   p->degree[0],  p->degree[1], p->degree[2],
                            p->members, p->population, p->weight,    p->seen,
                            p->row_of,  p->row_class};
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++)
        tsr_matrix_free(matrices[i]);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        tsr__free(arrays[i]);
    *p = (tsr__problem){0};
}

tsr_status tsr__prepared_make(tsr__prepared *out, const tsr_data *data,
                              const tsr_fit_options *options)
{
    tsr_status status = TSR_OK;
    tsr__problem p = {0};
    tsr__plan plan;
    TSR_TRY(tsr__plan_make(&plan, options));
    TSR_TRY(tsr__prepare_values(&p, &plan, data));
    *out = (tsr__prepared){p.x, p.owned, p.missing};
    p.owned = p.missing = NULL;
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
