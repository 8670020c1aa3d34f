/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Gradients, made of what the loss and the terms add: as halves for rules that multiply, as slope
 * and bend of the terms alone for rules that descend and see the data themselves.
 *
 * Nobody subtracts: a half is a sum of parts >= 0, so that none loses digits to another, and
 * each part keeps the growth by which its bound is built. The difference of the halves is the
 * gradient of J, which tests/test_law_gradient.c compares with central differences for every
 * row of the model table. Cost: the loss's products with the data; terms add O((n + m) k),
 * de-correlation O(m k^2). */
#include "factor/plan.h"
#include "factor/strip.h"
#include "matrix/blas.h"
#include "matrix/parallel.h"
#include "matrix/pass.h"
#include "matrix/team.h"

#include <string.h>

void tsr__times(const tsr__solver *s, void *c, double alpha, const void *a, const void *b,
                int64_t rows, int64_t columns, int64_t inner)
{
    tsr__multiply_plain(s->type, c, alpha, a, b, rows, columns, inner);
}

struct multiplying {
    const tsr__solver *s;
    char *c;
    const char *a;
    const void *b;
    double alpha;
    int64_t columns, inner;
};

static void multiply_rows(const void *context, int64_t first, int64_t count)
{
    const struct multiplying *m = context;
    tsr__times(m->s, tsr__real_at(m->s, m->c, first * m->columns), m->alpha,
               tsr__real_at(m->s, m->a, first * m->inner), m->b, count, m->columns, m->inner);
}

void tsr__times_rows(const tsr__solver *s, void *c, double alpha, const void *a, const void *b,
                     int64_t rows, int64_t columns, int64_t inner)
{
    const struct multiplying m = {s, c, a, b, alpha, columns, inner};
    tsr__each_rows(s, rows, multiply_rows, &m);
}

/* Blocks add to what their lane holds; a metric is made anew, for which beta = 0 spares the
 * clearing. */
void tsr__gram(const tsr__solver *s, double *c, const void *a, const void *b, int64_t rows,
               bool fresh)
{
    const tsr__product product = {.transpose_a = true,
                                  .wide = true,
                                  .rows = s->k,
                                  .columns = s->k,
                                  .inner = rows,
                                  .alpha = 1,
                                  .beta = fresh ? 0 : 1,
                                  .a = a,
                                  .b = b,
                                  .c = c,
                                  .lda = s->k,
                                  .ldb = s->k,
                                  .ldc = s->k};
    tsr__multiply_dense(s->type, &product);
}

/* Rows in parts --------------------------------------------------------------------------- */

struct parting {
    const tsr__solver *s;
    const void *context;
    tsr__rows_add add;
    tsr__rows_set set;
    int64_t rows, part;
};

/* At least as many rows as are worth a thread's while. */
static int64_t part_of(int64_t rows)
{
    const int64_t fair = (rows + TSR_PARTS - 1) / TSR_PARTS;
    return fair > TSR_CHUNK ? fair : TSR_CHUNK;
}

static void visit_part(void *context, int64_t item, int thread)
{
    const struct parting *p = context;
    const int64_t first = item * p->part, left = p->rows - first;
    const int64_t count = left < p->part ? left : p->part, k = p->s->k;
    (void)thread;
    if (p->set != NULL) {
        p->set(p->context, first, count);
        return;
    }
    double *columns = p->s->work.row_sums + item * k;
    memset(columns, 0, (size_t)k * sizeof *columns);
    p->add(p->context, first, count, columns);
}

static int64_t visit_parts(struct parting *p)
{
    p->part = part_of(p->rows);
    const int64_t parts = (p->rows + p->part - 1) / p->part;
    tsr__parallel(parts, p->s->plan->threads, visit_part, p);
    return parts;
}

double tsr__sum_rows(const tsr__solver *s, int64_t rows, tsr__rows_add add, const void *context,
                     double *columns)
{
    struct parting p = {.s = s, .context = context, .add = add, .rows = rows};
    const int64_t parts = visit_parts(&p);
    double sum = 0;
    for (int64_t j = 0; j < s->k; j++) {
        double column = 0;
        for (int64_t part = 0; part < parts; part++)
            column += s->work.row_sums[part * s->k + j];
        columns[j] += column;
        sum += column;
    }
    return sum;
}

void tsr__each_rows(const tsr__solver *s, int64_t rows, tsr__rows_set set, const void *context)
{
    struct parting p = {.s = s, .context = context, .set = set, .rows = rows};
    (void)visit_parts(&p);
}

/* Sums over the codes, or the weights of samples, go by the blocks and leaves of their source, and over
 * the team. */
struct coding {
    const void *context;
    tsr__rows_add add;
};

static void add_rows(void *context, const tsr__block *block, double *sum, int thread)
{
    const struct coding *c = context;
    (void)thread;
    c->add(c->context, block->first, block->samples, sum);
}

void tsr__sum_codes(tsr__solver *s, const tsr__source *source, int64_t width, double *room,
                    tsr__rows_add add, const void *context)
{
    struct coding coding = {context, add};
    const tsr__source rows = tsr__source_bare(source);
    const tsr__sum sum = {.source = &rows,
                          .threads = s->plan->threads,
                          .width = width,
                          .room = room,
                          .add = add_rows,
                          .context = &coding};
    if (s->work.trouble == TSR_OK)
        tsr__solver_note(s, tsr__sum_leaves(&sum));
}

double tsr__sum_columns(tsr__solver *s, tsr__rows_add add, const void *context, double *columns)
{
    double *found = s->work.code_sums, sum = 0;
    tsr__sum_codes(s, &s->problem->by_sample, s->k, found, add, context);
    for (int64_t j = 0; j < s->k; j++) {
        columns[j] += found[j];
        sum += found[j];
    }
    return sum;
}

/* Codes of others ------------------------------------------------------------------------- */

/* Rows of others come to stand before and behind the own ones. */
void tsr__exchange_codes(tsr__solver *s)
{
    const tsr__halo *halo = &s->problem->pairs.halo;
    tsr_team *team = tsr__problem_team(s->problem);
    const size_t row = tsr__real_bytes(s, s->k);
    int64_t *sent = s->work.halo_bytes, *wanted, at = 0;
    char *codes = tsr__places(s);
    tsr_status status = s->work.trouble;
    if (halo->wanted == NULL)
        return;
    wanted = sent + team->ranks;
    for (int r = 0; r < team->ranks; r++) {
        sent[r] = halo->sent[r] * (int64_t)row;
        wanted[r] = halo->wanted[r] * (int64_t)row;
        for (int64_t i = 0; i < halo->sent[r]; i++, at++)
            memcpy((char *)s->work.halo[0] + (size_t)at * row, tsr__codes_at(s, halo->row[at]),
                   row);
    }
    status = tsr__team_agree(team, status);
    if (status == TSR_OK)
        status = tsr__team_exchange(team, s->work.halo[0], sent, s->work.halo[1], wanted);
    tsr__solver_note(s, status);
    memcpy(codes, s->work.halo[1], (size_t)halo->before * row);
    memcpy(codes + (size_t)(halo->before + s->n) * row,
           (char *)s->work.halo[1] + (size_t)halo->before * row, (size_t)halo->after * row);
}

/* Codes ----------------------------------------------------------------------------------- */

/* After a pass and never within one: the sums of a class or of neighbours see all codes, while
 * other threads still move theirs. So every row of a pass sees the codes as they were before
 * it, and the bits do not depend on the threads; that rows then move at once is what the
 * separable bounds pay for. */
void tsr__refresh(tsr__solver *s)
{
    double *linear = s->state.price, *square = s->state.price + s->k;
    memset(s->state.price, 0, (size_t)(2 * s->k) * sizeof *s->state.price);
    for (int i = 0; i < s->plan->code_terms; i++) {
        const tsr__term *t = &s->plan->term[i];
        s->state.value[i] = t->kind->refresh(t, s, linear, square);
    }
}

/* Terms add to halves that are set already: by the loss, or to zero where descent leaves it
 * out. */
static void add_terms(const tsr__solver *s, const tsr__block *block, tsr__lane *lane, bool logs)
{
    for (const tsr__term *t = s->plan->term; t < tsr__terms_end(s->plan); t++)
        if (t->kind->add != NULL && t->kind->logs == logs)
            t->kind->add(t, s, block->first, block->samples, &lane->halves);
}

void tsr__codes_halves_but_logs(const tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    const tsr__loss *loss = s->plan->loss;
    tsr__project(s, block, lane);
    loss->codes(s, block, lane);
    add_terms(s, block, lane, false);
}

void tsr__codes_halves(const tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    tsr__codes_halves_but_logs(s, block, lane);
    add_terms(s, block, lane, true);
}

/* The slope is flat + curved - minus at the codes as they are. The loss is not in it: descent
 * has the loss's own curvature, which is better than any bound. Quartic parts are of the basis
 * alone, and kernels of either sign (anti) never descend, so both halves are left out. NULL
 * spares the kernels two arrays. */
void tsr__codes_bend(const tsr__solver *s, const tsr__block *block, tsr__lane *lane,
                     const void **slope, const void **bend)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    const int64_t count = block->samples * s->k;
    *slope = *bend = NULL;
    if (s->plan->code_terms == 0)
        return;
    memset(lane->halves.minus, 0, tsr__real_bytes(s, count));
    memset(lane->halves.flat, 0, tsr__real_bytes(s, count));
    memset(lane->halves.curved, 0, tsr__real_bytes(s, count));
    memset(lane->bend, 0, tsr__real_bytes(s, count));
    add_terms(s, block, lane, false); /* rules that descend refuse terms of logarithms */
    for (const tsr__term *t = s->plan->term; t < tsr__terms_end(s->plan); t++)
        if (t->kind->bend != NULL)
            t->kind->bend(t, s, block->first, block->samples, lane->bend);
    memcpy(lane->slope, lane->halves.flat, tsr__real_bytes(s, count));
    kernels->add(lane->slope, 1, lane->halves.curved, count);
    kernels->add(lane->slope, -1, lane->halves.minus, count);
    *slope = lane->slope;
    *bend = lane->bend;
}

/* Basis ----------------------------------------------------------------------------------- */

/* The price is of the basis that the loss sees: it joins before the map pulls all to theta. */
void tsr__basis_halves(tsr__solver *s)
{
    tsr__halves halves = s->work.basis;
    s->plan->loss->basis(s, &halves);
    for (const tsr__term *t = s->plan->term; t < tsr__terms_end(s->plan); t++)
        if (t->kind->add_basis != NULL)
            t->kind->add_basis(t, s, &halves);
    if (tsr__priced(s))
        tsr__price_add(s, &halves);
    s->work.halves = halves;
}

/* In doubles, a row at a time: terms are written once for both types, and a row is k numbers.
 * Terms that tie rows have no bend_basis and would be left out here; plans that have one choose
 * another rule. */
void tsr__basis_bend(const tsr__solver *s, const tsr__bench *bench, int64_t first, int64_t rows,
                     const void **slope, const void **bend)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    double *f = bench->row, *up = bench->row + s->k, *curve = bench->row + 2 * s->k;
    *slope = *bend = NULL;
    if (!tsr__priced(s) && s->plan->terms == s->plan->code_terms)
        return;
    for (int64_t i = 0; i < rows; i++) {
        memset(up, 0, (size_t)(2 * s->k) * sizeof *up);
        tsr__widen(f, s, s->state.basis, (first + i) * s->k, s->k);
        for (const tsr__term *t = s->plan->term; t < tsr__terms_end(s->plan); t++)
            if (t->kind->bend_basis != NULL)
                t->kind->bend_basis(t, s, f, up, curve);
        if (tsr__priced(s))
            tsr__price_bend(s, f, up, curve);
        kernels->narrow(tsr__real_at(s, bench->slope, i * s->k), up, s->k);
        kernels->narrow(tsr__real_at(s, bench->bend, i * s->k), curve, s->k);
    }
    *slope = bench->slope;
    *bend = bench->bend;
}
