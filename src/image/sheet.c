/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Sheets: pictures in a grid with a grey gap. */
#include "base/output.h"
#include "image/image.h"
#include "matrix/matrix.h"

#include <math.h>
#include <string.h>

enum { GAP = 2, GAP_GREY = 96, MOST_ZOOM = 64 };

typedef struct canvas {
    unsigned char *pixel;
    int64_t width, height, zoom;
    double white; /* 0: each picture its own */
} canvas;

/* Pixel (row, column) of a picture, whichever way it is stored. */
static double pixel_at(const double *picture, tsr_image_shape shape, int64_t row,
                       int64_t column)
{
    return picture[shape.order == TSR_COLUMN_ORDER ? column * shape.height + row
                                                   : row * shape.width + column];
}

static void draw(const canvas *c, const double *picture, tsr_image_shape shape, int64_t top,
                 int64_t left)
{
    double most = c->white;
    for (int64_t j = 0; !(c->white > 0) && j < shape.height * shape.width; j++)
        most = picture[j] > most ? picture[j] : most;
    for (int64_t row = 0; row < shape.height * c->zoom; row++)
        for (int64_t column = 0; column < shape.width * c->zoom; column++) {
            const double v = pixel_at(picture, shape, row / c->zoom, column / c->zoom);
            const double grey = most > 0 && v > 0 ? 255 * fmin(v / most, 1) : 0;
            c->pixel[(top + row) * c->width + left + column] = (unsigned char)(grey + 0.5);
        }
}

/* The whole sheet; c->zoom and c->white are set. */
static tsr_status lay_out(canvas *c, const tsr_matrix *x, int64_t columns)
{
    tsr_status status = TSR_OK;
    const tsr_image_shape shape = tsr_matrix_image(x);
    const int64_t count = tsr_matrix_samples(x), zoom = c->zoom;
    double *picture = NULL;
    if (columns == 0)
        columns = (int64_t)ceil(sqrt((double)count));
    columns = columns < count ? columns : count;
    const int64_t lines = (count + columns - 1) / columns;
    c->width = columns * (shape.width * zoom + GAP) + GAP;
    c->height = lines * (shape.height * zoom + GAP) + GAP;
    TSR_NEW(c->pixel, c->width * c->height);
    TSR_NEW(picture, tsr_matrix_features(x));
    memset(c->pixel, GAP_GREY, (size_t)(c->width * c->height));
    for (int64_t i = 0; i < count; i++) {
        tsr_matrix_get_sample(picture, x, i);
        draw(c, picture, shape, GAP + i / columns * (shape.height * zoom + GAP),
             GAP + i % columns * (shape.width * zoom + GAP));
    }
done:
    tsr__free(picture);
    return status;
}

static tsr_status check(const tsr_matrix *pictures, int64_t columns, int64_t zoom)
{
    if (columns < 0)
        return tsr__fail(TSR_ERROR_ARGUMENT, "%lld pictures in a line are too few",
                         (long long)columns);
    if (zoom < 1 || zoom > MOST_ZOOM)
        return tsr__fail(TSR_ERROR_ARGUMENT, "a zoom of %lld is outside 1 .. %d",
                         (long long)zoom, MOST_ZOOM);
    if (pictures->samples == 0 || pictures->image.height == 0)
        return tsr__fail(TSR_ERROR_ARGUMENT,
                         "the samples are no pictures: say --image-shape HxW");
    return TSR_OK;
}

tsr_status tsr_sheet_write(const tsr_matrix *pictures, const char *path, int64_t columns,
                           int64_t zoom, bool alike)
{
    TSR_REQUIRE(pictures);
    TSR_REQUIRE_TEXT(path);
    TSR_OR_RETURN(check(pictures, columns, zoom));
    tsr_status status = TSR_OK;
    canvas c = {.zoom = zoom};
    tsr_scan scan;
    tsr__output output = {NULL, NULL, 0};
    TSR_TRY(tsr_matrix_scan(&scan, pictures));
    c.white = alike ? scan.maximum : 0;
    TSR_TRY(tsr__output_begin(&output, path, false));
    TSR_TRY(lay_out(&c, pictures, columns));
    TSR_TRY(tsr__image_write_png(output.temporary, c.pixel, c.width, c.height, 1));
    TSR_TRY(tsr__output_commit(&output));
done:
    tsr__output_abandon(&output);
    tsr__free(c.pixel);
    return status < 0 ? tsr__fail_in(status, path) : status;
}
