/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Pictures: the table of decoders and what they share. Formats that are known but not read are
 * rows without a decoder, so that the message can say what a file is. */
#include "image/codec.h"

#include <string.h>
#include <strings.h>

typedef struct codec {
    const char *name;
    const char *magic;
    size_t magic_size;
    tsr_status (*decode)(tsr__image *out, const unsigned char *bytes, const tsr__bound *bound);
} codec;

static const codec codecs[] = {
    {"PNG", "\x89PNG\r\n\x1a\n", 8, tsr__png_decode},
    {"JPEG", "\xff\xd8\xff", 3, tsr__jpeg_decode},
    {"PGM", "P2", 2, tsr__pnm_decode},
    {"PPM", "P3", 2, tsr__pnm_decode},
    {"PGM", "P5", 2, tsr__pnm_decode},
    {"PPM", "P6", 2, tsr__pnm_decode},
    {"PBM", "P1", 2, NULL},
    {"PBM", "P4", 2, NULL},
    {"PAM", "P7", 2, NULL},
    {"GIF", "GIF8", 4, NULL},
    {"BMP", "BM", 2, NULL},
    {"TIFF", "II*\0", 4, NULL},
    {"TIFF", "MM\0*", 4, NULL},
    {"WebP", "RIFF", 4, NULL},
};

static const char *const extensions[] = {".png", ".jpg", ".jpeg", ".pgm", ".ppm", ".pnm"};

void tsr__image_free(tsr__image *image)
{
    tsr__free(image->grey);
    *image = (tsr__image){0, 0, NULL};
}

bool tsr__image_is_name(const char *path)
{
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot != NULL && i < sizeof extensions / sizeof *extensions; i++)
        if (strcasecmp(dot, extensions[i]) == 0)
            return true;
    return false;
}

tsr_status tsr__image_create(tsr__image *out, int64_t width, int64_t height)
{
    if (width < 1 || height < 1)
        return tsr__fail(TSR_ERROR_FORMAT, "a picture of %lld x %lld pixels is empty",
                         (long long)width, (long long)height);
    if (width > TSR_IMAGE_PIXELS / height)
        return tsr__fail(TSR_ERROR_FORMAT, "%lld x %lld pixels exceed the limit of %d",
                         (long long)width, (long long)height, TSR_IMAGE_PIXELS);
    float *grey = tsr__alloc(width * height, sizeof *grey);
    if (grey == NULL)
        return TSR_ERROR_MEMORY;
    *out = (tsr__image){width, height, grey};
    return TSR_OK;
}

tsr_status tsr__image_check_bound(const tsr__bound *bound, int64_t width, int64_t height,
                                  int beside)
{
    const double each = (double)sizeof(float) + beside;
    return tsr__bound_check(bound, each * (double)width * (double)height, "%lld x %lld pixels",
                            (long long)width, (long long)height);
}

static int32_t sample(const unsigned char *raw, int64_t at, int bytes)
{
    return bytes == 1 ? raw[at] : raw[2 * at] << 8 | raw[2 * at + 1];
}

void tsr__pixels_to_grey(float *out, const unsigned char *raw, int64_t count,
                         const tsr__pixels *layout)
{
    const int bytes = layout->bytes;
    if (layout->channels == 1 && bytes == 1 && layout->maximum == 255) {
        for (int64_t i = 0; i < count; i++)
            out[i] = (float)raw[i];
    } else if (layout->channels == 1) {
        for (int64_t i = 0; i < count; i++)
            out[i] = (float)(sample(raw, i, bytes) * 255.0 / layout->maximum);
    } else {
        /* Integer weights keep the sum exact, so that grey colours stay what they are. */
        for (int64_t i = 0; i < count; i++) {
            const int32_t luma = 299 * sample(raw, 3 * i, bytes) +
                                 587 * sample(raw, 3 * i + 1, bytes) +
                                 114 * sample(raw, 3 * i + 2, bytes);
            out[i] = (float)(luma * 255.0 / (1000.0 * layout->maximum));
        }
    }
}

tsr_status tsr__image_decode(tsr__image *out, const void *bytes, const tsr__bound *bound)
{
    const int64_t size = bound->size;
    if (size == 0)
        return tsr__fail(TSR_ERROR_FORMAT, "the file is empty");
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++) {
        const codec *row = &codecs[i];
        if (size < (int64_t)row->magic_size || memcmp(bytes, row->magic, row->magic_size) != 0)
            continue;
        if (row->decode == NULL)
            return tsr__fail(
                TSR_ERROR_UNSUPPORTED,
                "this is %s; the pictures that can be read are PNG, JPEG, PGM, PPM", row->name);
        return row->decode(out, bytes, bound);
    }
    return tsr__fail(TSR_ERROR_FORMAT, "%lld bytes that are not PNG, JPEG, PGM or PPM",
                     (long long)size);
}
