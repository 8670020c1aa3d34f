/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Choosing a rank and a weight by what is held out. */
#ifndef TSR_LEARN_SELECT_H
#define TSR_LEARN_SELECT_H

#include "io/data.h"

/* One candidate and how it did over the folds: accuracy (larger is better) or error (smaller is
 * better). */
typedef struct tsr__candidate {
    int64_t rank;
    double weight; /* NaN: the model has none */
    double mean, deviation;
    double error; /* standard error of the mean */
    bool best, chosen;
    char note[256]; /* why it could not be fitted; "" where it could */
} tsr__candidate;

typedef enum tsr__select_by {
    TSR_SELECT_AUTO, /* labels where they can judge, else entries */
    TSR_SELECT_LABELS,
    TSR_SELECT_ENTRIES
} tsr__select_by;

typedef enum tsr__select_rule { TSR_SELECT_ONE_SE, TSR_SELECT_BEST } tsr__select_rule;

typedef struct tsr__selection {
    bool by_labels;     /* accuracy on held-out labels; else error on held-out entries */
    int64_t judged;     /* how many of them, over all folds */
    const char *weight; /* the setting that was varied, or NULL */
    char note[256];     /* why labels could not judge, or "" */
    tsr__candidate *candidate;
    int64_t count;
} tsr__selection;

typedef struct tsr__select_options {
    const int64_t *rank;
    const double *weight;
    int64_t ranks, weights; /* of the two lists; 0 weights: the model's own */
    int64_t folds, threads;
    tsr__select_by by;
    tsr__select_rule rule;
    const tsr_progress *progress; /* or NULL */
} tsr__select_options;

/* Candidates that cannot be fitted say why; only where none can is it an error. */
tsr_status tsr__select(tsr__selection *out, const tsr_data *data, const tsr_fit_options *fit,
                       const tsr__select_options *options);
void tsr__selection_clear(tsr__selection *selection);

#endif
