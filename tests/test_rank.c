/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Ranking of basis vectors against the formulas written out, curves, and kept models. */
#include "check.h"
#include "lab.h"

enum { N = 24, M = 9, K = 5, CLASSES = 3 };

typedef struct problem {
    lab l;
    tsr_matrix *x, *sparse, *basis, *codes;
    double f[K * M], g[N * K];
    int32_t classes[N];
} problem;

static void make(problem *p)
{
    p->l = lab_make(N, M, CLASSES, 0, 3);
    lab_uniform(p->f, K * M, 1);
    lab_uniform(p->g, N * K, 2);
    for (int i = 0; i < N; i++)
        p->classes[i] = isnan(p->l.label[i]) ? -1 : (int32_t)p->l.label[i] * 5;
    check_ok(tsr_matrix_view_dense(&p->x, p->l.x, N, M, M, TSR_FLOAT64));
    check_ok(tsr_matrix_copy_as(&p->sparse, p->x, TSR_FLOAT32, true));
    check_ok(tsr_matrix_view_dense(&p->basis, p->f, K, M, M, TSR_FLOAT64));
    check_ok(tsr_matrix_view_dense(&p->codes, p->g, N, K, K, TSR_FLOAT64));
}

static void clear(problem *p)
{
    tsr_matrix_free(p->x);
    tsr_matrix_free(p->sparse);
    tsr_matrix_free(p->basis);
    tsr_matrix_free(p->codes);
    lab_free(&p->l);
}

static double variance(const double *v, int64_t count)
{
    double mean = 0, sum = 0;
    for (int64_t i = 0; i < count; i++)
        mean += v[i] / (double)count;
    for (int64_t i = 0; i < count; i++)
        sum += (v[i] - mean) * (v[i] - mean) / (double)count;
    return sum;
}

/* sum_c n_c var(w' X_c) / var(w' M), M the class means as columns. */
static double fisher(const problem *p, int k)
{
    double within = 0, along_mean[CLASSES];
    for (int c = 0; c < CLASSES; c++) {
        double along[N], mean[M] = {0};
        int64_t count = 0;
        for (int i = 0; i < N; i++) {
            if (p->classes[i] != 5 * c)
                continue;
            along[count] = 0;
            for (int j = 0; j < M; j++) {
                along[count] += p->f[k * M + j] * p->l.x[i * M + j];
                mean[j] += p->l.x[i * M + j];
            }
            count++;
        }
        within += (double)count * variance(along, count);
        along_mean[c] = 0;
        for (int j = 0; j < M; j++)
            along_mean[c] += p->f[k * M + j] * mean[j] / (double)count;
    }
    return within / variance(along_mean, CLASSES);
}

/* ||X - sum of the given parts||^2 */
static double residual(const problem *p, const int64_t *part, int64_t count)
{
    double sum = 0;
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < M; j++) {
            double r = p->l.x[i * M + j];
            for (int64_t a = 0; a < count; a++)
                r -= p->g[i * K + part[a]] * p->f[part[a] * M + j];
            sum += r * r;
        }
    }
    return sum;
}

static void check_order(const int64_t *order, const double *score)
{
    bool seen[K] = {false};
    for (int i = 0; i < K; i++) {
        assert_in_range(order[i], 0, K - 1);
        assert_false(seen[order[i]]);
        seen[order[i]] = true;
        assert_true(i == 0 || score[order[i - 1]] <= score[order[i]]);
    }
}

static void test_scores(void **state)
{
    (void)state;
    problem p;
    make(&p);
    for (int sparse = 0; sparse < 2; sparse++) {
        const double close = sparse ? 1e-5 : 1e-11; /* the sparse copy is of floats */
        const tsr_matrix *x = sparse ? p.sparse : p.x;
        int64_t order[K];
        double score[K];
        check_ok(tsr_rank_basis(order, score, p.basis, NULL, x, p.classes, TSR_RANK_FISHER));
        check_order(order, score);
        for (int k = 0; k < K; k++)
            assert_true(fabs(score[k] - fisher(&p, k)) < close * score[k]);
        check_ok(tsr_rank_basis(order, score, p.basis, p.codes, x, NULL, TSR_RANK_LRE));
        check_order(order, score);
        for (int64_t k = 0; k < K; k++)
            assert_true(fabs(score[k] - residual(&p, &k, 1)) < close * score[k]);
        check_ok(tsr_rank_basis(order, NULL, p.basis, p.codes, x, NULL, TSR_RANK_LRE));
    }
    clear(&p);
}

/* Equal vectors keep their order; one that tells no classes apart comes last. */
static void test_ties(void **state)
{
    (void)state;
    problem p;
    make(&p);
    int64_t order[K];
    double score[K];
    memcpy(p.f + 3 * M, p.f + 1 * M, M * sizeof *p.f);
    memset(p.f, 0, M * sizeof *p.f);
    check_ok(tsr_rank_basis(order, score, p.basis, NULL, p.x, p.classes, TSR_RANK_FISHER));
    check_order(order, score);
    assert_int_equal(order[K - 1], 0);
    for (int i = 0; i < K; i++)
        assert_true(order[i] != 1 || order[i + 1] == 3);
    clear(&p);
}

static void test_curves(void **state)
{
    (void)state;
    problem p;
    make(&p);
    static const int64_t order[] = {3, 0, 4, 2, 1};
    double error[K], all = residual(&p, order, 0), right[K];
    check_ok(tsr_rank_curve(error, order, K, p.basis, p.codes, p.x, NULL, TSR_RANK_LRE));
    for (int64_t r = 0; r < K; r++)
        assert_true(fabs(error[r] - sqrt(residual(&p, order, r + 1) / all)) < 1e-11 * error[r]);
    check_ok(tsr_rank_curve(right, order, K, p.basis, NULL, p.x, p.classes, TSR_RANK_FISHER));
    for (int r = 0; r < K; r++)
        assert_true(right[r] >= 0 && right[r] <= 1);
    clear(&p);
}

static void test_refusals(void **state)
{
    (void)state;
    problem p;
    make(&p);
    int64_t order[K];
    int32_t one[N] = {0}, none[N];
    for (int i = 0; i < N; i++)
        none[i] = -1;
    check_fails(tsr_rank_basis(order, NULL, p.basis, NULL, p.x, NULL, TSR_RANK_FISHER),
                TSR_ERROR_ARGUMENT, "needs the samples' classes");
    check_fails(tsr_rank_basis(order, NULL, p.basis, NULL, p.x, one, TSR_RANK_FISHER),
                TSR_ERROR_DATA, "there is one");
    check_fails(tsr_rank_basis(order, NULL, p.basis, NULL, p.x, none, TSR_RANK_FISHER),
                TSR_ERROR_DATA, "there is none");
    check_fails(tsr_rank_basis(order, NULL, p.basis, NULL, p.x, NULL, TSR_RANK_LRE),
                TSR_ERROR_ARGUMENT, "needs codes of 24 samples x 5");
    check_fails(tsr_rank_basis(order, NULL, p.codes, NULL, p.x, one, TSR_RANK_FISHER),
                TSR_ERROR_ARGUMENT, "5 features, the samples 9");
    clear(&p);
}

static void check_same_reals(const double *a, const double *b, int64_t count)
{
    assert_true((a == NULL) == (b == NULL));
    if (a != NULL)
        assert_memory_equal(a, b, (size_t)count * sizeof *a);
}

static void check_same_names(const tsr__names *a, const tsr__names *b, int64_t count)
{
    assert_true(b->count >= count);
    for (int64_t i = 0; i < count; i++)
        assert_string_equal(a->name[i], b->name[i]);
}

/* The chosen columns of a are b. */
static void check_columns(const tsr_matrix *a, const tsr_matrix *b, const int64_t *chosen,
                          int64_t count)
{
    assert_true((a == NULL) == (b == NULL));
    for (int64_t i = 0; a != NULL && i < a->samples; i++)
        for (int64_t v = 0; v < count; v++)
            assert_true(tsr_matrix_at(a, i, chosen[v]) == tsr_matrix_at(b, i, v));
}

/* All that is no matter of the rank stays as it was. */
static void check_same_rest(const tsr_model *a, const tsr_model *b)
{
    const tsr_fit_report *p = &a->report, *q = &b->report;
    assert_string_equal(p->model, q->model);
    assert_string_equal(p->loss, q->loss);
    assert_int_equal(p->samples, q->samples);
    assert_int_equal(p->features, q->features);
    assert_int_equal(p->iterations, q->iterations);
    assert_int_equal(p->converged, q->converged);
    assert_int_equal(p->seed, q->seed);
    const double reals[] = {p->objective, p->data_loss, p->relative_error, p->optimality,
                            p->seconds,   p->spread,    a->kernel_width};
    const double others[] = {q->objective, q->data_loss, q->relative_error, q->optimality,
                             q->seconds,   q->spread,    b->kernel_width};
    assert_memory_equal(reals, others, sizeof reals);
    assert_true(lab_same_bits(a->atoms, b->atoms));
    assert_true(lab_same_bits(a->sample_weights, b->sample_weights));
    check_same_reals(a->scale, b->scale, p->features);
    check_same_reals(a->objective, b->objective, p->iterations);
    check_same_reals(a->seconds, b->seconds, p->iterations);
    assert_string_equal(a->origin, b->origin);
    assert_memory_equal(a->labels->of, b->labels->of, N * sizeof *a->labels->of);
    assert_int_equal(a->labels->classes, b->labels->classes);
    for (int32_t c = 0; c < a->labels->classes; c++)
        assert_string_equal(a->labels->name[c], b->labels->name[c]);
    assert_memory_equal(a->seen, b->seen, N * sizeof *a->seen);
    assert_int_equal(a->basis->image.height, b->basis->image.height);
    assert_int_equal(a->basis->image.width, b->basis->image.width);
    assert_int_equal(a->basis->image.order, b->basis->image.order);
    assert_int_equal(a->feature_names.count, b->feature_names.count);
    check_same_names(&a->feature_names, &b->feature_names, a->feature_names.count);
    assert_int_equal(a->notes.count + 1, b->notes.count); /* which says what was kept */
    check_same_names(&a->notes, &b->notes, a->notes.count);
    assert_string_equal(a->recipe.kind, b->recipe.kind);
    assert_true(lab_same_bits(a->recipe.weight, b->recipe.weight));
    assert_true(lab_same_bits(a->recipe.dictionary, b->recipe.dictionary));
    assert_int_equal(a->recipe.setting.count, b->recipe.setting.count);
    check_same_names(&a->recipe.setting, &b->recipe.setting, a->recipe.setting.count);
}

/* What depends on the rank is that of the chosen; blocks of classes are no more. */
static void check_kept(const tsr_model *a, const tsr_model *b, const int64_t *chosen,
                       int64_t count)
{
    assert_int_equal(b->report.rank, count);
    assert_int_equal(b->options.rank, count);
    assert_int_equal(b->per_class, 0);
    assert_int_equal(b->shared, 0);
    assert_int_equal(a->setting.count, b->setting.count);
    for (int64_t i = 0; i < a->setting.count; i++) {
        const char *name = tsr_fit_settings()[i].name;
        if (strcmp(name, "rank") != 0 && strcmp(name, "per-class") != 0 &&
            strcmp(name, "shared") != 0)
            assert_string_equal(a->setting.name[i], b->setting.name[i]);
    }
    for (int64_t v = 0; v < count; v++) {
        for (int64_t j = 0; j < M; j++)
            assert_true(tsr_matrix_at(a->basis, chosen[v], j) == tsr_matrix_at(b->basis, v, j));
        for (int64_t w = 0; a->gram != NULL && w < count; w++)
            assert_true(a->gram[chosen[v] * a->report.rank + chosen[w]] ==
                        b->gram[v * count + w]);
    }
    check_columns(a->codes, b->codes, chosen, count);
    check_columns(a->weights, b->weights, chosen, count);
    check_same_rest(a, b);
}

/* Data with all that a model can remember of them. */
static tsr_data *rich_data(const lab *l)
{
    tsr_data *data = lab_data(l, false);
    data->origin = tsr__copy_text("pictures.h5:x");
    for (int j = 0; j < M; j++) {
        const char name[] = {'f', (char)('0' + j), '\0'};
        check_ok(tsr__names_add(&data->feature_names, name));
    }
    check_ok(tsr_matrix_set_image(data->x, (tsr_image_shape){3, 3, TSR_COLUMN_ORDER}));
    data->recipe.kind = tsr__copy_text("pixels");
    check_ok(tsr__names_add(&data->recipe.setting, "size=3x3"));
    check_ok(tsr_matrix_create(&data->recipe.weight, 1, M, TSR_FLOAT64));
    check_ok(tsr_matrix_create(&data->recipe.dictionary, 2, 3, TSR_FLOAT64));
    return data;
}

/* A kept model holds the chosen parts and the rest, is written and read, and still encodes. */
static void test_keep(void **state)
{
    (void)state;
    static const int64_t chosen[] = {4, 1};
    static const char *const lines[] = {"model=cdnmf rank=6", "model=cf rank=6 kernel=rbf",
                                        "model=nmf-ncw rank=6",
                                        "model=nmf rank=6 labelled=1 precision=single"};
    lab l = lab_make(N, M, CLASSES, 0, 3);
    tsr_data *data = rich_data(&l);
    double heavy[N];
    tsr_matrix *weights = NULL;
    lab_uniform(heavy, N, 5);
    check_ok(tsr_matrix_view_dense(&weights, heavy, N, 1, 1, TSR_FLOAT64));
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        lab_options o;
        tsr_model *kept = NULL, *back = NULL;
        tsr_matrix *codes = NULL;
        lab_options_of(&o, 20, "%s", lines[i]);
        o.o.sample_weights = i == 0 || i == 3 ? weights : NULL;
        tsr_model *model = lab_fit(data, &o.o);
        check_ok(tsr_model_keep(&kept, model, chosen, 2));
        check_kept(model, kept, chosen, 2);
        check_ok(tsr_model_write(kept, model_file));
        check_ok(tsr_model_read(&back, model_file));
        check_kept(model, back, chosen, 2);
        check_ok(tsr_model_transform(&codes, back, data, NULL));
        assert_int_equal(tsr_matrix_features(codes), 2);
        check_fails(tsr_model_keep(&back, model, chosen, 0), TSR_ERROR_ARGUMENT, "0 of 6");
        check_fails(tsr_model_keep(&back, kept, chosen, 2), TSR_ERROR_ARGUMENT, "vector 4");
        tsr_matrix_free(codes);
        tsr_model_free(back);
        tsr_model_free(kept);
        tsr_model_free(model);
    }
    tsr_matrix_free(weights);
    tsr_data_free(data);
    lab_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scores), cmocka_unit_test(test_ties),
        cmocka_unit_test(test_curves), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_keep),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
