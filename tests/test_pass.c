/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Passes over samples: sums are joined in one tree whoever makes them, in the room that is
 * promised, and a source that fails ends the pass with its own words. */
#include "check.h"

#include "base/memory.h"
#include "matrix/pass.h"
#include "matrix/scaled.h"

#include <math.h>
#include <string.h>

/* Samples of one feature, whose sums depend on their order: powers of ten up and down. */
static tsr_matrix *made(int64_t samples)
{
    tsr_matrix *x = NULL;
    check_ok(tsr_matrix_create(&x, samples, 1, TSR_FLOAT64));
    for (int64_t i = 0; i < samples; i++)
        ((double *)x->values)[i] = (i % 3 == 0 ? -1e9 : 1) / (double)(i + 1);
    return x;
}

static void add_block(void *context, const tsr__block *block, double *sum, int thread)
{
    (void)context, (void)thread;
    for (int64_t i = 0; i < block->samples; i++)
        sum[0] += ((const double *)block->values)[i * block->stride];
    sum[1] += (double)block->samples;
}

/* The tree by its definition, leaves first .. first+count-1. */
static double by_definition(const tsr__source *source, const tsr_matrix *x, int64_t first,
                            int64_t count)
{
    double sum = 0;
    if (count > 1)
        return by_definition(source, x, first, count / 2) +
               by_definition(source, x, first + count / 2, count / 2);
    for (int64_t b = first * source->blocks / source->leaves;
         b < (first + 1) * source->blocks / source->leaves; b++)
        for (int64_t i = b * source->block_samples;
             i < (b + 1) * source->block_samples && i < x->samples; i++)
            sum += ((const double *)x->values)[i];
    return sum;
}

static void one_tree_for_all(void **state)
{
    static const int64_t samples[] = {1, 2, 7, 8, 100, 1000, 5000};
    static const int threads[] = {1, 2, 3, 5, 8, 64};
    (void)state;
    for (int n = 0; n < 7; n++) {
        tsr_matrix *x = made(samples[n]);
        const tsr__source source = tsr__source_of_matrix(x, 64);
        assert_true(source.leaves >= 1 && source.leaves <= source.blocks);
        assert_int_equal(source.leaves & (source.leaves - 1), 0);
        const double wanted = by_definition(&source, x, 0, source.leaves);
        for (int t = 0; t < 6; t++) {
            int64_t sums = tsr__sum_room(&source, threads[t]), depth = 0;
            double *room = tsr__alloc(2 * sums, sizeof *room);
            const tsr__sum sum = {&source, threads[t], 2, room, add_block, NULL, false};
            while ((int64_t)1 << depth < source.leaves)
                depth++;
            assert_true(sums <= threads[t] * (depth + 1));
            check_ok(tsr__sum_leaves(&sum));
            assert_true(memcmp(&room[0], &wanted, sizeof wanted) == 0);
            assert_true(room[1] == (double)samples[n]);
            tsr__free(room);
        }
        tsr_matrix_free(x);
    }
}

/* X' G, whole and by tiles, dense and sparse, of either type, beside the plain loop. */
static void products_are_those_of_the_matrix(void **state)
{
    enum { N = 70, M = 90, K = 5 };
    (void)state;
    for (int kind = 0; kind < 6; kind++) {
        const tsr_type type = kind % 2 == 0 ? TSR_FLOAT64 : TSR_FLOAT32;
        tsr_matrix *x = NULL, *g = NULL, *out = NULL, *as = NULL;
        double wanted[M * K] = {0};
        check_ok(tsr_matrix_create(&x, N, M, type));
        check_ok(tsr_matrix_create(&g, N, K, type));
        check_ok(tsr_matrix_create(&out, M, K, type));
        for (int64_t i = 0; i < N * M; i++)
            tsr__value_set(x->values, type, i, i % 7 == 0 ? 0 : (double)(i * 37 % 101));
        for (int64_t i = 0; i < N * K; i++)
            tsr__value_set(g->values, type, i, (double)(i * 13 % 17));
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = 0; j < M; j++)
                for (int64_t a = 0; a < K; a++)
                    wanted[j * K + a] += tsr_matrix_at(x, i, j) * tsr_matrix_at(g, i, a);
        check_ok(tsr_matrix_copy_as(&as, x, type, kind >= 4));
        tsr__source source = tsr__source_of_matrix(as, 2000);
        source.tile = kind == 2 || kind == 3 ? 16 : M;
        for (int threads = 1; threads <= 4; threads += 3) {
            double *room = tsr__alloc(tsr__collect_room(&source, K, threads), sizeof *room);
            check_ok(tsr__source_collect(out->values, room, &source, g->values, K, threads));
            for (int64_t i = 0; i < M * K; i++) /* whole numbers: exact in any order */
                assert_true(tsr__value_at(out->values, type, i) == wanted[i]);
            tsr__free(room);
        }
        tsr_matrix_free(x);
        tsr_matrix_free(g);
        tsr_matrix_free(out);
        tsr_matrix_free(as);
    }
}

/* A view, and the same done to a copy in the same order. */
static void views_are_what_copies_would_be(void **state)
{
    enum { N = 41, M = 9 };
    static const int64_t row[] = {0, 3, 40}, column[] = {2, 8, 0};
    static const double one[] = {1, 1, 1};
    double cuts[M];
    tsr_matrix *clear = NULL;
    (void)state;
    for (int j = 0; j < M; j++)
        cuts[j] = j % 4;
    check_ok(tsr_matrix_create_sparse(&clear, N, M, 3, row, column, one, TSR_FLOAT64));
    for (int kind = 0; kind < 64; kind++) {
        const tsr_type from = kind & 1 ? TSR_FLOAT32 : TSR_FLOAT64,
                       to = kind & 2 ? TSR_FLOAT32 : TSR_FLOAT64;
        const tsr__scaling by = {.type = to,
                                 .norm = (tsr_norm)(kind >> 4),
                                 .missing = kind & 4,
                                 .clear = kind & 4 ? clear : NULL,
                                 .cuts = kind & 8 ? cuts : NULL};
        for (int sparse = 0; sparse < 2; sparse++) {
            tsr_matrix *dense = NULL, *x = NULL, *copy = NULL, *wanted = NULL, *got = NULL;
            check_ok(tsr_matrix_create(&dense, N, M, from));
            for (int64_t i = 0; i < N * M; i++)
                tsr__value_set(dense->values, from, i, i % 5 == 0 ? 0 : (double)(i % 23));
            if (kind & 4)
                tsr__value_set(dense->values, from, 7, (double)NAN);
            check_ok(tsr_matrix_copy_as(&x, dense, from, sparse));
            check_ok(tsr_matrix_copy_as(&copy, x, from, sparse));
            for (int64_t i = 0; i < N; i++)
                for (int64_t at = tsr__row_begin(copy, i); at < tsr__row_end(copy, i); at++)
                    if ((by.missing && isnan(tsr__value_at(copy->values, from, at))) ||
                        (by.clear != NULL &&
                         tsr_matrix_at(clear, i, tsr__row_feature(copy, i, at)) > 0))
                        tsr__value_set(copy->values, from, at, 0);
            check_ok(tsr_matrix_normalize(copy, by.norm));
            check_ok(tsr_matrix_copy_as(&wanted, copy, to, sparse));
            for (int64_t i = 0; by.cuts != NULL && i < N; i++) {
                double dot = 0;
                for (int64_t j = 0; j < M; j++)
                    dot += tsr_matrix_at(wanted, i, j) * cuts[j];
                for (int64_t at = tsr__row_begin(wanted, i);
                     dot > 0 && at < tsr__row_end(wanted, i); at++)
                    tsr__value_set(wanted->values, to, at,
                                   tsr__value_at(wanted->values, to, at) / sqrt(dot));
            }
            tsr_matrix *view = NULL;
            check_ok(tsr__matrix_scaled(&view, x, &by));
            check_ok(tsr__matrix_load(&got, view, 3));
            tsr_matrix_free(view);
            assert_int_equal(got->sparse, sparse);
            assert_int_equal(got->type, to);
            for (int64_t i = 0; i < N; i++)
                for (int64_t j = 0; j < M; j++)
                    assert_true(tsr_matrix_at(got, i, j) == tsr_matrix_at(wanted, i, j));
            tsr_matrix_free(dense);
            tsr_matrix_free(x);
            tsr_matrix_free(copy);
            tsr_matrix_free(wanted);
            tsr_matrix_free(got);
        }
    }
    tsr_matrix_free(clear);
}

static tsr_status torn(tsr__block *out, const tsr__source *source, int64_t index, int thread)
{
    const tsr__source whole = tsr__source_of_matrix(source->held, 64);
    if (index == 5)
        return tsr__fail(TSR_ERROR_IO, "block %d cannot be read", 5);
    return whole.get(out, source, index, thread);
}

static void no_visit(void *context, const tsr__block *block, int thread)
{
    (void)context, (void)block, (void)thread;
}

static void no_keep(void *context, const tsr__block *tile, const double *sum)
{
    (void)context, (void)tile, (void)sum;
}

static void failures_are_told(void **state)
{
    tsr_matrix *x = made(1000);
    tsr__source source = tsr__source_of_matrix(x, 64);
    double room[2000];
    (void)state;
    source.get = torn;
    for (int threads = 1; threads <= 4; threads++) {
        const tsr__sum sum = {&source, threads, 2, room, add_block, NULL, false};
        assert_true(tsr__sum_room(&source, threads) * 2 <= 2000);
        check_fails(tsr__visit_blocks(&source, threads, no_visit, NULL), TSR_ERROR_IO,
                    "block 5 cannot be read");
        check_fails(tsr__sum_leaves(&sum), TSR_ERROR_IO, "block 5 cannot be read");
        check_fails(tsr__sum_tiles(&sum, no_keep), TSR_ERROR_IO, "block 5 cannot be read");
    }
    tsr_matrix_free(x);
}

static tsr_status torn_rows(void *held, const tsr_matrix *x, int64_t first, int64_t count,
                            void *values, int32_t *columns)
{
    (void)held, (void)columns;
    if (first + count > 500)
        return tsr__fail(TSR_ERROR_IO, "row %d cannot be read", 500);
    memset(values, 0, (size_t)(count * x->features) * sizeof(double));
    return TSR_OK;
}

/* A thread that reads ahead meets what fails before anybody asks for it. */
static void failing_windows_are_told(void **state)
{
    const tsr__origin from = {.read = torn_rows, .slow = true};
    const tsr__scaling by = {.type = TSR_FLOAT32};
    (void)state;
    for (int threads = 1; threads <= 4; threads++) {
        tsr_matrix *x = NULL, *view = NULL, *none = NULL, rows;
        check_ok(tsr__matrix_stored(&x, &from, 1000, 3, TSR_FLOAT64, NULL));
        check_ok(tsr__matrix_scaled(&view, x, &by));
        for (int64_t first = 0; first + 100 <= 500; first += 100)
            check_ok(tsr__matrix_window(&rows, view, first, 100));
        check_fails(tsr__matrix_window(&rows, view, 450, 100), TSR_ERROR_IO,
                    "row 500 cannot be read");
        check_fails(tsr__matrix_load(&none, view, threads), TSR_ERROR_IO,
                    "row 500 cannot be read");
        assert_null(none);
        const tsr__source source = tsr__source_of_matrix(x, 1 << 10);
        check_fails(tsr__visit_blocks(&source, threads, no_visit, NULL), TSR_ERROR_IO,
                    "row 500 cannot be read");
        tsr_matrix_free(view);
        tsr_matrix_free(x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_tree_for_all),
        cmocka_unit_test(products_are_those_of_the_matrix),
        cmocka_unit_test(views_are_what_copies_would_be),
        cmocka_unit_test(failures_are_told),
        cmocka_unit_test(failing_windows_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
