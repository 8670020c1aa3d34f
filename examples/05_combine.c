/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A model that has no name: any loss, basis, codes and penalties together; settings by their
 * names, as a user would type them; and a progress report that can stop the work.
 *     ./combine swimmer.h5 */
#include <stdio.h>
#include <tessera/tessera.h>

static bool report(void *user, const tsr_step *step)
{
    const int64_t every = *(const int64_t *)user;
    if (step->done % every == 0)
        printf("  %lld: %.5g\n", (long long)step->done, step->objective);
    return true; /* false stops, and tsr_fit hands over the model so far */
}

int main(int count, char **argument)
{
    static const char *const settings[][2] = {
        {"loss", "kl"},    {"class", "1"},         {"graph", "0.1"},     {"decorrelate", "0.1"},
        {"rank", "8"},     {"labelled", "20%"},    {"init", "nndsvdar"}, {"tolerance", "1e-6"},
        {"l1-ratio", "1"}, {"alpha-codes", "1e-5"}};
    int64_t every = 100;
    const tsr_progress progress = {report, &every};
    tsr_data *data = NULL;
    tsr_model *model = NULL;
    tsr_fit_options options;
    tsr_status status = TSR_OK;
    if (count < 2) {
        fprintf(stderr, "usage: %s DATA\n", argument[0]);
        return 2;
    }
    tsr_fit_defaults(&options);
    options.progress = &progress;
    for (size_t i = 0; status == TSR_OK && i < sizeof settings / sizeof *settings; i++)
        status = tsr_settings_set(tsr_fit_settings(), &options, settings[i][0], settings[i][1]);
    if (status == TSR_OK)
        status = tsr_data_read(&data, argument[1], NULL);
    if (status == TSR_OK)
        status = tsr_fit(&model, data, &options);
    if (status == TSR_OK)
        printf("objective %.5g\n", tsr_model_report(model).objective);
    else
        fprintf(stderr, "%s\n", tsr_message());
    tsr_model_free(model);
    tsr_data_free(data);
    return status == TSR_OK ? 0 : 1;
}
