/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The problem: the data as the solver sees them. Given, and constant once it is made.
 *
 * A problem has all labels and all that is known of samples by their numbers, but in a team the
 * values of its own rows alone; arrays of rows (codes, weights, members) are of these.
 *
 * Sources point into `held` and at the shares, so that a problem must stay where it was cut, and
 * outlive its solver. Where
 * codes are tied, "row" is a group and "sample" is not; where there is a kernel, rows are those
 * of K and m is the number of samples. */
#ifndef TSR_FACTOR_PROBLEM_H
#define TSR_FACTOR_PROBLEM_H

#include "factor/prepared.h"
#include "factor/spec.h"
#include "matrix/block.h"

/* Matrices that the sources below read, and that have to be freed again. */
typedef struct tsr__held {
    tsr_matrix *own; /* samples of this rank as they are, where those are not all; or NULL */
    const tsr_matrix *x; /* own samples as prepared: type, norms, weights, no missing values */
    tsr_matrix *owned;   /* the same where it had to be copied */
    tsr_matrix *kernel;  /* samples x samples, or NULL */
    tsr_matrix *reduced; /* tied: one row a group, or NULL */
    tsr_matrix *groups;  /*   the means of the classes, where that is no copy */
    const tsr_matrix *turned; /* sparse: the rows times their weights, by feature; or NULL */
    tsr_matrix *turned_owned; /* the same where the user's matrix did not have it */
    double *scale;            /* ncw: sum of the samples, m; new ones are weighed against it */
    double kernel_width;
} tsr__held;

/* What the learner is told of classes. */
typedef struct tsr__classes {
    int32_t count;
    int32_t *seen;      /* class of each sample that the learner sees, or -1 */
    int32_t *of_row;    /* the same a row */
    double *population; /* samples that are seen of each class, then of all */
} tsr__classes;

/* Rows of other ranks that own rows are paired with, and who wants which of one's own. Columns of
 * pairs are places in one array: `before` rows of lower ranks, the own ones, `after` of higher ones,
 * each in their order, so that columns ascend as the rows of all do. */
typedef struct tsr__halo {
    int64_t before, after;
    int64_t *wanted; /* of each rank: how many rows it sends */
    int64_t *sent;   /* to each rank: how many */
    int64_t *row;    /*   own rows, those for rank 0 first */
} tsr__halo;

/* Pairs of rows, each as a sparse matrix over the rows and its row sums. */
typedef struct tsr__pairs {
    tsr_matrix *graph, *attract, *repel;
    double *graph_degree, *attract_degree, *repel_degree;
    int64_t entries; /* of the graph, all ranks' */
    bool reward;     /* must-links as an unbounded reward, for these and for labelled samples */
    tsr__halo
        halo; /* rows of others that these have to do with; columns count from its first */
} tsr__pairs;

typedef struct tsr__problem {
    tsr_type type;
    bool streams;              /* rows are read once a pass, in their order, and in no other */
    int64_t samples, features; /* of the data */
    tsr_image_shape image;     /* of a sample; height 0: it is no picture */
    tsr__share share; /* of the samples, and of the rows: who has which, and their leaves; */
    tsr__share rows;  /*   without leaves where rows are not streamed (`streams`) */
    int64_t n, m;     /* own rows that the loss sees (tied: groups), and their length */
    tsr__source by_sample;  /* the n rows */
    tsr__source by_feature; /* sparse: the same times their weights, turned; else no blocks */
    tsr__source
        by_leaf; /* own rows turned, without weights, for sums over leaves; else no blocks */
    tsr__source atoms;                    /* concept: the samples that span the basis */
    void *weight;                         /* real, n: weight of each row; NULL: 1 */
    double *members;                      /* n: samples behind each row (tied codes); NULL: 1 */
    int64_t *row_of;                      /* row of each sample, of all */
    tsr_matrix *missing, *missing_turned; /* positions without a value, and by feature */
    tsr__classes classes;
    tsr__pairs pairs;
    double constant, square; /* of J: what groups left out; what the data alone add */
    tsr__survey survey;      /* of the samples as prepared */
    double filled;           /* share of the entries that are stored */
    double rho;              /* size of a sample: root mean square length (KL: mean sum) */
    tsr__held held;
    tsr__names *notes;
} tsr__problem;

/* `notes` stays the caller's; what is found on the way is added to it, also by the plan. */
tsr_status tsr__problem_make(tsr__problem *out, const tsr__spec *spec, const tsr_data *data,
                             tsr__names *notes);

static inline tsr_team *tsr__problem_team(const tsr__problem *problem)
{
    return problem->share.team;
}

/* The share that sums over the samples, or over rows, are cut by; NULL: none. */
static inline const tsr__share *tsr__cut_by(const tsr__share *share)
{
    return share->leaf != NULL ? share : NULL;
}

/* Sources, cut into blocks that suit factors of this rank. */
tsr_status tsr__problem_cut(tsr__problem *problem, const tsr__spec *spec, int64_t rank);
void tsr__problem_clear(tsr__problem *problem);

/* prepare.c; and sums of what entries of own rows add to a loss by themselves, over all rows */
tsr_status tsr__prepare_values(tsr__problem *p, const tsr__spec *spec, const tsr_data *data);
tsr_status tsr__sum_own(double *out, const tsr_matrix *x, const void *weight,
                        const tsr__share *share, double (*own)(double x), int64_t threads);
/* tied.c: groups of samples that share a code */
tsr_status tsr__tie_samples(tsr__problem *p, const tsr__spec *spec);
/* pairs.c: graph and links over the rows */
tsr_status tsr__make_pairs(tsr__problem *p, const tsr__spec *spec);
/* ring.c: the graph of neighbours, a rank's samples by all; entries go to who has their row, and are
 * sorted there by row, column and `order`; the rows that matrices (or NULL) of pairs have in their
 * columns, which become places */
typedef struct tsr__pair {
    int64_t row, column, order;
    double value, beside;
} tsr__pair;
tsr_status tsr__ring_graph(tsr_matrix **out, const tsr_matrix *own, const tsr__share *share,
                           const tsr_fit_options *options);
tsr_status tsr__pairs_home(tsr__pair **pairs, int64_t *count, const tsr__share *share);
tsr_status tsr__make_halo(tsr__halo *halo, tsr_matrix *const *pairs, int matrices,
                          const tsr__share *rows);
/* kernel.c: the kernel matrix of the samples, and the width it took; products x.y (rows x
 * columns) of samples whose squares are xx and yy become kernel values */
tsr_status tsr__kernel_matrix(tsr_matrix **out, const tsr_matrix *x,
                              const tsr_fit_options *options, double *width);
void tsr__kernel_apply(void *values, tsr_type type, int64_t rows, int64_t columns,
                       const double *xx, const double *yy, const tsr_fit_options *options,
                       double width);

#endif
