/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Joining the lanes' words, choosing among them and sorting them: O(words log words). */
#include "features/columns.h"

#include <stdlib.h>
#include <string.h>

/* A word that may become a column. */
typedef struct candidate {
    uint64_t key; /* its first eight bytes, the first one highest */
    const char *text;
    int64_t documents;
    int32_t length, index; /* among the joined words */
} candidate;

typedef struct join {
    const tsr__column_rule *rule;
    tsr__vocabulary *words; /* of all lanes: the first lane's */
    int64_t *documents;     /* of each of them */
    int64_t room;
    candidate *chosen;
    int64_t count;
} join;

static int by_text(const void *a, const void *b)
{
    const candidate *left = a, *right = b;
    if (left->key != right->key)
        return left->key < right->key ? -1 : 1;
    const int32_t shorter = left->length < right->length ? left->length : right->length;
    const int order = memcmp(left->text, right->text, (size_t)shorter);
    return order != 0 ? order : (left->length > right->length) - (left->length < right->length);
}

static int by_documents(const void *a, const void *b)
{
    const candidate *left = a, *right = b;
    if (left->documents != right->documents)
        return left->documents > right->documents ? -1 : 1;
    return by_text(a, b);
}

/* The first lane's words keep their numbers. */
static tsr_status join_first(join *j, tsr__columns *columns, const tsr__lane *lane)
{
    tsr_status status = TSR_OK;
    const int64_t count = lane->words.count;
    columns->size[0] = count;
    TSR_NEW(columns->of[0], count);
    TSR_NEW(j->documents, count);
    j->room = count;
    for (int64_t i = 0; i < count; i++) {
        columns->of[0][i] = (int32_t)i;
        j->documents[i] = lane->documents[i];
    }
done:
    return status;
}

/* Numbers of the lane's words among all of them, and the sums of their documents. */
static tsr_status join_lane(join *j, int32_t *of, const tsr__lane *lane)
{
    tsr_status status = TSR_OK;
    for (int64_t i = 0; i < lane->words.count; i++) {
        const tsr__word *word = &lane->words.word[i];
        const int64_t before = j->words->count;
        TSR_TRY(
            tsr__vocabulary_add(&of[i], j->words, lane->words.text + word->at, word->length));
        if (of[i] == before) {
            TSR_GROW(j->documents, before, j->room);
            j->documents[before] = 0;
        }
        j->documents[of[i]] += lane->documents[i];
    }
done:
    return status;
}

static uint64_t key_of(const char *text)
{
    uint64_t key = 0;
    for (int i = 0; i < 8; i++)
        key = key << 8 | (unsigned char)text[i];
    return key;
}

static tsr_status choose(join *j)
{
    tsr_status status = TSR_OK;
    const tsr__column_rule *rule = j->rule;
    TSR_NEW(j->chosen, j->words->count);
    for (int64_t i = 0; i < j->words->count; i++) {
        const tsr__word *word = &j->words->word[i];
        const char *text = j->words->text + word->at;
        const int64_t documents = j->documents[i];
        if (documents < rule->minimum || documents == 0 ||
            (double)documents > rule->maximum * (double)rule->texts ||
            tsr__vocabulary_find(rule->stop, text, word->length) >= 0)
            continue;
        j->chosen[j->count++] =
            (candidate){key_of(text), text, documents, word->length, (int32_t)i};
    }
    if (j->count == 0)
        TSR_FAIL(TSR_ERROR_DATA,
                 "no words are left of %lld different ones in %lld texts; see the minimum of "
                 "documents, the maximum share and the stop words",
                 (long long)j->words->count, (long long)rule->texts);
    if (rule->most > 0 && rule->most < j->count) {
        qsort(j->chosen, (size_t)j->count, sizeof *j->chosen, by_documents);
        j->count = rule->most;
    }
    qsort(j->chosen, (size_t)j->count, sizeof *j->chosen, by_text);
done:
    return status;
}

/* Names and documents of the columns, and numbers of joined words turned into columns. */
static tsr_status settle(tsr__columns *out, const join *j)
{
    tsr_status status = TSR_OK;
    int32_t *column = NULL;
    char text[TSR_TOKEN_SIZE + 1];
    TSR_NEW(column, j->words->count);
    TSR_NEW(out->documents, j->count);
    out->count = j->count;
    for (int64_t i = 0; i < j->words->count; i++)
        column[i] = -1;
    for (int64_t i = 0; i < j->count; i++) {
        const candidate *c = &j->chosen[i];
        column[c->index] = (int32_t)i;
        out->documents[i] = c->documents;
        memcpy(text, c->text, (size_t)c->length);
        text[c->length] = '\0';
        TSR_TRY(tsr__names_add(&out->words, text));
    }
    for (int lane = 0; lane < out->lanes; lane++)
        for (int64_t i = 0; i < out->size[lane]; i++)
            out->of[lane][i] = column[out->of[lane][i]];
done:
    tsr__free(column);
    return status;
}

tsr_status tsr__columns_choose(tsr__columns *out, tsr__counting *counting,
                               const tsr__column_rule *rule)
{
    tsr_status status = TSR_OK;
    tsr__columns columns = {.count = 0};
    join j = {.rule = rule, .words = &counting->lane[0].words};
    TSR_NEW_ZERO(columns.of, counting->lanes);
    TSR_NEW(columns.size, counting->lanes);
    columns.lanes = counting->lanes;
    TSR_TRY(join_first(&j, &columns, &counting->lane[0]));
    for (int i = 1; i < counting->lanes; i++) {
        columns.size[i] = counting->lane[i].words.count;
        TSR_NEW(columns.of[i], columns.size[i]);
        TSR_TRY(join_lane(&j, columns.of[i], &counting->lane[i]));
    }
    TSR_TRY(choose(&j));
    TSR_TRY(settle(&columns, &j));
    *out = columns, columns = (tsr__columns){.count = 0};
done:
    tsr__columns_clear(&columns);
    tsr__free(j.documents);
    tsr__free(j.chosen);
    return status;
}

tsr_status tsr__columns_given(tsr__columns *out, const tsr__counting *counting, int64_t count)
{
    tsr_status status = TSR_OK;
    int64_t *documents = NULL;
    TSR_NEW_ZERO(documents, count);
    for (int lane = 0; lane < counting->lanes; lane++)
        for (int64_t i = 0; i < count && i < counting->lane[lane].room; i++)
            documents[i] += counting->lane[lane].documents[i];
    *out = (tsr__columns){.documents = documents, .count = count};
done:
    return status;
}

void tsr__columns_clear(tsr__columns *columns)
{
    for (int i = 0; i < columns->lanes; i++)
        tsr__free(columns->of[i]);
    tsr__free(columns->of);
    tsr__free(columns->size);
    tsr__free(columns->documents);
    tsr__names_clear(&columns->words);
    *columns = (tsr__columns){.count = 0};
}
