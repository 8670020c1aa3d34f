/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Counting the words of texts, each thread into a lane of its own. Which lane a text falls into
 * is chance; what comes out once lanes are joined by word is not. */
#ifndef TSR_FEATURES_COUNTING_H
#define TSR_FEATURES_COUNTING_H

#include "features/texts.h"
#include "features/vocabulary.h"

/* A word of the lane's, or the given, vocabulary and how often a text has it. */
typedef struct tsr__word_count {
    int32_t word;
    uint32_t times;
} tsr__word_count;

typedef struct tsr__lane {
    tsr__vocabulary words;  /* as they came; unused where words are given */
    int64_t *last;          /* the latest entry of each word */
    int64_t *documents;     /* texts that may be learnt from which have the word */
    int64_t room;           /* of last and documents */
    tsr__word_count *entry; /* text after text */
    int64_t entries, entry_room;
    tsr__text text;
    tsr_status status;
    char reason[256];
} tsr__lane;

/* The words of one text: `count` entries of its lane, the first at `at`; of a faulty text, what
 * the fault is about. */
typedef struct tsr__bag {
    int64_t at;
    int32_t count, lane;
    tsr__text_fault fault;
} tsr__bag;

typedef struct tsr__counting {
    tsr__lane *lane;
    int lanes;
    tsr__bag *bag; /* one a text */
    int64_t bags;
} tsr__counting;

/* What to count. */
typedef struct tsr__count_job {
    const tsr__texts *texts;
    const tsr__vocabulary *given; /* or NULL: every word of at least `shortest` characters */
    const bool *learn;            /* or NULL: all */
    int64_t shortest, threads;
    const tsr_progress *progress;
} tsr__count_job;

/* O(bytes). Memory: eight bytes for each text and each of its different words. */
tsr_status tsr__counting_run(tsr__counting *out, const tsr__count_job *job);
void tsr__counting_clear(tsr__counting *counting);

#endif
