/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Every row of the model table and a set of unnamed combinations under `mu`, against the
 * oracle: from the same start, 1, 5 and 25 iterations agree to 1e-9 in every entry and in J.
 * What a row means is written here again, from the design and not from the engine's table. */
#include "lab.h"
#include "oracle.c"

enum { FEATURES = 11, SAMPLES = 17, CLASSES = 3, RANK = 6, MOST = 25 };

typedef struct meaning {
    const char *name;
    bool kl, concept, tied;
    double lambda, mu, edge, must, cannot, gamma;
    bool half, root, ncw;
} meaning;

/* clang-format off */
static const meaning meanings[] = {
    {"nmf",      false, false, false, 0,  0,   0, 0,     0,     0, false, false, false},
    {"nmf-kl",   true,  false, false, 0,  0,   0, 0,     0,     0, false, false, false},
    {"nmf-ncw",  false, false, false, 0,  0,   0, 0,     0,     0, false, false, true},
    {"gnmf",     false, false, false, 0,  100, 0, 0,     0,     0, false, false, false},
    {"gnmf-kl",  true,  false, false, 0,  100, 0, 0,     0,     0, false, true,  false},
    {"sgnmf",    false, false, false, 0,  100, 1, 0,     0,     0, false, false, false},
    {"cnmf",     false, false, true,  0,  0,   0, 0,     0,     0, false, false, false},
    {"cnmf-kl",  true,  false, true,  0,  0,   0, 0,     0,     0, false, false, false},
    {"cdnmf",    false, false, false, 1,  0,   0, 0,     0,     0, false, false, false},
    {"cdnmf-kl", true,  false, false, 10, 0,   0, 0,     0,     0, false, false, false},
    {"cf",       false, true,  false, 0,  0,   0, 0,     0,     0, false, false, false},
    {"cdcf",     false, true,  false, 1,  0,   0, 0,     0,     0, false, false, false},
    {"lccf",     false, true,  false, 0,  100, 0, 0,     0,     0, false, false, false},
    {"ccf",      false, true,  true,  0,  0,   0, 0,     0,     0, false, false, false},
    {"snmf",     false, false, false, 0,  0,   0, 0.005, 0.005, 0, true,  false, false},
    {"dsnmf",    true,  false, false, 0,  0,   0, 0.005, 1,     0, true,  false, false},
    {"unmf",     false, false, false, 0,  0,   0, 0,     0,     1, false, false, false},
    {"ugnmf",    false, false, false, 0,  100, 0, 0,     0,     1, false, false, false},
};
/* clang-format on */

static const meaning *meaning_of(const char *name)
{
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (strcmp(meanings[i].name, name) == 0)
            return &meanings[i];
    fail_msg("the oracle does not know the model '%s': say in test_oracle.c what it means",
             name);
    return NULL;
}

static double chosen(double wanted, double own)
{
    return wanted >= 0 ? wanted : own;
}

static double squared_distance(const oracle *o, int64_t i, int64_t j)
{
    double sum = 0;
    for (int64_t l = 0; l < o->m; l++) {
        const double off = o->x[i * o->m + l] - o->x[j * o->m + l];
        sum += off * off;
    }
    return sum;
}

/* Column j weighted by 1 / sqrt((X' X 1)_j). */
static void weigh_by_cuts(oracle *o)
{
    double *degree = zeros(o->n);
    oracle_linear_kernel(o);
    for (int64_t i = 0; i < o->n * o->n; i++)
        degree[i / o->n] += o->kernel[i];
    for (int64_t i = 0; i < o->n * o->m; i++)
        o->x[i] /= sqrt(degree[i / o->m]);
    free(degree);
}

/* The same in the loss: 1 / (X' X 1)_j. */
static void weigh_loss_by_cuts(oracle *o)
{
    double *degree = zeros(o->n);
    oracle_linear_kernel(o);
    for (int64_t i = 0; i < o->n * o->n; i++)
        degree[i / o->n] += o->kernel[i];
    for (int64_t i = 0; i < o->n * o->m; i++)
        o->e[i] /= degree[i / o->m];
    free(degree);
}

static double edge_weight(const oracle *o, const tsr_fit_options *f, int64_t i, int64_t j)
{
    if (f->graph_weight == 1)
        return exp(-squared_distance(o, i, j) / f->heat);
    const double *k = o->kernel;
    return f->graph_weight == 2 ? k[i * o->n + j] / sqrt(k[i * o->n + i] * k[j * o->n + j]) : 1;
}

/* An edge where either is among the other's p nearest. */
static void make_graph(oracle *o, const tsr_fit_options *f)
{
    for (int64_t i = 0; i < o->n; i++)
        for (int64_t j = 0; j < o->n; j++) {
            int64_t nearer = 0;
            for (int64_t l = 0; l < o->n; l++)
                nearer += l != i && squared_distance(o, i, l) < squared_distance(o, i, j);
            if (i != j && nearer < f->neighbours)
                o->s[i * o->n + j] = o->s[j * o->n + i] = edge_weight(o, f, i, j);
        }
}

static void make_kernel(oracle *o, const tsr_fit_options *f)
{
    const int64_t n = o->n;
    double *dots = zeros(n * n), mean = 0;
    oracle_linear_kernel(o);
    memcpy(dots, o->kernel, (size_t)(n * n) * sizeof *dots);
    for (int64_t i = 0; i < n * n; i++)
        mean += squared_distance(o, i / n, i % n) / (double)(n * n);
    const double width = f->kernel_width > 0 ? f->kernel_width : mean;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            const double dot = dots[i * n + j];
            const double values[] = {dot, exp(-squared_distance(o, i, j) / width),
                                     pow(1 + dot, f->kernel_degree),
                                     dot / sqrt(dots[i * n + i] * dots[j * n + j])};
            o->kernel[i * n + j] = values[f->kernel];
        }
    free(dots);
}

/* C from a file's pairs, or from the labels: every sample with itself, too. */
static void make_links(oracle *o, const lab *l, const tsr_fit_options *f, double must,
                       double cannot)
{
    const double pairs[][3] = {{0, 1, -0.3}, {2, 5, 0.7}, {4, 3, -0.1}, {6, 0, 0.2}};
    for (size_t e = 0; f->links != NULL && e < sizeof pairs / sizeof *pairs; e++) {
        const int64_t i = (int64_t)pairs[e][0], j = (int64_t)pairs[e][1];
        o->c[i * o->n + j] = o->c[j * o->n + i] = pairs[e][2];
    }
    for (int64_t i = 0; f->links == NULL && i < o->n; i++)
        for (int64_t j = 0; j < o->n; j++)
            if (!isnan(l->label[i]) && !isnan(l->label[j]))
                o->c[i * o->n + j] = l->label[i] == l->label[j] ? -must : cannot;
}

static void make_classes(oracle *o, const lab *l, int64_t shared)
{
    const int64_t own = (o->k - shared) / l->classes;
    for (int64_t i = 0; i < o->n; i++)
        for (int64_t j = 0; !isnan(l->label[i]) && j < o->k - shared; j++)
            o->d[i * o->k + j] = j / own == (int64_t)l->label[i] ? 0 : 1;
}

static void make_penalties(oracle *o, const lab *l, const tsr_fit_options *f,
                           const meaning *row)
{
    const double edge = chosen(f->label_edge, row->edge), twice = o->kl ? 1 : 2;
    const double codes = twice * f->alpha_codes * (double)o->m;
    const double basis = twice * f->alpha_basis * (double)o->n;
    make_classes(o, l, f->shared);
    make_graph(o, f);
    for (int64_t i = 0; edge > 0 && i < o->n * o->n; i++) {
        const double a = l->label[i / o->n], b = l->label[i % o->n];
        if (!isnan(a) && !isnan(b))
            o->s[i] = a == b && i / o->n != i % o->n ? edge : 0;
    }
    make_links(o, l, f, chosen(f->must, row->must), chosen(f->cannot, row->cannot));
    o->lambda = chosen(f->class_weight, row->lambda);
    o->mu = chosen(f->graph, row->mu);
    o->gamma = chosen(f->decorrelate, row->gamma);
    o->lasso_g = codes * f->l1_ratio, o->ridge_g = codes * (1 - f->l1_ratio);
    o->lasso_f = basis * f->l1_ratio, o->ridge_f = basis * (1 - f->l1_ratio);
}

/* Groups of tied codes: the classes in order, then the unlabelled samples in order. */
static void open_groups(oracle *o, const lab *l, bool tied)
{
    int64_t unknown = 0, next = l->classes;
    for (int64_t i = 0; i < l->n; i++)
        unknown += isnan(l->label[i]);
    oracle_open(o, l->n, l->m, RANK, tied ? l->classes + unknown : l->n);
    for (int64_t i = 0; tied && i < l->n; i++)
        o->a[i * o->q + (isnan(l->label[i]) ? next++ : (int64_t)l->label[i])] = 1;
}

static void set_up(oracle *o, const lab *l, const tsr_fit_options *f)
{
    const meaning *row = meaning_of(f->model);
    open_groups(o, l, f->codes > 0 ? f->codes == 2 : row->tied);
    o->kl = f->loss > 0 ? f->loss == 2 : row->kl;
    o->concept = f->basis > 0 ? f->basis == 2 : row->concept;
    o->blind = f->kernel > 0;
    o->half = o->unit = row->half;
    o->root = row->root;
    o->logs = f->graph_form == 2 || (f->graph_form == 0 && row->root);
    o->reward = f->link_form == 1;
    if (f->basis_norm > 0)
        o->unit = false;
    o->product = f->basis_norm > 1 ? f->basis_norm - 1 : 0;
    for (int64_t i = 0; i < l->n * l->m; i++) {
        o->x[i] = isnan(l->x[i]) ? 0 : l->x[i];
        o->e[i] = isnan(l->x[i]) ? 0 : 1;
        if (f->sample_weights != NULL)
            o->e[i] *= tsr_matrix_at(f->sample_weights, i / l->m, 0);
    }
    if (row->ncw || f->weighting == 2)
        weigh_by_cuts(o);
    if (f->weighting == 3)
        weigh_loss_by_cuts(o);
    oracle_linear_kernel(o);
    make_penalties(o, l, f, row);
    o->systems = o->logs && !(o->ridge_g > 0); /* nothing else is quadratic in the codes */
    make_kernel(o, f);
    lab_uniform(o->f, o->m * o->k, 5);
    lab_uniform(o->w, o->n * o->k, 6);
    lab_uniform(o->z, o->q * o->k, 7);
    lab_write_start(o->f, o->m, o->w, o->n, o->z, o->q, o->k);
    oracle_start(o);
}

static void agree(const char *what, const tsr_matrix *got, const double *expected, int64_t rows,
                  int64_t columns, bool transposed, const char *line, int64_t after)
{
    assert_int_equal(tsr_matrix_samples(got), transposed ? columns : rows);
    double *flat = zeros(rows * columns);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            flat[i * columns + j] =
                transposed ? tsr_matrix_at(got, j, i) : tsr_matrix_at(got, i, j);
    const double apart = lab_apart(flat, expected, rows * columns, 1e-12);
    free(flat);
    if (!(apart <= 1e-9))
        fail_msg("%s of '%s' after %d: %.2e apart", what, line, (int)after, apart);
}

static void compare(const lab *l, bool sparse, const tsr_matrix *weights, const char *line)
{
    static const int64_t counts[] = {1, 5, 25};
    oracle o;
    lab_options options;
    tsr_data *data = lab_data(l, sparse);
    double history[MOST];
    int64_t done = 0;
    lab_options_of(&options, 1, "solver=mu rank=%d neighbours=3 %s", (int)RANK, line);
    options.o.init = start_file;
    options.o.sample_weights = weights;
    set_up(&o, l, &options.o);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        for (; done < counts[i]; done++) {
            oracle_step(&o);
            history[done] = oracle_objective(&o);
        }
        options.o.iterations = done;
        tsr_model *model = lab_fit(data, &options.o);
        assert_int_equal(tsr_model_report(model).iterations, done);
        agree("codes", tsr_model_codes(model), o.g, o.n, o.k, false, line, done);
        if (o.concept)
            agree("weights", tsr_model_weights(model), o.w, o.n, o.k, false, line, done);
        agree("basis", tsr_model_basis(model), o.f, o.m, o.k, true, line, done);
        const double apart = lab_apart(tsr_model_objective(model), history, done, 0);
        if (!(apart <= 1e-9))
            fail_msg("objective of '%s' after %d: %.2e apart", line, (int)done, apart);
        tsr_model_free(model);
    }
    tsr_data_free(data);
    oracle_close(&o);
}

static void compare_both(double lowest, const char *line)
{
    lab l = lab_make(SAMPLES, FEATURES, CLASSES, lowest, 11);
    compare(&l, false, NULL, line);
    compare(&l, true, NULL, line);
    lab_free(&l);
}

static void every_row(void **state)
{
    (void)state;
    tsr_model_info info;
    char line[128];
    for (int64_t i = 0; tsr_models_get(&info, i); i++) {
        (void)snprintf(line, sizeof line, "model=%s", info.name);
        compare_both(0, line);
    }
}

static void unnamed_combinations(void **state)
{
    static const char *const lines[] = {
        "model=nmf loss=kl class=2 graph=3 decorrelate=0.5",
        "model=nmf class=2 graph=3 decorrelate=0.5 must=0.1 cannot=0.2",
        "model=nmf shared=3 class=0.7",
        "model=cf loss=kl",
        "model=cf loss=kl class=1 graph=2 decorrelate=0.01",
        "model=cf must=0.01 cannot=0.02",
        "model=cf decorrelate=0.02 class=1",
        "model=cnmf graph=2",
        "model=cnmf-kl graph=2 class=1 must=0.1 cannot=0.3",
        "model=cnmf class=1 must=0.1 cannot=0.3",
        "model=ccf graph=2 class=0.5 decorrelate=0.01",
        "model=ccf loss=kl graph=1",
        "model=gnmf-kl codes=tied graph=5",
        "model=gnmf-kl codes=tied graph=5 graph-form=distance",
        "model=gnmf-kl graph=0.3 class=2 alpha-codes=0.1 l1-ratio=1",
        "model=gnmf-kl graph=1e4",
        "model=gnmf-kl graph-form=distance",
        "model=gnmf-kl weighting=ncw-loss basis-norm=l1",
        "model=nmf weighting=ncw-loss",
        "model=cdnmf-kl graph=2 graph-form=divergence label-edge=0.5",
        "model=gnmf graph-weight=heat heat=4",
        "model=gnmf graph-weight=cosine",
        "model=lccf graph-weight=heat heat=2 graph=3",
        "model=snmf must=0 cannot=0",
        "model=dsnmf must=0 cannot=0",
        "model=snmf link-form=reward must=0.01 cannot=0.3",
        "model=dsnmf link-form=reward",
        "model=dsnmf must=0.4 cannot=0.5",
        "model=snmf basis=concept",
        "model=dsnmf codes=tied",
        "model=snmf codes=tied link-form=reward",
        "model=nmf alpha-codes=0.1 alpha-basis=0.05 l1-ratio=0.3",
        "model=nmf-kl alpha-codes=0.1 alpha-basis=0.05 l1-ratio=0.3",
        "model=cnmf alpha-codes=0.1 alpha-basis=0.05 l1-ratio=0.7",
        "model=cf alpha-codes=0.1 alpha-basis=0.05 l1-ratio=0.5",
        "model=gnmf-kl alpha-codes=0.1 class=1",
        "model=gnmf-kl alpha-codes=0.1 class=1 graph-form=distance",
        "model=nmf basis-norm=l2",
        "model=nmf-kl basis-norm=l2",
        "model=nmf-kl basis-norm=l1",
        "model=cdnmf weighting=ncw",
        "model=sgnmf label-edge=0.3 graph=2",
    };
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        compare_both(0, lines[i]);
}

static void kernels(void **state)
{
    static const char *const lines[] = {
        "model=cf kernel=rbf",
        "model=cf kernel=rbf kernel-width=3",
        "model=cf kernel=polynomial kernel-degree=2",
        "model=cf kernel=cosine",
        "model=lccf kernel=rbf graph=0.5",
        "model=cdcf kernel=polynomial kernel-degree=3",
        "model=ccf kernel=rbf",
        "model=ccf kernel=cosine class=0.2",
        "model=cf kernel=rbf decorrelate=0.1 must=0.01 cannot=0.01",
    };
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        compare_both(0, lines[i]);
}

static void either_sign(void **state)
{
    static const char *const lines[] = {
        "model=cf",
        "model=ccf",
        "model=cdcf",
        "model=lccf graph=0.5",
        "model=lccf",
        "model=cf kernel=cosine",
        "model=cf kernel=rbf",
        "model=cf kernel=polynomial kernel-degree=3",
        "model=ccf class=0.3",
        "model=cf must=0.05 cannot=0.1",
        "model=cf alpha-codes=0.1 l1-ratio=0.5",
        "model=cf decorrelate=0.01",
        "model=cdcf decorrelate=1 graph=2 kernel=cosine",
    };
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        compare_both(-0.8, lines[i]);
}

static void links_file(void **state)
{
    static const char *const lines[] = {"model=snmf",  "model=snmf link-form=reward",
                                        "model=dsnmf", "model=nmf-kl",
                                        "model=cf",    "model=cnmf"};
    (void)state;
    lab_write_text("0,1,-0.3\n2,5,0.7\n4,3,-0.1\n6,0,0.2\n");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char line[1400];
        (void)snprintf(line, sizeof line, "%s links=%s", lines[i], side_file);
        compare_both(0, line);
    }
}

static const char *const maskable[] = {
    "model=nmf",    "model=cdnmf",    "model=gnmf graph=2",    "model=unmf",
    "model=nmf-kl", "model=cdnmf-kl", "model=gnmf-kl graph=2", "model=dsnmf"};

static void missing_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof maskable / sizeof *maskable; i++) {
        char line[128];
        lab l = lab_make(SAMPLES, FEATURES, CLASSES, 0, 11), whole = l;
        /* the graph is made of the data with zeros in the gaps */
        for (int64_t e = 0; e < 12; e++)
            whole.x[(e * 37 + 5) % (SAMPLES * FEATURES)] = (double)NAN;
        (void)snprintf(line, sizeof line, "%s missing=mask", maskable[i]);
        compare(&whole, false, NULL, line);
        compare(&whole, true, NULL, line);
        lab_free(&l);
    }
}

static void sample_weights(void **state)
{
    static const char *const more[] = {"model=cf",  "model=cnmf",          "model=cnmf-kl",
                                       "model=ccf", "model=cf kernel=rbf", "model=cf loss=kl"};
    const size_t first = sizeof maskable / sizeof *maskable;
    tsr_matrix *weights = NULL;
    (void)state;
    check_ok(tsr_matrix_create(&weights, SAMPLES, 1, TSR_FLOAT64));
    for (int64_t i = 0; i < SAMPLES; i++)
        ((double *)tsr_matrix_edit(weights))[i] = 0.5 + (double)(i % 4);
    lab l = lab_make(SAMPLES, FEATURES, CLASSES, 0, 11);
    for (size_t i = 0; i < first + sizeof more / sizeof *more; i++) {
        compare(&l, false, weights, i < first ? maskable[i] : more[i - first]);
        compare(&l, true, weights, i < first ? maskable[i] : more[i - first]);
    }
    lab_free(&l);
    tsr_matrix_free(weights);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row),      cmocka_unit_test(unnamed_combinations),
        cmocka_unit_test(kernels),        cmocka_unit_test(either_sign),
        cmocka_unit_test(links_file),     cmocka_unit_test(missing_values),
        cmocka_unit_test(sample_weights),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
