/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Codes of samples with the basis fixed.
 *
 *     loss      minimise the model's own loss, and its elastic net on codes, over the code; graph
 *               and label terms are off
 *     inverse   pseudo-inverse, (F' F)^-1 F' x; entries may be negative
 *     product   F' x
 *
 * New samples are independent: each is multiplied by the basis once, and then brought to its own
 * optimum (row.h) and let go. Products run in panels of a fixed number of rows, the last one
 * filled up with zeros, so that a sample's code has the same bits whichever others are in the
 * call and however many threads there are. Cost 2 m k a sample and the row's own steps.
 *
 * Samples that are not in memory are read by windows of several panels, one after another by the
 * same thread, so that what comes next is read while it works (matrix/store.c).
 *
 * New samples go through the preprocessing that the model records: norms, and weights of
 * normalised cuts against the training samples' sum. Kernel models compare them with the
 * training samples. */
#include "factor/model.h"
#include "factor/row.h"
#include "factor/run.h"

#include "base/progress.h"
#include "base/settings.h"
#include "matrix/blas.h"
#include "matrix/parallel.h"
#include "matrix/pass.h"
#include "matrix/scaled.h"
#include "matrix/single.h"
#include "matrix/store.h"
#include "matrix/team.h"

#include <math.h>
#include <string.h>

/* Rows of a product: its bits may depend on their number, as libraries choose their way by size,
 * so that panels are always whole. Panels between two words of progress, fewer where a sample
 * takes many steps. */
enum { PANEL = 48, BATCH = 64, SLOW_BATCH = 4 };

/* Windows that a thread takes one after another, of samples that are read: what was read ahead of the
 * last of them is lost. */
enum { WINDOWS = 32, SLOW_WINDOWS = 4 };

/* Of coordinate descent, before a row's own steps. More where it begins at zero. */
enum { SWEEPS = 2, SWEEPS_FROM_ZERO = 8 };

/* What one thread works with. */
typedef struct desk {
    tsr_matrix window; /* of the samples as prepared, */
    int64_t from;      /* and the first sample that it has */
    void *rows;        /* PANEL x m: dense samples */
    void *compared;    /* PANEL x atoms: kernels */
    void *products;    /* PANEL x k */
    double *p, *g;     /* PANEL x k: products and codes of squares */
    double *row;       /* k: a sample's products or code, */
    double *own;       /* k: and the other */
    double *x;    /* a sample's entries, and sparse ones' columns of the basis, k x entries */
    void *sweeps; /* room of the descent */
    int32_t *all; /* k: every coordinate */
    double *columns, *sums;
    double *room;
    tsr__known known;
} desk;

typedef struct encoding {
    const tsr_model *model;
    tsr_transform_options options;
    tsr__spec spec;
    tsr__problem problem;
    tsr_matrix *weighed; /* by cuts, where the samples are read; a view */
    tsr_type type;
    int64_t stride;               /* of the turned basis */
    int64_t k, m, atoms, longest; /* atoms: 0 without a kernel; entries of the longest row */
    bool entries;                 /* the loss wants samples entry by entry */
    bool shares;                  /* KL: and rows have all features */
    double lasso, ridge;
    /* of the arena: */
    void *factor, *across;  /* m x k or atoms x k; kernels: m x atoms */
    double *basis, *turned; /* m x k; KL: k rows of tsr__padded(m) */
    double *gram, *sums;    /* k x k, k */
    tsr__row_shared shared; /* KL, dense */
    double *wide;           /* k x tsr__padded(k): the gram matrix for single rows */
    void *inverse;          /* k x k */
    double *direct;         /* k x k: squares without g >= 0 */
    double *atom_square;    /* atoms */
    desk *desks;
    int threads;
    tsr__arena arena;
    int64_t first; /* panel of the batch */
    int64_t run;   /* panels that a thread takes one after another, */
    int64_t span;  /* and those of a window */
    tsr__trouble trouble;
    tsr_matrix *codes;
} encoding;

/* Preparation ----------------------------------------------------------------------------- */

/* On a copy, or on the way. */
static tsr_status weigh(encoding *e)
{
    tsr_status status = TSR_OK;
    tsr__held *held = &e->problem.held;
    const tsr__scaling by = {.type = e->spec.type, .cuts = e->model->scale};
    if (tsr__matrix_is_stored(held->x)) {
        TSR_TRY(tsr__matrix_scaled(&e->weighed, held->x, &by));
        held->x = e->weighed;
        goto done;
    }
    if (held->owned == NULL) {
        TSR_TRY(tsr_matrix_copy_as(&held->owned, held->x, by.type, held->x->sparse));
        held->x = held->owned;
    }
    tsr__weigh_by_cuts(held->owned, by.cuts);
done:
    return status;
}

/* Weights and masks were of the training samples and say nothing of others; cuts are weighed
 * against the training samples' sum, not their own. */
static tsr_status prepare(encoding *e, const tsr_data *data)
{
    tsr_status status = TSR_OK;
    tsr__problem *p = &e->problem;
    tsr_fit_options plain = e->model->options;
    plain.sample_weights = NULL;
    plain.mask = NULL; /* it was of the training samples */
    plain.mask_matrix = NULL;
    tsr__spec spec = e->spec;
    spec.options = &plain;
    spec.ncw = spec.ncw_loss = false;
    TSR_TRY(tsr__prepare_values(p, &spec, data));
    if (e->model->scale != NULL)
        TSR_TRY(weigh(e));
done:
    return status;
}

/* Columns of the turned basis are read several at a time: those of a power of two would all want
 * the same few lines of the first-level cache, 4 KiB apart, and push each other out. */
static int64_t stride_of(int64_t features)
{
    enum { PAGE = 512, STEP = 64 };
    const int64_t padded = tsr__padded(features);
    return features < PAGE ? padded : (padded + PAGE - STEP - 1) / PAGE * PAGE + STEP;
}

static void measure(encoding *e)
{
    const tsr_matrix *x = e->problem.held.x;
    e->type = e->spec.type;
    e->entries = e->spec.loss->row != NULL && e->options.method == 0;
    e->shares = e->entries && e->spec.loss->degree == 1 && !x->sparse;
    e->k = e->model->report.rank;
    e->m = x->features;
    e->stride = stride_of(e->m);
    e->atoms = e->model->atoms != NULL ? e->model->atoms->samples : 0;
    e->longest = x->sparse ? 0 : e->m;
    for (int64_t i = 0; x->sparse && i < x->samples; i++) {
        const int64_t length = x->rows[i + 1] - x->rows[i];
        e->longest = length > e->longest ? length : e->longest;
    }
    e->threads = tsr__threads(e->options.threads, (x->samples + PANEL - 1) / PANEL);
    e->span = tsr__matrix_is_stored(x) ? tsr__matrix_window_rows(x) / PANEL : 1;
    e->span = e->span > 0 ? e->span : 1;
    tsr__spec_elastic(&e->lasso, &e->ridge, &e->spec, e->m);
}

/* Doubles for the row's own steps (row.h), the data's type for what is multiplied by panels. */
static void layout_desk(encoding *e, desk *d)
{
    tsr__arena *arena = &e->arena;
    const size_t real = tsr__type_size(e->type), wide = sizeof(double);
    const int64_t k = e->k, padded = tsr__padded(k);
    const bool sparse = e->problem.held.x->sparse;
    const int64_t steps =
        e->entries ? e->spec.loss->row_room(k, e->longest) + padded : tsr__row_squares_room(k);
    const int64_t room = steps > PANEL * k ? steps : PANEL * k;
    desk laid = {0};
    laid.rows = sparse ? NULL : tsr__arena_take(arena, PANEL * e->m, real);
    laid.compared = tsr__arena_take(arena, PANEL * e->atoms, real);
    laid.products = tsr__arena_take(arena, PANEL * k, real);
    laid.p = tsr__arena_take(arena, PANEL * k, wide);
    laid.g = tsr__arena_take(arena, PANEL * k, wide);
    laid.row = tsr__arena_take(arena, padded, wide);
    laid.own = tsr__arena_take(arena, padded, wide);
    laid.all = tsr__arena_take(arena, k, sizeof *laid.all);
    laid.sweeps = tsr__arena_take(arena, e->entries ? 0 : tsr__descend_room(k), wide);
    laid.sums = tsr__arena_take(arena, k, wide);
    laid.x = tsr__arena_take(arena, e->entries ? tsr__padded(e->longest) : 0, wide);
    laid.columns =
        tsr__arena_take(arena, e->entries && sparse ? k * tsr__padded(e->longest) : 0, wide);
    laid.room = tsr__arena_take(arena, room, wide);
    if (e->problem.missing != NULL)
        laid.known = (tsr__known){.gram = tsr__arena_take(arena, k * padded, wide),
                                  .rows = tsr__arena_take(arena, TSR_KNOWN_ROWS * k, wide),
                                  .weighted = tsr__arena_take(arena, TSR_KNOWN_ROWS * k, wide)};
    if (d != NULL)
        *d = laid;
}

/* Walked twice, to measure and to hand out: the first time there is no memory to point at. */
static void layout(encoding *e)
{
    tsr__arena *arena = &e->arena;
    const size_t real = tsr__type_size(e->type), wide = sizeof(double);
    e->factor = tsr__arena_take(arena, (e->atoms > 0 ? e->atoms : e->m) * e->k, real);
    e->across = tsr__arena_take(arena, e->m * e->atoms, real);
    e->basis = tsr__arena_take(arena, e->m * e->k, wide);
    e->turned = tsr__arena_take(arena, e->entries ? e->k * e->stride : 0, wide);
    e->gram = tsr__arena_take(arena, e->k * e->k, wide);
    if (e->shares)
        e->shared = (tsr__row_shared){
            .even = tsr__arena_take(arena, tsr__padded(e->m), wide),
            .curve = tsr__arena_take(arena, e->k * tsr__padded(e->k), wide),
            .direct = tsr__arena_take(arena, e->k * tsr__padded(e->k), wide),
            .means = tsr__arena_take(arena, e->k, wide),
            .narrow = tsr__arena_take(arena, e->k * e->stride, sizeof(float))};
    e->wide = tsr__arena_take(arena, e->k * tsr__padded(e->k), wide);
    e->sums = tsr__arena_take(arena, e->k, wide);
    e->direct = tsr__arena_take(arena, e->k * e->k, wide);
    e->inverse = tsr__arena_take(arena, e->k * e->k, real);
    e->atom_square = tsr__arena_take(arena, e->atoms, wide);
    e->desks = tsr__arena_take(arena, e->threads, sizeof *e->desks);
    for (int t = 0; t < e->threads; t++)
        layout_desk(e, e->desks != NULL ? &e->desks[t] : NULL);
}

/* What all samples share: the basis in its several forms, and its gram matrix. In a kernel's own
 * space, where parts are no vectors, the one that the model keeps takes the place of F' F; that of
 * a linear kernel is a difference of large sums where samples have both signs, and worse than it. */
static void fill(encoding *e)
{
    const tsr_model *model = e->model;
    const tsr_matrix *f = model->basis;
    for (int64_t j = 0; j < e->m; j++)
        for (int64_t a = 0; a < e->k; a++) {
            const double v = tsr_matrix_at(f, a, j);
            e->basis[j * e->k + a] = v;
            e->sums[a] += v;
            if (e->entries)
                e->turned[a * e->stride + j] = v;
        }
    const tsr__product product = {.transpose_a = true,
                                  .rows = e->k,
                                  .columns = e->k,
                                  .inner = e->m,
                                  .alpha = 1,
                                  .a = e->basis,
                                  .b = e->basis,
                                  .c = e->gram,
                                  .lda = e->k,
                                  .ldb = e->k,
                                  .ldc = e->k};
    tsr__multiply_dense(TSR_FLOAT64, &product);
    if (model->gram != NULL && e->atoms > 0)
        memcpy(e->gram, model->gram, (size_t)(e->k * e->k) * sizeof *e->gram);
    for (int64_t a = 0; a < e->k; a++) {
        if (e->options.method == 0) /* the elastic net is part of Q (row.h) */
            e->gram[a * e->k + a] += e->ridge / 2;
        memcpy(e->wide + a * tsr__padded(e->k), e->gram + a * e->k,
               (size_t)e->k * sizeof *e->gram);
    }
    for (int64_t i = 0; i < e->atoms * e->k; i++)
        tsr__value_set(e->factor, e->type, i,
                       tsr_matrix_at(model->weights, i / e->k, i % e->k));
    for (int64_t i = 0; e->atoms == 0 && i < e->m * e->k; i++)
        tsr__value_set(e->factor, e->type, i, e->basis[i]);
    for (int64_t i = 0; i < e->atoms; i++) {
        e->atom_square[i] = tsr__row_square(model->atoms, i);
        for (int64_t at = tsr__row_begin(model->atoms, i); at < tsr__row_end(model->atoms, i);
             at++)
            tsr__value_set(e->across, e->type,
                           tsr__row_feature(model->atoms, i, at) * e->atoms + i,
                           tsr__value_at(model->atoms->values, model->atoms->type, at));
    }
}

/* Some hundreds of units in the last place of a double, some ten of a float: above what a gram
 * matrix of that type is wrong by, below what would show in a code. */
static double rounding_of(const encoding *e)
{
    return e->type == TSR_FLOAT64 ? 1e-13 : 1e-6;
}

/* to (rows `stride` apart) = gram^-1, with a ridge of rounding size for vectors that depend on
 * each other. Sized by the trace, and thus without units (tests/test_law_use.c). */
static tsr_status invert(double *to, const double *from, int64_t stride, const encoding *e)
{
    tsr_status status = TSR_OK;
    const int64_t k = e->k;
    const double rounding = rounding_of(e);
    double *gram = NULL, *inverse = NULL, trace = 0;
    TSR_NEW(gram, k * k);
    TSR_NEW_ZERO(inverse, k * k);
    for (int64_t i = 0; i < k; i++) {
        memcpy(gram + i * k, from + i * stride, (size_t)k * sizeof *gram);
        trace += gram[i * k + i];
    }
    for (int64_t i = 0; i < k; i++) {
        gram[i * k + i] += trace > 0 ? rounding * trace : 1;
        inverse[i * k + i] = 1;
    }
    TSR_TRY(tsr__solve_positive(gram, inverse, k, k));
    for (int64_t i = 0; i < k; i++)
        memcpy(to + i * stride, inverse + i * k, (size_t)k * sizeof *inverse);
done:
    tsr__free(gram);
    tsr__free(inverse);
    return status;
}

/* With its ridge every gram matrix has an inverse. */
static tsr_status begin_with(double *to, const double *from, int64_t stride, const encoding *e)
{
    const tsr_status status = invert(to, from, stride, e);
    return status != TSR_ERROR_DATA
               ? status
               : tsr__fail(status, "the codes have no value: the model's parts contradict each "
                                   "other; fit it again");
}

/* The inverse of what the method begins with, or is. */
static tsr_status prepare_inverse(encoding *e)
{
    tsr_status status = TSR_OK;
    const tsr__row_entries entries = {.width = e->m,
                                      .stride = e->stride,
                                      .x = e->desks[0].x,
                                      .columns = e->turned,
                                      .sums = e->sums};
    if (e->shares) {
        tsr__row_entropy_share(&e->shared, &entries, e->k, e->desks[0].room);
        TSR_TRY(begin_with(e->shared.direct, e->shared.curve, tsr__padded(e->k), e));
    } else if (e->options.method != 2 && !e->entries) {
        TSR_TRY(begin_with(e->direct, e->gram, e->k, e));
        tsr__kernels_of(e->type)->narrow(e->inverse, e->direct, e->k * e->k);
    }
done:
    return status;
}

/* Panels ---------------------------------------------------------------------------------- */

/* c (PANEL x columns) = a (PANEL x inner) b. */
static void multiply(const encoding *e, void *c, const void *a, const void *b, int64_t columns,
                     int64_t inner)
{
    tsr__multiply_plain(e->type, c, 1, a, b, PANEL, columns, inner);
}

/* out (PANEL x columns) = samples first .. times a factor (m x columns). */
static void project(const encoding *e, desk *d, void *out, int64_t first, int64_t rows,
                    const void *factor, int64_t columns)
{
    const tsr_matrix *x = &d->window;
    const size_t size = tsr__type_size(e->type);
    const int64_t at = first - d->from;
    if (x->sparse) { /* row by row as it is */
        const tsr__block block = {.first = first,
                                  .samples = rows,
                                  .features = x->features,
                                  .type = x->type,
                                  .sparse = true,
                                  .values = x->values,
                                  .rows = x->rows + at,
                                  .columns = x->columns};
        tsr__block_project(out, &block, factor, columns, true);
        return;
    }
    memset(d->rows, 0, (size_t)(PANEL * e->m) * size);
    for (int64_t i = 0; i < rows; i++)
        memcpy((char *)d->rows + (size_t)(i * e->m) * size,
               (const char *)x->values + (size_t)((at + i) * x->stride) * size,
               (size_t)e->m * size);
    multiply(e, out, d->rows, factor, columns, e->m);
}

/* The panel's products with the basis; kernels: through the training samples. */
static void make_products(const encoding *e, desk *d, int64_t first, int64_t rows)
{
    double square[PANEL];
    if (e->atoms == 0) {
        project(e, d, d->products, first, rows, e->factor, e->k);
        return;
    }
    memset(d->compared, 0, (size_t)(PANEL * e->atoms) * tsr__type_size(e->type));
    project(e, d, d->compared, first, rows, e->across, e->atoms);
    for (int64_t i = 0; i < rows; i++)
        square[i] = tsr__row_square(&d->window, first - d->from + i);
    tsr__kernel_apply(d->compared, e->type, rows, e->atoms, square, e->atom_square,
                      &e->model->options, e->model->kernel_width);
    multiply(e, d->products, d->compared, e->factor, e->k, e->atoms);
}

static tsr__known_rows features_of(const encoding *e)
{
    return (tsr__known_rows){TSR_FLOAT64, e->k, e->m, e->basis, NULL, e->problem.missing};
}

static tsr__row row_of(const encoding *e, const desk *d)
{
    return (tsr__row){.k = e->k,
                      .lasso = e->lasso,
                      .ridge = e->ridge,
                      .tolerance = e->options.tolerance,
                      .most = e->options.iterations,
                      .g = d->row,
                      .room = d->room};
}

/* Where rows begin: at their solution without g >= 0, one product, with zeros for what is below;
 * then sweeps of coordinate descent, several rows side by side. Together they find nearly all
 * entries above zero for less than one exact step of each row would cost. */
static void descend(const encoding *e, desk *d, int64_t rows)
{
    const int64_t count = PANEL * e->k;
    for (int64_t i = 0; i < count; i++)
        d->p[i] = tsr__value_at(d->products, e->type, i) - e->lasso / 2;
    if (e->problem.missing != NULL) {
        memset(d->g, 0, (size_t)count * sizeof *d->g);
        return;
    }
    tsr__multiply_plain(TSR_FLOAT64, d->g, 1, d->p, e->direct, PANEL, e->k, e->k);
    for (int64_t i = 0; i < count; i++)
        d->g[i] = d->g[i] > 0 ? d->g[i] : 0;
    tsr__singles_of(TSR_FLOAT64)->descend(d->g, e->gram, d->p, rows, e->k, SWEEPS, d->sweeps);
}

/* A sample with missing values has a Q of its own, made where it is used. */
static void minimise_squares(const encoding *e, desk *d, int64_t sample, int64_t i)
{
    const tsr__known_rows features = features_of(e);
    const tsr__row row = row_of(e, d);
    const bool own = e->problem.missing != NULL;
    memcpy(d->own, d->p + i * e->k, (size_t)e->k * sizeof *d->p);
    memcpy(d->row, d->g + i * e->k, (size_t)e->k * sizeof *d->g);
    if (own)
        tsr__known_gram(&d->known, &features, sample, e->gram);
    tsr__row_squares(&row, own ? d->known.gram : e->wide, d->own, own ? SWEEPS_FROM_ZERO : 0);
}

/* to (k x stride) = the rows of the basis that a sparse sample's entries point at, turned: four
 * side by side, so that what is written lies together. */
static void gather(double *to, int64_t stride, const encoding *e, const int32_t *columns,
                   int64_t count)
{
    const int64_t k = e->k;
    int64_t at = 0;
    for (; at + 4 <= count; at += 4) {
        const double *f[4];
        for (int i = 0; i < 4; i++)
            f[i] = e->basis + columns[at + i] * k;
        for (int64_t a = 0; a < k; a++)
            for (int i = 0; i < 4; i++)
                to[a * stride + at + i] = f[i][a];
    }
    for (int64_t a = 0; a < k; a++)
        for (int64_t i = at; i < stride; i++)
            to[a * stride + i] = i < count ? e->basis[columns[i] * k + a] : 0;
}

/* Sparse samples gather their columns of the basis first, k numbers an entry: the steps then
 * run over contiguous columns as dense ones do. */
static void minimise_entries(const encoding *e, desk *d, int64_t sample)
{
    const tsr_matrix *x = &d->window;
    const tsr__known_rows features = features_of(e);
    const tsr__row row = row_of(e, d);
    const int64_t begin = tsr__row_begin(x, sample - d->from),
                  end = tsr__row_end(x, sample - d->from);
    tsr__row_entries entries = {.width = end - begin,
                                .stride = e->stride,
                                .x = d->x,
                                .columns = e->turned,
                                .sums = e->sums,
                                .shared = e->shares ? &e->shared : NULL};
    tsr__kernels_of(x->type)->widen(
        d->x, (const char *)x->values + (size_t)begin * tsr__type_size(x->type), entries.width);
    for (int64_t at = entries.width; at < tsr__padded(entries.width); at++)
        d->x[at] = 0;
    if (x->sparse) {
        entries.stride = tsr__padded(entries.width);
        entries.columns = d->columns;
        gather(d->columns, entries.stride, e, x->columns + begin, entries.width);
    }
    if (e->problem.missing != NULL) {
        tsr__known_sums(d->sums, &features, sample, e->sums);
        entries.sums = d->sums;
    }
    e->spec.loss->row(&row, &entries);
}

static void *code_of(const encoding *e, int64_t sample)
{
    return (char *)e->codes->values + (size_t)(sample * e->k) * tsr__type_size(e->type);
}

/* The loss, sample by sample. */
static void minimise(const encoding *e, desk *d, int64_t first, int64_t rows)
{
    if (!e->entries) {
        make_products(e, d, first, rows);
        descend(e, d, rows);
    }
    for (int64_t i = 0; i < rows; i++) {
        if (e->entries)
            minimise_entries(e, d, first + i);
        else
            minimise_squares(e, d, first + i, i);
        for (int64_t a = 0; a < e->k; a++)
            tsr__value_set(code_of(e, first + i), e->type, a, d->row[a]);
    }
}

/* The pseudo-inverse over a sample's known entries. */
static void invert_known(const encoding *e, desk *d, int64_t sample, int64_t i)
{
    const tsr__known_rows features = features_of(e);
    const int64_t wide = tsr__padded(e->k);
    double *gram = d->known.gram, trace = 0;
    tsr__known_gram(&d->known, &features, sample, e->gram);
    for (int64_t a = 0; a < e->k; a++) {
        d->own[a] = tsr__value_at(d->products, e->type, i * e->k + a);
        d->all[a] = (int32_t)a;
        trace += gram[a * wide + a];
    }
    for (int64_t a = 0; a < e->k; a++)
        gram[a * wide + a] += trace > 0 ? rounding_of(e) * trace : 1;
    tsr__singles_of(TSR_FLOAT64)->solve(d->own, gram, e->k, d->all, e->k, d->room);
    for (int64_t a = 0; a < e->k; a++)
        tsr__value_set(code_of(e, sample), e->type, a, d->own[a]);
}

static void apply_inverse(const encoding *e, desk *d, int64_t first, int64_t rows)
{
    void *out = d->room; /* the rows' own steps do not need it */
    make_products(e, d, first, rows);
    for (int64_t i = 0; e->problem.missing != NULL && i < rows; i++)
        invert_known(e, d, first + i, i);
    if (e->problem.missing != NULL)
        return;
    multiply(e, out, d->products, e->inverse, e->k, e->k);
    memcpy(code_of(e, first), out, (size_t)(rows * e->k) * tsr__type_size(e->type));
}

static void take_products(const encoding *e, desk *d, int64_t first, int64_t rows)
{
    make_products(e, d, first, rows);
    memcpy(code_of(e, first), d->products, (size_t)(rows * e->k) * tsr__type_size(e->type));
}

static void encode_window(encoding *e, desk *d)
{
    static void (*const methods[])(const encoding *, desk *, int64_t,
                                   int64_t) = {minimise, apply_inverse, take_products};
    const int64_t end = d->from + d->window.samples;
    for (int64_t first = d->from; first < end; first += PANEL)
        methods[e->options.method](e, d, first, end - first < PANEL ? end - first : PANEL);
}

/* Ends early where a window cannot be had. */
static void encode_run(void *context, int64_t item, int thread)
{
    encoding *e = context;
    desk *d = &e->desks[thread];
    const tsr_matrix *x = e->problem.held.x;
    const int64_t first = (e->first + item * e->run) * PANEL, left = x->samples - first,
                  end = left < e->run * PANEL ? x->samples : first + e->run * PANEL;
    for (d->from = first; d->from < end; d->from += e->span * PANEL) {
        const int64_t rest = end - d->from;
        if (e->trouble.status != TSR_OK ||
            !tsr__went_well(tsr__matrix_window(&d->window, x, d->from,
                                               rest < e->span * PANEL ? rest : e->span * PANEL),
                            &e->trouble))
            return;
        encode_window(e, d);
    }
}

/* Panels of one batch, and how many of them a thread takes at once: one where samples are in memory,
 * else some windows full, each thread a run of them. */
static int64_t batch_of(encoding *e, int64_t left)
{
    const int64_t fair = 2 * (int64_t)e->threads, slow = fair > SLOW_BATCH ? fair : SLOW_BATCH;
    const int64_t most = e->span * (e->entries ? SLOW_WINDOWS : WINDOWS),
                  share = (left + e->threads - 1) / e->threads,
                  even = (share + e->span - 1) / e->span * e->span;
    int64_t batch = e->entries ? slow : BATCH;
    e->run = 1;
    if (tsr__matrix_is_stored(e->problem.held.x)) {
        e->run = even < most ? even : most;
        batch = e->run * e->threads;
    }
    return left < batch ? left : batch;
}

/* Batches are for progress and interruption between them; runs within one go to any thread. */
static tsr_status encode(encoding *e)
{
    tsr_status status = TSR_OK;
    const int64_t n = e->problem.samples, panels = (n + PANEL - 1) / PANEL;
    const tsr__task task = tsr__task_begin(e->options.progress, "encoding", n);
    for (e->first = 0; e->first < panels;) {
        const int64_t count = batch_of(e, panels - e->first);
        tsr__parallel((count + e->run - 1) / e->run, e->threads, encode_run, e);
        TSR_TRY(tsr__tell_trouble(&e->trouble));
        e->first += count;
        const int64_t done = e->first * PANEL;
        TSR_TRY(tsr__task_step(&task, done < n ? done : n, (double)NAN, (double)NAN));
    }
done:
    return status;
}

/* The codes, and room to make them in. */
static tsr_status check_memory(const encoding *e, const tsr_data *data)
{
    const double wanted =
        (double)e->problem.samples * (double)e->k * (double)tsr__type_size(e->type) +
        (double)e->arena.used;
    return data->memory == 0 || wanted <= (double)data->memory
               ? TSR_OK
               : tsr__fail(TSR_ERROR_MEMORY,
                           "%lld codes of %lld numbers take %.4g MB, and --memory allows %.4g "
                           "MB: raise it, or encode fewer samples at a time",
                           (long long)e->problem.samples, (long long)e->k, wanted / 1e6,
                           (double)data->memory / 1e6);
}

static tsr_status transform(tsr_matrix **codes, const tsr_model *model, const tsr_data *data,
                            const tsr_transform_options *options)
{
    tsr_status status = TSR_OK;
    encoding e = {.model = model};
    tsr_settings_default(tsr_transform_settings(), &e.options);
    if (options != NULL)
        e.options = *options;
    TSR_TRY(tsr_settings_check(tsr_transform_settings(), &e.options));
    TSR_TRY(tsr__spec_make(&e.spec, &model->options));
    if (tsr_matrix_features(tsr_data_samples(data)) != model->report.features)
        TSR_FAIL(TSR_ERROR_DATA, "%s has %lld features; the model was fitted to %lld",
                 tsr_data_origin(data), (long long)tsr_matrix_features(tsr_data_samples(data)),
                 (long long)model->report.features);
    TSR_TRY(prepare(&e, data));
    if (e.spec.loss->refuses != NULL && e.options.method == 0 &&
        e.spec.loss->refuses(&e.problem) != NULL)
        TSR_FAIL(TSR_ERROR_DATA, "%s: %s", tsr_data_origin(data),
                 e.spec.loss->refuses(&e.problem));
    if (e.options.method == 2 && e.problem.missing != NULL)
        TSR_FAIL(TSR_ERROR_ARGUMENT,
                 "F' x needs whole samples, and %s has missing values: "
                 "--method loss or inverse",
                 tsr_data_origin(data));
    measure(&e);
    layout(&e);
    TSR_TRY(check_memory(&e, data));
    TSR_TRY(tsr__arena_open(&e.arena));
    layout(&e);
    fill(&e);
    TSR_TRY(prepare_inverse(&e));
    TSR_TRY(tsr_matrix_create(&e.codes, e.problem.samples, e.k, e.type));
    TSR_TRY(encode(&e));
    TSR_TRY(tsr_matrix_check(e.codes, TSR_NEED_FINITE, "the codes"));
    *codes = e.codes, e.codes = NULL;
done:
    tsr_matrix_free(e.codes);
    tsr__arena_close(&e.arena);
    tsr_matrix_free(e.weighed); /* it reads the problem's samples */
    tsr__problem_clear(&e.problem);
    return status;
}

/* As many samples a rank, each of which has its codes from itself alone; then all get those of all. */
static tsr_status transform_shares(tsr_matrix **codes, const tsr_model *model,
                                   const tsr_data *data, const tsr_transform_options *options)
{
    tsr_status status = TSR_OK;
    tsr_team *team = data->team;
    const int64_t n = data->x->samples, ranks = team->ranks, k = model->report.rank,
                  first = n / ranks * team->rank + n % ranks * team->rank / ranks,
                  end = n / ranks * (team->rank + 1) + n % ranks * (team->rank + 1) / ranks;
    const tsr_type type = (tsr_type)model->options.precision;
    const int64_t row = k * (int64_t)tsr__type_size(type);
    tsr_data own = *data;
    tsr_matrix *mine = NULL, *all = NULL;
    int64_t *bytes = NULL;
    own.x = NULL, own.labels = NULL, own.team = NULL, own.first = first;
    TSR_TRY(tsr__same_call(data, NULL));
    TSR_NEW(bytes, ranks);
    TSR_TRY(tsr__matrix_slice(&own.x, data->x, first, end - first));
    TSR_TRY(tsr_matrix_create(&all, n, k, type));
    if (end > first)
        TSR_TRY(transform(&mine, model, &own, options));
    for (int64_t r = 0; r < ranks; r++)
        bytes[r] = row * (n / ranks * (r + 1) + n % ranks * (r + 1) / ranks -
                          (n / ranks * r + n % ranks * r / ranks));
    TSR_TRY(tsr__team_collect(team, all->values, mine != NULL ? mine->values : NULL, bytes));
    *codes = all, all = NULL;
done:
    tsr_matrix_free(own.x);
    tsr_matrix_free(mine);
    tsr_matrix_free(all);
    tsr__free(bytes);
    return status;
}

tsr_status tsr_model_transform(tsr_matrix **codes, const tsr_model *model, const tsr_data *data,
                               const tsr_transform_options *options)
{
    TSR_REQUIRE(codes, model, data);
    if (!tsr__team_shares(data->team))
        return transform(codes, model, data, options);
    tsr_matrix *made = NULL;
    tsr_team_enter(data->team);
    const tsr_status status =
        tsr_team_leave(data->team, transform_shares(&made, model, data, options));
    if (status == TSR_OK)
        *codes = made, made = NULL;
    tsr_matrix_free(made);
    return status;
}
