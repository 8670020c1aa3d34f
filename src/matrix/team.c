/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Teams of processes, made of one function that swaps messages.
 *
 *     sum_scatter  halving: with its neighbour a rank exchanges halves of the array, with the
 *                  neighbour's neighbour quarters, and so on. Sums are added in one binary tree over the
 *                  ranks, neighbours first, whatever the number of ranks: x (1 - 1/p) words for an
 *                  array of x, log2 p messages
 *     gather       the same way back where parts lie as halving leaves them: log2 p messages; else a ring:
 *                  p - 1 messages; x (1 - 1/p) words
 *     exchange     pair by pair, without those that have nothing for each other
 *     agree        by strides of 1, 2, 4, ..: ceil(log2 p) words
 *
 * Ranks that no power of two counts join a neighbour before a sum and have no part of it: the first
 * 2 (p - q) ranks are pairs, q the largest power of two. IEEE addition commutes, so that it does not
 * matter which of two halves a rank adds to the other. */
#include "matrix/team.h"

#include "base/memory.h"
#include "matrix/kernels.h"

#include <stdio.h>
#include <string.h>

struct tsr_team_state {
    int depth; /* calls that were entered and not left */
    bool told; /* the ranks know of a failure, */
    bool lost; /* and of one of the messages themselves, for ever */
    struct word {
        int64_t status;
        char message[TSR_MESSAGE_SIZE];
    } trouble;     /*   this one */
    double *room;  /* what was received and is to be added */
    int64_t count; /* doubles of it */
    int64_t *part; /* 4 ranks: of a meeting, and of what is told */
    int64_t sent, messages;
};

/* A team whose messages fail says no more: what it knew of itself may be half of it. `with` is a rank,
 * or -1. */
static tsr_status lose(tsr_team *team, tsr_status status, const char *what, int with)
{
    struct word *trouble = &team->state->trouble;
    char rank[32] = "";
    if (team->state->lost)
        return (tsr_status)trouble->status;
    if (with >= 0)
        (void)snprintf(rank, sizeof rank, " with rank %d", with);
    status =
        tsr__fail(status, "the team is lost: rank %d %s%s, in vain", team->rank, what, rank);
    team->state->told = team->state->lost = true;
    trouble->status = status;
    (void)snprintf(trouble->message, sizeof trouble->message, "%s", tsr_message());
    return status;
}

tsr_status tsr__team_swap(tsr_team *team, int to, const void *send, int64_t sent, int from,
                          void *receive, int64_t wanted)
{
    to = sent > 0 ? to : -1, from = wanted > 0 ? from : -1;
    if (to < 0 && from < 0)
        return TSR_OK;
    if (to >= 0)
        team->state->sent += sent, team->state->messages++;
    const tsr_status status =
        team->state->lost ? (tsr_status)team->state->trouble.status
                          : team->swap(team->user, to, send, sent, from, receive, wanted);
    return status < 0 ? lose(team, status, "swapped messages", to >= 0 ? to : from) : TSR_OK;
}

/* Sums ------------------------------------------------------------------------------------ */

int tsr__team_leaders(const tsr_team *team)
{
    int leaders = 1;
    while (2 * leaders <= team->ranks)
        leaders *= 2;
    return leaders;
}

/* The place of a rank among those that halve; -1: it joined its neighbour. */
static int place_of(const tsr_team *team, int rank)
{
    const int more = team->ranks - tsr__team_leaders(team);
    return rank >= 2 * more ? rank - more : rank % 2 == 0 ? rank / 2 : -1;
}

static int rank_at(const tsr_team *team, int place)
{
    const int more = team->ranks - tsr__team_leaders(team);
    return place < more ? 2 * place : place + more;
}

/* Where halving leaves a place: its bits, the first one last. */
static int64_t seat_of(int place, int leaders)
{
    int64_t seat = 0;
    for (int bit = 1; bit < leaders; bit *= 2)
        seat = 2 * seat + ((place & bit) != 0);
    return seat;
}

void tsr__team_parts(int64_t *first, int64_t *count, const tsr_team *team, int64_t items,
                     int64_t unit)
{
    const int leaders = tsr__team_leaders(team);
    const int64_t units = (items + unit - 1) / unit;
    for (int r = 0; r < team->ranks; r++) {
        const int place = place_of(team, r);
        const int64_t seat = place >= 0 ? seat_of(place, leaders) : 0,
                      begin = seat * units / leaders * unit,
                      end = (seat + 1) * units / leaders * unit;
        first[r] = begin < items ? begin : items;
        count[r] = place < 0 ? 0 : (end < items ? end : items) - first[r];
    }
}

tsr_status tsr__team_reserve(tsr_team *team, int64_t count)
{
    tsr_status status = TSR_OK;
    if (!tsr__team_shares(team) || count <= team->state->count)
        return TSR_OK;
    tsr__free(team->state->room);
    team->state->room = NULL, team->state->count = 0;
    TSR_NEW(team->state->room, count);
    team->state->count = count;
done:
    return status;
}

typedef struct range {
    int64_t first, end;
} range;

/* What the places have together whose last bits are those of `place`. */
static range range_of(const tsr_team *team, const int64_t *first, const int64_t *count,
                      int place, int stride)
{
    range all = {INT64_MAX, 0};
    for (int other = place % stride; other < tsr__team_leaders(team); other += stride) {
        const int r = rank_at(team, other);
        if (count[r] == 0)
            continue;
        all.first = first[r] < all.first ? first[r] : all.first;
        all.end = first[r] + count[r] > all.end ? first[r] + count[r] : all.end;
    }
    return all.end == 0 ? (range){0, 0} : all;
}

static tsr_status add_from(tsr_team *team, double *sums, range mine, int other, range theirs)
{
    const int64_t each = (int64_t)sizeof(double), count = mine.end - mine.first;
    TSR_OR_RETURN(tsr__team_reserve(team, count));
    TSR_OR_RETURN(tsr__team_swap(team, other, sums + theirs.first,
                                 (theirs.end - theirs.first) * each, other, team->state->room,
                                 count * each));
    if (count > 0)
        tsr__kernels_of(TSR_FLOAT64)->add(sums + mine.first, 1, team->state->room, count);
    return TSR_OK;
}

static tsr_status sum_scatter(tsr_team *team, double *sums, const int64_t *first,
                              const int64_t *count)
{
    const range all = range_of(team, first, count, 0, 1), none = {0, 0};
    const int leaders = tsr__team_leaders(team), more = team->ranks - leaders,
              place = place_of(team, team->rank);
    if (place < 0)
        return tsr__team_swap(team, team->rank - 1, sums + all.first,
                              (all.end - all.first) * (int64_t)sizeof *sums, -1, NULL, 0);
    if (team->rank < 2 * more)
        TSR_OR_RETURN(add_from(team, sums, all, team->rank + 1, none));
    for (int stride = 2; stride <= leaders; stride *= 2) {
        const int other = place ^ (stride / 2);
        TSR_OR_RETURN(add_from(team, sums, range_of(team, first, count, place, stride),
                               rank_at(team, other),
                               range_of(team, first, count, other, stride)));
    }
    return TSR_OK;
}

/* The others --------------------------------------------------------------------------------- */

/* Whether the parts lie as halving leaves them, seat after seat. */
static bool is_halved(const tsr_team *team, const int64_t *first, const int64_t *count)
{
    const int leaders = tsr__team_leaders(team);
    int64_t end = first[rank_at(team, 0)];
    for (int seat = 0; seat < leaders; seat++) {
        const int r = rank_at(team, (int)seat_of(seat, leaders)); /* its own inverse */
        if (count[r] > 0 && first[r] != end)
            return false;
        end += count[r];
    }
    for (int r = 0; r < team->ranks; r++)
        if (place_of(team, r) < 0 && count[r] > 0)
            return false;
    return true;
}

/* The way back: what two have comes to be what both have. */
static tsr_status gather_halves(tsr_team *team, char *at, const int64_t *first,
                                const int64_t *count)
{
    const range all = range_of(team, first, count, 0, 1);
    const int leaders = tsr__team_leaders(team), more = team->ranks - leaders,
              place = place_of(team, team->rank);
    for (int stride = leaders; place >= 0 && stride >= 2; stride /= 2) {
        const int other = place ^ (stride / 2), rank = rank_at(team, other);
        const range mine = range_of(team, first, count, place, stride),
                    theirs = range_of(team, first, count, other, stride);
        TSR_OR_RETURN(tsr__team_swap(team, rank, at + mine.first, mine.end - mine.first, rank,
                                     at + theirs.first, theirs.end - theirs.first));
    }
    if (place < 0)
        return tsr__team_swap(team, -1, NULL, 0, team->rank - 1, at + all.first,
                              all.end - all.first);
    return team->rank < 2 * more ? tsr__team_swap(team, team->rank + 1, at + all.first,
                                                  all.end - all.first, -1, NULL, 0)
                                 : TSR_OK;
}

static tsr_status gather(tsr_team *team, void *bytes, const int64_t *first,
                         const int64_t *count)
{
    const int ranks = team->ranks, to = (team->rank + 1) % ranks,
              from = (team->rank + ranks - 1) % ranks;
    char *at = bytes;
    if (is_halved(team, first, count))
        return gather_halves(team, at, first, count);
    for (int step = 0; step + 1 < ranks; step++) {
        const int out = (team->rank + ranks - step) % ranks, in = (out + ranks - 1) % ranks;
        TSR_OR_RETURN(tsr__team_swap(team, to, at + first[out], count[out], from,
                                     at + first[in], count[in]));
    }
    return TSR_OK;
}

static int64_t sum_below(const int64_t *count, int rank)
{
    int64_t sum = 0;
    for (int r = 0; r < rank; r++)
        sum += count[r];
    return sum;
}

static tsr_status exchange(tsr_team *team, const void *send, const int64_t *sent, void *receive,
                           const int64_t *wanted)
{
    const int ranks = team->ranks, own = team->rank;
    const char *out = send;
    char *in = receive;
    if (sent[own] > 0)
        memcpy(in + sum_below(wanted, own), out + sum_below(sent, own), (size_t)sent[own]);
    for (int step = 1; step < ranks; step++) {
        const int to = (own + step) % ranks, from = (own + ranks - step) % ranks;
        TSR_OR_RETURN(tsr__team_swap(team, to, out + sum_below(sent, to), sent[to], from,
                                     in + sum_below(wanted, from), wanted[from]));
    }
    return TSR_OK;
}

static tsr_status agree(tsr_team *team, int64_t *least)
{
    const int ranks = team->ranks;
    for (int stride = 1; stride < ranks; stride *= 2) {
        const int64_t own = *least;
        int64_t other = own;
        TSR_OR_RETURN(tsr__team_swap(team, (team->rank + stride) % ranks, &own, sizeof own,
                                     (team->rank + ranks - stride) % ranks, &other,
                                     sizeof other));
        *least = other < own ? other : own;
    }
    return TSR_OK;
}

/* Words -------------------------------------------------------------------------------------- */

/* The first rank that failed says what it was, and which it is, unless it is rank 0, where users look.
 * Nothing here asks for memory. */
static tsr_status tell(tsr_team *team, int who, tsr_status own)
{
    struct tsr_team_state *state = team->state;
    int64_t *first = state->part + 2 * team->ranks, *count = first + team->ranks;
    char name[32] = "";
    memset(first, 0, (size_t)(2 * team->ranks) * sizeof *first);
    count[who] = sizeof state->trouble;
    state->told = true;
    if (who > 0)
        (void)snprintf(name, sizeof name, "rank %d: ", who);
    state->trouble.status = own;
    (void)snprintf(state->trouble.message, sizeof state->trouble.message, "%s%s", name,
                   tsr_message());
    TSR_OR_RETURN(team->gather(team, &state->trouble, first, count));
    state->trouble.message[TSR_MESSAGE_SIZE - 1] = '\0';
    return tsr__fail((tsr_status)state->trouble.status, "%s", state->trouble.message);
}

tsr_status tsr__team_heard(const tsr_team *team)
{
    if (!tsr__team_shares(team) || !team->state->told)
        return TSR_OK;
    return tsr__fail((tsr_status)team->state->trouble.status, "%s",
                     team->state->trouble.message);
}

/* What others put in the places of ours may fail in ways of their own. */
static tsr_status heed(tsr_team *team, tsr_status status, const char *what)
{
    return status < 0 ? lose(team, status, what, -1) : TSR_OK;
}

tsr_status tsr__team_scatter(tsr_team *team, double *sums, const int64_t *first,
                             const int64_t *count)
{
    return heed(team, team->sum_scatter(team, sums, first, count), "added up");
}

tsr_status tsr__team_gather(tsr_team *team, void *bytes, const int64_t *first,
                            const int64_t *count)
{
    return heed(team, team->gather(team, bytes, first, count), "gathered");
}

tsr_status tsr__team_exchange(tsr_team *team, const void *send, const int64_t *sent,
                              void *receive, const int64_t *wanted)
{
    return heed(team, team->exchange(team, send, sent, receive, wanted), "exchanged");
}

/* Words below zero are those of ranks that failed, rank 0's the lowest; `value` is not. */
static tsr_status meet(tsr_team *team, tsr_status own, int64_t *value)
{
    const struct tsr_team_state *state = team->state;
    int64_t word = own < 0 ? (int64_t)team->rank - team->ranks : *value;
    if (state->told)
        return own < 0 ? own : tsr__team_heard(team);
    TSR_OR_RETURN(heed(team, team->agree(team, &word), "agreed"));
    if (word < 0)
        return tell(team, (int)word + team->ranks, own);
    *value = word;
    return TSR_OK;
}

tsr_status tsr__team_agree(tsr_team *team, tsr_status own)
{
    int64_t nothing = 0;
    return tsr__team_shares(team) ? meet(team, own, &nothing) : own;
}

tsr_status tsr__team_least(tsr_team *team, int64_t *value)
{
    return tsr__team_shares(team) ? meet(team, TSR_OK, value) : TSR_OK;
}

void tsr_team_enter(tsr_team *team)
{
    if (team != NULL)
        team->state->depth++;
}

/* The others are waiting, and hear of what cannot be as of anything else. */
static tsr_status in_words(tsr_status status)
{
    if (status > 0 || strcmp(tsr_status_name(status), "unknown") == 0)
        return tsr__fail(TSR_ERROR_ARGUMENT, "tsr_team_leave: %d is no status", (int)status);
    if (status < 0 && *tsr_message() == '\0')
        return tsr__fail(status, "a rank failed and does not say at what");
    return status;
}

tsr_status tsr_team_leave(tsr_team *team, tsr_status status)
{
    status = in_words(status);
    if (!tsr__team_shares(team))
        return status;
    status = tsr__team_agree(team, status);
    if (--team->state->depth == 0)
        team->state->told = team->state->lost;
    return status;
}

/* Meetings ----------------------------------------------------------------------------------- */

tsr_status tsr__team_add(tsr_team *team, double *sums, int64_t count)
{
    if (!tsr__team_shares(team))
        return TSR_OK;
    int64_t *first = team->state->part, *many = first + team->ranks;
    tsr__team_parts(first, many, team, count, 1);
    TSR_OR_RETURN(tsr__team_scatter(team, sums, first, many));
    for (int r = 0; r < team->ranks; r++)
        first[r] *= (int64_t)sizeof *sums, many[r] *= (int64_t)sizeof *sums;
    return tsr__team_gather(team, sums, first, many);
}

tsr_status tsr__team_join(tsr_team *team, tsr_status own, double *sums, int64_t count)
{
    own = own < 0 ? own : tsr__team_reserve(team, count);
    TSR_OR_RETURN(tsr__team_agree(team, own));
    return tsr__team_add(team, sums, count);
}

tsr_status tsr__team_sum(tsr_team *team, double *sums, int64_t count)
{
    return tsr__team_join(team, TSR_OK, sums, count);
}

tsr_status tsr__team_collect(tsr_team *team, void *out, const void *bytes,
                             const int64_t *counts)
{
    const int rank = tsr__team_rank(team);
    if (!tsr__team_shares(team)) {
        if (counts[0] > 0)
            memmove(out, bytes, (size_t)counts[0]);
        return TSR_OK;
    }
    int64_t *first = team->state->part;
    for (int r = 0; r < team->ranks; r++)
        first[r] = sum_below(counts, r);
    if (counts[rank] > 0)
        memmove((char *)out + first[rank], bytes, (size_t)counts[rank]);
    TSR_OR_RETURN(tsr__team_agree(team, TSR_OK));
    return tsr__team_gather(team, out, first, counts);
}

tsr_status tsr__team_counts(tsr_team *team, int64_t *counts, int64_t own)
{
    const int rank = tsr__team_rank(team);
    counts[rank] = own;
    if (!tsr__team_shares(team))
        return TSR_OK;
    int64_t *first = team->state->part, *many = first + team->ranks;
    for (int r = 0; r < team->ranks; r++)
        first[r] = r * (int64_t)sizeof *counts, many[r] = (int64_t)sizeof *counts;
    TSR_OR_RETURN(tsr__team_agree(team, TSR_OK));
    return tsr__team_gather(team, counts, first, many);
}

tsr_status tsr__team_tell(tsr_team *team, int64_t *theirs, const int64_t *mine)
{
    int64_t *each = team->state->part;
    for (int r = 0; r < team->ranks; r++)
        each[r] = (int64_t)sizeof *mine;
    TSR_OR_RETURN(tsr__team_agree(team, TSR_OK));
    return tsr__team_exchange(team, mine, each, theirs, each);
}

tsr_status tsr__team_share(tsr_team *team, void *bytes, int64_t count)
{
    if (!tsr__team_shares(team))
        return TSR_OK;
    int64_t *first = team->state->part;
    memset(first, 0, (size_t)(2 * team->ranks) * sizeof *first);
    first[team->ranks] = count;
    TSR_OR_RETURN(tsr__team_agree(team, TSR_OK));
    return tsr__team_gather(team, bytes, first, first + team->ranks);
}

int64_t tsr__team_sent(const tsr_team *team)
{
    return team != NULL ? team->state->sent : 0;
}

int64_t tsr__team_messages(const tsr_team *team)
{
    return team != NULL ? team->state->messages : 0;
}

/* Teams -------------------------------------------------------------------------------------- */

tsr_status tsr_team_create(tsr_team **out, int rank, int ranks, tsr_swap swap, void *user)
{
    TSR_REQUIRE(out);
    tsr_status status = TSR_OK;
    tsr_team *team = NULL;
    if (swap == NULL)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "tsr_team_create: `swap` is NULL");
    if (ranks < 1 || ranks > 1 << 20 || rank < 0 || rank >= ranks)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "tsr_team_create: there is no rank %d of %d", rank, ranks);
    TSR_NEW_ZERO(team, 1);
    *team = (tsr_team){.rank = rank,
                       .ranks = ranks,
                       .user = user,
                       .swap = swap,
                       .sum_scatter = sum_scatter,
                       .gather = gather,
                       .exchange = exchange,
                       .agree = agree};
    TSR_NEW_ZERO(team->state, 1);
    TSR_NEW_ZERO(team->state->part, 4 * (int64_t)ranks);
    *out = team, team = NULL;
done:
    tsr_team_free(team);
    return status;
}

void tsr_team_free(tsr_team *team)
{
    if (team == NULL)
        return;
    if (team->state != NULL) {
        tsr__free(team->state->room);
        tsr__free(team->state->part);
    }
    tsr__free(team->state);
    tsr__free(team);
}
