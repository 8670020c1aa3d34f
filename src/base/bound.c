/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The bound on what a file may become: the rule and its message. */
#include "base/bound.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const double most_expand = 1e12; /* of the setting */

tsr_status tsr__bound_of(tsr__bound *out, const char *path, int64_t expand)
{
    struct stat about;
    if (stat(path, &about) != 0)
        return tsr__fail(TSR_ERROR_IO, "cannot look at: %s", strerror(errno));
    *out = (tsr__bound){about.st_size, expand};
    return TSR_OK;
}

tsr_status tsr__bound_check(const tsr__bound *bound, double bytes, const char *format, ...)
{
    const double size = (double)bound->size, free_bytes = TSR_EXPAND_FREE;
    const double expand = bound->expand > 0 ? (double)bound->expand : TSR_EXPAND;
    char what[256], cure[64] = "no --expand goes that far";
    va_list arguments;
    if (bytes <= expand * size + free_bytes)
        return TSR_OK;
    va_start(arguments, format);
    (void)vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    const double needed = ceil((bytes - free_bytes) / size);
    if (needed <= most_expand)
        (void)snprintf(cure, sizeof cure, "if that is meant: --expand %.0f", needed);
    return tsr__fail(
        TSR_ERROR_FORMAT,
        "%s would take %.3g GB; the limit is %.0f x the file's %.0f bytes + 256 MiB; "
        "%s",
        what, bytes / 1e9, expand, size, cure);
}

tsr_status tsr__bound_check_sparse(const tsr__bound *bound, double rows, double columns,
                                   double entries)
{
    return tsr__bound_check(bound, 16 * rows + 8 * columns + 24 * entries,
                            "%.0f samples of %.0f features", rows, columns);
}
