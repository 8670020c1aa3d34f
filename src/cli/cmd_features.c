/* SPDX-License-Identifier: BSD-2-Clause
 *
 * tessera features: samples from pictures and texts. */
#include "base/json.h"
#include "base/progress.h"
#include "cli/command.h"

#include <string.h>

struct values {
    tsr_features_options features;
    talk talk;
    const char *output;
};

static const tsr_setting table[] = {
    TSR_TEXT_ROW(struct values, output, "output", 'o', NULL, "OUT",
                 "where the samples go; .h5 keeps the dictionary too"),
    TSR_END_ROW,
};

static const tsr_setting *settings(void)
{
    return table;
}

static int64_t nonzeros(const tsr_matrix *x)
{
    tsr_scan scan;
    return tsr_matrix_scan(&scan, x) == TSR_OK ? scan.nonzeros : 0;
}

/* Files that became no samples; other notes are of samples that did. */
static int64_t left_out(const tsr_data *data)
{
    int64_t count = 0;
    for (int64_t i = 0; i < tsr_data_notes(data); i++)
        count += strncmp(tsr_data_note(data, i), "left out ", 9) == 0;
    return count;
}

static tsr_status report(const tsr_data *data, const struct values *values, double seconds)
{
    const tsr_matrix *x = tsr_data_samples(data);
    const tsr_labels *labels = tsr_data_labels(data);
    const int64_t samples = tsr_matrix_samples(x), features = tsr_matrix_features(x);
    const int32_t classes = labels != NULL ? tsr_labels_classes(labels) : 0;
    const double density = (double)nonzeros(x) / ((double)samples * (double)features);
    const tsr_matrix *dictionary = tsr_data_dictionary(data);
    const int64_t words = tsr_data_feature_name(data, 0) != NULL ? features : 0;
    const int64_t vocabulary = dictionary != NULL ? tsr_matrix_samples(dictionary) : words;
    if (values->talk.json) {
        tsr__json *root = tsr__json_new();
        tsr__json_text(root, "kind", tsr_data_kind(data));
        tsr__json_integer(root, "samples", samples);
        tsr__json_integer(root, "features", features);
        tsr__json_real(root, "density", density);
        tsr__json_integer(root, "classes", classes);
        tsr__json_integer(root, "vocabulary", vocabulary);
        tsr__json_real(root, "seconds", seconds);
        tsr__json_integer(root, "skipped", left_out(data));
        const tsr_status status = tsr__json_print(root, stdout);
        tsr__json_free(root);
        return status;
    }
    (void)printf("%lld samples of %lld features (%s)\n", (long long)samples,
                 (long long)features, tsr_data_kind(data));
    (void)printf("  density     %.4g %%\n", 100 * density);
    if (classes > 0)
        (void)printf("  classes     %d\n", classes);
    if (vocabulary > 0)
        (void)printf("  vocabulary  %lld words\n", (long long)vocabulary);
    if (values->output != NULL)
        (void)printf("  written to  %s\n", values->output);
    return TSR_OK;
}

static tsr_status run(const cli_call *call)
{
    tsr_status status = TSR_OK;
    struct values *values = call->values;
    tsr_data *data = NULL;
    const double start = tsr__clock();
    values->features.progress = terminal_progress(values->talk.quiet);
    TSR_TRY(tsr_features_make(&data, call->operand[0], &values->features));
    const double seconds = tsr__clock() - start;
    terminal_clear();
    for (int64_t i = 0; !values->talk.quiet && i < tsr_data_notes(data); i++)
        (void)fprintf(stderr, "note: %s\n", tsr_data_note(data, i));
    if (values->output != NULL)
        TSR_TRY(tsr_data_write(data, values->output));
    TSR_TRY(report(data, values, seconds));
done:
    tsr_data_free(data);
    return status;
}

const cli_command command_features = {
    .name = "features",
    .topic = "data",
    .summary = "Make samples of pictures and texts: pixels, visual words, bags of words.",
    .usage = "[options] FOLDER|FILE [-o FEATURES.h5]",
    .details = "Files lie in a folder; the first folder on the way to a file is its class.\n"
               "words: or FILE holds one document a line.\n"
               "An archive (.h5) keeps dictionary or vocabulary: --dictionary applies them to\n"
               "other files, and models fitted to it know what their features are.",
    .example = "  tessera features scenes/ --kind dsift -o scenes.h5\n"
               "  tessera features new/ --kind dsift --dictionary scenes.h5 -o new.h5",
    .least = 1,
    .most = 1,
    .size = sizeof(struct values),
    .groups = {{"output", settings, 0},
               {"features", tsr_features_settings, offsetof(struct values, features)},
               {"talking", talk_settings, offsetof(struct values, talk)}},
    .run = run,
};
