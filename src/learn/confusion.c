/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Confusion matrices of an experiment. Counts of every trial are lines of confusion.csv
 *
 *     row,draw,method,class,predicted,count      (counts of zero are left out)
 *
 * written when it is done, so that resumed runs have those of the earlier ones. What is clustered
 * is predicted to be the class that its cluster is scored as. Each method's matrix sums the draws
 * of a row: a line a class, a column a class predicted. */
#include "learn/experiment.h"

#include "base/bound.h"
#include "io/field.h"
#include "io/folder.h"

#include <stdlib.h>
#include <string.h>

void tsr__confusion_print(FILE *to, const tsr_experiment *e, const tsr__trial *t,
                          const tsr_labels *labels)
{
    const int32_t classes = tsr_labels_classes(labels);
    for (int32_t c = 0; c < classes; c++)
        for (int32_t d = 0; d < classes; d++) {
            if (t->confusion[c * classes + d] == 0)
                continue;
            tsr__field_print(to, tsr__experiment_row(&e->protocol, t->row), ',');
            (void)fprintf(to, ",%lld,", (long long)t->draw);
            tsr__field_print(to, e->protocol.method[t->method].name, ',');
            (void)fputc(',', to);
            tsr__field_print(to, tsr_labels_name(labels, c), ',');
            (void)fputc(',', to);
            tsr__field_print(to, tsr_labels_name(labels, d), ',');
            (void)fprintf(to, ",%lld\n", (long long)t->confusion[c * classes + d]);
        }
}

/* Lines of one row and method. */
typedef struct search {
    const char *at, *end; /* what is left of confusion.csv */
    const char *row, *method;
} search;

/* One line of confusion.csv. */
typedef struct entry {
    tsr__field class, predicted;
    int64_t count;
} entry;

/* The next line; false at the end. */
static bool next_entry(entry *out, search *s)
{
    enum { FIELDS = 6 };
    tsr__field field[FIELDS];
    while (s->at < s->end)
        if (tsr__field_split(field, FIELDS, &s->at, s->end, ',') == FIELDS &&
            tsr__field_same(&field[0], s->row) && tsr__field_same(&field[2], s->method) &&
            tsr__field_integer(&out->count, &field[5]) && out->count >= 0 &&
            out->count <= INT32_MAX) {
            out->class = field[3];
            out->predicted = field[4];
            return true;
        }
    return false;
}

static int64_t place_of(const tsr__names *names, const tsr__field *name)
{
    int64_t i = 0;
    while (i < names->count && !tsr__field_same(name, names->name[i]))
        i++;
    return i;
}

static int by_name(const void *a, const void *b)
{
    return tsr__compare_natural(*(char *const *)a, *(char *const *)b);
}

/* Every class has test samples, so that lines name them all, in order; classes that draws choose
 * are put in order. */
static tsr_status name_classes(tsr__names *out, search s, bool sorted)
{
    tsr_status status = TSR_OK;
    char *text = NULL;
    entry e;
    while (next_entry(&e, &s)) {
        if (place_of(out, &e.class) < out->count)
            continue;
        text = tsr__field_copy(&e.class);
        if (text == NULL)
            TSR_TRY(TSR_ERROR_MEMORY);
        TSR_TRY(tsr__names_add(out, text));
        tsr__free(text);
        text = NULL;
    }
    if (sorted && out->count > 1)
        qsort(out->name, (size_t)out->count, sizeof *out->name, by_name);
done:
    tsr__free(text);
    return status;
}

static tsr_status sum(int64_t **out, const tsr__names *names, search s)
{
    tsr_status status = TSR_OK;
    int64_t *count = NULL;
    entry e;
    const tsr__bound bound = {s.end - s.at, 0};
    const double bytes = (double)names->count * (double)names->count * sizeof *count;
    TSR_TRY(tsr__bound_check(&bound, bytes, "%lld classes", (long long)names->count));
    TSR_NEW_ZERO(count, names->count * names->count);
    while (next_entry(&e, &s)) {
        const int64_t c = place_of(names, &e.class), d = place_of(names, &e.predicted);
        if (c < names->count && d < names->count)
            count[c * names->count + d] += e.count;
    }
    *out = count;
done:
    return status;
}

static void print_matrix(FILE *to, const tsr__names *names, const int64_t *count)
{
    (void)fprintf(to, "class");
    for (int64_t d = 0; d < names->count; d++) {
        (void)fputc(',', to);
        tsr__field_print(to, names->name[d], ',');
    }
    for (int64_t c = 0; c < names->count; c++) {
        (void)fputc('\n', to);
        tsr__field_print(to, names->name[c], ',');
        for (int64_t d = 0; d < names->count; d++)
            (void)fprintf(to, ",%lld", (long long)count[c * names->count + d]);
    }
    (void)fprintf(to, "\n");
}

/* More classes make another task, not a better method. */
static double worth(const tsr_experiment *e, int64_t row, int64_t method)
{
    const tsr__protocol *p = &e->protocol;
    const tsr__cell cell = tsr__experiment_cell(e, row, method, "accuracy");
    double classes = 0;
    if (p->study.task == TSR_TASK_CLUSTER && p->key != NULL && strcmp(p->key, "classes") == 0 &&
        cell.count > 0)
        (void)tsr__text_is_real(&classes, p->values.name[row]);
    return classes > 0 ? classes : cell.mean;
}

static int64_t best_row(const tsr_experiment *e, int64_t method)
{
    int64_t best = 0;
    double most = worth(e, 0, method);
    for (int64_t row = 1; row < e->rows; row++) {
        const double here = worth(e, row, method);
        best = here > most ? row : best;
        most = here > most ? here : most;
    }
    return best;
}

tsr_status tsr__counts_take(tsr__counts *out, const tsr_experiment *e, int64_t method,
                            const tsr__input *lines)
{
    tsr_status status = TSR_OK;
    tsr__counts c = {.row = best_row(e, method)};
    const search all = {lines->bytes, lines->bytes + lines->size,
                        tsr__experiment_row(&e->protocol, c.row),
                        e->protocol.method[method].name};
    TSR_TRY(name_classes(&c.names, all, e->protocol.study.task == TSR_TASK_CLUSTER));
    TSR_TRY(sum(&c.count, &c.names, all));
    *out = c;
    c = (tsr__counts){.count = NULL};
done:
    tsr__counts_clear(&c);
    return status;
}

void tsr__counts_clear(tsr__counts *counts)
{
    tsr__names_clear(&counts->names);
    tsr__free(counts->count);
    *counts = (tsr__counts){.count = NULL};
}

static tsr_status write_matrix(const tsr_experiment *e, int64_t method, const char *folder,
                               const tsr__input *lines)
{
    tsr_status status = TSR_OK;
    tsr__counts counts = {.count = NULL};
    char file[192], *path = NULL;
    FILE *to = NULL;
    (void)snprintf(file, sizeof file, "confusion-%.128s.csv", e->protocol.method[method].name);
    for (char *c = file; *c != '\0'; c++) /* no folders by names */
        *c = *c == '/' ? '_' : *c;
    path = tsr__path_join(folder, file);
    if (path == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    TSR_TRY(tsr__counts_take(&counts, e, method, lines));
    if (counts.names.count == 0) /* an older run kept none */
        goto done;
    TSR_TRY(tsr__stream_open(&to, path));
    print_matrix(to, &counts.names, counts.count);
    TSR_TRY(tsr__stream_close(to, TSR_OK));
done:
    tsr__free(path);
    tsr__counts_clear(&counts);
    return status;
}

tsr_status tsr__confusion_write(const tsr_experiment *e, const char *folder)
{
    tsr_status status = TSR_OK;
    tsr__input lines = {NULL, 0, false};
    TSR_TRY(tsr__record_lines(&lines, folder, "confusion.csv"));
    for (int64_t m = 0; m < e->protocol.methods; m++)
        TSR_TRY(write_matrix(e, m, folder, &lines));
done:
    tsr__input_close(&lines);
    return status;
}
