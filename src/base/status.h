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

/* What a public function asks of its caller, in its first lines, before anything is
 * owned. A refusal names the argument and the function, and returns.
 *
 *     TSR_REQUIRE(a, b, ..)            pointers that are not NULL
 *     TSR_REQUIRE_TEXT(text)           neither NULL nor empty
 *     TSR_REQUIRE_ARRAY(array, count)  count >= 0, and an array where it is more; no more elements
 *                                      than can be addressed
 *     TSR_REQUIRE_CHOICE(value, last)  0 .. last
 *     TSR_OR_RETURN(call)              whatever else must be */
#define TSR_REQUIRE(...)                                                                       \
    TSR_OR_RETURN(tsr__require(__func__, #__VA_ARGS__, (const void *const[]){__VA_ARGS__},     \
                               sizeof((const void *const[]){__VA_ARGS__}) / sizeof(void *)))
#define TSR_REQUIRE_TEXT(text) TSR_OR_RETURN(tsr__require_text(__func__, #text, text))
#define TSR_REQUIRE_ARRAY(array, count)                                                        \
    TSR_OR_RETURN(tsr__require_array(__func__, #array, array, sizeof *(array), #count, count))
#define TSR_REQUIRE_CHOICE(value, last)                                                        \
    TSR_OR_RETURN(tsr__require_choice(__func__, #value, (int64_t)(value), last))

tsr_status tsr__require(const char *function, const char *names, const void *const *pointer,
                        size_t count);
tsr_status tsr__require_text(const char *function, const char *name, const char *text);
tsr_status tsr__require_array(const char *function, const char *name, const void *array,
                              size_t size, const char *count_name, int64_t count);
tsr_status tsr__require_choice(const char *function, const char *name, int64_t value,
                               int64_t last);

#define TSR_OR_RETURN(call)                                                                    \
    do {                                                                                       \
        const tsr_status refused_ = (call);                                                    \
        if (refused_ < 0)                                                                      \
            return refused_;                                                                   \
    } while (0)

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
