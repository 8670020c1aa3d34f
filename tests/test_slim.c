/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Dense products against plain loops: every number of columns that slim kernels know, none and a
 * few beyond, rows from none to more than a group, inner dimensions from none to several
 * stretches. */
#include "reals.h"

#include "matrix/blas.h"
#include "matrix/slim.h"

typedef struct shape {
    tsr_type type;
    bool turned;
    int64_t rows, columns, inner;
    double alpha, beta;
} shape;

static reals random_reals(tsr_type type, int64_t count, tsr__random *random)
{
    reals r = make(type, count);
    for (int64_t i = 0; i < count; i++)
        put(&r, i, uniform(random, -1, 1));
    return r;
}

static tsr__product product_of(const shape *s, const reals *a, const reals *b, const reals *c,
                               int64_t lda, int64_t ldb)
{
    return (tsr__product){.transpose_a = s->turned,
                          .rows = s->rows,
                          .columns = s->columns,
                          .inner = s->inner,
                          .alpha = s->alpha,
                          .beta = s->beta,
                          .a = a->v,
                          .b = b->v,
                          .c = c->v,
                          .lda = lda,
                          .ldb = ldb,
                          .ldc = ldb};
}

/* Rows of all three lie further apart than they are long; what lies between stays as it is. */
static void try_shape(const shape *s)
{
    enum { GAP = 3 };
    const int64_t lda = (s->turned ? s->rows : s->inner) + GAP, ldb = s->columns + GAP;
    const double rounding = pick(s->type, 1e-15, 1e-6) * (double)(s->inner + 4);
    tsr__random random = tsr__random_seed(3, (uint64_t)(s->columns * 1000 + s->rows));
    reals a = random_reals(s->type, (s->turned ? s->inner : s->rows) * lda, &random);
    reals b = random_reals(s->type, s->inner * ldb, &random);
    reals c = random_reals(s->type, s->rows * ldb, &random), before = copy(&c);
    if (s->beta == 0) /* then C may hold anything */
        for (int64_t i = 0; i < s->rows * ldb; i++)
            put(&c, i, i % ldb < s->columns ? (double)NAN : at(&before, i));
    const tsr__product product = product_of(s, &a, &b, &c, lda, ldb);
    tsr__multiply_dense(s->type, &product);
    for (int64_t i = 0; i < s->rows; i++)
        for (int64_t j = 0; j < ldb; j++) {
            double sum = s->beta * at(&before, i * ldb + j);
            for (int64_t t = 0; j < s->columns && t < s->inner; t++)
                sum += s->alpha * at(&a, s->turned ? t * lda + i : i * lda + t) *
                       at(&b, t * ldb + j);
            if (j >= s->columns)
                sum = at(&before, i * ldb + j);
            if (!(fabs(at(&c, i * ldb + j) - sum) <= rounding))
                fail_msg("%ld x %ld over %ld, turned %d, type %d: (%ld, %ld) is %g, not %g",
                         (long)s->rows, (long)s->columns, (long)s->inner, s->turned, s->type,
                         (long)i, (long)j, at(&c, i * ldb + j), sum);
        }
    release(&a), release(&b), release(&c), release(&before);
}

static void products_are_plain_sums(void **state)
{
    static const int64_t rows[] = {0, 1, 3, 8, 13}, inner[] = {0, 1, 37};
    (void)state;
    for (int type = 0; type < 2; type++)
        for (int64_t columns = 0; columns <= tsr__slims_of((tsr_type)type)->most + 9; columns++)
            for (int turned = 0; turned < 2; turned++)
                for (int r = 0; r < 5; r++)
                    for (int i = 0; i < 3; i++)
                        try_shape(&(shape){(tsr_type)type, turned > 0, rows[r], columns,
                                           inner[i], 1 + 0.5 * r, 0.75 * i});
}

static void long_sums_go_in_stretches(void **state)
{
    static const int64_t columns[] = {5, 40, 130};
    (void)state;
    for (int type = 0; type < 2; type++)
        for (int turned = 0; turned < 2; turned++)
            for (int c = 0; c < 3; c++)
                try_shape(&(shape){(tsr_type)type, turned > 0, 11, columns[c],
                                   (1 << 20) / (8 * columns[c]) + 7, -1, 0.25 * c});
}

/* Rows are the same numbers whatever rows stand beside them: blocks and threads do not show. */
static void rows_stand_alone(void **state)
{
    enum { ROWS = 29, COLUMNS = 21, INNER = 50 };
    tsr__random random = tsr__random_seed(1, 1);
    (void)state;
    for (int type = 0; type < 2; type++) {
        reals a = random_reals((tsr_type)type, (int64_t)ROWS * INNER, &random);
        reals b = random_reals((tsr_type)type, (int64_t)INNER * COLUMNS, &random);
        reals all = make((tsr_type)type, (int64_t)ROWS * COLUMNS), some = copy(&all);
        const shape whole = {(tsr_type)type, false, ROWS, COLUMNS, INNER, 1, 0};
        tsr__product product = product_of(&whole, &a, &b, &all, INNER, COLUMNS);
        tsr__multiply_dense((tsr_type)type, &product);
        for (int64_t first = 0, count = 1; first < ROWS; first += count, count++) {
            product.rows = count < ROWS - first ? count : ROWS - first;
            product.a = from(&a, first * INNER);
            product.c = from(&some, first * COLUMNS);
            tsr__multiply_dense((tsr_type)type, &product);
        }
        for (int64_t i = 0; tsr__slims_of((tsr_type)type)->most > 0 && i < ROWS * COLUMNS; i++)
            assert_true(at(&all, i) == at(&some, i));
        release(&a), release(&b), release(&all), release(&some);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_plain_sums),
        cmocka_unit_test(long_sums_go_in_stretches),
        cmocka_unit_test(rows_stand_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
