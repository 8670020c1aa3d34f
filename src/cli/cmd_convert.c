/* SPDX-License-Identifier: BSD-2-Clause
 *
 * tessera convert: any format to any other, with the changes people want on the way. */
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/command.h"

#include <string.h>

struct values {
    tsr_read_options read;
    talk talk;
    const char *output, *select;
    int normalize, precision, storage, missing;
    bool transpose, both_orders;
};

static const tsr_setting table[] = {
    TSR_TEXT_ROW(struct values, output, "output", 'o', NULL, "OUT", "where to write; required"),
    TSR_CHOICE_ROW(struct values, normalize, "normalize", "none|l2|l1|max",
                   "scale every sample to unit norm"),
    TSR_FLAG_ROW(struct values, transpose, "transpose", 0,
                 "features become samples; labels are left out"),
    TSR_TEXT_ROW(struct values, select, "select", 0, NULL, "WHICH",
                 "keep classes:A,B or rows:0-9,20 (in that order)"),
    TSR_CHOICE_ROW(struct values, precision, "precision", "keep|double|single",
                   "type of the numbers"),
    TSR_CHOICE_ROW(struct values, storage, "storage", "keep|dense|sparse",
                   "how they are stored"),
    TSR_CHOICE_ROW(struct values, missing, "missing", "error|keep",
                   "whether NaN is refused or kept as a missing value"),
    TSR_FLAG_ROW(struct values, both_orders, "both-orders", 0,
                 "an .h5 of sparse samples holds them by feature, too"),
    TSR_END_ROW,
};

static const tsr_setting *settings(void)
{
    return table;
}

/* A growing list of samples. */
struct choice {
    int64_t *sample, count, room;
};

static tsr_status choose_rows(struct choice *out, const char *list, int64_t samples)
{
    tsr_status status = TSR_OK;
    const char *end = list + strlen(list);
    for (const char *at = list; at < end;) {
        int64_t first = 0, last = 0;
        const char *next = tsr__parse_integer(&first, at, end);
        last = first;
        if (next != at && *next == '-')
            next = tsr__parse_integer(&last, next + 1, end);
        if (next == at || (*next != ',' && *next != '\0') || first < 0 || last < first)
            TSR_FAIL(TSR_ERROR_ARGUMENT,
                     "--select rows: wants numbers and ranges such as "
                     "0-9,20, not '%s'",
                     list);
        if (last >= samples)
            TSR_FAIL(TSR_ERROR_ARGUMENT, "--select: row %lld exceeds the %lld samples",
                     (long long)last, (long long)samples);
        for (int64_t i = first; i <= last; i++) {
            TSR_GROW(out->sample, out->count, out->room);
            out->sample[out->count++] = i;
        }
        at = next + (*next == ',');
    }
done:
    return status;
}

/* The class whose name is the first `length` bytes of `name`, or -1. */
static int32_t class_named(const tsr_labels *labels, const char *name, size_t length)
{
    for (int32_t c = 0; c < tsr_labels_classes(labels); c++)
        if (strlen(tsr_labels_name(labels, c)) == length &&
            strncmp(tsr_labels_name(labels, c), name, length) == 0)
            return c;
    return -1;
}

static tsr_status choose_classes(struct choice *out, const char *list, const tsr_labels *labels)
{
    tsr_status status = TSR_OK;
    bool *wanted = NULL;
    if (labels == NULL)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "--select %s names classes, but there are no labels",
                 list);
    TSR_NEW_ZERO(wanted, tsr_labels_classes(labels));
    for (const char *at = list; *at != '\0'; at += *at == ',') {
        const size_t length = strcspn(at, ",");
        const int32_t c = class_named(labels, at, length);
        if (c < 0)
            TSR_FAIL(TSR_ERROR_ARGUMENT, "--select: there is no class '%.*s' among the %d",
                     (int)length, at, tsr_labels_classes(labels));
        wanted[c] = true;
        at += length;
    }
    for (int64_t i = 0; i < tsr_labels_count(labels); i++) {
        const int32_t c = tsr_labels_of(labels)[i];
        if (c < 0 || !wanted[c])
            continue;
        TSR_GROW(out->sample, out->count, out->room);
        out->sample[out->count++] = i;
    }
done:
    tsr__free(wanted);
    return status;
}

/* `copy`, if there is one, takes the place of the data. */
static void replace(tsr_data **data, tsr_data *copy)
{
    if (copy == NULL)
        return;
    tsr_data_free(*data);
    *data = copy;
}

static tsr_status select_samples(tsr_data **data, const char *which)
{
    tsr_status status = TSR_OK;
    struct choice choice = {NULL, 0, 0};
    tsr_data *kept = NULL;
    if (strncmp(which, "rows:", 5) == 0)
        TSR_TRY(choose_rows(&choice, which + 5, tsr_matrix_samples(tsr_data_samples(*data))));
    else
        TSR_TRY(choose_classes(&choice, which + (strncmp(which, "classes:", 8) == 0 ? 8 : 0),
                               tsr_data_labels(*data)));
    if (choice.count == 0)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "--select %s keeps no sample", which);
    TSR_TRY(tsr_data_copy_samples(&kept, *data, choice.sample, choice.count));
    replace(data, kept);
done:
    tsr__free(choice.sample);
    return status;
}

static tsr_status transpose(tsr_data **data)
{
    tsr_data *copy = NULL;
    const tsr_status status = tsr_data_copy_transposed(&copy, *data);
    replace(data, copy);
    return status;
}

/* Another type or storage, where that was asked for. */
static tsr_status restore(tsr_data **data, const struct values *values)
{
    static const tsr_type types[] = {TSR_FLOAT64, TSR_FLOAT64, TSR_FLOAT32};
    const tsr_matrix *x = tsr_data_samples(*data);
    const tsr_type type =
        values->precision == 0 ? tsr_matrix_type(x) : types[values->precision];
    const bool sparse = values->storage == 0 ? tsr_matrix_is_sparse(x) : values->storage == 2;
    tsr_data *copy = NULL;
    if (type == tsr_matrix_type(x) && sparse == tsr_matrix_is_sparse(x))
        return TSR_OK;
    const tsr_status status = tsr_data_copy_as(&copy, *data, type, sparse);
    replace(data, copy);
    return status;
}

/* What was written: samples, features, classes. */
static tsr_status report(const int64_t shape[3], const struct values *values)
{
    tsr_status status = TSR_OK;
    const bool lost = shape[2] > 0 && !tsr_path_holds_labels(values->output);
    if (lost && !values->talk.quiet)
        (void)fprintf(stderr,
                      "note: %s cannot hold the labels of %lld classes; .npz, .h5, .mat and "
                      ".csv can\n",
                      values->output, (long long)shape[2]);
    if (values->talk.json) {
        tsr__json *root = tsr__json_new();
        tsr__json_text(root, "output", values->output);
        tsr__json_integer(root, "samples", shape[0]);
        tsr__json_integer(root, "features", shape[1]);
        tsr__json_integer(root, "classes", shape[2]);
        tsr__json_flag(root, "labels_lost", lost);
        status = tsr__json_print(root, stdout);
        tsr__json_free(root);
    } else if (!values->talk.quiet) {
        (void)fprintf(stderr, "wrote %s: %lld samples of %lld features\n", values->output,
                      (long long)shape[0], (long long)shape[1]);
    }
    return status;
}

/* The parts of a model, a line each, to choose one. */
static tsr_status list_parts(const char *path)
{
    tsr_status status = TSR_OK;
    tsr_contents *contents = NULL;
    char line[256];
    TSR_TRY(tsr_contents_read(&contents, path));
    (void)printf("%s is a model; its parts are\n", path);
    for (int64_t i = 0; i < tsr_contents_count(contents); i++)
        (void)printf("  %s:%s\n", path,
                     tsr__printable_copy(line, sizeof line, tsr_contents_line(contents, i)));
done:
    tsr_contents_free(contents);
    return status;
}

/* Without -o a model is looked at; why a file that could be one cannot be read, listing it tells. */
static tsr_status check(const cli_call *call)
{
    const struct values *values = call->values;
    tsr_contents *contents = NULL;
    if (values->output != NULL || tsr_path_holds_model(call->operand[0]))
        return TSR_OK;
    const tsr_status status = tsr_contents_read(&contents, call->operand[0]);
    tsr_contents_free(contents);
    return status < 0 && status != TSR_ERROR_ARGUMENT
               ? status
               : tsr__fail(TSR_ERROR_ARGUMENT, "missing: --output; `tessera convert --help` "
                                               "shows what it takes");
}

static int needs_of(const struct values *values)
{
    return values->missing ? TSR_NEED_NOT_INFINITE : TSR_NEED_FINITE;
}

/* What passes is not changed on the way; what it becomes stays in its file, and can be. */
static tsr_status check_unchanged(const char *where, const struct values *values)
{
    const char *change = values->select != NULL   ? "select"
                         : values->normalize != 0 ? "normalize"
                         : values->precision != 0 ? "precision"
                         : values->storage != 0   ? "storage"
                                                  : NULL;
    if (values->transpose)
        return tsr__fail(TSR_ERROR_ARGUMENT,
                         "%s: --transpose needs all samples in memory, and they take more than "
                         "--memory: leave out one of the two, or, of sparse samples, take "
                         "OUT.h5:x_by_feature of --both-orders",
                         where);
    if (change != NULL)
        return tsr__fail(TSR_ERROR_ARGUMENT,
                         "%s: takes more than --memory, and is not changed while it passes: "
                         "write OUT.h5 without --%s, and convert that with it",
                         where, change);
    return TSR_OK;
}

/* Data that are larger than --memory and do not stay in their file pass through it as they are. */
static tsr_status convert_in_blocks(const char *where, const struct values *values)
{
    tsr_status status = TSR_OK;
    int64_t shape[3] = {0, 0, 0};
    TSR_TRY(check_unchanged(where, values));
    TSR_TRY(tsr_data_convert_checked(shape, where, values->output, &values->read,
                                     values->both_orders, needs_of(values)));
    terminal_clear();
    TSR_TRY(report(shape, values));
done:
    return status;
}

static tsr_status convert_whole(const char *where, const struct values *values)
{
    tsr_status status = TSR_OK;
    tsr_data *data = NULL;
    TSR_TRY(tsr_data_read(&data, where, &values->read));
    terminal_clear();
    TSR_TRY(tsr_matrix_check(tsr_data_samples(data), needs_of(values), tsr_data_origin(data)));
    if (values->select != NULL)
        TSR_TRY(select_samples(&data, values->select));
    TSR_TRY(restore(&data, values));
    TSR_TRY(tsr_matrix_normalize(tsr_data_samples(data), (tsr_norm)values->normalize));
    if (values->transpose)
        TSR_TRY(transpose(&data));
    TSR_TRY(values->both_orders ? tsr_data_write_both(data, values->output)
                                : tsr_data_write(data, values->output));
    for (int64_t i = 0; !values->talk.quiet && i < tsr_data_notes(data); i++)
        (void)fprintf(stderr, "note: %s\n", tsr_data_note(data, i));
    const tsr_matrix *x = tsr_data_samples(data);
    const int64_t shape[3] = {tsr_matrix_samples(x), tsr_matrix_features(x),
                              tsr_labels_classes(tsr_data_labels(data))};
    TSR_TRY(report(shape, values));
done:
    tsr_data_free(data);
    return status;
}

static tsr_status run(const cli_call *call)
{
    tsr_status status = TSR_OK;
    struct values *values = call->values;
    const char *where = call->operand[0];
    int64_t size = 0;
    if (values->output == NULL)
        return list_parts(where);
    values->read.progress = terminal_progress(values->talk.quiet);
    if (values->read.memory > 0)
        TSR_TRY(tsr_path_size(&size, where));
    TSR_TRY(size > values->read.memory / 4 ? convert_in_blocks(where, values)
                                           : convert_whole(where, values));
done:
    return status;
}

const cli_command command_convert = {
    .name = "convert",
    .topic = "data",
    .summary = "Write data in another format, selected, normalised or transposed.",
    .usage = "[options] DATA -o OUT",
    .details =
        "The extension of OUT says the format; an OUT without one is a folder of PNG "
        "images. Of\na model, DATA is one of its parts; without -o they are listed. "
        "Data that are larger than\n--memory become .h5 or .npy without being in memory; "
        "of those two formats they may be\nchanged on the way.",
    .example = "  tessera convert faces.mat --normalize l2 --select classes:1,2 -o two.npz\n"
               "  tessera convert big.mtx --memory 2G --both-orders -o big.h5",
    .least = 1,
    .most = 1,
    .size = sizeof(struct values),
    .groups = {{"converting", settings, 0},
               {"reading", tsr_read_settings, offsetof(struct values, read)},
               {"talking", talk_settings, offsetof(struct values, talk)}},
    .check = check,
    .run = run,
};
