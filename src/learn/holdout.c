/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Folds of labels and of entries.
 *
 * Each fold hides one in 2 x folds of the known entries, none of them twice: what is left is
 * nearly the whole, and folds are independent enough for a standard error. A row's entries are
 * dealt in random order to the parts in turn, so that parts are even in each row and over all.
 * Of sparse data the stored values are dealt: what is not stored is a zero, and is shown.
 *
 * Models that weigh samples by cuts (ncw) see other numbers than those that do not. Entries are
 * dealt by their place, so that all are fitted without the same ones. Where both kinds are compared,
 * what a model of weighed samples gives back is divided by each sample's weight, and errors are
 * those of samples without weights; where all are of one kind they are in its own unit. Errors are
 * squares whatever a model's loss is: those of KL models are no better for it.
 *
 * Where the shown entries leave a code or a part open, its product may be anything: beyond the
 * largest entry of the data it counts as that, or a single one would outweigh all others. */
#include "learn/holdout.h"

#include "base/progress.h"
#include "base/random.h"
#include "factor/spec.h"
#include "learn/encoder.h"

#include <math.h>
#include <string.h>

enum { SHOWN = -1, MISSING = -2, LEAST_A_FOLD = 4, STARTS_OF_KMEANS = 10 };

void tsr__holdout_clear(tsr__holdout *h)
{
    tsr__prepared_clear(&h->kind[0]);
    tsr__prepared_clear(&h->kind[1]);
    tsr__free(h->fold);
    *h = (tsr__holdout){0};
}

/* Labels ---------------------------------------------------------------------------------- */

tsr_status tsr__holdout_labels(tsr__holdout *out, const tsr_data *data, int64_t folds,
                               int64_t seed)
{
    tsr_status status = TSR_OK;
    const tsr_labels *labels = tsr_data_labels(data);
    const int64_t n = labels != NULL ? labels->count : 0, least = LEAST_A_FOLD * folds;
    tsr__holdout h = {.data = data, .by_labels = true, .folds = folds};
    int64_t *members = NULL, classes = 0;
    if (n == 0 || labels->classes == 0)
        TSR_FAIL(TSR_ERROR_DATA, "%s has no labels to judge by", tsr_data_origin(data));
    TSR_NEW_ZERO(members, labels->classes);
    for (int64_t i = 0; i < n; i++)
        if (labels->of[i] >= 0)
            members[labels->of[i]]++;
    for (int32_t c = 0; c < labels->classes; c++) {
        classes += members[c] > 1;
        h.judged += members[c] > 1 ? members[c] : 0;
    }
    if (classes < 2 || h.judged < least)
        TSR_FAIL(TSR_ERROR_DATA,
                 "%lld labels in %lld classes of two or more are too few to judge by: %lld "
                 "folds need %lld, in two classes at least",
                 (long long)h.judged, (long long)classes, (long long)folds, (long long)least);
    TSR_NEW(h.fold, n);
    TSR_TRY(tsr_make_folds(h.fold, labels->of, NULL, n, folds, seed));
    for (int64_t i = 0; i < n; i++)
        if (labels->of[i] < 0 || members[labels->of[i]] < 2)
            h.fold[i] = SHOWN;
    *out = h;
    h = (tsr__holdout){0};
done:
    tsr__free(members);
    tsr__holdout_clear(&h);
    return status;
}

tsr_status tsr__holdout_relabel(tsr_data **out, const tsr_data *data, const int32_t *of)
{
    tsr_status status = TSR_OK;
    const tsr_labels *labels = data->labels;
    tsr_matrix *view = NULL;
    tsr_labels *some = NULL;
    TSR_TRY(tsr_matrix_view_samples(&view, data->x, 0, data->x->samples));
    TSR_TRY(tsr__labels_from_names(&some, of, labels->count, (const char *const *)labels->name,
                                   labels->classes));
    TSR_TRY(tsr_data_take(out, view, some));
    view = NULL, some = NULL;
done:
    tsr_matrix_free(view);
    tsr_labels_free(some);
    return status;
}

static tsr_status hide_labels(tsr_data **out, const tsr__holdout *h, int64_t fold)
{
    tsr_status status = TSR_OK;
    const tsr_labels *labels = h->data->labels;
    int32_t *of = NULL;
    TSR_NEW(of, labels->count);
    for (int64_t i = 0; i < labels->count; i++)
        of[i] = h->fold[i] == fold ? -1 : labels->of[i];
    TSR_TRY(tsr__holdout_relabel(out, h->data, of));
done:
    tsr__free(of);
    return status;
}

/* As many clusters as there are classes; hidden samples alone are compared, since learners were
 * shown the classes of the others. */
static tsr_status score_clusters(double *nmi, const tsr__holdout *h, const tsr_matrix *codes,
                                 int64_t seed, int64_t fold)
{
    tsr_status status = TSR_OK;
    const tsr_labels *labels = h->data->labels;
    tsr_cluster_options options = {.restarts = STARTS_OF_KMEANS, .seed = seed, .threads = 1};
    tsr_scores scores;
    int32_t *cluster = NULL, *truth = NULL;
    bool *met = NULL;
    TSR_NEW(cluster, labels->count);
    TSR_NEW(truth, labels->count);
    TSR_NEW_ZERO(met, labels->classes);
    for (int64_t i = 0; i < labels->count; i++) {
        truth[i] = h->fold[i] == fold ? labels->of[i] : -1;
        if (labels->of[i] >= 0 && !met[labels->of[i]]) {
            met[labels->of[i]] = true;
            options.clusters++;
        }
    }
    TSR_TRY(tsr_cluster(cluster, NULL, codes, &options));
    TSR_TRY(tsr_score_clusters(&scores, cluster, truth, labels->count));
    *nmi = scores.nmi;
done:
    tsr__free(cluster);
    tsr__free(truth);
    tsr__free(met);
    return status;
}

static tsr_status score_labels(tsr__judged *out, const tsr__holdout *h,
                               const tsr_fit_options *fit, int64_t fold)
{
    tsr_status status = TSR_OK;
    const tsr_labels *labels = h->data->labels;
    tsr_data *part = NULL;
    tsr_encoder *encoder = NULL;
    int32_t *given = NULL;
    int64_t hidden = 0, right = 0;
    TSR_TRY(hide_labels(&part, h, fold));
    const double begun = tsr__clock();
    TSR_TRY(tsr_encoder_fit(&encoder, part, fit));
    out->seconds = tsr__clock() - begun;
    TSR_NEW(given, labels->count);
    /* by codes as new samples have them, which know no neighbours */
    const tsr_model *model = tsr_encoder_model(encoder);
    const tsr_matrix *codes =
        model != NULL ? tsr_model_codes(model) : tsr_encoder_codes(encoder);
    TSR_TRY(tsr_classify(given, codes, tsr_encoder_seen(encoder), codes, 1, 1));
    for (int64_t i = 0; i < labels->count; i++) {
        if (h->fold[i] != fold)
            continue;
        hidden++;
        right += strcmp(tsr_labels_name(part->labels, given[i]),
                        tsr_labels_name(labels, labels->of[i])) == 0;
    }
    out->score = (double)right / (double)hidden;
    TSR_TRY(score_clusters(&out->nmi, h, tsr_encoder_codes(encoder), fit->seed, fold));
done:
    tsr_data_free(part);
    tsr_encoder_free(encoder);
    tsr__free(given);
    return status;
}

/* Entries --------------------------------------------------------------------------------- */

/* Marks values that nobody knows; the others are shown until they are dealt. */
static void mark_missing(tsr__holdout *h)
{
    const tsr_matrix *x = h->whole, *gone = h->kind[x != h->kind[0].x].missing;
    for (int64_t i = 0; i < x->samples; i++) {
        int64_t next = gone != NULL ? gone->rows[i] : 0;
        const int64_t end = gone != NULL ? gone->rows[i + 1] : 0;
        for (int64_t at = tsr__row_begin(x, i); at < tsr__row_end(x, i); at++) {
            const int64_t feature = tsr__row_feature(x, i, at);
            while (next < end && gone->columns[next] < feature)
                next++;
            h->fold[at] = next < end && gone->columns[next] == feature ? MISSING : SHOWN;
        }
    }
}

static void deal(tsr__holdout *h, int64_t *hand, tsr__random *random)
{
    const int64_t parts = 2 * h->folds;
    int64_t next = 0;
    for (int64_t i = 0; i < h->whole->samples; i++) {
        int64_t known = 0;
        for (int64_t at = tsr__row_begin(h->whole, i); at < tsr__row_end(h->whole, i); at++)
            if (h->fold[at] != MISSING)
                hand[known++] = at;
        if (known < 2)
            continue;
        tsr__random_shuffle(random, hand, known);
        for (int64_t a = 0; a < known; a++, next++)
            if (next % parts < h->folds)
                h->fold[hand[a]] = (int32_t)(next % parts);
    }
}

/* A column whose known entries are all in one fold gets the first of them back. */
static void spare_columns(tsr__holdout *h, int64_t *first)
{
    const tsr_matrix *x = h->whole;
    enum { NONE = -1, MIXED = -2 };
    for (int64_t j = 0; j < x->features; j++)
        first[j] = NONE;
    for (int64_t i = 0; i < x->samples; i++)
        for (int64_t at = tsr__row_begin(x, i); at < tsr__row_end(x, i); at++) {
            int64_t *of = &first[tsr__row_feature(x, i, at)];
            if (h->fold[at] != MISSING && *of != MIXED)
                *of = *of == NONE ? at : h->fold[*of] == h->fold[at] ? *of : MIXED;
        }
    for (int64_t j = 0; j < x->features; j++)
        if (first[j] >= 0)
            h->fold[first[j]] = SHOWN;
}

/* How many are held out, and whether every fold has some. */
static tsr_status count_entries(tsr__holdout *h)
{
    tsr_status status = TSR_OK;
    const tsr_matrix *x = h->whole;
    int64_t *size = NULL, known = 0;
    double square = 0;
    TSR_NEW_ZERO(size, h->folds);
    for (int64_t i = 0; i < x->samples; i++)
        for (int64_t at = tsr__row_begin(x, i); at < tsr__row_end(x, i); at++) {
            const double v = tsr__value_at(x->values, x->type, at);
            if (h->fold[at] == MISSING)
                continue;
            known++;
            square += v * v;
            h->largest = fmax(h->largest, v);
            if (h->fold[at] >= 0)
                size[h->fold[at]]++;
        }
    for (int64_t f = 0; f < h->folds; f++) {
        h->judged += size[f];
        if (size[f] == 0)
            TSR_FAIL(TSR_ERROR_DATA,
                     "%lld known entries, one or more of which every sample and feature keeps, "
                     "are too few for %lld folds",
                     (long long)known, (long long)h->folds);
    }
    h->square = square / (double)known;
done:
    tsr__free(size);
    return status;
}

tsr_status tsr__holdout_refuses(const tsr_fit_options *fit)
{
    tsr_model_info row;
    const tsr__baseline *baseline = NULL;
    TSR_OR_RETURN(tsr__baseline_find(&baseline, fit->model));
    if (baseline != NULL)
        return tsr__fail(TSR_ERROR_ARGUMENT,
                         "%s gives nothing back that hidden entries could be compared with: it "
                         "is judged by labels alone",
                         baseline->name);
    TSR_OR_RETURN(tsr_fit_describe(&row, fit));
    if (row.whole)
        return tsr__fail(
            TSR_ERROR_ARGUMENT,
            "%s cannot be fitted with entries held out (its parts or codes are made of whole "
            "samples): --by labels",
            fit->model);
    return TSR_OK;
}

/* The samples as these fits see them, of each kind once. */
static tsr_status prepare(tsr__holdout *h, const tsr_fit_options *fit, int64_t fits)
{
    tsr_status status = TSR_OK;
    for (int64_t i = 0; i < fits; i++) {
        tsr__spec spec;
        TSR_TRY(tsr__spec_make(&spec, &fit[i]));
        if (h->kind[spec.ncw].x == NULL)
            TSR_TRY(tsr__prepared_make(&h->kind[spec.ncw], h->data, &fit[i]));
    }
    h->whole = h->kind[h->kind[0].x == NULL].x;
done:
    return status;
}

tsr_status tsr__holdout_entries(tsr__holdout *out, const tsr_data *data,
                                const tsr_fit_options *fit, int64_t fits, int64_t folds)
{
    tsr_status status = TSR_OK;
    tsr__holdout h = {.data = data, .folds = folds};
    tsr__random random = tsr__random_seed((uint64_t)fit->seed, 77);
    int64_t *list = NULL;
    TSR_TRY(prepare(&h, fit, fits));
    const int64_t n = h.whole->samples, m = h.whole->features;
    TSR_NEW(h.fold, h.whole->sparse ? h.whole->rows[n] : n * h.whole->stride);
    TSR_NEW(list, m);
    mark_missing(&h);
    deal(&h, list, &random);
    spare_columns(&h, list);
    TSR_TRY(count_entries(&h));
    *out = h;
    h = (tsr__holdout){0};
done:
    tsr__free(list);
    tsr__holdout_clear(&h);
    return status;
}

/* Samples of one kind without a fold: NaN where it was. The learner sees all labels. */
static tsr_status hide_entries(tsr_data **out, const tsr__holdout *h, const tsr_matrix *seen,
                               int64_t fold)
{
    tsr_status status = TSR_OK;
    const tsr_matrix *x = h->whole;
    const tsr_labels *labels = h->data->labels;
    tsr_matrix *holed = NULL;
    tsr_labels *same = NULL;
    TSR_TRY(tsr_matrix_copy_as(&holed, seen, seen->type, seen->sparse));
    for (int64_t i = 0; i < x->samples; i++) {
        const int64_t shift = tsr__row_begin(holed, i) - tsr__row_begin(x, i);
        for (int64_t at = tsr__row_begin(x, i); at < tsr__row_end(x, i); at++)
            if (h->fold[at] == fold || h->fold[at] == MISSING)
                tsr__value_set(holed->values, holed->type, at + shift, (double)NAN);
    }
    if (labels != NULL)
        TSR_TRY(tsr__labels_from_names(&same, labels->of, labels->count,
                                       (const char *const *)labels->name, labels->classes));
    TSR_TRY(tsr_data_take(out, holed, same));
    holed = NULL, same = NULL;
done:
    tsr_matrix_free(holed);
    tsr_labels_free(same);
    return status;
}

/* What takes sample i as the model saw it to the unit of judging. */
static double unit_of(const tsr__holdout *h, const tsr_matrix *seen, int64_t i)
{
    const int64_t shift = tsr__row_begin(seen, i) - tsr__row_begin(h->whole, i);
    for (int64_t at = tsr__row_begin(h->whole, i);
         seen != h->whole && at < tsr__row_end(h->whole, i); at++) {
        const double to = tsr__value_at(h->whole->values, h->whole->type, at);
        const double from = tsr__value_at(seen->values, seen->type, at + shift);
        if (to > 0 && from > 0)
            return to / from;
    }
    return 1;
}

static double reconstruct(const tsr_model *model, int64_t i, int64_t j)
{
    const tsr_matrix *codes = tsr_model_codes(model), *basis = tsr_model_basis(model);
    double y = 0;
    for (int64_t a = 0; a < basis->samples; a++)
        y += tsr_matrix_at(codes, i, a) * tsr_matrix_at(basis, a, j);
    return y;
}

/* The root mean square of what is off, relative to all entries. */
static double compare_entries(const tsr__holdout *h, const tsr_model *model,
                              const tsr_matrix *seen, int64_t fold)
{
    const tsr_matrix *x = h->whole;
    double off = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < x->samples; i++) {
        const double unit = unit_of(h, seen, i);
        for (int64_t at = tsr__row_begin(x, i); at < tsr__row_end(x, i); at++) {
            if (h->fold[at] != fold)
                continue;
            const double y = unit * reconstruct(model, i, tsr__row_feature(x, i, at));
            const double d =
                tsr__value_at(x->values, x->type, at) - (y < h->largest ? y : h->largest);
            off += d * d;
            count++;
        }
    }
    return h->square > 0 ? sqrt(off / (double)count / h->square) : 0;
}

static tsr_status score_entries(tsr__judged *out, const tsr__holdout *h,
                                const tsr_fit_options *fit, int64_t fold)
{
    tsr_status status = TSR_OK;
    tsr_fit_options masked = *fit;
    tsr__spec spec;
    tsr_data *part = NULL;
    tsr_model *model = NULL;
    TSR_TRY(tsr__holdout_refuses(fit));
    TSR_TRY(tsr__spec_make(&spec, fit));
    const tsr_matrix *seen = h->kind[spec.ncw].x;
    masked.normalize = TSR_NORM_NONE; /* it is done: norms and weights are of whole samples */
    masked.weighting = 1;
    masked.missing = 1;
    TSR_TRY(hide_entries(&part, h, seen, fold));
    const double begun = tsr__clock();
    TSR_TRY(tsr_fit(&model, part, &masked));
    out->seconds = tsr__clock() - begun;
    out->score = compare_entries(h, model, seen, fold);
    out->nmi = (double)NAN;
done:
    tsr_data_free(part);
    tsr_model_free(model);
    return status;
}

tsr_status tsr__holdout_score(tsr__judged *out, const tsr__holdout *h,
                              const tsr_fit_options *fit, int64_t fold)
{
    return h->by_labels ? score_labels(out, h, fit, fold) : score_entries(out, h, fit, fold);
}
