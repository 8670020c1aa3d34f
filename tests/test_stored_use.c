/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Samples that are not in memory, used: what reads them in blocks gives the bits of what has them in
 * memory, for any number of threads, and what cannot says so. */
#include "lab.h"

#include "io/data.h"
#include "matrix/store.h"

/* More than two windows of doubles, and some panels (factor/transform.c) that are not whole. */
enum { N = 1500, M = 200, FEW = 120, K = 5 };

/* The same file in memory and not. */
typedef struct pair {
    tsr_data *here, *there;
} pair;

static pair read_both(const char *name, bool labels)
{
    tsr_read_options o = {0};
    pair p = {NULL, NULL};
    tsr_settings_default(tsr_read_settings(), &o);
    o.labels = labels ? path_of("labels.csv") : NULL;
    check_ok(tsr_data_read(&p.here, path_of(name), &o));
    o.memory = 1 << 20;
    check_ok(tsr_data_read(&p.there, path_of(name), &o));
    assert_false(tsr__matrix_is_stored(p.here->x));
    assert_true(tsr__matrix_is_stored(p.there->x));
    return p;
}

static void free_both(pair *p)
{
    tsr_data_free(p->here);
    tsr_data_free(p->there);
}

/* Dense or sparse. */
static bool same_bits(const tsr_matrix *a, const tsr_matrix *b)
{
    const size_t count = (size_t)tsr_matrix_stored(a);
    if (a->samples != b->samples || a->features != b->features || a->type != b->type ||
        a->sparse != b->sparse || tsr_matrix_stored(b) != (int64_t)count)
        return false;
    return memcmp(a->values, b->values, count * tsr__type_size(a->type)) == 0 &&
           (!a->sparse ||
            (memcmp(a->columns, b->columns, count * sizeof *a->columns) == 0 &&
             memcmp(a->rows, b->rows, (size_t)(a->samples + 1) * sizeof *a->rows) == 0));
}

static void check_same(const tsr_matrix *a, const tsr_matrix *b, const char *what)
{
    tsr_matrix *one = NULL, *other = NULL;
    check_ok(tsr_matrix_copy_samples(&one, a, NULL, a->samples));
    check_ok(tsr_matrix_copy_samples(&other, b, NULL, b->samples));
    if (!same_bits(one, other))
        fail_msg("%s: other bits where samples are read in blocks", what);
    tsr_matrix_free(one);
    tsr_matrix_free(other);
}

static void put_data(const char *name, const lab *l, bool sparse, tsr_type type)
{
    tsr_data *data = lab_data(l, sparse), *as = NULL;
    check_ok(tsr_data_copy_as(&as, data, type, sparse));
    check_ok(tsr_data_write(as, path_of(name)));
    tsr_data_free(data);
    tsr_data_free(as);
}

static void put_bytes_npy(void)
{
    static char file[128 + N * M];
    memset(file, ' ', 128);
    memcpy(file, "\x93NUMPY\x01\x00\x76\x00", 10);
    (void)snprintf(file + 10, 100,
                   "{'descr': '|u1', 'fortran_order': False, 'shape': (%d, %d), }", (int)N,
                   (int)M);
    file[strlen(file + 10) + 10] = ' ';
    file[127] = '\n';
    for (int64_t e = 0; e < (int64_t)N * M; e++)
        file[128 + e] = (char)((e * 7 + e / M * 3) % 251);
    put_bytes("bytes.npy", file, sizeof file);
}

/* Class of every sample but some, for what wants labels. */
static void put_labels(void)
{
    static char text[8 * N];
    size_t used = 0;
    for (int64_t i = 0; i < N; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s\n",
                                 i % 11 == 0  ? "?"
                                 : i % 3 == 0 ? "a"
                                              : "b");
    put_bytes("labels.csv", text, used);
}

static int put_files(void **state)
{
    if (make_folder(state) != 0)
        return 1;
    lab l = lab_make(N, M, 3, 0, 5);
    put_data("double.npy", &l, false, TSR_FLOAT64);
    put_data("float.npy", &l, false, TSR_FLOAT32);
    put_data("dense.h5", &l, false, TSR_FLOAT32);
    put_data("sparse.h5", &l, true, TSR_FLOAT64);
    for (int64_t e = 0; e < (int64_t)N * M; e += 3)
        l.x[e + e % 2] = (double)NAN;
    put_data("holes.npy", &l, false, TSR_FLOAT64);
    put_bytes_npy();
    put_labels();
    lab_free(&l);
    return 0;
}

/* Of a few samples like the others. */
static tsr_model *model_of(const char *line)
{
    lab l = lab_make(FEW, M, 3, 0, 9);
    tsr_data *data = lab_data(&l, false);
    lab_options o;
    lab_options_of(&o, 8, "rank=%d %s", (int)K, line);
    tsr_model *model = lab_fit(data, &o.o);
    tsr_data_free(data);
    lab_free(&l);
    return model;
}

/* Transforms ------------------------------------------------------------------------------ */

static tsr_matrix *encode(const tsr_model *model, const tsr_data *data, int method, int threads)
{
    tsr_transform_options o = {0};
    tsr_matrix *codes = NULL;
    tsr_settings_default(tsr_transform_settings(), &o);
    o.method = method;
    o.threads = threads;
    check_ok(tsr_model_transform(&codes, model, data, &o));
    return codes;
}

static void check_codes(const char *file, const char *line, int method)
{
    static const int threads[] = {1, 2, 5};
    tsr_model *model = model_of(line);
    pair p = read_both(file, false);
    tsr_matrix *expected = encode(model, p.here, method, 1);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        tsr_matrix *codes = encode(model, p.there, method, threads[i]);
        if (!lab_same_bits(codes, expected))
            fail_msg("'%s', method %d, %s, %d threads: other codes", line, method, file,
                     threads[i]);
        tsr_matrix_free(codes);
    }
    tsr_matrix_free(expected);
    free_both(&p);
    tsr_model_free(model);
}

static void codes_have_the_same_bits(void **state)
{
    static const struct {
        const char *file, *line;
        int method;
    } cases[] = {
        {"double.npy", "model=nmf", 0},
        {"float.npy", "model=nmf normalize=l2", 0},
        {"float.npy", "model=nmf precision=single", 0},
        {"double.npy", "model=nmf precision=single normalize=max", 1},
        {"bytes.npy", "model=nmf", 2},
        {"dense.h5", "model=nmf normalize=l1", 1},
        {"sparse.h5", "model=nmf", 0},
        {"sparse.h5", "model=nmf-kl precision=single", 0},
        {"sparse.h5", "model=nmf normalize=l2", 1},
        {"sparse.h5", "model=nmf-ncw", 2},
        {"float.npy", "model=nmf-ncw", 0},
        {"float.npy", "model=nmf-ncw normalize=l2", 0},
        {"double.npy", "model=nmf-kl normalize=l1", 0},
        {"holes.npy", "model=nmf missing=mask", 0},
        {"holes.npy", "model=nmf missing=mask normalize=l2", 1},
        {"holes.npy", "model=nmf-kl missing=mask", 0},
        {"float.npy", "model=cf kernel=rbf", 0},
        {"sparse.h5", "model=cf kernel=polynomial", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_codes(cases[i].file, cases[i].line, cases[i].method);
}

/* A transform ends where a window cannot be had, and says what the window says. */
static void a_file_that_is_cut_ends_a_transform(void **state)
{
    lab l = lab_make(N, M, 3, 0, 6);
    tsr_model *model = model_of("model=nmf");
    tsr_matrix *codes = NULL;
    (void)state;
    put_data("cut.npy", &l, false, TSR_FLOAT64);
    pair p = read_both("cut.npy", false);
    assert_int_equal(truncate(path_of("cut.npy"), (off_t)N * M * 4), 0);
    const tsr_status status = tsr_model_transform(&codes, model, p.there, NULL);
    assert_true(status == TSR_ERROR_IO || status == TSR_ERROR_FORMAT);
    assert_true(*tsr_message() != '\0');
    assert_null(codes);
    tsr_data_free(p.there);
    tsr_data_free(p.here);
    tsr_model_free(model);
    lab_free(&l);
}

/* Memory that fails is told, and all of it comes back. */
static void a_transform_without_memory_says_so(void **state)
{
    tsr_model *model = model_of("model=nmf-ncw normalize=l2");
    pair p = read_both("float.npy", false);
    tsr_matrix *codes = NULL;
    (void)state;
    tsr_matrix_free(encode(model, p.there, 0, 1)); /* windows have their room from here on */
    for (int64_t nth = 1; nth < 12; nth++) {
        const int64_t live = tsr__memory_live();
        tsr__memory_fail_at(nth);
        const tsr_status status = tsr_model_transform(&codes, model, p.there, NULL);
        tsr__memory_fail_at(0);
        assert_int_equal(status, TSR_ERROR_MEMORY);
        assert_int_equal(tsr__memory_live(), live);
    }
    free_both(&p);
    tsr_model_free(model);
}

/* Others ---------------------------------------------------------------------------------- */

static void prepared_samples_are_the_same(void **state)
{
    static const char *const lines[] = {"model=nmf", "model=nmf normalize=l2",
                                        "model=nmf-ncw normalize=l1"};
    static const char *const files[] = {"float.npy", "sparse.h5"};
    (void)state;
    for (int i = 0; i < 6; i++) {
        tsr_model *model = model_of(lines[i / 2]);
        pair p = read_both(files[i % 2], false);
        tsr_matrix *here = NULL, *there = NULL;
        check_ok(tsr_model_prepare(&here, model, p.here));
        check_ok(tsr_model_prepare(&there, model, p.there));
        check_same(here, there, lines[i / 2]);
        tsr_matrix_free(there);
        tsr_matrix_free(here);
        free_both(&p);
        tsr_model_free(model);
    }
}

static void check_written(const char *from, const char *to)
{
    pair p = read_both(from, true);
    tsr_data *again = NULL;
    check_ok(tsr_data_write(p.there, path_of(to)));
    check_ok(tsr_data_read(&again, path_of(to), NULL));
    check_same(p.here->x, again->x, to);
    assert_int_equal(tsr_labels_known(tsr_data_labels(again)),
                     tsr_path_holds_labels(to) ? tsr_labels_known(p.here->labels) : 0);
    tsr_data_free(again);
    free_both(&p);
}

static void they_are_written_in_blocks(void **state)
{
    pair p = read_both("sparse.h5", false);
    tsr_data *again = NULL;
    tsr_matrix *dense = NULL;
    (void)state;
    check_written("double.npy", "again.h5");
    check_written("float.npy", "again.npy");
    check_written("bytes.npy", "again.h5");
    check_written("dense.h5", "again.npy");
    check_written("sparse.h5", "again.h5");
    check_fails(tsr_data_write(p.there, path_of("again.csv")), TSR_ERROR_UNSUPPORTED, ".h5");
    check_ok(tsr_data_write(p.there, path_of("again.npy")));
    check_ok(tsr_data_read(&again, path_of("again.npy"), NULL));
    check_ok(tsr_matrix_copy_as(&dense, p.here->x, TSR_FLOAT64, false));
    check_same(dense, again->x, "sparse samples as a .npy");
    tsr_matrix_free(dense);
    tsr_data_free(again);
    free_both(&p);
}

static void check_ranking(const char *file, tsr_rank_by by)
{
    tsr_model *model = model_of("model=nmf");
    pair p = read_both(file, true);
    const int32_t *classes = tsr_labels_of(p.here->labels);
    const tsr_matrix *f = tsr_model_basis(model);
    tsr_matrix *g = encode(model, p.here, 0, 1);
    int64_t order[2][K];
    double score[2][K], curve[2][K];
    for (int i = 0; i < 2; i++) {
        const tsr_matrix *x = i == 0 ? p.here->x : p.there->x;
        check_ok(tsr_rank_basis(order[i], score[i], f, g, x, classes, by));
        check_ok(tsr_rank_curve(curve[i], order[i], K, f, g, x, classes, by));
    }
    assert_memory_equal(order[0], order[1], sizeof order[0]);
    assert_memory_equal(score[0], score[1], sizeof score[0]);
    assert_memory_equal(curve[0], curve[1], sizeof curve[0]);
    tsr_matrix_free(g);
    free_both(&p);
    tsr_model_free(model);
}

static void rankings_are_the_same(void **state)
{
    static const char *const files[] = {"double.npy", "float.npy", "sparse.h5"};
    (void)state;
    for (int i = 0; i < 6; i++)
        check_ranking(files[i / 2], i % 2 == 0 ? TSR_RANK_LRE : TSR_RANK_FISHER);
}

static void test_samples_are_classified_in_blocks(void **state)
{
    static const char *const files[] = {"float.npy", "sparse.h5"};
    static int32_t of[2][N];
    (void)state;
    for (int i = 0; i < 2; i++) {
        pair p = read_both(files[i], true);
        const int32_t *classes = tsr_labels_of(p.here->labels);
        tsr_matrix *train = NULL;
        int64_t some[FEW];
        int32_t taught[FEW];
        for (int64_t a = 0; a < FEW; a++)
            some[a] = a * 7, taught[a] = classes[a * 7];
        check_ok(tsr_matrix_copy_samples(&train, p.there->x, some, FEW));
        check_ok(tsr_classify(of[0], train, taught, p.here->x, 3, 2));
        check_ok(tsr_classify(of[1], train, taught, p.there->x, 3, 2));
        assert_memory_equal(of[0], of[1], sizeof of[0]);
        check_fails(tsr_classify(of[0], p.there->x, classes, train, 3, 2),
                    TSR_ERROR_UNSUPPORTED, "training");
        tsr_matrix_free(train);
        free_both(&p);
    }
}

/* Fitted, used and asked as any other model. */
static void a_model_of_them_knows_its_samples(void **state)
{
    pair p = read_both("float.npy", true);
    lab_options o;
    tsr_judgement judged;
    static int32_t of[N];
    (void)state;
    lab_options_of(&o, 4, "rank=4 model=cdnmf labelled=20%%");
    tsr_model *model = lab_fit(p.there, &o.o);
    assert_true(tsr_model_trained_on(model, p.there));
    assert_true(tsr_model_trained_on(model, p.here));
    tsr_matrix *codes = encode(model, p.there, 0, 2);
    check_ok(tsr_model_predict(of, NULL, model, codes, TSR_PREDICT_NEAREST));
    check_ok(tsr_model_judge(&judged, model, of, p.there, true));
    assert_true(judged.judged > 0);
    tsr_matrix_free(codes);
    tsr_model_free(model);
    free_both(&p);
}

/* In any order, some twice. */
static void some_of_them_are_copies(void **state)
{
    static const char *const files[] = {"double.npy", "float.npy", "sparse.h5"};
    int64_t sample[FEW];
    (void)state;
    for (int64_t a = 0; a < FEW; a++)
        sample[a] = a < 40 ? 3 * a : a < 80 ? N - 1 - 17 * (a - 40) : 700;
    for (int i = 0; i < 3; i++) {
        pair p = read_both(files[i], true);
        tsr_data *copy = NULL, *view = NULL, *some = NULL;
        check_ok(tsr__data_some(&copy, p.here, sample, FEW));
        check_ok(tsr__data_some(&some, p.there, sample, FEW));
        p.there->memory = 1000;
        check_ok(tsr__data_some(&view, p.there, sample, FEW));
        assert_false(tsr__matrix_is_stored(copy->x));
        assert_false(tsr__matrix_is_stored(some->x)); /* a quarter of the memory holds so few */
        assert_true(tsr__matrix_is_stored(view->x));
        check_same(copy->x, some->x, files[i]);
        check_same(copy->x, view->x, files[i]);
        assert_memory_equal(tsr_labels_of(copy->labels), tsr_labels_of(view->labels),
                            FEW * sizeof(int32_t));
        tsr_data_free(copy);
        tsr_data_free(some);
        tsr_data_free(view);
        free_both(&p);
    }
}

/* Folds are views of the samples. */
static void folds_are_the_same(void **state)
{
    static const char *const files[] = {"float.npy", "sparse.h5"};
    static int32_t fold[N];
    lab_options o;
    (void)state;
    for (int i = 0; i < N; i++)
        fold[i] = i * 7 % 3;
    lab_options_of(&o, 6, "rank=5 model=nmf plan=stream");
    for (int i = 0; i < 2; i++) {
        pair p = read_both(files[i], true);
        tsr_validation *here = NULL, *there = NULL;
        p.there->memory = 0; /* how much a model takes is no matter here */
        check_ok(tsr_validate(&here, p.here, fold, 3, &o.o, NULL));
        check_ok(tsr_validate(&there, p.there, fold, 3, &o.o, NULL));
        assert_memory_equal(tsr_validation_folds(here), tsr_validation_folds(there),
                            3 * sizeof(double));
        tsr_validation_free(here);
        tsr_validation_free(there);
        free_both(&p);
    }
}

static void codes_have_to_fit(void **state)
{
    pair p = read_both("float.npy", false);
    lab_options o;
    tsr_matrix *codes = NULL;
    (void)state;
    lab_options_of(&o, 2, "rank=%d model=nmf", (int)K);
    tsr_model *model = lab_fit(p.here, &o.o);
    p.there->memory = 20000;
    check_fails(tsr_model_transform(&codes, model, p.there, NULL), TSR_ERROR_MEMORY,
                "--memory");
    assert_null(codes);
    tsr_model_free(model);
    free_both(&p);
}

static void what_needs_them_in_memory_says_so(void **state)
{
    static const char *const baselines[] = {"raw", "pca", "lda", "mfa", "propagation", "ntf"};
    static int32_t of[N];
    pair p = read_both("float.npy", true);
    lab_options o;
    tsr_encoder *encoder = NULL;
    tsr_selection *selection = NULL;
    (void)state;
    lab_options_of(&o, 2, "rank=%d model=nmf", (int)K);
    for (size_t i = 0; i < sizeof baselines / sizeof *baselines; i++) {
        o.o.model = baselines[i];
        check_fails(tsr_encoder_fit(&encoder, p.there, &o.o), TSR_ERROR_UNSUPPORTED,
                    baselines[i]);
    }
    o.o.model = "nmf";
    const tsr_cluster_options clusters = {.clusters = 2, .unit_codes = true};
    check_fails(tsr_cluster(of, NULL, p.there->x, &clusters), TSR_ERROR_UNSUPPORTED, "k-means");
    check_fails(tsr_select(&selection, p.there, &o.o, NULL), TSR_ERROR_UNSUPPORTED, "--memory");
    tsr_matrix *copy = NULL;
    check_fails(tsr_matrix_copy_as(&copy, p.there->x, TSR_FLOAT64, false),
                TSR_ERROR_UNSUPPORTED, "--memory");
    check_fails(tsr_matrix_copy_transposed(&copy, p.there->x), TSR_ERROR_UNSUPPORTED,
                "--memory");
    free_both(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_have_the_same_bits),
        cmocka_unit_test(a_file_that_is_cut_ends_a_transform),
        cmocka_unit_test(a_transform_without_memory_says_so),
        cmocka_unit_test(prepared_samples_are_the_same),
        cmocka_unit_test(they_are_written_in_blocks),
        cmocka_unit_test(rankings_are_the_same),
        cmocka_unit_test(test_samples_are_classified_in_blocks),
        cmocka_unit_test(some_of_them_are_copies),
        cmocka_unit_test(folds_are_the_same),
        cmocka_unit_test(codes_have_to_fit),
        cmocka_unit_test(a_model_of_them_knows_its_samples),
        cmocka_unit_test(what_needs_them_in_memory_says_so),
    };
    return cmocka_run_group_tests(tests, put_files, remove_folder);
}
