/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Threads by OpenMP, in processes that fork, too.
 *
 * libgomp keeps a team for each thread that ever opened a region. A forked child has the memory of
 * that team and none of its threads, and would wait for them for ever. A thread that is born in the
 * child remembers nothing: so there a *captain*, made by the first region, opens all of them. One
 * at a time; who comes while it is busy does the work alone, which gives the same bits. Whether
 * the parent's threads have a team cannot be asked, and other libraries may have made it: hence
 * every child, from the moment that this library is loaded. tests/test_fork.c. */
#include "matrix/parallel.h"

#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef void (*region)(void *work);

static struct {
    pthread_mutex_t taken; /* held by the one whose region is done */
    pthread_mutex_t lock;  /* of what follows */
    pthread_cond_t begin, end;
    bool there;
    region region;
    void *work;
} captain = {PTHREAD_MUTEX_INITIALIZER,
             PTHREAD_MUTEX_INITIALIZER,
             PTHREAD_COND_INITIALIZER,
             PTHREAD_COND_INITIALIZER,
             false,
             NULL,
             NULL};
static atomic_bool forked;

/* A lock of our own: a named critical section would export a symbol. */
static pthread_mutex_t exclusive = PTHREAD_MUTEX_INITIALIZER;

/* One thread is left, and what others held at the fork nobody will release. */
static void after_fork(void)
{
    (void)pthread_mutex_init(&exclusive, NULL);
    (void)pthread_mutex_init(&captain.taken, NULL);
    (void)pthread_mutex_init(&captain.lock, NULL);
    (void)pthread_cond_init(&captain.begin, NULL);
    (void)pthread_cond_init(&captain.end, NULL);
    captain.there = false;
    captain.region = NULL;
    atomic_store(&forked, true);
}

__attribute__((constructor)) static void mind_forks(void)
{
    (void)pthread_atfork(NULL, NULL, after_fork);
}

static void *lead(void *unused)
{
    (void)unused;
    (void)pthread_mutex_lock(&captain.lock);
    for (;;) {
        while (captain.region == NULL)
            (void)pthread_cond_wait(&captain.begin, &captain.lock);
        (void)pthread_mutex_unlock(&captain.lock);
        captain.region(captain.work);
        (void)pthread_mutex_lock(&captain.lock);
        captain.region = NULL;
        (void)pthread_cond_signal(&captain.end);
    }
    return NULL;
}

/* The captain takes no signals, and neither do the threads that it gathers: they are for those of
 * the program. */
static bool call_captain(void)
{
    pthread_t thread;
    pthread_attr_t detached;
    sigset_t all, before;
    if (captain.there)
        return true;
    if (pthread_attr_init(&detached) != 0)
        return false;
    (void)pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    captain.there = pthread_create(&thread, &detached, lead, NULL) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&detached);
    return captain.there;
}

/* Opens a region; false where there are no threads to be had, and nothing was done. */
static bool together(region open, void *work)
{
    if (!atomic_load_explicit(&forked, memory_order_relaxed) || omp_in_parallel()) {
        open(work);
        return true;
    }
    if (pthread_mutex_trylock(&captain.taken) != 0)
        return false;
    const bool led = call_captain();
    if (led) {
        (void)pthread_mutex_lock(&captain.lock);
        captain.work = work;
        captain.region = open;
        (void)pthread_cond_signal(&captain.begin);
        while (captain.region != NULL)
            (void)pthread_cond_wait(&captain.end, &captain.lock);
        (void)pthread_mutex_unlock(&captain.lock);
    }
    (void)pthread_mutex_unlock(&captain.taken);
    return led;
}

int tsr__threads(int64_t wanted, int64_t items)
{
    int64_t threads = wanted > 0 ? wanted : omp_get_num_procs();
    if (threads > items)
        threads = items;
    return threads < 1 ? 1 : (int)threads;
}

struct loop {
    int64_t items;
    int threads;
    tsr__body body;
    void *context;
};

static void loop_together(void *work)
{
    const struct loop *l = work;
#pragma omp parallel for schedule(dynamic, 1) num_threads(l->threads)
    for (int64_t item = 0; item < l->items; item++)
        l->body(l->context, item, omp_get_thread_num());
}

void tsr__parallel(int64_t items, int threads, tsr__body body, void *context)
{
    /* nobody is woken for nothing */
    struct loop l = {items, threads < items ? threads : (int)items, body, context};
    if (l.threads > 1 && together(loop_together, &l))
        return;
    for (int64_t item = 0; item < items; item++)
        body(context, item, 0);
}

/* Items begun and ended so far, of all turns one after another. */
struct turning {
    atomic_int_least64_t begun, ended;
    int64_t items, all;
    int threads;
    tsr__turn body;
    void *context;
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

static void turn_together(void *work)
{
    struct turning *t = work;
#pragma omp parallel num_threads(t->threads)
    for (int64_t item = 0; take_item(t, &item);) {
        t->body(t->context, item / t->items, item % t->items, omp_get_thread_num());
        (void)atomic_fetch_add_explicit(&t->ended, 1, memory_order_release);
    }
}

void tsr__parallel_turns(int64_t turns, int64_t items, int threads, tsr__turn body,
                         void *context)
{
    struct turning t = {.items = items,
                        .all = turns * items,
                        .threads = threads < items ? threads : (int)items,
                        .body = body,
                        .context = context};
    if (t.threads > 1 && together(turn_together, &t))
        return;
    for (int64_t item = 0; item < t.all; item++)
        body(context, item / items, item % items, 0);
}

void tsr__exclusive(void (*body)(void *context), void *context)
{
    (void)pthread_mutex_lock(&exclusive);
    body(context);
    (void)pthread_mutex_unlock(&exclusive);
}
