/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A model of some of its basis vectors, such as the best ranked: O(k (n + m)).
 *
 * The result transforms and predicts. It has no state, so that a fit that goes on with it
 * begins from the factors alone; codes are not solved anew. `tessera rank` writes it. */
#include "factor/parts.h"

#include "base/settings.h"
#include "io/recipe.h"

#include <stdio.h>
#include <string.h>

/* The settings with the new rank; blocks of classes are no longer what they were. The record
 * must describe the model that it is in: archives are checked against it when they are read. */
static tsr_status copy_settings(tsr_model *to, const tsr_model *from, int64_t rank)
{
    tsr_status status = TSR_OK;
    const tsr_setting *table = tsr_fit_settings();
    char text[32];
    (void)snprintf(text, sizeof text, "%lld", (long long)rank);
    for (int64_t i = 0; i < from->setting.count; i++) {
        const char *value = from->setting.name[i];
        if (strcmp(table[i].name, "rank") == 0)
            value = text;
        else if (strcmp(table[i].name, "per-class") == 0 ||
                 strcmp(table[i].name, "shared") == 0)
            value = "0";
        TSR_TRY(tsr__names_add(&to->setting, value));
    }
    TSR_TRY(tsr__model_restore(to));
done:
    return status;
}

/* A vector may stand in the list twice; all have to be there. */
static tsr_status check(const tsr_model *model, const int64_t *vectors, int64_t count)
{
    if (count < 1 || count > model->report.rank)
        return tsr__fail(TSR_ERROR_ARGUMENT, "%lld of %lld basis vectors cannot be kept",
                         (long long)count, (long long)model->report.rank);
    for (int64_t i = 0; i < count; i++)
        if (vectors[i] < 0 || vectors[i] >= model->report.rank)
            return tsr__fail(TSR_ERROR_ARGUMENT, "there is no basis vector %lld: 0 .. %lld",
                             (long long)vectors[i], (long long)(model->report.rank - 1));
    return TSR_OK;
}

tsr_status tsr_model_keep(tsr_model **out, const tsr_model *model, const int64_t *vectors,
                          int64_t count)
{
    TSR_REQUIRE(out, model);
    TSR_REQUIRE_ARRAY(vectors, count);
    tsr_status status = TSR_OK;
    tsr_model *kept = NULL;
    char note[128];
    TSR_TRY(check(model, vectors, count));
    TSR_NEW_ZERO(kept, 1);
    /* Figures stay those of the whole fit, and a note says so. per_class and shared stay 0: the
     * vectors that are left make up no blocks, and predictions are by the nearest code. */
    kept->report = model->report;
    kept->report.rank = count;
    kept->kernel_width = model->kernel_width;
    memcpy(kept->terms, model->terms, sizeof kept->terms);
    TSR_TRY(copy_settings(kept, model, count));
    /* Kinds without `copy` are those of the state, and classes, which go with the labels. */
    for (const tsr__part *part = tsr__parts; part->name != NULL; part++)
        if (part->kind->copy != NULL && part->kind->is_there(part, model))
            TSR_TRY(part->kind->copy(kept, part, model, vectors, count));
    if (model->origin != NULL)
        TSR_NEW_TEXT(kept->origin, model->origin);
    TSR_TRY(tsr__recipe_copy(&kept->recipe, &model->recipe));
    (void)snprintf(note, sizeof note,
                   "%lld of %lld basis vectors were kept; objective and errors are of all",
                   (long long)count, (long long)model->report.rank);
    TSR_TRY(tsr__names_add(&kept->notes, note));
    *out = kept, kept = NULL;
done:
    tsr_model_free(kept);
    return status;
}
