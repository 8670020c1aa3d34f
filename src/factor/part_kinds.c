/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The kinds of parts that a model has: how each is held, looked at, copied, freed, written and
 * read. What is common to all parts is in parts.c and archive.c.
 *
 * A kind knows how one member of struct tsr_model is laid out, and nothing of its name or
 * place, which the row in parts.c has. `get` runs on an empty member and on a dataset whose
 * type and shape were compared (archive.c), so that it only has to take it over; on failure the
 * model's own freeing cleans up. Functions that are NULL mean that another part does it, or
 * that there is nothing to do. */
#include "factor/parts.h"

#include <string.h>

/* Rows have offsets, not pointers, as they are constant and serve all models. The cast takes
 * const away for those callers that fill or free the member. */
static void *at(const tsr__part *part, const tsr_model *model)
{
    return (char *)(uintptr_t)model + part->offset;
}

static void *pointer_at(const tsr__part *part, const tsr_model *model)
{
    return *(void **)at(part, model);
}

static bool is_set(const tsr__part *part, const tsr_model *model)
{
    return pointer_at(part, model) != NULL;
}

static void free_pointer(const tsr__part *part, tsr_model *model)
{
    tsr__free(pointer_at(part, model));
}

static bool is_real(tsr__element element)
{
    return element == TSR_ELEMENT_FLOAT64 || element == TSR_ELEMENT_FLOAT32;
}

/* Histories and scales are double in either precision: J is. */
static bool is_double(tsr__element element)
{
    return element == TSR_ELEMENT_FLOAT64;
}

static bool is_int32(tsr__element element)
{
    return element == TSR_ELEMENT_INT32;
}

static tsr__element element_of(tsr_type type)
{
    return type == TSR_FLOAT64 ? TSR_ELEMENT_FLOAT64 : TSR_ELEMENT_FLOAT32;
}

static tsr_status put_vector(tsr__hdf5 *file, const char *name, tsr__element element,
                             const void *values, int64_t count)
{
    return tsr__hdf5_write(file, name, &(tsr__hdf5_block){element, 1, {count, 1}, 1, values});
}

/* The dataset in the type that it has, owned by the caller. */
static tsr_status get_array(tsr__array *out, const tsr__part *part, const tsr__hdf5 *file)
{
    tsr__variable about;
    int64_t count = 0;
    tsr_status status = tsr__hdf5_describe(&about, file, part->name);
    if (status == TSR_OK)
        status = tsr__hdf5_read(out, file, part->name, about.element);
    return status < 0 ? status : tsr__array_count(&count, out);
}

/* Matrices -------------------------------------------------------------------------------- */

static tsr_status view_matrix(tsr_matrix **out, const tsr__part *part, const tsr_model *model)
{
    const tsr_matrix *x = pointer_at(part, model);
    return tsr_matrix_view_samples(out, x, 0, x->samples);
}

/* The columns that the vectors are, or the rows, or all. Which of them the row's extents say:
 * basis k x m, codes and weights n x k, all else as it is. */
static tsr_status copy_matrix(tsr_model *to, const tsr__part *part, const tsr_model *from,
                              const int64_t *vectors, int64_t count)
{
    tsr_status status = TSR_OK;
    const tsr_matrix *x = pointer_at(part, from);
    const bool rows = part->rows == TSR_EXTENT_K;
    tsr_matrix *kept = NULL;
    if (part->columns != TSR_EXTENT_K) {
        TSR_TRY(tsr_matrix_copy_samples(&kept, x, rows ? vectors : NULL,
                                        rows ? count : x->samples));
        kept->image = x->image;
    } else {
        TSR_TRY(tsr_matrix_create(&kept, x->samples, count, x->type));
        for (int64_t i = 0; i < x->samples; i++)
            for (int64_t j = 0; j < count; j++)
                tsr__value_set(kept->values, kept->type, i * kept->stride + j,
                               tsr_matrix_at(x, i, vectors[j]));
    }
    *(tsr_matrix **)at(part, to) = kept;
done:
    return status;
}

static void free_matrix(const tsr__part *part, tsr_model *model)
{
    tsr_matrix_free(pointer_at(part, model));
}

/* Archives hold plain arrays that any reader of HDF5 opens, so sparse samples (the atoms of a
 * kernel) are written dense. */
static tsr_status put_matrix(tsr__hdf5 *file, const tsr__part *part, const tsr_model *model)
{
    tsr_status status = TSR_OK;
    const tsr_matrix *x = pointer_at(part, model);
    tsr_matrix *dense = NULL;
    if (x->sparse) {
        TSR_TRY(tsr_matrix_copy_as(&dense, x, x->type, false));
        x = dense;
    }
    TSR_TRY(tsr__hdf5_write(file, part->name,
                            &(tsr__hdf5_block){.element = element_of(x->type),
                                               .rank = 2,
                                               .shape = {x->samples, x->features},
                                               .stride = x->stride,
                                               .values = x->values}));
done:
    tsr_matrix_free(dense);
    return status;
}

/* Codes of no samples are no data to whoever reads samples, and made here. */
static tsr_status get_matrix(tsr_model *model, const tsr__part *part, const tsr__hdf5 *file)
{
    tsr_status status = TSR_OK;
    tsr__array array = {0};
    TSR_TRY(get_array(&array, part, file));
    if (tsr__extent_of(part->rows, model) == 0)
        TSR_TRY(tsr_matrix_create(at(part, model), 0, tsr__extent_of(part->columns, model),
                                  array.element == TSR_ELEMENT_FLOAT64 ? TSR_FLOAT64
                                                                       : TSR_FLOAT32));
    else
        TSR_TRY(tsr__array_take_matrix(at(part, model), &array));
done:
    tsr__free(array.data);
    return status;
}

const tsr__part_kind tsr__part_matrix = {.is_there = is_set,
                                         .view = view_matrix,
                                         .copy = copy_matrix,
                                         .free = free_matrix,
                                         .put = put_matrix,
                                         .get = get_matrix,
                                         .holds = is_real};

/* As matrices, but without `copy`: a model of some vectors has no run to go on with. */
const tsr__part_kind tsr__part_table = {.is_there = is_set,
                                        .view = view_matrix,
                                        .free = free_matrix,
                                        .put = put_matrix,
                                        .get = get_matrix,
                                        .holds = is_real};

/* Numbers --------------------------------------------------------------------------------- */

/* A history of no iterations may have memory, and is none: HDF5 would get an empty dataset. */
static bool has_numbers(const tsr__part *part, const tsr_model *model)
{
    return is_set(part, model) && tsr__extent_of(part->rows, model) > 0;
}

static tsr_status view_reals(tsr_matrix **out, const tsr__part *part, const tsr_model *model)
{
    const int64_t rows = tsr__extent_of(part->rows, model),
                  columns = tsr__extent_of(part->columns, model);
    return tsr_matrix_view_dense(out, pointer_at(part, model), rows, columns, columns,
                                 TSR_FLOAT64);
}

/* No row of this kind runs over the vectors, so all is copied. */
static tsr_status copy_reals(tsr_model *to, const tsr__part *part, const tsr_model *from,
                             const int64_t *vectors, int64_t count)
{
    (void)vectors, (void)count;
    return tsr__copy_reals(at(part, to), pointer_at(part, from),
                           tsr__extent_of(part->rows, from));
}

static tsr_status put_reals(tsr__hdf5 *file, const tsr__part *part, const tsr_model *model)
{
    return put_vector(file, part->name, TSR_ELEMENT_FLOAT64, pointer_at(part, model),
                      tsr__extent_of(part->rows, model));
}

static tsr_status get_pointer(tsr_model *model, const tsr__part *part, const tsr__hdf5 *file)
{
    tsr__array array = {0};
    const tsr_status status = get_array(&array, part, file);
    if (status == TSR_OK)
        *(void **)at(part, model) = array.data;
    return status;
}

const tsr__part_kind tsr__part_reals = {.is_there = has_numbers,
                                        .view = view_reals,
                                        .copy = copy_reals,
                                        .free = free_pointer,
                                        .put = put_reals,
                                        .get = get_pointer,
                                        .holds = is_double,
                                        .flat = true};

const tsr__part_kind tsr__part_history = {.is_there = has_numbers,
                                          .view = view_reals,
                                          .free = free_pointer,
                                          .put = put_reals,
                                          .get = get_pointer,
                                          .holds = is_double,
                                          .flat = true};

/* Rows and columns of the vectors that stay: W' K W of fewer columns of W. */
static tsr_status copy_square(tsr_model *to, const tsr__part *part, const tsr_model *from,
                              const int64_t *vectors, int64_t count)
{
    tsr_status status = TSR_OK;
    const double *values = pointer_at(part, from);
    double **kept = at(part, to);
    TSR_NEW(*kept, count * count);
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < count; j++)
            (*kept)[i * count + j] = values[vectors[i] * from->report.rank + vectors[j]];
done:
    return status;
}

static tsr_status put_square(tsr__hdf5 *file, const tsr__part *part, const tsr_model *model)
{
    const int64_t k = model->report.rank;
    return tsr__hdf5_write(
        file, part->name,
        &(tsr__hdf5_block){TSR_ELEMENT_FLOAT64, 2, {k, k}, k, pointer_at(part, model)});
}

const tsr__part_kind tsr__part_square = {.is_there = is_set,
                                         .view = view_reals,
                                         .copy = copy_square,
                                         .free = free_pointer,
                                         .put = put_square,
                                         .get = get_pointer,
                                         .holds = is_double};

/* Labels ---------------------------------------------------------------------------------- */

/* Also the classes, which are the same tsr_labels and have no `copy` of their own. */
static tsr_status copy_labels(tsr_model *to, const tsr__part *part, const tsr_model *from,
                              const int64_t *vectors, int64_t count)
{
    const tsr_labels *labels = from->labels;
    (void)part, (void)vectors, (void)count;
    return tsr__labels_from_names(&to->labels, labels->of, labels->count,
                                  (const char *const *)labels->name, labels->classes);
}

static void free_labels(const tsr__part *part, tsr_model *model)
{
    tsr_labels_free(pointer_at(part, model));
}

static tsr_status put_labels(tsr__hdf5 *file, const tsr__part *part, const tsr_model *model)
{
    return put_vector(file, part->name, TSR_ELEMENT_INT32, model->labels->of,
                      model->labels->count);
}

/* Names that are sorted and in use keep their positions; others would make the positions of /seen
 * mean other classes. */
static tsr_status get_labels(tsr_model *model, const tsr__part *part, const tsr__hdf5 *file)
{
    tsr_status status = TSR_OK;
    tsr__names classes = {NULL, 0, 0};
    tsr__array array = {0};
    TSR_TRY(get_array(&array, part, file));
    if (tsr__hdf5_has(file, "classes"))
        TSR_TRY(tsr__hdf5_read_texts(&classes, file, "classes"));
    if (classes.count > INT32_MAX)
        TSR_FAIL(TSR_ERROR_FORMAT, "/classes are too many");
    TSR_TRY(tsr__labels_from_names(&model->labels, array.data, model->report.samples,
                                   (const char *const *)classes.name, (int32_t)classes.count));
    if (model->labels->classes != classes.count ||
        memcmp(model->labels->of, array.data, (size_t)array.bytes) != 0)
        TSR_FAIL(TSR_ERROR_FORMAT, "/labels are not those of the %lld /classes",
                 (long long)classes.count);
done:
    tsr__names_clear(&classes);
    tsr__free(array.data);
    return status;
}

const tsr__part_kind tsr__part_labels = {.is_there = is_set,
                                         .copy = copy_labels,
                                         .free = free_labels,
                                         .put = put_labels,
                                         .get = get_labels,
                                         .holds = is_int32,
                                         .flat = true};

/* Labels of which none is known have no names: then there is no dataset of them. */
static bool has_classes(const tsr__part *part, const tsr_model *model)
{
    (void)part;
    return model->labels != NULL && model->labels->classes > 0;
}

static tsr_status put_classes(tsr__hdf5 *file, const tsr__part *part, const tsr_model *model)
{
    return tsr__hdf5_write_texts(file, part->name, (const char *const *)model->labels->name,
                                 model->labels->classes);
}

const tsr__part_kind tsr__part_classes = {
    .is_there = has_classes, .put = put_classes, .holds = tsr__element_is_text, .flat = true};

/* Without labels it says nothing. */
static bool has_seen(const tsr__part *part, const tsr_model *model)
{
    return model->labels != NULL && is_set(part, model);
}

static tsr_status copy_seen(tsr_model *to, const tsr__part *part, const tsr_model *from,
                            const int64_t *vectors, int64_t count)
{
    tsr_status status = TSR_OK;
    (void)part, (void)vectors, (void)count;
    TSR_NEW(to->seen, from->report.samples);
    memcpy(to->seen, from->seen, (size_t)from->report.samples * sizeof *to->seen);
done:
    return status;
}

static tsr_status put_seen(tsr__hdf5 *file, const tsr__part *part, const tsr_model *model)
{
    return put_vector(file, part->name, TSR_ELEMENT_INT32, model->seen, model->report.samples);
}

const tsr__part_kind tsr__part_seen = {.is_there = has_seen,
                                       .copy = copy_seen,
                                       .free = free_pointer,
                                       .put = put_seen,
                                       .get = get_pointer,
                                       .holds = is_int32,
                                       .flat = true};

/* Texts ----------------------------------------------------------------------------------- */

static bool has_names(const tsr__part *part, const tsr_model *model)
{
    return ((const tsr__names *)at(part, model))->count > 0;
}

static tsr_status copy_names(tsr_model *to, const tsr__part *part, const tsr_model *from,
                             const int64_t *vectors, int64_t count)
{
    tsr_status status = TSR_OK;
    const tsr__names *names = at(part, from);
    (void)vectors, (void)count;
    for (int64_t i = 0; i < names->count; i++)
        TSR_TRY(tsr__names_add(at(part, to), names->name[i]));
done:
    return status;
}

static void free_names(const tsr__part *part, tsr_model *model)
{
    tsr__names_clear(at(part, model));
}

static tsr_status put_names(tsr__hdf5 *file, const tsr__part *part, const tsr_model *model)
{
    const tsr__names *names = at(part, model);
    return tsr__hdf5_write_texts(file, part->name, (const char *const *)names->name,
                                 names->count);
}

static tsr_status get_names(tsr_model *model, const tsr__part *part, const tsr__hdf5 *file)
{
    return tsr__hdf5_read_texts(at(part, model), file, part->name);
}

const tsr__part_kind tsr__part_names = {.is_there = has_names,
                                        .copy = copy_names,
                                        .free = free_names,
                                        .put = put_names,
                                        .get = get_names,
                                        .holds = tsr__element_is_text,
                                        .flat = true};

/* The state ------------------------------------------------------------------------------- */

/* Sizes are not among the model's numbers; that the array suits the solver is compared in
 * halt.c. */
static tsr_status view_state(tsr_matrix **out, const tsr__part *part, const tsr_model *model)
{
    const tsr__halt_part *state = at(part, model);
    return tsr_matrix_view_dense(out, state->values, 1, state->count, state->count,
                                 state->type);
}

static tsr_status put_state(tsr__hdf5 *file, const tsr__part *part, const tsr_model *model)
{
    const tsr__halt_part *state = at(part, model);
    return put_vector(file, part->name, element_of(state->type), state->values, state->count);
}

/* The file's own type is kept, and a fit of the other precision refuses it. */
static tsr_status get_state(tsr_model *model, const tsr__part *part, const tsr__hdf5 *file)
{
    tsr__array array = {0};
    const tsr_status status = get_array(&array, part, file);
    if (status == TSR_OK)
        *(tsr__halt_part *)at(part, model) = (tsr__halt_part){
            .values = array.data,
            .count = array.bytes / array.item,
            .type = array.element == TSR_ELEMENT_FLOAT64 ? TSR_FLOAT64 : TSR_FLOAT32};
    return status;
}

const tsr__part_kind tsr__part_state = {.is_there = is_set, /* its values come first */
                                        .view = view_state,
                                        .free = free_pointer,
                                        .put = put_state,
                                        .get = get_state,
                                        .holds = is_real,
                                        .flat = true};
