/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Threads by OpenMP. */
#include "matrix/parallel.h"

#include <omp.h>
#include <pthread.h>

int tsr__threads(int64_t wanted, int64_t items)
{
    int64_t threads = wanted > 0 ? wanted : omp_get_num_procs();
    if (threads > items)
        threads = items;
    return threads < 1 ? 1 : (int)threads;
}

void tsr__parallel(int64_t items, int threads, tsr__body body, void *context)
{
    if (threads <= 1) {
        for (int64_t item = 0; item < items; item++)
            body(context, item, 0);
        return;
    }
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int64_t item = 0; item < items; item++)
        body(context, item, omp_get_thread_num());
}

/* A lock of our own: a named critical section would export a symbol. */
static pthread_mutex_t exclusive = PTHREAD_MUTEX_INITIALIZER;

void tsr__exclusive(void (*body)(void *context), void *context)
{
    (void)pthread_mutex_lock(&exclusive);
    body(context);
    (void)pthread_mutex_unlock(&exclusive);
}
