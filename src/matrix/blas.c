/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Products by kernels of our own, or by BLIS where vectors are short. */
#include "matrix/blas.h"

#include "matrix/slim.h"

#include <blis.h>

static void multiply_by_blis(tsr_type type, const tsr__product *p)
{
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

void tsr__multiply_dense(tsr_type type, const tsr__product *p)
{
    const tsr__slims *slim = tsr__slims_of(type);
    if (p->rows == 0 || p->columns == 0)
        return;
    /* BLIS 0.9 reads floats behind a transposed B: a fault where nothing is mapped there. */
    if (slim->best || (type == TSR_FLOAT32 && (p->wide || p->transpose_b)))
        slim->multiply(p);
    else
        multiply_by_blis(type, p);
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
