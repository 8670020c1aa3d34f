/* SPDX-License-Identifier: BSD-2-Clause
 *
 * tessera report: one page that shows a model, or an experiment. */
#include "cli/command.h"

#include <stdlib.h>
#include <sys/stat.h>

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

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static tsr_status check(const cli_call *call)
{
    const struct values *values = call->values;
    return values->data == NULL || !is_folder(call->operand[0])
               ? TSR_OK
               : tsr__fail(TSR_ERROR_ARGUMENT,
                           "--data is for a model; the folder of an experiment suffices");
}

static tsr_status run(const cli_call *call)
{
    tsr_status status = TSR_OK;
    struct values *values = call->values;
    const char *path = call->operand[0];
    char *again = say_again(call);
    tsr_page *page = NULL;
    values->read.progress = values->page.progress = terminal_progress(values->talk.quiet);
    if (values->page.command == NULL)
        values->page.command = again;
    TSR_TRY(is_folder(path) ? tsr_page_experiment(&page, path, &values->page)
                            : show_model(&page, path, values));
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
    .summary = "Write one page that shows what was learnt, or what an experiment found.",
    .usage = "[options] MODEL.h5|FOLDER -o PAGE.html",
    .details = "The page is one file that needs no network: it opens from disk or mail, and "
               "prints. Of a model, give the samples by --data to see them too. FOLDER is what "
               "`tessera experiment -o FOLDER` wrote.",
    .example = "  tessera report faces.h5 --data faces.mat -o faces.html\n"
               "  tessera report yale/ -o yale.html",
    .required = "output",
    .least = 1,
    .most = 1,
    .size = sizeof(struct values),
    .groups = {{"the page", settings, 0},
               {NULL, tsr_page_settings, offsetof(struct values, page)},
               {"reading", tsr_read_settings, offsetof(struct values, read)},
               {"talking", talk_settings, offsetof(struct values, talk)}},
    .check = check,
    .run = run,
};
