/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Experiments: a protocol's trials, run on all processors, each finished one written at once.
 */
#ifndef TSR_LEARN_EXPERIMENT_H
#define TSR_LEARN_EXPERIMENT_H

#include "base/text.h"
#include "features/features.h"
#include "io/file.h"
#include "io/lock.h"
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
    int64_t *confusion; /* classes by classes predicted, clusters as they are scored; or NULL */
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
bool tsr__published_meant(const tsr__protocol *protocol, char *const field[6]); /* asked for */

struct tsr_experiment {
    tsr__protocol protocol;
    tsr__published published;
    tsr__trial *trial; /* row by row, draw by draw, method by method */
    int64_t trials, rows;
    char *table; /* what the caller sees of it */
};

/* All trials that the protocol asks for, none of them done. */
tsr_status tsr__experiment_list(tsr_experiment *experiment);

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

/* The metrics of the table, one or two; returns how many. */
int64_t tsr__experiment_metrics(const tsr_experiment *experiment, const char *metric[2]);

/* A cell as people read it: ours, where the best was found, published and difference. */
void tsr__table_cell(tsr__line *out, const tsr_experiment *experiment, int64_t row,
                     int64_t method, const char *metric);

/* What a row is called: the value it varies; for -1 what sums the rows up. */
const char *tsr__experiment_row(const tsr__protocol *protocol, int64_t row);

/* cells.c: mean and standard deviation (over draws) of a metric; row -1: the average of the rows' means,
 * or the row with the best one, as the study says. The published average is that of the rows where
 * no other is printed. */
typedef struct tsr__cell {
    double mean, deviation, published;
    double error;       /* standard error of the mean; NaN where a row has one draw */
    int64_t degrees;    /* of freedom that the error has */
    int64_t count, row; /* row: -1 for an average */
} tsr__cell;
int64_t tsr__experiment_first(const tsr_experiment *experiment,
                              int64_t row);                           /* trial of a row */
double tsr__trial_value(const tsr__trial *trial, const char *metric); /* a share */
tsr__cell tsr__experiment_cell(const tsr_experiment *experiment, int64_t row, int64_t method,
                               const char *metric);

/* verdict.c: what a method's draws say of its published figure. */
typedef enum tsr__verdict_name {
    TSR_VERDICT_NONE,       /* no figure, or too few draws to say anything */
    TSR_VERDICT_REPRODUCED, /* the 95 % interval lies within three points of it */
    TSR_VERDICT_NEAR,       /* the same of a variant that the paper does not state */
    TSR_VERDICT_UNDECIDED,  /* it lies within and without */
    TSR_VERDICT_ORDER,      /* without; but the methods stand in the published order */
    TSR_VERDICT_NOT
} tsr__verdict_name;
typedef struct tsr__verdict {
    tsr__verdict_name name;
    tsr__cell cell; /* ours */
    double half;    /* the interval's half */
    int64_t pairs,
        sure; /* published orders with other methods, and those that paired tests confirm */
    int64_t reversed; /*   or refute; */
    int64_t against;  /*   one of the latter, or -1 */
} tsr__verdict;
tsr__verdict tsr__experiment_verdict(const tsr_experiment *experiment, int64_t method,
                                     const char *metric);
/* In words, such as "order only (5 of 7 pairs sure)". */
void tsr__verdict_tell(tsr__line *out, const tsr_experiment *experiment,
                       const tsr__verdict *verdict);

/* history.c: J of the first draw of every row and method, thinned; and what was kept of one. */
typedef struct tsr__curve {
    int64_t *iteration;
    double *objective;
    int64_t count, room;
} tsr__curve;
void tsr__history_print(FILE *to, const tsr_experiment *experiment, const tsr__trial *trial,
                        const tsr_encoder *encoder);
tsr_status tsr__curve_take(tsr__curve *out, const tsr__input *lines, const char *row,
                           const char *method);
void tsr__curve_clear(tsr__curve *curve);

/* confusion.c: confusion.csv has the counts of every trial, confusion-METHOD.csv the sum over
 * the draws of a method's best row; where rows differ in the classes they draw, of the one with the
 * most. */
void tsr__confusion_print(FILE *to, const tsr_experiment *experiment, const tsr__trial *trial,
                          const tsr_labels *labels);
tsr_status tsr__confusion_write(const tsr_experiment *experiment, const char *folder);

/* A method's matrix out of the lines of confusion.csv. */
typedef struct tsr__counts {
    tsr__names names; /* of the classes */
    int64_t *count;   /* classes x classes predicted */
    int64_t row;      /* of the table */
} tsr__counts;
tsr_status tsr__counts_take(tsr__counts *out, const tsr_experiment *experiment, int64_t method,
                            const tsr__input *lines);
void tsr__counts_clear(tsr__counts *counts);

/* record.c: the folder of an experiment. It is held while it is written. */
typedef struct tsr__record {
    tsr__lock lock;
    FILE *draws, *confusion, *history;
    char *text[3]; /* of lines in memory */
    size_t size[3];
} tsr__record;
#define TSR_RECORD_NONE                                                                        \
    (tsr__record)                                                                              \
    {                                                                                          \
        TSR_LOCK_NONE, NULL, NULL, NULL, {NULL, NULL, NULL},                                   \
        {                                                                                      \
            0, 0, 0                                                                            \
        }                                                                                      \
    }
/* Begins it or, to resume, takes what is there for done. */
tsr_status tsr__record_open(tsr__record *out, tsr_experiment *experiment, const char *folder,
                            bool resume);
void tsr__record_add(tsr__record *record, const tsr_experiment *experiment,
                     const tsr__trial *trial, const tsr__fitting *fitting);
tsr_status tsr__record_finish(tsr__record *record, tsr_status status); /* its lines */
/* A team's ranks keep their lines in memory for a while, and send them to the first, which has the
 * record; `lines` NULL: there are none. What trials came to is then known to all ranks. */
tsr_status tsr__record_begin_lines(tsr__record *lines);
tsr_status tsr__record_send_lines(tsr__record *record, tsr__record *lines, tsr_team *team);
void tsr__record_end_lines(tsr__record *lines);
tsr_status tsr__trials_share(tsr_experiment *experiment, tsr_team *team);
void tsr__record_drop(tsr__record *record);
tsr_status tsr__record_tables(const tsr_experiment *experiment, const char *folder);

/* The experiment that a folder holds, as far as it was run. */
tsr_status tsr__record_read(tsr_experiment **out, const char *folder);
/* A file of the folder; none there is empty. */
tsr_status tsr__record_lines(tsr__input *out, const char *folder, const char *name);

#endif
