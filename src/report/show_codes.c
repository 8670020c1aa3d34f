/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The codes of the samples, ordered by class: as a heat map, a pixel a code, and as a map of their
 * two principal components. One table is below both. */
#include "image/image.h"
#include "matrix/principal.h"
#include "report/subject.h"
#include "report/tiles.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { THUMB = 32, NAMED = 3, FINEST = 9999 };

/* Places of the shown samples on the two axes along which their codes vary most; the share of the
 * variance that these hold. */
static tsr_status place(double *at, double held[2], const tsr__subject *s)
{
    tsr_status status = TSR_OK;
    tsr_matrix *some = NULL, *codes = NULL;
    tsr__axes axes = {.rank = 0};
    const tsr__axes_options options = {.rank = 2,
                                       .seed = (uint64_t)s->options->seed,
                                       .threads = (int)s->options->threads,
                                       .scores = true};
    TSR_TRY(tsr_matrix_copy_samples(&some, s->codes, s->sample, s->samples));
    TSR_TRY(tsr_matrix_copy_as(&codes, some, TSR_FLOAT64, false));
    TSR_TRY(tsr__principal_axes(&axes, codes, &options));
    memset(at, 0, (size_t)(2 * s->samples) * sizeof *at);
    for (int64_t c = 0; c < axes.rank && c < 2; c++) {
        double sum = 0; /* axes have either sign: the one that makes the cubes' sum positive */
        for (int64_t i = 0; i < s->samples; i++)
            sum += pow(axes.scores[i * axes.rank + c], 3);
        for (int64_t i = 0; i < s->samples; i++)
            at[2 * i + c] = axes.scores[i * axes.rank + c] * (sum < 0 ? -1 : 1);
        held[c] = axes.total > 0 ? axes.variance[c] / axes.total : 0;
    }
done:
    tsr__axes_clear(&axes);
    tsr_matrix_free(some);
    tsr_matrix_free(codes);
    return status;
}

/* The parts that contribute most to a sample, with their shares. */
static void put_largest(const tsr__subject *s, const double *part, const int64_t *order)
{
    char text[NAMED * 48] = "";
    size_t used = 0;
    double sum = 0;
    for (int64_t a = 0; a < s->k; a++)
        sum += fabs(part[a]);
    for (int64_t r = 0; r < NAMED && r < s->k && part[order[r]] > 0; r++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%lld (%.0f %%)",
                                 r > 0 ? ", " : "", (long long)order[r],
                                 100 * part[order[r]] / sum);
    tsr__page_text(s->page, text);
}

static void sample_table(const tsr__subject *s, const double *at, double *part, int64_t *order)
{
    char name[TSR_NAME_SIZE];
    tsr_page *page = s->page;
    tsr__page_table(page, "samples", "Samples by class", true);
    tsr__page_column(page, "sample", TSR_CELL_TEXT);
    tsr__page_column(page, "class", TSR_CELL_TEXT);
    tsr__page_column(page, "largest part", TSR_CELL_TEXT);
    tsr__page_column(page, "parts that contribute most", TSR_CELL_TEXT);
    tsr__page_column(page, "first axis", TSR_CELL_REAL);
    tsr__page_column(page, "second axis", TSR_CELL_REAL);
    for (int64_t i = 0; i < s->samples; i++) {
        const int64_t sample = s->sample[i];
        tsr__subject_contributions(part, s, sample);
        tsr__order_by(order, part, s->k);
        tsr__page_text(page, tsr__subject_sample(name, s, sample));
        tsr__page_text(page, s->labels != NULL ? tsr__subject_class_name(s, sample) : NULL);
        tsr__page_text(page, part[order[0]] > 0 ? tsr__subject_part(name, order[0]) : "none");
        put_largest(s, part, order);
        tsr__page_number(page, at[2 * i]);
        tsr__page_number(page, at[2 * i + 1]);
    }
    tsr__page_table_end(page);
}

/* The heat map: its picture, and its values in steps of a ten-thousandth of the largest. */
static tsr_status heat(const tsr__subject *s, double *part)
{
    tsr_status status = TSR_OK;
    const int64_t across = s->parts, down = s->samples;
    unsigned char *pixel = NULL;
    double most = 0;
    char name[TSR_NAME_SIZE];
    TSR_NEW(pixel, 3 * across * down);
    for (int64_t i = 0; i < down; i++) {
        tsr__subject_contributions(part, s, s->sample[i]);
        for (int64_t a = 0; a < s->k; a++)
            most = fmax(most, part[a]);
    }
    tsr__json *chart = tsr__page_chart(s->page, "codes", "image", "samples",
                                       "What each part contributes to each sample");
    tsr__json_text(chart, "name", "sample");
    tsr__json *columns = tsr__json_array(chart, "columns");
    for (int64_t a = 0; a < across; a++)
        tsr__json_text(columns, NULL, tsr__subject_part(name, s->by_class[a]));
    tsr__json_real(chart, "unit", most / FINEST);
    tsr__json *values = tsr__json_array(chart, "values");
    for (int64_t i = 0; i < down; i++) {
        tsr__subject_contributions(part, s, s->sample[i]);
        for (int64_t a = 0; a < across; a++) {
            const double share = most > 0 ? part[s->by_class[a]] / most : 0;
            tsr__heat_colour(pixel + 3 * (i * across + a), share);
            tsr__json_integer(values, NULL, (int64_t)lround(share * FINEST));
        }
    }
    tsr__page_picture(s->page, pixel, across, down, 3, 1, "image-codes",
                      "heat map of the codes: samples by class downwards, parts across");
    tsr__page_chart_end(s->page);
done:
    tsr__free(pixel);
    return status;
}

/* The samples themselves as tiles, in the order of the table. */
static tsr_status sheet(const tsr__subject *s)
{
    tsr_status status = TSR_OK;
    const tsr_matrix *x = tsr_data_samples(s->data);
    tsr__tiles tiles = {.pixel = NULL};
    double *values = NULL;
    TSR_NEW(values, s->m);
    TSR_TRY(tsr__tiles_open(&tiles, s->image, s->samples,
                            (int64_t)ceil(sqrt((double)s->samples)), THUMB));
    for (int64_t i = 0; i < s->samples; i++) {
        tsr_matrix_get_sample(values, x, s->sample[i]);
        TSR_TRY(tsr__tiles_draw(&tiles, i, values, 0, false));
    }
    tsr__page_html(s->page, "<details class=\"data\"><summary>Pictures of the "
                            "samples</summary><div class=\"scroll\" tabindex=\"0\" "
                            "role=\"region\" aria-label=\"Pictures of the samples\">");
    tsr__tiles_show(s->page, &tiles, 1, "samples", "the samples, by class");
    tsr__page_html(s->page, "</div></details>\n");
done:
    tsr__tiles_clear(&tiles);
    tsr__free(values);
    return status;
}

static void map(const tsr__subject *s, const double held[2], bool pictures)
{
    char title[160];
    (void)snprintf(title, sizeof title,
                   "Two principal components of the codes: %.0f %% and %.0f %% of their "
                   "variance",
                   100 * held[0], 100 * held[1]);
    tsr__json *chart = tsr__page_chart(s->page, "map", "scatter", "samples", title);
    tsr__json_text(chart, "x", "first axis");
    tsr__json_text(chart, "y", "second axis");
    tsr__json_text(chart, "series", s->labels != NULL ? "class" : "largest part");
    tsr__json_text(chart, "name", "sample");
    if (pictures)
        tsr__json_text(chart, "pictures", "samples");
    tsr__page_chart_end(s->page);
}

tsr_status tsr__show_codes(tsr__subject *s)
{
    tsr_status status = TSR_OK;
    const bool pictures = s->image.height > 0 && s->data != NULL;
    double *at = NULL, *part = NULL, held[2] = {0, 0};
    int64_t *order = NULL;
    TSR_NEW(at, 2 * s->samples);
    TSR_NEW(part, s->k);
    TSR_NEW(order, s->k);
    TSR_TRY(place(at, held, s));
    tsr__page_say(
        s->page, "Each line is a sample, each column a part, both in the order of the classes. "
                 "The stronger the colour, the more the part contributes: its code times the "
                 "length of its vector, so that parts can be compared.");
    if (s->samples < s->n)
        tsr__page_note(s->page, "%lld samples drawn from %lld are shown (--points N).",
                       (long long)s->samples, (long long)s->n);
    TSR_TRY(heat(s, part));
    tsr__page_say(
        s->page,
        "Samples that are made of the same parts lie side by side, as far as two axes can "
        "show it.%s",
        s->labels == NULL ? " Colours are of the part that contributes most." : "");
    map(s, held, pictures);
    sample_table(s, at, part, order);
    if (pictures)
        TSR_TRY(sheet(s));
done:
    tsr__free(at);
    tsr__free(part);
    tsr__free(order);
    return status;
}
