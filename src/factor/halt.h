/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Where a fit stopped: what its factors alone do not tell, kept so that going on leads, bit for
 * bit, where it would have led.
 *
 * It belongs to the model, as plain arrays and numbers: models know nothing of solvers, and
 * archives write it part by part (parts.c). Arrays are as the solver had them, in its layout
 * and type. */
#ifndef TSR_FACTOR_HALT_H
#define TSR_FACTOR_HALT_H

#include "base/status.h"

typedef struct tsr__solver tsr__solver;

/* Arrays of the solver. The factors are kept only where the model holds those of another run. */
enum {
    TSR_HALT_PLAIN,
    TSR_HALT_PLAIN_THETA,
    TSR_HALT_GRAM,
    TSR_HALT_GRAM_NEGATIVE,
    TSR_HALT_LIFT,
    TSR_HALT_LIFT_NEGATIVE,
    TSR_HALT_COLUMN_SUM,
    TSR_HALT_BASIS,
    TSR_HALT_CODES,
    TSR_HALT_WEIGHTS,
    TSR_HALT_PARTS
};
extern const char *const tsr__halt_names[TSR_HALT_PARTS];

/* `values` stands first: part_kinds.c looks at a part as at the pointer that it begins with. */
typedef struct tsr__halt_part {
    void *values;
    int64_t count;
    tsr_type type;
} tsr__halt_part;

typedef struct tsr__halt {
    bool known;   /* there is one */
    bool own;     /* of another run than the model's: the best so far was an earlier start's */
    bool fresh;   /* see tsr__lead */
    int64_t next; /* the start after this run; the number of starts where all are done */
    double push, run, last;
    double most; /* of the starts' objectives so far */
    tsr__halt_part part[TSR_HALT_PARTS];
    int64_t limit;      /* iterations that the run was given */
    int64_t since;      /* the first so many had another J */
    int64_t iterations; /* own: the run's history */
    double *objective, *seconds;
    tsr_matrix *history;
} tsr__halt;

void tsr__halt_clear(tsr__halt *state);

/* Copies the solver's state; with its factors where `own`. */
tsr_status tsr__halt_take(tsr__halt *state, const tsr__solver *s, bool own);

/* Puts the model's state, or the factors alone where it has none, into a laid-out solver, and makes
 * the sums. Fails where the sizes are not those of the solver. */
struct tsr_model;
tsr_status tsr__halt_give(tsr__solver *s, const struct tsr_model *from);

/* Whether what was led on there is what this plan leads on; else that begins anew. */
bool tsr__halt_leads(const tsr__solver *s, const struct tsr_model *from);

#endif
