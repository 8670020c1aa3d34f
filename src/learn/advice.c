/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What to take and why, in words, of the numbers of a selection and of nothing else.
 *
 * Differences are paired over the folds; "more than chance" is Student's t at 95 % (choice.c). It
 * is said for one comparison that was fixed by the best mean of the baselines: whoever tries many
 * candidates finds one that is lucky, and the accuracy of the chosen one flatters it a little. */
#include "base/settings.h"
#include "base/text.h"
#include "io/data.h"
#include "learn/select.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From here on parts are called the same, or mostly the same. */
static const double same = 0.9, mostly = 0.7;

/* Differences below this are rounding. */
static const double nothing = 1e-9;

struct advice {
    const tsr_selection *s;
    const tsr__rival *rival; /* of the chosen */
    const tsr_select_options *options;
    const tsr_data *data;
    int64_t chosen, best, yardstick; /* candidates; no yardstick: -1 */
    tsr__line line;
};

static const tsr_candidate *at(const struct advice *a, int64_t i)
{
    return &a->s->candidate[i];
}

static bool same_model(const struct advice *a, int64_t i, int64_t j)
{
    return at(a, i)->model == at(a, j)->model;
}

static const char *score_name(const struct advice *a)
{
    return a->s->about.by_labels ? "accuracy" : "error";
}

/* "cdnmf of rank 40 with class 0.1"; raw has no rank to speak of. */
static void add_name(struct advice *a, int64_t i)
{
    const tsr_candidate *c = at(a, i);
    char weight[TSR_REAL_SIZE];
    tsr__line_add(&a->line, "%s", c->model);
    if (strcmp(c->model, "raw") != 0)
        tsr__line_add(&a->line, " of rank %lld", (long long)c->rank);
    if (isnan(c->weight))
        return;
    (void)tsr__format_real(weight, c->weight);
    tsr__line_add(&a->line, " with %s %s", c->term, weight);
}

static void add_scored(struct advice *a, int64_t i)
{
    add_name(a, i);
    tsr__line_add(&a->line, " (%.4f +- %.4f)", at(a, i)->mean, at(a, i)->error);
}

/* The best mean of those that `fits` accepts, -1: none. */
static int64_t best_of(const struct advice *a, bool (*fits)(const struct advice *, int64_t))
{
    int64_t found = -1;
    for (int64_t i = 0; i < a->s->about.candidates; i++)
        if (tsr__selection_usable(a->s, i) && fits(a, i) &&
            (found < 0 || tsr__selection_better(a->s, i, found)))
            found = i;
    return found;
}

/* Baselines, and NMF as it was before there were others. */
static bool is_yardstick(const struct advice *a, int64_t i)
{
    return !same_model(a, i, a->chosen) &&
           (at(a, i)->baseline || strcmp(at(a, i)->model, "nmf") == 0);
}

/* Of several models that may be chosen another one, of one another rank or weight. */
static bool is_rival(const struct advice *a, int64_t i)
{
    bool several = false;
    for (int64_t j = 0; j < a->s->about.candidates; j++)
        several = several || (!at(a, j)->added && !same_model(a, j, a->chosen));
    return i != a->chosen && !at(a, i)->added && (!several || !same_model(a, i, a->chosen));
}

/* Where the chosen one is not within the error itself, another of its rank is, of a lower mean that
 * goes up and down: without it the two figures above would seem to break the rule. */
static void say_admitted(struct advice *a)
{
    int64_t by = -1;
    for (int64_t i = 0; i < a->s->about.candidates; i++)
        if (tsr__selection_usable(a->s, i) && !at(a, i)->added &&
            at(a, i)->rank == at(a, a->chosen)->rank && tsr__selection_near(a->s, i, a->best) &&
            (by < 0 || tsr__selection_better(a->s, i, by)))
            by = i;
    if (by < 0 || tsr__selection_near(a->s, a->chosen, a->best))
        return;
    const tsr__gap gap = tsr__selection_gap(a->s, a->best, by);
    tsr__line_add(&a->line, "It is not within that error itself: its rank is, by ");
    add_scored(a, by);
    tsr__line_add(&a->line,
                  ", %.4f +- %.4f off the best and worse in mean than the one taken.\n",
                  gap.mean, gap.error);
}

/* Some candidate that may be chosen has a smaller rank. */
static bool smaller_was_tried(const struct advice *a)
{
    bool any = false;
    for (int64_t i = 0; !any && i < a->s->about.candidates; i++)
        any = tsr__selection_usable(a->s, i) && !at(a, i)->added &&
              at(a, i)->rank < at(a, a->chosen)->rank;
    return any;
}

/* A choice at the end of what was tried. */
static void say_edge(struct advice *a)
{
    const int64_t rank = at(a, a->chosen)->rank;
    int64_t smaller = 0, larger = 0;
    for (int64_t i = 0; i < a->s->about.candidates; i++) {
        if (!tsr__selection_usable(a->s, i) || !same_model(a, i, a->chosen))
            continue;
        smaller += at(a, i)->rank < rank;
        larger += at(a, i)->rank > rank;
    }
    if (smaller > 0 && larger == 0)
        tsr__line_add(&a->line,
                      "It is the largest rank that was tried: a larger one may do better.\n");
    else if (larger > 0 && smaller == 0)
        tsr__line_add(
            &a->line,
            "It is the smallest rank that was tried: a smaller one may do as well.\n");
}

/* What guessing the largest class would be right in, where that is no less. */
static void say_guessing(struct advice *a)
{
    const tsr_labels *labels = tsr_data_labels(a->data);
    int64_t most = 0;
    if (!a->s->about.by_labels || labels == NULL)
        return;
    for (int32_t c = 0; c < tsr_labels_classes(labels); c++) {
        int64_t members = 0;
        for (int64_t i = 0; i < tsr_labels_count(labels); i++)
            members += tsr_labels_of(labels)[i] == c;
        most = members > most ? members : most;
    }
    const double guess = (double)most / (double)tsr_labels_known(labels);
    if (at(a, a->chosen)->mean <= guess)
        tsr__line_add(&a->line,
                      "That is no better than to guess the largest class, which is right in "
                      "%.4f.\n",
                      guess);
}

static void say_choice(struct advice *a)
{
    const tsr_candidate *c = at(a, a->chosen);
    const bool several = a->s->about.models > 1;
    tsr__line_add(&a->line, "Take ");
    add_name(a, a->chosen);
    tsr__line_add(&a->line, ": %s %.4f +- %.4f on %lld hidden %s", score_name(a), c->mean,
                  c->error, (long long)a->s->about.judged,
                  a->s->about.by_labels ? "labels" : "entries");
    if (a->options->rule == TSR_SELECT_BEST) {
        tsr__line_add(&a->line, ", the best mean.\n");
    } else if (a->chosen == a->best) {
        tsr__line_add(
            &a->line, ", the best mean%s.\n",
            smaller_was_tried(a) ? "; nothing smaller is within a standard error of it" : "");
    } else {
        const tsr__gap gap = tsr__selection_gap(a->s, a->best, a->chosen);
        tsr__line_add(&a->line, ".\nThe best mean is that of ");
        add_scored(a, a->best);
        tsr__line_add(
            &a->line,
            ", better by %.4f +- %.4f. Of the ranks within a standard error of it the "
            "smallest is taken, %sthen the smallest weight.\n",
            gap.mean, gap.error, several ? "then the model of the best mean, " : "");
        say_admitted(a);
    }
}

/* What a difference amounts to; honest where nothing is gained. */
static void say_verdict(struct advice *a, const tsr__gap *gap)
{
    const char *mine = at(a, a->chosen)->model, *other = at(a, a->yardstick)->model;
    if (fabs(gap->mean) + gap->error < nothing)
        tsr__line_add(&a->line, ".");
    else
        tsr__line_add(&a->line, ": %s (paired over %lld folds, t at 95 %%).",
                      gap->sure ? "more than chance" : "it may be chance",
                      (long long)a->s->about.folds);
    if (!gap->sure)
        tsr__line_add(&a->line, " Nothing here shows that %s does better than %s.", mine,
                      other);
    else if (gap->mean < 0)
        tsr__line_add(&a->line, " %s does better: take %s for the sake of its parts alone.",
                      other, mine);
    tsr__line_add(&a->line, "\n");
}

static void say_gain(struct advice *a)
{
    if (a->yardstick < 0)
        return;
    const tsr__gap gap = tsr__selection_gap(a->s, a->chosen, a->yardstick);
    const bool up = (gap.mean > 0) == a->s->about.by_labels;
    tsr__line_add(&a->line, "Against %s, ",
                  at(a, a->yardstick)->baseline ? "the best baseline" : "plain NMF");
    add_scored(a, a->yardstick);
    if (fabs(gap.mean) + gap.error < nothing)
        tsr__line_add(&a->line, ", its %s is the same on every fold", score_name(a));
    else
        tsr__line_add(&a->line, ", its %s is %.4f +- %.4f %s", score_name(a), fabs(gap.mean),
                      gap.error, up ? "higher" : "lower");
    say_verdict(a, &gap);
}

static void say_runner_up(struct advice *a)
{
    const int64_t second = best_of(a, is_rival);
    if (second < 0 || second == a->best || second == a->yardstick)
        return;
    tsr__line_add(&a->line, "The runner-up is ");
    add_scored(a, second);
    tsr__line_add(&a->line, ".\n");
}

/* One as good whose parts can be relied on, where those of the chosen cannot: -1, there is none. */
static int64_t steadier(const struct advice *a)
{
    int64_t found = -1;
    for (int64_t i = 0; i < a->s->about.candidates; i++)
        if (tsr__selection_usable(a->s, i) && !at(a, i)->added && at(a, i)->stability >= same &&
            tsr__selection_near(a->s, i, a->best) &&
            (found < 0 || at(a, i)->stability > at(a, found)->stability))
            found = i;
    return found;
}

static void say_stability(struct advice *a)
{
    const double is = at(a, a->chosen)->stability;
    if (isnan(is))
        return;
    tsr__line_add(&a->line,
                  "Its parts %s from start to start (stability %.2f over %lld fits)%s",
                  is >= same     ? "are the same"
                  : is >= mostly ? "are mostly the same"
                                 : "differ",
                  is, (long long)a->s->about.repeats,
                  is >= mostly ? "" : ": do not read meaning into single ones");
    const int64_t other = is < same ? steadier(a) : -1;
    if (other >= 0) {
        tsr__line_add(&a->line, "; those of ");
        add_name(a, other);
        tsr__line_add(&a->line,
                      ", which is within a standard error of the best, too, are the "
                      "same (%.2f)",
                      at(a, other)->stability);
    }
    tsr__line_add(&a->line, ".\n");
}

static void say_time(struct advice *a)
{
    tsr__line_add(&a->line, "A fit took %.3f s on one thread", at(a, a->chosen)->seconds);
    if (a->yardstick >= 0)
        tsr__line_add(&a->line, ", one of %s %.3f s", at(a, a->yardstick)->model,
                      at(a, a->yardstick)->seconds);
    tsr__line_add(&a->line, ".\n");
}

static void add_word(tsr__line *line, const char *word)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (to == NULL)
        return;
    tsr__put_shell_word(to, word);
    (void)fclose(to);
    tsr__line_add(line, " %s", text);
    free(text);
}

/* What was said of a table and is not its default. */
static void add_settings(struct advice *a, const tsr_setting *table, const void *values,
                         bool (*told)(const struct advice *, const char *))
{
    for (const tsr_setting *row = table; row->name != NULL; row++) {
        char value[64];
        if (!tsr__setting_is_said(row) || tsr__settings_is_default(row, values) ||
            told(a, row->name))
            continue;
        const char *text = row->kind == TSR_SETTING_TEXT
                               ? *(const char *const *)((const char *)values + row->offset)
                               : tsr__settings_show(value, sizeof value, row, values);
        tsr__line_add(&a->line, " --%s", row->name);
        if (row->kind != TSR_SETTING_FLAG && text != NULL)
            add_word(&a->line, text);
    }
}

static bool is_told(const struct advice *a, const char *name)
{
    const tsr_candidate *c = at(a, a->chosen);
    return strcmp(name, "model") == 0 || strcmp(name, "rank") == 0 ||
           (!isnan(c->weight) && strcmp(name, c->term) == 0);
}

/* Settings that both tables have are those of the fit. */
static bool is_of_fit(const struct advice *a, const char *name)
{
    (void)a;
    return tsr__settings_row(tsr_fit_settings(), name) != NULL;
}

/* A baseline is nothing that can be kept: it classifies. */
static void say_command(struct advice *a)
{
    const tsr_candidate *c = at(a, a->chosen);
    char weight[TSR_REAL_SIZE];
    tsr__line_add(&a->line, "    tessera %s", c->baseline ? "classify" : "fit");
    add_word(&a->line, a->data->origin != NULL ? a->data->origin : "DATA");
    tsr__line_add(&a->line, " --model %s", c->model);
    if (strcmp(c->model, "raw") != 0)
        tsr__line_add(&a->line, " --rank %lld", (long long)c->rank);
    if (!isnan(c->weight)) {
        (void)tsr__format_real(weight, c->weight);
        tsr__line_add(&a->line, " --%s %s", c->term, weight);
    }
    add_settings(a, tsr_fit_settings(), &a->rival->fit, is_told);
    if (a->options->read != NULL)
        add_settings(a, tsr_read_settings(), a->options->read, is_of_fit);
    tsr__line_add(&a->line, "%s\n", c->baseline ? "" : " -o model.h5");
}

static void say_all(struct advice *a)
{
    say_choice(a);
    say_guessing(a);
    say_edge(a);
    say_gain(a);
    say_runner_up(a);
    say_stability(a);
    say_time(a);
    say_command(a);
}

/* Paths may be long: a text that does not fit is written again, in twice the room. */
tsr_status tsr__selection_advise(tsr_selection *s, const tsr__rival *rival,
                                 const tsr_select_options *options, const tsr_data *data)
{
    tsr_status status = TSR_OK;
    struct advice a = {.s = s, .rival = rival, .options = options, .data = data};
    char *text = NULL;
    for (int64_t i = 0; i < s->about.candidates; i++) {
        a.chosen = s->candidate[i].chosen ? i : a.chosen;
        a.best = s->candidate[i].best ? i : a.best;
    }
    a.yardstick = best_of(&a, is_yardstick);
    for (int64_t room = 2048; text == NULL || a.line.used + 8 > a.line.size; room *= 2) {
        tsr__free(text);
        TSR_NEW(text, room);
        a.line = (tsr__line){text, 0, (size_t)room};
        say_all(&a);
    }
    s->advice = tsr__printable(text), text = NULL;
done:
    tsr__free(text);
    return status;
}
