/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Threads by OpenMP, in processes that fork, too.
 *
 * libgomp keeps a team for each thread that ever opened a region. A forked child has the memory of
 * that team and none of its threads, and would wait for them for ever. A thread that is born in the
 * child remembers nothing: so there a *captain*, made by the first region, opens them, while the
 * caller works along. One region at a time; who comes while the captain is busy does the work
 * alone, which gives the same bits. Whether the parent's threads have a team cannot be asked, and
 * other libraries may have made it: hence every child, also one that loads this library itself.
 * tests/test_fork.c. */
#include "matrix/parallel.h"

#include "base/library.h"

#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* What threads share: each drains it under a number of its own. */
typedef struct labour {
    void (*drain)(struct labour *work, int thread);
    int threads;
} labour;

static struct {
    pthread_mutex_t taken; /* held by the one whose labour is done */
    pthread_mutex_t lock;  /* of what follows */
    pthread_cond_t begin, end;
    bool there;
    labour *work;
} captain = {PTHREAD_MUTEX_INITIALIZER,
             PTHREAD_MUTEX_INITIALIZER,
             PTHREAD_COND_INITIALIZER,
             PTHREAD_COND_INITIALIZER,
             false,
             NULL};
static atomic_bool forked;

/* A lock of our own: a named critical section would export a symbol. */
static pthread_mutex_t exclusive = PTHREAD_MUTEX_INITIALIZER;

/* One thread is left, and what others held at the fork nobody will release. */
static void after_fork(void)
{
    tsr__library_after_fork();
    (void)pthread_mutex_init(&exclusive, NULL);
    (void)pthread_mutex_init(&captain.taken, NULL);
    (void)pthread_mutex_init(&captain.lock, NULL);
    (void)pthread_cond_init(&captain.begin, NULL);
    (void)pthread_cond_init(&captain.end, NULL);
    captain.there = false;
    captain.work = NULL;
    atomic_store(&forked, true);
}

/* Whether this process was forked and has not executed a program since: a flag that Linux shows,
 * in the ninth field of a line whose second may hold anything between parentheses. */
static bool is_forked(void)
{
    enum { FORKED_NOT_EXECUTED = 0x40 };
    char line[1024] = "";
    unsigned flags = 0;
    FILE *file = fopen("/proc/self/stat", "re");
    if (file == NULL)
        return false;
    const size_t size = fread(line, 1, sizeof line - 1, file);
    (void)fclose(file);
    line[size] = '\0';
    const char *after = strrchr(line, ')');
    return after != NULL && sscanf(after + 1, " %*c %*d %*d %*d %*d %*d %u", &flags) == 1 &&
           (flags & FORKED_NOT_EXECUTED) != 0;
}

__attribute__((constructor)) static void mind_forks(void)
{
    atomic_store(&forked, is_forked());
    (void)pthread_atfork(NULL, NULL, after_fork);
}

/* A team of `threads` at it. */
static void gather(labour *work, int threads)
{
#pragma omp parallel num_threads(threads)
    work->drain(work, omp_get_thread_num());
}

static void *lead(void *unused)
{
    (void)unused;
    (void)pthread_mutex_lock(&captain.lock);
    for (;;) {
        while (captain.work == NULL)
            (void)pthread_cond_wait(&captain.begin, &captain.lock);
        (void)pthread_mutex_unlock(&captain.lock);
        gather(captain.work, captain.work->threads - 1); /* the caller is the last */
        (void)pthread_mutex_lock(&captain.lock);
        captain.work = NULL;
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

/* All of it, by as many threads as it wants, or as there are to be had. */
static void together(labour *work)
{
    if (!atomic_load_explicit(&forked, memory_order_relaxed) || omp_in_parallel()) {
        gather(work, work->threads);
        return;
    }
    if (pthread_mutex_trylock(&captain.taken) != 0) {
        work->drain(work, 0);
        return;
    }
    if (!call_captain()) {
        (void)pthread_mutex_unlock(&captain.taken);
        work->drain(work, 0);
        return;
    }
    (void)pthread_mutex_lock(&captain.lock);
    captain.work = work;
    (void)pthread_cond_signal(&captain.begin);
    (void)pthread_mutex_unlock(&captain.lock);
    work->drain(work, work->threads - 1);
    (void)pthread_mutex_lock(&captain.lock);
    while (captain.work != NULL)
        (void)pthread_cond_wait(&captain.end, &captain.lock);
    (void)pthread_mutex_unlock(&captain.lock);
    (void)pthread_mutex_unlock(&captain.taken);
}

int tsr__threads(int64_t wanted, int64_t items)
{
    int64_t threads = wanted > 0 ? wanted : omp_get_num_procs();
    if (threads > items)
        threads = items;
    return threads < 1 ? 1 : (int)threads;
}

/* Nobody is woken for nothing. */
static int at_most(int threads, int64_t items)
{
    return threads < items ? threads : (int)items;
}

struct loop {
    labour labour;
    atomic_int_least64_t begun;
    int64_t items;
    tsr__body body;
    void *context;
};

static void drain_loop(labour *work, int thread)
{
    struct loop *l = (struct loop *)work;
    for (int64_t item;
         (item = atomic_fetch_add_explicit(&l->begun, 1, memory_order_relaxed)) < l->items;)
        l->body(l->context, item, thread);
}

void tsr__parallel(int64_t items, int threads, tsr__body body, void *context)
{
    struct loop l = {.labour = {drain_loop, at_most(threads, items)},
                     .items = items,
                     .body = body,
                     .context = context};
    if (l.labour.threads > 1)
        together(&l.labour);
    else
        drain_loop(&l.labour, 0);
}

/* Items begun and ended so far, of all turns one after another. */
struct turning {
    labour labour;
    atomic_int_least64_t begun, ended;
    int64_t items, all;
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

static void drain_turns(labour *work, int thread)
{
    struct turning *t = (struct turning *)work;
    for (int64_t item = 0; take_item(t, &item);) {
        t->body(t->context, item / t->items, item % t->items, thread);
        (void)atomic_fetch_add_explicit(&t->ended, 1, memory_order_release);
    }
}

void tsr__parallel_turns(int64_t turns, int64_t items, int threads, tsr__turn body,
                         void *context)
{
    struct turning t = {.labour = {drain_turns, at_most(threads, items)},
                        .items = items,
                        .all = turns * items,
                        .body = body,
                        .context = context};
    if (t.labour.threads > 1)
        together(&t.labour);
    else
        drain_turns(&t.labour, 0);
}

void tsr__exclusive(void (*body)(void *context), void *context)
{
    (void)pthread_mutex_lock(&exclusive);
    body(context);
    (void)pthread_mutex_unlock(&exclusive);
}
