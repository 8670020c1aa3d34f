/* SPDX-License-Identifier: BSD-2-Clause
 *
 * tessera select: rank and weight by labelled or masked cross-validation. */
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/command.h"

#include <math.h>
#include <string.h>

struct values {
    tsr_fit_options fit;
    tsr_read_options read;
    talk talk;
    tsr_select_options select;
    const char *ranks, *weights;
};

static const tsr_setting table[] = {
    TSR_TEXT_ROW(struct values, ranks, "ranks", 0, NULL, "LIST",
                 "ranks to try, such as 2-8 or 5,10,20-60/10; required"),
    TSR_TEXT_ROW(struct values, weights, "weights", 0, NULL, "W,W,..",
                 "weights to try: the model's own term"),
    TSR_END_ROW,
};

static const tsr_setting *settings(void)
{
    return table;
}

/* Numbers separated by commas. */
static tsr_status parse_weights(double **out, int64_t *count, const char *text)
{
    tsr_status status = TSR_OK;
    double *list = NULL;
    int64_t used = 0, room = 0;
    const char *end = text != NULL ? text + strlen(text) : NULL;
    for (const char *at = text; at < end;) {
        double number = 0;
        const char *next = tsr__parse_real(&number, at, end);
        if (next == at || (*next != ',' && *next != '\0') || !(number >= 0) ||
            !isfinite(number))
            TSR_FAIL(TSR_ERROR_ARGUMENT, "--weights wants numbers such as 0.1,1,10, not '%s'",
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

enum { MOST_RANK = 1000000000, MOST_RANKS = 10000 };

/* One item of a list: K, K-K or K-K/STEP. Returns what follows it, or NULL. */
static const char *parse_range(int64_t range[3], const char *at, const char *end)
{
    static const char before[] = {'\0', '-', '/'};
    range[2] = 1;
    for (int i = 0; i < 3; i++) {
        if (i > 0 && *at != before[i])
            break;
        const char *next = tsr__parse_integer(&range[i], at + (i > 0), end);
        if (next == at + (i > 0) || range[i] < 1 || range[i] > MOST_RANK)
            return NULL;
        range[1] = i == 0 ? range[0] : range[1];
        at = next;
    }
    return range[0] <= range[1] && (*at == ',' || *at == '\0') ? at : NULL;
}

static bool has_rank(const int64_t *list, int64_t count, int64_t rank)
{
    for (int64_t i = 0; i < count; i++)
        if (list[i] == rank)
            return true;
    return false;
}

/* Ranks and ranges of ranks separated by commas, each rank once. */
static tsr_status parse_ranks(int64_t **out, int64_t *count, const char *text)
{
    tsr_status status = TSR_OK;
    int64_t *list = NULL, used = 0, room = 0, range[3];
    const char *at = text, *end = text + strlen(text), *next = NULL;
    do {
        next = parse_range(range, at, end);
        if (next == NULL)
            TSR_FAIL(TSR_ERROR_ARGUMENT,
                     "--ranks wants ranks from 1 such as 2-8, 5,10,20 or 10-50/10, not '%s'",
                     text);
        if ((range[1] - range[0]) / range[2] >= MOST_RANKS - used)
            TSR_FAIL(TSR_ERROR_ARGUMENT, "--ranks %s are more than %d ranks", text, MOST_RANKS);
        for (int64_t k = range[0]; k <= range[1]; k += range[2]) {
            if (has_rank(list, used, k))
                continue;
            TSR_GROW(list, used, room);
            list[used++] = k;
        }
        at = next + 1;
    } while (*next == ',');
    *out = list, list = NULL;
    *count = used;
done:
    tsr__free(list);
    return status;
}

static tsr_status print_json(const tsr_selection *s, tsr_select_rule rule)
{
    const tsr_selection_report about = tsr_selection_about(s);
    tsr_candidate c;
    tsr__json *root = tsr__json_new();
    tsr__json_text(root, "by", about.by_labels ? "labels" : "entries");
    tsr__json_text(root, "rule", rule == TSR_SELECT_BEST ? "best" : "one-se");
    tsr__json_integer(root, "judged", about.judged);
    tsr__json_text(root, "weight", about.weight);
    tsr__json_text(root, "note", *about.note != '\0' ? about.note : NULL);
    tsr__json *list = tsr__json_array(root, "candidates");
    for (int64_t i = 0; tsr_selection_candidate(&c, s, i); i++) {
        const bool fitted = *c.note == '\0';
        tsr__json *item = tsr__json_object(list, NULL);
        tsr__json_integer(item, "rank", c.rank);
        tsr__json_real(item, "weight", c.weight);
        tsr__json_real(item, "mean", fitted ? c.mean : (double)NAN);
        tsr__json_real(item, "error", fitted ? c.error : (double)NAN);
        tsr__json_real(item, "deviation", fitted ? c.deviation : (double)NAN);
        tsr__json_flag(item, "chosen", c.chosen);
        tsr__json_text(item, "note", fitted ? NULL : c.note);
    }
    const tsr_status status = tsr__json_print(root, stdout);
    tsr__json_free(root);
    return status;
}

static void print_candidate(const tsr_candidate *c)
{
    char weight[TSR_REAL_SIZE] = "";
    if (!isnan(c->weight))
        (void)tsr__format_real(weight, c->weight);
    (void)printf("%8lld %10s  ", (long long)c->rank, weight);
    if (*c->note != '\0')
        (void)printf("%s\n", c->note);
    else
        (void)printf("%.4f +- %.4f%s\n", c->mean, c->error,
                     c->chosen ? "  <- chosen"
                     : c->best ? "  <- best"
                               : "");
}

static void print_text(const tsr_selection *s, tsr_select_rule rule)
{
    const tsr_selection_report about = tsr_selection_about(s);
    tsr_candidate c;
    const bool weighted = tsr_selection_candidate(&c, s, 0) && !isnan(c.weight);
    (void)printf("%8s %10s  %s on %lld hidden %s +- standard error\n", "rank",
                 weighted ? about.weight : "", about.by_labels ? "accuracy" : "error",
                 (long long)about.judged, about.by_labels ? "labels" : "entries");
    for (int64_t i = 0; tsr_selection_candidate(&c, s, i); i++)
        print_candidate(&c);
    for (int64_t i = 0; tsr_selection_candidate(&c, s, i); i++)
        if (c.chosen)
            (void)printf(
                "chosen: %s\n",
                rule == TSR_SELECT_BEST ? "the best mean"
                : c.best
                    ? "the best mean; nothing smaller is within a standard error of it"
                    : "the smallest rank, then weight, within a standard error of the best");
}

static tsr_status check(const cli_call *call)
{
    tsr_status status = TSR_OK;
    const struct values *values = call->values;
    int64_t *ranks = NULL, count = 0;
    double *weights = NULL;
    TSR_TRY(parse_ranks(&ranks, &count, values->ranks));
    TSR_TRY(parse_weights(&weights, &count, values->weights));
    TSR_TRY(tsr_encoder_check(&values->fit));
done:
    tsr__free(ranks);
    tsr__free(weights);
    return status;
}

static tsr_status run(const cli_call *call)
{
    tsr_status status = TSR_OK;
    struct values *values = call->values;
    tsr_data *data = NULL;
    tsr_selection *selection = NULL;
    double *weights = NULL;
    int64_t *ranks = NULL;
    tsr_select_options *options = &values->select;
    values->read.progress = values->fit.progress = terminal_progress(values->talk.quiet);
    TSR_TRY(parse_ranks(&ranks, &options->ranks, values->ranks));
    TSR_TRY(parse_weights(&weights, &options->weights, values->weights));
    options->rank = ranks, options->weight = weights;
    TSR_TRY(tsr_data_read(&data, call->operand[0], &values->read));
    terminal_clear();
    TSR_TRY(tsr_select(&selection, data, &values->fit, options));
    terminal_clear();
    const tsr_selection_report about = tsr_selection_about(selection);
    if (*about.note != '\0' && !values->talk.quiet)
        (void)fprintf(stderr, "note: %s\n", about.note);
    if (values->talk.json)
        TSR_TRY(print_json(selection, (tsr_select_rule)options->rule));
    else
        print_text(selection, (tsr_select_rule)options->rule);
done:
    tsr__free(ranks);
    tsr__free(weights);
    tsr_selection_free(selection);
    tsr_data_free(data);
    return status;
}

const cli_command command_select = {
    .name = "select",
    .topic = "use",
    .summary = "Choose rank and weight by what is held out: labels, else entries.",
    .usage = "[options] DATA --ranks LIST",
    .required = "ranks",
    .example = "  tessera select faces.mat --model cdnmf --ranks 40,80 --weights 0.1,1,10",
    .least = 1,
    .most = 1,
    .size = sizeof(struct values),
    .groups = {{"choosing", settings, 0},
               {NULL, tsr_select_settings, offsetof(struct values, select)},
               {"model", tsr_fit_settings, offsetof(struct values, fit)},
               {"reading", tsr_read_settings, offsetof(struct values, read)},
               {"talking", talk_settings, offsetof(struct values, talk)}},
    .check = check,
    .run = run,
};
