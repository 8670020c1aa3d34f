/* SPDX-License-Identifier: BSD-2-Clause
 *
 * draws.csv, a line a finished trial:
 *
 *     row,draw,method,accuracy,nmi,rank,seconds
 *
 * Names with commas, quotes or line ends stand in quotes. A run that resumes takes the lines of
 * its own trials for done and passes over all others: the head, what a stop cut short, methods
 * of another protocol, figures that are no shares. */
#include "learn/experiment.h"

#include "base/text.h"
#include "io/field.h"
#include "io/file.h"

#include <math.h>
#include <unistd.h>

void tsr__draws_print(FILE *to, const tsr_experiment *e, const tsr__trial *t)
{
    char accuracy[TSR_REAL_SIZE], nmi[TSR_REAL_SIZE];
    (void)tsr__format_real(accuracy, t->accuracy);
    (void)tsr__format_real(nmi, t->nmi);
    tsr__field_print(to, tsr__experiment_row(&e->protocol, t->row), ',');
    (void)fprintf(to, ",%lld,", (long long)t->draw);
    tsr__field_print(to, e->protocol.method[t->method].name, ',');
    (void)fprintf(to, ",%s,%s,%lld,%.3f\n", accuracy, nmi, (long long)t->rank, t->seconds);
}

/* From 0 to 1, give or take a rounding. */
static bool share(double *out, const tsr__field *field)
{
    return tsr__field_number(out, field) && *out >= -1e-9 && *out <= 1 + 1e-9;
}

/* What a line says of its trial; NaN is no NMI. */
static bool read_figures(tsr__trial *t, const tsr__field field[4])
{
    return share(&t->accuracy, &field[0]) && (share(&t->nmi, &field[1]) || isnan(t->nmi)) &&
           tsr__field_integer(&t->rank, &field[2]) &&
           tsr__field_number(&t->seconds, &field[3]) && t->seconds >= 0;
}

static void finish(tsr__trial *t, const tsr__trial *found)
{
    t->accuracy = found->accuracy;
    t->nmi = found->nmi;
    t->rank = found->rank;
    t->seconds = found->seconds;
    t->done = true;
}

static void take_line(tsr_experiment *e, const tsr__field field[7])
{
    const tsr__protocol *p = &e->protocol;
    tsr__trial found = {0};
    int64_t draw = 0;
    if (!tsr__field_integer(&draw, &field[1]) || !read_figures(&found, field + 3))
        return;
    for (int64_t row = 0; row < e->rows; row++) {
        if (!tsr__field_same(&field[0], tsr__experiment_row(p, row)))
            continue;
        const int64_t first = tsr__experiment_first(e, row);
        const int64_t last = tsr__experiment_first(e, row + 1);
        if (draw < 0 || draw >= (last - first) / p->methods)
            continue;
        for (int64_t m = 0; m < p->methods; m++)
            if (tsr__field_same(&field[2], p->method[m].name))
                finish(&e->trial[first + draw * p->methods + m], &found);
    }
}

tsr_status tsr__draws_take(tsr_experiment *e, const char *path)
{
    enum { FIELDS = 7 };
    tsr_status status = TSR_OK;
    tsr__input input = {NULL, 0, false};
    tsr__field field[FIELDS];
    if (access(path, F_OK) != 0)
        return TSR_OK;
    TSR_TRY(tsr__input_open(&input, path));
    const char *at = input.bytes, *end = at + input.size;
    while (at < end)
        if (tsr__field_split(field, FIELDS, &at, end, ',') == FIELDS)
            take_line(e, field);
done:
    tsr__input_close(&input);
    return status < 0 ? tsr__fail_in(status, path) : status;
}
