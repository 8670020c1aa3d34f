/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Paths, as users name files and folders. */
#ifndef TSR_BASE_PATH_H
#define TSR_BASE_PATH_H

#include "base/status.h"

/* The real place of `path`, so that a link stays a link, whether or not it leads anywhere yet. */
tsr_status tsr__path_follow(char **out, const char *path);

/* What follows the last slash. */
const char *tsr__path_last(const char *path);

/* The folder that `path` lies in, "./" where it names none; always with a slash at the end. Returns
 * how many bytes of `out` it is. */
int tsr__path_folder(const char **out, const char *path);

/* True when two names are of one file or folder, whatever the way to it, or of one that is not
 * there yet. Devices and pipes are never the same: nothing of them is replaced. */
bool tsr__path_same(const char *one, const char *other);

/* Splits FILE:NAME where the whole is not a file itself. `path` owns the memory. */
tsr_status tsr__split_where(char **path, const char **variable, const char *where);

#endif
