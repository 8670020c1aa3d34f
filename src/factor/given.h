/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Matrices that a user gives beside the samples, by the name of a file or in memory: masks, links,
 * graphs. */
#ifndef TSR_FACTOR_GIVEN_H
#define TSR_FACTOR_GIVEN_H

#include "io/data.h"

typedef struct tsr__given {
    const tsr_matrix *x;
    const char *subject; /* what messages call it: the file, or the name of the setting */
    tsr_data *data;      /* of the file, or NULL */
} tsr__given;

/* One of `path` and `matrix` is not NULL; spec.c sees to it that it is not both. */
tsr_status tsr__given_open(tsr__given *out, const char *path, const tsr_matrix *matrix,
                           const char *name);
void tsr__given_close(tsr__given *given);

#endif
