/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Area averaging. Along an axis of `from` old and `to` new pixels, both lengths are cut into
 * from x to parts: an old pixel has `to` of them, a new one `from`. The weight of an old pixel
 * in a new one is the number of parts that they share, an integer, so weights add up to `from`
 * exactly and the mean of the picture stays what it was.
 *
 * Rows are added up first, then columns of the sum: O(old pixels + new height x old width). */
#include "image/codec.h"

#include <string.h>

/* Parts that new pixel `i` shares with old pixel `j`. */
static double shared(int64_t i, int64_t from, int64_t j, int64_t to)
{
    const int64_t start = i * from > j * to ? i * from : j * to;
    const int64_t end = (i + 1) * from < (j + 1) * to ? (i + 1) * from : (j + 1) * to;
    return (double)(end - start);
}

/* sum[x] = weighted sum of column x over the old rows that new row y covers. */
static void add_rows(double *sum, const tsr__image *image, int64_t y, int64_t height)
{
    const int64_t width = image->width, from = image->height;
    memset(sum, 0, (size_t)width * sizeof *sum);
    for (int64_t j = y * from / height; j * height < (y + 1) * from; j++) {
        const double weight = shared(y, from, j, height);
        const float *row = image->grey + j * width;
        for (int64_t x = 0; x < width; x++)
            sum[x] += weight * (double)row[x];
    }
}

static void add_columns(float *out, int64_t width, const double *sum, const tsr__image *image)
{
    const int64_t from = image->width;
    const double area = (double)from * (double)image->height;
    for (int64_t x = 0; x < width; x++) {
        double total = 0;
        for (int64_t j = x * from / width; j * width < (x + 1) * from; j++)
            total += shared(x, from, j, width) * sum[j];
        out[x] = (float)(total / area);
    }
}

tsr_status tsr__image_resize(tsr__image *out, const tsr__image *image, int64_t width,
                             int64_t height)
{
    tsr_status status = TSR_OK;
    tsr__image made = {0, 0, NULL};
    double *sum = NULL;
    TSR_TRY(tsr__image_create(&made, width, height));
    TSR_NEW(sum, image->width);
    for (int64_t y = 0; y < height; y++) {
        add_rows(sum, image, y, height);
        add_columns(made.grey + y * width, width, sum, image);
    }
    *out = made;
    made.grey = NULL;
done:
    tsr__free(sum);
    tsr__image_free(&made);
    return status;
}
