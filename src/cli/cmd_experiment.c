/* SPDX-License-Identifier: BSD-2-Clause
 *
 * tessera experiment: a protocol's table, ours beside the published figures. */
#include "cli/command.h"
#include "learn/experiment.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct values {
    talk talk;
    const char *data, *out, *models, *published;
    bool resume;
    int format;
    int64_t threads;
};

static const tsr_setting table[] = {
    TSR_TEXT_ROW(struct values, data, "data", 0, ".", "DIR", "folder that holds the data sets"),
    TSR_TEXT_ROW(struct values, out, "out", 0, NULL, "OUTDIR",
                 "folder for the tables and every single draw"),
    TSR_TEXT_ROW(struct values, models, "models", 0, NULL, "NAME,NAME,..",
                 "only these methods"),
    TSR_FLAG_ROW(struct values, resume, "resume", 0, "go on where --out stopped"),
    TSR_CHOICE_ROW(struct values, format, "format", "text|markdown|csv|latex|json",
                   "of the table on standard output"),
    TSR_TEXT_ROW(struct values, published, "published", 0, NULL, "FILE",
                 "figures to stand beside ours; default: those that come with Tessera"),
    TSR_INTEGER_ROW(struct values, threads, "threads", 0, 0, 4096, "0", "N",
                    "trials side by side, 0: all processors"),
    TSR_END_ROW,
};

static const tsr_setting *settings(void)
{
    return table;
}

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
    return tsr__experiment_check(find(protocol, sizeof protocol, call->operand[0]),
                                 values->models);
}

static tsr_status run(const cli_call *call)
{
    tsr_status status = TSR_OK;
    const struct values *values = call->values;
    char protocol[4096], published[4096];
    tsr__experiment experiment = {0};
    const char *figures = values->published != NULL
                              ? values->published
                              : find(published, sizeof published, "published.csv");
    const tsr__experiment_options options = {
        .data = values->data,
        .out = values->out,
        .methods = values->models,
        .published = there(figures) ? figures : NULL,
        .resume = values->resume,
        .threads = values->threads,
        .progress = terminal_progress(values->talk.quiet),
    };
    TSR_TRY(tsr__experiment_run(&experiment, find(protocol, sizeof protocol, call->operand[0]),
                                &options));
    terminal_clear();
    TSR_TRY(tsr__table_print(stdout, &experiment,
                             values->talk.json ? TSR_TABLE_JSON
                                               : (tsr__table_format)values->format));
done:
    tsr__experiment_clear(&experiment);
    return status;
}

const cli_command command_experiment = {
    .name = "experiment",
    .topic = "study",
    .summary = "Run a protocol and print its table, ours beside the published figures.",
    .usage = "[options] PROTOCOL",
    .details = "PROTOCOL is a file, or the name of one that comes with Tessera: cluster-yale, "
               "cluster-orl, ...\nInterrupted runs resume with --out DIR --resume.",
    .example = "  tessera experiment cluster-yale --data DATASETS --out yale --resume",
    .least = 1,
    .most = 1,
    .size = sizeof(struct values),
    .groups = {{"experiment", settings, 0},
               {"talking", talk_settings, offsetof(struct values, talk)}},
    .check = check,
    .run = run,
};
