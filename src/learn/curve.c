/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Error and accuracy against the retained dimension.
 *
 * Error: ||X - F G'||^2 = ||X||^2 - 2 sum a_i + sum F_ij G_ij with a_i = w_i' X g_i and the
 * Gram matrices of basis and codes, so that a further vector adds a row: O(k^2 (n + m)).
 * Accuracy: leave one out, nearest neighbour; O(k n^2 k). */
#include "learn/ranking.h"

#include "matrix/neighbours.h"
#include "matrix/store.h"

#include <math.h>
#include <string.h>

/* w . x of row i. */
static double along(const tsr_matrix *x, int64_t i, const double *w)
{
    double sum = 0;
    for (int64_t at = tsr__row_begin(x, i); at < tsr__row_end(x, i); at++)
        sum += tsr__value_at(x->values, x->type, at) * w[tsr__row_feature(x, i, at)];
    return sum;
}

/* sum[r] = that over samples of their code (count x n) times w . x (count x m), in one pass. */
static tsr_status shared(double *sum, const tsr_matrix *x, const double *w, const double *g,
                         int64_t count)
{
    const int64_t n = x->samples, most = tsr__matrix_window_rows(x);
    for (int64_t first = 0; first < n; first += most) {
        tsr_matrix rows;
        TSR_OR_RETURN(tsr__matrix_window(&rows, x, first, n - first < most ? n - first : most));
        for (int64_t r = 0; r < count; r++)
            for (int64_t i = 0; i < rows.samples; i++)
                sum[r] += along(&rows, i, w + r * x->features) * g[r * n + first + i];
    }
    return TSR_OK;
}

static double dot(const double *a, const double *b, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* out[r] = ||X - sum of the first r + 1 parts w_i g_i'||_F / ||X||_F. */
static tsr_status trace_error(double *out, const int64_t *order, int64_t count,
                              const tsr_matrix *basis, const tsr_matrix *codes,
                              const tsr_matrix *x)
{
    tsr_status status = TSR_OK;
    const int64_t n = x->samples, m = x->features;
    double *w = NULL, *g = NULL, *across = NULL, all = 0;
    TSR_TRY(tsr__check_squares(NULL, x, NULL, (double)n));
    TSR_NEW(w, count * m);
    TSR_NEW(g, count * n);
    TSR_NEW_ZERO(across, count);
    TSR_TRY(tsr__ranking_squares(&all, x));
    for (int64_t r = 0; r < count; r++) {
        tsr_matrix_get_sample(w + r * m, basis, order[r]);
        for (int64_t s = 0; s < n; s++)
            g[r * n + s] = tsr_matrix_at(codes, s, order[r]);
    }
    TSR_TRY(shared(across, x, w, g, count));
    double square = all;
    for (int64_t r = 0; r < count; r++) {
        square -= 2 * across[r];
        for (int64_t q = 0; q <= r; q++)
            square +=
                (q < r ? 2 : 1) * dot(w + r * m, w + q * m, m) * dot(g + r * n, g + q * n, n);
        if (!isfinite(square))
            TSR_FAIL(TSR_ERROR_DATA,
                     "basis vector %lld: its part of the samples is beyond the largest number: "
                     "--normalize l2 or max scales every sample",
                     (long long)order[r]);
        out[r] = all > 0 ? sqrt(fmax(square, 0) / all) : 0;
    }
done:
    tsr__free(w);
    tsr__free(g);
    tsr__free(across);
    return status;
}

/* Samples with a class, projected on the ranked vectors: known x count. `w` has room for those. */
static tsr_status project(double *to, const int64_t *sample, int64_t known,
                          const int64_t *order, int64_t count, const tsr_matrix *basis,
                          const tsr_matrix *x, double *w)
{
    const int64_t n = x->samples, most = tsr__matrix_window_rows(x);
    int64_t s = 0;
    for (int64_t r = 0; r < count; r++)
        tsr_matrix_get_sample(w + r * x->features, basis, order[r]);
    for (int64_t first = 0; first < n; first += most) {
        tsr_matrix rows;
        TSR_OR_RETURN(tsr__matrix_window(&rows, x, first, n - first < most ? n - first : most));
        for (; s < known && sample[s] < first + rows.samples; s++)
            for (int64_t r = 0; r < count; r++)
                to[s * count + r] = along(&rows, sample[s] - first, w + r * x->features);
    }
    return TSR_OK;
}

/* out[r] = share of the samples with a class whose nearest other sample has it too. */
static tsr_status trace_accuracy(double *out, const int64_t *order, int64_t count,
                                 const tsr_matrix *basis, const tsr_matrix *x,
                                 const int32_t *classes)
{
    tsr_status status = TSR_OK;
    int64_t *sample = NULL, *index = NULL, known = 0;
    double *codes = NULL, *square = NULL, *w = NULL;
    tsr_matrix *view = NULL;
    TSR_NEW(sample, x->samples);
    for (int64_t i = 0; i < x->samples; i++)
        if (classes[i] >= 0)
            sample[known++] = i;
    if (known < 2)
        TSR_FAIL(TSR_ERROR_DATA, "%lld samples have a class: there is no neighbour to ask",
                 (long long)known);
    TSR_NEW(codes, known * count);
    TSR_NEW(index, known);
    TSR_NEW(square, known);
    TSR_NEW(w, count * x->features);
    TSR_TRY(project(codes, sample, known, order, count, basis, x, w));
    for (int64_t r = 0; r < count; r++) {
        int64_t right = 0;
        TSR_TRY(tsr_matrix_view_dense(&view, codes, known, r + 1, count, TSR_FLOAT64));
        status = tsr__nearest_samples(index, square, view, view, 1, 0);
        if (status < 0)
            TSR_TRY(tsr__fail_in(status, "projections on the basis vectors"));
        tsr_matrix_free(view);
        view = NULL;
        for (int64_t i = 0; i < known; i++)
            right += classes[sample[index[i]]] == classes[sample[i]];
        out[r] = (double)right / (double)known;
    }
done:
    tsr__free(sample);
    tsr__free(index);
    tsr__free(codes);
    tsr__free(square);
    tsr__free(w);
    tsr_matrix_free(view);
    return status;
}

tsr_status tsr_rank_curve(double *out, const int64_t *order, int64_t count,
                          const tsr_matrix *basis, const tsr_matrix *codes, const tsr_matrix *x,
                          const int32_t *classes, tsr_rank_by by)
{
    TSR_REQUIRE(basis, x);
    TSR_REQUIRE_ARRAY(out, count);
    TSR_REQUIRE_CHOICE(by, TSR_RANK_LRE);
    tsr_status status = TSR_OK;
    int64_t *vector = NULL;
    double *curve = NULL;
    if (count > basis->samples)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "%lld vectors are asked for, %lld are there",
                 (long long)count, (long long)basis->samples);
    TSR_TRY(tsr__ranking_check(basis, codes, x, classes, by));
    TSR_NEW(vector, count);
    TSR_NEW(curve, count);
    for (int64_t r = 0; r < count; r++) {
        vector[r] = order != NULL ? order[r] : r;
        if (vector[r] < 0 || vector[r] >= basis->samples)
            TSR_FAIL(TSR_ERROR_ARGUMENT, "basis vector %lld is outside 0 .. %lld",
                     (long long)vector[r], (long long)basis->samples - 1);
    }
    TSR_TRY(by == TSR_RANK_LRE ? trace_error(curve, vector, count, basis, codes, x)
                               : trace_accuracy(curve, vector, count, basis, x, classes));
    for (int64_t r = 0; r < count; r++)
        out[r] = curve[r];
done:
    tsr__free(vector);
    tsr__free(curve);
    return status;
}
