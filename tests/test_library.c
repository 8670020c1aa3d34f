/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Libraries that are loaded when first needed: what is missing is said, and asking again is
 * free. */
#include "check.h"

#include "base/library.h"

#include <math.h>
#include <pthread.h>

static struct {
    double (*cosine)(double);
    double (*root)(double);
} functions;
static const char *const names[] = {"cos", "sqrt"};

static void test_loads(void **state)
{
    (void)state;
    tsr__library library = TSR_LIBRARY("libm.so.6", names, functions);
    check_ok(tsr__library_need(&library));
    assert_true(functions.cosine(0) == 1 && functions.root(9) == 3);
    check_ok(tsr__library_need(&library));
}

/* A failure is not for ever: the same record is asked again. */
static void test_says_what_is_missing(void **state)
{
    (void)state;
    static const char *const others[] = {"cos", "no_such_function"};
    tsr__library nowhere = TSR_LIBRARY("libnowhere.so.9", names, functions);
    tsr__library lacking = TSR_LIBRARY("libm.so.6", others, functions);
    for (int i = 0; i < 2; i++) {
        check_fails(tsr__library_need(&nowhere), TSR_ERROR_UNSUPPORTED, "libnowhere.so.9");
        check_fails(tsr__library_need(&lacking), TSR_ERROR_UNSUPPORTED,
                    "libm.so.6 has no no_such_function");
    }
}

static tsr__library shared = TSR_LIBRARY("libm.so.6", names, functions);

static void *use(void *good)
{
    *(bool *)good = tsr__library_need(&shared) == TSR_OK && functions.root(4) == 2;
    return NULL;
}

static void test_many_threads(void **state)
{
    (void)state;
    enum { THREADS = 8 };
    pthread_t thread[THREADS];
    bool good[THREADS] = {false};
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, use, &good[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
        assert_true(good[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loads),
        cmocka_unit_test(test_says_what_is_missing),
        cmocka_unit_test(test_many_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
