/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Predicted classes, as several commands show them. */
#include "cli/predict.h"

#include "base/memory.h"
#include "base/settings.h"

#include <string.h>

static const tsr_setting table[] = {
    TSR_FLAG_ROW(prediction, wanted, "predict", 0,
                 "predict classes, and say how many are right"),
    TSR_CHOICE_ROW(
        prediction, by, "predict-by", "auto|block|nearest",
        "by the largest block of the code (class-driven) or the nearest labelled code"),
    TSR_END_ROW,
};

const tsr_setting *predict_settings(void)
{
    return table;
}

tsr_status predict_classes(tsr_labels **out, const tsr_model *model, const tsr_matrix *codes,
                           int by)
{
    tsr_status status = TSR_OK;
    const int64_t n = tsr_matrix_samples(codes);
    int32_t *of = NULL;
    const char **name = NULL;
    TSR_NEW(of, n);
    TSR_NEW(name, n);
    if (by == PREDICT_AUTO)
        by = tsr_model_has_blocks(model) ? PREDICT_BLOCK : PREDICT_NEAREST;
    TSR_TRY(tsr_model_predict(of, model, codes,
                              by == PREDICT_BLOCK ? TSR_PREDICT_BLOCK : TSR_PREDICT_NEAREST));
    for (int64_t i = 0; i < n; i++)
        name[i] = tsr_labels_name(tsr_model_labels(model), of[i]);
    TSR_TRY(tsr_labels_from_texts(out, name, n));
done:
    tsr__free(of);
    tsr__free(name);
    return status;
}

double predicted_right(const tsr_labels *predicted, const tsr_labels *truth)
{
    int64_t known = 0, right = 0;
    for (int64_t i = 0; truth != NULL && i < tsr_labels_count(truth); i++) {
        const int32_t t = tsr_labels_of(truth)[i], p = tsr_labels_of(predicted)[i];
        if (t < 0)
            continue;
        known++;
        right += strcmp(tsr_labels_name(truth, t), tsr_labels_name(predicted, p)) == 0;
    }
    return known > 0 ? (double)right / (double)known : -1;
}

void predicted_json(tsr__json *root, const tsr_labels *predicted)
{
    if (predicted == NULL)
        return;
    tsr__json *list = tsr__json_array(root, "predicted");
    for (int64_t i = 0; i < tsr_labels_count(predicted); i++)
        tsr__json_text(list, NULL, tsr_labels_name(predicted, tsr_labels_of(predicted)[i]));
}
