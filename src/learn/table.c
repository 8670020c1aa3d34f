/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Tables of an experiment: for each metric a row a value, a column a method, ours (mean and
 * standard deviation over the draws, percent) with the published figure and the difference
 * where there is one, in five formats; then, in text and markdown, what the draws say of the figures
 * (verdict.c). */
#include "learn/experiment.h"

#include "base/json.h"
#include "io/field.h"

#include <math.h>
#include <string.h>

int64_t tsr__experiment_metrics(const tsr_experiment *e, const char *metric[2])
{
    const bool cluster = e->protocol.study.task == TSR_TASK_CLUSTER;
    metric[0] = cluster ? "AC" : "accuracy";
    metric[1] = "NMI";
    return cluster ? 2 : 1;
}

static int64_t row_count(const tsr_experiment *e)
{
    return e->rows > 1 ? e->rows + 1 : e->rows;
}

static int64_t row_at(const tsr_experiment *e, int64_t i)
{
    return i < e->rows ? i : -1;
}

static const char *key_name(const tsr_experiment *e)
{
    return e->protocol.key != NULL ? e->protocol.key : "";
}

/* How a format writes the lines of a grid. */
typedef struct grid {
    const char *begin, *between, *end, *rule, *plus_minus, *comma, *open, *close;
} grid;

/* Ours, where the best was found, the published figure and the difference. */
static void describe_cell(tsr__line *out, const tsr_experiment *e, const tsr__cell *cell,
                          bool sum, const grid *g)
{
    if (cell->count == 0) {
        tsr__line_add(out, "-");
        return;
    }
    tsr__line_add(out, "%.1f%s%.1f", cell->mean, g->plus_minus, cell->deviation);
    if (sum && cell->row >= 0)
        tsr__line_add(out, " at %.16s", tsr__experiment_row(&e->protocol, cell->row));
    if (!isnan(cell->published))
        tsr__line_add(out, " %s%.1f%s%+.1f%s", g->open, cell->published, g->comma,
                      cell->mean - cell->published, g->close);
}

void tsr__table_cell(tsr__line *out, const tsr_experiment *e, int64_t row, int64_t method,
                     const char *metric)
{
    /* blanks that lines do not break at, but between ours and the published */
    static const grid g = {"", "", "", NULL, "\u00a0±\u00a0", ",\u00a0", "(", ")"};
    const tsr__cell cell = tsr__experiment_cell(e, row, method, metric);
    describe_cell(out, e, &cell, row < 0, &g);
}

static void print_grid(FILE *to, const tsr_experiment *e, const char *metric, const grid *g,
                       int width)
{
    const tsr__protocol *p = &e->protocol;
    (void)fprintf(to, "%s%-8s", g->begin, key_name(e));
    for (int64_t m = 0; m < p->methods; m++)
        (void)fprintf(to, "%s%*s", g->between, width, p->method[m].name);
    (void)fprintf(to, "%s\n", g->end);
    if (g->rule != NULL) {
        (void)fprintf(to, "|---");
        for (int64_t m = 0; m < p->methods; m++)
            (void)fprintf(to, "%s", g->rule);
        (void)fprintf(to, "|\n");
    }
    for (int64_t i = 0; i < row_count(e); i++) {
        (void)fprintf(to, "%s%-8s", g->begin, tsr__experiment_row(p, row_at(e, i)));
        for (int64_t m = 0; m < p->methods; m++) {
            const tsr__cell cell = tsr__experiment_cell(e, row_at(e, i), m, metric);
            char text[96];
            tsr__line line = TSR_LINE(text);
            describe_cell(&line, e, &cell, row_at(e, i) < 0, g);
            (void)fprintf(to, "%s%*s", g->between, width, text);
        }
        (void)fprintf(to, "%s\n", g->end);
    }
}

/* Sums of methods that have a published figure, with their 95 % intervals. */
static void print_verdicts(FILE *to, const tsr_experiment *e, const char *metric,
                           const char *title, const grid *g, int width)
{
    bool any = false;
    for (int64_t m = 0; m < e->protocol.methods; m++) {
        const tsr__verdict v = tsr__experiment_verdict(e, m, metric);
        char ours[48], verdict[96];
        tsr__line line = TSR_LINE(ours), words = TSR_LINE(verdict);
        if (v.name == TSR_VERDICT_NONE)
            continue;
        if (!any) {
            (void)fprintf(to, title, tsr__experiment_row(&e->protocol, -1));
            (void)fprintf(to, "%s%-*s%s%9s%s%*s%s%s%s\n", g->begin, width, "method", g->between,
                          "published", g->between, width, "ours, 95 %", g->between, "verdict",
                          g->end);
            if (g->rule != NULL)
                (void)fprintf(to, "|---%s%s|---|\n", g->rule, g->rule);
        }
        any = true;
        tsr__line_add(&line, "%.1f%s%.1f", v.cell.mean, g->plus_minus, v.half);
        tsr__verdict_tell(&words, e, &v);
        (void)fprintf(to, "%s%-*s%s%9.1f%s%*s%s%s%s\n", g->begin, width,
                      e->protocol.method[m].name, g->between, v.cell.published, g->between,
                      width, ours, g->between, verdict, g->end);
    }
    if (any)
        (void)fprintf(to, "\n");
}

static void print_text(FILE *to, const tsr_experiment *e, const char *metric)
{
    static const grid g = {"", "  ", "", NULL, "+-", ", ", "(", ")"};
    (void)fprintf(to, "%s, %s %%: ours +- deviation (published, difference)\n",
                  e->protocol.study.title, metric);
    print_grid(to, e, metric, &g, 23);
    (void)fprintf(to, "\n");
    print_verdicts(to, e, metric, "The published figures, %s:\n", &g, 23);
}

static void print_markdown(FILE *to, const tsr_experiment *e, const char *metric)
{
    static const grid g = {"| ", " | ", " |", "|---:", " ± ", ", ", "(", ")"};
    (void)fprintf(to, "**%s**, %s %%: ours ± deviation (published, difference)\n\n",
                  e->protocol.study.title, metric);
    print_grid(to, e, metric, &g, 0);
    (void)fprintf(to, "\n");
    print_verdicts(to, e, metric, "The published figures, %s:\n\n", &g, 0);
}

static void print_latex(FILE *to, const tsr_experiment *e, const char *metric)
{
    static const grid g = {"", " & ", " \\\\", NULL, " $\\pm$ ", ", ", "(", ")"};
    (void)fprintf(to, "%% %s, %s\n\\begin{tabular}{l", e->protocol.study.title, metric);
    for (int64_t m = 0; m < e->protocol.methods; m++)
        (void)fputc('r', to);
    (void)fprintf(to, "}\n");
    print_grid(to, e, metric, &g, 0);
    (void)fprintf(to, "\\end{tabular}\n\n");
}

static void print_csv(FILE *to, const tsr_experiment *e, const char *metric)
{
    const tsr__protocol *p = &e->protocol;
    if (strcmp(metric, "NMI") != 0)
        (void)fprintf(to, "metric,%s,method,mean,deviation,draws,error,published,difference\n",
                      p->key != NULL ? p->key : "row");
    for (int64_t i = 0; i < row_count(e); i++)
        for (int64_t m = 0; m < p->methods; m++) {
            const tsr__cell cell = tsr__experiment_cell(e, row_at(e, i), m, metric);
            (void)fprintf(to, "%s,", metric);
            tsr__field_print(to, tsr__experiment_row(p, row_at(e, i)), ',');
            (void)fputc(',', to);
            tsr__field_print(to, p->method[m].name, ',');
            (void)fprintf(to, ",%.4f,%.4f,%lld,", cell.mean, cell.deviation,
                          (long long)cell.count);
            if (cell.count > 0 && !isnan(cell.error))
                (void)fprintf(to, "%.4f", cell.error);
            (void)fputc(',', to);
            if (isnan(cell.published))
                (void)fprintf(to, ",\n");
            else
                (void)fprintf(to, "%.2f,%.4f\n", cell.published, cell.mean - cell.published);
        }
}

static tsr_status print_json(FILE *to, const tsr_experiment *e)
{
    const tsr__protocol *p = &e->protocol;
    const char *metric[2];
    const int64_t metrics = tsr__experiment_metrics(e, metric);
    tsr__json *root = tsr__json_new();
    tsr__json_text(root, "title", p->study.title);
    tsr__json_integer(root, "seed", p->study.seed);
    tsr__json *cells = tsr__json_array(root, "cells");
    for (int64_t q = 0; q < metrics; q++)
        for (int64_t i = 0; i < row_count(e); i++)
            for (int64_t m = 0; m < p->methods; m++) {
                const tsr__cell cell = tsr__experiment_cell(e, row_at(e, i), m, metric[q]);
                tsr__json *item = tsr__json_object(cells, NULL);
                tsr__json_text(item, "metric", metric[q]);
                tsr__json_text(item, "row", tsr__experiment_row(&e->protocol, row_at(e, i)));
                tsr__json_text(item, "method", p->method[m].name);
                tsr__json_real(item, "mean", cell.mean);
                tsr__json_real(item, "deviation", cell.deviation);
                tsr__json_integer(item, "draws", cell.count);
                tsr__json_real(item, "error", cell.error);
                tsr__json_real(item, "published", cell.published);
            }
    const tsr_status status = tsr__json_print(root, to);
    tsr__json_free(root);
    return status;
}

tsr_status tsr__table_print(FILE *to, const tsr_experiment *e, tsr__table_format format)
{
    static void (*const printers[])(FILE *, const tsr_experiment *, const char *) = {
        print_text, print_markdown, print_csv, print_latex};
    const char *metric[2];
    const int64_t metrics = tsr__experiment_metrics(e, metric);
    if (format == TSR_TABLE_JSON)
        return print_json(to, e);
    for (int64_t q = 0; q < metrics; q++)
        printers[format](to, e, metric[q]);
    return TSR_OK;
}
