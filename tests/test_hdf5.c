/* SPDX-License-Identifier: BSD-2-Clause
 *
 * HDF5 from the inside: groups and attributes. */
#include "fixtures.h"

#include "io/hdf5.h"

static void keeps_attributes(void **state)
{
    tsr__hdf5 *file = NULL;
    const int64_t integer = -5, pair[2] = {1, (int64_t)1 << 60};
    const double real = 1.0 / 3;
    int64_t back[2] = {0, 0};
    double real_back = 0;
    char *text = NULL;
    (void)state;
    check_ok(tsr__hdf5_create(&file, scratch));
    check_ok(tsr__hdf5_make_group(file, "g"));
    check_ok(tsr__hdf5_set_text(file, "", "title", "\xc3\x84pfel"));
    check_ok(tsr__hdf5_set_text(file, "g", "empty", ""));
    check_ok(tsr__hdf5_set_integers(file, "g", "one", &integer, 1));
    check_ok(tsr__hdf5_set_integers(file, "g", "two", pair, 2));
    check_ok(tsr__hdf5_set_reals(file, "g", "real", &real, 1));
    assert_int_equal(tsr__hdf5_make_group(file, "g"), TSR_ERROR_IO);
    check_ok(tsr__hdf5_close(file, TSR_OK));
    check_ok(tsr__hdf5_open(&file, scratch, 0));
    assert_true(tsr__hdf5_has(file, "g") && !tsr__hdf5_has(file, "h"));
    assert_true(tsr__hdf5_has_attribute(file, "g", "one"));
    assert_false(tsr__hdf5_has_attribute(file, "g", "three"));
    check_ok(tsr__hdf5_get_text(&text, file, "", "title"));
    assert_string_equal(text, "\xc3\x84pfel");
    tsr__free(text);
    check_ok(tsr__hdf5_get_text(&text, file, "g", "empty"));
    assert_string_equal(text, "");
    tsr__free(text);
    check_ok(tsr__hdf5_get_integers(back, 1, file, "g", "one"));
    assert_int_equal(back[0], -5);
    check_ok(tsr__hdf5_get_integers(back, 2, file, "g", "two"));
    assert_memory_equal(back, pair, sizeof pair);
    check_ok(tsr__hdf5_get_reals(&real_back, 1, file, "g", "real"));
    assert_true(real_back == real);
    check_fails(tsr__hdf5_get_integers(back, 1, file, "g", "two"), TSR_ERROR_FORMAT,
                "2 values");
    check_fails(tsr__hdf5_get_integers(back, 1, file, "g", "real"), TSR_ERROR_FORMAT,
                "integer");
    check_fails(tsr__hdf5_get_text(&text, file, "g", "one"), TSR_ERROR_FORMAT, "text");
    check_fails(tsr__hdf5_get_text(&text, file, "g", "three"), TSR_ERROR_FORMAT,
                "no attribute");
    check_ok(tsr__hdf5_close(file, TSR_OK));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(keeps_attributes)};
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
