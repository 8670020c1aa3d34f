/* SPDX-License-Identifier: BSD-2-Clause
 *
 * tessera transform: codes of samples with a fitted basis, and their classes. */
#include "base/json.h"
#include "base/memory.h"
#include "cli/command.h"

#include <string.h>

struct values {
    tsr_transform_options transform;
    tsr_read_options read;
    talk talk;
    const char *output;
    bool unit_codes;
    int predict;
};

static const tsr_setting table[] = {
    TSR_TEXT_ROW(
        struct values, output, "output", 'o', NULL, "FILE",
        "where the codes go; with --predict, formats that hold labels keep the classes"),
    TSR_FLAG_ROW(struct values, unit_codes, "unit-codes", 0, "scale codes to unit length"),
    TSR_CHOICE_ROW(struct values, predict, "predict", "none|block|nearest",
                   "classes by the largest block of the code, or by the nearest labelled code"),
    TSR_END_ROW,
};

static const tsr_setting *settings(void)
{
    return table;
}

/* Classes of the codes as labels with the model's names. */
static tsr_status predict(tsr_labels **out, const tsr_model *model, const tsr_matrix *codes,
                          tsr_predict_by by)
{
    tsr_status status = TSR_OK;
    const int64_t n = tsr_matrix_samples(codes);
    int32_t *of = NULL;
    const char **name = NULL;
    TSR_NEW(of, n);
    TSR_NEW(name, n);
    TSR_TRY(tsr_model_predict(of, model, codes, by));
    for (int64_t i = 0; i < n; i++)
        name[i] = tsr_labels_name(tsr_model_labels(model), of[i]);
    TSR_TRY(tsr_labels_from_texts(out, name, n));
done:
    tsr__free(of);
    tsr__free(name);
    return status;
}

/* Share of the samples whose true class is known that were given it; -1 where none is known. */
static double agreement(const tsr_labels *predicted, const tsr_labels *truth)
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

static tsr_status report(const tsr_matrix *codes, const tsr_labels *predicted,
                         const tsr_data *data, const struct values *values)
{
    const double right = predicted != NULL ? agreement(predicted, tsr_data_labels(data)) : -1;
    if (values->talk.json) {
        tsr__json *root = tsr__json_new();
        tsr__json_integer(root, "samples", tsr_matrix_samples(codes));
        tsr__json_integer(root, "rank", tsr_matrix_features(codes));
        if (right >= 0)
            tsr__json_real(root, "accuracy", right);
        if (predicted != NULL) {
            tsr__json *list = tsr__json_array(root, "predicted");
            for (int64_t i = 0; i < tsr_labels_count(predicted); i++)
                tsr__json_text(list, NULL,
                               tsr_labels_name(predicted, tsr_labels_of(predicted)[i]));
        }
        const tsr_status status = tsr__json_print(root, stdout);
        tsr__json_free(root);
        return status;
    }
    (void)printf("%lld samples, codes of %lld entries\n", (long long)tsr_matrix_samples(codes),
                 (long long)tsr_matrix_features(codes));
    if (right >= 0)
        (void)printf("  accuracy    %.4f of the samples whose class is known\n", right);
    if (values->output != NULL)
        (void)printf("  written to  %s\n", values->output);
    return TSR_OK;
}

static tsr_status run(const cli_call *call)
{
    tsr_status status = TSR_OK;
    struct values *values = call->values;
    tsr_model *model = NULL;
    tsr_data *data = NULL, *result = NULL;
    tsr_matrix *codes = NULL;
    tsr_labels *predicted = NULL;
    values->read.progress = values->transform.progress = terminal_progress(values->talk.quiet);
    TSR_TRY(tsr_model_read(&model, call->operand[0]));
    TSR_TRY(tsr_data_read(&data, call->operand[1], &values->read));
    TSR_TRY(tsr_model_transform(&codes, model, data, &values->transform));
    terminal_clear();
    if (values->predict > 0)
        TSR_TRY(predict(&predicted, model, codes, (tsr_predict_by)(values->predict - 1)));
    if (values->unit_codes)
        tsr_matrix_normalize(codes, TSR_NORM_L2);
    TSR_TRY(report(codes, predicted, data, values));
    if (values->output != NULL) {
        TSR_TRY(tsr_data_take(&result, codes, predicted));
        codes = NULL, predicted = NULL;
        TSR_TRY(tsr_data_write(result, values->output));
    }
done:
    tsr_matrix_free(codes);
    tsr_labels_free(predicted);
    tsr_data_free(result);
    tsr_data_free(data);
    tsr_model_free(model);
    return status;
}

const cli_command command_transform = {
    .name = "transform",
    .topic = "learn",
    .summary = "Codes of samples with a fitted basis, and their classes.",
    .usage = "[options] MODEL.h5 DATA [-o CODES]",
    .example = "  tessera transform model.h5 new.mat --predict nearest -o codes.npy",
    .least = 2,
    .most = 2,
    .size = sizeof(struct values),
    .groups = {{"output", settings, 0},
               {"encoding", tsr_transform_settings, offsetof(struct values, transform)},
               {"reading", tsr_read_settings, offsetof(struct values, read)},
               {"talking", talk_settings, offsetof(struct values, talk)}},
    .run = run,
};
