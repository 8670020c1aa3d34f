/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Every command by its tables: outputs are told from inputs, replace none of them, and have the
 * extension of what is written. A new command or option is tested by being there. */
#include "cli/command.h"
#include "folder.h"

enum { MOST_WORDS = 64 };

/* A call of a command, word by word. */
typedef struct words {
    char *word[MOST_WORDS];
    int count;
} words;

static void say(words *w, const char *word)
{
    assert_true(w->count < MOST_WORDS);
    w->word[w->count] = tsr__copy_text(word);
    assert_non_null(w->word[w->count++]);
}

static void say_option(words *w, const char *name, const char *value)
{
    char option[128];
    (void)snprintf(option, sizeof option, "--%s", name);
    say(w, option);
    say(w, value);
}

static void forget(words *w)
{
    for (int i = 0; i < w->count; i++)
        tsr__free(w->word[i]);
    w->count = 0;
}

/* What check_paths says of the call; the words are forgotten. */
static tsr_status check(const cli_command *command, words *w)
{
    cli_call call = {.command = command};
    call.values = tsr__alloc_zero((int64_t)command->size, 1);
    assert_non_null(call.values);
    assert_int_equal(parse_arguments(&call, w->count, w->word), 0);
    const tsr_status status = check_paths(&call);
    tsr__free(call.values);
    forget(w);
    return status;
}

typedef void (*visit)(const cli_command *command, const tsr_setting *row);

/* Every text setting of every command. */
static int each_text(visit see)
{
    int count = 0;
    for (int i = 0; commands[i] != NULL; i++)
        for (const option_group *g = commands[i]->groups; g->table != NULL; g++)
            for (const tsr_setting *row = g->table(); row->name != NULL; row++)
                if (row->kind == TSR_SETTING_TEXT) {
                    see(commands[i], row);
                    count++;
                }
    return count;
}

static void has_word(const cli_command *command, const tsr_setting *row)
{
    if (value_of(row) == NULL)
        fail_msg("%s --%s: '%s' is not in the table of values (src/cli/paths.c)", command->name,
                 row->name, row->values);
    if (strcmp(row->name, "output") == 0 || row->letter == 'o')
        assert_true(value_of(row)->use == VALUE_WRITE);
}

static void every_text_has_a_word(void **state)
{
    (void)state;
    assert_true(each_text(has_word) > 40);
}

/* Inputs, and what must be there, under names of their own; `but` is left to the caller. */
static void say_rest(words *w, const cli_command *command, const char *but, int operand)
{
    for (int i = 0; i < command->least; i++)
        if (i != operand)
            say(w, path_of("other.csv"));
    if (command->required != NULL && strcmp(command->required, but) != 0)
        say_option(w, command->required,
                   strcmp(command->required, "output") == 0 ? path_of("rest.png") : "2");
}

/* A file or folder that the output may be named, as it is and by another way to it. */
static void make_subject(char *name, char *link, const tsr_setting *row)
{
    const value_word *word = value_of(row);
    const char *extension = word->use == VALUE_FOLDER  ? ""
                            : word->extensions == NULL ? ".csv"
                                                       : word->extensions;
    const int length = (int)strcspn(extension, " ");
    (void)snprintf(name, 1600, "%s%.*s", path_of("subject"), length, extension);
    (void)snprintf(link, 1600, "%s%.*s", path_of("link"), length, extension);
    (void)remove(name);
    (void)remove(link);
    if (word->use == VALUE_FOLDER)
        assert_int_equal(mkdir(name, 0777), 0);
    else
        put_bytes(strrchr(name, '/') + 1, "1,2\n", 4);
    assert_int_equal(symlink(name, link), 0);
}

static void replaces_no_operand(const cli_command *command, const tsr_setting *output)
{
    char name[1600], link[1600];
    words w = {.count = 0};
    make_subject(name, link, output);
    for (int i = 0; i < command->least; i++)
        for (int way = 0; way < 2; way++) {
            say(&w, name);
            say_rest(&w, command, output->name, i);
            say_option(&w, output->name, way == 0 ? name : link);
            check_fails(check(command, &w), TSR_ERROR_ARGUMENT, "would be replaced");
        }
}

/* A checkpoint may be the one that is resumed: it goes on. */
static bool goes_on(const tsr_setting *output, const tsr_setting *input)
{
    return strcmp(output->name, "checkpoint") == 0 && strcmp(input->name, "resume") == 0;
}

static const tsr_setting *wanted; /* the output of the pairs below */
static const cli_command *whose;

static void is_apart(const cli_command *command, const tsr_setting *other)
{
    char name[1600], link[1600], with_name[1700];
    words w = {.count = 0};
    const value_use use = value_of(other)->use;
    if (command != whose || other == wanted || use == VALUE_PLAIN ||
        (use == VALUE_FOLDER) != (value_of(wanted)->use == VALUE_FOLDER))
        return;
    make_subject(name, link, wanted);
    (void)snprintf(with_name, sizeof with_name, "%s:name", name);
    for (int way = 0; way < (use == VALUE_READ ? 2 : 1); way++) {
        say_rest(&w, command, wanted->name, -1);
        say_option(&w, wanted->name, link);
        say_option(&w, other->name, way == 0 ? name : with_name);
        if (goes_on(wanted, other))
            check_ok(check(command, &w));
        else if (use != VALUE_READ && strcmp(other->values, wanted->values) != 0)
            check_fails(check(command, &w), TSR_ERROR_ARGUMENT, "");
        else
            check_fails(check(command, &w), TSR_ERROR_ARGUMENT, "are one f");
    }
}

static void is_written_alone(const cli_command *command, const tsr_setting *row)
{
    if (value_of(row)->use != VALUE_WRITE && value_of(row)->use != VALUE_FOLDER)
        return;
    whose = command, wanted = row;
    replaces_no_operand(command, row);
    assert_true(each_text(is_apart) > 0);
}

static void no_output_is_an_input(void **state)
{
    (void)state;
    put_bytes("other.csv", "1,2\n", 4);
    assert_true(each_text(is_written_alone) > 0);
}

/* Two that are not there yet are one by the way to them. */
static void outputs_to_come_are_told_apart(void **state)
{
    words w = {.count = 0};
    (void)state;
    put_bytes("other.csv", "1,2\n", 4);
    say(&w, path_of("other.csv"));
    say_option(&w, "output", path_of("new.h5"));
    say_option(&w, "checkpoint", path_of("./new.h5"));
    check_fails(check(&command_fit, &w), TSR_ERROR_ARGUMENT, "are one file: name two");
    say(&w, path_of("other.csv"));
    say_option(&w, "output", path_of("new.h5"));
    say_option(&w, "checkpoint", path_of("old.h5"));
    check_ok(check(&command_fit, &w));
}

static void promises(const cli_command *command, const tsr_setting *row)
{
    static const char *const names[] = {"x.jpg", "x.zip", "x.h5.old", "x.h", "x.png "};
    words w = {.count = 0};
    if (value_of(row)->use != VALUE_WRITE)
        return;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        say_rest(&w, command, row->name, -1);
        say_option(&w, row->name, path_of(names[i]));
        check_fails(check(command, &w), TSR_ERROR_ARGUMENT, "what is written there ends in");
    }
    say_rest(&w, command, row->name, -1);
    say_option(&w, row->name, path_of("no/such/folder"));
    check_fails(check(command, &w), TSR_ERROR_IO, "cannot write there");
    if (value_of(row)->extensions == NULL)
        return;
    say_rest(&w, command, row->name, -1);
    say_option(&w, row->name, "/dev/null");
    check_ok(check(command, &w));
}

static void names_keep_their_word(void **state)
{
    (void)state;
    assert_true(each_text(promises) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_text_has_a_word),
        cmocka_unit_test(no_output_is_an_input),
        cmocka_unit_test(outputs_to_come_are_told_apart),
        cmocka_unit_test(names_keep_their_word),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
