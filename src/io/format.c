/* SPDX-License-Identifier: BSD-2-Clause
 *
 * THE FORMATS TABLE, and how a name finds its row: folders go to the folder format, then the
 * first bytes decide, then the extension. */
#include "io/format.h"

#include "base/path.h"
#include "base/settings.h"
#include "base/text.h"
#include "io/file.h"
#include "matrix/store.h"
#include "matrix/team.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* clang-format off */
static const tsr__format formats[] = {
    /* name      extensions                magic                    labels folder stays  read, write */
    {"npy",    ".npy",                   "\x93NUMPY",          6,  false, false, true,  tsr__npy_read,    tsr__npy_write},
    {"npz",    ".npz",                   "PK\x03\x04",         4,  true,  false, false, tsr__npz_read,    tsr__npz_write},
    {"mat",    ".mat",                   "MATLAB ",            7,  true,  false, false, tsr__mat_read,    tsr__mat_write},
    {"h5",     ".h5 .hdf5 .hdf",         "\x89HDF\r\n\x1a\n",  8,  true,  false, true,  tsr__h5_read,     tsr__h5_write},
    {"mtx",    ".mtx",                   "%%MatrixMarket",     14, false, false, false, tsr__mtx_read,    tsr__mtx_write},
    {"csv",    ".csv .txt",              NULL,                 0,  true,  false, false, tsr__csv_read,    tsr__csv_write},
    {"tsv",    ".tsv .tab",              NULL,                 0,  true,  false, false, tsr__csv_read,    tsr__tsv_write},
    {"svm",    ".svm .libsvm .svmlight", NULL,                 0,  true,  false, false, tsr__svm_read,    tsr__svm_write},
    {"images", "",                       NULL,                 0,  true,  true,  false, tsr__images_read, tsr__images_write},
    {NULL,     NULL,                     NULL,                 0,  false, false, false, NULL,             NULL},
};

static const tsr_setting read_settings[] = {
#define ROW tsr_read_options
    TSR_TEXT_ROW(ROW, labels, "labels", 0, NULL, "SRC",
                 "labels from FILE, FILE:NAME, a variable or a column; else found beside the data"),
    TSR_PAIR_ROW(ROW, image_shape, "image-shape", 1, 65536, NULL, "HxW",
                 "samples are pictures of H rows and W columns; squares are found"),
    TSR_CHOICE_ROW(ROW, image_order, "image-order", "auto|row|column",
                   "pixels lie row by row or column by column (.mat: column)"),
    TSR_PAIR_ROW(ROW, size, "size", 1, 65536, NULL, "WxH",
                 "resize images to W columns and H rows by area averaging"),
    TSR_FLAG_ROW(ROW, skip_bad, "skip-bad", 0, "leave out unreadable images instead of failing"),
    TSR_CHOICE_ROW(ROW, header, "header", "auto|yes|no", "whether a table's first line is names"),
    TSR_INTEGER_ROW(ROW, threads, "threads", 0, 0, 4096, "0", "N", "threads, 0: all processors"),
    TSR_INTEGER_ROW(ROW, expand, "expand", 0, 0, 1e12, "1000", "N",
                    "memory at most N times the file's size and 256 MiB"),
    TSR_SIZE_ROW(ROW, memory, "memory", NULL, "SIZE",
                 "memory that data may take, such as 2G: larger ones are read in blocks"),
    TSR_OBJECT_ROW(ROW, progress, "progress", "progress", "hears how far it is, and may stop it"),
    TSR_OBJECT_ROW(ROW, team, "team", "team", "works on the data, each rank on its share"),
#undef ROW
    TSR_END_ROW,
};
/* clang-format on */

const tsr_setting *tsr_read_settings(void)
{
    return read_settings;
}

static tsr_format_info show_row(const tsr__format *row)
{
    return (tsr_format_info){.name = row->name,
                             .extensions = row->extensions,
                             .written = row->write != NULL,
                             .labels = row->holds_labels,
                             .folder = row->is_folder};
}

bool tsr_formats_get(tsr_format_info *out, int64_t i)
{
    int64_t count = 0;
    while (formats[count].name != NULL)
        count++;
    if (out == NULL || i < 0 || i >= count)
        return false;
    *out = show_row(&formats[i]);
    return true;
}

/* The row that lists the extension of `path`, or NULL. */
static const tsr__format *by_extension(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    const size_t length = dot != NULL ? strlen(dot) : 0;
    for (const tsr__format *row = formats; length > 1 && row->name != NULL; row++)
        for (const char *e = row->extensions; *e != '\0'; e += strspn(e, " ")) {
            const size_t word = strcspn(e, " ");
            if (word == length && strncasecmp(e, dot, word) == 0)
                return row;
            e += word;
        }
    return NULL;
}

static const tsr__format *by_magic(const char *path)
{
    char first[16] = "";
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return NULL;
    const ssize_t got = read(file, first, sizeof first);
    (void)close(file);
    for (const tsr__format *row = formats; row->name != NULL; row++)
        if (row->magic != NULL && got >= (ssize_t)row->magic_size &&
            memcmp(first, row->magic, row->magic_size) == 0)
            return row;
    return NULL;
}

static const tsr__format *folder_row(void)
{
    const tsr__format *row = formats;
    while (!row->is_folder)
        row++;
    return row;
}

static tsr_status unknown_format(const char *path)
{
    char known[256];
    tsr__line line = TSR_LINE(known);
    for (const tsr__format *row = formats; row->name != NULL; row++)
        tsr__line_add(&line, "%s%s", line.used > 0 && *row->extensions != '\0' ? " " : "",
                      row->extensions);
    return tsr__fail(
        TSR_ERROR_UNSUPPORTED,
        "%s: neither its contents nor its name says what format it is; known are %s "
        "and folders of images",
        path, known);
}

/* Opening a pipe of such a format would wait for ever. */
static tsr_status check_seekable(const char *path)
{
    static tsr_status (*const seeking[])(tsr_data *, const tsr__request *) = {
        tsr__npz_read, tsr__mat_read, tsr__h5_read};
    struct stat about;
    const tsr__format *row = by_extension(path);
    if (row == NULL || stat(path, &about) != 0 || S_ISREG(about.st_mode) ||
        S_ISDIR(about.st_mode))
        return TSR_OK;
    for (size_t i = 0; i < sizeof seeking / sizeof *seeking; i++)
        if (row->read == seeking[i])
            return tsr__fail(TSR_ERROR_IO,
                             "%s: a .%s is read here and there, which pipes and devices do not "
                             "let: make a file of it first",
                             path, row->name);
    return TSR_OK;
}

tsr_status tsr_path_check(const char *where)
{
    TSR_REQUIRE_TEXT(where);
    tsr_status status = TSR_OK;
    char *path = NULL;
    const char *variable = NULL;
    TSR_TRY(tsr__split_where(&path, &variable, where));
    TSR_TRY(check_seekable(path));
done:
    tsr__free(path);
    return status;
}

tsr_status tsr__format_find(const tsr__format **out, const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0)
        return tsr__fail(TSR_ERROR_IO, "%s: %s", path, strerror(errno));
    if (check_seekable(path) < 0)
        return TSR_ERROR_IO;
    const tsr__format *row = NULL;
    if (S_ISDIR(about.st_mode))
        row = folder_row();
    else if (S_ISREG(about.st_mode))
        row = by_magic(path);
    if (row == NULL)
        row = by_extension(path);
    if (row == NULL)
        return unknown_format(path);
    *out = row;
    return TSR_OK;
}

/* A path that folders of images are written to: no extension, or a slash at the end. */
static bool names_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    return *name == '\0' || strchr(name, '.') == NULL;
}

static tsr_status name_origin(tsr_data *data, const char *path, const char *variable)
{
    tsr_status status = TSR_OK;
    char *origin = NULL;
    const char *name = variable != NULL ? variable : data->origin;
    const size_t size = strlen(path) + (name != NULL ? strlen(name) : 0) + 2;
    TSR_NEW(origin, (int64_t)size);
    (void)snprintf(origin, size, "%s%s%s", path, name != NULL ? ":" : "",
                   name != NULL ? name : "");
    tsr__free(data->origin);
    data->origin = origin;
done:
    return status;
}

/* What is read whole is measured from outside (tsr_path_size). In a team nobody reads all. */
static tsr_status check_memory(const tsr__format *row, const tsr__request *request)
{
    const int64_t limit = request->options->memory;
    int64_t size = 0;
    if (row->stays || request->only_labels || request->flow != NULL)
        return TSR_OK;
    if (tsr__team_shares(request->options->team))
        return tsr__fail(
            TSR_ERROR_UNSUPPORTED,
            "%s: each rank of a team reads its own rows, of a .h5 or .npy, and this is read "
            "whole: make one of it with tessera convert",
            request->path);
    if (limit == 0 || row->is_folder)
        return TSR_OK;
    TSR_OR_RETURN(tsr_path_size(&size, request->path));
    if (tsr__memory_holds(limit, (double)size))
        return TSR_OK;
    return tsr__fail(TSR_ERROR_MEMORY,
                     "%s: %lld bytes of .%s are read whole, and --memory lets data take a "
                     "quarter of %lld: make a .h5 of it with tessera convert, which is read in "
                     "blocks, or raise --memory",
                     request->path, (long long)size, row->name, (long long)limit);
}

/* Reads through the format's row; the message gets the path before it. */
static tsr_status read_by(tsr_data **out, const tsr__format *row, const tsr__request *request)
{
    tsr_status status = TSR_OK;
    tsr_data *data = NULL;
    TSR_TRY(check_memory(row, request));
    TSR_NEW_ZERO(data, 1);
    data->format = row->name;
    data->memory = request->options->memory;
    data->team = request->options->team;
    status = row->read(data, request);
    if (status < 0) {
        status = tsr__fail_in(status, request->path);
        goto done;
    }
    TSR_TRY(name_origin(data, request->path, request->variable));
    if (request->only_labels && data->labels == NULL)
        TSR_FAIL(TSR_ERROR_DATA, "%s: holds no labels", data->origin);
    if (!request->only_labels && (data->x->samples == 0 || data->x->features == 0))
        TSR_FAIL(TSR_ERROR_DATA, "%s: is empty (%lld samples of %lld features)", data->origin,
                 (long long)data->x->samples, (long long)data->x->features);
    *out = data, data = NULL;
done:
    tsr_data_free(data);
    return status;
}

static tsr_read_options or_default(const tsr_read_options *options)
{
    tsr_read_options chosen = {0};
    tsr_settings_default(read_settings, &chosen);
    return options != NULL ? *options : chosen;
}

tsr_status tsr_labels_read(tsr_labels **out, const char *where, const tsr_read_options *options)
{
    TSR_REQUIRE(out);
    TSR_REQUIRE_TEXT(where);
    tsr_status status = TSR_OK;
    const tsr_read_options chosen = or_default(options);
    tsr__request request = {.only_labels = true, .options = &chosen};
    const tsr__format *row = NULL;
    tsr_data *data = NULL;
    char *path = NULL;
    TSR_TRY(tsr_settings_check(read_settings, &chosen));
    TSR_TRY(tsr__split_where(&path, &request.variable, where));
    request.path = path;
    TSR_TRY(tsr__format_find(&row, path));
    TSR_TRY(read_by(&data, row, &request));
    *out = data->labels, data->labels = NULL;
done:
    tsr_data_free(data);
    tsr__free(path);
    return status;
}

/* True when `where` is FILE or FILE:NAME of something that exists. */
static bool exists(const char *where)
{
    struct stat about;
    char *path = NULL;
    const char *variable = NULL;
    const bool found =
        tsr__split_where(&path, &variable, where) == TSR_OK && stat(path, &about) == 0;
    tsr__free(path);
    return found;
}

/* Labels that were asked for: another file, or a variable of the same one. Tables look for a
 * column of that name themselves. */
static tsr_status attach_labels(tsr_data *data, const tsr__request *request,
                                const tsr__format *row)
{
    tsr_status status = TSR_OK;
    const char *where = request->options->labels;
    tsr_read_options plain = *request->options;
    tsr_labels *labels = NULL;
    tsr_data *same = NULL;
    plain.labels = NULL;
    if (exists(where)) {
        TSR_TRY(tsr_labels_read(&labels, where, &plain));
    } else if (row->read != tsr__csv_read) {
        const tsr__request again = {
            .path = request->path, .variable = where, .only_labels = true, .options = &plain};
        if (read_by(&same, row, &again) < 0)
            TSR_FAIL(TSR_ERROR_DATA, "--labels %s is neither a file nor found inside: %s",
                     where, tsr_message());
        labels = same->labels, same->labels = NULL;
    } else {
        goto done;
    }
    if (labels->count != data->x->samples)
        TSR_FAIL(TSR_ERROR_DATA, "%s holds %lld labels for the %lld samples of %s", where,
                 (long long)labels->count, (long long)data->x->samples, data->origin);
    tsr_labels_free(data->labels);
    data->labels = labels, labels = NULL;
done:
    tsr_labels_free(labels);
    tsr_data_free(same);
    return status;
}

/* What the user says of pictures, else what the file says, else a square. */
static tsr_status set_image(tsr_data *data, const tsr_read_options *options)
{
    const bool matlab = strcmp(data->format, "mat") == 0;
    tsr_image_shape shape = tsr_matrix_image(data->x);
    if (options->image_shape[0] > 0)
        shape = (tsr_image_shape){options->image_shape[0], options->image_shape[1],
                                  shape.height > 0 ? shape.order
                                  : matlab         ? TSR_COLUMN_ORDER
                                                   : TSR_ROW_ORDER};
    else if (shape.height == 0 && !data->x->sparse && data->feature_names.count == 0)
        shape = tsr__image_guess(data->x->features, matlab ? TSR_COLUMN_ORDER : TSR_ROW_ORDER);
    if (options->image_order != 0)
        shape.order = (tsr_image_order)(options->image_order - 1);
    const tsr_status status = tsr_matrix_set_image(data->x, shape);
    return status < 0 ? tsr__fail_in(status, data->origin) : status;
}

tsr_status tsr__data_pass(tsr_data **out, tsr__flow *flow, const char *where,
                          const tsr_read_options *options)
{
    tsr_status status = TSR_OK;
    const tsr_read_options chosen = or_default(options);
    tsr_read_options inside = chosen;
    tsr__request request = {.options = &inside, .flow = flow};
    const tsr__format *row = NULL;
    tsr_data *data = NULL;
    char *path = NULL;
    TSR_TRY(tsr_settings_check(read_settings, &chosen));
    TSR_TRY(tsr__split_where(&path, &request.variable, where));
    request.path = path;
    TSR_TRY(tsr__format_find(&row, path));
    if (chosen.labels != NULL && exists(chosen.labels))
        inside.labels = NULL; /* a table would take it for one of its columns */
    TSR_TRY(read_by(&data, row, &request));
    request.options = &chosen;
    if (chosen.labels != NULL)
        TSR_TRY(attach_labels(data, &request, row));
    TSR_TRY(set_image(data, &chosen));
    *out = data, data = NULL;
done:
    tsr_data_free(data);
    tsr__free(path);
    return status;
}

tsr_status tsr_data_read(tsr_data **out, const char *where, const tsr_read_options *options)
{
    TSR_REQUIRE(out);
    TSR_REQUIRE_TEXT(where);
    return tsr__data_pass(out, NULL, where, options);
}

/* The format that a name says: by extension, else a folder of images; NULL: none. */
static const tsr__format *written_as(const char *path)
{
    const tsr__format *row = by_extension(path);
    return row == NULL && names_folder(path) ? folder_row() : row;
}

bool tsr_path_format(tsr_format_info *out, const char *path)
{
    if (out == NULL || path == NULL)
        return false;
    const tsr__format *row = written_as(path);
    if (row == NULL)
        return false;
    *out = show_row(row);
    return true;
}

bool tsr_path_holds_labels(const char *path)
{
    tsr_format_info row;
    return tsr_path_format(&row, path) && row.labels;
}

tsr_status tsr_data_write(const tsr_data *data, const char *path)
{
    TSR_REQUIRE(data);
    TSR_REQUIRE_TEXT(path);
    tsr_status status = TSR_OK;
    tsr__output output = {NULL, NULL, 0};
    const tsr__format *row = written_as(path);
    if (row == NULL)
        return unknown_format(path);
    if (tsr__matrix_is_stored(data->x) && !row->stays)
        TSR_FAIL(TSR_ERROR_UNSUPPORTED,
                 "a .%s is written from memory, and these %lld x %lld samples are read in "
                 "blocks: write .h5 or .npy, or raise --memory",
                 row->name, (long long)data->x->samples, (long long)data->x->features);
    TSR_TRY(tsr__output_begin(&output, path, row->is_folder));
    TSR_TRY(row->write(data, output.temporary));
    TSR_TRY(tsr__output_commit(&output));
done:
    tsr__output_abandon(&output);
    return status < 0 ? tsr__fail_in(status, path) : status;
}
