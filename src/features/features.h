/* SPDX-License-Identifier: BSD-2-Clause
 *
 * THE FEATURES TABLE: one row a way to make samples of files. A new kind is one file and one
 * row in features.c. */
#ifndef TSR_FEATURES_FEATURES_H
#define TSR_FEATURES_FEATURES_H

#include "io/data.h"
#include "io/recipe.h"

/* What there is to make samples of. */
typedef struct tsr__sources {
    char *folder;
    tsr__names files;   /* relative to the folder; or one file whose lines are documents */
    tsr_labels *labels; /* one a file, or NULL */
    tsr__names notes;
    bool lines; /* documents are the lines of files.name[0] */
} tsr__sources;

/* What a row's make is asked for. */
typedef struct tsr__feature_job {
    const char *folder;
    const tsr__names *files;
    bool lines;
    const tsr_labels *labels; /* one a file, or NULL */
    const bool *learn; /* files that dictionaries and weights may be learnt from, or NULL:
                                 all; for lines: NULL */
    const tsr__recipe *recipe;    /* to be applied, or NULL: learn one. Its kind is the row's;
                                     its settings and shapes are for the row to check. */
    const tsr__names *vocabulary; /* feature names that came with the recipe, or NULL */
    const tsr_features_options *options; /* never NULL; `dictionary` is set though recipe is
                                            NULL where words are given as a file of words */
} tsr__feature_job;

typedef struct tsr__feature_kind {
    const char *name, *title;
    bool (*wants)(const char *name); /* files of a folder */

    /* Fills x, recipe (the one applied, or the one learnt), feature_names where features have
     * names, sample_names (the files that became samples, in order; none for lines), dtype,
     * and adds notes; labels are put there by the caller. */
    tsr_status (*make)(tsr_data *out, const tsr__feature_job *job);
} tsr__feature_kind;

extern const tsr__feature_kind tsr__feature_kinds[]; /* ended by a row without a name */

/* Rows. */
tsr_status tsr__pixels_make(tsr_data *out, const tsr__feature_job *job);
tsr_status tsr__sift_make(tsr_data *out, const tsr__feature_job *job);
tsr_status tsr__dsift_make(tsr_data *out, const tsr__feature_job *job);
bool tsr__words_wants(const char *name);
tsr_status tsr__words_make(tsr_data *out, const tsr__feature_job *job);

/* Files of a folder (or, for words, one file) and their classes. */
tsr_status tsr__sources_find(tsr__sources *out, const char *where,
                             const tsr_features_options *options);
void tsr__sources_clear(tsr__sources *sources);

/* The samples; `learn` (one a file, or NULL: all) says what may be learnt from. The notes of
 * the sources are copied to those of the data. */
tsr_status tsr__features_make(tsr_data **out, const tsr__sources *sources, const bool *learn,
                              const tsr_features_options *options);

#endif
