/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What lies behind an experiment's means: how J fell, and which classes were taken for which. */
#include "report/confusion.h"
#include "report/findings.h"

#include <math.h>
#include <string.h>

/* Convergence ----------------------------------------------------------------------------- */

static tsr_status take_row(tsr__curve *out, const tsr__findings *f, int64_t row,
                           int64_t *methods)
{
    tsr_status status = TSR_OK;
    *methods = 0;
    for (int64_t m = 0; m < f->p->methods; m++) {
        out[m].count = 0;
        TSR_TRY(tsr__curve_take(&out[m], &f->history, tsr__experiment_row(f->p, row),
                                f->p->method[m].name));
        *methods += out[m].count > 0;
    }
done:
    return status;
}

/* The last of the rows that tell of the most methods: tasks grow with the rows. */
static tsr_status choose_row(int64_t *row, int64_t *methods, tsr__curve *curve,
                             const tsr__findings *f)
{
    tsr_status status = TSR_OK;
    *methods = *row = 0;
    for (int64_t r = f->e->rows - 1; r >= 0 && *methods < f->p->methods; r--) {
        int64_t here = 0;
        TSR_TRY(take_row(curve, f, r, &here));
        *row = here > *methods ? r : *row;
        *methods = here > *methods ? here : *methods;
    }
    TSR_TRY(take_row(curve, f, *row, methods));
done:
    return status;
}

static void curves_table(const tsr__findings *f, const tsr__curve *curve)
{
    tsr__page_table(f->page, "convergence", "J by iteration", true);
    tsr__page_column(f->page, "iteration", TSR_CELL_INTEGER);
    tsr__page_column(f->page, "method", TSR_CELL_TEXT);
    tsr__page_column(f->page, "J", TSR_CELL_REAL);
    tsr__page_column(f->page, "J / first J", TSR_CELL_REAL);
    for (int64_t m = 0; m < f->p->methods; m++)
        for (int64_t i = 0; i < curve[m].count; i++) {
            const double first = curve[m].objective[0];
            tsr__page_number(f->page, (double)curve[m].iteration[i]);
            tsr__page_text(f->page, f->p->method[m].name);
            tsr__page_number(f->page, curve[m].objective[i]);
            tsr__page_number(f->page, first > 0 ? curve[m].objective[i] / first : (double)NAN);
        }
    tsr__page_table_end(f->page);
}

static void curves_chart(const tsr__findings *f)
{
    tsr__json *chart = tsr__page_chart(f->page, "convergence", "line", "convergence",
                                       "J over its value after the first iteration");
    tsr__json_text(chart, "x", "iteration");
    tsr__page_list(chart, "y", (const char *const[]){"J / first J", NULL});
    tsr__json_text(chart, "series", "method");
    tsr__page_list(chart, "log", (const char *const[]){"x", NULL});
    tsr__page_chart_end(f->page);
}

tsr_status tsr__show_curves(tsr__findings *f)
{
    tsr_status status = TSR_OK;
    tsr__curve *curve = NULL;
    int64_t row = 0, methods = 0;
    const bool many = f->e->rows > 1;
    TSR_NEW_ZERO(curve, f->p->methods);
    TSR_TRY(choose_row(&row, &methods, curve, f));
    if (methods == 0) {
        tsr__page_note(f->page,
                       "No method that iterates has finished a first draw, or an older "
                       "version ran them: history.csv has no line.");
        goto done;
    }
    tsr__page_say(
        f->page,
        "How the objective J fell in the first draw%s%s%s%s. Objectives differ from "
        "method to method, so that each is divided by its own first value: how far it "
        "falls compares no methods, how soon it is flat does. Some iterations are left "
        "out, evenly on the logarithmic axis.",
        many ? ", " : "", many ? tsr__findings_axis(f) : "", many ? " = " : "",
        many ? tsr__experiment_row(f->p, row) : "");
    curves_chart(f);
    curves_table(f, curve);
done:
    for (int64_t m = 0; curve != NULL && m < f->p->methods; m++)
        tsr__curve_clear(&curve[m]);
    tsr__free(curve);
    return status;
}

/* Confusion ------------------------------------------------------------------------------- */

static tsr_status show_matrix(bool *shown, tsr__findings *f, int64_t method)
{
    tsr_status status = TSR_OK;
    tsr__counts counts = {.count = NULL};
    char id[48], title[512];
    TSR_TRY(tsr__counts_take(&counts, f->e, method, &f->confusion));
    *shown = counts.names.count > 0;
    if (!*shown)
        goto done;
    (void)snprintf(id, sizeof id, "confusion-%lld", (long long)method + 1);
    if (f->e->rows > 1)
        (void)snprintf(title, sizeof title, "%.200s, %.100s = %.60s", f->p->method[method].name,
                       tsr__findings_axis(f), tsr__experiment_row(f->p, counts.row));
    else
        (void)snprintf(title, sizeof title, "%.200s", f->p->method[method].name);
    TSR_TRY(tsr__page_confusion(f->page, id, title, counts.count,
                                (const char *const *)counts.names.name, counts.names.count));
done:
    tsr__counts_clear(&counts);
    return status;
}

tsr_status tsr__show_counts(tsr__findings *f)
{
    enum { MOST = 12 };
    tsr_status status = TSR_OK;
    int64_t matrices = 0, m = 0;
    tsr__page_say(
        f->page,
        "Samples of each class by the class that they were taken for%s, summed over the "
        "draws%s.",
        f->metrics > 1 ? ", which is the one that their cluster is scored as" : "",
        f->e->rows < 2 ? ""
        : f->metrics > 1 && strcmp(f->row_name, "classes") == 0
            ? " of the row with the most classes"
            : " of each method's best row");
    for (; m < f->p->methods && matrices < MOST; m++) {
        bool shown = false;
        TSR_TRY(show_matrix(&shown, f, m));
        matrices += shown;
    }
    if (matrices == 0)
        tsr__page_note(f->page, "confusion.csv has no line of these trials: an older version "
                                "ran them.");
    if (m < f->p->methods)
        tsr__page_note(f->page,
                       "The first %lld methods are shown, of %lld; the folder has a file "
                       "confusion-METHOD.csv for each.",
                       (long long)matrices, (long long)f->p->methods);
done:
    return status;
}
