/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Decompositions by LAPACK; apart from blas.c, since the two libraries' headers clash. */
#include "base/status.h"
#include "matrix/blas.h"

#include <lapacke.h>

static tsr_status check_size(int64_t size)
{
    if (size > INT32_MAX)
        return tsr__fail(TSR_ERROR_ARGUMENT, "%lld x %lld is too large for eigenvectors",
                         (long long)size, (long long)size);
    return TSR_OK;
}

tsr_status tsr__eigen(double *a, double *values, int64_t size)
{
    const lapack_int n = (lapack_int)size;
    if (check_size(size) < 0)
        return TSR_ERROR_ARGUMENT;
    /* column-major for LAPACK: its eigenvector columns are our rows */
    const lapack_int info = LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'U', n, a, n, values);
    if (info != 0)
        return tsr__fail(TSR_ERROR_DATA, "eigenvectors did not converge (%d)", (int)info);
    return TSR_OK;
}

tsr_status tsr__eigen_pair(double *a, double *b, double *values, int64_t size)
{
    const lapack_int n = (lapack_int)size;
    if (check_size(size) < 0)
        return TSR_ERROR_ARGUMENT;
    const lapack_int info =
        LAPACKE_dsygvd(LAPACK_COL_MAJOR, 1, 'V', 'U', n, a, n, b, n, values);
    if (info > n)
        return tsr__fail(TSR_ERROR_DATA, "a matrix is not positive definite (row %d)",
                         (int)(info - n));
    if (info != 0)
        return tsr__fail(TSR_ERROR_DATA, "eigenvectors did not converge (%d)", (int)info);
    return TSR_OK;
}

tsr_status tsr__solve_positive(double *a, double *b, int64_t size, int64_t columns)
{
    if (size > INT32_MAX || columns > INT32_MAX)
        return tsr__fail(TSR_ERROR_ARGUMENT, "a system of %lld x %lld is too large",
                         (long long)size, (long long)columns);
    const lapack_int info =
        LAPACKE_dposv(LAPACK_ROW_MAJOR, 'U', (lapack_int)size, (lapack_int)columns, a,
                      (lapack_int)size, b, (lapack_int)columns);
    if (info != 0)
        return tsr__fail(TSR_ERROR_DATA, "a matrix is singular (%d)", (int)info);
    return TSR_OK;
}
