/* SPDX-License-Identifier: BSD-2-Clause
 *
 * WHAT A PAGE ABOUT AN EXPERIMENT SHOWS: read from its folder once (findings.c), then walked by a
 * table of sections (experiment_page.c), each a function below. Means and deviations are those of the
 * tables that the experiment writes. */
#ifndef TSR_REPORT_FINDINGS_H
#define TSR_REPORT_FINDINGS_H

#include "learn/experiment.h"
#include "report/page.h"

typedef struct tsr__findings {
    tsr_page *page;
    const tsr_page_options *options;
    const char *folder;
    tsr_experiment *e;
    const tsr__protocol *p;
    tsr__input history, confusion; /* bytes of the files; empty where there are none */
    const char *metric[2];         /* as cells know them */
    int64_t metrics;
    int64_t done;            /* trials */
    int64_t *finished;       /* of each method */
    const char *row_name;    /* column of the row, in every table that has one */
    tsr__cell_kind row_kind; /* of it */
    bool lines;              /* several rows, all of them numbers: they are an axis */
    bool wide;               /* over two decades: a logarithmic one */
} tsr__findings;

tsr_status tsr__findings_open(tsr__findings *out, tsr_page *page, const char *folder,
                              const tsr_page_options *options);
void tsr__findings_clear(tsr__findings *findings);

/* What the rows vary, in words: "number of classes". */
const char *tsr__findings_axis(const tsr__findings *f);

/* A cell that names a row, in a column of row_kind. */
void tsr__findings_put_row(const tsr__findings *f, int64_t row);

/* The sections. */
tsr_status tsr__show_study(tsr__findings *f);
tsr_status tsr__show_means(tsr__findings *f);
tsr_status tsr__show_accuracy(tsr__findings *f);
tsr_status tsr__show_nmi(tsr__findings *f);
tsr_status tsr__show_draws(tsr__findings *f);
tsr_status tsr__show_curves(tsr__findings *f);
tsr_status tsr__show_counts(tsr__findings *f);
tsr_status tsr__show_time(tsr__findings *f);
tsr_status tsr__show_rerun(tsr__findings *f);

#endif
