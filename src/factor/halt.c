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

#include "factor/init.h"
#include "factor/model.h"
#include "matrix/team.h"

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

/* A part where the solver has it: rows of this rank alone, or of the features that it moves, or all. */
typedef struct place {
    tsr__halt_part part; /* as all ranks have it together; its values as this one does */
    const tsr__share *share;
    bool divided;
} place;

/* Those of the solver; values NULL where it has none. One list serves taking and giving, so
 * that the two cannot disagree about sizes. A lift that is the basis itself is none: it would
 * be kept twice. Gram matrices and Ft1 are double in either precision. */
static void list_parts(place list[TSR_HALT_PARTS], const tsr__solver *s)
{
    const tsr__problem *p = s->problem;
    const tsr__state *state = &s->state;
    const bool woven = s->plan->map->woven;
    const int64_t n = p->rows.whole * s->k, m = s->m * s->k, square = s->k * s->k,
                  atoms = p->share.whole * s->k;
    const place parts[TSR_HALT_PARTS] = {
        [TSR_HALT_PLAIN] = {{tsr__plain_codes(s), n, s->type}, &p->rows, false},
        [TSR_HALT_PLAIN_THETA] = {{tsr__plain_theta(s), woven ? atoms : m, s->type},
                                  woven ? &p->share : NULL,
                                  s->plan->divides},
        [TSR_HALT_GRAM] = {{state->metric.exact, square, TSR_FLOAT64}, NULL, false},
        [TSR_HALT_GRAM_NEGATIVE] = {{state->metric.exact_anti, square, TSR_FLOAT64},
                                    NULL,
                                    false},
        [TSR_HALT_LIFT] = {{state->metric.lift != state->basis ? state->metric.lift : NULL, m,
                            s->type},
                           NULL,
                           false},
        [TSR_HALT_LIFT_NEGATIVE] = {{state->metric.anti_lift, m, s->type}, NULL, false},
        [TSR_HALT_COLUMN_SUM] = {{state->metric.Ft1, s->k, TSR_FLOAT64}, NULL, false},
        [TSR_HALT_BASIS] = {{state->basis, m, s->type}, NULL, false},
        [TSR_HALT_CODES] = {{state->codes, n, s->type}, &p->rows, false},
        [TSR_HALT_WEIGHTS] = {{state->weights, atoms, s->type}, &p->share, false},
    };
    memcpy(list, parts, sizeof parts);
}

/* The factors stand last in the enum. */
static bool of_factors(int i)
{
    return i >= TSR_HALT_BASIS;
}

/* What all ranks have of it, into `to`. */
static tsr_status gather_part(void *to, const place *from, const tsr__solver *s)
{
    tsr_status status = TSR_OK;
    tsr_team *team = tsr__problem_team(s->problem);
    const tsr__division *bytes = &s->work.division[TSR_DIVIDED_BYTES];
    if (tsr__team_shares(team) && from->share != NULL)
        return tsr__share_gather(to, from->part.values, from->share,
                                 s->k * (int64_t)tsr__type_size(from->part.type));
    memcpy(to, from->part.values, (size_t)from->part.count * tsr__type_size(from->part.type));
    if (from->divided) {
        TSR_TRY(tsr__team_agree(team, TSR_OK));
        TSR_TRY(tsr__team_gather(team, to, bytes->first, bytes->count));
    }
done:
    return status;
}

/* `known` is set last: a state that could not be copied whole is none. */
tsr_status tsr__halt_take(tsr__halt *state, const tsr__solver *s, bool own)
{
    tsr_status status = TSR_OK;
    place list[TSR_HALT_PARTS];
    tsr__halt_clear(state);
    list_parts(list, s);
    for (int i = 0; i < TSR_HALT_PARTS; i++) {
        const tsr__halt_part *part = &list[i].part;
        if (part->values == NULL || (of_factors(i) && !own))
            continue;
        state->part[i].values = tsr__alloc(part->count, tsr__type_size(part->type));
        if (state->part[i].values == NULL)
            TSR_TRY(TSR_ERROR_MEMORY);
        TSR_TRY(gather_part(state->part[i].values, &list[i], s));
        state->part[i].count = part->count;
        state->part[i].type = part->type;
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
    const tsr__share *share = &s->problem->share;
    const bool kernel = s->problem->held.kernel != NULL;
    tsr__take_codes(s, from->codes);
    for (int64_t i = 0; i < s->m; i++)
        for (int64_t j = 0; j < s->k; j++)
            tsr__real_set(s, s->state.basis, i * s->k + j,
                          kernel ? tsr_matrix_at(from->weights, i, j)
                                 : tsr_matrix_at(from->basis, j, i));
    for (int64_t i = 0; s->state.weights != NULL && i < share->count; i++)
        for (int64_t j = 0; j < s->k; j++)
            tsr__real_set(s, s->state.weights, i * s->k + j,
                          tsr_matrix_at(from->weights, share->first + i, j));
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

/* The own rows of what all have together. */
static void give_part(const place *to, const tsr__halt_part *from, int64_t k)
{
    const size_t size = tsr__type_size(from->type);
    const int64_t first = to->share != NULL ? to->share->first * k : 0,
                  count = to->share != NULL ? to->share->count * k : from->count;
    memcpy(to->part.values, (const char *)from->values + (size_t)first * size,
           (size_t)count * size);
}

/* Where the state is known nothing is pushed through the map and nothing is normalised: both
 * would round once more. The sums alone are made anew. What does not fit in size or type was
 * kept by other settings, or comes from a damaged file, and is refused before it is copied. */
tsr_status tsr__halt_give(tsr__solver *s, const tsr_model *from)
{
    const tsr__halt *state = &from->state;
    const bool leads = tsr__halt_leads(s, from);
    place list[TSR_HALT_PARTS];
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
        const tsr__halt_part *part = &list[i].part;
        const bool wanted = part->values != NULL && (state->own || !of_factors(i));
        if (wanted != (state->part[i].values != NULL) ||
            (wanted &&
             (state->part[i].count != part->count || state->part[i].type != part->type)))
            return tsr__fail(TSR_ERROR_DATA,
                             "what was kept to go on from does not fit this fit (%s): "
                             "--init FILE starts another one from its factors",
                             tsr__halt_names[i]);
        if (wanted)
            give_part(&list[i], &state->part[i], s->k);
    }
    tsr__metric_narrow(s);
    s->state.lead = leads ? (tsr__lead){state->push, state->run, state->last, state->fresh}
                          : (tsr__lead){.last = (double)INFINITY, .fresh = state->fresh};
    tsr__solver_sum(s);
    return s->work.trouble;
}
