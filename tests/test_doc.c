/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the documents say of the tables is what the tables say: each line made from them here must
 * stand in the document, and nothing else in its place. */
#include "lab.h"

#include "base/text.h"

enum { MOST = 1 << 20 };
static char text[MOST];

static void read_text(const char *name)
{
    char path[2048];
    (void)snprintf(path, sizeof path, "%s/../../%s", TSR_TEST_DATA, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    const size_t count = fread(text, 1, sizeof text - 1, file);
    text[count] = '\0';
    assert_int_equal(fclose(file), 0);
}

/* The document has these lines after `head`, and the table ends there. */
static void check_table(const char *head, const char *lines)
{
    const char *at = strstr(text, head);
    const size_t length = strlen(lines);
    if (at == NULL || strncmp(at + strlen(head), lines, length) != 0 ||
        at[strlen(head) + length] == '|')
        fail_msg("the table should be:\n%s%s", head, lines);
}

static void rules_of_the_rows(void **state)
{
    static char lines[8192];
    tsr__line line = TSR_LINE(lines);
    lab l = lab_make(30, 12, 3, 0, 21);
    tsr_data *data = lab_data(&l, false);
    (void)state;
    for (const tsr__model_row *row = tsr__models; row->name != NULL; row++) {
        lab_options o;
        bench b;
        lab_options_of(&o, 1, "rank=6 neighbours=4 model=%s", row->name);
        bench_open(&b, data, &o.o);
        tsr__line_add(&line, "| %s | %s | %s | %s | %s |\n", row->name, b.plan.basis.rule->name,
                      b.plan.codes.rule->name, tsr__plan_norm(&b.plan),
                      b.plan.extrapolates ? "yes" : "no");
        bench_close(&b);
    }
    read_text("doc/mathematics.md");
    check_table("| row | rule of the basis | of the codes | norm | extrapolated |\n"
                "|---|---|---|---|---|\n",
                lines);
    tsr_data_free(data);
    lab_free(&l);
}

static void add_weights(tsr__line *line, const tsr__weights *w)
{
    bool any = false;
    for (tsr__weight_name i = 0; i < TSR_WEIGHTS; i++) {
        if (!(w->of[i] > 0))
            continue;
        tsr__line_add(line, "%s%s %g", any ? ", " : "", tsr__weight_names[i], w->of[i]);
        any = true;
    }
}

static void weights_of_the_rows(void **state)
{
    static char lines[8192];
    tsr__line line = TSR_LINE(lines);
    (void)state;
    for (const tsr__model_row *row = tsr__models; row->name != NULL; row++) {
        char one[256], data[256];
        tsr__line a = TSR_LINE(one), b = TSR_LINE(data);
        one[0] = data[0] = '\0';
        add_weights(&a, &row->weights[TSR_UNIT_ONE]);
        add_weights(&b, &row->weights[TSR_UNIT_DATA]);
        if (one[0] != '\0')
            tsr__line_add(&line, "| %s | %s | %s |\n", row->name, one, data);
    }
    read_text("doc/mathematics.md");
    check_table("| row | as published | in units of the data |\n|---|---|---|\n", lines);
}

/* Every row has a section of its own name. */
static void sections_of_the_rows(void **state)
{
    (void)state;
    read_text("doc/mathematics.md");
    for (const tsr__model_row *row = tsr__models; row->name != NULL; row++) {
        bool found = false;
        for (const char *at = strstr(text, "\n### "); at != NULL && !found;
             at = strstr(at + 1, "\n### ")) {
            char head[128];
            (void)snprintf(head, sizeof head, " %.*s,", (int)strcspn(at + 5, "\n"), at + 5);
            char name[64];
            (void)snprintf(name, sizeof name, " %s,", row->name);
            found = strstr(head, name) != NULL;
        }
        if (!found)
            fail_msg("%s has no section", row->name);
    }
}

/* The layers that are checked are those that are told. */
static void layers(void **state)
{
    static char order[256], told[512];
    char *layer[16], *rest = NULL;
    int count = 0;
    (void)state;
    read_text("tools/check-layers");
    const char *at = strstr(text, "split(\"");
    assert_non_null(at);
    (void)snprintf(order, sizeof order, "%.*s", (int)strcspn(at + 7, "\""), at + 7);
    for (char *word = strtok_r(order, " ", &rest); word != NULL;
         word = strtok_r(NULL, " ", &rest))
        layer[count++] = word;
    tsr__line line = TSR_LINE(told);
    for (int i = 0; i < count; i++)
        tsr__line_add(&line, "%s%s", i > 0 ? " <- " : "", layer[i]);
    read_text("doc/architecture.md");
    assert_non_null(strstr(text, told));
    line = TSR_LINE(told);
    for (int i = 0; i < count; i++)
        tsr__line_add(&line, "%s%s", i > 0 ? ", " : "", layer[i]);
    read_text("CONTRIBUTING.md");
    assert_non_null(strstr(text, told));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_of_the_rows),
        cmocka_unit_test(weights_of_the_rows),
        cmocka_unit_test(sections_of_the_rows),
        cmocka_unit_test(layers),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
