/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Tiles: samples or basis vectors drawn as small grey pictures of one size on a sheet without gaps. */
#ifndef TSR_REPORT_TILES_H
#define TSR_REPORT_TILES_H

#include "matrix/matrix.h"
#include "report/page.h"

typedef struct tsr__tiles {
    tsr_image_shape shape; /* of what is drawn */
    int64_t width, height; /* of a tile */
    int64_t columns, count;
    unsigned char *pixel;
} tsr__tiles;

/* Room for `count` of them, black; a side of more than `longest` pixels is made shorter. */
tsr_status tsr__tiles_open(tsr__tiles *out, tsr_image_shape shape, int64_t count,
                           int64_t columns, int64_t longest);
void tsr__tiles_clear(tsr__tiles *tiles);

/* Draws tile i. White is the value `white` (0: the largest of its own), black zero; or, for values of
 * both signs, both sides are alike and zero is mid-grey. */
tsr_status tsr__tiles_draw(const tsr__tiles *tiles, int64_t i, const double *values,
                           double white, bool both_signs);

/* CSS pixels a pixel that make a tile about `side` wide. */
double tsr__tiles_zoom(const tsr__tiles *tiles, double side);

/* Into the page: the sheet as #picture-ID, which charts know by `id`; or one tile of a sheet of one
 * column. */
void tsr__tiles_show(tsr_page *page, const tsr__tiles *tiles, double zoom, const char *id,
                     const char *alt);
void tsr__tiles_show_one(tsr_page *page, const tsr__tiles *tiles, int64_t i, double zoom,
                         const char *alt);

#endif
