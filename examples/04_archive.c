/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Keep a model and use it later: write the archive, read it, encode samples with it.
 *     ./archive swimmer.h5 */
#include <stdio.h>
#include <tessera/tessera.h>

int main(int count, char **argument)
{
    const char *path = "example-model.h5";
    tsr_data *data = NULL;
    tsr_model *model = NULL, *again = NULL;
    tsr_matrix *codes = NULL;
    tsr_fit_options options;
    int code = 1;
    if (count < 2) {
        fprintf(stderr, "usage: %s DATA\n", argument[0]);
        return 2;
    }
    tsr_fit_defaults(&options);
    options.model = "gnmf";
    options.rank = 8;
    options.graph = 1;
    options.normalize = TSR_NORM_L2; /* recorded, and repeated by transform */
    if (tsr_data_read(&data, argument[1], NULL) == TSR_OK &&
        tsr_fit(&model, data, &options) == TSR_OK && tsr_model_write(model, path) == TSR_OK &&
        tsr_model_read(&again, path) == TSR_OK &&
        tsr_model_transform(&codes, again, data, NULL) == TSR_OK) {
        printf("%s from %s: codes of %lld samples, the first begins %.3f\n",
               tsr_model_report(again).model, path, (long long)tsr_matrix_samples(codes),
               tsr_matrix_at(codes, 0, 0));
        code = 0;
    }
    if (code != 0)
        fprintf(stderr, "%s\n", tsr_message());
    (void)remove(path);
    tsr_matrix_free(codes);
    tsr_model_free(again);
    tsr_model_free(model);
    tsr_data_free(data);
    return code;
}
