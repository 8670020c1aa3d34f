/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A page about a choice: models, ranks and weights that were judged by the same hold-outs, and what
 * to take of them. */
#include "report/page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME = 200 };

typedef struct choice {
    tsr_page *page;
    const tsr_selection *selection;
    const tsr_page_options *options;
    tsr_selection_report about;
    const char *score; /* what is better or worse */
    tsr__cell_kind kind;
} choice;

/* Its model and weight, and with its rank. Rank does not matter to raw samples. */
static const char *series_of(char out[NAME], const tsr_candidate *c)
{
    if (isnan(c->weight))
        (void)snprintf(out, NAME, "%s", c->model);
    else
        (void)snprintf(out, NAME, "%s, %s %g", c->model, c->term, c->weight);
    return out;
}

static bool has_rank(const tsr_candidate *c)
{
    return strcmp(c->model, "raw") != 0;
}

/* "cdnmf, class 0.1: 40" */
static const char *name_of(char out[NAME], const tsr_candidate *c)
{
    char series[NAME];
    series_of(series, c);
    if (has_rank(c))
        (void)snprintf(out, NAME, "%.160s: %lld%s", series, (long long)c->rank,
                       c->chosen ? " (chosen)" : "");
    else
        (void)snprintf(out, NAME, "%.160s%s", series, c->chosen ? " (chosen)" : "");
    return out;
}

/* Advice ---------------------------------------------------------------------------------- */

/* Sentences are lines; what is indented is a command. */
static tsr_status advise(const choice *h)
{
    tsr_status status = TSR_OK;
    char *text = NULL, *rest = NULL;
    TSR_NEW_TEXT(text, tsr_selection_advice(h->selection));
    for (char *line = strtok_r(text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        if (*line == ' ')
            tsr__page_command(h->page, line + strspn(line, " "));
        else
            tsr__page_say(h->page, "%s", line);
    }
    if (*h->about.note != '\0')
        tsr__page_note(h->page, "%s.", h->about.note);
done:
    tsr__free(text);
    return status;
}

static void lead(const choice *h)
{
    char name[NAME] = "";
    tsr_candidate c;
    for (int64_t i = 0; tsr_selection_candidate(&c, h->selection, i); i++)
        if (c.chosen)
            (void)snprintf(name, sizeof name, "%.100s of rank %lld", c.model,
                           (long long)c.rank);
    if (h->options->title != NULL)
        tsr__page_title(h->page, "%s", h->options->title);
    else
        tsr__page_title(h->page, "Which model, and which rank");
    tsr__page_lead(h->page,
                   "%lld candidates of %lld models, judged by %s on %lld hidden %s in %lld "
                   "folds, the same for all. Chosen: %s.",
                   (long long)h->about.candidates, (long long)h->about.models, h->score,
                   (long long)h->about.judged, h->about.by_labels ? "labels" : "entries",
                   (long long)h->about.folds, name);
}

/* Charts ---------------------------------------------------------------------------------- */

static void bars(const choice *h, const char *id, const char *title, const char *column,
                 const char *error)
{
    tsr__json *chart = tsr__page_chart(h->page, id, "bar", "candidates", title);
    tsr__json_text(chart, "x", "candidate");
    tsr__page_list(chart, "y", (const char *const[]){column, NULL});
    if (error != NULL)
        tsr__page_list(chart, "error", (const char *const[]){error, NULL});
    tsr__page_chart_end(h->page);
}

static void put_candidate(const choice *h, const tsr_candidate *c)
{
    char name[NAME];
    const bool fitted = *c->note == '\0';
    const double none = (double)NAN;
    tsr_page *page = h->page;
    tsr__page_text(page, name_of(name, c));
    tsr__page_text(page, !fitted     ? "not fitted"
                         : c->chosen ? "chosen"
                         : c->best   ? "best mean"
                         : c->added  ? "yardstick"
                                     : "");
    tsr__page_number(page, fitted ? c->mean : none);
    tsr__page_number(page, fitted ? c->error : none);
    tsr__page_number(page, fitted ? c->nmi : none);
    tsr__page_number(page, fitted ? c->nmi_error : none);
    tsr__page_number(page, fitted ? c->stability : none);
    tsr__page_number(page, fitted ? c->seconds : none);
}

static void candidates(const choice *h)
{
    char name[NAME];
    tsr_candidate c;
    tsr_page *page = h->page;
    tsr__page_table(page, "candidates", "Candidates, each with its rank; ± one standard error",
                    false);
    tsr__page_column(page, "candidate", TSR_CELL_TEXT);
    tsr__page_column(page, "", TSR_CELL_TEXT);
    tsr__page_column(page, h->score, h->kind);
    tsr__page_column(page, "± error", h->kind);
    tsr__page_column(page, "NMI", TSR_CELL_PERCENT);
    tsr__page_column(page, "± NMI", TSR_CELL_PERCENT);
    tsr__page_column(page, "stability", TSR_CELL_REAL);
    tsr__page_column(page, "seconds", TSR_CELL_REAL);
    for (int64_t i = 0; tsr_selection_candidate(&c, h->selection, i); i++)
        put_candidate(h, &c);
    tsr__page_table_end(page);
    for (int64_t i = 0; tsr_selection_candidate(&c, h->selection, i); i++)
        if (*c.note != '\0')
            tsr__page_note(page, "%s: %s.", name_of(name, &c), c.note);
}

static void put_means(const choice *h)
{
    char name[NAME];
    tsr_candidate c;
    tsr__page_table(h->page, "ranks", "Means by rank", true);
    tsr__page_column(h->page, "model", TSR_CELL_TEXT);
    tsr__page_column(h->page, "rank", TSR_CELL_INTEGER);
    tsr__page_column(h->page, h->score, h->kind);
    tsr__page_column(h->page, "standard error", h->kind);
    for (int64_t i = 0; tsr_selection_candidate(&c, h->selection, i); i++) {
        if (!has_rank(&c) || *c.note != '\0')
            continue;
        tsr__page_text(h->page, series_of(name, &c));
        tsr__page_number(h->page, (double)c.rank);
        tsr__page_number(h->page, c.mean);
        tsr__page_number(h->page, c.error);
    }
    tsr__page_table_end(h->page);
}

static void put_folds(const choice *h)
{
    char name[NAME];
    tsr_candidate c;
    tsr__page_table(h->page, "folds", "Every fold", true);
    tsr__page_column(h->page, "model", TSR_CELL_TEXT);
    tsr__page_column(h->page, "rank", TSR_CELL_INTEGER);
    tsr__page_column(h->page, "fold", TSR_CELL_INTEGER);
    tsr__page_column(h->page, h->score, h->kind);
    for (int64_t i = 0; tsr_selection_candidate(&c, h->selection, i); i++) {
        const double *score = tsr_selection_folds(h->selection, i);
        for (int64_t f = 0; score != NULL && has_rank(&c) && f < h->about.folds; f++) {
            tsr__page_text(h->page, series_of(name, &c));
            tsr__page_number(h->page, (double)c.rank);
            tsr__page_number(h->page, (double)f + 1);
            tsr__page_number(h->page, score[f]);
        }
    }
    tsr__page_table_end(h->page);
}

static void lines(const choice *h)
{
    tsr__json *chart =
        tsr__page_chart(h->page, "ranks", "line", "ranks", "By rank; points are single folds");
    tsr__json_text(chart, "x", "rank");
    tsr__json_text(chart, "series", "model");
    tsr__page_list(chart, "y", (const char *const[]){h->score, NULL});
    tsr__page_list(chart, "error", (const char *const[]){"standard error", NULL});
    tsr__json *points = tsr__json_object(chart, "points");
    tsr__json_text(points, "table", "folds");
    tsr__json_text(points, "x", "rank");
    tsr__json_text(points, "y", h->score);
    tsr__json_text(points, "series", "model");
    tsr__page_chart_end(h->page);
    put_means(h);
    put_folds(h);
}

/* Of some candidate `what` is known. */
static bool any(const choice *h, double (*what)(const tsr_candidate *c))
{
    tsr_candidate c;
    bool found = false;
    for (int64_t i = 0; !found && tsr_selection_candidate(&c, h->selection, i); i++)
        found = *c.note == '\0' && isfinite(what(&c));
    return found;
}

static double nmi_of(const tsr_candidate *c)
{
    return c->nmi;
}

static double stability_of(const tsr_candidate *c)
{
    return c->stability;
}

static void show(const choice *h)
{
    tsr_page *page = h->page;
    tsr__page_section(page, "scores", h->about.by_labels ? "Accuracy" : "Error");
    tsr__page_say(
        page, "%s Bars are means over the folds, ± their standard error.",
        h->about.by_labels
            ? "The share of hidden labels that the nearest shown label tells: more is "
              "better."
            : "Root mean square error on hidden entries, relative to all: less is "
              "better.");
    bars(h, "scores",
         h->about.by_labels ? "Accuracy on hidden labels" : "Error on hidden entries", h->score,
         "± error");
    candidates(h);
    tsr__page_section(page, "ranks", "By rank");
    lines(h);
    if (any(h, nmi_of)) {
        tsr__page_section(page, "nmi", "Clusters");
        tsr__page_say(page,
                      "k-means of the codes against the classes of samples whose label was "
                      "hidden.");
        bars(h, "nmi", "Normalized mutual information", "NMI", "± NMI");
    }
    if (any(h, stability_of)) {
        tsr__page_section(page, "stability", "Stability");
        tsr__page_say(
            page,
            "How alike the parts of %lld fits from other seeds are, the best matched ones, "
            "against how alike different parts are: at 1 they are the same every time, at 0 no "
            "more alike than others. Below 0.7 single parts should not be given a meaning.",
            (long long)h->about.repeats);
        bars(h, "stability", "Stability of the parts", "stability", NULL);
    }
    tsr__page_section(page, "time", "Time");
    bars(h, "time", "Seconds of a fit, on one thread", "seconds", NULL);
    if (h->options->command != NULL) {
        tsr__page_section(page, "again", "Made again");
        tsr__page_command(page, h->options->command);
    }
}

tsr_status tsr_page_selection(tsr_page **out, const tsr_selection *selection,
                              const tsr_page_options *options)
{
    TSR_REQUIRE(out, selection);
    tsr_status status = TSR_OK;
    tsr_page_options chosen;
    tsr_page *page = NULL;
    TSR_TRY(tsr__page_begin(&page, &chosen, options, "selection"));
    const tsr_selection_report about = tsr_selection_about(selection);
    const choice h = {.page = page,
                      .selection = selection,
                      .options = &chosen,
                      .about = about,
                      .score = about.by_labels ? "accuracy" : "error",
                      .kind = about.by_labels ? TSR_CELL_PERCENT : TSR_CELL_REAL};
    lead(&h);
    tsr__page_section(page, "advice", "Advice");
    TSR_TRY(advise(&h));
    show(&h);
    TSR_TRY(tsr__page_close(page));
    *out = page, page = NULL;
done:
    tsr_page_free(page);
    return status;
}
