/* SPDX-License-Identifier: BSD-2-Clause
 *
 * tessera sheet: basis vectors as pictures, and a sample as the sum of its parts. */
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

/* What is drawn: rows of `pictures`, and what they are of. */
typedef struct sheet {
    const struct values *values;
    tsr_model *model;
    tsr_data *data;
    tsr_explanation *explanation; /* of a sample, or NULL: the basis */
    int64_t parts;                /* of it that are shown */
    tsr_matrix *pictures;
} sheet;

static void sheet_clear(sheet *s)
{
    tsr_model_free(s->model);
    tsr_data_free(s->data);
    tsr_explanation_free(s->explanation);
    tsr_matrix_free(s->pictures);
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

static tsr_status print_json(const sheet *s)
{
    tsr__json *root = tsr__json_new();
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

static void print_text(const sheet *s)
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
    sheet s = {.values = values};
    values->read.progress = terminal_progress(values->talk.quiet);
    TSR_TRY(tsr_model_read(&s.model, call->operand[0]));
    if (values->reconstruct != NULL)
        TSR_TRY(draw_parts(&s));
    else
        TSR_TRY(draw_basis(&s));
    terminal_clear();
    TSR_TRY(give_shape(s.pictures, &s));
    TSR_TRY(tsr_sheet_write(s.pictures, values->output, values->columns, values->scale,
                            values->reconstruct != NULL || values->common));
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
