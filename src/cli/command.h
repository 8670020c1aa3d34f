/* SPDX-License-Identifier: BSD-2-Clause
 *
 * THE COMMANDS TABLE from the inside: a command is a row that says what it takes and a function
 * that does it. Parsing, --help, defaults and validation walk the row's settings tables. */
#ifndef TSR_CLI_COMMAND_H
#define TSR_CLI_COMMAND_H

#include "base/settings.h"
#include "base/status.h"

#include <stdio.h>

enum { EXIT_FAILED = 1, EXIT_USAGE = 2, MOST_GROUPS = 8, MOST_OPERANDS = 16, MOST_GIVEN = 256 };

/* Settings whose struct lies `offset` bytes into the command's values. */
typedef struct option_group {
    const char *title; /* NULL: it goes on with the one before */
    const tsr_setting *(*table)(void);
    size_t offset;
} option_group;

typedef struct cli_command cli_command;

/* Who runs the tool: this process alone (zeros), or each rank of a team with its part of a machine's
 * processors. */
typedef struct cli_crew {
    tsr_team *team;
    int64_t threads; /* where nobody says how many; 0: all */
} cli_crew;

/* A command as it was called. */
typedef struct cli_call {
    const cli_command *command;
    void *values; /* the command's struct, defaults and options filled in */
    const char *operand[MOST_OPERANDS];
    int operands;
    const tsr_setting *given[MOST_GIVEN]; /* the settings that were named, as they came */
    int givens;
    char **argument; /* all of it, as it was typed after the command's name */
    int arguments;
    bool leads; /* this process writes; the other ranks of a team do not */
} cli_call;

struct cli_command {
    const char *name, *topic; /* topics group the overview */
    const char *summary;      /* one sentence */
    const char *usage;        /* operands */
    const char *details;      /* after the options, or NULL */
    const char *example;      /* lines ready to be typed */
    const char *required;     /* a text setting that must be given, or NULL */
    int least, most;          /* operands */
    bool shares;              /* a team does it together; else its first rank does it alone */
    size_t size;              /* of the values */
    option_group groups[MOST_GROUPS];
    tsr_status (*check)(const cli_call *call); /* what shows before data are read, or NULL */
    tsr_status (*run)(const cli_call *call);
};

extern const cli_command *const commands[]; /* ended by NULL */
extern const cli_command command_info, command_convert, command_features, command_overlay,
    command_terms, command_sheet, command_fit, command_transform, command_models, command_demo,
    command_experiment, command_select, command_rank, command_cluster, command_classify,
    command_report;

/* What nearly every command takes. */
typedef struct talk {
    bool json, quiet;
} talk;
const tsr_setting *talk_settings(void);

/* Fills `call` from the arguments after the command's name. Returns 0 to go on, else the exit
 * code plus one (help was shown, or the usage was wrong and said so). */
int parse_arguments(cli_call *call, int count, char **argument);

/* The command as it was typed, as a shell reads it; to be freed. NULL when memory is out. */
char *say_again(const cli_call *call);

/* What the text of a setting is: nothing of the system's, a file or folder that is read, a file
 * that is written (by convert also a folder of images), a folder that is written to. */
typedef enum value_use { VALUE_PLAIN, VALUE_READ, VALUE_WRITE, VALUE_FOLDER } value_use;
typedef struct value_word {
    const char *word; /* tsr_setting.values */
    value_use use;
    const char *extensions;
} value_word;

/* The table's line for a text setting; NULL: its word is not in the table, and should be. */
const value_word *value_of(const tsr_setting *row);

/* Refuses outputs that would replace an input or each other, whose names promise something
 * else, or that cannot be written. */
tsr_status check_paths(const cli_call *call);
void show_overview(FILE *to);
void show_help(const cli_command *command);

/* main.c: all of it, for alone.c and for the tool of teams (src/mpi); returns the exit code. */
int tool(int count, char **argument, const cli_crew *crew);

/* What the process needs before anything else: open standard streams, and signals that speak. */
void terminal_open(void);

/* A progress callback for stderr: a bar on a terminal, now and then a line elsewhere, nothing
 * when quiet. From here on Ctrl-C (SIGTERM, SIGHUP) asks the work to stop at its next step, and
 * a second one ends it at once. */
const tsr_progress *terminal_progress(bool quiet);
int terminal_stopped(void); /* the signal that asked for it, or 0 */
void terminal_clear(void);  /* removes the bar before other words are said */

#endif
