/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Sheets: many small pictures as one. */
#ifndef TSR_IMAGE_SHEET_H
#define TSR_IMAGE_SHEET_H

#include "matrix/matrix.h"

/* Draws the rows of x, which are pictures, as a grid of `columns` (0: about square), `zoom` times
 * as large, and writes an 8-bit PNG to `path`. Zero is black; `white` is white, 0: the largest
 * value of each picture. */
tsr_status tsr__sheet_write(const char *path, const tsr_matrix *x, int64_t columns,
                            int64_t zoom, double white);

#endif
