/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Going on with a fit. Settings may differ in what leaves it the same fit: how long, how many
 * starts, on how many threads or by which plan; and in weights, after which extrapolation begins anew.
 *
 * The law (tests/test_law_resume.c): with the same settings, stopping and going on gives the
 * bits of a fit that did not stop. What may differ and bears on the result is told in a note,
 * so that a model says how it came about. */
#include "factor/run.h"

#include "base/settings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum difference {
    ANOTHER, /* another fit */
    SILENT,  /* the same, and nothing to say */
    SAID,    /* the same, with a note */
    HEAVIER  /* the same terms with other weights */
} difference;

/* What is in no list is another fit: a new setting has to be thought about before it may change
 * on the way. The start is of no account any more; `threads` never changes a bit. */
static difference difference_in(const char *name)
{
    static const struct {
        const char *name;
        difference kind;
    } settings[] = {{"iterations", SILENT},
                    {"threads", SILENT},
                    {"checkpoint", SILENT},
                    {"init", SILENT},
                    {"tolerance", SAID},
                    {"restarts", SAID},
                    {"diffuse", SAID}, /* J does not know it */
                    {"forget", SILENT},
                    {"seed", SAID},
                    {"plan", SAID},
                    {"weight-unit", HEAVIER},
                    {"links", HEAVIER},
                    {"graph-file", HEAVIER},
                    {"neighbours", HEAVIER},
                    {"alpha-basis", HEAVIER},
                    {"alpha-codes", HEAVIER},
                    {"l1-ratio", HEAVIER},
                    {"links-matrix", HEAVIER},
                    {"graph-matrix", HEAVIER},
                    {"init-basis", SILENT},
                    {"init-weights", SILENT},
                    {"init-codes", SILENT},
                    {"sample-weights", SILENT},
                    {"progress", SILENT}};
    for (tsr__weight_name w = 0; w < TSR_WEIGHTS; w++)
        if (w != TSR_WEIGHT_DIFFUSE && strcmp(tsr__weight_names[w], name) == 0)
            return HEAVIER;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (strcmp(settings[i].name, name) == 0)
            return settings[i].kind;
    return ANOTHER;
}

static tsr_status refuse_change(const char *name, const char *before, const char *now,
                                const char *cure)
{
    return tsr__fail(TSR_ERROR_ARGUMENT,
                     "--%s was '%s' and cannot become '%.100s' on the way%s", name, before, now,
                     cure);
}

/* What is learnt of new samples joins what was learnt: by the same model, however many at a time.
 * A weight is what the caller thinks so many samples are worth. */
tsr_status tsr__more_check(const tsr_model *from, const tsr_fit_options *options)
{
    static const char *const own[] = {"batch", "plan", "labelled"};
    const tsr_setting *table = tsr_fit_settings();
    char now[4096];
    for (int64_t i = 0; table[i].name != NULL && i < from->setting.count; i++) {
        const char *before = from->setting.name[i], *name = table[i].name;
        const difference kind = difference_in(name);
        bool same = kind != ANOTHER;
        for (size_t j = 0; j < sizeof own / sizeof *own; j++)
            same = same || strcmp(name, own[j]) == 0;
        (void)tsr__settings_show(now, sizeof now, &table[i], options);
        if (!same && strcmp(before, now) != 0)
            return refuse_change(name, before, now, "");
    }
    return TSR_OK;
}

/* Before the data are prepared, as it needs their shape only. Settings are compared as texts,
 * which is how the archive has them; what was added to the table since then has no text to
 * compare. */
tsr_status tsr__resume_check(bool *fresh, const tsr__run *r, tsr__names *notes)
{
    tsr_status status = TSR_OK;
    const tsr_setting *table = tsr_fit_settings();
    const tsr_fit_report *was = &r->from->report;
    const tsr_matrix *x = tsr_data_samples(r->data);
    char now[4096], note[4400];
    if (x->samples != was->samples || x->features != was->features)
        TSR_FAIL(TSR_ERROR_DATA,
                 "%s has %lld x %lld values; the fit to go on with had %lld x %lld",
                 tsr_data_origin(r->data), (long long)x->samples, (long long)x->features,
                 (long long)was->samples, (long long)was->features);
    for (int64_t i = 0; table[i].name != NULL && i < r->from->setting.count; i++) {
        const char *before = r->from->setting.name[i];
        (void)tsr__settings_show(now, sizeof now, &table[i], r->options);
        difference kind = strcmp(before, now) == 0 ? SILENT : difference_in(table[i].name);
        if (kind == SAID && strcmp(table[i].name, "seed") == 0 && r->options->labelled != NULL)
            kind = ANOTHER; /* it says which labels the learner sees */
        if (kind == ANOTHER)
            TSR_TRY(refuse_change(table[i].name, before, now,
                                  ": --init FILE starts another fit from the factors of this "
                                  "one"));
        *fresh = *fresh || kind == HEAVIER;
        if (kind == SILENT)
            continue;
        (void)snprintf(note, sizeof note,
                       "--%s was '%.100s' before iteration %lld and is '%.100s' since",
                       table[i].name, before, (long long)was->iterations, now);
        TSR_TRY(tsr__names_add(notes, note));
    }
    if (!r->from->state.known)
        TSR_TRY(tsr__names_add(notes,
                               "the archive holds factors but not where the fit stopped: "
                               "going on from the factors alone"));
done:
    return status;
}

/* What was worth a word still is. Once: the same data may have made the same note again. */
static tsr_status carry_notes(tsr__names *to, const tsr__names *from)
{
    tsr_status status = TSR_OK;
    for (int64_t i = 0; i < from->count; i++) {
        bool there = false;
        for (int64_t j = 0; j < to->count; j++)
            there = there || strcmp(to->name[j], from->name[i]) == 0;
        if (!there)
            TSR_TRY(tsr__names_add(to, from->name[i]));
    }
done:
    return status;
}

/* The rank may follow from the labels, which are no setting: others may make it another. */
tsr_status tsr__resume_compare(tsr__run *r, int64_t rank)
{
    if (rank != r->from->report.rank)
        return tsr__fail(
            TSR_ERROR_DATA,
            "the fit to go on with has rank %lld, and these data make it %lld: the "
            "labels are others, or missing",
            (long long)r->from->report.rank, (long long)rank);
    return carry_notes(&r->notes, &r->from->notes);
}

/* A copy of the model's factors and figures, as the best so far. Copied, since the model to go
 * on from is the caller's and stays as it is. */
static tsr_status copy_best(tsr_model *to, const tsr_model *from)
{
    tsr_status status = TSR_OK;
    const tsr_fit_report *report = &from->report;
    const struct {
        tsr_matrix **to;
        const tsr_matrix *from;
    } parts[] = {{&to->basis, from->basis},
                 {&to->codes, from->codes},
                 {&to->weights, from->weights},
                 {&to->history, from->history}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].from != NULL)
            TSR_TRY(tsr_matrix_copy_samples(parts[i].to, parts[i].from, NULL,
                                            parts[i].from->samples));
    TSR_TRY(tsr__copy_reals(&to->objective, from->objective, report->iterations));
    TSR_TRY(tsr__copy_reals(&to->seconds, from->seconds, report->iterations));
    TSR_TRY(tsr__copy_reals(&to->gram, from->gram, report->rank * report->rank));
    to->report = *report;
    memcpy(to->terms, from->terms, sizeof to->terms);
done:
    return status;
}

/* Other data, or a setting outside the table, show in J. The data's size is there for a J that
 * is all but zero. A note and no error: other data may be what is wanted. */
static tsr_status compare_objective(tsr__run *r, double was)
{
    const double is = tsr__solver_objective(&r->solver);
    char note[200];
    if (!isfinite(is))
        return tsr__fail(TSR_ERROR_DATA, "the factors to go on from make no finite objective");
    if (fabs(is - was) <= 1e-9 * (fabs(was) + 1e-3 * tsr__run_size(r)))
        return TSR_OK;
    (void)snprintf(note, sizeof note,
                   "J was %.9g where the fit stopped and is %.9g with these data: they are "
                   "others, or were prepared otherwise",
                   was, is);
    return tsr__names_add(&r->model->notes, note);
}

/* Steps keep factors >= 0 only where they are. The check covers what a damaged or foreign file
 * may hold, whichever way it came. */
static tsr_status check_factors(const tsr__solver *s)
{
    const struct {
        const char *name;
        const void *values;
        int64_t count;
    } factors[] = {{"codes", s->state.codes, s->n * s->k},
                   {s->state.weights != NULL ? "weights" : "basis", tsr__theta(s),
                    tsr__theta_rows(s) * s->k}};
    for (size_t f = 0; f < 2; f++)
        for (int64_t i = 0; i < factors[f].count; i++) {
            const double v = tsr__real_get(s, factors[f].values, i);
            if (!(v >= 0) || isinf(v))
                return tsr__fail(TSR_ERROR_DATA, "the %s to go on from have the value %g",
                                 factors[f].name, v);
        }
    return TSR_OK;
}

/* The history of the run that stopped, the model's or that of its own. The stop rule looks
 * back, across the joint. Terms that the archive has no history of are NaN, and
 * harvest.c then keeps none. */
static tsr_status take_history(tsr__history *out, const tsr_model *from, bool own)
{
    tsr_status status = TSR_OK;
    const tsr__halt *state = &from->state;
    const double *objective = own ? state->objective : from->objective,
                 *seconds = own ? state->seconds : from->seconds;
    const tsr_matrix *history = own ? state->history : from->history;
    const int64_t count = own ? state->iterations : from->report.iterations;
    for (int64_t i = 0; i < count; i++) {
        double terms[TSR_TERMS];
        for (int term = 0, column = 0; term < TSR_TERMS; term++)
            terms[term] = history == NULL || isnan(from->terms[term])
                              ? (double)NAN
                              : tsr_matrix_at(history, i, column++);
        TSR_TRY(tsr__history_add(out, objective[i], seconds[i], terms));
    }
done:
    return status;
}

/* `iterations` counts from here, on top of those that were made. The run that goes on is the
 * state's own where there is one; the model's factors are then the best so far and have to be
 * beaten. With other weights J is another function, and what it was before is nothing to
 * compare with. */
tsr_status tsr__resume_begin(tsr__run *r, bool fresh)
{
    tsr_status status = TSR_OK;
    const tsr_model *from = r->from;
    const tsr__halt *state = &from->state;
    const bool own = state->known && state->own;
    TSR_TRY(take_history(&r->history, from, own));
    r->limit += r->history.iterations;
    r->next = state->known ? state->next : r->options->restarts;
    r->since = state->since;
    TSR_TRY(tsr__halt_give(&r->solver, from));
    TSR_TRY(check_factors(&r->solver));
    if (own) {
        TSR_TRY(copy_best(r->model, from));
        r->least = from->report.objective;
    }
    if (state->known && !tsr__halt_leads(&r->solver, from))
        TSR_TRY(tsr__names_add(&r->model->notes,
                               "extrapolation began anew: the samples stayed in their file "
                               "before, or do since"));
    if (fresh) {
        r->since = r->history.iterations;
        r->solver.state.lead.push = r->solver.state.lead.run = 0;
        r->solver.state.lead.last = (double)INFINITY;
    } else if (r->history.iterations > 0) {
        TSR_TRY(compare_objective(r, tsr__run_objective(r)));
    }
    if (state->known && state->next > 1) /* of one start, J on the way is no other's end */
        r->most = state->most;
done:
    return status;
}
