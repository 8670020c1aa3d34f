/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Memory: overflow-checked, aligned for vectors, and able to fail on demand in tests.
 *
 * Sizes are products count x size of int64_t counts; a product that overflows, or that is more
 * than this machine has, is refused before anything is asked of the system. */
#ifndef TSR_BASE_MEMORY_H
#define TSR_BASE_MEMORY_H

#include "base/status.h"

/* Every allocation begins at a multiple of this, and has as much behind it that may be read:
 * kernels take rows in whole vectors. */
enum { TSR_ALIGN = 64 };

/* Uninitialised / zeroed memory for `count` items; NULL with a message on failure. Zero items
 * give a pointer that may be freed. */
void *tsr__alloc(int64_t count, size_t size);
void *tsr__alloc_zero(int64_t count, size_t size);
void tsr__free(void *memory);

/* Moves `used` items into room for `count`; the old memory is freed on success only. */
void *tsr__regrow(void *old, int64_t used, int64_t count, size_t size);

/* A copy of a text, or of its first `length` bytes. */
char *tsr__copy_text(const char *text);
char *tsr__copy_bytes_as_text(const char *bytes, size_t length);

#define TSR_NEW(pointer, count)                                                                \
    do {                                                                                       \
        (pointer) = tsr__alloc((count), sizeof *(pointer));                                    \
        if ((pointer) == NULL) {                                                               \
            status = TSR_ERROR_MEMORY;                                                         \
            goto done;                                                                         \
        }                                                                                      \
    } while (0)

#define TSR_NEW_ZERO(pointer, count)                                                           \
    do {                                                                                       \
        (pointer) = tsr__alloc_zero((count), sizeof *(pointer));                               \
        if ((pointer) == NULL) {                                                               \
            status = TSR_ERROR_MEMORY;                                                         \
            goto done;                                                                         \
        }                                                                                      \
    } while (0)

#define TSR_NEW_TEXT(pointer, text)                                                            \
    do {                                                                                       \
        (pointer) = tsr__copy_text(text);                                                      \
        if ((pointer) == NULL) {                                                               \
            status = TSR_ERROR_MEMORY;                                                         \
            goto done;                                                                         \
        }                                                                                      \
    } while (0)

/* Room for one more item at items[used], growing by half. */
#define TSR_GROW(items, used, room)                                                            \
    do {                                                                                       \
        if ((used) == (room)) {                                                                \
            const int64_t more_ = (room) + (room) / 2 + 16;                                    \
            void *grown_ = tsr__regrow((items), (used), more_, sizeof *(items));               \
            if (grown_ == NULL) {                                                              \
                status = TSR_ERROR_MEMORY;                                                     \
                goto done;                                                                     \
            }                                                                                  \
            (items) = grown_, (room) = more_;                                                  \
        }                                                                                      \
    } while (0)

/* Products and sums of sizes; false when they do not fit. */
bool tsr__multiply(int64_t *out, int64_t a, int64_t b);

/* An arena is laid out by the same code that is later served from it: take everything once from
 * a fresh arena (the pointers are NULL, sizes add up), call open, take everything again. */
typedef struct tsr__arena {
    unsigned char *base;
    int64_t used, size;
    bool overflow;
} tsr__arena;

void *tsr__arena_take(tsr__arena *arena, int64_t count, size_t size);
tsr_status tsr__arena_open(tsr__arena *arena); /* zeroed memory for all that was taken */
void tsr__arena_close(tsr__arena *arena);

/* For tests: how many allocations have been asked for, how many are not yet freed, and which
 * one fails next (counted from now, 1 = the next; 0 = none). */
int64_t tsr__memory_asked(void);
int64_t tsr__memory_live(void);
void tsr__memory_fail_at(int64_t nth);

/* For tests: whether what is asked for has nothing behind it, so that a sanitizer sees who reads
 * there. Kernels do, by right: not to be left on while they run. */
void tsr__memory_exact(bool on);

#endif
