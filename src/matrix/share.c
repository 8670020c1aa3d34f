/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Cutting samples into leaves and leaves into shares. O(leaves log n), and nothing of the values. */
#include "matrix/share.h"

#include "matrix/team.h"

/* A sum is worth its join, which reads it once more, where it has far more entries than features: a
 * leaf has four blocks of dense samples, 32 samples or 8 entries a feature at least. Small data have
 * as many leaves as samples, at most eight, so that there is something to share. */
static int64_t leaves_of(const tsr_matrix *x)
{
    enum { FEW = 8, MANY = 1024, BLOCKS = 4 << 16, SAMPLES = 32, ENTRIES = 8 };
    const int64_t each = (x->sparse ? ENTRIES : SAMPLES) * x->features,
                  worth = each > BLOCKS ? each : BLOCKS;
    int64_t leaves = 1;
    while (2 * leaves <= x->samples && 2 * leaves <= MANY &&
           (2 * leaves <= FEW || tsr_matrix_stored(x) / (2 * leaves) >= worth))
        leaves *= 2;
    return leaves;
}

/* A row costs something even where it is empty. */
static int64_t cost_before(const tsr_matrix *x, int64_t row)
{
    return x->sparse ? x->rows[row] - x->rows[0] + row : row;
}

/* The row with which part i of `parts` begins. */
static int64_t begin_of(const tsr_matrix *x, int64_t i, int64_t parts)
{
    const double wanted = (double)cost_before(x, x->samples) / (double)parts * (double)i;
    int64_t low = 0, high = x->samples;
    if (!x->sparse)
        return i * x->samples / parts;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if ((double)cost_before(x, middle) < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Where parts begin. Each has a row at least, or, where there are fewer rows, each `many` of them
 * have, which are a rank's: a row may have more entries than many others together. */
static void cut(int64_t *at, const tsr_matrix *x, int64_t parts, int64_t many)
{
    const int64_t step = parts <= x->samples ? 1 : many;
    at[0] = 0;
    for (int64_t l = 1; l <= parts; l++) {
        const int64_t fair = l < parts ? begin_of(x, l, parts) : x->samples,
                      most = x->samples - (parts - l) / step;
        int64_t least = at[l - 1];
        if (l % step == 0 && at[l - step] + 1 > least)
            least = at[l - step] + 1;
        at[l] = fair < least ? least : fair > most ? most : fair;
    }
}

static tsr_status begin(tsr__share *s, const tsr__share *like)
{
    tsr_status status = TSR_OK;
    *s = *like;
    s->most = 0;
    s->leaf = s->begin = NULL;
    TSR_NEW(s->leaf, s->leaves + 1);
    TSR_NEW(s->begin, tsr__team_ranks(s->team) + 1);
done:
    return status;
}

/* `at` (all leaves + 1) is where they begin. */
static void take_leaves(tsr__share *s, const int64_t *at)
{
    const int64_t ranks = tsr__team_ranks(s->team), all = ranks * s->leaves,
                  own = tsr__team_rank(s->team) * s->leaves;
    for (int64_t l = 0; l < all; l++)
        s->most = at[l + 1] - at[l] > s->most ? at[l + 1] - at[l] : s->most;
    for (int64_t r = 0; r <= ranks; r++)
        s->begin[r] = at[r * s->leaves];
    for (int64_t l = 0; l <= s->leaves; l++)
        s->leaf[l] = at[own + l] - at[own];
    s->whole = at[all];
    s->first = at[own];
    s->count = s->leaf[s->leaves];
}

tsr_status tsr__share_make(tsr__share *out, const tsr_matrix *x, tsr_team *team)
{
    tsr_status status = TSR_OK;
    const int64_t ranks = tsr__team_ranks(team), leaves = leaves_of(x);
    tsr__share like = {.team = team, .entries = tsr_matrix_stored(x), .leaves = 1},
               share = {.team = team};
    int64_t *at = NULL;
    while (like.leaves * ranks < leaves)
        like.leaves *= 2;
    const int64_t all = like.leaves * ranks;
    TSR_TRY(begin(&share, &like));
    TSR_NEW(at, all + 1);
    if (ranks > 1 && ranks > x->samples)
        TSR_FAIL(TSR_ERROR_DATA,
                 "%lld samples are not enough for %lld ranks, each of which needs one: take "
                 "fewer ranks",
                 (long long)x->samples, (long long)ranks);
    cut(at, x, all, like.leaves);
    take_leaves(&share, at);
    *out = share;
    share.leaf = share.begin = NULL;
done:
    tsr__free(at);
    tsr__share_clear(&share);
    return status;
}

tsr_status tsr__share_map(tsr__share *out, const tsr__share *samples,
                          int64_t (*rows_before)(const void *context, int64_t sample),
                          const void *context)
{
    tsr_status status = TSR_OK;
    const int64_t ranks = tsr__team_ranks(samples->team), all = ranks * samples->leaves;
    tsr__share share = {.team = samples->team};
    int64_t *at = NULL, *mine = NULL;
    TSR_TRY(begin(&share, samples));
    TSR_NEW_ZERO(at, all + 1);
    TSR_NEW(mine, samples->leaves);
    for (int64_t l = 0; l < samples->leaves; l++)
        mine[l] = rows_before(context, samples->first + samples->leaf[l]);
    int64_t *bytes = share.begin; /* for a while: what ranks bring */
    for (int64_t r = 0; r < ranks; r++)
        bytes[r] = samples->leaves * (int64_t)sizeof *mine;
    TSR_TRY(tsr__team_collect(samples->team, at, mine, bytes));
    at[0] = 0;
    at[all] = rows_before(context, samples->whole);
    take_leaves(&share, at);
    *out = share;
    share.leaf = share.begin = NULL;
done:
    tsr__free(at);
    tsr__free(mine);
    tsr__share_clear(&share);
    return status;
}

void tsr__share_clear(tsr__share *share)
{
    tsr__free(share->leaf);
    tsr__free(share->begin);
    share->leaf = share->begin = NULL;
}

int tsr__share_owner(const tsr__share *share, int64_t row)
{
    int low = 0, high = tsr__team_ranks(share->team);
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (share->begin[middle] <= row)
            low = middle;
        else
            high = middle;
    }
    return low;
}

tsr_status tsr__share_gather(void *out, const void *own, const tsr__share *share, int64_t bytes)
{
    tsr_status status = TSR_OK;
    const int ranks = tsr__team_ranks(share->team);
    int64_t *count = NULL;
    TSR_NEW(count, ranks);
    count[0] = share->count * bytes;
    for (int r = 0; ranks > 1 && r < ranks; r++)
        count[r] = (share->begin[r + 1] - share->begin[r]) * bytes;
    TSR_TRY(tsr__team_collect(share->team, out, own, count));
done:
    tsr__free(count);
    return status;
}
