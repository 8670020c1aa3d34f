/* SPDX-License-Identifier: BSD-2-Clause
 *
 * THE PARTS OF A MODEL from the inside: one row a part of struct tsr_model that an archive keeps,
 * and one row a number. Writing, reading, checking, copying and freeing a model walk these tables;
 * the tests that damage archives do, too.
 *
 * Beside them an archive has texts of its own (archive.c). Offsets are those of the struct as
 * this version has it and never reach a file: names do. */
#ifndef TSR_FACTOR_PARTS_H
#define TSR_FACTOR_PARTS_H

#include "factor/model.h"
#include "factor/spec.h"
#include "io/hdf5.h"

/* A length that the model's numbers give: vectors, features, samples, iterations of the model and
 * of a run that is kept apart. ANY is for the solver to compare. */
typedef enum tsr__extent {
    TSR_EXTENT_ONE,
    TSR_EXTENT_K,
    TSR_EXTENT_M,
    TSR_EXTENT_N,
    TSR_EXTENT_STEPS,
    TSR_EXTENT_OWN_STEPS,
    TSR_EXTENT_TERMS, /* those that the model has */
    TSR_EXTENT_ANY
} tsr__extent;

/* Which models something holds for. */
typedef enum tsr__when {
    TSR_NEVER,
    TSR_ALWAYS,
    TSR_WHEN_FREE,     /* the basis is a factor of its own */
    TSR_WHEN_CONCEPT,  /* the basis is made of the samples */
    TSR_WHEN_KERNEL,   /*   in a kernel's space */
    TSR_WHEN_CUTS,     /* samples are weighted as normalised cuts do */
    TSR_WHEN_LABELLED, /* there are labels */
    TSR_WHEN_STEPPED,  /* there were iterations */
    TSR_WHEN_APART,    /* the state is of another run than the model */
    TSR_WHEN_SQUARED   /* the loss sums squares */
} tsr__when;

/* How a part is held at its offset, and the dataset that it becomes: part_kinds.c. */
typedef struct tsr__part tsr__part;
typedef struct tsr__part_kind {
    bool (*is_there)(const tsr__part *part, const tsr_model *model);
    /* a matrix over its numbers that has to be freed, or nothing; where NULL, it has none */
    tsr_status (*view)(tsr_matrix **out, const tsr__part *part, const tsr_model *model);
    /* of the given vectors alone; NULL: another part's business, or none of the copy's */
    tsr_status (*copy)(tsr_model *to, const tsr__part *part, const tsr_model *from,
                       const int64_t *vectors, int64_t count);
    void (*free)(const tsr__part *part, tsr_model *model); /* or NULL, likewise */
    tsr_status (*put)(tsr__hdf5 *file, const tsr__part *part, const tsr_model *model);
    /* of a dataset that is there and has the right type and shape; NULL, likewise */
    tsr_status (*get)(tsr_model *model, const tsr__part *part, const tsr__hdf5 *file);
    bool (*holds)(tsr__element element); /* whether a dataset of such elements is one */
    bool flat;                           /* one dimension, else two */
} tsr__part_kind;

extern const tsr__part_kind tsr__part_matrix, /* tsr_matrix *, float64 or float32 */
    tsr__part_table,                          /* the same, of a run that is kept apart */
    tsr__part_reals,                          /* double * */
    tsr__part_square,                         /* double *, a row and a column a vector */
    tsr__part_labels,                         /* tsr_labels *: positions in the classes */
    tsr__part_classes,                        /* the same tsr_labels *: their names */
    tsr__part_seen,                           /* int32_t *: positions likewise */
    tsr__part_names,                          /* tsr__names */
    tsr__part_state,                          /* tsr__halt_part, float64 or float32 */
    tsr__part_history;                        /* double *, of a run that is kept apart */

struct tsr__part {
    const char *name; /* path in the archive */
    size_t offset;    /* in struct tsr_model */
    const tsr__part_kind *kind;
    tsr__extent rows, columns;
    tsr__when required, non_negative, finite;
    double largest; /* absolute value where squares are summed */
};

extern const tsr__part tsr__parts[]; /* ended by a row without a name */

typedef enum tsr__number_kind {
    TSR_NUMBER_INTEGER, /* int64_t */
    TSR_NUMBER_FLAG,    /* bool */
    TSR_NUMBER_REAL     /* double */
} tsr__number_kind;

typedef struct tsr__number {
    const char *group, *name; /* attribute of the file ("") or of the state */
    size_t offset;            /* in struct tsr_model */
    tsr__number_kind kind;
    double minimum, maximum;
    bool later;   /* the first archives do not have it: 0 */
    bool unknown; /* NaN or infinite where it could not be told: squares that overflow */
} tsr__number;

extern const tsr__number tsr__numbers[]; /* ended by a row without a name */

/* Length of an extent; -1 for any. */
int64_t tsr__extent_of(tsr__extent extent, const tsr_model *model);
bool tsr__when_holds(tsr__when when, const tsr_model *model, const tsr__spec *spec);

/* Refuses a model of which a number is out of its range. */
tsr_status tsr__numbers_check(const tsr_model *model);

/* Refuses a model of which a part is missing, not finite, negative where it must not be or too
 * large to multiply; or whose classes, blocks and vectors do not fit each other. Shapes were
 * compared when it was read. O(values). */
tsr_status tsr__parts_check(const tsr_model *model, const tsr__spec *spec);

#endif
