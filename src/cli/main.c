/* SPDX-License-Identifier: BSD-2-Clause
 *
 * tessera COMMAND [options] INPUT... [-o OUTPUT]: finds the command's row and runs it. Results
 * go to stdout, words to stderr; exit 0 done, 1 failed, 2 wrong use, 128 and the signal's number
 * where one asked to stop (Ctrl-C: 130). Wrong use is what shows before any data are read. */
#include "base/memory.h"
#include "base/text.h"
#include "cli/command.h"

#include <errno.h>
#include <string.h>

/* clang-format off */
const cli_command *const commands[] = {
    &command_info, &command_convert, &command_features,
    &command_fit, &command_transform, &command_rank,
    &command_cluster, &command_classify, &command_select,
    &command_terms, &command_overlay, &command_sheet, &command_report,
    &command_experiment, &command_models, &command_demo,
    NULL,
};
/* clang-format on */

static const cli_command *find(const char *name)
{
    for (int i = 0; commands[i] != NULL; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static int unknown(const char *name)
{
    const char *names[64];
    int count = 0;
    for (; commands[count] != NULL && count < 64; count++)
        names[count] = commands[count]->name;
    const char *meant = tsr__nearest(name, names, count);
    (void)fprintf(stderr, "tessera: there is no command '%s'%s%s%s\n", name,
                  meant != NULL ? "; did you mean '" : "", meant != NULL ? meant : "",
                  meant != NULL ? "'?" : "");
    (void)fprintf(stderr, "`tessera --help` lists the commands.\n");
    return EXIT_USAGE;
}

/* Says what a status means to the user, and to the shell. */
static int finish(tsr_status status, bool begun)
{
    terminal_clear();
    if (status < 0)
        (void)fprintf(stderr, "tessera: %s\n", tsr_message());
    if (terminal_stopped() != 0 && (status == TSR_OK || status == TSR_ERROR_INTERRUPTED))
        return 128 + terminal_stopped();
    if (!begun && status == TSR_ERROR_ARGUMENT)
        return EXIT_USAGE;
    return status < 0 ? EXIT_FAILED : 0;
}

/* A call whose words are in order. */
static int perform(const cli_call *call)
{
    tsr_status status = check_paths(call);
    if (status == TSR_OK && call->command->check != NULL)
        status = call->command->check(call);
    if (status < 0)
        return finish(status, false);
    return finish(call->command->run(call), true);
}

static int run(const cli_command *command, int count, char **argument)
{
    cli_call call = {.command = command, .argument = argument, .arguments = count};
    call.values = tsr__alloc_zero((int64_t)command->size, 1);
    if (call.values == NULL) {
        (void)fprintf(stderr, "tessera: %s\n", tsr_message());
        return EXIT_FAILED;
    }
    int code = parse_arguments(&call, count, argument);
    code = code == 0 ? perform(&call) : code - 1;
    tsr__free(call.values);
    return code;
}

static int help(int count, char **argument)
{
    const cli_command *command = count > 2 ? find(argument[2]) : NULL;
    if (count > 2 && command == NULL)
        return unknown(argument[2]);
    if (command != NULL)
        show_help(command);
    else
        show_overview(stdout);
    return 0;
}

static int dispatch(int count, char **argument)
{
    static const char *const helps[] = {"help", "--help", "-h"};
    const char *name = count > 1 ? argument[1] : NULL, *kernels = NULL;
    if (tsr_kernels(&kernels) < 0) { /* results of another set than the one asked for mislead */
        (void)fprintf(stderr, "tessera: %s\n", tsr_message());
        return EXIT_USAGE;
    }
    if (name == NULL) {
        show_overview(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(name, "--version") == 0) {
        (void)printf("tessera %s\n", tsr_version());
        return 0;
    }
    for (size_t i = 0; i < sizeof helps / sizeof *helps; i++)
        if (strcmp(name, helps[i]) == 0)
            return help(count, argument);
    const cli_command *command = find(name);
    return command != NULL ? run(command, count - 2, argument + 2) : unknown(name);
}

int main(int count, char **argument)
{
    terminal_open();
    tsr_leave_exit();
    const int code = dispatch(count, argument);
    const bool lost = ferror(stdout) != 0, unsaid = fflush(stdout) != 0;
    if (code != 0 || (!lost && !unsaid))
        return code;
    (void)fprintf(stderr, "tessera: cannot write to standard output%s%s\n", unsaid ? ": " : "",
                  unsaid ? strerror(errno) : "");
    return EXIT_FAILED;
}
