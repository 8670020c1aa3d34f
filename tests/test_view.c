/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Matrices over the caller's arrays: fits have the bits of those of our own matrices, whatever the
 * layout and the width of indices; nothing is written; and arrays that lead astray are refused. */
#include "lab.h"

#include <sys/mman.h>

enum { N = 33, M = 14, K = 4 };

/* The arrays of a sparse matrix as other programs have them, in pages that nobody can write. */
typedef struct arrays {
    tsr_index index;
    int64_t rows; /* or columns, of CSC */
    const void *starts, *indices, *values;
    void *pages;
    size_t size;
} arrays;

static arrays lay(const tsr_matrix *x, tsr_index index)
{
    const int64_t stored = tsr_matrix_stored(x), rows = tsr_matrix_samples(x);
    const size_t wide = index == TSR_INDEX64 ? sizeof(int64_t) : sizeof(int32_t);
    const size_t width = tsr__type_size(tsr_matrix_type(x));
    const size_t first = ((size_t)rows + 1) * wide, second = first + (size_t)stored * wide,
                 third = (second + 63) / 64 * 64;
    arrays a = {.index = index, .rows = rows, .size = third + (size_t)stored * width};
    char *to = mmap(NULL, a.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(to != MAP_FAILED);
    for (int64_t i = 0; i <= rows + stored; i++) {
        const int64_t v =
            i <= rows ? tsr_matrix_rows(x)[i] : tsr_matrix_columns(x)[i - rows - 1];
        if (index == TSR_INDEX64)
            ((int64_t *)(void *)to)[i] = v;
        else
            ((int32_t *)(void *)to)[i] = (int32_t)v;
    }
    memcpy(to + third, tsr_matrix_values(x), (size_t)stored * width);
    assert_int_equal(mprotect(to, a.size, PROT_READ), 0);
    a.pages = to;
    a.starts = to, a.indices = to + first, a.values = to + third;
    return a;
}

static void put_away(arrays *a)
{
    assert_int_equal(munmap(a->pages, a->size), 0);
}

/* How the same samples may come. */
typedef enum way {
    ROWS32,
    ROWS64,
    COLUMNS32,
    COLUMNS64,
    SPARSE,
    DENSE,
    DENSE_COLUMNS,
    WAYS
} way;

typedef struct seen {
    arrays a;
    tsr_data *data;
} seen;

/* Data over a view of `x`, of whose arrays there are copies in read-only pages. */
static seen see(const tsr_data *from, way by)
{
    seen s = {.data = NULL};
    const tsr_matrix *x = from->x;
    tsr_matrix *view = NULL, *turned = NULL;
    tsr_labels *labels = NULL;
    const tsr_index index = by == ROWS32 || by == COLUMNS32 ? TSR_INDEX32 : TSR_INDEX64;
    check_ok(tsr_matrix_copy_transposed(&turned, x));
    if (by == ROWS32 || by == ROWS64) {
        s.a = lay(x, index);
        check_ok(tsr_matrix_view_rows(&view, s.a.starts, s.a.indices, index, s.a.values, N, M,
                                      x->type));
    } else if (by == COLUMNS32 || by == COLUMNS64) {
        s.a = lay(turned, index);
        check_ok(tsr_matrix_view_columns(&view, s.a.starts, s.a.indices, index, s.a.values, N,
                                         M, x->type));
    } else if (by == SPARSE) {
        check_ok(tsr_matrix_view_sparse(&view, x->rows, x->columns, x->values, N, M, x->type));
    } else {
        const tsr_matrix *y = by == DENSE ? x : turned;
        s.a.size = (size_t)(N * M) * tsr__type_size(x->type);
        s.a.pages =
            mmap(NULL, s.a.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_true(s.a.pages != MAP_FAILED);
        memcpy(s.a.pages, y->values, s.a.size);
        assert_int_equal(mprotect(s.a.pages, s.a.size, PROT_READ), 0);
        check_ok(by == DENSE ? tsr_matrix_view_dense(&view, s.a.pages, N, M, M, x->type)
                             : tsr_matrix_copy_columns(&view, s.a.pages, N, M, N, x->type));
    }
    tsr_matrix_free(turned);
    check_ok(tsr_labels_copy_samples(&labels, from->labels, NULL, N));
    check_ok(tsr_data_take(&s.data, view, labels));
    return s;
}

static void forget(seen *s)
{
    tsr_data_free(s->data);
    if (s->a.pages != NULL)
        put_away(&s->a);
}

static tsr_data *native(bool sparse, tsr_type type)
{
    lab l = lab_make(N, M, 3, 0, 8);
    tsr_data *data = lab_data(&l, sparse);
    if (type == TSR_FLOAT32) {
        tsr_data *narrow = NULL;
        check_ok(tsr_data_copy_as(&narrow, data, type, sparse));
        tsr_data_free(data);
        data = narrow;
    }
    lab_free(&l);
    return data;
}

static const char *const lines[] = {"model=nmf",
                                    "model=nmf-kl",
                                    "model=gnmf neighbours=4",
                                    "model=cf",
                                    "model=cdnmf rank=6",
                                    "model=nmf precision=single",
                                    "model=nmf-kl precision=single",
                                    "model=nmf normalize=l2 solver=mu",
                                    "model=nmf-ncw",
                                    "model=cnmf"};
enum { LINES = sizeof lines / sizeof *lines };

/* Codes of the samples themselves by the model, with its classes. */
static tsr_matrix *use(const tsr_model *model, const tsr_data *data)
{
    tsr_matrix *codes = NULL;
    int32_t of[N];
    check_ok(tsr_model_transform(&codes, model, data, NULL));
    check_ok(tsr_model_predict(of, NULL, model, codes, TSR_PREDICT_NEAREST));
    return codes;
}

static void check_line(const tsr_data *own, const tsr_data *viewed, const char *line, int by)
{
    lab_options o;
    lab_options_of(&o, 12, "rank=%d %s", K, line);
    tsr_model *a = lab_fit(own, &o.o), *b = lab_fit(viewed, &o.o);
    tsr_matrix *c = use(a, own), *d = use(b, viewed);
    if (!lab_same_models(a, b) || !lab_same_bits(c, d))
        fail_msg("'%s' by way %d: %.2e apart", line, by, lab_models_apart(a, b));
    tsr_matrix_free(c);
    tsr_matrix_free(d);
    tsr_model_free(a);
    tsr_model_free(b);
}

/* Pages that are written to end the test. */
static void fits_have_the_same_bits(void **state)
{
    (void)state;
    for (way by = 0; by < WAYS; by++)
        for (int type = TSR_FLOAT64; type <= TSR_FLOAT32; type++) {
            tsr_data *own = native(by < DENSE, (tsr_type)type);
            seen s = see(own, by);
            for (int i = 0; i < LINES; i++)
                check_line(own, s.data, lines[i], by);
            forget(&s);
            tsr_data_free(own);
        }
}

/* What changes a matrix refuses; what copies it first does not. */
static void views_are_constant(void **state)
{
    tsr_cluster_options clusters = {.clusters = 3, .unit_codes = true};
    int32_t of[N];
    (void)state;
    for (way by = 0; by <= DENSE; by++) {
        tsr_data *own = native(by < DENSE, TSR_FLOAT64);
        seen s = see(own, by);
        tsr_matrix *x = tsr_data_samples(s.data), *some = NULL, *copy = NULL;
        tsr_encoder *encoder = NULL;
        lab_options o;
        assert_null(tsr_matrix_edit(x));
        assert_non_null(tsr_matrix_values(x));
        for (int norm = TSR_NORM_NONE; norm <= TSR_NORM_MAX; norm++)
            check_fails(tsr_matrix_normalize(x, (tsr_norm)norm), TSR_ERROR_ARGUMENT, "a view");
        check_ok(tsr_matrix_view_samples(&some, x, 2, 9));
        assert_null(tsr_matrix_edit(some));
        check_fails(tsr_matrix_normalize(some, TSR_NORM_L2), TSR_ERROR_ARGUMENT, "a view");
        check_ok(tsr_matrix_copy_samples(&copy, some, NULL, 9));
        check_ok(tsr_matrix_normalize(copy, TSR_NORM_L2));
        check_ok(tsr_cluster(of, NULL, x, &clusters));
        lab_options_of(&o, 5, "model=pca rank=2 normalize=l2");
        check_ok(tsr_encoder_fit(&encoder, s.data, &o.o));
        tsr_encoder_free(encoder);
        tsr_matrix_free(copy);
        tsr_matrix_free(some);
        forget(&s);
        tsr_data_free(own);
    }
}

/* So is a part of a matrix of our own: whoever looks at it has no leave to change the whole. */
static void parts_are_constant(void **state)
{
    tsr_data *own = native(false, TSR_FLOAT64);
    tsr_matrix *some = NULL;
    (void)state;
    assert_non_null(tsr_matrix_edit(own->x));
    check_ok(tsr_matrix_view_samples(&some, own->x, 0, 3));
    assert_null(tsr_matrix_edit(some));
    check_fails(tsr_matrix_normalize(some, TSR_NORM_L2), TSR_ERROR_ARGUMENT, "a view");
    tsr_matrix_free(some);
    tsr_data_free(own);
}

/* A matrix that came by columns is not turned again, unless what the fit reads is a copy. */
static void columns_are_not_turned_again(void **state)
{
    static const struct {
        const char *line;
        bool weights, turned;
    } table[] = {{"model=nmf", false, false},
                 {"model=nmf-kl", false, false},
                 {"model=gnmf", false, false},
                 {"model=nmf", true, true},
                 {"model=nmf normalize=l2", false, true},
                 {"model=nmf precision=single", false, true},
                 {"model=nmf-ncw", false, true},
                 {"model=cnmf", false, true}};
    tsr_data *own = native(true, TSR_FLOAT64);
    tsr_matrix *weights = NULL;
    (void)state;
    check_ok(tsr_matrix_create(&weights, N, 1, TSR_FLOAT64));
    for (int i = 0; i < N; i++)
        ((double *)tsr_matrix_edit(weights))[i] = 1 + i % 2;
    for (way by = COLUMNS32; by <= COLUMNS64; by++)
        for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
            seen s = see(own, by);
            const tsr_matrix *x = tsr_data_samples(s.data);
            lab_options o;
            bench b;
            lab_options_of(&o, 3, "rank=%d %s", K, table[i].line);
            o.o.sample_weights = table[i].weights ? weights : NULL;
            bench_open(&b, s.data, &o.o);
            assert_true((b.problem.held.turned != x->turned) == table[i].turned);
            assert_true((b.problem.held.turned_owned != NULL) == table[i].turned);
            bench_close(&b);
            forget(&s);
        }
    tsr_matrix_free(weights);
    tsr_data_free(own);
}

/* With indices of 32 bits neither values nor indices are copied. */
static void nothing_is_copied(void **state)
{
    tsr_data *own = native(true, TSR_FLOAT64);
    seen s = see(own, ROWS32);
    (void)state;
    assert_ptr_equal(tsr_matrix_values(s.data->x), s.a.values);
    assert_ptr_equal(tsr_matrix_columns(s.data->x), s.a.indices);
    forget(&s);
    s = see(own, ROWS64);
    assert_ptr_equal(tsr_matrix_values(s.data->x), s.a.values);
    assert_ptr_equal(tsr_matrix_rows(s.data->x), s.a.starts);
    forget(&s);
    s = see(own, COLUMNS32);
    assert_ptr_equal(tsr_matrix_values(s.data->x->turned), s.a.values);
    assert_ptr_equal(tsr_matrix_columns(s.data->x->turned), s.a.indices);
    forget(&s);
    tsr_data_free(own);
}

/* Three rows (or columns) of five: the good arrays, and what may be wrong with them. */
static void bad_arrays_are_refused(void **state)
{
    static const double values[] = {1, 2, 3, 4, 5};
    static const struct {
        int64_t starts[4], indices[5];
        const char *words; /* NULL: good */
    } table[] = {{{0, 2, 2, 5}, {1, 3, 0, 2, 4}, NULL},
                 {{0, 0, 0, 0}, {0}, NULL},
                 {{1, 2, 2, 5}, {1, 3, 0, 2, 4}, "begin with 1"},
                 {{-1, 2, 2, 5}, {1, 3, 0, 2, 4}, "begin with -1"},
                 {{0, 3, 2, 5}, {1, 3, 4, 2, 4}, "row"},
                 {{0, 2, 2, -5}, {1, 3, 0, 2, 4}, "row"},
                 {{0, 2, 2, 5}, {1, 5, 0, 2, 4}, "row 0"},
                 {{0, 2, 2, 5}, {-1, 3, 0, 2, 4}, "row 0"},
                 {{0, 2, 2, 5}, {1, 3, 0, 2, 2}, "row 2"},
                 {{0, 2, 2, 5}, {1, 3, 2, 0, 4}, "row 2"},
                 {{0, 2, 2, 5}, {1, INT32_MAX, 0, 2, 4}, "row 0"},
                 {{0, 2, 2, 5}, {1, 3, 0, 2, INT32_MIN}, "row 2"},
                 {{0, 2, 2, 5}, {1, 3 + (INT64_C(1) << 32), 0, 2, 4}, "row 0"},
                 {{0, 2, 2, 5}, {1, 3, INT64_C(1) << 31, 2, 4}, "row 2"},
                 {{0, 2, 2, 5}, {1, 3, 0, 2, INT64_MAX}, "row 2"},
                 {{0, 2, 2, 5}, {1, 3, INT64_MIN, 2, 4}, "row 2"}};
    enum { NARROW = 12 }; /* so many fit 32 bits */
    (void)state;
    for (int i = 0; i < (int)(sizeof table / sizeof *table); i++)
        for (int wide = i < NARROW ? 0 : 1; wide < 2; wide++)
            for (int columns = 0; columns < 2; columns++) {
                int32_t starts[4], indices[5];
                tsr_matrix *x = NULL;
                for (int j = 0; j < 5; j++) {
                    starts[j % 4] = (int32_t)table[i].starts[j % 4];
                    indices[j] = (int32_t)table[i].indices[j];
                }
                const void *s = wide ? (const void *)table[i].starts : starts,
                           *t = wide ? (const void *)table[i].indices : indices;
                const tsr_index index = wide ? TSR_INDEX64 : TSR_INDEX32;
                const int64_t live = tsr__memory_live();
                const tsr_status status =
                    columns
                        ? tsr_matrix_view_columns(&x, s, t, index, values, 5, 3, TSR_FLOAT64)
                        : tsr_matrix_view_rows(&x, s, t, index, values, 3, 5, TSR_FLOAT64);
                if (table[i].words == NULL)
                    check_ok(status);
                else
                    check_fails(status, TSR_ERROR_DATA, table[i].words);
                tsr_matrix_free(x);
                assert_int_equal(tsr__memory_live(), live);
            }
}

/* No samples, no entries, and shapes that are none. */
static void shapes(void **state)
{
    static const int32_t none[5] = {0};
    tsr_matrix *x = NULL;
    (void)state;
    check_ok(tsr_matrix_view_rows(&x, none, NULL, TSR_INDEX32, NULL, 4, 7, TSR_FLOAT32));
    assert_int_equal(tsr_matrix_stored(x), 0);
    tsr_matrix_free(x);
    check_ok(tsr_matrix_view_columns(&x, none, NULL, TSR_INDEX32, NULL, 7, 4, TSR_FLOAT32));
    assert_int_equal(tsr_matrix_samples(x), 7);
    assert_int_equal(tsr_matrix_features(x), 4);
    tsr_matrix_free(x);
    check_ok(tsr_matrix_view_rows(&x, none, NULL, TSR_INDEX32, NULL, 0, 7, TSR_FLOAT64));
    tsr_matrix_free(x);
    check_fails(tsr_matrix_view_columns(&x, none, NULL, TSR_INDEX32, NULL, 7, INT64_C(1) << 31,
                                        TSR_FLOAT64),
                TSR_ERROR_ARGUMENT, "2147483648 features");
    check_fails(tsr_matrix_copy_columns(&x, none, 5, 2, 4, TSR_FLOAT64), TSR_ERROR_ARGUMENT,
                "4");
}

static void starved(void **state)
{
    tsr_data *own = native(true, TSR_FLOAT64);
    tsr_matrix *turned = NULL, *x = NULL;
    (void)state;
    check_ok(tsr_matrix_copy_transposed(&turned, own->x));
    for (int index = TSR_INDEX32; index <= TSR_INDEX64; index++) {
        arrays a = lay(own->x, (tsr_index)index), b = lay(turned, (tsr_index)index);
        check_starved(
            tsr_matrix_view_rows(&x, a.starts, a.indices, a.index, a.values, N, M, TSR_FLOAT64),
            (tsr_matrix_free(x), x = NULL));
        check_starved(tsr_matrix_view_columns(&x, b.starts, b.indices, b.index, b.values, N, M,
                                              TSR_FLOAT64),
                      (tsr_matrix_free(x), x = NULL));
        put_away(&a);
        put_away(&b);
    }
    tsr_matrix_free(turned);
    tsr_data_free(own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_have_the_same_bits),
        cmocka_unit_test(views_are_constant),
        cmocka_unit_test(parts_are_constant),
        cmocka_unit_test(columns_are_not_turned_again),
        cmocka_unit_test(nothing_is_copied),
        cmocka_unit_test(bad_arrays_are_refused),
        cmocka_unit_test(shapes),
        cmocka_unit_test(starved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
