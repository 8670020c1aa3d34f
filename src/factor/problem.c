/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Making the problem: values, labels, groups, pairs, and the figures that J needs of the data.
 *
 * A problem depends on what is asked and given, not on the rank: tsr__problem_cut adds the
 * blocks once that is known. Each step relies on those before: labels make the groups, groups
 * make the rows, rows are turned and joined to pairs. Nothing of it changes during a fit, and
 * all starts share it. O(nnz) beside the graph and the kernel. */
#include "factor/solver.h"
#include "matrix/store.h"
#include "matrix/team.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

/* Kernels are of the samples as prepared. Linear kernels of data without a negative entry are
 * never formed: X' (X W) does the same in O(n m k). */
static tsr_status prepare_samples(tsr__problem *p, const tsr__spec *spec, const tsr_data *data)
{
    tsr_status status = TSR_OK;
    const tsr_fit_options *o = spec->options;
    TSR_TRY(tsr__prepare_values(p, spec, data));
    if (spec->basis == TSR_BASIS_CONCEPT) {
        /* the papers' rule for data of either sign needs the signs of X' X, entry by entry */
        const bool negative = p->survey.scan.negative > 0;
        if (negative && o->alpha_basis > 0)
            TSR_FAIL(TSR_ERROR_ARGUMENT,
                     "--alpha-basis needs a basis >= 0, and data below zero "
                     "give one of either sign");
        if (o->kernel != 0 || negative) {
            if (tsr__team_shares(tsr__problem_team(p)))
                TSR_FAIL(
                    TSR_ERROR_UNSUPPORTED,
                    "a kernel is of samples by samples, which a team does not share: linear "
                    "kernels of samples >= 0 need none");
            TSR_TRY(tsr__matrix_need(p->held.x, "a kernel, samples x samples,"));
            TSR_TRY(tsr__kernel_matrix(&p->held.kernel, p->held.x, o, &p->held.kernel_width));
        }
    }
done:
    return status;
}

/* Samples whose label is hidden are -1 like those that have none: what follows cannot tell them
 * apart, which tests/test_honesty.c holds it to. */
static tsr_status take_labels(tsr__problem *p, const tsr__spec *spec, const tsr_data *data)
{
    tsr_status status = TSR_OK;
    const tsr_labels *labels = tsr_data_labels(data);
    TSR_NEW(p->classes.seen, p->samples);
    TSR_TRY(tsr__labels_seen(p->classes.seen, data, spec->options,
                             tsr__spec_needs_labels(spec) ? spec->row->name : NULL));
    p->classes.count = labels != NULL ? labels->classes : 0;
done:
    return status;
}

static double square(double x)
{
    return x * x;
}

/* The part of a Frobenius loss that the factors do not touch: sum w x^2, or the weighted trace
 * of a kernel (before samples are tied). J is that of the original data, constants included
 * (section 2). */
static tsr_status own_square(tsr__problem *p, const tsr__spec *spec)
{
    const tsr_matrix *x = p->held.reduced != NULL ? p->held.reduced : p->held.x;
    p->square = p->survey.squares;
    if (p->held.kernel != NULL) {
        p->square = 0;
        for (int64_t i = 0; i < p->samples; i++)
            p->square += (p->weight != NULL ? tsr__value_at(p->weight, spec->type, i) : 1) *
                         tsr_matrix_at(p->held.kernel, i, i);
        return TSR_OK;
    }
    if (x == p->held.x && p->weight == NULL)
        return TSR_OK;
    return p->streams ? tsr__sum_own(&p->square, x, p->weight, tsr__cut_by(&p->rows), square,
                                     spec->options->threads)
                      : tsr__matrix_squares(&p->square, x, p->weight, spec->options->threads);
}

/* The size of a sample: its root mean square length, in a kernel's own space where there is
 * one, or under KL its mean sum. Weights in units of the data are made of it. Of samples and
 * not of groups, without sample weights: tying codes or weighing samples does not change what a
 * weight means. Data that are all zero have no size; 1 keeps the weights. */
static double size_of(const tsr__problem *p, const tsr__spec *spec)
{
    double sum = 0;
    if (p->held.kernel == NULL)
        sum = spec->loss->degree == 2 ? p->survey.squares : p->survey.magnitudes;
    for (int64_t i = 0; p->held.kernel != NULL && i < p->samples; i++)
        sum += fabs(tsr_matrix_at(p->held.kernel, i, i));
    const double mean = sum / (double)p->samples;
    const double size = spec->loss->degree == 2 ? sqrt(mean) : mean;
    return size > 0 ? size : 1;
}

/* Sparse rows by feature: sums over the samples then run like sums over the features, without
 * an m x k array for each lane. The weights are multiplied in here, once, since a turned row
 * meets samples of different weight. */
static tsr_status turn_rows(tsr__problem *p, const tsr__spec *spec)
{
    tsr_status status = TSR_OK;
    const tsr_matrix *rows = p->held.reduced != NULL ? p->held.reduced : p->held.x;
    tsr_matrix *turned = NULL;
    const bool leaves = p->streams && spec->loss->degree == 2;
    if (p->held.kernel != NULL || !rows->sparse || (p->streams && !leaves))
        return TSR_OK;
    if (leaves && (tsr__matrix_is_stored(rows) || spec->options->batch > 0))
        return TSR_OK;
    if (rows->turned != NULL && (leaves || p->weight == NULL)) {
        p->held.turned = rows->turned;
        return TSR_OK;
    }
    TSR_TRY(tsr__matrix_transpose(&turned, rows, spec->options->threads));
    p->held.turned = p->held.turned_owned = turned;
    for (int64_t e = 0; !leaves && p->weight != NULL && e < tsr_matrix_stored(rows); e++)
        tsr__value_set(turned->values, rows->type, e,
                       tsr__value_at(turned->values, rows->type, e) *
                           tsr__value_at(p->weight, rows->type, turned->columns[e]));
done:
    return status;
}

/* Nothing can be learnt where nothing is known; a sample of which nothing is gets no code that
 * means anything. */
static tsr_status check_known(const tsr__problem *p, const char *subject)
{
    int64_t unknown = 0;
    char note[120];
    for (int64_t i = 0; p->missing != NULL && i < p->samples; i++)
        unknown += p->missing->rows[i + 1] - p->missing->rows[i] == p->features;
    if (unknown == p->samples)
        return tsr__fail(TSR_ERROR_DATA, "%s: all entries are missing", subject);
    if (unknown == 0)
        return TSR_OK;
    (void)snprintf(note, sizeof note,
                   "%lld samples have no known entry: their codes mean nothing",
                   (long long)unknown);
    return tsr__names_add(p->notes, note);
}

/* Squares, and their sum over the samples, must be numbers of the type that they are summed in.
 * Both ends matter: 1e-28 is ten powers of ten above the smallest normal float, below which
 * sums of squares lose their digits. */
static tsr_status check_squares(const tsr__problem *p, const tsr__spec *spec)
{
    double most = p->survey.most;
    const bool fine = most > 1e-290 && most < DBL_MAX / 16 / (double)p->samples;
    const tsr_status status =
        fine ? TSR_OK : tsr__check_squares(&most, p->held.x, NULL, (double)p->samples);
    if (status < 0 || spec->type == TSR_FLOAT64 || most == 0)
        return status;
    if (most * (double)p->samples < (double)FLT_MAX / 16 && most > 1e-28)
        return TSR_OK;
    return tsr__fail(TSR_ERROR_DATA,
                     "the squares of the samples, up to %g, are beyond single precision: "
                     "--precision double, or --normalize l2",
                     most);
}

tsr_status tsr__problem_make(tsr__problem *out, const tsr__spec *spec, const tsr_data *data,
                             tsr__names *notes)
{
    tsr_status status = TSR_OK;
    const tsr_matrix *x = tsr_data_samples(data);
    tsr__problem p = {.notes = notes, .image = x->image};
    if (x->samples < 1 || x->features < 1)
        TSR_FAIL(TSR_ERROR_DATA, "%s is empty: %lld samples of %lld features",
                 tsr_data_origin(data), (long long)x->samples, (long long)x->features);
    TSR_TRY(prepare_samples(&p, spec, data));
    TSR_TRY(check_known(&p, tsr_data_origin(data)));
    if (spec->loss->degree == 2)
        TSR_TRY(check_squares(&p, spec));
    TSR_TRY(take_labels(&p, spec, data));
    /* Before samples are tied, while weights are those of samples: rho and a kernel's trace.
     * After it, when they are those of groups: the squares of the rows; what tying took off
     * them is `constant`. */
    p.rho = size_of(&p, spec);
    if (p.held.kernel != NULL)
        TSR_TRY(own_square(&p, spec));
    TSR_TRY(tsr__tie_samples(&p, spec));
    if (p.held.kernel == NULL)
        TSR_TRY(own_square(&p, spec));
    TSR_TRY(turn_rows(&p, spec));
    p.pairs.reward = spec->options->link_form == 1;
    TSR_TRY(tsr__make_pairs(&p, spec));
    *out = p;
    p = (tsr__problem){0};
done:
    tsr__problem_clear(&p);
    return status;
}

tsr_status tsr__problem_cut(tsr__problem *p, const tsr__spec *spec, int64_t rank)
{
    /* A block and its tile, or the rows that its entries point at, stay in the second-level
     * cache. Under sparse data the rows of the factor are what takes room, and they grow with
     * the rank. Where blocks are cut does not depend on threads, and so neither do the sums. */
    const int64_t bytes = p->held.x->sparse ? (1 << 20) / rank : 1 << 19,
                  atoms = p->held.x->sparse ? 1 << 20 : bytes;
    const tsr_matrix *all = p->held.kernel != NULL ? p->held.kernel : p->held.x;
    const tsr_matrix *rows = p->held.reduced != NULL ? p->held.reduced : all;
    p->type = spec->type;
    p->n = rows->samples;
    p->m = rows->features;
    double stored = (double)tsr_matrix_stored(rows);
    TSR_OR_RETURN(tsr__team_sum(tsr__problem_team(p), &stored, 1));
    p->filled = stored / ((double)p->rows.whole * (double)p->m);
    p->by_sample = p->streams ? tsr__source_of_share(rows, &p->rows, p->rows.entries, bytes)
                              : tsr__source_of_matrix(rows, bytes);
    if (p->missing != NULL) /* a row's own sums are of all its features */
        p->by_sample.tile = p->m;
    if (p->held.turned != NULL)
        *(p->streams ? &p->by_leaf : &p->by_feature) =
            tsr__source_of_matrix(p->held.turned, bytes);
    if (spec->basis == TSR_BASIS_CONCEPT)
        p->atoms = p->streams ? tsr__source_of_share(all, &p->share, p->share.entries, atoms)
                              : tsr__source_of_matrix(all, atoms);
    return TSR_OK;
}

/* Good for a problem that was made in part, too: it starts as zeros. `held.x` may be the
 * caller's and is not freed. */
void tsr__problem_clear(tsr__problem *p)
{
    /* views before what they are of */
    tsr_matrix *const matrices[] = {p->held.reduced,  p->held.groups,       p->held.owned,
                                    p->held.own,      p->missing,           p->missing_turned,
                                    p->held.kernel,   p->held.turned_owned, p->pairs.graph,
                                    p->pairs.attract, p->pairs.repel};
    void *const arrays[] = {p->held.scale,
                            p->pairs.graph_degree,
                            p->pairs.attract_degree,
                            p->pairs.repel_degree,
                            p->members,
                            p->classes.population,
                            p->weight,
                            p->classes.seen,
                            p->row_of,
                            p->classes.of_row,
                            p->pairs.halo.wanted,
                            p->pairs.halo.sent,
                            p->pairs.halo.row};
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++)
        tsr_matrix_free(matrices[i]);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        tsr__free(arrays[i]);
    tsr__share_clear(&p->share);
    tsr__share_clear(&p->rows);
    *p = (tsr__problem){0};
}
