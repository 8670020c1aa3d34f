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
#include "matrix/parallel.h"
#include "matrix/pass.h"
#include "matrix/picked.h"
#include "matrix/store.h"

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

struct owning {
    const tsr__loss *loss;
    const void *weight;
    double *sum; /* by chunk */
};

static void add_own(void *context, const tsr_matrix *rows, int64_t first, int64_t chunk,
                    int thread)
{
    const struct owning *o = context;
    (void)thread;
    for (int64_t i = 0; i < rows->samples; i++) {
        const double w =
            o->weight != NULL ? tsr__value_at(o->weight, rows->type, first + i) : 1;
        for (int64_t at = tsr__row_begin(rows, i); at < tsr__row_end(rows, i); at++)
            o->sum[chunk] += w * o->loss->own(tsr__value_at(rows->values, rows->type, at));
    }
}

/* What the samples add to the loss whatever the factors are. Absent entries add nothing: own(0)
 * is 0 for every loss that takes zeros. */
static tsr_status own_term(double *out, const tsr_matrix *x, const void *weight,
                           const tsr__spec *spec)
{
    double sum[TSR_CHUNKS_MOST] = {0};
    struct owning o = {spec->loss, weight, sum};
    TSR_OR_RETURN(
        tsr__walk_chunks(x, tsr__matrix_threads(x, spec->options->threads), add_own, &o));
    *out = 0;
    for (int64_t i = 0; i < tsr__matrix_chunks(x); i++)
        *out += sum[i];
    return TSR_OK;
}

/* The entries of labelled samples times their shares, class by class. */
typedef struct means {
    const tsr__problem *p;
    const double *total;
    tsr_type type;
    int64_t *row, *column, count, room, column_room, value_room; /* sparse */
    double *value;
    tsr_matrix *dense;
} means;

static tsr_status add_sample(means *to, const tsr_matrix *rows, int64_t i, int64_t sample)
{
    tsr_status status = TSR_OK;
    const int64_t group = to->p->row_of[sample];
    const double w = share_of(to->p, to->type, sample, to->total);
    for (int64_t at = tsr__row_begin(rows, i); at < tsr__row_end(rows, i); at++) {
        const int64_t j = tsr__row_feature(rows, i, at);
        const double v = tsr__value_at(rows->values, rows->type, at);
        if (to->dense != NULL) {
            const int64_t place = group * rows->features + j;
            tsr__value_set(to->dense->values, rows->type, place,
                           tsr__value_at(to->dense->values, rows->type, place) + w * v);
            continue;
        }
        TSR_GROW(to->row, to->count, to->room);
        TSR_GROW(to->column, to->count, to->column_room);
        TSR_GROW(to->value, to->count, to->value_room);
        to->row[to->count] = group, to->column[to->count] = j;
        to->value[to->count++] = v * w;
    }
done:
    return status;
}

/* Means of the classes: a few rows, in memory. Sparse means stay sparse: entries that meet in one
 * place are added up as the matrix is made. */
static tsr_status average(tsr_matrix **out, const tsr__problem *p, const tsr_matrix *x,
                          const double *total)
{
    tsr_status status = TSR_OK;
    const int64_t classes = p->classes.count, most = tsr__matrix_window_rows(x);
    means to = {.p = p, .total = total, .type = x->type};
    tsr_matrix rows = {0};
    if (!x->sparse)
        TSR_TRY(tsr_matrix_create(&to.dense, classes, x->features, x->type));
    for (int64_t i = 0; i < x->samples; i++) {
        if (i % most == 0)
            TSR_TRY(
                tsr__matrix_window(&rows, x, i, x->samples - i < most ? x->samples - i : most));
        if (p->row_of[i] < classes)
            TSR_TRY(add_sample(&to, &rows, i % most, i));
    }
    if (x->sparse)
        TSR_TRY(tsr_matrix_create_sparse(&to.dense, classes, x->features, to.count, to.row,
                                         to.column, to.value, x->type));
    *out = to.dense, to.dense = NULL;
done:
    tsr_matrix_free(to.dense);
    tsr__free(to.row);
    tsr__free(to.column);
    tsr__free(to.value);
    return status;
}

/* The view of the rows: means of classes, then the samples that have no label, in order. */
typedef struct grouping {
    const tsr_matrix *groups;
    tsr_matrix *rest;
    void *share; /* real, of each of the rest: 1, or 0 where it weighs nothing */
} grouping;

/* Rows first .. of `from` to where values and columns end so far. */
static tsr_status put_rows(void *values, int32_t *columns, int64_t *next,
                           const tsr_matrix *from, int64_t first, int64_t count)
{
    const size_t size = tsr__type_size(from->type);
    tsr_matrix rows;
    if (count <= 0)
        return TSR_OK;
    TSR_OR_RETURN(tsr__matrix_window(&rows, from, first, count));
    const int64_t at = tsr__row_begin(&rows, 0), length = tsr_matrix_stored(&rows);
    if (length > 0)
        memcpy((char *)values + (size_t)*next * size,
               (const char *)rows.values + (size_t)at * size, (size_t)length * size);
    if (rows.sparse && length > 0)
        memcpy(columns + *next, rows.columns + at, (size_t)length * sizeof *columns);
    *next += length;
    return TSR_OK;
}

static tsr_status read_tied(void *held, const tsr_matrix *x, int64_t first, int64_t count,
                            void *values, int32_t *columns)
{
    const grouping *t = held;
    const int64_t classes = t->groups->samples, end = first + count,
                  mixed = first < classes ? (end < classes ? end : classes) : first;
    const int64_t base = x->sparse ? x->rows[first] : first * x->features;
    int64_t next = 0;
    TSR_OR_RETURN(put_rows(values, columns, &next, t->groups, first, mixed - first));
    TSR_OR_RETURN(put_rows(values, columns, &next, t->rest, mixed - classes, end - mixed));
    for (int64_t r = mixed; r < end; r++) {
        const double by = tsr__value_at(t->share, x->type, r - classes);
        for (int64_t e = tsr__row_begin(x, r) - base; by != 1 && e < tsr__row_end(x, r) - base;
             e++)
            tsr__value_set(values, x->type, e, by * tsr__value_at(values, x->type, e));
    }
    return TSR_OK;
}

static void close_tied(void *held)
{
    grouping *t = held;
    tsr_matrix_free(t->rest);
    tsr__free(t->share);
    tsr__free(t);
}

static tsr_status view_rows(tsr_matrix **out, const tsr__problem *p, const tsr_matrix *groups,
                            const tsr_matrix *x, const double *total)
{
    tsr_status status = TSR_OK;
    grouping *t = NULL;
    int64_t *rows = NULL, *sample = NULL;
    const int64_t classes = groups->samples;
    TSR_NEW_ZERO(t, 1);
    t->groups = groups;
    TSR_NEW(sample, p->n - classes);
    t->share = tsr__alloc(p->n - classes, tsr__type_size(x->type));
    if (t->share == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    if (x->sparse)
        TSR_NEW_ZERO(rows, p->n + 1);
    for (int64_t c = 0; x->sparse && c < classes; c++)
        rows[c + 1] = groups->rows[c + 1];
    for (int64_t i = 0; i < p->samples; i++) {
        const int64_t r = p->row_of[i];
        if (r < classes)
            continue;
        sample[r - classes] = i;
        tsr__value_set(t->share, x->type, r - classes, share_of(p, x->type, i, total));
        if (x->sparse)
            rows[r + 1] = rows[r] + x->rows[i + 1] - x->rows[i];
    }
    TSR_TRY(tsr__matrix_picked(&t->rest, x, sample, p->n - classes));
    const tsr__origin from = {.read = read_tied, .close = close_tied, .held = t};
    TSR_TRY(tsr__matrix_stored(out, &from, p->n, x->features, x->type, rows));
    t = NULL, rows = NULL;
done:
    if (t != NULL)
        close_tied(t);
    tsr__free(rows);
    tsr__free(sample);
    return status;
}

/* One row a group: a view, which is copied out where the samples are in memory. */
static tsr_status take_rows(tsr__problem *p, const tsr__spec *spec, const tsr_matrix *x,
                            const double *total)
{
    tsr_status status = TSR_OK;
    tsr_matrix *view = NULL;
    TSR_TRY(average(&p->held.groups, p, x, total));
    TSR_TRY(view_rows(&view, p, p->held.groups, x, total));
    if (tsr__matrix_is_stored(x)) {
        p->held.reduced = view, view = NULL;
        goto done;
    }
    TSR_TRY(
        tsr__matrix_load(&p->held.reduced, view, tsr__threads(spec->options->threads, p->n)));
    tsr_matrix_free(p->held.groups);
    p->held.groups = NULL;
done:
    tsr_matrix_free(view);
    return status;
}

/* Weights are added for the loss, members counted for the terms: a sample's weight is no matter
 * of its penalties. */
static tsr_status reduce(tsr__problem *p, const tsr__spec *spec)
{
    tsr_status status = TSR_OK;
    const tsr_matrix *x = p->held.kernel != NULL ? p->held.kernel : p->held.x;
    double *total = NULL, whole = 0, reduced = 0;
    void *weight = NULL;
    TSR_NEW_ZERO(total, p->n);
    TSR_NEW_ZERO(p->members, p->n);
    for (int64_t i = 0; i < p->samples; i++) {
        total[p->row_of[i]] += weight_of(p, spec->type, i);
        p->members[p->row_of[i]] += 1;
    }
    TSR_TRY(take_rows(p, spec, x, total));
    weight = tsr__alloc(p->n, tsr__type_size(spec->type));
    if (weight == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    for (int64_t i = 0; i < p->n; i++)
        tsr__value_set(weight, spec->type, i, total[i]);
    /* a kernel's rows are no samples: its own term is the trace, set where J is configured */
    if (p->held.kernel == NULL) {
        TSR_TRY(own_term(&whole, x, p->weight, spec));
        TSR_TRY(own_term(&reduced, p->held.reduced, weight, spec));
    }
    p->constant = whole - reduced;
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
