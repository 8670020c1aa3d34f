/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What is held out of data in turn, so that fits can be judged by it: labels or entries. */
#ifndef TSR_LEARN_HOLDOUT_H
#define TSR_LEARN_HOLDOUT_H

#include "factor/prepared.h"

/* The same for every fit that is compared. Models may weigh their samples by cuts (ncw) or not:
 * each is fitted to samples of its own kind, and all are judged in one unit. */
typedef struct tsr__holdout {
    const tsr_data *data;
    bool by_labels;
    int64_t folds;
    int64_t judged;          /* labels or entries that are held out, each once */
    int32_t *fold;           /* of each sample (labels) or value (entries); -1: always shown */
    tsr__prepared kind[2];   /* entries: samples as fits prepare them, without and with ncw */
    const tsr_matrix *whole; /* entries: that of the two by which fits are judged */
    double square, largest;  /* entries: mean square of those that are known, and the largest */
} tsr__holdout;

/* Labels, evenly over the folds. A class's only label is never hidden. TSR_ERROR_DATA where
 * there are too few to judge by. `data` must outlive it. */
tsr_status tsr__holdout_labels(tsr__holdout *out, const tsr_data *data, int64_t folds,
                               int64_t seed);

/* Refuses a fit that cannot be judged by entries: baselines give none back, and some models are
 * made of whole samples. */
tsr_status tsr__holdout_refuses(const tsr_fit_options *fit);

/* Known entries, one in 2 x folds a fold, evenly over the rows. Every row and column that has
 * known entries keeps some. The fits, of which there is one at least and none is refused, say how
 * samples are prepared; which entries are dealt to a fold is a matter of the data and the seed of
 * the first. */
tsr_status tsr__holdout_entries(tsr__holdout *out, const tsr_data *data,
                                const tsr_fit_options *fit, int64_t fits, int64_t folds);
void tsr__holdout_clear(tsr__holdout *holdout);

typedef struct tsr__judged {
    double
        score;  /* labels: the share of hidden samples whose nearest code of a shown label is of
                       their class; entries: the root mean square error, relative to all */
    double nmi; /* labels: of k-means of all codes with the classes of hidden samples; or NaN */
    double seconds; /* of the fit alone */
} tsr__judged;

/* Fits to all but a fold and judges by that fold. */
tsr_status tsr__holdout_score(tsr__judged *out, const tsr__holdout *holdout,
                              const tsr_fit_options *fit, int64_t fold);

/* Data that share the matrix of others, with these labels in place of theirs, -1: unknown. */
tsr_status tsr__holdout_relabel(tsr_data **out, const tsr_data *data, const int32_t *of);

#endif
