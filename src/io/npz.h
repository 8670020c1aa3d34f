/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Samples of a .npz that pass through. */
#ifndef TSR_IO_NPZ_H
#define TSR_IO_NPZ_H

#include "io/array.h"
#include "io/flow.h"
#include "io/zip.h"

typedef struct tsr__npz_samples {
    zip_t *zip;
    const tsr__bound *bound;
    zip_uint64_t values; /* the entry that has them */
    bool sparse;         /* of the rest, what a sparse matrix has */
    tsr__layout layout;
    const int64_t *shape;
    zip_uint64_t start, index;
} tsr__npz_samples;

/* *out gets their shape and no values. */
tsr_status tsr__npz_pass(tsr_matrix **out, tsr__flow *flow, const tsr__npz_samples *from);

#endif
