/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Files: whole inputs as bytes in memory, and streams; outputs are in base/output.h. */
#ifndef TSR_IO_FILE_H
#define TSR_IO_FILE_H

#include "base/memory.h"
#include "base/output.h"

#include <stdio.h>

/* A file's bytes. */
typedef struct tsr__input {
    char *bytes;
    int64_t size;
    bool mapped;
} tsr__input;

/* Into memory. */
tsr_status tsr__input_open(tsr__input *out, const char *path);

/* Mapped where the system can (private, so writing to them never reaches the file), for what
 * stays where it is: to touch bytes that the file has lost meanwhile ends the process. */
tsr_status tsr__input_map(tsr__input *out, const char *path);
void tsr__input_close(tsr__input *input);

/* A buffered stream on a file; close says whether everything arrived. */
tsr_status tsr__stream_open(FILE **out, const char *path);
tsr_status tsr__stream_close(FILE *stream, tsr_status status);

#endif
