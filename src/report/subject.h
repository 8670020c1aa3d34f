/* SPDX-License-Identifier: BSD-2-Clause
 *
 * WHAT A PAGE ABOUT A MODEL SHOWS: gathered once (subject.c), then walked by a table of sections
 * (model_page.c), each a function below. */
#ifndef TSR_REPORT_SUBJECT_H
#define TSR_REPORT_SUBJECT_H

#include "factor/model.h"
#include "report/page.h"

typedef struct tsr__subject {
    tsr_page *page;
    const tsr_page_options *options;
    const tsr_model *model;
    tsr_model_info info;
    tsr_fit_report report;
    const tsr_data *data; /* or NULL */
    bool trained;         /* the samples are those of the fit */
    bool linear;          /* basis vectors are of the samples' space: no kernel */

    const tsr_labels *labels;   /* of the samples, or NULL */
    const tsr_matrix *basis;    /* k x m */
    const tsr_matrix *codes;    /* n x k */
    const tsr_matrix *diffused; /* the same, as clusters see them */
    tsr_matrix *made;           /* the codes, where they were made for this page */
    tsr_matrix *prepared;       /* the samples as the model sees them, n x m; or NULL */
    int64_t n, m, k;
    tsr_image_shape image; /* height 0: no pictures */
    bool both_signs;       /* of the basis */

    double *length;    /* of each vector: what it contributes to a sample is code x length */
    double *share;     /* of each vector, in the contributions to all samples */
    int64_t *by_share; /* vectors, most first; the first `parts` are shown */
    int64_t parts;
    int32_t *class;    /* of each vector: that it serves most, of the model's labels, or -1 */
    double *served;    /* how much of it goes there */
    int64_t *by_class; /* the parts that are shown, by class, those of none last */
    int64_t *sample;   /* those that are shown, by class */
    int64_t samples;
} tsr__subject;

tsr_status tsr__subject_open(tsr__subject *out, tsr_page *page, const tsr_model *model,
                             const tsr_data *data, const tsr_page_options *options);
void tsr__subject_clear(tsr__subject *subject);

/* The class of sample i, -1 where it is not known; and what is shown of it: "?". */
int32_t tsr__subject_class(const tsr__subject *s, int64_t i);
const char *tsr__subject_class_name(const tsr__subject *s, int64_t i);

/* Name of a sample ("sample 12" where it has none), of a feature, of a part; returns `out`. */
enum { TSR_NAME_SIZE = 256 };
const char *tsr__subject_sample(char out[TSR_NAME_SIZE], const tsr__subject *s, int64_t i);
const char *tsr__subject_feature(char out[TSR_NAME_SIZE], const tsr__subject *s, int64_t j);
const char *tsr__subject_part(char out[TSR_NAME_SIZE], int64_t vector);

/* What each vector contributes to sample i (k), and the vectors by that, most first (k). */
void tsr__subject_contributions(double *out, const tsr__subject *s, int64_t i);
void tsr__order_by(int64_t *order, const double *value, int64_t count);

/* The sections. */
tsr_status tsr__show_fit(tsr__subject *s);
tsr_status tsr__show_parts(tsr__subject *s);
tsr_status tsr__show_convergence(tsr__subject *s);
tsr_status tsr__show_codes(tsr__subject *s);
tsr_status tsr__show_sums(tsr__subject *s);
tsr_status tsr__show_clusters(tsr__subject *s);
tsr_status tsr__show_predictions(tsr__subject *s);
tsr_status tsr__show_classes(tsr__subject *s);
tsr_status tsr__show_overlays(tsr__subject *s);
tsr_status tsr__show_again(tsr__subject *s);

#endif
