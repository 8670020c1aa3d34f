/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Choosing what the solver will do: terms, scale, rules, sweeps, threads; and telling it.
 *
 * The choices follow from each other in this order: terms say what J minds, from which the
 * scale of the basis follows; both and the map say which rules refuse; the rules say what
 * passes sum and how rows are swept. Nothing here depends on the number of threads or on a
 * clock, so that the same request makes the same plan on every machine but for `threads`.
 * mathematics.md, section 9, has the plans of all rows as a table, which tests/test_doc.c
 * compares. */
#include "factor/plan.h"

#include "base/text.h"
#include "matrix/descent.h"
#include "matrix/parallel.h"
#include "matrix/pass.h"
#include "matrix/team.h"

#include <math.h>
#include <stdio.h>

/* Rank ------------------------------------------------------------------------------------ */

/* Class-driven: k = R c + S. The three numbers are never adjusted to fit: the user said what a
 * vector means by them, and the message names the rank, or the shared vectors, that would
 * do. */
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

/* Apart from the rest of the plan because a fit that goes on compares the rank before anything
 * is laid out. Without a rank and without classes it is 10, or the number of samples where
 * those are fewer. A rank above one of n and m is allowed, with a note: a basis that is
 * overcomplete is a model, one that exceeds both is a mistake. */
tsr_status tsr__plan_rank(int64_t *rank, int64_t *per_class, const tsr__spec *spec,
                          const tsr__problem *problem)
{
    tsr_status status = TSR_OK;
    const tsr_fit_options *o = spec->options;
    const int64_t classes = problem->classes.count;
    int64_t k = o->rank > 0 ? o->rank : classes > 0 ? classes : 10, own = 0;
    char note[160];
    if (spec->weights.of[TSR_WEIGHT_CLASS] > 0)
        TSR_TRY(class_rank(&k, &own, o, classes));
    if (o->rank == 0 && spec->weights.of[TSR_WEIGHT_CLASS] == 0 && classes == 0)
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

/* Terms ----------------------------------------------------------------------------------- */

/* In the order of the table of terms, in which those on the codes come first: the solver tells
 * them by their place (code_terms). A term that the spec has and the data have not is an error
 * and not left out, or J would not be what was asked. */
static tsr_status choose_terms(tsr__plan *plan, const tsr__spec *spec,
                               const tsr__problem *problem)
{
    for (int i = 0; tsr__term_kinds[i] != NULL; i++) {
        tsr__term t = {.kind = tsr__term_kinds[i], .at = plan->terms};
        if (!t.kind->begin(t.weight, spec, problem))
            continue;
        const char *why = t.kind->refuses != NULL ? t.kind->refuses(spec, problem) : NULL;
        if (why != NULL)
            return tsr__fail(TSR_ERROR_ARGUMENT, "--%s: %s", tsr__term_names[t.kind->name],
                             why);
        if (plan->terms == TSR_MOST_TERMS)
            return tsr__fail(TSR_ERROR_UNSUPPORTED, "J has room for %d terms", TSR_MOST_TERMS);
        plan->term[plan->terms++] = t;
        plan->code_terms += !t.kind->basis;
    }
    return TSR_OK;
}

/* Rows that a term ties are no problems of their own: descent by rows would not know what the
 * others do (rules.c, weave.c). */
bool tsr__plan_couples(const tsr__plan *plan)
{
    bool any = false;
    for (const tsr__term *t = plan->term; t < tsr__terms_end(plan); t++)
        any = any || t->kind->couples;
    return any;
}

bool tsr__plan_logs(const tsr__plan *plan)
{
    bool any = false;
    for (const tsr__term *t = plan->term; t < tsr__terms_end(plan); t++)
        any = any || t->kind->logs;
    return any;
}

/* Scale ----------------------------------------------------------------------------------- */

/* A term on the basis holds its scale by itself, and would not be left as it is by scaling; only
 * on the sphere both are had at once. */
static bool is_held(const tsr__plan *plan, bool round)
{
    bool held = false;
    for (const tsr__term *t = plan->term; t < tsr__terms_end(plan); t++)
        held = held || (t->kind->holds && !(t->kind->rounds && round));
    return held;
}

/* Whether J minds F / s, s G. If it does not, the scale may be set after each step for nothing;
 * if it does, each step has to know what length costs. */
static bool minds_scale(const tsr__plan *plan)
{
    bool minds = false;
    for (const tsr__term *t = plan->term; t < tsr__terms_end(plan); t++)
        minds = minds || t->kind->priced || t->kind->rounds;
    return minds;
}

/* The norm of the basis, and what holds it; mathematics.md, "the scale is part of the model". */
static void choose_scale(tsr__plan *plan, const tsr__spec *spec, const tsr__problem *problem)
{
    enum { AUTO, NONE, L1, L2 };
    const int wanted = spec->options->basis_norm;
    if (spec->mu) {
        plan->scale = spec->row->links && wanted == AUTO ? TSR_SCALE_BASIS
                      : wanted > NONE                    ? TSR_SCALE_PRODUCT
                                                         : TSR_SCALE_FREE;
        plan->norm = wanted == L1 ? TSR_BASIS_NORM_L1 : TSR_BASIS_NORM_L2;
        return;
    }
    const bool round = plan->loss->degree == 2 && plan->map->free && problem->missing == NULL &&
                       (wanted == AUTO || wanted == L2);
    /* Where J does not mind, unit vectors make the codes of all vectors comparable: clusters of
     * codes are clusters of what the vectors contribute. */
    const bool fixed = wanted > NONE || (wanted == AUTO && !is_held(plan, round));
    plan->scale = !fixed              ? TSR_SCALE_FREE
                  : minds_scale(plan) ? TSR_SCALE_MODEL
                                      : TSR_SCALE_PRODUCT;
    plan->norm = wanted == L1 || (wanted == AUTO && plan->loss->degree < 2) ? TSR_BASIS_NORM_L1
                                                                            : TSR_BASIS_NORM_L2;
}

/* Rules ----------------------------------------------------------------------------------- */

/* Ends, since the last rule of each table refuses nothing. */
static const tsr__rule *first_of(const tsr__rule *const *rules, const tsr__choice *c)
{
    while ((*rules)->refuses(c) != NULL)
        rules++;
    return *rules;
}

/* Sweeps are cheap beside the products with the data that they wait for, 2 width k operations a
 * row against 2 k^2: as many as cost about half as much again, and ten at most. */
static int sweeps_worth(double width, int64_t k)
{
    return (int)fmin(fmax(1 + width / (4 * (double)k), 1), 10);
}

/* Room for a row's entries on either side. O(n + m); dense rows all have the same length. */
static int64_t longest_row(const tsr__problem *p)
{
    const tsr_matrix *rows[] = {p->held.reduced != NULL ? p->held.reduced : p->held.x,
                                p->held.turned};
    int64_t most = 0;
    if (!p->by_sample.sparse ||
        p->streams) /* sparse rows: those of other ranks may be longer */
        return p->n > p->m && !p->streams ? p->n : p->m;
    for (int side = 0; side < 2; side++)
        for (int64_t i = 0; rows[side] != NULL && i < rows[side]->samples; i++) {
            const int64_t length = tsr__row_end(rows[side], i) - tsr__row_begin(rows[side], i);
            most = length > most ? length : most;
        }
    return most;
}

/* Link rows take square roots on the codes under `mu` (section 9). XtG is not summed where the
 * basis descends by feature on sparse entries: it reads the turned data itself. Losses with
 * sweeps of their own end a row by what it gains, and need no estimate. */
static void choose_rules(tsr__plan *plan, const tsr__spec *spec, const tsr__problem *problem)
{
    const tsr__choice c = {spec, problem, plan};
    const double filled = problem->filled;
    plan->basis = (tsr__move){first_of(tsr__basis_rules, &c), plan->loss->step,
                              sweeps_worth((double)problem->rows.whole * filled, plan->k)};
    plan->codes = (tsr__move){first_of(tsr__codes_rules, &c),
                              spec->row->links ? fmin(0.5, plan->loss->step) : plan->loss->step,
                              sweeps_worth((double)problem->m * filled, plan->k)};
    plan->lifts = !spec->mu;
    plan->collects = plan->loss->degree == 2 || problem->by_feature.blocks == 0 ||
                     !plan->basis.rule->descends;
    plan->projects = plan->loss->degree == 2 || !problem->by_sample.sparse;
    if (plan->loss->sweeps > 0 && (plan->codes.rule->descends || plan->basis.rule->descends)) {
        plan->basis.sweeps = plan->codes.sweeps = plan->loss->sweeps;
        plan->longest = longest_row(problem);
    }
    if (plan->basis.rule->exact && plan->basis.sweeps > 2)
        plan->basis.sweeps = 2; /* each vector reads all others */
}

/* Beside a divergence the slope of a quadratic term is a difference of larger numbers, in single
 * precision too rough for long steps.
 * A loss that is not convex in the codes alone (power 2) leads them astray: of 40 x 60 values over
 * ten powers of ten the steps alone end at a J of 53, led on at 1153. */
static bool may_lead(const tsr__plan *plan, const tsr__spec *spec)
{
    bool leads = !spec->mu && plan->loss->power < 2;
    for (const tsr__term *t = plan->term; t < tsr__terms_end(plan); t++)
        leads = leads && (plan->loss->power == 0 || t->kind->bend == NULL);
    return leads;
}

/* Where samples come once a pass and the basis can only take a bound's step a pass, it is what keeps
 * the codes waiting: they are near their optimum for it after each pass. */
static bool leads_basis(const tsr__plan *plan, const tsr__problem *problem)
{
    const tsr__rule *rule = plan->basis.rule;
    return problem->streams && !rule->descends && !rule->exact;
}

/* A kernel that has no negative entry needs no split, whose products run entry by entry
 * (map.c). */
static const tsr__map *map_of(const tsr__spec *spec, const tsr__problem *problem)
{
    const tsr_matrix *kernel = problem->held.kernel;
    tsr_scan scan = {0};
    if (spec->basis == TSR_BASIS_FREE)
        return &tsr__map_free;
    if (kernel == NULL)
        return &tsr__map_concept;
    return tsr_matrix_scan(&scan, kernel) == TSR_OK && scan.negative > 0 ? &tsr__map_signed
                                                                         : &tsr__map_kernel;
}

/* Below this a second thread costs more than it brings; results are the same anyway. The work
 * is that of an iteration in multiplications, nnz k, times what the loss costs beside
 * squares. */
static int threads_for(const tsr__plan *plan, const tsr__spec *spec,
                       const tsr__problem *problem)
{
    enum { LEAST_WORK = 4000000 };
    const double work = (double)problem->n * (double)problem->m * problem->filled *
                        (double)plan->k * plan->loss->cost[spec->mu ? 0 : 1];
    const int64_t tiles = (problem->m + plan->tile - 1) / plan->tile,
                  shares = plan->leaves > tiles ? plan->leaves : tiles;
    return work < LEAST_WORK ? 1 : tsr__threads(spec->options->threads, shares);
}

/* NULL, or why the basis cannot move before all samples were seen. */
static const char *refuses_batches(const tsr__plan *plan, const tsr__problem *problem)
{
    return !plan->map->free           ? "the basis is made of all samples"
           : plan->code_terms > 0     ? "terms on the codes are sums over all of them"
           : problem->missing != NULL ? "features with missing values have sums of their own"
           : plan->loss->wide         ? "the loss has sums that belong to one basis"
                                      : NULL;
}

/* The loss is asked first, before data that it cannot have are cut or counted. The plan points
 * at the tables and holds nothing that is freed. */
tsr_status tsr__plan_make(tsr__plan *out, const tsr__spec *spec, tsr__problem *problem,
                          int64_t rank, int64_t per_class)
{
    tsr_status status = TSR_OK;
    const char *why = spec->loss->refuses != NULL ? spec->loss->refuses(problem) : NULL;
    if (why != NULL)
        TSR_FAIL(TSR_ERROR_DATA, "%s", why);
    TSR_TRY(tsr__problem_cut(problem, spec, rank));
    tsr__plan plan = {.loss = spec->loss,
                      .map = map_of(spec, problem),
                      .k = rank,
                      .per_class = per_class,
                      .shared = spec->options->shared,
                      .leaves = problem->by_sample.leaves,
                      .tile = problem->by_sample.tile};
    TSR_TRY(choose_terms(&plan, spec, problem));
    plan.pairs = spec->weights.of[TSR_WEIGHT_GRAPH] > 0 || tsr__spec_has_links(spec);
    choose_scale(&plan, spec, problem);
    choose_rules(&plan, spec, problem);
    plan.threads = threads_for(&plan, spec, problem);
    plan.extrapolates = may_lead(&plan, spec);
    plan.leads_basis = plan.extrapolates && leads_basis(&plan, problem);
    plan.divides = tsr__team_shares(tsr__problem_team(problem)) && plan.map->free &&
                   !plan.basis.rule->exact;
    plan.batch = spec->options->batch < problem->n ? spec->options->batch : 0;
    why = spec->options->batch > 0 ? refuses_batches(&plan, problem) : NULL;
    if (why != NULL)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "the basis cannot move by batches (--batch, --more): %s",
                 why);
    *out = plan;
done:
    return status;
}

/* Telling --------------------------------------------------------------------------------- */

/* The sphere needs no price: its vectors cannot leave unit length. */
const char *tsr__plan_norm(const tsr__plan *plan)
{
    const bool l1 = plan->norm == TSR_BASIS_NORM_L1;
    const bool priced = plan->scale == TSR_SCALE_MODEL && !plan->basis.rule->exact;
    return plan->scale == TSR_SCALE_FREE ? "none"
           : priced                      ? (l1 ? "L1, by a price" : "L2, by a price")
           : l1                          ? "L1"
                                         : "L2";
}

static void show_move(tsr__line *line, const char *factor, const tsr__move *move)
{
    tsr__line_add(line, "%s: %s (%s)", factor, move->rule->name, move->rule->text);
    if (move->rule->descends)
        tsr__line_add(line, ", %d %s", move->sweeps, move->sweeps == 1 ? "sweep" : "sweeps");
    else if (move->rule->powers && move->exponent != 1)
        tsr__line_add(line, ", exponent %g", move->exponent);
}

/* Bytes that an iteration sends, of a rank that moves its part of the features: words of one all-reduce
 * of the sums of features, with the basis in the place of what is gathered where it is divided; twice
 * what belongs to no feature; terms; codes of pairs. An extrapolation that is taken back sends the sums
 * once more. `agrees` are the words at meetings. */
double tsr__plan_sends(const tsr__plan *plan, const tsr__problem *problem)
{
    const tsr_team *team = tsr__problem_team(problem);
    if (!tsr__team_shares(team))
        return 0;
    const double k = (double)plan->k, wide = (double)problem->m * k,
                 size = (double)tsr__type_size(problem->type),
                 leaders = tsr__team_leaders(team), part = 8 * (1 - 1 / leaders),
                 feature = plan->loss->wide ? 2 * wide : wide,
                 refreshes =
                     plan->scale == TSR_SCALE_PRODUCT || plan->scale == TSR_SCALE_MODEL ? 2 : 1;
    const bool floors = plan->lifts && !plan->codes.rule->descends;
    double twice = 1 + k * k + k + (floors ? k : 0), once = feature,
           agrees = 2 + floors + (plan->divides ? (plan->loss->wide ? 3 : 2) : 0), sent = 0;
    for (int i = 0; i < plan->code_terms; i++) {
        const tsr__term_kind *kind = plan->term[i].kind;
        twice += refreshes * (kind->sums != NULL ? (double)kind->sums(problem, plan->k) : k);
        agrees += refreshes * (kind->sums != NULL ? 2 : 1);
    }
    if (plan->map->woven) {
        twice += wide + (plan->lifts ? k : 0);
        agrees += 1 + plan->lifts;
    }
    for (int r = 0; plan->pairs && problem->pairs.halo.sent != NULL && r < team->ranks; r++)
        sent += r == team->rank ? 0 : (double)problem->pairs.halo.sent[r] * k * size;
    agrees += sent > 0;
    return part * (once + 2 * twice) +
           (plan->divides
                ? part / 8 * (wide * size + 8 * fmin(TSR_RUNS, (double)problem->m / 4))
                : part * feature) +
           sent + agrees * 8 * ceil(log2(team->ranks));
}

/* By feature reads once more than the loss says: the basis goes over the turned data itself. */
void tsr__plan_show(char lines[TSR_PLAN_LINES][TSR_PLAN_LINE], const tsr__plan *plan,
                    const tsr__problem *problem, int64_t bytes)
{
    static const char *const reads[] = {"sums over the samples", "the data by feature",
                                        "sample after sample"};
    tsr__line basis = {lines[0], 0, TSR_PLAN_LINE}, codes = {lines[1], 0, TSR_PLAN_LINE};
    const bool by_feature = plan->longest > 0 && plan->basis.rule->reads == TSR_READS_SUMS &&
                            plan->basis.rule->descends;
    const tsr__reads how = by_feature ? TSR_READS_FEATURE : plan->basis.rule->reads;
    show_move(&basis, "basis", &plan->basis);
    tsr__line_add(&basis, "%s, norm %s, reads %s", plan->leads_basis ? ", extrapolated" : "",
                  tsr__plan_norm(plan), reads[how]);
    show_move(&codes, "codes", &plan->codes);
    tsr__line_add(&codes, ", %sextrapolated, %lld %s, blocks of %lld samples",
                  plan->extrapolates && !plan->leads_basis ? "" : "not ",
                  (long long)plan->leaves, plan->leaves == 1 ? "leaf" : "leaves",
                  (long long)problem->by_sample.block_samples);
    if (plan->tile < problem->m)
        tsr__line_add(&codes, ", tiles of %lld features", (long long)plan->tile);
    tsr__line_add(&codes, ", %d %s, %d passes, %.1f MB", plan->threads,
                  plan->threads == 1 ? "thread" : "threads",
                  plan->loss->passes + by_feature + (plan->codes.rule->solve != NULL),
                  (double)bytes / 1e6);
    if (tsr__team_shares(tsr__problem_team(problem)))
        tsr__line_add(&codes, ", %d ranks, %.3g MB sent a rank",
                      tsr__problem_team(problem)->ranks, tsr__plan_sends(plan, problem) / 1e6);
}
