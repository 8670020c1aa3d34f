/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reading texts: a small file by one call into room that is kept, a file of lines mapped. */
#include "features/texts.h"

#include "features/tokens.h"
#include "io/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const int64_t huge = (int64_t)1 << 32; /* below it, the words of a text fit 32 bits */

/* Zero bytes: none in text, but every second one in UTF-16. */
static tsr__text_fault find_zero(int64_t *value, const char *bytes, int64_t size)
{
    const char *zero = size > 0 ? memchr(bytes, '\0', (size_t)size) : NULL;
    if (zero == NULL)
        return TSR_TEXT_FINE;
    *value = zero - bytes;
    const bool wide =
        size > 1 && (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0);
    return wide ? TSR_TEXT_WIDE : TSR_TEXT_BINARY;
}

const char *tsr__text_reason(char *out, size_t size, tsr__text_fault fault, int64_t value)
{
    switch (fault) {
    case TSR_TEXT_UNREADABLE:
        (void)snprintf(out, size, "cannot read: %s", strerror((int)value));
        break;
    case TSR_TEXT_BINARY:
        (void)snprintf(out, size, "is no text: byte %lld is zero", (long long)value);
        break;
    case TSR_TEXT_WIDE:
        (void)snprintf(out, size, "is UTF-16 or UTF-32: texts are UTF-8");
        break;
    case TSR_TEXT_HUGE:
        (void)snprintf(out, size, "a text of %lld bytes or more; the limit is %lld",
                       (long long)value, (long long)huge - 1);
        break;
    default: out[0] = '\0';
    }
    return out;
}

static tsr_status open_lines(tsr__texts *t, const char *path)
{
    tsr_status status = TSR_OK;
    char reason[128];
    int64_t room = 0, value = 0;
    TSR_TRY(tsr__input_open(&t->input, path));
    const char *bytes = t->input.bytes, *end = bytes + t->input.size;
    const tsr__text_fault fault = find_zero(&value, bytes, t->input.size);
    if (fault != TSR_TEXT_FINE)
        TSR_FAIL(TSR_ERROR_FORMAT, "%s", tsr__text_reason(reason, sizeof reason, fault, value));
    for (const char *at = bytes; at < end; t->count++) {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        TSR_GROW(t->line, t->count, room);
        t->line[t->count] = at - bytes;
        at = next == NULL ? end : next + 1;
    }
    if (t->count == 0)
        TSR_FAIL(TSR_ERROR_DATA, "is empty");
    TSR_GROW(t->line, t->count, room);
    t->line[t->count] = end - bytes;
done:
    return status < 0 ? tsr__fail_in(status, path) : status;
}

tsr_status tsr__texts_open(tsr__texts *out, const tsr__feature_job *job)
{
    tsr_status status = TSR_OK;
    tsr__texts texts = {.folder = -1, .files = job->files, .headers = job->options->headers};
    char *path = NULL;
    if (job->lines) {
        path = tsr__path_join(job->folder, job->files->name[0]);
        if (path == NULL)
            TSR_TRY(TSR_ERROR_MEMORY);
        TSR_TRY(open_lines(&texts, path));
    } else {
        texts.folder = open(job->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        texts.count = job->files->count;
        if (texts.folder < 0)
            TSR_FAIL(TSR_ERROR_IO, "%s: cannot open: %s", job->folder, strerror(errno));
    }
    *out = texts;
    texts = (tsr__texts){.folder = -1};
done:
    tsr__texts_close(&texts);
    tsr__free(path);
    return status;
}

void tsr__texts_close(tsr__texts *texts)
{
    if (texts->folder >= 0)
        (void)close(texts->folder);
    tsr__input_close(&texts->input);
    tsr__free(texts->line);
    *texts = (tsr__texts){.folder = -1};
}

void tsr__text_clear(tsr__text *text)
{
    tsr__free(text->room);
    *text = (tsr__text){.bytes = NULL};
}

static tsr_status make_room(tsr__text *text, int64_t size)
{
    if (size <= text->room_size)
        return TSR_OK;
    const int64_t room = size + size / 2 + (1 << 16);
    char *grown = tsr__regrow(text->room, text->size, room, 1);
    if (grown == NULL)
        return TSR_ERROR_MEMORY;
    text->room = grown, text->room_size = room;
    return TSR_OK;
}

static void set_fault(tsr__text *text, tsr__text_fault fault, int64_t value)
{
    text->fault = fault, text->value = value;
}

/* A file to its end, which is where a read gives less than it has room for. */
static tsr_status read_file(tsr__text *text, int file)
{
    tsr_status status = TSR_OK;
    for (bool more = true; more;) {
        TSR_TRY(make_room(text, text->size + 1));
        const int64_t room = text->room_size - text->size;
        const ssize_t got = read(file, text->room + text->size, (size_t)room);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            set_fault(text, TSR_TEXT_UNREADABLE, errno);
        else
            text->size += got;
        if (text->size >= huge)
            set_fault(text, TSR_TEXT_HUGE, text->size);
        more = got == room && text->fault == TSR_TEXT_FINE;
    }
    text->bytes = text->room;
done:
    return status;
}

static void trim(tsr__text *text, bool headers)
{
    static const char mark[] = "\xef\xbb\xbf";
    const char *end = text->bytes + text->size, *at = text->bytes;
    if (text->size >= 3 && memcmp(at, mark, 3) == 0)
        at += 3;
    if (!headers)
        at = tsr__message_body(at, end);
    text->bytes = at, text->size = end - at;
}

tsr_status tsr__texts_get(tsr__text *text, const tsr__texts *texts, int64_t i)
{
    tsr_status status = TSR_OK;
    text->fault = TSR_TEXT_FINE, text->value = 0, text->size = 0;
    if (texts->line != NULL) {
        text->bytes = texts->input.bytes + texts->line[i];
        text->size = texts->line[i + 1] - texts->line[i];
        if (text->size >= huge)
            set_fault(text, TSR_TEXT_HUGE, text->size);
        return TSR_OK;
    }
    const int file = openat(texts->folder, texts->files->name[i], O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        set_fault(text, TSR_TEXT_UNREADABLE, errno);
        return TSR_OK;
    }
    TSR_TRY(read_file(text, file));
    if (text->fault == TSR_TEXT_FINE)
        text->fault = find_zero(&text->value, text->bytes, text->size);
    if (text->fault == TSR_TEXT_FINE)
        trim(text, texts->headers);
done:
    (void)close(file);
    return status;
}
