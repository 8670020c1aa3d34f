/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Labels from the inside. */
#ifndef TSR_MATRIX_LABELS_H
#define TSR_MATRIX_LABELS_H

#include "base/memory.h"
#include "base/status.h"

struct tsr_labels {
    int64_t count;   /* samples */
    int32_t *of;     /* class of each, -1 unknown */
    int32_t classes; /* names that somebody has */
    char **name;     /* in natural order, none twice */
};

/* Like tsr_labels_from_numbers; `minus_one` says that -1 is a class, as in .svm files of two
 * classes. */
tsr_status tsr__labels_from_numbers(tsr_labels **out, const double *number, int64_t count,
                                    bool minus_one);

/* From class numbers 0 .. classes-1 (others: unknown) and their names, which are sorted. */
tsr_status tsr__labels_from_names(tsr_labels **out, const int32_t *of, int64_t count,
                                  const char *const *name, int32_t classes);

/* True when every class name is a number: writers then write numbers. */
bool tsr__labels_are_numbers(const tsr_labels *labels);

/* The number that is the name of sample i's class (see above), NaN where it is unknown. */
double tsr__labels_number(const tsr_labels *labels, int64_t i);

/* Sorts numbers of samples by class, those of none last, and by number within a class; where
 * `labels` is NULL, by number alone. */
void tsr__labels_sort(int64_t *sample, int64_t count, const tsr_labels *labels);

#endif
