/* SPDX-License-Identifier: BSD-2-Clause
 *
 * SIFT: a descriptor for every keypoint and orientation, by VLFeat's vl_sift with the settings
 * of its toolbox: three levels an octave, no doubling of the picture, edges above 10 out. */
#include "features/visual.h"

#include <vl/sift.h>

enum { LEVELS = 3, MOST_ANGLES = 4 };

typedef struct finding {
    tsr__descriptors *out;
    int64_t spot_room, value_room; /* in descriptors */
} finding;

static tsr_status check(const tsr_features_options *options)
{
    (void)options;
    return TSR_OK;
}

static tsr_status make_room(finding *f)
{
    tsr_status status = TSR_OK;
    tsr__descriptors *out = f->out;
    if (out->count == f->value_room) {
        const int64_t more = f->value_room + f->value_room / 2 + 256;
        unsigned char *grown = tsr__regrow(out->value, out->count, more, TSR_DESCRIPTOR);
        if (grown == NULL)
            return TSR_ERROR_MEMORY;
        out->value = grown, f->value_room = more;
    }
    TSR_GROW(out->spot, out->count, f->spot_room);
done:
    return status;
}

static tsr_status describe_octave(finding *f, VlSiftFilt *filter)
{
    tsr_status status = TSR_OK;
    vl_sift_detect(filter);
    const VlSiftKeypoint *key = vl_sift_get_keypoints(filter);
    const int keys = vl_sift_get_nkeypoints(filter);
    for (int i = 0; i < keys; i++) {
        double angle[MOST_ANGLES];
        const int angles = vl_sift_calc_keypoint_orientations(filter, angle, &key[i]);
        for (int a = 0; a < angles; a++) {
            float value[TSR_DESCRIPTOR];
            TSR_TRY(make_room(f));
            vl_sift_calc_keypoint_descriptor(filter, value, &key[i], angle[a]);
            tsr__descriptor_pack(f->out->value + f->out->count * TSR_DESCRIPTOR, value);
            /* bins are three times the scale wide, and two of them lie to each side */
            f->out->spot[f->out->count++] = (tsr__spot){key[i].x, key[i].y, 6 * key[i].sigma};
        }
    }
done:
    return status;
}

static tsr_status describe(tsr__descriptors *out, void **held, const tsr__image *image,
                           const tsr_features_options *options)
{
    tsr_status status = TSR_OK;
    enum { LEAST = 8 }; /* pixels: below that there is no octave to look for extrema in */
    finding f = {.out = out};
    (void)held, (void)options;
    out->width = image->width, out->height = image->height;
    if (image->width < LEAST || image->height < LEAST)
        return TSR_OK;
    VlSiftFilt *filter = vl_sift_new((int)image->width, (int)image->height, -1, LEVELS, 0);
    int more = vl_sift_process_first_octave(filter, image->grey);
    while (more != VL_ERR_EOF) {
        TSR_TRY(describe_octave(&f, filter));
        more = vl_sift_process_next_octave(filter);
    }
done:
    vl_sift_delete(filter);
    return status;
}

static void close_nothing(void *held)
{
    (void)held;
}

const tsr__describer tsr__describer_sift = {
    .kind = "sift",
    .defaults = {.vocabulary = 500, .grid = {1, 1}, .step = 8, .patch = 16},
    .check = check,
    .describe = describe,
    .close = close_nothing,
};

tsr_status tsr__sift_make(tsr_data *out, const tsr__feature_job *job)
{
    return tsr__visual_make(out, job, &tsr__describer_sift);
}
