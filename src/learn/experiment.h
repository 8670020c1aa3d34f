/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Experiments: a protocol's trials, run on all processors, each finished one written at once.
 */
#ifndef TSR_LEARN_EXPERIMENT_H
#define TSR_LEARN_EXPERIMENT_H

#include "learn/protocol.h"

#include <stdio.h>

/* One trial: a method on one draw (fold) of one row. */
typedef struct tsr__trial {
    int64_t row, draw, method;
    bool done;
    double accuracy, nmi; /* fractions; nmi is NaN where nothing is clustered */
    double seconds;
    int64_t rank; /* vectors kept */
} tsr__trial;

/* trial.c: runs one trial; the learner sees only what the protocol lets it see. */
tsr_status tsr__trial_run(tsr__trial *trial, const tsr__protocol *protocol,
                          const tsr_data *data, const int32_t *group);

/* Figures that others published, one line each: data, source, setting, method, metric, value.
 */
typedef struct tsr__published {
    tsr__names field; /* six a line */
} tsr__published;
tsr_status tsr__published_read(tsr__published *out, const char *path);
double tsr__published_find(const tsr__published *published, const char *data,
                           const char *source, const char *setting, const char *method,
                           const char *metric); /* NaN where there is none */

typedef struct tsr__experiment {
    tsr__protocol protocol;
    tsr__published published;
    tsr__trial *trial; /* row by row, draw by draw, method by method */
    int64_t trials, rows;
} tsr__experiment;

typedef struct tsr__experiment_options {
    const char *data;      /* folder that the protocol's data lie below */
    const char *out;       /* folder for tables and draws, or NULL */
    const char *methods;   /* a,b,c: only these, or NULL */
    const char *published; /* file of published figures, or NULL */
    bool resume;
    int64_t threads;
    const tsr_progress *progress;
} tsr__experiment_options;

tsr_status tsr__experiment_run(tsr__experiment *out, const char *protocol,
                               const tsr__experiment_options *options);
void tsr__experiment_clear(tsr__experiment *experiment);

/* table.c: ours beside the published figures, in one of the formats text, markdown, csv, latex,
 * json. */
typedef enum tsr__table_format {
    TSR_TABLE_TEXT,
    TSR_TABLE_MARKDOWN,
    TSR_TABLE_CSV,
    TSR_TABLE_LATEX,
    TSR_TABLE_JSON
} tsr__table_format;
tsr_status tsr__table_print(FILE *to, const tsr__experiment *experiment,
                            tsr__table_format format);

/* What a row is called: the value it varies; "average" for -1. */
const char *tsr__experiment_row(const tsr__protocol *protocol, int64_t row);

/* Mean and standard deviation (over draws) of a metric; row -1: average of the rows' means. */
typedef struct tsr__cell {
    double mean, deviation, published;
    int64_t count;
} tsr__cell;
tsr__cell tsr__experiment_cell(const tsr__experiment *experiment, int64_t row, int64_t method,
                               const char *metric);

#endif
