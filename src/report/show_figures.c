/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The figures of an experiment: the table as papers print it, means with their deviations against
 * what the rows vary, the draws that they are of, and the time that was taken. */
#include "report/findings.h"

#include <math.h>

/* What the metrics are called here: ids, columns, words. */
static const struct {
    const char *id, *column, *word, *means;
} words[] = {{"accuracy", "accuracy", "Accuracy", "means"},
             {"nmi", "NMI", "Normalized mutual information", "means-nmi"}};

static void put_rows_column(const tsr__findings *f)
{
    if (f->e->rows > 1)
        tsr__page_column(f->page, f->row_name, f->row_kind);
}

static void put_share(tsr_page *page, double percent)
{
    tsr__page_number(page, percent / 100);
}

static bool ran(const tsr__findings *f, int64_t method)
{
    return f->finished[method] > 0;
}

/* The table ------------------------------------------------------------------------------- */

static void means_table(const tsr__findings *f, int64_t q)
{
    char caption[128];
    const int64_t rows = f->e->rows > 1 ? f->e->rows + 1 : 1;
    (void)snprintf(caption, sizeof caption, "%s, %%", words[q].word);
    tsr__page_table(f->page, words[q].means, caption, false);
    tsr__page_column(f->page, f->row_name, TSR_CELL_TEXT);
    for (int64_t m = 0; m < f->p->methods; m++)
        if (ran(f, m))
            tsr__page_column(f->page, f->p->method[m].name, TSR_CELL_TEXT);
    for (int64_t i = 0; i < rows; i++) {
        const int64_t row = i < f->e->rows ? i : -1;
        tsr__page_text(f->page, tsr__experiment_row(f->p, row));
        for (int64_t m = 0; m < f->p->methods; m++) {
            char text[96];
            tsr__line line = TSR_LINE(text);
            if (!ran(f, m))
                continue;
            tsr__table_cell(&line, f->e, row, m, f->metric[q]);
            tsr__page_text(f->page, text);
        }
    }
    tsr__page_table_end(f->page);
}

tsr_status tsr__show_means(tsr__findings *f)
{
    tsr__page_say(
        f->page,
        "Ours ± standard deviation over the draws, in percent; in brackets, where there "
        "is one, the published figure and the difference.%s",
        f->p->study.summary == 1 && f->e->rows > 1
            ? " The last row is the best of the rows, chosen by what is tested."
            : "");
    for (int64_t q = 0; q < f->metrics; q++)
        means_table(f, q);
    return TSR_OK;
}

/* Charts ---------------------------------------------------------------------------------- */

static bool has_published(const tsr__findings *f, int64_t q)
{
    bool found = false;
    for (int64_t row = 0; row < f->e->rows; row++)
        for (int64_t m = 0; !found && m < f->p->methods; m++)
            found =
                ran(f, m) && !isnan(tsr__experiment_cell(f->e, row, m, f->metric[q]).published);
    return found;
}

/* Lines against the rows or, where they are no axis, bars. */
static tsr__json *begin_chart(const tsr__findings *f, const char *id, int64_t q,
                              const char *what)
{
    char title[256];
    const bool many = f->e->rows > 1;
    (void)snprintf(title, sizeof title, "%s%s %s %.100s", words[q].word, what,
                   many ? "against the" : "by", many ? tsr__findings_axis(f) : "method");
    tsr__json *chart =
        tsr__page_chart(f->page, id, f->lines ? "line" : "bar", words[q].id, title);
    tsr__json_text(chart, "x", many ? f->row_name : "method");
    if (many)
        tsr__json_text(chart, "series", "method");
    if (f->wide)
        tsr__page_list(chart, "log", (const char *const[]){"x", NULL});
    return chart;
}

/* The means, with what was published among them. */
static void metric_chart(const tsr__findings *f, int64_t q, bool published)
{
    tsr__json *chart = begin_chart(f, words[q].id, q, "");
    tsr__page_list(
        chart, "y",
        (const char *const[]){words[q].column, published ? "published" : NULL, NULL});
    tsr__page_list(chart, "error", (const char *const[]){"deviation", NULL});
    if (f->lines && published)
        tsr__page_list(chart, "dashed", (const char *const[]){"published", NULL});
    if (f->lines) {
        tsr__json *points = tsr__json_object(chart, "points");
        tsr__json_text(points, "table", "draws");
        tsr__json_text(points, "x", f->row_name);
        tsr__json_text(points, "y", words[q].column);
        tsr__json_text(points, "series", "method");
    }
    tsr__page_chart_end(f->page);
}

/* What was published, in a chart of its own. */
static void published_chart(const tsr__findings *f, int64_t q)
{
    char id[48];
    (void)snprintf(id, sizeof id, "%s-published", words[q].id);
    tsr__json *chart = begin_chart(f, id, q, ", as published,");
    tsr__page_list(chart, "y", (const char *const[]){"published", NULL});
    tsr__page_chart_end(f->page);
}

/* More lines than that are not told apart, and have no legend. */
static bool crowded(const tsr__findings *f)
{
    enum { MOST_LINES = 20 };
    int64_t methods = 0;
    for (int64_t m = 0; m < f->p->methods; m++)
        methods += ran(f, m);
    return f->e->rows > 1 && 2 * methods > MOST_LINES;
}

static void metric_table(const tsr__findings *f, int64_t q, bool published)
{
    tsr_page *page = f->page;
    tsr__page_table(page, words[q].id, words[q].word, true);
    put_rows_column(f);
    tsr__page_column(page, "method", TSR_CELL_TEXT);
    tsr__page_column(page, words[q].column, TSR_CELL_PERCENT);
    tsr__page_column(page, "deviation", TSR_CELL_PERCENT);
    if (published) {
        tsr__page_column(page, "published", TSR_CELL_PERCENT);
        tsr__page_column(page, "difference", TSR_CELL_PERCENT);
    }
    tsr__page_column(page, "draws", TSR_CELL_INTEGER);
    for (int64_t row = 0; row < f->e->rows; row++)
        for (int64_t m = 0; m < f->p->methods; m++) {
            const tsr__cell cell = tsr__experiment_cell(f->e, row, m, f->metric[q]);
            if (cell.count == 0)
                continue;
            if (f->e->rows > 1)
                tsr__findings_put_row(f, row);
            tsr__page_text(page, f->p->method[m].name);
            put_share(page, cell.mean);
            put_share(page, cell.deviation);
            if (published) {
                put_share(page, cell.published);
                put_share(page, cell.mean - cell.published);
            }
            tsr__page_number(page, (double)cell.count);
        }
    tsr__page_table_end(page);
}

static tsr_status show_metric(const tsr__findings *f, int64_t q)
{
    const bool published = has_published(f, q), apart = published && crowded(f);
    tsr__page_say(f->page, "Means over the draws; bars are ± one standard deviation.%s%s",
                  f->lines ? " Points are single draws." : "",
                  !published ? ""
                  : apart    ? " What was published is in the second chart."
                  : f->lines ? " Dashed lines are what was published."
                             : " Beside them is what was published.");
    metric_chart(f, q, published && !apart);
    if (apart)
        published_chart(f, q);
    metric_table(f, q, published);
    return TSR_OK;
}

tsr_status tsr__show_accuracy(tsr__findings *f)
{
    if (f->p->study.task == TSR_TASK_CLUSTER)
        tsr__page_say(f->page,
                      "The share of samples whose cluster stands for their class, under "
                      "the one-to-one map of clusters to classes that is best (AC).");
    return show_metric(f, 0);
}

tsr_status tsr__show_nmi(tsr__findings *f)
{
    tsr__page_say(f->page, "What clusters and classes tell of each other, over the larger of "
                           "their entropies: 100 %% where they are the same.");
    return show_metric(f, 1);
}

/* Draws ----------------------------------------------------------------------------------- */

static int64_t count_first(const tsr__findings *f, int64_t draws)
{
    int64_t count = 0;
    for (int64_t i = 0; i < f->e->trials; i++)
        count += f->e->trial[i].done && f->e->trial[i].draw < draws;
    return count;
}

/* Of too many trials the first draws of every row and method are shown: no method loses its own. */
static int64_t shown_draws(const tsr__findings *f)
{
    int64_t most = 0;
    for (int64_t i = 0; i < f->e->trials; i++)
        most = f->e->trial[i].draw >= most ? f->e->trial[i].draw + 1 : most;
    int64_t least = 1;
    while (least < most) { /* as many as fit, and one at least */
        const int64_t middle = least + (most - least + 1) / 2;
        if (count_first(f, middle) <= f->options->points)
            least = middle;
        else
            most = middle - 1;
    }
    return least;
}

static void draws_chart(const tsr__findings *f)
{
    const bool nmi = f->metrics > 1;
    const char *x = nmi ? "accuracy" : f->lines ? f->row_name : "draw";
    tsr__json *chart = tsr__page_chart(f->page, "draws", "scatter", "draws",
                                       nmi ? "Accuracy and mutual information of every draw"
                                           : "Accuracy of every draw");
    tsr__json_text(chart, "x", x);
    tsr__json_text(chart, "y", nmi ? "NMI" : "accuracy");
    tsr__json_text(chart, "series", "method");
    tsr__page_chart_end(f->page);
}

static void put_draw(const tsr__findings *f, const tsr__trial *t)
{
    if (f->e->rows > 1)
        tsr__findings_put_row(f, t->row);
    tsr__page_text(f->page, f->p->method[t->method].name);
    tsr__page_number(f->page, (double)t->draw);
    tsr__page_number(f->page, t->accuracy);
    if (f->metrics > 1)
        tsr__page_number(f->page, t->nmi);
    tsr__page_number(f->page, (double)t->rank);
    tsr__page_number(f->page, t->seconds);
}

tsr_status tsr__show_draws(tsr__findings *f)
{
    const int64_t draws = shown_draws(f), all = count_first(f, draws);
    const int64_t shown = all < f->options->points ? all : f->options->points;
    int64_t put = 0;
    tsr__page_say(f->page,
                  "A point is one method on one draw. All methods have the same draws, so "
                  "that those of one number can be compared.");
    if (shown < f->done)
        tsr__page_note(f->page,
                       "%lld of %lld trials are shown here and as points: the first draws of "
                       "every row. Means are of all. --points N shows more.",
                       (long long)shown, (long long)f->done);
    draws_chart(f);
    tsr__page_table(f->page, "draws", "Every draw", true);
    put_rows_column(f);
    tsr__page_column(f->page, "method", TSR_CELL_TEXT);
    tsr__page_column(f->page, "draw", TSR_CELL_INTEGER);
    tsr__page_column(f->page, "accuracy", TSR_CELL_PERCENT);
    if (f->metrics > 1)
        tsr__page_column(f->page, "NMI", TSR_CELL_PERCENT);
    tsr__page_column(f->page, "vectors", TSR_CELL_INTEGER);
    tsr__page_column(f->page, "seconds", TSR_CELL_REAL);
    for (int64_t i = 0; i < f->e->trials && put < shown; i++)
        if (f->e->trial[i].done && f->e->trial[i].draw < draws) {
            put_draw(f, &f->e->trial[i]);
            put++;
        }
    tsr__page_table_end(f->page);
    return TSR_OK;
}

/* Time ------------------------------------------------------------------------------------ */

static void put_time(const tsr__findings *f, int64_t method)
{
    double sum = 0, most = 0;
    const int64_t trials = f->finished[method];
    for (int64_t i = 0; i < f->e->trials; i++) {
        const tsr__trial *t = &f->e->trial[i];
        if (!t->done || t->method != method)
            continue;
        sum += t->seconds;
        most = fmax(most, t->seconds);
    }
    tsr__page_text(f->page, f->p->method[method].name);
    tsr__page_number(f->page, sum / (double)trials);
    tsr__page_number(f->page, most);
    tsr__page_number(f->page, sum);
    tsr__page_number(f->page, (double)trials);
}

tsr_status tsr__show_time(tsr__findings *f)
{
    tsr__page_say(f->page,
                  "Seconds of one thread for a trial: the fit, which methods that differ "
                  "only in what they do with it share, and its judgement. Trials ran "
                  "beside each other.");
    tsr__json *chart =
        tsr__page_chart(f->page, "time", "bar", "time", "Mean seconds of a trial");
    tsr__json_text(chart, "x", "method");
    tsr__page_list(chart, "y", (const char *const[]){"seconds", NULL});
    tsr__page_chart_end(f->page);
    tsr__page_table(f->page, "time", "Time", true);
    tsr__page_column(f->page, "method", TSR_CELL_TEXT);
    tsr__page_column(f->page, "seconds", TSR_CELL_REAL);
    tsr__page_column(f->page, "longest", TSR_CELL_REAL);
    tsr__page_column(f->page, "all", TSR_CELL_REAL);
    tsr__page_column(f->page, "trials", TSR_CELL_INTEGER);
    for (int64_t m = 0; m < f->p->methods; m++)
        if (ran(f, m))
            put_time(f, m);
    tsr__page_table_end(f->page);
    return TSR_OK;
}
