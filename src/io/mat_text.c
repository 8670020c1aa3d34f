/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Texts as MATLAB keeps them: the rows of a char matrix, column-major, padded with blanks. */
#include "io/mat.h"

#include "base/text.h"
#include "base/utf8.h"
#include "io/array.h"

#include <string.h>

static uint32_t unit_at(const tsr__mat_text *text, int64_t i)
{
    const char *at = (const char *)text->units + i * text->item;
    uint32_t wide = 0;
    uint16_t half = 0;
    if (text->item == 1)
        return *(const unsigned char *)at;
    if (text->item == 2) {
        memcpy(&half, at, sizeof half);
        return half;
    }
    memcpy(&wide, at, sizeof wide);
    return wide;
}

/* Row `row` as UTF-8 without the blanks that pad it. `out` has room for 4 bytes a column and a
 * zero. */
static void put_row(char *out, const tsr__mat_text *text, int64_t row)
{
    char *end = out;
    for (int64_t j = 0; j < text->columns; j++) {
        uint32_t unit = unit_at(text, row + j * text->rows);
        if (unit == 0)
            break;
        if (text->bytes) {
            *end++ = (char)unit;
            continue;
        }
        if ((unit & 0xfffffc00) == 0xd800 && j + 1 < text->columns) {
            const uint32_t low = unit_at(text, row + (j + 1) * text->rows);
            if ((low & 0xfffffc00) == 0xdc00) {
                unit = 0x10000 + ((unit & 0x3ff) << 10 | (low & 0x3ff));
                j++;
            }
        }
        end += tsr__utf8_put(end, unit);
    }
    while (end > out && end[-1] == ' ')
        end--;
    *end = '\0';
}

tsr_status tsr__mat_add_rows(tsr__names *out, const tsr__mat_text *text)
{
    tsr_status status = TSR_OK;
    char *row = NULL;
    TSR_NEW(row, 4 * text->columns + 1);
    for (int64_t i = 0; i < text->rows; i++) {
        put_row(row, text, i);
        TSR_TRY(tsr__names_add(out, row));
    }
done:
    tsr__free(row);
    return status;
}
