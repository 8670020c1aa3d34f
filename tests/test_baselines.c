/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The baselines against plain computations of their own: covariances, scatters and residuals
 * are made here entry by entry, and the equations that define each method are put to the
 * test. */
#include "encoders.h"

/* Covariance of dense doubles, m x m; `mean` gets m. */
static double *covariance(double *mean, const double *x, int64_t n, int64_t m)
{
    double *c = calloc((size_t)(m * m), sizeof *c);
    for (int64_t j = 0; j < m; j++) {
        mean[j] = 0;
        for (int64_t i = 0; i < n; i++)
            mean[j] += x[i * m + j] / (double)n;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t a = 0; a < m; a++)
            for (int64_t b = 0; b < m; b++)
                c[a * m + b] += (x[i * m + a] - mean[a]) * (x[i * m + b] - mean[b]) / (double)n;
    return c;
}

static double entry(const double *left, const double *c, const double *right, int64_t m,
                    int64_t a, int64_t b, int64_t k)
{
    double sum = 0;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < m; j++)
            sum += left[i * k + a] * (c != NULL ? c[i * m + j] : (double)(i == j)) *
                   right[j * k + b];
    return sum;
}

/* Orthonormal, diagonal covariance of falling variance, and nothing more to be had: for axes
 * of the greatest variance, C v = variance v. */
static void check_axes(const double *v, const double *c, int64_t m, int64_t k, double total)
{
    double before = (double)INFINITY;
    for (int64_t a = 0; a < k; a++) {
        const double variance = entry(v, c, v, m, a, a, k);
        assert_true(variance <= before * (1 + 1e-9));
        before = variance;
        for (int64_t b = 0; b < k; b++)
            assert_true(fabs(entry(v, NULL, v, m, a, b, k) - (a == b)) < 1e-10);
        for (int64_t i = 0; i < m; i++) {
            double row = 0;
            for (int64_t j = 0; j < m; j++)
                row += c[i * m + j] * v[j * k + a];
            assert_true(fabs(row - variance * v[i * k + a]) < 1e-9 * total);
        }
    }
}

static double trace_of(const double *c, int64_t m)
{
    double sum = 0;
    for (int64_t j = 0; j < m; j++)
        sum += c[j * m + j];
    return sum;
}

static void pca_is_the_covariances(void **state)
{
    static const struct {
        int64_t n, m, k;
        double shift;
    } cases[] = {{40, 9, 9, -0.7},
                 {40, 9, 4, 1e5},
                 {12, 30, 11, 0},
                 {300, 140, 20, -0.7},
                 {140, 300, 20, 1e4}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int64_t n = cases[i].n, m = cases[i].m, k = cases[i].k;
        lab l = lab_make(n, m, 3, -0.8, 31 + i);
        for (int64_t j = 0; j < n * m; j++)
            l.x[j] += cases[i].shift;
        double *mean = calloc((size_t)m, sizeof *mean), *c = covariance(mean, l.x, n, m);
        double spread = 0, scale = 0;
        tsr_data *data = lab_data(&l, false);
        tsr_encoder *e = fit(data, "model=pca rank=%d", (int)k);
        const double total = trace_of(c, m);
        assert_int_equal(e->rank, k);
        assert_int_equal(tsr_encoder_notes(e), 0);
        check_axes(e->factor, c, m, k, total);
        /* no energy is lost where every axis is there */
        for (int64_t a = 0; a < k; a++)
            for (int64_t s = 0; s < n; s++)
                spread += pow(tsr_matrix_at(tsr_encoder_codes(e), s, a), 2) / (double)n;
        if (k == (n - 1 < m ? n - 1 : m))
            assert_true(fabs(spread - total) < 1e-9 * total);
        else
            assert_true(spread < total);
        /* the largest entry of an axis is positive */
        for (int64_t a = 0; a < k; a++) {
            double top = 0, low = 0;
            for (int64_t j = 0; j < m; j++) {
                top = fmax(top, e->factor[j * k + a]);
                low = fmin(low, e->factor[j * k + a]);
            }
            assert_true(top >= -low * (1 - 1e-8));
            scale += top;
        }
        assert_true(scale > 0);
        tsr_encoder_free(e);
        tsr_data_free(data);
        free(c);
        free(mean);
        lab_free(&l);
    }
}

/* Sparse samples with both sides long: subspace iteration against the exact way. */
static void pca_by_subspace(void **state)
{
    (void)state;
    enum { SIDE = 620, K = 6 };
    lab l = lab_make(SIDE + 40, SIDE, 5, 0, 77);
    tsr_data *dense = NULL, *sparse = NULL;
    for (int64_t i = 0; i < l.n * l.m; i++) {
        const int64_t row = i / l.m, column = i % l.m;
        if (column % 7 == row % 7 && column % 50 < 40) /* parts of falling strength */
            l.x[i] *= 2.0 + 6.0 * (double)(row % 7);
        else
            l.x[i] *= (i * 7919) % 97 < 12;
    }
    dense = lab_data(&l, false);
    sparse = lab_data(&l, true);
    tsr_encoder *a = fit(dense, "model=pca rank=%d", K);
    tsr_encoder *b = fit(sparse, "model=pca rank=%d", K);
    assert_true(lab_matrix_apart(tsr_encoder_codes(b), tsr_encoder_codes(a), 1) < 1e-4);
    const tsr__axes_options by_energy = {.energy = 0.9, .threads = 2};
    tsr__axes x = {0}, y = {0};
    check_ok(tsr__principal_axes(&x, dense->x, &by_energy));
    check_ok(tsr__principal_axes(&y, sparse->x, &by_energy));
    assert_true(x.rank > 64); /* the first guess did not do */
    assert_true(llabs(x.rank - y.rank) <= 1);
    assert_true(fabs(x.total - y.total) < 1e-9 * x.total);
    for (int64_t i = 0; i < K; i++)
        assert_true(fabs(x.variance[i] - y.variance[i]) < 1e-6 * x.variance[0]);
    tsr__axes_clear(&x);
    tsr__axes_clear(&y);
    tsr_encoder_free(a);
    tsr_encoder_free(b);
    tsr_data_free(dense);
    tsr_data_free(sparse);
    lab_free(&l);
}

static void energy_takes_the_fewest(void **state)
{
    (void)state;
    lab l = lab_make(50, 12, 3, -0.5, 5);
    tsr_data *data = lab_data(&l, false);
    const tsr__axes_options all = {.threads = 1};
    tsr__axes every = {0}, some = {0};
    check_ok(tsr__principal_axes(&every, data->x, &all));
    assert_int_equal(every.rank, 12);
    for (double energy = 0.05; energy < 1; energy += 0.1) {
        const tsr__axes_options options = {.energy = energy, .threads = 1};
        double sum = 0;
        int64_t fewest = 0;
        while (sum < energy * every.total)
            sum += every.variance[fewest++];
        check_ok(tsr__principal_axes(&some, data->x, &options));
        assert_int_equal(some.rank, fewest);
        tsr__axes_clear(&some);
    }
    tsr__axes_clear(&every);
    tsr_data_free(data);
    lab_free(&l);
}

static void ranks_are_clipped(void **state)
{
    (void)state;
    lab l = lab_make(20, 8, 4, 0, 6);
    for (int64_t i = 0; i < 20; i++) /* seven axes are left */
        l.x[i * 8 + 7] = l.x[i * 8] + l.x[i * 8 + 1];
    tsr_data *data = lab_data(&l, false);
    static const struct {
        const char *line;
        int64_t rank, notes;
    } cases[] = {
        {"model=pca rank=8", 7, 1},     {"model=pca rank=7", 7, 0}, {"model=pca", 4, 0},
        {"model=lda rank=8", 3, 1},     {"model=lda", 3, 0},        {"model=lda rank=2", 2, 0},
        {"model=mfa rank=1000", -1, 1}, {"model=mfa rank=2", 2, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tsr_encoder *e = fit(data, "%s", cases[i].line);
        if (cases[i].rank > 0)
            assert_int_equal(e->rank, cases[i].rank);
        assert_int_equal(tsr_encoder_codes(e)->features, e->rank);
        assert_int_equal(tsr_encoder_notes(e), cases[i].notes);
        if (cases[i].notes > 0)
            assert_non_null(strstr(tsr_encoder_note(e, 0), "exceeds"));
        assert_null(tsr_encoder_note(e, cases[i].notes));
        tsr_encoder_free(e);
    }
    tsr_data_free(data);
    lab_free(&l);
}

/* Gaussian classes whose principal axes are all needed for 90 %: variances alike, means near. */
enum { G_N = 240, G_M = 3 };

static lab gaussian(int64_t classes, uint64_t seed)
{
    tsr__random random = tsr__random_seed(seed, 3);
    lab l = lab_make(G_N, G_M, classes, 0, seed);
    for (int64_t i = 0; i < G_N; i++) {
        const int64_t c = i % classes;
        double e[G_M];
        l.label[i] = i % 5 == 4 ? (double)NAN : (double)c;
        for (int64_t j = 0; j < G_M; j++)
            e[j] = tsr__random_normal(&random);
        l.x[i * G_M] = 5 + e[0] + 0.5 * e[1] + 0.9 * (double)c;
        l.x[i * G_M + 1] = -2 + 1.2 * e[1] - 0.7 * (double)(c == 1);
        l.x[i * G_M + 2] = e[2] + 0.3 * e[0] + 0.6 * (double)(c % 2);
    }
    return l;
}

/* The two scatters of lda over the labelled samples, entry by entry. */
static void class_scatters(double *between, double *within, const lab *l)
{
    double mean[8][G_M] = {{0}}, all[G_M] = {0}, members[8] = {0}, count = 0;
    memset(between, 0, G_M * G_M * sizeof *between);
    memset(within, 0, G_M * G_M * sizeof *within);
    for (int64_t i = 0; i < l->n; i++)
        if (!isnan(l->label[i]))
            members[(int)l->label[i]]++, count++;
    for (int64_t i = 0; i < l->n; i++)
        for (int j = 0; j < G_M && !isnan(l->label[i]); j++) {
            mean[(int)l->label[i]][j] += l->x[i * G_M + j] / members[(int)l->label[i]];
            all[j] += l->x[i * G_M + j] / count;
        }
    for (int64_t i = 0; i < l->n; i++)
        for (int e = 0; e < G_M * G_M && !isnan(l->label[i]); e++) {
            const double *x = l->x + i * G_M, *m = mean[(int)l->label[i]];
            within[e] += (x[e / G_M] - m[e / G_M]) * (x[e % G_M] - m[e % G_M]) / count;
            between[e] += (m[e / G_M] - all[e / G_M]) * (m[e % G_M] - all[e % G_M]) / count;
        }
}

/* The scatters of mfa: every pair is looked at, and counted where its rank by distance is
 * small enough. */
static double square_between(const lab *l, int64_t a, int64_t b)
{
    double sum = 0;
    for (int j = 0; j < G_M; j++)
        sum += pow(l->x[a * G_M + j] - l->x[b * G_M + j], 2);
    return sum;
}

static bool near_in_class(const lab *l, int64_t a, int64_t b, int nearest)
{
    int nearer = 0;
    for (int64_t i = 0; i < l->n; i++)
        nearer += i != a && l->label[i] == l->label[a] &&
                  square_between(l, a, i) < square_between(l, a, b);
    return nearer < nearest;
}

static bool near_across(const lab *l, int64_t a, int64_t b, double class_of, int nearest)
{
    const double square = square_between(l, a, b);
    int nearer = 0;
    for (int64_t i = 0; i < l->n && nearer < nearest; i++)
        for (int64_t j = 0; l->label[i] == class_of && j < l->n; j++)
            nearer += !isnan(l->label[j]) && l->label[j] != class_of &&
                      square_between(l, i, j) < square;
    return nearer < nearest;
}

static void pair_scatters(double *between, double *within, const lab *l, int k1, int k2)
{
    double count[2] = {0, 0};
    double *sum[2] = {within, between};
    memset(between, 0, G_M * G_M * sizeof *between);
    memset(within, 0, G_M * G_M * sizeof *within);
    for (int64_t a = 0; a < l->n; a++)
        for (int64_t b = 0; b < a; b++) {
            const double p = l->label[a], q = l->label[b];
            if (isnan(p) || isnan(q))
                continue;
            const int across = p != q;
            const bool chosen = across
                                    ? near_across(l, a, b, p, k2) || near_across(l, b, a, q, k2)
                                    : near_in_class(l, a, b, k1) || near_in_class(l, b, a, k1);
            for (int e = 0; chosen && e < G_M * G_M; e++)
                sum[across][e] += (l->x[a * G_M + e / G_M] - l->x[b * G_M + e / G_M]) *
                                  (l->x[a * G_M + e % G_M] - l->x[b * G_M + e % G_M]);
            count[across] += chosen;
        }
    for (int e = 0; e < G_M * G_M; e++) {
        within[e] /= count[0];
        between[e] /= count[1];
    }
}

/* between w = value (within + r I) w with w' (within + r I) w = 1 for every direction. */
static void check_directions(const tsr_encoder *e, const double *between, double *within)
{
    const int64_t k = e->rank;
    const double r = 1e-3 * (trace_of(between, G_M) + trace_of(within, G_M)) / G_M;
    double before = (double)INFINITY;
    for (int j = 0; j < G_M; j++)
        within[j * G_M + j] += r;
    for (int64_t a = 0; a < k; a++) {
        const double value = entry(e->factor, between, e->factor, G_M, a, a, k);
        assert_true(fabs(entry(e->factor, within, e->factor, G_M, a, a, k) - 1) < 1e-9);
        assert_true(value <= before);
        before = value;
        for (int i = 0; i < G_M; i++) {
            double left = 0, right = 0;
            for (int j = 0; j < G_M; j++) {
                left += between[i * G_M + j] * e->factor[j * k + a];
                right += value * within[i * G_M + j] * e->factor[j * k + a];
            }
            assert_true(fabs(left - right) < 1e-9);
        }
    }
}

static void lda_solves_its_equation(void **state)
{
    (void)state;
    for (int64_t classes = 2; classes < 5; classes++) {
        lab l = gaussian(classes, 40 + (uint64_t)classes);
        double between[G_M * G_M], within[G_M * G_M];
        tsr_data *data = lab_data(&l, false);
        tsr_encoder *e = fit(data, "model=lda rank=0");
        assert_int_equal(e->rank, classes - 1);
        class_scatters(between, within, &l);
        check_directions(e, between, within);
        tsr_encoder_free(e);
        tsr_data_free(data);
        lab_free(&l);
    }
}

/* Two classes: w is along (Sw + r I)^-1 (m1 - m2), by Cramer's rule. */
static void lda_of_two_classes(void **state)
{
    (void)state;
    lab l = gaussian(2, 50);
    double between[9], s[9], mean[2][3] = {{0}}, members[2] = {0}, w[3], dot = 0, ww = 0;
    double ff = 0;
    tsr_data *data = lab_data(&l, false);
    tsr_encoder *e = fit(data, "model=lda");
    class_scatters(between, s, &l);
    const double r = 1e-3 * (trace_of(between, 3) + trace_of(s, 3)) / 3;
    for (int j = 0; j < 3; j++)
        s[j * 4] += r;
    for (int64_t i = 0; i < l.n; i++)
        if (!isnan(l.label[i]))
            members[(int)l.label[i]]++;
    for (int64_t i = 0; i < l.n; i++)
        for (int j = 0; j < 3 && !isnan(l.label[i]); j++)
            mean[(int)l.label[i]][j] += l.x[i * 3 + j] / members[(int)l.label[i]];
    for (int j = 0; j < 3; j++) { /* up to the determinant */
        double t[9];
        memcpy(t, s, sizeof t);
        for (int i = 0; i < 3; i++)
            t[i * 3 + j] = mean[1][i] - mean[0][i];
        w[j] = t[0] * (t[4] * t[8] - t[5] * t[7]) - t[1] * (t[3] * t[8] - t[5] * t[6]) +
               t[2] * (t[3] * t[7] - t[4] * t[6]);
    }
    for (int j = 0; j < 3; j++) {
        dot += w[j] * e->factor[j];
        ww += w[j] * w[j];
        ff += e->factor[j] * e->factor[j];
    }
    assert_true(fabs(dot) / sqrt(ww * ff) > 1 - 1e-12);
    tsr_encoder_free(e);
    tsr_data_free(data);
    lab_free(&l);
}

/* Four Gaussian classes in 20 features, with light of any strength added to every sample: by the
 * nearest labelled sample, codes tell what the samples themselves do not. */
static lab lit_classes(uint64_t seed)
{
    tsr__random random = tsr__random_seed(seed, 5);
    lab l = lab_make(160, 20, 4, 0, seed);
    double mean[4 * 20], light[20];
    for (int j = 0; j < 4 * 20; j++)
        mean[j] = 1.2 * tsr__random_normal(&random);
    for (int j = 0; j < 20; j++)
        light[j] = tsr__random_normal(&random);
    for (int64_t i = 0; i < 160; i++) {
        const double strength = 2 * tsr__random_normal(&random);
        l.label[i] = (double)(i % 4);
        for (int j = 0; j < 20; j++)
            l.x[i * 20 + j] =
                mean[i % 4 * 20 + j] + strength * light[j] + tsr__random_normal(&random);
    }
    return l;
}

/* Share of the samples without a visible label whose nearest visible code is of their class. */
static double nearest_is_right(const tsr_encoder *e)
{
    const int32_t *seen = tsr_encoder_seen(e);
    const tsr_matrix *codes = tsr_encoder_codes(e);
    double right = 0, asked = 0;
    for (int64_t i = 0; i < codes->samples; i++) {
        double least = (double)INFINITY;
        int32_t found = -1;
        for (int64_t j = 0; j < codes->samples && seen[i] < 0; j++) {
            double square = 0;
            for (int64_t a = 0; a < codes->features; a++)
                square += pow(tsr_matrix_at(codes, i, a) - tsr_matrix_at(codes, j, a), 2);
            if (seen[j] >= 0 && square < least) {
                least = square;
                found = seen[j];
            }
        }
        asked += seen[i] < 0;
        right += seen[i] < 0 && found == i % 4;
    }
    assert_true(asked > 50);
    return right / asked;
}

static void lda_and_mfa_separate(void **state)
{
    static const struct {
        const char *name;
        double least, most;
    } cases[] = {{"raw", 0, 0.92}, {"lda", 0.95, 1}, {"mfa", 0.95, 1}};
    (void)state;
    lab l = lit_classes(60);
    tsr_data *data = lab_data(&l, false);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tsr_encoder *e = fit(data, "model=%s labelled=15 rank=3", cases[i].name);
        const double right = nearest_is_right(e);
        if (!(right >= cases[i].least && right <= cases[i].most))
            fail_msg("%s: %g", cases[i].name, right);
        tsr_encoder_free(e);
    }
    tsr_data_free(data);
    lab_free(&l);
}

static void mfa_solves_its_equation(void **state)
{
    (void)state;
    for (int64_t classes = 2; classes < 4; classes++) {
        lab l = gaussian(classes, 70 + (uint64_t)classes);
        double between[G_M * G_M], within[G_M * G_M];
        tsr_data *data = lab_data(&l, false);
        tsr_encoder *e = fit(data, "model=mfa rank=3 neighbours=4");
        assert_int_equal(e->rank, 3);
        pair_scatters(between, within, &l, 4, 20);
        check_directions(e, between, within);
        tsr_encoder_free(e);
        tsr_data_free(data);
        lab_free(&l);
    }
}

/* Codes agree but for the sign of a column; row i of a is row of[i] of b. */
static void check_same_codes(const tsr_matrix *a, const tsr_matrix *b, const int64_t *of)
{
    for (int64_t j = 0; j < a->features; j++) {
        double apart[2] = {0, 0}, most = 0;
        for (int64_t i = 0; i < a->samples; i++) {
            const double p = tsr_matrix_at(a, i, j);
            const double q = tsr_matrix_at(b, of != NULL ? of[i] : i, j);
            apart[0] = fmax(apart[0], fabs(p - q));
            apart[1] = fmax(apart[1], fabs(p + q));
            most = fmax(most, fabs(p));
        }
        assert_true(most > 0);
        assert_true(fmin(apart[0], apart[1]) < 1e-8 * most);
    }
}

/* Order of samples, place, size and orientation of the data are no matter. */
static void discriminants_are_invariant(void **state)
{
    static const char *const names[] = {"lda", "mfa"};
    (void)state;
    for (size_t which = 0; which < 2; which++) {
        lab l = gaussian(3, 80), turned = gaussian(3, 80), mixed = gaussian(3, 80);
        int64_t of[G_N];
        for (int64_t i = 0; i < G_N; i++) {
            const double x = l.x[i * 3], y = l.x[i * 3 + 1];
            of[i] = (i * 77 + 5) % G_N;
            turned.x[i * 3] = 3 * (0.8 * x - 0.6 * y) + 7;
            turned.x[i * 3 + 1] = 3 * (0.6 * x + 0.8 * y) - 1;
            turned.x[i * 3 + 2] *= 3;
            memcpy(mixed.x + i * 3, l.x + of[i] * 3, 3 * sizeof *l.x);
            mixed.label[i] = l.label[of[i]];
        }
        tsr_data *data[] = {lab_data(&l, false), lab_data(&turned, false),
                            lab_data(&mixed, false)};
        tsr_encoder *e[3];
        for (int i = 0; i < 3; i++)
            e[i] = fit(data[i], "model=%s rank=2", names[which]);
        check_same_codes(tsr_encoder_codes(e[1]), tsr_encoder_codes(e[0]), NULL);
        check_same_codes(tsr_encoder_codes(e[2]), tsr_encoder_codes(e[0]), of);
        for (int i = 0; i < 3; i++) {
            tsr_encoder_free(e[i]);
            tsr_data_free(data[i]);
        }
        lab_free(&l);
        lab_free(&turned);
        lab_free(&mixed);
    }
}

static void labels_are_needed(void **state)
{
    static const char *const names[] = {"lda", "mfa"};
    (void)state;
    lab l = lab_make(12, 5, 3, -0.5, 90);
    for (size_t which = 0; which < 2; which++) {
        char line[64];
        tsr_data *data = lab_data(&l, false);
        (void)snprintf(line, sizeof line, "model=%s labelled=0", names[which]);
        check_fails(fit_status(data, line), TSR_ERROR_DATA, "needs labels");
        (void)snprintf(line, sizeof line, "model=%s labelled=1", names[which]);
        check_ok(fit_status(data, line)); /* nothing varies within: the ridge stands in */
        for (int64_t i = 0; i < 12; i++)
            data->labels->of[i] = i == 0 ? 1 : -1;
        (void)snprintf(line, sizeof line, "model=%s", names[which]);
        check_fails(fit_status(data, line), TSR_ERROR_DATA, "two classes");
        tsr_labels_free(data->labels);
        data->labels = NULL;
        check_fails(fit_status(data, line), TSR_ERROR_DATA, "needs labels");
        tsr_data_free(data);
    }
    for (int64_t i = 0; i < 12 * 5; i++)
        l.x[i] = 0.1 + 0.3 * (double)(i % 5);
    for (int sparse = 0; sparse < 2; sparse++) {
        tsr_data *same = lab_data(&l, sparse == 1);
        check_fails(fit_status(same, "model=pca"), TSR_ERROR_DATA, "all the same");
        check_fails(fit_status(same, "model=lda"), TSR_ERROR_DATA, "all the same");
        check_fails(fit_status(same, "model=mfa"), TSR_ERROR_DATA, "all the same");
        tsr_data_free(same);
    }
    lab_free(&l);
}

static void raw_is_the_samples(void **state)
{
    (void)state;
    lab l = lab_make(15, 6, 3, -0.5, 91);
    for (int sparse = 0; sparse < 2; sparse++) {
        tsr_data *data = lab_data(&l, sparse == 1);
        tsr_encoder *e = fit(data, "model=raw rank=2");
        const tsr_matrix *codes = tsr_encoder_codes(e);
        assert_int_equal(tsr_matrix_is_sparse(codes), sparse == 1);
        assert_int_equal(codes->features, 6);
        for (int64_t i = 0; i < 15 * 6; i++)
            assert_true(tsr_matrix_at(codes, i / 6, i % 6) == l.x[i]);
        tsr_encoder_free(e);
        e = fit(data, "model=raw normalize=l2");
        for (int64_t i = 0; i < 15; i++)
            assert_true(fabs(tsr__row_square(tsr_encoder_codes(e), i) - 1) < 1e-12);
        tsr_encoder_free(e);
        tsr_data_free(data);
    }
    lab_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pca_is_the_covariances),
        cmocka_unit_test(pca_by_subspace),
        cmocka_unit_test(energy_takes_the_fewest),
        cmocka_unit_test(ranks_are_clipped),
        cmocka_unit_test(lda_solves_its_equation),
        cmocka_unit_test(lda_of_two_classes),
        cmocka_unit_test(lda_and_mfa_separate),
        cmocka_unit_test(mfa_solves_its_equation),
        cmocka_unit_test(discriminants_are_invariant),
        cmocka_unit_test(labels_are_needed),
        cmocka_unit_test(raw_is_the_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
