/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The folder of an experiment, read for a page. */
#include "report/findings.h"

#include <math.h>
#include <string.h>

/* Settings that rows vary, as readers call them; others by their names. */
static const char *const axes[][2] = {{"classes", "number of classes"},
                                      {"rank", "dimension"},
                                      {"rank-per-class", "vectors a class"},
                                      {"labelled", "labels a class"},
                                      {"train", "training samples a class"},
                                      {"folds", "folds"},
                                      {"class", "weight of the class term"},
                                      {"graph", "weight of the graph"},
                                      {"must", "weight of the must-links"},
                                      {"cannot", "weight of the cannot-links"},
                                      {"decorrelate", "weight of de-correlation"},
                                      {"iterations", "iterations"}};

const char *tsr__findings_axis(const tsr__findings *f)
{
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        if (f->p->key != NULL && strcmp(axes[i][0], f->p->key) == 0)
            return axes[i][1];
    return f->row_name;
}

void tsr__findings_put_row(const tsr__findings *f, int64_t row)
{
    double value = (double)NAN;
    const char *text = tsr__experiment_row(f->p, row);
    if (f->row_kind == TSR_CELL_TEXT)
        tsr__page_text(f->page, text);
    else {
        (void)tsr__text_is_real(&value, text);
        tsr__page_number(f->page, value);
    }
}

/* Columns are found by name: what is varied must not be called as one of ours. */
static const char *name_of_rows(const tsr__protocol *p)
{
    static const char *const ours[] = {"accuracy", "NMI",     "deviation", "published",
                                       "draws",    "draw",    "method",    "difference",
                                       "vectors",  "seconds", ""};
    bool taken = p->key == NULL;
    for (size_t i = 0; !taken && i < sizeof ours / sizeof *ours; i++)
        taken = strcmp(p->key, ours[i]) == 0;
    return taken ? "row" : p->key;
}

/* Whether rows are numbers, whole ones, and far apart. */
static void measure_rows(tsr__findings *f)
{
    const tsr__names *rows = &f->p->values;
    bool reals = f->e->rows > 1, whole = true;
    double least = (double)INFINITY, most = 0;
    for (int64_t i = 0; reals && i < rows->count; i++) {
        double value = 0;
        int64_t number = 0;
        reals = tsr__text_is_real(&value, rows->name[i]) && isfinite(value);
        whole = whole && tsr__text_is_integer(&number, rows->name[i]);
        least = fmin(least, value);
        most = fmax(most, value);
    }
    f->lines = reals;
    f->wide = reals && least > 0 && most / least >= 100;
    f->row_kind = !reals ? TSR_CELL_TEXT : whole ? TSR_CELL_INTEGER : TSR_CELL_REAL;
}

tsr_status tsr__findings_open(tsr__findings *out, tsr_page *page, const char *folder,
                              const tsr_page_options *options)
{
    tsr_status status = TSR_OK;
    tsr__findings f = {.page = page, .folder = folder, .options = options};
    TSR_TRY(tsr__record_read(&f.e, folder));
    TSR_TRY(tsr__record_lines(&f.history, folder, "history.csv"));
    TSR_TRY(tsr__record_lines(&f.confusion, folder, "confusion.csv"));
    f.p = &f.e->protocol;
    f.metrics = tsr__experiment_metrics(f.e, f.metric);
    TSR_NEW_ZERO(f.finished, f.p->methods);
    for (int64_t i = 0; i < f.e->trials; i++) {
        f.finished[f.e->trial[i].method] += f.e->trial[i].done;
        f.done += f.e->trial[i].done;
    }
    f.row_name = name_of_rows(f.p);
    measure_rows(&f);
    *out = f;
    f = (tsr__findings){.e = NULL};
done:
    tsr__findings_clear(&f);
    return status;
}

void tsr__findings_clear(tsr__findings *f)
{
    tsr__input_close(&f->history);
    tsr__input_close(&f->confusion);
    tsr__free(f->finished);
    tsr_experiment_free(f->e);
    *f = (tsr__findings){.e = NULL};
}
