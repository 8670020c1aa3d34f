/* SPDX-License-Identifier: BSD-2-Clause
 *
 * THE PARTS OF A MODEL: the tables, and what is done to one part.
 *
 * A new part is a member of struct tsr_model and a row here; archives, copies, checks, freeing
 * and the tests that damage archives follow. Extents name the lengths that the model's numbers
 * must agree with. Ranges are what the rest of the library relies on without asking again: a
 * row that is too wide would let a damaged archive through to code that computes with it. */
#include "factor/parts.h"
#include "factor/solver.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#define OF(member)  offsetof(struct tsr_model, member)
#define STATE(name) offsetof(struct tsr_model, state.part[TSR_HALT_##name])
#define ANY         DBL_MAX

#define LARGE 1.3e154 /* of which a square is still a number */

#define ONE       TSR_EXTENT_ONE
#define K         TSR_EXTENT_K
#define M         TSR_EXTENT_M
#define N         TSR_EXTENT_N
#define STEPS     TSR_EXTENT_STEPS
#define TERMS     TSR_EXTENT_TERMS
#define OWN_STEPS TSR_EXTENT_OWN_STEPS
#define FREELY    TSR_EXTENT_ANY
#define NEVER     TSR_NEVER
#define ALWAYS    TSR_ALWAYS
#define FREE      TSR_WHEN_FREE
#define CONCEPT   TSR_WHEN_CONCEPT
#define KERNEL    TSR_WHEN_KERNEL
#define CUTS      TSR_WHEN_CUTS
#define LABELLED  TSR_WHEN_LABELLED
#define STEPPED   TSR_WHEN_STEPPED
#define APART     TSR_WHEN_APART
#define SQUARED   TSR_WHEN_SQUARED

/* clang-format off */
/* Classes stand before labels, whose positions they name. A concept basis may have either sign,
 * as X may; a free one may not, and weights and codes never. What is squared on the way to J is
 * bounded by LARGE under losses of squares; under the others sums may overflow where J does
 * not, and gram and lift of the state need not be finite. */
const tsr__part tsr__parts[] = {
    /* name                  at                              kind                rows       columns required  >= 0    finite   largest */
    {"basis",                OF(basis),                      &tsr__part_matrix,  K,         M,   ALWAYS,   FREE,   ALWAYS,  LARGE},
    {"codes",                OF(codes),                      &tsr__part_matrix,  N,         K,   ALWAYS,   ALWAYS, ALWAYS,  LARGE},
    {"diffused",             OF(diffused),                   &tsr__part_matrix,  N,         K,   NEVER,    ALWAYS, ALWAYS,  LARGE},
    {"weights",              OF(weights),                    &tsr__part_matrix,  N,         K,   CONCEPT,  ALWAYS, ALWAYS,  LARGE},
    {"atoms",                OF(atoms),                      &tsr__part_matrix,  N,         M,   KERNEL,   NEVER,  ALWAYS,  LARGE},
    {"gram",                 OF(gram),                       &tsr__part_square,  K,         K,   KERNEL,   NEVER,  ALWAYS,  ANY},
    {"memory",               OF(memory),                     &tsr__part_square,  K,         K,   NEVER,    ALWAYS, ALWAYS,  ANY},
    {"scale",                OF(scale),                      &tsr__part_reals,   M,         ONE, CUTS,     NEVER,  ALWAYS,  ANY},
    {"sample_weights",       OF(sample_weights),             &tsr__part_matrix,  N,         ONE, NEVER,    ALWAYS, ALWAYS,  ANY},
    {"objective",            OF(objective),                  &tsr__part_reals,   STEPS,     ONE, STEPPED,  NEVER,  ALWAYS,  ANY},
    {"seconds",              OF(seconds),                    &tsr__part_reals,   STEPS,     ONE, STEPPED,  ALWAYS, ALWAYS,  ANY},
    {"classes",              OF(labels),                     &tsr__part_classes, FREELY,    ONE, NEVER,    NEVER,  ALWAYS,  ANY},
    {"labels",               OF(labels),                     &tsr__part_labels,  N,         ONE, NEVER,    NEVER,  ALWAYS,  ANY},
    {"seen",                 OF(seen),                       &tsr__part_seen,    N,         ONE, LABELLED, NEVER,  ALWAYS,  ANY},
    {"feature_names",        OF(feature_names),              &tsr__part_names,   M,         ONE, NEVER,    NEVER,  ALWAYS,  ANY},
    {"notes",                OF(notes),                      &tsr__part_names,   FREELY,    ONE, NEVER,    NEVER,  ALWAYS,  ANY},
    {"plan",                 OF(plan),                       &tsr__part_names,   FREELY,    ONE, NEVER,    NEVER,  ALWAYS,  ANY},
    {"history",              OF(history),                    &tsr__part_matrix,  STEPS,     TERMS, NEVER,  NEVER,  ALWAYS,  ANY},
    {"state/plain",          STATE(PLAIN),                   &tsr__part_state,   FREELY,    ONE, NEVER,    NEVER,  ALWAYS,  LARGE},
    {"state/plain_theta",    STATE(PLAIN_THETA),             &tsr__part_state,   FREELY,    ONE, NEVER,    NEVER,  ALWAYS,  LARGE},
    {"state/gram",           STATE(GRAM),                    &tsr__part_state,   FREELY,    ONE, NEVER,    NEVER,  SQUARED, ANY},
    {"state/gram_negative",  STATE(GRAM_NEGATIVE),           &tsr__part_state,   FREELY,    ONE, NEVER,    NEVER,  SQUARED, ANY},
    {"state/lift",           STATE(LIFT),                    &tsr__part_state,   FREELY,    ONE, NEVER,    NEVER,  SQUARED, ANY},
    {"state/lift_negative",  STATE(LIFT_NEGATIVE),           &tsr__part_state,   FREELY,    ONE, NEVER,    NEVER,  SQUARED, ANY},
    {"state/column_sum",     STATE(COLUMN_SUM),              &tsr__part_state,   FREELY,    ONE, NEVER,    NEVER,  SQUARED, ANY},
    {"state/basis",          STATE(BASIS),                   &tsr__part_state,   FREELY,    ONE, NEVER,    FREE,   ALWAYS,  LARGE},
    {"state/codes",          STATE(CODES),                   &tsr__part_state,   FREELY,    ONE, NEVER,    ALWAYS, ALWAYS,  LARGE},
    {"state/weights",        STATE(WEIGHTS),                 &tsr__part_state,   FREELY,    ONE, NEVER,    ALWAYS, ALWAYS,  LARGE},
    {"state/objective",      OF(state.objective),            &tsr__part_history, OWN_STEPS, ONE, APART,    NEVER,  ALWAYS,  ANY},
    {"state/seconds",        OF(state.seconds),              &tsr__part_history, OWN_STEPS, ONE, APART,    ALWAYS, ALWAYS,  ANY},
    {"state/history",        OF(state.history),              &tsr__part_table,   OWN_STEPS, TERMS, NEVER,  NEVER,  ALWAYS,  ANY},
    {NULL,                   0,                              NULL,               ONE,       ONE, NEVER,    NEVER,  NEVER,   ANY},
};

/* Integers are compared with their ranges as doubles, which are exact up to twice this. */
#define COUNT 4503599627370496.0 /* 2^52 */
#define INF ((double)INFINITY)

/* `last` is infinite before the first step and `most` before the first start ends, both
 * lawfully. The push is never above 1 (solver.c). Every int64_t that is not negative is a
 * seed. */
const tsr__number tsr__numbers[] = {
    /* on       name              at                          kind                  from      to       later   unknown */
    {"",       "samples",        OF(report.samples),         TSR_NUMBER_INTEGER,   0,        COUNT,   false,  false},
    {"",       "features",       OF(report.features),        TSR_NUMBER_INTEGER,   1,        COUNT,   false,  false},
    {"",       "rank",           OF(report.rank),            TSR_NUMBER_INTEGER,   1,        COUNT,   false,  false},
    {"",       "iterations",     OF(report.iterations),      TSR_NUMBER_INTEGER,   0,        COUNT,   false,  false},
    {"",       "converged",      OF(report.converged),       TSR_NUMBER_FLAG,      0,        1,       false,  false},
    {"",       "seed",           OF(report.seed),            TSR_NUMBER_INTEGER,   0,        9.3e18,  false,  false},
    {"",       "per_class",      OF(per_class),              TSR_NUMBER_INTEGER,   0,        COUNT,   false,  false},
    {"",       "shared",         OF(shared),                 TSR_NUMBER_INTEGER,   0,        COUNT,   false,  false},
    {"",       "objective",      OF(report.objective),       TSR_NUMBER_REAL,      -DBL_MAX, DBL_MAX, false,  true},
    {"",       "data_loss",      OF(report.data_loss),       TSR_NUMBER_REAL,      -DBL_MAX, DBL_MAX, false,  true},
    {"",       "relative_error", OF(report.relative_error),  TSR_NUMBER_REAL,      0,        DBL_MAX, false,  true},
    {"",       "optimality",     OF(report.optimality),      TSR_NUMBER_REAL,      0,        DBL_MAX, false,  true},
    {"",       "seconds",        OF(report.seconds),         TSR_NUMBER_REAL,      0,        DBL_MAX, false,  false},
    {"",       "spread",         OF(report.spread),          TSR_NUMBER_REAL,      0,        DBL_MAX, false,  true},
    {"",       "kernel_width",   OF(kernel_width),           TSR_NUMBER_REAL,      0,        DBL_MAX, false,  false},
    {"",       "rho",            OF(report.rho),             TSR_NUMBER_REAL,      0,        DBL_MAX, true,  false},
    {"state",  "own",            OF(state.own),              TSR_NUMBER_FLAG,      0,        1,       false,  false},
    {"state",  "fresh",          OF(state.fresh),            TSR_NUMBER_FLAG,      0,        1,       false,  false},
    {"state",  "next",           OF(state.next),             TSR_NUMBER_INTEGER,   0,        COUNT,   false,  false},
    {"state",  "since",          OF(state.since),            TSR_NUMBER_INTEGER,   0,        COUNT,   true,   false},
    {"state",  "iterations",     OF(state.iterations),       TSR_NUMBER_INTEGER,   0,        COUNT,   false,  false},
    {"state",  "limit",          OF(state.limit),            TSR_NUMBER_INTEGER,   0,        COUNT,   false,  false},
    {"state",  "push",           OF(state.push),             TSR_NUMBER_REAL,      0,        1,       false,  false},
    {"state",  "run",            OF(state.run),              TSR_NUMBER_REAL,      0,        DBL_MAX, false,  false},
    {"state",  "last",           OF(state.last),             TSR_NUMBER_REAL,      -INF,     INF,     false,  false},
    {"state",  "most",           OF(state.most),             TSR_NUMBER_REAL,      -INF,     INF,     false,  false},
    {NULL, NULL, 0, TSR_NUMBER_REAL, 0, 0, false, false},
};
/* clang-format on */

/* Terms are counted by what is no NaN, so that the history's columns follow what was read
 * before. */
int64_t tsr__extent_of(tsr__extent extent, const tsr_model *model)
{
    int64_t terms = 0;
    for (int i = 0; i < TSR_TERMS; i++)
        terms += !isnan(model->terms[i]);
    const int64_t length[] = {[TSR_EXTENT_ONE] = 1,
                              [TSR_EXTENT_K] = model->report.rank,
                              [TSR_EXTENT_M] = model->report.features,
                              [TSR_EXTENT_N] = model->report.samples,
                              [TSR_EXTENT_STEPS] = model->report.iterations,
                              [TSR_EXTENT_OWN_STEPS] = model->state.iterations,
                              [TSR_EXTENT_TERMS] = terms,
                              [TSR_EXTENT_ANY] = -1};
    return length[extent];
}

/* All conditions are evaluated, so that none may depend on a part that another one excludes. */
bool tsr__when_holds(tsr__when when, const tsr_model *model, const tsr__spec *spec)
{
    const bool concept = spec->basis == TSR_BASIS_CONCEPT;
    const bool holds[] = {[TSR_NEVER] = false,
                          [TSR_ALWAYS] = true,
                          [TSR_WHEN_FREE] = !concept,
                          [TSR_WHEN_CONCEPT] = concept,
                          [TSR_WHEN_KERNEL] = concept && spec->options->kernel != 0,
                          [TSR_WHEN_CUTS] = spec->ncw,
                          [TSR_WHEN_LABELLED] = model->labels != NULL,
                          [TSR_WHEN_STEPPED] = model->report.iterations > 0,
                          [TSR_WHEN_APART] = model->state.known && model->state.own,
                          [TSR_WHEN_SQUARED] = spec->loss->degree == 2};
    return holds[when];
}

/* Checks ---------------------------------------------------------------------------------- */

/* The view is over the part's own memory. */
static tsr_status check_numbers(const tsr__part *part, const tsr_model *model,
                                const tsr__spec *spec)
{
    tsr_status status = TSR_OK;
    tsr_matrix *view = NULL;
    tsr_scan scan;
    char name[64];
    const int finite = tsr__when_holds(part->finite, model, spec) ? (int)TSR_NEED_FINITE : 0;
    const int signs =
        tsr__when_holds(part->non_negative, model, spec) ? (int)TSR_NEED_NON_NEGATIVE : 0;
    if (part->kind->view == NULL)
        return TSR_OK;
    (void)snprintf(name, sizeof name, "/%s", part->name);
    TSR_TRY(part->kind->view(&view, part, model));
    TSR_TRY(tsr_matrix_scan(&scan, view));
    TSR_TRY(tsr__scan_check(&scan, view, finite | signs, name));
    if (tsr__when_holds(TSR_WHEN_SQUARED, model, spec) &&
        fmax(scan.maximum, -scan.minimum) > part->largest)
        TSR_FAIL(TSR_ERROR_FORMAT, "%s has values up to %g, whose squares are not numbers",
                 name, fmax(scan.maximum, -scan.minimum));
done:
    tsr_matrix_free(view);
    return status;
}

/* Positions of classes, and blocks of vectors that belong to them. Prediction takes both for
 * indices. Products are taken as doubles, which do not overflow. */
static tsr_status check_classes(const tsr_model *model)
{
    const int32_t classes = model->labels != NULL ? model->labels->classes : 0;
    for (int64_t i = 0; model->labels != NULL && i < model->report.samples; i++)
        if (model->seen[i] < -1 || model->seen[i] >= classes)
            return tsr__fail(TSR_ERROR_FORMAT,
                             "/seen: sample %lld is of class %d; there are %d", (long long)i,
                             model->seen[i], classes);
    if (model->per_class == 0 && model->shared <= model->report.rank)
        return TSR_OK;
    if (model->labels == NULL)
        return tsr__fail(TSR_ERROR_FORMAT, "has no /labels, but per_class is %lld",
                         (long long)model->per_class);
    if (model->shared > model->report.rank ||
        (double)model->per_class * classes > (double)(model->report.rank - model->shared))
        return tsr__fail(TSR_ERROR_FORMAT,
                         "per_class %lld of %d classes and shared %lld are more than the rank "
                         "of %lld",
                         (long long)model->per_class, classes, (long long)model->shared,
                         (long long)model->report.rank);
    return TSR_OK;
}

/* Written so that NaN passes only where a number may be unknown: every comparison with it is
 * false. */
static tsr_status check_number(const tsr__number *row, const tsr_model *model)
{
    const void *at = (const char *)model + row->offset;
    const double value = row->kind == TSR_NUMBER_INTEGER ? (double)*(const int64_t *)at
                         : row->kind == TSR_NUMBER_FLAG  ? *(const bool *)at
                                                         : *(const double *)at;
    if ((value >= row->minimum && value <= row->maximum) || (row->unknown && !(value < 0)))
        return TSR_OK;
    return tsr__fail(TSR_ERROR_FORMAT, "%s%s%s is %g", row->group,
                     *row->group != '\0' ? "/" : "", row->name, value);
}

tsr_status tsr__numbers_check(const tsr_model *model)
{
    for (const tsr__number *row = tsr__numbers; row->name != NULL; row++)
        if ((*row->group == '\0' || model->state.known) && check_number(row, model) < 0)
            return TSR_ERROR_FORMAT;
    return TSR_OK;
}

/* Whatever the checks call it, a model that fails them is of a wrong format: callers tell a
 * damaged archive from bad data by that. */
tsr_status tsr__parts_check(const tsr_model *model, const tsr__spec *spec)
{
    tsr_status status = TSR_OK;
    for (const tsr__part *part = tsr__parts; part->name != NULL; part++) {
        const bool there = part->kind->is_there(part, model);
        const bool empty = tsr__extent_of(part->rows, model) == 0;
        if (!there && !empty && tsr__when_holds(part->required, model, spec))
            TSR_FAIL(TSR_ERROR_FORMAT, "has no /%s", part->name);
        if (there)
            TSR_TRY(check_numbers(part, model, spec));
    }
    TSR_TRY(check_classes(model));
done:
    return status < 0 && status != TSR_ERROR_MEMORY ? TSR_ERROR_FORMAT : status;
}
