/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Cross-validation of models, ranks and weights, folds and candidates side by side.
 *
 * Every candidate is fitted without one fold after another (holdout.c: labels or entries, the
 * same for all) and judged by what it was not shown; choice.c has the rule, advice.c the words.
 *
 * Then it is fitted to all samples, with the labels that fit->labelled and the seed show, from
 * seeds seed, seed + 1, .., and the parts of those fits are compared (stability.c). Where the start
 * is one for all seeds (auto, singular vectors, a file) only the first fit has it and the others
 * begin at random, as the restarts of a fit do: else they would be alike by making.
 *
 * Cost: candidates x (folds + repeats) fits, one thread each, and by labels k-means of each of the
 * folds' codes. The parts of a candidate are kept until its last repeat is done. */
#include "learn/select.h"

#include "base/progress.h"
#include "base/settings.h"
#include "base/text.h"
#include "factor/spec.h"
#include "learn/holdout.h"
#include "matrix/parallel.h"
#include "matrix/store.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>

static const tsr_setting table[] = {
    TSR_TEXT_ROW(tsr_select_options, ranks, "ranks", 0, NULL, "LIST",
                 "ranks to try, such as 2-8 or 5,10,20-60/10; required"),
    TSR_TEXT_ROW(tsr_select_options, weights, "weights", 0, NULL, "W,W,..",
                 "weights to try: the model's own term"),
    TSR_FLAG_ROW(tsr_select_options, baselines, "baselines", 0,
                 "compare with the baselines, too, by labels; they are not chosen"),
    TSR_INTEGER_ROW(tsr_select_options, folds, "folds", 0, 2, 1000, "5", "N",
                    "parts held out in turn"),
    TSR_INTEGER_ROW(tsr_select_options, repeats, "repeats", 0, 0, 1000, "3", "N",
                    "fits to all data whose parts are compared: stability; below 2: none"),
    TSR_CHOICE_ROW(tsr_select_options, by, "by", "auto|labels|entries",
                   "what is held out; auto: labels where they can judge, else entries"),
    TSR_CHOICE_ROW(tsr_select_options, rule, "rule", "one-se|best",
                   "the smallest rank within a standard error of the best, or the best"),
    TSR_OBJECT_ROW(tsr_select_options, read, "read", "options",
                   "how the data were read, for the advice"),
    TSR_END_ROW,
};

const tsr_setting *tsr_select_settings(void)
{
    return table;
}

/* A fit: without a fold or, from `folds` on, to all data. */
struct job {
    int64_t candidate, turn;
};

struct selecting {
    const tsr_data *data;
    tsr__contest contest;
    tsr_selection *selection;
    int64_t *rival; /* of each candidate */
    tsr__holdout holdout;
    tsr_data *shown; /* all samples, with the labels that learners may see, or NULL: as data */
    struct job *job;
    int64_t jobs;
    double *nmi, *seconds; /* candidates x folds */
    tsr__parts *parts;     /* candidates x repeats, .. */
    int64_t kept;          /* .. that is so many */
    int64_t *left;         /* of each candidate: repeats that are not done */
    int64_t *noted;        /* of each candidate: the fold that its note is of */
    tsr__task task;
    int64_t finished;    /* fits */
    _Atomic int stopped; /* status that ends it all, or TSR_OK */
};

static void selecting_clear(struct selecting *s)
{
    for (int64_t i = 0; i < s->kept; i++)
        tsr__parts_clear(&s->parts[i]);
    tsr__free(s->parts);
    tsr__free(s->rival);
    tsr__free(s->job);
    tsr__free(s->nmi);
    tsr__free(s->seconds);
    tsr__free(s->left);
    tsr__free(s->noted);
    tsr_data_free(s->shown);
    tsr__holdout_clear(&s->holdout);
    tsr__contest_clear(&s->contest);
    tsr_selection_free(s->selection);
}

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
    const struct job *job;
    tsr_status status;
    bool last; /* of the candidate's repeats */
};

/* A candidate that cannot be fitted says why, by its first fold; a machine that cannot go on
 * ends it all. A repeat that fails where the folds do not leaves its stability unknown. */
static void finish(void *context)
{
    struct outcome *now = context;
    struct selecting *s = now->s;
    const int64_t i = now->job->candidate, turn = now->job->turn;
    tsr_candidate *c = &s->selection->candidate[i];
    s->finished++;
    if (turn >= s->selection->about.folds)
        now->last = --s->left[i] == 0;
    if (now->status == TSR_ERROR_MEMORY || now->status == TSR_ERROR_INTERRUPTED) {
        s->stopped = s->stopped == TSR_OK ? (int)now->status : s->stopped;
    } else if (now->status < 0 && turn < s->selection->about.folds &&
               (*c->note == '\0' || turn < s->noted[i])) {
        tsr__line note = TSR_LINE(c->note);
        tsr__line_add(&note, "%s", tsr_message());
        s->noted[i] = turn;
    }
    tell(s);
}

/* Fits ------------------------------------------------------------------------------------ */

static tsr_status settle(tsr_fit_options *out, const struct selecting *s,
                         const tsr_progress *progress, const struct job *job)
{
    const tsr_candidate *c = &s->selection->candidate[job->candidate];
    const int64_t folds = s->selection->about.folds;
    char text[40];
    *out = s->contest.rival[s->rival[job->candidate]].fit;
    out->rank = c->rank;
    out->threads = 1;
    out->progress = progress;
    out->seed += job->turn < folds ? job->turn : job->turn - folds;
    if (isnan(c->weight))
        return TSR_OK;
    (void)snprintf(text, sizeof text, "%.17g", c->weight);
    return tsr_settings_set(tsr_fit_settings(), out, c->term, text);
}

static tsr_status judge_one(struct selecting *s, const tsr_fit_options *fit,
                            const struct job *job)
{
    const int64_t item = job->candidate * s->selection->about.folds + job->turn;
    tsr__judged verdict = {0};
    TSR_OR_RETURN(tsr__holdout_score(&verdict, &s->holdout, fit, job->turn));
    s->selection->score[item] = verdict.score;
    s->nmi[item] = verdict.nmi;
    s->seconds[item] = verdict.seconds;
    return TSR_OK;
}

static tsr_status repeat_one(struct selecting *s, tsr_fit_options *fit, const struct job *job)
{
    tsr_status status = TSR_OK;
    const int64_t nth = job->turn - s->selection->about.folds;
    tsr_encoder *encoder = NULL;
    if (s->shown != NULL)
        fit->labelled = NULL;
    if (nth > 0 && tsr__init_once(fit)) {
        fit->init = "random";
        fit->init_basis = fit->init_weights = fit->init_codes = NULL;
    }
    TSR_TRY(tsr_encoder_fit(&encoder, s->shown != NULL ? s->shown : s->data, fit));
    TSR_TRY(
        tsr__parts_of(&s->parts[job->candidate * s->contest.options.repeats + nth], encoder));
done:
    tsr_encoder_free(encoder);
    return status;
}

/* The parts of all repeats, which are not needed any more. */
static tsr_status compare_parts(struct selecting *s, int64_t candidate)
{
    const int64_t repeats = s->contest.options.repeats;
    tsr__parts *parts = s->parts + candidate * repeats;
    tsr_status status = TSR_OK;
    bool whole = true;
    for (int64_t i = 0; i < repeats; i++)
        whole = whole && parts[i].unit != NULL;
    if (whole)
        status =
            tsr__parts_alike(&s->selection->candidate[candidate].stability, parts, repeats);
    for (int64_t i = 0; i < repeats; i++)
        tsr__parts_clear(&parts[i]);
    return status;
}

static void run_one(void *context, int64_t item, int thread)
{
    struct selecting *s = context;
    const struct job *job = &s->job[item];
    const tsr_progress progress = {relay, s};
    tsr_fit_options fit;
    (void)thread;
    if (s->stopped != TSR_OK)
        return;
    tsr_status status = settle(&fit, s, &progress, job);
    if (status == TSR_OK)
        status = job->turn < s->selection->about.folds ? judge_one(s, &fit, job)
                                                       : repeat_one(s, &fit, job);
    struct outcome outcome = {s, job, status, false};
    tsr__exclusive(finish, &outcome);
    if (outcome.last && s->stopped == TSR_OK && compare_parts(s, job->candidate) < 0)
        s->stopped = TSR_ERROR_MEMORY;
}

/* What is asked ---------------------------------------------------------------------------- */

tsr_status tsr_select_check(const tsr_fit_options *fit, const tsr_select_options *options)
{
    TSR_REQUIRE(fit);
    tsr__contest contest = {0};
    tsr__names model = {0};
    tsr_select_options defaults;
    tsr_settings_default(table, &defaults);
    const tsr_status status =
        tsr__contest_make(&contest, &model, fit, options != NULL ? options : &defaults);
    tsr__contest_clear(&contest);
    tsr__names_clear(&model);
    return status;
}

/* Rivals whom entries cannot judge say so; baselines that nobody named are left out. */
static tsr_status hold_out_entries(struct selecting *s, tsr__line *note)
{
    tsr_status status = TSR_OK, first = TSR_OK;
    tsr__contest *contest = &s->contest;
    tsr_fit_options *fit = NULL;
    int64_t fits = 0;
    TSR_NEW(fit, contest->rivals);
    if (contest->options.baselines)
        tsr__line_add(note,
                      "%sbaselines give nothing back that hidden entries could be compared "
                      "with, and are left out",
                      note->used > 0 ? "; " : "");
    for (int64_t i = contest->rivals - 1; i >= 0; i--) {
        tsr__rival *r = &contest->rival[i];
        first = tsr__holdout_refuses(&r->fit);
        if (first == TSR_OK)
            fit[fits++] = r->fit;
        tsr__line why = TSR_LINE(r->note);
        if (first < 0)
            tsr__line_add(&why, "%s", tsr_message());
    }
    if (fits == 0)
        TSR_TRY(first);
    TSR_TRY(tsr__holdout_entries(&s->holdout, s->data, fit, fits, contest->options.folds));
done:
    tsr__free(fit);
    return status;
}

static tsr_status hold_out(struct selecting *s)
{
    tsr_status status = TSR_OK;
    const tsr_select_options *o = &s->contest.options;
    const tsr_labels *labels = tsr_data_labels(s->data);
    const bool any = labels != NULL && tsr_labels_known(labels) > 0;
    tsr_selection_report *about = &s->selection->about;
    tsr__line note = TSR_LINE(about->note);
    if (o->by == TSR_SELECT_LABELS || (o->by == TSR_SELECT_AUTO && any)) {
        status =
            tsr__holdout_labels(&s->holdout, s->data, o->folds, s->contest.rival[0].fit.seed);
        if (status == TSR_OK && o->baselines)
            TSR_TRY(tsr__contest_add_baselines(&s->contest, &s->selection->model, s->data));
        if (status != TSR_ERROR_DATA || o->by == TSR_SELECT_LABELS)
            goto done;
        tsr__line_add(&note, "%s; entries are held out instead", tsr_message());
    }
    TSR_TRY(hold_out_entries(s, &note));
done:
    about->by_labels = s->holdout.by_labels;
    about->judged = s->holdout.judged;
    return status;
}

/* Labels that learners see in repeats are those of the first seed in all of them: parts that
 * differ since labels do would tell nothing of the starts. */
static tsr_status show_labels(struct selecting *s)
{
    tsr_status status = TSR_OK;
    const tsr_fit_options *fit = &s->contest.rival[0].fit;
    int32_t *seen = NULL;
    if (fit->labelled == NULL || tsr_data_labels(s->data) == NULL)
        return TSR_OK;
    TSR_NEW(seen, tsr_matrix_samples(tsr_data_samples(s->data)));
    TSR_TRY(tsr__labels_seen(seen, s->data, fit, NULL));
    TSR_TRY(tsr__holdout_relabel(&s->shown, s->data, seen));
done:
    tsr__free(seen);
    return status;
}

/* Of each candidate the folds, and the repeats where it has parts. */
static tsr_status list_jobs(struct selecting *s)
{
    tsr_status status = TSR_OK;
    tsr_selection *made = s->selection;
    const int64_t count = made->about.candidates, folds = made->about.folds,
                  repeats = s->contest.options.repeats;
    TSR_NEW(s->job, count * (folds + repeats));
    TSR_NEW_ZERO(made->score, count * folds);
    TSR_NEW_ZERO(s->nmi, count * folds);
    TSR_NEW_ZERO(s->seconds, count * folds);
    TSR_NEW_ZERO(s->parts, count * repeats);
    s->kept = count * repeats;
    TSR_NEW_ZERO(s->noted, count);
    TSR_NEW_ZERO(s->left, count);
    for (int64_t i = 0; i < count; i++) {
        const bool parts = repeats > 1 && s->contest.rival[s->rival[i]].parts;
        if (*made->candidate[i].note != '\0')
            continue;
        s->left[i] = parts ? repeats : 0;
        for (int64_t t = 0; t < folds + s->left[i]; t++)
            s->job[s->jobs++] = (struct job){i, t};
    }
done:
    return status;
}

/* All jobs, and why they stopped short of the last. */
static tsr_status run_all(struct selecting *s, const tsr_fit_options *fit)
{
    s->task = tsr__task_begin(fit->progress, "fits", s->jobs);
    tsr__parallel(s->jobs, tsr__threads(fit->threads, s->jobs), run_one, s);
    if (s->stopped == TSR_ERROR_MEMORY)
        return tsr__fail(TSR_ERROR_MEMORY, "memory is out after %lld of %lld fits",
                         (long long)s->finished, (long long)s->jobs);
    if (s->stopped != TSR_OK)
        return tsr__fail((tsr_status)s->stopped, "stopped after %lld of %lld fits",
                         (long long)s->finished, (long long)s->jobs);
    return TSR_OK;
}

/* What is told of candidates beside their scores. */
static void describe_all(struct selecting *s)
{
    const int64_t folds = s->selection->about.folds;
    for (int64_t i = 0; i < s->selection->about.candidates; i++) {
        tsr_candidate *c = &s->selection->candidate[i];
        double deviation = 0;
        if (*c->note != '\0') {
            c->stability = (double)NAN;
            continue;
        }
        tsr__describe(&c->seconds, &deviation, s->seconds + i * folds, folds);
        tsr__describe(&c->nmi, &deviation, s->nmi + i * folds, folds);
        c->nmi_error = deviation / sqrt((double)folds);
    }
}

static const tsr__rival *chosen_rival(const struct selecting *s)
{
    int64_t i = 0;
    while (!s->selection->candidate[i].chosen)
        i++;
    return &s->contest.rival[s->rival[i]];
}

/* The fits tell nobody: what is heard of is how many are done. */
tsr_status tsr_select(tsr_selection **out, const tsr_data *data, const tsr_fit_options *fit,
                      const tsr_select_options *options)
{
    TSR_REQUIRE(out, data, fit);
    tsr_status status = TSR_OK;
    tsr_fit_options quiet = *fit;
    tsr_select_options how;
    tsr_data alone = *data; /* fits side by side: a team's ranks each make all of them */
    struct selecting s = {.data = &alone};
    alone.team = NULL;
    quiet.progress = NULL;
    tsr_settings_default(table, &how);
    how = options != NULL ? *options : how;
    TSR_TRY(tsr__matrix_need(data->x, "a choice by what is held out"));
    TSR_NEW_ZERO(s.selection, 1);
    TSR_TRY(tsr__contest_make(&s.contest, &s.selection->model, &quiet, &how));
    TSR_TRY(hold_out(&s));
    tsr_selection_report *about = &s.selection->about;
    about->models = s.contest.rivals;
    about->folds = how.folds;
    about->repeats = how.repeats;
    for (int64_t i = 0; about->weight == NULL && i < s.contest.rivals; i++)
        about->weight = s.contest.rival[i].term;
    TSR_TRY(tsr__contest_list(s.selection, &s.rival, &s.contest, data));
    TSR_TRY(show_labels(&s));
    TSR_TRY(list_jobs(&s));
    TSR_TRY(run_all(&s, fit));
    describe_all(&s);
    TSR_TRY(tsr__selection_choose(s.selection, (tsr_select_rule)how.rule));
    TSR_TRY(tsr__selection_advise(s.selection, chosen_rival(&s), &how, data));
    *out = s.selection, s.selection = NULL;
done:
    selecting_clear(&s);
    return status;
}

/* What came of it --------------------------------------------------------------------------- */

void tsr_selection_free(tsr_selection *selection)
{
    if (selection == NULL)
        return;
    tsr__free(selection->candidate);
    tsr__free(selection->score);
    tsr__free(selection->advice);
    tsr__names_clear(&selection->model);
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

const double *tsr_selection_folds(const tsr_selection *selection, int64_t i)
{
    if (selection == NULL || i < 0 || i >= selection->about.candidates ||
        !tsr__selection_usable(selection, i))
        return NULL;
    return selection->score + i * selection->about.folds;
}

const char *tsr_selection_advice(const tsr_selection *selection)
{
    return selection != NULL ? selection->advice : NULL;
}
