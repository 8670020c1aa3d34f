/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Loading libraries when they are first needed. */
#include "base/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

/* ISO C has no way from an object's address to a function's but by their bytes. */
static tsr_status find_functions(const tsr__library *library, void *handle)
{
    for (size_t i = 0; i < library->count; i++) {
        const void *const found = dlsym(handle, library->names[i]);
        if (found == NULL)
            return tsr__fail(TSR_ERROR_UNSUPPORTED, "%s has no %s", library->file,
                             library->names[i]);
        memcpy((char *)library->functions + i * sizeof found, &found, sizeof found);
    }
    return TSR_OK;
}

/* A failure is not remembered: it costs little, and the library may be there the next time. */
static tsr_status load(const tsr__library *library)
{
    void *const handle = dlopen(library->file, RTLD_LAZY | RTLD_LOCAL);
    if (handle == NULL)
        return tsr__fail(TSR_ERROR_UNSUPPORTED,
                         "a library that this needs cannot be loaded, install it: %s",
                         dlerror());
    const tsr_status status = find_functions(library, handle);
    if (status < 0)
        (void)dlclose(handle);
    return status;
}

tsr_status tsr__library_need(tsr__library *library)
{
    tsr_status status = TSR_OK;
    if (atomic_load(&library->ready))
        return TSR_OK;
    (void)pthread_mutex_lock(&loading);
    if (!atomic_load(&library->ready)) {
        status = load(library);
        if (status == TSR_OK)
            atomic_store(&library->ready, true);
    }
    (void)pthread_mutex_unlock(&loading);
    return status;
}

void tsr__library_after_fork(void)
{
    (void)pthread_mutex_init(&loading, NULL);
}
