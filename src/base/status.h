/* SPDX-License-Identifier: BSD-2-Clause
 *
 * How a call says that it failed: a negative status and a message of this thread.
 *
 * There is one cleanup idiom in the library:
 *
 *     tsr_status status = TSR_OK;
 *     thing *owned = NULL;
 *     TSR_TRY(thing_create(&owned));
 *     TSR_NEW(array, count);
 *     *out = owned, owned = NULL;
 * done:
 *     thing_free(owned);
 *     return status; */
#ifndef TSR_BASE_STATUS_H
#define TSR_BASE_STATUS_H

#include "tessera/tessera.h"

enum { TSR_MESSAGE_SIZE = 2048 };

/* Sets the message and yields the code. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
tsr_status
tsr__fail(tsr_status code, const char *format, ...);

/* Puts "subject: " before the message, so that each layer adds what it alone knows. */
tsr_status tsr__fail_in(tsr_status code, const char *subject);

#define TSR_FAIL(code, ...)                                                                    \
    do {                                                                                       \
        status = tsr__fail(code, __VA_ARGS__);                                                 \
        goto done;                                                                             \
    } while (0)

#define TSR_TRY(call)                                                                          \
    do {                                                                                       \
        status = (call);                                                                       \
        if (status < 0)                                                                        \
            goto done;                                                                         \
    } while (0)

#endif
