/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The settings of fitting and transforming.
 *
 * Each row is the one place of its name, kind, range, default and help: parsing, `--help`,
 * checks and the record in archives walk the tables (base/settings.h). The order is that of the
 * help, and of the recorded texts of a model. Choices are counted from 0 in the order of their
 * words, which spec.c and others rely on; so a new word goes behind the others. A weight of -1
 * is "the row's own", since 0 switches a term off. */
#include "base/settings.h"

/* clang-format off */
#define FIT tsr_fit_options
static const tsr_setting fit_table[] = {
    TSR_TEXT_ROW(FIT, model, "model", 'm', "nmf", "NAME", "a row of `tessera models`"),
    TSR_INTEGER_ROW(FIT, rank, "rank", 'k', 0, 1e9, "0", "K", "basis vectors; 0: the number of classes, else 10"),
    TSR_INTEGER_ROW(FIT, per_class, "per-class", 0, 0, 1e9, "0", "R", "class-driven: vectors a class; 0: rank / classes"),
    TSR_INTEGER_ROW(FIT, shared, "shared", 0, 0, 1e9, "0", "S", "class-driven: vectors of no class, last"),
    TSR_CHOICE_ROW(FIT, loss, "loss", "model|frobenius|kl|is", "loss; default: the model's"),
    TSR_CHOICE_ROW(FIT, basis, "basis", "model|free|concept", "basis free, or spanned by the samples"),
    TSR_CHOICE_ROW(FIT, codes, "codes", "model|free|tied", "codes free, or one a labelled class"),
    TSR_REAL_ROW(FIT, class_weight, "class", -1, INFINITY, "-1", "W", "class-driven weight; -1: the model's"),
    TSR_REAL_ROW(FIT, graph, "graph", -1, INFINITY, "-1", "W", "graph weight; -1: the model's"),
    TSR_REAL_ROW(FIT, label_edge, "label-edge", -1, INFINITY, "-1", "W", "graph: weight of edges between samples of one label, 0: ignore labels; -1: the model's"),
    TSR_REAL_ROW(FIT, diffuse, "diffuse", -1, 1e9, "-1", "W", "graph: how much clusters of codes heed neighbours, 0: not; -1: the model's, 0 with --graph 0"),
    TSR_REAL_ROW(FIT, decorrelate, "decorrelate", -1, INFINITY, "-1", "W", "de-correlation of the basis; -1: the model's"),
    TSR_REAL_ROW(FIT, smooth, "smooth", -1, INFINITY, "-1", "W", "smoothness of the parts of pictures; -1: the model's, which is 0"),
    TSR_REAL_ROW(FIT, must, "must", -1, INFINITY, "-1", "W", "must-link weight of labelled pairs; -1: the model's"),
    TSR_REAL_ROW(FIT, cannot, "cannot", -1, INFINITY, "-1", "W", "cannot-link weight of labelled pairs; -1: the model's"),
    TSR_CHOICE_ROW(FIT, weight_unit, "weight-unit", "auto|data|one", "unit of the weights: the data's own, or one as the papers; auto: one under mu"),
    TSR_TEXT_ROW(FIT, links, "links", 0, NULL, "FILE", "links i,j,weight in place of labelled pairs: > 0 cannot, < 0 must"),
    TSR_CHOICE_ROW(FIT, link_form, "link-form", "bounded|reward", "must-links as distances, or as the papers' unbounded reward"),
    TSR_CHOICE_ROW(FIT, graph_form, "graph-form", "auto|distance|divergence", "graph term of squared distances, or of divergences between codes (KL); auto: under mu as the row's paper"),
    TSR_TEXT_ROW(FIT, graph_file, "graph-file", 0, NULL, "FILE", "your own graph: symmetric, samples x samples, >= 0"),
    TSR_INTEGER_ROW(FIT, neighbours, "neighbours", 'p', 1, 1e6, "5", "P", "neighbours a sample in the graph"),
    TSR_INTEGER_ROW(FIT, between, "between", 0, 0, 1e9, "0", "N", "mfa: nearest pairs of a class with others; 0: ten for each of its samples"),
    TSR_CHOICE_ROW(FIT, graph_weight, "graph-weight", "binary|heat|cosine", "weights of its edges"),
    TSR_REAL_ROW(FIT, heat, "heat", 0, INFINITY, "0", "T", "heat weights exp(-d^2 / T); 0: the neighbours' mean d^2"),
    TSR_CHOICE_ROW(FIT, kernel, "kernel", "linear|rbf|polynomial|cosine", "concept models: inner product of samples"),
    TSR_REAL_ROW(FIT, kernel_width, "kernel-width", 0, INFINITY, "0", "T", "rbf: exp(-d^2 / T); 0: the mean d^2"),
    TSR_REAL_ROW(FIT, kernel_degree, "kernel-degree", 1, 100, "2", "D", "polynomial: (1 + x.y)^D"),
    TSR_REAL_ROW(FIT, alpha_basis, "alpha-basis", 0, INFINITY, "0", "A", "elastic net on the basis, as scikit-learn's alpha_H"),
    TSR_REAL_ROW(FIT, alpha_codes, "alpha-codes", 0, INFINITY, "0", "A", "elastic net on the codes, as scikit-learn's alpha_W"),
    TSR_REAL_ROW(FIT, l1_ratio, "l1-ratio", 0, 1, "0", "R", "share of L1 in the elastic net"),
    TSR_CHOICE_ROW(FIT, normalize, "normalize", "none|l2|l1|max", "scale every sample first"),
    TSR_CHOICE_ROW(FIT, weighting, "weighting", "model|none|ncw|ncw-loss", "weigh samples as normalised cuts do: divided, or in the loss"),
    TSR_CHOICE_ROW(FIT, missing, "missing", "error|mask", "whether NaN is refused or left out of the loss"),
    TSR_TEXT_ROW(FIT, mask, "mask", 0, NULL, "FILE", "a matrix whose non-zeros mark missing entries"),
    TSR_TEXT_ROW(FIT, labelled, "labelled", 0, NULL, "N|P%", "labels kept a class, by --seed; the rest is hidden from the learner"),
    TSR_CHOICE_ROW(FIT, basis_norm, "basis-norm", "auto|none|l1|l2", "norm of basis vectors; see doc/mathematics.md"),
    TSR_CHOICE_ROW(FIT, solver, "solver", "auto|mu|cd", "mu: the papers' multiplicative rules"),
    TSR_CHOICE_ROW(FIT, plan, "plan", "auto|stream|team", "stream, team: rules that read samples once and in order, as data larger than --memory and teams need"),
    TSR_INTEGER_ROW(FIT, batch, "batch", 0, 0, 1e15, "0", "N", "begin with N samples, drawn in blocks, and grow to all; 0: all at once"),
    TSR_REAL_ROW(FIT, forget, "forget", 0, 1, "1", "R", "with --more: what each batch leaves of what was learnt before it"),
    TSR_INTEGER_ROW(FIT, iterations, "iterations", 0, 0, 1e9, "2000", "N", "at most so many"),
    TSR_REAL_ROW(FIT, tolerance, "tolerance", 0, 1, "1e-3", "T", "stop when as many again would gain less of J; 0: run all"),
    TSR_TEXT_ROW(FIT, init, "init", 0, "auto", "HOW", "auto, random, nndsvd, nndsvda, nndsvdar, kmeans, means, best, or FILE (.npz, .h5)"),
    TSR_INTEGER_ROW(FIT, restarts, "restarts", 0, 1, 1e6, "1", "N", "fits from as many starts; the best objective is kept"),
    TSR_INTEGER_ROW(FIT, seed, "seed", 0, 0, 9e15, "0", "N", "of everything random"),
    TSR_INTEGER_ROW(FIT, threads, "threads", 0, 0, 4096, "0", "N", "threads of the solver, 0: all processors"),
    TSR_TEXT_ROW(FIT, checkpoint, "checkpoint", 0, NULL, "OUT.h5", "write the model so far every minute; --resume goes on from it"),
    TSR_CHOICE_ROW(FIT, precision, "precision", "double|single", "type of the numbers"),
    TSR_OBJECT_ROW(FIT, mask_matrix, "mask-matrix", "matrix", "samples x features, in place of mask"),
    TSR_OBJECT_ROW(FIT, links_matrix, "links-matrix", "matrix", "rows of i, j, weight, in place of links"),
    TSR_OBJECT_ROW(FIT, graph_matrix, "graph-matrix", "matrix", "samples x samples, in place of graph-file"),
    TSR_OBJECT_ROW(FIT, init_basis, "init-basis", "matrix", "start: rank x features, with init-codes"),
    TSR_OBJECT_ROW(FIT, init_weights, "init-weights", "matrix", "start of concept models: samples x rank, with init-codes"),
    TSR_OBJECT_ROW(FIT, init_codes, "init-codes", "matrix", "start: samples x rank, with init-basis or init-weights"),
    TSR_OBJECT_ROW(FIT, sample_weights, "sample-weights", "matrix", "samples x 1: weight of each sample in the loss"),
    TSR_OBJECT_ROW(FIT, progress, "progress", "progress", "hears of every iteration, and may stop the fit"),
    TSR_END_ROW,
};

#define TRANSFORM tsr_transform_options
static const tsr_setting transform_table[] = {
    TSR_CHOICE_ROW(TRANSFORM, method, "method", "loss|inverse|product", "codes by the loss, by pseudo-inverse, or as F' x"),
    TSR_INTEGER_ROW(TRANSFORM, iterations, "iterations", 0, 1, 1e9, "1000", "N", "exact steps of a sample at most"),
    TSR_REAL_ROW(TRANSFORM, tolerance, "tolerance", 0, 1, "1e-9", "T", "a sample is done when its optimality residual is below"),
    TSR_INTEGER_ROW(TRANSFORM, threads, "threads", 0, 0, 4096, "0", "N", "threads, 0: all processors"),
    TSR_OBJECT_ROW(TRANSFORM, progress, "progress", "progress", "hears how far it is, and may stop it"),
    TSR_END_ROW,
};
/* clang-format on */

const tsr_setting *tsr_fit_settings(void)
{
    return fit_table;
}

const tsr_setting *tsr_transform_settings(void)
{
    return transform_table;
}

void tsr_fit_defaults(tsr_fit_options *options)
{
    if (options == NULL)
        return;
    *options = (tsr_fit_options){0}; /* what lies between members, too */
    tsr_settings_default(fit_table, options);
}
