/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Arrays of either type behind one interface, guarded by NaN, and the variants of problems that
 * the tests of the descent kernels walk. */
#ifndef TSR_TESTS_REALS_H
#define TSR_TESTS_REALS_H

#include "check.h"
#include "matrix/descent.h"
#include <math.h>

extern const tsr__descents tsr__descents_f64_base, tsr__descents_f32_base;

/* Arrays of either type. Behind the last value stand NaNs: read, they spoil a result; written,
 * they are missed. */
typedef struct reals {
    tsr_type type;
    int64_t count;
    void *v;
} reals;

enum { GUARD = 16 };

static inline double at(const reals *r, int64_t i)
{
    return r->type == TSR_FLOAT64 ? ((const double *)r->v)[i] : (double)((float *)r->v)[i];
}

static inline void put(const reals *r, int64_t i, double value)
{
    if (r->type == TSR_FLOAT64)
        ((double *)r->v)[i] = value;
    else
        ((float *)r->v)[i] = (float)value;
}

static int64_t size_of(const reals *r)
{
    return r->type == TSR_FLOAT64 ? (int64_t)sizeof(double) : (int64_t)sizeof(float);
}

static inline void *from(const reals *r, int64_t i)
{
    return r->v == NULL ? NULL : (char *)r->v + i * size_of(r);
}

static inline reals make(tsr_type type, int64_t count)
{
    reals r = {type, count, NULL};
    r.v = tsr__alloc(count + GUARD, (size_t)size_of(&r));
    assert_non_null(r.v);
    for (int64_t i = 0; i < count + GUARD; i++)
        put(&r, i, (double)NAN);
    return r;
}

static inline reals copy(const reals *r)
{
    reals made = make(r->type, r->count);
    memcpy(made.v, r->v, (size_t)(r->count * size_of(r)));
    return made;
}

static inline void release(reals *r)
{
    for (int64_t i = 0; r->v != NULL && i < GUARD; i++)
        assert_true(isnan(at(r, r->count + i)));
    tsr__free(r->v);
}

static inline void check_near(double got, double expected, double error)
{
    if (!(fabs(got - expected) <= error))
        fail_msg("%.17g instead of %.17g +- %g", got, expected, error);
}

static inline void check_at_most(double got, double most)
{
    if (!(got <= most))
        fail_msg("%.17g is more than %.17g", got, most);
}

static inline double uniform(tsr__random *random, double low, double high)
{
    return low + (high - low) * tsr__random_uniform(random);
}

/* By type. */
static inline double pick(tsr_type type, double for_double, double for_float)
{
    return type == TSR_FLOAT64 ? for_double : for_float;
}

/* What of a problem is present. */
enum { WEIGHT = 1, SLOPE = 2, BEND = 4 };
static const int parts[] = {0, WEIGHT, SLOPE, WEIGHT | SLOPE, SLOPE | BEND, 7};
static const int64_t widths[] = {1, 3, 8, 17, 40, 41}, heights[] = {1, 15, 16, 33};
enum { MOST = 41, PARTS = 6, WIDTHS = 6, HEIGHTS = 4 };

typedef struct variant {
    const tsr__descents *kernels;
    tsr_type type;
    int64_t rows, k;
    int parts;
} variant;

/* Calls `trial` for all kinds of problems; `heights` of them. */
static inline void for_all(void (*trial)(const variant *), int tall)
{
    for (int set = 0; set < 4; set++)
        for (int w = 0; w < WIDTHS; w++)
            for (int h = 0; h < tall; h++)
                for (int p = 0; p < PARTS; p++) {
                    const tsr_type type = set % 2 ? TSR_FLOAT32 : TSR_FLOAT64;
                    const tsr__descents *base =
                        set % 2 ? &tsr__descents_f32_base : &tsr__descents_f64_base;
                    const variant kind = {set < 2 ? tsr__descents_of(type) : base, type,
                                          heights[h], widths[w], parts[p]};
                    trial(&kind);
                }
}

/* Least squares --------------------------------------------------------------------------- */

static inline double or_else(const reals *r, int64_t i, double otherwise)
{
    return r->v != NULL ? at(r, i) : otherwise;
}

static inline void take_row(double *g, const reals *theta, int64_t i, int64_t k)
{
    for (int64_t j = 0; j < k; j++)
        g[j] = at(theta, i * k + j);
}

#endif
