/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The stop rule, on histories that are known: where the loop ends, and how far J then is from
 * where it would have gone. */
#include "check.h"

#include "factor/solve.h"

#include <math.h>

typedef double (*curve)(double t, double speed);

typedef struct made {
    curve of;
    double speed;
    int64_t at;
} made;

static tsr_status step(void *user)
{
    ((made *)user)->at++;
    return TSR_OK;
}

static double objective(void *user, double *terms)
{
    const made *m = user;
    for (int i = 0; terms != NULL && i < TSR_TERMS; i++)
        terms[i] = (double)NAN;
    return m->of((double)m->at, m->speed);
}

/* Iterates up to `limit` in all; the history is continued. Returns whether it settled. */
static bool go(tsr__history *h, made *m, double tolerance, int64_t limit, int64_t since)
{
    const tsr_fit_options options = {.tolerance = tolerance};
    tsr__loop l = {.steps = {m, step, objective, NULL},
                   .options = &options,
                   .history = h,
                   .since = since,
                   .limit = limit,
                   .size = 1000};
    check_ok(tsr__solve(&l));
    assert_int_equal(h->iterations, m->at);
    assert_false(l.interrupted || l.diverged);
    return l.converged;
}

/* Where it stops; 0: not within `limit`. */
static int64_t stop_of(curve of, double speed, double tolerance, int64_t limit)
{
    tsr__history h = {0};
    made m = {of, speed, 0};
    const bool converged = go(&h, &m, tolerance, limit, 0);
    tsr__history_clear(&h);
    return converged ? m.at : 0;
}

static double geometric(double t, double speed)
{
    return 100 * (1 + exp(-t * speed));
}

static double power(double t, double speed)
{
    return 100 * (1 + pow(t + 1, -speed));
}

/* Every seventh step is taken back, as where codes are led on. */
static double bumpy(double t, double speed)
{
    return geometric(fmod(t, 7) < 1 ? t - 1 : t, speed);
}

static double constant(double t, double speed)
{
    (void)t;
    return speed;
}

/* To nothing but rounding, which never settles as a share of itself. */
static double perfect(double t, double speed)
{
    const double noise = 1e-14 * (1 + sin(t * t)) / 2;
    return 1000 * exp(-t * speed) + 1000 * 1e-4 * noise;
}

/* As rules do that need not descend. */
static double rising(double t, double speed)
{
    return geometric(t, speed) + 1e-4 * t;
}

/* The nearer the end, the longer: what is left is below the tolerance, by not too long a way. */
static void ends_near_the_end(void **state)
{
    static const curve curves[] = {geometric, bumpy};
    (void)state;
    for (int c = 0; c < 2; c++)
        for (double speed = 0.3; speed > 0.002; speed /= 3)
            for (double tolerance = 1e-2; tolerance > 1e-9; tolerance /= 10) {
                const int64_t at = stop_of(curves[c], speed, tolerance, 100000);
                const double there = log(1 / tolerance) / speed;
                assert_true(at > 10);
                assert_true(curves[c]((double)at, speed) - 100 <= 100 * tolerance);
                assert_true((double)at < fmax(1.9 * there, 18));
            }
}

/* Of a power law t^-p, as many again at that pace gain p times what is left. */
static void slow_tails_take_longer(void **state)
{
    (void)state;
    for (double p = 1; p < 2.6; p += 0.5) {
        int64_t last = 0;
        for (double tolerance = 1e-2; tolerance > 1e-4; tolerance /= 3) {
            const int64_t at = stop_of(power, p, tolerance, 100000);
            assert_true(at > last);
            assert_true(power((double)at, p) - 100 <= 100 * tolerance / p);
            last = at;
        }
    }
}

static void nothing_to_gain(void **state)
{
    static const double values[] = {0, 1, 1e-300, -5, 1e300};
    (void)state;
    for (int i = 0; i < 5; i++)
        assert_int_equal(stop_of(constant, values[i], 1e-9, 100), 11);
    assert_int_equal(stop_of(geometric, 5, 1e-3, 100), 11); /* there after five */
    assert_in_range(stop_of(rising, 0.3, 1e-9, 1000), 11, 60);
}

static void a_perfect_fit_ends(void **state)
{
    (void)state;
    for (double speed = 1; speed > 0.05; speed /= 2)
        assert_in_range(stop_of(perfect, speed, 1e-3, 10000), 11, (int64_t)(60 / speed));
}

static void none_runs_all(void **state)
{
    (void)state;
    assert_int_equal(stop_of(constant, 1, 0, 300), 0);
    assert_int_equal(stop_of(geometric, 1, 0, 300), 0);
}

/* In parts as at once; and what J was as another function is not looked at. */
static void looks_back_as_far_as_it_may(void **state)
{
    const int64_t at = stop_of(geometric, 0.05, 1e-4, 1000);
    (void)state;
    for (int64_t part = 1; part < at; part += 7) {
        tsr__history h = {0};
        made m = {geometric, 0.05, 0};
        assert_false(go(&h, &m, 1e-4, part, 0));
        assert_true(go(&h, &m, 1e-4, 1000, 0));
        assert_int_equal(m.at, at);
        tsr__history_clear(&h);
    }
    tsr__history h = {0};
    made m = {constant, 1, 0};
    (void)go(&h, &m, 0, 200, 0);
    m.of = geometric, m.speed = 0.005; /* higher by far, and falling */
    assert_true(go(&h, &m, 1e-3, 100000, 200));
    assert_true(geometric((double)m.at, 0.005) - 100 <= 0.1);
    tsr__history_clear(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_near_the_end), cmocka_unit_test(slow_tails_take_longer),
        cmocka_unit_test(nothing_to_gain),   cmocka_unit_test(a_perfect_fit_ends),
        cmocka_unit_test(none_runs_all),     cmocka_unit_test(looks_back_as_far_as_it_may),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
