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
#include "matrix/vector.h"

enum { MOST = 5, AHEAD = 16 };

INLINE const loose *row_of(const tsr__gather *x, int64_t entry, int64_t first)
{
    return (const loose *)((const real *)x->factor + x->columns[entry] * x->k + first);
}

/* All bits for the lanes of the last vector that belong to a row of k. */
INLINE void tail_of(mask *out, int64_t k)
{
    for (int l = 0; l < LANES; l++)
        (*out)[l] = (k - 1) / LANES * LANES + l < k ? -1 : 0;
}

/* Asks for the row of an entry that comes later. */
INLINE void ask(const tsr__gather *x, int64_t entry, int64_t last, int64_t first, int vectors)
{
    if (entry + AHEAD < last)
        for (int v = 0; v < vectors; v++)
            __builtin_prefetch(row_of(x, entry + AHEAD, first) + v);
}

/* out += the rows of some entries, times r: as many columns from `first` on as `vectors` hold.
 */
INLINE void add_rows_part(real *out, const tsr__gather *x, int64_t from, int64_t count,
                          const real *r, int64_t first, const int vectors)
{
    const int64_t last = x->rows[x->samples];
    const int64_t left = x->k - first, width = left < MOST * LANES ? left : MOST * LANES;
    lanes sum[MOST] = {{0}};
    memcpy(sum, out + first, (size_t)width * sizeof *out);
    for (int64_t e = 0; e < count; e++) {
        const loose *f = row_of(x, from + e, first);
        ask(x, from + e, last, first, vectors);
        for (int v = 0; v < vectors; v++)
            sum[v] += r[e] * f[v];
    }
    memcpy(out + first, sum, (size_t)width * sizeof *out);
}

static void add_rows(real *out, const tsr__gather *x, int64_t from, int64_t count,
                     const real *r)
{
    for (int64_t first = 0; first < x->k; first += MOST * LANES) {
        const int64_t vectors = (x->k - first + LANES - 1) / LANES;
        if (vectors == 1)
            add_rows_part(out, x, from, count, r, first, 1);
        else if (vectors == 2)
            add_rows_part(out, x, from, count, r, first, 2);
        else if (vectors == 3)
            add_rows_part(out, x, from, count, r, first, 3);
        else if (vectors == 4)
            add_rows_part(out, x, from, count, r, first, 4);
        else
            add_rows_part(out, x, from, count, r, first, MOST);
    }
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

/* y of some entries: codes times the rows they point at. */
INLINE void reconstruct_part(real *y, const tsr__gather *x, int64_t from, int64_t count,
                             const lanes *g, const int vectors)
{
    const int64_t last = x->rows[x->samples];
    mask inside;
    tail_of(&inside, x->k);
    for (int64_t e = 0; e < count; e++) {
        const loose *f = row_of(x, from + e, 0);
        ask(x, from + e, last, 0, vectors);
        lanes sum = g[vectors - 1] * (lanes)((mask)f[vectors - 1] & inside);
        for (int v = 0; v < vectors - 1; v++)
            sum += g[v] * f[v];
        y[e] = total(&sum);
    }
}

static void reconstruct_wide(real *y, const tsr__gather *x, int64_t from, int64_t count,
                             const real *g)
{
    for (int64_t e = 0; e < count; e++) {
        const real *f = (const real *)x->factor + x->columns[from + e] * x->k;
        real part[LANES] = {0};
        int64_t j = 0;
        y[e] = 0;
        for (; j + LANES <= x->k; j += LANES)
            for (int l = 0; l < LANES; l++)
                part[l] += g[j + l] * f[j + l];
        for (; j < x->k; j++)
            y[e] += g[j] * f[j];
        for (int l = 0; l < LANES; l++)
            y[e] += part[l];
    }
}

static void reconstruct(real *y, const tsr__gather *x, int64_t from, int64_t count,
                        const real *codes)
{
    const int64_t vectors = (x->k + LANES - 1) / LANES;
    lanes g[MOST] = {{0}};
    if (vectors > MOST) {
        reconstruct_wide(y, x, from, count, codes);
        return;
    }
    memcpy(g, codes, (size_t)x->k * sizeof *codes);
    if (vectors == 1)
        reconstruct_part(y, x, from, count, g, 1);
    else if (vectors == 2)
        reconstruct_part(y, x, from, count, g, 2);
    else if (vectors == 3)
        reconstruct_part(y, x, from, count, g, 3);
    else if (vectors == 4)
        reconstruct_part(y, x, from, count, g, 4);
    else
        reconstruct_part(y, x, from, count, g, MOST);
}

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
        real y[RUN];
        reconstruct(y, x, from, count, g);
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

extern const tsr__gathers KERNEL(tsr__gathers_);
const tsr__gathers KERNEL(tsr__gathers_) = {
    .project = project, .collect = collect, .spread = spread, .ratio = ratio};
