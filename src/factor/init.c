/* SPDX-License-Identifier: BSD-2-Clause
 *
 * THE TABLE OF STARTS.
 *
 *     auto       nndsvda or random, by data and model (choose)
 *     random     uniform (0, 1), the papers'; outside `mu` scaled so that F G' fits X best
 *     nndsvd     positive parts of the leading singular pairs (init_svd.c);
 *                its zeros stay zero under multiplicative rules, so there are two variants:
 *     nndsvda    zeros become what constant factors of the mean of X would be, and nndsvdar:
 *                random numbers below a hundredth of it
 *     kmeans     cluster means, and codes 1.2 for the own cluster, 0.2 for the others
 *     means      means of the labelled samples a class, k-means of the rest for other vectors
 *     best       three short fits, from what auto takes and two at random: the lowest J goes on
 *     FILE       arrays `basis` (k x m; concept: `weights`, n x k) and `codes` (n x k, or one row a
 *                group where codes are tied), in .npz or .h5: an archive of an earlier fit serves
 *
 * Concept models start from weights: the samples' shares in the same vectors.
 *
 * mathematics.md, section 11. Whatever a start leaves, tsr__solver_start follows it: it pushes
 * theta through the map, normalises and sums. A start is a function of the data, the seed and
 * the restart, which has a stream of its own. Cost: random O((n + m) k) and a pass; k-means and
 * the singular vectors some passes; best thirty iterations. */
#include "factor/init.h"

#include "factor/solve.h"

#include "base/progress.h"
#include "matrix/kmeans.h"
#include "matrix/store.h"
#include "matrix/team.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct kind {
    const char *name, *text;
    bool once; /* the same for every restart: those after the first are random */
    tsr_status (*fill)(tsr__start *b);
} kind;

static const kind *find(const char *name);

/* Whether at most a tenth of the entries are not zero, however they are stored. */
static bool mostly_zeros(const tsr__problem *problem)
{
    return problem->survey.scan.nonzeros <= problem->samples * problem->features / 10;
}

/* What `auto` takes: under squares singular vectors where samples are mostly zeros, as texts are:
 * random starts end in higher minima there and take longer to arrive. Else random numbers, which
 * no start beats for long; a divergence weighs entries otherwise than singular vectors do, and
 * pictures of few parts have singular values that are alike, whose vectors say nothing of parts:
 * of the swimmer's 17 none of random starts fails, and all of singular vectors do (mathematics.md,
 * section 11, has the figures). Where J is more than the loss, or the model has no place for
 * singular vectors, random numbers take no side. Zeros are filled: with small numbers in their
 * place 20 Newsgroups ends 0.3 % higher. */
static const char *choose(const tsr__plan *plan, const tsr__spec *spec,
                          const tsr__problem *problem)
{
    bool apt = plan->loss->degree == 2 && plan->map->free && !spec->mu &&
               problem->image.height == 0 && problem->missing == NULL &&
               problem->members == NULL && plan->basis.rule->descends &&
               plan->codes.rule->descends;
    for (const tsr__term *t = plan->term; t < tsr__terms_end(plan); t++)
        apt = apt &&
              (t->kind->name == TSR_TERM_ALPHA_CODES || t->kind->name == TSR_TERM_ALPHA_BASIS);
    return apt && mostly_zeros(problem) ? "nndsvda" : "random";
}

/* Drawn as doubles in either precision, so that single starts where double does, but for
 * rounding. */
static void fill_uniform(const tsr__solver *s, void *array, int64_t count, tsr__random *random)
{
    for (int64_t i = 0; i < count; i++)
        tsr__real_set(s, array, i, tsr__random_uniform(random));
}

void tsr__random_skip(tsr__random *random, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        (void)tsr__random_bits(random);
}

/* Own rows of a factor, numbers of others' being drawn and left out; share NULL: the basis. */
static void fill_rows(tsr__start *b, void *rows, const tsr__share *share)
{
    const int64_t k = b->s->k;
    if (share == NULL) {
        fill_uniform(b->s, rows, b->s->m * k, &b->random);
        return;
    }
    tsr__random_skip(&b->random, share->first * k);
    fill_uniform(b->s, rows, share->count * k, &b->random);
    tsr__random_skip(&b->random, (share->whole - share->first - share->count) * k);
}

/* k-means sees all samples, of one process and in memory. */
static tsr_status need_all(const tsr__start *b, const char *who)
{
    if (tsr__team_shares(tsr__problem_team(b->problem)))
        return tsr__fail(TSR_ERROR_UNSUPPORTED,
                         "%s: no rank of a team has all samples; one process has", who);
    return tsr__matrix_need(b->x, who);
}

/* Codes are scaled so that F G' fits best (Frobenius) or has the right sum (KL). Without that
 * the first iterations would only find the size, and J at the start, by which weights are
 * judged, would say nothing. It also makes the fit of s X that of X (tests/test_law_unit.c).
 * The size is a quotient of sums, so that a pass comes first; XtG is collected where passes
 * leave it out. */
static void fit_scale(tsr__start *b)
{
    tsr__solver *s = b->s;
    const tsr__kernels *kernels = tsr__kernels_for(s);
    if (b->spec->basis == TSR_BASIS_CONCEPT) { /* X W has the samples' size, a basis has none */
        s->plan->map->push(s);
        tsr__fix_scale(s, TSR_SCALE_PRODUCT);
    }
    tsr__solver_start(s);
    tsr__solver_collect(s);
    double up, down;
    s->plan->loss->fit_size(&up, &down, s);
    if (up > 0 && down > 0)
        kernels->scale(s->state.codes, up / down, s->n * s->k);
}

/* Theta is drawn before the codes: the order is part of what a seed means. */
static tsr_status start_random(tsr__start *b)
{
    fill_rows(b, tsr__theta(b->s), b->s->state.weights != NULL ? &b->problem->share : NULL);
    fill_rows(b, b->s->state.codes, &b->problem->rows);
    if (!b->spec->mu)
        fit_scale(b);
    return TSR_OK;
}

/* Vectors given as centers (k x features) become the basis; concept models take the weights
 * with which each sample would be drawn to its vector. 0.2 and 1.2 are the indicator of the own
 * cluster and 0.2: no code begins at zero, where multiplicative rules would hold it. Where
 * codes are tied, a group has 1.2 at the vector of each of its members. */
static void take_centers(tsr__start *b, const double *centers, const int32_t *of)
{
    tsr__solver *s = b->s;
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t j = 0; j < s->k; j++)
            tsr__real_set(s, s->state.codes, i * s->k + j, 0.2);
    for (int64_t i = 0; i < b->problem->samples; i++)
        tsr__real_set(s, s->state.codes, b->problem->row_of[i] * s->k + of[i], 1.2);
    if (b->spec->basis == TSR_BASIS_CONCEPT) {
        for (int64_t i = 0; i < b->problem->samples * s->k; i++) {
            const bool own = of[i / s->k] == i % s->k;
            tsr__real_set(s, tsr__theta(s), i, own ? 1.2 : 0.2);
        }
    } else {
        double mean = 0;
        for (int64_t i = 0; i < s->m * s->k; i++)
            mean += fabs(centers[i]) / (double)(s->m * s->k);
        for (int64_t j = 0; j < s->m; j++)
            for (int64_t a = 0; a < s->k; a++) /* a hundredth of the mean: no zero is locked */
                tsr__real_set(s, s->state.basis, j * s->k + a,
                              centers[a * s->m + j] + 0.01 * mean);
    }
    fit_scale(b);
}

/* The stride between the seeds of restarts is a prime above the number of restarts that there
 * can be, so that restart r of a seed is no start of the next seed. */
static tsr_status start_kmeans(tsr__start *b)
{
    tsr_status status = TSR_OK;
    const tsr_matrix *x = b->x;
    double *centers = NULL;
    int32_t *of = NULL;
    const tsr__kmeans_options options = {.clusters = b->s->k,
                                         .restarts = 5,
                                         .iterations = 100,
                                         .seed = (uint64_t)b->spec->options->seed +
                                                 1000003u * (uint64_t)b->restart,
                                         .threads = b->s->plan->threads};
    TSR_TRY(need_all(b, "a start from k-means (--init random needs none)"));
    TSR_NEW(centers, b->s->k * x->features);
    TSR_NEW(of, x->samples);
    TSR_TRY(tsr__kmeans(of, centers, NULL, x, &options));
    take_centers(b, centers, of);
done:
    tsr__free(centers);
    tsr__free(of);
    return status;
}

/* The vectors of class b are its labelled samples' mean, each turned a little at random when
 * there are several; the other vectors come from k-means. Turned, because several equal vectors
 * would begin alike; by factors of 0.5 to 1.5, whose mean is 1. Classes of which no label is
 * seen keep their centre of k-means. A labelled sample begins at a vector of its own class or
 * of none, which is what the class term wants of it. O(n m k). */
static tsr_status start_means(tsr__start *b)
{
    tsr_status status = TSR_OK;
    const tsr_matrix *x = b->x;
    const int64_t m = x->features, k = b->s->k, classes = b->problem->classes.count;
    const int64_t own = b->s->plan->per_class > 0 ? b->s->plan->per_class : 1;
    double *centers = NULL, *row = NULL, *mean = NULL, *count = NULL;
    int32_t *of = NULL;
    if (classes == 0 || own * classes > k)
        TSR_FAIL(TSR_ERROR_ARGUMENT,
                 "--init means needs labels and a rank of at least the %lld classes",
                 (long long)classes);
    TSR_TRY(need_all(b, "a start from means and k-means (--init random needs none)"));
    TSR_NEW(centers, k * m);
    TSR_NEW(row, m);
    TSR_NEW_ZERO(mean, classes * m);
    TSR_NEW_ZERO(count, classes);
    TSR_NEW(of, x->samples);
    const tsr__kmeans_options options = {.clusters = k,
                                         .restarts = 5,
                                         .iterations = 100,
                                         .seed = (uint64_t)b->spec->options->seed,
                                         .threads = b->s->plan->threads};
    TSR_TRY(tsr__kmeans(of, centers, NULL, x, &options));
    for (int64_t i = 0; i < x->samples; i++) {
        const int32_t c = b->problem->classes.seen[i];
        tsr_matrix_get_sample(row, x, i);
        for (int64_t j = 0; c >= 0 && j < m; j++)
            mean[c * m + j] += row[j];
        if (c >= 0)
            count[c] += 1;
    }
    for (int64_t v = 0; v < own * classes; v++)
        for (int64_t j = 0; count[v / own] > 0 && j < m; j++)
            centers[v * m + j] = mean[v / own * m + j] / count[v / own] *
                                 (own > 1 ? 0.5 + tsr__random_uniform(&b->random) : 1);
    for (int64_t i = 0; i < x->samples; i++) { /* codes begin at the nearest vector */
        double least = (double)INFINITY;
        tsr_matrix_get_sample(row, x, i);
        for (int64_t v = 0; v < k; v++) {
            double d = 0;
            for (int64_t j = 0; j < m; j++)
                d += (row[j] - centers[v * m + j]) * (row[j] - centers[v * m + j]);
            const int32_t c = b->problem->classes.seen[i];
            const bool allowed = c < 0 || v >= own * classes || v / own == c;
            if (allowed && d < least) {
                least = d;
                of[i] = (int32_t)v;
            }
        }
    }
    take_centers(b, centers, of);
done:
    tsr__free(centers);
    tsr__free(row);
    tsr__free(mean);
    tsr__free(count);
    tsr__free(of);
    return status;
}

static tsr_status start_nndsvd(tsr__start *b)
{
    return tsr__start_svd(b, TSR_FILL_NOT);
}

static tsr_status start_nndsvda(tsr__start *b)
{
    return tsr__start_svd(b, TSR_FILL_MEAN);
}

static tsr_status start_nndsvdar(tsr__start *b)
{
    return tsr__start_svd(b, TSR_FILL_RANDOM);
}

/* "path:name" is how one array of a container is asked for anywhere (tsr_data_read). A factor
 * below zero would stay there under multiplicative steps, so it is refused. */
static tsr_status read_array(tsr_data **out, const char *path, const char *name)
{
    tsr_status status = TSR_OK;
    char where[4096];
    if (snprintf(where, sizeof where, "%s:%s", path, name) >= (int)sizeof where)
        TSR_FAIL(TSR_ERROR_ARGUMENT, "--init: a path of %zu bytes is too long", strlen(path));
    TSR_TRY(tsr_data_read(out, where, NULL));
    TSR_TRY(tsr_matrix_check(tsr_data_samples(*out), TSR_NEED_FINITE | TSR_NEED_NON_NEGATIVE,
                             where));
done:
    return status;
}

static tsr_status check_shape(const char *subject, const char *name, const tsr_matrix *x,
                              int64_t rows, int64_t columns)
{
    if (x->samples == rows && x->features == columns)
        return TSR_OK;
    return tsr__fail(TSR_ERROR_DATA, "%s%s is %lld x %lld and should be %lld x %lld", subject,
                     name, (long long)x->samples, (long long)x->features, (long long)rows,
                     (long long)columns);
}

/* Own rows of a factor of all. */
static void take_rows(tsr__solver *s, void *to, const tsr_matrix *from, const tsr__share *share)
{
    for (int64_t i = 0; i < share->count; i++)
        for (int64_t j = 0; j < s->k; j++)
            tsr__real_set(s, to, i * s->k + j, tsr_matrix_at(from, share->first + i, j));
}

/* Codes of samples. Tied: the first member's row is the group's. */
void tsr__take_codes(tsr__solver *s, const tsr_matrix *g)
{
    const tsr__share *rows = &s->problem->rows;
    for (int64_t i = g->samples - 1; i >= 0; i--) {
        const int64_t row = s->problem->row_of[i] - rows->first;
        for (int64_t j = 0; row >= 0 && row < rows->count && j < s->k; j++)
            tsr__real_set(s, s->state.codes, row * s->k + j, tsr_matrix_at(g, i, j));
    }
}

/* Factors are taken as they are and not scaled: they may be the end of an earlier fit. Codes
 * may be those of samples, as archives have them, or one row a group. `f` is the basis, or the
 * weights of a concept model; `subject` stands before their names. */
static tsr_status take_factors(tsr__start *b, const tsr_matrix *f, const tsr_matrix *g,
                               const char *subject)
{
    tsr_status status = TSR_OK;
    tsr__solver *s = b->s;
    const tsr__share *rows = &b->problem->rows;
    const bool concept = b->spec->basis == TSR_BASIS_CONCEPT, woven = s->state.weights != NULL;
    const bool by_sample = g->samples != rows->whole && g->samples == b->problem->samples;
    const int64_t atoms = woven ? b->problem->samples : s->m;
    if (concept)
        TSR_TRY(check_shape(subject, "weights", f, atoms, s->k));
    else
        TSR_TRY(check_shape(subject, "basis", f, s->k, s->m));
    TSR_TRY(
        check_shape(subject, "codes", g, by_sample ? b->problem->samples : rows->whole, s->k));
    if (woven)
        take_rows(s, s->state.weights, f, &b->problem->share);
    for (int64_t i = 0; !woven && i < s->m; i++)
        for (int64_t j = 0; j < s->k; j++)
            tsr__real_set(s, s->state.basis, i * s->k + j,
                          concept ? tsr_matrix_at(f, i, j) : tsr_matrix_at(f, j, i));
    if (by_sample)
        tsr__take_codes(s, g);
    else
        take_rows(s, s->state.codes, g, rows);
done:
    return status;
}

static tsr_status start_file(tsr__start *b)
{
    tsr_status status = TSR_OK;
    const char *path = b->spec->options->init;
    const bool concept = b->spec->basis == TSR_BASIS_CONCEPT;
    tsr_data *basis = NULL, *codes = NULL;
    char subject[4096];
    TSR_TRY(read_array(&basis, path, concept ? "weights" : "basis"));
    TSR_TRY(read_array(&codes, path, "codes"));
    (void)snprintf(subject, sizeof subject, "%s:", path);
    TSR_TRY(take_factors(b, tsr_data_samples(basis), tsr_data_samples(codes), subject));
done:
    tsr_data_free(basis);
    tsr_data_free(codes);
    return status;
}

static tsr_status start_given(tsr__start *b)
{
    tsr_status status = TSR_OK;
    const tsr_fit_options *o = b->spec->options;
    const tsr_matrix *f = o->init_basis != NULL ? o->init_basis : o->init_weights;
    const int needs = TSR_NEED_FINITE | TSR_NEED_NON_NEGATIVE;
    TSR_TRY(tsr_matrix_check(f, needs, o->init_basis != NULL ? "init-basis" : "init-weights"));
    TSR_TRY(tsr_matrix_check(o->init_codes, needs, "init-codes"));
    TSR_TRY(take_factors(b, f, o->init_codes, "init-"));
done:
    return status;
}

/* A few short fits, of which the one of lowest J goes on: most of what a start decides shows in
 * ten iterations. The first is what `auto` would take, the others are random, with streams that
 * no restart has. Nothing is reported on the way, and who asks to stop is heard by the loop, one
 * iteration later. */
static tsr_status start_best(tsr__start *b)
{
    enum { TRIALS = 3, STEPS = 10 };
    tsr_status status = TSR_OK;
    tsr__solver *s = b->s;
    const size_t theta_size = tsr__real_bytes(s, tsr__theta_rows(s) * s->k);
    const size_t codes_size = tsr__real_bytes(s, s->n * s->k);
    const uint64_t seed = (uint64_t)b->spec->options->seed;
    tsr__task task =
        tsr__task_begin(b->spec->options->progress, "trying starts", TRIALS * STEPS);
    double least = (double)INFINITY;
    bool stopped = false;
    char *kept = NULL;
    TSR_NEW(kept, (int64_t)(theta_size + codes_size));
    for (int trial = 0; trial < TRIALS && !stopped; trial++) {
        tsr__start one = *b;
        const bool first = trial == 0 && b->restart == 0;
        const char *name = first ? choose(s->plan, b->spec, b->problem) : "random";
        one.random = tsr__random_seed(seed, ((uint64_t)trial << 32) + (uint64_t)b->restart);
        TSR_TRY(find(name)->fill(&one));
        tsr__solver_start(s);
        for (int i = 0; i < STEPS && !stopped; i++) {
            tsr__solver_step(s);
            TSR_TRY(s->work.trouble);
            TSR_TRY(tsr__stop_together(&stopped, tsr__problem_team(b->problem),
                                       tsr__task_step(&task, trial * STEPS + i + 1,
                                                      tsr__solver_objective(s), (double)NAN)));
        }
        const double now = tsr__solver_objective(s);
        if (trial > 0 && !(now < least))
            continue;
        least = isnan(now) ? least : now;
        memcpy(kept, tsr__theta(s), theta_size);
        memcpy(kept + theta_size, s->state.codes, codes_size);
    }
    memcpy(tsr__theta(s), kept, theta_size);
    memcpy(s->state.codes, kept + theta_size, codes_size);
done:
    tsr__free(kept);
    return status;
}

static tsr_status start_auto(tsr__start *b)
{
    return find(choose(b->s->plan, b->spec, b->problem))->fill(b);
}

/* By name, as the setting has them. What is in no row is a file. */
static const kind starts[] = {
    {"auto", "what suits data and model", true, start_auto},
    {"random", "uniform numbers", false, start_random},
    {"nndsvd", "parts of singular vectors", true, start_nndsvd},
    {"nndsvda", "parts of singular vectors, zeros become the mean", true, start_nndsvda},
    {"nndsvdar", "parts of singular vectors, zeros become small random numbers", false,
     start_nndsvdar},
    {"kmeans", "centres of k-means", false, start_kmeans},
    {"means", "means of classes", false, start_means},
    {"best", "the best of three after ten iterations", false, start_best},
};

static const kind *find(const char *name)
{
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strcmp(name, starts[i].name) == 0)
            return &starts[i];
    return NULL;
}

/* Called before any data are read. A name without a dot is a misspelt start rather than a
 * file. */
tsr_status tsr__init_check(const char *name)
{
    if (find(name) != NULL || strchr(name, '.') != NULL)
        return TSR_OK;
    return tsr__fail(
        TSR_ERROR_ARGUMENT,
        "--init is auto, random, nndsvd, nndsvda, nndsvdar, kmeans, means, best or a "
        "file, not '%s'",
        name);
}

/* The row that options ask for; NULL: a file. */
static const kind *asked(const tsr_fit_options *o)
{
    static const kind given = {"memory", "factors that were given", true, start_given};
    return o->init_codes != NULL ? &given : find(o->init);
}

bool tsr__init_once(const tsr_fit_options *options)
{
    const kind *r = asked(options);
    return r == NULL || r->once;
}

/* The row of a restart; NULL: a file. */
static const kind *kind_of(const tsr__spec *spec, int64_t restart)
{
    return restart > 0 && tsr__init_once(spec->options) ? find("random") : asked(spec->options);
}

tsr_status tsr__init_factors(tsr__solver *s, const tsr__spec *spec, int64_t restart)
{
    const kind *r = kind_of(spec, restart);
    tsr__start b = {.s = s,
                    .spec = spec,
                    .problem = s->problem,
                    .x = s->problem->held.x,
                    .random =
                        tsr__random_seed((uint64_t)spec->options->seed, (uint64_t)restart),
                    .restart = restart};
    return r != NULL ? r->fill(&b) : start_file(&b);
}

void tsr__init_show(char *line, size_t size, const tsr__plan *plan, const tsr__spec *spec,
                    const tsr__problem *problem)
{
    const kind *r = kind_of(spec, 0);
    const bool chosen = r != NULL && r->fill == start_auto;
    if (chosen)
        r = find(choose(plan, spec, problem));
    (void)snprintf(line, size, "start: %s (%s)", r != NULL ? r->name : "file",
                   r != NULL ? r->text : "factors that were given");
}
