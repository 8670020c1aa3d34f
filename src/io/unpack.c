/* SPDX-License-Identifier: BSD-2-Clause
 *
 * zlib on this library's memory. */
#include "io/unpack.h"

#include "base/memory.h"

static voidpf take(voidpf opaque, uInt count, uInt size)
{
    (void)opaque;
    return tsr__alloc(count, size);
}

static void give_back(voidpf opaque, voidpf memory)
{
    (void)opaque;
    tsr__free(memory);
}

tsr_status tsr__unpack_begin(z_stream *stream)
{
    *stream = (z_stream){.zalloc = take, .zfree = give_back};
    return inflateInit(stream) == Z_OK ? TSR_OK
                                       : tsr__fail(TSR_ERROR_MEMORY, "zlib cannot begin");
}
