/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The message lives in a fixed buffer, so that it works when memory is out. */
#include "base/status.h"

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
    memcpy(message, text, sizeof message);
    return code;
}

tsr_status tsr__fail_in(tsr_status code, const char *subject)
{
    return tsr__fail(code, "%s: %s", subject, message);
}

const char *tsr_message(void)
{
    return message;
}

const char *tsr_status_name(tsr_status status)
{
    static const char *const names[] = {"ok", "memory",      "argument",    "data",    "format",
                                        "io", "unsupported", "interrupted", "diverged"};
    const int at = -(int)status;
    return at >= 0 && at < (int)(sizeof names / sizeof *names) ? names[at] : "unknown";
}

const char *tsr_version(void)
{
    return TSR_VERSION;
}
