/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Numbers in text against the C library, bit for bit, and their round trip. */
#include "base/text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROUNDS = 200000, LONG_TEXT = 1200 };

static uint64_t state = 0x9e3779b97f4a7c15u;

static uint64_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1du;
}

static double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Any finite double: all exponents, subnormals among them, are equally likely. */
static double draw_double(void)
{
    double value = 0;
    do
        value = from_bits(draw());
    while (!isfinite(value));
    return value;
}

static void same_as_library(const char *text)
{
    const size_t length = strlen(text);
    double value = 0;
    const char *after = tsr__parse_real(&value, text, text + length);
    const double wanted = strtod(text, NULL);
    if (after != text + length || bits_of(value) != bits_of(wanted))
        fail_msg("'%s' read as %.17g, should be %.17g", text, value, wanted);
}

static void test_printed_doubles(void **unused)
{
    (void)unused;
    static const char *const forms[] = {"%.14g", "%.15g", "%.16g", "%.17g",
                                        "%.18e", "%.19g", "%.20g", "%.25e"};
    char text[64];
    for (int i = 0; i < ROUNDS; i++) {
        const double value = draw_double();
        (void)snprintf(text, sizeof text, forms[i % 8], value);
        same_as_library(text);
    }
}

static void test_random_digits(void **unused)
{
    (void)unused;
    char text[64];
    for (int i = 0; i < ROUNDS; i++) {
        const int digits = 1 + (int)(draw() % 22), point = (int)(draw() % 24);
        int used = 0;
        if (draw() % 2 == 0)
            text[used++] = '-';
        for (int j = 0; j < digits; j++) {
            if (j == point)
                text[used++] = '.';
            text[used++] = (char)('0' + draw() % 10);
        }
        const int exponent = (int)(draw() % 700) - 350;
        if (draw() % 3 != 0)
            (void)snprintf(text + used, sizeof text - (size_t)used, "e%d",
                           i % 2 ? exponent : exponent % 30);
        else
            text[used] = '\0';
        same_as_library(text);
    }
}

/* The exact decimal of the middle between two doubles, and its neighbours. */
static void test_halfway(void **unused)
{
    (void)unused;
    static char text[LONG_TEXT];
    for (int i = 0; i < 4000; i++) {
        double low = fabs(i % 4 ? draw_double() : from_bits(draw() % 4503599627370496u));
        if (i % 3 == 0)
            low = ldexp((double)(draw() >> 11), (int)(draw() % 60) - 80);
        const double high = nextafter(low, (double)INFINITY);
        if (!isfinite(high))
            continue;
        const long double middle = ((long double)low + (long double)high) / 2;
        const int length = snprintf(text, sizeof text, "%.770Le", middle);
        same_as_library(text);
        char *last = strchr(text, 'e') - 1;
        assert_true(length > 770);
        *last = '1';
        same_as_library(text);
        (void)snprintf(text, sizeof text, "%.17Le", middle);
        same_as_library(text);
        (void)snprintf(text, sizeof text, "%.18Le", middle);
        same_as_library(text);
    }
}

static void test_particular(void **unused)
{
    (void)unused;
    static const char *const texts[] = {
        "0",
        "-0",
        "0.0e999999999999999999999",
        "1e-999999999999999999999",
        "1e999999999999999999999",
        "9007199254740993",
        "9007199254740993.0",
        "9007199254740992.99999999999999999999999",
        "9007199254740993.00000000000000000000001",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "179769313486231580793e289",
        "18446744073709551615",
        "18446744073709551616",
        "9999999999999999999",
        "99999999999999999999",
        "1.",
        ".5",
        "+.5e1",
        "00000000000000000000000000000001.5",
        "0.000000000000000000000000000000000000000000123456789012345678",
        "123456789012345678901234567890e-30",
        "8.5e22",
        "1e23",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        same_as_library(texts[i]);
}

static void test_long_numbers(void **unused)
{
    (void)unused;
    static char text[5000];
    memset(text, '0', sizeof text);
    text[1] = '.';
    memcpy(text + 4000, "15e3999", 8);
    double value = 0;
    assert_ptr_equal(tsr__parse_real(&value, text, text + 4007), text + 4007);
    assert_true(value == 1.5);
    /* One unit in the 3000th digit above a tie decides it. */
    memset(text, '0', sizeof text);
    memcpy(text, "9007199254740993.", 17);
    text[3000] = '1';
    assert_ptr_equal(tsr__parse_real(&value, text, text + 3001), text + 3001);
    assert_true(value == 9007199254740994.0);
}

static void test_not_numbers(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"",   "-",   "+",   ".",  "-.",
                                        "e5", "abc", "--1", "in", "na"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double value = 7;
        assert_ptr_equal(tsr__parse_real(&value, texts[i], texts[i] + strlen(texts[i])),
                         texts[i]);
        assert_true(value == 7);
    }
    static const struct {
        const char *text;
        long taken;
    } parts[] = {{"1e", 1},   {"1e+", 1},       {"12x", 2},      {"1.5.2", 3},
                 {"nano", 3}, {"inf,", 3},      {"Infinity", 8}, {"-infinit", 4},
                 {"1 2", 1},  {"12345678,9", 8}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const char *text = parts[i].text;
        double value = 0;
        assert_int_equal(tsr__parse_real(&value, text, text + strlen(text)) - text,
                         parts[i].taken);
    }
    double value = 0;
    assert_true(tsr__text_is_real(&value, "2.5d300") && value == 2.5e300);
    assert_true(tsr__text_is_real(&value, "2.50000000000000000000D-3") && value == 2.5e-3);
    assert_true(tsr__text_is_real(&value, " -inf\n") && value < 0 && isinf(value));
    assert_false(tsr__text_is_real(&value, "1 2"));
}

/* Every cut of a number must stop at the cut. */
static void test_bounds(void **unused)
{
    (void)unused;
    const char text[] = "-1234567890.12345678901234567890e-12";
    for (size_t length = 0; length < sizeof text; length++) {
        char *copy = malloc(length + 1);
        assert_non_null(copy);
        memcpy(copy, text, length);
        double value = 0;
        const char *after = tsr__parse_real(&value, copy, copy + length);
        assert_true(after <= copy + length);
        int64_t whole = 0;
        after = tsr__parse_integer(&whole, copy, copy + length);
        assert_true(after <= copy + length);
        free(copy);
    }
}

static void test_integers(void **unused)
{
    (void)unused;
    int64_t value = 0;
    assert_true(tsr__text_is_integer(&value, "9223372036854775807") && value == INT64_MAX);
    assert_true(tsr__text_is_integer(&value, "-9223372036854775808") && value == INT64_MIN);
    assert_false(tsr__text_is_integer(&value, "9223372036854775808"));
    assert_false(tsr__text_is_integer(&value, "-9223372036854775809"));
    assert_false(tsr__text_is_integer(&value, "1.5"));
    assert_false(tsr__text_is_integer(&value, ""));
    assert_true(tsr__text_is_integer(&value, " +42 ") && value == 42);
}

static int format_by_library(char *out, double value)
{
    int length = 0;
    for (int precision = 15; precision <= 17; precision++) {
        length = snprintf(out, 64, "%.*g", precision, value);
        if (strtod(out, NULL) == value)
            break;
    }
    return length;
}

static void check_format(double value)
{
    char ours[TSR_REAL_SIZE], theirs[64];
    const int length = tsr__format_real(ours, value);
    assert_int_equal(length, format_by_library(theirs, value));
    assert_string_equal(ours, theirs);
    double back = 0;
    assert_ptr_equal(tsr__parse_real(&back, ours, ours + length), ours + length);
    assert_true(bits_of(back) == bits_of(value));
}

static void test_format_real(void **unused)
{
    (void)unused;
    for (int i = 0; i < ROUNDS; i++) {
        check_format(draw_double());
        check_format((double)(draw() >> 11) * 0x1p-53);
        check_format((double)(draw() % 2000000) / 1000 - 1000);
    }
    for (int exponent = -1074; exponent < 1024; exponent++) {
        check_format(ldexp(1, exponent));
        check_format(-nextafter(ldexp(1, exponent), 0));
    }
    for (int power = -323; power < 309; power++) {
        char text[16];
        (void)snprintf(text, sizeof text, "1e%d", power);
        check_format(strtod(text, NULL));
        check_format(nextafter(strtod(text, NULL), 0));
    }
    check_format(0.0);
    check_format(-0.0);
    check_format(5e-324);
    check_format(1e15);
    check_format(123456789012345680.0);
}

static void test_format_special(void **unused)
{
    (void)unused;
    char text[TSR_REAL_SIZE];
    assert_int_equal(tsr__format_real(text, (double)NAN), 3);
    assert_string_equal(text, "nan");
    assert_int_equal(tsr__format_real(text, -(double)INFINITY), 4);
    assert_string_equal(text, "-inf");
    assert_int_equal(tsr__format_float(text, INFINITY), 3);
    assert_string_equal(text, "inf");
}

static void test_format_float(void **unused)
{
    (void)unused;
    for (int i = 0; i < ROUNDS; i++) {
        const uint32_t bits = (uint32_t)draw();
        float value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        char ours[TSR_REAL_SIZE], theirs[64];
        const int length = tsr__format_float(ours, value);
        for (int precision = 6; precision <= 9; precision++) {
            (void)snprintf(theirs, sizeof theirs, "%.*g", precision, (double)value);
            if ((float)strtod(theirs, NULL) == value)
                break;
        }
        if (fabsf(value) >= 1e7f || value != floorf(value))
            assert_string_equal(ours, theirs);
        double back = 0;
        assert_ptr_equal(tsr__parse_real(&back, ours, ours + length), ours + length);
        const float again = (float)back;
        assert_memory_equal(&again, &value, sizeof value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_printed_doubles), cmocka_unit_test(test_random_digits),
        cmocka_unit_test(test_halfway),         cmocka_unit_test(test_particular),
        cmocka_unit_test(test_long_numbers),    cmocka_unit_test(test_not_numbers),
        cmocka_unit_test(test_bounds),          cmocka_unit_test(test_integers),
        cmocka_unit_test(test_format_real),     cmocka_unit_test(test_format_special),
        cmocka_unit_test(test_format_float),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
