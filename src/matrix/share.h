/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Who has which samples, and where sums over them are cut.
 *
 * Samples are cut into leaves of equally many entries, in number a power of two that the data alone
 * give; a rank of a team has as many of them as any other, one after another. So its sums are a
 * subtree of those of one process that has all (matrix/pass.h), and the same to the last bit where the
 * ranks divide the leaves. Where they do not, each has a power of two of leaves of its own. */
#ifndef TSR_MATRIX_SHARE_H
#define TSR_MATRIX_SHARE_H

#include "matrix/matrix.h"

typedef struct tsr__share {
    tsr_team *team;       /* or NULL */
    int64_t whole;        /* rows that there are */
    int64_t entries;      /*   and what is stored of them */
    int64_t first, count; /* those of this rank */
    int64_t leaves;       /* of this rank */
    int64_t most;         /* rows of a leaf, anybody's */
    int64_t *leaf;        /* leaves + 1: own rows with which they begin */
    int64_t *begin;       /* ranks + 1: rows with which ranks begin */
} tsr__share;

/* Of the samples of x, of which only the row pointers are looked at. */
tsr_status tsr__share_make(tsr__share *out, const tsr_matrix *x, tsr_team *team);

/* Of rows that samples become, in the same leaves: `rows_before(context, i)` of them come from the
 * samples before i. */
tsr_status tsr__share_map(tsr__share *out, const tsr__share *samples,
                          int64_t (*rows_before)(const void *context, int64_t sample),
                          const void *context);
/* A survey of all samples, x being those of this rank (NULL: x are all). */
tsr_status tsr__share_survey(tsr__survey *out, const tsr_matrix *x, const tsr__share *share,
                             int64_t threads);

void tsr__share_clear(tsr__share *share);

/* Rows of `bytes` each, those of all ranks in their order; `out` has all of them. */
tsr_status tsr__share_gather(void *out, const void *own, const tsr__share *share,
                             int64_t bytes);

/* Whose row it is. */
int tsr__share_owner(const tsr__share *share, int64_t row);

#endif
