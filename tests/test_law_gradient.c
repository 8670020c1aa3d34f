/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Laws of the gradient: its halves are non-negative, and their difference is the central
 * difference of J to 1e-6, for both factors of every row and of unnamed combinations. */
#include "lab.h"

static double objective_at(bench *b, void *theta, int64_t at, double value)
{
    const double kept = tsr__real_get(&b->s, theta, at);
    tsr__real_set(&b->s, theta, at, value);
    tsr__solver_start(&b->s);
    const double objective = tsr__solver_objective(&b->s);
    tsr__real_set(&b->s, theta, at, kept);
    return objective;
}

/* Half `part` at `at`, which may be below zero only where a kernel of either sign makes the
 * pull one signed number. */
static double half(const bench *b, const void *part, int64_t at, bool pull, const char *line)
{
    const double value = part != NULL ? tsr__real_get(&b->s, part, at) : 0;
    if (!(value >= 0) && !(pull && b->s.plan->map->split))
        fail_msg("'%s': a half is %g", line, value);
    return value;
}

/* Compares entry `at` of theta with entry `local` of its halves, which are read before J is
 * taken elsewhere: that spoils them. */
static void check_entry(bench *b, void *theta, int64_t at, const tsr__halves *h, int64_t local,
                        double scale, const char *line)
{
    const double gradient =
        half(b, h->flat, local, false, line) + half(b, h->curved, local, false, line) +
        half(b, h->quartic, local, false, line) + half(b, h->entropy, local, false, line) -
        half(b, h->minus, local, true, line) - half(b, h->anti, local, false, line) -
        half(b, h->contrast, local, false, line);
    const double now = tsr__real_get(&b->s, theta, at),
                 step = 2e-5 * (h->entropy != NULL ? now : fmax(now, 0.1));
    const double slope =
        (objective_at(b, theta, at, now + step) - objective_at(b, theta, at, now - step)) /
        (2 * step);
    if (!(fabs(slope - gradient) <= 1e-6 * scale))
        fail_msg("'%s', %s[%d]: gradient %.9g, difference %.9g (scale %.3g)", line,
                 theta == b->s.state.codes ? "codes" : "basis", (int)at, gradient, slope,
                 scale);
}

/* The largest sum of halves: what rounding is measured against. */
static double size_of(const tsr__solver *s, const tsr__halves *h, int64_t count)
{
    const void *const parts[] = {h->minus, h->flat,    h->curved,  h->quartic,
                                 h->anti,  h->entropy, h->contrast};
    double most = 0;
    for (int64_t i = 0; i < count; i++) {
        double sum = 0;
        for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)
            sum += parts[p] != NULL ? fabs(tsr__real_get(s, parts[p], i)) : 0;
        most = fmax(most, sum);
    }
    return most;
}

static void check_codes(bench *b, const char *line)
{
    tsr__solver *s = &b->s;
    for (int64_t at = 0; at < s->n * s->k; at++) {
        tsr__block block;
        tsr__solver_start(s);
        check_ok(s->problem->by_sample.get(&block, &s->problem->by_sample,
                                           at / s->k / s->problem->by_sample.block_samples, 0));
        tsr__codes_halves(s, &block, &s->work.lane[0]);
        check_entry(b, s->state.codes, at, &s->work.lane[0].halves, at - block.first * s->k,
                    size_of(s, &s->work.lane[0].halves, block.samples * s->k), line);
    }
}

static void check_basis(bench *b, const char *line)
{
    tsr__solver *s = &b->s;
    void *theta = tsr__theta(s);
    const int64_t rows = tsr__theta_rows(s);
    for (int64_t at = 0; at < rows * s->k; at++) {
        tsr__solver_start(s);
        const tsr__halves h = bench_theta(b);
        check_entry(b, theta, at, &h, at, size_of(s, &h, rows * s->k), line);
    }
}

static void check_line(double lowest, const tsr_matrix *weights, const char *line)
{
    lab l = lab_make(12, 7, 3, lowest, 3);
    for (int64_t e = 0; strstr(line, "missing") != NULL && e < 9; e++)
        l.x[(e * 19 + 4) % (12 * 7)] = (double)NAN;
    const bool dense = strstr(line, "loss=is") != NULL; /* it has no zeros */
    for (int64_t e = 0; dense && e < 12 * 7; e++)
        l.x[e] += 0.1;
    for (int sparse = 0; sparse < (dense ? 1 : 2); sparse++) {
        tsr_data *data = lab_data(&l, sparse == 1);
        if (strstr(line, "smooth") != NULL)
            data->x->image = (tsr_image_shape){.height = 7, .width = 1};
        lab_options options;
        bench b;
        lab_options_of(&options, 1, "solver=mu rank=3 neighbours=3 %s", line);
        options.o.sample_weights = weights;
        bench_open(&b, data, &options.o);
        check_codes(&b, line);
        check_basis(&b, line);
        bench_close(&b);
        tsr_data_free(data);
    }
    lab_free(&l);
}

static void every_row(void **state)
{
    (void)state;
    tsr_model_info info;
    char line[128];
    for (int64_t i = 0; tsr_models_get(&info, i); i++) {
        (void)snprintf(line, sizeof line, "model=%s", info.name);
        check_line(0, NULL, line);
    }
}

static void combinations(void **state)
{
    static const char *const lines[] = {
        "model=nmf loss=kl class=2 graph=3 decorrelate=0.5 must=0.2 cannot=0.3",
        "model=nmf class=2 graph=3 decorrelate=0.5 link-form=reward must=0.2 cannot=0.3",
        "model=cf loss=kl class=1 graph=2 decorrelate=0.01",
        "model=cf decorrelate=0.02 class=1 must=0.1 cannot=0.1",
        "model=cnmf graph=2 class=1 must=0.1 cannot=0.2",
        "model=cnmf-kl graph=2 class=1 must=0.1 cannot=0.2 link-form=reward",
        "model=gnmf-kl graph-form=distance",
        "model=cnmf-kl graph=2 class=1 must=0.1 cannot=0.2 graph-form=divergence",
        "model=cf loss=kl class=1 graph=2 decorrelate=0.01 graph-form=divergence",
        "model=cdnmf-kl graph=2 graph-form=divergence missing=mask weighting=ncw-loss",
        "model=ccf decorrelate=0.02 graph=1",
        "model=nmf alpha-codes=0.1 alpha-basis=0.2 l1-ratio=0.3",
        "model=nmf-kl alpha-codes=0.1 alpha-basis=0.2 l1-ratio=0.3",
        "model=cf alpha-codes=0.1 alpha-basis=0.2 l1-ratio=0.3",
        "model=cf kernel=rbf decorrelate=0.1 graph=1",
        "model=ccf kernel=polynomial",
        "model=lccf kernel=cosine",
        "model=gnmf missing=mask",
        "model=cdnmf-kl missing=mask",
        "model=nmf smooth=0.5",
        "model=nmf-kl smooth=0.5",
        "model=cnmf smooth=2 graph=1",
        "model=cf smooth=0.5",
        "model=gnmf smooth=0.5 class=1 decorrelate=0.1 missing=mask",
    };
    static const char *const positive[] = {
        "model=nmf loss=is",
        "model=nmf loss=is missing=mask",
        "model=cf loss=is",
        "model=cnmf loss=is",
        "model=nmf loss=is class=2 graph=3 decorrelate=0.5 must=0.2 cannot=0.3 smooth=0.5",
        "model=nmf loss=is alpha-codes=0.1 alpha-basis=0.2 l1-ratio=0.3",
    };
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        check_line(0, NULL, lines[i]);
    for (size_t i = 0; i < sizeof positive / sizeof *positive; i++)
        check_line(0, NULL, positive[i]);
}

static void either_sign(void **state)
{
    static const char *const lines[] = {"model=cf",
                                        "model=cdcf",
                                        "model=lccf",
                                        "model=ccf",
                                        "model=cf kernel=cosine must=0.1 cannot=0.1",
                                        "model=cf alpha-codes=0.1 l1-ratio=0.5",
                                        "model=cf decorrelate=0.01"};
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        check_line(-0.8, NULL, lines[i]);
}

static void weighted_samples(void **state)
{
    static const char *const lines[] = {"model=nmf", "model=cdnmf-kl", "model=gnmf",
                                        "model=cf",  "model=ccf",      "model=cnmf-kl"};
    tsr_matrix *weights = NULL;
    (void)state;
    check_ok(tsr_matrix_create(&weights, 12, 1, TSR_FLOAT64));
    for (int64_t i = 0; i < 12; i++)
        ((double *)tsr_matrix_edit(weights))[i] = 0.25 + (double)(i % 5);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        check_line(0, weights, lines[i]);
    check_line(-0.8, weights, "model=cf");
    tsr_matrix_free(weights);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row),
        cmocka_unit_test(combinations),
        cmocka_unit_test(either_sign),
        cmocka_unit_test(weighted_samples),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
