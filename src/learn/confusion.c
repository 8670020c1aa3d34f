/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Confusion matrices of an experiment. Counts of every trial are lines of confusion.csv
 *
 *     row,draw,method,class,predicted,count      (counts of zero are left out)
 *
 * written when it is done, so that resumed runs have those of the earlier ones. Each method's
 * matrix sums the draws of its best row: a line a class, a column a class predicted. */
#include "learn/experiment.h"

#include "io/file.h"
#include "io/folder.h"

#include <errno.h>
#include <string.h>

void tsr__confusion_print(FILE *to, const tsr__experiment *e, const tsr__trial *t,
                          const tsr_labels *labels)
{
    const int32_t classes = tsr_labels_classes(labels);
    for (int32_t c = 0; c < classes; c++)
        for (int32_t d = 0; d < classes; d++)
            if (t->confusion[c * classes + d] > 0)
                (void)fprintf(to, "%s,%lld,%s,%s,%s,%lld\n",
                              tsr__experiment_row(&e->protocol, t->row), (long long)t->draw,
                              e->protocol.method[t->method].name, tsr_labels_name(labels, c),
                              tsr_labels_name(labels, d),
                              (long long)t->confusion[c * classes + d]);
}

/* One line of confusion.csv. */
typedef struct entry {
    char row[128], method[128], class[128], predicted[128];
    long long count;
} entry;

/* The next line of a row and method; false at the end. */
static bool next_entry(entry *out, FILE *from, const char *row, const char *method)
{
    char line[1024];
    while (fgets(line, sizeof line, from) != NULL)
        if (sscanf(line, "%127[^,],%*d,%127[^,],%127[^,],%127[^,],%lld", out->row, out->method,
                   out->class, out->predicted, &out->count) == 5 &&
            strcmp(out->row, row) == 0 && strcmp(out->method, method) == 0)
            return true;
    return false;
}

static int64_t place_of(const tsr__names *names, const char *name)
{
    int64_t i = 0;
    while (i < names->count && strcmp(names->name[i], name) != 0)
        i++;
    return i;
}

/* Every class has test samples, so that lines name them all, in order. */
static tsr_status name_classes(tsr__names *out, FILE *from, const char *row, const char *method)
{
    tsr_status status = TSR_OK;
    entry e;
    rewind(from);
    while (next_entry(&e, from, row, method))
        if (place_of(out, e.class) == out->count)
            TSR_TRY(tsr__names_add(out, e.class));
done:
    return status;
}

static tsr_status sum(int64_t **out, const tsr__names *names, FILE *from, const char *row,
                      const char *method)
{
    tsr_status status = TSR_OK;
    int64_t *count = NULL;
    entry e;
    TSR_NEW_ZERO(count, names->count * names->count);
    rewind(from);
    while (next_entry(&e, from, row, method)) {
        const int64_t c = place_of(names, e.class), d = place_of(names, e.predicted);
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
    for (int64_t d = 0; d < names->count; d++)
        (void)fprintf(to, ",%s", names->name[d]);
    for (int64_t c = 0; c < names->count; c++) {
        (void)fprintf(to, "\n%s", names->name[c]);
        for (int64_t d = 0; d < names->count; d++)
            (void)fprintf(to, ",%lld", (long long)count[c * names->count + d]);
    }
    (void)fprintf(to, "\n");
}

static int64_t best_row(const tsr__experiment *e, int64_t method)
{
    int64_t best = 0;
    for (int64_t row = 1; row < e->rows; row++)
        if (tsr__experiment_cell(e, row, method, "accuracy").mean >
            tsr__experiment_cell(e, best, method, "accuracy").mean)
            best = row;
    return best;
}

static tsr_status write_matrix(const tsr__experiment *e, int64_t method, const char *folder,
                               FILE *from)
{
    tsr_status status = TSR_OK;
    const char *name = e->protocol.method[method].name;
    const char *row = tsr__experiment_row(&e->protocol, best_row(e, method));
    char file[192], *path = NULL;
    tsr__names names = {NULL, 0, 0};
    int64_t *count = NULL;
    FILE *to = NULL;
    (void)snprintf(file, sizeof file, "confusion-%.128s.csv", name);
    path = tsr__path_join(folder, file);
    if (path == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    TSR_TRY(name_classes(&names, from, row, name));
    TSR_TRY(sum(&count, &names, from, row, name));
    TSR_TRY(tsr__stream_open(&to, path));
    print_matrix(to, &names, count);
    TSR_TRY(tsr__stream_close(to, TSR_OK));
done:
    tsr__free(path);
    tsr__free(count);
    tsr__names_clear(&names);
    return status;
}

tsr_status tsr__confusion_write(const tsr__experiment *e, const char *folder)
{
    tsr_status status = TSR_OK;
    FILE *from = NULL;
    char *path = tsr__path_join(folder, "confusion.csv");
    if (path == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    from = fopen(path, "re");
    if (from == NULL)
        TSR_FAIL(TSR_ERROR_IO, "%s: %s", path, strerror(errno));
    for (int64_t m = 0; m < e->protocol.methods; m++)
        TSR_TRY(write_matrix(e, m, folder, from));
done:
    tsr__free(path);
    if (from != NULL)
        (void)fclose(from);
    return status;
}
