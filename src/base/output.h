/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Outputs that appear complete or not at all. */
#ifndef TSR_BASE_OUTPUT_H
#define TSR_BASE_OUTPUT_H

#include "base/status.h"

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

#endif
