/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A scaled view of a source: its samples with another type, missing values as zeros, a norm and a
 * weight of each, made block by block as they are asked for.
 *
 * What a fit sees of the data is such a view. In memory it is copied out once
 * (tsr__matrix_of_source), so that iterations do not pay for it; a source that does not fit there
 * can be read through it. */
#ifndef TSR_MATRIX_SCALED_H
#define TSR_MATRIX_SCALED_H

#include "matrix/block.h"

/* In this order: what is missing becomes zero, the norm is of what is left, the type is changed,
 * and cuts weigh. */
typedef struct tsr__scaling {
    tsr_type type;
    tsr_norm norm;
    bool missing;            /* NaN stand for missing values */
    const tsr_matrix *clear; /* positions that are to be zero besides; sparse, or NULL */
    const double *cuts; /* NULL, or m: sample x becomes x / sqrt(x . cuts) where that is > 0 */
} tsr__scaling;

typedef struct tsr__scaled {
    tsr__source of;
    tsr__scaling by;
    char *room;  /* a block and a sample, */
    size_t each; /*   of each thread */
} tsr__scaled;

/* The view, for so many threads; `held` must outlive it and is freed by tsr__scaled_clear. */
tsr_status tsr__source_scaled(tsr__source *out, tsr__scaled *held, const tsr__source *of,
                              const tsr__scaling *by, int threads);
void tsr__scaled_clear(tsr__scaled *held);

/* All samples of a source as a matrix, which has the shape and, where it is sparse, the pattern
 * of `like`. */
tsr_status tsr__matrix_of_source(tsr_matrix **out, const tsr__source *source,
                                 const tsr_matrix *like, int threads);

/* x over sqrt(x . cuts), where that is > 0; columns NULL: one after another. */
void tsr__weigh_row(void *values, tsr_type type, const int32_t *columns, int64_t count,
                    const double *cuts);

#endif
