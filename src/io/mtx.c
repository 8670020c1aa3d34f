/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Matrix Market (.mtx): rows are samples.
 *
 *     %%MatrixMarket matrix coordinate|array real|double|integer|pattern general|symmetric|...
 *     % comments
 *     rows columns [entries]
 *     row column [value]          one entry a line, from 1; array: values column by column
 *
 * Coordinates become sparse rows, entries of one position are summed; an array becomes dense.
 * Of a symmetric or skew-symmetric matrix one triangle is in the file. Lines are parsed in
 * parallel; entries that are not sorted by row take one more pass: O(entries + rows). */
#include "base/bound.h"
#include "base/progress.h"
#include "base/text.h"
#include "io/entries.h"
#include "io/file.h"
#include "io/format.h"
#include "io/lines.h"
#include "io/window.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define BLANKS " \t\r"

static const tsr__line_rule rule = {.blanks = BLANKS};

enum { HEAD = 1 << 16 }; /* bytes of a first window, which has the sizes in it */

enum { GENERAL, SYMMETRIC, SKEW };

enum {
    FAULT_ROW,
    FAULT_COLUMN,
    FAULT_VALUE,
    FAULT_MORE,
    FAULT_ROW_RANGE,
    FAULT_COLUMN_RANGE,
    FAULT_DIAGONAL
};

typedef struct head {
    bool coordinate, pattern;
    int symmetry;
    const char *field; /* static */
    int64_t rows, columns, entries;
    const char *text, *body, *end; /* the file, or a window of it */
    int64_t lines_before;          /* of the file, before the text */
    int64_t size;                  /* of the file */
    int64_t line;                  /* of the sizes */
} head;

typedef struct reader {
    head head;
    tsr__entries entries;
    double *value; /* of an array: the dense matrix */
} reader;

static const char *next_word(const char **word, size_t *length, const char *at, const char *end)
{
    at = tsr__skip(at, end, BLANKS);
    *word = at;
    while (at < end && *at != '\n' && strchr(BLANKS, *at) == NULL)
        at++;
    *length = (size_t)(at - *word);
    return at;
}

/* The position of the word at *at among `words`, or -1. */
static int choose(const char **at, const char *end, const char *const *words)
{
    const char *word = NULL;
    size_t length = 0;
    *at = next_word(&word, &length, *at, end);
    for (int i = 0; words[i] != NULL; i++)
        if (strlen(words[i]) == length && strncasecmp(words[i], word, length) == 0)
            return i;
    return -1;
}

static tsr_status parse_banner(head *h, const char **at)
{
    static const char *const banner[] = {"%%MatrixMarket", NULL}, *const object[] = {"matrix",
                                                                                     NULL};
    static const char *const layout[] = {"coordinate", "array", NULL};
    static const char *const fields[] = {"real",    "double",  "integer",
                                         "pattern", "complex", NULL};
    static const char *const symmetry[] = {"general", "symmetric", "skew-symmetric",
                                           "hermitian", NULL};
    if (choose(at, h->end, banner) < 0 || choose(at, h->end, object) < 0)
        return tsr__fail(TSR_ERROR_FORMAT,
                         "line 1 does not begin with '%%%%MatrixMarket matrix'");
    const int a = choose(at, h->end, layout), b = choose(at, h->end, fields);
    const int c = choose(at, h->end, symmetry);
    if (a < 0 || b < 0 || c < 0)
        return tsr__fail(TSR_ERROR_FORMAT, "line 1: %s",
                         a < 0   ? "the layout is neither coordinate nor array"
                         : b < 0 ? "the field is neither real, double, integer nor "
                                   "pattern"
                                 : "the symmetry is neither general, symmetric nor "
                                   "skew-symmetric");
    if (b == 4)
        return tsr__fail(TSR_ERROR_UNSUPPORTED, "line 1: complex values are not supported");
    if (c == 3)
        return tsr__fail(TSR_ERROR_FORMAT, "line 1: %s values cannot be hermitian", fields[b]);
    if (b == 3 && (a == 1 || c == SKEW))
        return tsr__fail(TSR_ERROR_FORMAT, "line 1: a pattern cannot be %s",
                         a == 1 ? "an array" : "skew-symmetric");
    h->coordinate = a == 0, h->pattern = b == 3, h->symmetry = c, h->field = fields[b];
    return TSR_OK;
}

static const char *after_line(const char *at, const char *end)
{
    const char *line_end = tsr__line_end(at, end);
    return line_end < end ? line_end + 1 : end;
}

/* Values that an array of this shape has in the file; false where they cannot be counted. */
static bool count_array(head *h)
{
    int64_t all = 0;
    if (!tsr__multiply(&all, h->rows, h->columns) || all > INT64_MAX / 2)
        return false;
    const int64_t diagonal = h->symmetry == GENERAL ? all
                             : h->symmetry == SKEW  ? -h->rows
                                                    : h->rows;
    h->entries = (all + diagonal) / 2;
    return true;
}

static tsr_status check_sizes(const head *h, bool counted)
{
    const int64_t bytes =
        h->size - (h->body - h->text) + 1; /* the last line may lack its end */
    const int64_t least = !h->coordinate ? 2 : h->pattern ? 4 : 6;
    const long long line = h->line, rows = h->rows, columns = h->columns;
    if (h->symmetry != GENERAL && h->rows != h->columns)
        return tsr__fail(TSR_ERROR_FORMAT, "line %lld: %lld x %lld cannot be symmetric", line,
                         rows, columns);
    if (h->rows < 0 || h->columns < 0 || h->entries < 0)
        return tsr__fail(TSR_ERROR_FORMAT, "line %lld: a size is negative", line);
    if (h->columns > INT32_MAX && h->coordinate)
        return tsr__fail(TSR_ERROR_UNSUPPORTED,
                         "line %lld: %lld columns exceed the limit of %d", line, columns,
                         INT32_MAX);
    if (!counted)
        return tsr__fail(TSR_ERROR_FORMAT,
                         "line %lld: %lld x %lld values are too many to count", line, rows,
                         columns);
    if (h->entries > bytes / least)
        return tsr__fail(TSR_ERROR_FORMAT,
                         "line %lld claims %lld entries, but the file ends after %lld bytes",
                         line, (long long)h->entries, (long long)h->size);
    return TSR_OK;
}

/* Of an array, half of which may be in the file, and of rows and columns without entries. */
static tsr_status check_bound(const head *h, const tsr__request *request)
{
    const tsr__bound bound = {h->size, request->options->expand};
    const double rows = (double)h->rows, columns = (double)h->columns;
    if (!h->coordinate)
        return tsr__bound_check(&bound, 8 * rows * columns + 8 * rows + 8 * columns,
                                "an array of %.0f x %.0f", rows, columns);
    return tsr__bound_check_sparse(&bound, rows, columns,
                                   (double)h->entries * (h->symmetry == GENERAL ? 1 : 2));
}

/* Of the text from `begin` to `end`, with which a file of `size` bytes begins. */
static tsr_status parse_head(head *out, const char *begin, const char *end, int64_t size)
{
    tsr_status status = TSR_OK;
    head h = {.text = begin, .end = end, .size = size};
    const char *at = h.text;
    TSR_TRY(parse_banner(&h, &at));
    for (at = after_line(at, h.end); at < h.end; at = after_line(at, h.end)) {
        const char *text = tsr__skip(at, h.end, BLANKS);
        if (text < h.end && *text != '%' && *text != '\n')
            break;
    }
    int64_t *const sizes[] = {&h.rows, &h.columns, &h.entries};
    h.line = tsr__line_number(h.text, at);
    for (int i = 0; i < (h.coordinate ? 3 : 2); i++) {
        const char *number = tsr__skip(at, h.end, BLANKS);
        at = tsr__parse_integer(sizes[i], number, h.end);
        if (at == number)
            TSR_FAIL(TSR_ERROR_FORMAT, "line %lld should be %s", (long long)h.line,
                     h.coordinate ? "'rows columns entries'" : "'rows columns'");
    }
    at = tsr__skip(at, h.end, BLANKS);
    if (at < h.end && *at != '\n')
        TSR_FAIL(TSR_ERROR_FORMAT, "line %lld goes on after the sizes", (long long)h.line);
    h.body = after_line(at, h.end);
    const bool counted = h.coordinate || h.rows < 0 || h.columns < 0 || count_array(&h);
    TSR_TRY(check_sizes(&h, counted));
    *out = h;
done:
    return status;
}

static inline const char *past_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
        at++;
    return at;
}

/* An index and the blanks before it; numbers of up to 18 digits cannot overflow. */
static inline const char *take_index(int64_t *out, const char *at, const char *end)
{
    const char *first = past_blanks(at, end), *p = first;
    int64_t value = 0;
    while (p < end && p - first < 18 && (unsigned char)(*p - '0') < 10)
        value = value * 10 + (*p++ - '0');
    *out = value;
    if (p > first && (p == end || (unsigned char)(*p - '0') >= 10))
        return p;
    p = tsr__parse_integer(out, first, end);
    return p == first ? at : p;
}

/* One line "row column [value]"; the kind of fault, or -1 and *from at its end. */
static int take_entry(const reader *r, const char **from, const char *end, int64_t k,
                      int64_t *bad)
{
    const head *h = &r->head;
    int64_t row = 0, column = 0;
    const char *number = take_index(&row, *from, end);
    if (number == *from)
        return FAULT_ROW;
    const char *at = take_index(&column, number, end);
    if (at == number)
        return FAULT_COLUMN;
    r->entries.value[k] = 1;
    if (!h->pattern) {
        number = past_blanks(at, end);
        at = tsr__parse_real(&r->entries.value[k], number, end);
        if (at == number)
            return FAULT_VALUE;
    }
    at = past_blanks(at, end);
    if (at < end && *at != '\n')
        return FAULT_MORE;
    *bad = row;
    if (row < 1 || row > h->rows)
        return FAULT_ROW_RANGE;
    if (h->symmetry == SKEW && row == column)
        return FAULT_DIAGONAL;
    *bad = column;
    if (column < 1 || column > h->columns)
        return FAULT_COLUMN_RANGE;
    *from = at;
    r->entries.row[k] = row - 1;
    r->entries.column[k] = (int32_t)(column - 1);
    return -1;
}

/* The first byte of the next line that counts. */
static const char *next_entry(const char *at, const char *end)
{
    for (; at < end; at++) {
        at = past_blanks(at, end);
        if (at == end || *at != '\n')
            break;
    }
    return at;
}

static void take_entries(void *context, tsr__run *run)
{
    const reader *r = context;
    int64_t k = run->lines_before;
    for (const char *at = next_entry(run->begin, run->end); at < run->end; k++) {
        int64_t bad = 0;
        const int kind = take_entry(r, &at, run->end, k, &bad);
        if (kind >= 0) {
            run->fault = (tsr__fault){at, kind, bad};
            return;
        }
        at = next_entry(at, run->end);
    }
}

/* Values of an array go down its columns, of a triangle from the diagonal on. */
typedef struct place {
    int64_t row, column;
} place;

static place place_of(const head *h, int64_t k)
{
    const int64_t above = h->symmetry == SKEW;
    int64_t j = 0;
    if (h->symmetry == GENERAL)
        return (place){h->rows > 0 ? k % h->rows : 0, h->rows > 0 ? k / h->rows : 0};
    for (; k >= h->rows - j - above && j < h->columns; j++)
        k -= h->rows - j - above;
    return (place){j + above + k, j};
}

static place place_after(const head *h, place at)
{
    const int64_t above = h->symmetry == SKEW;
    if (at.row + 1 < h->rows)
        return (place){at.row + 1, at.column};
    return (place){h->symmetry == GENERAL ? 0 : at.column + 1 + above, at.column + 1};
}

/* Of a window they stand one after another in r->entries, of the whole file in their places. */
static void take_values(void *context, tsr__run *run)
{
    const reader *r = context;
    const head *h = &r->head;
    int64_t k = run->lines_before;
    place p = place_of(h, k);
    for (const char *at = next_entry(run->begin, run->end); at < run->end;) {
        double value = 0;
        const char *after = tsr__parse_real(&value, at, run->end);
        const char *stop = tsr__skip(after, run->end, BLANKS);
        if (after == at || (stop < run->end && *stop != '\n')) {
            run->fault = (tsr__fault){at, after == at ? FAULT_VALUE : FAULT_MORE, 0};
            return;
        }
        at = next_entry(stop, run->end);
        if (r->value == NULL) {
            r->entries.value[k++] = value;
            continue;
        }
        r->value[p.row * h->columns + p.column] = value;
        if (h->symmetry != GENERAL)
            r->value[p.column * h->columns + p.row] = h->symmetry == SKEW ? -value : value;
        p = place_after(h, p);
    }
}

static tsr_status tell_fault(const head *h, const tsr__fault *fault)
{
    static const char *const missing[] = {
        [FAULT_ROW] = "no row number at the beginning of",
        [FAULT_COLUMN] = "no column number in",
        [FAULT_VALUE] = "no value in",
        [FAULT_MORE] = "more than there should be in",
    };
    const long long line = h->lines_before + tsr__line_number(h->text, fault->at);
    const long long value = fault->value;
    if (fault->kind == FAULT_DIAGONAL)
        return tsr__fail(TSR_ERROR_FORMAT,
                         "line %lld: row %lld of a skew-symmetric matrix has an entry on the "
                         "diagonal",
                         line, value);
    if (fault->kind >= FAULT_ROW_RANGE) {
        const bool row = fault->kind == FAULT_ROW_RANGE;
        const char *name = row ? "row" : "column";
        if (value < 1)
            return tsr__fail(TSR_ERROR_FORMAT, "line %lld: %s %lld is below 1", line, name,
                             value);
        return tsr__fail(TSR_ERROR_FORMAT, "line %lld: %s %lld exceeds the %lld %ss", line,
                         name, value, (long long)(row ? h->rows : h->columns), name);
    }
    char text[TSR_EXCERPT_SIZE];
    const char *stop = tsr__line_end(fault->at, h->end);
    while (stop > fault->at && strchr(BLANKS, stop[-1]) != NULL)
        stop--;
    return tsr__fail(TSR_ERROR_FORMAT, "line %lld: %s '%s'", line, missing[fault->kind],
                     tsr__excerpt(text, fault->at, stop - fault->at));
}

static tsr_status check_count(const head *h, int64_t entries)
{
    return entries == h->entries
               ? TSR_OK
               : tsr__fail(TSR_ERROR_FORMAT, "line %lld claims %lld entries, but %lld follow",
                           (long long)h->line, (long long)h->entries, (long long)entries);
}

/* Counts the lines against the claim, then parses them. */
static tsr_status take_body(reader *r, const tsr__request *request)
{
    tsr_status status = TSR_OK;
    const head *h = &r->head;
    static const int mirror[] = {[GENERAL] = 0, [SYMMETRIC] = 1, [SKEW] = -1};
    tsr__lines lines = {0};
    TSR_TRY(tsr__lines_cut(&lines, h->body, h->end, &rule, request->options->threads));
    TSR_TRY(check_count(h, lines.lines));
    if (h->coordinate) {
        r->entries = (tsr__entries){.count = h->entries, .mirror = mirror[h->symmetry]};
        TSR_NEW(r->entries.row, h->entries);
        TSR_NEW(r->entries.column, h->entries);
        TSR_NEW(r->entries.value, h->entries);
    } else {
        TSR_NEW_ZERO(r->value, h->rows * h->columns);
    }
    TSR_TRY(tsr__lines_each(&lines, request->options->progress, "reading a matrix",
                            h->coordinate ? take_entries : take_values, r));
    if (tsr__lines_fault(&lines) != NULL)
        TSR_TRY(tell_fault(h, tsr__lines_fault(&lines)));
done:
    tsr__lines_clear(&lines);
    return status;
}

static tsr_status take_labels(tsr_labels **out, const reader *r)
{
    const head *h = &r->head;
    if (h->coordinate || (h->rows != 1 && h->columns != 1))
        return tsr__fail(TSR_ERROR_DATA,
                         "labels must be an array of one column, this is %s of %lld x %lld",
                         h->coordinate ? "a sparse matrix" : "an array", (long long)h->rows,
                         (long long)h->columns);
    return tsr_labels_from_numbers(out, r->value, h->rows * h->columns);
}

/* Entries of a window to the sort; *next is the place of the first value of an array. */
static tsr_status pass_entries(const reader *r, tsr__flow *flow, place *next)
{
    tsr_status status = TSR_OK;
    const head *h = &r->head;
    const double mirror = h->symmetry == SKEW ? -1 : 1;
    for (int64_t k = 0; k < r->entries.count; k++) {
        const place p =
            h->coordinate ? (place){r->entries.row[k], r->entries.column[k]} : *next;
        const double value = r->entries.value[k];
        TSR_TRY(tsr__flow_entry(flow, p.row, p.column, value));
        if (h->symmetry != GENERAL && p.row != p.column)
            TSR_TRY(tsr__flow_entry(flow, p.column, p.row, mirror * value));
        *next = h->coordinate ? p : place_after(h, p);
    }
done:
    return status;
}

/* Parses the lines from h->body on and passes them; *entries counts them. */
static tsr_status pass_window(reader *r, int64_t *entries, place *next,
                              const tsr__request *request)
{
    tsr_status status = TSR_OK;
    const head *h = &r->head;
    tsr__lines lines = {0};
    TSR_TRY(tsr__lines_cut(&lines, h->body, h->end, &rule, request->options->threads));
    *entries += lines.lines;
    if (*entries > h->entries)
        goto done; /* counted to the end, and told there */
    r->entries.count = lines.lines;
    TSR_NEW(r->entries.row, lines.lines);
    TSR_NEW(r->entries.column, lines.lines);
    TSR_NEW(r->entries.value, lines.lines);
    TSR_TRY(tsr__lines_each(&lines, NULL, "", h->coordinate ? take_entries : take_values, r));
    if (tsr__lines_fault(&lines) != NULL)
        TSR_TRY(tell_fault(h, tsr__lines_fault(&lines)));
    TSR_TRY(pass_entries(r, request->flow, next));
done:
    tsr__entries_clear(&r->entries);
    tsr__lines_clear(&lines);
    return status;
}

/* A matrix that is not kept: its entries are sorted, for they usually come column by column. */
static tsr_status pass_through(tsr_data *out, reader *r, const tsr__request *request)
{
    tsr_status status = TSR_OK;
    tsr__flow *flow = request->flow;
    head *h = &r->head;
    tsr__window window = {0};
    int64_t entries = 0;
    bool more = true;
    const int64_t usual = tsr__flow_window(flow);
    TSR_TRY(tsr__window_open(&window, request->path, usual < HEAD ? HEAD : usual,
                             tsr__flow_longest(flow)));
    TSR_TRY(tsr__window_next(&more, &window, &rule, false));
    TSR_TRY(parse_head(h, window.begin, window.end, window.size));
    TSR_TRY(check_bound(h, request));
    (void)snprintf(out->dtype, sizeof out->dtype, "%s", h->field);
    TSR_TRY(tsr__flow_begin(flow, h->coordinate, TSR_FLOAT64, h->columns));
    TSR_TRY(tsr__flow_sort(flow, h->rows, h->columns));
    const tsr__task ticket =
        tsr__task_begin(request->options->progress, "reading a matrix", window.size);
    place next = place_of(h, 0);
    while (more) {
        TSR_TRY(pass_window(r, &entries, &next, request));
        TSR_TRY(tsr__task_step(&ticket, window.offset, (double)NAN, (double)NAN));
        TSR_TRY(tsr__window_next(&more, &window, &rule, false));
        h->text = h->body = window.begin, h->end = window.end;
        h->lines_before = window.lines_before;
    }
    TSR_TRY(check_count(h, entries));
    TSR_TRY(tsr__flow_sorted(flow));
    TSR_TRY(tsr__flow_end(&out->x, flow, h->columns, 0));
done:
    tsr__window_close(&window);
    return status;
}

tsr_status tsr__mtx_read(tsr_data *out, const tsr__request *request)
{
    tsr_status status = TSR_OK;
    tsr__input input = {NULL, 0, false};
    reader r = {.value = NULL};
    if (request->variable != NULL)
        TSR_FAIL(TSR_ERROR_ARGUMENT,
                 "a Matrix Market file has no variables, so none is called '%s'",
                 request->variable);
    if (request->flow != NULL) {
        TSR_TRY(pass_through(out, &r, request));
        goto done;
    }
    TSR_TRY(tsr__input_open(&input, request->path));
    TSR_TRY(parse_head(&r.head, input.bytes, input.bytes + input.size, input.size));
    TSR_TRY(check_bound(&r.head, request));
    TSR_TRY(take_body(&r, request));
    (void)snprintf(out->dtype, sizeof out->dtype, "%s", r.head.field);
    if (request->only_labels) {
        TSR_TRY(take_labels(&out->labels, &r));
    } else if (r.head.coordinate) {
        TSR_TRY(tsr__entries_to_matrix(&out->x, &r.entries, r.head.rows, r.head.columns,
                                       request->options->threads));
    } else {
        TSR_TRY(
            tsr__matrix_take_dense(&out->x, r.value, r.head.rows, r.head.columns, TSR_FLOAT64));
        r.value = NULL;
    }
done:
    tsr__entries_clear(&r.entries);
    tsr__free(r.value);
    tsr__input_close(&input);
    return status;
}
