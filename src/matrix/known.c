/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Missing values: a row's own sums. Row i sees the factor at its known entries alone, so the sums
 * that whole rows share are its own here:
 *
 *     Q_i = F' w F - sum over missing j of w_j f_j f_j'        s_i likewise
 *
 * or the sum over the known entries, where these are fewer, and where the difference leaves less
 * than a millionth of a diagonal (floats: a thousandth): there rounding would be all that is left.
 * A row costs min(missing, known) k^2 operations, in slim products over runs of gathered rows. */
#include "matrix/known.h"

#include "matrix/blas.h"
#include "matrix/kernels.h"

#include <string.h>

static double least_left(const tsr__known_rows *of)
{
    return of->type == TSR_FLOAT64 ? 1e-6 : 1e-3;
}

static void *at(const tsr__known_rows *of, const void *array, int64_t i)
{
    return (char *)(uintptr_t)array + (size_t)i * tsr__type_size(of->type);
}

static double value_at(const tsr__known_rows *of, const void *array, int64_t i)
{
    return tsr__value_at(array, of->type, i);
}

/* Walks the rows of the factor that a row of the mask leaves out, or those that it leaves. */
typedef struct walk {
    const int32_t *gone;
    int64_t missing, count; /* entries of `gone`; rows of the factor */
    bool known;
    int64_t at, next; /* places in `gone` and among the rows */
} walk;

static walk walk_of(const tsr__known_rows *of, int64_t row, bool known)
{
    const int64_t first = of->missing->rows[row];
    return (walk){.gone = of->missing->columns + first,
                  .missing = of->missing->rows[row + 1] - first,
                  .count = of->count,
                  .known = known};
}

/* The next row, or -1. */
static int64_t step(walk *w)
{
    if (!w->known)
        return w->at < w->missing ? w->gone[w->at++] : -1;
    for (; w->at < w->missing && w->gone[w->at] == w->next; w->at++)
        w->next++;
    return w->next < w->count ? w->next++ : -1;
}

static double weight_of(const tsr__known_rows *of, int64_t j)
{
    return of->weight != NULL ? value_at(of, of->weight, j) : 1;
}

/* gram += by sum w f f' over the walk. */
static void add_outer(const tsr__known *known, const tsr__known_rows *of, walk *w, double by)
{
    const tsr__kernels *kernels = tsr__kernels_of(of->type);
    const size_t size = (size_t)of->k * tsr__type_size(of->type);
    for (int64_t j = 0, rows = 0; j >= 0;) {
        j = step(w);
        if (j >= 0) {
            void *row = at(of, known->rows, rows * of->k);
            void *heavy = at(of, known->weighted, rows * of->k);
            memcpy(row, at(of, of->factor, j * of->k), size);
            memcpy(heavy, row, size);
            if (of->weight != NULL)
                kernels->scale(heavy, weight_of(of, j), of->k);
            rows++;
        }
        if (rows == 0 || (j >= 0 && rows < TSR_KNOWN_ROWS))
            continue;
        const tsr__product product = {.transpose_a = true,
                                      .rows = of->k,
                                      .columns = of->k,
                                      .inner = rows,
                                      .alpha = by,
                                      .beta = 1,
                                      .a = known->rows,
                                      .b = known->weighted,
                                      .c = known->gram,
                                      .lda = of->k,
                                      .ldb = of->k,
                                      .ldc = tsr__padded(of->k)};
        tsr__multiply_dense(of->type, &product);
        rows = 0;
    }
}

static bool fewer_known(const walk *w)
{
    return w->count - w->missing < w->missing;
}

void tsr__known_gram(const tsr__known *known, const tsr__known_rows *of, int64_t row,
                     const void *all)
{
    const int64_t stride = tsr__padded(of->k);
    const size_t size = tsr__type_size(of->type);
    walk gone = walk_of(of, row, false), left = walk_of(of, row, true);
    bool enough = !fewer_known(&gone);
    memset(known->gram, 0, (size_t)(of->k * stride) * size);
    for (int64_t j = 0; enough && j < of->k; j++)
        memcpy(at(of, known->gram, j * stride), at(of, all, j * of->k), (size_t)of->k * size);
    if (enough && gone.missing > 0)
        add_outer(known, of, &gone, -1);
    for (int64_t j = 0; enough && gone.missing > 0 && j < of->k; j++) {
        const double whole = value_at(of, all, j * of->k + j);
        enough = value_at(of, known->gram, j * stride + j) >= least_left(of) * whole;
    }
    if (enough)
        return;
    memset(known->gram, 0, (size_t)(of->k * stride) * size);
    add_outer(known, of, &left, 1);
    for (int64_t j = 0; j < of->k; j++) { /* too little to tell where the coordinate belongs */
        void *own = at(of, known->gram, j * stride + j);
        const double whole = value_at(of, all, j * of->k + j);
        if (value_at(of, own, 0) < 1e-6 * least_left(of) * least_left(of) * whole)
            tsr__value_set(own, of->type, 0, 0);
    }
}

void tsr__known_times(void *out, double by, const tsr__known *known, const tsr__known_rows *of,
                      int64_t first, int64_t rows, const void *theta, const void *all)
{
    memset(out, 0, (size_t)(rows * of->k) * tsr__type_size(of->type));
    for (int64_t i = 0; i < rows; i++) {
        tsr__known_gram(known, of, first + i, all);
        for (int64_t a = 0; a < of->k; a++)
            tsr__kernels_of(of->type)->add(at(of, out, i * of->k),
                                           by * value_at(of, theta, i * of->k + a),
                                           at(of, known->gram, a * tsr__padded(of->k)), of->k);
    }
}

/* out += by sum w f over the walk. */
static void add_sums(double *out, const tsr__known_rows *of, walk *w, double by)
{
    for (int64_t j = step(w); j >= 0; j = step(w))
        for (int64_t a = 0; a < of->k; a++)
            out[a] += by * weight_of(of, j) * value_at(of, of->factor, j * of->k + a);
}

void tsr__known_sums(double *out, const tsr__known_rows *of, int64_t row, const double *all)
{
    walk gone = walk_of(of, row, false), left = walk_of(of, row, true);
    bool enough = !fewer_known(&gone);
    if (enough) {
        memcpy(out, all, (size_t)of->k * sizeof *out);
        add_sums(out, of, &gone, -1);
    }
    for (int64_t a = 0; enough && gone.missing > 0 && a < of->k; a++)
        enough = out[a] >= least_left(of) * all[a];
    if (enough)
        return;
    memset(out, 0, (size_t)of->k * sizeof *out);
    add_sums(out, of, &left, 1);
}
