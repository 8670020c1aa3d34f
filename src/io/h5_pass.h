/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Sparse samples of an .h5 that lie by feature, and pass through. */
#ifndef TSR_IO_H5_PASS_H
#define TSR_IO_H5_PASS_H

#include "io/flow.h"
#include "io/hdf5.h"

/* Entries start[j] .. start[j + 1] - 1 of the two datasets are those of feature j. */
typedef struct tsr__h5_columns {
    const tsr__hdf5 *hdf5;
    const char *values, *samples; /* datasets */
    const int64_t *start;         /* features + 1 of them */
    int64_t shape[2], entries;    /* samples, features; what the datasets hold */
    tsr_type type;
} tsr__h5_columns;

/* *out gets their shape and no values. */
tsr_status tsr__h5_pass(tsr_matrix **out, tsr__flow *flow, const tsr__h5_columns *from);

#endif
