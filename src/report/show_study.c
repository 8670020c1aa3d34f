/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What was run: title and lead, the protocol's settings, its methods, and how far it has come. */
#include "base/settings.h"
#include "report/findings.h"

#include <math.h>
#include <string.h>

enum { VALUE = 512 };

/* The method with the best mean over all rows; -1 where none is complete. */
static int64_t best_method(const tsr__findings *f, tsr__cell *cell)
{
    int64_t best = -1;
    for (int64_t m = 0; m < f->p->methods; m++) {
        const tsr__cell here =
            tsr__experiment_cell(f->e, f->e->rows > 1 ? -1 : 0, m, f->metric[0]);
        if (here.count > 0 && (best < 0 || here.mean > cell->mean)) {
            *cell = here;
            best = m;
        }
    }
    return best;
}

static void lead(const tsr__findings *f)
{
    char text[2048];
    tsr__line line = TSR_LINE(text);
    const tsr__protocol *p = f->p;
    tsr__cell cell = {0};
    const int64_t best = best_method(f, &cell);
    tsr__line_add(&line, "%lld method%s %s %s", (long long)p->methods,
                  p->methods > 1 ? "s" : "",
                  p->study.task == TSR_TASK_CLUSTER ? "for clustering" : "for classifying",
                  p->study.data);
    if (f->e->rows > 1)
        tsr__line_add(&line, ", against the %s: %s to %s", tsr__findings_axis(f),
                      p->values.name[0], p->values.name[f->e->rows - 1]);
    tsr__line_add(&line, ". ");
    if (best >= 0)
        tsr__line_add(&line, "%s %s is %s with %.1f %%",
                      f->done < f->e->trials ? "Of the methods that are complete the best"
                                             : "The best",
                      f->e->rows < 2          ? "method"
                      : p->study.summary == 1 ? "method at its best row"
                                              : "on average",
                      p->method[best].name, cell.mean);
    if (best >= 0 && !isnan(cell.published))
        tsr__line_add(&line, " (published: %.1f %%)", cell.published);
    tsr__line_add(&line, "%s%lld of %lld trials are done.", best >= 0 ? ". " : "",
                  (long long)f->done, (long long)f->e->trials);
    tsr__page_lead(f->page, "%s", text);
    tsr__page_title(f->page, "%s",
                    f->options->title != NULL ? f->options->title : p->study.title);
}

/* Settings --------------------------------------------------------------------------------- */

/* A table of settings, and where a method's values of it are. */
typedef struct kind {
    const tsr_setting *table;
    size_t offset;
} kind;

static const void *values_of(const tsr__method *method, const kind *k)
{
    return (const char *)method + k->offset;
}

/* What all methods have in common. */
static bool shared(const tsr__findings *f, const kind *k, const tsr_setting *row)
{
    char first[VALUE], other[VALUE];
    bool same = true;
    (void)tsr__settings_show(first, sizeof first, row, values_of(&f->p->method[0], k));
    for (int64_t m = 1; same && m < f->p->methods; m++)
        same = strcmp(first, tsr__settings_show(other, sizeof other, row,
                                                values_of(&f->p->method[m], k))) == 0;
    return same;
}

static bool told(const tsr_setting *row, const void *values)
{
    return tsr__setting_is_said(row) && !tsr__settings_is_default(row, values) &&
           strcmp(row->name, "title") != 0 && strcmp(row->name, "model") != 0;
}

static void put_setting(const tsr__findings *f, const tsr_setting *row, const void *values)
{
    char text[VALUE];
    tsr__page_text(f->page, row->name);
    tsr__page_text(f->page, tsr__settings_show(text, sizeof text, row, values));
    tsr__page_text(f->page, row->help);
}

static void kinds_of(kind out[2])
{
    out[0] = (kind){tsr__method_settings(), 0};
    out[1] = (kind){tsr_fit_settings(), offsetof(tsr__method, fit)};
}

/* A key of the head may be known to several tables: it is said once. */
static void settings_table(const tsr__findings *f)
{
    const tsr_setting *study = tsr__study_settings(), *features = tsr_features_settings();
    const bool made = f->p->study.features != NULL;
    kind kinds[2];
    kinds_of(kinds);
    tsr__page_table(f->page, "settings", "Settings of the protocol that are not the defaults",
                    false);
    tsr__page_column(f->page, "setting", TSR_CELL_TEXT);
    tsr__page_column(f->page, "value", TSR_CELL_TEXT);
    tsr__page_column(f->page, "what it is", TSR_CELL_TEXT);
    for (const tsr_setting *row = study; row->name != NULL; row++)
        if (told(row, &f->p->study))
            put_setting(f, row, &f->p->study);
    for (const tsr_setting *row = features; made && row->name != NULL; row++)
        if (told(row, &f->p->features) && tsr__settings_find(study, row->name) == NULL)
            put_setting(f, row, &f->p->features);
    for (int k = 0; k < 2; k++)
        for (const tsr_setting *row = kinds[k].table; row->name != NULL; row++) {
            const void *values = values_of(&f->p->method[0], &kinds[k]);
            if (told(row, values) && shared(f, &kinds[k], row) &&
                tsr__settings_find(study, row->name) == NULL &&
                !(made && tsr__settings_find(features, row->name) != NULL))
                put_setting(f, row, values);
        }
    tsr__page_table_end(f->page);
}

/* What is a method's own, as the protocol would say it. */
static void say_own(tsr__line *out, const tsr__findings *f, int64_t method)
{
    kind kinds[2];
    kinds_of(kinds);
    for (int k = 0; k < 2; k++)
        for (const tsr_setting *row = kinds[k].table; row->name != NULL; row++) {
            const void *values = values_of(&f->p->method[method], &kinds[k]);
            char text[VALUE];
            if (told(row, values) && !shared(f, &kinds[k], row))
                tsr__line_add(out, "%s%s = %s", out->used > 0 ? ", " : "", row->name,
                              tsr__settings_show(text, sizeof text, row, values));
        }
}

static void methods_table(const tsr__findings *f)
{
    static const struct {
        const char *name;
        tsr__cell_kind kind;
    } columns[] = {{"method", TSR_CELL_TEXT},
                   {"model", TSR_CELL_TEXT},
                   {"settings of its own", TSR_CELL_TEXT},
                   {"trials done", TSR_CELL_INTEGER},
                   {"of", TSR_CELL_INTEGER}};
    tsr__page_table(f->page, "methods", "Methods", false);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        tsr__page_column(f->page, columns[i].name, columns[i].kind);
    for (int64_t m = 0; m < f->p->methods; m++) {
        char own[1024] = "";
        tsr__line line = TSR_LINE(own);
        say_own(&line, f, m);
        tsr__page_text(f->page, f->p->method[m].name);
        tsr__page_text(f->page, f->p->method[m].fit.model);
        tsr__page_text(f->page, own);
        tsr__page_number(f->page, (double)f->finished[m]);
        tsr__page_number(f->page, (double)(f->e->trials / f->p->methods));
    }
    tsr__page_table_end(f->page);
}

tsr_status tsr__show_study(tsr__findings *f)
{
    const bool cluster = f->p->study.task == TSR_TASK_CLUSTER;
    lead(f);
    tsr__page_say(f->page, "%s",
                  cluster
                      ? "Samples of classes drawn at random are encoded by each method, their "
                        "codes are clustered, and the clusters are compared with the classes. "
                        "All methods see the same draws."
                      : "Each method learns from training samples alone; test samples are "
                        "encoded by the same map, and the nearest training samples vote. All "
                        "methods see the same draws.");
    if (f->done < f->e->trials)
        tsr__page_note(f->page,
                       "%lld of %lld trials are missing: the run was stopped, or was asked for "
                       "some of the methods. What follows is of those that are done.",
                       (long long)(f->e->trials - f->done), (long long)f->e->trials);
    settings_table(f);
    methods_table(f);
    return TSR_OK;
}
