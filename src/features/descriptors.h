/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Descriptors: what a picture looks like around each of some spots, as SIFT's histogram of
 * gradients (Lowe 2004; VLFeat computes it): 4 x 4 bins of 8 directions, 128 bytes. */
#ifndef TSR_FEATURES_DESCRIPTORS_H
#define TSR_FEATURES_DESCRIPTORS_H

#include "features/features.h"
#include "image/image.h"

enum { TSR_DESCRIPTOR = 128 };
enum { TSR_VISUAL_EACH = 100 }; /* bytes a pixel that VLFeat takes at most, without asking */

typedef struct tsr__spot {
    float x, y, reach; /* center and half the side, in pixels */
} tsr__spot;

typedef struct tsr__descriptors {
    int64_t width, height; /* of the picture */
    int64_t count;
    unsigned char *value; /* count x 128: 512 times the entries of a unit vector, at most 255 */
    tsr__spot *spot;
} tsr__descriptors;

void tsr__descriptors_free(tsr__descriptors *descriptors);
tsr_status tsr__descriptors_room(tsr__descriptors *out, int64_t count);

/* A unit descriptor as bytes. */
void tsr__descriptor_pack(unsigned char *out, const float *from);

/* A way to find descriptors. `held` is a thread's workspace, NULL at first, which `close`
 * frees. */
typedef struct tsr__describer {
    const char *kind;
    tsr_features_options defaults; /* of vocabulary, grid, step and patch */
    tsr_status (*check)(const tsr_features_options *options);
    tsr_status (*describe)(tsr__descriptors *out, void **held, const tsr__image *image,
                           const tsr_features_options *options);
    void (*close)(void *held);
} tsr__describer;

extern const tsr__describer tsr__describer_sift, tsr__describer_dsift;

#endif
