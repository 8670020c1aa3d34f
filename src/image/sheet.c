/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Sheets: pictures in a grid with a grey gap. */
#include "image/sheet.h"

#include "image/image.h"

#include <math.h>
#include <string.h>

enum { GAP = 2, GAP_GREY = 96 };

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

tsr_status tsr__sheet_write(const char *path, const tsr_matrix *x, int64_t columns,
                            int64_t zoom, double white)
{
    tsr_status status = TSR_OK;
    const tsr_image_shape shape = tsr_matrix_image(x);
    const int64_t count = tsr_matrix_samples(x);
    canvas c = {.zoom = zoom, .white = white};
    double *picture = NULL;
    if (shape.height == 0)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "the samples are no pictures: say --image-shape HxW");
    if (columns == 0)
        columns = (int64_t)ceil(sqrt((double)count));
    columns = columns < count ? columns : count;
    const int64_t lines = (count + columns - 1) / columns;
    c.width = columns * (shape.width * zoom + GAP) + GAP;
    c.height = lines * (shape.height * zoom + GAP) + GAP;
    TSR_NEW(c.pixel, c.width * c.height);
    TSR_NEW(picture, tsr_matrix_features(x));
    memset(c.pixel, GAP_GREY, (size_t)(c.width * c.height));
    for (int64_t i = 0; i < count; i++) {
        tsr_matrix_get_sample(picture, x, i);
        draw(&c, picture, shape, GAP + i / columns * (shape.height * zoom + GAP),
             GAP + i % columns * (shape.width * zoom + GAP));
    }
    TSR_TRY(tsr__image_write_png(path, c.pixel, c.width, c.height, 1));
done:
    tsr__free(c.pixel);
    tsr__free(picture);
    return status;
}
