/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The loop, and THE STOP RULE: as many iterations again, at the pace of the last quarter of them,
 * would gain less than `tolerance` of J. A J that is not finite, or falls without end, ends it too.
 *
 * A share and not a number of iterations: fits take 15 or 3,000, and their tails are alike when
 * seen on the scale of their own length; a fixed pace stops the long ones early and the short ones
 * late. A pace and not its trend: where J lingers at a saddle, its pace falls steeply first, and
 * what takes that on stops there. Not the last step: where codes are led on, one that has to be
 * taken back gains little, and the next ones more. J is measured at every iteration, which costs
 * next to nothing: losses make it from the sums of the pass. */
#include "factor/solve.h"

#include "base/memory.h"
#include "matrix/team.h"

#include <math.h>
#include <string.h>

enum { FEWEST = 10, QUARTER = 4, SHORTEST = 5 };

/* Ten iterations are made in any case, and a quarter counts as five at least: the first steps
 * tell little.
 * A perfect fit has nothing left to gain: J is compared with the size of the data too. There it
 * is rounding that J consists of, and no share of that is ever small. */
static bool settled(const tsr__loop *l)
{
    const tsr__history *h = l->history;
    const int64_t count = h->iterations - l->since;
    if (l->options->tolerance <= 0 || count <= FEWEST)
        return false;
    const int64_t stretch = count / QUARTER > SHORTEST ? count / QUARTER : SHORTEST;
    const double *now = &h->objective[h->iterations - 1];
    const double again = (now[-stretch] - now[0]) * (double)count / (double)stretch;
    return again <= l->options->tolerance * fmax(fabs(now[0]), 1e-12 * l->size);
}

/* What rank 0's clock says is so for all. */
static tsr_status save_if_due(const char **note, const tsr__loop *l)
{
    *note = NULL;
    if (l->steps.due == NULL)
        return TSR_OK;
    int64_t later = tsr__team_rank(l->team) == 0 && l->steps.due(l->steps.user) ? 0 : 1;
    TSR_OR_RETURN(tsr__team_least(l->team, &later));
    return later == 0 ? l->steps.save(note, l->steps.user) : TSR_OK;
}

/* Whether any rank was asked to stop: then all do, after the same iteration. */
tsr_status tsr__stop_together(bool *stopped, tsr_team *team, tsr_status asked)
{
    int64_t on = asked == TSR_ERROR_INTERRUPTED ? 0 : 1;
    if (asked < 0 && asked != TSR_ERROR_INTERRUPTED)
        return asked;
    TSR_OR_RETURN(tsr__team_least(team, &on));
    *stopped = on == 0;
    return TSR_OK;
}

/* What has no bottom, must-links as a reward, falls beyond every measure long before it is
 * infinite: a million times the start says so early. An interruption is no error: the factors
 * are those of the last iteration, whole, and can be kept. */
tsr_status tsr__solve(tsr__loop *l)
{
    tsr_status status = TSR_OK;
    tsr__history *h = l->history;
    tsr__task task = tsr__task_begin(l->options->progress, "fitting", l->limit);
    const double start = tsr__clock() - (h->iterations > 0 ? h->seconds[h->iterations - 1] : 0);
    const double first = fmax(fabs(l->steps.objective(l->steps.user, NULL)), l->size);
    double last = (double)NAN, terms[TSR_TERMS];
    l->converged = l->interrupted = l->diverged = false;
    while (h->iterations < l->limit && !l->converged) {
        TSR_TRY(l->steps.step(l->steps.user));
        const double now = l->steps.objective(l->steps.user, terms);
        TSR_TRY(tsr__team_heard(l->team));
        TSR_TRY(tsr__history_add(h, now, tsr__clock() - start, terms));
        l->diverged = !isfinite(now) || now < -1e6 * first;
        if (l->diverged)
            break;
        l->converged = settled(l);
        TSR_TRY(save_if_due(&task.note, l));
        TSR_TRY(tsr__stop_together(&l->interrupted, l->team,
                                   tsr__task_step(&task, h->iterations, now,
                                                  fabs(last - now) / fmax(fabs(now), 1e-300))));
        if (l->interrupted)
            break;
        last = now;
    }
done:
    return status;
}

/* History --------------------------------------------------------------------------------- */

/* Each array is put in its place as soon as it has grown: a failure in between leaves a history
 * that is whole, with `room` as it was. By half each time, so that all copying together is
 * linear. */
static tsr_status make_room(tsr__history *h, int64_t iterations)
{
    tsr_status status = TSR_OK;
    int64_t room = h->room;
    if (iterations <= h->room)
        return TSR_OK;
    const int64_t more = room + room / 2 + 64, wanted = more > iterations ? more : iterations;
    void *grown = tsr__regrow(h->objective, h->iterations, wanted, sizeof *h->objective);
    if (grown == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    h->objective = grown;
    grown = tsr__regrow(h->seconds, h->iterations, wanted, sizeof *h->seconds);
    if (grown == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    h->seconds = grown;
    grown = tsr__regrow(h->terms, h->iterations, wanted, TSR_TERMS * sizeof *h->terms);
    if (grown == NULL)
        TSR_TRY(TSR_ERROR_MEMORY);
    h->terms = grown;
    h->room = wanted;
done:
    return status;
}

tsr_status tsr__history_add(tsr__history *h, double objective, double seconds,
                            const double *terms)
{
    const tsr_status status = make_room(h, h->iterations + 1);
    if (status < 0)
        return status;
    h->objective[h->iterations] = objective;
    h->seconds[h->iterations] = seconds;
    memcpy(h->terms + h->iterations * TSR_TERMS, terms, TSR_TERMS * sizeof *terms);
    h->iterations++;
    return TSR_OK;
}

void tsr__history_clear(tsr__history *h)
{
    tsr__free(h->objective);
    tsr__free(h->seconds);
    tsr__free(h->terms);
    *h = (tsr__history){0};
}
