/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Tables in text (.csv, .tsv, .txt): one sample a line, dense doubles; see table.c for what is
 * guessed of their layout.
 *
 * Fields may stand in quotes, with "" for a quote, and hold line ends there; lines end in LF or
 * CRLF. An empty field, NA and nan are missing values. Blank lines are skipped, but in a table
 * of one column they are missing values unless nothing follows. One pass counts the lines, one
 * parses them into place, both in parallel: memory is the mapped file and the matrix. */
#include "base/text.h"
#include "io/file.h"
#include "io/lines.h"
#include "io/table.h"

#include <stdio.h>

enum { FAULT_RAGGED, FAULT_TEXT };

typedef struct reader {
    tsr__table table;
    const char *blanks; /* of the line rule */
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
        if (r->blanks != NULL) {
            const char *text = tsr__skip(at, run->end, r->blanks);
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
static tsr_status tell_fault(const tsr__table *t, const tsr__fault *fault)
{
    const long long line = tsr__line_number(t->text, fault->at);
    const int64_t fields = tsr__field_count(fault->at, t->end, t->delimiter);
    if (fields != t->columns)
        return tsr__fail(TSR_ERROR_FORMAT, "line %lld has %lld fields where line %lld has %lld",
                         line, (long long)fields,
                         (long long)tsr__line_number(t->text, t->first), (long long)t->columns);
    char column[TSR_COLUMN_SIZE], text[TSR_EXCERPT_SIZE];
    tsr__field field;
    const char *stop = tsr__field_take(&field, fault->at, t->end, t->delimiter);
    for (int64_t j = 0; j < fault->value; j++)
        stop =
            tsr__field_take(&field, tsr__field_next(stop, t->delimiter), t->end, t->delimiter);
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
    (void)snprintf(out->dtype, sizeof out->dtype, "text");
    TSR_TRY(tsr__matrix_take_dense(&out->x, r->values, rows, r->features, TSR_FLOAT64));
    r->values = NULL;
done:
    return status;
}

static tsr_status read_table(tsr_data *out, reader *r, const tsr__request *request)
{
    tsr_status status = TSR_OK;
    tsr__table *t = &r->table;
    tsr__lines lines = {0};
    int64_t size = 0;
    if (t->columns == 1)
        drop_last_blanks(t);
    else
        r->blanks = t->delimiter == '\t' ? " \r" : " \t\r";
    const tsr__line_rule rule = {.blanks = r->blanks,
                                 .quote = '"',
                                 .delimiter = t->delimiter,
                                 .line_end = tsr__field_line_end};
    TSR_TRY(tsr__lines_cut(&lines, t->body, t->end, &rule, request->options->threads));
    r->features = t->columns - (t->label >= 0) - (t->name >= 0);
    /* Every field has at least the byte behind it; where that cannot be, some line is ragged
     * and will be found without memory for what the first one promises. */
    const bool possible =
        tsr__multiply(&size, lines.lines, t->columns) && size <= t->end - t->body + 1;
    if (!request->only_labels && possible)
        TSR_NEW(r->values, lines.lines * r->features);
    if (t->label >= 0)
        TSR_NEW(r->labels, lines.lines);
    if (t->name >= 0 && !request->only_labels)
        TSR_NEW(r->names, lines.lines);
    TSR_TRY(
        tsr__lines_each(&lines, request->options->progress, "reading a table", take_run, r));
    if (tsr__lines_fault(&lines) != NULL)
        TSR_TRY(tell_fault(t, tsr__lines_fault(&lines)));
    TSR_TRY(finish(out, r, lines.lines, request->only_labels));
done:
    tsr__lines_clear(&lines);
    return status;
}

tsr_status tsr__csv_read(tsr_data *out, const tsr__request *request)
{
    tsr_status status = TSR_OK;
    tsr__input input = {NULL, 0, false};
    reader r = {.blanks = NULL};
    if (request->variable != NULL && !request->only_labels)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "a table has no variables, so none is called '%s'",
                 request->variable);
    TSR_TRY(tsr__input_open(&input, request->path));
    TSR_TRY(tsr__table_look(&r.table, input.bytes, input.size, request));
    TSR_TRY(read_table(out, &r, request));
done:
    tsr__free(r.values);
    tsr__free(r.labels);
    tsr__free(r.names);
    tsr__input_close(&input);
    return status;
}
