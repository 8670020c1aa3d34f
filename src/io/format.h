/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The formats table: one row a format. A new format is one file and one row in format.c. */
#ifndef TSR_IO_FORMAT_H
#define TSR_IO_FORMAT_H

#include "io/data.h"
#include "io/flow.h"

/* What a reader is asked for. */
typedef struct tsr__request {
    const char *path;                /* file or folder, without :NAME */
    const char *variable;            /* NAME, or NULL: find it */
    bool only_labels;                /* fill out->labels and nothing else */
    const tsr_read_options *options; /* never NULL */
    tsr__flow *flow; /* where samples go that are not to be kept; NULL: into out->x */
} tsr__request;

typedef struct tsr__format {
    const char *name;       /* "npy" */
    const char *extensions; /* ".csv .tsv .txt"; the first is the usual one */
    const char *magic;      /* first bytes of such a file, or NULL */
    size_t magic_size;
    bool holds_labels; /* write keeps labels */
    bool is_folder;    /* path is a folder */
    bool stays;        /* samples that are larger than memory stay in the file (stored.h) */

    /* Fills a zeroed `out` (x; labels and names where there are any; dtype; origin only where
     * the variable was found rather than named). On failure what is in `out` is freed by the
     * caller of read, and the message names what and where, without the path: that is put
     * before it. */
    tsr_status (*read)(tsr_data *out, const tsr__request *request);

    /* Writes to `path`, a temporary file (folder) that the caller renames or removes. NULL: the
     * format is only read. */
    tsr_status (*write)(const tsr_data *data, const char *path);
} tsr__format;

/* Of tsr__h5_write_as and tsr__npy_write_flow: samples of which data->x has the shape alone come from
 * the flow. Where it has none they are in data->x, and it says in how much memory they may be
 * turned for both orders. */
tsr_status tsr__npy_read(tsr_data *out, const tsr__request *request);
tsr_status tsr__npy_write(const tsr_data *data, const char *path);
tsr_status tsr__npy_write_flow(const tsr__flow *flow, const char *path);
tsr_status tsr__npz_read(tsr_data *out, const tsr__request *request);
tsr_status tsr__npz_write(const tsr_data *data, const char *path);
tsr_status tsr__mat_read(tsr_data *out, const tsr__request *request);
tsr_status tsr__mat_write(const tsr_data *data, const char *path);
tsr_status tsr__h5_read(tsr_data *out, const tsr__request *request);
tsr_status tsr__h5_write(const tsr_data *data, const char *path);
tsr_status tsr__h5_write_as(const tsr_data *data, const tsr__flow *flow, const char *path);
tsr_status tsr__mtx_read(tsr_data *out, const tsr__request *request);
tsr_status tsr__mtx_write(const tsr_data *data, const char *path);
tsr_status tsr__csv_read(tsr_data *out, const tsr__request *request);
tsr_status tsr__csv_write(const tsr_data *data, const char *path);
tsr_status tsr__tsv_write(const tsr_data *data, const char *path);
tsr_status tsr__svm_read(tsr_data *out, const tsr__request *request);
tsr_status tsr__svm_write(const tsr_data *data, const char *path);
tsr_status tsr__images_read(tsr_data *out, const tsr__request *request);
tsr_status tsr__images_write(const tsr_data *data, const char *path);

/* What the entries of a .npz take unpacked, and what samples of an .h5 take that lie by feature: 0 where
 * they do not. */
tsr_status tsr__npz_size(int64_t *out, const char *path);
tsr_status tsr__h5_size(int64_t *out, const char *path, const char *variable);

/* What `path` is read as; fails where nothing says, or where it cannot be read from. */
tsr_status tsr__format_find(const tsr__format **out, const char *path);

/* tsr_data_read, with a flow in place of samples: out->x has their shape and no values. */
tsr_status tsr__data_pass(tsr_data **out, tsr__flow *flow, const char *where,
                          const tsr_read_options *options);

/* What tsr_data_convert does, in `memory` bytes (0: in memory altogether); public functions ask for
 * more than tests do. */
tsr_status tsr__data_convert(int64_t shape[3], const char *where, const char *path,
                             const tsr_read_options *options, bool both_orders, int needs,
                             int64_t memory);

#endif
