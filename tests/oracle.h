/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The oracle: the multiplicative rules of the papers in their plainest form, written from the
 * mathematics alone and sharing nothing with the engine. Dense loops over doubles; K, S, C and
 * A are formed as full matrices, so it is for small problems only: O(n^2 (m + k)) an iteration.
 *
 *     J = sum_ij e_ij loss(x_ij, y_ij), Y = G F', G = A Z, F or F = X' W
 *       + lambda <D, G> + mu tr(G' L G), or tr(G' L log G), + links(G) + gamma ||I - F' F||^2
 *       + a_G sum G + b_G / 2 ||G||^2 + a_F sum F + b_F / 2 ||F||^2
 *
 * Shapes (row-major): x, e n x m; f m x k; w, g, d n x k; z q x k; a n x q; s, c, kernel n x n.
 */
#ifndef TSR_TESTS_ORACLE_H
#define TSR_TESTS_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct oracle {
    int64_t n, m, k, q;
    bool kl, concept, blind; /* blind: only the kernel is known, F is not formed */
    bool half;               /* square-root rule on the codes */
    bool root;               /* root of a bound on the codes (KL) */
    bool logs, systems;      /* graph of divergences; its codes by linear systems */
    bool unit;               /* unit L2 columns of F after its update, G as it is */
    int product;             /* unit columns of F, G inversely: 0 no, 1 L1, 2 L2 */
    bool reward;             /* must-links as the papers' reward, else as distances */
    double lambda, mu, gamma, lasso_f, ridge_f, lasso_g, ridge_g;
    double *x, *e, *kernel, *a, *d, *s, *c;
    double *f, *w, *g, *z;
} oracle;

/* All arrays zero, e = 1, A the identity where q = n. The caller fills what the model uses. */
void oracle_open(oracle *o, int64_t n, int64_t m, int64_t k, int64_t q);
void oracle_close(oracle *o);

/* After x (and e) are set: the inner products of samples. */
void oracle_linear_kernel(oracle *o);

/* After w or f, and z, are set: f (concept) and g. */
void oracle_start(oracle *o);

/* One iteration: basis first, then codes. */
void oracle_step(oracle *o);

double oracle_objective(const oracle *o);

#endif
