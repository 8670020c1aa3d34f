/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A fitted model from the inside. It knows nothing of plans and solvers.
 *
 * It owns the arrays that it points at; names in the report are those of the tables. Most
 * members are rows of parts.c, and archive.c has what it keeps of the others. */
#ifndef TSR_FACTOR_MODEL_H
#define TSR_FACTOR_MODEL_H

#include "factor/halt.h"
#include "factor/terms.h"
#include "io/data.h"

struct tsr_model {
    tsr_fit_report report;
    tsr_fit_options options; /* its texts are those of `setting` */
    tsr__names setting;      /* value of each row of the settings table, as text */
    tsr_matrix *basis;       /* k x m */
    tsr_matrix *codes;       /* n x k */
    tsr_matrix *diffused;    /* n x k: for clusters of them; or NULL */
    tsr_matrix *weights;     /* concept: n x k, or NULL */
    tsr_matrix *atoms;       /* kernels: the samples, as prepared, or NULL */
    double *gram;            /* kernels: W' K W, k x k, or NULL */
    double *memory;          /* more.c: what was learnt, k x k, or NULL */
    double *scale;           /* ncw: sum of the samples, m, or NULL */
    double kernel_width;
    double terms[TSR_TERMS];    /* of J at the end; NaN: the model does not have it */
    char *origin;               /* of the data: "faces.mat:fea" */
    tsr_matrix *sample_weights; /* n x 1, or NULL */
    tsr_labels *labels;         /* all that are known, or NULL */
    int32_t *seen;              /* class of each sample that the learner saw, or -1 */
    int64_t per_class, shared;
    double *objective, *seconds; /* report.iterations each */
    tsr_matrix *history;         /* the same by terms, those that it has; or NULL */
    tsr__names feature_names, notes, plan;
    tsr__recipe recipe; /* how the samples were made */
    tsr__halt state;    /* to go on from */
};

/* *out becomes a copy of `count` numbers, or NULL for NULL; what it held is freed. */
tsr_status tsr__copy_reals(double **out, const double *from, int64_t count);

/* Records the options as texts and points the copy's texts at them. */
tsr_status tsr__model_record(tsr_model *model, const tsr_fit_options *options);

/* The same from recorded texts, row by row of the table. */
tsr_status tsr__model_restore(tsr_model *model);

#endif
