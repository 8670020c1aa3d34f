/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Tied codes are a smaller problem. With samples of one class sharing one code, G = A Z, the
 * loss on X is the loss on the group means with weights w_g = sum of the members' weights:
 *
 *     sum_i w_i ||x_i - F z||^2 = w_g ||mean - F z||^2 + constant
 *
 * and the same for Kullback-Leibler, so that an iteration costs O(m (c + u) k) for c classes
 * and u unlabelled samples. Groups: the classes in order, then the unlabelled samples in order.
 * The constant is added back, so J is always that of the original data. Liu et al. 2012.
 *
 * Both sides expanded, what has y in it is linear in x, so that means suffice; what has none is
 * the constant. The same holds for Itakura-Saito, whose x / y is linear in x too. So the solver
 * knows nothing of ties: with all labels distinct the fit is the free one
 * (tests/test_law_algebra.c). Terms on the codes count the members of a group. */
#include "factor/solver.h"

#include <math.h>
#include <string.h>

/* A free model is the case of one sample a row, so that all that follows may ask row_of. */
static tsr_status assign_rows(tsr__problem *p, bool tied)
{
    tsr_status status = TSR_OK;
    int64_t next = tied ? p->classes.count : 0;
    TSR_NEW(p->row_of, p->samples);
    for (int64_t i = 0; i < p->samples; i++)
        p->row_of[i] = tied && p->classes.seen[i] >= 0 ? p->classes.seen[i] : next++;
    p->n = next;
    TSR_NEW(p->classes.of_row, p->n);
    for (int64_t i = 0; i < p->samples; i++)
        p->classes.of_row[p->row_of[i]] = p->classes.seen[i];
done:
    return status;
}

static double weight_of(const tsr__problem *p, tsr_type type, int64_t i)
{
    return p->weight != NULL ? tsr__value_at(p->weight, type, i) : 1;
}

/* The share of sample i in its group; none where the group weighs nothing. A class all of whose
 * samples have weight 0 must not become NaN (tests/test_law_input.c). */
static double share_of(const tsr__problem *p, tsr_type type, int64_t i, const double *total)
{
    const double all = total[p->row_of[i]];
    return all > 0 ? weight_of(p, type, i) / all : 0;
}

/* What the samples add to the loss whatever the factors are. Absent entries add nothing: own(0)
 * is 0 for every loss that takes zeros. */
static double own_term(const tsr_matrix *x, const void *weight, const tsr__loss *loss)
{
    double sum = 0;
    for (int64_t i = 0; i < x->samples; i++) {
        const double w = weight != NULL ? tsr__value_at(weight, x->type, i) : 1;
        for (int64_t at = tsr__row_begin(x, i); at < tsr__row_end(x, i); at++)
            sum += w * loss->own(tsr__value_at(x->values, x->type, at));
    }
    return sum;
}

/* Group means of dense data, or of sparse data entry by entry. Sparse means stay sparse:
 * entries that meet in one place are added up as the matrix is made. */
static tsr_status average(tsr_matrix **out, const tsr__problem *p, const tsr_matrix *x,
                          const double *total)
{
    tsr_status status = TSR_OK;
    int64_t *row = NULL, *column = NULL;
    double *value = NULL;
    if (!x->sparse) {
        TSR_TRY(tsr_matrix_create(out, p->n, x->features, x->type));
        for (int64_t i = 0; i < x->samples; i++) {
            const int64_t to = p->row_of[i];
            const double w = share_of(p, x->type, i, total);
            for (int64_t j = 0; j < x->features; j++) {
                const int64_t at = to * x->features + j;
                tsr__value_set((*out)->values, x->type, at,
                               tsr__value_at((*out)->values, x->type, at) +
                                   w * tsr__value_at(x->values, x->type, i * x->stride + j));
            }
        }
        goto done;
    }
    const int64_t stored = tsr_matrix_stored(x);
    TSR_NEW(row, stored);
    TSR_NEW(column, stored);
    TSR_NEW(value, stored);
    for (int64_t i = 0, e = 0; i < x->samples; i++) {
        for (int64_t at = x->rows[i]; at < x->rows[i + 1]; at++, e++) {
            row[e] = p->row_of[i];
            column[e] = x->columns[at];
            value[e] = tsr__value_at(x->values, x->type, at) * share_of(p, x->type, i, total);
        }
    }
    TSR_TRY(
        tsr_matrix_create_sparse(out, p->n, x->features, stored, row, column, value, x->type));
done:
    tsr__free(row);
    tsr__free(column);
    tsr__free(value);
    return status;
}

/* Weights are added for the loss, members counted for the terms: a sample's weight is no matter
 * of its penalties. */
static tsr_status reduce(tsr__problem *p, const tsr__spec *spec)
{
    tsr_status status = TSR_OK;
    const tsr_matrix *x = p->held.kernel != NULL ? p->held.kernel : p->held.x;
    double *total = NULL;
    void *weight = NULL;
    TSR_NEW_ZERO(total, p->n);
    TSR_NEW_ZERO(p->members, p->n);
    for (int64_t i = 0; i < p->samples; i++) {
        total[p->row_of[i]] += weight_of(p, spec->type, i);
        p->members[p->row_of[i]] += 1;
    }
    TSR_TRY(average(&p->held.reduced, p, x, total));
    weight = tsr__alloc(p->n, tsr__type_size(spec->type));
    if (weight == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    for (int64_t i = 0; i < p->n; i++)
        tsr__value_set(weight, spec->type, i, total[i]);
    /* a kernel's rows are no samples: its own term is the trace, set where J is configured */
    p->constant = p->held.kernel != NULL ? 0
                                         : own_term(x, p->weight, spec->loss) -
                                               own_term(p->held.reduced, weight, spec->loss);
    tsr__free(p->weight);
    p->weight = weight, weight = NULL;
done:
    tsr__free(total);
    tsr__free(weight);
    return status;
}

tsr_status tsr__tie_samples(tsr__problem *p, const tsr__spec *spec)
{
    tsr_status status = TSR_OK;
    const bool tied = spec->codes == TSR_CODES_TIED;
    if (tied && p->missing != NULL)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "tied codes average the samples of a class, which missing "
                                     "values do not allow: --codes free");
    TSR_TRY(assign_rows(p, tied));
    if (tied)
        TSR_TRY(reduce(p, spec));
done:
    return status;
}
