/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the table of models says of labels, codes that know of others, and signs: against a table
 * of this test, and against what fits do. */
#include "lab.h"

static const struct {
    const char *name;
    bool labels, joined, signs, online;
} rows[] = {{"nmf", false, false, false, true},     {"nmf-kl", false, false, false, true},
            {"nmf-ncw", false, false, false, true}, {"gnmf", false, true, false, false},
            {"gnmf-kl", false, true, false, false}, {"sgnmf", true, true, false, false},
            {"cnmf", true, true, false, true},      {"cnmf-kl", true, true, false, true},
            {"cdnmf", true, true, false, false},    {"cdnmf-kl", true, true, false, false},
            {"cf", false, false, true, false},      {"cdcf", true, true, true, false},
            {"lccf", false, true, true, false},     {"ccf", true, true, true, false},
            {"snmf", true, true, false, false},     {"dsnmf", true, true, false, false},
            {"unmf", false, false, false, true},    {"ugnmf", false, true, false, false}};
enum { ROWS = sizeof rows / sizeof *rows };

static void table_is_as_it_should_be(void **state)
{
    tsr_model_info info;
    (void)state;
    for (int64_t i = 0; i < ROWS; i++) {
        assert_true(tsr_models_get(&info, i));
        assert_string_equal(info.name, rows[i].name);
        if (info.labels != rows[i].labels || info.joined != rows[i].joined ||
            info.signs != rows[i].signs || info.online != rows[i].online)
            fail_msg("%s: labels %d, joined %d, signs %d, online %d", info.name, info.labels,
                     info.joined, info.signs, info.online);
    }
    assert_false(tsr_models_get(&info, ROWS));
    assert_false(tsr_models_get(&info, -1));
}

/* Options may change them. */
static void options_change_them(void **state)
{
    static const struct {
        const char *line;
        bool labels, joined, signs, online;
    } table[] = {{"model=nmf class=1", true, true, false, false},
                 {"model=nmf graph=1", false, true, false, false},
                 {"model=nmf graph=1 label-edge=1", true, true, false, false},
                 {"model=nmf alpha-codes=1", false, false, false, false},
                 {"model=nmf decorrelate=1", false, false, false, true},
                 {"model=nmf codes=tied", true, true, false, true},
                 {"model=nmf basis=concept", false, false, true, false},
                 {"model=cf loss=kl", false, false, false, false},
                 {"model=gnmf graph=0", false, false, false, true},
                 {"model=cdnmf class=0", false, false, false, true},
                 {"model=snmf links=pairs.csv", false, true, false, false},
                 {"model=snmf must=0 cannot=0", false, false, false, true}};
    tsr_matrix *links = NULL;
    tsr_model_info info;
    lab_options o;
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        lab_options_of(&o, 1, "%s", table[i].line);
        check_ok(tsr_fit_describe(&info, &o.o));
        if (info.labels != table[i].labels || info.joined != table[i].joined ||
            info.signs != table[i].signs || info.online != table[i].online)
            fail_msg("%s: labels %d, joined %d, signs %d, online %d", table[i].line,
                     info.labels, info.joined, info.signs, info.online);
    }
    check_ok(tsr_matrix_create(&links, 1, 3, TSR_FLOAT64));
    lab_options_of(&o, 1, "model=dsnmf");
    o.o.links_matrix = links;
    check_ok(tsr_fit_describe(&info, &o.o));
    assert_true(!info.labels && info.joined);
    tsr_matrix_free(links);
}

/* Without labels, and with entries below zero, exactly those are fitted that say so. */
static void fits_do_as_they_say(void **state)
{
    enum { N = 18, M = 8 };
    lab plain = lab_make(N, M, 3, 0, 2), signs = lab_make(N, M, 3, -0.8, 2);
    tsr_data *bare = NULL, *both = lab_data(&signs, false);
    (void)state;
    free(plain.label);
    plain.label = NULL;
    bare = lab_data(&plain, false);
    for (int64_t i = 0; i < ROWS; i++) {
        tsr_model *model = NULL, *more = NULL;
        lab_options o;
        lab_options_of(&o, 3, "rank=3 neighbours=3 model=%s", rows[i].name);
        assert_int_equal(tsr_fit(&model, bare, &o.o), rows[i].labels ? TSR_ERROR_DATA : TSR_OK);
        if (model != NULL)
            assert_int_equal(tsr_fit_more(&more, bare, model, &o.o),
                             rows[i].online ? TSR_OK : TSR_ERROR_ARGUMENT);
        tsr_model_free(model);
        tsr_model_free(more);
        model = more = NULL;
        assert_int_equal(tsr_fit(&model, both, &o.o), rows[i].signs ? TSR_OK : TSR_ERROR_DATA);
        tsr_model_free(model);
    }
    tsr_data_free(bare);
    tsr_data_free(both);
    lab_free(&plain);
    lab_free(&signs);
}

/* Codes of the fit are those of its samples encoded anew, where nothing joins them: to the
 * tolerance of a fit that ran to its end. */
static void codes_know_of_others(void **state)
{
    enum { N = 18, M = 8 };
    lab l = lab_make(N, M, 3, 0, 2);
    tsr_data *data = lab_data(&l, false);
    (void)state;
    for (int64_t i = 0; i < ROWS; i++) {
        tsr_matrix *codes = NULL;
        lab_options o;
        lab_options_of(&o, 3000, "rank=3 neighbours=3 model=%s", rows[i].name);
        tsr_model *model = lab_fit(data, &o.o);
        check_ok(tsr_model_transform(&codes, model, data, NULL));
        const double apart = lab_matrix_apart(codes, model->codes, 1);
        if ((apart > 1e-3) != rows[i].joined)
            fail_msg("%s: %.2e apart", rows[i].name, apart);
        tsr_matrix_free(codes);
        tsr_model_free(model);
    }
    tsr_data_free(data);
    lab_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_is_as_it_should_be),
        cmocka_unit_test(options_change_them),
        cmocka_unit_test(fits_do_as_they_say),
        cmocka_unit_test(codes_know_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
