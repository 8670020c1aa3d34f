/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Predicted classes, as several commands make, judge and show them. */
#include "cli/predict.h"

#include "base/memory.h"
#include "base/settings.h"

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
    TSR_TRY(tsr_labels_from_classes(&p.labels, tsr_model_labels(model), of, n));
    TSR_TRY(tsr_model_judge(&p.how, model, of, data, trained));
    p.trained = trained;
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

void predicted_summary(const predicted *p, int width, FILE *to)
{
    if (p->how.judged > 0)
        (void)fprintf(to, "  %-*s  %.4f of %lld samples whose class %s\n", width, "accuracy",
                      p->how.accuracy, (long long)p->how.judged,
                      p->trained ? "the learner did not see" : "is known");
}

void predicted_lines(const predicted *p, const tsr_data *data, FILE *to)
{
    for (int64_t i = 0; i < tsr_labels_count(p->labels); i++) {
        const char *name = tsr_data_sample_name(data, i);
        if (name != NULL)
            (void)fputs(name, to);
        else
            (void)fprintf(to, "%lld", (long long)i);
        (void)fprintf(to, "\t%s\t%.4f\n",
                      tsr_labels_name(p->labels, tsr_labels_of(p->labels)[i]), p->score[i]);
    }
}

void predicted_json(tsr__json *root, const predicted *p, const tsr_data *data)
{
    if (p->labels == NULL)
        return;
    tsr__json_real(root, "accuracy", p->how.accuracy);
    tsr__json_integer(root, "judged", p->how.judged);
    tsr__json *list = tsr__json_array(root, "predictions");
    for (int64_t i = 0; i < tsr_labels_count(p->labels); i++) {
        tsr__json *item = tsr__json_object(list, NULL);
        const char *name = tsr_data_sample_name(data, i);
        tsr__json_integer(item, "sample", i);
        if (name != NULL)
            tsr__json_text(item, "name", name);
        tsr__json_text(item, "class", tsr_labels_name(p->labels, tsr_labels_of(p->labels)[i]));
        tsr__json_real(item, "score", p->score[i]);
    }
}
