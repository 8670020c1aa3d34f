/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Passes over samples: blocks times a factor, dense or sparse, and the lanes that keep sums the
 * same for any number of threads. */
#ifndef TSR_MATRIX_PASS_H
#define TSR_MATRIX_PASS_H

#include "matrix/block.h"
#include "matrix/gather.h"

/* A sparse block against a factor. */
tsr__gather tsr__block_gather(const tsr__block *block, const void *factor, int64_t k);

/* out (samples x k) = X_b factor (features x k). */
void tsr__block_project(void *out, const tsr__block *block, const void *factor, int64_t k);

/* sum (features x k) += X_b' codes (samples x k), or = where `fresh`. */
void tsr__block_collect(void *sum, const tsr__block *block, const void *codes, int64_t k,
                        bool fresh);

/* Blocks are dealt to lanes in turn; each lane's blocks run in order on one thread. */
typedef void (*tsr__visit)(void *context, const tsr__block *block, int64_t lane);
int64_t tsr__lane_count(const tsr__source *source);
void tsr__visit_blocks(const tsr__source *source, int threads, tsr__visit visit, void *context);

/* Lane sums (lanes x count, one after another) added up into the first, in order. */
void tsr__lanes_sum(void *lanes, int64_t count, int64_t lane_count, tsr_type type, int threads);

/* Whole products with a source: out (n x k) = X factor; out (m x k) = X' codes with `lanes`
 * (lane_count x m x k) as workspace, whose first lane is the result. */
void tsr__source_project(void *out, const tsr__source *source, const void *factor, int64_t k,
                         int threads);
void tsr__source_collect(void *lanes, const tsr__source *source, const void *codes, int64_t k,
                         int threads);

#endif
