/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the files of the HDF5 layer share. */
#ifndef TSR_IO_HDF5_FILE_H
#define TSR_IO_HDF5_FILE_H

#include "base/text.h"
#include "io/hdf5.h"

#include <hdf5.h>

struct tsr__hdf5 {
    hid_t id;
    tsr__hdf5_quiet quiet;
};

/* "HDF5 cannot read x: ...", with the innermost of HDF5's own reasons. */
tsr_status tsr__hdf5_failed(tsr_status code, const char *what, const char *name);

const char *tsr__hdf5_path(const char *name); /* "" is "/" */
hid_t tsr__hdf5_native(tsr__element element); /* FLOAT64, FLOAT32, INT64, INT32 */

/* UTF-8 texts of one length (at least 1) padded with zeros, or H5T_VARIABLE; to be closed. */
hid_t tsr__hdf5_text_type(size_t length);

#endif
