/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Whether a .mat file is whole, and what it would take to read it. matio makes up zeros for what
 * is missing at the end of a file, passes on whatever its buffers hold where zlib finds a
 * compressed variable damaged or a variable holds less than it announces, and asks for the memory
 * that the dimensions of any cell call for. So every variable is walked here first, down to the
 * last cell, in the steps that matio takes; what is compressed is unpacked once for its checksum,
 * through a buffer of fixed size: O(variables and their parts, unpacked bytes).
 *
 *     version 5   128 bytes, then for each variable 8 bytes (type 14, size) and `size` bytes
 *     compressed  type 15; the bytes are a zlib stream of a variable of type 14
 *     parts       class, dimensions, name, then by class numbers, variables (cells), or the
 *                 length of a field's name, the names and variables (structs); each has its own
 *                 8 bytes (type, size) and is padded to 8; up to 4 bytes fit into those 8
 *
 * With any variable matio unpacks and keeps all that is inside: some hundred bytes and eight a
 * byte for each, once a level, and a copy of the unpacker's state where it is compressed. That
 * must be within the bound of the file (base/bound.h).
 *
 * Version 4 is in mat_check_4.c; version 7.3 is HDF5, which looks after itself. */
#include "io/mat.h"

#include "io/file.h"
#include "io/unpack.h"

#include <string.h>

enum { HEAD_5 = 128, TAG_5 = 8, MATRIX_5 = 14, COMPRESSED_5 = 15 };
enum { NAME_5 = 1, SHAPE_5 = 5, FLAGS_5 = 6 }; /* types of parts */

/* Classes, and what is said beside them. */
enum { CELL = 1, STRUCT = 2, CHAR = 4, SPARSE = 5, FIRST_NUMBER = 6, LAST_NUMBER = 15 };
enum { FUNCTION = 16, OPAQUE = 17, COMPLEX = 0x800 };

enum { RANK_MOST = 14, DEPTH_MOST = 32 }; /* what matio has room for; cells in cells */
enum { COST = 512, COST_PACKED = 4096 };  /* bytes that matio takes for a variable in another */
enum { WIDEST = 8 };                      /* and for each of its bytes */
enum { SCRATCH = 16384 };

/* A variable of version 5 of which the bytes pass by. */
typedef struct walk {
    int64_t number, at; /* from 1 on; byte of the file */
    bool swapped;
    z_stream *packed; /* where further bytes come from; NULL: nowhere */
    int result;       /* zlib's last word */
    char *scratch;    /* what was unpacked last */
    const char *next;
    int64_t ready, passed; /* bytes from `next` on, and before it */
    double cost;           /* bytes that matio makes of what is inside */
} walk;

/* A part: its content follows, or is in the tag. */
typedef struct part {
    int64_t type, size;
    int64_t word; /* second half of the tag */
    bool within;
} part;

/* What a variable says of itself. */
typedef struct head {
    int64_t class;
    bool complex;
    double count; /* product of the dimensions */
} head;

static tsr_status damaged(const walk *w, const char *reason)
{
    return tsr__fail(TSR_ERROR_FORMAT, "variable %lld, at byte %lld, is damaged: %s",
                     (long long)w->number, (long long)w->at, reason);
}

static tsr_status too_long(const walk *w)
{
    return damaged(w, "one of its parts is longer than the variable");
}

static tsr_status too_little(const walk *w)
{
    return damaged(w, "it holds less than its dimensions say");
}

/* Why zlib gives no more; TSR_OK where it has come to the end. */
static tsr_status unpack_status(const walk *w)
{
    if (w->result == Z_MEM_ERROR)
        return TSR_ERROR_MEMORY; /* with the message of tsr__alloc */
    if (w->result == Z_BUF_ERROR)
        return damaged(w, "its compressed data are cut off");
    if (w->result != Z_STREAM_END)
        return damaged(w, w->packed->msg != NULL ? w->packed->msg : "zlib cannot unpack it");
    return TSR_OK;
}

/* Unpacks what comes next; nothing is ready where that is the end. */
static tsr_status refill(walk *w)
{
    while (w->ready == 0 && w->packed != NULL && w->result == Z_OK) {
        w->packed->next_out = (Bytef *)w->scratch;
        w->packed->avail_out = SCRATCH;
        w->result = inflate(w->packed, Z_NO_FLUSH);
        w->next = w->scratch;
        w->ready = SCRATCH - (int64_t)w->packed->avail_out;
    }
    return w->ready > 0 || w->packed == NULL ? TSR_OK : unpack_status(w);
}

/* The next `count` bytes; NULL: passes over them. */
static tsr_status take(walk *w, char *out, int64_t count)
{
    tsr_status status = TSR_OK;
    while (count > 0) {
        TSR_TRY(refill(w));
        if (w->ready == 0)
            TSR_TRY(too_long(w));
        const int64_t some = count < w->ready ? count : w->ready;
        if (out != NULL) {
            memcpy(out, w->next, (size_t)some);
            out += some;
        }
        w->next += some, w->ready -= some, w->passed += some;
        count -= some;
    }
done:
    return status;
}

/* The tag of a part of what ends at byte `end`. */
static tsr_status take_part(part *out, walk *w, int64_t end)
{
    tsr_status status = TSR_OK;
    char tag[TAG_5];
    if (end - w->passed < TAG_5)
        TSR_TRY(too_long(w));
    TSR_TRY(take(w, tag, TAG_5));
    const int64_t first = tsr__mat_word(tag, w->swapped), size = first >> 16;
    out->word = tsr__mat_word(tag + 4, w->swapped);
    out->within = size != 0;
    out->type = first & 0xffff;
    out->size = out->within ? size : out->word;
    if (out->within ? size > TAG_5 / 2 : out->size > end - w->passed)
        TSR_TRY(too_long(w));
done:
    return status;
}

/* Past the content of a part and what it is padded with. */
static tsr_status pass(walk *w, const part *p, int64_t end)
{
    const int64_t padded = (p->size + TAG_5 - 1) / TAG_5 * TAG_5, left = end - w->passed;
    return p->within ? TSR_OK : take(w, NULL, padded < left ? padded : left);
}

static tsr_status take_class(head *out, walk *w, int64_t end)
{
    tsr_status status = TSR_OK;
    char flags[2 * TAG_5];
    if (end - w->passed < 2 * TAG_5)
        TSR_TRY(too_long(w));
    TSR_TRY(take(w, flags, sizeof flags));
    if (tsr__mat_word(flags, w->swapped) != FLAGS_5 ||
        tsr__mat_word(flags + 4, w->swapped) != TAG_5)
        TSR_TRY(damaged(w, "it does not begin with its class"));
    out->class = tsr__mat_word(flags + 8, w->swapped) & 0xff;
    out->complex = (tsr__mat_word(flags + 8, w->swapped) & COMPLEX) != 0;
done:
    return status;
}

static tsr_status take_shape(head *out, walk *w, int64_t end)
{
    tsr_status status = TSR_OK;
    char shape[4 * RANK_MOST + 4];
    part p;
    TSR_TRY(take_part(&p, w, end));
    if (p.within || p.type != SHAPE_5)
        TSR_TRY(damaged(w, "it has no dimensions"));
    if (p.size > 4 * RANK_MOST)
        TSR_TRY(damaged(w, "it has too many dimensions"));
    const int64_t padded = (p.size + TAG_5 - 1) / TAG_5 * TAG_5;
    if (padded > end - w->passed)
        TSR_TRY(too_long(w));
    TSR_TRY(take(w, shape, padded));
    out->count = 1;
    for (int64_t i = 0; i < p.size / 4; i++)
        out->count *= (double)tsr__mat_word(shape + 4 * i, w->swapped);
done:
    return status;
}

/* matio goes past names of one type alone, and past none in a struct. */
static tsr_status take_name(walk *w, int64_t end, bool field)
{
    tsr_status status = TSR_OK;
    part p;
    TSR_TRY(take_part(&p, w, end));
    if (p.size > 0 && (p.type != NAME_5 || field))
        TSR_TRY(damaged(w, "its name is none"));
    TSR_TRY(pass(w, &p, end));
done:
    return status;
}

/* matio takes the second tag of an object, whatever it is, for that of its name. */
static tsr_status check_object(walk *w, int64_t end)
{
    tsr_status status = TSR_OK;
    char tags[2 * TAG_5];
    if (end - w->passed < 2 * TAG_5)
        goto done;
    TSR_TRY(take(w, tags, sizeof tags));
    if (tsr__mat_word(tags + TAG_5, w->swapped) == NAME_5 &&
        tsr__mat_word(tags + TAG_5 + 4, w->swapped) > end - w->passed)
        TSR_TRY(too_long(w));
done:
    return status;
}

/* Bytes of a number or character of this type; 0: no such type. */
static int size_of(int64_t type)
{
    static const int sizes[] = {0, 1, 1, 2, 2, 4, 4, 4, 0, 8, 0, 0, 8, 8, 0, 0, 1, 2, 4};
    return type < (int64_t)(sizeof sizes / sizeof *sizes) ? sizes[type] : 0;
}

/* Numbers or characters: a part, or two; of sparse ones rows and columns before; or parts that
 * nobody looks into. */
static tsr_status walk_parts(walk *w, int64_t end, const head *h)
{
    tsr_status status = TSR_OK;
    const bool sparse = h->class == SPARSE;
    const bool plain =
        h->class == CHAR || (h->class >= FIRST_NUMBER && h->class <= LAST_NUMBER);
    const int needed = (sparse ? 3 : plain ? 1 : 0) + (h->complex && (sparse || plain));
    int parts = 0;
    for (; w->passed < end; parts++) {
        part p;
        TSR_TRY(take_part(&p, w, end));
        const int size = size_of(p.type);
        if (parts < needed && (size == 0 || (sparse && parts < 2 && size != 4)))
            TSR_TRY(damaged(w, "it has numbers of no known type"));
        if (plain && parts == 0 && h->count * size > (double)p.size)
            TSR_TRY(too_little(w));
        TSR_TRY(pass(w, &p, end));
    }
    if (parts < needed)
        TSR_TRY(too_little(w));
done:
    return status;
}

/* The names of the fields of a struct: how many there are. */
static tsr_status take_fields(double *out, walk *w, int64_t end)
{
    tsr_status status = TSR_OK;
    part length, names;
    TSR_TRY(take_part(&length, w, end));
    TSR_TRY(take_part(&names, w, end));
    if (!length.within || length.type != SHAPE_5 || length.word < 1 ||
        (names.size > 0 && names.type != NAME_5) || names.size % length.word != 0)
        TSR_TRY(damaged(w, "the names of its fields are none"));
    TSR_TRY(pass(w, &names, end));
    *out = (double)(names.size / length.word);
    w->cost += (double)names.size + COST * *out;
done:
    return status;
}

static tsr_status walk_variable(walk *w, int64_t end, bool field, int depth);

/* Cells, fields, or the variables of a function, one behind the other. */
static tsr_status walk_inside(walk *w, int64_t end, const head *h, int depth)
{
    tsr_status status = TSR_OK;
    double count = h->count, fields = 1;
    if (depth == DEPTH_MOST)
        TSR_TRY(damaged(w, "cells within cells within cells without end"));
    if (h->class == STRUCT)
        TSR_TRY(take_fields(&fields, w, end));
    if (TAG_5 * count * fields > (double)(end - w->passed))
        TSR_TRY(too_little(w));
    for (count *= fields; count > 0; count--) {
        char tag[TAG_5];
        if (end - w->passed < TAG_5)
            TSR_TRY(too_little(w));
        TSR_TRY(take(w, tag, TAG_5));
        const int64_t size = tsr__mat_word(tag + 4, w->swapped);
        if (tsr__mat_word(tag, w->swapped) != MATRIX_5)
            TSR_TRY(damaged(w, "something in it is no variable"));
        if (size > end - w->passed)
            TSR_TRY(too_long(w));
        w->cost += COST + WIDEST * (double)size;
        if (size > 0 || h->class == FUNCTION)
            TSR_TRY(walk_variable(w, w->passed + size, h->class == STRUCT, depth + 1));
    }
    TSR_TRY(take(w, NULL, end - w->passed));
done:
    return status;
}

/* A variable behind its tag, up to byte `end`. */
static tsr_status walk_variable(walk *w, int64_t end, bool field, int depth)
{
    tsr_status status = TSR_OK;
    head h = {.class = 0};
    TSR_TRY(take_class(&h, w, end));
    w->cost += w->packed != NULL && depth > 0 ? COST_PACKED : 0;
    if (h.class == OPAQUE) {
        TSR_TRY(check_object(w, end));
        TSR_TRY(take(w, NULL, end - w->passed));
        goto done;
    }
    TSR_TRY(take_shape(&h, w, end));
    TSR_TRY(take_name(w, end, field));
    if (h.class == CELL || h.class == STRUCT || (h.class == FUNCTION && w->packed == NULL))
        TSR_TRY(walk_inside(w, end, &h, depth));
    else
        TSR_TRY(walk_parts(w, end, &h));
done:
    return status;
}

/* Whether what was unpacked is one variable and all that there is. */
static tsr_status check_end(walk *w, int64_t end)
{
    tsr_status status = TSR_OK;
    for (; w->packed != NULL; w->ready = 0) {
        w->passed += w->ready;
        w->ready = 0;
        TSR_TRY(refill(w));
        if (w->ready == 0)
            break;
    }
    if (end > w->passed)
        TSR_TRY(damaged(w, "it does not unpack to a whole variable"));
    /* Fewer may be padding; in more another variable would go unnoticed. */
    if (w->packed != NULL && w->packed->avail_in >= TAG_5)
        TSR_TRY(damaged(w, "its compressed data end early"));
done:
    return status;
}

/* A variable with its tag; the bytes that are left over are looked at as well. */
static tsr_status check_variable(walk *w, const tsr__bound *bound)
{
    tsr_status status = TSR_OK;
    char tag[TAG_5];
    TSR_TRY(take(w, tag, TAG_5));
    const int64_t end = TAG_5 + tsr__mat_word(tag + 4, w->swapped);
    if (tsr__mat_word(tag, w->swapped) != MATRIX_5)
        TSR_TRY(damaged(w, "it does not unpack to a whole variable"));
    status = walk_variable(w, end, false, 0);
    if (status < 0 && w->ready == 0 && w->result == Z_STREAM_END && end > w->passed)
        TSR_TRY(damaged(w, "it does not unpack to a whole variable"));
    TSR_TRY(status);
    TSR_TRY(check_end(w, end));
    TSR_TRY(
        tsr__bound_check(bound, w->cost, "what is inside variable %lld", (long long)w->number));
done:
    return status;
}

static tsr_status walk_5(const tsr__input *input, bool swapped, const tsr__bound *bound)
{
    tsr_status status = TSR_OK;
    z_stream stream = {0};
    char scratch[SCRATCH];
    int64_t number = 1, at = HEAD_5;

    TSR_TRY(tsr__unpack_begin(&stream));
    for (; at < input->size; number++) {
        walk w = {.number = number, .at = at, .swapped = swapped, .scratch = scratch};
        char *tag = input->bytes + at;
        const int64_t left = input->size - at;
        if (left < TAG_5)
            TSR_TRY(tsr__mat_cut_off(at, TAG_5, left));
        const int64_t type = tsr__mat_word(tag, swapped),
                      size = tsr__mat_word(tag + 4, swapped);
        if (type != MATRIX_5 && type != COMPRESSED_5)
            TSR_TRY(tsr__mat_no_variable(at));
        if (size > left - TAG_5)
            TSR_TRY(tsr__mat_cut_off(at, (double)(TAG_5 + size), left));
        if (type == COMPRESSED_5) {
            stream.next_in = (Bytef *)tag + TAG_5;
            stream.avail_in = (uInt)size;
            w.packed = &stream;
            w.result = inflateReset(&stream);
        } else {
            w.next = tag;
            w.ready = TAG_5 + size;
        }
        TSR_TRY(check_variable(&w, bound));
        at += TAG_5 + size;
    }
done:
    (void)inflateEnd(&stream);
    return status;
}

tsr_status tsr__mat_check(const tsr__request *request)
{
    tsr_status status = TSR_OK;
    tsr__input input = {NULL, 0, false};

    TSR_TRY(tsr__input_open(&input, request->path));
    const tsr__bound bound = {input.size, request->options->expand};
    const char *mark = input.size >= HEAD_5 ? input.bytes + HEAD_5 - 4 : "none";
    const bool native = memcmp(mark, "\0\1IM", 4) == 0,
               swapped = memcmp(mark, "\1\0MI", 4) == 0;
    if (native || swapped)
        TSR_TRY(walk_5(&input, swapped != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__), &bound));
    else if (input.size > 4 && memchr(input.bytes, 0, 4) != NULL)
        TSR_TRY(tsr__mat_check_4(input.bytes, input.size, &bound));
done:
    tsr__input_close(&input);
    return status;
}
