/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Laws of units: data in another unit are the same data. Fitting s X gives the basis of X and s
 * times its codes, bit for bit where s is a power of four, for every row and any combination. */
#include "lab.h"

enum { N = 30, M = 14, ITERATIONS = 25 };

/* What becomes of basis, codes and weights of a concept basis when the samples grow by s. */
typedef struct growth {
    double basis, codes, weights;
} growth;

static growth growth_of(const tsr_fit_options *o, double s)
{
    tsr__spec spec;
    check_ok(tsr__spec_make(&spec, o));
    const bool same = o->normalize != 0 || spec.ncw; /* the solver sees the same samples */
    const bool concept = spec.basis == TSR_BASIS_CONCEPT;
    return (growth){1, same ? 1 : s, same || !concept ? 1 : 1 / s};
}

static void grow(tsr_matrix *x, double by)
{
    for (int64_t i = 0; x != NULL && i < x->samples * x->features; i++)
        tsr__value_set(x->values, x->type, i, by * tsr__value_at(x->values, x->type, i));
}

static tsr_model *fit_scaled(const char *line, double s, bool sparse, int64_t iterations,
                             growth *g)
{
    lab l = lab_make(N, M, 3, strstr(line, "signed") != NULL ? -0.8 : 0, 21);
    lab_options o;
    for (int64_t i = 0; i < N * M; i++)
        l.x[i] *= s;
    for (int64_t e = 0; strstr(line, "missing=mask") != NULL && e < 60; e++)
        l.x[(e * 19 + 4) % (N * M)] = (double)NAN;
    tsr_data *data = lab_data(&l, sparse);
    lab_options_of(&o, iterations, "rank=6 neighbours=4 %s",
                   strstr(line, "signed ") == line ? line + 7 : line);
    tsr_model *model = lab_fit(data, &o.o);
    *g = growth_of(&o.o, s);
    tsr_data_free(data);
    lab_free(&l);
    return model;
}

static void check_unit(const char *line, double s, bool sparse)
{
    const bool exact = s != 1.0 / 255;
    const int64_t iterations = exact ? ITERATIONS : 3;
    growth one, g;
    tsr_model *a = fit_scaled(line, 1, sparse, iterations, &one),
              *b = fit_scaled(line, s, sparse, iterations, &g);
    grow(a->basis, g.basis);
    grow(a->codes, g.codes);
    grow(a->weights, g.weights);
    const bool same = lab_same_bits(a->basis, b->basis) && lab_same_bits(a->codes, b->codes) &&
                      lab_same_bits(a->weights, b->weights);
    if (exact ? !same : !(lab_models_apart(a, b) <= 1e-8))
        fail_msg("'%s'%s at %g: %.2e apart", line, sparse ? ", sparse" : "", s,
                 lab_models_apart(a, b));
    tsr_model_free(a);
    tsr_model_free(b);
}

static const double scales[] = {0x1p-14, 0x1p-8, 0x1p8, 0x1p20, 1.0 / 255};
enum { SCALES = sizeof scales / sizeof *scales };

static void every_row(void **state)
{
    (void)state;
    for (const tsr__model_row *row = tsr__models; row->name != NULL; row++)
        for (int i = 0; i < 2 * SCALES; i++) {
            char line[64];
            (void)snprintf(line, sizeof line, "model=%s", row->name);
            check_unit(line, scales[i % SCALES], i >= SCALES);
        }
}

static void other_ways(void **state)
{
    static const char *const lines[] = {
        "model=nmf normalize=l2",
        "model=gnmf normalize=max graph-weight=heat",
        "model=gnmf graph-weight=cosine",
        "model=nmf missing=mask",
        "model=nmf-kl missing=mask",
        "model=cdnmf missing=mask",
        "model=cdnmf-kl missing=mask",
        "model=gnmf-kl missing=mask",
        "model=nmf init=kmeans",
        "model=nmf-kl init=kmeans",
        "model=cdnmf init=means",
        "model=cf init=kmeans",
        "model=nmf restarts=3",
        "model=nmf basis-norm=l1",
        "model=nmf basis-norm=none",
        "model=unmf loss=kl",
        "model=cf loss=kl class=1",
        "model=cf decorrelate=0.01",
        "model=snmf link-form=reward",
        "signed model=cf",
        "signed model=cdcf",
        "model=nmf precision=single",
        "model=nmf-kl precision=single",
        "model=gnmf precision=single",
        "model=cdnmf-kl precision=single",
    };
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        for (int s = 0; s < SCALES; s++)
            if (scales[s] != 1.0 / 255 || strstr(lines[i], "single") == NULL)
                check_unit(lines[i], scales[s], false);
}

/* Singular vectors come from a library that promises no bits. */
static void starts_by_singular_vectors(void **state)
{
    static const char *const starts[] = {"nndsvd", "nndsvda", "nndsvdar"};
    (void)state;
    for (int i = 0; i < 6; i++) {
        char line[64];
        growth one, g;
        (void)snprintf(line, sizeof line, "model=%s init=%s", i / 3 ? "nmf-kl" : "nmf",
                       starts[i % 3]);
        tsr_model *a = fit_scaled(line, 1, false, 5, &one),
                  *b = fit_scaled(line, 1000, false, 5, &g);
        grow(a->codes, g.codes);
        if (!(lab_models_apart(a, b) <= 1e-6))
            fail_msg("'%s': %.2e apart", line, lab_models_apart(a, b));
        tsr_model_free(a);
        tsr_model_free(b);
    }
}

static void drawn_combinations(void **state)
{
    static const char *const losses[] = {"frobenius", "kl"},
                             *const bases[] = {"free", "concept"},
                             *const codes[] = {"free", "tied"};
    static const double weights[] = {0, 0, 0.01, 1, 100};
    tsr__random random = tsr__random_seed(30, 30);
    (void)state;
    for (int i = 0; i < 30; i++) {
        char line[256];
        double w[5];
        for (int j = 0; j < 5; j++)
            w[j] = weights[tsr__random_below(&random, 5)];
        (void)snprintf(line, sizeof line,
                       "loss=%s basis=%s codes=%s class=%g graph=%g must=%g cannot=%g "
                       "decorrelate=%g",
                       losses[tsr__random_below(&random, 2)],
                       bases[tsr__random_below(&random, 2)],
                       codes[tsr__random_below(&random, 2)], w[0], w[1], w[2], w[3], w[4]);
        for (int s = 0; s < SCALES; s++)
            check_unit(line, scales[s], s % 2 == 1);
    }
}

/* The unit is the size of a sample, over known entries, whatever their weights. */
static void rho_is_the_size_of_a_sample(void **state)
{
    double x[] = {3, 4, 0, 5, (double)NAN, 12};
    lab l = {3, 2, 0, x, NULL};
    (void)state;
    for (int kl = 0; kl < 2; kl++) {
        tsr_data *data = lab_data(&l, false);
        lab_options o;
        lab_options_of(&o, 1, "rank=1 missing=mask loss=%s", kl ? "kl" : "frobenius");
        tsr_model *model = lab_fit(data, &o.o);
        assert_true(fabs(model->report.rho - (kl ? 8 : sqrt((25 + 25 + 144) / 3.0))) <= 1e-12);
        tsr_model_free(model);
        tsr_data_free(data);
    }
}

static bool noted(const char *line, const char *what)
{
    growth g;
    tsr_model *model = fit_scaled(line, 1, false, 3, &g);
    bool found = false;
    for (int64_t i = 0; i < tsr_model_notes(model); i++)
        found = found || strstr(tsr_model_note(model, i), what) != NULL;
    tsr_model_free(model);
    return found;
}

static void weights_far_off_are_noted(void **state)
{
    char line[64];
    (void)state;
    assert_true(noted("model=cdnmf class=1e-6", "class: at the start"));
    assert_true(noted("model=cdnmf class=1e-6", "too small to matter"));
    assert_true(noted("model=gnmf graph=1e9", "leaves the data no say"));
    for (const tsr__model_row *row = tsr__models; row->name != NULL; row++) {
        (void)snprintf(line, sizeof line, "model=%s", row->name);
        if (noted(line, "at the start"))
            fail_msg("%s has a word on its own weight", row->name);
    }
}

static void terms_add_up(void **state)
{
    growth g;
    (void)state;
    for (const tsr__model_row *row = tsr__models; row->name != NULL; row++) {
        char line[96];
        const char *name;
        double value, sum = 0;
        int64_t count = 0;
        (void)snprintf(line, sizeof line, "model=%s alpha-codes=0.001", row->name);
        tsr_model *model = fit_scaled(line, 7, false, 5, &g);
        for (; tsr_model_term(&name, &value, model, count); count++)
            sum += value;
        assert_true(count >= 2);
        assert_true(fabs(sum - model->report.objective) <= 1e-9 * fabs(sum));
        tsr_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row),
        cmocka_unit_test(other_ways),
        cmocka_unit_test(starts_by_singular_vectors),
        cmocka_unit_test(drawn_combinations),
        cmocka_unit_test(rho_is_the_size_of_a_sample),
        cmocka_unit_test(weights_far_off_are_noted),
        cmocka_unit_test(terms_add_up),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
