/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Cross-validation of rank and weight, folds and candidates side by side.
 *
 * With labels: the labels of a fold are hidden from the learner, which sees all samples; each
 * hidden sample is given the class of the nearest code whose label was seen, and the share of
 * right ones counts. Without: one entry in 4 x folds is held out at random and the model fitted
 * to the rest; the relative error on the held-out entries counts. The best mean is chosen; of
 * equals, the first. */
#include "learn/select.h"

#include "base/random.h"
#include "factor/models.h"
#include "matrix/parallel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct selecting {
    const tsr_data *data;
    const tsr_fit_options *fit;
    const tsr__select_options *options;
    tsr__selection *selection;
    int32_t *fold; /* by_labels: of each sample */
    double *score; /* candidates x folds */
    tsr_status *status;
    char (*message)[TSR_MESSAGE_SIZE];
};

/* The weight that a model's row has first, by its name in the settings. */
static const char *weight_of(const tsr_fit_options *fit)
{
    const tsr__model_row *row = NULL;
    if (tsr__model_find(&row, fit->model) < 0)
        return NULL;
    const struct {
        double preset, asked;
        const char *name;
    } weights[] = {{row->weights[0].class_driven, fit->class_weight, "class"},
                   {row->weights[0].graph, fit->graph, "graph"},
                   {row->weights[0].links_cannot, fit->cannot, "cannot"},
                   {row->weights[0].decorrelate, fit->decorrelate, "decorrelate"}};
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++)
        if (weights[i].preset > 0 || weights[i].asked > 0)
            return weights[i].name;
    return NULL;
}

static tsr_status settle(tsr_fit_options *out, const struct selecting *s,
                         const tsr__candidate *c, int64_t fold)
{
    char text[40];
    *out = *s->fit;
    out->rank = c->rank;
    out->threads = 1;
    out->progress = NULL;
    out->seed = s->fit->seed + fold;
    if (isnan(c->weight))
        return TSR_OK;
    (void)snprintf(text, sizeof text, "%.17g", c->weight);
    return tsr_settings_set(tsr_fit_settings(), out, s->selection->weight, text);
}

/* Data that share the matrix, with the labels of a fold hidden. */
static tsr_status hide_fold(tsr_data **out, const tsr_data *data, const int32_t *fold,
                            int64_t hidden)
{
    tsr_status status = TSR_OK;
    const tsr_labels *labels = tsr_data_labels(data);
    const int64_t n = tsr_labels_count(labels);
    tsr_matrix *view = NULL;
    tsr_labels *some = NULL;
    const char **name = NULL;
    TSR_NEW(name, n);
    for (int64_t i = 0; i < n; i++) {
        const int32_t of = tsr_labels_of(labels)[i];
        name[i] = of < 0 || fold[i] == hidden ? "" : tsr_labels_name(labels, of);
    }
    TSR_TRY(tsr_matrix_view_samples(&view, tsr_data_samples(data), 0, n));
    TSR_TRY(tsr_labels_from_texts(&some, name, n));
    TSR_TRY(tsr_data_take(out, view, some));
    view = NULL, some = NULL;
done:
    tsr__free(name);
    tsr_matrix_free(view);
    tsr_labels_free(some);
    return status;
}

static tsr_status score_labels(double *out, const struct selecting *s,
                               const tsr_fit_options *fit, int64_t hidden)
{
    tsr_status status = TSR_OK;
    const tsr_labels *labels = tsr_data_labels(s->data);
    const int64_t n = tsr_labels_count(labels);
    tsr_data *part = NULL;
    tsr_encoder *encoder = NULL;
    int32_t *predicted = NULL;
    int64_t known = 0, right = 0;
    TSR_TRY(hide_fold(&part, s->data, s->fold, hidden));
    TSR_TRY(tsr_encoder_fit(&encoder, part, fit));
    TSR_NEW(predicted, n);
    TSR_TRY(tsr_classify(predicted, tsr_encoder_codes(encoder), tsr_encoder_seen(encoder),
                         tsr_encoder_codes(encoder), 1, 1));
    for (int64_t i = 0; i < n; i++) {
        const int32_t of = tsr_labels_of(labels)[i];
        if (of < 0 || s->fold[i] != hidden)
            continue;
        const char *given = tsr_labels_name(tsr_data_labels(part), predicted[i]);
        known++;
        right += strcmp(given, tsr_labels_name(labels, of)) == 0;
    }
    *out = known > 0 ? (double)right / (double)known : 0;
done:
    tsr_data_free(part);
    tsr_encoder_free(encoder);
    tsr__free(predicted);
    return status;
}

static double reconstruct(const tsr_model *model, int64_t i, int64_t j)
{
    double y = 0;
    for (int64_t a = 0; a < tsr_model_report(model).rank; a++)
        y += tsr_matrix_at(tsr_model_codes(model), i, a) *
             tsr_matrix_at(tsr_model_basis(model), a, j);
    return y;
}

/* Sum of squared errors, and of squares, over the entries that `holed` lacks. */
static void measure_held_out(double *off, double *all, const tsr_model *model,
                             const tsr_matrix *holed, const tsr_matrix *whole)
{
    for (int64_t i = 0; i < holed->samples; i++)
        for (int64_t at = tsr__row_begin(holed, i); at < tsr__row_end(holed, i); at++) {
            if (!isnan(tsr__value_at(holed->values, holed->type, at)))
                continue;
            const double v = tsr__value_at(whole->values, whole->type, at);
            const double d = v - reconstruct(model, i, tsr__row_feature(holed, i, at));
            *off += d * d;
            *all += v * v;
        }
}

static tsr_status score_entries(double *out, const struct selecting *s,
                                const tsr_fit_options *fit, int64_t fold)
{
    tsr_status status = TSR_OK;
    const tsr_matrix *x = tsr_data_samples(s->data);
    tsr__random random = tsr__random_seed((uint64_t)s->fit->seed, (uint64_t)fold + 77);
    tsr_fit_options masked = *fit;
    tsr_matrix *whole = NULL, *holed = NULL;
    tsr_data *part = NULL;
    tsr_model *model = NULL;
    double off = 0, all = 0;
    masked.normalize = TSR_NORM_NONE; /* norms are those of whole samples */
    masked.missing = 1;
    TSR_TRY(tsr_matrix_copy_as(&whole, x, x->type, x->sparse));
    tsr_matrix_normalize(whole, (tsr_norm)fit->normalize);
    TSR_TRY(tsr_matrix_copy_as(&holed, whole, x->type, x->sparse));
    for (int64_t at = 0; at < tsr_matrix_stored(holed); at++)
        if (tsr__random_below(&random, 4 * s->options->folds) == 0)
            tsr__value_set(holed->values, holed->type, at, (double)NAN);
    TSR_TRY(tsr_data_take(&part, holed, NULL));
    holed = NULL;
    TSR_TRY(tsr_fit(&model, part, &masked));
    measure_held_out(&off, &all, model, tsr_data_samples(part), whole);
    *out = all > 0 ? sqrt(off / all) : 0;
done:
    tsr_matrix_free(whole);
    tsr_matrix_free(holed);
    tsr_data_free(part);
    tsr_model_free(model);
    return status;
}

static void score_one(void *context, int64_t item, int thread)
{
    struct selecting *s = context;
    const int64_t folds = s->options->folds, fold = item % folds;
    const tsr__candidate *c = &s->selection->candidate[item / folds];
    tsr_fit_options fit;
    (void)thread;
    tsr_status status = settle(&fit, s, c, fold);
    if (status == TSR_OK)
        status = s->selection->by_labels ? score_labels(&s->score[item], s, &fit, fold)
                                         : score_entries(&s->score[item], s, &fit, fold);
    s->status[item] = status;
    if (status < 0)
        (void)snprintf(s->message[item], TSR_MESSAGE_SIZE, "rank %lld: %s", (long long)c->rank,
                       tsr_message());
}

static tsr_status list_candidates(tsr__selection *out, const tsr__select_options *options)
{
    tsr_status status = TSR_OK;
    const int64_t weights = options->weights > 0 ? options->weights : 1;
    TSR_NEW(out->candidate, options->ranks * weights);
    for (int64_t r = 0; r < options->ranks; r++)
        for (int64_t w = 0; w < weights; w++)
            out->candidate[out->count++] = (tsr__candidate){
                .rank = options->rank[r],
                .weight = options->weights > 0 ? options->weight[w] : (double)NAN};
done:
    return status;
}

static void summarise(struct selecting *s)
{
    const int64_t folds = s->options->folds;
    tsr__candidate *best = NULL;
    for (int64_t i = 0; i < s->selection->count; i++) {
        tsr__candidate *c = &s->selection->candidate[i];
        double squares = 0;
        for (int64_t f = 0; f < folds; f++)
            c->mean += s->score[i * folds + f] / (double)folds;
        for (int64_t f = 0; f < folds; f++)
            squares += pow(s->score[i * folds + f] - c->mean, 2);
        c->deviation = folds > 1 ? sqrt(squares / (double)(folds - 1)) : 0;
        const double gain = best == NULL ? 1 : c->mean - best->mean;
        if (best == NULL || (s->selection->by_labels ? gain > 0 : gain < 0))
            best = c;
    }
    best->chosen = true;
}

tsr_status tsr__select(tsr__selection *out, const tsr_data *data, const tsr_fit_options *fit,
                       const tsr__select_options *options)
{
    tsr_status status = TSR_OK;
    tsr__selection selection = {0};
    struct selecting s = {data, fit, options, &selection, NULL, NULL, NULL, NULL};
    const tsr_labels *labels = tsr_data_labels(data);
    selection.by_labels = labels != NULL && tsr_labels_known(labels) > 0;
    selection.weight = weight_of(fit);
    if (options->weights > 0 && selection.weight == NULL)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "%s has no weight to choose: leave --weights out",
                 fit->model);
    TSR_TRY(list_candidates(&selection, options));
    const int64_t jobs = selection.count * options->folds;
    TSR_NEW_ZERO(s.score, jobs);
    TSR_NEW_ZERO(s.status, jobs);
    TSR_NEW(s.message, jobs);
    if (selection.by_labels) {
        TSR_NEW(s.fold, tsr_labels_count(labels));
        TSR_TRY(tsr_make_folds(s.fold, tsr_labels_of(labels), NULL, tsr_labels_count(labels),
                               options->folds, fit->seed));
    }
    tsr__parallel(jobs, tsr__threads(options->threads, jobs), score_one, &s);
    for (int64_t i = 0; i < jobs; i++)
        if (s.status[i] < 0)
            TSR_FAIL(s.status[i], "%s", s.message[i]);
    summarise(&s);
    *out = selection;
    selection = (tsr__selection){0};
done:
    tsr__free(s.fold);
    tsr__free(s.score);
    tsr__free(s.status);
    tsr__free(s.message);
    tsr__selection_clear(&selection);
    return status;
}

void tsr__selection_clear(tsr__selection *selection)
{
    tsr__free(selection->candidate);
    *selection = (tsr__selection){0};
}
