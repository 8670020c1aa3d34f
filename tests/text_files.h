/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the tests of text formats share: a folder of their own, files from texts, the calls that
 * must work or must fail with a message, and hostile variations of a good file. */
#ifndef TSR_TESTS_TEXT_FILES_H
#define TSR_TESTS_TEXT_FILES_H

#include "folder.h"

#include "io/data.h"
#include "io/format.h"

typedef tsr_status (*read_function)(tsr_data *out, const tsr__request *request);
typedef tsr_status (*write_function)(const tsr_data *data, const char *path);

/* The folder must be empty again: what writes a file leaves nothing beside it. */
static inline int remove_empty_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static inline void drop(tsr_data *data)
{
    tsr_matrix_free(data->x);
    tsr_labels_free(data->labels);
    tsr__names_clear(&data->sample_names);
    tsr__names_clear(&data->feature_names);
    tsr__names_clear(&data->notes);
    *data = (tsr_data){0};
}

static inline void assert_matrix(const tsr_matrix *x, int64_t rows, int64_t columns,
                                 const double *wanted)
{
    assert_int_equal(x->samples, rows);
    assert_int_equal(x->features, columns);
    for (int64_t i = 0; i < rows * columns; i++)
        assert_true(tsr_matrix_at(x, i / columns, i % columns) == wanted[i]);
}

/* Reads `size` bytes as a file `name`. */
static inline tsr_status read_bytes(tsr_data *out, read_function read, const char *name,
                                    const char *bytes, size_t size, tsr__request request)
{
    static const tsr_read_options defaults;
    put_bytes(name, bytes, size);
    if (request.options == NULL)
        request.options = &defaults;
    request.path = path_of(name);
    *out = (tsr_data){0};
    const tsr_status status = read(out, &request);
    (void)unlink(path_of(name));
    if (status < 0)
        drop(out);
    return status;
}

static inline void must_read(tsr_data *out, read_function read, const char *name,
                             const char *text, tsr__request request)
{
    if (read_bytes(out, read, name, text, strlen(text), request) < 0)
        fail_msg("%s: %s", name, tsr_message());
}

static inline void must_fail(read_function read, const char *name, const char *text,
                             tsr__request request, tsr_status wanted, const char *message)
{
    tsr_data data;
    const tsr_status status = read_bytes(&data, read, name, text, strlen(text), request);
    if (status >= 0)
        drop(&data);
    assert_int_equal(status, wanted);
    assert_string_equal(tsr_message(), message);
}

/* Every prefix, and every byte changed to some others: any status will do, harm will not. */
static inline void must_survive(read_function read, const char *name, const char *text)
{
    static const char others[] = {'\0', '\n', '"', ',', '9', '-', ':', ' ', '#', '%', '\xff'};
    const size_t size = strlen(text);
    char *copy = malloc(size + 1);
    assert_non_null(copy);
    for (int labels = 0; labels < 2; labels++) {
        const tsr__request request = {.only_labels = labels == 1};
        tsr_data data;
        for (size_t cut = 0; cut <= size; cut++)
            if (read_bytes(&data, read, name, text, cut, request) >= 0)
                drop(&data);
        for (size_t at = 0; at < size; at++)
            for (size_t i = 0; i < sizeof others; i++) {
                memcpy(copy, text, size);
                copy[at] = others[i];
                if (read_bytes(&data, read, name, copy, size, request) >= 0)
                    drop(&data);
            }
    }
    free(copy);
    assert_int_equal(tsr__memory_live(), 0);
}

/* Fails each allocation in turn: the status is right and nothing leaks. */
static inline void must_bear_no_memory(read_function read, const char *name, const char *text)
{
    for (int64_t nth = 1;; nth++) {
        tsr_data data;
        tsr__memory_fail_at(nth);
        const tsr_status status =
            read_bytes(&data, read, name, text, strlen(text), (tsr__request){0});
        tsr__memory_fail_at(0);
        if (status >= 0) {
            drop(&data);
            assert_true(nth > 1);
            break;
        }
        assert_int_equal(status, TSR_ERROR_MEMORY);
        assert_int_equal(tsr__memory_live(), 0);
    }
}

/* Writes and reads again. */
static inline void round_trip(tsr_data *back, const tsr_data *data, write_function write,
                              read_function read, const char *name)
{
    static const tsr_read_options defaults;
    if (write(data, path_of(name)) < 0)
        fail_msg("%s: %s", name, tsr_message());
    *back = (tsr_data){0};
    const tsr__request request = {.path = path_of(name), .options = &defaults};
    if (read(back, &request) < 0)
        fail_msg("%s: %s", name, tsr_message());
    (void)unlink(path_of(name));
}

static inline uint64_t draw(void)
{
    static uint64_t state = 0x9e3779b97f4a7c15u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1du;
}

/* A double that is often odd: any bits but NaN, small integers, zeros. */
static inline double draw_value(void)
{
    const uint64_t kind = draw() % 4, bits = draw();
    double value;
    memcpy(&value, &bits, sizeof value);
    if (kind == 0 && value == value)
        return value;
    if (kind == 1)
        return (double)(bits % 2001) - 1000;
    return kind == 2 ? (double)(bits >> 11) * 0x1p-53 : 0;
}

/* The same bits in every place, whatever the storage. */
static inline void assert_same_values(const tsr_matrix *a, const tsr_matrix *b, bool signs)
{
    assert_int_equal(a->samples, b->samples);
    assert_int_equal(a->features, b->features);
    for (int64_t i = 0; i < a->samples; i++)
        for (int64_t j = 0; j < a->features; j++) {
            double p = tsr_matrix_at(a, i, j), q = tsr_matrix_at(b, i, j);
            if (a->type == TSR_FLOAT32)
                p = (float)p,
                q = (float)q; /* the text of a float is its own, not the double's */
            if (signs || p != 0 || q != 0)
                assert_memory_equal(&p, &q, sizeof p);
        }
}

static inline void assert_same_labels(const tsr_labels *a, const tsr_labels *b)
{
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->classes, b->classes);
    for (int32_t c = 0; c < a->classes; c++)
        assert_string_equal(a->name[c], b->name[c]);
    for (int64_t i = 0; i < a->count; i++)
        assert_int_equal(a->of[i], b->of[i]);
}

#endif
