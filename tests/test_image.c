/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Pictures: PNG made with libpng and PGM made by hand come back as grey; files that were cut,
 * bent or blown up are refused without harm; resizing keeps to its definition. */
#include "folder.h"
#include "pictures.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include <png.h>

/* Numbers that look random and are always the same. */
static unsigned random_next(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Making PNG ----------------------------------------------------------------------------------
 */

static void collect(png_struct *png, unsigned char *from, size_t length)
{
    bytes *file = png_get_io_ptr(png);
    file->at = realloc(file->at, file->size + length);
    assert_non_null(file->at);
    memcpy(file->at + file->size, from, length);
    file->size += length;
}

static void keep(png_struct *png)
{
    (void)png;
}

enum { WIDTH = 21, HEIGHT = 13, SAMPLES = WIDTH * HEIGHT * 4 };

typedef struct png_kind {
    int colour, depth, channels;
} png_kind;

/* `samples` holds one number a channel; palettes hold 3 i, 5 i, 255 - i for entry i. */
static bytes make_png(png_kind kind, int interlace, const unsigned *samples)
{
    bytes file = {NULL, 0};
    png_struct *png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_info *info = png_create_info_struct(png);
    assert_int_equal(setjmp(png_jmpbuf(png)), 0);
    png_set_write_fn(png, &file, collect, keep);
    png_set_IHDR(png, info, WIDTH, HEIGHT, kind.depth, kind.colour, interlace, 0, 0);
    if (kind.colour == PNG_COLOR_TYPE_PALETTE) {
        png_color palette[256];
        unsigned char clear[2] = {0, 128};
        for (int i = 0; i < 256; i++)
            palette[i] = (png_color){(png_byte)(3 * i), (png_byte)(5 * i), (png_byte)(255 - i)};
        png_set_PLTE(png, info, palette, 1 << kind.depth);
        png_set_tRNS(png, info, clear, 2, NULL);
    }
    png_write_info(png, info);
    if (kind.depth < 8)
        png_set_packing(png);
    const int step = kind.channels * (kind.depth == 16 ? 2 : 1);
    for (int pass = png_set_interlace_handling(png); pass > 0; pass--) {
        for (int y = 0; y < HEIGHT; y++) {
            unsigned char row[WIDTH * 8];
            for (int i = 0; i < WIDTH * kind.channels; i++) {
                const unsigned v = samples[y * WIDTH * kind.channels + i];
                if (kind.depth == 16)
                    row[2 * i] = (unsigned char)(v >> 8), row[2 * i + 1] = (unsigned char)v;
                else
                    row[i] = (unsigned char)v;
            }
            assert_true(step * WIDTH <= (int)sizeof row);
            png_write_row(png, row);
        }
    }
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return file;
}

/* Independent of the library: the grey of pixel i. */
static double expected_grey(png_kind kind, const unsigned *samples, int i)
{
    const unsigned *s = samples + i * kind.channels;
    const double scale = 255.0 / (double)((1u << kind.depth) - 1);
    if (kind.colour == PNG_COLOR_TYPE_PALETTE)
        return 0.299 * (double)(3 * s[0] % 256) + 0.587 * (double)(5 * s[0] % 256) +
               0.114 * (double)(255 - s[0]);
    if (kind.channels <= 2)
        return scale * s[0];
    return scale * (0.299 * s[0] + 0.587 * s[1] + 0.114 * s[2]);
}

static void test_png_kinds(void **state)
{
    static const png_kind kinds[] = {
        {PNG_COLOR_TYPE_GRAY, 1, 1},        {PNG_COLOR_TYPE_GRAY, 2, 1},
        {PNG_COLOR_TYPE_GRAY, 4, 1},        {PNG_COLOR_TYPE_GRAY, 8, 1},
        {PNG_COLOR_TYPE_GRAY, 16, 1},       {PNG_COLOR_TYPE_PALETTE, 1, 1},
        {PNG_COLOR_TYPE_PALETTE, 2, 1},     {PNG_COLOR_TYPE_PALETTE, 4, 1},
        {PNG_COLOR_TYPE_PALETTE, 8, 1},     {PNG_COLOR_TYPE_GRAY_ALPHA, 8, 2},
        {PNG_COLOR_TYPE_GRAY_ALPHA, 16, 2}, {PNG_COLOR_TYPE_RGB, 8, 3},
        {PNG_COLOR_TYPE_RGB, 16, 3},        {PNG_COLOR_TYPE_RGB_ALPHA, 8, 4},
        {PNG_COLOR_TYPE_RGB_ALPHA, 16, 4},
    };
    (void)state;
    unsigned seed = 7, samples[SAMPLES];
    for (size_t k = 0; k < 2 * (sizeof kinds / sizeof *kinds); k++) {
        const png_kind kind = kinds[k / 2];
        for (int i = 0; i < SAMPLES; i++)
            samples[i] = random_next(&seed) % (1u << kind.depth);
        bytes file = make_png(kind, k % 2 ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, samples);
        tsr__image image;
        assert_int_equal(decode(&image, file), TSR_OK);
        assert_int_equal(image.width, WIDTH);
        assert_int_equal(image.height, HEIGHT);
        for (int i = 0; i < WIDTH * HEIGHT; i++)
            assert_true(fabs((double)image.grey[i] - expected_grey(kind, samples, i)) < 1e-4);
        tsr__image_free(&image);
        free(file.at);
    }
}

/* Equal red, green, blue are that grey, exactly; and PPM gives the same bits as PNG. */
static void test_png_is_ppm(void **state)
{
    (void)state;
    unsigned seed = 3, samples[SAMPLES];
    for (int round = 0; round < 2; round++) {
        char ppm[32 + WIDTH * HEIGHT * 3];
        int used = snprintf(ppm, sizeof ppm, "P6 %d %d 255\n", WIDTH, HEIGHT);
        for (int i = 0; i < WIDTH * HEIGHT * 3; i++) {
            samples[i] = round == 0 && i % 3 != 0 ? samples[i - 1] : random_next(&seed) % 256;
            ppm[used++] = (char)samples[i];
        }
        bytes file = make_png((png_kind){PNG_COLOR_TYPE_RGB, 8, 3}, 0, samples);
        tsr__image a, b;
        assert_int_equal(decode(&a, file), TSR_OK);
        assert_int_equal(decode(&b, (bytes){(unsigned char *)ppm, (size_t)used}), TSR_OK);
        assert_memory_equal(a.grey, b.grey, WIDTH * HEIGHT * sizeof *a.grey);
        for (int i = 0; round == 0 && i < WIDTH * HEIGHT; i++)
            assert_true(a.grey[i] == (float)samples[3 * i]);
        tsr__image_free(&a);
        tsr__image_free(&b);
        free(file.at);
    }
}

/* Hostile files -------------------------------------------------------------------------------
 */

static void test_png_hostile(void **state)
{
    (void)state;
    unsigned seed = 1, samples[SAMPLES];
    for (int i = 0; i < SAMPLES; i++)
        samples[i] = random_next(&seed) % 4;
    for (int interlace = 0; interlace < 2; interlace++) {
        bytes file = make_png((png_kind){PNG_COLOR_TYPE_PALETTE, 2, 1}, interlace, samples);
        assert_prefixes_refused(file, "truncated PNG");
        assert_bends_survived(file);
        free(file.at);
    }
}

/* The checksum of PNG's chunks. */
static unsigned checksum(const unsigned char *at, int length)
{
    unsigned crc = 0xffffffffu;
    for (int i = 0; i < 8 * length; i++) {
        crc ^= i % 8 == 0 ? at[i / 8] : 0u;
        crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0u);
    }
    return ~crc;
}

/* Headers that claim more than the bytes can hold are refused without asking for memory. */
static void test_bombs(void **state)
{
    (void)state;
    unsigned samples[SAMPLES] = {0};
    bytes png = make_png((png_kind){PNG_COLOR_TYPE_GRAY, 8, 1}, 0, samples);
    for (int i = 0; i < 2; i++) {
        put_number(png.at + 16, i == 0 ? 16000 : 0x7fffffff, 4);
        put_number(png.at + 20, i == 0 ? 16000 : 0x7fffffff, 4);
        put_number(png.at + 29, checksum(png.at + 12, 17), 4);
        assert_refused(TSR_ERROR_FORMAT, i == 0 ? "cannot hold 16000 x 16000" : "PNG", png.at,
                       png.size);
    }
    const int64_t asked = tsr__memory_asked();
    assert_refused(TSR_ERROR_FORMAT, "need 100000000 bytes", "P5 10000 10000 255 ", 19);
    assert_refused(TSR_ERROR_FORMAT, "need 1999999 bytes", "P2 1000 1000 255 1 2 3", 22);
    assert_refused(TSR_ERROR_FORMAT, "width", "P5 99999999999999999999 1 255 ", 30);
    assert_refused(TSR_ERROR_FORMAT, "need", "P6 268435456 268435456 65535 ", 29);
    assert_int_equal(tsr__memory_asked(), asked);
    free(png.at);
}

static void test_unknown(void **state)
{
    (void)state;
    assert_refused(TSR_ERROR_UNSUPPORTED, "GIF", "GIF89a", 6);
    assert_refused(TSR_ERROR_UNSUPPORTED, "TIFF", "II*\0....", 8);
    assert_refused(TSR_ERROR_UNSUPPORTED, "PBM", "P4 1 1\n", 7);
    assert_refused(TSR_ERROR_FORMAT, "not PNG", "hello", 5);
    assert_refused(TSR_ERROR_FORMAT, "not PNG", "\x89PN", 3);
    assert_refused(TSR_ERROR_FORMAT, "empty", "", 0);
    assert_true(tsr__image_is_name("a/b.PNG") && tsr__image_is_name("x.jpeg"));
    assert_true(tsr__image_is_name("x.y.pnm") && tsr__image_is_name("1.JPG"));
    assert_false(tsr__image_is_name("png") || tsr__image_is_name("a.png.txt"));
    assert_false(tsr__image_is_name("a.pn") || tsr__image_is_name(""));
}

/* PGM and PPM ---------------------------------------------------------------------------------
 */

static void assert_pnm(const char *file, size_t size, const double *expected)
{
    tsr__image image;
    assert_int_equal(decode(&image, (bytes){(unsigned char *)(uintptr_t)file, size}), TSR_OK);
    assert_int_equal(image.width, 2);
    assert_int_equal(image.height, 2);
    for (int i = 0; i < 4; i++)
        assert_true(image.grey[i] == (float)expected[i]);
    tsr__image_free(&image);
}
#define ASSERT_PNM(file, ...) assert_pnm(file, sizeof(file) - 1, (const double[]){__VA_ARGS__})

static void test_pnm_kinds(void **state)
{
    (void)state;
    ASSERT_PNM("P2 2 2 255 0 1\n254\t255\n", 0, 1, 254, 255);
    ASSERT_PNM("P2#c\n# 9 9\n2#w\r\n 2 15#m\n0 1 # one\n 5 15", 0, 17, 85, 255);
    ASSERT_PNM("P2 2 2 1 0 1 1 0", 0, 255, 255, 0);
    ASSERT_PNM("P2 2 2 65535 0 257 25700 65535", 0, 1, 100, 255);
    ASSERT_PNM("P5 2 2 255\n\0\n#\xff", 0, 10, 35, 255);
    ASSERT_PNM("P5\n2 2\n# one\n#two\n51\n\0\1\2\63 more", 0, 5, 10, 255);
    ASSERT_PNM("P5 2 2 51# here\n\0\1\2\63", 0, 5, 10, 255);
    ASSERT_PNM("P5 2 2 65535\n\0\0\1\1\x64\x64\xff\xff", 0, 1, 100, 255);
    ASSERT_PNM("P5 2 2 510 \0\0\0\2\0\x0a\1\xfe", 0, 1, 5, 255);
    ASSERT_PNM("P3 2 2 255 255 0 0  0 255 0  0 0 255  7 7 7", 76.245, 149.685, 29.07, 7);
    ASSERT_PNM("P6 2 2 255 \xff\0\0\0\xff\0\0\0\xff\7\7\7", 76.245, 149.685, 29.07, 7);
    ASSERT_PNM("P6 2 2 256 \1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0", 76.245, 149.685,
               29.07, 0);
}

static void test_pnm_refused(void **state)
{
    static const struct {
        const char *file, *text;
    } cases[] = {
        {"P5", "width"},
        {"P5 2", "height"},
        {"P5 2 2 # no end", "maximum"},
        {"P5 2 2 255", "no samples"},
        {"P5 2 2 255abcd", "no white space"},
        {"P5 2 2 255 abc", "need 4 bytes, 3 are there"},
        {"P5 2 2 0 abcd", "maximum is 0"},
        {"P5 2 2 65536 abcdefgh", "exceeds 65535"},
        {"P5 0 2 255 abc", "empty"},
        {"P5 -1 2 255 abc", "is not the width"},
        {"P5 x 2 255 abc", "(0x78) is not the width"},
        {"P5 2 2 97 abcd", "sample 98 at row 0, column 1 exceeds the maximum 97"},
        {"P2 2 2 9 1 2 3 10", "next sample at byte 15 exceeds 9"},
        {"P2 2 2 9 1 2 3 #4", "end before the next sample"},
        {"P2 2 2 9 1 2 3,4", "is not the next sample"},
        {"P6 2 2 255 abcdefghijk", "need 12 bytes"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_refused(TSR_ERROR_FORMAT, cases[i].text, cases[i].file, strlen(cases[i].file));
}

/* Resizing ------------------------------------------------------------------------------------
 */

static void assert_resized(int64_t from, const float *old, int64_t to, const float *expected)
{
    float copy[8];
    memcpy(copy, old, (size_t)from * sizeof *copy);
    for (int way = 0; way < 2; way++) {
        const tsr__image image = {way ? 1 : from, way ? from : 1, copy};
        tsr__image made = {0, 0, NULL};
        assert_int_equal(tsr__image_resize(&made, &image, way ? 1 : to, way ? to : 1), TSR_OK);
        assert_memory_equal(made.grey, expected, (size_t)to * sizeof *expected);
        tsr__image_free(&made);
    }
}

static void test_resize_known(void **state)
{
    (void)state;
    assert_resized(4, (float[]){1, 3, 10, 20}, 2, (float[]){2, 15});
    assert_resized(3, (float[]){3, 6, 30}, 2, (float[]){4, 22});
    assert_resized(2, (float[]){2, 8}, 3, (float[]){2, 5, 8});
    assert_resized(1, (float[]){77}, 5, (float[]){77, 77, 77, 77, 77});
    assert_resized(5, (float[]){1, 2, 3, 4, 5}, 1, (float[]){3});
    assert_resized(5, (float[]){1, 2, 3, 4, 5}, 5, (float[]){1, 2, 3, 4, 5});
    tsr__image made = {0, 0, NULL}, image = {1, 1, (float[]){1}};
    assert_true(tsr__image_resize(&made, &image, 1 << 20, 1 << 20) < 0);
    assert_true(tsr__image_resize(&made, &image, 0, 1) < 0);
    assert_null(made.grey);
}

/* Against the definition, by brute force; and the mean stays. */
static void test_resize_laws(void **state)
{
    (void)state;
    unsigned seed = 5;
    for (int round = 0; round < 40; round++) {
        const int w = 1 + (int)(random_next(&seed) % 13),
                  h = 1 + (int)(random_next(&seed) % 13);
        const int v = 1 + (int)(random_next(&seed) % 13),
                  g = 1 + (int)(random_next(&seed) % 13);
        float old[13 * 13];
        double mean = 0, same = 0;
        for (int i = 0; i < w * h; i++)
            mean += (double)(old[i] = (float)(random_next(&seed) % 256)) / (w * h);
        const tsr__image image = {w, h, old};
        tsr__image made;
        assert_int_equal(tsr__image_resize(&made, &image, v, g), TSR_OK);
        for (int i = 0; i < v * g; i++) {
            double sum = 0;
            for (int j = 0; j < w * v * h * g; j++) { /* parts: columns w v, rows h g */
                const int x = j % (w * v), y = j / (w * v);
                if (x / w == i % v && y / h == i / v)
                    sum += (double)old[y / g * w + x / v];
            }
            assert_true(fabs((double)made.grey[i] - sum / (w * h)) < 1e-4);
            same += (double)made.grey[i] / (v * g);
        }
        assert_true(fabs(mean - same) < 1e-4);
        tsr__image_free(&made);
    }
}

/* Writing, and memory -------------------------------------------------------------------------
 */

static void test_write_png(void **state)
{
    assert_int_equal(make_folder(state), 0);
    const char *path = path_of("a.png");
    unsigned char pixels[5 * 3 * 3], file[4096];
    for (int i = 0; i < 45; i++)
        pixels[i] = (unsigned char)(i * 5);
    for (int channels = 1; channels <= 3; channels += 2) {
        tsr__image image;
        assert_int_equal(tsr__image_write_png(path, pixels, 5, 3, channels), TSR_OK);
        FILE *stream = fopen(path, "rb");
        assert_non_null(stream);
        const size_t size = fread(file, 1, sizeof file, stream);
        (void)fclose(stream);
        assert_int_equal(decode(&image, (bytes){file, size}), TSR_OK);
        assert_int_equal(image.width, 5);
        assert_int_equal(image.height, 3);
        for (int i = 0; i < 15; i++) {
            const unsigned char *p = pixels + i * channels;
            const double grey =
                channels == 1 ? p[0] : 0.299 * p[0] + 0.587 * p[1] + 0.114 * p[2];
            assert_true(fabs((double)image.grey[i] - grey) < 1e-4);
        }
        tsr__image_free(&image);
    }
    assert_int_equal(tsr__image_write_png(folder, pixels, 5, 3, 1), TSR_ERROR_IO);
    assert_int_equal(tsr__image_write_png("/dev/full", pixels, 5, 3, 1), TSR_ERROR_IO);
    assert_int_equal(tsr__image_write_png(path, pixels, 0, 3, 1), TSR_ERROR_ARGUMENT);
    assert_int_equal(tsr__image_write_png(path, pixels, 5, 3, 2), TSR_ERROR_ARGUMENT);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void test_memory_fails(void **state)
{
    static unsigned char plain[] = "P2 2 2 9 1 2 3 4";
    (void)state;
    unsigned samples[SAMPLES] = {0};
    bytes file =
        make_png((png_kind){PNG_COLOR_TYPE_PALETTE, 4, 1}, PNG_INTERLACE_ADAM7, samples);
    assert_memory_failures(file);
    assert_memory_failures((bytes){plain, sizeof plain - 1});
    free(file.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_png_kinds),    cmocka_unit_test(test_png_is_ppm),
        cmocka_unit_test(test_png_hostile),  cmocka_unit_test(test_bombs),
        cmocka_unit_test(test_unknown),      cmocka_unit_test(test_pnm_kinds),
        cmocka_unit_test(test_pnm_refused),  cmocka_unit_test(test_resize_known),
        cmocka_unit_test(test_resize_laws),  cmocka_unit_test(test_write_png),
        cmocka_unit_test(test_memory_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
