/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The solver from the inside: a problem that does not change, a state that does, and the terms
 * that act on them. Shapes: X is n x m (rows are samples), basis F is m x k, codes G is n x k;
 * all are row-major arrays of the problem's type ("real" below).
 *
 * A term is a small const struct of functions. It adds its part of the gradient, split into
 * non-negative halves (matrix/kernels.h), to what the others added; the solver never asks which
 * model it runs. */
#ifndef TSR_FACTOR_SOLVER_H
#define TSR_FACTOR_SOLVER_H

#include "base/progress.h"
#include "factor/models.h"
#include "factor/terms.h"
#include "matrix/block.h"
#include "matrix/kernels.h"
#include "matrix/known.h"

typedef struct tsr__solver tsr__solver;
typedef struct tsr__lane tsr__lane;
typedef struct tsr__penalty tsr__penalty;

/* How theta (basis, weights of a concept basis, or codes) moves. */
typedef enum tsr__rule {
    TSR_RULE_MULTIPLY, /* theta (minus / plus)^exponent */
    TSR_RULE_MAJORISE, /* exact minimiser of a separable bound: J never rises */
    TSR_RULE_SIGNED,   /* positive root for kernels of either sign (Xu & Gong 2004) */
    TSR_RULE_DESCEND   /* coordinate descent, row by row; on the sphere column by column */
} tsr__rule;

typedef enum tsr__norm_name { TSR_BASIS_NORM_L1, TSR_BASIS_NORM_L2 } tsr__norm_name;

/* What to do with the scale of the basis after its update. */
typedef enum tsr__scale_rule {
    TSR_SCALE_FREE,    /* leave it */
    TSR_SCALE_BASIS,   /* unit columns, codes as they are: the link papers under `mu` */
    TSR_SCALE_PRODUCT, /* unit columns, codes inversely: F G' is unchanged */
    TSR_SCALE_MODEL /* unit columns are part of the model: J counts what scaling would save */
} tsr__scale_rule;

/* A loss: Frobenius or Kullback-Leibler. */
typedef struct tsr__loss {
    const char *name;
    bool logarithmic; /* its bound is in log theta: see majorise */
    /* Before a pass over the samples, with the basis as it will be; NULL: nothing to do. */
    void (*prepare)(tsr__solver *s);
    /* What the codes of a block need of the data, into the lane's projection. */
    void (*project)(const tsr__solver *s, const tsr__block *block, tsr__lane *lane);
    /* The lane's halves from the projection: the gradient with respect to the block's codes. */
    void (*codes)(const tsr__solver *s, const tsr__block *block, tsr__lane *lane);
    /* Adds the block, with its new codes, to the lane's sums. */
    void (*accumulate)(const tsr__solver *s, const tsr__block *block, tsr__lane *lane);
    /* Sparse data: a block of the turned data into rows of the sums, where accumulate left
     * them out. */
    void (*collect)(tsr__solver *s, const tsr__block *block, int64_t lane);
    /* Halves with respect to the basis, from the summed lanes. */
    void (*basis)(const tsr__solver *s, tsr__halves *halves);
    /* Coordinate descent on the block's codes, with the penalties' slope and bend or NULL; on
     * the rows of a free basis. */
    void (*descend_codes)(const tsr__solver *s, const tsr__block *block, tsr__lane *lane,
                          const void *slope, const void *bend);
    void (*descend_basis)(tsr__solver *s);
    double (*value)(const tsr__solver *s);
} tsr__loss;

/* A map from what is updated to the basis that the loss sees. */
typedef struct tsr__map {
    const char *name;
    /* After theta moved: basis, lift and gram. */
    void (*push)(tsr__solver *s);
    /* Halves with respect to the basis become halves with respect to theta. */
    void (*pull)(tsr__solver *s, tsr__halves *halves);
    /* Coordinate descent on theta; NULL: on the basis itself, by the loss or on the sphere. */
    void (*descend)(tsr__solver *s);
} tsr__map;

/* A penalty on the codes. */
typedef struct tsr__penalty_kind {
    int term;   /* of tsr__term_name */
    int degree; /* scaling the codes by s scales the value by s^degree */
    /* Sums that depend on all codes, made anew; returns the value and adds each column's share.
     */
    double (*refresh)(tsr__penalty *p, const tsr__solver *s, double *columns);
    /* Adds to the halves of rows first .. first+count-1. */
    void (*add)(const tsr__penalty *p, const tsr__solver *s, int64_t first, int64_t count,
                const tsr__halves *halves);
    /* Adds the curvature of a separable upper bound; NULL: the penalty is linear. */
    void (*bend)(const tsr__penalty *p, const tsr__solver *s, int64_t first, int64_t count,
                 void *bend);
} tsr__penalty_kind;

struct tsr__penalty {
    const tsr__penalty_kind *kind;
    double weight, value;       /* of J; links of classes have their own below */
    double must, cannot;        /* links, magnitudes */
    bool reward;                /* must-links as an unbounded reward */
    const tsr_matrix *pairs[2]; /* graph or links as sparse n x n: [0] attract, [1] repel */
    double *degree[2];          /* their row sums, n each */
    void *gathered[2];          /* pairs times codes, n x k */
    double *sums;       /* links of classes: classes x k, then the total, k; graph: lanes x k */
    double *population; /* links of classes: samples a class, then all */
};

/* What one block of samples is worked on with; a lane has one. */
struct tsr__lane {
    void *projection, *weighted; /* block x k */
    tsr__halves halves;          /* block x k each */
    void *bend;                  /* block x k */
    void *tile;                  /* KL, dense: block x m */
    void *collect, *spread;      /* sums: m x k, k x k */
    double *column_sum;          /* KL: k */
    double value;                /* sum of the loss, where it is summed by block */
};

enum { TSR_MOST_PENALTIES = 8, TSR_PANEL = 8 };

struct tsr__solver {
    /* the problem */
    tsr_type type;
    int64_t n, m, k;
    int threads;
    tsr__source source; /* the n rows that the loss sees */
    tsr__source turned; /* sparse: the same times their weights, by feature; else no blocks */
    int64_t longest;    /* entries of a row of either */
    const void *weight; /* real, n: weight of each row; NULL: 1 */
    const double *members;  /* n: samples behind each row (tied codes); NULL: 1 */
    const int32_t *classes; /* n: class of each row or -1; NULL: none */
    int32_t class_count;
    int64_t per_class, shared;        /* basis vectors of a class, and of none (last) */
    const tsr_matrix *missing;        /* n x m sparse: positions without a value; NULL: none */
    const tsr_matrix *missing_turned; /*   the same by feature */
    tsr__source atoms;                /* concept: the samples that span the basis */
    bool kernel;                      /* the data are a kernel: only inner products are known */
    double rho;                       /* size of a sample; see plan.h */
    double square;                    /* sum of weight x^2: Frobenius */
    double constant;                  /* what reduction to groups left out of J */

    /* the choices */
    const tsr__loss *loss;
    const tsr__map *map;
    tsr__rule basis_rule, codes_rule;
    double basis_exponent, codes_exponent;
    tsr__norm_name norm;
    tsr__scale_rule scale;
    bool sphere; /* the basis moves vector by vector on the unit sphere */
    bool lifts;  /* steps that keep zeros end at a floor where the gradient pulls up */
    bool extrapolates;
    bool collects;                  /* passes sum X' G; else it is made when it is needed */
    int basis_sweeps, codes_sweeps; /* of coordinate descent, a pass */
    double decorrelate, basis_lasso, basis_ridge;
    tsr__penalty penalty[TSR_MOST_PENALTIES];
    int penalties;

    /* the state */
    void *basis, *codes;               /* m x k, n x k */
    void *turned_basis, *turned_codes; /* dense KL descent: k rows of each, padded; else NULL */
    void *panel[TSR_LANES];            /*   and some features of all samples, by thread */
    void *plain;            /* n x k: the codes before they were extrapolated; NULL: never */
    double push, run, last; /* how far they are; steps since J last rose; J before */
    bool fresh;             /* no step yet */
    void *weights;          /* concept: atoms x k; else NULL */
    void *lift, *gram;   /* metric times basis (m x k; often the basis itself), F' F (k x k) */
    void *lift_negative; /* kernels of either sign: |K-| W */
    void *gram_negative; /*   W' |K-| W */
    double *columns;     /* k: penalty values by column, degree 1 then degree 2: 2 k */
    double *column_sum;  /* k: F' 1 for KL */
    tsr__halves halves;  /* of the basis: m x k */
    tsr__halves pulled;  /* concept: room for those of the weights, atoms x k */
    tsr__halves theta_halves; /* of what is updated: the one or the other */
    void *atom_lanes;         /* concept: lanes x m x k */
    void *woven, *woven_gram; /*   and the residual of its descent, m x k and k x k, padded */
    void *collect_lanes, *spread_lanes; /* sums by lane */
    double *column_lanes;
    double *work;                /* 2 max(m, k) doubles */
    double *floor;               /* k: of the codes; see lifts */
    void *room[TSR_LANES];       /* of a descent, by lane or thread */
    tsr__known known[TSR_LANES]; /* missing values: of a row's own sums, likewise */
    double penalty_value;
    tsr__lane lane[TSR_LANES];
    int64_t lanes;
};

extern const tsr__loss tsr__loss_frobenius, tsr__loss_kl;
extern const tsr__map tsr__map_free, tsr__map_concept, tsr__map_kernel, tsr__map_signed;
extern const tsr__penalty_kind tsr__penalty_class, tsr__penalty_graph, tsr__penalty_links,
    tsr__penalty_pairs, tsr__penalty_lasso, tsr__penalty_ridge;

/* Lays all workspace out in `arena` (twice; see base/memory.h). */
void tsr__solver_layout(tsr__solver *s, tsr__arena *arena);

/* After basis (or weights) and codes were set: normalises, pushes, accumulates. */
void tsr__solver_start(tsr__solver *s);

/* The sums that an iteration begins with, of the factors as they are. */
void tsr__solver_sum(tsr__solver *s);

/* One iteration: basis, then codes. */
void tsr__solver_step(tsr__solver *s);

/* The terms of J at the current factors, on the original data, and their sum; those that the
 * model does not have are NaN. */
void tsr__solver_terms(double terms[TSR_TERMS], const tsr__solver *s);
double tsr__solver_objective(const tsr__solver *s);

/* X' G (KL: R' G) of the factors as they are, where passes leave it out. */
void tsr__solver_collect(tsr__solver *s);

/* How far from a stationary point, without units: sum of theta |gradient| over the sum of theta
 * (plus + minus), zeros that want to grow counted at their column's mean. Spoils the halves. */
double tsr__solver_optimality(tsr__solver *s);

/* update.c: the steps of both factors, each by its rule. */
void tsr__update_basis(tsr__solver *s);
void tsr__update_codes(tsr__solver *s, const tsr__block *block, tsr__lane *lane);
void tsr__codes_halves(const tsr__solver *s, const tsr__block *block, tsr__lane *lane);
void tsr__basis_halves(tsr__solver *s);
void tsr__fix_scale(tsr__solver *s, tsr__scale_rule scale);
void tsr__refresh(tsr__solver *s);

/* A hundred-millionth of each column's mean (k). */
void tsr__floor_of(const tsr__solver *s, double *floor, const void *theta, int64_t rows);

/* Slope and bend of all on rows first .. of the basis that is not data, for coordinate descent:
 * elastic net, and what longer vectors cost the penalties on the codes. They stand in the
 * basis's halves; both NULL where there is nothing. */
void tsr__basis_bend(tsr__solver *s, int64_t first, int64_t rows, const void **slope,
                     const void **bend);

/* Element i of a real array, and its place in bytes. */
static inline void *tsr__real_at(const tsr__solver *s, const void *array, int64_t i)
{
    return (char *)(uintptr_t)array + (size_t)i * (s->type == TSR_FLOAT64 ? 8u : 4u);
}

static inline double tsr__real_get(const tsr__solver *s, const void *array, int64_t i)
{
    return s->type == TSR_FLOAT64 ? ((const double *)array)[i]
                                  : (double)((const float *)array)[i];
}

static inline void tsr__real_set(const tsr__solver *s, void *array, int64_t i, double value)
{
    if (s->type == TSR_FLOAT64)
        ((double *)array)[i] = value;
    else
        ((float *)array)[i] = (float)value;
}

/* Samples behind row i. */
static inline double tsr__members(const tsr__solver *s, int64_t i)
{
    return s->members != NULL ? s->members[i] : 1;
}

static inline const tsr__kernels *tsr__kernels_for(const tsr__solver *s)
{
    return tsr__kernels_of(s->type);
}

/* Missing values: the factors as the known entries of a sample, or of a feature, see them. */
static inline tsr__known_rows tsr__known_features(const tsr__solver *s)
{
    return (tsr__known_rows){s->type, s->k, s->m, s->basis, NULL, s->missing};
}

static inline tsr__known_rows tsr__known_samples(const tsr__solver *s)
{
    return (tsr__known_rows){s->type, s->k, s->n, s->codes, s->weight, s->missing_turned};
}

/* c (rows x columns) = alpha a (rows x inner) b (inner x columns), row-major and contiguous. */
void tsr__times(const tsr__solver *s, void *c, double alpha, const void *a, const void *b,
                int64_t rows, int64_t columns, int64_t inner);
/* c (k x k) = a' b for a, b of rows x k; added to c where not fresh. */
void tsr__gram(const tsr__solver *s, void *c, const void *a, const void *b, int64_t rows,
               bool fresh);

#endif
