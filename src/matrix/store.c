/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Windows of stored matrices.
 *
 * Every thread that asks has a DESK: a ring of slots, one of which it looks at while the others
 * are filled with what comes next. Rows are asked for one window after another, so that the next
 * one begins where this one ends and is as long. Where somebody jumps, nothing is read ahead until
 * two windows follow each other. A thread of the store's own fills them (`slow`), and is begun by
 * the first that is worth it; what it could not read is left to whoever asks, and fails there, where there
 * is somebody to tell.
 *
 * A desk belongs to the thread, not to its number in some team: two fits may read the same data at
 * once. A child of a fork has the reader's memory but not the reader: it has desks of its own, of
 * which windows are read as they are asked for. One lock serves all stores, so that a fork can
 * wait for it. O(1) beside the reading. */
#include "matrix/store.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { SLOTS = 3 };

typedef enum slot_state { EMPTY, WANTED, READING, READY } slot_state;

typedef struct slot {
    int64_t first, count;
    slot_state state;
    int64_t room; /* values that it holds at most */
    void *values;
    int32_t *columns;
} slot;

typedef struct desk {
    const void *owner; /* of a thread: the address of something that is its own, */
    pid_t process;     /* in this process */
    slot slot[SLOTS];
    int at;        /* the slot that the owner looks at */
    int64_t end;   /* of the window before */
    int64_t *rows; /* sparse: counted from the window's first entry */
    int64_t rows_room;
    struct desk *next;
} desk;

/* What matrices of the same samples read from: the last of them closes it. */
typedef struct shared {
    tsr__origin from;
    _Atomic int users;
    _Atomic(int64_t) bytes; /* that it gave */
} shared;

struct tsr__store {
    shared *source;
    const tsr_matrix *x;
    desk *desks;
    pthread_cond_t wanted, ready;
    pthread_t reader;
    pid_t process; /* that made it, and in which the reader runs */
    bool reads;    /* there is a reader */
    bool ending;
};

static _Thread_local char self;

/* The lock ---------------------------------------------------------------------------------- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t minded = PTHREAD_ONCE_INIT;

static void lock(void)
{
    (void)pthread_mutex_lock(&mutex);
}

static void unlock(void)
{
    (void)pthread_mutex_unlock(&mutex);
}

static void mind_forks(void)
{
    (void)pthread_atfork(lock, unlock, unlock);
}

static int64_t entries_of(const tsr_matrix *x, int64_t first, int64_t count)
{
    return x->sparse ? x->rows[first + count] - x->rows[first] : count * x->features;
}

static tsr_status make_room(slot *s, const tsr_matrix *x, int64_t entries)
{
    tsr_status status = TSR_OK;
    if (entries <= s->room)
        return TSR_OK;
    tsr__free(s->values);
    tsr__free(s->columns);
    s->values = s->columns = NULL, s->room = 0;
    s->values = tsr__alloc(entries, tsr__type_size(x->type));
    if (s->values == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    if (x->sparse)
        TSR_NEW(s->columns, entries);
    s->room = entries;
done:
    return status;
}

static tsr_status read_rows(const tsr__store *store, int64_t first, int64_t count, void *values,
                            int32_t *columns)
{
    shared *source = store->source;
    const tsr_matrix *x = store->x;
    const int64_t each =
        (int64_t)(tsr__type_size(x->type) + (x->sparse ? sizeof *x->columns : 0));
    atomic_fetch_add_explicit(&source->bytes, entries_of(x, first, count) * each,
                              memory_order_relaxed);
    return source->from.read(source->from.held, x, first, count, values, columns);
}

static tsr_status fill(slot *s, const tsr__store *store)
{
    const tsr_matrix *x = store->x;
    const tsr_status status = make_room(s, x, entries_of(x, s->first, s->count));
    return status < 0 ? status : read_rows(store, s->first, s->count, s->values, s->columns);
}

/* The reader ------------------------------------------------------------------------------ */

/* Of all desks the slot that will be asked for soonest. */
static slot *next_wanted(const tsr__store *store)
{
    for (int ahead = 1; ahead < SLOTS; ahead++)
        for (desk *d = store->desks; d != NULL; d = d->next) {
            slot *s = &d->slot[(d->at + ahead) % SLOTS];
            if (s->state == WANTED)
                return s;
        }
    return NULL;
}

static void *read_ahead(void *context)
{
    tsr__store *store = context;
    lock();
    while (!store->ending) {
        slot *s = next_wanted(store);
        if (s == NULL) {
            (void)pthread_cond_wait(&store->wanted, &mutex);
            continue;
        }
        s->state = READING;
        unlock();
        const bool read = fill(s, store) == TSR_OK;
        lock();
        s->state = read ? READY : EMPTY;
        (void)pthread_cond_broadcast(&store->ready);
    }
    unlock();
    return NULL;
}

/* True where there is one, in this process. */
static bool has_reader(tsr__store *store)
{
    const bool may = store->source->from.slow && store->process == getpid();
    if (may && !store->reads)
        store->reads = pthread_create(&store->reader, NULL, read_ahead, store) == 0;
    return may && store->reads;
}

/* Desks ----------------------------------------------------------------------------------- */

static desk *own_desk(tsr__store *store)
{
    desk *d = store->desks;
    while (d != NULL && (d->owner != &self || d->process != getpid()))
        d = d->next;
    if (d != NULL)
        return d;
    d = tsr__alloc_zero(1, sizeof *d);
    if (d != NULL) {
        d->owner = &self, d->process = getpid();
        d->next = store->desks;
        store->desks = d;
    }
    return d;
}

static slot *find_slot(desk *d, int64_t first, int64_t count)
{
    for (int i = 0; i < SLOTS; i++) {
        slot *s = &d->slot[i];
        if (s->state != EMPTY && s->first == first && s->count == count)
            return s;
    }
    return NULL;
}

/* The slots after the one that is looked at get what follows it. One that is being read is left
 * alone: it may be what is wanted, and if not it is taken at the next window. */
static void want_next(desk *d, const tsr__store *store)
{
    const slot *now = &d->slot[d->at];
    int64_t first = now->first + now->count;
    for (int ahead = 1; ahead < SLOTS && first < store->x->samples; ahead++) {
        slot *s = &d->slot[(d->at + ahead) % SLOTS];
        const int64_t left = store->x->samples - first,
                      count = left < now->count ? left : now->count;
        if (s->state != READING &&
            (s->state == EMPTY || s->first != first || s->count != count)) {
            s->first = first, s->count = count;
            s->state = WANTED;
        }
        first += count;
    }
}

/* Whether the furthest of those is worth a thread's while: what the system has in memory is copied as
 * fast by whoever asks, and is then in that thread's own cache. The lock is not held. */
static bool is_far(const tsr__store *store, int64_t first, int64_t count)
{
    const tsr__origin *from = &store->source->from;
    const int64_t n = store->x->samples, at = first + (SLOTS - 1) * count,
                  last = at + count <= n ? at : n - count;
    return first + count < n &&
           (from->near == NULL || !from->near(from->held, store->x, last, count));
}

/* The slot that the window is in, read by the caller where nobody did; the lock is held before and
 * after, not while it is read. */
static tsr_status take_slot(slot **out, desk *d, tsr__store *store, int64_t first,
                            int64_t count)
{
    slot *s = find_slot(d, first, count);
    while (s != NULL && s->state == READING) {
        (void)pthread_cond_wait(&store->ready, &mutex);
        s = find_slot(d, first, count);
    }
    if (s == NULL) {
        s = &d->slot[d->at]; /* what was looked at before is over */
        *s = (slot){.room = s->room, .values = s->values, .columns = s->columns};
        s->first = first, s->count = count;
    }
    if (s->state != READY) {
        s->state = READING;
        d->at = (int)(s - d->slot);
        unlock();
        const tsr_status status = fill(s, store);
        lock();
        s->state = status == TSR_OK ? READY : EMPTY;
        if (status < 0)
            return status;
    }
    d->at = (int)(s - d->slot);
    *out = s;
    return TSR_OK;
}

/* Row pointers of a window begin with 0, as its values do. */
static tsr_status point(desk *d, const tsr_matrix *x, int64_t first, int64_t count)
{
    tsr_status status = TSR_OK;
    if (!x->sparse)
        return TSR_OK;
    if (count + 1 > d->rows_room) {
        tsr__free(d->rows);
        d->rows = NULL, d->rows_room = 0;
        TSR_NEW(d->rows, count + 1);
        d->rows_room = count + 1;
    }
    for (int64_t i = 0; i <= count; i++)
        d->rows[i] = x->rows[first + i] - x->rows[first];
done:
    return status;
}

static tsr_status look(tsr_matrix *out, tsr__store *store, int64_t first, int64_t count)
{
    tsr_status status = TSR_OK;
    const tsr_matrix *x = store->x;
    slot *s = NULL;
    const bool far = store->source->from.slow && is_far(store, first, count);
    lock();
    desk *d = own_desk(store);
    if (d == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    TSR_TRY(take_slot(&s, d, store, first, count));
    if (far && d->end == first && has_reader(store)) {
        want_next(d, store);
        (void)pthread_cond_signal(&store->wanted);
    }
    d->end = first + count;
    TSR_TRY(point(d, x, first, count));
    out->values = s->values;
    out->columns = s->columns;
    out->rows = d->rows;
done:
    unlock();
    return status;
}

/* The matrix ------------------------------------------------------------------------------ */

tsr_status tsr__matrix_window(tsr_matrix *out, const tsr_matrix *x, int64_t first,
                              int64_t count)
{
    *out = *x;
    out->samples = count;
    out->release = NULL, out->held = NULL, out->turned = NULL, out->store = NULL;
    if (x->store != NULL) {
        out->stride = x->features;
        return look(out, x->store, first, count);
    }
    if (x->sparse)
        out->rows = x->rows + first;
    else
        out->values = (char *)x->values + (size_t)(first * x->stride) * tsr__type_size(x->type);
    return TSR_OK;
}

int64_t tsr__matrix_window_rows(const tsr_matrix *x)
{
    enum { BYTES = 1 << 20 };
    const int64_t entries = x->sparse ? x->rows[x->samples] / (x->samples + 1) : x->features,
                  rows = BYTES / ((entries + 1) * (int64_t)tsr__type_size(x->type));
    return rows < 1 ? 1 : rows;
}

tsr_status tsr__matrix_need(const tsr_matrix *x, const char *who)
{
    return x->store == NULL
               ? TSR_OK
               : tsr__fail(TSR_ERROR_UNSUPPORTED,
                           "%s needs all samples in memory, and these %lld x %lld are read in "
                           "blocks: raise --memory, or take fewer samples",
                           who, (long long)x->samples, (long long)x->features);
}

/* The reader may still look at the row pointers: it goes first. */
static void release(tsr_matrix *x)
{
    tsr__store_free(x->store);
    tsr__free(x->rows);
}

static tsr_status make(tsr_matrix **out, shared *source, int64_t samples, int64_t features,
                       tsr_type type, int64_t *rows)
{
    tsr_status status = TSR_OK;
    tsr_matrix *x = NULL;
    tsr__store *store = NULL;
    TSR_NEW_ZERO(x, 1);
    TSR_NEW_ZERO(store, 1);
    store->source = source;
    store->x = x;
    store->process = getpid();
    (void)pthread_once(&minded, mind_forks);
    (void)pthread_cond_init(&store->wanted, NULL);
    (void)pthread_cond_init(&store->ready, NULL);
    *x = (tsr_matrix){.samples = samples,
                      .features = features,
                      .stride = features,
                      .type = type,
                      .sparse = rows != NULL,
                      .rows = rows,
                      .release = release,
                      .constant = true,
                      .store = store};
    *out = x, x = NULL;
done:
    tsr__free(x);
    return status;
}

tsr_status tsr__matrix_stored(tsr_matrix **out, const tsr__origin *from, int64_t samples,
                              int64_t features, tsr_type type, int64_t *rows)
{
    tsr_status status = TSR_OK;
    shared *source = NULL;
    TSR_NEW(source, 1);
    source->from = *from;
    atomic_init(&source->users, 1);
    atomic_init(&source->bytes, 0);
    TSR_TRY(make(out, source, samples, features, type, rows));
    source = NULL;
done:
    tsr__free(source);
    return status;
}

tsr_status tsr__matrix_again(tsr_matrix **out, const tsr_matrix *x)
{
    tsr_status status = TSR_OK;
    int64_t *rows = NULL;
    if (x->sparse) {
        TSR_NEW(rows, x->samples + 1);
        memcpy(rows, x->rows, (size_t)(x->samples + 1) * sizeof *rows);
    }
    TSR_TRY(make(out, x->store->source, x->samples, x->features, x->type, rows));
    rows = NULL;
    atomic_fetch_add(&x->store->source->users, 1);
    (*out)->image = x->image;
done:
    tsr__free(rows);
    return status;
}

/* Slices ---------------------------------------------------------------------------------- */

typedef struct slice {
    const tsr_matrix *of;
    int64_t first;
} slice;

static tsr_status read_slice(void *held, const tsr_matrix *x, int64_t first, int64_t count,
                             void *values, int32_t *columns)
{
    const slice *s = held;
    (void)x;
    return read_rows(s->of->store, s->first + first, count, values, columns);
}

static bool slice_is_near(void *held, const tsr_matrix *x, int64_t first, int64_t count)
{
    const slice *s = held;
    const tsr__origin *from = &s->of->store->source->from;
    (void)x;
    return from->near != NULL && from->near(from->held, s->of, s->first + first, count);
}

static void close_slice(void *held)
{
    tsr__free(held);
}

static void release_rows(tsr_matrix *x)
{
    tsr__free(x->rows);
}

/* What is in memory is looked at, with row pointers of its own, which begin with 0. */
static tsr_status slice_memory(tsr_matrix **out, const tsr_matrix *x, int64_t first,
                               int64_t count, int64_t *rows)
{
    tsr_status status = TSR_OK;
    const size_t size = tsr__type_size(x->type);
    tsr_matrix *view = NULL;
    TSR_NEW(view, 1);
    *view = (tsr_matrix){.samples = count,
                         .features = x->features,
                         .stride = x->stride,
                         .type = x->type,
                         .sparse = x->sparse,
                         .rows = rows,
                         .release = release_rows,
                         .constant = true};
    const int64_t at = x->sparse ? x->rows[first] : first * x->stride;
    view->values = x->values != NULL ? (char *)x->values + (size_t)at * size : NULL;
    view->columns = x->sparse && x->columns != NULL ? x->columns + at : NULL;
    *out = view;
done:
    return status;
}

tsr_status tsr__matrix_slice(tsr_matrix **out, const tsr_matrix *x, int64_t first,
                             int64_t count)
{
    tsr_status status = TSR_OK;
    slice *s = NULL;
    int64_t *rows = NULL;
    if (x->sparse)
        TSR_NEW(rows, count + 1);
    for (int64_t i = 0; x->sparse && i <= count; i++)
        rows[i] = x->rows[first + i] - x->rows[first];
    if (x->store == NULL) {
        TSR_TRY(slice_memory(out, x, first, count, rows));
    } else {
        TSR_NEW(s, 1);
        *s = (slice){x, first};
        const tsr__origin from = {.read = read_slice,
                                  .close = close_slice,
                                  .held = s,
                                  .slow = x->store->source->from.slow,
                                  .near = slice_is_near};
        TSR_TRY(tsr__matrix_stored(out, &from, count, x->features, x->type, rows));
    }
    s = NULL, rows = NULL;
    (*out)->image = x->image;
done:
    tsr__free(s);
    tsr__free(rows);
    return status;
}

int64_t tsr__matrix_bytes_read(const tsr_matrix *x)
{
    return x->store != NULL
               ? atomic_load_explicit(&x->store->source->bytes, memory_order_relaxed)
               : 0;
}

void tsr__matrix_become(tsr_matrix *x, tsr_matrix *other)
{
    release(x);
    *x = *other;
    x->store->x = x;
    tsr__free(other);
}

/* In a child of a fork it seems to the conditions that the reader still waits: they are left. */
static void end_reader(tsr__store *store)
{
    if (store->process != getpid())
        return;
    lock();
    store->ending = true;
    (void)pthread_cond_signal(&store->wanted);
    unlock();
    if (store->reads)
        (void)pthread_join(store->reader, NULL);
    (void)pthread_cond_destroy(&store->wanted);
    (void)pthread_cond_destroy(&store->ready);
}

void tsr__store_free(tsr__store *store)
{
    if (store == NULL)
        return;
    end_reader(store);
    while (store->desks != NULL) {
        desk *d = store->desks;
        store->desks = d->next;
        for (int i = 0; i < SLOTS; i++) {
            tsr__free(d->slot[i].values);
            tsr__free(d->slot[i].columns);
        }
        tsr__free(d->rows);
        tsr__free(d);
    }
    if (atomic_fetch_sub(&store->source->users, 1) == 1) {
        if (store->source->from.close != NULL)
            store->source->from.close(store->source->from.held);
        tsr__free(store->source);
    }
    tsr__free(store);
}
