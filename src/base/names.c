/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Lists of texts. */
#include "base/names.h"

#include "base/memory.h"

tsr_status tsr__names_add(tsr__names *names, const char *text)
{
    tsr_status status = TSR_OK;
    TSR_GROW(names->name, names->count, names->room);
    TSR_NEW_TEXT(names->name[names->count], text);
    names->count++;
done:
    return status;
}

void tsr__names_clear(tsr__names *names)
{
    for (int64_t i = 0; i < names->count; i++)
        tsr__free(names->name[i]);
    tsr__free(names->name);
    *names = (tsr__names){NULL, 0, 0};
}
