/* SPDX-License-Identifier: BSD-2-Clause
 *
 * tessera classify: nearest neighbours among codes, judged on folds or on other data. */
#include "base/json.h"
#include "base/memory.h"
#include "cli/command.h"

struct values {
    tsr_fit_options fit;
    tsr_read_options read;
    talk talk;
    tsr_validate_options validate;
    const char *model, *group, *test;
    int64_t folds;
};

static const tsr_setting where_table[] = {
    TSR_INTEGER_ROW(struct values, folds, "folds", 0, 2, 1e6, "5", "N",
                    "parts tested in turn, each class spread over them by --seed"),
    TSR_TEXT_ROW(struct values, group, "group", 0, NULL, "SRC",
                 "a group for each sample: samples of one group stay in one fold"),
    TSR_TEXT_ROW(struct values, test, "test", 0, NULL, "DATA",
                 "test on these samples in place of folds"),
    TSR_END_ROW,
};

static const tsr_setting what_table[] = {
    TSR_TEXT_ROW(struct values, model, "model", 'm', NULL, "NAME",
                 "the model or baseline; else the samples themselves"),
    TSR_END_ROW,
};

static const tsr_setting *where_settings(void)
{
    return where_table;
}

static const tsr_setting *what_settings(void)
{
    return what_table;
}

/* A class of a single sample is never both learnt and tested: say so. */
static void note_single(const tsr_labels *labels, bool quiet)
{
    for (int32_t c = 0; !quiet && c < tsr_labels_classes(labels); c++) {
        int64_t count = 0;
        for (int64_t i = 0; count < 2 && i < tsr_labels_count(labels); i++)
            count += tsr_labels_of(labels)[i] == c;
        if (count == 1)
            (void)fprintf(stderr,
                          "note: class %s has one sample: it is tested without being learnt\n",
                          tsr_labels_name(labels, c));
    }
}

static tsr_status run_folds(tsr_validation **out, const tsr_data *data,
                            const struct values *values)
{
    tsr_status status = TSR_OK;
    const tsr_labels *labels = tsr_data_labels(data);
    const int64_t n = tsr_labels_count(labels);
    tsr_read_options plain = values->read;
    tsr_labels *group = NULL;
    int32_t *fold = NULL;
    plain.labels = NULL; /* --labels names the classes */
    TSR_NEW(fold, n);
    if (values->group != NULL)
        TSR_TRY(tsr_labels_read(&group, values->group, &plain));
    if (group != NULL && tsr_labels_count(group) != n)
        TSR_FAIL(TSR_ERROR_DATA, "%s names groups of %lld samples; there are %lld",
                 values->group, (long long)tsr_labels_count(group), (long long)n);
    note_single(labels, values->talk.quiet);
    TSR_TRY(tsr_make_folds(fold, tsr_labels_of(labels),
                           group != NULL ? tsr_labels_of(group) : NULL, n, values->folds,
                           values->fit.seed));
    TSR_TRY(tsr_validate(out, data, fold, values->folds, &values->fit, &values->validate));
done:
    tsr_labels_free(group);
    tsr__free(fold);
    return status;
}

static tsr_status run_test(tsr_validation **out, const tsr_data *data,
                           const struct values *values)
{
    tsr_status status = TSR_OK;
    tsr_read_options plain = values->read;
    tsr_data *test = NULL;
    plain.labels = NULL; /* --labels names those of the training samples */
    TSR_TRY(tsr_data_read(&test, values->test, &plain));
    if (tsr_labels_known(tsr_data_labels(test)) == 0)
        TSR_FAIL(TSR_ERROR_DATA, "%s has no labels to compare with", values->test);
    TSR_TRY(tsr_validate_on(out, data, test, &values->fit, &values->validate));
done:
    tsr_data_free(test);
    return status;
}

static tsr_status print_json(const tsr_validation *v, const tsr_data *data,
                             const struct values *values)
{
    const tsr_labels *labels = tsr_data_labels(data);
    const tsr_validation_report about = tsr_validation_about(v);
    const int32_t classes = (int32_t)about.classes;
    tsr__json *root = tsr__json_new();
    tsr__json_text(root, "model", values->fit.model);
    tsr__json_integer(root, "samples", tsr_labels_count(labels));
    tsr__json_integer(root, "neighbours", values->validate.neighbours);
    tsr__json_integer(root, "seed", values->fit.seed);
    tsr__json_integer(root, "folds", about.folds);
    tsr__json_real(root, "accuracy", about.accuracy);
    tsr__json_real(root, "std", about.deviation);
    tsr__json *folds = tsr__json_array(root, "fold_accuracy");
    for (int64_t f = 0; f < about.folds; f++)
        tsr__json_real(folds, NULL, tsr_validation_folds(v)[f]);
    tsr__json *each = tsr__json_object(root, "per_class");
    for (int32_t c = 0; c < classes; c++)
        tsr__json_real(each, tsr_labels_name(labels, c), tsr_validation_class(v, c));
    tsr__json *names = tsr__json_array(root, "classes");
    tsr__json *rows = tsr__json_array(root, "confusion");
    for (int32_t c = 0; c < classes; c++) {
        tsr__json_text(names, NULL, tsr_labels_name(labels, c));
        tsr__json *row = tsr__json_array(rows, NULL);
        for (int32_t p = 0; p < classes; p++)
            tsr__json_integer(row, NULL, tsr_validation_confusion(v)[(int64_t)c * classes + p]);
    }
    const tsr_status status = tsr__json_print(root, stdout);
    tsr__json_free(root);
    return status;
}

static void print_text(const tsr_validation *v, const tsr_data *data,
                       const struct values *values)
{
    enum { WIDE = 20 };
    const tsr_labels *labels = tsr_data_labels(data);
    const tsr_validation_report about = tsr_validation_about(v);
    const int32_t classes = (int32_t)about.classes;
    (void)printf("%s: accuracy %.4f", values->fit.model, about.accuracy);
    if (about.folds > 1)
        (void)printf(" +- %.4f over %lld folds", about.deviation, (long long)about.folds);
    (void)printf(", %lld %s\n\nclass, accuracy, how often it was called each\n",
                 (long long)values->validate.neighbours,
                 values->validate.neighbours == 1 ? "neighbour" : "neighbours");
    for (int32_t c = 0; c < classes; c++) {
        (void)printf("  %-12s %.4f ", tsr_labels_name(labels, c), tsr_validation_class(v, c));
        for (int32_t p = 0; classes <= WIDE && p < classes; p++)
            (void)printf(" %5lld",
                         (long long)tsr_validation_confusion(v)[(int64_t)c * classes + p]);
        (void)printf("\n");
    }
    if (classes > WIDE)
        (void)printf("%d classes: the table of confusions is in --json\n", (int)classes);
}

static tsr_status check(const cli_call *call)
{
    struct values *values = call->values;
    values->fit.model = values->model != NULL ? values->model : "raw";
    return tsr_encoder_check(&values->fit);
}

static tsr_status run(const cli_call *call)
{
    tsr_status status = TSR_OK;
    struct values *values = call->values;
    tsr_data *data = NULL;
    tsr_validation *v = NULL;
    values->read.progress = terminal_progress(values->talk.quiet);
    values->fit.progress = values->read.progress;
    TSR_TRY(tsr_data_read(&data, call->operand[0], &values->read));
    const tsr_labels *labels = tsr_data_labels(data);
    const int64_t classes = labels != NULL ? tsr_labels_classes(labels) : 0;
    if (classes < 2)
        TSR_FAIL(TSR_ERROR_DATA, "%s has %s: classification needs two: --labels SRC",
                 tsr_data_origin(data), classes == 1 ? "one class" : "no classes");
    TSR_TRY(values->test != NULL ? run_test(&v, data, values) : run_folds(&v, data, values));
    terminal_clear();
    const int64_t strangers = tsr_validation_about(v).strangers;
    if (strangers > 0 && !values->talk.quiet)
        (void)fprintf(stderr, "note: %lld test samples are of classes that nobody taught\n",
                      (long long)strangers);
    if (values->talk.json)
        TSR_TRY(print_json(v, data, values));
    else
        print_text(v, data, values);
done:
    tsr_validation_free(v);
    tsr_data_free(data);
    return status;
}

const cli_command command_classify = {
    .name = "classify",
    .topic = "use",
    .summary = "Classify codes by their nearest neighbours, on folds or on a test set.",
    .usage = "[options] DATA [--test DATA]",
    .details = "The spread over folds is the sample standard deviation.",
    .example =
        "  tessera classify faces.mat --model nmf --rank 60 --folds 5 --neighbours-vote 1",
    .least = 1,
    .most = 1,
    .shares = true,
    .size = sizeof(struct values),
    .groups = {{"classifying", where_settings, 0},
               {NULL, tsr_validate_settings, offsetof(struct values, validate)},
               {NULL, what_settings, 0},
               {"model", tsr_fit_settings, offsetof(struct values, fit)},
               {"reading", tsr_read_settings, offsetof(struct values, read)},
               {"talking", talk_settings, offsetof(struct values, talk)}},
    .check = check,
    .run = run,
};
