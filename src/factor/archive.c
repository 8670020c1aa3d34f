/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The model archive, HDF5, plain arrays for any reader (doc/file-format.md). Its parts and numbers
 * are the rows of parts.c; beside them it has
 *
 *     attributes    format and parts (below), tessera (version), kind = "model", model, loss, data,
 *                   setting.NAME for every setting, term.NAME for every term of J
 *     of /basis     image_height, image_width, image_order
 *     /recipe       how the samples were made (io/recipe.h)
 *
 * and behind its end a seal (io/seal.h). `parts` names the parts that were written: none of them may
 * be missing. Format 1 had neither that nor a seal, and texts of variable length.
 *
 * An archive is untrusted input. Nothing is read before its type and shape were compared with
 * what the numbers of the model say, nothing is written that could not be read again, and
 * tests/test_damage.c walks the same tables to damage every part. Cost: O(values), and as much
 * memory as the model. */
#include "factor/parts.h"
#include "factor/solver.h"

#include "base/settings.h"
#include "base/text.h"
#include "io/file.h"
#include "io/recipe.h"
#include "io/seal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* FORMAT is the newest that is read, and the only one that is written. The names of all parts
 * together take less than half of PARTS_SIZE. */
enum { FORMAT = 2, PARTS_SIZE = 1024 };

/* Writing --------------------------------------------------------------------------------- */

/* Settings are kept as texts, as the user would give them: an archive says how to repeat the
 * fit, and rows that later versions add to the table do not move those that are there. */
static tsr_status put_settings(tsr__hdf5 *file, const tsr_model *model)
{
    tsr_status status = TSR_OK;
    const tsr_setting *table = tsr_fit_settings();
    char name[96];
    for (int64_t i = 0; i < model->setting.count; i++) {
        if (!tsr__setting_is_said(&table[i]) && *model->setting.name[i] == '\0')
            continue; /* nothing was given */
        (void)snprintf(name, sizeof name, "setting.%s", table[i].name);
        TSR_TRY(tsr__hdf5_set_text(file, "", name, model->setting.name[i]));
    }
done:
    return status;
}

/* The picture's shape belongs to the basis, whose rows are what is looked at as pictures. */
static tsr_status put_image(tsr__hdf5 *file, const tsr_image_shape *image)
{
    tsr_status status = TSR_OK;
    if (image->height == 0)
        return TSR_OK;
    TSR_TRY(tsr__hdf5_set_integers(file, "basis", "image_height", &image->height, 1));
    TSR_TRY(tsr__hdf5_set_integers(file, "basis", "image_width", &image->width, 1));
    TSR_TRY(tsr__hdf5_set_text(file, "basis", "image_order",
                               image->order == TSR_COLUMN_ORDER ? "column" : "row"));
done:
    return status;
}

/* Flags are integers in the file: HDF5 has no truth values that all readers agree on. */
static tsr_status put_number(tsr__hdf5 *file, const tsr__number *row, const tsr_model *model)
{
    const void *from = (const char *)model + row->offset;
    const int64_t integer = row->kind == TSR_NUMBER_INTEGER ? *(const int64_t *)from
                            : row->kind == TSR_NUMBER_FLAG  ? *(const bool *)from
                                                            : 0;
    return row->kind == TSR_NUMBER_REAL
               ? tsr__hdf5_set_reals(file, row->group, row->name, from, 1)
               : tsr__hdf5_set_integers(file, row->group, row->name, &integer, 1);
}

/* Numbers of the state are attributes of its group, which is there only with a state. */
static tsr_status put_numbers(tsr__hdf5 *file, const tsr_model *model)
{
    tsr_status status = TSR_OK;
    for (const tsr__number *row = tsr__numbers; row->name != NULL; row++)
        if (*row->group == '\0' || model->state.known)
            TSR_TRY(put_number(file, row, model));
done:
    return status;
}

static tsr_status put_terms(tsr__hdf5 *file, const tsr_model *model)
{
    tsr_status status = TSR_OK;
    char attribute[64];
    const char *name;
    double value;
    for (int64_t i = 0; tsr_model_term(&name, &value, model, i); i++) {
        (void)snprintf(attribute, sizeof attribute, "term.%s", name);
        TSR_TRY(tsr__hdf5_set_reals(file, "", attribute, &value, 1));
    }
done:
    return status;
}

/* All that is there, and the list of it. The list is what tells a part that was lost from one
 * that the model never had: most parts are optional, and a reader could not miss them. */
static tsr_status put_parts(tsr__hdf5 *file, const tsr_model *model)
{
    tsr_status status = TSR_OK;
    char list[PARTS_SIZE] = "";
    tsr__line line = TSR_LINE(list);
    for (const tsr__part *part = tsr__parts; part->name != NULL; part++) {
        if (!part->kind->is_there(part, model))
            continue;
        TSR_TRY(part->kind->put(file, part, model));
        tsr__line_add(&line, "%s%s", line.used > 0 ? " " : "", part->name);
    }
    if (model->recipe.dictionary != NULL)
        tsr__line_add(&line, " recipe/dictionary");
    if (model->recipe.weight != NULL)
        tsr__line_add(&line, " recipe/weight");
    TSR_TRY(tsr__hdf5_set_text(file, "", "parts", list));
done:
    return status;
}

/* The group of the state is made before the parts, some of which are in it. */
static tsr_status put_all(tsr__hdf5 *file, const tsr_model *model)
{
    tsr_status status = TSR_OK;
    const int64_t format = FORMAT;
    TSR_TRY(tsr__hdf5_set_integers(file, "", "format", &format, 1));
    TSR_TRY(tsr__hdf5_set_text(file, "", "tessera", tsr_version()));
    TSR_TRY(tsr__hdf5_set_text(file, "", "kind", "model"));
    TSR_TRY(tsr__hdf5_set_text(file, "", "model", model->report.model));
    TSR_TRY(tsr__hdf5_set_text(file, "", "loss", model->report.loss));
    TSR_TRY(tsr__hdf5_set_text(file, "", "data", model->origin != NULL ? model->origin : ""));
    if (model->state.known)
        TSR_TRY(tsr__hdf5_make_group(file, "state"));
    TSR_TRY(put_parts(file, model));
    TSR_TRY(put_numbers(file, model));
    TSR_TRY(put_terms(file, model));
    TSR_TRY(put_settings(file, model));
    TSR_TRY(put_image(file, &model->basis->image));
    TSR_TRY(tsr__recipe_write(file, &model->recipe));
done:
    return status;
}

tsr_status tsr_model_write(const tsr_model *model, const char *path)
{
    TSR_REQUIRE(model);
    TSR_REQUIRE_TEXT(path);
    tsr_status status = TSR_OK;
    tsr__output output = {NULL, NULL, 0};
    tsr__hdf5 *file = NULL;
    tsr__spec spec;
    /* What could not be read again is not written. */
    TSR_TRY(tsr__spec_make(&spec, &model->options));
    TSR_TRY(tsr__numbers_check(model));
    TSR_TRY(tsr__parts_check(model, &spec));
    TSR_TRY(tsr__output_begin(&output, path, false));
    TSR_TRY(tsr__hdf5_create(&file, output.temporary));
    /* The file is closed whatever happened, and sealed only when it is complete: the seal
     * covers the bytes as they are on disk. The rename comes last, so that the path holds
     * either the file that was there or a whole one. */
    status = put_all(file, model);
    TSR_TRY(tsr__hdf5_close(file, status));
    TSR_TRY(tsr__seal_put(output.temporary));
    TSR_TRY(tsr__output_commit(&output));
done:
    tsr__output_abandon(&output);
    return status < 0 ? tsr__fail_in(status, path) : status;
}

/* Reading --------------------------------------------------------------------------------- */

/* Walks today's table and not the file's attributes: a setting that this version does not know
 * is ignored, one that the file does not have gets a value. The texts have to be complete
 * before tsr__model_restore, which points the options at them. */
static tsr_status get_settings(tsr_model *model, const tsr__hdf5 *file)
{
    tsr_status status = TSR_OK;
    char name[96], shown[256], *value = NULL;
    for (const tsr_setting *row = tsr_fit_settings(); row->name != NULL; row++) {
        (void)snprintf(name, sizeof name, "setting.%s", row->name);
        if (tsr__hdf5_has_attribute(file, "", name)) {
            TSR_TRY(tsr__hdf5_get_text(&value, file, "", name));
            TSR_TRY(tsr__names_add(&model->setting, value));
            tsr__free(value);
            value = NULL;
        } else { /* an older archive: the setting had no other value than today's default, */
            tsr_fit_options defaults;
            tsr_fit_defaults(&defaults);
            defaults.weight_unit = 2; /* but for this one: weights were as they are */
            TSR_TRY(tsr__names_add(&model->setting,
                                   tsr__settings_show(shown, sizeof shown, row, &defaults)));
        }
    }
    TSR_TRY(tsr__model_restore(model));
done:
    tsr__free(value);
    return status;
}

/* Any other word for the order than "column" is the row order, the default of pictures. Sizes
 * that do not make up the features are refused by tsr_matrix_set_image. */
static tsr_status get_image(tsr_matrix *basis, const tsr__hdf5 *file)
{
    tsr_status status = TSR_OK;
    tsr_image_shape image = {0, 0, TSR_ROW_ORDER};
    char *order = NULL;
    if (!tsr__hdf5_has_attribute(file, "basis", "image_height"))
        return TSR_OK;
    TSR_TRY(tsr__hdf5_get_integers(&image.height, 1, file, "basis", "image_height"));
    TSR_TRY(tsr__hdf5_get_integers(&image.width, 1, file, "basis", "image_width"));
    TSR_TRY(tsr__hdf5_get_text(&order, file, "basis", "image_order"));
    image.order = strcmp(order, "column") == 0 ? TSR_COLUMN_ORDER : TSR_ROW_ORDER;
    TSR_TRY(tsr_matrix_set_image(basis, image));
done:
    tsr__free(order);
    return status;
}

/* The format of the archive; fails where it is none that this version knows. An archive without
 * the attribute is of format 1. A later format is refused and not tried: what it means by the
 * same names may differ. */
static tsr_status get_format(int64_t *out, const tsr__hdf5 *file)
{
    tsr_status status = TSR_OK;
    char *kind = NULL;
    int64_t format = 1;
    if (!tsr__hdf5_has_attribute(file, "", "kind"))
        TSR_FAIL(TSR_ERROR_FORMAT, "is an HDF5 file, but no model: `tessera fit` writes one");
    TSR_TRY(tsr__hdf5_get_text(&kind, file, "", "kind"));
    if (strcmp(kind, "model") != 0)
        TSR_FAIL(TSR_ERROR_FORMAT, "is an archive of kind '%.40s' and no model", kind);
    if (tsr__hdf5_has_attribute(file, "", "format"))
        TSR_TRY(tsr__hdf5_get_integers(&format, 1, file, "", "format"));
    if (format < 1 || format > FORMAT)
        TSR_FAIL(TSR_ERROR_UNSUPPORTED,
                 "is of format %lld; this version of Tessera reads 1 to %d", (long long)format,
                 FORMAT);
    *out = format;
done:
    tsr__free(kind);
    return status;
}

/* A flag that is neither 0 nor 1 is damage, and no truth to be guessed at. */
static tsr_status get_number(tsr_model *model, const tsr__number *row, const tsr__hdf5 *file)
{
    tsr_status status = TSR_OK;
    void *to = (char *)model + row->offset;
    int64_t integer = 0;
    if (row->kind == TSR_NUMBER_REAL)
        return tsr__hdf5_get_reals(to, 1, file, row->group, row->name);
    TSR_TRY(tsr__hdf5_get_integers(&integer, 1, file, row->group, row->name));
    if (row->kind == TSR_NUMBER_INTEGER)
        *(int64_t *)to = integer;
    else if (integer == 0 || integer == 1)
        *(bool *)to = integer != 0;
    else
        TSR_FAIL(TSR_ERROR_FORMAT, "%s is %lld, neither 0 nor 1", row->name,
                 (long long)integer);
done:
    return status;
}

/* A number that the first archives did not have keeps the zero of the fresh model; in format 2
 * each of them is required. The ranges are checked here, before the numbers become sizes. */
static tsr_status get_numbers(tsr_model *model, const tsr__hdf5 *file, int64_t format)
{
    tsr_status status = TSR_OK;
    model->state.known = tsr__hdf5_has(file, "state");
    for (const tsr__number *row = tsr__numbers; row->name != NULL; row++) {
        const bool spared =
            row->later && format == 1 && !tsr__hdf5_has_attribute(file, row->group, row->name);
        if (!spared && (*row->group == '\0' || model->state.known))
            TSR_TRY(get_number(model, row, file));
    }
    TSR_TRY(tsr__numbers_check(model));
done:
    return status;
}

/* NaN marks a term that J does not have, so that a NaN in the file would be read as its
 * absence: only finite values are taken. How many there are is the width of the history. */
static tsr_status get_terms(tsr_model *model, const tsr__hdf5 *file)
{
    tsr_status status = TSR_OK;
    char name[64];
    for (int i = 0; i < TSR_TERMS; i++) {
        (void)snprintf(name, sizeof name, "term.%s", tsr__term_names[i]);
        model->terms[i] = (double)NAN;
        if (!tsr__hdf5_has_attribute(file, "", name))
            continue;
        TSR_TRY(tsr__hdf5_get_reals(&model->terms[i], 1, file, "", name));
        if (!isfinite(model->terms[i]))
            TSR_FAIL(TSR_ERROR_FORMAT, "%s is %g", name, model->terms[i]);
    }
done:
    return status;
}

/* Every part that was written must still be there. */
static tsr_status check_list(const tsr__hdf5 *file, int64_t format)
{
    tsr_status status = TSR_OK;
    char *list = NULL;
    if (format == 1)
        return TSR_OK;
    TSR_TRY(tsr__hdf5_get_text(&list, file, "", "parts"));
    for (char *name = list, *next; *name != '\0'; name = next) {
        next = name + strcspn(name, " ");
        if (*next == ' ')
            *next++ = '\0';
        if (!tsr__hdf5_has(file, name))
            TSR_FAIL(TSR_ERROR_FORMAT, "has no /%.100s, which was written", name);
    }
done:
    tsr__free(list);
    return status;
}

/* Type and shape of a part's dataset, before anything is read or asked for. Below zero is the
 * extent of lists of any length, and of the state, which the solver compares when the fit goes
 * on (halt.c). */
static tsr_status check_shape(const tsr__part *part, const tsr_model *model,
                              const tsr__hdf5 *file)
{
    tsr_status status = TSR_OK;
    tsr__variable about;
    const int rank = part->kind->flat ? 1 : 2;
    const int64_t rows = tsr__extent_of(part->rows, model),
                  columns = tsr__extent_of(part->columns, model);
    TSR_TRY(tsr__hdf5_describe(&about, file, part->name));
    if (!part->kind->holds(about.element))
        TSR_FAIL(TSR_ERROR_FORMAT, "/%s has values of type %s", part->name,
                 tsr__element_name(about.element));
    if (about.rank != rank)
        TSR_FAIL(TSR_ERROR_FORMAT, "/%s has %d dimensions in place of %d", part->name,
                 about.rank, rank);
    if (rows >= 0 && about.shape[0] != rows)
        TSR_FAIL(TSR_ERROR_FORMAT, "/%s has %lld %s in place of %lld", part->name,
                 (long long)about.shape[0], rank == 1 ? "values" : "rows", (long long)rows);
    if (rank == 2 && about.shape[1] != columns)
        TSR_FAIL(TSR_ERROR_FORMAT, "/%s has %lld columns in place of %lld", part->name,
                 (long long)about.shape[1], (long long)columns);
done:
    return status;
}

/* Kinds without `get` are read by another part: the classes by the labels. Their shape is
 * checked all the same. */
static tsr_status get_parts(tsr_model *model, const tsr__hdf5 *file)
{
    tsr_status status = TSR_OK;
    for (const tsr__part *part = tsr__parts; part->name != NULL; part++) {
        if (!tsr__hdf5_has(file, part->name))
            continue;
        TSR_TRY(check_shape(part, model, file));
        if (part->kind->get != NULL)
            TSR_TRY(part->kind->get(model, part, file));
    }
done:
    return status;
}

/* The order is that of what each step needs: settings make the spec, numbers and terms make the
 * lengths, lengths are what parts are compared with, and the checks of values need all parts.
 * The names in the report are those of the tables, which outlive every model. */
static tsr_status get_all(tsr_model *model, const tsr__hdf5 *file)
{
    tsr_status status = TSR_OK;
    tsr_fit_report *r = &model->report;
    tsr__spec spec;
    int64_t format = 1;
    TSR_TRY(get_format(&format, file));
    TSR_TRY(check_list(file, format));
    TSR_TRY(get_settings(model, file));
    TSR_TRY(tsr__spec_make(&spec, &model->options));
    r->model = spec.row->name;
    r->loss = spec.loss->name;
    TSR_TRY(get_numbers(model, file, format));
    TSR_TRY(get_terms(model, file));
    TSR_TRY(get_parts(model, file));
    TSR_TRY(tsr__parts_check(model, &spec));
    TSR_TRY(get_image(model->basis, file));
    if (tsr__hdf5_has_attribute(file, "", "data"))
        TSR_TRY(tsr__hdf5_get_text(&model->origin, file, "", "data"));
    if (model->origin != NULL && *model->origin == '\0') { /* nobody knows */
        tsr__free(model->origin);
        model->origin = NULL;
    }
    TSR_TRY(tsr__recipe_read(&model->recipe, file, r->features));
done:
    return status;
}

/* Opens the file as for reading, seal included. Commands ask this to tell a model from data;
 * what is wrong with a broken one is for tsr_model_read to say. */
bool tsr_path_holds_model(const char *path)
{
    tsr__hdf5 *file = NULL;
    int64_t format = 0;
    if (path == NULL || !tsr__hdf5_is_one(path) || tsr__hdf5_open(&file, path, 0) < 0)
        return false;
    return tsr__hdf5_close(file, get_format(&format, file)) == TSR_OK;
}

tsr_status tsr_model_read(tsr_model **out, const char *path)
{
    TSR_REQUIRE(out);
    TSR_REQUIRE_TEXT(path);
    tsr_status status = TSR_OK;
    tsr__hdf5 *file = NULL;
    tsr_model *model = NULL;
    TSR_NEW_ZERO(model, 1);
    TSR_TRY(tsr__hdf5_open(&file, path, 0));
    status = get_all(model, file);
    TSR_TRY(tsr__hdf5_close(file, status));
    *out = model, model = NULL;
done:
    tsr_model_free(model);
    return status < 0 ? tsr__fail_in(status, path) : status;
}
