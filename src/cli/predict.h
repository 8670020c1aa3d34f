/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Predicted classes, as several commands make, judge and show them. */
#ifndef TSR_CLI_PREDICT_H
#define TSR_CLI_PREDICT_H

#include "base/json.h"
#include "base/status.h"

#include <stdio.h>

/* What commands that predict take. */
typedef struct prediction {
    bool wanted;
    int by; /* one of the values below */
} prediction;
enum { PREDICT_AUTO, PREDICT_BLOCK, PREDICT_NEAREST };
const tsr_setting *predict_settings(void);

/* Whether classes shall be predicted: also where only the way was named. */
bool predict_wanted(const prediction *p);

/* Classes with the model's names, and how they did. */
typedef struct predicted {
    bool trained;       /* the samples are those of the fit */
    tsr_labels *labels; /* NULL: nothing was predicted */
    double *score;
    tsr_judgement how;
} predicted;

/* Predicts and judges: `data` are the samples of the codes. Auto is by block where there are
 * blocks. Labels that the learner saw are not judged; `trained` says that the data are those
 * of the fit. */
tsr_status predict_classes(predicted *out, const tsr_model *model, const tsr_matrix *codes,
                           const tsr_data *data, bool trained, int by);
void predicted_clear(predicted *p);

/* "  accuracy  0.7100 of 320 samples .." with the name padded to `width`; nothing where nothing
 * was judged. */
void predicted_summary(const predicted *p, int width, FILE *to);

/* A line a sample: name or number, class, score, separated by tabs. */
void predicted_lines(const predicted *p, const tsr_data *data, FILE *to);

/* accuracy, judged and predictions; nothing where nothing was predicted. */
void predicted_json(tsr__json *root, const predicted *p, const tsr_data *data);

#endif
