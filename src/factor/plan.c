/* SPDX-License-Identifier: BSD-2-Clause
 *
 * From a row of the model table and the user's options to the solver's choices. */
#include "factor/plan.h"

#include "base/settings.h"
#include "matrix/parallel.h"

#include <math.h>
#include <stdio.h>

static double chosen(double wanted, double preset)
{
    return wanted >= 0 ? wanted : preset;
}

tsr_status tsr__plan_make(tsr__plan *out, const tsr_fit_options *options)
{
    tsr_status status = TSR_OK;
    const tsr__model_row *row = NULL;
    TSR_TRY(tsr_settings_check(tsr_fit_settings(), options));
    TSR_TRY(tsr__model_find(&row, options->model));
    TSR_TRY(tsr__init_check(options->init));
    TSR_TRY(tsr__labelled_check(options->labelled));
    const bool mu = options->solver == 1;
    const tsr__unit unit = options->weight_unit == 0   ? (mu ? TSR_UNIT_ONE : TSR_UNIT_DATA)
                           : options->weight_unit == 1 ? TSR_UNIT_DATA
                                                       : TSR_UNIT_ONE;
    const tsr__weights *w = &row->weights[unit];
    tsr__plan plan = {.row = row,
                      .options = options,
                      .unit = unit,
                      .loss = row->loss,
                      .basis = row->basis,
                      .codes = row->codes,
                      .mu = mu,
                      .ncw = options->weighting == 2 || (options->weighting == 0 && row->ncw),
                      .type = options->precision == 1 ? TSR_FLOAT32 : TSR_FLOAT64};
    if (options->loss > 0)
        plan.loss = (tsr__loss_name)(options->loss - 1);
    if (options->basis > 0)
        plan.basis = (tsr__basis_name)(options->basis - 1);
    if (options->codes > 0)
        plan.codes = (tsr__codes_name)(options->codes - 1);
    plan.weights = (tsr__weights){
        .class_driven = chosen(options->class_weight, w->class_driven),
        .graph = chosen(options->graph, w->graph),
        .label_edge = chosen(options->label_edge, w->label_edge),
        .links_must = chosen(options->must, w->links_must),
        .links_cannot = chosen(options->cannot, w->links_cannot),
        .decorrelate = chosen(options->decorrelate, w->decorrelate),
    };
    if (plan.basis != TSR_BASIS_CONCEPT && options->kernel != 0)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "--kernel needs a concept model (--basis concept)");
    if (plan.loss == TSR_LOSS_KL && options->kernel != 0)
        TSR_FAIL(TSR_ERROR_ARGUMENT,
                 "KL loss needs the samples themselves: --kernel linear, or --loss frobenius");
    const bool held = plan.weights.decorrelate > 0 || options->alpha_basis > 0;
    const bool sphere = plan.loss == TSR_LOSS_FROBENIUS && plan.basis == TSR_BASIS_FREE &&
                        options->basis_norm == 3 && options->missing == 0 &&
                        options->mask == NULL;
    if (options->basis_norm > 1 && held && !plan.mu && !sphere)
        TSR_FAIL(TSR_ERROR_ARGUMENT,
                 "a norm of the basis and a penalty on it pull against each "
                 "other: --basis-norm auto, or --solver mu");
    if (options->kernel != 0 && options->alpha_basis > 0)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "--alpha-basis needs a basis: --kernel linear");
    *out = plan;
done:
    return status;
}

bool tsr__plan_needs_labels(const tsr__plan *plan)
{
    const tsr__weights *w = &plan->weights;
    const bool links =
        plan->options->links == NULL && (w->links_must > 0 || w->links_cannot > 0);
    return plan->codes == TSR_CODES_TIED || w->class_driven > 0 || links ||
           (w->graph > 0 && w->label_edge > 0);
}

/* Class-driven: k = R c + S. */
static tsr_status class_rank(int64_t *rank, int64_t *per_class, const tsr_fit_options *o,
                             int64_t classes)
{
    const int64_t wanted = o->rank, own = o->per_class, shared = o->shared;
    if (wanted == 0 || (own > 0 && wanted == own * classes + shared)) {
        *per_class = own > 0 ? own : 1;
        *rank = *per_class * classes + shared;
        return TSR_OK;
    }
    if (own > 0)
        return tsr__fail(
            TSR_ERROR_ARGUMENT,
            "--per-class %lld of %lld classes and --shared %lld make rank %lld, not "
            "%lld",
            (long long)own, (long long)classes, (long long)shared,
            (long long)(own * classes + shared), (long long)wanted);
    if (wanted - shared < classes)
        return tsr__fail(
            TSR_ERROR_ARGUMENT,
            "rank %lld is below the %lld classes%s: --rank %lld gives one vector a "
            "class",
            (long long)wanted, (long long)classes, shared > 0 ? " and the shared vectors" : "",
            (long long)(classes + shared));
    const int64_t left = (wanted - shared) % classes;
    if (left != 0)
        return tsr__fail(
            TSR_ERROR_ARGUMENT,
            "rank %lld is no multiple of the %lld classes: --rank %lld, or --shared "
            "%lld for vectors of no class",
            (long long)wanted, (long long)classes, (long long)(wanted - left),
            (long long)(shared + left));
    *per_class = (wanted - shared) / classes;
    *rank = wanted;
    return TSR_OK;
}

tsr_status tsr__plan_rank(int64_t *rank, int64_t *per_class, const tsr__plan *plan,
                          const tsr__problem *problem)
{
    tsr_status status = TSR_OK;
    const tsr_fit_options *o = plan->options;
    const int64_t classes = problem->classes;
    int64_t k = o->rank > 0 ? o->rank : classes > 0 ? classes : 10, own = 0;
    char note[160];
    if (plan->weights.class_driven > 0)
        TSR_TRY(class_rank(&k, &own, o, classes));
    if (o->rank == 0 && plan->weights.class_driven == 0 && classes == 0)
        k = k < problem->samples ? k : problem->samples;
    if (k > problem->samples && k > problem->features)
        TSR_FAIL(TSR_ERROR_ARGUMENT,
                 "rank %lld exceeds both the %lld samples and the %lld "
                 "features",
                 (long long)k, (long long)problem->samples, (long long)problem->features);
    if (k > problem->samples || k > problem->features) {
        (void)snprintf(note, sizeof note,
                       "rank %lld exceeds the %lld %s: the parts cannot all be distinct",
                       (long long)k,
                       (long long)(k > problem->samples ? problem->samples : problem->features),
                       k > problem->samples ? "samples" : "features");
        TSR_TRY(tsr__names_add(problem->notes, note));
    }
    *rank = k;
    *per_class = own;
done:
    return status;
}

/* What a weight of 1 is in units of the data. Scaling the samples by s scales their codes by s and
 * the loss by s^2 (KL: s); a term that the codes enter by their power d goes along if its weight
 * does by s^(2 - d) (KL: s^(1 - d)), one on the basis alone if it does like the loss: so rho, the
 * size of a sample, takes the place of s, and n samples that of the loss. */
static double unit_of(const tsr__plan *plan, const tsr__problem *problem, int degree)
{
    const double rho = problem->rho;
    const int power = (plan->loss == TSR_LOSS_KL ? 1 : 2) - degree;
    if (plan->unit == TSR_UNIT_ONE)
        return 1;
    return power == 2 ? rho * rho : power == 1 ? rho : power == -1 ? 1 / rho : 1;
}

static tsr__penalty *add_penalty(tsr__solver *s, const tsr__penalty_kind *kind, double weight)
{
    tsr__penalty *p = &s->penalty[s->penalties++];
    *p = (tsr__penalty){.kind = kind, .weight = weight};
    return p;
}

/* scikit-learn halves the squared loss and we do not: its alphas count twice here. */
static double half_of(const tsr__plan *plan)
{
    return plan->loss == TSR_LOSS_FROBENIUS ? 2 : 1;
}

void tsr__plan_elastic(double *lasso, double *ridge, const tsr__plan *plan, int64_t features)
{
    const tsr_fit_options *o = plan->options;
    const double weight = half_of(plan) * o->alpha_codes * (double)features;
    *lasso = weight * o->l1_ratio;
    *ridge = weight * (1 - o->l1_ratio);
}

static void choose_penalties(tsr__solver *s, const tsr__plan *plan, const tsr__problem *problem)
{
    const tsr_fit_options *o = plan->options;
    const tsr__weights *w = &plan->weights;
    const double basis = half_of(plan) * o->alpha_basis * (double)problem->samples;
    double lasso, ridge;
    tsr__plan_elastic(&lasso, &ridge, plan, problem->features);
    const double linear = unit_of(plan, problem, 1), square = unit_of(plan, problem, 2);
    const double samples = plan->unit == TSR_UNIT_DATA ? (double)problem->samples : 1;
    s->decorrelate = w->decorrelate * samples * unit_of(plan, problem, 0);
    s->basis_lasso = basis * o->l1_ratio;
    s->basis_ridge = basis * (1 - o->l1_ratio);
    if (w->class_driven > 0)
        (void)add_penalty(s, &tsr__penalty_class, w->class_driven * linear);
    if (w->graph > 0) {
        tsr__penalty *p = add_penalty(s, &tsr__penalty_graph, w->graph * square);
        p->pairs[0] = problem->graph;
        p->degree[0] = problem->degree[0];
    }
    if (problem->attract != NULL) {
        tsr__penalty *p = add_penalty(s, &tsr__penalty_pairs, square);
        p->reward = o->link_form == 1;
        p->pairs[0] = problem->attract, p->pairs[1] = problem->repel;
        p->degree[0] = problem->degree[1], p->degree[1] = problem->degree[2];
    } else if (w->links_must > 0 || w->links_cannot > 0) {
        tsr__penalty *p = add_penalty(s, &tsr__penalty_links, 1);
        p->must = w->links_must * square, p->cannot = w->links_cannot * square;
        p->reward = o->link_form == 1;
        p->population = problem->population;
    }
    if (lasso > 0)
        (void)add_penalty(s, &tsr__penalty_lasso, lasso);
    if (ridge > 0)
        (void)add_penalty(s, &tsr__penalty_ridge, ridge);
}

/* The norm of the basis, and what holds it; mathematics.md, "the scale is part of the model".
 */
static void choose_scale(tsr__solver *s, const tsr__plan *plan)
{
    const int wanted = plan->options->basis_norm;
    /* A penalty on the basis holds its scale by itself, and would not be left as it is by
     * scaling; only on the sphere both are had at once. */
    const bool round = plan->loss == TSR_LOSS_FROBENIUS && plan->basis == TSR_BASIS_FREE &&
                       s->missing == NULL && (wanted == 0 || wanted == 3);
    const bool held =
        s->basis_lasso > 0 || s->basis_ridge > 0 || (s->decorrelate > 0 && !round);
    if (plan->mu) {
        s->scale = plan->row->links && wanted == 0 ? TSR_SCALE_BASIS
                   : wanted > 1                    ? TSR_SCALE_PRODUCT
                                                   : TSR_SCALE_FREE;
        s->norm = wanted == 2 ? TSR_BASIS_NORM_L1 : TSR_BASIS_NORM_L2;
        return;
    }
    /* Where J does not mind, unit vectors make the codes of all vectors comparable: clusters of
     * codes are clusters of what the vectors contribute. */
    const bool fixed = wanted > 1 || (wanted == 0 && !held);
    const bool minds = s->penalties > 0 || s->decorrelate > 0;
    s->scale = !fixed ? TSR_SCALE_FREE : minds ? TSR_SCALE_MODEL : TSR_SCALE_PRODUCT;
    s->norm = wanted == 2 || (wanted == 0 && plan->loss == TSR_LOSS_KL) ? TSR_BASIS_NORM_L1
                                                                        : TSR_BASIS_NORM_L2;
    s->sphere = round && s->scale == TSR_SCALE_MODEL;
}

/* Sweeps are cheap beside the products with the data that they wait for, 2 width k operations a
 * row against 2 k^2: as many as cost about half as much again, and ten at most. */
static int sweeps_worth(double width, int64_t k)
{
    return (int)fmin(fmax(1 + width / (4 * (double)k), 1), 10);
}

/* True where the rows of a free basis, on the sphere its vectors, or the samples' weights of a
 * concept basis are problems of their own: no penalty ties them, be it by de-correlation or by a
 * reward that has no bottom. */
static bool descends(const tsr__solver *s, const tsr__plan *plan)
{
    const bool l2 = s->scale != TSR_SCALE_MODEL || s->norm == TSR_BASIS_NORM_L2;
    if (s->map == &tsr__map_concept)
        return plan->loss == TSR_LOSS_FROBENIUS && s->decorrelate <= 0 && l2 &&
               plan->options->link_form == 0;
    return s->map == &tsr__map_free && (s->sphere || s->decorrelate <= 0);
}

static int64_t longest_row(const tsr__solver *s, const tsr__problem *problem)
{
    const tsr_matrix *rows[] = {problem->reduced != NULL ? problem->reduced : problem->x,
                                problem->turned};
    int64_t most = s->n > s->m ? s->n : s->m;
    if (!s->source.sparse)
        return most;
    most = 0;
    for (int side = 0; side < 2; side++)
        for (int64_t i = 0; rows[side] != NULL && i < rows[side]->samples; i++) {
            const int64_t length = tsr__row_end(rows[side], i) - tsr__row_begin(rows[side], i);
            most = length > most ? length : most;
        }
    return most;
}

static void choose_rules(tsr__solver *s, const tsr__plan *plan, const tsr__problem *problem)
{
    const bool frobenius = plan->loss == TSR_LOSS_FROBENIUS;
    const tsr_matrix *x = s->source.held;
    const double filled =
        (double)tsr_matrix_stored(x) / ((double)x->samples * (double)x->features);
    s->basis_exponent = s->codes_exponent = 1;
    s->basis_sweeps = sweeps_worth((double)s->n * filled, s->k);
    s->codes_sweeps = sweeps_worth((double)s->m * filled, s->k);
    if (s->map == &tsr__map_signed) {
        s->basis_rule = s->codes_rule = TSR_RULE_SIGNED;
    } else if (plan->mu) {
        s->basis_rule = s->codes_rule = TSR_RULE_MULTIPLY;
        s->codes_exponent = plan->row->links ? 0.5 : 1;
        if (plan->row->root && plan->weights.graph > 0)
            s->codes_rule = TSR_RULE_MAJORISE;
    } else {
        s->codes_rule = TSR_RULE_DESCEND;
        s->basis_rule = descends(s, plan) ? TSR_RULE_DESCEND : TSR_RULE_MAJORISE;
    }
    s->lifts = !plan->mu;
    s->collects = frobenius || !s->source.sparse || s->basis_rule != TSR_RULE_DESCEND;
    if (!frobenius && s->codes_rule == TSR_RULE_DESCEND) {
        s->basis_sweeps = s->codes_sweeps = 4;
        s->longest = longest_row(s, problem);
    }
}

enum { LEAST_WORK = 4000000 };

void tsr__solver_configure(tsr__solver *s, const tsr__plan *plan, const tsr__problem *problem,
                           int64_t rank, int64_t per_class)
{
    /* A block and its tile, or the rows that its entries point at, stay in the second-level
     * cache. */
    const int64_t bytes = problem->x->sparse ? (1 << 20) / rank : 1 << 19;
    const tsr_matrix *all = problem->kernel != NULL ? problem->kernel : problem->x;
    const tsr_matrix *rows = problem->reduced != NULL ? problem->reduced : all;
    const bool concept = plan->basis == TSR_BASIS_CONCEPT;
    const double work = (double)tsr_matrix_stored(rows) * (double)rank;
    bool negative = false;
    for (int64_t i = 0;
         problem->kernel != NULL && !negative && i < all->samples * all->features; i++)
        negative = tsr__value_at(all->values, all->type, i) < 0;
    *s = (tsr__solver){.type = plan->type,
                       .n = rows->samples,
                       .m = rows->features,
                       .k = rank,
                       .source = tsr__source_of_matrix(rows, bytes),
                       .weight = problem->weight,
                       .members = problem->members,
                       .classes = problem->row_class,
                       .class_count = problem->classes,
                       .per_class = per_class,
                       .shared = plan->options->shared,
                       .missing = problem->missing,
                       .missing_turned = problem->missing_turned,
                       .kernel = problem->kernel != NULL,
                       .constant = problem->constant,
                       .square = problem->square,
                       .rho = problem->rho,
                       .loss = plan->loss == TSR_LOSS_KL ? &tsr__loss_kl : &tsr__loss_frobenius,
                       .map = !concept                  ? &tsr__map_free
                              : problem->kernel == NULL ? &tsr__map_concept
                              : negative                ? &tsr__map_signed
                                                        : &tsr__map_kernel};
    if (problem->turned != NULL)
        s->turned = tsr__source_of_matrix(problem->turned, bytes);
    if (concept)
        s->atoms = tsr__source_of_matrix(all, bytes);
    /* Below this a second thread costs more than it brings; results are the same anyway. */
    const double price = plan->loss != TSR_LOSS_KL ? 1 : plan->mu ? 2 : 20;
    s->threads =
        work * price < LEAST_WORK ? 1 : tsr__threads(plan->options->threads, TSR_LANES);
    choose_penalties(s, plan, problem);
    choose_scale(s, plan);
    choose_rules(s, plan, problem);
    /* Beside KL the slope of a quadratic penalty is a difference of larger numbers, in single
     * precision too rough for long steps. */
    s->extrapolates = !plan->mu;
    for (int i = 0; i < s->penalties && plan->loss == TSR_LOSS_KL; i++)
        s->extrapolates = s->extrapolates && s->penalty[i].kind->degree < 2;
}
