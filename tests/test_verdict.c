/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Verdicts on published figures: draws are made up, so that means, intervals and paired tests are known. */
#include "folder.h"

#include "learn/experiment.h"

#include <math.h>

enum { DRAWS = 4 };

/* Four draws of two rows; the columns' published figures are 50, 60, 70 and again 60. */
static const char *const study =
    "title = Made up\ndata = none\nvary = classes 2 3\ndraws = 4\npublished = d s\n"
    "published-rows = two, three\n"
    "[low]\nmodel = nmf\n[middle]\nmodel = nmf\n[high]\nmodel = nmf\n"
    "[other]\nmodel = nmf\npublished-as = middle\npost-hoc = true\n[plain]\nmodel = nmf\n";
static const char *const figures = "data,source,setting,method,metric,value\n"
                                   "d,s,two,low,AC,48\nd,s,three,low,AC,52\nd,s,average,middle,"
                                   "AC,60\nd,s,average,high,AC,70\n";

static void put_text(const char *name, const char *text)
{
    put_bytes(name, text, strlen(text));
}

/* An experiment all of whose draws are done; column m has mean[m], its draws `spread` around it, and
 * what all columns have in common goes up and down by `common`. */
static tsr_experiment made_up(const double mean[5], double spread, double common)
{
    tsr_experiment e = {0};
    put_text("study.txt", study);
    put_text("figures.csv", figures);
    check_ok(tsr__protocol_read(&e.protocol, path_of("study.txt")));
    check_ok(tsr__published_read(&e.published, path_of("figures.csv")));
    check_ok(tsr__experiment_list(&e));
    assert_int_equal(e.trials, 2 * DRAWS * 5);
    for (int64_t i = 0; i < e.trials; i++) {
        tsr__trial *t = &e.trial[i];
        const double way = t->draw % 2 == 0 ? 1 : -1;
        const double own = (t->draw + t->method) % 4 < 2 ? 1 : -1;
        t->done = true;
        t->accuracy = (mean[t->method] + way * common + own * spread) / 100;
        t->nmi = (double)NAN;
    }
    return e;
}

static void clear(tsr_experiment *e)
{
    tsr__protocol_clear(&e->protocol);
    tsr__names_clear(&e->published.field);
    tsr__free(e->trial);
}

static void check_words(const tsr_experiment *e, int64_t method, const char *wanted)
{
    const tsr__verdict v = tsr__experiment_verdict(e, method, "AC");
    char words[96];
    tsr__line line = TSR_LINE(words);
    tsr__verdict_tell(&line, e, &v);
    assert_string_equal(words, wanted);
}

/* Deviation of +-1 over four draws: sqrt(4 / 3); of the mean of two such rows sqrt(1 / 3 / 2), with six
 * degrees of freedom, of which 2.447 holds 95 %. */
static void intervals_are_students(void **state)
{
    const double mean[] = {50, 60, 70, 60, 1};
    (void)state;
    tsr_experiment e = made_up(mean, 1, 0);
    const tsr__verdict v = tsr__experiment_verdict(&e, 1, "AC");
    assert_true(fabs(v.cell.mean - 60) < 1e-12);
    assert_true(fabs(v.cell.deviation - sqrt(4. / 3)) < 1e-12);
    assert_true(fabs(v.half - 2.447 * sqrt(1. / 6)) < 1e-9);
    assert_int_equal(v.cell.degrees, 6);
    const tsr__cell row = tsr__experiment_cell(&e, 0, 1, "AC");
    assert_true(fabs(row.error - sqrt(1. / 3)) < 1e-12);
    clear(&e);
}

static void verdicts_are_what_they_say(void **state)
{
    const double as_published[] = {50, 60, 70, 60, 1}, off[] = {40, 50, 60, 50, 1},
                 near[] = {52.5, 60, 70, 62.5, 1}, turned[] = {75, 50, 60, 50, 1};
    (void)state;
    tsr_experiment e = made_up(as_published, 1, 0);
    check_words(&e, 0, "reproduced (2 of 2 orders sure)"); /* its average is that of the rows */
    check_words(&e, 2, "reproduced (2 of 2 orders sure)");
    check_words(&e, 3, "near, post hoc (2 of 2 orders sure)");
    assert_int_equal(tsr__experiment_verdict(&e, 4, "AC").name, TSR_VERDICT_NONE);
    clear(&e);
    e = made_up(near, 1, 0); /* 2.5 away, give or take 1 */
    check_words(&e, 0, "undecided (2 of 2 orders sure)");
    clear(&e);
    e = made_up(off, 1, 0);
    check_words(&e, 1, "order only (2 of 2 orders sure)");
    clear(&e);
    e = made_up(turned, 1, 0);
    check_words(&e, 0, "not (0 of 2 orders sure, 2 reversed: high)");
    check_words(&e, 1, "not (1 of 2 orders sure, 1 reversed: low)");
    clear(&e);
}

/* What a draw has in common for all makes intervals wide, and no order unsure. */
static void orders_are_paired(void **state)
{
    const double off[] = {40, 50, 60, 50, 1};
    (void)state;
    tsr_experiment e = made_up(off, 0.5, 20);
    check_words(&e, 1, "undecided (2 of 2 orders sure)");
    clear(&e);
    e = made_up(off, 20, 0);
    check_words(&e, 1, "undecided (0 of 2 orders sure)");
    clear(&e);
}

/* Runs that were stopped, and rows of one draw, say nothing. */
static void too_few_draws_say_nothing(void **state)
{
    const double mean[] = {50, 60, 70, 60, 1};
    (void)state;
    tsr_experiment e = made_up(mean, 1, 0);
    for (int64_t i = 0; i < e.trials; i++)
        e.trial[i].done = e.trial[i].draw == 0;
    check_words(&e, 1, "-");
    e.trial[0].done = false;
    check_words(&e, 0, "-");
    clear(&e);
}

/* The figure of a table of one row is that row's, not an average over rows that it has not. */
static void one_row_is_its_own_sum(void **state)
{
    tsr_experiment e = {0};
    (void)state;
    put_text("study.txt",
             "data = none\nvary = classes 2\npublished = d s\npublished-rows = two\n"
             "[low]\nmodel = nmf\n[middle]\nmodel = nmf\n");
    put_text("figures.csv", figures);
    check_ok(tsr__protocol_read(&e.protocol, path_of("study.txt")));
    check_ok(tsr__published_read(&e.published, path_of("figures.csv")));
    check_ok(tsr__experiment_list(&e));
    assert_true(tsr__experiment_cell(&e, -1, 0, "AC").published == 48);
    assert_true(isnan(tsr__experiment_cell(&e, -1, 1, "AC").published));
    clear(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_are_students), cmocka_unit_test(verdicts_are_what_they_say),
        cmocka_unit_test(orders_are_paired),      cmocka_unit_test(too_few_draws_say_nothing),
        cmocka_unit_test(one_row_is_its_own_sum),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
