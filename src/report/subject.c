/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Gathering: codes, shares, and which samples and parts are shown where there are too many. */
#include "report/subject.h"

#include "base/random.h"
#include "base/text.h"
#include "matrix/labels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef enum evidence { UNKNOWN, SAME, OTHERS } evidence;

/* Names ----------------------------------------------------------------------------------- */

int32_t tsr__subject_class(const tsr__subject *s, int64_t i)
{
    return s->labels != NULL ? tsr_labels_of(s->labels)[i] : -1;
}

const char *tsr__subject_class_name(const tsr__subject *s, int64_t i)
{
    const int32_t of = tsr__subject_class(s, i);
    return of >= 0 ? tsr_labels_name(s->labels, of) : "?";
}

const char *tsr__subject_sample(char out[TSR_NAME_SIZE], const tsr__subject *s, int64_t i)
{
    const char *name = s->data != NULL ? tsr_data_sample_name(s->data, i) : NULL;
    if (name != NULL)
        (void)snprintf(out, TSR_NAME_SIZE, "%s", name);
    else
        (void)snprintf(out, TSR_NAME_SIZE, "sample %lld", (long long)i);
    return out;
}

const char *tsr__subject_feature(char out[TSR_NAME_SIZE], const tsr__subject *s, int64_t j)
{
    const char *name = tsr_model_feature_name(s->model, j);
    if (name != NULL)
        (void)snprintf(out, TSR_NAME_SIZE, "%s", name);
    else
        (void)snprintf(out, TSR_NAME_SIZE, "feature %lld", (long long)j);
    return out;
}

const char *tsr__subject_part(char out[TSR_NAME_SIZE], int64_t vector)
{
    (void)snprintf(out, TSR_NAME_SIZE, "part %lld", (long long)vector);
    return out;
}

/* Orders ---------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b, void *value)
{
    const int64_t i = *(const int64_t *)a, j = *(const int64_t *)b;
    const double left = ((const double *)value)[i], right = ((const double *)value)[j];
    if (left != right)
        return left > right ? -1 : 1;
    return (i > j) - (i < j);
}

void tsr__order_by(int64_t *order, const double *value, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        order[i] = i;
    qsort_r(order, (size_t)count, sizeof *order, by_value, (void *)(uintptr_t)value);
}

void tsr__subject_contributions(double *out, const tsr__subject *s, int64_t i)
{
    tsr_matrix_get_sample(out, s->codes, i);
    for (int64_t a = 0; a < s->k; a++)
        out[a] *= s->length[a];
}

/* All samples, or as many as the options allow, drawn. */
static tsr_status choose_samples(tsr__subject *s)
{
    tsr_status status = TSR_OK;
    tsr__random random = tsr__random_seed((uint64_t)s->options->seed, 0);
    TSR_NEW(s->sample, s->n);
    for (int64_t i = 0; i < s->n; i++)
        s->sample[i] = i;
    s->samples = s->n < s->options->points ? s->n : s->options->points;
    if (s->samples < s->n)
        tsr__random_shuffle(&random, s->sample, s->n);
    tsr__labels_sort(s->sample, s->samples, s->labels);
done:
    return status;
}

/* As they came within a class: by share. */
static void order_by_class(tsr__subject *s)
{
    int64_t used = 0;
    const tsr_labels *labels = tsr_model_labels(s->model);
    for (int32_t c = 0; labels != NULL && c < tsr_labels_classes(labels); c++)
        for (int64_t i = 0; i < s->parts; i++)
            if (s->class[s->by_share[i]] == c)
                s->by_class[used++] = s->by_share[i];
    for (int64_t i = 0; i < s->parts; i++)
        if (s->class[s->by_share[i]] < 0)
            s->by_class[used++] = s->by_share[i];
}

static tsr_status measure_parts(tsr__subject *s)
{
    tsr_status status = TSR_OK;
    double *row = NULL;
    TSR_NEW(s->length, s->k);
    TSR_NEW(s->share, s->k);
    TSR_NEW(s->by_share, s->k);
    TSR_NEW(row, s->m);
    for (int64_t a = 0; a < s->k; a++) {
        double square = 0;
        tsr_matrix_get_sample(row, s->basis, a);
        for (int64_t j = 0; j < s->m; j++) {
            square += row[j] * row[j];
            s->both_signs |= row[j] < 0;
        }
        s->length[a] = sqrt(square);
    }
    TSR_TRY(tsr_basis_shares(s->by_share, s->share, s->basis, s->codes));
    s->parts = s->k < s->options->parts ? s->k : s->options->parts;
    TSR_NEW(s->class, s->k);
    TSR_NEW(s->served, s->k);
    TSR_NEW(s->by_class, s->parts);
    TSR_TRY(tsr_vector_classes(s->class, s->served, s->model));
    order_by_class(s);
done:
    tsr__free(row);
    return status;
}

/* The samples of a kernel are kept with the model. */
static bool are_atoms(const tsr__subject *s)
{
    const tsr_matrix *kept = s->model->atoms, *x = s->prepared;
    bool same = x->features == kept->features;
    for (int64_t i = 0; same && i < x->samples; i++)
        for (int64_t j = 0; same && j < x->features; j++)
            same = tsr_matrix_at(x, i, j) == tsr_matrix_at(kept, i, j);
    return same;
}

/* The model's own codes leave of these samples just what the fit left. */
static tsr_status leave_as_much(evidence *out, const tsr__subject *s)
{
    tsr_status status = TSR_OK;
    double *left = NULL;
    TSR_NEW(left, s->report.rank);
    const tsr_status curve =
        tsr_rank_curve(left, NULL, s->report.rank, s->basis, tsr_model_codes(s->model),
                       s->prepared, NULL, TSR_RANK_LRE);
    if (curve == TSR_ERROR_MEMORY)
        TSR_TRY(curve);
    if (curve < 0) /* missing values: nothing is known */
        goto done;
    const double gap = fabs(left[s->report.rank - 1] - s->report.relative_error);
    *out = gap <= 1e-4 * s->report.relative_error + 1e-7 ? SAME : OTHERS;
done:
    tsr__free(left);
    return status;
}

/* Whether the data are the samples of the fit, by their numbers: those that a file has now, wherever
 * it stands. Weights of samples are in the error that was told, and it is then no evidence. */
static tsr_status compare(evidence *out, const tsr__subject *s)
{
    *out = UNKNOWN;
    if (tsr_matrix_samples(s->prepared) != s->report.samples)
        *out = OTHERS;
    else if (!s->linear)
        *out = are_atoms(s) ? SAME : OTHERS;
    else if (s->model->sample_weights == NULL && isfinite(s->report.relative_error))
        return leave_as_much(out, s);
    return TSR_OK;
}

/* Codes of the samples: those of the fit, or made now. */
static tsr_status encode(tsr__subject *s)
{
    tsr_status status = TSR_OK;
    tsr_transform_options transform;
    tsr_settings_default(tsr_transform_settings(), &transform);
    transform.threads = s->options->threads;
    transform.progress = s->options->progress;
    s->codes = tsr_model_codes(s->model);
    s->diffused = tsr_model_diffused(s->model);
    s->trained = s->data == NULL;
    if (s->data != NULL) {
        evidence found = UNKNOWN;
        TSR_TRY(tsr_model_prepare(&s->prepared, s->model, s->data));
        TSR_TRY(compare(&found, s));
        s->trained =
            found == SAME || (found == UNKNOWN && tsr_model_trained_on(s->model, s->data));
    }
    if (!s->linear) { /* ranks and sums are of the samples' space */
        tsr_matrix_free(s->prepared);
        s->prepared = NULL;
    }
    if (!s->trained) {
        TSR_TRY(tsr_model_transform(&s->made, s->model, s->data, &transform));
        s->codes = s->diffused = s->made;
    }
done:
    return status;
}

tsr_status tsr__subject_open(tsr__subject *out, tsr_page *page, const tsr_model *model,
                             const tsr_data *data, const tsr_page_options *options)
{
    tsr_status status = TSR_OK;
    tsr__subject s = {.page = page, .options = options, .model = model, .data = data};
    s.report = tsr_model_report(model);
    s.linear = model->atoms == NULL;
    s.basis = tsr_model_basis(model);
    TSR_TRY(tsr_model_describe(&s.info, model));
    TSR_TRY(encode(&s));
    s.labels = data != NULL ? tsr_data_labels(data) : tsr_model_labels(model);
    if (s.labels != NULL && tsr_labels_known(s.labels) == 0)
        s.labels = NULL;
    s.n = tsr_matrix_samples(s.codes);
    s.k = tsr_matrix_samples(s.basis);
    s.m = tsr_matrix_features(s.basis);
    s.image = tsr_matrix_image(s.basis);
    if (s.n == 0)
        TSR_FAIL(TSR_ERROR_DATA, "the model has no samples to show: say --data DATA");
    TSR_TRY(measure_parts(&s));
    TSR_TRY(choose_samples(&s));
done:
    *out = s; /* to be cleared, whatever came of it */
    return status;
}

void tsr__subject_clear(tsr__subject *s)
{
    tsr_matrix_free(s->made);
    tsr_matrix_free(s->prepared);
    tsr__free(s->length);
    tsr__free(s->share);
    tsr__free(s->by_share);
    tsr__free(s->class);
    tsr__free(s->served);
    tsr__free(s->by_class);
    tsr__free(s->sample);
}
