/* SPDX-License-Identifier: BSD-2-Clause
 *
 * NumPy's .npy, versions 1 to 3.
 *
 *     \x93NUMPY  major minor  head length (2 bytes; from version 2 on 4)  head  elements
 *
 * The head is a Python dictionary of exactly three keys:
 *
 *     {'descr': '<f8', 'fortran_order': False, 'shape': (400, 1024), }
 *
 * It is parsed, never evaluated. Native, aligned, row-major floats and doubles are not read at
 * all: the matrix views the mapped file. Everything else is converted once: O(elements). */
#include "io/npy.h"

#include "base/text.h"
#include "io/format.h"
#include "io/stored.h"
#include "matrix/store.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static bool is_little_endian(void)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}

/* What the dictionary says. */
typedef struct head {
    char type[32];
    char order; /* T or F; 0: not seen */
    int rank;   /* -1: not seen */
    int64_t shape[4];
} head;

typedef struct cursor {
    const char *begin, *at, *end;
} cursor;

static tsr_status malformed(const cursor *c, const char *expected)
{
    return tsr__fail(TSR_ERROR_FORMAT, "byte %lld of the .npy head: %s expected",
                     (long long)(c->at - c->begin), expected);
}

static void skip_blanks(cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\n' || *c->at == '\t'))
        c->at++;
}

/* Moves past `mark` and the blanks before it, if it is next. */
static bool take(cursor *c, char mark)
{
    skip_blanks(c);
    if (c->at == c->end || *c->at != mark)
        return false;
    c->at++;
    return true;
}

static bool take_quoted(cursor *c, char *out, size_t size)
{
    skip_blanks(c);
    if (c->at == c->end || (*c->at != '\'' && *c->at != '"'))
        return false;
    const char *first = c->at + 1;
    const char *last = memchr(first, *c->at, (size_t)(c->end - first));
    if (last == NULL || (size_t)(last - first) >= size ||
        memchr(first, '\\', (size_t)(last - first)))
        return false;
    memcpy(out, first, (size_t)(last - first));
    out[last - first] = '\0';
    c->at = last + 1;
    return true;
}

static tsr_status take_type(cursor *c, head *out)
{
    skip_blanks(c);
    if (c->at < c->end && (*c->at == '[' || *c->at == '('))
        return tsr__fail(TSR_ERROR_UNSUPPORTED,
                         "a structured .npy array (records with fields); "
                         "save each field as an array of its own");
    return take_quoted(c, out->type, sizeof out->type) && *out->type != '\0'
               ? TSR_OK
               : malformed(c, "a type such as '<f8'");
}

static tsr_status take_order(cursor *c, head *out)
{
    static const char *const words[] = {"True", "False"};
    skip_blanks(c);
    for (int i = 0; i < 2; i++) {
        const size_t length = strlen(words[i]);
        if ((size_t)(c->end - c->at) >= length && memcmp(c->at, words[i], length) == 0) {
            c->at += length;
            out->order = *words[i];
            return TSR_OK;
        }
    }
    return malformed(c, "True or False");
}

static tsr_status take_shape(cursor *c, head *out)
{
    const int most = (int)(sizeof out->shape / sizeof *out->shape);
    int rank = 0;
    bool more = true;
    if (!take(c, '('))
        return malformed(c, "'('");
    while (more && !take(c, ')')) {
        int64_t length = 0;
        skip_blanks(c);
        const char *after = tsr__parse_integer(&length, c->at, c->end);
        if (after == c->at || length < 0)
            return malformed(c, "a length of 0 or more");
        if (rank == most)
            return tsr__fail(TSR_ERROR_UNSUPPORTED, "a .npy array of more than %d dimensions",
                             most);
        c->at = after;
        (void)take(c, 'L'); /* Python 2 wrote 400L */
        out->shape[rank++] = length;
        more = take(c, ',');
        if (!more && !take(c, ')'))
            return malformed(c, "',' or ')'");
    }
    out->rank = rank;
    return TSR_OK;
}

static tsr_status take_entry(cursor *c, head *out)
{
    char key[32];
    if (!take_quoted(c, key, sizeof key))
        return malformed(c, "a key in quotes");
    if (!take(c, ':'))
        return malformed(c, "':'");
    if (strcmp(key, "descr") == 0 && *out->type == '\0')
        return take_type(c, out);
    if (strcmp(key, "fortran_order") == 0 && out->order == 0)
        return take_order(c, out);
    if (strcmp(key, "shape") == 0 && out->rank < 0)
        return take_shape(c, out);
    return tsr__fail(TSR_ERROR_FORMAT, "unknown or repeated key '%s' in the .npy head", key);
}

static tsr_status parse_dictionary(head *out, cursor *c)
{
    tsr_status status = TSR_OK;
    *out = (head){.rank = -1};
    if (!take(c, '{'))
        TSR_TRY(malformed(c, "'{'"));
    for (bool more = true; more && !take(c, '}');) {
        TSR_TRY(take_entry(c, out));
        more = take(c, ',');
        if (!more && !take(c, '}'))
            TSR_TRY(malformed(c, "',' or '}'"));
    }
    skip_blanks(c);
    if (c->at != c->end)
        TSR_TRY(malformed(c, "its end"));
    if (*out->type == '\0' || out->order == 0 || out->rank < 0)
        TSR_FAIL(TSR_ERROR_FORMAT, "the .npy head lacks '%s'",
                 *out->type == '\0' ? "descr"
                 : out->order == 0  ? "fortran_order"
                                    : "shape");
done:
    return status;
}

static const struct {
    const char *type;
    tsr__element element;
} types[] = {
    {"b1", TSR_ELEMENT_BOOL},    {"i1", TSR_ELEMENT_INT8},    {"i2", TSR_ELEMENT_INT16},
    {"i4", TSR_ELEMENT_INT32},   {"i8", TSR_ELEMENT_INT64},   {"u1", TSR_ELEMENT_UINT8},
    {"u2", TSR_ELEMENT_UINT16},  {"u4", TSR_ELEMENT_UINT32},  {"u8", TSR_ELEMENT_UINT64},
    {"f2", TSR_ELEMENT_FLOAT16}, {"f4", TSR_ELEMENT_FLOAT32}, {"f8", TSR_ELEMENT_FLOAT64},
};

static const struct {
    char kind;
    const char *advice;
} refused[] = {
    {'c', "complex numbers; save .real or abs()"},
    {'f', "long doubles; save with astype('float64')"},
    {'O', "Python objects, which are never unpickled; save with a number or text dtype"},
    {'V', "raw records; save each field as an array of its own"},
    {'M', "dates; save with astype('int64')"},
    {'m', "time spans; save with astype('int64')"},
};

static tsr_status refuse(const char *type, char kind)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (refused[i].kind == kind)
            return tsr__fail(TSR_ERROR_UNSUPPORTED, "type '%s': %s", type, refused[i].advice);
    return tsr__fail(TSR_ERROR_FORMAT, "'%s' is no .npy type", type);
}

static tsr_status understand_type(tsr__array *out, const char *type)
{
    const bool marked = strchr("<>|=", *type) != NULL;
    const char *kind = type + marked;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(kind, types[i].type) == 0) {
            out->element = types[i].element;
            out->item = tsr__element_size(out->element);
        }
    if (*kind == 'S' || *kind == 'a' || *kind == 'U') {
        const char *end = kind + strlen(kind);
        const int64_t unit = *kind == 'U' ? 4 : 1;
        int64_t length = 0;
        if (tsr__parse_integer(&length, kind + 1, end) != end || length < 1 ||
            length > INT32_MAX)
            return tsr__fail(TSR_ERROR_FORMAT, "'%s': texts of 1 to %d characters expected",
                             type, INT32_MAX);
        out->element = unit == 4 ? TSR_ELEMENT_UCS4 : TSR_ELEMENT_BYTES;
        out->item = length * unit;
    }
    out->swapped = (*type == '<' || *type == '>') && (*type == '<') != is_little_endian();
    return out->element == TSR_ELEMENT_NONE ? refuse(type, *kind) : TSR_OK;
}

enum { LEAD_MOST = 12 };

/* Bytes before the dictionary, and to its end. */
static tsr_status measure_head(int64_t *lead, int64_t *head_size, const char *bytes,
                               int64_t size)
{
    if (size < 10 || memcmp(bytes, "\x93NUMPY", 6) != 0)
        return tsr__fail(TSR_ERROR_FORMAT, "does not begin as a .npy array does");
    const unsigned char *byte = (const unsigned char *)bytes;
    const int version = byte[6], width = version == 1 ? 2 : 4;
    if (version < 1 || version > 3)
        return tsr__fail(TSR_ERROR_UNSUPPORTED, "version %d of .npy; 1 to 3 are known",
                         version);
    int64_t length = 0;
    for (int i = width - 1; i >= 0 && size >= 8 + width; i--)
        length = length << 8 | byte[8 + i];
    *lead = 8 + width;
    *head_size = *lead + length;
    return TSR_OK;
}

tsr_status tsr__npy_parse_head(tsr__array *out, const char *bytes, int64_t size,
                               int64_t *head_size)
{
    tsr_status status = TSR_OK;
    head found = {0};
    int64_t lead = 0;
    TSR_TRY(measure_head(&lead, head_size, bytes, size));
    if (*head_size > size)
        TSR_FAIL(TSR_ERROR_FORMAT, "ends within the .npy head (%lld bytes)", (long long)size);
    cursor c = {bytes, bytes + lead, bytes + *head_size};
    TSR_TRY(parse_dictionary(&found, &c));
    *out = (tsr__array){.rank = found.rank, .column_major = found.order == 'T'};
    memcpy(out->shape, found.shape, sizeof out->shape);
    TSR_TRY(understand_type(out, found.type));
done:
    return status;
}

tsr_status tsr__npy_parse(tsr__array *out, char *bytes, int64_t size)
{
    int64_t head_size = 0, count = 0;
    tsr__array array = {0};
    tsr_status status = tsr__npy_parse_head(&array, bytes, size, &head_size);
    if (status < 0)
        return status;
    array.data = bytes + head_size;
    array.bytes = size - head_size;
    status = tsr__array_count(&count, &array);
    if (status == TSR_OK)
        *out = array;
    return status;
}

static void release_input(tsr_matrix *x)
{
    tsr__input_close(x->held);
    tsr__free(x->held);
}

static bool is_usable(const tsr__array *array)
{
    return (array->element == TSR_ELEMENT_FLOAT32 || array->element == TSR_ELEMENT_FLOAT64) &&
           !array->swapped && !array->column_major &&
           (uintptr_t)array->data % (uintptr_t)array->item == 0;
}

static tsr_status view(tsr_matrix **out, const tsr__array *array, tsr__input *input)
{
    tsr_status status = TSR_OK;
    tsr__input *held = NULL;
    tsr_matrix *x = NULL;
    const int64_t features = array->rank == 1   ? 1
                             : array->rank == 2 ? array->shape[1]
                                                : array->shape[1] * array->shape[2];
    TSR_NEW(held, 1);
    TSR_TRY(tsr_matrix_view_dense(&x, array->data, array->shape[0], features, features,
                                  array->element == TSR_ELEMENT_FLOAT32 ? TSR_FLOAT32
                                                                        : TSR_FLOAT64));
    if (array->rank == 3)
        x->image = (tsr_image_shape){array->shape[1], array->shape[2], TSR_ROW_ORDER};
    *held = *input;
    *input = (tsr__input){NULL, 0, false};
    x->constant = false; /* mapped for this process alone */
    x->release = release_input;
    x->held = held, held = NULL;
    *out = x;
done:
    tsr__free(held);
    return status;
}

tsr_status tsr__npy_take_matrix(tsr_matrix **out, tsr__input *input)
{
    tsr_status status = TSR_OK;
    tsr__array array = {0};
    tsr_image_shape image = {0, 0, TSR_ROW_ORDER};
    int64_t count = 0;

    TSR_TRY(tsr__npy_parse(&array, input->bytes, input->size));
    TSR_TRY(tsr__array_count(&count, &array));
    const int64_t *shape = array.shape;
    if (array.rank == 1 || (array.rank == 2 && (shape[0] == 1 || shape[1] == 1)))
        array.column_major = false;
    if (count > 0 && array.rank >= 1 && array.rank <= 3 && is_usable(&array)) {
        TSR_TRY(view(out, &array, input));
        goto done;
    }
    if (count > 0 && array.rank == 3 && array.column_major) {
        /* NumPy's (n, h, w) with n running fastest is n x (h w) with its columns in MATLAB's
         * order of pixels; MATLAB's own stacks, which are (h, w, n), are something else. */
        image = (tsr_image_shape){shape[1], shape[2], TSR_COLUMN_ORDER};
        array.shape[1] *= array.shape[2];
        array.rank = 2;
    }
    TSR_TRY(tsr__array_to_matrix(out, &array));
    if (image.height > 0)
        (*out)->image = image;
    tsr__input_close(input);
done:
    return status;
}

/* The head of a file of `size` bytes, and nothing behind it. */
static tsr_status read_head(tsr__array *out, int64_t *head_size, const char *path, int64_t size)
{
    tsr_status status = TSR_OK;
    char first[LEAD_MOST], *bytes = NULL;
    int64_t lead = 0, wanted = 0;
    FILE *stream = fopen(path, "rbe");
    if (stream == NULL)
        TSR_FAIL(TSR_ERROR_IO, "%s", strerror(errno));
    TSR_TRY(
        measure_head(&lead, &wanted, first, (int64_t)fread(first, 1, sizeof first, stream)));
    wanted = wanted < size ? wanted : size;
    TSR_NEW(bytes, wanted);
    rewind(stream);
    TSR_TRY(tsr__npy_parse_head(out, bytes, (int64_t)fread(bytes, 1, (size_t)wanted, stream),
                                head_size));
done:
    if (stream != NULL)
        (void)fclose(stream);
    tsr__free(bytes);
    return status;
}

/* The array stays in the file where it is larger than the options allow; *stays tells. What comes
 * through a pipe is read whole. */
static tsr_status store(bool *stays, tsr_data *out, const tsr__request *request)
{
    tsr_status status = TSR_OK;
    struct stat about;
    tsr__array array = {0};
    int64_t offset = 0, features = 1;
    if (stat(request->path, &about) != 0)
        TSR_FAIL(TSR_ERROR_IO, "%s", strerror(errno));
    if (!S_ISREG(about.st_mode))
        goto done;
    TSR_TRY(read_head(&array, &offset, request->path, about.st_size));
    double entries = 1;
    for (int i = 0; i < array.rank; i++)
        entries *= (double)array.shape[i];
    if (!tsr__stays_stored(request->options, entries, array.element, false))
        goto done;
    if (array.rank < 1 || array.rank > 3 || tsr__element_is_text(array.element) ||
        !tsr__multiply(&features, array.rank > 1 ? array.shape[1] : 1,
                       array.rank > 2 ? array.shape[2] : 1))
        TSR_FAIL(TSR_ERROR_UNSUPPORTED, "is no matrix of samples");
    if (array.column_major && array.rank > 1)
        TSR_FAIL(TSR_ERROR_UNSUPPORTED,
                 "is stored column by column, and data larger than --memory are read sample by "
                 "sample: save it in C order, or raise --memory");
    const tsr__stretch values = {
        .element = array.element, .swapped = array.swapped, .offset = offset};
    TSR_TRY(tsr__stored_dense(&out->x, request->path, &values, array.shape[0], features));
    if (array.rank == 3)
        out->x->image = (tsr_image_shape){array.shape[1], array.shape[2], TSR_ROW_ORDER};
    (void)snprintf(out->dtype, sizeof out->dtype, "%s", tsr__element_name(array.element));
    *stays = true;
done:
    return status;
}

tsr_status tsr__npy_read(tsr_data *out, const tsr__request *request)
{
    tsr_status status = TSR_OK;
    tsr__input input = {NULL, 0, false};
    tsr__array array = {0};
    bool stays = false;

    if (request->variable != NULL)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "a .npy holds one array without a name; leave out ':%s'",
                 request->variable);
    if (request->options->memory > 0 && !request->only_labels)
        TSR_TRY(store(&stays, out, request));
    if (stays)
        goto done;
    TSR_TRY(tsr__input_map(&input, request->path));
    TSR_TRY(tsr__npy_parse(&array, input.bytes, input.size));
    if (request->only_labels || !is_usable(&array)) { /* nothing of it stays mapped */
        tsr__input_close(&input);
        TSR_TRY(tsr__input_open(&input, request->path));
        TSR_TRY(tsr__npy_parse(&array, input.bytes, input.size));
    }
    (void)snprintf(out->dtype, sizeof out->dtype, "%s", tsr__element_name(array.element));
    if (request->only_labels)
        TSR_TRY(tsr__array_to_labels(&out->labels, &array));
    else
        TSR_TRY(tsr__npy_take_matrix(&out->x, &input));
done:
    tsr__input_close(&input);
    return status;
}

int tsr__npy_head(char out[TSR_NPY_HEAD_SIZE], const char *type, int rank, const int64_t *shape)
{
    char text[TSR_NPY_HEAD_SIZE];
    tsr__line line = TSR_LINE(text);
    tsr__line_add(&line, "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
                  is_little_endian() ? '<' : '>', type);
    for (int i = 0; i < rank; i++)
        tsr__line_add(&line, "%lld%s", (long long)shape[i],
                      i + 1 < rank ? ", "
                      : rank == 1  ? ","
                                   : "");
    tsr__line_add(&line, "), }");
    const int size = (10 + (int)line.used + 1 + 63) / 64 * 64;
    const int length = size - 10;
    memset(out, ' ', (size_t)size);
    memcpy(out, "\x93NUMPY\x01\x00", 8);
    out[8] = (char)(length & 255);
    out[9] = (char)(length >> 8);
    memcpy(out + 10, text, line.used);
    out[size - 1] = '\n';
    return size;
}

tsr_status tsr__npy_write_flow(const tsr__flow *flow, const char *path)
{
    enum { PIECE = 1 << 16 };
    tsr_status status = TSR_OK;
    FILE *stream = NULL;
    char text[TSR_NPY_HEAD_SIZE], *piece = NULL;
    const int64_t shape[2] = {flow->samples, flow->features};
    const int head_size =
        tsr__npy_head(text, flow->type == TSR_FLOAT64 ? "f8" : "f4", 2, shape);
    TSR_NEW(piece, PIECE);
    TSR_TRY(tsr__stream_open(&stream, path));
    (void)fwrite(text, 1, (size_t)head_size, stream);
    for (int64_t at = 0; at < flow->values.size && ferror(stream) == 0; at += PIECE) {
        const int64_t left = flow->values.size - at, some = left < PIECE ? left : PIECE;
        TSR_TRY(tsr__scratch_read(piece, &flow->values, at, some));
        (void)fwrite(piece, 1, (size_t)some, stream);
    }
done:
    status = tsr__stream_close(stream, status);
    tsr__free(piece);
    return status;
}

/* Window by window; what could not be written is told when the stream is closed. */
static tsr_status put_rows(FILE *stream, const tsr_matrix *x)
{
    const int64_t most = tsr__matrix_window_rows(x);
    const size_t size = tsr__type_size(x->type);
    for (int64_t first = 0; first < x->samples; first += most) {
        const int64_t left = x->samples - first;
        tsr_matrix rows;
        TSR_OR_RETURN(tsr__matrix_window(&rows, x, first, left < most ? left : most));
        for (int64_t i = 0; i < rows.samples; i++)
            (void)fwrite((const char *)rows.values + (size_t)(i * rows.stride) * size, size,
                         (size_t)x->features, stream);
    }
    return TSR_OK;
}

tsr_status tsr__npy_write(const tsr_data *data, const char *path)
{
    tsr_status status = TSR_OK;
    tsr_matrix *dense = NULL;
    FILE *stream = NULL;
    char text[TSR_NPY_HEAD_SIZE];
    const tsr_matrix *x = data->x;

    if (x->sparse) {
        const bool stored = tsr__matrix_is_stored(x);
        if ((stored ? tsr__matrix_recast : tsr_matrix_copy_as)(&dense, x, x->type, false) < 0)
            TSR_FAIL(TSR_ERROR_MEMORY,
                     "a .npy is dense, and %lld x %lld values do not fit into memory; write "
                     ".npz, .h5 or .mat to keep it sparse",
                     (long long)x->samples, (long long)x->features);
        x = dense;
    }
    const int64_t shape[2] = {x->samples, x->features};
    const int head_size = tsr__npy_head(text, x->type == TSR_FLOAT64 ? "f8" : "f4", 2, shape);
    TSR_TRY(tsr__stream_open(&stream, path));
    (void)fwrite(text, 1, (size_t)head_size, stream);
    TSR_TRY(put_rows(stream, x));
done:
    status = tsr__stream_close(stream, status);
    tsr_matrix_free(dense);
    return status;
}
