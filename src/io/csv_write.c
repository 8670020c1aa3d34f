/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Tables as text. A head is written where anything has a name: "name", the features (f0, f1 ...
 * where they have none), "label". Names that read as something else stand in quotes; an unknown
 * label is an empty field. Numbers read back bit for bit. */
#include "io/format.h"
#include "io/sink.h"
#include "matrix/matrix.h"

#include <string.h>
#include <strings.h>

static bool needs_quotes(const char *name, char delimiter)
{
    const size_t length = strlen(name);
    double number = 0;
    if (length == 0)
        return false;
    return strchr(name, delimiter) != NULL || strpbrk(name, "\"\r\n\t") != NULL ||
           strchr(" #", name[0]) != NULL || name[length - 1] == ' ' ||
           strcasecmp(name, "NA") == 0 || tsr__text_is_real(&number, name);
}

static void put_name(tsr__sink *sink, const char *name, char delimiter)
{
    if (!needs_quotes(name, delimiter)) {
        tsr__sink_text(sink, name);
        return;
    }
    tsr__sink_byte(sink, '"');
    for (; *name != '\0'; name++) {
        if (*name == '"')
            tsr__sink_byte(sink, '"');
        tsr__sink_byte(sink, *name);
    }
    tsr__sink_byte(sink, '"');
}

static void put_head(tsr__sink *sink, const tsr_data *data, char delimiter)
{
    if (data->sample_names.count > 0) {
        tsr__sink_text(sink, "name");
        tsr__sink_byte(sink, delimiter);
    }
    for (int64_t j = 0; j < data->x->features; j++) {
        if (j > 0)
            tsr__sink_byte(sink, delimiter);
        const bool named = j < data->feature_names.count;
        if (named && *data->feature_names.name[j] != '\0') {
            put_name(sink, data->feature_names.name[j], delimiter);
        } else {
            tsr__sink_byte(sink, 'f');
            tsr__sink_integer(sink, j);
        }
    }
    if (data->labels != NULL) {
        tsr__sink_byte(sink, delimiter);
        tsr__sink_text(sink, "label");
    }
    tsr__sink_byte(sink, '\n');
}

static void put_label(tsr__sink *sink, const tsr_labels *labels, int64_t i, bool numbers,
                      char delimiter)
{
    const int32_t of = labels->of[i];
    tsr__sink_byte(sink, delimiter);
    if (of < 0)
        return;
    if (numbers)
        tsr__sink_text(sink, labels->name[of]);
    else
        put_name(sink, labels->name[of], delimiter);
}

static tsr_status write_table(const tsr_data *data, const char *path, char delimiter)
{
    tsr_status status = TSR_OK;
    const tsr_matrix *x = data->x;
    const bool numbers = data->labels != NULL && tsr__labels_are_numbers(data->labels);
    tsr__sink sink = {NULL, 0, NULL};
    double *sample = NULL;
    if (x->features == 0) /* labels alone would be read as a feature */
        TSR_FAIL(TSR_ERROR_DATA, "samples of 0 features make no table");
    TSR_NEW(sample, x->features);
    TSR_TRY(tsr__sink_open(&sink, path));
    if (data->sample_names.count + data->feature_names.count > 0 || data->labels != NULL)
        put_head(&sink, data, delimiter);
    for (int64_t i = 0; i < x->samples; i++) {
        if (data->sample_names.count > 0) {
            put_name(&sink, data->sample_names.name[i], delimiter);
            tsr__sink_byte(&sink, delimiter);
        }
        tsr_matrix_get_sample(sample, x, i);
        for (int64_t j = 0; j < x->features; j++) {
            if (j > 0)
                tsr__sink_byte(&sink, delimiter);
            tsr__sink_value(&sink, sample[j], x->type);
        }
        if (data->labels != NULL)
            put_label(&sink, data->labels, i, numbers, delimiter);
        tsr__sink_byte(&sink, '\n');
    }
done:
    tsr__free(sample);
    return tsr__sink_close(&sink, status);
}

tsr_status tsr__csv_write(const tsr_data *data, const char *path)
{
    return write_table(data, path, ',');
}

tsr_status tsr__tsv_write(const tsr_data *data, const char *path)
{
    return write_table(data, path, '\t');
}
