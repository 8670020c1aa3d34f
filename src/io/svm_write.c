/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Samples in the text format of libsvm, indices from 1. An unknown label is "?". Names of
 * classes cannot hold blanks, # : or commas here; an underscore takes their place. Where the
 * last features are all empty a first line "# features N" keeps their number. */
#include "io/format.h"
#include "io/sink.h"
#include "matrix/matrix.h"

#include <string.h>

static void put_label(tsr__sink *sink, const tsr_labels *labels, int64_t i)
{
    const char *name = labels != NULL ? tsr_labels_name(labels, labels->of[i]) : "?";
    for (; *name != '\0'; name++)
        tsr__sink_byte(sink, strchr(" \t\r\n#:,", *name) != NULL ? '_' : *name);
}

static void put_entry(tsr__sink *sink, int64_t column, double value, tsr_type type)
{
    tsr__sink_byte(sink, ' ');
    tsr__sink_integer(sink, column + 1);
    tsr__sink_byte(sink, ':');
    tsr__sink_value(sink, value, type);
}

static void put_sample(tsr__sink *sink, const tsr_matrix *x, int64_t i)
{
    if (x->sparse) {
        for (int64_t at = x->rows[i]; at < x->rows[i + 1]; at++)
            put_entry(sink, x->columns[at], tsr__value_at(x->values, x->type, at), x->type);
        return;
    }
    for (int64_t j = 0; j < x->features; j++) {
        const double value = tsr__value_at(x->values, x->type, i * x->stride + j);
        if (value != 0)
            put_entry(sink, j, value, x->type);
    }
}

/* True when some sample has the last feature. */
static bool last_is_used(const tsr_matrix *x)
{
    for (int64_t i = 0; x->features > 0 && i < x->samples; i++)
        if (tsr_matrix_at(x, i, x->features - 1) != 0)
            return true;
    return false;
}

tsr_status tsr__svm_write(const tsr_data *data, const char *path)
{
    tsr_status status = TSR_OK;
    const tsr_matrix *x = data->x;
    tsr__sink sink = {NULL, 0, NULL};
    TSR_TRY(tsr__sink_open(&sink, path));
    if (!last_is_used(x)) {
        tsr__sink_text(&sink, "# features ");
        tsr__sink_integer(&sink, x->features);
        tsr__sink_byte(&sink, '\n');
    }
    for (int64_t i = 0; i < x->samples; i++) {
        put_label(&sink, data->labels, i);
        put_sample(&sink, x, i);
        tsr__sink_byte(&sink, '\n');
    }
done:
    return tsr__sink_close(&sink, status);
}
