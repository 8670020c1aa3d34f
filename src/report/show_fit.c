/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What was fitted to what: title and lead, the data, J and its terms, settings, plan, notes; and how
 * the fit converged. */
#include "base/settings.h"
#include "base/text.h"
#include "report/subject.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *origin_of(const tsr__subject *s)
{
    const char *origin = tsr_model_origin(s->model);
    return origin != NULL && *origin != '\0' ? origin : "data in memory";
}

/* Without the folders before it. */
static const char *file_of(const char *origin)
{
    const char *slash = strrchr(origin, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : origin;
}

static bool uses_labels(const tsr__subject *s)
{
    return tsr_model_labels(s->model) != NULL && strstr(s->info.uses, "labels") != NULL;
}

static int64_t count_seen(const tsr__subject *s)
{
    const int32_t *seen = tsr_model_seen(s->model);
    int64_t count = 0;
    for (int64_t i = 0; seen != NULL && i < s->report.samples; i++)
        count += seen[i] >= 0;
    return count;
}

/* The one sentence. */
static void lead(const tsr__subject *s)
{
    char text[1024], error[64] = "";
    tsr__line line = TSR_LINE(text);
    tsr__line_add(&line, "%s (%s) with %lld parts, fitted to %lld samples of %lld features",
                  s->info.name, s->info.title, (long long)s->k, (long long)s->report.samples,
                  (long long)s->m);
    if (s->image.height > 0)
        tsr__line_add(&line, " (pictures of %lld x %lld)", (long long)s->image.height,
                      (long long)s->image.width);
    tsr__line_add(&line, " from %s", origin_of(s));
    if (uses_labels(s))
        tsr__line_add(&line, " with %lld of %lld labels", (long long)count_seen(s),
                      (long long)tsr_labels_known(tsr_model_labels(s->model)));
    if (isfinite(s->report.relative_error))
        (void)snprintf(error, sizeof error, "relative error %.3g, ", s->report.relative_error);
    tsr__line_add(&line, ": %s%lld iterations, %.3g s.", error, (long long)s->report.iterations,
                  s->report.seconds);
    tsr__page_lead(s->page, "%s", text);
    if (s->options->title != NULL)
        tsr__page_title(s->page, "%s", s->options->title);
    else
        tsr__page_title(s->page, "%s on %s", s->info.name, file_of(origin_of(s)));
}

static void put_text(tsr_page *page, const char *name, const char *value)
{
    tsr__page_text(page, name);
    tsr__page_text(page, value);
}

#define PUT(page, name, ...)                                                                   \
    do {                                                                                       \
        char said_[256];                                                                       \
        (void)snprintf(said_, sizeof said_, __VA_ARGS__);                                      \
        put_text(page, name, said_);                                                           \
    } while (0)

/* What the samples are, as far as values are there to be looked at. */
static tsr_status put_values(const tsr__subject *s)
{
    const tsr_matrix *x = tsr_data_samples(s->data);
    tsr_scan scan;
    TSR_OR_RETURN(tsr_matrix_scan(&scan, x));
    const double all = (double)s->n * (double)s->m;
    PUT(s->page, "values", "%s %s, from %.4g to %.4g",
        tsr_matrix_is_sparse(x) ? "sparse" : "dense",
        tsr_matrix_type(x) == TSR_FLOAT32 ? "single" : "double", scan.minimum, scan.maximum);
    PUT(s->page, "not zero", "%.1f %% of the values",
        all > 0 ? 100 * (double)scan.nonzeros / all : 0);
    if (scan.not_finite > 0)
        PUT(s->page, "missing", "%lld values", (long long)scan.not_finite);
    if (scan.empty_samples > 0)
        PUT(s->page, "empty samples", "%lld", (long long)scan.empty_samples);
    return TSR_OK;
}

static tsr_status data_card(const tsr__subject *s)
{
    tsr_status status = TSR_OK;
    tsr_page *page = s->page;
    tsr__page_table(page, "data", "Data", false);
    tsr__page_column(page, "", TSR_CELL_TEXT);
    tsr__page_column(page, "what", TSR_CELL_TEXT);
    put_text(page, "fitted to", origin_of(s));
    if (!s->trained)
        put_text(page, "shown here", tsr_data_origin(s->data));
    PUT(page, "samples", "%lld", (long long)s->n);
    PUT(page, "features", "%lld", (long long)s->m);
    if (s->image.height > 0)
        PUT(page, "pictures", "%lld x %lld", (long long)s->image.height,
            (long long)s->image.width);
    if (s->data != NULL && tsr_data_kind(s->data) != NULL)
        put_text(page, "made of", tsr_data_kind(s->data));
    if (s->data != NULL)
        TSR_TRY(put_values(s));
    if (s->labels != NULL) {
        PUT(page, "classes", "%d", tsr_labels_classes(s->labels));
        PUT(page, "labels", "%lld", (long long)tsr_labels_known(s->labels));
    }
    if (s->trained && uses_labels(s))
        PUT(page, "labels that the learner saw", "%lld", (long long)count_seen(s));
done:
    tsr__page_table_end(page);
    return status;
}

static void figures(const tsr__subject *s)
{
    const tsr_fit_report *r = &s->report;
    tsr_page *page = s->page;
    tsr__page_table(page, "figures", "How it went", false);
    tsr__page_column(page, "", TSR_CELL_TEXT);
    tsr__page_column(page, "value", TSR_CELL_REAL);
    tsr__page_figure(page, "parts", (double)r->rank);
    tsr__page_figure(page, "iterations", (double)r->iterations);
    tsr__page_figure(page, "objective J", r->objective);
    tsr__page_figure(page, "data loss", r->data_loss);
    tsr__page_figure(page, "relative error", r->relative_error);
    tsr__page_figure(page, "optimality (0: stationary)", r->optimality);
    tsr__page_figure(page, "seconds", r->seconds);
    tsr__page_figure(page, "seed", (double)r->seed);
    tsr__page_table_end(page);
}

static void terms(const tsr__subject *s)
{
    const char *name = NULL;
    double value = 0, sum = 0;
    bool rewards = false; /* terms below zero make shares senseless */
    tsr_page *page = s->page;
    for (int64_t i = 0; tsr_model_term(&name, &value, s->model, i); i++) {
        sum += value;
        rewards |= value < 0;
    }
    tsr__page_table(page, "terms", "Terms of J at the end", false);
    tsr__page_column(page, "term", TSR_CELL_TEXT);
    tsr__page_column(page, "value", TSR_CELL_REAL);
    tsr__page_column(page, "share of J", TSR_CELL_PERCENT);
    for (int64_t i = 0; tsr_model_term(&name, &value, s->model, i); i++) {
        tsr__page_figure(page, name, value);
        tsr__page_number(page, sum > 0 && !rewards ? value / sum : (double)NAN);
    }
    tsr__page_table_end(page);
}

static void settings(const tsr__subject *s)
{
    char value[4096];
    const tsr_fit_options *options = tsr_model_options(s->model);
    tsr__page_table(s->page, "settings", "Settings that are not the defaults", false);
    tsr__page_column(s->page, "setting", TSR_CELL_TEXT);
    tsr__page_column(s->page, "value", TSR_CELL_TEXT);
    for (const tsr_setting *row = tsr_fit_settings(); row->name != NULL; row++)
        if (tsr__setting_is_said(row) &&
            (!tsr__settings_is_default(row, options) || strcmp(row->name, "model") == 0))
            put_text(s->page, row->name, tsr__settings_show(value, sizeof value, row, options));
    tsr__page_table_end(s->page);
}

static void lines(const tsr__subject *s)
{
    tsr__page_html(s->page, "<ul class=\"plan\">\n");
    for (int64_t i = 0; tsr_model_plan(s->model, i) != NULL; i++) {
        tsr__page_html(s->page, "<li>");
        tsr__page_escaped(s->page, tsr_model_plan(s->model, i));
        tsr__page_html(s->page, "</li>\n");
    }
    tsr__page_html(s->page, "</ul>\n");
}

tsr_status tsr__show_fit(tsr__subject *s)
{
    lead(s);
    tsr__page_say(s->page, "It minimises J = %s", s->info.objective);
    tsr__page_html(s->page, "<div class=\"cards\">\n");
    TSR_OR_RETURN(data_card(s));
    figures(s);
    terms(s);
    settings(s);
    tsr__page_html(s->page, "</div>\n");
    if (!s->report.converged)
        tsr__page_note(s->page, "%s",
                       tsr_model_lacks(s->model) >= 0
                           ? "The fit was stopped on the way: `tessera fit --resume` goes on."
                           : "The fit used up its iterations before J came to rest.");
    if (tsr_model_plan(s->model, 0) != NULL) {
        tsr__page_heading(s->page, "Plan");
        lines(s);
    }
    for (int64_t i = 0; i < tsr_model_notes(s->model); i++)
        tsr__page_note(s->page, "%s", tsr_model_note(s->model, i));
    for (int64_t i = 0; s->data != NULL && i < tsr_data_notes(s->data); i++)
        tsr__page_note(s->page, "%s", tsr_data_note(s->data, i));
    if (s->data == NULL)
        tsr__page_note(s->page, "Without --data DATA the page has no samples to show, only "
                                "what the model knows of them.");
    return TSR_OK;
}

/* Convergence ----------------------------------------------------------------------------- */

enum { MOST_STEPS = 300, MOST_TERMS = 16 };

/* Iterations that are told, evenly spaced on a logarithmic axis; returns how many. */
static int64_t thin(int64_t at[MOST_STEPS], int64_t count)
{
    int64_t used = 0;
    for (int64_t i = 0; i < MOST_STEPS; i++) {
        const double part = (double)i / (MOST_STEPS - 1);
        const int64_t next =
            count <= MOST_STEPS ? i : (int64_t)round(pow((double)count, part)) - 1;
        if (next < count && (used == 0 || next > at[used - 1]))
            at[used++] = next;
    }
    return used;
}

/* J and its terms as columns; returns their names, ended by NULL, and whether all are above 0. */
static void history_table(const tsr__subject *s, const char *name[MOST_TERMS + 2],
                          const int64_t *at, int64_t steps, bool *positive)
{
    const tsr_matrix *history = tsr_model_history(s->model);
    const double *objective = tsr_model_objective(s->model);
    const double *seconds = tsr_model_seconds(s->model);
    int64_t terms = 0;
    double value = 0;
    name[0] = "J";
    while (history != NULL && terms < MOST_TERMS && terms < tsr_matrix_features(history) &&
           tsr_model_term(&name[terms + 1], &value, s->model, terms))
        terms++;
    terms = terms > 1 ? terms : 0; /* a loss alone is J */
    name[terms + 1] = NULL;
    tsr__page_table(s->page, "convergence", "Convergence", true);
    tsr__page_column(s->page, "iteration", TSR_CELL_INTEGER);
    for (int64_t i = 0; i <= terms; i++)
        tsr__page_column(s->page, name[i], TSR_CELL_REAL);
    tsr__page_column(s->page, "seconds", TSR_CELL_REAL);
    *positive = true;
    for (int64_t i = 0; i < steps; i++) {
        tsr__page_number(s->page, (double)at[i] + 1);
        tsr__page_number(s->page, objective[at[i]]);
        *positive = *positive && objective[at[i]] > 0;
        for (int64_t t = 0; t < terms; t++)
            tsr__page_number(s->page, tsr_matrix_at(history, at[i], t));
        tsr__page_number(s->page, seconds != NULL ? seconds[at[i]] : (double)NAN);
    }
    tsr__page_table_end(s->page);
}

tsr_status tsr__show_convergence(tsr__subject *s)
{
    int64_t at[MOST_STEPS];
    const int64_t iterations = s->report.iterations, steps = thin(at, iterations);
    const char *name[MOST_TERMS + 2], *const both[] = {"x", "y", NULL};
    bool positive = true;
    tsr__page_say(s->page,
                  "J, and each of its terms, after every iteration. A fit that is at rest is "
                  "level at the right.");
    if (steps < iterations)
        tsr__page_note(s->page, "%lld of %lld iterations are shown.", (long long)steps,
                       (long long)iterations);
    tsr__json *chart =
        tsr__page_chart(s->page, "convergence", "line", "convergence", "J by iteration");
    tsr__page_chart_end(s->page);
    history_table(s, name, at, steps, &positive);
    tsr__json_text(chart, "x", "iteration");
    tsr__page_list(chart, "y", name);
    tsr__page_list(chart, "log", positive ? both : (const char *const[]){"x", NULL});
    return TSR_OK;
}
