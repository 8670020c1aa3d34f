/* SPDX-License-Identifier: BSD-2-Clause
 *
 * tessera demo: generated pictures for a first look, no download. */
#include "cli/command.h"
#include "cli/swimmer.h"

struct values {
    talk talk;
    const char *output;
};

static const tsr_setting table[] = {
    TSR_TEXT_ROW(struct values, output, "output", 'o', "swimmer.h5", "FILE",
                 "where the pictures go; any format"),
    TSR_END_ROW,
};

static const tsr_setting *settings(void)
{
    return table;
}

static tsr_status run(const cli_call *call)
{
    tsr_status status = TSR_OK;
    const struct values *values = call->values;
    tsr_data *data = NULL;
    TSR_TRY(swimmer_draw(&data));
    TSR_TRY(tsr_data_write(data, values->output));
    if (!values->talk.quiet)
        (void)fprintf(stderr,
                      "wrote %s: 256 swimmers, four classes; look at one with\n"
                      "  tessera info %s --show 27\n",
                      values->output, values->output);
done:
    tsr_data_free(data);
    return status;
}

const cli_command command_demo = {
    .name = "demo",
    .topic = "study",
    .summary = "Draw labelled pictures with known parts to try things on.",
    .usage = "[options]",
    .example = "  tessera demo -o swimmer.h5 && tessera info swimmer.h5 --show 27",
    .least = 0,
    .most = 0,
    .size = sizeof(struct values),
    .groups = {{"drawing", settings, 0},
               {"talking", talk_settings, offsetof(struct values, talk)}},
    .run = run,
};
