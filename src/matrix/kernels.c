/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The kernels of one element type and one instruction set; the build compiles this file once
 * for each. Reductions run in eight fixed lanes, so that compilers vectorise them without being
 * allowed to reorder sums. */
#include "matrix/kernels.h"

#include "matrix/logarithm.h"
#include "matrix/real.h"

#include <math.h>

enum { LANES = 8 };

/* Lanes of a sweep; doubles also for floats, so that sums of squares of long rows hold. */
struct lanes {
    real low[LANES], high[LANES];
    double magnitudes[LANES], squares[LANES];
    int64_t zeros[LANES], odd[LANES], negative[LANES];
};

static inline void visit(struct lanes *l, int lane, real v)
{
    const int finite = (real)fabs((double)v) <= largest;
    const real kept = finite ? v : 0;
    l->low[lane] = finite && v < l->low[lane] ? v : l->low[lane];
    l->high[lane] = finite && v > l->high[lane] ? v : l->high[lane];
    l->magnitudes[lane] += fabs((double)kept);
    l->squares[lane] += (double)kept * (double)kept;
    l->zeros[lane] += v == 0;
    l->odd[lane] += !finite;
    l->negative[lane] += v < 0;
}

/* With counts of what is odd: for the rows that have something. */
static void sweep_odd(tsr__sweep *out, const real *v, int64_t count)
{
    struct lanes l;
    for (int lane = 0; lane < LANES; lane++) {
        l.low[lane] = (real)INFINITY, l.high[lane] = (real)-INFINITY;
        l.magnitudes[lane] = l.squares[lane] = 0;
        l.zeros[lane] = l.odd[lane] = l.negative[lane] = 0;
    }
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (int lane = 0; lane < LANES; lane++)
            visit(&l, lane, v[i + lane]);
    for (int lane = 0; i < count; i++, lane++)
        visit(&l, lane, v[i]);
    *out = (tsr__sweep){.minimum = (double)INFINITY, .maximum = (double)-INFINITY};
    for (int lane = 0; lane < LANES; lane++) {
        out->minimum = fmin(out->minimum, (double)l.low[lane]);
        out->maximum = fmax(out->maximum, (double)l.high[lane]);
        out->sum_magnitudes += l.magnitudes[lane];
        out->sum_squares += l.squares[lane];
        out->zeros += l.zeros[lane];
        out->not_finite += l.odd[lane];
        out->negative += l.negative[lane];
    }
}

static inline void visit_plain(struct lanes *l, int lane, real v)
{
    l->low[lane] = v < l->low[lane] ? v : l->low[lane];
    l->high[lane] = v > l->high[lane] ? v : l->high[lane];
    l->magnitudes[lane] += fabs((double)v);
    l->squares[lane] += (double)v * (double)v;
    l->zeros[lane] += v == 0;
}

/* The lanes as registers of this set, of doubles: what gcc does not make of loops over them. */
#if defined __AVX512F__
enum { WIDTH = 64 };
#elif defined __AVX__
enum { WIDTH = 32 };
#else
enum { WIDTH = 16 };
#endif
enum { SOME = WIDTH / sizeof(double), PIECES = LANES / SOME };
typedef double piece __attribute__((vector_size(WIDTH)));
typedef int64_t flags __attribute__((vector_size(WIDTH)));
typedef real some
    __attribute__((vector_size(SOME * sizeof(real)), aligned(sizeof(real)), may_alias));

static inline void choose(piece *kept, flags which, const piece *other)
{
    *kept = (piece)(((flags)*other & which) | ((flags)*kept & ~which));
}

/* Whole rounds of the lanes; returns how many values that were. */
static int64_t visit_rounds(struct lanes *l, const real *v, int64_t count)
{
    piece low[PIECES], high[PIECES], magnitudes[PIECES], squares[PIECES];
    flags zeros[PIECES];
    int64_t i = 0;
    for (int p = 0; p < PIECES; p++) {
        low[p] = (piece){0} + (double)INFINITY, high[p] = (piece){0} - (double)INFINITY;
        magnitudes[p] = squares[p] = (piece){0};
        zeros[p] = (flags){0};
    }
    for (; i + LANES <= count; i += LANES) {
        UNROLLED
        for (int p = 0; p < PIECES; p++) {
            const piece x = __builtin_convertvector(*(const some *)(v + i + p * SOME), piece);
            choose(&low[p], (flags)(x < low[p]), &x);
            choose(&high[p], (flags)(x > high[p]), &x);
            magnitudes[p] += (piece)((flags)x & INT64_MAX);
            squares[p] += x * x;
            zeros[p] -= (flags)(x == 0);
        }
    }
    for (int lane = 0; lane < LANES; lane++) {
        const int p = lane / SOME, at = lane % SOME;
        l->low[lane] = (real)low[p][at], l->high[lane] = (real)high[p][at];
        l->magnitudes[lane] = magnitudes[p][at], l->squares[lane] = squares[p][at];
        l->zeros[lane] = zeros[p][at];
    }
    return i;
}

/* Values are taken for finite and >= 0 first, which most are. Where a sum of squares is a number
 * they were finite, and where the least is not below zero none is: nothing is left to count. */
static void sweep(tsr__sweep *out, const void *values, int64_t count)
{
    const real *v = values;
    struct lanes l;
    int64_t i = visit_rounds(&l, v, count);
    for (int lane = 0; i < count; i++, lane++)
        visit_plain(&l, lane, v[i]);
    real low = l.low[0], high = l.high[0];
    double magnitudes = l.magnitudes[0], squares = l.squares[0];
    int64_t zeros = l.zeros[0];
    for (int lane = 1; lane < LANES; lane++) {
        low = l.low[lane] < low ? l.low[lane] : low;
        high = l.high[lane] > high ? l.high[lane] : high;
        magnitudes += l.magnitudes[lane];
        squares += l.squares[lane];
        zeros += l.zeros[lane];
    }
    if (!(low >= 0) || !(squares < (double)INFINITY)) {
        sweep_odd(out, v, count);
        return;
    }
    *out = (tsr__sweep){.minimum = (double)low,
                        .maximum = (double)high,
                        .sum_magnitudes = magnitudes,
                        .sum_squares = squares,
                        .zeros = zeros};
}

static void mark(unsigned char *seen, const void *values, int64_t count)
{
    const real *v = values;
    for (int64_t i = 0; i < count; i++)
        seen[i] = (unsigned char)(seen[i] | (v[i] != 0));
}

static void shift(void *values, double by, int64_t count)
{
    real *y = values;
    for (int64_t i = 0; i < count; i++)
        y[i] = (real)((double)y[i] + by);
}

static void widen(double *to, const void *from, int64_t count)
{
    const real *x = from;
    for (int64_t i = 0; i < count; i++)
        to[i] = (double)x[i];
}

static void narrow(void *to, const double *from, int64_t count)
{
    real *y = to;
    for (int64_t i = 0; i < count; i++)
        y[i] = (real)from[i];
}

static void raise(void *to, const double *by, int64_t count)
{
    real *y = to;
    for (int64_t i = 0; i < count; i++)
        y[i] = (real)((double)y[i] + by[i]);
}

static void scale(void *values, double by, int64_t count)
{
    real *v = values;
    for (int64_t i = 0; i < count; i++)
        v[i] = (real)((double)v[i] * by);
}

static void transpose(void *to, int64_t to_stride, const void *from, int64_t stride,
                      int64_t rows, int64_t columns)
{
    enum { TILE = 16 }; /* a tile of each side stays in the first-level cache */
    real *t = to;
    const real *f = from;
    for (int64_t i0 = 0; i0 < rows; i0 += TILE) {
        const int64_t i1 = i0 + TILE < rows ? i0 + TILE : rows;
        for (int64_t j0 = 0; j0 < columns; j0 += TILE) {
            const int64_t j1 = j0 + TILE < columns ? j0 + TILE : columns;
            for (int64_t j = j0; j < j1; j++)
                for (int64_t i = i0; i < i1; i++)
                    t[j * to_stride + i] = f[i * stride + j];
        }
    }
}

static void add(void *y, double by, const void *x, int64_t count)
{
    real *restrict to = y;
    const real *restrict from = x, factor = (real)by;
    for (int64_t i = 0; i < count; i++)
        to[i] += factor * from[i];
}

static double dot(const void *x, const void *y, int64_t count)
{
    const real *a = x, *b = y;
    double lane[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (int l = 0; l < LANES; l++)
            lane[l] += (double)a[i + l] * (double)b[i + l];
    for (int l = 0; i < count; i++, l++)
        lane[l] += (double)a[i] * (double)b[i];
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) +
           ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

static void scale_columns(void *a, const double *by, int64_t rows, int64_t k)
{
    real *v = a;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < k; j++)
            v[i * k + j] = (real)((double)v[i * k + j] * by[j]);
}

static void scale_rows(void *to, const void *a, const void *by, int64_t rows, int64_t k)
{
    real *out = to;
    const real *in = a, *weight = by;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < k; j++)
            out[i * k + j] = in[i * k + j] * weight[i];
}

static void add_column_sums(double *sums, const void *a, const void *weight, int64_t rows,
                            int64_t k)
{
    const real *v = a, *w = weight;
    for (int64_t i = 0; i < rows; i++) {
        const double by = w != NULL ? (double)w[i] : 1;
        for (int64_t j = 0; j < k; j++)
            sums[j] += by * (double)v[i * k + j];
    }
}

static void add_column_squares(double *sums, const void *a, int64_t rows, int64_t k)
{
    const real *v = a;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < k; j++)
            sums[j] += (double)v[i * k + j] * (double)v[i * k + j];
}

static inline real at(const real *half, int64_t i)
{
    return half != NULL ? half[i] : 0;
}

/* The one guard against division by zero. */
static inline real guarded(real denominator)
{
    return denominator > tiny ? denominator : tiny;
}

static void lift(void *theta, const tsr__halves *halves, const double *floor, int64_t rows,
                 int64_t k)
{
    real *t = theta;
    const real *minus = halves->minus, *flat = halves->flat, *curved = halves->curved,
               *quartic = halves->quartic, *anti = halves->anti, *entropy = halves->entropy,
               *contrast = halves->contrast;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < k; j++) {
            const int64_t e = i * k + j;
            const real up = minus[e] + at(anti, e) + at(contrast, e),
                       down = at(flat, e) + at(curved, e) + at(quartic, e) + at(entropy, e);
            if ((double)t[e] < floor[j] && up > down)
                t[e] = (real)floor[j];
        }
}

static void multiply(void *theta, const tsr__halves *halves, double exponent, int64_t count)
{
    real *t = theta;
    const real *minus = halves->minus, *flat = halves->flat, *curved = halves->curved,
               *quartic = halves->quartic, *entropy = halves->entropy,
               *contrast = halves->contrast;
    for (int64_t i = 0; i < count; i++) {
        const real plus = at(flat, i) + at(curved, i) + at(quartic, i) + at(entropy, i),
                   up = minus[i] + at(contrast, i);
        real next = t[i] * up / guarded(plus);
        if (exponent != 1)
            next = t[i] * (real)pow((double)(up / guarded(plus)), exponent);
        t[i] = t[i] > 0 ? (next < largest ? next : largest) : 0;
    }
}

/* The root t >= 0 of t^power (b + c t + q t^3) = p. Without q it is closed form, or for power 2 a
 * cubic; otherwise Newton falls onto it from an upper bound, since the left side is convex and
 * rising. */
static double root(double p, double b, double c, double q, int power)
{
    double t;
    bool exact = q <= 0;
    if (power == 0)
        t = c > 0   ? fmax(p - b, 0) / c
            : q > 0 ? cbrt(fmax(p - b, 0) / q)
                    : (p > b ? DBL_MAX : 0);
    else if (power == 1)
        t = 2 * p / fmax(b + sqrt(b * b + 4 * c * p), DBL_MIN);
    else {
        t = fmin(sqrt(p / fmax(b, DBL_MIN)), cbrt(p / fmax(c, DBL_MIN)));
        exact = exact && c <= 0;
    }
    if (q > 0) /* the quartic alone is a bound too: from far away Newton would not arrive */
        t = fmin(t, power == 0   ? cbrt(fmax(p - b, 0) / q)
                    : power == 1 ? sqrt(sqrt(p / q))
                                 : pow(p / q, 0.2));
    for (int step = 0; !exact && t > 0 && step < 60; step++) {
        const double left = b + t * (c + t * t * q);
        const double value = power == 0   ? left - p
                             : power == 1 ? t * left - p
                                          : t * t * left - p;
        const double slope = power == 0   ? c + 3 * t * t * q
                             : power == 1 ? b + t * (2 * c + 4 * t * t * q)
                                          : t * (2 * b + t * (3 * c + 5 * t * t * q));
        const double next = t - value / slope;
        if (!(next < t))
            break;
        t = next > 0 ? next : 0;
    }
    return t;
}

/* The root of b + c t + q t^3 + e (t + log t) = p / t + f r(t), r what contrast falls with: the left
 * side rises, the right one falls. Newton's steps in log t, within a bracket that each of them
 * narrows. */
static double log_root(double p, double b, double c, double q, double e, double f)
{
    double low = -70, high = 70, u = 0;
    if (!(p + fabs(b) + c + q + e + f > 0)) /* nothing moves it */
        return 1;
    for (int step = 0; step < 100; step++) {
        const double t = exp(u), falling = u < 0 ? (1 - u) / t : 2 / t - 1;
        const double value = b + t * (c + t * t * q) + e * (t + u) - p / t - f * falling;
        const double slope =
            t * (c + 3 * t * t * q) + e * (t + 1) + p / t + f * (u < 0 ? 2 - u : 2) / t;
        *(value > 0 ? &high : &low) = u;
        const double newton = u - value / slope,
                     next = newton >= low && newton <= high ? newton : (low + high) / 2;
        if (fabs(next - u) < 1e-14)
            break;
        u = next;
    }
    return exp(u);
}

static void majorise(void *theta, const tsr__halves *halves, int power, int64_t count)
{
    real *t = theta;
    const real *minus = halves->minus, *flat = halves->flat, *curved = halves->curved,
               *quartic = halves->quartic, *entropy = halves->entropy,
               *contrast = halves->contrast;
    for (int64_t i = 0; i < count; i++) {
        const double p = (double)minus[i], b = (double)at(flat, i), c = (double)at(curved, i),
                     q = (double)at(quartic, i);
        const double by = entropy != NULL
                              ? log_root(p, b, c, q, (double)entropy[i], (double)contrast[i])
                              : root(p, b, c, q, power);
        const double next = (double)t[i] * fmin(by, 1e30);
        t[i] = t[i] > 0 ? (real)fmin(next, (double)largest) : 0;
    }
}

/* theta t with t the root of q t^4 + a t^2 - l t - c = 0: l = minus - flat of either sign, a =
 * curved, c = anti, q = quartic. Without q it is (l + sqrt(l^2 + 4 a c)) / 2 a; with q that is
 * an upper bound, from which Newton falls onto the root. */
static double signed_factor(double l, double a, double c, double q)
{
    const double up = l + sqrt(l * l + 4 * a * c);
    double t = fmin(fmax(up, 0) / fmax(2 * a, DBL_MIN), 1e30);
    if (q > 0) /* beyond this the quartic alone outweighs l t, and c */
        t = fmin(t, fmax(cbrt(2 * fmax(l, 0) / q), sqrt(sqrt(2 * c / q))));
    for (int step = 0; q > 0 && t > 0 && step < 60; step++) {
        const double value = t * (t * (a + q * t * t) - l) - c;
        const double next = t - value / (t * (2 * a + 4 * q * t * t) - l);
        if (!(next < t))
            break;
        t = next > 0 ? next : 0;
    }
    return t;
}

static void signed_root(void *theta, const tsr__halves *halves, int64_t count)
{
    real *t = theta;
    const real *minus = halves->minus, *flat = halves->flat, *curved = halves->curved,
               *quartic = halves->quartic, *anti = halves->anti;
    for (int64_t i = 0; i < count; i++) {
        const double by =
            signed_factor((double)minus[i] - (double)at(flat, i), (double)curved[i],
                          (double)at(anti, i), (double)at(quartic, i));
        t[i] = t[i] > 0 ? (real)fmin((double)t[i] * by, (double)largest) : 0;
    }
}

static void extrapolate(void *theta, void *plain, double by, double floor, int64_t count)
{
    real *t = theta, *before = plain;
    const real push = (real)by, least = (real)floor;
    for (int64_t i = 0; i < count; i++) {
        const real now = t[i], next = now + push * (now - before[i]), low = least * now;
        before[i] = now;
        t[i] = next > low ? next : low;
    }
}

static int64_t positive_part(void *to, const void *from, int64_t count)
{
    real *y = to;
    const real *x = from;
    int64_t best = 0;
    for (int64_t i = 0; i < count; i++) {
        best = x[i] > x[best] ? i : best;
        y[i] = x[i] > 0 ? x[i] : 0;
    }
    return best;
}

/* sum y - x, in eight lanes */
static double excess(const real *y, const real *x, int64_t count)
{
    double lane[LANES] = {0};
    for (int64_t i = 0; i < count; i += LANES) {
        const int lanes = count - i < LANES ? (int)(count - i) : LANES;
        for (int l = 0; l < lanes; l++)
            lane[l] += (double)y[i + l] - (double)x[i + l];
    }
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) +
           ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

static double ratio(void *y, const void *x, int64_t count, bool value)
{
    real *to = y;
    const real *from = x;
    const double sum = value ? excess(to, from, count) : 0;
    for (int64_t i = 0; i < count; i++) {
        const real r = from[i] / guarded(to[i]);
        to[i] = r < largest ? r : largest;
    }
    return value ? sum + weigh_logarithms(from, to, count, 0) : 0;
}

static double inverse(void *y, void *square, const void *x, int64_t count, bool value)
{
    real *to = y, *ratio = square;
    const real *from = x;
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        const real one = 1 / guarded(to[i]), quotient = from[i] * one;
        const bool known = from[i] > 0;
        if (value && known)
            sum += (double)quotient - log((double)from[i] / (double)guarded(to[i])) - 1;
        const real both = quotient * one;
        to[i] = known ? one : 0;
        ratio[i] = known ? (both < largest ? both : largest) : 0;
    }
    return sum;
}

extern const tsr__kernels KERNEL(tsr__kernels_);
const tsr__kernels KERNEL(tsr__kernels_) = {.sweep = sweep,
                                            .mark = mark,
                                            .scale = scale,
                                            .shift = shift,
                                            .widen = widen,
                                            .narrow = narrow,
                                            .raise = raise,
                                            .transpose = transpose,
                                            .add = add,
                                            .dot = dot,
                                            .scale_columns = scale_columns,
                                            .scale_rows = scale_rows,
                                            .add_column_sums = add_column_sums,
                                            .add_column_squares = add_column_squares,
                                            .lift = lift,
                                            .multiply = multiply,
                                            .majorise = majorise,
                                            .signed_root = signed_root,
                                            .extrapolate = extrapolate,
                                            .positive_part = positive_part,
                                            .ratio = ratio,
                                            .inverse = inverse};
