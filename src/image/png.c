/* SPDX-License-Identifier: BSD-2-Clause
 *
 * PNG by libpng: 1 to 16 bits, grey, palette, colour, interlaced or not. Transparency and gamma
 * are ignored. libpng reports errors by longjmp: what must survive one lives in a struct
 * outside.
 *
 * Deflate makes at most 1032 bytes of one, which bounds the picture that a file can hold; what
 * memory it may take is a matter of base/bound.h. */
#include "image/codec.h"

#include <png.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { RAW_MOST = 6 }; /* bytes of a pixel as libpng gives it */

typedef struct coder {
    const unsigned char *bytes; /* reading: the file */
    const tsr__bound *bound;
    int64_t size, at;
    FILE *stream; /* writing */
    png_struct *png;
    png_info *info;
    unsigned char *raw; /* reading: one row, or all rows of an interlaced picture */
    tsr__image image;
    tsr_status status;
} coder;

/* The first failure counts: the later ones follow from it. */
static void fail(png_struct *png, const char *message)
{
    coder *c = png_get_error_ptr(png);
    if (c->status == TSR_OK)
        c->status = tsr__fail(TSR_ERROR_FORMAT, "damaged PNG: %s", message);
    png_longjmp(png, 1);
}

static void ignore(png_struct *png, const char *message)
{
    (void)png, (void)message;
}

static void *take(png_struct *png, png_alloc_size_t size)
{
    coder *c = png_get_mem_ptr(png);
    void *memory = size <= INT64_MAX ? tsr__alloc((int64_t)size, 1) : NULL;
    if (memory == NULL)
        c->status = TSR_ERROR_MEMORY;
    return memory;
}

static void give_back(png_struct *png, void *memory)
{
    (void)png;
    tsr__free(memory);
}

static void pull(png_struct *png, unsigned char *out, size_t length)
{
    coder *c = png_get_io_ptr(png);
    if ((int64_t)length > c->size - c->at) {
        c->status = tsr__fail(TSR_ERROR_FORMAT, "truncated PNG: it ends after %lld bytes",
                              (long long)c->size);
        png_error(png, "end of file");
    }
    memcpy(out, c->bytes + c->at, length);
    c->at += (int64_t)length;
}

/* Leaves 8 or 16 bits, grey or colour. */
static void simplify(coder *c)
{
    const int kind = png_get_color_type(c->png, c->info);
    if (kind == PNG_COLOR_TYPE_PALETTE)
        png_set_palette_to_rgb(c->png);
    if (kind == PNG_COLOR_TYPE_GRAY)
        png_set_expand_gray_1_2_4_to_8(c->png);
    png_set_strip_alpha(c->png);
}

static tsr_status read_rows(coder *c)
{
    tsr_status status = TSR_OK;
    const int passes = png_set_interlace_handling(c->png);
    png_read_update_info(c->png, c->info);
    const int bytes = png_get_bit_depth(c->png, c->info) / 8;
    const tsr__pixels layout = {png_get_channels(c->png, c->info), bytes,
                                bytes == 1 ? 255 : 65535};
    const int64_t row = (int64_t)png_get_rowbytes(c->png, c->info);
    const int64_t width = c->image.width, height = c->image.height;
    if (row != width * layout.channels * bytes || layout.channels % 2 == 0)
        TSR_FAIL(TSR_ERROR_UNSUPPORTED, "PNG with %d channels of %d bytes", layout.channels,
                 bytes);
    TSR_NEW(c->raw, passes > 1 ? row * height : row);
    for (int pass = 0; pass < passes; pass++) {
        for (int64_t y = 0; y < height; y++) {
            unsigned char *raw = passes > 1 ? c->raw + y * row : c->raw;
            png_read_row(c->png, raw, NULL);
            if (pass == passes - 1)
                tsr__pixels_to_grey(c->image.grey + y * width, raw, width, &layout);
        }
    }
    png_read_end(c->png, NULL);
done:
    return status;
}

/* Anything in here may leave by longjmp. */
static tsr_status read_picture(coder *c)
{
    static const unsigned char unused[] =
        "iCCP\0zTXt\0iTXt\0tEXt\0sPLT\0eXIf"; /* may be large */
    if (setjmp(png_jmpbuf(c->png)) != 0)
        return c->status;
    png_set_read_fn(c->png, c, pull);
    png_set_user_limits(c->png, TSR_IMAGE_PIXELS, TSR_IMAGE_PIXELS);
    png_set_keep_unknown_chunks(c->png, PNG_HANDLE_CHUNK_NEVER, unused, sizeof unused / 5);
    png_read_info(c->png, c->info);

    const int64_t width = png_get_image_width(c->png, c->info);
    const int64_t height = png_get_image_height(c->png, c->info);
    const int64_t row = (int64_t)png_get_rowbytes(c->png, c->info);
    if (height > 1032 * c->size / row)
        return tsr__fail(TSR_ERROR_FORMAT,
                         "truncated PNG: %lld bytes cannot hold %lld x %lld pixels",
                         (long long)c->size, (long long)width, (long long)height);
    const bool whole = png_get_interlace_type(c->png, c->info) != PNG_INTERLACE_NONE;
    tsr_status status = tsr__image_check_bound(c->bound, width, height, whole ? RAW_MOST : 0);
    if (status == TSR_OK)
        status = tsr__image_create(&c->image, width, height);
    if (status < 0)
        return status;
    simplify(c);
    return read_rows(c);
}

tsr_status tsr__png_decode(tsr__image *out, const unsigned char *bytes, const tsr__bound *bound)
{
    tsr_status status = TSR_OK;
    coder c = {.bytes = bytes, .bound = bound, .size = bound->size};
    c.png =
        png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &c, fail, ignore, &c, take, give_back);
    c.info = c.png != NULL ? png_create_info_struct(c.png) : NULL;
    if (c.info == NULL)
        TSR_FAIL(TSR_ERROR_MEMORY, "out of memory: libpng cannot begin");
    TSR_TRY(read_picture(&c));
    *out = c.image;
    c.image.grey = NULL;
done:
    png_destroy_read_struct(&c.png, &c.info, NULL);
    tsr__free(c.raw);
    tsr__image_free(&c.image);
    return status;
}

static void push(png_struct *png, unsigned char *bytes, size_t length)
{
    coder *c = png_get_io_ptr(png);
    if (fwrite(bytes, 1, length, c->stream) != length) {
        c->status = tsr__fail(TSR_ERROR_IO, "cannot be written: %s", strerror(errno));
        png_error(png, "write");
    }
}

static void flush(png_struct *png)
{
    (void)png; /* closing the stream does it */
}

static tsr_status write_picture(coder *c, const unsigned char *pixels, int64_t width,
                                int64_t height, int channels)
{
    if (setjmp(png_jmpbuf(c->png)) != 0)
        return c->status;
    png_set_write_fn(c->png, c, push, flush);
    png_set_IHDR(c->png, c->info, (png_uint_32)width, (png_uint_32)height, 8,
                 channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(c->png, c->info);
    for (int64_t y = 0; y < height; y++)
        png_write_row(c->png, pixels + y * width * channels);
    png_write_end(c->png, NULL);
    return TSR_OK;
}

tsr_status tsr__image_print_png(FILE *to, const unsigned char *pixels, int64_t width,
                                int64_t height, int channels)
{
    tsr_status status = TSR_OK;
    coder c = {.stream = to};
    if (width < 1 || height < 1 || width > TSR_IMAGE_PIXELS / height ||
        (channels != 1 && channels != 3))
        TSR_FAIL(TSR_ERROR_ARGUMENT, "a PNG of %lld x %lld pixels with %d channels",
                 (long long)width, (long long)height, channels);
    c.png =
        png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &c, fail, ignore, &c, take, give_back);
    c.info = c.png != NULL ? png_create_info_struct(c.png) : NULL;
    if (c.info == NULL)
        TSR_FAIL(TSR_ERROR_MEMORY, "out of memory: libpng cannot begin");
    TSR_TRY(write_picture(&c, pixels, width, height, channels));
done:
    png_destroy_write_struct(&c.png, &c.info);
    return status;
}

tsr_status tsr__image_write_png(const char *path, const unsigned char *pixels, int64_t width,
                                int64_t height, int channels)
{
    FILE *to = fopen(path, "wbe");
    if (to == NULL)
        return tsr__fail(TSR_ERROR_IO, "cannot be written: %s", strerror(errno));
    tsr_status status = tsr__image_print_png(to, pixels, width, height, channels);
    if (fclose(to) != 0 && status == TSR_OK)
        status = tsr__fail(TSR_ERROR_IO, "cannot be written: %s", strerror(errno));
    return status;
}
