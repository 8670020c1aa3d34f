/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The orientation of photographs: where EXIF keeps it, and how to undo it.
 *
 * EXIF is a TIFF file: "II*\0" or "MM\0*" for the byte order, the position of the first
 * directory, there a count of entries and 12 bytes each: tag, type, count, value. Positions
 * count from the TIFF header. */
#include "image/codec.h"

#include <string.h>

typedef struct tiff {
    const unsigned char *bytes;
    int64_t size;
    bool big; /* high byte first */
} tiff;

/* A number of 2 or 4 bytes; -1 beyond the end. */
static int64_t number(const tiff *file, int64_t at, int length)
{
    if (at < 0 || at > file->size - length)
        return -1;
    int64_t value = 0;
    for (int i = 0; i < length; i++)
        value = value << 8 | file->bytes[file->big ? at + i : at + length - 1 - i];
    return value;
}

int tsr__exif_orientation(const unsigned char *bytes, int64_t size)
{
    enum { ORIENTATION = 0x112, SHORT = 3, ENTRY = 12 };
    if (size < 8 || (memcmp(bytes, "II*\0", 4) != 0 && memcmp(bytes, "MM\0*", 4) != 0))
        return 1;
    const tiff file = {bytes, size, bytes[0] == 'M'};
    const int64_t directory = number(&file, 4, 4);
    const int64_t entries = number(&file, directory, 2);
    for (int64_t i = 0; i < entries; i++) {
        const int64_t entry = directory + 2 + i * ENTRY;
        if (number(&file, entry, 2) != ORIENTATION)
            continue;
        const int64_t value = number(&file, entry + 8, 2);
        const bool sane = number(&file, entry + 2, 2) == SHORT && value >= 1 && value <= 8;
        return sane ? (int)value : 1;
    }
    return 1;
}

tsr_status tsr__image_orient(tsr__image *image, int orientation)
{
    static const struct {
        bool swapped; /* columns of the stored picture are rows of the upright one */
        bool right_left, bottom_up; /* the stored picture is then walked backwards */
    } ways[9] = {
        [2] = {false, true, false}, [3] = {false, true, true}, [4] = {false, false, true},
        [5] = {true, false, false}, [6] = {true, false, true}, [7] = {true, true, true},
        [8] = {true, true, false},
    };
    if (orientation < 2 || orientation > 8)
        return TSR_OK;
    const int64_t width = image->width, height = image->height;
    const bool swapped = ways[orientation].swapped;
    tsr__image upright;
    const tsr_status status =
        tsr__image_create(&upright, swapped ? height : width, swapped ? width : height);
    if (status < 0)
        return status;

    const int64_t along = ways[orientation].right_left ? -1 : 1;
    const int64_t down = ways[orientation].bottom_up ? -width : width;
    const int64_t start = (along < 0 ? width - 1 : 0) + (down < 0 ? (height - 1) * width : 0);
    const int64_t step_x = swapped ? down : along, step_y = swapped ? along : down;
    for (int64_t y = 0; y < upright.height; y++)
        for (int64_t x = 0; x < upright.width; x++)
            upright.grey[y * upright.width + x] = image->grey[start + x * step_x + y * step_y];
    tsr__image_free(image);
    *image = upright;
    return TSR_OK;
}
