/* SPDX-License-Identifier: BSD-2-Clause
 *
 * tessera experiment: a protocol's table, ours beside the published figures. */
#include "cli/command.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct values {
    tsr_experiment_options experiment;
    talk talk;
};

static bool there(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && !S_ISDIR(about.st_mode);
}

/* `name` as it is, or among the protocols that come with the tool: beside the sources, or where
 * they are installed next to the program. */
static const char *find(char *out, size_t size, const char *name)
{
    static const char *const folders[] = {"protocols", "../protocols",
                                          "../share/tessera/protocols"};
    char program[2048];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (there(name) || length <= 0)
        return name;
    program[length] = '\0';
    *strrchr(program, '/') = '\0'; /* the link is an absolute path */
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        (void)snprintf(out, size, "%s/%s/%s", program, folders[i], name);
        if (there(out))
            return out;
        (void)snprintf(out, size, "%s/%s/%s.txt", program, folders[i], name);
        if (there(out))
            return out;
    }
    return name;
}

static tsr_status check(const cli_call *call)
{
    const struct values *values = call->values;
    char protocol[4096];
    return tsr_experiment_check(find(protocol, sizeof protocol, call->operand[0]),
                                &values->experiment);
}

static tsr_status run(const cli_call *call)
{
    tsr_status status = TSR_OK;
    const struct values *values = call->values;
    char protocol[4096], published[4096];
    tsr_experiment *experiment = NULL;
    tsr_experiment_options options = values->experiment;
    if (options.published == NULL)
        options.published = find(published, sizeof published, "published.csv");
    if (!there(options.published))
        options.published = NULL;
    options.progress = terminal_progress(values->talk.quiet);
    if (values->talk.json)
        TSR_TRY(tsr_settings_set(tsr_experiment_settings(), &options, "format", "json"));
    TSR_TRY(tsr_experiment_run(&experiment, find(protocol, sizeof protocol, call->operand[0]),
                               &options));
    terminal_clear();
    (void)fputs(tsr_experiment_table(experiment), stdout);
done:
    tsr_experiment_free(experiment);
    return status;
}

const cli_command command_experiment = {
    .name = "experiment",
    .topic = "study",
    .summary = "Run a protocol and print its table, ours beside the published figures.",
    .usage = "[options] PROTOCOL",
    .details = "PROTOCOL is a file, or the name of one that comes with Tessera: cluster-yale, "
               "cluster-orl, ...\nInterrupted runs resume with --out DIR --resume. The folder "
               "holds the tables, "
               "every draw, how\nJ fell, confusion matrices and the protocol itself.",
    .example = "  tessera experiment cluster-yale --data DATASETS --out yale --resume",
    .least = 1,
    .most = 1,
    .shares = true,
    .size = sizeof(struct values),
    .groups = {{"experiment", tsr_experiment_settings, offsetof(struct values, experiment)},
               {"talking", talk_settings, offsetof(struct values, talk)}},
    .check = check,
    .run = run,
};
