/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the files of the HDF5 layer share. */
#ifndef TSR_IO_HDF5_FILE_H
#define TSR_IO_HDF5_FILE_H

#include "base/bound.h"
#include "base/text.h"
#include "io/hdf5.h"

#include <hdf5.h>

/* A group or dataset that the walk has passed. */
typedef struct tsr__hdf5_object {
    char *path; /* "" is the file */
    uint64_t address;
    bool group;
} tsr__hdf5_object;

struct tsr__hdf5 {
    hid_t id;
    tsr__bound bound;         /* of what may be made of it */
    tsr__hdf5_object *object; /* breadth first */
    int64_t objects, room;
    tsr__hdf5_object **by_path, **by_address; /* the same, sorted */
    tsr__names datasets;
    uint64_t *entered; /* groups, by address + 1, 0: none; `slots` of them */
    int64_t slots;
    hid_t access, group_access, dataset_access; /* no links to other files */
    H5E_auto2_t report;                         /* how HDF5 behaved before */
    void *to;
    unsigned plugins;
};

/* "cannot read x: ...", with the system's reason where HDF5 passes one on. */
tsr_status tsr__hdf5_failed(tsr_status code, const char *what, const char *name);

/* Bytes that an element takes where it is stored: a text of variable length is its length, an address
 * and a number. */
size_t tsr__hdf5_stored_size(const tsr__hdf5 *file, hid_t type);

/* Counts the elements of a dataset, and refuses more than the bound of the file lets through at `item`
 * bytes each, or chunks that hold fewer. */
tsr_status tsr__hdf5_count(int64_t *out, const tsr__hdf5 *file, hid_t dataset, const char *name,
                           size_t item);

/* Refuses a dataset of `count` elements of which a chunk unpacks to less than its shape takes, or a
 * text of variable length says to be longer than the file. */
tsr_status tsr__hdf5_check_stored(const tsr__hdf5 *file, hid_t dataset, int64_t count,
                                  const char *name);

/* The path of the object at an address, or NULL. */
const char *tsr__hdf5_at(const tsr__hdf5 *file, uint64_t address);

const char *tsr__hdf5_path(const char *name); /* "" is "/" */
hid_t tsr__hdf5_native(tsr__element element); /* FLOAT64, FLOAT32, INT64, INT32 */

/* UTF-8 texts of one length (at least 1) padded with zeros, or H5T_VARIABLE; to be closed. */
hid_t tsr__hdf5_text_type(size_t length);

#endif
