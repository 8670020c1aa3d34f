/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What is asked: a row of the model table and the user's options, resolved before any data are
 * seen. What cannot be done with any data is refused here.
 *
 * It points at the table and the options, which must outlive it, and owns nothing. */
#ifndef TSR_FACTOR_SPEC_H
#define TSR_FACTOR_SPEC_H

#include "factor/models.h"

typedef struct tsr__spec {
    const tsr__model_row *row;
    const tsr_fit_options *options;
    const tsr__loss *loss;
    tsr__basis_name basis;
    tsr__codes_name codes;
    tsr__weights weights; /* all resolved */
    tsr__unit unit;
    bool mu, ncw, ncw_loss, divergence;
    tsr_type type;
} tsr__spec;

tsr_status tsr__spec_make(tsr__spec *out, const tsr_fit_options *options);

/* True when classes of samples are needed. */
bool tsr__spec_needs_labels(const tsr__spec *spec);

/* True when J ties codes to more than their own sample and an elastic net. */
bool tsr__spec_joins(const tsr__spec *spec);

/* The basis may move before all samples were seen: it is free, and J has no term on the codes. */
bool tsr__spec_batches(const tsr__spec *spec);

/* True when samples have neighbours. */
static inline bool tsr__spec_has_graph(const tsr__spec *spec)
{
    return spec->weights.of[TSR_WEIGHT_GRAPH] > 0 || spec->weights.of[TSR_WEIGHT_DIFFUSE] > 0;
}

/* True when pairs are listed, in a file or in memory. */
static inline bool tsr__spec_has_links(const tsr__spec *spec)
{
    return spec->options->links != NULL || spec->options->links_matrix != NULL;
}

/* What a weight of 1 is in units of the data, for a term that the codes enter by this power
 * (basis: one on the basis alone). */
double tsr__spec_unit(const tsr__spec *spec, double rho, int degree);

/* The elastic net on the codes as terms of J: lasso sum G + ridge / 2 ||G||^2. */
void tsr__spec_elastic(double *lasso, double *ridge, const tsr__spec *spec, int64_t features);

/* init.c: whether a start has this name, or may be a file of it; and whether the start of these
 * options is one for all seeds, so that restarts after the first are random. */
tsr_status tsr__init_check(const char *name);
bool tsr__init_once(const tsr_fit_options *options);

#endif
