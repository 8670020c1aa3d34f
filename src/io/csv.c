/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Tables in text (.csv, .tsv, .txt): one sample a line, dense doubles; see table.c for what is
 * guessed of their layout.
 *
 * Fields may stand in quotes, with "" for a quote, and hold line ends there; lines end in LF or
 * CRLF. An empty field, NA and nan are missing values. Blank lines are skipped, but in a table
 * of one column they are missing values unless nothing follows. One pass counts the lines, one
 * parses them into place, both in parallel: memory is the mapped file and the matrix. */
#include "base/progress.h"
#include "base/text.h"
#include "io/file.h"
#include "io/lines.h"
#include "io/roll.h"
#include "io/table.h"
#include "io/window.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FAULT_RAGGED, FAULT_TEXT };

typedef struct reader {
    tsr__table table;
    const char *text, *end; /* the file, or a window of it */
    int64_t lines_before;   /* of the file, before the text */
    tsr__line_rule rule;
    int64_t features;
    double *values;     /* rows x features, or NULL */
    tsr__field *labels; /* one a row, or NULL */
    tsr__field *names;  /* one a row, or NULL */
} reader;

/* A plain number and nothing else up to the field's end, which is returned; NULL: look closer.
 */
static inline const char *take_number(double *out, const char *at, const char *end,
                                      char delimiter)
{
    while (at < end && (*at == ' ' || (*at == '\t' && delimiter != '\t')))
        at++;
    const char *after = tsr__parse_real(out, at, end), *stop = after;
    if (after == at)
        return NULL;
    while (stop < end && tsr__field_blank(*stop, delimiter))
        stop++;
    const bool apart = stop == end || *stop == '\n' || *stop == delimiter ||
                       (delimiter == ' ' && stop > after);
    return apart ? stop : NULL;
}

/* Takes field `column` of a row to where it belongs; *bad says that it is no number. */
static inline const char *take_field(const reader *r, const char *at, const char *end,
                                     int64_t row, int64_t column, double **to, bool *bad)
{
    const char delimiter = r->table.delimiter;
    tsr__field field;
    if (column == r->table.label || column == r->table.name) {
        tsr__field *fields = column == r->table.label ? r->labels : r->names;
        const char *stop = tsr__field_take(&field, at, end, delimiter);
        if (fields != NULL)
            fields[row] = field;
        return stop;
    }
    if (*to == NULL)
        return tsr__field_take(&field, at, end, delimiter);
    const char *stop = take_number(*to, at, end, delimiter);
    if (stop == NULL) {
        stop = tsr__field_take(&field, at, end, delimiter);
        *bad = !tsr__field_number(*to, &field);
    }
    ++*to;
    return stop;
}

/* Parses one line; returns its end, or NULL with the fault noted. */
static const char *take_row(const reader *r, tsr__run *run, const char *line, int64_t row)
{
    double *to = r->values != NULL ? r->values + row * r->features : NULL;
    const char *at = line, *stop = NULL;
    for (int64_t column = 0; column < r->table.columns; column++) {
        bool bad = false;
        stop = take_field(r, at, run->end, row, column, &to, &bad);
        if (bad) {
            run->fault = (tsr__fault){line, FAULT_TEXT, column};
            return NULL;
        }
        const bool last = tsr__field_last(stop, run->end);
        if (last != (column + 1 == r->table.columns)) {
            run->fault = (tsr__fault){line, FAULT_RAGGED, 0};
            return NULL;
        }
        at = last ? stop : tsr__field_next(stop, r->table.delimiter);
    }
    return stop;
}

static void take_run(void *context, tsr__run *run)
{
    const reader *r = context;
    int64_t row = run->lines_before;
    for (const char *at = run->begin; at != NULL && at < run->end;) {
        if (r->rule.blanks != NULL) {
            const char *text = tsr__skip(at, run->end, r->rule.blanks);
            if (text == run->end || *text == '\n') {
                at = text < run->end ? text + 1 : text;
                continue;
            }
        }
        at = take_row(r, run, at, row++);
        at = at != NULL && at < run->end ? at + 1 : at;
    }
}

/* A ragged line is told before a text in it: the text is then likely in the wrong column. */
static tsr_status tell_fault(const reader *r, const tsr__fault *fault)
{
    const tsr__table *t = &r->table;
    const long long line = r->lines_before + tsr__line_number(r->text, fault->at);
    const int64_t fields = tsr__field_count(fault->at, r->end, t->delimiter);
    if (fields != t->columns)
        return tsr__fail(TSR_ERROR_FORMAT, "line %lld has %lld fields where line %lld has %lld",
                         line, (long long)fields,
                         (long long)tsr__line_number(t->text, t->first), (long long)t->columns);
    char column[TSR_COLUMN_SIZE], text[TSR_EXCERPT_SIZE];
    tsr__field field;
    const char *stop = tsr__field_take(&field, fault->at, r->end, t->delimiter);
    for (int64_t j = 0; j < fault->value; j++)
        stop =
            tsr__field_take(&field, tsr__field_next(stop, t->delimiter), r->end, t->delimiter);
    return tsr__fail(TSR_ERROR_FORMAT, "line %lld, %s: '%s' is not a number", line,
                     tsr__table_column(column, t, fault->value),
                     tsr__excerpt(text, field.at, field.length));
}

static tsr_status add_field(tsr__names *names, const tsr__field *field)
{
    char *text = tsr__field_copy(field);
    if (text == NULL)
        return TSR_ERROR_MEMORY;
    const tsr_status status = tsr__names_add(names, text);
    tsr__free(text);
    return status;
}

static tsr_status name_features(tsr_data *out, const tsr__table *t)
{
    tsr_status status = TSR_OK;
    const char *at = t->head, *stop = NULL;
    for (int64_t j = 0; j < t->columns; j++) {
        tsr__field field;
        stop = tsr__field_take(&field, at, t->end, t->delimiter);
        if (j != t->label && j != t->name)
            TSR_TRY(add_field(&out->feature_names, &field));
        at = tsr__field_last(stop, t->end) ? stop : tsr__field_next(stop, t->delimiter);
    }
done:
    return status;
}

/* Blank lines of a lone column are values, but not those at the end of the file. */
static void drop_last_blanks(tsr__table *t)
{
    while (t->end > t->body && (t->end[-1] == '\n' || tsr__field_blank(t->end[-1], ',')))
        t->end--;
}

static tsr_status finish(tsr_data *out, reader *r, int64_t rows, bool only_labels)
{
    tsr_status status = TSR_OK;
    if (r->labels != NULL)
        TSR_TRY(tsr__field_labels(&out->labels, r->labels, rows, false));
    if (only_labels)
        goto done;
    for (int64_t i = 0; r->names != NULL && i < rows; i++)
        TSR_TRY(add_field(&out->sample_names, &r->names[i]));
    if (r->table.head != NULL)
        TSR_TRY(name_features(out, &r->table));
    TSR_TRY(tsr__matrix_take_dense(&out->x, r->values, rows, r->features, TSR_FLOAT64));
    r->values = NULL;
done:
    return status;
}

static void forget(reader *r)
{
    tsr__free(r->values);
    tsr__free(r->labels);
    tsr__free(r->names);
    r->values = NULL, r->labels = NULL, r->names = NULL;
}

/* What lines and features are, once the table was looked at. */
static void set_rule(reader *r)
{
    const tsr__table *t = &r->table;
    r->rule = (tsr__line_rule){
        .quote = '"', .delimiter = t->delimiter, .line_end = tsr__field_line_end};
    if (t->columns > 1)
        r->rule.blanks = t->delimiter == '\t' ? " \r" : " \t\r";
    r->features = t->columns - (t->label >= 0) - (t->name >= 0);
}

/* Parses the lines from `body` to the end of the reader's text; `lines` are for the caller to
 * clear. */
static tsr_status parse(reader *r, tsr__lines *lines, const char *body,
                        const tsr__request *request, const tsr_progress *progress)
{
    tsr_status status = TSR_OK;
    const tsr__table *t = &r->table;
    int64_t size = 0;
    TSR_TRY(tsr__lines_cut(lines, body, r->end, &r->rule, request->options->threads));
    /* Every field has at least the byte behind it; where that cannot be, some line is ragged
     * and will be found without memory for what the first one promises. */
    const bool possible =
        tsr__multiply(&size, lines->lines, t->columns) && size <= r->end - body + 1;
    if (!request->only_labels && possible)
        TSR_NEW(r->values, lines->lines * r->features);
    if (t->label >= 0)
        TSR_NEW(r->labels, lines->lines);
    if (t->name >= 0 && !request->only_labels)
        TSR_NEW(r->names, lines->lines);
    TSR_TRY(tsr__lines_each(lines, progress, "reading a table", take_run, r));
    if (tsr__lines_fault(lines) != NULL)
        TSR_TRY(tell_fault(r, tsr__lines_fault(lines)));
done:
    return status;
}

/* One window on its way. */
static tsr_status pass_window(tsr_data *out, reader *r, tsr__roll *roll,
                              const tsr__request *request)
{
    tsr_status status = TSR_OK;
    tsr__lines lines = {0};
    TSR_TRY(parse(r, &lines, r->text, request, NULL));
    for (int64_t i = 0; i < lines.lines; i++) {
        if (r->labels != NULL)
            TSR_TRY(tsr__roll_add(roll, &r->labels[i]));
        if (r->names != NULL)
            TSR_TRY(add_field(&out->sample_names, &r->names[i]));
    }
    TSR_TRY(tsr__flow_dense(request->flow, r->values, lines.lines));
done:
    tsr__lines_clear(&lines);
    forget(r);
    return status;
}

/* The first lines of the file, which tell what all of them are like. They are cut behind a line
 * that ends past what is looked at. */
static tsr_status load_top(tsr__input *out, const tsr__window *window, const char *path)
{
    tsr_status status = TSR_OK;
    tsr__input top = {NULL, 0, false};
    FILE *file = NULL;
    int64_t room = 2 * TSR_TABLE_LOOK;
    room = room < window->size ? room : window->size;
    TSR_NEW(top.bytes, room);
    file = fopen(path, "rbe");
    if (file == NULL)
        TSR_FAIL(TSR_ERROR_IO, "cannot open again");
    top.size = (int64_t)fread(top.bytes, 1, (size_t)room, file);
    if (top.size < room)
        TSR_FAIL(TSR_ERROR_IO, "became shorter while it was read");
    if (top.size < window->size) {
        const char *mark = memrchr(top.bytes, '\n', (size_t)top.size);
        top.size = mark != NULL ? mark + 1 - top.bytes : top.size;
    }
    *out = top, top.bytes = NULL;
done:
    if (file != NULL)
        (void)fclose(file);
    tsr__input_close(&top);
    return status;
}

/* Samples that are not kept, though their labels and names are. */
static tsr_status pass_through(tsr_data *out, tsr__input *top, reader *r,
                               const tsr__request *request)
{
    tsr_status status = TSR_OK;
    tsr__flow *flow = request->flow;
    tsr__window window = {0};
    tsr__roll roll = {.memory = flow->memory / 4 + (1 << 16)};
    bool more = true;
    TSR_TRY(tsr__window_open(&window, request->path, tsr__flow_window(flow),
                             tsr__flow_longest(flow)));
    TSR_TRY(load_top(top, &window, request->path));
    TSR_TRY(tsr__table_look(&r->table, top->bytes, top->size, request));
    set_rule(r);
    tsr__window_skip(&window, r->table.body - top->bytes,
                     tsr__line_number(top->bytes, r->table.body) - 1);
    const tsr__task ticket =
        tsr__task_begin(request->options->progress, "reading a table", window.size);
    TSR_TRY(tsr__flow_begin(flow, false, TSR_FLOAT64, r->features));
    for (;;) {
        TSR_TRY(tsr__window_next(&more, &window, &r->rule, r->rule.blanks == NULL));
        if (!more)
            break;
        r->text = window.begin, r->end = window.end, r->lines_before = window.lines_before;
        TSR_TRY(pass_window(out, r, &roll, request));
        TSR_TRY(tsr__task_step(&ticket, window.offset, (double)NAN, (double)NAN));
    }
    if (r->table.label >= 0)
        TSR_TRY(tsr__roll_take(&out->labels, &roll, false, false));
    if (r->table.head != NULL)
        TSR_TRY(name_features(out, &r->table));
    TSR_TRY(tsr__flow_end(&out->x, flow, r->features, 0));
done:
    tsr__window_close(&window);
    tsr__roll_clear(&roll);
    return status;
}

tsr_status tsr__csv_read(tsr_data *out, const tsr__request *request)
{
    tsr_status status = TSR_OK;
    tsr__input input = {NULL, 0, false};
    tsr__lines lines = {0};
    reader r = {.text = NULL};
    if (request->variable != NULL && !request->only_labels)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "a table has no variables, so none is called '%s'",
                 request->variable);
    (void)snprintf(out->dtype, sizeof out->dtype, "text");
    if (request->flow != NULL) {
        TSR_TRY(pass_through(out, &input, &r, request));
        goto done;
    }
    TSR_TRY(tsr__input_open(&input, request->path));
    TSR_TRY(tsr__table_look(&r.table, input.bytes, input.size, request));
    set_rule(&r);
    if (r.rule.blanks == NULL)
        drop_last_blanks(&r.table);
    r.text = r.table.text, r.end = r.table.end;
    TSR_TRY(parse(&r, &lines, r.table.body, request, request->options->progress));
    TSR_TRY(finish(out, &r, lines.lines, request->only_labels));
done:
    forget(&r);
    tsr__lines_clear(&lines);
    tsr__input_close(&input);
    return status;
}
