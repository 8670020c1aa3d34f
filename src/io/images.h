/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Pictures out of files. */
#ifndef TSR_IO_IMAGES_H
#define TSR_IO_IMAGES_H

#include "image/image.h"
#include "io/data.h"

/* One picture, decoded. The message does not name it. What takes `each` bytes a pixel is yet to
 * be made of it, within the bound that `expand` sets. */
tsr_status tsr__image_load(tsr__image *out, const char *folder, const char *name,
                           int64_t expand, int each);

/* The pixels of the named pictures of a folder as the samples of `out`, which gets x,
 * sample_names, labels, dtype and, for what skip_bad left out, notes. */
tsr_status tsr__images_stack(tsr_data *out, const char *folder, const tsr__names *files,
                             const tsr_read_options *options);

#endif
