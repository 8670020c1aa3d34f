/* SPDX-License-Identifier: BSD-2-Clause
 *
 * tessera transform: codes of samples with a fitted basis, and their classes. */
#include "base/json.h"
#include "cli/command.h"
#include "cli/predict.h"

struct values {
    tsr_transform_options transform;
    tsr_read_options read;
    talk talk;
    const char *output;
    bool unit_codes;
    prediction prediction;
};

static const tsr_setting table[] = {
    TSR_TEXT_ROW(
        struct values, output, "output", 'o', NULL, "OUT",
        "where the codes go; with --predict, formats that hold labels keep the classes"),
    TSR_FLAG_ROW(struct values, unit_codes, "unit-codes", 0, "scale codes to unit length"),
    TSR_END_ROW,
};

static const tsr_setting *settings(void)
{
    return table;
}

static tsr_status print_json(const tsr_matrix *codes, const predicted *classes,
                             const tsr_data *data)
{
    tsr__json *root = tsr__json_new();
    tsr__json_integer(root, "samples", tsr_matrix_samples(codes));
    tsr__json_integer(root, "rank", tsr_matrix_features(codes));
    predicted_json(root, classes, data);
    const tsr_status status = tsr__json_print(root, stdout);
    tsr__json_free(root);
    return status;
}

/* Predictions that go nowhere else are the result; what else there is to say then stands beside
 * it. */
static void print_text(const tsr_matrix *codes, const predicted *classes, const tsr_data *data,
                       const struct values *values)
{
    const bool lines = classes->labels != NULL && values->output == NULL;
    FILE *to = lines ? stderr : stdout;
    if (!lines || !values->talk.quiet) {
        (void)fprintf(to, "%lld samples, codes of %lld entries\n",
                      (long long)tsr_matrix_samples(codes),
                      (long long)tsr_matrix_features(codes));
        predicted_summary(classes, 10, to);
    }
    if (lines)
        predicted_lines(classes, data, stdout);
    if (values->output != NULL)
        (void)printf("  written to  %s\n", values->output);
}

/* Codes and classes (or NULL) as data, copied. */
static tsr_status write(const tsr_matrix *codes, const tsr_labels *labels, const char *path)
{
    tsr_status status = TSR_OK;
    const int64_t n = tsr_matrix_samples(codes);
    tsr_matrix *x = NULL;
    tsr_labels *classes = NULL;
    tsr_data *result = NULL;
    TSR_TRY(tsr_matrix_copy_samples(&x, codes, NULL, n));
    if (labels != NULL)
        TSR_TRY(tsr_labels_copy_samples(&classes, labels, NULL, n));
    TSR_TRY(tsr_data_take(&result, x, classes));
    x = NULL, classes = NULL;
    TSR_TRY(tsr_data_write(result, path));
done:
    tsr_data_free(result);
    tsr_labels_free(classes);
    tsr_matrix_free(x);
    return status;
}

static tsr_status run(const cli_call *call)
{
    tsr_status status = TSR_OK;
    struct values *values = call->values;
    tsr_model *model = NULL;
    tsr_data *data = NULL;
    tsr_matrix *codes = NULL;
    predicted classes = {0};
    values->read.progress = values->transform.progress = terminal_progress(values->talk.quiet);
    TSR_TRY(tsr_model_read(&model, call->operand[0]));
    TSR_TRY(tsr_data_read(&data, call->operand[1], &values->read));
    TSR_TRY(tsr_model_transform(&codes, model, data, &values->transform));
    terminal_clear();
    /* of a model whose parts contradict each other there may be none */
    TSR_TRY(tsr_matrix_check(codes, TSR_NEED_FINITE, "the codes"));
    if (predict_wanted(&values->prediction))
        TSR_TRY(predict_classes(&classes, model, codes, data, tsr_model_trained_on(model, data),
                                values->prediction.by));
    if (*classes.how.note != '\0' && !values->talk.quiet)
        (void)fprintf(stderr, "note: %s\n", classes.how.note);
    if (values->unit_codes)
        TSR_TRY(tsr_matrix_normalize(codes, TSR_NORM_L2));
    if (values->output != NULL && call->leads)
        TSR_TRY(write(codes, classes.labels, values->output));
    if (values->talk.json)
        TSR_TRY(print_json(codes, &classes, data));
    else
        print_text(codes, &classes, data, values);
done:
    tsr_matrix_free(codes);
    predicted_clear(&classes);
    tsr_data_free(data);
    tsr_model_free(model);
    return status;
}

const cli_command command_transform = {
    .name = "transform",
    .topic = "learn",
    .summary = "Codes of samples with a fitted basis, and their classes.",
    .usage = "[options] MODEL.h5 DATA [-o CODES]",
    .example = "  tessera transform model.h5 new.mat --predict -o codes.npz",
    .least = 2,
    .most = 2,
    .shares = true,
    .size = sizeof(struct values),
    .groups = {{"output", settings, 0},
               {"encoding", tsr_transform_settings, offsetof(struct values, transform)},
               {"predicting", predict_settings, offsetof(struct values, prediction)},
               {"reading", tsr_read_settings, offsetof(struct values, read)},
               {"talking", talk_settings, offsetof(struct values, talk)}},
    .run = run,
};
