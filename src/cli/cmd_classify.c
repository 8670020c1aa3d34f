/* SPDX-License-Identifier: BSD-2-Clause
 *
 * tessera classify: nearest neighbours among codes, judged on folds or on other data. Both
 * sides are encoded by the same map: what was learnt from the training samples alone. */
#include "base/json.h"
#include "base/memory.h"
#include "cli/command.h"
#include "learn/encoder.h"

#include <math.h>
#include <string.h>

struct values {
    tsr_fit_options fit;
    tsr_read_options read;
    talk talk;
    const char *model, *group, *test;
    int64_t folds, vote;
    int encode;
};

static const tsr_setting table[] = {
    TSR_INTEGER_ROW(struct values, folds, "folds", 0, 2, 1e6, "5", "N",
                    "parts tested in turn, each class spread over them by --seed"),
    TSR_TEXT_ROW(struct values, group, "group", 0, NULL, "SRC",
                 "a group for each sample: samples of one group stay in one fold"),
    TSR_TEXT_ROW(struct values, test, "test", 0, NULL, "DATA",
                 "test on these samples in place of folds"),
    TSR_INTEGER_ROW(struct values, vote, "neighbours-vote", 0, 1, 1e6, "10", "N",
                    "nearest training samples that vote"),
    TSR_CHOICE_ROW(struct values, encode, "encode", "loss|inverse|product",
                   "codes by the model's loss, by pseudo-inverse, or as F' x"),
    TSR_TEXT_ROW(struct values, model, "model", 'm', NULL, "NAME",
                 "the model or baseline; else the samples themselves"),
    TSR_END_ROW,
};

static const tsr_setting *settings(void)
{
    return table;
}

/* What came out, over all folds. */
typedef struct verdict {
    double *accuracy; /* of each fold */
    int64_t folds;
    int64_t *confusion; /* classes x classes */
    int64_t strangers;  /* test samples of classes that training does not know */
} verdict;

static double mean(const verdict *v)
{
    double sum = 0;
    for (int64_t f = 0; f < v->folds; f++)
        sum += v->accuracy[f];
    return sum / (double)v->folds;
}

static double deviation(const verdict *v)
{
    const double center = mean(v);
    double sum = 0;
    for (int64_t f = 0; f < v->folds; f++)
        sum += (v->accuracy[f] - center) * (v->accuracy[f] - center);
    return v->folds > 1 ? sqrt(sum / (double)(v->folds - 1)) : 0;
}

/* Learns from `train`, whose samples are of `classes`, and predicts the classes of `test`. */
static tsr_status learn_and_predict(int32_t *predicted, const tsr_data *train,
                                    const int32_t *classes, const tsr_data *test,
                                    struct values *values)
{
    tsr_status status = TSR_OK;
    const int64_t n = tsr_matrix_samples(tsr_data_samples(train));
    tsr_encoder *encoder = NULL;
    tsr_matrix *known = NULL, *asked = NULL;
    int32_t *voting = NULL;
    tsr_transform_options transform = {0};
    tsr_settings_default(tsr_transform_settings(), &transform);
    transform.method = values->encode;
    transform.threads = values->fit.threads;
    TSR_NEW(voting, n);
    TSR_TRY(tsr_encoder_fit(&encoder, train, &values->fit));
    TSR_TRY(tsr_encoder_encode(&known, encoder, train, &transform));
    TSR_TRY(tsr_encoder_encode(&asked, encoder, test, &transform));
    const int32_t *seen = tsr_encoder_seen(encoder);
    for (int64_t i = 0; i < n; i++) /* labels hidden from the learner do not vote either */
        voting[i] = seen == NULL || seen[i] >= 0 ? classes[i] : -1;
    TSR_TRY(tsr_classify(predicted, known, voting, asked, values->vote, values->fit.threads));
done:
    tsr__free(voting);
    tsr_matrix_free(known);
    tsr_matrix_free(asked);
    tsr_encoder_free(encoder);
    return status;
}

/* Adds one fold to the verdict. */
static void judge(verdict *v, const int32_t *truth, const int32_t *predicted, int64_t count,
                  int32_t classes)
{
    int64_t right = 0, known = 0;
    for (int64_t i = 0; i < count; i++) {
        known += truth[i] >= 0;
        right += truth[i] >= 0 && truth[i] == predicted[i];
        if (truth[i] >= 0 && truth[i] < classes && predicted[i] >= 0)
            v->confusion[(int64_t)truth[i] * classes + predicted[i]]++;
        v->strangers += truth[i] >= classes;
    }
    v->accuracy[v->folds++] = known > 0 ? (double)right / (double)known : 0;
}

/* Fold f is tested, the others teach. */
static tsr_status run_fold(verdict *v, const tsr_data *data, const int32_t *fold, int32_t f,
                           struct values *values)
{
    tsr_status status = TSR_OK;
    const int64_t n = tsr_matrix_samples(tsr_data_samples(data));
    const int32_t *of = tsr_labels_of(tsr_data_labels(data));
    tsr_data *train = NULL, *test = NULL;
    int64_t *sample = NULL, teach = 0, ask = n;
    int32_t *classes = NULL, *predicted = NULL;
    TSR_NEW(sample, n);
    TSR_NEW(classes, n);
    TSR_NEW(predicted, n);
    for (int64_t i = 0; i < n; i++)
        if (fold[i] != f)
            sample[teach++] = i;
    for (int64_t i = n - 1; i >= 0; i--)
        if (fold[i] == f)
            sample[--ask] = i;
    for (int64_t i = 0; i < n; i++)
        classes[i] = of[sample[i]];
    TSR_TRY(tsr_data_copy_samples(&train, data, sample, teach));
    TSR_TRY(tsr_data_copy_samples(&test, data, sample + ask, n - ask));
    TSR_TRY(learn_and_predict(predicted, train, classes, test, values));
    judge(v, classes + ask, predicted, n - ask, tsr_labels_classes(tsr_data_labels(data)));
done:
    tsr_data_free(train);
    tsr_data_free(test);
    tsr__free(sample);
    tsr__free(classes);
    tsr__free(predicted);
    return status;
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

static tsr_status run_folds(verdict *v, const tsr_data *data, struct values *values)
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
    for (int32_t f = 0; f < values->folds; f++)
        TSR_TRY(run_fold(v, data, fold, f, values));
done:
    tsr_labels_free(group);
    tsr__free(fold);
    return status;
}

/* Class numbers of `theirs` by the names of `ours`; classes that we lack get the number after
 * the last. */
static void translate(int32_t *to, const tsr_labels *ours, const tsr_labels *theirs)
{
    const int32_t classes = tsr_labels_classes(ours);
    for (int64_t i = 0; i < tsr_labels_count(theirs); i++) {
        const int32_t c = tsr_labels_of(theirs)[i];
        to[i] = c < 0 ? -1 : classes;
        for (int32_t own = 0; c >= 0 && own < classes; own++)
            if (strcmp(tsr_labels_name(ours, own), tsr_labels_name(theirs, c)) == 0)
                to[i] = own;
    }
}

static tsr_status run_test(verdict *v, const tsr_data *data, struct values *values)
{
    tsr_status status = TSR_OK;
    const tsr_labels *ours = tsr_data_labels(data);
    tsr_read_options plain = values->read;
    tsr_data *test = NULL;
    int32_t *truth = NULL, *predicted = NULL;
    plain.labels = NULL; /* --labels names those of the training samples */
    TSR_TRY(tsr_data_read(&test, values->test, &plain));
    const tsr_labels *theirs = tsr_data_labels(test);
    if (theirs == NULL || tsr_labels_known(theirs) == 0)
        TSR_FAIL(TSR_ERROR_DATA, "%s has no labels to compare with", values->test);
    TSR_NEW(truth, tsr_labels_count(theirs));
    TSR_NEW(predicted, tsr_labels_count(theirs));
    translate(truth, ours, theirs);
    TSR_TRY(learn_and_predict(predicted, data, tsr_labels_of(ours), test, values));
    judge(v, truth, predicted, tsr_labels_count(theirs), tsr_labels_classes(ours));
done:
    tsr_data_free(test);
    tsr__free(truth);
    tsr__free(predicted);
    return status;
}

static double class_accuracy(const verdict *v, int32_t c, int32_t classes)
{
    int64_t all = 0;
    for (int32_t p = 0; p < classes; p++)
        all += v->confusion[(int64_t)c * classes + p];
    return all > 0 ? (double)v->confusion[(int64_t)c * classes + c] / (double)all : (double)NAN;
}

static tsr_status print_json(const verdict *v, const tsr_data *data,
                             const struct values *values)
{
    const tsr_labels *labels = tsr_data_labels(data);
    const int32_t classes = tsr_labels_classes(labels);
    tsr__json *root = tsr__json_new();
    tsr__json_text(root, "model", values->fit.model);
    tsr__json_integer(root, "samples", tsr_labels_count(labels));
    tsr__json_integer(root, "neighbours", values->vote);
    tsr__json_integer(root, "seed", values->fit.seed);
    tsr__json_integer(root, "folds", v->folds);
    tsr__json_real(root, "accuracy", mean(v));
    tsr__json_real(root, "std", deviation(v));
    tsr__json *folds = tsr__json_array(root, "fold_accuracy");
    for (int64_t f = 0; f < v->folds; f++)
        tsr__json_real(folds, NULL, v->accuracy[f]);
    tsr__json *each = tsr__json_object(root, "per_class");
    for (int32_t c = 0; c < classes; c++)
        tsr__json_real(each, tsr_labels_name(labels, c), class_accuracy(v, c, classes));
    tsr__json *names = tsr__json_array(root, "classes");
    tsr__json *rows = tsr__json_array(root, "confusion");
    for (int32_t c = 0; c < classes; c++) {
        tsr__json_text(names, NULL, tsr_labels_name(labels, c));
        tsr__json *row = tsr__json_array(rows, NULL);
        for (int32_t p = 0; p < classes; p++)
            tsr__json_integer(row, NULL, v->confusion[(int64_t)c * classes + p]);
    }
    const tsr_status status = tsr__json_print(root, stdout);
    tsr__json_free(root);
    return status;
}

static void print_text(const verdict *v, const tsr_data *data, const struct values *values)
{
    enum { WIDE = 20 };
    const tsr_labels *labels = tsr_data_labels(data);
    const int32_t classes = tsr_labels_classes(labels);
    (void)printf("%s: accuracy %.4f", values->fit.model, mean(v));
    if (v->folds > 1)
        (void)printf(" +- %.4f over %lld folds", deviation(v), (long long)v->folds);
    (void)printf(", %lld %s\n\nclass, accuracy, how often it was called each\n",
                 (long long)values->vote, values->vote == 1 ? "neighbour" : "neighbours");
    for (int32_t c = 0; c < classes; c++) {
        (void)printf("  %-12s %.4f ", tsr_labels_name(labels, c),
                     class_accuracy(v, c, classes));
        for (int32_t p = 0; classes <= WIDE && p < classes; p++)
            (void)printf(" %5lld", (long long)v->confusion[(int64_t)c * classes + p]);
        (void)printf("\n");
    }
    if (classes > WIDE)
        (void)printf("%d classes: the table of confusions is in --json\n", (int)classes);
}

static tsr_status check(const cli_call *call)
{
    struct values *values = call->values;
    values->fit.model = values->model != NULL ? values->model : "raw";
    return tsr__encoder_check(&values->fit);
}

static tsr_status run(const cli_call *call)
{
    tsr_status status = TSR_OK;
    struct values *values = call->values;
    tsr_data *data = NULL;
    verdict v = {0};
    values->read.progress = terminal_progress(values->talk.quiet);
    values->fit.progress = values->read.progress;
    TSR_TRY(tsr_data_read(&data, call->operand[0], &values->read));
    const tsr_labels *labels = tsr_data_labels(data);
    const int64_t classes = labels != NULL ? tsr_labels_classes(labels) : 0;
    if (classes < 2)
        TSR_FAIL(TSR_ERROR_DATA, "%s has %s: classification needs two: --labels SRC",
                 tsr_data_origin(data), classes == 1 ? "one class" : "no classes");
    TSR_NEW_ZERO(v.confusion, classes * classes);
    TSR_NEW(v.accuracy, values->test != NULL ? 1 : values->folds);
    if (values->test != NULL)
        TSR_TRY(run_test(&v, data, values));
    else
        TSR_TRY(run_folds(&v, data, values));
    terminal_clear();
    if (v.strangers > 0 && !values->talk.quiet)
        (void)fprintf(stderr, "note: %lld test samples are of classes that nobody taught\n",
                      (long long)v.strangers);
    if (values->talk.json)
        TSR_TRY(print_json(&v, data, values));
    else
        print_text(&v, data, values);
done:
    tsr__free(v.confusion);
    tsr__free(v.accuracy);
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
    .size = sizeof(struct values),
    .groups = {{"classifying", settings, 0},
               {"model", tsr_fit_settings, offsetof(struct values, fit)},
               {"reading", tsr_read_settings, offsetof(struct values, read)},
               {"talking", talk_settings, offsetof(struct values, talk)}},
    .check = check,
    .run = run,
};
