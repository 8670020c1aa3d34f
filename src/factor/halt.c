/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Keeping and putting back where a fit stopped. Sums over the samples are made anew, by the same
 * passes in the same order; what is not a function of the factors to the last bit (a gram matrix
 * that was scaled together with them) or of the current ones at all (a factor before extrapolation)
 * is kept as it is.
 *
 * What is kept is O((n + m) k): the factor before extrapolation, and with kernels the lift. Sums
 * are not, although that would spare a pass: they are m k more, and a pass makes the same bits.
 * The law is tests/test_law_resume.c: N iterations, an archive and M more are N + M at once. */
#include "factor/halt.h"

#include "factor/model.h"
#include "factor/plan.h"

#include <math.h>
#include <string.h>

/* In the order of the enum of halt.h; messages name them, and parts.c has the same names behind
 * "state/" in archives. */
const char *const tsr__halt_names[TSR_HALT_PARTS] = {
    "plain",         "plain_theta", "gram",  "gram_negative", "lift",
    "lift_negative", "column_sum",  "basis", "codes",         "weights"};

void tsr__halt_clear(tsr__halt *state)
{
    for (int i = 0; i < TSR_HALT_PARTS; i++)
        tsr__free(state->part[i].values);
    tsr__free(state->objective);
    tsr__free(state->seconds);
    tsr_matrix_free(state->history);
    *state = (tsr__halt){0};
}

/* Those of the solver; values NULL where it has none. One list serves taking and giving, so
 * that the two cannot disagree about sizes. A lift that is the basis itself is none: it would
 * be kept twice. Gram matrices and Ft1 are double in either precision. */
static void list_parts(tsr__halt_part list[TSR_HALT_PARTS], const tsr__solver *s)
{
    const int64_t n = s->n * s->k, m = s->m * s->k, square = s->k * s->k;
    const tsr__halt_part parts[TSR_HALT_PARTS] = {
        [TSR_HALT_PLAIN] = {tsr__plain_codes(s), n, s->type},
        [TSR_HALT_PLAIN_THETA] = {tsr__plain_theta(s), tsr__plain_rows(s) * s->k, s->type},
        [TSR_HALT_GRAM] = {s->state.metric.exact, square, TSR_FLOAT64},
        [TSR_HALT_GRAM_NEGATIVE] = {s->state.metric.exact_anti, square, TSR_FLOAT64},
        [TSR_HALT_LIFT] = {s->state.metric.lift != s->state.basis ? s->state.metric.lift : NULL,
                           m, s->type},
        [TSR_HALT_LIFT_NEGATIVE] = {s->state.metric.anti_lift, m, s->type},
        [TSR_HALT_COLUMN_SUM] = {s->state.metric.Ft1, s->k, TSR_FLOAT64},
        [TSR_HALT_BASIS] = {s->state.basis, m, s->type},
        [TSR_HALT_CODES] = {s->state.codes, n, s->type},
        [TSR_HALT_WEIGHTS] = {s->state.weights, s->problem->atoms.samples * s->k, s->type},
    };
    memcpy(list, parts, sizeof parts);
}

/* The factors stand last in the enum. */
static bool of_factors(int i)
{
    return i >= TSR_HALT_BASIS;
}

/* `known` is set last: a state that could not be copied whole is none. */
tsr_status tsr__halt_take(tsr__halt *state, const tsr__solver *s, bool own)
{
    tsr_status status = TSR_OK;
    tsr__halt_part list[TSR_HALT_PARTS];
    tsr__halt_clear(state);
    list_parts(list, s);
    for (int i = 0; i < TSR_HALT_PARTS; i++) {
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
    state->push = s->state.lead.push, state->run = s->state.lead.run;
    state->last = s->state.lead.last, state->fresh = s->state.lead.fresh;
    state->own = own;
    state->known = true;
done:
    return status;
}

/* The model's own factors, as the solver lays them out. Kernel models have the weights in the
 * basis's place. Values pass through double, which holds both types, so that no bit changes.
 * Members of a tied group have the same code, and whichever is written last is right. */
static void give_factors(tsr__solver *s, const tsr_model *from)
{
    const int64_t *row_of = s->problem->row_of;
    const bool kernel = s->problem->held.kernel != NULL;
    for (int64_t i = 0; i < from->report.samples; i++)
        for (int64_t j = 0; j < s->k; j++)
            tsr__real_set(s, s->state.codes, row_of[i] * s->k + j,
                          tsr_matrix_at(from->codes, i, j));
    for (int64_t i = 0; i < s->m; i++)
        for (int64_t j = 0; j < s->k; j++)
            tsr__real_set(s, s->state.basis, i * s->k + j,
                          kernel ? tsr_matrix_at(from->weights, i, j)
                                 : tsr_matrix_at(from->basis, j, i));
    for (int64_t i = 0; s->state.weights != NULL && i < s->problem->atoms.samples; i++)
        for (int64_t j = 0; j < s->k; j++)
            tsr__real_set(s, s->state.weights, i * s->k + j,
                          tsr_matrix_at(from->weights, i, j));
}

/* Codes are led on in memory and theta where samples are streamed (solver.c): a fit that stopped in
 * one place and goes on in the other has nothing to lead on from. */
bool tsr__halt_leads(const tsr__solver *s, const tsr_model *from)
{
    const tsr__halt_part *part = from->state.part;
    return (part[TSR_HALT_PLAIN].values != NULL) == (tsr__plain_codes(s) != NULL) &&
           (part[TSR_HALT_PLAIN_THETA].values != NULL) == (tsr__plain_theta(s) != NULL);
}

static bool of_lead(int i)
{
    return i == TSR_HALT_PLAIN || i == TSR_HALT_PLAIN_THETA;
}

/* Where the state is known nothing is pushed through the map and nothing is normalised: both
 * would round once more. The sums alone are made anew. What does not fit in size or type was
 * kept by other settings, or comes from a damaged file, and is refused before it is copied. */
tsr_status tsr__halt_give(tsr__solver *s, const tsr_model *from)
{
    const tsr__halt *state = &from->state;
    const bool leads = tsr__halt_leads(s, from);
    tsr__halt_part list[TSR_HALT_PARTS];
    list_parts(list, s);
    if (!state->own)
        give_factors(s, from);
    if (!state->known) {
        tsr__solver_start(s);
        return s->work.trouble;
    }
    for (int i = 0; i < TSR_HALT_PARTS; i++) {
        if (of_lead(i) && !leads)
            continue;
        const bool wanted = list[i].values != NULL && (state->own || !of_factors(i));
        if (wanted != (state->part[i].values != NULL) ||
            (wanted &&
             (state->part[i].count != list[i].count || state->part[i].type != list[i].type)))
            return tsr__fail(TSR_ERROR_DATA,
                             "what was kept to go on from does not fit this fit (%s): "
                             "--init FILE starts another one from its factors",
                             tsr__halt_names[i]);
        if (wanted)
            memcpy(list[i].values, state->part[i].values,
                   (size_t)list[i].count * tsr__type_size(list[i].type));
    }
    tsr__metric_narrow(s);
    s->state.lead = leads ? (tsr__lead){state->push, state->run, state->last, state->fresh}
                          : (tsr__lead){.last = (double)INFINITY, .fresh = state->fresh};
    tsr__solver_sum(s);
    return s->work.trouble;
}
