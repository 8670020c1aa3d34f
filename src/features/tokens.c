/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The walk over a text. ASCII goes through one table; other characters are decoded (strictly:
 * neither overlong forms, nor surrogates, nor beyond 10FFFF), judged and encoded again. */
#include "features/tokens.h"

#include "features/unicode.h"

#include <string.h>

enum { OTHER = 0x80 }; /* the byte is beyond ASCII */

#define TEN(c)     c, c + 1, c + 2, c + 3, c + 4, c + 5, c + 6, c + 7, c + 8, c + 9
#define ALPHABET   TEN('a'), TEN('k'), 'u', 'v', 'w', 'x', 'y', 'z'
#define EIGHT      OTHER, OTHER, OTHER, OTHER, OTHER, OTHER, OTHER, OTHER
#define THIRTY_TWO EIGHT, EIGHT, EIGHT, EIGHT

/* What a byte becomes in a word: 0 ends it. */
static const unsigned char lower[256] = {
    ['0'] = TEN('0'),    ['A'] = ALPHABET,    ['a'] = ALPHABET,    [0x80] = THIRTY_TWO,
    [0xa0] = THIRTY_TWO, [0xc0] = THIRTY_TWO, [0xe0] = THIRTY_TWO,
};

tsr__tokens tsr__tokens_begin(const char *text, int64_t size, int64_t shortest)
{
    const unsigned char *at = (const unsigned char *)text;
    return (tsr__tokens){at, at + size, shortest};
}

/* Bytes of the character at `at`, or 0 where it is not UTF-8. */
static int decode(uint32_t *code, const unsigned char *at, const unsigned char *end)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const int size = at[0] < 0xc2   ? 0
                     : at[0] < 0xe0 ? 2
                     : at[0] < 0xf0 ? 3
                     : at[0] < 0xf5 ? 4
                                    : 0;
    if (size == 0 || end - at < size)
        return 0;
    uint32_t value = at[0] & (0x7fu >> size);
    for (int i = 1; i < size; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (at[i] & 0x3fu);
    }
    if (value < least[size] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
        return 0;
    *code = value;
    return size;
}

static int encode(char *out, uint32_t code)
{
    const int size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char mark[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (int i = size - 1; i > 0; i--, code >>= 6)
        out[i] = (char)(unsigned char)(0x80 | (code & 0x3f));
    out[0] = (char)(unsigned char)(mark[size] | code);
    return size;
}

/* The character beyond ASCII at `at`: its bytes, its lower case, or *code = 0 where it
 * separates. */
static int take_other(uint32_t *code, const unsigned char *at, const unsigned char *end)
{
    int size = decode(code, at, end);
    if (size == 0)
        size = 1, *code = at[0];
    *code = tsr__unicode_is_word(*code) ? tsr__unicode_lower(*code) : 0;
    return size;
}

/* Letters and digits of ASCII at *at, as far as the token has room; returns how many. */
static int take_plain(tsr__token *out, const unsigned char **at, const unsigned char *end)
{
    const unsigned char *from = *at, *next = from;
    char *to = out->text + out->length;
    if (end - from > TSR_TOKEN_SIZE - out->length)
        end = from + (TSR_TOKEN_SIZE - out->length);
    for (; next < end; next++) {
        const unsigned char c = lower[*next];
        if (c == 0 || c == OTHER)
            break;
        *to++ = (char)c;
    }
    *at = next;
    out->length += (int32_t)(next - from);
    return (int)(next - from);
}

/* The word at tokens->at; returns its characters. What exceeds the room is passed over, and the
 * length says so. */
static int64_t take_word(tsr__token *out, tsr__tokens *tokens)
{
    const unsigned char *at = tokens->at, *const end = tokens->end;
    int64_t characters = 0;
    out->length = 0;
    for (;;) {
        uint32_t code = 0;
        int size = 1;
        if (out->length < TSR_TOKEN_SIZE)
            characters += take_plain(out, &at, end);
        if (at < end)
            code = lower[*at];
        if (code == OTHER)
            size = take_other(&code, at, end);
        if (code == 0)
            break;
        out->length += encode(out->text + out->length, code);
        if (out->length > TSR_TOKEN_SIZE)
            out->length = TSR_TOKEN_SIZE + 1;
        characters++;
        at += size;
    }
    tokens->at = at;
    return characters;
}

bool tsr__tokens_next(tsr__token *out, tsr__tokens *tokens)
{
    const unsigned char *const end = tokens->end;
    while (tokens->at < end) {
        if (lower[*tokens->at] == 0) {
            tokens->at++;
            continue;
        }
        const int64_t characters = take_word(out, tokens);
        if (characters == 0) { /* a separator beyond ASCII */
            uint32_t code;
            tokens->at += take_other(&code, tokens->at, end);
        } else if (characters >= tokens->shortest && out->length <= TSR_TOKEN_SIZE) {
            memset(out->text + out->length, 0, 8);
            return true;
        }
    }
    return false;
}

bool tsr__is_token(const char *text)
{
    const size_t size = strlen(text);
    tsr__tokens tokens = tsr__tokens_begin(text, (int64_t)size, 1);
    tsr__token token;
    return tsr__tokens_next(&token, &tokens) && (size_t)token.length == size &&
           memcmp(token.text, text, size) == 0;
}

/* The length of "Name" before a colon at `at`, 0 where there is none. */
static int64_t header_name(const char *at, const char *end)
{
    const char *from = at;
    while (at<end && * at> ' ' && *at < 0x7f && *at != ':')
        at++;
    return at < end && *at == ':' ? at - from : 0;
}

const char *tsr__message_body(const char *text, const char *end)
{
    int64_t names = 0;
    for (const char *at = text; at < end;) {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        next = next == NULL ? end : next + 1;
        const bool empty = *at == '\n' || (*at == '\r' && next - at == 2);
        const bool postmark = at == text && next - at > 5 && memcmp(at, "From ", 5) == 0;
        const bool continued = *at == ' ' || *at == '\t';
        if (empty)
            return names >= 2 ? next : text;
        if (header_name(at, next) > 0)
            names++;
        else if (!postmark && !continued)
            return text;
        at = next;
    }
    return text;
}
