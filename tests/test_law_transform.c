/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Laws of new samples: a sample's code depends on nothing but itself and the basis; it is the
 * minimum, by an independent solution; the tolerance is kept. */
#include "lab.h"

enum { N = 60, M = 20, K = 6 };

static const char *const lines[] = {
    "model=nmf",
    "model=nmf-kl",
    "model=nmf-ncw",
    "model=cnmf",
    "model=cdnmf-kl",
    "model=cf",
    "model=cf kernel=rbf",
    "model=cf kernel=polynomial",
    "model=cf loss=kl",
    "model=nmf alpha-codes=0.02 l1-ratio=0.5",
    "model=nmf-kl alpha-codes=0.02 l1-ratio=0.5",
    "model=nmf precision=single",
    "model=nmf-kl precision=single",
    "model=nmf missing=mask",
    "model=nmf-kl missing=mask",
};
enum { LINES = sizeof lines / sizeof *lines };

static tsr_model *fit_line(const tsr_data *data, const char *line)
{
    lab_options o;
    lab_options_of(&o, 30, "rank=%d %s", (int)K, line);
    return lab_fit(data, &o.o);
}

static tsr_matrix *encode(const tsr_model *model, const tsr_data *data, int method, int threads)
{
    tsr_transform_options o = {0};
    tsr_matrix *codes = NULL;
    tsr_settings_default(tsr_transform_settings(), &o);
    o.method = method;
    o.threads = threads;
    check_ok(tsr_model_transform(&codes, model, data, &o));
    return codes;
}

static lab make_lab(int64_t n, uint64_t seed, bool holes)
{
    lab l = lab_make(n, M, 3, 0, seed);
    for (int64_t e = 0; holes && e < n * M; e++)
        if ((e * 7 + e / M * 3) % 5 == 0)
            l.x[e] = (double)NAN;
    return l;
}

/* Bits ------------------------------------------------------------------------------------ */

static void check_alone(const tsr_model *model, const tsr_data *data, int method,
                        const char *line)
{
    tsr_matrix *all = encode(model, data, method, 1), *two = encode(model, data, method, 2);
    const size_t bytes = (size_t)all->features * tsr__type_size(all->type);
    const int64_t n = all->samples;
    if (!lab_same_bits(all, two))
        fail_msg("'%s': threads change the codes", line);
    for (int64_t i = 0; i < n; i += 7) { /* alone, and in other company */
        const int64_t some[] = {(i * 3 + 1) % n, (i + 11) % n, i, (i * 5) % n};
        for (int company = 0; company < 2; company++) {
            tsr_data *part = NULL;
            check_ok(tsr_data_copy_samples(&part, data, company ? some : &i, company ? 4 : 1));
            tsr_matrix *few = encode(model, part, method, 1);
            if (memcmp((char *)few->values + (company ? 2 : 0) * bytes,
                       (char *)all->values + (size_t)i * bytes, bytes) != 0)
                fail_msg("'%s', method %d: sample %d has another code %s", line, method, (int)i,
                         company ? "in other company" : "alone");
            tsr_matrix_free(few);
            tsr_data_free(part);
        }
    }
    tsr_matrix_free(all);
    tsr_matrix_free(two);
}

static void codes_depend_on_the_sample_alone(void **state)
{
    (void)state;
    for (int i = 0; i < LINES; i++)
        for (int sparse = 0; sparse < 2; sparse++) {
            const bool holes = strstr(lines[i], "missing") != NULL;
            lab l = make_lab(N, 3, holes), fresh = make_lab(101, 4, holes);
            tsr_data *data = lab_data(&l, false), *new = lab_data(&fresh, sparse);
            tsr_model *model = fit_line(data, lines[i]);
            for (int method = 0; method < (holes ? 2 : 3); method++)
                check_alone(model, new, method, lines[i]);
            tsr_model_free(model);
            tsr_data_free(data);
            tsr_data_free(new);
            lab_free(&l);
            lab_free(&fresh);
        }
}

/* Results too wide for slim products go through another library. */
static void wide_codes_too(void **state)
{
    lab l = lab_make(170, 200, 3, 0, 3);
    tsr_data *data = lab_data(&l, false);
    lab_options o;
    (void)state;
    lab_options_of(&o, 2, "rank=160");
    tsr_model *model = lab_fit(data, &o.o);
    for (int method = 0; method < 3; method++)
        check_alone(model, data, method, "rank 160");
    tsr_model_free(model);
    tsr_data_free(data);
    lab_free(&l);
}

/* The minimum ----------------------------------------------------------------------------- */

/* Gaussian elimination with pivots: a x = b, size x size; false where it is singular. */
static bool eliminate(double *a, double *b, int size)
{
    for (int c = 0; c < size; c++) {
        int best = c;
        for (int r = c; r < size; r++)
            best = fabs(a[r * size + c]) > fabs(a[best * size + c]) ? r : best;
        if (fabs(a[best * size + c]) < 1e-13)
            return false;
        for (int j = 0; j < size; j++) {
            const double t = a[c * size + j];
            a[c * size + j] = a[best * size + j], a[best * size + j] = t;
        }
        const double t = b[c];
        b[c] = b[best], b[best] = t;
        for (int r = 0; r < size; r++) {
            const double by = r == c ? 0 : a[r * size + c] / a[c * size + c];
            for (int j = 0; by != 0 && j < size; j++)
                a[r * size + j] -= by * a[c * size + j];
            b[r] -= by * b[c];
        }
    }
    for (int c = 0; c < size; c++)
        b[c] /= a[c * size + c];
    return true;
}

typedef struct row_problem {
    double f[M * K], x[M]; /* x NaN: not known */
    double lasso, ridge;
} row_problem;

/* Half the gradient of |x - F g|^2 + lasso sum g + ridge / 2 |g|^2. */
static void half_gradient(double *to, const row_problem *p, const double *g)
{
    for (int a = 0; a < K; a++)
        to[a] = p->lasso / 2 + p->ridge / 2 * g[a];
    for (int j = 0; j < M; j++) {
        double y = 0;
        for (int a = 0; a < K; a++)
            y += p->f[j * K + a] * g[a];
        for (int a = 0; !isnan(p->x[j]) && a < K; a++)
            to[a] += p->f[j * K + a] * (y - p->x[j]);
    }
}

static double curve(const row_problem *p, int a, int b)
{
    double sum = a == b ? p->ridge / 2 : 0;
    for (int j = 0; j < M; j++)
        sum += isnan(p->x[j]) ? 0 : p->f[j * K + a] * p->f[j * K + b];
    return sum;
}

/* Tries all sets of entries above zero: the one whose solution is >= 0 and whose gradient is >= 0
 * elsewhere, up to rounding, is the minimum. */
static void try_all_sets(double *best, const row_problem *p)
{
    double zero[K] = {0}, start[K], least = (double)INFINITY;
    half_gradient(start, p, zero);
    memset(best, 0, K * sizeof *best);
    for (int set = 0; set < 1 << K; set++) {
        double a[K * K], b[K], g[K] = {0}, q[K], off = 0;
        int which[K], size = 0;
        for (int i = 0; i < K; i++)
            if (set >> i & 1)
                which[size++] = i;
        for (int i = 0; i < size; i++) {
            b[i] = -start[which[i]];
            for (int j = 0; j < size; j++)
                a[i * size + j] = curve(p, which[i], which[j]);
        }
        if (!eliminate(a, b, size))
            continue;
        for (int i = 0; i < size; i++)
            g[which[i]] = b[i];
        half_gradient(q, p, g);
        for (int i = 0; i < K; i++)
            off = fmax(off, fmax(-g[i], set >> i & 1 ? 0 : -q[i]));
        if (off < least) {
            least = off;
            memcpy(best, g, sizeof g);
        }
    }
    assert_true(least < 1e-12);
}

static void squares_end_at_the_minimum(void **state)
{
    static const char *const some[] = {"model=nmf", "model=nmf alpha-codes=0.02 l1-ratio=0.5",
                                       "model=nmf missing=mask", "model=cf"};
    (void)state;
    for (int c = 0; c < 4; c++) {
        const bool holes = strstr(some[c], "missing") != NULL;
        lab l = make_lab(N, 8, holes), fresh = make_lab(40, 9, holes);
        tsr_data *data = lab_data(&l, false), *new = lab_data(&fresh, false);
        tsr_model *model = fit_line(data, some[c]);
        tsr_matrix *codes = encode(model, new, 0, 1);
        row_problem p;
        for (int j = 0; j < M * K; j++)
            p.f[j] = tsr_matrix_at(model->basis, j % K, j / K);
        p.lasso = p.ridge = c == 1 ? 2 * 0.02 * M * 0.5 : 0;
        for (int64_t i = 0; i < 40; i++) {
            double best[K], most = 0;
            memcpy(p.x, fresh.x + i * M, sizeof p.x);
            try_all_sets(best, &p);
            for (int a = 0; a < K; a++)
                most = fmax(most, best[a]);
            for (int a = 0; a < K; a++)
                if (!(fabs(tsr_matrix_at(codes, i, a) - best[a]) <= 1e-8 * most))
                    fail_msg("'%s', sample %d: %.12g in place of %.12g", some[c], (int)i,
                             tsr_matrix_at(codes, i, a), best[a]);
        }
        tsr_matrix_free(codes);
        tsr_model_free(model);
        tsr_data_free(data);
        tsr_data_free(new);
        lab_free(&l);
        lab_free(&fresh);
    }
}

/* sum y - x log y over known entries, and the elastic net. */
static double entropy_of(const row_problem *p, const double *g)
{
    double sum = 0;
    for (int a = 0; a < K; a++)
        sum += (p->lasso + p->ridge / 2 * g[a]) * g[a];
    for (int j = 0; j < M; j++) {
        double y = 0;
        for (int a = 0; a < K; a++)
            y += p->f[j * K + a] * g[a];
        if (!isnan(p->x[j]))
            sum += y - (p->x[j] > 0 ? p->x[j] * log(y) : 0);
    }
    return sum;
}

/* The conditions of the optimum, each over the column's sum. */
static double entropy_residual(const row_problem *p, const double *g)
{
    double worst = 0, most = 0;
    for (int a = 0; a < K; a++)
        most = fmax(most, g[a]);
    for (int a = 0; a < K; a++) {
        double slope = p->lasso + p->ridge * g[a], sum = 0;
        for (int j = 0; j < M; j++) {
            double y = 0;
            for (int b = 0; b < K; b++)
                y += p->f[j * K + b] * g[b];
            if (isnan(p->x[j]))
                continue;
            sum += p->f[j * K + a];
            slope += p->f[j * K + a] * (1 - (p->x[j] > 0 ? p->x[j] / y : 0));
        }
        slope /= sum;
        worst = fmax(worst, g[a] > 1e-9 * most ? fabs(slope) : fmax(-slope, 0));
    }
    return worst;
}

static void entropies_end_at_the_minimum(void **state)
{
    static const char *const some[] = {"model=nmf-kl",
                                       "model=nmf-kl alpha-codes=0.02 l1-ratio=0.5",
                                       "model=nmf-kl missing=mask", "model=cf loss=kl"};
    (void)state;
    for (int c = 0; c < 8; c++) {
        const bool holes = strstr(some[c % 4], "missing") != NULL;
        lab l = make_lab(N, 8, holes), fresh = make_lab(40, 9, holes);
        tsr_data *data = lab_data(&l, false), *new = lab_data(&fresh, c / 4);
        tsr_model *model = fit_line(data, some[c % 4]);
        tsr_matrix *codes = encode(model, new, 0, 1);
        row_problem p;
        for (int j = 0; j < M * K; j++)
            p.f[j] = tsr_matrix_at(model->basis, j % K, j / K);
        p.lasso = p.ridge = c % 4 == 1 ? 0.02 * M * 0.5 : 0;
        for (int64_t i = 0; i < 40; i++) {
            double g[K], nudged[K];
            memcpy(p.x, fresh.x + i * M, sizeof p.x);
            for (int a = 0; a < K; a++)
                g[a] = tsr_matrix_at(codes, i, a);
            if (!(entropy_residual(&p, g) <= 1e-7))
                fail_msg("'%s', sample %d: residual %g", some[c % 4], (int)i,
                         entropy_residual(&p, g));
            const double here = entropy_of(&p, g);
            for (int a = 0; a < 2 * K; a++) { /* no neighbour is lower */
                memcpy(nudged, g, sizeof g);
                nudged[a / 2] = fmax(nudged[a / 2] * (a % 2 ? 1.01 : 0.99), a % 2 ? 1e-3 : 0);
                if (!(here <= entropy_of(&p, nudged) + 1e-12 * fabs(here)))
                    fail_msg("'%s', sample %d: lower beside it", some[c % 4], (int)i);
            }
        }
        tsr_matrix_free(codes);
        tsr_model_free(model);
        tsr_data_free(data);
        tsr_data_free(new);
        lab_free(&l);
        lab_free(&fresh);
    }
}

/* Against training codes ------------------------------------------------------------------ */

/* The loss of codes with the model's basis on the data, as the papers write it. */
static double loss_of(const tsr_model *model, const tsr_matrix *codes, const lab *l, bool kl)
{
    double sum = 0;
    for (int64_t i = 0; i < l->n; i++)
        for (int64_t j = 0; j < l->m; j++) {
            const double x = l->x[i * l->m + j];
            double y = 0;
            for (int64_t a = 0; a < K; a++)
                y += tsr_matrix_at(codes, i, a) * tsr_matrix_at(model->basis, a, j);
            if (!isnan(x))
                sum += kl ? y - x + (x > 0 ? x * log(x / y) : 0) : (x - y) * (x - y);
        }
    return sum;
}

static void not_above_the_training_codes(void **state)
{
    (void)state;
    for (const tsr__model_row *row = tsr__models; row->name != NULL; row++) {
        lab l = make_lab(N, 3, false);
        tsr_data *data = lab_data(&l, false);
        char line[64];
        (void)snprintf(line, sizeof line, "model=%s", row->name);
        tsr_model *model = fit_line(data, line);
        tsr_matrix *codes = encode(model, data, 0, 1);
        const bool kl = row->loss->degree == 1;
        if (!row->ncw) { /* whose samples the loss sees weighted */
            const double new = loss_of(model, codes, &l, kl),
                         old = loss_of(model, model->codes, &l, kl);
            if (!(new <= old *(1 + 1e-10)))
                fail_msg("%s: %.12g above the training codes' %.12g", row->name, new, old);
        }
        tsr_matrix_free(codes);
        tsr_model_free(model);
        tsr_data_free(data);
        lab_free(&l);
    }
}

/* Over known entries the pseudo-inverse solves the normal equations; F' x has no such form. */
static void inverse_sees_known_entries(void **state)
{
    lab l = make_lab(N, 8, true);
    tsr_data *data = lab_data(&l, false);
    tsr_model *model = fit_line(data, "model=nmf missing=mask");
    tsr_matrix *codes = encode(model, data, 1, 1), *none = NULL;
    const tsr_transform_options product = {.method = 2, .iterations = 1};
    row_problem p = {.lasso = 0};
    (void)state;
    for (int j = 0; j < M * K; j++)
        p.f[j] = tsr_matrix_at(model->basis, j % K, j / K);
    for (int64_t i = 0; i < N; i++) {
        double g[K], q[K];
        memcpy(p.x, l.x + i * M, sizeof p.x);
        for (int a = 0; a < K; a++)
            g[a] = tsr_matrix_at(codes, i, a);
        half_gradient(q, &p, g);
        for (int a = 0; a < K; a++)
            assert_true(fabs(q[a]) <= 1e-8);
    }
    check_fails(tsr_model_transform(&none, model, data, &product), TSR_ERROR_ARGUMENT,
                "needs whole samples");
    tsr_matrix_free(codes);
    tsr_model_free(model);
    tsr_data_free(data);
    lab_free(&l);
}

static void tolerance_and_steps_mean_something(void **state)
{
    (void)state;
    for (int kl = 0; kl < 2; kl++) {
        lab l = make_lab(N, 3, false);
        tsr_data *data = lab_data(&l, false);
        tsr_model *model = fit_line(data, kl ? "model=nmf-kl" : "model=nmf");
        static const double tolerance[] = {0.3, 1e-3, 1e-12};
        tsr_matrix *codes[4] = {NULL};
        tsr_transform_options o = {0};
        tsr_settings_default(tsr_transform_settings(), &o);
        for (int t = 0; t < 4; t++) {
            o.tolerance = tolerance[t < 3 ? t : 2];
            o.iterations = t < 3 ? 1000 : 1;
            check_ok(tsr_model_transform(&codes[t], model, data, &o));
        }
        assert_false(lab_same_bits(codes[0], codes[2]));
        if (kl) /* squares need one step more than the sweeps, here */
            assert_false(lab_same_bits(codes[3], codes[2]));
        const double loose = loss_of(model, codes[0], &l, kl),
                     tight = loss_of(model, codes[2], &l, kl);
        assert_true(tight <= loose);
        for (int t = 0; t < 4; t++)
            tsr_matrix_free(codes[t]);
        tsr_model_free(model);
        tsr_data_free(data);
        lab_free(&l);
    }
}

/* Samples of both signs, more vectors than directions: the gram matrix that a fit keeps is a
 * difference of large sums, which no inverse can be made of. */
static void both_signs_are_encoded(void **state)
{
    static const char *const models[] = {"cf", "cdcf", "lccf", "ccf"};
    enum { SAMPLES = 30, WIDTH = 3 };
    tsr__random random = tsr__random_seed(0, 1);
    lab l = {SAMPLES, WIDTH, 2, calloc(SAMPLES * WIDTH, sizeof(double)),
             calloc(SAMPLES, sizeof(double))};
    (void)state;
    for (int i = 0; i < SAMPLES; i++) {
        l.label[i] = i % 2;
        for (int j = 0; j < WIDTH; j++)
            l.x[i * WIDTH + j] = (i % 2 ? 1 : -1) + 0.2 * (tsr__random_uniform(&random) - 0.5);
    }
    tsr_data *data = lab_data(&l, false);
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        for (int seed = 0; seed < 3; seed++) {
            lab_options with;
            tsr_matrix *codes = NULL;
            lab_options_of(&with, 2000, "model=%s rank=10 seed=%d", models[i], seed);
            tsr_model *model = lab_fit(data, &with.o);
            check_ok(tsr_model_transform(&codes, model, data, NULL));
            check_ok(tsr_matrix_check(codes, TSR_NEED_FINITE | TSR_NEED_NON_NEGATIVE, NULL));
            tsr_matrix_free(codes);
            tsr_model_free(model);
        }
    tsr_data_free(data);
    lab_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_depend_on_the_sample_alone),
        cmocka_unit_test(wide_codes_too),
        cmocka_unit_test(squares_end_at_the_minimum),
        cmocka_unit_test(entropies_end_at_the_minimum),
        cmocka_unit_test(not_above_the_training_codes),
        cmocka_unit_test(inverse_sees_known_entries),
        cmocka_unit_test(tolerance_and_steps_mean_something),
        cmocka_unit_test(both_signs_are_encoded),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
