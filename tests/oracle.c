/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The oracle; see oracle.h. Included by the tests that need it. Names: `up` and `down` are the
 * two halves of the gradient, down = flat + curved + quartic, which grow with the factor's
 * power 0, 1 and 3; `anti` is the falling half of what a kernel of either sign makes
 * indefinite.
 */
#include "oracle.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double *zeros(int64_t count)
{
    double *out = calloc((size_t)(count > 0 ? count : 1), sizeof *out);
    if (out == NULL)
        abort();
    return out;
}

void oracle_open(oracle *o, int64_t n, int64_t m, int64_t k, int64_t q)
{
    *o = (oracle){.n = n, .m = m, .k = k, .q = q};
    o->x = zeros(n * m);
    o->e = zeros(n * m);
    o->kernel = zeros(n * n);
    o->a = zeros(n * q);
    o->d = zeros(n * k);
    o->s = zeros(n * n);
    o->c = zeros(n * n);
    o->f = zeros(m * k);
    o->w = zeros(n * k);
    o->g = zeros(n * k);
    o->z = zeros(q * k);
    for (int64_t i = 0; i < n * m; i++)
        o->e[i] = 1;
    for (int64_t i = 0; q == n && i < n; i++)
        o->a[i * n + i] = 1;
}

void oracle_close(oracle *o)
{
    double *const all[] = {o->x, o->e, o->kernel, o->a, o->d, o->s,
                           o->c, o->f, o->w,      o->g, o->z};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    *o = (oracle){0};
}

/* c (p x r) = a (p x q) b (q x r) */
static void product(double *c, const double *a, const double *b, int64_t p, int64_t q,
                    int64_t r)
{
    for (int64_t i = 0; i < p; i++)
        for (int64_t j = 0; j < r; j++) {
            double sum = 0;
            for (int64_t l = 0; l < q; l++)
                sum += a[i * q + l] * b[l * r + j];
            c[i * r + j] = sum;
        }
}

/* c (p x r) = a' b, a (q x p), b (q x r) */
static void across(double *c, const double *a, const double *b, int64_t p, int64_t q, int64_t r)
{
    for (int64_t i = 0; i < p; i++)
        for (int64_t j = 0; j < r; j++) {
            double sum = 0;
            for (int64_t l = 0; l < q; l++)
                sum += a[l * p + i] * b[l * r + j];
            c[i * r + j] = sum;
        }
}

void oracle_linear_kernel(oracle *o)
{
    for (int64_t i = 0; i < o->n; i++)
        for (int64_t j = 0; j < o->n; j++) {
            double sum = 0;
            for (int64_t l = 0; l < o->m; l++)
                sum += o->x[i * o->m + l] * o->x[j * o->m + l];
            o->kernel[i * o->n + j] = sum;
        }
}

void oracle_start(oracle *o)
{
    if (o->concept)
        across(o->f, o->x, o->w, o->m, o->n, o->k);
    product(o->g, o->a, o->z, o->n, o->q, o->k);
}

/* Y = G F' */
static double *model_of(const oracle *o)
{
    double *y = zeros(o->n * o->m);
    for (int64_t i = 0; i < o->n; i++)
        for (int64_t j = 0; j < o->m; j++)
            for (int64_t l = 0; l < o->k; l++)
                y[i * o->m + j] += o->g[i * o->k + l] * o->f[j * o->k + l];
    return y;
}

static double guarded(double below)
{
    return below > DBL_MIN ? below : DBL_MIN;
}

typedef struct halves {
    double *up, *flat, *curved, *quartic, *anti;
} halves;

static halves halves_of(int64_t count)
{
    return (halves){zeros(count), zeros(count), zeros(count), zeros(count), zeros(count)};
}

static void drop(halves h)
{
    free(h.up);
    free(h.flat);
    free(h.curved);
    free(h.quartic);
    free(h.anti);
}

/* The kernel's part of one sign: K+ or |K-|. */
static double *kernel_part(const oracle *o, double sign)
{
    double *part = zeros(o->n * o->n);
    for (int64_t i = 0; i < o->n * o->n; i++)
        part[i] = fmax(sign * o->kernel[i], 0);
    return part;
}

static bool mixed(const oracle *o)
{
    bool negative = false;
    for (int64_t i = 0; o->concept && i < o->n * o->n; i++)
        negative = negative || o->kernel[i] < 0;
    return negative;
}

/* W' K W or F' F */
static double *gram_of(const oracle *o, const double *kernel)
{
    double *gram = zeros(o->k * o->k), *lift = zeros(o->n * o->k);
    if (o->concept) {
        product(lift, kernel, o->w, o->n, o->n, o->k);
        across(gram, o->w, lift, o->k, o->n, o->k);
    } else {
        across(gram, o->f, o->f, o->k, o->m, o->k);
    }
    free(lift);
    return gram;
}

/* Loss and de-correlation, halves of F (m x k). */
static void basis_halves(const oracle *o, halves h)
{
    double *y = model_of(o), *gram = gram_of(o, o->kernel), *spread = zeros(o->m * o->k);
    product(spread, o->f, gram, o->m, o->k, o->k);
    for (int64_t j = 0; j < o->m; j++)
        for (int64_t l = 0; l < o->k; l++) {
            const int64_t at = j * o->k + l;
            for (int64_t i = 0; i < o->n; i++) {
                const int64_t ij = i * o->m + j;
                const double g = o->e[ij] * o->g[i * o->k + l];
                h.up[at] += o->kl ? g * o->x[ij] / guarded(y[ij]) : 2 * g * o->x[ij];
                h.flat[at] += o->kl ? g : 0;
                h.curved[at] += o->kl ? 0 : 2 * g * y[ij];
            }
            h.up[at] += 4 * o->gamma * o->f[at];
            h.quartic[at] += 4 * o->gamma * spread[at];
            h.flat[at] += o->lasso_f;
            h.curved[at] += o->ridge_f * o->f[at];
        }
    free(y);
    free(gram);
    free(spread);
}

/* to (n x k) += by a (n x k) b (k x k) */
static void add_product(const oracle *o, double *to, double by, const double *a,
                        const double *b)
{
    for (int64_t i = 0; i < o->n; i++)
        for (int64_t l = 0; l < o->k; l++)
            for (int64_t h = 0; h < o->k; h++)
                to[i * o->k + l] += by * a[i * o->k + h] * b[h * o->k + l];
}

/* Frobenius through the kernel: 2 K V against 2 K W (V' V), 4 gamma K W against 4 gamma K W (W'
 * K W), V in the first product and one of the second times the samples' weights. What K- adds
 * to a term changes its side: twice, in the last one, it comes back. */
static void weights_halves(const oracle *o, halves h)
{
    const int64_t n = o->n, k = o->k;
    double *v = zeros(n * k), *spread = zeros(k * k), *linear = zeros(n * k);
    for (int64_t i = 0; i < n * k; i++)
        v[i] = o->e[i / k * o->m] * o->g[i];
    across(spread, o->g, v, k, n, k);
    product(linear, o->kernel, v, n, n, k);
    for (int64_t i = 0; i < n * k; i++)
        h.up[i] += 2 * linear[i];
    const bool either = mixed(o);
    for (int side = 0; side < 2; side++) {
        double *part = kernel_part(o, side == 0 ? 1 : -1), *lift = zeros(n * k);
        product(lift, part, o->w, n, n, k);
        add_product(o, side == 0 ? h.curved : h.anti, 2, lift, spread);
        for (int64_t i = 0; i < n * k; i++) {
            double *to = side == 1 ? h.curved : either ? h.anti : h.up;
            to[i] += 4 * o->gamma * lift[i];
        }
        for (int other = 0; other < 2; other++) {
            double *half = kernel_part(o, other == 0 ? 1 : -1), *gram = gram_of(o, half);
            add_product(o, side == other ? h.quartic : h.anti, 4 * o->gamma, lift, gram);
            free(half);
            free(gram);
        }
        free(part);
        free(lift);
    }
    free(v);
    free(spread);
    free(linear);
}

/* The positive root of Xu & Gong: a t^2 - l t - c = 0 with l = up - flat. De-correlation adds
 * q t^4, and the root is found by halving. */
static double signed_factor(halves h, int64_t i)
{
    const double l = h.up[i] - h.flat[i], a = h.curved[i], c = h.anti[i], q = h.quartic[i];
    double high = fmax(l + sqrt(l * l + 4 * a * c), 0) / guarded(2 * a), low = 0;
    for (int step = 0; q > 0 && step < 200; step++) {
        const double t = (low + high) / 2;
        if (q * t * t * t * t + a * t * t - l * t - c > 0)
            high = t;
        else
            low = t;
    }
    return high;
}

static double plain_factor(halves h, int64_t i)
{
    return h.up[i] / guarded(h.flat[i] + h.curved[i] + h.quartic[i]);
}

static void scale_basis(oracle *o)
{
    double *gram = gram_of(o, o->kernel);
    for (int64_t l = 0; l < o->k; l++) {
        double length = sqrt(gram[l * o->k + l]);
        if (o->product == 1) {
            length = 0;
            for (int64_t j = 0; j < o->m; j++)
                length += o->f[j * o->k + l];
        }
        for (int64_t j = 0; length > 0 && j < o->m; j++)
            o->f[j * o->k + l] /= length;
        for (int64_t i = 0; length > 0 && i < o->n; i++)
            o->w[i * o->k + l] /= length;
        for (int64_t i = 0; length > 0 && o->product > 0 && i < o->q; i++)
            o->z[i * o->k + l] *= length;
    }
    product(o->g, o->a, o->z, o->n, o->q, o->k);
    free(gram);
}

static void step_basis(oracle *o)
{
    const int64_t rows = o->concept ? o->n : o->m, count = rows * o->k;
    halves h = halves_of(count), b = halves_of(o->m * o->k);
    const bool by_kernel = o->concept && !o->kl, either = mixed(o);
    double *theta = o->concept ? o->w : o->f;
    if (by_kernel)
        weights_halves(o, h);
    else
        basis_halves(o, o->concept ? b : h);
    if (o->concept && !by_kernel) {
        product(h.up, o->x, b.up, o->n, o->m, o->k);
        product(h.flat, o->x, b.flat, o->n, o->m, o->k);
        product(h.curved, o->x, b.curved, o->n, o->m, o->k);
        product(h.quartic, o->x, b.quartic, o->n, o->m, o->k);
    }
    for (int64_t i = 0; by_kernel && i < count; i++)
        for (int64_t j = 0; j < o->m; j++) {
            const double x = o->x[i / o->k * o->m + j];
            h.flat[i] += o->lasso_f * x;
            h.curved[i] += o->ridge_f * x * o->f[j * o->k + i % o->k];
        }
    for (int64_t i = 0; i < count; i++)
        theta[i] *= either ? signed_factor(h, i) : plain_factor(h, i);
    if (o->concept)
        across(o->f, o->x, o->w, o->m, o->n, o->k);
    if (o->unit || o->product > 0)
        scale_basis(o);
    drop(h);
    drop(b);
}

/* The penalties' halves of G (n x k), by the table of rules whatever the sign of the kernel. */
static void penalty_halves(const oracle *o, halves h)
{
    for (int64_t i = 0; i < o->n; i++)
        for (int64_t l = 0; l < o->k; l++) {
            const int64_t at = i * o->k + l;
            h.flat[at] += o->lambda * o->d[at] + o->lasso_g;
            h.curved[at] += o->ridge_g * o->g[at];
            for (int64_t j = 0; j < o->n; j++) {
                const double g = o->g[j * o->k + l], s = o->s[i * o->n + j];
                const double c = o->c[i * o->n + j];
                h.up[at] += o->logs ? 0 : 2 * o->mu * s * g;
                h.curved[at] += o->logs ? 0 : 2 * o->mu * s * o->g[at];
                h.curved[at] += 2 * fmax(c, 0) * g;
                h.up[at] += 2 * fmax(-c, 0) * g;
                h.curved[at] += o->reward ? 0 : 2 * fmax(-c, 0) * o->g[at];
            }
        }
}

/* The factor by which a code of a graph of divergences moves, where each has its own: the root of
 *     b + c t + mu d (t + log t) - p / t - mu (S g) / g r(t), r(t) = (1 - log t) / t, from 1 on 2 / t - 1
 * by halving; L log g is among b, or p where it is below zero. */
static double log_factor(const oracle *o, halves h, int64_t at)
{
    double slope = 0, degree = 0, pull = 0, low = 1e-30, high = 1e30;
    for (int64_t j = 0; j < o->n; j++) {
        const double s = o->mu * o->s[at / o->k * o->n + j], g = o->g[j * o->k + at % o->k];
        slope += s * log(o->g[at] / g);
        degree += s;
        pull += s * g / o->g[at];
    }
    for (int step = 0; step < 400; step++) {
        const double t = sqrt(low * high), fall = t < 1 ? (1 - log(t)) / t : 2 / t - 1;
        const double value = h.flat[at] + fmax(slope, 0) + h.curved[at] * t +
                             degree * (t + log(t)) - (h.up[at] + fmax(-slope, 0)) / t -
                             pull * fall;
        *(value > 0 ? &high : &low) = t;
    }
    return sqrt(low * high);
}

/* (diag(flat) + mu A' L A) z = z0 (.) up, column by column, by elimination. */
static void solve_systems(oracle *o, halves h)
{
    const int64_t n = o->n, q = o->q, k = o->k;
    for (int64_t l = 0; l < k; l++) {
        double *a = zeros(q * q), *b = zeros(q);
        for (int64_t i = 0; i < n * n; i++)
            for (int64_t e = 0; e < q * q; e++) {
                const double *from = o->a + i / n * q, *to = o->a + i % n * q;
                a[e] += o->mu * o->s[i] * from[e / q] * (from[e % q] - to[e % q]);
            }
        for (int64_t i = 0; i < q; i++) {
            a[i * q + i] += h.flat[i * k + l];
            b[i] = o->z[i * k + l] * h.up[i * k + l];
        }
        for (int64_t p = 0; p < q; p++)
            for (int64_t i = 0; i < q; i++) {
                const double by = i == p ? 0 : a[i * q + p] / a[p * q + p];
                for (int64_t j = 0; j < q; j++)
                    a[i * q + j] -= by * a[p * q + j];
                b[i] -= by * b[p];
            }
        for (int64_t i = 0; i < q; i++)
            o->z[i * k + l] = b[i] / a[i * q + i];
        free(a);
        free(b);
    }
}

static void loss_halves_by_kernel(const oracle *o, halves h)
{
    const int64_t n = o->n, k = o->k;
    double *lift = zeros(n * k);
    product(lift, o->kernel, o->w, n, n, k);
    for (int64_t i = 0; i < n * k; i++)
        h.up[i] += 2 * o->e[i / k * o->m] * lift[i];
    for (int side = 0; side < 2; side++) {
        double *part = kernel_part(o, side == 0 ? 1 : -1), *gram = gram_of(o, part);
        double *to = side == 0 ? h.curved : h.anti;
        for (int64_t i = 0; i < n; i++)
            for (int64_t l = 0; l < k; l++)
                for (int64_t b = 0; b < k; b++)
                    to[i * k + l] += 2 * o->e[i * o->m] * o->g[i * k + b] * gram[b * k + l];
        free(part);
        free(gram);
    }
    free(lift);
}

static void loss_halves(const oracle *o, halves h)
{
    double *y = model_of(o);
    for (int64_t i = 0; i < o->n; i++)
        for (int64_t l = 0; l < o->k; l++)
            for (int64_t j = 0; j < o->m; j++) {
                const int64_t at = i * o->k + l, ij = i * o->m + j;
                const double f = o->e[ij] * o->f[j * o->k + l];
                h.up[at] += o->kl ? f * o->x[ij] / guarded(y[ij]) : 2 * f * o->x[ij];
                h.flat[at] += o->kl ? f : 0;
                h.curved[at] += o->kl ? 0 : 2 * f * y[ij];
            }
    free(y);
}

static void step_codes(oracle *o)
{
    const int64_t count = o->q * o->k;
    halves v = halves_of(o->n * o->k), h = halves_of(count);
    const bool either = mixed(o);
    if (o->concept && !o->kl)
        loss_halves_by_kernel(o, v);
    else
        loss_halves(o, v);
    penalty_halves(o, v);
    across(h.up, o->a, v.up, o->q, o->n, o->k);
    across(h.flat, o->a, v.flat, o->q, o->n, o->k);
    across(h.curved, o->a, v.curved, o->q, o->n, o->k);
    across(h.anti, o->a, v.anti, o->q, o->n, o->k);
    if (o->systems)
        solve_systems(o, h);
    for (int64_t i = 0; i < count && !o->systems; i++) {
        double by = either ? signed_factor(h, i) : plain_factor(h, i);
        if (o->half)
            by = sqrt(by);
        if (o->logs) {
            by = log_factor(o, h, i);
        } else if (o->root) { /* curved is 2 C+ G, so 8 (C+ G) p is 4 curved p */
            const double p = h.up[i], b = h.flat[i];
            by = 2 * p / guarded(b + sqrt(b * b + 4 * h.curved[i] * p));
        }
        o->z[i] *= by;
    }
    product(o->g, o->a, o->z, o->n, o->q, o->k);
    drop(v);
    drop(h);
}

void oracle_step(oracle *o)
{
    step_basis(o);
    step_codes(o);
}

static double loss_of(const oracle *o)
{
    const int64_t n = o->n, k = o->k;
    double sum = 0;
    if (o->blind) { /* phi(x_i) - sum_j phi(x_j) (W g_i)_j, squared */
        for (int64_t i = 0; i < n; i++) {
            double *u = zeros(n), own = 0;
            for (int64_t j = 0; j < n; j++)
                for (int64_t l = 0; l < k; l++)
                    u[j] -= o->w[j * k + l] * o->g[i * k + l];
            u[i] += 1;
            for (int64_t a = 0; a < n; a++)
                for (int64_t b = 0; b < n; b++)
                    own += u[a] * u[b] * o->kernel[a * n + b];
            sum += o->e[i * o->m] * own;
            free(u);
        }
        return sum;
    }
    double *y = model_of(o);
    for (int64_t i = 0; i < n * o->m; i++) {
        const double x = o->x[i], off = x - y[i];
        sum += o->e[i] * (o->kl ? (x > 0 ? x * log(x / guarded(y[i])) : 0) - off : off * off);
    }
    free(y);
    return sum;
}

double oracle_objective(const oracle *o)
{
    const int64_t n = o->n, k = o->k;
    double sum = loss_of(o), *gram = gram_of(o, o->kernel);
    for (int64_t i = 0; o->logs && i < n * n * k; i++) {
        const double p = o->g[i / n / k * k + i % k], q = o->g[i / k % n * k + i % k];
        sum += o->mu / 2 * o->s[i / k] * (p - q) * log(p / q);
    }
    for (int64_t i = 0; i < n * k; i++)
        sum += (o->lambda * o->d[i] + o->lasso_g + o->ridge_g / 2 * o->g[i]) * o->g[i];
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            double apart = 0, dot = 0;
            for (int64_t l = 0; l < k; l++) {
                const double p = o->g[i * k + l], q = o->g[j * k + l];
                apart += (p - q) * (p - q);
                dot += p * q;
            }
            const double c = o->c[i * n + j];
            sum +=
                o->logs ? 0 : o->mu / 2 * o->s[i * n + j] * apart; /* each pair comes twice */
            sum += c > 0 ? c * dot : 0;
            sum += c < 0 ? (o->reward ? c * dot : -c / 2 * apart) : 0;
        }
    for (int64_t i = 0; i < k * k; i++) {
        const double off = (i % (k + 1) == 0 ? 1 : 0) - gram[i];
        sum += o->gamma * off * off;
    }
    for (int64_t i = 0; i < o->m * k; i++)
        sum += (o->lasso_f + o->ridge_f / 2 * o->f[i]) * o->f[i];
    free(gram);
    return sum;
}
