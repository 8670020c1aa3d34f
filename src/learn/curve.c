/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Error and accuracy against the retained dimension.
 *
 * Error: ||X - F G'||^2 = ||X||^2 - 2 sum a_i + sum F_ij G_ij with a_i = w_i' X g_i and the
 * Gram matrices of basis and codes, so that a further vector adds a row: O(k^2 (n + m)).
 * Accuracy: leave one out, nearest neighbour; O(k n^2 k). */
#include "learn/ranking.h"

#include "matrix/neighbours.h"

#include <math.h>
#include <string.h>

/* Sum over samples of code i times w . x. */
static double shared(const tsr_matrix *x, const double *w, const tsr_matrix *codes, int64_t i)
{
    double sum = 0;
    for (int64_t s = 0; s < x->samples; s++) {
        double dot = 0;
        for (int64_t at = tsr__row_begin(x, s); at < tsr__row_end(x, s); at++)
            dot += tsr__value_at(x->values, x->type, at) * w[tsr__row_feature(x, s, at)];
        sum += dot * tsr_matrix_at(codes, s, i);
    }
    return sum;
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
    double *w = NULL, *g = NULL, all = 0;
    TSR_TRY(tsr__check_squares(NULL, x, NULL, (double)n));
    TSR_NEW(w, count * m);
    TSR_NEW(g, count * n);
    for (int64_t s = 0; s < n; s++)
        all += tsr__row_square(x, s);
    double square = all;
    for (int64_t r = 0; r < count; r++) {
        tsr_matrix_get_sample(w + r * m, basis, order[r]);
        for (int64_t s = 0; s < n; s++)
            g[r * n + s] = tsr_matrix_at(codes, s, order[r]);
        square -= 2 * shared(x, w + r * m, codes, order[r]);
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
    return status;
}

/* Samples with a class, projected on the ranked vectors: known x count. */
static void project(double *to, const int64_t *sample, int64_t known, const int64_t *order,
                    int64_t count, const tsr_matrix *basis, const tsr_matrix *x, double *row)
{
    const int64_t m = x->features;
    for (int64_t r = 0; r < count; r++) {
        tsr_matrix_get_sample(row, basis, order[r]);
        for (int64_t s = 0; s < known; s++) {
            double sum = 0;
            tsr_matrix_get_sample(row + m, x, sample[s]);
            for (int64_t j = 0; j < m; j++)
                sum += row[j] * row[m + j];
            to[s * count + r] = sum;
        }
    }
}

/* out[r] = share of the samples with a class whose nearest other sample has it too. */
static tsr_status trace_accuracy(double *out, const int64_t *order, int64_t count,
                                 const tsr_matrix *basis, const tsr_matrix *x,
                                 const int32_t *classes)
{
    tsr_status status = TSR_OK;
    int64_t *sample = NULL, *index = NULL, known = 0;
    double *codes = NULL, *square = NULL, *row = NULL;
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
    TSR_NEW(row, 2 * x->features);
    project(codes, sample, known, order, count, basis, x, row);
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
    tsr__free(row);
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
