/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Outputs by temporary and rename. Beside NAME stands a folder .NAME.PID-N.tmp; in it `new`, the
 * file or folder that takes NAME's place at the end, and `lock`, which its writer holds by flock.
 * The system lets go of that when a process dies, however it dies: whoever writes to NAME next
 * knows what nobody is writing any more, and removes it. Devices and pipes are written directly,
 * since a rename would replace them. */
#include "base/output.h"

#include "base/memory.h"
#include "base/path.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST = 180, STEM = 256 }; /* bytes of NAME that are kept as they are */

#define NO_OUTPUT                                                                              \
    (tsr__output)                                                                              \
    {                                                                                          \
        NULL, NULL, 0                                                                          \
    }

static tsr_status refused(const char *what)
{
    return tsr__fail(TSR_ERROR_IO, "%s: %s", what, strerror(errno));
}

/* ".NAME."; the end of a long name is replaced by a number made of the whole (FNV-1a), so that
 * the file system's 255 bytes are enough for all of it. */
static void make_stem(char out[STEM], const char *name)
{
    uint64_t number = 14695981039346656037u;
    int kept = LONGEST;
    if (strlen(name) <= LONGEST) {
        (void)snprintf(out, STEM, ".%s.", name);
        return;
    }
    for (const char *c = name; *c != '\0'; c++)
        number = (number ^ (unsigned char)*c) * 1099511628211u;
    while (((unsigned char)name[kept] & 0xc0) == 0x80) /* not within a letter */
        kept--;
    (void)snprintf(out, STEM, ".%.*s~%016llx.", kept, name, (unsigned long long)number);
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about;
    (void)kind;
    (void)place;
    (void)remove(path);
    return 0;
}

static void remove_tree(const char *path)
{
    (void)nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* What follows the stem is PID-N.tmp. */
static bool is_temporary(int64_t *process, const char *rest)
{
    const char *end = rest + strlen(rest);
    int64_t number = 0;
    const char *dash = tsr__parse_integer(process, rest, end);
    if (dash == rest || *dash != '-')
        return false;
    const char *dot = tsr__parse_integer(&number, dash + 1, end);
    return dot != dash + 1 && strcmp(dot, ".tmp") == 0;
}

/* True when nobody holds the lock. A process that lives may just be about to take it, unless
 * that would have been a minute ago: then its number has gone to another. */
static bool is_abandoned(const char *place, int64_t process)
{
    enum { MINUTE = 60 };
    char path[PATH_MAX + 8];
    struct stat about;
    if (lstat(place, &about) != 0 || !S_ISDIR(about.st_mode) || about.st_uid != geteuid())
        return false;
    const bool gone = kill((pid_t)process, 0) != 0 && errno == ESRCH;
    if (!gone && time(NULL) - about.st_mtime < MINUTE)
        return false;
    (void)snprintf(path, sizeof path, "%s/lock", place);
    const int file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0)
        return errno == ENOENT;
    const bool unheld = flock(file, LOCK_EX | LOCK_NB) == 0;
    (void)close(file);
    return unheld;
}

/* Removes what processes that died left of earlier outputs to `path`. */
static void sweep(const char *path, const char *stem)
{
    char place[PATH_MAX];
    const char *folder = NULL;
    const int length = tsr__path_folder(&folder, path);
    (void)snprintf(place, sizeof place, "%.*s", length, folder);
    DIR *entries = opendir(place);
    int64_t process = 0;
    if (entries == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        if (strncmp(entry->d_name, stem, strlen(stem)) != 0 ||
            !is_temporary(&process, entry->d_name + strlen(stem)))
            continue;
        const int whole =
            snprintf(place, sizeof place, "%.*s%s", length, folder, entry->d_name);
        if (whole < (int)sizeof place && is_abandoned(place, process))
            remove_tree(place);
    }
    (void)closedir(entries);
}

/* The lock, and the empty file or folder that is written to, in a temporary folder that is
 * there. */
static tsr_status furnish(tsr__output *output, const char *place, bool folder)
{
    tsr_status status = TSR_OK;
    const size_t size = strlen(place) + 8;
    int made = -1;
    TSR_NEW(output->temporary, (int64_t)size);
    (void)snprintf(output->temporary, size, "%s/lock", place);
    made = open(output->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (made < 0)
        TSR_TRY(refused("cannot write there"));
    (void)flock(made,
                LOCK_EX | LOCK_NB); /* where there are no locks, nothing is swept either */
    output->lock = made + 1;
    (void)snprintf(output->temporary, size, "%s/new", place);
    made = folder ? mkdir(output->temporary, 0777)
                  : open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (made < 0)
        TSR_TRY(refused("cannot write there"));
    if (!folder)
        (void)close(made);
done:
    return status;
}

/* A temporary folder beside output->path that nobody has yet. */
static tsr_status reserve(tsr__output *output, bool folder)
{
    enum { TRIES = 1000 };
    tsr_status status = TSR_OK;
    char stem[STEM], place[PATH_MAX];
    const char *path = output->path, *beside = NULL;
    const int length = tsr__path_folder(&beside, path);
    int made = -1;
    make_stem(stem, tsr__path_last(path));
    sweep(path, stem);
    for (int i = 0; made < 0 && i < TRIES; i++) {
        const int whole = snprintf(place, sizeof place, "%.*s%s%ld-%d.tmp", length, beside,
                                   stem, (long)getpid(), i);
        if (whole >= (int)sizeof place)
            TSR_FAIL(TSR_ERROR_IO, "the name is longer than %d bytes", PATH_MAX - 1);
        made = mkdir(place, 0700);
        if (made < 0 && errno != EEXIST)
            break;
    }
    if (made < 0)
        TSR_TRY(refused("cannot write there"));
    status = furnish(output, place, folder);
    if (status < 0)
        remove_tree(place);
done:
    return status;
}

/* True when nothing is in the folder. */
static bool holds_nothing(const char *path)
{
    DIR *folder = opendir(path);
    int entries = 0;
    if (folder == NULL)
        return false;
    while (entries < 3 && readdir(folder) != NULL)
        entries++;
    (void)closedir(folder);
    return entries == 2;
}

static bool is_direct(const tsr__output *output)
{
    return strcmp(output->temporary, output->path) == 0;
}

static void unlock(tsr__output *output)
{
    if (output->lock > 0)
        (void)close(output->lock - 1);
    output->lock = 0;
}

tsr_status tsr__output_begin(tsr__output *out, const char *path, bool folder)
{
    tsr_status status = TSR_OK;
    struct stat about;
    tsr__output output = NO_OUTPUT;
    TSR_TRY(tsr__path_follow(&output.path, path));
    const bool exists = stat(output.path, &about) == 0;
    if (!exists && errno == ENAMETOOLONG) /* the temporary is shorter: the rename would tell */
        TSR_TRY(refused("cannot write there"));
    if (exists && S_ISDIR(about.st_mode) && !folder)
        TSR_FAIL(TSR_ERROR_IO, "is a folder: give the name of a file in it");
    if (exists && folder && !(S_ISDIR(about.st_mode) && holds_nothing(output.path)))
        TSR_FAIL(TSR_ERROR_IO, "exists already: a folder of images is written anew or not at "
                               "all, so name one that is not there");
    if (exists && !folder && !S_ISREG(about.st_mode))
        TSR_NEW_TEXT(output.temporary, output.path);
    else
        TSR_TRY(reserve(&output, folder));
    *out = output;
    output = NO_OUTPUT;
done:
    unlock(&output);
    tsr__free(output.path);
    tsr__free(output.temporary);
    return status;
}

tsr_status tsr__output_check(const char *path, bool folder)
{
    tsr__output output = NO_OUTPUT;
    const tsr_status status = tsr__output_begin(&output, path, folder);
    tsr__output_abandon(&output);
    return status < 0 ? tsr__fail_in(status, path) : status;
}

static tsr_status flush(const char *path)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return refused("cannot open again");
    const int bad = fsync(file) != 0 && errno != EINVAL; /* EINVAL: a device has no disk */
    const tsr_status status = bad ? refused("cannot flush to disk") : TSR_OK;
    (void)close(file);
    return status;
}

/* So that the rename itself survives a power cut; where folders cannot be flushed, no harm. */
static void flush_folder(const char *path)
{
    char place[PATH_MAX];
    const char *folder = NULL;
    const int length = tsr__path_folder(&folder, path);
    (void)snprintf(place, sizeof place, "%.*s", length, folder);
    const int file = open(place, O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        (void)fsync(file);
        (void)close(file);
    }
}

/* Removes the temporary folder and all that is left in it. */
static void clear_away(tsr__output *output)
{
    *strrchr(output->temporary, '/') = '\0';
    remove_tree(output->temporary);
    unlock(output);
}

tsr_status tsr__output_commit(tsr__output *output)
{
    struct stat about;
    if (!is_direct(output)) {
        const tsr_status status = flush(output->temporary);
        if (status < 0)
            return status;
        if (stat(output->path, &about) == 0 && S_ISREG(about.st_mode))
            (void)chmod(output->temporary, about.st_mode & 07777);
        if (rename(output->temporary, output->path) != 0)
            return refused("cannot rename");
        flush_folder(output->path);
        clear_away(output);
    }
    tsr__free(output->temporary);
    output->temporary = NULL;
    return TSR_OK;
}

void tsr__output_abandon(tsr__output *output)
{
    if (output->temporary != NULL && !is_direct(output))
        clear_away(output);
    tsr__free(output->temporary);
    tsr__free(output->path);
    *output = NO_OUTPUT;
}
