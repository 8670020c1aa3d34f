/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Classes from codes, and how sure they are.
 *
 *     block     the class whose vectors have the largest sum of codes. Shares are (s_c - b) / sum
 *               (s - b), where b is the least sum if that is negative, as codes by pseudo-inverse
 *               may be, else 0; where nothing is left to share, all have the same. The score is
 *               the class's own share
 *     nearest   the class of the nearest labelled code of the training samples, at distance d;
 *               of equals the first class. Shares are those of 1 / d_c, for the distances d_c to
 *               the nearest code of each class; those at distance 0 have all. The score is d' /
 *               (d + d') for the second nearest class: 1/2 on the border, 1 on a labelled code;
 *               1/2 where both are zero, 1 where there is no other class
 *
 * Only classes of which the learner saw a label are answers: the block of another is anybody's.
 * Neighbours are asked for class by class, so that all distances come from one search of
 * O(n (labelled + classes) k). */
#include "factor/model.h"

#include "matrix/neighbours.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* What the learner saw: samples with a label, class by class. */
typedef struct teaching {
    int32_t classes;
    int64_t *begin;    /* classes + 1: where each class begins in .. */
    int64_t *sample;   /* .. the labelled samples, in order within a class */
    tsr_matrix *codes; /* of these, where distances are asked for */
} teaching;

static void teaching_clear(teaching *t)
{
    tsr__free(t->begin);
    tsr__free(t->sample);
    tsr_matrix_free(t->codes);
}

/* A counting sort. Counts are kept two places ahead, so that after the sums begin[c + 1] is
 * where class c begins, and counting it up while samples are put leaves it where class c + 1
 * does: no second array. Hence classes + 2 of them. */
static tsr_status teaching_make(teaching *t, const tsr_model *model, tsr_predict_by by)
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
    if (by == TSR_PREDICT_NEAREST) {
        TSR_TRY(
            tsr_matrix_copy_samples(&t->codes, model->codes, t->sample, t->begin[t->classes]));
        TSR_TRY(tsr_matrix_check(t->codes, TSR_NEED_FINITE, "the model's codes"));
    }
done:
    return status;
}

/* The block of a class that showed no label is open to every unlabelled sample. */
static bool was_seen(const teaching *t, int32_t c)
{
    return t->begin[c] < t->begin[c + 1];
}

/* How each class does in each sample: its sum of codes, or its squared distance. */
typedef struct tally {
    int32_t classes;
    int64_t first; /* what messages call the first sample */
    double *of;    /* samples x classes; NaN of classes that were not seen */
} tally;

/* The blocks are b R .. b R + R - 1, as the class term has them; shared vectors stand last and
 * have no say. O(n k). */
static tsr_status tally_blocks(tally *to, const tsr_model *model, const tsr_matrix *codes,
                               const teaching *t)
{
    if (model->per_class == 0)
        return tsr__fail(TSR_ERROR_ARGUMENT,
                         "%s has no vectors of classes: predict by the nearest labelled code",
                         model->report.model);
    if (model->per_class < 0 || model->per_class > codes->features / t->classes)
        return tsr__fail(TSR_ERROR_FORMAT, "%d classes of %lld vectors do not fit rank %lld",
                         t->classes, (long long)model->per_class, (long long)codes->features);
    for (int64_t i = 0; i < codes->samples; i++)
        for (int32_t c = 0; c < t->classes; c++) {
            double sum = 0;
            for (int64_t j = 0; j < model->per_class; j++)
                sum += tsr_matrix_at(codes, i, c * model->per_class + j);
            to->of[i * to->classes + c] = was_seen(t, c) ? sum : (double)NAN;
        }
    return TSR_OK;
}

enum { PARALLEL = 65536 }; /* pairs of codes from which on threads pay: classes may be many */

/* All codes meet those of each class, which is a view of the labelled ones. Squares are held
 * below a sixteenth of the largest number, since a squared distance is up to four times the larger
 * square. */
static tsr_status tally_distances(tally *to, const tsr_matrix *codes, const teaching *t)
{
    tsr_status status = TSR_OK;
    tsr_matrix *one = NULL;
    int64_t *index = NULL;
    double *square = NULL;
    TSR_NEW(index, codes->samples);
    TSR_NEW(square, codes->samples);
    for (int64_t i = 0; i < codes->samples; i++)
        if (!(tsr__row_square(codes, i) <= DBL_MAX / 16))
            TSR_FAIL(TSR_ERROR_DATA,
                     "sample %lld: its distances to labelled codes are beyond the largest "
                     "number: scale the samples as those of the fit",
                     (long long)(to->first + i));
    for (int32_t c = 0; c < t->classes; c++) {
        const int64_t first = t->begin[c];
        for (int64_t i = 0; i < codes->samples; i++)
            index[i] = -1;
        if (was_seen(t, c)) {
            TSR_TRY(tsr_matrix_view_samples(&one, t->codes, first, t->begin[c + 1] - first));
            const int threads = codes->samples * one->samples < PARALLEL ? 1 : 0;
            TSR_TRY(tsr__nearest_samples(index, square, codes, one, 1, threads));
            tsr_matrix_free(one);
            one = NULL;
        }
        for (int64_t i = 0; i < codes->samples; i++)
            to->of[i * to->classes + c] = index[i] >= 0 ? square[i] : (double)NAN;
    }
done:
    tsr_matrix_free(one);
    tsr__free(index);
    tsr__free(square);
    return status;
}

/* The largest, and of equals the first: what readers of the shares find, too. */
static int32_t first_largest(const double *share, int32_t classes)
{
    int32_t best = 0;
    for (int32_t c = 1; c < classes; c++)
        if (share[c] > share[best])
            best = c;
    return best;
}

/* Of one sample: sums become shares; its class and score. -1: they are no numbers. */
static int32_t largest_share(double *score, double *sum, int32_t classes)
{
    double least = 0, all = 0, answers = 0;
    for (int32_t c = 0; c < classes; c++)
        if (!isnan(sum[c])) {
            least = fmin(least, sum[c]);
            answers++;
        }
    for (int32_t c = 0; c < classes; c++)
        all += isnan(sum[c]) ? 0 : sum[c] - least;
    if (answers == 0 || !isfinite(all))
        return -1;
    for (int32_t c = 0; c < classes; c++)
        sum[c] = isnan(sum[c]) ? 0 : all > 0 ? (sum[c] - least) / all : 1 / answers;
    const int32_t best = first_largest(sum, classes);
    *score = sum[best];
    return best;
}

/* The same of squared distances. Roots are taken of quotients, so that no sum overflows. */
static int32_t nearest_share(double *score, double *square, int32_t classes)
{
    double own = (double)INFINITY, other = (double)INFINITY, all = 0;
    for (int32_t c = 0; c < classes; c++) {
        other = square[c] < own ? own : square[c] < other ? square[c] : other;
        own = square[c] < own ? square[c] : own;
    }
    if (isinf(own))
        return -1;
    *score = isinf(other) ? 1 : other == 0 ? 0.5 : 1 / (1 + sqrt(own / other));
    for (int32_t c = 0; c < classes; c++) {
        square[c] = isnan(square[c])   ? 0
                    : square[c] == own ? 1
                                       : sqrt(own / square[c]); /* d / d_c; 0 where d is */
        all += square[c];
    }
    for (int32_t c = 0; c < classes; c++)
        square[c] /= all;
    return first_largest(square, classes);
}

/* Class and score of each sample, and the tally as shares. */
static tsr_status decide(int32_t *of, double *score, tally *to, const tsr_model *model,
                         const tsr_matrix *codes, const teaching *t)
{
    const bool block = t->codes == NULL;
    TSR_OR_RETURN(block ? tally_blocks(to, model, codes, t) : tally_distances(to, codes, t));
    for (int64_t i = 0; i < codes->samples; i++) {
        of[i] = (block ? largest_share : nearest_share)(&score[i], to->of + i * to->classes,
                                                        to->classes);
        if (of[i] < 0)
            return tsr__fail(TSR_ERROR_DATA,
                             "sample %lld: %s is beyond the largest number: scale the samples "
                             "as those of the fit",
                             (long long)(to->first + i),
                             block ? "the sum of its codes"
                                   : "its distance to every labelled code");
    }
    return TSR_OK;
}

static tsr_status check(const tsr_model *model, const tsr_matrix *codes)
{
    if (model->labels == NULL || model->seen == NULL)
        return tsr__fail(
            TSR_ERROR_ARGUMENT,
            "the model was fitted without labels: there are no classes to predict");
    if (codes->features != model->report.rank)
        return tsr__fail(TSR_ERROR_ARGUMENT, "codes of %lld entries do not fit rank %lld",
                         (long long)codes->features, (long long)model->report.rank);
    return tsr_matrix_check(codes, TSR_NEED_FINITE, "the codes");
}

/* All samples, some at a time; `shares` (or NULL) is samples x classes. */
static tsr_status decide_all(int32_t *of, double *score, double *shares, const tsr_model *model,
                             const tsr_matrix *codes, tsr_predict_by by)
{
    enum { BATCH = 4096 };
    tsr_status status = TSR_OK;
    tsr_matrix *some = NULL;
    const int32_t classes = model->labels->classes;
    const int64_t n = codes->samples, room = n < BATCH ? n : BATCH;
    double *own = NULL;
    teaching t = {0};
    TSR_TRY(teaching_make(&t, model, by));
    if (shares == NULL)
        TSR_NEW(own, room * classes);
    for (int64_t first = 0; first < n; first += BATCH) {
        const int64_t count = n - first < BATCH ? n - first : BATCH;
        tally to = {classes, first, shares != NULL ? shares + first * classes : own};
        TSR_TRY(tsr_matrix_view_samples(&some, codes, first, count));
        TSR_TRY(decide(of + first, score + first, &to, model, some, &t));
        tsr_matrix_free(some);
        some = NULL;
    }
done:
    tsr_matrix_free(some);
    tsr__free(own);
    teaching_clear(&t);
    return status;
}

/* Results are put into the caller's arrays at the end, so that a failure leaves them as they
 * were. */
tsr_status tsr_model_predict(int32_t *out, double *score, const tsr_model *model,
                             const tsr_matrix *codes, tsr_predict_by by)
{
    TSR_REQUIRE(out, model, codes);
    TSR_REQUIRE_CHOICE(by, TSR_PREDICT_NEAREST);
    TSR_OR_RETURN(check(model, codes));
    tsr_status status = TSR_OK;
    const size_t n = (size_t)codes->samples;
    int32_t *of = NULL;
    double *sure = NULL;
    TSR_NEW(of, codes->samples);
    TSR_NEW(sure, codes->samples);
    TSR_TRY(decide_all(of, sure, NULL, model, codes, by));
    memcpy(out, of, n * sizeof *of);
    if (score != NULL)
        memcpy(score, sure, n * sizeof *sure);
done:
    tsr__free(of);
    tsr__free(sure);
    return status;
}

tsr_status tsr_model_scores(tsr_matrix **out, const tsr_model *model, const tsr_matrix *codes,
                            tsr_predict_by by)
{
    TSR_REQUIRE(out, model, codes);
    TSR_REQUIRE_CHOICE(by, TSR_PREDICT_NEAREST);
    TSR_OR_RETURN(check(model, codes));
    tsr_status status = TSR_OK;
    tsr_matrix *shares = NULL;
    int32_t *of = NULL;
    double *sure = NULL;
    TSR_NEW(of, codes->samples);
    TSR_NEW(sure, codes->samples);
    TSR_TRY(tsr_matrix_create(&shares, codes->samples, model->labels->classes, TSR_FLOAT64));
    TSR_TRY(decide_all(of, sure, shares->values, model, codes, by));
    *out = shares, shares = NULL;
done:
    tsr_matrix_free(shares);
    tsr__free(of);
    tsr__free(sure);
    return status;
}

const int32_t *tsr_model_seen(const tsr_model *model)
{
    return model != NULL && model->labels != NULL ? model->seen : NULL;
}
