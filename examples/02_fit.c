/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Learn the parts of pictures: fit NMF, see how it went, save the parts as images.
 *     ./fit swimmer.h5 [PARTS-FOLDER] */
#include <stdio.h>
#include <tessera/tessera.h>

static int failed(void)
{
    fprintf(stderr, "%s\n", tsr_message());
    return 1;
}

int main(int count, char **argument)
{
    tsr_data *data = NULL, *parts = NULL;
    tsr_matrix *basis = NULL;
    tsr_model *model = NULL;
    tsr_fit_options options;
    int code = 0;
    if (count < 2) {
        fprintf(stderr, "usage: %s DATA [FOLDER]\n", argument[0]);
        return 2;
    }
    tsr_fit_defaults(&options);
    options.model = "nmf";
    options.rank = 17; /* a torso and four limbs in four positions */
    options.seed = 1;
    options.restarts = 3; /* the best of three starts */
    if (tsr_data_read(&data, argument[1], NULL) < 0 || tsr_fit(&model, data, &options) < 0) {
        code = failed();
    } else {
        const tsr_fit_report report = tsr_model_report(model);
        printf("%s, rank %lld: objective %.4g after %lld iterations, relative error %.3f\n",
               report.model, (long long)report.rank, report.objective,
               (long long)report.iterations, report.relative_error);
    }
    if (code == 0 && count > 2) {
        if (tsr_matrix_copy_samples(&basis, tsr_model_basis(model), NULL, 17) < 0 ||
            tsr_data_take(&parts, basis, NULL) < 0 || tsr_data_write(parts, argument[2]) < 0)
            code = failed();
    }
    tsr_data_free(parts);
    tsr_model_free(model);
    tsr_data_free(data);
    return code;
}
