/* SPDX-License-Identifier: BSD-2-Clause
 *
 * THE TABLE OF TERMS: what J may be made of, by name. A row is a file that fills a
 * tsr__term_kind (solver.h); model rows, settings, texts, messages, reports, archives and the
 * laws walk over it. */
#ifndef TSR_FACTOR_TERMS_H
#define TSR_FACTOR_TERMS_H

#include "tessera/tessera.h"

/* Terms as they are reported, under the name of their setting where they have one. The elastic
 * net on the codes is two terms under one name; so are both kinds of links. */
typedef enum tsr__term_name {
    TSR_TERM_LOSS,
    TSR_TERM_CLASS,
    TSR_TERM_GRAPH,
    TSR_TERM_LINKS,
    TSR_TERM_ALPHA_CODES,
    TSR_TERM_SMOOTH,
    TSR_TERM_DECORRELATE,
    TSR_TERM_ALPHA_BASIS,
    TSR_TERMS
} tsr__term_name;
extern const char *const tsr__term_names[TSR_TERMS];

/* Weights that a model's row presets and the setting of the same name changes. */
typedef enum tsr__weight_name {
    TSR_WEIGHT_CLASS,
    TSR_WEIGHT_GRAPH,
    TSR_WEIGHT_LABEL_EDGE, /* of edges in the graph, not of a term */
    TSR_WEIGHT_DIFFUSE,    /* of the graph in what clusters see of the codes, not of a term */
    TSR_WEIGHT_MUST,
    TSR_WEIGHT_CANNOT,
    TSR_WEIGHT_DECORRELATE,
    TSR_WEIGHT_SMOOTH,
    TSR_WEIGHTS
} tsr__weight_name;
extern const char *const tsr__weight_names[TSR_WEIGHTS];

/* As many as can meet: of the ten kinds, links of labels and links of a list exclude each
 * other, and so do both forms of a graph. */
enum { TSR_MOST_TERMS = 8 };

typedef struct tsr__term_kind tsr__term_kind;
extern const tsr__term_kind *const tsr__term_kinds[]; /* those on the codes first; then NULL */

/* What a term cannot be without. */
enum {
    TSR_NEEDS_LABELS = 1,
    TSR_NEEDS_NEIGHBOURS = 2,
    TSR_NEEDS_PICTURES = 4,
    TSR_NEEDS_LINKS = 8 /* labels, unless the user lists pairs */
};

/* The weight by which `tessera select` varies these options: the first of a term that they have;
 * NULL: none. */
const char *tsr__terms_weight(const tsr_fit_options *options);

#endif
