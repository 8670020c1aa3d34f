/* SPDX-License-Identifier: BSD-2-Clause
 *
 * tessera fit: a model from data. */
#include "base/json.h"
#include "cli/command.h"
#include "cli/predict.h"

struct values {
    tsr_fit_options fit;
    tsr_read_options read;
    talk talk;
    const char *output, *resume, *sample_weights;
    prediction prediction;
};

static const tsr_setting table[] = {
    TSR_TEXT_ROW(struct values, output, "output", 'o', NULL, "FILE", "the model archive (.h5)"),
    TSR_TEXT_ROW(struct values, resume, "resume", 0, NULL, "FILE",
                 "go on from the factors of this archive"),
    TSR_TEXT_ROW(struct values, sample_weights, "sample-weights", 0, NULL, "SRC",
                 "a weight for each sample: one column"),
    TSR_END_ROW,
};

static const tsr_setting *settings(void)
{
    return table;
}

static tsr_status print_json(const tsr_model *model, const tsr_labels *predicted)
{
    const tsr_fit_report r = tsr_model_report(model);
    tsr__json *root = tsr__json_new();
    tsr__json_text(root, "model", r.model);
    tsr__json_text(root, "loss", r.loss);
    tsr__json_integer(root, "samples", r.samples);
    tsr__json_integer(root, "features", r.features);
    tsr__json_integer(root, "rank", r.rank);
    tsr__json_integer(root, "iterations", r.iterations);
    tsr__json_flag(root, "converged", r.converged);
    tsr__json_real(root, "objective", r.objective);
    tsr__json_real(root, "data_loss", r.data_loss);
    tsr__json_real(root, "relative_error", r.relative_error);
    tsr__json_real(root, "optimality", r.optimality);
    tsr__json_real(root, "spread", r.spread);
    tsr__json_real(root, "seconds", r.seconds);
    tsr__json_integer(root, "seed", r.seed);
    tsr__json *notes = tsr__json_array(root, "notes");
    for (int64_t i = 0; i < tsr_model_notes(model); i++)
        tsr__json_text(notes, NULL, tsr_model_note(model, i));
    if (predicted != NULL)
        tsr__json_real(root, "accuracy", predicted_right(predicted, tsr_model_labels(model)));
    predicted_json(root, predicted);
    const tsr_status status = tsr__json_print(root, stdout);
    tsr__json_free(root);
    return status;
}

static void print_text(const tsr_model *model, const tsr_labels *predicted, const char *output)
{
    const tsr_fit_report r = tsr_model_report(model);
    (void)printf("%s: %lld samples x %lld features, rank %lld\n", r.model, (long long)r.samples,
                 (long long)r.features, (long long)r.rank);
    (void)printf("  iterations      %lld (%s)\n", (long long)r.iterations,
                 r.converged ? "converged" : "not converged");
    (void)printf("  objective       %.8g\n", r.objective);
    (void)printf("  relative error  %.6f\n", r.relative_error);
    (void)printf("  optimality      %.2e\n", r.optimality);
    if (r.spread > 0)
        (void)printf("  restarts' span  %.2e\n", r.spread);
    (void)printf("  seconds         %.3f\n", r.seconds);
    if (predicted != NULL)
        (void)printf("  accuracy        %.4f of the samples whose class is known\n",
                     predicted_right(predicted, tsr_model_labels(model)));
    if (output != NULL)
        (void)printf("  written to      %s\n", output);
}

static tsr_status run(const cli_call *call)
{
    tsr_status status = TSR_OK, ended = TSR_OK;
    struct values *values = call->values;
    tsr_data *data = NULL, *weights = NULL;
    tsr_model *model = NULL;
    tsr_labels *predicted = NULL;
    values->read.progress = values->fit.progress = terminal_progress(values->talk.quiet);
    if (values->resume != NULL)
        values->fit.init = values->resume;
    TSR_TRY(tsr_data_read(&data, call->operand[0], &values->read));
    if (values->sample_weights != NULL) {
        TSR_TRY(tsr_data_read(&weights, values->sample_weights, NULL));
        values->fit.sample_weights = tsr_data_samples(weights);
    }
    ended = tsr_fit(&model, data, &values->fit);
    if (ended < 0 && model == NULL)
        TSR_TRY(ended);
    terminal_clear();
    for (int64_t i = 0; !values->talk.quiet && i < tsr_model_notes(model); i++)
        (void)fprintf(stderr, "note: %s\n", tsr_model_note(model, i));
    if (values->output != NULL)
        TSR_TRY(tsr_model_write(model, values->output));
    if (values->prediction.wanted)
        TSR_TRY(
            predict_classes(&predicted, model, tsr_model_codes(model), values->prediction.by));
    if (values->talk.json)
        TSR_TRY(print_json(model, predicted));
    else
        print_text(model, predicted, values->output);
    if (ended < 0)
        TSR_FAIL(ended, "stopped after %lld iterations%s%s",
                 (long long)tsr_model_report(model).iterations,
                 values->output != NULL ? "; the model so far is in " : "",
                 values->output != NULL ? values->output : "");
done:
    tsr_labels_free(predicted);
    tsr_model_free(model);
    tsr_data_free(data);
    tsr_data_free(weights);
    return status;
}

const cli_command command_fit = {
    .name = "fit",
    .topic = "learn",
    .summary = "Fit a model: parts and codes from data and a few labels.",
    .usage = "[options] DATA [-o MODEL.h5]",
    .details = "`tessera models` lists the models; weights of -1 mean the model's own.",
    .example =
        "  tessera fit faces.mat --model cdnmf-kl --rank 40 --labelled 2 --normalize l2 -o "
        "model.h5",
    .least = 1,
    .most = 1,
    .size = sizeof(struct values),
    .groups = {{"output", settings, 0},
               {"model", tsr_fit_settings, offsetof(struct values, fit)},
               {"predicting", predict_settings, offsetof(struct values, prediction)},
               {"reading", tsr_read_settings, offsetof(struct values, read)},
               {"talking", talk_settings, offsetof(struct values, talk)}},
    .run = run,
};
