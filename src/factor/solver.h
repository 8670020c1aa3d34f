/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The solver from the inside: four things, and the terms and rules that act on them.
 *
 *     problem   what is given: the data as rows, what is known of them (problem.h)      constant
 *     plan      what was chosen: loss, map, terms, a rule for each factor (plan.h)      constant
 *     state     what an iteration changes: factors, and the sums that belong to them
 *     work      room to do it in, empty between two steps
 *
 * Words, one for each thing:
 *
 *     X      the data, n rows (samples, or groups of them) of m features
 *     F      the basis, m x k; G the codes, n x k; all arrays are row-major, of the problem's type
 *     W      concept: weights, atoms x k, with F = X' W. theta is what moves: W, or else F
 *     lift   F as gradients see it: F itself, with a kernel K W
 *     gram   F' F, with a kernel W' K W. With signs, lift and gram are the positive halves and
 *            `anti_lift`, `anti_gram` what is taken off them
 *     XtG    X' w G, m x k: what the basis needs of the data (KL: R' w G with R = X / (G F'))
 *     GtG    G' w G, k x k;  Gt1 = G' w, k;  Ft1 = F' 1, k
 *     totals those sums as blocks, leaves and tiles made them, in doubles (matrix/pass.h);
 *     sums   the same in the problem's type, as steps read them
 *     lane   what one thread works on its blocks of samples with
 *     price  what a longer basis vector would cost the terms on the codes (scale.c)
 *     halves the parts of a gradient by how they grow with the step, each >= 0 (kernels.h)
 *     plain  the codes as their step left them, before they were led on (extrapolated); where a
 *            plan leads theta on in their place, that
 *
 * A term is a const struct of functions. It adds its part of the gradient to what the others
 * added; nobody asks which model runs, or which term it is.
 *
 * What the laws of tests/test_law_*.c hold all of it to: halves whose difference is the
 * gradient of J (gradient), steps outside `mu` that never raise J (descent), the same bits for
 * any number of threads (bits), for a fit that was stopped and resumed (resume) and for data in
 * another unit (unit). Hence the constants that look arbitrary are shares of columns' means or
 * of the data's size, never numbers with a unit. */
#ifndef TSR_FACTOR_SOLVER_H
#define TSR_FACTOR_SOLVER_H

#include "factor/problem.h"
#include "factor/terms.h"
#include "matrix/kernels.h"
#include "matrix/known.h"

struct tsr__row;
struct tsr__row_entries;
typedef struct tsr__solver tsr__solver;
typedef struct tsr__plan tsr__plan;
typedef struct tsr__lane tsr__lane;
typedef struct tsr__term tsr__term;

/* What to do with the scale of the basis after its update. */
typedef enum tsr__scale_rule {
    TSR_SCALE_FREE,    /* leave it */
    TSR_SCALE_BASIS,   /* unit columns, codes as they are: the link papers under `mu` */
    TSR_SCALE_PRODUCT, /* unit columns, codes inversely: F G' is unchanged */
    TSR_SCALE_MODEL /* unit columns are part of the model: J counts what scaling would save */
} tsr__scale_rule;

/* State ----------------------------------------------------------------------------------- */

/* The basis as gradients and lengths see it. Kept beside the basis because every step of the
 * codes and every value asks for it: F' F takes m k^2, and is made once for each move of the
 * basis. */
typedef struct tsr__metric {
    double *exact, *exact_anti;  /* both gram matrices in doubles, for values and lengths */
    void *lift, *gram;           /* in double precision the same memory */
    void *anti_lift, *anti_gram; /* kernels of either sign; else NULL */
    double *Ft1;
} tsr__metric;

/* Sums over the samples, or over some of them, in doubles: differences of these are what J is,
 * and a float's seven digits would not show what a step gains. */
typedef struct tsr__totals {
    double *XtG; /* NULL: turned data give the sums themselves */
    double
        *YtG; /* NULL but for losses whose pull down is no sum of F or G alone: that, m x k */
    double *GtG, *Gt1;
    double *loss; /* what blocks found of it */
} tsr__totals;

/* What steps read of them: in double precision the same memory. */
typedef struct tsr__sums {
    void *XtG, *YtG, *GtG;
    double *Gt1;
} tsr__sums;

/* How far the codes, or theta, are led on. Part of the state and of archives: a resumed fit would else
 * begin to lead anew, with other bits. */
typedef struct tsr__lead {
    double push; /* in steps */
    double run;  /* steps since J last rose */
    double last; /* J before */
    bool fresh;  /* no step yet */
} tsr__lead;

typedef struct tsr__state {
    void *basis, *codes;
    void *weights; /* concept; else NULL */
    void *plain;   /* NULL: nothing is led on */
    tsr__metric metric;
    tsr__totals totals;
    tsr__sums sums;
    double *price;                /* k of degree one, k of degree two */
    double value[TSR_MOST_TERMS]; /* of the plan's terms, those on the codes */
    tsr__lead lead;
} tsr__state;

/* Work ------------------------------------------------------------------------------------ */

/* What one block of samples is worked on with, a thread's. */
struct tsr__lane {
    void *projection, *weighted; /* block x k */
    tsr__halves halves;          /* block x k each */
    tsr__halves pulled;          /* with respect to the weights of a block of atoms */
    void *slope, *bend;          /* block x k: of the terms alone */
    void *tile[2];               /* block x tile, as many as the loss has */
    tsr__totals to;              /* what the block is added to */
};

/* Rows of the basis on their way, a thread's. */
typedef struct tsr__bench {
    void *slope, *bend; /* rows x k: of all that is not data */
    double *row;        /* 3 k: a row on its way to them */
    double *leaves;     /* TSR_LEAF_ROOM x k: open sums of a feature; or NULL */
    void *room;         /* of a descent */
    void *panel;        /* dense KL: some features of all samples */
    tsr__known known;   /* missing values: a row's own sums */
} tsr__bench;

/* The basis vector by vector (sphere.c): F' and (X' G)' as k x m, what a vector should be like and
 * what it turns to, m, and sums over strips of them. */
typedef struct tsr__sphere {
    void *basis, *XtG, *wish, *turned;
    double *parts;
} tsr__sphere;

/* The concept weights sample by sample (weave.c). */
typedef struct tsr__weaving {
    double *sums;            /* of X' W (matrix/pass.h) */
    void *rows;              /* m x k, for a while */
    void *gram, *woven_gram; /* k x k: G' w G and what is quadratic besides; padded rows */
    void *residual;          /* m x k, padded rows */
    void *inner;             /* products of each sample with those of its run and of one more */
    bool known;              /*   once they are made */
    void *slopes[2], *moved[2]; /* of a run, and of the next or last one */
    void *room;                 /* of a descent */
} tsr__weaving;

/* Linear systems over the graph (conjugate.h), n x k each: what stands on the diagonal beside it, what is
 * found, right sides and what is left of them, the way of a step and what it comes to. */
typedef struct tsr__conjugate {
    double *diagonal, *found, *left, *way, *image;
    double *scalars; /* 4 k */
} tsr__conjugate;

/* Sums over the rows of a factor, part by part of them (parts.. of gradient.c and map.c). */
enum { TSR_PARTS = 64 };

/* A term's own room, by its `layout`. */
typedef struct tsr__term_room {
    void *gathered[3]; /* n x k: pairs times codes; of logarithms */
    double *sums;
} tsr__term_room;

/* What each rank has of the features: from .. and how many, as rows of the basis, numbers of a sum,
 * bytes of the basis, and bytes of `dots`. */
typedef enum tsr__division_unit {
    TSR_DIVIDED_ROWS,
    TSR_DIVIDED_SUMS,
    TSR_DIVIDED_BYTES,
    TSR_DIVIDED_DOTS,
    TSR_DIVIDED_UNITS
} tsr__division_unit;
typedef struct tsr__division {
    int64_t *first, *count; /* ranks */
} tsr__division;

typedef struct tsr__work {
    tsr__halves basis;  /* with respect to the basis, m x k */
    tsr__halves halves; /* of these, what the loss and its terms have */
    tsr__sphere sphere;
    tsr__weaving weaving;
    tsr__conjugate conjugate;          /* of codes that are solved for all at once */
    void *turned_basis, *turned_codes; /* dense KL: k padded rows of each; else NULL */
    double *by, *back; /* k: scales; floors of the basis, shares, slopes while a rule runs */
    bool owed;         /* codes are still to be scaled, by `back` */
    double *floor;     /* k: of the codes */
    void *before;      /* n x k: codes before a pass, where theta is led on; else NULL */
    double *row_sums;  /* TSR_PARTS x k: of the parts of the basis's rows */
    void *weighted;    /* n x k: codes times weights, for sums by leaves; else NULL */
    double *code_sums; /* of sums over codes, and over weights of samples */
    double *dots;      /* of runs of features (tile.c) */
    tsr__division
        division[TSR_DIVIDED_UNITS]; /* of the ranks of a team that divides the basis */
    void *halo[2];                   /* codes on their way to other ranks, and from them */
    int64_t *halo_bytes;             /* 2 ranks */
    double *part_grams;              /* as many k x k as map.c makes of the basis */
    tsr__term_room term[TSR_MOST_TERMS];
    double *room[2];    /* of the sums over leaves, and over tiles where there are any */
    double *tile_loss;  /* a tile each */
    double *residual;   /* of the sums that measure optimality */
    tsr__bench *bench;  /* a thread each */
    tsr__lane *lane;    /* a thread each */
    tsr_status trouble; /* of a source: what follows is left out, and the loop ends with it */
} tsr__work;

struct tsr__solver {
    tsr_type type;
    int64_t n, m, k;
    const tsr__problem *problem;
    const tsr__plan *plan;
    const tsr__source *source; /* the rows that passes see: all, or a batch of them; */
    double square;             /*   and what the data alone add to J of these */
    int sweeps, moves; /* of the codes a pass: the plan's and 1, or more while they are new */
    tsr__state state;
    tsr__work work;
};

enum {
    TSR_PANEL = 8,
    TSR_CHUNK = 256 /* features that a thread takes at a time: KL; squares */
};
enum { TSR_RUNS = 1024 }; /* of features, at most, that sums over all of them go by */

/* Losses and maps ------------------------------------------------------------------------- */

struct tsr__loss {
    const char *name, *title; /* of the setting; for people */
    const char *formula;      /* of data and product, as in "||%s - %s||^2" */
    int degree;               /* scaling X and F G' by s scales the loss by s^degree */
    int power; /* of its bound: what pulls theta up falls as (theta / old)^-power (majorise) */
    double step;  /* exponent of the multiplicative rule that never raises it */
    double floor; /* of entries that are lifted, in means of their column: J must not feel it */
    double elastic; /* what scikit-learn's alphas count, which halves some losses */
    bool inner;     /* inner products of samples are all that it needs: kernels will do */
    bool wide;      /* the pull down is a sum of its own (YtG) */
    int tiles;      /* block x m arrays for a dense block */
    int sweeps; /* of descent on entries; 0: sums are all that rows need, sweeps are cheap */
    int passes; /* over the data, an iteration */
    double cost[2]; /* of an iteration beside that of squares: multiplicative, by descent */
    /* NULL, or why these data have no such loss. */
    const char *(*refuses)(const tsr__problem *problem);
    /* What one entry of the data adds to the loss whatever the factors are. */
    double (*own)(double x);
    /* Room of a thread's descent, in reals; NULL: rows cannot descend under this loss. */
    int64_t (*room)(int64_t k, int64_t longest, bool sparse);
    /* Before a pass over the samples, with the basis as it will be; NULL: nothing to do. */
    void (*prepare)(tsr__solver *s);
    /* What the codes of a block need of the data, into the lane's projection; tiles after the
     * first add to it. */
    void (*project)(const tsr__solver *s, const tsr__block *block, tsr__lane *lane);
    /* The lane's halves from the projection: the gradient with respect to the block's codes. */
    void (*codes)(const tsr__solver *s, const tsr__block *block, tsr__lane *lane);
    /* Adds the entries of a block or tile, with its new codes, to what the lane adds to (XtG,
     * YtG, loss); its codes alone (GtG, Gt1). */
    void (*accumulate)(const tsr__solver *s, const tsr__block *block, tsr__lane *lane);
    void (*tally)(const tsr__solver *s, const tsr__block *block, tsr__lane *lane);
    /* Sparse data: a block of the turned data into rows of XtG, where accumulate left them out. */
    void (*collect)(tsr__solver *s, const tsr__block *block);
    /* Halves with respect to the basis, from the sums. */
    void (*basis)(const tsr__solver *s, tsr__halves *halves);
    /* Coordinate descent on the block's codes, with the terms' slope and bend or NULL; on
     * the rows of a free basis. */
    void (*descend_codes)(const tsr__solver *s, const tsr__block *block, tsr__lane *lane,
                          const void *slope, const void *bend);
    void (*descend_basis)(tsr__solver *s);
    /* The codes times up / down are those of the best size for this basis. */
    void (*fit_size)(double *up, double *down, const tsr__solver *s);
    /* A new sample's code, entry by entry of the sample (row.h), and the doubles that it takes;
     * NULL: products with the basis are all that it needs. */
    void (*row)(const struct tsr__row *row, const struct tsr__row_entries *of);
    int64_t (*row_room)(int64_t k, int64_t width);
    double (*value)(const tsr__solver *s);
};

/* A map from what is updated to the basis that the loss sees. Pushing and pulling are
 * transposes of each other: F = X' W, and slopes go back by X. */
/* Moves rows first .. of theta by halves with respect to them. */
typedef void (*tsr__stepper)(const tsr__solver *s, int64_t first, int64_t rows,
                             const tsr__halves *halves, const void *how);

typedef struct tsr__map {
    const char *name;
    bool free;  /* theta is the basis itself */
    bool woven; /* theta are the weights of samples that are at hand */
    bool split; /* gradients have falling quadratic parts (`anti`) */
    /* After theta moved: the basis and its metric. */
    void (*push)(tsr__solver *s);
    /* All rows of theta by `step`, in any order, from the halves of the basis; then as above. */
    void (*move)(tsr__solver *s, tsr__stepper step, const void *how);
} tsr__map;

/* What work.halves are with respect to the weights of a block of atoms, in the thread's lane. */
tsr__halves tsr__map_pull(const tsr__solver *s, const tsr__block *atoms, int thread);

extern const tsr__map tsr__map_free, tsr__map_concept, tsr__map_kernel, tsr__map_signed;

/* Terms ----------------------------------------------------------------------------------- */

/* What a term is of (terms.h has the table of their names). */
struct tsr__term_kind {
    tsr__term_name name;
    const char *formula; /* as it stands in J, with %s for the weight where it has one */
    tsr__weight_name weights[2]; /* that the user sets, TSR_WEIGHTS: none */
    int degree; /* scaling the codes by s scales the value by s^degree; for the unit of weights */
    bool priced;  /* it grows with the codes, and F / s, s G would evade it by small s */
    bool basis;   /* it is on the basis */
    bool couples; /* it ties rows of the basis */
    bool holds;   /* it holds the scale of the basis by itself, unless */
    bool rounds;  /*   it is at home on the sphere, where the scale is given */
    bool quartic; /* it fills that half of the basis */
    bool logs; /* it is of logarithms of the codes, and fills the halves entropy and contrast */
    unsigned needs; /* TSR_NEEDS_..: what J has no such term without */
    /* Weights in J; false where the spec has no such term. */
    bool (*begin)(double weight[2], const tsr__spec *spec, const tsr__problem *problem);
    /* NULL, or why these data have no such term. */
    const char *(*refuses)(const tsr__spec *spec, const tsr__problem *problem);
    /* Doubles that a refresh sums over the codes of all; NULL: k. */
    int64_t (*sums)(const tsr__problem *problem, int64_t k);
    void (*layout)(tsr__term_room *room, const tsr__solver *s, tsr__arena *arena);
    /* Before a pass over the samples, with the basis as it will be; NULL: nothing to do. */
    void (*prepare)(const tsr__term *t, tsr__solver *s);
    /* On the codes: the sums that depend on all of them, made anew; returns the value and adds
     * each column's share to the price of its degree. */
    double (*refresh)(const tsr__term *t, tsr__solver *s, double *linear, double *square);
    /* Adds to the halves of rows first .. first+count-1 of the codes. */
    void (*add)(const tsr__term *t, const tsr__solver *s, int64_t first, int64_t count,
                const tsr__halves *halves);
    /* Adds the curvature of a separable upper bound; NULL: the term is linear. */
    void (*bend)(const tsr__term *t, const tsr__solver *s, int64_t first, int64_t count,
                 void *bend);
    /* On the basis: adds to its halves. */
    void (*add_basis)(const tsr__term *t, const tsr__solver *s, const tsr__halves *halves);
    /* Adds slope and curvature at a row of the basis that is f (k); NULL: rows are tied. */
    void (*bend_basis)(const tsr__term *t, const tsr__solver *s, const double *f, double *slope,
                       double *bend);
    /* On the sphere, where terms are bounded by what is linear in a vector: how much of vector l
     * vector k should be like, and what else, entries first .. of its wish. */
    double (*lean)(const tsr__term *t, const tsr__solver *s, int64_t k, int64_t l);
    void (*wish)(const tsr__term *t, const tsr__solver *s, int64_t k, int64_t first,
                 int64_t count, void *wish);
    double (*value)(const tsr__term *t, const tsr__solver *s); /* of a term on the basis */
};

struct tsr__term {
    const tsr__term_kind *kind;
    double weight[2]; /* of J */
    int at;           /* its place in the plan */
};

/* What a term's sums over the rows of a factor are of (tsr__sum_rows). */
typedef struct tsr__adding {
    const tsr__term *t;
    const tsr__solver *s;
} tsr__adding;

static inline const tsr__term_room *tsr__room_of(const tsr__solver *s, const tsr__term *t)
{
    return &s->work.term[t->at];
}

/* The steps ------------------------------------------------------------------------------- */

/* Doubles of one sum with `rows` features; how many those over leaves have; its parts. */
int64_t tsr__totals_width(const tsr__solver *s, int64_t rows);
int64_t tsr__totals_rows(const tsr__solver *s);
tsr__totals tsr__totals_of(const tsr__solver *s, double *room);

/* Lays all room out in `arena` (twice; see base/memory.h). */
void tsr__solver_layout(tsr__solver *s, tsr__arena *arena);

/* Rooms: map.c, sphere.c, weave.c. */
void tsr__map_layout(tsr__solver *s, tsr__arena *arena);
void tsr__sphere_layout(tsr__solver *s, tsr__arena *arena);
void tsr__weave_layout(tsr__solver *s, tsr__arena *arena);

/* After theta and codes were set: normalises, pushes, accumulates. */
void tsr__solver_start(tsr__solver *s);

/* The sums that an iteration begins with, of the factors as they are. */
void tsr__solver_sum(tsr__solver *s);

/* One iteration: basis, then codes. */
void tsr__solver_step(tsr__solver *s);

/* Codes that begin anywhere are not to be judged by a few sweeps: visits, and the pass before the
 * next step, have EAGER times as many, or where sweeps end by themselves as many moves. */
enum { TSR_EAGER = 4 };
void tsr__solver_be_eager(tsr__solver *s);

/* All rows, after a batch of them. */
void tsr__solver_see_all(tsr__solver *s);

/* Codes move, and the sums of those that the solver sees stand in doubles; terms are left as they
 * were. hand_over brings the sums to where steps read them. */
tsr_status tsr__solver_visit(tsr__solver *s);
void tsr__solver_hand_over(tsr__solver *s);

/* What a pass came to. Where its source failed the solver stands still from then on; the message
 * is that of the failure. */
static inline void tsr__solver_note(tsr__solver *s, tsr_status status)
{
    if (s->work.trouble == TSR_OK && status < 0)
        s->work.trouble = status;
}

/* The terms of J at the current factors, on the original data, and their sum; those that the
 * model does not have are NaN. */
double tsr__solver_terms(double terms[TSR_TERMS], const tsr__solver *s);
double tsr__solver_objective(const tsr__solver *s);

/* XtG of the factors as they are, where passes leave it out. */
void tsr__solver_collect(tsr__solver *s);

/* How far from a stationary point, without units: sum of theta |gradient| over the sum of theta
 * (plus + minus), zeros that want to grow counted at their column's mean. */
double tsr__solver_optimality(tsr__solver *s);

/* gradient.c: halves with respect to a block's codes, without terms of logarithms or with them, and to
 * the basis (in s->work.halves); slope and
 * bend of the terms alone, of a block's codes (NULL where there are none) and of rows of the
 * basis, into a bench. */
void tsr__codes_halves(const tsr__solver *s, const tsr__block *block, tsr__lane *lane);
void tsr__codes_halves_but_logs(const tsr__solver *s, const tsr__block *block, tsr__lane *lane);
void tsr__basis_halves(tsr__solver *s);
void tsr__codes_bend(const tsr__solver *s, const tsr__block *block, tsr__lane *lane,
                     const void **slope, const void **bend);
void tsr__basis_bend(const tsr__solver *s, const tsr__bench *bench, int64_t first, int64_t rows,
                     const void **slope, const void **bend);
void tsr__refresh(tsr__solver *s);

/* Rows of the basis in at most TSR_PARTS equal parts, cut by their number alone, on all threads;
 * never within a pass. `add` adds what rows first .. have to the k columns; the sums of the parts
 * join `columns` in order, and what was added is returned. */
typedef void (*tsr__rows_add)(const void *context, int64_t first, int64_t count,
                              double *columns);
double tsr__sum_rows(const tsr__solver *s, int64_t rows, tsr__rows_add add, const void *context,
                     double *columns);
/* Sums over the rows of a source's codes, of all ranks, into the first `width` of `room`
 * (tsr__sum_room x width); k of them join `columns`, and what was added is returned. Never within a
 * pass. */
void tsr__sum_codes(tsr__solver *s, const tsr__source *source, int64_t width, double *room,
                    tsr__rows_add add, const void *context);
double tsr__sum_columns(tsr__solver *s, tsr__rows_add add, const void *context,
                        double *columns);

/* term_graph.c: the graph, cut as sums over the samples are. */
tsr__source tsr__graph_source(const tsr__solver *s);

/* What pairs of rows are places in: codes of other ranks, own codes, codes of others. */
void tsr__exchange_codes(tsr__solver *s);
static inline void *tsr__places(const tsr__solver *s)
{
    return (char *)s->state.codes -
           (size_t)(s->problem->pairs.halo.before * s->k) * tsr__type_size(s->type);
}

/* The same where rows are set one by one and nothing is summed. */
typedef void (*tsr__rows_set)(const void *context, int64_t first, int64_t count);
void tsr__each_rows(const tsr__solver *s, int64_t rows, tsr__rows_set set, const void *context);

/* map.c: both gram matrices in the problem's type, after those in doubles were set. */
void tsr__metric_narrow(const tsr__solver *s);

/* scale.c: lengths of the basis vectors, and their price. */
void tsr__fix_scale(tsr__solver *s, tsr__scale_rule scale);
void tsr__settle_scale(tsr__solver *s); /* of all codes, where that is still owed */
void tsr__price_add(const tsr__solver *s, const tsr__halves *halves);
void tsr__price_bend(const tsr__solver *s, const double *f, double *slope, double *bend);
bool tsr__priced(const tsr__solver *s);
/* Of column j, where vectors have unit L2 length: the quadratic (price / 2) ||f||^2. */
double tsr__price_of(const tsr__solver *s, int64_t j);

/* What codes are lifted to: a share of each column's mean, into work.floor. */
void tsr__floor_codes(tsr__solver *s);

/* What moves: the weights, or else the basis; and its rows. */
static inline void *tsr__theta(const tsr__solver *s)
{
    return s->state.weights != NULL ? s->state.weights : s->state.basis;
}

static inline int64_t tsr__theta_rows(const tsr__solver *s)
{
    return s->state.weights != NULL ? s->problem->atoms.samples : s->m;
}

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

static inline size_t tsr__real_bytes(const tsr__solver *s, int64_t count)
{
    return (size_t)count * tsr__type_size(s->type);
}

/* Samples behind row i. */
static inline double tsr__members(const tsr__solver *s, int64_t i)
{
    return s->problem->members != NULL ? s->problem->members[i] : 1;
}

/* Weight of row i in the loss. */
static inline double tsr__row_weight(const tsr__solver *s, int64_t i)
{
    return s->problem->weight != NULL ? tsr__real_get(s, s->problem->weight, i) : 1;
}

static inline void *tsr__codes_at(const tsr__solver *s, int64_t row)
{
    return tsr__real_at(s, s->state.codes, row * s->k);
}

static inline const tsr__kernels *tsr__kernels_for(const tsr__solver *s)
{
    return tsr__kernels_of(s->type);
}

/* The bench of a lane's descent. */
static inline const tsr__bench *tsr__bench_of(const tsr__solver *s, const tsr__lane *lane)
{
    return &s->work.bench[lane - s->work.lane];
}

/* Missing values: the factors as the known entries of a sample, or of a feature, see them. */
static inline tsr__known_rows tsr__known_features(const tsr__solver *s)
{
    return (tsr__known_rows){s->type, s->k, s->m, s->state.basis, NULL, s->problem->missing};
}

static inline tsr__known_rows tsr__known_samples(const tsr__solver *s)
{
    return (tsr__known_rows){
        s->type, s->k, s->n, s->state.codes, s->problem->weight, s->problem->missing_turned};
}

/* c (rows x columns) = alpha a (rows x inner) b (inner x columns), row-major and contiguous. */
void tsr__times(const tsr__solver *s, void *c, double alpha, const void *a, const void *b,
                int64_t rows, int64_t columns, int64_t inner);
/* The same on all threads; never within a pass. */
void tsr__times_rows(const tsr__solver *s, void *c, double alpha, const void *a, const void *b,
                     int64_t rows, int64_t columns, int64_t inner);
/* c (k x k) = a' b for a, b of rows x k; added to c where not fresh. */
void tsr__gram(const tsr__solver *s, double *c, const void *a, const void *b, int64_t rows,
               bool fresh);

/* tile.c: features of this rank, of a basis that is divided, else all; who has which; the basis of all,
 * after each rank moved its part, and sums of all. */
void tsr__own_features(int64_t *first, int64_t *count, const tsr__solver *s);
void tsr__divide_features(tsr__solver *s);
void tsr__gather_basis(tsr__solver *s);
void tsr__gather_sums(tsr__solver *s);

/* tile.c: the projection of a block, tile by tile; its codes times their weights. <total, F>, or
 * <sum, F> where there is no total. */
void tsr__project(const tsr__solver *s, const tsr__block *block, tsr__lane *lane);
const void *tsr__weighted(const tsr__solver *s, const tsr__block *block, const tsr__lane *lane);
double tsr__with_basis(const tsr__solver *s, const double *total, const void *sum);

#endif
