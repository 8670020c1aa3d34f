/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Options: everything about them is read from the settings tables of the command's row. */
#include "base/text.h"
#include "cli/command.h"

#include <stdlib.h>
#include <string.h>

static const tsr_setting talk_table[] = {
    TSR_FLAG_ROW(talk, json, "json", 0, "print one JSON object instead of text"),
    TSR_FLAG_ROW(talk, quiet, "quiet", 'q', "no progress and no notes"),
    TSR_END_ROW,
};

const tsr_setting *talk_settings(void)
{
    return talk_table;
}

static void *object_of(const cli_call *call, const option_group *group)
{
    return (char *)call->values + group->offset;
}

/* The row that `--name` or `-n` means; `group` says where it lies. */
static const tsr_setting *find(const option_group **group, const cli_command *command,
                               const char *name, size_t length, char letter)
{
    for (const option_group *g = command->groups; g->table != NULL; g++) {
        for (const tsr_setting *row = g->table(); row->name != NULL; row++) {
            if (!tsr__setting_is_said(row))
                continue;
            if (letter != 0
                    ? row->letter == letter
                    : strlen(row->name) == length && !strncmp(row->name, name, length)) {
                *group = g;
                return row;
            }
        }
    }
    return NULL;
}

static int wrong(const cli_command *command)
{
    (void)fprintf(stderr, "`tessera %s --help` shows what it takes.\n", command->name);
    return EXIT_USAGE + 1;
}

static int unknown(const cli_command *command, const char *option)
{
    const char *names[256], *meant = NULL;
    int count = 0;
    for (const option_group *g = command->groups; g->table != NULL; g++)
        for (const tsr_setting *row = g->table(); row->name != NULL && count < 256; row++)
            if (tsr__setting_is_said(row))
                names[count++] = row->name;
    if (strncmp(option, "--", 2) == 0)
        meant = tsr__nearest(option + 2, names, count);
    (void)fprintf(stderr, "tessera %s: there is no option %s%s%s%s\n", command->name, option,
                  meant != NULL ? "; did you mean --" : "", meant != NULL ? meant : "",
                  meant != NULL ? "?" : "");
    return wrong(command);
}

/* Takes argument[*at] and, where it needs one, the value after it. */
static int take_option(cli_call *call, int count, char **argument, int *at)
{
    const char *text = argument[*at];
    const bool named = text[1] == '-';
    const char *name = text + 2, *equals = named ? strchr(name, '=') : NULL;
    const size_t length = equals != NULL ? (size_t)(equals - name) : strlen(name);
    const option_group *group = NULL;
    const tsr_setting *row = find(&group, call->command, name, length, named ? 0 : text[1]);
    const char *value = equals != NULL              ? equals + 1
                        : !named && text[2] != '\0' ? text + 2
                                                    : NULL;
    if (row == NULL)
        return unknown(call->command, text);
    if (row->kind == TSR_SETTING_FLAG && value == NULL)
        value = "true";
    if (value == NULL && *at + 1 < count)
        value = argument[++*at];
    if (value == NULL) {
        (void)fprintf(stderr, "tessera %s: --%s wants a value (%s)\n", call->command->name,
                      row->name, row->values);
        return wrong(call->command);
    }
    if (call->givens < MOST_GIVEN)
        call->given[call->givens++] = row;
    /* the same name in several tables (threads, seed) means all of them */
    for (const option_group *g = group; g->table != NULL; g++) {
        if (tsr__settings_find(g->table(), row->name) == NULL ||
            tsr_settings_set(g->table(), object_of(call, g), row->name, value) == TSR_OK)
            continue;
        (void)fprintf(stderr, "tessera %s: %s\n", call->command->name, tsr_message());
        return wrong(call->command);
    }
    return 0;
}

static bool lacks_required(const cli_call *call)
{
    const char *name = call->command->required;
    const option_group *group = NULL;
    const tsr_setting *row =
        name != NULL ? find(&group, call->command, name, strlen(name), 0) : NULL;
    return row != NULL &&
           *(char *const *)((const char *)object_of(call, group) + row->offset) == NULL;
}

static int check_operands(const cli_call *call)
{
    const cli_command *command = call->command;
    if (call->operands >= command->least && call->operands <= command->most &&
        !lacks_required(call))
        return 0;
    (void)fprintf(stderr, "tessera %s: %s%s\nusage: tessera %s %s\n", command->name,
                  call->operands < command->least  ? "an input is missing"
                  : call->operands > command->most ? "too many inputs"
                                                   : "missing: --",
                  call->operands < command->least || call->operands > command->most
                      ? ""
                      : command->required,
                  command->name, command->usage);
    return wrong(command);
}

int parse_arguments(cli_call *call, int count, char **argument)
{
    bool plain = false;
    for (const option_group *g = call->command->groups; g->table != NULL; g++)
        tsr_settings_default(g->table(), object_of(call, g));
    for (int i = 0; i < count; i++) {
        const char *text = argument[i];
        if (!plain && (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0)) {
            show_help(call->command);
            return 1;
        }
        if (!plain && strcmp(text, "--") == 0) {
            plain = true;
        } else if (!plain && text[0] == '-' && text[1] != '\0') {
            const int code = take_option(call, count, argument, &i);
            if (code != 0)
                return code;
        } else if (call->operands < MOST_OPERANDS) {
            call->operand[call->operands++] = text;
        }
    }
    return check_operands(call);
}

static void show_range(const tsr_setting *row)
{
    char low[TSR_REAL_SIZE], high[TSR_REAL_SIZE];
    const bool number = row->kind == TSR_SETTING_INTEGER || row->kind == TSR_SETTING_REAL ||
                        row->kind == TSR_SETTING_PAIR;
    (void)tsr__format_real(low, row->minimum);
    (void)tsr__format_real(high, row->maximum);
    if (row->fallback != NULL)
        (void)printf(number ? " (%s; " : " (%s)", row->fallback);
    else if (number)
        (void)printf(" (");
    if (number && isinf(row->maximum))
        (void)printf("from %s)", low);
    else if (number)
        (void)printf("%s to %s)", low, high);
}

static void show_row(const tsr_setting *row)
{
    enum { COLUMN = 28 };
    char short_form[8] = "", name[96];
    if (row->letter != 0)
        (void)snprintf(short_form, sizeof short_form, "-%c, ", row->letter);
    const int width =
        snprintf(name, sizeof name, "%s--%s%s%s", short_form, row->name,
                 row->values != NULL ? " " : "", row->values != NULL ? row->values : "");
    (void)printf("  %-*s", COLUMN, name);
    if (width >= COLUMN)
        (void)printf("\n  %-*s", COLUMN, "");
    (void)printf(" %s", row->help);
    show_range(row);
    (void)printf("\n");
}

void show_help(const cli_command *command)
{
    (void)printf("%s\n\nusage: tessera %s %s\n", command->summary, command->name,
                 command->usage);
    for (const option_group *g = command->groups; g->table != NULL; g++) {
        if (g->title != NULL)
            (void)printf("\n%s\n", g->title);
        for (const tsr_setting *row = g->table(); row->name != NULL; row++) {
            const option_group *first = NULL;
            (void)find(&first, command, row->name, strlen(row->name), 0);
            if (first == g)
                show_row(row);
        }
    }
    if (command->details != NULL)
        (void)printf("\n%s\n", command->details);
    (void)printf("\nexample\n%s\n", command->example);
}

void show_overview(FILE *to)
{
    (void)fprintf(to,
                  "tessera %s: learn parts of images, histograms and documents from many "
                  "samples and a few labels\n\n"
                  "usage: tessera COMMAND [options] INPUT... [-o OUTPUT]\n\n",
                  tsr_version());
    const char *topic = "";
    for (int i = 0; commands[i] != NULL; i++) {
        const bool same = strcmp(topic, commands[i]->topic) == 0;
        topic = commands[i]->topic;
        (void)fprintf(to, "  %-7s %-11s %s\n", same ? "" : topic, commands[i]->name,
                      commands[i]->summary);
    }
    (void)fprintf(to, "\n`tessera COMMAND --help` shows a command's options and an example.\n");
}

char *say_again(const cli_call *call)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (to == NULL)
        return NULL;
    (void)fprintf(to, "tessera %s", call->command->name);
    for (int i = 0; i < call->arguments; i++) {
        (void)fputc(' ', to);
        tsr__put_shell_word(to, call->argument[i]);
    }
    (void)fclose(to);
    return text;
}
