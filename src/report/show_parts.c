/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The parts: as pictures, else as the words or features that they are about, each with its ranks,
 * class, share of the data and the samples that use it most. */
#include "report/subject.h"
#include "report/tiles.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TERMS = 10, USERS = 5, LONGEST = 96, THUMB = 32 };

/* What is known of all parts. */
typedef struct facts {
    int64_t *place[2]; /* rank by LRE, Fisher, from 1; NULL: not ranked */
    int64_t *user;     /* samples that use it most, k x USERS, or -1 */
} facts;

static void facts_clear(facts *f)
{
    tsr__free(f->place[0]);
    tsr__free(f->place[1]);
    tsr__free(f->user);
}

/* Ranks need samples, Fisher's their classes too; where they cannot be had there are none. */
static tsr_status rank(int64_t **place, const tsr__subject *s, tsr_rank_by by)
{
    tsr_status status = TSR_OK;
    int64_t *order = NULL, *found = NULL;
    const int32_t *classes = s->labels != NULL ? tsr_labels_of(s->labels) : NULL;
    if (s->prepared == NULL || (by == TSR_RANK_FISHER && classes == NULL))
        return TSR_OK;
    TSR_NEW(order, s->k);
    TSR_NEW(found, s->k);
    const tsr_status ranked =
        tsr_rank_basis(order, NULL, s->basis, s->codes, s->prepared, classes, by);
    if (ranked == TSR_ERROR_MEMORY)
        TSR_TRY(ranked);
    if (ranked < 0)
        goto done;
    for (int64_t r = 0; r < s->k; r++)
        found[order[r]] = r + 1;
    *place = found, found = NULL;
done:
    tsr__free(order);
    tsr__free(found);
    return status;
}

/* Keeps the largest codes of a vector, most first. */
static void offer(int64_t *user, double *best, int64_t sample, double code)
{
    int at = USERS;
    while (at > 0 && code > best[at - 1])
        at--;
    if (at == USERS || !(code > 0))
        return;
    memmove(user + at + 1, user + at, (size_t)(USERS - 1 - at) * sizeof *user);
    memmove(best + at + 1, best + at, (size_t)(USERS - 1 - at) * sizeof *best);
    user[at] = sample;
    best[at] = code;
}

static tsr_status find_users(facts *f, const tsr__subject *s)
{
    tsr_status status = TSR_OK;
    double *code = NULL, *best = NULL;
    TSR_NEW(code, s->k);
    TSR_NEW_ZERO(best, s->k * USERS);
    TSR_NEW(f->user, s->k * USERS);
    for (int64_t i = 0; i < s->k * USERS; i++)
        f->user[i] = -1;
    for (int64_t i = 0; i < s->n; i++) {
        tsr_matrix_get_sample(code, s->codes, i);
        for (int64_t a = 0; a < s->k; a++)
            offer(f->user + a * USERS, best + a * USERS, i, code[a]);
    }
done:
    tsr__free(code);
    tsr__free(best);
    return status;
}

static tsr_status gather(facts *f, const tsr__subject *s)
{
    tsr_status status = TSR_OK;
    TSR_TRY(rank(&f->place[0], s, TSR_RANK_LRE));
    TSR_TRY(rank(&f->place[1], s, TSR_RANK_FISHER));
    TSR_TRY(find_users(f, s));
done:
    return status;
}

static const char *class_of(const tsr__subject *s, int64_t a)
{
    return s->class[a] >= 0 ? tsr_labels_name(tsr_model_labels(s->model), s->class[a]) : NULL;
}

/* The gallery ----------------------------------------------------------------------------- */

/* Rows of `x` as tiles of one column. */
static tsr_status draw(tsr__tiles *out, const tsr__subject *s, const tsr_matrix *x,
                       const int64_t *row, int64_t rows, int64_t longest)
{
    tsr_status status = TSR_OK;
    double *values = NULL;
    TSR_NEW(values, s->m);
    TSR_TRY(tsr__tiles_open(out, s->image, rows, 1, longest));
    for (int64_t i = 0; i < rows; i++) {
        if (row[i] < 0)
            continue;
        tsr_matrix_get_sample(values, x, row[i]);
        TSR_TRY(tsr__tiles_draw(out, i, values, 0, x == s->basis && s->both_signs));
    }
done:
    tsr__free(values);
    return status;
}

/* Words or other features as bars. */
static tsr_status list_terms(const tsr__subject *s, int64_t a)
{
    tsr_term term[TERMS];
    char name[TSR_NAME_SIZE];
    int64_t count = 0;
    TSR_OR_RETURN(tsr_basis_terms(term, &count, s->basis, a, TERMS, 0));
    tsr__page_html(s->page, "<table class=\"terms\">");
    for (int64_t i = 0; i < count; i++) {
        tsr__page_html(s->page, "<tr><th scope=\"row\"><bdi>");
        tsr__page_escaped(s->page, tsr__subject_feature(name, s, term[i].feature));
        tsr__page_html(s->page,
                       "</bdi></th><td class=\"n\"><progress max=\"1\" value=\"%.3f\" "
                       "aria-label=\"weight of ",
                       fmin(term[i].weight / term[0].weight, 1));
        tsr__page_escaped(s->page, name);
        tsr__page_html(s->page, "\"></progress> %.2f</td></tr>\n", term[i].weight);
    }
    tsr__page_html(s->page, "</table>\n");
    return TSR_OK;
}

static void caption(const tsr__subject *s, const facts *f, int64_t a)
{
    static const char *const ranks[] = {"LRE", "Fisher"};
    tsr__page_html(s->page,
                   "<figcaption><strong>part %lld</strong> · <span>%.1f %% of the "
                   "data</span>",
                   (long long)a, 100 * s->share[a]);
    for (int i = 0; i < 2; i++)
        if (f->place[i] != NULL)
            tsr__page_html(s->page, " · <span>%s %lld</span>", ranks[i],
                           (long long)f->place[i][a]);
    if (class_of(s, a) != NULL) {
        tsr__page_html(s->page, " · <span>class <bdi>");
        tsr__page_escaped(s->page, class_of(s, a));
        tsr__page_html(s->page, "</bdi></span>");
    }
    tsr__page_html(s->page, "</figcaption>\n");
}

/* The samples that use it most: pictures where there are any, else names. */
static void users(const tsr__subject *s, const facts *f, const tsr__tiles *thumbs, int64_t at)
{
    const int64_t *user = f->user + s->by_share[at] * USERS;
    char name[TSR_NAME_SIZE];
    if (user[0] < 0 || (thumbs == NULL && s->data == NULL))
        return;
    tsr__page_html(s->page,
                   thumbs != NULL ? "<div class=\"samples\">" : "<ul class=\"samples\">");
    for (int64_t i = 0; i < USERS && user[i] >= 0; i++) {
        tsr__subject_sample(name, s, user[i]);
        if (thumbs != NULL) {
            tsr__tiles_show_one(s->page, thumbs, at * USERS + i, tsr__tiles_zoom(thumbs, THUMB),
                                name);
            continue;
        }
        tsr__page_html(s->page, "<li><bdi>");
        tsr__page_escaped(s->page, name);
        tsr__page_html(s->page, "</bdi></li>");
    }
    tsr__page_html(s->page, thumbs != NULL ? "</div>\n" : "</ul>\n");
}

static tsr_status gallery(const tsr__subject *s, const facts *f)
{
    tsr_status status = TSR_OK;
    const bool pictures = s->image.height > 0 && s->linear;
    const bool thumbs = pictures && s->data != NULL;
    char name[TSR_NAME_SIZE];
    tsr__tiles tile = {.pixel = NULL}, thumb = {.pixel = NULL};
    int64_t *user = NULL;
    TSR_NEW(user, s->parts * USERS);
    for (int64_t i = 0; i < s->parts; i++)
        memcpy(user + i * USERS, f->user + s->by_share[i] * USERS, USERS * sizeof *user);
    if (pictures)
        TSR_TRY(draw(&tile, s, s->basis, s->by_share, s->parts, LONGEST));
    if (thumbs)
        TSR_TRY(draw(&thumb, s, tsr_data_samples(s->data), user, s->parts * USERS, THUMB));
    tsr__page_html(s->page, "<div class=\"parts\">\n");
    for (int64_t i = 0; i < s->parts; i++) {
        const int64_t a = s->by_share[i];
        tsr__page_html(s->page, "<figure class=\"part\" id=\"part-%lld\">", (long long)a);
        if (pictures)
            tsr__tiles_show_one(s->page, &tile, i, tsr__tiles_zoom(&tile, 128),
                                tsr__subject_part(name, a));
        else
            TSR_TRY(list_terms(s, a));
        caption(s, f, a);
        users(s, f, thumbs ? &thumb : NULL, i);
        tsr__page_html(s->page, "</figure>\n");
    }
    tsr__page_html(s->page, "</div>\n");
done:
    tsr__tiles_clear(&tile);
    tsr__tiles_clear(&thumb);
    tsr__free(user);
    return status;
}

/* The table ------------------------------------------------------------------------------- */

static void put_users(const tsr__subject *s, const int64_t *user)
{
    char name[TSR_NAME_SIZE], all[USERS * (TSR_NAME_SIZE + 2)] = "";
    size_t used = 0;
    for (int64_t i = 0; i < USERS && user[i] >= 0; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i > 0 ? ", " : "",
                                 tsr__subject_sample(name, s, user[i]));
    tsr__page_text(s->page, all);
}

static void part_table(const tsr__subject *s, const facts *f)
{
    char name[TSR_NAME_SIZE];
    tsr_page *page = s->page;
    tsr__page_table(page, "parts", "Parts by share", true);
    tsr__page_column(page, "part", TSR_CELL_TEXT);
    tsr__page_column(page, "share", TSR_CELL_PERCENT);
    tsr__page_column(page, "rank by LRE", TSR_CELL_INTEGER);
    tsr__page_column(page, "rank by Fisher", TSR_CELL_INTEGER);
    tsr__page_column(page, "class", TSR_CELL_TEXT);
    tsr__page_column(page, "of it for that class, labels seen", TSR_CELL_PERCENT);
    tsr__page_column(page, "samples that use it most", TSR_CELL_TEXT);
    for (int64_t i = 0; i < s->parts; i++) {
        const int64_t a = s->by_share[i];
        tsr__page_text(page, tsr__subject_part(name, a));
        tsr__page_number(page, s->share[a]);
        for (int r = 0; r < 2; r++)
            tsr__page_number(page, f->place[r] != NULL ? (double)f->place[r][a] : (double)NAN);
        tsr__page_text(page, class_of(s, a));
        tsr__page_number(page, s->class[a] >= 0 ? s->served[a] : (double)NAN);
        put_users(s, f->user + a * USERS);
    }
    tsr__page_table_end(page);
}

static void explain(const tsr__subject *s)
{
    const bool pictures = s->image.height > 0 && s->linear;
    tsr__page_say(
        s->page,
        "Every sample is a sum of these, each times its code. The share is what a part "
        "contributes to all samples; LRE ranks parts by what each alone leaves of the data, "
        "Fisher by how well it tells classes apart, by all labels that are known (1 is best); "
        "the class is that of its block, or the one that uses it most among samples whose "
        "label the learner saw. Parts are numbered from 0, as everywhere, and the largest "
        "comes "
        "first.");
    if (pictures && s->both_signs)
        tsr__page_say(s->page, "Parts have values below zero: mid-grey is zero.");
    if (!s->linear)
        tsr__page_note(s->page,
                       "This model has a kernel: its parts live in the kernel's space, "
                       "and what is listed is its mixture of the samples.");
    if (s->parts < s->k)
        tsr__page_note(s->page,
                       "The %lld parts with the largest share are shown, of %lld "
                       "(--parts N).",
                       (long long)s->parts, (long long)s->k);
}

tsr_status tsr__show_parts(tsr__subject *s)
{
    tsr_status status = TSR_OK;
    facts f = {{NULL, NULL}, NULL};
    explain(s);
    TSR_TRY(gather(&f, s));
    TSR_TRY(gallery(s, &f));
    tsr__json *chart = tsr__page_chart(s->page, "shares", "bar", "parts", "Share by part");
    tsr__json_text(chart, "x", "part");
    tsr__page_list(chart, "y", (const char *const[]){"share", NULL});
    tsr__page_chart_end(s->page);
    part_table(s, &f);
done:
    facts_clear(&f);
    return status;
}
