/* SPDX-License-Identifier: BSD-2-Clause
 *
 * NumPy's array format, for .npy files and the entries of .npz files. */
#ifndef TSR_IO_NPY_H
#define TSR_IO_NPY_H

#include "io/array.h"
#include "io/file.h"

/* The array that `bytes` hold, which must outlive it. TSR_ERROR_UNSUPPORTED where it is well
 * formed but of a type that is not read. */
tsr_status tsr__npy_parse(tsr__array *out, char *bytes, int64_t size);

/* As above from the first bytes alone: out->data is NULL, out->bytes 0, and what follows is not
 * looked at. The shape is set where TSR_ERROR_UNSUPPORTED is returned, if it could be read. */
tsr_status tsr__npy_parse_head(tsr__array *out, const char *bytes, int64_t size,
                               int64_t *head_size);

/* A matrix from the bytes of an array; on success they are taken, used as they are where they
 * can be, and `input` is empty. */
tsr_status tsr__npy_take_matrix(tsr_matrix **out, tsr__input *input);

/* A version 1 head for a row-major array; returns its size, a multiple of 64. `type` is as in
 * "f8", "U12"; the byte order is this machine's. */
enum { TSR_NPY_HEAD_SIZE = 192 };
int tsr__npy_head(char out[TSR_NPY_HEAD_SIZE], const char *type, int rank,
                  const int64_t *shape);

#endif
