/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Dense products for one element type and one instruction set; the build compiles this file once
 * for each, as it does kernels.c.
 *
 * A panel of a few columns, up to WIDEST registers, of as many rows of C as registers hold is
 * summed over a stretch of the inner dimension: a row of B is read once, and multiplied by one
 * value of each row of A. A is never packed. B is read as it lies where few rows share it, or one
 * panel has all its columns; else stretches of its panels are first laid side by side, as rows
 * that lie a page apart would fight for the same places in the cache. What is read again stays
 * near: a panel's stretch in the first-level cache, the values of A in the second.
 *
 * Every value of C is summed in the same order whatever rows stand beside it. 2 rows columns inner
 * operations; each value of A is read once a panel, each of C once a stretch. */
#include "matrix/slim.h"

#include "matrix/vector.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

/* Registers of a set: how wide one is, how many panels take, and the rows that each number of
 * them leaves room for; ROOM holds a stretch of the widest panel. */
#if defined(__AVX512F__)
enum { WIDTH = 64, WIDEST = 6, MOST_ROWS = 8, STRETCH = 160, ROOM = 1 << 16 };
#define PANELS PANEL(1, 8) PANEL(2, 8) PANEL(3, 8) PANEL(4, 6) PANEL(5, 5) PANEL(6, 4)
#elif defined(__AVX2__)
enum { WIDTH = 32, WIDEST = 3, MOST_ROWS = 8, STRETCH = 256, ROOM = 1 << 15 };
#define PANELS PANEL(1, 8) PANEL(2, 6) PANEL(3, 4)
#else
enum { WIDTH = 16, WIDEST = 3, MOST_ROWS = 8, STRETCH = 256, ROOM = 1 << 14 };
#define PANELS PANEL(1, 8) PANEL(2, 4) PANEL(3, 3)
#endif

enum {
    ONES = WIDTH / sizeof(real), /* values in a register */
    MOST_PANELS = 32,            /* laid out at once */
    NEAR = 1 << 18,              /* bytes of A that are read again and again */
    FEW_GROUPS = 4               /* of rows that do not pay for laying B out */
};
#ifdef TSR_KERNELS_f32
#define WIDE(p) ((p)->wide)
#else
#define WIDE(p) false
#endif
typedef real slice __attribute__((vector_size(WIDTH)));
typedef real ragged __attribute__((vector_size(WIDTH), aligned(sizeof(real)), may_alias));

/* The first values of a register alone, from and to memory: an `edge` says how many. */
#if defined(__AVX512F__)
#define FIRST(count) ((edge)((1u << (count)) - 1))
#ifdef TSR_KERNELS_f32
typedef __mmask16 edge;
#define LOAD(from, which)    ((slice)_mm512_maskz_loadu_ps(which, from))
#define STORE(to, which, it) _mm512_mask_storeu_ps(to, which, (__m512)(it))
#else
typedef __mmask8 edge;
#define LOAD(from, which)    ((slice)_mm512_maskz_loadu_pd(which, from))
#define STORE(to, which, it) _mm512_mask_storeu_pd(to, which, (__m512d)(it))
#endif
#elif defined(__AVX2__)
typedef __m256i edge;
typedef whole places __attribute__((vector_size(WIDTH)));
#define FIRST(count) ((edge)(place < (whole)(count)))
#ifdef TSR_KERNELS_f32
static const places place = {0, 1, 2, 3, 4, 5, 6, 7};
#define LOAD(from, which)    ((slice)_mm256_maskload_ps(from, which))
#define STORE(to, which, it) _mm256_maskstore_ps(to, which, (__m256)(it))
#else
static const places place = {0, 1, 2, 3};
#define LOAD(from, which)    ((slice)_mm256_maskload_pd(from, which))
#define STORE(to, which, it) _mm256_maskstore_pd(to, which, (__m256d)(it))
#endif
#else
typedef int64_t edge;
#define FIRST(count)         (count)
#define LOAD(from, which)    load_some(from, which)
#define STORE(to, which, it) store_some(to, which, it)
INLINE slice load_some(const real *from, int64_t count)
{
    slice it = {0};
    for (int64_t i = 0; i < count; i++)
        it[i] = from[i];
    return it;
}
INLINE void store_some(real *to, int64_t count, slice it)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = it[i];
}
#endif

INLINE int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* A stretch of a panel: `count` rows of B where they may be read in whole registers, and the
 * `rest` of them, fewer than a register has values, copied with zeros behind. */
typedef struct panel {
    const real *b, *rest;
    int64_t step, count, rest_count;
    int64_t first, last; /* column it begins with; columns in its last register */
} panel;

/* What is the same for all panels and groups of a stretch. */
typedef struct stretch {
    const tsr__product *p;
    int64_t from, end;
    bool fresh; /* C is not added to, but set */
} stretch;

/* A group's sums and where they go: `count` rows from c on. */
typedef struct output {
    void *c;
    int64_t ldc, count, last;
    double alpha;
} output;

/* Alpha by itself: in one expression with C it is fused in some rows and not in others. */
INLINE void scale_sums(slice (*sum)[WIDEST], real alpha, const int rows, const int vectors)
{
    UNROLLED
    for (int r = 0; r < rows; r++) {
        UNROLLED
        for (int v = 0; v < vectors; v++)
            sum[r][v] *= alpha;
    }
}

INLINE void put(const output *o, slice (*sum)[WIDEST], const bool fresh, const int rows,
                const int vectors)
{
    const edge which = FIRST(o->last);
    const bool even = o->last == ONES;
    real *c = o->c;
    UNROLLED
    for (int r = 0; r < rows; r++, c += o->ldc) {
        if (r >= o->count)
            return;
        UNROLLED
        for (int v = 0; v < vectors; v++) {
            real *to = c + v * ONES;
            const bool whole_one = v + 1 < vectors || even;
            if (whole_one && fresh)
                *(ragged *)to = sum[r][v];
            else if (whole_one)
                *(ragged *)to += sum[r][v];
            else if (fresh)
                STORE(to, which, sum[r][v]);
            else
                STORE(to, which, LOAD(to, which) + sum[r][v]);
        }
    }
}

/* The same into doubles; not inlined, being long and rare. */
static __attribute__((noinline)) void put_wide(const output *o, const real *sum, bool fresh,
                                               int64_t columns)
{
    double *c = o->c;
    for (int64_t r = 0; r < o->count; r++, c += o->ldc, sum += WIDEST * ONES)
        for (int64_t j = 0; j < columns; j++)
            c[j] = (fresh ? 0 : c[j]) + o->alpha * (double)sum[j];
}

INLINE void add_rows(slice (*sum)[WIDEST], const real *const *a, int64_t on, const real *b,
                     int64_t step, int64_t count, const int rows, const int vectors)
{
    for (int64_t t = 0, i = 0; t < count; t++, i += on, b += step) {
        slice line[WIDEST];
        UNROLLED
        for (int v = 0; v < vectors; v++)
            line[v] = *(const ragged *)(b + v * ONES);
        UNROLLED
        for (int r = 0; r < rows; r++) {
            UNROLLED
            for (int v = 0; v < vectors; v++)
                sum[r][v] += a[r][i] * line[v];
        }
    }
}

/* C = alpha sum, or that is added, for `count` rows, at most `rows`; where there are fewer, the last is
 * summed as often as it takes. */
INLINE void group(const stretch *s, const panel *n, int64_t row, int64_t count, const int rows,
                  const int vectors)
{
    const tsr__product *p = s->p;
    const int64_t down = p->transpose_a ? 1 : p->lda, on = p->transpose_a ? p->lda : 1;
    const real *a[MOST_ROWS];
    slice sum[MOST_ROWS][WIDEST];
    UNROLLED
    for (int r = 0; r < rows; r++) {
        a[r] = (const real *)p->a + (row + (r < count ? r : count - 1)) * down + s->from * on;
        UNROLLED
        for (int v = 0; v < vectors; v++)
            sum[r][v] = (slice){0};
    }
    add_rows(sum, a, on, n->b, n->step, n->count, rows, vectors);
    if (n->rest_count > 0) {
        UNROLLED
        for (int r = 0; r < rows; r++)
            a[r] += n->count * on;
        add_rows(sum, a, on, n->rest, (int64_t)vectors * ONES, n->rest_count, rows, vectors);
    }
    const int64_t at = row * p->ldc + n->first;
    output o = {.ldc = p->ldc, .count = count, .last = n->last, .alpha = p->alpha};
    if (WIDE(p)) {
        slice out[MOST_ROWS][WIDEST];
        memcpy(out, sum, sizeof out);
        o.c = (double *)p->c + at;
        put_wide(&o, (const real *)out, s->fresh, (vectors - 1) * ONES + n->last);
        return;
    }
    o.c = (real *)p->c + at;
    if (p->alpha != 1)
        scale_sums(sum, (real)p->alpha, rows, vectors);
    if (s->fresh)
        put(&o, sum, true, rows, vectors);
    else
        put(&o, sum, false, rows, vectors);
}

/* `count` rows of a panel of B side by side, zeros behind the last column. */
INLINE void lay(real *to, const tsr__product *p, int64_t from, int64_t count, const panel *n,
                const int vectors)
{
    const edge which = FIRST(n->last);
    const real *b = (const real *)p->b + from * p->ldb + n->first;
    for (int64_t t = 0; t < count; t++, to += vectors * ONES, b += p->ldb) {
        UNROLLED
        for (int v = 0; v + 1 < vectors; v++)
            *(slice *)(to + v * ONES) = *(const ragged *)(b + v * ONES);
        *(slice *)(to + (vectors - 1) * ONES) = LOAD(b + (vectors - 1) * ONES, which);
    }
}

/* The same of a B that is stored transposed. */
INLINE void lay_turned(real *to, const tsr__product *p, int64_t from, int64_t count,
                       const panel *n, const int vectors)
{
    const int width = vectors * ONES;
    const int64_t columns = width - ONES + n->last;
    const real *b = (const real *)p->b + n->first * p->ldb + from;
    for (int64_t t = 0; t < count; t++)
        for (int64_t j = 0; j < width; j++)
            to[t * width + j] = j < columns ? b[j * p->ldb + t] : 0;
}

/* Rows of B that are laid out next: every group of rows asks for some of them. */
typedef struct ahead {
    const real *b;
    int64_t step, left, each;
} ahead;

INLINE void ask(ahead *h)
{
    const int64_t count = least(h->each, h->left);
    for (int64_t i = 0; i < count; i++, h->b += h->step) {
        __builtin_prefetch(h->b, 0, 2);
        __builtin_prefetch(h->b + 64 / sizeof(real), 0, 2);
    }
    h->left -= count;
}

/* What is done to panels of one width: their rows of B are laid out; and the groups of rows of C
 * from `row` to `end` are added to, each along all of `many` panels. */
#define PANEL(vectors, rows)                                                                   \
    static void lay_##vectors(real *to, const tsr__product *p, int64_t from, int64_t count,    \
                              const panel *n)                                                  \
    {                                                                                          \
        if (p->transpose_b)                                                                    \
            lay_turned(to, p, from, count, n, vectors);                                        \
        else                                                                                   \
            lay(to, p, from, count, n, vectors);                                               \
    }                                                                                          \
    static void add_##vectors(const stretch *s, const panel *panels, int64_t many, ahead *h,   \
                              int64_t row, int64_t end)                                        \
    {                                                                                          \
        for (; row < end; row += rows) {                                                       \
            ask(h);                                                                            \
            for (int64_t i = 0; i < many; i++)                                                 \
                group(s, &panels[i], row, end - row < rows ? end - row : rows, rows, vectors); \
        }                                                                                      \
    }
PANELS
#undef PANEL

static const struct {
    int rows;
    void (*lay)(real *to, const tsr__product *p, int64_t from, int64_t count, const panel *n);
    void (*add)(const stretch *s, const panel *panels, int64_t many, ahead *h, int64_t row,
                int64_t end);
} by_vectors[] = {
#define PANEL(vectors, rows) {rows, lay_##vectors, add_##vectors},
    PANELS
#undef PANEL
};

/* Rows of B that may be read in whole registers from column `first` on: what follows the columns
 * then is B as well. */
static int64_t safe_rows(const tsr__product *p, int64_t first, int64_t width)
{
    const int64_t spare = (p->inner - 1) * p->ldb + p->columns - first - width;
    return spare >= 0 ? spare / p->ldb + 1 : 0;
}

/* How a product is cut. */
typedef struct cut {
    bool laid;             /* B is laid out */
    int64_t panels, thick; /* the first `thick` panels are one register wider than the rest */
    int64_t vectors;       /* registers of the rest */
    int64_t length, high;  /* terms of a stretch; rows that share what is laid out */
} cut;

/* The panel at a place. B is read where it lies as far as it may be. */
static panel make_panel(const cut *c, const stretch *s, int64_t at, int64_t vectors, real *room)
{
    const tsr__product *p = s->p;
    const int64_t width = vectors * ONES, count = s->end - s->from;
    const int64_t first = (at * c->vectors + (at < c->thick ? at : c->thick)) * ONES;
    const int64_t left = p->columns - first, last = left < width ? left - width + ONES : ONES;
    const int64_t safe = safe_rows(p, first, width) - s->from;
    const int64_t read = c->laid || safe < 0 ? 0 : safe < count ? safe : count;
    panel n = {.first = first, .last = last};
    by_vectors[vectors - 1].lay(room, p, s->from + read, count - read, &n);
    if (c->laid) {
        n.b = room, n.step = width, n.count = count;
    } else {
        n.b = (const real *)p->b + s->from * p->ldb + first;
        n.step = p->ldb, n.count = read;
        n.rest = room, n.rest_count = count - read;
    }
    return n;
}

/* All panels of a stretch for some rows: as many at a time as there is room for. */
static void add_stretch(const cut *c, const stretch *s, int64_t row, int64_t end)
{
    _Alignas(WIDTH) real room[ROOM / sizeof(real)];
    panel panels[MOST_PANELS];
    for (int64_t at = 0, many; at < c->panels; at += many) {
        const int64_t vectors = c->vectors + (at < c->thick ? 1 : 0);
        const int64_t size = (s->end - s->from) * vectors * ONES;
        const int64_t alike = (at < c->thick ? c->thick : c->panels) - at;
        const int64_t fit = size > 0 && c->laid
                                ? least(ROOM / (int64_t)sizeof(real) / size, MOST_PANELS)
                                : MOST_PANELS;
        many = least(alike, fit);
        for (int64_t i = 0; i < many; i++)
            panels[i] = make_panel(c, s, at + i, vectors, room + (c->laid ? i * size : 0));
        ahead h = {0};
        if (c->laid && !s->p->transpose_b && at + many < c->panels) {
            const int64_t groups = (end - row - 1) / by_vectors[vectors - 1].rows + 1;
            h.b = (const real *)s->p->b + s->from * s->p->ldb + panels[many - 1].first +
                  vectors * ONES;
            h.step = s->p->ldb, h.left = s->end - s->from, h.each = (h.left - 1) / groups + 1;
        }
        by_vectors[vectors - 1].add(s, panels, many, &h, row, end);
    }
}

/* Equal pieces of at most `most`. */
static int64_t piece(int64_t whole_size, int64_t most)
{
    const int64_t pieces = (whole_size + most - 1) / most;
    return pieces > 0 ? (whole_size + pieces - 1) / pieces : 1;
}

static cut cut_of(const tsr__product *p)
{
    const int64_t vectors = (p->columns + ONES - 1) / ONES,
                  panels = (vectors + WIDEST - 1) / WIDEST;
    cut c = {.panels = panels, .vectors = vectors / panels, .thick = vectors % panels};
    const int64_t rows = by_vectors[c.vectors - 1].rows;
    c.laid = p->transpose_b || (panels > 1 && p->rows > FEW_GROUPS * rows);
    c.length = piece(p->inner, STRETCH); /* whatever the rows: they decide no rounding */
    c.high = p->rows;
    if (c.laid) {
        const int64_t near = NEAR / (c.length * (int64_t)sizeof(real));
        c.high = (piece(p->rows, near) + MOST_ROWS - 1) / MOST_ROWS * MOST_ROWS;
    }
    return c;
}

/* C = beta C, where that is more than keeping it: never in the solver. Added in one go with the
 * product it might be rounded differently from row to row. */
static void scale(const tsr__product *p)
{
    for (int64_t i = 0; i < p->rows; i++)
        for (int64_t j = i * p->ldc; j < i * p->ldc + p->columns; j++)
            if (WIDE(p))
                ((double *)p->c)[j] *= p->beta;
            else
                ((real *)p->c)[j] *= (real)p->beta;
}

static void multiply(const tsr__product *p)
{
    const cut c = cut_of(p);
    if (p->beta != 0 && p->beta != 1)
        scale(p);
    for (int64_t from = 0; from == 0 || from < p->inner; from += c.length) {
        const stretch s = {p, from, least(from + c.length, p->inner),
                           from == 0 && p->beta == 0};
        for (int64_t row = 0; row < p->rows; row += c.high)
            add_stretch(&c, &s, row, least(row + c.high, p->rows));
    }
}

extern const tsr__slims KERNEL(tsr__slims_);
const tsr__slims KERNEL(tsr__slims_) = {.best = WIDTH > 16, .multiply = multiply};
