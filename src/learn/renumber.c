/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Numbers of classes made consecutive, by sorting. */
#include "learn/renumber.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *left, const void *right)
{
    const int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

tsr_status tsr__check_classes(const int32_t *value, int64_t count, const char *name)
{
    for (int64_t i = 0; value != NULL && i < count; i++)
        if (value[i] < -1)
            return tsr__fail(TSR_ERROR_ARGUMENT,
                             "`%s`: sample %lld has %d; classes are 0 or more, -1 is unknown",
                             name, (long long)i, (int)value[i]);
    return TSR_OK;
}

tsr_status tsr__renumber(int64_t *to, int64_t *kinds, const int32_t *value, int64_t count)
{
    tsr_status status = TSR_OK;
    int32_t *sorted = NULL;
    int64_t known = 0, distinct = 0;
    TSR_NEW(sorted, count);
    for (int64_t i = 0; i < count; i++)
        if (value[i] >= 0)
            sorted[known++] = value[i];
    qsort(sorted, (size_t)known, sizeof *sorted, compare);
    for (int64_t i = 0; i < known; i++)
        if (i == 0 || sorted[i] != sorted[distinct - 1])
            sorted[distinct++] = sorted[i];
    for (int64_t i = 0; i < count; i++) {
        const int32_t *at = value[i] >= 0 ? bsearch(&value[i], sorted, (size_t)distinct,
                                                    sizeof *sorted, compare)
                                          : NULL;
        to[i] = at != NULL ? at - sorted : -1;
    }
    *kinds = distinct;
done:
    tsr__free(sorted);
    return status;
}
