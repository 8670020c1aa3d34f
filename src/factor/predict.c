/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Classes from codes. */
#include "factor/model.h"

#include "matrix/neighbours.h"

static tsr_status predict_block(int32_t *out, const tsr_model *model, const tsr_matrix *codes)
{
    const int32_t classes = model->labels->classes;
    if (model->per_class == 0)
        return tsr__fail(TSR_ERROR_ARGUMENT,
                         "%s has no vectors of classes: predict by the nearest labelled code",
                         model->report.model);
    for (int64_t i = 0; i < codes->samples; i++) {
        double most = -1;
        for (int32_t c = 0; c < classes; c++) {
            double sum = 0;
            for (int64_t j = 0; j < model->per_class; j++)
                sum += tsr_matrix_at(codes, i, c * model->per_class + j);
            if (sum > most) {
                most = sum;
                out[i] = c;
            }
        }
    }
    return TSR_OK;
}

static tsr_status predict_nearest(int32_t *out, const tsr_model *model, const tsr_matrix *codes)
{
    tsr_status status = TSR_OK;
    tsr_matrix *labelled = NULL;
    int64_t *sample = NULL, *index = NULL, known = 0;
    double *square = NULL;
    TSR_NEW(sample, model->report.samples);
    TSR_NEW(index, codes->samples);
    TSR_NEW(square, codes->samples);
    for (int64_t i = 0; i < model->report.samples; i++)
        if (model->seen[i] >= 0)
            sample[known++] = i;
    if (known == 0)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "the learner saw no labels: there is nothing to predict");
    TSR_TRY(tsr_matrix_copy_samples(&labelled, model->codes, sample, known));
    TSR_TRY(tsr__nearest_samples(index, square, codes, labelled, 1, 0));
    for (int64_t i = 0; i < codes->samples; i++)
        out[i] = model->seen[sample[index[i]]];
done:
    tsr_matrix_free(labelled);
    tsr__free(sample);
    tsr__free(index);
    tsr__free(square);
    return status;
}

tsr_status tsr_model_predict(int32_t *out, const tsr_model *model, const tsr_matrix *codes,
                             tsr_predict_by by)
{
    if (model->labels == NULL || model->seen == NULL)
        return tsr__fail(TSR_ERROR_ARGUMENT,
                         "the model was fitted without labels: there are no "
                         "classes to predict");
    if (codes->features != model->report.rank)
        return tsr__fail(TSR_ERROR_ARGUMENT, "codes of %lld entries do not fit rank %lld",
                         (long long)codes->features, (long long)model->report.rank);
    return by == TSR_PREDICT_BLOCK ? predict_block(out, model, codes)
                                   : predict_nearest(out, model, codes);
}
