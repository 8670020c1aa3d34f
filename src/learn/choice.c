/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Which of the candidates is taken.
 *
 * Of the mean scores the best is that of the true model and of a few larger ones that are as good
 * by chance, so the rule is one standard error: the smallest rank of which a candidate is not worse
 * than the best by more than the standard error of their difference, fold by fold; of that rank the
 * model of the best mean, for models are not nested and none of them is the simpler one; of its
 * weights that are within that error the smallest, which is nearest to the plain factorization. (The
 * model need not be within it itself: one that is always a little worse than the best is not, while
 * one of a lower mean that goes up and down may be, and nobody would take that one.)
 * Baselines that were not named but added are yardsticks: they are neither best nor chosen.
 *
 * What folds have in common cancels in the difference, which makes it sharper than the standard
 * error of the best mean alone: of 40 products of rank 5 with 15 % of noise (100 x 40, ranks 2 to 8)
 * it finds the rank in 32, the other in 28; with less noise both find it always. A second start of
 * each fit finds no more: --restarts is left to the user. */
#include "learn/select.h"

#include <math.h>
#include <string.h>

bool tsr__selection_usable(const tsr_selection *s, int64_t i)
{
    return *s->candidate[i].note == '\0';
}

/* Larger is better. */
static double sign_of(const tsr_selection *s)
{
    return s->about.by_labels ? 1 : -1;
}

bool tsr__selection_better(const tsr_selection *s, int64_t a, int64_t b)
{
    return sign_of(s) * (s->candidate[a].mean - s->candidate[b].mean) > 0;
}

void tsr__describe(double *mean, double *deviation, const double *number, int64_t count)
{
    double squares = 0;
    *mean = 0;
    for (int64_t i = 0; i < count; i++)
        *mean += number[i] / (double)count;
    for (int64_t i = 0; i < count; i++)
        squares += pow(number[i] - *mean, 2);
    *deviation = count > 1 ? sqrt(squares / (double)(count - 1)) : 0;
}

/* Beyond the table a series in 1 / degrees, good to three digits. */
double tsr__student(int64_t degrees)
{
    static const double t[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306};
    const double v = (double)degrees;
    return degrees <= 8 ? t[degrees - 1] : 1.95996 + 2.37227 / v + 2.8225 / (v * v);
}

/* Accuracies are shares of few samples, and may differ by the same on every fold by chance. A mean
 * difference d over n labels is of d n samples at least that one tells and the other does not, so
 * that its error is no less than sqrt(d n) / n. */
tsr__gap tsr__selection_gap(const tsr_selection *s, int64_t a, int64_t b)
{
    const int64_t folds = s->about.folds;
    const double *one = s->score + a * folds, *other = s->score + b * folds;
    double mean = 0, squares = 0;
    for (int64_t f = 0; f < folds; f++)
        mean += sign_of(s) * (one[f] - other[f]) / (double)folds;
    for (int64_t f = 0; f < folds; f++)
        squares += pow(sign_of(s) * (one[f] - other[f]) - mean, 2);
    double error = sqrt(squares / (double)(folds - 1)) / sqrt((double)folds);
    if (s->about.by_labels)
        error = fmax(error, sqrt(fabs(mean) / (double)s->about.judged));
    return (tsr__gap){mean, error, fabs(mean) > tsr__student(folds - 1) * error};
}

/* Not worse by more than a standard error or, of entries, than a share of the squares that fits
 * leave to chance when they stop. */
bool tsr__selection_near(const tsr_selection *s, int64_t i, int64_t best)
{
    static const double speck = 1e-5;
    const int64_t folds = s->about.folds;
    const double *own = s->score + i * folds, *top = s->score + best * folds;
    const tsr__gap gap = tsr__selection_gap(s, best, i);
    double squares = 0;
    for (int64_t f = 0; f < folds; f++)
        squares += (own[f] * own[f] - top[f] * top[f]) / (double)folds;
    return gap.mean <= gap.error || (!s->about.by_labels && squares <= speck);
}

static bool may_be_chosen(const tsr_selection *s, int64_t i)
{
    return tsr__selection_usable(s, i) && !s->candidate[i].added;
}

static bool simpler(const tsr_candidate *a, const tsr_candidate *b)
{
    return a->rank < b->rank || (a->rank == b->rank && a->weight < b->weight);
}

/* The best mean; of equal ones the simplest. -1: none can be chosen. */
static int64_t find_best(const tsr_selection *s)
{
    int64_t best = -1;
    for (int64_t i = 0; i < s->about.candidates; i++)
        if (may_be_chosen(s, i) && (best < 0 || tsr__selection_better(s, i, best) ||
                                    (!tsr__selection_better(s, best, i) &&
                                     simpler(&s->candidate[i], &s->candidate[best]))))
            best = i;
    return best;
}

/* The rule of the file's head: rank, then model, then weight. */
static int64_t find_simplest(const tsr_selection *s, int64_t best)
{
    const tsr_candidate *c = s->candidate;
    const int64_t count = s->about.candidates;
    int64_t rank = c[best].rank, first = -1, chosen = -1;
    for (int64_t i = 0; i < count; i++)
        if (may_be_chosen(s, i) && c[i].rank < rank && tsr__selection_near(s, i, best))
            rank = c[i].rank;
    for (int64_t i = 0; i < count; i++)
        if (may_be_chosen(s, i) && c[i].rank == rank &&
            (first < 0 || tsr__selection_better(s, i, first)))
            first = i;
    for (int64_t i = 0; i < count; i++)
        if (may_be_chosen(s, i) && c[i].rank == rank && c[i].model == c[first].model &&
            tsr__selection_near(s, i, best) && (chosen < 0 || simpler(&c[i], &c[chosen])))
            chosen = i;
    return chosen < 0 ? first : chosen;
}

tsr_status tsr__selection_choose(tsr_selection *s, tsr_select_rule rule)
{
    tsr_candidate *c = s->candidate;
    const int64_t folds = s->about.folds;
    for (int64_t i = 0; i < s->about.candidates; i++) {
        if (!tsr__selection_usable(s, i))
            continue;
        tsr__describe(&c[i].mean, &c[i].deviation, &s->score[i * folds], folds);
        c[i].error = c[i].deviation / sqrt((double)folds);
    }
    const int64_t best = find_best(s);
    if (best < 0)
        return tsr__fail(TSR_ERROR_DATA, "no candidate can be fitted: %s", c[0].note);
    c[best].best = true;
    c[rule == TSR_SELECT_ONE_SE ? find_simplest(s, best) : best].chosen = true;
    return TSR_OK;
}
