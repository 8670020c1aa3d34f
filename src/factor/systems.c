/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Codes of a KL model with a graph of divergences, as Cai et al. 2011 publish them: all samples at
 * once, a linear system for each column a,
 *
 *     (diag(flat_a) + mu L) g_a = g0_a (.) minus_a
 *
 * with the halves of everything but the graph: flat is w sum(f_a) and what else is linear, minus is
 * w R'F. Blocks hand in both sides; the systems are solved when all have (conjugate.c). */
#include "factor/conjugate.h"
#include "factor/plan.h"

static void hand_in(tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    const int64_t at = block->first * s->k, count = block->samples * s->k;
    const tsr__conjugate *y = &s->work.conjugate;
    tsr__codes_halves_but_logs(s, block, lane);
    kernels->widen(y->diagonal + at, lane->halves.flat, count);
    kernels->widen(y->left + at, lane->halves.minus, count);
    kernels->widen(y->found + at, tsr__codes_at(s, block->first), count);
    for (int64_t i = at; i < at + count; i++)
        y->left[i] *= y->found[i];
}

static void solve(tsr__solver *s)
{
    double weight = 0;
    for (const tsr__term *t = s->plan->term; t < tsr__terms_end(s->plan); t++)
        weight += t->kind->logs ? t->weight[0] : 0;
    (void)tsr__conjugate_solve(s, &s->work.conjugate, weight, 1e-12);
    tsr__conjugate_keep(s, &s->work.conjugate);
}

static const char *refuses(const tsr__choice *c)
{
    bool bends = false;
    for (const tsr__term *t = c->plan->term; t < tsr__terms_end(c->plan); t++)
        bends = bends || t->kind->bend != NULL;
    return !c->spec->mu               ? "the papers' rules are not asked for (--solver mu)"
           : !tsr__plan_logs(c->plan) ? "no term is of divergences between codes"
           : bends                    ? "a term besides is quadratic in the codes"
           : c->problem->streams      ? "how often ranks would have to meet is not known"
                                      : NULL;
}

const tsr__rule tsr__rule_systems = {.name = "systems",
                                     .text = "linear systems over all samples, as published",
                                     .refuses = refuses,
                                     .codes = hand_in,
                                     .solve = solve};
