/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Coordinate descent on rows of least squares and on concept weights, against plain loops. */
#include "reals.h"

typedef struct squares {
    variant kind;
    reals theta, start, projection, gram, weight, slope, bend;
} squares;

static squares make_squares(const variant *kind)
{
    const tsr_type type = kind->type;
    const int64_t k = kind->k, rows = kind->rows, m = 3 * k + 5;
    tsr__random random = tsr__random_seed(3, (uint64_t)(k * 100 + rows));
    squares s = {.kind = *kind,
                 .projection = make(type, rows * k),
                 .gram = make(type, k * k),
                 .start = make(type, rows * k)};
    double *factor = tsr__alloc(m * k, sizeof *factor);
    for (int64_t i = 0; i < m * k; i++)
        factor[i] = uniform(&random, -1, 1);
    for (int64_t j = 0; j < k; j++)
        for (int64_t l = 0; l < k; l++) {
            double sum = 0;
            for (int64_t i = 0; i < m; i++)
                sum += factor[i * k + j] * factor[i * k + l];
            put(&s.gram, j * k + l, sum / (double)m);
        }
    tsr__free(factor);
    for (int64_t i = 0; i < rows * k; i++) {
        put(&s.projection, i, tsr__random_normal(&random));
        put(&s.start, i, tsr__random_uniform(&random) < 0.3 ? 0 : uniform(&random, 0, 3));
    }
    s.theta = copy(&s.start);
    if (kind->parts & WEIGHT)
        s.weight = make(type, rows);
    for (int64_t i = 0; i < s.weight.count; i++)
        put(&s.weight, i, uniform(&random, 0.25, 2));
    if (kind->parts & SLOPE)
        s.slope = make(type, rows * k);
    for (int64_t i = 0; i < s.slope.count; i++)
        put(&s.slope, i, uniform(&random, -1, 1));
    if (kind->parts & BEND)
        s.bend = make(type, rows * k);
    for (int64_t i = 0; i < s.bend.count; i++)
        put(&s.bend, i, i % 3 == 0 ? 0 : uniform(&random, 0, 2));
    return s;
}

static void free_squares(squares *s)
{
    release(&s->theta), release(&s->start), release(&s->projection), release(&s->gram);
    release(&s->weight), release(&s->slope), release(&s->bend);
}

static void run_rows(const squares *s, int64_t first, int64_t rows, int sweeps)
{
    const int64_t k = s->kind.k;
    reals work = make(s->kind.type, tsr__descent_room(k));
    const tsr__descent descent = {.theta = from(&s->theta, first * k),
                                  .projection = from(&s->projection, first * k),
                                  .gram = s->gram.v,
                                  .weight = from(&s->weight, first),
                                  .slope = from(&s->slope, first * k),
                                  .bend = from(&s->bend, first * k),
                                  .work = work.v,
                                  .rows = rows,
                                  .k = k,
                                  .sweeps = sweeps};
    s->kind.kernels->squares(&descent);
    release(&work);
}

static void run_squares(const squares *s, int sweeps)
{
    memcpy(s->theta.v, s->start.v, (size_t)(s->theta.count * size_of(&s->theta)));
    run_rows(s, 0, s->kind.rows, sweeps);
}

/* Gradient and curvature of row i at g, and what the gradient's terms add up to without their
 * signs. */
static double gradient(double *curve, double *size, const squares *s, int64_t i, int64_t j,
                       const double *g)
{
    const int64_t k = s->kind.k, here = i * k + j;
    const double weight = 2 * or_else(&s->weight, i, 1), bend = or_else(&s->bend, here, 0);
    const double slope = or_else(&s->slope, here, 0), start = at(&s->start, here);
    double sum = -at(&s->projection, here), all = fabs(sum);
    for (int64_t l = 0; l < k; l++) {
        sum += at(&s->gram, j * k + l) * g[l];
        all += fabs(at(&s->gram, j * k + l) * g[l]);
    }
    *curve = weight * at(&s->gram, j * k + j) + bend;
    *size = weight * all + fabs(slope) + bend * (g[j] + start);
    return weight * sum + slope + bend * (g[j] - start);
}

static double squares_value(const squares *s, int64_t i, const double *g)
{
    const int64_t k = s->kind.k;
    double sum = 0, rest = 0;
    for (int64_t j = 0; j < k; j++) {
        const double moved = g[j] - at(&s->start, i * k + j);
        for (int64_t l = 0; l < k; l++)
            sum += g[j] * at(&s->gram, j * k + l) * g[l];
        sum -= 2 * g[j] * at(&s->projection, i * k + j);
        rest += or_else(&s->slope, i * k + j, 0) * moved +
                or_else(&s->bend, i * k + j, 0) / 2 * moved * moved;
    }
    return or_else(&s->weight, i, 1) * sum + rest;
}

static void try_one_sweep(const variant *kind)
{
    squares s = make_squares(kind);
    const int64_t k = kind->k;
    int moved = 0;
    run_squares(&s, 1);
    for (int64_t i = 0; i < kind->rows; i++) {
        double g[MOST], curve, size;
        take_row(g, &s.start, i, k);
        for (int64_t j = 0; j < k; j++) {
            const double slope = gradient(&curve, &size, &s, i, j, g);
            g[j] = fmax(0, g[j] - slope / curve);
            check_near(at(&s.theta, i * k + j), g[j], pick(kind->type, 1e-12, 1e-4));
            moved += g[j] != at(&s.start, i * k + j);
        }
    }
    assert_true(moved > 0 || kind->rows * k < 4);
    free_squares(&s);
}

static void try_squares_optimum(const variant *kind)
{
    squares s = make_squares(kind);
    run_squares(&s, 400);
    for (int64_t i = 0; i < kind->rows; i++) {
        double g[MOST], curve, size;
        take_row(g, &s.theta, i, kind->k);
        for (int64_t j = 0; j < kind->k; j++) {
            const double slope = gradient(&curve, &size, &s, i, j, g);
            assert_true(g[j] >= 0);
            check_at_most(-slope, pick(kind->type, 1e-12, 1e-5) * size);
            if (g[j] > 0)
                check_near(slope, 0, pick(kind->type, 1e-12, 1e-5) * size);
        }
    }
    free_squares(&s);
}

static void try_squares_fall(const variant *kind)
{
    squares s = make_squares(kind);
    double before[33], g[MOST], total = 0;
    for (int sweeps = 0; sweeps < 6; sweeps++) {
        run_squares(&s, sweeps);
        for (int64_t i = 0; i < kind->rows; i++) {
            take_row(g, &s.theta, i, kind->k);
            const double value = squares_value(&s, i, g);
            if (sweeps > 0)
                check_at_most(value,
                              before[i] + pick(kind->type, 1e-12, 1e-5) * (1 + fabs(value)));
            total += sweeps > 0 ? before[i] - value : 0;
            before[i] = value;
        }
    }
    assert_true(total > 0);
    free_squares(&s);
}

/* Without curvature there is nowhere to go, and the others go on as if it were not there. */
static void try_flat(const variant *kind)
{
    squares s = make_squares(kind);
    const int64_t k = kind->k, flat = k / 2;
    for (int64_t j = 0; j < k; j++) {
        put(&s.gram, flat * k + j, 0);
        put(&s.gram, j * k + flat, 0);
    }
    for (int64_t i = 0; i < s.bend.count; i += k)
        put(&s.bend, i + flat, i % 2 ? 0.5 : 0);
    run_squares(&s, 20);
    for (int64_t i = 0; i < kind->rows; i++) {
        double g[MOST], curve, size;
        take_row(g, &s.theta, i, k);
        const double slope = gradient(&curve, &size, &s, i, flat, g);
        if (curve == 0)
            assert_true(g[flat] == at(&s.start, i * k + flat));
        else if (g[flat] > 0)
            check_near(slope, 0, pick(kind->type, 1e-12, 1e-5) * size);
        for (int64_t j = 0; j < k; j++)
            assert_true(g[j] >= 0 && g[j] < 1e4);
    }
    free_squares(&s);
}

static void try_alone(const variant *kind)
{
    squares s = make_squares(kind);
    run_squares(&s, 3);
    reals together = copy(&s.theta);
    memcpy(s.theta.v, s.start.v, (size_t)(s.theta.count * size_of(&s.theta)));
    run_rows(&s, 0, 0, 3);
    assert_memory_equal(s.theta.v, s.start.v, (size_t)(s.theta.count * size_of(&s.theta)));
    for (int64_t i = 0; i < kind->rows; i++)
        run_rows(&s, i, 1, 3);
    assert_memory_equal(s.theta.v, together.v, (size_t)(together.count * size_of(&together)));
    release(&together);
    free_squares(&s);
}

static void test_squares_are_gauss_seidel(void **state)
{
    (void)state;
    for_all(try_one_sweep, HEIGHTS);
}

static void test_squares_reach_the_optimum(void **state)
{
    (void)state;
    for_all(try_squares_optimum, 2);
}

static void test_squares_never_rise(void **state)
{
    (void)state;
    for_all(try_squares_fall, HEIGHTS);
}

static void test_squares_without_curvature(void **state)
{
    (void)state;
    for_all(try_flat, HEIGHTS);
}

static void test_squares_rows_are_alone(void **state)
{
    (void)state;
    for_all(try_alone, HEIGHTS);
}

/* Kullback-Leibler ------------------------------------------------------------------------ */

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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_squares_are_gauss_seidel),
        cmocka_unit_test(test_squares_reach_the_optimum),
        cmocka_unit_test(test_squares_never_rise),
        cmocka_unit_test(test_squares_without_curvature),
        cmocka_unit_test(test_squares_rows_are_alone),
        cmocka_unit_test(test_weave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
