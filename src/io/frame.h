/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Data frames as AnnData keeps them in HDF5: a group (obs, var) of columns.
 *
 *     _index                 attribute: the name of the column that holds the rows' names
 *     COLUMN                 a dataset of numbers or texts; or, categorical,
 *     COLUMN/codes           positions in COLUMN/categories, -1 unknown; or, before AnnData 0.8,
 *     COLUMN                 positions in __categories/COLUMN beside it */
#ifndef TSR_IO_FRAME_H
#define TSR_IO_FRAME_H

#include "io/hdf5.h"

/* Whether `name` is a categorical column: described as a vector of texts, which `texts` adds to
 * `out`, "" where unknown. */
bool tsr__frame_is_categorical(const tsr__hdf5 *file, const char *name);
tsr_status tsr__frame_describe(tsr__variable *out, const tsr__hdf5 *file, const char *name);
tsr_status tsr__frame_texts(tsr__names *out, const tsr__hdf5 *file, const char *name);

/* Whether a dataset is part of a categorical column in a group of its own, or the categories of
 * one: no variable by itself. */
bool tsr__frame_is_part(const tsr__hdf5 *file, const char *dataset);

/* Adds the names of the rows of `frame`, if it is one and there are `count` of them. */
tsr_status tsr__frame_index(tsr__names *out, const tsr__hdf5 *file, const char *frame,
                            int64_t count);

#endif
