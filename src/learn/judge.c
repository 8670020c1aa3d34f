/* SPDX-License-Identifier: BSD-2-Clause
 *
 * How a model's predictions did. Classes are compared by name: those of other data may be numbered
 * otherwise. Labels that the learner saw prove nothing, and are left out. */
#include "factor/model.h"
#include "learn/renumber.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
static void explain(tsr_judgement *j, const tsr_labels *truth, int64_t known, int64_t strange)
{
    if (known == 0)
        (void)snprintf(j->note, sizeof j->note,
                       "no sample has a known class: the predictions are not judged");
    else if (j->judged == 0 && strange == 0)
        (void)snprintf(j->note, sizeof j->note,
                       "the learner saw all %lld labels: none is left to judge the "
                       "predictions by (--labelled N hides some)",
                       (long long)known);
    else if (j->judged == 0)
        (void)snprintf(j->note, sizeof j->note,
                       "the model knows none of the data's %d classes (such as %s): the "
                       "predictions are not judged",
                       truth->classes, truth->name[0]);
    else if (strange > 0)
        (void)snprintf(j->note, sizeof j->note,
                       "%lld samples are of classes that the model does not know, and count "
                       "as wrong",
                       (long long)strange);
}

static tsr_judgement judge(const tsr_labels *ours, const int32_t *predicted,
                           const tsr_labels *truth, const int32_t *seen)
{
    tsr_judgement j = {.judged = 0};
    const int64_t known = truth != NULL ? tsr_labels_known(truth) : 0;
    const int64_t strange = known > 0 ? count_strange(ours, truth, seen) : 0;
    int64_t right = 0;
    for (int64_t i = 0; known > 0 && i < truth->count; i++) {
        if (!is_judged(truth, seen, i))
            continue;
        j.judged++;
        right += strcmp(tsr_labels_name(truth, truth->of[i]),
                        tsr_labels_name(ours, predicted[i])) == 0;
    }
    j.judged = strange < j.judged ? j.judged : 0;
    j.accuracy = j.judged > 0 ? (double)right / (double)j.judged : (double)NAN;
    explain(&j, truth, known, strange);
    return j;
}

tsr_status tsr_model_judge(tsr_judgement *out, const tsr_model *model, const int32_t *predicted,
                           const tsr_data *data, bool trained)
{
    TSR_REQUIRE(out, model, predicted);
    const int64_t n = data != NULL ? data->x->samples : model->report.samples;
    const int32_t *seen = trained || data == NULL ? tsr_model_seen(model) : NULL;
    TSR_OR_RETURN(tsr__check_classes(predicted, n, "predicted"));
    if (model->labels == NULL)
        return tsr__fail(TSR_ERROR_ARGUMENT,
                         "the model was fitted without labels: there are no classes to judge");
    if (seen != NULL && n != model->report.samples)
        return tsr__fail(TSR_ERROR_ARGUMENT,
                         "%s has %lld samples; the model was fitted to %lld",
                         tsr_data_origin(data), (long long)n, (long long)model->report.samples);
    for (int64_t i = 0; i < n; i++)
        if (predicted[i] >= model->labels->classes)
            return tsr__fail(TSR_ERROR_ARGUMENT, "class %d of sample %lld is none of the %d",
                             predicted[i], (long long)i, model->labels->classes);
    *out = judge(model->labels, predicted, data != NULL ? data->labels : model->labels, seen);
    return TSR_OK;
}

bool tsr_model_trained_on(const tsr_model *model, const tsr_data *data)
{
    if (model == NULL || data == NULL)
        return false;
    const tsr_labels *theirs = data->labels, *ours = model->labels;
    if (model->origin == NULL || strcmp(model->origin, tsr_data_origin(data)) != 0 ||
        theirs == NULL || ours == NULL || theirs->count != ours->count)
        return false;
    for (int64_t i = 0; i < ours->count; i++)
        if (strcmp(tsr_labels_name(ours, ours->of[i]),
                   tsr_labels_name(theirs, theirs->of[i])) != 0)
            return false;
    return true;
}
