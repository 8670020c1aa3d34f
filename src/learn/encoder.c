/* SPDX-License-Identifier: BSD-2-Clause
 *
 * THE TABLE OF BASELINES, and encoders over it and over the models. A new baseline is one row
 * here and the functions that it names. */
#include "learn/encoder.h"

#include "base/settings.h"
#include "base/text.h"
#include "factor/prepared.h"
#include "matrix/store.h"

#include <stdio.h>
#include <string.h>

static int64_t count_features(const tsr_data *data)
{
    return tsr_matrix_features(tsr_data_samples(data));
}

static int64_t count_classes(const tsr_data *data)
{
    return tsr_labels_classes(tsr_data_labels(data));
}

/* clang-format off */
static const tsr__baseline baselines[] = {
    {"raw", "the samples themselves",
     TSR_NEED_FINITE, false, false, false, count_features, tsr__raw_fit, NULL},
    {"pca", "principal components",
     TSR_NEED_FINITE, false, false, false, NULL, tsr__pca_fit, tsr__linear_encode},
    {"lda", "Fisher's linear discriminants, after PCA to 90 % of the variance",
     TSR_NEED_FINITE, true, false, false, NULL, tsr__lda_fit, tsr__linear_encode},
    {"mfa", "marginal Fisher analysis, after PCA to 90 % of the variance",
     TSR_NEED_FINITE, true, false, false, NULL, tsr__mfa_fit, tsr__linear_encode},
    {"propagation", "label propagation along neighbours, local and global consistency",
     TSR_NEED_FINITE, true, false, false, count_classes, tsr__propagation_fit, tsr__propagation_encode},
    {"ntf", "non-negative tensor factorization of pictures: CP of height x width x samples",
     TSR_NEED_FINITE | TSR_NEED_NON_NEGATIVE, false, true, true, NULL, tsr__ntf_fit, tsr__ntf_encode},
};
/* clang-format on */
enum { BASELINES = sizeof baselines / sizeof *baselines };

bool tsr_baselines_get(const char **name, const char **title, int64_t i)
{
    if (name == NULL || title == NULL || i < 0 || i >= BASELINES)
        return false;
    *name = baselines[i].name;
    *title = baselines[i].title;
    return true;
}

tsr_status tsr__baseline_find(const tsr__baseline **out, const char *name)
{
    const char *names[128], *nearest;
    int64_t count = 0;
    tsr_model_info model;
    *out = NULL;
    if (name == NULL)
        return tsr__fail(TSR_ERROR_ARGUMENT, "no model is named");
    for (int64_t i = 0; i < BASELINES; i++) {
        names[count++] = baselines[i].name;
        if (strcmp(name, baselines[i].name) == 0)
            *out = &baselines[i];
    }
    for (int64_t i = 0; *out == NULL && count < 128 && tsr_models_get(&model, i); i++) {
        names[count++] = model.name;
        if (strcmp(name, model.name) == 0)
            return TSR_OK;
    }
    if (*out != NULL)
        return TSR_OK;
    nearest = tsr__nearest(name, names, count);
    return tsr__fail(TSR_ERROR_ARGUMENT,
                     "there is no model or baseline '%s'%s%s%s; `tessera models` lists them",
                     name, nearest != NULL ? " (did you mean " : "",
                     nearest != NULL ? nearest : "", nearest != NULL ? "?)" : "");
}

bool tsr__baseline_suits(const tsr__baseline *b, const tsr_data *data)
{
    const tsr_labels *labels = tsr_data_labels(data);
    return (!b->labels || (labels != NULL && tsr_labels_known(labels) > 0)) &&
           (!b->pictures || tsr_matrix_image(tsr_data_samples(data)).height > 0) &&
           tsr_matrix_check(tsr_data_samples(data), b->needs, tsr_data_origin(data)) == TSR_OK;
}

tsr_status tsr_encoder_check(const tsr_fit_options *options)
{
    tsr_status status = TSR_OK;
    const tsr__baseline *baseline = NULL;
    tsr_fit_options defaults;
    tsr_model_info row;
    tsr_fit_defaults(&defaults);
    options = options != NULL ? options : &defaults;
    TSR_TRY(tsr__baseline_find(&baseline, options->model));
    TSR_TRY(tsr__labelled_check(options->labelled));
    if (baseline == NULL)
        TSR_TRY(tsr_fit_describe(&row, options));
done:
    return status;
}

tsr_status tsr__baseline_rank(int64_t *rank, tsr_encoder *e, const tsr__training *t,
                              int64_t limit, const char *limited_by)
{
    char note[200];
    const int64_t wanted = t->options->rank;
    *rank = wanted > 0 ? wanted : t->classes > 0 ? t->classes : 10;
    if (*rank <= limit)
        return TSR_OK;
    *rank = limit;
    if (wanted == 0)
        return TSR_OK;
    (void)snprintf(note, sizeof note, "%s: rank %lld exceeds the %lld %s: rank %lld is used",
                   e->baseline->name, (long long)wanted, (long long)limit, limited_by,
                   (long long)limit);
    return tsr__names_add(&e->notes, note);
}

/* The samples as a baseline takes them; *owned where they had to be copied. */
static tsr_status prepare(const tsr_matrix **x, tsr_matrix **owned, const tsr_encoder *e,
                          const tsr_data *data)
{
    tsr_status status = TSR_OK;
    const tsr_matrix *given = tsr_data_samples(data);
    const bool raw = e->baseline->encode == NULL;
    char who[80];
    (void)snprintf(who, sizeof who, "%s (models, such as nmf, read them in blocks)",
                   e->baseline->name);
    TSR_TRY(tsr__matrix_need(given, who));
    TSR_TRY(tsr_matrix_check(given, e->baseline->needs, tsr_data_origin(data)));
    if (raw || e->normalize != TSR_NORM_NONE || given->type != TSR_FLOAT64)
        TSR_TRY(
            tsr_matrix_copy_as(owned, given, raw ? given->type : TSR_FLOAT64, given->sparse));
    if (*owned != NULL)
        TSR_TRY(tsr_matrix_normalize(*owned, e->normalize));
    *x = *owned != NULL ? *owned : given;
done:
    return status;
}

/* Codes of prepared samples, which are handed over where they are the codes. */
static tsr_status encode(tsr_matrix **codes, const tsr_encoder *e, const tsr_matrix *x,
                         tsr_matrix **owned, const tsr_transform_options *options)
{
    if (e->baseline->encode != NULL)
        return e->baseline->encode(codes, e, x, options);
    *codes = *owned, *owned = NULL;
    return TSR_OK;
}

static tsr_status fit_baseline(tsr_encoder *e, const tsr_data *data,
                               const tsr_fit_options *options)
{
    tsr_status status = TSR_OK, stopped = TSR_OK;
    const tsr_labels *labels = tsr_data_labels(data);
    const tsr_matrix *given = tsr_data_samples(data);
    tsr_matrix *owned = NULL;
    tsr_transform_options plain = {0};
    tsr__training t = {.data = data, .options = options};
    TSR_TRY(tsr_settings_check(tsr_fit_settings(), options));
    if (options->missing == 1 || options->mask != NULL || options->mask_matrix != NULL)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "%s does not know missing values: --missing error",
                 e->baseline->name);
    e->normalize = (tsr_norm)options->normalize;
    e->features = given->features;
    TSR_NEW(e->seen, given->samples);
    TSR_TRY(tsr__labels_seen(e->seen, data, options,
                             e->baseline->labels ? e->baseline->name : NULL));
    TSR_TRY(prepare(&t.x, &owned, e, data));
    t.seen = e->seen;
    t.classes = labels != NULL ? labels->classes : 0;
    stopped = e->baseline->fit(e, &t);
    if (stopped < 0 && stopped != TSR_ERROR_INTERRUPTED)
        TSR_TRY(stopped);
    tsr_settings_default(tsr_transform_settings(), &plain);
    plain.threads = options->threads;
    if (e->codes == NULL)
        TSR_TRY(encode(&e->codes, e, t.x, &owned, &plain));
    status = stopped;
done:
    tsr_matrix_free(owned);
    return status;
}

tsr_status tsr_encoder_fit(tsr_encoder **out, const tsr_data *data,
                           const tsr_fit_options *options)
{
    TSR_REQUIRE(out, data);
    tsr_status status = TSR_OK;
    const tsr_matrix *x = tsr_data_samples(data);
    tsr_encoder *e = NULL;
    tsr_fit_options defaults;
    tsr_fit_defaults(&defaults);
    options = options != NULL ? options : &defaults;
    TSR_NEW_ZERO(e, 1);
    TSR_TRY(tsr__baseline_find(&e->baseline, options->model));
    if (x->samples < 1 || x->features < 1)
        TSR_FAIL(TSR_ERROR_DATA, "%s is empty: %lld samples of %lld features",
                 tsr_data_origin(data), (long long)x->samples, (long long)x->features);
    status = e->baseline != NULL ? fit_baseline(e, data, options)
                                 : tsr_fit(&e->model, data, options);
    /* what was learnt before a stop is the caller's, as with tsr_fit */
    if (status == TSR_OK || (status == TSR_ERROR_INTERRUPTED && tsr_encoder_codes(e) != NULL))
        *out = e, e = NULL;
done:
    tsr_encoder_free(e);
    return status;
}

void tsr_encoder_free(tsr_encoder *e)
{
    if (e == NULL)
        return;
    tsr_model_free(e->model);
    tsr_matrix_free(e->codes);
    tsr_matrix_free(e->kept);
    tsr__free(e->seen);
    tsr__free(e->factor);
    tsr__free(e->offset);
    tsr__free(e->gram);
    tsr__free(e->objective);
    tsr__names_clear(&e->notes);
    tsr__free(e);
}

const tsr_matrix *tsr_encoder_codes(const tsr_encoder *e)
{
    if (e == NULL)
        return NULL;
    return e->model != NULL ? tsr_model_diffused(e->model) : e->codes;
}

const tsr_model *tsr_encoder_model(const tsr_encoder *e)
{
    return e != NULL ? e->model : NULL;
}

const int32_t *tsr_encoder_seen(const tsr_encoder *e)
{
    if (e == NULL)
        return NULL;
    return e->model != NULL ? e->model->seen : e->seen;
}

int64_t tsr_encoder_notes(const tsr_encoder *e)
{
    if (e == NULL)
        return 0;
    return e->model != NULL ? tsr_model_notes(e->model) : e->notes.count;
}

const char *tsr_encoder_note(const tsr_encoder *e, int64_t i)
{
    if (e != NULL && e->model != NULL)
        return tsr_model_note(e->model, i);
    return e != NULL && i >= 0 && i < e->notes.count ? e->notes.name[i] : NULL;
}

tsr_status tsr_encoder_encode(tsr_matrix **codes, const tsr_encoder *encoder,
                              const tsr_data *data, const tsr_transform_options *options)
{
    TSR_REQUIRE(codes, encoder, data);
    const tsr_encoder *e = encoder;
    tsr_status status = TSR_OK;
    const tsr_matrix *x = NULL;
    tsr_matrix *owned = NULL;
    tsr_transform_options o;
    if (e->model != NULL)
        return tsr_model_transform(codes, e->model, data, options);
    tsr_settings_default(tsr_transform_settings(), &o);
    o.progress = NULL;
    if (options != NULL)
        o = *options;
    TSR_TRY(tsr_settings_check(tsr_transform_settings(), &o));
    if (tsr_matrix_features(tsr_data_samples(data)) != e->features)
        TSR_FAIL(TSR_ERROR_DATA, "%s has %lld features; %s was fitted to %lld",
                 tsr_data_origin(data), (long long)tsr_matrix_features(tsr_data_samples(data)),
                 e->baseline->name, (long long)e->features);
    TSR_TRY(prepare(&x, &owned, e, data));
    TSR_TRY(encode(codes, e, x, &owned, &o));
done:
    tsr_matrix_free(owned);
    return status;
}
