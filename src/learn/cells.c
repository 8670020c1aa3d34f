/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The cells of an experiment's table: means over its trials, and what others published. */
#include "learn/experiment.h"

#include "base/text.h"
#include "io/field.h"
#include "io/file.h"

#include <math.h>
#include <string.h>

const char *tsr__experiment_row(const tsr__protocol *p, int64_t row)
{
    static const char *const summaries[] = {"average", "best"};
    return row < 0 ? summaries[p->study.summary] : p->key != NULL ? p->values.name[row] : "all";
}

/* Trials are listed row by row. */
int64_t tsr__experiment_first(const tsr_experiment *e, int64_t row)
{
    int64_t first = 0, end = e->trials;
    while (first < end) {
        const int64_t middle = first + (end - first) / 2;
        if (e->trial[middle].row < row)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

/* Published figures ----------------------------------------------------------------------- */

tsr_status tsr__published_read(tsr__published *out, const char *path)
{
    enum { FIELDS = 6 };
    tsr_status status = TSR_OK;
    tsr__input input = {NULL, 0, false};
    char *text = NULL;
    TSR_TRY(tsr__input_open(&input, path));
    const char *at = input.bytes, *end = at + input.size;
    while (at < end) {
        tsr__field field[FIELDS];
        const int64_t count = tsr__field_split(field, FIELDS, &at, end, ',');
        if (count == 1 && field[0].length == 0)
            continue;
        if (count != FIELDS)
            TSR_FAIL(TSR_ERROR_FORMAT, "%s: a line has %lld fields in place of %d", path,
                     (long long)count, FIELDS);
        for (int i = 0; i < FIELDS; i++) {
            text = tsr__field_copy(&field[i]);
            if (text == NULL)
                TSR_TRY(TSR_ERROR_MEMORY);
            TSR_TRY(tsr__names_add(&out->field, text));
            tsr__free(text);
            text = NULL;
        }
    }
done:
    tsr__free(text);
    tsr__input_close(&input);
    return status;
}

/* A wanted text that ends in a star is the beginning of what is found. */
static bool meant(const char *wanted, const char *found)
{
    const size_t length = strlen(wanted);
    return length > 0 && wanted[length - 1] == '*' ? strncmp(wanted, found, length - 1) == 0
                                                   : strcmp(wanted, found) == 0;
}

double tsr__published_find(const tsr__published *published, const char *data,
                           const char *source, const char *setting, const char *method,
                           const char *metric)
{
    const char *const wanted[] = {data, source, setting, method, metric};
    for (int64_t line = 0; line + 5 < published->field.count; line += 6) {
        char *const *field = published->field.name + line;
        bool same = true;
        for (int i = 0; i < 5 && same; i++)
            same = meant(wanted[i], field[i]);
        double value = (double)NAN;
        if (same && tsr__text_is_real(&value, field[5]))
            return value;
    }
    return (double)NAN;
}

/* Cells ----------------------------------------------------------------------------------- */

double tsr__trial_value(const tsr__trial *t, const char *metric)
{
    return strcmp(metric, "NMI") == 0 ? t->nmi : t->accuracy;
}

/* Which published figures the protocol asks for. */
typedef struct origin {
    char data[64], source[64];
} origin;

static bool asks(origin *out, const tsr__protocol *p)
{
    return p->study.published != NULL &&
           sscanf(p->study.published, "%63s %63s", out->data, out->source) == 2;
}

bool tsr__published_meant(const tsr__protocol *p, char *const field[6])
{
    origin from;
    return asks(&from, p) && meant(from.data, field[0]) && meant(from.source, field[1]);
}

static double published_in(const tsr_experiment *e, int64_t row, int64_t method,
                           const char *metric)
{
    const tsr__protocol *p = &e->protocol;
    const tsr__method *m = &p->method[method];
    origin from;
    if (!asks(&from, p))
        return (double)NAN;
    if (row < 0 && e->rows == 1 && p->study.summary == 0) /* one row is its own average */
        row = 0;
    const char *summary = p->study.summary == 1 ? "best*" : "average";
    const char *setting = row < 0 ? summary : row < p->rows.count ? p->rows.name[row] : "";
    const double value =
        tsr__published_find(&e->published, from.data, from.source, setting,
                            m->published_as != NULL ? m->published_as : m->name, metric);
    double sum = 0; /* NaN where a row has none */
    if (row >= 0 || !isnan(value) || p->study.summary == 1)
        return value;
    for (int64_t r = 0; r < e->rows; r++)
        sum += published_in(e, r, method, metric);
    return sum / (double)e->rows;
}

static tsr__cell cell_of_row(const tsr_experiment *e, int64_t row, int64_t method,
                             const char *metric)
{
    tsr__cell cell = {.published = published_in(e, row, method, metric), .row = row};
    double squares = 0;
    const int64_t end = tsr__experiment_first(e, row + 1);
    for (int64_t i = tsr__experiment_first(e, row) + method; i < end;
         i += e->protocol.methods) {
        const tsr__trial *t = &e->trial[i];
        if (!t->done)
            continue;
        const double value = 100 * tsr__trial_value(t, metric), before = cell.mean;
        cell.mean += (value - cell.mean) / (double)++cell.count;
        squares += (value - before) * (value - cell.mean);
    }
    cell.degrees = cell.count > 1 ? cell.count - 1 : 0;
    cell.deviation = cell.count > 1 ? sqrt(squares / (double)cell.degrees) : 0;
    cell.error = cell.count > 1 ? cell.deviation / sqrt((double)cell.count) : (double)NAN;
    return cell;
}

tsr__cell tsr__experiment_cell(const tsr_experiment *e, int64_t row, int64_t method,
                               const char *metric)
{
    if (row >= 0)
        return cell_of_row(e, row, method, metric);
    tsr__cell all = {.published = published_in(e, -1, method, metric), .row = -1};
    const tsr__cell none = all;
    for (int64_t r = 0; r < e->rows; r++) {
        const tsr__cell cell = cell_of_row(e, r, method, metric);
        if (e->protocol.study.summary == 1) {
            if (cell.count > 0 && (all.count == 0 || cell.mean > all.mean)) {
                all = cell;
                all.published = none.published;
            }
            continue;
        }
        if (cell.count == 0) /* a run that was stopped: no average yet */
            return none;
        all.mean += cell.mean / (double)e->rows;
        all.deviation += cell.deviation / (double)e->rows;
        all.error += cell.error * cell.error;
        all.degrees += cell.degrees;
        all.count += cell.count;
    }
    if (e->protocol.study.summary == 0)
        all.error = sqrt(all.error) / (double)e->rows;
    return all;
}
