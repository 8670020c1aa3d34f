/* SPDX-License-Identifier: BSD-2-Clause
 *
 * tessera sheet: basis vectors as pictures, and a sample as the sum of its parts. */
#include "base/json.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/text.h"
#include "cli/command.h"
#include "factor/model.h"
#include "factor/prepared.h"
#include "image/sheet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct values {
    tsr_read_options read;
    talk talk;
    const char *output, *reconstruct, *data;
    int64_t columns, scale, top;
    bool common;
};

static const tsr_setting table[] = {
    TSR_TEXT_ROW(struct values, output, "output", 'o', NULL, "OUT.png", "the sheet; required"),
    TSR_INTEGER_ROW(struct values, columns, "columns", 0, 0, 1e6, "0", "N",
                    "pictures in a line; 0: about square"),
    TSR_INTEGER_ROW(struct values, scale, "scale", 0, 1, 64, "2", "N",
                    "pixels across a pixel of the pictures"),
    TSR_INTEGER_ROW(struct values, top, "top", 0, 0, 1e9, "0", "M",
                    "only the M vectors or parts that contribute most, in that order; 0: all"),
    TSR_FLAG_ROW(struct values, common, "common", 0,
                 "one range of grey for all vectors, or parts"),
    TSR_TEXT_ROW(struct values, reconstruct, "reconstruct", 0, NULL, "SAMPLE",
                 "a sample's number from 0, or name: itself, what the model makes of it, its "
                 "parts"),
    TSR_TEXT_ROW(struct values, data, "data", 'd', NULL, "DATA",
                 "where the sample is; else it is one that the model was fitted to"),
    TSR_END_ROW,
};

static const tsr_setting *settings(void)
{
    return table;
}

/* What is drawn: rows of `pictures`, and which vectors they are of. */
typedef struct sheet {
    const struct values *values;
    tsr_model *model;
    tsr_data *data;
    tsr_matrix *sample;   /* 1 x m in the form in which the model sees it, or NULL */
    tsr_matrix *codes;    /* its codes where they had to be made */
    double *share;        /* of each vector: code times length of the vector, sum 1 */
    int64_t *order, used; /* vectors by share; those with any */
    tsr_matrix *pictures;
    double error; /* relative, of the sample; NaN where it is not known */
} sheet;

static void sheet_clear(sheet *s)
{
    tsr_model_free(s->model);
    tsr_data_free(s->data);
    tsr_matrix_free(s->sample);
    tsr_matrix_free(s->codes);
    tsr_matrix_free(s->pictures);
    tsr__free(s->share);
    tsr__free(s->order);
}

static tsr_status give_shape(tsr_matrix *x, const sheet *s)
{
    const tsr_read_options *read = &s->values->read;
    tsr_image_shape shape = tsr_matrix_image(s->model->basis);
    if (read->image_shape[0] > 0)
        shape = (tsr_image_shape){read->image_shape[0], read->image_shape[1],
                                  read->image_order == 2 ? TSR_COLUMN_ORDER : TSR_ROW_ORDER};
    if (shape.height == 0)
        return tsr__fail(
            TSR_ERROR_ARGUMENT,
            "the basis vectors of %lld features are no pictures: say --image-shape "
            "HxW, or fit the model to data that are pictures",
            (long long)tsr_matrix_features(s->model->basis));
    return tsr_matrix_set_image(x, shape);
}

/* The sample by its name or number among `count`; `data` may be NULL. */
static tsr_status find_sample(int64_t *out, const char *wanted, const tsr_data *data,
                              int64_t count)
{
    for (int64_t i = 0; data != NULL && i < data->sample_names.count; i++)
        if (strcmp(data->sample_names.name[i], wanted) == 0) {
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

/* A sample of the data: its codes with the basis fixed, and itself. */
static tsr_status encode(sheet *s)
{
    tsr_status status = TSR_OK;
    const struct values *values = s->values;
    tsr_data *one = NULL;
    int64_t i = 0;
    tsr_transform_options options = {0};
    tsr_settings_default(tsr_transform_settings(), &options);
    options.threads = values->read.threads;
    TSR_TRY(tsr_data_read(&s->data, values->data, &values->read));
    TSR_TRY(find_sample(&i, values->reconstruct, s->data, tsr_data_samples(s->data)->samples));
    TSR_TRY(tsr_data_copy_samples(&one, s->data, &i, 1));
    TSR_TRY(tsr_model_transform(&s->codes, s->model, one, &options));
    TSR_TRY(tsr_matrix_copy_as(&s->sample, tsr_data_samples(one), TSR_FLOAT64, false));
    tsr_matrix_normalize(s->sample, (tsr_norm)s->model->options.normalize);
    if (s->model->scale != NULL)
        tsr__weigh_by_cuts(s->sample, s->model->scale);
done:
    tsr_data_free(one);
    return status;
}

/* A sample that the model was fitted to: its codes are there. */
static tsr_status look_up(sheet *s)
{
    tsr_status status = TSR_OK;
    int64_t i = 0;
    TSR_TRY(find_sample(&i, s->values->reconstruct, NULL, s->model->codes->samples));
    TSR_TRY(tsr_matrix_copy_samples(&s->codes, s->model->codes, &i, 1));
done:
    return status;
}

typedef struct place {
    double share;
    int64_t vector;
} place;

static int by_share(const void *a, const void *b)
{
    const place *left = a, *right = b;
    if (left->share != right->share)
        return left->share > right->share ? -1 : 1;
    return (left->vector > right->vector) - (left->vector < right->vector);
}

/* Vectors by what they contribute to the samples that `codes` are of. */
static tsr_status order_vectors(sheet *s, const tsr_matrix *codes)
{
    tsr_status status = TSR_OK;
    const int64_t k = s->model->basis->samples;
    place *places = NULL;
    double sum = 0;
    TSR_NEW_ZERO(places, k);
    TSR_NEW(s->share, k);
    TSR_NEW(s->order, k);
    for (int64_t j = 0; j < k; j++) {
        places[j].vector = j;
        for (int64_t i = 0; i < codes->samples; i++)
            places[j].share += tsr_matrix_at(codes, i, j);
        places[j].share *= sqrt(tsr__row_square(s->model->basis, j));
        sum += places[j].share;
    }
    qsort(places, (size_t)k, sizeof *places, by_share);
    for (int64_t j = 0; j < k; j++) {
        s->order[j] = places[j].vector;
        s->share[places[j].vector] = sum > 0 ? places[j].share / sum : 0;
        s->used += places[j].share > 0;
    }
done:
    tsr__free(places);
    return status;
}

/* The basis, or the M vectors that contribute most. */
static tsr_status draw_basis(sheet *s)
{
    tsr_status status = TSR_OK;
    const tsr_matrix *basis = s->model->basis;
    const int64_t top = s->values->top, k = basis->samples;
    if (top > k)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "--top %lld exceeds the %lld basis vectors",
                 (long long)top, (long long)k);
    if (top > 0)
        TSR_TRY(order_vectors(s, s->model->codes));
    TSR_TRY(tsr_matrix_copy_samples(&s->pictures, basis, s->order, top > 0 ? top : k));
done:
    return status;
}

/* Row `to` of the pictures += code x vector. */
static void add_part(sheet *s, int64_t to, int64_t vector)
{
    const double code = tsr_matrix_at(s->codes, 0, vector);
    double *row = (double *)s->pictures->values + to * s->pictures->stride;
    for (int64_t v = 0; v < s->pictures->features; v++)
        row[v] += code * tsr_matrix_at(s->model->basis, vector, v);
}

static void measure_error(sheet *s, const double *made)
{
    double square = 0;
    const double *x = s->sample->values;
    for (int64_t v = 0; v < s->sample->features; v++)
        square += (x[v] - made[v]) * (x[v] - made[v]);
    s->error = sqrt(square / tsr__row_square(s->sample, 0));
}

static double largest(const double *value, int64_t count)
{
    double most = 0;
    for (int64_t i = 0; i < count; i++)
        most = value[i] > most ? value[i] : most;
    return most;
}

/* Parts are dark beside their sum: each is made as bright, or with --common the brightest. */
static void brighten(sheet *s, int64_t first)
{
    double *value = s->pictures->values;
    const int64_t m = s->pictures->features;
    const double white = largest(value, first * m);
    double most = largest(value + first * m, s->used * m);
    for (int64_t i = first; i < first + s->used; i++) {
        if (!s->values->common)
            most = largest(value + i * m, m);
        for (int64_t v = 0; most > 0 && v < m; v++)
            value[i * m + v] *= white / most;
    }
}

/* The sample where there is one, the sum of its parts, the parts. */
static tsr_status draw_parts(sheet *s)
{
    tsr_status status = TSR_OK;
    const int64_t m = s->model->basis->features;
    if (s->model->atoms != NULL)
        TSR_FAIL(TSR_ERROR_UNSUPPORTED,
                 "a model with a kernel makes samples in the kernel's space, not as pictures");
    if (s->values->data != NULL)
        TSR_TRY(encode(s));
    else
        TSR_TRY(look_up(s));
    TSR_TRY(order_vectors(s, s->codes));
    if (s->values->top > 0 && s->values->top < s->used)
        s->used = s->values->top;
    const int64_t made = s->sample != NULL;
    TSR_TRY(tsr_matrix_create(&s->pictures, made + 1 + s->used, m, TSR_FLOAT64));
    double *row = s->pictures->values;
    if (s->sample != NULL)
        tsr_matrix_get_sample(row, s->sample, 0);
    for (int64_t j = 0; j < s->model->basis->samples; j++)
        add_part(s, made, j);
    for (int64_t j = 0; j < s->used; j++)
        add_part(s, made + 1 + j, s->order[j]);
    if (s->sample != NULL)
        measure_error(s, row + made * s->pictures->stride);
    brighten(s, made + 1);
done:
    return status;
}

static tsr_status write(const sheet *s)
{
    tsr_status status = TSR_OK;
    const struct values *values = s->values;
    const bool parts = values->reconstruct != NULL;
    tsr_scan scan;
    tsr__output output = {NULL, NULL, 0};
    TSR_TRY(tsr_matrix_scan(&scan, s->pictures));
    const double white = parts || values->common ? scan.maximum : 0;
    TSR_TRY(tsr__output_begin(&output, values->output, false));
    TSR_TRY(
        tsr__sheet_write(output.temporary, s->pictures, values->columns, values->scale, white));
    TSR_TRY(tsr__output_commit(&output));
done:
    tsr__output_abandon(&output);
    return status < 0 ? tsr__fail_in(status, values->output) : status;
}

static tsr_status print_json(const sheet *s)
{
    tsr__json *root = tsr__json_new();
    tsr__json_integer(root, "pictures", s->pictures->samples);
    if (s->values->reconstruct != NULL) {
        tsr__json_text(root, "sample", s->values->reconstruct);
        tsr__json_real(root, "relative_error", s->error);
        tsr__json *parts = tsr__json_array(root, "parts");
        for (int64_t j = 0; j < s->used; j++) {
            tsr__json *part = tsr__json_object(parts, NULL);
            tsr__json_integer(part, "vector", s->order[j]);
            tsr__json_real(part, "code", tsr_matrix_at(s->codes, 0, s->order[j]));
            tsr__json_real(part, "share", s->share[s->order[j]]);
        }
    }
    const tsr_status status = tsr__json_print(root, stdout);
    tsr__json_free(root);
    return status;
}

static void print_text(const sheet *s)
{
    const tsr_image_shape shape = tsr_matrix_image(s->pictures);
    (void)printf("%lld pictures of %lld x %lld\n", (long long)s->pictures->samples,
                 (long long)shape.height, (long long)shape.width);
    if (s->values->reconstruct != NULL) {
        (void)printf("  %sthe sum of its parts, then its parts by share\n",
                     s->sample != NULL ? "the sample, " : "");
        if (s->sample != NULL)
            (void)printf("  relative error  %.4f\n", s->error);
        for (int64_t j = 0; j < s->used; j++)
            (void)printf("  vector %-4lld %5.1f %%\n", (long long)s->order[j],
                         100 * s->share[s->order[j]]);
    }
    (void)printf("  written to  %s\n", s->values->output);
}

static tsr_status check(const cli_call *call)
{
    const struct values *values = call->values;
    return values->data == NULL || values->reconstruct != NULL
               ? TSR_OK
               : tsr__fail(TSR_ERROR_ARGUMENT, "--data is for --reconstruct SAMPLE");
}

static tsr_status run(const cli_call *call)
{
    tsr_status status = TSR_OK;
    struct values *values = call->values;
    sheet s = {.values = values, .error = NAN};
    values->read.progress = terminal_progress(values->talk.quiet);
    TSR_TRY(tsr_model_read(&s.model, call->operand[0]));
    if (values->reconstruct != NULL)
        TSR_TRY(draw_parts(&s));
    else
        TSR_TRY(draw_basis(&s));
    terminal_clear();
    TSR_TRY(give_shape(s.pictures, &s));
    TSR_TRY(write(&s));
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
    .summary = "Draw basis vectors as pictures, or a sample as the sum of its parts.",
    .usage = "[options] MODEL.h5 -o SHEET.png",
    .details = "Black is zero. A sample and the sum of its parts share one range of grey; "
               "vectors and parts "
               "are stretched to their own range each, or with --common alike.",
    .example =
        "  tessera sheet faces.h5 --columns 5 -o basis.png\n"
        "  tessera sheet faces.h5 --reconstruct 12 --data faces.mat --top 9 -o parts.png",
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
