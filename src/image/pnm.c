/* SPDX-License-Identifier: BSD-2-Clause
 *
 * PGM and PPM: a text header "P5 width height maximum", then one white space and the samples.
 *
 *     P2, P3  grey, colour as decimal numbers        P5, P6  grey, colour as bytes, or as pairs
 *                                                            of them (high first) above 255
 *
 * A # starts a comment that ends with its line. Of several pictures in a file the first is
 * read. */
#include "image/codec.h"

typedef struct cursor {
    const unsigned char *start, *at, *end;
} cursor;

static bool blank(unsigned char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static void skip_comment(cursor *c)
{
    while (c->at < c->end && *c->at != '\n' && *c->at != '\r')
        c->at++;
}

/* The next number, at most `most`; `what` is what the message calls it. */
static tsr_status next(int64_t *out, cursor *c, int64_t most, const char *what)
{
    while (c->at < c->end && (blank(*c->at) || *c->at == '#')) {
        if (*c->at == '#')
            skip_comment(c);
        else
            c->at++;
    }
    if (c->at == c->end)
        return tsr__fail(TSR_ERROR_FORMAT, "truncated PGM/PPM: %lld bytes end before the %s",
                         (long long)(c->end - c->start), what);
    int64_t value = 0;
    const unsigned char *first = c->at;
    for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++) {
        value = 10 * value + (*c->at - '0');
        if (value > most)
            return tsr__fail(TSR_ERROR_FORMAT, "damaged PGM/PPM: %s at byte %lld exceeds %lld",
                             what, (long long)(first - c->start), (long long)most);
    }
    if (c->at == first)
        return tsr__fail(TSR_ERROR_FORMAT, "damaged PGM/PPM: byte %lld (0x%02x) is not the %s",
                         (long long)(first - c->start), *first, what);
    *out = value;
    return TSR_OK;
}

/* Samples above the maximum would be brighter than white. */
static tsr_status check_row(const unsigned char *raw, int64_t samples,
                            const tsr__pixels *layout, int64_t y)
{
    for (int64_t i = 0; i < samples; i++) {
        const int value = layout->bytes == 1 ? raw[i] : raw[2 * i] << 8 | raw[2 * i + 1];
        if (value > layout->maximum)
            return tsr__fail(TSR_ERROR_FORMAT,
                             "damaged PGM/PPM: sample %d at row %lld, column %lld exceeds the "
                             "maximum %d",
                             value, (long long)y, (long long)(i / layout->channels),
                             (int)layout->maximum);
    }
    return TSR_OK;
}

static tsr_status read_raw(tsr__image *image, cursor *c, const tsr__pixels *layout)
{
    const int64_t samples = image->width * layout->channels;
    const bool full = layout->maximum == (layout->bytes == 1 ? 255 : 65535);
    for (int64_t y = 0; y < image->height; y++) {
        const unsigned char *row = c->at + y * samples * layout->bytes;
        const tsr_status status = full ? TSR_OK : check_row(row, samples, layout, y);
        if (status < 0)
            return status;
        tsr__pixels_to_grey(image->grey + y * image->width, row, image->width, layout);
    }
    return TSR_OK;
}

static tsr_status read_plain(tsr__image *image, cursor *c, const tsr__pixels *layout)
{
    tsr_status status = TSR_OK;
    const int64_t samples = image->width * layout->channels;
    const tsr__pixels wide = {layout->channels, 2, layout->maximum};
    unsigned char *row = NULL;
    TSR_NEW(row, 2 * samples);
    for (int64_t y = 0; y < image->height; y++) {
        for (int64_t i = 0; i < samples; i++) {
            int64_t value = 0;
            TSR_TRY(next(&value, c, layout->maximum, "next sample"));
            row[2 * i] = (unsigned char)(value >> 8);
            row[2 * i + 1] = (unsigned char)(value & 255);
        }
        tsr__pixels_to_grey(image->grey + y * image->width, row, image->width, &wide);
    }
done:
    tsr__free(row);
    return status;
}

/* Moves past the one white space, or comment, between header and samples. */
static tsr_status end_header(cursor *c)
{
    if (c->at < c->end && *c->at == '#')
        skip_comment(c);
    if (c->at == c->end)
        return tsr__fail(TSR_ERROR_FORMAT, "truncated PGM/PPM: %lld bytes hold no samples",
                         (long long)(c->end - c->start));
    if (!blank(*c->at))
        return tsr__fail(TSR_ERROR_FORMAT,
                         "damaged PGM/PPM: no white space after the maximum at byte %lld",
                         (long long)(c->at - c->start));
    c->at++;
    return TSR_OK;
}

tsr_status tsr__pnm_decode(tsr__image *out, const unsigned char *bytes, const tsr__bound *bound)
{
    tsr_status status = TSR_OK;
    tsr__image image = {0, 0, NULL};
    cursor c = {bytes, bytes + 2, bytes + bound->size};
    int64_t width = 0, height = 0, maximum = 0;
    TSR_TRY(next(&width, &c, TSR_IMAGE_PIXELS, "width"));
    TSR_TRY(next(&height, &c, TSR_IMAGE_PIXELS, "height"));
    TSR_TRY(next(&maximum, &c, 65535, "maximum"));
    if (maximum < 1)
        TSR_FAIL(TSR_ERROR_FORMAT, "damaged PGM/PPM: the maximum is 0");
    TSR_TRY(end_header(&c));

    const bool plain = bytes[1] == '2' || bytes[1] == '3';
    const tsr__pixels layout = {bytes[1] == '2' || bytes[1] == '5' ? 1 : 3,
                                maximum > 255 ? 2 : 1, (int32_t)maximum};
    /* A number takes a digit and, but for the last, a separator. */
    const int64_t samples = width * height * layout.channels;
    const int64_t needed = plain ? 2 * samples - 1 : samples * layout.bytes;
    if (c.end - c.at < needed)
        TSR_FAIL(TSR_ERROR_FORMAT,
                 "truncated PGM/PPM: %lld x %lld pixels need %lld bytes, %lld are there",
                 (long long)width, (long long)height, (long long)needed,
                 (long long)(c.end - c.at));
    TSR_TRY(tsr__image_create(&image, width, height));
    TSR_TRY(plain ? read_plain(&image, &c, &layout) : read_raw(&image, &c, &layout));
    *out = image;
    image.grey = NULL;
done:
    tsr__image_free(&image);
    return status;
}
