/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What parts and codes have to do with classes: the parts that each class is made of, clusters of the
 * codes, and predicted classes. */
#include "report/confusion.h"
#include "report/subject.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_CLASSES = 60,  /* that are shown */
    MOST_TABLED = 1000, /* whose pairs are counted: the best map takes the cube of it */
};

static bool too_many(const tsr__subject *s)
{
    if (tsr_labels_classes(s->labels) <= MOST_TABLED)
        return false;
    tsr__page_note(s->page,
                   "%d classes are too many to be counted against each other (at most %d).",
                   tsr_labels_classes(s->labels), MOST_TABLED);
    return true;
}

/* A failure that concerns this section alone becomes a remark. */
static tsr_status or_remark(tsr_page *page, tsr_status status)
{
    if (status == TSR_OK || status == TSR_ERROR_MEMORY || status == TSR_ERROR_INTERRUPTED)
        return status;
    tsr__page_note(page, "%s", tsr_message());
    return TSR_OK;
}

/* Parts by class -------------------------------------------------------------------------- */

/* What parts contribute to the samples of each class: classes x k, of 1 each. */
static tsr_status class_shares(double **out, const tsr__subject *s)
{
    tsr_status status = TSR_OK;
    const int64_t classes = tsr_labels_classes(s->labels), k = s->k;
    double *share = NULL, *part = NULL;
    TSR_NEW_ZERO(share, classes * k);
    TSR_NEW(part, k);
    for (int64_t i = 0; i < s->n; i++) {
        const int32_t of = tsr__subject_class(s, i);
        if (of < 0)
            continue;
        tsr__subject_contributions(part, s, i);
        for (int64_t a = 0; a < k; a++)
            share[of * k + a] += part[a];
    }
    for (int64_t c = 0; c < classes; c++) {
        double sum = 0;
        for (int64_t a = 0; a < k; a++)
            sum += fabs(share[c * k + a]);
        for (int64_t a = 0; a < k && sum > 0; a++)
            share[c * k + a] /= sum;
    }
    *out = share, share = NULL;
done:
    tsr__free(share);
    tsr__free(part);
    return status;
}

tsr_status tsr__show_classes(tsr__subject *s)
{
    tsr_status status = TSR_OK;
    const int64_t classes = tsr_labels_classes(s->labels);
    const int64_t shown = classes < MOST_CLASSES ? classes : MOST_CLASSES;
    char name[TSR_NAME_SIZE];
    double *share = NULL;
    TSR_TRY(class_shares(&share, s));
    tsr__page_say(s->page, "What each class is made of: the share of every part in all that is "
                           "contributed to the samples of the class.");
    if (shown < classes)
        tsr__page_note(s->page, "The first %lld classes are shown, of %lld.", (long long)shown,
                       (long long)classes);
    tsr__json *chart =
        tsr__page_chart(s->page, "by-class", "heat", "by-class", "Parts by class");
    tsr__json_text(chart, "down", "class");
    tsr__json_text(chart, "across", "part");
    tsr__page_chart_end(s->page);
    tsr__page_table(s->page, "by-class", "Share of each part in each class", true);
    tsr__page_column(s->page, "class", TSR_CELL_TEXT);
    for (int64_t a = 0; a < s->parts; a++) {
        tsr__page_column(s->page, tsr__subject_part(name, s->by_class[a]), TSR_CELL_PERCENT);
    }
    for (int32_t c = 0; c < shown; c++) {
        tsr__page_text(s->page, tsr_labels_name(s->labels, c));
        for (int64_t a = 0; a < s->parts; a++)
            tsr__page_number(s->page, share[c * s->k + s->by_class[a]]);
    }
    tsr__page_table_end(s->page);
done:
    tsr__free(share);
    return status;
}

/* Clusters -------------------------------------------------------------------------------- */

/* Counts of classes against what samples were taken for, of `labels`; none: -1. */
static tsr_status show_confusion(const tsr__subject *s, const char *id, const char *title,
                                 const int32_t *taken)
{
    tsr_status status = TSR_OK;
    const int32_t classes = tsr_labels_classes(s->labels);
    int64_t *counts = NULL;
    const char **name = NULL;
    TSR_NEW(counts, (int64_t)classes * classes);
    TSR_NEW(name, classes);
    for (int32_t c = 0; c < classes; c++)
        name[c] = tsr_labels_name(s->labels, c);
    tsr_confusion(counts, tsr_labels_of(s->labels), taken, s->n, classes);
    TSR_TRY(tsr__page_confusion(s->page, id, title, counts, name, classes));
done:
    tsr__free(counts);
    tsr__free(name);
    return status;
}

static void put_scores(tsr_page *page, const tsr_scores *scores)
{
    tsr__page_table(page, "scores", "How well clusters match classes", false);
    tsr__page_column(page, "measure", TSR_CELL_TEXT);
    tsr__page_column(page, "value", TSR_CELL_REAL);
    tsr__page_figure(page, "accuracy (AC)", scores->accuracy);
    tsr__page_figure(page, "NMI", scores->nmi);
    tsr__page_figure(page, "NMI, arithmetic mean", scores->nmi_arithmetic);
    tsr__page_figure(page, "adjusted Rand index (ARI)", scores->ari);
    tsr__page_figure(page, "purity", scores->purity);
    tsr__page_table_end(page);
}

/* Starts of k-means: those of `tessera cluster`, fewer where that would take minutes. */
static int64_t count_starts(const tsr__subject *s)
{
    static const double usual = 20, quick = 2e7; /* samples x clusters x parts */
    const double work = (double)s->n * tsr_labels_classes(s->labels) * (double)s->k;
    return (int64_t)fmax(1, fmin(usual, usual * quick / work));
}

static tsr_status cluster(const tsr__subject *s)
{
    tsr_status status = TSR_OK;
    const tsr_cluster_options options = {.clusters = tsr_labels_classes(s->labels),
                                         .restarts = count_starts(s),
                                         .seed = s->options->seed,
                                         .threads = s->options->threads};
    tsr_scores scores;
    int32_t *of = NULL;
    TSR_NEW(of, s->n);
    TSR_TRY(tsr_cluster(of, NULL, s->diffused, &options));
    TSR_TRY(tsr_score_clusters(&scores, of, tsr_labels_of(s->labels), s->n));
    put_scores(s->page, &scores);
    TSR_TRY(tsr_map_clusters(of, of, tsr_labels_of(s->labels), s->n));
    TSR_TRY(show_confusion(s, "confusion", "Classes against clusters, by the best map", of));
done:
    tsr__free(of);
    return status;
}

tsr_status tsr__show_clusters(tsr__subject *s)
{
    const int32_t *seen = s->trained ? tsr_model_seen(s->model) : NULL;
    int64_t told = 0;
    for (int64_t i = 0; seen != NULL && i < s->n; i++)
        told += seen[i] >= 0;
    tsr__page_say(
        s->page,
        "k-means of the codes, best of %lld starts, into as many clusters as there are "
        "classes (%d); each cluster then stands for one class, so that as many samples "
        "as possible are right. All %lld samples with a class count, also the %lld "
        "whose label was open to the learner.",
        (long long)count_starts(s), tsr_labels_classes(s->labels),
        (long long)tsr_labels_known(s->labels), (long long)told);
    return too_many(s) ? TSR_OK : or_remark(s->page, cluster(s));
}

/* Predictions ----------------------------------------------------------------------------- */

/* A sample whose class the learner did not see. */
typedef struct guess {
    int64_t sample;
    int32_t class; /* of the model's labels */
    double score;
    int right; /* 1, 0, or -1: nobody knows */
} guess;

/* Wrong ones first, then those that are least sure. */
static int by_doubt(const void *a, const void *b)
{
    const guess *left = a, *right = b;
    const int wrong = (right->right == 0) - (left->right == 0);
    if (wrong != 0)
        return wrong;
    if (left->score != right->score)
        return left->score < right->score ? -1 : 1;
    return (left->sample > right->sample) - (left->sample < right->sample);
}

/* Of those that are known: how many are right, by how sure the model was. */
static void put_calibration(tsr_page *page, const guess *g, int64_t count)
{
    enum { BINS = 10 };
    int64_t all[BINS] = {0}, right[BINS] = {0};
    char name[40];
    for (int64_t i = 0; i < count; i++) {
        const int bin = (int)fmin(fmax(g[i].score, 0) * BINS, BINS - 1);
        all[bin] += g[i].right >= 0;
        right[bin] += g[i].right > 0;
    }
    tsr__json *chart = tsr__page_chart(page, "calibration", "bar", "calibration",
                                       "Right predictions by how sure they were");
    tsr__json_text(chart, "x", "score");
    tsr__page_list(chart, "y", (const char *const[]){"right", NULL});
    tsr__page_chart_end(page);
    tsr__page_table(page, "calibration", "Right predictions by score", true);
    tsr__page_column(page, "score", TSR_CELL_TEXT);
    tsr__page_column(page, "samples", TSR_CELL_INTEGER);
    tsr__page_column(page, "right", TSR_CELL_PERCENT);
    for (int b = 0; b < BINS; b++) {
        (void)snprintf(name, sizeof name, "%.1f to %.1f", b / 10.0, (b + 1) / 10.0);
        tsr__page_text(page, name);
        tsr__page_number(page, (double)all[b]);
        tsr__page_number(page, all[b] > 0 ? (double)right[b] / (double)all[b] : (double)NAN);
    }
    tsr__page_table_end(page);
}

static void put_guesses(const tsr__subject *s, const guess *g, int64_t count)
{
    static const char *const words[] = {"", "no", "yes"};
    char name[TSR_NAME_SIZE];
    const int64_t shown = count < s->options->points ? count : s->options->points;
    tsr_page *page = s->page;
    if (shown < count)
        tsr__page_note(page, "%lld predictions are listed, of %lld (--points N).",
                       (long long)shown, (long long)count);
    tsr__page_table(page, "predictions", "Predictions: wrong ones first, then the least sure",
                    true);
    tsr__page_column(page, "sample", TSR_CELL_TEXT);
    tsr__page_column(page, "predicted", TSR_CELL_TEXT);
    tsr__page_column(page, "score", TSR_CELL_PERCENT);
    tsr__page_column(page, "class", TSR_CELL_TEXT);
    tsr__page_column(page, "right", TSR_CELL_TEXT);
    for (int64_t i = 0; i < shown; i++) {
        tsr__page_text(page, tsr__subject_sample(name, s, g[i].sample));
        tsr__page_text(page, tsr_labels_name(tsr_model_labels(s->model), g[i].class));
        tsr__page_number(page, g[i].score);
        tsr__page_text(page, tsr__subject_class_name(s, g[i].sample));
        tsr__page_text(page, words[g[i].right + 1]);
    }
    tsr__page_table_end(page);
}

/* The samples whose class was not seen; returns how many. */
static int64_t list_guesses(guess *out, const tsr__subject *s, const int32_t *predicted,
                            const double *score)
{
    const int32_t *seen = s->trained ? tsr_model_seen(s->model) : NULL;
    int64_t count = 0;
    for (int64_t i = 0; i < s->n; i++) {
        if (seen != NULL && seen[i] >= 0)
            continue;
        const char *said = tsr_labels_name(tsr_model_labels(s->model), predicted[i]);
        const bool known = tsr__subject_class(s, i) >= 0;
        const bool right = known && strcmp(said, tsr__subject_class_name(s, i)) == 0;
        out[count++] = (guess){i, predicted[i], score[i], known ? right : -1};
    }
    qsort(out, (size_t)count, sizeof *out, by_doubt);
    return count;
}

/* Predicted classes as numbers of the samples' own labels, -1 where these have no such class; samples
 * that taught are left out. */
static tsr_status renumber(int32_t *out, const tsr__subject *s, const guess *g, int64_t count)
{
    tsr_status status = TSR_OK;
    const tsr_labels *ours = tsr_model_labels(s->model);
    const int32_t classes = tsr_labels_classes(s->labels);
    int32_t *same = NULL;
    int64_t strange = 0;
    TSR_NEW(same, tsr_labels_classes(ours));
    for (int32_t c = 0; c < tsr_labels_classes(ours); c++) {
        same[c] = 0;
        while (same[c] < classes &&
               strcmp(tsr_labels_name(s->labels, same[c]), tsr_labels_name(ours, c)) != 0)
            same[c]++;
        same[c] = same[c] < classes ? same[c] : -1;
    }
    for (int64_t i = 0; i < s->n; i++)
        out[i] = -1;
    for (int64_t i = 0; i < count; i++) {
        out[g[i].sample] = same[g[i].class];
        strange += same[g[i].class] < 0;
    }
    if (strange > 0)
        tsr__page_note(s->page,
                       "%lld predictions are of classes that these samples do not have: "
                       "the matrix leaves them out.",
                       (long long)strange);
done:
    tsr__free(same);
    return status;
}

static tsr_status predict(const tsr__subject *s, bool blocks)
{
    tsr_status status = TSR_OK;
    int32_t *of = NULL;
    double *score = NULL;
    guess *g = NULL;
    tsr_judgement how;
    TSR_NEW(of, s->n);
    TSR_NEW(score, s->n);
    TSR_NEW(g, s->n);
    TSR_TRY(tsr_model_predict(of, score, s->model, s->codes,
                              blocks ? TSR_PREDICT_BLOCK : TSR_PREDICT_NEAREST));
    TSR_TRY(tsr_model_judge(&how, s->model, of, s->data, s->trained));
    const int64_t count = list_guesses(g, s, of, score);
    if (*how.note != '\0')
        tsr__page_note(s->page, "%s.", how.note);
    if (how.judged > 0) {
        tsr__page_table(s->page, "judged", "Predictions judged", false);
        tsr__page_column(s->page, "", TSR_CELL_TEXT);
        tsr__page_column(s->page, "value", TSR_CELL_REAL);
        tsr__page_figure(s->page, "samples", (double)how.judged);
        tsr__page_figure(s->page, "accuracy", how.accuracy);
        tsr__page_table_end(s->page);
        put_calibration(s->page, g, count);
        TSR_TRY(renumber(of, s, g, count));
        if (!too_many(s))
            TSR_TRY(show_confusion(s, "mistakes", "Classes against predicted classes", of));
    }
    if (count > 0)
        put_guesses(s, g, count);
done:
    tsr__free(of);
    tsr__free(score);
    tsr__free(g);
    return status;
}

/* Some sample of which the learner did not see the class. */
static bool any_unseen(const tsr__subject *s)
{
    const int32_t *seen = s->trained ? tsr_model_seen(s->model) : NULL;
    bool any = seen == NULL;
    for (int64_t i = 0; !any && i < s->n; i++)
        any = seen[i] < 0;
    return any;
}

tsr_status tsr__show_predictions(tsr__subject *s)
{
    const bool blocks = tsr_model_has_blocks(s->model);
    if (!any_unseen(s)) {
        tsr__page_note(s->page, "The learner saw all labels: none is left to judge predictions "
                                "by (fit with --labelled N hides some).");
        return TSR_OK;
    }
    tsr__page_say(s->page,
                  "Classes of the samples whose label the learner did not see, by %s. "
                  "The score says how sure: %s.",
                  blocks ? "the largest block of the code" : "the nearest labelled code",
                  blocks ? "the class's share of all blocks"
                         : "d' / (d + d') for the distances to the nearest code of that class "
                           "and of any other");
    return or_remark(s->page, predict(s, blocks));
}
