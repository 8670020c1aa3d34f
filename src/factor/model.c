/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Fitted models: getters, the record of their settings, freeing.
 *
 * Getters return what the model owns, good for as long as the model is; NULL gives nothing, so
 * that callers may ask before they check. Settings live twice: as texts, which archives keep,
 * and as options, which are made of the texts and whose own texts point at them. So the list of
 * texts must not change once the options are made. */
#include "factor/parts.h"
#include "factor/solver.h"

#include "base/settings.h"
#include "io/recipe.h"

#include <math.h>
#include <string.h>

tsr_status tsr__copy_reals(double **out, const double *from, int64_t count)
{
    tsr__free(*out);
    *out = NULL;
    if (from == NULL)
        return TSR_OK;
    *out = tsr__alloc(count, sizeof **out);
    if (*out == NULL)
        return TSR_ERROR_MEMORY;
    memcpy(*out, from, (size_t)count * sizeof **out);
    return TSR_OK;
}

/* By way of texts also for a fresh model: what a fit reports then is what an archive of it will
 * say, and the options do not point at memory of the caller. */
tsr_status tsr__model_record(tsr_model *model, const tsr_fit_options *options)
{
    tsr_status status = TSR_OK;
    char value[4096];
    tsr_fit_options kept = *options;
    kept.progress = NULL; /* who listened is no part of the model */
    for (const tsr_setting *row = tsr_fit_settings(); row->name != NULL; row++)
        TSR_TRY(tsr__names_add(&model->setting,
                               tsr__settings_show(value, sizeof value, row, &kept)));
    TSR_TRY(tsr__model_restore(model));
done:
    return status;
}

/* An empty text is that of a setting that was not given: NULL, which is the default. What was given
 * in memory is no longer there. */
tsr_status tsr__model_restore(tsr_model *model)
{
    tsr_status status = TSR_OK;
    const tsr_setting *table = tsr_fit_settings();
    tsr_fit_defaults(&model->options);
    for (int64_t i = 0; i < model->setting.count; i++)
        if (tsr__setting_is_said(&table[i]) &&
            (table[i].kind != TSR_SETTING_TEXT || *model->setting.name[i] != '\0'))
            TSR_TRY(tsr_settings_set(table, &model->options, table[i].name,
                                     model->setting.name[i]));
done:
    return status;
}

/* The parts' own table frees them, so that a new part cannot be forgotten. Labels are one
 * pointer for two parts; the kind of the classes frees nothing. */
void tsr_model_free(tsr_model *model)
{
    if (model == NULL)
        return;
    for (const tsr__part *part = tsr__parts; part->name != NULL; part++)
        if (part->kind->free != NULL)
            part->kind->free(part, model);
    tsr__names_clear(&model->setting);
    tsr__recipe_clear(&model->recipe);
    tsr__free(model->origin);
    tsr__free(model);
}

tsr_fit_report tsr_model_report(const tsr_model *model)
{
    static const tsr_fit_report none;
    return model != NULL ? model->report : none;
}

const tsr_matrix *tsr_model_basis(const tsr_model *model)
{
    return model != NULL ? model->basis : NULL;
}

const tsr_matrix *tsr_model_codes(const tsr_model *model)
{
    return model != NULL ? model->codes : NULL;
}

const tsr_matrix *tsr_model_diffused(const tsr_model *model)
{
    return model == NULL ? NULL : model->diffused != NULL ? model->diffused : model->codes;
}

const tsr_matrix *tsr_model_weights(const tsr_model *model)
{
    return model != NULL ? model->weights : NULL;
}

const tsr_labels *tsr_model_labels(const tsr_model *model)
{
    return model != NULL ? model->labels : NULL;
}

const char *tsr_model_feature_name(const tsr_model *model, int64_t j)
{
    return model != NULL && j >= 0 && j < model->feature_names.count
               ? model->feature_names.name[j]
               : NULL;
}

const double *tsr_model_objective(const tsr_model *model)
{
    return model != NULL ? model->objective : NULL;
}

const double *tsr_model_seconds(const tsr_model *model)
{
    return model != NULL ? model->seconds : NULL;
}

/* Counts the run that was on its way, which is the state's where the model is of an earlier
 * start. A run that settled lacks nothing though iterations were left. */
int64_t tsr_model_lacks(const tsr_model *model)
{
    if (model == NULL)
        return 0;
    const tsr__halt *state = &model->state;
    const int64_t done = state->own ? state->iterations : model->report.iterations;
    const int64_t left = state->limit - done;
    const bool starts = state->next < model->options.restarts;
    if (!state->known || (!starts && (left <= 0 || (!state->own && model->report.converged))))
        return -1;
    return left > 0 ? left : 0;
}

const tsr_fit_options *tsr_model_options(const tsr_model *model)
{
    return model != NULL ? &model->options : NULL;
}

/* Counts only the terms that the model has, in the order of their table: the columns of the
 * history are in the same order. */
bool tsr_model_term(const char **name, double *value, const tsr_model *model, int64_t i)
{
    if (name == NULL || value == NULL || model == NULL || i < 0)
        return false;
    for (int term = 0; term < TSR_TERMS; term++) {
        if (isnan(model->terms[term]) || i-- > 0)
            continue;
        *name = tsr__term_names[term];
        *value = model->terms[term];
        return true;
    }
    return false;
}

bool tsr_model_has_blocks(const tsr_model *model)
{
    return model != NULL && model->per_class > 0;
}

const tsr_matrix *tsr_model_history(const tsr_model *model)
{
    return model != NULL ? model->history : NULL;
}

const char *tsr_model_plan(const tsr_model *model, int64_t i)
{
    return model != NULL && i >= 0 && i < model->plan.count ? model->plan.name[i] : NULL;
}

int64_t tsr_model_notes(const tsr_model *model)
{
    return model != NULL ? model->notes.count : 0;
}

const char *tsr_model_note(const tsr_model *model, int64_t i)
{
    return model != NULL && i >= 0 && i < model->notes.count ? model->notes.name[i] : NULL;
}

/* `whole` are rows that missing values are refused for: a mean and a sample in the basis need
 * all of their entries. */
static void show_row(tsr_model_info *out, const tsr__model_row *row)
{
    static const char *const bases[] = {"free", "concept"}, *const codes[] = {"free", "tied"};
    *out = (tsr_model_info){.name = row->name,
                            .title = row->title,
                            .loss = row->loss->name,
                            .basis = bases[row->basis],
                            .codes = codes[row->codes],
                            .uses = row->uses,
                            .source = row->source,
                            .blocks = row->weights[TSR_UNIT_DATA].of[TSR_WEIGHT_CLASS] > 0,
                            .whole =
                                row->basis == TSR_BASIS_CONCEPT || row->codes == TSR_CODES_TIED,
                            .signs = row->basis == TSR_BASIS_CONCEPT && row->loss->inner};
    tsr__model_objective(out->objective, sizeof out->objective, row);
}

/* The row as the options change it: what the user overrode shows in the objective. Layers to
 * the right of factor learn what a fit is from here alone. */
tsr_status tsr_fit_describe(tsr_model_info *out, const tsr_fit_options *options)
{
    tsr_status status = TSR_OK;
    tsr_fit_options defaults;
    tsr__spec spec;
    TSR_REQUIRE(out);
    tsr_fit_defaults(&defaults);
    TSR_TRY(tsr__spec_make(&spec, options != NULL ? options : &defaults));
    tsr__model_row row = *spec.row;
    row.loss = spec.loss, row.basis = spec.basis, row.codes = spec.codes, row.ncw = spec.ncw;
    row.divergence = spec.divergence;
    row.weights[TSR_UNIT_DATA] = spec.weights;
    show_row(out, &row);
    out->labels = tsr__spec_needs_labels(&spec);
    out->joined = tsr__spec_joins(&spec);
    out->online = tsr__spec_batches(&spec);
done:
    return status;
}

bool tsr_models_get(tsr_model_info *out, int64_t i)
{
    int64_t count = 0;
    tsr_fit_options options;
    while (tsr__models[count].name != NULL)
        count++;
    if (out == NULL || i < 0 || i >= count)
        return false;
    tsr_fit_defaults(&options);
    options.model = tsr__models[i].name;
    return tsr_fit_describe(out, &options) == TSR_OK;
}

tsr_status tsr_model_describe(tsr_model_info *out, const tsr_model *model)
{
    TSR_REQUIRE(out, model);
    return tsr_fit_describe(out, &model->options);
}

const char *tsr_model_origin(const tsr_model *model)
{
    return model != NULL ? model->origin : NULL;
}
