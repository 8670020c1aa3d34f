/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Classes from codes, and how sure they are.
 *
 *     block     the class whose vectors have the largest sum of codes. The score is its share
 *               (s_c - b) / sum (s - b), where b is the least sum if that is negative, as codes
 *               by pseudo-inverse may be, else 0; where nothing is left to share, 1 / classes
 *     nearest   the class of the nearest labelled code of the training samples, at distance d;
 *               of equals that of the first sample. The score is d' / (d + d'), where d' is the
 *               distance to the nearest code of any other class: 1/2 on the border, 1 on a
 *               labelled code; 1/2 where both are zero, 1 where there is no other class
 *
 * Only classes of which the learner saw a label are answers: the block of another is anybody's.
 * Neighbours are asked for class by class, so that both distances come from one search of
 * O(n (labelled + classes) k). */
#include "factor/model.h"

#include "matrix/neighbours.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* What the learner saw: samples with a label, class by class. */
typedef struct teaching {
    int32_t classes;
    int64_t *begin;  /* classes + 1: where each class begins in .. */
    int64_t *sample; /* .. the labelled samples, in order within a class */
} teaching;

static void teaching_clear(teaching *t)
{
    tsr__free(t->begin);
    tsr__free(t->sample);
}

/* A counting sort. Counts are kept two places ahead, so that after the sums begin[c + 1] is
 * where class c begins, and counting it up while samples are put leaves it where class c + 1
 * does: no second array. Hence classes + 2 of them. */
static tsr_status teaching_make(teaching *t, const tsr_model *model)
{
    tsr_status status = TSR_OK;
    const int64_t n = model->report.samples;
    t->classes = model->labels->classes;
    TSR_NEW_ZERO(t->begin, t->classes + 2);
    TSR_NEW(t->sample, n);
    for (int64_t i = 0; i < n; i++) {
        if (model->seen[i] >= t->classes)
            TSR_FAIL(TSR_ERROR_FORMAT, "sample %lld has class %d of the model's %d",
                     (long long)i, model->seen[i], t->classes);
        if (model->seen[i] >= 0)
            t->begin[model->seen[i] + 2]++;
    }
    for (int32_t c = 0; c < t->classes; c++)
        t->begin[c + 2] += t->begin[c + 1];
    for (int64_t i = 0; i < n; i++)
        if (model->seen[i] >= 0)
            t->sample[t->begin[model->seen[i] + 1]++] = i;
    if (t->begin[t->classes] == 0)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "the learner saw no labels: there is nothing to predict");
done:
    return status;
}

/* The block of a class that showed no label is open to every unlabelled sample. */
static bool was_seen(const teaching *t, int32_t c)
{
    return t->begin[c] < t->begin[c + 1];
}

/* The class and the score of one sample by its sums; false where they are no numbers. Strictly
 * larger wins, so that of equals it is the first class. */
static bool largest_share(int32_t *of, double *score, const double *sum, const teaching *t)
{
    int32_t best = -1;
    double least = 0, all = 0;
    int64_t answers = 0;
    for (int32_t c = 0; c < t->classes; c++) {
        if (!was_seen(t, c))
            continue;
        if (best < 0 || sum[c] > sum[best])
            best = c;
        least = fmin(least, sum[c]);
        answers++;
    }
    for (int32_t c = 0; c < t->classes; c++)
        all += was_seen(t, c) ? sum[c] - least : 0;
    *of = best;
    *score = all > 0 ? (sum[best] - least) / all : 1 / (double)answers;
    return isfinite(all);
}

/* The blocks are b R .. b R + R - 1, as the class term has them; shared vectors stand last and
 * have no say. O(n k). */
static tsr_status predict_block(int32_t *out, double *score, const tsr_model *model,
                                const tsr_matrix *codes, const teaching *t)
{
    tsr_status status = TSR_OK;
    double *sum = NULL;
    if (model->per_class == 0)
        TSR_FAIL(TSR_ERROR_ARGUMENT,
                 "%s has no vectors of classes: predict by the nearest labelled code",
                 model->report.model);
    if (model->per_class < 0 || model->per_class > codes->features / t->classes)
        TSR_FAIL(TSR_ERROR_FORMAT, "%d classes of %lld vectors do not fit rank %lld",
                 t->classes, (long long)model->per_class, (long long)codes->features);
    TSR_NEW(sum, t->classes);
    for (int64_t i = 0; i < codes->samples; i++) {
        for (int32_t c = 0; c < t->classes; c++) {
            sum[c] = 0;
            for (int64_t j = 0; j < model->per_class; j++)
                sum[c] += tsr_matrix_at(codes, i, c * model->per_class + j);
        }
        if (!largest_share(&out[i], &score[i], sum, t))
            TSR_FAIL(TSR_ERROR_DATA,
                     "sample %lld: the sum of its codes is beyond the largest number: scale "
                     "the samples as those of the fit",
                     (long long)i);
    }
done:
    tsr__free(sum);
    return status;
}

/* How near a sample is to the labelled codes. */
typedef struct nearness {
    double own, other; /* squared distances to the nearest, and to that of any other class */
    int64_t sample;    /* the nearest, or -1 */
} nearness;

/* The classes come one after another. Of equals the first sample wins. */
static void meet(nearness *to, double square, int64_t sample)
{
    if (square < to->own || (square == to->own && sample < to->sample)) {
        to->other = to->own;
        to->own = square;
        to->sample = sample;
    } else if (square < to->other) {
        to->other = square;
    }
}

/* d' / (d + d') of squares, as 1 / (1 + sqrt(own / other)): one root, and no sum that
 * overflows. */
static double closeness(const nearness *to)
{
    if (isinf(to->other))
        return 1;
    if (to->other == 0)
        return 0.5;
    return 1 / (1 + sqrt(to->own / to->other));
}

/* All codes meet those of each class. The labelled codes are copied in the order of classes
 * once; a class is a view of them. Squares are held below a sixteenth of the largest number,
 * since a squared distance is up to four times the larger square. */
static tsr_status find_nearest(nearness *to, const tsr_model *model, const tsr_matrix *codes,
                               const teaching *t)
{
    tsr_status status = TSR_OK;
    tsr_matrix *labelled = NULL, *one = NULL;
    int64_t *index = NULL;
    double *square = NULL;
    TSR_NEW(index, codes->samples);
    TSR_NEW(square, codes->samples);
    TSR_TRY(tsr_matrix_copy_samples(&labelled, model->codes, t->sample, t->begin[t->classes]));
    TSR_TRY(tsr_matrix_check(labelled, TSR_NEED_FINITE, "the model's codes"));
    for (int64_t i = 0; i < codes->samples; i++)
        if (!(tsr__row_square(codes, i) <= DBL_MAX / 16))
            TSR_FAIL(TSR_ERROR_DATA,
                     "sample %lld: its distances to labelled codes are beyond the largest "
                     "number: scale the samples as those of the fit",
                     (long long)i);
    for (int32_t c = 0; c < t->classes; c++) {
        const int64_t first = t->begin[c];
        if (!was_seen(t, c))
            continue;
        TSR_TRY(tsr_matrix_view_samples(&one, labelled, first, t->begin[c + 1] - first));
        TSR_TRY(tsr__nearest_samples(index, square, codes, one, 1, 0));
        tsr_matrix_free(one);
        one = NULL;
        for (int64_t i = 0; i < codes->samples; i++)
            if (index[i] >= 0)
                meet(&to[i], square[i], t->sample[first + index[i]]);
    }
done:
    tsr_matrix_free(labelled);
    tsr_matrix_free(one);
    tsr__free(index);
    tsr__free(square);
    return status;
}

static tsr_status predict_nearest(int32_t *out, double *score, const tsr_model *model,
                                  const tsr_matrix *codes, const teaching *t)
{
    tsr_status status = TSR_OK;
    nearness *to = NULL;
    TSR_NEW(to, codes->samples);
    for (int64_t i = 0; i < codes->samples; i++)
        to[i] = (nearness){(double)INFINITY, (double)INFINITY, -1};
    TSR_TRY(find_nearest(to, model, codes, t));
    for (int64_t i = 0; i < codes->samples; i++) {
        if (to[i].sample < 0)
            TSR_FAIL(TSR_ERROR_DATA,
                     "sample %lld: its distance to every labelled code is beyond the largest "
                     "number: scale the samples as those of the fit",
                     (long long)i);
        out[i] = model->seen[to[i].sample];
        score[i] = closeness(&to[i]);
    }
done:
    tsr__free(to);
    return status;
}

/* Results are put into the caller's arrays at the end, so that a failure leaves them as they
 * were. */
tsr_status tsr_model_predict(int32_t *out, double *score, const tsr_model *model,
                             const tsr_matrix *codes, tsr_predict_by by)
{
    TSR_REQUIRE(out, model, codes);
    TSR_REQUIRE_CHOICE(by, TSR_PREDICT_NEAREST);
    tsr_status status = TSR_OK;
    const int64_t n = codes->samples;
    teaching t = {0};
    int32_t *of = NULL;
    double *sure = NULL;
    if (model->labels == NULL || model->seen == NULL)
        TSR_FAIL(TSR_ERROR_ARGUMENT,
                 "the model was fitted without labels: there are no classes to predict");
    if (codes->features != model->report.rank)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "codes of %lld entries do not fit rank %lld",
                 (long long)codes->features, (long long)model->report.rank);
    TSR_TRY(tsr_matrix_check(codes, TSR_NEED_FINITE, "the codes"));
    TSR_TRY(teaching_make(&t, model));
    TSR_NEW(of, n);
    TSR_NEW(sure, n);
    TSR_TRY(by == TSR_PREDICT_BLOCK ? predict_block(of, sure, model, codes, &t)
                                    : predict_nearest(of, sure, model, codes, &t));
    memcpy(out, of, (size_t)n * sizeof *of);
    if (score != NULL)
        memcpy(score, sure, (size_t)n * sizeof *sure);
done:
    tsr__free(of);
    tsr__free(sure);
    teaching_clear(&t);
    return status;
}

const int32_t *tsr_model_seen(const tsr_model *model)
{
    return model != NULL && model->labels != NULL ? model->seen : NULL;
}
