/* SPDX-License-Identifier: BSD-2-Clause
 *
 * HDF5 from the inside: groups and attributes, and datasets that are read in parts. */
#include "fixtures.h"

#include "io/hdf5.h"

#include <fcntl.h>
#include <hdf5.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static void keeps_attributes(void **state)
{
    tsr__hdf5 *file = NULL;
    const int64_t integer = -5, pair[2] = {1, (int64_t)1 << 60};
    const double real = 1.0 / 3;
    int64_t back[2] = {0, 0};
    double real_back = 0;
    char *text = NULL;
    (void)state;
    check_ok(tsr__hdf5_create(&file, scratch));
    check_ok(tsr__hdf5_make_group(file, "g"));
    check_ok(tsr__hdf5_set_text(file, "", "title", "\xc3\x84pfel"));
    check_ok(tsr__hdf5_set_text(file, "g", "empty", ""));
    check_ok(tsr__hdf5_set_integers(file, "g", "one", &integer, 1));
    check_ok(tsr__hdf5_set_integers(file, "g", "two", pair, 2));
    check_ok(tsr__hdf5_set_reals(file, "g", "real", &real, 1));
    assert_int_equal(tsr__hdf5_make_group(file, "g"), TSR_ERROR_IO);
    check_ok(tsr__hdf5_close(file, TSR_OK));
    check_ok(tsr__hdf5_open(&file, scratch, 0));
    assert_true(tsr__hdf5_has(file, "g") && !tsr__hdf5_has(file, "h"));
    assert_true(tsr__hdf5_has_attribute(file, "g", "one"));
    assert_false(tsr__hdf5_has_attribute(file, "g", "three"));
    check_ok(tsr__hdf5_get_text(&text, file, "", "title"));
    assert_string_equal(text, "\xc3\x84pfel");
    tsr__free(text);
    check_ok(tsr__hdf5_get_text(&text, file, "g", "empty"));
    assert_string_equal(text, "");
    tsr__free(text);
    check_ok(tsr__hdf5_get_integers(back, 1, file, "g", "one"));
    assert_int_equal(back[0], -5);
    check_ok(tsr__hdf5_get_integers(back, 2, file, "g", "two"));
    assert_memory_equal(back, pair, sizeof pair);
    check_ok(tsr__hdf5_get_reals(&real_back, 1, file, "g", "real"));
    assert_true(real_back == real);
    check_fails(tsr__hdf5_get_integers(back, 1, file, "g", "two"), TSR_ERROR_FORMAT,
                "2 values");
    check_fails(tsr__hdf5_get_integers(back, 1, file, "g", "real"), TSR_ERROR_FORMAT,
                "integer");
    check_fails(tsr__hdf5_get_text(&text, file, "g", "one"), TSR_ERROR_FORMAT, "text");
    check_fails(tsr__hdf5_get_text(&text, file, "g", "three"), TSR_ERROR_FORMAT,
                "no attribute");
    check_ok(tsr__hdf5_close(file, TSR_OK));
}

/* Parts ----------------------------------------------------------------------------------- */

enum { ROWS = 600, WIDTH = 20, CHUNK = 100, ACROSS = 8, CHUNKS = 18 };

static double number(int64_t row, int64_t column)
{
    return (double)(row * WIDTH + column) / 7;
}

typedef struct place {
    haddr_t at;
    hsize_t size;
} place;

/* ROWS x WIDTH in packed chunks, each of which *at (or NULL) tells the place of. */
static void put_packed(place at[CHUNKS])
{
    static double values[ROWS * WIDTH];
    const hsize_t shape[] = {ROWS, WIDTH}, chunk[] = {CHUNK, ACROSS};
    const hid_t file = H5Fcreate(scratch, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                how = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(2, shape, NULL);
    for (int i = 0; i < ROWS * WIDTH; i++)
        values[i] = number(i / WIDTH, i % WIDTH);
    assert_true(H5Pset_chunk(how, 2, chunk) >= 0 && H5Pset_shuffle(how) >= 0 &&
                H5Pset_deflate(how, 1) >= 0);
    const hid_t id =
        H5Dcreate2(file, "x", H5T_IEEE_F64LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    assert_true(H5Dwrite(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    assert_true(H5Fflush(file, H5F_SCOPE_LOCAL) >= 0);
    for (hsize_t i = 0; at != NULL && i < CHUNKS; i++) {
        unsigned mask;
        const hsize_t first[] = {i / 3 * CHUNK, i % 3 * ACROSS};
        assert_true(H5Dget_chunk_info_by_coord(id, first, &mask, &at[i].at, &at[i].size) >= 0);
    }
    (void)H5Dclose(id), (void)H5Sclose(space), (void)H5Pclose(how), (void)H5Fclose(file);
}

/* Nothing of any chunk can be unpacked any more. */
static void spoil(const place at[CHUNKS])
{
    FILE *file = fopen(scratch, "r+b");
    assert_non_null(file);
    for (int i = 0; i < CHUNKS; i++) {
        assert_int_equal(fseek(file, (long)at[i].at, SEEK_SET), 0);
        for (hsize_t k = 0; k < at[i].size; k++)
            assert_int_equal(fputc(0x11, file), 0x11);
    }
    assert_int_equal(fclose(file), 0);
}

static tsr__hdf5_parts *open_parts(int64_t places, int64_t room)
{
    tsr__hdf5 *file = NULL;
    tsr__hdf5_parts *parts = NULL;
    check_ok(tsr__hdf5_open(&file, scratch, 0));
    check_ok(tsr__hdf5_open_parts(&parts, file, "x", places, room));
    check_ok(tsr__hdf5_close(file, TSR_OK));
    return parts;
}

static void check_part(const tsr__hdf5_parts *parts, int64_t first, int64_t rows)
{
    static double part[ROWS * WIDTH];
    check_ok(
        tsr__hdf5_read_part(part, parts, TSR_ELEMENT_FLOAT64, first * WIDTH, rows * WIDTH));
    for (int64_t i = 0; i < rows * WIDTH; i++)
        assert_true(part[i] == number(first + i / WIDTH, i % WIDTH));
}

/* Of two places at once every chunk is unpacked once, whatever becomes of it in the file, and no more
 * is kept; other openings of the file come and go meanwhile. */
static void unpacks_once(void **state)
{
    enum { ROOM = 2 * CHUNK * 24 * (int)sizeof(double) };
    place at[CHUNKS];
    double row[WIDTH];
    tsr__hdf5 *file = NULL;
    tsr__variable about;
    (void)state;
    put_packed(at);
    tsr__hdf5_parts *parts = open_parts(2, ROOM);
    check_part(parts, 90, 20);
    check_part(parts, 510, 5);
    for (int i = 0; i < 40; i++) {
        check_part(parts, 110 + i, 1);
        check_part(parts, 515 + i, 1);
    }
    check_ok(tsr__hdf5_open(&file, scratch, 0));
    check_ok(tsr__hdf5_describe(&about, file, "x"));
    check_ok(tsr__hdf5_close(file, TSR_OK));
    spoil(at);
    check_part(parts, 150, 50);
    check_part(parts, 555, 45);
    assert_int_equal(tsr__hdf5_read_part(row, parts, TSR_ELEMENT_FLOAT64, 0, WIDTH),
                     TSR_ERROR_FORMAT); /* for which there is no more room */
    tsr__hdf5_close_parts(parts);
}

static tsr_status met;
static char told[512];

static void *read_spoilt(void *parts)
{
    double part[WIDTH];
    met = tsr__hdf5_read_part(part, parts, TSR_ELEMENT_FLOAT64, 0, WIDTH);
    (void)snprintf(told, sizeof told, "%s", tsr_message());
    return NULL;
}

/* Another thread meets it: HDF5 would print there. */
static void damage_is_told_once(void **state)
{
    place at[CHUNKS];
    pthread_t thread;
    size_t said = 1;
    (void)state;
    put_packed(at);
    tsr__hdf5_parts *parts = open_parts(2, 1 << 20);
    spoil(at);
    const int before = dup(STDERR_FILENO),
              to = open(path_of("said"), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    assert_true(dup2(to, STDERR_FILENO) >= 0);
    assert_int_equal(pthread_create(&thread, NULL, read_spoilt, parts), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(fflush(stderr), 0);
    assert_true(dup2(before, STDERR_FILENO) >= 0);
    (void)close(before), (void)close(to);
    free(load_bytes(&said, path_of("said")));
    assert_int_equal(unlink(path_of("said")), 0);
    assert_int_equal(said, 0);
    assert_int_equal(met, TSR_ERROR_FORMAT);
    assert_string_equal(told, "cannot read x: the file is damaged or cut off");
    tsr__hdf5_close_parts(parts);
}

static bool threads = true;

herr_t __wrap_H5is_library_threadsafe(hbool_t *safe);
herr_t __wrap_H5is_library_threadsafe(hbool_t *safe)
{
    *safe = threads;
    return 0;
}

static void parts_are_refused(void **state)
{
    tsr__hdf5 *file = NULL;
    tsr__hdf5_parts *parts = NULL;
    (void)state;
    put_packed(NULL);
    check_ok(tsr__hdf5_open(&file, scratch, 0));
    check_fails(tsr__hdf5_open_parts(&parts, file, "x", 3, 3 * CHUNK * 24 * 8 - 1),
                TSR_ERROR_MEMORY, "3 rows of them, takes 0.0576 MB");
    check_fails(tsr__hdf5_open_parts(&parts, file, "y", 3, 1 << 20), TSR_ERROR_FORMAT, "no y");
    threads = false;
    check_fails(tsr__hdf5_open_parts(&parts, file, "x", 3, 1 << 20), TSR_ERROR_UNSUPPORTED,
                "without threads");
    threads = true;
    assert_null(parts);
    check_ok(tsr__hdf5_close(file, TSR_OK));
}

static _Atomic(bool) begun, ended;

static void *read_on(void *parts)
{
    static double part[ROWS * WIDTH];
    while (!ended)
        begun =
            tsr__hdf5_read_part(part, parts, TSR_ELEMENT_FLOAT64, 0, ROWS * WIDTH) == TSR_OK;
    return NULL;
}

/* A child has HDF5's lock as it was: a fork waits until nobody reads. */
static void forks_wait(void **state)
{
    pthread_t thread;
    (void)state;
    put_packed(NULL);
    tsr__hdf5_parts *parts = open_parts(1, 1 << 20);
    assert_int_equal(pthread_create(&thread, NULL, read_on, parts), 0);
    while (!begun) /* sanitizers mind no fork while a thread begins */
        (void)usleep(1000);
    for (int i = 0; i < 30; i++) {
        int status = 0;
        const pid_t child = fork();
        if (child == 0) {
            double part[WIDTH];
            (void)alarm(60);
            _exit(tsr__hdf5_read_part(part, parts, TSR_ELEMENT_FLOAT64, 5 * WIDTH, WIDTH) ==
                              TSR_OK &&
                          part[0] == number(5, 0)
                      ? 0
                      : 1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    ended = true;
    assert_int_equal(pthread_join(thread, NULL), 0);
    tsr__hdf5_close_parts(parts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_attributes), cmocka_unit_test(unpacks_once),
        cmocka_unit_test(damage_is_told_once), cmocka_unit_test(parts_are_refused),
        cmocka_unit_test(forks_wait)};
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
