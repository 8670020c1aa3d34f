/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What is held out of data in turn, so that fits can be judged by it: labels or entries. */
#ifndef TSR_LEARN_HOLDOUT_H
#define TSR_LEARN_HOLDOUT_H

#include "factor/prepared.h"

/* The same for every fit that is compared. */
typedef struct tsr__holdout {
    const tsr_data *data;
    bool by_labels;
    int64_t folds;
    int64_t judged;          /* labels or entries that are held out, each once */
    int32_t *fold;           /* of each sample (labels) or value (entries); -1: always shown */
    tsr__prepared prepared;  /* entries: what they are taken from */
    const tsr_matrix *whole; /* entries: the samples as a fit prepares them */
    double square, largest;  /* entries: mean square of those that are known, and the largest */
} tsr__holdout;

/* Labels, evenly over the folds. A class's only label is never hidden. TSR_ERROR_DATA where
 * there are too few to judge by. `data` must outlive it. */
tsr_status tsr__holdout_labels(tsr__holdout *out, const tsr_data *data, int64_t folds,
                               int64_t seed);

/* Known entries, one in 2 x folds a fold, evenly over the rows. Every row and column that has
 * known entries keeps some. `fit` says how the samples are prepared. */
tsr_status tsr__holdout_entries(tsr__holdout *out, const tsr_data *data,
                                const tsr_fit_options *fit, int64_t folds);
void tsr__holdout_clear(tsr__holdout *holdout);

/* Fits to all but a fold and judges by that fold. Labels: the share of hidden samples whose
 * nearest code of a shown label is of their class. Entries: the root mean square error, relative
 * to all entries. */
tsr_status tsr__holdout_score(double *out, const tsr__holdout *holdout,
                              const tsr_fit_options *fit, int64_t fold);

#endif
