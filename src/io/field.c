/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Fields of a line. A quote opens a field only as its first byte and closes it only before a
 * delimiter or the line's end; any other quote is a byte like others, so that a stray one
 * spoils its field and not the rest of the file. */
#include "io/field.h"

#include "base/text.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static const char *skip_blanks(const char *at, const char *end, char delimiter)
{
    while (at < end && tsr__field_blank(*at, delimiter))
        at++;
    return at;
}

static bool ends_field(const char *at, const char *end, char delimiter)
{
    return at == end || *at == '\n' || *at == delimiter ||
           (delimiter == ' ' && tsr__field_blank(*at, delimiter));
}

/* The quote that closes the field whose first byte is `at`, or NULL. */
static const char *closing_quote(const char *at, const char *end)
{
    while (at < end) {
        const char *quote = memchr(at, '"', (size_t)(end - at));
        if (quote == NULL || quote + 1 == end || quote[1] != '"')
            return quote;
        at = quote + 2;
    }
    return NULL;
}

const char *tsr__field_take(tsr__field *out, const char *at, const char *end, char delimiter)
{
    const char *first = skip_blanks(at, end, delimiter), *stop = first;
    if (first < end && *first == '"') {
        const char *close = closing_quote(first + 1, end);
        const char *after = close != NULL ? skip_blanks(close + 1, end, delimiter) : NULL;
        if (close != NULL &&
            (ends_field(after, end, delimiter) || (delimiter == ' ' && after > close + 1))) {
            *out = (tsr__field){first + 1, close - first - 1, true};
            return after;
        }
    }
    while (!ends_field(stop, end, delimiter))
        stop++;
    const char *last = stop;
    while (last > first && tsr__field_blank(last[-1], delimiter))
        last--;
    *out = (tsr__field){first, last - first, false};
    return delimiter == ' ' ? skip_blanks(stop, end, delimiter) : stop;
}

int64_t tsr__field_count(const char *at, const char *end, char delimiter)
{
    tsr__field field;
    int64_t count = 1;
    const char *stop = tsr__field_take(&field, at, end, delimiter);
    for (; !tsr__field_last(stop, end); count++)
        stop = tsr__field_take(&field, tsr__field_next(stop, delimiter), end, delimiter);
    return count;
}

const char *tsr__field_line_end(const char *at, const char *end, char delimiter)
{
    tsr__field field;
    const char *stop = tsr__field_take(&field, at, end, delimiter);
    while (!tsr__field_last(stop, end))
        stop = tsr__field_take(&field, tsr__field_next(stop, delimiter), end, delimiter);
    return stop;
}

const char *tsr__field_line_whole(const char *at, const char *end, char delimiter)
{
    tsr__field field;
    for (;;) {
        const char *first = skip_blanks(at, end, delimiter);
        if (first < end && *first == '"') {
            const char *close = closing_quote(first + 1, end);
            if (close == NULL || close + 1 == end)
                return NULL;
        }
        const char *stop = tsr__field_take(&field, at, end, delimiter);
        if (stop == end)
            return NULL;
        if (*stop == '\n')
            return stop;
        at = tsr__field_next(stop, delimiter);
    }
}

int64_t tsr__field_split(tsr__field *out, int64_t most, const char **at, const char *end,
                         char delimiter)
{
    tsr__field field;
    int64_t count = 0;
    const char *stop = *at;
    do {
        stop = tsr__field_take(&field, count > 0 ? tsr__field_next(stop, delimiter) : stop, end,
                               delimiter);
        if (count < most)
            out[count] = field;
        count++;
    } while (!tsr__field_last(stop, end));
    *at = stop < end ? stop + 1 : end;
    return count;
}

void tsr__field_print(FILE *to, const char *text, char delimiter)
{
    const size_t length = strlen(text);
    const char special[] = {delimiter, '"', '\r', '\n', '\0'};
    const bool plain = length == 0 || (strpbrk(text, special) == NULL &&
                                       !tsr__field_blank(text[0], delimiter) &&
                                       !tsr__field_blank(text[length - 1], delimiter));
    if (plain) {
        (void)fputs(text, to);
        return;
    }
    (void)fputc('"', to);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            (void)fputc('"', to);
        (void)fputc(*text, to);
    }
    (void)fputc('"', to);
}

bool tsr__field_is(const tsr__field *field, const char *text)
{
    const size_t length = strlen(text);
    return field->length == (int64_t)length && strncasecmp(field->at, text, length) == 0;
}

bool tsr__field_same(const tsr__field *field, const char *text)
{
    int64_t i = 0;
    for (; i < field->length && *text != '\0' && field->at[i] == *text; i++, text++)
        i += field->quoted && field->at[i] == '"';
    return i == field->length && *text == '\0';
}

bool tsr__field_integer(int64_t *out, const tsr__field *field)
{
    const char *end = field->at + field->length;
    return field->length > 0 && tsr__parse_integer(out, field->at, end) == end;
}

bool tsr__field_missing(const tsr__field *field)
{
    return field->length == 0 || (!field->quoted && tsr__field_is(field, "NA"));
}

bool tsr__field_number(double *out, const tsr__field *field)
{
    const char *end = field->at + field->length;
    if (tsr__field_missing(field)) {
        *out = (double)NAN;
        return true;
    }
    const char *first = skip_blanks(field->at, end, 0);
    const char *after = tsr__parse_real(out, first, end);
    return after != first && skip_blanks(after, end, 0) == end;
}

int64_t tsr__field_text(char *out, const tsr__field *field)
{
    int64_t used = 0;
    for (int64_t i = 0; i < field->length; i++) {
        out[used++] = field->at[i];
        i += field->quoted && field->at[i] == '"';
    }
    out[used] = '\0';
    return used;
}

char *tsr__field_copy(const tsr__field *field)
{
    char *text = tsr__alloc(field->length + 1, 1);
    if (text != NULL)
        (void)tsr__field_text(text, field);
    return text;
}

/* "?" is unknown among numbers too. */
static bool label_number(double *out, const tsr__field *field)
{
    if (tsr__field_is(field, "?")) {
        *out = (double)NAN;
        return true;
    }
    return tsr__field_number(out, field);
}

static bool only_signs(const double *number, int64_t count)
{
    bool minus = false, plus = false;
    for (int64_t i = 0; i < count; i++) {
        minus = minus || number[i] == -1;
        plus = plus || number[i] == 1;
        if (!isnan(number[i]) && fabs(number[i]) != 1)
            return false;
    }
    return minus && plus;
}

static tsr_status text_labels(tsr_labels **out, const tsr__field *field, int64_t count)
{
    tsr_status status = TSR_OK;
    const char **text = NULL;
    char *bytes = NULL;
    int64_t size = 0, used = 0;
    for (int64_t i = 0; i < count; i++)
        size += field[i].length + 1;
    TSR_NEW(text, count);
    TSR_NEW(bytes, size);
    for (int64_t i = 0; i < count; i++) {
        text[i] = bytes + used;
        used += tsr__field_text(bytes + used, &field[i]) + 1;
        if (tsr__field_missing(&field[i]))
            text[i] = "";
    }
    TSR_TRY(tsr_labels_from_texts(out, text, count));
done:
    tsr__free(text);
    tsr__free(bytes);
    return status;
}

tsr_status tsr__field_labels(tsr_labels **out, const tsr__field *field, int64_t count,
                             bool signs)
{
    tsr_status status = TSR_OK;
    double *number = NULL;
    bool numbers = true;
    TSR_NEW(number, count);
    for (int64_t i = 0; numbers && i < count; i++)
        numbers = label_number(&number[i], &field[i]);
    if (numbers)
        TSR_TRY(
            tsr__labels_from_numbers(out, number, count, signs && only_signs(number, count)));
    else
        TSR_TRY(text_labels(out, field, count));
done:
    tsr__free(number);
    return status;
}
