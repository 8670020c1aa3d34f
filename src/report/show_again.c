/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The commands that make the model, and the page, again. */
#include "base/settings.h"
#include "base/text.h"
#include "report/subject.h"

#include <stdio.h>
#include <stdlib.h>

static void put_settings(FILE *to, const tsr_fit_options *options)
{
    char value[4096];
    for (const tsr_setting *row = tsr_fit_settings(); row->name != NULL; row++) {
        if (!tsr__setting_is_said(row) || tsr__settings_is_default(row, options))
            continue;
        (void)fprintf(to, " --%s", row->name);
        if (row->kind == TSR_SETTING_FLAG)
            continue;
        (void)fputc(' ', to);
        tsr__put_shell_word(to, tsr__settings_show(value, sizeof value, row, options));
    }
}

tsr_status tsr__show_again(tsr__subject *s)
{
    tsr_status status = TSR_OK;
    char *text = NULL;
    size_t size = 0;
    const char *origin = tsr_model_origin(s->model);
    FILE *to = open_memstream(&text, &size);
    if (to == NULL)
        TSR_FAIL(TSR_ERROR_MEMORY, "out of memory: a command cannot begin");
    (void)fputs("tessera fit ", to);
    tsr__put_shell_word(to, origin != NULL && *origin != '\0' ? origin : "DATA");
    put_settings(to, tsr_model_options(s->model));
    (void)fputs(" -o model.h5", to);
    if (fclose(to) != 0)
        TSR_FAIL(TSR_ERROR_MEMORY, "out of memory: a command cannot be kept");
    tsr__page_say(s->page, "The model:");
    tsr__page_command(s->page, text);
    tsr__page_note(s->page,
                   "Options by which the data were read (--labels, --size and the like) "
                   "are not kept in a model: add them.");
    if (s->options->command != NULL) {
        tsr__page_say(s->page, "This page:");
        tsr__page_command(s->page, s->options->command);
    }
done:
    free(text);
    return status;
}
