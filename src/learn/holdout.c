/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Folds of labels and of entries.
 *
 * Each fold hides one in 2 x folds of the known entries, none of them twice: what is left is
 * nearly the whole, and folds are independent enough for a standard error. A row's entries are
 * dealt in random order to the parts in turn, so that parts are even in each row and over all.
 * Of sparse data the stored values are dealt: what is not stored is a zero, and is shown.
 *
 * Where the shown entries leave a code or a part open, its product may be anything: beyond the
 * largest entry of the data it counts as that, or a single one would outweigh all others. */
#include "learn/holdout.h"

#include "base/random.h"

#include <math.h>
#include <string.h>

enum { SHOWN = -1, MISSING = -2, LEAST_A_FOLD = 4 };

void tsr__holdout_clear(tsr__holdout *h)
{
    tsr__prepared_clear(&h->prepared);
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

/* Data that share the matrix, with the labels of a fold hidden. */
static tsr_status hide_labels(tsr_data **out, const tsr__holdout *h, int64_t fold)
{
    tsr_status status = TSR_OK;
    const tsr_labels *labels = h->data->labels;
    const int64_t n = labels->count;
    tsr_matrix *view = NULL;
    tsr_labels *some = NULL;
    int32_t *of = NULL;
    TSR_NEW(of, n);
    for (int64_t i = 0; i < n; i++)
        of[i] = h->fold[i] == fold ? -1 : labels->of[i];
    TSR_TRY(tsr_matrix_view_samples(&view, h->data->x, 0, n));
    TSR_TRY(tsr__labels_from_names(&some, of, n, (const char *const *)labels->name,
                                   labels->classes));
    TSR_TRY(tsr_data_take(out, view, some));
    view = NULL, some = NULL;
done:
    tsr__free(of);
    tsr_matrix_free(view);
    tsr_labels_free(some);
    return status;
}

static tsr_status score_labels(double *out, const tsr__holdout *h, const tsr_fit_options *fit,
                               int64_t fold)
{
    tsr_status status = TSR_OK;
    const tsr_labels *labels = h->data->labels;
    tsr_data *part = NULL;
    tsr_encoder *encoder = NULL;
    int32_t *given = NULL;
    int64_t hidden = 0, right = 0;
    TSR_TRY(hide_labels(&part, h, fold));
    TSR_TRY(tsr_encoder_fit(&encoder, part, fit));
    TSR_NEW(given, labels->count);
    TSR_TRY(tsr_classify(given, tsr_encoder_codes(encoder), tsr_encoder_seen(encoder),
                         tsr_encoder_codes(encoder), 1, 1));
    for (int64_t i = 0; i < labels->count; i++) {
        if (h->fold[i] != fold)
            continue;
        hidden++;
        right += strcmp(tsr_labels_name(part->labels, given[i]),
                        tsr_labels_name(labels, labels->of[i])) == 0;
    }
    *out = (double)right / (double)hidden;
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
    const tsr_matrix *x = h->whole, *gone = h->prepared.missing;
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

tsr_status tsr__holdout_entries(tsr__holdout *out, const tsr_data *data,
                                const tsr_fit_options *fit, int64_t folds)
{
    tsr_status status = TSR_OK;
    tsr__holdout h = {.data = data, .folds = folds};
    tsr__random random = tsr__random_seed((uint64_t)fit->seed, 77);
    tsr_model_info row;
    int64_t *list = NULL;
    TSR_TRY(tsr_fit_describe(&row, fit));
    if (row.whole)
        TSR_FAIL(
            TSR_ERROR_ARGUMENT,
            "%s cannot be fitted with entries held out (its parts or codes are made of whole "
            "samples): --by labels",
            fit->model);
    TSR_TRY(tsr__prepared_make(&h.prepared, data, fit));
    h.whole = h.prepared.x;
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

/* The data without a fold: NaN where it was. The learner sees all labels. */
static tsr_status hide_entries(tsr_data **out, const tsr__holdout *h, int64_t fold)
{
    tsr_status status = TSR_OK;
    const tsr_matrix *x = h->whole;
    const tsr_labels *labels = h->data->labels;
    tsr_matrix *holed = NULL;
    tsr_labels *same = NULL;
    TSR_TRY(tsr_matrix_copy_as(&holed, x, x->type, x->sparse));
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

static double reconstruct(const tsr__holdout *h, const tsr_model *model, int64_t i, int64_t j)
{
    const tsr_matrix *codes = tsr_model_codes(model), *basis = tsr_model_basis(model);
    double y = 0;
    for (int64_t a = 0; a < basis->samples; a++)
        y += tsr_matrix_at(codes, i, a) * tsr_matrix_at(basis, a, j);
    return y < h->largest ? y : h->largest;
}

static tsr_status score_entries(double *out, const tsr__holdout *h, const tsr_fit_options *fit,
                                int64_t fold)
{
    tsr_status status = TSR_OK;
    const tsr_matrix *x = h->whole;
    tsr_fit_options masked = *fit;
    tsr_data *part = NULL;
    tsr_model *model = NULL;
    double off = 0;
    int64_t count = 0;
    masked.normalize = TSR_NORM_NONE; /* it is done: norms and weights are of whole samples */
    masked.weighting = 1;
    masked.missing = 1;
    TSR_TRY(hide_entries(&part, h, fold));
    TSR_TRY(tsr_fit(&model, part, &masked));
    for (int64_t i = 0; i < x->samples; i++)
        for (int64_t at = tsr__row_begin(x, i); at < tsr__row_end(x, i); at++) {
            if (h->fold[at] != fold)
                continue;
            const double d = tsr__value_at(x->values, x->type, at) -
                             reconstruct(h, model, i, tsr__row_feature(x, i, at));
            off += d * d;
            count++;
        }
    *out = h->square > 0 ? sqrt(off / (double)count / h->square) : 0;
done:
    tsr_data_free(part);
    tsr_model_free(model);
    return status;
}

tsr_status tsr__holdout_score(double *out, const tsr__holdout *h, const tsr_fit_options *fit,
                              int64_t fold)
{
    return h->by_labels ? score_labels(out, h, fit, fold) : score_entries(out, h, fit, fold);
}
