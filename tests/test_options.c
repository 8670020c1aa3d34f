/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Options by name are those of the structs: defaults, what sets them, and what fits make of them. */
#include "lab.h"

#include "base/settings.h"
#include "base/text.h"

static tsr_options *make(const char *name)
{
    tsr_options *options = NULL;
    check_ok(tsr_options_create(&options, name));
    return options;
}

static const void *object_of(const tsr_options *options, const tsr_setting *row)
{
    return *(const void *const *)((const char *)tsr_options_values(options) + row->offset);
}

/* The tables in their order, with the defaults that their functions take. */
static void defaults_are_those_of_structs(void **state)
{
    static const struct {
        const char *name;
        const tsr_setting *(*settings)(void);
    } tables[] = {{"read", tsr_read_settings},
                  {"features", tsr_features_settings},
                  {"fit", tsr_fit_settings},
                  {"transform", tsr_transform_settings},
                  {"cluster", tsr_cluster_settings},
                  {"validate", tsr_validate_settings},
                  {"select", tsr_select_settings},
                  {"overlay", tsr_overlay_settings},
                  {"experiment", tsr_experiment_settings},
                  {"page", tsr_page_settings}};
    enum { TABLES = sizeof tables / sizeof *tables };
    double object[128]; /* room for any of them */
    tsr_fit_options fit;
    (void)state;
    for (int64_t i = 0; i < TABLES; i++) {
        const tsr_setting *table = tables[i].settings();
        tsr_options *options = make(tables[i].name);
        memset(object, 0x5a, sizeof object);
        tsr_settings_default(table, object);
        assert_string_equal(tsr_options_name(i), tables[i].name);
        assert_ptr_equal(tsr_options_table(tables[i].name), table);
        assert_true(tsr__settings_agree(table, object, tsr_options_values(options)));
        check_ok(tsr_settings_check(table, tsr_options_values(options)));
        tsr_options_free(options);
    }
    assert_null(tsr_options_name(TABLES));
    assert_null(tsr_options_table("fits"));
    tsr_options *options = make("fit");
    tsr_fit_defaults(&fit);
    assert_true(tsr__settings_agree(tsr_fit_settings(), &fit, tsr_options_values(options)));
    tsr_options_free(options);
    tsr_options_free(NULL);
    check_fails(tsr_options_create(&options, "fits"), TSR_ERROR_ARGUMENT, "'fits'");
}

static void check_value(tsr_options *options, const char *name, const char *value)
{
    const char *got = tsr_options_get(options, name);
    if (got == NULL || strcmp(got, value) != 0)
        fail_msg("%s is '%.100s' and not '%.100s'", name, got != NULL ? got : "(NULL)", value);
}

/* Set and got again; what is none leaves the former value. */
static void check_row(tsr_options *options, const tsr_setting *row, const char *good,
                      const char *bad)
{
    check_ok(tsr_options_set(options, row->name, good));
    check_value(options, row->name, good);
    if (bad == NULL)
        return;
    if (tsr_options_set(options, row->name, bad) != TSR_ERROR_ARGUMENT)
        fail_msg("%s may be '%s'", row->name, bad);
    check_value(options, row->name, good);
}

static void check_choices(tsr_options *options, const tsr_setting *row)
{
    char words[512], *rest = NULL;
    (void)snprintf(words, sizeof words, "%s", row->values);
    for (char *word = strtok_r(words, "|", &rest); word != NULL;
         word = strtok_r(NULL, "|", &rest))
        check_row(options, row, word, "nobody");
}

static void check_object(tsr_options *options, const tsr_setting *row)
{
    static const int thing = 1;
    check_value(options, row->name, "");
    check_ok(tsr_options_give(options, row->name, &thing));
    assert_ptr_equal(object_of(options, row), &thing);
    check_value(options, row->name, "in memory");
    check_fails(tsr_options_set(options, row->name, "here"), TSR_ERROR_ARGUMENT, "from memory");
    assert_ptr_equal(object_of(options, row), &thing);
    check_ok(tsr_options_give(options, row->name, NULL));
    check_value(options, row->name, "");
}

static void check_kind(tsr_options *options, const tsr_setting *row)
{
    const double real = isfinite(row->minimum) ? fmin(row->minimum + 0.25, row->maximum) : 0.25;
    char text[TSR_REAL_SIZE];
    (void)tsr__format_real(text, real);
    switch (row->kind) {
    case TSR_SETTING_FLAG:
        check_row(options, row, "true", "maybe");
        check_row(options, row, "false", "2");
        break;
    case TSR_SETTING_INTEGER:
        (void)snprintf(text, sizeof text, "%lld", (long long)row->minimum);
        check_row(options, row, text, "1.5");
        (void)snprintf(text, sizeof text, "%lld", (long long)row->maximum);
        check_row(options, row, text, "9223372036854775807");
        break;
    case TSR_SETTING_REAL: check_row(options, row, text, "nan"); break;
    case TSR_SETTING_CHOICE: check_choices(options, row); break;
    case TSR_SETTING_PAIR: check_row(options, row, "32x24", "32"); break;
    case TSR_SETTING_TEXT: check_row(options, row, "5,10", NULL); break;
    case TSR_SETTING_OBJECT: check_object(options, row); break;
    case TSR_SETTING_SIZE:
        check_row(options, row, "2G", "2X");
        check_row(options, row, "500M", "M");
        check_row(options, row, "64K", "64KB");
        check_row(options, row, "8191T", "-1");
        check_row(options, row, "1000", "9223372036854775807K");
        check_row(options, row, "0", "1.5G");
        break;
    case TSR_SETTING_NOTE: fail_msg("%s is of results alone", row->name);
    }
    if (row->kind != TSR_SETTING_OBJECT)
        check_fails(tsr_options_give(options, row->name, options), TSR_ERROR_ARGUMENT,
                    "set by a text");
}

static void rows_are_set_and_shown(void **state)
{
    (void)state;
    for (int64_t i = 0; tsr_options_name(i) != NULL; i++) {
        tsr_options *options = make(tsr_options_name(i));
        for (const tsr_setting *row = tsr_options_table(tsr_options_name(i)); row->name != NULL;
             row++)
            check_kind(options, row);
        tsr_options_free(options);
    }
}

static void names_have_neighbours(void **state)
{
    tsr_options *options = make("fit");
    (void)state;
    check_fails(tsr_options_set(options, "iteration", "3"), TSR_ERROR_ARGUMENT,
                "fit has no setting 'iteration'; did you mean 'iterations'?");
    check_fails(tsr_options_give(options, "mask-matrx", options), TSR_ERROR_ARGUMENT,
                "did you mean 'mask-matrix'?");
    check_fails(tsr_options_set(options, "qqqqqqqq", "3"), TSR_ERROR_ARGUMENT, "'qqqqqqqq'");
    assert_null(strstr(tsr_message(), "did you mean"));
    assert_null(tsr_options_get(options, "iteration"));
    assert_null(tsr_options_get(NULL, "rank"));
    assert_null(tsr_options_values(NULL));
    tsr_options_free(options);
}

/* The caller's text may change or be longer than any line; that of the struct is a copy. */
static void texts_are_copied(void **state)
{
    enum { LONG = 20000 };
    char *text = malloc(LONG);
    tsr_options *options = make("select");
    (void)state;
    memset(text, '7', LONG - 1);
    text[LONG - 1] = '\0';
    check_ok(tsr_options_set(options, "ranks", text));
    memset(text, '8', LONG - 1);
    const tsr_select_options *values = tsr_options_values(options);
    assert_int_equal(strlen(values->ranks), LONG - 1);
    assert_int_equal(strspn(values->ranks, "7"), LONG - 1);
    check_value(options, "ranks", values->ranks);
    check_ok(tsr_options_set(options, "ranks", values->ranks)); /* itself */
    assert_int_equal(strspn(values->ranks, "7"), LONG - 1);
    const char *folds = tsr_options_get(options, "folds");
    check_ok(tsr_options_set(options, "by", "labels"));
    check_value(options, "by", "labels");
    assert_string_equal(folds, "5"); /* good while others are asked for */
    tsr_options_free(options);
    free(text);
}

static void fits_have_the_bits_of_structs(void **state)
{
    lab l = lab_make(20, 8, 3, 0, 4);
    tsr_data *data = lab_data(&l, false);
    tsr_matrix *weights = NULL;
    lab_options o;
    tsr_options *options = make("fit");
    (void)state;
    check_ok(tsr_matrix_create(&weights, 20, 1, TSR_FLOAT64));
    for (int i = 0; i < 20; i++)
        ((double *)tsr_matrix_edit(weights))[i] = 1 + i % 2;
    lab_options_of(&o, 15, "model=gnmf rank=4 neighbours=3 graph=0.5 precision=single seed=9");
    o.o.sample_weights = weights;
    for (const tsr_setting *row = tsr_fit_settings(); row->name != NULL; row++) {
        char shown[256];
        (void)tsr__settings_show(shown, sizeof shown, row, &o.o);
        if (tsr__setting_is_said(row) && !tsr__settings_is_default(row, &o.o))
            check_ok(tsr_options_set(options, row->name, shown));
    }
    check_ok(tsr_options_give(options, "sample-weights", weights));
    tsr_model *by_struct = lab_fit(data, &o.o);
    tsr_model *by_name = lab_fit(data, tsr_options_values(options));
    assert_true(lab_same_models(by_struct, by_name));
    assert_string_equal(by_name->report.model, "gnmf");
    tsr_model_free(by_struct);
    tsr_model_free(by_name);
    tsr_matrix_free(weights);
    tsr_options_free(options);
    tsr_data_free(data);
    lab_free(&l);
}

static void starved(void **state)
{
    tsr_options *options = NULL;
    (void)state;
    check_starved(tsr_options_create(&options, "fit"),
                  (tsr_options_free(options), options = NULL));
    options = make("fit");
    check_ok(tsr_options_set(options, "model", "gnmf"));
    tsr__memory_fail_at(1);
    assert_int_equal(tsr_options_set(options, "model", "cdnmf"), TSR_ERROR_MEMORY);
    tsr__memory_fail_at(1);
    assert_null(tsr_options_get(options, "model"));
    tsr__memory_fail_at(0);
    check_value(options, "model", "gnmf");
    check_ok(tsr_options_set(options, "model", "nmf"));
    const int64_t live = tsr__memory_live(); /* each text takes the place of the one before */
    check_ok(tsr_options_set(options, "model", "cdnmf"));
    check_value(options, "model", "cdnmf");
    assert_int_equal(tsr__memory_live(), live);
    tsr_options_free(options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_those_of_structs),
        cmocka_unit_test(rows_are_set_and_shown),
        cmocka_unit_test(names_have_neighbours),
        cmocka_unit_test(texts_are_copied),
        cmocka_unit_test(fits_have_the_bits_of_structs),
        cmocka_unit_test(starved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
