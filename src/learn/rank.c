/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Ranking of basis vectors w (Huang et al. 2014), small scores first:
 *
 *     fisher   sum_c n_c var(w' X_c) / var(w' M), M the class means: projections P = X F' once,
 *              then sums of P and P^2 by class; 2 n m k
 *     lre      ||X - w_i h_i||^2 = ||X||^2 - 2 w_i' X g_i + ||w_i||^2 ||g_i||^2: the middle
 *              terms are the diagonal of P' G; one product for all */
#include "learn/ranking.h"
#include "learn/renumber.h"
#include "matrix/parallel.h"
#include "matrix/pass.h"
#include "matrix/scaled.h"

#include <math.h>
#include <stdlib.h>

/* P (n x k, doubles) = X F'. */
static tsr_status project(double *p, const tsr_matrix *basis, const tsr_matrix *x)
{
    tsr_status status = TSR_OK;
    tsr_matrix *doubles = NULL, *across = NULL, *wide = NULL;
    if (x->type != TSR_FLOAT64)
        TSR_TRY(tsr__matrix_is_stored(x)
                    ? tsr__matrix_scaled(&doubles, x, &(tsr__scaling){.type = TSR_FLOAT64})
                    : tsr_matrix_copy_as(&doubles, x, TSR_FLOAT64, x->sparse));
    TSR_TRY(tsr_matrix_copy_as(&wide, basis, TSR_FLOAT64, false));
    TSR_TRY(tsr_matrix_copy_transposed(&across, wide));
    const tsr__source source = tsr__source_of_matrix(doubles != NULL ? doubles : x, 1 << 20);
    TSR_TRY(tsr__source_project(p, &source, across->values, basis->samples,
                                tsr__threads(0, source.blocks)));
done:
    tsr_matrix_free(doubles);
    tsr_matrix_free(across);
    tsr_matrix_free(wide);
    return status;
}

/* Scores of column i of P from class sums; classes of one size weigh as they do in the sum. */
static double fisher(const double *p, int64_t n, int64_t k, int64_t i, const int64_t *of,
                     const int64_t *size, int64_t classes, double *mean)
{
    double within = 0, center = 0, between = 0;
    for (int64_t c = 0; c < classes; c++)
        mean[c] = 0;
    for (int64_t s = 0; s < n; s++)
        if (of[s] >= 0)
            mean[of[s]] += p[s * k + i] / (double)size[of[s]];
    for (int64_t s = 0; s < n; s++)
        if (of[s] >= 0)
            within += (p[s * k + i] - mean[of[s]]) * (p[s * k + i] - mean[of[s]]);
    for (int64_t c = 0; c < classes; c++)
        center += mean[c] / (double)classes;
    for (int64_t c = 0; c < classes; c++)
        between += (mean[c] - center) * (mean[c] - center) / (double)classes;
    return between > 0 ? within / between : (double)INFINITY; /* says nothing of classes */
}

static tsr_status score_fisher(double *score, const double *p, int64_t n, int64_t k,
                               const int32_t *classes)
{
    tsr_status status = TSR_OK;
    int64_t *of = NULL, *size = NULL, kinds = 0;
    double *mean = NULL;
    TSR_NEW(of, n);
    TSR_TRY(tsr__renumber(of, &kinds, classes, n));
    if (kinds < 2)
        TSR_FAIL(TSR_ERROR_DATA, "the Fisher score needs samples of two classes; there %s",
                 kinds == 1 ? "is one" : "is none");
    TSR_NEW_ZERO(size, kinds);
    TSR_NEW(mean, kinds);
    for (int64_t i = 0; i < n; i++)
        if (of[i] >= 0)
            size[of[i]]++;
    for (int64_t i = 0; i < k; i++)
        score[i] = fisher(p, n, k, i, of, size, kinds, mean);
done:
    tsr__free(of);
    tsr__free(size);
    tsr__free(mean);
    return status;
}

tsr_status tsr__ranking_squares(double *out, const tsr_matrix *x)
{
    const int64_t n = x->samples, most = tsr__matrix_window_rows(x);
    double all = 0;
    for (int64_t first = 0; first < n; first += most) {
        tsr_matrix rows;
        TSR_OR_RETURN(tsr__matrix_window(&rows, x, first, n - first < most ? n - first : most));
        for (int64_t i = 0; i < rows.samples; i++)
            all += tsr__row_square(&rows, i);
    }
    *out = all;
    return TSR_OK;
}

static tsr_status score_lre(double *score, const double *p, const tsr_matrix *basis,
                            const tsr_matrix *codes, const tsr_matrix *x)
{
    const int64_t n = x->samples, k = basis->samples;
    double all = 0;
    TSR_OR_RETURN(tsr__ranking_squares(&all, x));
    for (int64_t i = 0; i < k; i++) {
        double across = 0, length = 0;
        for (int64_t s = 0; s < n; s++) {
            const double g = tsr_matrix_at(codes, s, i);
            across += p[s * k + i] * g;
            length += g * g;
        }
        const double left = all - 2 * across + tsr__row_square(basis, i) * length;
        score[i] = left < 0 ? 0 : left; /* by rounding; NaN is kept */
    }
    return TSR_OK;
}

struct ranked {
    double score;
    int64_t number;
};

static int better(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    if (a->score < b->score || b->score < a->score)
        return a->score < b->score ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

tsr_status tsr__ranking_check(const tsr_matrix *basis, const tsr_matrix *codes,
                              const tsr_matrix *x, const int32_t *classes, tsr_rank_by by)
{
    TSR_OR_RETURN(tsr__check_classes(classes, x->samples, "classes"));
    if (basis->features != x->features)
        return tsr__fail(TSR_ERROR_ARGUMENT,
                         "basis vectors have %lld features, the samples %lld",
                         (long long)basis->features, (long long)x->features);
    if (by == TSR_RANK_FISHER && classes == NULL)
        return tsr__fail(TSR_ERROR_ARGUMENT, "the Fisher score needs the samples' classes");
    if (by == TSR_RANK_LRE &&
        (codes == NULL || codes->samples != x->samples || codes->features != basis->samples))
        return tsr__fail(TSR_ERROR_ARGUMENT,
                         "the reconstruction error needs codes of %lld samples x %lld vectors",
                         (long long)x->samples, (long long)basis->samples);
    TSR_OR_RETURN(tsr__matrix_need(basis, "a ranking of basis vectors"));
    if (by == TSR_RANK_LRE)
        TSR_OR_RETURN(tsr__matrix_need(codes, "a ranking by codes"));
    const tsr_status status = tsr_matrix_check(x, TSR_NEED_FINITE, NULL);
    return status < 0 ? status : tsr__check_squares(NULL, x, NULL, (double)x->samples);
}

/* Scores are made of squares of projections (fisher), or of squares of all (lre). */
static tsr_status check_projections(double *p, int64_t n, int64_t k)
{
    tsr_matrix *view = NULL;
    tsr_status status = tsr_matrix_view_dense(&view, p, n, k, k, TSR_FLOAT64);
    if (status == TSR_OK)
        status = tsr__check_squares(NULL, view, NULL, (double)n);
    tsr_matrix_free(view);
    return status < 0 ? tsr__fail_in(status, "projections on the basis vectors") : status;
}

static tsr_status check_scores(const double *score, int64_t k)
{
    for (int64_t i = 0; i < k; i++)
        if (!isfinite(score[i]))
            return tsr__fail(TSR_ERROR_DATA,
                             "basis vector %lld: its part of the samples is beyond the largest "
                             "number: --normalize l2 or max scales every sample",
                             (long long)i);
    return TSR_OK;
}

tsr_status tsr_rank_basis(int64_t *order, double *score, const tsr_matrix *basis,
                          const tsr_matrix *codes, const tsr_matrix *x, const int32_t *classes,
                          tsr_rank_by by)
{
    TSR_REQUIRE(order, basis, x);
    TSR_REQUIRE_CHOICE(by, TSR_RANK_LRE);
    tsr_status status = TSR_OK;
    const int64_t n = x->samples, k = basis->samples;
    double *p = NULL, *scores = NULL;
    struct ranked *ranked = NULL;
    TSR_TRY(tsr__ranking_check(basis, codes, x, classes, by));
    TSR_NEW(p, n * k);
    TSR_NEW(scores, k);
    TSR_NEW(ranked, k);
    TSR_TRY(project(p, basis, x));
    if (by == TSR_RANK_FISHER) {
        TSR_TRY(check_projections(p, n, k));
        TSR_TRY(score_fisher(scores, p, n, k, classes));
    } else {
        TSR_TRY(score_lre(scores, p, basis, codes, x));
        TSR_TRY(check_scores(scores, k));
    }
    for (int64_t i = 0; i < k; i++)
        ranked[i] = (struct ranked){scores[i], i};
    qsort(ranked, (size_t)k, sizeof *ranked, better);
    for (int64_t i = 0; i < k; i++) {
        order[i] = ranked[i].number;
        if (score != NULL)
            score[i] = scores[i];
    }
done:
    tsr__free(p);
    tsr__free(scores);
    tsr__free(ranked);
    return status;
}
