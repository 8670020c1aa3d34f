/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Models of parts that come from elsewhere: they do what the fit did that the parts are of, are
 * written and read again, and are refused where parts alone make no model. */
#include "lab.h"

enum { N = 22, M = 11, K = 6, CLASSES = 3, OTHERS = 9 };

static tsr_data *make_data(int64_t samples, uint64_t seed)
{
    lab l = lab_make(samples, M, CLASSES, 0, seed);
    tsr_data *data = lab_data(&l, false);
    lab_free(&l);
    return data;
}

static tsr_model *from_parts(const tsr_matrix *basis, const tsr_matrix *codes,
                             const tsr_labels *labels, const tsr_fit_options *o)
{
    tsr_model *model = NULL;
    check_ok(tsr_model_from_parts(&model, basis, codes, labels, o));
    return model;
}

static tsr_model *again(const tsr_model *model)
{
    tsr_model *back = NULL;
    check_ok(tsr_model_write(model, model_file));
    check_ok(tsr_model_read(&back, model_file));
    return back;
}

/* Codes, classes and scores of other samples. */
static void check_same_use(const tsr_model *a, const tsr_model *b, const tsr_data *others)
{
    static const tsr_predict_by ways[] = {TSR_PREDICT_NEAREST, TSR_PREDICT_BLOCK};
    for (int method = 0; method < 3; method++) {
        tsr_transform_options t;
        tsr_matrix *codes[2] = {NULL, NULL};
        int32_t of[2][OTHERS];
        double score[2][OTHERS];
        tsr_settings_default(tsr_transform_settings(), &t);
        t.method = method;
        check_ok(tsr_model_transform(&codes[0], a, others, &t));
        check_ok(tsr_model_transform(&codes[1], b, others, &t));
        if (!lab_same_bits(codes[0], codes[1]))
            fail_msg("%s, method %d: %.2e apart", a->report.model, method,
                     lab_matrix_apart(codes[0], codes[1], 1));
        assert_int_equal(tsr_model_has_blocks(a), tsr_model_has_blocks(b));
        for (int w = 0; w < 1 + tsr_model_has_blocks(a); w++) {
            check_ok(tsr_model_predict(of[0], score[0], a, codes[0], ways[w]));
            check_ok(tsr_model_predict(of[1], score[1], b, codes[1], ways[w]));
            assert_memory_equal(of[0], of[1], sizeof of[0]);
            assert_memory_equal(score[0], score[1], sizeof score[0]);
        }
        tsr_matrix_free(codes[0]);
        tsr_matrix_free(codes[1]);
    }
}

static void check_report(const tsr_model *model, const tsr_model *fitted, int64_t samples)
{
    const tsr_fit_report r = tsr_model_report(model);
    const char *name = NULL;
    double value = 0;
    assert_string_equal(r.model, fitted->report.model);
    assert_string_equal(r.loss, fitted->report.loss);
    assert_true(r.samples == samples && r.features == M && r.rank == K && r.iterations == 0);
    assert_true(isnan(r.objective) && isnan(r.data_loss) && isnan(r.relative_error));
    assert_false(tsr_model_term(&name, &value, model, 0));
    assert_null(tsr_model_origin(model)); /* nor after it was written and read */
    assert_int_equal(tsr_model_options(model)->rank, K);
    assert_int_equal(tsr_matrix_samples(tsr_model_codes(model)), samples);
}

static void parts_do_what_the_fit_did(void **state)
{
    static const char *const lines[] = {"model=nmf",
                                        "model=nmf-kl",
                                        "model=cdnmf",
                                        "model=cdnmf per-class=1 shared=3",
                                        "model=unmf",
                                        "model=gnmf normalize=l2",
                                        "model=nmf alpha-codes=0.1 l1-ratio=0.5",
                                        "model=snmf",
                                        "model=nmf loss=is",
                                        "model=cnmf-kl"};
    tsr_data *data = make_data(N, 3), *others = make_data(OTHERS, 4);
    (void)state;
    for (int64_t e = 0; e < N * M; e++) /* none is zero: Itakura-Saito takes none */
        ((double *)data->x->values)[e] += 0.01;
    for (int64_t e = 0; e < OTHERS * M; e++)
        ((double *)others->x->values)[e] += 0.01;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        for (int single = 0; single < 2; single++) {
            lab_options o;
            lab_options_of(&o, 25, "rank=%d precision=%s %s", K, single ? "single" : "double",
                           lines[i]);
            tsr_model *fitted = lab_fit(data, &o.o);
            tsr_fit_options mine = *tsr_model_options(fitted);
            mine.rank = i % 2 == 0 ? 0 : K; /* it is that of the basis */
            tsr_model *made = from_parts(fitted->basis, fitted->codes, fitted->labels, &mine);
            tsr_model *read = again(made);
            assert_true(lab_same_bits(fitted->basis, made->basis));
            assert_true(lab_same_bits(fitted->codes, made->codes));
            assert_true(lab_same_bits(read->basis, made->basis));
            assert_true(lab_same_bits(read->codes, made->codes));
            check_report(made, fitted, N);
            check_report(read, fitted, N);
            check_same_use(fitted, made, others);
            check_same_use(fitted, read, others);
            tsr_model_free(read);
            tsr_model_free(made);
            tsr_model_free(fitted);
        }
    tsr_data_free(data);
    tsr_data_free(others);
}

/* A basis alone: codes of new samples, but no classes. */
static void no_samples(void **state)
{
    tsr_data *data = make_data(N, 3), *others = make_data(OTHERS, 4);
    lab_options o;
    int32_t of[OTHERS];
    int64_t first[] = {2, 0};
    tsr_labels *nobody = NULL;
    (void)state;
    lab_options_of(&o, 10, "rank=%d", K);
    tsr_model *fitted = lab_fit(data, &o.o);
    tsr_model *made = from_parts(fitted->basis, NULL, NULL, NULL), *read = again(made);
    const tsr_model *both[] = {made, read};
    for (int i = 0; i < 2; i++) {
        tsr_matrix *codes[2] = {NULL, NULL}, *sum = NULL;
        tsr_model *kept = NULL;
        check_report(both[i], fitted, 0);
        assert_null(tsr_model_labels(both[i]));
        assert_null(tsr_model_seen(both[i]));
        check_ok(tsr_model_transform(&codes[0], both[i], others, NULL));
        check_ok(tsr_model_transform(&codes[1], fitted, others, NULL));
        assert_true(lab_same_bits(codes[0], codes[1]));
        check_fails(tsr_model_predict(of, NULL, both[i], codes[0], TSR_PREDICT_NEAREST),
                    TSR_ERROR_ARGUMENT, "without labels");
        check_ok(tsr_model_reconstruct(&sum, both[i], NULL));
        assert_int_equal(tsr_matrix_samples(sum), 0);
        check_ok(tsr_model_keep(&kept, both[i], first, 2));
        tsr_model_free(kept);
        tsr_matrix_free(sum);
        tsr_matrix_free(codes[0]);
        tsr_matrix_free(codes[1]);
    }
    tsr_model_free(read);
    tsr_model_free(made);
    check_ok(tsr_labels_from_texts(&nobody, NULL, 0));
    made = from_parts(fitted->basis, NULL, nobody, NULL), read = again(made);
    check_fails(tsr_model_predict(of, NULL, read, fitted->codes, TSR_PREDICT_NEAREST),
                TSR_ERROR_ARGUMENT, "saw no labels");
    tsr_labels_free(nobody);
    tsr_model_free(read);
    tsr_model_free(made);
    tsr_model_free(fitted);
    tsr_data_free(data);
    tsr_data_free(others);
}

/* Copies: of another type and storage, and of what is freed before it is used. */
static void parts_are_copied(void **state)
{
    tsr_data *data = make_data(N, 3), *others = make_data(OTHERS, 4);
    tsr_matrix *basis = NULL, *codes = NULL;
    tsr_labels *labels = NULL;
    lab_options o;
    (void)state;
    lab_options_of(&o, 10, "rank=%d model=cdnmf precision=single", K);
    tsr_model *fitted = lab_fit(data, &o.o);
    check_ok(tsr_matrix_copy_as(&basis, fitted->basis, TSR_FLOAT64, true));
    check_ok(tsr_matrix_copy_as(&codes, fitted->codes, TSR_FLOAT64, true));
    check_ok(tsr_labels_copy_samples(&labels, fitted->labels, NULL, N));
    tsr_model *made = from_parts(basis, codes, labels, &o.o);
    tsr_matrix_free(basis);
    tsr_matrix_free(codes);
    tsr_labels_free(labels);
    memset(o.line, 'x', sizeof o.line - 1); /* where texts of the options were */
    check_same_use(fitted, made, others);
    assert_string_equal(tsr_model_options(made)->model, "cdnmf");
    tsr_model_free(made);
    tsr_model_free(fitted);
    tsr_data_free(data);
    tsr_data_free(others);
}

/* A fit may go on from them. */
static void fits_go_on(void **state)
{
    tsr_data *data = make_data(N, 3);
    tsr_model *more = NULL;
    lab_options o;
    (void)state;
    lab_options_of(&o, 10, "rank=%d", K);
    tsr_model *fitted = lab_fit(data, &o.o);
    tsr_model *made = from_parts(fitted->basis, fitted->codes, fitted->labels, &o.o);
    check_ok(tsr_fit_resume(&more, data, made, &o.o));
    assert_true(more->report.objective < fitted->report.objective);
    assert_int_equal(more->report.iterations, 10);
    tsr_model_free(more);
    tsr_model_free(made);
    tsr_model_free(fitted);
    tsr_data_free(data);
}

/* Names that a file of labels would take for unknown ones. */
static void any_name_is_a_class(void **state)
{
    static const char *const names[] = {"?", "-1", ""};
    int32_t of[N];
    tsr_data *data = make_data(N, 3);
    tsr_labels *labels = NULL;
    lab_options o;
    (void)state;
    for (int i = 0; i < N; i++)
        of[i] = i % 4 - 1;
    check_ok(tsr_labels_from_names(&labels, of, N, names, 3));
    lab_options_of(&o, 5, "rank=%d", K);
    tsr_model *fitted = lab_fit(data, &o.o);
    tsr_model *made = from_parts(fitted->basis, fitted->codes, labels, &o.o);
    tsr_model *read = again(made);
    for (int i = 0; i < N; i++) {
        const int32_t c = tsr_model_seen(read)[i];
        assert_true((c < 0) == (of[i] < 0));
        assert_string_equal(tsr_labels_name(tsr_model_labels(read), c),
                            of[i] < 0 ? "?" : names[of[i]]);
    }
    assert_int_equal(tsr_labels_classes(tsr_model_labels(read)), 3);
    tsr_labels_free(labels);
    tsr_model_free(read);
    tsr_model_free(made);
    tsr_model_free(fitted);
    tsr_data_free(data);
}

static void check_refused(const tsr_matrix *basis, const tsr_matrix *codes,
                          const tsr_labels *labels, const char *line, tsr_status status,
                          const char *words)
{
    tsr_model *model = NULL;
    lab_options o;
    lab_options_of(&o, 3, "%s", line);
    check_fails(tsr_model_from_parts(&model, basis, codes, labels, &o.o), status, words);
    assert_null(model);
}

static void what_is_no_model(void **state)
{
    static const double bad[] = {-1, (double)NAN, (double)INFINITY};
    tsr_data *data = make_data(N, 3);
    lab_options o;
    tsr_matrix *none = NULL, *copy = NULL, *narrow = NULL;
    tsr_labels *few = NULL;
    int64_t two[] = {0, 1};
    (void)state;
    lab_options_of(&o, 10, "rank=%d", K);
    tsr_model *fitted = lab_fit(data, &o.o);
    const tsr_matrix *basis = fitted->basis, *codes = fitted->codes;
    check_refused(basis, codes, NULL, "model=cf", TSR_ERROR_ARGUMENT, "samples themselves");
    check_refused(basis, codes, NULL, "model=nmf basis=concept", TSR_ERROR_ARGUMENT,
                  "samples themselves");
    check_refused(basis, codes, NULL, "model=nmf-ncw", TSR_ERROR_ARGUMENT, "--weighting none");
    check_refused(basis, codes, NULL, "model=nmf weighting=ncw", TSR_ERROR_ARGUMENT,
                  "--weighting none");
    check_refused(basis, codes, NULL, "model=nfm", TSR_ERROR_ARGUMENT, "nfm");
    check_refused(codes, codes, NULL, "", TSR_ERROR_ARGUMENT, "codes of 6 entries do not fit");
    check_ok(tsr_labels_copy_samples(&few, data->labels, two, 2));
    check_refused(basis, codes, few, "", TSR_ERROR_ARGUMENT, "2 labels for codes of 22");
    check_refused(basis, NULL, few, "", TSR_ERROR_ARGUMENT, "2 labels for codes of 0");
    check_ok(tsr_matrix_create(&none, 0, M, TSR_FLOAT64));
    check_refused(none, NULL, NULL, "", TSR_ERROR_ARGUMENT, "a basis of 0 vectors");
    check_ok(tsr_matrix_copy_as(&copy, basis, TSR_FLOAT64, false));
    check_ok(tsr_matrix_copy_as(&narrow, codes, TSR_FLOAT64, false));
    for (int i = 0; i < 3; i++) {
        double *value = tsr_matrix_edit(copy), was = value[M + 2];
        value[M + 2] = bad[i];
        check_refused(copy, codes, NULL, "", TSR_ERROR_DATA, "basis: sample 1, feature 2");
        check_refused(copy, NULL, NULL, "precision=single", TSR_ERROR_DATA, "basis");
        value[M + 2] = was;
        value = tsr_matrix_edit(narrow), was = value[3];
        value[3] = bad[i];
        check_refused(basis, narrow, NULL, "", TSR_ERROR_DATA, "codes: sample 0, feature 3");
        value[3] = was;
    }
    tsr_labels_free(few);
    tsr_matrix_free(none);
    tsr_matrix_free(copy);
    tsr_matrix_free(narrow);
    tsr_model_free(fitted);
    tsr_data_free(data);
}

static void starved(void **state)
{
    tsr_data *data = make_data(N, 3);
    tsr_model *made = NULL;
    lab_options o;
    (void)state;
    lab_options_of(&o, 5, "rank=%d model=cdnmf", K);
    tsr_model *fitted = lab_fit(data, &o.o);
    check_starved(
        tsr_model_from_parts(&made, fitted->basis, fitted->codes, fitted->labels, &o.o),
        (tsr_model_free(made), made = NULL));
    tsr_model_free(fitted);
    tsr_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_do_what_the_fit_did),
        cmocka_unit_test(no_samples),
        cmocka_unit_test(parts_are_copied),
        cmocka_unit_test(fits_go_on),
        cmocka_unit_test(any_name_is_a_class),
        cmocka_unit_test(what_is_no_model),
        cmocka_unit_test(starved),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
