/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Pixels: the grey values of pictures of one size. */
#include "features/features.h"

#include "io/images.h"

#include <string.h>

static const char *const kept[] = {"size", "normalize", NULL};

tsr_status tsr__pixels_make(tsr_data *out, const tsr__feature_job *job)
{
    tsr_status status = TSR_OK;
    tsr_features_options options = *job->options;
    tsr_read_options read = {0};
    if (job->recipe != NULL)
        TSR_TRY(tsr__recipe_restore(job->recipe, tsr_features_settings(), &options, kept));
    memcpy(read.size, options.size, sizeof read.size);
    read.skip_bad = options.skip_bad;
    read.threads = options.threads;
    read.expand = options.expand;
    read.progress = options.progress;
    status = tsr__images_stack(out, job->folder, job->files, &read);
    if (status < 0)
        TSR_TRY(tsr__fail_in(status, job->folder));
    if (options.size[0] == 0) {
        const tsr_image_shape shape = tsr_matrix_image(out->x);
        options.size[0] = shape.width, options.size[1] = shape.height;
    }
    if (options.normalize > 1)
        TSR_TRY(tsr_matrix_normalize(out->x, (tsr_norm)(options.normalize - 1)));
    TSR_NEW_TEXT(out->recipe.kind, "pixels");
    TSR_TRY(tsr__recipe_record(&out->recipe, tsr_features_settings(), &options, kept));
done:
    return status;
}
