/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Arrays as container files hold them (any element type, byte order, memory order, up to four
 * dimensions) and their way into matrices and labels; and the choice of the right one among the
 * variables of a file. */
#ifndef TSR_IO_ARRAY_H
#define TSR_IO_ARRAY_H

#include "base/bound.h"
#include "base/text.h"
#include "io/data.h"

typedef enum tsr__element {
    TSR_ELEMENT_NONE, /* not numbers and not text */
    TSR_ELEMENT_BOOL,
    TSR_ELEMENT_INT8,
    TSR_ELEMENT_INT16,
    TSR_ELEMENT_INT32,
    TSR_ELEMENT_INT64,
    TSR_ELEMENT_UINT8,
    TSR_ELEMENT_UINT16,
    TSR_ELEMENT_UINT32,
    TSR_ELEMENT_UINT64,
    TSR_ELEMENT_FLOAT16,
    TSR_ELEMENT_FLOAT32,
    TSR_ELEMENT_FLOAT64,
    TSR_ELEMENT_BYTES, /* text of `item` bytes, padded with zeros */
    TSR_ELEMENT_UCS4   /* text of `item` / 4 code points, padded with zeros */
} tsr__element;

typedef struct tsr__array {
    tsr__element element;
    bool swapped; /* in the other byte order */
    int64_t item; /* bytes an element */
    int rank;     /* dimensions, 0 .. 4 */
    int64_t shape[4];
    bool column_major; /* first index runs fastest */
    void *data;        /* need not be aligned */
    int64_t bytes;     /* how many there are behind data */
} tsr__array;

int64_t tsr__element_size(tsr__element element);     /* 0 for texts */
const char *tsr__element_name(tsr__element element); /* "uint8" */

/* What numbers are read as: float32 stays, all else becomes float64. */
tsr__element tsr__element_real(tsr__element element);

/* Product of the shape; fails where it overflows or where `bytes` does not hold that many. */
tsr_status tsr__array_count(int64_t *out, const tsr__array *array);

/* Whether the array and the doubles or texts that are made of it are within the bound. */
tsr_status tsr__array_check_bound(const tsr__array *array, const tsr__bound *bound);

/* What the dimensions of samples mean. */
typedef struct tsr__meaning {
    int64_t samples, features;
    tsr_image_shape image;
    bool turned; /* the samples lie across memory */
} tsr__meaning;

/* Refuses what are no samples. */
tsr_status tsr__array_understand(tsr__meaning *out, const tsr__array *array);

/* Elements first .. first+count-1 in memory order, as doubles, `step` doubles apart. */
void tsr__array_get(double *out, int64_t step, const tsr__array *array, int64_t first,
                    int64_t count);

/* One sample a row: 1-d is one feature a sample; 3-d row-major (n, h, w) and column-major
 * (h, w, n) are stacks of pictures and set the image shape. float32 stays float32, all else
 * becomes float64. */
tsr_status tsr__array_to_matrix(tsr_matrix **out, const tsr__array *array);

/* The same of data from tsr__alloc, which are used as they are where they can be; taken. */
tsr_status tsr__array_take_matrix(tsr_matrix **out, tsr__array *array);

/* A vector of numbers or texts. */
tsr_status tsr__array_to_labels(tsr_labels **out, const tsr__array *array);

/* The texts of a text array, as UTF-8 and up to the first zero, added to `out`. */
tsr_status tsr__array_to_names(tsr__names *out, const tsr__array *array);

/* Labels from class numbers; refuses what a double does not hold exactly. */
tsr_status tsr__numbers_to_labels(tsr_labels **out, const double *number, int64_t count);

/* A sparse matrix as files hold it. By rows (CSR): the entries of row i stand at
 * start[i] .. start[i+1]-1, index is the column. By columns (CSC): the same of columns. By
 * entries (COO): start is the row and index the column of each. */
typedef enum tsr__layout { TSR_BY_ROWS, TSR_BY_COLUMNS, TSR_BY_ENTRIES } tsr__layout;

typedef struct tsr__compressed {
    tsr__layout layout;
    int64_t shape[2];
    tsr__array start, index, values;
    const tsr__bound *bound; /* of the file; NULL: a thousand rows an entry, and a million */
} tsr__compressed;

/* Whether the three arrays go together, of which no element is looked at; *entries are as many as
 * all of them have. */
tsr_status tsr__compressed_check(int64_t *entries, const tsr__compressed *from);

/* Checks everything, sorts, sums what is there twice. float32 stays float32, all else becomes
 * float64. O(shape[0] + entries). */
tsr_status tsr__compressed_to_matrix(tsr_matrix **out, const tsr__compressed *from);

/* What a container lists of a variable. */
typedef struct tsr__variable {
    const char *name;
    tsr__element element; /* of a sparse matrix: of its values */
    bool sparse;
    int64_t stored; /* of a sparse matrix: entries, where they were counted */
    int rank;
    int64_t shape[4];
    bool column_major; /* of three dimensions the last counts the samples */
} tsr__variable;

bool tsr__element_is_text(tsr__element element);

/* Elements of a variable, 0 where that does not fit; length where it is a vector, else -1;
 * samples, if it were taken as such. */
int64_t tsr__variable_count(const tsr__variable *variable);
int64_t tsr__variable_length(const tsr__variable *variable);
int64_t tsr__variable_samples(const tsr__variable *variable);

/* "fea (400 x 1024 uint8), gnd (400 x 1 float64)" */
void tsr__variables_list(tsr__line *line, const tsr__variable *variable, int count);

/* Finds the samples (`wanted`, or fea / X / x / data, or the one matrix there is) and their
 * labels (gnd / y / Y / labels / label beside them, else -1) among `count` variables. Fails
 * with a list of what is there. */
tsr_status tsr__pick_samples(int *samples, int *labels, const tsr__variable *variable,
                             int count, const char *wanted);

/* The vector that has a name of labels beside `samples` and another length, or -1. */
int tsr__pick_misfit(const tsr__variable *variable, int count, int samples);

/* Finds the labels alone. */
tsr_status tsr__pick_labels(int *labels, const tsr__variable *variable, int count,
                            const char *wanted);

#endif
