/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Products by BLIS, slim ones by a kernel of our own. */
#include "matrix/blas.h"

#include "matrix/slim.h"

#include <blis.h>

static void multiply_wide(const tsr__product *p)
{
    const float *a = p->a, *b = p->b;
    double *c = p->c;
    for (int64_t i = 0; i < p->rows; i++) {
        for (int64_t j = 0; j < p->columns; j++)
            c[i * p->ldc + j] = p->beta == 0 ? 0 : p->beta * c[i * p->ldc + j];
        for (int64_t t = 0; t < p->inner; t++)
            for (int64_t j = 0; j < p->columns; j++)
                c[i * p->ldc + j] +=
                    p->alpha *
                    (double)(p->transpose_a ? a[t * p->lda + i] : a[i * p->lda + t]) *
                    (double)b[t * p->ldb + j];
    }
}

void tsr__multiply_dense(tsr_type type, const tsr__product *p)
{
    const tsr__slims *slim = tsr__slims_of(type);
    if (p->wide && type == TSR_FLOAT32) {
        multiply_wide(p);
        return;
    }
    if (p->rows == 0 || p->columns == 0) /* no columns are not slim: most may be 0, for none */
        return;
    if (!p->transpose_b && p->columns <= slim->most) {
        slim->multiply(p);
        return;
    }
    const trans_t ta = p->transpose_a ? BLIS_TRANSPOSE : BLIS_NO_TRANSPOSE;
    const trans_t tb = p->transpose_b ? BLIS_TRANSPOSE : BLIS_NO_TRANSPOSE;
    if (type == TSR_FLOAT64) {
        double alpha = p->alpha, beta = p->beta;
        bli_dgemm(ta, tb, p->rows, p->columns, p->inner, &alpha, (double *)(uintptr_t)p->a,
                  p->lda, 1, (double *)(uintptr_t)p->b, p->ldb, 1, &beta, p->c, p->ldc, 1);
    } else {
        float alpha = (float)p->alpha, beta = (float)p->beta;
        bli_sgemm(ta, tb, p->rows, p->columns, p->inner, &alpha, (float *)(uintptr_t)p->a,
                  p->lda, 1, (float *)(uintptr_t)p->b, p->ldb, 1, &beta, p->c, p->ldc, 1);
    }
}

void tsr__multiply_plain(tsr_type type, void *c, double alpha, const void *a, const void *b,
                         int64_t rows, int64_t columns, int64_t inner)
{
    const tsr__product product = {.rows = rows,
                                  .columns = columns,
                                  .inner = inner,
                                  .alpha = alpha,
                                  .a = a,
                                  .b = b,
                                  .c = c,
                                  .lda = inner,
                                  .ldb = columns,
                                  .ldc = columns};
    tsr__multiply_dense(type, &product);
}
