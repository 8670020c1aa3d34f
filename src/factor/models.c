/* SPDX-License-Identifier: BSD-2-Clause
 *
 * THE MODEL TABLE. A new model is one row here and one section in doc/mathematics.md; the laws
 * of tests/ then walk over it. Weights stand twice: the papers' own, which count as they are
 * (`mu`), and those in units of the data, the default of every other solver. */
#include "factor/models.h"

#include "base/text.h"

#include <string.h>

#define F    TSR_LOSS_FROBENIUS
#define KL   TSR_LOSS_KL
#define FREE TSR_BASIS_FREE
#define XW   TSR_BASIS_CONCEPT
#define G    TSR_CODES_FREE
#define AZ   TSR_CODES_TIED
#define NONE                                                                                   \
    {                                                                                          \
        {.graph = 0},                                                                          \
        {                                                                                      \
            .graph = 0                                                                         \
        }                                                                                      \
    }

/* clang-format off */
const tsr__model_row tsr__models[] = {
    /* name, loss, basis, codes, weights: as published, and in units of the data;
     *      links, root, ncw; for people: name, supervision used, citation */
    {"nmf",     F,  FREE, G,  NONE,
     false, false, false, "non-negative matrix factorization", "nothing", "Lee & Seung 1999, 2000"},
    {"nmf-kl",  KL, FREE, G,  NONE,
     false, false, false, "NMF under Kullback-Leibler loss", "nothing", "Lee & Seung 1999, 2000"},
    {"nmf-ncw", F,  FREE, G,  NONE,
     false, false, true, "NMF with normalised-cut weights", "nothing", "Xu, Liu & Gong 2003"},
    {"gnmf",    F,  FREE, G,  {{.graph = 100}, {.graph = 0.1}},
     false, false, false, "graph-regularised NMF", "neighbours", "Cai et al. 2011"},
    {"gnmf-kl", KL, FREE, G,  {{.graph = 100}, {.graph = 0.01}},
     false, true, false, "graph-regularised NMF, KL", "neighbours", "Cai et al. 2011"},
    {"sgnmf",   F,  FREE, G,  {{.graph = 100, .label_edge = 1}, {.graph = 0.1, .label_edge = 1}},
     false, false, false, "graph-regularised NMF with label edges", "neighbours, labels", "Cai et al. 2011; Liu et al. 2012"},
    {"cnmf",    F,  FREE, AZ, NONE,
     false, false, false, "label-constrained NMF", "labels", "Liu et al. 2012"},
    {"cnmf-kl", KL, FREE, AZ, NONE,
     false, false, false, "label-constrained NMF, KL", "labels", "Liu et al. 2012"},
    {"cdnmf",   F,  FREE, G,  {{.class_driven = 1}, {.class_driven = 1}},
     false, false, false, "class-driven NMF", "labels", "Xiao et al. 2013"},
    {"cdnmf-kl",KL, FREE, G,  {{.class_driven = 10}, {.class_driven = 10}},
     false, false, false, "class-driven NMF, KL", "labels", "Xiao et al. 2013"},
    {"cf",      F,  XW,   G,  NONE,
     false, false, false, "concept factorization", "nothing", "Xu & Gong 2004"},
    {"cdcf",    F,  XW,   G,  {{.class_driven = 1}, {.class_driven = 1}},
     false, false, false, "class-driven concept factorization", "labels", "class-driven concept factorization 2016"},
    {"lccf",    F,  XW,   G,  {{.graph = 100}, {.graph = 0.1}},
     false, false, false, "locally consistent concept factorization", "neighbours", "Cai, He & Han 2011"},
    {"ccf",     F,  XW,   AZ, NONE,
     false, false, false, "constrained concept factorization", "labels", "Liu et al. 2014"},
    {"snmf",    F,  FREE, G,  {{.links_must = 0.005, .links_cannot = 0.005}, {.links_must = 0.05, .links_cannot = 0.05}},
     true, false, false, "NMF with must- and cannot-links (L2-SNMF)", "labels or links", "Wang 2008"},
    {"dsnmf",   KL, FREE, G,  {{.links_must = 0.005, .links_cannot = 1}, {.links_must = 0.015, .links_cannot = 3}},
     true, false, false, "NMF with must- and cannot-links, KL (D-SNMF)", "labels or links", "Ambai et al. 2011"},
    {"unmf",    F,  FREE, G,  {{.decorrelate = 1}, {.decorrelate = 1e-5}},
     false, false, false, "de-correlated NMF", "nothing", "Huang et al. 2014"},
    {"ugnmf",   F,  FREE, G,  {{.graph = 100, .decorrelate = 1}, {.graph = 0.1, .decorrelate = 1e-4}},
     false, false, false, "de-correlated graph-regularised NMF (UGRNMF)", "neighbours", "Huang et al. 2014"},
    {NULL,      F,  FREE, G,  NONE,
     false, false, false, NULL, NULL, NULL},
};
/* clang-format on */

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

void tsr__model_objective(char *out, size_t size, const tsr__model_row *row)
{
    static const char *const factor[] = {"F", "X W"}, *const codes[] = {"G'", "(A Z)'"};
    static const char *const losses[] = {"||X - %s %s||^2", "KL(X, %s %s)"};
    const char *shape = row->ncw ? "||X Q - %s %s||^2" : losses[row->loss];
    const tsr__weights *w = &row->weights[TSR_UNIT_DATA];
    tsr__line line = {out, 0, size};
    char loss[64];
    tsr__line inner = TSR_LINE(loss);
    for (const char *c = shape, *part[] = {factor[row->basis], codes[row->codes]},
                    **next = part;
         *c != '\0'; c++) {
        if (*c == '%')
            tsr__line_add(&inner, "%s", *next++), c++;
        else
            tsr__line_add(&inner, "%c", *c);
    }
    tsr__line_add(&line, "%s", loss);
    if (w->class_driven > 0)
        tsr__line_add(&line, " + %g <D, G>", w->class_driven);
    if (w->graph > 0)
        tsr__line_add(&line, " + %g tr(G' L G)", w->graph);
    if (w->links_cannot > 0)
        tsr__line_add(&line, " + tr(G' C G)");
    if (w->decorrelate > 0)
        tsr__line_add(&line, " + %g ||I - F' F||^2", w->decorrelate);
}
