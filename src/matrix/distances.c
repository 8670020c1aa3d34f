/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The kernels of distances for one element type and one instruction set; the build compiles
 * this file once for each, as it does kernels.c. */
#include "matrix/distances.h"

#include "matrix/real.h"

#include <math.h>

enum { LANES = 8, STRIP = 64 };

static double total(const double *lane)
{
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) +
           ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

static void center(double *to, const void *from, int64_t stride, const double *mean,
                   int64_t rows, int64_t columns)
{
    for (int64_t i = 0; i < rows; i++) {
        const real *restrict row = (const real *)from + i * stride;
        const double *restrict by = mean;
        double *restrict out = to + i * columns;
        for (int64_t j = 0; j < columns; j++)
            out[j] = (double)row[j] - by[j];
    }
}

static double apart(const void *x, const void *y, int64_t count)
{
    const real *a = x, *b = y;
    double lane[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        for (int l = 0; l < LANES; l++) {
            const double d = (double)a[i + l] - (double)b[i + l];
            lane[l] += d * d;
        }
    }
    for (int l = 0; i < count; i++, l++) {
        const double d = (double)a[i] - (double)b[i];
        lane[l] += d * d;
    }
    return total(lane);
}

static int64_t list_below(int32_t *out, const real *p, const real *low, real limit,
                          int64_t first, int64_t end)
{
    int64_t found = 0;
    for (int64_t i = first; i < end; i++)
        if (low[i] - 2 * p[i] <= limit)
            out[found++] = (int32_t)i;
    return found;
}

/* Hits are rare: a strip is looked through only when it holds one. */
static int64_t below(int32_t *out, const void *product, const void *low, double limit,
                     int64_t count)
{
    const real *restrict p = product, *restrict l = low;
    const real most = (real)limit;
    int64_t found = 0, i = 0;
    for (; i + STRIP <= count; i += STRIP) {
        int hits = 0;
        for (int j = 0; j < STRIP; j++)
            hits |= l[i + j] - 2 * p[i + j] <= most;
        if (hits)
            found += list_below(out + found, p, l, most, i, i + STRIP);
    }
    return found + list_below(out + found, p, l, most, i, count);
}

static void two_least(void *which, void *least, void *second, const void *product,
                      int64_t stride, const void *square, int64_t centers, int64_t count)
{
    real *restrict w = which, *restrict one = least, *restrict two = second;
    for (int64_t i = 0; i < count; i++) {
        w[i] = 0;
        one[i] = two[i] = (real)INFINITY;
    }
    for (int64_t a = 0; a < centers; a++) {
        const real *restrict p = (const real *)product + a * stride;
        const real own = ((const real *)square)[a], number = (real)a;
        for (int64_t i = 0; i < count; i++) {
            const real d = own - 2 * p[i], before = one[i];
            const real worse = d < before ? before : d;
            w[i] = d < before ? number : w[i];
            one[i] = d < before ? d : before;
            two[i] = worse < two[i] ? worse : two[i];
        }
    }
}

static inline double remaining(real *out, real product, real own, real square, real nearest)
{
    const real d = own + square - 2 * product;
    *out = d > 0 ? d : 0;
    return (double)(*out < nearest ? *out : nearest);
}

static double spread(void *out, const void *product, const void *own, double square,
                     const void *nearest, int64_t count)
{
    real *restrict to = out;
    const real *restrict p = product, *restrict x = own, *restrict near = nearest;
    const real c = (real)square;
    double lane[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (int l = 0; l < LANES; l++)
            lane[l] += remaining(&to[i + l], p[i + l], x[i + l], c, near[i + l]);
    for (int l = 0; i < count; i++, l++)
        lane[l] += remaining(&to[i], p[i], x[i], c, near[i]);
    return total(lane);
}

extern const tsr__distances KERNEL(tsr__distances_);
const tsr__distances KERNEL(tsr__distances_) = {
    .center = center, .apart = apart, .below = below, .two_least = two_least, .spread = spread};
