/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Words and their numbers: a hash table with open addressing over one block of text. */
#ifndef TSR_FEATURES_VOCABULARY_H
#define TSR_FEATURES_VOCABULARY_H

#include "features/tokens.h"
#include "io/data.h"

/* A place of the table: the first eight bytes of the word stand in it, so that most look-ups
 * touch nothing else. */
typedef struct tsr__word_slot {
    uint64_t head;
    uint32_t tag;  /* upper half of the hash */
    int32_t index; /* of the word; -1: free */
} tsr__word_slot;

typedef struct tsr__word {
    int64_t at; /* in `text` */
    int32_t length;
} tsr__word;

typedef struct tsr__vocabulary {
    tsr__word_slot *slot;
    int64_t slots; /* a power of two, at least half of them free; 0: nothing yet */
    tsr__word *word;
    int64_t count, room;
    char *text; /* the words, each followed by zeros up to a multiple of eight bytes */
    int64_t used, text_room;
} tsr__vocabulary;

void tsr__vocabulary_clear(tsr__vocabulary *vocabulary);

/* Texts here have zeros after them up to a multiple of eight bytes, as tokens and stored words
 * do. The number of a word, or -1. */
int32_t tsr__vocabulary_find(const tsr__vocabulary *vocabulary, const char *text,
                             int32_t length);

/* Its number, the next one where it is new. Fails where memory or 2^31 - 1 words do not
 * suffice. */
tsr_status tsr__vocabulary_add(int32_t *index, tsr__vocabulary *vocabulary, const char *text,
                               int32_t length);

/* Numbers of several tokens at a glance: -1 also where it takes a closer look. Look-ups that do not
 * wait for each other hide the time that the table's places take to arrive. */
enum { TSR_GLANCE = 16 };
void tsr__vocabulary_glance(int32_t *index, const tsr__vocabulary *vocabulary,
                            const tsr__token *token, int count);

/* The words of a list under their positions. A word that stands there twice is refused by both
 * positions, counted from 1. Words that are no tokens can never be found: *odd gets their number
 * and *first the position of the first, from 0. */
tsr_status tsr__vocabulary_from_names(tsr__vocabulary *out, int64_t *odd, int64_t *first,
                                      const tsr__names *names);

/* True when the text is one of the words. */
bool tsr__vocabulary_has(const tsr__vocabulary *vocabulary, const char *text);

/* A word list: the lines of a text file but for empty ones, without the blanks around them. A
 * word that stands there twice is refused by both lines. */
tsr_status tsr__word_list_read(tsr__names *out, const char *path);

/* "none" (or NULL), "english", or the path of a text every word of which is meant. */
tsr_status tsr__stop_words_find(tsr__vocabulary *out, const char *which);

#endif
