/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A few labels: class-driven NMF sees two labels a class and predicts all others.
 *     ./labels swimmer.h5 */
#include <stdio.h>
#include <stdlib.h>
#include <tessera/tessera.h>

int main(int count, char **argument)
{
    tsr_data *data = NULL;
    tsr_model *model = NULL;
    tsr_fit_options options;
    int code = 1;
    if (count < 2) {
        fprintf(stderr, "usage: %s DATA\n", argument[0]);
        return 2;
    }
    tsr_fit_defaults(&options);
    options.model = "cdnmf-kl";
    options.per_class = 4;    /* vectors of each class */
    options.shared = 12;      /* vectors of none */
    options.labelled = "10%"; /* the learner never sees the others */
    if (tsr_data_read(&data, argument[1], NULL) < 0 || tsr_fit(&model, data, &options) < 0)
        goto done;

    const tsr_labels *labels = tsr_data_labels(data);
    const int64_t samples = tsr_labels_count(labels);
    int32_t *predicted = malloc((size_t)samples * sizeof *predicted);
    if (predicted == NULL)
        goto done;
    if (tsr_model_predict(predicted, NULL, model, tsr_model_codes(model), TSR_PREDICT_BLOCK) ==
        TSR_OK) {
        int64_t right = 0, judged = 0;
        for (int64_t i = 0; i < samples; i++) {
            if (tsr_model_seen(model)[i] >= 0) /* the learner was told */
                continue;
            right += predicted[i] == tsr_labels_of(labels)[i];
            judged++;
        }
        printf("%lld of %lld samples whose class was hidden are given it\n", (long long)right,
               (long long)judged);
        code = 0;
    }
    free(predicted);
done:
    if (code != 0)
        fprintf(stderr, "%s\n", tsr_message());
    tsr_model_free(model);
    tsr_data_free(data);
    return code;
}
