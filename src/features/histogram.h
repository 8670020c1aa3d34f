/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Histograms of visual words by a recipe: settings that were made sure of, a dictionary that
 * fits, weights. */
#ifndef TSR_FEATURES_HISTOGRAM_H
#define TSR_FEATURES_HISTOGRAM_H

#include "features/visual.h"

/* The row of the recipe's kind, or NULL. */
const tsr__describer *tsr__describer_find(const char *kind);

/* Settings with the kind's own values where none were given; or those of a recipe, from which
 * given ones must not differ. */
tsr_status tsr__visual_settle(tsr_features_options *options, const tsr__describer *describer,
                              const tsr__recipe *recipe);

/* Keeps kind and settings in a recipe. */
tsr_status tsr__visual_record(tsr__recipe *recipe, const tsr__describer *describer,
                              const tsr_features_options *options);

/* Words times regions. */
int64_t tsr__visual_features(const tsr_features_options *options);

/* One picture, decoded and described; no descriptors where it is too small. */
tsr_status tsr__picture_describe(tsr__descriptors *out, void **held, const tsr__image *image,
                                 const tsr__describer *describer,
                                 const tsr_features_options *options);

/* Counts into `row` (zeroed by the call); `feature` (or NULL) gets that of each descriptor. */
tsr_status tsr__histogram_count(double *row, int64_t *feature, const tsr__lookup *lookup,
                                const tsr__descriptors *from,
                                const tsr_features_options *options);

/* The last steps, on all samples: binary or weighed counts, norms. */
void tsr__histograms_finish(tsr_matrix *x, const tsr_matrix *weight,
                            const tsr_features_options *options);

#endif
