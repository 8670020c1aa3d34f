/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Pages about models: facts are what the library says elsewhere, every chart has its table, whatever
 * a text holds stays text, and every row of the model table gets its page. */
#include "lab.h"

#include <jansson.h>

enum { N = 36, SIDE = 4, M = SIDE * SIDE, CLASSES = 3 };

static tsr_model *fit(const tsr_data *data, const char *line)
{
    lab_options o;
    lab_options_of(&o, 20, "%s", line);
    return lab_fit(data, &o.o);
}

static tsr_data *make_data(double lowest, bool pictures)
{
    lab l = lab_make(N, M, CLASSES, lowest, 3);
    tsr_data *data = lab_data(&l, false);
    check_ok(tsr_data_name_origin(data, "faces.mat:fea"));
    if (pictures)
        check_ok(tsr_matrix_set_image(tsr_data_samples(data),
                                      (tsr_image_shape){SIDE, SIDE, TSR_COLUMN_ORDER}));
    lab_free(&l);
    return data;
}

/* A page, as written and as facts. */
typedef struct seen {
    char *html;
    json_t *facts;
} seen;

/* The page is freed. */
static seen look_at(tsr_page *page)
{
    seen s = {NULL, NULL};
    json_error_t error;
    check_ok(tsr_page_write(page, side_file));
    FILE *from = fopen(side_file, "re");
    assert_non_null(from);
    assert_int_equal(fseek(from, 0, SEEK_END), 0);
    const long size = ftell(from);
    rewind(from);
    s.html = calloc((size_t)size + 1, 1);
    assert_int_equal(fread(s.html, 1, (size_t)size, from), size);
    (void)fclose(from);
    s.facts = json_loads(tsr_page_facts(page), 0, &error);
    if (s.facts == NULL)
        fail_msg("the facts are no JSON: %s", error.text);
    assert_null(strstr(tsr_page_facts(page), "<"));
    assert_non_null(strstr(s.html, tsr_page_facts(page)));
    tsr_page_free(page);
    return s;
}

static seen look(const tsr_model *model, const tsr_data *data, const tsr_page_options *options)
{
    tsr_page *page = NULL;
    check_ok(tsr_page_model(&page, model, data, options));
    return look_at(page);
}

static void forget(seen *s)
{
    free(s->html);
    json_decref(s->facts);
}

/* A cell by the name of its row and its column; NULL: there is none. */
static json_t *cell(const seen *s, const char *table, const char *row, const char *column)
{
    json_t *t = json_object_get(json_object_get(s->facts, "tables"), table);
    json_t *columns = json_object_get(t, "columns"), *rows = json_object_get(t, "rows");
    size_t at = 0, i = 0;
    json_t *value = NULL;
    while (at < json_array_size(columns) &&
           strcmp(json_string_value(json_object_get(json_array_get(columns, at), "name")),
                  column) != 0)
        at++;
    json_array_foreach(rows, i, value)
    {
        const json_t *name = json_array_get(value, 0);
        if (json_is_string(name) && strcmp(json_string_value(name), row) == 0)
            return json_array_get(value, at);
    }
    return NULL;
}

static void same(const seen *s, const char *table, const char *row, const char *column,
                 double expected)
{
    json_t *value = cell(s, table, row, column);
    if (value == NULL)
        fail_msg("%s has no %s of %s", table, column, row);
    if (isnan(expected)) {
        assert_true(json_is_null(value));
        return;
    }
    if (!(fabs(json_number_value(value) - expected) <= 1e-8 * fabs(expected)))
        fail_msg("%s of %s is %.17g, not %.17g", column, row, json_number_value(value),
                 expected);
}

static bool has_column(json_t *table, const char *name)
{
    size_t i = 0;
    json_t *column = NULL;
    json_array_foreach(json_object_get(table, "columns"), i, column)
    {
        if (strcmp(json_string_value(json_object_get(column, "name")), name) == 0)
            return true;
    }
    return false;
}

/* What every page promises: charts have figures and tables with the columns that they name, tables
 * stand in the HTML and their rows are full. */
static void check_whole(const seen *s)
{
    static const char *const keys[] = {"x", "y", "series", "name", "error", "dashed"};
    size_t i = 0, j = 0;
    json_t *chart = NULL, *name = NULL, *table = NULL, *row = NULL;
    json_t *tables = json_object_get(s->facts, "tables");
    const char *id = NULL;
    char text[200];
    json_array_foreach(json_object_get(s->facts, "charts"), i, chart)
    {
        table = json_object_get(tables, json_string_value(json_object_get(chart, "table")));
        assert_non_null(table);
        (void)snprintf(text, sizeof text, "id=\"chart-%s\"",
                       json_string_value(json_object_get(chart, "id")));
        assert_non_null(strstr(s->html, text));
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
            json_t *value = json_object_get(chart, keys[k]);
            if (json_is_string(value))
                assert_true(has_column(table, json_string_value(value)));
            json_array_foreach(value, j, name)
                assert_true(has_column(table, json_string_value(name)));
        }
    }
    json_object_foreach(tables, id, table)
    {
        const size_t columns = json_array_size(json_object_get(table, "columns"));
        (void)snprintf(text, sizeof text, "<table id=\"table-%s\">", id);
        assert_non_null(strstr(s->html, text));
        json_array_foreach(json_object_get(table, "rows"), i, row)
            assert_int_equal(json_array_size(row), columns);
    }
}

static void test_facts(void **state)
{
    (void)state;
    tsr_data *data = make_data(0, true);
    tsr_model *model = fit(data, "model=cdnmf rank=6 labelled=2");
    const tsr_fit_report r = tsr_model_report(model);
    seen s = look(model, data, NULL);
    const char *name = NULL;
    double value = 0;
    int32_t of[N];
    int64_t order[6];
    double share[6];
    tsr_scores scores;
    tsr_judgement how;
    check_whole(&s);
    same(&s, "figures", "objective J", "value", r.objective);
    same(&s, "figures", "relative error", "value", r.relative_error);
    same(&s, "figures", "iterations", "value", 20);
    for (int64_t i = 0; tsr_model_term(&name, &value, model, i); i++)
        same(&s, "terms", name, "value", value);
    check_ok(tsr_basis_shares(order, share, tsr_model_basis(model), tsr_model_codes(model)));
    same(&s, "parts", "part 4", "share", share[4]);
    check_ok(tsr_rank_basis(order, NULL, tsr_model_basis(model), tsr_model_codes(model),
                            tsr_data_samples(data), NULL, TSR_RANK_LRE));
    for (int64_t i = 0; i < 6; i++) {
        char part[20];
        (void)snprintf(part, sizeof part, "part %d", (int)order[i]);
        same(&s, "parts", part, "rank by LRE", (double)i + 1);
    }
    check_ok(tsr_cluster(of, NULL, tsr_model_codes(model),
                         &(tsr_cluster_options){.clusters = CLASSES}));
    check_ok(tsr_score_clusters(&scores, of, tsr_labels_of(tsr_data_labels(data)), N));
    same(&s, "scores", "accuracy (AC)", "value", scores.accuracy);
    same(&s, "scores", "NMI", "value", scores.nmi);
    same(&s, "scores", "adjusted Rand index (ARI)", "value", scores.ari);
    same(&s, "scores", "purity", "value", scores.purity);
    check_ok(tsr_model_predict(of, NULL, model, tsr_model_codes(model), TSR_PREDICT_BLOCK));
    check_ok(tsr_model_judge(&how, model, of, data, true));
    assert_true(how.judged > 0);
    same(&s, "judged", "accuracy", "value", how.accuracy);
    same(&s, "judged", "samples", "value", (double)how.judged);
    forget(&s);
    tsr_model_free(model);
    tsr_data_free(data);
}

/* The last step has all parts: what is missing then is what the reconstruction misses. */
static void test_sums(void **state)
{
    (void)state;
    tsr_data *data = make_data(0, true);
    tsr_model *model = fit(data, "model=nmf rank=5");
    seen s = look(model, data, &(tsr_page_options){.points = 100, .parts = 9, .samples = N});
    tsr_matrix *made = NULL;
    check_ok(tsr_model_reconstruct(&made, model, NULL));
    json_t *steps = NULL, *chart = NULL;
    size_t i = 0;
    json_array_foreach(json_object_get(s.facts, "charts"), i, chart)
    {
        if (strcmp(json_string_value(json_object_get(chart, "id")), "steps") == 0)
            steps = chart;
    }
    assert_non_null(steps);
    json_t *names = json_object_get(steps, "names"), *errors = json_object_get(steps, "errors");
    assert_int_equal(json_array_size(names), N);
    for (size_t at = 0; at < N; at++) {
        int number = 0, sample = 0;
        double left = 0, all = 0;
        const char *label = json_string_value(json_array_get(names, at));
        assert_int_equal(sscanf(label, "%d: sample %d", &number, &sample), 2);
        for (int64_t j = 0; j < M; j++) {
            const double x = tsr_matrix_at(tsr_data_samples(data), sample, j);
            left += pow(x - tsr_matrix_at(made, sample, j), 2);
            all += x * x;
        }
        json_t *list = json_array_get(errors, at);
        const double last = json_number_value(json_array_get(list, json_array_size(list) - 1));
        assert_true(fabs(last - sqrt(left / all)) < 1e-7);
    }
    tsr_matrix_free(made);
    forget(&s);
    tsr_model_free(model);
    tsr_data_free(data);
}

/* Every row, with the data and without, of pictures and not. */
static void test_table(void **state)
{
    (void)state;
    tsr_model_info info;
    const tsr_page_options few = {.points = 9, .parts = 4, .samples = 2};
    for (int64_t i = 0; tsr_models_get(&info, i); i++)
        for (int pictures = 0; pictures < 2; pictures++) {
            char line[200];
            tsr_data *data = make_data(0, pictures > 0);
            (void)snprintf(line, sizeof line, "model=%s rank=6 precision=%s", info.name,
                           pictures > 0 ? "double" : "single");
            tsr_model *model = fit(data, line);
            for (int with = 0; with < 3; with++) {
                seen s = look(model, with > 0 ? data : NULL, &few);
                check_whole(&s);
                same(&s, "figures", "parts", "value", 6);
                assert_null(cell(&s, "data", "shown here", "what")); /* its own samples, */
                check_ok(
                    tsr_data_name_origin(data, "another/file.mat")); /* wherever they are */
                forget(&s);
            }
            tsr_model_free(model);
            tsr_data_free(data);
        }
}

static void test_odd_models(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        double lowest;
    } odd[] = {
        {"model=cf rank=4 kernel=rbf", 0},
        {"model=nmf rank=1", 0},
        {"model=nmf rank=3 iterations=0", 0},
        {"model=lccf rank=3", -1},
        {"model=nmf rank=3 loss=kl normalize=l1", 0},
    };
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        tsr_data *data = make_data(odd[i].lowest, true);
        tsr_model *model = NULL;
        lab_options o;
        lab_options_of(&o, 5, "%s", odd[i].line);
        if (tsr_fit(&model, data, &o.o) == TSR_OK) {
            seen s = look(model, data, NULL);
            check_whole(&s);
            forget(&s);
        } else {
            fail_msg("%s: %s", odd[i].line, tsr_message());
        }
        tsr_model_free(model);
        tsr_data_free(data);
    }
}

/* Samples that the model never saw are encoded for the page. */
static void test_other_data(void **state)
{
    (void)state;
    tsr_data *data = make_data(0, false), *some = NULL;
    tsr_model *model = fit(data, "model=cdnmf rank=6");
    static const int64_t chosen[] = {5, 1, 9, 30};
    check_ok(tsr_data_copy_samples(&some, data, chosen, 4));
    check_ok(tsr_data_name_origin(some, "others.mat"));
    seen s = look(model, some, NULL);
    check_whole(&s);
    json_t *rows =
        json_object_get(json_object_get(json_object_get(s.facts, "tables"), "samples"), "rows");
    assert_int_equal(json_array_size(rows), 4);
    assert_non_null(cell(&s, "data", "shown here", "what"));
    forget(&s);
    check_ok(tsr_data_name_origin(data, "elsewhere/faces.mat:fea")); /* the same all the same */
    s = look(model, data, NULL);
    assert_null(cell(&s, "data", "shown here", "what"));
    forget(&s);
    tsr_data_free(some);
    tsr_model_free(model);
    tsr_data_free(data);
}

/* A file that has changed since, its name and labels the same, is not what was fitted. */
static void test_changed_data(void **state)
{
    (void)state;
    tsr_data *data = make_data(0, false), *copy = NULL;
    tsr_model *model = fit(data, "model=cdnmf rank=6 labelled=2");
    check_ok(tsr_data_copy_as(&copy, data, TSR_FLOAT64, false));
    double *x = tsr_matrix_edit(tsr_data_samples(copy));
    for (int i = 0; i < N * M; i++)
        x[i] = 2 - x[i] > 0 ? 2 - x[i] : 0;
    seen s = look(model, copy, NULL);
    assert_non_null(cell(&s, "data", "shown here", "what"));
    forget(&s);
    tsr_model_free(model);
    model = fit(data, "model=cf rank=4 kernel=rbf"); /* its samples are kept with it */
    s = look(model, copy, NULL);
    assert_non_null(cell(&s, "data", "shown here", "what"));
    forget(&s);
    check_ok(tsr_data_name_origin(data, "elsewhere"));
    s = look(model, data, NULL);
    assert_null(cell(&s, "data", "shown here", "what"));
    forget(&s);
    tsr_model_free(model);
    tsr_data_free(copy);
    tsr_data_free(data);
}

/* Whatever names hold, they are text. */
static void test_hostile_names(void **state)
{
    (void)state;
    static const char *const evil[] = {
        "</script><script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d \xe2\x80\xae evil",
        "caf\xe9 \xff\xfe",
        "a\tb\nc\x01",
        "'; --",
    };
    enum { EVIL = sizeof evil / sizeof *evil };
    const char *sample[N], *feature[M];
    int32_t of[N];
    lab l = lab_make(N, M, CLASSES, 0, 3);
    tsr_matrix *x = NULL;
    tsr_labels *labels = NULL;
    tsr_data *data = NULL;
    for (int i = 0; i < N; i++) {
        sample[i] = evil[i % EVIL];
        of[i] = i % EVIL;
    }
    for (int j = 0; j < M; j++)
        feature[j] = evil[j % EVIL];
    check_ok(tsr_matrix_create(&x, N, M, TSR_FLOAT64));
    memcpy(tsr_matrix_edit(x), l.x, sizeof(double) * N * M);
    check_ok(tsr_labels_from_names(&labels, of, N, evil, EVIL));
    check_ok(tsr_data_take(&data, x, labels));
    check_ok(tsr_data_name_samples(data, sample, N));
    check_ok(tsr_data_name_features(data, feature, M));
    check_ok(tsr_data_name_origin(data, "<b>.mat"));
    tsr_model *model = fit(data, "model=cdnmf rank=6 labelled=2");
    tsr_page_options options;
    tsr_settings_default(tsr_page_settings(), &options);
    options.title = "<title> & co";
    options.command = "rm -rf '<x>'";
    seen s = look(model, data, &options);
    check_whole(&s);
    assert_null(strstr(s.html, "<img src=x"));
    assert_null(strstr(s.html, "<b>"));
    assert_null(strstr(s.html, "alert(1)</script>"));
    assert_non_null(strstr(s.html, "&lt;/script&gt;&lt;script&gt;alert(1)"));
    assert_non_null(strstr(s.html, "caf\xef\xbf\xbd"));
    assert_non_null(strstr(s.html, "&lt;title&gt; &amp; co"));
    forget(&s);
    tsr_model_free(model);
    tsr_data_free(data);
    lab_free(&l);
}

/* Samples enough for `classes` classes of `each`. */
static tsr_data *many_classes(int classes, int each)
{
    const int many = classes * each;
    lab l = {many, M, classes, calloc((size_t)many * M, sizeof(double)),
             calloc((size_t)many, sizeof(double))};
    lab_uniform(l.x, many * M, 5);
    for (int i = 0; i < many; i++)
        l.label[i] = i % classes;
    tsr_data *data = lab_data(&l, false);
    lab_free(&l);
    return data;
}

static void test_caps(void **state)
{
    (void)state;
    tsr_data *data = many_classes(70, 3);
    tsr_model *model = fit(data, "model=nmf rank=12");
    seen s = look(model, data, &(tsr_page_options){.points = 50, .parts = 5, .samples = 2});
    check_whole(&s);
    json_t *tables = json_object_get(s.facts, "tables");
    assert_int_equal(
        json_array_size(json_object_get(json_object_get(tables, "samples"), "rows")), 50);
    assert_int_equal(json_array_size(json_object_get(json_object_get(tables, "parts"), "rows")),
                     5);
    assert_non_null(strstr(s.html, "50 samples drawn from 210 are shown"));
    assert_non_null(strstr(s.html, "The 5 parts with the largest share are shown, of 12"));
    assert_non_null(strstr(s.html, "The 60 classes with the most errors are shown, of 70"));
    forget(&s);
    tsr_model_free(model);
    tsr_data_free(data);
    data = many_classes(1001, 2);
    model = fit(data, "model=nmf rank=3 labelled=1");
    s = look(model, data, NULL);
    check_whole(&s);
    assert_non_null(strstr(s.html, "1001 classes are too many to be counted"));
    forget(&s);
    tsr_model_free(model);
    tsr_data_free(data);
}

/* Every candidate's figures, the folds, the advice; one that cannot be fitted says why. */
static void test_selection(void **state)
{
    (void)state;
    tsr_data *data = make_data(0, false);
    tsr_fit_options fitting;
    tsr_select_options how;
    tsr_selection *selection = NULL;
    tsr_page *page = NULL;
    tsr_candidate c;
    tsr_fit_defaults(&fitting);
    tsr_settings_default(tsr_select_settings(), &how);
    fitting.model = "cdnmf,nmf";
    fitting.iterations = 5;
    how.ranks = "2,6";
    how.folds = 3;
    how.repeats = 2;
    how.baselines = true;
    check_ok(tsr_select(&selection, data, &fitting, &how));
    check_ok(tsr_page_selection(&page, selection, NULL));
    seen s = look_at(page);
    check_whole(&s);
    for (int64_t i = 0; tsr_selection_candidate(&c, selection, i); i++) {
        char name[100];
        const bool fitted = *c.note == '\0';
        if (strcmp(c.model, "raw") == 0)
            (void)snprintf(name, sizeof name, "%s", c.model);
        else
            (void)snprintf(name, sizeof name, "%s: %d%s", c.model, (int)c.rank,
                           c.chosen ? " (chosen)" : "");
        same(&s, "candidates", name, "accuracy", fitted ? c.mean : (double)NAN);
        same(&s, "candidates", name, "± error", fitted ? c.error : (double)NAN);
        same(&s, "candidates", name, "NMI", fitted ? c.nmi : (double)NAN);
        same(&s, "candidates", name, "stability", fitted ? c.stability : (double)NAN);
    }
    assert_non_null(strstr(s.html, "not fitted")); /* rank 2 has no vector for each class */
    json_t *rows =
        json_object_get(json_object_get(json_object_get(s.facts, "tables"), "folds"), "rows");
    assert_int_equal(json_array_size(rows) % 3, 0);
    assert_non_null(strstr(s.html, "<code>tessera fit"));
    forget(&s);
    tsr_selection_free(selection);
    tsr_data_free(data);
}

static void test_missing_values(void **state)
{
    (void)state;
    lab l = lab_make(N, M, CLASSES, 0, 3);
    for (int i = 0; i < N * M; i += 7)
        l.x[i] = (double)NAN;
    tsr_data *data = lab_data(&l, false);
    check_ok(tsr_matrix_set_image(tsr_data_samples(data),
                                  (tsr_image_shape){SIDE, SIDE, TSR_ROW_ORDER}));
    tsr_model *model = fit(data, "model=nmf rank=4 missing=mask");
    for (int i = 0; i < 2; i++) {
        seen s = look(model, data, NULL);
        check_whole(&s);
        forget(&s);
        check_ok(tsr_data_name_origin(data, "elsewhere"));
    }
    tsr_model_free(model);
    tsr_data_free(data);
    lab_free(&l);
}

/* What stood there stays where the page cannot be made or written. */
static void test_refusals(void **state)
{
    (void)state;
    tsr_data *data = make_data(0, false);
    tsr_model *model = fit(data, "model=nmf rank=3");
    tsr_page *page = NULL;
    check_fails(tsr_page_model(&page, model, data, &(tsr_page_options){.points = 0}),
                TSR_ERROR_ARGUMENT, "points");
    assert_null(page);
    tsr_page_options options;
    tsr_settings_default(tsr_page_settings(), &options);
    options.pictures = "/nowhere";
    check_fails(tsr_page_model(&page, model, data, &options), TSR_ERROR_DATA, "--pictures");
    check_ok(tsr_page_model(&page, model, data, NULL));
    check_fails(tsr_page_write(page, "/nowhere/page.html"), TSR_ERROR_IO, "/nowhere");
    tsr_page_free(page);
    tsr_model_free(model);
    tsr_data_free(data);
}

static void test_memory(void **state)
{
    (void)state;
    tsr_data *data = make_data(0, true);
    tsr_model *model = fit(data, "model=cdnmf rank=6 labelled=2");
    tsr_page *page = NULL;
    const tsr_page_options few = {.points = 6, .parts = 2, .samples = 1, .threads = 1};
    check_starved(tsr_page_model(&page, model, data, &few), {
        tsr_page_free(page);
        page = NULL;
    });
    tsr_model_free(model);
    tsr_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_facts),        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_table),        cmocka_unit_test(test_odd_models),
        cmocka_unit_test(test_other_data),   cmocka_unit_test(test_hostile_names),
        cmocka_unit_test(test_caps),         cmocka_unit_test(test_missing_values),
        cmocka_unit_test(test_refusals),     cmocka_unit_test(test_selection),
        cmocka_unit_test(test_changed_data), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
