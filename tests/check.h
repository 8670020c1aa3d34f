/* SPDX-License-Identifier: BSD-2-Clause
 *
 * cmocka and what our tests share. */
#ifndef TSR_TESTS_CHECK_H
#define TSR_TESTS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/status.h"

#include <string.h>

/* The call succeeds; its message is shown otherwise. */
#define check_ok(call)                                                                         \
    do {                                                                                       \
        const tsr_status got_ = (call);                                                        \
        if (got_ != TSR_OK)                                                                    \
            fail_msg("%s: %s", tsr_status_name(got_), tsr_message());                          \
    } while (0)

/* The call fails with this status and a message that holds these words. */
#define check_fails(call, expected, words)                                                     \
    do {                                                                                       \
        const tsr_status got_ = (call);                                                        \
        if (got_ != (expected) || strstr(tsr_message(), (words)) == NULL)                      \
            fail_msg("%s instead of %s, \"%s\" instead of \"%s\"", tsr_status_name(got_),      \
                     tsr_status_name(expected), tsr_message(), (words));                       \
    } while (0)

/* The call with its first allocation failing, then its second, until none fails: each time it
 * says so, and once `clean` is done nothing is left that was not there before. */
#define check_starved(call, clean)                                                             \
    for (int64_t nth_ = 1, ok_ = 0; !ok_; nth_++) {                                            \
        const int64_t live_ = tsr__memory_live();                                              \
        tsr__memory_fail_at(nth_);                                                             \
        const tsr_status got_ = (call);                                                        \
        tsr__memory_fail_at(0);                                                                \
        clean;                                                                                 \
        ok_ = got_ == TSR_OK;                                                                  \
        if (tsr__memory_live() != live_ || (ok_ && nth_ == 1))                                 \
            fail_msg("allocation %d failing leaks, or there is none", (int)nth_);              \
        if (!ok_ && got_ != TSR_ERROR_MEMORY)                                                  \
            fail_msg("allocation %d failing gives %s", (int)nth_, tsr_status_name(got_));      \
    }

#endif
