/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Samples that pass through and are not kept: where a reader sends what it reads in place of making
 * a matrix of it, and what a writer then takes them from. In between they lie in files without a
 * name (scratch.h), row by row, in the arrays that they will be written as. */
#ifndef TSR_IO_FLOW_H
#define TSR_IO_FLOW_H

#include "io/scratch.h"
#include "io/spill.h"
#include "matrix/matrix.h"

typedef struct tsr__flow {
    const char *beside;           /* the output */
    int64_t memory;               /* bytes that all of this may take */
    const tsr_progress *progress; /* or NULL */
    bool both_orders;             /* are wanted, which only sparse samples have */

    bool sparse;
    tsr_type type;
    int64_t samples, features, stored;
    int64_t base;                       /* columns count from here: 0, or 1 */
    tsr__scratch values, columns, rows; /* as a tsr_matrix has them; dense: values alone */
    tsr_scan scan;                      /* what is not finite */
    double first_odd;                   /* the first such value */
    tsr__spill *spill;                  /* entries that are not in order yet, or NULL */
} tsr__flow;

/* Whether samples went here at all. */
static inline bool tsr__flow_has(const tsr__flow *flow)
{
    return flow->values.file != 0;
}

/* Shares of the memory. */
static inline int64_t tsr__flow_window(const tsr__flow *flow)
{
    const int64_t share = flow->memory / 32;
    return share < 64 ? 64 : share > 1 << 22 ? 1 << 22 : share;
}

static inline int64_t tsr__flow_longest(const tsr__flow *flow)
{
    return flow->memory / 8;
}

/* Whole samples in their order. `features` of dense ones is given here, of sparse ones in the end. */
tsr_status tsr__flow_begin(tsr__flow *flow, bool sparse, tsr_type type, int64_t features);
tsr_status tsr__flow_dense(tsr__flow *flow, const void *values, int64_t samples);

/* Those of `rows`, whose columns may be in any order; the arrays are tidied in place. */
tsr_status tsr__flow_sparse(tsr__flow *flow, int64_t samples, int64_t *rows, int32_t *columns,
                            void *values);

/* Entries in any order of a matrix of that shape, begun as above; those of one place are summed, or of
 * a dense matrix set. The samples are there after tsr__flow_sorted. */
tsr_status tsr__flow_sort(tsr__flow *flow, int64_t samples, int64_t features);
static inline tsr_status tsr__flow_entry(tsr__flow *flow, int64_t row, int64_t column,
                                         double value)
{
    return tsr__spill_add(flow->spill, row * flow->features + column, value);
}
tsr_status tsr__flow_sorted(tsr__flow *flow);

/* Nothing follows: the number of features of sparse samples, and what their first column is
 * called. *out (if not NULL) becomes a matrix of that shape and type without any values. */
tsr_status tsr__flow_end(tsr_matrix **out, tsr__flow *flow, int64_t features, int64_t base);

/* Sparse samples by feature, as another flow, in the memory of the first: those that it has, or
 * where it has none those of x, window by window. */
tsr_status tsr__flow_turn(tsr__flow *out, const tsr__flow *flow, const tsr_matrix *x);

/* Refuses dense samples, of which both orders would be the same numbers twice. */
tsr_status tsr__check_orders(bool both, bool sparse);

void tsr__flow_clear(tsr__flow *flow);

#endif
