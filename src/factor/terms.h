/* SPDX-License-Identifier: BSD-2-Clause
 *
 * THE TABLE OF TERMS: what J may be made of, by name. A row is a file that fills a
 * tsr__term_kind (solver.h); model rows, settings, texts, messages, reports, archives and the
 * laws walk over it. */
#ifndef TSR_FACTOR_TERMS_H
#define TSR_FACTOR_TERMS_H

#include "tessera/tessera.h"

/* Terms as they are reported, each under a name that is also its setting's where it has one. */
#define TSR_EACH_TERM(do)                                                                      \
    do                                                                                         \
    (LOSS, "loss") do(CLASS, "class") do(GRAPH, "graph") do(LINKS, "links") do(                \
        ALPHA_CODES, "alpha-codes") do(DECORRELATE, "decorrelate") do(ALPHA_BASIS,             \
                                                                      "alpha-basis")
#define TSR_TERM_ROW(name, text) TSR_TERM_##name,
typedef enum tsr__term_name { TSR_EACH_TERM(TSR_TERM_ROW) TSR_TERMS } tsr__term_name;
#undef TSR_TERM_ROW
extern const char *const tsr__term_names[TSR_TERMS];

/* Weights that a model's row presets and the setting of the same name changes. */
typedef enum tsr__weight_name {
    TSR_WEIGHT_CLASS,
    TSR_WEIGHT_GRAPH,
    TSR_WEIGHT_LABEL_EDGE, /* of edges in the graph, not of a term */
    TSR_WEIGHT_MUST,
    TSR_WEIGHT_CANNOT,
    TSR_WEIGHT_DECORRELATE,
    TSR_WEIGHTS
} tsr__weight_name;
extern const char *const tsr__weight_names[TSR_WEIGHTS];

enum { TSR_MOST_TERMS = 8 };

typedef struct tsr__term_kind tsr__term_kind;
extern const tsr__term_kind *const tsr__term_kinds[]; /* those on the codes first; then NULL */

/* What a term cannot be without. */
enum { TSR_NEEDS_LABELS = 1, TSR_NEEDS_NEIGHBOURS = 2, TSR_NEEDS_PICTURES = 4 };

/* The weight by which `tessera select` varies these options: the first of a term that they have;
 * NULL: none. */
const char *tsr__terms_weight(const tsr_fit_options *options);

#endif
