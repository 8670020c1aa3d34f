/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Laws that relate one fit to another: weight 0 is the parent model; tied codes with all labels
 * distinct are free; permuted samples permute the codes; scaled data scale the result; sparse
 * data are the same data; weighted samples are repeated samples; the scale of the start does
 * not matter where the scale belongs to the model. */
#include "lab.h"

#include "base/text.h"

enum { N = 18, M = 11, K = 6 };

static void weight_zero_is_the_parent(void **state)
{
    static const struct {
        const char *child, *parent;
    } pairs[] = {{"gnmf graph=0", "nmf"},
                 {"gnmf-kl graph=0", "nmf-kl"},
                 {"sgnmf graph=0", "nmf"},
                 {"sgnmf label-edge=0", "gnmf"},
                 {"cdnmf class=0", "nmf"},
                 {"cdnmf-kl class=0", "nmf-kl"},
                 {"cdcf class=0", "cf"},
                 {"lccf graph=0", "cf"},
                 {"unmf decorrelate=0", "nmf"},
                 {"ugnmf decorrelate=0", "gnmf"},
                 {"ugnmf graph=0 decorrelate=0.01", "unmf decorrelate=0.01"},
                 {"nmf-ncw weighting=none", "nmf"},
                 {"cnmf codes=free", "nmf"},
                 {"ccf codes=free", "cf"},
                 {"cf basis=free", "nmf"},
                 {"snmf must=0 cannot=0", "nmf"},
                 {"dsnmf must=0 cannot=0", "nmf-kl"}};
    static const char *const solvers[] = {"auto", "cd", "mu"};
    lab l = lab_make(N, M, 3, 0, 2);
    tsr_data *data = lab_data(&l, false);
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (int solver = 0; solver < 3; solver++) {
            if (solver == 2 && strstr(pairs[i].child, "snmf") != NULL)
                continue; /* the link rows have a rule of their own: test_oracle.c */
            lab_options child, parent;
            lab_options_of(&child, 30, "rank=%d solver=%s model=%s", (int)K, solvers[solver],
                           pairs[i].child);
            lab_options_of(&parent, 30, "rank=%d solver=%s model=%s", (int)K, solvers[solver],
                           pairs[i].parent);
            tsr_model *a = lab_fit(data, &child.o), *b = lab_fit(data, &parent.o);
            if (!lab_same_models(a, b))
                fail_msg("'%s' is not '%s' under %s: %.2e apart", pairs[i].child,
                         pairs[i].parent, solvers[solver], lab_models_apart(a, b));
            tsr_model_free(a);
            tsr_model_free(b);
        }
    tsr_data_free(data);
    lab_free(&l);
}

static void tied_and_all_distinct_is_free(void **state)
{
    static const char *const pairs[][2] = {{"cnmf", "nmf"},
                                           {"cnmf-kl", "nmf-kl"},
                                           {"ccf", "cf"},
                                           {"cnmf graph=3", "gnmf graph=3"}};
    lab l = lab_make(N, M, 3, 0, 2);
    (void)state;
    for (int64_t i = 0; i < N; i++)
        l.label[i] = (double)i;
    tsr_data *data = lab_data(&l, false);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (int mu = 0; mu < 2; mu++) {
            lab_options tied, plain;
            lab_options_of(&tied, 30, "rank=4 solver=%s model=%s", mu ? "mu" : "auto",
                           pairs[i][0]);
            lab_options_of(&plain, 30, "rank=4 solver=%s model=%s", mu ? "mu" : "auto",
                           pairs[i][1]);
            tsr_model *a = lab_fit(data, &tied.o), *b = lab_fit(data, &plain.o);
            if (!(lab_models_apart(a, b) <= 1e-10))
                fail_msg("'%s' is not '%s': %.2e apart", pairs[i][0], pairs[i][1],
                         lab_models_apart(a, b));
            assert_true(lab_apart(a->objective, b->objective, 30, 0) <= 1e-10);
            tsr_model_free(a);
            tsr_model_free(b);
        }
    tsr_data_free(data);
    lab_free(&l);
}

/* Starts of one code a sample; concept models have weights in the samples' order. */
typedef struct start {
    double f[M * K], w[N * K], g[N * K];
} start;

static void make_start(start *s)
{
    lab_uniform(s->f, M * K, 5);
    lab_uniform(s->w, N * K, 6);
    lab_uniform(s->g, N * K, 7);
}

static tsr_model *fit_from(const lab *l, const start *s, int64_t iterations, const char *line)
{
    tsr_data *data = lab_data(l, false);
    lab_options options;
    lab_options_of(&options, iterations, "rank=%d neighbours=3 %s", (int)K, line);
    options.o.init = start_file;
    lab_write_start(s->f, M, s->w, N, s->g, N, K);
    tsr_model *model = lab_fit(data, &options.o);
    tsr_data_free(data);
    return model;
}

static void permuting_samples_permutes_codes(void **state)
{
    tsr_model_info info;
    start a, b;
    lab l = lab_make(N, M, 3, 0, 2), moved = lab_make(N, M, 3, 0, 2);
    (void)state;
    make_start(&a);
    for (int64_t i = 0; i < N; i++) /* tied samples must agree on their start */
        for (int64_t j = 0; j < K; j++)
            a.g[i * K + j] =
                isnan(l.label[i]) ? a.g[i * K + j] : 1 + l.label[i] + 0.1 * (double)j;
    b = a;
    for (int64_t i = 0; i < N; i++) {
        const int64_t to = (i * 7 + 3) % N;
        moved.label[to] = l.label[i];
        memcpy(moved.x + to * M, l.x + i * M, M * sizeof *l.x);
        memcpy(b.w + to * K, a.w + i * K, K * sizeof *a.w);
        memcpy(b.g + to * K, a.g + i * K, K * sizeof *a.g);
    }
    for (int64_t row = 0; tsr_models_get(&info, row); row++) {
        char line[128];
        (void)snprintf(line, sizeof line, "solver=mu model=%s", info.name);
        tsr_model *p = fit_from(&l, &a, 25, line), *q = fit_from(&moved, &b, 25, line);
        double most = 0, apart = 0;
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = 0; j < K; j++) {
                const double g = tsr_matrix_at(p->codes, i, j);
                most = fmax(most, g);
                apart = fmax(apart, fabs(g - tsr_matrix_at(q->codes, (i * 7 + 3) % N, j)));
            }
        if (!(apart <= 1e-10 * most))
            fail_msg("%s: codes %.2e apart", info.name, apart / most);
        assert_true(lab_matrix_apart(p->basis, q->basis, 1) <= 1e-10);
        tsr_model_free(p);
        tsr_model_free(q);
    }
    lab_free(&l);
    lab_free(&moved);
}

/* X -> c X. A free basis stays and its codes grow with c, a concept basis grows with its
 * samples and its codes stay: J grows with c^2 (Frobenius) or c (KL) when the weights are
 *
 *                    free, Frobenius    free, KL    concept, Frobenius
 *     class                c                1               c^2
 *     graph, links         1               1/c              c^2
 *     de-correlation      c^2               c                -
 *
 * and ncw, which divides by the samples' size, does not see c at all. */
static void scaling_the_data(void **state)
{
    const double c = 4;
    start a, b;
    lab l = lab_make(N, M, 3, 0, 2), large = lab_make(N, M, 3, 0, 2);
    (void)state;
    make_start(&a);
    for (int64_t i = 0; i < N * M; i++)
        large.x[i] *= c;
    for (const tsr__model_row *row = tsr__models; row->name != NULL; row++) {
        const bool concept = row->basis == TSR_BASIS_CONCEPT;
        const double codes = concept || row->ncw ? 1 : c, basis = concept ? c : 1;
        const double lift = row->ncw ? 1 : pow(c, row->loss->degree);
        char line[512];
        b = a;
        for (int64_t i = 0; i < N * K; i++)
            b.g[i] *= codes;
        (void)snprintf(line, sizeof line, "solver=mu model=%s", row->name);
        tsr_model *p = fit_from(&l, &a, 25, line);
        tsr__line more = TSR_LINE(line);
        tsr__line_add(&more, "solver=mu model=%s", row->name);
        for (int t = 0; tsr__term_kinds[t] != NULL; t++)
            for (int i = 0; i < 2; i++) {
                const tsr__weight_name w = tsr__term_kinds[t]->weights[i];
                const bool other = w == TSR_WEIGHT_GRAPH && /* the form that `mu` has not */
                                   tsr__term_kinds[t]->logs != row->divergence;
                if (w != TSR_WEIGHTS && !other)
                    tsr__line_add(&more, " %s=%.17g", tsr__weight_names[w],
                                  row->weights[TSR_UNIT_ONE].of[w] * lift /
                                      pow(codes, tsr__term_kinds[t]->degree));
            }
        tsr_model *q = fit_from(&large, &b, 25, line);
        for (int64_t i = 0; i < N * K; i++)
            ((double *)p->codes->values)[i] *= codes;
        for (int64_t i = 0; i < M * K; i++)
            ((double *)p->basis->values)[i] *= basis;
        for (int64_t i = 0; i < 25; i++)
            p->objective[i] *= lift;
        if (!(lab_models_apart(p, q) <= 1e-10) ||
            !(lab_apart(q->objective, p->objective, 25, 0) <= 1e-10))
            fail_msg("%s: %.2e apart, J %.2e", row->name, lab_models_apart(p, q),
                     lab_apart(q->objective, p->objective, 25, 0));
        tsr_model_free(p);
        tsr_model_free(q);
    }
    lab_free(&l);
    lab_free(&large);
}

static void sparse_is_dense(void **state)
{
    static const char *const solvers[] = {"auto", "cd", "mu"};
    tsr_model_info info;
    lab l = lab_make(40, 23, 3, 0, 9);
    tsr_data *dense = lab_data(&l, false), *sparse = lab_data(&l, true);
    (void)state;
    assert_true(tsr_matrix_is_sparse(tsr_data_samples(sparse)));
    for (int64_t row = 0; tsr_models_get(&info, row); row++)
        for (int solver = 0; solver < 3; solver++) {
            lab_options options;
            lab_options_of(&options, 20, "rank=6 solver=%s model=%s", solvers[solver],
                           info.name);
            tsr_model *a = lab_fit(dense, &options.o), *b = lab_fit(sparse, &options.o);
            if (!(lab_models_apart(a, b) <= 1e-10) ||
                !(lab_apart(a->objective, b->objective, 20, 0) <= 1e-10))
                fail_msg("%s under %s: %.2e apart", info.name, solvers[solver],
                         lab_models_apart(a, b));
            tsr_model_free(a);
            tsr_model_free(b);
        }
    tsr_data_free(dense);
    tsr_data_free(sparse);
    lab_free(&l);
}

/* Missing entries marked by a file are those marked by NaN, whatever value stands there. */
static void mask_file_is_nan(void **state)
{
    static const char *const models[] = {"nmf",      "nmf-kl", "cdnmf",
                                         "cdnmf-kl", "gnmf",   "gnmf-kl"};
    lab gaps = lab_make(N, M, 3, 0, 2), whole = lab_make(N, M, 3, 0, 2);
    char text[2 * N * M + 1], *to = text;
    (void)state;
    for (int64_t i = 0; i < N * M; i++) {
        const bool gone = i % 17 == 4;
        gaps.x[i] = gone ? (double)NAN : gaps.x[i];
        whole.x[i] = gone ? 1000 + (double)i : whole.x[i];
        *to++ = gone ? '1' : '0';
        *to++ = i % M == M - 1 ? '\n' : ',';
    }
    *to = '\0';
    lab_write_text(text);
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        tsr_data *one = lab_data(&gaps, false), *two = lab_data(&whole, false);
        lab_options nan, file;
        lab_options_of(&nan, 20, "rank=6 model=%s missing=mask", models[i]);
        lab_options_of(&file, 20, "rank=6 model=%s mask=%s", models[i], side_file);
        tsr_model *p = lab_fit(one, &nan.o), *q = lab_fit(two, &file.o);
        if (!lab_same_models(p, q))
            fail_msg("%s: %.2e apart", models[i], lab_models_apart(p, q));
        tsr_model_free(p);
        tsr_model_free(q);
        tsr_data_free(one);
        tsr_data_free(two);
    }
    lab_free(&gaps);
    lab_free(&whole);
}

/* A graph of n samples with the one edge 8 - 9, as a file. */
static void write_edge(int64_t n)
{
    char text[2 * N * N + 1], *to = text;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            *to++ = (i == 8 && j == 9) || (i == 9 && j == 8) ? '1' : '0';
            *to++ = j + 1 < n ? ',' : '\n';
        }
    *to = '\0';
    lab_write_text(text);
}

/* Weight 2 is the sample twice. Weights are those of the loss: a penalty on the codes counts
 * once however heavy the sample, so the penalised rows are tried with copies of samples that
 * their penalty does not touch (no label, no edge). */
static void weights_are_repeats(void **state)
{
    static const char *const lines[] = {
        "model=nmf",      "model=nmf-kl",     "model=unmf",    "model=cdnmf",
        "model=cdnmf-kl", "model=gnmf",       "model=gnmf-kl", "model=cf",
        "model=cdcf",     "model=cf loss=kl", "model=lccf",    "model=cf kernel=polynomial"};
    enum { DISTINCT = 10 };
    lab l = lab_make(N, M, 3, 0, 2), few = lab_make(DISTINCT, M, 3, 0, 2);
    tsr_matrix *weights = NULL;
    start a, b;
    (void)state;
    make_start(&a);
    make_start(&b);
    check_ok(tsr_matrix_create(&weights, DISTINCT, 1, TSR_FLOAT64));
    for (int64_t i = 0; i < N; i++) { /* sample i is number i mod 10: eight of them twice */
        const int64_t of = i % DISTINCT;
        memcpy(l.x + i * M, few.x + of * M, M * sizeof *l.x);
        memcpy(a.g + i * K, b.g + of * K, K * sizeof *a.g);
        l.label[i] = few.label[of] = of < 8 ? (double)NAN : (double)of;
        ((double *)tsr_matrix_edit(weights))[of] += 1;
    }
    for (int64_t i = 0; i < N * K; i++) /* two copies share what one would weigh */
        a.w[i] = b.w[i % (DISTINCT * K)] / tsr_matrix_at(weights, i / K % DISTINCT, 0);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        lab_options options;
        tsr_data *data = lab_data(&few, false);
        char line[1400];
        (void)snprintf(line, sizeof line, "solver=mu %s graph-file=%s", lines[i], side_file);
        write_edge(N);
        tsr_model *many = fit_from(&l, &a, 25, line);
        write_edge(DISTINCT);
        lab_options_of(&options, 25, "rank=%d %s", (int)K, line);
        options.o.init = start_file;
        options.o.sample_weights = weights;
        lab_write_start(b.f, M, b.w, DISTINCT, b.g, DISTINCT, K);
        tsr_model *one = lab_fit(data, &options.o);
        if (!(lab_matrix_apart(one->basis, many->basis, 1) <= 1e-10) ||
            !(lab_apart(one->objective, many->objective, 25, 0) <= 1e-10) ||
            !(lab_apart(one->codes->values, many->codes->values, DISTINCT * K, 1) <= 1e-10))
            fail_msg("'%s': %.2e apart", lines[i],
                     lab_matrix_apart(one->basis, many->basis, 1));
        tsr_model_free(one);
        tsr_model_free(many);
        tsr_data_free(data);
    }
    tsr_matrix_free(weights);
    lab_free(&l);
    lab_free(&few);
}

/* Where the scale is no part of the model the start may lead to another minimum, of about the
 * same quality. */
static void scale_of_the_start(void **state)
{
    start a, b;
    lab l = lab_make(N, M, 3, 0, 2);
    (void)state;
    make_start(&a);
    b = a;
    for (int64_t i = 0; i < N * K; i++)
        b.g[i] /= 10, b.w[i] *= 10;
    for (int64_t i = 0; i < M * K; i++)
        b.f[i] *= 10;
    for (const tsr__model_row *row = tsr__models; row->name != NULL; row++) {
        const double *w = row->weights[TSR_UNIT_ONE].of;
        const bool held = w[TSR_WEIGHT_CLASS] + w[TSR_WEIGHT_GRAPH] + w[TSR_WEIGHT_CANNOT] > 0;
        char line[128];
        (void)snprintf(line, sizeof line, "model=%s", row->name);
        tsr_model *p = fit_from(&l, &a, 300, line), *q = fit_from(&l, &b, 300, line);
        const double j = p->report.objective;
        const double apart = fabs(q->report.objective - j) / j;
        if (!(apart <= (held ? 1e-6 : 0.1)))
            fail_msg("%s: J %g or %g by the start's scale", row->name, j, q->report.objective);
        tsr_model_free(p);
        tsr_model_free(q);
    }
    lab_free(&l);
}

/* A random start is brought to the data's size: data 1000 times as large lead to the same
 * shares of each vector. */
static void random_starts_fit_the_data(void **state)
{
    static const char *const models[] = {"nmf", "nmf-kl"};
    lab l = lab_make(N, M, 3, 0, 2), large = lab_make(N, M, 3, 0, 2);
    (void)state;
    for (int64_t i = 0; i < N * M; i++)
        large.x[i] *= 1000;
    for (int form = 0; form < 4; form++) {
        tsr_data *a = lab_data(&l, form % 2), *b = lab_data(&large, form % 2);
        lab_options options;
        lab_options_of(&options, 3, "rank=%d model=%s basis-norm=l1", K, models[form / 2]);
        tsr_model *p = lab_fit(a, &options.o), *q = lab_fit(b, &options.o);
        for (int64_t i = 0; i < N * K; i++)
            ((double *)p->codes->values)[i] *= 1000;
        if (!(lab_models_apart(p, q) <= 1e-8))
            fail_msg("%s: %.2e apart", models[form / 2], lab_models_apart(p, q));
        tsr_model_free(p);
        tsr_model_free(q);
        tsr_data_free(a);
        tsr_data_free(b);
    }
    lab_free(&l);
    lab_free(&large);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weight_zero_is_the_parent),
        cmocka_unit_test(tied_and_all_distinct_is_free),
        cmocka_unit_test(permuting_samples_permutes_codes),
        cmocka_unit_test(scaling_the_data),
        cmocka_unit_test(sparse_is_dense),
        cmocka_unit_test(mask_file_is_nan),
        cmocka_unit_test(weights_are_repeats),
        cmocka_unit_test(scale_of_the_start),
        cmocka_unit_test(random_starts_fit_the_data),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
