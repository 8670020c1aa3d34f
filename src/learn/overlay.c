/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Where in a picture each basis vector of a model of visual words is at work.
 *
 * A descriptor of feature v is relevant to vector j where g_j f_jv > T, g being the code of the
 * picture (the scene paper, Fig. 5). A pixel belongs to the most relevant vector among those of the
 * patches that cover it. */
#include "learn/overlay.h"

#include "base/output.h"
#include "base/settings.h"
#include "factor/model.h"
#include "features/visual.h"

typedef struct colour {
    const char *name;
    unsigned char rgb[3];
} colour;

/* Distinct for most eyes (Okabe & Ito 2008, with two more). */
static const colour colours[] = {
    {"orange", {230, 159, 0}},   {"sky blue", {86, 180, 233}}, {"green", {0, 158, 115}},
    {"yellow", {240, 228, 66}},  {"blue", {0, 114, 178}},      {"vermilion", {213, 94, 0}},
    {"purple", {204, 121, 167}}, {"brown", {120, 72, 24}},     {"light green", {150, 230, 80}},
    {"magenta", {230, 30, 200}},
};
enum { COLOURS = sizeof colours / sizeof *colours };

static const tsr_setting table[] = {
#define ROW tsr_overlay_options
    TSR_REAL_ROW(ROW, threshold, "threshold", 0, INFINITY, "0", "T",
                 "a patch is relevant where code x basis entry exceeds T; 0: by --share"),
    TSR_REAL_ROW(ROW, share, "share", 0, 1, "0.25", "S",
                 "T as a share of the largest product in this picture"),
    TSR_REAL_ROW(ROW, opacity, "opacity", 0, 1, "0.5", "A", "of the colours"),
    TSR_OBJECT_ROW(ROW, transform, "transform", "options", "how the picture is encoded"),
#undef ROW
    TSR_END_ROW,
};

const tsr_setting *tsr_overlay_settings(void)
{
    return table;
}

struct tsr_overlay {
    tsr_overlay_options options;
    tsr__view view;
    tsr_matrix *codes; /* 1 x k */
    double threshold;
    int64_t *patches; /* of each vector */
    int32_t *whose;   /* of each pixel: a vector, or -1 */
};

/* What is only needed to make one. */
typedef struct marking {
    tsr_overlay *o;
    const tsr_matrix *basis;
    float *best; /* of each pixel: how relevant */
} marking;

/* g_j f_jv of descriptor i. */
static double relevance(const marking *m, int64_t i, int64_t j)
{
    return tsr_matrix_at(m->o->codes, 0, j) * tsr_matrix_at(m->basis, j, m->o->view.feature[i]);
}

static double choose_threshold(const marking *m)
{
    const tsr_overlay_options *options = &m->o->options;
    double most = 0;
    for (int64_t i = 0; i < m->o->view.found.count; i++)
        for (int64_t j = 0; j < m->basis->samples; j++)
            most = fmax(most, relevance(m, i, j));
    return options->threshold > 0 ? options->threshold : options->share * most;
}

static int64_t clip(double at, int64_t size)
{
    return at < 0 ? 0 : at > (double)size ? size : (int64_t)at;
}

static void mark(const marking *m, const tsr__spot *spot, int64_t vector, float value)
{
    const int64_t width = m->o->view.image.width, height = m->o->view.image.height;
    const double x = (double)spot->x, y = (double)spot->y, reach = (double)spot->reach;
    for (int64_t r = clip(y - reach, height); r < clip(y + reach, height); r++)
        for (int64_t c = clip(x - reach, width); c < clip(x + reach, width); c++)
            if (value > m->best[r * width + c]) {
                m->best[r * width + c] = value;
                m->o->whose[r * width + c] = (int32_t)vector;
            }
}

static void mark_all(const marking *m)
{
    for (int64_t i = 0; i < m->o->view.found.count; i++)
        for (int64_t j = 0; j < m->basis->samples; j++) {
            const double value = relevance(m, i, j);
            if (!(value > m->o->threshold))
                continue;
            m->o->patches[j]++;
            mark(m, &m->o->view.found.spot[i], j, (float)value);
        }
}

static tsr_status make(tsr_overlay *o, const tsr_model *model)
{
    tsr_status status = TSR_OK;
    const int64_t pixels = o->view.image.width * o->view.image.height;
    marking m = {o, model->basis, NULL};
    if (o->view.found.count == 0)
        TSR_FAIL(TSR_ERROR_DATA, "%lld x %lld pixels give no descriptor",
                 (long long)o->view.image.width, (long long)o->view.image.height);
    TSR_TRY(tsr_model_transform(&o->codes, model, o->view.sample, o->options.transform));
    TSR_NEW_ZERO(o->patches, model->basis->samples);
    TSR_NEW_ZERO(m.best, pixels);
    TSR_NEW(o->whose, pixels);
    for (int64_t i = 0; i < pixels; i++)
        o->whose[i] = -1;
    o->threshold = choose_threshold(&m);
    mark_all(&m);
done:
    tsr__free(m.best);
    return status;
}

tsr_status tsr_overlay_make(tsr_overlay **out, const tsr_model *model, const char *picture,
                            const tsr_overlay_options *options)
{
    TSR_REQUIRE(out, model);
    TSR_REQUIRE_TEXT(picture);
    tsr_status status = TSR_OK;
    tsr_overlay *o = NULL;
    TSR_NEW_ZERO(o, 1);
    tsr_settings_default(table, &o->options);
    if (options != NULL)
        o->options = *options;
    TSR_TRY(tsr_settings_check(table, &o->options));
    TSR_TRY(tsr__view_make(&o->view, &model->recipe, picture));
    status = make(o, model);
    if (status < 0)
        TSR_TRY(tsr__fail_in(status, picture));
    *out = o, o = NULL;
done:
    tsr_overlay_free(o);
    return status;
}

void tsr_overlay_free(tsr_overlay *overlay)
{
    if (overlay == NULL)
        return;
    tsr__view_clear(&overlay->view);
    tsr_matrix_free(overlay->codes);
    tsr__free(overlay->patches);
    tsr__free(overlay->whose);
    tsr__free(overlay);
}

tsr_overlay_report tsr_overlay_about(const tsr_overlay *overlay)
{
    static const tsr_overlay_report none;
    if (overlay == NULL)
        return none;
    return (tsr_overlay_report){.width = overlay->view.image.width,
                                .height = overlay->view.image.height,
                                .vectors = overlay->codes->features,
                                .patches = overlay->view.found.count,
                                .threshold = overlay->threshold};
}

const tsr_matrix *tsr_overlay_codes(const tsr_overlay *overlay)
{
    return overlay != NULL ? overlay->codes : NULL;
}

const int64_t *tsr_overlay_patches(const tsr_overlay *overlay)
{
    return overlay != NULL ? overlay->patches : NULL;
}

const int32_t *tsr_overlay_vectors(const tsr_overlay *overlay)
{
    return overlay != NULL ? overlay->whose : NULL;
}

const char *tsr_overlay_colour(int64_t vector)
{
    return vector >= 0 && vector <= INT32_MAX ? colours[vector % COLOURS].name : NULL;
}

tsr_status tsr__overlay_paint(unsigned char **out, const tsr_overlay *o)
{
    tsr_status status = TSR_OK;
    const int64_t pixels = o->view.image.width * o->view.image.height;
    const double opacity = o->options.opacity;
    unsigned char *pixel = NULL;
    TSR_NEW(pixel, 3 * pixels);
    for (int64_t at = 0; at < pixels; at++)
        for (int c = 0; c < 3; c++) {
            const double grey = (double)o->view.image.grey[at];
            const double tone =
                o->whose[at] >= 0 ? (double)colours[o->whose[at] % COLOURS].rgb[c] : grey;
            pixel[3 * at + c] = (unsigned char)(grey * (1 - opacity) + tone * opacity + 0.5);
        }
    *out = pixel;
done:
    return status;
}

tsr_status tsr_overlay_write(const tsr_overlay *overlay, const char *path)
{
    TSR_REQUIRE(overlay);
    TSR_REQUIRE_TEXT(path);
    tsr_status status = TSR_OK;
    unsigned char *pixel = NULL;
    tsr__output output = {NULL, NULL, 0};
    TSR_TRY(tsr__overlay_paint(&pixel, overlay));
    TSR_TRY(tsr__output_begin(&output, path, false));
    TSR_TRY(tsr__image_write_png(output.temporary, pixel, overlay->view.image.width,
                                 overlay->view.image.height, 3));
    TSR_TRY(tsr__output_commit(&output));
done:
    tsr__output_abandon(&output);
    tsr__free(pixel);
    return status < 0 ? tsr__fail_in(status, path) : status;
}
