/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Data: samples with what is known of them. */
#include "io/recipe.h"
#include "matrix/picked.h"
#include "matrix/store.h"

#include <stdio.h>
#include <string.h>

tsr_status tsr_data_take(tsr_data **out, tsr_matrix *samples, tsr_labels *labels)
{
    TSR_REQUIRE(out, samples);
    if (labels != NULL && labels->count != samples->samples)
        return tsr__fail(TSR_ERROR_ARGUMENT, "%lld labels for %lld samples",
                         (long long)labels->count, (long long)samples->samples);
    tsr_data *data = tsr__alloc_zero(1, sizeof *data);
    if (data == NULL)
        return TSR_ERROR_MEMORY;
    data->x = samples;
    data->labels = labels;
    data->format = "memory";
    (void)snprintf(data->dtype, sizeof data->dtype, "%s", tsr__type_name(samples->type));
    *out = data;
    return TSR_OK;
}

static tsr_status copy_names(tsr__names *out, const tsr__names *names, const int64_t *item,
                             int64_t count)
{
    tsr_status status = TSR_OK;
    for (int64_t i = 0; names->count > 0 && i < count; i++)
        TSR_TRY(tsr__names_add(out, names->name[item != NULL ? item[i] : i]));
done:
    return status;
}

static tsr_status copy_all_names(tsr__names *out, const tsr__names *names)
{
    return copy_names(out, names, NULL, names->count);
}

/* New names in place of the old, which stay where the new ones cannot be had. */
static tsr_status take_names(tsr__names *to, const char *const *name, int64_t count,
                             int64_t wanted, const char *what)
{
    tsr_status status = TSR_OK;
    tsr__names fresh = {0};
    if (name != NULL && count != wanted)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "%lld names of %lld %s", (long long)count,
                 (long long)wanted, what);
    for (int64_t i = 0; name != NULL && i < count; i++) {
        if (name[i] == NULL)
            TSR_FAIL(TSR_ERROR_ARGUMENT, "name %lld of the %s is NULL", (long long)i, what);
        TSR_TRY(tsr__names_add(&fresh, name[i]));
    }
    tsr__names_clear(to);
    *to = fresh;
    fresh = (tsr__names){0};
done:
    tsr__names_clear(&fresh);
    return status;
}

tsr_status tsr_data_name_samples(tsr_data *data, const char *const *name, int64_t count)
{
    TSR_REQUIRE(data);
    return take_names(&data->sample_names, name, count, data->x->samples, "samples");
}

tsr_status tsr_data_name_features(tsr_data *data, const char *const *name, int64_t count)
{
    TSR_REQUIRE(data);
    return take_names(&data->feature_names, name, count, data->x->features, "features");
}

tsr_status tsr_data_name_origin(tsr_data *data, const char *name)
{
    TSR_REQUIRE(data);
    if (name != NULL)
        TSR_REQUIRE_TEXT(name);
    char *copy = name != NULL ? tsr__copy_text(name) : NULL;
    if (name != NULL && copy == NULL)
        return TSR_ERROR_MEMORY;
    tsr__free(data->origin);
    data->origin = copy;
    return TSR_OK;
}

tsr_status tsr_data_set_team(tsr_data *data, tsr_team *team)
{
    TSR_REQUIRE(data);
    data->team = team;
    return TSR_OK;
}

/* Where they came from and how they were made. */
static tsr_status copy_origin(tsr_data *copy, const tsr_data *data)
{
    tsr_status status = TSR_OK;
    TSR_TRY(tsr__recipe_copy(&copy->recipe, &data->recipe));
    if (data->origin != NULL)
        TSR_NEW_TEXT(copy->origin, data->origin);
    copy->format = data->format;
    memcpy(copy->dtype, data->dtype, sizeof copy->dtype);
done:
    return status;
}

/* Around samples, which are taken over, what is known of those that were chosen. */
static tsr_status copy_rest(tsr_data **out, tsr_matrix *x, const tsr_data *data,
                            const int64_t *sample, int64_t count)
{
    tsr_status status = TSR_OK;
    tsr_data *copy = NULL;
    TSR_NEW_ZERO(copy, 1);
    copy->memory = data->memory;
    copy->team = data->team;
    if (data->labels != NULL)
        TSR_TRY(tsr_labels_copy_samples(&copy->labels, data->labels, sample, count));
    TSR_TRY(copy_names(&copy->sample_names, &data->sample_names, sample, count));
    TSR_TRY(copy_all_names(&copy->feature_names, &data->feature_names));
    TSR_TRY(copy_origin(copy, data));
    copy->x = x;
    *out = copy, copy = NULL;
done:
    tsr_data_free(copy);
    return status;
}

tsr_status tsr_data_copy_samples(tsr_data **out, const tsr_data *data, const int64_t *sample,
                                 int64_t count)
{
    TSR_REQUIRE(out, data);
    tsr_status status = TSR_OK;
    tsr_matrix *x = NULL;
    TSR_TRY(tsr_matrix_copy_samples(&x, data->x, sample, count));
    TSR_TRY(copy_rest(out, x, data, sample, count));
    x = NULL;
done:
    tsr_matrix_free(x);
    return status;
}

static double bytes_of(const tsr_matrix *x)
{
    const size_t each = tsr__type_size(x->type) + (x->sparse ? sizeof *x->columns : 0);
    return (double)tsr_matrix_stored(x) * (double)each;
}

tsr_status tsr__data_some(tsr_data **out, const tsr_data *data, const int64_t *sample,
                          int64_t count)
{
    tsr_status status = TSR_OK;
    tsr_matrix *x = NULL;
    TSR_TRY(tsr__matrix_picked(&x, data->x, sample, count));
    if (!tsr__matrix_is_stored(data->x) ||
        (data->memory > 0 && tsr__memory_holds(data->memory, bytes_of(x)))) {
        tsr_matrix_free(x);
        x = NULL;
        TSR_TRY(tsr_matrix_copy_samples(&x, data->x, sample, count));
    }
    TSR_TRY(copy_rest(out, x, data, sample, count));
    x = NULL;
done:
    tsr_matrix_free(x);
    return status;
}

tsr_status tsr_data_copy_as(tsr_data **out, const tsr_data *data, tsr_type type, bool sparse)
{
    TSR_REQUIRE(out, data);
    tsr_status status = TSR_OK;
    tsr_data *copy = NULL;
    TSR_NEW_ZERO(copy, 1);
    TSR_TRY((tsr__matrix_is_stored(data->x) ? tsr__matrix_recast : tsr_matrix_copy_as)(
        &copy->x, data->x, type, sparse));
    copy->memory = data->memory;
    copy->team = data->team;
    if (data->labels != NULL)
        TSR_TRY(
            tsr_labels_copy_samples(&copy->labels, data->labels, NULL, data->labels->count));
    TSR_TRY(copy_all_names(&copy->sample_names, &data->sample_names));
    TSR_TRY(copy_all_names(&copy->feature_names, &data->feature_names));
    TSR_TRY(copy_all_names(&copy->notes, &data->notes));
    TSR_TRY(copy_origin(copy, data));
    *out = copy, copy = NULL;
done:
    tsr_data_free(copy);
    return status;
}

tsr_status tsr_data_copy_transposed(tsr_data **out, const tsr_data *data)
{
    TSR_REQUIRE(out, data);
    tsr_status status = TSR_OK;
    tsr_data *copy = NULL;
    TSR_NEW_ZERO(copy, 1);
    TSR_TRY(tsr_matrix_copy_transposed(&copy->x, data->x));
    TSR_TRY(copy_all_names(&copy->sample_names, &data->feature_names));
    TSR_TRY(copy_all_names(&copy->feature_names, &data->sample_names));
    TSR_TRY(copy_all_names(&copy->notes, &data->notes));
    TSR_TRY(copy_origin(copy, data));
    *out = copy, copy = NULL;
done:
    tsr_data_free(copy);
    return status;
}

void tsr_data_free(tsr_data *data)
{
    if (data == NULL)
        return;
    tsr_matrix_free(data->x);
    tsr_labels_free(data->labels);
    tsr__names_clear(&data->sample_names);
    tsr__names_clear(&data->feature_names);
    tsr__names_clear(&data->notes);
    tsr__recipe_clear(&data->recipe);
    tsr__free(data->origin);
    tsr__free(data);
}

tsr_matrix *tsr_data_samples(const tsr_data *data)
{
    return data != NULL ? data->x : NULL;
}

const tsr_labels *tsr_data_labels(const tsr_data *data)
{
    return data != NULL ? data->labels : NULL;
}

const char *tsr_data_format(const tsr_data *data)
{
    return data != NULL ? data->format : NULL;
}

const char *tsr_data_dtype(const tsr_data *data)
{
    return data != NULL ? data->dtype : NULL;
}

const char *tsr_data_origin(const tsr_data *data)
{
    if (data == NULL)
        return NULL;
    return data->origin != NULL ? data->origin : "memory";
}

static const char *name_at(const tsr__names *names, int64_t i)
{
    return i >= 0 && i < names->count ? names->name[i] : NULL;
}

const char *tsr_data_sample_name(const tsr_data *data, int64_t i)
{
    return data != NULL ? name_at(&data->sample_names, i) : NULL;
}

const char *tsr_data_feature_name(const tsr_data *data, int64_t j)
{
    return data != NULL ? name_at(&data->feature_names, j) : NULL;
}

int64_t tsr_data_notes(const tsr_data *data)
{
    return data != NULL ? data->notes.count : 0;
}

const char *tsr_data_note(const tsr_data *data, int64_t i)
{
    return data != NULL ? name_at(&data->notes, i) : NULL;
}

const char *tsr_data_kind(const tsr_data *data)
{
    return data != NULL ? data->recipe.kind : NULL;
}

const tsr_matrix *tsr_data_dictionary(const tsr_data *data)
{
    return data != NULL ? data->recipe.dictionary : NULL;
}
