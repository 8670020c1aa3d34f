/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Files of named variables (.npz, .mat, .h5): what is common to reading them.
 *
 * A container lists its variables and hands them out one by one; tsr__container_read finds the
 * samples and labels and, in the same folder (HDF5: group), what else is known of them:
 *
 *     classes                     texts: labels are positions in this list, -1 unknown
 *     sample_names or names       texts, one a sample
 *     feature_names or features   texts, one a feature
 *     image_shape, image_order    height and width; "row" (default) or "column" */
#ifndef TSR_IO_CONTAINER_H
#define TSR_IO_CONTAINER_H

#include "io/array.h"
#include "io/format.h"

typedef struct tsr__container {
    const tsr__variable *variable;
    int count;
    bool stays;      /* samples that are larger than memory stay in the file */
    int first_class; /* the position of the first class: 0, MATLAB 1 */
    void *file;      /* passed to the functions below, with the position of a variable */
    tsr_status (*matrix)(tsr_matrix **out, void *file, int at);
    tsr_status (*numbers)(double **out, void *file, int at); /* tsr__variable_count, owned */
    tsr_status (*texts)(tsr__names *out, void *file, int at);
} tsr__container;

/* Fills `out` as a format's read does. */
tsr_status tsr__container_read(tsr_data *out, const tsr__request *request,
                               const tsr__container *from);

/* How labels are best written: as the numbers that the class names are, as texts, or as
 * positions in a list of classes, where a name would be taken for unknown (-1, ?). */
typedef enum tsr__labels_as {
    TSR_LABELS_AS_INTEGERS,
    TSR_LABELS_AS_TEXTS,
    TSR_LABELS_AS_POSITIONS
} tsr__labels_as;

tsr__labels_as tsr__labels_choose(const tsr_labels *labels);

#endif
