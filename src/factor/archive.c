/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The model archive, HDF5, plain arrays for any reader (doc/file-format.md):
 *
 *     /basis k x m   /codes n x k   /weights n x k   /labels n   /seen n   /classes
 *     /sample_weights n x 1
 *     /objective, /seconds: one value an iteration   /feature_names   /notes
 *     /recipe: how the samples were made             (io/recipe.h)
 *     /gram k x k and /atoms n x m: kernels          /scale m: normalised-cut weighting
 *     /state: where the fit stopped                  (factor/state.h)
 *
 * Attributes of the file: tessera (version), kind = "model", setting.NAME for every setting,
 * term.NAME for every term of J, and the report. Attributes of /basis: image_height, image_width,
 * image_order. */
#include "factor/model.h"

#include "base/settings.h"
#include "io/file.h"
#include "io/recipe.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static tsr_status put_matrix(tsr__hdf5 *file, const char *name, const tsr_matrix *x)
{
    tsr_matrix *dense = NULL;
    if (x == NULL)
        return TSR_OK;
    tsr_status status = TSR_OK;
    if (x->sparse)
        TSR_TRY(tsr_matrix_copy_as(&dense, x, x->type, false));
    const tsr_matrix *from = dense != NULL ? dense : x;
    const tsr__hdf5_block block = {.element = from->type == TSR_FLOAT64 ? TSR_ELEMENT_FLOAT64
                                                                        : TSR_ELEMENT_FLOAT32,
                                   .rank = 2,
                                   .shape = {from->samples, from->features},
                                   .stride = from->stride,
                                   .values = from->values};
    TSR_TRY(tsr__hdf5_write(file, name, &block));
done:
    tsr_matrix_free(dense);
    return status;
}

static tsr_status put_vector(tsr__hdf5 *file, const char *name, tsr__element element,
                             const void *values, int64_t count)
{
    const tsr__hdf5_block block = {
        .element = element, .rank = 1, .shape = {count, 1}, .stride = 1, .values = values};
    return values != NULL ? tsr__hdf5_write(file, name, &block) : TSR_OK;
}

static tsr_status put_names(tsr__hdf5 *file, const char *name, const tsr__names *names)
{
    return names->count == 0 ? TSR_OK
                             : tsr__hdf5_write_texts(
                                   file, name, (const char *const *)names->name, names->count);
}

static tsr_status put_settings(tsr__hdf5 *file, const tsr_model *model)
{
    tsr_status status = TSR_OK;
    const tsr_setting *table = tsr_fit_settings();
    char name[96];
    for (int64_t i = 0; i < model->setting.count; i++) {
        (void)snprintf(name, sizeof name, "setting.%s", table[i].name);
        TSR_TRY(tsr__hdf5_set_text(file, "", name, model->setting.name[i]));
    }
done:
    return status;
}

static tsr_status put_report(tsr__hdf5 *file, const tsr_model *model)
{
    tsr_status status = TSR_OK;
    const tsr_fit_report *r = &model->report;
    const int64_t integers[] = {r->samples,   r->features,      r->rank,       r->iterations,
                                r->converged, model->per_class, model->shared, r->seed};
    const double reals[] = {r->objective, r->data_loss, r->relative_error,   r->optimality,
                            r->seconds,   r->spread,    model->kernel_width, r->rho};
    static const char *const integer_names[] = {"samples",    "features",  "rank",
                                                "iterations", "converged", "per_class",
                                                "shared",     "seed"};
    static const char *const real_names[] = {"objective",    "data_loss", "relative_error",
                                             "optimality",   "seconds",   "spread",
                                             "kernel_width", "rho"};
    TSR_TRY(tsr__hdf5_set_text(file, "", "tessera", tsr_version()));
    TSR_TRY(tsr__hdf5_set_text(file, "", "kind", "model"));
    TSR_TRY(tsr__hdf5_set_text(file, "", "model", r->model));
    TSR_TRY(tsr__hdf5_set_text(file, "", "loss", r->loss));
    TSR_TRY(tsr__hdf5_set_text(file, "", "data", model->origin != NULL ? model->origin : ""));
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        TSR_TRY(tsr__hdf5_set_integers(file, "", integer_names[i], &integers[i], 1));
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        TSR_TRY(tsr__hdf5_set_reals(file, "", real_names[i], &reals[i], 1));
    const tsr_image_shape image = model->basis->image;
    if (image.height > 0) {
        TSR_TRY(tsr__hdf5_set_integers(file, "basis", "image_height", &image.height, 1));
        TSR_TRY(tsr__hdf5_set_integers(file, "basis", "image_width", &image.width, 1));
        TSR_TRY(tsr__hdf5_set_text(file, "basis", "image_order",
                                   image.order == TSR_COLUMN_ORDER ? "column" : "row"));
    }
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

/* Names of the state's few numbers. */
static const char *const state_reals[] = {"push", "run", "last", "most"},
                         *const state_integers[] = {"own", "fresh", "next", "iterations",
                                                    "limit"};
enum { REALS = 4, INTEGERS = 5 };

static tsr_status put_state(tsr__hdf5 *file, const tsr__state *state)
{
    tsr_status status = TSR_OK;
    const double reals[] = {state->push, state->run, state->last, state->most};
    const int64_t integers[] = {state->own, state->fresh, state->next, state->iterations,
                                state->limit};
    char name[64];
    if (!state->known)
        return TSR_OK;
    TSR_TRY(tsr__hdf5_make_group(file, "state"));
    for (int i = 0; i < REALS; i++)
        TSR_TRY(tsr__hdf5_set_reals(file, "state", state_reals[i], &reals[i], 1));
    for (int i = 0; i < INTEGERS; i++)
        TSR_TRY(tsr__hdf5_set_integers(file, "state", state_integers[i], &integers[i], 1));
    for (int i = 0; i < TSR_STATE_PARTS; i++) {
        (void)snprintf(name, sizeof name, "state/%s", tsr__state_names[i]);
        TSR_TRY(put_vector(file, name,
                           state->part[i].type == TSR_FLOAT64 ? TSR_ELEMENT_FLOAT64
                                                              : TSR_ELEMENT_FLOAT32,
                           state->part[i].values, state->part[i].count));
    }
    TSR_TRY(put_vector(file, "state/objective", TSR_ELEMENT_FLOAT64, state->objective,
                       state->iterations));
    TSR_TRY(put_vector(file, "state/seconds", TSR_ELEMENT_FLOAT64, state->seconds,
                       state->iterations));
done:
    return status;
}

static tsr_status put_all(tsr__hdf5 *file, const tsr_model *model)
{
    tsr_status status = TSR_OK;
    const int64_t k = model->report.rank, iterations = model->report.iterations;
    tsr_matrix *gram = NULL;
    TSR_TRY(put_matrix(file, "basis", model->basis));
    TSR_TRY(put_matrix(file, "codes", model->codes));
    TSR_TRY(put_matrix(file, "weights", model->weights));
    TSR_TRY(put_matrix(file, "atoms", model->atoms));
    TSR_TRY(put_matrix(file, "sample_weights", model->sample_weights));
    if (model->gram != NULL) {
        TSR_TRY(tsr_matrix_view_dense(&gram, model->gram, k, k, k, TSR_FLOAT64));
        TSR_TRY(put_matrix(file, "gram", gram));
    }
    TSR_TRY(
        put_vector(file, "scale", TSR_ELEMENT_FLOAT64, model->scale, model->report.features));
    TSR_TRY(put_vector(file, "objective", TSR_ELEMENT_FLOAT64, model->objective, iterations));
    TSR_TRY(put_vector(file, "seconds", TSR_ELEMENT_FLOAT64, model->seconds, iterations));
    if (model->labels != NULL) {
        const tsr__names classes = {model->labels->name, model->labels->classes, 0};
        TSR_TRY(put_vector(file, "labels", TSR_ELEMENT_INT32, model->labels->of,
                           model->labels->count));
        TSR_TRY(put_vector(file, "seen", TSR_ELEMENT_INT32, model->seen, model->labels->count));
        TSR_TRY(put_names(file, "classes", &classes));
    }
    TSR_TRY(put_names(file, "feature_names", &model->feature_names));
    TSR_TRY(put_names(file, "notes", &model->notes));
    TSR_TRY(tsr__recipe_write(file, &model->recipe));
    TSR_TRY(put_report(file, model));
    TSR_TRY(put_terms(file, model));
    TSR_TRY(put_state(file, &model->state));
    TSR_TRY(put_settings(file, model));
done:
    tsr_matrix_free(gram);
    return status;
}

tsr_status tsr_model_write(const tsr_model *model, const char *path)
{
    tsr_status status = TSR_OK;
    tsr__output output = {NULL, NULL, false};
    tsr__hdf5 *file = NULL;
    TSR_TRY(tsr__output_begin(&output, path, false));
    TSR_TRY(tsr__hdf5_create(&file, output.temporary));
    status = put_all(file, model);
    TSR_TRY(tsr__hdf5_close(file, status));
    TSR_TRY(tsr__output_commit(&output));
done:
    tsr__output_abandon(&output);
    return status < 0 ? tsr__fail_in(status, path) : status;
}

/* Reading --------------------------------------------------------------------------------- */

static tsr_status get_matrix(tsr_matrix **out, const tsr__hdf5 *file, const char *name)
{
    tsr_status status = TSR_OK;
    tsr__variable about;
    tsr__array array = {0};
    if (!tsr__hdf5_has(file, name))
        return TSR_OK;
    TSR_TRY(tsr__hdf5_describe(&about, file, name));
    if (about.rank != 2)
        TSR_FAIL(TSR_ERROR_FORMAT, "/%s has %d dimensions in place of 2", name, about.rank);
    TSR_TRY(tsr__hdf5_read(&array, file, name,
                           about.element == TSR_ELEMENT_FLOAT32 ? TSR_ELEMENT_FLOAT32
                                                                : TSR_ELEMENT_FLOAT64));
    TSR_TRY(tsr__array_to_matrix(out, &array));
done:
    tsr__free(array.data);
    return status;
}

/* A vector of `count` elements, owned by the caller; *out stays NULL where it is not there. */
static tsr_status get_vector(void *out, const tsr__hdf5 *file, const char *name,
                             tsr__element element, int64_t count)
{
    tsr_status status = TSR_OK;
    tsr__array array = {0};
    int64_t held = 0;
    if (!tsr__hdf5_has(file, name))
        return TSR_OK;
    TSR_TRY(tsr__hdf5_read(&array, file, name, element));
    TSR_TRY(tsr__array_count(&held, &array));
    if (held != count)
        TSR_FAIL(TSR_ERROR_FORMAT, "/%s holds %lld values in place of %lld", name,
                 (long long)held, (long long)count);
    memcpy(out, &array.data, sizeof array.data);
    array.data = NULL;
done:
    tsr__free(array.data);
    return status;
}

static tsr_status get_names(tsr__names *out, const tsr__hdf5 *file, const char *name)
{
    return tsr__hdf5_has(file, name) ? tsr__hdf5_read_texts(out, file, name) : TSR_OK;
}

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

static tsr_status get_report(tsr_model *model, const tsr__hdf5 *file)
{
    tsr_status status = TSR_OK;
    tsr_fit_report *r = &model->report;
    tsr__plan plan;
    int64_t converged = 0;
    TSR_TRY(tsr__plan_make(&plan, &model->options));
    r->model = plan.row->name;
    r->loss = plan.loss == TSR_LOSS_KL ? tsr__loss_kl.name : tsr__loss_frobenius.name;
    const struct {
        const char *name;
        int64_t *to;
    } integers[] = {{"samples", &r->samples},   {"features", &r->features},
                    {"rank", &r->rank},         {"iterations", &r->iterations},
                    {"converged", &converged},  {"per_class", &model->per_class},
                    {"shared", &model->shared}, {"seed", &r->seed}};
    const struct {
        const char *name;
        double *to;
    } reals[] = {{"objective", &r->objective},
                 {"data_loss", &r->data_loss},
                 {"relative_error", &r->relative_error},
                 {"optimality", &r->optimality},
                 {"seconds", &r->seconds},
                 {"spread", &r->spread},
                 {"kernel_width", &model->kernel_width}};
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        TSR_TRY(tsr__hdf5_get_integers(integers[i].to, 1, file, "", integers[i].name));
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        TSR_TRY(tsr__hdf5_get_reals(reals[i].to, 1, file, "", reals[i].name));
    r->rho = 0; /* older archives have neither this nor the terms */
    if (tsr__hdf5_has_attribute(file, "", "rho"))
        TSR_TRY(tsr__hdf5_get_reals(&r->rho, 1, file, "", "rho"));
    if (!isfinite(r->rho) || r->rho < 0)
        TSR_FAIL(TSR_ERROR_FORMAT, "rho is %g", r->rho);
    for (int i = 0; i < TSR_TERMS; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "term.%s", tsr__term_names[i]);
        model->terms[i] = (double)NAN;
        if (tsr__hdf5_has_attribute(file, "", name))
            TSR_TRY(tsr__hdf5_get_reals(&model->terms[i], 1, file, "", name));
    }
    r->converged = converged != 0;
done:
    return status;
}

/* Sizes are compared with the solver's when the state is put to use. */
static tsr_status get_state(tsr__state *state, const tsr__hdf5 *file)
{
    tsr_status status = TSR_OK;
    double *const reals[] = {&state->push, &state->run, &state->last, &state->most};
    int64_t integers[INTEGERS] = {0};
    char name[64];
    if (!tsr__hdf5_has(file, "state"))
        return TSR_OK;
    for (int i = 0; i < REALS; i++)
        TSR_TRY(tsr__hdf5_get_reals(reals[i], 1, file, "state", state_reals[i]));
    for (int i = 0; i < INTEGERS; i++)
        TSR_TRY(tsr__hdf5_get_integers(&integers[i], 1, file, "state", state_integers[i]));
    if (integers[2] < 0 || integers[3] < 0 || integers[4] < 0)
        TSR_FAIL(TSR_ERROR_FORMAT, "/state counts below zero");
    if (!(state->push >= 0 && state->push <= 1) || !(state->run >= 0) || isnan(state->last))
        TSR_FAIL(TSR_ERROR_FORMAT, "/state is led by %g after %g steps", state->push,
                 state->run);
    state->own = integers[0] != 0, state->fresh = integers[1] != 0;
    state->next = integers[2], state->iterations = integers[3], state->limit = integers[4];
    for (int i = 0; i < TSR_STATE_PARTS; i++) {
        tsr__variable about;
        tsr__array array = {0};
        (void)snprintf(name, sizeof name, "state/%s", tsr__state_names[i]);
        if (!tsr__hdf5_has(file, name))
            continue;
        TSR_TRY(tsr__hdf5_describe(&about, file, name));
        const bool single = about.element == TSR_ELEMENT_FLOAT32;
        TSR_TRY(tsr__hdf5_read(&array, file, name,
                               single ? TSR_ELEMENT_FLOAT32 : TSR_ELEMENT_FLOAT64));
        state->part[i].values = array.data;
        state->part[i].type = single ? TSR_FLOAT32 : TSR_FLOAT64;
        TSR_TRY(tsr__array_count(&state->part[i].count, &array));
    }
    if (state->own) {
        TSR_TRY(get_vector(&state->objective, file, "state/objective", TSR_ELEMENT_FLOAT64,
                           state->iterations));
        TSR_TRY(get_vector(&state->seconds, file, "state/seconds", TSR_ELEMENT_FLOAT64,
                           state->iterations));
        if (state->objective == NULL || state->seconds == NULL)
            TSR_FAIL(TSR_ERROR_FORMAT, "/state has no history");
    }
    state->known = true;
done:
    return status;
}

static tsr_status check_parts(const tsr_model *model, const tsr__plan *plan)
{
    const tsr_fit_report *r = &model->report;
    const tsr_matrix *f = model->basis, *g = model->codes;
    if (f == NULL || g == NULL)
        return tsr__fail(TSR_ERROR_FORMAT, "has no %s", f == NULL ? "/basis" : "/codes");
    if (f->samples != r->rank || f->features != r->features || g->samples != r->samples ||
        g->features != r->rank)
        return tsr__fail(TSR_ERROR_FORMAT,
                         "/basis %lld x %lld and /codes %lld x %lld do not make "
                         "%lld samples of %lld features at rank %lld",
                         (long long)f->samples, (long long)f->features, (long long)g->samples,
                         (long long)g->features, (long long)r->samples, (long long)r->features,
                         (long long)r->rank);
    const bool concept = plan->basis == TSR_BASIS_CONCEPT;
    const bool kernel = concept && plan->options->kernel != 0;
    const struct {
        const char *name;
        const tsr_matrix *part;
        int64_t rows, columns;
        bool needed;
    } parts[] = {{"weights", model->weights, r->samples, r->rank, concept},
                 {"atoms", model->atoms, r->samples, r->features, kernel}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].needed && parts[i].part == NULL)
            return tsr__fail(TSR_ERROR_FORMAT, "has no /%s", parts[i].name);
        if (parts[i].part != NULL && (parts[i].part->samples != parts[i].rows ||
                                      parts[i].part->features != parts[i].columns))
            return tsr__fail(TSR_ERROR_FORMAT, "/%s is %lld x %lld in place of %lld x %lld",
                             parts[i].name, (long long)parts[i].part->samples,
                             (long long)parts[i].part->features, (long long)parts[i].rows,
                             (long long)parts[i].columns);
    }
    if (kernel && model->gram == NULL)
        return tsr__fail(TSR_ERROR_FORMAT, "has no /gram");
    if (plan->ncw && model->scale == NULL)
        return tsr__fail(TSR_ERROR_FORMAT, "has no /scale");
    if (r->iterations < 0 ||
        (r->iterations > 0 && (model->objective == NULL || model->seconds == NULL)))
        return tsr__fail(TSR_ERROR_FORMAT, "has no history of its %lld iterations",
                         (long long)r->iterations);
    return TSR_OK;
}

static tsr_status get_all(tsr_model *model, const tsr__hdf5 *file)
{
    tsr_status status = TSR_OK;
    tsr_fit_report *r = &model->report;
    tsr__names classes = {NULL, 0, 0};
    tsr__plan plan;
    int32_t *of = NULL;
    char *kind = NULL;
    if (!tsr__hdf5_has_attribute(file, "", "kind"))
        TSR_FAIL(TSR_ERROR_FORMAT, "is an HDF5 file, but no model: `tessera fit` writes one");
    TSR_TRY(tsr__hdf5_get_text(&kind, file, "", "kind"));
    if (strcmp(kind, "model") != 0)
        TSR_FAIL(TSR_ERROR_FORMAT, "is an archive of kind '%s' and no model", kind);
    TSR_TRY(get_settings(model, file));
    TSR_TRY(get_report(model, file));
    TSR_TRY(get_matrix(&model->basis, file, "basis"));
    TSR_TRY(get_matrix(&model->codes, file, "codes"));
    TSR_TRY(get_matrix(&model->weights, file, "weights"));
    TSR_TRY(get_matrix(&model->atoms, file, "atoms"));
    TSR_TRY(get_matrix(&model->sample_weights, file, "sample_weights"));
    if (tsr__hdf5_has_attribute(file, "", "data"))
        TSR_TRY(tsr__hdf5_get_text(&model->origin, file, "", "data"));
    TSR_TRY(get_vector(&model->scale, file, "scale", TSR_ELEMENT_FLOAT64, r->features));
    TSR_TRY(
        get_vector(&model->objective, file, "objective", TSR_ELEMENT_FLOAT64, r->iterations));
    TSR_TRY(get_vector(&model->seconds, file, "seconds", TSR_ELEMENT_FLOAT64, r->iterations));
    TSR_TRY(get_vector(&model->gram, file, "gram", TSR_ELEMENT_FLOAT64, r->rank * r->rank));
    TSR_TRY(tsr__plan_make(&plan, &model->options));
    TSR_TRY(check_parts(model, &plan));
    TSR_TRY(get_image(model->basis, file));
    TSR_TRY(get_vector(&model->seen, file, "seen", TSR_ELEMENT_INT32, r->samples));
    TSR_TRY(get_vector(&of, file, "labels", TSR_ELEMENT_INT32, r->samples));
    TSR_TRY(get_names(&classes, file, "classes"));
    if (of != NULL)
        TSR_TRY(tsr__labels_from_names(&model->labels, of, r->samples,
                                       (const char *const *)classes.name,
                                       (int32_t)classes.count));
    TSR_TRY(get_names(&model->feature_names, file, "feature_names"));
    TSR_TRY(get_names(&model->notes, file, "notes"));
    TSR_TRY(tsr__recipe_read(&model->recipe, file, r->features));
    TSR_TRY(get_state(&model->state, file));
done:
    tsr__names_clear(&classes);
    tsr__free(of);
    tsr__free(kind);
    return status;
}

tsr_status tsr_model_read(tsr_model **out, const char *path)
{
    tsr_status status = TSR_OK;
    tsr__hdf5 *file = NULL;
    tsr_model *model = NULL;
    TSR_NEW_ZERO(model, 1);
    TSR_TRY(tsr__hdf5_open(&file, path));
    status = get_all(model, file);
    TSR_TRY(tsr__hdf5_close(file, status));
    *out = model, model = NULL;
done:
    tsr_model_free(model);
    return status < 0 ? tsr__fail_in(status, path) : status;
}
