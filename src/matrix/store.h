/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Matrices whose values are not in memory: they stay in a file, or are made of another matrix
 * when they are asked for.
 *
 * Such a matrix is like any other but that `values` and `columns` are NULL (the row pointers of a
 * sparse one are there), and that its rows are seen through windows:
 *
 *     tsr_matrix rows;
 *     TSR_TRY(tsr__matrix_window(&rows, x, first, count));
 *
 * A window of a matrix in memory is a slice of it and costs nothing. Whatever walks samples by
 * windows therefore works on both, and there is one copy of it. What cannot go by windows says so
 * with tsr__matrix_need. */
#ifndef TSR_MATRIX_STORE_H
#define TSR_MATRIX_STORE_H

#include "matrix/matrix.h"

/* Where rows come from. `read` puts rows first .. first+count-1, in the matrix's type, into
 * `values` and, where it is sparse, their features into `columns`; any thread calls it, and
 * several at once. `close` frees `held`; NULL: there is nothing to free. */
typedef struct tsr__origin {
    tsr_status (*read)(void *held, const tsr_matrix *x, int64_t first, int64_t count,
                       void *values, int32_t *columns);
    void (*close)(void *held);
    void *held;
    bool slow; /* a thread reads ahead of those that ask, */
    /* but for rows that are had without waiting; NULL: there are none. */
    bool (*near)(void *held, const tsr_matrix *x, int64_t first, int64_t count);
} tsr__origin;

/* A matrix of that origin. `rows` NULL: dense; else its row pointers, which are the matrix's from
 * then on, as `from->held` is; a failure leaves both to the caller. */
tsr_status tsr__matrix_stored(tsr_matrix **out, const tsr__origin *from, int64_t samples,
                              int64_t features, tsr_type type, int64_t *rows);

/* Another matrix of the same samples: they are read from where x reads them, and either may be
 * freed first. Windows of the two are apart. */
tsr_status tsr__matrix_again(tsr_matrix **out, const tsr_matrix *x);

/* The samples of x in another type, or dense, or sparse: a matrix like the one above. */
tsr_status tsr__matrix_recast(tsr_matrix **out, const tsr_matrix *x, tsr_type type,
                              bool sparse);

/* Rows first .. of x, which must outlive them: another matrix, in memory where x is and otherwise read
 * from where x is. */
tsr_status tsr__matrix_slice(tsr_matrix **out, const tsr_matrix *x, int64_t first,
                             int64_t count);

/* Bytes of values and columns that windows and loads of x had from a file so far. */
int64_t tsr__matrix_bytes_read(const tsr_matrix *x);

/* x becomes what `other` is, of which nobody had a window yet, and which is no more then. */
void tsr__matrix_become(tsr_matrix *x, tsr_matrix *other);

/* Rows first .. as a matrix that owns nothing, valid until the next window that the same thread
 * has of x. */
tsr_status tsr__matrix_window(tsr_matrix *out, const tsr_matrix *x, int64_t first,
                              int64_t count);

/* All of it in memory, on so many threads; with the image shape of x. */
tsr_status tsr__matrix_load(tsr_matrix **out, const tsr_matrix *x, int threads);

/* Rows that make a window of about a megabyte. */
int64_t tsr__matrix_window_rows(const tsr_matrix *x);

/* Fails where the values of x are not in memory; `who` needs them there ("k-means"). */
tsr_status tsr__matrix_need(const tsr_matrix *x, const char *who);

static inline bool tsr__matrix_is_stored(const tsr_matrix *x)
{
    return x->store != NULL;
}

/* Frees what a stored matrix has beside its row pointers; matrix.c calls it. */
void tsr__store_free(tsr__store *store);

#endif
