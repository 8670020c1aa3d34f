/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the decoders of pictures share. A decoder is given all bytes of a file whose first ones
 * are its magic, fills `out` on success only, and never asks for memory beyond the bound, nor
 * for such that so few bytes could not have described. */
#ifndef TSR_IMAGE_CODEC_H
#define TSR_IMAGE_CODEC_H

#include "image/image.h"

enum { TSR_IMAGE_PIXELS = 1 << 28 }; /* the most that a picture may have */

/* Room for width x height pixels, not initialised; refuses empty and absurd pictures. */
tsr_status tsr__image_create(tsr__image *out, int64_t width, int64_t height);

/* How samples lie in a row of pixels. */
typedef struct tsr__pixels {
    int channels;    /* 1 grey, 3 red green blue */
    int bytes;       /* a sample: 1, or 2 with the high byte first */
    int32_t maximum; /* the sample that means full intensity */
} tsr__pixels;

/* `count` pixels as grey values 0 .. 255; equal red, green and blue give exactly that grey. */
void tsr__pixels_to_grey(float *out, const unsigned char *raw, int64_t count,
                         const tsr__pixels *layout);

/* The orientation 1 .. 8 that a block of EXIF (from its TIFF header on) tells; 1 when it tells
 * none or makes no sense. */
int tsr__exif_orientation(const unsigned char *tiff, int64_t size);

/* Turns and mirrors a picture that was stored with the given EXIF orientation upright. */
tsr_status tsr__image_orient(tsr__image *image, int orientation);

tsr_status tsr__png_decode(tsr__image *out, const unsigned char *bytes,
                           const tsr__bound *bound);
tsr_status tsr__jpeg_decode(tsr__image *out, const unsigned char *bytes,
                            const tsr__bound *bound);
tsr_status tsr__pnm_decode(tsr__image *out, const unsigned char *bytes,
                           const tsr__bound *bound);

/* Whether a picture with `beside` bytes a pixel besides its own is within the bound. */
tsr_status tsr__image_check_bound(const tsr__bound *bound, int64_t width, int64_t height,
                                  int beside);

#endif
