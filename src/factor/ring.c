/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Pairs of samples whose ends are of different ranks: the graph of neighbours, entries that go to who has
 * their row, and the halo of rows that others have.
 *
 * THE RING. Every rank's samples go from rank to rank, and each finds among them the neighbours of its
 * own: 2 n^2 m / p flops and n m words a rank. Distances are measured exactly (matrix/neighbours.h), so
 * that neighbours do not depend on who met whom. Then an edge is told to the rank at its other end, which
 * makes the graph symmetric. One rank alone is a ring of one. */
#include "factor/problem.h"
#include "matrix/neighbours.h"
#include "matrix/pass.h"
#include "matrix/store.h"
#include "matrix/team.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Entries --------------------------------------------------------------------------------- */

static int compare_entries(const void *a, const void *b)
{
    const tsr__pair *x = a, *y = b;
    return x->row != y->row         ? (x->row > y->row) - (x->row < y->row)
           : x->column != y->column ? (x->column > y->column) - (x->column < y->column)
           : x->order != y->order   ? (x->order > y->order) - (x->order < y->order)
                                    : (x->value > y->value) - (x->value < y->value);
}

tsr_status tsr__pairs_home(tsr__pair **pairs, int64_t *count, const tsr__share *share)
{
    tsr_status status = TSR_OK;
    tsr_team *team = share->team;
    const int ranks = tsr__team_ranks(team);
    const int64_t each = (int64_t)sizeof(tsr__pair);
    int64_t *sent = NULL, *wanted = NULL, all = 0;
    tsr__pair *out = NULL, *in = NULL;
    if (tsr__team_shares(team)) {
        TSR_NEW_ZERO(sent, ranks);
        TSR_NEW(wanted, ranks);
        TSR_NEW(out, *count);
        for (int64_t e = 0; e < *count; e++)
            sent[tsr__share_owner(share, (*pairs)[e].row)] += each;
        wanted[0] = 0; /* for a while: where the next one for each rank goes */
        for (int r = 1; r < ranks; r++)
            wanted[r] = wanted[r - 1] + sent[r - 1] / each;
        for (int64_t e = 0; e < *count; e++)
            out[wanted[tsr__share_owner(share, (*pairs)[e].row)]++] = (*pairs)[e];
        TSR_TRY(tsr__team_tell(team, wanted, sent));
        for (int r = 0; r < ranks; r++)
            all += wanted[r] / each;
        TSR_NEW(in, all);
        TSR_TRY(tsr__team_agree(team, TSR_OK));
        TSR_TRY(tsr__team_exchange(team, out, sent, in, wanted));
        tsr__free(*pairs);
        *pairs = in, in = NULL;
        *count = all;
    }
    qsort(*pairs, (size_t)*count, sizeof **pairs, compare_entries);
done:
    tsr__free(sent);
    tsr__free(wanted);
    tsr__free(out);
    tsr__free(in);
    return status;
}

/* Neighbours ------------------------------------------------------------------------------ */

typedef struct ring {
    const tsr_matrix *own;
    const tsr__share *share;
    int64_t p, *index, *found; /* own samples x p: of all; of one visitor */
    double *square, *apart;    /* likewise: distances */
    double *cosine, *work;     /* own x p; two samples */
    bool weighs;               /* cosines are wanted */
} ring;

static double cosine(double *work, const tsr_matrix *x, int64_t i, const tsr_matrix *y,
                     int64_t j)
{
    double *other = work + x->features;
    tsr_matrix_get_sample(work, x, i);
    tsr_matrix_get_sample(other, y, j);
    return tsr__cosine(work, other, x->features);
}

/* The neighbours among a visitor's join those so far; ties go to the smaller number. */
static void join_found(const ring *r, const tsr_matrix *visitor, int64_t begin, int64_t i)
{
    int64_t *index = r->index + i * r->p;
    double *square = r->square + i * r->p, *weight = r->cosine + i * r->p;
    for (int64_t a = 0; a < r->p && r->found[i * r->p + a] >= 0; a++) {
        const int64_t j = r->found[i * r->p + a];
        const double d = r->apart[i * r->p + a];
        int64_t at = r->p;
        while (at > 0 && (index[at - 1] < 0 || d < square[at - 1] ||
                          (d == square[at - 1] && begin + j < index[at - 1])))
            at--;
        if (at == r->p)
            continue;
        for (int64_t b = r->p - 1; b > at; b--)
            index[b] = index[b - 1], square[b] = square[b - 1], weight[b] = weight[b - 1];
        index[at] = begin + j, square[at] = d;
        weight[at] = r->weighs ? cosine(r->work, r->own, i, visitor, j) : 0;
    }
}

static tsr_status meet(const ring *r, const tsr_matrix *visitor, int64_t begin, int threads)
{
    TSR_OR_RETURN(tsr__nearest_samples(r->found, r->apart, r->own, visitor, r->p, threads));
    for (int64_t i = 0; i < r->own->samples; i++)
        join_found(r, visitor, begin, i);
    return TSR_OK;
}

/* A visitor goes on, and the next comes: entries[r] are those of rank r's samples. */
static tsr_status turn(tsr_matrix **visitor, const ring *r, int step, const int64_t *entries)
{
    tsr_status status = TSR_OK;
    tsr_team *team = r->share->team;
    const int ranks = team->ranks, of = (team->rank + ranks - step) % ranks,
              next = (of + ranks - 1) % ranks, to = (team->rank + 1) % ranks,
              from = (team->rank + ranks - 1) % ranks;
    const int64_t *begin = r->share->begin, rows = begin[next + 1] - begin[next];
    tsr_matrix *x = *visitor, *came = NULL;
    const int64_t size = (int64_t)tsr__type_size(x->type);
    if (x->sparse)
        TSR_TRY(tsr__matrix_create_rows(&came, rows, x->features, entries[next], x->type));
    else
        TSR_TRY(tsr_matrix_create(&came, rows, x->features, x->type));
    TSR_TRY(tsr__team_agree(team, TSR_OK));
    TSR_TRY(tsr__team_swap(team, to, x->values, entries[of] * size, from, came->values,
                           entries[next] * size));
    if (x->sparse) {
        TSR_TRY(tsr__team_swap(team, to, x->rows, (x->samples + 1) * (int64_t)sizeof *x->rows,
                               from, came->rows, (rows + 1) * (int64_t)sizeof *x->rows));
        TSR_TRY(tsr__team_swap(team, to, x->columns, entries[of] * (int64_t)sizeof *x->columns,
                               from, came->columns,
                               entries[next] * (int64_t)sizeof *x->columns));
    }
    tsr_matrix_free(x);
    *visitor = came, came = NULL;
done:
    tsr_matrix_free(came);
    return status;
}

static tsr_status go_round(const ring *r, int threads)
{
    tsr_status status = TSR_OK;
    tsr_team *team = r->share->team;
    const int ranks = tsr__team_ranks(team), rank = tsr__team_rank(team);
    int64_t *entries = NULL;
    tsr_matrix *visitor = NULL;
    TSR_TRY(meet(r, r->own, r->share->first, threads));
    if (ranks == 1)
        goto done;
    TSR_NEW(entries, ranks);
    TSR_TRY(tsr__team_counts(team, entries, tsr_matrix_stored(r->own)));
    TSR_TRY(tsr__matrix_load(&visitor, r->own, threads));
    for (int step = 0; step + 1 < ranks; step++) {
        TSR_TRY(turn(&visitor, r, step, entries));
        const int of = (rank + ranks - step - 1) % ranks;
        TSR_TRY(meet(r, visitor, r->share->begin[of], threads));
    }
done:
    tsr__free(entries);
    tsr_matrix_free(visitor);
    return status;
}

/* Edges are told to both ends, each of which keeps one of what it hears twice. */
static tsr_status list_edges(tsr__pair **out, int64_t *count, const ring *r)
{
    tsr_status status = TSR_OK;
    int64_t kept = 0, found = 0;
    tsr__pair *pairs = NULL;
    TSR_NEW(pairs, 2 * r->own->samples * r->p);
    for (int64_t i = 0; i < r->own->samples; i++)
        for (int64_t a = 0; a < r->p && r->index[i * r->p + a] >= 0; a++) {
            const int64_t one = r->share->first + i, other = r->index[i * r->p + a];
            const double d = r->square[i * r->p + a], w = r->cosine[i * r->p + a];
            pairs[found++] = (tsr__pair){one, other, 0, d, w};
            pairs[found++] = (tsr__pair){other, one, 1, d, w};
        }
    TSR_TRY(tsr__pairs_home(&pairs, &found, r->share));
    for (int64_t e = 0; e < found; e++)
        if (e == 0 || pairs[e].row != pairs[e - 1].row ||
            pairs[e].column != pairs[e - 1].column)
            pairs[kept++] = pairs[e];
    *out = pairs, pairs = NULL;
    *count = kept;
done:
    tsr__free(pairs);
    return status;
}

/* The mean of the squared distances of all edges, by the leaves of their rows. */
static tsr_status mean_square(double *out, const tsr__pair *pairs, int64_t count,
                              const tsr__share *share)
{
    tsr_status status = TSR_OK;
    double *part = NULL;
    int64_t leaf = 0;
    TSR_NEW_ZERO(part, 2 * share->leaves);
    for (int64_t e = 0; e < count; e++) {
        while (pairs[e].row - share->first >= share->leaf[leaf + 1])
            leaf++;
        part[2 * leaf] += pairs[e].value;
        part[2 * leaf + 1] += 1;
    }
    TSR_TRY(tsr__walk_total(part, share->leaves, 2, share));
    *out = part[1] > 0 ? part[0] / part[1] : 0;
done:
    tsr__free(part);
    return status;
}

static tsr_status weigh_edges(tsr_matrix **out, tsr__pair *pairs, int64_t count, const ring *r,
                              const tsr_fit_options *o)
{
    tsr_status status = TSR_OK;
    int64_t *row = NULL, *column = NULL;
    double *value = NULL, mean = 0;
    TSR_NEW(row, count);
    TSR_NEW(column, count);
    TSR_NEW(value, count);
    TSR_TRY(mean_square(&mean, pairs, count, r->share));
    const double t = o->heat > 0 ? o->heat : mean > 0 ? mean : 1;
    for (int64_t e = 0; e < count; e++) {
        row[e] = pairs[e].row - r->share->first;
        column[e] = pairs[e].column;
        value[e] = o->graph_weight == TSR_EDGE_BINARY ? 1
                   : o->graph_weight == TSR_EDGE_HEAT ? exp(-pairs[e].value / t)
                                                      : pairs[e].beside;
    }
    TSR_TRY(tsr_matrix_create_sparse(out, r->own->samples, r->share->whole, count, row, column,
                                     value, TSR_FLOAT64));
done:
    tsr__free(row);
    tsr__free(column);
    tsr__free(value);
    return status;
}

tsr_status tsr__ring_graph(tsr_matrix **out, const tsr_matrix *own, const tsr__share *share,
                           const tsr_fit_options *options)
{
    tsr_status status = TSR_OK;
    const int64_t p = options->neighbours, places = own->samples * p;
    ring r = {
        .own = own, .share = share, .p = p, .weighs = options->graph_weight == TSR_EDGE_COSINE};
    tsr__pair *pairs = NULL;
    int64_t count = 0;
    if (p >= share->whole)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "%lld neighbours exceed the %lld other samples",
                 (long long)p, (long long)share->whole - 1);
    TSR_NEW(r.index, places);
    TSR_NEW(r.found, places);
    TSR_NEW(r.square, places);
    TSR_NEW(r.apart, places);
    TSR_NEW_ZERO(r.cosine, places);
    TSR_NEW(r.work, 2 * own->features);
    for (int64_t i = 0; i < places; i++)
        r.index[i] = -1;
    TSR_TRY(go_round(&r, (int)options->threads));
    TSR_TRY(list_edges(&pairs, &count, &r));
    TSR_TRY(weigh_edges(out, pairs, count, &r, options));
done:
    tsr__free(r.index);
    tsr__free(r.found);
    tsr__free(r.square);
    tsr__free(r.apart);
    tsr__free(r.cosine);
    tsr__free(r.work);
    tsr__free(pairs);
    return status;
}

/* The halo -------------------------------------------------------------------------------- */

static int compare_rows(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Rows of others among the columns of the matrices, ascending, each once. */
static tsr_status list_strangers(int64_t **out, int64_t *count, tsr_matrix *const *pairs,
                                 int matrices, const tsr__share *rows)
{
    tsr_status status = TSR_OK;
    int64_t *list = NULL, found = 0, kept = 0, room = 0;
    for (int m = 0; m < matrices; m++)
        for (int64_t e = 0; pairs[m] != NULL && e < tsr_matrix_stored(pairs[m]); e++) {
            const int64_t column = pairs[m]->columns[e];
            if (column >= rows->first && column < rows->first + rows->count)
                continue;
            TSR_GROW(list, found, room);
            list[found++] = column;
        }
    if (found > 0)
        qsort(list, (size_t)found, sizeof *list, compare_rows);
    for (int64_t e = 0; e < found; e++)
        if (e == 0 || list[e] != list[e - 1])
            list[kept++] = list[e];
    *out = list, list = NULL;
    *count = kept;
done:
    tsr__free(list);
    return status;
}

/* Who wants which: every rank asks, and hears what it is asked for. */
static tsr_status ask(tsr__halo *halo, const int64_t *list, int64_t count,
                      const tsr__share *rows)
{
    tsr_status status = TSR_OK;
    tsr_team *team = rows->team;
    const int ranks = team->ranks;
    const int64_t each = (int64_t)sizeof *list;
    int64_t *asked = NULL, *bytes = NULL, all = 0;
    TSR_NEW_ZERO(halo->wanted, ranks);
    TSR_NEW_ZERO(halo->sent, ranks);
    TSR_NEW(asked, ranks);
    TSR_NEW(bytes, ranks);
    for (int64_t e = 0; e < count; e++)
        halo->wanted[tsr__share_owner(rows, list[e])]++;
    TSR_TRY(tsr__team_tell(team, halo->sent, halo->wanted));
    for (int r = 0; r < ranks; r++) {
        asked[r] = halo->wanted[r] * each;
        bytes[r] = halo->sent[r] * each;
        all += halo->sent[r];
    }
    TSR_NEW(halo->row, all);
    TSR_TRY(tsr__team_agree(team, TSR_OK));
    TSR_TRY(tsr__team_exchange(team, list, asked, halo->row, bytes));
    for (int64_t i = 0; i < all; i++)
        halo->row[i] -= rows->first;
done:
    tsr__free(asked);
    tsr__free(bytes);
    return status;
}

/* Columns become places in the array of codes: strangers before, own rows, strangers after. */
static void renumber(tsr_matrix *pairs, const tsr__halo *halo, const int64_t *list,
                     int64_t count, const tsr__share *rows)
{
    for (int64_t e = 0; e < tsr_matrix_stored(pairs); e++) {
        const int64_t column = pairs->columns[e];
        int64_t place = halo->before + column - rows->first;
        if (column < rows->first || column >= rows->first + rows->count) {
            const int64_t *at =
                bsearch(&column, list, (size_t)count, sizeof *list, compare_rows);
            place = at - list + (column < rows->first ? 0 : rows->count);
        }
        pairs->columns[e] = (int32_t)place;
    }
    pairs->features = halo->before + rows->count + halo->after;
}

tsr_status tsr__make_halo(tsr__halo *halo, tsr_matrix *const *pairs, int matrices,
                          const tsr__share *rows)
{
    tsr_status status = TSR_OK;
    int64_t *list = NULL, count = 0;
    bool any = false;
    for (int m = 0; m < matrices; m++)
        any = any || pairs[m] != NULL;
    if (!any || !tsr__team_shares(rows->team))
        return TSR_OK;
    TSR_TRY(list_strangers(&list, &count, pairs, matrices, rows));
    TSR_TRY(ask(halo, list, count, rows));
    while (halo->before < count && list[halo->before] < rows->first)
        halo->before++;
    halo->after = count - halo->before;
    for (int m = 0; m < matrices; m++)
        if (pairs[m] != NULL)
            renumber(pairs[m], halo, list, count, rows);
done:
    tsr__free(list);
    return status;
}
