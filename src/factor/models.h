/* SPDX-License-Identifier: BSD-2-Clause
 *
 * THE MODEL TABLE from the inside: a named model is one row of choices over one objective,
 *
 *     J(F, G) = Loss(X, F G') + class, graph, links on the codes + de-correlation of the basis
 *
 * with X the samples (columns here, rows in files), F the basis (m x k), G the codes (n x k).
 *
 * A row is constant and a preset: what the user overrides is resolved into a spec (spec.h), and
 * only the spec is asked from then on. */
#ifndef TSR_FACTOR_MODELS_H
#define TSR_FACTOR_MODELS_H

#include "base/status.h"
#include "factor/terms.h"

typedef struct tsr__loss tsr__loss;
extern const tsr__loss tsr__loss_frobenius, tsr__loss_kl, tsr__loss_is;
extern const tsr__loss *const tsr__losses[]; /* in the order of the setting `loss`; then NULL */

typedef enum tsr__basis_name { TSR_BASIS_FREE, TSR_BASIS_CONCEPT } tsr__basis_name;
typedef enum tsr__codes_name { TSR_CODES_FREE, TSR_CODES_TIED } tsr__codes_name;

/* Weights of the terms of J; those of a preset are its defaults, in either unit. */
typedef struct tsr__weights {
    double of[TSR_WEIGHTS];
} tsr__weights;

/* What a weight of 1 means: one in J, as the papers write it, or what the data's size makes as
 * heavy whatever unit they are in (spec.c). */
typedef enum tsr__unit { TSR_UNIT_ONE, TSR_UNIT_DATA } tsr__unit;

typedef struct tsr__model_row {
    const char *name;
    const tsr__loss *loss;
    tsr__basis_name basis;
    tsr__codes_name codes;
    tsr__weights weights[2]; /* by tsr__unit */
    bool links;              /* under `mu`: square-root rule on the codes, unit basis */
    bool
        divergence; /* under `mu`: the graph term is of divergences, its codes by linear systems */
    bool ncw;       /* samples weighted as normalised cuts do */
    const char *title, *uses, *source; /* for people: name, supervision used, citation */
} tsr__model_row;

extern const tsr__model_row tsr__models[]; /* ended by a row without a name */

/* The row of that name, or a failure that suggests the nearest. */
tsr_status tsr__model_find(const tsr__model_row **out, const char *name);

/* The objective of a row as one line of text, weights in units of the data:
 * "||X - F G'||^2 + 0.1 tr(G' L G)". */
void tsr__model_objective(char *out, size_t size, const tsr__model_row *row);

#endif
