/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A plan: the model's row and the user's options, resolved into what the solver will do; and
 * the problem: the data as the solver sees them. */
#ifndef TSR_FACTOR_PLAN_H
#define TSR_FACTOR_PLAN_H

#include "factor/prepared.h"
#include "factor/solver.h"

typedef struct tsr__plan {
    const tsr__model_row *row;
    const tsr_fit_options *options;
    tsr__loss_name loss;
    tsr__basis_name basis;
    tsr__codes_name codes;
    tsr__weights weights; /* all resolved */
    tsr__unit unit;
    bool mu, ncw;
    tsr_type type;
} tsr__plan;

tsr_status tsr__plan_make(tsr__plan *out, const tsr_fit_options *options);

/* True when the plan needs classes of samples. */
bool tsr__plan_needs_labels(const tsr__plan *plan);

/* The data as the solver sees them, and all that has to be freed again. */
typedef struct tsr__problem {
    const tsr_matrix *x; /* samples as prepared: type, norms, weights, no missing values */
    tsr_matrix *owned;   /* the same where it had to be copied */
    tsr_matrix *missing; /* positions of missing values */
    tsr_matrix *missing_turned; /*   by feature */
    tsr_matrix *kernel;         /* samples x samples, or NULL */
    tsr_matrix *reduced;        /* tied: one row a group, or NULL */
    tsr_matrix *turned; /* sparse: the rows times their weights, features as rows; or NULL */
    tsr_matrix *graph, *attract, *repel; /* rows x rows */
    double *scale;     /* ncw: sum of the samples, m; new ones are weighed against it */
    double *degree[3]; /* row sums of graph, attract, repel */
    double *members, *population;
    void *weight;       /* real, rows */
    int32_t *seen;      /* class of each sample that the learner sees, or -1 */
    int32_t *row_class; /* the same a row */
    int64_t *row_of;    /* row of each sample */
    int64_t rows, samples, features;
    int32_t classes;
    double constant, square; /* of J: what groups left out; what the data alone add */
    double rho;              /* root mean square length (KL: mean sum) of the samples */
    double kernel_width;
    tsr__names *notes;
} tsr__problem;

tsr_status tsr__problem_make(tsr__problem *out, const tsr__plan *plan, const tsr_data *data,
                             tsr__names *notes);
void tsr__problem_clear(tsr__problem *problem);

/* prepare.c */
tsr_status tsr__prepare_values(tsr__problem *p, const tsr__plan *plan, const tsr_data *data);
tsr_status tsr__prepare_samples(tsr__problem *p, const tsr__plan *plan, const tsr_data *data);
/* tied.c: groups of samples that share a code */
tsr_status tsr__tie_samples(tsr__problem *p, const tsr__plan *plan);
/* pairs.c: graph and links over the rows */
tsr_status tsr__make_pairs(tsr__problem *p, const tsr__plan *plan);
/* kernel.c: the kernel matrix of the samples, and the width it took; products x.y (rows x
 * columns) of samples whose squares are xx and yy become kernel values */
tsr_status tsr__kernel_matrix(tsr_matrix **out, const tsr_matrix *x,
                              const tsr_fit_options *options, double *width);
void tsr__kernel_apply(void *values, tsr_type type, int64_t rows, int64_t columns,
                       const double *xx, const double *yy, const tsr_fit_options *options,
                       double width);

/* The elastic net on the codes as terms of J: lasso sum G + ridge / 2 ||G||^2. */
void tsr__plan_elastic(double *lasso, double *ridge, const tsr__plan *plan, int64_t features);

/* The rank and the vectors a class that options, labels and data give. */
tsr_status tsr__plan_rank(int64_t *rank, int64_t *per_class, const tsr__plan *plan,
                          const tsr__problem *problem);

/* Fills the solver's problem and choices. */
void tsr__solver_configure(tsr__solver *s, const tsr__plan *plan, const tsr__problem *problem,
                           int64_t rank, int64_t per_class);

/* init.c: whether a start has this name, or may be a file of it. */
tsr_status tsr__init_check(const char *name);

/* Sets basis (or weights) and codes of a laid-out solver. */
tsr_status tsr__init_factors(tsr__solver *s, const tsr__plan *plan, const tsr__problem *problem,
                             int64_t restart);

#endif
