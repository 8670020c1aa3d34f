/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Whether fits from other starts find the same parts.
 *
 * Parts come in any order and length: of two fits each part of one is matched with one of the
 * other so that the sum of cosines is the largest (matching.c), and the pair of fits is as alike
 * as the mean s of those cosines. A part that is all zeros is like none, and where a fit has fewer
 * parts the others of the larger one are like none.
 *
 * Parts without a value below zero are not orthogonal: those of faces are all faces. So s is told
 * against s0, how alike parts are that are not the same ones: each fit matched with itself, no part
 * with itself.
 *
 *     (s - s0) / (1 - s0)        1: the same parts; 0: no more alike than other parts; at least 0
 *
 * One part has no others, and parts that are all alike cannot be told apart: NaN.
 *
 * Cost: pairs x (k^2 m + k^3). */
#include "learn/matching.h"
#include "learn/select.h"
#include "matrix/blas.h"

#include <math.h>

void tsr__parts_clear(tsr__parts *parts)
{
    tsr__free(parts->unit);
    *parts = (tsr__parts){0};
}

/* Of models the basis, of baselines the factor, which is features x rank. */
tsr_status tsr__parts_of(tsr__parts *out, const tsr_encoder *e)
{
    tsr_status status = TSR_OK;
    const tsr_matrix *basis = tsr_model_basis(e->model);
    tsr__parts made = {.count = basis != NULL ? basis->samples : e->rank,
                       .features = basis != NULL ? basis->features : e->features};
    int64_t size = 0;
    if (!tsr__multiply(&size, made.count, made.features))
        TSR_FAIL(TSR_ERROR_MEMORY, "%lld parts of %lld features are too many to keep",
                 (long long)made.count, (long long)made.features);
    TSR_NEW(made.unit, size);
    for (int64_t a = 0; a < made.count; a++) {
        double *part = made.unit + a * made.features, square = 0, largest = 0;
        for (int64_t j = 0; j < made.features; j++) {
            part[j] =
                basis != NULL ? tsr_matrix_at(basis, a, j) : e->factor[j * made.count + a];
            largest = fmax(largest, fabs(part[j]));
        }
        for (int64_t j = 0; largest > 0 && j < made.features; j++) {
            part[j] /= largest; /* whose square may be no number */
            square += part[j] * part[j];
        }
        for (int64_t j = 0; square > 0 && j < made.features; j++)
            part[j] /= sqrt(square);
    }
    *out = made;
done:
    return status;
}

/* Of a fit with itself no part is matched with itself. */
static tsr_status match(double *out, const tsr__parts *a, const tsr__parts *b)
{
    tsr_status status = TSR_OK;
    const int64_t size = a->count > b->count ? a->count : b->count;
    double *cost = NULL, sum = 0;
    int64_t *of = NULL;
    TSR_NEW_ZERO(cost, size * size);
    TSR_NEW(of, size);
    tsr__multiply_dense(TSR_FLOAT64, &(tsr__product){.transpose_b = true,
                                                     .rows = a->count,
                                                     .columns = b->count,
                                                     .inner = a->features,
                                                     .alpha = -1,
                                                     .a = a->unit,
                                                     .b = b->unit,
                                                     .c = cost,
                                                     .lda = a->features,
                                                     .ldb = b->features,
                                                     .ldc = size});
    for (int64_t j = 0; a == b && j < size; j++)
        cost[j * size + j] = 2; /* worse than any cosine */
    TSR_TRY(tsr__match(of, cost, size));
    for (int64_t j = 0; j < size; j++)
        sum -= cost[of[j] * size + j] / (double)size;
    *out = fmin(sum, 1);
done:
    tsr__free(cost);
    tsr__free(of);
    return status;
}

tsr_status tsr__parts_alike(double *out, const tsr__parts *fit, int64_t fits)
{
    static const double apart = 1e-6; /* parts that are less than that apart are all alike */
    tsr_status status = TSR_OK;
    double sum = 0, chance = 0, alike = 0;
    for (int64_t a = 0; a < fits; a++) {
        if (fit[a].count < 2) {
            *out = (double)NAN;
            goto done;
        }
        TSR_TRY(match(&alike, &fit[a], &fit[a]));
        chance += alike / (double)fits;
        for (int64_t b = a + 1; b < fits; b++) {
            TSR_TRY(match(&alike, &fit[a], &fit[b]));
            sum += alike / ((double)fits * (double)(fits - 1) / 2);
        }
    }
    *out = 1 - chance > apart ? fmin(fmax((sum - chance) / (1 - chance), 0), 1) : (double)NAN;
done:
    return status;
}
