/* SPDX-License-Identifier: BSD-2-Clause
 *
 * tessera fit: a model from data. */
#include "base/json.h"
#include "cli/about.h"
#include "cli/command.h"
#include "cli/predict.h"

#include <string.h>
#include <sys/resource.h>

struct values {
    tsr_fit_options fit;
    tsr_read_options read;
    talk talk;
    const char *output, *resume, *sample_weights;
    bool verbose, more;
    prediction prediction;
};

static const tsr_setting table[] = {
    TSR_TEXT_ROW(struct values, output, "output", 'o', NULL, "OUT.h5", "the model archive"),
    TSR_TEXT_ROW(struct values, resume, "resume", 0, NULL, "FILE",
                 "go on with the fit of this archive: its settings, --iterations more"),
    TSR_FLAG_ROW(
        struct values, more, "more", 0,
        "with --resume: DATA are new samples, which the model learns from in one pass"),
    TSR_TEXT_ROW(struct values, sample_weights, "sample-weights", 0, NULL, "SRC",
                 "a weight for each sample: one column"),
    TSR_FLAG_ROW(struct values, verbose, "verbose", 'v', "say how each factor moves"),
    TSR_END_ROW,
};

static const tsr_setting *settings(void)
{
    return table;
}

/* The most that the process ever held, in bytes. */
static double peak_memory(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? 1024.0 * (double)usage.ru_maxrss : 0;
}

static tsr_status print_json(const tsr_model *model, const predicted *classes,
                             const tsr_data *data, const struct values *values)
{
    tsr__json *root = tsr__json_new();
    tsr__json_text(root, "model", tsr_model_report(model).model);
    about_report(root, model);
    about_terms(root, model);
    about_plan(root, model);
    about_notes(root, model);
    predicted_json(root, classes, data);
    if (values->read.memory > 0)
        tsr__json_real(root, "peak_memory", peak_memory());
    const tsr_status status = tsr__json_print(root, stdout);
    tsr__json_free(root);
    return status;
}

static void print_text(FILE *to, const tsr_model *model, const predicted *classes,
                       const struct values *values)
{
    const tsr_fit_report r = tsr_model_report(model);
    (void)fprintf(to, "%s: %lld samples x %lld features, rank %lld\n", r.model,
                  (long long)r.samples, (long long)r.features, (long long)r.rank);
    if (values->verbose)
        print_plan(to, "  plan            ", model);
    (void)fprintf(to, "  iterations      %lld (%s)\n", (long long)r.iterations,
                  r.converged ? "converged" : "not converged");
    (void)fprintf(to, "  objective       %.8g\n", r.objective);
    print_terms(to, 15, model);
    (void)fprintf(to, "  relative error  %.6f\n", r.relative_error);
    (void)fprintf(to, "  optimality      %.2e\n", r.optimality);
    if (r.spread > 0)
        (void)fprintf(to, "  restarts' span  %.2e\n", r.spread);
    (void)fprintf(to, "  seconds         %.3f\n", r.seconds);
    if (values->read.memory > 0)
        (void)fprintf(to, "  peak memory     %.4g MB of %.4g\n", peak_memory() / 1e6,
                      (double)values->read.memory / 1e6);
    predicted_summary(classes, 14, to);
    if (values->output != NULL)
        (void)fprintf(to, "  written to      %s\n", values->output);
}

/* Predictions that go nowhere else are the result; what there is to say of the fit then stands
 * beside it. */
static void show(const struct values *values, const tsr_model *model, const predicted *classes,
                 const tsr_data *data)
{
    const bool lines = classes->labels != NULL && values->output == NULL;
    if (!lines || !values->talk.quiet)
        print_text(lines ? stderr : stdout, model, classes, values);
    if (lines)
        predicted_lines(classes, data, stdout);
}

/* The settings of the fit to go on with, and over them those that were named. Unless it is named,
 * the number of iterations is what the fit still lacks; or, where it was done, as many again. */
static tsr_status take_settings(tsr_fit_options *fit, const cli_call *call,
                                const tsr_model *from, bool more)
{
    tsr_status status = TSR_OK;
    tsr_fit_options with = *tsr_model_options(from);
    char value[4096];
    with.checkpoint = NULL; /* where this one is kept is for this call to say */
    if (!more && tsr_model_lacks(from) >= 0)
        with.iterations = tsr_model_lacks(from);
    for (int i = 0; i < call->givens; i++) {
        const tsr_setting *row = tsr__settings_find(tsr_fit_settings(), call->given[i]->name);
        if (row != NULL && row->kind == TSR_SETTING_TEXT)
            *(const char **)((char *)&with + row->offset) =
                *(const char *const *)((const char *)fit + row->offset);
        else if (row != NULL)
            TSR_TRY(tsr_settings_set(tsr_fit_settings(), &with, row->name,
                                     tsr__settings_show(value, sizeof value, row, fit)));
    }
    with.progress = fit->progress;
    *fit = with;
done:
    return status;
}

/* New samples are gone over once: how long, from where and how often is not asked. */
static tsr_status check_more(const cli_call *call)
{
    static const char *const asked[] = {"batch", "forget", "threads"};
    for (int i = 0; i < call->givens; i++) {
        const char *name = call->given[i]->name;
        bool fine = tsr__settings_find(tsr_fit_settings(), name) == NULL ||
                    tsr__settings_find(tsr_read_settings(), name) != NULL;
        for (size_t j = 0; j < sizeof asked / sizeof *asked; j++)
            fine = fine || strcmp(name, asked[j]) == 0;
        if (!fine)
            return tsr__fail(TSR_ERROR_ARGUMENT,
                             "--%s: the model has its settings, and --more goes over the new "
                             "samples once; it takes --batch, --forget and --threads",
                             name);
    }
    return TSR_OK;
}

/* Of a fit that goes on, all but the model's name is the archive's to say. */
static tsr_status check(const cli_call *call)
{
    tsr_status status = TSR_OK;
    const struct values *values = call->values;
    tsr_fit_options named;
    tsr_model_info row;
    tsr_fit_defaults(&named);
    named.model = values->fit.model;
    TSR_TRY(tsr_fit_describe(&row, values->resume != NULL ? &named : &values->fit));
    if (values->resume == NULL && values->prediction.by == PREDICT_BLOCK && !row.blocks)
        TSR_FAIL(TSR_ERROR_ARGUMENT,
                 "%s has no basis vectors of classes to predict by: --predict-by nearest, or a "
                 "class-driven model",
                 row.name);
    if (values->more && values->resume == NULL)
        TSR_FAIL(TSR_ERROR_ARGUMENT,
                 "--more goes on with a model: name it with --resume MODEL.h5");
    if (values->more)
        TSR_TRY(check_more(call));
    for (int i = 0; !values->more && i < call->givens; i++)
        if (strcmp(call->given[i]->name, "forget") == 0)
            TSR_FAIL(TSR_ERROR_ARGUMENT,
                     "--forget is of new samples: --more --resume MODEL.h5");
    for (int i = 0; values->resume != NULL && i < call->givens; i++)
        if (strcmp(call->given[i]->name, "init") == 0)
            TSR_FAIL(TSR_ERROR_ARGUMENT,
                     "--resume goes on from where a fit stopped, and --init "
                     "starts one: take either");
done:
    return status;
}

static tsr_status run(const cli_call *call)
{
    tsr_status status = TSR_OK, ended = TSR_OK;
    struct values *values = call->values;
    tsr_data *data = NULL, *weights = NULL;
    tsr_model *model = NULL, *from = NULL;
    predicted classes = {0};
    values->read.progress = values->fit.progress = terminal_progress(values->talk.quiet);
    TSR_TRY(tsr_data_read(&data, call->operand[0], &values->read));
    if (predict_wanted(&values->prediction) &&
        tsr_data_labels(data) == NULL) /* before the fit */
        TSR_FAIL(TSR_ERROR_ARGUMENT, "%s has no labels: there are no classes to predict",
                 tsr_data_origin(data));
    if (values->resume != NULL) {
        TSR_TRY(tsr_model_read(&from, values->resume));
        TSR_TRY(take_settings(&values->fit, call, from, values->more));
        if (call->leads)
            TSR_TRY(
                check_paths(call)); /* the settings of the archive name files that are read */
    }
    if (values->sample_weights != NULL) {
        TSR_TRY(tsr_data_read(&weights, values->sample_weights, NULL));
        values->fit.sample_weights = tsr_data_samples(weights);
    }
    ended = values->more   ? tsr_fit_more(&model, data, from, &values->fit)
            : from != NULL ? tsr_fit_resume(&model, data, from, &values->fit)
                           : tsr_fit(&model, data, &values->fit);
    if (ended < 0 && model == NULL)
        TSR_TRY(ended);
    terminal_clear();
    for (int64_t i = 0; !values->talk.quiet && i < tsr_model_notes(model); i++)
        (void)fprintf(stderr, "note: %s\n", tsr_model_note(model, i));
    if (values->output != NULL && call->leads)
        TSR_TRY(tsr_model_write(model, values->output));
    if (predict_wanted(&values->prediction))
        TSR_TRY(predict_classes(&classes, model, tsr_model_codes(model), data, true,
                                values->prediction.by));
    if (*classes.how.note != '\0' && !values->talk.quiet)
        (void)fprintf(stderr, "note: %s\n", classes.how.note);
    if (values->talk.json)
        TSR_TRY(print_json(model, &classes, data, values));
    else
        show(values, model, &classes, data);
    if (ended < 0)
        TSR_FAIL(ended, "stopped after %lld iterations%s%s",
                 (long long)tsr_model_report(model).iterations,
                 values->output != NULL ? "; the model so far is in " : "",
                 values->output != NULL ? values->output : "");
done:
    predicted_clear(&classes);
    tsr_model_free(model);
    tsr_model_free(from);
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
    .shares = true,
    .size = sizeof(struct values),
    .groups = {{"output", settings, 0},
               {"model", tsr_fit_settings, offsetof(struct values, fit)},
               {"predicting", predict_settings, offsetof(struct values, prediction)},
               {"reading", tsr_read_settings, offsetof(struct values, read)},
               {"talking", talk_settings, offsetof(struct values, talk)}},
    .check = check,
    .run = run,
};
