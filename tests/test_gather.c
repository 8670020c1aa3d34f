/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Sparse rows against a dense factor: the kernels chosen for this machine and the portable ones,
 * against plain loops in double. */
#include "check.h"

#include "matrix/gather.h"

#include <float.h>
#include <math.h>

extern const tsr__gathers tsr__gathers_f64_base, tsr__gathers_f32_base;

enum { SAMPLES = 9, FEATURES = 150, MOST = 97, GUARD = 32 };

static double get(const void *v, tsr_type type, int64_t i)
{
    return type == TSR_FLOAT64 ? ((const double *)v)[i] : (double)((const float *)v)[i];
}

static void set(void *v, tsr_type type, int64_t i, double value)
{
    if (type == TSR_FLOAT64)
        ((double *)v)[i] = value;
    else
        ((float *)v)[i] = (float)value;
}

/* Room for `count` values with `behind` NaNs after them: read, they spoil a result; written,
 * they are missed. */
static void *make(tsr_type type, int64_t count, int64_t behind)
{
    void *v = tsr__alloc(count + behind, type == TSR_FLOAT64 ? sizeof(double) : sizeof(float));
    assert_non_null(v);
    for (int64_t i = 0; i < count + behind; i++)
        set(v, type, i, (double)NAN);
    return v;
}

static void check_behind(const void *v, tsr_type type, int64_t count)
{
    for (int64_t i = count; i < count + GUARD; i++)
        assert_true(isnan(get(v, type, i)));
}

static void check_near(double got, double expected, double error)
{
    if (!(fabs(got - expected) <= error))
        fail_msg("%.17g instead of %.17g +- %g", got, expected, error);
}

/* Rows of no entry, of one (in the first or the last column), of all, and of some: more than a
 * kernel takes at a time. */
typedef struct sparse {
    const tsr__gathers *kernels;
    tsr_type type;
    int64_t rows[SAMPLES + 1];
    int32_t columns[SAMPLES * FEATURES];
    void *values, *factor, *codes;
    tsr__gather gather;
} sparse;

static bool stored(int64_t row, int64_t column, tsr__random *random)
{
    static const double share[SAMPLES] = {0, 0, 0, 1, 0, 0.2, 0.5, 0.7, 0};
    const bool one = (row == 1 && column == 0) || (row == 2 && column == FEATURES - 1);
    return tsr__random_uniform(random) < share[row] || one;
}

static void make_sparse(sparse *s, int set_of, int64_t k, int64_t factor_rows, int64_t behind)
{
    tsr__random random = tsr__random_seed(2, (uint64_t)k);
    const tsr_type type = set_of % 2 ? TSR_FLOAT32 : TSR_FLOAT64;
    const tsr__gathers *base = set_of % 2 ? &tsr__gathers_f32_base : &tsr__gathers_f64_base;
    int64_t count = 0;
    *s = (sparse){.kernels = set_of < 2 ? tsr__gathers_of(type) : base, .type = type};
    s->values = make(type, SAMPLES * FEATURES, 0);
    for (int64_t i = 0; i < SAMPLES; i++) {
        for (int32_t f = 0; f < FEATURES; f++)
            if (stored(i, f, &random)) {
                set(s->values, type, count,
                    f % 11 == 10 ? 0 : 0.1 + tsr__random_uniform(&random));
                s->columns[count++] = f;
            }
        s->rows[i + 1] = count;
    }
    s->factor = make(type, factor_rows * k, behind);
    for (int64_t i = 0; i < factor_rows * k; i++)
        set(s->factor, type, i, 0.1 + tsr__random_uniform(&random));
    s->codes = make(type, SAMPLES * k, behind);
    for (int64_t i = 0; i < SAMPLES * k; i++)
        set(s->codes, type, i,
            tsr__random_uniform(&random) < 0.2 ? 0 : 0.1 + tsr__random_uniform(&random));
    s->gather = (tsr__gather){s->rows, s->columns, s->values, SAMPLES, s->factor, k};
}

static void free_sparse(sparse *s)
{
    tsr__free(s->values);
    tsr__free(s->factor);
    tsr__free(s->codes);
}

static double value_at(const sparse *s, int64_t entry)
{
    return get(s->values, s->type, entry);
}

static double factor_at(const sparse *s, int64_t row, int64_t j)
{
    return get(s->factor, s->type, row * s->gather.k + j);
}

static double error_of(tsr_type type)
{
    return type == TSR_FLOAT64 ? 1e-13 : 1e-5;
}

/* Calls `trial` for all sets of kernels and widths, with the factor's last row the last thing
 * in its memory, and with NaNs behind it. */
static void for_all(void (*trial)(sparse *), int64_t factor_rows)
{
    for (int set_of = 0; set_of < 4; set_of++)
        for (int64_t k = 1; k <= MOST; k++) {
            sparse s;
            make_sparse(&s, set_of, k, factor_rows, k % 2 ? 0 : GUARD);
            trial(&s);
            free_sparse(&s);
            make_sparse(&s, set_of, k, factor_rows, k % 2 ? GUARD : 0);
            trial(&s);
            free_sparse(&s);
        }
}

static void try_project(sparse *s)
{
    const int64_t k = s->gather.k;
    void *out = make(s->type, SAMPLES * k, GUARD);
    s->kernels->project(out, &s->gather);
    for (int64_t i = 0; i < SAMPLES; i++) {
        double sum[MOST] = {0};
        for (int64_t e = s->rows[i]; e < s->rows[i + 1]; e++)
            for (int64_t j = 0; j < k; j++)
                sum[j] += value_at(s, e) * factor_at(s, s->columns[e], j);
        for (int64_t j = 0; j < k; j++)
            check_near(get(out, s->type, i * k + j), sum[j], error_of(s->type) * sum[j]);
    }
    check_behind(out, s->type, SAMPLES * k);
    tsr__free(out);
}

/* What is already there stays in the sum, be it of doubles or of the values' type. */
static void try_sum(sparse *s, bool doubles)
{
    const int64_t k = s->gather.k;
    const tsr_type type = doubles ? TSR_FLOAT64 : s->type;
    void *out = make(type, FEATURES * k, GUARD);
    double *sum = tsr__alloc(FEATURES * k, sizeof *sum);
    for (int64_t i = 0; i < FEATURES * k; i++) {
        sum[i] = (double)(i % 7);
        set(out, type, i, sum[i]);
    }
    if (doubles)
        s->kernels->collect(out, &s->gather);
    else
        s->kernels->spread(out, &s->gather);
    for (int64_t i = 0; i < SAMPLES; i++)
        for (int64_t e = s->rows[i]; e < s->rows[i + 1]; e++)
            for (int64_t j = 0; j < k; j++)
                sum[s->columns[e] * k + j] += value_at(s, e) * factor_at(s, i, j);
    for (int64_t i = 0; i < FEATURES * k; i++)
        check_near(get(out, type, i), sum[i], error_of(s->type) * sum[i]);
    check_behind(out, type, FEATURES * k);
    tsr__free(out);
    tsr__free(sum);
}

static void try_collect(sparse *s)
{
    try_sum(s, true);
    try_sum(s, false);
}

/* out = (X / y) factor in double; returns sum x log(x / y) - x. */
static double naive_ratio(double *out, double *size, const sparse *s)
{
    const int64_t k = s->gather.k;
    double sum = 0;
    *size = 0;
    memset(out, 0, (size_t)(SAMPLES * k) * sizeof *out);
    for (int64_t i = 0; i < SAMPLES; i++)
        for (int64_t e = s->rows[i]; e < s->rows[i + 1]; e++) {
            const double x = value_at(s, e);
            double y = 0;
            for (int64_t j = 0; j < k; j++)
                y += get(s->codes, s->type, i * k + j) * factor_at(s, s->columns[e], j);
            for (int64_t j = 0; j < k; j++)
                out[i * k + j] += x / y * factor_at(s, s->columns[e], j);
            const double term = x > 0 ? x * log(x / y) - x : 0;
            sum += term;
            *size += fabs(term) + x;
        }
    return sum;
}

static void try_ratio(sparse *s)
{
    const int64_t k = s->gather.k;
    void *out = make(s->type, SAMPLES * k, GUARD);
    double naive[SAMPLES * MOST], size;
    for (int64_t i = 0; i < SAMPLES; i++) /* no reconstruction is zero */
        set(s->codes, s->type, i * k + i % k, 0.5);
    const double expected = naive_ratio(naive, &size, s), error = error_of(s->type);
    const double value = s->kernels->ratio(out, &s->gather, s->codes, true);
    check_near(value, expected, error * size);
    for (int64_t i = 0; i < SAMPLES * k; i++)
        check_near(get(out, s->type, i), naive[i], error * naive[i]);
    check_behind(out, s->type, SAMPLES * k);
    assert_true(s->kernels->ratio(NULL, &s->gather, s->codes, true) == value);
    for (int64_t i = 0; i < SAMPLES * k; i++)
        set(out, s->type, i, (double)NAN);
    (void)s->kernels->ratio(out, &s->gather, s->codes, false);
    for (int64_t i = 0; i < SAMPLES * k; i++)
        check_near(get(out, s->type, i), naive[i], error * naive[i]);
    tsr__free(out);
}

/* Codes of nothing reconstruct nothing; the quotients are large, and numbers all the same.
 * Zeros stay zeros: the third row holds one, and nothing else. */
static void try_nothing(sparse *s)
{
    const int64_t k = s->gather.k;
    void *out = make(s->type, SAMPLES * k, GUARD);
    for (int64_t i = 0; i < SAMPLES * k; i++)
        set(s->codes, s->type, i, 0);
    for (int64_t e = 0; e < s->rows[SAMPLES]; e++)
        set(s->values, s->type, e, e % 5 == 1 ? 0 : 1000);
    for (int64_t i = 0; i < FEATURES * k; i++)
        set(s->factor, s->type, i, 1e-4);
    const double value = s->kernels->ratio(out, &s->gather, s->codes, true);
    assert_true(isfinite(value) && value > 0);
    for (int64_t i = 0; i < SAMPLES; i++)
        for (int64_t j = 0; j < k; j++) {
            const double got = get(out, s->type, i * k + j);
            if (i == 2 || s->rows[i] == s->rows[i + 1])
                assert_true(got == 0);
            else
                assert_true(got > 0 && isfinite(got));
        }
    tsr__free(out);
}

static void test_project(void **state)
{
    (void)state;
    for_all(try_project, FEATURES);
}

static void test_collect(void **state)
{
    (void)state;
    for_all(try_collect, SAMPLES);
}

static void test_ratio(void **state)
{
    (void)state;
    for_all(try_ratio, FEATURES);
}

static void test_ratio_of_nothing(void **state)
{
    (void)state;
    for_all(try_nothing, FEATURES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_project),
        cmocka_unit_test(test_collect),
        cmocka_unit_test(test_ratio),
        cmocka_unit_test(test_ratio_of_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
