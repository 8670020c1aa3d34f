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
#include "matrix/team.h"

#include <string.h>

/* A free model is the case of one sample a row, so that all that follows may ask row_of. Of all
 * samples, whoever has them, as are the sums of weights below: numbers, and no values. */
static tsr_status assign_rows(tsr__problem *p, bool tied)
{
    tsr_status status = TSR_OK;
    int64_t next = tied ? p->classes.count : 0;
    TSR_NEW(p->row_of, p->samples);
    for (int64_t i = 0; i < p->samples; i++)
        p->row_of[i] = tied && p->classes.seen[i] >= 0 ? p->classes.seen[i] : next++;
    p->rows.whole = next;
    TSR_NEW(p->classes.of_row, next);
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

/* The entries of labelled samples times their shares, class by class. */
typedef struct means {
    const tsr__problem *p;
    const double *total;
    tsr_type type;
    int64_t classes, first, end; /* all, and those that are added up together */
} means;

static void add_members(void *context, const tsr__block *block, double *sum, int thread)
{
    const means *to = context;
    (void)thread;
    for (int64_t i = 0; i < block->samples; i++) {
        const int64_t sample = to->p->share.first + block->first + i,
                      group = to->p->row_of[sample],
                      at = block->sparse ? block->rows[i] : i * block->stride,
                      end = block->sparse ? block->rows[i + 1] : at + block->features;
        if (group < to->first || group >= to->end)
            continue;
        const double w = share_of(to->p, to->type, sample, to->total);
        double *row = sum + (group - to->first) * block->features;
        for (int64_t e = at; e < end; e++)
            row[block->sparse ? block->columns[e] : e - at] +=
                w * tsr__value_at(block->values, block->type, e);
    }
}

/* Rows of a sparse matrix that is being made. */
typedef struct growing {
    int64_t *rows, room;
    int32_t *columns;
    void *values;
} growing;

static tsr_status grow(growing *g, int64_t used, int64_t more, size_t size)
{
    const int64_t wanted = 2 * g->room + more;
    if (used + more <= g->room)
        return TSR_OK;
    int32_t *columns = tsr__regrow(g->columns, used, wanted, sizeof *columns);
    g->columns = columns != NULL ? columns : g->columns;
    void *values = columns != NULL ? tsr__regrow(g->values, used, wanted, size) : NULL;
    g->values = values != NULL ? values : g->values;
    g->room = values != NULL ? wanted : g->room;
    return values != NULL ? TSR_OK : TSR_ERROR_MEMORY;
}

/* Means of some classes, one after another, to those before them: sparse ones stay sparse. */
static tsr_status put_sparse(growing *to, const means *of, const double *sum, int64_t m)
{
    tsr_status status = TSR_OK;
    for (int64_t c = of->first; c < of->end; c++, sum += m) {
        int64_t at = to->rows[c];
        TSR_TRY(grow(to, at, m, tsr__type_size(of->type)));
        for (int64_t j = 0; j < m; j++)
            if (sum[j] != 0) {
                to->columns[at] = (int32_t)j;
                tsr__value_set(to->values, of->type, at++, sum[j]);
            }
        to->rows[c + 1] = at;
    }
done:
    return status;
}

/* As many classes at a time as make all open sums together some MB. */
static tsr_status add_up(tsr_matrix **out, means *to, const tsr__source *source, int threads)
{
    enum { WIDTH = 1 << 22 };
    tsr_status status = TSR_OK;
    const int64_t m = source->features, fair = WIDTH / m / tsr__sum_room(source, threads),
                  some = fair > 1 ? fair : 1;
    growing sparse = {NULL, 0, NULL, NULL};
    double *sum = NULL;
    tsr_matrix *dense = NULL;
    TSR_NEW(sum, (some < to->classes ? some : to->classes) * m);
    if (source->sparse)
        TSR_NEW_ZERO(sparse.rows, to->classes + 1);
    else
        TSR_TRY(tsr_matrix_create(&dense, to->classes, m, to->type));
    for (to->first = 0; to->first < to->classes; to->first = to->end) {
        to->end = to->first + some < to->classes ? to->first + some : to->classes;
        TSR_TRY(
            tsr__sum_made(sum, source, threads, (to->end - to->first) * m, add_members, to));
        if (source->sparse)
            TSR_TRY(put_sparse(&sparse, to, sum, m));
        for (int64_t i = 0; dense != NULL && i < (to->end - to->first) * m; i++)
            tsr__value_set(dense->values, to->type, to->first * m + i, sum[i]);
    }
    if (source->sparse) {
        TSR_TRY(tsr__matrix_take_sparse(out, sparse.rows, sparse.columns, sparse.values,
                                        to->classes, m, to->type));
        sparse = (growing){NULL, 0, NULL, NULL};
    } else {
        *out = dense, dense = NULL;
    }
done:
    tsr_matrix_free(dense);
    tsr__free(sum);
    tsr__free(sparse.rows);
    tsr__free(sparse.columns);
    tsr__free(sparse.values);
    return status;
}

/* Means of the classes: a few rows, in memory, the same for every rank. */
static tsr_status average(tsr_matrix **out, const tsr__problem *p, const tsr__spec *spec,
                          const tsr_matrix *x, const double *total)
{
    means to = {.p = p, .total = total, .type = x->type, .classes = p->classes.count};
    tsr__source source = p->streams
                             ? tsr__source_of_share(x, &p->share, p->share.entries, 1 << 19)
                             : tsr__source_of_matrix(x, 1 << 19);
    if (!p->streams) /* a sum is as long as some samples */
        source.leaves = source.leaves < 8 ? source.leaves : 8;
    return add_up(out, &to, &source, tsr__threads(spec->options->threads, source.blocks));
}

/* The view of own rows: means of classes, which are the first rank's, then the samples that have no
 * label, in order. */
typedef struct grouping {
    const tsr_matrix *groups;
    int64_t classes; /* of them */
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
    const int64_t classes = t->classes, end = first + count,
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
    const int64_t own = p->rows.count, all = groups->samples,
                  classes = p->rows.first >= all ? 0
                            : all < own          ? all
                                                 : own;
    TSR_NEW_ZERO(t, 1);
    t->groups = groups;
    t->classes = classes;
    TSR_NEW(sample, own - classes);
    t->share = tsr__alloc(own - classes, tsr__type_size(x->type));
    if (t->share == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    if (x->sparse)
        TSR_NEW_ZERO(rows, own + 1);
    for (int64_t c = 0; x->sparse && c < classes; c++)
        rows[c + 1] = groups->rows[c + 1];
    for (int64_t i = 0; i < p->share.count; i++) {
        const int64_t r = p->row_of[p->share.first + i] - p->rows.first;
        if (p->row_of[p->share.first + i] < all)
            continue;
        sample[r - classes] = i;
        tsr__value_set(t->share, x->type, r - classes,
                       share_of(p, x->type, p->share.first + i, total));
        if (x->sparse)
            rows[r + 1] = rows[r] + x->rows[i + 1] - x->rows[i];
    }
    TSR_TRY(tsr__matrix_picked(&t->rest, x, sample, own - classes));
    const tsr__origin from = {.read = read_tied, .close = close_tied, .held = t};
    TSR_TRY(tsr__matrix_stored(out, &from, own, x->features, x->type, rows));
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
    TSR_TRY(average(&p->held.groups, p, spec, x, total));
    TSR_TRY(view_rows(&view, p, p->held.groups, x, total));
    if (tsr__matrix_is_stored(x)) {
        p->held.reduced = view, view = NULL;
        goto done;
    }
    TSR_TRY(tsr__matrix_load(&p->held.reduced, view,
                             tsr__threads(spec->options->threads, p->rows.count)));
    tsr_matrix_free(p->held.groups);
    p->held.groups = NULL;
done:
    tsr_matrix_free(view);
    return status;
}

/* The weights of own rows in the place of those of samples. */
static tsr_status take_totals(tsr__problem *p, tsr_type type, const double *total)
{
    void *weight = tsr__alloc(p->rows.count, tsr__type_size(type));
    if (weight == NULL)
        return TSR_ERROR_MEMORY;
    for (int64_t r = 0; r < p->rows.count; r++)
        tsr__value_set(weight, type, r, total[p->rows.first + r]);
    tsr__free(p->weight);
    p->weight = weight;
    return TSR_OK;
}

/* Own samples' weights in the place of all. */
static void *own_weights(const tsr__problem *p, tsr_type type)
{
    return p->weight != NULL ? (char *)p->weight + (size_t)p->share.first * tsr__type_size(type)
                             : NULL;
}

/* Weights are added for the loss, members counted for the terms: a sample's weight is no matter
 * of its penalties. */
static tsr_status reduce(tsr__problem *p, const tsr__spec *spec)
{
    tsr_status status = TSR_OK;
    const tsr_matrix *x = p->held.kernel != NULL ? p->held.kernel : p->held.x;
    double *total = NULL, whole = 0, reduced = 0;
    TSR_NEW_ZERO(total, p->rows.whole);
    TSR_NEW_ZERO(p->members, p->rows.whole);
    for (int64_t i = 0; i < p->samples; i++) {
        total[p->row_of[i]] += weight_of(p, spec->type, i);
        p->members[p->row_of[i]] += 1;
    }
    TSR_TRY(take_rows(p, spec, x, total));
    /* a kernel's rows are no samples: its own term is the trace, set where J is configured */
    if (p->held.kernel == NULL)
        TSR_TRY(tsr__sum_own(&whole, x, own_weights(p, spec->type), tsr__cut_by(&p->share),
                             spec->loss->own, spec->options->threads));
    TSR_TRY(take_totals(p, spec->type, total));
    if (p->held.kernel == NULL)
        TSR_TRY(tsr__sum_own(&reduced, p->held.reduced, p->weight, tsr__cut_by(&p->rows),
                             spec->loss->own, spec->options->threads));
    p->constant = whole - reduced;
done:
    tsr__free(total);
    return status;
}

/* Rows that come from the samples before one: its own, or that of the next that has one. */
static int64_t rows_before(const void *context, int64_t sample)
{
    const tsr__problem *p = context;
    while (sample < p->samples && p->row_of[sample] < p->classes.count)
        sample++;
    return sample < p->samples ? p->row_of[sample] : p->rows.whole;
}

/* Who has which rows: those that come from a rank's own samples, and the classes are of the first. */
static tsr_status share_rows(tsr__problem *p, bool tied)
{
    tsr_status status = TSR_OK;
    const int64_t whole = p->rows.whole;
    if (p->streams && tied)
        return tsr__share_map(&p->rows, &p->share, rows_before, p);
    p->rows = p->share;
    p->rows.leaf = p->rows.begin = NULL;
    if (p->streams) {
        TSR_NEW(p->rows.leaf, p->share.leaves + 1);
        TSR_NEW(p->rows.begin, tsr__team_ranks(p->share.team) + 1);
        memcpy(p->rows.leaf, p->share.leaf,
               (size_t)(p->share.leaves + 1) * sizeof *p->rows.leaf);
        memcpy(p->rows.begin, p->share.begin,
               ((size_t)tsr__team_ranks(p->share.team) + 1) * sizeof *p->rows.begin);
    } else {
        p->rows.whole = p->rows.count = whole;
    }
done:
    return status;
}

/* Of what rows have, that of one's own. */
static void keep_own(tsr__problem *p, tsr_type type, bool tied)
{
    const size_t first = (size_t)p->rows.first, count = (size_t)p->rows.count,
                 size = tsr__type_size(type);
    memmove(p->classes.of_row, p->classes.of_row + first, count * sizeof *p->classes.of_row);
    if (p->members != NULL)
        memmove(p->members, p->members + first, count * sizeof *p->members);
    if (!tied && p->weight != NULL)
        memmove(p->weight, (char *)p->weight + first * size, count * size);
}

tsr_status tsr__tie_samples(tsr__problem *p, const tsr__spec *spec)
{
    tsr_status status = TSR_OK;
    const bool tied = spec->codes == TSR_CODES_TIED;
    if (tied && p->missing != NULL)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "tied codes average the samples of a class, which missing "
                                     "values do not allow: --codes free");
    TSR_TRY(assign_rows(p, tied));
    TSR_TRY(share_rows(p, tied));
    if (tied)
        TSR_TRY(reduce(p, spec));
    keep_own(p, spec->type, tied);
    p->n = p->rows.count;
done:
    return status;
}
