/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Coordinate descent under squares, for one element type and one instruction set; the build
 * compiles this file once for each, as it does kernels.c.
 *
 * Within a row each coordinate waits for the one before it, so the rows are what runs side by
 * side: a tile of them lies coordinate by coordinate, one row a lane, and a step of coordinate
 * j is a product of row j of Q with the tile: 2 k operations a row, of which a value of Q serves
 * WIDE registers. The tile stays in the first-level cache through all sweeps. */
#include "matrix/descent.h"

#include "matrix/register.h"

/* Registers of a coordinate, and sums of each that hide the latency of a multiply-add: eight in
 * all, beside which the tile's and one of Q fit in. */
#if BYTES == 64
enum { WIDE = 2, SIDE = 4 };
#else
enum { WIDE = 4, SIDE = 2 };
#endif
enum { ROWS = WIDE * LANES };

/* Rows of a tile side by side. */
typedef struct tile {
    lanes *g;            /* k x WIDE: the rows */
    lanes *c, *bend;     /* k x WIDE: constant part of the gradient, and its growth */
    lanes *step;         /* k x WIDE: one over the curvature; 0: it is next to none, and the
                          * coordinate stays */
    const lanes *weight; /* WIDE: twice the weight of each row */
    const real *inverse; /* k: 1 / Q_jj where nothing bends */
} tile;

/* A square of LANES rows and columns, from rows k apart to rows ROWS apart or back. */
INLINE void turn_square(real *to, int64_t to_stride, const real *from, int64_t stride)
{
    lanes square[LANES];
    UNROLLED
    for (int i = 0; i < LANES; i++)
        square[i] = *(const loose *)(from + i * stride);
    turn_tile(square);
    UNROLLED
    for (int i = 0; i < LANES; i++)
        *(loose *)(to + i * to_stride) = square[i];
}

/* to (k x ROWS) = rows (of k), the last ones repeated as zeros. */
static void gather(lanes *to, const real *from, int64_t rows, int64_t k)
{
    real *t = (real *)to;
    int64_t j = 0;
    for (; rows == ROWS && j + LANES <= k; j += LANES)
        for (int64_t i = 0; i < ROWS; i += LANES)
            turn_square(t + j * ROWS + i, ROWS, from + i * k + j, k);
    for (; j < k; j++)
        for (int64_t i = 0; i < ROWS; i++)
            t[j * ROWS + i] = i < rows ? from[i * k + j] : 0;
}

static void scatter(real *to, const lanes *from, int64_t rows, int64_t k)
{
    const real *f = (const real *)from;
    int64_t j = 0;
    for (; rows == ROWS && j + LANES <= k; j += LANES)
        for (int64_t i = 0; i < ROWS; i += LANES)
            turn_square(to + i * k + j, k, f + j * ROWS + i, ROWS);
    for (; j < k; j++)
        for (int64_t i = 0; i < rows; i++)
            to[i * k + j] = f[j * ROWS + i];
}

/* out = row of Q times the tile. */
INLINE void times(lanes *out, const real *restrict q, const lanes *restrict g, int64_t k)
{
    lanes sum[SIDE][WIDE];
    int64_t l = 0;
    UNROLLED
    for (int i = 0; i < SIDE; i++) {
        UNROLLED
        for (int v = 0; v < WIDE; v++)
            sum[i][v] = (lanes){0};
    }
    for (; l + SIDE <= k; l += SIDE) {
        UNROLLED
        for (int i = 0; i < SIDE; i++) {
            UNROLLED
            for (int v = 0; v < WIDE; v++)
                sum[i][v] += q[l + i] * g[(l + i) * WIDE + v];
        }
    }
    for (; l < k; l++) {
        UNROLLED
        for (int v = 0; v < WIDE; v++)
            sum[0][v] += q[l] * g[l * WIDE + v];
    }
    UNROLLED
    for (int v = 0; v < WIDE; v++)
        out[v] = SIDE == 4 ? (sum[0][v] + sum[1][v]) + (sum[2][v] + sum[SIDE - 1][v])
                           : sum[0][v] + sum[1][v];
}

static void sweep_plain(const tile *t, const real *gram, int64_t k)
{
    const lanes zero = {0};
    for (int64_t j = 0; j < k; j++) {
        lanes q[WIDE];
        if (!(t->inverse[j] > 0))
            continue;
        times(q, gram + j * k, t->g, k);
        UNROLLED
        for (int v = 0; v < WIDE; v++) {
            const lanes next = t->g[WIDE * j + v] - (q[v] - t->c[WIDE * j + v]) * t->inverse[j];
            larger(&t->g[WIDE * j + v], &next, &zero);
        }
    }
}

static void sweep_bent(const tile *t, const real *gram, int64_t k)
{
    const lanes zero = {0};
    for (int64_t j = 0; j < k; j++) {
        lanes q[WIDE];
        times(q, gram + j * k, t->g, k);
        UNROLLED
        for (int v = 0; v < WIDE; v++) {
            const int64_t at = WIDE * j + v;
            const lanes g = t->g[at], slope = t->weight[v] * q[v] + t->c[at] + t->bend[at] * g,
                        next = g - slope * t->step[at];
            larger(&t->g[at], &next, &zero);
        }
    }
}

/* c = slope - 2 weight p - bend g0, where either may be missing. */
static void bend_tile(tile *t, const tsr__descent *d, int64_t first, int64_t rows)
{
    const int64_t k = d->k, at = first * k;
    real *weight = (real *)(uintptr_t)t->weight;
    const real *gram = d->gram, *w = d->weight != NULL ? (const real *)d->weight + first : NULL;
    for (int64_t i = 0; i < ROWS; i++)
        weight[i] = w != NULL && i < rows ? 2 * w[i] : 2;
    gather(t->c, (const real *)d->projection + at, rows, k);
    if (d->slope != NULL)
        gather(t->step, (const real *)d->slope + at, rows, k);
    else
        memset(t->step, 0, (size_t)(k * WIDE) * sizeof *t->step);
    if (d->bend != NULL)
        gather(t->bend, (const real *)d->bend + at, rows, k);
    else
        memset(t->bend, 0, (size_t)(k * WIDE) * sizeof *t->bend);
    for (int64_t j = 0; j < k; j++)
        for (int v = 0; v < WIDE; v++) {
            const int64_t e = WIDE * j + v;
            const lanes curve = t->weight[v] * gram[j * k + j] + t->bend[e];
            const mask bends = (mask)(curve > tiny);
            t->c[e] = t->step[e] - t->weight[v] * t->c[e] - t->bend[e] * t->g[e];
            t->step[e] = (lanes)((mask)(1 / curve) & bends);
        }
}

void KERNEL(tsr__squares_)(const tsr__descent *d);
void KERNEL(tsr__squares_)(const tsr__descent *d)
{
    const int64_t k = d->k;
    const real *gram = d->gram;
    lanes *room = d->work;
    real *inverse = (real *)(room + 4 * WIDE * k + WIDE);
    const bool bent = d->weight != NULL || d->slope != NULL;
    tile t = {
        room,   room + WIDE * k, room + 2 * WIDE * k, room + 3 * WIDE * k, room + 4 * WIDE * k,
        inverse};
    for (int64_t j = 0; j < k; j++)
        inverse[j] = gram[j * k + j] > tiny ? 1 / gram[j * k + j] : 0;
    for (int64_t first = 0; first < d->rows; first += ROWS) {
        const int64_t rows = d->rows - first < ROWS ? d->rows - first : ROWS;
        real *theta = (real *)d->theta + first * k;
        gather(t.g, theta, rows, k);
        if (bent)
            bend_tile(&t, d, first, rows);
        else
            gather(t.c, (const real *)d->projection + first * k, rows, k);
        for (int sweep = 0; sweep < d->sweeps; sweep++)
            (bent ? sweep_bent : sweep_plain)(&t, gram, k);
        scatter(theta, t.g, rows, k);
    }
}

/* A row against a Q of its own ------------------------------------------------------------ */

/* slope += by row j of Q. */
static inline void climb(lanes *slope, const tsr__descent *d, int64_t j, real by)
{
    const int64_t vectors = tsr__padded(d->k) / LANES;
    const lanes *q = (const lanes *)d->gram + j * vectors;
    for (int64_t v = 0; v < vectors; v++)
        slope[v] += by * q[v];
}

/* The slope is kept up to date, one row of Q for each coordinate that moves: the coordinates of
 * one row wait for each other, and only what follows a step runs side by side. */
void KERNEL(tsr__square_)(const tsr__descent *d);
void KERNEL(tsr__square_)(const tsr__descent *d)
{
    const int64_t k = d->k, stride = tsr__padded(k);
    const real *p = d->projection, *gram = d->gram, *rise = d->slope, *bends = d->bend;
    const real weight = 2 * (d->weight != NULL ? *(const real *)d->weight : 1);
    real *g = d->theta, *slope = d->work;
    for (int64_t j = 0; j < stride; j++)
        slope[j] = j < k ? (rise != NULL ? rise[j] : 0) - weight * p[j] : 0;
    for (int64_t j = 0; j < k; j++)
        climb(d->work, d, j, weight * g[j]);
    for (int sweep = 0; sweep < d->sweeps; sweep++)
        for (int64_t j = 0; j < k; j++) {
            const real bend = bends != NULL ? bends[j] : 0;
            const real curve = weight * gram[j * stride + j] + bend;
            real step = curve > tiny ? -slope[j] / curve : 0;
            step = step > -g[j] ? step : -g[j];
            if (step == 0)
                continue;
            g[j] += step;
            climb(d->work, d, j, weight * step);
            slope[j] += bend * step;
        }
}
