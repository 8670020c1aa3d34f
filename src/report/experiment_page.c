/* SPDX-License-Identifier: BSD-2-Clause
 *
 * THE SECTIONS of a page about an experiment, in the order in which they are read. */
#include "base/progress.h"
#include "io/folder.h"
#include "report/findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool always(const tsr__findings *f)
{
    return f != NULL;
}

static bool has_trials(const tsr__findings *f)
{
    return f->done > 0;
}

static bool has_nmi(const tsr__findings *f)
{
    return f->done > 0 && f->metrics > 1;
}

/* clang-format off */
static const struct section {
    const char *id, *title;
    bool (*has)(const tsr__findings *f);
    tsr_status (*show)(tsr__findings *f);
} sections[] = {
    {"summary",     "What was run",        always,     tsr__show_study},
    {"table",       "The table",           has_trials, tsr__show_means},
    {"accuracy",    "Accuracy",            has_trials, tsr__show_accuracy},
    {"nmi",         "Mutual information",  has_nmi,    tsr__show_nmi},
    {"draws",       "Every draw",          has_trials, tsr__show_draws},
    {"confusion",   "Confusion",           has_trials, tsr__show_counts},
    {"convergence", "Convergence",         has_trials, tsr__show_curves},
    {"time",        "Time",                has_trials, tsr__show_time},
    {"again",       "Made again",          always,     tsr__show_rerun},
};
/* clang-format on */
enum { SECTIONS = sizeof sections / sizeof *sections };

static tsr_status show_all(tsr__findings *f)
{
    tsr_status status = TSR_OK;
    const tsr__task task = tsr__task_begin(f->options->progress, "making the page", SECTIONS);
    for (int64_t i = 0; i < SECTIONS; i++) {
        if (sections[i].has(f)) {
            tsr__page_section(f->page, sections[i].id, sections[i].title);
            TSR_TRY(sections[i].show(f));
        }
        TSR_TRY(tsr__task_step(&task, i + 1, (double)NAN, (double)NAN));
    }
done:
    return status;
}

tsr_status tsr_page_experiment(tsr_page **out, const char *folder,
                               const tsr_page_options *options)
{
    TSR_REQUIRE(out);
    TSR_REQUIRE_TEXT(folder);
    tsr_status status = TSR_OK;
    tsr_page_options chosen;
    tsr_page *page = NULL;
    tsr__findings findings = {.e = NULL};
    TSR_TRY(tsr__page_begin(&page, &chosen, options, "experiment"));
    TSR_TRY(tsr__findings_open(&findings, page, folder, &chosen));
    TSR_TRY(show_all(&findings));
    TSR_TRY(tsr__page_close(page));
    *out = page, page = NULL;
done:
    tsr__findings_clear(&findings);
    tsr_page_free(page);
    return status;
}

/* Made again ------------------------------------------------------------------------------ */

/* The protocol, line by line: with it the page is all that others need, but for the data. */
static void show_protocol(const tsr__findings *f, const char *text)
{
    tsr__page_html(f->page,
                   "<details class=\"data\"><summary>The protocol</summary>\n<pre tabindex="
                   "\"0\"><code>");
    while (*text != '\0') {
        char line[1024];
        const size_t all = strcspn(text, "\n"), room = sizeof line - 1;
        const size_t length = all < room ? all : room;
        memcpy(line, text, length);
        line[length] = '\0';
        tsr__page_escaped(f->page, line);
        text += length;
        if (*text == '\n') {
            tsr__page_html(f->page, "\n");
            text++;
        }
    }
    tsr__page_html(f->page, "</code></pre></details>\n");
}

/* tessera experiment FOLDER/protocol.txt, with the figures that stand beside ours. */
static tsr_status say_command(const tsr__findings *f, const char *to_folder, bool resume)
{
    tsr_status status = TSR_OK;
    char *text = NULL, *path = NULL;
    size_t size = 0;
    static const char *const files[][2] = {{"", "protocol.txt"},
                                           {"--published ", "published.csv"}};
    FILE *to = open_memstream(&text, &size);
    if (to == NULL)
        TSR_FAIL(TSR_ERROR_MEMORY, "out of memory: a command cannot begin");
    (void)fputs("tessera experiment", to);
    for (int i = 0; i < (f->e->published.field.count > 6 ? 2 : 1); i++) {
        path = tsr__path_join(f->folder, files[i][1]);
        if (path == NULL)
            TSR_TRY(TSR_ERROR_MEMORY);
        (void)fprintf(to, " %s", files[i][0]);
        tsr__put_shell_word(to, path);
        tsr__free(path);
        path = NULL;
    }
    (void)fputs(" --data DATASETS --out ", to);
    tsr__put_shell_word(to, to_folder);
    (void)fputs(resume ? " --resume" : "", to);
    if (fflush(to) != 0)
        TSR_FAIL(TSR_ERROR_MEMORY, "out of memory: a command cannot be kept");
    tsr__page_command(f->page, text);
done:
    if (to != NULL)
        (void)fclose(to);
    tsr__free(path);
    free(text);
    return status;
}

tsr_status tsr__show_rerun(tsr__findings *f)
{
    tsr_status status = TSR_OK;
    const tsr__input *source = &f->p->source;
    char *text = tsr__copy_bytes_as_text(source->bytes, (size_t)source->size);
    if (text == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    tsr__page_say(f->page,
                  "The experiment, from the protocol that is kept with it; DATASETS is "
                  "the folder that holds %s:",
                  f->p->study.data);
    TSR_TRY(say_command(f, "again", false));
    if (f->done < f->e->trials) {
        tsr__page_say(f->page, "The trials that are missing:");
        TSR_TRY(say_command(f, f->folder, true));
    }
    if (f->options->command != NULL) {
        tsr__page_say(f->page, "This page:");
        tsr__page_command(f->page, f->options->command);
    }
    show_protocol(f, text);
done:
    tsr__free(text);
    return status;
}
