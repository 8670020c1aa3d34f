/* SPDX-License-Identifier: BSD-2-Clause
 *
 * zlib on this library's memory, so that it is counted and can fail in tests like all other. */
#ifndef TSR_IO_UNPACK_H
#define TSR_IO_UNPACK_H

#include "base/status.h"

#include <zlib.h>

/* A stream to inflate with: inflateReset begins the next input, inflateEnd frees it. */
tsr_status tsr__unpack_begin(z_stream *stream);

#endif
