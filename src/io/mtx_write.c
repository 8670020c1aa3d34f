/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Matrix Market from matrices: sparse as coordinates, dense as an array. Numbers read back bit
 * for bit. */
#include "io/format.h"
#include "io/sink.h"
#include "matrix/matrix.h"

static void put_sizes(tsr__sink *sink, const tsr_matrix *x)
{
    tsr__sink_text(sink, "%%MatrixMarket matrix ");
    tsr__sink_text(sink, x->sparse ? "coordinate real general\n" : "array real general\n");
    tsr__sink_integer(sink, x->samples);
    tsr__sink_byte(sink, ' ');
    tsr__sink_integer(sink, x->features);
    if (x->sparse) {
        tsr__sink_byte(sink, ' ');
        tsr__sink_integer(sink, x->rows[x->samples]);
    }
    tsr__sink_byte(sink, '\n');
}

static void put_entries(tsr__sink *sink, const tsr_matrix *x)
{
    for (int64_t i = 0; i < x->samples; i++)
        for (int64_t at = x->rows[i]; at < x->rows[i + 1]; at++) {
            tsr__sink_integer(sink, i + 1);
            tsr__sink_byte(sink, ' ');
            tsr__sink_integer(sink, (int64_t)x->columns[at] + 1);
            tsr__sink_byte(sink, ' ');
            tsr__sink_value(sink, tsr__value_at(x->values, x->type, at), x->type);
            tsr__sink_byte(sink, '\n');
        }
}

static void put_array(tsr__sink *sink, const tsr_matrix *x)
{
    for (int64_t j = 0; j < x->features; j++)
        for (int64_t i = 0; i < x->samples; i++) {
            tsr__sink_value(sink, tsr__value_at(x->values, x->type, i * x->stride + j),
                            x->type);
            tsr__sink_byte(sink, '\n');
        }
}

tsr_status tsr__mtx_write(const tsr_data *data, const char *path)
{
    tsr_status status = TSR_OK;
    tsr__sink sink = {NULL, 0, NULL};
    TSR_TRY(tsr__sink_open(&sink, path));
    put_sizes(&sink, data->x);
    if (data->x->sparse)
        put_entries(&sink, data->x);
    else
        put_array(&sink, data->x);
done:
    return tsr__sink_close(&sink, status);
}
