/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Recipes in memory and in archives. */
#include "io/recipe.h"

#include "base/settings.h"
#include "base/text.h"
#include "io/file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 96, VALUE_SIZE = 1024 };

void tsr__recipe_clear(tsr__recipe *recipe)
{
    tsr__free(recipe->kind);
    tsr__names_clear(&recipe->setting);
    tsr_matrix_free(recipe->dictionary);
    tsr_matrix_free(recipe->weight);
    *recipe = (tsr__recipe){NULL, {NULL, 0, 0}, NULL, NULL};
}

tsr_status tsr__recipe_copy(tsr__recipe *out, const tsr__recipe *recipe)
{
    tsr_status status = TSR_OK;
    tsr__recipe copy = {NULL, {NULL, 0, 0}, NULL, NULL};
    const tsr_matrix *dictionary = recipe->dictionary, *weight = recipe->weight;
    if (recipe->kind != NULL)
        TSR_NEW_TEXT(copy.kind, recipe->kind);
    for (int64_t i = 0; i < recipe->setting.count; i++)
        TSR_TRY(tsr__names_add(&copy.setting, recipe->setting.name[i]));
    if (dictionary != NULL)
        TSR_TRY(tsr_matrix_copy_as(&copy.dictionary, dictionary, dictionary->type, false));
    if (weight != NULL)
        TSR_TRY(tsr_matrix_copy_as(&copy.weight, weight, weight->type, false));
    *out = copy;
    copy = (tsr__recipe){NULL, {NULL, 0, 0}, NULL, NULL};
done:
    tsr__recipe_clear(&copy);
    return status;
}

/* Settings -------------------------------------------------------------------------------- */

tsr_status tsr__recipe_record(tsr__recipe *recipe, const tsr_setting *table, const void *object,
                              const char *const *names)
{
    tsr_status status = TSR_OK;
    char value[VALUE_SIZE], text[NAME_SIZE + VALUE_SIZE];
    for (; *names != NULL; names++) {
        const tsr_setting *row = tsr__settings_find(table, *names);
        (void)snprintf(text, sizeof text, "%s=%s", *names,
                       tsr__settings_show(value, sizeof value, row, object));
        TSR_TRY(tsr__names_add(&recipe->setting, text));
    }
done:
    return status;
}

/* The value that the recipe has for `name`, or NULL. */
static const char *value_of(const tsr__recipe *recipe, const char *name)
{
    const size_t length = strlen(name);
    for (int64_t i = 0; i < recipe->setting.count; i++) {
        const char *text = recipe->setting.name[i];
        if (strncmp(text, name, length) == 0 && text[length] == '=')
            return text + length + 1;
    }
    return NULL;
}

tsr_status tsr__recipe_restore(const tsr__recipe *recipe, const tsr_setting *table,
                               void *object, const char *const *names)
{
    tsr_status status = TSR_OK;
    for (; *names != NULL; names++) {
        const char *value = value_of(recipe, *names);
        if (value == NULL)
            TSR_FAIL(TSR_ERROR_FORMAT, "the recipe lacks the setting %s", *names);
        TSR_TRY(tsr_settings_set(table, object, *names, value));
    }
done:
    return status;
}

/* Archives -------------------------------------------------------------------------------- */

static tsr_status write_matrix(tsr__hdf5 *file, const char *name, const tsr_matrix *x)
{
    if (x == NULL)
        return TSR_OK;
    const tsr__hdf5_block block = {.element = x->type == TSR_FLOAT64 ? TSR_ELEMENT_FLOAT64
                                                                     : TSR_ELEMENT_FLOAT32,
                                   .rank = 2,
                                   .shape = {x->samples, x->features},
                                   .stride = x->stride,
                                   .values = x->values};
    return tsr__hdf5_write(file, name, &block);
}

tsr_status tsr__recipe_write(tsr__hdf5 *file, const tsr__recipe *recipe)
{
    tsr_status status = TSR_OK;
    char attribute[NAME_SIZE + 8];
    if (recipe->kind == NULL)
        return TSR_OK;
    TSR_TRY(tsr__hdf5_make_group(file, "recipe"));
    TSR_TRY(tsr__hdf5_set_text(file, "recipe", "kind", recipe->kind));
    for (int64_t i = 0; i < recipe->setting.count; i++) {
        const char *text = recipe->setting.name[i], *equals = strchr(text, '=');
        (void)snprintf(attribute, sizeof attribute, "setting.%.*s", (int)(equals - text), text);
        TSR_TRY(tsr__hdf5_set_text(file, "recipe", attribute, equals + 1));
    }
    TSR_TRY(write_matrix(file, "recipe/dictionary", recipe->dictionary));
    TSR_TRY(write_matrix(file, "recipe/weight", recipe->weight));
done:
    return status;
}

static tsr_status read_matrix(tsr_matrix **out, const tsr__hdf5 *file, const char *name)
{
    tsr_status status = TSR_OK;
    tsr__variable about;
    tsr__array array = {0};
    tsr_matrix *x = NULL;
    if (!tsr__hdf5_has(file, name))
        return TSR_OK;
    TSR_TRY(tsr__hdf5_describe(&about, file, name));
    if (about.element != TSR_ELEMENT_FLOAT64 && about.element != TSR_ELEMENT_FLOAT32)
        TSR_FAIL(TSR_ERROR_FORMAT, "/%s has values of type %s", name,
                 tsr__element_name(about.element));
    if (about.rank != 2 || about.shape[0] < 1 || about.shape[1] < 1)
        TSR_FAIL(TSR_ERROR_FORMAT, "/%s is not a matrix with entries", name);
    TSR_TRY(tsr__hdf5_read(&array, file, name,
                           about.element == TSR_ELEMENT_FLOAT32 ? TSR_ELEMENT_FLOAT32
                                                                : TSR_ELEMENT_FLOAT64));
    TSR_TRY(tsr__array_take_matrix(&x, &array));
    TSR_TRY(tsr_matrix_check(x, TSR_NEED_FINITE, name));
    *out = x, x = NULL;
done:
    tsr_matrix_free(x);
    tsr__free(array.data);
    return status;
}

/* Every attribute setting.NAME as "NAME=value". */
static tsr_status read_settings(tsr__names *out, const tsr__hdf5 *file)
{
    static const char prefix[] = "setting.";
    tsr_status status = TSR_OK;
    tsr__names attributes = {NULL, 0, 0};
    char text[NAME_SIZE + VALUE_SIZE], *value = NULL;
    TSR_TRY(tsr__hdf5_list_attributes(&attributes, file, "recipe"));
    for (int64_t i = 0; i < attributes.count; i++) {
        const char *name = attributes.name[i];
        if (strncmp(name, prefix, sizeof prefix - 1) != 0)
            continue;
        TSR_TRY(tsr__hdf5_get_text(&value, file, "recipe", name));
        if (strlen(name) >= NAME_SIZE || strlen(value) >= VALUE_SIZE)
            TSR_FAIL(TSR_ERROR_FORMAT, "/recipe: a setting of %zu bytes",
                     strlen(name) + strlen(value));
        (void)snprintf(text, sizeof text, "%s=%s", name + sizeof prefix - 1, value);
        TSR_TRY(tsr__names_add(out, text));
        tsr__free(value);
        value = NULL;
    }
done:
    tsr__free(value);
    tsr__names_clear(&attributes);
    return status;
}

tsr_status tsr__recipe_read(tsr__recipe *out, const tsr__hdf5 *file, int64_t features)
{
    tsr_status status = TSR_OK;
    tsr__recipe recipe = {NULL, {NULL, 0, 0}, NULL, NULL};
    if (!tsr__hdf5_has(file, "recipe") || !tsr__hdf5_has_attribute(file, "recipe", "kind"))
        return TSR_OK;
    TSR_TRY(tsr__hdf5_get_text(&recipe.kind, file, "recipe", "kind"));
    TSR_TRY(read_settings(&recipe.setting, file));
    TSR_TRY(read_matrix(&recipe.dictionary, file, "recipe/dictionary"));
    TSR_TRY(read_matrix(&recipe.weight, file, "recipe/weight"));
    if (recipe.weight != NULL) {
        TSR_TRY(tsr_matrix_check(recipe.weight, TSR_NEED_NON_NEGATIVE, "recipe/weight"));
        if (recipe.weight->samples != 1 || recipe.weight->features != features)
            TSR_FAIL(TSR_ERROR_FORMAT, "/recipe/weight is %lld x %lld in place of 1 x %lld",
                     (long long)recipe.weight->samples, (long long)recipe.weight->features,
                     (long long)features);
    }
    *out = recipe;
    recipe = (tsr__recipe){NULL, {NULL, 0, 0}, NULL, NULL};
done:
    tsr__recipe_clear(&recipe);
    return status;
}

/* Features of the samples that an archive of data (/x) or of a model (/basis) is about. */
static tsr_status count_features(int64_t *out, const tsr__hdf5 *file)
{
    tsr_status status = TSR_OK;
    tsr__variable about;
    int64_t shape[2] = {0, 0};
    const char *name = tsr__hdf5_has(file, "basis") ? "basis" : "x";
    if (!tsr__hdf5_has(file, name))
        TSR_FAIL(TSR_ERROR_FORMAT, "holds neither samples /x nor a model's /basis");
    if (tsr__hdf5_has_attribute(file, name, "shape")) {
        TSR_TRY(tsr__hdf5_get_integers(shape, 2, file, name, "shape"));
    } else {
        TSR_TRY(tsr__hdf5_describe(&about, file, name));
        shape[1] = about.rank == 2 ? about.shape[1] : 0;
    }
    *out = shape[1];
done:
    return status;
}

static tsr_status load(tsr__recipe *recipe, tsr__names *names, const tsr__hdf5 *file)
{
    tsr_status status = TSR_OK;
    int64_t features = 0;
    TSR_TRY(count_features(&features, file));
    TSR_TRY(tsr__recipe_read(recipe, file, features));
    if (recipe->kind == NULL)
        TSR_FAIL(TSR_ERROR_DATA, "has no recipe: its samples were not made by `tessera "
                                 "features`");
    if (tsr__hdf5_has(file, "feature_names"))
        TSR_TRY(tsr__hdf5_read_texts(names, file, "feature_names"));
    if (names->count > 0 && names->count != features)
        TSR_FAIL(TSR_ERROR_FORMAT, "holds %lld names for %lld features",
                 (long long)names->count, (long long)features);
done:
    return status;
}

tsr_status tsr__recipe_load(tsr__recipe *out, tsr__names *feature_names, const char *path)
{
    tsr_status status = TSR_OK;
    tsr__recipe recipe = {NULL, {NULL, 0, 0}, NULL, NULL};
    tsr__names names = {NULL, 0, 0};
    tsr__hdf5 *file = NULL;
    TSR_TRY(tsr__hdf5_open(&file, path, 0));
    status = load(&recipe, &names, file);
    TSR_TRY(tsr__hdf5_close(file, status));
    *out = recipe, *feature_names = names;
    recipe = (tsr__recipe){NULL, {NULL, 0, 0}, NULL, NULL};
    names = (tsr__names){NULL, 0, 0};
done:
    tsr__recipe_clear(&recipe);
    tsr__names_clear(&names);
    return status < 0 ? tsr__fail_in(status, path) : status;
}
