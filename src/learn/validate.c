/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Classification judged by samples that nothing was learnt from: folds in turn, or other data. An
 * encoder learns from the training samples alone, both sides are encoded by its map, and the nearest
 * training codes vote. */
#include "base/settings.h"
#include "io/data.h"
#include "learn/renumber.h"

#include <string.h>

static const tsr_setting table[] = {
    TSR_INTEGER_ROW(tsr_validate_options, neighbours, "neighbours-vote", 0, 1, 1e6, "10", "N",
                    "nearest training samples that vote"),
    TSR_CHOICE_ROW(tsr_validate_options, encode, "encode", "loss|inverse|product",
                   "codes by the model's loss, by pseudo-inverse, or as F' x"),
    TSR_END_ROW,
};

const tsr_setting *tsr_validate_settings(void)
{
    return table;
}

struct tsr_validation {
    int32_t classes;
    int64_t folds;      /* that were judged */
    double *accuracy;   /* of each */
    int64_t *confusion; /* classes x classes */
    int64_t strangers;
};

/* How to learn and to predict. */
typedef struct way {
    const tsr_fit_options *fit;
    tsr_validate_options options;
} way;

static tsr_status way_make(way *out, const tsr_fit_options *fit,
                           const tsr_validate_options *options)
{
    out->fit = fit;
    tsr_settings_default(table, &out->options);
    if (options != NULL)
        out->options = *options;
    const tsr_status status = tsr_settings_check(table, &out->options);
    return status < 0 ? status : tsr_encoder_check(fit);
}

/* Learns from `train`, whose samples are of `classes`, and predicts the classes of `test`. */
static tsr_status learn_and_predict(int32_t *predicted, const tsr_data *train,
                                    const int32_t *classes, const tsr_data *test, const way *w)
{
    tsr_status status = TSR_OK;
    const int64_t n = train->x->samples;
    tsr_encoder *encoder = NULL;
    tsr_matrix *known = NULL, *asked = NULL;
    int32_t *voting = NULL;
    tsr_transform_options transform = {0};
    tsr_settings_default(tsr_transform_settings(), &transform);
    transform.method = w->options.encode;
    transform.threads = w->fit->threads;
    TSR_NEW(voting, n);
    TSR_TRY(tsr_encoder_fit(&encoder, train, w->fit));
    TSR_TRY(tsr_encoder_encode(&known, encoder, train, &transform));
    TSR_TRY(tsr_encoder_encode(&asked, encoder, test, &transform));
    const int32_t *seen = tsr_encoder_seen(encoder);
    for (int64_t i = 0; i < n; i++) /* labels hidden from the learner do not vote either */
        voting[i] = seen == NULL || seen[i] >= 0 ? classes[i] : -1;
    TSR_TRY(
        tsr_classify(predicted, known, voting, asked, w->options.neighbours, w->fit->threads));
done:
    tsr__free(voting);
    tsr_matrix_free(known);
    tsr_matrix_free(asked);
    tsr_encoder_free(encoder);
    return status;
}

/* Adds one fold; classes that training does not know have the number after the last. */
static void judge(tsr_validation *v, const int32_t *truth, const int32_t *predicted,
                  int64_t count)
{
    int64_t right = 0, known = 0;
    for (int64_t i = 0; i < count; i++) {
        known += truth[i] >= 0;
        right += truth[i] >= 0 && truth[i] == predicted[i];
        if (truth[i] >= 0 && truth[i] < v->classes && predicted[i] >= 0)
            v->confusion[(int64_t)truth[i] * v->classes + predicted[i]]++;
        v->strangers += truth[i] >= v->classes;
    }
    v->accuracy[v->folds++] = known > 0 ? (double)right / (double)known : 0;
}

/* Room for `folds` of them. */
static tsr_status open_validation(tsr_validation **out, const tsr_data *data, int64_t folds)
{
    tsr_status status = TSR_OK;
    tsr_validation *v = NULL;
    const int64_t classes = data->labels != NULL ? data->labels->classes : 0;
    if (classes < 2)
        TSR_FAIL(TSR_ERROR_DATA, "%s has %s: classification needs two", tsr_data_origin(data),
                 classes == 1 ? "one class" : "no classes");
    TSR_NEW_ZERO(v, 1);
    v->classes = (int32_t)classes;
    TSR_NEW_ZERO(v->confusion, classes * classes);
    TSR_NEW(v->accuracy, folds);
    *out = v, v = NULL;
done:
    tsr_validation_free(v);
    return status;
}

/* Fold f is tested, the others teach. */
static tsr_status run_fold(tsr_validation *v, const tsr_data *data, const int32_t *fold,
                           int64_t f, const way *w)
{
    tsr_status status = TSR_OK;
    const int64_t n = data->x->samples;
    tsr_data *train = NULL, *test = NULL;
    int64_t *sample = NULL, teach = 0, ask = n;
    int32_t *classes = NULL, *predicted = NULL;
    TSR_NEW(sample, n);
    TSR_NEW(classes, n);
    TSR_NEW(predicted, n);
    for (int64_t i = 0; i < n; i++)
        if (fold[i] != f)
            sample[teach++] = i;
    for (int64_t i = n - 1; i >= 0; i--)
        if (fold[i] == f)
            sample[--ask] = i;
    for (int64_t i = 0; i < n; i++)
        classes[i] = data->labels->of[sample[i]];
    TSR_TRY(tsr__data_some(&train, data, sample, teach));
    TSR_TRY(tsr__data_some(&test, data, sample + ask, n - ask));
    TSR_TRY(learn_and_predict(predicted, train, classes, test, w));
    judge(v, classes + ask, predicted, n - ask);
done:
    tsr_data_free(train);
    tsr_data_free(test);
    tsr__free(sample);
    tsr__free(classes);
    tsr__free(predicted);
    return status;
}

/* Every sample is in a fold that there is, or in none. */
static tsr_status check_folds(const int32_t *fold, int64_t count, int64_t folds)
{
    TSR_OR_RETURN(tsr__check_classes(fold, count, "fold"));
    if (folds < 1 || folds > count)
        return tsr__fail(TSR_ERROR_ARGUMENT, "%lld folds of %lld samples", (long long)folds,
                         (long long)count);
    for (int64_t i = 0; i < count; i++)
        if (fold[i] >= folds)
            return tsr__fail(TSR_ERROR_ARGUMENT, "fold %d of sample %lld is outside 0 .. %lld",
                             fold[i], (long long)i, (long long)folds - 1);
    return TSR_OK;
}

static tsr_status validate(tsr_validation **out, const tsr_data *data, const int32_t *fold,
                           int64_t folds, const way *w)
{
    tsr_status status = TSR_OK;
    tsr_validation *v = NULL;
    TSR_TRY(open_validation(&v, data, folds));
    for (int64_t f = 0; f < folds; f++)
        TSR_TRY(run_fold(v, data, fold, f, w));
    *out = v, v = NULL;
done:
    tsr_validation_free(v);
    return status;
}

tsr_status tsr_validate(tsr_validation **out, const tsr_data *data, const int32_t *fold,
                        int64_t folds, const tsr_fit_options *fit,
                        const tsr_validate_options *options)
{
    way w;
    TSR_REQUIRE(out, data, fold, fit);
    TSR_OR_RETURN(check_folds(fold, data->x->samples, folds));
    TSR_OR_RETURN(way_make(&w, fit, options));
    tsr_team_enter(data->team);
    return tsr_team_leave(data->team, validate(out, data, fold, folds, &w));
}

/* Class numbers of `theirs` by the names of `ours`; classes that we lack get the number after
 * the last. */
static void translate(int32_t *to, const tsr_labels *ours, const tsr_labels *theirs)
{
    for (int64_t i = 0; i < theirs->count; i++) {
        const int32_t c = theirs->of[i];
        to[i] = c < 0 ? -1 : ours->classes;
        for (int32_t own = 0; c >= 0 && own < ours->classes; own++)
            if (strcmp(ours->name[own], theirs->name[c]) == 0)
                to[i] = own;
    }
}

static tsr_status validate_on(tsr_validation **out, const tsr_data *data, const tsr_data *test,
                              const way *w)
{
    tsr_status status = TSR_OK;
    tsr_validation *v = NULL;
    int32_t *truth = NULL, *predicted = NULL;
    const tsr_labels *theirs = test->labels;
    if (theirs == NULL || tsr_labels_known(theirs) == 0)
        TSR_FAIL(TSR_ERROR_DATA, "%s has no labels to compare with", tsr_data_origin(test));
    TSR_TRY(open_validation(&v, data, 1));
    TSR_NEW(truth, theirs->count);
    TSR_NEW(predicted, theirs->count);
    translate(truth, data->labels, theirs);
    TSR_TRY(learn_and_predict(predicted, data, data->labels->of, test, w));
    judge(v, truth, predicted, theirs->count);
    *out = v, v = NULL;
done:
    tsr_validation_free(v);
    tsr__free(truth);
    tsr__free(predicted);
    return status;
}

tsr_status tsr_validate_on(tsr_validation **out, const tsr_data *data, const tsr_data *test,
                           const tsr_fit_options *fit, const tsr_validate_options *options)
{
    way w;
    TSR_REQUIRE(out, data, test, fit);
    TSR_OR_RETURN(way_make(&w, fit, options));
    tsr_team_enter(data->team);
    return tsr_team_leave(data->team, validate_on(out, data, test, &w));
}

void tsr_validation_free(tsr_validation *validation)
{
    if (validation == NULL)
        return;
    tsr__free(validation->accuracy);
    tsr__free(validation->confusion);
    tsr__free(validation);
}

/* Results --------------------------------------------------------------------------------- */

static double mean(const tsr_validation *v)
{
    double sum = 0;
    for (int64_t f = 0; f < v->folds; f++)
        sum += v->accuracy[f];
    return sum / (double)v->folds;
}

static double deviation(const tsr_validation *v, double center)
{
    double sum = 0;
    for (int64_t f = 0; f < v->folds; f++)
        sum += (v->accuracy[f] - center) * (v->accuracy[f] - center);
    return v->folds > 1 ? sqrt(sum / (double)(v->folds - 1)) : 0;
}

tsr_validation_report tsr_validation_about(const tsr_validation *validation)
{
    static const tsr_validation_report none;
    if (validation == NULL)
        return none;
    const double center = mean(validation);
    return (tsr_validation_report){.folds = validation->folds,
                                   .classes = validation->classes,
                                   .accuracy = center,
                                   .deviation = deviation(validation, center),
                                   .strangers = validation->strangers};
}

const double *tsr_validation_folds(const tsr_validation *validation)
{
    return validation != NULL ? validation->accuracy : NULL;
}

const int64_t *tsr_validation_confusion(const tsr_validation *validation)
{
    return validation != NULL ? validation->confusion : NULL;
}

double tsr_validation_class(const tsr_validation *validation, int32_t of)
{
    int64_t all = 0;
    if (validation == NULL || of < 0 || of >= validation->classes)
        return (double)NAN;
    const int64_t *row = validation->confusion + (int64_t)of * validation->classes;
    for (int32_t p = 0; p < validation->classes; p++)
        all += row[p];
    return all > 0 ? (double)row[of] / (double)all : (double)NAN;
}
