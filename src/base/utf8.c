/* SPDX-License-Identifier: BSD-2-Clause
 *
 * UTF-8 strictly: neither overlong forms, nor surrogates, nor beyond 10FFFF. */
#include "base/utf8.h"

#include "base/memory.h"

#include <string.h>

int tsr__utf8_put(char *out, uint32_t point)
{
    if (point > 0x10ffff || (point >= 0xd800 && point < 0xe000))
        point = 0xfffd;
    if (point < 0x80) {
        out[0] = (char)point;
        return 1;
    }
    const int more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
    out[0] = (char)(lead[more] | point >> (6 * more));
    for (int i = 1; i <= more; i++)
        out[i] = (char)(0x80 | (point >> (6 * (more - i)) & 0x3f));
    return more + 1;
}

const char *tsr__utf8_get(uint32_t *point, const char *at)
{
    const unsigned char first = (unsigned char)*at++;
    const int more = first < 0x80 ? 0 : first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    uint32_t value = more == 0 ? first : first & (0x3fu >> more);
    bool valid = first < 0x80 || (first >= 0xc0 && first < 0xf8);
    for (int i = 0; valid && i < more; i++) {
        const unsigned char next = (unsigned char)at[i];
        valid = (next & 0xc0) == 0x80;
        value = value << 6 | (next & 0x3fu);
    }
    valid = valid && value >= least[more] && value <= 0x10ffff &&
            !(value >= 0xd800 && value < 0xe000);
    *point = valid ? value : 0xfffd;
    return valid ? at + more : at;
}

char *tsr__utf8_copy(const char *text)
{
    enum { MOST = 3 }; /* bytes that one byte which is no UTF-8 becomes */
    char *copy = tsr__alloc((int64_t)strlen(text) * MOST + 1, 1), *end = copy;
    uint32_t point = 0;
    if (copy == NULL)
        return NULL;
    while (*text != '\0') {
        text = tsr__utf8_get(&point, text);
        end += tsr__utf8_put(end, point);
    }
    *end = '\0';
    return copy;
}
