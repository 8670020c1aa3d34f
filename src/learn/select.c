/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Cross-validation of rank and weight, folds and candidates side by side.
 *
 * Every candidate is fitted without one fold after another (holdout.c: labels or entries, the
 * same for all) and judged by what it was not shown. Of the mean scores the best is that of the
 * true model and a few larger ones that are as good by chance, so the rule is one standard error:
 * the smallest rank that is not worse than the best by more than the standard error of their
 * difference, fold by fold; of equal ranks the smallest weight, which is nearest to the plain
 * factorization. What folds have in common cancels in the difference, which makes it sharper
 * than the standard error of the best mean alone: of 40 products of rank 5 with 15 % of noise
 * (100 x 40, ranks 2 to 8) it finds the rank in 32, the other in 28; with less noise both find
 * it always. A second start of each fit finds no more: --restarts is left to the user. */
#include "learn/select.h"

#include "base/progress.h"
#include "base/settings.h"
#include "base/text.h"
#include "factor/terms.h"
#include "learn/holdout.h"
#include "matrix/parallel.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static const tsr_setting table[] = {
    TSR_TEXT_ROW(tsr_select_options, ranks, "ranks", 0, NULL, "LIST",
                 "ranks to try, such as 2-8 or 5,10,20-60/10; required"),
    TSR_TEXT_ROW(tsr_select_options, weights, "weights", 0, NULL, "W,W,..",
                 "weights to try: the model's own term"),
    TSR_INTEGER_ROW(tsr_select_options, folds, "folds", 0, 2, 1000, "5", "N",
                    "parts held out in turn"),
    TSR_CHOICE_ROW(tsr_select_options, by, "by", "auto|labels|entries",
                   "what is held out; auto: labels where they can judge, else entries"),
    TSR_CHOICE_ROW(tsr_select_options, rule, "rule", "one-se|best",
                   "the smallest rank within a standard error of the best, or the best"),
    TSR_END_ROW,
};

const tsr_setting *tsr_select_settings(void)
{
    return table;
}

/* What the two texts of the options say. */
struct lists {
    int64_t *rank, ranks;
    double *weight;
    int64_t weights;
};

static void lists_clear(struct lists *lists)
{
    tsr__free(lists->rank);
    tsr__free(lists->weight);
}

struct selecting {
    const tsr_fit_options *fit;
    const tsr_select_options *options;
    tsr_selection *selection;
    tsr__holdout holdout;
    double *score;  /* candidates x folds */
    int64_t *noted; /* of each candidate: the fold that its note is of */
    tsr__task task;
    int64_t finished;    /* fits */
    _Atomic int stopped; /* status that ends it all, or TSR_OK */
};

/* Telling whoever watches ----------------------------------------------------------------- */

static void tell(void *context)
{
    struct selecting *s = context;
    if (s->stopped == TSR_OK)
        s->stopped = (int)tsr__task_step(&s->task, s->finished, (double)NAN, (double)NAN);
}

/* A fit's step is a chance to be stopped; what is told is how many fits are done. */
static bool relay(void *user, const tsr_step *step)
{
    struct selecting *s = user;
    (void)step;
    tsr__exclusive(tell, s);
    return s->stopped == TSR_OK;
}

struct outcome {
    struct selecting *s;
    int64_t candidate, fold;
    tsr_status status;
};

/* A candidate that cannot be fitted says why, by its first fold; a machine that cannot go on
 * ends it all. */
static void finish(void *context)
{
    struct outcome *now = context;
    struct selecting *s = now->s;
    tsr_candidate *c = &s->selection->candidate[now->candidate];
    s->finished++;
    if (now->status == TSR_ERROR_MEMORY || now->status == TSR_ERROR_INTERRUPTED) {
        s->stopped = s->stopped == TSR_OK ? (int)now->status : s->stopped;
    } else if (now->status < 0 && (*c->note == '\0' || now->fold < s->noted[now->candidate])) {
        tsr__line note = TSR_LINE(c->note);
        tsr__line_add(&note, "%s", tsr_message());
        s->noted[now->candidate] = now->fold;
    }
    tell(s);
}

/* Fits ------------------------------------------------------------------------------------ */

static tsr_status settle(tsr_fit_options *out, const struct selecting *s,
                         const tsr_progress *progress, const tsr_candidate *c, int64_t fold)
{
    char text[40];
    *out = *s->fit;
    out->rank = c->rank;
    out->threads = 1;
    out->progress = progress;
    out->seed = s->fit->seed + fold;
    if (isnan(c->weight))
        return TSR_OK;
    (void)snprintf(text, sizeof text, "%.17g", c->weight);
    return tsr_settings_set(tsr_fit_settings(), out, s->selection->about.weight, text);
}

static void score_one(void *context, int64_t item, int thread)
{
    struct selecting *s = context;
    const int64_t folds = s->options->folds, candidate = item / folds, fold = item % folds;
    const tsr_progress progress = {relay, s};
    tsr_fit_options fit;
    tsr__verdict verdict = {0};
    (void)thread;
    if (s->stopped != TSR_OK)
        return;
    tsr_status status = settle(&fit, s, &progress, &s->selection->candidate[candidate], fold);
    if (status == TSR_OK)
        status = tsr__holdout_score(&verdict, &s->holdout, &fit, fold);
    s->score[item] = verdict.score;
    tsr__exclusive(finish, &(struct outcome){s, candidate, fold, status});
}

static tsr_status list_candidates(tsr_selection *out, const struct lists *lists)
{
    tsr_status status = TSR_OK;
    const int64_t weights = lists->weights > 0 ? lists->weights : 1;
    TSR_NEW(out->candidate, lists->ranks * weights);
    for (int64_t r = 0; r < lists->ranks; r++)
        for (int64_t w = 0; w < weights; w++)
            out->candidate[out->about.candidates++] =
                (tsr_candidate){.rank = lists->rank[r],
                                .weight = lists->weights > 0 ? lists->weight[w] : (double)NAN};
done:
    return status;
}

/* Entries need a reconstruction, which baselines lack. */
static tsr_status hold_out(struct selecting *s, const tsr_data *data)
{
    tsr_status status = TSR_OK;
    const tsr_select_options *o = s->options;
    const tsr_labels *labels = tsr_data_labels(data);
    const bool any = labels != NULL && tsr_labels_known(labels) > 0;
    if (o->by == TSR_SELECT_LABELS || (o->by == TSR_SELECT_AUTO && any)) {
        status = tsr__holdout_labels(&s->holdout, data, o->folds, s->fit->seed);
        if (status != TSR_ERROR_DATA || o->by == TSR_SELECT_LABELS)
            goto done;
        tsr__line note = TSR_LINE(s->selection->about.note);
        tsr__line_add(&note, "%s; entries are held out instead", tsr_message());
    }
    TSR_TRY(tsr__holdout_refuses(s->fit));
    TSR_TRY(tsr__holdout_entries(&s->holdout, data, s->fit, 1, o->folds));
done:
    s->selection->about.by_labels = s->holdout.by_labels;
    s->selection->about.judged = s->holdout.judged;
    return status;
}

/* The choice ------------------------------------------------------------------------------ */

static bool usable(const tsr_candidate *c)
{
    return *c->note == '\0';
}

static bool simpler(const tsr_candidate *a, const tsr_candidate *b)
{
    return a->rank < b->rank || (a->rank == b->rank && a->weight < b->weight);
}

/* Mean and standard deviation of `count` numbers. */
static void describe(double *mean, double *deviation, const double *number, int64_t count)
{
    double squares = 0;
    *mean = 0;
    for (int64_t i = 0; i < count; i++)
        *mean += number[i] / (double)count;
    for (int64_t i = 0; i < count; i++)
        squares += pow(number[i] - *mean, 2);
    *deviation = count > 1 ? sqrt(squares / (double)(count - 1)) : 0;
}

/* Candidate i is not worse than the best by more than a standard error, or, of entries, than a
 * share of the squares that fits leave to chance when they stop. `gap` has room for a number a
 * fold. */
static bool within_error(const struct selecting *s, double *gap, int64_t i, int64_t best)
{
    static const double speck = 1e-5;
    const int64_t folds = s->options->folds;
    const double *own = s->score + i * folds, *top = s->score + best * folds;
    const double sign = s->selection->about.by_labels ? 1 : -1;
    double mean = 0, deviation = 0, squares = 0;
    for (int64_t f = 0; f < folds; f++) {
        gap[f] = sign * (top[f] - own[f]);
        squares += (own[f] * own[f] - top[f] * top[f]) / (double)folds;
    }
    describe(&mean, &deviation, gap, folds);
    return mean <= deviation / sqrt((double)folds) ||
           (!s->selection->about.by_labels && squares <= speck);
}

static tsr_status choose(struct selecting *s)
{
    tsr_status status = TSR_OK;
    tsr_candidate *c = s->selection->candidate;
    const int64_t folds = s->options->folds, count = s->selection->about.candidates;
    const double sign = s->selection->about.by_labels ? 1 : -1;
    int64_t best = -1;
    double *gap = NULL;
    TSR_NEW(gap, folds);
    for (int64_t i = 0; i < count; i++) {
        if (!usable(&c[i]))
            continue;
        describe(&c[i].mean, &c[i].deviation, &s->score[i * folds], folds);
        c[i].error = c[i].deviation / sqrt((double)folds);
        const double gain = best < 0 ? 1 : sign * (c[i].mean - c[best].mean);
        if (gain > 0 || (gain == 0 && simpler(&c[i], &c[best])))
            best = i;
    }
    if (best < 0)
        TSR_FAIL(TSR_ERROR_DATA, "no candidate can be fitted: %s", c[0].note);
    int64_t chosen = best;
    for (int64_t i = 0; s->options->rule == TSR_SELECT_ONE_SE && i < count; i++)
        if (usable(&c[i]) && simpler(&c[i], &c[chosen]) && within_error(s, gap, i, best))
            chosen = i;
    c[best].best = true;
    c[chosen].chosen = true;
done:
    tsr__free(gap);
    return status;
}

/* All jobs, and why they stopped short of the last. */
static tsr_status run_all(struct selecting *s, int64_t jobs, const tsr_progress *progress)
{
    s->task = tsr__task_begin(progress, "fits", jobs);
    tsr__parallel(jobs, tsr__threads(s->fit->threads, jobs), score_one, s);
    if (s->stopped == TSR_ERROR_MEMORY)
        return tsr__fail(TSR_ERROR_MEMORY, "memory is out after %lld of %lld fits",
                         (long long)s->finished, (long long)jobs);
    if (s->stopped != TSR_OK)
        return tsr__fail((tsr_status)s->stopped, "stopped after %lld of %lld fits",
                         (long long)s->finished, (long long)jobs);
    return TSR_OK;
}

/* What shows without data. There are at most 10,000 ranks, so that jobs can be counted unless
 * somebody writes weights by the terabyte. */
static tsr_status settle_all(struct lists *lists, int64_t *jobs, const tsr_fit_options *fit,
                             const tsr_select_options *options)
{
    tsr_status status = TSR_OK;
    TSR_TRY(tsr_settings_check(table, options));
    TSR_TRY(tsr_settings_check(tsr_fit_settings(), fit));
    TSR_TRY(tsr_encoder_check(fit));
    if (options->ranks == NULL)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "there are no ranks to try: --ranks LIST");
    TSR_TRY(tsr__ranks_parse(&lists->rank, &lists->ranks, options->ranks));
    TSR_TRY(tsr__weights_parse(&lists->weight, &lists->weights, options->weights));
    if (!tsr__multiply(jobs, lists->ranks, lists->weights > 0 ? lists->weights : 1) ||
        !tsr__multiply(jobs, *jobs, options->folds))
        TSR_FAIL(TSR_ERROR_ARGUMENT, "%lld ranks with %lld weights are too many to try",
                 (long long)lists->ranks, (long long)lists->weights);
    if (lists->weights > 0 && tsr__terms_weight(fit) == NULL)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "%s has no weight to choose: leave --weights out",
                 fit->model);
done:
    return status;
}

tsr_status tsr_select_check(const tsr_fit_options *fit, const tsr_select_options *options)
{
    TSR_REQUIRE(fit);
    struct lists lists = {0};
    tsr_select_options defaults;
    int64_t jobs = 0;
    tsr_settings_default(table, &defaults);
    const tsr_status status =
        settle_all(&lists, &jobs, fit, options != NULL ? options : &defaults);
    lists_clear(&lists);
    return status;
}

/* The fits tell nobody: what is heard of is how many are done. */
tsr_status tsr_select(tsr_selection **out, const tsr_data *data, const tsr_fit_options *fit,
                      const tsr_select_options *options)
{
    TSR_REQUIRE(out, data, fit);
    tsr_status status = TSR_OK;
    tsr_fit_options quiet = *fit;
    tsr_select_options chosen;
    tsr_selection *selection = NULL;
    struct selecting s = {.fit = &quiet, .options = &chosen};
    struct lists lists = {0};
    int64_t jobs = 0;
    quiet.progress = NULL;
    tsr_settings_default(table, &chosen);
    if (options != NULL)
        chosen = *options;
    TSR_TRY(settle_all(&lists, &jobs, &quiet, &chosen));
    TSR_NEW_ZERO(selection, 1);
    s.selection = selection;
    selection->about.weight = tsr__terms_weight(fit);
    TSR_TRY(list_candidates(selection, &lists));
    TSR_TRY(hold_out(&s, data));
    TSR_NEW_ZERO(s.score, jobs);
    TSR_NEW_ZERO(s.noted, selection->about.candidates);
    TSR_TRY(run_all(&s, jobs, fit->progress));
    TSR_TRY(choose(&s));
    *out = selection, selection = NULL;
done:
    tsr__free(s.score);
    tsr__free(s.noted);
    tsr__holdout_clear(&s.holdout);
    lists_clear(&lists);
    tsr_selection_free(selection);
    return status;
}

void tsr_selection_free(tsr_selection *selection)
{
    if (selection == NULL)
        return;
    tsr__free(selection->candidate);
    tsr__free(selection);
}

tsr_selection_report tsr_selection_about(const tsr_selection *selection)
{
    static const tsr_selection_report none;
    return selection != NULL ? selection->about : none;
}

bool tsr_selection_candidate(tsr_candidate *out, const tsr_selection *selection, int64_t i)
{
    if (out == NULL || selection == NULL || i < 0 || i >= selection->about.candidates)
        return false;
    *out = selection->candidate[i];
    return true;
}
