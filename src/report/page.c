/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The page as it grows: HTML in a stream, facts in a tree. What a browser would take for markup is
 * escaped here; what belongs to every page (style, script, policy) comes from report/web. */
#include "report/page.h"

#include "base/output.h"
#include "base/settings.h"
#include "base/utf8.h"
#include "image/image.h"
#include "report/web.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The table that is being written. */
typedef struct open_table {
    tsr__cell_kind *kind; /* of its columns */
    int64_t columns, room;
    int64_t at; /* column of the next cell */
    bool begun; /* its body, that is */
    bool folded;
    tsr__json *head, *rows, *row;
} open_table;

struct tsr_page {
    char *title, *lead;
    char *json;       /* the facts, once it is closed */
    char *body, *nav; /* as far as their streams have come */
    size_t body_size, nav_size;
    FILE *to, *nav_to;
    tsr__json *facts, *tables, *sheets, *charts;
    open_table table;
    bool in_section;
    tsr_status status; /* of what came before */
};

static const char *const kinds[] = {"text", "integer", "real", "percent"};

static tsr_status create(tsr_page **out, const char *kind)
{
    tsr_status status = TSR_OK;
    tsr_page *page = NULL;
    TSR_NEW_ZERO(page, 1);
    page->facts = tsr__json_new();
    page->to = open_memstream(&page->body, &page->body_size);
    page->nav_to = open_memstream(&page->nav, &page->nav_size);
    if (page->facts == NULL || page->to == NULL || page->nav_to == NULL)
        TSR_FAIL(TSR_ERROR_MEMORY, "out of memory: a page cannot begin");
    tsr__json_text(page->facts, "page", kind);
    page->tables = tsr__json_object(page->facts, "tables");
    page->sheets = tsr__json_object(page->facts, "pictures");
    page->charts = tsr__json_array(page->facts, "charts");
    *out = page, page = NULL;
done:
    tsr_page_free(page);
    return status;
}

void tsr_page_free(tsr_page *page)
{
    if (page == NULL)
        return;
    if (page->to != NULL)
        (void)fclose(page->to);
    if (page->nav_to != NULL)
        (void)fclose(page->nav_to);
    tsr__json_free(page->facts);
    tsr__free(page->table.kind);
    free(page->body); /* the system's, as asprintf's are */
    free(page->nav);
    free(page->json);
    free(page->title);
    free(page->lead);
    tsr__free(page);
}

tsr_status tsr__page_begin(tsr_page **out, tsr_page_options *chosen,
                           const tsr_page_options *options, const char *kind)
{
    tsr_settings_default(tsr_page_settings(), chosen);
    if (options != NULL)
        *chosen = *options;
    TSR_OR_RETURN(tsr_settings_check(tsr_page_settings(), chosen));
    return create(out, kind);
}

/* Texts ----------------------------------------------------------------------------------- */

/* As characters of an element or an attribute in double quotes. Line ends and tabs are blanks, other
 * controls are marked. */
static void escape(FILE *to, const char *text)
{
    char bytes[4];
    uint32_t point = 0;
    while (*text != '\0') {
        text = tsr__utf8_get(&point, text);
        if (point == '&')
            (void)fputs("&amp;", to);
        else if (point == '<')
            (void)fputs("&lt;", to);
        else if (point == '>')
            (void)fputs("&gt;", to);
        else if (point == '"')
            (void)fputs("&quot;", to);
        else if (point == '\n' || point == '\t' || point == '\r')
            (void)fputc(' ', to);
        else {
            if (point < 0x20 || (point >= 0x7f && point < 0xa0))
                point = 0xfffd;
            (void)fwrite(bytes, 1, (size_t)tsr__utf8_put(bytes, point), to);
        }
    }
}

void tsr__page_escaped(tsr_page *page, const char *text)
{
    escape(page->to, text);
}

static char *fill(tsr_page *page, const char *format, va_list arguments)
{
    char *text = NULL;
    if (vasprintf(&text, format, arguments) >= 0)
        return text;
    page->status = TSR_ERROR_MEMORY;
    return NULL;
}

static void put_line(tsr_page *page, const char *before, const char *text, const char *after)
{
    (void)fputs(before, page->to);
    escape(page->to, text != NULL ? text : "");
    (void)fputs(after, page->to);
}

#define FILL(text)                                                                             \
    va_list arguments;                                                                         \
    va_start(arguments, format);                                                               \
    (text) = fill(page, format, arguments);                                                    \
    va_end(arguments)

void tsr__page_title(tsr_page *page, const char *format, ...)
{
    free(page->title);
    FILL(page->title);
    tsr__json_text(page->facts, "title", page->title);
}

void tsr__page_lead(tsr_page *page, const char *format, ...)
{
    free(page->lead);
    FILL(page->lead);
    tsr__json_text(page->facts, "lead", page->lead);
}

void tsr__page_say(tsr_page *page, const char *format, ...)
{
    char *text = NULL;
    FILL(text);
    put_line(page, "<p>", text, "</p>\n");
    free(text);
}

void tsr__page_note(tsr_page *page, const char *format, ...)
{
    char *text = NULL;
    FILL(text);
    put_line(page, "<p class=\"note\">", text, "</p>\n");
    free(text);
}

void tsr__page_html(tsr_page *page, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vfprintf(page->to, format, arguments);
    va_end(arguments);
}

void tsr__page_command(tsr_page *page, const char *text)
{
    put_line(page, "<pre class=\"command\" tabindex=\"0\"><code>", text, "</code></pre>\n");
}

void tsr__page_heading(tsr_page *page, const char *text)
{
    put_line(page, "<h3>", text, "</h3>\n");
}

static void end_section(tsr_page *page)
{
    if (page->in_section)
        (void)fputs("</section>\n", page->to);
    page->in_section = false;
}

void tsr__page_section(tsr_page *page, const char *id, const char *title)
{
    end_section(page);
    page->in_section = true;
    (void)fprintf(page->nav_to, "<li><a href=\"#%s\">", id);
    escape(page->nav_to, title);
    (void)fputs("</a></li>\n", page->nav_to);
    (void)fprintf(page->to, "<section id=\"%s\" aria-labelledby=\"%s-title\">\n", id, id);
    (void)fprintf(page->to, "<h2 id=\"%s-title\">", id);
    put_line(page, "", title, "</h2>\n");
}

/* Tables ---------------------------------------------------------------------------------- */

void tsr__page_table(tsr_page *page, const char *id, const char *caption, bool folded)
{
    open_table *t = &page->table;
    t->columns = t->at = 0;
    t->begun = false;
    t->folded = folded;
    if (folded)
        put_line(page, "<details class=\"data\"><summary>", caption, "</summary>\n");
    put_line(page, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"",
             caption, "\">");
    (void)fprintf(page->to, "<table id=\"table-%s\">", id);
    put_line(page, "<caption>", caption, "</caption>\n<thead><tr>");
    tsr__json *table = tsr__json_object(page->tables, id);
    tsr__json_text(table, "caption", caption);
    t->head = tsr__json_array(table, "columns");
    t->rows = tsr__json_array(table, "rows");
}

void tsr__page_column(tsr_page *page, const char *name, tsr__cell_kind kind)
{
    tsr_status status = TSR_OK;
    open_table *t = &page->table;
    TSR_GROW(t->kind, t->columns, t->room);
    t->kind[t->columns++] = kind;
    (void)fprintf(page->to, "<th scope=\"col\"%s>",
                  kind != TSR_CELL_TEXT ? " class=\"n\"" : "");
    put_line(page, "<bdi>", name, "</bdi></th>");
    tsr__json *column = tsr__json_object(t->head, NULL);
    tsr__json_text(column, "name", name);
    tsr__json_text(column, "kind", kinds[kind]);
done:
    if (status < 0)
        page->status = status;
}

/* Opens the cell that is next; returns what it holds. */
static tsr__cell_kind open_cell(tsr_page *page)
{
    open_table *t = &page->table;
    const tsr__cell_kind kind = t->at < t->columns ? t->kind[t->at] : TSR_CELL_TEXT;
    if (!t->begun)
        (void)fputs("</tr></thead>\n<tbody>\n", page->to);
    t->begun = true;
    if (t->at == 0) {
        (void)fputs("<tr>", page->to);
        t->row = tsr__json_array(t->rows, NULL);
    }
    (void)fputs(t->at == 0 ? "<th scope=\"row\"" : "<td", page->to);
    (void)fputs(kind != TSR_CELL_TEXT ? " class=\"n\">" : ">", page->to);
    return kind;
}

static void close_cell(tsr_page *page)
{
    open_table *t = &page->table;
    (void)fputs(t->at == 0 ? "</th>" : "</td>", page->to);
    if (++t->at >= t->columns) {
        (void)fputs("</tr>\n", page->to);
        t->at = 0;
    }
}

void tsr__page_text(tsr_page *page, const char *text)
{
    (void)open_cell(page);
    if (text != NULL)
        put_line(page, "<bdi>", text, "</bdi>");
    tsr__json_text(page->table.row, NULL, text);
    close_cell(page);
}

void tsr__page_number(tsr_page *page, double value)
{
    const tsr__cell_kind kind = open_cell(page);
    tsr__json *row = page->table.row;
    if (kind == TSR_CELL_INTEGER && fabs(value) < 9e15)
        tsr__json_integer(row, NULL, (int64_t)value);
    else
        tsr__json_real(row, NULL, value);
    if (!isfinite(value))
        (void)fputs("–", page->to);
    else if (kind == TSR_CELL_INTEGER ||
             (kind == TSR_CELL_REAL && value == floor(value) && fabs(value) < 1e15))
        (void)fprintf(page->to, "%.0f", value);
    else if (kind == TSR_CELL_PERCENT)
        (void)fprintf(page->to, "%.1f %%", 100 * value);
    else
        (void)fprintf(page->to, "%.4g", value);
    close_cell(page);
}

void tsr__page_figure(tsr_page *page, const char *name, double value)
{
    tsr__page_text(page, name);
    tsr__page_number(page, value);
}

void tsr__page_table_end(tsr_page *page)
{
    const open_table *t = &page->table;
    if (!t->begun)
        (void)fputs("</tr></thead>\n<tbody>\n", page->to);
    (void)fprintf(page->to, "</tbody></table></div>%s\n", t->folded ? "</details>" : "");
}

/* Charts ---------------------------------------------------------------------------------- */

tsr__json *tsr__page_chart(tsr_page *page, const char *id, const char *kind, const char *table,
                           const char *title)
{
    tsr__json *chart = tsr__json_object(page->charts, NULL);
    tsr__json_text(chart, "id", id);
    tsr__json_text(chart, "kind", kind);
    tsr__json_text(chart, "table", table);
    tsr__json_text(chart, "title", title);
    (void)fprintf(page->to, "<figure class=\"chart\" id=\"chart-%s\"><figcaption>", id);
    put_line(page, "", title, "</figcaption>\n");
    return chart;
}

void tsr__page_chart_end(tsr_page *page)
{
    (void)fputs("</figure>\n", page->to);
}

void tsr__page_list(tsr__json *chart, const char *key, const char *const *text)
{
    tsr__json *list = tsr__json_array(chart, key);
    for (; *text != NULL; text++)
        tsr__json_text(list, NULL, *text);
}

/* Pictures -------------------------------------------------------------------------------- */

static void put_base64(FILE *to, const unsigned char *bytes, size_t size)
{
    static const char digit[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        const size_t have = size - i < 3 ? size - i : 3;
        const uint32_t three = (uint32_t)bytes[i] << 16 |
                               (have > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                               (have > 2 ? (uint32_t)bytes[i + 2] : 0);
        const char four[] = {digit[three >> 18], digit[three >> 12 & 63],
                             have > 1 ? digit[three >> 6 & 63] : '=',
                             have > 2 ? digit[three & 63] : '='};
        (void)fwrite(four, 1, sizeof four, to);
    }
}

void tsr__page_picture(tsr_page *page, const unsigned char *pixels, int64_t width,
                       int64_t height, int channels, double zoom, const char *id,
                       const char *alt)
{
    tsr_status status = TSR_OK;
    char *bytes = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&bytes, &size);
    if (to == NULL)
        TSR_FAIL(TSR_ERROR_MEMORY, "out of memory: a picture cannot begin");
    status = tsr__image_print_png(to, pixels, width, height, channels);
    if (fclose(to) != 0 || status < 0)
        goto done;
    (void)fputs("<img", page->to);
    if (id != NULL)
        (void)fprintf(page->to, " id=\"%s\"", id);
    (void)fprintf(page->to, " width=\"%.0f\" height=\"%.0f\"", fmax((double)width * zoom, 1),
                  fmax((double)height * zoom, 1));
    put_line(page, " alt=\"", alt, "\" src=\"data:image/png;base64,");
    put_base64(page->to, (const unsigned char *)bytes, size);
    (void)fputs("\">", page->to);
done:
    free(bytes);
    if (status < 0)
        page->status = status;
}

tsr__json *tsr__page_sheet(tsr_page *page, const char *id)
{
    return tsr__json_object(page->sheets, id);
}

/* Out ------------------------------------------------------------------------------------- */

static void print_head(FILE *to, const tsr_page *page)
{
    (void)fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta http-equiv=\"Content-Security-Policy\" content=\"",
                to);
    (void)fwrite(tsr__web_csp, 1, tsr__web_csp_size, to);
    (void)fputs("\">\n<meta name=\"viewport\" content=\"width=device-width, "
                "initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n"
                "<meta name=\"generator\" content=\"tessera " TSR_VERSION "\">\n"
                "<link rel=\"icon\" href=\"data:,\">\n<title>",
                to);
    escape(to, page->title != NULL ? page->title : "Tessera");
    (void)fputs("</title>\n<style>", to);
    (void)fwrite(tsr__web_css, 1, tsr__web_css_size, to);
    (void)fputs("</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">To the "
                "contents</a>\n<header><h1>",
                to);
    escape(to, page->title != NULL ? page->title : "Tessera");
    (void)fputs("</h1>\n<p class=\"lead\">", to);
    escape(to, page->lead != NULL ? page->lead : "");
    (void)fputs("</p></header>\n<nav aria-label=\"Sections\"><ul>\n", to);
}

static void print_all(FILE *to, const tsr_page *page)
{
    print_head(to, page);
    (void)fwrite(page->nav, 1, page->nav_size, to);
    (void)fputs("</ul></nav>\n<main id=\"main\">\n<noscript><p class=\"note\">Charts are drawn "
                "by a script. Without it each one's numbers are in the table below "
                "it.</p></noscript>\n",
                to);
    (void)fwrite(page->body, 1, page->body_size, to);
    (void)fputs("</main>\n<footer><p>Made by tessera " TSR_VERSION
                ". This file needs no network. Charts by Apache ECharts (Apache License "
                "2.0).</p></footer>\n<script type=\"application/json\" id=\"facts\">",
                to);
    (void)fputs(page->json, to);
    (void)fputs("</script>\n<script>", to);
    (void)fwrite(tsr__web_js, 1, tsr__web_js_size, to);
    (void)fputs("</script>\n</body>\n</html>\n", to);
}

tsr_status tsr__page_close(tsr_page *page)
{
    tsr_status status = TSR_OK;
    size_t size = 0;
    FILE *to = open_memstream(&page->json, &size);
    end_section(page);
    const bool failed = to == NULL || fflush(page->to) != 0 || fflush(page->nav_to) != 0 ||
                        ferror(page->to) != 0 || ferror(page->nav_to) != 0;
    if (failed || page->status == TSR_ERROR_MEMORY)
        TSR_FAIL(TSR_ERROR_MEMORY, "out of memory: the page is too large");
    TSR_TRY(page->status);
    TSR_TRY(tsr__json_embed(page->facts, to));
done:
    if (to != NULL && fclose(to) != 0 && status == TSR_OK)
        status = tsr__fail(TSR_ERROR_MEMORY, "out of memory: the page is too large");
    return status;
}

const char *tsr_page_facts(const tsr_page *page)
{
    return page != NULL ? page->json : NULL;
}

tsr_status tsr_page_write(const tsr_page *page, const char *path)
{
    TSR_REQUIRE(page);
    TSR_REQUIRE_TEXT(path);
    tsr_status status = TSR_OK;
    tsr__output output = {NULL, NULL, 0};
    FILE *to = NULL;
    TSR_TRY(tsr__output_begin(&output, path, false));
    to = fopen(output.temporary, "we");
    if (to == NULL)
        TSR_FAIL(TSR_ERROR_IO, "cannot be written: %s", strerror(errno));
    print_all(to, page);
    const bool failed = ferror(to) != 0;
    const bool unclosed = fclose(to) != 0;
    if (failed || unclosed)
        TSR_FAIL(TSR_ERROR_IO, "cannot be written: %s", strerror(errno));
    TSR_TRY(tsr__output_commit(&output));
done:
    tsr__output_abandon(&output);
    return status < 0 ? tsr__fail_in(status, path) : status;
}
