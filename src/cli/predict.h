/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Predicted classes, as several commands show them. */
#ifndef TSR_CLI_PREDICT_H
#define TSR_CLI_PREDICT_H

#include "base/json.h"
#include "base/status.h"

/* What commands that predict take. */
typedef struct prediction {
    bool wanted;
    int by; /* one of the values below */
} prediction;
enum { PREDICT_AUTO, PREDICT_BLOCK, PREDICT_NEAREST };
const tsr_setting *predict_settings(void);

/* Classes of the codes as labels with the model's names; auto: by block where there are any. */
tsr_status predict_classes(tsr_labels **out, const tsr_model *model, const tsr_matrix *codes,
                           int by);

/* Share of the samples whose true class is known that were given it; -1 where none is known. */
double predicted_right(const tsr_labels *predicted, const tsr_labels *truth);

/* The names as an array "predicted"; nothing where there are none. */
void predicted_json(tsr__json *root, const tsr_labels *predicted);

#endif
