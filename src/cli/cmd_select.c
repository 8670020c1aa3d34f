/* SPDX-License-Identifier: BSD-2-Clause
 *
 * tessera select: rank and weight by labelled or masked cross-validation. */
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/command.h"
#include "learn/select.h"

#include <string.h>

struct values {
    tsr_fit_options fit;
    tsr_read_options read;
    talk talk;
    const char *ranks, *weights;
    int64_t folds;
};

static const tsr_setting table[] = {
    TSR_TEXT_ROW(struct values, ranks, "ranks", 0, NULL, "K,K,..", "ranks to try; required"),
    TSR_TEXT_ROW(struct values, weights, "weights", 0, NULL, "W,W,..",
                 "weights to try: the model's own term"),
    TSR_INTEGER_ROW(struct values, folds, "folds", 0, 2, 1000, "5", "N",
                    "parts held out in turn"),
    TSR_END_ROW,
};

static const tsr_setting *settings(void)
{
    return table;
}

/* Numbers separated by commas. */
static tsr_status parse_list(double **out, int64_t *count, const char *name, const char *text)
{
    tsr_status status = TSR_OK;
    double *list = NULL;
    int64_t used = 0, room = 0;
    const char *end = text != NULL ? text + strlen(text) : NULL;
    for (const char *at = text; at < end;) {
        double number = 0;
        const char *next = tsr__parse_real(&number, at, end);
        if (next == at || (*next != ',' && *next != '\0') || !(number >= 0))
            TSR_FAIL(TSR_ERROR_ARGUMENT, "--%s wants numbers such as 5,10,20, not '%s'", name,
                     text);
        TSR_GROW(list, used, room);
        list[used++] = number;
        at = next + (*next == ',');
    }
    *out = list, list = NULL;
    *count = used;
done:
    tsr__free(list);
    return status;
}

static tsr_status print_json(const tsr__selection *s)
{
    tsr__json *root = tsr__json_new();
    tsr__json_text(root, "by", s->by_labels ? "labels" : "entries");
    tsr__json_text(root, "weight", s->weight);
    tsr__json *list = tsr__json_array(root, "candidates");
    for (int64_t i = 0; i < s->count; i++) {
        const tsr__candidate *c = &s->candidate[i];
        tsr__json *item = tsr__json_object(list, NULL);
        tsr__json_integer(item, "rank", c->rank);
        tsr__json_real(item, "weight", c->weight);
        tsr__json_real(item, "mean", c->mean);
        tsr__json_real(item, "deviation", c->deviation);
        tsr__json_flag(item, "chosen", c->chosen);
    }
    const tsr_status status = tsr__json_print(root, stdout);
    tsr__json_free(root);
    return status;
}

static void print_text(const tsr__selection *s)
{
    const bool weighted = s->count > 0 && s->candidate[0].weight >= 0;
    (void)printf("%8s %10s  %s\n", "rank", weighted ? s->weight : "",
                 s->by_labels ? "accuracy on hidden labels" : "error on hidden entries");
    for (int64_t i = 0; i < s->count; i++) {
        const tsr__candidate *c = &s->candidate[i];
        char weight[TSR_REAL_SIZE] = "";
        if (weighted)
            (void)tsr__format_real(weight, c->weight);
        (void)printf("%8lld %10s  %.4f +- %.4f%s\n", (long long)c->rank, weight, c->mean,
                     c->deviation, c->chosen ? "  <- chosen" : "");
    }
}

static tsr_status run(const cli_call *call)
{
    tsr_status status = TSR_OK;
    struct values *values = call->values;
    tsr_data *data = NULL;
    tsr__selection selection = {0};
    double *ranks = NULL, *weights = NULL;
    int64_t *rank = NULL, rank_count = 0, weight_count = 0;
    values->read.progress = terminal_progress(values->talk.quiet);
    TSR_TRY(parse_list(&ranks, &rank_count, "ranks", values->ranks));
    TSR_TRY(parse_list(&weights, &weight_count, "weights", values->weights));
    TSR_NEW(rank, rank_count);
    for (int64_t i = 0; i < rank_count; i++)
        rank[i] = (int64_t)ranks[i];
    TSR_TRY(tsr_data_read(&data, call->operand[0], &values->read));
    terminal_clear();
    const tsr__select_options options = {.rank = rank,
                                         .weight = weights,
                                         .ranks = rank_count,
                                         .weights = weight_count,
                                         .folds = values->folds,
                                         .threads = values->fit.threads};
    TSR_TRY(tsr__select(&selection, data, &values->fit, &options));
    if (values->talk.json)
        TSR_TRY(print_json(&selection));
    else
        print_text(&selection);
done:
    tsr__free(ranks);
    tsr__free(weights);
    tsr__free(rank);
    tsr__selection_clear(&selection);
    tsr_data_free(data);
    return status;
}

const cli_command command_select = {
    .name = "select",
    .topic = "use",
    .summary = "Choose rank and weight by what is held out: labels, else entries.",
    .usage = "[options] DATA --ranks K,K,..",
    .required = "ranks",
    .example = "  tessera select faces.mat --model cdnmf --ranks 40,80 --weights 0.1,1,10",
    .least = 1,
    .most = 1,
    .size = sizeof(struct values),
    .groups = {{"choosing", settings, 0},
               {"model", tsr_fit_settings, offsetof(struct values, fit)},
               {"reading", tsr_read_settings, offsetof(struct values, read)},
               {"talking", talk_settings, offsetof(struct values, talk)}},
    .run = run,
};
