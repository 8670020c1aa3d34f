/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Teams: sums in one tree, whoever has what gets where it belongs, and what one rank fails at, all
 * fail at, with the same words and with nobody left waiting. */
#include "band.h"

#include "base/random.h"

#include <math.h>
#include <stdio.h>

enum { MOST = 9, LONGEST = 1000 }; /* ranks, numbers */

static const int64_t lengths[] = {0, 1, 2, 3, 7, 8, 64, 257, LONGEST};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static bool is_power(int ranks)
{
    return (ranks & (ranks - 1)) == 0;
}

/* Numbers of every size, so that the order of sums shows. */
static double number_of(int rank, int64_t i)
{
    tsr__random random = tsr__random_seed((uint64_t)(rank * LONGEST + i), 1);
    return ldexp(tsr__random_uniform(&random) - 0.5, (int)(i + 7 * rank) % 60);
}

/* Sums ---------------------------------------------------------------------------------------- */

typedef struct sums {
    int64_t count;
    double sum[MOST][LONGEST];
    int64_t sent[MOST], words[MOST], messages[MOST];
} sums;

static void add(tsr_team *team, void *context)
{
    sums *s = context;
    const int rank = team->rank;
    int64_t nothing = 0;
    for (int64_t i = 0; i < s->count; i++)
        s->sum[rank][i] = number_of(rank, i);
    check_ok(tsr__team_least(team, &nothing));
    s->words[rank] = tsr__team_sent(team);
    s->messages[rank] = tsr__team_messages(team);
    check_ok(tsr__team_sum(team, s->sum[rank], s->count));
    s->sent[rank] = tsr__team_sent(team) - s->words[rank];
    s->messages[rank] = tsr__team_messages(team) - s->messages[rank];
}

/* (0 + 1) + (2 + 3) .. */
static double tree_of(int first, int ranks, int64_t i)
{
    if (ranks == 1)
        return number_of(first, i);
    return tree_of(first, ranks / 2, i) + tree_of(first + ranks / 2, ranks / 2, i);
}

static void check_sum(const sums *s, int ranks, int64_t i)
{
    double sum = 0, size = 0;
    for (int r = 0; r < ranks; r++)
        sum += number_of(r, i), size += fabs(number_of(r, i));
    if (is_power(ranks))
        assert_true(s->sum[0][i] == tree_of(0, ranks, i));
    assert_true(fabs(s->sum[0][i] - sum) <= 1e-12 * size);
}

static void sums_are_one_tree(void **state)
{
    static sums s;
    (void)state;
    for (int ranks = 1; ranks <= MOST; ranks++)
        for (int l = 0; l < LENGTHS; l++) {
            s.count = lengths[l];
            band_run(ranks, add, &s);
            for (int64_t i = 0; i < s.count; i++)
                check_sum(&s, ranks, i);
            for (int r = 1; r < ranks; r++)
                assert_memory_equal(s.sum[r], s.sum[0], (size_t)s.count * sizeof(double));
        }
}

/* Twice (1 - 1/p) of the array, beside the word that says that all come; as many messages out as back. */
static void sums_cost_what_they_say(void **state)
{
    static sums s;
    (void)state;
    s.count = 512;
    for (int ranks = 1, steps = 0; ranks <= 8; ranks *= 2, steps++) {
        const int64_t each = (int64_t)sizeof(double) * s.count;
        band_run(ranks, add, &s);
        for (int r = 0; r < ranks; r++) {
            assert_int_equal(s.sent[r], 2 * (each - each / ranks) + s.words[r]);
            assert_int_equal(s.messages[r], 3 * steps);
        }
    }
}

/* Parts --------------------------------------------------------------------------------------- */

typedef struct parts {
    int64_t items, unit;
    int64_t first[MOST][MOST], count[MOST][MOST]; /* as rank, of rank */
    int leaders[MOST];
} parts;

static void divide(tsr_team *team, void *context)
{
    parts *p = context;
    const int rank = team->rank;
    tsr__team_parts(p->first[rank], p->count[rank], team, p->items, p->unit);
    p->leaders[rank] = tsr__team_leaders(team);
}

static void check_parts(const parts *p, int ranks)
{
    int owners[LONGEST] = {0}, owning = 0;
    for (int r = 0; r < ranks; r++) {
        const int64_t first = p->first[0][r], count = p->count[0][r];
        assert_true(count >= 0 && (count == 0 || first % p->unit == 0));
        assert_true(count % p->unit == 0 || first + count == p->items);
        for (int64_t i = first; i < first + count; i++)
            owners[i]++;
        owning += count > 0;
        assert_memory_equal(p->first[r], p->first[0], (size_t)ranks * sizeof(int64_t));
        assert_memory_equal(p->count[r], p->count[0], (size_t)ranks * sizeof(int64_t));
    }
    for (int64_t i = 0; i < p->items; i++)
        assert_int_equal(owners[i], 1);
    assert_true(owning <= p->leaders[0] && is_power(p->leaders[0]));
    assert_true(p->leaders[0] <= ranks && 2 * p->leaders[0] > ranks);
    assert_true(p->items < p->unit * p->leaders[0] || owning == p->leaders[0]);
}

static void parts_cover_every_item_once(void **state)
{
    static parts p;
    (void)state;
    for (int ranks = 1; ranks <= MOST; ranks++)
        for (int l = 0; l < LENGTHS; l++)
            for (p.unit = 1; p.unit <= 64; p.unit *= 4) {
                p.items = lengths[l];
                band_run(ranks, divide, &p);
                check_parts(&p, ranks);
            }
}

/* What is passed around ----------------------------------------------------------------------- */

enum { MOST_BYTES = 4096 };

/* Parts of all sizes, some of them empty. */
static int64_t size_of(int rank)
{
    return rank % 3 == 1 ? 0 : 13 * rank + 1;
}

static char byte_of(int from, int to, int64_t i)
{
    return (char)(31 * from + 7 * to + i);
}

static void put(char *at, int from, int to, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        at[i] = byte_of(from, to, i);
}

static void check_bytes(const char *at, int from, int to, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        check_that(at[i] == byte_of(from, to, i));
}

/* Parts lie where their owners want them: the last rank's first, with room in between. */
static void gather_parts(tsr_team *team, void *context)
{
    int64_t first[MOST], count[MOST], at = 5;
    char bytes[MOST_BYTES];
    (void)context;
    memset(bytes, 0x5a, sizeof bytes);
    for (int r = team->ranks - 1; r >= 0; r--) {
        first[r] = at, count[r] = size_of(r);
        at += count[r] + 5;
    }
    put(bytes + first[team->rank], team->rank, 0, count[team->rank]);
    check_ok(team->gather(team, bytes, first, count));
    for (int r = 0; r < team->ranks; r++) {
        check_bytes(bytes + first[r], r, 0, count[r]);
        for (int i = 1; i <= 5; i++)
            check_that(bytes[first[r] - i] == 0x5a);
    }
}

/* The same of parts as sums leave them, of few things and of many. */
static void gather_halves(tsr_team *team, void *context)
{
    int64_t first[MOST], count[MOST];
    char bytes[MOST_BYTES];
    (void)context;
    for (int64_t items = 1; items < 100; items += 7) {
        memset(bytes, 0x5a, sizeof bytes);
        tsr__team_parts(first, count, team, items, 1 + items / 30);
        put(bytes + first[team->rank], team->rank, 0, count[team->rank]);
        check_ok(team->gather(team, bytes, first, count));
        for (int r = 0; r < team->ranks; r++)
            check_bytes(bytes + first[r], r, 0, count[r]);
        check_that(bytes[items] == 0x5a);
    }
}

static void collect_parts(tsr_team *team, void *context)
{
    int64_t count[MOST], at = 0;
    char bytes[MOST_BYTES], own[MOST_BYTES];
    (void)context;
    for (int r = 0; r < team->ranks; r++)
        count[r] = size_of(r);
    put(own, team->rank, 1, count[team->rank]);
    check_ok(tsr__team_collect(team, bytes, own, count));
    for (int r = 0; r < team->ranks; at += count[r++])
        check_bytes(bytes + at, r, 1, count[r]);
}

static void share_parts(tsr_team *team, void *context)
{
    char bytes[MOST_BYTES];
    (void)context;
    for (int l = 0; l < LENGTHS; l++) {
        put(bytes, team->rank, 2, lengths[l]);
        check_ok(tsr__team_share(team, bytes, lengths[l]));
        check_bytes(bytes, 0, 2, lengths[l]);
    }
}

/* Some have nothing for each other. */
static int64_t letter_of(int from, int to)
{
    return (from + 2 * to) % 4 == 0 ? 0 : 5 * from + 3 * to + 1;
}

static void exchange_letters(tsr_team *team, void *context)
{
    int64_t sent[MOST], wanted[MOST], at = 0;
    char out[MOST_BYTES], in[MOST_BYTES];
    (void)context;
    for (int r = 0; r < team->ranks; at += sent[r++]) {
        sent[r] = letter_of(team->rank, r), wanted[r] = letter_of(r, team->rank);
        put(out + at, team->rank, r, sent[r]);
    }
    check_ok(team->exchange(team, out, sent, in, wanted));
    at = 0;
    for (int r = 0; r < team->ranks; at += wanted[r++])
        check_bytes(in + at, r, team->rank, wanted[r]);
}

static void find_least(tsr_team *team, void *context)
{
    (void)context;
    for (int lowest = 0; lowest < team->ranks; lowest++) {
        int64_t value = 100 + (team->rank + team->ranks - lowest) % team->ranks, other = -value;
        check_ok(tsr__team_least(team, &value));
        check_that(value == 100);
        check_ok(team->agree(team, &other));
        check_that(other == -100 - (team->ranks - 1));
        check_ok(tsr__team_agree(team, TSR_OK));
    }
}

/* What the library does not ask of a transport, but a caller may. */
static void swap_one_way(tsr_team *team, void *context)
{
    const int ranks = team->ranks, next = (team->rank + 1) % ranks,
              last = (team->rank + ranks - 1) % ranks;
    int heard = -1;
    (void)context;
    check_ok(team->swap(team->user, next, &team->rank, sizeof team->rank, -1, NULL, 0));
    check_ok(team->swap(team->user, -1, NULL, 0, last, &heard, sizeof heard));
    check_that(heard == last);
    for (int turn = 0; turn < 100; turn++) {
        check_ok(team->swap(team->user, next, &turn, sizeof turn, last, &heard, sizeof heard));
        check_that(heard == turn);
    }
}

static void everything_gets_where_it_belongs(void **state)
{
    static void (*const members[])(tsr_team *, void *) = {
        gather_parts,     gather_halves, collect_parts, share_parts,
        exchange_letters, find_least,    swap_one_way};
    (void)state;
    for (int ranks = 1; ranks <= MOST; ranks++)
        for (size_t i = 0; i < sizeof members / sizeof *members; i++)
            band_run(ranks, members[i], NULL);
}

/* Failures ------------------------------------------------------------------------------------ */

enum { TURNS = 3 };

/* The ranks of `bad` fail before the meeting; the lowest of them speaks for all. */
typedef struct trouble {
    unsigned bad;
    bool deep; /* within a second enter and leave */
    enum { AT_SUM, AT_COLLECT, AT_SHARE, AT_LEAST, AT_LEAVE, PLACES } place;
    tsr_status status[TURNS][MOST];
    char message[TURNS][MOST][64];
} trouble;

static bool is_bad(const trouble *t, int rank)
{
    return (t->bad >> rank & 1) != 0;
}

static tsr_status meet_at(const trouble *t, tsr_team *team)
{
    double sum[LONGEST] = {0};
    int64_t count[MOST] = {0}, value = 3;
    switch (t->place) {
    case AT_SUM: return tsr__team_sum(team, sum, LONGEST);
    case AT_COLLECT: return tsr__team_collect(team, sum, sum, count);
    case AT_SHARE: return tsr__team_share(team, sum, sizeof sum);
    case AT_LEAST: return tsr__team_least(team, &value);
    default: return TSR_OK;
    }
}

static tsr_status work(const trouble *t, tsr_team *team)
{
    if (is_bad(t, team->rank))
        return tsr__fail(team->rank % 2 == 0 ? TSR_ERROR_DATA : TSR_ERROR_IO,
                         "rank %d is in trouble", team->rank);
    TSR_OR_RETURN(meet_at(t, team));
    return meet_at(t, team);
}

static tsr_status work_within(const trouble *t, tsr_team *team)
{
    tsr_status status = TSR_OK;
    tsr_team_enter(team);
    if (t->deep) {
        tsr_team_enter(team);
        status = tsr_team_leave(team, work(t, team));
        if (status == TSR_OK)
            status = meet_at(t, team);
    } else {
        status = work(t, team);
    }
    return tsr_team_leave(team, status);
}

/* Each time the team goes on as if nothing had been. */
static void stumble(tsr_team *team, void *context)
{
    trouble *t = context;
    const int rank = team->rank;
    for (int turn = 0; turn < TURNS; turn++) {
        double sum = 1;
        t->status[turn][rank] = work_within(t, team);
        (void)snprintf(t->message[turn][rank], sizeof t->message[turn][rank], "%s",
                       tsr_message());
        check_ok(tsr__team_sum(team, &sum, 1));
        check_that((int)sum == team->ranks);
    }
}

static void check_trouble(const trouble *t, int ranks)
{
    char words[64], name[32] = "";
    int first = 0;
    while (first < ranks && !is_bad(t, first))
        first++;
    if (first > 0) /* the first rank, where users look, has no need to be named */
        (void)snprintf(name, sizeof name, "rank %d: ", first);
    (void)snprintf(words, sizeof words, "%srank %d is in trouble", name, first);
    for (int turn = 0; turn < TURNS; turn++)
        for (int r = 0; r < ranks; r++) {
            assert_int_equal(t->status[turn][r], first == ranks   ? TSR_OK
                                                 : first % 2 == 0 ? TSR_ERROR_DATA
                                                                  : TSR_ERROR_IO);
            if (first < ranks)
                assert_string_equal(t->message[turn][r], words);
        }
}

static void what_one_fails_at_all_fail_at(void **state)
{
    static trouble t;
    (void)state;
    for (int ranks = 1; ranks <= 5; ranks++)
        for (t.bad = 0; t.bad < 1U << ranks; t.bad++)
            for (t.place = 0; t.place < PLACES; t.place++)
                for (int deep = 0; deep < 2; deep++) {
                    t.deep = deep == 1;
                    band_run(ranks, stumble, &t);
                    check_trouble(&t, ranks);
                }
}

/* Memory is an affair of one rank, too. */
typedef struct shortage {
    tsr_status status[MOST];
    char message[MOST][64];
} shortage;

static void run_short(tsr_team *team, void *context)
{
    shortage *s = context;
    const int rank = team->rank;
    double sum[8] = {1};
    tsr_team_enter(team);
    tsr_status status = rank == 1 ? tsr__team_reserve(team, INT64_MAX / 16) : TSR_OK;
    if (status == TSR_OK)
        status = tsr__team_sum(team, sum, 8);
    s->status[rank] = tsr_team_leave(team, status);
    (void)snprintf(s->message[rank], sizeof s->message[rank], "%s", tsr_message());
    check_ok(tsr__team_sum(team, sum, 8));
}

static void memory_is_short_for_all(void **state)
{
    static shortage s;
    (void)state;
    for (int ranks = 2; ranks <= MOST; ranks++) {
        band_run(ranks, run_short, &s);
        for (int r = 0; r < ranks; r++) {
            assert_int_equal(s.status[r], TSR_ERROR_MEMORY);
            assert_string_equal(s.message[r], s.message[1]);
        }
    }
}

/* A failure that is left without words has some. */
static void leave_without_words(tsr_team *team, void *context)
{
    (void)context;
    tsr_team_enter(team);
    check_fails(tsr_team_leave(team, team->rank == 1 ? TSR_ERROR_IO : TSR_OK), TSR_ERROR_IO,
                "does not say at what");
    tsr_team_enter(team);
    check_fails(tsr_team_leave(team, team->rank == 1 ? (tsr_status)7 : TSR_OK),
                TSR_ERROR_ARGUMENT, "7 is no status");
}

/* Teams of none ------------------------------------------------------------------------------- */

static tsr_status swap_nothing(void *user, int to, const void *send, int64_t sent, int from,
                               void *receive, int64_t wanted)
{
    (void)user, (void)to, (void)send, (void)sent, (void)from, (void)receive, (void)wanted;
    fail_msg("%s", "one rank has nobody to swap with");
    return TSR_OK;
}

static void check_alone(tsr_team *team)
{
    double sum[2] = {3, 4}, out[2] = {0, 0};
    int64_t value = 5, count = sizeof sum;
    tsr_team_enter(team);
    check_ok(tsr__team_agree(team, TSR_OK));
    check_ok(tsr__team_least(team, &value));
    check_ok(tsr__team_share(team, sum, sizeof sum));
    check_ok(tsr__team_sum(team, sum, 2));
    check_ok(tsr__team_collect(team, out, sum, &count));
    check_ok(tsr_team_leave(team, TSR_OK));
    assert_true(value == 5 && sum[0] == 3 && sum[1] == 4 && out[0] == 3 && out[1] == 4);
    tsr_team_enter(team);
    check_fails(tsr_team_leave(team, tsr__fail(TSR_ERROR_DATA, "alone")), TSR_ERROR_DATA,
                "alone");
    assert_int_equal(tsr__team_sent(team), 0);
    assert_int_equal(tsr__team_messages(team), 0);
    assert_int_equal(tsr__team_rank(team), 0);
    assert_int_equal(tsr__team_ranks(team), 1);
}

static void one_rank_is_no_team(void **state)
{
    tsr_team *team = NULL;
    (void)state;
    check_alone(NULL);
    check_ok(tsr_team_create(&team, 0, 1, swap_nothing, NULL));
    check_alone(team);
    tsr_team_free(team);
    tsr_team_free(NULL);
}

static void what_is_no_team_is_refused(void **state)
{
    static const int bad[][2] = {{-1, 2}, {2, 2}, {0, 0}, {0, -1}, {0, (1 << 20) + 1}};
    tsr_team *team = NULL;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        check_fails(tsr_team_create(&team, bad[i][0], bad[i][1], swap_nothing, NULL),
                    TSR_ERROR_ARGUMENT, "there is no rank");
    check_fails(tsr_team_create(&team, 0, 2, NULL, NULL), TSR_ERROR_ARGUMENT, "`swap`");
    check_fails(tsr_team_create(NULL, 0, 2, swap_nothing, NULL), TSR_ERROR_ARGUMENT, "`out`");
    assert_null(team);
    check_starved(tsr_team_create(&team, 0, 2, swap_nothing, NULL), tsr_team_free(team);
                  team = NULL);
}

static void failures_have_words(void **state)
{
    (void)state;
    band_run(3, leave_without_words, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_one_tree),
        cmocka_unit_test(sums_cost_what_they_say),
        cmocka_unit_test(parts_cover_every_item_once),
        cmocka_unit_test(everything_gets_where_it_belongs),
        cmocka_unit_test(what_one_fails_at_all_fail_at),
        cmocka_unit_test(memory_is_short_for_all),
        cmocka_unit_test(failures_have_words),
        cmocka_unit_test(one_rank_is_no_team),
        cmocka_unit_test(what_is_no_team_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
