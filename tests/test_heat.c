/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Heat maps: every pixel has the colour of its value, samples stand by class with lines between,
 * and what is larger than a picture is averaged within its class. */
#include "folder.h"

#include "image/image.h"

#include <math.h>

#include <png.h>

enum { MOST_SIDE = 2000, FAR = 3 };

static const unsigned char line_colour[3] = {0xd9, 0x4f, 0x2b};
static const unsigned char no_number[3] = {0xe0, 0x3c, 0xc8};

/* Drawing and looking --------------------------------------------------------------------- */

typedef struct picture {
    int64_t size[4], width, height;
    double range[2];
    unsigned char *rgb;
} picture;

static void look(picture *p, const char *path)
{
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    assert_true(png_image_begin_read_from_file(&image, path));
    image.format = PNG_FORMAT_RGB;
    p->rgb = malloc(PNG_IMAGE_SIZE(image));
    assert_non_null(p->rgb);
    assert_true(png_image_finish_read(&image, NULL, p->rgb, 0, NULL));
    p->width = image.width;
    p->height = image.height;
}

static picture draw(const tsr_matrix *codes, const tsr_labels *labels, bool distances,
                    int64_t zoom)
{
    picture p = {.rgb = NULL};
    check_ok(
        tsr_heat_write(codes, labels, distances, path_of("map.png"), zoom, 2, p.size, p.range));
    look(&p, path_of("map.png"));
    assert_int_equal(p.width, p.size[0]);
    assert_int_equal(p.height, p.size[1]);
    return p;
}

static const unsigned char *pixel(const picture *p, int64_t x, int64_t y)
{
    assert_true(x < p->width && y < p->height);
    return p->rgb + 3 * (y * p->width + x);
}

static void assert_colour(const picture *p, int64_t x, int64_t y, const unsigned char rgb[3])
{
    const unsigned char *is = pixel(p, x, y);
    if (memcmp(is, rgb, 3) != 0)
        fail_msg("(%d, %d) is %02x%02x%02x, not %02x%02x%02x", (int)x, (int)y, is[0], is[1],
                 is[2], rgb[0], rgb[1], rgb[2]);
}

static void assert_share(const picture *p, int64_t x, int64_t y, double share)
{
    unsigned char rgb[3];
    tsr__heat_colour(rgb, share);
    assert_colour(p, x, y, rgb);
}

static tsr_matrix *matrix_of(const double *value, int64_t samples, int64_t features)
{
    tsr_matrix *x = NULL;
    check_ok(tsr_matrix_create(&x, samples, features, TSR_FLOAT64));
    memcpy(tsr_matrix_edit(x), value, (size_t)(samples * features) * sizeof *value);
    return x;
}

static tsr_labels *labels_of(const double *number, int64_t count)
{
    tsr_labels *labels = NULL;
    check_ok(tsr_labels_from_numbers(&labels, number, count));
    return labels;
}

/* Sample i is at FAR times its class, in one of two entries; classes take turns. */
static tsr_matrix *in_turns(tsr_labels **labels, int64_t n, int64_t classes)
{
    double *number = malloc((size_t)n * sizeof *number);
    double *value = calloc((size_t)(2 * n), sizeof *value);
    assert_true(number != NULL && value != NULL);
    for (int64_t i = 0; i < n; i++) {
        number[i] = (double)(i % classes);
        value[2 * i] = FAR * number[i];
    }
    tsr_matrix *codes = matrix_of(value, n, 2);
    *labels = labels_of(number, n);
    free(number);
    free(value);
    return codes;
}

/* Pictures -------------------------------------------------------------------------------- */

static void codes_have_their_colours(void **state)
{
    static const double value[] = {0, 4, 1, 2, 3, 0};
    enum { N = 3, K = 2, ZOOM = 5 };
    tsr_matrix *codes = matrix_of(value, N, K), *sparse = NULL;
    (void)state;
    check_ok(tsr_matrix_copy_as(&sparse, codes, TSR_FLOAT32, true));
    for (int turn = 0; turn < 2; turn++) {
        picture p = draw(turn == 0 ? codes : sparse, NULL, false, ZOOM);
        assert_int_equal(p.width, N * ZOOM);
        assert_int_equal(p.height, K * ZOOM);
        assert_int_equal(p.size[2], N);
        assert_int_equal(p.size[3], 0);
        assert_true(p.range[0] == 0 && p.range[1] == 4);
        for (int64_t y = 0; y < p.height; y++)
            for (int64_t x = 0; x < p.width; x++)
                assert_share(&p, x, y, value[x / ZOOM * K + y / ZOOM] / 4);
        free(p.rgb);
    }
    tsr_matrix_free(codes);
    tsr_matrix_free(sparse);
}

static void colours_darken(void **state)
{
    int before = 3 * 256;
    (void)state;
    for (int i = 0; i <= 100; i++) {
        unsigned char rgb[3];
        tsr__heat_colour(rgb, i / 100.0);
        assert_true(rgb[0] + rgb[1] + rgb[2] < before);
        before = rgb[0] + rgb[1] + rgb[2];
    }
}

static void distances_have_their_colours(void **state)
{
    static const double value[] = {0, 0, 3, 4, 0, 4};
    static const double far[3][3] = {{0, 5, 4}, {5, 0, 3}, {4, 3, 0}};
    tsr_matrix *codes = matrix_of(value, 3, 2);
    (void)state;
    picture p = draw(codes, NULL, true, 1);
    assert_true(p.range[0] == 0 && p.range[1] == 5);
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 3; x++)
            assert_share(&p, x, y, far[y][x] / 5);
    free(p.rgb);
    tsr_matrix_free(codes);
}

static void what_is_no_number_is_seen(void **state)
{
    const double value[] = {-1, (double)NAN, 3, 1, (double)INFINITY, 0};
    tsr_matrix *codes = matrix_of(value, 3, 2);
    (void)state;
    picture p = draw(codes, NULL, false, 1);
    assert_true(p.range[0] == -1 && p.range[1] == 3);
    assert_share(&p, 0, 0, 0);
    assert_share(&p, 1, 0, 1);
    assert_share(&p, 1, 1, 0.5);
    assert_share(&p, 2, 1, 0.25);
    assert_colour(&p, 0, 1, no_number);
    assert_colour(&p, 2, 0, no_number);
    free(p.rgb);
    p = draw(codes, NULL, true, 1);
    assert_colour(&p, 0, 0, no_number);
    assert_colour(&p, 1, 2, no_number);
    assert_share(&p, 1, 1, 0);
    free(p.rgb);
    memset(tsr_matrix_edit(codes), 0, sizeof value);
    for (int distances = 0; distances < 2; distances++) {
        p = draw(codes, NULL, distances, 1);
        for (int64_t i = 0; i < p.width * p.height; i++)
            assert_share(&p, i % p.width, i / p.width, 0);
        free(p.rgb);
    }
    tsr_matrix_free(codes);
}

/* Classes 7, 8 and none, of two, one and two samples. */
static void samples_stand_by_class(void **state)
{
    static const double value[] = {1, 2, 3, 4, 5}, number[] = {8, -1, 7, -1, 7};
    static const int cell[] = {3, 5, 0, 1, 0, 2, 4}; /* number of the sample + 1; 0: a line */
    enum { N = 5, ZOOM = 4, LINES = 2 };
    tsr_matrix *codes = matrix_of(value, N, 1);
    tsr_labels *labels = labels_of(number, N);
    (void)state;
    for (int distances = 0; distances < 2; distances++) {
        picture p = draw(codes, labels, distances, ZOOM);
        int64_t x = 0;
        assert_int_equal(p.width, N * ZOOM + LINES);
        assert_int_equal(p.height, distances ? p.width : ZOOM);
        assert_int_equal(p.size[2], N);
        assert_int_equal(p.size[3], LINES);
        for (size_t i = 0; i < sizeof cell / sizeof *cell; i++) {
            if (cell[i] == 0)
                for (int64_t y = 0; y < p.height; y++)
                    assert_colour(&p, x, y, line_colour);
            for (int64_t y = 0; distances && cell[i] == 0 && y < p.width; y++)
                assert_colour(&p, y, x, line_colour);
            if (cell[i] != 0) /* the first is sample 2, of value 3 */
                assert_share(&p, x, 0,
                             distances ? fabs(cell[i] - 3.0) / 4 : (double)cell[i] / 5);
            x += cell[i] == 0 ? 1 : ZOOM;
        }
        assert_int_equal(x, p.width);
        free(p.rgb);
    }
    tsr_labels_free(labels);
    tsr_matrix_free(codes);
}

/* Sizes ----------------------------------------------------------------------------------- */

/* Cells never mix classes: all are at one of the two values. */
static void many_samples_are_averaged(void **state)
{
    enum {
        N = 4501,
        MIDDLE = 1000
    }; /* the first class has one more, and the line in the middle */
    tsr_labels *labels = NULL;
    tsr_matrix *codes = in_turns(&labels, N, 2);
    (void)state;
    for (int distances = 0; distances < 2; distances++) {
        picture p = draw(codes, labels, distances, 8);
        assert_int_equal(p.width, MOST_SIDE);
        assert_int_equal(p.size[2], MOST_SIDE - 1);
        assert_int_equal(p.size[3], 1);
        assert_true(p.range[1] == FAR);
        for (int64_t x = 0; x < p.width; x++)
            if (x == MIDDLE)
                assert_colour(&p, x, 0, line_colour);
            else
                assert_share(&p, x, 0, x > MIDDLE);
        free(p.rgb);
    }
    tsr_matrix_free(codes);
    tsr_labels_free(labels);
}

static void a_cell_is_the_mean(void **state)
{
    enum { N = 2 * MOST_SIDE };
    double *value = malloc(N * sizeof *value);
    assert_non_null(value);
    for (int i = 0; i < N; i++)
        value[i] = i % 4;
    tsr_matrix *codes = matrix_of(value, N, 1), *across = matrix_of(value, 1, N);
    (void)state;
    picture p = draw(codes, NULL, false, 1), q = draw(across, NULL, false, 1);
    assert_int_equal(p.width, MOST_SIDE);
    assert_int_equal(q.height, MOST_SIDE);
    for (int64_t i = 0; i < MOST_SIDE; i++) {
        assert_share(&p, i, 0, i % 2 == 0 ? 0.2 : 1); /* 0.5 and 2.5 */
        assert_share(&q, 0, i, i % 2 == 0 ? 0.2 : 1);
    }
    free(p.rgb);
    free(q.rgb);
    p = draw(codes, NULL, true, 1); /* of 0 1 | 2 3: 0.5 within, 2 between */
    assert_true(p.range[1] == 2);
    assert_share(&p, 0, 0, 0.25);
    assert_share(&p, 1, 0, 1);
    assert_share(&p, 2, 0, 0.25);
    free(p.rgb);
    tsr_matrix_free(codes);
    tsr_matrix_free(across);
    free(value);
}

/* The picture never is larger, classes that would be narrower than their lines have none, and every
 * number of samples and classes comes out. */
static void sizes_are_fair(void **state)
{
    static const struct {
        int64_t n, classes, zoom, width, lines;
    } rows[] = {
        {1, 1, 0, 24, 0},         {10, 2, 0, 241, 1},           {165, 15, 0, 839, 14},
        {600, 1, 0, 600, 0},      {1999, 2, 0, 2000, 1},        {2000, 1, 0, 2000, 0},
        {2000, 2, 1, 2000, 1},    {2001, 500, 1, 2000, 0},      {2001, 400, 1, 2000, 399},
        {5000, 5000, 1, 2000, 0}, {300, 3, 64, 300 * 6 + 2, 2}, {30, 30, 1, 30, 0},
        {30, 30, 4, 149, 29},     {31, 1, 64, 1984, 0},         {40, 3, 2, 82, 2}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tsr_labels *labels = NULL;
        tsr_matrix *codes = in_turns(&labels, rows[i].n, rows[i].classes);
        picture p = draw(codes, labels, false, rows[i].zoom);
        if (p.width != rows[i].width || p.size[3] != rows[i].lines)
            fail_msg("%d samples of %d classes: %d wide with %d lines", (int)rows[i].n,
                     (int)rows[i].classes, (int)p.width, (int)p.size[3]);
        free(p.rgb);
        tsr_matrix_free(codes);
        tsr_labels_free(labels);
    }
}

/* What fails ------------------------------------------------------------------------------ */

static void bad_calls_are_refused(void **state)
{
    static const double value[] = {1, 2, 3}, number[] = {1, 2};
    tsr_matrix *codes = matrix_of(value, 3, 1), *none = NULL;
    tsr_labels *labels = labels_of(number, 2);
    const char *path = path_of("bad.png");
    (void)state;
    check_ok(tsr_matrix_create(&none, 0, 2, TSR_FLOAT64));
    check_fails(tsr_heat_write(codes, labels, false, path, 1, 0, NULL, NULL),
                TSR_ERROR_ARGUMENT, "2 labels do not fit codes of 3 samples");
    check_fails(tsr_heat_write(codes, NULL, false, path, 65, 0, NULL, NULL), TSR_ERROR_ARGUMENT,
                "a zoom of 65 is outside 0 .. 64");
    check_fails(tsr_heat_write(codes, NULL, false, path, 1, -1, NULL, NULL), TSR_ERROR_ARGUMENT,
                "-1 threads");
    check_fails(tsr_heat_write(none, NULL, true, path, 1, 0, NULL, NULL), TSR_ERROR_ARGUMENT,
                "no samples");
    check_fails(tsr_heat_write(codes, NULL, true, path_of("no/bad.png"), 1, 0, NULL, NULL),
                TSR_ERROR_IO, "bad.png");
    assert_int_not_equal(access(path, F_OK), 0);
    tsr_matrix_free(codes);
    tsr_matrix_free(none);
    tsr_labels_free(labels);
}

static void memory_that_fails_leaves_nothing(void **state)
{
    tsr_labels *labels = NULL;
    tsr_matrix *codes = in_turns(&labels, 12, 3);
    (void)state;
    check_starved(tsr_heat_write(codes, labels, false, path_of("s.png"), 0, 1, NULL, NULL), );
    check_starved(tsr_heat_write(codes, labels, true, path_of("s.png"), 0, 1, NULL, NULL), );
    check_starved(tsr_heat_write(codes, NULL, true, path_of("s.png"), 0, 1, NULL, NULL), );
    tsr_matrix_free(codes);
    tsr_labels_free(labels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_have_their_colours),
        cmocka_unit_test(colours_darken),
        cmocka_unit_test(distances_have_their_colours),
        cmocka_unit_test(what_is_no_number_is_seen),
        cmocka_unit_test(samples_stand_by_class),
        cmocka_unit_test(many_samples_are_averaged),
        cmocka_unit_test(a_cell_is_the_mean),
        cmocka_unit_test(sizes_are_fair),
        cmocka_unit_test(bad_calls_are_refused),
        cmocka_unit_test(memory_that_fails_leaves_nothing),
    };
    return cmocka_run_group_tests_name("heat", tests, make_folder, remove_folder);
}
