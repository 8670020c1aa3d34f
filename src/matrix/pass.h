/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Passes over samples: blocks times a factor, dense or sparse, and sums whose order is the same
 * for any number of threads.
 *
 * A pass fails only where its source does. Sums are doubles for either type of data: what is
 * added up over all samples is where single precision would lose its digits. */
#ifndef TSR_MATRIX_PASS_H
#define TSR_MATRIX_PASS_H

#include "matrix/block.h"
#include "matrix/gather.h"

/* A sparse block against a factor. */
tsr__gather tsr__block_gather(const tsr__block *block, const void *factor, int64_t k);

/* out (samples x k) = X_b factor (a row a feature of the block), or += where it is not `fresh`;
 * sparse blocks are whole and always fresh. */
void tsr__block_project(void *out, const tsr__block *block, const void *factor, int64_t k,
                        bool fresh);

/* sum (a row a feature of the block) += X_b' codes (samples x k). */
void tsr__block_collect(double *sum, const tsr__block *block, const void *codes, int64_t k);

/* The first failure of what threads did, as its thread told it: messages belong to threads, and the
 * caller's has to be told again. Zero at first; `status` tells the others to go home. */
typedef struct tsr__trouble {
    _Atomic(int) status;
    char message[TSR_MESSAGE_SIZE];
} tsr__trouble;

/* False where `status` is a failure, which is noted. */
bool tsr__went_well(tsr_status status, tsr__trouble *trouble);

/* The failure, of the calling thread's own; TSR_OK where there is none. */
tsr_status tsr__tell_trouble(const tsr__trouble *trouble);

/* Every block once, in any order: what is done with one must not depend on another. */
typedef void (*tsr__visit)(void *context, const tsr__block *block, int thread);
tsr_status tsr__visit_blocks(const tsr__source *source, int threads, tsr__visit visit,
                             void *context);

/* Every chunk of a matrix (matrix.h) once, in pieces of consecutive rows, in order within the chunk;
 * the first of them is row `first` of x. */
typedef void (*tsr__walk)(void *context, const tsr_matrix *rows, int64_t first, int64_t chunk,
                          int thread);
tsr_status tsr__walk_chunks(const tsr_matrix *x, int threads, tsr__walk walk, void *context);

/* The same by the leaves of a share (NULL: by chunks): `chunk` is which of so many parts. What was
 * found of them, `width` doubles each, then joins to the first: in their order, or as the tree of a
 * share has it, and over its team. */
tsr_status tsr__walk_leaves(const tsr_matrix *x, const tsr__share *share, int threads,
                            tsr__walk walk, void *context);
int64_t tsr__walk_parts(const tsr_matrix *x, const tsr__share *share);
tsr_status tsr__walk_total(double *part, int64_t parts, int64_t width, const tsr__share *share);

/* A sum over all blocks. `add` adds one block to a sum of `width` doubles, zero at first. */
typedef void (*tsr__add)(void *context, const tsr__block *block, double *sum, int thread);
typedef struct tsr__sum {
    const tsr__source *source;
    int threads;
    int64_t width;
    double *room; /* tsr__sum_room, or tsr__tiles_room, x width */
    tsr__add add;
    void *context;
    bool own; /* of this rank's samples alone */
} tsr__sum;

/* Threads share the leaves, and ranks what they have of them; the sum stands first in the room. */
tsr_status tsr__sum_leaves(const tsr__sum *sum);

/* The same with room of its own. */
tsr_status tsr__sum_made(double *out, const tsr__source *source, int threads, int64_t width,
                         tsr__add add, void *context);

/* The same of the tiles of each block: threads share the tiles, and each goes through the leaves
 * by itself. `keep` is handed the sum of a tile, whose features and no rows `tile` has. */
typedef void (*tsr__keep)(void *context, const tsr__block *tile, const double *sum);
tsr_status tsr__sum_tiles(const tsr__sum *sum, tsr__keep keep);

/* Sums that are open at once, of leaves and of tiles: log2(leaves) + 1 a thread at most. */
int64_t tsr__sum_room(const tsr__source *source, int threads);
int64_t tsr__tiles_room(const tsr__source *source, int threads);

/* Whole products with a source: out (n x k) = X factor; out (m x k) = X' codes, dense or sparse,
 * with tsr__collect_room(source, k, threads) doubles of room. `make` writes the codes of each block
 * before they are summed, in the same reading unless there are tiles. */
tsr_status tsr__source_project(void *out, const tsr__source *source, const void *factor,
                               int64_t k, int threads);
tsr_status tsr__source_collect(void *out, double *room, const tsr__source *source,
                               const void *codes, int64_t k, int threads);
tsr_status tsr__source_collect_made(void *out, double *room, const tsr__source *source,
                                    const void *codes, int64_t k, int threads, tsr__visit make,
                                    void *context);
int64_t tsr__collect_room(const tsr__source *source, int64_t k, int threads);

#endif
