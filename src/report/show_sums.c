/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Some samples put together of their parts, the largest contribution first: what is there after one
 * part, two, .., all, and what is still missing. */
#include "report/subject.h"
#include "report/tiles.h"

#include <math.h>
#include <stdio.h>

enum { MOST_STEPS = 16, WORDS = 8, LONGEST = 64, TEXT = WORDS * 40 };

/* The samples, and the numbers of parts that are kept. */
typedef struct sums {
    const tsr__subject *s;
    int64_t *sample, samples;
    int64_t kept[MOST_STEPS], steps;
    double *error; /* samples x steps, relative to the sample */
    double *x, *made, *row, *part;
    int64_t *order;
} sums;

static void sums_clear(sums *u)
{
    tsr__free(u->sample);
    tsr__free(u->error);
    tsr__free(u->x);
    tsr__free(u->made);
    tsr__free(u->row);
    tsr__free(u->part);
    tsr__free(u->order);
}

static tsr_status open(sums *u, const tsr__subject *s)
{
    tsr_status status = TSR_OK;
    static const int64_t ladder[] = {1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 75, 100, 150};
    const int64_t wanted = s->options->samples;
    u->s = s;
    u->samples = wanted < s->samples ? wanted : s->samples;
    for (size_t i = 0; i < sizeof ladder / sizeof *ladder && ladder[i] < s->k; i++)
        u->kept[u->steps++] = ladder[i];
    u->kept[u->steps++] = s->k;
    TSR_NEW(u->sample, u->samples);
    TSR_NEW(u->error, u->samples * u->steps);
    TSR_NEW(u->x, s->m);
    TSR_NEW(u->made, s->m);
    TSR_NEW(u->row, s->m);
    TSR_NEW(u->part, s->k);
    TSR_NEW(u->order, s->k);
    for (int64_t i = 0; i < u->samples; i++) /* evenly over the classes */
        u->sample[i] = s->sample[(2 * i + 1) * s->samples / (2 * u->samples)];
done:
    return status;
}

/* Begins sample i: itself in x, nothing in made. */
static void begin(sums *u, int64_t i)
{
    tsr_matrix_get_sample(u->x, u->s->prepared, u->sample[i]);
    tsr__subject_contributions(u->part, u->s, u->sample[i]);
    tsr__order_by(u->order, u->part, u->s->k);
    for (int64_t j = 0; j < u->s->m; j++)
        u->made[j] = 0;
}

/* Adds the parts that step t has more than the one before, and measures. */
static void add(sums *u, int64_t i, int64_t t)
{
    const tsr__subject *s = u->s;
    double left = 0, all = 0;
    for (int64_t r = t > 0 ? u->kept[t - 1] : 0; r < u->kept[t]; r++) {
        const int64_t a = u->order[r];
        const double code = tsr_matrix_at(s->codes, u->sample[i], a);
        tsr_matrix_get_sample(u->row, s->basis, a);
        for (int64_t j = 0; j < s->m; j++)
            u->made[j] += code * u->row[j];
    }
    for (int64_t j = 0; j < s->m; j++) {
        if (!isfinite(u->x[j])) /* a missing value */
            continue;
        left += (u->x[j] - u->made[j]) * (u->x[j] - u->made[j]);
        all += u->x[j] * u->x[j];
    }
    u->error[i * u->steps + t] = all > 0 ? sqrt(left / all) : (double)NAN;
}

/* What is drawn or said of each step. */
static tsr_status draw_sample(sums *u, const tsr__tiles *tiles, int64_t i)
{
    tsr_status status = TSR_OK;
    double white = 0;
    begin(u, i);
    for (int64_t j = 0; j < u->s->m; j++)
        white = fmax(white, fabs(u->x[j]));
    TSR_TRY(tsr__tiles_draw(tiles, i * (u->steps + 1), u->x, white, false));
    for (int64_t t = 0; t < u->steps; t++) {
        add(u, i, t);
        TSR_TRY(tsr__tiles_draw(tiles, i * (u->steps + 1) + t + 1, u->made, white, false));
    }
done:
    return status;
}

/* The largest features of `value`. */
static const char *words_of(char out[TEXT], const tsr__subject *s, const double *value)
{
    int64_t top[WORDS], count = 0;
    char name[TSR_NAME_SIZE];
    size_t used = 0;
    for (int64_t j = 0; j < s->m; j++) {
        if (!(value[j] > 0) || (count == WORDS && !(value[j] > value[top[WORDS - 1]])))
            continue;
        int64_t at = count < WORDS ? count++ : WORDS - 1;
        for (; at > 0 && value[j] > value[top[at - 1]]; at--)
            top[at] = top[at - 1];
        top[at] = j;
    }
    *out = '\0';
    for (int64_t r = 0; r < count && used < TEXT; r++)
        used += (size_t)snprintf(out + used, TEXT - used, "%s%.36s", r > 0 ? ", " : "",
                                 tsr__subject_feature(name, s, top[r]));
    return out;
}

static void tell_sample(sums *u, tsr__json *texts, int64_t i)
{
    char text[TEXT];
    tsr__json *list = tsr__json_array(texts, NULL);
    begin(u, i);
    for (int64_t t = 0; t < u->steps; t++) {
        add(u, i, t);
        tsr__json_text(list, NULL, words_of(text, u->s, u->made));
    }
}

/* Numbers tell samples of one name apart. */
static const char *name_of(char out[TSR_NAME_SIZE], const sums *u, int64_t i)
{
    char name[TSR_NAME_SIZE];
    tsr__subject_sample(name, u->s, u->sample[i]);
    (void)snprintf(out, TSR_NAME_SIZE, "%lld: %.200s", (long long)i + 1, name);
    return out;
}

/* What the slider needs besides pictures or texts. */
static void describe(const sums *u, tsr__json *chart, tsr__json *names)
{
    char name[TSR_NAME_SIZE];
    tsr__json *kept = tsr__json_array(chart, "kept");
    for (int64_t t = 0; t < u->steps; t++)
        tsr__json_integer(kept, NULL, u->kept[t]);
    tsr__json *errors = tsr__json_array(chart, "errors");
    for (int64_t i = 0; i < u->samples; i++) {
        tsr__json_text(names, NULL, name_of(name, u, i));
        tsr__json *list = tsr__json_array(errors, NULL);
        for (int64_t t = 0; t < u->steps; t++)
            tsr__json_real(list, NULL, u->error[i * u->steps + t]);
    }
}

static tsr_status pictures(sums *u)
{
    tsr_status status = TSR_OK;
    tsr__tiles tiles = {.pixel = NULL};
    tsr__json *chart = tsr__page_chart(u->s->page, "steps", "steps", "reconstruction",
                                       "Samples put together of their parts");
    TSR_TRY(tsr__tiles_open(&tiles, u->s->image, u->samples * (u->steps + 1), u->steps + 1,
                            LONGEST));
    for (int64_t i = 0; i < u->samples; i++)
        TSR_TRY(draw_sample(u, &tiles, i));
    describe(u, chart, tsr__json_array(chart, "names"));
    tsr__json_text(chart, "pictures", "steps");
    tsr__tiles_show(u->s->page, &tiles, tsr__tiles_zoom(&tiles, LONGEST), "steps",
                    "a line a sample: itself, then the sum of its first parts");
    tsr__page_chart_end(u->s->page);
done:
    tsr__tiles_clear(&tiles);
    return status;
}

static void texts(sums *u)
{
    char text[TEXT], name[TSR_NAME_SIZE];
    tsr_page *page = u->s->page;
    tsr__json *chart = tsr__page_chart(page, "steps", "steps", "reconstruction",
                                       "Samples put together of their parts");
    tsr__json *list = tsr__json_array(chart, "texts");
    for (int64_t i = 0; i < u->samples; i++)
        tell_sample(u, list, i);
    describe(u, chart, tsr__json_array(chart, "names"));
    tsr__page_chart_end(page);
    tsr__page_table(page, "words",
                    "Largest features of a sample, and of what all its parts make", false);
    tsr__page_column(page, "sample", TSR_CELL_TEXT);
    tsr__page_column(page, "itself", TSR_CELL_TEXT);
    tsr__page_column(page, "its parts", TSR_CELL_TEXT);
    for (int64_t i = 0; i < u->samples; i++) {
        begin(u, i);
        for (int64_t t = 0; t < u->steps; t++)
            add(u, i, t);
        tsr__page_text(page, name_of(name, u, i));
        tsr__page_text(page, words_of(text, u->s, u->x));
        tsr__page_text(page, words_of(text, u->s, u->made));
    }
    tsr__page_table_end(page);
}

static void error_chart(const sums *u)
{
    char name[TSR_NAME_SIZE];
    tsr_page *page = u->s->page;
    tsr__json *chart = tsr__page_chart(page, "errors", "line", "reconstruction",
                                       "What is missing by the number of parts kept");
    tsr__json_text(chart, "x", "parts kept");
    tsr__json *y = tsr__json_array(chart, "y");
    for (int64_t i = 0; i < u->samples; i++)
        tsr__json_text(y, NULL, name_of(name, u, i));
    tsr__page_chart_end(page);
    tsr__page_table(page, "reconstruction", "Relative error by the number of parts kept", true);
    tsr__page_column(page, "parts kept", TSR_CELL_INTEGER);
    for (int64_t i = 0; i < u->samples; i++)
        tsr__page_column(page, name_of(name, u, i), TSR_CELL_PERCENT);
    for (int64_t t = 0; t < u->steps; t++) {
        tsr__page_number(page, (double)u->kept[t]);
        for (int64_t i = 0; i < u->samples; i++)
            tsr__page_number(page, u->error[i * u->steps + t]);
    }
    tsr__page_table_end(page);
}

tsr_status tsr__show_sums(tsr__subject *s)
{
    tsr_status status = TSR_OK;
    sums u = {.s = s};
    TSR_TRY(open(&u, s));
    tsr__page_say(s->page,
                  "Parts are added in the order of what they contribute to the sample; "
                  "the relative error is what is missing still, as the model sees "
                  "samples.");
    if (s->image.height > 0)
        TSR_TRY(pictures(&u));
    else
        texts(&u);
    error_chart(&u);
done:
    sums_clear(&u);
    return status;
}
