/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Keeping and putting back where a fit stopped. Sums over the samples are made anew, by the same
 * passes in the same order; what is not a function of the factors to the last bit (a gram matrix
 * that was scaled together with them) or of the current ones at all (codes before extrapolation)
 * is kept as it is. */
#include "factor/state.h"

#include "factor/model.h"
#include "factor/solver.h"

#include <string.h>

const char *const tsr__state_names[TSR_STATE_PARTS] = {
    "plain",      "gram",  "gram_negative", "lift",   "lift_negative",
    "column_sum", "basis", "codes",         "weights"};

void tsr__state_clear(tsr__state *state)
{
    for (int i = 0; i < TSR_STATE_PARTS; i++)
        tsr__free(state->part[i].values);
    tsr__free(state->objective);
    tsr__free(state->seconds);
    *state = (tsr__state){0};
}

/* Those of the solver; values NULL where it has none. */
static void list_parts(tsr__state_part list[TSR_STATE_PARTS], const tsr__solver *s)
{
    const int64_t n = s->n * s->k, m = s->m * s->k, square = s->k * s->k;
    const tsr__state_part parts[TSR_STATE_PARTS] = {
        [TSR_STATE_PLAIN] = {s->plain, n, s->type},
        [TSR_STATE_GRAM] = {s->gram, square, s->type},
        [TSR_STATE_GRAM_NEGATIVE] = {s->gram_negative, square, s->type},
        [TSR_STATE_LIFT] = {s->lift != s->basis ? s->lift : NULL, m, s->type},
        [TSR_STATE_LIFT_NEGATIVE] = {s->lift_negative, m, s->type},
        [TSR_STATE_COLUMN_SUM] = {s->column_sum, s->k, TSR_FLOAT64},
        [TSR_STATE_BASIS] = {s->basis, m, s->type},
        [TSR_STATE_CODES] = {s->codes, n, s->type},
        [TSR_STATE_WEIGHTS] = {s->weights, s->atoms.samples * s->k, s->type},
    };
    memcpy(list, parts, sizeof parts);
}

static bool of_factors(int i)
{
    return i >= TSR_STATE_BASIS;
}

tsr_status tsr__state_take(tsr__state *state, const tsr__solver *s, bool own)
{
    tsr_status status = TSR_OK;
    tsr__state_part list[TSR_STATE_PARTS];
    tsr__state_clear(state);
    list_parts(list, s);
    for (int i = 0; i < TSR_STATE_PARTS; i++) {
        if (list[i].values == NULL || (of_factors(i) && !own))
            continue;
        const size_t size = tsr__type_size(list[i].type);
        state->part[i].values = tsr__alloc(list[i].count, size);
        if (state->part[i].values == NULL)
            TSR_TRY(TSR_ERROR_MEMORY);
        memcpy(state->part[i].values, list[i].values, (size_t)list[i].count * size);
        state->part[i].count = list[i].count;
        state->part[i].type = list[i].type;
    }
    state->push = s->push, state->run = s->run, state->last = s->last;
    state->fresh = s->fresh;
    state->own = own;
    state->known = true;
done:
    return status;
}

/* The model's own factors, as the solver lays them out. Kernel models have the weights in the
 * basis's place. */
static void give_factors(tsr__solver *s, const tsr_model *from, const int64_t *row_of)
{
    for (int64_t i = 0; i < from->report.samples; i++)
        for (int64_t j = 0; j < s->k; j++)
            tsr__real_set(s, s->codes, row_of[i] * s->k + j, tsr_matrix_at(from->codes, i, j));
    for (int64_t i = 0; i < s->m; i++)
        for (int64_t j = 0; j < s->k; j++)
            tsr__real_set(s, s->basis, i * s->k + j,
                          s->kernel ? tsr_matrix_at(from->weights, i, j)
                                    : tsr_matrix_at(from->basis, j, i));
    for (int64_t i = 0; s->weights != NULL && i < s->atoms.samples; i++)
        for (int64_t j = 0; j < s->k; j++)
            tsr__real_set(s, s->weights, i * s->k + j, tsr_matrix_at(from->weights, i, j));
}

tsr_status tsr__state_give(tsr__solver *s, const tsr_model *from, const int64_t *row_of)
{
    const tsr__state *state = &from->state;
    tsr__state_part list[TSR_STATE_PARTS];
    list_parts(list, s);
    if (!state->own)
        give_factors(s, from, row_of);
    if (!state->known) {
        tsr__solver_start(s);
        return TSR_OK;
    }
    for (int i = 0; i < TSR_STATE_PARTS; i++) {
        const bool wanted = list[i].values != NULL && (state->own || !of_factors(i));
        if (wanted != (state->part[i].values != NULL) ||
            (wanted &&
             (state->part[i].count != list[i].count || state->part[i].type != list[i].type)))
            return tsr__fail(TSR_ERROR_DATA,
                             "what was kept to go on from does not fit this fit (%s): "
                             "--init FILE starts another one from its factors",
                             tsr__state_names[i]);
        if (wanted)
            memcpy(list[i].values, state->part[i].values,
                   (size_t)list[i].count * tsr__type_size(list[i].type));
    }
    s->push = state->push, s->run = state->run, s->last = state->last;
    s->fresh = state->fresh;
    tsr__solver_sum(s);
    return TSR_OK;
}
