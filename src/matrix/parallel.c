/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Threads by OpenMP. */
#include "matrix/parallel.h"

#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

int tsr__threads(int64_t wanted, int64_t items)
{
    int64_t threads = wanted > 0 ? wanted : omp_get_num_procs();
    if (threads > items)
        threads = items;
    return threads < 1 ? 1 : (int)threads;
}

void tsr__parallel(int64_t items, int threads, tsr__body body, void *context)
{
    if (threads > items) /* nobody is woken for nothing */
        threads = (int)items;
    if (threads <= 1) {
        for (int64_t item = 0; item < items; item++)
            body(context, item, 0);
        return;
    }
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int64_t item = 0; item < items; item++)
        body(context, item, omp_get_thread_num());
}

/* Items begun and ended so far, of all turns one after another. */
struct turning {
    atomic_int_least64_t begun, ended;
    int64_t items, all;
};

/* The next item, once its turn has come. Only then is it taken: a thread that has none holds
 * nobody up, however long the system lets it sleep. */
static bool take_item(struct turning *t, int64_t *item)
{
    enum { PATIENCE = 1000 };
    for (int64_t tries = 0;; tries++) {
        int_least64_t next = atomic_load_explicit(&t->begun, memory_order_relaxed);
        if (next >= t->all)
            return false;
        const bool open =
            next - next % t->items <= atomic_load_explicit(&t->ended, memory_order_acquire);
        if (open && atomic_compare_exchange_weak(&t->begun, &next, next + 1)) {
            *item = next;
            return true;
        }
        if (!open && tries > PATIENCE)
            (void)sched_yield();
    }
}

void tsr__parallel_turns(int64_t turns, int64_t items, int threads, tsr__turn body,
                         void *context)
{
    struct turning t = {.items = items, .all = turns * items};
    if (threads > items)
        threads = (int)items;
    if (threads <= 1) {
        for (int64_t item = 0; item < t.all; item++)
            body(context, item / items, item % items, 0);
        return;
    }
#pragma omp parallel num_threads(threads)
    for (int64_t item = 0; take_item(&t, &item);) {
        body(context, item / items, item % items, omp_get_thread_num());
        (void)atomic_fetch_add_explicit(&t.ended, 1, memory_order_release);
    }
}

/* A lock of our own: a named critical section would export a symbol. */
static pthread_mutex_t exclusive = PTHREAD_MUTEX_INITIALIZER;

void tsr__exclusive(void (*body)(void *context), void *context)
{
    (void)pthread_mutex_lock(&exclusive);
    body(context);
    (void)pthread_mutex_unlock(&exclusive);
}
