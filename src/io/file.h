/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Files: whole inputs as bytes in memory, outputs that appear complete or not at all. */
#ifndef TSR_IO_FILE_H
#define TSR_IO_FILE_H

#include "base/memory.h"
#include "base/status.h"

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

/* A file or folder that is written beside `path` under another name and renamed at the end. */
typedef struct tsr__output {
    char *path;      /* where it shall be */
    char *temporary; /* where it is written; NULL: nothing left to do */
    int lock;        /* the lock's descriptor, plus one; 0: none */
} tsr__output;

/* Reserves a temporary name beside `path`: an empty file or folder is there. What processes that
 * died left of earlier outputs to `path` is removed. */
tsr_status tsr__output_begin(tsr__output *out, const char *path, bool folder);
tsr_status tsr__output_commit(tsr__output *output); /* flush to disk, rename */
void tsr__output_abandon(tsr__output *output);      /* remove what is left, free; always call */

/* Whether an output could begin there, to be asked before long work; the message has the path. */
tsr_status tsr__output_check(const char *path, bool folder);

/* True when two names are of one file or folder, whatever the way to it, or of one that is not
 * there yet. Devices and pipes are never the same: nothing of them is replaced. */
bool tsr__path_same(const char *one, const char *other);

/* A buffered stream on a file; close says whether everything arrived. */
tsr_status tsr__stream_open(FILE **out, const char *path);
tsr_status tsr__stream_close(FILE *stream, tsr_status status);

#endif
