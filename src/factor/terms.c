/* SPDX-License-Identifier: BSD-2-Clause
 *
 * THE TABLE OF TERMS. A new term is one file term_NAME.c, its row here, a name or two in terms.h,
 * a setting for its weight (options.c) and its section in doc/mathematics.md. */
#include "factor/terms.h"

#include "factor/solver.h"

extern const tsr__term_kind tsr__term_class, tsr__term_graph, tsr__term_divergence,
    tsr__term_links, tsr__term_pairs, tsr__term_lasso_codes, tsr__term_ridge_codes,
    tsr__term_decorrelate, tsr__term_elastic_basis, tsr__term_smooth;

/* Terms on the codes stand first: a plan counts them, and walks over those alone where values
 * and prices of the codes are made. Within J the order is also that of the sums, so that it is
 * part of the bits. */
const tsr__term_kind *const tsr__term_kinds[] = {&tsr__term_class,
                                                 &tsr__term_graph,
                                                 &tsr__term_divergence,
                                                 &tsr__term_links,
                                                 &tsr__term_pairs,
                                                 &tsr__term_lasso_codes,
                                                 &tsr__term_ridge_codes,
                                                 &tsr__term_smooth,
                                                 &tsr__term_decorrelate,
                                                 &tsr__term_elastic_basis,
                                                 NULL};

const char *const tsr__term_names[TSR_TERMS] = {
    "loss", "class", "graph", "links", "alpha-codes", "smooth", "decorrelate", "alpha-basis"};

const char *const tsr__weight_names[TSR_WEIGHTS] = {"class", "graph",  "label-edge",  "diffuse",
                                                    "must",  "cannot", "decorrelate", "smooth"};

/* Presets count beside what was set: at weight 0 a model is still one of that term, and its
 * weight the one to vary. */
const char *tsr__terms_weight(const tsr_fit_options *options)
{
    tsr__spec spec;
    if (tsr__spec_make(&spec, options) < 0)
        return NULL;
    for (int i = 0; tsr__term_kinds[i] != NULL; i++) {
        const tsr__weight_name w = tsr__term_kinds[i]->weights[0];
        if (w != TSR_WEIGHTS && (spec.row->weights[0].of[w] > 0 || spec.weights.of[w] > 0))
            return tsr__weight_names[w];
    }
    return NULL;
}
