/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the files of the .mat format share. */
#ifndef TSR_IO_MAT_H
#define TSR_IO_MAT_H

#include "io/array.h"
#include "io/format.h"

/* Refuses a file of version 4 or 5 that ends before its last variable does, where zlib or the
 * sizes within say that a variable is damaged, or where what is inside one would take more
 * memory than the bound of the file. */
tsr_status tsr__mat_check(const tsr__request *request);
tsr_status tsr__mat_check_4(const char *file, int64_t size, const tsr__bound *bound);

/* Four bytes as a number; why a file is refused. */
int64_t tsr__mat_word(const char *at, bool swapped);
tsr_status tsr__mat_cut_off(int64_t at, double wanted, int64_t left);
tsr_status tsr__mat_no_variable(int64_t at);

/* Version 7.3, which is HDF5: mat73.c. */
tsr_status tsr__mat73_read(tsr_data *out, const tsr__request *request);

/* A char matrix. Units of several bytes are UTF-16 (where pairs stand for one character) or code
 * points; `bytes` are taken as they are. */
typedef struct tsr__mat_text {
    const void *units; /* rows x columns, column-major, `item` bytes (1, 2 or 4) each */
    int64_t item, rows, columns;
    bool bytes;
} tsr__mat_text;

/* Adds a text a row, up to its first zero and without blanks at its end. */
tsr_status tsr__mat_add_rows(tsr__names *out, const tsr__mat_text *text);

#endif
