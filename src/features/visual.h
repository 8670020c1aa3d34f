/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Visual words: pictures as histograms of the words that their descriptors are nearest to. A
 * picture is cut into grid[0] x grid[1] equal regions with a histogram each; feature
 * (row x grid[0] + column) x words + word counts a word in a region. */
#ifndef TSR_FEATURES_VISUAL_H
#define TSR_FEATURES_VISUAL_H

#include "features/dictionary.h"

tsr_status tsr__visual_make(tsr_data *out, const tsr__feature_job *job,
                            const tsr__describer *describer);

/* One picture as a recipe of visual words sees it. */
typedef struct tsr__view {
    tsr__image image;
    tsr__descriptors found;
    int64_t *feature; /* of each descriptor: its nearest word in its region */
    tsr_data *sample; /* the picture's one sample, weighed and scaled */
} tsr__view;

tsr_status tsr__view_make(tsr__view *out, const tsr__recipe *recipe, const char *path);
void tsr__view_clear(tsr__view *view);

#endif
