/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The plan: what the solver will do, chosen once from what is asked and what is given, and
 * constant from then on. It can be printed.
 *
 * Whatever would be an `if` on the model in an inner loop is decided here, once. Only factor
 * sees this header: a plan is no part of a model, which keeps its lines of text. */
#ifndef TSR_FACTOR_PLAN_H
#define TSR_FACTOR_PLAN_H

#include "factor/solver.h"

typedef enum tsr__norm_name { TSR_BASIS_NORM_L1, TSR_BASIS_NORM_L2 } tsr__norm_name;

/* How a rule reads the data: decides what can be streamed or shared by processes. */
typedef enum tsr__reads {
    TSR_READS_SUMS,    /* a block of samples at a time, and sums over them */
    TSR_READS_FEATURE, /* all samples of a feature at a time */
    TSR_READS_SAMPLE   /* sample after sample, each step seeing the one before */
} tsr__reads;

/* What a rule is chosen by. */
typedef struct tsr__choice {
    const tsr__spec *spec;
    const tsr__problem *problem;
    const tsr__plan *plan; /* loss, map, terms, norm and scale as they will be */
} tsr__choice;

/* How a factor moves. */
typedef struct tsr__rule {
    const char *name, *text;
    tsr__reads reads;
    bool descends; /* to the minimum of a row or vector: zeros may grow; else they stay zero */
    bool powers;   /* it has an exponent */
    bool exact;    /* it keeps unit vectors by itself */
    /* NULL where it can be taken, else the reason why not. */
    const char *(*refuses)(const tsr__choice *c);
    void (*basis)(tsr__solver *s);
    void (*codes)(tsr__solver *s, const tsr__block *block, tsr__lane *lane);
    void (*solve)(tsr__solver *s); /* of codes that move when all blocks were seen; else NULL */
} tsr__rule;

/* Rules of each factor in order of preference; the last ones refuse nothing. */
extern const tsr__rule *const tsr__basis_rules[], *const tsr__codes_rules[];

typedef struct tsr__move {
    const tsr__rule *rule;
    double exponent; /* of multiplicative steps */
    int sweeps;      /* of coordinate descent, a pass */
} tsr__move;

struct tsr__plan {
    const tsr__loss *loss;
    const tsr__map *map;
    tsr__term term[TSR_MOST_TERMS]; /* those on the codes first */
    int terms, code_terms;
    int64_t k, per_class, shared; /* basis vectors; of a class, and of none (last) */
    tsr__move basis, codes;
    tsr__norm_name norm;
    tsr__scale_rule scale;
    bool lifts; /* steps that keep zeros end at a floor where the gradient pulls up */
    bool extrapolates;
    bool leads_basis; /* and what is led on are not the codes but theta */
    bool pairs;       /* a term is of pairs of rows, and passes end with their codes at hand */
    bool divides;     /* each rank of a team moves its part of the basis */
    bool collects;    /* passes sum XtG; else it is made when it is needed */
    bool
        projects; /* rows that descend are projected; else they gather what they need themselves */
    int threads;
    int64_t batch;   /* samples that a run begins with; 0: all */
    int64_t leaves;  /* ranges of samples whose sums are joined in a tree, a power of two */
    int64_t tile;    /* features that are worked on at a time; m: all */
    int64_t longest; /* entries of a row, by sample or by feature, that descends; else 0 */
};

/* The rank and the vectors a class that options, labels and data give. */
tsr_status tsr__plan_rank(int64_t *rank, int64_t *per_class, const tsr__spec *spec,
                          const tsr__problem *problem);

/* Cuts the problem for the rank and chooses all else; fails where the loss, or a term, refuses
 * these data. */
tsr_status tsr__plan_make(tsr__plan *out, const tsr__spec *spec, tsr__problem *problem,
                          int64_t rank, int64_t per_class);

/* Bytes that a rank of a team sends in an iteration; 0: there is none. */
double tsr__plan_sends(const tsr__plan *plan, const tsr__problem *problem);

/* One line a factor: rule, norm, sweeps, extrapolation, leaves, threads, passes, bytes. */
enum { TSR_PLAN_LINES = 2, TSR_PLAN_LINE = 240 };
void tsr__plan_show(char lines[TSR_PLAN_LINES][TSR_PLAN_LINE], const tsr__plan *plan,
                    const tsr__problem *problem, int64_t bytes);

/* The norm of basis vectors and what holds it: "L2", "L1, by a price", "none". */
const char *tsr__plan_norm(const tsr__plan *plan);

/* A solver of the plan, without room yet. */
tsr__solver tsr__solver_of(const tsr__plan *plan, const tsr__problem *problem);

/* init.c: sets theta and codes of a laid-out solver. */
tsr_status tsr__init_factors(tsr__solver *s, const tsr__spec *spec, int64_t restart);
/* A line that tells which start the first run takes. */
void tsr__init_show(char *line, size_t size, const tsr__plan *plan, const tsr__spec *spec,
                    const tsr__problem *problem);

/* True when a term ties rows of the basis; when one is of logarithms of the codes. */
bool tsr__plan_couples(const tsr__plan *plan);
bool tsr__plan_logs(const tsr__plan *plan);

/* What stands in state.plain: codes, or theta; NULL where it is the other. */
static inline void *tsr__plain_codes(const tsr__solver *s)
{
    return s->plan->leads_basis ? NULL : s->state.plain;
}

/* Not by its weights, which are not there yet when room is laid out. */
static inline int64_t tsr__plain_rows(const tsr__solver *s)
{
    return !s->plan->leads_basis ? s->n
           : s->plan->map->woven ? s->problem->atoms.samples
                                 : s->m;
}

static inline void *tsr__plain_theta(const tsr__solver *s)
{
    return s->plan->leads_basis ? s->state.plain : NULL;
}

static inline const tsr__term *tsr__terms_end(const tsr__plan *plan)
{
    return plan->term + plan->terms;
}

#endif
