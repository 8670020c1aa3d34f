/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One run of k-means from the inside, shared by its start and its iterations.
 *
 * Work goes by blocks of samples whose cut depends on the matrix alone. A block's samples are
 * copied, as doubles and less the mean of all, beside each other, so that products are dense,
 * accurate and read from the cache whatever the storage. Sparse samples keep their zeros: they
 * are not centred. */
#ifndef TSR_MATRIX_KMEANS_RUN_H
#define TSR_MATRIX_KMEANS_RUN_H

#include "base/random.h"
#include "matrix/distances.h"
#include "matrix/kmeans.h"

/* What one thread works with; `rows` samples at most. */
typedef struct tsr__kmeans_desk {
    double *row;                    /* rows x m: samples */
    int64_t *sample;                /* rows: which they are */
    double *product;                /* width x rows: with centers or candidates */
    double *line;                   /* width: one sparse sample's products */
    double *which, *least, *second; /* rows */
    int64_t count;
} tsr__kmeans_desk;

typedef struct tsr__kmeans_run {
    const tsr_matrix *x;
    const tsr__distances *kernels;
    void (*fetch)(double *to, const void *from, int64_t stride, const double *mean,
                  int64_t rows, int64_t columns); /* of the samples' type */
    const int32_t *held;
    int64_t n, m, k, rows, blocks, width;
    int threads;
    double *mean;          /* m: what samples are moved by */
    double *square;        /* n: |x|^2 */
    double *centers;       /* k x m */
    double *across;        /* sparse: m x width, centers as products want them */
    double *center_square; /* k */
    double *gap;           /* k: half the distance to the nearest other center */
    double *moved;         /* k: how far the center went */
    double most_moved[2];  /* the largest of them, and the next */
    int64_t who_moved;     /* whose the largest is */
    double most_square;    /* largest |center|^2 */
    double *sums;          /* k x m */
    double *upper, *lower; /* n: bounds of the distance to the own and to all other centers */
    double *nearest;       /* n: squared distance to the own center */
    double *part;          /* blocks x width: sums of blocks */
    int64_t *size;         /* k: samples in `sums` */
    int64_t *met;          /* blocks: samples that met all centers */
    int64_t *changed;      /* blocks: samples that changed */
    int32_t *of, *summed;  /* n: cluster now, cluster in `sums` */
    tsr__kmeans_desk *desk;
} tsr__kmeans_run;

/* Threads for so many operations: short work waits longer for a second thread than it takes. */
int tsr__kmeans_threads(const tsr__kmeans_run *run, double operations);

/* Samples i .. i+count-1 as doubles, moved by the mean. */
void tsr__kmeans_fetch(double *to, const tsr__kmeans_run *run, int64_t i, int64_t count);

/* Puts sample i at the end of the desk. */
void tsr__kmeans_load(const tsr__kmeans_run *run, tsr__kmeans_desk *desk, int64_t i);

/* desk->product (count rows of `rows` values) = centers (count x m) times the desk's samples.
 */
void tsr__kmeans_products(const tsr__kmeans_run *run, tsr__kmeans_desk *desk,
                          const double *centers, int64_t count);

/* Makes `count` centers ready for products. */
void tsr__kmeans_lay(tsr__kmeans_run *run, const double *centers, int64_t count);

/* Starts: fills run->centers. `distance` has room for trials x n, `candidate` for trials x m.
 */
int64_t tsr__kmeans_trials(int64_t clusters);
void tsr__kmeans_start(tsr__kmeans_run *run, tsr__random *random, double *distance,
                       double *candidate);

/* Lloyd's iterations from run->centers; fills run->of and returns the cost. */
double tsr__kmeans_iterate(tsr__kmeans_run *run, int64_t iterations);

#endif
