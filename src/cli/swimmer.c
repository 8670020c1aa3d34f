/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Draws the swimmer: lines of ones on zeros. */
#include "cli/pictures.h"

#include "base/memory.h"

enum { SIDE = 32, LIMBS = 4, POSITIONS = 4, PICTURES = 256, LIMB_LENGTH = 9 };

static void draw_line(double *picture, int row, int column, int down, int right, int length)
{
    for (int i = 0; i < length; i++)
        picture[(row + i * down) * SIDE + column + i * right] = 1;
}

/* Limbs hang at the corners of the torso; positions turn outwards from straight away. */
static void draw_limb(double *picture, int limb, int position)
{
    static const int row[LIMBS] = {11, 11, 20, 20}, column[LIMBS] = {14, 17, 14, 17};
    static const int step[POSITIONS][2] = {{-1, 0}, {-1, 1}, {0, 1}, {1, 1}}; /* upper right */
    const int up = limb < 2 ? 1 : -1, side = limb % 2 == 1 ? 1 : -1;
    draw_line(picture, row[limb], column[limb], up * step[position][0],
              side * step[position][1], LIMB_LENGTH);
}

static void draw_picture(double *picture, int number)
{
    draw_line(picture, 11, 15, 1, 0, 10);
    draw_line(picture, 11, 16, 1, 0, 10);
    for (int limb = 0; limb < LIMBS; limb++, number /= POSITIONS)
        draw_limb(picture, limb, number % POSITIONS);
}

tsr_status swimmer_draw(tsr_data **out)
{
    tsr_status status = TSR_OK;
    tsr_matrix *x = NULL;
    tsr_labels *labels = NULL;
    double *position = NULL;
    TSR_TRY(tsr_matrix_create(&x, PICTURES, SIDE * SIDE, TSR_FLOAT64));
    TSR_NEW(position, PICTURES);
    double *pixel = tsr_matrix_edit(x);
    for (int i = 0; i < PICTURES; i++) {
        draw_picture(pixel + i * SIDE * SIDE, i);
        position[i] = i % POSITIONS;
    }
    TSR_TRY(tsr_matrix_set_image(x, (tsr_image_shape){SIDE, SIDE, TSR_ROW_ORDER}));
    TSR_TRY(tsr_labels_from_numbers(&labels, position, PICTURES));
    TSR_TRY(tsr_data_take(out, x, labels));
    x = NULL, labels = NULL;
done:
    tsr_matrix_free(x);
    tsr_labels_free(labels);
    tsr__free(position);
    return status;
}
