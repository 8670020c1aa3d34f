/* SPDX-License-Identifier: BSD-2-Clause
 *
 * For tests of container formats: fixtures from tests/data, a folder for what is written, and
 * damage. The fixtures' matrix is A[i, j] = (7 i + 3 j) mod 11, 5 x 4; see tests/data/make.py.
 */
#ifndef TSR_TESTS_FIXTURES_H
#define TSR_TESTS_FIXTURES_H

#include "folder.h"

#include "io/format.h"

#include <math.h>

typedef tsr_status (*reader)(tsr_data *out, const tsr__request *request);
typedef tsr_status (*writer)(const tsr_data *data, const char *path);

static char scratch[1100];

static inline int make_scratch(void **state)
{
    const int status = make_folder(state);
    (void)snprintf(scratch, sizeof scratch, "%s/scratch", folder);
    return status;
}

/* Nothing but the scratch file may be left. */
static inline int remove_scratch(void **state)
{
    (void)state;
    (void)unlink(scratch);
    return rmdir(folder);
}

static inline const char *fixture(const char *name)
{
    static char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", TSR_TEST_DATA, name);
    return path;
}

static inline double entry(int64_t i, int64_t j)
{
    return (double)((7 * i + 3 * j) % 11);
}

/* Reads; `out` is NULL on failure. The caller frees. */
static inline tsr_status read_by(tsr_data **out, reader read, const char *path,
                                 const char *variable, bool only_labels)
{
    const tsr_read_options options = {0};
    const tsr__request request = {
        .path = path, .variable = variable, .only_labels = only_labels, .options = &options};
    tsr_data *data = tsr__alloc_zero(1, sizeof *data);
    *out = NULL;
    if (data == NULL)
        return TSR_ERROR_MEMORY;
    data->format = "test";
    const tsr_status status = read(data, &request);
    if (status < 0)
        tsr_data_free(data);
    else
        *out = data;
    return status;
}

static inline tsr_data *read_fixture(reader read, const char *name, const char *variable)
{
    tsr_data *data = NULL;
    const tsr_status status = read_by(&data, read, fixture(name), variable, false);
    if (status != TSR_OK)
        fail_msg("%s: %s", name, tsr_message());
    return data;
}

static inline void check_fixture(const tsr_matrix *x)
{
    assert_int_equal(x->samples, 5);
    assert_int_equal(x->features, 4);
    for (int64_t i = 0; i < 5; i++)
        for (int64_t j = 0; j < 4; j++)
            assert_true(tsr_matrix_at(x, i, j) == entry(i, j));
}

static inline void check_labels(const tsr_labels *labels, const char *const *names,
                                int64_t count)
{
    assert_non_null(labels);
    assert_int_equal(labels->count, count);
    for (int64_t i = 0; i < count; i++)
        assert_string_equal(tsr_labels_name(labels, labels->of[i]), names[i]);
}

static inline void check_same_names(const tsr__names *a, const tsr__names *b)
{
    assert_int_equal(a->count, b->count);
    for (int64_t i = 0; i < a->count; i++)
        assert_string_equal(a->name[i], b->name[i]);
}

/* Equal bit for bit, whatever the strides. */
static inline void check_same_matrix(const tsr_matrix *a, const tsr_matrix *b)
{
    assert_int_equal(a->samples, b->samples);
    assert_int_equal(a->features, b->features);
    assert_int_equal(a->type, b->type);
    assert_int_equal(a->sparse, b->sparse);
    const size_t size = tsr__type_size(a->type);
    for (int64_t i = 0; i < a->samples; i++) {
        const int64_t p = a->sparse ? a->rows[i] : i * a->stride;
        const int64_t q = b->sparse ? b->rows[i] : i * b->stride;
        const int64_t count = a->sparse ? a->rows[i + 1] - p : a->features;
        if (a->sparse) {
            assert_int_equal(b->rows[i + 1] - q, count);
            assert_memory_equal(a->columns + p, b->columns + q, (size_t)count * 4);
        }
        assert_memory_equal((char *)a->values + (size_t)p * size,
                            (char *)b->values + (size_t)q * size, (size_t)count * size);
    }
}

static inline void check_same_data(const tsr_data *a, const tsr_data *b)
{
    check_same_matrix(a->x, b->x);
    assert_int_equal(a->x->image.height, b->x->image.height);
    assert_int_equal(a->x->image.width, b->x->image.width);
    assert_int_equal(a->x->image.order, b->x->image.order);
    assert_int_equal(a->labels != NULL, b->labels != NULL);
    if (a->labels != NULL) {
        assert_int_equal(a->labels->count, b->labels->count);
        assert_int_equal(a->labels->classes, b->labels->classes);
        for (int64_t i = 0; i < a->labels->count; i++)
            assert_int_equal(a->labels->of[i], b->labels->of[i]);
        for (int32_t c = 0; c < a->labels->classes; c++)
            assert_string_equal(a->labels->name[c], b->labels->name[c]);
    }
    check_same_names(&a->sample_names, &b->sample_names);
    check_same_names(&a->feature_names, &b->feature_names);
}

static inline char *load_bytes(size_t *size, const char *path)
{
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    assert_int_equal(fseek(stream, 0, SEEK_END), 0);
    *size = (size_t)ftell(stream);
    rewind(stream);
    char *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, stream), *size);
    (void)fclose(stream);
    return bytes;
}

static inline void store_bytes(const char *path, const char *bytes, size_t size)
{
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, size, stream), size);
    assert_int_equal(fclose(stream), 0);
}

/* Reads the damaged file for its own sake: sanitizers and the count of live memory are the
 * judge. */
static inline void try_bytes(reader read, const char *bytes, size_t size)
{
    tsr_data *data = NULL;
    const int64_t live = tsr__memory_live();
    store_bytes(scratch, bytes, size);
    if (read_by(&data, read, scratch, NULL, false) == TSR_OK) {
        double *row = tsr__alloc(data->x->features, sizeof *row);
        for (int64_t i = 0; i < data->x->samples && i < 100; i++)
            tsr_matrix_get_sample(row, data->x, i);
        tsr__free(row);
    }
    tsr_data_free(data);
    assert_int_equal(tsr__memory_live(), live);
}

/* Every `step`-th prefix. */
static inline void cut_off(reader read, const char *path, size_t step)
{
    size_t size = 0;
    char *bytes = load_bytes(&size, path);
    for (size_t k = 0; k < size; k += step)
        try_bytes(read, bytes, k);
    free(bytes);
}

/* Every byte with some of its bits turned. */
static inline void turn_bits(reader read, const char *path)
{
    static const unsigned char masks[] = {0xff, 0x01, 0x80};
    size_t size = 0;
    char *bytes = load_bytes(&size, path);
    for (size_t k = 0; k < size; k++)
        for (size_t m = 0; m < sizeof masks; m++) {
            bytes[k] = (char)((unsigned char)bytes[k] ^ masks[m]);
            try_bytes(read, bytes, size);
            bytes[k] = (char)((unsigned char)bytes[k] ^ masks[m]);
        }
    free(bytes);
}

/* The n-th allocation fails, for every n: nothing leaks, and the status says memory. */
static inline void starve_reader(reader read, const char *path)
{
    for (int64_t nth = 1;; nth++) {
        const int64_t live = tsr__memory_live();
        tsr_data *data = NULL;
        tsr__memory_fail_at(nth);
        const tsr_status status = read_by(&data, read, path, NULL, false);
        tsr__memory_fail_at(0);
        tsr_data_free(data);
        assert_int_equal(tsr__memory_live(), live);
        if (status == TSR_OK)
            break;
        assert_int_equal(status, TSR_ERROR_MEMORY);
    }
}

static inline void starve_writer(writer write, const tsr_data *data)
{
    for (int64_t nth = 1;; nth++) {
        const int64_t live = tsr__memory_live();
        tsr__memory_fail_at(nth);
        const tsr_status status = write(data, scratch);
        tsr__memory_fail_at(0);
        assert_int_equal(tsr__memory_live(), live);
        if (status == TSR_OK)
            break;
        assert_int_equal(status, TSR_ERROR_MEMORY);
    }
}

static inline void round_trip(reader read, writer write, const tsr_data *data)
{
    tsr_data *back = NULL;
    check_ok(write(data, scratch));
    check_ok(read_by(&back, read, scratch, NULL, false));
    check_same_data(data, back);
    tsr_data_free(back);
}

#endif
