/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Samples that stay in their file, converted: whatever does not need all of them in memory makes the
 * files that it makes of the same samples in memory, byte for byte. And samples that lie by feature,
 * which pass through a sort. */
#include "fixtures.h"

#include "io/hdf5.h"
#include "matrix/store.h"

#include <math.h>

/* Some windows of a megabyte, dense or sparse, and the last one not whole. */
enum { N = 23000, M = 30, LITTLE = 1 << 19, COLUMNS = 70, ROWS = 900, ENTRIES = 20000 };

static const char *const files[] = {"dense.npy", "single.npy", "dense.h5", "sparse.h5"};

/* A third are not zero, some samples and features are empty, one value is a NaN. */
static tsr_matrix *make_samples(void)
{
    tsr_matrix *x = NULL;
    check_ok(tsr_matrix_create(&x, N, M, TSR_FLOAT64));
    double *value = tsr_matrix_edit(x);
    for (int64_t k = 0; k < (int64_t)N * M; k++)
        value[k] = k / M % 19 == 3 || k % M == 7 || k % 3 != 0 ? 0 : (double)(k % 1009) / 7;
    value[M * 100 + 2] = (double)NAN;
    value[M * 101 + 2] = 1e-60; /* nothing in single precision */
    return x;
}

static int put_files(void **state)
{
    tsr_data *data = NULL, *as = NULL;
    if (make_folder(state) != 0)
        return 1;
    check_ok(tsr_data_take(&data, make_samples(), NULL));
    check_ok(tsr_matrix_set_image(data->x, (tsr_image_shape){5, 6, TSR_COLUMN_ORDER}));
    for (int i = 0; i < 4; i++) {
        check_ok(tsr_data_copy_as(&as, data, i == 1 ? TSR_FLOAT32 : TSR_FLOAT64, i == 3));
        check_ok(tsr_data_write(as, path_of(files[i])));
        tsr_data_free(as);
    }
    tsr_data_free(data);
    return 0;
}

static tsr_data *read_in(const char *name, int64_t memory)
{
    tsr_data *data = NULL;
    tsr_read_options o = {0};
    tsr_settings_default(tsr_read_settings(), &o);
    o.memory = memory;
    if (tsr_data_read(&data, path_of(name), &o) != TSR_OK)
        fail_msg("%s", tsr_message());
    assert_true(tsr__matrix_is_stored(data->x) == (memory > 0));
    return data;
}

static void check_same_bytes(const char *one, const char *other, const char *what)
{
    size_t size[2] = {0, 0};
    char *a = load_bytes(&size[0], path_of(one)), *b = load_bytes(&size[1], path_of(other));
    if (size[0] != size[1] || memcmp(a, b, size[0]) != 0)
        fail_msg("%s as %s: other bytes where samples stay in their file", what, other);
    free(a), free(b);
    (void)unlink(path_of(one));
    (void)unlink(path_of(other));
}

/* What is asked of both. */
typedef struct change {
    tsr_type type;
    bool sparse;
    tsr_norm norm;
} change;

static void write_changed(const char *name, int64_t memory, change c, const char *to, bool both)
{
    tsr_data *data = read_in(name, memory), *as = NULL;
    check_ok(tsr_data_copy_as(&as, data, c.type, c.sparse));
    tsr_data_free(data); /* the copy does without */
    check_ok(tsr_matrix_normalize(as->x, c.norm));
    assert_true(tsr__matrix_is_stored(as->x) == (memory > 0));
    check_ok(both ? tsr_data_write_both(as, path_of(to)) : tsr_data_write(as, path_of(to)));
    tsr_data_free(as);
}

static void check_change(const char *name, change c)
{
    const int64_t live = tsr__memory_live();
    write_changed(name, 0, c, "here.h5", c.sparse);
    write_changed(name, LITTLE, c, "there.h5", c.sparse);
    check_same_bytes("here.h5", "there.h5", name);
    write_changed(name, 0, c, "here.npy", false);
    write_changed(name, LITTLE, c, "there.npy", false);
    check_same_bytes("here.npy", "there.npy", name);
    assert_int_equal(tsr__memory_live(), live);
}

static void changes_are_those_of_memory(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++)
            check_change(files[i], (change){k % 2 ? TSR_FLOAT32 : TSR_FLOAT64, k >= 2,
                                            (tsr_norm)((i + k) % 4)});
}

/* Twice, one norm over the other, and beside the samples as they were. */
static void what_was_copied_stays_as_it_was(void **state)
{
    (void)state;
    tsr_data *here = read_in("dense.npy", 0), *there = read_in("dense.npy", LITTLE);
    tsr_data *copy = NULL;
    tsr_matrix row, scaled;
    check_ok(tsr_data_copy_as(&copy, there, TSR_FLOAT64, false));
    check_ok(tsr_matrix_normalize(copy->x, TSR_NORM_L1));
    check_ok(tsr_matrix_normalize(copy->x, TSR_NORM_MAX));
    check_ok(tsr__matrix_window(&row, there->x, 5, 2)); /* it is not that of the copy */
    check_ok(tsr__matrix_window(&scaled, copy->x, 9, 2));
    assert_memory_equal(row.values, (const double *)here->x->values + 5 * M,
                        2 * M * sizeof(double));
    check_ok(tsr_matrix_normalize(here->x, TSR_NORM_L1));
    check_ok(tsr_matrix_normalize(here->x, TSR_NORM_MAX));
    assert_memory_equal(scaled.values, (const double *)here->x->values + 9 * M,
                        2 * M * sizeof(double));
    assert_int_equal(tsr_matrix_image(copy->x).width, tsr_matrix_image(there->x).width);
    tsr_data_free(there);
    tsr_data_free(copy);
    tsr_data_free(here);
}

/* A row that has more entries than were counted is an error, not a write beyond its room. */
static void rows_that_grow_are_found(void **state)
{
    (void)state;
    char head[128] = "";
    double grown[M];
    tsr_data *data = NULL, *as = NULL;
    tsr_matrix rows;
    write_changed("dense.npy", 0, (change){TSR_FLOAT64, false, TSR_NORM_NONE}, "grows.npy",
                  false);
    data = read_in("grows.npy", LITTLE);
    check_ok(tsr_data_copy_as(&as, data, TSR_FLOAT64, true));
    FILE *file = fopen(path_of("grows.npy"), "r+b");
    assert_non_null(file);
    assert_int_equal(fread(head, 1, sizeof head, file), sizeof head);
    for (int j = 0; j < M; j++)
        grown[j] = 5;
    assert_int_equal(fseek(file, 128, SEEK_SET), 0);
    for (int i = 0; i < N; i++)
        assert_int_equal(fwrite(grown, sizeof *grown, M, file), M);
    assert_int_equal(fclose(file), 0);
    assert_true(tsr__matrix_window(&rows, as->x, 0, N / 2) < 0);
    tsr_data_free(as);
    tsr_data_free(data);
    (void)unlink(path_of("grows.npy"));
}

static void dense_samples_have_one_order(void **state)
{
    (void)state;
    const char *const words = "both orders are of sparse samples";
    tsr_data *data = read_in("dense.h5", LITTLE);
    check_fails(tsr_data_write_both(data, path_of("both.h5")), TSR_ERROR_ARGUMENT, words);
    tsr_data_free(data);
    data = read_in("dense.h5", 0);
    check_fails(tsr_data_write_both(data, path_of("both.h5")), TSR_ERROR_ARGUMENT, words);
    check_ok(tsr_data_write(data, path_of("dense.csv")));
    tsr_data_free(data);
    const tsr_read_options plain = {.threads = 1};
    for (int64_t memory = 0; memory <= LITTLE; memory += LITTLE)
        check_fails(tsr__data_convert(NULL, path_of("dense.csv"), path_of("both.h5"), &plain,
                                      true, 0, memory),
                    TSR_ERROR_ARGUMENT, words);
    assert_int_not_equal(access(path_of("both.h5"), F_OK), 0);
    (void)unlink(path_of("dense.csv"));
}

/* By feature ------------------------------------------------------------------------------ */

static void put_array(tsr__hdf5 *to, const char *name, tsr__element element, int64_t count,
                      const void *values)
{
    const tsr__hdf5_block block = {element, 1, {count, 1}, 1, values};
    check_ok(tsr__hdf5_write(to, name, &block));
}

/* As scipy and AnnData lay it out: in disorder, some entries of one place, some zero. `fault` 1: a
 * sample that there is not, 2: pointers beyond the entries, 3: pointers that fall. */
static void put_columns(const char *name, bool single, int fault)
{
    static double value[ENTRIES];
    static float narrow[ENTRIES];
    static int32_t sample[ENTRIES];
    static int64_t start[COLUMNS + 1];
    const int64_t shape[] = {ROWS, COLUMNS};
    tsr__random random = tsr__random_seed(3, 0);
    tsr__hdf5 *to = NULL;
    for (int64_t k = 0; k < ENTRIES; k++) {
        sample[k] = (int32_t)tsr__random_below(&random, ROWS);
        value[k] = (double)(k % 5) - 2 + (k % 7 == 0 ? 0.1 : 0);
        narrow[k] = (float)value[k];
    }
    for (int64_t j = 0; j <= COLUMNS; j++)
        start[j] = ENTRIES * (j < 2 ? 0 : j) / COLUMNS; /* one has none */
    sample[ENTRIES / 2] = fault == 1 ? ROWS : 0;
    start[COLUMNS] += fault == 2;
    start[9] = fault == 3 ? ENTRIES : start[9];
    check_ok(tsr__hdf5_create(&to, path_of(name)));
    check_ok(tsr__hdf5_make_group(to, "X"));
    check_ok(tsr__hdf5_set_integers(to, "X", "shape", shape, 2));
    check_ok(tsr__hdf5_set_text(to, "X", "encoding-type", "csc_matrix"));
    put_array(to, "X/data", single ? TSR_ELEMENT_FLOAT32 : TSR_ELEMENT_FLOAT64, ENTRIES,
              single ? (const void *)narrow : value);
    put_array(to, "X/indices", TSR_ELEMENT_INT32, ENTRIES, sample);
    put_array(to, "X/indptr", TSR_ELEMENT_INT64, COLUMNS + 1, start);
    for (int64_t i = 0; i < ENTRIES; i++)
        sample[i] %= 3;
    put_array(to, "y", TSR_ELEMENT_INT32, ROWS, sample);
    check_ok(tsr__hdf5_close(to, TSR_OK));
}

static tsr_status convert(const char *name, const char *to, bool both, int needs,
                          int64_t memory)
{
    const tsr_read_options plain = {.threads = 2};
    return tsr__data_convert(NULL, path_of(name), path_of(to), &plain, both, needs, memory);
}

static void columns_are_sorted(void **state)
{
    (void)state;
    static const int64_t memory[] = {4096, 1 << 16, 1 << 19};
    for (int i = 0; i < 6; i++) {
        put_columns("csc.h5", i % 2 == 1, 0);
        check_ok(convert("csc.h5", "here.h5", i >= 3, 0, 0));
        check_ok(convert("csc.h5", "there.h5", i >= 3, 0, memory[i % 3]));
        check_same_bytes("here.h5", "there.h5", "csc");
    }
    tsr_data *data = NULL;
    const tsr_read_options little = {.memory = 1 << 16};
    check_fails(tsr_data_read(&data, path_of("csc.h5"), &little), TSR_ERROR_UNSUPPORTED,
                "tessera convert --memory");
    check_fails(convert("csc.h5", "out.npy", false, 0, 1 << 16), TSR_ERROR_UNSUPPORTED,
                "write .h5");
    (void)unlink(path_of("csc.h5"));
}

/* Only what lies by feature is told to pass. */
static void sizes_are_of_what_is_read_whole(void **state)
{
    (void)state;
    int64_t size = -1;
    char path[1700];
    put_columns("csc.h5", true, 0);
    check_ok(tsr_path_size(&size, path_of("csc.h5")));
    assert_int_equal(size, ENTRIES * 8);
    (void)snprintf(path, sizeof path, "%s:y", path_of("csc.h5"));
    check_ok(tsr_path_size(&size, path));
    assert_int_equal(size, 0);
    for (int i = 0; i < 4; i++) {
        check_ok(tsr_path_size(&size, path_of(files[i])));
        assert_int_equal(size, 0);
    }
    (void)unlink(path_of("csc.h5"));
}

/* In the words of a reader that has it in memory. */
static void faults_are_told_alike(void **state)
{
    (void)state;
    for (int fault = 1; fault <= 3; fault++) {
        char said[TSR_MESSAGE_SIZE];
        put_columns("csc.h5", false, fault);
        const tsr_status status = convert("csc.h5", "here.h5", false, 0, 0);
        assert_true(status < 0);
        (void)snprintf(said, sizeof said, "%s", tsr_message());
        assert_int_equal(convert("csc.h5", "there.h5", false, 0, 4096), status);
        assert_string_equal(tsr_message(), said);
    }
    assert_int_not_equal(access(path_of("there.h5"), F_OK), 0);
    (void)unlink(path_of("csc.h5"));
}

/* Every allocation fails once: of a sort of what stays in its file, and of one that passes. */
static void failing_memory_leaves_nothing(void **state)
{
    (void)state;
    put_columns("csc.h5", false, 0);
    check_ok(convert("csc.h5", "few.h5", false, 0, 0));
    for (int stored = 0; stored < 2; stored++) {
        (void)unlink(path_of("out.h5"));
        for (int64_t nth = 1;; nth++) {
            const int64_t live = tsr__memory_live();
            const tsr_read_options little = {.memory = stored ? 1 << 16 : 0};
            tsr_data *data = NULL, *as = NULL;
            tsr__memory_fail_at(nth);
            tsr_status status = stored ? tsr_data_read(&data, path_of("few.h5"), &little)
                                       : convert("csc.h5", "out.h5", true, 0, 1 << 16);
            if (stored && status == TSR_OK)
                status = tsr_matrix_normalize(data->x, TSR_NORM_L2);
            if (stored && status == TSR_OK)
                status = tsr_data_copy_as(&as, data, TSR_FLOAT32, true);
            if (stored && status == TSR_OK)
                status = tsr_data_write_both(as, path_of("out.h5"));
            tsr__memory_fail_at(0);
            tsr_data_free(data);
            tsr_data_free(as);
            assert_int_equal(tsr__memory_live(), live);
            if (status == TSR_OK)
                break;
            assert_int_equal(status, TSR_ERROR_MEMORY);
            assert_int_not_equal(access(path_of("out.h5"), F_OK), 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_are_those_of_memory),
        cmocka_unit_test(what_was_copied_stays_as_it_was),
        cmocka_unit_test(rows_that_grow_are_found),
        cmocka_unit_test(dense_samples_have_one_order),
        cmocka_unit_test(columns_are_sorted),
        cmocka_unit_test(sizes_are_of_what_is_read_whole),
        cmocka_unit_test(faults_are_told_alike),
        cmocka_unit_test(failing_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, put_files, remove_folder);
}
