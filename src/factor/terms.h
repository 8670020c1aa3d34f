/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The terms of J by name. */
#ifndef TSR_FACTOR_TERMS_H
#define TSR_FACTOR_TERMS_H

/* Terms of J, each by the setting that gives its weight. */
typedef enum tsr__term_name {
    TSR_TERM_LOSS,
    TSR_TERM_CLASS,
    TSR_TERM_GRAPH,
    TSR_TERM_LINKS,
    TSR_TERM_DECORRELATE,
    TSR_TERM_ALPHA_CODES,
    TSR_TERM_ALPHA_BASIS,
    TSR_TERMS
} tsr__term_name;
extern const char *const tsr__term_names[TSR_TERMS];

#endif
