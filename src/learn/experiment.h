/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Experiments: a protocol's trials, run on all processors, each finished one written at once.
 */
#ifndef TSR_LEARN_EXPERIMENT_H
#define TSR_LEARN_EXPERIMENT_H

#include "features/features.h"
#include "learn/protocol.h"

#include <stdio.h>

/* One trial: a method on one draw (fold) of one row. */
typedef struct tsr__trial {
    int64_t row, draw, method;
    int64_t fit; /* the first method that fits alike */
    bool done;
    double accuracy, nmi; /* fractions; nmi is NaN where nothing is clustered */
    double seconds;       /* with those of the fit, shared or not */
    int64_t rank;         /* vectors kept */
    int64_t *confusion;   /* classify: classes by classes predicted, or NULL */
} tsr__trial;

/* trial.c: true when both trials draw the same samples. */
bool tsr__trial_same_split(const tsr__trial *a, const tsr__trial *b,
                           const tsr__protocol *protocol);
/* Marks the samples that the trial learns from. */
tsr_status tsr__trial_learns(bool *learn, const tsr__trial *trial,
                             const tsr__protocol *protocol, const tsr_labels *labels,
                             const int32_t *group);

/* What the trials of one draw share whose methods fit alike: the samples drawn, split
 * into training and test samples where something is classified, and what was learnt. The learner
 * sees only what the protocol lets it see. */
typedef struct tsr__fitting {
    tsr_data *part[2]; /* samples learnt from; test samples, or NULL */
    tsr_encoder *encoder;
} tsr__fitting;
tsr_status tsr__fitting_make(tsr__fitting *out, const tsr__trial *trial,
                             const tsr__protocol *protocol, const tsr_data *data,
                             const int32_t *group);
/* Fills in the trial's figures. */
tsr_status tsr__fitting_judge(const tsr__fitting *fitting, tsr__trial *trial,
                              const tsr__protocol *protocol);
void tsr__fitting_clear(tsr__fitting *fitting);

/* cells.c: figures that others published, one line each: data, source, setting, method, metric, value.
 */
typedef struct tsr__published {
    tsr__names field; /* six a line */
} tsr__published;
tsr_status tsr__published_read(tsr__published *out, const char *path);
double tsr__published_find(const tsr__published *published, const char *data,
                           const char *source, const char *setting, const char *method,
                           const char *metric); /* NaN where there is none */

struct tsr_experiment {
    tsr__protocol protocol;
    tsr__published published;
    tsr__trial *trial; /* row by row, draw by draw, method by method */
    int64_t trials, rows;
    char *table; /* what the caller sees of it */
};

/* material.c: the samples that trials draw from. */
typedef struct tsr__material {
    const tsr__protocol *protocol;
    bool made, each_split;         /* features; of their own for every split */
    tsr__sources sources;          /* where they are made of files */
    tsr_features_options features; /* their settings, with paths that can be opened */
    char *dictionary;              /* owned by them */
    tsr_data *data;                /* NULL: not made yet */
    int32_t *group;                /* samples that folds keep together, or NULL */
    tsr__trial of;                 /* whose split the data were made for */
} tsr__material;
tsr_status tsr__material_open(tsr__material *out, const tsr__protocol *protocol,
                              const tsr_experiment_options *options);
/* True when what was made for one trial serves the other. */
bool tsr__material_shared(const tsr__material *material, const tsr__trial *a,
                          const tsr__trial *b);
/* Sees to it that `data` are those of the trial. */
tsr_status tsr__material_make(tsr__material *material, const tsr__trial *trial);
void tsr__material_clear(tsr__material *material);

/* draws.c: the line of a finished trial, and the lines of an earlier run (or none). */
void tsr__draws_print(FILE *to, const tsr_experiment *experiment, const tsr__trial *trial);
tsr_status tsr__draws_take(tsr_experiment *experiment, const char *path);

/* table.c: ours beside the published figures, in one of the formats text, markdown, csv, latex,
 * json. */
typedef enum tsr__table_format {
    TSR_TABLE_TEXT,
    TSR_TABLE_MARKDOWN,
    TSR_TABLE_CSV,
    TSR_TABLE_LATEX,
    TSR_TABLE_JSON
} tsr__table_format;
tsr_status tsr__table_print(FILE *to, const tsr_experiment *experiment,
                            tsr__table_format format);

/* What a row is called: the value it varies; for -1 what sums the rows up. */
const char *tsr__experiment_row(const tsr__protocol *protocol, int64_t row);

/* cells.c: mean and standard deviation (over draws) of a metric; row -1: the average of the rows' means,
 * or the row with the best one, as the study says. */
typedef struct tsr__cell {
    double mean, deviation, published;
    int64_t count, row; /* row: -1 for an average */
} tsr__cell;
tsr__cell tsr__experiment_cell(const tsr_experiment *experiment, int64_t row, int64_t method,
                               const char *metric);

/* confusion.c: confusion.csv has the counts of every trial, confusion-METHOD.csv the sum over
 * the draws of a method's best row. */
void tsr__confusion_print(FILE *to, const tsr_experiment *experiment, const tsr__trial *trial,
                          const tsr_labels *labels);
tsr_status tsr__confusion_write(const tsr_experiment *experiment, const char *folder);

#endif
