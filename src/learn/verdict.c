/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the draws of an experiment say of a published figure.
 *
 *     interval     95 % of the mean of our draws, by Student's t; of an average over rows the rows'
 *                  variances add up
 *     reproduced   it lies within three points of the published figure
 *     undecided    it lies within and without: more draws would tell
 *     order only   it lies without, but of the published orders of this method with the others no
 *                  paired test over the draws refutes one and at least half confirm theirs
 *     not          the rest
 *
 * Methods are compared on the same draws, so that what a draw has in common for all cancels in the
 * difference. A method that the protocol marks as post hoc is never reproduced, and no yardstick of
 * the order of others. Three points are what the papers' own tables differ by between draws. */
#include "learn/experiment.h"
#include "learn/select.h"

#include <math.h>
#include <string.h>

static const double NEAR = 3;

/* Mean difference of two methods over the draws that both have, and its standard error. */
typedef struct gap {
    double mean, error;
    int64_t degrees;
} gap;

/* Of one row each: the same, or for best ones those in which each is best. Draws are the same. */
static gap gap_of_rows(const tsr_experiment *e, int64_t a, int64_t row_a, int64_t b,
                       int64_t row_b, const char *metric)
{
    const int64_t methods = e->protocol.methods, first_a = tsr__experiment_first(e, row_a),
                  first_b = tsr__experiment_first(e, row_b),
                  draws = (tsr__experiment_first(e, row_a + 1) - first_a) / methods,
                  others = (tsr__experiment_first(e, row_b + 1) - first_b) / methods;
    double mean = 0, squares = 0;
    int64_t count = 0;
    for (int64_t d = 0; d < draws && d < others; d++) {
        const tsr__trial *one = &e->trial[first_a + d * methods + a],
                         *other = &e->trial[first_b + d * methods + b];
        if (!one->done || !other->done)
            continue;
        const double apart =
            100 * (tsr__trial_value(one, metric) - tsr__trial_value(other, metric));
        const double before = mean;
        mean += (apart - mean) / (double)++count;
        squares += (apart - before) * (apart - mean);
    }
    const double n = (double)count;
    return count > 1 ? (gap){mean, sqrt(squares / (n - 1) / n), count - 1}
                     : (gap){mean, (double)INFINITY, 1};
}

static gap gap_of(const tsr_experiment *e, int64_t a, int64_t b, const char *metric)
{
    gap all = {0, 0, 0};
    if (e->protocol.study.summary == 1)
        return gap_of_rows(e, a, tsr__experiment_cell(e, -1, a, metric).row, b,
                           tsr__experiment_cell(e, -1, b, metric).row, metric);
    for (int64_t r = 0; r < e->rows; r++) {
        const gap row = gap_of_rows(e, a, r, b, r, metric);
        all.mean += row.mean / (double)e->rows;
        all.error += row.error * row.error;
        all.degrees += row.degrees;
    }
    all.error = sqrt(all.error) / (double)e->rows;
    return all;
}

static const char *figure_of(const tsr__method *m)
{
    return m->published_as != NULL ? m->published_as : m->name;
}

static void compare(tsr__verdict *v, const tsr_experiment *e, int64_t method,
                    const char *metric)
{
    const tsr__method *all = e->protocol.method;
    for (int64_t m = 0; m < e->protocol.methods; m++) {
        const tsr__cell cell = tsr__experiment_cell(e, -1, m, metric);
        const double published = v->cell.published - cell.published;
        if (m == method || all[m].post_hoc || cell.count == 0 || !(fabs(published) > 0) ||
            strcmp(figure_of(&all[m]), figure_of(&all[method])) == 0)
            continue;
        const gap ours = gap_of(e, method, m, metric);
        const bool sure = fabs(ours.mean) > tsr__student(ours.degrees) * ours.error;
        v->pairs++;
        v->sure += sure && ours.mean * published > 0;
        if (sure && ours.mean * published < 0) {
            v->reversed++;
            v->against = m;
        }
    }
}

tsr__verdict tsr__experiment_verdict(const tsr_experiment *e, int64_t method,
                                     const char *metric)
{
    tsr__verdict v = {.cell = tsr__experiment_cell(e, -1, method, metric), .against = -1};
    const double apart = fabs(v.cell.mean - v.cell.published);
    if (v.cell.count == 0 || v.cell.degrees < 1 || isnan(v.cell.error) ||
        isnan(v.cell.published))
        return v;
    v.half = tsr__student(v.cell.degrees) * v.cell.error;
    compare(&v, e, method, metric);
    const bool holds = v.reversed == 0 && v.pairs > 0 && 2 * v.sure >= v.pairs;
    v.name =
        apart + v.half <= NEAR
            ? e->protocol.method[method].post_hoc ? TSR_VERDICT_NEAR : TSR_VERDICT_REPRODUCED
        : apart - v.half <= NEAR ? TSR_VERDICT_UNDECIDED
        : holds                  ? TSR_VERDICT_ORDER
                                 : TSR_VERDICT_NOT;
    return v;
}

void tsr__verdict_tell(tsr__line *out, const tsr_experiment *e, const tsr__verdict *v)
{
    static const char *const words[] = {"-",         "reproduced", "near, post hoc",
                                        "undecided", "order only", "not"};
    tsr__line_add(out, "%s", words[v->name]);
    if (v->pairs > 0)
        tsr__line_add(out, " (%lld of %lld orders sure", (long long)v->sure,
                      (long long)v->pairs);
    if (v->reversed > 0)
        tsr__line_add(out, ", %lld reversed: %.24s", (long long)v->reversed,
                      e->protocol.method[v->against].name);
    if (v->pairs > 0)
        tsr__line_add(out, ")");
}
