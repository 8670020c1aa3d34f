/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The base: messages, memory, arena, random numbers, settings, names, progress, JSON. */
#include "check.h"

#include "base/json.h"
#include "base/progress.h"
#include "base/settings.h"
#include "base/text.h"

#include <math.h>

static void messages_nest(void **state)
{
    (void)state;
    assert_int_equal(tsr__fail(TSR_ERROR_DATA, "value %d", 7), TSR_ERROR_DATA);
    assert_int_equal(tsr__fail_in(TSR_ERROR_DATA, "faces.mat"), TSR_ERROR_DATA);
    assert_string_equal(tsr_message(), "faces.mat: value 7");
    assert_string_equal(tsr_status_name(TSR_ERROR_INTERRUPTED), "interrupted");
    assert_string_equal(tsr_status_name((tsr_status)-99), "unknown");
}

static void memory_refuses_the_absurd(void **state)
{
    (void)state;
    const int64_t asked = tsr__memory_asked();
    assert_null(tsr__alloc(INT64_MAX, 8));
    assert_null(tsr__alloc(-1, 8));
    assert_null(tsr__alloc((int64_t)1e15, 8));
    assert_non_null(strstr(tsr_message(), "exceed this machine"));
    assert_int_equal(tsr__memory_asked(), asked); /* refused before anything was asked */
}

static void memory_fails_on_demand(void **state)
{
    (void)state;
    const int64_t live = tsr__memory_live();
    tsr__memory_fail_at(2);
    void *first = tsr__alloc(1, 1), *second = tsr__alloc(1, 1), *third = tsr__alloc(0, 8);
    assert_non_null(first);
    assert_null(second);
    assert_non_null(third);
    assert_int_equal((uintptr_t)first % TSR_ALIGN, 0);
    tsr__free(first);
    tsr__free(third);
    tsr__free(NULL);
    assert_int_equal(tsr__memory_live(), live);
}

static void arena_serves_what_was_laid_out(void **state)
{
    (void)state;
    tsr__arena arena = {0};
    assert_null(tsr__arena_take(&arena, 3, sizeof(double)));
    assert_null(tsr__arena_take(&arena, 100, 1));
    check_ok(tsr__arena_open(&arena));
    double *a = tsr__arena_take(&arena, 3, sizeof(double));
    char *b = tsr__arena_take(&arena, 100, 1);
    assert_int_equal((char *)b - (char *)a, TSR_ALIGN);
    assert_int_equal(b[99], 0);
    assert_int_equal(arena.used, arena.size);
    tsr__arena_close(&arena);
    (void)tsr__arena_take(&arena, INT64_MAX / 2, 8);
    assert_int_equal(tsr__arena_open(&arena), TSR_ERROR_MEMORY);
}

/* The first numbers of seed 1, stream 0, computed by a separate program from the published
 * algorithms. */
static void random_stream_is_the_documented_one(void **state)
{
    (void)state;
    static const uint64_t expected[] = {0x704560ced7cc0501u, 0x4eef90036c89c53au,
                                        0xdce05af2ba1364d7u, 0xe019c82160dbbf4cu};
    tsr__random random = tsr__random_seed(1, 0);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_true(tsr__random_bits(&random) == expected[i]);
}

static void random_numbers_spread_evenly(void **state)
{
    (void)state;
    enum { DRAWS = 60000 };
    tsr__random random = tsr__random_seed(7, 3);
    int64_t face[6] = {0}, item[100], place[100] = {0};
    double sum = 0, squares = 0;
    for (int i = 0; i < DRAWS; i++) {
        face[tsr__random_below(&random, 6)]++;
        const double z = tsr__random_normal(&random);
        sum += z;
        squares += z * z;
    }
    for (int i = 0; i < 6; i++)
        assert_in_range(face[i], DRAWS / 6 - 400, DRAWS / 6 + 400); /* over four deviations */
    assert_true(fabs(sum / DRAWS) < 0.02 && fabs(squares / DRAWS - 1) < 0.03);
    for (int i = 0; i < 100; i++)
        item[i] = i;
    tsr__random_shuffle(&random, item, 100);
    for (int i = 0; i < 100; i++)
        place[item[i]]++;
    for (int i = 0; i < 100; i++)
        assert_int_equal(place[i], 1);
}

struct sample_options {
    bool flag;
    int64_t number, pair[2];
    double real;
    int choice;
    const char *text;
};

static const tsr_setting sample_settings[] = {
    TSR_FLAG_ROW(struct sample_options, flag, "flag", 'f', "a flag"),
    TSR_INTEGER_ROW(struct sample_options, number, "number", 0, 1, 10, "3", "N", "a number"),
    TSR_REAL_ROW(struct sample_options, real, "real", 0, INFINITY, "0.5", "W", "a real"),
    TSR_CHOICE_ROW(struct sample_options, choice, "choice", "one|two|three", "a choice"),
    TSR_PAIR_ROW(struct sample_options, pair, "pair", 1, 99, NULL, "WxH", "a pair"),
    TSR_TEXT_ROW(struct sample_options, text, "text", 0, "none", "TEXT", "a text"),
    TSR_END_ROW,
};

static void settings_have_defaults_and_limits(void **state)
{
    (void)state;
    struct sample_options o;
    memset(&o, 0xff, sizeof o);
    tsr_settings_default(sample_settings, &o);
    assert_true(!o.flag && o.number == 3 && o.real == 0.5 && o.choice == 0 && o.pair[1] == 0);
    check_ok(tsr_settings_check(sample_settings, &o));
    const struct {
        const char *name, *value, *words;
    } bad[] = {
        {"number", "11", "--number 11 is outside 1 .. 10"},
        {"number", "2.5", "wants a whole number, not '2.5'"},
        {"number", "99999999999999999999", "wants a whole number"},
        {"real", "-1", "--real -1 is below its least value 0"},
        {"real", "nan", "--real nan"},
        {"choice", "four", "is one of one|two|three, not 'four'"},
        {"choice", "on", "is one of one|two|three"},
        {"pair", "3", "such as 32x24"},
        {"pair", "3x", "such as 32x24"},
        {"pair", "0x5", "outside 1 .. 99"},
        {"flag", "maybe", "is true or false"},
        {"size", "1", "there is no setting 'size'"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        check_fails(tsr_settings_set(sample_settings, &o, bad[i].name, bad[i].value),
                    TSR_ERROR_ARGUMENT, bad[i].words);
    o.number = 0;
    check_fails(tsr_settings_check(sample_settings, &o), TSR_ERROR_ARGUMENT, "--number 0");
}

static void settings_show_what_sets_them(void **state)
{
    (void)state;
    static const char *const values[][2] = {{"flag", "true"},  {"number", "7"},
                                            {"real", "0.125"}, {"choice", "three"},
                                            {"pair", "4x5"},   {"text", "words"}};
    struct sample_options o;
    char shown[64];
    tsr_settings_default(sample_settings, &o);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const tsr_setting *row = tsr__settings_find(sample_settings, values[i][0]);
        assert_true(tsr__settings_is_default(row, &o));
        check_ok(tsr_settings_set(sample_settings, &o, values[i][0], values[i][1]));
        assert_string_equal(tsr__settings_show(shown, sizeof shown, row, &o), values[i][1]);
        assert_false(tsr__settings_is_default(row, &o));
    }
}

static void names_sort_as_people_count(void **state)
{
    (void)state;
    static const char *const ascending[] = {"",    "a",    "a1", "a01",  "a2",
                                            "a10", "a10b", "b",  "b1x2", "b1x10"};
    const int count = sizeof ascending / sizeof *ascending;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            const int order = tsr__compare_natural(ascending[i], ascending[j]);
            if ((i == 2 && j == 3) || (i == 3 && j == 2))
                assert_true(order != 0); /* equal by value, still two names */
            else
                assert_true((order < 0) == (i < j) && (order == 0) == (i == j));
        }
}

static void nearest_name_is_found(void **state)
{
    (void)state;
    static const char *const names[] = {"normalize", "transpose", "select"};
    assert_string_equal(tsr__nearest("normalise", names, 3), "normalize");
    assert_string_equal(tsr__nearest("slect", names, 3), "select");
    assert_null(tsr__nearest("xyz", names, 3));
    static const char *const models[] = {"mfa", "pca", "raw", "nmf"};
    assert_string_equal(tsr__nearest("nfm", models, 4), "nmf");
    assert_string_equal(tsr__nearest("pac", models, 4), "pca");
}

static void lines_end_in_dots(void **state)
{
    (void)state;
    char text[12];
    tsr__line line = TSR_LINE(text);
    tsr__line_add(&line, "%s", "hello");
    tsr__line_add(&line, " %s", "wonderful");
    assert_string_equal(text, "hello wo...");
    tsr__line_add(&line, "%s", "more");
    assert_string_equal(text, "hello wo...");
}

static bool stop_at_two(void *user, const tsr_step *step)
{
    *(int *)user += 1;
    return step->done < 2;
}

static void progress_can_stop_work(void **state)
{
    (void)state;
    int calls = 0;
    const tsr_progress progress = {stop_at_two, &calls};
    const tsr__task task = tsr__task_begin(&progress, "testing", 5);
    check_ok(tsr__task_step(&task, 1, (double)NAN, (double)NAN));
    check_fails(tsr__task_step(&task, 2, 1, 0), TSR_ERROR_INTERRUPTED,
                "testing was stopped after 2 of 5");
    assert_int_equal(calls, 2);
}

static void json_is_well_formed(void **state)
{
    (void)state;
    char text[512] = "";
    FILE *to = fmemopen(text, sizeof text, "w");
    tsr__json *root = tsr__json_new();
    tsr__json_integer(root, "n", 3);
    tsr__json_real(root, "x", 0.5);
    tsr__json_real(root, "nan", (double)NAN);
    tsr__json_text(root, "name", "a\"b");
    tsr__json_text(root, "bytes", "\xff!");
    tsr__json_flag(tsr__json_object(root, "inner"), "yes", true);
    tsr__json_integer(tsr__json_array(root, "list"), NULL, 1);
    check_ok(tsr__json_print(root, to));
    tsr__json_free(root);
    (void)fclose(to);
    assert_string_equal(text, "{\n  \"n\": 3,\n  \"x\": 0.5,\n  \"nan\": null,\n"
                              "  \"name\": \"a\\\"b\",\n  \"bytes\": \"\xef\xbf\xbd!\",\n"
                              "  \"inner\": {\n    \"yes\": true\n  },\n"
                              "  \"list\": [\n    1\n  ]\n}\n");
}

static void json_ends_no_element(void **state)
{
    (void)state;
    char text[256] = "";
    FILE *to = fmemopen(text, sizeof text, "w");
    tsr__json *root = tsr__json_new();
    tsr__json_text(root, "<b>", "</script><!--");
    tsr__json_real(root, "third", 1.0 / 3);
    tsr__json_real(root, "none", (double)INFINITY);
    check_ok(tsr__json_embed(root, to));
    tsr__json_free(root);
    (void)fclose(to);
    assert_string_equal(text, "{\"\\u003cb>\":\"\\u003c/script>\\u003c!--\","
                              "\"third\":0.333333333,\"none\":null}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_nest),
        cmocka_unit_test(memory_refuses_the_absurd),
        cmocka_unit_test(memory_fails_on_demand),
        cmocka_unit_test(arena_serves_what_was_laid_out),
        cmocka_unit_test(random_stream_is_the_documented_one),
        cmocka_unit_test(random_numbers_spread_evenly),
        cmocka_unit_test(settings_have_defaults_and_limits),
        cmocka_unit_test(settings_show_what_sets_them),
        cmocka_unit_test(names_sort_as_people_count),
        cmocka_unit_test(nearest_name_is_found),
        cmocka_unit_test(lines_end_in_dots),
        cmocka_unit_test(progress_can_stop_work),
        cmocka_unit_test(json_is_well_formed),
        cmocka_unit_test(json_ends_no_element),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
