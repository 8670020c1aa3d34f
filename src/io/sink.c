/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A sink for text over a stream. */
#include "io/sink.h"

#include <string.h>

tsr_status tsr__sink_open(tsr__sink *out, const char *path)
{
    tsr_status status = TSR_OK;
    tsr__sink sink = {NULL, 0, NULL};
    TSR_NEW(sink.buffer, TSR_SINK_SIZE);
    TSR_TRY(tsr__stream_open(&sink.stream, path));
    *out = sink, sink.buffer = NULL;
done:
    tsr__free(sink.buffer);
    return status;
}

void tsr__sink_flush(tsr__sink *sink)
{
    (void)fwrite(sink->buffer, 1, sink->used, sink->stream); /* the stream remembers failure */
    sink->used = 0;
}

tsr_status tsr__sink_close(tsr__sink *sink, tsr_status status)
{
    if (sink->stream != NULL)
        tsr__sink_flush(sink);
    const tsr_status closed = tsr__stream_close(sink->stream, status);
    tsr__free(sink->buffer);
    *sink = (tsr__sink){NULL, 0, NULL};
    return closed;
}

void tsr__sink_text(tsr__sink *sink, const char *text)
{
    for (; *text != '\0'; text++)
        tsr__sink_byte(sink, *text);
}

void tsr__sink_integer(tsr__sink *sink, int64_t value)
{
    char text[24], *first = text + sizeof text;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do {
        *--first = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest != 0);
    if (value < 0)
        *--first = '-';
    const size_t length = (size_t)(text + sizeof text - first);
    if (sink->used + length > TSR_SINK_SIZE)
        tsr__sink_flush(sink);
    memcpy(sink->buffer + sink->used, first, length);
    sink->used += length;
}
