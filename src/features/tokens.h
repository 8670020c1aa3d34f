/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Words of a text: the longest runs of letters, digits and combining marks, in lower case.
 * Everything else separates, apostrophes, hyphens and underscores too: "Don't" is don and t.
 *
 * Texts are UTF-8. A byte that is no part of it stands for the Latin-1 character of that number,
 * so that older mail reads as it was meant. Nothing depends on the locale; characters are not
 * normalised (e and a combining accent differ from the letter with its accent). */
#ifndef TSR_FEATURES_TOKENS_H
#define TSR_FEATURES_TOKENS_H

#include <stdbool.h>
#include <stdint.h>

enum { TSR_TOKEN_SIZE = 248 }; /* a longer run, such as an encoded file, is no word */

typedef struct tsr__token {
    int32_t length;                /* bytes */
    char text[TSR_TOKEN_SIZE + 8]; /* zeros follow, up to the next multiple of eight */
} tsr__token;

/* A walk over a text; tokens have at least `shortest` characters. */
typedef struct tsr__tokens {
    const unsigned char *at, *end;
    int64_t shortest;
} tsr__tokens;

tsr__tokens tsr__tokens_begin(const char *text, int64_t size, int64_t shortest);
bool tsr__tokens_next(tsr__token *out, tsr__tokens *tokens); /* false: there are no more */

/* True when `text` is one token as the walk would give it. */
bool tsr__is_token(const char *text);

/* Where the text of a mail or news message begins: after a block of at least two "Name: value"
 * lines, with their continuations, that an empty line ends; at its start where there is none. */
const char *tsr__message_body(const char *text, const char *end);

#endif
