/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Non-negative tensor factorization: planted parts are found, the objective never rises, new
 * pictures are encoded as those it learnt from. */
#include "encoders.h"

/* Pictures of H x W made of K parts a_k b_k'. */
enum { H = 6, W = 8, K = 3, PICTURES = 40 };

static lab planted(double *part, uint64_t seed)
{
    tsr__random random = tsr__random_seed(seed, 4);
    lab l = lab_make(PICTURES, H * W, 2, 0, seed);
    memset(l.x, 0, PICTURES * H * W * sizeof *l.x);
    for (int k = 0; k < K; k++) {
        double a[H], b[W];
        for (int i = 0; i < H; i++)
            a[i] = i % K == k || i == 5 - k ? 0.3 + tsr__random_uniform(&random) : 0;
        for (int i = 0; i < W; i++)
            b[i] = i / 3 == k || i == 7 ? 0.3 + tsr__random_uniform(&random) : 0;
        for (int i = 0; i < H * W; i++)
            part[k * H * W + i] = a[i / W] * b[i % W];
        for (int64_t s = 0; s < PICTURES; s++) {
            const double g = tsr__random_uniform(&random);
            for (int i = 0; i < H * W; i++)
                l.x[s * H * W + i] += (g < 0.3 ? 0 : g) * part[k * H * W + i];
        }
    }
    return l;
}

static tsr_data *pictures_of(const lab *l, bool sparse, tsr_image_order order)
{
    tsr_data *data = lab_data(l, sparse);
    const tsr_image_shape shape = {order == TSR_ROW_ORDER ? H : W,
                                   order == TSR_ROW_ORDER ? W : H, order};
    check_ok(tsr_matrix_set_image(data->x, shape));
    return data;
}

static double likeness(const double *part, const tsr_encoder *e, int64_t a)
{
    double dot = 0, pp = 0, ff = 0;
    for (int64_t j = 0; j < H * W; j++) {
        const double f = e->factor[j * e->rank + a];
        dot += part[j] * f;
        pp += part[j] * part[j];
        ff += f * f;
    }
    return dot / sqrt(pp * ff);
}

static void ntf_finds_planted_parts(void **state)
{
    (void)state;
    double part[K * H * W], least = (double)INFINITY;
    lab l = planted(part, 100);
    tsr_data *data = pictures_of(&l, false, TSR_ROW_ORDER);
    tsr_encoder *best = NULL;
    double square = 0;
    for (int64_t i = 0; i < PICTURES * H * W; i++)
        square += l.x[i] * l.x[i];
    for (int seed = 0; seed < 5; seed++) {
        tsr_encoder *e = fit(data, "model=ntf rank=%d iterations=3000 seed=%d", K, seed);
        const double now = e->objective[e->iterations - 1];
        if (now < least) {
            least = now;
            tsr_encoder_free(best);
            best = e, e = NULL;
        }
        tsr_encoder_free(e);
    }
    assert_true(least < 1e-8 * square);
    for (int k = 0; k < K; k++) {
        double most = 0;
        for (int64_t a = 0; a < K; a++)
            most = fmax(most, likeness(part + k * H * W, best, a));
        assert_true(most > 1 - 1e-4);
    }
    tsr_encoder_free(best);
    tsr_data_free(data);
    lab_free(&l);
}

/* Rank-one pictures of unit length, nothing negative, and an objective that never rises and is
 * what the codes give. */
static void ntf_never_rises(void **state)
{
    (void)state;
    for (int variant = 0; variant < 6; variant++) {
        const int64_t k = variant < 3 ? 5 : 45;
        lab l = lab_make(PICTURES, H * W, 3, 0, 110);
        double square = 0, off = 0;
        tsr_data *data = pictures_of(&l, variant % 3 == 1,
                                     variant % 3 == 2 ? TSR_COLUMN_ORDER : TSR_ROW_ORDER);
        tsr_encoder *e = fit(data, "model=ntf rank=%d seed=%d", (int)k, variant);
        const double *f = e->factor, *j = e->objective;
        for (int64_t i = 0; i < PICTURES * H * W; i++)
            square += l.x[i] * l.x[i];
        assert_int_equal(e->iterations, 200);
        for (int64_t i = 1; i < e->iterations; i++)
            assert_true(j[i] <= j[i - 1] + 1e-13 * square);
        assert_true(j[e->iterations - 1] < 0.7 * square);
        for (int64_t a = 0; a < k; a++) {
            double length = 0;
            for (int64_t i = 0; i < H * W; i++) {
                const int64_t row = i / W * W, column = i % W;
                assert_true(f[i * k + a] >= 0);
                length += f[i * k + a] * f[i * k + a];
                assert_true(fabs(f[i * k + a] * f[a] - f[row * k + a] * f[column * k + a]) <
                            1e-12);
            }
            assert_true(fabs(length - 1) < 1e-10);
        }
        for (int64_t i = 0; i < PICTURES * H * W; i++) {
            double y = 0;
            for (int64_t a = 0; a < k; a++) {
                const double g = tsr_matrix_at(tsr_encoder_codes(e), i / (H * W), a);
                assert_true(g >= 0);
                y += g * f[i % (H * W) * k + a];
            }
            off += (l.x[i] - y) * (l.x[i] - y);
        }
        assert_true(off <= j[e->iterations - 1] + 1e-10 * square);
        assert_true(off > 0.9 * j[e->iterations - 1]);
        tsr_encoder_free(e);
        tsr_data_free(data);
        lab_free(&l);
    }
}

/* Codes by the loss are the non-negative minimum: the gradient is zero where they are above
 * zero and not below it elsewhere. The other two methods are what their names say. */
static void ntf_encodes(void **state)
{
    (void)state;
    enum { RANK = 5 };
    lab l = lab_make(PICTURES, H * W, 3, 0, 120);
    tsr_data *data = pictures_of(&l, false, TSR_ROW_ORDER);
    tsr_encoder *e = fit(data, "model=ntf rank=%d", RANK);
    for (int method = 0; method < 3; method++) {
        tsr_transform_options o;
        tsr_matrix *codes = NULL;
        tsr_settings_default(tsr_transform_settings(), &o);
        o.method = method;
        o.tolerance = 1e-15;
        o.iterations = 100000;
        o.progress = NULL;
        check_ok(tsr_encoder_encode(&codes, e, data, &o));
        for (int64_t i = 0; i < PICTURES * RANK; i++) {
            const double g = tsr_matrix_at(codes, i / RANK, i % RANK);
            double project = 0, gradient = 0;
            for (int64_t j = 0; j < H * W; j++)
                project += l.x[i / RANK * H * W + j] * e->factor[j * RANK + i % RANK];
            for (int64_t b = 0; b < RANK; b++)
                gradient += e->gram[i % RANK * RANK + b] * tsr_matrix_at(codes, i / RANK, b);
            gradient -= project;
            if (method == 2)
                assert_true(fabs(g - project) < 1e-10);
            else if (method == 1 || g > 0)
                assert_true(fabs(gradient) < 1e-5);
            else
                assert_true(gradient > -1e-5);
        }
        tsr_matrix_free(codes);
    }
    tsr_encoder_free(e);
    tsr_data_free(data);
    lab_free(&l);
}

static void ntf_needs_pictures(void **state)
{
    (void)state;
    lab l = lab_make(10, 6, 2, 0, 130);
    tsr_data *data = lab_data(&l, false);
    check_fails(fit_status(data, "model=ntf"), TSR_ERROR_DATA, "--image-shape");
    check_ok(tsr_matrix_set_image(data->x, (tsr_image_shape){2, 3, TSR_ROW_ORDER}));
    check_fails(fit_status(data, "model=ntf rank=11"), TSR_ERROR_ARGUMENT, "rank 11 exceeds");
    check_ok(fit_status(data, "model=ntf rank=10"));
    check_ok(fit_status(data, "model=ntf rank=2 iterations=0"));
    ((double *)data->x->values)[4] = -1;
    assert_int_equal(fit_status(data, "model=ntf rank=2"), TSR_ERROR_DATA);
    memset(data->x->values, 0, 60 * sizeof(double));
    check_ok(fit_status(data, "model=ntf rank=2")); /* black pictures have black parts */
    tsr_data_free(data);
    lab_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ntf_finds_planted_parts),
        cmocka_unit_test(ntf_never_rises),
        cmocka_unit_test(ntf_encodes),
        cmocka_unit_test(ntf_needs_pictures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
