/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Paths: where they lead, and whether two are one. */
#include "base/path.h"

#include "base/memory.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Replaces the last part of `place` by where the link there leads; false: no link is there. */
static bool follow_link(char place[PATH_MAX])
{
    char to[PATH_MAX], whole[2 * PATH_MAX];
    const ssize_t length = readlink(place, to, sizeof to - 1);
    if (length < 0)
        return false;
    to[length] = '\0';
    const char *slash = to[0] == '/' ? NULL : strrchr(place, '/');
    const int before = slash != NULL ? (int)(slash - place) + 1 : 0;
    (void)snprintf(whole, sizeof whole, "%.*s%s", before, place, to);
    (void)snprintf(place, PATH_MAX, "%.*s", PATH_MAX - 1, whole);
    return true;
}

tsr_status tsr__path_follow(char **out, const char *path)
{
    enum { LINKS = 40 };
    tsr_status status = TSR_OK;
    char place[PATH_MAX], real[PATH_MAX];
    struct stat about;
    int links = 0;
    if (strlen(path) >= sizeof place)
        TSR_FAIL(TSR_ERROR_IO, "the name is longer than %d bytes", PATH_MAX - 1);
    (void)snprintf(place, sizeof place, "%s", path);
    for (size_t end = strlen(place); end > 1 && place[end - 1] == '/'; end--)
        place[end - 1] = '\0';
    while (links <= LINKS && stat(place, &about) != 0 && follow_link(place))
        links++;
    if (links > LINKS)
        TSR_FAIL(TSR_ERROR_IO, "is a link that leads to itself");
    TSR_NEW_TEXT(*out, realpath(place, real) != NULL ? real : place);
done:
    return status;
}

const char *tsr__path_last(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

int tsr__path_folder(const char **out, const char *path)
{
    const int length = (int)(tsr__path_last(path) - path);
    *out = length > 0 ? path : "./";
    return length > 0 ? length : 2;
}

static bool same_entry(const struct stat *one, const struct stat *other)
{
    return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

/* Of files that are not there: one name in one folder. */
static bool same_name(const char *one, const char *other)
{
    const char *paths[] = {one, other};
    char place[PATH_MAX];
    struct stat about[2];
    for (int i = 0; i < 2; i++) {
        const char *folder = NULL;
        const int length = tsr__path_folder(&folder, paths[i]);
        (void)snprintf(place, sizeof place, "%.*s", length, folder);
        if (stat(place, &about[i]) != 0)
            return false;
    }
    return same_entry(&about[0], &about[1]) &&
           strcmp(tsr__path_last(one), tsr__path_last(other)) == 0;
}

bool tsr__path_same(const char *one, const char *other)
{
    struct stat a, b;
    char *first = NULL, *second = NULL;
    const bool there = stat(one, &a) == 0, here = stat(other, &b) == 0;
    bool same =
        there && here && same_entry(&a, &b) && (S_ISREG(a.st_mode) || S_ISDIR(a.st_mode));
    if (!there && !here && tsr__path_follow(&first, one) == TSR_OK &&
        tsr__path_follow(&second, other) == TSR_OK)
        same = same_name(first, second);
    tsr__free(first);
    tsr__free(second);
    return same;
}

tsr_status tsr__split_where(char **path, const char **variable, const char *where)
{
    struct stat about;
    char *copy = tsr__copy_text(where);
    if (copy == NULL)
        return TSR_ERROR_MEMORY;
    *variable = NULL;
    char *colon = strrchr(copy, ':');
    if (stat(copy, &about) != 0 && colon != NULL && colon != copy && colon[1] != '\0') {
        *colon = '\0';
        if (stat(copy, &about) == 0)
            *variable = colon + 1;
        else
            *colon = ':';
    }
    *path = copy;
    return TSR_OK;
}
