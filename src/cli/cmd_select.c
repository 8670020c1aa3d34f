/* SPDX-License-Identifier: BSD-2-Clause
 *
 * tessera select: rank and weight by labelled or masked cross-validation. */
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"

#include <math.h>

struct values {
    tsr_fit_options fit;
    tsr_read_options read;
    talk talk;
    tsr_select_options select;
};

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
    const struct values *values = call->values;
    return tsr_select_check(&values->fit, &values->select);
}

static tsr_status run(const cli_call *call)
{
    tsr_status status = TSR_OK;
    struct values *values = call->values;
    tsr_data *data = NULL;
    tsr_selection *selection = NULL;
    const tsr_select_options *options = &values->select;
    values->read.progress = values->fit.progress = terminal_progress(values->talk.quiet);
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
    .groups = {{"choosing", tsr_select_settings, offsetof(struct values, select)},
               {"model", tsr_fit_settings, offsetof(struct values, fit)},
               {"reading", tsr_read_settings, offsetof(struct values, read)},
               {"talking", talk_settings, offsetof(struct values, talk)}},
    .check = check,
    .run = run,
};
