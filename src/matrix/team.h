/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A team of processes from the inside: who has what, and how all of them fail together.
 *
 * EVERY MEETING BEGINS WITH A WORD FROM EACH: whether it goes on. A rank that failed at something
 * of its own does not come to where the others wait; it says so once, in place of its next
 * word (tsr__team_agree, at the latest by tsr_team_leave), and the meeting that the others are at
 * fails with its message. From then on nobody speaks any more: all return to where they entered.
 * So any function may fail anywhere, and no rank is left waiting.
 *
 * Meetings that follow each other with nothing in between that could fail on one rank alone need one
 * word together; they go through the team's own functions.
 *
 * A team that is NULL, or of one rank, is none: nothing is sent, and sums are what they were. */
#ifndef TSR_MATRIX_TEAM_H
#define TSR_MATRIX_TEAM_H

#include "base/status.h"

/* A team of more than one; what sends nothing else is left out of everything. */
static inline bool tsr__team_shares(const tsr_team *team)
{
    return team != NULL && team->ranks > 1;
}

static inline int tsr__team_rank(const tsr_team *team)
{
    return team != NULL ? team->rank : 0;
}

static inline int tsr__team_ranks(const tsr_team *team)
{
    return team != NULL ? team->ranks : 1;
}

/* How it went for all. */
tsr_status tsr__team_agree(tsr_team *team, tsr_status own);

/* Whether this rank has heard of a failure so far: what functions that return no status met with. */
tsr_status tsr__team_heard(const tsr_team *team);

/* The least of what all bring, which is not negative. */
tsr_status tsr__team_least(tsr_team *team, int64_t *value);

/* Rank 0's bytes become everybody's. */
tsr_status tsr__team_share(tsr_team *team, void *bytes, int64_t count);

/* Parts of `items` things, `unit` of them together, for each rank (ranks numbers in `first` and
 * `count`): as sums that are halved leave them. Ranks beyond a power of two have none. */
void tsr__team_parts(int64_t *first, int64_t *count, const tsr_team *team, int64_t items,
                     int64_t unit);

/* Ranks that have parts: the largest power of two. */
int tsr__team_leaders(const tsr_team *team);

/* Room for a sum_scatter of so many numbers, which then asks for no memory. */
tsr_status tsr__team_reserve(tsr_team *team, int64_t count);

/* The sum of the arrays of all ranks, for all of them; ranks are added two by two. */
tsr_status tsr__team_sum(tsr_team *team, double *sums, int64_t count);

/* The same of what every rank made, each saying how it went; without a word, where room for so many
 * was reserved. */
tsr_status tsr__team_join(tsr_team *team, tsr_status own, double *sums, int64_t count);
tsr_status tsr__team_add(tsr_team *team, double *sums, int64_t count);

/* Each rank's `bytes` (as many as counts[rank]), one after another in the order of ranks, into `out`
 * of every rank. */
tsr_status tsr__team_collect(tsr_team *team, void *out, const void *bytes,
                             const int64_t *counts);

/* What each rank counts, in the order of ranks. */
tsr_status tsr__team_counts(tsr_team *team, int64_t *counts, int64_t own);

/* The team's own functions. What one of them fails at is heard of by whoever meets next, asked or
 * not. */
tsr_status tsr__team_swap(tsr_team *team, int to, const void *send, int64_t sent, int from,
                          void *receive, int64_t wanted);
tsr_status tsr__team_scatter(tsr_team *team, double *sums, const int64_t *first,
                             const int64_t *count);
tsr_status tsr__team_gather(tsr_team *team, void *bytes, const int64_t *first,
                            const int64_t *count);
tsr_status tsr__team_exchange(tsr_team *team, const void *send, const int64_t *sent,
                              void *receive, const int64_t *wanted);

/* A number of each rank for each: mine[r] goes to rank r, theirs[r] came from it. */
tsr_status tsr__team_tell(tsr_team *team, int64_t *theirs, const int64_t *mine);

/* What this rank sent since the team was made, in bytes, and how many messages. */
int64_t tsr__team_sent(const tsr_team *team);
int64_t tsr__team_messages(const tsr_team *team);

#endif
