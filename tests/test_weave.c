/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Coordinate descent on concept weights: runs of samples against one sample after the other, in
 * plain loops. */
#include "reals.h"

enum { SAMPLES = 12, FEATURES = 29, SHORT = 5 }; /* the last of three runs is shorter */

typedef struct weave {
    variant kind;
    int64_t stride;
    reals x, weights, gram;
    double pull[FEATURES * MOST]; /* A */
} weave;

/* D = F B - A from the weights as they are; returns F B F' - 2 F A'. */
static double naive_residual(double *d, const weave *w)
{
    const int64_t k = w->kind.k;
    double value = 0;
    for (int64_t f = 0; f < FEATURES; f++) {
        double basis[MOST] = {0};
        for (int64_t i = 0; i < SAMPLES; i++)
            for (int64_t j = 0; j < k; j++)
                basis[j] += at(&w->x, i * FEATURES + f) * at(&w->weights, i * k + j);
        for (int64_t j = 0; j < k; j++) {
            double sum = -w->pull[f * k + j];
            for (int64_t l = 0; l < k; l++)
                sum += basis[l] * at(&w->gram, l * w->stride + j);
            d[f * k + j] = sum;
            value += basis[j] * (sum - w->pull[f * k + j]);
        }
    }
    return value;
}

static weave make_weave(const variant *kind)
{
    const int64_t k = kind->k, stride = tsr__padded(k);
    tsr__random random = tsr__random_seed(7, (uint64_t)k);
    weave w = {.kind = *kind,
               .stride = stride,
               .x = make(kind->type, SAMPLES * FEATURES),
               .weights = make(kind->type, SAMPLES * k),
               .gram = make(kind->type, k * stride)};
    double codes[SAMPLES * MOST];
    for (int64_t i = 0; i < w.x.count; i++) /* the fourth sample has no entries */
        put(&w.x, i,
            i / FEATURES == 3 || tsr__random_uniform(&random) < 0.5 ? 0
                                                                    : uniform(&random, 0, 2));
    for (int64_t i = 0; i < SAMPLES * k; i++) { /* the last code is zero everywhere */
        codes[i] = k > 1 && i % k == k - 1 ? 0 : uniform(&random, 0, 1);
        put(&w.weights, i, tsr__random_uniform(&random) < 0.3 ? 0 : uniform(&random, 0, 0.2));
    }
    for (int64_t i = 0; i < k * stride; i++)
        put(&w.gram, i, 0);
    for (int64_t j = 0; j < k; j++)
        for (int64_t l = 0; l < k; l++) {
            double sum = 0;
            for (int64_t i = 0; i < SAMPLES; i++)
                sum += codes[i * k + j] * codes[i * k + l];
            put(&w.gram, j * stride + l, sum);
        }
    for (int64_t f = 0; f < FEATURES; f++)
        for (int64_t j = 0; j < k; j++)
            for (int64_t i = 0; i < SAMPLES; i++)
                w.pull[f * k + j] += at(&w.x, i * FEATURES + f) * codes[i * k + j];
    return w;
}

static void free_weave(weave *w)
{
    release(&w->x), release(&w->weights), release(&w->gram);
}

/* Slopes or moves of a run: rows of whole vectors, or the first vector of all rows, then the
 * second. */
typedef struct rows {
    reals of;
    int64_t down, across; /* in vectors */
    int64_t vector;
} rows;

static rows make_rows(const weave *w, bool turned)
{
    const int64_t vector = pick(w->kind.type, 1, 0) > 0 ? 8 : 16;
    rows r = {.of = make(w->kind.type, TSR_RUN * w->stride),
              .down = turned ? 1 : w->stride / vector,
              .across = turned ? TSR_RUN : 1,
              .vector = vector};
    for (int64_t i = 0; i < r.of.count; i++)
        put(&r.of, i, 0);
    return r;
}

static int64_t place(const rows *r, int64_t i, int64_t j)
{
    return (i * r->down + j / r->vector * r->across) * r->vector + j % r->vector;
}

static double inner(const weave *w, int64_t a, int64_t b)
{
    double sum = 0;
    for (int64_t f = 0; f < FEATURES; f++)
        sum += at(&w->x, a * FEATURES + f) * at(&w->x, b * FEATURES + f);
    return sum;
}

/* Samples first .. of a run, with D as it was before those of the last one moved. */
static void run_weave(const weave *w, const double *late, int64_t first, int64_t count,
                      int64_t last, rows *before, rows *moved, int sweeps)
{
    const int64_t k = w->kind.k;
    reals work = make(w->kind.type, 2 * w->stride);
    reals with[2] = {make(w->kind.type, TSR_RUN * TSR_RUN),
                     make(w->kind.type, TSR_RUN * TSR_RUN)};
    rows slope = make_rows(w, before->down == 1);
    for (int64_t i = 0; i < TSR_RUN * TSR_RUN; i++) {
        const int64_t a = i / TSR_RUN, b = i % TSR_RUN;
        const bool in = a < count && last + b < SAMPLES;
        put(&with[0], i, in && b < SHORT ? inner(w, first + a, last + b) : 0);
        put(&with[1], i, a < count && b < count ? inner(w, first + a, first + b) : 0);
    }
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < k; j++) {
            double sum = 0;
            for (int64_t f = 0; f < FEATURES; f++)
                sum += at(&w->x, (first + i) * FEATURES + f) * late[f * k + j];
            put(&slope.of, place(&slope, i, j), sum);
        }
    const tsr__weave step = {.weights = from(&w->weights, first * k),
                             .slope = slope.of.v,
                             .inner = {with[0].v, with[1].v},
                             .before = before->of.v,
                             .moved = moved->of.v,
                             .gram = w->gram.v,
                             .work = work.v,
                             .rows = count,
                             .k = k,
                             .down = slope.down,
                             .across = slope.across,
                             .sweeps = sweeps};
    w->kind.kernels->weave(&step);
    release(&with[0]), release(&with[1]), release(&slope.of), release(&work);
}

/* Sample i's weights after cyclic descent from those that it has. */
static void naive_block(weave *w, int64_t i, int sweeps)
{
    const int64_t k = w->kind.k;
    double d[FEATURES * MOST], start[MOST], weights[MOST], slope[MOST] = {0};
    const double square = inner(w, i, i);
    naive_residual(d, w);
    take_row(start, &w->weights, i, k);
    memcpy(weights, start, sizeof start);
    for (int64_t f = 0; f < FEATURES; f++)
        for (int64_t j = 0; j < k; j++)
            slope[j] += at(&w->x, i * FEATURES + f) * d[f * k + j];
    for (int64_t step = 0; step < sweeps * k; step++) {
        const int64_t j = step % k;
        const double curve = square * at(&w->gram, j * w->stride + j);
        double here = slope[j];
        for (int64_t l = 0; l < k; l++)
            here += square * (weights[l] - start[l]) * at(&w->gram, l * w->stride + j);
        if (curve > 0)
            weights[j] = fmax(0, weights[j] - here / curve);
    }
    for (int64_t j = 0; j < k; j++)
        put(&w->weights, i * k + j, weights[j]);
}

/* D is what it was and what the run moved, sample by sample; behind the run nothing did. */
static void check_moved(const weave *w, const double *late, const double *now, int64_t first,
                        int64_t count, const rows *moved, double error)
{
    const int64_t k = w->kind.k;
    for (int64_t f = 0; f < FEATURES; f++)
        for (int64_t j = 0; j < k; j++) {
            double sum = late[f * k + j];
            for (int64_t i = 0; i < count; i++)
                sum +=
                    at(&w->x, (first + i) * FEATURES + f) * at(&moved->of, place(moved, i, j));
            check_near(sum, now[f * k + j], error * 100);
        }
    for (int64_t i = count; i < TSR_RUN; i++)
        for (int64_t j = 0; j < k; j++)
            assert_true(at(&moved->of, place(moved, i, j)) == 0);
}

static void try_layout(const variant *kind, bool turned)
{
    weave w = make_weave(kind), plain = make_weave(kind);
    const double error = pick(kind->type, 1e-12, 3e-5);
    const int64_t k = kind->k;
    double late[FEATURES * MOST], now[FEATURES * MOST], after[FEATURES * MOST];
    const double first_value = naive_residual(now, &w);
    double value = first_value;
    rows moved[2] = {make_rows(&w, turned), make_rows(&w, turned)};
    memcpy(late, now, sizeof now);
    for (int64_t step = 0; step < 15; step++) {
        const int64_t first = step % 3 * SHORT, last = (step + 2) % 3 * SHORT;
        const int64_t count = SAMPLES - first < SHORT ? SAMPLES - first : SHORT;
        const int sweeps = 1 + (int)(step % 3);
        for (int64_t i = 0; i < count; i++)
            naive_block(&plain, first + i, sweeps);
        run_weave(&w, late, first, count, last, &moved[!(step & 1)], &moved[step & 1], sweeps);
        for (int64_t j = 0; j < SAMPLES * k; j++)
            check_near(at(&w.weights, j), at(&plain.weights, j), error * 100);
        const double next = naive_residual(after, &w);
        check_moved(&w, now, after, first, count, &moved[step & 1], error);
        check_at_most(next, value + error * (1 + fabs(next)));
        value = next;
        memcpy(late, now, sizeof now);
        memcpy(now, after, sizeof now);
    }
    assert_true(value < first_value);
    release(&moved[0].of), release(&moved[1].of);
    free_weave(&w), free_weave(&plain);
}

static void try_weave(const variant *kind)
{
    if (kind->parts != 0)
        return;
    try_layout(kind, false);
    try_layout(kind, true);
}

static void test_weave(void **state)
{
    (void)state;
    for_all(try_weave, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_weave)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
