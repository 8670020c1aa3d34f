/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a fit takes from memory in place of files: the same bits, one of the two at a time, shapes
 * that fit; and what a fit that goes on says when it is no longer there. */
#include "lab.h"

enum { N = 24, M = 10, K = 4, CLASSES = 3 };

static tsr_data *make_data(void)
{
    lab l = lab_make(N, M, CLASSES, 0, 6);
    tsr_data *data = lab_data(&l, false);
    lab_free(&l);
    return data;
}

static tsr_matrix *matrix_of(const double *value, int64_t rows, int64_t columns)
{
    tsr_matrix *x = NULL;
    check_ok(tsr_matrix_create(&x, rows, columns, TSR_FLOAT64));
    memcpy(tsr_matrix_edit(x), value, (size_t)(rows * columns) * sizeof *value);
    return x;
}

/* The side file, with this matrix in it. */
static void write_side(const tsr_matrix *x)
{
    FILE *file = fopen(side_file, "w");
    assert_non_null(file);
    for (int64_t i = 0; i < x->samples; i++)
        for (int64_t j = 0; j < x->features; j++)
            (void)fprintf(file, "%.17g%c", tsr_matrix_at(x, i, j),
                          j + 1 < x->features ? ',' : '\n');
    assert_int_equal(fclose(file), 0);
}

/* Entries that are missing, pairs, and a graph that is symmetric. */
static tsr_matrix *make_mask(void)
{
    double v[N * M] = {0};
    for (int e = 0; e < 30; e++)
        v[(e * 17 + 3) % (N * M)] = 1 + e;
    return matrix_of(v, N, M);
}

static tsr_matrix *make_links(void)
{
    static const double v[] = {0, 3, 1, 1, 4, 0.5, 2, 9, -1, 7, 8, -2, 20, 23, 1};
    return matrix_of(v, 5, 3);
}

static tsr_matrix *make_graph(void)
{
    double v[N * N] = {0};
    for (int i = 0; i < N; i++) {
        const int j = (i * 5 + 2) % N;
        v[i * N + j] = v[j * N + i] = i == j ? 0 : 0.25 + i % 3;
    }
    return matrix_of(v, N, N);
}

typedef struct side {
    const char *file, *given; /* names of the settings */
    tsr_matrix *(*make)(void);
    const char *lines[3];
} side;

static const side sides[] = {
    {"mask", "mask-matrix", make_mask, {"model=nmf", "model=nmf-kl", "model=cdnmf rank=6"}},
    {"links", "links-matrix", make_links, {"model=snmf", "model=dsnmf", "model=nmf must=1"}},
    {"graph-file",
     "graph-matrix",
     make_graph,
     {"model=gnmf", "model=lccf", "model=ugnmf precision=single"}}};
enum { SIDES = sizeof sides / sizeof *sides };

/* Settings of a table as options by name have them. */
static void give(tsr_fit_options *o, const char *name, const void *given)
{
    for (const tsr_setting *row = tsr_fit_settings(); row->name != NULL; row++)
        if (strcmp(row->name, name) == 0)
            *(const void **)((char *)o + row->offset) = given;
}

static void sides_have_the_bits_of_files(void **state)
{
    tsr_data *data = make_data();
    (void)state;
    for (int i = 0; i < SIDES; i++) {
        tsr_matrix *x = sides[i].make(), *sparse = NULL;
        check_ok(tsr_matrix_copy_as(&sparse, x, TSR_FLOAT32, true));
        write_side(x);
        for (int j = 0; j < 3; j++) {
            lab_options o, p;
            lab_options_of(&o, 10, "rank=%d %s %s=%s", K, sides[i].lines[j], sides[i].file,
                           side_file);
            lab_options_of(&p, 10, "rank=%d %s", K, sides[i].lines[j]);
            tsr_model *by_file = lab_fit(data, &o.o), *without = lab_fit(data, &p.o);
            give(&p.o, sides[i].given, x);
            tsr_model *by_memory = lab_fit(data, &p.o);
            give(&p.o, sides[i].given, sparse); /* whatever the storage */
            tsr_model *by_sparse = lab_fit(data, &p.o);
            assert_true(lab_same_models(by_file, by_memory));
            assert_true(lab_same_models(by_file, by_sparse));
            assert_false(lab_same_models(by_file, without));
            tsr_model_free(by_file);
            tsr_model_free(by_memory);
            tsr_model_free(by_sparse);
            tsr_model_free(without);
        }
        tsr_matrix_free(x);
        tsr_matrix_free(sparse);
    }
    tsr_data_free(data);
}

/* A start in both forms: the basis or weights m x k (n x k) and codes. */
static void check_start(const tsr_data *data, const char *line, bool concept, int64_t rows)
{
    double *f = calloc(N * K, sizeof *f), *g = calloc(N * K, sizeof *g);
    double *across = calloc(M * K, sizeof *across);
    lab_options o, p;
    lab_uniform(f, N * K, 1);
    lab_uniform(g, N * K, 2);
    lab_write_start(concept ? NULL : f, M, concept ? f : NULL, N, g, rows, K);
    for (int64_t i = 0; i < M * K; i++)
        across[i % K * M + i / K] = f[i];
    tsr_matrix *codes = matrix_of(g, rows, K);
    tsr_matrix *factor = concept ? matrix_of(f, N, K) : matrix_of(across, K, M);
    for (int steps = 0; steps < 8; steps += 7) {
        lab_options_of(&o, steps, "rank=%d %s init=%s", K, line, start_file);
        lab_options_of(&p, steps, "rank=%d %s", K, line);
        give(&p.o, concept ? "init-weights" : "init-basis", factor);
        p.o.init_codes = codes;
        tsr_model *by_file = lab_fit(data, &o.o), *by_memory = lab_fit(data, &p.o);
        if (!lab_same_models(by_file, by_memory))
            fail_msg("'%s', %d codes: %.2e apart", line, (int)rows,
                     lab_models_apart(by_file, by_memory));
        assert_true(by_file->report.objective == by_memory->report.objective);
        tsr_model_free(by_file);
        tsr_model_free(by_memory);
    }
    tsr_matrix_free(codes);
    tsr_matrix_free(factor);
    free(f);
    free(g);
    free(across);
}

static void starts_have_the_bits_of_files(void **state)
{
    tsr_data *data = make_data();
    int64_t unknown = 0;
    (void)state;
    for (int i = 0; i < N; i++)
        unknown += data->labels->of[i] < 0;
    check_start(data, "model=nmf", false, N);
    check_start(data, "model=nmf-kl precision=single", false, N);
    check_start(data, "model=cf", true, N);
    check_start(data, "model=cf kernel=rbf", true, N);
    check_start(data, "model=cnmf", false, N);
    check_start(data, "model=cnmf", false, CLASSES + unknown);
    check_start(data, "model=ccf", true, CLASSES + unknown);
    tsr_data_free(data);
}

static void check_refused(const tsr_data *data, const tsr_fit_options *o, tsr_status status,
                          const char *words)
{
    tsr_model *model = NULL;
    check_fails(tsr_fit(&model, data, o), status, words);
    assert_null(model);
}

/* A file and a matrix, half a start, or the start of another kind of model. */
static void one_of_the_two(void **state)
{
    tsr_data *data = make_data();
    double *v = calloc(N * N, sizeof *v);
    tsr_matrix *codes = matrix_of(v, N, K), *basis = matrix_of(v, K, M),
               *weights = matrix_of(v, N, K);
    lab_options o;
    (void)state;
    for (int i = 0; i < SIDES; i++) {
        tsr_matrix *x = sides[i].make();
        lab_options_of(&o, 2, "rank=%d %s %s=%s", K, sides[i].lines[0], sides[i].file,
                       side_file);
        give(&o.o, sides[i].given, x);
        check_refused(data, &o.o, TSR_ERROR_ARGUMENT, "one of the two");
        tsr_matrix_free(x);
    }
    lab_options_of(&o, 2, "rank=%d init=random", K);
    o.o.init_basis = basis, o.o.init_codes = codes;
    check_refused(data, &o.o, TSR_ERROR_ARGUMENT, "init is named as a setting and given");
    lab_options_of(&o, 2, "rank=%d", K);
    o.o.init_basis = basis;
    check_refused(data, &o.o, TSR_ERROR_ARGUMENT, "init-basis and init-codes");
    o.o.init_basis = NULL, o.o.init_codes = codes;
    check_refused(data, &o.o, TSR_ERROR_ARGUMENT, "init-basis and init-codes");
    o.o.init_weights = weights;
    check_refused(data, &o.o, TSR_ERROR_ARGUMENT, "init-weights start concept models");
    lab_options_of(&o, 2, "rank=%d model=cf", K);
    o.o.init_codes = codes;
    check_refused(data, &o.o, TSR_ERROR_ARGUMENT, "init-weights and init-codes");
    o.o.init_basis = basis;
    check_refused(data, &o.o, TSR_ERROR_ARGUMENT, "not from init-basis");
    tsr_matrix_free(codes);
    tsr_matrix_free(basis);
    tsr_matrix_free(weights);
    free(v);
    tsr_data_free(data);
}

/* Each with one row or column too many, and with values that are none. */
static void shapes_are_named(void **state)
{
    static const struct {
        const char *name, *line;
        int64_t rows, columns;
        double value;
        const char *words;
    } table[] = {{"mask-matrix", "model=nmf", N + 1, M, 0, "mask-matrix: a mask of 25 x 10"},
                 {"mask-matrix", "model=nmf", N, M + 1, 0, "data of 24 x 10"},
                 {"links-matrix", "model=snmf", 2, 4, 0, "links-matrix: links are i,j,weight"},
                 {"links-matrix", "model=snmf", 2, 3, N, "links-matrix"},
                 {"graph-matrix", "model=gnmf", N, N + 1, 0, "is not 24 x 25"},
                 {"graph-matrix", "model=gnmf", N, N, -1, "graph-matrix"},
                 {"init-basis", "model=nmf", K + 1, M, 1, "init-basis is 5 x 10 and should be"},
                 {"init-basis", "model=nmf", K, M, -1, "init-basis"},
                 {"init-basis", "model=nmf", K, M, (double)NAN, "init-basis"},
                 {"init-weights", "model=cf", N, K + 1, 1, "init-weights is 24 x 5"},
                 {"init-weights", "model=cf", N, K, -1, "init-weights"},
                 {"init-codes", "model=nmf", N + 1, K, 1, "init-codes is 25 x 4 and should be"},
                 {"init-codes", "model=nmf", N, K, (double)INFINITY, "init-codes"},
                 {"init-codes", "model=cnmf", CLASSES, K, 1, "init-codes is 3 x 4"}};
    tsr_data *data = make_data();
    double *ones = calloc(N * M, sizeof *ones);
    (void)state;
    for (int i = 0; i < N * M; i++)
        ones[i] = 1;
    tsr_matrix *codes = matrix_of(ones, N, K), *basis = matrix_of(ones, K, M);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        tsr_matrix *x = NULL;
        lab_options o;
        check_ok(tsr_matrix_create(&x, table[i].rows, table[i].columns, TSR_FLOAT64));
        for (int64_t e = 0; e < table[i].rows * table[i].columns; e++)
            ((double *)tsr_matrix_edit(x))[e] = table[i].value;
        lab_options_of(&o, 2, "rank=%d %s", K, table[i].line);
        if (strncmp(table[i].name, "init", 4) == 0)
            o.o.init_codes = codes;
        if (strcmp(table[i].name, "init-codes") == 0)
            o.o.init_basis = basis;
        give(&o.o, table[i].name, x);
        check_refused(data, &o.o, TSR_ERROR_DATA, table[i].words);
        tsr_matrix_free(x);
    }
    tsr_matrix_free(codes);
    tsr_matrix_free(basis);
    free(ones);
    tsr_data_free(data);
}

/* Also for baselines, which know no missing values. */
static void baselines_refuse_masks(void **state)
{
    tsr_data *data = make_data();
    tsr_matrix *mask = make_mask();
    tsr_encoder *encoder = NULL;
    lab_options o;
    (void)state;
    lab_options_of(&o, 2, "model=pca rank=2");
    o.o.mask_matrix = mask;
    check_fails(tsr_encoder_fit(&encoder, data, &o.o), TSR_ERROR_ARGUMENT, "missing values");
    tsr_matrix_free(mask);
    tsr_data_free(data);
}

static bool has_note(const tsr_model *model, const char *text)
{
    for (int64_t i = 0; i < tsr_model_notes(model); i++)
        if (strstr(tsr_model_note(model, i), text) != NULL)
            return true;
    return false;
}

/* A fit that goes on: with the matrix it is one that was never stopped; without it the mask, which
 * is part of the data, is missed, and other weights and graphs are said. */
static void going_on(void **state)
{
    tsr_data *data = make_data();
    (void)state;
    for (int i = 0; i < SIDES; i++) {
        tsr_matrix *x = sides[i].make();
        tsr_model *from = NULL, *whole = NULL;
        lab_options o;
        char words[64];
        lab_options_of(&o, 12, "rank=%d %s", K, sides[i].lines[0]);
        give(&o.o, sides[i].given, x);
        tsr_model *at_once = lab_fit(data, &o.o);
        o.o.iterations = 5;
        tsr_model *part = lab_fit(data, &o.o);
        check_ok(tsr_model_write(part, model_file));
        check_ok(tsr_model_read(&from, model_file));
        assert_null(from->options.mask_matrix);
        o.o.iterations = 7;
        check_ok(tsr_fit_resume(&whole, data, from, &o.o));
        assert_true(lab_same_models(at_once, whole));
        assert_int_equal(tsr_model_notes(whole), tsr_model_notes(at_once));
        tsr_model_free(whole);
        whole = NULL;
        give(&o.o, sides[i].given, NULL);
        (void)snprintf(words, sizeof words, "--%s was 'in memory'", sides[i].given);
        if (i == 0) {
            check_fails(tsr_fit_resume(&whole, data, from, &o.o), TSR_ERROR_ARGUMENT, words);
            check_fails(tsr_fit_resume(&whole, data, from, NULL), TSR_ERROR_ARGUMENT, words);
        } else {
            check_ok(tsr_fit_resume(&whole, data, from, &o.o));
            assert_true(has_note(whole, words));
        }
        tsr_model_free(whole);
        tsr_model_free(from);
        tsr_model_free(part);
        tsr_model_free(at_once);
        tsr_matrix_free(x);
    }
    tsr_data_free(data);
}

/* The start is over, and who listened is forgotten. */
static void starts_are_not_missed(void **state)
{
    tsr_data *data = make_data();
    double v[N * M];
    tsr_model *whole = NULL;
    lab_options o;
    (void)state;
    lab_uniform(v, N * M, 3);
    tsr_matrix *codes = matrix_of(v, N, K), *basis = matrix_of(v, K, M);
    lab_options_of(&o, 9, "rank=%d", K);
    o.o.init_codes = codes, o.o.init_basis = basis;
    tsr_model *at_once = lab_fit(data, &o.o);
    o.o.iterations = 4;
    tsr_model *part = lab_fit(data, &o.o);
    o.o.init_codes = o.o.init_basis = NULL;
    o.o.iterations = 5;
    check_ok(tsr_fit_resume(&whole, data, part, &o.o));
    assert_true(lab_same_models(at_once, whole));
    assert_int_equal(tsr_model_notes(whole), tsr_model_notes(at_once));
    tsr_model_free(whole);
    tsr_model_free(part);
    tsr_model_free(at_once);
    tsr_matrix_free(codes);
    tsr_matrix_free(basis);
    tsr_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sides_have_the_bits_of_files),
        cmocka_unit_test(starts_have_the_bits_of_files),
        cmocka_unit_test(one_of_the_two),
        cmocka_unit_test(shapes_are_named),
        cmocka_unit_test(baselines_refuse_masks),
        cmocka_unit_test(going_on),
        cmocka_unit_test(starts_are_not_missed),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
