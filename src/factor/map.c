/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Maps from what is updated to the basis that the loss sees.
 *
 *     free      F itself                                     gram = F' F
 *     concept   F = X W, W >= 0 (samples x k)                halves of W = X' (halves of F)
 *     kernel    only K = X' X is known: the loss runs on K   lift = K W, gram = W' K W
 *     signed    the same for K of either sign, K = K+ - K-   (Xu & Gong 2004)
 *
 * The data of a kernel model are K itself, W stands in the basis's place, and products with the
 * basis's metric (lift) replace the basis wherever a gradient is formed. No n x n matrix is
 * needed but a kernel the user asked for, or one of either sign.
 *
 * Why halves can be pulled: F is linear in W with coefficients x >= 0, so that X' keeps halves
 * >= 0 and each part keeps its growth with t, and a bound in F becomes one in W. Samples of
 * either sign would mix the halves; these go by their kernel. A push of a concept basis costs 2
 * n m k, a pull as much for each half. */
#include "factor/plan.h"
#include "matrix/parallel.h"
#include "matrix/pass.h"

#include <string.h>

/* Rows of the basis whose products a thread makes at a time: as many as a product is worth, and
 * never so few that the parts take more room than the basis. */
static int64_t part_of(const tsr__solver *s)
{
    const int64_t fair = (s->m + TSR_PARTS - 1) / TSR_PARTS;
    const int64_t least = s->k > TSR_CHUNK ? s->k : TSR_CHUNK;
    return fair > least ? fair : least;
}

static int64_t parts_of(const tsr__solver *s)
{
    return (s->m + part_of(s) - 1) / part_of(s);
}

void tsr__map_layout(tsr__solver *s, tsr__arena *arena)
{
    s->work.part_grams = tsr__arena_take(arena, parts_of(s) * s->k * s->k, sizeof(double));
}

struct pushing {
    const tsr__solver *s;
    const void *side;
};

static void push_part(void *context, int64_t part, int thread)
{
    const struct pushing *p = context;
    const tsr__solver *s = p->s;
    const int64_t first = part * part_of(s), left = s->m - first, at = first * s->k;
    (void)thread;
    tsr__gram(s, s->work.part_grams + part * s->k * s->k, tsr__real_at(s, s->state.basis, at),
              tsr__real_at(s, p->side, at), left < part_of(s) ? left : part_of(s), true);
}

/* F' side (k x k), part by part of the features; the parts are summed in order, in doubles, and
 * steps have them in the problem's type. */
static void push_gram(const tsr__solver *s, double *exact, const void *side)
{
    struct pushing p = {s, side};
    const int64_t square = s->k * s->k, parts = parts_of(s);
    tsr__parallel(parts, s->plan->threads, push_part, &p);
    memcpy(exact, s->work.part_grams, (size_t)square * sizeof *exact);
    for (int64_t part = 1; part < parts; part++)
        tsr__kernels_of(TSR_FLOAT64)->add(exact, 1, s->work.part_grams + part * square, square);
}

void tsr__metric_narrow(const tsr__solver *s)
{
    const tsr__metric *metric = &s->state.metric;
    if (s->type == TSR_FLOAT64)
        return;
    tsr__kernels_for(s)->narrow(metric->gram, metric->exact, s->k * s->k);
    if (metric->exact_anti != NULL)
        tsr__kernels_for(s)->narrow(metric->anti_gram, metric->exact_anti, s->k * s->k);
}

static void add_sums(const void *context, int64_t first, int64_t count, double *columns)
{
    const tsr__solver *s = context;
    tsr__kernels_for(s)->add_column_sums(columns, tsr__real_at(s, s->state.basis, first * s->k),
                                         NULL, count, s->k);
}

/* Sums of m numbers, and KL's value is made of them: doubles for either type. */
static void push_sums(tsr__solver *s)
{
    tsr__metric_narrow(s);
    memset(s->state.metric.Ft1, 0, (size_t)s->k * sizeof *s->state.metric.Ft1);
    (void)tsr__sum_rows(s, s->m, add_sums, s, s->state.metric.Ft1);
}

static void push_free(tsr__solver *s)
{
    tsr__gather_basis(s);
    push_gram(s, s->state.metric.exact, s->state.basis);
    push_sums(s);
}

static void *half_at(const tsr__solver *s, void *half, int64_t row)
{
    return half != NULL ? tsr__real_at(s, half, row * s->k) : NULL;
}

/* Kernels as well: their loss saw K in place of X, so that its halves are those of W
 * already. */
static void move_free(tsr__solver *s, tsr__stepper step, const void *how)
{
    const tsr__halves *all = &s->work.halves;
    int64_t first, count;
    tsr__own_features(&first, &count, s);
    const tsr__halves own = {.minus = half_at(s, all->minus, first),
                             .flat = half_at(s, all->flat, first),
                             .curved = half_at(s, all->curved, first),
                             .quartic = half_at(s, all->quartic, first),
                             .anti = half_at(s, all->anti, first)};
    step(s, first, count, &own, how);
    s->plan->map->push(s);
}

/* F = X' W on rows. Made anew from the weights at every step: a basis that followed the steps
 * would drift away from X' W by their rounding, and archives hold both. */
static void push_concept(tsr__solver *s)
{
    tsr__solver_note(s, tsr__source_collect(s->state.basis, s->work.weaving.sums,
                                            &s->problem->atoms, s->state.weights, s->k,
                                            s->plan->threads));
    push_free(s);
}

static void *pull_half(const tsr__solver *s, const tsr__block *atoms, void *to,
                       const void *half)
{
    if (half != NULL)
        tsr__block_project(to, atoms, half, s->k, true);
    return half != NULL ? to : NULL;
}

/* No `anti`: only kernels of either sign have it. */
tsr__halves tsr__map_pull(const tsr__solver *s, const tsr__block *atoms, int thread)
{
    const tsr__halves *to = &s->work.lane[thread].pulled, *from = &s->work.halves;
    return (tsr__halves){.minus = pull_half(s, atoms, to->minus, from->minus),
                         .flat = pull_half(s, atoms, to->flat, from->flat),
                         .curved = pull_half(s, atoms, to->curved, from->curved),
                         .quartic = pull_half(s, atoms, to->quartic, from->quartic)};
}

struct moving {
    const tsr__solver *s;
    tsr__stepper step;
    const void *how;
};

static void move_atoms(void *context, const tsr__block *atoms, int thread)
{
    const struct moving *m = context;
    const tsr__halves halves = tsr__map_pull(m->s, atoms, thread);
    m->step(m->s, atoms->first, atoms->samples, &halves, m->how);
}

/* The weights of a block are pulled, moved and pushed while it is there: X is read once. */
static void move_concept(tsr__solver *s, tsr__stepper step, const void *how)
{
    struct moving m = {s, step, how};
    tsr__solver_note(s, tsr__source_collect_made(s->state.basis, s->work.weaving.sums,
                                                 &s->problem->atoms, s->state.weights, s->k,
                                                 s->plan->threads, move_atoms, &m));
    push_free(s);
}

/* The weights are the basis here: m = n, and the atoms are the rows of K. K is symmetric,
 * so that its rows serve for its columns, and W' (K W) is the gram matrix in the kernel's
 * space. */
static void push_kernel(tsr__solver *s)
{
    tsr__solver_note(s, tsr__source_project(s->state.metric.lift, &s->problem->atoms,
                                            s->state.basis, s->k, s->plan->threads));
    push_gram(s, s->state.metric.exact, s->state.metric.lift);
    push_sums(s);
}

/* lift = K+ W and anti_lift = |K-| W, entry by entry of a block of K. The signs are parted
 * on the way: K+ and K- as matrices would be two more of n x n. Each row of K belongs to one
 * thread. */
static void split_block(void *context, const tsr__block *block, int thread)
{
    tsr__solver *s = context;
    (void)thread;
    for (int64_t i = 0; i < block->samples; i++) {
        void *up = tsr__real_at(s, s->state.metric.lift, (block->first + i) * s->k);
        void *down = tsr__real_at(s, s->state.metric.anti_lift, (block->first + i) * s->k);
        memset(up, 0, (size_t)s->k * tsr__type_size(s->type));
        memset(down, 0, (size_t)s->k * tsr__type_size(s->type));
        for (int64_t j = 0; j < block->features; j++) {
            const double v = tsr__real_get(s, block->values, i * block->stride + j);
            tsr__kernels_for(s)->add(v > 0 ? up : down, v > 0 ? v : -v,
                                     tsr__real_at(s, s->state.basis, j * s->k), s->k);
        }
    }
}

/* Gradients want both halves apart; only lengths and values take their difference. */
static void push_signed(tsr__solver *s)
{
    tsr__solver_note(s,
                     tsr__visit_blocks(&s->problem->atoms, s->plan->threads, split_block, s));
    push_gram(s, s->state.metric.exact, s->state.metric.lift);
    push_gram(s, s->state.metric.exact_anti, s->state.metric.anti_lift);
    push_sums(s);
}

const tsr__map tsr__map_free = {"free", true, false, false, push_free, move_free};
const tsr__map tsr__map_concept = {"concept", false, true, false, push_concept, move_concept};
const tsr__map tsr__map_kernel = {"kernel", false, false, false, push_kernel, move_free};
const tsr__map tsr__map_signed = {"signed kernel", false, false, true, push_signed, move_free};
