/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A PAGE: one HTML file, and the same facts as JSON (report/web/README.md says which).
 *
 * It is written from top to bottom: sections, and in them sentences, tables, charts and pictures.
 * A chart names the table that it draws, so that none is without. Texts may be anything: they are
 * made UTF-8 and escaped here, and only here. Nothing fails on the way; whoever writes the page
 * hears whether memory sufficed. */
#ifndef TSR_REPORT_PAGE_H
#define TSR_REPORT_PAGE_H

#include "base/json.h"
#include "base/memory.h"

/* A page without contents, and the options as they are taken; `kind` is "model", "experiment",
 * "selection". */
tsr_status tsr__page_begin(tsr_page **out, tsr_page_options *chosen,
                           const tsr_page_options *options, const char *kind);

#if defined(__GNUC__)
#define TSR_PAGE_FORMAT __attribute__((format(printf, 2, 3)))
#else
#define TSR_PAGE_FORMAT
#endif

/* What it is called, and what it says in a sentence or two. */
void tsr__page_title(tsr_page *page, const char *format, ...) TSR_PAGE_FORMAT;
void tsr__page_lead(tsr_page *page, const char *format, ...) TSR_PAGE_FORMAT;

/* Begins a section, and ends the one before. `id` is ours: letters and dashes. */
void tsr__page_section(tsr_page *page, const char *id, const char *title);
void tsr__page_heading(tsr_page *page, const char *text); /* within it */

/* A paragraph; a remark, as of what was left out; a command to be typed. */
void tsr__page_say(tsr_page *page, const char *format, ...) TSR_PAGE_FORMAT;
void tsr__page_note(tsr_page *page, const char *format, ...) TSR_PAGE_FORMAT;
void tsr__page_command(tsr_page *page, const char *text);

/* Tables ---------------------------------------------------------------------------------- */

typedef enum tsr__cell_kind {
    TSR_CELL_TEXT,
    TSR_CELL_INTEGER,
    TSR_CELL_REAL,   /* four digits that count */
    TSR_CELL_PERCENT /* a share of 1 */
} tsr__cell_kind;

/* A table begins; its columns follow, then its cells, row after row. The first column names the
 * rows. `folded`: it stands below its chart and is opened by a click. */
void tsr__page_table(tsr_page *page, const char *id, const char *caption, bool folded);
void tsr__page_column(tsr_page *page, const char *name, tsr__cell_kind kind);
void tsr__page_text(tsr_page *page, const char *text);                 /* NULL: none */
void tsr__page_number(tsr_page *page, double value);                   /* NaN: none */
void tsr__page_figure(tsr_page *page, const char *name, double value); /* a row of both */
void tsr__page_table_end(tsr_page *page);

/* Charts ---------------------------------------------------------------------------------- */

/* A chart of the table `table`, which is begun before or after. Columns and the like are put into
 * what is returned, which belongs to the page; tsr__page_chart_end closes the figure, which may
 * hold pictures. */
tsr__json *tsr__page_chart(tsr_page *page, const char *id, const char *kind, const char *table,
                           const char *title);
void tsr__page_chart_end(tsr_page *page);

/* An array `key` of texts, ended by NULL. */
void tsr__page_list(tsr__json *chart, const char *key, const char *const *text);

/* Pictures -------------------------------------------------------------------------------- */

/* A PNG of 1 (grey) or 3 (RGB) channels, `zoom` CSS pixels a pixel; `id` (or NULL) is its whole
 * HTML id. `alt` says what it shows. */
void tsr__page_picture(tsr_page *page, const unsigned char *pixels, int64_t width,
                       int64_t height, int channels, double zoom, const char *id,
                       const char *alt);

/* What charts know of a sheet of tiles by that id (report/tiles.h). */
tsr__json *tsr__page_sheet(tsr_page *page, const char *id);

/* HTML of our own making; texts go through tsr__page_escaped. */
void tsr__page_html(tsr_page *page, const char *format, ...) TSR_PAGE_FORMAT;
void tsr__page_escaped(tsr_page *page, const char *text);

/* The last word: nothing is added after it, and it says whether all before it went well. */
tsr_status tsr__page_close(tsr_page *page);

#endif
