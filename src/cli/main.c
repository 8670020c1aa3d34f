/* SPDX-License-Identifier: BSD-2-Clause
 *
 * tessera COMMAND [options] INPUT... [-o OUTPUT]: finds the command's row and runs it. Results
 * go to stdout, words to stderr; exit 0 done, 1 failed, 2 wrong use, 128 and the signal's number
 * where one asked to stop (Ctrl-C: 130). Wrong use is what shows before any data are read.
 *
 * In a team all ranks are called alike. What a command shares, all do, and the first rank writes; what
 * it does not, the first does alone. A failure of one is a failure of all, and the first tells it. */
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

/* The settings of the call that a team has a say in. */
static void take_crew(const cli_call *call, const cli_crew *crew)
{
    for (const option_group *g = call->command->groups; g->table != NULL; g++) {
        char *object = (char *)call->values + g->offset;
        const tsr_setting *team = tsr__settings_row(g->table(), "team"),
                          *threads = tsr__settings_find(g->table(), "threads");
        if (team != NULL && call->command->shares)
            *(tsr_team **)(void *)(object + team->offset) = crew->team;
        int64_t *wanted =
            threads != NULL ? (int64_t *)(void *)(object + threads->offset) : NULL;
        if (wanted != NULL && *wanted == 0)
            *wanted = crew->threads;
    }
}

/* What shows before data are read. Outputs are looked at where they are written. */
static tsr_status check(const cli_call *call)
{
    if (call->leads)
        TSR_OR_RETURN(check_paths(call));
    return call->command->check != NULL ? call->command->check(call) : TSR_OK;
}

/* A call whose words are in order. */
static int perform(const cli_call *call, const cli_crew *crew)
{
    const bool has_part = call->leads || call->command->shares;
    tsr_team_enter(crew->team);
    tsr_status status = tsr_team_leave(crew->team, has_part ? check(call) : TSR_OK);
    if (status < 0)
        return finish(status, false);
    take_crew(call, crew);
    tsr_team_enter(crew->team);
    status = tsr_team_leave(crew->team, has_part ? call->command->run(call) : TSR_OK);
    return finish(status, true);
}

static int run(const cli_command *command, int count, char **argument, const cli_crew *crew)
{
    cli_call call = {.command = command,
                     .argument = argument,
                     .arguments = count,
                     .leads = crew->team == NULL || crew->team->rank == 0};
    int code = 0;
    tsr_team_enter(crew->team);
    call.values = tsr__alloc_zero((int64_t)command->size, 1);
    if (call.values != NULL)
        code = parse_arguments(&call, count, argument);
    const tsr_status status =
        tsr_team_leave(crew->team, call.values != NULL ? TSR_OK : TSR_ERROR_MEMORY);
    code = status < 0 ? finish(status, false) : code == 0 ? perform(&call, crew) : code - 1;
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

/* Results of another set of kernels than the one asked for mislead. */
static tsr_status check_kernels(void)
{
    const char *kernels = NULL;
    return tsr_kernels(&kernels);
}

/* Ranks must be called alike, or they would wait for each other. */
static tsr_status check_call(int count, char **argument, tsr_team *team)
{
    uint64_t hash = (uint64_t)count;
    for (int i = 1; i < count; i++)
        for (const char *c = argument[i];; c++) {
            hash = (hash ^ (unsigned char)*c) * 0x100000001b3u; /* FNV-1a */
            if (*c == '\0')
                break;
        }
    const int64_t own = (int64_t)(hash >> 2);
    int64_t least = own, most = -own;
    if (team == NULL)
        return TSR_OK;
    TSR_OR_RETURN(team->agree(team, &least));
    TSR_OR_RETURN(team->agree(team, &most));
    return least == -most
               ? TSR_OK
               : tsr__fail(TSR_ERROR_ARGUMENT,
                           "the ranks were given other arguments: all are called alike");
}

static int dispatch(int count, char **argument, const cli_crew *crew)
{
    static const char *const helps[] = {"help", "--help", "-h"};
    const char *name = count > 1 ? argument[1] : NULL;
    tsr_team_enter(crew->team);
    tsr_status status = tsr_team_leave(crew->team, check_kernels());
    tsr_team_enter(crew->team);
    if (status == TSR_OK)
        status = check_call(count, argument, crew->team);
    if (tsr_team_leave(crew->team, status) < 0) {
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
    return command != NULL ? run(command, count - 2, argument + 2, crew) : unknown(name);
}

int tool(int count, char **argument, const cli_crew *crew)
{
    terminal_open();
    tsr_leave_exit();
    const int code = dispatch(count, argument, crew);
    const bool lost = ferror(stdout) != 0, unsaid = fflush(stdout) != 0;
    if (code != 0 || (!lost && !unsaid))
        return code;
    (void)fprintf(stderr, "tessera: cannot write to standard output%s%s\n", unsaid ? ": " : "",
                  unsaid ? strerror(errno) : "");
    return EXIT_FAILED;
}
