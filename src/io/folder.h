/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Folders of files, one sample a file, in natural order of the names. The first folder on the
 * way to a file is its class; files outside of folders have none. */
#ifndef TSR_IO_FOLDER_H
#define TSR_IO_FOLDER_H

#include "io/data.h"

/* folder/name; just name where folder is empty. NULL when memory is out. */
char *tsr__path_join(const char *folder, const char *name);

/* "left out NAME: REASON" */
tsr_status tsr__note_left_out(tsr__names *notes, const char *name, const char *reason);

/* Adds the names of the files that `wanted` accepts in the folder and the folders below it,
 * relative to it, sorted folder by folder; hidden ones are passed over, links to folders that
 * were read already are noted. `skip_bad` turns sub-folders that cannot be listed into notes.
 */
tsr_status tsr__folder_find(tsr__names *files, tsr__names *notes, const char *folder,
                            bool (*wanted)(const char *name), bool skip_bad);

/* Classes are the first folders of the names; none at all: *out stays as it is. */
tsr_status tsr__folder_labels(tsr_labels **out, const tsr__names *files);

#endif
