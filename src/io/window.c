/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Windows over a text. A window is cut behind the last \n that ends a line; one that is within
 * quotes does not, so with quotes the lines are walked. A line that is longer than the window makes
 * it longer. */
#include "io/window.h"

#include "io/field.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static tsr_status refused(const char *what)
{
    return tsr__fail(TSR_ERROR_IO, "%s: %s", what, strerror(errno));
}

tsr_status tsr__window_open(tsr__window *out, const char *path, int64_t usual, int64_t longest)
{
    tsr_status status = TSR_OK;
    struct stat about;
    tsr__window w = {.usual = usual, .longest = longest > usual ? longest : usual};
    w.file = open(path, O_RDONLY | O_CLOEXEC) + 1;
    if (w.file == 0)
        TSR_TRY(refused("cannot open"));
    if (fstat(w.file - 1, &about) != 0)
        TSR_TRY(refused("cannot look at"));
    if (!S_ISREG(about.st_mode))
        TSR_FAIL(TSR_ERROR_IO,
                 "is no file: what comes through a pipe is not read in blocks; make "
                 "a file of it first");
    w.size = about.st_size;
    w.room = usual;
    TSR_NEW(w.bytes, w.room);
    w.begin = w.end = w.bytes;
    *out = w, w = (tsr__window){0};
done:
    tsr__window_close(&w);
    return status;
}

/* Reads until the room is full or the file has ended. */
static tsr_status fill(tsr__window *w)
{
    while (w->filled < w->room && w->offset < w->size) {
        const ssize_t got =
            pread(w->file - 1, w->bytes + w->filled, (size_t)(w->room - w->filled), w->offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return refused("cannot read");
        if (got == 0)
            return tsr__fail(TSR_ERROR_IO,
                             "became shorter while it was read: %lld of %lld bytes are there",
                             (long long)w->offset, (long long)w->size);
        const int64_t left = w->size - w->offset; /* what was added meanwhile is not read */
        const int64_t kept = got < left ? got : left;
        w->filled += kept, w->offset += kept;
    }
    return TSR_OK;
}

/* Behind the last line that ends within the bytes. */
static const char *cut(const tsr__window *w, const tsr__line_rule *rule)
{
    const char *at = w->bytes, *end = w->bytes + w->filled;
    if (rule->quote == 0 || memchr(at, rule->quote, (size_t)w->filled) == NULL) {
        const char *mark = memrchr(at, '\n', (size_t)w->filled);
        return mark != NULL ? mark + 1 : at;
    }
    for (;;) {
        const char *text = rule->blanks != NULL ? tsr__skip(at, end, rule->blanks) : at;
        const bool blank = rule->blanks != NULL && (text == end || *text == '\n');
        const char *stop =
            blank ? tsr__line_end(text, end) : tsr__field_line_whole(at, end, rule->delimiter);
        if (stop == NULL || stop == end)
            return at;
        at = stop + 1;
    }
}

/* Behind the last line of begin .. end-1 that is not blank. */
static const char *before_blanks(const char *begin, const char *end)
{
    const char *at = end;
    while (at > begin && (at[-1] == '\n' || at[-1] == '\r' || at[-1] == '\t' || at[-1] == ' '))
        at--;
    const char *stop = at > begin ? tsr__line_end(at, end) : begin;
    return stop > begin && stop < end ? stop + 1 : stop;
}

static tsr_status lengthen(tsr__window *w)
{
    const int64_t room = 2 * w->room < w->longest ? 2 * w->room : w->longest;
    if (room == w->room)
        return tsr__fail(TSR_ERROR_DATA,
                         "line %lld is longer than %lld bytes, which is what --memory leaves "
                         "for a line: give more",
                         (long long)w->lines_before + 1, (long long)room);
    char *grown = tsr__regrow(w->bytes, w->filled, room, 1);
    if (grown == NULL)
        return TSR_ERROR_MEMORY;
    w->bytes = grown, w->room = room;
    return TSR_OK;
}

tsr_status tsr__window_next(bool *more, tsr__window *w, const tsr__line_rule *rule, bool blanks)
{
    tsr_status status = TSR_OK;
    const int64_t left = w->bytes + w->filled - w->end;
    w->lines_before = tsr__window_line(w, w->end) - 1;
    memmove(w->bytes, w->end, (size_t)left);
    w->filled = left;
    w->begin = w->end = w->bytes;
    for (;;) {
        TSR_TRY(fill(w));
        w->last = w->offset == w->size;
        const char *end = w->last ? w->bytes + w->filled : cut(w, rule);
        if (blanks)
            end = before_blanks(w->bytes, end);
        w->begin = w->bytes, w->end = end;
        if (w->end > w->begin || w->last)
            break;
        TSR_TRY(lengthen(w));
    }
    *more = w->end > w->begin;
done:
    return status;
}

void tsr__window_skip(tsr__window *window, int64_t offset, int64_t lines)
{
    window->offset = offset;
    window->lines_before = lines;
}

int64_t tsr__window_line(const tsr__window *window, const char *at)
{
    return window->lines_before + tsr__line_number(window->begin, at);
}

void tsr__window_close(tsr__window *window)
{
    if (window->file > 0)
        (void)close(window->file - 1);
    tsr__free(window->bytes);
    *window = (tsr__window){0};
}
