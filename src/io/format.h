/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The formats table: one row a format. A new format is one file and one row in format.c. */
#ifndef TSR_IO_FORMAT_H
#define TSR_IO_FORMAT_H

#include "io/data.h"

/* What a reader is asked for. */
typedef struct tsr__request {
    const char *path;                /* file or folder, without :NAME */
    const char *variable;            /* NAME, or NULL: find it */
    bool only_labels;                /* fill out->labels and nothing else */
    const tsr_read_options *options; /* never NULL */
} tsr__request;

typedef struct tsr__format {
    const char *name;       /* "npy" */
    const char *extensions; /* ".csv .tsv .txt"; the first is the usual one */
    const char *magic;      /* first bytes of such a file, or NULL */
    size_t magic_size;
    bool holds_labels; /* write keeps labels */
    bool is_folder;    /* path is a folder */

    /* Fills a zeroed `out` (x; labels and names where there are any; dtype; origin only where
     * the variable was found rather than named). On failure what is in `out` is freed by the
     * caller of read, and the message names what and where, without the path: that is put
     * before it. */
    tsr_status (*read)(tsr_data *out, const tsr__request *request);

    /* Writes to `path`, a temporary file (folder) that the caller renames or removes. NULL: the
     * format is only read. */
    tsr_status (*write)(const tsr_data *data, const char *path);
} tsr__format;

tsr_status tsr__npy_read(tsr_data *out, const tsr__request *request);
tsr_status tsr__npy_write(const tsr_data *data, const char *path);
tsr_status tsr__npz_read(tsr_data *out, const tsr__request *request);
tsr_status tsr__npz_write(const tsr_data *data, const char *path);
tsr_status tsr__mat_read(tsr_data *out, const tsr__request *request);
tsr_status tsr__mat_write(const tsr_data *data, const char *path);
tsr_status tsr__h5_read(tsr_data *out, const tsr__request *request);
tsr_status tsr__h5_write(const tsr_data *data, const char *path);
tsr_status tsr__mtx_read(tsr_data *out, const tsr__request *request);
tsr_status tsr__mtx_write(const tsr_data *data, const char *path);
tsr_status tsr__csv_read(tsr_data *out, const tsr__request *request);
tsr_status tsr__csv_write(const tsr_data *data, const char *path);
tsr_status tsr__tsv_write(const tsr_data *data, const char *path);
tsr_status tsr__svm_read(tsr_data *out, const tsr__request *request);
tsr_status tsr__svm_write(const tsr_data *data, const char *path);
tsr_status tsr__images_read(tsr_data *out, const tsr__request *request);
tsr_status tsr__images_write(const tsr_data *data, const char *path);

#endif
