/* SPDX-License-Identifier: BSD-2-Clause
 *
 * JPEG by libjpeg: baseline and progressive; grey, YCbCr (whose Y is the grey that is wanted),
 * RGB, and CMYK, which Adobe's programs store inverted. libjpeg goes on after damage with a
 * warning; here those warnings are failures. It reports errors by a call that must not return,
 * so what must survive a longjmp lives in a struct outside.
 *
 * A block of 8 x 8 pixels takes at least one bit of Huffman code, which bounds the picture that
 * a file can hold: 512 pixels a byte. What memory it may take is a matter of base/bound.h; where
 * it comes in several scans, each is a pass over the whole picture, and counts. */
#include "image/codec.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h> /* after stdio.h */

#include <jerror.h> /* after jpeglib.h, whose settings decide the codes */

enum { SCANS = 1000 };

typedef struct reader {
    struct jpeg_decompress_struct codec;
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr monitor;
    jmp_buf escape;
    tsr_status status;
    const tsr__bound *bound;
    unsigned char *raw; /* one row */
    tsr__image image;
} reader;

/* Warnings that are not here are harmless; errors that are not here are damage. */
static const struct verdict {
    int code;
    tsr_status status;
    const char *what;
} verdicts[] = {
    {JWRN_JPEG_EOF, TSR_ERROR_FORMAT, "truncated JPEG"},
    {JWRN_HIT_MARKER, TSR_ERROR_FORMAT, "truncated JPEG"},
    {JERR_INPUT_EOF, TSR_ERROR_FORMAT, "truncated JPEG"},
    {JWRN_HUFF_BAD_CODE, TSR_ERROR_FORMAT, "damaged JPEG"},
    {JWRN_ARITH_BAD_CODE, TSR_ERROR_FORMAT, "damaged JPEG"},
    {JWRN_MUST_RESYNC, TSR_ERROR_FORMAT, "damaged JPEG"},
    {JERR_OUT_OF_MEMORY, TSR_ERROR_MEMORY, "JPEG"},
    {JERR_BAD_PRECISION, TSR_ERROR_UNSUPPORTED, "JPEG"},
    {JERR_SOF_UNSUPPORTED, TSR_ERROR_UNSUPPORTED, "JPEG"},
    {JERR_CONVERSION_NOTIMPL, TSR_ERROR_UNSUPPORTED, "JPEG"},
};

static const struct verdict *judge(int code)
{
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++)
        if (verdicts[i].code == code)
            return &verdicts[i];
    return NULL;
}

static void fail(j_common_ptr codec)
{
    static const struct verdict damage = {0, TSR_ERROR_FORMAT, "damaged JPEG"};
    reader *r = codec->client_data;
    const struct verdict *verdict = judge(codec->err->msg_code);
    if (verdict == NULL)
        verdict = &damage;
    char text[JMSG_LENGTH_MAX];
    codec->err->format_message(codec, text);
    r->status = tsr__fail(verdict->status, "%s: %s", verdict->what, text);
    longjmp(r->escape, 1);
}

static void warn(j_common_ptr codec, int level)
{
    if (level < 0 && judge(codec->err->msg_code) != NULL)
        fail(codec);
}

static void count_scans(j_common_ptr codec)
{
    reader *r = codec->client_data;
    const int scans = r->codec.input_scan_number;
    const double pixels = (double)r->codec.image_width * (double)r->codec.image_height;
    if (scans > SCANS)
        r->status = tsr__fail(TSR_ERROR_FORMAT, "damaged JPEG: more than %d scans", SCANS);
    else
        r->status = tsr__bound_check(r->bound, pixels * scans, "%d scans of %.0f pixels", scans,
                                     pixels);
    if (r->status < 0)
        longjmp(r->escape, 1);
}

static int find_orientation(const reader *r)
{
    for (jpeg_saved_marker_ptr m = r->codec.marker_list; m != NULL; m = m->next)
        if (m->data_length > 6 && memcmp(m->data, "Exif\0\0", 6) == 0)
            return tsr__exif_orientation(m->data + 6, (int64_t)m->data_length - 6);
    return 1;
}

static tsr_status check_size(reader *r)
{
    const int64_t width = r->codec.image_width, height = r->codec.image_height;
    const int64_t size = r->bound->size;
    const bool scans = jpeg_has_multiple_scans(&r->codec) != 0;
    if (!r->codec.arith_code && width * height / 512 > size)
        return tsr__fail(TSR_ERROR_FORMAT,
                         "truncated JPEG: %lld bytes cannot hold %lld x %lld pixels",
                         (long long)size, (long long)width, (long long)height);
    return tsr__image_check_bound(r->bound, width, height,
                                  scans ? r->codec.num_components * (int)sizeof(JCOEF) : 0);
}

/* Asks for the colours from which grey is made; see convert. */
static tsr_status choose_colours(reader *r)
{
    static const struct {
        J_COLOR_SPACE stored, wanted;
    } ways[] = {{JCS_GRAYSCALE, JCS_GRAYSCALE},
                {JCS_YCbCr, JCS_GRAYSCALE},
                {JCS_RGB, JCS_RGB},
                {JCS_CMYK, JCS_CMYK},
                {JCS_YCCK, JCS_CMYK}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (ways[i].stored == r->codec.jpeg_color_space) {
            r->codec.out_color_space = ways[i].wanted;
            return TSR_OK;
        }
    }
    return tsr__fail(TSR_ERROR_UNSUPPORTED, "JPEG with %d components of unknown meaning",
                     r->codec.num_components);
}

/* Light is what the colour ink and the black ink both let through. */
static void convert_inks(float *out, const unsigned char *raw, int64_t count, bool inverted)
{
    const int flip = inverted ? 0 : 255;
    for (int64_t i = 0; i < count; i++, raw += 4) {
        const int luma = 299 * (raw[0] ^ flip) + 587 * (raw[1] ^ flip) + 114 * (raw[2] ^ flip);
        out[i] = (float)((double)luma * (raw[3] ^ flip) / 255000.0);
    }
}

static void convert(reader *r, float *out)
{
    const int channels = r->codec.output_components;
    const int64_t width = r->image.width;
    const tsr__pixels layout = {channels, 1, 255};
    if (channels == 4)
        convert_inks(out, r->raw, width, r->codec.saw_Adobe_marker);
    else
        tsr__pixels_to_grey(out, r->raw, width, &layout);
}

/* Anything in here may leave by longjmp. */
static tsr_status read_picture(reader *r, const unsigned char *bytes)
{
    tsr_status status = TSR_OK;
    if (setjmp(r->escape) != 0)
        return r->status;
    jpeg_create_decompress(&r->codec);
    r->monitor.progress_monitor = count_scans;
    r->codec.progress = &r->monitor;
    jpeg_mem_src(&r->codec, bytes, (unsigned long)r->bound->size);
    jpeg_save_markers(&r->codec, JPEG_APP0 + 1, 0xffff);
    (void)jpeg_read_header(&r->codec, TRUE);
    TSR_TRY(check_size(r));
    TSR_TRY(choose_colours(r));
    TSR_TRY(tsr__image_create(&r->image, r->codec.image_width, r->codec.image_height));
    (void)jpeg_start_decompress(&r->codec);
    TSR_NEW(r->raw, r->image.width * r->codec.output_components);
    while (r->codec.output_scanline < r->codec.output_height) {
        float *row = r->image.grey + r->codec.output_scanline * r->image.width;
        (void)jpeg_read_scanlines(&r->codec, &r->raw, 1);
        convert(r, row);
    }
    const int orientation = find_orientation(r);
    (void)jpeg_finish_decompress(&r->codec);
    TSR_TRY(tsr__image_orient(&r->image, orientation));
done:
    return status;
}

tsr_status tsr__jpeg_decode(tsr__image *out, const unsigned char *bytes,
                            const tsr__bound *bound)
{
    reader r;
    memset(&r, 0, sizeof r);
    r.bound = bound;
    r.codec.err = jpeg_std_error(&r.errors);
    r.codec.client_data = &r;
    r.errors.error_exit = fail;
    r.errors.emit_message = warn;
    const tsr_status status = read_picture(&r, bytes);
    if (status == TSR_OK) {
        *out = r.image;
        r.image.grey = NULL;
    }
    jpeg_destroy_decompress(&r.codec);
    tsr__free(r.raw);
    tsr__image_free(&r.image);
    return status;
}
