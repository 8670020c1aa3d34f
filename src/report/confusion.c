/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A confusion matrix as a heat chart. What a reader looks for is errors: where there are too many
 * classes to look at, those that have most of them are kept. */
#include "report/confusion.h"

#include <stdlib.h>

enum { MOST = 60 };

typedef struct entry {
    int64_t class, errors;
} entry;

static int by_errors(const void *a, const void *b)
{
    const entry *left = a, *right = b;
    if (left->errors != right->errors)
        return left->errors > right->errors ? -1 : 1;
    return (left->class > right->class) - (left->class < right->class);
}

static int by_class(const void *a, const void *b)
{
    const entry *left = a, *right = b;
    return (left->class > right->class) - (left->class < right->class);
}

/* Errors that a class is part of, either way. */
static void count_errors(entry *e, const int64_t *counts, int64_t classes)
{
    for (int64_t c = 0; c < classes; c++)
        e[c] = (entry){c, 0};
    for (int64_t c = 0; c < classes; c++)
        for (int64_t d = 0; d < classes; d++)
            if (c != d) {
                e[c].errors += counts[c * classes + d];
                e[d].errors += counts[c * classes + d];
            }
}

tsr_status tsr__page_confusion(tsr_page *page, const char *id, const char *title,
                               const int64_t *counts, const char *const *name, int64_t classes)
{
    tsr_status status = TSR_OK;
    const int64_t shown = classes < MOST ? classes : MOST;
    entry *e = NULL;
    TSR_NEW(e, classes);
    count_errors(e, counts, classes);
    qsort(e, (size_t)classes, sizeof *e, by_errors);
    qsort(e, (size_t)shown, sizeof *e, by_class);
    if (shown < classes)
        tsr__page_note(page, "The %lld classes with the most errors are shown, of %lld.",
                       (long long)shown, (long long)classes);
    tsr__json *chart = tsr__page_chart(page, id, "heat", id, title);
    tsr__json_text(chart, "down", "class");
    tsr__json_text(chart, "across", "taken for");
    tsr__page_chart_end(page);
    tsr__page_table(page, id, title, true);
    tsr__page_column(page, "class", TSR_CELL_TEXT);
    for (int64_t d = 0; d < shown; d++) {
        tsr__page_column(page, name[e[d].class], TSR_CELL_INTEGER);
    }
    for (int64_t c = 0; c < shown; c++) {
        tsr__page_text(page, name[e[c].class]);
        for (int64_t d = 0; d < shown; d++)
            tsr__page_number(page, (double)counts[e[c].class * classes + e[d].class]);
    }
    tsr__page_table_end(page);
done:
    tsr__free(e);
    return status;
}
