/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Smooth parts of pictures: w sum_k |g_k|^2 |D f_k|^2, D f the differences of neighbouring pixels
 * (left, right, above, below) of a basis vector. What is priced is the roughness of what a vector
 * contributes, f_k g_k', so that the scale of the basis is no way out: F / s, s G costs the same.
 * With s_k = |D f_k|^2, q_k = |g_k|^2, A the sum over a pixel's neighbours and d their number:
 *
 *     codes    curved += 2 w s_k G                   bend += 2 w s_k
 *     basis    curved += 4 w q_k d F                 minus += 2 w q_k (d F + A F)
 *     sphere   wish += 2 w q_k (8 f_k - d f_k + A f_k)
 *
 * D' D = diag(d) - A is at most 2 diag(d), which makes the halves a bound whose pixels move at
 * once, and at most 8, which makes it linear on the sphere. O((n + 4 m) k).
 *
 * Why 2 diag(d): D' D is the Laplacian of the grid, and (a - b)^2 <= 2 a^2 + 2 b^2 on each of
 * its edges; no pixel has more than four, hence 8. On the sphere f' (D' D - 8) f is concave and
 * below its tangent, and 8 |f|^2 is a constant. For codes the term is a ridge, its own bound.
 * tests/test_smooth.c has the term written out, and that scale is no matter. */
#include "factor/plan.h"
#include "factor/strip.h"

#include <string.h>

static bool begin(double weight[2], const tsr__spec *spec, const tsr__problem *problem)
{
    const double w = spec->weights.of[TSR_WEIGHT_SMOOTH];
    weight[0] = w * tsr__spec_unit(spec, problem->rho, 2);
    return w > 0;
}

static const char *refuses(const tsr__spec *spec, const tsr__problem *problem)
{
    (void)spec;
    return problem->held.kernel != NULL ? "the basis of a kernel has no pixels: --kernel linear"
           : problem->image.height == 0
               ? "only pictures have neighbouring pixels, and the height "
                 "and width of these are not known: --image-shape HxW"
               : NULL;
}

/* Sums a column each: roughness of the vectors, then squares of the codes. */
static void layout(tsr__term_room *room, const tsr__solver *s, tsr__arena *arena)
{
    room->sums = tsr__arena_take(arena, 2 * s->k, sizeof(double));
}

static double *roughness(const tsr__solver *s, const tsr__term *t)
{
    return tsr__room_of(s, t)->sums;
}

static double *squares(const tsr__solver *s, const tsr__term *t)
{
    return tsr__room_of(s, t)->sums + s->k;
}

/* A pixel's neighbours, at most four of them: those beside it, then those `line` pixels away. */
typedef struct grid {
    int64_t line, lines;
} grid;

/* Neighbours are symmetric, so that rows and columns of the picture may change places. */
static grid grid_of(const tsr__solver *s)
{
    const tsr_image_shape image = s->problem->image;
    return image.order == TSR_ROW_ORDER ? (grid){image.width, image.height}
                                        : (grid){image.height, image.width};
}

static int neighbours(int64_t to[4], const grid *g, int64_t pixel)
{
    const int64_t along = pixel % g->line, across = pixel / g->line;
    int count = 0;
    if (along > 0)
        to[count++] = pixel - 1;
    if (along + 1 < g->line)
        to[count++] = pixel + 1;
    if (across > 0)
        to[count++] = pixel - g->line;
    if (across + 1 < g->lines)
        to[count++] = pixel + g->line;
    return count;
}

typedef struct visit {
    const tsr__term *t;
    const tsr__solver *s;
    const tsr__halves *halves;
} visit;

/* Adds the squared differences to the pixels behind each: every pair once. */
static void add_roughness(const void *context, int64_t first, int64_t rows, double *columns)
{
    const tsr__solver *s = ((const visit *)context)->s;
    const grid g = grid_of(s);
    double here[TSR_STRIP], there[TSR_STRIP];
    int64_t next[4];
    for (int64_t i = first; i < first + rows; i++) {
        const int count = neighbours(next, &g, i);
        for (int64_t j = 0; j < s->k; j = tsr__strip_end(j, s->k)) {
            const int64_t strip = tsr__strip_end(j, s->k) - j;
            tsr__widen(here, s, s->state.basis, i * s->k + j, strip);
            for (int n = 0; n < count; n++) {
                if (next[n] < i)
                    continue;
                tsr__widen(there, s, s->state.basis, next[n] * s->k + j, strip);
                for (int64_t a = 0; a < strip; a++)
                    columns[j + a] += (here[a] - there[a]) * (here[a] - there[a]);
            }
        }
    }
}

/* Before each pass over the samples: their ridge is the roughness of the basis as it moved. */
static void prepare(const tsr__term *t, tsr__solver *s)
{
    const visit v = {t, s, NULL};
    memset(roughness(s, t), 0, (size_t)s->k * sizeof(double));
    (void)tsr__sum_rows(s, s->m, add_roughness, &v, roughness(s, t));
}

static void add_squares(const void *context, int64_t first, int64_t rows, double *columns)
{
    const tsr__solver *s = ((const visit *)context)->s;
    double g[TSR_STRIP];
    for (int64_t i = first; i < first + rows; i++)
        for (int64_t j = 0; j < s->k; j = tsr__strip_end(j, s->k)) {
            const int64_t strip = tsr__strip_end(j, s->k) - j;
            tsr__widen(g, s, s->state.codes, i * s->k + j, strip);
            for (int64_t a = 0; a < strip; a++)
                columns[j + a] += tsr__members(s, i) * g[a] * g[a];
        }
}

/* Roughness is made anew with the squares, as the basis may have been scaled between both. */
static double refresh(const tsr__term *t, tsr__solver *s, double *linear, double *square)
{
    const visit v = {t, s, NULL};
    double *sum = squares(s, t), value = 0;
    (void)linear, (void)square; /* it costs no more in longer vectors */
    prepare(t, s);
    memset(sum, 0, (size_t)s->k * sizeof *sum);
    (void)tsr__sum_columns(s, add_squares, &v, sum);
    for (int64_t j = 0; j < s->k; j++)
        value += t->weight[0] * sum[j] * roughness(s, t)[j];
    return value;
}

/* Curvature and slope of a ridge agree: the bend is the same without the code. */
static void add(const tsr__term *t, const tsr__solver *s, int64_t first, int64_t count,
                const tsr__halves *halves)
{
    double g[TSR_STRIP];
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < s->k; j = tsr__strip_end(j, s->k)) {
            const int64_t strip = tsr__strip_end(j, s->k) - j;
            tsr__widen(g, s, s->state.codes, (first + i) * s->k + j, strip);
            for (int64_t a = 0; a < strip; a++)
                g[a] *= 2 * t->weight[0] * tsr__members(s, first + i) * roughness(s, t)[j + a];
            tsr__raise(s, halves->curved, i * s->k + j, g, strip);
        }
}

static void bend(const tsr__term *t, const tsr__solver *s, int64_t first, int64_t count,
                 void *out)
{
    double curve[TSR_STRIP];
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < s->k; j = tsr__strip_end(j, s->k)) {
            const int64_t strip = tsr__strip_end(j, s->k) - j;
            for (int64_t a = 0; a < strip; a++)
                curve[a] =
                    2 * t->weight[0] * tsr__members(s, first + i) * roughness(s, t)[j + a];
            tsr__raise(s, out, i * s->k + j, curve, strip);
        }
}

/* 2 w q (d F - A F) = 4 w q d F - 2 w q (d F + A F): written so, each half is >= 0, and the
 * first grows with t by all the curvature that the bound needs. */
static void add_pixels(const void *context, int64_t first, int64_t rows)
{
    const visit *v = context;
    const tsr__term *t = v->t;
    const tsr__solver *s = v->s;
    const grid g = grid_of(s);
    double here[TSR_STRIP], there[TSR_STRIP], minus[TSR_STRIP], curved[TSR_STRIP];
    int64_t next[4];
    for (int64_t i = first; i < first + rows; i++) {
        const int count = neighbours(next, &g, i);
        for (int64_t j = 0; j < s->k; j = tsr__strip_end(j, s->k)) {
            const int64_t at = i * s->k + j, strip = tsr__strip_end(j, s->k) - j;
            const double *q = squares(s, t) + j;
            tsr__widen(here, s, s->state.basis, at, strip);
            for (int64_t a = 0; a < strip; a++) {
                minus[a] = 2 * t->weight[0] * q[a] * count * here[a];
                curved[a] = 2 * minus[a];
            }
            for (int n = 0; n < count; n++) {
                tsr__widen(there, s, s->state.basis, next[n] * s->k + j, strip);
                for (int64_t a = 0; a < strip; a++)
                    minus[a] += 2 * t->weight[0] * q[a] * there[a];
            }
            tsr__raise(s, v->halves->minus, at, minus, strip);
            tsr__raise(s, v->halves->curved, at, curved, strip);
        }
    }
}

static void add_basis(const tsr__term *t, const tsr__solver *s, const tsr__halves *halves)
{
    const visit v = {t, s, halves};
    tsr__each_rows(s, s->m, add_pixels, &v);
}

/* From the vector as it stands on the sphere, where earlier vectors have turned already; its
 * pixels alone matter, for the term does not tie vectors. */
static void wish(const tsr__term *t, const tsr__solver *s, int64_t k, int64_t first,
                 int64_t count, void *out)
{
    const grid g = grid_of(s);
    const void *f = tsr__real_at(s, s->work.sphere.basis, k * s->m);
    const double by = 2 * t->weight[0] * squares(s, t)[k];
    double wished[TSR_STRIP];
    for (int64_t at = 0; at < count; at = tsr__strip_end(at, count)) {
        const int64_t strip = tsr__strip_end(at, count) - at;
        for (int64_t a = 0; a < strip; a++) {
            int64_t next[4];
            const int64_t pixel = first + at + a;
            const int beside = neighbours(next, &g, pixel);
            wished[a] = (8 - beside) * tsr__real_get(s, f, pixel);
            for (int n = 0; n < beside; n++)
                wished[a] += tsr__real_get(s, f, next[n]);
            wished[a] *= by;
        }
        tsr__raise(s, out, at, wished, strip);
    }
}

const tsr__term_kind tsr__term_smooth = {.name = TSR_TERM_SMOOTH,
                                         .formula = "%ssum |g_k|^2 |D f_k|^2",
                                         .weights = {TSR_WEIGHT_SMOOTH, TSR_WEIGHTS},
                                         .degree = 2,
                                         .couples = true,
                                         .needs = TSR_NEEDS_PICTURES,
                                         .begin = begin,
                                         .refuses = refuses,
                                         .layout = layout,
                                         .prepare = prepare,
                                         .refresh = refresh,
                                         .add = add,
                                         .bend = bend,
                                         .add_basis = add_basis,
                                         .wish = wish};
