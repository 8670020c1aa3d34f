/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Terms: the features that a basis vector is about. F is m x k; vectors are compared as scaled to
 * unit length, u_j = f_j / ||f_j||, which is how the link models of Ambai et al. 2011 hold them.
 *
 *     top        the largest u_jv
 *     specific   v with u_jv > t and u_iv < t for every other vector i (there t = 0.05) */
#include "factor/model.h"
#include "matrix/store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Larger weights first, then smaller numbers. */
static int by_weight(const void *a, const void *b)
{
    const tsr_term *left = a, *right = b;
    if (left->weight != right->weight)
        return left->weight > right->weight ? -1 : 1;
    return (left->feature > right->feature) - (left->feature < right->feature);
}

static double length_of(const tsr_matrix *basis, int64_t vector)
{
    return sqrt(tsr__row_square(basis, vector));
}

/* Strikes out features that are not below the threshold in another vector. */
static void strike(bool *out, const double *u, double length, int64_t features, double specific)
{
    for (int64_t v = 0; v < features; v++)
        out[v] |= !(u[v] < specific * length);
}

static void find_others(bool *struck, double *row, const tsr_matrix *basis, int64_t vector,
                        double specific)
{
    for (int64_t i = 0; i < basis->samples; i++) {
        const double length = length_of(basis, i);
        if (i == vector || !(length > 0)) /* nothing is in an empty vector */
            continue;
        tsr_matrix_get_sample(row, basis, i);
        strike(struck, row, length, basis->features, specific);
    }
}

tsr_status tsr_basis_terms(tsr_term *out, int64_t *count, const tsr_matrix *basis,
                           int64_t vector, int64_t most, double specific)
{
    TSR_REQUIRE(count, basis);
    TSR_REQUIRE_ARRAY(out, most);
    tsr_status status = TSR_OK;
    const int64_t m = basis->features;
    TSR_OR_RETURN(tsr__matrix_need(basis, "a look at basis vectors"));
    double *row = NULL;
    bool *struck = NULL;
    tsr_term *term = NULL;
    int64_t found = 0;
    if (vector < 0 || vector >= basis->samples)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "basis vector %lld is outside 0 .. %lld",
                 (long long)vector, (long long)basis->samples - 1);
    if (!(specific >= 0 && specific <= 1))
        TSR_FAIL(TSR_ERROR_ARGUMENT, "a threshold of %g is outside 0 .. 1", specific);
    TSR_NEW(row, m);
    TSR_NEW(term, m);
    TSR_NEW_ZERO(struck, m);
    if (specific > 0)
        find_others(struck, row, basis, vector, specific);
    const double length = length_of(basis, vector);
    tsr_matrix_get_sample(row, basis, vector);
    for (int64_t v = 0; v < m && length > 0; v++)
        if (!struck[v] && row[v] / length > specific)
            term[found++] = (tsr_term){v, row[v] / length};
    qsort(term, (size_t)found, sizeof *term, by_weight);
    found = found < most ? found : most;
    memcpy(out, term, (size_t)found * sizeof *out);
    *count = found;
done:
    tsr__free(row);
    tsr__free(struck);
    tsr__free(term);
    return status;
}

/* Means of the codes of each class, over the samples whose label the learner saw: classes x k. One
 * pass; `members` and `code` are scratch, classes and k. */
static void add_codes(double *mean, int64_t *members, double *code, const tsr_model *model,
                      int32_t classes)
{
    const int64_t k = model->codes->features;
    for (int64_t i = 0; classes > 0 && i < model->codes->samples; i++) {
        const int32_t c = model->seen[i];
        if (c < 0)
            continue;
        members[c]++;
        tsr_matrix_get_sample(code, model->codes, i);
        for (int64_t j = 0; j < k; j++)
            mean[c * k + j] += code[j];
    }
    for (int32_t c = 0; c < classes; c++)
        for (int64_t j = 0; members[c] > 0 && j < k; j++)
            mean[c * k + j] /= (double)members[c];
}

tsr_status tsr_vector_classes(int32_t *of, double *share, const tsr_model *model)
{
    TSR_REQUIRE(of, model);
    tsr_status status = TSR_OK;
    const int64_t k = model->report.rank;
    const int32_t classes =
        model->labels != NULL && model->seen != NULL ? tsr_labels_classes(model->labels) : 0;
    double *mean = NULL, *code = NULL;
    int64_t *members = NULL;
    TSR_NEW_ZERO(mean, classes * k);
    TSR_NEW_ZERO(members, classes);
    TSR_NEW(code, k);
    add_codes(mean, members, code, model, classes);
    for (int64_t j = 0; j < k; j++) {
        const bool block = model->per_class > 0 && j < model->per_class * classes;
        int32_t best = block ? (int32_t)(j / model->per_class) : -1;
        double sum = 0, most = 0;
        for (int32_t c = 0; c < classes; c++) {
            sum += mean[c * k + j];
            if (!block && mean[c * k + j] > most)
                most = mean[c * k + j], best = c;
        }
        of[j] = best;
        if (share != NULL)
            share[j] = best >= 0 && sum > 0 ? mean[best * k + j] / sum : 0;
    }
done:
    tsr__free(mean);
    tsr__free(members);
    tsr__free(code);
    return status;
}
