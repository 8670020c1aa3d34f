/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Heat maps of codes, or of the distances between them, samples by class.
 *
 * A side of the picture is cut into cells, one a sample or an entry, or where those are too many one
 * for neighbours of one class: cells then have the mean of what they stand for. Distances are taken
 * between no more than SPREAD samples of a cell, evenly spread, so that their time is bounded:
 * (MOST_SIDE SPREAD)^2 / 2 distances. */
#include "base/output.h"
#include "image/image.h"
#include "matrix/distances.h"
#include "matrix/labels.h"
#include "matrix/matrix.h"
#include "matrix/parallel.h"
#include "matrix/store.h"

#include <math.h>

enum {
    MOST_SIDE = 2000, /* pixels */
    MOST_ZOOM = 64,
    FAIR_WIDTH = 1000, /* where nobody says how large a cell is */
    FAIR_HEIGHT = 600,
    FAIR_ZOOM = 24,
    LEAST_CLASS = 4, /* pixels that a class has, on the mean, where lines are drawn */
    SPREAD = 8
};

static const unsigned char line_colour[3] = {0xd9, 0x4f, 0x2b};
static const unsigned char no_number[3] = {0xe0, 0x3c, 0xc8};

/* From pale to dark, of monotone lightness, told apart by all eyes: anchors between which colours
 * are mixed, those of the charts (report/web/src/palette.js). */
void tsr__heat_colour(unsigned char rgb[3], double share)
{
    static const unsigned char anchor[][3] = {
        {0xfa, 0xf6, 0xdf}, {0xe6, 0xdc, 0xa6}, {0xc6, 0xbf, 0x85}, {0x9b, 0xa2, 0x7f},
        {0x6f, 0x83, 0x85}, {0x44, 0x61, 0x84}, {0x20, 0x39, 0x6b}, {0x0c, 0x1b, 0x42}};
    enum { LAST = sizeof anchor / sizeof *anchor - 1 };
    const double place = fmin(fmax(share, 0), 1) * LAST;
    const int low = (int)fmin(floor(place), LAST - 1);
    for (int c = 0; c < 3; c++)
        rgb[c] = (unsigned char)(anchor[low][c] +
                                 (place - low) * (anchor[low + 1][c] - anchor[low][c]) + 0.5);
}

/* Sides ----------------------------------------------------------------------------------- */

/* What lies along a side of the picture, in groups with lines between them. */
typedef struct side {
    int64_t count, groups, cells;
    int64_t *end;   /* things before the end of each group */
    int64_t *first; /* things before each cell, and all */
    int64_t *at;    /* pixel where each cell begins */
    int64_t zoom, length;
} side;

static void side_clear(side *s)
{
    tsr__free(s->end);
    tsr__free(s->first);
    tsr__free(s->at);
}

/* Pixels across a cell: as asked where there is room, or 0: as is fair. */
static void set_zoom(side *s, int64_t asked, int64_t fair)
{
    const int64_t lines = s->groups - 1;
    const int64_t most = (MOST_SIDE - lines) / s->cells, good = (fair - lines) / s->cells;
    s->zoom = asked > 0 ? asked : (good < FAIR_ZOOM ? good : FAIR_ZOOM);
    s->zoom = s->zoom > most ? most : s->zoom;
    s->zoom = s->zoom < 1 ? 1 : s->zoom;
    s->length = s->cells * s->zoom + lines;
}

/* Cells before the end of group g, in proportion, and at least one a group. */
static int64_t cut(const side *s, int64_t g, int64_t before)
{
    const double share = (double)s->end[g] / (double)s->count;
    const int64_t fair = (int64_t)(share * (double)s->cells + 0.5);
    const int64_t most = s->cells - (s->groups - 1 - g);
    const int64_t least = before + 1 > fair ? before + 1 : fair;
    return least < most ? least : most;
}

/* Cells of what there is; `end` is set where there are groups. */
static tsr_status side_lay(side *s, int64_t asked, int64_t fair)
{
    tsr_status status = TSR_OK;
    s->cells = s->count + s->groups - 1 < MOST_SIDE ? s->count : MOST_SIDE - (s->groups - 1);
    if (s->cells >= s->groups)
        set_zoom(s, asked, fair);
    if (s->cells < s->groups || s->cells * s->zoom < LEAST_CLASS * s->groups) {
        s->groups = 1;
        s->end[0] = s->count;
        s->cells = s->count < MOST_SIDE ? s->count : MOST_SIDE;
        set_zoom(s, asked, fair);
    }
    TSR_NEW(s->first, s->cells + 1);
    TSR_NEW(s->at, s->cells);
    for (int64_t g = 0, cell = 0, thing = 0; g < s->groups; thing = s->end[g++]) {
        const int64_t from = cell, count = cut(s, g, from) - from;
        for (; cell < from + count; cell++) {
            s->first[cell] = thing + (cell - from) * (s->end[g] - thing) / count;
            s->at[cell] = cell * s->zoom + g;
        }
    }
    s->first[s->cells] = s->count;
done:
    return status;
}

static tsr_status group_all(side *s)
{
    tsr_status status = TSR_OK;
    TSR_NEW(s->end, 1);
    s->end[0] = s->count;
    s->groups = 1;
done:
    return status;
}

/* Samples by class, and where each class ends; those of none are the last. */
static tsr_status group_samples(side *s, int64_t **order, const tsr_labels *labels)
{
    tsr_status status = TSR_OK;
    TSR_NEW(*order, s->count);
    for (int64_t i = 0; i < s->count; i++)
        (*order)[i] = i;
    tsr__labels_sort(*order, s->count, labels);
    if (labels == NULL)
        return group_all(s);
    TSR_NEW(s->end, (int64_t)labels->classes + 1);
    for (int64_t i = 1; i < s->count; i++)
        if (labels->of[(*order)[i]] != labels->of[(*order)[i - 1]])
            s->end[s->groups++] = i;
    s->end[s->groups++] = s->count;
done:
    return status;
}

/* Values ---------------------------------------------------------------------------------- */

typedef struct map {
    const tsr_matrix *codes;
    int64_t *order; /* samples, as they are drawn */
    side samples, entries;
    const side *across, *down; /* which is where */
    double *value; /* down x across cells; not finite where one of its values is not */
    unsigned char *pixel;
    double range[2]; /* palest and darkest */
} map;

static void map_clear(map *m)
{
    side_clear(&m->samples);
    side_clear(&m->entries);
    tsr__free(m->order);
    tsr__free(m->value);
    tsr__free(m->pixel);
}

static tsr_status average_codes(map *m)
{
    tsr_status status = TSR_OK;
    const side *a = m->across, *d = m->down;
    double *code = NULL;
    TSR_NEW(code, d->count);
    TSR_NEW_ZERO(m->value, d->cells * a->cells);
    for (int64_t c = 0; c < a->cells; c++)
        for (int64_t i = a->first[c]; i < a->first[c + 1]; i++) {
            tsr_matrix_get_sample(code, m->codes, m->order[i]);
            for (int64_t r = 0; r < d->cells; r++)
                for (int64_t j = d->first[r]; j < d->first[r + 1]; j++)
                    m->value[r * a->cells + c] += code[j];
        }
    for (int64_t r = 0; r < d->cells; r++)
        for (int64_t c = 0; c < a->cells; c++)
            m->value[r * a->cells + c] /=
                (double)((d->first[r + 1] - d->first[r]) * (a->first[c + 1] - a->first[c]));
done:
    tsr__free(code);
    return status;
}

/* Codes of the samples that speak for each cell, side by side. */
typedef struct points {
    double *value;
    int64_t *first; /* points before each cell, and all */
    int64_t cells, rank;
    const tsr__distances *by;
    double *out; /* cells x cells */
} points;

static tsr_status gather_points(points *p, const map *m)
{
    tsr_status status = TSR_OK;
    const side *a = m->across;
    p->cells = a->cells;
    p->rank = m->codes->features;
    p->by = tsr__distances_of(TSR_FLOAT64);
    TSR_NEW(p->first, p->cells + 1);
    p->first[0] = 0;
    for (int64_t c = 0; c < p->cells; c++) {
        const int64_t all = a->first[c + 1] - a->first[c];
        p->first[c + 1] = p->first[c] + (all < SPREAD ? all : SPREAD);
    }
    TSR_NEW(p->value, p->first[p->cells] * p->rank);
    for (int64_t c = 0; c < p->cells; c++) {
        const int64_t all = a->first[c + 1] - a->first[c], some = p->first[c + 1] - p->first[c];
        for (int64_t i = 0; i < some; i++)
            tsr_matrix_get_sample(p->value + (p->first[c] + i) * p->rank, m->codes,
                                  m->order[a->first[c] + i * all / some]);
    }
done:
    return status;
}

static double mean_distance(const points *p, int64_t r, int64_t c)
{
    double sum = 0;
    for (int64_t i = p->first[r]; i < p->first[r + 1]; i++)
        for (int64_t j = p->first[c]; j < p->first[c + 1]; j++)
            sum += sqrt(p->by->apart(p->value + i * p->rank, p->value + j * p->rank, p->rank));
    return sum / (double)((p->first[r + 1] - p->first[r]) * (p->first[c + 1] - p->first[c]));
}

/* A row from the diagonal on, and the column that has the same. */
static void measure_row(void *context, int64_t r, int thread)
{
    const points *p = context;
    (void)thread;
    for (int64_t c = r; c < p->cells; c++)
        p->out[r * p->cells + c] = p->out[c * p->cells + r] = mean_distance(p, r, c);
}

static tsr_status measure_distances(map *m, int64_t threads)
{
    tsr_status status = TSR_OK;
    points p = {.value = NULL};
    TSR_TRY(gather_points(&p, m));
    TSR_NEW(m->value, p.cells * p.cells);
    p.out = m->value;
    tsr__parallel(p.cells, tsr__threads(threads, p.cells), measure_row, &p);
done:
    tsr__free(p.value);
    tsr__free(p.first);
    return status;
}

/* Pixels ---------------------------------------------------------------------------------- */

static void fill(const map *m, int64_t r, int64_t c, const unsigned char rgb[3])
{
    const side *a = m->across, *d = m->down;
    for (int64_t y = 0; y < d->zoom; y++) {
        unsigned char *to = m->pixel + 3 * ((d->at[r] + y) * a->length + a->at[c]);
        for (int64_t b = 0; b < 3 * a->zoom; b++)
            to[b] = rgb[b % 3];
    }
}

static tsr_status paint(map *m)
{
    tsr_status status = TSR_OK;
    const int64_t width = m->across->length, height = m->down->length;
    const int64_t columns = m->across->cells, rows = m->down->cells;
    double low = 0, high = 0;
    TSR_NEW(m->pixel, 3 * width * height);
    for (int64_t b = 0; b < 3 * width * height; b++)
        m->pixel[b] = line_colour[b % 3];
    for (int64_t i = 0; i < rows * columns; i++)
        if (isfinite(m->value[i])) {
            low = fmin(low, m->value[i]);
            high = fmax(high, m->value[i]);
        }
    for (int64_t i = 0; i < rows * columns; i++) {
        unsigned char rgb[3];
        tsr__heat_colour(rgb, high > low ? (m->value[i] - low) / (high - low) : 0);
        fill(m, i / columns, i % columns, isfinite(m->value[i]) ? rgb : no_number);
    }
    m->range[0] = low;
    m->range[1] = high;
done:
    return status;
}

static tsr_status draw(map *m, const tsr_labels *labels, bool distances, int64_t zoom,
                       int64_t threads)
{
    tsr_status status = TSR_OK;
    m->samples.count = m->codes->samples;
    TSR_TRY(group_samples(&m->samples, &m->order, labels));
    TSR_TRY(side_lay(&m->samples, zoom, FAIR_WIDTH));
    m->across = m->down = &m->samples;
    if (distances) {
        TSR_TRY(measure_distances(m, threads));
    } else {
        m->down = &m->entries;
        m->entries.count = m->codes->features;
        TSR_TRY(group_all(&m->entries));
        TSR_TRY(side_lay(&m->entries, zoom, FAIR_HEIGHT));
        TSR_TRY(average_codes(m));
    }
    TSR_TRY(paint(m));
done:
    return status;
}

static tsr_status check(const tsr_matrix *codes, const tsr_labels *labels, int64_t zoom,
                        int64_t threads)
{
    if (zoom < 0 || zoom > MOST_ZOOM)
        return tsr__fail(TSR_ERROR_ARGUMENT, "a zoom of %lld is outside 0 .. %d",
                         (long long)zoom, MOST_ZOOM);
    if (threads < 0)
        return tsr__fail(TSR_ERROR_ARGUMENT, "%lld threads are too few", (long long)threads);
    if (codes->samples == 0)
        return tsr__fail(TSR_ERROR_ARGUMENT, "there are no samples to draw");
    if (labels != NULL && labels->count != codes->samples)
        return tsr__fail(TSR_ERROR_ARGUMENT, "%lld labels do not fit codes of %lld samples",
                         (long long)labels->count, (long long)codes->samples);
    return tsr__matrix_need(codes, "a heat map");
}

tsr_status tsr_heat_write(const tsr_matrix *codes, const tsr_labels *labels, bool distances,
                          const char *path, int64_t zoom, int64_t threads, int64_t *size,
                          double *range)
{
    TSR_REQUIRE(codes);
    TSR_REQUIRE_TEXT(path);
    TSR_OR_RETURN(check(codes, labels, zoom, threads));
    tsr_status status = TSR_OK;
    map m = {.codes = codes};
    tsr__output output = {NULL, NULL, 0};
    TSR_TRY(tsr__output_begin(&output, path, false));
    TSR_TRY(draw(&m, labels, distances, zoom, threads));
    TSR_TRY(
        tsr__image_write_png(output.temporary, m.pixel, m.across->length, m.down->length, 3));
    TSR_TRY(tsr__output_commit(&output));
    if (size != NULL) {
        size[0] = m.across->length;
        size[1] = m.down->length;
        size[2] = m.samples.cells;
        size[3] = m.samples.groups - 1;
    }
    for (int i = 0; range != NULL && i < 2; i++)
        range[i] = m.range[i];
done:
    tsr__output_abandon(&output);
    map_clear(&m);
    return status < 0 ? tsr__fail_in(status, path) : status;
}
