/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Coordinate descent on rows of least squares, against plain loops. */
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

/* A weight so small that one over it is no number any more: the row stays. */
static void try_faint(const variant *kind)
{
    squares s = make_squares(kind);
    const int64_t k = kind->k;
    if (s.weight.count == 0 || s.bend.count > 0 || s.slope.count > 0) {
        free_squares(&s);
        return;
    }
    put(&s.weight, 0, pick(kind->type, 1e-310, 1e-40));
    run_squares(&s, 5);
    for (int64_t i = 0; i < kind->rows * k; i++)
        assert_true(at(&s.theta, i) >= 0 && at(&s.theta, i) < 1e4);
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

static void test_squares_of_faint_rows(void **state)
{
    (void)state;
    for_all(try_faint, HEIGHTS);
}

static void test_squares_rows_are_alone(void **state)
{
    (void)state;
    for_all(try_alone, HEIGHTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_squares_are_gauss_seidel),
        cmocka_unit_test(test_squares_reach_the_optimum),
        cmocka_unit_test(test_squares_never_rise),
        cmocka_unit_test(test_squares_without_curvature),
        cmocka_unit_test(test_squares_of_faint_rows),
        cmocka_unit_test(test_squares_rows_are_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
