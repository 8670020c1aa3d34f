/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Data from the inside: what a reader fills and a writer reads. */
#ifndef TSR_IO_DATA_H
#define TSR_IO_DATA_H

#include "base/names.h"
#include "matrix/labels.h"
#include "matrix/matrix.h"

/* How features were made; see io/recipe.h. kind NULL: nobody knows. */
typedef struct tsr__recipe {
    char *kind;             /* row of the features table */
    tsr__names setting;     /* "name=value" */
    tsr_matrix *dictionary; /* words x descriptor, or NULL */
    tsr_matrix *weight;     /* 1 x features, or NULL */
} tsr__recipe;

struct tsr_data {
    tsr_matrix *x;
    tsr_labels *labels;       /* or NULL */
    tsr__names sample_names;  /* none, or one a sample */
    tsr__names feature_names; /* none, or one a feature */
    tsr__names notes;         /* what the user should know */
    tsr__recipe recipe;
    const char *format; /* name of the format's row; static */
    char dtype[24];     /* element type in the file */
    char *origin;       /* "faces.mat:fea" */
    int64_t memory;     /* bytes that work on them may take; 0: no limit */
    tsr_team *team;     /* that works on them, or NULL */
    int64_t first;      /* of a rank's share: the first of them, as users count */
};

/* THE SHARE of the memory that samples may take; more of them stay where they are. A fit may copy
 * them twice, and has factors besides. */
static inline bool tsr__memory_holds(int64_t memory, double bytes)
{
    return memory == 0 || bytes <= (double)memory / 4;
}

/* Some samples of `data`, which must outlive them: a copy where memory holds them, else a view. */
tsr_status tsr__data_some(tsr_data **out, const tsr_data *data, const int64_t *sample,
                          int64_t count);

#endif
