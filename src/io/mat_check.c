/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Whether a .mat file is whole. matio makes up zeros for what is missing at the end of a file,
 * and passes on whatever its buffers hold where zlib finds a compressed variable damaged or a
 * variable holds less than it announces. So the chain of variables is followed here first, and
 * what is compressed is unpacked once for its checksum, through a buffer of fixed size:
 * O(variables and their parts, unpacked bytes).
 *
 *     version 4   20 bytes (type, rows, columns, imaginary?, length of name), name, numbers
 *     version 5   128 bytes, then for each variable 8 bytes (type 14, size) and `size` bytes
 *     compressed  type 15; the bytes are a zlib stream of a variable of type 14
 *     parts       class, dimensions, name, numbers, ... make up a variable; each has its own
 *                 8 bytes (type, size) and is padded to 8; up to 4 bytes fit into those 8
 *
 * Version 7.3 is HDF5, which looks after itself. */
#include "io/mat.h"

#include "io/file.h"

#include <string.h>
#include <zlib.h>

enum { HEAD_4 = 20, HEAD_5 = 128, TAG_5 = 8, MATRIX_5 = 14, COMPRESSED_5 = 15, FLAGS_5 = 6 };
enum { CELL = 1, CHAR = 4, FIRST_NUMBER = 6, LAST_NUMBER = 15 }; /* classes of version 5 */
enum { SCRATCH = 16384 };

/* Where the class and the dimensions are in a variable, of which four are kept. */
enum { CLASS_AT = 16, RANK_AT = 28, SHAPE_AT = 32, RANK_MOST = 4, KEPT = 48, DATA_PART = 4 };

/* A variable of version 5 of which the bytes pass by. */
typedef struct variable {
    int64_t number, at; /* from 1 on; byte of the file */
    bool swapped;
    int64_t passed;                 /* bytes so far */
    int64_t next, end;              /* where the next part begins and the last one ends */
    char tag[TAG_5], head[KEPT];    /* of the next part; of the variable */
    int64_t got, parts, type, size; /* bytes of `tag`; parts; the numbers' type and size */
} variable;

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

static tsr_status no_variable(int64_t at)
{
    return tsr__fail(TSR_ERROR_FORMAT, "byte %lld begins no variable", (long long)at);
}

static tsr_status damaged(const variable *v, const char *reason)
{
    return tsr__fail(TSR_ERROR_FORMAT, "variable %lld, at byte %lld, is damaged: %s",
                     (long long)v->number, (long long)v->at, reason);
}

/* Goes on from a tag that is complete to the next. */
static void enter(variable *v)
{
    const int64_t first = word(v->tag, v->swapped), within = first >> 16;
    const int64_t size = within != 0 ? within : word(v->tag + 4, v->swapped);
    if (++v->parts == DATA_PART) {
        v->type = first & 0xffff;
        v->size = size;
    }
    v->got = 0;
    v->end = v->next + (within != 0 ? TAG_5 / 2 : TAG_5) + size;
    v->next = within > TAG_5 / 2 ? INT64_MAX / 2 : (v->end + TAG_5 - 1) / TAG_5 * TAG_5;
}

static void follow(variable *v, const char *bytes, int64_t count)
{
    const int64_t end = v->passed + count;
    if (v->passed < KEPT)
        memcpy(v->head + v->passed, bytes, (size_t)(end < KEPT ? count : KEPT - v->passed));
    while (v->next + v->got < end) {
        v->tag[v->got] = bytes[v->next + v->got - v->passed];
        if (++v->got == TAG_5)
            enter(v);
    }
    v->passed = end;
}

/* Whether there are as many numbers, characters or cells as the dimensions say. */
static bool holds_all(const variable *v)
{
    static const int sizes[] = {1, 1, 1, 2, 2, 4, 4, 4, 1, 8, 1, 1, 8, 8, 1, 1, 1, 2, 4};
    const int64_t class = word(v->head + CLASS_AT, v->swapped) & 0xff;
    const int64_t rank = word(v->head + RANK_AT, v->swapped) / 4;
    const bool plain = class == CHAR || (class >= FIRST_NUMBER && class <= LAST_NUMBER);
    if ((!plain && class != CELL) || rank > RANK_MOST)
        return true;
    double bytes = !plain                                              ? TAG_5
                   : v->type < (int64_t)(sizeof sizes / sizeof *sizes) ? sizes[v->type]
                                                                       : 1;
    for (int64_t i = 0; i < rank; i++)
        bytes *= (double)word(v->head + SHAPE_AT + 4 * i, v->swapped);
    return bytes <= (double)(plain ? v->size : v->passed);
}

static tsr_status check_parts(const variable *v)
{
    const char *head = v->head;
    if (word(head, v->swapped) != MATRIX_5 || TAG_5 + word(head + 4, v->swapped) > v->passed)
        return damaged(v, "it does not unpack to a whole variable");
    if (v->passed == TAG_5)
        return TSR_OK;
    if (word(head + 8, v->swapped) != FLAGS_5 || word(head + 12, v->swapped) != 8)
        return damaged(v, "it does not begin with its class");
    if (v->got != 0 || v->end > v->passed || v->next >= INT64_MAX / 2)
        return damaged(v, "one of its parts is longer than the variable");
    if (!holds_all(v))
        return damaged(v, "it holds less than its dimensions say");
    return TSR_OK;
}

static voidpf take(voidpf opaque, uInt count, uInt size)
{
    (void)opaque;
    return tsr__alloc(count, size);
}

static void give_back(voidpf opaque, voidpf memory)
{
    (void)opaque;
    tsr__free(memory);
}

/* Unpacks the variable that `stream` has as its input. */
static tsr_status unpack(variable *v, z_stream *stream)
{
    char scratch[SCRATCH];
    int result = inflateReset(stream);
    while (result == Z_OK) {
        stream->next_out = (Bytef *)scratch;
        stream->avail_out = SCRATCH;
        result = inflate(stream, Z_NO_FLUSH);
        follow(v, scratch, SCRATCH - (int64_t)stream->avail_out);
    }
    if (result == Z_MEM_ERROR)
        return TSR_ERROR_MEMORY; /* with the message of take */
    if (result == Z_BUF_ERROR)
        return damaged(v, "its compressed data are cut off");
    if (result != Z_STREAM_END)
        return damaged(v, stream->msg != NULL ? stream->msg : "zlib cannot unpack it");
    /* Fewer may be padding; in more another variable would go unnoticed. */
    if (stream->avail_in >= TAG_5)
        return damaged(v, "its compressed data end early");
    return TSR_OK;
}

static tsr_status walk_5(const tsr__input *input, bool swapped)
{
    tsr_status status = TSR_OK;
    z_stream stream = {.zalloc = take, .zfree = give_back};
    int64_t number = 1, at = HEAD_5;

    if (inflateInit(&stream) != Z_OK)
        TSR_FAIL(TSR_ERROR_MEMORY, "zlib cannot begin");
    for (; at < input->size; number++) {
        variable v = {.number = number, .at = at, .swapped = swapped, .next = TAG_5};
        char *tag = input->bytes + at;
        const int64_t left = input->size - at;
        if (left < TAG_5)
            TSR_TRY(cut_off(at, TAG_5, left));
        const int64_t type = word(tag, swapped), size = word(tag + 4, swapped);
        if (type != MATRIX_5 && type != COMPRESSED_5)
            TSR_TRY(no_variable(at));
        if (size > left - TAG_5)
            TSR_TRY(cut_off(at, (double)(TAG_5 + size), left));
        stream.next_in = (Bytef *)tag + TAG_5;
        stream.avail_in = (uInt)size;
        if (type == COMPRESSED_5)
            TSR_TRY(unpack(&v, &stream));
        else
            follow(&v, tag, TAG_5 + size);
        TSR_TRY(check_parts(&v));
        at += TAG_5 + size;
    }
done:
    (void)inflateEnd(&stream);
    return status;
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
            return no_variable(at);
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
