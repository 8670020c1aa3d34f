/* SPDX-License-Identifier: BSD-2-Clause
 *
 * tessera sheet: basis vectors as pictures, a sample as the sum of its parts, heat maps of codes. */
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/command.h"

#include <string.h>

struct values {
    tsr_read_options read;
    talk talk;
    const char *output, *reconstruct, *data;
    int64_t columns, scale, top;
    bool common, codes, distances, unit_codes;
};

static const tsr_setting table[] = {
    TSR_TEXT_ROW(struct values, output, "output", 'o', NULL, "OUT.png", "the sheet; required"),
    TSR_INTEGER_ROW(struct values, columns, "columns", 0, 0, 1e6, "0", "N",
                    "pictures in a line; 0: about square"),
    TSR_INTEGER_ROW(struct values, scale, "scale", 0, 0, 64, "0", "N",
                    "pixels across a pixel of the pictures, or a code; 0: 2, or what is fair"),
    TSR_INTEGER_ROW(struct values, top, "top", 0, 0, 1e9, "0", "M",
                    "only the M vectors or parts that contribute most, in that order; 0: all"),
    TSR_FLAG_ROW(struct values, common, "common", 0,
                 "one range of grey for all vectors, or parts"),
    TSR_TEXT_ROW(struct values, reconstruct, "reconstruct", 0, NULL, "SAMPLE",
                 "a sample's number from 0, or name: itself, what the model makes of it, its "
                 "parts"),
    TSR_FLAG_ROW(struct values, codes, "codes", 0,
                 "a heat map of the codes instead, samples by class"),
    TSR_FLAG_ROW(struct values, distances, "distances", 0,
                 "a heat map of the distances between the codes, samples by class"),
    TSR_FLAG_ROW(struct values, unit_codes, "unit-codes", 0,
                 "scale codes to unit length before they are drawn or compared"),
    TSR_TEXT_ROW(struct values, data, "data", 'd', NULL, "DATA",
                 "where the sample is, or samples whose codes are drawn; else those that the "
                 "model was fitted to"),
    TSR_END_ROW,
};

static const tsr_setting *settings(void)
{
    return table;
}

/* A heat map and what is told of it. */
typedef struct heat {
    tsr_matrix *codes;
    tsr_labels *read;         /* by --labels */
    const tsr_labels *labels; /* of the samples, or NULL */
    int64_t size[4];          /* as tsr_heat_write has them */
    double range[2];
    bool by_class; /* the basis vectors, too */
} heat;

/* What is drawn: rows of `pictures`, and what they are of. */
typedef struct sheet {
    const struct values *values;
    tsr_model *model;
    tsr_data *data;
    tsr_explanation *explanation; /* of a sample, or NULL: the basis */
    int64_t parts;                /* of it that are shown */
    tsr_matrix *pictures;
    heat heat;
} sheet;

static void sheet_clear(sheet *s)
{
    tsr_model_free(s->model);
    tsr_data_free(s->data);
    tsr_explanation_free(s->explanation);
    tsr_matrix_free(s->pictures);
    tsr_matrix_free(s->heat.codes);
    tsr_labels_free(s->heat.read);
}

static tsr_status give_shape(tsr_matrix *x, const sheet *s)
{
    const tsr_read_options *read = &s->values->read;
    tsr_image_shape shape = tsr_matrix_image(tsr_model_basis(s->model));
    if (read->image_shape[0] > 0)
        shape = (tsr_image_shape){read->image_shape[0], read->image_shape[1],
                                  read->image_order == 2 ? TSR_COLUMN_ORDER : TSR_ROW_ORDER};
    if (shape.height == 0)
        return tsr__fail(
            TSR_ERROR_ARGUMENT,
            "the basis vectors of %lld features are no pictures: say --image-shape "
            "HxW, or fit the model to data that are pictures",
            (long long)tsr_matrix_features(tsr_model_basis(s->model)));
    return tsr_matrix_set_image(x, shape);
}

/* The sample by its name or number among `count`; `data` may be NULL. */
static tsr_status find_sample(int64_t *out, const char *wanted, const tsr_data *data,
                              int64_t count)
{
    for (int64_t i = 0; tsr_data_sample_name(data, i) != NULL; i++)
        if (strcmp(tsr_data_sample_name(data, i), wanted) == 0) {
            *out = i;
            return TSR_OK;
        }
    if (!tsr__text_is_integer(out, wanted))
        return tsr__fail(TSR_ERROR_ARGUMENT, "no sample is called '%s'%s", wanted,
                         data == NULL ? ": --data DATA says where names are" : "");
    if (*out < 0 || *out >= count)
        return tsr__fail(TSR_ERROR_ARGUMENT, "sample %lld is outside 0 .. %lld",
                         (long long)*out, (long long)count - 1);
    return TSR_OK;
}

/* The basis, or the M vectors that contribute most. */
static tsr_status draw_basis(sheet *s)
{
    tsr_status status = TSR_OK;
    const tsr_matrix *basis = tsr_model_basis(s->model);
    const int64_t top = s->values->top, k = tsr_matrix_samples(basis);
    int64_t *order = NULL;
    if (top > k)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "--top %lld exceeds the %lld basis vectors",
                 (long long)top, (long long)k);
    if (top > 0) {
        TSR_NEW(order, k);
        TSR_TRY(tsr_basis_shares(order, NULL, basis, tsr_model_codes(s->model)));
    }
    TSR_TRY(tsr_matrix_copy_samples(&s->pictures, basis, order, top > 0 ? top : k));
done:
    tsr__free(order);
    return status;
}

/* The sample where there is one, the sum of its parts, the parts. */
static tsr_status draw_parts(sheet *s)
{
    tsr_status status = TSR_OK;
    const struct values *values = s->values;
    const tsr_matrix *among = tsr_model_codes(s->model);
    int64_t i = 0;
    tsr_transform_options options = {0};
    tsr_settings_default(tsr_transform_settings(), &options);
    options.threads = values->read.threads;
    if (values->data != NULL) {
        TSR_TRY(tsr_data_read(&s->data, values->data, &values->read));
        among = tsr_data_samples(s->data);
    }
    TSR_TRY(find_sample(&i, values->reconstruct, s->data, tsr_matrix_samples(among)));
    TSR_TRY(tsr_explain(&s->explanation, s->model, s->data, i, &options));
    s->parts = tsr_explanation_parts(s->explanation);
    if (values->top > 0 && values->top < s->parts)
        s->parts = values->top;
    TSR_TRY(tsr_explanation_pictures(&s->pictures, s->explanation, s->parts, values->common));
done:
    return status;
}

/* Heat maps ------------------------------------------------------------------------------- */

static bool is_map(const struct values *values)
{
    return values->codes || values->distances;
}

/* The codes of other samples, and their classes. */
static tsr_status encode(sheet *s)
{
    tsr_status status = TSR_OK;
    const struct values *values = s->values;
    tsr_transform_options options = {0};
    tsr_settings_default(tsr_transform_settings(), &options);
    options.threads = values->read.threads;
    options.progress = values->read.progress;
    TSR_TRY(tsr_data_read(&s->data, values->data, &values->read));
    TSR_TRY(tsr_model_transform(&s->heat.codes, s->model, s->data, &options));
    s->heat.labels = tsr_data_labels(s->data);
done:
    return status;
}

/* A copy of those that the model has, and their classes. */
static tsr_status copy_codes(sheet *s)
{
    tsr_status status = TSR_OK;
    tsr_read_options plain = s->values->read;
    const char *where = plain.labels;
    const tsr_matrix *codes = tsr_model_diffused(s->model);
    const int64_t n = tsr_matrix_samples(codes);
    heat *h = &s->heat;
    plain.labels = NULL;
    if (n == 0)
        TSR_FAIL(TSR_ERROR_DATA, "the model has no samples to show: say --data DATA");
    TSR_TRY(tsr_matrix_copy_samples(&h->codes, codes, NULL, n));
    h->labels = tsr_model_labels(s->model);
    if (where == NULL)
        goto done;
    TSR_TRY(tsr_labels_read(&h->read, where, &plain));
    if (tsr_labels_count(h->read) != n)
        TSR_FAIL(TSR_ERROR_DATA, "--labels %s has %lld labels; the model has %lld samples",
                 where, (long long)tsr_labels_count(h->read), (long long)n);
    h->labels = h->read;
done:
    return status;
}

/* Entries by the class that their basis vector serves most, those of none last. */
static tsr_status order_entries(sheet *s)
{
    tsr_status status = TSR_OK;
    heat *h = &s->heat;
    const int64_t k = tsr_matrix_features(h->codes);
    tsr_matrix *across = NULL, *sorted = NULL;
    int64_t *order = NULL, used = 0;
    int32_t *of = NULL, classes = 0;
    TSR_NEW(of, k);
    TSR_NEW(order, k);
    TSR_TRY(tsr_vector_classes(of, NULL, s->model));
    for (int64_t j = 0; j < k; j++)
        classes = of[j] >= classes ? of[j] + 1 : classes;
    for (int32_t c = 0; c <= classes; c++)
        for (int64_t j = 0; j < k; j++)
            if (of[j] == (c < classes ? c : -1))
                order[used++] = j;
    h->by_class = classes > 0;
    TSR_TRY(tsr_matrix_copy_transposed(&across, h->codes));
    TSR_TRY(tsr_matrix_copy_samples(&sorted, across, order, k));
    tsr_matrix_free(h->codes);
    h->codes = NULL;
    TSR_TRY(tsr_matrix_copy_transposed(&h->codes, sorted));
done:
    tsr_matrix_free(across);
    tsr_matrix_free(sorted);
    tsr__free(order);
    tsr__free(of);
    return status;
}

static tsr_status draw_map(sheet *s)
{
    tsr_status status = TSR_OK;
    const struct values *values = s->values;
    heat *h = &s->heat;
    TSR_TRY(values->data != NULL ? encode(s) : copy_codes(s));
    terminal_clear();
    if (h->labels != NULL && tsr_labels_known(h->labels) == 0)
        h->labels = NULL;
    if (values->unit_codes)
        TSR_TRY(tsr_matrix_normalize(h->codes, TSR_NORM_L2));
    if (values->codes)
        TSR_TRY(order_entries(s));
    TSR_TRY(tsr_heat_write(h->codes, h->labels, values->distances, values->output,
                           values->scale, values->read.threads, h->size, h->range));
done:
    return status;
}

static void map_json(const sheet *s, tsr__json *root)
{
    const heat *h = &s->heat;
    tsr__json_integer(root, "samples", tsr_matrix_samples(h->codes));
    tsr__json_integer(root, "classes", h->labels != NULL ? tsr_labels_classes(h->labels) : 0);
    tsr__json_integer(root, "rank", tsr_matrix_features(h->codes));
    tsr__json *pixels = tsr__json_array(root, "pixels");
    tsr__json_integer(pixels, NULL, h->size[0]);
    tsr__json_integer(pixels, NULL, h->size[1]);
    tsr__json_integer(root, "cells", h->size[2]);
    tsr__json_integer(root, "lines", h->size[3]);
    tsr__json *range = tsr__json_array(root, "range");
    tsr__json_real(range, NULL, h->range[0]);
    tsr__json_real(range, NULL, h->range[1]);
}

static void map_text(const sheet *s)
{
    const heat *h = &s->heat;
    const bool codes = s->values->codes;
    const int64_t n = tsr_matrix_samples(h->codes), rank = tsr_matrix_features(h->codes);
    const int32_t classes = h->labels != NULL ? tsr_labels_classes(h->labels) : 0;
    (void)printf("heat map of %s: %lld samples, rank %lld, %lld x %lld pixels\n",
                 codes ? "codes" : "distances", (long long)n, (long long)rank,
                 (long long)h->size[0], (long long)h->size[1]);
    if (classes == 0)
        (void)printf("  no classes are known: samples as they come\n");
    else
        (void)printf("  samples by class, %ld of them%s\n", (long)classes,
                     h->size[3] + 1 >= classes ? "" : ", too narrow for lines");
    if (codes)
        (void)printf("  basis vectors downwards%s\n",
                     h->by_class ? ", by the class that they serve most" : "");
    if (h->size[2] < n)
        (void)printf("  %lld samples are %lld cells: means of neighbours%s\n", (long long)n,
                     (long long)h->size[2], codes ? "" : ", of at most 8 samples a cell");
    if (codes && h->size[1] < rank)
        (void)printf("  %lld basis vectors are %lld cells: means of neighbours\n",
                     (long long)rank, (long long)h->size[1]);
    if (s->data == NULL && tsr_model_diffused(s->model) != tsr_model_codes(s->model))
        (void)printf("  codes are diffused over the neighbours\n");
    (void)printf("  pale is %.4g, dark %.4g\n", h->range[0], h->range[1]);
}

/* What is told ---------------------------------------------------------------------------- */

static tsr_status print_json(const sheet *s)
{
    tsr__json *root = tsr__json_new();
    if (is_map(s->values))
        map_json(s, root);
    else
        tsr__json_integer(root, "pictures", tsr_matrix_samples(s->pictures));
    if (s->values->reconstruct != NULL) {
        tsr__json_text(root, "sample", s->values->reconstruct);
        tsr__json_real(root, "relative_error", tsr_explanation_error(s->explanation));
        tsr__json *parts = tsr__json_array(root, "parts");
        tsr_part part;
        for (int64_t j = 0; j < s->parts && tsr_explanation_part(&part, s->explanation, j);
             j++) {
            tsr__json *item = tsr__json_object(parts, NULL);
            tsr__json_integer(item, "vector", part.vector);
            tsr__json_real(item, "code", part.code);
            tsr__json_real(item, "share", part.share);
        }
    }
    const tsr_status status = tsr__json_print(root, stdout);
    tsr__json_free(root);
    return status;
}

static void pictures_text(const sheet *s)
{
    const tsr_image_shape shape = tsr_matrix_image(s->pictures);
    (void)printf("%lld pictures of %lld x %lld\n", (long long)tsr_matrix_samples(s->pictures),
                 (long long)shape.height, (long long)shape.width);
    if (s->values->reconstruct != NULL) {
        (void)printf("  %sthe sum of its parts, then its parts by share\n",
                     s->data != NULL ? "the sample, " : "");
        if (s->data != NULL)
            (void)printf("  relative error  %.4f\n", tsr_explanation_error(s->explanation));
        tsr_part part;
        for (int64_t j = 0; j < s->parts && tsr_explanation_part(&part, s->explanation, j); j++)
            (void)printf("  vector %-4lld %5.1f %%\n", (long long)part.vector,
                         100 * part.share);
    }
}

static void print_text(const sheet *s)
{
    if (is_map(s->values))
        map_text(s);
    else
        pictures_text(s);
    (void)printf("  written to  %s\n", s->values->output);
}

static tsr_status check(const cli_call *call)
{
    const struct values *v = call->values;
    const char *wrong = NULL;
    if (v->codes + v->distances + (v->reconstruct != NULL) > 1)
        wrong = "--codes, --distances and --reconstruct are three sheets: say one of them";
    else if (v->data != NULL && v->reconstruct == NULL && !is_map(v))
        wrong = "--data is for --reconstruct SAMPLE, --codes and --distances";
    else if (v->unit_codes && !is_map(v))
        wrong = "--unit-codes is for --codes and --distances";
    else if (is_map(v) && (v->columns > 0 || v->top > 0 || v->common))
        wrong = "--columns, --top and --common are for pictures, not for heat maps";
    return wrong == NULL ? TSR_OK : tsr__fail(TSR_ERROR_ARGUMENT, "%s", wrong);
}

static tsr_status draw_pictures(sheet *s)
{
    tsr_status status = TSR_OK;
    const struct values *values = s->values;
    enum { SCALE = 2 };
    if (values->reconstruct != NULL)
        TSR_TRY(draw_parts(s));
    else
        TSR_TRY(draw_basis(s));
    terminal_clear();
    TSR_TRY(give_shape(s->pictures, s));
    TSR_TRY(tsr_sheet_write(s->pictures, values->output, values->columns,
                            values->scale > 0 ? values->scale : SCALE,
                            values->reconstruct != NULL || values->common));
done:
    return status;
}

static tsr_status run(const cli_call *call)
{
    tsr_status status = TSR_OK;
    struct values *values = call->values;
    sheet s = {.values = values};
    values->read.progress = terminal_progress(values->talk.quiet);
    TSR_TRY(tsr_model_read(&s.model, call->operand[0]));
    if (is_map(values))
        TSR_TRY(draw_map(&s));
    else
        TSR_TRY(draw_pictures(&s));
    if (values->talk.json)
        TSR_TRY(print_json(&s));
    else
        print_text(&s);
done:
    sheet_clear(&s);
    return status;
}

const cli_command command_sheet = {
    .name = "sheet",
    .topic = "use",
    .summary = "Draw basis vectors, a sample as the sum of its parts, or heat maps of codes.",
    .usage = "[options] MODEL.h5 -o SHEET.png",
    .details =
        "Black is zero. A sample and the sum of its parts share one range of grey; "
        "vectors and parts "
        "are stretched to their own range each, or with --common alike.\n\n"
        "Heat maps (--codes, --distances; Ambai et al. 2011, figure 4) have the samples by "
        "class, with lines between classes, as the data or --labels SRC name them. "
        "The darker, the larger.",
    .example =
        "  tessera sheet faces.h5 --columns 5 -o basis.png\n"
        "  tessera sheet faces.h5 --reconstruct 12 --data faces.mat --top 9 -o parts.png\n"
        "  tessera sheet faces.h5 --distances --data test.mat -o distances.png",
    .required = "output",
    .least = 1,
    .most = 1,
    .size = sizeof(struct values),
    .groups = {{"drawing", settings, 0},
               {"reading", tsr_read_settings, offsetof(struct values, read)},
               {"talking", talk_settings, offsetof(struct values, talk)}},
    .check = check,
    .run = run,
};
