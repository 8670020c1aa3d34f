/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Folders of pictures as data, both ways. */
#include "folder.h"

#include "image/image.h"
#include "io/format.h"

/* A 3 x 2 PGM of the values first, first + 1 .. first + 5. */
static void put_picture(const char *relative, int first)
{
    char text[64];
    const int length = snprintf(text, sizeof text, "P2 3 2 255 %d %d %d %d %d %d\n", first,
                                first + 1, first + 2, first + 3, first + 4, first + 5);
    put_bytes(relative, text, (size_t)length);
}

static tsr_status read_with(tsr_data *out, const tsr_read_options *options, bool only_labels)
{
    const tsr__request request = {folder, NULL, only_labels, options, NULL};
    memset(out, 0, sizeof *out);
    return tsr__images_read(out, &request);
}

static void drop(tsr_data *data)
{
    tsr_matrix_free(data->x);
    tsr_labels_free(data->labels);
    tsr__names_clear(&data->sample_names);
    tsr__names_clear(&data->notes);
}

static void assert_read_fails(const tsr_read_options *options, tsr_status expected,
                              const char *message)
{
    tsr_data data;
    assert_int_equal(read_with(&data, options, false), expected);
    assert_string_equal(tsr_message(), message);
    drop(&data);
}

static void assert_names(const tsr__names *names, int64_t count, const char *const *expected)
{
    assert_int_equal(names->count, count);
    for (int64_t i = 0; i < count; i++)
        assert_string_equal(names->name[i], expected[i]);
}

static void test_classes(void **state)
{
    static const char *const names[] = {"s1/2.pgm", "s1/10.PGM", "s2/deep/er/1.pgm", "s2/x.pgm",
                                        "s10/1.pgm"};
    static const int32_t of[] = {0, 0, 1, 1, 2};
    (void)state;
    put_picture("s1/2.pgm", 20);
    put_picture("s1/10.PGM", 30);
    put_picture("s1/.hidden.pgm", 0);
    put_picture(".git/1.pgm", 0);
    put_bytes("s1/notes.txt", "hello", 5);
    put_picture("s10/1.pgm", 60);
    put_picture("s2/x.pgm", 50);
    put_picture("s2/deep/er/1.pgm", 40);
    put_bytes("empty/readme", "", 0);
    assert_int_equal(mkfifo(path_of("s1/pipe.pgm"), 0600), 0);
    for (int64_t threads = 1; threads <= 3; threads++) {
        const tsr_read_options options = {.threads = threads};
        tsr_data data;
        assert_int_equal(read_with(&data, &options, false), TSR_OK);
        assert_names(&data.sample_names, 5, names);
        assert_int_equal(data.notes.count, 0);
        assert_string_equal(data.dtype, "uint8");
        assert_int_equal(tsr_matrix_samples(data.x), 5);
        assert_int_equal(tsr_matrix_type(data.x), TSR_FLOAT64);
        assert_false(tsr_matrix_is_sparse(data.x));
        const tsr_image_shape shape = tsr_matrix_image(data.x);
        assert_true(shape.height == 2 && shape.width == 3 && shape.order == TSR_ROW_ORDER);
        for (int64_t i = 0; i < 5 * 6; i++)
            assert_true(tsr_matrix_at(data.x, i / 6, i % 6) ==
                        (double)(20 + i / 6 * 10 + i % 6));
        assert_int_equal(tsr_labels_classes(data.labels), 3);
        assert_memory_equal(tsr_labels_of(data.labels), of, sizeof of);
        assert_string_equal(tsr_labels_name(data.labels, 2), "s10");
        drop(&data);
    }
}

static void test_no_classes(void **state)
{
    const tsr_read_options options = {0};
    static const int32_t of[] = {0, -1, 1};
    (void)state;
    tsr_data data;
    put_picture("b.pgm", 1);
    assert_int_equal(read_with(&data, &options, false), TSR_OK);
    assert_null(data.labels);
    drop(&data);
    assert_int_equal(read_with(&data, &options, true), TSR_OK);
    assert_true(data.labels == NULL && data.x == NULL);
    drop(&data);
    put_picture("a/1.pgm", 1);
    put_picture("c/1.pgm", 1);
    assert_int_equal(read_with(&data, &options, false), TSR_OK);
    assert_memory_equal(tsr_labels_of(data.labels), of, sizeof of);
    drop(&data);
}

static void test_only_labels(void **state)
{
    const tsr_read_options options = {0};
    (void)state;
    tsr_data data;
    put_bytes("a/1.png", "not a picture", 13);
    put_bytes("b/1.jpg", "", 0);
    assert_int_equal(read_with(&data, &options, true), TSR_OK);
    assert_null(data.x);
    assert_int_equal(tsr_labels_count(data.labels), 2);
    assert_int_equal(tsr_labels_classes(data.labels), 2);
    drop(&data);
}

static void test_failures(void **state)
{
    (void)state;
    const tsr_read_options options = {0}, size = {.size = {3, 0}};
    assert_read_fails(&options, TSR_ERROR_DATA,
                      "holds no images (.png .jpg .jpeg .pgm .ppm .pnm)");
    put_picture("s1/1.pgm", 1);
    const tsr__request variable = {folder, "x", true, &options, NULL},
                       gone = {path_of("gone"), NULL, true, &options, NULL};
    tsr_data data = {0};
    assert_int_equal(tsr__images_read(&data, &variable), TSR_ERROR_ARGUMENT);
    assert_int_equal(tsr__images_read(&data, &gone), TSR_ERROR_IO);
    assert_int_equal(read_with(&data, &size, false), TSR_ERROR_ARGUMENT);
    put_bytes("s1/2.pgm", "P2 2 2 9 1 2 3 4", 16);
    put_bytes("s1/3.pgm", "P2", 2);
    assert_read_fails(
        &options, TSR_ERROR_DATA,
        "s1/2.pgm has 2 x 2 pixels but s1/1.pgm has 3 x 2: resize all with --size "
        "WxH");
    put_picture("s1/2.pgm", 1);
    assert_read_fails(&options, TSR_ERROR_FORMAT,
                      "s1/3.pgm: truncated PGM/PPM: 2 bytes end before the width");
    assert_int_equal(symlink("nowhere", path_of("s1/0.png")), 0);
    assert_read_fails(&options, TSR_ERROR_IO,
                      "s1/0.png: cannot open: No such file or directory");
}

static void test_skip_bad(void **state)
{
    const tsr_read_options options = {.skip_bad = true};
    static const char *const names[] = {"a/2.pgm", "c/1.pgm"};
    static const char *const notes[] = {
        "left out a/1.jpg: 3 bytes that are not PNG, JPEG, PGM or PPM",
        "left out b/1.png: the file is empty",
        "left out c/0.pgm: truncated PGM/PPM: 2 bytes end before the width"};
    (void)state;
    put_bytes("a/1.jpg", "bad", 3);
    put_bytes("b/1.png", "", 0);
    put_bytes("c/0.pgm", "P5", 2);
    assert_read_fails(
        &options, TSR_ERROR_DATA,
        "none of the 3 images can be read; left out a/1.jpg: 3 bytes that are not "
        "PNG, JPEG, PGM or PPM");
    put_picture("a/2.pgm", 1);
    put_picture("c/1.pgm", 7);
    tsr_data data;
    assert_int_equal(read_with(&data, &options, false), TSR_OK);
    assert_names(&data.sample_names, 2, names);
    assert_names(&data.notes, 3, notes);
    assert_int_equal(tsr_matrix_samples(data.x), 2);
    assert_true(tsr_matrix_at(data.x, 1, 0) == 7);
    assert_int_equal(tsr_labels_classes(data.labels), 2);
    assert_string_equal(tsr_labels_name(data.labels, 1), "c");
    drop(&data);
}

static void test_resize(void **state)
{
    const tsr_read_options options = {.size = {2, 1}};
    (void)state;
    put_bytes("1.pgm", "P2 4 2 9 1 2 3 4 1 2 3 4", 24);
    put_bytes("2.pgm", "P2 1 1 255 9", 12);
    tsr_data data;
    assert_int_equal(read_with(&data, &options, false), TSR_OK);
    const tsr_image_shape shape = tsr_matrix_image(data.x);
    assert_true(shape.height == 1 && shape.width == 2);
    assert_true(tsr_matrix_at(data.x, 0, 0) == (double)(float)(1.5 * 255 / 9));
    assert_true(tsr_matrix_at(data.x, 1, 0) == 9 && tsr_matrix_at(data.x, 1, 1) == 9);
    drop(&data);
}

/* Links in a circle end, and each folder is read once. */
static void test_links(void **state)
{
    const tsr_read_options options = {0};
    static const char *const names[] = {"a/1.pgm"};
    static const char *const notes[] = {
        "left out a/again: a link to a folder that is read already",
        "left out b: a link to a folder that is read already"};
    char deep[128] = "d";
    (void)state;
    put_picture("a/1.pgm", 1);
    assert_int_equal(symlink("..", path_of("a/again")), 0);
    assert_int_equal(symlink("a", path_of("b")), 0);
    tsr_data data;
    assert_int_equal(read_with(&data, &options, false), TSR_OK);
    assert_names(&data.sample_names, 1, names);
    assert_names(&data.notes, 2, notes);
    drop(&data);
    for (int depth = 2; depth <= 17; depth++)
        strcat(deep, "/d");
    strcat(deep, "/1.pgm");
    put_picture(deep, 1);
    assert_int_equal(read_with(&data, &options, false), TSR_ERROR_DATA);
    assert_non_null(strstr(tsr_message(), "nested more than 16 deep"));
    drop(&data);
}

typedef struct watch {
    int64_t calls, last, stop;
} watch;

static bool report(void *user, const tsr_step *step)
{
    watch *w = user;
    assert_string_equal(step->task, "reading images");
    assert_int_equal(step->total, 200);
    assert_true(step->done > w->last);
    w->last = step->done;
    return ++w->calls != w->stop;
}

/* Many pictures: order and failure are the same for any number of threads. */
static void test_many(void **state)
{
    (void)state;
    char name[32];
    for (int i = 0; i < 200; i++) {
        (void)snprintf(name, sizeof name, "c%d/%d.pgm", i / 50, i);
        put_picture(name, i);
    }
    for (int64_t threads = 1; threads <= 8; threads *= 2) {
        watch w = {0, 0, 0};
        const tsr_progress progress = {report, &w};
        tsr_read_options options = {.threads = threads, .progress = &progress};
        tsr_data data;
        assert_int_equal(read_with(&data, &options, false), TSR_OK);
        for (int64_t i = 0; i < 200; i++)
            assert_true(tsr_matrix_at(data.x, i, 5) == (double)(i + 5));
        assert_int_equal(w.last, 200);
        drop(&data);
        w = (watch){0, 0, 2};
        assert_int_equal(read_with(&data, &options, false), TSR_ERROR_INTERRUPTED);
        assert_int_equal(w.calls, 2);
        drop(&data);
    }
    put_bytes("c1/77.pgm", "P5 3 2 255 ", 11);
    put_bytes("c1/78.pgm", "", 0);
    put_bytes("c2/120.pgm", "?", 1);
    for (int64_t threads = 1; threads <= 8; threads *= 2) {
        const tsr_read_options options = {.threads = threads};
        assert_read_fails(
            &options, TSR_ERROR_FORMAT,
            "c1/77.pgm: truncated PGM/PPM: 3 x 2 pixels need 6 bytes, 0 are there");
    }
}

static void test_memory_fails(void **state)
{
    const tsr_read_options options = {.threads = 1, .size = {2, 2}, .skip_bad = true};
    (void)state;
    put_picture("a/1.pgm", 1);
    put_bytes("a/2.png", "bad", 3);
    put_picture("b/1.pgm", 1);
    tsr_data data;
    check_starved(read_with(&data, &options, false), drop(&data));
}

/* Writing -------------------------------------------------------------------------------------
 */

/* Data of 2 x 3 pictures: value j of sample i is first + step (6 i + j). */
static tsr_data make_data(int64_t samples, double first, double step, const char *const *label,
                          const char *const *name)
{
    tsr_data data;
    memset(&data, 0, sizeof data);
    assert_int_equal(tsr_matrix_create(&data.x, samples, 6, TSR_FLOAT64), TSR_OK);
    double *values = tsr_matrix_edit(data.x);
    for (int64_t i = 0; i < samples * 6; i++)
        values[i] = first + step * (double)i;
    assert_int_equal(tsr_matrix_set_image(data.x, (tsr_image_shape){2, 3, TSR_ROW_ORDER}),
                     TSR_OK);
    if (label != NULL)
        assert_int_equal(tsr_labels_from_texts(&data.labels, label, samples), TSR_OK);
    for (int64_t i = 0; name != NULL && i < samples; i++)
        assert_int_equal(tsr__names_add(&data.sample_names, name[i]), TSR_OK);
    return data;
}

static void assert_written(tsr_data *data, const char *const *names)
{
    const tsr_read_options options = {0};
    tsr_data back;
    assert_int_equal(tsr__images_write(data, folder), TSR_OK);
    assert_int_equal(read_with(&back, &options, false), TSR_OK);
    assert_names(&back.sample_names, tsr_matrix_samples(data->x), names);
    drop(&back);
}

static void test_round_trip(void **state)
{
    static const char *const label[] = {"s1", "s1", "s2", "s10"};
    static const char *const name[] = {"s1/1.pgm", "s1/2.pgm", "s2/1.jpeg", "s10/face.x.png"};
    static const char *const made[] = {"s1/1.png", "s1/2.png", "s2/1.png", "s10/face.x.png"};
    const tsr_read_options options = {0};
    (void)state;
    tsr_data data = make_data(4, 0, 255.0 / 23, label, name), back;
    double *values = tsr_matrix_edit(data.x);
    for (int i = 0; i < 24; i++)
        values[i] = (double)(int)values[i];
    assert_written(&data, made);
    assert_int_equal(read_with(&back, &options, false), TSR_OK);
    assert_memory_equal(tsr_matrix_values(back.x), values, 24 * sizeof *values);
    assert_memory_equal(tsr_labels_of(back.labels), tsr_labels_of(data.labels),
                        4 * sizeof(int32_t));
    for (int32_t c = 0; c < 3; c++)
        assert_string_equal(tsr_labels_name(back.labels, c), tsr_labels_name(data.labels, c));
    drop(&data);
    drop(&back);
}

/* Names that lead elsewhere, hide, or are the same. */
static void test_hostile_names(void **state)
{
    static const char *const label[] = {"../../up", "a/b", "a_b", "..", "a/b", "a/b", "?", "?"};
    static const char *const name[] = {"../../etc/x.png", "q",  "q",    ".profile", "q",
                                       "000002",          "..", "z.png"};
    static const char *const made[] = {"_./_profile.png", "_..png",         "_._.._up/x.png",
                                       "a_b/000002.png",  "a_b/000005.png", "a_b/000010.png",
                                       "a_b_2/q.png",     "z.png"};
    (void)state;
    tsr_data data = make_data(8, 0, 1, label, name);
    assert_written(&data, made);
    drop(&data);
}

static void test_no_names(void **state)
{
    static const char *const label[] = {"a", "?", "a"};
    static const char *const made[] = {"000002.png", "a/000001.png", "a/000003.png"};
    (void)state;
    tsr_data data = make_data(3, 0, 1, label, NULL);
    assert_written(&data, made);
    drop(&data);
}

/* What is written of one picture of six values. */
static void assert_greys(const double *values, tsr_image_order order, const double *expected)
{
    const tsr_read_options options = {0};
    tsr_data data = make_data(1, 0, 0, NULL, NULL), back;
    memcpy(tsr_matrix_edit(data.x), values, 6 * sizeof *values);
    assert_int_equal(tsr_matrix_set_image(data.x, (tsr_image_shape){2, 3, order}), TSR_OK);
    assert_int_equal(tsr__images_write(&data, folder), TSR_OK);
    assert_int_equal(read_with(&back, &options, false), TSR_OK);
    const tsr_image_shape shape = tsr_matrix_image(back.x);
    assert_true(shape.height == 2 && shape.width == 3);
    assert_memory_equal(tsr_matrix_values(back.x), expected, 6 * sizeof *expected);
    assert_null(back.labels);
    drop(&data);
    drop(&back);
}
#define SIX(...) ((const double[6]){__VA_ARGS__})

static void test_values(void **state)
{
    (void)state;
    assert_greys(SIX(0, 0.4, 0.6, 254.4, 254.6, 255), TSR_ROW_ORDER,
                 SIX(0, 0, 1, 254, 255, 255));
    assert_greys(SIX(1, 2, 3, 4, 5, 6), TSR_COLUMN_ORDER, SIX(1, 3, 5, 2, 4, 6));
    assert_greys(SIX(0, 51, 102, 255, 408, 510), TSR_ROW_ORDER, SIX(0, 26, 51, 128, 204, 255));
    assert_greys(SIX(510, 510, 510, 510, 510, 510), TSR_ROW_ORDER,
                 SIX(255, 255, 255, 255, 255, 255));
    assert_greys(SIX(-1, 0, 1, -1, -1, 1), TSR_ROW_ORDER, SIX(0, 128, 255, 0, 0, 255));
    assert_greys(SIX(-2, -1, -2, -2, -2, -2), TSR_ROW_ORDER, SIX(0, 255, 0, 0, 0, 0));
    assert_greys(SIX(-7, -7, -7, -7, -7, -7), TSR_ROW_ORDER, SIX(0, 0, 0, 0, 0, 0));
    assert_greys(SIX(-1.7e308, 1.7e308, 0, 0, 0, 0), TSR_ROW_ORDER,
                 SIX(0, 255, 128, 128, 128, 128));
}

static void test_write_fails(void **state)
{
    (void)state;
    tsr_data data = make_data(2, 0, 1, NULL, NULL);
    double *values = tsr_matrix_edit(data.x);
    values[7] = strtod("nan", NULL);
    assert_int_equal(tsr__images_write(&data, folder), TSR_ERROR_DATA);
    values[7] = 7;
    assert_int_equal(tsr__images_write(&data, path_of("gone")), TSR_ERROR_IO);
    assert_non_null(strstr(tsr_message(), "000001.png: cannot be written"));
    assert_int_equal(tsr_matrix_set_image(data.x, (tsr_image_shape){0, 0, TSR_ROW_ORDER}),
                     TSR_OK);
    assert_int_equal(tsr__images_write(&data, folder), TSR_ERROR_DATA);
    assert_non_null(strstr(tsr_message(), "--image-shape"));
    drop(&data);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        TEST(test_classes),    TEST(test_no_classes),    TEST(test_only_labels),
        TEST(test_failures),   TEST(test_skip_bad),      TEST(test_resize),
        TEST(test_links),      TEST(test_many),          TEST(test_memory_fails),
        TEST(test_round_trip), TEST(test_hostile_names), TEST(test_no_names),
        TEST(test_values),     TEST(test_write_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
