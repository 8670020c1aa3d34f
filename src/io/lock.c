/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Locks by flock on a file that is kept open: the system lets go of them when a process dies, so
 * that there are no stale ones. The file says who holds it, and stays: removed, it could be
 * locked by one process while the next makes another. */
#include "io/lock.h"

#include "base/memory.h"
#include "base/text.h"
#include "io/folder.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum { HOLDER = 256 };

/* "process 4242 on mill since 2026-11-16 15:40:02" */
static void describe(char out[HOLDER])
{
    char host[128] = "", when[64] = "";
    struct tm local;
    tsr__line line = {out, 0, HOLDER};
    const time_t now = time(NULL);
    (void)gethostname(host, sizeof host - 1);
    if (localtime_r(&now, &local) != NULL)
        (void)strftime(when, sizeof when, " since %Y-%m-%d %H:%M:%S", &local);
    tsr__line_add(&line, "process %ld on %s%s", (long)getpid(),
                  *host != '\0' ? host : "this host", when);
}

/* What the holder wrote; for a moment, what the one before it wrote. */
static void read_holder(char out[HOLDER], int file)
{
    const ssize_t length = pread(file, out, HOLDER - 1, 0);
    int end = 0;
    while (end < length && isprint((unsigned char)out[end]))
        end++;
    out[end] = '\0';
}

tsr_status tsr__lock_take(tsr__lock *out, const char *folder)
{
    tsr_status status = TSR_OK;
    char holder[HOLDER];
    int file = -1;
    char *path = tsr__path_join(folder, ".lock");
    if (path == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0)
        TSR_FAIL(TSR_ERROR_IO, "cannot open %s: %s", path, strerror(errno));
    if (flock(file, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK)
            TSR_FAIL(TSR_ERROR_IO, "cannot lock %s: %s", path, strerror(errno));
        read_holder(holder, file);
        TSR_FAIL(TSR_ERROR_IO,
                 "%s: another run writes there%s%s: wait for it, or choose another folder",
                 folder, *holder != '\0' ? ", " : "", holder);
    }
    describe(holder);
    if (ftruncate(file, 0) != 0 || pwrite(file, holder, strlen(holder), 0) < 0)
        TSR_FAIL(TSR_ERROR_IO, "cannot write %s: %s", path, strerror(errno));
    out->file = file;
    file = -1;
done:
    if (file >= 0)
        (void)close(file);
    tsr__free(path);
    return status;
}

void tsr__lock_drop(tsr__lock *lock)
{
    if (lock->file >= 0)
        (void)close(lock->file);
    *lock = TSR_LOCK_NONE;
}
