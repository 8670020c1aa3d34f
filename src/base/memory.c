/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Memory: one place where sizes are multiplied and the system is asked. */
#include "base/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SMALL = 1 << 26 }; /* any machine has that much: no need to ask it */

static _Atomic int64_t asked, live, fail_at;
static _Atomic bool exact;

static double machine_bytes(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (double)pages * (double)page : 1e18;
}

bool tsr__multiply(int64_t *out, int64_t a, int64_t b)
{
    return !__builtin_mul_overflow(a, b, out);
}

void *tsr__alloc(int64_t count, size_t size)
{
    int64_t bytes = 0;
    if (count < 0 || !tsr__multiply(&bytes, count, (int64_t)size) || bytes > INT64_MAX / 2 ||
        (bytes > SMALL && (double)bytes > machine_bytes())) {
        (void)tsr__fail(TSR_ERROR_MEMORY,
                        "%.3g values of %zu bytes (%.3g GB) exceed this machine's %.3g GB",
                        (double)count, size, (double)count * (double)size / 1e9,
                        machine_bytes() / 1e9);
        return NULL;
    }
    atomic_fetch_add(&asked, 1);
    const bool told = atomic_load(&fail_at) > 0 && atomic_fetch_sub(&fail_at, 1) == 1;
    const size_t room = atomic_load(&exact) ? (size_t)bytes : (size_t)bytes + TSR_ALIGN;
    void *memory = NULL;
    if (told || posix_memalign(&memory, TSR_ALIGN, room) != 0)
        memory = NULL;
    if (memory == NULL)
        (void)tsr__fail(TSR_ERROR_MEMORY, "out of memory: %lld bytes refused",
                        (long long)bytes);
    else
        atomic_fetch_add(&live, 1);
    return memory;
}

void *tsr__alloc_zero(int64_t count, size_t size)
{
    void *memory = tsr__alloc(count, size);
    if (memory != NULL)
        memset(memory, 0, (size_t)count * size);
    return memory;
}

void tsr__free(void *memory)
{
    if (memory == NULL)
        return;
    atomic_fetch_sub(&live, 1);
    free(memory);
}

void *tsr__regrow(void *old, int64_t used, int64_t count, size_t size)
{
    void *memory = tsr__alloc(count, size);
    if (memory != NULL && used > 0)
        memcpy(memory, old, (size_t)used * size);
    if (memory != NULL)
        tsr__free(old);
    return memory;
}

char *tsr__copy_bytes_as_text(const char *bytes, size_t length)
{
    char *text = tsr__alloc((int64_t)length + 1, 1);
    if (text != NULL) {
        memcpy(text, bytes, length);
        text[length] = '\0';
    }
    return text;
}

char *tsr__copy_text(const char *text)
{
    return tsr__copy_bytes_as_text(text, strlen(text));
}

void *tsr__arena_take(tsr__arena *arena, int64_t count, size_t size)
{
    int64_t bytes = 0;
    if (count < 0 || !tsr__multiply(&bytes, count, (int64_t)size) ||
        bytes > INT64_MAX / 4 - arena->used) {
        arena->overflow = true;
        return NULL;
    }
    const int64_t at = arena->used;
    arena->used += (bytes + TSR_ALIGN - 1) / TSR_ALIGN * TSR_ALIGN;
    return arena->base != NULL ? arena->base + at : NULL;
}

tsr_status tsr__arena_open(tsr__arena *arena)
{
    if (arena->overflow)
        return tsr__fail(TSR_ERROR_MEMORY, "the workspace exceeds what can be addressed");
    arena->base = tsr__alloc_zero(arena->used, 1);
    if (arena->base == NULL)
        return TSR_ERROR_MEMORY;
    arena->size = arena->used;
    arena->used = 0;
    return TSR_OK;
}

void tsr__arena_close(tsr__arena *arena)
{
    tsr__free(arena->base);
    *arena = (tsr__arena){0};
}

int64_t tsr__memory_asked(void)
{
    return atomic_load(&asked);
}

int64_t tsr__memory_live(void)
{
    return atomic_load(&live);
}

void tsr__memory_exact(bool on)
{
    atomic_store(&exact, on);
}

void tsr__memory_fail_at(int64_t nth)
{
    atomic_store(&fail_at, nth);
}
