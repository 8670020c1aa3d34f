/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A folder of a test program's own: made before its tests, removed with all that is in it. */
#ifndef TSR_TESTS_FOLDER_H
#define TSR_TESTS_FOLDER_H

#include "check.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[1024];

static inline int make_folder(void **state)
{
    const char *place = getenv("TMPDIR");
    (void)state;
    (void)snprintf(folder, sizeof folder, "%s/tessera-XXXXXX", place != NULL ? place : "/tmp");
    return mkdtemp(folder) == NULL;
}

static inline int remove_entry(const char *path, const struct stat *about, int kind,
                               struct FTW *where)
{
    (void)about, (void)kind, (void)where;
    return remove(path);
}

static inline int remove_tree(const char *path)
{
    return nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static inline int remove_folder(void **state)
{
    (void)state;
    return remove_tree(folder);
}

/* "NAME" in the folder; valid until the sixteenth call after it. */
static inline const char *path_of(const char *name)
{
    static char path[16][1600];
    static int turn;
    turn = (turn + 1) % 16;
    (void)snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

/* A file of these bytes, and the folders on the way to it. */
static inline void put_bytes(const char *name, const void *bytes, size_t size)
{
    char path[1600];
    (void)snprintf(path, sizeof path, "%s", path_of(name));
    for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')) != NULL;
         slash++) {
        *slash = '\0';
        (void)mkdir(path, 0777);
        *slash = '/';
    }
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

#endif
