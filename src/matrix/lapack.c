/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Decompositions by LAPACK; apart from blas.c, since the two libraries' headers clash. */
#include "base/library.h"
#include "matrix/blas.h"

#include <lapacke.h>

#define FUNCTIONS(X)                                                                           \
    X(dsyevd)                                                                                  \
    X(dsygvd)                                                                                  \
    X(dposv)
#define POINTER(name) __typeof__(LAPACKE_##name) *name;
#define NAME(name)    "LAPACKE_" #name,

static struct {
    FUNCTIONS(POINTER)
} lapack;
static const char *const names[] = {FUNCTIONS(NAME)};
static tsr__library library = TSR_LIBRARY(TSR_LAPACKE, names, lapack);

static tsr_status begin(int64_t size)
{
    if (size > INT32_MAX)
        return tsr__fail(TSR_ERROR_ARGUMENT, "%lld x %lld is too large for eigenvectors",
                         (long long)size, (long long)size);
    return tsr__library_need(&library);
}

tsr_status tsr__eigen(double *a, double *values, int64_t size)
{
    const lapack_int n = (lapack_int)size;
    TSR_OR_RETURN(begin(size));
    /* column-major for LAPACK: its eigenvector columns are our rows */
    const lapack_int info = lapack.dsyevd(LAPACK_COL_MAJOR, 'V', 'U', n, a, n, values);
    if (info != 0)
        return tsr__fail(TSR_ERROR_DATA, "eigenvectors did not converge (%d)", (int)info);
    return TSR_OK;
}

tsr_status tsr__eigen_pair(double *a, double *b, double *values, int64_t size)
{
    const lapack_int n = (lapack_int)size;
    TSR_OR_RETURN(begin(size));
    const lapack_int info = lapack.dsygvd(LAPACK_COL_MAJOR, 1, 'V', 'U', n, a, n, b, n, values);
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
    TSR_OR_RETURN(tsr__library_need(&library));
    const lapack_int info =
        lapack.dposv(LAPACK_ROW_MAJOR, 'U', (lapack_int)size, (lapack_int)columns, a,
                     (lapack_int)size, b, (lapack_int)columns);
    if (info != 0)
        return tsr__fail(TSR_ERROR_DATA, "a matrix is singular (%d)", (int)info);
    return TSR_OK;
}
