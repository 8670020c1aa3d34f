/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The message lives in a fixed buffer, so that it works when memory is out. */
#include "base/status.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char message[TSR_MESSAGE_SIZE] = "";

tsr_status tsr__fail(tsr_status code, const char *format, ...)
{
    char text[TSR_MESSAGE_SIZE]; /* an argument may be the old message */
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    memcpy(message, tsr__printable(text), sizeof message);
    return code;
}

tsr_status tsr__fail_in(tsr_status code, const char *subject)
{
    return tsr__fail(code, "%s: %s", subject, message);
}

tsr_status tsr__require(const char *function, const char *names, const void *const *pointer,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const int length = (int)strcspn(names, ",");
        if (pointer[i] == NULL)
            return tsr__fail(TSR_ERROR_ARGUMENT, "`%.*s` of %s must not be NULL", length, names,
                             function);
        names += length + (int)strspn(names + length, ", \n");
    }
    return TSR_OK;
}

tsr_status tsr__require_text(const char *function, const char *name, const char *text)
{
    if (text == NULL)
        return tsr__require(function, name, (const void *const[]){NULL}, 1);
    if (*text == '\0')
        return tsr__fail(TSR_ERROR_ARGUMENT, "an empty text names nothing (`%s` of %s)", name,
                         function);
    return TSR_OK;
}

tsr_status tsr__require_array(const char *function, const char *name, const void *array,
                              size_t size, const char *count_name, int64_t count)
{
    if (count < 0 || count > INT64_MAX / (int64_t)size)
        return tsr__fail(TSR_ERROR_ARGUMENT,
                         "`%s` of %s is %lld, which no array has; it is 0 .. %lld", count_name,
                         function, (long long)count, (long long)(INT64_MAX / (int64_t)size));
    if (array == NULL && count > 0)
        return tsr__fail(TSR_ERROR_ARGUMENT,
                         "`%s` of %s must not be NULL: it is to hold %lld elements", name,
                         function, (long long)count);
    return TSR_OK;
}

tsr_status tsr__require_choice(const char *function, const char *name, int64_t value,
                               int64_t last)
{
    if (value < 0 || value > last)
        return tsr__fail(TSR_ERROR_ARGUMENT, "`%s` of %s is %lld; it is 0 .. %lld", name,
                         function, (long long)value, (long long)last);
    return TSR_OK;
}

const char *tsr_message(void)
{
    return message;
}

const char *tsr_status_name(tsr_status status)
{
    static const char *const names[] = {"ok", "memory",      "argument",    "data",    "format",
                                        "io", "unsupported", "interrupted", "diverged"};
    const int64_t at = -(int64_t)status;
    return at >= 0 && at < (int64_t)(sizeof names / sizeof *names) ? names[at] : "unknown";
}

const char *tsr_version(void)
{
    return TSR_VERSION;
}
