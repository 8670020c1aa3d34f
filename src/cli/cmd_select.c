/* SPDX-License-Identifier: BSD-2-Clause
 *
 * tessera select: model, rank and weight by labelled or masked cross-validation. */
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"

#include <math.h>
#include <stdlib.h>

struct values {
    tsr_fit_options fit;
    tsr_read_options read;
    talk talk;
    tsr_select_options select;
    const char *output;
};

static const tsr_setting table[] = {
    TSR_TEXT_ROW(struct values, output, "output", 'o', NULL, "OUT.html",
                 "a page that shows the candidates beside each other"),
    TSR_END_ROW,
};

static const tsr_setting *settings(void)
{
    return table;
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
    tsr__json_integer(root, "folds", about.folds);
    tsr__json_integer(root, "repeats", about.repeats);
    tsr__json_text(root, "note", *about.note != '\0' ? about.note : NULL);
    tsr__json *list = tsr__json_array(root, "candidates");
    for (int64_t i = 0; tsr_selection_candidate(&c, s, i); i++) {
        const bool fitted = *c.note == '\0';
        tsr__json *item = tsr__json_object(list, NULL);
        tsr__json_text(item, "model", c.model);
        tsr__json_integer(item, "rank", c.rank);
        tsr__json_real(item, "weight", c.weight);
        tsr__json_text(item, "term", c.term);
        tsr__json_real(item, "mean", fitted ? c.mean : (double)NAN);
        tsr__json_real(item, "error", fitted ? c.error : (double)NAN);
        tsr__json_real(item, "deviation", fitted ? c.deviation : (double)NAN);
        tsr__json_real(item, "nmi", c.nmi);
        tsr__json_real(item, "nmi_error", c.nmi_error);
        tsr__json_real(item, "stability", c.stability);
        tsr__json_real(item, "seconds", c.seconds);
        tsr__json_flag(item, "baseline", c.baseline);
        tsr__json_flag(item, "added", c.added);
        tsr__json_flag(item, "best", c.best);
        tsr__json_flag(item, "chosen", c.chosen);
        tsr__json_text(item, "note", fitted ? NULL : c.note);
    }
    tsr__json_text(root, "advice", tsr_selection_advice(s));
    const tsr_status status = tsr__json_print(root, stdout);
    tsr__json_free(root);
    return status;
}

static const char *mark(const tsr_candidate *c)
{
    return c->chosen ? "  <- chosen" : c->best ? "  <- best" : "";
}

static const char *show_weight(char *out, const tsr_candidate *c)
{
    *out = '\0';
    if (!isnan(c->weight))
        (void)tsr__format_real(out, c->weight);
    return out;
}

static void print_candidate(const tsr_candidate *c)
{
    char weight[TSR_REAL_SIZE];
    (void)printf("%8lld %10s  ", (long long)c->rank, show_weight(weight, c));
    if (*c->note != '\0')
        (void)printf("%s\n", c->note);
    else
        (void)printf("%.4f +- %.4f%s\n", c->mean, c->error, mark(c));
}

/* A number, or a dash where there is none. */
static void print_real(int width, int digits, double value)
{
    if (isnan(value))
        (void)printf(" %*s", width, "-");
    else
        (void)printf(" %*.*f", width, digits, value);
}

static void print_rival(const tsr_candidate *c)
{
    char weight[TSR_REAL_SIZE];
    (void)printf("%-9s %5lld %8s  ", c->model, (long long)c->rank, show_weight(weight, c));
    if (*c->note != '\0') {
        (void)printf("%s\n", c->note);
        return;
    }
    (void)printf("%.4f +- %.4f", c->mean, c->error);
    print_real(7, 4, c->nmi);
    print_real(9, 2, c->stability);
    print_real(8, 3, c->seconds);
    (void)printf("%s\n", mark(c));
}

/* One model: its ranks and weights. */
static void print_ranks(const tsr_selection *s, tsr_select_rule rule)
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

static void print_rivals(const tsr_selection *s)
{
    const tsr_selection_report about = tsr_selection_about(s);
    tsr_candidate c;
    (void)printf("%s on %lld hidden %s, %lld folds, +- standard error\n"
                 "%-9s %5s %8s  %-16s %7s %9s %8s\n",
                 about.by_labels ? "accuracy" : "error", (long long)about.judged,
                 about.by_labels ? "labels" : "entries", (long long)about.folds, "model",
                 "rank", "weight", about.by_labels ? "accuracy" : "error", "nmi", "stability",
                 "seconds");
    for (int64_t i = 0; tsr_selection_candidate(&c, s, i); i++)
        print_rival(&c);
}

static void print_text(const tsr_selection *s, tsr_select_rule rule)
{
    if (tsr_selection_about(s).models > 1)
        print_rivals(s);
    else
        print_ranks(s, rule);
    (void)printf("\n%s", tsr_selection_advice(s));
}

static tsr_status write_page(const tsr_selection *selection, const cli_call *call)
{
    tsr_status status = TSR_OK;
    const struct values *values = call->values;
    char *again = say_again(call);
    tsr_page *page = NULL;
    tsr_page_options options;
    tsr_settings_default(tsr_page_settings(), &options);
    options.command = again;
    TSR_TRY(tsr_page_selection(&page, selection, &options));
    TSR_TRY(tsr_page_write(page, values->output));
    if (!values->talk.quiet)
        (void)fprintf(stderr, "written to %s: open it in a browser\n", values->output);
done:
    tsr_page_free(page);
    free(again);
    return status;
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
    tsr_select_options *options = &values->select;
    options->read = &values->read;
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
    if (values->output != NULL)
        TSR_TRY(write_page(selection, call));
done:
    tsr_selection_free(selection);
    tsr_data_free(data);
    return status;
}

const cli_command command_select = {
    .name = "select",
    .topic = "use",
    .summary = "Choose model, rank and weight by what is held out: labels, else entries.",
    .usage = "[options] DATA --ranks LIST",
    .required = "ranks",
    .example = "  tessera select faces.mat --model cdnmf --ranks 40,80 --weights 0.1,1,10\n"
               "  tessera select faces.mat --model cdnmf,gnmf,nmf --baselines --ranks 20,40 "
               "-o choice.html",
    .least = 1,
    .most = 1,
    .size = sizeof(struct values),
    .groups = {{"choosing", tsr_select_settings, offsetof(struct values, select)},
               {NULL, settings, 0},
               {"model", tsr_fit_settings, offsetof(struct values, fit)},
               {"reading", tsr_read_settings, offsetof(struct values, read)},
               {"talking", talk_settings, offsetof(struct values, talk)}},
    .check = check,
    .run = run,
};
