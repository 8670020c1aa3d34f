/* SPDX-License-Identifier: BSD-2-Clause
 *
 * tessera overlay: where in a picture each basis vector of a model of visual words is at work. */
#include "base/json.h"
#include "cli/command.h"

struct values {
    tsr_transform_options transform;
    talk talk;
    tsr_overlay_options overlay;
    const char *output;
};

static const tsr_setting table[] = {
    TSR_TEXT_ROW(struct values, output, "output", 'o', NULL, "OUT.png",
                 "the picture with coloured patches; required"),
    TSR_END_ROW,
};

static const tsr_setting *settings(void)
{
    return table;
}

static tsr_status print_json(const tsr_overlay *overlay)
{
    const tsr_overlay_report about = tsr_overlay_about(overlay);
    tsr__json *root = tsr__json_new();
    tsr__json_integer(root, "descriptors", about.patches);
    tsr__json_real(root, "threshold", about.threshold);
    tsr__json *vectors = tsr__json_array(root, "vectors");
    for (int64_t j = 0; j < about.vectors; j++) {
        tsr__json *vector = tsr__json_object(vectors, NULL);
        tsr__json_integer(vector, "vector", j);
        tsr__json_text(vector, "colour", tsr_overlay_colour(j));
        tsr__json_real(vector, "code", tsr_matrix_at(tsr_overlay_codes(overlay), 0, j));
        tsr__json_integer(vector, "patches", tsr_overlay_patches(overlay)[j]);
    }
    const tsr_status status = tsr__json_print(root, stdout);
    tsr__json_free(root);
    return status;
}

static void print_text(const tsr_overlay *overlay, const char *output)
{
    const tsr_overlay_report about = tsr_overlay_about(overlay);
    (void)printf("%lld patches, relevant above %.3g\n", (long long)about.patches,
                 about.threshold);
    for (int64_t j = 0; j < about.vectors; j++)
        (void)printf("  vector %-4lld %-12s %lld patches\n", (long long)j,
                     tsr_overlay_colour(j), (long long)tsr_overlay_patches(overlay)[j]);
    (void)printf("  written to  %s\n", output);
}

static tsr_status run(const cli_call *call)
{
    tsr_status status = TSR_OK;
    struct values *values = call->values;
    tsr_model *model = NULL;
    tsr_overlay *overlay = NULL;
    values->transform.progress = terminal_progress(values->talk.quiet);
    values->overlay.transform = &values->transform;
    TSR_TRY(tsr_model_read(&model, call->operand[0]));
    TSR_TRY(tsr_overlay_make(&overlay, model, call->operand[1], &values->overlay));
    terminal_clear();
    TSR_TRY(tsr_overlay_write(overlay, values->output));
    if (values->talk.json)
        TSR_TRY(print_json(overlay));
    else
        print_text(overlay, values->output);
done:
    tsr_overlay_free(overlay);
    tsr_model_free(model);
    return status;
}

const cli_command command_overlay = {
    .name = "overlay",
    .topic = "use",
    .summary = "Draw on a picture the patches that matter to each basis vector.",
    .usage = "[options] MODEL.h5 IMAGE -o FILE.png",
    .details = "MODEL was fitted to visual words (`tessera features --kind dsift` or sift).",
    .example = "  tessera overlay model.h5 scenes/Street/image_0001.jpg -o street.png",
    .required = "output",
    .least = 2,
    .most = 2,
    .size = sizeof(struct values),
    .groups = {{"drawing", settings, 0},
               {NULL, tsr_overlay_settings, offsetof(struct values, overlay)},
               {"encoding", tsr_transform_settings, offsetof(struct values, transform)},
               {"talking", talk_settings, offsetof(struct values, talk)}},
    .run = run,
};
