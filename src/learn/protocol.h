/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Protocols: how a table or figure is made, as a small readable file.
 *
 *     # words for the reader
 *     key = value            the study's settings, and settings of all methods
 *     [method]               a column of the table: a model or baseline, or any name
 *     key = value            its own settings; `model = NAME` where the name is not the model's
 *
 * Keys are the rows of the study table, of the method table, of `tessera fit` and, in the head, of
 * `tessera features`; a key of the head that several know holds for all of them. */
#ifndef TSR_LEARN_PROTOCOL_H
#define TSR_LEARN_PROTOCOL_H

#include "io/data.h"
#include "io/file.h"

typedef enum tsr__task_name { TSR_TASK_CLUSTER, TSR_TASK_CLASSIFY } tsr__task_name;

/* One setting a member; see the table in protocol.c. */
typedef struct tsr__study {
    const char *title, *data, *features, *labels, *groups, *vary, *published, *published_rows;
    int task, summary; /* summary: 0 average, 1 best */
    int64_t classes, draws, folds, train, test, seed;
    int64_t size[2];
} tsr__study;

typedef struct tsr__method {
    char *name;
    const char *published_as; /* the name of its published figures; NULL: its own */
    tsr_fit_options fit;
    bool unit_codes, seeded, whole_rank; /* whole_rank: rank as the recognition papers */
    bool post_hoc;                       /* what the paper does not state */
    int encode;                          /* as tsr_transform_options.method */
    int ranked; /* 0 no, 1 Fisher, 2 least reconstruction error, 3 as they were learnt */
    int64_t rank_per_class, clusterings, vote;
} tsr__method;

typedef struct tsr__protocol {
    tsr__study study;
    tsr_features_options features; /* where the study has features made */
    tsr__method *method;
    int64_t methods, method_room;
    char *key;         /* what the rows of the table vary; NULL: one row */
    tsr__names values; /* of it, row by row */
    tsr__names rows;   /* what the published figures call them */
    tsr__names texts;  /* owns what the settings point at */
    tsr__input source; /* the file's bytes */
} tsr__protocol;

/* Reads a protocol; unknown keys are named with their line and the nearest known one. */
tsr_status tsr__protocol_read(tsr__protocol *out, const char *path);
void tsr__protocol_clear(tsr__protocol *protocol);

/* True when two methods differ only in what they do with a fit, on any draw. */
bool tsr__method_same_fit(const tsr__method *a, const tsr__method *b);

/* Sets KEY = VALUE for a method (fit or method settings); used for what a row varies. */
tsr_status tsr__method_set(tsr__method *method, const char *key, const char *value);

const tsr_setting *tsr__study_settings(void);
const tsr_setting *tsr__method_settings(void);

#endif
