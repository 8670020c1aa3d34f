/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Laws of zeros and of missing values: no step but the papers' holds an entry near zero against
 * its gradient; the default goes on where the papers' rules ended; with missing values it ends
 * as low as they do or lower, and recovers what the known entries determine. */
#include "lab.h"

#include "matrix/pass.h"

/* The run with the processor's own kernels is for the numbers; the others, sanitized or with
 * another set of kernels, are shorter. */
static bool thorough;

/* Held entries ---------------------------------------------------------------------------- */

/* Marks the entries of theta (rows x k) that are below 1e-8 of their column's mean although the
 * gradient pulls them up, by more than the other factor's last step would. */
static void mark_low(const tsr__solver *s, unsigned char *low, const void *theta,
                     const tsr__halves *h, int64_t rows, const double *floor)
{
    for (int64_t j = 0; j < s->k; j++) {
        for (int64_t i = 0; i < rows; i++) {
            const int64_t at = i * s->k + j;
            double plus = 0, minus = tsr__real_get(s, h->minus, at);
            plus += h->flat != NULL ? tsr__real_get(s, h->flat, at) : 0;
            plus += h->curved != NULL ? tsr__real_get(s, h->curved, at) : 0;
            plus += h->quartic != NULL ? tsr__real_get(s, h->quartic, at) : 0;
            minus += h->anti != NULL ? tsr__real_get(s, h->anti, at) : 0;
            low[at] = tsr__real_get(s, theta, at) < floor[j] && minus > 1.01 * plus;
        }
    }
}

typedef struct marking {
    tsr__solver *s;
    unsigned char *low;
    double floor[16]; /* 1e-8 of each column's mean */
} marking;

static void mark_codes(void *context, const tsr__block *block, int lane)
{
    const marking *m = context;
    tsr__codes_halves(m->s, block, &m->s->work.lane[lane]);
    mark_low(m->s, m->low + block->first * m->s->k,
             tsr__real_at(m->s, m->s->state.codes, block->first * m->s->k),
             &m->s->work.lane[lane].halves, block->samples, m->floor);
}

static void find_floor(const tsr__solver *s, double *floor, const void *theta, int64_t rows)
{
    for (int64_t j = 0; j < s->k; j++) {
        floor[j] = 0;
        for (int64_t i = 0; i < rows; i++)
            floor[j] += tsr__value_at(theta, s->type, i * s->k + j);
        floor[j] *= 1e-8 / (double)rows;
    }
}

static void mark_all(bench *b, unsigned char *basis, unsigned char *codes)
{
    tsr__solver *s = &b->s;
    marking m = {.s = s, .low = codes};
    find_floor(s, m.floor, s->state.codes, s->n);
    check_ok(tsr__visit_blocks(&s->problem->by_sample, 1, mark_codes, &m));
    tsr__solver_collect(s);
    const tsr__halves halves = bench_theta(b);
    const void *theta = tsr__theta(s);
    const int64_t rows = tsr__theta_rows(s);
    find_floor(s, m.floor, theta, rows);
    mark_low(s, basis, theta, &halves, rows, m.floor);
}

/* Entries that stay marked over the last iterations, from a start with many zeros. */
static int64_t held_entries(const tsr_data *data, const tsr_fit_options *o)
{
    enum { MOST = 4096, BEFORE = 400, LAST = 10 };
    static unsigned char basis[MOST], codes[MOST], still[2][MOST];
    bench b;
    int64_t held = 0;
    bench_open(&b, data, o);
    tsr__solver *s = &b.s;
    void *theta = tsr__theta(s);
    const int64_t rows = tsr__theta_rows(s);
    assert_true(rows * s->k <= MOST && s->n * s->k <= MOST);
    for (int64_t i = 0; i < rows * s->k; i++) /* every third, but no column altogether */
        tsr__real_set(s, theta, i, (i * 7 + i / s->k) % 3 == 0 ? 0 : 1);
    for (int64_t i = 0; i < s->n * s->k; i++)
        tsr__real_set(s, s->state.codes, i, (i * 5 + i / s->k) % 3 == 0 ? 0 : 1);
    tsr__solver_start(s);
    memset(still, 1, sizeof still);
    for (int64_t t = 0; t < BEFORE + LAST; t++) {
        tsr__solver_step(s);
        if (t < BEFORE)
            continue;
        mark_all(&b, basis, codes);
        for (int64_t i = 0; i < MOST; i++) {
            still[0][i] = still[0][i] && i < rows * s->k && basis[i];
            still[1][i] = still[1][i] && i < s->n * s->k && codes[i];
        }
    }
    for (int64_t i = 0; i < MOST; i++)
        held += still[0][i] + still[1][i];
    bench_close(&b);
    return held;
}

static const char *const odd_rows[] = {
    "model=unmf loss=kl",
    "model=cf loss=kl",
    "model=cf decorrelate=0.1",
    "model=gnmf basis-norm=l1",
    "model=nmf must=0.5 cannot=0.5",
    "model=cf kernel=rbf",
    "model=nmf alpha-basis=0.01 alpha-codes=0.01 l1-ratio=0.5",
};

static void nothing_is_held(void **state)
{
    int64_t under_mu = 0;
    (void)state;
    for (int form = 0; form < 4; form++) { /* sparse, and with missing values */
        lab l = lab_make(30, 12, 3, 0, 21);
        for (int64_t e = 0; form / 2 == 1 && e < 40; e++)
            l.x[(e * 19 + 4) % (30 * 12)] = (double)NAN;
        tsr_data *data = lab_data(&l, form % 2);
        int64_t count = 0;
        for (const tsr__model_row *row = tsr__models; row->name != NULL; row++)
            count++;
        for (int64_t i = 0; i < count + (int64_t)(sizeof odd_rows / sizeof *odd_rows); i++) {
            lab_options o;
            char line[128];
            (void)snprintf(line, sizeof line, i < count ? "model=%s" : "%s",
                           i < count ? tsr__models[i].name : odd_rows[i - count]);
            lab_options_of(&o, 1, "rank=6 neighbours=4 missing=mask %s", line);
            tsr__spec spec;
            check_ok(tsr__spec_make(&spec, &o.o));
            if (form / 2 == 1 &&
                (spec.basis == TSR_BASIS_CONCEPT || spec.codes == TSR_CODES_TIED))
                continue;
            const int64_t held = held_entries(data, &o.o);
            if (held > 0)
                fail_msg("form %d, '%s': %d entries are held at zero", form, line, (int)held);
            lab_options_of(&o, 1, "rank=6 neighbours=4 missing=mask solver=mu %s", line);
            under_mu += held_entries(data, &o.o);
        }
        tsr_data_free(data);
        lab_free(&l);
    }
    assert_true(under_mu > 0); /* else the law says nothing */
}

/* Where the papers' rules ended ----------------------------------------------------------- */

static void default_goes_on_from_mu(void **state)
{
    (void)state;
    for (int form = 0; form < 4; form++) {
        lab l = lab_make(30, 12, 3, 0, 5);
        for (int64_t e = 0; form / 2 == 1 && e < 60; e++)
            l.x[(e * 19 + 4) % (30 * 12)] = (double)NAN;
        tsr_data *data = lab_data(&l, form % 2);
        for (const tsr__model_row *row = tsr__models; row->name != NULL; row++) {
            lab_options o;
            if (form / 2 == 1 &&
                (row->basis == TSR_BASIS_CONCEPT || row->codes == TSR_CODES_TIED))
                continue;
            lab_options_of(
                &o, thorough ? 1000 : 100,
                "rank=6 neighbours=4 missing=mask model=%s solver=mu basis-norm=none",
                row->name);
            tsr_model *mu = lab_fit(data, &o.o);
            check_ok(tsr_model_write(mu, model_file));
            lab_options_of(&o, 100,
                           "rank=6 neighbours=4 missing=mask model=%s basis-norm=none "
                           "weight-unit=one init=%s",
                           row->name, model_file);
            tsr_model *on = lab_fit(data, &o.o);
            if (!(on->report.objective <= mu->report.objective * (1 + 1e-9)))
                fail_msg("form %d, %s: %.12g after %.12g", form, row->name,
                         on->report.objective, mu->report.objective);
            tsr_model_free(mu);
            tsr_model_free(on);
        }
        tsr_data_free(data);
        lab_free(&l);
    }
}

/* Exact data with holes ------------------------------------------------------------------- */

enum { N = 60, M = 40, K = 3 };

/* Rank three, three in ten of the factors' entries zero; `gone` in a hundred entries missing. */
static void make_exact(double *whole, double *holed, int gone, uint64_t seed)
{
    tsr__random random = tsr__random_seed(seed, 9);
    double f[M * K], g[N * K];
    for (int64_t i = 0; i < M * K; i++)
        f[i] = fmax(tsr__random_uniform(&random) * 1.4 - 0.4, 0);
    for (int64_t i = 0; i < N * K; i++)
        g[i] = fmax(tsr__random_uniform(&random) * 1.4 - 0.4, 0);
    for (int64_t i = 0; i < N * M; i++) {
        whole[i] = 0;
        for (int64_t a = 0; a < K; a++)
            whole[i] += f[i % M * K + a] * g[i / M * K + a];
        holed[i] = tsr__random_uniform(&random) * 100 < gone ? (double)NAN : whole[i];
    }
}

/* The best objective over the seeds, and the error of that model on all entries. */
static double best_of(const tsr_data *data, const double *whole, int64_t steps,
                      const char *line, double *error)
{
    double best = (double)INFINITY;
    for (int seed = 0; seed < (thorough ? 10 : 2); seed++) {
        lab_options o;
        lab_options_of(&o, steps, "rank=%d missing=mask seed=%d %s", K, seed, line);
        tsr_model *model = lab_fit(data, &o.o);
        if (model->report.objective < best) {
            double off = 0, all = 0;
            best = model->report.objective;
            for (int64_t i = 0; i < N * M; i++) {
                double y = 0;
                for (int64_t a = 0; a < K; a++)
                    y += tsr_matrix_at(model->codes, i / M, a) *
                         tsr_matrix_at(model->basis, a, i % M);
                off += (y - whole[i]) * (y - whole[i]);
                all += whole[i] * whole[i];
            }
            *error = sqrt(off / all);
        }
        tsr_model_free(model);
    }
    return best;
}

static void exact_data_are_recovered(void **state)
{
    static const int gone[] = {2, 20, 50, 80};
    static const char *const losses[] = {"frobenius", "kl"};
    static double whole[N * M], holed[N * M];
    const int64_t steps = thorough ? 5000 : 500;
    (void)state;
    for (int c = 0; c < 8; c++) {
        const int share = gone[c / 2];
        lab l = {N, M, 0, holed, NULL};
        char line[64];
        double size = 0, error[3];
        make_exact(whole, holed, share, (uint64_t)share);
        for (int64_t i = 0; i < N * M; i++)
            size += isnan(holed[i]) ? 0 : c % 2 == 0 ? holed[i] * holed[i] : holed[i];
        tsr_data *dense = lab_data(&l, false), *sparse = lab_data(&l, true);
        (void)snprintf(line, sizeof line, "loss=%s", losses[c % 2]);
        const double best[] = {best_of(dense, whole, steps / 5, line, &error[0]),
                               best_of(sparse, whole, steps / 5, line, &error[1])};
        (void)snprintf(line, sizeof line, "loss=%s solver=mu", losses[c % 2]);
        const double mu = best_of(dense, whole, steps, line, &error[2]);
        for (int form = 0; form < 2; form++) {
            if (!(best[form] <= mu + 1e-13 * size)) /* from here on rounding decides */
                fail_msg("%d %% missing, %s, form %d: best %g, under mu %g", share, line, form,
                         best[form], mu);
            if (thorough && !(error[form] <= 1e-6))
                fail_msg("%d %% missing, %s, form %d: error %g (%g)", share, line, form,
                         error[form], error[2]);
        }
        tsr_data_free(dense);
        tsr_data_free(sparse);
    }
}

int main(void)
{
#ifndef __SANITIZE_ADDRESS__
    thorough = getenv("TESSERA_KERNELS") == NULL;
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_held),
        cmocka_unit_test(default_goes_on_from_mu),
        cmocka_unit_test(exact_data_are_recovered),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
