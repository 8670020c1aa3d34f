/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Dense products against plain loops, by every set of kernels that runs: numbers of columns from
 * none to many panels, rows from none to many groups, inner dimensions from none to several
 * stretches, both operands as they are and transposed, sums of floats into doubles. */
#include "reals.h"

#include "matrix/blas.h"
#include "matrix/kernels.h"

typedef struct shape {
    tsr_type type;
    bool turned, turned_b, wide;
    int64_t rows, columns, inner;
    double alpha, beta;
} shape;

static const char *const sets[] = {"base", "v3", "v4"};
enum { SETS = 3 };

static reals random_reals(tsr_type type, int64_t count, tsr__random *random)
{
    reals r = make(type, count);
    for (int64_t i = 0; i < count; i++)
        put(&r, i, uniform(random, -1, 1));
    return r;
}

static tsr__product product_of(const shape *s, const reals *a, const reals *b, const reals *c,
                               int64_t lda, int64_t ldb, int64_t ldc)
{
    return (tsr__product){.transpose_a = s->turned,
                          .transpose_b = s->turned_b,
                          .wide = s->wide,
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
                          .ldc = ldc};
}

static double expected(const shape *s, const reals *a, const reals *b, int64_t lda, int64_t ldb,
                       int64_t i, int64_t j)
{
    double sum = 0;
    for (int64_t t = 0; t < s->inner; t++)
        sum += at(a, s->turned ? t * lda + i : i * lda + t) *
               at(b, s->turned_b ? j * ldb + t : t * ldb + j);
    return sum;
}

/* Rows of all three lie further apart than they are long; what lies between stays as it is, and
 * behind the last value of each stand NaNs. */
static void try_shape(const shape *s)
{
    enum { GAP = 3 };
    const tsr_type out = s->wide ? TSR_FLOAT64 : s->type;
    const int64_t lda = (s->turned ? s->rows : s->inner) + GAP, ldc = s->columns + GAP;
    const int64_t ldb = (s->turned_b ? s->inner : s->columns) + GAP;
    const double rounding = pick(s->type, 1e-15, 1e-6) * (double)(s->inner + 4);
    tsr__random random = tsr__random_seed(3, (uint64_t)(s->columns * 1000 + s->rows));
    reals a = random_reals(s->type, (s->turned ? s->inner : s->rows) * lda, &random);
    reals b = random_reals(s->type, (s->turned_b ? s->columns : s->inner) * ldb, &random);
    reals c = random_reals(out, s->rows * ldc, &random), before = copy(&c);
    if (s->beta == 0) /* then C may hold anything */
        for (int64_t i = 0; i < s->rows * ldc; i++)
            put(&c, i, i % ldc < s->columns ? (double)NAN : at(&before, i));
    const tsr__product product = product_of(s, &a, &b, &c, lda, ldb, ldc);
    tsr__multiply_dense(s->type, &product);
    for (int64_t i = 0; i < s->rows; i++)
        for (int64_t j = 0; j < ldc; j++) {
            const double old = at(&before, i * ldc + j), got = at(&c, i * ldc + j);
            const double value =
                j < s->columns ? s->beta * old + s->alpha * expected(s, &a, &b, lda, ldb, i, j)
                               : old;
            if (!(fabs(got - value) <= (j < s->columns ? rounding : 0)))
                fail_msg("%s: %ld x %ld over %ld, turned %d %d, wide %d, type %d: (%ld, %ld) "
                         "is %g, not %g",
                         tsr__kernels_name(), (long)s->rows, (long)s->columns, (long)s->inner,
                         s->turned, s->turned_b, s->wide, s->type, (long)i, (long)j, got,
                         value);
        }
    release(&a), release(&b), release(&c), release(&before);
}

/* Shapes of so many columns, drawn. */
static void draw_shapes(tsr_type type, int64_t columns, int count, tsr__random *random)
{
    static const int64_t rows[] = {0, 1, 2, 3, 5, 8, 13, 24, 37, 60};
    static const int64_t inner[] = {0, 1, 2, 7, 37, 70};
    static const double alpha[] = {1, -0.5, 1.5}, beta[] = {0, 1, 0.75};
    for (int i = 0; i < count; i++) {
        const uint64_t draw = (uint64_t)(tsr__random_uniform(random) * 0x1p40);
        try_shape(&(shape){.type = type,
                           .turned = draw & 1,
                           .turned_b = (draw >> 1) % 4 == 0,
                           .wide = (draw >> 3) % 4 == 0,
                           .rows = rows[(draw >> 5) % 10],
                           .columns = columns,
                           .inner = inner[(draw >> 10) % 6],
                           .alpha = alpha[(draw >> 16) % 3],
                           .beta = beta[(draw >> 20) % 3]});
    }
}

static void products_are_plain_sums(void **state)
{
    tsr__random random = tsr__random_seed(5, 5);
    (void)state;
    for (int set = 0; set < SETS; set++)
        for (int type = 0; tsr__kernels_use(sets[set]) && type < 2; type++) {
            for (int64_t columns = 0; columns <= 50; columns++)
                draw_shapes((tsr_type)type, columns, 24, &random);
            for (int64_t columns = 51; columns < 1100; columns += columns / 6)
                draw_shapes((tsr_type)type, columns, 8, &random);
        }
}

static void long_sums_go_in_stretches(void **state)
{
    static const int64_t columns[] = {1, 5, 40, 130};
    (void)state;
    for (int set = 0; set < SETS; set++)
        for (int kind = 0; tsr__kernels_use(sets[set]) && kind < 16; kind++)
            for (int c = 0; c < 4; c++)
                try_shape(&(shape){.type = (tsr_type)(kind & 1),
                                   .turned = kind & 2,
                                   .turned_b = kind & 4,
                                   .wide = kind & 8,
                                   .rows = 11 + 20 * (c % 2),
                                   .columns = columns[c],
                                   .inner = 1000 + 7 * c,
                                   .alpha = -1,
                                   .beta = 0.5 * c});
}

/* Floats that each round to nothing beside their sum: doubles keep them. */
static void wide_sums_lose_nothing(void **state)
{
    enum { INNER = 300000, ROWS = 3, COLUMNS = 5 };
    (void)state;
    for (int set = 0; set < SETS; set++)
        for (int turned = 0; tsr__kernels_use(sets[set]) && turned < 2; turned++) {
            const shape s = {.turned = turned > 0,
                             .wide = true,
                             .type = TSR_FLOAT32,
                             .rows = ROWS,
                             .columns = COLUMNS,
                             .inner = INNER,
                             .alpha = 1,
                             .beta = 1};
            reals a = make(TSR_FLOAT32, (int64_t)INNER * ROWS);
            reals b = make(TSR_FLOAT32, (int64_t)INNER * COLUMNS);
            reals c = make(TSR_FLOAT64, (int64_t)ROWS * COLUMNS);
            for (int64_t i = 0; i < a.count; i++)
                put(&a, i, 0.1);
            for (int64_t i = 0; i < b.count; i++)
                put(&b, i, 0.3);
            for (int64_t i = 0; i < c.count; i++)
                put(&c, i, 1e6);
            const tsr__product product =
                product_of(&s, &a, &b, &c, turned ? ROWS : INNER, COLUMNS, COLUMNS);
            tsr__multiply_dense(TSR_FLOAT32, &product);
            const double one = (double)0.1f * (double)0.3f;
            for (int64_t i = 0; i < c.count; i++)
                check_near(at(&c, i), 1e6 + INNER * one, 1e-5 * INNER * one);
            release(&a), release(&b), release(&c);
        }
}

/* Rows are the same numbers whatever rows stand beside them: blocks and threads do not show. */
static void check_rows(tsr_type type, int64_t columns, bool turned_b)
{
    enum { ROWS = 66, INNER = 600 };
    tsr__random random = tsr__random_seed(1, 1);
    const shape whole = {.type = type,
                         .turned_b = turned_b,
                         .rows = ROWS,
                         .columns = columns,
                         .inner = INNER,
                         .alpha = 0.7};
    reals a = random_reals(type, (int64_t)ROWS * INNER, &random);
    reals b = random_reals(type, INNER * columns, &random);
    reals all = make(type, ROWS * columns), some = copy(&all);
    tsr__product product =
        product_of(&whole, &a, &b, &all, INNER, turned_b ? INNER : columns, columns);
    tsr__multiply_dense(type, &product);
    for (int64_t first = 0, count = 1; first < ROWS; first += count, count++) {
        product.rows = count < ROWS - first ? count : ROWS - first;
        product.a = from(&a, first * INNER);
        product.c = from(&some, first * columns);
        tsr__multiply_dense(type, &product);
    }
    for (int64_t i = 0; i < ROWS * columns; i++)
        assert_true(at(&all, i) == at(&some, i));
    release(&a), release(&b), release(&all), release(&some);
}

static void rows_stand_alone(void **state)
{
    (void)state;
    for (int set = 1; set < SETS; set++) /* base has BLIS, which promises nothing */
        for (int type = 0; tsr__kernels_use(sets[set]) && type < 2; type++)
            for (int turned_b = 0; turned_b < 2; turned_b++) {
                check_rows((tsr_type)type, 21, turned_b > 0);
                check_rows((tsr_type)type, 150, turned_b > 0);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_plain_sums),
        cmocka_unit_test(long_sums_go_in_stretches),
        cmocka_unit_test(wide_sums_lose_nothing),
        cmocka_unit_test(rows_stand_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
