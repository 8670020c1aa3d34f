/* SPDX-License-Identifier: BSD-2-Clause
 *
 * From a recipe and descriptors to a row of the matrix. */
#include "features/histogram.h"

#include "base/settings.h"
#include "io/images.h"

#include <string.h>

static const char *const kept[] = {"vocabulary", "grid", "step",      "patch", "root",
                                   "weigh",      "soft", "normalize", NULL};

const tsr__describer *tsr__describer_find(const char *kind)
{
    static const tsr__describer *const all[] = {&tsr__describer_sift, &tsr__describer_dsift};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i]->kind, kind) == 0)
            return all[i];
    return NULL;
}

int64_t tsr__visual_features(const tsr_features_options *options)
{
    return options->vocabulary * options->grid[0] * options->grid[1];
}

static tsr_status check_recipe(const tsr__recipe *recipe, const tsr_features_options *options)
{
    tsr_status status = TSR_OK;
    const tsr_matrix *words = recipe->dictionary;
    if (words == NULL)
        TSR_FAIL(TSR_ERROR_FORMAT, "the recipe has no dictionary of visual words");
    if (words->features != TSR_DESCRIPTOR || words->type != TSR_FLOAT32 ||
        words->samples != options->vocabulary)
        TSR_FAIL(TSR_ERROR_FORMAT,
                 "the dictionary is %lld x %lld of %s; %lld words of %d float32 expected",
                 (long long)words->samples, (long long)words->features,
                 tsr__type_name(words->type), (long long)options->vocabulary, TSR_DESCRIPTOR);
    if (options->weigh == 2 &&
        (recipe->weight == NULL || recipe->weight->features != tsr__visual_features(options)))
        TSR_FAIL(TSR_ERROR_FORMAT, "the recipe has no weight for each of %lld features",
                 (long long)tsr__visual_features(options));
done:
    return status;
}

/* Settings of a recipe stand; what the caller chose otherwise is a misunderstanding. */
static tsr_status settle_by_recipe(tsr_features_options *options,
                                   const tsr__describer *describer, const tsr__recipe *recipe)
{
    tsr_status status = TSR_OK;
    const tsr_setting *table = tsr_features_settings();
    tsr_features_options made = *options;
    char given[64], held[64];
    TSR_TRY(tsr__recipe_restore(recipe, table, &made, kept));
    for (const char *const *name = kept; *name != NULL; name++) {
        const tsr_setting *row = tsr__settings_find(table, *name);
        (void)tsr__settings_show(given, sizeof given, row, options);
        (void)tsr__settings_show(held, sizeof held, row, &made);
        if (!tsr__settings_is_default(row, options) && strcmp(given, held) != 0)
            TSR_FAIL(TSR_ERROR_ARGUMENT, "--%s %s: the dictionary was made with %s", *name,
                     given, held);
    }
    if (made.vocabulary < 1 || made.grid[0] < 1 || made.step < 1 || made.patch < 1 ||
        made.normalize < 1)
        TSR_FAIL(TSR_ERROR_FORMAT, "the recipe's settings are not settled");
    TSR_TRY(describer->check(&made));
    TSR_TRY(check_recipe(recipe, &made));
    *options = made;
done:
    return status;
}

tsr_status tsr__visual_settle(tsr_features_options *options, const tsr__describer *describer,
                              const tsr__recipe *recipe)
{
    tsr_status status = TSR_OK;
    const tsr_features_options *own = &describer->defaults;
    if (recipe != NULL)
        return settle_by_recipe(options, describer, recipe);
    if (options->vocabulary == 0)
        options->vocabulary = own->vocabulary;
    if (options->grid[0] == 0)
        memcpy(options->grid, own->grid, sizeof own->grid);
    if (options->step == 0)
        options->step = own->step;
    if (options->patch == 0)
        options->patch = own->patch;
    if (options->normalize == 0)
        options->normalize = 1 + TSR_NORM_L2;
    if (options->soft > options->vocabulary)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "--soft %lld exceeds the %lld words",
                 (long long)options->soft, (long long)options->vocabulary);
    if (options->sample < options->vocabulary)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "--sample %lld is less than the %lld words",
                 (long long)options->sample, (long long)options->vocabulary);
    TSR_TRY(describer->check(options));
done:
    return status;
}

tsr_status tsr__visual_record(tsr__recipe *recipe, const tsr__describer *describer,
                              const tsr_features_options *options)
{
    tsr_status status = TSR_OK;
    TSR_NEW_TEXT(recipe->kind, describer->kind);
    TSR_TRY(tsr__recipe_record(recipe, tsr_features_settings(), options, kept));
done:
    return status;
}

tsr_status tsr__picture_describe(tsr__descriptors *out, void **held, const tsr__image *image,
                                 const tsr__describer *describer,
                                 const tsr_features_options *options)
{
    enum { MOST = 1 << 25 };
    if (image->width > MOST / image->height)
        return tsr__fail(TSR_ERROR_UNSUPPORTED,
                         "%lld x %lld pixels are more than descriptors are made of (%d)",
                         (long long)image->width, (long long)image->height, MOST);
    return describer->describe(out, held, image, options);
}

/* The region that a coordinate falls into. */
static int64_t part_of(double at, int64_t size, int64_t parts)
{
    const int64_t part = (int64_t)(at * (double)parts / (double)size);
    return part < 0 ? 0 : part < parts ? part : parts - 1;
}

tsr_status tsr__histogram_count(double *row, int64_t *feature, const tsr__lookup *lookup,
                                const tsr__descriptors *from,
                                const tsr_features_options *options)
{
    tsr_status status = TSR_OK;
    const int64_t *grid = options->grid, soft = lookup->soft;
    int32_t *word = NULL;
    float *share = NULL;
    memset(row, 0, (size_t)tsr__visual_features(options) * sizeof *row);
    TSR_NEW(word, from->count * soft);
    TSR_NEW(share, from->count * soft);
    TSR_TRY(tsr__lookup_words(word, share, lookup, from));
    for (int64_t i = 0; i < from->count; i++) {
        const int64_t down = part_of((double)from->spot[i].y, from->height, grid[1]);
        const int64_t across = part_of((double)from->spot[i].x, from->width, grid[0]);
        const int64_t region = (down * grid[0] + across) * lookup->words;
        for (int64_t s = 0; s < soft; s++)
            row[region + word[i * soft + s]] += (double)share[i * soft + s];
        if (feature != NULL)
            feature[i] = region + word[i * soft];
    }
done:
    tsr__free(word);
    tsr__free(share);
    return status;
}

void tsr__histograms_finish(tsr_matrix *x, const tsr_matrix *weight,
                            const tsr_features_options *options)
{
    double *value = x->values;
    for (int64_t i = 0; options->weigh != 0 && i < x->samples; i++)
        for (int64_t j = 0; j < x->features; j++) {
            const double v = value[i * x->stride + j];
            value[i * x->stride + j] =
                options->weigh == 1 ? v > 0 : v * tsr_matrix_at(weight, 0, j);
        }
    (void)tsr_matrix_normalize(x, (tsr_norm)(options->normalize - 1)); /* no view */
}

/* The picture and its descriptors. */
static tsr_status look(tsr__view *view, const tsr__describer *describer, const char *path,
                       const tsr_features_options *options)
{
    tsr_status status = TSR_OK;
    void *held = NULL;
    TSR_TRY(tsr__image_load(&view->image, "", path, options->expand, TSR_VISUAL_EACH));
    TSR_TRY(tsr__picture_describe(&view->found, &held, &view->image, describer, options));
done:
    describer->close(held);
    return status < 0 ? tsr__fail_in(status, path) : status;
}

tsr_status tsr__view_make(tsr__view *out, const tsr__recipe *recipe, const char *path)
{
    tsr_status status = TSR_OK;
    tsr__view view = {.feature = NULL};
    tsr__lookup lookup = {.square = NULL};
    tsr_features_options options;
    tsr_matrix *x = NULL;
    const tsr__describer *describer =
        recipe->kind != NULL ? tsr__describer_find(recipe->kind) : NULL;
    if (describer == NULL)
        TSR_FAIL(TSR_ERROR_DATA, "the model's features are no visual words but %s",
                 recipe->kind != NULL ? recipe->kind : "of unknown origin");
    tsr_settings_default(tsr_features_settings(), &options);
    TSR_TRY(tsr__visual_settle(&options, describer, recipe));
    TSR_TRY(look(&view, describer, path, &options));
    TSR_TRY(tsr__lookup_open(&lookup, recipe->dictionary, &options));
    TSR_TRY(tsr_matrix_create(&x, 1, tsr__visual_features(&options), TSR_FLOAT64));
    TSR_NEW(view.feature, view.found.count);
    TSR_TRY(tsr__histogram_count(x->values, view.feature, &lookup, &view.found, &options));
    tsr__histograms_finish(x, recipe->weight, &options);
    TSR_TRY(tsr_data_take(&view.sample, x, NULL));
    x = NULL;
    *out = view;
    view = (tsr__view){.feature = NULL};
done:
    tsr__lookup_close(&lookup);
    tsr_matrix_free(x);
    tsr__view_clear(&view);
    return status;
}

void tsr__view_clear(tsr__view *view)
{
    tsr__image_free(&view->image);
    tsr__descriptors_free(&view->found);
    tsr__free(view->feature);
    tsr_data_free(view->sample);
    *view = (tsr__view){.feature = NULL};
}
