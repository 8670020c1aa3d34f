/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Choosing a rank and a weight by what is held out. */
#ifndef TSR_LEARN_SELECT_H
#define TSR_LEARN_SELECT_H

#include "io/data.h"

/* One candidate and how it did over the folds. */
typedef struct tsr__candidate {
    int64_t rank;
    double weight;          /* NaN: the model has none */
    double mean, deviation; /* accuracy (larger is better) or error (smaller is better) */
    bool chosen;
} tsr__candidate;

typedef struct tsr__selection {
    bool by_labels;     /* accuracy on held-out labels; else error on held-out entries */
    const char *weight; /* the setting that was varied, or NULL */
    tsr__candidate *candidate;
    int64_t count;
} tsr__selection;

typedef struct tsr__select_options {
    const int64_t *rank;
    const double *weight;
    int64_t ranks, weights; /* of the two lists; 0 weights: the model's own */
    int64_t folds, threads;
} tsr__select_options;

tsr_status tsr__select(tsr__selection *out, const tsr_data *data, const tsr_fit_options *fit,
                       const tsr__select_options *options);
void tsr__selection_clear(tsr__selection *selection);

#endif
