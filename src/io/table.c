/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The layout of a table, guessed from its first LOOK_LINES lines.
 *
 * Delimiter: of , ; tab and blanks the one by which most lines have as many fields as the
 * first; then the one that gives most numbers. Names of .tsv and .tab want tabs where there are
 * any.
 *
 * Header: some column is a text in the first line and numbers in all others; or a first line
 * of texts and numbers in quotes over bare ones; or a text column's first field is a word of
 * label_words or name_words; or the first line is an empty field and the numbers 0 1 2 ..., as
 * pandas heads columns without names.
 *
 * Labels: the column that was asked for, by its name, or by its number from 0, where negative
 * numbers count from the end; else the last column whose name is one of label_words; else the
 * last column, or the first, where it alone holds texts.
 *
 * Names of samples: a first column whose head is empty or one of name_words, whatever it holds;
 * a first column of texts when the labels are another one. */
#include "io/table.h"

#include "base/text.h"
#include "io/lines.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { LOOK_LINES = 64 };

static const char *const label_words[] = {"label", "labels", "class", "gnd",
                                          "y",     "target", NULL};
static const char *const name_words[] = {"", "id", "name", "sample", "file", NULL};

/* What a column holds. */
typedef struct kinds {
    bool text_first, number_first, quoted_first; /* in the first line */
    bool text_below, number_below, quoted_below; /* in the other lines that were looked at */
} kinds;

/* Up to LOOK_LINES lines that are not blank; at least two where there are two. */
typedef struct glance {
    const char *line[LOOK_LINES];
    int count;
} glance;

static bool one_of(const tsr__field *field, const char *const *words)
{
    for (; *words != NULL; words++)
        if (tsr__field_is(field, *words))
            return true;
    return false;
}

static const char *after_line(const char *line_end, const char *end)
{
    return line_end < end ? line_end + 1 : end;
}

/* Past the byte order mark, blank lines and comments at the top. */
static const char *skip_top(const char *at, const char *end)
{
    if (end - at >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
        at += 3;
    while (at < end) {
        const char *text = tsr__skip(at, end, " \t\r");
        if (text < end && *text != '\n' && *text != '#')
            break;
        at = after_line(tsr__line_end(text, end), end);
    }
    return at;
}

static glance look(const char *first, const char *end, char delimiter)
{
    glance out = {.count = 0};
    for (const char *at = first; at < end && out.count < LOOK_LINES;) {
        const char *text = tsr__skip(at, end, " \t\r");
        if (text < end && *text != '\n')
            out.line[out.count++] = at;
        at = after_line(tsr__field_line_end(at, end, delimiter), end);
        if (out.count > 1 && at - first > TSR_TABLE_LOOK)
            break;
    }
    return out;
}

/* How well a delimiter explains the first lines: lines that agree, then numbers. */
typedef struct score {
    int64_t agree, numbers;
} score;

static score try_delimiter(const char *first, const char *end, char delimiter)
{
    const glance g = look(first, end, delimiter);
    score out = {0, 0};
    int64_t wanted = 0;
    for (int i = 0; i < g.count; i++) {
        int64_t fields = 0;
        const char *at = g.line[i], *stop = NULL;
        do {
            tsr__field field;
            double number = 0;
            stop = tsr__field_take(&field, at, end, delimiter);
            out.numbers += field.length > 0 && tsr__field_number(&number, &field);
            fields++;
            at = stop < end ? tsr__field_next(stop, delimiter) : end;
        } while (!tsr__field_last(stop, end));
        wanted = i == 0 ? fields : wanted;
        out.agree += fields == wanted;
    }
    if (wanted < 2 || (delimiter == ' ' && out.numbers == 0))
        out.agree = 0; /* texts with blanks in them are one column */
    return out;
}

static bool named_by_tabs(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL && (strcasecmp(dot, ".tsv") == 0 || strcasecmp(dot, ".tab") == 0);
}

static char find_delimiter(const char *first, const char *end, const tsr__request *request)
{
    const size_t line = (size_t)(tsr__line_end(first, end) - first);
    if (named_by_tabs(request->path) && memchr(first, '\t', line) != NULL)
        return '\t';
    char best = 0;
    score most = {0, 0};
    /* A label may have blanks in it. */
    const bool labels = request->only_labels && request->variable == NULL;
    for (const char *candidate = labels ? ",;\t" : ",;\t "; *candidate != '\0'; candidate++) {
        const score s = try_delimiter(first, end, *candidate);
        if (s.agree > most.agree || (s.agree == most.agree && s.numbers > most.numbers)) {
            most = s;
            best = s.agree > 0 ? *candidate : best;
        }
    }
    return best;
}

static void note_field(kinds *k, const tsr__field *field, bool first)
{
    double number = 0;
    if (tsr__field_missing(field) || tsr__field_is(field, "nan"))
        return;
    const bool is_number = tsr__field_number(&number, field);
    if (first) {
        k->number_first = k->number_first || is_number;
        k->text_first = k->text_first || !is_number;
        k->quoted_first = k->quoted_first || field->quoted;
    } else {
        k->number_below = k->number_below || is_number;
        k->text_below = k->text_below || !is_number;
        k->quoted_below = k->quoted_below || field->quoted;
    }
}

/* Notes what the first lines have in each of the columns. */
static void look_at_columns(kinds *columns, const tsr__table *t)
{
    const glance g = look(t->first, t->end, t->delimiter);
    for (int i = 0; i < g.count; i++) {
        const char *at = g.line[i];
        for (int64_t j = 0; j < t->columns; j++) {
            tsr__field field;
            const char *stop = tsr__field_take(&field, at, t->end, t->delimiter);
            note_field(&columns[j], &field, i == 0);
            if (tsr__field_last(stop, t->end))
                break;
            at = tsr__field_next(stop, t->delimiter);
        }
    }
}

/* An empty field, then 0 1 2 ... to the end. */
static bool counts_columns(const tsr__table *t)
{
    tsr__field field;
    const char *stop = tsr__field_take(&field, t->first, t->end, t->delimiter);
    if (field.length > 0 || t->columns < 2)
        return false;
    for (int64_t j = 0; !tsr__field_last(stop, t->end); j++) {
        double number = -1;
        stop =
            tsr__field_take(&field, tsr__field_next(stop, t->delimiter), t->end, t->delimiter);
        if (!tsr__field_number(&number, &field) || number != (double)j)
            return false;
    }
    return true;
}

/* A column that is unlike its first field: a text over numbers, or, where the whole first line
 * is such, a number in quotes over bare ones. */
static bool has_head(const kinds *k, bool quotes)
{
    return k->number_below && !k->text_below &&
           (k->text_first || (quotes && k->quoted_first && !k->quoted_below));
}

/* Texts may stand under names that say what they are. One letter could be a class itself. */
static bool named_texts(const tsr__table *t, const kinds *columns)
{
    const char *at = t->first, *stop = NULL;
    for (int64_t j = 0; j < t->columns; j++) {
        tsr__field field;
        stop = tsr__field_take(&field, at, t->end, t->delimiter);
        if (field.length > 1 && columns[j].text_below &&
            (one_of(&field, label_words) || (j == 0 && one_of(&field, name_words))))
            return true;
        at = tsr__field_last(stop, t->end) ? stop : tsr__field_next(stop, t->delimiter);
    }
    return false;
}

static bool find_header(const tsr__table *t, const kinds *columns, const tsr__request *request)
{
    if (request->options->header != 0)
        return request->options->header == 1;
    bool quotes = true;
    for (int64_t j = 0; j < t->columns; j++)
        quotes = quotes && (!columns[j].number_first || columns[j].quoted_first);
    for (int64_t j = 0; j < t->columns; j++)
        if (has_head(&columns[j], quotes))
            return true;
    return counts_columns(t) ||
           ((t->columns > 1 || request->only_labels) && named_texts(t, columns));
}

bool tsr__table_head(tsr__field *out, const tsr__table *table, int64_t column)
{
    if (table->head == NULL)
        return false;
    const char *stop = tsr__field_take(out, table->head, table->end, table->delimiter);
    while (column-- > 0 && !tsr__field_last(stop, table->end))
        stop = tsr__field_take(out, tsr__field_next(stop, table->delimiter), table->end,
                               table->delimiter);
    return true;
}

const char *tsr__table_column(char *out, const tsr__table *table, int64_t column)
{
    char text[TSR_EXCERPT_SIZE];
    tsr__field head;
    const bool named = tsr__table_head(&head, table, column) && head.length > 0;
    (void)snprintf(out, TSR_COLUMN_SIZE, named ? "column %lld ('%s')" : "column %lld",
                   (long long)column + 1,
                   named ? tsr__excerpt(text, head.at, head.length) : "");
    return out;
}

/* The last column whose head is `wanted`, or one of `words`; -1 where there is none. */
static int64_t find_head(const tsr__table *t, const char *wanted, const char *const *words)
{
    if (t->head == NULL)
        return -1;
    int64_t found = -1;
    const char *at = t->head, *stop = NULL;
    for (int64_t j = 0;; j++) {
        tsr__field field;
        stop = tsr__field_take(&field, at, t->end, t->delimiter);
        if (wanted != NULL ? field.length == (int64_t)strlen(wanted) &&
                                 memcmp(field.at, wanted, (size_t)field.length) == 0
                           : one_of(&field, words))
            found = j;
        if (tsr__field_last(stop, t->end))
            return found;
        at = tsr__field_next(stop, t->delimiter);
    }
}

static tsr_status unknown_column(const tsr__table *t, const char *wanted)
{
    char heads[256];
    tsr__line line = TSR_LINE(heads);
    for (int64_t j = 0; t->head != NULL && j < t->columns && line.used + 8 < line.size; j++) {
        char text[TSR_EXCERPT_SIZE];
        tsr__field head;
        (void)tsr__table_head(&head, t, j);
        tsr__line_add(&line, "%s%s", j > 0 ? ", " : "",
                      tsr__excerpt(text, head.at, head.length));
    }
    if (t->head == NULL)
        return tsr__fail(
            TSR_ERROR_DATA,
            "there is no column '%s': the %lld columns have no names, give a number "
            "from 0 to %lld (negative: from the end) or a file of labels",
            wanted, (long long)t->columns, (long long)t->columns - 1);
    return tsr__fail(TSR_ERROR_DATA,
                     "there is neither a column nor a file '%s': columns are %s", wanted,
                     heads);
}

static tsr_status find_wanted(int64_t *out, const tsr__table *t, const char *wanted)
{
    int64_t at = find_head(t, wanted, NULL);
    if (at < 0 && tsr__text_is_integer(&at, wanted) && at < 0)
        at += t->columns;
    if (at < 0 || at >= t->columns)
        return unknown_column(t, wanted);
    *out = at;
    return TSR_OK;
}

static bool holds_texts(const tsr__table *t, const kinds *c)
{
    const bool text = c->text_below || (t->head == NULL && c->text_first);
    return text && !c->number_below && (t->head != NULL || !c->number_first);
}

/* Columns of texts that nobody named: at the last place labels, at the first names or labels.
 */
static void place_texts(tsr__table *t, const kinds *columns)
{
    const int64_t last = t->columns - 1;
    int64_t texts = 0;
    for (int64_t j = 0; j <= last; j++)
        texts += j != t->label && j != t->name && holds_texts(t, &columns[j]);
    const bool at_first = t->name != 0 && t->label != 0 && holds_texts(t, &columns[0]);
    const bool at_last = t->name != last && t->label < 0 && holds_texts(t, &columns[last]);
    if (last == 0 || texts != at_first + at_last)
        return; /* others are left to be complained of, by line and column */
    if (at_last)
        t->label = last;
    if (at_first && t->label >= 0 && t->name < 0)
        t->name = 0;
    else if (at_first && t->label < 0)
        t->label = 0;
}

static tsr_status find_roles(tsr__table *t, const kinds *columns, const tsr__request *request)
{
    tsr_status status = TSR_OK;
    const char *wanted = request->only_labels && request->variable != NULL
                             ? request->variable
                             : request->options->labels;
    tsr__field head;
    if (wanted != NULL)
        TSR_TRY(find_wanted(&t->label, t, wanted));
    else
        t->label = find_head(t, NULL, label_words);
    if (t->columns == 1 && !request->only_labels && wanted == NULL)
        t->label = -1; /* a lone column is data, whatever it is called */
    if (t->columns > 1 && t->label != 0 && tsr__table_head(&head, t, 0) &&
        one_of(&head, name_words))
        t->name = 0;
    place_texts(t, columns);
    if (request->only_labels && t->columns == 1)
        t->label = 0;
    if (request->only_labels && t->label < 0)
        TSR_FAIL(TSR_ERROR_DATA,
                 "none of the %lld columns is called label, class, gnd, y or target, or holds "
                 "texts: name one as FILE:COLUMN",
                 (long long)t->columns);
done:
    return status;
}

tsr_status tsr__table_look(tsr__table *out, const char *bytes, int64_t size,
                           const tsr__request *request)
{
    tsr_status status = TSR_OK;
    kinds *columns = NULL;
    tsr__table t = {.text = bytes, .end = bytes + size, .label = -1, .name = -1};
    t.first = skip_top(bytes, t.end);
    if (t.first == t.end)
        TSR_FAIL(TSR_ERROR_DATA, "holds no table: there is nothing but blanks and comments");
    t.delimiter = find_delimiter(t.first, t.end, request);
    t.columns = tsr__field_count(t.first, t.end, t.delimiter);
    TSR_NEW_ZERO(columns, t.columns);
    look_at_columns(columns, &t);
    t.body = t.first;
    if (find_header(&t, columns, request)) {
        t.head = t.first;
        t.body = after_line(tsr__field_line_end(t.first, t.end, t.delimiter), t.end);
    }
    TSR_TRY(find_roles(&t, columns, request));
    *out = t;
done:
    tsr__free(columns);
    return status;
}
