/* SPDX-License-Identifier: BSD-2-Clause
 *
 * JPEG made with libjpeg comes back as grey and upright; files that were cut, bent or blown up
 * are refused without harm. */
#include "image/codec.h"
#include "pictures.h"

#include <math.h>
#include <stdio.h>

#include <jpeglib.h> /* after stdio.h */

typedef struct jpeg_kind {
    J_COLOR_SPACE given, stored;
    int channels;
    bool progressive, adobe;
    const unsigned char *exif; /* or NULL */
    unsigned exif_size;
} jpeg_kind;

static bytes make_jpeg(jpeg_kind kind, const unsigned char *samples, int width, int height)
{
    struct jpeg_compress_struct codec;
    struct jpeg_error_mgr errors;
    unsigned char *memory = NULL;
    unsigned long size = 0;
    codec.err = jpeg_std_error(&errors);
    jpeg_create_compress(&codec);
    jpeg_mem_dest(&codec, &memory, &size);
    codec.image_width = (JDIMENSION)width;
    codec.image_height = (JDIMENSION)height;
    codec.input_components = kind.channels;
    codec.in_color_space = kind.given;
    jpeg_set_defaults(&codec);
    jpeg_set_colorspace(&codec, kind.stored);
    if (kind.channels == 4)
        codec.write_Adobe_marker = kind.adobe;
    jpeg_set_quality(&codec, 100, TRUE);
    if (kind.progressive)
        jpeg_simple_progression(&codec);
    jpeg_start_compress(&codec, TRUE);
    if (kind.exif != NULL)
        jpeg_write_marker(&codec, JPEG_APP0 + 1, kind.exif, kind.exif_size);
    while (codec.next_scanline < codec.image_height) {
        JSAMPROW row = (JSAMPROW)(uintptr_t)(samples + codec.next_scanline *
                                                           (unsigned)(width * kind.channels));
        (void)jpeg_write_scanlines(&codec, &row, 1);
    }
    jpeg_finish_compress(&codec);
    jpeg_destroy_compress(&codec);
    return (bytes){memory, size};
}

/* A smooth picture, which JPEG keeps well. */
static void paint(unsigned char *samples, int width, int height, int channels)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int c = 0; c < channels; c++)
                *samples++ = (unsigned char)(40 + 5 * x + 2 * y * (c + 1) - 20 * c);
}

static const jpeg_kind grey_jpeg = {
    .given = JCS_GRAYSCALE, .stored = JCS_GRAYSCALE, .channels = 1};

enum { WIDE = 27, HIGH = 19 };

static double expected_inks(const unsigned char *s, bool inverted)
{
    const double k = (inverted ? s[3] : 255 - s[3]) / 255.0;
    return k *
           (0.299 * (inverted ? s[0] : 255 - s[0]) + 0.587 * (inverted ? s[1] : 255 - s[1]) +
            0.114 * (inverted ? s[2] : 255 - s[2]));
}

static void test_kinds(void **state)
{
    static const jpeg_kind kinds[] = {
        {.given = JCS_GRAYSCALE, .stored = JCS_GRAYSCALE, .channels = 1},
        {.given = JCS_RGB, .stored = JCS_YCbCr, .channels = 3},
        {.given = JCS_RGB, .stored = JCS_RGB, .channels = 3},
        {.given = JCS_CMYK, .stored = JCS_CMYK, .channels = 4, .adobe = true},
        {.given = JCS_CMYK, .stored = JCS_CMYK, .channels = 4},
        {.given = JCS_CMYK, .stored = JCS_YCCK, .channels = 4, .adobe = true},
    };
    (void)state;
    unsigned char samples[WIDE * HIGH * 4];
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        jpeg_kind kind = kinds[k];
        paint(samples, WIDE, HIGH, kind.channels);
        bytes file = make_jpeg(kind, samples, WIDE, HIGH);
        kind.progressive = true;
        bytes scans = make_jpeg(kind, samples, WIDE, HIGH);
        tsr__image image, same;
        assert_int_equal(decode(&image, file), TSR_OK);
        assert_int_equal(decode(&same, scans), TSR_OK);
        assert_int_equal(image.width, WIDE);
        assert_int_equal(image.height, HIGH);
        for (int i = 0; i < WIDE * HIGH; i++) {
            const unsigned char *s = samples + i * kind.channels;
            const double expected = kind.channels == 1 ? s[0]
                                    : kind.channels == 3
                                        ? 0.299 * s[0] + 0.587 * s[1] + 0.114 * s[2]
                                        : expected_inks(s, kind.adobe);
            assert_true(fabs((double)image.grey[i] - expected) < 4);
            if (kind.stored == JCS_YCbCr) /* Y itself, not made of red, green and blue again */
                assert_true(image.grey[i] == floorf(image.grey[i]));
        }
        /* Progressive files hold the same coefficients in another order. */
        assert_memory_equal(image.grey, same.grey, WIDE * HIGH * sizeof *same.grey);
        tsr__image_free(&image);
        tsr__image_free(&same);
        free(file.at);
        free(scans.at);
    }
}

/* EXIF with one or two entries; the orientation is the last. Returns its size. */
static unsigned make_exif(unsigned char *out, int orientation, bool big)
{
    static const unsigned char small_end[] = "Exif\0\0II*\0\10\0\0\0\2\0"
                                             "\17\1\2\0\4\0\0\0abc\0"
                                             "\22\1\3\0\1\0\0\0o\0\0\0";
    static const unsigned char big_end[] = "Exif\0\0MM\0*\0\0\0\10\0\2"
                                           "\1\17\0\2\0\0\0\4abc\0"
                                           "\1\22\0\3\0\0\0\1\0o\0\0";
    const unsigned size = sizeof big_end - 1;
    memcpy(out, big ? big_end : small_end, size);
    *(unsigned char *)memchr(out + 20, 'o', size - 20) = (unsigned char)orientation;
    return size;
}

/* By the words of the standard: on which side of the picture the first row and the first column
 * of what is stored lie. */
static void test_orientation(void **state)
{
    static const char sides[9][3] = {"",   "TL", "TR", "BR", "BL",
                                     "LT", "RT", "RB", "LB"}; /* row, column */
    (void)state;
    unsigned char upright[WIDE * HIGH], stored[WIDE * HIGH], exif[64];
    paint(upright, WIDE, HIGH, 1);
    for (int k = 1; k <= 16; k++) {
        const int orientation = (k + 1) / 2;
        const char *side = sides[orientation];
        const bool turned = side[0] == 'L' || side[0] == 'R';
        const int width = turned ? HIGH : WIDE, height = turned ? WIDE : HIGH;
        for (int r = 0; r < height; r++) {
            for (int c = 0; c < width; c++) {
                const int v = turned ? c : r, h = turned ? r : c;
                const bool bottom = strchr(side, 'B') != NULL,
                           right = strchr(side, 'R') != NULL;
                const int y = bottom ? HIGH - 1 - v : v, x = right ? WIDE - 1 - h : h;
                stored[r * width + c] = upright[y * WIDE + x];
            }
        }
        jpeg_kind kind = grey_jpeg;
        kind.exif = exif;
        kind.exif_size = make_exif(exif, orientation, k % 2);
        bytes file = make_jpeg(kind, stored, width, height);
        tsr__image image;
        assert_int_equal(decode(&image, file), TSR_OK);
        assert_int_equal(image.width, WIDE);
        assert_int_equal(image.height, HIGH);
        for (int i = 0; i < WIDE * HIGH; i++)
            assert_true(fabs((double)image.grey[i] - upright[i]) < 3);
        tsr__image_free(&image);
        free(file.at);
    }
}

static void test_exif_hostile(void **state)
{
    (void)state;
    unsigned char exif[64];
    for (int big = 0; big < 2; big++) {
        const unsigned size = make_exif(exif, 6, big) - 6;
        assert_int_equal(tsr__exif_orientation(exif + 6, size), 6);
        for (unsigned cut = 0; cut < size; cut++) {
            unsigned char *exact = malloc(cut + 1);
            assert_non_null(exact);
            memcpy(exact, exif + 6, cut);
            const int found = tsr__exif_orientation(exact, cut);
            assert_true(found == (cut + 2 < size ? 1 : 6));
            free(exact);
        }
        for (unsigned i = 0; i < 256 * size; i++) {
            unsigned char bent[64];
            memcpy(bent, exif + 6, size);
            bent[i / 256] = (unsigned char)i;
            const int found = tsr__exif_orientation(bent, size);
            assert_true(found >= 1 && found <= 8);
        }
    }
}

static void test_hostile(void **state)
{
    (void)state;
    unsigned char samples[WIDE * HIGH * 3], exif[64];
    paint(samples, WIDE, HIGH, 3);
    jpeg_kind kind = {.given = JCS_RGB, .stored = JCS_YCbCr, .channels = 3};
    kind.exif = exif;
    kind.exif_size = make_exif(exif, 6, true);
    for (int k = 0; k < 2; k++) {
        kind.progressive = k == 1;
        bytes file = make_jpeg(kind, samples, WIDE, HIGH);
        assert_prefixes_refused(file, "truncated JPEG");
        assert_bends_survived(file);
        free(file.at);
    }
}

/* The end marker alone does not make a file whole. */
static void test_hole(void **state)
{
    (void)state;
    unsigned char samples[WIDE * HIGH];
    paint(samples, WIDE, HIGH, 1);
    bytes file = make_jpeg(grey_jpeg, samples, WIDE, HIGH);
    unsigned char *scan = memmem(file.at, file.size, "\xff\xda", 2);
    assert_non_null(scan);
    const size_t half = (size_t)(scan - file.at) + 40;
    assert_true(half + 40 < file.size);
    memcpy(file.at + half, "\xff\xd9", 2);
    assert_refused(TSR_ERROR_FORMAT, "truncated JPEG", file.at, half + 2);
    free(file.at);
}

/* A small file may ask for endless work: its first scan over and over. */
static void test_scans(void **state)
{
    (void)state;
    enum { TIMES = 1100 };
    unsigned char samples[WIDE * HIGH];
    paint(samples, WIDE, HIGH, 1);
    jpeg_kind kind = grey_jpeg;
    kind.progressive = true;
    bytes file = make_jpeg(kind, samples, WIDE, HIGH);
    unsigned char *scan = memmem(file.at, file.size, "\xff\xda", 2);
    assert_non_null(scan);
    size_t length = 2; /* to the next marker; 0xff 0 is data */
    while (scan[length] != 0xff || scan[length + 1] == 0)
        length++;
    const size_t start = (size_t)(scan - file.at);
    bytes many = {malloc(file.size + TIMES * length), start};
    assert_non_null(many.at);
    memcpy(many.at, file.at, start);
    for (int i = 0; i < TIMES; i++, many.size += length)
        memcpy(many.at + many.size, scan, length);
    memcpy(many.at + many.size, "\xff\xd9", 2);
    assert_refused(TSR_ERROR_FORMAT, "more than 1000 scans", many.at, many.size + 2);
    free(many.at);
    free(file.at);
}

/* A header that claims more than the bytes can hold is refused without asking for memory. */
static void test_bomb(void **state)
{
    (void)state;
    unsigned char flat[WIDE * HIGH] = {0};
    bytes file = make_jpeg(grey_jpeg, flat, WIDE, HIGH);
    unsigned char *frame = memmem(file.at, file.size, "\xff\xc0", 2);
    assert_non_null(frame);
    const int64_t asked = tsr__memory_asked();
    put_number(frame + 5, 16000, 2);
    put_number(frame + 7, 16001, 2);
    assert_refused(TSR_ERROR_FORMAT, "cannot hold 16001 x 16000", file.at, file.size);
    assert_int_equal(tsr__memory_asked(), asked);
    free(file.at);
}

static void test_memory_fails(void **state)
{
    (void)state;
    unsigned char samples[WIDE * HIGH], exif[64];
    jpeg_kind kind = grey_jpeg;
    kind.exif = exif;
    kind.exif_size = make_exif(exif, 6, false);
    paint(samples, WIDE, HIGH, 1);
    bytes file = make_jpeg(kind, samples, WIDE, HIGH);
    assert_memory_failures(file);
    free(file.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),        cmocka_unit_test(test_orientation),
        cmocka_unit_test(test_exif_hostile), cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_hole),         cmocka_unit_test(test_scans),
        cmocka_unit_test(test_bomb),         cmocka_unit_test(test_memory_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
