/* SPDX-License-Identifier: BSD-2-Clause
 *
 * HDF5 in a few calls: datasets and attributes by their path ("x", "group/data"; "" is the file
 * itself), in this library's types. hdf5.h itself stays behind it.
 *
 * A file that is opened to be read is walked first (hdf5_open.c): names that it does not have, or
 * that lead elsewhere, are not there for any function below. */
#ifndef TSR_IO_HDF5_H
#define TSR_IO_HDF5_H

#include "io/array.h"

typedef struct tsr__hdf5 tsr__hdf5;

/* To read: refuses what is not a plain file, does not fit its seal (seal.h), or would have other
 * files opened or code loaded. `expand` as in the options for reading; 0: the default. */
tsr_status tsr__hdf5_open(tsr__hdf5 **out, const char *path, int64_t expand);

/* Whether the file begins as HDF5 files do. */
bool tsr__hdf5_is_one(const char *path);

tsr_status tsr__hdf5_create(tsr__hdf5 **out, const char *path);

/* Closes, also after a failure; returns `status`, or why a file that went well so far could not
 * be completed. */
tsr_status tsr__hdf5_close(tsr__hdf5 *file, tsr_status status);

/* Reading. datasets: the paths of all, sorted within each group. describe: element NONE where it
 * is neither numbers nor texts; out->name is `name`. read: every element, as FLOAT64, FLOAT32,
 * INT64 or INT32, row-major, owned by the caller; what is announced is held against the bound of
 * the file before memory is asked for. references: the paths that the first `most` (-1: all) of a
 * dataset of object references mean, "" where one means nothing. */
const tsr__bound *tsr__hdf5_bound(const tsr__hdf5 *file);
bool tsr__hdf5_has(const tsr__hdf5 *file, const char *name);
bool tsr__hdf5_is_group(const tsr__hdf5 *file, const char *name);
const tsr__names *tsr__hdf5_datasets(const tsr__hdf5 *file);
tsr_status tsr__hdf5_describe(tsr__variable *out, const tsr__hdf5 *file, const char *name);
tsr_status tsr__hdf5_read(tsr__array *out, const tsr__hdf5 *file, const char *name,
                          tsr__element as);
/* Where the elements of a dataset stand one after another in the file as what `describe` calls
 * them, and whether in the other byte order; -1 where they do not. */
tsr_status tsr__hdf5_place(int64_t *offset, bool *swapped, const tsr__hdf5 *file,
                           const char *name);
tsr_status tsr__hdf5_read_numbers(double **out, const tsr__hdf5 *file, const char *name);
tsr_status tsr__hdf5_read_texts(tsr__names *out, const tsr__hdf5 *file, const char *name);
tsr_status tsr__hdf5_read_references(tsr__names *out, const tsr__hdf5 *file, const char *name,
                                     int64_t most);

/* A dataset of numbers that stays open, also when its file is closed, to be read in parts by any
 * number of threads. What is stored is checked once, and what was unpacked stays in memory for
 * readers at `places` at once, in `room` bytes: where it does not fit, opening fails. A part is
 * whole rows, given by their elements. */
typedef struct tsr__hdf5_parts tsr__hdf5_parts;
tsr_status tsr__hdf5_open_parts(tsr__hdf5_parts **out, const tsr__hdf5 *file, const char *name,
                                int64_t places, int64_t room);
tsr_status tsr__hdf5_read_part(void *out, const tsr__hdf5_parts *parts, tsr__element as,
                               int64_t first, int64_t count);
void tsr__hdf5_close_parts(tsr__hdf5_parts *parts);

/* Writing. Arrays are FLOAT64, FLOAT32, INT64 or INT32 of one or two dimensions, row-major with
 * `stride` elements from one row to the next, and stored in one piece. */
typedef struct tsr__hdf5_block {
    tsr__element element;
    int rank;
    int64_t shape[2], stride;
    const void *values;
} tsr__hdf5_block;

tsr_status tsr__hdf5_make_group(tsr__hdf5 *file, const char *name);
tsr_status tsr__hdf5_write(tsr__hdf5 *file, const char *name, const tsr__hdf5_block *block);
/* The same in two steps: room for all of it, whose values are not looked at, and then rows first ..
 * (elements, of one dimension) of it. */
tsr_status tsr__hdf5_make_array(tsr__hdf5 *file, const char *name,
                                const tsr__hdf5_block *whole);
tsr_status tsr__hdf5_write_part(tsr__hdf5 *file, const char *name, const tsr__hdf5_block *part,
                                int64_t first);

/* The same of values that never are in memory together: `fill` is asked for elements first ..
 * first+count-1, whole rows and one after another; block->values is not looked at. */
typedef tsr_status (*tsr__hdf5_fill)(void *context, void *out, int64_t first, int64_t count);
tsr_status tsr__hdf5_write_pieces(tsr__hdf5 *file, const char *name,
                                  const tsr__hdf5_block *block, tsr__hdf5_fill fill,
                                  void *context);
tsr_status tsr__hdf5_write_texts(tsr__hdf5 *file, const char *name, const char *const *text,
                                 int64_t count);

/* Attributes of the object `name`. Getting one that is not there, or not of that kind and
 * count, fails. A text that is got is owned by the caller. Texts are written with a fixed length:
 * HDF5 1.10 itself crashes on damaged texts of variable length, which other programs' conventions
 * (AnnData) want all the same. */
tsr_status tsr__hdf5_list_attributes(tsr__names *out, const tsr__hdf5 *file, const char *name);
bool tsr__hdf5_has_attribute(const tsr__hdf5 *file, const char *name, const char *attribute);
tsr_status tsr__hdf5_set_text(tsr__hdf5 *file, const char *name, const char *attribute,
                              const char *text);
tsr_status tsr__hdf5_set_variable_text(tsr__hdf5 *file, const char *name, const char *attribute,
                                       const char *text);
tsr_status tsr__hdf5_set_integers(tsr__hdf5 *file, const char *name, const char *attribute,
                                  const int64_t *value, int64_t count);
tsr_status tsr__hdf5_set_reals(tsr__hdf5 *file, const char *name, const char *attribute,
                               const double *value, int64_t count);
tsr_status tsr__hdf5_get_text(char **out, const tsr__hdf5 *file, const char *name,
                              const char *attribute);
tsr_status tsr__hdf5_get_integers(int64_t *out, int64_t count, const tsr__hdf5 *file,
                                  const char *name, const char *attribute);
tsr_status tsr__hdf5_get_reals(double *out, int64_t count, const tsr__hdf5 *file,
                               const char *name, const char *attribute);

#endif
