/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Models of visual words: where in some pictures their parts are at work (learn/overlay.c). The
 * pictures are files, named as the samples are below the folder that the options say. */
#include "learn/overlay.h"
#include "report/subject.h"

#include <math.h>
#include <stdio.h>

enum { PICTURES = 6, NAMED = 4, SIDE = 320, PATH = 4096 };

/* The parts with the most patches, each with its colour. */
static void put_legend(tsr_page *page, const tsr_overlay *overlay, int64_t k)
{
    const int64_t *patches = tsr_overlay_patches(overlay);
    int64_t before = INT64_MAX, last = -1;
    for (int64_t r = 0; r < NAMED && r < k; r++) {
        int64_t best = -1;
        for (int64_t a = 0; a < k; a++) {
            const bool later = patches[a] < before || (patches[a] == before && a > last);
            if (later && patches[a] > 0 && (best < 0 || patches[a] > patches[best]))
                best = a;
        }
        if (best < 0)
            return;
        before = patches[best], last = best;
        tsr__page_html(page, " · <span>part %lld: %s, %lld patches</span>", (long long)best,
                       tsr_overlay_colour(best), (long long)patches[best]);
    }
}

static tsr_status show_picture(const tsr__subject *s, const char *path, const char *name)
{
    tsr_status status = TSR_OK;
    tsr_overlay *overlay = NULL;
    unsigned char *pixel = NULL;
    TSR_TRY(tsr_overlay_make(&overlay, s->model, path, NULL));
    TSR_TRY(tsr__overlay_paint(&pixel, overlay));
    const tsr_overlay_report about = tsr_overlay_about(overlay);
    tsr__page_html(s->page, "<figure class=\"part\">");
    tsr__page_picture(s->page, pixel, about.width, about.height, 3,
                      fmin(1, (double)SIDE / (double)about.width), NULL, name);
    tsr__page_html(s->page, "<figcaption><strong><bdi>");
    tsr__page_escaped(s->page, name);
    tsr__page_html(s->page, "</bdi></strong>");
    put_legend(s->page, overlay, s->k);
    tsr__page_html(s->page, "</figcaption></figure>\n");
done:
    tsr_overlay_free(overlay);
    tsr__free(pixel);
    return status;
}

tsr_status tsr__show_overlays(tsr__subject *s)
{
    tsr_status status = TSR_OK;
    char path[PATH], name[TSR_NAME_SIZE];
    const int64_t count = s->samples < PICTURES ? s->samples : PICTURES;
    tsr__page_say(s->page,
                  "Patches of a picture are coloured by the part that they matter most "
                  "to. After ten parts the colours come again.");
    tsr__page_html(s->page, "<div class=\"parts overlays\">\n");
    for (int64_t i = 0; i < count && status == TSR_OK; i++) {
        const int64_t sample = s->sample[(2 * i + 1) * s->samples / (2 * count)];
        tsr__subject_sample(name, s, sample);
        (void)snprintf(path, sizeof path, "%s/%s", s->options->pictures, name);
        status = show_picture(s, path, name);
    }
    tsr__page_html(s->page, "</div>\n");
    if (status == TSR_OK || status == TSR_ERROR_MEMORY || status == TSR_ERROR_INTERRUPTED)
        return status;
    return tsr__fail(status, "--pictures: %s", tsr_message());
}
