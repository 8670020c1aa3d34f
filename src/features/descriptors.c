/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Descriptors in memory. */
#include "features/descriptors.h"

void tsr__descriptors_free(tsr__descriptors *descriptors)
{
    tsr__free(descriptors->value);
    tsr__free(descriptors->spot);
    *descriptors = (tsr__descriptors){.count = 0};
}

tsr_status tsr__descriptors_room(tsr__descriptors *out, int64_t count)
{
    tsr_status status = TSR_OK;
    TSR_NEW(out->spot, count);
    out->value = tsr__alloc(count, TSR_DESCRIPTOR);
    if (out->value == NULL)
        status = TSR_ERROR_MEMORY;
done:
    return status;
}

void tsr__descriptor_pack(unsigned char *out, const float *from)
{
    for (int j = 0; j < TSR_DESCRIPTOR; j++) {
        const float v = 512 * from[j] + 0.5f;
        out[j] = (unsigned char)(v < 255 ? v : 255);
    }
}
