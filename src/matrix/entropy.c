/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Coordinate descent under Kullback-Leibler loss, for one element type and one instruction set;
 * the build compiles this file once for each, as it does kernels.c.
 *
 * A row is a problem of its own, and its entries are what runs side by side. The columns of the
 * factor, as the row's entries see them, lie one after another. A multiplicative step comes
 * first, which moves all coordinates at once for two operations an entry and coordinate; then
 * each goes to its own minimum, for a reciprocal and seven. */
#include "matrix/descent.h"
#include "matrix/logarithm.h"
#include "matrix/register.h"

#include <math.h>
#ifdef __AVX512F__
#ifdef TSR_KERNELS_f32
#define GUESS(y) ((lanes)_mm512_rcp14_ps((__m512)(y)))
#else
#define GUESS(y) ((lanes)_mm512_rcp14_pd((__m512d)(y)))
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

/* A row, and its coordinates that may move. Entries beyond the last have x = f = 0. */
typedef struct line {
    int64_t k, vectors, stride, count; /* stride: from column to column, in vectors */
    int32_t *which;                    /* count: the coordinates */
    const lanes *f;                    /* k columns */
    lanes *x, *y;          /* entries, and their reconstruction but for the last step: */
    int64_t last;          /* the coordinate that moved last */
    real moved;            /* by how much */
    lanes *ratio, *before; /* x / y, and y as it came */
    real *g, *start;       /* k: the row, and as it came */
    double *pull, *flat;   /* k: how hard the data pull; the slope of the rest, */
    const real *bend;      /* to which bend g is added; k, or NULL */
    double weight;
    real least; /* what a reconstruction counts at least */
} line;

/* Below this share of the data's unit a reconstruction counts as this much: its square must still
 * be a number. */
static const real SPECK = (real)(sizeof(real) == 8 ? 1e-100 : 1e-12);

INLINE void at_least(lanes *y, real speck)
{
    const lanes least = (lanes){0} + speck;
    larger(y, y, &least);
}

static inline const lanes *column_of(const line *l, int64_t j)
{
    return l->f + j * l->stride;
}

static inline double bend_of(const line *l, int64_t j)
{
    return l->bend != NULL ? (double)l->bend[j] : 0;
}

/* The slope of all that is not data. */
static inline double rise_of(const line *l, int64_t j)
{
    return l->flat[j] + bend_of(l, j) * (double)l->g[j];
}

/* The columns of a sparse row, out of the factor's rows that its entries point at. Those of a
 * vector are fetched together, for none waits for another; asking for later ones gains nothing. */
static void pack(lanes *f, const tsr__entropy *d, int64_t row, const real *zeros)
{
    const int64_t k = d->x.k, first = d->x.rows[row], count = d->x.rows[row + 1] - first;
    const int64_t vectors = (count + LANES - 1) / LANES;
    for (int64_t v = 0; v < vectors; v++) {
        const real *from[LANES];
        for (int64_t i = 0, e = v * LANES; i < LANES; i++, e++)
            from[i] =
                e < count ? (const real *)d->x.factor + d->x.columns[first + e] * k : zeros;
        for (int64_t j = 0; j < k; j += LANES) {
            lanes tile[LANES];
            for (int i = 0; i < LANES; i++)
                tile[i] = *(const loose *)(from[i] + j);
            turn_tile(tile);
            for (int i = 0; i < LANES && j + i < k; i++)
                f[(j + i) * vectors + v] = tile[i];
        }
    }
}

/* The entries may be the user's own: nothing behind them is touched. */
static void take_values(lanes *x, const real *from, int64_t count, int64_t vectors)
{
    const int64_t whole_ones = count / LANES;
    for (int64_t v = 0; v < whole_ones; v++)
        x[v] = *(const loose *)(from + v * LANES);
    for (int64_t e = whole_ones * LANES; e < vectors * LANES; e++)
        ((real *)x)[e] = e < count ? from[e] : 0;
}

static void take_line(line *l, const tsr__entropy *d, int64_t row)
{
    const int64_t k = d->x.k, wide = tsr__padded(k);
    const bool sparse = d->turned == NULL;
    const int64_t count = sparse ? d->x.rows[row + 1] - d->x.rows[row] : d->width;
    const int64_t vectors = (count + LANES - 1) / LANES, padded = vectors * LANES;
    double *pull = d->work;
    real *zeros = (real *)(pull + 2 * wide), *start = zeros + wide, *x = start + 2 * wide;
    *l = (line){.k = k,
                .vectors = vectors,
                .stride = sparse ? vectors : tsr__padded(count) / LANES,
                .which = (int32_t *)(start + wide),
                .f = sparse ? (const lanes *)(x + 4 * padded) : d->turned,
                .x = (lanes *)x,
                .y = (lanes *)(x + padded),
                .ratio = (lanes *)(x + 2 * padded),
                .before = (lanes *)(x + 3 * padded),
                .g = (real *)d->theta + row * k,
                .start = start,
                .pull = pull,
                .flat = pull + wide,
                .bend = d->bend != NULL ? (const real *)d->bend + row * k : NULL,
                .weight = d->weight != NULL ? (double)((const real *)d->weight)[row] : 1,
                .least = SPECK * (real)d->unit};
    const real *slope = d->slope != NULL ? (const real *)d->slope + row * k : NULL;
    for (int64_t j = 0; j < k; j++) {
        l->start[j] = l->g[j];
        zeros[j] = 0;
        l->flat[j] = l->weight * d->sums[row * d->sums_stride + j] +
                     (slope != NULL ? (double)slope[j] : 0) - bend_of(l, j) * (double)l->g[j];
    }
    if (sparse) {
        take_values(l->x, (const real *)d->x.values + d->x.rows[row], count, l->vectors);
        pack((lanes *)(x + 4 * padded), d, row, zeros);
    } else {
        take_values(l->x, (const real *)d->x.values + row * d->stride, count, l->vectors);
    }
}

static void reconstruct(line *l)
{
    for (int64_t v = 0; v < l->vectors; v++)
        l->y[v] = (lanes){0};
    for (int64_t a = 0; a < l->count; a += 4) { /* four columns at a time */
        const lanes *f[4];
        real g[4];
        for (int64_t i = 0; i < 4; i++) {
            const int64_t j = l->which[a + i < l->count ? a + i : a];
            f[i] = column_of(l, j);
            g[i] = a + i < l->count ? l->g[j] : 0;
        }
        for (int64_t v = 0; v < l->vectors; v++)
            l->y[v] += (g[0] * f[0][v] + g[1] * f[1][v]) + (g[2] * f[2][v] + g[3] * f[3][v]);
    }
    for (int64_t v = 0; v < l->vectors; v++)
        at_least(&l->y[v], l->least);
    l->last = 0, l->moved = 0;
}

/* How hard the data pull the coordinates: sum x f / y. */
static void weigh_pulls(line *l)
{
    for (int64_t v = 0; v < l->vectors; v++)
        l->ratio[v] = l->x[v] / l->y[v];
    for (int64_t a = 0; a < l->count; a += 4) {
        const lanes *f[4];
        lanes sum[4] = {{0}};
        for (int64_t i = 0; i < 4; i++)
            f[i] = column_of(l, l->which[a + i < l->count ? a + i : a]);
        for (int64_t v = 0; v < l->vectors; v++)
            for (int i = 0; i < 4; i++)
                sum[i] += l->ratio[v] * f[i][v];
        for (int64_t i = 0; i < 4 && a + i < l->count; i++)
            l->pull[l->which[a + i]] = l->weight * (double)total(&sum[i]);
    }
}

/* The coordinates above zero; */
static void choose_positive(line *l)
{
    l->count = 0;
    for (int64_t j = 0; j < l->k; j++) {
        l->which[l->count] = (int32_t)j;
        l->count += l->g[j] > 0;
    }
}

/* all of them; */
static void choose_all(line *l)
{
    for (int64_t j = 0; j < l->k; j++)
        l->which[j] = (int32_t)j;
    l->count = l->k;
}

/* those above zero, and those at zero that the data lift. */
static void choose_movable(line *l)
{
    l->count = 0;
    for (int64_t j = 0; j < l->k; j++) {
        l->which[l->count] = (int32_t)j;
        l->count += (l->g[j] > 0) | (l->pull[j] > rise_of(l, j));
    }
}

/* y with the last step in it. */
static void settle(line *l)
{
    const lanes *f = column_of(l, l->last);
    for (int64_t v = 0; l->moved != 0 && v < l->vectors; v++) {
        l->y[v] += l->moved * f[v];
        at_least(&l->y[v], l->least);
    }
    l->moved = 0;
}

/* By how much the row fell since it began; the logarithm of a quotient has no unit. */
static double fall_of(const line *l)
{
    for (int64_t v = 0; v < l->vectors; v++)
        l->ratio[v] = l->y[v] / l->before[v];
    double sum = l->weight * weigh_logarithms((const real *)l->x, (const real *)l->ratio,
                                              l->vectors * LANES, 0);
    for (int64_t a = 0; a < l->count; a++) {
        const int64_t j = l->which[a];
        const double g = (double)l->g[j], start = (double)l->start[j];
        sum += (l->flat[j] + bend_of(l, j) / 2 * (start + g)) * (start - g);
    }
    return sum;
}

/* How hard the data pull coordinate j up, sum x u with u = f / y, and how fast the pull falls,
 * sum x u^2. The last step enters y on the way: each vector is read once. */
static void moments(double *pull, double *fall, line *l, int64_t j)
{
    const lanes *f = column_of(l, j), *last = column_of(l, l->last);
    lanes first = {0}, second = {0};
    for (int64_t v = 0; v < l->vectors; v++) {
        lanes y = l->y[v] + l->moved * last[v], z;
        at_least(&y, l->least);
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

/* The pull that coordinate j would feel at zero. */
static double pull_at_zero(const line *l, int64_t j)
{
    const lanes *f = column_of(l, j);
    lanes sum = {0};
    for (int64_t v = 0; v < l->vectors; v++) {
        lanes y = l->y[v] - l->g[j] * f[v], z;
        at_least(&y, l->least);
        reciprocal(&z, &y);
        sum += l->x[v] * f[v] * z;
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

/* Where coordinate j goes. With s1 the pull and s2 its fall, the pull is modelled by the
 * hyperbola A / (C + move) of that value and slope, which is exact for one entry. The model
 * never leads too far up; downwards it may, so zero is only taken where the slope there says
 * so, and the step ends at the root of
 *     t (flat + bend t) = g s1
 * otherwise, which is never below the minimum. */
static double next_of(double *slope, line *l, int64_t j)
{
    const double g = (double)l->g[j], bend = bend_of(l, j), rise = rise_of(l, j);
    double s1, s2;
    moments(&s1, &s2, l, j);
    *slope = s1 - rise;
    if (g <= 0 && s1 <= rise)
        return 0;
    if (!(s2 > 0)) { /* nothing to tell where it would lead */
        const double next = bend > 0 ? g - rise / bend : rise > 0 ? 0 : g;
        return next > 0 ? next : 0;
    }
    double next = g;
    if (bend > 0)
        next += root_of(bend, rise + bend * (s1 / s2), s1 / s2 * (s1 - rise));
    else
        next += (s1 - rise) * (rise > 0 ? s1 / (s2 * rise) : 1 / s2);
    if (next > 0 && isfinite(next))
        return next;
    return next <= 0 && l->flat[j] >= pull_at_zero(l, j) ? 0
                                                         : root_of(bend, l->flat[j], g * s1);
}

/* One sweep over the coordinates, or over those above zero; returns about twice what it gained. */
static double sweep_line(line *l, bool all)
{
    double gain = 0;
    for (int64_t a = 0; a < l->count; a++) {
        const int64_t j = l->which[a];
        if (!all && !(l->g[j] > 0))
            continue;
        double slope;
        const real next = (real)next_of(&slope, l, j);
        l->moved = next - l->g[j];
        l->last = j;
        l->g[j] = next;
        gain += slope * (double)l->moved;
    }
    return gain;
}

/* The multiplicative step of all coordinates above zero, to the root of
 *     t (flat + bend t) = g pull
 * each, which none overtakes: it minimises a bound that they share. */
static double multiply(line *l)
{
    double gain = 0;
    for (int64_t a = 0; a < l->count; a++) {
        const int64_t j = l->which[a];
        const double g = (double)l->g[j], bend = bend_of(l, j),
                     slope = l->pull[j] - rise_of(l, j);
        if (!(l->flat[j] > 0 || bend > 0))
            continue;
        l->g[j] = (real)root_of(bend, l->flat[j], g * l->pull[j]);
        gain += slope * ((double)l->g[j] - g);
    }
    reconstruct(l);
    return gain;
}

/* True if the row surely is not above where it began: a convex function has
 *     J(start) >= J(g) + J'(g) (start - g),
 * and a slope needs no logarithm. */
static bool fell(const line *l)
{
    double slope = 0;
    lanes sum = {0};
    for (int64_t v = 0; v < l->vectors; v++) {
        lanes z;
        reciprocal(&z, &l->y[v]);
        sum += l->x[v] * z * (l->before[v] - l->y[v]);
    }
    for (int64_t a = 0; a < l->count; a++) {
        const int64_t j = l->which[a];
        slope += rise_of(l, j) * ((double)l->start[j] - (double)l->g[j]);
    }
    return slope >= l->weight * (double)total(&sum);
}

/* A multiplicative step, then sweeps until one gains little beside all that went before. */
static void descend_line(line *l, int sweeps)
{
    const double little = 0.1, step = multiply(l), first = sweep_line(l, true);
    double gain = first;
    for (int sweep = 1; sweep < sweeps && gain > little * (step + first); sweep++)
        gain = sweep_line(l, false);
    settle(l);
}

void KERNEL(tsr__entropy_)(const tsr__entropy *descent);
void KERNEL(tsr__entropy_)(const tsr__entropy *d)
{
    for (int64_t row = 0; row < d->x.samples; row++) {
        line l;
        take_line(&l, d, row);
        choose_positive(&l);
        reconstruct(&l);
        for (int64_t v = 0; v < l.vectors; v++)
            l.before[v] = l.y[v];
        if (d->pull == NULL) {
            choose_all(&l);
            weigh_pulls(&l);
        } else {
            for (int64_t j = 0; j < l.k; j++)
                l.pull[j] = l.weight * (double)((const real *)d->pull)[row * l.k + j];
        }
        choose_movable(&l);
        descend_line(&l, d->sweeps);
        if (fell(&l) || fall_of(&l) >= 0)
            continue;
        for (int64_t j = 0; j < l.k; j++)
            l.g[j] = l.start[j];
        reconstruct(&l);
        weigh_pulls(&l);
        (void)multiply(&l);
    }
}
