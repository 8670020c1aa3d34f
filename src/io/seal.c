/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Seals: put and compared by one pass through a buffer. */
#include "io/seal.h"

#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

enum { BUFFER = 1 << 20, WORD = 8, SEAL = 24 };

static const char mark[WORD + 1] = "TSR-SEAL";

static void put_word(unsigned char *out, uint64_t value)
{
    for (int i = 0; i < WORD; i++)
        out[i] = (unsigned char)(value >> (8 * i));
}

static void make(unsigned char out[SEAL], int64_t length, uint64_t sum)
{
    memcpy(out, mark, WORD);
    put_word(out + WORD, (uint64_t)length);
    put_word(out + 2 * WORD, sum);
}

/* The first `length` bytes (-1: all) of a stream that stands at its beginning. */
static tsr_status add_up(uint64_t *sum, int64_t *counted, FILE *stream, int64_t length)
{
    tsr_status status = TSR_OK;
    unsigned char *buffer = NULL;
    uLong crc = crc32(0, NULL, 0);
    int64_t at = 0;
    TSR_NEW(buffer, BUFFER);
    while (length < 0 || at < length) {
        const int64_t left = length < 0 || length - at > BUFFER ? BUFFER : length - at;
        const size_t got = fread(buffer, 1, (size_t)left, stream);
        if (got == 0)
            break;
        crc = crc32(crc, buffer, (uInt)got);
        at += (int64_t)got;
    }
    if (ferror(stream) != 0)
        TSR_FAIL(TSR_ERROR_IO, "cannot read: %s", strerror(errno));
    *sum = crc, *counted = at;
done:
    tsr__free(buffer);
    return status;
}

tsr_status tsr__seal_put(const char *path)
{
    tsr_status status = TSR_OK;
    unsigned char seal[SEAL];
    uint64_t sum = 0;
    int64_t length = 0;
    FILE *stream = fopen(path, "r+be");
    if (stream == NULL)
        return tsr__fail(TSR_ERROR_IO, "cannot open again: %s", strerror(errno));
    TSR_TRY(add_up(&sum, &length, stream, -1));
    make(seal, length, sum);
    if (fseeko(stream, 0, SEEK_END) != 0 || fwrite(seal, 1, SEAL, stream) != SEAL ||
        fflush(stream) != 0)
        TSR_FAIL(TSR_ERROR_IO, "cannot write: %s", strerror(errno));
done:
    if (fclose(stream) != 0 && status == TSR_OK)
        status = tsr__fail(TSR_ERROR_IO, "cannot write: %s", strerror(errno));
    return status;
}

tsr_status tsr__seal_check(const char *path)
{
    tsr_status status = TSR_OK;
    unsigned char seal[SEAL], own[SEAL];
    uint64_t sum = 0;
    int64_t length = 0, counted = 0;
    FILE *stream = fopen(path, "rbe");
    if (stream == NULL)
        return tsr__fail(TSR_ERROR_IO, "cannot open: %s", strerror(errno));
    if (fseeko(stream, -SEAL, SEEK_END) != 0 || fread(seal, 1, SEAL, stream) != SEAL ||
        memcmp(seal, mark, WORD) != 0)
        goto done;
    length = (int64_t)ftello(stream) - SEAL;
    rewind(stream);
    TSR_TRY(add_up(&sum, &counted, stream, length));
    make(own, counted, sum);
    if (counted != length || memcmp(seal, own, SEAL) != 0)
        TSR_FAIL(TSR_ERROR_FORMAT, "is damaged: its bytes are not those that were written");
done:
    (void)fclose(stream);
    return status;
}
