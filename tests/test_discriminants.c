/* SPDX-License-Identifier: BSD-2-Clause
 *
 * lda and mfa against the equations that define them: scatters are made here entry by entry. */
#include "encoders.h"

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
        const double value = form_entry(e->factor, between, e->factor, G_M, a, a, k);
        assert_true(fabs(form_entry(e->factor, within, e->factor, G_M, a, a, k) - 1) < 1e-9);
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
        tsr_encoder *e = fit(data, "model=mfa rank=3 neighbours=4 between=20");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lda_solves_its_equation),
        cmocka_unit_test(lda_of_two_classes),
        cmocka_unit_test(lda_and_mfa_separate),
        cmocka_unit_test(mfa_solves_its_equation),
        cmocka_unit_test(discriminants_are_invariant),
        cmocka_unit_test(labels_are_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
