/* SPDX-License-Identifier: BSD-2-Clause
 *
 * tessera models: the table of methods. */
#include "base/json.h"
#include "base/settings.h"
#include "cli/about.h"
#include "cli/command.h"
#include "cli/pictures.h"

struct values {
    bool plan;
    talk talk;
};

static const tsr_setting table[] = {
    TSR_FLAG_ROW(struct values, plan, "plan", 0,
                 "how each row is fitted to 240 drawn faces of 20 people; to your own data: "
                 "`tessera fit DATA -v --iterations 0`"),
    TSR_END_ROW,
};

static const tsr_setting *settings(void)
{
    return table;
}

/* Every row, fitted without an iteration. */
static tsr_status print_plans(bool json)
{
    tsr_status status = TSR_OK;
    tsr__json *root = tsr__json_new(), *list = tsr__json_array(root, "models");
    tsr_data *faces = NULL;
    tsr_model *model = NULL;
    tsr_model_info info;
    tsr_fit_options options;
    TSR_TRY(faces_draw(&faces));
    tsr_fit_defaults(&options);
    options.iterations = 0;
    for (int64_t i = 0; tsr_models_get(&info, i); i++) {
        options.model = info.name;
        TSR_TRY(tsr_fit(&model, faces, &options));
        tsr__json *row = tsr__json_object(list, NULL);
        tsr__json_text(row, "model", info.name);
        about_plan(row, model);
        if (!json)
            (void)printf("%s: %s\n", info.name, info.objective);
        if (!json)
            print_plan(stdout, "  ", model);
        tsr_model_free(model);
        model = NULL;
    }
    if (json)
        TSR_TRY(tsr__json_print(root, stdout));
done:
    tsr__json_free(root);
    tsr_model_free(model);
    tsr_data_free(faces);
    return status;
}

static tsr_status print_json(void)
{
    tsr__json *root = tsr__json_new(), *list = tsr__json_array(root, "models");
    tsr_model_info info;
    for (int64_t i = 0; tsr_models_get(&info, i); i++) {
        tsr__json *row = tsr__json_object(list, NULL);
        tsr__json_text(row, "model", info.name);
        tsr__json_text(row, "title", info.title);
        tsr__json_text(row, "objective", info.objective);
        tsr__json_text(row, "loss", info.loss);
        tsr__json_text(row, "basis", info.basis);
        tsr__json_text(row, "codes", info.codes);
        tsr__json_text(row, "uses", info.uses);
        tsr__json_text(row, "source", info.source);
    }
    const tsr_status status = tsr__json_print(root, stdout);
    tsr__json_free(root);
    return status;
}

static tsr_status run(const cli_call *call)
{
    const struct values *values = call->values;
    tsr_model_info info;
    if (values->plan)
        return print_plans(values->talk.json);
    if (values->talk.json)
        return print_json();
    (void)printf("%-9s %-59s %-19s %s\n", "model", "objective", "uses", "source");
    for (int64_t i = 0; tsr_models_get(&info, i); i++)
        (void)printf("%-9s %-59s %-19s %s\n", info.name, info.objective, info.uses,
                     info.source);
    (void)printf(
        "\nX samples, F basis, G codes, all >= 0; A ties samples of one class; D, L, C: "
        "classes, neighbours, links; Q: weights of normalised cuts.\nAny other combination: "
        "--loss, --basis, --codes and "
        "the weights of `tessera fit`. See doc/mathematics.md.\n");
    return TSR_OK;
}

const cli_command command_models = {
    .name = "models",
    .topic = "study",
    .summary = "List the models: objective, supervision used, citation.",
    .usage = "[options]",
    .example = "  tessera models\n  tessera models --plan",
    .size = sizeof(struct values),
    .groups = {{"showing", settings, 0},
               {"talking", talk_settings, offsetof(struct values, talk)}},
    .run = run,
};
