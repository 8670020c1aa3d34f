/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Whether a .mat file of version 4 is whole, and what its sparse matrices take: O(variables).
 *
 *     20 bytes (type, rows, columns, imaginary?, length of name), name, numbers */
#include "io/mat.h"

#include <string.h>

enum { HEAD_4 = 20 };

int64_t tsr__mat_word(const char *at, bool swapped)
{
    uint32_t bits;
    memcpy(&bits, at, sizeof bits);
    return swapped ? __builtin_bswap32(bits) : bits;
}

tsr_status tsr__mat_cut_off(int64_t at, double wanted, int64_t left)
{
    return tsr__fail(
        TSR_ERROR_FORMAT,
        "is cut off: the variable at byte %lld takes %.17g bytes, but %lld are left",
        (long long)at, wanted, (long long)left);
}

tsr_status tsr__mat_no_variable(int64_t at)
{
    return tsr__fail(TSR_ERROR_FORMAT, "byte %lld begins no variable", (long long)at);
}

/* A variable of version 4; its type has the digits MOPT, M the byte order, P the numbers and T
 * 2 where the matrix is sparse. */
typedef struct variable_4 {
    bool swapped;
    int64_t type, rows, columns, name;
    int parts; /* 2: complex */
} variable_4;

static const tsr__element elements_4[] = {TSR_ELEMENT_FLOAT64, TSR_ELEMENT_FLOAT32,
                                          TSR_ELEMENT_INT32,   TSR_ELEMENT_INT16,
                                          TSR_ELEMENT_UINT16,  TSR_ELEMENT_UINT8};

static tsr__element element_4(const variable_4 *v)
{
    const size_t known = sizeof elements_4 / sizeof *elements_4;
    const size_t digit = (size_t)(v->type / 10 % 10);
    return digit < known ? elements_4[digit] : TSR_ELEMENT_UINT8;
}

static double size_4(const variable_4 *v)
{
    const double numbers = (double)v->rows * (double)v->columns * v->parts;
    return HEAD_4 + (double)v->name + numbers * (double)tsr__element_size(element_4(v));
}

/* The shape of a sparse matrix is the last row of its list of entries (row, column, value). */
static tsr_status check_sparse_4(const variable_4 *v, const char *bytes,
                                 const tsr__bound *bound)
{
    double shape[2] = {0, 0};
    const tsr__element element = element_4(v);
    const tsr__array list = {.element = element,
                             .item = tsr__element_size(element),
                             .swapped = v->swapped,
                             .data = (char *)(uintptr_t)(bytes + HEAD_4 + v->name)};
    if (v->type % 10 != 2 || v->rows < 1 || v->columns < 2)
        return TSR_OK;
    for (int i = 0; i < 2; i++)
        tsr__array_get(&shape[i], 1, &list, (i + 1) * v->rows - 1, 1);
    return tsr__bound_check_sparse(bound, shape[0], shape[1], (double)v->rows);
}

tsr_status tsr__mat_check_4(const char *file, int64_t size, const tsr__bound *bound)
{
    tsr_status status = TSR_OK;
    if (size < HEAD_4)
        return TSR_OK; /* matio will say that this is no such file */
    for (int64_t at = 0; at < size;) {
        const int64_t left = size - at;
        if (left < HEAD_4)
            TSR_TRY(tsr__mat_cut_off(at, HEAD_4, left));
        const char *bytes = file + at;
        const bool swapped = tsr__mat_word(bytes, false) > 9999;
        const variable_4 v = {.swapped = swapped,
                              .type = tsr__mat_word(bytes, swapped),
                              .rows = tsr__mat_word(bytes + 4, swapped),
                              .columns = tsr__mat_word(bytes + 8, swapped),
                              .parts = tsr__mat_word(bytes + 12, swapped) != 0 ? 2 : 1,
                              .name = tsr__mat_word(bytes + 16, swapped)};
        if (v.type > 9999)
            TSR_TRY(tsr__mat_no_variable(at));
        const double wanted = size_4(&v);
        if (wanted > (double)left)
            TSR_TRY(tsr__mat_cut_off(at, wanted, left));
        TSR_TRY(check_sparse_4(&v, bytes, bound));
        at += (int64_t)wanted;
    }
done:
    return status;
}
