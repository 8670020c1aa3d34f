/* SPDX-License-Identifier: BSD-2-Clause
 *
 * For tests of factorizations: small problems, starts in files, fits by a line of settings
 * ("model=gnmf graph=3"), and the solver on a bench. */
#ifndef TSR_TESTS_LAB_H
#define TSR_TESTS_LAB_H

#include "folder.h"

#include "factor/model.h"
#include "factor/plan.h"
#include "io/hdf5.h"

#include <math.h>

static char start_file[1100], side_file[1100], model_file[1100];

static inline int make_files(void **state)
{
    const int status = make_folder(state);
    (void)snprintf(start_file, sizeof start_file, "%s/start.h5", folder);
    (void)snprintf(side_file, sizeof side_file, "%s/side.csv", folder);
    (void)snprintf(model_file, sizeof model_file, "%s/model.h5", folder);
    return status;
}

/* Nothing but these files may be left. */
static inline int remove_files(void **state)
{
    (void)state;
    (void)unlink(start_file);
    (void)unlink(side_file);
    (void)unlink(model_file);
    return rmdir(folder);
}

/* A problem: values n x m, a class a sample or -1. */
typedef struct lab {
    int64_t n, m, classes;
    double *x, *label; /* label NaN: unknown */
} lab;

/* Three in ten entries are zero; features lean towards classes; two in three samples have a
 * label. `lowest` < 0 gives data of either sign. */
static inline lab lab_make(int64_t n, int64_t m, int64_t classes, double lowest, uint64_t seed)
{
    tsr__random random = tsr__random_seed(seed, 1);
    lab l = {n, m, classes, NULL, NULL};
    l.x = calloc((size_t)(n * m), sizeof *l.x);
    l.label = calloc((size_t)n, sizeof *l.label);
    for (int64_t i = 0; i < n; i++) {
        const int64_t c = (i * 5 + i / 7) % classes;
        l.label[i] = i % 3 == 2 && i >= classes ? (double)NAN : (double)c;
        for (int64_t j = 0; j < m; j++) {
            const double v = tsr__random_uniform(&random), keep = tsr__random_uniform(&random);
            l.x[i * m + j] =
                keep < 0.3 ? 0 : lowest + (j % classes == c ? 2 : 0.7) * (0.05 + v);
        }
    }
    for (int64_t c = 0; c < classes; c++)
        l.label[c] = (double)c;
    return l;
}

static inline void lab_free(lab *l)
{
    free(l->x);
    free(l->label);
    *l = (lab){0};
}

static inline tsr_data *lab_data(const lab *l, bool sparse)
{
    tsr_matrix *dense = NULL, *x = NULL;
    tsr_labels *labels = NULL;
    tsr_data *data = NULL;
    check_ok(tsr_matrix_view_dense(&dense, l->x, l->n, l->m, l->m, TSR_FLOAT64));
    check_ok(tsr_matrix_copy_as(&x, dense, TSR_FLOAT64, sparse));
    tsr_matrix_free(dense);
    if (l->label != NULL)
        check_ok(tsr_labels_from_numbers(&labels, l->label, l->n));
    check_ok(tsr_data_take(&data, x, labels));
    return data;
}

/* Sets options from "name=value name=value". Texts point into `line`, which is cut up. */
static inline void lab_set(tsr_fit_options *o, char *line)
{
    char *rest = NULL;
    for (char *word = strtok_r(line, " ", &rest); word != NULL;
         word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        assert_non_null(value);
        *value++ = '\0';
        check_ok(tsr_settings_set(tsr_fit_settings(), o, word, value));
    }
}

typedef struct lab_options {
    tsr_fit_options o;
    char line[4096];
} lab_options;

/* Defaults, exactly `iterations` of them, and then the settings. */
static inline void lab_options_of(lab_options *to, int64_t iterations, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(to->line, sizeof to->line, format, arguments);
    va_end(arguments);
    tsr_fit_defaults(&to->o);
    to->o.iterations = iterations;
    to->o.tolerance = 0;
    lab_set(&to->o, to->line);
}

static inline tsr_model *lab_fit(const tsr_data *data, const tsr_fit_options *o)
{
    tsr_model *model = NULL;
    const tsr_status status = tsr_fit(&model, data, o);
    if (status != TSR_OK)
        fail_msg("%s: %s: %s", o->model, tsr_status_name(status), tsr_message());
    return model;
}

/* The row of the table that is `name`: what it uses. */
static inline bool lab_needs_labels(const tsr_fit_options *o)
{
    tsr__spec spec;
    check_ok(tsr__spec_make(&spec, o));
    return tsr__spec_needs_labels(&spec);
}

/* A start: f m x k or w n x k, g rows x k, row-major; written as the command line takes it. */
static inline void lab_write_start(const double *f, int64_t m, const double *w, int64_t n,
                                   const double *g, int64_t rows, int64_t k)
{
    tsr__hdf5 *file = NULL;
    double *across = calloc((size_t)(m * k), sizeof *across);
    for (int64_t j = 0; f != NULL && j < m; j++)
        for (int64_t l = 0; l < k; l++)
            across[l * m + j] = f[j * k + l];
    const tsr__hdf5_block basis = {.element = TSR_ELEMENT_FLOAT64,
                                   .rank = 2,
                                   .shape = {k, m},
                                   .stride = m,
                                   .values = across};
    const tsr__hdf5_block weights = {
        .element = TSR_ELEMENT_FLOAT64, .rank = 2, .shape = {n, k}, .stride = k, .values = w};
    const tsr__hdf5_block codes = {.element = TSR_ELEMENT_FLOAT64,
                                   .rank = 2,
                                   .shape = {rows, k},
                                   .stride = k,
                                   .values = g};
    check_ok(tsr__hdf5_create(&file, start_file));
    if (f != NULL)
        check_ok(tsr__hdf5_write(file, "basis", &basis));
    if (w != NULL)
        check_ok(tsr__hdf5_write(file, "weights", &weights));
    check_ok(tsr__hdf5_write(file, "codes", &codes));
    check_ok(tsr__hdf5_close(file, TSR_OK));
    free(across);
}

static inline void lab_write_text(const char *text)
{
    FILE *file = fopen(side_file, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static inline void lab_uniform(double *to, int64_t count, uint64_t seed)
{
    tsr__random random = tsr__random_seed(seed, 2);
    for (int64_t i = 0; i < count; i++)
        to[i] = 0.05 + tsr__random_uniform(&random);
}

/* The largest difference of entries, relative to the entry or to `floor` of the largest. */
static inline double lab_apart(const double *a, const double *b, int64_t count, double floor)
{
    double most = 0, apart = 0;
    for (int64_t i = 0; i < count; i++)
        most = fmax(most, fabs(b[i]));
    for (int64_t i = 0; i < count; i++) {
        const double by = fmax(fabs(b[i]), floor * most);
        const double off = a[i] == b[i] ? 0 : fabs(a[i] - b[i]) / fmax(by, 1e-300);
        apart = off <= apart ? apart : off; /* NaN counts */
    }
    return apart;
}

static inline double lab_matrix_apart(const tsr_matrix *a, const tsr_matrix *b, double floor)
{
    assert_int_equal(tsr_matrix_samples(a), tsr_matrix_samples(b));
    assert_int_equal(tsr_matrix_features(a), tsr_matrix_features(b));
    const int64_t n = tsr_matrix_samples(a), m = tsr_matrix_features(a);
    double *p = calloc((size_t)(n * m), sizeof *p), *q = calloc((size_t)(n * m), sizeof *q);
    for (int64_t i = 0; i < n; i++) {
        tsr_matrix_get_sample(p + i * m, a, i);
        tsr_matrix_get_sample(q + i * m, b, i);
    }
    const double apart = lab_apart(p, q, n * m, floor);
    free(p);
    free(q);
    return apart;
}

/* Basis and codes (and weights) differ by at most this, relative to their largest entries. */
static inline double lab_models_apart(const tsr_model *a, const tsr_model *b)
{
    double apart = lab_matrix_apart(tsr_model_basis(a), tsr_model_basis(b), 1);
    apart = fmax(apart, lab_matrix_apart(tsr_model_codes(a), tsr_model_codes(b), 1));
    if (tsr_model_weights(a) != NULL && tsr_model_weights(b) != NULL)
        apart = fmax(apart, lab_matrix_apart(tsr_model_weights(a), tsr_model_weights(b), 1));
    return apart;
}

static inline bool lab_same_bits(const tsr_matrix *a, const tsr_matrix *b)
{
    if (a == NULL || b == NULL)
        return a == b;
    const size_t count = (size_t)(a->samples * a->features);
    return a->samples == b->samples && a->features == b->features && a->type == b->type &&
           memcmp(a->values, b->values, count * tsr__type_size(a->type)) == 0;
}

static inline bool lab_same_models(const tsr_model *a, const tsr_model *b)
{
    return lab_same_bits(a->basis, b->basis) && lab_same_bits(a->codes, b->codes) &&
           lab_same_bits(a->weights, b->weights) && lab_same_bits(a->diffused, b->diffused) &&
           a->report.iterations == b->report.iterations &&
           (a->report.iterations == 0 ||
            memcmp(a->objective, b->objective,
                   (size_t)a->report.iterations * sizeof *a->objective) == 0);
}

/* The solver on a bench, set up as a fit would. */
typedef struct bench {
    tsr__spec spec;
    tsr__problem problem;
    tsr__plan plan;
    tsr__solver s;
    tsr__arena arena;
    tsr__names notes;
    tsr__halves pulled; /* bench_theta */
} bench;

/* With so many threads, and so many features a tile, however small the problem is; 0: as the plan
 * has them. */
static inline void bench_open_with(bench *b, const tsr_data *data, const tsr_fit_options *o,
                                   int threads, int64_t tile)
{
    int64_t rank = 0, per_class = 0;
    *b = (bench){0};
    check_ok(tsr__spec_make(&b->spec, o));
    check_ok(tsr__problem_make(&b->problem, &b->spec, data, &b->notes));
    check_ok(tsr__plan_rank(&rank, &per_class, &b->spec, &b->problem));
    check_ok(tsr__plan_make(&b->plan, &b->spec, &b->problem, rank, per_class));
    b->plan.threads = threads > 0 ? threads : b->plan.threads;
    b->plan.tile = b->problem.by_sample.tile = tile > 0 ? tile : b->plan.tile;
    b->s = tsr__solver_of(&b->plan, &b->problem);
    tsr__solver_layout(&b->s, &b->arena);
    check_ok(tsr__arena_open(&b->arena));
    tsr__solver_layout(&b->s, &b->arena);
    check_ok(tsr__init_factors(&b->s, &b->spec, 0));
    tsr__solver_start(&b->s);
}

static inline void bench_open(bench *b, const tsr_data *data, const tsr_fit_options *o)
{
    bench_open_with(b, data, o, 0, 0);
}

static inline void bench_keep(tsr__solver *s, void **to, const void *half,
                              const tsr__block *atoms)
{
    if (half == NULL)
        return;
    if (*to == NULL)
        *to = calloc((size_t)(tsr__theta_rows(s) * s->k), tsr__type_size(s->type));
    memcpy(tsr__real_at(s, *to, atoms->first * s->k), half,
           tsr__real_bytes(s, atoms->samples * s->k));
}

/* Halves with respect to all of theta, the bench's until it closes: weights of samples have them
 * block by block. */
static inline tsr__halves bench_theta(bench *b)
{
    tsr__solver *s = &b->s;
    const tsr__source *atoms = &s->problem->atoms;
    tsr__halves *all = &b->pulled;
    tsr__basis_halves(s);
    if (!s->plan->map->woven)
        return s->work.halves;
    for (int64_t i = 0; i < atoms->blocks; i++) {
        tsr__block block;
        check_ok(atoms->get(&block, atoms, i, 0));
        const tsr__halves h = tsr__map_pull(s, &block, 0);
        bench_keep(s, &all->minus, h.minus, &block);
        bench_keep(s, &all->flat, h.flat, &block);
        bench_keep(s, &all->curved, h.curved, &block);
        bench_keep(s, &all->quartic, h.quartic, &block);
    }
    return *all;
}

static inline void bench_close(bench *b)
{
    free(b->pulled.minus);
    free(b->pulled.flat);
    free(b->pulled.curved);
    free(b->pulled.quartic);
    tsr__arena_close(&b->arena);
    tsr__problem_clear(&b->problem);
    tsr__names_clear(&b->notes);
}

#endif
