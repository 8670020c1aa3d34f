/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Coordinate descent on the weights of a concept basis, F = X' W, sample by sample: with the
 * residual D = F B - A kept up to date, A = X' w G and B = G' w G and what else is quadratic in F,
 * the slope of J with respect to a sample's weights is x D. No n x n matrix; O(n m k) a sweep. The
 * samples follow each other, so there is nothing to share between threads.
 *
 * J is quadratic in W with Hessian 2 K (x) B; a sample's own block is 2 |x|^2 B, so that its k
 * weights are a small problem of least squares once x D is known. D then moves by x' (w - w0)
 * B, 2 m k, as much as x D took. Slopes and curvatures are written by half, J being <F' F, B> -
 * 2 <F, A>. The price of an L2 length and a ridge are quadratics in F and join B; what ties
 * rows of F, or bends otherwise, has no place there, which is what `refuses` lists. */
#include "factor/plan.h"
#include "matrix/descent.h"

#include <string.h>

/* Rows of a real array, k apart, into rows `stride` apart. Padded with zeros, a row is whole
 * vectors, and the kernel has no remainders to care for. */
static void spread_rows(const tsr__solver *s, void *to, int64_t stride, const void *from,
                        int64_t rows)
{
    for (int64_t i = 0; i < rows; i++)
        memcpy(tsr__real_at(s, to, i * stride), tsr__real_at(s, from, i * s->k),
               tsr__real_bytes(s, s->k));
}

/* B, and half the slope of what is linear in F: the price of a vector's length and the terms on
 * the basis are alike in every row, so that they are asked at zero. B is half the curvature,
 * hence the halving of what terms say. */
static void make_gram(const tsr__solver *s, double *slope)
{
    const tsr__weaving *w = &s->work.weaving;
    double *zero = s->work.bench[0].row, *bend = s->work.bench[0].row + s->k;
    memcpy(w->gram, s->state.sums.GtG, tsr__real_bytes(s, s->k * s->k));
    memset(zero, 0, (size_t)(2 * s->k) * sizeof *zero);
    memset(slope, 0, (size_t)s->k * sizeof *slope);
    for (const tsr__term *t = s->plan->term; t < tsr__terms_end(s->plan); t++)
        if (t->kind->bend_basis != NULL)
            t->kind->bend_basis(t, s, zero, slope, bend);
    for (int64_t j = 0; j < s->k; j++) {
        void *at = tsr__real_at(s, w->gram, j * s->k + j);
        tsr__real_set(s, at, 0, tsr__real_get(s, at, 0) + (tsr__price_of(s, j) + bend[j]) / 2);
        slope[j] /= 2;
    }
    spread_rows(s, w->woven_gram, tsr__padded(s->k), w->gram, s->k);
}

/* From the basis as it was pushed: rounding of the last sweep ends here. */
static void make_residual(const tsr__solver *s, const double *slope)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    const tsr__weaving *w = &s->work.weaving;
    tsr__times(s, w->residual, 1, s->state.basis, w->gram, s->m, s->k, s->k);
    kernels->add(w->residual, -1, s->state.sums.XtG, s->m * s->k);
    for (int64_t i = 0; i < s->m; i++)
        kernels->raise(tsr__real_at(s, w->residual, i * s->k), slope, s->k);
    spread_rows(s, w->woven, tsr__padded(s->k), w->residual, s->m);
}

/* |x|^2 is 2 m operations beside 4 m k: made again sooner than kept for all samples. */
static void weave_block(const tsr__solver *s, tsr__weave *w, const tsr__block *block)
{
    for (int64_t i = 0; i < block->samples; i++) {
        const int64_t at = block->sparse ? block->rows[i] : i * block->stride;
        w->x = tsr__real_at(s, block->values, at);
        w->columns = block->sparse ? block->columns + at : NULL;
        w->count = block->sparse ? block->rows[i + 1] - at : block->features;
        w->square = tsr__kernels_for(s)->dot(w->x, w->x, w->count);
        w->weights = tsr__real_at(s, s->state.weights, (block->first + i) * s->k);
        tsr__descents_of(s->type)->weave(w);
    }
}

/* Three sweeps within a sample cost k^2 each, little beside its products with D. At the end F
 * is made of the weights anew, then brought to its length. */
static void move(tsr__solver *s)
{
    const tsr__source *atoms = &s->problem->atoms;
    double *slope = s->work.by;
    tsr__weave w = {.residual = s->work.weaving.woven,
                    .gram = s->work.weaving.woven_gram,
                    .work = s->work.bench[0].room,
                    .k = s->k,
                    .stride = tsr__padded(s->k),
                    .sweeps = 3};
    make_gram(s, slope);
    make_residual(s, slope);
    for (int sweep = 0; sweep < s->plan->basis.sweeps; sweep++)
        for (int64_t b = 0; b < atoms->blocks; b++) {
            tsr__block block;
            const tsr_status status = atoms->get(&block, atoms, b, 0);
            tsr__solver_note(s, status);
            if (status == TSR_OK)
                weave_block(s, &w, &block);
        }
    s->plan->map->push(s);
    tsr__fix_scale(s, s->plan->scale);
}

static const char *refuses(const tsr__choice *c)
{
    const tsr__plan *plan = c->plan;
    const bool l1 = plan->scale == TSR_SCALE_MODEL && plan->norm == TSR_BASIS_NORM_L1;
    return c->spec->mu                       ? "the papers' rules are asked for"
           : !plan->map->woven               ? "the samples that span the basis are not at hand"
           : !plan->loss->inner              ? "the loss is not one of squares"
           : tsr__plan_couples(plan)         ? "a term ties the rows of the basis"
           : l1                              ? "the price of an L1 length is no quadratic"
           : c->spec->options->link_form > 0 ? "a reward has no bottom"
                                             : NULL;
}

const tsr__rule tsr__rule_weave = {.name = "weave",
                                   .text = "coordinate descent on weights, sample by sample",
                                   .reads = TSR_READS_SAMPLE,
                                   .descends = true,
                                   .refuses = refuses,
                                   .basis = move};
