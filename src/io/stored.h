/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Samples that stay in their file: stored matrices (matrix/store.h) over arrays of .npy and .h5.
 *
 * Data are read so where they take more than a quarter of the memory that options allow: a fit may
 * copy them twice, and has factors besides. A file that became shorter, or that was written to, is
 * an error of the window that meets it. */
#ifndef TSR_IO_STORED_H
#define TSR_IO_STORED_H

#include "io/hdf5.h"

/* An array of a file: its elements stand one after another from `offset` on, or are `parts` (in
 * pieces, packed) that HDF5 finds. */
typedef struct tsr__stretch {
    tsr__element element;
    bool swapped;
    int64_t offset;
    tsr__hdf5_parts *parts; /* or NULL */
} tsr__stretch;

/* True where a matrix of so many entries is to stay in its file. */
bool tsr__stays_stored(const tsr_read_options *options, double entries, tsr__element element,
                       bool sparse);

/* Dense: samples x features. Values are read as tsr__element_real says. Parts, here and below, are
 * the matrix's from then on; a failure leaves them to the caller. */
tsr_status tsr__stored_dense(tsr_matrix **out, const char *path, const tsr__stretch *values,
                             int64_t samples, int64_t features);

/* Sparse by rows: `rows` (samples + 1, taken) is in memory. Columns must ascend in each row. */
tsr_status tsr__stored_sparse(tsr_matrix **out, const char *path, const tsr__stretch *values,
                              const tsr__stretch *columns, int64_t *rows, int64_t samples,
                              int64_t features);

#endif
