/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Kernels between samples, for concept models:
 *
 *     linear       x.y
 *     rbf          exp(-||x - y||^2 / T), T the mean squared distance unless given
 *     polynomial   (1 + x.y)^D
 *     cosine       x.y / (|x| |y|)
 *
 * The matrix is dense, samples x samples: these are the only models that need one. */
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

static double cosine(double dot, double xx, double yy, const struct shape *shape)
{
    (void)shape;
    return xx > 0 && yy > 0 ? dot / sqrt(xx * yy) : 0;
}

static double mean_distance(const tsr_matrix *dots, const double *xx)
{
    double sum = 0;
    for (int64_t i = 0; i < dots->samples; i++)
        for (int64_t j = 0; j < dots->features; j++)
            sum += fmax(xx[i] + xx[j] - 2 * tsr_matrix_at(dots, i, j), 0);
    sum /= (double)dots->samples * (double)dots->features;
    return sum > 0 ? sum : 1;
}

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
    tsr__source_project(k->values, &source, across->values, x->samples, 1);
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
