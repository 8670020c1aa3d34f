/* SPDX-License-Identifier: BSD-2-Clause
 *
 * How fast BLIS multiplies, on one thread: what the solver's speed is held against.
 *
 *     gemm double|single iteration N M K    seconds of the products of one iteration on N x M
 *                                           samples: P = X F, C += X' G, G' G and F' F, by
 *                                           blocks of samples, the best size of block
 *     gemm double|single square N           flops a second of an N x N x N product */
#include <blis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPETITIONS = 5 };

typedef struct shape {
    dim_t n, m, k;
    bool single;
} shape;

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static size_t width(const shape *s)
{
    return s->single ? sizeof(float) : sizeof(double);
}

static void *filled(const shape *s, dim_t count)
{
    void *out = malloc((size_t)count * width(s));
    if (out == NULL)
        exit(1);
    for (dim_t i = 0; i < count; i++) {
        const double value = (double)(i % 97) / 97;
        if (s->single)
            ((float *)out)[i] = (float)value;
        else
            ((double *)out)[i] = value;
    }
    return out;
}

/* C (rows x columns) += op(A) B, row-major. */
static void multiply(const shape *s, bool transpose, dim_t rows, dim_t columns, dim_t inner,
                     void *a, dim_t lda, void *b, dim_t ldb, void *c)
{
    const trans_t op = transpose ? BLIS_TRANSPOSE : BLIS_NO_TRANSPOSE;
    double one = 1;
    float one_single = 1;
    if (s->single)
        bli_sgemm(op, BLIS_NO_TRANSPOSE, rows, columns, inner, &one_single, a, lda, 1, b, ldb,
                  1, &one_single, c, columns, 1);
    else
        bli_dgemm(op, BLIS_NO_TRANSPOSE, rows, columns, inner, &one, a, lda, 1, b, ldb, 1, &one,
                  c, columns, 1);
}

static double pass(const shape *s, dim_t block, char *x, void *f, char *g, void *c, void *gram)
{
    char *p = filled(s, block * s->k);
    const double start = now();
    for (dim_t first = 0; first < s->n; first += block) {
        const dim_t rows = s->n - first < block ? s->n - first : block;
        char *xb = x + (size_t)(first * s->m) * width(s);
        char *gb = g + (size_t)(first * s->k) * width(s);
        multiply(s, false, rows, s->k, s->m, xb, s->m, f, s->k, p);
        multiply(s, true, s->m, s->k, rows, xb, s->m, gb, s->k, c);
        multiply(s, true, s->k, s->k, rows, gb, s->k, gb, s->k, gram);
    }
    multiply(s, true, s->k, s->k, s->m, f, s->k, f, s->k, gram);
    const double seconds = now() - start;
    free(p);
    return seconds;
}

static double iteration(const shape *s)
{
    void *x = filled(s, s->n * s->m), *f = filled(s, s->m * s->k);
    void *g = filled(s, s->n * s->k), *c = filled(s, s->m * s->k);
    void *gram = filled(s, s->k * s->k);
    double best = 1e300;
    for (dim_t block = 64; block <= 2048; block *= 2)
        for (int i = 0; i < REPETITIONS; i++) {
            const double seconds = pass(s, block, x, f, g, c, gram);
            best = seconds < best ? seconds : best;
        }
    free(x), free(f), free(g), free(c), free(gram);
    return best;
}

static double square(const shape *s)
{
    void *a = filled(s, s->n * s->n), *b = filled(s, s->n * s->n), *c = filled(s, s->n * s->n);
    double best = 1e300;
    for (int i = 0; i < REPETITIONS; i++) {
        const double start = now();
        multiply(s, false, s->n, s->n, s->n, a, s->n, b, s->n, c);
        best = now() - start < best ? now() - start : best;
    }
    free(a), free(b), free(c);
    return 2 * (double)s->n * (double)s->n * (double)s->n / best;
}

int main(int count, char **argument)
{
    if (count < 4) {
        (void)fprintf(stderr, "usage: gemm double|single iteration N M K | square N\n");
        return 2;
    }
    shape s = {.n = atol(argument[3]), .single = strcmp(argument[1], "single") == 0};
    if (count == 6) {
        s.m = atol(argument[4]), s.k = atol(argument[5]);
        (void)printf("%.9g\n", iteration(&s));
    } else {
        (void)printf("%.9g\n", square(&s));
    }
    return 0;
}
