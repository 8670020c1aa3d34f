/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What commands say of a fitted model: its report, its terms, and all of it for tessera info. */
#include "cli/about.h"

#include "base/settings.h"
#include "base/text.h"

#include <string.h>

void about_report(tsr__json *in, const tsr_model *model)
{
    const tsr_fit_report r = tsr_model_report(model);
    tsr__json_text(in, "loss", r.loss);
    tsr__json_integer(in, "samples", r.samples);
    tsr__json_integer(in, "features", r.features);
    tsr__json_integer(in, "rank", r.rank);
    tsr__json_integer(in, "iterations", r.iterations);
    tsr__json_flag(in, "converged", r.converged);
    tsr__json_real(in, "objective", r.objective);
    tsr__json_real(in, "data_loss", r.data_loss);
    tsr__json_real(in, "relative_error", r.relative_error);
    tsr__json_real(in, "optimality", r.optimality);
    tsr__json_real(in, "spread", r.spread);
    tsr__json_real(in, "seconds", r.seconds);
    tsr__json_integer(in, "seed", r.seed);
    tsr__json_real(in, "rho", r.rho);
}

void about_terms(tsr__json *in, const tsr_model *model)
{
    tsr__json *terms = tsr__json_object(in, "terms");
    const char *name;
    double value;
    for (int64_t i = 0; tsr_model_term(&name, &value, model, i); i++)
        tsr__json_real(terms, name, value);
}

void about_plan(tsr__json *in, const tsr_model *model)
{
    tsr__json *lines = tsr__json_array(in, "plan");
    for (int64_t i = 0; tsr_model_plan(model, i) != NULL; i++)
        tsr__json_text(lines, NULL, tsr_model_plan(model, i));
}

void print_plan(FILE *to, const char *before, const tsr_model *model)
{
    char shown[512];
    for (int64_t i = 0; tsr_model_plan(model, i) != NULL; i++)
        (void)fprintf(to, "%s%s\n", before,
                      tsr__printable_copy(shown, sizeof shown, tsr_model_plan(model, i)));
}

void about_notes(tsr__json *in, const tsr_model *model)
{
    tsr__json *notes = tsr__json_array(in, "notes");
    for (int64_t i = 0; i < tsr_model_notes(model); i++)
        tsr__json_text(notes, NULL, tsr_model_note(model, i));
}

void print_terms(FILE *to, int width, const tsr_model *model)
{
    const char *name;
    double value;
    const double sum = tsr_model_report(model).objective;
    if (!tsr_model_term(&name, &value, model, 1))
        return;
    (void)fprintf(to, "  %-*s", width, "of which");
    for (int64_t i = 0; tsr_model_term(&name, &value, model, i); i++)
        (void)fprintf(to, "%s %s %.3g (%.3g %%)", i > 0 ? "," : "", name, value,
                      sum != 0 ? 100 * value / sum : 0);
    (void)fprintf(to, "\n");
}

/* tessera info ---------------------------------------------------------------------------- */

static void put_setting(tsr__json *in, const tsr_setting *row, const tsr_fit_options *options)
{
    const void *at = (const char *)options + row->offset;
    char value[4096];
    if (row->kind == TSR_SETTING_FLAG)
        tsr__json_flag(in, row->name, *(const bool *)at);
    else if (row->kind == TSR_SETTING_INTEGER || row->kind == TSR_SETTING_SIZE)
        tsr__json_integer(in, row->name, *(const int64_t *)at);
    else if (row->kind == TSR_SETTING_REAL)
        tsr__json_real(in, row->name, *(const double *)at);
    else if (row->kind == TSR_SETTING_TEXT)
        tsr__json_text(in, row->name, *(const char *const *)at);
    else
        tsr__json_text(in, row->name, tsr__settings_show(value, sizeof value, row, options));
}

tsr_status about_json(const char *path, const tsr_model *model)
{
    tsr_status status = TSR_OK;
    tsr_model_info info;
    tsr__json *root = tsr__json_new();
    TSR_TRY(tsr_model_describe(&info, model));
    tsr__json_text(root, "origin", path);
    tsr__json_text(root, "format", "model");
    tsr__json_text(root, "model", info.name);
    tsr__json_text(root, "objective_text", info.objective);
    tsr__json *settings = tsr__json_object(root, "settings");
    for (const tsr_setting *row = tsr_fit_settings(); row->name != NULL; row++)
        if (tsr__setting_is_said(row))
            put_setting(settings, row, tsr_model_options(model));
    tsr__json_integer(root, "seed", tsr_model_report(model).seed);
    tsr__json_text(root, "data", tsr_model_origin(model));
    tsr__json *report = tsr__json_object(root, "report");
    about_report(report, model);
    about_terms(report, model);
    about_plan(root, model);
    tsr__json_integer(
        root, "classes",
        tsr_model_labels(model) != NULL ? tsr_labels_classes(tsr_model_labels(model)) : 0);
    about_notes(root, model);
    TSR_TRY(tsr__json_print(root, stdout));
done:
    tsr__json_free(root);
    return status;
}

/* Those that are not what they are unless somebody says so. */
static void print_settings(const tsr_fit_options *options)
{
    char value[4096];
    (void)printf("  settings        ");
    for (const tsr_setting *row = tsr_fit_settings(); row->name != NULL; row++)
        if (!tsr__settings_is_default(row, options) && strcmp(row->name, "seed") != 0)
            (void)printf("--%s %s ", row->name,
                         tsr__printable((char *)(uintptr_t)tsr__settings_show(
                             value, sizeof value, row, options)));
    (void)printf("--seed %lld\n", (long long)options->seed);
}

static void print_labels(const tsr_model *model)
{
    const tsr_labels *labels = tsr_model_labels(model);
    const int32_t *seen = tsr_model_seen(model);
    int64_t told = 0;
    if (labels == NULL)
        return;
    for (int64_t i = 0; i < tsr_labels_count(labels); i++)
        told += seen[i] >= 0;
    (void)printf("  classes         %d; %lld of %lld labels are open to the learner\n",
                 tsr_labels_classes(labels), (long long)told,
                 (long long)tsr_labels_known(labels));
}

tsr_status about_print(const char *path, const tsr_model *model)
{
    tsr_status status = TSR_OK;
    const tsr_fit_report r = tsr_model_report(model);
    const char *origin = tsr_model_origin(model);
    char shown[1024];
    const tsr_image_shape image = tsr_matrix_image(tsr_model_basis(model));
    tsr_model_info info;
    TSR_TRY(tsr_model_describe(&info, model));
    (void)printf("%s\n  model           %s: %s (%s)\n", path, info.name, info.title,
                 info.source);
    (void)printf("  minimises       %s\n", info.objective);
    (void)printf("  data            %s: %lld samples x %lld features",
                 tsr__printable_copy(shown, sizeof shown,
                                     origin != NULL && *origin != '\0' ? origin : "unknown"),
                 (long long)r.samples, (long long)r.features);
    if (image.height > 0)
        (void)printf(" (images %lld x %lld)", (long long)image.height, (long long)image.width);
    (void)printf("\n  rank            %lld\n", (long long)r.rank);
    print_labels(model);
    print_settings(tsr_model_options(model));
    (void)printf("  iterations      %lld (%s)\n", (long long)r.iterations,
                 r.converged                   ? "converged"
                 : tsr_model_lacks(model) >= 0 ? "stopped on the way: `tessera fit --resume`"
                                               : "not converged");
    print_plan(stdout, "  plan            ", model);
    (void)printf("  objective       %.8g\n", r.objective);
    print_terms(stdout, 15, model);
    (void)printf("  relative error  %.6f\n  optimality      %.2e\n  seconds         %.3f\n",
                 r.relative_error, r.optimality, r.seconds);
    for (int64_t i = 0; i < tsr_model_notes(model); i++)
        (void)printf("  note            %s\n",
                     tsr__printable_copy(shown, sizeof shown, tsr_model_note(model, i)));
done:
    return status;
}
