/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Columns: which counted words become features, and where. */
#ifndef TSR_FEATURES_COLUMNS_H
#define TSR_FEATURES_COLUMNS_H

#include "features/counting.h"

typedef struct tsr__columns {
    tsr__names words;   /* of each column, in the order of their bytes; none where given */
    int64_t *documents; /* texts that may be learnt from which have the word */
    int64_t count;
    int32_t **of;  /* lane by lane, the column of each of its words or -1; NULL: its number */
    int64_t *size; /* words of each lane */
    int lanes;
} tsr__columns;

/* Which words to keep. */
typedef struct tsr__column_rule {
    int64_t texts;   /* that were learnt from */
    int64_t minimum; /* documents */
    double maximum;  /* share of documents */
    int64_t most;    /* words: those that most documents have; 0: all */
    const tsr__vocabulary *stop;
} tsr__column_rule;

/* Joins the lanes: the first gets the words of the others too. Sums are of integers and words are
 * sorted, so threads do not show. */
tsr_status tsr__columns_choose(tsr__columns *out, tsr__counting *counting,
                               const tsr__column_rule *rule);

/* The columns of a given vocabulary of `count` words. */
tsr_status tsr__columns_given(tsr__columns *out, const tsr__counting *counting, int64_t count);
void tsr__columns_clear(tsr__columns *columns);

#endif
