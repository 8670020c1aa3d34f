/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The loop: step after step until J settles, for whatever has steps and a J.
 *
 * It knows nothing of factors: fits, resumed fits and the tensor baseline bring a step and a J,
 * and so have one stop rule and one kind of history. */
#ifndef TSR_FACTOR_SOLVE_H
#define TSR_FACTOR_SOLVE_H

#include "base/progress.h"
#include "factor/terms.h"

/* What was reached after each iteration. A resumed fit continues the history that its archive
 * holds, and the stop rule looks back over the joint (tests/test_law_resume.c). */
typedef struct tsr__history {
    int64_t iterations, room;
    double *objective, *seconds;
    double *terms; /* iterations x TSR_TERMS: J by its terms; NaN: it has no such term */
} tsr__history;

tsr_status tsr__history_add(tsr__history *h, double objective, double seconds,
                            const double *terms);
void tsr__history_clear(tsr__history *h);

/* What iterates. */
typedef struct tsr__steps {
    void *user;
    tsr_status (*step)(void *user); /* fails where the data cannot be had any more */
    /* J and, into `terms` (TSR_TERMS, NaN so far), what it is made of. */
    double (*objective)(void *user, double *terms);
    /* Where it is not NULL: whether it is time to keep what was reached; and keeps it. *note is what
     * there is to say about that, or NULL. */
    bool (*due)(void *user);
    tsr_status (*save)(const char **note, void *user);
} tsr__steps;

typedef struct tsr__loop {
    tsr__steps steps;
    tsr_team *team;                        /* all of which make these steps; or NULL */
    const tsr_fit_options *options;        /* tolerance, progress */
    tsr__history *history;                 /* goes on from what it holds */
    int64_t since;                         /* iterations in it whose J was another function */
    int64_t limit;                         /* iterations that it may hold */
    double size;                           /* what J would be without a model */
    bool converged, interrupted, diverged; /* how it ended */
} tsr__loop;

/* How a step that may be interrupted (tsr__task_step) went for all of a team. */
tsr_status tsr__stop_together(bool *stopped, tsr_team *team, tsr_status asked);

/* Iterates. Stopping, by whoever watches or because J is no number, is an end like others: the
 * loop says which it was. */
tsr_status tsr__solve(tsr__loop *l);

#endif
