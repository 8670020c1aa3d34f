/* SPDX-License-Identifier: BSD-2-Clause
 *
 * THE TABLE OF STARTS.
 *
 *     random     uniform (0, 1), the papers'; outside `mu` scaled so that F G' fits X best
 *     nndsvd     positive parts of the leading singular pairs (Boutsidis & Gallopoulos 2008);
 *                its zeros stay zero under multiplicative rules, so there are two variants:
 *     nndsvda    zeros become what constant factors of the mean of X would be, and nndsvdar:
 *                random numbers below a hundredth of it
 *     kmeans     cluster means, and codes 1.2 for the own cluster, 0.2 for the others
 *     means      means of the labelled samples a class, k-means of the rest for other vectors
 *     FILE       arrays `basis` (k x m; concept: `weights`, n x k) and `codes` (n x k, or one row a
 *                group where codes are tied), in .npz or .h5: an archive of an earlier fit serves
 *
 * Concept models start from weights: the samples' shares in the same vectors.
 *
 * mathematics.md, section 11. Whatever a start leaves, tsr__solver_start follows it: it pushes
 * theta through the map, normalises and sums. A start is a function of the data, the seed and
 * the restart, which has a stream of its own. Cost: random O((n + m) k) and a pass; k-means and
 * the singular vectors some passes. */
#include "factor/plan.h"

#include "base/random.h"
#include "matrix/kmeans.h"
#include "matrix/pass.h"
#include "matrix/principal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* `x` are the samples themselves where the solver sees groups of them, or a kernel. */
typedef struct start {
    tsr__solver *s;
    const tsr__spec *spec;
    const tsr__problem *problem;
    const tsr_matrix *x; /* the samples */
    tsr__random random;
    int64_t restart;
} start;

/* Drawn as doubles in either precision, so that single starts where double does, but for
 * rounding. */
static void fill_uniform(const tsr__solver *s, void *array, int64_t count, tsr__random *random)
{
    for (int64_t i = 0; i < count; i++)
        tsr__real_set(s, array, i, tsr__random_uniform(random));
}

/* Codes are scaled so that F G' fits best (Frobenius) or has the right sum (KL). Without that
 * the first iterations would only find the size, and J at the start, by which weights are
 * judged, would say nothing. It also makes the fit of s X that of X (tests/test_law_unit.c).
 * The size is a quotient of sums, so that a pass comes first; XtG is collected where passes
 * leave it out. */
static void fit_scale(start *b)
{
    tsr__solver *s = b->s;
    const tsr__kernels *kernels = tsr__kernels_for(s);
    if (b->spec->basis == TSR_BASIS_CONCEPT) { /* X W has the samples' size, a basis has none */
        s->plan->map->push(s);
        tsr__fix_scale(s, TSR_SCALE_PRODUCT);
    }
    tsr__solver_start(s);
    tsr__solver_collect(s);
    double up, down;
    s->plan->loss->fit_size(&up, &down, s);
    if (up > 0 && down > 0)
        kernels->scale(s->state.codes, up / down, s->n * s->k);
}

/* Theta is drawn before the codes: the order is part of what a seed means. */
static tsr_status start_random(start *b)
{
    fill_uniform(b->s, tsr__theta(b->s), tsr__theta_rows(b->s) * b->s->k, &b->random);
    fill_uniform(b->s, b->s->state.codes, b->s->n * b->s->k, &b->random);
    if (!b->spec->mu)
        fit_scale(b);
    return TSR_OK;
}

/* Vectors given as centers (k x features) become the basis; concept models take the weights
 * with which each sample would be drawn to its vector. 0.2 and 1.2 are the indicator of the own
 * cluster and 0.2: no code begins at zero, where multiplicative rules would hold it. Where
 * codes are tied, a group has 1.2 at the vector of each of its members. */
static void take_centers(start *b, const double *centers, const int32_t *of)
{
    tsr__solver *s = b->s;
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t j = 0; j < s->k; j++)
            tsr__real_set(s, s->state.codes, i * s->k + j, 0.2);
    for (int64_t i = 0; i < b->problem->samples; i++)
        tsr__real_set(s, s->state.codes, b->problem->row_of[i] * s->k + of[i], 1.2);
    if (b->spec->basis == TSR_BASIS_CONCEPT) {
        for (int64_t i = 0; i < b->problem->samples * s->k; i++) {
            const bool own = of[i / s->k] == i % s->k;
            tsr__real_set(s, tsr__theta(s), i, own ? 1.2 : 0.2);
        }
    } else {
        double mean = 0;
        for (int64_t i = 0; i < s->m * s->k; i++)
            mean += fabs(centers[i]) / (double)(s->m * s->k);
        for (int64_t j = 0; j < s->m; j++)
            for (int64_t a = 0; a < s->k; a++) /* a hundredth of the mean: no zero is locked */
                tsr__real_set(s, s->state.basis, j * s->k + a,
                              centers[a * s->m + j] + 0.01 * mean);
    }
    fit_scale(b);
}

/* The stride between the seeds of restarts is a prime above the number of restarts that there
 * can be, so that restart r of a seed is no start of the next seed. */
static tsr_status start_kmeans(start *b)
{
    tsr_status status = TSR_OK;
    const tsr_matrix *x = b->x;
    double *centers = NULL;
    int32_t *of = NULL;
    const tsr__kmeans_options options = {.clusters = b->s->k,
                                         .restarts = 5,
                                         .iterations = 100,
                                         .seed = (uint64_t)b->spec->options->seed +
                                                 1000003u * (uint64_t)b->restart,
                                         .threads = b->s->plan->threads};
    TSR_NEW(centers, b->s->k * x->features);
    TSR_NEW(of, x->samples);
    TSR_TRY(tsr__kmeans(of, centers, NULL, x, &options));
    take_centers(b, centers, of);
done:
    tsr__free(centers);
    tsr__free(of);
    return status;
}

/* The vectors of class b are its labelled samples' mean, each turned a little at random when
 * there are several; the other vectors come from k-means. Turned, because several equal vectors
 * would begin alike; by factors of 0.5 to 1.5, whose mean is 1. Classes of which no label is
 * seen keep their centre of k-means. A labelled sample begins at a vector of its own class or
 * of none, which is what the class term wants of it. O(n m k). */
static tsr_status start_means(start *b)
{
    tsr_status status = TSR_OK;
    const tsr_matrix *x = b->x;
    const int64_t m = x->features, k = b->s->k, classes = b->problem->classes.count;
    const int64_t own = b->s->plan->per_class > 0 ? b->s->plan->per_class : 1;
    double *centers = NULL, *row = NULL, *mean = NULL, *count = NULL;
    int32_t *of = NULL;
    if (classes == 0 || own * classes > k)
        TSR_FAIL(TSR_ERROR_ARGUMENT,
                 "--init means needs labels and a rank of at least the %lld classes",
                 (long long)classes);
    TSR_NEW(centers, k * m);
    TSR_NEW(row, m);
    TSR_NEW_ZERO(mean, classes * m);
    TSR_NEW_ZERO(count, classes);
    TSR_NEW(of, x->samples);
    const tsr__kmeans_options options = {.clusters = k,
                                         .restarts = 5,
                                         .iterations = 100,
                                         .seed = (uint64_t)b->spec->options->seed,
                                         .threads = b->s->plan->threads};
    TSR_TRY(tsr__kmeans(of, centers, NULL, x, &options));
    for (int64_t i = 0; i < x->samples; i++) {
        const int32_t c = b->problem->classes.seen[i];
        tsr_matrix_get_sample(row, x, i);
        for (int64_t j = 0; c >= 0 && j < m; j++)
            mean[c * m + j] += row[j];
        if (c >= 0)
            count[c] += 1;
    }
    for (int64_t v = 0; v < own * classes; v++)
        for (int64_t j = 0; count[v / own] > 0 && j < m; j++)
            centers[v * m + j] = mean[v / own * m + j] / count[v / own] *
                                 (own > 1 ? 0.5 + tsr__random_uniform(&b->random) : 1);
    for (int64_t i = 0; i < x->samples; i++) { /* codes begin at the nearest vector */
        double least = (double)INFINITY;
        tsr_matrix_get_sample(row, x, i);
        for (int64_t v = 0; v < k; v++) {
            double d = 0;
            for (int64_t j = 0; j < m; j++)
                d += (row[j] - centers[v * m + j]) * (row[j] - centers[v * m + j]);
            const int32_t c = b->problem->classes.seen[i];
            const bool allowed = c < 0 || v >= own * classes || v / own == c;
            if (allowed && d < least) {
                least = d;
                of[i] = (int32_t)v;
            }
        }
    }
    take_centers(b, centers, of);
done:
    tsr__free(centers);
    tsr__free(row);
    tsr__free(mean);
    tsr__free(count);
    tsr__free(of);
    return status;
}

/* Column j of a (rows x k): the length of its positive (or negative) part. Of u v' with signs,
 * the best non-negative pair is that of both positive or of both negative parts, whichever has
 * the larger product of lengths (Boutsidis & Gallopoulos 2008). */
static double part_length(const double *a, int64_t rows, int64_t k, int64_t j, double sign)
{
    double sum = 0;
    for (int64_t i = 0; i < rows; i++) {
        const double v = fmax(sign * a[i * k + j], 0);
        sum += v * v;
    }
    return sqrt(sum);
}

typedef enum filling { FILL_NOT, FILL_MEAN, FILL_RANDOM } filling;

/* Column j of `to` (rows x k) from the part of one sign of column j of a (rows x r). Where the
 * data have fewer than k singular vectors, the others are filling alone. A random number is
 * drawn for every entry, wanted or not, so that the stream does not depend on the signs. */
static void put_part(start *b, void *to, const double *a, int64_t rows, int64_t r, int64_t j,
                     double sign, double by, const double fill[2])
{
    tsr__solver *s = b->s;
    for (int64_t i = 0; i < rows; i++) {
        const double v = j < r ? by * fmax(sign * a[i * r + j], 0) : 0;
        const double zero = fill[0] + fill[1] * tsr__random_uniform(&b->random);
        tsr__real_set(s, to, i * s->k + j, v > 0 ? v : zero);
    }
}

/* left = X right / sigma (n x r) and the singular values themselves. One more pass over the
 * data in place of a second eigenproblem. */
static tsr_status left_vectors(double *left, double *sigma, const tsr_matrix *x,
                               const tsr__axes *axes, int threads)
{
    const tsr__source source = tsr__source_of_matrix(x, 1 << 19);
    const int64_t r = axes->rank;
    TSR_OR_RETURN(tsr__source_project(left, &source, axes->factor, r, threads));
    for (int64_t j = 0; j < r; j++) {
        double square = 0;
        for (int64_t i = 0; i < x->samples; i++)
            square += left[i * r + j] * left[i * r + j];
        sigma[j] = sqrt(square);
        for (int64_t i = 0; sigma[j] > 0 && i < x->samples; i++)
            left[i * r + j] /= sigma[j];
    }
    return TSR_OK;
}

/* Codes and basis share the square root of sigma |u| |v|, so that neither is longer than the
 * other. Tied codes start from the group means, which are the rows that the loss sees. */
static tsr_status start_svd(start *b, filling how)
{
    tsr_status status = TSR_OK;
    tsr__solver *s = b->s;
    const tsr_matrix *rows = b->problem->held.reduced != NULL ? b->problem->held.reduced : b->x;
    const tsr__axes_options options = {.rank = s->k,
                                       .seed = (uint64_t)b->spec->options->seed,
                                       .threads = s->plan->threads,
                                       .about_origin = true};
    tsr__axes axes = {0};
    tsr_matrix *doubles = NULL;
    double *left = NULL, *sigma = NULL, sum = 0;
    if (b->spec->basis == TSR_BASIS_CONCEPT)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "nndsvd starts a free basis: --init random or kmeans for "
                                     "concept models");
    TSR_TRY(tsr_matrix_copy_as(&doubles, rows, TSR_FLOAT64, rows->sparse));
    TSR_TRY(tsr__principal_axes(&axes, doubles, &options));
    const int64_t r = axes.rank;
    TSR_NEW(left, s->n * r);
    TSR_NEW_ZERO(sigma, s->k);
    TSR_TRY(left_vectors(left, sigma, doubles, &axes, s->plan->threads));
    for (int64_t at = 0; at < tsr_matrix_stored(doubles); at++)
        sum += ((const double *)doubles->values)[at];
    /* what k constant vectors and codes would be, so that their product is the mean of X */
    const double even = sqrt(sum / (double)s->n / (double)s->m / (double)s->k);
    const double fill[2] = {how == FILL_MEAN ? even : 0, how == FILL_RANDOM ? even / 100 : 0};
    for (int64_t j = 0; j < s->k; j++) {
        double length[2][2] = {{0, 0}, {0, 0}}; /* left, right; positive, negative part */
        for (int part = 0; j < r && part < 2; part++) {
            length[0][part] = part_length(left, s->n, r, j, part == 0 ? 1 : -1);
            length[1][part] = part_length(axes.factor, s->m, r, j, part == 0 ? 1 : -1);
        }
        const int part = length[0][0] * length[1][0] >= length[0][1] * length[1][1] ? 0 : 1;
        const double l = length[0][part], v = length[1][part], by = sqrt(sigma[j] * l * v);
        const double sign = part == 0 ? 1 : -1;
        put_part(b, s->state.codes, left, s->n, r, j, sign, l > 0 ? by / l : 0, fill);
        put_part(b, s->state.basis, axes.factor, s->m, r, j, sign, v > 0 ? by / v : 0, fill);
    }
done:
    tsr_matrix_free(doubles);
    tsr__axes_clear(&axes);
    tsr__free(left);
    tsr__free(sigma);
    return status;
}

static tsr_status start_nndsvd(start *b)
{
    return start_svd(b, FILL_NOT);
}

static tsr_status start_nndsvda(start *b)
{
    return start_svd(b, FILL_MEAN);
}

static tsr_status start_nndsvdar(start *b)
{
    return start_svd(b, FILL_RANDOM);
}

/* "path:name" is how one array of a container is asked for anywhere (tsr_data_read). A factor
 * below zero would stay there under multiplicative steps, so it is refused. */
static tsr_status read_array(tsr_data **out, const char *path, const char *name)
{
    tsr_status status = TSR_OK;
    char where[4096];
    if (snprintf(where, sizeof where, "%s:%s", path, name) >= (int)sizeof where)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "--init: a path of %zu bytes is too long", strlen(path));
    TSR_TRY(tsr_data_read(out, where, NULL));
    TSR_TRY(tsr_matrix_check(tsr_data_samples(*out), TSR_NEED_FINITE | TSR_NEED_NON_NEGATIVE,
                             where));
done:
    return status;
}

static tsr_status wrong_shape(const char *path, const char *name, const tsr_matrix *x,
                              int64_t rows, int64_t columns)
{
    return tsr__fail(TSR_ERROR_DATA, "%s:%s is %lld x %lld and should be %lld x %lld", path,
                     name, (long long)x->samples, (long long)x->features, (long long)rows,
                     (long long)columns);
}

/* Factors are taken as they are and not scaled: they may be the end of an earlier fit. Codes
 * may be those of samples, as archives have them, or one row a group. */
static tsr_status start_file(start *b)
{
    tsr_status status = TSR_OK;
    tsr__solver *s = b->s;
    const char *path = b->spec->options->init;
    const bool concept = b->spec->basis == TSR_BASIS_CONCEPT;
    tsr_data *basis = NULL, *codes = NULL;
    TSR_TRY(read_array(&basis, path, concept ? "weights" : "basis"));
    TSR_TRY(read_array(&codes, path, "codes"));
    const tsr_matrix *f = tsr_data_samples(basis), *g = tsr_data_samples(codes);
    if (concept && (f->samples != tsr__theta_rows(s) || f->features != s->k))
        TSR_TRY(wrong_shape(path, "weights", f, tsr__theta_rows(s), s->k));
    if (!concept && (f->samples != s->k || f->features != s->m))
        TSR_TRY(wrong_shape(path, "basis", f, s->k, s->m));
    if (g->features != s->k || (g->samples != s->n && g->samples != b->problem->samples))
        TSR_TRY(wrong_shape(path, "codes", g, s->n, s->k));
    for (int64_t i = 0; i < tsr__theta_rows(s); i++)
        for (int64_t j = 0; j < s->k; j++)
            tsr__real_set(s, tsr__theta(s), i * s->k + j,
                          concept ? tsr_matrix_at(f, i, j) : tsr_matrix_at(f, j, i));
    const bool by_sample = g->samples != s->n; /* tied: the first member's row is the group's */
    for (int64_t i = g->samples - 1; i >= 0; i--)
        for (int64_t j = 0; j < s->k; j++)
            tsr__real_set(s, s->state.codes, (by_sample ? b->problem->row_of[i] : i) * s->k + j,
                          tsr_matrix_at(g, i, j));
done:
    tsr_data_free(basis);
    tsr_data_free(codes);
    return status;
}

/* By name, as the setting has them. What is in no row is a file. */
static const struct {
    const char *name;
    tsr_status (*fill)(start *b);
} starts[] = {
    {"random", start_random},     {"nndsvd", start_nndsvd}, {"nndsvda", start_nndsvda},
    {"nndsvdar", start_nndsvdar}, {"kmeans", start_kmeans}, {"means", start_means},
};

/* Called before any data are read. A name without a dot is a misspelt start rather than a
 * file. */
tsr_status tsr__init_check(const char *name)
{
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strcmp(name, starts[i].name) == 0)
            return TSR_OK;
    if (strchr(name, '.') != NULL)
        return TSR_OK;
    return tsr__fail(TSR_ERROR_ARGUMENT,
                     "--init is random, nndsvd, nndsvda, nndsvdar, kmeans, means or a file, "
                     "not '%s'",
                     name);
}

tsr_status tsr__init_factors(tsr__solver *s, const tsr__spec *spec, int64_t restart)
{
    start b = {.s = s,
               .spec = spec,
               .problem = s->problem,
               .x = s->problem->held.x,
               .random = tsr__random_seed((uint64_t)spec->options->seed, (uint64_t)restart),
               .restart = restart};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strcmp(spec->options->init, starts[i].name) == 0)
            return starts[i].fill(&b);
    return start_file(&b);
}
