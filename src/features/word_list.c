/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Lists of words, from files and from names: every word once. */
#include "features/vocabulary.h"
#include "io/file.h"
#include "io/lines.h"

#include <string.h>

/* Puts a text where the walk would put a token, whether or not it is one. */
static tsr_status as_token(tsr__token *out, const char *text, int64_t length)
{
    char shown[TSR_EXCERPT_SIZE];
    if (length > TSR_TOKEN_SIZE)
        return tsr__fail(TSR_ERROR_DATA, "%s is %lld bytes long; a word has at most %d",
                         tsr__excerpt(shown, text, length), (long long)length, TSR_TOKEN_SIZE);
    memcpy(out->text, text, (size_t)length);
    memset(out->text + length, 0, 8);
    out->length = (int32_t)length;
    return TSR_OK;
}

tsr_status tsr__vocabulary_from_names(tsr__vocabulary *out, int64_t *odd, int64_t *first,
                                      const tsr__names *names)
{
    tsr_status status = TSR_OK;
    char shown[TSR_EXCERPT_SIZE];
    tsr__vocabulary words = {0};
    tsr__token token;
    *odd = 0, *first = -1;
    for (int64_t i = 0; i < names->count; i++) {
        const char *name = names->name[i];
        const int64_t length = (int64_t)strlen(name);
        int32_t index = -1;
        TSR_TRY(as_token(&token, name, length));
        TSR_TRY(tsr__vocabulary_add(&index, &words, token.text, token.length));
        if (index != i)
            TSR_FAIL(TSR_ERROR_DATA, "words %lld and %lld are both %s", (long long)index + 1,
                     (long long)i + 1, tsr__excerpt(shown, name, length));
        if (tsr__is_token(name))
            continue;
        *first = *odd == 0 ? i : *first;
        ++*odd;
    }
    *out = words, words = (tsr__vocabulary){0};
done:
    tsr__vocabulary_clear(&words);
    return status;
}

bool tsr__vocabulary_has(const tsr__vocabulary *vocabulary, const char *text)
{
    tsr__token token;
    const size_t length = strlen(text);
    return length <= TSR_TOKEN_SIZE && as_token(&token, text, (int64_t)length) == TSR_OK &&
           tsr__vocabulary_find(vocabulary, token.text, token.length) >= 0;
}

/* The list so far: words in order, and the line of each. */
typedef struct list {
    tsr__vocabulary words;
    int64_t *line, room;
    tsr__names *names;
} list;

static tsr_status add_line(list *l, const char *at, const char *end, int64_t number)
{
    static const char blanks[] = " \t\r";
    tsr_status status = TSR_OK;
    char shown[TSR_EXCERPT_SIZE], text[TSR_TOKEN_SIZE + 8];
    tsr__token token;
    int32_t index = -1;
    const int64_t before = l->words.count;
    at = tsr__skip(at, end, blanks);
    while (end > at && strchr(blanks, end[-1]) != NULL)
        end--;
    if (at == end)
        return TSR_OK;
    TSR_TRY(as_token(&token, at, end - at));
    TSR_TRY(tsr__vocabulary_add(&index, &l->words, token.text, token.length));
    if (index != before)
        TSR_FAIL(TSR_ERROR_DATA, "%s stands there already, in line %lld",
                 tsr__excerpt(shown, at, end - at), (long long)l->line[index]);
    TSR_GROW(l->line, before, l->room);
    l->line[before] = number;
    memcpy(text, token.text, (size_t)token.length + 1);
    TSR_TRY(tsr__names_add(l->names, text));
done:
    return status;
}

static tsr_status add_lines(list *l, const char *at, const char *end)
{
    tsr_status status = TSR_OK;
    char where[48];
    const char *zero = memchr(at, '\0', (size_t)(end - at));
    if (zero != NULL)
        TSR_FAIL(TSR_ERROR_FORMAT, "is no text: byte %lld is zero", (long long)(zero - at));
    if (end - at >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
        at += 3;
    for (int64_t number = 1; at < end; number++) {
        const char *next = tsr__line_end(at, end);
        status = add_line(l, at, next, number);
        if (status < 0) {
            (void)snprintf(where, sizeof where, "line %lld", (long long)number);
            TSR_TRY(tsr__fail_in(status, where));
        }
        at = next < end ? next + 1 : end;
    }
    if (l->words.count == 0)
        TSR_FAIL(TSR_ERROR_DATA, "holds no words");
done:
    return status;
}

tsr_status tsr__word_list_read(tsr__names *out, const char *path)
{
    tsr_status status = TSR_OK;
    tsr__input input = {NULL, 0, false};
    tsr__names names = {NULL, 0, 0};
    list l = {.names = &names};
    TSR_TRY(tsr__input_open(&input, path));
    TSR_TRY(add_lines(&l, input.bytes, input.bytes + input.size));
    *out = names, names = (tsr__names){NULL, 0, 0};
done:
    tsr__vocabulary_clear(&l.words);
    tsr__free(l.line);
    tsr__names_clear(&names);
    tsr__input_close(&input);
    return status < 0 ? tsr__fail_in(status, path) : status;
}
