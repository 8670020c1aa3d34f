/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a fit does before it begins, for those who judge fits: samples and labels as it sees
 * them.
 *
 * For learn, which must compare a model with the values that it was fitted to, and not with
 * those of the file. */
#ifndef TSR_FACTOR_PREPARED_H
#define TSR_FACTOR_PREPARED_H

#include "io/data.h"

/* Samples with the type, norm and weighting of a fit. */
typedef struct tsr__prepared {
    const tsr_matrix *x; /* `owned`, or those of the data, which must outlive it */
    tsr_matrix *owned;
    tsr_matrix *missing; /* positions of missing values, or NULL */
} tsr__prepared;

tsr_status tsr__prepared_make(tsr__prepared *out, const tsr_data *data,
                              const tsr_fit_options *options);
void tsr__prepared_clear(tsr__prepared *prepared);

/* Sample j over sqrt(x_j . sum): Xu, Liu & Gong 2003. */
void tsr__weigh_by_cuts(tsr_matrix *x, const double *sum);

/* The class of each sample that the learner sees, or -1: all labels, or those that
 * options->labelled and the seed keep. `needed_by` (or NULL) cannot do without. */
tsr_status tsr__labels_seen(int32_t *seen, const tsr_data *data, const tsr_fit_options *options,
                            const char *needed_by);

/* Refuses a text that says neither how many labels a class keeps nor what share; NULL is fine. */
tsr_status tsr__labelled_check(const char *labelled);

#endif
