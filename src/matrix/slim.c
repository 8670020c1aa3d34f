/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Slim products for one element type and one instruction set; the build compiles this file once
 * for each, as it does kernels.c.
 *
 * A panel of columns, up to six vectors, of as many rows of C as registers hold is summed over
 * the inner dimension: a row of B is read as it lies, and multiplied by one value of each row of
 * A. Nothing is packed. The inner dimension goes in stretches whose rows of B stay in the
 * second-level cache. 2 rows columns inner operations, each value of A read once a panel. */
#include "matrix/slim.h"

#include "matrix/vector.h"

#ifdef __AVX512F__
#include <immintrin.h>

#ifdef TSR_KERNELS_f32
typedef __mmask16 bits;
#define LOAD(from, which)      ((lanes)_mm512_maskz_loadu_ps(which, from))
#define STORE(to, which, from) _mm512_mask_storeu_ps(to, which, (__m512)(from))
#else
typedef __mmask8 bits;
#define LOAD(from, which)      ((lanes)_mm512_maskz_loadu_pd(which, from))
#define STORE(to, which, from) _mm512_mask_storeu_pd(to, which, (__m512d)(from))
#endif

enum { WIDEST = 6, MOST_ROWS = 8, PANELS = 3, STRETCH = 1 << 18 };

/* Where a panel begins and a stretch of the inner dimension goes. */
typedef struct part {
    const tsr__product *p;
    int64_t first, from, end;
    bits last; /* which lanes of the panel's last vector are columns */
    real beta;
} part;

INLINE bits lanes_of(const part *w, int v, int vectors)
{
    return v + 1 < vectors ? (bits)-1 : w->last;
}

/* C = alpha sum + beta C for some rows; the first `skip` of them are there already. */
INLINE void group(const part *w, int64_t row, int64_t skip, const bool turned, const int rows,
                  const int vectors)
{
    const tsr__product *p = w->p;
    const int64_t down = turned ? 1 : p->lda, on = turned ? p->lda : 1;
    const real *a = (const real *)p->a + row * down;
    lanes sum[MOST_ROWS][WIDEST];
    UNROLLED
    for (int r = 0; r < rows; r++) {
        UNROLLED
        for (int v = 0; v < vectors; v++)
            sum[r][v] = (lanes){0};
    }
    for (int64_t t = w->from; t < w->end; t++) {
        const real *b = (const real *)p->b + t * p->ldb + w->first;
        lanes line[WIDEST];
        UNROLLED
        for (int v = 0; v < vectors; v++)
            line[v] = LOAD(b + v * LANES, lanes_of(w, v, vectors));
        UNROLLED
        for (int r = 0; r < rows; r++) {
            UNROLLED
            for (int v = 0; v < vectors; v++)
                sum[r][v] += a[r * down + t * on] * line[v];
        }
    }
    UNROLLED
    for (int r = 0; r < rows; r++) {
        real *c = (real *)p->c + (row + r) * p->ldc + w->first;
        UNROLLED
        for (int v = 0; v < vectors; v++) {
            const bits which = r < skip ? 0 : lanes_of(w, v, vectors);
            lanes out = (real)p->alpha * sum[r][v];
            if (w->beta != 0)
                out += w->beta * LOAD(c + v * LANES, which);
            STORE(c + v * LANES, which, out);
        }
    }
}

/* All rows: the last group ends with the last row, and overlaps the one before. */
INLINE void all_rows(const part *w, const bool turned, const int rows, const int vectors)
{
    const int64_t count = w->p->rows;
    if (count < rows) {
        for (int64_t row = 0; row < count; row++)
            group(w, row, 0, turned, 1, vectors);
        return;
    }
    for (int64_t row = 0; row < count; row += rows) {
        const int64_t begin = row + rows <= count ? row : count - rows;
        group(w, begin, row - begin, turned, rows, vectors);
    }
}

/* Panels by their vectors, with the rows that leave registers for a row of B. */
#define PANEL(vectors, rows)                                                                   \
    static void panel_##vectors(const part *w)                                                 \
    {                                                                                          \
        if (w->p->transpose_a)                                                                 \
            all_rows(w, true, rows, vectors);                                                  \
        else                                                                                   \
            all_rows(w, false, rows, vectors);                                                 \
    }
PANEL(1, 8)
PANEL(2, 8)
PANEL(3, 8)
PANEL(4, 6)
PANEL(5, 5)
PANEL(6, 4)

static void multiply(const tsr__product *p)
{
    static void (*const panels[])(const part *) = {panel_1, panel_2, panel_3,
                                                   panel_4, panel_5, panel_6};
    const int64_t vectors = (p->columns + LANES - 1) / LANES;
    const int64_t count = (vectors + WIDEST - 1) / WIDEST;
    const int64_t width = count > 0 ? (vectors + count - 1) / count : 0;
    const int64_t fit = STRETCH / (vectors * BYTES + 1), stretch = fit > 64 ? fit : 64;
    for (int64_t from = 0; from == 0 || from < p->inner; from += stretch)
        for (int64_t first = 0; first < p->columns; first += width * LANES) {
            const int64_t left = p->columns - first;
            const int64_t whole_ones = (left - 1) / LANES + 1;
            const int64_t many = whole_ones < width ? whole_ones : width;
            const int64_t tail = left < many * LANES ? left - (many - 1) * LANES : LANES;
            const part w = {.p = p,
                            .first = first,
                            .from = from,
                            .end = from + stretch < p->inner ? from + stretch : p->inner,
                            .last = (bits)((1u << tail) - 1),
                            .beta = from > 0 ? 1 : (real)p->beta};
            panels[many - 1](&w);
        }
}

#define TABLE                                                                                  \
    {                                                                                          \
        .most = PANELS * WIDEST * LANES, .multiply = multiply                                  \
    }
#else
/* With fewer registers the rows of A that share a row of B are too few. */
#define TABLE                                                                                  \
    {                                                                                          \
        .most = 0                                                                              \
    }
#endif

extern const tsr__slims KERNEL(tsr__slims_);
const tsr__slims KERNEL(tsr__slims_) = TABLE;
