/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The kernels of coordinate descent for one element type and one instruction set; the build
 * compiles this file once for each, as it does kernels.c.
 *
 * Within a row each coordinate waits for the one before it, so the rows are what runs side by
 * side: a tile of them lies coordinate by coordinate, one row a lane, and a step of coordinate
 * j is a product of row j of Q with the tile. The tile stays in the first-level cache through
 * all sweeps. */
#include "matrix/descent.h"

#include "matrix/vector.h"

enum { PAIR = 2 * LANES };

/* Rows of a tile side by side: two vectors a coordinate. */
typedef struct tile {
    lanes *g;            /* k x 2: the rows */
    lanes *c, *bend;     /* k x 2: constant part of the gradient, and its growth */
    lanes *step;         /* k x 2: one over the curvature; 0: the coordinate stays */
    const lanes *weight; /* 2: twice the weight of each row */
    const real *inverse; /* k: 1 / Q_jj where nothing bends */
} tile;

/* to (k x PAIR) = rows (of k), the last ones repeated as zeros. */
static void gather(lanes *to, const real *from, int64_t rows, int64_t k)
{
    real *t = (real *)to;
    for (int64_t j = 0; j < k; j++)
        for (int64_t i = 0; i < PAIR; i++)
            t[j * PAIR + i] = i < rows ? from[i * k + j] : 0;
}

static void scatter(real *to, const lanes *from, int64_t rows, int64_t k)
{
    const real *f = (const real *)from;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < k; j++)
            to[i * k + j] = f[j * PAIR + i];
}

static inline void positive_part(lanes *v)
{
    *v = (lanes)((mask)*v & (mask)(*v > (real)0));
}

/* out = row of Q times the tile; four sums at a time hide the latency of a multiply-add. */
static inline void times(lanes out[2], const real *restrict q, const lanes *restrict g,
                         int64_t k)
{
    lanes a0 = {0}, b0 = {0}, a1 = {0}, b1 = {0}, a2 = {0}, b2 = {0}, a3 = {0}, b3 = {0};
    int64_t l = 0;
    for (; l + 4 <= k; l += 4) {
        a0 += q[l] * g[2 * l], b0 += q[l] * g[2 * l + 1];
        a1 += q[l + 1] * g[2 * l + 2], b1 += q[l + 1] * g[2 * l + 3];
        a2 += q[l + 2] * g[2 * l + 4], b2 += q[l + 2] * g[2 * l + 5];
        a3 += q[l + 3] * g[2 * l + 6], b3 += q[l + 3] * g[2 * l + 7];
    }
    for (; l < k; l++)
        a0 += q[l] * g[2 * l], b0 += q[l] * g[2 * l + 1];
    out[0] = (a0 + a1) + (a2 + a3);
    out[1] = (b0 + b1) + (b2 + b3);
}

static void sweep_plain(const tile *t, const real *gram, int64_t k)
{
    for (int64_t j = 0; j < k; j++) {
        lanes q[2];
        if (!(t->inverse[j] > 0))
            continue;
        times(q, gram + j * k, t->g, k);
        for (int v = 0; v < 2; v++) {
            lanes next = t->g[2 * j + v] - (q[v] - t->c[2 * j + v]) * t->inverse[j];
            positive_part(&next);
            t->g[2 * j + v] = next;
        }
    }
}

static void sweep_bent(const tile *t, const real *gram, int64_t k)
{
    for (int64_t j = 0; j < k; j++) {
        lanes q[2];
        times(q, gram + j * k, t->g, k);
        for (int v = 0; v < 2; v++) {
            const lanes g = t->g[2 * j + v],
                        slope = t->weight[v] * q[v] + t->c[2 * j + v] + t->bend[2 * j + v] * g;
            lanes next = g - slope * t->step[2 * j + v];
            positive_part(&next);
            t->g[2 * j + v] = next;
        }
    }
}

/* c = slope - 2 weight p - bend g0, where either may be missing. */
static void bend_tile(tile *t, const tsr__descent *d, int64_t first, int64_t rows)
{
    const int64_t k = d->k, at = first * k;
    real *c = (real *)t->c, *bend = (real *)t->bend, *weight = (real *)(uintptr_t)t->weight;
    real *step = (real *)t->step;
    const real *g = (const real *)t->g, *gram = d->gram;
    const real *w = d->weight != NULL ? (const real *)d->weight + first : NULL;
    for (int64_t i = 0; i < PAIR; i++)
        weight[i] = w != NULL && i < rows ? 2 * w[i] : 2;
    gather(t->c, (const real *)d->projection + at, rows, k);
    for (int64_t j = 0; j < k; j++)
        for (int64_t i = 0; i < PAIR; i++) {
            const int64_t from = at + i * k + j;
            const bool in = i < rows;
            bend[j * PAIR + i] = in && d->bend != NULL ? ((const real *)d->bend)[from] : 0;
            c[j * PAIR + i] = (in && d->slope != NULL ? ((const real *)d->slope)[from] : 0) -
                              weight[i] * c[j * PAIR + i] -
                              bend[j * PAIR + i] * g[j * PAIR + i];
            const real curve = weight[i] * gram[j * k + j] + bend[j * PAIR + i];
            step[j * PAIR + i] = curve > 0 ? 1 / curve : 0;
        }
}

static void squares(const tsr__descent *d)
{
    const int64_t k = d->k;
    const real *gram = d->gram;
    lanes *room = d->work;
    real *inverse = (real *)(room + 8 * k + 2);
    const bool bent = d->weight != NULL || d->slope != NULL;
    tile t = {room, room + 2 * k, room + 4 * k, room + 6 * k, room + 8 * k, inverse};
    for (int64_t j = 0; j < k; j++)
        inverse[j] = gram[j * k + j] > 0 ? 1 / gram[j * k + j] : 0;
    for (int64_t first = 0; first < d->rows; first += PAIR) {
        const int64_t rows = d->rows - first < PAIR ? d->rows - first : PAIR;
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
static void square(const tsr__descent *d)
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
            real step = curve > 0 ? -slope[j] / curve : 0;
            step = step > -g[j] ? step : -g[j];
            if (step == 0)
                continue;
            g[j] += step;
            climb(d->work, d, j, weight * step);
            slope[j] += bend * step;
        }
}

/* Concept weights ------------------------------------------------------------------------- */

static inline lanes *vector_of(const tsr__weave *w, const void *rows, int64_t i, int64_t v)
{
    return (lanes *)(uintptr_t)rows + i * w->down + v * w->across;
}

/* slope (contiguous) = x D of row i as D would be by now. */
static void slope_of(lanes *slope, const tsr__weave *w, int64_t i)
{
    const real *before = (const real *)w->inner[0] + i * TSR_RUN;
    const real *own = (const real *)w->inner[1] + i * TSR_RUN;
    const int64_t vectors = (w->k + LANES - 1) / LANES;
    for (int64_t v = 0; v < vectors; v++) {
        lanes sum = *vector_of(w, w->slope, i, v), other = {0};
        for (int64_t j = 0; j < TSR_RUN; j += 2) {
            sum += before[j] * *vector_of(w, w->before, j, v);
            other += before[j + 1] * *vector_of(w, w->before, j + 1, v);
        }
        for (int64_t j = 0; j < i; j++)
            sum += own[j] * *vector_of(w, w->moved, j, v);
        slope[v] = sum + other;
    }
}

/* A sample's descent, until a sweep moves nothing; slope follows. */
static void descend_weights(const tsr__weave *w, real *weight, real *slope, real square)
{
    const int64_t stride = tsr__padded(w->k), vectors = (w->k + LANES - 1) / LANES;
    bool moves = true;
    for (int sweep = 0; sweep < w->sweeps && moves; sweep++) {
        moves = false;
        for (int64_t j = 0; j < w->k; j++) {
            const real *b = (const real *)w->gram + j * stride;
            const real curve = square * b[j];
            if (!(curve > 0) || (weight[j] == 0 && slope[j] >= 0))
                continue;
            real step = -slope[j] / curve;
            step = step > -weight[j] ? step : -weight[j];
            weight[j] += step;
            for (int64_t v = 0; v < vectors; v++)
                ((lanes *)slope)[v] += step * square * ((const lanes *)b)[v];
            moves = moves || step != 0;
        }
    }
}

/* moved = (w - w0) B. Not the slope's way over |x|^2, which is a difference of larger numbers. */
static void keep_moved(const tsr__weave *w, int64_t i, const real *weight, const real *old)
{
    const int64_t stride = tsr__padded(w->k), vectors = (w->k + LANES - 1) / LANES;
    for (int64_t v = 0; v < vectors; v++)
        *vector_of(w, w->moved, i, v) = (lanes){0};
    for (int64_t j = 0; j < w->k; j++) {
        const lanes *b = (const lanes *)((const real *)w->gram + j * stride);
        const real step = weight[j] - old[j];
        if (step == 0)
            continue;
        for (int64_t v = 0; v < vectors; v++)
            *vector_of(w, w->moved, i, v) += step * b[v];
    }
}

static void weave(const tsr__weave *w)
{
    real *slope = w->work, *old = slope + tsr__padded(w->k);
    for (int64_t i = 0; i < w->rows; i++) {
        real *weight = (real *)w->weights + i * w->k;
        slope_of((lanes *)slope, w, i);
        memcpy(old, weight, (size_t)w->k * sizeof *old);
        descend_weights(w, weight, slope, ((const real *)w->inner[1])[i * TSR_RUN + i]);
        keep_moved(w, i, weight, old);
    }
    for (int64_t i = w->rows; i < TSR_RUN; i++)
        for (int64_t v = 0; v < (w->k + LANES - 1) / LANES; v++)
            *vector_of(w, w->moved, i, v) = (lanes){0};
}

void KERNEL(tsr__entropy_)(const tsr__entropy *descent); /* entropy.c */

extern const tsr__descents KERNEL(tsr__descents_);
const tsr__descents KERNEL(tsr__descents_) = {
    .squares = squares, .square = square, .entropy = KERNEL(tsr__entropy_), .weave = weave};
