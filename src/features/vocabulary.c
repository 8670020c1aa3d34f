/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The table of words: linear probing, at most half full. */
#include "features/vocabulary.h"

#include <string.h>

enum { FIRST_SLOTS = 1024 };

void tsr__vocabulary_clear(tsr__vocabulary *vocabulary)
{
    tsr__free(vocabulary->slot);
    tsr__free(vocabulary->word);
    tsr__free(vocabulary->text);
    *vocabulary = (tsr__vocabulary){0};
}

/* Every bit of every eight bytes reaches every bit of the result. */
static uint64_t hash(const char *text, int32_t length)
{
    uint64_t h = (uint64_t)length * 0x9e3779b97f4a7c15u;
    for (int32_t at = 0; at < length; at += 8) {
        uint64_t bytes;
        memcpy(&bytes, text + at, 8);
        h = (h ^ bytes) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    h *= 0xc4ceb9fe1a85ec53u;
    return h ^ h >> 29;
}

static uint64_t head_of(const char *text)
{
    uint64_t head;
    memcpy(&head, text, 8);
    return head;
}

static bool same(const tsr__vocabulary *v, const tsr__word_slot *slot, uint32_t tag,
                 const char *text, int32_t length)
{
    if (slot->tag != tag || slot->head != head_of(text))
        return false;
    if (length < 8) /* the head holds it, and the zeros after it */
        return true;
    const tsr__word *word = &v->word[slot->index];
    return word->length == length && memcmp(v->text + word->at, text, (size_t)length) == 0;
}

/* Where the token is, or the free place where it would be. */
static int64_t probe(const tsr__vocabulary *v, const char *text, int32_t length, uint64_t h)
{
    const uint64_t mask = (uint64_t)v->slots - 1;
    uint64_t at = h & mask;
    while (v->slot[at].index >= 0 && !same(v, &v->slot[at], (uint32_t)(h >> 32), text, length))
        at = (at + 1) & mask;
    return (int64_t)at;
}

int32_t tsr__vocabulary_find(const tsr__vocabulary *vocabulary, const char *text,
                             int32_t length)
{
    if (vocabulary->slots == 0)
        return -1;
    const int64_t at = probe(vocabulary, text, length, hash(text, length));
    return vocabulary->slot[at].index;
}

void tsr__vocabulary_glance(int32_t *index, const tsr__vocabulary *vocabulary,
                            const tsr__token *token, int count)
{
    const uint64_t mask = (uint64_t)vocabulary->slots - 1;
    for (int i = 0; i < count; i++) {
        index[i] = -1;
        if (vocabulary->slots == 0)
            continue;
        const uint64_t h = hash(token[i].text, token[i].length);
        const tsr__word_slot *slot = &vocabulary->slot[h & mask];
        if (slot->index >= 0 &&
            same(vocabulary, slot, (uint32_t)(h >> 32), token[i].text, token[i].length))
            index[i] = slot->index;
    }
}

/* Twice as many places; nothing changes where memory is out. */
static tsr_status widen(tsr__vocabulary *v)
{
    tsr_status status = TSR_OK;
    const int64_t slots = v->slots > 0 ? 2 * v->slots : FIRST_SLOTS;
    tsr__word_slot *slot = NULL;
    TSR_NEW(slot, slots);
    for (int64_t i = 0; i < slots; i++)
        slot[i] = (tsr__word_slot){0, 0, -1};
    for (int64_t i = 0; i < v->slots; i++) {
        if (v->slot[i].index < 0)
            continue;
        const tsr__word *word = &v->word[v->slot[i].index];
        uint64_t at = hash(v->text + word->at, word->length) & (uint64_t)(slots - 1);
        while (slot[at].index >= 0)
            at = (at + 1) & (uint64_t)(slots - 1);
        slot[at] = v->slot[i];
    }
    tsr__free(v->slot);
    v->slot = slot, v->slots = slots;
done:
    return status;
}

static tsr_status append(tsr__vocabulary *v, const char *text, int32_t length)
{
    tsr_status status = TSR_OK;
    const int64_t size = (length + 7) / 8 * 8;
    if (v->used + size > v->text_room) {
        const int64_t room = 2 * v->text_room + (1 << 12);
        char *grown = tsr__regrow(v->text, v->used, room, 1);
        if (grown == NULL)
            TSR_TRY(TSR_ERROR_MEMORY);
        v->text = grown, v->text_room = room;
    }
    TSR_GROW(v->word, v->count, v->room);
    memcpy(v->text + v->used, text, (size_t)size);
    v->word[v->count++] = (tsr__word){v->used, length};
    v->used += size;
done:
    return status;
}

tsr_status tsr__vocabulary_add(int32_t *index, tsr__vocabulary *vocabulary, const char *text,
                               int32_t length)
{
    tsr_status status = TSR_OK;
    const uint64_t h = hash(text, length);
    if (2 * (vocabulary->count + 1) > vocabulary->slots)
        TSR_TRY(widen(vocabulary));
    tsr__word_slot *slot = &vocabulary->slot[probe(vocabulary, text, length, h)];
    if (slot->index < 0) {
        if (vocabulary->count == INT32_MAX)
            TSR_FAIL(TSR_ERROR_UNSUPPORTED, "more than %lld different words",
                     (long long)INT32_MAX);
        TSR_TRY(append(vocabulary, text, length));
        *slot = (tsr__word_slot){head_of(text), (uint32_t)(h >> 32),
                                 (int32_t)(vocabulary->count - 1)};
    }
    *index = slot->index;
done:
    return status;
}
