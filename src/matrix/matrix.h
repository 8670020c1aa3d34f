/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The matrix from the inside: n samples as rows, m features as columns, dense or CSR. */
#ifndef TSR_MATRIX_MATRIX_H
#define TSR_MATRIX_MATRIX_H

#include "base/memory.h"
#include "base/status.h"

typedef struct tsr__store tsr__store;

struct tsr_matrix {
    int64_t samples, features;
    int64_t stride; /* dense: values from one row to the next */
    tsr_type type;
    bool sparse;
    tsr_image_shape image;
    void *values;                   /* dense: samples x stride; sparse: rows[samples] of them */
    int64_t *rows;                  /* sparse: samples + 1 positions, rows[0] = 0 */
    int32_t *columns;               /* sparse: ascending within a row, none twice */
    void (*release)(tsr_matrix *x); /* frees the arrays; NULL: they belong to somebody else */
    void *held;                     /* what release needs besides, such as a mapped file */
    bool constant;                  /* the caller's: never to be written */
    tsr_matrix *turned;             /* sparse: the same by feature, or NULL; owned */
    tsr__store *store; /* NULL; else values and columns are there by windows only (store.h) */
};

size_t tsr__type_size(tsr_type type);
const char *tsr__type_name(tsr_type type); /* "float64" */

/* Takes arrays from tsr__alloc: on success they belong to the matrix, on failure still to the
 * caller. A taken sparse matrix must be well formed; see tsr__sparse_tidy. */
tsr_status tsr__matrix_take_dense(tsr_matrix **out, void *values, int64_t samples,
                                  int64_t features, tsr_type type);
tsr_status tsr__matrix_take_sparse(tsr_matrix **out, int64_t *rows, int32_t *columns,
                                   void *values, int64_t samples, int64_t features,
                                   tsr_type type);

/* An owned sparse matrix with room for `stored` values and zeroed row pointers. */
tsr_status tsr__matrix_create_rows(tsr_matrix **out, int64_t samples, int64_t features,
                                   int64_t stored, tsr_type type);

/* Refuses row pointers that do not begin with 0 or that fall. */
tsr_status tsr__check_pointers(const int64_t *rows, int64_t samples);

/* Sorts each row by column, sums entries of one position, drops zeros: in place. `rows` must be
 * ascending and columns in range. O(non-zeros) when the rows are sorted already. */
tsr_status tsr__sparse_tidy(int64_t samples, int64_t *rows, int32_t *columns, void *values,
                            tsr_type type);

/* The image shape to assume of `features` pixels when nobody says: a square of at least 8 x 8,
 * in `order`; height 0 where it is not a square. */
tsr_image_shape tsr__image_guess(int64_t features, tsr_image_order order);

/* The values of sample i stand at begin .. end-1; the one at `at` is of feature .. */
static inline int64_t tsr__row_begin(const tsr_matrix *x, int64_t i)
{
    return x->sparse ? x->rows[i] : i * x->stride;
}

static inline int64_t tsr__row_end(const tsr_matrix *x, int64_t i)
{
    return x->sparse ? x->rows[i + 1] : i * x->stride + x->features;
}

static inline int64_t tsr__row_feature(const tsr_matrix *x, int64_t i, int64_t at)
{
    return x->sparse ? x->columns[at] : at - i * x->stride;
}

/* Brings the values of one sample to unit norm; those that are all zero stay. */
void tsr__normalize_row(void *values, tsr_type type, int64_t count, tsr_norm norm);

/* Squared L2 norm of sample i. */
double tsr__row_square(const tsr_matrix *x, int64_t i);

/* Passes over all samples go by chunks of consecutive ones, `first` .. `end`-1, which depend on
 * the matrix alone: what they find, joined in their order, is the same for any number of
 * threads. tsr__matrix_threads: how many of `wanted` (0: all processors) pay for one pass. */
enum { TSR_CHUNKS_MOST = 1024 };

typedef struct tsr__chunk {
    int64_t first, end;
} tsr__chunk;

int64_t tsr__matrix_chunks(const tsr_matrix *x);
tsr__chunk tsr__matrix_chunk(const tsr_matrix *x, int64_t item);
int tsr__matrix_threads(const tsr_matrix *x, int64_t wanted);

/* All that one pass shows: a scan, and what the size of data is made of. Sums are of finite
 * values. O(stored), on `threads` (0: all processors). */
typedef struct tsr__survey {
    tsr_scan scan;
    double magnitudes, squares; /* summed over all values */
    double most;                /* the largest sum of squares of a sample */
} tsr__survey;

tsr_status tsr__matrix_survey(tsr__survey *out, const tsr_matrix *x, int64_t threads);

/* tsr_matrix_check by a scan that is there already. */
tsr_status tsr__scan_check(const tsr_scan *scan, const tsr_matrix *x, int needs,
                           const char *subject);

/* The same of NaN and infinity alone, where `first` is the first such value. */
/* The same of samples that are those from `begin` on of what the user gave. */
tsr_status tsr__scan_check_from(const tsr_scan *scan, const tsr_matrix *x, int64_t begin,
                                int needs, const char *subject);
tsr_status tsr__scan_check_finite(const tsr_scan *scan, double first, int needs,
                                  const char *subject);

/* sum_i weight_i |x_i|^2; the weights are of x's type, NULL: all 1. */
tsr_status tsr__matrix_squares(double *out, const tsr_matrix *x, const void *weight,
                               int64_t threads);

/* tsr_matrix_copy_transposed on `threads` (0: all processors). */
tsr_status tsr__matrix_transpose(tsr_matrix **out, const tsr_matrix *x, int64_t threads);

/* Refuses samples of which no distances are known: where the square of one of x or y (may be
 * NULL), `times` over, is beyond the largest number, or where the squares of all vanish. *most
 * (may be NULL) gets the largest square. */
tsr_status tsr__check_squares(double *most, const tsr_matrix *x, const tsr_matrix *y,
                              double times);

static inline double tsr__value_at(const void *values, tsr_type type, int64_t at)
{
    return type == TSR_FLOAT64 ? ((const double *)values)[at]
                               : (double)((const float *)values)[at];
}

static inline void tsr__value_set(void *values, tsr_type type, int64_t at, double value)
{
    if (type == TSR_FLOAT64)
        ((double *)values)[at] = value;
    else
        ((float *)values)[at] = (float)value;
}

#endif
