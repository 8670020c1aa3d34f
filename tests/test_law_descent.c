/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Laws of descent: by default J never rises, whatever the weights; under `mu` it may rise for
 * the rows that the table below names, and for no other. */
#include "lab.h"

#include "base/text.h"

enum { ITERATIONS = 300 };

/* How often J rises, beyond rounding. */
static int64_t rises(const tsr_model *model, double rounding)
{
    const double *objective = tsr_model_objective(model);
    int64_t count = 0;
    for (int64_t i = 1; i < tsr_model_report(model).iterations; i++) {
        assert_true(isfinite(objective[i]));
        count += objective[i] > objective[i - 1] + rounding * fabs(objective[i - 1]);
    }
    return count;
}

static int64_t rises_of(double lowest, bool sparse, const char *line)
{
    lab l = lab_make(30, 12, 3, lowest, 21);
    for (int64_t e = 0; strstr(line, "missing") != NULL && e < 25; e++)
        l.x[(e * 19 + 4) % (30 * 12)] = (double)NAN;
    const bool positive = strstr(line, "loss=is") != NULL;
    for (int64_t e = 0; positive && e < 30 * 12; e++)
        l.x[e] += 0.1;
    tsr_data *data = lab_data(&l, sparse && !positive);
    data->x->image = (tsr_image_shape){.height = 3, .width = 4};
    lab_options options;
    lab_options_of(&options, ITERATIONS, "rank=6 neighbours=4 %s", line);
    tsr_model *model = lab_fit(data, &options.o);
    const int64_t count = rises(model, options.o.precision == 1 ? 1e-5 : 1e-10);
    tsr_model_free(model);
    tsr_data_free(data);
    lab_free(&l);
    return count;
}

/* The row with its own weights times `by`. */
static void weigh(char *line, size_t size, const tsr__model_row *row, tsr__unit unit, double by)
{
    tsr__line out = {line, 0, size};
    tsr__line_add(&out, "model=%s", row->name);
    for (tsr__weight_name w = 0; w < TSR_WEIGHTS; w++)
        if (w != TSR_WEIGHT_LABEL_EDGE)
            tsr__line_add(&out, " %s=%g", tsr__weight_names[w], by * row->weights[unit].of[w]);
}

static void default_never_rises(void **state)
{
    static const double factors[] = {0.01, 1, 1000};
    static const struct {
        const char *line;
        bool sparse;
    } ways[] = {{"", false}, {"solver=cd", false},   {"precision=single", false},
                {"", true},  {"plan=stream", false}, {"plan=stream precision=single", true}};
    (void)state;
    for (const tsr__model_row *row = tsr__models; row->name != NULL; row++)
        for (size_t run = 0; run < 3 * (sizeof ways / sizeof *ways); run++) {
            char line[512], full[640];
            weigh(line, sizeof line, row, TSR_UNIT_DATA, factors[run % 3]);
            (void)snprintf(full, sizeof full, "%s %s", line, ways[run / 3].line);
            const int64_t count = rises_of(0, ways[run / 3].sparse, full);
            if (count > 0)
                fail_msg("'%s' rises %d times", full, (int)count);
        }
}

/* Rows whose published rule has no proof of descent and rises in fact, and in how many of 299
 * steps at most: the link rows by parts in a hundred thousand (F is scaled and G is not), the
 * de-correlated rows without limit (a quartic, moved by a rule for quadratics: under harsh
 * weights every other step), gnmf-kl's linear systems towards a point that is not stationary (mathematics.md,
 * section 9). Measured over 20 starts: 222, 128, 77, 148 and 149. */
static const struct {
    const char *name;
    int64_t most;
} rising[] = {{"gnmf-kl", 240}, {"snmf", 150}, {"dsnmf", 150}, {"unmf", 150}, {"ugnmf", 150}};

static int64_t most_rises(const char *name)
{
    for (size_t i = 0; i < sizeof rising / sizeof *rising; i++)
        if (strcmp(rising[i].name, name) == 0)
            return rising[i].most;
    return 0;
}

static void papers_rules(void **state)
{
    static const double factors[] = {0.01, 1, 1000};
    int64_t seen = 0;
    (void)state;
    for (const tsr__model_row *row = tsr__models; row->name != NULL; row++)
        for (int run = 0; run < 9; run++) {
            char line[512], full[640];
            weigh(line, sizeof line, row, TSR_UNIT_ONE, factors[run % 3]);
            (void)snprintf(full, sizeof full, "%s solver=mu seed=%d", line, run / 3);
            const int64_t count = rises_of(0, false, full);
            seen += count;
            if (count > most_rises(row->name))
                fail_msg("'%s' rises %d times", full, (int)count);
        }
    assert_true(seen > 0); /* else the table above says too much */
}

static void combinations_never_rise(void **state)
{
    static const struct {
        double lowest;
        const char *line;
    } cases[] = {
        {0, "model=nmf loss=kl class=2 graph=3 decorrelate=0.5"},
        {0, "model=nmf loss=kl class=20 graph=30 decorrelate=50"},
        {0, "model=nmf class=20 graph=300 decorrelate=50 must=5 cannot=5"},
        {0, "model=nmf-kl class=20 graph=300 must=5 cannot=5"},
        {0, "model=gnmf-kl graph-form=divergence"},
        {0, "model=gnmf-kl graph-form=divergence graph=0.01"},
        {0, "model=gnmf-kl graph-form=divergence graph=1e4"},
        {0, "model=gnmf-kl graph-form=divergence init=nndsvd"},
        {0, "model=gnmf-kl graph-form=divergence graph=1 basis-norm=none"},
        {0, "model=gnmf-kl graph-form=divergence graph=1 basis-norm=l2 weighting=ncw-loss"},
        {0, "model=gnmf-kl graph-form=divergence graph=1 missing=mask"},
        {0,
         "model=nmf-kl graph-form=divergence class=20 graph=30 must=5 cannot=5 decorrelate=1"},
        {0, "model=cnmf-kl graph-form=divergence graph=100 class=1"},
        {0, "model=cf loss=kl graph-form=divergence class=10 graph=100"},
        {0, "model=snmf must=500 cannot=0"},
        {0, "model=dsnmf must=500 cannot=0"},
        {0, "model=dsnmf must=0 cannot=500"},
        {0, "model=unmf loss=kl"},
        {0, "model=unmf loss=kl decorrelate=1000"},
        {0, "model=cf loss=kl"},
        {0, "model=cf loss=kl class=10 graph=100"},
        {0, "model=cf decorrelate=0.1"},
        {0, "model=cf decorrelate=10 class=10"},
        {0, "model=cf decorrelate=10 class=10 graph=100"},
        {0, "model=cf must=1 cannot=10"},
        {0, "model=cnmf graph=100 class=1"},
        {0, "model=cnmf must=10 cannot=10"},
        {0, "model=cnmf-kl graph=100 class=1 must=1 cannot=10"},
        {0, "model=ccf graph=100 class=1"},
        {0, "model=nmf alpha-codes=1 alpha-basis=0.5 l1-ratio=0.3"},
        {0, "model=nmf-kl alpha-codes=1 alpha-basis=0.5 l1-ratio=0.3"},
        {0, "model=nmf alpha-codes=1 l1-ratio=0.5"},
        {0, "model=nmf-kl alpha-codes=1 l1-ratio=0.5"},
        {0, "model=nmf alpha-basis=1 l1-ratio=0.5"},
        {0, "model=gnmf alpha-basis=1 l1-ratio=0.5"},
        {0, "model=unmf alpha-basis=0.1 l1-ratio=0.5"},
        {0, "model=ugnmf alpha-basis=0.1 l1-ratio=0.5"},
        {0, "model=cf alpha-codes=1 alpha-basis=0.5 l1-ratio=0.3"},
        {0, "model=nmf basis-norm=l2"},
        {0, "model=nmf basis-norm=l1"},
        {0, "model=nmf-kl basis-norm=l2"},
        {0, "model=gnmf basis-norm=l1"},
        {0, "model=gnmf-kl basis-norm=l2"},
        {0, "model=gnmf basis-norm=none"},
        {0, "model=gnmf-kl basis-norm=none"},
        {0, "model=unmf basis-norm=l2"},
        {0, "model=cdcf basis-norm=none"},
        {0, "model=cf kernel=rbf"},
        {0, "model=lccf kernel=rbf"},
        {0, "model=cdcf kernel=polynomial"},
        {0, "model=ccf kernel=cosine graph=10"},
        {0, "model=gnmf missing=mask"},
        {0, "model=gnmf graph=1e5 missing=mask"},
        {0, "model=cdnmf class=100 missing=mask"},
        {0, "model=gnmf-kl graph=1e5 missing=mask"},
        {0, "model=snmf must=5 cannot=5 missing=mask"},
        {-0.8, "model=cf"},
        {-0.8, "model=cdcf"},
        {-0.8, "model=cdcf class=1000"},
        {-0.8, "model=lccf graph=1"},
        {-0.8, "model=lccf"},
        {-0.8, "model=lccf graph=1e5"},
        {-0.8, "model=ccf"},
        {-0.8, "model=cf must=1 cannot=1"},
        {-0.8, "model=cf kernel=cosine"},
        {-0.8, "model=cf kernel=polynomial kernel-degree=3"},
        {-0.8, "model=cf decorrelate=0.1"},
        {-0.8, "model=cdcf decorrelate=10 graph=100"},
        {0, "model=nmf smooth=0.1"},
        {0, "model=nmf smooth=100"},
        {0, "model=nmf-kl smooth=1"},
        {0, "model=gnmf smooth=1 decorrelate=0.1"},
        {0, "model=cdnmf smooth=1 basis-norm=none"},
        {0, "model=cnmf-kl smooth=10 graph=1"},
        {0, "model=cf smooth=1"},
        {0, "model=nmf smooth=1 missing=mask"},
        {0, "model=nmf loss=is"},
        {0, "model=nmf loss=is basis-norm=none"},
        {0, "model=nmf loss=is precision=double missing=mask"},
        {0, "model=gnmf loss=is graph=10"},
        {0, "model=cdnmf loss=is class=10 decorrelate=1 smooth=1"},
        {0, "model=snmf loss=is must=5 cannot=5"},
        {0, "model=cnmf loss=is"},
        {0, "model=cf loss=is"},
        {0, "model=nmf loss=is alpha-codes=0.1 alpha-basis=0.1 l1-ratio=0.5"},
        {0, "model=cdnmf-kl decorrelate=1e4"},
        {0, "model=cdcf decorrelate=1 kernel=rbf must=100"},
        {0, "model=cnmf basis-norm=none class=1e4 graph=1e4 decorrelate=1e4"},
    };
    (void)state;
    for (size_t i = 0; i < 2 * (sizeof cases / sizeof *cases); i++) {
        char line[256];
        (void)snprintf(line, sizeof line, "%s plan=%s", cases[i / 2].line,
                       i % 2 == 0 ? "auto" : "stream");
        const int64_t count = rises_of(cases[i / 2].lowest, false, line);
        if (count > 0)
            fail_msg("'%s' (lowest %g) rises %d times", line, cases[i / 2].lowest, (int)count);
    }
}

/* Draws of everything that can be combined. A norm asked for by hand is left out: together with
 * a penalty on the basis it promises nothing. */
static void drawn_combinations_never_rise(void **state)
{
    static const char *const losses[] = {"frobenius", "kl", "is"},
                             *const bases[] = {"free", "concept"},
                             *const codes[] = {"free", "tied"},
                             *const kernels[] = {"linear", "rbf", "polynomial", "cosine"};
    static const double weights[] = {0, 0, 0.01, 1, 100, 1e4};
    static const char *const forms[] = {"auto", "divergence"};
    tsr__random random = tsr__random_seed(4, 4);
    (void)state;
    for (int draw = 0; draw < 300; draw++) {
        double w[8];
        for (size_t i = 0; i < 8; i++)
            w[i] = weights[tsr__random_below(&random, 6)];
        const int64_t loss = tsr__random_below(&random, 3);
        const bool inner = loss == 0;
        const bool concept = tsr__random_below(&random, 2) == 1;
        const int64_t kernel = concept && inner ? tsr__random_below(&random, 4) : 0;
        const bool negative = concept && inner && tsr__random_below(&random, 3) == 0;
        const bool tied = tsr__random_below(&random, 2) == 1;
        const bool gaps = !concept && !tied && tsr__random_below(&random, 4) == 0;
        const bool net = kernel == 0 && !negative && tsr__random_below(&random, 4) == 0;
        char line[640];
        (void)snprintf(
            line, sizeof line,
            "model=nmf loss=%s basis=%s codes=%s kernel=%s class=%g graph=%g "
            "decorrelate=%g must=%g cannot=%g alpha-codes=%g alpha-basis=%g "
            "smooth=%g l1-ratio=%g iterations=60 plan=%s graph-form=%s%s",
            losses[loss], bases[concept], codes[tied], kernels[kernel], w[0], w[1], w[2], w[3],
            w[4], net ? w[5] : 0, net ? w[6] : 0, kernel == 0 && !negative ? w[7] : 0,
            0.25 * (double)tsr__random_below(&random, 5), draw / 2 % 2 == 0 ? "auto" : "stream",
            forms[loss == 1 && draw / 4 % 2 == 0], gaps ? " missing=mask" : "");
        const int64_t count = rises_of(negative ? -0.8 : 0, draw % 2 == 1, line);
        if (count > 0)
            fail_msg("'%s' rises %d times", line, (int)count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(default_never_rises),
        cmocka_unit_test(papers_rules),
        cmocka_unit_test(combinations_never_rise),
        cmocka_unit_test(drawn_combinations_never_rise),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
