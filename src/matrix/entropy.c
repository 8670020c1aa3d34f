/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Coordinate descent under Kullback-Leibler loss, for one element type and one instruction set;
 * the build compiles this file once for each, as it does kernels.c.
 *
 * A row is a problem of its own. Its entries are what runs side by side: each coordinate needs
 * two sums over them, and moves all of their reconstructions. */
#include "matrix/descent.h"
#include "matrix/logarithm.h"
#include "matrix/vector.h"

#include <math.h>
#ifdef __AVX512F__
#include <immintrin.h>
#ifdef TSR_KERNELS_f32
#define GUESS(y)     ((lanes)_mm512_rcp14_ps((__m512)(y)))
#define LARGER(a, b) ((lanes)_mm512_max_ps((__m512)(a), (__m512)(b)))
#else
#define GUESS(y)     ((lanes)_mm512_rcp14_pd((__m512d)(y)))
#define LARGER(a, b) ((lanes)_mm512_max_pd((__m512d)(a), (__m512d)(b)))
#endif
#endif

/* z = 1 / y, for sums that steps are made of. A division takes as long as a dozen
 * multiplications: where the processor guesses fourteen bits, a step of Newton's makes them 28,
 * all of a float's. A slope that is right to eight digits finds the lowest value to sixteen. */
static inline void reciprocal(lanes *z, const lanes *y)
{
#ifdef __AVX512F__
    *z = GUESS(*y);
    *z += *z * (1 - *y * *z);
#else
    *z = 1 / *y;
#endif
}

/* A row, its coordinates that may move, and their columns of the factor: what each entry sees of
 * them. Entries beyond the last have x = f = 0. */
typedef struct line {
    int64_t count, vectors;
    const int32_t *which; /* count: the coordinates */
    const lanes *f;       /* their columns, if `packed`; else all k */
    bool packed;
    lanes *x, *y;    /* entries, and their reconstruction but for the last step: */
    int64_t last;    /* the coordinate, of the count, that moved last */
    real moved;      /* by how much */
    real *g, *start; /* k: the row, and as it came */
    const double *sums;
    const real *slope, *bend; /* k, or NULL */
    double weight;
} line;

/* Below this a reconstruction counts as this much: its square must still be a number. */
#define LEAST ((real)(sizeof(real) == 8 ? 1e-100 : 1e-12))

static inline void at_least(lanes *y)
{
#ifdef __AVX512F__
    *y = LARGER(*y, (lanes){0} + LEAST);
#else
    const lanes least = (lanes){0} + LEAST;
    const mask small = (mask)(*y < least);
    *y = (lanes)(((mask)least & small) | ((mask)*y & ~small));
#endif
}

static inline const lanes *column_of(const line *l, int64_t a)
{
    return l->f + (l->packed ? a : l->which[a]) * l->vectors;
}

/* The slope of all that is not data. */
static double rise_of(const line *l, int64_t j)
{
    double rise = l->weight * l->sums[j];
    if (l->slope != NULL)
        rise += (double)l->slope[j];
    if (l->bend != NULL)
        rise += (double)l->bend[j] * ((double)l->g[j] - (double)l->start[j]);
    return rise;
}

/* Coordinates at zero that the data do not lift stay out; returns how many may move. */
static int64_t choose(int32_t *which, const line *l, const real *pull, int64_t k)
{
    int64_t count = 0;
    for (int64_t j = 0; j < k; j++)
        if (l->g[j] > 0 || pull == NULL || l->weight * (double)pull[j] > rise_of(l, j))
            which[count++] = (int32_t)j;
    return count;
}

/* The columns of a sparse row, out of the factor's rows that its entries point at. */
static void pack(line *l, lanes *f, const tsr__entropy *d, int64_t row)
{
    const int64_t k = d->x.k, first = d->x.rows[row], count = d->x.rows[row + 1] - first;
    const real *factor = d->x.factor;
    real *x = (real *)l->x;
    memcpy(x, (const real *)d->x.values + first, (size_t)count * sizeof *x);
    memset(x + count, 0, (size_t)(l->vectors * LANES - count) * sizeof *x);
    for (int64_t v = 0; v < l->vectors; v++) {
        const real *from[LANES];
        for (int64_t i = 0; i < LANES; i++) {
            const int64_t e = v * LANES + i;
            from[i] = factor + d->x.columns[first + (e < count ? e : 0)] * k;
        }
        for (int64_t a = 0; a < l->count; a++) {
            real *to = (real *)(f + a * l->vectors + v);
            for (int64_t i = 0; i < LANES; i++)
                to[i] = from[i][l->which[a]];
        }
    }
    for (int64_t a = 0; a < l->count; a++)
        for (int64_t e = count; e < l->vectors * LANES; e++)
            ((real *)(f + a * l->vectors))[e] = 0;
}

static void take_line(line *l, const tsr__entropy *d, int64_t row)
{
    const int64_t k = d->x.k;
    const bool packed = d->turned == NULL;
    const int64_t count = packed ? d->x.rows[row + 1] - d->x.rows[row] : d->width;
    const int64_t padded = packed ? (count + LANES - 1) / LANES * LANES : tsr__padded(count);
    real *x = d->work, *y = x + padded, *start = y + padded;
    int32_t *which = (int32_t *)(start + tsr__padded(k));
    real *f = start + 2 * tsr__padded(k);
    *l = (line){.vectors = padded / LANES,
                .which = which,
                .f = packed ? (const lanes *)f : d->turned,
                .packed = packed,
                .x = (lanes *)x,
                .y = (lanes *)y,
                .g = (real *)d->theta + row * k,
                .start = start,
                .sums = d->sums,
                .slope = d->slope != NULL ? (const real *)d->slope + row * k : NULL,
                .bend = d->bend != NULL ? (const real *)d->bend + row * k : NULL,
                .weight = d->weight != NULL ? (double)((const real *)d->weight)[row] : 1};
    memcpy(start, l->g, (size_t)k * sizeof *l->g);
    l->count = choose(which, l, d->pull != NULL ? (const real *)d->pull + row * k : NULL, k);
    if (packed) {
        pack(l, (lanes *)f, d, row);
    } else {
        memcpy(x, (const real *)d->x.values + row * d->stride, (size_t)count * sizeof *x);
        memset(x + count, 0, (size_t)(padded - count) * sizeof *x);
    }
}

static void reconstruct(line *l)
{
    for (int64_t v = 0; v < l->vectors; v++)
        l->y[v] = (lanes){0};
    for (int64_t a = 0; a < l->count; a++) {
        const real g = l->g[l->which[a]];
        const lanes *f = column_of(l, a);
        for (int64_t v = 0; g != 0 && v < l->vectors; v++)
            l->y[v] += g * f[v];
    }
    for (int64_t v = 0; v < l->vectors; v++)
        at_least(&l->y[v]);
    l->last = 0, l->moved = 0;
}

/* y with the last step in it. */
static void settle(line *l)
{
    const lanes *f = column_of(l, l->last);
    for (int64_t v = 0; l->moved != 0 && v < l->vectors; v++) {
        l->y[v] += l->moved * f[v];
        at_least(&l->y[v]);
    }
    l->moved = 0;
}

static double value_of(const line *l)
{
    const real *x = (const real *)l->x, *y = (const real *)l->y;
    double part[8] = {0}, sum = 0;
    for (int64_t e = 0; e < l->vectors * LANES; e += 8)
        for (int i = 0; i < 8; i++)
            part[i] -= (double)x[e + i] * tsr__logarithm((double)y[e + i]);
    for (int i = 0; i < 8; i++)
        sum += part[i];
    for (int64_t a = 0; a < l->count; a++)
        sum += l->sums[l->which[a]] * (double)l->g[l->which[a]];
    sum *= l->weight;
    for (int64_t a = 0; a < l->count; a++) {
        const int64_t j = l->which[a];
        const double moved = (double)l->g[j] - (double)l->start[j];
        sum += l->slope != NULL ? (double)l->slope[j] * moved : 0;
        sum += l->bend != NULL ? (double)l->bend[j] / 2 * moved * moved : 0;
    }
    return sum;
}

/* How hard the data pull coordinate a up, sum x u with u = f / y, and how fast the pull falls,
 * sum x u^2. The last step enters y on the way: each vector is read once. */
static void moments(double *pull, double *fall, line *l, int64_t a)
{
    const lanes *f = column_of(l, a), *last = column_of(l, l->last);
    lanes first = {0}, second = {0};
    for (int64_t v = 0; v < l->vectors; v++) {
        lanes y = l->y[v] + l->moved * last[v], z;
        at_least(&y);
        l->y[v] = y;
        reciprocal(&z, &y);
        const lanes u = f[v] * z, xu = l->x[v] * u;
        first += xu;
        second += xu * u;
    }
    l->moved = 0;
    *pull = l->weight * (double)total(&first);
    *fall = l->weight * (double)total(&second);
}

/* The pull that coordinate a would feel at zero. */
static double pull_at_zero(const line *l, int64_t a)
{
    const lanes *f = column_of(l, a);
    const real g = l->g[l->which[a]];
    lanes sum = {0};
    for (int64_t v = 0; v < l->vectors; v++) {
        lanes y = l->y[v] - g * f[v];
        at_least(&y);
        sum += l->x[v] * f[v] / y;
    }
    return l->weight * (double)total(&sum);
}

/* The larger root t of a t^2 + b t = c, a >= 0, by the form that does not cancel. */
static double root_of(double a, double b, double c)
{
    if (!(a > 0))
        return c / b;
    const double square = b * b + 4 * a * c, root = sqrt(square > 0 ? square : 0);
    return b > 0 ? 2 * c / (b + root) : (root - b) / (2 * a);
}

/* Where coordinate a goes. With s1 the pull and s2 its fall, the pull is modelled by the
 * hyperbola A / (C + move) of that value and slope, which is exact for one entry. The model
 * never leads too far up; downwards it may, so zero is only taken where the slope there says
 * so. `careful` steps downwards stop at the root of
 *     t (rise + bend (t - g)) = g s1,
 * which is never below the minimum, and so cannot raise the value. */
static double next_of(double *slope, line *l, int64_t a, bool careful)
{
    const int64_t j = l->which[a];
    const double g = (double)l->g[j], bend = l->bend != NULL ? (double)l->bend[j] : 0;
    const double rise = rise_of(l, j);
    double s1, s2;
    moments(&s1, &s2, l, a);
    *slope = s1 - rise;
    if (g <= 0 && s1 <= rise)
        return 0;
    if (!(s2 * 1e15 > s1)) { /* too little to tell where it would lead */
        const double next = bend > 0 ? g - rise / bend : rise > 0 ? 0 : g;
        return next > 0 ? next : 0;
    }
    const double reach = s1 / s2, steep = rise + bend * reach;
    double next = g;
    if (bend > 0)
        next += root_of(bend, steep, reach * (s1 - rise));
    else
        next += rise > 0 ? reach * ((s1 - rise) / rise) : (s1 - rise) / s2;
    if (next >= g || (next > 0 && !careful))
        return next;
    const double flat = rise - bend * g, least = root_of(bend, flat, g * s1);
    if (careful)
        return least;
    return flat >= pull_at_zero(l, a) ? 0 : least;
}

/* One sweep over the coordinates, or over those above zero; returns about twice what it gained. */
static double sweep_line(line *l, bool all, bool careful)
{
    double gain = 0;
    for (int64_t a = 0; a < l->count; a++) {
        real *g = &l->g[l->which[a]];
        if (!all && !(*g > 0))
            continue;
        double slope;
        const real next = (real)next_of(&slope, l, a, careful);
        l->moved = next - *g;
        l->last = a;
        *g = next;
        gain += slope * (double)l->moved;
    }
    return gain;
}

/* Sweeps until one gains little beside the first. */
static void descend_line(line *l, int sweeps)
{
    const double little = 0.1, first = sweep_line(l, true, false);
    double gain = first;
    for (int sweep = 1; sweep < sweeps && gain > little * first; sweep++)
        gain = sweep_line(l, false, false);
    settle(l);
}

void KERNEL(tsr__entropy_)(const tsr__entropy *descent);
void KERNEL(tsr__entropy_)(const tsr__entropy *d)
{
    for (int64_t row = 0; row < d->x.samples; row++) {
        line l;
        take_line(&l, d, row);
        reconstruct(&l);
        const double before = value_of(&l);
        descend_line(&l, d->sweeps);
        if (value_of(&l) <= before)
            continue;
        memcpy(l.g, l.start, (size_t)d->x.k * sizeof *l.g);
        reconstruct(&l);
        (void)sweep_line(&l, true, true);
    }
}
