/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A model of some of its basis vectors, such as the best ranked: O(k (n + m)). */
#include "factor/model.h"

#include "base/settings.h"
#include "io/recipe.h"

#include <stdio.h>
#include <string.h>

/* The given columns of x, or NULL for NULL. */
static tsr_status copy_columns(tsr_matrix **out, const tsr_matrix *x, const int64_t *column,
                               int64_t count)
{
    tsr_status status = TSR_OK;
    tsr_matrix *kept = NULL;
    if (x == NULL)
        return TSR_OK;
    TSR_TRY(tsr_matrix_create(&kept, x->samples, count, x->type));
    for (int64_t i = 0; i < x->samples; i++)
        for (int64_t j = 0; j < count; j++)
            tsr__value_set(kept->values, kept->type, i * kept->stride + j,
                           tsr_matrix_at(x, i, column[j]));
    *out = kept, kept = NULL;
done:
    tsr_matrix_free(kept);
    return status;
}

static tsr_status copy_names(tsr__names *out, const tsr__names *from)
{
    tsr_status status = TSR_OK;
    for (int64_t i = 0; i < from->count; i++)
        TSR_TRY(tsr__names_add(out, from->name[i]));
done:
    return status;
}

/* The settings with the new rank; blocks of classes are no longer what they were. */
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

static tsr_status copy_gram(tsr_model *to, const tsr_model *from, const int64_t *vectors,
                            int64_t count)
{
    tsr_status status = TSR_OK;
    if (from->gram == NULL)
        return TSR_OK;
    TSR_NEW(to->gram, count * count);
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < count; j++)
            to->gram[i * count + j] = from->gram[vectors[i] * from->report.rank + vectors[j]];
done:
    return status;
}

static tsr_status copy_labels(tsr_model *to, const tsr_model *from)
{
    tsr_status status = TSR_OK;
    const tsr_labels *labels = from->labels;
    if (labels != NULL)
        TSR_TRY(tsr__labels_from_names(&to->labels, labels->of, labels->count,
                                       (const char *const *)labels->name, labels->classes));
    if (from->seen != NULL) {
        TSR_NEW(to->seen, from->report.samples);
        memcpy(to->seen, from->seen, (size_t)from->report.samples * sizeof *to->seen);
    }
done:
    return status;
}

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
    tsr_status status = TSR_OK;
    tsr_model *kept = NULL;
    char note[128];
    TSR_TRY(check(model, vectors, count));
    TSR_NEW_ZERO(kept, 1);
    kept->report = model->report;
    kept->report.rank = count;
    kept->kernel_width = model->kernel_width;
    memcpy(kept->terms, model->terms, sizeof kept->terms);
    TSR_TRY(copy_settings(kept, model, count));
    TSR_TRY(tsr_matrix_copy_samples(&kept->basis, model->basis, vectors, count));
    if (model->basis->image.height > 0)
        TSR_TRY(tsr_matrix_set_image(kept->basis, model->basis->image));
    TSR_TRY(copy_columns(&kept->codes, model->codes, vectors, count));
    TSR_TRY(copy_columns(&kept->weights, model->weights, vectors, count));
    if (model->atoms != NULL)
        TSR_TRY(tsr_matrix_copy_as(&kept->atoms, model->atoms, model->atoms->type,
                                   model->atoms->sparse));
    if (model->sample_weights != NULL)
        TSR_TRY(tsr_matrix_copy_samples(&kept->sample_weights, model->sample_weights, NULL,
                                        model->report.samples));
    if (model->origin != NULL)
        TSR_NEW_TEXT(kept->origin, model->origin);
    TSR_TRY(copy_gram(kept, model, vectors, count));
    TSR_TRY(tsr__copy_reals(&kept->scale, model->scale, model->report.features));
    TSR_TRY(tsr__copy_reals(&kept->objective, model->objective, model->report.iterations));
    TSR_TRY(tsr__copy_reals(&kept->seconds, model->seconds, model->report.iterations));
    TSR_TRY(copy_labels(kept, model));
    TSR_TRY(copy_names(&kept->feature_names, &model->feature_names));
    TSR_TRY(copy_names(&kept->notes, &model->notes));
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
