/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Coordinate descent on concept weights, sample after sample, against plain loops. */
#include "reals.h"

enum { SAMPLES = 12, FEATURES = 29 };

typedef struct weave {
    variant kind;
    int64_t stride;
    reals x, weights, residual, gram;
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
               .residual = make(kind->type, FEATURES * stride),
               .gram = make(kind->type, k * stride)};
    double codes[SAMPLES * MOST], d[FEATURES * MOST];
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
    naive_residual(d, &w);
    for (int64_t i = 0; i < FEATURES * stride; i++)
        put(&w.residual, i, i % stride < k ? d[i / stride * k + i % stride] : 0);
    return w;
}

static void free_weave(weave *w)
{
    release(&w->x), release(&w->weights), release(&w->residual), release(&w->gram);
}

static void run_weave(const weave *w, int64_t i, bool sparse, int sweeps)
{
    reals values = make(w->kind.type, FEATURES), work = make(w->kind.type, 2 * w->stride);
    int32_t columns[FEATURES];
    double square = 0;
    int64_t count = 0;
    for (int32_t f = 0; f < FEATURES; f++) {
        const double x = at(&w->x, i * FEATURES + f);
        square += x * x;
        if (sparse && x == 0)
            continue;
        put(&values, count, x);
        columns[count++] = f;
    }
    const tsr__weave step = {.x = values.v,
                             .columns = sparse ? columns : NULL,
                             .count = count,
                             .square = square,
                             .weights = from(&w->weights, i * w->kind.k),
                             .residual = w->residual.v,
                             .gram = w->gram.v,
                             .work = work.v,
                             .k = w->kind.k,
                             .stride = w->stride,
                             .sweeps = sweeps};
    w->kind.kernels->weave(&step);
    release(&values), release(&work);
}

/* Sample i's weights after cyclic descent from those that it has. */
static void naive_block(double *weights, const weave *w, int64_t i, int sweeps)
{
    const int64_t k = w->kind.k;
    double start[MOST], slope[MOST] = {0}, square = 0;
    take_row(start, &w->weights, i, k);
    memcpy(weights, start, sizeof start);
    for (int64_t f = 0; f < FEATURES; f++) {
        const double x = at(&w->x, i * FEATURES + f);
        square += x * x;
        for (int64_t j = 0; j < k; j++)
            slope[j] += x * at(&w->residual, f * w->stride + j);
    }
    for (int64_t step = 0; step < sweeps * k; step++) {
        const int64_t j = step % k;
        const double curve = square * at(&w->gram, j * w->stride + j);
        double here = slope[j];
        for (int64_t l = 0; l < k; l++)
            here += square * (weights[l] - start[l]) * at(&w->gram, l * w->stride + j);
        if (curve > 0)
            weights[j] = fmax(0, weights[j] - here / curve);
    }
}

static void check_weave(const weave *w, double *value, double error)
{
    const int64_t k = w->kind.k;
    double d[FEATURES * MOST];
    const double now = naive_residual(d, w);
    check_at_most(now, *value + error * (1 + fabs(now)));
    *value = now;
    for (int64_t i = 0; i < FEATURES * w->stride; i++) {
        const int64_t j = i % w->stride;
        check_near(at(&w->residual, i), j < k ? d[i / w->stride * k + j] : 0,
                   j < k ? error * 100 : 0);
    }
}

static void try_weave(const variant *kind)
{
    if (kind->parts != 0)
        return;
    weave dense = make_weave(kind), sparse = make_weave(kind);
    const double error = pick(kind->type, 1e-12, 3e-5);
    double d[FEATURES * MOST], weights[MOST], value = naive_residual(d, &dense);
    const double first = value;
    for (int64_t step = 0; step < 5 * SAMPLES; step++) {
        const int64_t i = step % SAMPLES, k = kind->k;
        const int sweeps = 1 + (int)(step % 3);
        reals before = copy(&dense.weights);
        naive_block(weights, &dense, i, sweeps);
        run_weave(&dense, i, false, sweeps);
        run_weave(&sparse, i, true, sweeps);
        for (int64_t j = 0; j < k; j++)
            check_near(at(&dense.weights, i * k + j), weights[j], error * 10);
        for (int64_t j = 0; j < SAMPLES * k; j++) {
            check_near(at(&sparse.weights, j), at(&dense.weights, j), error * 10);
            assert_true(j / k == i || at(&dense.weights, j) == at(&before, j));
        }
        for (int64_t j = 0; j < dense.residual.count; j++)
            check_near(at(&sparse.residual, j), at(&dense.residual, j), error * 10);
        check_weave(&dense, &value, error);
        release(&before);
    }
    assert_true(value < first);
    free_weave(&dense), free_weave(&sparse);
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
