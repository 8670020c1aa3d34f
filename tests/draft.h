/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Files in the making, byte by byte: .mat variables, zip archives, PNG. Sizes and shapes are what
 * the caller says, whatever the bytes are. */
#ifndef TSR_TESTS_DRAFT_H
#define TSR_TESTS_DRAFT_H

#include "folder.h"

#include <zlib.h>

typedef struct draft {
    unsigned char *bytes;
    size_t size, room;
} draft;

static inline void add(draft *to, const void *bytes, size_t size)
{
    if (to->size + size > to->room) {
        to->room = 2 * (to->size + size) + 64;
        to->bytes = realloc(to->bytes, to->room);
        assert_non_null(to->bytes);
    }
    if (size > 0)
        memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
}

static inline void discard(draft *d)
{
    free(d->bytes);
    *d = (draft){0};
}

static inline void add_words(draft *to, uint32_t first, uint32_t second)
{
    const uint32_t words[2] = {first, second};
    add(to, words, sizeof words);
}

static inline void set_word(draft *to, size_t at, size_t value)
{
    const uint32_t bits = (uint32_t)value;
    memcpy(to->bytes + at, &bits, sizeof bits);
}

/* .mat, version 5: little-endian, as are the machines that run the tests. */
enum { CELL = 1, STRUCT = 2, CHAR = 4, SPARSE = 5, DOUBLE = 6, FUNCTION = 16, OPAQUE = 17 };

static inline void begin_mat(draft *to)
{
    char head[128];
    memset(head, ' ', sizeof head);
    memcpy(head + 124, "\0\1IM", 4);
    add(to, head, sizeof head);
}

static inline void add_part(draft *to, uint32_t type, const void *bytes, size_t size)
{
    static const char zeros[8];
    add_words(to, type, (uint32_t)size);
    add(to, bytes, size);
    add(to, zeros, (8 - size % 8) % 8);
}

/* Begins a variable; what is added up to end_variable is in it. */
static inline size_t begin_variable(draft *to, uint32_t class, uint32_t rows, uint32_t columns,
                                    const char *name)
{
    const size_t start = to->size;
    const uint32_t shape[2] = {rows, columns};
    add_words(to, 14, 0);
    add_words(to, 6, 8);
    add_words(to, class, 1);
    add_part(to, 5, shape, sizeof shape);
    add_part(to, 1, name, strlen(name));
    return start;
}

static inline void end_variable(draft *to, size_t start)
{
    set_word(to, start + 4, to->size - start - 8);
}

/* One double, whatever the shape says. */
static inline void add_double(draft *to, uint32_t rows, uint32_t columns, const char *name)
{
    const double one = 1;
    const size_t start = begin_variable(to, DOUBLE, rows, columns, name);
    add_part(to, 9, &one, sizeof one);
    end_variable(to, start);
}

static inline void add_fields(draft *to, uint32_t length, const char *names, size_t size)
{
    add_words(to, 4 << 16 | 5, length);
    add_part(to, 1, names, size);
}

/* Packs what is from `start` on, as a variable of type 15 or as it is. */
static inline void pack(draft *to, size_t start, bool tag)
{
    uLongf size = compressBound(to->size - start);
    unsigned char *packed = malloc(size);
    assert_non_null(packed);
    assert_int_equal(compress2(packed, &size, to->bytes + start, to->size - start, 6), Z_OK);
    to->size = start;
    if (tag)
        add_words(to, 15, (uint32_t)size);
    add(to, packed, size);
    free(packed);
}

/* An .npz: entries one by one, then the directory. */
typedef struct zip {
    draft file, directory;
    uint16_t entries;
} zip;

static inline void add_short(draft *to, unsigned value)
{
    const uint16_t bits = (uint16_t)value;
    add(to, &bits, sizeof bits);
}

/* What local heads and the directory say alike: versions, deflate, checksum, sizes, name. */
static inline void add_zip_facts(draft *to, uint32_t sum, size_t packed, size_t size,
                                 const char *name)
{
    for (int i = 0; i < 5; i++)
        add_short(to, i == 0 ? 20 : i == 2 ? 8 : 0);
    add_words(to, sum, (uint32_t)packed);
    add_words(to, (uint32_t)size, (uint32_t)strlen(name));
}

/* `size` bytes, of which a .npy head comes first and zeros follow; `claim` is what it says. */
static inline void add_entry(zip *to, const char *name, const draft *content, size_t claim)
{
    draft body = {0};
    const uint32_t sum = (uint32_t)crc32(0, content->bytes, (uInt)content->size);
    const size_t at = to->file.size;
    add(&body, content->bytes, content->size);
    pack(&body, 0, false);
    const size_t packed = body.size - 6; /* without zlib's head and checksum */
    add(&to->file, "PK\3\4", 4);
    add_zip_facts(&to->file, sum, packed, claim, name);
    add(&to->file, name, strlen(name));
    add(&to->file, body.bytes + 2, packed);
    add(&to->directory, "PK\1\2\24\0", 6);
    add_zip_facts(&to->directory, sum, packed, claim, name);
    for (int i = 0; i < 5; i++)
        add_short(&to->directory, 0);
    add_short(&to->directory, (unsigned)(at & 0xffff));
    add_short(&to->directory, (unsigned)(at >> 16));
    add(&to->directory, name, strlen(name));
    to->entries++;
    discard(&body);
}

static inline void end_zip(zip *z)
{
    const size_t at = z->file.size;
    add(&z->file, z->directory.bytes, z->directory.size);
    add(&z->file, "PK\5\6\0\0\0\0", 8);
    add_short(&z->file, z->entries);
    add_short(&z->file, z->entries);
    add_words(&z->file, (uint32_t)z->directory.size, (uint32_t)at);
    add_short(&z->file, 0);
    discard(&z->directory);
}

/* A .npy with `bytes` of values, or as many zeros. */
static inline void make_npy(draft *to, const char *type, const char *shape, const void *values,
                            size_t bytes)
{
    char head[128];
    memset(head, ' ', sizeof head);
    memcpy(head, "\x93NUMPY\1\0\166\0", 10);
    const int used =
        snprintf(head + 10, sizeof head - 10,
                 "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", type, shape);
    head[10 + used] = ' ';
    head[127] = '\n';
    add(to, head, sizeof head);
    unsigned char *zeros = calloc(1, bytes + 1);
    assert_non_null(zeros);
    add(to, values != NULL ? values : zeros, bytes);
    free(zeros);
}

/* A PNG of one bit a pixel, all black. */
static inline void add_chunk(draft *to, const char *name, const void *bytes, size_t size)
{
    const uint32_t length = __builtin_bswap32((uint32_t)size);
    const size_t start = to->size + 4;
    add(to, &length, sizeof length);
    add(to, name, 4);
    add(to, bytes, size);
    const uint32_t sum =
        __builtin_bswap32((uint32_t)crc32(0, to->bytes + start, (uInt)(to->size - start)));
    add(to, &sum, sizeof sum);
}

static inline void make_png(draft *to, uint32_t width, uint32_t height)
{
    unsigned char head[13] = {[8] = 1};
    const uint32_t sizes[2] = {__builtin_bswap32(width), __builtin_bswap32(height)};
    draft rows = {0};
    memcpy(head, sizes, sizeof sizes);
    rows.size = rows.room = (size_t)(width / 8 + 1) * height;
    rows.bytes = calloc(1, rows.size);
    assert_non_null(rows.bytes);
    pack(&rows, 0, false);
    add(to, "\x89PNG\r\n\x1a\n", 8);
    add_chunk(to, "IHDR", head, sizeof head);
    add_chunk(to, "IDAT", rows.bytes, rows.size);
    add_chunk(to, "IEND", "", 0);
    discard(&rows);
}

#endif
