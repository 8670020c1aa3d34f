/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A scaled view of a matrix: its samples with another type, missing values as zeros, a norm and a
 * weight of each, made window by window as they are asked for (store.h).
 *
 * What a fit sees of the data is such a view. In memory it is copied out once
 * (tsr__matrix_load), so that iterations do not pay for it; samples that do not fit there are read
 * through it. */
#ifndef TSR_MATRIX_SCALED_H
#define TSR_MATRIX_SCALED_H

#include "matrix/store.h"

/* In this order: what is missing becomes zero, the norm is of what is left, the type is changed,
 * and cuts weigh. */
typedef struct tsr__scaling {
    tsr_type type;
    tsr_norm norm;
    bool missing;            /* NaN stand for missing values */
    const tsr_matrix *clear; /* positions that are to be zero besides; sparse, or NULL */
    const double *cuts; /* NULL, or m: sample x becomes x / sqrt(x . cuts) where that is > 0 */
} tsr__scaling;

/* The view; x and what `by` points at must outlive it. */
tsr_status tsr__matrix_scaled(tsr_matrix **out, const tsr_matrix *x, const tsr__scaling *by);

/* x, which is stored, becomes such a view of what it was. What `by` points at must outlive it. */
tsr_status tsr__matrix_scale(tsr_matrix *x, const tsr__scaling *by);

/* x over sqrt(x . cuts), where that is > 0; columns NULL: one after another. */
double tsr__cut_degree(const void *values, tsr_type type, const int32_t *columns, int64_t count,
                       const double *cuts);
void tsr__weigh_row(void *values, tsr_type type, const int32_t *columns, int64_t count,
                    const double *cuts);

#endif
