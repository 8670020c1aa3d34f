/* SPDX-License-Identifier: BSD-2-Clause
 *
 * THE TABLE OF TABLES: options by name, for whoever has no struct, and results described alike.
 *
 * Options are the struct of a table with the texts that it points at. A new struct of options or
 * results is a row here; bindings then know it by its name. tools/abi.txt holds the layouts that
 * TSR_STRUCTS counts (tests/test_abi.c). */
#include "base/memory.h"
#include "base/settings.h"

#include <stdio.h>
#include <string.h>

static const struct table {
    const char *name;
    const tsr_setting *(*settings)(void);
    size_t size;
} tables[] = {
    {"read", tsr_read_settings, sizeof(tsr_read_options)},
    {"features", tsr_features_settings, sizeof(tsr_features_options)},
    {"fit", tsr_fit_settings, sizeof(tsr_fit_options)},
    {"transform", tsr_transform_settings, sizeof(tsr_transform_options)},
    {"cluster", tsr_cluster_settings, sizeof(tsr_cluster_options)},
    {"validate", tsr_validate_settings, sizeof(tsr_validate_options)},
    {"select", tsr_select_settings, sizeof(tsr_select_options)},
    {"overlay", tsr_overlay_settings, sizeof(tsr_overlay_options)},
    {"experiment", tsr_experiment_settings, sizeof(tsr_experiment_options)},
    {"page", tsr_page_settings, sizeof(tsr_page_options)},
};
enum { TABLES = sizeof tables / sizeof *tables };

static const struct table *find(const char *name)
{
    for (int i = 0; name != NULL && i < TABLES; i++)
        if (strcmp(tables[i].name, name) == 0)
            return &tables[i];
    return NULL;
}

const tsr_setting *tsr_options_table(const char *name)
{
    const struct table *table = find(name);
    return table != NULL ? table->settings() : NULL;
}

const char *tsr_options_name(int64_t i)
{
    return i >= 0 && i < TABLES ? tables[i].name : NULL;
}

struct tsr_options {
    const struct table *table;
    int64_t rows;
    void *values;
    char **text;  /* of each row: what its member points at, or NULL */
    char **shown; /* of each row: what was last asked for, or NULL */
};

tsr_status tsr_options_create(tsr_options **out, const char *name)
{
    TSR_REQUIRE(out);
    TSR_REQUIRE_TEXT(name);
    tsr_status status = TSR_OK;
    tsr_options *made = NULL;
    const struct table *table = find(name);
    if (table == NULL)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "there are no options '%s'", name);
    TSR_NEW_ZERO(made, 1);
    made->table = table;
    while (table->settings()[made->rows].name != NULL)
        made->rows++;
    made->values = tsr__alloc_zero(1, table->size);
    if (made->values == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    TSR_NEW_ZERO(made->text, made->rows);
    TSR_NEW_ZERO(made->shown, made->rows);
    tsr_settings_default(table->settings(), made->values);
    *out = made, made = NULL;
done:
    tsr_options_free(made);
    return status;
}

void tsr_options_free(tsr_options *object)
{
    if (object == NULL)
        return;
    for (int64_t i = 0; i < object->rows; i++) {
        if (object->text != NULL)
            tsr__free(object->text[i]);
        if (object->shown != NULL)
            tsr__free(object->shown[i]);
    }
    tsr__free(object->text);
    tsr__free(object->shown);
    tsr__free(object->values);
    tsr__free(object);
}

/* A row by its name, or an error that names the nearest. */
static tsr_status find_row(const tsr_setting **out, const tsr_options *object, const char *name)
{
    const tsr_setting *table = object->table->settings();
    *out = tsr__settings_row(table, name);
    if (*out != NULL)
        return TSR_OK;
    const char *nearest = tsr__settings_nearest(table, name);
    return tsr__fail(TSR_ERROR_ARGUMENT, "%s has no setting '%s'%s%s%s", object->table->name,
                     name, nearest != NULL ? "; did you mean '" : "",
                     nearest != NULL ? nearest : "", nearest != NULL ? "'?" : "");
}

/* The struct points at a copy. The value is tried before the one it takes the place of goes. An
 * empty text is none, as it is shown, where none is the default. */
tsr_status tsr_options_set(tsr_options *object, const char *name, const char *value)
{
    TSR_REQUIRE(object, value);
    TSR_REQUIRE_TEXT(name);
    tsr_status status = TSR_OK;
    const tsr_setting *row = NULL, *table = object->table->settings();
    char *copy = NULL;
    TSR_TRY(find_row(&row, object, name));
    TSR_NEW_TEXT(copy, value);
    TSR_TRY(tsr_settings_set(table, object->values, name, copy));
    if (row->kind == TSR_SETTING_TEXT) {
        if (*value == '\0' && row->fallback == NULL)
            *(const char **)((char *)object->values + row->offset) = NULL;
        char **held = &object->text[row - table], *before = *held;
        *held = copy;
        copy = before;
    }
done:
    tsr__free(copy);
    return status;
}

tsr_status tsr_options_give(tsr_options *object, const char *name, const void *given)
{
    TSR_REQUIRE(object);
    TSR_REQUIRE_TEXT(name);
    const tsr_setting *row = NULL;
    TSR_OR_RETURN(find_row(&row, object, name));
    if (row->kind != TSR_SETTING_OBJECT)
        return tsr__fail(TSR_ERROR_ARGUMENT, "'%s' is set by a text, not given from memory",
                         name);
    *(const void **)((char *)object->values + row->offset) = given;
    return TSR_OK;
}

const char *tsr_options_get(tsr_options *object, const char *name)
{
    const tsr_setting *row = NULL;
    char value[64];
    if (object == NULL || name == NULL || find_row(&row, object, name) < 0)
        return NULL;
    char **shown = &object->shown[row - object->table->settings()];
    const void *at = (const char *)object->values + row->offset;
    const char *text = row->kind == TSR_SETTING_TEXT ? *(const char *const *)at : NULL;
    char *fresh = tsr__copy_text(
        text != NULL ? text /* of any length */
                     : tsr__settings_show(value, sizeof value, row, object->values));
    if (fresh == NULL)
        return NULL;
    tsr__free(*shown);
    *shown = fresh;
    return fresh;
}

const void *tsr_options_values(const tsr_options *object)
{
    return object != NULL ? object->values : NULL;
}

/* Results --------------------------------------------------------------------------------- */

/* clang-format off */
#define ROW(member, kind) TSR_FIELD_ROW(OF, member, kind, NULL)
#define OF tsr_step
static const tsr_setting step[] = {
    ROW(task, TEXT), ROW(done, INTEGER), ROW(total, INTEGER), ROW(seconds, REAL),
    ROW(objective, REAL), ROW(change, REAL), ROW(note, TEXT), TSR_END_ROW};
#undef OF
#define OF tsr_scan
static const tsr_setting scan[] = {
    ROW(minimum, REAL), ROW(maximum, REAL), ROW(nonzeros, INTEGER), ROW(not_finite, INTEGER),
    ROW(first_not_finite, PAIR), ROW(infinite, INTEGER), ROW(negative, INTEGER),
    ROW(first_negative, PAIR), ROW(empty_samples, INTEGER), ROW(first_empty_sample, INTEGER),
    ROW(empty_features, INTEGER), ROW(first_empty_feature, INTEGER), ROW(unit_samples, FLAG),
    TSR_END_ROW};
#undef OF
#define OF tsr_format_info
static const tsr_setting format[] = {
    ROW(name, TEXT), ROW(extensions, TEXT), ROW(written, FLAG), ROW(labels, FLAG),
    ROW(folder, FLAG), TSR_END_ROW};
#undef OF
#define OF tsr_model_info
static const tsr_setting model[] = {
    ROW(name, TEXT), ROW(title, TEXT), ROW(loss, TEXT), ROW(basis, TEXT), ROW(codes, TEXT),
    ROW(uses, TEXT), ROW(source, TEXT), ROW(objective, NOTE), ROW(blocks, FLAG),
    ROW(whole, FLAG), ROW(labels, FLAG), ROW(joined, FLAG), ROW(signs, FLAG), ROW(online, FLAG), TSR_END_ROW};
#undef OF
#define OF tsr_fit_report
static const tsr_setting report[] = {
    ROW(model, TEXT), ROW(loss, TEXT), ROW(samples, INTEGER), ROW(features, INTEGER),
    ROW(rank, INTEGER), ROW(iterations, INTEGER), ROW(converged, FLAG), ROW(objective, REAL),
    ROW(data_loss, REAL), ROW(relative_error, REAL), ROW(optimality, REAL), ROW(seconds, REAL),
    ROW(spread, REAL), ROW(seed, INTEGER), ROW(rho, REAL), TSR_END_ROW};
#undef OF
#define OF tsr_judgement
static const tsr_setting judgement[] = {
    ROW(judged, INTEGER), ROW(accuracy, REAL), ROW(note, NOTE), TSR_END_ROW};
#undef OF
#define OF tsr_scores
static const tsr_setting scores[] = {
    ROW(accuracy, REAL), ROW(nmi, REAL), ROW(nmi_arithmetic, REAL), ROW(ari, REAL),
    ROW(purity, REAL), TSR_END_ROW};
#undef OF
#define OF tsr_validation_report
static const tsr_setting validation[] = {
    ROW(folds, INTEGER), ROW(classes, INTEGER), ROW(accuracy, REAL), ROW(deviation, REAL),
    ROW(strangers, INTEGER), TSR_END_ROW};
#undef OF
#define OF tsr_selection_report
static const tsr_setting selection[] = {
    ROW(by_labels, FLAG), ROW(judged, INTEGER), ROW(candidates, INTEGER), ROW(models, INTEGER),
    ROW(folds, INTEGER), ROW(repeats, INTEGER), ROW(weight, TEXT), ROW(note, NOTE), TSR_END_ROW};
#undef OF
#define OF tsr_candidate
static const tsr_setting candidate[] = {
    ROW(model, TEXT), ROW(term, TEXT), ROW(rank, INTEGER), ROW(weight, REAL), ROW(mean, REAL),
    ROW(deviation, REAL), ROW(error, REAL), ROW(nmi, REAL), ROW(nmi_error, REAL),
    ROW(stability, REAL), ROW(seconds, REAL), ROW(best, FLAG), ROW(chosen, FLAG),
    ROW(baseline, FLAG), ROW(added, FLAG), ROW(note, NOTE), TSR_END_ROW};
#undef OF
#define OF tsr_term
static const tsr_setting term[] = {ROW(feature, INTEGER), ROW(weight, REAL), TSR_END_ROW};
#undef OF
#define OF tsr_part
static const tsr_setting part[] = {
    ROW(vector, INTEGER), ROW(code, REAL), ROW(share, REAL), TSR_END_ROW};
#undef OF
#define OF tsr_overlay_report
static const tsr_setting overlay[] = {
    ROW(height, INTEGER), ROW(width, INTEGER), ROW(vectors, INTEGER), ROW(patches, INTEGER),
    ROW(threshold, REAL), TSR_END_ROW};
#undef OF
/* clang-format on */

static const struct result {
    const char *name;
    const tsr_setting *table;
    size_t size;
} results[] = {
    {"step", step, sizeof(tsr_step)},
    {"scan", scan, sizeof(tsr_scan)},
    {"format", format, sizeof(tsr_format_info)},
    {"model", model, sizeof(tsr_model_info)},
    {"report", report, sizeof(tsr_fit_report)},
    {"judgement", judgement, sizeof(tsr_judgement)},
    {"scores", scores, sizeof(tsr_scores)},
    {"validation", validation, sizeof(tsr_validation_report)},
    {"selection", selection, sizeof(tsr_selection_report)},
    {"candidate", candidate, sizeof(tsr_candidate)},
    {"term", term, sizeof(tsr_term)},
    {"part", part, sizeof(tsr_part)},
    {"overlay", overlay, sizeof(tsr_overlay_report)},
};

const tsr_setting *tsr_result_table(size_t *size, const char *name)
{
    for (size_t i = 0; size != NULL && name != NULL && i < sizeof results / sizeof *results;
         i++) {
        if (strcmp(results[i].name, name) != 0)
            continue;
        *size = results[i].size;
        return results[i].table;
    }
    return NULL;
}

int64_t tsr_structs(void)
{
    return TSR_STRUCTS;
}
