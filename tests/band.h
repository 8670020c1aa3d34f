/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A team whose ranks are threads of the test program: tests of what teams do need no MPI.
 *
 *     static void add(tsr_team *team, void *context)
 *     {
 *         double sum = team->rank;
 *         check_ok(tsr__team_sum(team, &sum, 1));
 *         ..
 *     }
 *     band_run(4, add, context);
 *
 * Each member has a thread and a tsr_team of its own and says to the others what it has to say
 * through letter boxes, one for every pair of ranks. Sending never waits, so that ranks may swap with
 * each other or around a ring in any order; receiving waits for the next letter of that rank.
 *
 * IN A MEMBER, CHECKS END THE PROGRAM: cmocka can go on after a failure in its own thread alone.
 * check_ok, check_fails, fail_msg and check_that say what was wrong before; cmocka's assert_.. say
 * nothing, so members rather leave results in `context`, by rank, to be looked at after band_run.
 *
 * What no test could tell from a mistake ends it too, with words: a rank that waits longer than
 * BAND_PATIENCE, a letter that is longer or shorter than what is wanted, one that nobody fetches. */
#ifndef TSR_TESTS_BAND_H
#define TSR_TESTS_BAND_H

#include "check.h"

#include "matrix/team.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum { BAND_PATIENCE = 60, BAND_MOST = 64 }; /* seconds that a rank waits; ranks */

#define check_that(condition)                                                                  \
    do {                                                                                       \
        if (!(condition))                                                                      \
            fail_msg("%s:%d: not so: %s", __FILE__, __LINE__, #condition);                     \
    } while (0)

typedef struct band_letter band_letter;
struct band_letter {
    band_letter *next;
    int64_t count;
    char bytes[];
};

typedef struct band_box {
    band_letter *first, **last;
} band_box;

typedef struct band {
    int ranks;
    pthread_mutex_t lock;
    pthread_cond_t news; /* somebody sent something */
    band_box box[BAND_MOST][BAND_MOST];
    void (*member)(tsr_team *team, void *context);
    void *context;
} band;

typedef struct band_place {
    band *band;
    int rank;
    pthread_t thread;
} band_place;

static inline void band_send(band *b, int from, int to, const void *bytes, int64_t count)
{
    band_letter *letter = malloc(sizeof *letter + (size_t)count);
    if (letter == NULL)
        fail_msg("no memory for %lld bytes to rank %d", (long long)count, to);
    letter->next = NULL, letter->count = count;
    memcpy(letter->bytes, bytes, (size_t)count);
    (void)pthread_mutex_lock(&b->lock);
    band_box *box = &b->box[from][to];
    *(box->first == NULL ? &box->first : box->last) = letter;
    box->last = &letter->next;
    (void)pthread_cond_broadcast(&b->news);
    (void)pthread_mutex_unlock(&b->lock);
}

static inline void band_receive(band *b, int from, int to, void *bytes, int64_t count)
{
    struct timespec until;
    int code = 0;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += BAND_PATIENCE;
    (void)pthread_mutex_lock(&b->lock);
    band_box *box = &b->box[from][to];
    while (box->first == NULL && code == 0)
        code = pthread_cond_timedwait(&b->news, &b->lock, &until);
    band_letter *letter = box->first;
    if (letter != NULL)
        box->first = letter->next;
    (void)pthread_mutex_unlock(&b->lock);
    if (letter == NULL)
        fail_msg("rank %d of %d waited %d seconds for %lld bytes of rank %d", to, b->ranks,
                 BAND_PATIENCE, (long long)count, from);
    if (letter->count != count)
        fail_msg("rank %d of %d wants %lld bytes of rank %d, which sent %lld", to, b->ranks,
                 (long long)count, from, (long long)letter->count);
    memcpy(bytes, letter->bytes, (size_t)count);
    free(letter);
}

static inline tsr_status band_swap(void *user, int to, const void *send, int64_t sent, int from,
                                   void *receive, int64_t wanted)
{
    const band_place *place = user;
    if (to >= 0)
        band_send(place->band, place->rank, to, send, sent);
    if (from >= 0)
        band_receive(place->band, from, place->rank, receive, wanted);
    return TSR_OK;
}

static inline void *band_play(void *user)
{
    const band_place *place = user;
    tsr_team *team = NULL;
    check_ok(tsr_team_create(&team, place->rank, place->band->ranks, band_swap, user));
    place->band->member(team, place->band->context);
    tsr_team_free(team);
    return NULL;
}

/* Runs `member` as each of the ranks, side by side, and returns when all have returned. */
static inline void band_run(int ranks, void (*member)(tsr_team *team, void *context),
                            void *context)
{
    static band b; /* as large as its boxes */
    band_place place[BAND_MOST];
    assert_in_range(ranks, 1, BAND_MOST);
    memset(&b, 0, sizeof b);
    b.ranks = ranks, b.member = member, b.context = context;
    assert_int_equal(pthread_mutex_init(&b.lock, NULL), 0);
    assert_int_equal(pthread_cond_init(&b.news, NULL), 0);
    for (int r = 0; r < ranks; r++) {
        place[r] = (band_place){.band = &b, .rank = r};
        assert_int_equal(pthread_create(&place[r].thread, NULL, band_play, &place[r]), 0);
    }
    for (int r = 0; r < ranks; r++)
        assert_int_equal(pthread_join(place[r].thread, NULL), 0);
    for (int from = 0; from < ranks; from++)
        for (int to = 0; to < ranks; to++)
            if (b.box[from][to].first != NULL)
                fail_msg("rank %d sent %lld bytes that rank %d did not want", from,
                         (long long)b.box[from][to].first->count, to);
    (void)pthread_mutex_destroy(&b.lock);
    (void)pthread_cond_destroy(&b.news);
}

#endif
