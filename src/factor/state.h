/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Where a fit stopped: what its factors alone do not tell, kept so that going on leads, bit for
 * bit, where it would have led. */
#ifndef TSR_FACTOR_STATE_H
#define TSR_FACTOR_STATE_H

#include "base/status.h"

typedef struct tsr__solver tsr__solver;

/* Arrays of the solver. The factors are kept only where the model holds those of another run. */
enum {
    TSR_STATE_PLAIN,
    TSR_STATE_GRAM,
    TSR_STATE_GRAM_NEGATIVE,
    TSR_STATE_LIFT,
    TSR_STATE_LIFT_NEGATIVE,
    TSR_STATE_COLUMN_SUM,
    TSR_STATE_BASIS,
    TSR_STATE_CODES,
    TSR_STATE_WEIGHTS,
    TSR_STATE_PARTS
};
extern const char *const tsr__state_names[TSR_STATE_PARTS];

typedef struct tsr__state_part {
    void *values;
    int64_t count;
    tsr_type type;
} tsr__state_part;

typedef struct tsr__state {
    bool known;   /* there is one */
    bool own;     /* of another run than the model's: the best so far was an earlier start's */
    bool fresh;   /* see tsr__solver */
    int64_t next; /* the start after this run; the number of starts where all are done */
    double push, run, last;
    double most; /* of the starts' objectives so far */
    tsr__state_part part[TSR_STATE_PARTS];
    int64_t limit;      /* iterations that the run was given */
    int64_t iterations; /* own: the run's history */
    double *objective, *seconds;
} tsr__state;

void tsr__state_clear(tsr__state *state);

/* Copies the solver's state; with its factors where `own`. */
tsr_status tsr__state_take(tsr__state *state, const tsr__solver *s, bool own);

/* Puts the model's state, or the factors alone where it has none, into a laid-out solver, and makes
 * the sums. Fails where the sizes are not those of the solver. */
struct tsr_model;
tsr_status tsr__state_give(tsr__solver *s, const struct tsr_model *from, const int64_t *row_of);

#endif
