/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Files: mapped inputs; outputs by temporary and rename. Devices and pipes as outputs are
 * written directly, since a rename would replace them. */
#include "io/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static tsr_status refused(const char *what)
{
    return tsr__fail(TSR_ERROR_IO, "%s: %s", what, strerror(errno));
}

/* Pipes and other files of unknown length, read to their end. */
static tsr_status read_all(tsr__input *out, int file)
{
    tsr_status status = TSR_OK;
    char *bytes = NULL;
    int64_t used = 0, room = 0;
    for (;;) {
        if (room - used < 1 << 16) {
            room = 2 * room + (1 << 20);
            char *grown = tsr__regrow(bytes, used, room, 1);
            if (grown == NULL)
                TSR_TRY(TSR_ERROR_MEMORY);
            bytes = grown;
        }
        const ssize_t got = read(file, bytes + used, (size_t)(room - used));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            TSR_TRY(refused("cannot read"));
        if (got == 0)
            break;
        used += got;
    }
    *out = (tsr__input){bytes, used, false};
    bytes = NULL;
done:
    tsr__free(bytes);
    return status;
}

tsr_status tsr__input_open(tsr__input *out, const char *path)
{
    tsr_status status = TSR_OK;
    struct stat about;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return refused("cannot open");
    if (fstat(file, &about) != 0)
        TSR_TRY(refused("cannot look at"));
    if (S_ISDIR(about.st_mode))
        TSR_FAIL(TSR_ERROR_IO, "is a folder, not a file");
    if (!S_ISREG(about.st_mode) || about.st_size == 0) {
        TSR_TRY(read_all(out, file));
    } else {
        void *bytes =
            mmap(NULL, (size_t)about.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
        if (bytes == MAP_FAILED)
            TSR_TRY(refused("cannot map"));
        *out = (tsr__input){bytes, about.st_size, true};
    }
done:
    (void)close(file);
    return status;
}

void tsr__input_close(tsr__input *input)
{
    if (input->mapped)
        (void)munmap(input->bytes, (size_t)input->size);
    else
        tsr__free(input->bytes);
    *input = (tsr__input){NULL, 0, false};
}

/* The real place of `path`, so that a link to a file stays a link. */
static char *follow(const char *path)
{
    char place[PATH_MAX];
    return tsr__copy_text(realpath(path, place) != NULL ? place : path);
}

/* A name beside `path` that nobody has yet, made as an empty file or folder. */
static tsr_status reserve(char **out, const char *path, bool folder)
{
    tsr_status status = TSR_OK;
    const size_t size = strlen(path) + 48;
    char *name = NULL;
    int made = -1;
    TSR_NEW(name, (int64_t)size);
    for (int i = 0; made < 0 && i < 1000; i++) {
        (void)snprintf(name, size, "%s.%ld-%d.tmp", path, (long)getpid(), i);
        made = folder ? mkdir(name, 0777)
                      : open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (made < 0 && errno != EEXIST)
            break;
    }
    if (made < 0)
        TSR_TRY(refused("cannot write there"));
    if (!folder)
        (void)close(made);
    *out = name, name = NULL;
done:
    tsr__free(name);
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

tsr_status tsr__output_begin(tsr__output *out, const char *path, bool folder)
{
    tsr_status status = TSR_OK;
    struct stat about;
    tsr__output output = {NULL, NULL, folder};
    output.path = follow(path);
    if (output.path == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    for (size_t end = strlen(output.path); end > 1 && output.path[end - 1] == '/'; end--)
        output.path[end - 1] = '\0';
    const bool exists = stat(output.path, &about) == 0;
    if (exists && S_ISDIR(about.st_mode) && !folder)
        TSR_FAIL(TSR_ERROR_IO, "is a folder: give the name of a file in it");
    if (exists && folder && !(S_ISDIR(about.st_mode) && holds_nothing(output.path)))
        TSR_FAIL(TSR_ERROR_IO, "exists already: a folder of images is written anew or not at "
                               "all, so name one that is not there");
    if (exists && !folder && !S_ISREG(about.st_mode))
        TSR_NEW_TEXT(output.temporary, output.path);
    else
        TSR_TRY(reserve(&output.temporary, output.path, folder));
    *out = output;
    output = (tsr__output){NULL, NULL, false};
done:
    tsr__free(output.path);
    return status;
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
    char folder[PATH_MAX];
    (void)snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash != NULL)
        slash[slash == folder] = '\0';
    const int file = open(slash != NULL ? folder : ".", O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        (void)fsync(file);
        (void)close(file);
    }
}

tsr_status tsr__output_commit(tsr__output *output)
{
    struct stat about;
    if (strcmp(output->temporary, output->path) != 0) {
        const tsr_status status = flush(output->temporary);
        if (status < 0)
            return status;
        if (!output->folder && stat(output->path, &about) == 0)
            (void)chmod(output->temporary, about.st_mode & 07777);
        if (rename(output->temporary, output->path) != 0)
            return refused("cannot rename");
        flush_folder(output->path);
    }
    tsr__free(output->temporary);
    output->temporary = NULL;
    return TSR_OK;
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about;
    (void)kind;
    (void)place;
    (void)remove(path);
    return 0;
}

void tsr__output_abandon(tsr__output *output)
{
    if (output->temporary != NULL && strcmp(output->temporary, output->path) != 0)
        (void)nftw(output->temporary, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    tsr__free(output->temporary);
    tsr__free(output->path);
    *output = (tsr__output){NULL, NULL, false};
}

tsr_status tsr__stream_open(FILE **out, const char *path)
{
    FILE *stream = fopen(path, "wbe");
    if (stream == NULL)
        return refused("cannot write");
    (void)setvbuf(stream, NULL, _IOFBF, 1 << 18);
    *out = stream;
    return TSR_OK;
}

tsr_status tsr__stream_close(FILE *stream, tsr_status status)
{
    if (stream == NULL)
        return status;
    const bool lost = ferror(stream) != 0;
    const bool unsaid = fclose(stream) != 0;
    if (status < 0 || (!lost && !unsaid))
        return status;
    return tsr__fail(TSR_ERROR_IO, "cannot write: %s", strerror(errno != 0 ? errno : ENOSPC));
}
