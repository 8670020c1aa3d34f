/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Pictures: grey values 0 (black) .. 255 (white) as floats, row by row, upright.
 *
 * Colour becomes grey by the luma of BT.601, 0.299 R + 0.587 G + 0.114 B; deeper pictures are
 * scaled to 0 .. 255; transparency is ignored; the orientation that a camera noted is applied.
 */
#ifndef TSR_IMAGE_IMAGE_H
#define TSR_IMAGE_IMAGE_H

#include "base/bound.h"
#include "base/memory.h"
#include "base/status.h"

#include <stdio.h>

typedef struct tsr__image {
    int64_t width, height;
    float *grey; /* height x width, from tsr__alloc; free with tsr__image_free */
} tsr__image;

void tsr__image_free(tsr__image *image);

/* True when the name ends as pictures do: .png .jpg .jpeg .pgm .ppm .pnm */
bool tsr__image_is_name(const char *path);

/* Decodes bound->size bytes, by the first of them, to no more than the bound allows.
 * Thread-safe. The message does not name a path. */
tsr_status tsr__image_decode(tsr__image *out, const void *bytes, const tsr__bound *bound);

/* Area averaging: each new pixel is the mean of the old area that it covers, exactly. */
tsr_status tsr__image_resize(tsr__image *out, const tsr__image *image, int64_t width,
                             int64_t height);

/* 8-bit grey / RGB PNG, into a stream or a file; `pixels` is height x width x channels. */
tsr_status tsr__image_print_png(FILE *to, const unsigned char *pixels, int64_t width,
                                int64_t height, int channels);
tsr_status tsr__image_write_png(const char *path, const unsigned char *pixels, int64_t width,
                                int64_t height, int channels);

/* The colour of a value in heat maps: 0 is palest, 1 darkest. */
void tsr__heat_colour(unsigned char rgb[3], double share);

#endif
