/* SPDX-License-Identifier: BSD-2-Clause
 *
 * THE MODEL TABLE. A new model is one row here and one section in doc/mathematics.md; the laws
 * of tests/ then walk over it. Weights stand twice: the papers' own, which count as they are
 * (`mu`), and those in units of the data, the default of every other solver.
 *
 * Loss, basis and codes are the three choices that make a problem; weights only make terms of J
 * that any row could have. No function asks for a row's name: what differs is a member of the
 * row. tests/test_doc.c compares the table with mathematics.md, section 9. */
#include "factor/models.h"

#include "base/text.h"
#include "factor/solver.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define F           &tsr__loss_frobenius
#define KL          &tsr__loss_kl
#define FREE        TSR_BASIS_FREE
#define XW          TSR_BASIS_CONCEPT
#define G           TSR_CODES_FREE
#define AZ          TSR_CODES_TIED
#define CLASS       TSR_WEIGHT_CLASS
#define GRAPH       TSR_WEIGHT_GRAPH
#define LABEL_EDGE  TSR_WEIGHT_LABEL_EDGE
#define DIFFUSE     TSR_WEIGHT_DIFFUSE
#define MUST        TSR_WEIGHT_MUST
#define CANNOT      TSR_WEIGHT_CANNOT
#define DECORRELATE TSR_WEIGHT_DECORRELATE

/* clang-format off */
/* Two lines a row, the second for people. Defaults in units of the data are smaller for graphs:
 * with the basis held at unit length a weight of 100 leaves little but the graph (section
 * 9). */
#define NONE {{{0}}, {{0}}}
const tsr__model_row tsr__models[] = {
    /* name, loss, basis, codes, weights: as published, and in units of the data;
     *      links, divergence, ncw; for people: name, supervision used, citation */
    {"nmf",     F,  FREE, G,  NONE,
     false, false, false, "non-negative matrix factorization", "nothing", "Lee & Seung 1999, 2000"},
    {"nmf-kl",  KL, FREE, G,  NONE,
     false, false, false, "NMF under Kullback-Leibler loss", "nothing", "Lee & Seung 1999, 2000"},
    {"nmf-ncw", F,  FREE, G,  NONE,
     false, false, true, "NMF with normalised-cut weights", "nothing", "Xu, Liu & Gong 2003"},
    {"gnmf",    F,  FREE, G,  {{{[GRAPH] = 100}}, {{[GRAPH] = 0.1, [DIFFUSE] = 2}}},
     false, false, false, "graph-regularised NMF", "neighbours", "Cai et al. 2011"},
    {"gnmf-kl", KL, FREE, G,  {{{[GRAPH] = 100}}, {{[GRAPH] = 0.01, [DIFFUSE] = 2}}},
     false, true, false, "graph-regularised NMF, KL", "neighbours", "Cai et al. 2011"},
    {"sgnmf",   F,  FREE, G,  {{{[GRAPH] = 100, [LABEL_EDGE] = 1}}, {{[GRAPH] = 0.1, [LABEL_EDGE] = 1, [DIFFUSE] = 2}}},
     false, false, false, "graph-regularised NMF with label edges", "neighbours, labels", "Cai et al. 2011; Liu et al. 2012"},
    {"cnmf",    F,  FREE, AZ, NONE,
     false, false, false, "label-constrained NMF", "labels", "Liu et al. 2012"},
    {"cnmf-kl", KL, FREE, AZ, NONE,
     false, false, false, "label-constrained NMF, KL", "labels", "Liu et al. 2012"},
    {"cdnmf",   F,  FREE, G,  {{{[CLASS] = 1}}, {{[CLASS] = 1}}},
     false, false, false, "class-driven NMF", "labels", "Xiao et al. 2013"},
    {"cdnmf-kl",KL, FREE, G,  {{{[CLASS] = 10}}, {{[CLASS] = 10}}},
     false, false, false, "class-driven NMF, KL", "labels", "Xiao et al. 2013"},
    {"cf",      F,  XW,   G,  NONE,
     false, false, false, "concept factorization", "nothing", "Xu & Gong 2004"},
    {"cdcf",    F,  XW,   G,  {{{[CLASS] = 1}}, {{[CLASS] = 1}}},
     false, false, false, "class-driven concept factorization", "labels", "Li, Zhang & Liu 2016"},
    {"lccf",    F,  XW,   G,  {{{[GRAPH] = 100}}, {{[GRAPH] = 0.1, [DIFFUSE] = 2}}},
     false, false, false, "locally consistent concept factorization", "neighbours", "Cai, He & Han 2011"},
    {"ccf",     F,  XW,   AZ, NONE,
     false, false, false, "constrained concept factorization", "labels", "Liu et al. 2014"},
    {"snmf",    F,  FREE, G,  {{{[MUST] = 0.005, [CANNOT] = 0.005}}, {{[MUST] = 0.05, [CANNOT] = 0.05}}},
     true, false, false, "NMF with must- and cannot-links (L2-SNMF)", "labels or links", "Wang 2008"},
    {"dsnmf",   KL, FREE, G,  {{{[MUST] = 0.005, [CANNOT] = 1}}, {{[MUST] = 0.015, [CANNOT] = 3}}},
     true, false, false, "NMF with must- and cannot-links, KL (D-SNMF)", "labels or links", "Ambai et al. 2011"},
    {"unmf",    F,  FREE, G,  {{{[DECORRELATE] = 1}}, {{[DECORRELATE] = 1e-5}}},
     false, false, false, "de-correlated NMF", "nothing", "Huang et al. 2014"},
    {"ugnmf",   F,  FREE, G,  {{{[GRAPH] = 100, [DECORRELATE] = 1}}, {{[GRAPH] = 0.1, [DECORRELATE] = 1e-4, [DIFFUSE] = 2}}},
     false, false, false, "de-correlated graph-regularised NMF (UGRNMF)", "neighbours", "Huang et al. 2014"},
    {NULL,      F,  FREE, G,  NONE,
     false, false, false, NULL, NULL, NULL},
};
/* clang-format on */

/* In the order of the setting `loss`, whose 0 is the row's own. */
const tsr__loss *const tsr__losses[] = {&tsr__loss_frobenius, &tsr__loss_kl, &tsr__loss_is,
                                        NULL};

tsr_status tsr__model_find(const tsr__model_row **out, const char *name)
{
    const char *names[64], *nearest;
    int64_t count = 0;
    for (const tsr__model_row *row = tsr__models; row->name != NULL; row++) {
        if (strcmp(row->name, name) == 0) {
            *out = row;
            return TSR_OK;
        }
        names[count++] = row->name;
    }
    nearest = tsr__nearest(name, names, count);
    return tsr__fail(TSR_ERROR_ARGUMENT,
                     "there is no model '%s'%s%s%s; `tessera models` lists them", name,
                     nearest != NULL ? " (did you mean " : "", nearest != NULL ? nearest : "",
                     nearest != NULL ? "?)" : "");
}

/* "0.1 tr(G' L G)": a term with the weight that it has, if J shows one. Of two weights the
 * larger is shown: the formula has room for one. */
static void add_term(tsr__line *line, const tsr__term_kind *kind, const tsr__weights *w)
{
    char weight[32] = "";
    double most = 0;
    for (int i = 0; i < 2; i++)
        if (kind->weights[i] != TSR_WEIGHTS)
            most = fmax(most, w->of[kind->weights[i]]);
    if (!(most > 0))
        return;
    (void)snprintf(weight, sizeof weight, "%g ", most);
    tsr__line_add(line, " + ");
    tsr__line_fill(line, kind->formula, (const char *const[]){weight});
}

/* Made of the loss's and the terms' own formulas, so that a new one appears here by itself. */
void tsr__model_objective(char *out, size_t size, const tsr__model_row *row)
{
    static const char *const factor[] = {"F", "X W"}, *const codes[] = {"G'", "(A Z)'"};
    tsr__line line = {out, 0, size};
    char product[32];
    (void)snprintf(product, sizeof product, "%s %s", factor[row->basis], codes[row->codes]);
    tsr__line_fill(&line, row->loss->formula,
                   (const char *const[]){row->ncw ? "X Q" : "X", product});
    for (int i = 0; tsr__term_kinds[i] != NULL; i++)
        if (tsr__term_kinds[i]->weights[0] != TSR_WEIGHT_GRAPH ||
            tsr__term_kinds[i]->logs == row->divergence)
            add_term(&line, tsr__term_kinds[i], &row->weights[TSR_UNIT_DATA]);
}
