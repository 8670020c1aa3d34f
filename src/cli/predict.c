/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Predicted classes, as several commands make, judge and show them. */
#include "cli/predict.h"

#include "base/settings.h"
#include "factor/model.h"

#include <math.h>
#include <string.h>

static const tsr_setting table[] = {
    TSR_FLAG_ROW(prediction, wanted, "predict", 0,
                 "predict classes; without -o, a line a sample: name, class, score"),
    TSR_CHOICE_ROW(
        prediction, by, "predict-by", "auto|block|nearest",
        "by the largest block of the code (class-driven) or the nearest labelled code"),
    TSR_END_ROW,
};

const tsr_setting *predict_settings(void)
{
    return table;
}

bool predict_wanted(const prediction *p)
{
    return p->wanted || p->by != PREDICT_AUTO;
}

static bool is_judged(const tsr_labels *truth, const int32_t *seen, int64_t i)
{
    return truth->of[i] >= 0 && (seen == NULL || seen[i] < 0);
}

/* How many of the judged samples are of classes that the model has no name for. */
static int64_t count_strange(const tsr_labels *ours, const tsr_labels *truth,
                             const int32_t *seen)
{
    int64_t strange = 0;
    for (int32_t c = 0; c < truth->classes; c++) {
        int32_t same = 0;
        while (same < ours->classes && strcmp(ours->name[same], truth->name[c]) != 0)
            same++;
        for (int64_t i = 0; same == ours->classes && i < truth->count; i++)
            strange += truth->of[i] == c && is_judged(truth, seen, i);
    }
    return strange;
}

/* Says what stands in the way of a judgement, or makes it less than it seems. */
static void explain(predicted *p, const tsr_labels *truth, int64_t known, int64_t strange)
{
    if (known == 0)
        (void)snprintf(p->note, sizeof p->note,
                       "no sample has a known class: the predictions are not judged");
    else if (p->judged == 0 && strange == 0)
        (void)snprintf(p->note, sizeof p->note,
                       "the learner saw all %lld labels: none is left to judge the "
                       "predictions by (--labelled N hides some)",
                       (long long)known);
    else if (p->judged == 0)
        (void)snprintf(p->note, sizeof p->note,
                       "the model knows none of the data's %d classes (such as %s): the "
                       "predictions are not judged",
                       truth->classes, truth->name[0]);
    else if (strange > 0)
        (void)snprintf(p->note, sizeof p->note,
                       "%lld samples are of classes that the model does not know, and count "
                       "as wrong",
                       (long long)strange);
}

/* Compares by name: the classes of other data may be numbered otherwise. */
static void judge(predicted *p, const tsr_model *model, const tsr_labels *truth,
                  const int32_t *seen)
{
    const int64_t known = truth != NULL ? tsr_labels_known(truth) : 0;
    const int64_t strange = known > 0 ? count_strange(model->labels, truth, seen) : 0;
    int64_t right = 0;
    for (int64_t i = 0; known > 0 && i < truth->count; i++) {
        if (!is_judged(truth, seen, i))
            continue;
        p->judged++;
        right += strcmp(tsr_labels_name(truth, truth->of[i]),
                        tsr_labels_name(p->labels, p->labels->of[i])) == 0;
    }
    p->judged = strange < p->judged ? p->judged : 0;
    p->accuracy = p->judged > 0 ? (double)right / (double)p->judged : (double)NAN;
    explain(p, truth, known, strange);
}

tsr_status predict_classes(predicted *out, const tsr_model *model, const tsr_matrix *codes,
                           const tsr_data *data, bool trained, int by)
{
    tsr_status status = TSR_OK;
    const int64_t n = tsr_matrix_samples(codes);
    predicted p = {0};
    int32_t *of = NULL;
    TSR_NEW(of, n);
    TSR_NEW(p.score, n);
    if (by == PREDICT_AUTO)
        by = tsr_model_has_blocks(model) ? PREDICT_BLOCK : PREDICT_NEAREST;
    TSR_TRY(tsr_model_predict(of, p.score, model, codes,
                              by == PREDICT_BLOCK ? TSR_PREDICT_BLOCK : TSR_PREDICT_NEAREST));
    TSR_TRY(tsr__labels_from_names(&p.labels, of, n, (const char *const *)model->labels->name,
                                   model->labels->classes));
    p.trained = trained;
    judge(&p, model, tsr_data_labels(data), trained ? tsr_model_seen(model) : NULL);
    *out = p;
    p = (predicted){0};
done:
    tsr__free(of);
    predicted_clear(&p);
    return status;
}

void predicted_clear(predicted *p)
{
    tsr_labels_free(p->labels);
    tsr__free(p->score);
    *p = (predicted){0};
}

bool predict_trained_on(const tsr_model *model, const tsr_data *data)
{
    const tsr_labels *theirs = tsr_data_labels(data), *ours = model->labels;
    if (model->origin == NULL || strcmp(model->origin, tsr_data_origin(data)) != 0 ||
        theirs == NULL || ours == NULL || theirs->count != ours->count)
        return false;
    for (int64_t i = 0; i < ours->count; i++)
        if (strcmp(tsr_labels_name(ours, ours->of[i]),
                   tsr_labels_name(theirs, theirs->of[i])) != 0)
            return false;
    return true;
}

void predicted_summary(const predicted *p, int width, FILE *to)
{
    if (p->judged > 0)
        (void)fprintf(to, "  %-*s  %.4f of %lld samples whose class %s\n", width, "accuracy",
                      p->accuracy, (long long)p->judged,
                      p->trained ? "the learner did not see" : "is known");
}

void predicted_lines(const predicted *p, const tsr_data *data, FILE *to)
{
    for (int64_t i = 0; i < p->labels->count; i++) {
        const char *name = tsr_data_sample_name(data, i);
        if (name != NULL)
            (void)fputs(name, to);
        else
            (void)fprintf(to, "%lld", (long long)i);
        (void)fprintf(to, "\t%s\t%.4f\n", tsr_labels_name(p->labels, p->labels->of[i]),
                      p->score[i]);
    }
}

void predicted_json(tsr__json *root, const predicted *p, const tsr_data *data)
{
    if (p->labels == NULL)
        return;
    tsr__json_real(root, "accuracy", p->accuracy);
    tsr__json_integer(root, "judged", p->judged);
    tsr__json *list = tsr__json_array(root, "predictions");
    for (int64_t i = 0; i < p->labels->count; i++) {
        tsr__json *item = tsr__json_object(list, NULL);
        const char *name = tsr_data_sample_name(data, i);
        tsr__json_integer(item, "sample", i);
        if (name != NULL)
            tsr__json_text(item, "name", name);
        tsr__json_text(item, "class", tsr_labels_name(p->labels, p->labels->of[i]));
        tsr__json_real(item, "score", p->score[i]);
    }
}
