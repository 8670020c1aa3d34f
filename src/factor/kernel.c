/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Kernels between samples, for concept models:
 *
 *     linear       x.y
 *     rbf          exp(-||x - y||^2 / T), T the mean squared distance unless given
 *     polynomial   (1 + x.y)^D
 *     cosine       x.y / (|x| |y|)
 *
 * The matrix is dense, samples x samples: these are the only models that need one.
 *
 * Each is a function of x.y, x.x and y.y, so that one matrix product serves them all, for the
 * training samples here and for new ones in transform.c, which calls tsr__kernel_apply on a
 * panel. O(n^2 m) once, n^2 values for as long as the fit; mathematics.md, section 7. */
#include "factor/problem.h"

#include "matrix/pass.h"

#include <math.h>

struct shape {
    double width, degree;
};

static double linear(double dot, double xx, double yy, const struct shape *shape)
{
    (void)xx;
    (void)yy;
    (void)shape;
    return dot;
}

/* xx + yy - 2 x.y of equal samples may fall below zero by rounding, and K would exceed 1. */
static double rbf(double dot, double xx, double yy, const struct shape *shape)
{
    return exp(-fmax(xx + yy - 2 * dot, 0) / shape->width);
}

static double polynomial(double dot, double xx, double yy, const struct shape *shape)
{
    (void)xx;
    (void)yy;
    return pow(1 + dot, shape->degree);
}

/* A sample without length is like no other, and not like itself. */
static double cosine(double dot, double xx, double yy, const struct shape *shape)
{
    (void)shape;
    return xx > 0 && yy > 0 ? dot / sqrt(xx * yy) : 0;
}

/* Over all ordered pairs, a sample with itself included. Where all samples are equal any width
 * gives the same kernel, and 1 divides safely. */
static double mean_distance(const tsr_matrix *dots, const double *xx)
{
    double sum = 0;
    for (int64_t i = 0; i < dots->samples; i++)
        for (int64_t j = 0; j < dots->features; j++)
            sum += fmax(xx[i] + xx[j] - 2 * tsr_matrix_at(dots, i, j), 0);
    sum /= (double)dots->samples * (double)dots->features;
    return sum > 0 ? sum : 1;
}

/* In place: products become kernel values. The table is in the order of the setting `kernel`.
 * Values pass as doubles in either precision. */
void tsr__kernel_apply(void *values, tsr_type type, int64_t rows, int64_t columns,
                       const double *xx, const double *yy, const tsr_fit_options *options,
                       double width)
{
    static double (*const kernels[])(double, double, double,
                                     const struct shape *) = {linear, rbf, polynomial, cosine};
    const struct shape shape = {width, options->kernel_degree};
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            tsr__value_set(
                values, type, i * columns + j,
                kernels[options->kernel](tsr__value_at(values, type, i * columns + j), xx[i],
                                         yy[j], &shape));
}

/* The samples are made dense and turned only to be multiplied by, and freed before the return.
 * The width that was taken goes into the archive: new samples need the same one. K belongs to
 * the caller, which is the problem. */
tsr_status tsr__kernel_matrix(tsr_matrix **out, const tsr_matrix *x,
                              const tsr_fit_options *options, double *width)
{
    tsr_status status = TSR_OK;
    tsr_matrix *k = NULL, *dense = NULL, *across = NULL;
    double *square = NULL;
    TSR_TRY(tsr_matrix_create(&k, x->samples, x->samples, x->type));
    TSR_TRY(tsr_matrix_copy_as(&dense, x, x->type, false));
    TSR_TRY(tsr_matrix_copy_transposed(&across, dense));
    TSR_NEW(square, x->samples);
    const tsr__source source = tsr__source_of_matrix(x, 1 << 20);
    TSR_TRY(tsr__source_project(k->values, &source, across->values, x->samples, 1));
    for (int64_t i = 0; i < x->samples; i++)
        square[i] = tsr__row_square(x, i);
    *width = options->kernel_width;
    if (*width == 0 && options->kernel == 1)
        *width = mean_distance(k, square);
    tsr__kernel_apply(k->values, k->type, x->samples, x->samples, square, square, options,
                      *width);
    *out = k, k = NULL;
done:
    tsr_matrix_free(k);
    tsr_matrix_free(dense);
    tsr_matrix_free(across);
    tsr__free(square);
    return status;
}
