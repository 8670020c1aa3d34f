/* SPDX-License-Identifier: BSD-2-Clause
 *
 * How options and results lie in memory: every member has its row, and all are where tools/abi.txt
 * has them, unless TSR_STRUCTS says that they moved.
 *
 *     TESSERA_ACCEPT=1 build/tests/test_abi    writes tools/abi.txt anew, where the number is new */
#include "check.h"

#include "base/settings.h"

#include <stdio.h>
#include <stdlib.h>

#define ABI TSR_TEST_DATA "/../../tools/abi.txt"

static const struct {
    const char *name;
    size_t size;
} options[] = {{"read", sizeof(tsr_read_options)},
               {"features", sizeof(tsr_features_options)},
               {"fit", sizeof(tsr_fit_options)},
               {"transform", sizeof(tsr_transform_options)},
               {"cluster", sizeof(tsr_cluster_options)},
               {"validate", sizeof(tsr_validate_options)},
               {"select", sizeof(tsr_select_options)},
               {"overlay", sizeof(tsr_overlay_options)},
               {"experiment", sizeof(tsr_experiment_options)},
               {"page", sizeof(tsr_page_options)}},
  results[] = {{"step", sizeof(tsr_step)},
               {"scan", sizeof(tsr_scan)},
               {"format", sizeof(tsr_format_info)},
               {"model", sizeof(tsr_model_info)},
               {"report", sizeof(tsr_fit_report)},
               {"judgement", sizeof(tsr_judgement)},
               {"scores", sizeof(tsr_scores)},
               {"validation", sizeof(tsr_validation_report)},
               {"selection", sizeof(tsr_selection_report)},
               {"candidate", sizeof(tsr_candidate)},
               {"term", sizeof(tsr_term)},
               {"part", sizeof(tsr_part)},
               {"overlay", sizeof(tsr_overlay_report)}};
enum {
    OPTIONS = sizeof options / sizeof *options,
    RESULTS = sizeof results / sizeof *results,
    MOST_ROWS = 128
};

/* Of each kind its name, and the size of a member; that of a note is its struct's matter. */
static const struct {
    const char *name;
    size_t size;
} kinds[] = {[TSR_SETTING_FLAG] = {"flag", sizeof(bool)},
             [TSR_SETTING_INTEGER] = {"integer", sizeof(int64_t)},
             [TSR_SETTING_REAL] = {"real", sizeof(double)},
             [TSR_SETTING_CHOICE] = {"choice", sizeof(int)},
             [TSR_SETTING_PAIR] = {"pair", 2 * sizeof(int64_t)},
             [TSR_SETTING_TEXT] = {"text", sizeof(char *)},
             [TSR_SETTING_OBJECT] = {"object", sizeof(void *)},
             [TSR_SETTING_NOTE] = {"note", 1},
             [TSR_SETTING_SIZE] = {"size", sizeof(int64_t)}};

static const tsr_setting *result_of(int i)
{
    size_t size = 0;
    const tsr_setting *table = tsr_result_table(&size, results[i].name);
    assert_non_null(table);
    assert_int_equal(size, results[i].size);
    return table;
}

/* A table's rows by where they lie. Between two members there is no room for a third, so that a
 * member without a row shows; in results they stand in that order. */
static void check_layout(const char *name, const tsr_setting *table, size_t size, bool result)
{
    const tsr_setting *row[MOST_ROWS];
    int count = 0;
    for (; table[count].name != NULL; count++) {
        int at = count;
        assert_in_range(count, 0, MOST_ROWS - 1);
        for (; at > 0 && row[at - 1]->offset > table[count].offset; at--)
            row[at] = row[at - 1];
        row[at] = &table[count];
        assert_true(!result || at == count);
        assert_true(result ? table[count].kind != TSR_SETTING_OBJECT &&
                                 table[count].kind != TSR_SETTING_CHOICE
                           : table[count].kind != TSR_SETTING_NOTE);
    }
    assert_true(count > 0 && row[0]->offset == 0);
    for (int i = 0; i < count; i++) {
        const size_t end = row[i]->offset + kinds[row[i]->kind].size;
        const size_t next = i + 1 < count ? row[i + 1]->offset : size;
        const size_t wide = i + 1 < count ? kinds[row[i + 1]->kind].size : sizeof(int64_t);
        if (next < end || (row[i]->kind != TSR_SETTING_NOTE && next - end >= wide))
            fail_msg("%s: %s ends at %d, and %d is next", name, row[i]->name, (int)end,
                     (int)next);
    }
}

static void rows_are_all_members(void **state)
{
    tsr_fit_report report = {.relative_error = 0.25};
    size_t size = 7;
    (void)state;
    for (int i = 0; i < OPTIONS; i++)
        check_layout(options[i].name, tsr_options_table(options[i].name), options[i].size,
                     false);
    for (int i = 0; i < RESULTS; i++)
        check_layout(results[i].name, result_of(i), results[i].size, true);
    assert_null(tsr_options_name(OPTIONS));
    assert_null(tsr_result_table(&size, "nobody"));
    assert_int_equal(size, 7);
    const tsr_setting *row =
        tsr__settings_row(tsr_result_table(&size, "report"), "relative_error");
    assert_true(*(const double *)((const char *)&report + row->offset) == 0.25);
}

static void tell(FILE *to, const char *what, const char *name, size_t size,
                 const tsr_setting *table)
{
    (void)fprintf(to, "%s %s %d\n", what, name, (int)size);
    for (const tsr_setting *row = table; row->name != NULL; row++)
        (void)fprintf(to, "    %s %s %d\n", row->name, kinds[row->kind].name, (int)row->offset);
}

/* All layouts in words; the caller frees. */
static char *layouts(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    assert_non_null(to);
    (void)fprintf(to, "structs %d\n", (int)tsr_structs());
    for (int i = 0; i < OPTIONS; i++)
        tell(to, "options", options[i].name, options[i].size,
             tsr_options_table(options[i].name));
    for (int i = 0; i < RESULTS; i++)
        tell(to, "result", results[i].name, results[i].size, result_of(i));
    assert_int_equal(fclose(to), 0);
    return text;
}

/* What tools/abi.txt says, or "". */
static char *accepted(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *from = fopen(ABI, "r"), *to = open_memstream(&text, &size);
    assert_non_null(to);
    for (int c = 0; from != NULL && (c = fgetc(from)) != EOF;)
        (void)fputc(c, to);
    if (from != NULL)
        (void)fclose(from);
    assert_int_equal(fclose(to), 0);
    return text;
}

/* The first line that is another, for the message. */
static void first_difference(char *out, size_t size, const char *was, const char *is)
{
    size_t at = 0, line = 0;
    for (; was[at] == is[at] && is[at] != '\0'; at++)
        line = is[at] == '\n' ? at + 1 : line;
    (void)snprintf(out, size, "'%.*s' was '%.*s'", (int)strcspn(is + line, "\n"), is + line,
                   (int)strcspn(was + line, "\n"), was + line);
}

/* A layout that is new needs a number that is new, accepted or not. */
static void layouts_are_counted(void **state)
{
    char *is = layouts(), *was = accepted(), line[400];
    int number = -1;
    (void)state;
    (void)sscanf(was, "structs %d", &number);
    first_difference(line, sizeof line, was, is);
    if (strcmp(is, was) != 0 && number == TSR_STRUCTS)
        fail_msg(
            "%s: the layout of structs changed: raise TSR_STRUCTS in tessera.h, and accept "
            "by TESSERA_ACCEPT=1 build/tests/test_abi",
            line);
    if (strcmp(is, was) != 0 && getenv("TESSERA_ACCEPT") == NULL)
        fail_msg("%s: tools/abi.txt is of TSR_STRUCTS %d, which is %d now: accept by "
                 "TESSERA_ACCEPT=1 build/tests/test_abi",
                 line, number, TSR_STRUCTS);
    if (strcmp(is, was) != 0) {
        FILE *to = fopen(ABI, "w");
        assert_non_null(to);
        assert_true(fputs(is, to) >= 0);
        assert_int_equal(fclose(to), 0);
    }
    free(is);
    free(was);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_all_members),
        cmocka_unit_test(layouts_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
