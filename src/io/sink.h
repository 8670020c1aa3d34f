/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A sink for text: numbers and names go through a buffer of its own, errors are told at close.
 */
#ifndef TSR_IO_SINK_H
#define TSR_IO_SINK_H

#include "base/status.h"
#include "base/text.h"
#include "io/file.h"

enum { TSR_SINK_SIZE = 1 << 16 };

typedef struct tsr__sink {
    FILE *stream;
    size_t used;
    char *buffer;
} tsr__sink;

tsr_status tsr__sink_open(tsr__sink *out, const char *path);
tsr_status tsr__sink_close(tsr__sink *sink, tsr_status status);
void tsr__sink_flush(tsr__sink *sink);
void tsr__sink_text(tsr__sink *sink, const char *text);
void tsr__sink_integer(tsr__sink *sink, int64_t value);

static inline void tsr__sink_byte(tsr__sink *sink, char byte)
{
    if (sink->used == TSR_SINK_SIZE)
        tsr__sink_flush(sink);
    sink->buffer[sink->used++] = byte;
}

/* A value of a matrix of `type`, so that it reads back bit for bit. */
static inline void tsr__sink_value(tsr__sink *sink, double value, tsr_type type)
{
    if (sink->used + TSR_REAL_SIZE > TSR_SINK_SIZE)
        tsr__sink_flush(sink);
    char *to = sink->buffer + sink->used;
    const int length =
        type == TSR_FLOAT32 ? tsr__format_float(to, (float)value) : tsr__format_real(to, value);
    sink->used += (size_t)length;
}

#endif
