/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Nearest neighbours against all distances, in every storage, with ties and copies. */
#include "check.h"

#include "matrix/neighbours.h"

#include <math.h>
#include <stdlib.h>

/* How the numbers are laid out: plain, many equal distances, many copies, far from zero, tiny
 * beside their mean, huge. */
enum { PLAIN, GRID, COPIES, FAR, TIGHT, HUGE_VALUES, SHAPES };

static tsr_matrix *make(int shape, int64_t n, int64_t m, tsr_type type, bool sparse,
                        uint64_t seed)
{
    tsr__random random = tsr__random_seed(seed, 0);
    tsr_matrix *dense = NULL, *made = NULL;
    check_ok(tsr_matrix_create(&dense, n, m, TSR_FLOAT64));
    double *v = tsr_matrix_edit(dense);
    for (int64_t i = 0; i < n * m; i++) {
        const double u = tsr__random_uniform(&random);
        v[i] = shape == GRID          ? floor(3 * u)
               : shape == COPIES      ? (i / m % 3 == 0 || i < m ? u : v[i - m])
               : shape == FAR         ? 1e6 + u
               : shape == TIGHT       ? 1 + 1e-6 * u
               : shape == HUGE_VALUES ? 1e30 * (u - 0.5)
                                      : (u < 0.5 ? 0 : u - 0.6);
    }
    check_ok(tsr_matrix_copy_as(&made, dense, type, sparse));
    tsr_matrix_free(dense);
    return made;
}

/* All squared distances, samples x others. */
static double *all_apart(const tsr_matrix *x, const tsr_matrix *y)
{
    const int64_t n = x->samples, others = y->samples, m = x->features;
    double *a = calloc((size_t)(n * m), sizeof *a),
           *b = calloc((size_t)(others * m), sizeof *b);
    double *out = calloc((size_t)(n * others), sizeof *out);
    for (int64_t i = 0; i < n; i++)
        tsr_matrix_get_sample(a + i * m, x, i);
    for (int64_t j = 0; j < others; j++)
        tsr_matrix_get_sample(b + j * m, y, j);
    for (int64_t i = 0; i < n * others; i++) {
        for (int64_t f = 0; f < m; f++) {
            const double d = a[i / others * m + f] - b[i % others * m + f];
            out[i] += d * d;
        }
    }
    free(a);
    free(b);
    return out;
}

/* The list is right if its distances are right, ascend with ties by index, and nobody outside
 * is nearer. Sums in another order differ in the last bits. */
static void check_lists(const tsr_matrix *x, const tsr_matrix *among, int64_t p, int threads)
{
    const int64_t n = x->samples, others = among->samples;
    int64_t *index = calloc((size_t)(n * p), sizeof *index);
    double *square = calloc((size_t)(n * p), sizeof *square);
    bool *listed = calloc((size_t)others, sizeof *listed);
    double *apart = all_apart(x, among);
    check_ok(tsr__nearest_samples(index, square, x, among, p, threads));
    for (int64_t i = 0; i < n; i++) {
        const int64_t most = others - (x == among), *mine = index + i * p;
        const double *far = square + i * p;
        memset(listed, 0, (size_t)others * sizeof *listed);
        for (int64_t a = 0; a < p; a++) {
            if (a >= most) {
                assert_int_equal(mine[a], -1);
                continue;
            }
            assert_in_range(mine[a], 0, others - 1);
            assert_false(listed[mine[a]]);
            listed[mine[a]] = true;
            const double d = apart[i * others + mine[a]];
            assert_true(fabs(far[a] - d) <= 1e-13 * d);
            assert_true(a == 0 || far[a] > far[a - 1] ||
                        (far[a] == far[a - 1] && mine[a] > mine[a - 1]));
        }
        const int64_t last = (p < most ? p : most) - 1;
        for (int64_t j = 0; last >= 0 && j < others; j++) {
            const double d = apart[i * others + j];
            if (listed[j] || (x == among && j == i))
                continue;
            assert_true(d >= far[last] * (1 - 1e-13));
        }
    }
    free(index);
    free(square);
    free(listed);
    free(apart);
}

static void test_against_all(void **state)
{
    (void)state;
    for (int shape = 0; shape < SHAPES; shape++) {
        for (int kind = 0; kind < 4; kind++) {
            const tsr_type type = kind % 2 ? TSR_FLOAT32 : TSR_FLOAT64;
            const int64_t m = shape % 2 ? 7 : 150; /* short, and long enough for floats */
            tsr_matrix *x = make(shape, 130, m, type, kind / 2, 1);
            tsr_matrix *y = make(shape, 700, m, type, kind / 2, 2);
            check_lists(x, x, 6, 2);
            check_lists(x, y, 1, 1);
            check_lists(y, x, 9, 3);
            tsr_matrix_free(x);
            tsr_matrix_free(y);
        }
    }
}

/* Integers on a grid: distances are exact, so ties must go by index to the letter. */
static void test_ties(void **state)
{
    (void)state;
    enum { SAMPLES = 300, P = 8 };
    for (int kind = 0; kind < 4; kind++) {
        for (int64_t m = 3; m < 200; m += 140) {
            tsr_matrix *x =
                make(GRID, SAMPLES, m, kind % 2 ? TSR_FLOAT32 : TSR_FLOAT64, kind / 2, 3);
            int64_t index[SAMPLES * P];
            double square[SAMPLES * P], *apart = all_apart(x, x);
            check_ok(tsr__nearest_samples(index, square, x, x, P, 2));
            for (int64_t i = 0; i < SAMPLES; i++) {
                int64_t before = -1;
                double distance = -1;
                for (int a = 0; a < P; a++) { /* the next in the order (distance, index) */
                    int64_t next = -1;
                    double least = (double)INFINITY;
                    for (int64_t j = 0; j < SAMPLES; j++) {
                        const double d = apart[i * SAMPLES + j];
                        if (j != i && d < least &&
                            (d > distance || (d == distance && j > before))) {
                            least = d;
                            next = j;
                        }
                    }
                    assert_int_equal(index[i * P + a], next);
                    assert_true(square[i * P + a] == least);
                    before = next;
                    distance = least;
                }
            }
            free(apart);
            tsr_matrix_free(x);
        }
    }
}

/* Storages and types may be mixed. */
static void test_mixed(void **state)
{
    (void)state;
    tsr_matrix *x = make(PLAIN, 40, 12, TSR_FLOAT64, true, 4);
    tsr_matrix *y = make(PLAIN, 90, 12, TSR_FLOAT32, false, 5);
    check_lists(x, y, 3, 1);
    check_lists(y, x, 3, 1);
    tsr_matrix_free(x);
    tsr_matrix_free(y);
}

static void test_few(void **state)
{
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        tsr_matrix *x = make(PLAIN, 3, 5, TSR_FLOAT64, sparse, 6);
        tsr_matrix *one = make(PLAIN, 1, 5, TSR_FLOAT64, sparse, 7);
        check_lists(x, x, 5, 0);
        check_lists(one, one, 1, 0);
        check_lists(one, x, 3, 0);
        check_lists(x, one, 2, 0);
        tsr_matrix_free(x);
        tsr_matrix_free(one);
    }
}

static void test_memory(void **state)
{
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        tsr_matrix *x = make(PLAIN, 20, 5, TSR_FLOAT64, sparse, 8);
        tsr_matrix *y = make(PLAIN, 9, 5, TSR_FLOAT32, !sparse, 8);
        int64_t index[40];
        double square[40];
        check_starved(tsr__nearest_samples(index, square, x, y, 2, 2), (void)0);
        tsr_matrix_free(x);
        tsr_matrix_free(y);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_all), cmocka_unit_test(test_ties),
        cmocka_unit_test(test_mixed),       cmocka_unit_test(test_few),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
