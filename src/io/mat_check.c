/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Whether a .mat file is whole. matio makes up zeros for what is missing at the end of a file,
 * so the chain of variables is followed here first: O(variables).
 *
 *     version 4   20 bytes (type, rows, columns, imaginary?, length of name), name, numbers
 *     version 5   128 bytes, then for each variable 8 bytes (type, size) and `size` bytes
 *
 * Version 7.3 is HDF5, which looks after itself. */
#include "io/mat.h"

#include "io/file.h"

#include <string.h>

enum { HEAD_4 = 20, HEAD_5 = 128, TAG_5 = 8 };

static int64_t word(const char *at, bool swapped)
{
    uint32_t bits;
    memcpy(&bits, at, sizeof bits);
    return swapped ? __builtin_bswap32(bits) : bits;
}

static tsr_status cut_off(int64_t at, double wanted, int64_t left)
{
    return tsr__fail(
        TSR_ERROR_FORMAT,
        "is cut off: the variable at byte %lld takes %.17g bytes, but %lld are left",
        (long long)at, wanted, (long long)left);
}

static tsr_status walk_5(const tsr__input *input, bool swapped)
{
    for (int64_t at = HEAD_5; at < input->size;) {
        const int64_t left = input->size - at;
        const int64_t wanted =
            left < TAG_5 ? TAG_5 : TAG_5 + word(input->bytes + at + 4, swapped);
        if (wanted > left)
            return cut_off(at, (double)wanted, left);
        at += wanted;
    }
    return TSR_OK;
}

/* Bytes of one variable of version 4; its type has the digits MOPT, M the byte order and P the
 * numbers. */
static double size_4(const char *at, int64_t type, bool swapped)
{
    static const int sizes[] = {8, 4, 4, 2, 2, 1, 1, 1, 1, 1};
    const double numbers = (double)word(at + 4, swapped) * (double)word(at + 8, swapped);
    const double parts = word(at + 12, swapped) != 0 ? 2 : 1;
    return HEAD_4 + (double)word(at + 16, swapped) + numbers * parts * sizes[type / 10 % 10];
}

static tsr_status walk_4(const tsr__input *input)
{
    for (int64_t at = 0; at < input->size;) {
        const int64_t left = input->size - at;
        if (left < HEAD_4)
            return cut_off(at, HEAD_4, left);
        const char *head = input->bytes + at;
        const bool swapped = word(head, false) > 9999;
        const int64_t type = word(head, swapped);
        if (type > 9999)
            return tsr__fail(TSR_ERROR_FORMAT, "byte %lld begins no variable", (long long)at);
        const double wanted = size_4(head, type, swapped);
        if (wanted > (double)left)
            return cut_off(at, wanted, left);
        at += (int64_t)wanted;
    }
    return TSR_OK;
}

tsr_status tsr__mat_check(const char *path)
{
    tsr_status status = TSR_OK;
    tsr__input input = {NULL, 0, false};

    TSR_TRY(tsr__input_open(&input, path));
    const char *mark = input.size >= HEAD_5 ? input.bytes + HEAD_5 - 4 : "none";
    const bool native = memcmp(mark, "\0\1IM", 4) == 0,
               swapped = memcmp(mark, "\1\0MI", 4) == 0;
    if (native || swapped)
        TSR_TRY(walk_5(&input, swapped != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)));
    else if (input.size >= HEAD_4 && memchr(input.bytes, 0, 4) != NULL)
        TSR_TRY(walk_4(&input));
done:
    tsr__input_close(&input);
    return status;
}
