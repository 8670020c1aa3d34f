/* SPDX-License-Identifier: BSD-2-Clause
 *
 * tessera report: one page that shows what was learnt. */
#include "base/text.h"
#include "cli/command.h"

#include <stdlib.h>

struct values {
    tsr_page_options page;
    tsr_read_options read;
    talk talk;
    const char *output, *data;
};

static const tsr_setting table[] = {
    TSR_TEXT_ROW(struct values, output, "output", 'o', NULL, "OUT.html", "the page; required"),
    TSR_TEXT_ROW(struct values, data, "data", 'd', NULL, "DATA",
                 "the samples: those of the fit, or others"),
    TSR_END_ROW,
};

static const tsr_setting *settings(void)
{
    return table;
}

/* The command as it was typed; to be freed. */
static char *say_again(const cli_call *call)
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

static tsr_status show_model(tsr_page **out, const char *path, struct values *values)
{
    tsr_status status = TSR_OK;
    tsr_model *model = NULL;
    tsr_data *data = NULL;
    TSR_TRY(tsr_model_read(&model, path));
    if (values->data != NULL)
        TSR_TRY(tsr_data_read(&data, values->data, &values->read));
    TSR_TRY(tsr_page_model(out, model, data, &values->page));
done:
    tsr_data_free(data);
    tsr_model_free(model);
    return status;
}

static tsr_status run(const cli_call *call)
{
    tsr_status status = TSR_OK;
    struct values *values = call->values;
    char *again = say_again(call);
    tsr_page *page = NULL;
    values->read.progress = values->page.progress = terminal_progress(values->talk.quiet);
    if (values->page.command == NULL)
        values->page.command = again;
    TSR_TRY(show_model(&page, call->operand[0], values));
    terminal_clear();
    TSR_TRY(tsr_page_write(page, values->output));
    if (values->talk.json)
        (void)printf("%s\n", tsr_page_facts(page));
    else
        (void)printf("written to %s: open it in a browser\n", values->output);
done:
    tsr_page_free(page);
    free(again);
    return status;
}

const cli_command command_report = {
    .name = "report",
    .topic = "use",
    .summary = "Write one page that shows what was learnt: parts, codes, clusters, charts.",
    .usage = "[options] MODEL.h5 -o PAGE.html",
    .details = "The page is one file without any need of a network. Give the samples by --data "
               "to see them, too.",
    .example = "  tessera report faces.h5 --data faces.mat -o faces.html",
    .required = "output",
    .least = 1,
    .most = 1,
    .size = sizeof(struct values),
    .groups = {{"the page", settings, 0},
               {NULL, tsr_page_settings, offsetof(struct values, page)},
               {"reading", tsr_read_settings, offsetof(struct values, read)},
               {"talking", talk_settings, offsetof(struct values, talk)}},
    .run = run,
};
