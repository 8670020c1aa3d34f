/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Nameless files. */
#include "io/scratch.h"

#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static tsr_status refused(const char *what)
{
    return tsr__fail(TSR_ERROR_IO, "%s temporary data beside it: %s", what, strerror(errno));
}

tsr_status tsr__scratch_open(tsr__scratch *out, const char *beside, int64_t most)
{
    tsr_status status = TSR_OK;
    char name[PATH_MAX];
    const char *folder = NULL;
    const int length = tsr__path_folder(&folder, beside);
    tsr__scratch scratch = {.most = most};
    if (snprintf(name, sizeof name, "%.*sscratch-XXXXXX", length, folder) >= (int)sizeof name)
        TSR_FAIL(TSR_ERROR_IO, "the name is longer than %d bytes", PATH_MAX - 1);
    TSR_NEW(scratch.room, most);
    scratch.file = mkostemp(name, O_CLOEXEC) + 1;
    if (scratch.file == 0)
        TSR_TRY(refused("cannot make"));
    (void)unlink(name);
    *out = scratch, scratch.room = NULL;
done:
    tsr__free(scratch.room);
    return status;
}

static tsr_status write_all(const tsr__scratch *scratch, const char *bytes, int64_t count)
{
    while (count > 0) {
        const ssize_t put = write(scratch->file - 1, bytes, (size_t)count);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return refused("cannot write");
        bytes += put, count -= put;
    }
    return TSR_OK;
}

static tsr_status empty_room(tsr__scratch *scratch)
{
    const int64_t used = scratch->used;
    scratch->used = 0;
    return write_all(scratch, scratch->room, used);
}

tsr_status tsr__scratch_add(tsr__scratch *scratch, const void *bytes, int64_t count)
{
    tsr_status status = TSR_OK;
    if (scratch->room == NULL)
        TSR_NEW(scratch->room, scratch->most);
    if (scratch->used + count > scratch->most)
        TSR_TRY(empty_room(scratch));
    if (count > scratch->most) {
        TSR_TRY(write_all(scratch, bytes, count));
    } else if (count > 0) {
        memcpy(scratch->room + scratch->used, bytes, (size_t)count);
        scratch->used += count;
    }
    scratch->size += count;
done:
    return status;
}

tsr_status tsr__scratch_flush(tsr__scratch *scratch)
{
    const tsr_status status = empty_room(scratch);
    tsr__free(scratch->room);
    scratch->room = NULL;
    return status;
}

tsr_status tsr__scratch_read(void *out, const tsr__scratch *scratch, int64_t at, int64_t count)
{
    char *to = out;
    while (count > 0) {
        const ssize_t got = pread(scratch->file - 1, to, (size_t)count, at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return refused("cannot read");
        if (got == 0)
            return tsr__fail(TSR_ERROR_IO, "temporary data ended too early");
        to += got, at += got, count -= got;
    }
    return TSR_OK;
}

void tsr__scratch_close(tsr__scratch *scratch)
{
    if (scratch->file > 0)
        (void)close(scratch->file - 1);
    tsr__free(scratch->room);
    *scratch = (tsr__scratch){0};
}
