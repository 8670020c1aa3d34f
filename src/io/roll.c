/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Labels that pass by. What they mean depends on the texts that occur and not on how often, so the
 * classes of the texts are those of the samples: 4 bytes a sample, and each text once. */
#include "io/roll.h"

#include <string.h>

static uint64_t hash(const tsr__field *field)
{
    uint64_t number = 14695981039346656037u + field->quoted; /* FNV-1a */
    for (int64_t i = 0; i < field->length; i++)
        number = (number ^ (unsigned char)field->at[i]) * 1099511628211u;
    return number ^ number >> 32;
}

static bool same(const tsr__field *a, const tsr__field *b)
{
    return a->length == b->length && a->quoted == b->quoted &&
           memcmp(a->at, b->at, (size_t)a->length) == 0;
}

/* The slot that has the field, or the empty one where it belongs. */
static int32_t *find(const tsr__roll *roll, const tsr__field *field)
{
    for (uint64_t at = hash(field);; at++) {
        int32_t *slot = &roll->slot[at & (uint64_t)(roll->slots - 1)];
        if (*slot < 0 || same(&roll->text[*slot], field))
            return slot;
    }
}

static tsr_status widen(tsr__roll *roll)
{
    tsr_status status = TSR_OK;
    const int64_t slots = roll->slots > 0 ? 2 * roll->slots : 64;
    int32_t *slot = NULL;
    TSR_NEW(slot, slots);
    memset(slot, 0xff, (size_t)slots * sizeof *slot);
    tsr__free(roll->slot);
    roll->slot = slot, roll->slots = slots;
    for (int64_t i = 0; i < roll->texts; i++)
        *find(roll, &roll->text[i]) = (int32_t)i;
done:
    return status;
}

static tsr_status add_text(int32_t *out, tsr__roll *roll, const tsr__field *field)
{
    tsr_status status = TSR_OK;
    char *copy = NULL;
    roll->held += field->length + 128; /* with the label that is made of it */
    if (roll->held > roll->memory || roll->texts == INT32_MAX)
        TSR_FAIL(TSR_ERROR_DATA,
                 "%lld labels of %lld samples differ, and take more than --memory leaves for "
                 "them: give more, or labels that are classes by --labels",
                 (long long)roll->texts + 1, (long long)roll->count + 1);
    TSR_GROW(roll->text, roll->texts, roll->text_room);
    TSR_NEW(copy, field->length + 1);
    memcpy(copy, field->at, (size_t)field->length);
    roll->text[roll->texts] = (tsr__field){copy, field->length, field->quoted};
    *out = (int32_t)roll->texts++;
done:
    return status;
}

tsr_status tsr__roll_add(tsr__roll *roll, const tsr__field *field)
{
    tsr_status status = TSR_OK;
    if (2 * roll->texts >= roll->slots)
        TSR_TRY(widen(roll));
    TSR_GROW(roll->of, roll->count, roll->of_room);
    int32_t *slot = find(roll, field);
    if (*slot < 0)
        TSR_TRY(add_text(slot, roll, field));
    roll->of[roll->count++] = *slot;
done:
    return status;
}

static bool none_known(const tsr__roll *roll)
{
    for (int64_t i = 0; i < roll->texts; i++)
        if (roll->text[i].length > 0 && !tsr__field_is(&roll->text[i], "?"))
            return false;
    return true;
}

tsr_status tsr__roll_take(tsr_labels **out, tsr__roll *roll, bool signs, bool unknown)
{
    tsr_status status = TSR_OK;
    tsr_labels *labels = NULL;
    if (unknown && none_known(roll))
        goto done;
    TSR_TRY(tsr__field_labels(&labels, roll->text, roll->texts, signs));
    for (int64_t i = 0; i < roll->count; i++)
        roll->of[i] = labels->of[roll->of[i]];
    tsr__free(labels->of);
    labels->of = roll->of, roll->of = NULL;
    labels->count = roll->count;
    *out = labels;
done:
    tsr__roll_clear(roll);
    return status;
}

void tsr__roll_clear(tsr__roll *roll)
{
    for (int64_t i = 0; i < roll->texts; i++)
        tsr__free((char *)(uintptr_t)roll->text[i].at);
    tsr__free(roll->text);
    tsr__free(roll->of);
    tsr__free(roll->slot);
    *roll = (tsr__roll){.memory = roll->memory};
}
