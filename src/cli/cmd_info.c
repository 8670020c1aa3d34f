/* SPDX-License-Identifier: BSD-2-Clause
 *
 * tessera info: what a file or folder holds, and what looks suspicious about it; what a model is. */
#include "base/json.h"
#include "base/memory.h"
#include "base/names.h"
#include "base/text.h"
#include "cli/about.h"
#include "cli/command.h"

#include <string.h>

struct values {
    tsr_read_options read;
    talk talk;
    int64_t show;
};

static const tsr_setting table[] = {
    TSR_INTEGER_ROW(struct values, show, "show", 0, -1, 9e15, "-1", "SAMPLE",
                    "draw this sample as a picture; -1: none"),
    TSR_END_ROW,
};

static const tsr_setting *settings(void)
{
    return table;
}

/* What is said of one data set. */
struct finding {
    const tsr_data *data;
    const tsr_matrix *x;
    const tsr_labels *labels;
    tsr_scan scan;
    int64_t *members; /* of each class */
    tsr__names warnings;
};

static tsr_status count_classes(struct finding *found)
{
    tsr_status status = TSR_OK;
    if (found->labels == NULL)
        return TSR_OK;
    TSR_NEW_ZERO(found->members, tsr_labels_classes(found->labels));
    const int32_t *of = tsr_labels_of(found->labels);
    for (int64_t i = 0; i < tsr_labels_count(found->labels); i++)
        if (of[i] >= 0)
            found->members[of[i]]++;
done:
    return status;
}

static int64_t lonely_classes(const struct finding *found)
{
    int64_t lonely = 0;
    for (int32_t c = 0; found->labels != NULL && c < tsr_labels_classes(found->labels); c++)
        lonely += found->members[c] == 1;
    return lonely;
}

/* Says how many there are of something, if any, and where the first one is. */
static tsr_status warn(struct finding *found, int64_t count, const char *what, int64_t sample,
                       int64_t feature)
{
    char text[160];
    tsr__line line = TSR_LINE(text);
    if (count == 0)
        return TSR_OK;
    tsr__line_add(&line, "%lld %s", (long long)count, what);
    if (sample >= 0 || feature >= 0)
        tsr__line_add(&line, ", the first is");
    if (sample >= 0)
        tsr__line_add(&line, " sample %lld", (long long)sample);
    if (feature >= 0)
        tsr__line_add(&line, "%s feature %lld", sample >= 0 ? "," : "", (long long)feature);
    return tsr__names_add(&found->warnings, text);
}

static tsr_status suspect(struct finding *found)
{
    tsr_status status = TSR_OK;
    const tsr_scan *s = &found->scan;
    const bool labelled = found->labels != NULL;
    TSR_TRY(warn(found, s->not_finite, "values are NaN or infinite", s->first_not_finite[0],
                 s->first_not_finite[1]));
    TSR_TRY(warn(found, s->negative, "values are negative", s->first_negative[0],
                 s->first_negative[1]));
    TSR_TRY(warn(found, s->empty_samples, "samples are all zero", s->first_empty_sample, -1));
    TSR_TRY(
        warn(found, s->empty_features, "features are all zero", -1, s->first_empty_feature));
    TSR_TRY(warn(found, lonely_classes(found), "classes have a single sample", -1, -1));
    if (labelled && tsr_labels_classes(found->labels) == 1)
        TSR_TRY(tsr__names_add(&found->warnings, "there is only one class"));
    if (labelled && tsr_labels_known(found->labels) == 0)
        TSR_TRY(tsr__names_add(&found->warnings, "no sample has a known label"));
    for (int64_t i = 0; i < tsr_data_notes(found->data); i++)
        TSR_TRY(tsr__names_add(&found->warnings, tsr_data_note(found->data, i)));
done:
    return status;
}

static double density(const struct finding *found)
{
    return (double)found->scan.nonzeros / (double)tsr_matrix_samples(found->x) /
           (double)tsr_matrix_features(found->x);
}

static const char *order_name(tsr_image_order order)
{
    return order == TSR_COLUMN_ORDER ? "column" : "row";
}

static tsr_status print_json(const struct finding *found)
{
    tsr__json *root = tsr__json_new();
    const tsr_image_shape image = tsr_matrix_image(found->x);
    const tsr_labels *labels = found->labels;
    tsr__json_text(root, "origin", tsr_data_origin(found->data));
    tsr__json_text(root, "format", tsr_data_format(found->data));
    tsr__json_integer(root, "samples", tsr_matrix_samples(found->x));
    tsr__json_integer(root, "features", tsr_matrix_features(found->x));
    tsr__json_text(root, "dtype", tsr_data_dtype(found->data));
    tsr__json_flag(root, "sparse", tsr_matrix_is_sparse(found->x));
    tsr__json_real(root, "density", density(found));
    tsr__json_real(root, "minimum", found->scan.minimum);
    tsr__json_real(root, "maximum", found->scan.maximum);
    tsr__json_flag(root, "unit_norm", found->scan.unit_samples);
    tsr__json_integer(root, "classes", labels != NULL ? tsr_labels_classes(labels) : 0);
    tsr__json_integer(root, "labelled", labels != NULL ? tsr_labels_known(labels) : 0);
    tsr__json *counts = tsr__json_object(root, "class_counts");
    for (int32_t c = 0; labels != NULL && c < tsr_labels_classes(labels); c++)
        tsr__json_integer(counts, tsr_labels_name(labels, c), found->members[c]);
    if (image.height > 0) {
        tsr__json *shape = tsr__json_object(root, "image");
        tsr__json_integer(shape, "height", image.height);
        tsr__json_integer(shape, "width", image.width);
        tsr__json_text(shape, "order", order_name(image.order));
    }
    tsr__json *warnings = tsr__json_array(root, "warnings");
    for (int64_t i = 0; i < found->warnings.count; i++)
        tsr__json_text(warnings, NULL, found->warnings.name[i]);
    const tsr_status status = tsr__json_print(root, stdout);
    tsr__json_free(root);
    return status;
}

static void print_classes(const struct finding *found)
{
    enum { SHOWN = 12 };
    const int32_t classes = tsr_labels_classes(found->labels);
    int64_t least = found->members != NULL && classes > 0 ? found->members[0] : 0, most = least;
    for (int32_t c = 1; c < classes; c++) {
        least = found->members[c] < least ? found->members[c] : least;
        most = found->members[c] > most ? found->members[c] : most;
    }
    (void)printf("  classes    %d", classes);
    if (classes > 0 && least == most)
        (void)printf(" of %lld samples each:", (long long)least);
    else if (classes > 0)
        (void)printf(" of %lld to %lld samples:", (long long)least, (long long)most);
    for (int32_t c = 0; c < classes && c < SHOWN; c++) {
        char name[256];
        (void)printf(" %s",
                     tsr__printable_copy(name, sizeof name, tsr_labels_name(found->labels, c)));
        if (least != most)
            (void)printf(" (%lld)", (long long)found->members[c]);
    }
    (void)printf("%s\n  labelled   %lld of %lld\n", classes > SHOWN ? " ..." : "",
                 (long long)tsr_labels_known(found->labels),
                 (long long)tsr_labels_count(found->labels));
}

static void print_text(const struct finding *found)
{
    char low[TSR_REAL_SIZE], high[TSR_REAL_SIZE];
    const tsr_image_shape image = tsr_matrix_image(found->x);
    char origin[1024];
    (void)printf("%s\n",
                 tsr__printable_copy(origin, sizeof origin, tsr_data_origin(found->data)));
    (void)printf("  format     %s, %s, %s\n", tsr_data_format(found->data),
                 tsr_data_dtype(found->data),
                 tsr_matrix_is_sparse(found->x) ? "sparse" : "dense");
    (void)printf("  samples    %lld\n", (long long)tsr_matrix_samples(found->x));
    (void)printf("  features   %lld", (long long)tsr_matrix_features(found->x));
    if (image.height > 0)
        (void)printf(" (images %lld x %lld, %s by %s)", (long long)image.height,
                     (long long)image.width, order_name(image.order), order_name(image.order));
    (void)tsr__format_real(low, found->scan.minimum);
    (void)tsr__format_real(high, found->scan.maximum);
    (void)printf("\n  density    %.4g %%\n  range      %s .. %s\n", 100 * density(found), low,
                 high);
    (void)printf("  unit norm  %s\n", found->scan.unit_samples ? "yes (L2)" : "no");
    if (found->labels != NULL)
        print_classes(found);
    else
        (void)printf("  labels     none\n");
    for (int64_t i = 0; i < found->warnings.count; i++)
        (void)printf("  note       %s\n",
                     tsr__printable_copy(origin, sizeof origin, found->warnings.name[i]));
}

/* Sample i in characters from dark to light, upright, at most 64 columns and half as many
 * lines. */
static tsr_status draw(const struct finding *found, int64_t sample)
{
    static const char shades[] = " .:-=+*#%@";
    tsr_status status = TSR_OK;
    const tsr_image_shape image = tsr_matrix_image(found->x);
    double *pixel = NULL, low = 0, high = 0;
    if (sample >= tsr_matrix_samples(found->x))
        TSR_FAIL(TSR_ERROR_ARGUMENT, "sample %lld exceeds the %lld there are",
                 (long long)sample, (long long)tsr_matrix_samples(found->x));
    if (image.height == 0)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "the samples are no pictures: say --image-shape HxW");
    TSR_NEW(pixel, tsr_matrix_features(found->x));
    tsr_matrix_get_sample(pixel, found->x, sample);
    low = high = pixel[0];
    for (int64_t j = 1; j < tsr_matrix_features(found->x); j++) {
        low = pixel[j] < low ? pixel[j] : low;
        high = pixel[j] > high ? pixel[j] : high;
    }
    const int64_t columns = image.width < 32 ? 2 * image.width : 64;
    const int64_t lines = columns * image.height / image.width / 2;
    for (int64_t i = 0; i < lines; i++) {
        for (int64_t j = 0; j < columns; j++) {
            const int64_t r = (2 * i + 1) * image.height / (2 * lines);
            const int64_t c = (2 * j + 1) * image.width / (2 * columns);
            const double v = pixel[image.order == TSR_COLUMN_ORDER ? c * image.height + r
                                                                   : r * image.width + c];
            const int shade = high > low ? (int)(9.99 * (v - low) / (high - low)) : 0;
            (void)putchar(shades[shade < 0 || shade > 9 ? 0 : shade]);
        }
        (void)putchar('\n');
    }
done:
    tsr__free(pixel);
    return status;
}

static tsr_status show_model(const char *path, const struct values *values)
{
    tsr_model *model = NULL;
    tsr_status status = tsr_model_read(&model, path);
    if (status == TSR_OK)
        status = values->talk.json ? about_json(path, model) : about_print(path, model);
    tsr_model_free(model);
    return status;
}

static tsr_status run(const cli_call *call)
{
    tsr_status status = TSR_OK;
    struct values *values = call->values;
    if (tsr_path_holds_model(call->operand[0]))
        return show_model(call->operand[0], values);
    struct finding found = {0};
    tsr_data *data = NULL;
    values->read.progress = terminal_progress(values->talk.quiet);
    TSR_TRY(tsr_data_read(&data, call->operand[0], &values->read));
    terminal_clear();
    found.data = data;
    found.x = tsr_data_samples(data);
    found.labels = tsr_data_labels(data);
    TSR_TRY(tsr_matrix_scan(&found.scan, found.x));
    TSR_TRY(count_classes(&found));
    TSR_TRY(suspect(&found));
    if (values->talk.json) {
        TSR_TRY(print_json(&found));
    } else {
        print_text(&found);
        if (values->show >= 0)
            TSR_TRY(draw(&found, values->show));
    }
done:
    tsr__free(found.members);
    tsr__names_clear(&found.warnings);
    tsr_data_free(data);
    return status;
}

const cli_command command_info = {
    .name = "info",
    .topic = "data",
    .summary = "Say what a file or folder holds and what looks suspicious about it.",
    .usage = "[options] DATA|MODEL.h5",
    .details =
        "DATA is a file, FILE:NAME (a variable of it) or a folder of images. Of a model it "
        "says\nwhat was fitted, to what, with which settings, and how it went.",
    .example = "  tessera info faces.mat --show 0\n  tessera info model.h5",
    .least = 1,
    .most = 1,
    .size = sizeof(struct values),
    .groups = {{"looking", settings, 0},
               {"reading", tsr_read_settings, offsetof(struct values, read)},
               {"talking", talk_settings, offsetof(struct values, talk)}},
    .run = run,
};
