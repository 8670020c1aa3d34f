/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Encoders from the inside: a fitted model, or a baseline of the table in encoder.c.
 *
 * A baseline is a row: it learns `factor` and what else its map needs from the prepared
 * samples, and encodes samples by it. Training samples are encoded by the same map as any
 * others, unless learning finds their codes itself. */
#ifndef TSR_LEARN_ENCODER_H
#define TSR_LEARN_ENCODER_H

#include "factor/model.h"

/* What a baseline learns from. */
typedef struct tsr__training {
    const tsr_data *data;
    const tsr_matrix *x; /* samples as prepared: norms, doubles */
    const tsr_fit_options *options;
    const int32_t *seen; /* class of each sample that the learner sees, or -1 */
    int32_t classes;     /* that the labels name; 0: there are none */
} tsr__training;

typedef struct tsr__baseline {
    const char *name, *title;
    int needs;     /* tsr_need: what the samples must be */
    bool labels;   /* cannot do without */
    bool pictures; /* cannot do without */
    bool starts;   /* `factor` are parts, found from a random start; else there is one answer */
    /* The one rank that data let its codes have; NULL: the rank that is asked for. */
    int64_t (*rank)(const tsr_data *data);
    /* Interrupted, it leaves what it has. It may set the training samples' codes. */
    tsr_status (*fit)(tsr_encoder *encoder, const tsr__training *training);
    /* NULL: the prepared samples are the codes, dense or sparse, of their own type. */
    tsr_status (*encode)(tsr_matrix **codes, const tsr_encoder *encoder, const tsr_matrix *x,
                         const tsr_transform_options *options);
} tsr__baseline;

struct tsr_encoder {
    tsr_model *model;              /* or NULL, and then .. */
    const tsr__baseline *baseline; /* .. everything below is in use */
    tsr_matrix *codes;             /* samples x rank */
    int32_t *seen;
    int64_t features, rank;
    tsr_norm normalize;
    double *factor;     /* features x rank */
    double *offset;     /* linear maps: codes = x factor - offset */
    double *gram;       /* ntf: factor' factor */
    double *objective;  /* ntf: after each iteration */
    int64_t iterations; /* ntf */
    tsr_matrix *kept;   /* propagation: the training samples as prepared .. */
    int64_t neighbours; /* .. of which so many are asked; at most as many as there are */
    tsr__names notes;
};

/* The baseline of this name, NULL for a model's name; anything else is an error that names the
 * nearest of both. */
tsr_status tsr__baseline_find(const tsr__baseline **out, const char *name);

/* True when data have what it cannot do without. */
bool tsr__baseline_suits(const tsr__baseline *baseline, const tsr_data *data);

/* The rank that options, classes and data ask for: options->rank, or the number of classes, or
 * 10; at most `limit`, of which a note says what it is ("axes along which the samples vary") if
 * the user wanted more. */
tsr_status tsr__baseline_rank(int64_t *rank, tsr_encoder *encoder,
                              const tsr__training *training, int64_t limit,
                              const char *limited_by);

/* baseline_linear.c: codes = x factor - offset. */
tsr_status tsr__linear_encode(tsr_matrix **codes, const tsr_encoder *encoder,
                              const tsr_matrix *x, const tsr_transform_options *options);
/* Sets factor, offset (mean . factor) and rank, with settled signs; the factor is taken. */
tsr_status tsr__linear_take(tsr_encoder *encoder, double *factor, const double *mean,
                            int64_t rank);
tsr_status tsr__raw_fit(tsr_encoder *encoder, const tsr__training *training);
tsr_status tsr__pca_fit(tsr_encoder *encoder, const tsr__training *training);

/* baseline_fisher.c */
tsr_status tsr__lda_fit(tsr_encoder *encoder, const tsr__training *training);
tsr_status tsr__mfa_fit(tsr_encoder *encoder, const tsr__training *training);

/* baseline_ntf.c */
tsr_status tsr__ntf_fit(tsr_encoder *encoder, const tsr__training *training);
tsr_status tsr__ntf_encode(tsr_matrix **codes, const tsr_encoder *encoder, const tsr_matrix *x,
                           const tsr_transform_options *options);

/* baseline_propagation.c */
tsr_status tsr__propagation_fit(tsr_encoder *encoder, const tsr__training *training);
tsr_status tsr__propagation_encode(tsr_matrix **codes, const tsr_encoder *encoder,
                                   const tsr_matrix *x, const tsr_transform_options *options);

#endif
