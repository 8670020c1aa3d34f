/* SPDX-License-Identifier: BSD-2-Clause
 *
 * tessera COMMAND [options] INPUT... [-o OUTPUT]: finds the command's row and runs it. Results
 * go to stdout, words to stderr; exit 0 done, 1 failed, 2 usage. */
#include "base/memory.h"
#include "base/text.h"
#include "cli/command.h"
#include "matrix/kernels.h"

#include <string.h>

/* clang-format off */
const cli_command *const commands[] = {
    &command_info, &command_convert, &command_features,
    &command_fit, &command_transform, &command_rank,
    &command_cluster, &command_classify, &command_select,
    &command_terms, &command_overlay, &command_sheet,
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

static int run(const cli_command *command, int count, char **argument)
{
    cli_call call = {.command = command};
    call.values = tsr__alloc_zero((int64_t)command->size, 1);
    if (call.values == NULL) {
        (void)fprintf(stderr, "tessera: %s\n", tsr_message());
        return EXIT_FAILED;
    }
    int code = parse_arguments(&call, count, argument);
    if (code == 0) {
        const tsr_status status = command->run(&call);
        terminal_clear();
        if (status < 0)
            (void)fprintf(stderr, "tessera: %s\n", tsr_message());
        code = status < 0 ? EXIT_FAILED : 0;
    } else {
        code--;
    }
    tsr__free(call.values);
    if (fflush(stdout) != 0 && code == 0) {
        (void)fprintf(stderr, "tessera: cannot write to standard output\n");
        code = EXIT_FAILED;
    }
    return code;
}

int main(int count, char **argument)
{
    const char *name = count > 1 ? argument[1] : NULL;
    if (tsr__kernels_check() < 0) { /* results of another set than the one asked for mislead */
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
    const bool help =
        strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0;
    if (help && count == 2) {
        show_overview(stdout);
        return 0;
    }
    const cli_command *command = find(help ? argument[2] : name);
    if (command == NULL)
        return unknown(help ? argument[2] : name);
    if (help) {
        show_help(command);
        return 0;
    }
    return run(command, count - 2, argument + 2);
}
