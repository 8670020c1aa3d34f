/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Nearest neighbours by blocked products: ||a - b||^2 = ||a||^2 + ||b||^2 - 2 a.b, a block of
 * samples against a block of candidates at a time, with a running list of the p best. No n x n
 * matrix; 2 n^2 m flops in products (sparse: 2 n nnz).
 *
 * Products only sort out: whoever comes within their rounding of the p-th distance is measured
 * again by subtraction, in double. So the result is exact whatever the products' type, equal
 * samples tie exactly, and long samples of doubles may be multiplied as floats. Dense samples
 * are copied once, less their mean, which keeps the rounding small beside the distances. */
#include "matrix/neighbours.h"

#include "matrix/blas.h"
#include "matrix/distances.h"
#include "matrix/gather.h"
#include "matrix/kernels.h"
#include "matrix/parallel.h"
#include "matrix/store.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_ROWS = 256, LEAST_ROWS = 16, COLUMNS = 512, SPARSE_COLUMNS = 64 };

/* What one thread works with. */
typedef struct desk {
    void *product;  /* rows x COLUMNS; sparse: rows x SPARSE_COLUMNS */
    void *across;   /* sparse: features x SPARSE_COLUMNS, zero between blocks */
    int32_t *close; /* COLUMNS: candidates worth measuring */
} desk;

typedef struct searching {
    const tsr_matrix *x, *among; /* of one type and storage */
    bool same;
    tsr_type type;             /* of the products */
    void *x_rows, *among_rows; /* dense: the samples as the products take them */
    double *x_square;          /* squared norms of those */
    void *low;                 /* of the candidates, less what rounding may have added */
    double doubt, speck;       /* rounding of a product: relative, and by underflow */
    int64_t rows;              /* samples of an item of work */
    const tsr__distances *own, *rough;
    int64_t p;
    int64_t *index;
    double *square;
    desk *desk;
} searching;

/* Keeps (candidate, d) if it is among the p best so far; ties go to the smaller index, which
 * comes first anyway. */
static void offer(int64_t *index, double *square, int64_t p, int64_t candidate, double d)
{
    if (!(d < square[p - 1]))
        return;
    int64_t at = p - 1;
    for (; at > 0 && d < square[at - 1]; at--) {
        square[at] = square[at - 1];
        index[at] = index[at - 1];
    }
    square[at] = d;
    index[at] = candidate;
}

static double sparse_apart(const tsr_matrix *x, int64_t i, const tsr_matrix *y, int64_t j)
{
    int64_t a = x->rows[i], b = y->rows[j];
    const int64_t a_end = x->rows[i + 1], b_end = y->rows[j + 1];
    double sum = 0;
    while (a < a_end || b < b_end) {
        const int32_t left = a < a_end ? x->columns[a] : INT32_MAX;
        const int32_t right = b < b_end ? y->columns[b] : INT32_MAX;
        const double u = left <= right ? tsr__value_at(x->values, x->type, a++) : 0;
        const double v = right <= left ? tsr__value_at(y->values, y->type, b++) : 0;
        sum += (u - v) * (u - v);
    }
    return sum;
}

static double exact_apart(const searching *s, int64_t i, int64_t j)
{
    const tsr_matrix *x = s->x, *y = s->among;
    const int64_t size = (int64_t)tsr__type_size(x->type);
    if (x->sparse)
        return sparse_apart(x, i, y, j);
    return s->own->apart((const char *)x->values + i * x->stride * size,
                         (const char *)y->values + j * y->stride * size, x->features);
}

/* What products may say of a candidate that belongs into the list of sample i. */
static double limit_of(const searching *s, int64_t i)
{
    return s->square[i * s->p + s->p - 1] - s->x_square[i] * (1 - s->doubt) + s->speck;
}

/* Candidates first .. first+count-1 meet sample i. */
static void compare(const searching *s, desk *d, const void *product, int64_t i, int64_t first,
                    int64_t count)
{
    const char *low = (const char *)s->low + first * (int64_t)tsr__type_size(s->type);
    int64_t *index = s->index + i * s->p;
    double *square = s->square + i * s->p;
    const int64_t found = s->rough->below(d->close, product, low, limit_of(s, i), count);
    for (int64_t f = 0; f < found; f++) {
        const int64_t at = d->close[f], j = first + at;
        const double rough =
            tsr__value_at(low, s->type, at) - 2 * tsr__value_at(product, s->type, at);
        if ((s->same && j == i) || rough > limit_of(s, i)) /* the limit falls as we go */
            continue;
        offer(index, square, s->p, j, exact_apart(s, i, j));
    }
}

static void search_dense(void *context, int64_t item, int thread)
{
    const searching *s = context;
    desk *d = &s->desk[thread];
    const int64_t m = s->x->features, first = item * s->rows, n = s->among->samples;
    const int64_t left = s->x->samples - first, rows = left < s->rows ? left : s->rows;
    const int64_t size = (int64_t)tsr__type_size(s->type);
    for (int64_t other = 0; other < n; other += COLUMNS) {
        const int64_t columns = n - other < COLUMNS ? n - other : COLUMNS;
        const tsr__product product = {.transpose_b = true,
                                      .rows = rows,
                                      .columns = columns,
                                      .inner = m,
                                      .alpha = 1,
                                      .a = (const char *)s->x_rows + first * m * size,
                                      .b = (const char *)s->among_rows + other * m * size,
                                      .c = d->product,
                                      .lda = m,
                                      .ldb = m,
                                      .ldc = COLUMNS};
        tsr__multiply_dense(s->type, &product);
        for (int64_t i = 0; i < rows; i++)
            compare(s, d, (const char *)d->product + i * COLUMNS * size, first + i, other,
                    columns);
    }
}

/* Writes candidates first .. first+count-1 into the columns of `across`, or wipes them out. */
static void scatter(void *across, const tsr_matrix *y, int64_t first, int64_t count, bool wipe)
{
    for (int64_t j = 0; j < count; j++)
        for (int64_t at = y->rows[first + j]; at < y->rows[first + j + 1]; at++)
            tsr__value_set(across, y->type, y->columns[at] * (int64_t)SPARSE_COLUMNS + j,
                           wipe ? 0 : tsr__value_at(y->values, y->type, at));
}

static void search_sparse(void *context, int64_t item, int thread)
{
    const searching *s = context;
    desk *d = &s->desk[thread];
    const tsr_matrix *x = s->x;
    const int64_t first = item * s->rows, n = s->among->samples;
    const int64_t left = x->samples - first, rows = left < s->rows ? left : s->rows;
    const int64_t size = (int64_t)tsr__type_size(s->type);
    for (int64_t other = 0; other < n; other += SPARSE_COLUMNS) {
        const int64_t columns = n - other < SPARSE_COLUMNS ? n - other : SPARSE_COLUMNS;
        scatter(d->across, s->among, other, columns, false);
        const tsr__gather here = {x->rows + first, x->columns,    x->values, rows,
                                  d->across,       SPARSE_COLUMNS};
        tsr__gathers_of(s->type)->project(d->product, &here);
        for (int64_t i = 0; i < rows; i++)
            compare(s, d, (const char *)d->product + i * SPARSE_COLUMNS * size, first + i,
                    other, columns);
        scatter(d->across, s->among, other, columns, true);
    }
}

/* Both sides alike: sparse when either is, doubles when either is or when floats would
 * overflow; copies where need be. */
static tsr_status make_alike(tsr_matrix **x_copy, tsr_matrix **among_copy, searching *s,
                             double most)
{
    tsr_status status = TSR_OK;
    const bool sparse = s->x->sparse || s->among->sparse;
    const bool wide = s->x->type != s->among->type || (sparse && most > 1e30);
    const tsr_type type = wide ? TSR_FLOAT64 : s->x->type;
    if (s->x->sparse != sparse || s->x->type != type)
        TSR_TRY(tsr_matrix_copy_as(x_copy, s->x, type, sparse));
    if (!s->same && (s->among->sparse != sparse || s->among->type != type))
        TSR_TRY(tsr_matrix_copy_as(among_copy, s->among, type, sparse));
    s->x = *x_copy != NULL ? *x_copy : s->x;
    s->among = s->same ? s->x : *among_copy != NULL ? *among_copy : s->among;
done:
    return status;
}

typedef struct packing {
    const tsr_matrix *x;
    tsr_type type;
    const double *mean;
    void *rows;     /* dense: samples as the products take them */
    double *square; /* their squared norms */
} packing;

static void pack_block(void *context, int64_t item, int thread)
{
    const packing *p = context;
    const tsr_matrix *x = p->x;
    const int64_t m = x->features, first = item * MOST_ROWS;
    const int64_t end = first + MOST_ROWS < x->samples ? first + MOST_ROWS : x->samples;
    (void)thread;
    for (int64_t i = first; i < end; i++) {
        p->square[i] = x->sparse ? tsr__row_square(x, i) : 0;
        for (int64_t j = 0; !x->sparse && j < m; j++) {
            const double v = tsr__value_at(x->values, x->type, i * x->stride + j) - p->mean[j];
            tsr__value_set(p->rows, p->type, i * m + j, v);
            p->square[i] += v * v;
        }
    }
}

static void pack(const packing *p, int threads)
{
    packing copy = *p;
    tsr__parallel((p->x->samples + MOST_ROWS - 1) / MOST_ROWS, threads, pack_block, &copy);
}

/* Means of the features; zero for sparse samples, which keep their zeros. */
static void mean_of(double *mean, const tsr_matrix *x)
{
    for (int64_t i = 0; !x->sparse && i < x->samples; i++)
        for (int64_t j = 0; j < x->features; j++)
            mean[j] += tsr__value_at(x->values, x->type, i * x->stride + j);
    for (int64_t j = 0; j < x->features; j++)
        mean[j] /= (double)x->samples;
}

/* Long samples of doubles are multiplied as floats, in half the time; none beyond the range of
 * floats is. */
static tsr_type product_type(const tsr_matrix *x, double most)
{
    enum { LONG = 128 };
    if (x->sparse)
        return x->type;
    return most < 1e30 && (x->type == TSR_FLOAT32 || x->features >= LONG) ? TSR_FLOAT32
                                                                          : TSR_FLOAT64;
}

/* Squared norms, packed rows and thresholds. `hold` owns them. */
static tsr_status prepare(searching *s, double most, int threads, void *hold[5])
{
    tsr_status status = TSR_OK;
    const int64_t n = s->x->samples, others = s->among->samples, m = s->x->features;
    s->type = product_type(s->x, most);
    const size_t size = tsr__type_size(s->type);
    const bool single = s->type == TSR_FLOAT32;
    double *mean = hold[0] = tsr__alloc_zero(m, sizeof *mean);
    double *square = hold[1] = tsr__alloc(n + others, sizeof *square);
    void *low = hold[2] = tsr__alloc(others, size);
    void *rows = hold[3] = tsr__alloc(s->x->sparse ? 0 : n * m, size);
    void *other_rows = hold[4] = tsr__alloc(s->x->sparse || s->same ? 0 : others * m, size);
    if (mean == NULL || square == NULL || low == NULL || rows == NULL || other_rows == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    mean_of(mean, s->among);
    packing mine = {s->x, s->type, mean, rows, square};
    packing theirs = {s->among, s->type, mean, other_rows, square + n};
    pack(&mine, threads);
    if (!s->same)
        pack(&theirs, threads);
    s->x_rows = rows;
    s->among_rows = s->same ? rows : other_rows;
    s->x_square = square;
    s->doubt = (double)(m + 16) * (single ? (double)FLT_EPSILON : DBL_EPSILON);
    s->speck = (double)(m + 16) * (single ? 1e-44 : 1e-320);
    for (int64_t j = 0; j < others; j++)
        tsr__value_set(low, s->type, j, (s->same ? square : square + n)[j] * (1 - s->doubt));
    s->low = low;
    s->own = tsr__distances_of(s->x->type);
    s->rough = tsr__distances_of(s->type);
done:
    return status;
}

static tsr_status make_desks(searching *s, int threads)
{
    const size_t size = tsr__type_size(s->type);
    const int64_t columns = s->x->sparse ? SPARSE_COLUMNS : COLUMNS;
    s->desk = tsr__alloc_zero(threads, sizeof *s->desk);
    for (int t = 0; s->desk != NULL && t < threads; t++) {
        desk *d = &s->desk[t];
        d->product = tsr__alloc(s->rows * columns, size);
        d->across = tsr__alloc_zero(s->x->sparse ? s->x->features * SPARSE_COLUMNS : 0, size);
        d->close = tsr__alloc(columns, sizeof *d->close);
        if (d->product == NULL || d->across == NULL || d->close == NULL)
            return TSR_ERROR_MEMORY;
    }
    return s->desk != NULL ? TSR_OK : TSR_ERROR_MEMORY;
}

static void free_desks(searching *s, int threads)
{
    for (int t = 0; s->desk != NULL && t < threads; t++) {
        tsr__free(s->desk[t].product);
        tsr__free(s->desk[t].across);
        tsr__free(s->desk[t].close);
    }
    tsr__free(s->desk);
}

tsr_status tsr__nearest_samples(int64_t *index, double *square, const tsr_matrix *x,
                                const tsr_matrix *among, int64_t p, int threads)
{
    tsr_status status = TSR_OK;
    const int64_t n = x->samples;
    const int wanted = tsr__threads(threads, (n + LEAST_ROWS - 1) / LEAST_ROWS);
    int64_t rows = n / (4 * (int64_t)wanted); /* several items a thread */
    rows = rows < LEAST_ROWS ? LEAST_ROWS : rows > MOST_ROWS ? MOST_ROWS : rows;
    searching s = {.x = x,
                   .among = among,
                   .same = x == among,
                   .rows = rows,
                   .p = p,
                   .index = index,
                   .square = square};
    tsr_matrix *x_copy = NULL, *among_copy = NULL;
    void *hold[5] = {NULL};
    if (x->features != among->features)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "samples of %lld and of %lld features have no distance",
                 (long long)x->features, (long long)among->features);
    double most = 0;
    TSR_TRY(tsr__matrix_need(x, "the search for neighbours"));
    TSR_TRY(tsr__matrix_need(among, "the search for neighbours"));
    TSR_TRY(tsr__check_squares(&most, x, among, 1));
    if (n == 0 || p < 1)
        goto done;
    TSR_TRY(make_alike(&x_copy, &among_copy, &s, most));
    TSR_TRY(prepare(&s, most, wanted, hold));
    TSR_TRY(make_desks(&s, wanted));
    for (int64_t i = 0; i < n * p; i++) {
        index[i] = -1;
        square[i] = (double)INFINITY;
    }
    tsr__parallel((n + rows - 1) / rows, wanted, s.x->sparse ? search_sparse : search_dense,
                  &s);
done:
    free_desks(&s, wanted);
    for (int i = 0; i < 5; i++)
        tsr__free(hold[i]);
    tsr_matrix_free(x_copy);
    tsr_matrix_free(among_copy);
    return status;
}

double tsr__cosine(const double *x, const double *y, int64_t count)
{
    double dot = 0, aa = 0, bb = 0;
    for (int64_t j = 0; j < count; j++) {
        dot += x[j] * y[j];
        aa += x[j] * x[j];
        bb += y[j] * y[j];
    }
    if (!(aa > 0 && bb > 0))
        return 0;
    const double both = aa * bb; /* may be out of range where both are not */
    return dot / (both > DBL_MIN && both <= DBL_MAX ? sqrt(both) : sqrt(aa) * sqrt(bb));
}

static double cosine(const tsr_matrix *x, int64_t a, int64_t b, double *work)
{
    tsr_matrix_get_sample(work, x, a);
    tsr_matrix_get_sample(work + x->features, x, b);
    return tsr__cosine(work, work + x->features, x->features);
}

/* Both directions of every edge, once each, as entries. */
static int64_t list_edges(int64_t *row, int64_t *column, double *square, const int64_t *index,
                          const double *distance, int64_t n, int64_t p)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t a = 0; a < p && index[i * p + a] >= 0; a++) {
            const int64_t j = index[i * p + a];
            bool mutual = false;
            for (int64_t b = 0; b < p; b++)
                mutual = mutual || index[j * p + b] == i;
            if (mutual && j < i)
                continue; /* listed from the other end */
            row[count] = column[count + 1] = i;
            column[count] = row[count + 1] = j;
            square[count] = square[count + 1] = distance[i * p + a];
            count += 2;
        }
    }
    return count;
}

tsr_status tsr__neighbour_graph(tsr_matrix **out, const tsr_matrix *x, int64_t p,
                                tsr__edge_weight weight, double heat, int threads)
{
    tsr_status status = TSR_OK;
    int64_t *index = NULL, *row = NULL, *column = NULL;
    double *distance = NULL, *value = NULL, *work = NULL;
    const int64_t n = x->samples;
    if (p >= n)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "%lld neighbours exceed the %lld other samples",
                 (long long)p, (long long)(n > 0 ? n - 1 : 0));
    TSR_NEW(index, n * p);
    TSR_NEW(distance, n * p);
    TSR_NEW(row, 2 * n * p);
    TSR_NEW(column, 2 * n * p);
    TSR_NEW(value, 2 * n * p);
    TSR_NEW(work, 2 * x->features);
    TSR_TRY(tsr__nearest_samples(index, distance, x, x, p, threads));
    const int64_t count = list_edges(row, column, value, index, distance, n, p);
    double mean = 0;
    for (int64_t e = 0; e < count; e++)
        mean += value[e] / (double)count;
    const double t = heat > 0 ? heat : mean > 0 ? mean : 1;
    for (int64_t e = 0; e < count; e++)
        value[e] = weight == TSR_EDGE_BINARY ? 1
                   : weight == TSR_EDGE_HEAT ? exp(-value[e] / t)
                                             : cosine(x, row[e], column[e], work);
    TSR_TRY(tsr_matrix_create_sparse(out, n, n, count, row, column, value, TSR_FLOAT64));
done:
    tsr__free(index);
    tsr__free(distance);
    tsr__free(row);
    tsr__free(column);
    tsr__free(value);
    tsr__free(work);
    return status;
}
