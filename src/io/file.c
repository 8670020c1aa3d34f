/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Files: inputs, read or mapped, and streams. */
#include "io/file.h"

#include "matrix/parallel.h"

#include <errno.h>
#include <fcntl.h>
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

/* Fewer, larger pages where they can be had: a third of the time of reading a large file goes
 * into being given its memory. */
static void prefer_large_pages(char *bytes, int64_t size)
{
    const uintptr_t page = (uintptr_t)1 << 21;
    const uintptr_t from = ((uintptr_t)bytes + page - 1) / page * page;
    const uintptr_t to = ((uintptr_t)bytes + (uintptr_t)size) / page * page;
    if (from < to)
        (void)madvise((char *)bytes + (from - (uintptr_t)bytes), to - from, MADV_HUGEPAGE);
}

/* A file of known length on its way into memory, piece by piece. */
typedef struct reading {
    int file;
    char *bytes;
    int64_t size;
    _Atomic int64_t end; /* where a piece found the file's end, or `size` */
    _Atomic int error;   /* errno of a piece that could not be read */
} reading;

enum { PIECE = 1 << 23 };

static void read_piece(void *context, int64_t piece, int thread)
{
    reading *r = context;
    int64_t at = piece * PIECE;
    const int64_t to = r->size - at < PIECE ? r->size : at + PIECE;
    (void)thread;
    while (at < to) {
        const ssize_t got = pread(r->file, r->bytes + at, (size_t)(to - at), at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            r->error = errno;
        else if (got == 0 && at < r->end)
            r->end = at;
        if (got <= 0)
            return;
        at += got;
    }
}

/* A file that is cut meanwhile ends early, where a mapped one would end the process. */
static tsr_status read_size(tsr__input *out, int file, int64_t size)
{
    tsr_status status = TSR_OK;
    const int64_t pieces = (size + PIECE - 1) / PIECE;
    reading r = {.file = file, .size = size, .end = size};
    TSR_NEW(r.bytes, size);
    prefer_large_pages(r.bytes, size);
    tsr__parallel(pieces, tsr__threads(0, pieces), read_piece, &r);
    errno = r.error;
    if (r.error != 0)
        TSR_TRY(refused("cannot read"));
    if (r.end < size)
        TSR_FAIL(TSR_ERROR_IO, "became shorter while it was read: %lld of %lld bytes are there",
                 (long long)r.end, (long long)size);
    *out = (tsr__input){r.bytes, size, false};
    r.bytes = NULL;
done:
    tsr__free(r.bytes);
    return status;
}

static tsr_status map(tsr__input *out, int file, int64_t size)
{
    void *bytes = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    if (bytes == MAP_FAILED)
        return refused("cannot map");
    *out = (tsr__input){bytes, size, true};
    return TSR_OK;
}

static tsr_status open_by(tsr__input *out, const char *path,
                          tsr_status (*take)(tsr__input *, int, int64_t))
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
    if (!S_ISREG(about.st_mode) || about.st_size == 0)
        TSR_TRY(read_all(out, file));
    else
        TSR_TRY(take(out, file, about.st_size));
done:
    (void)close(file);
    return status;
}

tsr_status tsr__input_open(tsr__input *out, const char *path)
{
    return open_by(out, path, read_size);
}

tsr_status tsr__input_map(tsr__input *out, const char *path)
{
    return open_by(out, path, map);
}

void tsr__input_close(tsr__input *input)
{
    if (input->mapped)
        (void)munmap(input->bytes, (size_t)input->size);
    else
        tsr__free(input->bytes);
    *input = (tsr__input){NULL, 0, false};
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
