/* SPDX-License-Identifier: BSD-2-Clause
 *
 * tessera rank: basis vectors by what they are worth, and models of the best of them. */
#include "base/json.h"
#include "base/memory.h"
#include "cli/command.h"

struct values {
    tsr_read_options read;
    talk talk;
    const char *data, *output;
    int by;
    int64_t top;
    bool curve;
};

static const tsr_setting table[] = {
    TSR_CHOICE_ROW(struct values, by, "by", "fisher|lre",
                   "Fisher's criterion, or least reconstruction error"),
    TSR_TEXT_ROW(struct values, data, "data", 'd', NULL, "DATA",
                 "the samples the model was fitted to; else as the model reconstructs them"),
    TSR_INTEGER_ROW(struct values, top, "top", 0, 0, 1e9, "0", "M",
                    "show and keep the best M; 0: all"),
    TSR_TEXT_ROW(struct values, output, "output", 'o', NULL, "OUT.h5",
                 "a model archive of the kept vectors"),
    TSR_FLAG_ROW(
        struct values, curve, "curve", 0,
        "lre: error, fisher: nearest-neighbour accuracy, of the best 1, 2, .. vectors"),
    TSR_END_ROW,
};

static const tsr_setting *settings(void)
{
    return table;
}

/* What is ranked, by which samples and classes. */
typedef struct ranking {
    tsr_model *model;
    tsr_data *data;
    tsr_matrix *x;
    const int32_t *classes; /* or NULL */
    int64_t *order, shown;
    double *score, *curve;
    double *unranked; /* lre: the curve of the vectors as they were learnt */
} ranking;

static void ranking_clear(ranking *r)
{
    tsr_matrix_free(r->x);
    tsr_data_free(r->data);
    tsr_model_free(r->model);
    tsr__free(r->order);
    tsr__free(r->score);
    tsr__free(r->curve);
    tsr__free(r->unranked);
}

/* The samples in the form in which the model saw them. */
static tsr_status read_samples(ranking *r, struct values *values)
{
    tsr_status status = TSR_OK;
    TSR_TRY(tsr_data_read(&r->data, values->data, &values->read));
    const tsr_matrix *x = tsr_data_samples(r->data);
    const tsr_fit_report fit = tsr_model_report(r->model);
    if (tsr_matrix_samples(x) != fit.samples || tsr_matrix_features(x) != fit.features)
        TSR_FAIL(TSR_ERROR_DATA, "%s is %lld x %lld; the model was fitted to %lld x %lld",
                 tsr_data_origin(r->data), (long long)tsr_matrix_samples(x),
                 (long long)tsr_matrix_features(x), (long long)fit.samples,
                 (long long)fit.features);
    TSR_TRY(tsr_model_prepare(&r->x, r->model, r->data));
done:
    return status;
}

/* Classes: those named by --labels, else those the learner saw, else those of the data. */
static const int32_t *choose_classes(const ranking *r, const struct values *values)
{
    const tsr_labels *labels = r->data != NULL ? tsr_data_labels(r->data) : NULL;
    const int32_t *seen = tsr_model_seen(r->model);
    return labels != NULL && (values->read.labels != NULL || seen == NULL)
               ? tsr_labels_of(labels)
               : seen;
}

static tsr_status rank(ranking *r, const struct values *values)
{
    tsr_status status = TSR_OK;
    const tsr_matrix *basis = tsr_model_basis(r->model), *codes = tsr_model_codes(r->model);
    const int64_t k = tsr_matrix_samples(basis);
    const tsr_rank_by by = (tsr_rank_by)values->by;
    if (values->top > k)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "--top %lld exceeds the %lld basis vectors",
                 (long long)values->top, (long long)k);
    if (by == TSR_RANK_FISHER && r->classes == NULL)
        TSR_FAIL(TSR_ERROR_ARGUMENT,
                 "--by fisher needs labels, and the model has none: --data DATA --labels SRC");
    r->shown = values->top > 0 ? values->top : k;
    TSR_NEW(r->order, k);
    TSR_NEW(r->score, k);
    TSR_TRY(tsr_rank_basis(r->order, r->score, basis, codes, r->x, r->classes, by));
    if (values->curve) {
        TSR_NEW(r->curve, r->shown);
        TSR_TRY(
            tsr_rank_curve(r->curve, r->order, r->shown, basis, codes, r->x, r->classes, by));
    }
    if (values->curve && by == TSR_RANK_LRE) {
        TSR_NEW(r->unranked, r->shown);
        TSR_TRY(
            tsr_rank_curve(r->unranked, NULL, r->shown, basis, codes, r->x, r->classes, by));
    }
done:
    return status;
}

static void add_reals(tsr__json *root, const char *name, const double *value, int64_t count)
{
    tsr__json *list = value != NULL ? tsr__json_array(root, name) : NULL;
    for (int64_t i = 0; value != NULL && i < count; i++)
        tsr__json_real(list, NULL, value[i]);
}

static tsr_status print_json(const ranking *r, const struct values *values)
{
    tsr__json *root = tsr__json_new();
    tsr__json_text(root, "by", values->by == TSR_RANK_LRE ? "lre" : "fisher");
    tsr__json_integer(root, "rank", tsr_model_report(r->model).rank);
    tsr__json *order = tsr__json_array(root, "order");
    for (int64_t i = 0; i < r->shown; i++)
        tsr__json_integer(order, NULL, r->order[i]);
    tsr__json *scores = tsr__json_array(root, "scores");
    for (int64_t i = 0; i < r->shown; i++)
        tsr__json_real(scores, NULL, r->score[r->order[i]]);
    add_reals(root, values->by == TSR_RANK_LRE ? "error" : "accuracy", r->curve, r->shown);
    add_reals(root, "unranked", r->unranked, r->shown);
    const tsr_status status = tsr__json_print(root, stdout);
    tsr__json_free(root);
    return status;
}

static void print_text(const ranking *r, const struct values *values)
{
    (void)printf("%6s %8s  %-14s%s\n", "place", "vector", "score",
                 r->curve == NULL             ? ""
                 : values->by == TSR_RANK_LRE ? "relative error so far, unranked"
                                              : "accuracy so far");
    for (int64_t i = 0; i < r->shown; i++) {
        (void)printf("%6lld %8lld  %-14.8g", (long long)(i + 1), (long long)r->order[i],
                     r->score[r->order[i]]);
        if (r->curve != NULL)
            (void)printf("%.6f", r->curve[i]);
        if (r->unranked != NULL)
            (void)printf("  %.6f", r->unranked[i]);
        (void)printf("\n");
    }
    if (values->output != NULL)
        (void)printf("written to %s\n", values->output);
}

static tsr_status run(const cli_call *call)
{
    tsr_status status = TSR_OK;
    struct values *values = call->values;
    ranking r = {0};
    tsr_model *kept = NULL;
    values->read.progress = terminal_progress(values->talk.quiet);
    TSR_TRY(tsr_model_read(&r.model, call->operand[0]));
    if (values->data != NULL)
        TSR_TRY(read_samples(&r, values));
    else
        TSR_TRY(tsr_model_reconstruct(&r.x, r.model, NULL));
    terminal_clear();
    r.classes = choose_classes(&r, values);
    TSR_TRY(rank(&r, values));
    if (values->output != NULL) {
        TSR_TRY(tsr_model_keep(&kept, r.model, r.order, r.shown));
        TSR_TRY(tsr_model_write(kept, values->output));
    }
    if (values->talk.json)
        TSR_TRY(print_json(&r, values));
    else
        print_text(&r, values);
done:
    tsr_model_free(kept);
    ranking_clear(&r);
    return status;
}

const cli_command command_rank = {
    .name = "rank",
    .topic = "learn",
    .summary = "Rank basis vectors, and keep the best in a smaller model.",
    .usage = "[options] MODEL.h5 [-o RANKED.h5]",
    .details = "Small scores are good. Classes are those of --labels, else those that the "
               "learner saw.",
    .example = "  tessera rank model.h5 --by lre --data faces.mat --top 20 -o ranked.h5",
    .least = 1,
    .most = 1,
    .size = sizeof(struct values),
    .groups = {{"ranking", settings, 0},
               {"reading", tsr_read_settings, offsetof(struct values, read)},
               {"talking", talk_settings, offsetof(struct values, talk)}},
    .run = run,
};
