/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A fit on its way: what it was given, the solver, the history of the current run; and what it
 * leaves behind as a model (harvest.c, resume.c).
 *
 * One start at a time. It lives on the stack of fit.c, which frees what it holds; the solver
 * points at plan and problem beside it, so that it must not be copied. */
#ifndef TSR_FACTOR_RUN_H
#define TSR_FACTOR_RUN_H

#include "factor/model.h"
#include "factor/plan.h"
#include "factor/solve.h"

typedef struct tsr__run {
    const tsr_fit_options *options;
    const tsr_data *data;
    const tsr_model *from; /* that the fit goes on with, or NULL */
    const tsr_model *like; /* whose size of a sample holds, with new ones; or NULL */
    tsr__names notes;
    tsr__spec spec;
    tsr__problem problem;
    tsr__plan plan;
    tsr__solver solver;
    tsr__arena arena;
    tsr_model *model;        /* the best so far */
    tsr__history history;    /* of the current run, */
    int64_t limit;           /*   so many iterations at most, */
    int64_t since;           /*   the first so many with other weights */
    int64_t next;            /* the start after it */
    double least, most;      /* objectives of all starts */
    double saved;            /* when a checkpoint was last written, or tried */
    bool unsaved;            /* the last one could not be written */
    double begun[TSR_TERMS]; /* terms of J at the first start */
    bool fresh;              /* the steps so far tell nothing of those to come */
    bool converged, interrupted;
} tsr__run;

/* same.c: that all ranks of the data's team were given the same; options may be NULL. */
tsr_status tsr__same_call(const tsr_data *data, const tsr_fit_options *options);

/* Problem, plan, laid-out solver and a model without factors, of options and data; and frees them. */
tsr_status tsr__run_open(tsr__run *r);
void tsr__run_close(tsr__run *r);

/* What J would be without a model: that of n samples of size rho. */
double tsr__run_size(const tsr__run *r);

/* J of the current run as it stands. */
double tsr__run_objective(const tsr__run *r);

/* A model without factors: its settings and what is known before the first iteration. */
tsr_status tsr__run_begin_model(tsr_model **out, const tsr__run *r);

/* The current run's factors become the model's. */
/* diffuse.c: the model's codes for clusters, when a fit has ended. */
tsr_status tsr__diffuse(tsr_model *model, tsr__run *r);

/* What rows of all ranks have (codes), a sample a row. */
tsr_status tsr__run_rows(tsr_matrix **out, const tsr__run *r, const void *rows);

tsr_status tsr__run_keep(tsr_model *model, tsr__run *r);

/* What the model keeps of the data, once it has factors. */
tsr_status tsr__run_remember(tsr_model *model, const tsr__run *r);

/* The current run as what the model goes on from, where its factors are another run's. */
tsr_status tsr__run_keep_apart(tsr_model *model, const tsr__run *r);

/* resume.c: whether the settings are those of the fit that `from` is of, with notes on what
 * differs; *fresh where the steps so far tell nothing of those to come. */
tsr_status tsr__resume_check(bool *fresh, const tsr__run *r, tsr__names *notes);

/* Whether the settings are those of the model that goes on with new samples. */
tsr_status tsr__more_check(const tsr_model *from, const tsr_fit_options *options);

/* Whether the data make the rank that the fit has; carries its notes over. */
tsr_status tsr__resume_compare(tsr__run *r, int64_t rank);

/* Puts the solver where `from` stopped, and its history and best so far beside it. */
tsr_status tsr__resume_begin(tsr__run *r, bool fresh);

#endif
