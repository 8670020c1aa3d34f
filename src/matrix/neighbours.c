/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Nearest neighbours by blocked products: ||a - b||^2 = ||a||^2 + ||b||^2 - 2 a.b, a block of
 * samples against a block of candidates at a time, with a running list of the p best. No n x n
 * matrix; 2 n^2 m flops in products. Candidates within rounding of the p-th distance are
 * compared again by plain subtraction, so that equal samples tie exactly and the graph is
 * deterministic. */
#include "matrix/neighbours.h"

#include "matrix/blas.h"
#include "matrix/parallel.h"

#include <math.h>
#include <string.h>

enum { ROWS = 64, COLUMNS = 512 };

struct searching {
    const tsr_matrix *x, *among;
    const double *x_square, *among_square;
    int64_t p;
    int64_t *index;
    double *square;
    double *scratch; /* threads x (ROWS m + COLUMNS m + ROWS COLUMNS) */
    int64_t room;
};

static void squares_of(double *out, const tsr_matrix *x)
{
    for (int64_t i = 0; i < x->samples; i++)
        out[i] = tsr__row_square(x, i);
}

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

/* Dense rows as doubles. */
static void unpack(double *out, const tsr_matrix *x, int64_t first, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        tsr_matrix_get_sample(out + i * x->features, x, first + i);
}

static double exact_square(const double *a, const double *b, int64_t count)
{
    double sum = 0;
    for (int64_t j = 0; j < count; j++)
        sum += (a[j] - b[j]) * (a[j] - b[j]);
    return sum;
}

static void compare(const struct searching *s, const double *rows, const double *columns,
                    const double *products, int64_t first, int64_t i, int64_t other,
                    int64_t count)
{
    const int64_t row = first + i, m = s->x->features;
    int64_t *index = s->index + row * s->p;
    double *square = s->square + row * s->p;
    for (int64_t j = 0; j < count; j++) {
        const double sum = s->x_square[row] + s->among_square[other + j];
        const double rough = sum - 2 * products[j];
        if ((s->x == s->among && other + j == row) || rough > square[s->p - 1] + 1e-9 * sum)
            continue;
        offer(index, square, s->p, other + j, exact_square(rows + i * m, columns + j * m, m));
    }
}

static void search_rows(void *context, int64_t item, int thread)
{
    const struct searching *s = context;
    const int64_t m = s->x->features, first = item * ROWS;
    const int64_t rows = s->x->samples - first < ROWS ? s->x->samples - first : ROWS;
    double *a = s->scratch + thread * s->room, *b = a + ROWS * m, *c = b + COLUMNS * m;
    unpack(a, s->x, first, rows);
    for (int64_t other = 0; other < s->among->samples; other += COLUMNS) {
        const int64_t left = s->among->samples - other,
                      columns = left < COLUMNS ? left : COLUMNS;
        unpack(b, s->among, other, columns);
        const tsr__product product = {.transpose_b = true,
                                      .rows = rows,
                                      .columns = columns,
                                      .inner = m,
                                      .alpha = 1,
                                      .a = a,
                                      .b = b,
                                      .c = c,
                                      .lda = m,
                                      .ldb = m,
                                      .ldc = COLUMNS};
        tsr__multiply_dense(TSR_FLOAT64, &product);
        for (int64_t i = 0; i < rows; i++)
            compare(s, a, b, c + i * COLUMNS, first, i, other, columns);
    }
}

tsr_status tsr__nearest_samples(int64_t *index, double *square, const tsr_matrix *x,
                                const tsr_matrix *among, int64_t p, int threads)
{
    tsr_status status = TSR_OK;
    double *squares = NULL, *scratch = NULL;
    const int64_t items = (x->samples + ROWS - 1) / ROWS;
    const int used = tsr__threads(threads, items);
    const int64_t room = (ROWS + COLUMNS) * x->features + ROWS * COLUMNS;
    TSR_NEW(squares, x->samples + among->samples);
    TSR_NEW(scratch, used * room);
    squares_of(squares, x);
    squares_of(squares + x->samples, among);
    for (int64_t i = 0; i < x->samples * p; i++) {
        index[i] = -1;
        square[i] = (double)INFINITY;
    }
    struct searching s = {x,      among,   squares, squares + x->samples, p, index,
                          square, scratch, room};
    tsr__parallel(items, used, search_rows, &s);
done:
    tsr__free(squares);
    tsr__free(scratch);
    return status;
}

static double cosine(const tsr_matrix *x, int64_t a, int64_t b, double *work)
{
    double dot = 0, aa = 0, bb = 0;
    tsr_matrix_get_sample(work, x, a);
    tsr_matrix_get_sample(work + x->features, x, b);
    for (int64_t j = 0; j < x->features; j++) {
        dot += work[j] * work[x->features + j];
        aa += work[j] * work[j];
        bb += work[x->features + j] * work[x->features + j];
    }
    return aa > 0 && bb > 0 ? dot / sqrt(aa * bb) : 0;
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
                 (long long)p, (long long)(n - 1));
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
