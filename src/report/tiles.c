/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Sheets of small pictures; large ones are reduced by area averaging. */
#include "report/tiles.h"

#include "image/image.h"

#include <math.h>
#include <stdio.h>

tsr_status tsr__tiles_open(tsr__tiles *out, tsr_image_shape shape, int64_t count,
                           int64_t columns, int64_t longest)
{
    tsr_status status = TSR_OK;
    const int64_t side = shape.height > shape.width ? shape.height : shape.width;
    const double reduce = side > longest ? (double)longest / (double)side : 1;
    tsr__tiles t = {.shape = shape, .columns = columns, .count = count};
    t.width = (int64_t)fmax(1, round(reduce * (double)shape.width));
    t.height = (int64_t)fmax(1, round(reduce * (double)shape.height));
    const int64_t lines = (count + columns - 1) / columns;
    TSR_NEW_ZERO(t.pixel, lines * columns * t.width * t.height);
    *out = t;
done:
    return status;
}

void tsr__tiles_clear(tsr__tiles *tiles)
{
    tsr__free(tiles->pixel);
}

/* Grey values of the picture at its own size, row by row. */
static void shade(float *grey, const tsr__tiles *t, const double *values, double white,
                  bool both_signs)
{
    const int64_t height = t->shape.height, width = t->shape.width;
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++) {
            const double v =
                values[t->shape.order == TSR_COLUMN_ORDER ? x * height + y : y * width + x];
            const double part = white > 0 && isfinite(v) ? v / white : 0;
            const double of_white = both_signs ? (part + 1) / 2 : part;
            grey[y * width + x] = (float)(255 * fmin(fmax(of_white, 0), 1));
        }
}

tsr_status tsr__tiles_draw(const tsr__tiles *tiles, int64_t i, const double *values,
                           double white, bool both_signs)
{
    tsr_status status = TSR_OK;
    const bool own = !(white > 0);
    tsr__image whole = {tiles->shape.width, tiles->shape.height, NULL}, small = {0, 0, NULL};
    TSR_NEW(whole.grey, whole.width * whole.height);
    for (int64_t j = 0; own && j < whole.width * whole.height; j++)
        white = fmax(white, fabs(values[j])); /* NaN is passed over */
    shade(whole.grey, tiles, values, white, both_signs);
    const tsr__image *drawn = &whole;
    if (whole.width != tiles->width || whole.height != tiles->height) {
        TSR_TRY(tsr__image_resize(&small, &whole, tiles->width, tiles->height));
        drawn = &small;
    }
    const int64_t across = tiles->columns * tiles->width;
    unsigned char *corner = tiles->pixel + i / tiles->columns * tiles->height * across +
                            i % tiles->columns * tiles->width;
    for (int64_t y = 0; y < tiles->height; y++)
        for (int64_t x = 0; x < tiles->width; x++)
            corner[y * across + x] = (unsigned char)(drawn->grey[y * tiles->width + x] + 0.5F);
done:
    tsr__image_free(&whole);
    tsr__image_free(&small);
    return status;
}

double tsr__tiles_zoom(const tsr__tiles *tiles, double side)
{
    const double zoom = side / (double)tiles->width;
    return zoom > 1 ? floor(zoom) : zoom;
}

void tsr__tiles_show(tsr_page *page, const tsr__tiles *tiles, double zoom, const char *id,
                     const char *alt)
{
    char whole[80];
    const int64_t lines = (tiles->count + tiles->columns - 1) / tiles->columns;
    tsr__json *sheet = tsr__page_sheet(page, id);
    tsr__json_integer(sheet, "count", tiles->count);
    tsr__json_integer(sheet, "columns", tiles->columns);
    tsr__json_integer(sheet, "width", tiles->width);
    tsr__json_integer(sheet, "height", tiles->height);
    (void)snprintf(whole, sizeof whole, "picture-%s", id);
    tsr__page_picture(page, tiles->pixel, tiles->columns * tiles->width, lines * tiles->height,
                      1, zoom, whole, alt);
}

void tsr__tiles_show_one(tsr_page *page, const tsr__tiles *tiles, int64_t i, double zoom,
                         const char *alt)
{
    tsr__page_picture(page, tiles->pixel + i * tiles->height * tiles->width, tiles->width,
                      tiles->height, 1, zoom, NULL, alt);
}
