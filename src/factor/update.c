/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One step of each factor, by its rule (solver.h), and the scale of the basis.
 *
 * Penalties on the basis, added here since they need the gram matrix only:
 *
 *     gamma ||I - F' F||^2     minus += 4 gamma F      quartic += 4 gamma F (F' F)
 *     a sum F + b/2 ||F||^2    flat += a               curved += b F
 *
 * The scale belongs to the model. With F free, a penalty on the codes is evaded by F / s, s G.
 * Where
 * ||f_k|| = 1 is part of the model (TSR_SCALE_MODEL), J is read as J(F / |F|, G |F|): a vector
 * that grows to length l costs the penalties c l + q l^2, where c and q are the column's shares
 * of degree one and two. This is bounded by a quadratic in f_k (L2) or is linear and quadratic
 * (L1):
 *
 *     L2   curved += (c + 2 q) F          L1   flat += c     curved += 2 q
 *
 * so the same step descends on the constrained problem; afterwards F is divided by its lengths
 * and G multiplied, which leaves J as it is. Coordinate descent needs no price: on the sphere
 * the best f_k given the rest is the positive part of the residual's image, normalised, and
 * de-correlation is a quadratic there, which its largest eigenvalue turns into a linear bound.
 */
#include "factor/solver.h"
#include "matrix/blas.h"

#include <math.h>
#include <string.h>

void tsr__times(const tsr__solver *s, void *c, double alpha, const void *a, const void *b,
                int64_t rows, int64_t columns, int64_t inner)
{
    tsr__multiply_plain(s->type, c, alpha, a, b, rows, columns, inner);
}

void tsr__gram(const tsr__solver *s, void *c, const void *a, const void *b, int64_t rows,
               bool fresh)
{
    const tsr__product product = {.transpose_a = true,
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

static size_t bytes_of(const tsr__solver *s, int64_t count)
{
    return (size_t)count * tsr__type_size(s->type);
}

void tsr__refresh(tsr__solver *s)
{
    memset(s->columns, 0, (size_t)(2 * s->k) * sizeof *s->columns);
    s->penalty_value = 0;
    for (int i = 0; i < s->penalties; i++) {
        tsr__penalty *p = &s->penalty[i];
        p->value = p->kind->refresh(p, s, s->columns + (p->kind->degree == 2 ? s->k : 0));
        s->penalty_value += p->value;
    }
}

/* Codes ----------------------------------------------------------------------------------- */

static void add_penalties(const tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    for (int i = 0; i < s->penalties; i++)
        s->penalty[i].kind->add(&s->penalty[i], s, block->first, block->samples, &lane->halves);
}

void tsr__codes_halves(const tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    s->loss->project(s, block, lane);
    s->loss->codes(s, block, lane);
    add_penalties(s, block, lane);
}

/* The penalties' slope and bend at the codes as they are, for coordinate descent. */
static void slope_and_bend(const tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    const int64_t count = block->samples * s->k;
    memset(lane->halves.minus, 0, bytes_of(s, count));
    memset(lane->halves.flat, 0, bytes_of(s, count));
    memset(lane->halves.curved, 0, bytes_of(s, count));
    memset(lane->bend, 0, bytes_of(s, count));
    add_penalties(s, block, lane);
    for (int i = 0; i < s->penalties; i++)
        if (s->penalty[i].kind->bend != NULL)
            s->penalty[i].kind->bend(&s->penalty[i], s, block->first, block->samples,
                                     lane->bend);
    kernels->add(lane->halves.flat, 1, lane->halves.curved, count);
    kernels->add(lane->halves.flat, -1, lane->halves.minus, count);
}

static void descend_codes(const tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    const bool bent = s->penalties > 0;
    if (bent)
        slope_and_bend(s, block, lane);
    s->loss->descend_codes(s, block, lane, bent ? lane->halves.flat : NULL,
                           bent ? lane->bend : NULL);
}

void tsr__floor_of(const tsr__solver *s, double *floor, const void *theta, int64_t rows)
{
    memset(floor, 0, (size_t)s->k * sizeof *floor);
    tsr__kernels_for(s)->add_column_sums(floor, theta, NULL, rows, s->k);
    for (int64_t j = 0; j < s->k; j++)
        floor[j] *= 1e-8 / (double)rows;
}

void tsr__update_codes(tsr__solver *s, const tsr__block *block, tsr__lane *lane)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    void *theta = tsr__real_at(s, s->codes, block->first * s->k);
    const int64_t count = block->samples * s->k;
    if (s->codes_rule == TSR_RULE_DESCEND) {
        descend_codes(s, block, lane);
        return;
    }
    tsr__codes_halves(s, block, lane);
    if (s->codes_rule == TSR_RULE_MULTIPLY)
        kernels->multiply(theta, &lane->halves, s->codes_exponent, count);
    else if (s->codes_rule == TSR_RULE_MAJORISE)
        kernels->majorise(theta, &lane->halves, s->loss->logarithmic, count);
    else
        kernels->signed_root(theta, &lane->halves, count);
    if (s->lifts)
        kernels->lift(theta, &lane->halves, s->floor, block->samples, s->k);
}

/* Basis ----------------------------------------------------------------------------------- */

/* c (m x k) += by a (m x k) b (k x k) */
static void add_times(const tsr__solver *s, void *c, double by, const void *a, const void *b)
{
    const tsr__product product = {.rows = s->m,
                                  .columns = s->k,
                                  .inner = s->k,
                                  .alpha = by,
                                  .beta = 1,
                                  .a = a,
                                  .b = b,
                                  .c = c,
                                  .lda = s->k,
                                  .ldb = s->k,
                                  .ldc = s->k};
    tsr__multiply_dense(s->type, &product);
}

/* On the sphere the part of the gradient along a vector is no way to go: 4 gamma sum_{l != k}
 * (f_l . f_k)^2 of it is taken off. */
static void add_round(const tsr__solver *s, const tsr__halves *halves)
{
    for (int64_t k = 0; k < s->k; k++) {
        double along = 0;
        for (int64_t l = 0; l < s->k; l++)
            along += l == k ? 0 : pow(tsr__real_get(s, s->gram, l * s->k + k), 2);
        for (int64_t i = k; i < s->m * s->k; i += s->k)
            tsr__real_set(s, halves->minus, i,
                          tsr__real_get(s, halves->minus, i) +
                              4 * s->decorrelate * along * tsr__real_get(s, s->basis, i));
    }
}

/* 4 gamma (lift gram - lift). Kernels of either sign, lift = U - V and gram = P - N, multiply
 * out to what rises, U P + V N and V, and what falls, U N + V P and U. */
static void add_decorrelation(const tsr__solver *s, const tsr__halves *halves)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    const int64_t count = s->m * s->k;
    const double by = 4 * s->decorrelate;
    tsr__times(s, halves->quartic, by, s->lift, s->gram, s->m, s->k, s->k);
    if (s->lift_negative == NULL) {
        kernels->add(halves->minus, by, s->lift, count);
        if (s->sphere)
            add_round(s, halves);
        return;
    }
    add_times(s, halves->quartic, by, s->lift_negative, s->gram_negative);
    add_times(s, halves->anti, by, s->lift, s->gram_negative);
    add_times(s, halves->anti, by, s->lift_negative, s->gram);
    kernels->add(halves->anti, by, s->lift, count);
    kernels->add(halves->curved, by, s->lift_negative, count);
}

static void add_basis_penalties(const tsr__solver *s, const tsr__halves *halves)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    const int64_t count = s->m * s->k;
    if (s->decorrelate > 0)
        add_decorrelation(s, halves);
    if (s->basis_ridge > 0)
        kernels->add(halves->curved, s->basis_ridge, s->basis, count);
    for (int64_t i = 0; s->basis_lasso > 0 && i < count; i++)
        tsr__real_set(s, halves->flat, i, tsr__real_get(s, halves->flat, i) + s->basis_lasso);
}

/* What a longer basis vector would cost the penalties on the codes; see the head. A column
 * whose share is negative (must-links as a reward) gains by length: that pull joins `minus`. */
static void add_price(const tsr__solver *s, const tsr__halves *halves)
{
    const bool l1 = s->norm == TSR_BASIS_NORM_L1;
    for (int64_t i = 0; i < s->m * s->k; i++) {
        const int64_t j = i % s->k;
        const double c = s->columns[j], q = s->columns[s->k + j];
        const double f = l1 ? 1 : tsr__real_get(s, s->lift, i);
        const double curve = (l1 ? 2 * q : c + 2 * q) * f;
        void *half = curve >= 0 ? halves->curved : halves->minus;
        tsr__real_set(s, half, i, tsr__real_get(s, half, i) + fabs(curve));
        if (l1)
            tsr__real_set(s, halves->flat, i, tsr__real_get(s, halves->flat, i) + c);
        if (!l1 && s->lift_negative != NULL)
            tsr__real_set(s, halves->anti, i,
                          tsr__real_get(s, halves->anti, i) +
                              (c + 2 * q) * tsr__real_get(s, s->lift_negative, i));
    }
}

void tsr__basis_halves(tsr__solver *s)
{
    tsr__halves halves = s->halves;
    halves.quartic = s->decorrelate > 0 ? s->halves.quartic : NULL;
    s->loss->basis(s, &halves);
    add_basis_penalties(s, &halves);
    if (s->scale == TSR_SCALE_MODEL && s->penalties > 0)
        add_price(s, &halves);
    s->map->pull(s, &halves);
    s->theta_halves = halves;
}

/* The price as a slope f and a bend, in entry i of column j. L2: (c/2 + q) ||f||^2 as it is. L1:
 * q l^2 is bounded like any non-negative quadratic (penalty_links.c) by the diagonal q (sum u) /
 * u_i with u = f + a hundredth of the column's mean, which lets zeros grow. What is concave lies
 * below its tangent and does not bend. */
static void price_of(const tsr__solver *s, int64_t i, int64_t j, double *slope, double *bend)
{
    const double c = s->columns[j], q = s->columns[s->k + j];
    const double f = tsr__real_get(s, s->basis, i * s->k + j);
    if (s->norm == TSR_BASIS_NORM_L2) {
        *slope += (c + 2 * q) * f;
        *bend += fmax(c + 2 * q, 0);
        return;
    }
    const double length = s->column_sum[j], share = 0.01 * length / (double)s->m;
    *slope += c + 2 * q * length;
    if (q > 0 && length > 0)
        *bend += 2 * q * 1.01 * length / (f + share);
}

void tsr__basis_bend(tsr__solver *s, int64_t first, int64_t rows, const void **slope,
                     const void **bend)
{
    const bool priced = s->scale == TSR_SCALE_MODEL && s->penalties > 0;
    *slope = *bend = NULL;
    if (!priced && s->basis_lasso <= 0 && s->basis_ridge <= 0)
        return;
    *slope = tsr__real_at(s, s->halves.flat, first * s->k);
    *bend = tsr__real_at(s, s->halves.minus, first * s->k);
    for (int64_t i = first; i < first + rows; i++)
        for (int64_t j = 0; j < s->k; j++) {
            const int64_t at = i * s->k + j;
            double up = s->basis_lasso + s->basis_ridge * tsr__real_get(s, s->basis, at);
            double curve = s->basis_ridge;
            if (priced)
                price_of(s, i, j, &up, &curve);
            tsr__real_set(s, s->halves.flat, at, up);
            tsr__real_set(s, s->halves.minus, at, curve);
        }
}

/* An upper bound of the largest eigenvalue of sum_{l != k} f_l f_l', by row sums of its gram.
 */
static double largest_eigenvalue(const tsr__solver *s, int64_t k)
{
    double most = 0;
    for (int64_t a = 0; a < s->k; a++) {
        double sum = 0;
        for (int64_t b = 0; b < s->k; b++)
            sum += a == k || b == k ? 0 : fabs(tsr__real_get(s, s->gram, a * s->k + b));
        most = fmax(most, sum);
    }
    return most;
}

/* The basis on the sphere, vector by vector: F' and (X' G)' as k x m, and what f_k should be
 * like, m. They take the place of halves, which this step does not need. */
typedef struct sphere {
    void *basis, *collect, *wish;
} sphere;

static void *row_at(const tsr__solver *s, void *rows, int64_t k)
{
    return tsr__real_at(s, rows, k * s->m);
}

/* wish = 2 (what the other vectors leave of X' g_k) - lasso, and for de-correlation
 *     + 4 gamma (largest f_k - sum_{l != k} f_l (f_l . f_k)) */
static void wish_for(const tsr__solver *s, const sphere *on, int64_t k)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    enum { STRIP = 2048 }; /* stays in the first-level cache while all vectors pass */
    const double apart = 4 * s->decorrelate,
                 own = s->decorrelate > 0 ? apart * largest_eigenvalue(s, k) : 0;
    for (int64_t first = 0; first < s->m; first += STRIP) {
        const int64_t count = s->m - first < STRIP ? s->m - first : STRIP;
        void *wish = tsr__real_at(s, on->wish, first);
        for (int64_t j = 0; j < count; j++)
            tsr__real_set(s, wish, j, -s->basis_lasso);
        kernels->add(wish, 2, tsr__real_at(s, row_at(s, on->collect, k), first), count);
        for (int64_t l = 0; l < s->k; l++) {
            const double shared = 2 * tsr__real_get(s, s->spread_lanes, l * s->k + k) +
                                  apart * tsr__real_get(s, s->gram, l * s->k + k);
            kernels->add(wish, l == k ? own : -shared,
                         tsr__real_at(s, row_at(s, on->basis, l), first), count);
        }
    }
}

/* f_k becomes the unit vector >= 0 along which the wish grows most. */
static void turn_vector(const tsr__solver *s, const sphere *on, int64_t k)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    void *f = row_at(s, on->basis, k);
    int64_t best = 0;
    for (int64_t j = 0; j < s->m; j++) {
        const double wish = tsr__real_get(s, on->wish, j);
        best = wish > tsr__real_get(s, on->wish, best) ? j : best;
        tsr__real_set(s, f, j, fmax(wish, 0));
    }
    const double length = sqrt(kernels->dot(f, f, s->m));
    if (length > 0)
        kernels->scale(f, 1 / length, s->m);
    else
        tsr__real_set(s, f, best, 1);
}

/* Row and column k of the gram matrix anew. */
static void renew_gram(tsr__solver *s, const sphere *on, int64_t k)
{
    for (int64_t l = 0; l < s->k; l++) {
        const double dot =
            tsr__kernels_for(s)->dot(row_at(s, on->basis, k), row_at(s, on->basis, l), s->m);
        tsr__real_set(s, s->gram, l * s->k + k, dot);
        tsr__real_set(s, s->gram, k * s->k + l, dot);
    }
}

static void descend_sphere(tsr__solver *s)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    const sphere on = {s->halves.curved, s->halves.minus, s->halves.flat};
    kernels->transpose(on.basis, s->m, s->basis, s->k, s->m, s->k);
    kernels->transpose(on.collect, s->m, s->collect_lanes, s->k, s->m, s->k);
    const int sweeps = s->basis_sweeps < 2 ? s->basis_sweeps : 2; /* vectors, on one thread */
    for (int sweep = 0; sweep < sweeps; sweep++) {
        for (int64_t k = 0; k < s->k; k++) {
            if (!(tsr__real_get(s, s->spread_lanes, k * s->k + k) > 0))
                continue; /* nobody uses this vector: any direction is as good */
            wish_for(s, &on, k);
            turn_vector(s, &on, k);
            if (s->decorrelate > 0)
                renew_gram(s, &on, k);
        }
    }
    kernels->transpose(s->basis, s->k, on.basis, s->m, s->k, s->m);
}

static double length_of(const tsr__solver *s, int64_t k)
{
    if (s->norm == TSR_BASIS_NORM_L1)
        return s->column_sum[k];
    double square = tsr__real_get(s, s->gram, k * s->k + k);
    if (s->gram_negative != NULL)
        square -= tsr__real_get(s, s->gram_negative, k * s->k + k);
    return square > 0 ? sqrt(square) : 0;
}

static void scale_gram(const tsr__solver *s, void *gram, const double *by)
{
    for (int64_t i = 0; gram != NULL && i < s->k * s->k; i++)
        tsr__real_set(s, gram, i, tsr__real_get(s, gram, i) * by[i / s->k] * by[i % s->k]);
}

void tsr__fix_scale(tsr__solver *s, tsr__scale_rule scale)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    double *by = s->work, *back = s->work + (s->m > s->k ? s->m : s->k);
    if (scale == TSR_SCALE_FREE)
        return;
    for (int64_t j = 0; j < s->k; j++) {
        const double length = length_of(s, j);
        back[j] = length > 0 ? length : 1;
        by[j] = 1 / back[j];
        s->column_sum[j] *= by[j];
    }
    kernels->scale_columns(s->basis, by, s->m, s->k);
    if (s->weights != NULL)
        kernels->scale_columns(s->weights, by, s->atoms.samples, s->k);
    if (s->lift != s->basis)
        kernels->scale_columns(s->lift, by, s->m, s->k);
    if (s->lift_negative != NULL)
        kernels->scale_columns(s->lift_negative, by, s->m, s->k);
    scale_gram(s, s->gram, by);
    scale_gram(s, s->gram_negative, by);
    if (scale == TSR_SCALE_BASIS)
        return;
    kernels->scale_columns(s->codes, back, s->n, s->k);
    if (s->plain != NULL)
        kernels->scale_columns(s->plain, back, s->n, s->k);
    if (s->penalties > 0)
        tsr__refresh(s);
}

void tsr__update_basis(tsr__solver *s)
{
    const tsr__kernels *kernels = tsr__kernels_for(s);
    const int64_t rows = s->weights != NULL ? s->atoms.samples : s->m;
    void *theta = s->weights != NULL ? s->weights : s->basis;
    if (s->basis_rule == TSR_RULE_DESCEND) {
        if (s->map->descend != NULL)
            s->map->descend(s);
        else if (s->sphere)
            descend_sphere(s);
        else
            s->loss->descend_basis(s);
        s->map->push(s);
        if (!s->sphere)
            tsr__fix_scale(s, s->scale);
        return;
    }
    tsr__basis_halves(s);
    if (s->lifts)
        tsr__floor_of(s, s->work, theta, rows);
    if (s->basis_rule == TSR_RULE_MULTIPLY)
        kernels->multiply(theta, &s->theta_halves, s->basis_exponent, rows * s->k);
    else if (s->basis_rule == TSR_RULE_MAJORISE)
        kernels->majorise(theta, &s->theta_halves, s->loss->logarithmic, rows * s->k);
    else
        kernels->signed_root(theta, &s->theta_halves, rows * s->k);
    if (s->lifts)
        kernels->lift(theta, &s->theta_halves, s->work, rows, s->k);
    s->map->push(s);
    tsr__fix_scale(s, s->scale);
}
