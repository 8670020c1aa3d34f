/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Counting: one table look-up a word, then the latest entry of the word tells whether the text
 * had it before. */
#include "features/counting.h"

#include "base/progress.h"
#include "matrix/parallel.h"

#include <math.h>
#include <stdio.h>

enum { CHUNK = 16, BATCH = 4096 }; /* texts handed to a thread at once; texts between reports */

typedef struct work {
    const tsr__count_job *job;
    tsr__counting *out;
    int64_t first, last; /* texts of this batch: first .. last-1 */
} work;

/* Room for what is known of word `index`. */
static tsr_status make_room(tsr__lane *lane, int64_t index)
{
    tsr_status status = TSR_OK;
    if (index < lane->room)
        return TSR_OK;
    const int64_t room = index + index / 2 + 1024;
    int64_t *last = tsr__regrow(lane->last, lane->room, room, sizeof *last);
    if (last == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    lane->last = last;
    int64_t *documents = tsr__regrow(lane->documents, lane->room, room, sizeof *documents);
    if (documents == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    lane->documents = documents;
    for (int64_t i = lane->room; i < room; i++)
        last[i] = -1, documents[i] = 0;
    lane->room = room;
done:
    return status;
}

/* By doubling: entries are many, and memory that moves is memory touched twice. */
static tsr_status widen_entries(tsr__lane *lane)
{
    const int64_t room = 2 * lane->entry_room + 4096;
    tsr__word_count *grown = tsr__regrow(lane->entry, lane->entries, room, sizeof *grown);
    if (grown == NULL)
        return TSR_ERROR_MEMORY;
    lane->entry = grown, lane->entry_room = room;
    return TSR_OK;
}

static tsr_status count_word(tsr__lane *lane, int32_t word, int64_t begin, bool learn)
{
    tsr_status status = TSR_OK;
    TSR_TRY(make_room(lane, word));
    if (lane->last[word] >= begin) {
        lane->entry[lane->last[word]].times++;
        return TSR_OK;
    }
    if (lane->entries == lane->entry_room)
        TSR_TRY(widen_entries(lane));
    lane->last[word] = lane->entries;
    lane->documents[word] += learn;
    lane->entry[lane->entries++] = (tsr__word_count){word, 1};
done:
    return status;
}

/* The next tokens of a text; returns how many. */
static int gather(tsr__token *token, tsr__tokens *walk)
{
    int count = 0;
    while (count < TSR_GLANCE && tsr__tokens_next(&token[count], walk))
        count++;
    return count;
}

static tsr_status count_text(tsr__lane *lane, const tsr__count_job *job, bool learn)
{
    tsr_status status = TSR_OK;
    const tsr__vocabulary *known = job->given != NULL ? job->given : &lane->words;
    const int64_t begin = lane->entries;
    tsr__tokens walk = tsr__tokens_begin(lane->text.bytes, lane->text.size,
                                         job->given != NULL ? 1 : job->shortest);
    tsr__token token[TSR_GLANCE];
    int32_t word[TSR_GLANCE];
    for (int count = gather(token, &walk); count > 0; count = gather(token, &walk)) {
        tsr__vocabulary_glance(word, known, token, count);
        for (int i = 0; i < count; i++) {
            if (word[i] < 0 && job->given != NULL)
                word[i] = tsr__vocabulary_find(known, token[i].text, token[i].length);
            else if (word[i] < 0)
                TSR_TRY(tsr__vocabulary_add(&word[i], &lane->words, token[i].text,
                                            token[i].length));
            if (word[i] >= 0)
                TSR_TRY(count_word(lane, word[i], begin, learn));
        }
    }
done:
    return status;
}

static tsr_status take_text(work *w, tsr__lane *lane, int64_t i)
{
    tsr_status status = TSR_OK;
    tsr__bag *bag = &w->out->bag[i];
    const bool *learn = w->job->learn;
    const int64_t begin = lane->entries;
    TSR_TRY(tsr__texts_get(&lane->text, w->job->texts, i));
    bag->fault = lane->text.fault, bag->at = lane->text.value;
    if (bag->fault != TSR_TEXT_FINE)
        goto done;
    TSR_TRY(count_text(lane, w->job, learn == NULL || learn[i]));
    bag->at = begin;
    bag->count = (int32_t)(lane->entries - begin);
    bag->lane = (int32_t)(lane - w->out->lane);
done:
    return status;
}

static void take_chunk(void *context, int64_t item, int thread)
{
    work *w = context;
    tsr__lane *lane = &w->out->lane[thread];
    const int64_t first = w->first + item * CHUNK;
    const int64_t last = first + CHUNK < w->last ? first + CHUNK : w->last;
    for (int64_t i = first; i < last && lane->status == TSR_OK; i++) {
        lane->status = take_text(w, lane, i);
        if (lane->status < 0)
            (void)snprintf(lane->reason, sizeof lane->reason, "%s", tsr_message());
    }
}

static tsr_status take_all(work *w)
{
    tsr_status status = TSR_OK;
    const int64_t count = w->out->bags;
    const tsr__task task = tsr__task_begin(w->job->progress, "counting words", count);
    for (; w->first < count; w->first = w->last) {
        w->last = w->first + BATCH < count ? w->first + BATCH : count;
        tsr__parallel((w->last - w->first + CHUNK - 1) / CHUNK, w->out->lanes, take_chunk, w);
        for (int i = 0; i < w->out->lanes; i++)
            if (w->out->lane[i].status < 0)
                TSR_FAIL(w->out->lane[i].status, "%s", w->out->lane[i].reason);
        TSR_TRY(tsr__task_step(&task, w->last, NAN, NAN));
    }
done:
    return status;
}

tsr_status tsr__counting_run(tsr__counting *out, const tsr__count_job *job)
{
    tsr_status status = TSR_OK;
    tsr__counting counting = {.bags = job->texts->count};
    work w = {.job = job, .out = &counting};
    const int lanes = tsr__threads(job->threads, (counting.bags + CHUNK - 1) / CHUNK);
    TSR_NEW_ZERO(counting.lane, lanes);
    counting.lanes = lanes;
    TSR_NEW_ZERO(counting.bag, counting.bags);
    TSR_TRY(take_all(&w));
    *out = counting, counting = (tsr__counting){.bags = 0};
done:
    tsr__counting_clear(&counting);
    return status;
}

void tsr__counting_clear(tsr__counting *counting)
{
    for (int i = 0; i < counting->lanes; i++) {
        tsr__lane *lane = &counting->lane[i];
        tsr__vocabulary_clear(&lane->words);
        tsr__text_clear(&lane->text);
        tsr__free(lane->last);
        tsr__free(lane->documents);
        tsr__free(lane->entry);
    }
    tsr__free(counting->lane);
    tsr__free(counting->bag);
    *counting = (tsr__counting){.bags = 0};
}
