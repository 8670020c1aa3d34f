/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The kernels of sparse rows for one element type and one instruction set; the build compiles
 * this file once for each, as it does kernels.c.
 *
 * The rows of the factor that a sample's entries point at lie anywhere: they are asked for a
 * few entries ahead, and what is summed over them stays in registers, for up to MOST vectors at
 * a time. */
#include "matrix/gather.h"

#include "matrix/logarithm.h"
#include "matrix/register.h"

/* LINE: vectors in a line of the cache. */
enum { MOST = 8, AHEAD = 16, LINE = 64 / BYTES };

INLINE const loose *row_of(const tsr__gather *x, int64_t entry, int64_t first)
{
    return (const loose *)((const real *)x->factor + x->columns[entry] * x->k + first);
}

/* Asks for the row of an entry that comes later. */
INLINE void ask(const tsr__gather *x, int64_t entry, int64_t last, int64_t first, int vectors)
{
    if (entry + AHEAD < last)
        for (int v = 0; v < vectors; v += LINE)
            __builtin_prefetch(row_of(x, entry + AHEAD, first) + v);
}

/* All bits for the lanes of a vector from column `first` on that belong to a row of k. */
INLINE void inside_of(mask *out, int64_t first, int64_t k)
{
    for (int l = 0; l < LANES; l++)
        (*out)[l] = first + l < k ? -1 : 0;
}

/* Some entries of a row, and as many columns of the factor from `first` on as a run holds. */
typedef struct run {
    const tsr__gather *x;
    int64_t from, count, first;
    const int64_t *leaf; /* of sums by leaves */
} run;

INLINE int64_t width_of(const run *n)
{
    const int64_t left = n->x->k - n->first;
    return left < MOST * LANES ? left : MOST * LANES;
}

/* out += the rows of the entries, times r. */
INLINE void add_part(real *out, const run *n, const real *r, const int vectors)
{
    const int64_t last = n->x->rows[n->x->samples];
    const int64_t width = width_of(n);
    lanes sum[MOST] = {{0}};
    memcpy(sum, out + n->first, (size_t)width * sizeof *out);
    for (int64_t e = 0; e < n->count; e++) {
        const loose *f = row_of(n->x, n->from + e, n->first);
        ask(n->x, n->from + e, last, n->first, vectors);
        UNROLLED
        for (int v = 0; v < vectors; v++)
            sum[v] += r[e] * f[v];
    }
    memcpy(out + n->first, sum, (size_t)width * sizeof *out);
}

/* y += g times the rows of the entries. Sums of as many entries as a vector has lanes are
 * turned, so that they add up side by side. */
INLINE void reconstruct_part(real *y, const run *n, const real *g, const int vectors)
{
    const int64_t last = n->x->rows[n->x->samples];
    lanes code[MOST] = {{0}};
    mask inside;
    inside_of(&inside, n->first + (vectors - 1) * LANES, n->x->k);
    memcpy(code, g + n->first, (size_t)width_of(n) * sizeof *g);
    for (int64_t e = 0; e < n->count; e += LANES) {
        lanes tile[LANES] = {{0}}, sum = *(const loose *)(y + e);
        UNROLLED
        for (int i = 0; i < LANES; i++) {
            const int64_t at = n->from + (e + i < n->count ? e + i : e);
            const loose *f = row_of(n->x, at, n->first);
            ask(n->x, at, last, n->first, vectors);
            tile[i] = code[vectors - 1] * (lanes)((mask)f[vectors - 1] & inside);
            UNROLLED
            for (int v = 0; v < vectors - 1; v++)
                tile[i] += code[v] * f[v];
        }
        turn_tile(tile);
        UNROLLED
        for (int i = 0; i < LANES; i++)
            sum += tile[i];
        *(loose *)(y + e) = sum;
    }
}

/* Where two leaves' sums meet in the tree. */
INLINE int level_of(int64_t one, int64_t other)
{
    return one == other ? 0 : 64 - __builtin_clzll((unsigned long long)(one ^ other));
}

/* Sums of the leaves of a row that are not joined yet. */
typedef struct open_leaves {
    int64_t leaf[TSR_LEAF_ROOM];
    int count;
} open_leaves;

/* True while the last two join before leaf l comes. */
INLINE bool joins(const open_leaves *open, int64_t l)
{
    const int64_t *leaf = open->leaf;
    const int count = open->count;
    return count > 1 &&
           (l < 0 || level_of(leaf[count - 2], leaf[count - 1]) < level_of(leaf[count - 1], l));
}

/* out = the sums of a row's leaves as they join: as sum_row, in registers. */
INLINE void leaves_part(real *out, const run *n, const int vectors)
{
    const int64_t last = n->x->rows[n->x->samples], stop = n->from + n->count;
    const int32_t *columns = n->x->columns;
    const real *values = n->x->values;
    lanes sum[TSR_LEAF_ROOM][MOST];
    open_leaves open = {.count = 0};
    for (int64_t e = n->from, l = 0; e < stop;) {
        lanes own[MOST] = {{0}};
        while (columns[e] >= n->leaf[l + 1])
            l++;
        for (const int64_t end = n->leaf[l + 1]; e < stop && columns[e] < end; e++) {
            const loose *f = row_of(n->x, e, n->first);
            ask(n->x, e, last, n->first, vectors);
            UNROLLED
            for (int v = 0; v < vectors; v++)
                own[v] += values[e] * f[v];
        }
        for (; joins(&open, l); open.count--)
            for (int v = 0; v < vectors; v++)
                sum[open.count - 2][v] += sum[open.count - 1][v];
        for (int v = 0; v < vectors; v++)
            sum[open.count][v] = own[v];
        open.leaf[open.count++] = l;
    }
    for (; joins(&open, -1); open.count--)
        for (int v = 0; v < vectors; v++)
            sum[open.count - 2][v] += sum[open.count - 1][v];
    if (open.count > 0)
        memcpy(out + n->first, sum[0], (size_t)width_of(n) * sizeof *out);
    else
        memset(out + n->first, 0, (size_t)width_of(n) * sizeof *out);
}

/* One function for each number of vectors, whose sums are registers. */
#define PART(vectors)                                                                          \
    static void add_##vectors(real *out, const run *n, const real *r)                          \
    {                                                                                          \
        add_part(out, n, r, vectors);                                                          \
    }                                                                                          \
    static void reconstruct_##vectors(real *y, const run *n, const real *g)                    \
    {                                                                                          \
        reconstruct_part(y, n, g, vectors);                                                    \
    }                                                                                          \
    static void leaves_##vectors(real *out, const run *n, const real *none)                    \
    {                                                                                          \
        (void)none;                                                                            \
        leaves_part(out, n, vectors);                                                          \
    }
PART(1)
PART(2)
PART(3)
PART(4)
PART(5)
PART(6)
PART(7)
PART(8)

typedef void (*part)(real *out, const run *n, const real *by);
static const part adds[MOST] = {add_1, add_2, add_3, add_4, add_5, add_6, add_7, add_8};
static const part reconstructs[MOST] = {reconstruct_1, reconstruct_2, reconstruct_3,
                                        reconstruct_4, reconstruct_5, reconstruct_6,
                                        reconstruct_7, reconstruct_8};

static const part leaf_parts[MOST] = {leaves_1, leaves_2, leaves_3, leaves_4,
                                      leaves_5, leaves_6, leaves_7, leaves_8};

static void in_parts(const part *parts, real *out, const tsr__gather *x, int64_t from,
                     int64_t count, const real *by, const int64_t *leaf)
{
    run n = {.x = x, .from = from, .count = count, .leaf = leaf};
    for (; n.first < x->k; n.first += MOST * LANES) {
        const int64_t vectors = (x->k - n.first + LANES - 1) / LANES;
        parts[(vectors < MOST ? vectors : MOST) - 1](out, &n, by);
    }
}

static void add_rows(real *out, const tsr__gather *x, int64_t from, int64_t count,
                     const real *r)
{
    in_parts(adds, out, x, from, count, r, NULL);
}

static void project(void *out, const tsr__gather *x)
{
    memset(out, 0, (size_t)(x->samples * x->k) * sizeof(real));
    for (int64_t i = 0; i < x->samples; i++)
        add_rows((real *)out + i * x->k, x, x->rows[i], x->rows[i + 1] - x->rows[i],
                 (const real *)x->values + x->rows[i]);
}

static void collect(double *sum, const tsr__gather *x)
{
    const real *values = x->values;
    for (int64_t i = 0; i < x->samples; i++) {
        const real *restrict g = (const real *)x->factor + i * x->k;
        for (int64_t entry = x->rows[i]; entry < x->rows[i + 1]; entry++) {
            double *restrict to = sum + x->columns[entry] * x->k;
            for (int64_t j = 0; j < x->k; j++)
                to[j] += (double)(values[entry] * g[j]);
        }
    }
}

/* Floats: entry by entry, in doubles. */
static void add_leaf(double *sum, const tsr__gather *x, int64_t from, int64_t end)
{
    const real *values = x->values;
    memset(sum, 0, (size_t)x->k * sizeof *sum);
    for (int64_t e = from; e < end; e++) {
        const real *restrict g = (const real *)x->factor + x->columns[e] * x->k;
        for (int64_t j = 0; j < x->k; j++)
            sum[j] += (double)(values[e] * g[j]);
    }
}

static void join_last(double *room, open_leaves *open, int64_t k)
{
    open->count--;
    for (int64_t j = 0; j < k; j++)
        room[(open->count - 1) * k + j] += room[open->count * k + j];
}

static void sum_row(double *out, const tsr__gather *x, int64_t i, const int64_t *leaf,
                    double *room)
{
    open_leaves open = {.count = 0};
    for (int64_t at = x->rows[i], l = 0; at < x->rows[i + 1];) {
        int64_t end = at;
        while (x->columns[at] >= leaf[l + 1])
            l++;
        while (end < x->rows[i + 1] && x->columns[end] < leaf[l + 1])
            end++;
        while (joins(&open, l))
            join_last(room, &open, x->k);
        add_leaf(room + open.count * x->k, x, at, end);
        open.leaf[open.count++] = l;
        at = end;
    }
    while (joins(&open, -1))
        join_last(room, &open, x->k);
    if (open.count > 0)
        memcpy(out, room, (size_t)x->k * sizeof *out);
    else
        memset(out, 0, (size_t)x->k * sizeof *out);
}

/* Leaves without entries add nothing and are left out; a sum is joined with the one before it as soon
 * as no later leaf comes between them. */
static void sum_leaves(double *out, const tsr__gather *x, const int64_t *leaf, double *room)
{
    for (int64_t i = 0; i < x->samples; i++) {
        if (sizeof(real) == sizeof(double))
            in_parts(leaf_parts, (real *)(void *)(out + i * x->k), x, x->rows[i],
                     x->rows[i + 1] - x->rows[i], NULL, leaf);
        else
            sum_row(out + i * x->k, x, i, leaf, room);
    }
}

static void spread(void *sum, const tsr__gather *x)
{
    const real *values = x->values;
    for (int64_t i = 0; i < x->samples; i++) {
        const real *restrict g = (const real *)x->factor + i * x->k;
        for (int64_t entry = x->rows[i]; entry < x->rows[i + 1]; entry++) {
            real *restrict to = (real *)sum + x->columns[entry] * x->k;
            for (int64_t j = 0; j < x->k; j++)
                to[j] += values[entry] * g[j];
        }
    }
}

enum { RUN = 64 }; /* entries that pass through the steps of a ratio together */

/* y becomes x / y; returns sum x log(x / y) - x. */
static double divide(real *y, const real *values, int64_t count, bool value)
{
    for (int64_t e = 0; e < count; e++) {
        const real r = values[e] / (y[e] > tiny ? y[e] : tiny);
        y[e] = r < largest ? r : largest;
    }
    return value ? weigh_logarithms(values, y, count, 1) : 0;
}

static double ratio_row(real *out, const tsr__gather *x, int64_t i, const real *g, bool value)
{
    double sum = 0;
    for (int64_t from = x->rows[i]; from < x->rows[i + 1]; from += RUN) {
        const int64_t left = x->rows[i + 1] - from, count = left < RUN ? left : RUN;
        real y[RUN] = {0};
        in_parts(reconstructs, y, x, from, count, g, NULL);
        sum += divide(y, (const real *)x->values + from, count, value);
        if (out != NULL)
            add_rows(out, x, from, count, y);
    }
    return sum;
}

static double ratio(void *out, const tsr__gather *x, const void *codes, bool value)
{
    double sum = 0;
    if (out != NULL)
        memset(out, 0, (size_t)(x->samples * x->k) * sizeof(real));
    for (int64_t i = 0; i < x->samples; i++)
        sum += ratio_row(out != NULL ? (real *)out + i * x->k : NULL, x, i,
                         (const real *)codes + i * x->k, value);
    return sum;
}

static double deal(double *sum, const tsr__gather *x, const void *codes, double weight)
{
    double value = 0;
    for (int64_t i = 0; i < x->samples; i++) {
        const real *restrict g = (const real *)codes + i * x->k;
        for (int64_t from = x->rows[i]; from < x->rows[i + 1]; from += RUN) {
            const int64_t left = x->rows[i + 1] - from, count = left < RUN ? left : RUN;
            real y[RUN] = {0};
            in_parts(reconstructs, y, x, from, count, g, NULL);
            value += divide(y, (const real *)x->values + from, count, true);
            for (int64_t e = 0; e < count; e++) {
                double *restrict to = sum + x->columns[from + e] * x->k;
                const real by = y[e] * (real)weight;
                for (int64_t j = 0; j < x->k; j++)
                    to[j] += (double)(by * g[j]);
            }
        }
    }
    return value;
}

extern const tsr__gathers KERNEL(tsr__gathers_);
const tsr__gathers KERNEL(tsr__gathers_) = {.project = project,
                                            .collect = collect,
                                            .leaves = sum_leaves,
                                            .spread = spread,
                                            .ratio = ratio,
                                            .deal = deal};
