/* SPDX-License-Identifier: BSD-2-Clause
 *
 * From one format to another, in memory or past it.
 *
 * Where what is read would take more than the limit, its reader sends the samples through a flow
 * (flow.h), and they are written from there; labels and names, which are small beside them, are
 * kept. The temporary files take 12 bytes an entry, while entries are sorted 16 more (two rounds:
 * 32), dense samples 4 or 8 bytes a value. */
#include "base/path.h"
#include "base/settings.h"
#include "io/file.h"
#include "io/format.h"

#include <string.h>
#include <sys/stat.h>

enum { LEAST_MEMORY = 16 << 20 };

/* Formats that are read a piece at a time. */
static bool flows(const tsr__format *row)
{
    static tsr_status (*const readers[])(tsr_data *, const tsr__request *) = {
        tsr__mtx_read, tsr__svm_read, tsr__csv_read, tsr__npz_read, tsr__h5_read};
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (row->read == readers[i])
            return true;
    return false;
}

static bool is_written_as(const char *path, const char *format)
{
    tsr_format_info row;
    return tsr_path_format(&row, path) && strcmp(row.name, format) == 0;
}

/* What is too large is not converted from everything to everything. */
static tsr_status check_formats(const tsr__format *from, const char *path, const char *to)
{
    if (!flows(from))
        return tsr__fail(
            TSR_ERROR_UNSUPPORTED,
            "%s: takes more than --memory, and %s%s read only as a whole, not in "
            "blocks: leave out --memory, or have it written as .npy, .h5, .mtx, .svm, "
            ".csv or .npz",
            path, from->is_folder ? "" : "a .",
            from->is_folder ? "folders of images are" : from->name);
    if (!is_written_as(to, "h5") && !is_written_as(to, "npy"))
        return tsr__fail(TSR_ERROR_UNSUPPORTED,
                         "%s: data that take more than --memory are written as .h5 or .npy",
                         to);
    return TSR_OK;
}

static tsr_status check_output(const char *path)
{
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))
        return tsr__fail(TSR_ERROR_IO, "is no file, so nothing can be kept beside it");
    return TSR_OK;
}

static void tell_shape(int64_t shape[3], const tsr_data *data)
{
    if (shape == NULL)
        return;
    shape[0] = data->x->samples, shape[1] = data->x->features;
    shape[2] = tsr_labels_classes(data->labels);
}

static tsr_status write_flow(const tsr_data *data, const tsr__flow *flow, tsr__output *output,
                             const char *path)
{
    tsr_status status = TSR_OK;
    if (is_written_as(path, "h5"))
        TSR_TRY(tsr__h5_write_as(data, flow, output->temporary));
    else if (flow->sparse)
        TSR_FAIL(TSR_ERROR_UNSUPPORTED,
                 "a .npy is dense, and these %lld x %lld values are sparse; write .h5",
                 (long long)flow->samples, (long long)flow->features);
    else
        TSR_TRY(tsr__npy_write_flow(flow, output->temporary));
    TSR_TRY(tsr__output_commit(output));
done:
    return status;
}

static tsr_status convert_past_memory(int64_t shape[3], const char *where, const char *path,
                                      const tsr_read_options *options, bool both_orders,
                                      int needs, int64_t memory)
{
    tsr_status status = TSR_OK;
    tsr__output output = {NULL, NULL, 0};
    tsr_data *data = NULL;
    tsr__flow flow = {
        .memory = memory, .progress = options->progress, .both_orders = both_orders};
    status = check_output(path);
    if (status == TSR_OK)
        status = tsr__output_begin(&output, path, false);
    if (status < 0)
        TSR_TRY(tsr__fail_in(status, path));
    flow.beside = output.temporary;
    TSR_TRY(tsr__data_pass(&data, &flow, where, options));
    TSR_TRY(tsr__scan_check_finite(&flow.scan, flow.first_odd, needs, data->origin));
    status = write_flow(data, &flow, &output, path);
    if (status < 0)
        TSR_TRY(tsr__fail_in(status, path));
    tell_shape(shape, data);
done:
    tsr__flow_clear(&flow);
    tsr__output_abandon(&output);
    tsr_data_free(data);
    return status;
}

static tsr_status convert_in_memory(int64_t shape[3], const char *where, const char *path,
                                    const tsr_read_options *options, bool both_orders,
                                    int needs)
{
    tsr_status status = TSR_OK;
    tsr_data *data = NULL;
    TSR_TRY(tsr_data_read(&data, where, options));
    if (needs != 0)
        TSR_TRY(tsr_matrix_check(data->x, needs, data->origin));
    TSR_TRY(both_orders ? tsr_data_write_both(data, path) : tsr_data_write(data, path));
    tell_shape(shape, data);
done:
    tsr_data_free(data);
    return status;
}

tsr_status tsr_path_size(int64_t *out, const char *where)
{
    TSR_REQUIRE(out);
    TSR_REQUIRE_TEXT(where);
    tsr_status status = TSR_OK;
    struct stat about;
    const tsr__format *row = NULL;
    const char *variable = NULL;
    char *path = NULL;
    TSR_TRY(tsr__split_where(&path, &variable, where));
    TSR_TRY(tsr__format_find(&row, path));
    *out = 0;
    if (row->read == tsr__npz_read)
        TSR_TRY(tsr__npz_size(out, path));
    else if (row->read == tsr__h5_read)
        TSR_TRY(tsr__h5_size(out, path, variable));
    else if (!row->stays && !row->is_folder && stat(path, &about) == 0)
        *out = about.st_size;
done:
    tsr__free(path);
    return status;
}

tsr_status tsr__data_convert(int64_t shape[3], const char *where, const char *path,
                             const tsr_read_options *options, bool both_orders, int needs,
                             int64_t memory)
{
    tsr_status status = TSR_OK;
    const tsr__format *row = NULL;
    const char *variable = NULL;
    char *from = NULL;
    int64_t size = 0;
    if (both_orders && !is_written_as(path, "h5"))
        TSR_FAIL(TSR_ERROR_ARGUMENT, "%s: both orders are written to .h5 alone", path);
    if (memory > 0)
        TSR_TRY(tsr_path_size(&size, where));
    if (tsr__memory_holds(memory, (double)size)) {
        TSR_TRY(convert_in_memory(shape, where, path, options, both_orders, needs));
        goto done;
    }
    TSR_TRY(tsr__split_where(&from, &variable, where));
    TSR_TRY(tsr__format_find(&row, from));
    TSR_TRY(check_formats(row, from, path));
    if (tsr__path_same(from, path))
        TSR_FAIL(TSR_ERROR_ARGUMENT, "%s: is the input itself", path);
    TSR_TRY(convert_past_memory(shape, where, path, options, both_orders, needs, memory));
done:
    tsr__free(from);
    return status;
}

tsr_status tsr_data_convert_checked(int64_t *shape, const char *where, const char *path,
                                    const tsr_read_options *options, bool both_orders,
                                    int needs)
{
    TSR_REQUIRE_TEXT(where);
    TSR_REQUIRE_TEXT(path);
    TSR_REQUIRE_CHOICE(needs, TSR_NEED_FINITE | TSR_NEED_NOT_INFINITE);
    tsr_read_options chosen = {0};
    tsr_settings_default(tsr_read_settings(), &chosen);
    chosen = options != NULL ? *options : chosen;
    TSR_OR_RETURN(tsr_settings_check(tsr_read_settings(), &chosen));
    if (chosen.memory > 0 && chosen.memory < LEAST_MEMORY)
        return tsr__fail(TSR_ERROR_ARGUMENT,
                         "--memory of %lld bytes is too little to convert in: 16M is the least",
                         (long long)chosen.memory);
    return tsr__data_convert(shape, where, path, &chosen, both_orders, needs, chosen.memory);
}

tsr_status tsr_data_convert(const char *where, const char *path,
                            const tsr_read_options *options, bool both_orders)
{
    return tsr_data_convert_checked(NULL, where, path, options, both_orders, 0);
}

tsr_status tsr_data_write_both(const tsr_data *data, const char *path)
{
    TSR_REQUIRE(data);
    TSR_REQUIRE_TEXT(path);
    tsr_status status = TSR_OK;
    tsr__output output = {NULL, NULL, 0};
    tsr__flow none = {.memory = data->memory > LEAST_MEMORY ? data->memory : LEAST_MEMORY,
                      .both_orders = true};
    if (!is_written_as(path, "h5"))
        TSR_FAIL(TSR_ERROR_ARGUMENT, "both orders are written to .h5 alone");
    TSR_TRY(tsr__check_orders(true, data->x->sparse));
    TSR_TRY(tsr__output_begin(&output, path, false));
    none.beside = output.temporary;
    TSR_TRY(tsr__h5_write_as(data, &none, output.temporary));
    TSR_TRY(tsr__output_commit(&output));
done:
    tsr__output_abandon(&output);
    return status < 0 ? tsr__fail_in(status, path) : status;
}
