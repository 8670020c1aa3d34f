/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The kernels of one row's own problem (single.h), for one element type and one instruction set;
 * the build compiles this file once for each, as it does kernels.c.
 *
 * A row alone has nothing to share a load with, so columns are taken several at a time: sums stay
 * in registers, and what all of them are multiplied by is read once. */
#include "matrix/single.h"

#include "matrix/logarithm.h"
#include "matrix/vector.h"

#include <string.h>

/* Vectors of one register each: of wider ones, some compilers keep no array in registers. */
#if defined(__AVX512F__)
enum { REGISTER = 64 };
#elif defined(__AVX2__)
enum { REGISTER = 32 };
#else
enum { REGISTER = 16 };
#endif
enum { SIDE = REGISTER / (int)sizeof(real) };
typedef real piece __attribute__((vector_size(REGISTER), may_alias));
typedef whole piece_mask __attribute__((vector_size(REGISTER)));

/* Columns at a time; a block of products of columns with columns leaves registers for its
 * factors. */
enum { FOUR = 4, MANY = 8, TALL = 3, WIDE = 4 };

static int64_t pieces_of(int64_t count)
{
    return (count + SIDE - 1) / SIDE;
}

/* The sum of the lanes, by halves. */
INLINE real sum_of(const piece *v)
{
    piece s = *v;
    UNROLLED
    for (int half = SIDE / 2; half > 0; half /= 2) {
        UNROLLED
        for (int i = 0; i < half; i++)
            s[i] += s[i + half];
    }
    return s[0];
}

static const piece *column_of(const tsr__columns *f, int64_t a)
{
    return (const piece *)((const real *)f->values + a * f->stride);
}

/* Least squares --------------------------------------------------------------------------- */

enum { TILE = FOUR * SIDE };

/* Rows side by side, coordinate by coordinate; zeros where there are no more. */
static void turn(real *to, const real *from, int64_t rows, int64_t k)
{
    for (int64_t a = 0; a < k; a++)
        for (int64_t i = 0; i < TILE; i++)
            to[a * TILE + i] = i < rows ? from[i * k + a] : 0;
}

/* A row of Q times the tile, by two sums that do not wait for each other. */
INLINE void weigh_tile(piece sum[FOUR], const real *q, const piece *g, int64_t k)
{
    piece even[FOUR] = {{0}}, odd[FOUR] = {{0}};
    for (int64_t l = 0; l + 1 < k; l += 2) {
        UNROLLED
        for (int v = 0; v < FOUR; v++)
            even[v] += q[l] * g[l * FOUR + v];
        UNROLLED
        for (int v = 0; v < FOUR; v++)
            odd[v] += q[l + 1] * g[l * FOUR + FOUR + v];
    }
    for (int64_t l = k / 2 * 2; l < k; l++) {
        UNROLLED
        for (int v = 0; v < FOUR; v++)
            even[v] += q[l] * g[l * FOUR + v];
    }
    UNROLLED
    for (int v = 0; v < FOUR; v++)
        sum[v] = even[v] + odd[v];
}

static void sweep_tile(piece *g, const real *gram, const piece *p, const real *inverse,
                       int64_t k)
{
    for (int64_t a = 0; a < k; a++) {
        piece q[FOUR];
        weigh_tile(q, gram + a * k, g, k);
        UNROLLED
        for (int v = 0; v < FOUR; v++) {
            const piece next = g[a * FOUR + v] - (q[v] - p[a * FOUR + v]) * inverse[a];
            g[a * FOUR + v] = (piece)((piece_mask)next & (piece_mask)(next > (real)0));
        }
    }
}

static void descend(void *theta, const void *gram, const void *p, int64_t rows, int64_t k,
                    int sweeps, void *room)
{
    const real *q = gram;
    real *g = room, *c = g + k * TILE, *inverse = c + k * TILE;
    for (int64_t a = 0; a < k; a++) /* coordinates without curvature stay */
        inverse[a] = q[a * k + a] > tiny ? 1 / q[a * k + a] : 0;
    for (int64_t first = 0; first < rows; first += TILE) {
        const int64_t left = rows - first < TILE ? rows - first : TILE;
        real *to = (real *)theta + first * k;
        turn(g, to, left, k);
        turn(c, (const real *)p + first * k, left, k);
        for (int sweep = 0; sweep < sweeps; sweep++)
            sweep_tile((piece *)g, q, (const piece *)c, inverse, k);
        for (int64_t i = 0; i < left; i++)
            for (int64_t a = 0; a < k; a++)
                to[i * k + a] = g[a * TILE + i];
    }
}

static void slopes(void *to, const void *gram, const void *g, const void *p, int64_t k)
{
    const int64_t vectors = pieces_of(k), stride = tsr__padded(k);
    piece *q = to;
    for (int64_t v = 0; v < vectors; v++)
        q[v] = -((const piece *)p)[v];
    for (int64_t a = 0; a < k; a++) {
        const real by = ((const real *)g)[a];
        const piece *row = (const piece *)((const real *)gram + a * stride);
        for (int64_t v = 0; by != 0 && v < vectors; v++)
            q[v] += by * row[v];
    }
}

/* Some vectors of row i, less what the rows before it explain. */
INLINE void eliminate(piece *u, const real *by, int64_t i, int64_t stride, const int vectors)
{
    piece row[FOUR];
    UNROLLED
    for (int v = 0; v < vectors; v++)
        row[v] = u[i * stride + v];
    for (int64_t j = 0; j < i; j++) {
        UNROLLED
        for (int v = 0; v < vectors; v++)
            row[v] -= by[j] * u[j * stride + v];
    }
    UNROLLED
    for (int v = 0; v < vectors; v++)
        u[i * stride + v] = row[v];
}

/* Q = U' D^-1 U with U's rows not scaled, D their diagonal: a reciprocal a row and no root. The
 * right side is a column behind the last, and thus eliminated on the way. */
static void solve(void *step, const void *gram, int64_t k, const int32_t *which, int64_t count,
                  void *room)
{
    const int64_t stride = tsr__padded(count + 1), vectors = pieces_of(count + 1);
    real *u = room, *by = u + count * stride, *inverse = by + stride, *r = step;
    for (int64_t i = 0; i < count; i++) {
        const real *from = (const real *)gram + which[i] * tsr__padded(k);
        real *row = u + i * stride;
        const real own = from[which[i]];
        for (int64_t j = i / SIDE * SIDE; j < i; j++)
            row[j] = 0;
        for (int64_t j = i; j < count; j++)
            row[j] = from[which[j]];
        row[count] = r[i];
        for (int64_t j = count + 1; j < stride; j++)
            row[j] = 0;
        for (int64_t j = 0; j < i; j++)
            by[j] = u[j * stride + i] * inverse[j];
        int64_t v = i / SIDE;
        for (; v + FOUR <= vectors; v += FOUR)
            eliminate((piece *)u + v, by, i, stride / SIDE, FOUR);
        for (; v + 2 <= vectors; v += 2)
            eliminate((piece *)u + v, by, i, stride / SIDE, 2);
        for (; v < vectors; v++)
            eliminate((piece *)u + v, by, i, stride / SIDE, 1);
        const real least = own * (real)1e-12, pivot = row[i] > least ? row[i] : least;
        inverse[i] = pivot > 0 ? 1 / pivot : 0;
    }
    real *z = by; /* what is found, zeros before it */
    memset(z, 0, (size_t)stride * sizeof *z);
    for (int64_t i = count - 1; i >= 0; i--) {
        const piece *row = (const piece *)(u + i * stride);
        piece sum = {0};
        for (int64_t v = (i + 1) / SIDE; v < vectors; v++)
            sum += row[v] * ((const piece *)z)[v];
        z[i] = (u[i * stride + count] - sum_of(&sum)) * inverse[i];
    }
    memcpy(r, z, (size_t)count * sizeof *r);
}

/* Kullback-Leibler ------------------------------------------------------------------------ */

/* Some columns, those beyond the last repeated. */
INLINE void take_columns(const piece **to, const tsr__columns *f, const int32_t *which,
                         int64_t first, int64_t count, const int columns)
{
    UNROLLED
    for (int i = 0; i < columns; i++) {
        const int64_t a = first + i < count ? first + i : count - 1;
        to[i] = column_of(f, which != NULL ? which[a] : a);
    }
}

static void reconstruct(const tsr__weighing *w, int64_t vectors)
{
    const piece speck = (piece){0} + (real)w->least;
    piece *y = w->y;
    for (int64_t v = 0; v < vectors; v++)
        y[v] = (piece){0};
    for (int64_t a = 0; a < w->count; a += MANY) {
        const piece *c[MANY];
        real by[MANY];
        take_columns(c, &w->f, w->which, a, w->count, MANY);
        for (int64_t i = 0; i < MANY; i++)
            by[i] = a + i < w->count ? ((const real *)w->g)[w->which[a + i]] : 0;
        for (int64_t v = 0; v < vectors; v++) {
            piece sum = y[v], other = by[1] * c[1][v];
            UNROLLED
            for (int i = 0; i < MANY; i += 2)
                sum += by[i] * c[i][v];
            UNROLLED
            for (int i = 3; i < MANY; i += 2)
                other += by[i] * c[i][v];
            y[v] = sum + other;
        }
    }
    for (int64_t v = 0; v < vectors; v++) {
        const piece_mask small = (piece_mask)(y[v] < speck);
        y[v] = (piece)(((piece_mask)speck & small) | ((piece_mask)y[v] & ~small));
    }
}

static void pull(const tsr__weighing *w, int64_t vectors)
{
    const piece *x = w->x, *y = w->y;
    piece *u = w->ratio;
    for (int64_t v = 0; v < vectors; v++)
        u[v] = x[v] / y[v];
    for (int64_t a = 0; a < w->k; a += MANY) {
        const piece *c[MANY];
        piece sum[MANY] = {{0}};
        take_columns(c, &w->f, NULL, a, w->k, MANY);
        for (int64_t v = 0; v < vectors; v++) {
            UNROLLED
            for (int i = 0; i < MANY; i++)
                sum[i] += u[v] * c[i][v];
        }
        for (int64_t i = 0; i < MANY && a + i < w->k; i++)
            ((real *)w->pull)[a + i] = sum_of(&sum[i]);
    }
}

static void weigh(const tsr__weighing *w)
{
    const int64_t vectors = pieces_of(w->f.width);
    if (w->which != NULL)
        reconstruct(w, vectors);
    pull(w, vectors);
}

/* The products of some weighted columns with others. */
INLINE void multiply_columns(piece sum[TALL][WIDE], const piece *weighted, int64_t vectors,
                             const piece *const c[WIDE])
{
    piece s[TALL][WIDE] = {{{0}}};
    for (int64_t v = 0; v < vectors; v++) {
        UNROLLED
        for (int j = 0; j < WIDE; j++) {
            UNROLLED
            for (int i = 0; i < TALL; i++)
                s[i][j] += weighted[i * vectors + v] * c[j][v];
        }
    }
    memcpy(sum, s, sizeof s);
}

static void bend(void *to, const tsr__columns *f, const void *weight, const int32_t *which,
                 int64_t count, void *room)
{
    const int64_t vectors = pieces_of(f->width), stride = tsr__padded(count);
    const piece *w = weight;
    piece *weighted = room;
    real *h = to;
    memset(h, 0, (size_t)(count * stride) * sizeof *h);
    for (int64_t a = 0; a < count; a += TALL) {
        const piece *own[TALL];
        take_columns(own, f, which, a, count, TALL);
        for (int64_t v = 0; v < vectors; v++) {
            UNROLLED
            for (int i = 0; i < TALL; i++)
                weighted[i * vectors + v] = w[v] * own[i][v];
        }
        for (int64_t b = a; b < count; b += WIDE) {
            const piece *c[WIDE];
            piece sum[TALL][WIDE];
            take_columns(c, f, which, b, count, WIDE);
            multiply_columns(sum, weighted, vectors, c);
            for (int64_t i = 0; i < TALL && a + i < count; i++)
                for (int64_t j = 0; j < WIDE && b + j < count; j++)
                    h[(a + i) * stride + b + j] = h[(b + j) * stride + a + i] =
                        sum_of(&sum[i][j]);
        }
    }
}

static double fall(void *ratio, const void *x, const void *from, const void *to, int64_t width)
{
    piece *u = ratio;
    for (int64_t v = 0; v < pieces_of(width); v++)
        u[v] = ((const piece *)from)[v] / ((const piece *)to)[v];
    return weigh_logarithms(x, ratio, width, 0);
}

extern const tsr__singles KERNEL(tsr__singles_);
const tsr__singles KERNEL(tsr__singles_) = {.descend = descend,
                                            .slopes = slopes,
                                            .solve = solve,
                                            .weigh = weigh,
                                            .bend = bend,
                                            .fall = fall};
