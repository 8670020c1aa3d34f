/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Entries to sparse rows. Rows are dealt to threads in blocks of about equal numbers of
 * entries; each thread looks at all entries and takes those of its block, so that a row has its
 * entries in the order of the file whatever the number of threads. */
#include "io/entries.h"

#include "matrix/parallel.h"

#include <string.h>

enum { SHORT_ROW = 24, SHORT_RUN = 8, MOST_BLOCKS = 16 }; /* every block looks at all entries */

/* Room to sort a row in. */
typedef struct room {
    uint64_t *key, *other; /* column in the high half, place in the row in the low half */
    double *value;
} room;

typedef struct build {
    const tsr__entries *from; /* entries to be dealt; NULL: they are in their rows already */
    int64_t *rows, *next;
    int32_t *columns;
    double *values;
    int64_t *first; /* of each block, its first row; blocks + 1 of them */
    room *rooms;    /* one a block */
} build;

void tsr__entries_clear(tsr__entries *entries)
{
    tsr__free(entries->row);
    tsr__free(entries->column);
    tsr__free(entries->value);
    *entries = (tsr__entries){0};
}

/* Row pointers; true when the entries stand row by row already. */
static bool count_rows(int64_t *rows, int64_t count, const tsr__entries *e)
{
    bool sorted = e->mirror == 0;
    for (int64_t k = 0; k < e->count; k++) {
        sorted = sorted && (k == 0 || e->row[k - 1] <= e->row[k]);
        rows[e->row[k] + 1]++;
        if (e->mirror != 0 && e->row[k] != e->column[k])
            rows[e->column[k] + 1]++;
    }
    for (int64_t i = 0; i < count; i++)
        rows[i + 1] += rows[i];
    return sorted;
}

static void deal(const build *b, int64_t from, int64_t to)
{
    const tsr__entries *e = b->from;
    for (int64_t k = 0; k < e->count; k++) {
        const int64_t i = e->row[k], j = e->column[k];
        if (i >= from && i < to) {
            const int64_t place = b->next[i]++;
            b->columns[place] = (int32_t)j;
            b->values[place] = e->value[k];
        }
        if (e->mirror != 0 && i != j && j >= from && j < to) {
            const int64_t place = b->next[j]++;
            b->columns[place] = (int32_t)i;
            b->values[place] = e->mirror * e->value[k];
        }
    }
}

static void insert_sort(int32_t *column, double *value, int64_t count)
{
    for (int64_t i = 1; i < count; i++) {
        const int32_t c = column[i];
        const double v = value[i];
        int64_t j = i;
        for (; j > 0 && column[j - 1] > c; j--) {
            column[j] = column[j - 1];
            value[j] = value[j - 1];
        }
        column[j] = c;
        value[j] = v;
    }
}

/* Merges runs of `width` keys from one array to the other. */
static void merge_runs(uint64_t *to, const uint64_t *from, int64_t count, int64_t width)
{
    for (int64_t start = 0; start < count; start += 2 * width) {
        const int64_t middle = start + width < count ? start + width : count;
        const int64_t end = middle + width < count ? middle + width : count;
        int64_t a = start, b = middle;
        for (int64_t k = start; k < end; k++) {
            const bool left = b == end || (a < middle && from[a] < from[b]);
            to[k] = left ? from[a] : from[b];
            a += left;
            b += !left;
        }
    }
}

/* Short runs are sorted by insertion as their keys are made, then merged. */
static void merge_sort(room *r, int32_t *column, double *value, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        const uint64_t key = (uint64_t)column[i] << 32 | (uint64_t)i;
        int64_t j = i;
        for (; j % SHORT_RUN > 0 && r->key[j - 1] > key; j--)
            r->key[j] = r->key[j - 1];
        r->key[j] = key;
    }
    for (int64_t width = SHORT_RUN; width < count; width *= 2) {
        merge_runs(r->other, r->key, count, width);
        uint64_t *const swapped = r->key;
        r->key = r->other, r->other = swapped;
    }
    memcpy(r->value, value, (size_t)count * sizeof *value);
    for (int64_t i = 0; i < count; i++) {
        column[i] = (int32_t)(r->key[i] >> 32);
        value[i] = r->value[r->key[i] & UINT32_MAX];
    }
}

static bool descends(const int32_t *column, int64_t count)
{
    for (int64_t i = 1; i < count; i++)
        if (column[i] < column[i - 1])
            return true;
    return false;
}

static void build_block(void *context, int64_t block, int thread)
{
    const build *b = context;
    const int64_t from = b->first[block], to = b->first[block + 1];
    (void)thread;
    if (b->from != NULL)
        deal(b, from, to);
    for (int64_t i = from; i < to; i++) {
        int32_t *column = b->columns + b->rows[i];
        double *value = b->values + b->rows[i];
        const int64_t count = b->rows[i + 1] - b->rows[i];
        if (!descends(column, count))
            continue;
        if (count <= SHORT_ROW)
            insert_sort(column, value, count);
        else if (count <= UINT32_MAX)
            merge_sort(&b->rooms[block], column, value, count);
    }
}

/* Cuts the rows into blocks; returns the length of the longest row. */
static int64_t cut_blocks(int64_t *first, int blocks, const int64_t *rows, int64_t count)
{
    int64_t longest = 0, block = 1;
    first[0] = 0;
    for (int64_t i = 0; i < count; i++) {
        const int64_t length = rows[i + 1] - rows[i];
        longest = length > longest ? length : longest;
        for (; block < blocks && rows[i + 1] / block >= rows[count] / blocks; block++)
            first[block] = i + 1;
    }
    for (; block <= blocks; block++)
        first[block] = count;
    return longest;
}

static tsr_status run_blocks(build *b, int64_t rows, int64_t threads)
{
    tsr_status status = TSR_OK;
    const int wanted = tsr__threads(threads, rows);
    const int blocks = wanted < MOST_BLOCKS ? wanted : MOST_BLOCKS;
    TSR_NEW(b->first, blocks + 1);
    TSR_NEW_ZERO(b->rooms, blocks);
    const int64_t longest = cut_blocks(b->first, blocks, b->rows, rows);
    for (int i = 0; longest > SHORT_ROW && i < blocks; i++) {
        TSR_NEW(b->rooms[i].key, longest);
        TSR_NEW(b->rooms[i].other, longest);
        TSR_NEW(b->rooms[i].value, longest);
    }
    tsr__parallel(blocks, blocks, build_block, b);
done:
    for (int i = 0; b->rooms != NULL && i < blocks; i++) {
        tsr__free(b->rooms[i].key);
        tsr__free(b->rooms[i].other);
        tsr__free(b->rooms[i].value);
    }
    tsr__free(b->rooms);
    tsr__free(b->first);
    return status;
}

tsr_status tsr__entries_to_matrix(tsr_matrix **out, tsr__entries *entries, int64_t rows,
                                  int64_t columns, int64_t threads)
{
    tsr_status status = TSR_OK;
    build b = {.from = entries};
    TSR_NEW_ZERO(b.rows, rows + 1);
    if (count_rows(b.rows, rows, entries)) {
        b.from = NULL;
        b.columns = entries->column, entries->column = NULL;
        b.values = entries->value, entries->value = NULL;
    } else {
        TSR_NEW(b.next, rows + 1);
        TSR_NEW(b.columns, b.rows[rows]);
        TSR_NEW(b.values, b.rows[rows]);
        memcpy(b.next, b.rows, (size_t)(rows + 1) * sizeof *b.next);
    }
    TSR_TRY(run_blocks(&b, rows, threads));
    tsr__entries_clear(entries);
    TSR_TRY(tsr__sparse_tidy(rows, b.rows, b.columns, b.values, TSR_FLOAT64));
    TSR_TRY(
        tsr__matrix_take_sparse(out, b.rows, b.columns, b.values, rows, columns, TSR_FLOAT64));
    b.rows = NULL, b.columns = NULL, b.values = NULL;
done:
    tsr__free(b.rows);
    tsr__free(b.next);
    tsr__free(b.columns);
    tsr__free(b.values);
    return status;
}
